"""Folders as tests of pytest, one per case."""

import functools
import inspect
import os

from ._folder import Folder, find_folder
from ._folder_run import FolderRunner, settings_of
from ._isolated import run_isolated
from ._lacks import lacks_told
from ._native import InputError


# Of such a function a call runs nothing.
_suspended = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)


class FolderCases:
    """The cases of a folder. It is compiled when the first one runs."""

    @lacks_told()
    def __init__(self, folder, settings):
        self._settings = settings_of(settings)
        self._folder = Folder(*find_folder(folder))
        self.names = list(self._folder.cases)

    @functools.cached_property
    def _runner(self):
        return FolderRunner(self._folder, self._settings, os.cpu_count(),
                            progress=lambda text: None)

    @lacks_told()
    def run(self, case):
        """The CaseReport of a case that has passed. Raises AssertionError for any other."""
        runner = self._runner  # not in the child, whose compilation would be for it alone
        report = run_isolated(case, lambda: runner.run(case))
        if report.verdict != "pass":
            raise AssertionError(report.text())
        return report


def folder_test(folder, **settings):
    """Makes a test per case of a folder; settings are those of pto2.Runtime, but not repeat and
    replay_graph.

        @pto2.folder_test("my_folder", executor="seeded", seed=7)
        def test_vector(report):
            assert report.run["tasks"] == 3

    A case that does not pass fails. The function is called after one that does, with its report if
    it has a parameter. It stands in a file that pytest collects. Its marks are those of each test.
    """
    import pytest
    cases = FolderCases(folder, settings)

    def decorate(function):
        if any(is_one(function) for is_one in _suspended):
            raise InputError(f"{function.__name__} would be called, but not run: write def without "
                             "async or yield")
        takes_report = bool(inspect.signature(function).parameters)

        @pytest.mark.parametrize("pto2_case", cases.names)
        def test(pto2_case):
            report = cases.run(pto2_case)
            function(*[report][:takes_report])
        test.__name__, test.__doc__ = function.__name__, function.__doc__
        test.__module__ = function.__module__
        test.pytestmark += getattr(function, "pytestmark", [])
        return test
    return decorate
