"""Mistakes planted in the text of emitted NumPy, of the kinds that a printer or an allocation of memory could make."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

UFUNCS = {"add": "subtract", "subtract": "add", "multiply": "divide", "divide": "multiply"}
SIGNS = {"+": "-", "-": "+", "*": "/", "/": "*"}


@dataclass(frozen=True)
class Mistake:
    """A changed text: the kind of the change, its line, and what stands there."""

    kind: str
    line: int
    change: str
    text: str


class _Source:
    def __init__(self, text: str, functions: Collection[str]) -> None:
        self.text, self.tree, self.functions = text, ast.parse(text), functions
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line.encode()))

    def of(self, node: ast.expr | ast.stmt) -> str:
        return ast.get_source_segment(self.text, node) or ""

    def changed(self, kind: str, node: ast.expr | ast.stmt, new: str) -> Mistake:
        raw, (start, end) = self.text.encode(), self._place(node)
        text = (raw[:start] + new.encode() + raw[end:]).decode()
        return Mistake(kind, node.lineno, f"{self.of(node)} -> {new}", text)

    def swapped(self, kind: str, one: ast.stmt, other: ast.stmt) -> Mistake:
        """The text with two statements in the other order."""
        raw, (start, end), (from_, to) = self.text.encode(), self._place(one), self._place(other)
        text = raw[:start] + raw[from_:to] + raw[end:from_] + raw[start:end] + raw[to:]
        return Mistake(kind, one.lineno, f"{self.of(one)} after {self.of(other)}", text.decode())

    def _place(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        end = self._starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        return self._starts[node.lineno - 1] + node.col_offset, end

    def blocks(self) -> Iterator[ast.FunctionDef]:
        """The functions in which mistakes are planted."""
        for each in ast.walk(self.tree):
            if isinstance(each, ast.FunctionDef) and (not self.functions or each.name in self.functions):
                yield each

    def inside(self, kind: type) -> list[ast.AST]:
        return [node for block in self.blocks() for node in ast.walk(block) if isinstance(node, kind)]


def mistakes(text: str, seed: int = 0, functions: Collection[str] = ("block",)) -> list[Mistake]:
    """All mistakes of all kinds that are planted in a text, in an order that the seed shuffles.

    `functions` have them; none are all.
    """
    source, draw = _Source(text, functions), random.Random(seed)
    found = [each for plant in KINDS for each in plant(source, draw) if each.text != text and _is_valid(each.text)]
    draw.shuffle(found)
    return found


def _is_valid(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _other_ufunc(source: _Source, _: random.Random) -> Iterator[Mistake]:
    for node in source.inside(ast.Attribute):
        assert isinstance(node, ast.Attribute)
        if isinstance(node.value, ast.Name) and node.value.id == "np" and node.attr in UFUNCS:
            yield source.changed("another ufunc", node, f"np.{UFUNCS[node.attr]}")


def _other_sign(source: _Source, _: random.Random) -> Iterator[Mistake]:
    names = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
    for node in source.inside(ast.BinOp):
        assert isinstance(node, ast.BinOp)
        if sign := names.get(type(node.op)):
            new = f"({source.of(node.left)} {SIGNS[sign]} {source.of(node.right)})"
            yield source.changed("another sign", node, new)


def _swapped(source: _Source, _: random.Random) -> Iterator[Mistake]:
    for node in source.inside(ast.Call):
        assert isinstance(node, ast.Call)
        if len(node.args) >= 2 and isinstance(node.func, ast.Attribute):
            first, second = node.args[-2:]
            args = [*map(source.of, node.args[:-2]), source.of(second), source.of(first)]
            keywords = [source.of(each.value) and f"{each.arg}={source.of(each.value)}" for each in node.keywords]
            yield source.changed("operands swapped", node, f"{source.of(node.func)}({', '.join([*args, *keywords])})")


def _other_name(source: _Source, draw: random.Random) -> Iterator[Mistake]:
    for block in source.blocks():
        known = [each.arg for each in block.args.args]
        for statement in ast.walk(block):
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                known.append(statement.targets[0].id)
        for node in ast.walk(block):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in known:
                others = sorted({*known} - {node.id, "buffers", "row_scalar_buffers"})
                if others and node.id not in ("buffers", "row_scalar_buffers"):
                    yield source.changed("another name", node, draw.choice(others))


def _other_memory(source: _Source, _: random.Random) -> Iterator[Mistake]:
    for node in source.inside(ast.Subscript):
        assert isinstance(node, ast.Subscript)
        place = node.slice.value if isinstance(node.slice, ast.Constant) else None
        if isinstance(node.value, ast.Name) and node.value.id.endswith("buffers") and isinstance(place, int):
            for other in {0, place + 1, place - 1} - {place, -1}:
                yield source.changed("another buffer", node, f"{node.value.id}[{other}]")
    for node in source.inside(ast.Call):
        assert isinstance(node, ast.Call)
        outs = [each for each in node.keywords if each.arg == "out"]
        if outs and node.args and isinstance(node.args[-1], ast.Name):
            yield source.changed("another memory", outs[0].value, node.args[-1].id)


def _left_out(source: _Source, _: random.Random) -> Iterator[Mistake]:
    for node in source.inside(ast.Assign):
        assert isinstance(node, ast.Assign)
        if isinstance(node.value, ast.Call) and node.value.args:
            first = node.value.args[0] if len(node.value.args) == 1 else node.value.args[1]
            yield source.changed("an operation left out", node.value, source.of(first))


def _presence(source: _Source, _: random.Random) -> Iterator[Mistake]:
    for node in source.inside(ast.Compare):
        assert isinstance(node, ast.Compare)
        text = source.of(node)
        if " is not None" in text:
            yield source.changed("wrong presence", node, text.replace(" is not None", " is None"))
        elif " is None" in text:
            yield source.changed("wrong presence", node, text.replace(" is None", " is not None"))


def _other_number(source: _Source, _: random.Random) -> Iterator[Mistake]:
    for node in source.inside(ast.Constant):
        assert isinstance(node, ast.Constant)
        if isinstance(node.value, float):
            yield source.changed("another number", node, str(node.value + 1))


def _order(source: _Source, _: random.Random) -> Iterator[Mistake]:
    for node in source.inside(ast.stmt):
        statements = getattr(node, "body", [])
        for one, other in pairwise(each for each in statements if isinstance(each, (ast.Assign, ast.AugAssign))):
            yield source.swapped("order of writes", one, other)


def _off_by_one(source: _Source, _: random.Random) -> Iterator[Mistake]:
    for node in source.inside(ast.Slice):
        assert isinstance(node, ast.Slice)
        for bound, sign in ((node.lower, "+"), (node.upper, "-")):
            if bound is not None:
                yield source.changed("off by one", bound, f"{source.of(bound)} {sign} 1")


KINDS: tuple[Callable[[_Source, random.Random], Iterator[Mistake]], ...] = (
    _other_ufunc,
    _other_sign,
    _swapped,
    _other_name,
    _other_memory,
    _left_out,
    _presence,
    _other_number,
    _order,
    _off_by_one,
)
