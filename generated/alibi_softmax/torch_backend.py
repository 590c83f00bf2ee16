# Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

`alibi_softmax` takes tensors, and `AlibiSoftmax` is a module. A plain call on the processor
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
    "AlibiSoftmax",
    "alibi_softmax",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def alibi_softmax(
    x: _torch.Tensor, slope: _torch.Tensor, position: _torch.Tensor
) -> _torch.Tensor:
    """Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

        z = x + slope*(index() - position)
        m = max(where(index() <= position, z, -1e38))
        u = where(index() <= position, z - m, 0)
        exp_u = exp(u)
        e_shifted = where(index() <= position, exp_u, 0)
        sum_e_shifted = sum(e_shifted)
        inv_sum_e_shifted = 1/sum_e_shifted
        y = inv_sum_e_shifted*e_shifted

    Args:
        x: an array with the axes b h q k.
        slope: an array with the axes h, without a gradient.
        position: an array with the axes q, without a gradient.

    Returns y in the type of x. y is an array with the axes b h q k. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, slope, position = _LAYER.taken(x, slope, position)
    if _LAYER.has_kernels and not torch.compiler.is_compiling():
        given = _rows_of(x, slope, position)
        kept = None if _guards.is_recorded((x, slope, position)) else True
        made = given and _forward(_guards.run, kept, *given)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, slope, position)
    return _LAYER.call(x, slope, position)


def _decomposed(x, slope, position):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    b, h, q, k = _axes("x", x, "b h q k", 4)
    slope = _floats("slope", slope, (h,), "(h)")
    position = _integers("position", position, (q,), "(q)")
    y = _rows(
        x.reshape(b, h, q, k), slope.reshape(1, h, 1, 1), position.reshape(1, 1, q, 1)
    )
    return y.reshape((b, h, q, k))


def _rows(x, slope, position):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, slope)
    zero = x.new_zeros((), dtype=dtype)
    shape = x.shape
    x = x.to(dtype)
    slope = slope.to(dtype)
    position = position.to(torch.int64)
    D = shape[3]
    index = _index(zero, D).reshape(1, 1, 1, shape[3])
    largest = torch.finfo(dtype).max
    z = x + (index - position).to(dtype)*slope  # step 1
    # step 2
    m = torch.clip(
        torch.amax(
            torch.where(index <= position, z, -1e+38), dim=3, keepdim=True
        ).detach(),
        -largest,
        largest,
    )
    x_shifted = z - m  # step 3
    _test_1 = index <= position
    u_1 = _within(_test_1, x_shifted)  # step 4
    exp_u_1 = torch.exp(u_1)  # step 5
    e_shifted = torch.where(_test_1, exp_u_1, 0)  # step 6
    sum_e_shifted = torch.sum(e_shifted, dim=3, keepdim=True)  # step 7
    inv_sum_e_shifted = 1/sum_e_shifted  # step 8
    y = e_shifted*inv_sum_e_shifted  # step 9
    return y.to(stored)


def _forward(run, kept, D, starts_h, starts_q, x, slope, position):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row, of integers i one value a row; a capital has to be there, * lies where a
    table says. Behind + is a result, of the shape and type of the tensor that is
    passed for it; a digit is a row scalar. A bar begins what the kernel of sums
    reads, another what neither kernel does. The number behind the form is the least
    D.
    """
    return run(
        _FORWARD,
        "=R*S*I+r01",
        D,
        (),
        (),
        kept,
        x,
        slope,
        starts_h,
        position,
        starts_q,
        x,
    )


def _backward(run, kept, D, starts_h, starts_q, x, slope, position, dy):
    """The gradients by the compiled kernels."""
    made = run(
        _BACKWARD,
        "=R*S*IR01+r",
        D,
        (),
        (),
        kept,
        x,
        slope,
        starts_h,
        position,
        starts_q,
        dy,
        x,
    )
    if made is None or made is True:
        return made
    dx = made
    return dx, None, None


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, slope, position):
        y, ctx.kept = made
        ctx.save_for_backward(x, slope, position)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, slope, position = ctx.saved_tensors
        found = None
        if not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, slope, position, dy)
            found = _backward(_guards.run, ctx.kept, *given)
        if found is None:
            found = _LAYER.gradients(ctx.kept, (x, slope, position), (), (dy,))
            return None, *found
        return None, *found


def _rows_of(x, slope, position):
    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""
    if x.ndim != 4:
        return None
    b, h, q, k = x.shape
    if slope.shape != (h,):
        return None
    if position.shape != (q,):
        return None
    starts_h = _guards.starts(0, (b, h, q), (0, 1, 0))
    starts_q = _guards.starts(0, (b, h, q), (0, 0, 1))
    return (
        k,
        starts_h,
        starts_q,
        x.contiguous(),
        slope.contiguous(),
        _guards.whole(position).contiguous(),
    )


