# SPDX-License-Identifier: MIT
"""Long way of a call on compiled kernels: arrays of any type and layout, which the straight way does not take.

`numpy_backend` checks the arrays, and `cpu_backend` passes each to a kernel as an operand. Rows are read and written
where they lie if the entries of each are one behind the other; others, and those that are not all of one type that
kernels take, are dense copies in the compute type.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from ..numpy.blocks import ArrayFunction, Work, round_to
from ..protocol.calls import COMPUTED, INT32, Array, DType, whole
from ..protocol.casts import dtype as cast_type
from .compiled import KEPT_ROWS, CompiledDirection, row_starts
from .memory import empty
from .straight import STORAGE_TYPES, addresses, is_dense

Function = TypeVar("Function", bound=Callable[..., Any])


def described_as(function: Function) -> Callable[[Callable[..., Any]], Function]:
    """Decorate a function with the docstring and the type of the one on NumPy."""

    def decorated(other: Any) -> Function:
        other.__doc__ = function.__doc__
        return cast(Function, other)

    return decorated


def function(otherwise: ArrayFunction) -> Callable[[Callable[..., None]], ArrayFunction]:
    """Decorate a function that computes a direction on kernels; `otherwise` does in types that kernels do not take."""

    def decorated(on_kernels: Callable[..., None]) -> ArrayFunction:
        def compute(*given: Any) -> Sequence[Any] | None:
            if given[-1].dtype not in COMPUTED:
                return otherwise.compute(*given)
            on_kernels(*given)
            return None

        return ArrayFunction(compute, empty, takes_runs=True)

    return decorated


class Operand(NamedTuple):
    """Array as a kernel takes it, None if it is left out; `result` is the caller's, of which it is a copy.

    A row of it has `axes` of features: none of a row scalar, two of a row that is constant in runs of equal length, the
    second with a stride of 0. They are None for what all rows share.
    """

    array: Array | None
    axes: int | None
    kind: str
    result: Array | None = None

    @property
    def has_gaps(self) -> bool:
        """Test whether rows are not one behind the other."""
        return self.axes is not None and self.array is not None and not self.array.flags.c_contiguous

    @property
    def is_of_runs(self) -> bool:
        """Test whether rows are constant in runs."""
        return self.axes == 2 and self.array is not None


class RowOperands:
    """Operands of a call, which has `read` values of each row and results that are `made`.

    A gradient that is summed afterwards is in the compute type, whatever rows are stored in; of one that is constant in
    runs it gets the sum of each.
    """

    def __init__(self, work: Work, read: Iterable[Array | None], made: Iterable[Array | None]) -> None:
        self.shape, self.computed, self.threads = work
        of_rows = {value.dtype for value in read if value is not None}
        of_rows |= {value.dtype for value in made if value is not None and not self._is_in_compute_type(value)}
        stored = of_rows.pop() if len(of_rows) == 1 else self.computed
        is_taken = STORAGE_TYPES[stored][0] != "" and STORAGE_TYPES[stored][1] == self.computed
        self.stored = stored if is_taken else self.computed

    def read(self, *values: Array | None, axes: int = 1) -> list[Operand]:
        """Return values of each row, in the type that rows are stored in."""
        return [self._operand(value, self.stored, axes, "read") for value in values]

    def computed_before(self, *values: Array | None, axes: int = 0) -> list[Operand]:
        """Return values of each row that an earlier call computed, in the compute type."""
        return [self._operand(value, self.computed, axes, "read") for value in values]

    def integers(self, *values: Array | None, axes: int = 1) -> list[Operand]:
        """Return integers of each row, of 32 bits; of those beyond the nearest."""
        return [self._operand(value, INT32, axes, "integers") for value in values]

    def shared(self, *values: Array | None) -> list[Operand]:
        """Return parameters."""
        return [self._operand(value, self.computed, None, "read") for value in values]

    def shared_integers(self, *values: Array | None) -> list[Operand]:
        """Return integers that all rows share."""
        return [self._operand(value, INT32, None, "integers") for value in values]

    def made(self, *results: Array | None, axes: int = 1) -> list[Operand]:
        """Return results of each row."""
        return [self._result(value, axes) for value in results]

    def cast(self, result: Array | None, target: str, axes: int = 1) -> Operand:
        """Return a result of each row that is rounded to a type."""
        return self._operand(result, cast_type(target), axes, "made")

    def made_once(self, *results: Array | None) -> list[Operand]:
        """Return row scalars that forward saves, in the compute type."""
        return [self._operand(value, self.computed, 0, "made") for value in results]

    def summed(self, *results: Array | None) -> list[Operand]:
        """Return sums over rows."""
        return [self._operand(value, self.computed, None, "made") for value in results]

    def call(
        self,
        kernels: CompiledDirection,
        is_absent: Sequence[bool],
        numbers: Sequence[float],
        operands: Sequence[Operand],
        ends: Sequence[Operand] = (),
    ) -> None:
        """Compute with the kernels of a direction; `ends` are the operands of the one that ends sums over rows."""
        tables, run, macros = self._places(operands)
        kernels[(STORAGE_TYPES[self.stored][0], *is_absent, macros)](
            addresses(*[each.array for each in operands]),
            numbers,
            prod(self.shape[:-1]),
            self.shape[-1],
            self.threads,
            addresses(*[each.array for each in ends]),
            addresses(*tables, None) if tables and kernels.has_sums else addresses(*tables),
            run,
        )
        for each in (*operands, *ends):
            round_to(each.result, ..., each.array)

    def _is_in_compute_type(self, value: Array) -> bool:
        """Test whether a value has entries in a row, in the compute type."""
        return value.ndim >= len(self.shape) and value.dtype == self.computed

    def _result(self, value: Array | None, axes: int) -> Operand:
        is_wide = value is not None and self._is_in_compute_type(value) and self.stored != self.computed
        return self._operand(value, self.computed if is_wide else self.stored, axes, "wide" if is_wide else "made")

    def _operand(self, value: Array | None, dtype: DType, axes: int | None, kind: str) -> Operand:
        if value is None:
            return Operand(None, axes, kind)
        if axes:
            axes += value.ndim - len(self.shape)
        if type(value) is np.ndarray and value.dtype == dtype and (is_dense(value) or is_in_rows(value, axes)):
            return Operand(value, axes, kind)
        if kind in ("made", "wide"):
            return Operand(np.empty(value.shape, dtype), axes, kind, value)
        if axes == 2:
            return Operand(np.broadcast_to(_dense(value[..., :1], dtype), value.shape), axes, kind)
        return Operand(_dense(value, dtype), axes, kind)

    def _places(self, operands: Sequence[Operand]) -> tuple[list[Array | None], int, tuple[str, ...]]:
        """Return tables of the starts of rows as host_places.h reads them, the length of a run, and macros.

        There are none if the rows of each operand are one behind the other, and stored in one type.
        """
        if not any(each.has_gaps or each.kind == "wide" for each in operands):
            return [], 0, ()
        tables = [self._table(each.array) if each.array is not None and each.has_gaps else None for each in operands]
        runs = [each.array.shape[-1] for each in operands if each.array is not None and each.axes == 2]
        rows = [each for each in operands if each.axes]
        read, made = ([each for each in rows if each.kind in kinds] for kinds in (("read",), ("made", "wide")))
        sets = {
            "WIDE": [each.kind == "wide" for each in made],
            "OF_RUNS": [each.is_of_runs for each in read],
            "SUMMED_BY_RUN": [each.is_of_runs for each in made],
        }
        bits = {name: sum(1 << place for place, is_in in enumerate(each) if is_in) for name, each in sets.items()}
        return tables, runs[0] if runs else 0, ("LNGEN_PLACED", *[f"LNGEN_{each}={bits[each]}ull" for each in bits])

    def _table(self, array: Array) -> Array:
        rows = len(self.shape) - 1
        steps = tuple([stride // array.itemsize for stride in array.strides[:rows]])
        return (_kept if prod(array.shape[:rows]) <= KEPT_ROWS else row_starts)(array.shape[:rows], steps)


_kept = lru_cache(maxsize=64)(row_starts)


def is_in_rows(array: Array, axes: int | None) -> bool:
    """Test whether the rows of an array can be used where they lie: the entries of each are one behind the other.

    >>> import numpy as np
    >>> whole = np.zeros((4, 6))
    >>> is_in_rows(whole[:, :3], 1), is_in_rows(whole[:, ::2], 1), is_in_rows(whole[:, 0], 0)
    (True, False, True)
    """
    size = array.itemsize
    if axes is None or not array.flags.aligned or any(stride % size for stride in array.strides):
        return False
    return axes != 1 or array.shape[-1] == 1 or array.strides[-1] == size


def _dense(value: Any, dtype: DType) -> Array:
    """Return an array without gaps in a type; of integers beyond 32 bits the nearest."""
    return np.require(whole(np.asarray(value)) if dtype == INT32 else value, dtype, ["C", "A"])
