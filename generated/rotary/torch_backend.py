# Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Rotary position embedding: both halves of a row are turned by the angle of their position.

`rotary` takes tensors, and `Rotary` is a module. A plain call on the processor
runs `cpu_backend` if there is a C++ compiler, else `numpy_backend`. Any other call, and
derivatives beyond the first, are `_decomposed`, which PyTorch differentiates to any order.
"""

import torch

from .._runtime import torch as _torch
from .._runtime.torch import guards as _guards
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
    x, cosine, sine = _LAYER.taken(x, cosine, sine)
    return _decomposed(x, cosine, sine, of_rows=_of_rows)


def _decomposed(x, cosine, sine, of_rows=None):
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
    y_0, y_1 = (_rows if of_rows is None else of_rows)(
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


def _forward(run, kept, a, b, cosine, sine):
    """The outputs by the compiled kernel, then the row scalars if `kept` is None."""
    return run(_cpu._FORWARD, "RRRR+r+r", 1, (), (), kept, a, b, cosine, sine, a, a)


def _backward(run, kept, a, b, cosine, sine, dy_0, dy_1):
    """The gradients by the compiled kernels."""
    made = run(
        _cpu._BACKWARD,
        "RRrr+r+r||RR",
        1,
        (dy_0 is None, dy_1 is None),
        (),
        kept,
        cosine,
        sine,
        dy_0,
        dy_1,
        a,
        b,
        a,
        b,
    )
    if made is None or made is True:
        return made
    da, db = made
    return da, db, None, None


def _of_rows(a, b_, cosine, sine):
    """The outputs as `_rows` has them, by kernels where these alone have a say."""
    if _LAYER.straight and not torch.compiler.is_compiling() and a.itemsize > 2:
        given = (
            _flat("r", a, a),
            _flat("r", b_, a),
            _flat("r", cosine, a),
            _flat("r", sine, a),
        )
        made = _forward(_guards.run, False, *given)
        if made is None:
            given = _guards.dense("RRRR", *given)
            made = _forward(_guards.run, False, *given)
        if made is True:
            return _Recorded.apply(given, a, b_, cosine, sine)
        if made is not None:
            y_0, y_1 = made
            return _beside("r", y_0, a), _beside("r", y_1, a)
    return _LAYER.call(a, b_, cosine, sine)


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, given, a, b_, cosine, sine):
        y_0, y_1, ctx.kept = _forward(_guards.run, None, *given)
        y_0 = _beside("r", y_0, a).detach()
        y_1 = _beside("r", y_1, a).detach()
        ctx.save_for_backward(a, b_, cosine, sine)
        ctx.set_materialize_grads(False)
        return y_0, y_1

    @staticmethod
    def backward(ctx, dy_0, dy_1):
        a, b_, cosine, sine = ctx.saved_tensors
        given = (
            _flat("r", a, a),
            _flat("r", b_, a),
            _flat("r", cosine, a),
            _flat("r", sine, a),
            dy_0 if dy_0 is None else _flat("r", dy_0, a),
            dy_1 if dy_1 is None else _flat("r", dy_1, a),
        )
        found = _backward(_guards.run, ctx.kept, *given)
        if found is None:
            given = _guards.dense("RRRRrr", *given, follows=True)
            found = _backward(_guards.run, ctx.kept, *given)
        if found is None or found is True:
            found = _LAYER.gradients(
                _LAYER, ctx.kept, (a, b_, cosine, sine), (), (dy_0, dy_1)
            )
            return None, *found
        da, db, _, _ = found
        return (
            None,
            _beside("r", da, a),
            _beside("r", db, a).sum_to_size(b_.shape),
            None,
            None,
        )


def _flat(letter, value, like):
    """The rows of an array beside another: r for rows, s for one value a row, f for one a feature."""
    b, h, t, d = like.shape
    if letter == "r":
        return value.expand(b, h, t, d).reshape(b*h*t, d)
    if letter == "s":
        return value.expand(b, h, t, 1).reshape(b*h*t)
    if letter == "f":
        return value.expand(1, 1, 1, d).reshape(d)
    return value


def _beside(letter, value, like):
    """The array beside another of such rows."""
    b, h, t, d = like.shape
    if letter == "r":
        return value.reshape(b, h, t, d)
    if letter == "s":
        return value.reshape(b, h, t, 1)
    if letter == "f":
        return value.reshape(1, 1, 1, d)
    return value


_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0],
    _numpy.INTERFACE,
    _numpy,
    _cpu,
    _torch.Printed(rotary, _rows, _forward, _backward, _flat, _beside),
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
        return rotary(x, cosine, sine)


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
