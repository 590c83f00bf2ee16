# Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

`causal_softmax` takes tensors, and `CausalSoftmax` is a module. A plain call on the processor
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
    "CausalSoftmax",
    "causal_softmax",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def causal_softmax(
    x: _torch.Tensor,
    position: _torch.Tensor,
    scale: float | _torch.Tensor | None = None,
) -> _torch.Tensor:
    """Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

        m = max(where(index() <= position, scale*x, -1e38))
        u = where(index() <= position, scale*x - m, 0)
        exp_u = exp(u)
        e_shifted = where(index() <= position, exp_u, 0)
        sum_e_shifted = sum(e_shifted)
        inv_sum_e_shifted = 1/sum_e_shifted
        y = inv_sum_e_shifted*e_shifted

    Args:
        x: an array with the axes ... q k.
        position: an array with the axes q, without a gradient.
        scale: a number or a tensor without axes. If omitted it is 1.

    Returns y in the type of x. y is an array with the axes ... q k. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, position, scale = _LAYER.taken(x, position, scale)
    if _LAYER.has_kernels and not torch.compiler.is_compiling():
        given = _rows_of(x, position, scale)
        kept = None if _guards.is_recorded((x, position, scale)) else True
        made = given and _forward(_guards.run, kept, *given)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, position, scale)
    return _LAYER.call(x, position, scale)


def _decomposed(x, position, scale):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    *rest, q, k = _axes("x", x, "... q k", 2, True)
    position = _integers("position", position, (q,), "(q)")
    scale = None if scale is None else _number("scale", scale)
    y = _rows(x.reshape(_product(rest), q, k), position.reshape(1, q, 1), scale)
    return y.reshape((*rest, q, k))


def _rows(x, position, scale):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, scale)
    zero = x.new_zeros((), dtype=dtype)
    shape = x.shape
    x = x.to(dtype)
    position = position.to(torch.int64)
    scale = zero + 1 if scale is None else scale.to(dtype)
    D = shape[2]
    index = _index(zero, D).reshape(1, 1, shape[2])
    largest = torch.finfo(dtype).max
    # step 1
    m = torch.clip(
        torch.amax(
            torch.where(index <= position, x*scale, -1e+38), dim=2, keepdim=True
        ).detach(),
        -largest,
        largest,
    )
    _test_1 = index <= position
    u_1 = _within(_test_1, x)*_within(_test_1, scale) - m  # step 2
    exp_u_1 = torch.exp(u_1)  # step 3
    e_shifted = torch.where(_test_1, exp_u_1, 0)  # step 4
    sum_e_shifted = torch.sum(e_shifted, dim=2, keepdim=True)  # step 5
    inv_sum_e_shifted = 1/sum_e_shifted  # step 6
    y = e_shifted*inv_sum_e_shifted  # step 7
    return y.to(stored)


def _forward(run, kept, D, starts_q, x, position, scale):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, n has one value,
    of integers i one value a row; a capital has to be there, * lies where a table
    says. Behind + is a result, of the shape and type of the tensor that is passed
    for it; a digit is a row scalar. A bar begins what the kernel of sums reads,
    another what neither kernel does. The number behind the form is the least D.
    """
    return run(
        _FORWARD,
        "=R*In+r01",
        D,
        (scale is None,),
        (),
        kept,
        x,
        position,
        starts_q,
        scale,
        x,
    )


def _backward(run, kept, D, starts_q, x, position, scale, dy):
    """The gradients by the compiled kernels."""
    made = run(
        _BACKWARD,
        "=R*IR01n+r|n+n",
        D,
        (scale is None,),
        (),
        kept,
        x,
        position,
        starts_q,
        dy,
        scale,
        x,
        scale,
        scale,
    )
    if made is None or made is True:
        return made
    dx, dscale = made
    return dx, None, dscale


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, position, scale):
        y, ctx.kept = made
        ctx.save_for_backward(x, position, scale)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, position, scale = ctx.saved_tensors
        found = None
        if not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, position, scale, dy)
            found = _backward(_guards.run, ctx.kept, *given)
        if found is None:
            found = _LAYER.gradients(ctx.kept, (x, position, scale), (), (dy,))
            return None, *found
        return None, *found


def _rows_of(x, position, scale):
    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""
    if x.ndim < 2:
        return None
    *rest, q, k = x.shape
    if position.shape != (q,):
        return None
    starts_q = _guards.starts(0, (_product(rest), q), (0, 1))
    return (k, starts_q, x.contiguous(), _guards.whole(position).contiguous(), scale)


