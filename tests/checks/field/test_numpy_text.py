"""The text of NumPy modulo a prime: right text is equal to its programs, mistakes in it are not, and derive stops."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lngen.checks.field import arrays
from lngen.checks.field.absence import NOTHING, Absence, is_call
from lngen.checks.field.calls import FieldCall
from lngen.checks.field.evidence import KIND, in_field
from lngen.checks.field.numpy_text import NumpyCase, NumpyInField, cases, faults, not_covered, require_exact_text
from lngen.checks.field.values import shape_of
from lngen.checks.on_rows import on_rows
from lngen.cli import derive
from lngen.language.parsing import load, parse
from lngen.pipeline import stages
from lngen.pipeline.files.loading import module_from_files
from lngen.pipeline.stages import Derived, EvidenceError
from lngen.runtime.protocol.directions import LayerProtocol
from lngen.runtime.protocol.interface import DIRECTIONS
from tests.checks.field.mistakes import Mistake, mistakes
from tests.shipped import LAYERS as SHIPPED
from tests.shipped import ROOT
from tests.shipped import unproved as derived
from tests.tiers import sample


def of(layer: Derived, **changed: str) -> NumpyInField:
    """A layer in the field, with the texts of some files changed."""
    return NumpyInField(layer.files | {f"{name}.py": text for name, text in changed.items()}, layer.plan.programs())


def changed(name: str, file: str, before: str, after: str) -> NumpyInField:
    """A layer in the field, with a mistake in a file."""
    text = derived(name).text(f"{file}.py")
    assert before in text
    return of(derived(name), **{file: text.replace(before, after, 1)})


@pytest.mark.parametrize("name", sample(SHIPPED, ["layer_norm"], ci=lambda name: True))
def test_text_computes_its_programs(name):
    assert [*faults(of(derived(name)))] == []


def test_every_case_compares_something():
    layer = of(derived("softmax"))
    for case in cases(layer):
        assert all(found.compared for found in layer.results(case))


@pytest.mark.ci
def test_a_fault_says_where_it_is():
    first = next(faults(changed("layer_norm", "numpy_backend", "dx = np.multiply(dx, rstd", "dx = np.divide(dx, rstd")))
    assert first == "backward, 5 x 2 in blocks: dx differs"
    found = [
        *faults(
            changed(
                "layer_norm",
                "numpy_backend",
                "if gamma is not None:\n        gamma_over_D",
                "if True:\n        gamma_over_D",
            )
        )
    ]
    assert found
    assert all("without" in each and "gamma" in each for each in found)


@pytest.mark.ci
@pytest.mark.parametrize("name", [name for name in SHIPPED if load(ROOT / "derive" / f"{name}.py").constants])
def test_a_constant_that_stays_at_its_default_is_seen(name):
    """A mistake that no call without Constants shows; in each function that reads one."""
    layer = derived(name)
    planted = []
    text = layer.text("numpy_backend.py")
    for each in layer.definition.constants:
        line = f"    {each.name} = np.asarray({each.name}, dtype)\n"
        for found in re.finditer(re.escape(line), text):
            kept = line.replace(f"({each.name}", f"({each.default}")
            wrong = of(layer, numpy_backend=text[: found.start()] + kept + text[found.end() :])
            planted.append(next(faults(wrong), None))
    assert planted
    assert None not in planted


@pytest.mark.ci
def test_a_call_that_writes_to_its_argument_is_seen():
    dy = "np.multiply(dy, y, out=dy)"
    text = derived("softmax").text("numpy_backend.py")
    line = next(line for line in text.splitlines() if "_rows.row_dot(dy" in line or "_rows.row_dot(part" in line)
    spoiled = line[: len(line) - len(line.lstrip())] + f"{dy}\n{line}"
    assert any(
        "the argument dy differs" in each
        for each in faults(of(derived("softmax"), numpy_backend=text.replace(line, spoiled)))
    )


@pytest.mark.ci
def test_a_call_that_writes_to_a_saved_value_is_seen():
    wrong = changed(
        "softmax", "numpy_backend", "d2x = np.multiply(d2x, y, out=d2x)", "d2x = np.multiply(d2x, y, out=y)"
    )
    assert "backward_backward, 5 x 1 in blocks: the argument y differs" in [*faults(wrong)]


@pytest.mark.ci
def test_an_exception_is_a_fault():
    found = [*faults(changed("softmax", "numpy_backend", "def block(", "def block_of("))]
    assert found
    assert all("NameError" in each for each in found)


@pytest.mark.ci
def test_derive_stops_at_text_that_differs(monkeypatch, capsys):
    layer = derived("softmax")
    files = [(name, text.replace("np.exp(", "np.expm1(")) for name, text in layer.emission.files]
    wrong = replace(layer, emission=replace(layer.emission, files=tuple(files)))
    with pytest.raises(EvidenceError, match=r"text of NumPy for softmax .*\n  forward, 5 x 2 in blocks: y differs"):
        require_exact_text(wrong)
    require_exact_text(layer)
    monkeypatch.setattr(derive, "derived", lambda *_, **options: wrong)
    assert derive.run([layer.definition], ["softmax"], None, False, "text") == 1
    said = capsys.readouterr().err
    assert "The gradient that was found:\n" in said
    assert "\n  dx = y*(dy - sum(dy*y))\n" in said
    assert "please send the definition's file and this message to your copy's maintainers." in said


@pytest.mark.ci
def test_what_is_not_looked_at_is_told():
    assert [*not_covered(of(derived("layer_norm")))] == []
    assert [*not_covered(of(derived("add_rms_norm_fp8")))] == ["the casts of y"]
    assert [*not_covered(of(derived("group_norm")))] == ["how arrays whose axes have names are read as rows"]
    lines = [*in_field(derived("group_norm"), ROOT / "generated" / "group_norm", "numpy")]
    assert [(each.kind, each.passed, each.claimed) for each in lines] == [(KIND, True, True), (KIND, True, False)]


@pytest.mark.ci
def test_a_divisor_that_is_zero_by_chance_is_drawn_anew(monkeypatch):
    layer, seeds = of(derived("softmax")), []

    class Call(FieldCall):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            seeds.append(arguments[4])
            arrays.ResidueArray.divided_by_zero = len(seeds) == 1

    monkeypatch.setattr("lngen.checks.field.numpy_text.FieldCall", Call)
    assert not any(found.wrong for found in layer.results(NumpyCase(1, 1), 7))
    assert seeds == [7, 8]


def test_numbers_are_exact():
    third = arrays.of_numbers(1.0) / 3.0
    assert third * 3 == arrays.of_numbers(1)
    assert arrays.of_numbers(0.01) * 100.0 == arrays.of_numbers(1)
    assert arrays.of_numbers(-1) + 1.0 == arrays.of_numbers(0)
    assert np.isnan(np.asarray(arrays.NUMPY.empty(3) + 1.0)).all()
    assert np.exp(arrays.of_numbers(2)) == np.exp(arrays.of_numbers(2.0)) != np.expm1(arrays.of_numbers(2))
    with pytest.raises(arrays.NotCoveredError, match=r"np\.arcsinh of residues"):
        np.arcsinh(third)


LAYERS = {
    **dict.fromkeys(("layer_norm", "softmax", "cross_entropy"), 12),
    **dict.fromkeys(("add_layer_norm", "group_norm", "label_cross_entropy"), 8),
}
"""Layers in whose text mistakes are planted, and how many in each two directions."""


def planted(name: str, direction: str) -> Iterator[tuple[Mistake, dict[str, str]]]:
    """Yield the mistakes in a direction's function, with the files of the layer that has one."""
    text = derived(name).text("numpy_backend.py")
    start = text.index(f"def _{direction}_of_rows(")
    end = text.index("\n\n\n", start)
    for mistake in mistakes(text[start:end], 1):
        yield mistake, {**derived(name).files, "numpy_backend.py": text[:start] + mistake.text + text[end:]}


