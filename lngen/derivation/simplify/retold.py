"""A change of basis told step by step: what is put in, the identities that hold then, what is taken out of the sum.

What `lngen.derivation.simplify.basis` finds in one search is gone through again, now that it is known where it ends.
"""

from __future__ import annotations

from sympy import Expr

from lngen.algebra.symbols import TypedSymbol
from lngen.derivation.simplify.basis import Basis, held_means, source_of
from lngen.derivation.simplify.factors import common_factors
from lngen.derivation.simplify.linear import MAXIMUM_TERMS, terms_bound
from lngen.derivation.simplify.row_classes import RowClass
from lngen.derivation.simplify.trail import Trail

_Uses = tuple[tuple[Expr, Expr], ...]


def told(
    trail: Trail, target: TypedSymbol, row_class: RowClass, basis: Basis | None, expression: Expr, short: Expr
) -> None:
    """Append the steps from an expression to its short form in a basis, or without one.

    >>> import sympy
    >>> from lngen.derivation.simplify.basis import in_best_basis
    >>> from lngen.derivation.simplify.row_classes import Member
    >>> from lngen.algebra.equations import Equation
    >>> from lngen.algebra.symbols import Mean, RowScalarSymbol, RowSymbol
    >>> x, t, g = RowSymbol("x"), RowSymbol("t"), RowSymbol("g")
    >>> m, r = RowScalarSymbol("m", nonnegative=True), RowScalarSymbol("r", positive=True)
    >>> row = RowClass(x, (Member(x, sympy.S.One, sympy.S.Zero), Member(t, r, sympy.S.Zero)),
    ...                (Equation(m, Mean(x**2)),), (Equation(r, (m + 1)**sympy.Rational(-1, 2)),))
    >>> given, trail = r*g - r**3*x*Mean(g*x), Trail()
    >>> told(trail, RowSymbol("dx"), row, *in_best_basis(row, given)[:1], given, in_best_basis(row, given)[1])
    >>> for step in trail.steps:
    ...     print(step.rule, step.after, step.uses)
    change of basis r*g - r*t*Mean(g*t) ((x, t/r),)
    common factors r*(g - t*Mean(g*t)) ()
    """
    if basis is None:
        reason = "taken out of the sum"
        if terms_bound(expression) > MAXIMUM_TERMS:
            reason = f"more than {MAXIMUM_TERMS} terms: not multiplied out, so no basis was tried"
        trail.derived("common factors", target, expression, short, reason)
        return
    held = held_means(row_class, expression)
    back = {symbol: mean for mean, symbol in held.items()}
    given = expression.xreplace(held)
    rewritten = basis.rewrite(given)
    reduced, identities = basis.reduced(rewritten)
    shown = [expression, *(e.xreplace(back) for e in (rewritten, reduced, common_factors(reduced))), short]
    reasons: list[tuple[str, str, _Uses]] = [
        ("change of basis", f"written in {basis.symbol}", put_in(basis, given)),
        ("identities", source_of(basis, (left for left, _ in identities)), identities),
        ("common factors", "taken out of the sum", ()),
        ("names of the row", f"shorter than in {basis.symbol}", _of_members(basis, short)),
    ]
    for before, after, (rule, reason, uses) in zip(shown, shown[1:], reasons, strict=False):
        trail.derived(rule, target, before, after, reason, uses=uses)


def put_in(basis: Basis, expression: Expr) -> _Uses:
    """Return the replacements that a change to this basis makes in an expression."""
    rows = tuple((s, e) for s, e in basis.substitutions if s in expression.free_symbols)
    met = expression.free_symbols.union(*(e.free_symbols for _, e in rows))
    return (*rows, *((s, e) for s, e in basis.eliminations if s in met))


def all_used(basis: Basis, expression: Expr) -> _Uses:
    """Return the replacements that writing an expression in this basis makes, identities included."""
    return (*put_in(basis, expression), *basis.reduced(basis.rewrite(expression))[1])


def _of_members(basis: Basis, short: Expr) -> _Uses:
    return tuple((s, e) for s, e in basis.substitutions if s in short.free_symbols)
