"""Expressions of a derivation as a person writes them: in the definition language's own words, or in LaTeX.

>>> from lngen.algebra.symbols import Mean, RowScalarSymbol, RowSymbol
>>> g, xhat, rstd = RowSymbol("g"), RowSymbol("xhat"), RowScalarSymbol("rstd", positive=True)
>>> dx = rstd * (g - xhat * Mean(g * xhat) - Mean(g))
>>> print(text(dx))
rstd*(g - mean(g) - xhat*mean(g*xhat))
>>> print(latex(rstd * (g - xhat)))
\\mathrm{rstd} \\thinspace (g - \\hat{x})
"""

from lngen.algebra.notation.latex import latex, latex_name
from lngen.algebra.notation.order import Order
from lngen.algebra.notation.plain import text

__all__ = ["Order", "latex", "latex_name", "text"]
