"""Rules as values, and the driver that tries them in order, tells each step and keeps the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import sympy
from sympy import Add, Expr, Mul, Pow, default_sort_key

from lngen.algebra.equations import Equation, Forward, Names
from lngen.algebra.reductions import split_statement
from lngen.algebra.symbols import Reduction, is_row, stand_in
from lngen.derivation.rules.linearity import tree_size
from lngen.derivation.trail import Trail

_HIGHEST_DEGREE = 16
_LONGEST_WRITTEN_OUT = 80
"""The nodes of an expression with the values of its names in it; a longer one is left alone."""

Place = Literal["expression", "forward", "value", "lines", "pass"]
"""Places where rules are tried, and so the arguments and the result of their functions.

* `expression`: a sum, a logarithm or an exponential of the definition -> the expression in its place, or None.
* `forward`: a forward and the trail -> the forward after the rule.
* `value`: an equation of the normal form -> whether it is of this kind. The first rule that says so explains its line.
* `lines`: a `System` -> its `Rewrite`s, which are tried on each line that is derived from the forward.
* `pass`: the driver leaves it alone. A pass over the equations calls it, as the chain rule needs it.
"""


@dataclass(frozen=True)
class Example:
    """Expression before and after a rule, in the derivation of `body`: the value of a row x, or a whole definition.

    A value's first line has no `before`.
    """

    body: str
    before: str
    after: str

    @property
    def definition(self) -> str:
        """Return the definition: `def f(x: Row): return tanh(x)` for `tanh(x)`."""
        return self.body if self.body.startswith("def ") else f"def f(x: Row): return {self.body}"


@dataclass(frozen=True)
class Rule:
    """A lemma that a derivation uses: what it says, the function that writes it, when it holds, why, and what for.

    `place` says where `function` is tried. `gains` is the reason that a step gives, unless the function has one of its
    own.
    """

    place: Place
    name: str
    statement: str
    function: Callable[..., Any]
    example: Example | None
    gains: str
    proof: str = "It is what the definition says, with earlier values by their names."
    condition: str = "None."

    @property
    def anchor(self) -> str:
        """Return the anchor of the rule on a page: `rule-change-of-basis`."""
        return "rule-" + self.name.replace(" ", "-")


on_expressions = partial(Rule, "expression")
on_forwards = partial(Rule, "forward")
of_values = partial(Rule, "value")
on_lines = partial(Rule, "lines")
in_passes = partial(Rule, "pass")


@dataclass(frozen=True)
class System:
    """System of equations that a rule on lines reads: a forward, lines derived from it, and names that are taken."""

    forward: Forward
    lines: tuple[Equation, ...]
    names: Names


@dataclass(frozen=True)
class Rewrite:
    """Rewrite of each line by a rule.

    `uses` are the equations that are put in, and `reason` says more than what the rule gains. `defines` is the
    equation of a value to which the rule gives a name, and the reason: it comes before the first line that reads it. In
    gradients a value `of_forward` comes into the forward, after what it reads.
    """

    change: Callable[[Expr], Expr]
    reason: str = ""
    uses: Mapping[Expr, Expr] = field(default_factory=dict)
    defines: tuple[Equation, str] | None = None
    of_forward: bool = False


def run(rules: Iterable[Rule], system: System, trail: Trail) -> System:
    """Return a system after rules, each tried in its turn.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, y, z = (RowSymbol(name) for name in "xyz")
    >>> rewrite = Rewrite(lambda e: e.xreplace({y: x}))
    >>> rule = on_lines("written out", "", lambda system: [rewrite], Example("", "", ""), "y is x")
    >>> trail, layer = Trail(), Forward("f", (), (x,), (), ())
    >>> after = run([rule], System(layer, (Equation(z, y + 1), Equation(z, x)), Names([])), trail)
    >>> [line.expression for line in after.lines], [step.reason for step in trail.steps]
    ([x + 1, x], ['y is x'])
    """
    for rule in rules:
        if rule.place == "expression":
            system = replace(system, forward=_in_expressions(rule, system.forward, trail))
        elif rule.place == "forward":
            system = replace(system, forward=rule.function(system.forward, trail))
        elif rule.place == "lines":
            for rewrite in rule.function(system):
                system = _rewritten(rule, rewrite, system, trail)
    return system


def rewritten_lines(name: str, rewrite: Rewrite, lines: Iterable[Equation], trail: Trail) -> tuple[Equation, ...]:
    """Return lines after a rewrite by the rule of this name, and tell a step for each line that it changed."""
    result = []
    for line in lines:
        after = rewrite.change(line.expression)
        if after != line.expression:
            trail.derived(name, line.symbol, line.expression, after, rewrite.reason, uses=rewrite.uses.items())
            line = replace(line, expression=after)
        result.append(line)
    return tuple(result)


def _rewritten(rule: Rule, rewrite: Rewrite, system: System, trail: Trail) -> System:
    rewrite = replace(rewrite, reason=rewrite.reason or rule.gains)
    lines = rewritten_lines(rule.name, rewrite, system.lines, trail)
    if rewrite.defines is None or lines == system.lines:
        return replace(system, lines=lines)
    new, reason = rewrite.defines
    of_forward = rewrite.of_forward and trail.derivative == "backward"
    part = "forward" if of_forward else trail.derivative
    trail.add(part, rule.name, new.symbol, None, new.expression, reason or rewrite.reason)
    if of_forward:
        known = system.forward.equations
        at = 1 + max(i for i, q in enumerate(known) if q.symbol in new.expression.free_symbols)
        forward = replace(system.forward, equations=(*known[:at], new, *known[at:]))
        return replace(system, forward=forward, lines=lines)
    lines = tuple(q for q in lines if q.symbol != new.symbol)
    readers = [i for i, q in enumerate(lines) if new.symbol in q.expression.free_symbols]
    return replace(system, lines=(*lines[: readers[0]], new, *lines[readers[0] :]) if readers else lines)


# ---- rules of expressions


def _in_expressions(rule: Rule, forward: Forward, trail: Trail) -> Forward:
    """Return a forward after a rule on each sum, logarithm and exponential, with the values of names in them.

    A value through which no gradient flows is none of those. A reduction that comes up has a line of its own. Steps
    write out values that the definition has no name for: a reader has not met them.
    """
    values: dict[Expr, Expr] = {}
    unnamed: dict[Expr, Expr] = {}
    equations: list[Equation] = []
    names = Names.of(forward)
    for equation in forward.equations:
        after = equation.expression.replace(
            lambda part: isinstance(part, (Add, sympy.log, sympy.exp)), lambda part: _written(rule, part, values)
        )
        before, shown = (e.xreplace(unnamed) for e in (equation.expression, after))
        trail.add("forward", rule.name, equation.symbol, before, shown, rule.gains)
        if not equation.named:
            unnamed[equation.symbol] = shown
        if after != equation.expression:
            is_statistic = replace(equation, expression=after).reduction is not None
            after = split_statement(after, equations, names, whole=is_statistic)
        equations.append(replace(equation, expression=after))
        if not equation.stopped:
            values[equation.symbol] = after
    return replace(forward, equations=tuple(equations))


def _written(rule: Rule, part: Expr, values: Mapping[Expr, Expr]) -> Expr:
    for kept in (Add, ()):
        whole = _with_values(part, values, kept)
        signed = _positive(whole, values) if isinstance(part, sympy.log) else {}
        found = rule.function(whole.xreplace(signed))
        if found is not None:
            found = found.xreplace({made: name for name, made in signed.items()})
            return _written(rule, found, values) if isinstance(found, Add) else found
    return part


def _with_values(part: Expr, values: Mapping[Expr, Expr], kept: type | tuple[()]) -> Expr:
    """Replace operands by their values, but for a `kept` kind, and for the reductions that a row reads."""
    while table := {
        s: values[s]
        for s in {*_operands(part)} & values.keys()
        if not isinstance(values[s], kept) and not (is_row(part) and values[s].has(Reduction))
    }:
        # SymPy looks for the roots of a polynomial that it asks the sign of.
        if _degree(part, table) > _HIGHEST_DEGREE:
            break
        if tree_size(longer := part.xreplace(table), _LONGEST_WRITTEN_OUT) > _LONGEST_WRITTEN_OUT:
            break
        part = longer
    return part


def _operands(e: Expr) -> Iterator[Expr]:
    if isinstance(e, (Add, Mul, Pow, sympy.log, sympy.exp)):
        for argument in e.args:
            yield from _operands(argument)
    yield e


def _degree(e: Expr, values: Mapping[Expr, Expr]) -> int:
    """Return a bound of the degree of an expression with values in the place of names.

    >>> x, u = sympy.symbols("x u")
    >>> _degree(u**2 + x, {u: x**3 + 1})
    6
    """
    if e in values:
        return _degree(values[e], {})
    if isinstance(e, Pow) and e.exp.is_Integer:
        return abs(int(e.exp)) * _degree(e.base, values)
    of_arguments = [_degree(part, values) for part in e.args if isinstance(part, Expr)]
    return sum(of_arguments) if isinstance(e, Mul) else max(of_arguments, default=1)


def _positive(e: Expr, values: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
    """Return stand-ins, whose sign is known, for the names of positive numbers, as of sums of exponentials."""
    names = [name for name in e.free_symbols & values.keys() if is_positive(name, values)]
    sorted_names = enumerate(sorted(names, key=default_sort_key))
    return {name: stand_in(f"positive {place}", name, positive=True) for place, name in sorted_names}


def is_positive(e: Expr, values: Mapping[Expr, Expr]) -> bool:
    """Test whether an expression is positive by its form, with the values of its names.

    >>> from lngen.algebra.symbols import Mean, RowScalarSymbol, RowSymbol
    >>> x, s = RowSymbol("x"), RowScalarSymbol("s")
    >>> is_positive(1 + s, {s: Mean(sympy.exp(x))}), is_positive(s, {s: Mean(x)})
    (True, False)
    """
    if e in values:
        return is_positive(values[e], values)
    parts = e.args if isinstance(e, (Add, Mul, Reduction)) else e.args[:1] if isinstance(e, Pow) else ()
    return bool(e.is_positive or (parts and all(is_positive(part, values) for part in parts)))
