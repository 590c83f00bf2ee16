"""`saved_from` of emitted layers: what forward saved, from its arrays, looked at as by backward."""

import importlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.emit.test_cuda_launcher import Fake
from tests.shipped import NAMES

SHAPES: dict[str, tuple[int, ...]] = {"Row": (3, 8), "RowScalar": (3,), "Feature": (8,), "Scalar": ()}


def calls(module: Any) -> Iterator[dict[str, Any]]:
    """The inputs of some calls: all of them, what is required, numbers, several types."""
    inputs = module.INTERFACE["inputs"]
    rng = np.random.default_rng(0)
    for dtype in (np.float64, np.float32, np.float16):
        every = {given["name"]: rng.standard_normal(SHAPES[given["kind"]]).astype(dtype) for given in inputs}
        yield every
        yield {given["name"]: every[given["name"]] for given in inputs if given["default"] is None}
        yield every | {given["name"]: 0.5 for given in inputs if given["kind"] == "Scalar"}
        yield every | {
            given["name"]: every[given["name"]].astype("f8") for given in inputs if "..." not in given["axes"]
        }


def fields_of(saved: Any) -> dict[str, Any]:
    return dict(zip(saved._fields[3:], saved[3:], strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_it_is_what_forward_saved(name: str) -> None:
    module = importlib.import_module(f"generated.{name}")
    for given in calls(module):
        y, saved = module.forward(**given)
        names = [entry["name"] for entry in module.INTERFACE["inputs"]]
        found = module.saved_from(**fields_of(saved), dtypes=dict(zip(names, saved.dtypes, strict=True)))
        assert type(found) is module.Saved
        assert found[:3] == saved[:3]
        assert [kind is None for kind in saved.dtypes] == [given.get(name) is None for name in names]
        assert all(one is other for one, other in zip(found[3:], saved[3:], strict=True))
        cotangents = y if isinstance(y, tuple) else (y,)
        for one, other in zip(module.backward(found, *cotangents), module.backward(saved, *cotangents), strict=True):
            np.testing.assert_array_equal(one, other)


def test_what_no_array_tells_is_given() -> None:
    module = importlib.import_module("generated.layer_norm")
    x = np.random.default_rng(0).standard_normal((3, 8))
    y, saved = module.forward(x, beta=np.ones(8, np.float32))
    assert module.backward(module.saved_from(**fields_of(saved)), y).dbeta is None
    found = module.saved_from(**fields_of(saved), dtypes={"beta": np.float32})
    assert module.backward(found, y).dbeta.dtype == np.float32


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"x": None}, TypeError, "shape is None, and no field has the shape of the rows; pass shape"),
        ({"mu": np.zeros(4)}, ValueError, r"saved.mu has shape \(4,\); pass what forward saw, which is \(3,\)"),
        ({"rstd": np.zeros(3, int)}, TypeError, "rstd is of type int64"),
        ({"dtypes": {"alpha": np.float32}}, ValueError, "dtypes has alpha; pass types of x, gamma, beta"),
        ({"dtypes": {"beta": "small"}}, TypeError, r"dtypes\['beta'\] is 'small'; pass a type of floats"),
        ({"dtype": int}, TypeError, "saved.shape, dtype or dtypes was changed"),
        ({"dtypes": {"gamma": np.float64}, "gamma": None}, TypeError, "saved.gamma is of type NoneType"),
    ],
)
def test_what_forward_cannot_have_saved(changed: dict[str, Any], error: type[Exception], words: str) -> None:
    module = importlib.import_module("generated.layer_norm")
    _, saved = module.forward(np.ones((3, 8)), np.ones(8))
    with pytest.raises(error, match=words):
        module.saved_from(**fields_of(saved) | changed)


def device(values: dict[str, Any]) -> dict[str, Any]:
    """The same with stand-ins for arrays."""
    return {
        name: Fake(value.shape, value.dtype.str, 0x10000 * place) if isinstance(value, np.ndarray) else value
        for place, (name, value) in enumerate(values.items(), 1)
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_same_on_cuda(name: str) -> None:
    module = importlib.import_module(f"generated.{name}.cuda_backend")
    numpy = importlib.import_module(f"generated.{name}")
    for given in calls(numpy):
        _, saved = numpy.forward(**given)
        # Here a number has the type of other parameters.
        inputs = [entry["name"] for entry in numpy.INTERFACE["inputs"]]
        dtypes = {
            name: kind
            for name, kind in zip(inputs, saved.dtypes, strict=True)
            if not isinstance(given.get(name), float)
        }
        found = module.saved_from(**device(fields_of(saved)), dtypes=dtypes)
        assert type(found) is module.Saved
        assert found[:2] == saved[:2]
        kinds = dict(zip(inputs, found.dtypes, strict=True))
        assert kinds | dtypes == kinds


def test_saved_rows_on_cuda_may_lie_apart_as_those_of_a_call_may() -> None:
    module = importlib.import_module("generated.layer_norm.cuda_backend")
    _, saved = importlib.import_module("generated.layer_norm").forward(np.ones((3, 8), np.float32))
    fields = device(fields_of(saved))
    apart = Fake((3, 8), "<f4", 0x10000, strides=(64, 4))
    assert module.saved_from(**fields | {"x": apart}).x is apart
    with pytest.raises(ValueError, match=r"saved\.x has strides"):
        module.saved_from(**fields | {"x": Fake((3, 8), "<f4", 0x10000, strides=(64, 8))})
