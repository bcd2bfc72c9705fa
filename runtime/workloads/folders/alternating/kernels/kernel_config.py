ORCHESTRATION = {
    "source": "orchestration/in_turns.cpp",
    "function_name": "aicpu_orchestration_entry",
}

KERNELS = [
    {"func_id": 0, "source": "aic/matmul.cpp", "core_type": "aic"},
    {"func_id": 1, "source": "aiv/add.cpp", "core_type": "aiv"},
]

RUNTIME_CONFIG = {
    "runtime": "tensormap_and_ringbuffer",
    "aicpu_thread_num": 4,
    "block_dim": 24,
}
