"""Error bounds for every result of emitted code, derived from its row program and the data.

The program is walked operation by operation in the arithmetic of `forms`. Each `+ - * /` and root adds its unit
roundoff. Each function adds a stated number of them, and the error of its argument times its slope. Each reduction adds
the depth of its additions. The order of a sum or a product is not assumed. A correction stage needs no rule: the error
of a mean has a name, and cancels where the program subtracts the mean's residual.

`Summation` and the table of functions state the assumptions: the depth of nested additions in a reduction, and the
error of each function in units in the last place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import reduce
from math import ceil, log2
from typing import Any, Literal

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy import Expr

from lngen.algebra.normal import in_elementary
from lngen.algebra.numeric import COMPARE
from lngen.algebra.reductions import show_sums
from lngen.algebra.symbols import (
    ENTRY_OF,
    PLACE,
    AttainsFirst,
    D,
    FeatureSymbol,
    Power,
    RowScalarSymbol,
    StopGradient,
    SumRows,
    TypedSymbol,
    Where,
    holds_integers,
    is_integer,
)
from lngen.checks.forms import FORMATS, AffineForm, EachStep, FloatFormat, Real, Rounding, exact
from lngen.checks.layer import Case
from lngen.derivation.derivation import Derivation
from lngen.errors import LngenError
from lngen.language.definition import Draw
from lngen.language.functions import FunctionEntry
from lngen.language.names import cotangent, tangent
from lngen.language.oracle import real_functions
from lngen.language.oracle.random import drawn_from
from lngen.plan.program import FAR, OPERATORS, Centring, RowProgram, Stage


@dataclass(frozen=True)
class Summation:
    """Summation of D terms in a backend: the number of additions that each term passes, by D and compute type.

    `corrects` tells whether the backend measures the residual of a mean in every row, or only where `Centring` asks for
    it.
    """

    name: str
    depths: Callable[[int, str], Real]
    corrects: Literal["every row", "far rows"] = "every row"


def _dot_depths(features: int, computed: str) -> Real:
    """`vecdot` by BLAS: 16 running sums in double precision, 32 in single, then the tail one by one.

    In the tail a product may be rounded before it is added, with 1/D for a mean. Wider machines keep more sums,
    which is shallower, and so are long rows, whose pieces are added up in pairs. NumPy's own pairwise `add.reduce`
    is less deep from 256 terms on, and at most 25 deep below.

    >>> _dot_depths(3, "float64"), _dot_depths(33, "float64")[[0, 31, 32]]
    (array([3., 3., 3.]), array([7., 6., 2.]))
    """
    lanes = 16 if computed == "float64" else 32
    whole, tail = divmod(features, lanes)
    position = np.arange(features) // lanes
    in_lane = whole - position + int(log2(lanes)) + tail
    in_tail = features - np.arange(features) + 1
    return (
        np.asarray(np.where(position < whole, in_lane, in_tail), np.float64)
        if whole
        else np.full(features, float(features))
    )


NUMPY = Summation("numpy", _dot_depths, "far rows")
"""NumPy with a BLAS that uses AVX2 or better."""

CUDA = Summation("cuda", lambda features, computed: np.full(features, ceil(features / 8) + 10.0))
"""Eight threads per row at least, each adding its share, then a tree of at most ten levels.

A row that is read again has 256 threads. So the factors by which one sweep puts sums below a larger entry (below.cuh),
with four roundings for an access or some, are within this depth.
"""

TRITON = Summation("triton", lambda features, computed: np.full(features, min(features, ceil(features / 512) + 26.0)))
"""Tiles of 512 entries or more, each entry added to the same of the tile before; then those of a tile.

