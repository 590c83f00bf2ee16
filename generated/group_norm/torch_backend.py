# Made by lngen 0.1.0 from the definition of group_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit group_norm.py and run: lngen derive group_norm.py
# definition sha256:be4c9f62e3e8e6c0a826c4f67f932375a07108af33c5786692cdce4563a49dbf
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Group normalization: each row is the channels of a group, with all that lies behind them.

`group_norm` takes tensors, and `GroupNorm` is a module. A plain call on the processor
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
    "GroupNorm",
    "group_norm",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def group_norm(
    x: _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    beta: _torch.Tensor | None = None,
    *,
    eps: float = 1e-5,
    g: int = 32,
) -> _torch.Tensor:
    """Group normalization: each row is the channels of a group, with all that lies behind them.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = beta + gamma*xhat

    Args:
        x: an array with the axes n (g c) ....
        gamma: an array with the axes (g c). If omitted it is 1.
        beta: an array with the axes (g c). If omitted it is 0.
        eps: a constant, a finite number of 0 or more.
        g: the number of parts of the axis (g c).

    Returns y in the type of the first rows. y is an array with the axes n (g c) ....
    The compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, gamma, beta = _LAYER.taken(x, gamma, beta)
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and x.itemsize > 2
        and type(g) is int
        and type(eps) is float
        and 0 <= eps < _INFINITE
    ):
        given = _rows_of(x, gamma, beta, g)
        kept = None if _guards.is_recorded((x, gamma, beta)) else True
        made = given and _forward(_guards.run, kept, eps, *given)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, gamma, beta, eps, g)
    return _LAYER.call(x, gamma, beta, eps, g)


def _decomposed(x, gamma, beta, eps, g):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    g = _size("g", g)
    x = _floats("x", x)
    n, g_c, *rest = _axes("x", x, "n (g c) ...", 2, True)
    if g_c % g:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, and g = {g} does not divide its axis (g c) of {g_c}"
        )
    c = g_c // g
    gamma = None if gamma is None else _floats("gamma", gamma, (g*c,), "(g c)")
    beta = None if beta is None else _floats("beta", beta, (g*c,), "(g c)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y = _rows(
        x.reshape(n, g, c, _product(rest)),
        None if gamma is None else gamma.reshape(1, g, c, 1),
        None if beta is None else beta.reshape(1, g, c, 1),
        eps,
    )
    return y.reshape((n, g*c, *rest))


def _rows(x, gamma, beta, eps):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, gamma, beta)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    gamma = zero + 1 if gamma is None else gamma.to(dtype)
    beta = zero + 0 if beta is None else beta.to(dtype)
    eps = zero + eps
    mu = torch.mean(x, dim=(2, 3), keepdim=True)  # step 1
    x_shifted = x - mu  # step 2, pass 1: compensation
    mu_residual = torch.mean(x_shifted, dim=(2, 3), keepdim=True)  # step 2, pass 2
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    var = torch.mean(x_centred**2, dim=(2, 3), keepdim=True)  # step 3
    rstd = torch.rsqrt(var + eps)  # step 4
    xhat = x_centred*rstd  # step 5
    y = beta + gamma*xhat  # step 6
    return y.to(stored)


def _forward(run, kept, eps, D, starts_g_c, x, gamma, beta):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, c has one for
    each run of a row; a capital has to be there, * lies where a table says. Behind
    + is a result, of the shape and type of the tensor that is passed for it; a
    digit is a row scalar. A bar begins what the kernel of sums reads, another what
    neither kernel does. The number behind the form is the least D.
    """
    return run(
        _FORWARD,
        "=R*c*c+r012",
        D,
        (beta is None, gamma is None),
        (eps,),
        kept,
        x,
        gamma,
        starts_g_c,
        beta,
        starts_g_c,
        x,
    )


