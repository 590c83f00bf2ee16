"""The text of kernels.cu: plain C++, deterministic, readable, and as its contracts say."""

import functools
from dataclasses import replace

import pytest

from lngen.emit import Notes
from lngen.emit.cuda import emit
from lngen.errors import LngenError
from lngen.pipeline.stages import derived
from tests import corpus
from tests.shipped import NAMES, ROOT

LAYERS = ("layer_norm", "add_rms_norm", "dynamic_tanh", "layer_norm_gelu", "sine", "range_of_normalized", "modulated")
"""Between them: each kind of input, several outputs, sums of each kind, an extreme, and functions of several kinds."""
NOTES = Notes("demo", "Ends in a backslash \\", ("two\nlines",))


@functools.cache
def emitted(layer: str) -> dict[str, str]:
    """The files of a layer of the corpus; those of a shipped one are committed."""
    if layer in NAMES:
        return {path.name: path.read_text() for path in (ROOT / "generated" / layer).iterdir() if path.is_file()}
    return dict(derived(corpus.definition(layer), proved=False).files)


@pytest.fixture(params=LAYERS)
def layer(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_comment_stays_a_comment() -> None:
    plan = corpus.planned("layer_norm")
    text = emit((plan.forward, plan.backward), NOTES)["kernels.cu"]
    assert text.startswith("// Ends in a backslash \n// two lines\n")


def test_too_many_reductions_in_a_stage_are_refused() -> None:
    plan = corpus.planned("layer_norm")
    first = plan.forward.stages[0]
    crowd = replace(first, reductions=first.reductions * 65)
    with pytest.raises(LngenError, match="65 reductions"):
        emit((replace(plan.forward, stages=(crowd, *plan.forward.stages[1:])), plan.backward), NOTES)