A thread adds up its 16 entries one by one, and a tree of at most ten levels the threads of a row. Triton's interpreter
has NumPy's sum of at most 16384 entries, 26 deep.
"""

ANY_ORDER = Summation("any order", lambda features, computed: np.full(features, float(features)))
"""Summation of a backend of which nothing is known: a term passes at most all D additions."""

_PIECE, _SETS = 1024, 4
_LANES = {"float32": 16, "float64": 8}


def _lane_depths(features: int, computed: str) -> Real:
    """Return the depths of four sets of lanes with a tail, of a tree of the lanes, and of pieces in double.

    >>> _lane_depths(2, "float32"), _lane_depths(4096, "float64")[:1]
    (array([11., 11.]), array([44.]))
    """
    lanes = _LANES[computed]
    in_lane = ceil(min(features, _PIECE) / (_SETS * lanes)) + _SETS - 1
    pieces = ceil(features / _PIECE) if computed == "float64" else 1
    return np.full(features, float(in_lane + log2(_SETS * lanes) + pieces))


CPU = Summation("cpu", _lane_depths)
"""Summation of compiled kernels: vectors of 64 bytes, for any registers of the processor."""


class Grade(StrEnum):
    """Freedom of code that lngen has not written, from little to much; each grade has that of the one before.

    The means of rows are not corrected, and sums are in any order. With `ONCE_MORE` rows may have been rounded once
    more than they were: another formula for a gradient may lose what the definition itself loses to that, and no more.
    With `EACH_STEP` every operation rounds to the half format that rows are stored in, and sums are kept in float32;
    the operations are those of the row program, or those of the definition and its adjoint as written.
    With `FLOAT32` rows and parameters of float64 are computed with in float32.

    >>> [grade.value for grade in Grade.of("float16")]
    ['sums in any order', 'rows rounded once more', 'each step rounded']
    """

    ANY_ORDER = "sums in any order"
    ONCE_MORE = "rows rounded once more"
    EACH_STEP = "each step rounded"
    FLOAT32 = "float32 inside"

    @classmethod
    def of(cls, storage: str) -> tuple[Grade, ...]:
        """The grades that there are for a storage format."""
        further = {"float64": (cls.FLOAT32,), "float32": ()}.get(storage, (cls.EACH_STEP,))
        return (cls.ANY_ORDER, cls.ONCE_MORE, *further)


def error_bounds(
    forward: RowProgram,
    backward: RowProgram,
    case: Case,
    storage: str,
    arithmetic: Summation = NUMPY,
    independent: bool = False,
    grade: Grade | None = None,
    written: Derivation | None = None,
    parameters: str = "",
) -> dict[str, NDArray[np.float64]]:
    """Return a bound for every output and every `d<input>`: the largest error of each entry for these inputs.

    `case` holds numbers of the storage format. The compute type is float32 for the half formats, and the storage format
    otherwise. A bound is infinite where an intermediate may overflow. Shapes are those of the results. `independent`
    rounding errors are an assumption about the data: see `forms`. Code that lngen has not written is held to a `grade`;
    except in the first, gradients may also be computed as the definition is `written`, by its unsimplified adjoint.
    `parameters` is the format of what all rows share, where it is another. Raises LngenError for a format or an
    expression that has no bound.
    """
    if storage not in FORMATS:
        raise LngenError(f"no error bound for {storage}: use one of {', '.join(sorted(FORMATS))}.")
    kept = FORMATS[storage]
    computed = FORMATS["float64" if storage == "float64" and grade != Grade.FLOAT32 else "float32"]
    rounding = EachStep(kept, computed) if grade == Grade.EACH_STEP else Rounding(computed, independent)
    walk = _Propagation(case, (kept, FORMATS[parameters or storage]), rounding, arithmetic, grade)
    with np.errstate(all="ignore"):
        walk.program(forward)
        walk.program(backward)
        if written is not None and grade not in (None, Grade.ANY_ORDER):
            walk.as_written(written)
    return walk.results


class _Propagation:
    """One pass through forward and backward. Symbols of the two programs with one name are one value."""

    def __init__(
        self,
        case: Case,
        storage: tuple[FloatFormat, FloatFormat],
        rounding: Rounding,
        arithmetic: Summation,
        grade: Grade | None = None,
    ) -> None:
        self.grade = grade
        self.case = case
        self.rows, self.parameters = storage
        self.rounding = rounding
        self.arithmetic = arithmetic
        self.saved: dict[str, AffineForm] = {}
        self.results: dict[str, NDArray[np.float64]] = {}
        self.outputs: dict[str, AffineForm] = {}
        self.forms: dict[str, AffineForm] = {}
        self.absent: dict[Expr, Expr] = {}

    def program(self, program: RowProgram) -> None:
        self.absent = {}
        self.forms = {
            symbol.name: self.saved[symbol.name] for symbol in program.saved if program.direction != "forward"
        }
        self.forms[D.name] = exact([[self.case.features]])
        for row in program.rows:
            if row.origin == "saved output":
                self.forms[row.symbol.name] = self.outputs[row.name]
            elif row.origin in ("cotangent", "tangent"):
                # Its name is made from that of its output or input: dy, or x_dot.
                of = (
                    row.name.removesuffix(tangent(""))
                    if row.origin == "tangent"
                    else row.name.removeprefix(cotangent(""))
                )
                self._load(row.symbol, self.case.cotangents.get(of), Fraction(0))
            else:
                self._row(row.symbol, self.case.inputs.get(row.name), dict(program.optional).get(row.name))
        for made in program.random:
            draw = Draw(made.seed.name, made.stream)
            self.forms[made.symbol.name] = exact(drawn_from(draw, self.case.inputs, self.case.shape))
        for parameter in program.parameters:
            given = self.case.inputs.get(parameter.name)
            self._load(parameter.symbol, given, parameter.default)
        for assignment in program.prologue:
            self._assign(assignment.symbol, assignment.expression)
        self.centrings = {centring.residual.symbol: centring for centring in program.centrings()}
        for stage in program.stages:
            self._stage(stage)
        for assignment in program.epilogue:
            self._assign(assignment.symbol, assignment.expression)
        for store in program.results:
            form = self.form(store.symbol)
            stored = self._stored(store.symbol, form)
            for name in store.names:
                # What is cast is known before it: the claim about it is that of `casts`.
                self.outputs[name] = form if name in dict(program.casts) else stored
                self.results[name] = self._shaped(store.symbol, self.rounding.radius(self.outputs[name]))
        if program.direction == "forward":
            self.saved = {symbol.name: self.forms[symbol.name] for symbol in program.saved}

    def as_written(self, derivation: Derivation) -> None:
        """Widen results to what the definition and its adjoint give as written, where they give a number."""
        written, adjoint, case = derivation.written, derivation.adjoint, self.case
        self.absent, self.forms = {}, {D.name: exact([[case.features]])}
        for entry, symbol in zip(written.inputs, written.symbols, strict=True):
            given = case.inputs.get(entry.name)
            if entry.draws and given is None:
                self.forms[symbol.name] = exact(drawn_from(entry.draws, case.inputs, case.shape))
            else:
                (self._row if entry.kind.over_rows else self._load)(symbol, given, entry.default)
        for name, symbol in zip(derivation.definition.outputs, adjoint.cotangents, strict=True):
            self._load(symbol, case.cotangents.get(name), Fraction(0))
        for equation in (*written.equations, *adjoint.equations):
            self._assign(equation.symbol, show_sums(in_elementary(equation.expression)))
        for symbol, gradient in adjoint.gradients:
            form, known = self._stored(symbol, self.form(gradient)), self.results[f"d{symbol.name}"]
            wider = np.maximum(known, self._shaped(gradient, self.rounding.radius(form)))
            self.results[f"d{symbol.name}"] = np.where(np.isfinite(wider), wider, known)

    def form(self, expression: Expr) -> AffineForm:
        return self._form(expression.xreplace(self.absent))

    def _stored(self, symbol: TypedSymbol, form: AffineForm) -> AffineForm:
        return self.rounding.stored(form, self.rows if symbol.varies.rows else self.parameters)

    def _row(self, symbol: TypedSymbol, given: Any, neutral: Fraction | None) -> None:
        self._load(symbol, given, neutral)
        if self.grade not in (None, Grade.ANY_ORDER) and symbol.name in self.forms:
            self.forms[symbol.name] = self.rounding.rounded(self.forms[symbol.name], 2)

    def _load(self, symbol: TypedSymbol, given: Any, neutral: Fraction | None) -> None:
        if given is None:
            if neutral is None:
                raise LngenError(f"the input {symbol.name} is missing and has no neutral value.")
            self.absent[symbol] = sympy.Rational(neutral.numerator, neutral.denominator)
            return
        array = np.asarray(given).astype(np.float64)
        if isinstance(symbol, RowScalarSymbol):
            array = array.reshape(-1, 1)
        array = array.reshape((1,) * (2 - array.ndim) + array.shape)
        form = exact(array)
        if isinstance(given, float | int):
            form = self._literal(float(given))
        elif self.grade == Grade.FLOAT32 and np.asarray(given).dtype.kind == "f":
            form = self.rounding.rounded(form)
        self.forms[symbol.name] = form

    def _literal(self, value: float) -> AffineForm:
        fraction, _ = np.frexp(value)
        short = float(fraction) * 2.0**24 == int(float(fraction) * 2.0**24)
        return self.rounding.rounded(exact([[value]]), 0 if short else 1)

    def _stage(self, stage: Stage) -> None:
        for temp in stage.temps:
            self._assign(temp.symbol, temp.expression)
        for reduction in stage.reductions:
            form = self._reduce(reduction.operator, reduction.body.xreplace(self.absent))
            if reduction.symbol in self.centrings and self.grade is not None:
                form = exact(np.zeros_like(form.value))
            elif reduction.symbol in self.centrings and self.arithmetic.corrects == "far rows":
                form = self._where_far(self.centrings[reduction.symbol], form)
            self._name(reduction.symbol, form)
        for assignment in stage.row_scalars:
            self._assign(assignment.symbol, assignment.expression)
        for rows in stage.rows_reductions:
            self.forms[rows.symbol.name] = self.rounding.sum_rows(self.form(rows.body), self.case.rows)

    def _where_far(self, centring: Centring, residual: AffineForm) -> AffineForm:
        """The residual of the rows whose mean is far from zero; of the others it is taken for zero, with no error."""
        shifted = centring.shifted.symbol
        spread = self.rounding.multiply(self._reduce("mean", shifted**2), exact([[float(FAR**2)]]), 0)
        square = self.rounding.multiply(self.forms[centring.mean.name], self.forms[centring.mean.name])
        gap = self.rounding.add([square, self.rounding.multiply(spread, exact([[-1.0]]), 0)])
        # The comparison takes a root, not squares, which rounds four times more.
        gap = self.rounding.rounded(gap, 4, np.abs(square.value) + np.abs(spread.value))
        return self.rounding.choose(gap, residual, exact(np.zeros_like(residual.value)), gap.value > 0)

    def _assign(self, symbol: TypedSymbol, expression: Expr) -> None:
        form = self.form(expression)
        if isinstance(symbol, RowScalarSymbol):
            self._name(symbol, form)
        else:
            self.forms[symbol.name] = form

    def _name(self, symbol: TypedSymbol, form: AffineForm) -> None:
        self.forms[symbol.name] = self.rounding.name(symbol.name, form)

    def _reduce(self, operator: str, body: Expr) -> AffineForm:
        form, width = self._form(body), self.case.features
        if operator in ("max", "min"):
            return self.rounding.extreme(form, width, operator == "max")
        depths = self.arithmetic.depths(width, self.rounding.format.name)
        return self.rounding.mean(form, depths) if operator == "mean" else self.rounding.sum(form, depths)

    def _shaped(self, symbol: TypedSymbol, radius: Real) -> NDArray[np.float64]:
        rows, width = self.case.rows, self.case.features
        axes = symbol.varies
        full = np.broadcast_to(radius, (rows if axes.rows else 1, width if axes.features else 1))
        if axes.rows:
            return np.array(full if axes.features else full[:, 0])
        return np.array(full[0] if isinstance(symbol, FeatureSymbol) else full[0, 0])

    def _integer(self, expression: Expr) -> Real:
        """The value of an expression of integers, which is computed exactly."""
        if expression == PLACE:
            return np.arange(self.case.features, dtype=np.float64)[np.newaxis]
        if isinstance(expression, TypedSymbol):
            return self.forms[expression.name].value
        if not expression.args:
            return np.full((1, 1), float(expression))
        combined = {sympy.Add: np.add, sympy.Mul: np.multiply, sympy.Pow: np.power}[expression.func]
        return reduce(combined, map(self._integer, expression.args))

    def _form(self, expression: Expr) -> AffineForm:
        if holds_integers(expression):
            form = exact(self._integer(expression))
            # It is rounded once, where it has more digits than the type.
            return self.rounding.rounded(form, int(np.any(np.abs(form.value) * self.rounding.format.unit > 1)))
        if not expression.free_symbols and expression.is_number:
            return self._number(expression)
        if isinstance(expression, TypedSymbol):
            return self.forms[expression.name]
        head, arguments = expression.func, expression.args
        if head is sympy.Add:
            return self.rounding.add([self._form(term) for term in arguments])
        if head is sympy.Mul:
            return self._product(arguments)
        if head is sympy.Pow:
            return self._power(self._form(arguments[0]), arguments[1])
        if head is Power:
            return self._raised(*map(self._form, arguments))
        if head is Where:
            condition, chosen, otherwise = arguments
            return self._select(condition, self._form(chosen), self._form(otherwise))
        if head is sympy.Abs:
            form = self._form(arguments[0])
            minus = self.rounding.multiply(form, exact([[-1.0]]), 0)
            return self.rounding.choose(form, form, minus, form.value > 0)
        if head is AttainsFirst:
            return self._attains_first(arguments[0], arguments[1])
        if head is sympy.sign:
            form = self._form(arguments[0])
            unsure = (np.abs(form.value) <= self.rounding.radius(form)) & (self.rounding.radius(form) > 0)
            return AffineForm(np.sign(form.value), np.where(unsure, 2.0, 0.0))
        if head is StopGradient:
            return self._form(arguments[0])
        if head is SumRows:
            return self.rounding.sum_rows(self._form(arguments[0]), self.case.rows)
        if head in OPERATORS:
            return self._reduce(OPERATORS[head], arguments[0])
        if head in ENTRY_OF:
            return self._function(ENTRY_OF[head], self._form(arguments[0]))
        raise LngenError(f"no error bound for {head.__name__}: add it to lngen/checks/bounds.py.")

    def _number(self, expression: Expr) -> AffineForm:
        if expression.is_Rational:
            value = Fraction(int(expression.p), int(expression.q))
            short = value.denominator & (value.denominator - 1) == 0 and abs(value.numerator) < 2**24
            return self.rounding.rounded(exact([[float(value)]]), 0 if short else 1)
        return self.rounding.rounded(exact([[float(expression)]]), 1)

    def _product(self, factors: tuple[Expr, ...]) -> AffineForm:
        forms = [self._form(factor) for factor in factors]
        result, scale = forms[0], _power_of_two(factors[0])
        for factor, form in zip(factors[1:], forms[1:], strict=True):
            free = scale or _power_of_two(factor)
            result = self.rounding.multiply(result, form, 0 if free else 1)
            scale = scale and _power_of_two(factor)
        return self.rounding.partly_below(result, forms)

    def _power(self, base: AffineForm, exponent: Expr) -> AffineForm:
        if not exponent.is_Rational:
            raise LngenError(f"no error bound for the power {exponent}: exponents are rational numbers.")
        power = Fraction(int(exponent.p), int(exponent.q))
        value, radius = base.value, self.rounding.radius(base)
        p = float(power)
        high, low = np.abs(value) + radius, np.abs(value) - radius
        whole = power.denominator == 1
        with np.errstate(all="ignore"):
            if whole and power >= 2:
                curvature = p * (p - 1) * high ** (p - 2)
            else:
                safe = np.where(low > 0, low, np.nan)
                curvature = abs(p * (p - 1)) * np.fmax(safe ** (p - 2), high ** (p - 2))
                curvature = np.where(low > 0, curvature, np.inf)
            result, slope = np.power(value, p), p * np.power(value, p - 1)
        return self.rounding.apply(base, result, slope, curvature, _roundings_of_power(power))

    def _raised(self, base: AffineForm, exponent: AffineForm) -> AffineForm:
        """A power whose exponent has an error too: that of the base as of any function, and then that of the exponent.

        The curvature is monotonic in the base. The slope in the exponent, a**p*log(a), is largest at an end of what the
        base may be or at exp(-1/p), and at an end of what the exponent may be.
        """
        a, p = base.value, exponent.value
        reach, around = self.rounding.radius(base), self.rounding.radius(exponent)
        low, high = np.maximum(a - reach, 0), a + reach
        with np.errstate(all="ignore"):
            curvature = np.abs(p * (p - 1)) * np.maximum(low ** (p - 2), high ** (p - 2))
            slope = np.where(p == 0, 0.0, p * a ** (p - 1))
            found = self.rounding.apply(base, a**p, slope, np.where(a > reach, curvature, np.inf), 8.0)
            least = p - around
            turn = np.clip(np.where(least > 0, np.exp(-1 / least), 0.0), low, high)
            worst = np.zeros(())
            for end in (low, high, turn):
                steep = np.maximum(end**least, end ** (p + around)) * np.abs(np.log(end))
                worst = np.maximum(worst, np.where((end == 0) & (least > 0), 0.0, steep))
            own = found.own + np.where(around > 0, worst * around, 0.0)
        return AffineForm(found.value, own, found.shared)

    def _function(self, entry: FunctionEntry, form: AffineForm) -> AffineForm:
        f, value = real_functions, form.value
        slope = np.asarray(f.slope(entry.name)(value))
        curvature = f.curvature(entry.name)(value, self.rounding.radius(form))
        return self.rounding.apply(form, f.function(entry.name)(value), slope, curvature, entry.roundings)

    def _attains_first(self, body: Expr, extreme: Expr) -> AffineForm:
        """1 at the first feature that attains the extreme; unsure wherever rounding may bring another to
        the front.
        """
        form, reached = self._form(body), self._form(extreme)
        hits = form.value == reached.value
        first = hits & (np.cumsum(hits, -1) == 1)
        reach = self.rounding.radius(form) + self.rounding.radius(reached)
        close = (np.abs(form.value - reached.value) <= reach) & (reach > 0)
        unsure = close & (close.sum(-1, keepdims=True) > 1)
        return AffineForm(first.astype(np.float64), np.where(unsure, 1.0, 0.0))

    def _select(self, condition: Any, chosen: AffineForm, otherwise: AffineForm) -> AffineForm:
        if condition in (sympy.true, sympy.false):
            return chosen if condition == sympy.true else otherwise
        if any(map(holds_integers, condition.args)) and all(map(is_integer, condition.args)):
            left, right = (exact(self._integer(side)) for side in condition.args)
        else:
            left, right = (self._form(side) for side in condition.args)
        gap = self.rounding.add([left, self.rounding.multiply(right, exact([[-1.0]]), 0)])
        holds = COMPARE[condition.func](left.value, right.value)
        # The subtraction is ours, not the program's: a comparison of exact numbers is exact.
        gap = AffineForm(gap.value, self.rounding.radius(left) + self.rounding.radius(right))
        return self.rounding.choose(gap, chosen, otherwise, holds)


def _power_of_two(expression: Expr) -> bool:
    if not expression.is_Rational:
        return False
    p, q = abs(int(expression.p)), int(expression.q)
    return p != 0 and p & (p - 1) == 0 and q & (q - 1) == 0


def _roundings_of_power(power: Fraction) -> float:
    """Roundings of a power made of products, one root and one division; 4 ulp for any other (`np.power`).

    >>> [_roundings_of_power(Fraction(p)) for p in ("1", "2", "-1", "1/2", "-1/2", "3/2", "1/3")]
    [0, 1, 1, 1.0, 2.0, 5.0, 8.0]
    """
    inverse = 1 if power < 0 else 0
    size = abs(power)
    if size.denominator == 1:
        return size.numerator - 1 + inverse
    if size.denominator == 2:
        return 2.0 * size.numerator - 1 + inverse
    return 8.0
