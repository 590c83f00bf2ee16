# Made by lngen 0.1.0 from the definition of geglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit geglu.py and run: lngen derive geglu.py
# definition sha256:8a199d9f756d9e149a24c860c84a624e5964b77f0da163fe0375a5ea2d4efc65
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array.

`geglu` takes tensors, and `Geglu` is a module. A plain call on the processor
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
    "Geglu",
    "geglu",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def geglu(x: _torch.Tensor) -> _torch.Tensor:
    """Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array.

        gate = at(x, s=0)
        value = at(x, s=1)
        sigmoid_u = sigmoid(1.5957691216057308*gate + 35677408136300126361*gate**3/5e20)
        y = gate*sigmoid_u*value

    Args:
        x: an array with the axes ... (s d), s of size 2.

    Returns y in the type of x. y is an array with the axes ... d. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, = _LAYER.taken(x)
    if _LAYER.has_kernels and not torch.compiler.is_compiling() and x.itemsize > 2:
        given = _rows_of(x)
        kept = None if _guards.is_recorded((x,)) else True
        made = given and _forward(_guards.run, kept, *given)
        if made is not None:
            y, kept = made
            return _outputs(y, x) if kept is None else _Recorded.apply(made, x)
    return _LAYER.call(x)


def _decomposed(x):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    *rest, s_d = _axes("x", x, "... (s d)", 1, True)
    if s_d % 2:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, and s = {2} does not divide its axis (s d) of {s_d}"
        )
    d = s_d // 2
    y = _rows(
        x.reshape(_product(rest), 2, d)[:, 0], x.reshape(_product(rest), 2, d)[:, 1]
    )
    return y.reshape((*rest, d))


def _rows(gate, value):
    """The outputs, each line by its step of the derivation."""
    stored = gate.dtype
    dtype = _widest(gate, value)
    gate = gate.to(dtype)
    value = value.to(dtype)
    total = gate + 8943*gate**3/200000  # step 1
    u = 1.5957691216057308*total  # step 2
    sigmoid_u = torch.sigmoid(u)  # step 3
    y = gate*sigmoid_u*value  # step 5
    return y.to(stored)


def _forward(run, kept, D, gate, value):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows; a capital has to
    be there. Behind + is a result, of the shape and type of the tensor that is
    passed for it. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(_FORWARD, "=RR+r", D, (), (), kept, gate, value, gate)


def _backward(run, kept, D, gate, value, dy):
    """The gradients by the compiled kernels."""
    return run(_BACKWARD, "=RRR+r+r", D, (), (), kept, gate, value, dy, gate, value)


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x):
        y, ctx.kept = made
        y = _outputs(y, x)
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        found = None
        if x.itemsize > 2 and not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, dy)
            found = _backward(_guards.run, ctx.kept, *given)
        if found is None:
            found = _LAYER.gradients(ctx.kept, (x,), (), (dy,))
            return None, *found
        return None, *_gradients(*found, x)


def _rows_of(x):
    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""
    if x.ndim < 1:
        return None
    *rest, s_d = x.shape
    entries = _product(rest)
    if s_d % 2:
        return None
    d = s_d // 2
    return (
        d,
        x.detach().reshape(entries, 2, d)[:, 0].contiguous(),
        x.detach().reshape(entries, 2, d)[:, 1].contiguous(),
    )


def _pulled_rows(x, dy):
    """D, and what the kernels of backward take, of arrays."""
    *rest, s_d = x.shape
    entries = _product(rest)
    d = s_d // 2
    first = x.detach().reshape(entries, 2, d)[:, 0].contiguous()
    return (
        d,
        first,
        x.detach().reshape(entries, 2, d)[:, 1].contiguous(),
        dy.contiguous(),
    )


def _outputs(y, x):
    """The outputs as callers have them."""
    *rest, s_d = x.shape
    d = s_d // 2
    return y.reshape(_product(rest), d).reshape((*rest, d)).detach()


def _gradients(dgate, dvalue, x):
    """The gradients of inputs as callers have these."""
    *rest, s_d = x.shape
    d = s_d // 2
    return torch.stack((dgate.reshape(_product(rest), d), dvalue), 1).reshape(x.shape),


def _forward_on_gpu(kernels, save, x):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    *rest, s_d = _axes("x", x, "... (s d)", 1, True)
    if s_d % 2:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, and s = {2} does not divide its axis (s d) of {s_d}"
        )
    d = s_d // 2
    D = d
    rows = _product(rest)
    kind = _widest(x)
    y = x.new_empty((*rest, d))
    gate_rows = x.reshape(_product(rest), 2, d)[:, 0]
    gate_strides = _gpu.strides(gate_rows, 0, 1)
    value_rows = x.reshape(_product(rest), 2, d)[:, 1]
    value_strides = _gpu.strides(value_rows, 0, 1)
    y_rows = y.view(_product(rest), d)
    y_strides = _gpu.strides(y_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.geglu_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        gate_rows,
        value_rows,
        y_rows,
        *gate_strides,
        *value_strides,
        *y_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *gate_strides[:1], *value_strides[:1], *y_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), ()


def _backward_on_gpu(kernels, saved, x, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    *rest, s_d = x.shape
    d = s_d // 2
    D = d
    rows = _product(rest)
    kind = _widest(x)
    dx = _gpu.room((*rest, 2*d), x)
    gate_rows = x.reshape(_product(rest), 2, d)[:, 0]
    gate_strides = _gpu.strides(gate_rows, 0, 1)
    value_rows = x.reshape(_product(rest), 2, d)[:, 1]
    value_strides = _gpu.strides(value_rows, 0, 1)
    dy_rows = dy.reshape(_product(rest), d)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    dgate_rows = dx.view(_product(rest), 2, d)[:, 0]
    dgate_strides = _gpu.strides(dgate_rows, 0, 1)
    dvalue_rows = dx.view(_product(rest), 2, d)[:, 1]
    dvalue_strides = _gpu.strides(dvalue_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 5, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.geglu_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        gate_rows,
        value_rows,
        dy_rows,
        dgate_rows,
        dvalue_rows,
        *gate_strides,
        *value_strides,
        *dy_strides,
        *dgate_strides,
        *dvalue_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(
            D,
            *gate_strides[:1],
            *value_strides[:1],
            *dy_strides[:1],
            *dgate_strides[:1],
            *dvalue_strides[:1],
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx,)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(__file__, "kernels", "geglu_forward")
_BACKWARD = _torch.CompiledDirection(__file__, "kernels", "geglu_backward")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        geglu,
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
    constants={},
)


class Geglu(_torch.Module):
    """`geglu` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__()

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `geglu` of the arguments."""
        return geglu(x)


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
