"""Files for Lean 4: a reader of their grammar holds them at random points. No Lean has checked them."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpmath import mp
from typer.testing import CliRunner

from lngen.cli import app as cli
from lngen.derivation.derivation import Derivation
from lngen.derivation.simplify import derive
from lngen.extensions.lean.document import document
from lngen.language.definition import Definition
from lngen.language.oracle.evaluate import evaluate
from lngen.language.oracle.multiprecision import mp_numbers
from lngen.language.parsing import load, parse
from lngen.prove import prove
from tests.extensions.lean.grammar import NotReadError
from tests.extensions.lean.kernel import kernel_file, lean, shared_library
from tests.extensions.lean.reader import ROWS, LeanFile, Point, RefutedError, check
from tests.requirements import needs_lean
from tests.shipped import LAYERS

ROOT = Path(__file__).parents[3]
STEPS = {"layer_norm": (10, 0), "rms_norm": (5, 0), "softmax": (11, 0), "causal_softmax": (4, 3)}
"""Rewriting steps that are theorems with a script, and those that are left out."""


@cache
def derivation_of(name: str) -> Derivation:
    return prove(derive(load(ROOT / "derive" / f"{name}.py")))


@cache
def text_of(name: str) -> str:
    return document(derivation_of(name))


def derived(source: str) -> Derivation:
    return prove(derive(parse(source)))


@pytest.mark.parametrize("name", STEPS)
def test_file_of_a_layer_is_read_and_each_theorem_holds(name: str) -> None:
    file = LeanFile(text_of(name))
    steps = [step.number for step in derivation_of(name).steps if step.before is not None]
    said = [number for number in steps if f"step_{number}" in file.theorems]
    assert (len(said), len(steps) - len(said)) == STEPS[name]
    assert all("row_algebra" in file.theorems[f"step_{number}"].proof for number in said)
    assert check(file) > 300


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in LAYERS if name not in STEPS])
def test_file_of_every_layer_is_read_and_each_theorem_holds(name: str) -> None:
    check(LeanFile(text_of(name)))


FALSE = [
    ("layer_norm", "step_20", "- s.xhat n i * ((∑", "+ s.xhat n i * ((∑"),
    ("layer_norm", "rstd_pos", " (h_eps : 0 < s.eps)", ""),
    ("layer_norm", "step_19_use_1", " (h_eps : 0 < s.eps)", ""),
    ("softmax", "Z_pos", " (hD : 1 ≤ D)", ""),
    ("layer_norm", "step_16_use_1", "(∑ j, s.x n j) / (D : ℝ)", "(∑ j, s.x n j) / ((D : ℝ) - 1)"),
    ("layer_norm", "step_19", "s.g n j * s.xhat n j", "s.g n j * s.xhat n i"),
    ("layer_norm", "step_9_slope_of_rstd", "(-1 / (2 * Real.sqrt", "(1 / (2 * Real.sqrt"),
    ("layer_norm", "step_10_slope_of_var", "2 * s.x_centred n i) (s.x", "3 * s.x_centred n i) (s.x"),
]
"""Mistakes in a definition or a theorem, each with the theorem that is false then."""

UNREAD = [
    ("(∑ m, s.dy m i)", "(∑ m, s.dy n m)", "n is None"),
    ("(∑ m, s.dy m i)", "(∑ m, s.dy i m)", "i is D, and dy asks for N"),
    ("(∑ j, s.dx_centred n j) /", "(∑ j, s.dx_centred n i) /", "the type of j"),
    ("(∑ j, s.x n j)", "(∑ j, s.x n)", "1 indices, not 2"),
    ("(∑ j, s.x n j)", "(∑ j, s.later n j)", "later is not declared"),
    ("  row_algebra\n", "  sorry\n", "partly missing"),
    ("2 theorems with", "1 theorem with", "the head counts"),
    ("NOT CHECKED BY LEAN", "CHECKED BY LEAN", "the head"),
]
"""Mistakes that no file of Lean has, or that the head does not say."""


@pytest.mark.parametrize(("name", "theorem", "old", "new"), FALSE, ids=[each[1] for each in FALSE])
def test_planted_mistake_is_refuted(name: str, theorem: str, old: str, new: str) -> None:
    before, stated, after = text_of(name).partition(f"theorem {theorem} ")
    if old in after.partition(":= by")[0]:
        text = before + stated + after.replace(old, new, 1)
    else:
        text = (before + stated + after).replace(old, new)
    assert text != text_of(name)
    with pytest.raises(RefutedError, match=f"{theorem} is false"):
        check(LeanFile(text))


@pytest.mark.parametrize(("old", "new", "says"), UNREAD, ids=[each[2] for each in UNREAD])
def test_planted_mistake_is_not_read(old: str, new: str, says: str) -> None:
    assert old in text_of("layer_norm")
    with pytest.raises(NotReadError, match=re.escape(says)):
        LeanFile(text_of("layer_norm").replace(old, new))


def _point(name: str, features: int) -> tuple[Definition, LeanFile, Point]:
    luck, file = random.Random(features), LeanFile(text_of(name))
    point = Point(file, features, {})
    for field, indices in file.fields.items():
        places = np.ndindex(*(point.sizes[of] for of in indices))
        point.fields[field] = {place: mp.mpf(luck.uniform(0.1, 2)) for place in places}
    return derivation_of(name).definition, file, point


def _inputs(definition: Definition, file: LeanFile, point: Point) -> dict[str, Any]:
    found = {}
    for entry in definition.inputs:
        array = np.empty([point.sizes[of] for of in file.fields[entry.name]], dtype=object)
        for place in np.ndindex(*array.shape):
            array[place] = point.fields[entry.name][place]
        found[entry.name] = array
    return found


def _gap(name: str, features: int) -> Any:
    """The largest difference of the file's values from the definition: of y, and of dx as a quotient of differences."""
    with mp.workdps(60):
        definition, file, point = _point(name, features)
        inputs, numbers, step = _inputs(definition, file, point), mp_numbers(60), mp.mpf("1e-20")

        def y() -> Any:
            return evaluate(definition, inputs, numbers)["y"]

        gaps = []
        for place in np.ndindex(ROWS, features):
            gaps.append(point.value("y", place) - y()[place])
            here = inputs["x"][place]
            losses = []
            for moved in (here + step, here - step):
                inputs["x"][place] = moved
                losses.append(sum(y()[at] * point.fields["dy"][at] for at in np.ndindex(ROWS, features)))
            inputs["x"][place] = here
            gaps.append(point.value("dx", place) - (losses[0] - losses[1]) / (2 * step))
        return max(map(abs, gaps))


