r"""Formulas as MathML, which browsers set themselves: translated from the LaTeX of `lngen.algebra.notation.latex`.

So a page has the names, the order of terms and the spacing of every other report, and there is one place that decides
them. What is understood is what that module writes, and what `FunctionEntry.latex` may hold; anything else is an error.

>>> print(mathml(r"\frac{\hat{x}}{2}"))
<math><mfrac><mover accent="true"><mi>x</mi><mo>^</mo></mover><mn>2</mn></mfrac></math>
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TypeAlias

from sympy import Expr, Symbol

from lngen.algebra.notation.latex import Latex, latex_name
from lngen.algebra.notation.order import Order

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[0-9]+(?:\.[0-9]+)?|\S")
_GREEK_LETTERS = """
alpha:α beta:β gamma:γ delta:δ epsilon:ϵ varepsilon:ε zeta:ζ eta:η theta:θ iota:ι kappa:κ lambda:λ mu:μ nu:ν xi:ξ
omicron:ο pi:π rho:ρ sigma:σ tau:τ upsilon:υ phi:ϕ varphi:φ chi:χ psi:ψ omega:ω Gamma:Γ Delta:Δ Theta:Θ Lambda:Λ Xi:Ξ
Pi:Π Sigma:Σ Upsilon:Υ Phi:Φ Psi:Ψ Omega:Ω ell:ℓ infty:∞ partial:∂
"""
_LETTERS = dict(pair.split(":") for pair in _GREEK_LETTERS.split())
_FUNCTIONS = frozenset(["exp", "log", "sin", "cos", "arcsin", "arccos", "arctan", "tanh", "max", "min"])
_ACCENTS = {"hat": "^", "bar": "¯", "tilde": "~", "dot": "˙", "ddot": "¨"}
_COMBINING = {"^": "\u0302", "¯": "\u0304", "~": "\u0303", "˙": "\u0307", "¨": "\u0308"}
_RELATIONS = {"=": "=", "<": "<", ">": ">", "le": "≤", "ge": "≥", "ne": "≠"}
_OPERATORS = {"+": "+", "-": "−", "cdot": "⋅", "times": "×", ",": ",", "/": "/"}
_OPERATORS |= {"odot": "⊙", "cdots": "⋯", "ldots": "…", "prime": "′"}
_SPACES = {"thinspace": ".17em", ",": ".17em", "quad": "1em"}
_SPACED = frozenset("=<>≤≥≠+−")
_PREFIX = (("form", "prefix"),)
_FENCES = frozenset("()|[]")

Attributes: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Node:
    """An element of MathML: with text or with children; `attributes` are pairs of name and value."""

    tag: str
    text: str = ""
    children: tuple[Node, ...] = ()
    attributes: Attributes = ()

    def __str__(self) -> str:
        attributes = "".join(f' {name}="{escape(value)}"' for name, value in self.attributes)
        if self.tag == "mspace":
            return f"<mspace{attributes}/>"
        inner = escape(self.text, quote=False) + "".join(map(str, self.children))
        return f"<{self.tag}{attributes}>{inner}</{self.tag}>"

    @property
    def length(self) -> int:
        """Return the approximate width in characters."""
        if self.tag in ("mfrac", "munder", "mover", "mtable"):
            return max(child.length for child in self.children)
        spaces = int(self.tag == "mo" and self.text in _SPACED)
        return len(self.text) + spaces + sum(child.length for child in self.children)

    @property
    def is_tall(self) -> bool:
        """Test whether parentheses around the node have to grow."""
        return self.tag in ("mfrac", "munder", "mtable") or any(child.is_tall for child in self.children)

    @property
    def may_begin_a_line(self) -> bool:
        """Test whether a line may be broken before the node."""
        return self.tag == "mo" and (self.text in "=≤≥≠" or (self.text in "+−" and self.attributes != _PREFIX))


def mathml(tex: str) -> str:
    """A formula in one piece."""
    return written(parsed(tex))


def marked_name(name: str, names: Collection[str], order: Order = ()) -> str:
    r"""A name as LaTeX that says whose it is, where that is among `names`; `order` are those of values of the forward.

    >>> print(marked_name("xhat", {"xhat"}))
    \htmlData{xhat}{\hat{x}}
    """
    written = latex_name(name, order)
    return rf"\htmlData{{{name}}}{{{written}}}" if name in names else written


def marked(expression: Expr, order: Order = (), names: Collection[str] = (), changed: Collection[Expr] = ()) -> str:
    r"""An expression as LaTeX in which `names` say whose they are, and subexpressions that they are `changed`.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, y = RowSymbol("x"), RowSymbol("y")
    >>> print(marked(x + y, (), {"x"}, {y}))
    \htmlData{x}{x} + \htmlClass{changed}{y}
    """

    def mark(e: Expr, written: str) -> str:
        if isinstance(e, Symbol):
            written = marked_name(e.name, names, order)
        return rf"\htmlClass{{changed}}{{{written}}}" if e in changed else written

    return Latex(order, mark).of(expression)


def tspans(name: str) -> str:
    """A name as the inside of an SVG text.

    >>> tspans("xhat"), tspans("x_1")
    ('x̂', 'x<tspan class="sub" dy="4">1</tspan>')
    """
    return "".join(map(_tspan, parsed(latex_name(name))))


def _tspan(node: Node) -> str:
    if node.tag == "mover":
        return _tspan(node.children[0]) + _COMBINING[node.children[1].text]
    if node.tag in ("msub", "msup"):
        shift = 4 if node.tag == "msub" else -6
        return f'{_tspan(node.children[0])}<tspan class="sub" dy="{shift}">{_tspan(node.children[1])}</tspan>'
    if node.tag == "msubsup":
        base, below, above = node.children
        return _tspan(Node("msub", children=(Node("msup", children=(base, above)), below)))
    return escape(node.text) + "".join(map(_tspan, node.children))


def parsed(tex: str) -> list[Node]:
    """The elements of a formula."""
    return _Parser(tex).whole()


def written(nodes: Sequence[Node]) -> str:
    """The element of a formula."""
    return str(Node("math", children=tuple(nodes)))


class _Parser:
    def __init__(self, tex: str) -> None:
        found = list(_TOKEN.finditer(tex))
        self.tokens, self.starts = [token[0] for token in found], [token.start() for token in found]
        self.tex = tex
        self.at = 0

    def whole(self) -> list[Node]:
        return self.row(())

    def row(self, ends: Collection[str]) -> list[Node]:
        """Parse up to one of the tokens `ends`, which is not consumed."""
        found: list[Node] = []
        while self.at < len(self.tokens) and self.tokens[self.at] not in ends:
            token = self.tokens[self.at]
            if token in ("^", "_"):
                self.at += 1
                script = self.argument()
                found.append(_with_script(found.pop(), token, script))
            else:
                found.append(self.item(not found or _wants_operand(found[-1])))
        return found

    def item(self, first: bool) -> Node:
        token = self.take()
        if token == "{":
            return self.group("}")
        if token[0] != "\\":
            return self.plain(token, first)
        word = token[1:]
        if word in _LETTERS:
            return Node("mi", _LETTERS[word])
        if word in _FUNCTIONS:
            return Node("mi", word)
        if word in _RELATIONS or word in _OPERATORS:
            return Node("mo", (_RELATIONS | _OPERATORS)[word])
        if word in _SPACES:
            return Node("mspace", attributes=(("width", _SPACES[word]),))
        return self.macro(word)

    def plain(self, token: str, first: bool) -> Node:
        if token.isalpha():
            return Node("mi", token)
        if token[0].isdigit():
            return Node("mn", token)
        if token in "+-":
            return Node("mo", _OPERATORS[token], attributes=_PREFIX if first else ())
        if token in _RELATIONS or token in _OPERATORS:
            return Node("mo", (_RELATIONS | _OPERATORS)[token])
        if token == "(":
            inner = self.row((")",))
            self.take()
            fences = [Node("mo", fence, attributes=(("stretchy", "false"),)) for fence in "()"]
            return Node("mrow", children=(fences[0], *inner, fences[1]))
        if token in _FENCES:
            return Node("mo", token, attributes=(("stretchy", "false"),))
        raise ValueError(f"{token!r} in {self.tex!r} has no MathML")

    def macro(self, word: str) -> Node:
        if word == "frac":
            return Node("mfrac", children=(self.argument(), self.argument()))
        if word == "sqrt":
            return Node("msqrt", children=(self.argument(),))
        if word in _ACCENTS:
            accent = Node("mo", _ACCENTS[word])
            return Node("mover", children=(self.argument(), accent), attributes=(("accent", "true"),))
        if word == "overline":
            # Browsers stretch no accent over several letters in every font; the style sheet draws a line.
            return Node("mrow", children=(self.argument(),), attributes=(("class", "over"),))
        if word in ("mathrm", "operatorname"):
            name = self.verbatim()
            upright = (("mathvariant", "normal"),) if len(name) == 1 else ()
            return Node("mi", name, attributes=upright)
        if word == "mathbf":
            return Node("mn", self.verbatim(), attributes=(("class", "bold"),))
        if word == "text":
            return Node("mtext", self.verbatim().replace(" ", "\u00a0"))
        if word == "sum":
            return Node("mo", "∑")
        if word == "left":
            return self.fenced()
        if word == "begin" and self.verbatim() == "cases":
            return self.cases()
        if word in ("htmlData", "htmlClass"):
            attribute = ("data-name" if word == "htmlData" else "class", self.verbatim())
            inner = self.argument()
            return replace(inner, attributes=(*inner.attributes, attribute))
        raise ValueError(f"\\{word} in {self.tex!r} has no MathML")

    def fenced(self) -> Node:
        before, inner = self.take(), self.row(("\\right",))
        self.take()
        fences = [Node("mo", fence, attributes=(("stretchy", "true"),)) for fence in (before, self.take())]
        if not any(node.is_tall for node in inner):
            fences = [Node("mo", fence.text, attributes=(("stretchy", "false"),)) for fence in fences]
        return Node("mrow", children=(fences[0], *inner, fences[1]))

    def cases(self) -> Node:
        rows = []
        while True:
            cells = [self.row(("&", "\\cr", "\\end"))]
            while self.tokens[self.at] == "&":
                self.take()
                cells.append(self.row(("&", "\\cr", "\\end")))
            rows.append(Node("mtr", children=tuple(Node("mtd", children=tuple(cell)) for cell in cells)))
            if self.take() == "\\end":
                break
        self.verbatim()
        return Node("mrow", children=(Node("mo", "{"), Node("mtable", children=tuple(rows))))

    def group(self, end: str) -> Node:
        inner = self.row((end,))
        self.take()
        return inner[0] if len(inner) == 1 else Node("mrow", children=tuple(inner))

    def argument(self) -> Node:
        """The group or the token that follows."""
        if self.tokens[self.at] == "{":
            self.take()
            return self.group("}")
        return self.item(first=True)

    def verbatim(self) -> str:
        """The text of the group that follows."""
        begin, end = self.at, self.tokens.index("}", self.at)
        self.at = end + 1
        return self.tex[self.starts[begin] + 1 : self.starts[end]]

    def take(self) -> str:
        if self.at >= len(self.tokens):
            raise ValueError(f"{self.tex!r} ends too early")
        self.at += 1
        return self.tokens[self.at - 1]


def _wants_operand(node: Node) -> bool:
    """Test whether a sign after the node belongs to the next operand."""
    return node.tag == "mo" and node.text in "=<>≤≥≠,([|"


def _with_script(base: Node, sign: str, script: Node) -> Node:
    if base.tag == "msub" and sign == "^":
        return Node("msubsup", children=(*base.children, script))
    if base.tag == "msup" and sign == "_":
        return Node("msubsup", children=(base.children[0], script, base.children[1]))
    if base.text == "∑":
        return Node("munder", children=(base, script))
    return Node("msub" if sign == "_" else "msup", children=(base, script))
