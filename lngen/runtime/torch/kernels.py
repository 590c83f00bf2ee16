# SPDX-License-Identifier: MIT
"""Directions of a layer on tensors in the memory of the processor, and the shapes and types of results.

`cpu_backend` computes them if there is a C++ compiler or code that was compiled ahead of time, else `numpy_backend`.
Results are new tensors that share no memory.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..native import samples as host_samples
from ..native.memory import empty
from ..native.module import host
from ..numpy.blocks import Work
from ..protocol.calls import Array, DType, Shape, computed_in, constant, wider, zeros
from ..protocol.interface import Interface, labels

try:
    import torch
    from torch import Tensor
    from torch._functorch import utils as torch_func
    from torch.overrides import is_tensor_like
except ImportError as error:
    raise ImportError("torch_backend needs PyTorch, which is not installed: pip install torch ml_dtypes") from error

try:
    from ml_dtypes import bfloat16
except ImportError:
    bfloat16 = None

__all__ = ["Tensor", "TorchKernels", "each", "host", "is_tensor_like", "only", "torch", "torch_func"]

_SHARED_ENTRIES = 2**20
_BFLOAT16 = torch.bfloat16
_DTYPES: dict[Any, DType] = {
    torch.float16: np.dtype(np.float16),
    torch.float32: np.dtype(np.float32),
    torch.float64: np.dtype(np.float64),
}
if bfloat16 is not None:
    _DTYPES[_BFLOAT16] = np.dtype(bfloat16)
_TENSOR_DTYPES = {dtype: ours for ours, dtype in _DTYPES.items()}


def _refuse(name: str, value: Tensor, may_be_labels: bool) -> None:
    """Raises TypeError for a tensor of a type that no layer takes."""
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


def _array(value: Any) -> Any:
    """Return a tensor's memory as a NumPy array; None, numbers and arrays stay as they are."""
    if value is None or not isinstance(value, Tensor):
        return value
    if value.dtype is not _BFLOAT16:
        return np.from_dlpack(_Lent(value))
    return np.from_dlpack(_Lent(value.view(torch.int16))).view(_DTYPES[_BFLOAT16])


def _dense(value: Any) -> Any:
    """The same without gaps, which kernels take as it is: PyTorch copies the rest in less time than NumPy."""
    if not isinstance(value, Tensor) or value.is_contiguous():
        return _array(value)
    return _array(value.contiguous())


def _tensor(array: Array) -> Tensor:
    if array.dtype.kind == "f":
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(np.int16)).view(_BFLOAT16)


def _fresh(made: Sequence[Any], given: Sequence[Any]) -> list[Tensor]:
    """Return results as tensors that share no memory with each other or with arguments; None becomes an empty one."""
    found: list[Tensor] = []
    seen: list[Array] = []
    is_shared = len(set(map(id, made))) < len(made)
    for each in made:
        if type(each) is np.ndarray and each.flags.owndata and each.dtype.kind == "f" and not is_shared:
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


def _threads(rows: Tensor) -> int:
    """Return the number of threads for some rows.

    For few entries one thread is faster: PyTorch's own threads wait actively, and delay others.
    """
    return torch.get_num_threads() if rows.numel() >= _SHARED_ENTRIES else 1


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


