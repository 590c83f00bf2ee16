"""Kernels with absent inputs: the conditions, compared with the expressions."""

import itertools

import pytest
import sympy
from sympy import Expr, Symbol

from lngen.emit.cpp.presence import Presence, cpp, flags
from lngen.plan.presence import ALWAYS, NEVER, Condition
from lngen.plan.program import RowProgram
from tests import programs
from tests.emit.cuda_programs import SINK, sink_backward

A, B, C = (Condition.of(name) for name in "abc")

PROGRAMS = [
    programs.CENTRED_FORWARD,
    programs.CENTRED_BACKWARD,
    programs.TANH_FORWARD,
    programs.TANH_BACKWARD,
    programs.RESIDUAL_FORWARD,
    programs.RESIDUAL_BACKWARD,
    *SINK,
]


def holds(condition: Condition, present: set[str]) -> bool:
    return condition.given(present) == ALWAYS


def presences(program: RowProgram) -> list[set[str]]:
    """Every legal set of present arguments: of several cotangents one at least is there."""
    names = sorted(flags(program))
    cotangents = {row.name for row in program.rows if row.origin == "cotangent"} & set(names)
    chosen = itertools.product((True, False), repeat=len(names))
    subsets = [{name for name, there in zip(names, choice, strict=True) if there} for choice in chosen]
    return [subset for subset in subsets if not cotangents or subset & cotangents]


def definitions(program: RowProgram) -> list[tuple[Symbol, Expr]]:
    found = [(line.symbol, line.expression) for line in program.prologue]
    for stage in program.stages:
        found += [(line.symbol, line.expression) for line in stage.temps]
        found += [(item.symbol, item.body) for item in stage.reductions]
        found += [(line.symbol, line.expression) for line in stage.row_scalars]
        found += [(item.symbol, item.body) for item in stage.rows_reductions]
    return found + [(line.symbol, line.expression) for line in program.epilogue]


def substituted(program: RowProgram, present: set[str]) -> dict[Symbol, Expr]:
    """The definitions with zero put in for what is left out and is zero then."""
    neutral = dict(program.optional)
    arguments = [(row.name, row.symbol) for row in program.rows]
    arguments += [(parameter.name, parameter.symbol) for parameter in program.parameters]
    absent = [(name, symbol) for name, symbol in arguments if name in set(flags(program)) - present]
    zero = {symbol: sympy.S.Zero for name, symbol in absent if neutral.get(name, 0) == 0}
    expressions = {}
    for symbol, expression in definitions(program):
        value = expression.xreplace(zero)
        expressions[symbol] = value
        if value == 0 or value.replace(lambda e: e.is_Function and e.args[0] == 0, lambda e: sympy.S.Zero) == 0:
            zero[symbol] = sympy.S.Zero
    return {**expressions, **dict.fromkeys(zero, sympy.S.Zero)}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: f"{p.layer}-{p.direction}")
def test_nonzero_is_what_substitution_leaves(program: RowProgram) -> None:
    presence = Presence(program)
    for present in presences(program):
        for symbol, expression in substituted(program, present).items():
            assert holds(presence.nonzero(symbol), present) == (expression != 0), (symbol, present)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: f"{p.layer}-{p.direction}")
def test_used_is_what_the_wanted_results_reach(program: RowProgram) -> None:
    presence = Presence(program)
    optional = dict(program.optional)
    backward = program.direction == "backward"
    for present in presences(program):
        expressions = substituted(program, present)
        reached: set[Symbol] = set(() if backward else program.saved)
        for store in program.results:
            sources = {name.removeprefix("d") for name in store.names}
            if not backward or any(name not in optional or name in present for name in sources):
                reached.add(store.symbol)
        waiting = list(reached)
        while waiting:
            for symbol in expressions.get(waiting.pop(), sympy.S.Zero).free_symbols - reached:
                reached.add(symbol)
                waiting.append(symbol)
        for symbol, _ in definitions(program):
            used = symbol in reached and expressions[symbol] != 0
            assert holds(presence.needed(symbol), present) == used, (symbol, present)


def test_one_cotangent_of_several_is_always_there() -> None:
    presence = Presence(sink_backward())
    total = next(store.symbol for store in sink_backward().results if "dx" in store.names)
    assert presence.nonzero(total) == ALWAYS


def test_conditions_in_cpp() -> None:
    assert cpp((A & B) | C) == "(HAS_a && HAS_b) || HAS_c"
    assert [cpp(condition) for condition in (B | A, ALWAYS, NEVER)] == ["HAS_a || HAS_b", "true", "false"]
