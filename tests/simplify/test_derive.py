"""The derivation as a whole: its steps, its length, its names, and that it is the same on every machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from time import process_time

import pytest
import sympy

from lngen import names as reserved
from lngen.definition import parse
from lngen.simplify import derive
from lngen.simplify.linear import operation_count, reductions_in, show_sums
from lngen.symbolic import TypedSymbol
from tests.corpus import NAMES, backward, definition, derivation

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", NAMES)
def test_steps(name: str) -> None:
    made = derivation(name)
    assert [step.number for step in made.steps] == list(range(1, len(made.steps) + 1))
    for step in made.steps:
        assert step.before is None or step.before != step.after, step
        assert step.reason
        assert step.rule
        assert step.operations_after == operation_count(step.after)
        assert "_x" not in step.reason.split()


@pytest.mark.parametrize("name", NAMES)
def test_the_last_step_of_a_quantity_is_what_is_emitted(name: str) -> None:
    made = derivation(name)
    last = {step.target: step.after for step in made.steps}
    for equation in (*made.forward.equations, *made.backward):
        if equation.symbol in last:
            assert last[equation.symbol] == show_sums(equation.expression), equation
        else:
            # A gradient that is another one, or zero, or a cotangent as it came, needs no step.
            assert isinstance(equation.expression, TypedSymbol) or equation.expression == 0, equation


@pytest.mark.parametrize("name", NAMES)
def test_each_equation_uses_only_earlier_ones(name: str) -> None:
    made = derivation(name)
    known = {*made.forward.symbols, *made.adjoint.cotangents, sympy.Symbol("D")}
    for equation in (*made.forward.equations, *made.backward):
        assert {s.name for s in equation.expression.free_symbols} <= {s.name for s in known}, equation
        known.add(equation.symbol)


@pytest.mark.parametrize("name", NAMES)
def test_one_name_one_value(name: str) -> None:
    made = derivation(name)
    symbols = [*made.forward.symbols, *made.adjoint.cotangents]
    symbols += [q.symbol for q in (*made.forward.equations, *made.backward)]
    assert len({s.name for s in symbols}) == len(symbols)
    assert not [s.name for s in symbols if reserved.fault(s.name)]
    # No expression holds two symbols of one name, equal to the eye and different to SymPy.
    for equation in (*made.forward.equations, *made.backward):
        used = [s.name for s in equation.expression.free_symbols]
        assert len(used) == len(set(used))


OPERATIONS = {
    # (operations, reductions) of each gradient: they do not silently grow
    "layer_norm": {"dx": (7, 2), "dgamma": (2, 0), "dbeta": (1, 0)},
    "rms_norm": {"dx": (5, 1), "dgamma": (2, 0)},
    "soft_max": {"dx": (4, 1)},
    "residual_add": {"dx": (8, 2), "dr": (0, 0), "dgamma": (2, 0), "dbeta": (1, 0)},
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_counts(name: str) -> None:
    made = derivation(name)
    value = {q.symbol: show_sums(q.expression) for q in made.backward}
    found = {d.name: (operation_count(value[d]), reductions_in(value[d])) for _, d in made.gradients}
    assert found == OPERATIONS[name]


def test_the_unsimplified_adjoint_is_longer() -> None:
    made = derivation("layer_norm")
    long = sum(operation_count(q.expression) for q in made.adjoint.equations)
    short = sum(operation_count(q.expression) for q in made.backward)
    assert long > 2 * short


def test_six_lines_and_one_give_one_derivation() -> None:
    assert backward("layer_norm") == backward("one_line") == backward("naive_variance")
    six, one = derivation("layer_norm"), derivation("one_line")
    assert six.forward.equations == one.forward.equations or [str(q) for q in six.forward.equations]
    assert [q.expression for q in six.forward.equations] == [q.expression for q in one.forward.equations]


def test_a_definition_that_would_blow_up_is_derived_in_bounded_time_and_says_so() -> None:
    rows = ", ".join(f"r{i}: Row" for i in range(6))
    product = "*".join(f"(x - mean(x) + r{i}*mean(x))**8" for i in range(6))
    text = f"def f(x: Row, {rows}, eps: Constant = 1e-5): return (x - mean(x))*rsqrt(mean({product}) + eps)"
    start = process_time()
    made = derive(parse(text))
    assert process_time() - start < 30
    assert any("terms: not multiplied out" in step.reason for step in made.steps)


def test_derived_in_a_moment() -> None:
    start = process_time()
    derive(definition("layer_norm"))
    assert process_time() - start < 3


PRINT_ALL = """
import hashlib
from lngen.plan import plan
from lngen.simplify import derive
from tests.corpus import NAMES, definition
lines = []
for name in NAMES[::3]:
    made = derive(definition(name))
    lines += [name, *map(str, made.steps), *map(str, made.forward.equations), *map(str, made.backward)]
    lines += [*map(str, made.identities), *map(str, made.adjoint.equations)]
    planned = plan(made)
    lines += [str(planned.forward), str(planned.backward)]
print(hashlib.sha256("\\n".join(lines).encode()).hexdigest(), len(lines))
"""


def test_the_same_text_under_every_hash_seed() -> None:
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", PRINT_ALL],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("0", "1", "31337")
    ]
    texts = [run.communicate()[0] for run in runs]
    assert all(run.returncode == 0 for run in runs)
    assert len(set(texts)) == 1
    assert int(texts[0].split()[1]) > 300
