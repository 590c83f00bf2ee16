# Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Rotary position embedding: both halves of a row are turned by the angle of their position.

`rotary` takes tensors, and `Rotary` is a module. A plain call on the processor
runs `cpu_backend` if there is a C++ compiler, else `numpy_backend`. Any other call, and
derivatives beyond the first, are `_decomposed`, which PyTorch differentiates to any order.
"""

import torch

from .._runtime import torch as _torch
from .._runtime.torch import axes as _named
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "Rotary",
    "rotary",
]


def rotary(
    x: _torch.Tensor, cosine: _torch.Tensor, sine: _torch.Tensor
) -> _torch.Tensor:
    """Rotary position embedding: both halves of a row are turned by the angle of their position.

        a = at(x, s=0)
        b = at(x, s=1)
        y_0 = a*cosine - b*sine
        y_1 = a*sine + b*cosine
        y = join(y_0, y_1)

    Args:
        x: an array with the axes b h t (s d), s of size 2.
        cosine: an array with the axes t d, without a gradient.
        sine: an array with the axes t d, without a gradient.

    Returns y in the type of the first rows. y has an array with the axes b h t (s d), s
    of size 2. The compute type is the widest among the inputs, and float32 for 16-bit
    inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    return _LAYER.call(x, cosine, sine)


def _decomposed(x, cosine, sine):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    b, h, t, s_d = _axes("x", x, "b h t (s d)", 4)
    if s_d % 2:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, and s = {2} does not divide its axis (s d) of {s_d}"
        )
    d = s_d // 2
    cosine = _floats("cosine", cosine, (t, d), "(t d)")
    sine = _floats("sine", sine, (t, d), "(t d)")
    y_0, y_1 = _rows(
        x.reshape(b, h, t, 2, d)[:, :, :, 0],
        x.reshape(b, h, t, 2, d)[:, :, :, 1],
        cosine.reshape(1, 1, t, d),
        sine.reshape(1, 1, t, d),
    )
    return _stack((y_0, y_1), 3).reshape((b, h, t, 2*d))


def _rows(a, b, cosine, sine):
    """The outputs, each line by its step of the derivation."""
    stored = a.dtype
    dtype = _widest(a, b, cosine, sine)
    a = a.to(dtype)
    b = b.to(dtype)
    cosine = cosine.to(dtype)
    sine = sine.to(dtype)
    y_0 = a*cosine - b*sine  # step 1
    y_1 = a*sine + b*cosine  # step 2
    return y_0.to(stored), y_1.to(stored)


_LAYER: _named.TorchAxes[_torch.Tensor] = _named.TorchAxes(
    __name__.rpartition(".")[0], _numpy.INTERFACE, _numpy, _cpu, _decomposed
)


class Rotary(_torch.Module):
    """`rotary` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__({}, {}, {}, None, None)

    def forward(
        self, x: _torch.Tensor, cosine: _torch.Tensor, sine: _torch.Tensor
    ) -> _torch.Tensor:
        """Return `rotary` of the arguments."""
        return _LAYER.call(x, cosine, sine)


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


def _stack(parts, axis):
    return torch.stack(parts, axis)
