# Made by lngen 0.1.0 from the definition of add_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Residual addition, then root-mean-square normalization; the sum is the second output.

`add_rms_norm` takes tensors, and `AddRMSNorm` is a module. A plain call on the processor
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
    "AddRMSNorm",
    "add_rms_norm",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def add_rms_norm(
    x: _torch.Tensor,
    residual: _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[_torch.Tensor, _torch.Tensor]:
    """Residual addition, then root-mean-square normalization; the sum is the second output.

        h = x + residual
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*h
        y = gamma*xhat

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, h)` in the type of the first rows. y has shape (..., D); h has shape
    (..., D). The compute type is the widest among the inputs, and float32 for 16-bit
    inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(eps) is float
        and 0 <= eps < _INFINITE
    ):
        made = _forward(_guards.run, True, eps, x, residual, gamma)
        if made is None:
            x, residual, gamma = _guards.dense("RRf", x, residual, gamma)
            made = _forward(_guards.run, True, eps, x, residual, gamma)
        if made is not None:
            y, h, kept = made
            return (
                (y, h)
                if kept is None
                else _Recorded.apply(made, x, residual, gamma, eps)
            )
    return _LAYER.call(x, residual, gamma, eps)


def _decomposed(x, residual, gamma, eps):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    residual = _floats("residual", residual, x.shape, "the shape of x")
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _rows(x, residual, gamma, eps)


def _rows(x, residual, gamma, eps):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, residual, gamma)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    residual = residual.to(dtype)
    gamma = zero + 1 if gamma is None else gamma.to(dtype)
    eps = zero + eps
    h = residual + x  # step 1
    ms = torch.mean(h**2, dim=-1, keepdim=True)  # step 2
    rstd = torch.rsqrt(ms + eps)  # step 3
    xhat = h*rstd  # step 4
    y = xhat*gamma  # step 5
    return y.to(stored), h.to(stored)


def _forward(run, kept, eps, x, residual, gamma):
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
        "RRf+r+r0",
        1,
        (gamma is None,),
        (eps,),
        kept,
        x,
        residual,
        gamma,
        x,
        x,
    )


def _backward(run, kept, _eps, x, residual, gamma, h, dy, dh):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "Rrr0f+r+r|f+f|RR",
        1,
        (dh is None, dy is None, gamma is None),
        (),
        kept,
        h,
        dy,
        dh,
        gamma,
        x,
        residual,
        gamma,
        gamma,
        x,
        residual,
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, residual, gamma, eps):
        y, h, ctx.kept = made
        ctx.save_for_backward(x, residual, gamma, h)
        ctx.numbers = (eps,)
        ctx.set_materialize_grads(False)
        return y, h

    @staticmethod
    def backward(ctx, dy, dh):
        x, residual, gamma, h = ctx.saved_tensors
        (eps,) = ctx.numbers
        found = _backward(_guards.run, ctx.kept, eps, x, residual, gamma, h, dy, dh)
        if found is None or found is True:
            found = _LAYER.gradients(
                ctx.kept, (x, residual, gamma, eps), (h,), (dy, dh)
            )
        return None, *found, None


def _forward_on_gpu(kernels, save, x, residual, gamma, eps):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    residual = _floats("residual", residual, x.shape, "the shape of x")
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, residual, gamma)
    y = x.new_empty(x.shape)
    h = x.new_empty(x.shape)
    rstd = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    residual_rows = residual.reshape(rows, D)
    residual_strides = _gpu.strides(residual_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 4, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.add_rms_norm_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        residual_rows,
        _gpu.dense(gamma),
        float(eps),
        y,
        h,
        rstd,
        *x_strides,
        *residual_strides,
        rows,
        D,
        gamma is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *residual_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y, h), (rstd,)


def _backward_on_gpu(kernels, saved, x, residual, gamma, eps, h, dy, dh):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, residual, gamma)
    (rstd,) = saved
    dgamma = _gpu.room((D,), gamma)
    dx_made = _gpu.room(x.shape, x, residual)
    h_rows = h.reshape(rows, D)
    h_strides = _gpu.strides(h_rows, 0, 1)
    dy_rows = None if dy is None else dy.reshape(rows, D)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    dh_rows = None if dh is None else dh.reshape(rows, D)
    dh_strides = _gpu.strides(dh_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 4, 1)
    programs = _gpu.programs(x.device, rows, sizes)
    sums = x.new_empty((programs, D), dtype=kind)
    _gpu.launch(
        kernels.add_rms_norm_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        h_rows,
        dy_rows,
        dh_rows,
        rstd,
        _gpu.dense(gamma),
        dx_made,
        sums,
        *h_strides,
        *dy_strides,
        *dh_strides,
        rows,
        D,
        dh is not None,
        dy is not None,
        gamma is not None,
        _gpu.real(kind),
        _gpu.even(D, *h_strides[:1], *dy_strides[:1], *dh_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    _gpu.launch(
        kernels.add_rms_norm_backward_totals,
        x.device,
        -(-D // _gpu.COLUMNS),
        4,
        True,
        sums,
        dgamma,
        programs,
        D,
        dy is not None,
        gamma is not None,
        _gpu.real(kind),
        _gpu.even(D),
        _gpu.COLUMNS,
        _gpu.AT_ONCE,
    )
    dx = dx_made.to(x.dtype)
    dresidual = dx_made.to(residual.dtype, copy=True)
    return (dx, dresidual, dgamma)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__, "kernels", "add_rms_norm_forward", optional=("gamma",)
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "add_rms_norm_backward",
    "add_rms_norm_backward_columns",
    optional=("dh", "dy", "gamma"),
    sums=(1, 0),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[tuple[_torch.Tensor, _torch.Tensor]] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        add_rms_norm,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "residual": "R", "gamma": "f"},
    outputs={"y": "r", "h": "r"},
    rows=("x", "residual"),
    constants={"eps": False},
    kept=("h",),
    scalars=1,
)


class AddRMSNorm(_torch.Module):
    """`add_rms_norm` as a module with the parameter gamma.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        D: int,
        *,
        gamma: bool = True,
        eps: float = 1e-5,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(D=_torch.size("D", D, 1))
        self._parameter("gamma", gamma, (D,), 1, device, dtype)
        self.eps = self._constant("eps", eps, False)

    def forward(
        self, x: _torch.Tensor, residual: _torch.Tensor
    ) -> tuple[_torch.Tensor, _torch.Tensor]:
        """Return `add_rms_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma = _own["gamma"]
        except KeyError:  # a parametrized module has attributes instead
            gamma = self.gamma
        return add_rms_norm(x, residual, gamma, eps=self.eps)


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
