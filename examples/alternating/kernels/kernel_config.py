ORCHESTRATION = {
    "source": "orchestration/graph.cpp",
    "function_name": "aicpu_orchestration_entry",
}

KERNELS = [
    {"func_id": 0, "name": "matmul", "source": "aic/matmul.cpp", "core_type": "aic"},
    {"func_id": 1, "name": "add", "source": "aiv/add.cpp", "core_type": "aiv"},
]

RUNTIME_CONFIG = {"runtime": "tensormap_and_ringbuffer"}
