"""Equations as HTML: MathML that wraps on a narrow screen, in which every name leads to what it stands for."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from sympy import Add, Expr

from lngen.algebra.equations import Equation
from lngen.algebra.notation import text
from lngen.algebra.symbols import D, TypedSymbol
from lngen.derivation.derivation import Derivation
from lngen.emit.render import Markup
from lngen.errors import printable
from lngen.extensions.page.mathml import marked, marked_name, mathml
from lngen.extensions.page.pieces import pieces
from lngen.plan.planner import Plan
from lngen.report.axes import AxesWords
from lngen.report.changes import alike
from lngen.report.formulas import Formula, latex_sum, reading_order, summed_over, textbook_forward

# The article is no name, whatever a definition calls by that letter.
_WORD = re.compile(r"(?<![\w.])((?!a\b)[A-Za-z_]\w*)")
_QUOTED = re.compile(r'("[^"]*")')
_LONG = 80


@dataclass(frozen=True)
class EquationHtml:
    """`left = right`, each as MathML; `right` begins with the sign."""

    left: Markup
    right: Markup


@dataclass(frozen=True)
class Meaning:
    """Meaning of a name: an equation that is not too long, or the role of an input in words.

    `step` is the step that defines it, 0 for none.
    """

    name: str
    formula: Markup
    varies: str
    role: str
    equation: EquationHtml | None
    step: int


class Writer:
    """Writes the formulas of one layer; `names` are those that the page explains."""

    def __init__(self, order: Sequence[str], names: Collection[str]) -> None:
        self.order = tuple(order)
        self.names = frozenset(names)

    def name(self, name: str) -> Markup:
        """A name."""
        return Markup(mathml(marked_name(name, self.names, self.order)))

    def expression(self, expression: Expr, changed: Collection[Expr] = (), sign: str = "") -> Markup:
        """An expression, behind a sign such as `=`; the subexpressions `changed` are marked."""
        tex = marked(expression, self.order, self.names, changed)
        return Markup(" ".join(pieces(f"{sign} {tex}")))

    def prose(self, words: str) -> Markup:
        """Words in which each name is set as in a formula; axes stand in quotes, and are none.

        >>> print(Writer((), {"mu"}).prose("the cotangent of mu <and> x"))
        the cotangent of <math><mi data-name="mu">μ</mi></math> &lt;and&gt; x
        """
        parts = [part for said in _QUOTED.split(printable(words)) for part in _parts_of(said)]
        return Markup("".join(self.name(part) if part in self.names else escape(part) for part in parts))

    def elided(self, expression: Expr, changed: frozenset[Expr]) -> Markup:
        """Return the changed terms of a sum behind an equals sign, with dots for the rest, after the whole line."""
        terms = [term for term in Add.make_args(expression) if term in changed]
        if not terms or len(terms) > len(Add.make_args(expression)) - 2:
            return self.expression(expression, alike(changed), "=")
        tex = marked(Add(*terms), self.order, self.names)
        sign = "" if tex.startswith("-") else "+"
        return Markup(" ".join(pieces(rf"= \cdots \htmlClass{{changed}}{{{sign}{tex}}}")))

    def equation(self, left: TypedSymbol | Expr, right: Expr, changed: Collection[Expr] = ()) -> EquationHtml:
        """An equation."""
        return EquationHtml(self.expression(left), self.expression(right, changed, "="))

    def formula(self, formula: Formula) -> EquationHtml:
        """A formula of a report, whose expressions are not at hand: without the names that it has."""
        left, _, right = formula.latex.partition(" = ")
        return EquationHtml(Markup(" ".join(pieces(left))), Markup(" ".join(pieces(f"= {right}"))))

    def equations(self, equations: Sequence[Equation]) -> list[EquationHtml]:
        """Each of them."""
        return [self.equation(q.symbol, q.expression) for q in equations]

    def results(self, equations: Sequence[Equation], over: Mapping[str, str]) -> list[EquationHtml]:
        """Each of them, with the sum over axes of a gradient that `over` names."""
        return [self.result(q, over.get(q.symbol.name)) for q in equations]

    def result(self, equation: Equation, over: str | None) -> EquationHtml:
        """An equation, whose right side is summed over some axes."""
        if over is None:
            return self.equation(equation.symbol, equation.expression)
        summed = latex_sum(marked(equation.expression, self.order, self.names, ()), over)
        return EquationHtml(self.expression(equation.symbol), Markup(" ".join(pieces(f"= {summed}"))))


def _parts_of(said: str) -> list[str]:
    return [said] if said.startswith('"') else _WORD.split(said)


def meanings(plan: Plan) -> tuple[Writer, list[Meaning]]:
    """A writer for the layer, and what each of its names stands for, in the order in which a reader meets them."""
    d = plan.derivation
    given: dict[str, tuple[TypedSymbol, str]] = {}
    equations: dict[str, Equation] = {}
    for symbol in d.forward.symbols:
        given[symbol.name] = symbol, _role_of_input(d, symbol)
    for equation in textbook_forward(d):
        equations.setdefault(equation.symbol.name, equation)
    for cotangent, output in zip(d.adjoint.cotangents, d.forward.outputs, strict=True):
        given.setdefault(cotangent.name, (cotangent, f"the cotangent of {text(output)}, an argument of backward"))
    for direction, derivative in d.derivatives().items():
        for symbol in derivative.arguments:
            given.setdefault(symbol.name, (symbol, f"an argument of {direction}"))
        for equation in derivative.equations:
            equations.setdefault(equation.symbol.name, equation)
        last = {step.target.name: Equation(step.target, step.after) for step in derivative.steps}
        equations |= {name: equation for name, equation in last.items() if name not in equations}
    for program in plan.programs():
        for symbol, expression in program.values():
            equations.setdefault(symbol.name, Equation(symbol, expression))
    steps = _steps(plan)
    order = [*given, *(name for name in equations if name not in given)]
    writer = Writer(reading_order(d), {*order, D.name})
    words, over = AxesWords(d.definition), summed_over(d)
    found = [Meaning(D.name, writer.name(D.name), "one value", words.size, None, 0)]
    for name in order:
        symbol = given[name][0] if name in given else equations[name].symbol
        line = None if name in given else equations[name]
        found.append(
            Meaning(
                name,
                writer.name(name),
                words.varies(symbol),
                given[name][1] if name in given else "",
                None if line is None or len(text(line.expression)) > _LONG else writer.result(line, over.get(name)),
                steps.get(name, 0),
            )
        )
    return writer, found


def _role_of_input(d: Derivation, symbol: TypedSymbol) -> str:
    entry = d.definition.input(symbol.name)
    default = "" if entry.default is None else f", {float(entry.default):g} where it is left out"
    whole = d.definition.whole(entry.name)
    role = "an input of the layer" if whole is None else f"a part of the input {whole.name}"
    return f"{role}, {AxesWords(d.definition).annotation(entry)}{default}"


def _steps(plan: Plan) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for program in plan.programs():
        for line in program.lines():
            found.setdefault(line.symbol.name, line.step)
    for derivative in plan.derivation.derivatives().values():
        for step in derivative.steps:
            found.setdefault(step.target.name, step.number)
    return found | dict(plan.derivation.step_of())
