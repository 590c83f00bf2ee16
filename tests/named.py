"""A layer under other names is the same layer: its emitted functions called by every name, to be compared."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
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


def _numpy_results(made: Derived, few: bool) -> list[Any]:
    module = module_from_files(made.files, "numpy_backend")
    if not few:
        module._blocks._rows.FAST_PATH_BYTES = 0
    definition = made.definition
    given, directions, cotangents = values(definition)
    names, moving = (
        [definition.public(each.name) for each in entries] for entries in (definition.inputs, definition.differentiable)
    )
    outputs = [definition.public(name) for name in definition.outputs]

    def by(form: str, of: list[str], arrays: list[Any]) -> dict[str, Any]:
        return {form.format(name): array for name, array in zip(of, arrays, strict=True)}

    y, saved = module.forward(**by("{}", names, given))
    first = module.backward(saved, **by("d{}", outputs, cotangents))
    moved = module.jvp(saved, **by("{}_dot", moving, directions))
    second = module.backward_backward(saved, cotangents, **by("dd{}", moving, directions))
    found = [getattr(each, name) if len(outputs) > 1 else each for each in (y, moved) for name in outputs]
    found += [getattr(each, f"d{name}") for each in (first, second) for name in moving]
    return found + [getattr(second, f"dd{name}") for name in outputs]


@functools.cache
def wanted(text: str) -> list[Any]:
    """Return the results of the layer of a text under plain names, on NumPy."""
    return numpy_results(plain(text))


def assert_works(text: str, names: Mapping[str, str]) -> None:
    """A text under these names derives with proofs, and computes what it does under plain ones."""
    made = derived(parse(text.format(**names)))
    for one, other in zip(numpy_results(made), wanted(text), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)  # terms may be added in another order