def unseen(name: str, direction: str, most: int) -> list[Mistake]:
    """The first mistakes of a direction that compute something else, and are not seen."""
    found = []
    for mistake, files in islice(planted(name, direction), most):
        with suppress(Exception):  # of the text, as it is imported
            wrong = NumpyInField(files, derived(name).plan.programs())
            if not any(faults(wrong)):
                found.append((mistake, files))
    return [mistake for mistake, files in found if not is_equal(name, files)]


def is_equal(name: str, files: Mapping[str, str]) -> bool:
    """Test whether a changed text computes the same floats: then the change is one of memory or of order."""
    right = of(derived(name))
    calls = [(shape, each) for shape in ((3, 5), (700, 200)) for each in (NOTHING, *right.absences, *right.folded)]
    wanted = [[*floats(module_from_files(derived(name).files, name), *call)] for call in calls]
    try:
        found = [[*floats(module_from_files(files, name), *call)] for call in calls]
    except Exception:  # of the text, whatever it is
        return False
    return all(map(np.array_equal, chain(*found), chain(*wanted)))  # a NaN is equal to nothing


@np.errstate(all="ignore")
def floats(module: ModuleType, shape: tuple[int, int], absence: Absence) -> Iterator[Any]:
    """Yield the results of every direction in float64, with arguments and saved values as it left them."""
    functions, draw, known, saved = on_rows(module), np.random.default_rng(shape), {}, ()
    for takes in LayerProtocol(functions.INTERFACE).directions.values():
        for each in takes.arguments:
            size = shape_of(each, *shape)
            value = draw.integers(0, shape[1], size) if each.is_integer else np.asarray(draw.uniform(0.1, 0.9, size))
            known.setdefault(each.symbol, None if absence.has(each) else value)
        given = [known[each.symbol] for each in takes.arguments if each.kind != "Constant"]
        if takes.is_forward:
            numbers = {each.name: float(known[each.symbol]) for each in takes.constants}
            made, saved = functions.forward(*given, **numbers)
        elif is_call(takes, known):
            made = getattr(functions, takes.name)(saved, *takes.passed(given))
        else:
            continue
        yield from (*takes.several(made), *given, *saved)


