"""Hazards: operations that may lose digits, and the protection in the emitted form.

Every subtraction, division, root, exponential and logarithm of the two row programs is examined, by the structure and
the sign of its operands. Nothing here knows a layer: a rule asks for a property of a value (a mean of the same row, a
sum that holds exp(0), a positive constant under a root), never for its name.

The error of a subtraction is small beside the result, small beside its terms alone, or unknown. An error of a few
roundings of the terms is one of the result where the result is as large as they are. So it is where both terms are as
the caller passed them, where all terms have one sign, and where a projection is taken of a cotangent. It is not where
the terms are made of the same values: `x - sin(x)` has no digit left where x is small.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.algebra.notation import text
from lngen.algebra.symbols import Acos, Asin, D, Expm1, Log1p, Power, RowMax, Sigmoid, Where, axes
from lngen.derivation.derivation import Step
from lngen.derivation.rules import RULES
from lngen.derivation.trail import UNSIMPLIFIED
from lngen.plan.planner import Plan
from lngen.plan.program import Line
from lngen.report.audit.findings import OVERFLOW, Audit, Hazard, Place, Status
from lngen.report.audit.operands import Operands, guards, is_negative, is_nonnegative

LARGEST = ((2 - 2**-23) * 2.0**127, sys.float_info.max)
"""The largest number of float32 and of float64."""


STABILITY_RULES = (
    *(rule.name for rule in RULES if rule.place == "expression" and rule.name != "normal distribution"),
    "largest exponent taken out",
    "tail of a sigmoid",
    "difference of squares",
    "complement",
    "known scaled row",
    "guarded pole",
)
"""The rules of a derivation that change no value and lose fewer digits."""

_Found = tuple[str, str, str, Status]
"""The kind of a hazard, the danger, the remedy and the status."""

_AGREE = "terms that are made of the same values may agree in all their digits"
_CANCEL = "terms that nearly cancel leave few digits of the result"
_OF_TERMS = "off by a few roundings of the largest term: small beside that, not beside the result"
_NO_RULE = "none: no rule rewrites it"
_TAKEN = "none: the definition takes it"
_BELOW = "rounds once; the difference is never above 0, for"
_LIMITED = (sympy.tanh, Sigmoid, sympy.sin, sympy.cos, sympy.erf)


def hazards(plan: Plan) -> tuple[Hazard, ...]:
    """The hazards of both directions, in the order of computation, each once."""
    found: dict[tuple[str, str], Hazard] = {}
    for program in (plan.forward, plan.backward):
        operands = Operands(plan, program)
        for line in program.lines():
            for e, (kind, danger, remedy, status) in _Examined(operands, line).hazards(line.body):
                place = Place(program.direction, line.step, line.symbol.name, operands.text(e))
                # Values that backward recomputes were reported for forward.
                found.setdefault((kind, place.text), Hazard(kind, place, danger, remedy, status))
    for step in plan.derivation.steps:
        if step.rule == UNSIMPLIFIED:
            found["unsimplified", step.target.name] = _unsimplified(step)
    return tuple(found.values())


def audit(plan: Plan) -> Audit:
    """The hazards, and the rewrites that keep others away."""
    return Audit(hazards(plan), tuple(step for step in plan.derivation.steps if step.rule in STABILITY_RULES))


def _unsimplified(step: Step) -> Hazard:
    """The note on a gradient for which no shorter form was looked for."""
    place = Place("backward", step.number, step.target.name, step.target.name)
    danger = "long formulas may lose digits that a shorter form would keep"
    return Hazard("unsimplified gradient", place, f"{step.reason}; {danger}", "none: right, only longer", "open")


class _Examined:
    """A line of a program, whose operations are examined one by one."""

    def __init__(self, operands: Operands, line: Line) -> None:
        self.of = operands
        self.line = line
        self.text = operands.text

    def hazards(self, e: Expr, weighted: bool = False) -> Iterator[tuple[Expr, _Found]]:
        """The hazards of an expression; `weighted` if what stands around it multiplies a row by another row."""
        if isinstance(e, Where) and guards(e):
            remedy = "0 there: what it multiplies vanishes faster, so 0 is the limit"
            yield e, ("guarded pole", f"1/0 where not {self.text(e.args[0])}", remedy, "removed")
            return
        for argument in e.args:
            yield from self.hazards(argument, weighted or self.of.weighs(e, argument))
        found: Iterator[_Found | None] = iter(())
        if isinstance(e, Add) and not e.free_symbols <= {D} and not all(term.is_nonnegative for term in e.args):
            found = iter([self._shift(e) or self._tail(e, weighted) or self._difference(e, weighted)])
        elif isinstance(e, Pow) and e.exp.is_Rational:
            found = self._power(e)
        elif isinstance(e, Power):
            found = self._raised(e)
        elif isinstance(e, sympy.exp):
            found = self._exponential(e)
        elif isinstance(e, (sympy.log, Log1p)):
            found = iter([self._logarithm(e)])
        elif isinstance(e, (Asin, Acos)):
            danger = f"a rounding may bring {self.text(e.args[0])} past 1 or -1, and the result is not a number"
            found = iter([("arc", danger, "none: clip its argument between -1 and 1", "open")])
        yield from ((e, each) for each in found if each is not None)

    # ---- differences

    def _shift(self, e: Expr) -> _Found | None:
        """Judge a row less one number of it."""
        of, kind = self.of, "shift by the largest entry"
        if mean := next((s for s in e.free_symbols if of.mean_of.get(s) in (e + s, s - e)), None):
            return "row centred on its mean", *self._centred(mean, of.mean_of[mean])
        if top := next((s for s in e.free_symbols if of.values.get(s) == RowMax(e + s)), None):
            return kind, f"{_BELOW} {top} is an entry of the row", "exact at the largest entry", "beside the result"
        if e in of.exponentials.differences:
            danger = f"{_BELOW} what is taken off is the largest of both"
            return kind, danger, "exact at the largest", "beside the result"
        residual = next((s for s in of.residual_of.values() if s in e.free_symbols), None)
        if residual is not None and len(e.args) == 2:
            danger = f"{residual} is what rounding left in the mean, small beside the row"
            return "residual taken off", danger, "rounds once, in the row's own scale", "beside the result"
        return None

    def _centred(self, mean: Expr, body: Expr) -> tuple[str, str, Status]:
        shown, name = self.text(body), self.line.symbol
        residual = self.of.residual_of.get(name)
        if residual is None and self.of.direction == "backward":
            danger = f"where {shown} hardly varies, {_CANCEL}"
            remedy = f"off by a few roundings of the largest |{shown}| of the row"
            return danger, remedy, "beside the result" if self.of.moves(body) else "beside its terms"
        danger = f"the rounding of {mean} stands in every entry, and counts where |{mean}| is much larger than the"
        danger += " row's spread"
        if residual is None:
            return danger, "none: keep the row's offset near its spread", "open"
        remedy = f"mean({name}) is zero in exact arithmetic; what it is, {residual}, is measured and taken off, and"
        return danger, f"{remedy} {mean} is kept as value and correction", "removed"

    def _tail(self, e: Expr, weighted: bool) -> _Found | None:
        """Judge 1 - u or 1 + u, or a multiple, where u is a function with values between -1 and 1."""
        if len(e.args) != 2 or not e.args[0].is_number:
            return None
        values, function = self.of.values, e.args[1] / e.args[0]
        limit, function = ("1", -function) if is_negative(function) else ("-1", function)
        value = values.get(function, function)
        base = value.base if isinstance(value, Pow) else value
        if not isinstance(values.get(base, base), _LIMITED):
            return None
        danger = f"where {self.text(function)} is close to {limit} few digits of the difference are left, and from some"
        kind, danger = "one minus a function", f"{danger} point on none"
        if self.line.symbol in self.of.outputs and not weighted:
            return kind, danger, _NO_RULE, "open"
        return kind, danger, "off by one rounding of 1: small beside 1, not beside the difference", "beside its terms"

    def _difference(self, e: Expr, weighted: bool) -> _Found | None:
        of, terms = self.of, e.args
        kind = "difference" if axes(e).features or of.direction == "backward" else "statistic by subtraction"
        subtracts = any(map(is_negative, terms))
        if not subtracts and (kind == "difference" or not axes(e).rows or any(t.is_nonnegative for t in terms)):
            return None
        if of.is_entry_less_largest(e):
            return kind, "both are entries of one row", "rounds once", "beside the result"
        if any(all(of.is_nonpositive(times * term) for term in terms) for times in (1, -1)) or of.is_spread(e):
            return kind, "all terms have one sign", "off by a few roundings of the result", "beside the result"
        if len(terms) == 2 and all(map(of.is_given, terms)):
            return kind, "both terms are as the caller passed them", "rounds once", "beside the result"
        if any(of.exponentials.is_largest(term) and of.is_small_logarithm(e - term) for term in terms):
            danger = "the largest entry and a logarithm between 0 and log(D) may be of unlike sign"
            remedy = "off by a few roundings of the largest entry or of log(D), as the row itself may be"
            return "difference", danger, remedy, "beside its terms"
        is_linear = all(map(of.moves, terms))
        alike = of.alike(terms) if is_linear else [terms]
        mixed = [each for each in alike if len({*map(is_negative, each)}) == 2] if is_linear else alike
        if any(map(of.may_agree, mixed)):
            return kind, _AGREE, _NO_RULE, "open"
        if alike or weighted:
            return kind, _CANCEL, _OF_TERMS, "beside its terms"
        danger = "terms nearly cancel for a cotangent of a special kind alone"
        return kind, danger, "off by a few roundings of the row's largest entry", "beside the result"

    # ---- powers

    def _power(self, e: Expr) -> Iterator[_Found]:
        base = self.text(e.base)
        if self.of.direction == "forward" and e.exp > 1:
            ends = (float(largest) ** (1 / float(e.exp)) for largest in LARGEST)
            danger = f"it overflows where |{base}| is above {_in_types('.1e', *ends)}"
            remedy = "none: scale larger rows first, and smaller ones where many are summed"
            yield "power", danger, remedy, "range"
        if e.exp < -1:
            ends = (float(largest) ** (-1 / float(e.exp)) for largest in LARGEST)
            danger = f"the divisor overflows where |{base}| is above {_in_types('.1e', *ends)}, and the quotient is 0"
            yield "power of a divisor", danger, "none: scale larger rows first", "range"
        root, divides = e.exp.q == 2, e.exp.is_negative
        if (not root and not divides) or (e.base.is_number and e.base.is_positive):
            return
        kind = "reciprocal root" if root and divides else "root" if root else "division"
        if bound := self._lower_bound(e.base):
            yield kind, *bound, "beside the result"
        elif not divides and not is_nonnegative(e.base):
            yield kind, f"{base} may be negative, and its root is not a number", _TAKEN, "open"
        elif not divides:
            danger, guard = f"where {base} is zero the root has an infinite slope", self.of.guard_of(self.line.symbol)
            remedy = f"the gradient divides by it through {guard}, which is 0 there"
            none = "none: the gradient of a row with a zero there is not finite"
            yield (kind, danger, remedy, "removed") if guard else (kind, danger, none, "open")
        elif e.base.is_positive:
            danger = f"{base} is positive, but may round to zero"
            yield kind, danger, "none: the quotient is then infinite", "open"
        else:
            danger = f"{base} may be zero, and the result is then infinite or not a number"
            yield kind, danger, "none: the definition divides by it", "open"

    def _raised(self, e: Power) -> Iterator[_Found]:
        base, exponent = self.text(e.base), self.text(e.exp)
        ends = _in_types(".1f", *map(math.log, LARGEST))
        danger = f"it overflows where {exponent} times log({base}) is above {ends}"
        yield "power", danger, "none: the exponent is as the caller passes it", "range"
        if not e.base.is_positive:
            danger = f"where {base} is zero it is infinite if {exponent} is negative, and no number if multiplied by 0"
            yield "power of zero", danger, "none: that is the limit", "open"

    def _lower_bound(self, base: Expr) -> tuple[str, str] | None:
        """Describe the lower bound of a divisor or of the argument of a root, and why it is one."""
        shown, least = self.text(base), self.of.floor(base)
        if base.free_symbols <= {D}:
            words = "is a whole number" if base.is_integer else "depends on D alone"
            return f"{shown} {words}", f"D >= {self.of.minimum_features} is required: it is never zero"
        if least is not None:
            return f"{shown} may be close to zero", f"it is never below {text(least)}{_assumed(least)}"
        if factors := self.of.exponentials.least(base):
            lowest = " or ".join(map(text, factors))
            assumed = "".join(map(_assumed, factors))
            remedy = f"it is never below {lowest}, since the largest is exp(0) = 1{assumed}"
            return f"{shown} adds up exponentials", remedy
        return None

    # ---- exponentials and logarithms

    def _exponential(self, e: Expr) -> Iterator[_Found]:
        exponent = self.of.exponentials.exponent(e)
        is_minus_square = is_negative(exponent) and all(
            f.is_nonnegative or f.is_number for f in Mul.make_args(-exponent)
        )
        if self.of.exponentials.is_bounded(e) or self.of.ceiling(exponent) is not None:
            danger = f"exp overflows above {_in_types('.1f', 88.7, 709.7)}"
            yield OVERFLOW, danger, "its argument is never above 0", "removed"
        elif not (exponent.is_nonpositive or is_minus_square):
            times, argument = exponent.as_coeff_Mul()
            if not times.is_Rational:
                times, argument = sympy.S.One, exponent
            single, double = (f"{limit / float(times):.4g}" for limit in (88.7, 709.7))
            where = f"{self.text(argument)} is {'above' if times > 0 else 'below'}"
            types = f"{single} in float32, as in 16 bits, and {double} in float64"
            danger = f"exp overflows where {where} {types}, and the result with it, or to no number"
            yield OVERFLOW, danger, "none: the input decides", "open"

    def _logarithm(self, e: Expr) -> _Found:
        u = e.args[0]
        if isinstance(e, Log1p):
            return "logarithm", "1 + u would round u away", "log1p takes u itself", "removed"
        if bound := self._lower_bound(u / D if u.has(D) else u) or self._lower_bound(u):
            remedy = f"{bound[1]}; off by one rounding of 1 where it is near 1"
            return "logarithm", bound[0], remedy, "beside its terms"
        return "logarithm", f"{self.text(u)} may be zero or negative", _TAKEN, "open"


def _assumed(least: Expr) -> str:
    inside = -(-least).args[0] if isinstance(-least, Expm1) else least
    return "" if least.free_symbols <= {D} else f", {text(inside)} > 0 assumed"


def _in_types(form: str, single: float, double: float) -> str:
    """A limit of float32 and that of float64, in words."""
    return f"{single:{form}} in float32 and {double:{form}} in float64"
