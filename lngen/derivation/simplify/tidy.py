"""A normal form made short: what was named and serves nothing is written out again."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sympy import Add, Expr, Mul, Pow

from lngen.algebra.equations import Equation, leading_to
from lngen.algebra.symbols import TypedSymbol, Where, is_row
from lngen.derivation.simplify.inline import inlined
from lngen.derivation.simplify.linear import tree_size

_LONGEST_LINE = 60
"""The nodes of an expression; what is longer keeps the name that its parts have."""


def is_long(expression: Expr) -> bool:
    """Test whether an expression is too long to be a part of a line."""
    return tree_size(expression, _LONGEST_LINE) > _LONGEST_LINE


def written_out(
    equations: Sequence[Equation],
    outputs: Collection[TypedSymbol],
    optional: Collection[TypedSymbol],
    reduced: Collection[Expr],
) -> tuple[Equation, ...]:
    """The equations that an output needs; an `optional` name that is used once is written out where it is.

    What a reduction is of, `reduced`, keeps its name.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, u, y, z = (RowSymbol(name) for name in ("x", "u", "y", "z"))
    >>> from sympy import tanh
    >>> given = [Equation(u, 2 * x), Equation(z, x**2), Equation(y, tanh(u))]
    >>> [(q.symbol, q.expression) for q in written_out(given, [y], [u, z], [])]
    [(y, tanh(2*x))]
    """

    def merged(value: Equation, reader: Equation, written: Expr) -> Expr | None:
        stays = value.symbol not in optional or value.symbol in reduced or reader.expression.count(value.symbol) != 1
        return None if stays or _nests(value, reader.expression) else written

    return inlined(leading_to(outputs, equations), merged)


def _nests(equation: Equation, reader: Expr) -> bool:
    """Test whether a value should keep its own line, because inlining it would do harm.

    Inlining may merge a sum into another, put a sum or a product of rows under a power, or make a line too long to
    read. Sums under powers under powers are polynomials whose degree doubles with every line. And `(x/y)**4` is
    x**4/y**4 to SymPy, each of which may be too large or too small for a float.
    """
    if is_long(equation.expression) or _melts(equation, reader) or _spreads(equation, reader):
        return True
    powers = {power.base for power in reader.atoms(Pow)}
    rows = [factor for factor in Mul.make_args(equation.expression) if is_row(factor)]
    return equation.symbol in powers and (isinstance(equation.expression, Add) or len(rows) > 1)


def _melts(equation: Equation, reader: Expr) -> bool:
    """Test whether a value is a sum that SymPy would merge into another sum, where digits may be lost."""
    if not isinstance(equation.expression, Add):
        return False
    terms = (term for part in reader.atoms(Add, Mul) for term in Add.make_args(part))
    return any(term.as_coeff_Mul()[1] == equation.symbol for term in terms)


def _spreads(equation: Equation, reader: Expr) -> bool:
    """Test whether a value is a select that the gradient would multiply into, and so write once for each use."""
    if not isinstance(equation.expression, Where):
        return False
    return any(equation.symbol in part.args for part in reader.atoms(Add, Mul, Pow))


def came_out_even(root: Expr) -> bool:
    """Test whether the root of a product is a product of whole powers."""
    return all(factor.as_base_exp()[1].is_Integer for factor in Mul.make_args(root))
