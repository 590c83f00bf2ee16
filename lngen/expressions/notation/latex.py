r"""Expressions as LaTeX, for GitHub's `$$` blocks and for LaTeX itself.

GitHub reads Markdown before it reads the formula, and forbids a few macros. So a backslash stands before
letters only (`\,` and `\\` would lose theirs), and names are `\mathrm`, because `\operatorname` is refused.
"""

from __future__ import annotations

import re

import sympy
from sympy import Add, Expr, Mul, Symbol
from sympy.core.relational import Relational

from lngen.expressions.notation.order import Order, decimal
from lngen.expressions.notation.plain import WORDS, Text
from lngen.expressions.symbols import ENTRY_OF, FeatureSum, SumRows, Where

_GREEK_LETTERS = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau
upsilon phi chi psi omega
"""
_GREEK = frozenset(_GREEK_LETTERS.split())
_ACCENTS = {"hat": "hat", "bar": "bar", "tilde": "tilde"}
_RELATIONS = {"<=": r"\le", ">=": r"\ge", "==": "=", "!=": r"\ne"}
_TALL = re.compile(r"\\(frac|sum|begin|left)")
_SPACE = r" \thinspace "


def latex(expression: Expr, order: Order = ()) -> str:
    r"""The expression as LaTeX mathematics; needs amsmath for `cases`.

    >>> from lngen.expressions.symbols import Mean, RowScalarSymbol, RowSymbol
    >>> x, var = RowSymbol("xhat"), RowScalarSymbol("var")
    >>> print(latex(x / sympy.sqrt(var + 1)))
    \frac{\hat{x}}{\sqrt{1 + \mathrm{var}}}
    """
    return Latex(order).write(expression)


def latex_name(name: str) -> str:
    r"""A name as LaTeX: Greek letters, hats and subscripts where the name says so.

    >>> for name in ("gamma", "xhat", "dx", "dgamma", "eps", "rstd", "mu_residual", "mean_g_xhat", "x1"):
    ...     print(latex_name(name))
    \gamma
    \hat{x}
    dx
    d\gamma
    \varepsilon
    \mathrm{rstd}
    \mu_{\mathrm{residual}}
    \mathrm{mean}_{g, \hat{x}}
    x_{1}
    """
    stem, *subscripts = [part for part in name.split("_") if part]
    numbered = re.fullmatch(r"([A-Za-z]+?)([0-9]+)", stem)
    if numbered:
        stem, subscripts = numbered[1], [numbered[2], *subscripts]
    lower = ", ".join(part if part.isdigit() else latex_name(part) for part in subscripts)
    return _stem(stem) + (f"_{{{lower}}}" if lower else "")


def _stem(stem: str) -> str:
    if _is_short(stem):
        return _short(stem)
    if stem.startswith("d") and _is_short(stem[1:]):
        return f"d{_short(stem[1:])}"
    return rf"\mathrm{{{stem}}}"


def _is_short(stem: str) -> bool:
    base = next((stem.removesuffix(a) for a in _ACCENTS if stem.endswith(a) and stem != a), stem)
    return (len(base) == 1 and base.isalpha()) or base in _GREEK or base == "eps"


def _short(stem: str) -> str:
    accent = next((a for a in _ACCENTS if stem.endswith(a) and stem not in _GREEK), None)
    if accent is not None:
        return rf"\{_ACCENTS[accent]}{{{_short(stem.removesuffix(accent))}}}"
    if stem == "eps":
        return r"\varepsilon"
    return rf"\{stem}" if stem in _GREEK else stem


class Latex(Text):
    """Writes expressions as LaTeX mathematics."""

    def symbol(self, e: Symbol) -> str:
        return latex_name(e.name)

    def constant(self, e: Expr) -> str:
        return str(sympy.latex(e))

    def relation(self, e: Relational) -> str:
        return f"{self.write(e.lhs)} {_RELATIONS.get(e.rel_op, e.rel_op)} {self.write(e.rhs)}"

    def function(self, e: Expr) -> str:
        arguments = [self.write(argument) for argument in e.args]
        if isinstance(e, Where):
            condition, chosen, otherwise = arguments
            rows = rf"{chosen} & \text{{if }} {condition} \cr {otherwise} & \text{{otherwise}}"
            return rf"\begin{{cases}} {rows} \end{{cases}}"
        if type(e) in ENTRY_OF and (spelled := ENTRY_OF[type(e)].latex):
            return spelled.format(u=arguments[0])
        body = _parentheses(", ".join(arguments))
        if isinstance(e, (FeatureSum, SumRows)):
            over = "features" if isinstance(e, FeatureSum) else "rows"
            tight = isinstance(e.args[0], (Symbol, Mul, SumRows, FeatureSum)) and not arguments[0].startswith("-")
            return rf"\sum_{{\mathrm{{{over}}}}} " + (arguments[0] if tight else body)
        return latex_name(WORDS.get(type(e), type(e).__name__.lower())) + body

    def term(self, magnitude: Expr) -> str:
        return self.write(magnitude)

    def number(self, e: Expr) -> str:
        written = decimal(e)
        if written is not None:
            mantissa, _, exponent = written.partition("e")
            return rf"{mantissa} \cdot 10^{{{exponent}}}" if exponent else mantissa
        sign, size = ("-" if e < 0 else ""), abs(e)
        return f"{sign}{size}" if size.q == 1 else rf"{sign}\frac{{{size.p}}}{{{size.q}}}"

    def quotient(self, e: Expr) -> str:
        parts = self.fraction(e)
        above = self._product(parts.numerator, alone=bool(parts.denominator))
        if parts.denominator:
            above = rf"\frac{{{above}}}{{{self._product(parts.denominator, alone=True)}}}"
        return f"-{above}" if parts.negative else above

    def power(self, e: Expr) -> str:
        base = self.write(e.base)
        if e.exp == sympy.Rational(1, 2):
            return rf"\sqrt{{{base}}}"
        if not isinstance(e.base, Symbol):
            base = _parentheses(base)
        elif e.base.name.endswith(tuple(_ACCENTS)) or "_" in base:
            base = f"{{{base}}}"
        return f"{base}^{{{self.write(e.exp)}}}"

    def _product(self, factors: tuple[Expr, ...], *, alone: bool) -> str:
        written = []
        for place, factor in enumerate(factors):
            piece = self.write(factor)
            # A sum sign reaches as far as the formula goes, so what follows one calls for parentheses.
            loose = isinstance(factor, (FeatureSum, SumRows)) and place < len(factors) - 1
            bare = alone and len(factors) == 1
            written.append(_parentheses(piece) if loose or (isinstance(factor, Add) and not bare) else piece)
        return _SPACE.join(written)


def _parentheses(piece: str) -> str:
    return rf"\left({piece}\right)" if _TALL.search(piece) else f"({piece})"
