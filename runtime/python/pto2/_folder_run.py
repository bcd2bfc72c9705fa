"""Runs the cases of a folder and compares their outputs."""

import json
import statistics
from dataclasses import asdict, dataclass, field

from ._case import CaseArguments
from ._compiler import Compiler, kernel_source, orchestration_source
from ._folder import environment
from ._native import InputError, InternalError, blocks, buffer_macros, own_faults
from ._outputs import LostTrace, exit_usage, for_each_round
from ._results import RunError
from ._runtime import Runtime, checked_texts, with_platform
from ._streams import say

exit_pass, exit_fail, exit_bad_input, exit_inconclusive, exit_fault = 0, 1, 3, 4, 5
exit_bug, exit_interrupted, exit_terminated = 70, 130, 143
# Of cases, the least first.
_by_weight = (exit_pass, exit_inconclusive, exit_fail, exit_usage, exit_bad_input, exit_fault,
              exit_bug, exit_interrupted, exit_terminated)
_own_faults = own_faults()
_errors = {"usage": exit_usage, "bad_input": exit_bad_input, "bug": exit_bug}
checks_of = {"off": 0, "bounds": 1, "all": 2}


def _code_of(error):
    return getattr(error, "exit_code", exit_bad_input)


@dataclass
class CaseReport:
    """How a case ended: verdict pass, fail, fault, error, inconclusive or interrupted; outcome
    names a fault, and what an error is of."""
    case: str
    verdict: str
    outcome: str
    detail: str = ""
    outputs: list = field(default_factory=list)  # dicts of OutputReport
    wall_s: float = None  # median of the rounds
    rounds: int = 0
    run: dict = None  # the fields of the last round's result
    lost: str = ""  # why the trace could not be written, which is told beside the report

    def fields(self):
        fields = asdict(self)
        del fields["lost"]
        return fields

    def exit_code(self):
        if self.verdict == "interrupted":
            return exit_terminated if self.outcome == "terminated" else exit_interrupted
        if self.verdict == "error":
            return _errors[self.outcome]
        if self.verdict == "fault" and self.outcome in _own_faults:
            return exit_bug
        return {"pass": exit_pass, "fail": exit_fail,
                "inconclusive": exit_inconclusive}.get(self.verdict, exit_fault)

    def text(self):
        parts = [f"case {self.case}", self.outcome]
        if self.run is not None:
            parts.append(f"{self.run['tasks']} tasks")
        if self.wall_s is not None:
            median = f", median of {self.rounds}" if self.rounds > 1 else ""
            parts.append(f"{self.wall_s * 1e3:.3f} ms{median}")
        warnings = [f"warning: {warning}" for warning in (self.run or {}).get("warnings", [])]
        return "\n".join(["  ".join(parts), *filter(None, [self.detail]), *warnings])


def error_report(case, error):
    """The CaseReport of a case that could not be run, by an InputError or InternalError."""
    code = exit_bug if isinstance(error, InternalError) else _code_of(error)
    outcome, = (name for name, number in _errors.items() if number == code)
    return CaseReport(case, "error", outcome, str(error))


@dataclass
class FolderReport:
    """What the cases of a folder came to."""
    golden: str
    kernels: str
    cases: list
    compiled: int
    kept: int
    compile_s: float

    def _worst(self):
        return max(self.cases, key=lambda case: _by_weight.index(case.exit_code()))

    @property
    def verdict(self):
        return self._worst().verdict

    def exit_code(self):
        return self._worst().exit_code()

    def fields(self):
        return {"schema": "pto2-folder/1", "golden": self.golden, "kernels": self.kernels,
                "verdict": self.verdict,
                "compilation": {"compiled": self.compiled, "kept": self.kept,
                                "seconds": round(self.compile_s, 3)},
                "cases": [case.fields() for case in self.cases]}

    def to_json(self):
        return json.dumps(self.fields(), indent=2, allow_nan=False) + "\n"

    def text(self):
        lines = [case.text() for case in self.cases]
        last = {"pass": "TEST PASSED", "inconclusive": "TEST NOT COMPARED",
                "interrupted": "TEST INTERRUPTED"}
        return "\n".join([*lines, last.get(self.verdict, "TEST FAILED")]) + "\n"


