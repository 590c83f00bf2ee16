"""From a row program to a schedule of array operations.

An expression becomes a chain of three-address operations. Cheap values are combined first: `alpha*gamma*g`
multiplies the Scalar into the Feature once a call, and sweeps the rows once. A sum over rows and a reduction
are put where what they need is ready, so that a product made for one of them is gone before the next buffer
is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import sympy
from sympy import Expr, Pow, Rational, S, Symbol

from lngen.backends.expressions import factors_in_order, formula, number_of, power_chain, rank, terms_in_order
from lngen.backends.numpy.graph import ROW, ROW_SCALAR, Graph, Number
from lngen.backends.numpy.presence import Cases
from lngen.backends.numpy.scales import weights_apart, with_late_scales, with_weights
from lngen.errors import LngenError
from lngen.program import OPERATORS, Assignment, Centring, FeatureReduction, RowProgram, RowsReduction, Store
from lngen.symbolic import (
    NOTHING,
    AttainsFirst,
    D,
    Expm1,
    FeatureSymbol,
    Log1p,
    RowScalarSymbol,
    RowSymbol,
    Sigmoid,
    Softplus,
    TypedSymbol,
    Where,
    axes,
)

_FUNCTIONS: dict[type, str] = {
    sympy.exp: "exp",
    sympy.log: "log",
    sympy.sin: "sin",
    sympy.cos: "cos",
    sympy.tanh: "tanh",
    sympy.erf: "erf",
    sympy.Abs: "absolute",
    sympy.sign: "sign",
    Sigmoid: "sigmoid",
    Softplus: "softplus",
    Log1p: "log1p",
    Expm1: "expm1",
}

_COMPARISONS: dict[type, str] = {
    sympy.StrictGreaterThan: "greater",
    sympy.GreaterThan: "greater_equal",
    sympy.StrictLessThan: "less",
    sympy.LessThan: "less_equal",
    sympy.Equality: "equal",
    sympy.Unequality: "not_equal",
}

LARGEST_CHAINED_POWER = 64

# Nodes above and below a fraction bar; None stands for 1.
_Quotient = tuple[int | None, int | None]


@dataclass(frozen=True)
class Event:
    """One thing that happens: a node is made, or a value leaves the loop.

    `heading` is the derivation's line that it belongs to, `step` that line's number. `name` is the symbol
    that is assigned, stored, saved or summed.
    """

    kind: Literal["make", "store", "save", "sum", "result"]
    node: int
    step: int = 0
    heading: str = ""
    name: str = ""
    store: Store | None = None


@dataclass
class Schedule:
    """A lowered program: the graph, the events in order, and the node of each symbol."""

    program: RowProgram
    cases: Cases
    graph: Graph
    events: list[Event] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)


def lower(program: RowProgram, cases: Cases, residuals: Sequence[RowScalarSymbol] = ()) -> Schedule:
    """The schedule of a program. `residuals` are saved row scalars that are zero for most rows.

    Raises LngenError for an expression that the NumPy backend cannot spell, naming it and the step.
    """
    program = with_late_scales(program, lambda p: _row_passes(_lowered(p, cases, residuals)))
    return _lowered(with_weights(program), cases, residuals)


def _lowered(program: RowProgram, cases: Cases, residuals: Sequence[RowScalarSymbol]) -> Schedule:
    lowering = _Lowering(Schedule(program, cases, Graph(cases.everything)), residuals)
    lowering.run()
    return lowering.schedule


def _row_passes(schedule: Schedule) -> int:
    """How often a call with every argument goes over whole rows: to compute them, to reduce them, to add them up."""
    nodes = schedule.graph.nodes
    last = 1 << (schedule.cases.everything.bit_length() - 1)
    made = [node for node in nodes if node.phase != "prologue" and node.operation != "load" and node.computed() & last]
    return sum(ROW in (node.axes, *(nodes[operand].axes for operand in node.operands)) for node in made)


class _Lowering:
    def __init__(self, schedule: Schedule, residuals: Sequence[RowScalarSymbol]) -> None:
        self.schedule = schedule
        self.residuals = residuals
        self.last = False
        self.graph = schedule.graph
        self.step = 0
        self.heading = ""
        self.waiting: list[FeatureReduction | RowsReduction | Store] = []

    def run(self) -> None:
        program = self.schedule.program
        self.centrings = {centring.shifted.symbol: centring for centring in program.centrings()}
        self.done = {symbol for c in self.centrings.values() for symbol in (c.residual.symbol, c.spread.symbol)}
        self._load_arguments()
        for assignment in program.prologue:
            self._assign(assignment)
        rows_reductions = [reduction for stage in program.stages for reduction in stage.rows_reductions]
        self.waiting = list(rows_reductions)
        self._flush()
        for stage in program.stages:
            self.waiting += [*(r for r in stage.reductions if r.symbol not in self.done), *stage.stores]
            self._flush()
            for assignment in stage.temps:
                if assignment.symbol.name not in self.schedule.names:
                    self._assign(assignment)
                if assignment.symbol in self.centrings:
                    self._centre(self.centrings[assignment.symbol])
                self._flush()
            for assignment in stage.row_scalars:
                self._assign(assignment)
                self._flush()
        self.last = True
        self._flush()
        if self.waiting:
            raise LngenError(
                f"program {program.layer} {program.direction}: {self.waiting[0]} needs what is never assigned"
            )
        for assignment in program.epilogue:
            self._assign(assignment)
        stored = {name for stage in program.stages for store in stage.stores for name in store.names}
        for result in program.results:
            if not stored.intersection(result.names):
                node = self._symbol(result.symbol)
                self.schedule.events.append(Event("result", node, name=result.names[0], store=result))

    def _load_arguments(self) -> None:
        program, cases, graph = self.schedule.program, self.schedule.cases, self.graph
        neutral = {name: number_of(value) for name, value in program.optional}
        for row in program.rows:
            present = (
                cases.present(row.name)
                if row.origin in ("input", "cotangent", "tangent") or row.name in neutral
                else cases.everything
            )
            value = S.Zero if row.origin == "cotangent" else neutral.get(row.name)
            self._name(row.symbol, graph.load(row.name, row.symbol.varies, "block", present, value))
        for parameter in program.parameters:
            present = cases.present(parameter.name)
            node = graph.load(parameter.name, parameter.symbol.varies, "prologue", present, neutral.get(parameter.name))
            self._name(parameter.symbol, node)
        if program.direction != "forward":
            for symbol in program.saved:
                self._name(symbol, graph.load(symbol.name, ROW_SCALAR, "block", cases.everything, None))

    def _assign(self, assignment: Assignment) -> None:
        self._at(assignment.step, assignment.symbol, assignment.expression)
        residual = self._residual_taken_off(assignment.expression)
        if residual is None:
            self._name(assignment.symbol, self._expression(assignment.expression))
        else:
            target = self._symbol(assignment.expression + residual)
            less = self._event(self.graph.in_place, "less_residual", target, self._symbol(residual))
            self._name(assignment.symbol, less)
        self._save(assignment.symbol)

    def _residual_taken_off(self, expression: Expr) -> RowScalarSymbol | None:
        """The residual that a line takes off a row that nothing else reads; it is zero for most rows."""
        for residual in self.residuals:
            shifted = expression + residual
            if isinstance(shifted, RowSymbol) and self.schedule.program.users(shifted) == 1:
                return residual
        return None

    def _centre(self, centring: Centring) -> None:
        """The residual of the rows that have one to speak of, taken off where the shifted row and its spread stand."""
        first = replace(centring.spread, body=centring.shifted.symbol**2)
        self._at(first.step, first.symbol, first.expression)
        spread = self._reduce(first.operator, first.body, rows=True)
        self._at(centring.residual.step, centring.residual.symbol, centring.residual.expression)
        shifted = self._symbol(centring.shifted.symbol)
        residual = self._apply("residual", shifted, self._symbol(centring.mean), spread)
        self._name(centring.residual.symbol, residual)
        self._save(centring.residual.symbol)
        self._at(centring.centred.step, centring.centred.symbol, centring.centred.expression)
        self._name(centring.centred.symbol, self._event(self.graph.in_place, "corrected", shifted, residual))
        self._at(centring.spread.step, centring.spread.symbol, centring.spread.expression)
        self._name(centring.spread.symbol, self._event(self.graph.in_place, "corrected", spread, residual))
        self._save(centring.spread.symbol)

    def _at(self, step: int, symbol: TypedSymbol, expression: Expr) -> None:
        self.step, self.heading = step, f"{symbol.name} = {formula(expression)}"
        self.target = symbol.name

    def _name(self, symbol: TypedSymbol, node: int) -> None:
        self.schedule.names[symbol.name] = node

    def _save(self, symbol: TypedSymbol) -> None:
        program = self.schedule.program
        if program.direction == "forward" and symbol.name in {saved.name for saved in program.saved}:
            node = self._symbol(symbol)
            self.schedule.events.append(Event("save", node, self.step, self.heading, symbol.name))

    def _flush(self) -> None:
        """Take whatever waits and has all it needs; what that makes ready is taken too."""
        progress = True
        while progress:
            progress = False
            for item in list(self.waiting):
                body = item.symbol if isinstance(item, Store) else item.body
                known = all(symbol.name in self.schedule.names or symbol.name == "D" for symbol in body.free_symbols)
                if known and not (isinstance(item, RowsReduction) and self._is_unread(body)):
                    self.waiting.remove(item)
                    self._take(item)
                    progress = True

    def _is_unread(self, body: Expr) -> bool:
        """Whether a row is an argument that nothing has read yet: its sum waits until the row is in the cache."""
        node = self.schedule.names.get(body.name) if isinstance(body, RowSymbol) else None
        if node is None or self.graph.nodes[node].operation != "load" or self.last:
            return False
        return not any(node in other.operands for other in self.graph.nodes)

    def _take(self, item: FeatureReduction | RowsReduction | Store) -> None:
        if isinstance(item, Store):
            node = self._symbol(item.symbol)
            self.schedule.events.append(Event("store", node, name=item.names[0], store=item))
        elif isinstance(item, FeatureReduction):
            self._at(item.step, item.symbol, item.expression)
            self._name(item.symbol, self._reduce(item.operator, item.body, rows=True))
            self._save(item.symbol)
        else:
            self.step, self.heading = item.step, f"{item.symbol.name} = sum over rows of {formula(item.body)}"
            self.target = item.symbol.name
            factors, rest = weights_apart(item.body)
            weights = None if factors == 1 else self._expanded(self._expression(factors), ROW_SCALAR, False)
            over_features = isinstance(item.symbol, FeatureSymbol)
            body = self._expanded(self._expression(rest), ROW if over_features else ROW_SCALAR, False)
            total = self.graph.total(item.symbol.name, item.symbol.varies, body, weights)
            self.schedule.events.append(Event("sum", total, self.step, self.heading, item.symbol.name))
            self._name(item.symbol, total)

    def _symbol(self, symbol: Symbol) -> int:
        if symbol.name == "D" and "D" not in self.schedule.names:
            self.schedule.names["D"] = self.graph.load("D", NOTHING, "prologue", self.graph.everything, None)
        if symbol.name not in self.schedule.names:
            raise LngenError(f"step {self.step}: {symbol.name} is used before it is assigned")
        return self.schedule.names[symbol.name]

    def _apply(self, operation: str, *operands: int) -> int:
        return self._event(self.graph.apply, operation, *operands)

    def _expanded(self, operand: int, axes: object, keep_numbers: bool) -> int:
        return self._event(self.graph.expanded, operand, axes, keep_numbers)

    def _event(self, make: object, *arguments: object) -> int:
        before = len(self.graph.nodes)
        node: int = make(*arguments)  # type: ignore[operator]
        number = self.graph.one_number(node)
        if number is not None:
            # Nothing computes it, so it has no variable: it is spelled where it is read.
            return self.graph.number(number)
        if len(self.graph.nodes) > before:
            self.schedule.events.append(Event("make", node, self.step, self.heading, self.target))
        return node

    def _expression(self, expression: Any) -> int:
        if expression.is_number:
            return self.graph.number(expression)
        if isinstance(expression, Symbol):
            return self._symbol(expression)
        if isinstance(expression, sympy.Add):
            return self._sum(expression)
        if isinstance(expression, sympy.Mul):
            return self._product(expression)
        if isinstance(expression, Pow):
            return self._power(expression)
        if isinstance(expression, Where):
            return self._where(expression)
        head = type(expression)
        if head in _FUNCTIONS:
            return self._apply(_FUNCTIONS[head], self._expression(expression.args[0]))
        if head in OPERATORS:
            return self._reduce(OPERATORS[head], expression.args[0], rows=False)
        if head is AttainsFirst:
            return self._attains_first(*expression.args)
        raise self._unknown(expression)

    def _unknown(self, expression: Expr) -> LngenError:
        return LngenError(
            f"step {self.step}, {self.heading}: the NumPy backend cannot write {type(expression).__name__} "
            f"({expression}); it knows sums, products, powers, Where, a reduction of a Feature, and "
            + ", ".join(sorted(head.__name__ for head in _FUNCTIONS))
        )

    def _sum(self, expression: Expr) -> int:
        terms = terms_in_order(expression)
        sign, first = terms[0]
        result = self._expression(first)
        if sign < 0:
            result = self._apply("negative", result)
        for sign, term in terms[1:]:
            result = self._apply("add" if sign > 0 else "subtract", result, self._expression(term))
        return result

    def _product(self, expression: Expr) -> int:
        coefficient, numerator, denominator = factors_in_order(expression)
        values = []
        for group in range(4):
            above = self._chain([factor for factor in numerator if rank(factor) == group])
            below = self._chain([factor for factor in denominator if rank(factor) == group])
            values.append((above, below))
        number: int | None = None if coefficient == 1 else self.graph.number(coefficient)
        row, row_scalar, feature, scalar = values
        # What is the same for all rows is combined once a call, what is the same for a row once a row.
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
        return above if below is None else self._apply("divide", above, below)

    def _merged(self, left: _Quotient, right: _Quotient) -> _Quotient:
        """The product of two quotients; it is divided as soon as there is something to divide."""
        above, below = (
            second if first is None else first if second is None else self._times(first, second)
            for first, second in zip(left, right, strict=True)
        )
        if above is None or below is None:
            return above, below
        return self._apply("divide", above, below), None

    def _times(self, left: int, right: int) -> int:
        for value, other in ((left, right), (right, left)):
            if self.graph.nodes[other].number == -1:
                return self._apply("negative", value)
        return self._apply("multiply", left, right)

    def _chain(self, factors: list[Expr]) -> int | None:
        result: int | None = None
        for factor in factors:
            value = self._expression(factor)
            result = value if result is None else self._apply("multiply", result, value)
        return result

    def _power(self, expression: Expr) -> int:
        base, exponent = expression.base, expression.exp
        if exponent.is_number and exponent.is_negative:
            return self._apply("divide", self.graph.number(S.One), self._expression(Pow(base, -exponent)))
        value = self._expression(base)
        if isinstance(exponent, Rational) and exponent.q <= 2 and exponent.p <= LARGEST_CHAINED_POWER * exponent.q:
            whole, half = divmod(int(exponent.p), int(exponent.q))
            root = self._apply("sqrt", value) if half else None
            if not whole:
                return root if root is not None else value
            power = value
            for times_base in power_chain(whole):
                power = self._apply("multiply", power, value) if times_base else self._apply("square", power)
            return power if root is None else self._apply("multiply", power, root)
        return self._apply("power", value, self._expression(exponent))

    def _where(self, expression: Any) -> int:
        condition, chosen, otherwise = expression.args
        if type(condition) not in _COMPARISONS:
            raise self._unknown(condition)
        left, right = (self._expression(side) for side in condition.args)
        test = self._apply(_COMPARISONS[type(condition)], left, right)
        return self._apply("where", test, self._expression(chosen), self._expression(otherwise))

    def _reduce(self, operator: str, body: Expr, rows: bool) -> int:
        """A reduction over the feature axis; a product of two is reduced without being stored."""
        wanted = ROW if rows else FeatureSymbol.varies
        if operator in ("mean", "sum"):
            coefficient, numerator, denominator = factors_in_order(body)
            weights = [factor for factor in numerator if rank(factor) == 2]
            if rows and len(numerator) > 2 and coefficient == 1 and not denominator and len(weights) == 1:
                return self._weighted(operator, body / weights[0], weights[0])
            pair = self._pair(numerator) if coefficient == 1 and not denominator else None
            if pair and rank(pair[0]) == (0 if rows else 2):
                first = self._expanded(self._expression(pair[0]), wanted, False)
                features = ROW if rank(pair[1]) == 0 else FeatureSymbol.varies
                second = self._expression(pair[1])
                if rank(pair[1]) in (0, 2):
                    second = self._expanded(second, features, False)
                    if rank(pair[1]) == 0 or not rows:
                        return self._apply(operator, first, second)
                    return self._apply("sum", first, self._weights(operator, second, pair[1]))
        operand = self._expanded(self._expression(body), wanted, operator != "sum")
        return self._apply(operator, operand)

    def _weighted(self, operator: str, body: Expr, weights: Expr) -> int:
        """A reduction of a product of rows, weighted by feature; of the product alone where the weights are 1."""
        feature = self._expression(weights)
        product = self._expanded(self._expression(body), ROW, False)
        ones = self.graph.cases_of_number(feature, S.One)
        numbers = {form.value for form in self.graph.nodes[feature].forms if isinstance(form.value, Number)}
        if numbers - {Number(S.Zero), Number(S.One)}:
            feature = self._expanded(feature, FeatureSymbol.varies, False)
        weighted = self._apply("sum", product, self._weights(operator, feature, weights))
        if not ones:
            return weighted
        return self._event(self.graph.either, self._reduce(operator, body, rows=True), ones, weighted)

    def _weights(self, operator: str, feature: int, expression: Expr) -> int:
        """The weights of a sum over a row; those of a mean are divided by D once a call."""
        if operator != "mean":
            return feature
        divided = self._apply("divide", feature, self._symbol(D))
        if isinstance(expression, Symbol):
            self.schedule.names.setdefault(f"{expression.name}_over_D", divided)
        return divided

    def _attains_first(self, body: Expr, extreme: Expr) -> int:
        # Every entry of the body is looked at, even where a left-out argument makes all of them the same number.
        features = ROW if axes(body).rows else FeatureSymbol.varies
        entries = self._event(self.graph.written_out, self._expression(body), features)
        return self._apply("attains_first", entries, self._expression(extreme))

    def _pair(self, numerator: tuple[Expr, ...]) -> tuple[Expr, Expr] | None:
        if len(numerator) == 2:
            return numerator[0], numerator[1]
        if len(numerator) == 1 and isinstance(numerator[0], Pow) and numerator[0].exp.is_Integer:
            half, odd = divmod(int(numerator[0].exp), 2)
            if half > 0 and not odd:
                return Pow(numerator[0].base, half), Pow(numerator[0].base, half)
        return None