def _pulled_rows(x, position, scale, dy):
    """D, and what the kernels of backward take, of arrays."""
    *rest, q, k = x.shape
    first = x.contiguous()
    starts_q = _guards.starts(0, (_product(rest), q), (0, 1))
    return (
        k,
        starts_q,
        first,
        _guards.whole(position).contiguous(),
        scale,
        dy.contiguous(),
    )


def _forward_on_gpu(kernels, save, x, position, scale):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    *rest, q, k = _axes("x", x, "... q k", 2, True)
    position = _integers("position", position, (q,), "(q)")
    scale = None if scale is None else _number("scale", scale)
    D = k
    rows = _product(rest)*q
    kind = _widest(x, scale)
    y = x.new_empty((*rest, q, k))
    m = x.new_empty(rows, dtype=kind) if save else None
    inv_sum_e_shifted = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(_product(rest), q, k)
    x_strides = _gpu.strides(x_rows, 0, 1, 2)
    position_rows = position.reshape(q)
    position_strides = _gpu.strides(position_rows, 0)
    y_rows = y.view(_product(rest), q, k)
    y_strides = _gpu.strides(y_rows, 0, 1, 2)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.causal_softmax_forward,
        x.device,
        programs,
        sizes.num_warps,
        False,
        x_rows,
        position_rows,
        scale,
        y_rows,
        m,
        inv_sum_e_shifted,
        *x_strides,
        *position_strides,
        *y_strides,
        q,
        rows,
        D,
        scale is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:2], *y_strides[:2]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (m, inv_sum_e_shifted)


def _backward_on_gpu(kernels, saved, x, position, scale, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    *rest, q, k = x.shape
    D = k
    rows = _product(rest)*q
    kind = _widest(x, scale)
    m, inv_sum_e_shifted = saved
    dx = _gpu.room((*rest, q, k), x)
    dscale = _gpu.room((), scale)
    x_rows = x.reshape(_product(rest), q, k)
    x_strides = _gpu.strides(x_rows, 0, 1, 2)
    position_rows = position.reshape(q)
    position_strides = _gpu.strides(position_rows, 0)
    dy_rows = dy.reshape(_product(rest), q, k)
    dy_strides = _gpu.strides(dy_rows, 0, 1, 2)
    dx_rows = dx.view(_product(rest), q, k)
    dx_strides = _gpu.strides(dx_rows, 0, 1, 2)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    sums = x.new_empty((programs, 1), dtype=kind)
    _gpu.launch(
        kernels.causal_softmax_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        position_rows,
        dy_rows,
        m,
        inv_sum_e_shifted,
        scale,
        dx_rows,
        sums,
        *x_strides,
        *position_strides,
        *dy_strides,
        *dx_strides,
        q,
        rows,
        D,
        scale is not None,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:2], *dy_strides[:2], *dx_strides[:2]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    _gpu.launch(
        kernels.causal_softmax_backward_totals,
        x.device,
        1,
        4,
        True,
        sums,
        dscale,
        programs,
        D,
        scale is not None,
        _gpu.real(kind),
        _gpu.even(D),
        _gpu.AT_ONCE,
    )
    return (dx, None, dscale)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "causal_softmax_forward",
    optional=("scale",),
    macros=("LNGEN_PLACED",),
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "causal_softmax_backward",
    "causal_softmax_backward_columns",
    optional=("scale",),
    sums=(0, 1),
    macros=("LNGEN_PLACED",),
)
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        causal_softmax,
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
    inputs={"x": "R", "position": "I", "scale": "n"},
    outputs={"y": "r"},
    rows=("x",),
    constants={},
    data=("position",),
    scalars=2,
)


class CausalSoftmax(_torch.Module):
    """`causal_softmax` as a module with the parameter scale.

    Args:
        scale: False omits it; its initial value is 1.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        *,
        scale: bool = True,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__()
        self._parameter("scale", scale, (), 1, device, dtype)

    def forward(self, x: _torch.Tensor, position: _torch.Tensor) -> _torch.Tensor:
        """Return `causal_softmax` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            scale = _own["scale"]
        except KeyError:  # a parametrized module has attributes instead
            scale = self.scale
        return causal_softmax(x, position, scale)


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


def _product(sizes):
    return math.prod(sizes)


def _index(zero, count):
    """The numbers below a count, on the device of another."""
    return zero.new_ones((count,), dtype=torch.int64).cumsum(0) - 1


def _within(test, value):
    """A value that nothing depends on where a test fails: an infinite derivative there is dropped."""
    return torch.where(test, value, value.detach())