def _judge(report, outputs, place):
    """Adds what a round has come to; `place` names it in front of what is wrong."""
    wrong = [output for output in outputs if output.mismatched]
    report.verdict = report.outcome = "fail" if wrong else "pass"
    report.detail = place * bool(wrong) + "\n".join(output.text() for output in wrong)
    report.outputs = [asdict(output) for output in outputs]


def _merged(of_folder, chosen):
    """Settings, those that were chosen first. Each scheduler has a block: a folder that asks for
    more gets as many as there are blocks then, by whatever setting, or the chip."""
    settings = {**of_folder, **chosen}
    if "schedulers" in of_folder and "schedulers" not in chosen:
        most = blocks(checked_texts({**settings, "schedulers": 1}))
        settings["schedulers"] = min(settings["schedulers"], most)
    return settings


def settings_of(chosen):
    """What keywords for a folder choose. Raises InputError for what is no setting of a folder."""
    for name in ("repeat", "replay_graph"):
        if name in chosen:
            raise InputError(f"{name} does not restore the arrays of a folder; use rounds, an "
                             "argument of pto2.run() and a key of RUNTIME_CONFIG")
    return with_platform(chosen)


class FolderRunner:
    """A folder whose images are there.

    settings: those of Runtime, which come before what kernel_config.py says.
    """

    def __init__(self, folder, settings=None, jobs=1, kernel_checks="bounds", progress=say):
        self.folder = folder
        self._settings = _merged(folder.settings, settings or {})
        macros = buffer_macros(checked_texts(self._settings))
        checks = checks_of[kernel_checks]
        with environment(folder.variables):
            orchestration = orchestration_source(folder.orchestration)
            sources = {kernel: kernel_source(kernel.name, kernel.path, kernel.core_type, checks,
                                             macros) for kernel in folder.kernels}
            self.compilation = Compiler().compile([orchestration, *sources.values()], jobs,
                                                  progress)
        images = self.compilation.images
        self._orchestration = images[orchestration]
        self._kernels = [(kernel.func_id, kernel.name, str(images[source]), kernel.core_type,
                          kernel.place) for kernel, source in sources.items()]

    def run(self, case, rounds=None, compare=True, trace=None):
        """The CaseReport of a case. Raises InputError, InternalError, KeyboardInterrupt."""
        folder, rounds = self.folder, rounds or self.folder.rounds
        params = folder.params_of(case)
        arguments = CaseArguments(folder, params)
        golden = arguments.golden_of(folder, params) if compare else None
        try:
            with environment(folder.variables), for_each_round(trace) as begin_trace:
                report = self._run_rounds(case, arguments, golden, rounds, begin_trace)
        except LostTrace as error:
            report.lost = str(error)
        return report

    def _run_rounds(self, case, arguments, golden, rounds, begin_trace):
        """golden: None: nothing is compared."""
        folder, runtime = self.folder, Runtime(**self._settings)
        walls = []
        for number in range(1, rounds + 1):
            if number > 1:
                arguments.restore()
            try:
                result, lost = runtime._launch(self._orchestration, "", self._kernels,
                                               arguments.values, folder.entry, begin_trace(),
                                               arguments.names)
            except InputError as error:
                raise self._of_sources(error) from None
            if result.verdict == "fault":
                error = RunError(result)
                return CaseReport(case, "fault", error.code, f"{error.report}\n{error.hint}",
                                  run=result.fields, rounds=number, lost=lost)
            walls.append(result.wall_s)
            report = CaseReport(case, "inconclusive", "inconclusive", run=result.fields,
                                rounds=number, lost=lost)
            if golden is not None:
                outputs = arguments.compare(golden, folder.rtol, folder.atol)
                _judge(report, outputs, f"round {number} of {rounds}: " * (rounds > 1))
            if report.verdict == "fail":  # the next round would wipe it out
                break
        report.wall_s = statistics.median(walls)
        return report

    def _of_sources(self, error):
        """An error that names sources, not the images that were made from them."""
        sources = {str(self._orchestration): self.folder.orchestration}
        sources.update((kernel[2], config.path) for config, kernel
                       in zip(self.folder.kernels, self._kernels))
        text = str(error)
        for image, source in sources.items():
            text = text.replace(image, str(source))
        named = InputError(text)
        named.exit_code = _code_of(error)
        return named

    def report(self, cases):
        """The FolderReport of the reports of some cases."""
        return FolderReport(str(self.folder.golden_path), str(self.folder.kernels_folder),
                            list(cases), self.compilation.compiled, self.compilation.kept,
                            self.compilation.seconds)
