"""The Jacobian as a projection, where a gradient is a number of the row times one.

A gradient `s*(g - sum of a*mean(a*g))` is `s*P*g` with `P = I - sum of a*a'/D`, which is symmetric. It is a projection
if these rows are orthonormal: the mean of a product is 1 for a row with itself and 0 for two rows. The identities of
the definition give these means, some of them up to a Constant.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Add, Expr, Mul, Symbol

from lngen.algebra.equations import Equation
from lngen.algebra.notation import latex, latex_name, text
from lngen.algebra.symbols import (
    NOTHING,
    D,
    FeatureSum,
    Mean,
    TypedSymbol,
    axes,
    is_row,
    stand_in,
    varies_over_features,
)
from lngen.derivation.derivation import Derivation
from lngen.language.syntax import Kind
from lngen.report.formulas import Formula
from lngen.report.spelled import spelled


@dataclass(frozen=True)
class Projection:
    """A gradient written with a projection, that projection, and words of how far it is one."""

    gradient: Formula
    matrix: Formula
    words: str


@dataclass(frozen=True)
class _Outer:
    """`weight*row*row'/D`; the row of ones is 1. `defect` is what its mean square lacks to 1."""

    weight: Expr
    row: Expr
    defect: Expr


def projections(d: Derivation, order: tuple[str, ...] = ()) -> tuple[Projection, ...]:
    """Projections in the gradients of a derivation.

    >>> from lngen.derivation.gradients import derive
    >>> from lngen.language.parsing import parse
    >>> (found,) = projections(derive(parse("def f(x: Row): return x - mean(x)")))
    >>> print(found.gradient.line, found.matrix.line, found.words, sep=chr(10))
    dx = P*dy
    P = I - 1*1'/D
    P is symmetric and P*P = P, a projection: it takes away from a row its part along 1.
    """
    return tuple(found for q in d.backward if (found := _projection(d, q, order)) is not None)


def _projection(d: Derivation, equation: Equation, order: tuple[str, ...]) -> Projection | None:
    if not is_row(equation.symbol):
        return None
    for whole in sorted(equation.expression.atoms(Add), key=sympy.default_sort_key):
        for g in sorted((t for t in whole.args if isinstance(t, TypedSymbol) and is_row(t)), key=str):
            parts = _parts(d, whole - g, g)
            if parts:
                return _told(equation, whole, g, parts, order)
    return None


def _parts(d: Derivation, terms: Expr, g: TypedSymbol) -> list[_Outer]:
    """The rows that are taken away from one; none if a term is no such, or two of the rows are not orthogonal."""
    known = {_mean(left): right if isinstance(left, Mean) else right / D for _, left, right in d.identities}
    constants = {
        s: 0 for entry, s in zip(d.definition.inputs, d.forward.symbols, strict=True) if entry.kind is Kind.CONSTANT
    }
    found: list[_Outer] = []
    for term in Add.make_args(terms):
        factors = Mul.make_args(-term)
        means = [f for f in factors if isinstance(f, Mean) and g in f.free_symbols]
        if len(means) != 1:
            return []
        row = means[0].args[0] / g
        weight = -term / means[0] / row
        if row.has(g) or varies_over_features(weight):
            return []
        defect = sympy.cancel(1 - weight * Mean(row**2).xreplace(known))
        crossed = any(Mean(row * other.row).xreplace(known) != 0 for other in found)
        if crossed or defect.has(Mean) or defect.xreplace(constants) != 0:
            return []
        found.append(_Outer(weight, row, defect))
    return found


def _mean(e: Expr) -> Expr:
    return e.replace(FeatureSum, Mean)


def _told(equation: Equation, whole: Expr, g: TypedSymbol, parts: list[_Outer], order: tuple[str, ...]) -> Projection:
    parts = sorted(parts, key=lambda part: (part.row != 1, text(part.row, order)))
    moved = stand_in("moved", whole)
    words = {moved: (f"P*{g}", rf"P \thinspace {latex_name(g.name, order)}")}
    plain, signs = spelled(equation.expression.xreplace({whole: moved}), order, words)
    gradient = Formula(equation.symbol.name, plain, f"{latex_name(equation.symbol.name, order)} = {signs}")
    taken = [_outer(part.weight, part.row, order) for part in parts]
    matrix = Formula("P", " - ".join(["I", *(p for p, _ in taken)]), "P = " + " - ".join(["I", *(s for _, s in taken)]))
    along = " and ".join(text(part.row, order) for part in parts)
    defects = [part for part in parts if part.defect != 0]
    takes = f"it takes away from a row its part along {along}"
    if not defects:
        return Projection(gradient, matrix, f"P is symmetric and P*P = P, a projection: {takes}.")
    rest = " - ".join(_outer(sympy.factor(part.weight * part.defect), part.row, order)[0] for part in defects)
    said = f"P is symmetric, and P*P = P - {rest}. Where {_vanishing(defects)} = 0 it is a projection: {takes}."
    return Projection(gradient, matrix, said)


def _vanishing(defects: list[_Outer]) -> str:
    """The Constants that keep a projection from being one."""
    met = set().union(*(part.defect.free_symbols for part in defects)) - {D}
    return " and ".join(sorted(s.name for s in met if axes(s) == NOTHING))


def _outer(weight: Expr, row: Expr, order: tuple[str, ...]) -> tuple[str, str]:
    """The matrix `weight*row*row'/D`, as text and as LaTeX."""
    one, sign = ("1", r"\mathbf{1}") if row == 1 else (text(row, order), latex(row, order))
    if row != 1 and not isinstance(row, Symbol):
        one, sign = f"({one})", f"({sign})"
    product = stand_in("product", row)
    return spelled(
        weight / D * product, order, {product: (f"{one}*{one}'", rf"{sign} \thinspace {sign}^{{\mathrm{{T}}}}")}
    )
