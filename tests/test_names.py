"""Rules for the words of the repository: docstrings and names of classes."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

import pytest

from tests.shipped import ROOT
from tests.tiers import sample

FOLDERS = ("lngen", "tools", "tests", "benchmarks", "examples", "docs")
# Tests and benchmarks may call a small helper as another file does.
PACKAGES = ("lngen", "tools")

# A docstring begins with a verb or a noun, with or without an article. These words begin a riddle, or half a sentence.
RIDDLES = """
what whatever whether how where which who whoever whose whom why when as if
this that these those there then here it its they their such so than both either neither not
something anything nothing everything some any more fewer other another itself only
of from by at in on for with before after behind inside within until while because and or nor but
"""

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class Texts(NamedTuple):
    """Texts of a module: docstrings, each with a place, and names of classes."""

    docstrings: tuple[tuple[str, str], ...]
    classes: tuple[str, ...]


@functools.cache
def texts(source: str) -> Texts:
    """Read the texts of a module in one pass."""
    docstrings: list[tuple[str, str]] = []
    classes: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Documented):
            docstrings += docstrings_in(node)
        if isinstance(node, ast.ClassDef):
            classes.append(node.name.lstrip("_"))
    return Texts(tuple(docstrings), tuple(classes))


def docstrings_in(node: Documented) -> Iterator[tuple[str, str]]:
    """Yield the docstring of a module, a class or a function, and those below names that are assigned in it."""
    if text := ast.get_docstring(node):
        yield getattr(node, "name", "module"), text
    for above, below in pairwise(node.body):
        if isinstance(above, (ast.Assign, ast.AnnAssign)) and (text := constant(below)):
            yield f"line {above.lineno}", text


def constant(node: ast.stmt) -> str:
    """Return the text that a statement is; empty for any other statement."""
    value = node.value if isinstance(node, ast.Expr) else None
    return inspect.cleandoc(value.value) if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def first_word(text: str) -> str:
    """Return the first word, in small letters."""
    found = re.match(r"\W*([\w'-]*)", text)
    return found[1].lower() if found else ""


def riddles(source: str) -> list[str]:
    """Return the docstrings that begin with a word that is neither a verb nor a noun."""
    return [f"{name}: {text[:60]}" for name, text in texts(source).docstrings if first_word(text) in RIDDLES.split()]


def shared_names(sources: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the names that more than one class has, with the files; a leading underscore does not count."""
    places = defaultdict(list)
    for path, source in sources:
        for name in texts(source).classes:
            places[name].append(path)
    return {name: found for name, found in places.items() if len(found) > 1}


@functools.cache
def files(folder: str) -> dict[str, str]:
    """Return the text of every Python file in a folder of the repository."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


in_each_folder = pytest.mark.parametrize("folder", sample(FOLDERS, PACKAGES))


@pytest.mark.ci
@in_each_folder
def test_docstrings_of_a_folder_begin_with_a_verb_or_a_noun(folder: str) -> None:
    found = {path: bad for path, source in files(folder).items() if (bad := riddles(source))}
    assert not found


@pytest.mark.ci
def test_a_class_name_of_the_packages_stands_for_one_class() -> None:
    assert not shared_names(item for folder in PACKAGES for item in files(folder).items())


@pytest.mark.parametrize(
    "docstring",
    ["What is computed.", "Whether it is a row.", "`how` it is run.", "How rows are cut.", "Its inputs.", "As above."],
)
def test_riddles_sees_a_docstring_that_begins_with_no_noun_and_no_verb(docstring: str) -> None:
    function = f'def f():\n    """{docstring}"""\n'
    assert len(riddles(function)) == 1
    assert len(riddles(f'"""{docstring}"""\n')) == 1
    assert len(riddles(f'class C:\n    a: int = 0\n    """{docstring}"""\n')) == 1
    assert len(riddles(f'LIMIT = 1\n"""{docstring}"""\n')) == 1


def test_shared_names_sees_two_classes_of_one_name() -> None:
    one, other = ("a.py", "class Layer: ...\n"), ("b.py", "def f():\n    class _Layer: ...\n")
    assert shared_names([one, other]) == {"Layer": ["a.py", "b.py"]}
    assert shared_names([("a.py", "class A: ...\nclass A: ...\n")]) == {"A": ["a.py", "a.py"]}
