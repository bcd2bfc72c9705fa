from os import PathLike
from typing import Any, Callable, Iterable, Mapping, Optional, Union

from ._folder_run import FolderReport
from ._native import InputError as InputError
from ._native import InternalError as InternalError

_Path = Union[str, PathLike[str]]
_Size = Union[int, str]

def settings() -> dict[str, dict[str, str]]: ...

class RunResult:
    fields: dict[str, Any]
    def __init__(self, fields: dict[str, Any]) -> None: ...
    outcome: str
    verdict: str
    executor: str
    tasks: int
    wall_s: float
    kernel_s: Optional[float]
    ns_per_task: float
    host_threads: int
    peak_window: int
    slots_recycled: int
    edges_linked: int
    edges_early: int
    config: dict[str, Any]
    def __getattr__(self, name: str) -> Any: ...

class RunError(RuntimeError):
    result: RunResult
    code: str
    outcome: str
    hint: str
    report: str
    def __init__(self, result: RunResult) -> None: ...

class Runtime:
    settings: dict[str, Any]
    def __init__(self, *, platform: _Path = ..., chip: _Path = ..., executor: str = ...,
                 seed: int = ..., host_threads: int = ..., deadline: int = ...,
                 guard: Union[bool, str] = ..., window: _Size = ..., heap: _Size = ...,
                 dep_pool: _Size = ..., tensormap_pool: _Size = ..., shards: int = ...,
                 rings: int = ..., schedulers: int = ..., blocks: int = ...,
                 accelerators: int = ..., fan_out: str = ..., repeat: int = ...,
                 replay_graph: bool = ..., trace_events: _Size = ...,
                 log_level: str = ...) -> None: ...
    def run(self, orchestration: _Path, kernels: Union[_Path, Mapping[int, _Path]],
            args: Iterable[Any] = ..., *, entry: str = ...,
            trace: Optional[_Path] = ...) -> RunResult: ...

def validate(*traces: _Path, **options: Any) -> dict[str, Any]: ...
def simulate(**options: Any) -> dict[str, Any]: ...
def check(*scenarios: str, **options: Any) -> dict[str, Any]: ...
def folder_test(folder: _Path, **settings: Any) -> Callable[[Callable[..., None]],
                                                            Callable[[str], None]]: ...
def run(folder: _Path, *, case: Optional[str] = ..., kernels: Optional[_Path] = ...,
        golden: Optional[_Path] = ..., rounds: Optional[int] = ..., compare: bool = ...,
        trace: Optional[_Path] = ..., jobs: Optional[int] = ..., kernel_checks: str = ...,
        **chosen: Any) -> FolderReport: ...
