"""One side of a threshold: rows at which a backend computes in one of its ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import numpy as np

from lngen.checks import inputs
from lngen.checks.layer import Array, Case
from lngen.language.definition import Definition


@dataclass(frozen=True)
class ThresholdSide:
    """Rows on one side of a threshold, and their description.

    `shape` is (rows, D), and `dtypes` are the storage types to which the threshold applies. `options` are passed to the
    calls. `means` are the means of the rows in turn, in standard deviations; without them rows stay as drawn.
    `meanwhile` is a context for the calls: it lowers the sizes at which work is divided, if those of the code would
    make the rows of a quick check large.
    """

    what: str
    shape: tuple[int, int]
    dtypes: tuple[str, ...] = ("float64", "float32")
    options: Mapping[str, Any] = field(default_factory=dict)
    means: tuple[float, ...] = ()
    meanwhile: Callable[[], AbstractContextManager[Any]] = nullcontext

    def case(self, definition: Definition, seed: int) -> Case:
        """Return the inputs and cotangents of this side."""
        drawn = replace(inputs.ordinary(definition, *self.shape, seed), by_shape=False)
        if not self.means:
            return drawn
        moved = {entry.name: _moved(np.asarray(drawn.inputs[entry.name]), self.means) for entry in definition.rows}
        return replace(drawn, name="rows near zero and far from it", inputs={**drawn.inputs, **moved})


def _moved(rows: Array, means: Sequence[float]) -> Array:
    mean, deviation = rows.mean(-1, keepdims=True), rows.std(-1, keepdims=True)
    return np.asarray(rows - mean + np.resize(np.asarray(means), len(rows))[:, None] * deviation)


@contextmanager
def lowered(module: ModuleType, **numbers: Any) -> Iterator[None]:
    """Let numbers of a module, or functions, be others while a `with` statement lasts."""
    kept = {name: getattr(module, name) for name in numbers}
    try:
        vars(module).update(numbers)
        yield
    finally:
        vars(module).update(kept)