def _backward(run, kept, _eps, D, starts_g_c, x, gamma, beta, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "=R*cR012+r+c+c||*c",
        D,
        (beta is None, gamma is None),
        (),
        kept,
        x,
        gamma,
        starts_g_c,
        dy,
        x,
        gamma,
        beta,
        beta,
        starts_g_c,
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, gamma, beta, eps, g):
        y, ctx.kept = made
        ctx.save_for_backward(x, gamma, beta)
        ctx.numbers = (eps, g)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, gamma, beta = ctx.saved_tensors
        eps, g = ctx.numbers
        found = None
        if x.itemsize > 2 and not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, gamma, beta, dy, g)
            found = _backward(_guards.run, ctx.kept, eps, *given)
        if found is None:
            found = _LAYER.gradients(ctx.kept, (x, gamma, beta, eps, g), (), (dy,))
            return None, *found, None, None
        return None, *_gradients(*found, x, gamma, beta, g), None, None


def _rows_of(x, gamma, beta, g):
    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""
    if x.ndim < 2 or g < 1:
        return None
    n, g_c, *rest = x.shape
    entries = _product(rest)
    if g_c % g:
        return None
    c = g_c // g
    if gamma is not None and gamma.shape != (g*c,):
        return None
    if beta is not None and beta.shape != (g*c,):
        return None
    starts_g_c = _guards.starts(entries, (n, g), (0, c))
    return (
        c*entries,
        starts_g_c,
        x.contiguous(),
        None if gamma is None else gamma.contiguous(),
        None if beta is None else beta.contiguous(),
    )


def _pulled_rows(x, gamma, beta, dy, g):
    """D, and what the kernels of backward take, of arrays."""
    n, g_c, *rest = x.shape
    entries = _product(rest)
    c = g_c // g
    first = x.contiguous()
    starts_g_c = _guards.starts(entries, (n, g), (0, c))
    return (
        c*entries,
        starts_g_c,
        first,
        None if gamma is None else gamma.contiguous(),
        None if beta is None else beta.contiguous(),
        dy.contiguous(),
    )


def _gradients(dx, dgamma, dbeta, x, gamma, beta, g):
    """The gradients of inputs as callers have these."""
    n, g_c, *_ = x.shape
    c = g_c // g
    return (
        dx,
        None if gamma is None else dgamma.reshape(n, g*c).sum(0),
        None if beta is None else dbeta.reshape(n, g*c).sum(0),
    )


