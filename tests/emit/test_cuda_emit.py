"""The text of kernels.cu: plain C++, deterministic, readable, and as its contracts say."""

import functools
import re
from dataclasses import replace
from pathlib import Path

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


_OWN = {"workspace": "plan.workspace", "rows": "plan.rows", "blocks": "plan.blocks", "D": "plan.features"}


def _passed(page: str) -> dict[str, list[str]]:
    """The values with which a page launches each kernel."""
    found = {}
    for kernel, values in re.findall(r'plan\.launch\(\s*"(\w+)",\s*([^()]*?),?\s*\)', page):
        found[kernel] = re.split(r",\s*", values)
    return found


_KERNEL = re.compile(r"LNGEN_KERNEL\((\w+)_##TYPE, T, [\w:]+,\s*\([^()]*\),\s*\(([^()]*)\)\)")


def _declared(folder: Path, layer: str) -> dict[str, list[str]]:
    """The arguments of each kernel, by the names of the page's values."""
    found = {}
    for name in ("kernels.cu", "second_order.cu"):
        for kernel, arguments in _KERNEL.findall((folder / name).read_text().replace("\\\n", " ")):
            names = [_OWN.get(each, each) for each in re.split(r",\s*", arguments)]
            found[f"{layer}_{kernel}"] = names
    return found


def _bare(names: list[str]) -> list[str]:
    return [re.sub("^(saved?|out)_|_$", "", each) for each in names]


def _misplaced(name: str, page: str) -> list[str]:
    """The kernels that a page does not launch, or launches with other values than they take."""
    passed, declared = _passed(page), _declared(ROOT / "generated" / name, name)
    kernels = passed.keys() | declared.keys()
    return [each for each in kernels if _bare(passed.get(each, [])) != _bare(declared.get(each, []))]


@pytest.mark.parametrize("name", NAMES)
def test_launch_values_are_in_the_order_of_the_kernel_s_arguments(name: str) -> None:
    assert _misplaced(name, emitted(name)["cuda_backend.py"]) == []


def test_launch_a_value_in_another_place_is_seen() -> None:
    page = emitted("layer_norm")["cuda_backend.py"]
    assert page.count("        x_,\n        dy_,\n        saved_mu,") == 1
    wrong = page.replace("        x_,\n        dy_,\n        saved_mu,", "        dy_,\n        x_,\n        saved_mu,")
    assert _misplaced("layer_norm", wrong) == ["layer_norm_backward"]
