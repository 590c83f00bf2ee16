# Made by lngen 0.1.0 from the definition of layer_norm_hw; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm_hw.py and run: lngen derive layer_norm_hw.py
# definition sha256:820341dbb321c98a68dda84fc5e386d68c2212161398163fcba0fbded2818e32
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Layer normalization over two axes, with a scale and a shift for every place.

`layer_norm_hw` takes tensors, and `LayerNormHW` is a module. A plain call on the processor
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
    "LayerNormHW",
    "layer_norm_hw",
]


def layer_norm_hw(
    x: _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    beta: _torch.Tensor | None = None,
    *,
    eps: float = 1e-5,
) -> _torch.Tensor:
    """Layer normalization over two axes, with a scale and a shift for every place.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = gamma*xhat + beta

    Args:
        x: an array with the axes ... h w.
        gamma: an array with the axes h w. If omitted it is 1.
        beta: an array with the axes h w. If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has an array with the axes ... h w. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, gamma, beta = _LAYER.taken(x, gamma, beta)
    return _decomposed(x, gamma, beta, eps, of_rows=_of_rows)


def _decomposed(x, gamma, beta, eps, of_rows=None):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    *rest, h, w = _axes("x", x, "... h w", 2, True)
    gamma = None if gamma is None else _floats("gamma", gamma, (h, w), "(h w)")
    beta = None if beta is None else _floats("beta", beta, (h, w), "(h w)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y = (_rows if of_rows is None else of_rows)(
        x.reshape(_product(rest), h, w),
        None if gamma is None else gamma.reshape(1, h, w),
        None if beta is None else beta.reshape(1, h, w),
        eps,
    )
    return y.reshape((*rest, h, w))


def _rows(x, gamma, beta, eps):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, gamma, beta)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    gamma = zero + 1 if gamma is None else gamma.to(dtype)
    beta = zero + 0 if beta is None else beta.to(dtype)
    eps = zero + eps
    mu = torch.mean(x, dim=(1, 2), keepdim=True)  # step 1
    x_shifted = x - mu  # step 2, pass 1: compensation
    mu_residual = torch.mean(x_shifted, dim=(1, 2), keepdim=True)  # step 2, pass 2
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    var = torch.mean(x_centred**2, dim=(1, 2), keepdim=True)  # step 3
    rstd = torch.rsqrt(var + eps)  # step 4
    xhat = x_centred*rstd  # step 5
    y = xhat*gamma + beta  # step 6
    return y.to(stored)


def _forward(run, kept, x, gamma, beta, eps):
    """The outputs by the compiled kernel, then the row scalars if `kept` is None."""
    return run(
        _cpu._FORWARD,
        "Rff+r012",
        1,
        (beta is None, gamma is None),
        (eps,),
        kept,
        x,
        gamma,
        beta,
        x,
    )


def _backward(run, kept, x, gamma, beta, dy, eps):
    """The gradients by the compiled kernels."""
    return run(
        _cpu._BACKWARD,
        "RR012f+r|f+f+f|f",
        1,
        (beta is None, gamma is None),
        (),
        kept,
        x,
        dy,
        gamma,
        x,
        gamma,
        gamma,
        beta,
        beta,
    )


def _of_rows(x, gamma, beta, eps):
    """The outputs as `_rows` has them, by kernels where these alone have a say."""
    if _LAYER.straight and not torch.compiler.is_compiling() and type(eps) is float:
        given = (
            _flat("r", x, x),
            gamma if gamma is None else _flat("f", gamma, x),
            beta if beta is None else _flat("f", beta, x),
        )
        made = _forward(_guards.run, False, *given, eps)
        if made is None:
            given = _guards.dense("Rff", *given)
            made = _forward(_guards.run, False, *given, eps)
        if made is True:
            return _Recorded.apply(given, x, gamma, beta, eps)
        if made is not None:
            y = made
            return _beside("r", y, x)
    return _LAYER.call(x, gamma, beta, eps)


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, given, x, gamma, beta, eps):
        y, ctx.kept = _forward(_guards.run, None, *given, eps)
        y = _beside("r", y, x).detach()
        ctx.save_for_backward(x, gamma, beta)
        ctx.constants = (eps,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, gamma, beta = ctx.saved_tensors
        given = (
            _flat("r", x, x),
            gamma if gamma is None else _flat("f", gamma, x),
            beta if beta is None else _flat("f", beta, x),
            _flat("r", dy, x),
        )
        found = _backward(_guards.run, ctx.kept, *given, *ctx.constants)
        if found is None:
            given = _guards.dense("RffR", *given, follows=True)
            found = _backward(_guards.run, ctx.kept, *given, *ctx.constants)
        if found is None or found is True:
            found = _LAYER.gradients(
                _LAYER, ctx.kept, (x, gamma, beta, *ctx.constants), (), (dy,)
            )
            return None, *found, None
        dx, dgamma, dbeta = found
        return (
            None,
            _beside("r", dx, x),
            None if gamma is None else _beside("f", dgamma, x).sum_to_size(gamma.shape),
            None if beta is None else _beside("f", dbeta, x).sum_to_size(beta.shape),
            None,
        )


def _flat(letter, value, like):
    """The rows of an array beside another: r for rows, s for one value a row, f for one a feature."""
    rest, h, w = like.shape
    if letter == "r":
        return value.expand(rest, h, w).reshape(rest, h*w)
    if letter == "s":
        return value.expand(rest, 1, 1).reshape(rest)
    if letter == "f":
        return value.expand(1, h, w).reshape(h*w)
    return value


def _beside(letter, value, like):
    """The array beside another of such rows."""
    rest, h, w = like.shape
    if letter == "r":
        return value.reshape(rest, h, w)
    if letter == "s":
        return value.reshape(rest, 1, 1)
    if letter == "f":
        return value.reshape(1, h, w)
    return value


_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0],
    _numpy.INTERFACE,
    _numpy,
    _cpu,
    _torch.Printed(layer_norm_hw, _rows, _forward, _backward, _flat, _beside),
)


class LayerNormHW(_torch.Module):
    """`layer_norm_hw` as a module with the parameters gamma and beta.

    Args:
        h: the size of the axis h.
        w: the size of the axis w.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        h: int,
        w: int,
        *,
        gamma: bool = True,
        beta: bool = True,
        eps: float = 1e-5,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(
            {"h": h, "w": w},
            {"gamma": gamma, "beta": beta},
            {"eps": eps},
            device,
            dtype,
        )

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `layer_norm_hw` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma, beta = _own["gamma"], _own["beta"]
        except KeyError:  # a parametrized module has attributes instead
            gamma, beta = self.gamma, self.beta
        return layer_norm_hw(x, gamma, beta, eps=self.eps)


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
