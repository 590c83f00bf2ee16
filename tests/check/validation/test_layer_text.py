"""Validation of emitted NumPy: every line of shipped layers, and planted mistakes that are seen."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lngen.check.validation import text_evidence
from lngen.check.validation.layer_text import FILES, validated
from lngen.check.validation.numpy_text import NamedValues
from lngen.check.validation.traced import Traced, function
from lngen.language.parsing import load, parse
from lngen.paths import RUNTIME
from lngen.pipeline.files import manifest
from lngen.pipeline.stages import derived, planned
from tests.check.layers import DEFINITIONS
from tests.check.validation.__main__ import ROOT, outcomes
from tests.tiers import sample

Planted = Callable[[str, str], list[str]]


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    """Return a function that plants a mistake in layer norm, and tells what is found."""
    programs = planned(load(ROOT / "derive/layer_norm.py"), proved=False).programs()
    for folder in (RUNTIME, "layer_norm"):
        shutil.copytree(ROOT / "generated" / folder, tmp_path / folder)

    def found(before: str, after: str, file: str = "layer_norm/numpy_kernels.py") -> list[str]:
        path = tmp_path / file
        text = path.read_text(encoding="utf-8")
        assert before in text
        path.write_text(text.replace(before, after, 1), encoding="utf-8")
        results = validated(tmp_path / "layer_norm", programs, ends_at_first=True)
        path.write_text(text, encoding="utf-8")
        return [f"{f.where}: {f.trouble}" for each in results.values() for f in each.findings if f.refuted]

    return found


SHIPPED = sorted(path for path in DEFINITIONS if path.parent.name == "derive")


@pytest.mark.parametrize(
    "path", sample(SHIPPED, SHIPPED[-1:], ci=lambda path: path in SHIPPED[-2:]), ids=lambda path: path.stem
)
def test_every_line_computes_what_its_step_says(path: Path) -> None:
    layer = derived(load(path), proved=False)
    for found in text_evidence(layer, ROOT / "generated" / path.stem):
        assert found.passed, found.detail
        assert found.claimed, found.detail


@pytest.mark.ci
def test_lines_and_directions_are_all_looked_at() -> None:
    programs = planned(load(ROOT / "derive/layer_norm.py"), proved=False).programs()
    found = validated(ROOT / "generated/layer_norm", programs)
    assert list(found) == list(FILES)
    named = {"mu", "x_shifted", "var", "mu_residual", "x_centred", "rstd", "xhat", "y"}
    assert named <= {words.rpartition(": ")[2] for words in found["forward"].shown}
    assert {f"result {name}" for name in ("dx", "dgamma", "dbeta")} <= found["backward"].shown
    for each in found.values():
        assert each.executed
        assert not each.idle


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        ("np.subtract, x, mu, out=y_block", "np.add, x, mu, out=y_block", "step 2, pass 1: x_shifted"),
        ("np.sqrt(var + eps)", "np.sqrt(var - eps)", "step 4: rstd"),
        # Only with gamma left out.
        ("mean_g_xhat_unscaled = _rows.row_mean(dy, x_centred, D)", "mean_g_xhat_unscaled = mu", "without gamma"),
        # Memory: a line overwrites what another reads, an argument, or nothing writes what is read.
        ("dx = np.subtract(g, mean_g, out=buffers[0])", "dx = np.subtract(g, mean_g, out=x_centred)", "dx"),
        (
            "xhat = np.multiply(x_centred, rstd, out=x_centred)",
            "xhat = np.multiply(x_centred, rstd, out=x)",
            "wrote to",
        ),
        ("part = np.multiply(dy, x_centred, out=buffers[0])", "part = buffers[0]", "NoneType"),
        # A result that is computed, and not returned.
        ("return y, mu[..., 0], mu_residual[..., 0]", "return y, mu_residual[..., 0], mu[..., 0]", "result mu"),
        ("return dx, dgamma, dbeta", "return dx, dbeta, dgamma", "result dgamma"),
    ],
)
def test_mistake_is_seen_where_it_is(planted: Planted, before: str, after: str, says: str) -> None:
    found = planted(before, after)
    assert any(says in each for each in found), found


@pytest.mark.ci
@pytest.mark.parametrize(
    ("file", "before", "after"),
    [
        ("rows", "rows = shifted[these]", "rows = 2 * shifted[these]"),
        ("rows", "if end is not None:\n        total += end", "if end is None:\n        total += end"),
        ("blocks", "total[chunk, ...] += made[slot]", "total[chunk, ...] = made[slot]"),
    ],
)
def test_mistake_of_the_runtime_is_seen(planted: Callable[..., list[str]], file: str, before: str, after: str) -> None:
    """The text of the runtime runs as it stands: residual means, rows in pieces, sums over blocks."""
    assert planted(before, after, f"{RUNTIME}/numpy/{file}.py")


@pytest.mark.ci
def test_number_that_is_another_is_seen(tmp_path: Path) -> None:
    layer = derived(parse("def f(x: Row): return tanh(0.7978845*x)*mean(x)"), proved=False, backends=("numpy",))
    manifest.write(layer.emission, tmp_path)
    manifest.write(manifest.shared_emission([layer.emission], tmp_path), tmp_path)
    assert all(found.passed and found.claimed for found in text_evidence(layer, tmp_path / "f"))
    path = tmp_path / "f/numpy_kernels.py"
    text = path.read_text(encoding="utf-8")
    assert "0.7978845" in text
    path.write_text(text.replace("0.7978845", "0.7978846"), encoding="utf-8")
    assert not all(found.passed for found in text_evidence(layer, tmp_path / "f"))


@pytest.mark.parametrize("name", sample(["layer_norm", "causal_softmax"], (), ["layer_norm"]))
def test_planted_mistakes_are_refuted_or_equal(name: str) -> None:
    """Swapped operands of a product are no mistake; of the others few are."""
    found = [*outcomes(name, 12)]
    assert len(found) == 24
    assert all(outcome != "open" for outcome, _ in found)
    assert sum(outcome == "refuted" for outcome, mistake in found if mistake.kind != "operands swapped") >= 16


def test_value_without_a_bound_is_refuted() -> None:
    trouble, refuted = NamedValues().trouble(np.array([function("log", 0)]), np.array([Traced.of(0)]))
    assert (trouble, refuted) == ("entry (0,): zoo is not 0", True)
