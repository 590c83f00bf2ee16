# Made by lngen 0.1.0 from the definition of ada_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm.py and run: lngen derive ada_layer_norm.py
# definition sha256:4511546d4270dc6e00be6c536336d723e2d3fc56b8a52577643353e5bd4ccb6f
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Layer normalization with a scale and a shift for each sample.

`ada_layer_norm` takes tensors, and `AdaLayerNorm` is a module. A plain call on the processor
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
    "AdaLayerNorm",
    "ada_layer_norm",
]


def ada_layer_norm(
    x: _torch.Tensor,
    scale: _torch.Tensor | None = None,
    shift: _torch.Tensor | None = None,
    *,
    eps: float = 1e-6,
) -> _torch.Tensor:
    """Layer normalization with a scale and a shift for each sample.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = shift + xhat*(1 + scale)

    Args:
        x: an array with the axes b ... d.
        scale: an array with the axes b d. If omitted it is 0.
        shift: an array with the axes b d. If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has an array with the axes b ... d. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, scale, shift = _LAYER.taken(x, scale, shift)
    return _decomposed(x, scale, shift, eps, of_rows=_of_rows)


def _decomposed(x, scale, shift, eps, of_rows=None):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    b, *rest, d = _axes("x", x, "b ... d", 2, True)
    scale = None if scale is None else _floats("scale", scale, (b, d), "(b d)")
    shift = None if shift is None else _floats("shift", shift, (b, d), "(b d)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y = (_rows if of_rows is None else of_rows)(
        x.reshape(b, _product(rest), d),
        None if scale is None else scale.reshape(b, 1, d),
        None if shift is None else shift.reshape(b, 1, d),
        eps,
    )
    return y.reshape((b, *rest, d))


def _rows(x, scale, shift, eps):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, scale, shift)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    scale = zero + 0 if scale is None else scale.to(dtype)
    shift = zero + 0 if shift is None else shift.to(dtype)
    eps = zero + eps
    mu = torch.mean(x, dim=2, keepdim=True)  # step 1
    x_shifted = x - mu  # step 2, pass 1: compensation
    mu_residual = torch.mean(x_shifted, dim=2, keepdim=True)  # step 2, pass 2
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    var = torch.mean(x_centred**2, dim=2, keepdim=True)  # step 3
    rstd = torch.rsqrt(var + eps)  # step 4
    xhat = x_centred*rstd  # step 5
    y = shift + (scale + 1)*xhat  # step 6
    return y.to(stored)


def _forward(run, kept, x, scale, shift, eps):
    """The outputs by the compiled kernel, then the row scalars if `kept` is None."""
    return run(
        _cpu._FORWARD,
        "Rrr+r012",
        1,
        (scale is None, shift is None),
        (eps,),
        kept,
        x,
        scale,
        shift,
        x,
    )


def _backward(run, kept, x, scale, shift, dy, eps):
    """The gradients by the compiled kernels."""
    return run(
        _cpu._BACKWARD,
        "RrR012+r+r+r||r",
        1,
        (scale is None, shift is None),
        (),
        kept,
        x,
        scale,
        dy,
        x,
        scale,
        shift,
        shift,
    )


def _of_rows(x, scale, shift, eps):
    """The outputs as `_rows` has them, by kernels where these alone have a say."""
    if (
        _LAYER.straight
        and not torch.compiler.is_compiling()
        and x.itemsize > 2
        and type(eps) is float
    ):
        given = (
            _flat("r", x, x),
            scale if scale is None else _flat("r", scale, x),
            shift if shift is None else _flat("r", shift, x),
        )
        made = _forward(_guards.run, False, *given, eps)
        if made is None:
            given = _guards.dense("Rrr", *given)
            made = _forward(_guards.run, False, *given, eps)
        if made is True:
            return _Recorded.apply(given, x, scale, shift, eps)
        if made is not None:
            y = made
            return _beside("r", y, x)
    return _LAYER.call(x, scale, shift, eps)


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, given, x, scale, shift, eps):
        y, ctx.kept = _forward(_guards.run, None, *given, eps)
        y = _beside("r", y, x).detach()
        ctx.save_for_backward(x, scale, shift)
        ctx.constants = (eps,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, scale, shift = ctx.saved_tensors
        given = (
            _flat("r", x, x),
            scale if scale is None else _flat("r", scale, x),
            shift if shift is None else _flat("r", x, x),
            _flat("r", dy, x),
        )
        found = _backward(_guards.run, ctx.kept, *given, *ctx.constants)
        if found is None:
            given = _guards.dense("RrrR", *given, follows=True)
            found = _backward(_guards.run, ctx.kept, *given, *ctx.constants)
        if found is None or found is True:
            found = _LAYER.gradients(
                _LAYER, ctx.kept, (x, scale, shift, *ctx.constants), (), (dy,)
            )
            return None, *found, None
        dx, dscale, dshift = found
        return (
            None,
            _beside("r", dx, x),
            None if scale is None else _beside("r", dscale, x).sum_to_size(scale.shape),
            None if shift is None else _beside("r", dshift, x).sum_to_size(shift.shape),
            None,
        )


def _flat(letter, value, like):
    """The rows of an array beside another: r for rows, s for one value a row, f for one a feature."""
    b, rest, d = like.shape
    if letter == "r":
        return value.expand(b, rest, d).reshape(b*rest, d)
    if letter == "s":
        return value.expand(b, rest, 1).reshape(b*rest)
    if letter == "f":
        return value.expand(1, 1, d).reshape(d)
    return value


def _beside(letter, value, like):
    """The array beside another of such rows."""
    b, rest, d = like.shape
    if letter == "r":
        return value.reshape(b, rest, d)
    if letter == "s":
        return value.reshape(b, rest, 1)
    if letter == "f":
        return value.reshape(1, 1, d)
    return value


_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0],
    _numpy.INTERFACE,
    _numpy,
    _cpu,
    _torch.Printed(ada_layer_norm, _rows, _forward, _backward, _flat, _beside),
)


class AdaLayerNorm(_torch.Module):
    """`ada_layer_norm` as a module without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
    """

    _layer = _LAYER

    def __init__(self, *, eps: float = 1e-6) -> None:
        super().__init__({}, {}, {"eps": eps}, None, None)

    def forward(
        self,
        x: _torch.Tensor,
        scale: _torch.Tensor | None = None,
        shift: _torch.Tensor | None = None,
    ) -> _torch.Tensor:
        """Return `ada_layer_norm` of the arguments and the parameters of the module."""
        return ada_layer_norm(x, scale, shift, eps=self.eps)


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
