"""Mistakes planted in the text of `layer.h`, of the kinds that a printer of C++ could make."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.check.field.mistakes import Mistake


@dataclass(frozen=True)
class _Line:
    """A line of the mathematics: its number, its code without the comment, and the names known there."""

    number: int
    code: str
    names: tuple[str, ...]


Rewritten = Iterator[tuple[str, str]]


def mistakes(text: str, draw: random.Random) -> Iterator[Mistake]:
    """Yield mistakes, kind after kind, each at a line that is drawn."""
    lines = text.splitlines()
    found = {kind: [each for line in _lines(lines) for each in make(line, draw)] for kind, make in KINDS.items()}
    waiting = {kind: _made(lines, kind, changes, draw) for kind, changes in found.items()}
    while waiting:
        for kind in tuple(waiting):
            made = next(waiting[kind], None)
            if made is None:
                del waiting[kind]
            else:
                yield made


def _made(lines: list[str], kind: str, changes: list[tuple[_Line, str]], draw: random.Random) -> Iterator[Mistake]:
    draw.shuffle(changes)
    for line, code in changes:
        changed = [*lines]
        changed[line.number] = code
        yield Mistake(kind, line.number + 1, f"{line.code.strip()} -> {code.strip()}", "\n".join(changed) + "\n")


def _lines(lines: list[str]) -> Iterator[_Line]:
    names: list[str] = []
    for number, line in enumerate(lines):
        code = line.partition("  //")[0]
        if code.startswith("struct Layer"):
            names = []
        if not line.startswith("//") and (code.startswith(("  ", "constexpr Name", "constexpr bool", "using Given"))):
            yield _Line(number, code, tuple(names))
        names += re.findall(r"const auto (\w+) =", code)


def _each(
    pattern: str, new: Callable[[re.Match[str]], str | None], where: str = ""
) -> Callable[..., Iterator[tuple[_Line, str]]]:
    """Return a kind of mistake: one match of a pattern replaced, in lines that have `where`."""

    def make(line: _Line, _: random.Random) -> Iterator[tuple[_Line, str]]:
        for match in re.finditer(pattern, line.code) if where in line.code else ():
            text = new(match)
            if text is not None and text != match.group():
                yield line, line.code[: match.start()] + text + line.code[match.end() :]

    return make


def _other_name(line: _Line, draw: random.Random) -> Iterator[tuple[_Line, str]]:
    head, equals, value = line.code.rpartition(" = ")
    for match in re.finditer(r"\b\w+\b", value):
        others = sorted({*line.names} - {match.group(), "stage_1", "stage_2", "stage_3"})
        if match.group() in line.names and others and not match.group().startswith("stage"):
            yield line, head + equals + value[: match.start()] + draw.choice(others) + value[match.end() :]


_SIGNS = {"+": "-", "-": "+", "*": "/", "/": "*"}
_FUNCTIONS = {"exp": "expm1", "rsqrt": "sqrt", "sqrt": "rsqrt", "log": "log1p", "sigmoid": "tanh", "tanh": "sigmoid"}
_STAGES = {"sums": "means", "means": "sums", "max_of": "min_of"}

KINDS = {
    "sign": _each(r" ([+-]) |(?<=\w)([*])(?=[\w(])", lambda m: f" {_SIGNS[(m[1] or m[2])]} "),
    "function": _each(r"math::(\w+)\(", lambda m: f"math::{_FUNCTIONS[m[1]]}(" if m[1] in _FUNCTIONS else None),
    "reduction": _each(r"\b(sums|means|max_of)\b", lambda m: _STAGES[m[1]]),
    "term": _each(r"get<(\d)>", lambda m: f"get<{int(m[1]) ^ 1}>", "stage_"),
    "number": _each(r"A\((-?[\d.]+)\)", lambda m: f"A({float(m[1]) + 1})"),
    "another name": _other_name,
    "presence": _each(r"HAS_\w+", lambda m: f"!{m[0]}", "Name<"),
    "neutral": _each(r"\b(One|Zero)\b", lambda m: {"One": "Zero", "Zero": "One"}[m[1]], "HAS_"),
    "index": _each(r"(Name<\w+, )(\d)", lambda m: m[1] + str(int(m[2]) + 1)),
    "order": _each(r"names\((\w+), (\w+)", lambda m: f"names({m[2]}, {m[1]}"),
    "left out": _each(r"(row|at)\.(store|save|over_rows|keep)\(.*;", lambda m: ";" if m[2] != "keep" else None),
    "branches": _each(r"choose<A>\((.*?), (.*?), (.*?)\)", lambda m: f"choose<A>({m[1]}, {m[3]}, {m[2]})"),
    "comparison": _each(
        r" (<=|>=|==|<|>) ", lambda m: {"<=": " < ", ">=": " > ", "==": " != "}.get(m[1], " == "), "choose"
    ),
    "macro": _each(r"LNGEN_WITHOUT_(\w+)\)", lambda m: f"LNGEN_WITHOUT_{m[1]}_)"),
    "memory": _each(r"KEPT, (\d)", lambda m: f"KEPT, {int(m[1]) + 1}"),
}
"""Kinds of mistakes, and how each changes a line."""
