"""Operands of a program's operations: what each value is made of, its sign, and its least value."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from itertools import combinations

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.algebra.exponentials import Exponentials
from lngen.algebra.notation import text
from lngen.algebra.symbols import (
    D,
    Expm1,
    FeatureSum,
    Log1p,
    Mean,
    Reduction,
    RowMax,
    RowMin,
    SumRows,
    TypedSymbol,
    Where,
    axes,
)
from lngen.plan.passes.offsets import row_of_entry
from lngen.plan.planner import Plan
from lngen.plan.program import RowProgram


class Operands:
    """Values of both programs of a plan, as the operations of one of them read them.

    `values` has the value of each symbol, `bodies` that of a line, without the operator of a reduction. `given` are
    what a program reads, `cotangents` those of them in which it is linear, `residual_of` what rounding left in the mean
    of a row, and `outputs` the outputs of a forward.
    """

    def __init__(self, plan: Plan, program: RowProgram) -> None:
        both = (plan.forward, plan.backward)
        self.direction, self.minimum_features = program.direction, program.minimum_features
        self.order = [argument.name for argument in plan.forward.rows]
        self.constants = {p.symbol for q in both for p in q.parameters if p.kind == "Constant"}
        self.bodies = {line.symbol: line.body for q in both for line in q.lines()}
        reductions = [(r, stage.correction) for q in both for stage in q.stages for r in stage.reductions]
        operators = {"max": RowMax, "min": RowMin, "sum": FeatureSum, "mean": Mean}
        self.values = self.bodies | {r.symbol: operators[r.operator](r.body) for r, _ in reductions}
        self.exponentials = Exponentials(self.values, self.constants)
        self.residual_of = {r.body: r.symbol for r, correction in reductions if correction}
        residuals = self.residual_of.values()
        self.mean_of = {s: e.args[0] for s, e in self.values.items() if isinstance(e, Mean) and s not in residuals}
        self.given: set[Expr] = {a.symbol for q in both for each in (q.rows, q.parameters, q.random) for a in each}
        self.cotangents = {a.symbol for a in program.rows if a.origin == "cotangent"}
        outputs = {store.symbol for store in program.results} if program.direction == "forward" else set()
        self.outputs = outputs | {self.bodies.get(output, output).as_coeff_Mul()[1] for output in outputs}
        self.inside, self.entries = cache(self._inside), cache(self._entries)
        self.is_polynomial = cache(self._is_polynomial)

    def text(self, e: Expr) -> str:
        """Return an expression as the report has it."""
        return text(e, self.order)

    def moves(self, e: Expr) -> bool:
        """Test whether a value is made of cotangents."""
        return not self.inside(e).isdisjoint(self.cotangents)

    def weighs(self, product: Expr, factor: Expr) -> bool:
        """Test whether a factor of a product is multiplied by a row of the forward: some entries may then vanish."""
        others = [other for other in product.args if other != factor] if isinstance(product, Mul) else []
        return any(axes(other) == (True, True) and not self.moves(other) for other in others)

    def _inside(self, e: Expr) -> frozenset[TypedSymbol]:
        """The values that the program reads and a value is made of."""
        found = {e} if e in self.given and e not in self.values else set()
        parts = [self.values[e]] if e in self.values else e.args
        return frozenset(found).union(*map(self.inside, parts))

    def _entries(self, e: Expr) -> frozenset[TypedSymbol]:
        """The rows of the forward of which each entry of a value is made of the same one."""
        found = {e} if e in self.rows(e) and axes(e).features else set()
        parts = [self.values[e]] if e in self.values else e.args
        return frozenset(found).union(*(() if isinstance(e, (Reduction, SumRows)) else map(self.entries, parts)))

    def rows(self, e: Expr) -> set[TypedSymbol]:
        """The rows and the row scalars of the forward that a value is made of."""
        return {symbol for symbol in self.inside(e) if axes(symbol).rows and symbol not in self.cotangents}

    def is_given(self, term: Expr) -> bool:
        """Test whether a term has no rounding: a number, or an argument or its extreme, times a power of two."""
        times, symbol = term.as_coeff_Mul()
        value = self.values.get(symbol, symbol)
        value = value.args[0] if isinstance(value, (RowMax, RowMin)) else value
        exact = all(int(part).bit_count() == 1 for part in (abs(times.p), times.q)) if times.is_Rational else False
        return term.is_number or (exact and value in self.given)

    def _is_polynomial(self, e: Expr) -> bool:
        if isinstance(e, TypedSymbol):
            return e not in self.values or self.is_polynomial(self.values[e])
        whole = isinstance(e, Pow) and e.exp.is_Integer and e.exp > 0
        made = e.is_number or whole or isinstance(e, (Add, Mul, Reduction, SumRows))
        return bool(made) and all(map(self.is_polynomial, e.args))

    def may_agree(self, terms: Collection[Expr]) -> bool:
        """Test whether two terms may be equal: both depend on the same entries, or one is a row and one its number.

        A number may also equal a function of rows that takes it as a value.
        """
        if all(map(is_negative, terms)):
            return False
        for one, other in combinations(terms, 2):
            if self.entries(one) & self.entries(other):
                return True
            varying = [term for term in (one, other) if self.rows(term)]
            if len(varying) == 1 and not self.is_polynomial(varying[0]):
                return True
            if not all(axes(term).features for term in (one, other)) and self.rows(one) & self.rows(other):
                return True
        return False

    def alike(self, terms: Collection[Expr]) -> list[list[Expr]]:
        """Return terms that are linear in cotangents together: by what is each entry's own, and what its row has."""
        found: dict[object, list[Expr]] = {}
        for term in terms:
            moving = [factor for factor in Mul.make_args(term) if self.moves(factor)]
            own = [factor for factor in moving if axes(factor).features]
            key = frozenset(self.inside(Mul(*own)) & {*self.cotangents}) if own else Mul(*moving)
            found.setdefault(key, []).append(term)
        return [members for members in found.values() if len(members) > 1]

    # ---- signs

    def is_spread(self, e: Expr) -> bool:
        """Test whether a sum is the largest less the smallest entry of a row, plus terms that are not negative."""
        for term in e.args:
            least = self.values.get(-term)
            if isinstance(least, RowMin):
                others = [self.values.get(other, other) for other in e.args if other != term]
                largest = RowMax(least.args[0])
                return largest in others and all(v == largest or v.is_nonnegative for v in others)
        return False

    def is_nonpositive(self, term: Expr) -> bool:
        """Test whether a term is 0 at most."""
        known = (-term).is_nonnegative or {term, self.values.get(term, term)} & self.exponentials.never_positive
        return bool(known) or self.is_small_logarithm(-term) or self.is_entry_less_largest(term)

    def is_entry_less_largest(self, e: Expr) -> bool:
        """Test whether a value is one entry of a row, by its place, less the row's largest."""
        value = self.values.get(e, e)
        rows = {m: row_of_entry(self.values.get(value + m, value)) for m in value.free_symbols}
        return any(row is not None and self.values.get(m) == RowMax(row) for m, row in rows.items())

    def is_small_logarithm(self, e: Expr) -> bool:
        """Test whether a row scalar is the logarithm of a sum of exponentials, the largest of which is 1."""
        value = self.values.get(e, e)
        if isinstance(value, Log1p):
            return True
        return isinstance(value, sympy.log) and self.exponentials.least(value.args[0]) == (sympy.S.One,)

    def floor(self, e: Expr) -> Expr | None:
        """Return a positive number, or a Constant, that a value is never below by its form; None if none is seen."""
        if e in self.constants or (e.is_number and e.is_positive):
            return e
        written = self.bodies.get(e, e)
        if written in self.bodies:  # an output beside what is saved of it
            return self.floor(written)
        if isinstance(written, Pow) and written.exp == sympy.S.Half:
            floor = self.floor(written.base)
            return None if floor is None else sympy.sqrt(floor)
        function = self.values.get(-written)
        if isinstance(function, Expm1) and (ceiling := self.ceiling(function.args[0])) is not None:
            return -Expm1(ceiling)
        floors = {term: self.floor(term) for term in written.args} if isinstance(written, Add) else {}
        known = [floor for floor in floors.values() if floor is not None]
        return Add(*known) if known and all(is_nonnegative(t) for t, f in floors.items() if f is None) else None

    def ceiling(self, e: Expr) -> Expr | None:
        """Return a negative number, or minus a Constant, that a value is never above by its form; None if none is seen.

        The smaller of two values is above neither.
        """
        written = self.values.get(e, e)
        if isinstance(written, Where) and isinstance(written.args[0], (sympy.Ge, sympy.Gt, sympy.Le, sympy.Lt)):
            condition, *smaller = written.args
            if smaller == [condition.lts, condition.gts]:
                return next((found for value in smaller if (found := self.ceiling(value)) is not None), None)
        floor = self.floor(-written)
        return None if floor is None else -floor

    def guard_of(self, symbol: TypedSymbol) -> TypedSymbol | None:
        """Return the value that is 0 in the place of a quotient by a symbol, where there is one."""
        selects = ((s, e) for s, e in self.bodies.items() if isinstance(e, Where) and guards(e))
        return next((s for s, e in selects if symbol in e.free_symbols), None)


def guards(e: Where) -> bool:
    """Test whether a select is the guard of its own pole: where(s > 0, 1/s, 0)."""
    condition, chosen, otherwise = e.args
    divisors = [power.base for power in chosen.atoms(Pow) if power.exp.is_negative]
    return otherwise == 0 and isinstance(condition, sympy.Gt) and condition.rhs == 0 and condition.lhs in divisors


def is_negative(term: Expr) -> bool:
    """Test whether a term is one that is taken off."""
    return bool(term.as_coeff_Mul()[0].is_negative)


def is_nonnegative(term: Expr) -> bool:
    """Test whether a term is 0 at least, whatever the number of features."""
    factors = [f for f in Mul.make_args(term) if not f.free_symbols <= {D}]
    return bool(term.is_nonnegative or (factors and all(f.is_nonnegative for f in factors) and not is_negative(term)))
