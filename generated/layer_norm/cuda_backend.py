# Made by lngen 0.1.0 from the definition of layer_norm.
# Do not edit; edit layer_norm.py and run: lngen derive layer_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 9 flops a row element; backward 3 row tensors (2 read, 1 written), 14 flops a row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3; derivation.md says of what.
# definition sha256:3f4f3519e955d61b03ab0d655ad5951c0892e0dd7b3076ac889a76a6492abbe1
# templates sha256:e80474b82944ff171ffaa46be68700ace92638e313cb5bedba10ee628e910dde
"""Layer normalization over the feature axis.

    forward
        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = gamma*xhat + beta
    backward
        g = gamma*dy
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dgamma = sum_rows(dy*xhat)
        dbeta = sum_rows(dy)

The kernels of kernels.cu, launched by PyCUDA. A kernel is compiled when it is first asked
for, by nvcc or else NVRTC, and kept in $LNGEN_CACHE or the user's cache folder.
"""

import atexit
import ctypes
import hashlib
import os
import shutil
import struct
import subprocess
import sys
import threading
import warnings
from contextlib import contextmanager, suppress
from functools import cache
from math import isfinite, prod
from numbers import Real
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

import numpy as np


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: object
    """The gradient of x, in its shape and type."""

    dgamma: object
    """The gradient of gamma, in its shape and type."""

    dbeta: object
    """The gradient of beta, in its shape and type."""


class Saved(NamedTuple):
    """What `backward` needs of a call of `forward`; arrays are the caller's own.

    Writing to one of them between forward and backward changes the gradients.
    """

    shape: tuple
    """The shape of the row inputs."""

    dtype: np.dtype
    """The type that `forward` computed in."""

    dtypes: dict
    """The type of each input that was given."""

    x: object
    """x of forward."""

    gamma: object
    """The argument gamma of forward."""

    mu: object
    """The row scalar mu, one a row."""

    mu_residual: object
    """The row scalar mu_residual, one a row."""

    rstd: object
    """The row scalar rstd, one a row."""


def forward(
    x, gamma=None, beta=None, *, eps=1e-5, out=None, stream=None, workspace=None
):
    """Layer normalization over the feature axis.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = gamma*xhat + beta

    An array is a GPUArray or anything else with `__cuda_array_interface__`, dense, of type
    float16, bfloat16 (raw 2-byte entries are taken for it), float32 or float64. Rows and
    row scalars are of one type, and so are features and scalars.

    Args:
        x: shape (..., D).
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
        beta: one value a feature, shape (D,); left out it is 0, and costs nothing.
        eps: a constant, a finite number.
        out: an array to write y to.
        stream: where the kernels are launched: a PyCUDA stream, one of PyTorch or CuPy,
            or a handle; None is the default stream.
        workspace: memory for the row scalars that are saved; `workspace_bytes` says how
            much. It belongs to `saved` until backward is done.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones. New arrays are GPUArrays.

    Raises TypeError for what is no floating-point array in device memory, ValueError for a
    wrong shape, ImportError without PyCUDA or a driver.
    """
    inputs_ = {"x": x, "gamma": gamma, "beta": beta}
    constants_ = {"eps": eps}
    outputs_, saved_ = _forward(inputs_, constants_, out, stream, workspace)
    return outputs_[0], saved_


def backward(saved, dy, *, out=None, stream=None, workspace=None):
    """The gradients of a loss, given those with respect to the outputs.

        g = gamma*dy
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dgamma = sum_rows(dy*xhat)
        dbeta = sum_rows(dy)

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        stream: where the kernels are launched, as for `forward`.
        workspace: memory for partial sums over rows; `workspace_bytes` says how much. It
            needs no initial value, and is free again when the stream gets there.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array in device memory, ValueError for a
    wrong shape, ImportError without PyCUDA or a driver.
    """
    cotangents_ = {"dy": dy}
    return _backward(saved, cotangents_, out, stream, workspace)


def workspace_bytes(direction, *arguments):
    """How many bytes a call needs of `workspace`.

    `direction` is "forward" or "backward", `arguments` are its positional ones:
    `workspace_bytes("backward", saved, dy)`. With `out` and `workspace` given, a call
    allocates nothing once its kernels are loaded.
    """
    if direction not in ("forward", "backward"):
        raise ValueError(f'direction is {direction!r}; pass "forward" or "backward"')
    forward_ = direction == "forward"
    names = list(_INPUTS) if forward_ else ["saved", *(f"d{name}" for name in _OUTPUTS)]
    if len(arguments) > len(names):
        raise TypeError(
            f"{direction} takes {len(names)} arrays at most, and {len(arguments)} were given"
        )
    given = dict(zip(names, arguments, strict=False))
    if forward_:
        return _forward_call(given).saved_bytes()
    call = _backward_call(given.pop("saved", None), given)
    with call.on_device(None) as work:
        return work.partial_bytes()


def compilations():
    """How many times this process has run a compiler; 0 while the cache has it all."""
    return _compiler_runs


_LAYER = "layer_norm"
_LEAST_FEATURES = 1
_INPUTS = {"x": "Row", "gamma": "Feature", "beta": "Feature"}
_OPTIONAL = ("gamma", "beta")
_CONSTANTS = ("eps",)
_OUTPUTS = {"y": "Row"}

# What backward reads of forward, and the row scalars that forward saves for it.
_SAVED = {"x": "Row", "gamma": "Feature"}
_ROW_SCALARS = ("mu", "mu_residual", "rstd")

# Results that are the same array, and gradients that are zero whatever the call.
_SHARED_OUTPUTS = ()
_SHARED_GRADIENTS = ()
_ZERO_GRADIENTS = ()

# The sums over rows that a block of backward leaves: into columns, into scalars.
_SUMS = (2, 0)

