"""Re-check a certificate of `lngen derive NAME --certificate FILE`, trusting nothing of lngen.

    python tools/verify.py FILE...

This file imports nothing of lngen. It reads the definition, the steps and what the results are called, and computes
with mpmath at random points, two rows of 1, 2, 3 and 4 features (from the least number that the definition allows):

* *syntax*: an expression has numbers, names, `+ - * / **`, comparisons and the functions below, and nothing else; every
  name in it is a value of the definition, an argument of a direction, or the target of a step before;
* *each step*: both sides agree to 50 digits, what the chain rule collects is the sum of its parts, and a quantity has
  the value that the definition or its first step gave it;
* *results*: outputs, gradients, tangents and second-order gradients are those of the definition, differentiated here,
  apart from lngen: by central differences in 240-digit arithmetic, of which a hundred digits are right.

It prints what does not hold first; the exit status is 0 if all of it holds. `docs/certificate.md` has the format.
"""

from __future__ import annotations

import ast
import json
import operator
import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from mpmath import mp, mpf

FORMAT = "lngen certificate 1"
ROWS, SIZES, POINTS, TRIES = 2, 4, 2, 12
DIGITS, AGREE, DIFFERENCING, STEP = 90, 50, 240, 60
ROUNDED = mpf("1e-20")
RANGES = ((-1, 1), (0, 1), (1, 2), (-3, 3))

Table = list[list[Any]]  # rows of features; what is shared stands in it once for each of them
Values = dict[str, Table]


class Refused(Exception):
    """What does not hold; the message says where."""


def each(function: Callable[..., Any], *tables: Table) -> Table:
    """A function of numbers, entry by entry; what has no real value is NaN."""

    def real(*numbers: Any) -> Any:
        try:
            value = function(*numbers)
        except (ZeroDivisionError, ValueError, OverflowError):
            return mp.nan
        return mp.nan if isinstance(value, mp.mpc) else value

    return [[real(*entries) for entries in zip(*rows, strict=True)] for rows in zip(*tables, strict=True)]


SAME = ("sqrt", "exp", "log", "log1p", "expm1", "sin", "cos", "tanh", "erf", "sign")
OF_NUMBERS: dict[str, Callable[..., Any]] = {name: getattr(mp, name) for name in SAME} | {
    "rsqrt": lambda u: 1 / mp.sqrt(u),
    "sigmoid": lambda u: 1 / (1 + mp.exp(-u)),
    "softplus": lambda u: mp.log1p(mp.exp(-abs(u))) + (u + abs(u)) / 2,
    "relu": lambda u: (u + abs(u)) / 2,
    "silu": lambda u: u / (1 + mp.exp(-u)),
    "gelu": lambda u: u * mp.ncdf(u),
    "Phi": mp.ncdf,
    "phi": mp.npdf,
    "abs": abs,
    "maximum": lambda a, b: a if a > b else b,
    "minimum": lambda a, b: a if a < b else b,
    "where": lambda condition, a, b: a if condition else b,
}
FUNCTIONS: dict[str, Callable[..., Table]] = {name: partial(each, f) for name, f in OF_NUMBERS.items()} | {
    "mean": lambda table: [[sum(row) / len(row)] * len(row) for row in table],
    "sum": lambda table: [[sum(row)] * len(row) for row in table],
    "max": lambda table: [[max(row)] * len(row) for row in table],
    "min": lambda table: [[min(row)] * len(row) for row in table],
    "sum_rows": lambda table: [[sum(column) for column in zip(*table, strict=True)]] * ROWS,
    # The extreme may have been rounded on another way.
    "attains_first": lambda table, extreme: [
        [mpf(j == min(range(len(row)), key=lambda k: (abs(row[k] - m[k]), k))) for j in range(len(row))]
        for row, m in zip(table, extreme, strict=True)
    ],
}
WORDS = "Add add,Sub sub,Mult mul,Div truediv,Pow pow,USub neg,UAdd pos,Eq eq,NotEq ne,Lt lt,LtE le,Gt gt,GtE ge"
OPERATORS = {kind: partial(each, getattr(operator, word)) for kind, word in map(str.split, WORDS.split(","))}


