# Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
# definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.

`batch_norm` takes tensors, and `BatchNorm` is a module. A plain call on the processor
runs the kernels of kernels.cpp, which a C++ compiler makes on first use. Other calls on
the processor go by `_LAYER.call`: kernels after a conversion, for mixed types and numbers
that are no floats, and an operator of them in `torch.compile` and autocast. A plain call
on a GPU launches the kernels of triton_kernels.py, and so does a program that is compiled
for one. On other devices, in all else on a GPU, in `vmap` and `torch.func`, and where
derivatives are differentiated, `_decomposed` computes.
"""

import math

import torch

from .._runtime import torch as _torch
from .._runtime.torch import gpu as _gpu
from .._runtime.torch import guards as _guards

__all__ = [
    "BatchNorm",
    "batch_norm",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


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

    Returns `(y, mu, var)` in the type of x. y is an array with the axes n c ...; mu is
    an array with the axes c; var is an array with the axes c. The compute type is the
    widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, gamma, beta = _LAYER.taken(x, gamma, beta)
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(eps) is float
        and 0 <= eps < _INFINITE
    ):
        given = _rows_of(x, gamma, beta)
        kept = None if _guards.is_recorded((x, gamma, beta)) else True
        made = given and _forward(_guards.run, kept, eps, *given)
        if made is not None:
            y, mu, var, kept = made
            return (
                _outputs(y, mu, var, x, gamma, beta)
                if kept is None
                else _Recorded.apply(made, x, gamma, beta, eps)
            )
    return _LAYER.call(x, gamma, beta, eps)


def _decomposed(x, gamma, beta, eps):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    n, c, *rest = _axes("x", x, "n c ...", 2, True)
    gamma = None if gamma is None else _floats("gamma", gamma, (c,), "(c)")
    beta = None if beta is None else _floats("beta", beta, (c,), "(c)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y, mu, var = _rows(
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


def _forward(run, kept, eps, D, x, gamma, beta):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row; a capital has to be there. Behind + is a result, of the shape and type of
    the tensor that is passed for it; a digit is a row scalar. A bar begins what the
    kernel of sums reads, another what neither kernel does. The number behind the
    form is the least D.
    """
    return run(
        _FORWARD,
        "=Rss+r+s+s012",
        D,
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


def _backward(run, kept, _eps, D, x, gamma, beta, dy, dmu, dvar):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "=Rsrss012+r+s+s||s",
        D,
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


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, gamma, beta, eps):
        y, mu, var, ctx.kept = made
        y, mu, var = _outputs(y, mu, var, x, gamma, beta)
        ctx.save_for_backward(x, gamma, beta)
        ctx.numbers = (eps,)
        ctx.set_materialize_grads(False)
        return y, mu, var

    @staticmethod
    def backward(ctx, dy, dmu, dvar):
        x, gamma, beta = ctx.saved_tensors
        (eps,) = ctx.numbers
        found = None
        if not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, gamma, beta, dy, dmu, dvar)
            found = _backward(_guards.run, ctx.kept, eps, *given)
        if found is None:
            found = _LAYER.gradients(
                ctx.kept, (x, gamma, beta, eps), (), (dy, dmu, dvar)
            )
            return None, *found, None
        return None, *_gradients(*found, x, gamma, beta), None


def _rows_of(x, gamma, beta):
    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""
    if x.ndim < 2:
        return None
    n, c, *rest = x.shape
    entries = _product(rest)
    if gamma is not None and gamma.shape != (c,):
        return None
    if beta is not None and beta.shape != (c,):
        return None
    return (
        n*entries,
        x.detach().reshape(n, c, entries).permute(1, 0, 2).contiguous(),
        None if gamma is None else gamma.contiguous(),
        None if beta is None else beta.contiguous(),
    )


def _pulled_rows(x, gamma, beta, dy, dmu, dvar):
    """D, and what the kernels of backward take, of arrays."""
    n, c, *rest = x.shape
    entries = _product(rest)
    first = x.detach().reshape(n, c, entries).permute(1, 0, 2).contiguous()
    return (
        n*entries,
        first,
        None if gamma is None else gamma.contiguous(),
        None if beta is None else beta.contiguous(),
        None if dy is None else dy.reshape(n, c, entries).permute(1, 0, 2).contiguous(),
        None if dmu is None else dmu.contiguous(),
        None if dvar is None else dvar.contiguous(),
    )


def _outputs(y, mu, var, x, gamma, beta):
    """The outputs as callers have them."""
    n, c, *rest = x.shape
    return (
        y.reshape(c, n, _product(rest)).permute(1, 0, 2).contiguous().reshape(
            (n, c, *rest)
        ).detach(),
        mu.reshape((c,)).detach(),
        var.reshape((c,)).detach(),
    )


def _gradients(dx, dgamma, dbeta, x, gamma, beta):
    """The gradients of inputs as callers have these."""
    n, c, *rest = x.shape
    return (
        dx.reshape(c, n, _product(rest)).permute(1, 0, 2).contiguous().reshape(x.shape),
        dgamma,
        dbeta,
    )


