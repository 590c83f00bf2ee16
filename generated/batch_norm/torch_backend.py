# Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
# definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.

`batch_norm` takes tensors, and `BatchNorm` is a module. A plain call on the processor
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
    "BatchNorm",
    "batch_norm",
]


def batch_norm(
    x: _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    beta: _torch.Tensor | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[_torch.Tensor, _torch.Tensor, _torch.Tensor]:
    """Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.

        mu = mean(x)
        x_centred = x - mu
        var = mean(x_centred**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*x_centred
        y = gamma*xhat + beta

    Args:
        x: an array with the axes n c ....
        gamma: an array with the axes c. If omitted it is 1.
        beta: an array with the axes c. If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, mu, var)` in the type of the first rows. y has an array with the axes n
    c ...; mu has an array with the axes c; var has an array with the axes c. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, gamma, beta = _LAYER.taken(x, gamma, beta)
    return _decomposed(x, gamma, beta, eps, of_rows=_of_rows)


def _decomposed(x, gamma, beta, eps, of_rows=None):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    n, c, *rest = _axes("x", x, "n c ...", 2, True)
    gamma = None if gamma is None else _floats("gamma", gamma, (c,), "(c)")
    beta = None if beta is None else _floats("beta", beta, (c,), "(c)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y, mu, var = (_rows if of_rows is None else of_rows)(
        x.reshape(n, c, _product(rest)),
        None if gamma is None else gamma.reshape(1, c, 1),
        None if beta is None else beta.reshape(1, c, 1),
        eps,
    )
    return y.reshape((n, c, *rest)), mu.reshape((c,)), var.reshape((c,))


def _rows(x, gamma, beta, eps):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, gamma, beta)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    gamma = zero + 1 if gamma is None else gamma.to(dtype)
    beta = zero + 0 if beta is None else beta.to(dtype)
    eps = zero + eps
    mu = torch.mean(x, dim=(0, 2), keepdim=True)  # step 1
    x_shifted = x - mu  # step 2, pass 2: compensation
    mu_residual = torch.mean(x_shifted, dim=(0, 2), keepdim=True)  # step 2, pass 3
    x_centred = x_shifted - mu_residual  # step 2, pass 4: compensation
    var = torch.mean(x_centred**2, dim=(0, 2), keepdim=True)  # step 3
    rstd = torch.rsqrt(var + eps)  # step 4
    y = x_centred*gamma*rstd + beta  # step 6, pass 5: late scales
    return y.to(stored), mu.to(stored), var.to(stored)


def _forward(run, kept, x, gamma, beta, eps):
    """The outputs by the compiled kernel, then the row scalars if `kept` is None."""
    return run(
        _cpu._FORWARD,
        "Rss+r+s+s012",
        1,
        (beta is None, gamma is None),
        (eps,),
        kept,
        x,
        gamma,
        beta,
        x,
        x,
        x,
    )


def _backward(run, kept, x, gamma, beta, dy, dmu, dvar, eps):
    """The gradients by the compiled kernels."""
    return run(
        _cpu._BACKWARD,
        "Rsrss012+r+s+s||s",
        1,
        (beta is None, dmu is None, dvar is None, dy is None, gamma is None),
        (),
        kept,
        x,
        gamma,
        dy,
        dmu,
        dvar,
        x,
        gamma,
        beta,
        beta,
    )


def _of_rows(x, gamma, beta, eps):
    """The outputs as `_rows` has them, by kernels where these alone have a say."""
    if _LAYER.straight and not torch.compiler.is_compiling() and type(eps) is float:
        given = (
            _flat("r", x, x),
            gamma if gamma is None else _flat("s", gamma, x),
            beta if beta is None else _flat("s", beta, x),
        )
        made = _forward(_guards.run, False, *given, eps)
        if made is None:
            given = _guards.dense("Rss", *given)
            made = _forward(_guards.run, False, *given, eps)
        if made is True:
            return _Recorded.apply(given, x, gamma, beta, eps)
        if made is not None:
            y, mu, var = made
            return _beside("r", y, x), _beside("s", mu, x), _beside("s", var, x)
    return _LAYER.call(x, gamma, beta, eps)


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, given, x, gamma, beta, eps):
        y, mu, var, ctx.kept = _forward(_guards.run, None, *given, eps)
        y = _beside("r", y, x).detach()
        mu = _beside("s", mu, x).detach()
        var = _beside("s", var, x).detach()
        ctx.save_for_backward(x, gamma, beta)
        ctx.constants = (eps,)
        ctx.set_materialize_grads(False)
        return y, mu, var

    @staticmethod
    def backward(ctx, dy, dmu, dvar):
        x, gamma, beta = ctx.saved_tensors
        given = (
            _flat("r", x, x),
            gamma if gamma is None else _flat("s", gamma, x),
            beta if beta is None else _flat("s", beta, x),
            dy if dy is None else _flat("r", dy, x),
            dmu if dmu is None else _flat("s", dmu, x),
            dvar if dvar is None else _flat("s", dvar, x),
        )
        found = _backward(_guards.run, ctx.kept, *given, *ctx.constants)
        if found is None:
            given = _guards.dense("Rssrss", *given, follows=True)
            found = _backward(_guards.run, ctx.kept, *given, *ctx.constants)
        if found is None or found is True:
            found = _LAYER.gradients(
                _LAYER, ctx.kept, (x, gamma, beta, *ctx.constants), (), (dy, dmu, dvar)
            )
            return None, *found, None
        dx, dgamma, dbeta = found
        return (
            None,
            _beside("r", dx, x),
            None if gamma is None else _beside("s", dgamma, x).sum_to_size(gamma.shape),
            None if beta is None else _beside("s", dbeta, x).sum_to_size(beta.shape),
            None,
        )


def _flat(letter, value, like):
    """The rows of an array beside another: r for rows, s for one value a row, f for one a feature."""
    n, c, rest = like.shape
    if letter == "r":
        return value.expand(n, c, rest).permute(1, 0, 2).reshape(c, n*rest)
    if letter == "s":
        return value.expand(1, c, 1).permute(1, 0, 2).reshape(c)
    if letter == "f":
        return value.expand(n, 1, rest).permute(1, 0, 2).reshape(n*rest)
    return value


def _beside(letter, value, like):
    """The array beside another of such rows."""
    n, c, rest = like.shape
    if letter == "r":
        return value.reshape(c, n, rest).permute(1, 0, 2).contiguous()
    if letter == "s":
        return value.reshape(c, 1, 1).permute(1, 0, 2)
    if letter == "f":
        return value.reshape(1, n, rest).permute(1, 0, 2)
    return value


_LAYER: _torch.TorchLayer[tuple[_torch.Tensor, _torch.Tensor, _torch.Tensor]] = _torch.TorchLayer(
    __name__.rpartition(".")[0],
    _numpy.INTERFACE,
    _numpy,
    _cpu,
    _torch.Printed(batch_norm, _rows, _forward, _backward, _flat, _beside),
)


class BatchNorm(_torch.Module):
    """`batch_norm` as a module with the parameters gamma and beta.

    Args:
        c: the size of the axis c.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        c: int,
        *,
        gamma: bool = True,
        beta: bool = True,
        eps: float = 1e-5,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(
            {"c": c}, {"gamma": gamma, "beta": beta}, {"eps": eps}, device, dtype
        )

    def forward(
        self, x: _torch.Tensor
    ) -> tuple[_torch.Tensor, _torch.Tensor, _torch.Tensor]:
        """Return `batch_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma, beta = _own["gamma"], _own["beta"]
        except KeyError:  # a parametrized module has attributes instead
            gamma, beta = self.gamma, self.beta
        return batch_norm(x, gamma, beta, eps=self.eps)


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
