# Made by lngen 0.1.0 from the definition of modulated_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_rms_norm.py and run: lngen derive modulated_rms_norm.py
# definition sha256:342278b39697d6ed8c84343b4cb320510fe1cfedc146884253a1a433517afb26
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Root-mean-square normalization with a scale and a shift for each sample.

`modulated_rms_norm` takes tensors, and `ModulatedRMSNorm` is a module. A plain call on the processor
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
    "ModulatedRMSNorm",
    "modulated_rms_norm",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def modulated_rms_norm(
    x: _torch.Tensor,
    scale: _torch.Tensor | None = None,
    shift: _torch.Tensor | None = None,
    *,
    eps: float = 1e-6,
) -> _torch.Tensor:
    """Root-mean-square normalization with a scale and a shift for each sample.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = shift + xhat*(1 + scale)

    Args:
        x: an array with the axes b ... d.
        scale: an array with the axes b d. If omitted it is 0.
        shift: an array with the axes b d. If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y is an array with the axes b ... d. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, scale, shift = _LAYER.taken(x, scale, shift)
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and x.itemsize > 2
        and type(eps) is float
        and 0 <= eps < _INFINITE
    ):
        given = _rows_of(x, scale, shift)
        kept = None if _guards.is_recorded((x, scale, shift)) else True
        made = given and _forward(_guards.run, kept, eps, *given)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, scale, shift, eps)
    return _LAYER.call(x, scale, shift, eps)


def _decomposed(x, scale, shift, eps):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    b, *rest, d = _axes("x", x, "b ... d", 2, True)
    scale = None if scale is None else _floats("scale", scale, (b, d), "(b d)")
    shift = None if shift is None else _floats("shift", shift, (b, d), "(b d)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y = _rows(
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
    ms = torch.mean(x**2, dim=2, keepdim=True)  # step 1
    rstd = torch.rsqrt(ms + eps)  # step 2
    xhat = x*rstd  # step 3
    y = shift + (scale + 1)*xhat  # step 4
    return y.to(stored)


def _forward(run, kept, eps, D, starts_b_d, x, scale, shift):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows; a capital has to
    be there, * lies where a table says. Behind + is a result, of the shape and type
    of the tensor that is passed for it; a digit is a row scalar. A bar begins what
    the kernel of sums reads, another what neither kernel does. The number behind
    the form is the least D.
    """
    return run(
        _FORWARD,
        "=R*r*r+r0",
        D,
        (scale is None, shift is None),
        (eps,),
        kept,
        x,
        scale,
        starts_b_d,
        shift,
        starts_b_d,
        x,
    )


def _backward(run, kept, _eps, D, starts_b_d, x, scale, shift, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "=R*rR0+r+r+r||*r",
        D,
        (scale is None, shift is None),
        (),
        kept,
        x,
        scale,
        starts_b_d,
        dy,
        x,
        scale,
        shift,
        shift,
        starts_b_d,
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, scale, shift, eps):
        y, ctx.kept = made
        ctx.save_for_backward(x, scale, shift)
        ctx.numbers = (eps,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, scale, shift = ctx.saved_tensors
        (eps,) = ctx.numbers
        found = None
        if x.itemsize > 2 and not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, scale, shift, dy)
            found = _backward(_guards.run, ctx.kept, eps, *given)
        if found is None:
            found = _LAYER.gradients(ctx.kept, (x, scale, shift, eps), (), (dy,))
            return None, *found, None
        return None, *_gradients(*found, x, scale, shift), None


def _rows_of(x, scale, shift):
    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""
    if x.ndim < 2:
        return None
    b, *rest, d = x.shape
    if scale is not None and scale.shape != (b, d):
        return None
    if shift is not None and shift.shape != (b, d):
        return None
    starts_b_d = _guards.starts(0, (b, _product(rest)), (d, 0))
    return (
        d,
        starts_b_d,
        x.contiguous(),
        None if scale is None else scale.contiguous(),
        None if shift is None else shift.contiguous(),
    )


def _pulled_rows(x, scale, shift, dy):
    """D, and what the kernels of backward take, of arrays."""
    b, *rest, d = x.shape
    first = x.contiguous()
    starts_b_d = _guards.starts(0, (b, _product(rest)), (d, 0))
    return (
        d,
        starts_b_d,
        first,
        None if scale is None else scale.contiguous(),
        None if shift is None else shift.contiguous(),
        dy.contiguous(),
    )


