"""A reader of exported Lean files, which imports nothing of lngen: every theorem is evaluated at random points.

It is no Lean. It reads the part of Lean's grammar that the export uses, with Lean's precedences, and refuses anything
else. Terms have Lean's types (`Fin N`, `Fin D`, `ℝ`) and Mathlib's total functions: 1/0, the root of a negative number
and log 0 are 0. So a theorem that lacks a hypothesis is false at some point. Proof scripts are not run.
"""

from __future__ import annotations

import operator
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from mpmath import mp, mpf

from tests.extensions.lean.grammar import NotReadError, Parser, Term

DIGITS = 40
ROWS = 2
TRIES, POINTS = 60, 4

_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "Real.sqrt": lambda u: mp.sqrt(u) if u > 0 else mpf(0),
    "Real.exp": mp.exp,
    "Real.log": lambda u: mp.log(abs(u)) if u != 0 else mpf(0),
    "Real.sin": mp.sin,
    "Real.cos": mp.cos,
    "Real.tanh": mp.tanh,
    "Real.arctan": mp.atan,
    "Real.arcsin": lambda u: mp.asin(max(-1, min(1, u))),
    "Real.arccos": lambda u: mp.acos(max(-1, min(1, u))),
    "abs": abs,
}


def _power(a: Any, b: Any) -> Any:
    if b == int(b):
        return a ** int(b)
    return a**b if a > 0 else mp.exp(mp.log(-a) * b) * mp.cos(mp.pi * b) if a < 0 else mpf(0)


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: a / b if b else mpf(0),
    "^": _power,
}


class RefutedError(Exception):
    """A theorem that is false at a point that fulfils its hypotheses."""


@dataclass
class Declaration:
    """A definition or a theorem: its indices by name, hypotheses, what it says, and the lines of its proof."""

    name: str
    indices: dict[str, str]
    hypotheses: list[Term]
    says: Term
    proof: list[str] = field(default_factory=list)


