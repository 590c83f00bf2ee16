"""The text of the array printer modulo a prime: each line in plain NumPy computes that of its program.

PyTorch and JAX have the same lines in their own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from math import prod
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lngen.algebra.symbols import PLACE, D, TypedSymbol, holds_integers
from lngen.checks.field import arrays
from lngen.checks.field.absence import Absence, has_folded
from lngen.checks.field.values import ProgramValues
from lngen.emit.array import NUMPY, ArrayText
from lngen.emit.array.arrays import number
from lngen.emit.array.lines import ArrayAxes
from lngen.emit.array.tangents import TangentText
from lngen.emit.numpy import handed
from lngen.language.parsing import load
from lngen.pipeline.stages import planned
from lngen.plan.planner import Plan
from lngen.plan.program import RowProgram
from tests.shipped import LAYERS, ROOT
from tests.tiers import sample

SIZES = (2, 3, 4, 2, 3)
"""Sizes of the axes of rows, in the order of memory."""

MISTAKES = (
    (r"(?<= )\+(?= )", "-"),
    (r"(?<= )-(?= )", "+"),
    (r"(?<![*])[*](?![*])", "+"),
    (r"/", "*"),
    (r"[*][*]2", "**3"),
    (r"np[.]mean", "np.sum"),
    (r"np[.]max", "np.min"),
    (r"np[.]exp\(", "np.expm1("),
    (r"axis=\(?-?\d", "axis=(0"),
    (r"<=", ">="),
    (r"==", "!="),
)
"""Words of a line, and what a printer could have written in the place of each."""


def mean(values: Any, axis: Any, keepdims: bool) -> Any:
    count = np.size(values) // np.size(np.sum(np.asarray(values), axis=axis))
    return arrays.NUMPY.sum(values, axis=axis, keepdims=keepdims) / count


def clip(values: Any, least: Any, most: Any) -> Any:
    return arrays.NUMPY.minimum(arrays.NUMPY.maximum(values, least), most)


NUMPY_IN_FIELD = ModuleType("numpy")
"""NumPy of residues, with the functions that it has no residues of."""
vars(NUMPY_IN_FIELD).update(vars(arrays.NUMPY), mean=mean, clip=clip)


def first(gap: Any, index: Any, axis: Any) -> Any:
    """The first entry of a row at which a gap is the smallest, as emitted files have it."""
    nearest = gap == arrays.NUMPY.min(gap, axis=axis, keepdims=True)
    places = arrays.NUMPY.where(nearest, index, index.size)
    return index == arrays.NUMPY.min(places, axis=axis, keepdims=True)


class LinesInField:
    """The lines of a program, printed and run modulo a prime, and what its equations say of the same arguments.

    `absent` are the inputs that are left out, and `moving` the tangents that are not, of all `tangents`.
    """

    def __init__(
        self, program: RowProgram, layout: Any, tangents: Sequence[str], absent: Sequence[str], moving: Sequence[str]
    ) -> None:
        self.program, self.axes, self.draw = program, ArrayAxes.of(layout), np.random.default_rng(0)
        self.tangents, self.absent, self.moving = tangents, absent, moving
        self.words = f"{program.direction}, without {absent}, {moving} move"
        self.sizes = dict(zip(self.axes.names, SIZES, strict=False))
        optional = [name for name, _ in program.optional]
        made = partial(TangentText, tangents=tangents) if tangents else ArrayText
        self.text: Any = made(program, NUMPY, self.axes, optional)
        made_here = {D, PLACE, *(row.symbol for row in program.random), *(program.saved if not tangents else ())}
        arguments = {s: own for s, own in self.text.has.items() if s not in made_here}
        self.lines = [line for line in self.text.lines() if not line.wanted or {*line.wanted} & {*moving}]
        self.given: dict[TypedSymbol, Any] = {}
        self.values: dict[str, Any] = {}
        neutral = program.neutral()
        for symbol, own in arguments.items():
            if symbol.name in absent:
                self.values[symbol.name] = self._neutral(neutral[symbol.name], own)
                self.given[symbol] = arrays.of_numbers(float(neutral[symbol.name]))
            elif symbol.name in tangents and symbol.name not in moving:
                self.values[symbol.name], self.given[symbol] = None, arrays.of_numbers(0.0)
            else:
                self.values[symbol.name] = self._drawn(symbol, own)
                self.given[symbol] = self.as_rows(symbol, self.values[symbol.name])

    def _shape(self, own: Any) -> tuple[int, ...]:
        if not own or (not self.axes.named and own == {"D"}):
            return tuple(self.sizes[name] for name in own)
        return tuple(self.sizes[name] if name in own else 1 for name in self.axes.names)

    def _neutral(self, value: Any, own: Any) -> Any:
        plain = eval(number(value))
        return arrays.NUMPY.full(self._shape(own), plain, float) if self.text.full and own else plain

    def _drawn(self, symbol: TypedSymbol, own: Any) -> Any:
        if holds_integers(symbol):
            count = prod(self.sizes[name] for name in self.axes.features)
            return self.draw.integers(0, count, self._shape(own)).view(arrays.ResidueArray)
        return arrays.of_numbers(self.draw.integers(1, arrays.P, self._shape(own)))

    def as_rows(self, symbol: TypedSymbol, value: Any) -> Any:
        """Return a value of the text with an axis of all rows, and one of all features, as its symbol has them."""
        names, rows, features = self.axes.names, self.axes.rows, self.axes.features
        value = np.asarray(value).view(arrays.ResidueArray)
        value = value.reshape((1,) * (len(names) - value.ndim) + value.shape)
        varies = {*rows * symbol.varies.rows, *features * symbol.varies.features}
        full = np.broadcast_to(value, [self.sizes[n] if n in varies else 1 for n in names], subok=True)
        ordered = full.transpose([names.index(name) for name in (*rows, *features)])
        count = prod(ordered.shape[: len(rows)])
        return ordered.reshape(count, -1) if symbol.varies.rows else ordered.reshape(-1)

    def run(self) -> dict[str, Any]:
        """Return the values of the text, by name."""
        texts = [line.text for line in self.lines]
        functions = {f"_{name}": partial(arrays.apply, name) for name in ("sigmoid", "softplus", "erf")}
        shape = tuple(self.sizes[name] for name in self.axes.names)
        random = arrays.of_numbers(self.draw.integers(1, arrays.P, prod(shape)))
        known = {"np": NUMPY_IN_FIELD, "dtype": np.dtype(float), "shape": shape, "_first": first, "_product": prod}
        known |= functions | self.values | {"_uniform": lambda *_: random}
        exec("\n".join([*self.text.head(texts), *texts]), known)
        return known

    def wrong(self) -> Iterator[str]:
        """Yield the names whose values are not those of the program; each line has one, and each result."""
        made = self.run()
        for row in self.program.random:
            self.given[row.symbol] = self.as_rows(row.symbol, made[row.symbol.name])
        count = prod(self.sizes[name] for name in self.axes.features)
        wanted = ProgramValues(self.program, count, self.given, arrays.SHORT.arithmetic)
        symbols = {line.symbol for line in self.program.lines() if line.symbol.name in made}
        results = {store.symbol for store in self.program.results}
        assert results - self.given.keys() <= symbols
        for symbol in sorted(symbols, key=str):
            expected = np.asarray(wanted.of(symbol))
            found = np.asarray(self.as_rows(symbol, made[symbol.name]))
            if not np.array_equal(*np.broadcast_arrays(found, expected)):
                yield symbol.name


@cache
def layer(name: str) -> Plan:
    return planned(load(ROOT / "derive" / f"{name}.py"), proved=False)


def calls(name: str) -> Iterator[LinesInField]:
    """Calls of both programs of a layer: nothing left out, each optional input, all of them, each tangent but one."""
    plan = layer(name)
    assert plan.jvp
    assert plan.derivation.jvp
    for found, tangents in ((plan.forward, []), (plan.jvp, [s.name for s in plan.derivation.jvp.arguments])):
        program = handed(found)
        inputs = [each for each, _ in program.optional if each not in tangents]
        made = partial(LinesInField, program, plan.derivation.definition.layout, tangents)
        for absent in ([], *([each] for each in inputs), *([inputs] if len(inputs) > 1 else [])):
            if not has_folded(program, Absence(frozenset(absent))):
                yield made(absent, tangents)
        for one in tangents if len(tangents) > 1 else ():
            yield made([], [one])


def wrong(lines: LinesInField) -> list[str]:
    """The names whose values are not those of the program, and none by chance."""
    arrays.ResidueArray.divided_by_zero = False
    with np.errstate(all="ignore"):
        found = [*lines.wrong()]
    assert not arrays.ResidueArray.divided_by_zero
    return found


@pytest.mark.parametrize("name", sample(LAYERS, ["layer_norm", "group_norm"], ci=lambda name: True))
def test_every_printed_line_computes_that_of_its_program(name):
    for lines in calls(name):
        assert wrong(lines) == [], lines.words


def planted(lines: LinesInField) -> Iterator[tuple[int, str]]:
    """Every line with a mistake, by its place."""
    for place, line in enumerate(lines.lines):
        code, _, source = line.text.partition("  # ")
        # The mean of a centred row is 0 but for rounding, whatever is done with it.
        is_zero = "mu_residual" in code and lines.program.direction == "forward"
        for word, other in MISTAKES if not is_zero else ():
            for found in re.finditer(word, code):
                yield place, f"{code[: found.start()]}{other}{code[found.end() :]}  # {source}"


@pytest.mark.parametrize("name", sample(LAYERS, ["group_norm"], ["layer_norm", "info_nce", "causal_softmax", "rotary"]))
def test_a_mistake_in_a_printed_line_is_seen(name):
    count, unseen = 0, []
    for lines in (each for each in calls(name) if not each.absent and each.moving == each.tangents):
        right = lines.lines
        for place, text in planted(lines):
            lines.lines = [*right[:place], replace(right[place], text=text), *right[place + 1 :]]
            count += 1
            with suppress(Exception):  # of the text
                if not [*lines.wrong()]:
                    unseen.append(text)
    assert unseen == []
    assert count >= 10
