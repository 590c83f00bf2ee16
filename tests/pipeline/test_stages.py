import dataclasses
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lngen.derivation.derivation import Proof
from lngen.emit import Notes, cuda, numpy, render
from lngen.language.parsing import parse
from lngen.pipeline import stages
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import EvidenceError, derived
from lngen.report.heading import comment_safe
from lngen.runtime.cache import digest
from tests import corpus
from tests.shipped import FILES, LAYERS, ROOT, WHOLE, shipped
from tests.tiers import sample

SCALED = '''
"""A row times what is learned."""
from lngen.language import Feature, Row, sigmoid


def scaled(x: Row, gamma: Feature = 1):
    return gamma * x * sigmoid(x)
'''


@pytest.mark.parametrize("name", WHOLE)
class TestOfAShippedLayer:
    @pytest.mark.ci
    def test_every_file_says_what_made_it_and_how_to_make_it_again(self, name):
        layer = shipped(name)
        lines = (
            f"from the definition of {name}",
            f"edit {name}.py and run: lngen derive {name}.py",
            f"definition sha256:{digest([layer.definition.canonical()])}",
        )
        for path in FILES:
            if path != "manifest.json":
                top = "\n".join(layer.text(path).splitlines()[:20])
                assert [line for line in lines if line not in top] == [], path

    def test_the_formulas_stand_in_the_code(self, name):
        for path in ("numpy_backend.py", "layer.h"):
            assert "dgamma = sum_rows(dy*xhat)" in shipped(name).text(path)

    def test_the_manifest_holds_proofs_cost_and_the_hash_of_each_template(self, name):
        layer = shipped(name)
        held = json.loads(layer.text("manifest.json"))
        assert {entry["kind"] for entry in held["evidence"]} >= {"exact at every D"}
        assert all(entry["passed"] for entry in held["evidence"])
        assert held["cost"]["forward"]
        assert held["cost"]["backward"]
        assert held["templates"] == {
            path: digest([text])
            for path, text in render.sources("numpy", "cuda", "cpu", "cpp", "torch", "triton", "jax", "report").items()
        }


@pytest.mark.parametrize("name", sample(LAYERS, (*WHOLE, "softmax")))
def test_every_shipped_layer_is_proved_and_is_what_is_committed(name):
    layer = shipped(name)
    kinds = {proof.kind for proof in layer.plan.derivation.proofs if proof.passed}
    assert kinds >= {"exact at every D"}
    assert all(proof.passed for proof in layer.plan.derivation.proofs)
    assert manifest.drift([layer.emission], ROOT / "generated", every_layer=False) == []


# What SymPy leaves where it does not know a derivative, or knows too many cases of it.
UNFINISHED = re.compile(r"\b(Piecewise|Derivative|Subs|Heaviside|DiracDelta|zoo)\b")


@pytest.mark.parametrize("name", sample(corpus.NAMES, corpus.SOME))
def test_nothing_that_sympy_left_unfinished_is_emitted(name):
    made = corpus.planned(name)
    definition = made.derivation.definition
    inputs, data = ([entry.name for entry in entries] for entries in (definition.positional, definition.data))
    notes = Notes("layer", "A layer of the tests.", inputs=tuple(inputs), data=tuple(data))
    for backend in (numpy, cuda):
        for path, text in backend.emit(made.programs()[:2], notes).items():
            assert not UNFINISHED.search(text), path


@pytest.mark.ci
def test_nothing_that_is_no_meaning_changes_the_code(tmp_path):
    other = SCALED.replace("gamma * x", "gamma  *  x  # the scale\n    ").replace("return", "y =").rstrip()
    other = other.replace("# the scale\n    ", "") + "\n    return y\n"
    first, second = (derived(parse(text, "scaled.py")) for text in (SCALED, other))
    for path in ("__init__.py", "numpy_backend.py", "kernels.cu"):
        assert first.text(path) == second.text(path)


def test_the_emitted_module_runs(tmp_path):
    layer = derived(parse(SCALED, "scaled.py"))
    manifest.write(layer.emission, tmp_path)
    module = loading.load(tmp_path / "scaled")
    y, saved = module.forward([[0.0, 1.0]])
    assert y.tolist() == [[0.0, pytest.approx(0.7310585786300049)]]
    assert module.backward(saved, [[1.0, 0.0]]).dx.tolist() == [[0.5, 0.0]]


@pytest.mark.ci
@pytest.mark.usefixtures("nothing_kept")
def test_a_failed_proof_stops_the_emission(monkeypatch):
    def doubt(derivation):
        return dataclasses.replace(derivation, proofs=(Proof("exact", "dx is not d/dx", False),))

    monkeypatch.setattr(stages, "prove", doubt)
    with pytest.raises(EvidenceError, match=r"(?s)scaled does not hold.*exact: dx is not d/dx"):
        derived(parse(SCALED))


@pytest.mark.ci
@given(st.text())
def test_no_text_leaves_a_comment(text):
    safe = comment_safe(text)
    assert safe.isascii()
    assert safe.isprintable() or not safe
    assert not any(sign in safe for sign in ("*/", "/*", "\\", "\n", "??/", "-->"))
