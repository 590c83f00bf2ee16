# Made by lngen 0.1.0 from the definition of offset_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
# definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Root-mean-square normalization with a weight that is learned as its distance from one.

`offset_rms_norm` takes tensors, and `OffsetRMSNorm` is a module. A plain call on the processor
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
    "OffsetRMSNorm",
    "offset_rms_norm",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def offset_rms_norm(
    x: _torch.Tensor, w: _torch.Tensor | None = None, *, eps: float = 1e-6
) -> _torch.Tensor:
    """Root-mean-square normalization with a weight that is learned as its distance from one.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = xhat*(1 + w)

    Args:
        x: shape (..., D).
        w: one value per feature, shape (D,). If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(eps) is float
        and 0 <= eps < _INFINITE
    ):
        made = _forward(_guards.run, True, eps, x, w)
        if made is None:
            x, w = _guards.dense("Rf", x, w)
            made = _forward(_guards.run, True, eps, x, w)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, w, eps)
    return _LAYER.call(x, w, eps)


def _decomposed(x, w, eps):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    w = None if w is None else _floats("w", w, x.shape[-1:], "(D,)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _rows(x, w, eps)


def _rows(x, w, eps):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, w)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    w = zero + 0 if w is None else w.to(dtype)
    eps = zero + eps
    w_shifted = w + 1  # step 4, pass 1: once a row
    ms = torch.mean(x**2, dim=-1, keepdim=True)  # step 1
    rstd = torch.rsqrt(ms + eps)  # step 2
    xhat = x*rstd  # step 3
    y = xhat*w_shifted  # step 4, pass 2: once a row
    return y.to(stored)


def _forward(run, kept, eps, x, w):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, f has one a
    feature; a capital has to be there. Behind + is a result, of the shape and type
    of the tensor that is passed for it; a digit is a row scalar. A bar begins what
    the kernel of sums reads, another what neither kernel does. The number behind
    the form is the least D.
    """
    return run(_FORWARD, "Rf+r0", 1, (w is None,), (eps,), kept, x, w, x)


def _backward(run, kept, _eps, x, w, dy):
    """The gradients by the compiled kernels."""
    return run(_BACKWARD, "RR0f+r|f+f", 1, (w is None,), (), kept, x, dy, w, x, w, w)


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, w, eps):
        y, ctx.kept = made
        ctx.save_for_backward(x, w)
        ctx.numbers = (eps,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, w = ctx.saved_tensors
        (eps,) = ctx.numbers
        found = _backward(_guards.run, ctx.kept, eps, x, w, dy.contiguous())
        if found is None or found is True:
            found = _LAYER.gradients(ctx.kept, (x, w, eps), (), (dy,))
        return None, *found, None


def _forward_on_gpu(kernels, save, x, w, eps):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    w = None if w is None else _floats("w", w, x.shape[-1:], "(D,)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, w)
    y = x.new_empty(x.shape)
    rstd = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.offset_rms_norm_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        _gpu.dense(w),
        float(eps),
        y,
        rstd,
        *x_strides,
        rows,
        D,
        w is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (rstd,)


def _backward_on_gpu(kernels, saved, x, w, eps, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, w)
    (rstd,) = saved
    dx = _gpu.room(x.shape, x)
    dw = _gpu.room((D,), w)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    dy_rows = dy.reshape(rows, D)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 1)
    programs = _gpu.programs(x.device, rows, sizes)
    sums = x.new_empty((programs, D), dtype=kind)
    _gpu.launch(
        kernels.offset_rms_norm_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        dy_rows,
        rstd,
        _gpu.dense(w),
        dx,
        sums,
        *x_strides,
        *dy_strides,
        rows,
        D,
        w is not None,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *dy_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    _gpu.launch(
        kernels.offset_rms_norm_backward_totals,
        x.device,
        -(-D // _gpu.COLUMNS),
        4,
        True,
        sums,
        dw,
        programs,
        D,
        w is not None,
        _gpu.real(kind),
        _gpu.even(D),
        _gpu.COLUMNS,
        _gpu.AT_ONCE,
    )
    return (dx, dw)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__, "kernels", "offset_rms_norm_forward", optional=("w",)
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "offset_rms_norm_backward",
    "offset_rms_norm_backward_columns",
    optional=("w",),
    sums=(1, 0),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        offset_rms_norm,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "w": "f"},
    outputs={"y": "r"},
    rows=("x",),
    constants={"eps": False},
    scalars=1,
)


class OffsetRMSNorm(_torch.Module):
    """`offset_rms_norm` as a module with the parameter w.

    Args:
        D: the number of features of a row.
        w: False omits it; its initial value is 0.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER
    _theirs = (("weight", "w"),)

    def __init__(
        self,
        D: int,
        *,
        w: bool = True,
        eps: float = 1e-6,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(D=_torch.size("D", D, 1))
        self._parameter("w", w, (D,), 0, device, dtype)
        self.eps = self._constant("eps", eps, False)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `offset_rms_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            w = _own["w"]
        except KeyError:  # a parametrized module has attributes instead
            w = self.w
        return offset_rms_norm(x, w, eps=self.eps)


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
