"""The formulas of a layer as JavaScript, for the panel that computes them on numbers that the reader types.

It is written from the row programs that every backend is written from, in their order of computation, in float64. Each
value of a row is a member of `v`, a member being free to be called `var` or `new`; `f` are the functions of `panel.js`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy
from sympy import Expr, Symbol
from sympy.core.relational import Relational

from lngen.algebra.fold import Fold
from lngen.algebra.notation import text
from lngen.algebra.notation.plain import WORDS, Text
from lngen.algebra.symbols import AttainsFirst, D, Reduction, StopGradient, SumRows, TypedSymbol, Where, axes
from lngen.language.definition import Definition
from lngen.plan.planner import Plan
from lngen.plan.program import RowProgram, RowsReduction

_RELATIONS = {"==": "===", "!=": "!=="}
DIRECTIONS = ("forward", "backward")


def panel(plan: Plan) -> dict[str, Any]:
    """Return the data of the page's script: the arguments, the values in order, and the code of each direction."""
    definition = plan.derivation.definition
    programs = (plan.forward, plan.backward)
    return {
        "arguments": [*_arguments(definition), *_cotangents(plan.backward)],
        "minimumFeatures": plan.forward.minimum_features,
        "values": [
            {
                "name": symbol.name,
                "perFeature": axes(symbol).features,
                "direction": program.direction,
                "result": any(store.symbol == symbol for store in program.results),
                "formula": text(expression),
            }
            for program in programs
            for symbol, expression in program.values()
            if not (program.direction == "backward" and symbol in dict(plan.forward.values()))
        ],
        "results": {program.direction: _results(program) for program in programs},
    }


def script(plan: Plan) -> str:
    """The functions of both directions.

    >>> from lngen.language.parsing import parse
    >>> from lngen.plan.planner import plan
    >>> from lngen.derivation.simplify import derive
    >>> print(script(plan(derive(parse("def centred(x: Row): return x - mean(x)")))))
    const forward = (v, f) => {
      v.mu = f.mean(v.D, (i) => v.x[i]);
      v.x_shifted = f.each(v.D, (i) => v.x[i] - v.mu);
      v.mu_residual = f.mean(v.D, (i) => v.x_shifted[i]);
      v.y = f.each(v.D, (i) => v.x_shifted[i] - v.mu_residual);
    };
    const backward = (v, f) => {
      v.mean_dy = f.mean(v.D, (i) => v.dy[i]);
      v.dx = f.each(v.D, (i) => v.dy[i] - v.mean_dy);
    };
    """
    lines: list[str] = []
    for program in (plan.forward, plan.backward):
        lines += [f"const {program.direction} = (v, f) => {{", *_body(program), "};"]
    return "\n".join(lines)


def _results(program: RowProgram) -> dict[str, str]:
    """Map each result of the program to the name of its value."""
    return {name: store.symbol.name for store in program.results for name in store.names}


def _arguments(definition: Definition) -> Iterator[dict[str, Any]]:
    for entry in definition.inputs:
        yield {
            "name": entry.name,
            "kind": entry.kind.value,
            "perFeature": entry.kind.over_features,
            "default": None if entry.default is None else float(entry.default),
            "sign": "nonnegative" if entry.name in definition.needed_positive else "any",
        }


def _cotangents(program: RowProgram) -> Iterator[dict[str, Any]]:
    for row in program.rows:
        if row.origin == "cotangent":
            per_feature = axes(row.symbol).features
            yield {"name": row.name, "kind": "cotangent", "perFeature": per_feature, "default": 1.0}


def _body(program: RowProgram) -> Iterator[str]:
    for line in program.lines():
        # One row is typed, so a sum over the rows is its only term.
        expression = line.body if isinstance(line, RowsReduction) else line.expression
        yield f"  v.{line.symbol.name} = {_value(line.symbol, expression)};"


def _value(symbol: TypedSymbol, expression: Expr) -> str:
    if axes(symbol).features:
        return f"f.each(v.D, (i) => {_JavaScript('i').of(expression)})"
    return _JavaScript("").of(expression)


class _JavaScript(Text):
    """An expression at the feature `index`."""

    def __init__(self, index: str) -> None:
        super().__init__()
        self.index, self.cannot = index, "no JavaScript is written for"

    def symbol(self, e: Symbol) -> str:
        return f"v.{e.name}[{self.index}]" if e != D and axes(e).features else f"v.{e.name}"

    def constant(self, e: Expr) -> str:
        return repr(float(e))

    def rational(self, e: Expr) -> str:
        return str(e) if e.q == 1 else f"({e.p} / {e.q})"

    def raised(self, e: Expr) -> str:
        base = self.of(e.base)
        if e.exp == sympy.Rational(1, 2):
            return f"Math.sqrt({base})"
        return f"Math.pow({base}, {self.of(e.exp)})"

    def relation(self, e: Relational) -> str:
        return f"{self.of(e.lhs)} {_RELATIONS.get(e.rel_op, e.rel_op)} {self.of(e.rhs)}"

    other = Fold.other

    def stop_gradient(self, e: StopGradient) -> str:
        return f"({self.of(e.args[0])})"

    def sum_rows(self, e: SumRows) -> str:
        return f"({self.of(e.args[0])})"

    def where(self, e: Where) -> str:
        condition, chosen, otherwise = map(self.of, e.args)
        return f"({condition} ? {chosen} : {otherwise})"

    def reduction(self, e: Reduction) -> str:
        return f"f.{WORDS[type(e)]}({self._features(e.args[0])})"

    def attains_first(self, e: AttainsFirst) -> str:
        return f"(f.first({self._features(e.args[0])}, {self.of(e.args[1])}) === {self.index} ? 1 : 0)"

    def _features(self, body: Expr) -> str:
        inner = _JavaScript("i" if self.index != "i" else "k")
        return f"v.D, ({inner.index}) => {inner.of(body)}"

    def function(self, e: Expr) -> str:
        return f"f.{WORDS[type(e)]}({', '.join(map(self.of, e.args))})"
