# Made by lngen 0.1.0 from the definition of clamped_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit clamped_swiglu.py and run: lngen derive clamped_swiglu.py
# definition sha256:a1eeafff1ca861c41d2291655187f6c840acb032a1cf459ebfed94cf35e2d959
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.

`clamped_swiglu` takes tensors, and `ClampedSwiglu` is a module. A plain call on the processor
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
    "ClampedSwiglu",
    "clamped_swiglu",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def clamped_swiglu(
    x: _torch.Tensor, *, alpha: float = 1.702, limit: float = 7.0
) -> _torch.Tensor:
    """SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.

        x_0 = at(x, s=0)
        x_1 = at(x, s=1)
        gate = where(x_0 >= limit, limit, x_0)
        value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit, where(x_1 <= -limit, -limit, x_1))
        u = alpha*gate
        sigmoid_u = sigmoid(u)
        y = gate*sigmoid_u*(1 + value)

    Args:
        x: an array with the axes ... (d s), s of size 2.
        alpha: a constant, a finite number.
        limit: a constant, a finite number.

    Returns y in the type of x. y is an array with the axes ... d. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, = _LAYER.taken(x)
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and x.itemsize > 2
        and type(alpha) is float
        and -_INFINITE < alpha < _INFINITE
        and type(limit) is float
        and -_INFINITE < limit < _INFINITE
    ):
        given = _rows_of(x)
        kept = None if _guards.is_recorded((x,)) else True
        made = given and _forward(_guards.run, kept, alpha, limit, *given)
        if made is not None:
            y, kept = made
            return (
                _outputs(y, x)
                if kept is None
                else _Recorded.apply(made, x, alpha, limit)
            )
    return _LAYER.call(x, alpha, limit)


def _decomposed(x, alpha, limit):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    *rest, d_s = _axes("x", x, "... (d s)", 1, True)
    if d_s % 2:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, and s = {2} does not divide its axis (d s) of {d_s}"
        )
    d = d_s // 2
    if not (float("-inf") < alpha < float("inf")):
        raise ValueError(f"alpha is {alpha}; pass a finite number")
    if not (float("-inf") < limit < float("inf")):
        raise ValueError(f"limit is {limit}; pass a finite number")
    y = _rows(
        x.reshape(_product(rest), d, 2)[:, :, 0],
        x.reshape(_product(rest), d, 2)[:, :, 1],
        alpha,
        limit,
    )
    return y.reshape((*rest, d))


def _rows(x_0, x_1, alpha, limit):
    """The outputs, each line by its step of the derivation."""
    stored = x_0.dtype
    dtype = _widest(x_0, x_1)
    zero = x_0.new_zeros((), dtype=dtype)
    x_0 = x_0.to(dtype)
    x_1 = x_1.to(dtype)
    alpha = zero + alpha
    limit = zero + limit
    gate = torch.where(x_0 >= limit, limit, x_0)  # step 1
    # step 2
    value = torch.where(
        torch.where(x_1 <= -limit, -limit, x_1) >= limit,
        limit,
        torch.where(
            x_1 <= -limit,
            -limit,
            _within(~(torch.where(x_1 <= -limit, -limit, x_1) >= limit), x_1),
        ),
    )
    u = gate*alpha  # step 3
    sigmoid_u = torch.sigmoid(u)  # step 4
    y = gate*sigmoid_u*(value + 1)  # step 5
    return y.to(stored)


def _forward(run, kept, alpha, limit, D, x_0, x_1):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows; a capital has to
    be there. Behind + is a result, of the shape and type of the tensor that is
    passed for it. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(_FORWARD, "=RR+r", D, (), (alpha, limit), kept, x_0, x_1, x_0)


def _backward(run, kept, alpha, limit, D, x_0, x_1, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD, "=RRR+r+r", D, (), (alpha, limit), kept, x_0, x_1, dy, x_0, x_1
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, alpha, limit):
        y, ctx.kept = made
        y = _outputs(y, x)
        ctx.save_for_backward(x)
        ctx.numbers = (alpha, limit)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        alpha, limit = ctx.numbers
        found = None
        if x.itemsize > 2 and not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, dy)
            found = _backward(_guards.run, ctx.kept, alpha, limit, *given)
        if found is None:
            found = _LAYER.gradients(ctx.kept, (x, alpha, limit), (), (dy,))
            return None, *found, None, None
        return None, *_gradients(*found, x), None, None


def _rows_of(x):
    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""
    if x.ndim < 1:
        return None
    *rest, d_s = x.shape
    entries = _product(rest)
    if d_s % 2:
        return None
    d = d_s // 2
    return (
        d,
        x.detach().reshape(entries, d, 2)[:, :, 0].contiguous(),
        x.detach().reshape(entries, d, 2)[:, :, 1].contiguous(),
    )


def _pulled_rows(x, dy):
    """D, and what the kernels of backward take, of arrays."""
    *rest, d_s = x.shape
    entries = _product(rest)
    d = d_s // 2
    first = x.detach().reshape(entries, d, 2)[:, :, 0].contiguous()
    return (
        d,
        first,
        x.detach().reshape(entries, d, 2)[:, :, 1].contiguous(),
        dy.contiguous(),
    )


def _outputs(y, x):
    """The outputs as callers have them."""
    *rest, d_s = x.shape
    d = d_s // 2
    return y.reshape(_product(rest), d).reshape((*rest, d)).detach()


def _gradients(dx_0, dx_1, x):
    """The gradients of inputs as callers have these."""
    *rest, d_s = x.shape
    d = d_s // 2
    return torch.stack((dx_0.reshape(_product(rest), d), dx_1), 2).reshape(x.shape),


def _forward_on_gpu(kernels, save, x, alpha, limit):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    *rest, d_s = _axes("x", x, "... (d s)", 1, True)
    if d_s % 2:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, and s = {2} does not divide its axis (d s) of {d_s}"
        )
    d = d_s // 2
    if not (float("-inf") < alpha < float("inf")):
        raise ValueError(f"alpha is {alpha}; pass a finite number")
    if not (float("-inf") < limit < float("inf")):
        raise ValueError(f"limit is {limit}; pass a finite number")
    D = d
    rows = _product(rest)
    kind = _widest(x)
    y = x.new_empty((*rest, d))
    x_0_rows = x.reshape(_product(rest), d, 2)[:, :, 0]
    x_0_strides = _gpu.strides(x_0_rows, 0, 1)
    x_1_rows = x.reshape(_product(rest), d, 2)[:, :, 1]
    x_1_strides = _gpu.strides(x_1_rows, 0, 1)
    y_rows = y.view(_product(rest), d)
    y_strides = _gpu.strides(y_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.clamped_swiglu_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_0_rows,
        x_1_rows,
        float(alpha),
        float(limit),
        y_rows,
        *x_0_strides,
        *x_1_strides,
        *y_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *x_0_strides[:1], *x_1_strides[:1], *y_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), ()


def _backward_on_gpu(kernels, saved, x, alpha, limit, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    *rest, d_s = x.shape
    d = d_s // 2
    D = d
    rows = _product(rest)
    kind = _widest(x)
    dx = _gpu.room((*rest, d*2), x)
    x_0_rows = x.reshape(_product(rest), d, 2)[:, :, 0]
    x_0_strides = _gpu.strides(x_0_rows, 0, 1)
    x_1_rows = x.reshape(_product(rest), d, 2)[:, :, 1]
    x_1_strides = _gpu.strides(x_1_rows, 0, 1)
    dy_rows = dy.reshape(_product(rest), d)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    dx_0_rows = dx.view(_product(rest), d, 2)[:, :, 0]
    dx_0_strides = _gpu.strides(dx_0_rows, 0, 1)
    dx_1_rows = dx.view(_product(rest), d, 2)[:, :, 1]
    dx_1_strides = _gpu.strides(dx_1_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 5, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.clamped_swiglu_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_0_rows,
        x_1_rows,
        dy_rows,
        float(alpha),
        float(limit),
        dx_0_rows,
        dx_1_rows,
        *x_0_strides,
        *x_1_strides,
        *dy_strides,
        *dx_0_strides,
        *dx_1_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(
            D,
            *x_0_strides[:1],
            *x_1_strides[:1],
            *dy_strides[:1],
            *dx_0_strides[:1],
            *dx_1_strides[:1],
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx,)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(__file__, "kernels", "clamped_swiglu_forward")
_BACKWARD = _torch.CompiledDirection(__file__, "kernels", "clamped_swiglu_backward")
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        clamped_swiglu,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
        rows=_rows_of,
        pulled_rows=_pulled_rows,
        outputs=_outputs,
        gradients=_gradients,
    ),
    inputs={"x": "R"},
    outputs={"y": "r"},
    rows=("x",),
    constants={"alpha": True, "limit": True},
)


class ClampedSwiglu(_torch.Module):
    """`clamped_swiglu` as a module without parameters.

    Args:
        alpha: a constant, a finite number.
        limit: a constant, a finite number.
    """

    _layer = _LAYER

    def __init__(self, *, alpha: float = 1.702, limit: float = 7.0) -> None:
        super().__init__()
        self.alpha = self._constant("alpha", alpha, True)
        self.limit = self._constant("limit", limit, True)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `clamped_swiglu` of the arguments and the parameters of the module."""
        return clamped_swiglu(x, alpha=self.alpha, limit=self.limit)


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


def _within(test, value):
    """A value that nothing depends on where a test fails: an infinite derivative there is dropped."""
    return torch.where(test, value, value.detach())
