"""Kernels on the emulator in exact arithmetic: numbers modulo a prime, in the place of double.

    python -m lngen.extensions.simt.field LAYER... --rows 5 --features 1 3 32 33 257

The text of the kernels runs as it is: loops, tiles, tails, shuffles, sums of blocks, and the mathematics, with blocks,
warps and lanes in three orders. Only the lines of the headers that say what double is are changed (`CHANGED`). Sums and
products are exact, in whatever order. A function such as `exp` is any function: its values have nothing to do with the
argument, but are the same for the same.

A result that is equal to that of the program's lines is therefore equal as a polynomial: two different ones of degree d
agree at random numbers of 63 bits with a probability of d/2**63 (Schwartz, 1980; Zippel, 1979). There is no tolerance.

Comparisons go by an order of the numbers that has no meaning, and is the same on both sides. Rounding, casts and random
numbers are not looked at.
"""

from __future__ import annotations

import argparse
import operator
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import sympy
from sympy import Expr

from lngen.algebra.numeric import Arithmetic, Walk
from lngen.algebra.symbols import TypedSymbol
from lngen.check.on_device import OnDevice
from lngen.check.on_device import device as current_device
from lngen.check.validation.layer_text import shape_of
from lngen.check.validation.numpy_text import ProgramValues, wide
from lngen.emit.cpp import handed
from lngen.errors import LngenError
from lngen.extensions.simt import driver
from lngen.extensions.simt.schedule import SCHEDULES
from lngen.language.parsing import load
from lngen.paths import RUNTIME, derive_folder
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import Derived, derived
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.directions import DirectionProtocol, Entry, LayerProtocol

P = 2**63 - 25
"""The prime; the bits of every positive float64 are below it."""

CHANGED = {
    "using f64 = double;": "using f64 = lngen_field::Number;",
    "template <> struct Wide<f64> { using type = double; };": "template <> struct Wide<f64> { using type = f64; };",
}
"""The lines of the headers that say what double is."""

_HEADER = Path(__file__).with_name("include") / "field.h"
_MASK = 2**64 - 1
_FUNCTIONS = ("exp", "log", "sin", "cos", "asin", "acos", "atan", "tanh", "erf", "sqrt", "log1p", "expm1")


