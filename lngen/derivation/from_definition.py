"""A definition as SymPy equations: one name, one right-hand side, reductions on their own.

This is where text becomes mathematics. Each statement turns into an `Equation`; a reduction inside a larger expression
gets an equation of its own, so that everything after this module meets a reduction only as `m = Mean(body)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import sympy
from sympy import Expr, Mul

from lngen.errors import DefinitionError
from lngen.expressions.symbols import (
    HEADS,
    NOTHING,
    Assigned,
    D,
    FeatureSymbol,
    Mean,
    Reduction,
    RowMax,
    RowMin,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    StopGradient,
    TypedSymbol,
    Where,
    axes,
    symbol_like,
)
from lngen.language import FUNCTIONS
from lngen.language.association import cancelled, with_sums_apart
from lngen.language.definition import Definition, Input
from lngen.language.functions import Named
from lngen.language.names import derived, fault, numbered
from lngen.language.syntax import (
    Binary,
    Call,
    Compare,
    Expression,
    FeatureCount,
    Kind,
    Name,
    Negate,
    Number,
    Span,
    render,
)

SYMBOL_OF_KIND: dict[Kind, type[TypedSymbol]] = {
    Kind.ROW: RowSymbol,
    Kind.ROW_SCALAR: RowScalarSymbol,
    Kind.FEATURE: FeatureSymbol,
    Kind.SCALAR: ScalarSymbol,
    Kind.CONSTANT: ScalarSymbol,
}


def _larger(a: Expr, b: Expr) -> Expr:
    """The larger of two; on a tie the second, to which the gradient then goes.

    A comparison with a NaN is false, so what is chosen then is the one that varies: a NaN in gives a NaN out.

    >>> x, z = RowSymbol("x"), RowSymbol("z")
    >>> _larger(x, sympy.S.One), _larger(sympy.S.One, x), _larger(x, z)
    (Where(x <= 1, 1, x), Where(1 > x, 1, x), Where(x > z, x, z))
    """
    return Where(a <= b, b, a) if axes(b) == NOTHING else Where(a > b, a, b)


def _smaller(a: Expr, b: Expr) -> Expr:
    """The smaller of two, as `_larger`."""
    return Where(a >= b, b, a) if axes(b) == NOTHING else Where(a < b, a, b)


def _absolute(u: Expr) -> Expr:
    """The absolute value, factor by factor. SymPy's own would also bring a quotient to whole numbers, which may
    overflow.

    >>> x = RowSymbol("x")
    >>> _absolute(x / sympy.sqrt(x**2 + sympy.Rational(1, 1000)))
    Abs(x)/sqrt(x**2 + 1/1000)
    """
    if isinstance(u, Mul):
        return Mul(*map(_absolute, u.args))
    if isinstance(u, sympy.Pow) and u.exp.is_negative:
        return 1 / _absolute(1 / u)
    return sympy.Abs(u)


_STRUCTURE: dict[str, Callable[..., Expr]] = {
    "mean": Mean,
    "sum": lambda u: D * Mean(u),
    "max": RowMax,
    "min": RowMin,
    "abs": _absolute,
    "maximum": _larger,
    "minimum": _smaller,
    "where": Where,
    "stop_gradient": StopGradient,
}


def symbolic(name: str) -> Callable[..., Expr]:
    """A function of the language on expressions, or else SymPy's of that name.

    >>> x = RowSymbol("x")
    >>> symbolic("silu")(x), symbolic("rsqrt")(x), symbolic("sqrt")(4)
    (x*Sigmoid(x), 1/sqrt(x), 2)
    """
    if (found := _STRUCTURE.get(name) or HEADS.get(name)) is not None:
        return found
    written = FUNCTIONS[name].written if name in FUNCTIONS else None
    return partial(written, _SYMBOLIC) if written else getattr(sympy, name)


_SYMBOLIC = Named(symbolic)

_COMPARISONS: dict[str, Callable[[Expr, Expr], Expr]] = {
    "<": sympy.StrictLessThan,
    "<=": sympy.LessThan,
    ">": sympy.StrictGreaterThan,
    ">=": sympy.GreaterThan,
    "==": sympy.Equality,
    "!=": sympy.Unequality,
}


# Functions that compare: the first argument with the second, or with zero where there is none.
_COMPARING = {"maximum": ">", "minimum": "<", "relu": ">"}

_NOT_REAL = (sympy.zoo, sympy.nan, sympy.oo, -sympy.oo, sympy.I)


@dataclass(frozen=True)
class Equation:
    """`symbol = expression`.

    `named` tells whether the name is the user's own; `stopped` that no gradient flows through, because the results do
    not depend on the value (a shift that cancels) or because the user said so.
    """

    symbol: TypedSymbol
    expression: Expr
    named: bool = False
    stopped: bool = False

    @property
    def reduction(self) -> Reduction | None:
        """The reduction this equation is, if it is one: `Mean(body)`, or `D*Mean(body)`, which is a sum."""
        if isinstance(self.expression, Reduction):
            return self.expression
        mean = self.expression / D
        return mean if isinstance(mean, Mean) else None


@dataclass(frozen=True)
class Forward:
    """A forward definition as equations, in an order in which each uses only earlier ones.

    `spoken_for` are names that nothing new may have, besides those of the equations: what the definition calls its
    values, also those that a rule has done away with. A proof has the values of the definition beside all others.
    """

    layer: str
    inputs: tuple[Input, ...]
    symbols: tuple[TypedSymbol, ...]
    equations: tuple[Equation, ...]
    outputs: tuple[TypedSymbol, ...]
    spoken_for: tuple[str, ...] = ()

    @property
    def differentiable(self) -> tuple[TypedSymbol, ...]:
        """The symbols of all inputs that have a gradient."""
        return tuple(
            symbol for entry, symbol in zip(self.inputs, self.symbols, strict=True) if entry.kind is not Kind.CONSTANT
        )


class Names:
    """Hands out names that are not taken and that a definition could have used (`lngen.language.names`).

    >>> names = Names(["x", "mu"])
    >>> names.fresh("mu"), names.fresh("mu"), names.fresh("rstd"), names.fresh("mean")
    ('mu_2', 'mu_3', 'rstd', 'mean_2')
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    @classmethod
    def of(cls, forward: Forward, others: Iterable[Assigned] = ()) -> Names:
        """The names that a forward and other lines take, and those of the gradients and cotangents of its ends."""
        ends = [symbol.name for symbol in (*forward.symbols, *forward.outputs)]
        own = (equation.symbol.name for equation in (*forward.equations, *others))
        return cls([*ends, *derived(ends), *own, *forward.spoken_for])

    def take(self, name: str) -> None:
        """Note a name that is in use."""
        self._taken.add(name)

    def fresh(self, wanted: str) -> str:
        """`wanted`, or `wanted_2`, `wanted_3`, ... where it is taken, or a reserved word; a long one is cut."""
        name = numbered(wanted, lambda name: name in self._taken or fault(name) is not None)
        self._taken.add(name)
        return name