class LeanFile:
    """An exported file, read: fields, definitions, theorems, and what its head counts."""

    def __init__(self, text: str) -> None:
        head, _, rest = text.partition("-/\nimport Mathlib\n")
        counts = re.findall(r"^  (\d+) (?:theorem|claim)s?\b", head, re.MULTILINE)
        if "NOT CHECKED BY LEAN" not in head or len(counts) != 3:
            raise NotReadError("the head")
        rest = re.sub(r"(?s)/--.*?-/\n", "", rest)
        rest = re.sub(r"(?m)^macro (?:.+\n)+", "", rest)
        left_out = re.findall(r"(?m)^-- .*: left out: .+\n", rest)
        rest = re.sub(r"(?m)^-- .*: left out: .+\n", "", rest)
        self.types: dict[int, str] = {}
        self.fields: dict[str, tuple[str, ...]] = {}
        self.definitions: dict[str, Declaration] = {}
        self.theorems: dict[str, Declaration] = {}
        blocks = [block for block in re.split(r"\n\n+", rest.strip()) if block]
        spaces: list[str] = []
        for block in blocks:
            self._block(block, spaces)
        if spaces:
            raise NotReadError(f"the namespace {spaces[0]} has no end")
        proofs = [theorem.proof for theorem in self.theorems.values()]
        opened = sum(proof == ["sorry"] for proof in proofs)
        if any("sorry" in line for proof in proofs if proof != ["sorry"] for line in proof) or not all(proofs):
            raise NotReadError("a proof that is partly missing")
        found = [str(len(proofs) - opened), str(opened), str(len(left_out))]
        if found != counts:
            raise NotReadError(f"the head counts {counts}, and the file has {found}")

    def _block(self, block: str, spaces: list[str]) -> None:
        if re.fullmatch(r"open scoped BigOperators|variable \{\w+ D : ℕ\}", block):
            self.rows = block[10:-7] if block.startswith("variable") else ""
        elif block.startswith("structure "):
            first, *lines = block.split("\n")
            if first != f"structure Values ({self.rows} D : ℕ) where":
                raise NotReadError(first)
            for line in lines:
                name, _, type_ = line.split("  -- ")[0].strip().partition(" : ")
                *indices, last = type_.split(" → ")
                if last != "ℝ" or name in self.fields or {*indices} - {f"Fin {self.rows}", "Fin D"}:
                    raise NotReadError(line)
                self.fields[name] = tuple(each.removeprefix("Fin ") for each in indices)
        elif re.fullmatch(r"(namespace|end) \w+(\n(namespace|end) \w+)*", block):
            for line in block.split("\n"):
                word, name = line.split(" ")
                if word == "namespace":
                    spaces.append(name)
                elif not spaces or spaces.pop() != name:
                    raise NotReadError(line)
        else:
            self._declaration(block)

    def _declaration(self, block: str) -> None:
        found = re.fullmatch(rf"(?s)(noncomputable def|theorem) («\w+»|\w+) \(s : Values {self.rows} D\)(.*)", block)
        if not found:
            raise NotReadError(block[:60])
        kind, name, rest = found.groups()
        indices: dict[str, str] = {}
        hypotheses = []
        while rest.startswith(" ("):
            end = _closing(rest, 1)
            inner, rest = rest[2:end], rest[end + 1 :]
            called, _, says = inner.partition(" : ")
            if re.fullmatch(rf"Fin ({self.rows}|D)", says):
                indices[called] = says.removeprefix("Fin ")
            else:
                hypotheses.append(Parser(says).whole())
        if kind == "theorem":
            says, _, proof = rest.removeprefix(" :").partition(" := by\n")
            lines = [line.strip() for line in proof.split("\n")]
            said, table = Parser(says).whole(), self.theorems
        else:
            said, table, lines = Parser(rest.removeprefix(" : ℝ :=")).at(0), self.definitions, []
        if name in table or name in self.fields:
            raise NotReadError(f"{name} is declared twice")
        declaration = Declaration(name, indices, hypotheses, said, lines)
        for term in (*hypotheses, said):
            self._typed(term, dict(indices), name)
        table[name] = declaration

    def indices_of(self, name: str) -> tuple[str, ...]:
        """The types of the indices of a value; only what stands above in the file is known."""
        if name in self.definitions:
            return tuple(self.definitions[name].indices.values())
        if name not in self.fields:
            raise NotReadError(f"{name} is not declared")
        return self.fields[name]

    def _typed(self, term: Any, bound: dict[str, str], where: str) -> None:
        """Check that each index has the type that its value asks for; a sum takes the type of its index from these."""
        if not isinstance(term, Term):
            return
        if term.head == "value":
            name, indices = term.parts
            wanted = self.indices_of(name)
            if len(wanted) != len(indices):
                raise NotReadError(f"{where}: {name} with {len(indices)} indices, not {len(wanted)}")
            for index, type_ in zip(indices, wanted, strict=True):
                if bound.get(index, "no index") not in ("?", type_):
                    raise NotReadError(f"{where}: {index} is {bound.get(index)}, and {name} asks for {type_}")
                bound[index] = type_
        elif term.head in ("∑", "⨆", "⨅"):
            name, body = term.parts
            inner = bound | {name: "?"}
            self._typed(body, inner, where)
            if inner[name] == "?":
                raise NotReadError(f"{where}: the type of {name} is not known")
            self.types[id(term)] = inner[name]
            bound.update({other: inner[other] for other in bound if other != name})
        elif term.head == "∀":
            self._typed(term.parts[1], bound | dict(term.parts[0]), where)
        elif term.head == "HasDerivAt":
            name, body, *others = term.parts
            self._typed(body, bound | {name: "ℝ"}, where)
            for other in others:
                self._typed(other, bound, where)
        elif term.head == "name":
            if term.parts[0] != "D" and bound.get(term.parts[0]) != "ℝ":
                raise NotReadError(f"{where}: {term.parts[0]} is no number")
        else:
            for part in term.parts:
                self._typed(part, bound, where)


def _closing(text: str, start: int) -> int:
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise NotReadError("a parenthesis without its end")


