"""The smallest definition that still fails in the same way."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from time import monotonic

from lngen.errors import LngenError
from lngen.language.parsing import parse
from tests.fuzz.names import PLAIN_INPUTS, PLAIN_STATEMENTS, awkward_in, plainly_named
from tests.fuzz.tree import Rename, function_of, names_in, names_of, renamed, size, target, tidy


def minimise(text: str, still_fails: Callable[[str], bool], seconds: float = 60.0) -> str:
    """Make a definition smaller for as long as it fails and time is left.

    A result is left out, a statement written where it is used, an expression replaced by one of its operands, by an
    input or by 1. What the language does not allow is not tried.
    """
    end = monotonic() + seconds
    tried = {text}
    found = True
    while found:
        found = False
        for candidate in _smaller(text):
            if monotonic() > end:
                return text
            if candidate in tried:
                continue
            tried.add(candidate)
            if still_fails(candidate):
                text, found = candidate, True
                break
    return text


def _smaller(text: str) -> Iterator[str]:
    tree = ast.parse(text)
    size_now = _weight(text)
    for change in (_fewer_results, _inlined, _simpler_expressions, _no_defaults, _plainer_names):
        for changed in change(tree):
            candidate = tidy(changed)
            if candidate is None or _weight(candidate) >= size_now:
                continue
            try:
                # Its names may be what is refused, and what is to be shown.
                parse(plainly_named(candidate))
            except LngenError:
                continue
            yield candidate


def _weight(text: str) -> tuple[int, int]:
    return size(text), len(awkward_in(text))


def _plainer_names(tree: ast.Module) -> Iterator[ast.Module]:
    text = ast.unparse(tree)
    free = [name for name in (*PLAIN_INPUTS, *PLAIN_STATEMENTS) if name not in names_of(text)]
    for name in awkward_in(text):
        yield ast.parse(renamed(text, {name: free[0]}))


def _fewer_results(tree: ast.Module) -> Iterator[ast.Module]:
    result = function_of(tree).body[-1]
    assert isinstance(result, ast.Return)
    if isinstance(result.value, ast.Tuple):
        for kept in result.value.elts:
            changed = copy.deepcopy(tree)
            function_of(changed).body[-1] = ast.Return(kept)
            yield changed


def _inlined(tree: ast.Module) -> Iterator[ast.Module]:
    result = function_of(tree).body[-1]
    assert isinstance(result, ast.Return)
    # One of several results has to be a name.
    results = names_in(result) if isinstance(result.value, ast.Tuple) else set()
    for place, node in enumerate(function_of(tree).body[:-1]):
        if isinstance(node, ast.Assign) and target(node) not in results:
            changed = copy.deepcopy(tree)
            function = function_of(changed)
            del function.body[place]
            function.body = [Rename({target(node): node.value}).visit(other) for other in function.body]
            yield changed


def _simpler_expressions(tree: ast.Module) -> Iterator[ast.Module]:
    inputs = [argument.arg for argument in function_of(tree).args.args]
    nodes = [node for node in ast.walk(function_of(tree)) if isinstance(node, ast.BinOp | ast.Call | ast.UnaryOp)]
    for place, node in enumerate(nodes):
        operands = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        operands = operands[1:] if isinstance(node, ast.Call) else operands
        others: list[ast.expr] = [ast.Name(name, ast.Load()) for name in inputs]
        for value in (*operands, *others, ast.Constant(1)):
            yield _replaced(tree, place, value)


def _replaced(tree: ast.Module, place: int, value: ast.expr) -> ast.Module:
    changed = copy.deepcopy(tree)
    nodes = [node for node in ast.walk(function_of(changed)) if isinstance(node, ast.BinOp | ast.Call | ast.UnaryOp)]
    old, new = nodes[place], copy.deepcopy(value)

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else super().visit(node)

    return Replace().visit(changed)  # type: ignore[no-any-return]


def _no_defaults(tree: ast.Module) -> Iterator[ast.Module]:
    if function_of(tree).args.defaults:
        changed = copy.deepcopy(tree)
        function_of(changed).args.defaults = []
        yield changed