# The arguments of the kernels of kernels.cu: their types, as struct has them with A for
# the compute type, and what is passed.
_KERNELS = {
    "forward": (
        "PPPAPPPPqi",
        (
            "x",
            "gamma",
            "beta",
            "eps",
            "out y",
            "saved mu",
            "saved mu_residual",
            "saved rstd",
            "the rows",
            "the features",
        ),
    ),
    "backward": (
        "PPPPPPPPqi",
        (
            "x",
            "dy",
            "saved mu",
            "saved mu_residual",
            "saved rstd",
            "gamma",
            "out dx",
            "the workspace",
            "the rows",
            "the features",
        ),
    ),
    "backward_columns": (
        "PiPPPi",
        (
            "the workspace",
            "the blocks",
            "gamma",
            "out dgamma",
            "out dbeta",
            "the features",
        ),
    ),
}

_KINDS = {"<f2": "f16", "<V2": "bf16", "|V2": "bf16", "<f4": "f32", "<f8": "f64"}
_TYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}
_PARTS = {
    "Row": "the shape of {rows}",
    "RowScalar": "the shape of {rows} without its last axis",
    "Feature": "(D,)",
    "Scalar": "a number or a 0-d array",
}


class _Memory:
    """Dense memory on a device, whatever it holds; `owner` is the object it came as."""

    def __init__(self, owner, pointer, shape, typestr, read_only=False, stream=None):
        self.owner, self.pointer, self.shape = owner, pointer, shape
        self.nbytes = prod(shape) * int(typestr[2:])
        self.typestr, self.read_only, self.stream = typestr, read_only, stream

    @classmethod
    def new(cls, shape, dtype, pointer=None, base=None):
        """A GPUArray to be: its memory, if it is there yet, and what keeps that alive."""
        array = cls(None, pointer, shape, dtype.str)
        array.new_dtype, array.base = dtype, base
        return array

    def overlaps(self, other):
        if not self.nbytes or not other.nbytes or None in (self.pointer, other.pointer):
            return False
        first, last = self.pointer, self.pointer + self.nbytes
        return first < other.pointer + other.nbytes and other.pointer < last

    @property
    def kind(self):
        return _KINDS[self.typestr]

    @property
    def dtype(self):
        """The type as NumPy's, in the words of the owner."""
        own = getattr(self.owner, "dtype", None)
        return own if isinstance(own, np.dtype) else _dtype(self.kind)


def _dtype(kind):
    """NumPy's type of a kind; bfloat16 is raw where ml_dtypes is not installed."""
    if kind != "bf16":
        return np.dtype(_TYPES[kind])
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        return np.dtype("<V2")
    return np.dtype(bfloat16)


def _memory(name, value):
    """What `__cuda_array_interface__` says of an object, if it is dense memory."""
    interface = getattr(value, "__cuda_array_interface__", None)
    if not isinstance(interface, dict):
        kind = type(value).__name__
        raise TypeError(
            f"{name} is of type {kind}, not an array in device memory; pass a GPUArray, "
            f"such as pycuda.gpuarray.to_gpu({name}), or use numpy_backend"
        )
    shape, typestr = tuple(interface["shape"]), interface["typestr"]
    strides = interface.get("strides")
    size = int(typestr[2:])
    if strides is not None and 0 not in shape:
        step = size
        for length, stride in zip(reversed(shape), reversed(strides), strict=True):
            if length > 1 and stride != step:
                raise ValueError(
                    f"{name} has strides {tuple(strides)} for shape {shape}, and kernels "
                    "take dense rows; pass a contiguous copy"
                )
            step *= length
    if interface.get("mask") is not None:
        raise TypeError(f"{name} has a mask; pass an array without one")
    pointer, read_only = interface["data"]
    array = _Memory(
        value, pointer or 0, shape, typestr, read_only, interface.get("stream")
    )
    if array.nbytes and not pointer:
        raise ValueError(
            f"{name} has shape {shape} and no memory; pass an array in use"
        )
    return array


def _array(name, value, required):
    """A floating-point array; None stays None for what may be left out."""
    if value is None:
        if required:
            raise TypeError(f"{name} is None; pass an array of floats")
        return None
    array = _memory(name, value)
    if array.typestr not in _KINDS:
        raise TypeError(
            f"{name} is of type {array.typestr}, not floating point; pass float16, "
            "bfloat16 (as ml_dtypes has it, or raw as V2), float32 or float64"
        )
    if array.nbytes and array.pointer % _BYTES[array.kind]:
        raise ValueError(
            f"{name} starts at {array.pointer:#x}, which {_TYPES[array.kind]} cannot be "
            "read from; pass a copy, which is aligned"
        )
    return array


def _input(name, kind, value, required):
    """An input: an array, or for a Scalar a number."""
    if kind != "Scalar" or value is None:
        return _array(name, value, required)
    if type(value) in (int, float):
        return float(value)
    array = _array(name, value, required)
    if array.shape:
        raise ValueError(f"{name} has shape {array.shape}; pass a number or a 0-d one")
    return array


def _constant(name, value):
    """A finite real number."""
    if not isinstance(value, Real) or isinstance(value, bool):
        kind = type(value).__name__
        raise TypeError(f"{name} is {value!r} of type {kind}; pass a number")
    if not isfinite(value):
        raise ValueError(f"{name} is {value!r}; pass a finite number")
    return float(value)


def _row_shape(name, array):
    """The shape of the rows, which have enough features."""
    shape = array.shape
    if not shape or shape[-1] < _LEAST_FEATURES:
        raise ValueError(
            f"{name} has shape {shape}; "
            f"pass (..., D) with D of {_LEAST_FEATURES} or more"
        )
    if shape[-1] >= 2**31:
        raise ValueError(f"{name} has shape {shape}; pass rows of fewer than 2**31")
    return shape


