"""Kernels modulo a prime: right ones are equal to their programs at every shape, and mistakes in loops are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lngen.checks.on_device import device
from lngen.extensions.simt import driver
from lngen.extensions.simt.field import InField
from lngen.paths import RUNTIME
from tests.requirements import has_gpu, needs_gxx, needs_pycuda
from tests.shipped import LAYERS
from tests.shipped import unproved as layer
from tests.tiers import sample

pytestmark = [needs_pycuda, needs_gxx]


@pytest.fixture(autouse=True)
def emulated() -> Iterator[None]:
    """The emulator, which alone can be told what double is."""
    if has_gpu():
        pytest.skip("a GPU is no emulator")
    driver.enable()
    with device():
        yield


def wrong(in_field: InField, rows: int, features: int) -> dict[str, dict[str, int]]:
    """Results that differ, by direction."""
    found = [*in_field.results(rows, features)]
    assert [each.direction for each in found] == ["forward", "backward", "jvp", "backward_backward"]
    assert all(each.compared for each in found)
    return {each.direction: each.wrong for each in found if each.wrong}


@pytest.mark.parametrize("name", sample(LAYERS, [], ci=lambda name: name in LAYERS[::6]))
def test_kernels_are_equal_to_their_programs(name, tmp_path):
    in_field = InField(layer(name), tmp_path)
    # One kernel ends the sums over few rows, and a second one those over more.
    for rows, features in ((5, 3), (9, 129)):
        assert wrong(in_field, rows, features) == {}


SHAPES = [(1, 1), (70, 2), (3, 257), (33, 1025), (2, 5000)]


@pytest.mark.parametrize(("rows", "features"), sample(SHAPES, [], ci=lambda shape: shape != (33, 1025)), ids=str)
def test_kernels_are_equal_at_every_class_of_shapes(rows, features, tmp_path):
    assert wrong(InField(layer("layer_norm"), tmp_path), rows, features) == {}


MISTAKES = {
    "a warp's last exchange": ("reductions.cuh", "offset > 0; offset /= 2) {", "offset > 1; offset /= 2) {", (5, 33)),
    "a warp of a row": (
        "reductions.cuh",
        "for (int part = 1; part < WARPS",
        "for (int part = 2; part < WARPS",
        (3, 1025),
    ),
    "a row of a block": ("reductions.cuh", "row = 1; row < G::ROWS; ++row", "row = 2; row < G::ROWS; ++row", (5, 3)),
    "a chunk of columns": ("reductions.cuh", "kept[i][k] = A(0);", "kept[i][k] = A(1);", (5, 33)),
    "a turn of the loop over rows": (
        "row_loop.cuh",
        "for (; first < rows; first += stride) {",
        "for (; first < rows - 1; first += stride) {",
        (5, 33),
    ),
    "a mean's divisor": (
        "layer_rows.cuh",
        "math::quotient(value, self().D)",
        "math::quotient(value, self().D + 1)",
        (5, 33),
    ),
    "the last bit of a constant": (
        "rows.cuh",
        "return 1.0 / ::sqrt(u);",
        "return 1.0000000000000002 / ::sqrt(u);",
        (5, 3),
    ),
}


@pytest.mark.parametrize("what", sample(list(MISTAKES), [], ci=lambda what: True))
def test_mistakes_in_loops_are_seen(what, tmp_path):
    file, before, after, shape = MISTAKES[what]
    in_field = InField(layer("layer_norm"), tmp_path)
    path = tmp_path / RUNTIME / "cuda" / file
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    assert wrong(in_field, *shape)


@pytest.mark.ci
def test_a_header_without_the_lines_that_are_changed_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("lngen.extensions.simt.field.CHANGED", {"using f64 = long double;": ""})
    with pytest.raises(Exception, match="has no line `using f64 = long double;`"):
        InField(layer("softmax"), Path(tmp_path))
