"""A definition as SymPy equations: one name, one right-hand side, reductions on their own.

This is where text becomes mathematics. Each statement turns into an `Equation`; a reduction inside a larger expression
gets an equation of its own, so that everything after this module meets a reduction only as `m = Mean(body)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import sympy
from sympy import Expr

from lngen.definition import (
    Binary,
    Call,
    Compare,
    Definition,
    Expression,
    FeatureCount,
    Input,
    Kind,
    Name,
    Negate,
    Number,
)
from lngen.symbolic import (
    D,
    Expm1,
    FeatureSymbol,
    Log1p,
    Mean,
    Reduction,
    RowMax,
    RowMin,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    Sigmoid,
    Softplus,
    StopGradient,
    TypedSymbol,
    Where,
    axes,
    symbol_like,
)

SYMBOL_OF_KIND: dict[Kind, type[TypedSymbol]] = {
    Kind.ROW: RowSymbol,
    Kind.ROW_SCALAR: RowScalarSymbol,
    Kind.FEATURE: FeatureSymbol,
    Kind.SCALAR: ScalarSymbol,
    Kind.CONSTANT: ScalarSymbol,
}

SYMBOLIC: dict[str, Callable[..., Expr]] = {
    "mean": Mean,
    "sum": lambda u: D * Mean(u),
    "max": RowMax,
    "min": RowMin,
    "sqrt": sympy.sqrt,
    "rsqrt": lambda u: u ** sympy.Rational(-1, 2),
    "exp": sympy.exp,
    "log": sympy.log,
    "log1p": Log1p,
    "expm1": Expm1,
    "sin": sympy.sin,
    "cos": sympy.cos,
    "tanh": sympy.tanh,
    "sigmoid": Sigmoid,
    "softplus": Softplus,
    "relu": lambda u: Where(u > 0, u, sympy.S.Zero),
    "silu": lambda u: u * Sigmoid(u),
    "gelu": lambda u: u * (1 + sympy.erf(u / sympy.sqrt(2))) / 2,
    "erf": sympy.erf,
    "abs": sympy.Abs,
    "sign": sympy.sign,
    # On a tie the gradient goes to the second argument, so the first wins only where it is strictly ahead.
    "maximum": lambda a, b: Where(a > b, a, b),
    "minimum": lambda a, b: Where(a < b, a, b),
    "where": Where,
    "stop_gradient": StopGradient,
}

_COMPARISONS: dict[str, Callable[[Expr, Expr], Expr]] = {
    "<": sympy.StrictLessThan,
    "<=": sympy.LessThan,
    ">": sympy.StrictGreaterThan,
    ">=": sympy.GreaterThan,
    "==": sympy.Equality,
    "!=": sympy.Unequality,
}


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
        for candidate in (self.expression, self.expression / D):
            if isinstance(candidate, Reduction):
                return candidate
        return None


@dataclass(frozen=True)
class Forward:
    """A forward definition as equations, in an order in which each uses only earlier ones."""

    layer: str
    inputs: tuple[Input, ...]
    symbols: tuple[TypedSymbol, ...]
    equations: tuple[Equation, ...]
    outputs: tuple[TypedSymbol, ...]

    @property
    def differentiable(self) -> tuple[TypedSymbol, ...]:
        """The symbols of all inputs that have a gradient."""
        return tuple(
            symbol
            for entry, symbol in zip(self.inputs, self.symbols, strict=True)
            if entry.kind is not Kind.CONSTANT
        )

    def equation_of(self) -> dict[TypedSymbol, Equation]:
        """Look-up of an equation by its symbol."""
        return {equation.symbol: equation for equation in self.equations}


class Names:
    """Hands out names that are not taken.

    >>> names = Names(["x", "mu"])
    >>> names.fresh("mu"), names.fresh("mu"), names.fresh("rstd")
    ('mu_2', 'mu_3', 'rstd')
    """

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)

    def fresh(self, wanted: str) -> str:
        """`wanted`, or `wanted_2`, `wanted_3`, ... where it is taken."""
        name, count = wanted, 1
        while name in self._taken:
            count += 1
            name = f"{wanted}_{count}"
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

    A Constant with a positive default is taken to be positive: `eps` is.
    """
    names = Names([entry.name for entry in definition.inputs])
    for statement in definition.statements:
        names.fresh(statement.name)
    symbols = tuple(_input_symbol(entry) for entry in definition.inputs)
    environment: dict[str, Expr] = {symbol.name: symbol for symbol in symbols}
    equations: list[Equation] = []
    for statement in definition.statements:
        expression = to_sympy(statement.expression, environment)
        bare = Equation(symbol_like("unused", expression), expression).reduction is not None
        expression = _split_reductions(expression, equations, names, whole=bare)
        symbol = symbol_like(statement.name, expression, **known_sign(expression))
        equations.append(Equation(symbol, expression, named=True))
        environment[statement.name] = symbol
    outputs = tuple(environment[name] for name in definition.outputs)
    return Forward(definition.name, definition.inputs, symbols, tuple(equations), outputs)


def _input_symbol(entry: Input) -> TypedSymbol:
    positive = entry.kind is Kind.CONSTANT and entry.default is not None and entry.default > 0
    return SYMBOL_OF_KIND[entry.kind](entry.name, **({"positive": True} if positive else {}))


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
            return _COMPARISONS[operator](to_sympy(left, environment), to_sympy(right, environment))
        case Call(function=function, arguments=arguments):
            return SYMBOLIC[function](*(to_sympy(argument, environment) for argument in arguments))
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


def _split_reductions(expression: Expr, equations: list[Equation], names: Names, *, whole: bool) -> Expr:
    """Give every reduction inside `expression` its own equation, innermost first.

    With `whole` the outermost reduction stays: it is the statement itself.
    """
    known = {equation.expression: equation.symbol for equation in equations if equation.reduction is not None}
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


def reduction_name(reduction: Reduction) -> str:
    """The field's name for a reduction that the user left unnamed.

    >>> x, mu = RowSymbol("x"), RowScalarSymbol("mu")
    >>> [reduction_name(r) for r in (Mean(x), Mean((x - mu)**2), Mean(x**2), RowMax(x), Mean(x**4))]
    ['mu', 'var', 'ms', 'row_max', 'mean_x']
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
    leading = sorted((symbol.name for symbol in body.free_symbols if axes(symbol).features), key=len)
    return f"mean_{leading[0]}" if leading else "mean_1"
