"""Arrays whose axes have names, as rows."""

from __future__ import annotations

import numpy as np
import pytest

from lngen.runtime.protocol.axes import Arrangement
from lngen.runtime.protocol.interface import given, output


def arrangement(pattern, features, sizes=(), **others):
    inputs = [given("x", "Row", pattern=pattern)]
    inputs += [given(name, "Row", 1, pattern=axes) for name, axes in others.items()]
    layout = {"pattern": pattern, "features": features, "sizes": [{"name": name, "default": None} for name in sizes]}
    return Arrangement({"inputs": inputs, "outputs": [output("y", "Row")], "layout": layout})


GROUPS = arrangement([["n"], ["g", "c"], ["h"], ["w"]], ["c", "h", "w"], ["g"], gamma=[["g", "c"]])
REST = arrangement([["b"], ["..."], ["d"]], ["d"], scale=[["b"], ["d"]])


def test_sizes_are_found_and_the_rows_have_their_shape():
    sizes = GROUPS.sizes({"x": (2, 12, 5, 3), "gamma": (12,)}, {"g": 4})
    assert sizes == {"n": (2,), "g": (4,), "c": (3,), "h": (5,), "w": (3,)}
    assert GROUPS.row_shape(sizes) == (2, 4, 45)
    assert GROUPS.sizes_of(GROUPS.flat(sizes)) == sizes


@pytest.mark.parametrize("rest", [(), (5,), (5, 3)])
def test_axes_without_names_may_be_any_number(rest):
    sizes = REST.sizes({"x": (2, *rest, 7), "scale": (2, 7)}, {})
    assert REST.row_shape(sizes) == (2, *rest, 7)
    assert REST.sizes_of(REST.flat(sizes)) == sizes


@pytest.mark.parametrize(
    ("shapes", "given", "error", "words"),
    [
        ({"x": (2, 12, 5, 3)}, {}, TypeError, "g is None"),
        ({"x": (2, 12, 5, 3)}, {"g": 0}, ValueError, "g is 0"),
        ({"x": (2, 12, 5, 3)}, {"g": 4.0}, TypeError, "g is 4.0"),
        ({"x": (2, 12, 5, 3)}, {"g": True}, TypeError, "g is True"),
        ({"x": (2, 12, 5, 3)}, {"g": 5}, ValueError, "g = 5 does not divide its axis"),
        ({"x": (2, 12, 5)}, {"g": 4}, ValueError, "n (g c) h w"),
        ({"x": (2, 12, 5, 3), "gamma": (8,)}, {"g": 4}, ValueError, "gamma has shape (8,)"),
        ({"x": (2, 12, 5, 3), "gamma": (12, 1)}, {"g": 4}, ValueError, "gamma has shape (12, 1)"),
    ],
)
def test_shapes_that_disagree_are_refused_by_name(shapes, given, error, words):
    with pytest.raises(error) as found:
        GROUPS.sizes(shapes, given)
    assert words in str(found.value)


def test_an_array_is_arranged_beside_rows():
    rng = np.random.default_rng(0)
    sizes = GROUPS.sizes({"x": (2, 12, 5, 3)}, {"g": 4})
    gamma = rng.standard_normal(12)
    how = GROUPS.arranged([["g", "c"]], sizes)
    spread = np.broadcast_to(gamma.reshape(how.split).transpose(how.order).reshape(how.spread), how.shape)
    assert how.lacks == (0, 3, 4)
    for n, g, c, h, w in np.ndindex(2, 4, 3, 5, 3):
        assert spread[n, g, c, h, w] == gamma[3 * g + c]


def test_an_arrangement_is_undone():
    rng = np.random.default_rng(0)
    layer = arrangement([["n"], ["c"], ["h"], ["w"]], ["n", "w"])
    x = rng.standard_normal((2, 3, 4, 5))
    how = layer.arranged(layer.pattern, layer.sizes({"x": x.shape}, {}))
    rows = x.reshape(how.split).transpose(how.order)
    assert rows.shape == (3, 4, 2, 5)
    assert np.array_equal(rows.transpose(np.argsort(how.order)), x)
