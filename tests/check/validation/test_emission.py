"""Text that is validated before it is written: its evidence, and mistakes in it that stop a layer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lngen.check.validation import emission
from lngen.check.validation.emission import with_validated_text
from lngen.cli import derive
from lngen.derivation.derivation import EMITTED_TEXT, EVERY_D, NONE
from lngen.language.parsing import parse
from lngen.pipeline import stages
from lngen.pipeline.stages import Derived, EvidenceError
from tests.requirements import needs_gxx

DEFINITION = """from lngen.language import Feature, Row, rsqrt, mean
def f(x: Row, w: Feature = 1):
    r = rsqrt(mean(x**2) + 0.01)
    return w*x*r"""


@pytest.fixture(scope="module")
def layer() -> Derived:
    return stages.derived(parse(DEFINITION))


def changed(layer: Derived, name: str, before: str, after: str) -> Derived:
    """The layer with a mistake in the text of a file."""
    assert before in layer.text(name)
    files = [(path, text.replace(before, after, 1) if path == name else text) for path, text in layer.emission.files]
    return replace(layer, emission=replace(layer.emission, files=tuple(files)))


@needs_gxx
def test_a_layer_has_the_evidence_for_its_text(layer: Derived) -> None:
    found = [each for each in with_validated_text(layer).plan.derivation.proofs if each.about == EMITTED_TEXT]
    assert [(each.kind, each.passed, each.count) for each in found] == [
        ("exact at D = 1, 2, 3, 4", True, 4),
        (EVERY_D, True, 4),
    ]
    assert found[0].statement == "the text of NumPy computes its steps: 31 lines and results"
    assert found[1].statement == "the text of C++ and CUDA computes its steps: 22 values"


def test_without_a_compiler_there_is_that_of_numpy_alone(layer: Derived, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    proofs = with_validated_text(layer).plan.derivation.proofs
    assert [each.kind for each in proofs if each.about == EMITTED_TEXT] == ["exact at D = 1, 2, 3, 4"]


def test_what_is_beyond_the_budget_of_work_is_told(layer: Derived) -> None:
    """The work is counted, so the cases that are left out are the same everywhere; a mistake in the others is seen."""
    some, none = ([*emission.proofs(layer, work=work)] for work in (8_000, 20))
    assert [proof.statement.rpartition(": ")[2] for proof in some] == [
        "31 lines and results, 3 of 6 cases within the budget of work",
        "22 values",
    ]
    assert some[0].kind == "exact at D = 1, 2, 3"
    assert (none[0].kind, none[0].passed) == (NONE, True)
    assert none[0].statement == "the text of NumPy: no case within the budget of work"
    assert none[1].statement.endswith(": 8 values, 4 of 12 cases within the budget of work")
    wrong = [*emission.proofs(changed(layer, *MISTAKES["NumPy"]), work=8_000)]
    assert not all(proof.passed for proof in wrong)


MISTAKES = {
    "NumPy": ("numpy_kernels.py", "multiply(", "add("),
    "NumPy's second order": ("numpy_second_order.py", "multiply(", "add("),
    "C++": ("layer.h", "x*r", "x + r"),
}


@needs_gxx
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_a_text_stops_the_layer(layer: Derived, name: str) -> None:
    with pytest.raises(EvidenceError, match=f"the text of {name[:3]}"):
        with_validated_text(changed(layer, *MISTAKES[name]))


def test_nothing_is_written_then(layer: Derived, tmp_path, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "f.py"
    file.write_text(DEFINITION)
    wrong = changed(layer, *MISTAKES["NumPy"])
    monkeypatch.setattr(derive, "derive_all", lambda *_: [wrong])
    assert derive.run([str(file)], tmp_path / "out", False, "text") == 1
    assert "the text of NumPy" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