def _part(kind, shape):
    """The shape of an argument of some kind, for rows of a shape."""
    return {"Row": shape, "RowScalar": shape[:-1], "Feature": shape[-1:], "Scalar": ()}[
        kind
    ]


def _check_shape(name, array, shape, meaning):
    if isinstance(array, _Memory) and array.shape != shape:
        raise ValueError(
            f"{name} has shape {array.shape}; pass {meaning}, which is {shape}"
        )


def _check_type(name, array, kind, other):
    """The kernels read all rows in one type, and all parameters in one."""
    if isinstance(array, _Memory) and array.kind != kind:
        raise TypeError(
            f"{name} is of type {_TYPES[array.kind]} and {other} of type {_TYPES[kind]}; "
            f"pass {name} in {_TYPES[kind]}"
        )


def _check_saved(saved):
    """Refuse what forward did not return."""
    if not isinstance(saved, Saved):
        raise TypeError(
            f"saved is of type {type(saved).__name__}; "
            f"pass what forward of {_LAYER} returned as its second value"
        )


def _several(out, names):
    """`out=` as one array or None for each result."""
    if out is None:
        return [None] * len(names)
    if hasattr(out, "__cuda_array_interface__") or not isinstance(out, (tuple, list)):
        kind = type(out).__name__
        raise TypeError(f"out is of type {kind}; pass a tuple for {names}")
    if len(out) != len(names):
        raise ValueError(f"out has {len(out)} entries; pass {len(names)}, for {names}")
    return list(out)


def _result(name, out, shape, dtype, given):
    """The memory of a result: the caller's own, or some that is yet to be allocated.

    None if there is no such result: `dtype` is None then.
    """
    if dtype is None:
        if out is not None:
            raise ValueError(f"out for {name}: its input was left out, so pass None")
        return None
    if out is None:
        return _Memory.new(shape, dtype)
    array = _array(f"out for {name}", out, required=True)
    if array.shape != shape or array.kind != _KINDS[dtype.str]:
        raise ValueError(
            f"out for {name} has shape {array.shape} and type {_TYPES[array.kind]}; "
            f"pass one of shape {shape} and type {_TYPES[_KINDS[dtype.str]]}"
        )
    _check_writable(f"out for {name}", array, given)
    return array


def _check_writable(name, array, given):
    if array.read_only:
        raise ValueError(f"{name} is read-only; pass a writable array")
    for other, there in given.items():
        if array.overlaps(there):
            raise ValueError(f"{name} overlaps {other}; pass another array")
    given[name] = array


def _stream_handle(stream):
    """The handle of a stream of whatever library."""
    if stream is None:
        return 0
    for attribute in ("cuda_stream", "handle", "ptr"):
        stream = getattr(stream, attribute, stream)
    if hasattr(stream, "__cuda_stream__"):
        stream = stream.__cuda_stream__()[1]
    if isinstance(stream, bool) or not isinstance(stream, int):
        raise TypeError(
            f"stream is of type {type(stream).__name__}; pass a stream of PyCUDA, PyTorch "
            "or CuPy, or a handle"
        )
    return stream


def _forward_call(inputs):
    """The call of forward that the inputs ask for, checked as far as no device is needed."""
    arrays = {}
    for name, kind in _INPUTS.items():
        required = name not in _OPTIONAL
        arrays[name] = _input(name, kind, inputs.get(name), required)
    rows = [name for name, kind in _INPUTS.items() if kind == "Row"]
    present = [name for name in rows if arrays[name] is not None]
    if not present:
        raise TypeError(f"each of {', '.join(rows)} is None; pass one of them")
    leading = present[0]
    shape = _row_shape(leading, arrays[leading])
    for name, kind in _INPUTS.items():
        meaning = _PARTS[kind].format(rows=leading)
        _check_shape(name, arrays[name], _part(kind, shape), meaning)
    row_type = arrays[leading].kind
    parameters = [n for n, kind in _INPUTS.items() if kind in ("Feature", "Scalar")]
    typed = [name for name in parameters if isinstance(arrays[name], _Memory)]
    for name in _INPUTS:
        other = typed[0] if name in typed else leading
        _check_type(name, arrays[name], arrays[other].kind, other)
    numbers = any(type(arrays[name]) is float for name in parameters)
    parameter_type = arrays[typed[0]].kind if typed else row_type
    if numbers and not typed:
        parameter_type = _computed(row_type)
    without = tuple(name for name in _OPTIONAL if arrays[name] is None)
    call = _Call("forward", shape, row_type, parameter_type, without, arrays)
    call.row_dtype = arrays[leading].dtype
    return call


def _backward_call(saved, cotangents):
    """The call of backward, checked as far as no device is needed."""
    _check_saved(saved)
    one = len(_OUTPUTS) == 1
    arrays = {}
    for output, kind in _OUTPUTS.items():
        name = f"d{output}"
        arrays[name] = _array(name, cotangents.get(name), required=one)
        meaning = f"the shape of {output}"
        _check_shape(name, arrays[name], _part(kind, saved.shape), meaning)
    absent = tuple(name for name, array in arrays.items() if array is None)
    if len(absent) == len(arrays):
        raise ValueError("every cotangent is None; pass at least one")
    leading = next(n for n, k in _INPUTS.items() if k == "Row" and n in saved.dtypes)
    row_type = _KINDS[saved.dtypes[leading].str]
    types = [
        _KINDS[saved.dtypes[name].str]
        for name, kind in _INPUTS.items()
        if kind in ("Feature", "Scalar") and name in saved.dtypes
    ]
    parameter_type = types[0] if types else row_type
    for name, array in arrays.items():
        _check_type(name, array, row_type, leading)
    without = tuple(name for name in _OPTIONAL if name not in saved.dtypes) + absent
    for name, kind in _SAVED.items():
        value, spelled = getattr(saved, name), f"saved.{name}"
        if kind == "Constant":
            arrays[name] = _constant(spelled, value)
            continue
        arrays[name] = _input(spelled, kind, value, required=name not in _OPTIONAL)
        _check_shape(
            spelled, arrays[name], _part(kind, saved.shape), "what forward saw"
        )
        expected = row_type if kind in ("Row", "RowScalar") else parameter_type
        _check_type(spelled, arrays[name], expected, "what forward saw")
    for name in _ROW_SCALARS:
        array = _array(f"saved.{name}", getattr(saved, name), required=True)
        _check_shape(f"saved.{name}", array, saved.shape[:-1], "what forward saved")
        _check_type(
            f"saved.{name}", array, _KINDS[saved.dtype.str], "what was computed"
        )
        arrays[_saved(name)] = array
    return _Call("backward", saved.shape, row_type, parameter_type, without, arrays)


