# SPDX-License-Identifier: MIT
"""Kernels for the processor in the place of functions that take the rows of a part.

Rows of 16 bits beside row scalars, which have the type that is computed in, are passed as copies of that type.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ..numpy.blocks import Scattered, Work, write
from ..protocol.directions import COMPUTED, DirectionProtocol, Entry
from ..protocol.kernels import KernelTable
from . import compiler as host_compiler
from .axes import arranged
from .kernels import DirectionKernels, chunks_wanted


class HostPart:
    """Function (values, results, call) that runs the kernels of `source`.cpp beside `file`.

    `otherwise` is the function for NumPy. It is called if there is no compiler, or for a type that kernels do not
    compute in. `values` and `results` name the kind of each, `kernels` the arguments of each kernel. Inputs in
    `optional` may be None, and their gradients may be omitted. A None in `zeros` stands for zero. `casts` are the
    types of results that are rounded to one.
    """

    def __init__(
        self,
        file: str,
        source: str,
        otherwise: Callable[[Sequence[Any], Sequence[Any], Work], Any],
        values: Mapping[str, Any],
        results: Mapping[str, Any],
        kernels: Mapping[str, str],
        *,
        sums: tuple[int, int] = (0, 0),
        optional: Sequence[str] = (),
        zeros: Sequence[str] = (),
        casts: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.otherwise = otherwise
        name = next(iter(kernels))
        inputs: dict[str, Any] = {each: Entry(each, each, kind) for each, kind in values.items()}
        # A gradient is known by the input that it belongs to.
        of = {each: each[1:] if each[1:] in optional else each for each in results}
        owners = {each: inputs.get(own) or Entry(own, own, results[each]) for each, own in of.items()}
        made = (Entry(each, each, owners[each].kind, owner=owners[each], cast=casts.get(each)) for each in results)
        takes = DirectionProtocol(name, tuple(made), tangents=tuple(inputs.values()))
        table = KernelTable(source=source, kernels=kernels, sums=sums)
        self.kernels = DirectionKernels(takes, table, Path(file).parent, optional)
        self.zeros = [place for place, each in enumerate(values) if each in zeros]
        self.kinds = list(values.values())
        # Results that a kernel always writes, though they may not be wanted.
        self.always = [
            (place, kind)
            for place, (each, kind) in enumerate(results.items())
            if of[each] == each and kind in ("Row", "RowScalar")
        ]

    def __call__(self, values: Sequence[Any], results: Sequence[Any], call: Work) -> Any:
        """Compute the results; return those of NumPy, which need not be in their memory."""
        if call.dtype not in COMPUTED or not _can_compile():
            return self.otherwise(values, results, call)
        given = list(values)
        for place in self.zeros:
            if given[place] is None:
                shape = call.shape if self.kinds[place] == "Row" else call.shape[:-1]
                given[place] = np.zeros(shape, call.dtype)
        made = list(results)
        if any(isinstance(each, Scattered) for each in (*given, *made)):
            return self._arranged(given, made, call)
        for place, shaped in self.always:
            if made[place] is None:
                made[place] = np.empty(call.shape if shaped == "Row" else call.shape[:-1], call.dtype)
        self.kernels.any([*given, *made], call)
        return None

    def _arranged(self, given: list[Any], made: list[Any], call: Work) -> list[Any]:
        """Compute the results of a layer whose axes have names, of which some arrays are not rows as they lie."""

        def run(rows: list[Any], targets: list[Any], of_rows: Work) -> None:
            self(rows, targets, of_rows)

        takes = self.kernels.takes
        found = arranged(chunks_wanted, run, given, takes.reads, made, takes.makes, call)
        for place, (target, value) in enumerate(zip(made, found, strict=True)):
            if value is not target and isinstance(target, Scattered):
                write(target, value)
                found[place] = target
        return found


def _can_compile() -> bool:
    try:
        host_compiler.compiler()
    except host_compiler.NoCompiler:
        return False
    return True
