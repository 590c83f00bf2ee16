"""A layer under other names is the same layer: its emitted functions called by every name, to be compared."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from lngen.language.definition import Definition
from lngen.language.parsing import parse
from lngen.language.syntax import Kind
from lngen.pipeline.files.loading import module_from_files
from lngen.pipeline.stages import Derived, derived

ROWS, FEATURES = 3, 5


def plain_names(text: str) -> dict[str, str]:
    """A name without a meaning for each role of a text."""
    roles = dict.fromkeys(re.findall(r"\{(\w+)\}", text))
    return {role: f"guest{number}" for number, role in enumerate(roles)}


@functools.cache
def plain(text: str) -> Derived:
    """The layer of a text under plain names."""
    return derived(parse(text.format(**plain_names(text))), proved=False)


def values(definition: Definition) -> tuple[list[Any], list[Any], list[Any]]:
    """Inputs, directions of them and cotangents in the order of the definition; a Constant has no direction."""
    rng = np.random.default_rng(0)

    def draw(kind: Kind) -> Any:
        shape = ((ROWS,) if kind.over_rows else ()) + ((FEATURES,) if kind.over_features else ())
        return np.asarray(rng.uniform(0.5, 1.5, shape))

    inputs = [0.75 if entry.kind is Kind.CONSTANT else draw(entry.kind) for entry in definition.inputs]
    directions = [draw(entry.kind) for entry in definition.differentiable]
    return inputs, directions, [draw(definition.output_kind(name)) for name in definition.outputs]


def numpy_results(made: Derived) -> list[Any]:
    """Return the results of all four functions, on few rows and in blocks, with arguments and results by name."""
    return [array for few in (True, False) for array in _numpy_results(made, few)]


def _numpy_results(made: Derived, few: bool) -> Iterable[Any]:
    module = module_from_files(made.files, "numpy_backend")
    if not few:
        module._directions.rows.FAST_PATH_BYTES = 0
    definition = made.definition
    _, directions, cotangents = values(definition)
    inputs = [definition.public(entry.name) for entry in definition.differentiable]
    yield from _gradients(definition, module, lambda value: value)
    _, saved = module.forward(**_given(definition, lambda value: value))
    moved = module.jvp(saved, **{f"{n}_dot": v for n, v in zip(inputs, directions, strict=True)})
    yield from _by_name(moved, definition)
    seconds = {f"dd{n}": v for n, v in zip(inputs, directions, strict=True)}
    second = module.backward_backward(saved, list(cotangents), **seconds)
    yield from (getattr(second, f"d{name}") for name in inputs)
    yield from (getattr(second, f"dd{definition.public(name)}") for name in definition.outputs)


def _given(definition: Definition, sent: Any) -> Mapping[str, Any]:
    inputs, _, _ = values(definition)
    return {definition.public(e.name): sent(value) for e, value in zip(definition.inputs, inputs, strict=True)}


def _gradients(definition: Definition, module: ModuleType, sent: Any) -> Iterable[Any]:
    """The outputs and the gradients."""
    result, saved = module.forward(**_given(definition, sent))
    yield from _by_name(result, definition)
    _, _, cotangents = values(definition)
    names = [f"d{definition.public(name)}" for name in definition.outputs]
    found = module.backward(saved, **{n: sent(v) for n, v in zip(names, cotangents, strict=True)})
    yield from (getattr(found, f"d{definition.public(entry.name)}") for entry in definition.differentiable)


def _by_name(result: Any, definition: Definition) -> Iterable[Any]:
    if len(definition.outputs) == 1:
        return [result]
    return [getattr(result, definition.public(name)) for name in definition.outputs]


@functools.cache
def wanted(text: str) -> list[Any]:
    """Return the results of the layer of a text under plain names, on NumPy."""
    return numpy_results(plain(text))


def assert_same(found: list[Any], expected: list[Any]) -> None:
    """Two lists of results are one, but for the order in which terms are added."""
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


def assert_works(text: str, names: Mapping[str, str]) -> None:
    """A text under these names derives with proofs, and computes what it does under plain ones."""
    made = derived(parse(text.format(**names)))
    assert_same(numpy_results(made), wanted(text))
