# Made by lngen 0.1.0 from the definition of sink_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit sink_softmax.py and run: lngen derive sink_softmax.py
# definition sha256:85de87b67725f2db6415d52ce8ee109a8b1ab48120c2fc9ba15663e407abd30f
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight.

`sink_softmax` takes tensors, and `SinkSoftmax` is a module. A plain call on the processor
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
    "SinkSoftmax",
    "sink_softmax",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def sink_softmax(x: _torch.Tensor, sink: _torch.Tensor | None = None) -> _torch.Tensor:
    """Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight.

        m = max(x)
        largest = where(m > sink, m, sink)
        e_shifted = exp(x - largest)
        Z = sum(e_shifted)
        exp_largest_sink = exp(sink - largest)
        scale = 1/(Z + exp_largest_sink)
        y = scale*e_shifted

    Args:
        x: an array with the axes b h q k.
        sink: an array with the axes h. If omitted it is 0.

    Returns y in the type of x. y is an array with the axes b h q k. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, sink = _LAYER.taken(x, sink)
    if _LAYER.has_kernels and not torch.compiler.is_compiling():
        given = _rows_of(x, sink)
        kept = None if _guards.is_recorded((x, sink)) else True
        made = given and _forward(_guards.run, kept, *given)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, sink)
    return _LAYER.call(x, sink)


def _decomposed(x, sink):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    b, h, q, k = _axes("x", x, "b h q k", 4)
    sink = None if sink is None else _floats("sink", sink, (h,), "(h)")
    y = _rows(x.reshape(b, h, q, k), None if sink is None else sink.reshape(1, h, 1, 1))
    return y.reshape((b, h, q, k))


def _rows(x, sink):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, sink)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    sink = zero + 0 if sink is None else sink.to(dtype)
    m = _max(x, dim=3, keepdim=True)  # step 1
    largest = torch.where(m > sink, m, sink)  # step 2
    exp_largest_sink = torch.exp(sink - largest)  # step 6
    x_shifted = x - largest  # step 3
    e_shifted = torch.exp(x_shifted)  # step 4
    Z = torch.sum(e_shifted, dim=3, keepdim=True)  # step 5
    scale = 1/(Z + exp_largest_sink)  # step 7
    y = e_shifted*scale  # step 8
    return y.to(stored)


def _forward(run, kept, D, starts_h, x, sink):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row; a capital has to be there, * lies where a table says. Behind + is a
    result, of the shape and type of the tensor that is passed for it; a digit is a
    row scalar. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(_FORWARD, "=R*s+r01", D, (sink is None,), (), kept, x, sink, starts_h, x)


def _backward(run, kept, D, starts_h, x, sink, y, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "=RR01+r+s||R*s",
        D,
        (sink is None,),
        (),
        kept,
        y,
        dy,
        x,
        sink,
        x,
        sink,
        starts_h,
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, sink):
        y, ctx.kept = made
        ctx.save_for_backward(x, sink, y)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, sink, y = ctx.saved_tensors
        found = None
        if not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, sink, y, dy)
            found = _backward(_guards.run, ctx.kept, *given)
        if found is None:
            found = _LAYER.gradients(ctx.kept, (x, sink), (y,), (dy,))
            return None, *found
        return None, *_gradients(*found, x, sink)


def _rows_of(x, sink):
    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""
    if x.ndim != 4:
        return None
    b, h, q, k = x.shape
    if sink is not None and sink.shape != (h,):
        return None
    starts_h = _guards.starts(0, (b, h, q), (0, 1, 0))
    return (k, starts_h, x.contiguous(), None if sink is None else sink.contiguous())


def _pulled_rows(x, sink, y, dy):
    """D, and what the kernels of backward take, of arrays."""
    b, h, q, k = x.shape
    first = x.contiguous()
    starts_h = _guards.starts(0, (b, h, q), (0, 1, 0))
    return (
        k,
        starts_h,
        first,
        None if sink is None else sink.contiguous(),
        y.contiguous(),
        dy.contiguous(),
    )


def _gradients(dx, dsink, x, sink):
    """The gradients of inputs as callers have these."""
    b, h, q, _ = x.shape
    return dx, None if sink is None else dsink.reshape(b, h, q).sum((0, 2))


def _forward_on_gpu(kernels, save, x, sink):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    b, h, q, k = _axes("x", x, "b h q k", 4)
    sink = None if sink is None else _floats("sink", sink, (h,), "(h)")
    D = k
    rows = b*h*q
    kind = _widest(x, sink)
    y = x.new_empty((b, h, q, k))
    exp_largest_sink = x.new_empty(rows, dtype=kind) if save else None
    scale = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(b, h, q, k)
    x_strides = _gpu.strides(x_rows, 0, 1, 2, 3)
    sink_rows = None if sink is None else sink.reshape(h)
    sink_strides = _gpu.strides(sink_rows, 0)
    y_rows = y.view(b, h, q, k)
    y_strides = _gpu.strides(y_rows, 0, 1, 2, 3)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.sink_softmax_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        sink_rows,
        y_rows,
        exp_largest_sink,
        scale,
        *x_strides,
        *sink_strides,
        *y_strides,
        h,
        q,
        rows,
        D,
        sink is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:3], *y_strides[:3]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (exp_largest_sink, scale)


def _backward_on_gpu(kernels, saved, x, sink, y, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    b, h, q, k = x.shape
    D = k
    rows = b*h*q
    kind = _widest(x, sink)
    exp_largest_sink, scale = saved
    dx = _gpu.room((b, h, q, k), x)
    dsink_made = _gpu.room((b, h, q), sink, dtype=kind)
    y_rows = y.reshape(b, h, q, k)
    y_strides = _gpu.strides(y_rows, 0, 1, 2, 3)
    dy_rows = dy.reshape(b, h, q, k)
    dy_strides = _gpu.strides(dy_rows, 0, 1, 2, 3)
    dx_rows = dx.view(b, h, q, k)
    dx_strides = _gpu.strides(dx_rows, 0, 1, 2, 3)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.sink_softmax_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        y_rows,
        dy_rows,
        exp_largest_sink,
        scale,
        dx_rows,
        dsink_made,
        *y_strides,
        *dy_strides,
        *dx_strides,
        h,
        q,
        rows,
        D,
        sink is not None,
        _gpu.real(kind),
        _gpu.even(D, *y_strides[:3], *dy_strides[:3], *dx_strides[:3]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    dsink = (
        None
        if sink is None
        else dsink_made.sum((0, 2)).reshape(sink.shape).to(sink.dtype)
    )
    return (dx, dsink)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "sink_softmax_forward",
    optional=("sink",),
    macros=("LNGEN_PLACED",),
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "sink_softmax_backward",
    optional=("sink",),
    macros=("LNGEN_PLACED",),
)
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        sink_softmax,
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
    inputs={"x": "R", "sink": "s"},
    outputs={"y": "r"},
    rows=("x",),
    constants={},
    kept=("y",),
    scalars=2,
)


class SinkSoftmax(_torch.Module):
    """`sink_softmax` as a module with the parameter sink.

    Args:
        h: the size of the axis h.
        sink: False omits it; its initial value is 0.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        h: int,
        *,
        sink: bool = True,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(h=_torch.size("h", h))
        self._parameter("sink", sink, (h,), 0, device, dtype)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `sink_softmax` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            sink = _own["sink"]
        except KeyError:  # a parametrized module has attributes instead
            sink = self.sink
        return sink_softmax(x, sink)


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


def _max(values, dim, keepdim):
    """The first largest entry of each row: its derivative is that of this entry."""
    axes = dim if isinstance(dim, tuple) else (dim,)
    last = tuple(range(-len(axes), 0))
    rows = values.movedim(axes, last).flatten(-len(axes))
    first = rows.gather(-1, rows.argmax(-1, keepdim=True))
    return first.unflatten(-1, (1,) * len(axes)).movedim(last, axes)
