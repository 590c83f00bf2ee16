"""Emitted programs beside the derivation: each is shown to be equal, and a fault in the lines of a pass is refused."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations
from typing import Any

import pytest
from sympy import Add, Eq, Expr

from lngen.algebra.equations import Equation
from lngen.algebra.symbols import D, RowSymbol, Where
from lngen.derivation.derivation import EVERY_D, Proof
from lngen.emit import cpp, numpy
from lngen.emit.cpp import kernels as of_loops
from lngen.emit.numpy import lowering as of_arrays
from lngen.language.parsing import parse
from lngen.pipeline import stages
from lngen.plan import planner
from lngen.plan.history import after
from lngen.plan.planner import Plan
from lngen.plan.program import Assignment, RowProgram
from lngen.prove import REQUIRED
from lngen.prove.every_size import NamesApart, shown_equal
from lngen.prove.programs import _Program, _ProgramOfForward, program_proofs
from tests.corpus import NAMES, SOME, planned
from tests.tiers import sample

Passes = Callable[[RowProgram], RowProgram]


def unchanged(program: RowProgram) -> RowProgram:
    return program


def proofs(planned: Plan, passes: Passes, change: Passes = unchanged) -> list[Proof]:
    """The proofs of the programs that a backend is handed, after a change of each."""
    return list(program_proofs(planned.derivation, {"it": [change(passes(q)) for q in planned.programs()]}))


def is_shown(found: list[Proof]) -> bool:
    return all(proof.kind == EVERY_D for proof in found)


@pytest.mark.parametrize("name", sample(NAMES, SOME))
def test_programs_of_a_layer_are_the_derivation(name: str) -> None:
    for passes in (numpy.handed, cpp.handed):
        (proof,) = proofs(planned(name), passes)
        assert (proof.kind, proof.count) == (EVERY_D, 4)


# ---- faults, planted in the lines that a pass made

_LOG_SUM_LESS_MEAN = "def f(x: Row): return x*(log(sum(exp(x))) - mean(x))"

PASSES: dict[str, tuple[Any, str, Passes, str]] = {
    "compensation": (planner, "compensated", numpy.handed, "one_line"),
    "offsets": (planner, "less_largest", numpy.handed, _LOG_SUM_LESS_MEAN),
    "shared": (planner, "shared_reductions", numpy.handed, "softmax"),
    "once a row": (planner, "once_a_row", numpy.handed, "softmax"),
    "scales": (of_arrays, "with_late_scales", numpy.handed, "residual"),
    "weights": (of_arrays, "with_weights", numpy.handed, "power_norm"),
    "moments": (of_loops, "with_corrected_moments", cpp.handed, "one_line"),
    "places": (of_loops, "with_places", cpp.handed, "shift_and_maximum"),
}
"""Each pass: where it is called, what the backend that has it is handed, and a layer that it changes."""

FAULTS: dict[str, Callable[[Expr], Expr]] = {
    "a term dropped": lambda e: Add(*e.args[1:]) if isinstance(e, Add) else e - e,
    "a factor": lambda e: 2 * e,
    "a sign": lambda e: -e,
    "one D": lambda e: e * Where(Eq(D, 3), 2, 1),
    "all D but four": lambda e: e * (1 + (D - 1) * (D - 2) * (D - 3) * (D - 4)),
}


@functools.cache
def layer(name: str) -> Plan:
    """A layer of the corpus, or of a text."""
    return planned(name) if name in NAMES else stages.planned(parse(name), proved=False)


def lines_of(name: str, passes: Passes) -> set[tuple[str, Expr, Expr]]:
    after.cache_clear()
    programs = planner.plan(layer(name).derivation).programs()
    return {(q.direction, line.symbol, line.body) for q in programs for line in passes(q).lines()}


def made_by(a_pass: str, monkeypatch: pytest.MonkeyPatch) -> set[tuple[str, Expr, Expr]]:
    """The lines that are there with a pass and not without it."""
    module, function, passes, name = PASSES[a_pass]
    found = lines_of(name, passes)
    with monkeypatch.context() as left_out:
        left_out.setattr(module, function, lambda given, *_: given if isinstance(given, RowProgram) else list(given))
        return found - lines_of(name, passes)


def with_line(program: RowProgram, symbol: Expr, fault: Callable[[Expr], Expr]) -> RowProgram:
    """The program with a fault in the line of a symbol, before its reduction."""
    return program.mapped(lambda q: q.with_body(fault(q.body)) if q.symbol == symbol else q)


def with_fault(a_pass: str, direction: str, symbol: Expr, fault: Callable[[Expr], Expr]) -> _Program:
    _, _, passes, name = PASSES[a_pass]
    forward, program = handed(passes, name, "forward"), handed(passes, name, direction)
    changed = with_line(program, symbol, fault)
    assert changed != program
    return _Program(_ProgramOfForward(layer(name).derivation, changed if program is forward else forward), changed)


@functools.cache
def handed(passes: Passes, name: str, direction: str) -> RowProgram:
    return next(passes(q) for q in layer(name).programs() if q.direction == direction)


@pytest.mark.ci
@pytest.mark.parametrize("a_pass", sample(PASSES, [*PASSES.keys() - {"compensation"}]))
def test_a_fault_in_a_line_of_a_pass_is_refused(a_pass: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change that is shown all the same is none: a residual is zero, and a softmax is the same under a shift."""
    monkeypatch.setattr("lngen.prove.digits.sizes", lambda derivation: (2, 3))
    refused = set()
    for direction, symbol, body in sorted(made_by(a_pass, monkeypatch), key=str):
        faults = dict(FAULTS)
        if rows := sorted((s for s in body.free_symbols if isinstance(s, RowSymbol)), key=str):
            faults["a kink"] = lambda e, at=rows[0]: e + Where(Eq(at, 0), at + 1, 0)
        for word, fault in faults.items():
            program = with_fault(a_pass, direction, symbol, fault)
            if program.open():
                refused.add(word)
                continue
            digits = program.digits(name for name, _, _ in program.results) or 0
            assert digits >= REQUIRED, f"{direction}: {symbol} {word}"
            # A random point does not meet it: it is shown where the line may be anything.
            assert word != "a kink" or not with_fault(a_pass, direction, symbol, lambda e: e + 1).open()
    assert refused >= FAULTS.keys()


