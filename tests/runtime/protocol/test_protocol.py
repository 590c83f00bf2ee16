"""The protocol of a layer's calls, made from its interface."""

from typing import Any

import numpy as np
import pytest

from lngen.runtime.protocol import interface as entries
from lngen.runtime.protocol.directions import DIRECTIONS, LayerProtocol, computed, held, leading
from lngen.runtime.protocol.interface import Interface

INTERFACE: Interface = {
    "name": "both",
    "minimum_features": 1,
    "inputs": [
        entries.given("x", "Row", 0),
        entries.given("r", "Row", 0),
        entries.given("mu", "RowScalar"),
        entries.given("labels", "Data"),
        entries.given("w", "Feature", 1, symbol="w_1"),
    ],
    "constants": [entries.constant("c")],
    "outputs": [entries.output("y", "Row"), entries.output("n", "RowScalar")],
    "saved": [
        entries.saved("mu", "row scalar", ["..."]),
        entries.saved("w_1", "input", ["D"], of="w"),
        entries.saved("n", "output", ["..."]),
        entries.saved("c", "constant", []),
    ],
    "gradients": [],
    "directions": [],
    "counterparts": [],
}
LAYER = LayerProtocol(INTERFACE)
F2, F4, F8, LONG = map(np.dtype, ("f2", "f4", "f8", "g"))


@pytest.mark.parametrize(
    ("kinds", "narrow", "wide"),
    [
        ((F2,), F4, F8),
        ((F4,), F4, F8),
        ((None, F4, F8), F8, F8),
        ((F2, F4), F4, F8),
        ((np.dtype(">f8"),), F8, F8),
        ((np.dtype(">f4"),), F4, F8),
        ((LONG,), LONG, LONG),
    ],
)
def test_compute_type_is_the_widest_and_float32_at_least(kinds: Any, narrow: Any, wide: Any) -> None:
    assert computed(kinds) == narrow
    assert computed(kinds, is_wide=True) == wide
    assert computed(kinds).isnative


def test_directions_take_and_make_values_in_the_order_of_signatures() -> None:
    names = {name: ([e.name for e in d.arguments], [e.name for e in d.makes]) for name, d in LAYER.directions.items()}
    assert tuple(names) == DIRECTIONS
    gradients = ["dx", "dr", "dmu", "dw"]
    assert names == {
        "forward": (["x", "r", "mu", "labels", "w", "c"], ["y", "n", "mu"]),
        "backward": (["dy", "dn"], gradients),
        "jvp": (["x_dot", "r_dot", "mu_dot", "w_dot"], ["y_dot", "n_dot"]),
        "backward_backward": (["dy", "dn", "ddx", "ddr", "ddmu", "ddw"], [*gradients, "ddy", "ddn"]),
    }
    assert [direction.returned for direction in LAYER.directions.values()] == [
        "Outputs",
        "Gradients",
        "Outputs",
        "SecondGradients",
    ]


def test_slots_tell_a_row_scalar_from_an_input_of_its_name() -> None:
    assert LAYER.directions["backward"].slots == (
        *("dy", "dn", "saved mu", "w_1", "n", "c"),
        *("out dx", "out dr", "out dmu", "out dw_1"),
    )
    assert LAYER.directions["forward"].slots[-3:] == ("out y", "out n", "saved mu")
    assert LAYER.directions["backward"].numbers == {"c"}


def test_fields_hold_values_of_forward() -> None:
    forward = LAYER.directions["forward"]
    assert held(LAYER.fields, (*forward.reads, *forward.makes)) == (8, 4, 7, 5)
    assert [(e.name, e.kind, e.follows, e.may_be_none) for e in LAYER.fields] == [
        ("mu", "Computed", None, False),
        ("w_1", "Feature", 4, False),
        ("n", "RowScalar", None, False),
        ("c", "Constant", None, False),
    ]
    inputs, kept, *own = LAYER.functional(LAYER.directions["jvp"])
    assert [each.name for each in (*inputs, *kept)] == ["x", "r", "mu", "labels", "w", "n", "mu"]
    assert own == [LAYER.directions["jvp"].tangents]


def test_results_have_the_types_of_their_owners() -> None:
    given, own = (F2, None, F4, F8, F4), (np.zeros(2, F4), *(None,) * 5)
    found = {name: direction.result_types(given, own, F2) for name, direction in LAYER.directions.items()}
    assert found == {
        "forward": [F2, F2],
        "backward": [F2, None, F4, F4],
        "jvp": [F2, F2],
        "backward_backward": [F2, None, F4, F4, F4, None],
    }
    # In an operator, behind five inputs and two kept values.
    assert LAYER.directions["backward_backward"].owner_places(7) == [0, 1, 2, 4, 7, 8]
    assert LAYER.directions["forward"].owner_places(7) == [None] * 3


def test_leading_is_the_first_row_that_is_present() -> None:
    assert leading(LAYER.inputs, (None, F4, F4, F4, None)) == 1
    with pytest.raises(TypeError, match="each of x, r is None; pass one of them"):
        leading(LAYER.inputs, (None, None, F4, F4, F4))


def test_cotangents_of_the_last_direction_are_known_by_their_places() -> None:
    assert LAYER.directions["backward"].labels()[:3] == ["dy", "dn", "saved.mu"]
    assert LAYER.directions["backward_backward"].labels()[:3] == ["cotangents[0]", "cotangents[1]", "ddx"]
    assert LAYER.directions["backward_backward"].passed([1, 2, 3, 4, 5, 6]) == [[1, 2], 3, 4, 5, 6]
    assert LAYER.directions["backward"].passed([1, 2]) == [1, 2]