def rational(value: Fraction) -> Expr:
    """A Fraction as a SymPy number."""
    return sympy.Rational(value.numerator, value.denominator)


def known_sign(expression: Expr) -> dict[str, bool]:
    """What SymPy can prove of an expression's sign, as assumptions for a symbol that stands for it."""
    if expression.is_positive:
        return {"positive": True}
    if expression.is_nonnegative:
        return {"nonnegative": True}
    if expression.is_nonzero or (isinstance(expression, sympy.Pow) and expression.exp.is_negative):
        return {"nonzero": True}
    return {}


def translate(definition: Definition) -> Forward:
    """The equations of a definition, statement by statement, each reduction on its own line.

    A Constant with a positive default is taken to be positive: `eps` is. A statement keeps the kind that it has in the
    definition even if SymPy finds that it varies over less (`(x - mean(x)) - x` is a Row that is `-mu` everywhere).

    Raises DefinitionError for a statement that is infinite or not real whatever the inputs (`x / (x - x)`), and for a
    comparison that the sign of a positive Constant decides.
    """
    ends = [*(entry.name for entry in definition.inputs), *definition.outputs]
    names = Names([*ends, *derived(ends), *(statement.name for statement in definition.statements)])
    symbols = tuple(_input_symbol(entry) for entry in definition.inputs)
    environment: dict[str, Expr] = {symbol.name: symbol for symbol in symbols}
    equations: list[Equation] = []
    own = {statement.name for statement in definition.statements}
    apart: dict[TypedSymbol, Expr] = {}
    for statement in with_sums_apart(definition, names.fresh):
        try:
            expression = to_sympy(statement.expression, environment)
        except _DecidedError as error:
            remedy = "write the value that is chosen, or give the Constant no positive default"
            raise _refused(definition, error.span, str(error), remedy) from None
        except _NotRealError:
            expression = sympy.nan
        expression = written = cancelled(expression, apart)
        _require_real(definition, statement.name, statement.span, expression)
        bare = Equation(symbol_like("unused", expression), expression).reduction is not None
        expression = split_reductions(expression, equations, names, whole=bare)
        symbol = SYMBOL_OF_KIND[statement.kind](statement.name, **known_sign(expression))
        equations.append(Equation(symbol, expression, named=statement.name in own))
        environment[statement.name] = symbol
        if statement.name not in own:
            apart[symbol] = written
    read = {symbol for equation in equations for symbol in equation.expression.free_symbols}
    equations = [equation for equation in equations if equation.symbol in read or equation.symbol not in apart]
    outputs = tuple(environment[name] for name in definition.outputs)
    spoken_for = tuple(equation.symbol.name for equation in equations)
    return Forward(definition.name, definition.inputs, symbols, tuple(equations), outputs, spoken_for)