class Point:
    """Numbers for the fields of a file, for some D."""

    def __init__(self, file: LeanFile, features: int, fields: dict[str, dict[tuple[int, ...], Any]]) -> None:
        self.file, self.sizes, self.fields = file, {file.rows: ROWS, "D": features}, fields
        self._known: dict[tuple[str, tuple[int, ...]], Any] = {}

    def value(self, name: str, at: tuple[int, ...]) -> Any:
        """A field, or a definition, at indices."""
        if name in self.fields:
            return self.fields[name][at]
        if (name, at) not in self._known:
            definition = self.file.definitions[name]
            self._known[name, at] = self(definition.says, dict(zip(definition.indices, at, strict=True)))
        return self._known[name, at]

    def __call__(self, term: Term, given: dict[str, Any]) -> Any:
        match term:
            case ("number", (text,)):
                return mpf(text)
            case ("pi", ()):
                return +mp.pi
            case ("name", (name,)):
                return mpf(self.sizes["D"]) if name == "D" else given[name]
            case ("value", (name, indices)):
                return self.value(name, tuple(given[index] for index in indices))
            case ("call", (name, inner)):
                return _FUNCTIONS[name](self(inner, given))
            case ("neg", (inner,)):
                return -self(inner, given)
            case ("∑" | "⨆" | "⨅", (name, body)):
                size = self.sizes[self.file.types[id(term)]]
                each = [self(body, given | {name: place}) for place in range(size)]
                return mp.fsum(each) if term.head == "∑" else (max if term.head == "⨆" else min)(each, default=mpf(0))
            case ("+" | "-" | "*" | "/" | "^", (left, right)):
                a, b = self(left, given), self(right, given)
                return _OPERATORS[term.head](a, b)
        raise NotReadError(f"no number is known for {term.head}")

    def holds(self, term: Term, given: dict[str, Any]) -> bool:
        """Test whether a statement holds, to 40 digits of its largest part."""
        if term.head == "∀":
            (name, of), *others = term.parts[0]
            rest = Term("∀", (tuple(others), term.parts[1])) if others else term.parts[1]
            return all(self.holds(rest, given | {name: place}) for place in range(self.sizes[of]))
        if term.head == "HasDerivAt":
            name, body, slope, at = term.parts
            wanted, there = self(slope, given), self(at, given)
            with mp.workdps(2 * DIGITS):
                found = mp.diff(lambda t: self(body, given | {name: t}), there)
            return abs(found - wanted) <= mpf(10) ** (-DIGITS // 3) * (1 + abs(wanted))
        left, right = (self(part, given) for part in term.parts)
        close = abs(left - right) <= mpf(10) ** -DIGITS * (1 + abs(left) + abs(right))
        return {"=": close, "≠": not close, "<": left < right and not close, "≤": left <= right or close}[term.head]


def points(file: LeanFile, theorem: Declaration, luck: random.Random) -> Iterator[Point]:
    """Yield points that fulfil the hypotheses of a theorem, with D from 0 to 4; some rows are special."""
    for features in range(5):
        found = 0
        for attempt in range(TRIES):
            point = Point(file, features, {})
            positive = attempt % 2 == 1

            def draw(positive: bool = positive) -> Any:
                u = luck.choice([mpf(0), mpf(1), mpf(-1)]) if luck.random() < 0.2 else mpf(luck.uniform(-2, 2))
                return abs(u) + mpf("0.1") if positive else u

            for name, indices in file.fields.items():
                places: list[tuple[int, ...]] = [()]
                for of in indices:
                    places = [(*place, each) for place in places for each in range(point.sizes[of])]
                found_there = {place: draw() for place in places}
                if attempt % 3 == 2 and indices[-1:] == ("D",):
                    # Rows whose sum is zero: a mean that a theorem divides by may be.
                    ends = [place for place in places if place[-1] == features - 1]
                    found_there |= {end: -sum(found_there[*end[:-1], k] for k in range(features - 1)) for end in ends}
                point.fields[name] = found_there
            if all(point.holds(hypothesis, {}) for hypothesis in theorem.hypotheses):
                found += 1
                yield point
            if found == POINTS:
                break


def check(file: LeanFile, seed: int = 1) -> int:
    """Evaluate every theorem at random points, and count the values compared. Raises RefutedError."""
    luck, compared = random.Random(seed), 0
    with mp.workdps(DIGITS + 15):
        for theorem in file.theorems.values():
            seen = compared
            for point in points(file, theorem, luck):
                for given in _each(theorem.indices, point.sizes):
                    compared += 1
                    if not point.holds(theorem.says, given):
                        raise RefutedError(f"{theorem.name} is false for D = {point.sizes['D']}, {given}")
            if compared == seen:
                raise RefutedError(f"{theorem.name}: no point fulfils its hypotheses")
    return compared


def _each(indices: dict[str, str], sizes: dict[str, int]) -> Iterator[dict[str, Any]]:
    found: list[dict[str, Any]] = [{}]
    for name, of in indices.items():
        found = [given | {name: place} for given in found for place in range(sizes[of])]
    yield from found


__all__ = ["LeanFile", "Point", "RefutedError", "check"]
