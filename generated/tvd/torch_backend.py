# Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
# Do not edit; edit tvd.py and run: lngen derive tvd.py
# definition sha256:531a69e0531c8d084bce4e7dc397809639b91913c16cd826b7e28806ee2c4e04
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Total variation distance of a teacher's and a student's softmax, one number a row.

`tvd` takes tensors, and `TVD` is a module. A plain call on the processor
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
    "TVD",
    "tvd",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def tvd(x: _torch.Tensor, teacher: _torch.Tensor) -> _torch.Tensor:
    """Total variation distance of a teacher's and a student's softmax, one number a row.

        m_2 = max(x)
        e_shifted = exp(x - m_2)
        m = max(teacher)
        t_shifted = exp(teacher - m)
        Z = sum(e_shifted)
        inv_Z = 1/Z
        q = inv_Z*e_shifted
        Z_2 = sum(t_shifted)
        inv_Z_2 = 1/Z_2
        p = inv_Z_2*t_shifted
        sum_abs = sum(abs(p - q))
        y = sum_abs/2

    Args:
        x: shape (..., D).
        teacher: shape (..., D), without a gradient.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if _LAYER.has_kernels and not torch.compiler.is_compiling():
        made = _forward(_guards.run, True, x, teacher)
        if made is None:
            x, teacher = _guards.dense("RR", x, teacher)
            made = _forward(_guards.run, True, x, teacher)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, teacher)
    return _LAYER.call(x, teacher)


def _decomposed(x, teacher):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    teacher = _floats("teacher", teacher, x.shape, "the shape of x")
    y = _rows(x, teacher)
    return y[..., 0]


def _rows(x, teacher):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, teacher)
    x = x.to(dtype)
    teacher = teacher.to(dtype)
    largest = torch.finfo(dtype).max
    # step 1
    m_2 = torch.clip(torch.amax(x, dim=-1, keepdim=True).detach(), -largest, largest)
    # step 4
    m = torch.clip(
        torch.amax(teacher, dim=-1, keepdim=True).detach(), -largest, largest
    )
    x_shifted = x - m_2  # step 2
    e_shifted = torch.exp(x_shifted)  # step 3
    teacher_shifted = teacher - m  # step 5
    t_shifted = torch.exp(teacher_shifted)  # step 6
    Z = torch.sum(e_shifted, dim=-1, keepdim=True)  # step 7
    Z_2 = torch.sum(t_shifted, dim=-1, keepdim=True)  # step 10
    inv_Z = 1/Z  # step 8
    inv_Z_2 = 1/Z_2  # step 11
    q = e_shifted*inv_Z  # step 9
    p = t_shifted*inv_Z_2  # step 12
    sum_abs = torch.sum(torch.abs(p - q), dim=-1, keepdim=True)  # step 13
    y = 0.5*sum_abs  # step 14
    return y.to(stored)


def _forward(run, kept, x, teacher):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row; a capital has to be there. Behind + is a result, of the shape and type of
    the tensor that is passed for it; a digit is a row scalar. A bar begins what the
    kernel of sums reads, another what neither kernel does. The number behind the
    form is the least D.
    """
    return run(_FORWARD, "RR+s0123", 1, (), (), kept, x, teacher, x)


def _backward(run, kept, x, teacher, dy):
    """The gradients by the compiled kernels."""
    made = run(_BACKWARD, "RRS0123+r", 1, (), (), kept, x, teacher, dy, x)
    if made is None or made is True:
        return made
    dx = made
    return dx, None


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, teacher):
        y, ctx.kept = made
        ctx.save_for_backward(x, teacher)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, teacher = ctx.saved_tensors
        found = _backward(_guards.run, ctx.kept, x, teacher, dy.contiguous())
        if found is None or found is True:
            found = _LAYER.gradients(ctx.kept, (x, teacher), (), (dy,))
        return None, *found


def _forward_on_gpu(kernels, save, x, teacher):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    teacher = _floats("teacher", teacher, x.shape, "the shape of x")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, teacher)
    y = x.new_empty(x.shape[:-1])
    m_2 = x.new_empty(rows, dtype=kind) if save else None
    m = x.new_empty(rows, dtype=kind) if save else None
    inv_Z = x.new_empty(rows, dtype=kind) if save else None
    inv_Z_2 = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    teacher_rows = teacher.reshape(rows, D)
    teacher_strides = _gpu.strides(teacher_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.tvd_forward,
        x.device,
        programs,
        sizes.num_warps,
        False,
        x_rows,
        teacher_rows,
        y,
        m_2,
        m,
        inv_Z,
        inv_Z_2,
        *x_strides,
        *teacher_strides,
        rows,
        D,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *teacher_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (m_2, m, inv_Z, inv_Z_2)


def _backward_on_gpu(kernels, saved, x, teacher, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, teacher)
    m_2, m, inv_Z, inv_Z_2 = saved
    dx = _gpu.room(x.shape, x)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    teacher_rows = teacher.reshape(rows, D)
    teacher_strides = _gpu.strides(teacher_rows, 0, 1)
    dy_rows = dy.reshape(rows)
    dy_strides = _gpu.strides(dy_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.tvd_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        teacher_rows,
        dy_rows,
        m_2,
        m,
        inv_Z,
        inv_Z_2,
        dx,
        *x_strides,
        *teacher_strides,
        *dy_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *teacher_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx, None)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(__file__, "kernels", "tvd_forward")
_BACKWARD = _torch.CompiledDirection(__file__, "kernels", "tvd_backward")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        tvd,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "teacher": "R"},
    outputs={"y": "s"},
    rows=("x",),
    constants={},
    data=("teacher",),
    scalars=4,
)


class TVD(_torch.Module):
    """`tvd` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__()

    def forward(self, x: _torch.Tensor, teacher: _torch.Tensor) -> _torch.Tensor:
        """Return `tvd` of the arguments."""
        return tvd(x, teacher)


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
