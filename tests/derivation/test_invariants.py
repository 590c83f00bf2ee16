"""Rules that every derivation and every plan keeps, in one walk a layer; what fails is told by the name of its rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lngen.algebra.equations import Equation
from lngen.algebra.numeric import Arithmetic, evaluate_equations
from lngen.algebra.reductions import show_sums
from lngen.algebra.symbols import AttainsFirst, D, Mean, StopGradient, SumRows, axes, operation_count, whole
from lngen.derivation.derivation import Derivation, Step
from lngen.derivation.rules import RULE_OF
from lngen.language import names as reserved
from lngen.language.syntax import Kind
from lngen.plan.planner import Plan
from lngen.plan.program import FeatureReduction, RowProgram
from tests.corpus import SAMPLED, definition, draw, planned

Rule = Callable[[str, Plan], Iterator[object]]
"""Rule: from a layer's name and its plan to what does not keep it."""


def parts(made: Derivation) -> Iterable[tuple[tuple[Step, ...], set[str], tuple[Equation, ...]]]:
    """The steps of each part, the names that are given before it, and the equations that it ends at."""
    given = {"D", *(s.name for s in made.forward.symbols), *(q.symbol.name for q in made.written.equations if q.named)}
    cotangents = {cotangent.name for cotangent in made.adjoint.cotangents}
    yield made.steps, given | cotangents, (*made.forward.equations, *made.backward)
    given |= {equation.symbol.name for equation in made.forward.equations}
    for derivative, more in ((made.jvp, set[str]()), (made.backward_backward, cotangents)):
        assert derivative is not None
        yield derivative.steps, given | more | {a.name for a in derivative.arguments}, derivative.equations