def _forward_on_gpu(kernels, save, x, gamma, beta, eps):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    n, c, *rest = _axes("x", x, "n c ...", 2, True)
    gamma = None if gamma is None else _floats("gamma", gamma, (c,), "(c)")
    beta = None if beta is None else _floats("beta", beta, (c,), "(c)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = n*_product(rest)
    rows = c
    kind = _widest(x, gamma, beta)
    y = x.new_empty((n, c, *rest))
    mu = x.new_empty((c,))
    var = x.new_empty((c,))
    mu_saved = x.new_empty(rows, dtype=kind) if save else None
    mu_residual = x.new_empty(rows, dtype=kind) if save else None
    rstd = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(n, c, _product(rest))
    x_strides = _gpu.strides(x_rows, 1, 0, 2)
    gamma_rows = None if gamma is None else gamma.reshape(c)
    gamma_strides = _gpu.strides(gamma_rows, 0)
    beta_rows = None if beta is None else beta.reshape(c)
    beta_strides = _gpu.strides(beta_rows, 0)
    y_rows = y.view(n, c, _product(rest))
    y_strides = _gpu.strides(y_rows, 1, 0, 2)
    mu_rows = mu.view(c)
    mu_strides = _gpu.strides(mu_rows, 0)
    var_rows = var.view(c)
    var_strides = _gpu.strides(var_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.batch_norm_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        gamma_rows,
        beta_rows,
        float(eps),
        y_rows,
        mu_rows,
        var_rows,
        mu_saved,
        mu_residual,
        rstd,
        *x_strides,
        *gamma_strides,
        *beta_strides,
        *y_strides,
        *mu_strides,
        *var_strides,
        _product(rest),
        rows,
        D,
        beta is not None,
        gamma is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y, mu, var), (mu_saved, mu_residual, rstd)


def _backward_on_gpu(kernels, saved, x, gamma, beta, eps, dy, dmu, dvar):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    n, c, *rest = x.shape
    D = n*_product(rest)
    rows = c
    kind = _widest(x, gamma, beta)
    mu_saved, mu_residual, rstd = saved
    dx = _gpu.room((n, c, *rest), x)
    dgamma = _gpu.room((c,), gamma)
    dbeta = _gpu.room((c,), beta)
    x_rows = x.reshape(n, c, _product(rest))
    x_strides = _gpu.strides(x_rows, 1, 0, 2)
    gamma_rows = None if gamma is None else gamma.reshape(c)
    gamma_strides = _gpu.strides(gamma_rows, 0)
    dy_rows = None if dy is None else dy.reshape(n, c, _product(rest))
    dy_strides = _gpu.strides(dy_rows, 1, 0, 2)
    dmu_rows = None if dmu is None else dmu.reshape(c)
    dmu_strides = _gpu.strides(dmu_rows, 0)
    dvar_rows = None if dvar is None else dvar.reshape(c)
    dvar_strides = _gpu.strides(dvar_rows, 0)
    dx_rows = dx.view(n, c, _product(rest))
    dx_strides = _gpu.strides(dx_rows, 1, 0, 2)
    dgamma_rows = None if dgamma is None else dgamma.view(c)
    dgamma_strides = _gpu.strides(dgamma_rows, 0)
    dbeta_rows = None if dbeta is None else dbeta.view(c)
    dbeta_strides = _gpu.strides(dbeta_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.batch_norm_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        gamma_rows,
        dy_rows,
        dmu_rows,
        dvar_rows,
        mu_saved,
        mu_residual,
        rstd,
        dx_rows,
        dgamma_rows,
        dbeta_rows,
        *x_strides,
        *gamma_strides,
        *dy_strides,
        *dmu_strides,
        *dvar_strides,
        *dx_strides,
        *dgamma_strides,
        *dbeta_strides,
        _product(rest),
        rows,
        D,
        beta is not None,
        dmu is not None,
        dvar is not None,
        dy is not None,
        gamma is not None,
        _gpu.real(kind),
        _gpu.even(D),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx, dgamma, dbeta)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__, "kernels", "batch_norm_forward", optional=("beta", "gamma")
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "batch_norm_backward",
    optional=("beta", "dmu", "dvar", "dy", "gamma"),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[tuple[_torch.Tensor, _torch.Tensor, _torch.Tensor]] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        batch_norm,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
        rows=_rows_of,
        pulled_rows=_pulled_rows,
        outputs=_outputs,
        gradients=_gradients,
    ),
    inputs={"x": "R", "gamma": "s", "beta": "s"},
    outputs={"y": "r", "mu": "s", "var": "s"},
    rows=("x",),
    constants={"eps": False},
    scalars=3,
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
    _theirs = (("weight", "gamma"), ("bias", "beta"))
    _arguments = (("num_features", "c"),)

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
        super().__init__(c=_torch.size("c", c))
        self._parameter("gamma", gamma, (c,), 1, device, dtype)
        self._parameter("beta", beta, (c,), 0, device, dtype)
        self.eps = self._constant("eps", eps, False)

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
        made, given = tuple(value.shape), tuple(shape)
        problem = f"{name} has shape {made}; pass {axes}, which is {given}"
        if isinstance(value, torch.nn.Parameter):
            problem = f"the rows have {axes} of {given}, and the layer was made for {made}, the shape of its {name}"
            problem += "; pass rows that it was made for"
        raise ValueError(problem)
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
