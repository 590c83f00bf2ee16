# Made by lngen 0.1.0 from the definition of layer_norm_hw; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm_hw.py and run: lngen derive layer_norm_hw.py
# definition sha256:820341dbb321c98a68dda84fc5e386d68c2212161398163fcba0fbded2818e32
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Layer normalization over two axes, with a scale and a shift for every place.

`layer_norm_hw` takes tensors, and `LayerNormHW` is a module. A plain call on the processor
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
    "LayerNormHW",
    "layer_norm_hw",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


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

    Returns y in the type of x. y is an array with the axes ... h w. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

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
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, gamma, beta, eps)
    return _LAYER.call(x, gamma, beta, eps)


def _decomposed(x, gamma, beta, eps):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    *rest, h, w = _axes("x", x, "... h w", 2, True)
    gamma = None if gamma is None else _floats("gamma", gamma, (h, w), "(h w)")
    beta = None if beta is None else _floats("beta", beta, (h, w), "(h w)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y = _rows(
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


def _forward(run, kept, eps, D, x, gamma, beta):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, f has one a
    feature; a capital has to be there. Behind + is a result, of the shape and type
    of the tensor that is passed for it; a digit is a row scalar. A bar begins what
    the kernel of sums reads, another what neither kernel does. The number behind
    the form is the least D.
    """
    return run(
        _FORWARD,
        "=Rff+r012",
        D,
        (beta is None, gamma is None),
        (eps,),
        kept,
        x,
        gamma,
        beta,
        x,
    )


def _backward(run, kept, _eps, D, x, gamma, beta, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "=RR012f+r|f+f+f|f",
        D,
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


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, gamma, beta, eps):
        y, ctx.kept = made
        ctx.save_for_backward(x, gamma, beta)
        ctx.numbers = (eps,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, gamma, beta = ctx.saved_tensors
        (eps,) = ctx.numbers
        found = None
        if not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, gamma, beta, dy)
            found = _backward(_guards.run, ctx.kept, eps, *given)
        if found is None:
            found = _LAYER.gradients(ctx.kept, (x, gamma, beta, eps), (), (dy,))
            return None, *found, None
        return None, *found, None


def _rows_of(x, gamma, beta):
    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""
    if x.ndim < 2:
        return None
    *_, h, w = x.shape
    if gamma is not None and gamma.shape != (h, w):
        return None
    if beta is not None and beta.shape != (h, w):
        return None
    return (
        h*w,
        x.contiguous(),
        None if gamma is None else gamma.contiguous(),
        None if beta is None else beta.contiguous(),
    )


def _pulled_rows(x, gamma, beta, dy):
    """D, and what the kernels of backward take, of arrays."""
    *_, h, w = x.shape
    first = x.contiguous()
    return (
        h*w,
        first,
        None if gamma is None else gamma.contiguous(),
        None if beta is None else beta.contiguous(),
        dy.contiguous(),
    )


def _forward_on_gpu(kernels, save, x, gamma, beta, eps):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    *rest, h, w = _axes("x", x, "... h w", 2, True)
    gamma = None if gamma is None else _floats("gamma", gamma, (h, w), "(h w)")
    beta = None if beta is None else _floats("beta", beta, (h, w), "(h w)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = h*w
    rows = _product(rest)
    kind = _widest(x, gamma, beta)
    y = x.new_empty((*rest, h, w))
    mu = x.new_empty(rows, dtype=kind) if save else None
    mu_residual = x.new_empty(rows, dtype=kind) if save else None
    rstd = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(_product(rest), h*w)
    x_strides = _gpu.strides(x_rows, 0, 1)
    y_rows = y.view(_product(rest), h*w)
    y_strides = _gpu.strides(y_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.layer_norm_hw_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        _gpu.dense(gamma),
        _gpu.dense(beta),
        float(eps),
        y_rows,
        mu,
        mu_residual,
        rstd,
        *x_strides,
        *y_strides,
        rows,
        D,
        beta is not None,
        gamma is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *y_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (mu, mu_residual, rstd)


def _backward_on_gpu(kernels, saved, x, gamma, beta, eps, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    *rest, h, w = x.shape
    D = h*w
    rows = _product(rest)
    kind = _widest(x, gamma, beta)
    mu, mu_residual, rstd = saved
    dx = _gpu.room((*rest, h, w), x)
    dgamma_made = _gpu.room((h, w), gamma)
    dbeta_made = _gpu.room((h, w), beta)
    x_rows = x.reshape(_product(rest), h*w)
    x_strides = _gpu.strides(x_rows, 0, 1)
    dy_rows = dy.reshape(_product(rest), h*w)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    dx_rows = dx.view(_product(rest), h*w)
    dx_strides = _gpu.strides(dx_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 2)
    programs = _gpu.programs(x.device, rows, sizes)
    sums = x.new_empty((programs, 2*D), dtype=kind)
    _gpu.launch(
        kernels.layer_norm_hw_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        dy_rows,
        mu,
        mu_residual,
        rstd,
        _gpu.dense(gamma),
        dx_rows,
        sums,
        *x_strides,
        *dy_strides,
        *dx_strides,
        rows,
        D,
        beta is not None,
        gamma is not None,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *dy_strides[:1], *dx_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    _gpu.launch(
        kernels.layer_norm_hw_backward_totals,
        x.device,
        -(-D // _gpu.COLUMNS),
        4,
        True,
        sums,
        dgamma_made,
        dbeta_made,
        programs,
        D,
        beta is not None,
        gamma is not None,
        _gpu.real(kind),
        _gpu.even(D),
        _gpu.COLUMNS,
        _gpu.AT_ONCE,
    )
    dgamma = None if gamma is None else dgamma_made.reshape(gamma.shape).to(gamma.dtype)
    dbeta = None if beta is None else dbeta_made.reshape(beta.shape).to(beta.dtype)
    return (dx, dgamma, dbeta)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__, "kernels", "layer_norm_hw_forward", optional=("beta", "gamma")
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "layer_norm_hw_backward",
    "layer_norm_hw_backward_columns",
    optional=("beta", "gamma"),
    sums=(2, 0),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        layer_norm_hw,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
        rows=_rows_of,
        pulled_rows=_pulled_rows,
    ),
    inputs={"x": "R", "gamma": "f", "beta": "f"},
    outputs={"y": "r"},
    rows=("x",),
    constants={"eps": False},
    scalars=3,
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
        super().__init__(h=_torch.size("h", h), w=_torch.size("w", w))
        self._parameter("gamma", gamma, (h, w), 1, device, dtype)
        self._parameter("beta", beta, (h, w), 0, device, dtype)
        self.eps = self._constant("eps", eps, False)

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