def require_real(definition: Definition, equations: Iterable[Equation]) -> None:
    """Raises DefinitionError for a right-hand side that is infinite or no real number once it is simplified."""
    spans = {statement.name: statement.span for statement in definition.statements}
    for equation in equations:
        name = equation.symbol.name
        _require_real(definition, name, spans.get(name, definition.statements[-1].span), equation.expression)


def _require_real(definition: Definition, name: str, span: Span, expression: Expr) -> None:
    if expression.has(*_NOT_REAL):
        message = f"{name!r} is infinite or not a real number, whatever the inputs"
        raise _refused(definition, span, message, "take out what divides by zero or leaves the reals")


class _DecidedError(Exception):
    """A comparison that SymPy decides because a Constant is positive."""

    def __init__(self, expression: Compare | Call, outcome: Expr) -> None:
        always = "true" if outcome == sympy.true else "false"
        super().__init__(f"the comparison in `{render(expression)}` is always {always}: a Constant here is positive")
        self.span = expression.span


class _NotRealError(Exception):
    """A comparison with what is infinite or no real number, which SymPy does not make."""


def _refused(definition: Definition, span: Span, message: str, remedy: str) -> DefinitionError:
    line = definition.source.splitlines()[span.line - 1]
    return DefinitionError(definition.filename, span.line, span.column, message, remedy, line)


def _input_symbol(entry: Input) -> TypedSymbol:
    return SYMBOL_OF_KIND[entry.kind](entry.name, **({"positive": True} if entry.is_positive else {}))


def to_sympy(expression: Expression, environment: dict[str, Expr]) -> Expr:
    """One expression of a definition as a SymPy expression, names looked up in `environment`."""
    match expression:
        case Number(value=value):
            return rational(value)
        case Name(name=name):
            return environment[name]
        case FeatureCount():
            return D
        case Negate(operand=operand):
            return -to_sympy(operand, environment)
        case Compare(operator=operator, left=left, right=right):
            return _compared(expression, operator, to_sympy(left, environment), to_sympy(right, environment))
        case Call(function=function, arguments=arguments):
            values = [to_sympy(argument, environment) for argument in arguments]
            if function in _COMPARING:
                _compared(expression, _COMPARING[function], values[0], values[-1] if len(values) > 1 else sympy.S.Zero)
            return symbolic(function)(*values)
        case Binary(operator=operator, left=left, right=right):
            a, b = to_sympy(left, environment), to_sympy(right, environment)
            match operator:
                case "+":
                    return a + b
                case "-":
                    return a - b
                case "*":
                    return a * b
                case "/":
                    return a / b
                case _:
                    return a**b
    raise TypeError(f"not an expression of the definition language: {expression!r}")