class Expression:
    """One expression, parsed. What stands in a `stop_gradient` is remembered, since it must not move."""

    def __init__(self, text: object, where: str) -> None:
        self.where, self.stopped = where, dict[int, Table]()
        try:
            self.tree = ast.parse(str(text).strip(), mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise Refused(f"{where}: {str(text)[:80]} is not an expression") from None

    def at(self, values: Values, *, hold: bool = False) -> Table:
        """Its table; with `hold`, what stands in `stop_gradient` is what it was before."""
        return self._at(self.tree, values, hold)

    def _at(self, e: ast.expr, values: Values, hold: bool) -> Table:
        match e:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return each(lambda _: mpf(ast.unparse(e)), values["D"])
            case ast.Name(id=name) if name in values:
                return values[name]
            case ast.Name(id=name):
                raise Refused(f"{self.where}: nothing is called {name} here")
            case ast.UnaryOp(op=op, operand=one):
                function, parts = OPERATORS.get(type(op).__name__), [one]
            case ast.BinOp(left=left, op=op, right=right) | ast.Compare(left=left, ops=[op], comparators=[right]):
                function, parts = OPERATORS.get(type(op).__name__), [left, right]
            case ast.Call(func=ast.Name(id=word), args=parts, keywords=[]):
                function = partial(self._held, id(e), hold) if word == "stop_gradient" else FUNCTIONS.get(word)
            case _:
                function, parts = None, []
        try:
            assert function is not None
            return function(*(self._at(part, values, hold) for part in parts))
        except (AssertionError, TypeError, ValueError):
            raise Refused(f"{self.where}: not in the grammar: {ast.unparse(e)[:80]}") from None

    def _held(self, place: int, hold: bool, inner: Table) -> Table:
        self.stopped[place] = self.stopped[place] if hold else inner
        return self.stopped[place]


class Definition:
    """The function in the source, read here, under its own names."""

    def __init__(self, source: str) -> None:
        try:
            [function] = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise Refused("the definition is not one function of Python") from None
        self.kinds = {a.arg: a.annotation.id for a in function.args.args if isinstance(a.annotation, ast.Name)}
        self.lines: list[tuple[str, Expression]] = []
        self.outputs: list[str] = []
        for node in function.body:
            match node:
                case ast.Expr(value=ast.Constant(value=str())):
                    pass
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.lines.append((name, Expression(ast.unparse(value), name)))
                case ast.Return(value=ast.Tuple(elts=parts)):
                    self.outputs = [ast.unparse(part) for part in parts]
                case ast.Return(value=ast.expr() as value):
                    self.outputs = [value.id if isinstance(value, ast.Name) else "y"]
                    self.lines += [] if isinstance(value, ast.Name) else [("y", Expression(ast.unparse(value), "y"))]
                case _:
                    raise Refused("the definition has a statement that is neither an assignment nor a return")

    def at(self, values: Values, *, hold: bool = False) -> Values:
        """Every value of it."""
        known = dict(values)
        for name, expression in self.lines:
            known[name] = expression.at(known, hold=hold)
        return known


def like(kind: str, features: int, draw: Callable[[], Any]) -> Table:
    """A table of a kind."""
    wide, tall = kind in ("Row", "Data", "Feature"), kind in ("Row", "Data", "RowScalar")
    rows = [[draw() for _ in range(features if wide else 1)] for _ in range(ROWS if tall else 1)]
    return [(row * features)[:features] for row in (rows * ROWS)[:ROWS]]


def drawn(generator: random.Random, low: float, high: float) -> Any:
    """A number that binary arithmetic has exactly, and that is not 0."""
    return mpf(low) + (mpf(high) - low) * generator.randrange(1, 2**40, 2) / 2**40


def agree(a: Table, b: Table) -> bool:
    """Whether two tables are finite and the same, to 50 digits of the largest entry; what should cancel is rounded."""
    pairs = [pair for row in zip(a, b, strict=True) for pair in zip(*row, strict=True)]
    largest = max(ROUNDED, *(abs(u) for pair in pairs for u in pair))
    return all(mp.isfinite(u) and mp.isfinite(v) and abs(u - v) <= largest * mpf(10) ** -AGREE for u, v in pairs)


class Point:
    """Random inputs at which a definition is finite, and what it and its derivatives are there."""

    def __init__(self, definition: Definition, features: int, generator: random.Random) -> None:
        self.definition, self.features = definition, features
        for attempt in range(TRIES):
            ends = {True: (0, 1), False: RANGES[attempt % len(RANGES)]}
            self.inputs = {
                name: like(kind, features, partial(drawn, generator, *ends[kind == "Constant"]))
                for name, kind in definition.kinds.items()
            } | {name: like("Scalar", features, lambda n=n: +n) for name, n in (("D", mpf(features)), ("pi", mp.pi))}
            self.values = definition.at(self.inputs)
            if all(agree(self.values[name], self.values[name]) for name in definition.outputs):
                return
        raise Refused(f"the definition is finite at no point that was tried, with {features} features")

    def slope(self, *directions: Values, inputs: Values | None = None) -> Values:
        """The derivative of each output along a direction, and along another of that, by central differences."""
        inputs = inputs or self.inputs
        if not directions:
            return self.definition.at(inputs, hold=True)
        direction, *others = directions
        h, sides = mpf(10) ** -STEP, []
        for step in (h, -h):
            moved = {
                name: each(lambda u, v, step=step: u + step * v, inputs[name], direction[name]) for name in direction
            }
            sides.append(self.slope(*others, inputs=inputs | moved))
        return {o: each(lambda a, b: (a - b) / (2 * h), *(side[o] for side in sides)) for o in self.definition.outputs}

    def gradient(self, name: str, cotangents: Values, wide: set[str], *directions: Values) -> Table:
        """The gradient of the sum of outputs times cotangents, or of its derivative along a direction."""
        numbers = iter(range(ROWS * self.features))
        places = like(self.definition.kinds[name], self.features, lambda: next(numbers))
        found: dict[int, Any] = {}
        for number in {place for row in places for place in row}:
            moved = self.slope(*directions, {name: each(lambda place, n=number: mpf(place == n), places)})
            products = {o: each(operator.mul, moved[o], cotangents[o]) for o in cotangents}
            # The value of a row stands in every feature, and counts once.
            found[number] = sum(sum(row if o in wide else row[:1]) for o in products for row in products[o])
        return each(found.__getitem__, places)


class Certificate:
    """What a file says, parsed."""

    def __init__(self, document: dict[str, Any]) -> None:
        if document["format"] != FORMAT:
            raise Refused(f"this is no {FORMAT}")
        self.definition = Definition(document["definition"])
        self.names, self.smallest = dict(document["names"]), int(document["smallest"])
        self.arguments, self.results = document["arguments"], document["results"]
        self.steps = []
        for step in document["steps"]:
            where = f"step {step['number']}, {step['rule']}, {step['target']}"
            sides = [[side] for side in (step["before"], step["after"]) if side is not None]
            sides += [[part["sends"] for part in step["parts"]]] if step["parts"] else []
            self.steps.append((where, step["target"], [[Expression(text, where) for text in side] for side in sides]))

    def check(self) -> None:
        """Check all of it; raises Refused for what does not hold first."""
        for features in range(self.smallest, self.smallest + SIZES):
            for seed in range(POINTS):
                self._check_at(features, random.Random(f"{features} {seed}"))

    def _check_at(self, features: int, generator: random.Random) -> None:
        mp.dps = DIGITS
        point = Point(self.definition, features, generator)
        kinds = {**self.definition.kinds, **{entry["of"]: entry["kind"] for entry in self.arguments["cotangents"]}}
        given = {
            role: {e["of"]: like(kinds[e["of"]], features, partial(drawn, generator, -1, 1)) for e in entries}
            for role, entries in self.arguments.items()
        }
        values = {self.names.get(name, name): table for name, table in point.values.items()}
        values |= {e["name"]: given[role][e["of"]] for role, entries in self.arguments.items() for e in entries}
        for where, target, sides in self.steps:
            found = [each(lambda *terms: sum(terms), *(form.at(values) for form in side)) for side in sides]
            found += [values[target]] if target in values else []
            if features == 1 and not any(agree(table, table) for table in found):
                return  # a row of one entry has no deviation, and what is divided by it is 0/0
            if not all(agree(found[0], other) for other in found):
                raise Refused(f"{where}: it does not hold with {features} features")
            values[target] = found[0]
        mp.dps = DIFFERENCING
        cotangents, wide = given["cotangents"], {name for name in given["cotangents"] if kinds[name] != "RowScalar"}
        inputs = {name for name, kind in self.definition.kinds.items() if kind not in ("Constant", "Data")}
        outputs = set(self.definition.outputs)
        if [set(given[role]) for role in ("cotangents", "tangents", "second")] != [outputs, inputs, inputs]:
            raise Refused("an argument is missing, or is of nothing")
        tangents, along = point.slope(given["tangents"]), point.slope(given["second"])
        for direction, names, expected in (
            ("forward", outputs, point.values.__getitem__),
            ("backward", inputs, lambda name: point.gradient(name, cotangents, wide)),
            ("jvp", outputs, tangents.__getitem__),
            ("backward_backward", inputs, lambda name: point.gradient(name, cotangents, wide, given["second"])),
            ("backward_backward of cotangents", outputs, along.__getitem__),
        ):
            for name in sorted(names):
                result = values.get(self.results[direction].get(name, ""))
                if result is None or not agree(result, expected(name)):
                    raise Refused(f"{direction}, {name}: not the definition's, with {features} features")


def main(files: list[str]) -> int:
    """Check each file; the exit status."""
    for file in files:
        try:
            (certificate := Certificate(json.loads(Path(file).read_text(encoding="utf-8")))).check()
        except (Refused, OSError, AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            print(f"{file}: REFUSED: {error if isinstance(error, (Refused, OSError)) else f'its form: {error!r}'}")
            return 1
        print(f"{file}: {len(certificate.steps)} steps and every result hold")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
