"""Hazards: operations that may lose digits, and the protection in the emitted form.

Every subtraction, division, root, exponential and logarithm of the two row programs is examined, by the structure and
the sign of its operands. Nothing here knows a layer: a rule asks for a property of a value (a mean of the same row, a
sum that holds exp(0), a positive constant under a root), never for its name.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.algebra.exponentials import Exponentials
from lngen.algebra.notation import text
from lngen.algebra.symbols import (
    Acos,
    Asin,
    D,
    FeatureSum,
    Log1p,
    Mean,
    Power,
    RowMax,
    RowMin,
    TypedSymbol,
    Where,
)
from lngen.derivation.derivation import Step
from lngen.derivation.simplify.forms import BESIDE_ONE, FORMS
from lngen.derivation.simplify.trail import UNSIMPLIFIED
from lngen.plan.planner import Plan
from lngen.plan.program import RowProgram
from lngen.report.audit.differences import Differences
from lngen.report.audit.findings import OVERFLOW, Audit, Hazard, Place, Status

LARGEST = ((2 - 2**-23) * 2.0**127, sys.float_info.max)
"""The largest number of float32 and of float64."""


STABILITY_RULES = (
    *dict.fromkeys(form.name for form in (*FORMS, *BESIDE_ONE)),
    "largest exponent taken out",
    "difference of squares",
    "complement",
    "known scaled row",
    "guarded pole",
)
"""The rules of a derivation that change no value and lose fewer digits."""


def hazards(plan: Plan) -> tuple[Hazard, ...]:
    """The hazards of both directions, in the order of computation, each once."""
    found: dict[tuple[str, str], Hazard] = {}
    for program in (plan.forward, plan.backward):
        for hazard in _Auditor(plan, program).hazards():
            # Values that backward recomputes were reported for forward.
            found.setdefault((hazard.kind, hazard.where.text), hazard)
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


@dataclass(frozen=True)
class _AuditedLine:
    symbol: TypedSymbol
    expression: Expr
    step: int


class _Auditor:
    def __init__(self, plan: Plan, program: RowProgram) -> None:
        self.direction = program.direction
        self.minimum_features = program.minimum_features
        self.lines = list(_lines(program))
        self.order = [argument.name for argument in plan.forward.rows]
        both = (plan.forward, plan.backward)
        self.constants = {p.symbol: p for q in both for p in q.parameters if p.kind == "Constant"}
        self.value = {line.symbol: line.expression for q in both for line in _lines(q)}
        reductions = [(r, stage.correction) for q in both for stage in q.stages for r in stage.reductions]
        operators = {"max": RowMax, "min": RowMin, "sum": FeatureSum, "mean": Mean}
        values = self.value | {r.symbol: operators[r.operator](r.body) for r, _ in reductions}
        self.exponentials = Exponentials(values, self.constants)
        residual_of = {r.body: r.symbol for r, correction in reductions if correction}
        given: set[TypedSymbol] = {a.symbol for q in both for a in q.rows}
        given |= {a.symbol for q in both for a in q.parameters} | {a.symbol for q in both for a in q.random}
        cotangents = {a.symbol for a in program.rows if a.origin == "cotangent"}
        outputs = {store.symbol for store in program.results} if program.direction == "forward" else set()
        outputs |= {self.value.get(output, output).as_coeff_Mul()[1] for output in outputs}
        order = self.order
        self.differences = Differences(
            program.direction,
            values,
            given,
            cotangents,
            residual_of,
            outputs,
            self.exponentials,
            lambda e: text(e, order),
        )

    def hazards(self) -> Iterator[Hazard]:
        """The hazards of this direction."""
        for line in self.lines:
            yield from self._of(line.expression, line)

    def _of(self, e: Expr, line: _AuditedLine, weighted: bool = False) -> Iterator[Hazard]:
        """The hazards of an expression; `weighted` if what stands around it multiplies a row by another row."""
        if isinstance(e, Where) and _guards(e):
            yield self._hazard("guarded pole", e, line, *self._guarded(e))
            return
        for argument in e.args:
            yield from self._of(argument, line, weighted or self.differences.weighs(e, argument))
        if isinstance(e, Add):
            found = self.differences.of(e, line.symbol, weighted)
            yield from () if found is None else [self._hazard(found[0], e, line, *found[1:])]
        elif isinstance(e, Pow) and e.exp.is_Rational:
            yield from self._power(e, line)
        elif isinstance(e, Power):
            yield from self._raised(e, line)
        elif isinstance(e, sympy.exp):
            yield from self._exponential(e, line)
        elif isinstance(e, (sympy.log, Log1p)):
            yield from self._logarithm(e, line)
        elif isinstance(e, (Asin, Acos)):
            danger = f"a rounding may bring {text(e.args[0], self.order)} past 1 or -1, and the result is not a number"
            yield self._hazard("arc", e, line, danger, "none: clip its argument between -1 and 1", "open")

    def _text(self, e: Expr) -> str:
        return text(e, self.order)

    def _hazard(self, kind: str, e: Expr, line: _AuditedLine, danger: str, remedy: str, status: Status) -> Hazard:
        place = Place(self.direction, line.step, line.symbol.name, text(e, self.order))
        return Hazard(kind, place, danger, remedy, status)

    # ---- powers

    def _power(self, e: Expr, line: _AuditedLine) -> Iterator[Hazard]:
        if self.direction == "forward" and e.exp > 1:
            yield self._hazard("power", e, line, *self._range(e))
        root, divides = e.exp.q == 2, e.exp.is_negative
        if (not root and not divides) or (e.base.is_number and e.base.is_positive):
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

    def _raised(self, e: Power, line: _AuditedLine) -> Iterator[Hazard]:
        base, exponent = self._text(e.base), self._text(e.exp)
        ends = (math.log(largest) for largest in LARGEST)
        danger = f"it overflows where {exponent} times log({base}) is above {self._in_types('.1f', *ends)}"
        yield self._hazard("power", e, line, danger, "none: the exponent is as the caller passes it", "range")
        if not e.base.is_positive:
            danger = f"where {base} is zero it is infinite if {exponent} is negative"
            yield self._hazard("power of zero", e, line, danger, "none: that is the limit", "open")

    def _range(self, e: Expr) -> tuple[str, str, Status]:
        """Describe the range in which a power of a growing value does not overflow."""
        ends = [float(largest) ** (1 / float(e.exp)) for largest in LARGEST]
        danger = f"it overflows where |{text(e.base, self.order)}| is above {self._in_types('.1e', *ends)}"
        return danger, "none: rows as large as that, less where many are summed, have to be scaled before", "range"

    def _in_types(self, form: str, single: float, double: float) -> str:
        """A limit of float32 and that of float64, in words."""
        return f"{single:{form}} in float32 and {double:{form}} in float64"

    def _lower_bound(self, base: Expr) -> tuple[str, str, Status] | None:
        """Describe the lower bound of a divisor or of the argument of a root."""
        shown = text(base, self.order)
        if base.free_symbols <= {D}:
            words = "is a whole number" if base.is_integer else "depends on D alone"
            return (
                f"{shown} {words}",
                f"D >= {self.minimum_features} is required: it is never zero",
                "beside the result",
            )
        floor = self._floor(base)
        if floor is not None:
            assumed = "" if floor.is_number else f", {text(floor)} > 0 assumed"
            return f"{shown} may be close to zero", f"it is never below {text(floor)}{assumed}", "beside the result"
        factors = self.exponentials.least(base)
        if factors:
            floor = " or ".join(text(factor) for factor in factors)
            assumed = "".join(f", {text(f)} > 0 assumed" for f in factors if not f.free_symbols <= {D})
            return (
                f"{shown} adds up exponentials",
                f"it is never below {floor}, since the largest is exp(0) = 1{assumed}",
                "beside the result",
            )
        return None

    def _floor(self, e: Expr) -> Expr | None:
        """A positive number, or a Constant, that a value is never below by its form; None if none is seen."""
        if e in self.constants or (e.is_number and e.is_positive):
            return e
        written = self.value.get(e, e)
        if isinstance(written, Pow) and written.exp == sympy.S.Half:
            floor = self._floor(written.base)
            return None if floor is None else sympy.sqrt(floor)
        floors = {term: self._floor(term) for term in written.args} if isinstance(written, Add) else {}
        known = [floor for floor in floors.values() if floor is not None]
        rest = [term for term, floor in floors.items() if floor is None]
        return Add(*known) if known and all(map(self._nonnegative, rest)) else None

    def _nonnegative(self, term: Expr) -> bool:
        if term.is_nonnegative:
            return True
        factors = [f for f in Mul.make_args(term) if not f.free_symbols <= {D}]
        return bool(factors) and all(f.is_nonnegative for f in factors) and not _is_negative(term)

    def _bare_root(self, e: Expr, line: _AuditedLine) -> tuple[str, str, Status]:
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

    def _exponential(self, e: Expr, line: _AuditedLine) -> Iterator[Hazard]:
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
            danger = f"exp overflows where {where} {types}, and the result with it, or to no number"
            yield self._hazard(OVERFLOW, e, line, danger, "none: the input decides", "open")

    def _logarithm(self, e: Expr, line: _AuditedLine) -> Iterator[Hazard]:
        argument = e.args[0]
        bound = self._lower_bound(argument / D if argument.has(D) else argument) or self._lower_bound(argument)
        if isinstance(e, Log1p):
            danger, remedy = "1 + u would round u away", "log1p takes u itself"
            yield self._hazard("logarithm", e, line, danger, remedy, "removed")
        elif bound is not None:
            remedy = f"{bound[1]}; off by one rounding of 1 where it is near 1"
            yield self._hazard("logarithm", e, line, bound[0], remedy, "beside its terms")
        else:
            danger = f"{text(argument, self.order)} may be zero or negative"
            yield self._hazard("logarithm", e, line, danger, "none: the definition takes it", "open")


def _lines(program: RowProgram) -> Iterator[_AuditedLine]:
    return (_AuditedLine(q.symbol, q.body, q.step) for q in program.lines())


def _guards(e: Where) -> bool:
    """Test whether a select is the guard of its own pole: where(s > 0, 1/s, 0)."""
    condition, chosen, otherwise = e.args
    divisors = [power.base for power in chosen.atoms(Pow) if power.exp.is_negative]
    return otherwise == 0 and isinstance(condition, sympy.Gt) and condition.rhs == 0 and condition.lhs in divisors


def _is_negative(term: Expr) -> bool:
    return bool(term.as_coeff_Mul()[0].is_negative)


def _is_minus_square(e: Expr) -> bool:
    return _is_negative(e) and all(f.is_nonnegative or f.is_number for f in Mul.make_args(-e))