class Residue:
    """A number modulo the prime.

    >>> Residue.of(sympy.Rational(1, 3)) * 3 == Residue(1), Residue(0) - 1 == P - 1
    (True, True)
    """

    __slots__ = ("v",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, v: int) -> None:
        self.v = v % P

    @classmethod
    def of(cls, value: Any) -> Residue:
        """Return an exact number, or the first convergent that is rounded to it."""
        if isinstance(value, Residue):
            return value
        if isinstance(value, (int, np.integer)):
            return cls(int(value))
        exact = sympy.Rational(float(value))
        for convergent in sympy.continued_fraction_convergents(sympy.continued_fraction_iterator(abs(exact))):
            if convergent.p / convergent.q == abs(float(value)):
                return cls(int(sympy.sign(exact)) * convergent.p * pow(convergent.q, P - 2, P))
        return cls(0)

    def _with(self, other: Any, made: Callable[[int, int], Any]) -> Any:
        """Apply an operator to two numbers; NumPy applies it to the entries of an array."""
        return NotImplemented if isinstance(other, np.ndarray) and other.ndim else made(self.v, Residue.of(other).v)

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Residue(a + b))

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Residue(a - b))

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Residue(b - a))

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Residue(a * b))

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Residue(a * pow(b, P - 2, P)))

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Residue(b * pow(a, P - 2, P)))

    def __pow__(self, exponent: int) -> Residue:
        return Residue(pow(self.v, exponent, P))

    def __neg__(self) -> Residue:
        return Residue(-self.v)

    def __lt__(self, other: Any) -> Any:
        return self._with(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._with(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._with(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._with(other, operator.ge)

    def __eq__(self, other: object) -> Any:
        return self._with(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._with(other, operator.ne)

    __radd__, __rmul__ = __add__, __mul__


def _any(which: int, v: int) -> int:
    """Return what any function gives for a number, as `field.h` does."""
    z = (v + which * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return (z ^ (z >> 31)) % P


def _function(name: str, u: Residue) -> Residue:
    if name in _FUNCTIONS:
        return Residue(_any(_FUNCTIONS.index(name) + 1, u.v))
    match name:  # as the headers have them; no number is below zero
        case "abs":
            return u
        case "sign":
            return Residue(int(u.v > 0))
        case "sigmoid":
            return Residue(pow(_function("exp", -u).v + 1, P - 2, P))
        case "softplus":
            return Residue(u.v + _function("log1p", _function("exp", -u)).v)
    raise TypeError(f"{name} has no meaning modulo a prime")


class ModularArithmetic(Arithmetic):
    """Arithmetic of residues."""

    def __init__(self) -> None:
        super().__init__(dtype=object)

    def number(self, value: Expr) -> Residue:
        """An exact constant, as the text rounds it."""
        return Residue.of(int(value) if value.is_Integer else value)

    def apply(self, name: str, *arguments: Any) -> Any:
        """An elementwise function of the language."""
        (argument,) = arguments
        return np.frompyfunc(lambda u: _function(name, Residue.of(u)), 1, 1)(argument)

    def multiply(self, e: Expr, walk: Walk) -> Any:
        """The value of a product, whose numbers the text has as one."""
        numbers = [factor for factor in e.args if factor.is_number]
        others = [walk(factor) for factor in e.args if not factor.is_number]
        return reduce(operator.mul, [*others, *([self.number(sympy.Mul(*numbers))] if numbers else [])])

    def raised(self, base: Any, exponent: Any) -> Any:
        """A value to a power that is no number of the formula."""
        return np.frompyfunc(_raised, 2, 1)(base, exponent)

    def power(self, base: Any, exponent: Expr) -> Any:
        """A value to an exact power, as the printer writes it."""
        if exponent.is_negative:
            return 1 / np.asarray(self.power(base, -exponent))
        if exponent.is_Integer:
            return np.asarray(base) ** int(exponent)
        if exponent.q != 2:
            return self.raised(base, self.number(exponent))
        return np.asarray(base) ** (int(exponent.p) // 2) * self.apply("sqrt", base)


def _raised(base: Any, exponent: Any) -> Residue:
    return Residue(_any((13 + _any(14, Residue.of(exponent).v)) & _MASK, Residue.of(base).v))


# ---- arrays of bits: a residue is what the bits of a float64 are


def bits(values: Any) -> Any:
    """Return residues as the memory of a kernel has them."""
    of = np.frompyfunc(lambda u: Residue.of(u).v, 1, 1)(np.asarray(values, object))
    return np.asarray(of).astype(np.uint64).view(np.float64)


@dataclass(frozen=True)
class FieldResult:
    """Outcome for a direction: the entries that were compared, and those that differ, by result.

    Those that differ are counted in all orders of blocks, warps and lanes.
    """

    direction: str
    compared: int
    wrong: dict[str, int]


class InField:
    """A layer whose kernels compute modulo a prime; `folder` gets its files."""

    def __init__(self, layer: Derived, folder: Path) -> None:
        manifest.write(layer.emission, folder)
        headers = folder / RUNTIME / "cuda"
        shutil.copy(_HEADER, headers)
        rows = headers / "rows.cuh"
        text = rows.read_text(encoding="utf-8")
        for before, after in {**CHANGED, "\nnamespace lngen {\n": '\n#include "field.h"\nnamespace lngen {\n'}.items():
            if text.count(before) < 1:
                raise LngenError(f"rows.cuh has no line `{before.strip()}`; change CHANGED in {Path(__file__).name}.")
            text = text.replace(before, after, 1)
        rows.write_text(text, encoding="utf-8")
        name = loading.load(folder / layer.emission.name).__name__
        self.backend: ModuleType = import_module(f"{name}.cuda_backend")
        self.protocol = LayerProtocol(self.backend.INTERFACE)
        self.programs: dict[str, RowProgram] = {each.direction: handed(each) for each in layer.plan.programs()}

    def results(self, rows: int, features: int, seed: int = 0) -> Iterator[FieldResult]:
        """Yield the outcome of each direction, for rows of a shape."""
        draw = np.random.default_rng((seed, rows, features))
        device = OnDevice(self.backend, ["f64"])
        saved: Any = None
        known: dict[str, Any] = {}
        for name, takes in self.protocol.directions.items():
            drawn = {each.symbol: _drawn(each, rows, features, draw) for each in takes.arguments}
            known |= drawn
            given = [_memory(drawn[each.symbol]) for each in takes.arguments if each.kind != "Constant"]
            numbers = {each.name: float(bits(drawn[each.symbol])) for each in takes.constants}
            grouped = name == "backward_backward" and len(takes.cotangents) > 1
            count = len(takes.cotangents) if grouped else 0
            runs = []
            for schedule in SCHEDULES:
                with driver.using(schedule=schedule, seed=1):
                    if takes.is_forward:
                        made, saved = device.forward(*given, **numbers)
                    else:
                        made = getattr(device, name)(saved, *[tuple(given[:count])] * grouped, *given[count:])
                runs.append(made if isinstance(made, tuple) else (made,))
            values = ProgramValues(self.programs[name], rows, features, self._given(takes, known), ModularArithmetic())
            yield self._compared(takes, runs, values)
            if takes.is_forward:
                known |= {each.variable: self._wanted(takes, each, values) for each in takes.makes}

    def _wanted(self, takes: DirectionProtocol, each: Entry, values: ProgramValues) -> Any:
        """Return what the program says of a result or a row scalar, for all rows."""
        program, name = self.programs[takes.name], each.variable
        stores = {of: store.symbol for store in program.results for of in store.names}
        symbol = stores.get(name) or next(symbol for symbol in program.saved if symbol.name == name)
        return values.of(symbol, slice(0, values.rows))

    def _given(self, takes: DirectionProtocol, known: dict[str, Any]) -> dict[TypedSymbol, Any]:
        program = self.programs[takes.name]
        given: dict[TypedSymbol, Any] = {}
        for argument in (*program.rows, *program.parameters):
            given[argument.symbol] = wide(argument.symbol, known[argument.symbol.name])  # type: ignore[attr-defined]
        for symbol in () if takes.is_forward else program.saved:
            given[symbol] = wide(symbol, known[symbol.name])
        return given

    def _compared(self, takes: DirectionProtocol, runs: Any, values: ProgramValues) -> FieldResult:
        wrong: dict[str, int] = {}
        compared = 0
        for each, made in zip(takes.results, zip(*runs, strict=True), strict=True):
            if each.cast is not None:
                continue
            wanted = np.asarray(self._wanted(takes, each, values), object)
            wanted = wanted[:, 0] if wanted.ndim == 2 and made[0].ndim == 1 else np.broadcast_to(wanted, made[0].shape)
            words = bits(wanted).view(np.uint64)
            apart = sum(int(np.count_nonzero(np.ascontiguousarray(value).view(np.uint64) != words)) for value in made)
            compared += words.size
            if apart:
                wrong[each.name] = apart
        return FieldResult(takes.name, compared, wrong)


def _drawn(each: Entry, rows: int, features: int, draw: np.random.Generator) -> Any:
    shape = shape_of(each, rows, features)
    if each.is_integer:
        return np.asarray(draw.integers(0, features, shape))
    if each.kind == "Constant":  # it stays a positive number as a float64, too
        return Residue(int(np.float64(draw.uniform(0.1, 0.9)).view(np.uint64)))
    return np.frompyfunc(lambda v: Residue(int(v)), 1, 1)(draw.integers(0, 0x7FE0000000000000, shape))


def _memory(value: Any) -> Any:
    return value if isinstance(value, np.ndarray) and value.dtype != object else bits(value)


def main(words: Sequence[str]) -> int:
    """Print a line for each layer and shape; the exit status is 1 if a result differs."""
    parser = argparse.ArgumentParser(
        prog="python -m lngen.extensions.simt.field", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("layers", nargs="+")
    parser.add_argument("--rows", type=int, nargs="+", default=[5])
    parser.add_argument("--features", type=int, nargs="+", default=[1, 3, 32, 33, 257])
    options = parser.parse_args(words)
    driver.enable()
    failed = False
    for name in options.layers:
        layer = derived(load(derive_folder() / f"{name}.py"), proved=False)
        with tempfile.TemporaryDirectory() as folder, current_device():
            in_field = InField(layer, Path(folder))
            for features in options.features:
                for rows in options.rows:
                    begun = time.perf_counter()
                    found = [*in_field.results(rows, features)]
                    wrong = "; ".join(f"{each.direction}: {each.wrong}" for each in found if each.wrong)
                    failed = failed or bool(wrong)
                    count = sum(each.compared for each in found)
                    said = wrong or f"{count} entries of {len(found)} directions are equal"
                    print(f"{name}, {rows} x {features}: {said} ({time.perf_counter() - begun:.1f} s)", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