def twice(names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            yield f"{name} twice"
        seen.add(name)


# ---- steps


def names_in_steps_are_read_after_they_are_given(_: str, made: Plan) -> Iterator[object]:
    for steps, known, _ in parts(made.derivation):
        for step in steps:
            used = {symbol.name for symbol in step.read}
            used |= {s.name for left, right in step.uses for s in (left.free_symbols | right.free_symbols)}
            if not used - {step.target.name} <= known:
                yield step
            if step.before is None and step.target in step.after.free_symbols:
                yield step
            known.add(step.target.name)


def steps_go_on_where_the_last_of_their_value_ended(_: str, made: Plan) -> Iterator[object]:
    for steps, _, equations in parts(made.derivation):
        last: dict[object, Step] = {}
        for step in steps:
            before = last.get(step.target)
            if (
                step.before != before.after
                if before is not None
                else step.part != "forward" and step.before is not None
            ):
                yield step
            last[step.target] = step
        yield from (
            q for q in equations if q.symbol not in last or last[q.symbol].after != show_sums(whole(q.expression))
        )


def steps_are_numbered_distinct_and_justified(_: str, made: Plan) -> Iterator[object]:
    every = [step for steps, _, _ in parts(made.derivation) for step in steps]
    if [step.number for step in every] != list(range(1, len(every) + 1)):
        yield "numbers"
    lines = [(step.part, step.target, step.before, step.after) for step in every]
    yield from (line for line in lines if lines.count(line) > 1)
    for step in every:
        justified = step.before != step.after and step.rule in RULE_OF and step.reason
        if not justified or step.operations_after != operation_count(step.after):
            yield step


def steps_of_the_chain_rule_are_the_sum_of_their_contributions(_: str, made: Plan) -> Iterator[object]:
    for steps, _, _ in parts(made.derivation):
        for step in (step for step in steps if step.contributions):
            if step.before is not None or show_sums(whole(sum(c.expression for c in step.contributions))) != step.after:
                yield step


# ---- names and equations


def names_of_a_derivation_are_new_and_allowed(_: str, made: Plan) -> Iterator[object]:
    made_of = made.derivation
    written = [s.name for s in made_of.written.symbols] + [q.symbol.name for q in made_of.written.equations]
    given = [s.name for s in (*made_of.forward.symbols, *made_of.adjoint.cotangents)]
    given += [q.symbol.name for q in (*made_of.forward.equations, *made_of.backward)]
    for names in (written, given):
        yield from twice(names)
        yield from (name for name in names if reserved.fault(name))
    # No expression holds two symbols of one name, equal to the eye and different to SymPy.
    for equation in (*made_of.forward.equations, *made_of.backward):
        yield from twice(s.name for s in equation.expression.free_symbols)


def names_of_derivatives_are_those_of_one_value(_: str, made: Plan) -> Iterator[object]:
    derivation = made.derivation
    jvp, double = derivation.jvp, derivation.backward_backward
    assert jvp is not None
    assert double is not None
    gradients = {gradient for _, gradient in derivation.gradients}
    kinds = [gradients, {*derivation.adjoint.cotangents}, {*jvp.arguments}, {s for _, s in jvp.results}]
    kinds += [{*double.arguments}, {s for _, s in double.results}]
    every = [symbol.name for kind in kinds for symbol in kind]
    yield from twice(every)
    named = (*derivation.forward.symbols, *derivation.forward.outputs)
    yield from set(every) - set().union(*(reserved.derived(s.name) for s in named))


def names_nobody_gave_are_numbered_as_they_come(_: str, made: Plan) -> Iterator[object]:
    derivation = made.derivation
    given = {q.symbol.name for q in derivation.forward.equations} | {s.name for s in derivation.forward.symbols}
    own = [q.symbol.name for q in derivation.backward if re.fullmatch(r"g(_[0-9]+)?", q.symbol.name)]
    free = (n for n in ("g", *(f"g_{number}" for number in range(2, 99))) if n not in given)
    yield from (name for name in own if name != next(free))


def equations_use_earlier_ones_and_means_stand_alone(_: str, made: Plan) -> Iterator[object]:
    derivation = made.derivation
    known = {"D", *(s.name for s in (*derivation.forward.symbols, *derivation.adjoint.cotangents))}
    for equation in (*derivation.forward.equations, *derivation.backward):
        if not {s.name for s in equation.expression.free_symbols} <= known:
            yield equation
        known.add(equation.symbol.name)
    for equation in derivation.forward.equations:
        inner = equation.reduction.args[0] if equation.reduction is not None else equation.expression
        if inner.atoms(Mean):
            yield equation


def gradients_divide_by_no_parameter_and_no_gate(name: str, made: Plan) -> Iterator[object]:
    if name == "feature_sum":  # it divides by the sum of a parameter as it is written
        return
    layer, derivation = definition(name), made.derivation
    features = layer.minimum_features + 4
    drawn = draw(layer, 3, features)
    for entry in layer.inputs[1:]:
        if entry.kind is not Kind.CONSTANT:
            drawn[entry.name] = np.zeros_like(drawn[entry.name])
    point = {D: float(features)} | {s: drawn[s.name] for s in derivation.forward.symbols}
    point |= {s: drawn[s.name] for s in derivation.adjoint.cotangents}
    with np.errstate(all="ignore"):
        written = evaluate_equations(derivation.written.equations, point, Arithmetic())
        wanted = evaluate_equations(derivation.adjoint.equations, written, Arithmetic())
        forward = evaluate_equations(derivation.forward.equations, point, Arithmetic())
        found = evaluate_equations(derivation.backward, forward, Arithmetic())
    for (_, gradient), (_, plain) in zip(derivation.gradients, derivation.adjoint.gradients, strict=True):
        pair = np.broadcast_arrays(found[gradient], wanted[plain])
        if not np.allclose(*pair, rtol=1e-9, atol=1e-11, equal_nan=True):
            yield gradient, *pair


# ---- plans


def programs_use_each_name_once_and_after_it_is_known(_: str, made: Plan) -> Iterator[object]:
    for program in made.programs():
        given = [row.symbol for row in program.rows] + [parameter.symbol for parameter in program.parameters]
        given += program.saved if program.direction != "forward" else ()
        known = {*given, D}
        names = [symbol.name for symbol in given]
        for line in in_order(program):
            body = line.body if isinstance(line, FeatureReduction) else line.expression
            if not body.free_symbols <= known:
                yield program.direction, line
            known.add(line.symbol)
            names.append(line.symbol.name)
        yield from twice(names + [total.symbol.name for s in program.stages for total in s.rows_reductions])
        stores = (store for stage in program.stages for store in stage.stores)
        yield from (store for store in stores if axes(store.symbol).rows and store.symbol not in known)


def in_order(program: RowProgram) -> Iterator[Any]:
    yield from program.prologue
    for stage in program.stages:
        yield from (*stage.temps, *stage.reductions, *stage.row_scalars)


def programs_hold_nothing_a_backend_does_not_know(_: str, made: Plan) -> Iterator[object]:
    for program in (made.forward, made.backward):
        lines = [*program.prologue, *program.temps(), *program.epilogue]
        for line in lines + [line for stage in program.stages for line in stage.row_scalars]:
            # Where a row attains its extreme is a value of its own.
            nested = not isinstance(line.expression, AttainsFirst) and line.expression.atoms(AttainsFirst)
            if nested or line.expression.atoms(StopGradient, SumRows):
                yield line


RULES_OF_ALL: tuple[Rule, ...] = (
    names_in_steps_are_read_after_they_are_given,
    steps_go_on_where_the_last_of_their_value_ended,
    steps_are_numbered_distinct_and_justified,
    steps_of_the_chain_rule_are_the_sum_of_their_contributions,
    names_of_a_derivation_are_new_and_allowed,
    names_of_derivatives_are_those_of_one_value,
    names_nobody_gave_are_numbered_as_they_come,
    equations_use_earlier_ones_and_means_stand_alone,
    gradients_divide_by_no_parameter_and_no_gate,
    programs_use_each_name_once_and_after_it_is_known,
    programs_hold_nothing_a_backend_does_not_know,
)


@pytest.mark.parametrize("layer", SAMPLED)
def test_a_derivation_is_well_formed(layer: str) -> None:
    made = planned(layer)
    found = {rule.__name__: [*rule(layer, made)] for rule in RULES_OF_ALL}
    assert {rule: faults for rule, faults in found.items() if faults} == {}


def test_each_rule_tells_a_fault_that_is_planted() -> None:
    made = planned("layer_norm")
    derivation, forward = made.derivation, made.forward
    steps, backward = derivation.steps, derivation.backward

    def of(**changed: Any) -> Plan:
        return replace(made, derivation=replace(derivation, **changed))

    planted: tuple[tuple[Rule, Plan], ...] = (
        (names_in_steps_are_read_after_they_are_given, of(steps=steps[::-1])),
        (steps_go_on_where_the_last_of_their_value_ended, of(steps=steps[1:])),
        (steps_are_numbered_distinct_and_justified, of(steps=(*steps[:-1], replace(steps[-1], reason="")))),
        (
            steps_of_the_chain_rule_are_the_sum_of_their_contributions,
            of(steps=[replace(step, contributions=step.contributions[1:]) for step in steps]),
        ),
        (names_of_a_derivation_are_new_and_allowed, of(backward=(*backward, backward[-1]))),
        (names_of_derivatives_are_those_of_one_value, of(gradients=[(a, a) for a, _ in derivation.gradients])),
        (equations_use_earlier_ones_and_means_stand_alone, of(backward=backward[::-1])),
        (
            gradients_divide_by_no_parameter_and_no_gate,
            of(backward=[replace(q, expression=2 * q.expression) for q in backward]),
        ),
        (
            programs_use_each_name_once_and_after_it_is_known,
            replace(made, forward=replace(forward, stages=forward.stages[::-1])),
        ),
    )
    assert [rule.__name__ for rule, wrong in planted if not [*rule("layer_norm", wrong)]] == []
