"""Validation of texts of definitions that once were open, or refuted, by a fault of the validation or of the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from lngen.check.validation.layer_text import validated
from lngen.check.validation.recorded import recorded
from lngen.language.parsing import parse
from lngen.pipeline.files import manifest
from lngen.pipeline.stages import derived
from tests.requirements import needs_gxx

OF_NUMPY = {
    "a number that is compared with a row": (
        "def f(x: Row): return relu(x)*sin(where(0.001 != x, D, x))",
        ("constant_1 != x", "constant_1 == x"),
    ),
    "a value of each row, as a result of rows": (
        "def f(x: Row, b: Data['...']): return cast(b*D + sin(x - x), 'float32')",
        ("b * D", "b + D"),
    ),
    "a number that a left-out input is raised to": (
        "def f(x: Row, w: Feature = 0.5): return x*maximum(w, 0.1)**0.25",
        ("0.840896415253714", "0.840896415255714"),
    ),
}


@pytest.mark.parametrize("name", OF_NUMPY)
def test_text_of_numpy_is_right_and_a_mistake_is_refuted(name: str, tmp_path: Path) -> None:
    definition, (before, after) = OF_NUMPY[name]
    layer = derived(parse(definition), proved=False, backends=("numpy",))
    manifest.write(layer.emission, tmp_path)
    manifest.write(manifest.shared_emission([layer.emission], tmp_path), tmp_path)

    def found() -> list[bool]:
        made = validated(tmp_path / "f", layer.plan.programs(), is_brief=True)
        return [finding.refuted for each in made.values() for finding in each.findings]

    assert found() == []
    for path in sorted((tmp_path / "f").glob("numpy_*.py")):
        text = path.read_text(encoding="utf-8")
        if before in text:
            path.write_text(text.replace(before, after, 1), encoding="utf-8")
            assert any(found())
            return
    raise AssertionError(f"{before} is in no file")


OF_CPP = {
    # -w and v*v were types in a function, and such a call did not compile.
    "a sign and a square of inputs that are left out": (
        "def f(x: Row, w: Feature = 1, v: Feature = -1): return x*sum(x/exp(w)*sigmoid(v*v))",
        ("math::exp(A(-w))", "math::exp(A(w))"),
    ),
    "a mean of what is a number where an input is left out": (
        "def f(x: Row, w: Row = -1): return x + mean(1.5 + w)",
        ("A(1.5)", "A(1.25)"),
    ),
    "a comparison at a tie": (
        "def f(x: Row, w: Feature): return where(x >= w, x, w*w)",
        ("choose<A>(x >= w", "choose<A>(x > w"),
    ),
    "the size of what is not negative": (
        "def f(x: Row):\n    h = maximum(x, 0.1)**(-2)\n    return h/(max(abs(h)) + 0.1)",
        ("max_of(", "min_of("),
    ),
    "a sum of what is zero at most points": (
        "def f(x: Row): return sum(x*maximum(abs(x), D)*x)*x",
        ("<= A(row.D)", "< A(row.D) - A(1)"),
    ),
}


@needs_gxx
@pytest.mark.ci
@pytest.mark.parametrize("name", OF_CPP)
def test_text_of_cpp_is_right_and_a_mistake_is_refuted(name: str, tmp_path: Path) -> None:
    definition, (before, after) = OF_CPP[name]
    layer = derived(parse(definition), proved=False, backends=("numpy", "cpu"))
    manifest.write(layer.emission, tmp_path)
    path = tmp_path / "f" / "layer.h"

    def found() -> list[bool]:
        made = recorded(tmp_path / "f", layer.plan.programs())
        return [finding.refuted for each in made.values() for finding in each.findings]

    assert found() == []
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after, 1), encoding="utf-8")
    assert any(found())