def _gradients(dx, dscale, dshift, x, scale, shift):
    """The gradients of inputs as callers have these."""
    b, *rest, d = x.shape
    entries = _product(rest)
    return (
        dx,
        None if scale is None else dscale.reshape(b, entries, d).sum(1),
        None if shift is None else dshift.reshape(b, entries, d).sum(1),
    )


def _forward_on_gpu(kernels, save, x, scale, shift, eps):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    b, *rest, d = _axes("x", x, "b ... d", 2, True)
    scale = None if scale is None else _floats("scale", scale, (b, d), "(b d)")
    shift = None if shift is None else _floats("shift", shift, (b, d), "(b d)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = d
    rows = b*_product(rest)
    kind = _widest(x, scale, shift)
    y = x.new_empty((b, *rest, d))
    rstd = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(b, _product(rest), d)
    x_strides = _gpu.strides(x_rows, 0, 1, 2)
    scale_rows = None if scale is None else scale.reshape(b, d)
    scale_strides = _gpu.strides(scale_rows, 0, 1)
    shift_rows = None if shift is None else shift.reshape(b, d)
    shift_strides = _gpu.strides(shift_rows, 0, 1)
    y_rows = y.view(b, _product(rest), d)
    y_strides = _gpu.strides(y_rows, 0, 1, 2)
    sizes = _gpu.sizes(D, kind.itemsize, 4, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.modulated_rms_norm_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        scale_rows,
        shift_rows,
        float(eps),
        y_rows,
        rstd,
        *x_strides,
        *scale_strides,
        *shift_strides,
        *y_strides,
        _product(rest),
        rows,
        D,
        scale is not None,
        shift is not None,
        save,
        _gpu.real(kind),
        _gpu.even(
            D, *x_strides[:2], *scale_strides[:1], *shift_strides[:1], *y_strides[:2]
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (rstd,)


def _backward_on_gpu(kernels, saved, x, scale, shift, eps, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    b, *rest, d = x.shape
    D = d
    rows = b*_product(rest)
    kind = _widest(x, scale, shift)
    (rstd,) = saved
    dx = _gpu.room((b, *rest, d), x)
    dscale_made = _gpu.room((b, _product(rest), d), scale, dtype=kind)
    dshift_made = _gpu.room((b, _product(rest), d), shift, dtype=kind)
    x_rows = x.reshape(b, _product(rest), d)
    x_strides = _gpu.strides(x_rows, 0, 1, 2)
    scale_rows = None if scale is None else scale.reshape(b, d)
    scale_strides = _gpu.strides(scale_rows, 0, 1)
    dy_rows = dy.reshape(b, _product(rest), d)
    dy_strides = _gpu.strides(dy_rows, 0, 1, 2)
    dx_rows = dx.view(b, _product(rest), d)
    dx_strides = _gpu.strides(dx_rows, 0, 1, 2)
    sizes = _gpu.sizes(D, kind.itemsize, 6, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.modulated_rms_norm_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        scale_rows,
        dy_rows,
        rstd,
        dx_rows,
        dscale_made,
        dshift_made,
        *x_strides,
        *scale_strides,
        *dy_strides,
        *dx_strides,
        _product(rest),
        rows,
        D,
        scale is not None,
        shift is not None,
        _gpu.real(kind),
        _gpu.even(
            D, *x_strides[:2], *scale_strides[:1], *dy_strides[:2], *dx_strides[:2]
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    dscale = (
        None
        if scale is None
        else dscale_made.sum(1).reshape(scale.shape).to(scale.dtype)
    )
    dshift = (
        None
        if shift is None
        else dshift_made.sum(1).reshape(shift.shape).to(shift.dtype)
    )
    return (dx, dscale, dshift)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "modulated_rms_norm_forward",
    optional=("scale", "shift"),
    macros=("LNGEN_PLACED",),
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "modulated_rms_norm_backward",
    optional=("scale", "shift"),
    macros=("LNGEN_PLACED",),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        modulated_rms_norm,
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
    inputs={"x": "R", "scale": "r", "shift": "r"},
    outputs={"y": "r"},
    rows=("x", "scale", "shift"),
    constants={"eps": False},
    scalars=1,
)


class ModulatedRMSNorm(_torch.Module):
    """`modulated_rms_norm` as a module without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
    """

    _layer = _LAYER

    def __init__(self, *, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = self._constant("eps", eps, False)

    def forward(
        self,
        x: _torch.Tensor,
        scale: _torch.Tensor | None = None,
        shift: _torch.Tensor | None = None,
    ) -> _torch.Tensor:
        """Return `modulated_rms_norm` of the arguments and the parameters of the module."""
        return modulated_rms_norm(x, scale, shift, eps=self.eps)


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
