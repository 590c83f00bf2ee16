r"""Expressions as LaTeX, for GitHub's `$$` blocks and for LaTeX itself.

GitHub reads Markdown before it reads the formula, and forbids a few macros. So a backslash stands before
letters only (`\,` and `\\` would lose theirs), and names are `\mathrm`, because `\operatorname` is refused.
"""

from __future__ import annotations

import re

import sympy
from sympy import Add, Expr, Mul, Pow, Symbol
from sympy.core.relational import Relational

from lngen.notation.order import Order, decimal, fraction, terms
from lngen.notation.plain import WORDS
from lngen.symbolic import Expm1, FeatureSum, Log1p, Sigmoid, SumRows, Where

_GREEK_LETTERS = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau
upsilon phi chi psi omega
"""
_GREEK = frozenset(_GREEK_LETTERS.split())
_ACCENTS = {"hat": "hat", "bar": "bar", "tilde": "tilde"}
_RELATIONS = {"<=": r"\le", ">=": r"\ge", "==": "=", "!=": r"\ne"}
_SPACE = r" \thinspace "


def latex(expression: Expr, order: Order = ()) -> str:
    r"""The expression as LaTeX mathematics; needs amsmath for `cases`.

    >>> from lngen.symbolic import Mean, RowScalarSymbol, RowSymbol
    >>> x, var = RowSymbol("xhat"), RowScalarSymbol("var")
    >>> print(latex(x / sympy.sqrt(var + 1)))
    \frac{\hat{x}}{\sqrt{1 + \mathrm{var}}}
    """
    return _write(expression, order)


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


def _write(e: Expr, order: Order) -> str:
    if isinstance(e, Symbol):
        return latex_name(e.name)
    if isinstance(e, Add):
        return _sum(e, order)
    if e.is_Rational:
        return _number(e)
    if isinstance(e, Mul) or (isinstance(e, Pow) and e.exp.is_Rational and e.exp.is_negative):
        return _quotient(e, order)
    if isinstance(e, Pow):
        return _power(e, order)
    if isinstance(e, Relational):
        relation = _RELATIONS.get(e.rel_op, e.rel_op)
        return f"{_write(e.lhs, order)} {relation} {_write(e.rhs, order)}"
    return _function(e, order) if e.args else str(sympy.latex(e))


def _function(e: Expr, order: Order) -> str:
    arguments = [_write(argument, order) for argument in e.args]
    if isinstance(e, Where):
        condition, chosen, otherwise = arguments
        rows = rf"{chosen} & \text{{if }} {condition} \cr {otherwise} & \text{{otherwise}}"
        return rf"\begin{{cases}} {rows} \end{{cases}}"
    if isinstance(e, sympy.Abs):
        return rf"\left|{arguments[0]}\right|"
    body = rf"\left({', '.join(arguments)}\right)"
    if isinstance(e, (FeatureSum, SumRows)):
        over = "features" if isinstance(e, FeatureSum) else "rows"
        tight = isinstance(e.args[0], (Symbol, Mul, SumRows, FeatureSum)) and not arguments[0].startswith("-")
        return rf"\sum_{{\mathrm{{{over}}}}} " + (arguments[0] if tight else body)
    if isinstance(e, Sigmoid):
        return rf"\sigma{body}"
    if isinstance(e, (Log1p, Expm1)):
        rest = _write(e.args[0], order)
        return rf"\log\left(1 + {rest}\right)" if isinstance(e, Log1p) else rf"\left(\exp{body} - 1\right)"
    if isinstance(e, (sympy.exp, sympy.log, sympy.sin, sympy.cos, sympy.tanh)):
        return rf"\{WORDS[type(e)]}{body}"
    word = "".join(latex_name(part) for part in [WORDS.get(type(e), type(e).__name__.lower())])
    return word + body


def _sum(e: Expr, order: Order) -> str:
    pieces = [("- " if term.negative else "+ ") + _write(term.magnitude, order) for term in terms(e, order)]
    line = " ".join(pieces)
    return line.removeprefix("+ ") if line.startswith("+ ") else "-" + line.removeprefix("- ")


def _number(e: Expr) -> str:
    written = decimal(e)
    if written is not None:
        mantissa, _, exponent = written.partition("e")
        return rf"{mantissa} \cdot 10^{{{exponent}}}" if exponent else mantissa
    sign, size = ("-" if e < 0 else ""), abs(e)
    return f"{sign}{size}" if size.q == 1 else rf"{sign}\frac{{{size.p}}}{{{size.q}}}"


def _quotient(e: Expr, order: Order) -> str:
    parts = fraction(e)
    above = _product(parts.numerator, order, alone=bool(parts.denominator))
    if parts.denominator:
        above = rf"\frac{{{above}}}{{{_product(parts.denominator, order, alone=True)}}}"
    return f"-{above}" if parts.negative else above


def _product(factors: tuple[Expr, ...], order: Order, *, alone: bool) -> str:
    written = []
    for place, factor in enumerate(factors):
        piece = _write(factor, order)
        # A sum sign reaches as far as the formula goes, so what follows one calls for parentheses.
        loose = isinstance(factor, (FeatureSum, SumRows)) and place < len(factors) - 1
        bare = alone and len(factors) == 1
        written.append(_parentheses(piece) if loose or (isinstance(factor, Add) and not bare) else piece)
    return _SPACE.join(written)


def _power(e: Expr, order: Order) -> str:
    if e.exp.is_Rational and e.exp.q == 2 and e.exp.p == 1:
        return rf"\sqrt{{{_write(e.base, order)}}}"
    base = _write(e.base, order)
    if not isinstance(e.base, Symbol):
        base = _parentheses(base)
    elif e.base.name.endswith(tuple(_ACCENTS)) or "_" in base:
        base = f"{{{base}}}"
    return f"{base}^{{{_write(e.exp, order)}}}"


def _parentheses(piece: str) -> str:
    return rf"\left({piece}\right)"
