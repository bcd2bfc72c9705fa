"""The stubs say what there is."""

import ast
import inspect
from pathlib import Path

import pto2

stub = ast.parse((Path(pto2.__file__).parent / "__init__.pyi").read_text())


def keywords(function):
    arguments = [*function.args.args, *function.args.kwonlyargs]
    return {argument.arg for argument in arguments} - {"self"}


def functions_of(node):
    return {entry.name: entry for entry in node.body if isinstance(entry, ast.FunctionDef)}


def classes():
    return {entry.name: entry for entry in stub.body if isinstance(entry, ast.ClassDef)}


def test_all_names_have_a_stub():
    imported = {alias.asname for entry in stub.body if isinstance(entry, ast.ImportFrom)
                for alias in entry.names}
    assert set(pto2.__all__) <= {*functions_of(stub), *classes(), *imported}


def test_the_settings_are_those_of_the_runtime():
    init = functions_of(classes()["Runtime"])["__init__"]
    assert keywords(init) == {*pto2.settings(), "chip"}


def test_functions_take_what_their_stubs_say():
    run = functions_of(classes()["Runtime"])["run"]
    for real, told in [(pto2.Runtime.run, run), (pto2.run._call, functions_of(stub)["run"])]:
        named = {parameter.name for parameter in inspect.signature(real).parameters.values()
                 if parameter.kind is not inspect.Parameter.VAR_KEYWORD}
        assert named - {"self"} == keywords(told)
