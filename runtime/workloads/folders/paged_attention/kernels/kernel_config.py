ORCHESTRATION = {
    "source": "orchestration/paged_attention.cpp",
    "function_name": "aicpu_orchestration_entry",
}

KERNELS = [
    {"func_id": 0, "source": "aic/scores.cpp", "core_type": "aic"},
    {"func_id": 1, "source": "aiv/softmax.cpp", "core_type": "aiv"},
    {"func_id": 2, "source": "aic/values.cpp", "core_type": "aic"},
    {"func_id": 3, "source": "aiv/update.cpp", "core_type": "aiv"},
]

RUNTIME_CONFIG = {
    "runtime": "tensormap_and_ringbuffer",
    "aicpu_thread_num": 4,
    "block_dim": 24,
}