# ---- absence


def left_out(program: RowProgram) -> Iterator[tuple[str, ...]]:
    names = dict(program.optional)
    yield from chain.from_iterable(combinations(names, size) for size in range(1, len(names) + 1))


@pytest.mark.parametrize("name", sample(("rms_norm", "add_rms_norm"), ("rms_norm",)))
def test_each_case_of_left_out_arguments_is_equal_by_itself(name: str) -> None:
    """The evidence rests on the equality for all values; here each case has its own proof."""
    made = planned(name)
    for passes in (numpy.handed, cpp.handed):
        forward, *others = map(passes, made.programs())
        for program in (forward, *others):
            found = _Program(_ProgramOfForward(made.derivation, forward), program)
            neutral = {symbol.name: (symbol, value) for symbol, value in found._neutral().items()}
            for names in left_out(program):
                meanings = found.forward.new_names()
                # An argument that the program does not read has no symbol in it.
                meanings.give(Equation(*neutral[each]) for each in names if each in neutral)
                meanings.give(found.derived())
                own = NamesApart(meanings, {})
                equations, table = found.equations()
                own.give(equations)
                for _, wanted, symbol in found.results:
                    shown_equal(own(symbol.xreplace(table)), wanted, meanings, together=True)


@pytest.fixture(scope="module")
def scaled() -> Plan:
    return stages.planned(parse("def f(x: Row, w: Feature = 1, b: Feature = 0): return x*w + b"), proved=False)


def test_another_value_of_a_left_out_input_is_refused(scaled: Plan) -> None:
    def other(program: RowProgram) -> RowProgram:
        return replace(program, optional=tuple((n, Fraction(1) if n == "b" else v) for n, v in program.optional))

    assert is_shown(proofs(scaled, unchanged))
    found = proofs(scaled, unchanged, other)
    assert [proof.kind == EVERY_D for proof in found] == [False] * 4
    assert all("b: another value where it is left out" in proof.statement for proof in found)


def test_a_divisor_that_is_zero_without_an_input_is_refused(scaled: Plan) -> None:
    x, b = (next(s for s in scaled.derivation.forward.symbols if s.name == n) for n in "xb")
    forward = scaled.forward
    twice = Assignment(RowSymbol("t"), (x + b * b) / b, 1)
    (stage,) = forward.stages

    def change(program: RowProgram) -> RowProgram:
        if program is not forward:
            return program
        y = stage.temps[-1]
        y = replace(y, expression=y.expression + twice.symbol - x / b - b)
        return replace(program, stages=(replace(stage, temps=(*stage.temps[:-1], twice, y)),))

    found = proofs(scaled, unchanged, change)
    assert [proof.kind for proof in found] != [EVERY_D]
    assert any("it is zero without b" in proof.statement for proof in found)


# ---- corrections


@pytest.mark.ci
def test_a_correction_that_is_not_zero_may_not_be_skipped() -> None:
    made = planned("layer_norm")

    def marked(program: RowProgram) -> RowProgram:
        stages = (replace(stage, correction=bool(stage.reductions)) for stage in program.stages)
        return replace(program, stages=tuple(stages))

    assert is_shown(proofs(made, unchanged))
    assert not is_shown(proofs(made, unchanged, marked))
