# SPDX-License-Identifier: MIT
"""Directions of a layer on tensors in the memory of the processor, and the shapes and types of results.

`cpu_backend` computes them if there is a C++ compiler or code that was compiled ahead of time, else `numpy_backend`.
Results are new tensors that share no memory.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..native.module import HostModule
from ..protocol.calls import Array, DType, Shape, constant, zeros
from ..protocol.directions import DirectionProtocol, LayerProtocol, computed, held, leading
from ..protocol.interface import Interface, labels
from .parts import OperatorValues

try:
    import torch
    from torch import Tensor
    from torch.overrides import is_tensor_like
except ImportError as error:
    raise ImportError("torch_backend needs PyTorch, which is not installed: pip install torch ml_dtypes") from error

try:
    from ml_dtypes import bfloat16
except ImportError:
    bfloat16 = None

__all__ = ["Tensor", "is_tensor_like", "torch"]
"""Names of PyTorch that other modules have from here."""


SHARED_ENTRIES = 2**20
"""Entries of rows from which threads share a call."""

_BFLOAT16 = torch.bfloat16
_DTYPES: dict[Any, DType] = {
    torch.float16: np.dtype(np.float16),
    torch.float32: np.dtype(np.float32),
    torch.float64: np.dtype(np.float64),
}
if bfloat16 is not None:
    _DTYPES[_BFLOAT16] = np.dtype(bfloat16)
INTEGERS: dict[Any, DType] = {
    getattr(torch, name): np.dtype(name)
    for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
}
KERNEL_TYPES = frozenset((*_DTYPES, *INTEGERS))
"""Types of tensors that kernels take."""

_TENSOR_DTYPES = {dtype: ours for ours, dtype in _DTYPES.items()}


def _refuse(name: str, value: Tensor, may_be_labels: bool, is_integer: bool) -> None:
    """Raises TypeError for a tensor of a type that no layer takes there."""
    if is_integer:
        raise TypeError(f"{name} is of type {value.dtype}; pass integers, as {name}.long()")
    if value.dtype == _BFLOAT16:
        raise TypeError(f"{name} is of type {value.dtype}, which NumPy has from ml_dtypes: pip install ml_dtypes")
    one_hot = ""
    if may_be_labels and "int" in str(value.dtype):
        one_hot = f", and labels one-hot, as torch.nn.functional.one_hot({name}, D).float()"
    remedy = f"pass float16, bfloat16, float32 or float64, as {name}.float(){one_hot}"
    raise TypeError(f"{name} is of type {value.dtype}; {remedy}")


class _Lent:
    """A tensor's memory for NumPy. `Tensor.numpy` would keep its storage from ever being resized, as FSDP does."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    def __dlpack__(self, **_: Any) -> Any:
        return torch._C._to_dlpack(self.tensor)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def lent(value: Any) -> Any:
    """Return a tensor's memory as a NumPy array; None, numbers and arrays stay as they are."""
    if value is None or not isinstance(value, Tensor):
        return value
    if value.dtype is not _BFLOAT16:
        return np.from_dlpack(_Lent(value))
    return np.from_dlpack(_Lent(value.view(torch.int16))).view(_DTYPES[_BFLOAT16])


def _dense(value: Any) -> Any:
    """The same without gaps, which kernels take as it is: PyTorch copies the rest in less time than NumPy."""
    if not isinstance(value, Tensor) or value.is_contiguous():
        return lent(value)
    return lent(value.contiguous())


def _tensor(array: Array) -> Tensor:
    if array.dtype.isbuiltin == 1:
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(f"i{array.dtype.itemsize}")).view(getattr(torch, array.dtype.name))