@pytest.mark.parametrize(
    ("before", "after", "equal"),
    [
        ("np.multiply(e_shifted, inv_Z, out=e_shifted)", "np.multiply(inv_Z, x_shifted, out=y_block)", True),
        ("dy, sum_dy_y, out=dx_block", "dy, sum_dy_y, out=None", True),
        ("dy, sum_dy_y, out=dx_block", "dy, sum_dy_y, out=dy", False),
        ("dy, sum_dy_y, out=dx_block", "sum_dy_y, dy, out=dx_block", False),
        ("np.exp(x_shifted, out=x_shifted)", "np.exp(x_shifted + 1e-15)", False),
        ("Z = _rows.row_dot(e_shifted, ones)", "Z = _rows.row_dot(e_shifted, ones if len(x) < 9 else ones + 1)", False),
        ("return (y_dot,)", "return y_dot", False),
    ],
)
def test_is_equal_of_another_memory_is_true_and_of_another_value_false(before, after, equal):
    text = derived("softmax").text("numpy_backend.py")
    assert text.count(before) == 1
    assert is_equal("softmax", {"numpy_backend.py": text.replace(before, after)}) is equal


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_planted_mistakes_are_seen(direction):
    assert unseen("softmax", direction, 2) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LAYERS)
def test_every_planted_mistake_is_seen(name):
    assert [mistake for each in DIRECTIONS for mistake in unseen(name, each, LAYERS[name] // 2)] == []


RIGHT_TEXTS = [
    "def f(t: Row, tau: RowScalar = 1): return t + log(tau ** 2)",
    "def f(t: Row, w: Feature = 0): return t / exp(w)",
    "def f(x: Row, s: Scalar = -1): return x / maximum(s, 0.1)",
    "def f(x: Row): return minimum(gelu(0.25 * 0.5), exp(x - max(x)) / sum(exp(x - max(x))))",
    "def f(x: Row): return x * sqrt(11) + abs(x)",
    "def f(x: Row): return x * (sqrt(2) + 1 - mean(x))",
    "def f(x: Row): return where(x > sqrt(2) + 1, gelu(x), sqrt(5)/3 + 1/7)",
    "def f(x: Row, s: Scalar = 0.3333333333333333): return 3*s*x**2 + s",
    "def f(x: Row, s: Scalar = 0.5): return gelu(x)*s + sqrt(2)*s*mean(x)",
    "def f(x: Row, s: Scalar = 1): return erf(x)*mean(x)/(sqrt(2) + s)",
]
"""Definitions whose text has numbers in the place of functions of neutral values, or rounds a number of its own."""


@pytest.mark.ci
@pytest.mark.parametrize("text", RIGHT_TEXTS)
def test_require_exact_text_where_a_text_has_folded_numbers_refuses_nothing(text):
    require_exact_text(stages.derived(parse(text), proved=False, backends=["numpy"]))
