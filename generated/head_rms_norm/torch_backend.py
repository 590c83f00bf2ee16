# Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
# definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Root-mean-square normalization of queries or keys, with a weight for each head.

`head_rms_norm` takes tensors, and `HeadRMSNorm` is a module. A plain call on the processor
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
    "HeadRMSNorm",
    "head_rms_norm",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def head_rms_norm(
    x: _torch.Tensor, weight: _torch.Tensor | None = None, *, eps: float = 1e-6
) -> _torch.Tensor:
    """Root-mean-square normalization of queries or keys, with a weight for each head.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = weight*xhat

    Args:
        x: an array with the axes b t h d.
        weight: an array with the axes h d. If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y is an array with the axes b t h d. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, weight = _LAYER.taken(x, weight)
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and x.itemsize > 2
        and type(eps) is float
        and 0 <= eps < _INFINITE
    ):
        given = _rows_of(x, weight)
        kept = None if _guards.is_recorded((x, weight)) else True
        made = given and _forward(_guards.run, kept, eps, *given)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, weight, eps)
    return _LAYER.call(x, weight, eps)


def _decomposed(x, weight, eps):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    b, t, h, d = _axes("x", x, "b t h d", 4)
    weight = None if weight is None else _floats("weight", weight, (h, d), "(h d)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y = _rows(
        x.reshape(b, t, h, d),
        None if weight is None else weight.reshape(1, 1, h, d),
        eps,
    )
    return y.reshape((b, t, h, d))


def _rows(x, weight, eps):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, weight)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    weight = zero + 1 if weight is None else weight.to(dtype)
    eps = zero + eps
    ms = torch.mean(x**2, dim=3, keepdim=True)  # step 1
    rstd = torch.rsqrt(ms + eps)  # step 2
    xhat = x*rstd  # step 3
    y = weight*xhat  # step 4
    return y.to(stored)


def _forward(run, kept, eps, D, starts_h_d, x, weight):
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
        "=R*r+r0",
        D,
        (weight is None,),
        (eps,),
        kept,
        x,
        weight,
        starts_h_d,
        x,
    )


def _backward(run, kept, _eps, D, starts_h_d, x, weight, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "=R*rR0+r+r",
        D,
        (weight is None,),
        (),
        kept,
        x,
        weight,
        starts_h_d,
        dy,
        x,
        weight,
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, weight, eps):
        y, ctx.kept = made
        ctx.save_for_backward(x, weight)
        ctx.numbers = (eps,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, weight = ctx.saved_tensors
        (eps,) = ctx.numbers
        found = None
        if x.itemsize > 2 and not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, weight, dy)
            found = _backward(_guards.run, ctx.kept, eps, *given)
        if found is None:
            found = _LAYER.gradients(ctx.kept, (x, weight, eps), (), (dy,))
            return None, *found, None
        return None, *_gradients(*found, x, weight), None


def _rows_of(x, weight):
    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""
    if x.ndim != 4:
        return None
    b, t, h, d = x.shape
    if weight is not None and weight.shape != (h, d):
        return None
    starts_h_d = _guards.starts(0, (b, t, h), (0, 0, d))
    return (
        d,
        starts_h_d,
        x.contiguous(),
        None if weight is None else weight.contiguous(),
    )


def _pulled_rows(x, weight, dy):
    """D, and what the kernels of backward take, of arrays."""
    b, t, h, d = x.shape
    first = x.contiguous()
    starts_h_d = _guards.starts(0, (b, t, h), (0, 0, d))
    return (
        d,
        starts_h_d,
        first,
        None if weight is None else weight.contiguous(),
        dy.contiguous(),
    )


def _gradients(dx, dweight, x, weight):
    """The gradients of inputs as callers have these."""
    b, t, h, d = x.shape
    return dx, None if weight is None else dweight.reshape(b, t, h, d).sum((0, 1))


def _forward_on_gpu(kernels, save, x, weight, eps):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    b, t, h, d = _axes("x", x, "b t h d", 4)
    weight = None if weight is None else _floats("weight", weight, (h, d), "(h d)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = d
    rows = b*t*h
    kind = _widest(x, weight)
    y = x.new_empty((b, t, h, d))
    rstd = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(b, t, h, d)
    x_strides = _gpu.strides(x_rows, 0, 1, 2, 3)
    weight_rows = None if weight is None else weight.reshape(h, d)
    weight_strides = _gpu.strides(weight_rows, 0, 1)
    y_rows = y.view(b, t, h, d)
    y_strides = _gpu.strides(y_rows, 0, 1, 2, 3)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.head_rms_norm_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        weight_rows,
        float(eps),
        y_rows,
        rstd,
        *x_strides,
        *weight_strides,
        *y_strides,
        t,
        h,
        rows,
        D,
        weight is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:3], *weight_strides[:1], *y_strides[:3]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (rstd,)


def _backward_on_gpu(kernels, saved, x, weight, eps, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    b, t, h, d = x.shape
    D = d
    rows = b*t*h
    kind = _widest(x, weight)
    (rstd,) = saved
    dx = _gpu.room((b, t, h, d), x)
    dweight_made = _gpu.room((b, t, h, d), weight, dtype=kind)
    x_rows = x.reshape(b, t, h, d)
    x_strides = _gpu.strides(x_rows, 0, 1, 2, 3)
    weight_rows = None if weight is None else weight.reshape(h, d)
    weight_strides = _gpu.strides(weight_rows, 0, 1)
    dy_rows = dy.reshape(b, t, h, d)
    dy_strides = _gpu.strides(dy_rows, 0, 1, 2, 3)
    dx_rows = dx.view(b, t, h, d)
    dx_strides = _gpu.strides(dx_rows, 0, 1, 2, 3)
    sizes = _gpu.sizes(D, kind.itemsize, 5, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.head_rms_norm_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        weight_rows,
        dy_rows,
        rstd,
        dx_rows,
        dweight_made,
        *x_strides,
        *weight_strides,
        *dy_strides,
        *dx_strides,
        t,
        h,
        rows,
        D,
        weight is not None,
        _gpu.real(kind),
        _gpu.even(
            D, *x_strides[:3], *weight_strides[:1], *dy_strides[:3], *dx_strides[:3]
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    dweight = (
        None
        if weight is None
        else dweight_made.sum((0, 1)).reshape(weight.shape).to(weight.dtype)
    )
    return (dx, dweight)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "head_rms_norm_forward",
    optional=("weight",),
    macros=("LNGEN_PLACED",),
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "head_rms_norm_backward",
    optional=("weight",),
    macros=("LNGEN_PLACED",),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        head_rms_norm,
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
    inputs={"x": "R", "weight": "r"},
    outputs={"y": "r"},
    rows=("x",),
    constants={"eps": False},
    scalars=1,
)


class HeadRMSNorm(_torch.Module):
    """`head_rms_norm` as a module with the parameter weight.

    Args:
        h: the size of the axis h.
        d: the size of the axis d.
        weight: False omits it; its initial value is 1.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        h: int,
        d: int,
        *,
        weight: bool = True,
        eps: float = 1e-6,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(h=_torch.size("h", h), d=_torch.size("d", d))
        self._parameter("weight", weight, (h, d), 1, device, dtype)
        self.eps = self._constant("eps", eps, False)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `head_rms_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            weight = _own["weight"]
        except KeyError:  # a parametrized module has attributes instead
            weight = self.weight
        return head_rms_norm(x, weight, eps=self.eps)


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