def _forward_on_gpu(kernels, save, x, gamma, beta, eps, g):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    g = _size("g", g)
    x = _floats("x", x)
    n, g_c, *rest = _axes("x", x, "n (g c) ...", 2, True)
    if g_c % g:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, and g = {g} does not divide its axis (g c) of {g_c}"
        )
    c = g_c // g
    gamma = None if gamma is None else _floats("gamma", gamma, (g*c,), "(g c)")
    beta = None if beta is None else _floats("beta", beta, (g*c,), "(g c)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = c*_product(rest)
    rows = n*g
    kind = _widest(x, gamma, beta)
    y = x.new_empty((n, g*c, *rest))
    mu = x.new_empty(rows, dtype=kind) if save else None
    mu_residual = x.new_empty(rows, dtype=kind) if save else None
    rstd = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(n, g, c*_product(rest))
    x_strides = _gpu.strides(x_rows, 0, 1, 2)
    gamma_rows = None if gamma is None else gamma.reshape(g, c)
    gamma_strides = _gpu.strides(gamma_rows, 0, 1)
    beta_rows = None if beta is None else beta.reshape(g, c)
    beta_strides = _gpu.strides(beta_rows, 0, 1)
    y_rows = y.view(n, g, c*_product(rest))
    y_strides = _gpu.strides(y_rows, 0, 1, 2)
    sizes = _gpu.sizes(D, kind.itemsize, 4, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.group_norm_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        gamma_rows,
        beta_rows,
        float(eps),
        y_rows,
        mu,
        mu_residual,
        rstd,
        *x_strides,
        *gamma_strides,
        *beta_strides,
        *y_strides,
        g,
        _product(rest),
        rows,
        D,
        beta is not None,
        gamma is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:2], *y_strides[:2]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (mu, mu_residual, rstd)


def _backward_on_gpu(kernels, saved, x, gamma, beta, eps, g, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    n, g_c, *rest = x.shape
    c = g_c // g
    D = c*_product(rest)
    rows = n*g
    kind = _widest(x, gamma, beta)
    mu, mu_residual, rstd = saved
    dx = _gpu.room((n, g*c, *rest), x)
    dgamma_made = _gpu.room((n, g, c, _product(rest)), gamma, dtype=kind)
    dbeta_made = _gpu.room((n, g, c, _product(rest)), beta, dtype=kind)
    x_rows = x.reshape(n, g, c*_product(rest))
    x_strides = _gpu.strides(x_rows, 0, 1, 2)
    gamma_rows = None if gamma is None else gamma.reshape(g, c)
    gamma_strides = _gpu.strides(gamma_rows, 0, 1)
    dy_rows = dy.reshape(n, g, c*_product(rest))
    dy_strides = _gpu.strides(dy_rows, 0, 1, 2)
    dx_rows = dx.view(n, g, c*_product(rest))
    dx_strides = _gpu.strides(dx_rows, 0, 1, 2)
    sizes = _gpu.sizes(D, kind.itemsize, 6, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.group_norm_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        gamma_rows,
        dy_rows,
        mu,
        mu_residual,
        rstd,
        dx_rows,
        dgamma_made,
        dbeta_made,
        *x_strides,
        *gamma_strides,
        *dy_strides,
        *dx_strides,
        g,
        _product(rest),
        rows,
        D,
        beta is not None,
        gamma is not None,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:2], *dy_strides[:2], *dx_strides[:2]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    dgamma = (
        None
        if gamma is None
        else dgamma_made.sum((0, 3)).reshape(gamma.shape).to(gamma.dtype)
    )
    dbeta = (
        None
        if beta is None
        else dbeta_made.sum((0, 3)).reshape(beta.shape).to(beta.dtype)
    )
    return (dx, dgamma, dbeta)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "group_norm_forward",
    optional=("beta", "gamma"),
    macros=("LNGEN_PLACED", "LNGEN_OF_RUNS=6ull"),
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "group_norm_backward",
    optional=("beta", "gamma"),
    macros=("LNGEN_PLACED", "LNGEN_OF_RUNS=2ull", "LNGEN_SUMMED_BY_RUN=6ull"),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        group_norm,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
        rows=_rows_of,
        pulled_rows=_pulled_rows,
        gradients=_gradients,
    ),
    inputs={"x": "R", "gamma": "r", "beta": "r"},
    outputs={"y": "r"},
    rows=("x",),
    constants={"eps": False},
    sizes=("g",),
    scalars=3,
)


class GroupNorm(_torch.Module):
    """`group_norm` as a module with the parameters gamma and beta.

    Args:
        g: the number of parts of the axis (g c).
        g_c: the size of the axis (g c).
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER
    _theirs = (("weight", "gamma"), ("bias", "beta"))
    _arguments = (("num_groups", "g"),)

    def __init__(
        self,
        g: int,
        g_c: int,
        *,
        gamma: bool = True,
        beta: bool = True,
        eps: float = 1e-5,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(g=_torch.size("g", g), g_c=_torch.multiple("g_c", g_c, g))
        self._parameter("gamma", gamma, (g_c,), 1, device, dtype)
        self._parameter("beta", beta, (g_c,), 0, device, dtype)
        self.eps = self._constant("eps", eps, False)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `group_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma, beta = _own["gamma"], _own["beta"]
        except KeyError:  # a parametrized module has attributes instead
            gamma, beta = self.gamma, self.beta
        return group_norm(x, gamma, beta, eps=self.eps, g=self._sizes["g"])


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


def _size(name, value):
    """The size of an axis."""
    if isinstance(value, (bool, float)) or not isinstance(value, (int, torch.SymInt)):
        raise TypeError(f"{name} is {value!r}; pass the size of the axis, a whole number")
    if value < 1:
        raise ValueError(f"{name} is {value}; pass 1 or more")
    return value


def _axes(name, value, pattern, count, more=False):
    """The sizes of the axes of a tensor, of which there are so many, or more."""
    if value.ndim < count or (value.ndim > count and not more):
        raise ValueError(f"{name} has shape {tuple(value.shape)}; pass an array with the axes {pattern}")
    return value.shape


def _product(sizes):
    return math.prod(sizes)