def _computed(*kinds):
    return "f64" if "f64" in kinds else "f32"


def _saved(name):
    """The row scalar that is saved, beside an input of that name."""
    return f"saved {name}"


class _Call:
    """A call of forward or backward: its arrays by name, and what its kernels are chosen by."""

    def __init__(self, direction, shape, row_type, parameter_type, without, arrays):
        self.direction, self.shape, self.without = direction, shape, without
        self.rows, self.features = prod(shape[:-1]), shape[-1]
        self.row_type, self.parameter_type = row_type, parameter_type
        self.computed = _computed(row_type, parameter_type)
        self.arrays = arrays
        self.given = {n: a for n, a in arrays.items() if isinstance(a, _Memory)}
        self.results = {}

    def saved_bytes(self):
        """What the row scalars take that forward saves, each on a boundary of 256 bytes."""
        return len(_ROW_SCALARS) * _padded(self.rows * _BYTES[self.computed])

    def saved_row_scalars(self, memory):
        """Memory for the row scalars that are saved: pieces of a larger one, or None."""
        dtype, shape = _dtype(self.computed), self.shape[:-1]
        step = _padded(self.rows * _BYTES[self.computed])
        for place, name in enumerate(_ROW_SCALARS):
            piece = (memory.pointer + place * step, memory.owner) if memory else ()
            self.results[_saved(name)] = _Memory.new(shape, dtype, *piece)

    def share(self, names):
        """Let results that are one and the same have one array, but for those in `out`."""
        there = [name for name in names if self.results[name] is not None]
        own = [name for name in there if self.results[name].owner is not None]
        for name in there:
            if name not in own:
                self.results[name] = self.results[(own or there)[0]]

    def take_workspace(self, workspace):
        """The memory that `workspace` is, or None."""
        if workspace is None:
            return None
        memory = _memory("workspace", workspace)
        _check_writable("workspace", memory, self.given)
        if memory.pointer % 16:
            raise ValueError("workspace is not aligned to 16 bytes; pass a new array")
        return memory

    def check_room(self, memory, needed):
        if memory is not None and memory.nbytes < needed:
            raise ValueError(
                f"workspace has {memory.nbytes} bytes and {self.direction} needs {needed}; "
                "workspace_bytes says how many"
            )

    def vectors(self):
        """The arrays that kernels read and write by vectors of entries."""
        kinds = {**_INPUTS, **_SAVED}
        kinds.update({f"d{name}": kind for name, kind in _OUTPUTS.items()})
        wide = [a for n, a in self.arrays.items() if kinds.get(n) in ("Row", "Feature")]
        wide += self.results.values()
        shapes = (self.shape, self.shape[-1:])
        return [a for a in wide if a is not None and a.nbytes and a.shape in shapes]

    @contextmanager
    def on_device(self, stream):
        """Where the call runs: on the device that its arrays are on, in their context."""
        handle = _stream_handle(stream)
        device = _device_of(self.given)
        with device:
            for array in self.given.values():
                if array.stream not in (None, handle or 1):
                    _cuda("cuStreamSynchronize", ctypes.c_void_p(array.stream))
            yield _Work(self, device, stream, handle)