class TorchKernels:
    """The directions of a layer as functions of tensors, in the order of an operator's arguments.

    `numpy` and `compiled` are its two modules; `differentiable` numbers the inputs that have gradients, and `kept` the
    results of forward that later directions take.
    """

    def __init__(
        self, interface: Interface, numpy: Any, compiled: Any, differentiable: Sequence[int], kept: Sequence[int]
    ) -> None:
        self.numpy, self.compiled, self.differentiable = numpy, compiled, differentiable
        self.is_wide: bool = numpy._LAYER.is_wide
        self.names = [each["name"] for each in interface["inputs"]]
        self.labels = labels(interface)
        self.required = tuple([each["default"] is None for each in interface["inputs"]])
        self.constants = [each["name"] for each in interface["constants"]]
        self.signed = [each["sign"] == "any" for each in interface["constants"]]
        self.rows = [number for number, each in enumerate(interface["inputs"]) if each["kind"] == "Row"]
        self.output_kinds = [each["kind"] for each in interface["outputs"]]
        self.outputs = len(self.output_kinds)
        row_scalars = [each["name"] for each in interface["saved"] if each["kind"] == "row scalar"]
        self.inputs = len(self.names)
        self.by_sample = self.inputs + len(self.constants)
        self.first_kept = self.by_sample + 1
        self.first_own = self.first_kept + len(kept)
        made = [*(each["name"] for each in interface["outputs"]), *row_scalars]
        places = {("input", name): number for number, name in enumerate(self.names)}
        places |= {("constant", name): number for number, name in enumerate(self.constants, self.inputs)}
        for place, number in enumerate(kept, self.first_kept):
            kind = "output" if number < self.outputs else "row scalar"
            places[kind, made[number]] = place
        self.fields = [places[each["kind"], each["of"]] for each in interface["saved"]]
        self.saved_row_scalars = [
            place for place, each in enumerate(interface["saved"], 3) if each["kind"] == "row scalar"
        ]
        self._types: dict[Any, _TorchTypes] = {}
        self.host: Any = None

    def _chosen(self) -> Any:
        """The module that computes; it is chosen once."""
        self.host = host(self.numpy, self.compiled)
        return self.host

    # ---- on tensors

    def forward(self, *args: Any) -> Any:
        """The outputs and the row scalars."""
        if args[self.by_sample]:
            return self._of_samples("forward", args)
        outputs, row_scalars = self.forward_in_part(args)
        return only([*outputs, *self.tensors(row_scalars)])

    def forward_in_part(self, args: Sequence[Any]) -> tuple[list[Tensor], list[Any]]:
        """The outputs, and the row scalars as arrays, which later directions take too."""
        inputs = args[: self.inputs]
        types = self.types_of(inputs)
        arrays = [_dense(each) for each in inputs]
        numbers = dict(zip(self.constants, args[self.inputs : self.by_sample], strict=True)) if self.constants else {}
        module = self.host or self._chosen()
        y, saved = module.forward(*arrays, **numbers, threads=_threads(args[types.row]))
        made = _fresh(y if self.outputs > 1 else (y,), arrays)
        return made, [saved[place] for place in self.saved_row_scalars]

    def tensors(self, row_scalars: Sequence[Any]) -> list[Tensor]:
        """Row scalars as tensors of their own."""
        return _fresh(row_scalars, ())

    def backward(self, *args: Any) -> Any:
        """The gradients of the inputs."""
        if args[self.by_sample]:
            return self._of_samples("backward", args)
        saved, own, threads = self._saved(args)
        made = self.host.backward(saved, *own, threads=threads)
        return only(_fresh(made, [*own, *saved[3:]]))

    def jvp(self, *args: Any) -> Any:
        """The tangents of the outputs."""
        if args[self.by_sample]:
            return self._of_samples("jvp", args)
        saved, own, threads = self._saved(args)
        made = self.host.jvp(saved, *own, threads=threads)
        return only(_fresh(made if self.outputs > 1 else (made,), [*own, *saved[3:]]))

    def backward_backward(self, *args: Any) -> Any:
        """Return the gradients of the inputs, then those of the cotangents."""
        if args[self.by_sample]:
            return self._of_samples("backward_backward", args)
        saved, own, threads = self._saved(args)
        cotangents, moved = own[: self.outputs], own[self.outputs :]
        made = self.host.backward_backward(saved, cotangents, *moved, threads=threads)
        return only(_fresh(made, [*own, *saved[3:]]))

    def _saved(self, args: Sequence[Any]) -> tuple[Any, list[Any], int]:
        """Return the saved values, the direction's own arguments, and the number of threads."""
        types, module = self.types_of(args[: self.inputs]), self.host or self._chosen()
        values = [_dense(args[place]) for place in self.fields]
        saved = (tuple(args[types.row].shape), types.computed, types.dtypes, *values)
        own = [_dense(each) for each in args[self.first_own :]]
        return tuple.__new__(module.Saved, saved), own, _threads(args[types.row])

    # ---- by sample

    def _of_samples(self, direction: str, args: Sequence[Any]) -> Any:
        """The results of a direction, whose tensors have an axis of samples first."""
        types, module = self.types_of(args[: self.inputs]), self.host or self._chosen()
        if module is self.numpy:
            return self.one_by_one(direction, getattr(self, direction), args)
        row, made = args[types.row], each(self.made(direction, args))
        arrays = [_array(value) for value in args]
        if direction != "forward":
            read = [*arrays[self.first_own :], *[arrays[place] for place in self.fields]]
        else:
            read = arrays[: self.by_sample]
            self.numpy._FORWARD.looked([value if value is None else value[0] for value in read[: self.inputs]])
        results = [
            empty(tuple(like.shape), _DTYPES[like.dtype]) if is_there else None
            for like, is_there in zip(made, self.are_there(direction, args), strict=True)
        ]
        kernels = getattr(module, f"_{direction.upper()}").running.kernels
        work = Work(tuple(row.shape[1:]), types.computed, _threads(row))
        host_samples.compute(kernels, [*read, *results], len(row), work)
        return only(_fresh(results, read))

    def one_by_one(self, direction: str, computed: Callable[..., Any], args: Sequence[Any]) -> Any:
        """The results of a direction by sample, `computed` by a call for each."""
        made = each(self.made(direction, args))
        for number in range(len(args[self.types_of(args[: self.inputs]).row])):
            own = [value[number] if isinstance(value, Tensor) else value for value in args]
            own[self.by_sample] = False
            for all_samples, value in zip(made, each(computed(*own)), strict=True):
                if all_samples.ndim > value.ndim:
                    all_samples[number] = value
        return only(made)

    def are_there(self, direction: str, args: Sequence[Any]) -> list[bool]:
        """Return a flag for each result of a direction: true if it has entries.

        A gradient has entries if its owner is present.
        """
        if direction == "forward":
            return [True] * (self.outputs + len(self.saved_row_scalars))
        if direction == "jvp":
            return [True] * self.outputs
        owners = [args[number] for number in self.differentiable]
        if direction == "backward_backward":
            owners += args[self.first_own : self.first_own + self.outputs]
        return [owner is not None for owner in owners]

    def types_of(self, inputs: Sequence[Any]) -> _TorchTypes:
        """The types of a call with these inputs. Raises TypeError for one of another type, or with no rows."""
        key = tuple([None if each is None else each.dtype for each in inputs])
        found = self._types.get(key)
        return found or self._types.setdefault(key, self._looked(inputs))

    def _looked(self, given: Sequence[Any]) -> _TorchTypes:
        for number, (name, each) in enumerate(zip(self.names, given, strict=True)):
            if each is not None and each.dtype not in _DTYPES:
                _refuse(name, each, number in self.labels)
        dtypes = tuple([None if each is None else _DTYPES[each.dtype] for each in given])
        rows = [number for number in self.rows if given[number] is not None]
        if not rows:
            names = ", ".join(self.names[number] for number in self.rows)
            raise TypeError(f"each of {names} is None; pass one of them")
        computed = computed_in(dtype for dtype in dtypes if dtype is not None)
        computed = wider(computed) if self.is_wide else computed
        return _TorchTypes(dtypes, computed, rows[0], given[rows[0]].dtype, _TENSOR_DTYPES[computed])

    # ---- on what has a shape and a type, and no entries

    def forward_fake(self, *args: Any) -> Any:
        """Tensors as `forward` makes them. Raises TypeError or ValueError where that would."""
        inputs = args[: self.inputs]
        types = self.types_of(inputs)
        samples = 1 if args[self.by_sample] else 0
        shapes = [shape[samples:] for each in inputs if (shape := _known(each)) is not None]
        if len(shapes) == len(inputs):
            pairs = zip(types.dtypes, shapes, strict=True)
            self.numpy._FORWARD.looked([dtype and zeros(shape, dtype) for dtype, shape in pairs])
        for name, signed, value in zip(self.constants, self.signed, args[self.inputs : self.by_sample], strict=True):
            if isinstance(value, float):  # and not one that a program is compiled for at large
                constant(name, value, signed)
        return self.forward_empty(*args)

    def made(self, direction: str, args: Sequence[Any]) -> Any:
        """Tensors for the results of a direction, of arguments that are right."""
        return self.forward_empty(*args) if direction == "forward" else getattr(self, f"{direction}_fake")(*args)

    def forward_empty(self, *args: Any) -> Any:
        """Tensors as `forward` makes them, of arguments that are right."""
        types = self.types_of(args[: self.inputs])
        row = args[types.row]
        row_scalars = [row.new_empty(row.shape[:-1], dtype=types.row_scalars) for _ in self.saved_row_scalars]
        return only([*self._outputs(args), *row_scalars])

    def backward_fake(self, *args: Any) -> Any:
        """Tensors as `backward` makes them."""
        return only(_like([args[number] for number in self.differentiable]))

    def jvp_fake(self, *args: Any) -> Any:
        """Tensors as `jvp` makes them."""
        return only(self._outputs(args))

    def backward_backward_fake(self, *args: Any) -> Any:
        """Tensors as `backward_backward` makes them."""
        cotangents = args[self.first_own : self.first_own + self.outputs]
        return only(_like([*[args[number] for number in self.differentiable], *cotangents]))

    def _outputs(self, args: Sequence[Any]) -> list[Tensor]:
        types = self.types_of(args[: self.inputs])
        row = args[types.row]
        shapes = [row.shape if each == "Row" else row.shape[:-1] for each in self.output_kinds]
        return [row.new_empty(shape, dtype=types.rows) for shape in shapes]


def _known(value: Tensor | None) -> Shape | None:
    """A shape, of sizes for which a program is compiled at large those with which it is; None if one is not known.

    Others are looked at when the program runs, as every call is.
    """
    sizes: list[Any] = [] if value is None else [*value.shape]
    found = [size if isinstance(size, int) else size.node.hint for size in sizes]
    return None if None in found else tuple(found)


def _like(owners: Sequence[Any]) -> list[Tensor]:
    """Return tensors like their owners, empty for an owner that is None."""
    there = next(each for each in owners if each is not None)
    return [there.new_empty(0, dtype=torch.float32) if each is None else each.new_empty(each.shape) for each in owners]
