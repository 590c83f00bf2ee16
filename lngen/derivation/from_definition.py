"""A definition as SymPy equations: one name, one right-hand side, reductions on their own.

This is where text becomes mathematics. Each statement turns into an `Equation`; a reduction inside a larger expression
gets an equation of its own, so that everything after this module meets a reduction only as `m = Mean(body)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial

import sympy
from sympy import Expr, Mul

from lngen.algebra.equations import Equation, Forward, Names
from lngen.algebra.notation.plain import text
from lngen.algebra.reductions import known_sign, split_statement
from lngen.algebra.symbols import (
    HEADS,
    NOTHING,
    PLACE,
    D,
    FeatureSymbol,
    Mean,
    Power,
    RowMax,
    RowMin,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    StopGradient,
    TypedSymbol,
    Where,
    axes,
    holds_integers,
    stand_in,
)
from lngen.errors import DefinitionError
from lngen.language import FUNCTIONS
from lngen.language.association import cancelled, with_sums_apart
from lngen.language.definition import Definition, Input
from lngen.language.functions import Named
from lngen.language.names import derived
from lngen.language.syntax import (
    Binary,
    Call,
    Compare,
    Connective,
    Expression,
    FeatureCount,
    Kind,
    Name,
    Negate,
    Number,
    Pi,
    SourceSpan,
    render,
)

SYMBOL_OF_KIND: dict[Kind, type[TypedSymbol]] = {
    Kind.ROW: RowSymbol,
    Kind.ROW_SCALAR: RowScalarSymbol,
    Kind.FEATURE: FeatureSymbol,
    Kind.SCALAR: ScalarSymbol,
    Kind.DATA: RowSymbol,
    Kind.DATA_PER_ROW: RowScalarSymbol,
    Kind.DATA_PER_FEATURE: FeatureSymbol,
    Kind.INT: RowSymbol,
    Kind.INT_PER_ROW: RowScalarSymbol,
    Kind.INT_PER_FEATURE: FeatureSymbol,
    Kind.INT_NUMBER: ScalarSymbol,
    Kind.CONSTANT: ScalarSymbol,
}


def symbol_of(kind: Kind, name: str, **assumptions: bool) -> TypedSymbol:
    """The symbol of a value of a kind."""
    return SYMBOL_OF_KIND[kind](name, **assumptions, **({"integer": True} if kind.is_integer else {}))


def _larger(a: Expr, b: Expr) -> Expr:
    """The larger of two; on a tie the second, to which the gradient then goes.

    A comparison with a NaN is false, so what is chosen then is the one that varies: a NaN in gives a NaN out.

    >>> x, z = RowSymbol("x"), RowSymbol("z")
    >>> _larger(x, sympy.S.One), _larger(sympy.S.One, x), _larger(x, z)
    (Where(x <= 1, 1, x), Where(1 > x, 1, x), Where(x > z, x, z))
    """
    return Where(a > b, a, b) if axes(b).rows else Where(a <= b, b, a)


def _smaller(a: Expr, b: Expr) -> Expr:
    """The smaller of two, as `_larger`."""
    return Where(a < b, a, b) if axes(b).rows else Where(a >= b, b, a)


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
    "index": lambda: PLACE,
    "pick": lambda u, i: D * Mean(Where(sympy.Eq(PLACE, i), u, 0)),
    "abs": _absolute,
    "maximum": _larger,
    "minimum": _smaller,
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


def rational(value: Fraction) -> Expr:
    """A Fraction as a SymPy number."""
    return sympy.Rational(value.numerator, value.denominator)


def translate(definition: Definition) -> Forward:
    """The equations of a definition, statement by statement, each reduction on its own line.

    A Constant with a positive default is taken to be positive: `eps` is. A statement keeps the kind that it has in the
    definition even if SymPy finds that it varies over less (`(x - mean(x)) - x` is a Row that is `-mu` everywhere).

    Raises DefinitionError for a statement that is infinite or not real whatever the inputs (`x / (x - x)`), and for a
    power with an irrational exponent. A comparison that the sign of a positive Constant decides is refused too.
    """
    ends = [*(entry.name for entry in definition.inputs), *definition.outputs]
    names = Names({*ends, *(statement.name for statement in definition.statements)}.union(*map(derived, ends)))
    # With an exponent of 0, which a call may pass, the derivative of a power is no quotient.
    exponents = definition.exponents
    symbols = tuple(_input_symbol(entry, entry.name in exponents) for entry in definition.inputs)
    environment: dict[str, Expr] = {symbol.name: symbol for symbol in symbols}
    equations: list[Equation] = []
    own = {statement.name for statement in definition.statements}
    apart: dict[TypedSymbol, Expr] = {}
    for statement in with_sums_apart(definition, names.fresh):
        try:
            expression = to_sympy(statement.expression, environment)
        except DecidedError as error:
            remedy = "write the value that is chosen, or give the Constant no positive default"
            raise _refused(definition, error.span, "decided", str(error), remedy) from None
        except NotRealError:
            expression = sympy.nan
        if holds_integers(expression):
            # No value of a layer is an integer: what is made of inputs and places is made again where it is read.
            environment[statement.name] = expression
            continue
        expression = written = cancelled(expression, apart)
        _require_real(definition, statement.name, statement.span, expression)
        bare = Equation(stand_in("statement", expression), expression).reduction is not None
        expression = split_statement(expression, equations, names, whole=bare)
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
    """Raises DefinitionError for a right-hand side that is infinite, no real number or an irrational power once it is
    simplified.
    """
    spans = {statement.name: statement.span for statement in definition.statements}
    for equation in equations:
        name = equation.symbol.name
        _require_real(definition, name, spans.get(name, definition.statements[-1].span), equation.expression)


def _require_real(definition: Definition, name: str, span: SourceSpan, expression: Expr) -> None:
    if expression.has(*_NOT_REAL):
        message = f"{name!r} is infinite or not a real number, whatever the inputs"
        raise _refused(definition, span, "not-real", message, "take out what divides by zero or leaves the reals")
    # SymPy has found it: exp(pi*log(u)) is u**pi, and cos(pi*D) is (-1)**D.
    if powers := [power for power in expression.atoms(sympy.Pow) if not power.exp.is_Rational]:
        message = f"{name!r} has the power {text(powers[0])}, whose exponent is not a rational number"
        remedy = "write the number as a decimal, such as 3.141592653589793 for pi"
        raise _refused(definition, span, "irrational-power", message, remedy)


class DecidedError(Exception):
    """A comparison that SymPy decides because a Constant is positive."""

    def __init__(self, expression: Compare | Call, outcome: Expr) -> None:
        always = "true" if outcome == sympy.true else "false"
        super().__init__(f"the comparison in `{render(expression)}` is always {always}: a Constant here is positive")
        self.span = expression.span


class NotRealError(Exception):
    """A comparison with what is infinite or no real number, which SymPy does not make."""


def _refused(definition: Definition, span: SourceSpan, code: str, message: str, remedy: str) -> DefinitionError:
    line = definition.source.splitlines()[span.line - 1]
    return DefinitionError(definition.filename, span.line, span.column, message, remedy, line, code)


def _input_symbol(entry: Input, may_be_zero: bool) -> TypedSymbol:
    known = {"nonnegative" if may_be_zero else "positive": True} if entry.is_positive else {}
    return symbol_of(entry.kind, entry.name, **known)


def to_sympy(expression: Expression, environment: dict[str, Expr]) -> Expr:
    """One expression of a definition as a SymPy expression, names looked up in `environment`."""
    match expression:
        case Number(value=value):
            return rational(value)
        case Name(name=name):
            return environment[name]
        case FeatureCount():
            return D
        case Pi():
            return sympy.pi
        case Negate(operand=operand):
            return -to_sympy(operand, environment)
        case Compare(operator=operator, left=left, right=right):
            return _compared(expression, operator, to_sympy(left, environment), to_sympy(right, environment))
        case Call(function="where", arguments=(condition, chosen, otherwise)):
            return _select(condition, to_sympy(chosen, environment), to_sympy(otherwise, environment), environment)
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
                    return Power(a, b)
    raise TypeError(f"not an expression of the definition language: {expression!r}")


def _select(condition: Expression, chosen: Expr, otherwise: Expr, environment: dict[str, Expr]) -> Expr:
    """A select by joined conditions as selects by comparisons, which is all that differentiation and proofs meet.

    What stands in two of the selects is a name or a number. For anything larger the condition becomes a number, 1 or 0,
    so that neither the values nor the selects of a long condition are repeated.

    >>> from lngen.language.parsing import parse
    >>> x = RowSymbol("x")
    >>> where = parse("def f(x: Row): return where((x > 1) & ~(x == 2), x, 0)").statements[0].expression
    >>> _select(where.arguments[0], x**2, sympy.S.Zero, {"x": x})
    Where(x > 1, Where(Eq(x, 2), 0, x**2), 0)
    >>> _select(where.arguments[0], x**2, x + 1, {"x": x})
    Where(Where(x > 1, Where(Eq(x, 2), 0, 1), 0) > 1/2, x**2, x + 1)
    """
    match condition:
        case Connective("~", (operand,)):
            return _select(operand, otherwise, chosen, environment)
        case Connective(operator, (first, second)):
            if not (otherwise if operator == "&" else chosen).is_Atom:
                number = _select(condition, sympy.S.One, sympy.S.Zero, environment)
                return Where(number > sympy.S.Half, chosen, otherwise)
            inner = _select(second, chosen, otherwise, environment)
            return _select(first, *((inner, otherwise) if operator == "&" else (chosen, inner)), environment)
    return Where(to_sympy(condition, environment), chosen, otherwise)


def _compared(expression: Compare | Call, operator: str, left: Expr, right: Expr) -> Expr:
    if left.has(*_NOT_REAL) or right.has(*_NOT_REAL):
        raise NotRealError
    outcome = _COMPARISONS[operator](left, right)
    constants = [s for s in (left - right).free_symbols if axes(s) == NOTHING and s.is_positive and s != D]
    if outcome in (sympy.true, sympy.false) and constants:
        raise DecidedError(expression, outcome)
    return outcome