def _padded(size):
    return -(-size // 256) * 256


def _forward(inputs, constants, out, stream, workspace):
    call = _forward_call(inputs)
    for name, value in constants.items():
        call.arrays[name] = _constant(name, value)
    outs = [out] if len(_OUTPUTS) == 1 else _several(out, tuple(_OUTPUTS))
    for (name, kind), given in zip(_OUTPUTS.items(), outs, strict=True):
        shape = _part(kind, call.shape)
        call.results[name] = _result(name, given, shape, call.row_dtype, call.given)
    memory = call.take_workspace(workspace)
    call.check_room(memory, call.saved_bytes())
    call.saved_row_scalars(memory)
    with call.on_device(stream) as work:
        work.allocate()
        if call.rows:
            work.launch("forward")
            work.copy_shared(_SHARED_OUTPUTS)
    outputs = tuple(call.results[name].owner for name in _OUTPUTS)
    saved = {}
    for name, kind in _SAVED.items():
        array = call.results.get(name) or call.arrays[name]
        saved[name] = array.owner if isinstance(array, _Memory) else array
    for name in _ROW_SCALARS:
        saved[name] = call.results[_saved(name)].owner
    dtypes = {
        name: array.dtype for name, array in call.given.items() if name in _INPUTS
    }
    for name in _INPUTS:
        if type(call.arrays[name]) is float:
            dtypes[name] = _dtype(call.parameter_type)
    saved = Saved(call.shape, _dtype(call.computed), dtypes, **saved)
    return outputs, saved


def _backward(saved, cotangents, out, stream, workspace):
    call = _backward_call(saved, cotangents)
    outs = _several(out, tuple(f"d{name}" for name in _INPUTS))
    for (name, kind), given in zip(_INPUTS.items(), outs, strict=True):
        shape, dtype = _part(kind, call.shape), saved.dtypes.get(name)
        result = _result(f"d{name}", given, shape, dtype, call.given)
        call.results[f"d{name}"] = result
    memory = call.take_workspace(workspace)
    for shared in _SHARED_GRADIENTS:
        call.share(shared)
    with call.on_device(stream) as work:
        work.allocate()
        work.zero(_ZERO_GRADIENTS)
        if call.rows:
            work.add_up(memory)
            work.copy_shared(_SHARED_GRADIENTS)
        else:
            work.zero(call.results)
    gradients = [call.results[f"d{name}"] for name in _INPUTS]
    return Gradients(*(None if array is None else array.owner for array in gradients))


_LOCK = threading.RLock()
_DEVICES = {}
_MOST_NUMBERS = 256
_NO_PYCUDA = (
    "the CUDA backend needs PyCUDA: pip install pycuda, with a CUDA toolkit at hand; "
    "without a GPU, the NumPy backend beside this file has the same functions"
)
_NO_DRIVER = (
    "PyCUDA is installed and finds no NVIDIA driver or GPU ({error}); install the driver, "
    "or use the NumPy backend beside this file, which has the same functions"
)


def _pycuda():
    """PyCUDA's driver module, with a driver under it."""
    try:
        import pycuda
    except ImportError as error:
        raise ImportError(_NO_PYCUDA) from error
    try:
        import pycuda.driver
    except ImportError as error:
        raise ImportError(_NO_DRIVER.format(error=error)) from error
    try:
        pycuda.driver.init()
    except pycuda.driver.Error as error:
        raise ImportError(_NO_DRIVER.format(error=error)) from error
    return pycuda.driver


def _cuda(function, *arguments):
    """Call the driver, for what PyCUDA has no call for. Raises RuntimeError if it fails."""
    library = _driver_library()
    code = getattr(library, function)(*arguments)
    if code:
        text = ctypes.c_char_p()
        library.cuGetErrorString(code, ctypes.byref(text))
        words = (text.value or b"unknown error").decode()
        raise RuntimeError(f"{function} failed with error {code}: {words}")


@cache
def _driver_library():
    return ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")


def _device_of(arrays):
    """The device that all arrays are on, in the context that they are used in."""
    driver = _pycuda()
    first = None
    for name, array in arrays.items():
        if not array.nbytes:
            continue
        place = _place(name, array.pointer)
        first = first or (name, *place)
        if place[0] != first[1]:
            raise ValueError(
                f"{name} is on device {place[0]} and {first[0]} on device {first[1]}; "
                "pass both on one"
            )
        if place[1] != first[2] and None not in (place[1], first[2]):
            raise ValueError(
                f"{name} and {first[0]} are of two contexts; allocate both in one"
            )
    name, ordinal, context = first or ("", 0, None)
    with _LOCK:
        return _device(driver, name, ordinal, context)


def _device(driver, name, ordinal, context):
    if (ordinal, None) not in _DEVICES:
        retained = driver.Device(ordinal).retain_primary_context()
        _DEVICES[ordinal, None] = _Device(driver, ordinal, retained)
    primary = _DEVICES[ordinal, None]
    if context in (None, primary.context.handle):
        return primary
    current = ctypes.c_void_p()
    _cuda("cuCtxGetCurrent", ctypes.byref(current))
    if current.value != context:
        raise ValueError(
            f"{name} is of a context that is neither its device's primary one nor "
            "current; make it current, or allocate in the primary context"
        )
    if (ordinal, context) not in _DEVICES:
        _DEVICES[ordinal, context] = _Device(driver, ordinal, None)
    return _DEVICES[ordinal, context]


def _place(name, pointer):
    """The device and the context of an address; None for memory of no single context."""
    ordinal, context = ctypes.c_int(), ctypes.c_void_p()
    library, address = _driver_library(), ctypes.c_uint64(pointer)
    if library.cuPointerGetAttribute(ctypes.byref(ordinal), 9, address):
        raise ValueError(f"{name} is at {pointer:#x}, which is no device's memory")
    failed = library.cuPointerGetAttribute(ctypes.byref(context), 1, address)
    return ordinal.value, None if failed else context.value


class _Device:
    """A device, in its primary context or, where arrays are of another, in the current one.

    The primary context is what PyTorch and CuPy use. It is current only while a call runs.
    """

    def __init__(self, driver, ordinal, context):
        self.driver, self.context = driver, context
        self.modules, self.numbers, self.scratch = {}, {}, {}
        device = driver.Device(ordinal)
        of = driver.device_attribute
        self.architecture = "sm_{}{}".format(*device.compute_capability())
        self.processors = device.get_attribute(of.MULTIPROCESSOR_COUNT)
        self.threads = device.get_attribute(of.MAX_THREADS_PER_MULTIPROCESSOR)
        self.registers = device.get_attribute(of.MAX_REGISTERS_PER_MULTIPROCESSOR)
        self.shared = device.get_attribute(of.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
        self.block_shared = device.get_attribute(of.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)

    def __enter__(self):
        if self.context is not None:
            self.context.push()

    def __exit__(self, *_):
        if self.context is not None:
            self.driver.Context.pop()

    def number(self, value, kind):
        """Where a number stands in device memory, in some type; it is put there once."""
        bits = _entry(value, kind)
        memory = self.numbers.get(bits)
        if memory is None:
            if len(self.numbers) == _MOST_NUMBERS:
                self.numbers.clear()
            memory = self.numbers[bits] = _Allocation(len(bits))
            address = ctypes.c_uint64(memory.pointer)
            _cuda("cuMemcpyHtoD_v2", address, bits, ctypes.c_size_t(len(bits)))
            _cuda("cuCtxSynchronize")
        return memory.pointer

    def scratch_for(self, stream, size):
        """Memory that the calls on a stream share, one after the other."""
        memory = self.scratch.get(stream)
        if memory is None or memory.size < size:
            memory = self.scratch[stream] = _Allocation(size)
        return memory.pointer


class _Allocation:
    """Device memory that is freed with this object, whatever thread that happens in."""

    driver_is_there = True

    def __init__(self, size):
        pointer, self.context = ctypes.c_uint64(), ctypes.c_void_p()
        _cuda("cuCtxGetCurrent", ctypes.byref(self.context))
        _cuda("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        self.pointer, self.size = pointer.value, size

    def __del__(self):
        if self.driver_is_there and hasattr(self, "pointer"):
            library = _driver_library()
            if not library.cuCtxPushCurrent_v2(self.context):
                library.cuMemFree_v2(ctypes.c_uint64(self.pointer))
                library.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


@atexit.register
def _forget_devices():
    """Unload what was loaded while the driver is still there; it takes the memory along."""
    _Allocation.driver_is_there = False
    _DEVICES.clear()


def _entry(value, kind):
    """The bytes of a number in a type, rounded to nearest even."""
    if kind != "bf16":
        return np.array(value, _TYPES[kind]).tobytes()
    bits = int(np.array(value, np.float32).view(np.uint32))
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).to_bytes(2, sys.byteorder)


_LEAST_SHARED = 98304
_THREADS_AT_A_TIME = 1024
"""Threads of a multiprocessor that keep its memory busy; more blocks only add partial sums."""

_FOREIGN = (1, 2, 0)
"""What cuLaunchKernel's list of extras is made of: buffer, its size, the end."""


class _Work:
    """A call where it runs: allocations, launches, copies, all on one stream."""

    def __init__(self, call, device, stream, handle):
        self.call, self.device, self.handle = call, device, handle
        native = stream is None or isinstance(stream, device.driver.Stream)
        self.stream = stream if native else None
        self.foreign = not native
        self.blocks, self.scratch = 0, 0

    def allocate(self):
        """Make a GPUArray of each result that the caller gave no array for."""
        from pycuda.gpuarray import GPUArray

        for array in self.call.results.values():
            if array is None or array.owner is not None:
                continue
            base = array.base
            if array.pointer is None:
                base = _Allocation(array.nbytes) if array.nbytes else None
                array.pointer = base.pointer if base else 0
            array.owner = GPUArray(
                array.shape, array.new_dtype, gpudata=array.pointer, base=base
            )

    def zero(self, names):
        for name in names:
            array = self.call.results[name]
            if array is not None and array.nbytes:
                size = ctypes.c_size_t(array.nbytes)
                address = ctypes.c_uint64(array.pointer)
                _cuda(
                    "cuMemsetD8Async", address, ctypes.c_ubyte(0), size, self._queue()
                )

    def copy_shared(self, groups):
        """Copy a result that several arrays are to hold from the one that kernels wrote."""
        for names in groups:
            there = [self.call.results.get(name) for name in names]
            there = [array for array in there if array is not None and array.nbytes]
            for array in there[1:]:
                if array.pointer != there[0].pointer:
                    size = ctypes.c_size_t(array.nbytes)
                    both = (array.pointer, there[0].pointer)
                    to, source = (ctypes.c_uint64(pointer) for pointer in both)
                    _cuda("cuMemcpyDtoDAsync_v2", to, source, size, self._queue())

    def _queue(self):
        return ctypes.c_void_p(self.handle)

    def launch(self, name):
        """Launch a kernel of the call on its rows."""
        with _LOCK:
            module = self._module()
            kernel = module.kernel(name)
            self.blocks = self.blocks or kernel.groups(self.call)
            self._start(kernel, self.blocks)

    def add_up(self, memory):
        """Launch backward, and the kernel that ends its sums over rows if there are any.

        Calls that share a stream share the partial sums' memory, so both are launched at a
        time.
        """
        with _LOCK:
            needed = self.partial_bytes()
            self.call.check_room(memory, needed)
            if memory is not None:
                self.scratch = memory.pointer
            elif needed:
                self.scratch = self.device.scratch_for(self.handle, needed)
            self.launch("backward")
            if needed:
                kernel = self._module().kernel("backward_columns")
                columns = kernel.rows_per_block
                blocks = -(-self.call.features // columns) if columns else 1
                self._start(kernel, blocks)

    def partial_bytes(self):
        """What the partial sums of backward take, and how many blocks leave some."""
        call = self.call
        with _LOCK:
            kernel = self._module().kernel("backward")
        resident = kernel.blocks_at_a_time(self.device)
        self.blocks = min(kernel.groups(call), self.device.processors * resident)
        if not call.rows or not self._sums_wanted():
            return 0
        columns, scalars = _SUMS
        entries = self.blocks * (columns * call.features + scalars)
        return entries * _BYTES[call.computed]

    def _sums_wanted(self):
        """Whether some gradient is a sum over rows: all may go with inputs left out."""
        parts = _KERNELS.get("backward_columns", ("", ()))[1]
        gradients = [part.split()[1:] for part in parts if part.startswith("out ")]
        inputs = [name.removeprefix("d") for names in gradients for name in names]
        return any(name not in self.call.without for name in inputs)

    def _module(self):
        """The kernels for this call: for vectors if all arrays are aligned to them."""
        module = self.device_module(narrow=False)
        if module.fits(self.call):
            return module
        return self.device_module(narrow=True)

    def device_module(self, narrow):
        call, modules = self.call, self.device.modules
        key = (call.direction, call.features, call.row_type, call.parameter_type)
        key = (*key, call.without, narrow)
        if key not in modules:
            modules[key] = _Module(self.device, call, narrow)
        return modules[key]

    def _result(self, part):
        """The first array of a result, which several names may share."""
        found = (self.call.results.get(name) for name in part.split()[1:])
        return next((array for array in found if array is not None), None)

    def _value(self, part):
        """What is passed for an argument of a kernel."""
        call = self.call
        counts = {"the rows": call.rows, "the features": call.features}
        counts |= {"the blocks": self.blocks, "the workspace": self.scratch}
        if part in counts:
            return counts[part]
        if part.startswith("out "):
            array = self._result(part)
        elif part in call.arrays:
            array = call.arrays[part]
        else:
            array = call.results[part]
        if array is None:
            return 0
        if isinstance(array, _Memory):
            return array.pointer
        if part in _CONSTANTS:
            return array
        return self.device.number(array, call.parameter_type)

    def _start(self, kernel, blocks):
        values = [self._value(part) for part in kernel.parts]
        if self.foreign:
            kernel.launch_foreign(blocks, self.handle, values)
            return
        kernel.function.prepared_async_call(
            (blocks, 1),
            kernel.block,
            self.stream,
            *values,
            shared_size=kernel.shared_bytes,
        )


class _Module:
    """The loaded kernels of a direction, for a row length, types, and inputs left out."""

    def __init__(self, device, call, narrow):
        self.device = device
        self.macros = [
            f"LNGEN_{call.direction.upper()}",
            f"LNGEN_{call.row_type.upper()}",
            f"LNGEN_D={call.features}",
            *(f"LNGEN_WITHOUT_{name}" for name in call.without),
        ]
        if call.parameter_type != call.row_type:
            self.macros.append(f"LNGEN_PARAMETERS={call.parameter_type}")
        if device.block_shared < _LEAST_SHARED:
            self.macros.append(f"LNGEN_SHARED={device.block_shared}")
        if narrow:
            self.macros.append("LNGEN_VECTOR=1")
        self.cubin, self.module = _load(device, self.macros)
        self.kernels = {
            name: _Kernel(self, name, call)
            for name in _KERNELS
            if name.startswith(call.direction)
        }
        vector = self.kernels[call.direction].vector
        types = {call.row_type, call.parameter_type}
        self.alignment = {kind: min(16, vector * _BYTES[kind]) for kind in types}

    def kernel(self, name):
        return self.kernels[name]

    def fits(self, call):
        return all(
            array.pointer % self.alignment[array.kind] == 0 for array in call.vectors()
        )


class _Kernel:
    """A kernel, ready for launching, and what the module says of its launch."""

    def __init__(self, module, name, call):
        driver = module.device.driver
        letters, self.parts = _KERNELS[name]
        self.format = letters.replace("A", "d" if call.computed == "f64" else "f")
        self.name, self.cubin = f"{name}_{call.row_type}", module.cubin
        self.function = module.module.get_function(self.name)
        launch = np.empty(8, np.int32)
        driver.memcpy_dtoh(launch, module.module.get_global(f"{self.name}_launch")[0])
        threads, rows, shared, vector = (int(number) for number in launch[:4])
        self.block, self.rows_per_block = (threads, 1, 1), rows
        self.shared_bytes, self.vector = shared, vector
        if shared > 48 * 1024:
            attribute = driver.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.function.set_attribute(attribute, shared)
        self.function.prepare(self.format)
        self.foreign = None

    def groups(self, call):
        """How many blocks have rows to work on."""
        return min(-(-call.rows // self.rows_per_block), 2**31 - 1)

    def blocks_at_a_time(self, device):
        """How many blocks a multiprocessor holds, as far as more of them are any use."""
        threads = self.block[0]
        registers = -(-max(self.function.num_regs, 1) // 8) * 8 * threads
        limits = (
            min(device.threads, _THREADS_AT_A_TIME) // threads,
            device.registers // registers,
            device.shared // (self.shared_bytes + 1024),
        )
        return max(1, min(limits))

    def launch_foreign(self, blocks, stream, values):
        """Launch on a stream of another library, which PyCUDA cannot wrap."""
        if self.foreign is None:
            self.foreign = self._foreign_function()
        packed = struct.pack(self.format, *values)
        buffer = ctypes.create_string_buffer(packed, len(packed))
        size = ctypes.c_size_t(len(packed))
        pointer, count, end = _FOREIGN
        extra = (ctypes.c_void_p * 5)(
            pointer, ctypes.addressof(buffer), count, ctypes.addressof(size), end
        )
        grid = (ctypes.c_uint(blocks), ctypes.c_uint(1), ctypes.c_uint(1))
        block = tuple(ctypes.c_uint(threads) for threads in self.block)
        shared = ctypes.c_uint(self.shared_bytes)
        queue = ctypes.c_void_p(stream)
        _cuda("cuLaunchKernel", self.foreign, *grid, *block, shared, queue, None, extra)

    def _foreign_function(self):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        _cuda("cuModuleLoadData", ctypes.byref(module), self.cubin)
        name = self.name.encode()
        _cuda("cuModuleGetFunction", ctypes.byref(function), module, name)
        if self.shared_bytes > 48 * 1024:
            shared = ctypes.c_int(self.shared_bytes)
            _cuda("cuFuncSetAttribute", function, 8, shared)
        return function


_compiler_runs = 0
_SOURCE = Path(__file__).with_name("kernels.cu")
_NO_COMPILER = (
    "no compiler for kernels.cu: put nvcc on the PATH, or install NVRTC with "
    "pip install nvidia-cuda-nvrtc nvidia-cuda-runtime"
)


def _load(device, macros):
    """The compiled kernels and the module that PyCUDA makes of them."""
    cubin = _compiled(device.architecture, macros, again=False)
    try:
        return cubin, device.driver.module_from_buffer(cubin)
    except device.driver.Error:
        # What is in the cache may be of another driver, or damaged.
        cubin = _compiled(device.architecture, macros, again=True)
        return cubin, device.driver.module_from_buffer(cubin)


def _compiled(architecture, macros, again):
    """The machine code for an architecture, from the cache unless it is wanted `again`."""
    global _compiler_runs
    source = _SOURCE.read_text(encoding="utf-8")
    compiler = _compiler()
    options = ["-std=c++17", *(f"-D{macro}" for macro in sorted(macros))]
    parts = [source, architecture, *options, compiler.identity()]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    path = _cache_folder() / f"{digest}.cubin"
    if not again:
        with suppress(OSError):
            return path.read_bytes()
    _compiler_runs += 1
    cubin = compiler.compile(source, architecture, options)
    _keep(path, cubin)
    return cubin


def _cache_folder():
    named = os.environ.get("LNGEN_CACHE")
    if named:
        return Path(named).absolute() / "cuda"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "lngen" / "cuda"


def _keep(path, content):
    """Write a file whole or not at all: other processes may be doing the same."""
    new = path.with_name(f".{path.name}.{token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(content)
        new.replace(path)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        warnings.warn(
            f"{path.parent}: {error.strerror or error}; compiled kernels are not kept: "
            "set LNGEN_CACHE to a folder that can be written",
            stacklevel=2,
        )


def _compiler():
    """nvcc if there is one, else NVRTC; $LNGEN_COMPILER names one of the two."""
    wanted = os.environ.get("LNGEN_COMPILER", "")
    if wanted not in ("", "nvcc", "nvrtc"):
        raise ValueError(f'LNGEN_COMPILER is {wanted!r}; set it to "nvcc" or "nvrtc"')
    for name, find in (("nvcc", _find_nvcc), ("nvrtc", _find_nvrtc)):
        if wanted in ("", name) and (found := find()) is not None:
            return _Nvcc(found) if name == "nvcc" else _Nvrtc(*found)
    raise RuntimeError(_NO_COMPILER)


def _toolkits():
    roots = [os.environ.get(key) for key in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT")]
    return [Path(root) for root in (*roots, "/usr/local/cuda") if root]


def _find_nvcc():
    on_path = shutil.which("nvcc")
    if on_path:
        return Path(on_path)
    places = [root / "bin" / "nvcc" for root in _toolkits()]
    return next((place for place in places if place.exists()), None)


def _find_nvrtc():
    """The library and the folder of the half-precision headers, in wheels or a toolkit."""
    packages = [Path(entry) / "nvidia" for entry in sys.path if entry]
    wheels = [
        root
        for folder in packages
        for root in (*sorted(folder.glob("cu[0-9]*"), reverse=True), folder)
    ]
    for root in (*wheels, *_toolkits()):
        library = _first(root, "lib", "lib64", "cuda_nvrtc/lib", name="libnvrtc.so*")
        header = _first(root, "include", "cuda_runtime/include", name="cuda_fp16.h")
        if library and header:
            return library, header.parent
    return None


def _first(root, *folders, name):
    found = (
        path for folder in folders for path in sorted(root.glob(f"{folder}/{name}"))
    )
    return next(found, None)


def _version_of(path, ask):
    """What a compiler says of its version, asked once for each of its files."""
    there = path.resolve()
    state = there.stat()
    key = f"{path.absolute()} {there} {state.st_mtime_ns} {state.st_size}"
    place = _cache_folder() / f"{hashlib.sha256(key.encode()).hexdigest()}.version"
    try:
        return place.read_text(encoding="utf-8")
    except OSError:
        version = ask()
        _keep(place, version.encode())
        return version


class _Nvcc:
    """NVIDIA's compiler, run by PyCUDA."""

    def __init__(self, path):
        self.path = path

    def identity(self):
        return _version_of(self.path, self._ask)

    def _ask(self):
        command = [str(self.path), "--version"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout

    def compile(self, source, architecture, options):
        from pycuda.compiler import compile
        from pycuda.driver import CompileError

        try:
            return compile(
                source,
                nvcc=str(self.path),
                options=options,
                no_extern_c=True,
                arch=architecture,
                cache_dir=False,
            )
        except CompileError as error:
            raise RuntimeError(f"{self.path} refused {_SOURCE}:\n{error}") from error


class _Nvrtc:
    """NVIDIA's run-time compiler, a library."""

    def __init__(self, path, headers):
        self.path, self.headers, self.library = path, headers, None

    def identity(self):
        return _version_of(self.path, self._ask)

    def _ask(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        return f"NVRTC {major.value}.{minor.value}"

    def compile(self, source, architecture, options):
        program = ctypes.c_void_p()
        text, name = source.encode(), str(_SOURCE).encode()
        created = (ctypes.byref(program), text, name, 0, None, None)
        self._call("nvrtcCreateProgram", *created)
        line = [*options, f"--gpu-architecture={architecture}", f"-I{self.headers}"]
        words = (ctypes.c_char_p * len(line))(*(word.encode() for word in line))
        try:
            if self.library.nvrtcCompileProgram(program, len(line), words):
                log = self._bytes(program, "ProgramLog").rstrip(b"\0").decode()
                raise RuntimeError(f"NVRTC refused {_SOURCE}:\n{log}")
            return self._bytes(program, "CUBIN")
        finally:
            self._call("nvrtcDestroyProgram", ctypes.byref(program))

    def _bytes(self, program, what):
        size = ctypes.c_size_t()
        self._call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self._call(f"nvrtcGet{what}", program, buffer)
        return buffer.raw

    def _call(self, function, *arguments):
        if self.library is None:
            self.library = ctypes.CDLL(str(self.path))
        code = getattr(self.library, function)(*arguments)
        if code:
            raise RuntimeError(f"{function} failed with error {code}")
