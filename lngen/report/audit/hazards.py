"""Where digits can be lost, and what the emitted form does about it.

Every subtraction, division, root, exponential and logarithm of the two row programs is looked at, by the
structure and the sign of what it works on. Nothing here knows a layer: a rule asks what a value is (a mean of
the same row, a sum that holds exp(0), a positive constant under a root), never what it is called.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.derivation.derivation import Step
from lngen.derivation.simplify.trail import UNSIMPLIFIED
from lngen.expressions.growth import EXPONENTIAL
from lngen.expressions.notation import text
from lngen.expressions.symbols import (
    D,
    FeatureSum,
    Log1p,
    Mean,
    RowMax,
    RowMin,
    Sigmoid,
    TypedSymbol,
    Where,
    axes,
)
from lngen.plan.planner import Plan
from lngen.plan.program import RowProgram
from lngen.plan.widen import out_of_range
from lngen.report.audit.exponentials import Exponentials
from lngen.report.audit.findings import OVERFLOW, Audit, Hazard, Place, Rewrite, Status
from lngen.report.audit.savings import savings

LARGEST = ((2 - 2**-23) * 2.0**127, sys.float_info.max)
"""The largest number of float32 and of float64."""

_WIDER = "float32 and of 16 bits are computed in float64"

STABILITY_RULES = (
    "centred statistic",
    "mean of a square",
    "tail of a function",
    "half an angle",
    "softplus reflected",
    "conjugate",
    "rest of a share",
    "one apart",
    "largest exponent taken out",
    "logarithm of an exponential",
    "power of an exponential",
    "difference of squares",
    "complement",
    "known scaled row",
    "cancelled in a mean",
    "guarded pole",
)
"""The rules of a derivation that change no value and lose fewer digits."""


def hazards(plan: Plan) -> tuple[Hazard, ...]:
    """The hazards of both directions, in the order of computation, each once."""
    found: dict[tuple[str, str], Hazard] = {}
    for program in (plan.forward, plan.backward):
        for hazard in _Auditor(plan, program).hazards():
            # What backward recomputes was said of forward.
            found.setdefault((hazard.kind, hazard.where.text), hazard)
    for program in plan.programs() if plan.forward.is_wide else ():
        for symbol in out_of_range(plan, program)[:1]:
            line = next(line for line in _lines(program) if line.symbol == symbol)
            found["range", program.direction] = _Auditor(plan, program).range_of(line)
    for step in plan.derivation.steps:
        if step.rule == UNSIMPLIFIED:
            found["unsimplified", step.target.name] = _unsimplified(step)
    return tuple(found.values())


def audit(plan: Plan) -> Audit:
    """The hazards, and the rewrites that keep others away."""
    measured = savings(plan.derivation)
    rewrites = tuple(
        Rewrite(step, measured.get(step.number)) for step in plan.derivation.steps if step.rule in STABILITY_RULES
    )
    return Audit(hazards(plan), rewrites)


def _unsimplified(step: Step) -> Hazard:
    """The note on a gradient for which no shorter form was looked for."""
    place = Place("backward", step.number, step.target.name, step.target.name)
    danger = "long formulas may lose digits that a shorter form would keep"
    return Hazard("unsimplified gradient", place, f"{step.reason}; {danger}", "none: right, only longer", "open")


@dataclass(frozen=True)
class _Line:
    symbol: TypedSymbol
    expression: Expr
    step: int


class _Auditor:
    def __init__(self, plan: Plan, program: RowProgram) -> None:
        self.direction = program.direction
        self.growth = program.growth[0]
        self.is_wide = program.is_wide
        self.minimum_features = program.minimum_features
        self.lines = list(_lines(program))
        self.order = [argument.name for argument in plan.forward.rows]
        both = (plan.forward, plan.backward)
        self.constants = {p.symbol: p for q in both for p in q.parameters if p.kind == "Constant"}
        self.value = {line.symbol: line.expression for q in both for line in _lines(q)}
        reductions = [(r, stage.correction) for q in both for stage in q.stages for r in stage.reductions]
        self.means = {r.symbol: r.body for r, correction in reductions if r.operator == "mean" and not correction}
        self.largest = {r.symbol: r.body for r, _ in reductions if r.operator == "max"}
        operators = {"max": RowMax, "min": RowMin, "sum": FeatureSum, "mean": Mean}
        values = self.value | {r.symbol: operators[r.operator](r.body) for r, _ in reductions}
        self.exponentials = Exponentials(values, self.constants)
        self.residual_of = {r.body: r.symbol for r, correction in reductions if correction}
        self.squares = {step.target.name for step in plan.derivation.steps if step.rule == "difference of squares"}

    def hazards(self) -> Iterator[Hazard]:
        """The hazards of this direction."""
        for line in self.lines:
            yield from self._of(line.expression, line)

    def range_of(self, line: _Line) -> Hazard:
        """The hazard of a value for which the layer is computed in a wider type."""
        danger = "a product in it may leave the range of float32 where the result does not"
        remedy = f"rows of {_WIDER}"
        return self._hazard("range", line.expression, line, danger, remedy, "removed")

    def _of(self, e: Expr, line: _Line) -> Iterator[Hazard]:
        if isinstance(e, Where) and _guards(e):
            yield self._hazard("guarded pole", e, line, *self._guarded(e))
            return
        for argument in e.args:
            yield from self._of(argument, line)
        if isinstance(e, Add):
            yield from self._sum(e, line)
        elif isinstance(e, Pow) and e.exp.is_Rational:
            yield from self._power(e, line)
        elif isinstance(e, sympy.exp):
            yield from self._exponential(e, line)
        elif isinstance(e, (sympy.log, Log1p)):
            yield from self._logarithm(e, line)

    def _hazard(self, kind: str, e: Expr, line: _Line, danger: str, remedy: str, status: Status) -> Hazard:
        place = Place(self.direction, line.step, line.symbol.name, text(e, self.order))
        return Hazard(kind, place, danger, remedy, status)

    # ---- sums

    def _sum(self, e: Expr, line: _Line) -> Iterator[Hazard]:
        if e.free_symbols <= {D} or all(term.is_nonnegative for term in e.args):
            return
        shift = next((s for s in e.free_symbols if self.means.get(s) == e + s), None)
        if shift is not None:
            yield self._hazard("row centred on its mean", e, line, *self._centred(line, shift))
            return
        top = next((s for s in e.free_symbols if self.largest.get(s) == e + s), None)
        if top is None and e in self.exponentials.never_positive:
            danger = "rounds once; the difference is never above 0, for what is taken off is the largest of both"
            yield self._hazard("shift by the largest entry", e, line, danger, "exact at the largest", "bounded")
            return
        if top is not None:
            danger = f"rounds once; the difference is never above 0, for {top} is an entry of the row"
            yield self._hazard("shift by the largest entry", e, line, danger, "exact at the largest entry", "bounded")
            return
        if set(e.free_symbols) & set(self.residual_of.values()) and len(e.args) == 2:
            residual = next(s for s in self.residual_of.values() if s in e.free_symbols)
            danger = f"{residual} is what rounding left in the mean, small beside the row"
            yield self._hazard("residual taken off", e, line, danger, "rounds once, in the row's own scale", "bounded")
            return
        yield from self._difference(e, line)

    def _centred(self, line: _Line, mean: TypedSymbol) -> tuple[str, str, Status]:
        body = text(self.means[mean], self.order)
        residual = self.residual_of.get(line.symbol)
        if residual is None and self.direction == "backward":
            danger = f"where {body} hardly varies, terms that nearly cancel leave few digits of the result"
            return (
                danger,
                f"off by a few roundings of the largest |{body}| of the row, not of each entry",
                "bounded",
            )
        danger = (
            f"the rounding of {mean} stands in every entry, and counts where |{mean}| is much larger than the"
            " row's spread"
        )
        if residual is None:
            return danger, "none: keep the row's offset near its spread", "open"
        remedy = (
            f"mean({line.symbol}) is zero in exact arithmetic; what it is, {residual}, is measured and taken"
            f" off, and {mean} is kept as value and correction"
        )
        return danger, remedy, "removed"

    def _difference(self, e: Expr, line: _Line) -> Iterator[Hazard]:
        unit = self._one_minus(e)
        if unit is not None:
            if line.symbol.name in self.squares:
                danger = f"1 - {text(unit)}**2 would have lost the digits of {text(unit)} near 1"
                yield self._hazard("one minus a function", e, line, danger, "a factor of (1 - t)*(1 + t)", "removed")
                return
            danger = f"where {text(unit)} is close to 1 few digits of the difference are left"
            yield self._hazard("one minus a function", e, line, danger, "off by one rounding of 1 at most", "bounded")
            return
        subtracts = any(_is_negative(term) for term in e.args)
        if axes(e).features or self.direction == "backward":
            if subtracts:
                danger = "terms that nearly cancel leave few digits of the result"
                remedy = "off by a few roundings of the largest term: small beside that, not beside the result"
                yield self._hazard("difference", e, line, danger, remedy, "bounded")
        elif any(self.exponentials.is_largest(term) and self._small_logarithm(e - term) for term in e.args):
            danger = "the largest entry and a logarithm between 0 and log(D) may be of unlike sign"
            remedy = "off by a few roundings of the largest entry or of log(D), as the row itself may be"
            yield self._hazard("difference", e, line, danger, remedy, "bounded")
        elif axes(e).rows and (subtracts or not any(term.is_nonnegative for term in e.args)):
            danger = "numbers of unlike sign that may agree in all their digits are added"
            remedy = "none: no rule rewrites it"
            yield self._hazard("statistic by subtraction", e, line, danger, remedy, "open")
        elif subtracts:
            danger = "what the caller passes may cancel"
            yield self._hazard("difference", e, line, danger, "rounds once", "bounded")

    def _one_minus(self, e: Expr) -> Expr | None:
        """The u of 1 - u or 1 + u where u is a function with values between -1 and 1."""
        if len(e.args) != 2 or sympy.S.One not in e.args:
            return None
        (other,) = (term for term in e.args if term != 1)
        function = -other if _is_negative(other) else other
        value = self.value.get(function, function)
        base = value.base if isinstance(value, Pow) else value
        return function if isinstance(self.value.get(base, base), (sympy.tanh, Sigmoid, sympy.sin, sympy.cos)) else None

    # ---- powers

    def _power(self, e: Expr, line: _Line) -> Iterator[Hazard]:
        if self.direction == "forward" and e.exp > 1 and 0 < self.growth.degree(e.base) < EXPONENTIAL:
            yield self._hazard("power", e, line, *self._range(e))
        root, divides = e.exp.q == 2, e.exp.is_negative
        if not root and not divides:
            return
        kind = "reciprocal root" if root and divides else "root" if root else "division"
        shown = self._lower_bound(e.base)
        if shown is not None:
            yield self._hazard(kind, e, line, *shown)
            return
        base = text(e.base, self.order)
        if not divides:
            yield self._hazard(kind, e, line, *self._bare_root(e, line))
        elif e.base.is_positive:
            danger = f"{base} is positive, but may round to zero"
            yield self._hazard(kind, e, line, danger, "none: the quotient is then infinite", "open")
        else:
            danger = f"{base} may be zero, and the result is then infinite or not a number"
            yield self._hazard(kind, e, line, danger, "none: the definition divides by it", "open")

    def _range(self, e: Expr) -> tuple[str, str, Status]:
        """What a power of a value that grows with its row is a number up to."""
        ends = [float(largest) ** (1 / float(e.exp)) for largest in LARGEST]
        danger = f"it overflows where |{text(e.base, self.order)}| is above {self._in_types('.1e', *ends)}"
        return danger, "none: rows as large as that, less where many are summed, have to be scaled before", "open"

    def _in_types(self, form: str, single: float, double: float) -> str:
        """A limit of float32 and that of float64, in words."""
        if self.is_wide:
            return f"{double:{form}}: rows of {_WIDER}"
        return f"{single:{form}} in float32 and {double:{form}} in float64"

    def _lower_bound(self, base: Expr) -> tuple[str, str, Status] | None:
        """What keeps a divisor or the argument of a root from zero."""
        shown = text(base, self.order)
        if base.free_symbols <= {D}:
            return (
                f"{shown} is a whole number",
                f"D >= {self.minimum_features} is required: it is never zero",
                "bounded",
            )
        positive = [term for term in Add.make_args(base) if term in self.constants or (term.is_number and term > 0)]
        rest = [term for term in Add.make_args(base) if term not in positive]
        if positive and all(self._nonnegative(term) for term in rest):
            floor = text(Add(*positive))
            assumed = "" if all(term.is_number for term in positive) else f", {floor} > 0 assumed"
            return f"{shown} may be close to zero", f"it is never below {floor}{assumed}", "bounded"
        factors = self.exponentials.least(base)
        if factors:
            floor = " or ".join(text(factor) for factor in factors)
            assumed = "".join(f", {text(f)} > 0 assumed" for f in factors if not f.free_symbols <= {D})
            return (
                f"{shown} adds up exponentials",
                f"it is never below {floor}, since the largest is exp(0) = 1{assumed}",
                "bounded",
            )
        return None

    def _nonnegative(self, term: Expr) -> bool:
        if term.is_nonnegative:
            return True
        factors = [f for f in Mul.make_args(term) if not f.free_symbols <= {D}]
        return bool(factors) and all(f.is_nonnegative for f in factors) and not _is_negative(term)

    def _small_logarithm(self, e: Expr) -> bool:
        """Whether a row scalar is the logarithm of a sum of exponentials, the largest of which is 1."""
        value = self.value.get(e, e)
        if isinstance(value, Log1p):
            return True
        return isinstance(value, sympy.log) and self.exponentials.least(value.args[0]) == (sympy.S.One,)

    def _bare_root(self, e: Expr, line: _Line) -> tuple[str, str, Status]:
        base = text(e.base, self.order)
        if not e.base.is_nonnegative and not self._nonnegative(e.base):
            return (
                f"{base} may be negative, and its root is not a number",
                "none: the definition takes it",
                "open",
            )
        guard = next(
            (s for s, v in self.value.items() if isinstance(v, Where) and _guards(v) and line.symbol in v.free_symbols),
            None,
        )
        danger = f"where {base} is zero the root has an infinite slope"
        if guard is None:
            return danger, "none: the gradient of a row with a zero there is not finite", "open"
        return danger, f"the gradient divides by it through {guard}, which is 0 there", "removed"

    def _guarded(self, e: Expr) -> tuple[str, str, Status]:
        condition = text(e.args[0], self.order)
        danger = f"1/0 where not {condition}"
        return danger, "0 there: what it multiplies vanishes faster, so 0 is the limit", "removed"

    # ---- exponentials and logarithms

    def _exponential(self, e: Expr, line: _Line) -> Iterator[Hazard]:
        exponent = self.exponentials.exponent(e)
        if self.exponentials.is_bounded(e):
            danger = f"exp overflows above {self._in_types('.1f', 88.7, 709.7)}"
            yield self._hazard(OVERFLOW, e, line, danger, "its argument is never above 0", "removed")
        elif not (exponent.is_nonpositive or _is_minus_square(exponent)):
            times, argument = exponent.as_coeff_Mul()
            if not times.is_Rational:
                times, argument = sympy.S.One, exponent
            single, double = (f"{limit / float(times):.4g}" for limit in (88.7, 709.7))
            where = f"{text(argument, self.order)} is {'above' if times > 0 else 'below'}"
            types = f"{single} in float32, as in 16 bits, and {double} in float64"
            types = f"{double} (float32 and 16 bits are computed in float64)" if self.is_wide else types
            danger = f"exp overflows where {where} {types}, and the result with it, or to no number"
            yield self._hazard(OVERFLOW, e, line, danger, "none: the input decides", "open")

    def _logarithm(self, e: Expr, line: _Line) -> Iterator[Hazard]:
        argument = e.args[0]
        bound = self._lower_bound(argument / D if argument.has(D) else argument) or self._lower_bound(argument)
        if isinstance(e, Log1p):
            danger, remedy = "1 + u would round u away", "log1p takes u itself"
            yield self._hazard("logarithm", e, line, danger, remedy, "removed")
        elif bound is not None:
            yield self._hazard("logarithm", e, line, bound[0], bound[1], "bounded")
        else:
            danger = f"{text(argument, self.order)} may be zero or negative"
            yield self._hazard("logarithm", e, line, danger, "none: the definition takes it", "open")


def _lines(program: RowProgram) -> Iterator[_Line]:
    return (_Line(q.symbol, q.body, q.step) for q in program.lines())


def _guards(e: Where) -> bool:
    """Whether a select is the guard of its own pole: where(s > 0, 1/s, 0)."""
    condition, chosen, otherwise = e.args
    divisors = [power.base for power in chosen.atoms(Pow) if power.exp.is_negative]
    return otherwise == 0 and isinstance(condition, sympy.Gt) and condition.rhs == 0 and condition.lhs in divisors


def _is_negative(term: Expr) -> bool:
    return bool(term.as_coeff_Mul()[0].is_negative)


def _is_minus_square(e: Expr) -> bool:
    return _is_negative(e) and all(f.is_nonnegative or f.is_number for f in Mul.make_args(-e))
