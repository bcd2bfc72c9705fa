ORCHESTRATION = {
    "source": "orchestration/scopes.cpp",
    "function_name": "aicpu_orchestration_entry",
}

KERNELS = [
    {"func_id": 0, "source": "aiv/add.cpp", "core_type": "aiv"},
    {"func_id": 1, "source": "aiv/add_scalar.cpp", "core_type": "aiv"},
    {"func_id": 2, "source": "aiv/multiply.cpp", "core_type": "aiv"},
]

RUNTIME_CONFIG = {
    "runtime": "tensormap_and_ringbuffer",
    "aicpu_thread_num": 4,
    "block_dim": 24,
}
