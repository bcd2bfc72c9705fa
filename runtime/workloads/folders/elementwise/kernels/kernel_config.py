ORCHESTRATION = {
    "source": "orchestration/graph.cpp",
    "function_name": "build_graph",
}

KERNELS = [
    {"func_id": 0, "name": "add", "source": "aiv/add.cpp", "core_type": "aiv"},
    {"func_id": 1, "name": "subtract", "source": "aiv/subtract.cpp", "core_type": "aiv"},
    {"func_id": 2, "name": "multiply_add", "source": "aiv/multiply_add.cpp", "core_type": "aiv"},
]

RUNTIME_CONFIG = {
    "runtime": "tensormap_and_ringbuffer",
    "aicpu_thread_num": 4,
    "block_dim": 4,
}
