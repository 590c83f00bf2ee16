# Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Dynamic tanh: an elementwise layer in the place of a norm.

`dynamic_tanh` takes tensors, and `DynamicTanh` is a module. A plain call on the processor
runs the kernels of kernels.cpp, which a C++ compiler makes on first use. Other calls on
the processor go by `_LAYER.call`: kernels after a conversion, for mixed types and numbers
that are no floats, and an operator of them in `torch.compile` and autocast. A plain call
on a GPU launches the kernels of triton_kernels.py, and so does a program that is compiled
for one. On other devices, in all else on a GPU, in `vmap` and `torch.func`, and where
derivatives are differentiated, `_decomposed` computes.
"""

import torch

from .._runtime import torch as _torch
from .._runtime.torch import gpu as _gpu
from .._runtime.torch import guards as _guards

__all__ = [
    "DynamicTanh",
    "dynamic_tanh",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def dynamic_tanh(
    x: _torch.Tensor,
    alpha: float | _torch.Tensor | None = None,
    gamma: _torch.Tensor | None = None,
    beta: _torch.Tensor | None = None,
) -> _torch.Tensor:
    """Dynamic tanh: an elementwise layer in the place of a norm.

        u = alpha*x
        t = tanh(u)
        y = gamma*t + beta

    Args:
        x: shape (..., D).
        alpha: a number or a tensor without axes. If omitted it is 0.5.
        gamma: one value per feature, shape (D,). If omitted it is 1.
        beta: one value per feature, shape (D,). If omitted it is 0.

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if _LAYER.has_kernels and not torch.compiler.is_compiling():
        made = _forward(_guards.run, True, x, alpha, gamma, beta)
        if made is None:
            x, alpha, gamma, beta = _guards.dense("Rnff", x, alpha, gamma, beta)
            made = _forward(_guards.run, True, x, alpha, gamma, beta)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, alpha, gamma, beta)
    return _LAYER.call(x, alpha, gamma, beta)


def _decomposed(x, alpha, gamma, beta):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    alpha = None if alpha is None else _number("alpha", alpha)
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    beta = None if beta is None else _floats("beta", beta, x.shape[-1:], "(D,)")
    return _rows(x, alpha, gamma, beta)


def _rows(x, alpha, gamma, beta):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, alpha, gamma, beta)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    alpha = zero + 0.5 if alpha is None else alpha.to(dtype)
    gamma = zero + 1 if gamma is None else gamma.to(dtype)
    beta = zero + 0 if beta is None else beta.to(dtype)
    u = x*alpha  # step 1
    t = torch.tanh(u)  # step 2
    y = t*gamma + beta  # step 3
    return y.to(stored)


def _forward(run, kept, x, alpha, gamma, beta):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, f has one a
    feature, n has one value; a capital has to be there. Behind + is a result, of
    the shape and type of the tensor that is passed for it. A bar begins what the
    kernel of sums reads, another what neither kernel does. The number behind the
    form is the least D.
    """
    return run(
        _FORWARD,
        "Rnff+r",
        1,
        (alpha is None, beta is None, gamma is None),
        (),
        kept,
        x,
        alpha,
        gamma,
        beta,
        x,
    )


def _backward(run, kept, x, alpha, gamma, beta, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "RRnf+r|nf+n+f+f|f",
        1,
        (alpha is None, beta is None, gamma is None),
        (),
        kept,
        x,
        dy,
        alpha,
        gamma,
        x,
        alpha,
        gamma,
        alpha,
        gamma,
        beta,
        beta,
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, alpha, gamma, beta):
        y, ctx.kept = made
        ctx.save_for_backward(x, alpha, gamma, beta)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, alpha, gamma, beta = ctx.saved_tensors
        found = _backward(_guards.run, ctx.kept, x, alpha, gamma, beta, dy.contiguous())
        if found is None or found is True:
            found = _LAYER.gradients(ctx.kept, (x, alpha, gamma, beta), (), (dy,))
        return None, *found


def _forward_on_gpu(kernels, save, x, alpha, gamma, beta):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    alpha = None if alpha is None else _number("alpha", alpha)
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    beta = None if beta is None else _floats("beta", beta, x.shape[-1:], "(D,)")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, alpha, gamma, beta)
    y = x.new_empty(x.shape)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.dynamic_tanh_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        alpha,
        _gpu.dense(gamma),
        _gpu.dense(beta),
        y,
        *x_strides,
        rows,
        D,
        alpha is not None,
        beta is not None,
        gamma is not None,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), ()


def _backward_on_gpu(kernels, saved, x, alpha, gamma, beta, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, alpha, gamma, beta)
    dx = _gpu.room(x.shape, x)
    dalpha = _gpu.room((), alpha)
    dgamma = _gpu.room((D,), gamma)
    dbeta = _gpu.room((D,), beta)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    dy_rows = dy.reshape(rows, D)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 2)
    programs = _gpu.programs(x.device, rows, sizes)
    sums = x.new_empty((programs, 2*D + 1), dtype=kind)
    _gpu.launch(
        kernels.dynamic_tanh_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        dy_rows,
        alpha,
        _gpu.dense(gamma),
        dx,
        sums,
        *x_strides,
        *dy_strides,
        rows,
        D,
        alpha is not None,
        beta is not None,
        gamma is not None,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *dy_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    _gpu.launch(
        kernels.dynamic_tanh_backward_totals,
        x.device,
        -(-D // _gpu.COLUMNS),
        4,
        True,
        sums,
        dalpha,
        dgamma,
        dbeta,
        programs,
        D,
        alpha is not None,
        beta is not None,
        gamma is not None,
        _gpu.real(kind),
        _gpu.even(D),
        _gpu.COLUMNS,
        _gpu.AT_ONCE,
    )
    return (dx, dalpha, dgamma, dbeta)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__, "kernels", "dynamic_tanh_forward", optional=("alpha", "beta", "gamma")
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "dynamic_tanh_backward",
    "dynamic_tanh_backward_columns",
    optional=("alpha", "beta", "gamma"),
    sums=(2, 1),
)
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        dynamic_tanh,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "alpha": "n", "gamma": "f", "beta": "f"},
    outputs={"y": "r"},
    rows=("x",),
    constants={},
)


class DynamicTanh(_torch.Module):
    """`dynamic_tanh` as a module with the parameters alpha, gamma and beta.

    Args:
        D: the number of features of a row.
        alpha: False omits it; its initial value is 0.5.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        D: int,
        *,
        alpha: bool = True,
        gamma: bool = True,
        beta: bool = True,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(D=_torch.size("D", D, 1))
        self._parameter("alpha", alpha, (), 0.5, device, dtype)
        self._parameter("gamma", gamma, (D,), 1, device, dtype)
        self._parameter("beta", beta, (D,), 0, device, dtype)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `dynamic_tanh` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            alpha, gamma, beta = _own["alpha"], _own["gamma"], _own["beta"]
        except KeyError:  # a parametrized module has attributes instead
            alpha, gamma, beta = self.alpha, self.gamma, self.beta
        return dynamic_tanh(x, alpha, gamma, beta)


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


def _number(name, value):
    return _floats(name, value, (), "a number or a 0-d one")
