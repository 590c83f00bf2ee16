r"""Expressions as LaTeX, for GitHub's `$$` blocks and for LaTeX itself.

GitHub reads Markdown before it reads the formula, and forbids a few macros. So a backslash stands before
letters only (`\,` and `\\` would lose theirs), and names are `\mathrm`, because `\operatorname` is refused.
"""

from __future__ import annotations

import re

import sympy
from sympy import Add, Expr, Mul, Symbol
from sympy.core.relational import Relational

from lngen.algebra.notation.order import Order, decimal
from lngen.algebra.notation.plain import WORDS, Text
from lngen.algebra.symbols import ENTRY_OF, FeatureSum, Reduction, SumRows, Where

_GREEK_LETTERS = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau
upsilon phi chi psi omega
"""
_GREEK = frozenset([*_GREEK_LETTERS.split(), "Phi"])
_ACCENTS = {"hat": "hat", "bar": "bar", "tilde": "tilde"}
_RELATIONS = {"<=": r"\le", ">=": r"\ge", "==": "=", "!=": r"\ne"}
_ACCENTED = re.compile(r"\\(hat|bar|tilde|dot){")
_GRADIENT = re.compile(r"\\mathrm{dd?}")
_TALL = re.compile(r"\\(frac|sum|begin|left)")
_TANGENT = "dot"
_SPACE = r" \thinspace "


def latex(expression: Expr, order: Order = ()) -> str:
    r"""The expression as LaTeX mathematics; needs amsmath for `cases`.

    >>> from lngen.algebra.symbols import Mean, RowScalarSymbol, RowSymbol
    >>> x, var = RowSymbol("xhat"), RowScalarSymbol("var")
    >>> print(latex(x / sympy.sqrt(var + 1)))
    \frac{\hat{x}}{\sqrt{1 + \sigma^{2}}}
    """
    return Latex(order).of(expression)


def latex_name(name: str, known: Order = ()) -> str:
    r"""A name as LaTeX: Greek letters, hats and subscripts where the name says so, and the signs of derivatives.

    >>> for name in ("gamma", "xhat", "eps", "rstd", "var", "mu_residual", "mean_g_xhat", "x1", "Phi_u"):
    ...     print(latex_name(name))
    \gamma
    \hat{x}
    \varepsilon
    \mathrm{rstd}
    \sigma^{2}
    \mu_{\mathrm{residual}}
    \mathrm{mean}_{g, \hat{x}}
    x_{1}
    \Phi_{u}

    A gradient has a d, as in text, and a tangent a dot; a bar would read as a mean. A longer name is a sign only with
    one that is `known`: `decay` is nobody's gradient.

    >>> for name in ("dx", "x_dot", "dgamma", "ddxhat", "d2x", "dscale", "decay", "var_dot", "dvar", "inv_Z"):
    ...     print(latex_name(name, known=["scale", "var"]))
    \mathrm{d}x
    \dot{x}
    \mathrm{d}\gamma
    \mathrm{dd}\hat{x}
    \mathrm{d}^{2}x
    \mathrm{d}\mathrm{scale}
    \mathrm{decay}
    \dot{(\sigma^{2})}
    \mathrm{d}(\sigma^{2})
    Z^{-1}
    """
    value, sign = _without_signs(name, known)
    if sign and sign != _TANGENT:
        written = latex_name(value, known)
        return sign + (f"({written})" if "^" in written else written)
    if value.startswith("inv_") and not sign and value not in known:
        return _inverse(latex_name(value.removeprefix("inv_"), known))
    stem, *subscripts = [part for part in value.split("_") if part]
    numbered = re.fullmatch(r"([A-Za-z]+?)([0-9]+)", stem)
    if numbered:
        stem, subscripts = numbered[1], [numbered[2], *subscripts]
    lower = ", ".join(part if part.isdigit() else latex_name(part) for part in subscripts)
    written, upper = (r"\sigma", "^{2}") if stem == "var" else (_stem(stem), "")
    if sign and upper:
        written, upper = f"({written}{upper})", ""
    if sign:
        written = rf"\dot{{{written}}}"
    return written + (f"_{{{lower}}}" if lower else "") + upper


def _inverse(written: str) -> str:
    return (f"({written})" if "^" in written else written) + "^{-1}"


def _without_signs(name: str, known: Order) -> tuple[str, str]:
    """The value that a name is a derivative of, and the sign that says so."""
    if name not in known:
        for sign, value in (
            (_TANGENT, name.removesuffix("_dot")),
            (r"\mathrm{d}^{2}", name.removeprefix("d2")),
            (r"\mathrm{dd}", name.removeprefix("dd")),
            (r"\mathrm{d}", name.removeprefix("d")),
        ):
            if value != name and (value in known or _is_short(value.partition("_")[0])):
                return value, sign
    return name, ""


def _stem(stem: str) -> str:
    return _short(stem) if _is_short(stem) else rf"\mathrm{{{stem}}}"


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
        return latex_name(e.name, self.order)

    def constant(self, e: Expr) -> str:
        return str(sympy.latex(e))

    def relation(self, e: Relational) -> str:
        return f"{self.of(e.lhs)} {_RELATIONS.get(e.rel_op, e.rel_op)} {self.of(e.rhs)}"

    def where(self, e: Where) -> str:
        condition, chosen, otherwise = map(self.of, e.args)
        rows = rf"{chosen} & \text{{if }} {condition} \cr {otherwise} & \text{{otherwise}}"
        return rf"\begin{{cases}} {rows} \end{{cases}}"

    def function(self, e: Expr) -> str:
        spelled = ENTRY_OF[type(e)].latex
        return spelled.format(u=self.of(e.args[0])) if spelled else self.other(e)

    def reduction(self, e: Reduction) -> str:
        return self._sum_over("features", e.args[0]) if isinstance(e, FeatureSum) else self.other(e)

    def sum_rows(self, e: SumRows) -> str:
        return self._sum_over("rows", e.args[0])

    def _sum_over(self, axis: str, body: Expr) -> str:
        written = self.of(body)
        tight = isinstance(body, (Symbol, Mul, SumRows, FeatureSum)) and not written.startswith("-")
        return rf"\sum_{{\mathrm{{{axis}}}}} " + (written if tight else _parentheses(written))

    def other(self, e: Expr) -> str:
        if not e.args:
            return self.constant(e)
        word = WORDS.get(type(e), type(e).__name__.lower())
        body = _parentheses(", ".join(map(self.of, e.args)))
        return (r"\varphi" if word == "phi" else latex_name(word)) + body

    def term(self, magnitude: Expr) -> str:
        return self.of(magnitude)

    def rational(self, e: Expr) -> str:
        written = decimal(e)
        if written is not None:
            mantissa, _, exponent = written.partition("e")
            return rf"{mantissa} \cdot 10^{{{exponent}}}" if exponent else mantissa
        sign, size = ("-" if e < 0 else ""), abs(e)
        return f"{sign}{size}" if size.q == 1 else rf"{sign}\frac{{{size.p}}}{{{size.q}}}"

    def multiply(self, e: Expr) -> str:
        parts = self.fraction(e)
        above = self._product(parts.numerator, alone=bool(parts.denominator))
        if parts.denominator:
            above = rf"\frac{{{above}}}{{{self._product(parts.denominator, alone=True)}}}"
        return f"-{above}" if parts.negative else above

    def raised(self, e: Expr) -> str:
        base = self.of(e.base)
        if e.exp == sympy.Rational(1, 2):
            return rf"\sqrt{{{base}}}"
        if not isinstance(e.base, Symbol) or "^" in base or _GRADIENT.match(base):
            base = _parentheses(base)
        elif _ACCENTED.match(base) or "_" in base:
            base = f"{{{base}}}"
        return f"{base}^{{{self.of(e.exp)}}}"

    def _product(self, factors: tuple[Expr, ...], *, alone: bool) -> str:
        written = []
        for place, factor in enumerate(factors):
            piece = self.of(factor)
            # A sum sign reaches as far as the formula goes, so what follows one calls for parentheses.
            loose = isinstance(factor, (FeatureSum, SumRows)) and place < len(factors) - 1
            bare = alone and len(factors) == 1
            written.append(_parentheses(piece) if loose or (isinstance(factor, Add) and not bare) else piece)
        return _SPACE.join(written)


def _parentheses(piece: str) -> str:
    return rf"\left({piece}\right)" if _TALL.search(piece) else f"({piece})"
