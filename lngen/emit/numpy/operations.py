"""Lowering of an expression to a chain of three-address operations.

Cheap values are combined first: `alpha*gamma*g` multiplies the Scalar into the Feature once per call, and passes over
the rows once. A product that is reduced is not stored, and one with a Feature is weighted by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any

from sympy import Add, Equality, Expr, Mul, Pow, Rational, S, Symbol
from sympy.core.relational import Relational

from lngen.algebra.fold import Fold
from lngen.algebra.numeric import COMPARE
from lngen.algebra.symbols import (
    ENTRY_OF,
    NOTHING,
    PLACE,
    AttainsFirst,
    D,
    FeatureSymbol,
    TypedSymbol,
    Where,
    axes,
    holds_integers,
    is_integer,
    word_of,
)
from lngen.emit.expressions import factors_in_order, power_chain, rank, terms_in_order
from lngen.emit.numpy.graph import ENTRY, ROW, ArrayValue, Graph
from lngen.emit.numpy.presence import Cases
from lngen.errors import LngenError
from lngen.plan.program import OPERATORS, RowProgram

LARGEST_CHAINED_POWER = 64

# Nodes above and below a fraction bar; None stands for 1.
_Quotient = tuple[int | None, int | None]


@dataclass
class Schedule:
    """A lowered program: the graph, whose nodes stand in the order of execution, and the node of each symbol.

    `stored` are the nodes of the results that the function of a block returns, `after` those of the others.
    """

    program: RowProgram
    cases: Cases
    graph: Graph
    names: dict[str, int] = field(default_factory=dict)
    stored: dict[str, int] = field(default_factory=dict)
    after: dict[str, int] = field(default_factory=dict)

    @property
    def results(self) -> dict[str, int]:
        """The node of each result."""
        return self.stored | self.after


def _one_place(body: Expr) -> Expr | None:
    """The place of the one entry of a row that a sum reads; None if it reads others.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> x, i = RowSymbol("x"), RowScalarSymbol("i", integer=True)
    >>> _one_place(Where(Equality(PLACE, i), x, 0)), _one_place(Where(Equality(PLACE, i), 0, x))
    (i, None)
    """
    match body:
        case Where(args=(Equality(args=(left, place)), _, S.Zero)) if left == PLACE and is_integer(place):
            return None if axes(place).features or not axes(place).rows else place
    return None


class OperationWriter(Fold[int]):
    """Writes operations into a schedule, each under the line of the derivation that `at` has set last."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule, self.graph = schedule, schedule.graph
        self.apply = schedule.graph.apply

    def at(self, source: str, symbol: TypedSymbol, right_side: str) -> None:
        """Set the source of the operations that follow, a step or a pass, and the symbol that it assigns."""
        self.graph.source, self.graph.line = source, f"{symbol.name} = {right_side}"
        self.cannot = f"{source}, {self.graph.line}: the NumPy backend cannot write"

    def symbol(self, symbol: Symbol) -> int:
        """The node of a symbol. Raises LngenError for one that has none."""
        if symbol.name == "D" and "D" not in self.schedule.names:
            self.schedule.names["D"] = self.graph.load("D", NOTHING, "prologue", self.graph.everything, None)
        if symbol.name not in self.schedule.names:
            raise LngenError(f"{self.graph.source}: {symbol.name} is used before it is assigned")
        return self.schedule.names[symbol.name]

    def expression(self, expression: Any) -> int:
        """The node of an expression. Raises LngenError for one that NumPy code cannot be written for."""
        if holds_integers(expression):
            return self.apply("real", self.integer(expression))
        return self.graph.number(expression) if expression.is_number else self.of_head(expression)

    def integer(self, expression: Expr) -> int:
        """The node of an expression of integers, exact."""
        match expression:
            case Symbol():
                if expression in (D, PLACE):
                    return self.graph.of_shape("features" if expression == D else "index")
                return self.symbol(expression)
            case Add():
                return self._sum([(sign, self.integer(term)) for sign, term in terms_in_order(expression)])
            case Mul() | Pow():
                factors = expression.args if isinstance(expression, Mul) else [expression.base] * int(expression.exp)
                return reduce(partial(self.apply, "multiply"), map(self.integer, factors))
            case _:
                return self.graph.number(expression)

    def function(self, expression: Expr) -> int:
        """The node of a function."""
        return self.apply(ENTRY_OF[type(expression)].name, self.expression(expression.args[0]))

    def reduction(self, expression: Expr) -> int:
        """The node of a reduction of a Feature."""
        return self.reduce(OPERATORS[type(expression)], expression.args[0], rows=False)

    def add(self, expression: Expr) -> int:
        """The node of a sum."""
        return self._sum((sign, self.expression(term)) for sign, term in terms_in_order(expression))

    def _sum(self, terms: Iterable[tuple[int, int]]) -> int:
        """The node of a sum of nodes, each with its sign."""
        each = iter(terms)  # a term is computed when those before it are added up, and their memory is free
        sign, first = next(each)
        result = first if sign > 0 else self.apply("negative", first)
        for sign, term in each:
            result = self.apply("add" if sign > 0 else "subtract", result, term)
        return result

    def multiply(self, expression: Expr) -> int:
        """The node of a product."""
        coefficient, numerator, denominator = factors_in_order(expression)
        row, row_scalar, feature, scalar = (
            (self._chain(numerator, group), self._chain(denominator, group)) for group in range(4)
        )
        number: int | None = None if coefficient == 1 else self.graph.number(coefficient)
        # Values of the call are combined once per call, and values of a row once per row.
        shared = self._merged((number, None), scalar)
        if feature != (None, None):
            feature = self._merged(feature, shared)
        elif row_scalar != (None, None):
            row_scalar = self._merged(row_scalar, shared)
        else:
            row = self._merged(row, shared)
        above, below = self._merged(self._merged(row, feature), row_scalar)
        if above is None:
            above = self.graph.number(S.One)
        return above if below is None else self.apply("divide", above, below)

    def _merged(self, left: _Quotient, right: _Quotient) -> _Quotient:
        """The product of two quotients; it is divided as soon as there is something to divide."""
        above, below = (
            second if first is None else first if second is None else self._times(first, second)
            for first, second in zip(left, right, strict=True)
        )
        if above is None or below is None:
            return above, below
        return self.apply("divide", above, below), None

    def _times(self, left: int, right: int) -> int:
        for value, other in ((left, right), (right, left)):
            if self.graph.nodes[other].number == -1:
                return self.apply("negative", value)
        return self.apply("multiply", left, right)

    def _chain(self, factors: Iterable[Expr], group: int) -> int | None:
        chosen = [factor for factor in factors if rank(factor) == group]
        return reduce(partial(self.apply, "multiply"), map(self.expression, chosen)) if chosen else None

    def power(self, expression: Expr) -> int:
        """The node of a power."""
        base, exponent = expression.base, expression.exp
        if exponent.is_number and exponent.is_negative:
            return self.apply("divide", self.graph.number(S.One), self.expression(Pow(base, -exponent)))
        value = self.expression(base)
        if isinstance(exponent, Rational) and exponent.q <= 2 and exponent.p <= LARGEST_CHAINED_POWER * exponent.q:
            whole, half = divmod(int(exponent.p), int(exponent.q))
            root = self.apply("sqrt", value) if half else None
            if not whole:
                return root if root is not None else value
            power = value
            for times_base in power_chain(whole):
                power = self.apply("multiply", power, value) if times_base else self.apply("square", power)
            return power if root is None else self.apply("multiply", power, root)
        return self.apply("power", value, self.expression(exponent))

    def relation(self, expression: Relational) -> int:
        """The node of a comparison."""
        exact = all(map(is_integer, expression.args)) and any(map(holds_integers, expression.args))
        operands = map(self.integer if exact else self.expression, expression.args)
        return self.apply(COMPARE[type(expression)].__name__, *operands)

    def where(self, expression: Where) -> int:
        """The node of a select."""
        return self.apply("where", *map(self.expression, expression.args))

    def reduce(self, operator: str, body: Expr, rows: bool) -> int:
        """A reduction over the feature axis; a product of two is reduced without being stored."""
        wanted = ROW if rows else FeatureSymbol.varies
        if rows and operator == "sum" and (place := _one_place(body)) is not None:
            return self.apply(ENTRY, self.graph.expanded(self.expression(body.args[1]), ROW), self.integer(place))
        if operator in ("mean", "sum"):
            coefficient, numerator, denominator = factors_in_order(body)
            factors = numerator if coefficient == 1 and not denominator else ()
            weights = [factor for factor in factors if rank(factor) == 2]
            if rows and len(factors) > 2 and len(weights) == 1:
                return self._weighted(operator, body / weights[0], weights[0])
            pair = _pair(factors)
            if pair and rank(pair[0]) == (0 if rows else 2):
                first = self.graph.expanded(self.expression(pair[0]), wanted)
                second = self.expression(pair[1])
                if rank(pair[1]) in (0, 2):
                    second = self.graph.expanded(second, ROW if rank(pair[1]) == 0 else FeatureSymbol.varies)
                    if rank(pair[1]) == 0 or not rows:
                        return self.apply(operator, first, second)
                    return self.apply("sum", first, self._weights(operator, second, pair[1]))
        keep = "zero" if operator == "sum" else "every number"
        return self.apply(operator, self.graph.expanded(self.expression(body), wanted, keep))

    def _weighted(self, operator: str, body: Expr, weights: Expr) -> int:
        """A reduction of a product of rows, weighted by feature; of the product alone where the weights are 1."""
        feature = self.expression(weights)
        product = self.graph.expanded(self.expression(body), ROW)
        ones = self.graph.nodes[feature].cases_of(lambda value: value == 1)
        others = [form for form in self.graph.nodes[feature].forms if form.value not in (0, 1)]
        if not all(isinstance(form.value, ArrayValue) and form.value.axes.features for form in others):
            feature = self.graph.expanded(feature, FeatureSymbol.varies)
        weighted = self.apply("sum", product, self._weights(operator, feature, weights))
        return self.graph.either(self.reduce(operator, body, rows=True), ones, weighted) if ones else weighted

    def _weights(self, operator: str, feature: int, expression: Expr) -> int:
        """Return the weights of a sum over a row; those of a mean are divided by D once per call."""
        if operator != "mean":
            return feature
        divided = self.apply("divide", feature, self.symbol(D))
        if isinstance(expression, Symbol):
            self.schedule.names.setdefault(f"{word_of(expression)}_over_D", divided)
        return divided

    def attains_first(self, expression: AttainsFirst) -> int:
        """The node of the place of an extreme."""
        body, extreme = expression.args
        # Every entry of the body is looked at, even where a left-out argument makes all of them the same number.
        features = ROW if axes(body).rows else FeatureSymbol.varies
        entries = self.graph.expanded(self.expression(body), features, "nothing")
        return self.apply("attains_first", entries, self.expression(extreme))


def _pair(factors: Sequence[Expr]) -> Sequence[Expr]:
    """The two factors of a product, or of an even power; none of anything else."""
    if len(factors) == 1 and isinstance(factors[0], Pow) and factors[0].exp.is_Integer:
        half, odd = divmod(int(factors[0].exp), 2)
        return (Pow(factors[0].base, half),) * 2 if half > 0 and not odd else ()
    return factors if len(factors) == 2 else ()
