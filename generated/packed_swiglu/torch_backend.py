# Made by lngen 0.1.0 from the definition of packed_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
# definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""SwiGLU of a gate and a value that lie side by side in one array.

`packed_swiglu` takes tensors, and `PackedSwiglu` is a module. A plain call on the processor
runs `cpu_backend` if there is a C++ compiler, else `numpy_backend`. Any other call, and
derivatives beyond the first, are `_decomposed`, which PyTorch differentiates to any order.
"""

import math

import torch

from .._runtime import torch as _torch
from .._runtime.torch import guards as _guards
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "PackedSwiglu",
    "packed_swiglu",
]


def packed_swiglu(x: _torch.Tensor) -> _torch.Tensor:
    """SwiGLU of a gate and a value that lie side by side in one array.

        gate = at(x, s=0)
        value = at(x, s=1)
        sigmoid_gate = sigmoid(gate)
        silu_gate = gate*sigmoid_gate
        y = silu_gate*value

    Args:
        x: an array with the axes ... (s d), s of size 2.

    Returns y in the type of the first rows. y has an array with the axes ... d. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, = _LAYER.taken(x)
    return _decomposed(x, of_rows=_of_rows)


def _decomposed(x, of_rows=None):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    *rest, s_d = _axes("x", x, "... (s d)", 1, True)
    if s_d % 2:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, and s = {2} does not divide its axis (s d) of {s_d}"
        )
    d = s_d // 2
    y = (_rows if of_rows is None else of_rows)(
        x.reshape(_product(rest), 2, d)[:, 0], x.reshape(_product(rest), 2, d)[:, 1]
    )
    return y.reshape((*rest, d))


def _rows(gate, value):
    """The outputs, each line by its step of the derivation."""
    stored = gate.dtype
    dtype = _widest(gate, value)
    gate = gate.to(dtype)
    value = value.to(dtype)
    sigmoid_gate = torch.sigmoid(gate)  # step 1
    silu_gate = gate*sigmoid_gate  # step 2
    y = silu_gate*value  # step 3
    return y.to(stored)


def _forward(run, kept, gate, value):
    """The outputs by the compiled kernel, then the row scalars if `kept` is None."""
    return run(_cpu._FORWARD, "RR+r", 1, (), (), kept, gate, value, gate)


def _backward(run, kept, gate, value, dy):
    """The gradients by the compiled kernels."""
    return run(_cpu._BACKWARD, "RRR+r+r", 1, (), (), kept, gate, value, dy, gate, value)


def _of_rows(gate, value_):
    """The outputs as `_rows` has them, by kernels where these alone have a say."""
    if _LAYER.straight and not torch.compiler.is_compiling() and gate.itemsize > 2:
        given = (_flat("r", gate, gate), _flat("r", value_, gate))
        made = _forward(_guards.run, False, *given)
        if made is None:
            given = _guards.dense("RR", *given)
            made = _forward(_guards.run, False, *given)
        if made is True:
            return _Recorded.apply(given, gate, value_)
        if made is not None:
            y = made
            return _beside("r", y, gate)
    return _LAYER.call(gate, value_)


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, given, gate, value_):
        y, ctx.kept = _forward(_guards.run, None, *given)
        y = _beside("r", y, gate).detach()
        ctx.save_for_backward(gate, value_)
        return y

    @staticmethod
    def backward(ctx, dy):
        gate, value_ = ctx.saved_tensors
        given = (_flat("r", gate, gate), _flat("r", value_, gate), _flat("r", dy, gate))
        found = _backward(_guards.run, ctx.kept, *given)
        if found is None:
            given = _guards.dense("RRR", *given, follows=True)
            found = _backward(_guards.run, ctx.kept, *given)
        if found is None or found is True:
            found = _LAYER.gradients(_LAYER, ctx.kept, (gate, value_), (), (dy,))
            return None, *found
        dgate, dvalue = found
        return (
            None,
            _beside("r", dgate, gate),
            _beside("r", dvalue, gate).sum_to_size(value_.shape),
        )


def _flat(letter, value, like):
    """The rows of an array beside another: r for rows, s for one value a row, f for one a feature."""
    rest, d = like.shape
    if letter == "r":
        return value.expand(rest, d).reshape(rest, d)
    if letter == "s":
        return value.expand(rest, 1).reshape(rest)
    if letter == "f":
        return value.expand(1, d).reshape(d)
    return value


def _beside(letter, value, like):
    """The array beside another of such rows."""
    rest, d = like.shape
    if letter == "r":
        return value.reshape(rest, d)
    if letter == "s":
        return value.reshape(rest, 1)
    if letter == "f":
        return value.reshape(1, d)
    return value


_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0],
    _numpy.INTERFACE,
    _numpy,
    _cpu,
    _torch.Printed(packed_swiglu, _rows, _forward, _backward, _flat, _beside),
)


class PackedSwiglu(_torch.Module):
    """`packed_swiglu` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__({}, {}, {}, None, None)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `packed_swiglu` of the arguments."""
        return packed_swiglu(x)


def _floats(name, value, shape=None, axes=""):
    """A tensor of floats, of a shape if one is given."""
    if value.dtype not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        wanted = f"pass float16, bfloat16, float32 or float64, as {name}.float()"
        raise TypeError(f"{name} is of type {value.dtype}; {wanted}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {tuple(value.shape)}; pass {axes}, which is {tuple(shape)}")
    return value


def _widest(*tensors):
    """The widest type of the inputs, or float32."""
    dtype = torch.float32
    for each in tensors:
        dtype = dtype if each is None else torch.promote_types(dtype, each.dtype)
    return dtype


def _axes(name, value, pattern, count, more=False):
    """The sizes of the axes of a tensor, of which there are so many, or more."""
    if value.ndim < count or (value.ndim > count and not more):
        raise ValueError(f"{name} has shape {tuple(value.shape)}; pass an array with the axes {pattern}")
    return value.shape


def _product(sizes):
    return math.prod(sizes)
