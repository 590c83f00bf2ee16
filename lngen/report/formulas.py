"""The formulas of a layer as lines of text, in textbook form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TypeAlias

from sympy import Add, Expr

from lngen.algebra.equations import Equation, leading_to, read_by
from lngen.algebra.notation import latex, latex_name, text
from lngen.algebra.symbols import TypedSymbol, is_row
from lngen.derivation.derivation import Derivation, Direction
from lngen.language.axes import AxisParts
from lngen.language.definition import Definition
from lngen.language.names import cotangent, tangent
from lngen.plan.planner import Plan
from lngen.runtime.protocol.axes import REST

_Called: TypeAlias = Callable[[str], str]


@dataclass(frozen=True)
class Formula:
    """`name = text`, the same in LaTeX, and the step it comes from (0 where none is meant)."""

    name: str
    text: str
    latex: str
    step: int = 0

    @property
    def line(self) -> str:
        """The formula as one line."""
        return f"{self.name} = {self.text}"


def formulas(plan: Plan) -> dict[Direction, tuple[str, ...]]:
    """Each direction of a layer, a line for each value, in order of computation.

    >>> from lngen.language.parsing import parse
    >>> from lngen.plan.planner import plan
    >>> from lngen.derivation.gradients import derive
    >>> text = '''
    ... from lngen.language import Row, Feature, Constant, mean, sqrt
    ... def scaled(x: Row, gamma: Feature = 1, eps: Constant = 1e-5):
    ...     return gamma * x / sqrt(mean(x**2) + eps)
    ... '''
    >>> for lines in formulas(plan(derive(parse(text)))).values():
    ...     print(lines)
    ('ms = mean(x**2)', 'rstd = 1/sqrt(ms + eps)', 'xhat = rstd*x', 'y = gamma*xhat')
    ('g = gamma*dy', 'dx = rstd*(g - xhat*mean(g*xhat))', 'dgamma = sum_rows(dy*xhat)')
    """
    derivation = plan.derivation
    order = reading_order(derivation)
    equations: dict[Direction, Iterable[Equation]] = {"forward": textbook_forward(derivation)}
    equations |= {name: derivative.equations for name, derivative in derivation.derivatives().items()}
    axes = summed_over(derivation)
    random = tuple(f"{entry.name} = {entry.draws}" for entry in derivation.definition.inputs if entry.draws)
    return {
        name: (*random * (name == "forward"), *(result(q, order, axes if name != "jvp" else {}).line for q in each))
        for name, each in equations.items()
    }


def _twice(name: str) -> str:
    return cotangent(cotangent(name))


def in_parts(definition: Definition, direction: Direction) -> tuple[list[str], list[str]]:
    """Return lines about arrays in parts: before those of a direction that takes them, and after those that make them.

    >>> from lngen.language.parsing import parse
    >>> halves = parse('def f(x: Array["b (s d)"], s: Size = 2): return join(3*at(x, s=1), 2*at(x, s=1))')
    >>> for direction in ("forward", "backward"):
    ...     print(*in_parts(halves, direction))
    ['x_1 = at(x, s=1)'] ['y = join(y_0, y_1)']
    ['dy_0 = at(dy, s=0)', 'dy_1 = at(dy, s=1)'] ['dx = join(0, dx_1)']
    """
    given = {each.name for each in definition.inputs if each.kind.has_gradient}
    outputs = [each for each in definition.parts if {*each.names}.issubset(definition.outputs)]
    inputs = [each for each in definition.parts if each not in outputs]
    moved = [each for each in inputs if given.intersection(each.names)]
    again = partial(cotangent, again=True)
    takes: list[tuple[_Called, list[AxisParts]]]
    makes: list[tuple[_Called, list[AxisParts]]]
    match direction:
        case "forward":
            takes, makes = [(str, inputs)], [(str, outputs)]
        case "backward":
            takes, makes = [(cotangent, outputs)], [(cotangent, moved)]
        case "jvp":
            takes, makes = [(tangent, moved)], [(tangent, outputs)]
        case _:
            takes, makes = [(cotangent, outputs), (_twice, moved)], [(again, moved), (_twice, outputs)]
    first = [
        f"{name(part)} = at({name(each.name)}, {each.axis}={place})"
        for name, wholes in takes
        for each in wholes
        for place, part in enumerate(each.names)
        if part
    ]
    last = [
        f"{name(each.name)} = join({', '.join(name(part) if part else '0' for part in each.names)})"
        for name, wholes in makes
        for each in wholes
    ]
    return first, last


def summed_over(derivation: Derivation) -> dict[str, str]:
    """Return the axes over which gradients of arrays that lack them are summed at the end, by the gradients' names.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.gradients import derive
    >>> summed_over(derive(parse('def f(x: Array["b t d"], s: Array["b d"]): return s*x')))
    {'ds': 't', 'd2s': 't'}
    """
    definition = derivation.definition
    found: dict[str, str] = {}
    for entry in definition.inputs:
        if lacks := definition.lacks(entry):
            found |= dict.fromkeys([cotangent(entry.name), cotangent(entry.name, again=True)], " ".join(lacks))
    return found


def result(equation: Equation, order: tuple[str, ...], axes: Mapping[str, str]) -> Formula:
    """An equation, written; one for a gradient with the sum over axes at its end."""
    found = formula(equation.symbol, equation.expression, order)
    over = axes.get(equation.symbol.name)
    if over is None:
        return found
    left, _, right = found.latex.partition(" = ")
    return replace(found, text=f'sum({found.text}, "{over}")', latex=f"{left} = {latex_sum(right, over)}")


def latex_sum(terms: str, over: str) -> str:
    r"""The sum of terms over axes with names, in LaTeX.

    >>> print(latex_sum("d y", "n ..."))
    \sum_{\mathrm{n}\,\ldots} \left(d y\right)
    """
    names = r"\,".join(rf"\mathrm{{{name}}}" if name != REST else r"\ldots" for name in over.split())
    return rf"\sum_{{{names}}} \left({terms}\right)"


@lru_cache(maxsize=20_000)
def formula(symbol: TypedSymbol, expression: Expr, order: tuple[str, ...], step: int = 0) -> Formula:
    """`symbol = expression`, written."""
    return Formula(
        text(symbol), text(expression, order), f"{latex_name(symbol.name, order)} = {latex(expression, order)}", step
    )


def reading_order(derivation: Derivation) -> tuple[str, ...]:
    """Names in the order in which a reader of the definition meets them."""
    symbols = [*derivation.forward.symbols, *(q.symbol for q in derivation.forward.equations)]
    return tuple(symbol.name for symbol in symbols)


def textbook_forward(derivation: Derivation) -> tuple[Equation, ...]:
    """The forward with differences that nobody named and no gradient reads written out: `rstd*(x - mu)`."""
    read = read_by(derivation.backward)
    inline: dict[TypedSymbol, Expr] = {}
    result = []
    for equation in derivation.forward.equations:
        expression = equation.expression.xreplace(inline)
        unnamed = not equation.named and equation.symbol not in read
        if unnamed and is_row(equation.symbol) and isinstance(expression, Add) and len(expression.args) == 2:
            inline[equation.symbol] = expression
        else:
            result.append(Equation(equation.symbol, expression, equation.named, equation.stopped))
    outputs = set(derivation.forward.outputs)
    written_out = outputs & inline.keys()
    return (*result, *(Equation(s, inline[s]) for s in derivation.forward.outputs if s in written_out))


def gradients(derivation: Derivation) -> tuple[Equation, ...]:
    """The equations of the gradients alone, in the order of the inputs."""
    by_symbol = {q.symbol: q for q in derivation.backward}
    return tuple(by_symbol[gradient] for _, gradient in derivation.gradients)


def atoms(derivation: Derivation) -> tuple[Equation, ...]:
    """Return the values that the gradients are written in, last computed first: of backward, then of forward.

    An output is known, so the values that it is made of are left out.
    """
    ends = {*derivation.forward.outputs, *(gradient for _, gradient in derivation.gradients)}
    lines = [q for q in (*textbook_forward(derivation), *derivation.backward) if q.symbol not in ends]
    return leading_to(read_by(gradients(derivation)), lines)[::-1]
