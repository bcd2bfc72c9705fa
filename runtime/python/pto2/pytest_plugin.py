"""A plug-in for pytest: pytest -p pto2.pytest_plugin --pto2-folder DIR makes a test per case.

In a conftest.py: pytest_plugins = ["pto2.pytest_plugin"].
"""

from pathlib import Path

import pytest

from ._folder_test import FolderCases
from ._native import InputError


def pytest_addoption(parser):
    parser.getgroup("pto2").addoption(
        "--pto2-folder", action="append", default=[], metavar="DIR",
        help="a test per case of the folder's golden.py; may be given again")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    golden = [str(Path(folder) / "golden.py") for folder in config.getoption("--pto2-folder")]
    if not golden:
        return
    named = config.args_source in (config.ArgsSource.ARGS, config.ArgsSource.TESTPATHS)
    config.args = [*(config.args if named else []), *golden]


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makemodule(module_path, parent):
    """In the place of a module, which would be imported as golden, as another folder's."""
    folders = [Path(folder).resolve() for folder in parent.config.getoption("--pto2-folder")]
    if module_path.name == "golden.py" and module_path.parent.resolve() in folders:
        return FolderFile.from_parent(parent, path=module_path)
    return None


def pytest_collection_modifyitems(items):
    """Each case once, also where its folder lies in another path that is named."""
    first = {}
    items[:] = [item for item in items if not isinstance(item, CaseItem) or
                first.setdefault((item.path.parent.resolve(), item.name), item) is item]


class FolderFile(pytest.File):
    """A golden.py."""

    def collect(self):
        try:
            cases = FolderCases(self.path.parent, {})
        except InputError as error:
            raise self.CollectError(str(error)) from error
        return [CaseItem.from_parent(self, name=name, cases=cases) for name in cases.names]


class CaseItem(pytest.Item):
    """A case of it."""

    def __init__(self, *, cases, **named):
        super().__init__(**named)
        self._cases = cases

    def runtest(self):
        self._cases.run(self.name)

    def repr_failure(self, excinfo, style=None):
        if isinstance(excinfo.value, (AssertionError, InputError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, f"{self.path.parent.name}: {self.name}"