@pytest.mark.parametrize("name", ["layer_norm", "softmax"])
def test_definitions_in_the_file_are_the_layer_s(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _gap(name, 3) < mp.mpf("1e-30")
    whole = text_of(name)
    for old, new in ((" s.dx_centred n i + s.dmu", " s.dx_centred n i - s.dmu"), (" + s.beta i", " - s.beta i")):
        if old in whole:
            monkeypatch.setitem(globals(), "text_of", lambda _, old=old, new=new: whole.replace(old, new, 1))
            assert _gap(name, 3) > mp.mpf("1e-3")


def test_claim_that_rests_on_a_select_is_left_out_with_its_step() -> None:
    text = document(derived("def f(x: Row): return where(x > 0, x**2, 0)/mean(x**2)"))
    assert re.search(r"(?m)^-- Step \d+, \w+: .*: left out: (it rests on \w+: )?where has no term here$", text)
    check(LeanFile(text))


def test_names_of_lean_and_an_unknown_sign_are_quoted_and_assumed() -> None:
    text = document(derived("def f(x: Row, end: Scalar): return x/mean(x)*end"))
    assert "s.«end»" in text
    assert "≠ 0)" in text
    check(LeanFile(text))
    with pytest.raises(RefutedError, match="step_11_use_1 is false"):
        check(LeanFile(re.sub(r" \(h3 : .*?≠ 0\)", "", text)))


@pytest.mark.parametrize("name", ["rms_norm", "softmax"])
def test_each_equation_of_a_layer_has_a_proof_term(name: str) -> None:
    assert kernel_file(LeanFile(text_of(name))).open == {}


def test_false_equation_has_no_proof_term() -> None:
    wrong = text_of("rms_norm").replace("- s.xhat n i * ((∑", "+ s.xhat n i * ((∑")
    assert {*kernel_file(LeanFile(wrong)).open} == {"step_12", "dx_result"}


@needs_lean
@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LAYERS)
def test_kernel_of_lean_accepts_the_equations_of_a_layer(name: str) -> None:
    assert lean(kernel_file(LeanFile(text_of(name))).text, library()) == ""


@needs_lean
@pytest.mark.exhaustive
def test_kernel_of_lean_refuses_a_planted_proof_and_names_the_axioms() -> None:
    text = kernel_file(LeanFile(text_of("rms_norm"))).text
    before, name, after = text.partition("theorem step_12 ")
    said = lean(f"{text}#print axioms dx_result\n", library())
    assert "'dx_result' depends on axioms" in said
    assert not re.search(r"sorry|step_|_result,", said)
    assert "Application type mismatch" in lean(before + name + after.replace("sub", "add", 1), library())


def library() -> Path:
    found = shared_library()
    assert found is not None
    return found


def test_command_prints_and_writes_the_same(tmp_path: Path) -> None:
    run = CliRunner().invoke
    printed = run(cli.app, ["lean", "softmax"], prog_name="lngen")
    written = run(cli.app, ["lean", "softmax", "--to", str(tmp_path / "softmax.lean")], prog_name="lngen")
    assert printed.exit_code == written.exit_code == 0
    assert printed.stdout == text_of("softmax") == (tmp_path / "softmax.lean").read_text(encoding="utf-8")


def test_page_shows_what_is_emitted() -> None:
    page = (ROOT / "docs" / "lean.md").read_text(encoding="utf-8")
    blocks = re.findall(r"(?s)```lean\n(.*?)```", page)
    assert len(blocks) == 4
    assert all(block in text_of("layer_norm") for block in blocks)
    for name in ("layer_norm", "rms_norm", "softmax"):
        equations = len(kernel_file(LeanFile(text_of(name))).proved)
        assert f"| `{name}` | {STEPS[name][0]} | {STEPS[name][0]} | {equations} | {equations} |" in page
