"""Arrays of layers whose axes have names, as rows in device memory: at one place where rows share theirs."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.grid import Case
from lngen.runtime.numpy.axes import written_out
from lngen.runtime.protocol.axes import Arrangement, Sizes

_EACH = 8
"""Size of each axis but the first one of the rows and the first one of a row, as far as it divides what is left."""


class Lying:
    """An array on a device of which rows share some; `get` has every entry."""

    def __init__(self, gpuarray: Any, owner: Any, view: Any) -> None:
        self.base, self.view, self.nbytes = gpuarray.to_gpu(owner), view, owner.nbytes
        start = int(self.base.gpudata) + view.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        self.__cuda_array_interface__ = {
            "shape": view.shape,
            "typestr": "<V2" if view.dtype.name == "bfloat16" else view.dtype.str,
            "data": (start, False),
            "strides": view.strides,
            "version": 2,
        }

    def get(self) -> Any:
        """Return the entries on the host."""
        return self.view


class Axes:
    """Arrangement of a layer's arrays as rows of a case, by the interface of its NumPy module."""

    def __init__(self, interface: Any, case: Case) -> None:
        self.arrangement = of = Arrangement(interface)
        self.sizes: Sizes = {**of.counts, **_divided(of.rows, case.rows), **_divided(of.features, case.features)}
        self.rows = of.row_shape(self.sizes)[:-1]

    def lacks(self, name: str) -> bool:
        """Test whether an array of rows lacks an axis, so that rows share entries."""
        of = self.arrangement
        how = of.patterns.get(name) and of.arranged(of.patterns[name], self.sizes)
        return bool(how and how.rows and how.lacks)

    def lying(self, gpuarray: Any, name: str, dtype: Any, draw: np.random.Generator) -> Lying:
        """Return an array of normal deviates that lies as that of a caller does."""
        of = self.arrangement
        how = of.arranged(of.patterns[name], self.sizes)
        drawn = draw.standard_normal(of.shape(of.patterns[name], self.sizes), np.float32).astype(dtype)
        view = written_out(drawn, how)
        owner = view
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        return Lying(gpuarray, np.ascontiguousarray(owner), view)


def _divided(names: list[str], total: int) -> Sizes:
    """Return sizes of axes that make so many rows, or entries of a row."""
    found: Sizes = {}
    for name in names[:0:-1]:
        size = _EACH if total % _EACH == 0 else 1
        found[name], total = (size,), total // size
    return {**found, names[0]: (total,)} if names else found