def _compared(expression: Compare | Call, operator: str, left: Expr, right: Expr) -> Expr:
    if left.has(*_NOT_REAL) or right.has(*_NOT_REAL):
        raise _NotRealError
    outcome = _COMPARISONS[operator](left, right)
    constants = [s for s in (left - right).free_symbols if axes(s) == NOTHING and s.is_positive and s != D]
    if outcome in (sympy.true, sympy.false) and constants:
        raise _DecidedError(expression, outcome)
    return outcome


def split_reductions(expression: Expr, equations: list[Equation], names: Names, *, whole: bool) -> Expr:
    """Give every reduction inside `expression` its own equation, innermost first.

    With `whole` the outermost reduction stays: it is the statement itself.
    """
    known = {equation.expression: equation.symbol for equation in equations if equation.reduction is not None}
    sums = {body: _split_sums(body, equations, names, known) for body in _bodies(expression, whole)}
    expression = expression.xreplace(sums)
    while True:
        inner = [
            reduction
            for reduction in sorted(expression.atoms(Reduction), key=sympy.default_sort_key)
            if not reduction.args[0].atoms(Reduction)
        ]
        if whole and expression.atoms(Reduction) == set(inner) and len(inner) == 1:
            return expression
        if not inner:
            return expression
        for reduction in inner:
            symbol = known.get(reduction)
            if symbol is None:
                symbol = symbol_like(names.fresh(reduction_name(reduction)), reduction, **known_sign(reduction))
                known[reduction] = symbol
                equations.append(Equation(symbol, reduction))
            expression = expression.xreplace({reduction: symbol})


def _bodies(expression: Expr, whole: bool) -> list[Expr]:
    """What may hold sums to split off: a statement that is a reduction as a whole keeps that one."""
    if not whole:
        return [expression]
    return [reduction.args[0] for reduction in (expression, expression / D) if isinstance(reduction, Reduction)]


def _split_sums(expression: Expr, equations: list[Equation], names: Names, known: dict[Expr, TypedSymbol]) -> Expr:
    """Every `D*Mean(body)`, which is a sum, given an equation as a whole, unless the mean has one already."""

    def is_sum(e: Expr) -> bool:
        return isinstance(e, Mul) and any(isinstance(f.as_base_exp()[0], Mean) for f in e.args) and e.has(D)

    def with_symbol(product: Expr) -> Expr:
        powers = dict(factor.as_base_exp() for factor in product.args)
        for mean in sorted((base for base in powers if isinstance(base, Mean)), key=sympy.default_sort_key):
            if powers.get(D) != powers[mean] or mean in known or mean.args[0].atoms(Reduction):
                continue
            if D * mean not in known:
                name = names.fresh(f"sum_{_leading_word(mean.args[0])}")
                known[D * mean] = symbol_like(name, mean, **known_sign(mean))
                equations.append(Equation(known[D * mean], D * mean))
            return product / (D * mean) ** powers[D] * known[D * mean] ** powers[D]
        return product

    return expression.replace(is_sum, with_symbol)


def _leading_word(body: Expr) -> str:
    leading = sorted((symbol.name for symbol in body.free_symbols if axes(symbol).features), key=lambda n: (len(n), n))
    power = body.exp if isinstance(body, sympy.Pow) and body.exp.is_Integer and body.exp > 1 else ""
    return f"{leading[0]}{power}" if leading else "one"


def reduction_name(reduction: Reduction) -> str:
    """The field's name for a reduction that the user left unnamed.

    >>> x, mu = RowSymbol("x"), RowScalarSymbol("mu")
    >>> [reduction_name(r) for r in (Mean(x), Mean((x - mu)**2), Mean(x**2), RowMax(x), Mean(x**4))]
    ['mu', 'var', 'ms', 'row_max', 'mean_x4']
    """
    body = reduction.args[0]
    if isinstance(reduction, RowMax):
        return "row_max"
    if isinstance(reduction, RowMin):
        return "row_min"
    if isinstance(body, TypedSymbol) and axes(body).rows:
        return "mu"
    if isinstance(body, sympy.Pow) and body.exp == 2 and axes(body).rows:
        return "ms" if isinstance(body.base, TypedSymbol) else "var"
    return f"mean_{_leading_word(body)}"