def _pulled_rows(x, slope, position, dy):
    """D, and what the kernels of backward take, of arrays."""
    b, h, q, k = x.shape
    first = x.contiguous()
    starts_h = _guards.starts(0, (b, h, q), (0, 1, 0))
    starts_q = _guards.starts(0, (b, h, q), (0, 0, 1))
    return (
        k,
        starts_h,
        starts_q,
        first,
        slope.contiguous(),
        _guards.whole(position).contiguous(),
        dy.contiguous(),
    )


def _forward_on_gpu(kernels, save, x, slope, position):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    b, h, q, k = _axes("x", x, "b h q k", 4)
    slope = _floats("slope", slope, (h,), "(h)")
    position = _integers("position", position, (q,), "(q)")
    D = k
    rows = b*h*q
    kind = _widest(x, slope)
    y = x.new_empty((b, h, q, k))
    m = x.new_empty(rows, dtype=kind) if save else None
    inv_sum_e_shifted = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(b, h, q, k)
    x_strides = _gpu.strides(x_rows, 0, 1, 2, 3)
    slope_rows = slope.reshape(h)
    slope_strides = _gpu.strides(slope_rows, 0)
    position_rows = position.reshape(q)
    position_strides = _gpu.strides(position_rows, 0)
    y_rows = y.view(b, h, q, k)
    y_strides = _gpu.strides(y_rows, 0, 1, 2, 3)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.alibi_softmax_forward,
        x.device,
        programs,
        sizes.num_warps,
        False,
        x_rows,
        slope_rows,
        position_rows,
        y_rows,
        m,
        inv_sum_e_shifted,
        *x_strides,
        *slope_strides,
        *position_strides,
        *y_strides,
        h,
        q,
        rows,
        D,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:3], *y_strides[:3]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (m, inv_sum_e_shifted)


def _backward_on_gpu(kernels, saved, x, slope, position, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    b, h, q, k = x.shape
    D = k
    rows = b*h*q
    kind = _widest(x, slope)
    m, inv_sum_e_shifted = saved
    dx = _gpu.room((b, h, q, k), x)
    x_rows = x.reshape(b, h, q, k)
    x_strides = _gpu.strides(x_rows, 0, 1, 2, 3)
    slope_rows = slope.reshape(h)
    slope_strides = _gpu.strides(slope_rows, 0)
    position_rows = position.reshape(q)
    position_strides = _gpu.strides(position_rows, 0)
    dy_rows = dy.reshape(b, h, q, k)
    dy_strides = _gpu.strides(dy_rows, 0, 1, 2, 3)
    dx_rows = dx.view(b, h, q, k)
    dx_strides = _gpu.strides(dx_rows, 0, 1, 2, 3)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.alibi_softmax_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        slope_rows,
        position_rows,
        dy_rows,
        m,
        inv_sum_e_shifted,
        dx_rows,
        *x_strides,
        *slope_strides,
        *position_strides,
        *dy_strides,
        *dx_strides,
        h,
        q,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:3], *dy_strides[:3], *dx_strides[:3]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx, None, None)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__, "kernels", "alibi_softmax_forward", macros=("LNGEN_PLACED",)
)
_BACKWARD = _torch.CompiledDirection(
    __file__, "kernels", "alibi_softmax_backward", macros=("LNGEN_PLACED",)
)
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        alibi_softmax,
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
    inputs={"x": "R", "slope": "S", "position": "I"},
    outputs={"y": "r"},
    rows=("x",),
    constants={},
    data=("slope", "position"),
    scalars=2,
)


class AlibiSoftmax(_torch.Module):
    """`alibi_softmax` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__()

    def forward(
        self, x: _torch.Tensor, slope: _torch.Tensor, position: _torch.Tensor
    ) -> _torch.Tensor:
        """Return `alibi_softmax` of the arguments."""
        return alibi_softmax(x, slope, position)


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


def _integers(name, value, shape=None, axes=""):
    """Integers, those beyond 32 bits as the nearest."""
    if value.is_floating_point() or value.is_complex():
        raise TypeError(f"{name} is of type {value.dtype}; pass integers, as {name}.long()")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {tuple(value.shape)}; pass {axes}, which is {tuple(shape)}")
    return value.to(torch.int64).clamp(-(2**31), 2**31 - 1)


def _axes(name, value, pattern, count, more=False):
    """The sizes of the axes of a tensor, of which there are so many, or more."""
    if value.ndim < count or (value.ndim > count and not more):
        raise ValueError(f"{name} has shape {tuple(value.shape)}; pass an array with the axes {pattern}")
    return value.shape


def _index(zero, count):
    """The numbers below a count, on the device of another."""
    return zero.new_ones((count,), dtype=torch.int64).cumsum(0) - 1


def _within(test, value):
    """A value that nothing depends on where a test fails: an infinite derivative there is dropped."""
    return torch.where(test, value, value.detach())
