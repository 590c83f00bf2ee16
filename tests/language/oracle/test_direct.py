"""Definitions that are imported and called as Python: the values are those of the definition."""

from __future__ import annotations

import importlib.util
import re
from typing import Any

import numpy as np
import pytest

import lngen
from lngen.errors import LngenError
from lngen.language import FUNCTIONS, D, cast, mean, pick, where
from lngen.language.functions import TABLE
from lngen.language.parsing import load
from lngen.language.syntax import Kind
from tests.shipped import NAMES, ROOT

FILES = {name: ROOT / "derive" / f"{name}.py" for name in NAMES}
TAKEN = (Kind.ROW, Kind.FEATURE, Kind.SCALAR, Kind.CONSTANT)
CALLABLE = [
    name
    for name, file in FILES.items()
    if all(each.kind in TAKEN for each in load(file).inputs)
    and not re.search(r"\bD\b", file.read_text().split("def ")[1])
]


def imported(name: str) -> Any:
    """The function of a definition's file."""
    spec = importlib.util.spec_from_file_location(name, FILES[name])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


@pytest.mark.parametrize("name", CALLABLE)
def test_a_definition_called_as_python_has_its_own_values(name: str) -> None:
    definition, draw = load(FILES[name]), np.random.default_rng(3)
    shapes = {Kind.ROW: (2, 3, 7), Kind.FEATURE: (7,), Kind.SCALAR: (), Kind.CONSTANT: ()}
    given = {definition.public(each.name): draw.uniform(0.1, 1, shapes[each.kind]) for each in definition.inputs}
    found, expected = imported(name)(**given), lngen.run(name, **given)
    for one, other in zip(*[each if isinstance(each, tuple) else (each,) for each in (found, expected)], strict=True):
        own = one[..., 0] if np.ndim(one) > np.ndim(other) else one  # a reduction keeps its axis
        np.testing.assert_allclose(np.broadcast_to(own, np.shape(other)), other, rtol=1e-13)


def test_most_shipped_definitions_can_be_called() -> None:
    assert len(CALLABLE) > len(NAMES) / 2


@pytest.mark.parametrize(
    "call", [lambda x: pick(x, 1), lambda x: mean(x, "c"), lambda x: x / (D - 1), lambda x: cast(x, "int8")]
)
def test_what_needs_the_whole_definition_is_refused_with_what_has_it(call: Any) -> None:
    with pytest.raises(TypeError, match=r"lngen\.run"):
        call(np.ones((2, 3)))


@pytest.mark.parametrize("name", [name for name, each in TABLE.items() if each.role == "elementwise"])
def test_every_elementwise_function_has_a_value(name: str) -> None:
    entry = FUNCTIONS[name]
    function = getattr(lngen.language, name)
    if name == "where":
        assert where(np.array([True, False]), 1.0, 2.0).tolist() == [1.0, 2.0]
    elif entry.is_total and name not in ("uniform", "dropout"):
        assert np.isfinite(function(*[np.array([-0.5, 0.5])] * entry.arity)).all()


def test_text_is_refused() -> None:
    with pytest.raises(LngenError, match="numbers"):
        mean("a row")
