"""The documents that are made from the code are what the code says."""

import functools
import re
import runpy
from typing import Any

import pytest

from lngen import language
from lngen.cost import chains, cost
from lngen.cost.phases import kernels
from tests.requirements import needs_nvrtc
from tests.shipped import ROOT, WHOLE, shipped

FUSION = (ROOT / "docs" / "fusion.md").read_text(encoding="utf-8")


def test_the_language_reference_is_fresh():
    made = runpy.run_path(str(ROOT / "docs" / "make_language.py"))
    example = min((ROOT / "derive").glob("*.py")).read_text(encoding="utf-8")
    assert (ROOT / "docs" / "language.md").read_text(encoding="utf-8") == made["text"](example)


def test_the_language_reference_has_every_name():
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    assert [name for name in language.PUBLIC_NAMES if f"`{name}(" not in text and f"* `{name}`" not in text] == []


def test_the_architecture_names_modules_that_exist():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {part for cell in text.split("`") if cell.startswith("lngen.") for part in [cell]}
    assert len(named) > 20
    missing = [
        name
        for name in named
        if not ROOT.joinpath(*name.split(".")).is_dir()
        and not ROOT.joinpath(*name.split(".")).with_suffix(".py").is_file()
    ]
    assert missing == []


@functools.cache
def fusion() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "make_fusion.py"))


@pytest.mark.cuda
@needs_nvrtc
def test_the_tables_of_fusion_are_fresh():
    assert fusion()["filled"](FUSION, fusion()["layers"](ROOT)) == FUSION, "run: python docs/make_fusion.py"


def test_a_page_that_lacks_a_table_of_fusion_or_has_another_is_refused():
    made = {"sums": lambda _: "new", "limits": lambda _: "new"}
    fill = fusion()["filled"]
    page = "a\n<!-- made: {} -->\nold\n<!-- end -->\nb\n<!-- made: limits -->\n<!-- end -->\n"
    fill.__globals__["TABLES"], tables = made, fill.__globals__["TABLES"]
    try:
        assert fill(page.format("sums"), ()).startswith("a\n<!-- made: sums -->\n\nnew\n\n<!-- end -->\nb\n")
        for name in ("limits", "others"):
            with pytest.raises(SystemExit, match=r"fusion\.md has the tables"):
                fill(page.format(name), ())
    finally:
        fill.__globals__["TABLES"] = tables


@pytest.mark.parametrize("name", WHOLE)
def test_two_and_three_row_tensors_are_moved_and_are_the_least(name):
    plan = shipped(name).plan
    forward, backward, _ = kernels(plan)
    assert forward.row_tensors == (("x",), ("y",))
    assert backward.row_tensors == (("x", "dy"), ("dx",))
    assert (cost(plan.forward).tensors, cost(plan.backward).tensors) == (2, 3) == chains.least(plan)
    assert f"| {name} | forward | x | y | 2 |" in FUSION
    assert f"| {name} | backward | x, dy | dx | 3 |" in FUSION


@pytest.mark.parametrize("name", WHOLE)
def test_saving_row_values_would_move_one_tensor_more(name):
    plan = shipped(name).plan
    assert len(chains.row_values_of_backward(plan)) == 1
    assert chains.by_saving(plan) == (3, 3)


@pytest.mark.parametrize("name", WHOLE)
def test_a_sweep_has_its_reductions_at_one_barrier(name):
    # A call of reduce_row is a barrier.
    emitted = shipped(name).text("kernels.cu")
    sweeps = [phase for kernel in kernels(shipped(name).plan) for phase in kernel.phases if phase.reductions]
    assert len(re.findall(r"^ {6}reduce_row<G, ", emitted, re.MULTILINE)) == len(sweeps)


@functools.cache
def layers_page() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "make_layers.py"))


def test_the_tables_of_the_layers_are_fresh():
    page = (ROOT / "docs" / "layers.md").read_text(encoding="utf-8")
    assert layers_page()["filled"](page, _plans()) == page, "run: python docs/make_layers.py"


def test_every_layer_needs_no_more_than_a_kernel_written_by_hand():
    by_hand, counted = layers_page()["BY_HAND"], layers_page()["counted"]
    plans = _plans()
    assert by_hand.keys() == plans.keys()
    assert {name: counted(plan) for name, plan in plans.items()} == {
        name: (layer.reductions, layer.tensors) for name, layer in by_hand.items()
    }


@functools.cache
def _plans() -> dict[str, Any]:
    return layers_page()["layers"](ROOT)


def test_the_numbers_of_fusion_can_be_computed_again():
    # 8192 x 4096 in two bytes: rows, the saved row scalars in four bytes, parameters and their gradients.
    tensor = 8192 * 4096 * 2
    assert f"{2 * tensor + 3 * 8192 * 4 + 2 * (2 * 4096 + 1):,} | {134_332_418 / 4e6:.1f} us" in FUSION
    assert f"{3 * tensor + 3 * 8192 * 4 + 2 * 3 * 4096:,} | {201_449_472 / 4e6:.1f} us" in FUSION
