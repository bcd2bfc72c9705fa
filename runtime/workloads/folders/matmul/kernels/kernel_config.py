ORCHESTRATION = {
    "source": "orchestration/diamond.cpp",
    "function_name": "aicpu_orchestration_entry",
}

KERNELS = [
    {"func_id": 0, "source": "aiv/sqrt_log.cpp", "core_type": "aiv"},
    {"func_id": 1, "source": "aic/matmul.cpp", "core_type": "aic"},
    {"func_id": 2, "source": "aiv/exp_of_sum.cpp", "core_type": "aiv"},
]

RUNTIME_CONFIG = {
    "runtime": "tensormap_and_ringbuffer",
    "aicpu_thread_num": 4,
    "block_dim": 24,
}
