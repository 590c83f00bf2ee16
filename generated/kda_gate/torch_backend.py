# Made by lngen 0.1.0 from the definition of kda_gate; derivation.md has its steps, cost and evidence.
# Do not edit; edit kda_gate.py and run: lngen derive kda_gate.py
# Open: exp overflows where rate is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:828e82ed6a2def8150a7add1c29579ffcf6ccf2277e91b493d839c2c2a8629f8
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.

`kda_gate` takes tensors, and `KdaGate` is a module. A plain call on the processor
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
    "KdaGate",
    "kda_gate",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def kda_gate(
    x: _torch.Tensor,
    rate: _torch.Tensor | None = None,
    bias: _torch.Tensor | None = None,
) -> _torch.Tensor:
    """Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.

        u = x + bias
        softplus_u = softplus(u)
        exp_rate = exp(rate)
        y = -exp_rate*softplus_u

    Args:
        x: an array with the axes b t h d.
        rate: an array with the axes h. If omitted it is 0.
        bias: an array with the axes h d. If omitted it is 0.

    Returns y in the type of the first rows. y is an array with the axes b t h d. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, rate, bias = _LAYER.taken(x, rate, bias)
    if _LAYER.has_kernels and not torch.compiler.is_compiling() and x.itemsize > 2:
        given = _rows_of(x, rate, bias)
        kept = None if _guards.is_recorded((x, rate, bias)) else True
        made = given and _forward(_guards.run, kept, *given)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, rate, bias)
    return _LAYER.call(x, rate, bias)


def _decomposed(x, rate, bias):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    b, t, h, d = _axes("x", x, "b t h d", 4)
    rate = None if rate is None else _floats("rate", rate, (h,), "(h)")
    bias = None if bias is None else _floats("bias", bias, (h, d), "(h d)")
    y = _rows(
        x.reshape(b, t, h, d),
        None if rate is None else rate.reshape(1, 1, h, 1),
        None if bias is None else bias.reshape(1, 1, h, d),
    )
    return y.reshape((b, t, h, d))


def _rows(x, rate, bias):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, rate, bias)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    rate = zero + 0 if rate is None else rate.to(dtype)
    bias = zero + 0 if bias is None else bias.to(dtype)
    exp_rate = torch.exp(rate)  # step 3
    u = bias + x  # step 1
    softplus_u = _softplus(u)  # step 2
    y = -softplus_u*exp_rate  # step 4
    return y.to(stored)


def _forward(run, kept, D, starts_h, starts_h_d, x, rate, bias):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row; a capital has to be there, * lies where a table says. Behind + is a
    result, of the shape and type of the tensor that is passed for it; a digit is a
    row scalar. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(
        _FORWARD,
        "=R*s*r+r0",
        D,
        (bias is None, rate is None),
        (),
        kept,
        x,
        rate,
        starts_h,
        bias,
        starts_h_d,
        x,
    )


def _backward(run, kept, D, starts_h, starts_h_d, x, rate, bias, dy):
    """The gradients by the compiled kernels."""
    made = run(
        _BACKWARD,
        "=R*rR0+r+r+s||*s",
        D,
        (bias is None, rate is None),
        (),
        kept,
        x,
        bias,
        starts_h_d,
        dy,
        x,
        bias,
        rate,
        rate,
        starts_h,
    )
    if made is None or made is True:
        return made
    dx, dbias, drate = made
    return dx, drate, dbias


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, rate, bias):
        y, ctx.kept = made
        ctx.save_for_backward(x, rate, bias)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, rate, bias = ctx.saved_tensors
        found = None
        if x.itemsize > 2 and not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, rate, bias, dy)
            found = _backward(_guards.run, ctx.kept, *given)
        if found is None:
            found = _LAYER.gradients(ctx.kept, (x, rate, bias), (), (dy,))
            return None, *found
        return None, *_gradients(*found, x, rate, bias)


def _rows_of(x, rate, bias):
    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""
    if x.ndim != 4:
        return None
    b, t, h, d = x.shape
    if rate is not None and rate.shape != (h,):
        return None
    if bias is not None and bias.shape != (h, d):
        return None
    starts_h = _guards.starts(0, (b, t, h), (0, 0, 1))
    starts_h_d = _guards.starts(0, (b, t, h), (0, 0, d))
    return (
        d,
        starts_h,
        starts_h_d,
        x.contiguous(),
        None if rate is None else rate.contiguous(),
        None if bias is None else bias.contiguous(),
    )


def _pulled_rows(x, rate, bias, dy):
    """D, and what the kernels of backward take, of arrays."""
    b, t, h, d = x.shape
    first = x.contiguous()
    starts_h = _guards.starts(0, (b, t, h), (0, 0, 1))
    starts_h_d = _guards.starts(0, (b, t, h), (0, 0, d))
    return (
        d,
        starts_h,
        starts_h_d,
        first,
        None if rate is None else rate.contiguous(),
        None if bias is None else bias.contiguous(),
        dy.contiguous(),
    )


def _gradients(dx, drate, dbias, x, rate, bias):
    """The gradients of inputs as callers have these."""
    b, t, h, d = x.shape
    return (
        dx,
        None if rate is None else drate.reshape(b, t, h).sum((0, 1)),
        None if bias is None else dbias.reshape(b, t, h, d).sum((0, 1)),
    )


def _forward_on_gpu(kernels, save, x, rate, bias):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    b, t, h, d = _axes("x", x, "b t h d", 4)
    rate = None if rate is None else _floats("rate", rate, (h,), "(h)")
    bias = None if bias is None else _floats("bias", bias, (h, d), "(h d)")
    D = d
    rows = b*t*h
    kind = _widest(x, rate, bias)
    y = x.new_empty((b, t, h, d))
    exp_rate = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(b, t, h, d)
    x_strides = _gpu.strides(x_rows, 0, 1, 2, 3)
    rate_rows = None if rate is None else rate.reshape(h)
    rate_strides = _gpu.strides(rate_rows, 0)
    bias_rows = None if bias is None else bias.reshape(h, d)
    bias_strides = _gpu.strides(bias_rows, 0, 1)
    y_rows = y.view(b, t, h, d)
    y_strides = _gpu.strides(y_rows, 0, 1, 2, 3)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.kda_gate_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        rate_rows,
        bias_rows,
        y_rows,
        exp_rate,
        *x_strides,
        *rate_strides,
        *bias_strides,
        *y_strides,
        t,
        h,
        rows,
        D,
        bias is not None,
        rate is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:3], *bias_strides[:1], *y_strides[:3]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (exp_rate,)


def _backward_on_gpu(kernels, saved, x, rate, bias, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    b, t, h, d = x.shape
    D = d
    rows = b*t*h
    kind = _widest(x, rate, bias)
    (exp_rate,) = saved
    dx_made = _gpu.room((b, t, h, d), x, bias)
    drate_made = _gpu.room((b, t, h), rate, dtype=kind)
    x_rows = x.reshape(b, t, h, d)
    x_strides = _gpu.strides(x_rows, 0, 1, 2, 3)
    bias_rows = None if bias is None else bias.reshape(h, d)
    bias_strides = _gpu.strides(bias_rows, 0, 1)
    dy_rows = dy.reshape(b, t, h, d)
    dy_strides = _gpu.strides(dy_rows, 0, 1, 2, 3)
    dx_rows = None if dx_made is None else dx_made.view(b, t, h, d)
    dx_strides = _gpu.strides(dx_rows, 0, 1, 2, 3)
    sizes = _gpu.sizes(D, kind.itemsize, 4, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.kda_gate_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        bias_rows,
        dy_rows,
        exp_rate,
        dx_rows,
        drate_made,
        *x_strides,
        *bias_strides,
        *dy_strides,
        *dx_strides,
        t,
        h,
        rows,
        D,
        bias is not None,
        rate is not None,
        _gpu.real(kind),
        _gpu.even(
            D, *x_strides[:3], *bias_strides[:1], *dy_strides[:3], *dx_strides[:3]
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    dx = dx_made.reshape(x.shape).to(x.dtype)
    drate = (
        None
        if rate is None
        else drate_made.sum((0, 1)).reshape(rate.shape).to(rate.dtype)
    )
    dbias = (
        None
        if bias is None
        else dx_made.sum((0, 1)).reshape(bias.shape).to(bias.dtype, copy=True)
    )
    return (dx, drate, dbias)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "kda_gate_forward",
    optional=("bias", "rate"),
    macros=("LNGEN_PLACED",),
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "kda_gate_backward",
    optional=("bias", "rate"),
    macros=("LNGEN_PLACED",),
)
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        kda_gate,
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
    inputs={"x": "R", "rate": "s", "bias": "r"},
    outputs={"y": "r"},
    rows=("x",),
    constants={},
    scalars=1,
)


class KdaGate(_torch.Module):
    """`kda_gate` as a module with the parameters rate and bias.

    Args:
        h: the size of the axis h.
        d: the size of the axis d.
        rate: False omits it; its initial value is 0.
        bias: False omits it; its initial value is 0.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        h: int,
        d: int,
        *,
        rate: bool = True,
        bias: bool = True,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(h=_torch.size("h", h), d=_torch.size("d", d))
        self._parameter("rate", rate, (h,), 0, device, dtype)
        self._parameter("bias", bias, (h, d), 0, device, dtype)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `kda_gate` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            rate, bias = _own["rate"], _own["bias"]
        except KeyError:  # a parametrized module has attributes instead
            rate, bias = self.rate, self.bias
        return kda_gate(x, rate, bias)


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


def _softplus(value):
    return torch.logaddexp(value, torch.zeros_like(value))
