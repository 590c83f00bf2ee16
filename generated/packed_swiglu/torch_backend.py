# Made by lngen 0.1.0 from the definition of packed_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
# definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""SwiGLU of a gate and a value that lie side by side in one array.

`packed_swiglu` takes tensors, and `PackedSwiglu` is a module. A plain call on the processor
runs `cpu_backend` if there is a C++ compiler, else `numpy_backend`. Any other call, and
derivatives beyond the first, are `_decomposed`, which PyTorch differentiates to any order.
"""

import math

import torch

from .._runtime import torch as _torch
from .._runtime.torch import axes as _named
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
    return _LAYER.call(x)


def _decomposed(x):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    *rest, s_d = _axes("x", x, "... (s d)", 1, True)
    if s_d % 2:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, and s = {2} does not divide its axis (s d) of {s_d}"
        )
    d = s_d // 2
    y = _rows(
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


_LAYER: _named.TorchAxes[_torch.Tensor] = _named.TorchAxes(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu, _decomposed
)


class PackedSwiglu(_torch.Module):
    """`packed_swiglu` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__({}, {}, {}, None, None)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `packed_swiglu` of the arguments."""
        return _LAYER.call(x)


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
