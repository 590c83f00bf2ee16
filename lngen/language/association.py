"""Keep the order of additions that a definition prescribes.

SymPy does not keep the order: it turns `x + (a - b)` into `x + a - b`, and `0.1*(a - b)` into `0.1*a - 0.1*b`. In
floating point the order matters: where a and b are large and close, the digits of `a - b` are lost.

A sum that SymPy would merge into the surrounding sum becomes a statement of its own before SymPy sees it, as if the
user had written that line. `lngen.derivation.normal_form` does not inline the statement again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import replace

from sympy import Add, Expr, S, Symbol

from lngen.language.definition import Definition, Statement
from lngen.language.syntax import Binary, Call, Expression, Kind, Name, Negate, Number, mapped, walk
from lngen.language.syntax import render as text_of

_REDUCTIONS = ("mean", "sum", "max", "min")


def with_sums_apart(definition: Definition, fresh: Callable[[str], str]) -> Iterator[Statement]:
    """Yield the statements of a definition, each after the sums in it that SymPy would merge; `fresh` names these.

    `a + b - c` stays as it is, since subtracted terms come last (`lngen.emit.expressions.terms_in_order`). `a - b`
    becomes a statement if more terms follow.

    >>> from lngen.language.parsing import parse
    >>> from lngen.algebra.equations import Names
    >>> text = "def f(x: Row, a: Row, b: Row): return a - b + x + tanh(-0.1*(a + x)) - (x + b - a)"
    >>> for statement in with_sums_apart(parse(text), Names([]).fresh):
    ...     print(statement.name, "=", text_of(statement.expression))
    total = (a - b)
    total_2 = (a + x)
    total_3 = ((x + b) - a)
    y = (((total + x) + tanh(((-1/10) * total_2))) - total_3)

    What is chosen by a `where` stays there: it need not have a value where it is not chosen. And statistics of a row
    melt: `x - (max(x) + s)` is `(x - max(x)) - s`, which has more digits.
    """
    given = {entry.name for entry in definition.inputs}
    sums: dict[str, Statement] = {}

    def named(total: Binary) -> Name:
        text = text_of(total)
        if text not in sums:
            sums[text] = Statement(fresh("total"), total, total.kind, total.span)
        return Name(sums[text].name, total.kind, total.span)

    for statement in definition.statements:
        known = len(sums)
        expression = _apart(statement.expression, given, named)
        yield from list(sums.values())[known:]
        yield replace(statement, expression=expression)


def _apart(expression: Expression, given: Set[str], named: Callable[[Binary], Name], melts: bool = False) -> Expression:
    def apart(part: Expression, melts: bool = False) -> Expression:
        return _apart(part, given, named, melts)

    match expression:
        case Negate(operand=operand):
            return replace(expression, operand=apart(operand, melts))
        case Binary("*" | "/", left, right) if _is_number(left) or _is_number(right):
            return replace(expression, left=apart(left, True), right=apart(right, expression.operator == "*"))
        case Binary("+" | "-", left, right):
            total = replace(expression, left=apart(left, not _adds(left)), right=apart(right, True))
            return named(total) if melts and _has_digits_to_lose(total, given) else total
        case Call("where", (condition, *chosen)):
            return replace(expression, arguments=(apart(condition), *chosen))
        case _:
            return mapped(expression, apart)


def _adds(expression: Expression) -> bool:
    return isinstance(expression, Binary) and expression.operator == "+"


def _is_number(expression: Expression) -> bool:
    return all(isinstance(part, (Number, Negate, Binary)) for part in walk(expression))


def _has_digits_to_lose(total: Expression, given: Set[str]) -> bool:
    """Test whether a sum has terms other than numbers and statistics of a row."""
    parts = tuple(walk(total))
    names = {part.name for part in parts if isinstance(part, Name)}
    if total.kind is not Kind.ROW_SCALAR:
        return bool(names)
    return names <= given and not any(isinstance(part, Call) and part.function in _REDUCTIONS for part in parts)


def cancelled(expression: Expr, apart: Mapping[Symbol, Expr]) -> Expr:
    """An expression in which sums that stand apart melt after all, where a term of theirs cancels: that is exact.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, mu, t = (RowSymbol(name) for name in ("x", "mu", "t"))
    >>> cancelled(x - t, {t: x - mu}), cancelled(3 * x - t, {t: x - mu})
    (mu, -t + 3*x)
    """

    def melted(*terms: Expr) -> Expr:
        for term in terms:
            value = term.xreplace(apart) if term.as_coeff_Mul()[1] in apart else S.Zero
            if any(-part in terms for part in Add.make_args(value)):
                return Add(*(value if other is term else other for other in terms))
        return Add(*terms)

    return expression.replace(Add, melted)
