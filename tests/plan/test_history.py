"""Sources of lines: the step that emitted code names says exactly that line, or the pass does."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

import pytest
from sympy import Expr, preorder_traversal

from lngen.algebra.reductions import show_sums
from lngen.algebra.symbols import RowSymbol, StopGradient, TypedSymbol
from lngen.derivation.derivation import Derivation, Step
from lngen.derivation.simplify.linear import expand_linear
from lngen.emit import cpp, numpy
from lngen.pipeline.stages import derived
from lngen.plan.history import History, with_sources
from lngen.plan.planner import Plan
from lngen.plan.program import Assignment, Line, RowProgram, Stage
from tests.corpus import SAMPLED, definition, planned

BACKENDS = {"NumPy": numpy.handed, "C++ and CUDA": cpp.handed}


def steps_of(derivation: Derivation) -> Mapping[int, Step]:
    return {step.number: step for part in derivation.derivatives().values() for step in part.steps}


def handed(plan: Plan) -> Iterator[tuple[str, RowProgram]]:
    for backends, passes in BACKENDS.items():
        for program in plan.programs():
            yield backends, passes(program)


def expanded(expression: Expr, names: Mapping[TypedSymbol, Expr], kept: Collection[TypedSymbol] = ()) -> Expr:
    while used := expression.free_symbols.difference(kept) & names.keys():
        expression = expression.xreplace({symbol: names[symbol] for symbol in used})
    return show_sums(expression)


def is_said(line: Line, steps: Mapping[int, Step], names: Mapping[TypedSymbol, Expr]) -> bool:
    """Test whether a line is its step, or a part of it that got a name; `names` are those of the program's lines."""
    step = steps[line.step]
    said = show_sums(step.after.replace(StopGradient, lambda value: value))
    expression = expanded(line.expression, names, said.free_symbols)
    if line.symbol == step.target:
        return bool(expression == said)
    return expression != said and expression in preorder_traversal(said)


def unsaid(plan: Plan, numbered: bool) -> list[tuple[str, Line]]:
    """Return the lines that their steps do not say, of those with a number or of those without one."""
    steps = steps_of(plan.derivation)
    # A pass may compute a name in another way, which is then a line with a number.
    named = {p.direction: {q.symbol: q.expression for q in p.lines() if not q.made_by} for p in plan.programs()}
    found = []
    for backends, program in handed(plan):
        names = named[program.direction]
        lines = [q for q in program.lines() if bool(q.made_by) == numbered]
        found += [(backends, q) for q in lines if not is_said(q, steps, names)]
    return found


def is_read_so(line: Line, plan: Plan) -> bool:
    """Test whether a line is its step where each name is written out, also one that a pass gave to a factor.

    What does not vary over features stands before a mean in both.
    """
    names = {q.symbol: q.expression for program in plan.programs() for q in program.lines()}
    said = steps_of(plan.derivation)[line.step].after
    return bool(expand_linear(expanded(line.expression, names)) == expand_linear(expanded(said, names)))


@pytest.mark.parametrize("name", SAMPLED)
def test_a_line_without_a_pass_is_what_its_step_says(name: str) -> None:
    made = planned(name)
    assert all(is_read_so(line, made) for _, line in unsaid(made, numbered=False))


@pytest.mark.parametrize("name", SAMPLED)
def test_a_pass_with_a_number_says_the_line_that_has_it(name: str) -> None:
    made = planned(name)
    said = {line.number: line for line in made.passes()}
    assert [*said] == [*range(1, len(said) + 1)]
    used: dict[int, set[str]] = {}
    for backends, program in handed(made):
        for line in program.lines():
            if line.made_by:
                own = said[line.made_by]
                assert (own.symbol, own.expression, own.step) == (line.symbol, line.expression, line.step)
                used.setdefault(line.made_by, set()).add(backends)
    assert used == {number: set(line.backends) for number, line in said.items()}


def test_the_lines_with_numbers_are_those_that_no_step_says() -> None:
    """Numbers are not for everything: without theirs, these lines would be refused."""
    made = planned("layer_norm")
    numbered = [q for _, program in handed(made) for q in program.lines() if q.made_by]
    assert len(numbered) == len(unsaid(made, numbered=True)) > 20


def test_comments_of_emitted_code_name_the_pass() -> None:
    made = derived(definition("layer_norm"), proved=False)
    said = {line.number: line for line in made.plan.passes()}
    text = made.text("layer.h") + made.text("numpy_kernels.py") + made.text("numpy_second_order.py")
    found = re.findall(r"(?:(\w+) = [^\n]*//|#) step (\d+), pass (\d+)(?:: (\w+) =)?", text)
    assert {int(number) for *_, number, _ in found} == {*said}
    for in_cpp, step, number, in_numpy in found:
        if name := in_cpp or in_numpy:
            assert (said[int(number)].symbol.name, said[int(number)].step) == (name, int(step))


def test_a_line_that_no_pass_was_seen_to_make_has_no_rule() -> None:
    x, y = RowSymbol("x"), RowSymbol("y")
    history = History()
    history.saw("", [Assignment(y, x, 1)])
    with pytest.raises(KeyError):
        history.rule(Assignment(y, 2 * x, 1))


def test_a_line_that_a_later_pass_changed_loses_its_number() -> None:
    """A pass replaces a line's formula and leaves the rest of it."""
    x, y = RowSymbol("x"), RowSymbol("y")
    program = next(program for program in planned("layer_norm").programs() if program.passes)
    changed = replace(program, stages=(Stage((Assignment(y, 2 * x, 1, made_by=3),)),))
    assert with_sources(changed).stages[0].temps[0].made_by == 0