def fresh(made: Sequence[Any], given: Sequence[Any]) -> list[Tensor]:
    """Return results as tensors that share no memory with each other or with arguments; None becomes an empty one."""
    found: list[Tensor] = []
    seen: list[Array] = []
    is_shared = len(set(map(id, made))) < len(made)
    for each in made:
        if type(each) is np.ndarray and each.flags.owndata and each.dtype.isbuiltin == 1 and not is_shared:
            found.append(torch.from_numpy(each))
        elif each is None:
            found.append(torch.empty(0))
        else:
            array = np.asarray(each)
            if not _is_fresh(array, [*seen, *given]):
                array = np.array(array, order="C")
            seen.append(array)
            found.append(_tensor(array))
    return found


def _is_fresh(array: Array, others: Sequence[Any]) -> bool:
    if not array.flags.c_contiguous or not array.flags.writeable:
        return False
    return not any(other is not None and np.may_share_memory(array, other) for other in others)


def threads_for(rows: Tensor) -> int:
    """Return the number of threads for some rows.

    For few entries one thread is faster: PyTorch's own threads wait actively, and delay others.
    """
    return torch.get_num_threads() if rows.numel() >= SHARED_ENTRIES else 1


def only(values: Sequence[Any]) -> Any:
    """The results of an operator: a tuple if there are several."""
    return tuple(values) if len(values) > 1 else values[0]


def each(values: Any) -> tuple[Any, ...]:
    """The results of an operator, which are a tuple if there are several."""
    return values if isinstance(values, tuple) else (values,)


class _TorchTypes(NamedTuple):
    """Types of a call: of each input or None, the compute type, and the types of results.

    The latter are those of the input `row` and of the row scalars.
    """

    dtypes: tuple[DType | None, ...]
    computed: DType
    row: int
    rows: Any
    row_scalars: Any


