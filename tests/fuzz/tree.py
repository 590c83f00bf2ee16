"""Definitions as syntax trees: what the generator and the minimiser both need."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping


def tidy(tree: ast.Module) -> str | None:
    """The text of a definition without what reaches no result and without second names; None if nothing is left.

    Inputs with a default are put last, as Python wants them. The imports are those that the rest needs.
    """
    tree = copy.deepcopy(tree)
    function = function_of(tree)
    _inline_second_names(function)
    used = _reaching(function)
    function.body = [node for node in function.body if not isinstance(node, ast.Assign) or target(node) in used]
    arguments = function.args
    first = len(arguments.args) - len(arguments.defaults)
    pairs = [
        (argument, arguments.defaults[place - first] if place >= first else None)
        for place, argument in enumerate(arguments.args)
        if argument.arg in used
    ]
    rows = [argument for argument, _ in pairs if _kind(argument) in ("Row", "Array")]
    if not rows:
        return None
    # The first Row gives the shape, and so has no default.
    pairs = [(argument, None if argument is rows[0] else default) for argument, default in pairs]
    pairs.sort(key=lambda pair: (pair[1] is not None, pair[0] is not rows[0] and pair[1] is None))
    arguments.args = [argument for argument, _ in pairs]
    arguments.defaults = [default for _, default in pairs if default is not None]
    return text_of(function)


def function_of(tree: ast.Module) -> ast.FunctionDef:
    """The function of a definition file."""
    return next(node for node in tree.body if isinstance(node, ast.FunctionDef))


def target(node: ast.Assign) -> str:
    """The name that a statement assigns."""
    name = node.targets[0]
    assert isinstance(name, ast.Name)
    return name.id


def size(text: str) -> int:
    """Return the size of a definition, in nodes of its function's tree."""
    return sum(1 for _ in ast.walk(function_of(ast.parse(text))))


def names_in(node: ast.AST) -> set[str]:
    """The names that are read in a tree."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


class Rename(ast.NodeTransformer):
    """Puts expressions in place of names."""

    def __init__(self, values: dict[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The expression that takes the place of a name that is read."""
        if isinstance(node.ctx, ast.Load) and node.id in self.values:
            return copy.deepcopy(self.values[node.id])
        return node


def _inline_second_names(function: ast.FunctionDef) -> None:
    results = names_in(function.body[-1])
    for node in list(function.body):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and target(node) not in results:
            rename = Rename({target(node): node.value})
            function.body.remove(node)
            function.body = [rename.visit(other) for other in function.body]


def _reaching(function: ast.FunctionDef) -> set[str]:
    used = names_in(function.body[-1])
    for node in reversed(function.body[:-1]):
        if isinstance(node, ast.Assign) and target(node) in used:
            used |= names_in(node.value)
    return used


def _kind(argument: ast.arg) -> str:
    annotation = argument.annotation
    name = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    assert isinstance(name, ast.Name)
    return name.id


def _imported(function: ast.FunctionDef) -> list[str]:
    called = {node.func.id for node in ast.walk(function) if isinstance(node, ast.Call)}  # type: ignore[attr-defined]
    kinds = {_kind(argument) for argument in function.args.args}
    return sorted(called | kinds | ({"D"} & names_in(function)))


def names_of(text: str) -> list[str]:
    """The names of a definition's inputs and statements, in order; not the sizes of axes, which stand in texts too."""
    function = function_of(ast.parse(text))
    assigned = [target(node) for node in function.body if isinstance(node, ast.Assign)]
    return [argument.arg for argument in function.args.args if _kind(argument) != "Size"] + assigned


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A definition with other names for its inputs and statements."""
    tree = ast.parse(text)
    for node in ast.walk(function_of(tree)):
        if isinstance(node, ast.arg):
            node.arg = names.get(node.arg, node.arg)
        elif isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
    return text_of(function_of(tree))


def text_of(function: ast.FunctionDef) -> str:
    """The text of a definition, with the imports that it needs."""
    return f"from lngen.language import {', '.join(_imported(function))}\n\n\n{ast.unparse(function)}\n"