class TorchKernels(HostModule):
    """Forward and backward of a layer as functions of tensors, in the order of an operator's arguments.

    `parts` has the arguments of each operator.
    """

    backward: Callable[..., Any]

    def __init__(self, layer: LayerProtocol, interface: Interface, numpy: Any, compiled: Any) -> None:
        super().__init__(layer, numpy, compiled)
        self.labels = labels(interface)
        self.required = tuple([not each.may_be_none for each in layer.inputs])
        self.signed = [each["sign"] == "any" for each in interface["constants"]]
        self.outputs, self.inputs = len(layer.outputs), len(layer.inputs)
        self.parts = {name: OperatorValues(layer, layer.directions[name]) for name in ("forward", "backward")}
        self.by_sample, self.first_own = self.parts["backward"].by_sample, self.parts["backward"].first_own
        self.fields = held(layer.fields, self.parts["backward"].arguments)
        self.backward = partial(self._later, layer.directions["backward"])
        self._types: dict[Any, _TorchTypes] = {}

    # ---- on tensors

    def forward(self, *args: Any) -> Any:
        """The outputs and the row scalars."""
        outputs, row_scalars = self.forward_in_part(args)
        return only([*outputs, *self.tensors(row_scalars)])

    def forward_in_part(self, args: Sequence[Any]) -> tuple[list[Tensor], list[Any]]:
        """The outputs, and the row scalars as arrays, which later directions take too."""
        inputs = args[: self.inputs]
        types = self.types_of(inputs)
        arrays = [_dense(each) for each in inputs]
        constants = args[self.inputs : self.by_sample]
        outputs, row_scalars = self.made_by_forward(arrays, constants, threads_for(args[types.row]))
        return fresh(outputs, arrays), row_scalars

    def tensors(self, row_scalars: Sequence[Any]) -> list[Tensor]:
        """Row scalars as tensors of their own."""
        return fresh(row_scalars, ())

    def gradients(self, arguments: Sequence[Any], row_scalars: Sequence[Any], cotangents: Sequence[Any]) -> Any:
        """The gradient of each differentiable input, given the arguments of forward and its results that are kept."""
        return each(self.backward(*arguments, *row_scalars, *cotangents))

    def _later(self, direction: DirectionProtocol, *args: Any) -> Any:
        """The results of a direction that follows forward."""
        types = self.types_of(args[: self.inputs])
        fields = [_dense(args[place]) for place in self.fields]
        own = [_dense(each) for each in args[self.first_own :]]
        row = args[types.row]
        saved = (tuple(row.shape), types.computed, types.dtypes, *fields)
        return only(fresh(self.made_by_later(direction, saved, own, threads_for(row)), [*own, *fields]))

    def are_there(self, direction: str, args: Sequence[Any]) -> list[bool]:
        """Return a flag for each result of a direction: true if it has entries.

        A gradient has entries if its owner is present.
        """
        return [owner is None or args[owner] is not None for owner in self.parts[direction].owners]

    def types_of(self, inputs: Sequence[Any]) -> _TorchTypes:
        """The types of a call with these inputs. Raises TypeError for one of another type, or with no rows."""
        key = tuple([None if each is None else each.dtype for each in inputs])
        found = self._types.get(key)
        return found or self._types.setdefault(key, self._looked(inputs))

    def _looked(self, given: Sequence[Any]) -> _TorchTypes:
        for number, (each, value) in enumerate(zip(self.protocol.inputs, given, strict=True)):
            if value is not None and value.dtype not in (INTEGERS if each.is_integer else _DTYPES):
                _refuse(each.name, value, number in self.labels, each.is_integer)
        dtypes = tuple([None if each is None else (_DTYPES.get(each.dtype) or INTEGERS[each.dtype]) for each in given])
        floats = [kind for each, kind in zip(self.protocol.inputs, dtypes, strict=True) if not each.is_integer]
        row, kind = leading(self.protocol.inputs, given), computed(floats)
        return _TorchTypes(dtypes, kind, row, given[row].dtype, _TENSOR_DTYPES[kind])

    # ---- on what has a shape and a type, and no entries

    def fake(self, direction: str, *args: Any) -> Any:
        """Tensors as a direction makes them. Raises TypeError or ValueError where forward would."""
        if direction == "forward":
            self.look(args)
        return self.made(direction, args)

    def look(self, args: Sequence[Any]) -> None:
        """Raises TypeError or ValueError where forward would."""
        inputs = args[: self.inputs]
        types = self.types_of(inputs)
        shapes = [shape for each in inputs if (shape := _known(each)) is not None]
        if len(shapes) == len(inputs):
            pairs = zip(types.dtypes, shapes, strict=True)
            self.numpy._FORWARD.looked([dtype and zeros(shape, dtype) for dtype, shape in pairs])
        for name, signed, value in zip(self.constants, self.signed, args[self.inputs : self.by_sample], strict=True):
            if isinstance(value, float):  # and not one that a program is compiled for at large
                constant(name, value, signed)

    def made(self, direction: str, args: Sequence[Any], count: int | None = None) -> Any:
        """Tensors for the results of a direction, of arguments that are right; empty for an absent result.

        With a `count` they are the first results, so many.
        """
        types, parts = self.types_of(args[: self.inputs]), self.parts[direction]
        row = args[types.row]
        found: list[Tensor] = []
        for each, place in [*zip(parts.results, parts.owners, strict=True)][:count]:
            owner = row if place is None else args[place]
            if place is None:
                shape = row.shape if each.kind == "Row" else row.shape[:-1]
                kind = types.row_scalars if each.kind == "Computed" else types.rows
                kind = getattr(torch, each.cast) if each.cast else kind
                found.append(row.new_empty(shape, dtype=kind))
            elif owner is None:
                found.append(row.new_empty(0, dtype=torch.float32))
            else:
                found.append(owner.new_empty(owner.shape))
        return only(found)


def _known(value: Tensor | None) -> Shape | None:
    """A shape, of sizes for which a program is compiled at large those with which it is; None if one is not known.

    Others are looked at when the program runs, as every call is.
    """
    sizes: list[Any] = [] if value is None else [*value.shape]
    found = [size if isinstance(size, int) else size.node.hint for size in sizes]
    return None if None in found else tuple(found)
