# Made by lngen 0.1.0 from the definition of relu_squared; derivation.md has its steps, cost and evidence.
# Do not edit; edit relu_squared.py and run: lngen derive relu_squared.py
# definition sha256:1f4d0bba06106d2d5bde084978ce875d350faebb4f3e03c44c88b41f8d56b117
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Square of the positive part.

`relu_squared` takes tensors, and `ReluSquared` is a module. A plain call on the processor
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
    "ReluSquared",
    "relu_squared",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def relu_squared(x: _torch.Tensor) -> _torch.Tensor:
    """Square of the positive part.

        y = where(x <= 0, 0, x)**2

    Args:
        x: shape (..., D).

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if _LAYER.has_kernels and not torch.compiler.is_compiling():
        made = _forward(_guards.run, True, x)
        if made is None:
            (x,) = _guards.dense("R", x)
            made = _forward(_guards.run, True, x)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x)
    return _LAYER.call(x)


def _decomposed(x):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    return _rows(x)


def _rows(x):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x)
    x = x.to(dtype)
    y = torch.where(x <= 0, 0, x)**2  # step 1
    return y.to(stored)


def _forward(run, kept, x):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows; a capital has to
    be there. Behind + is a result, of the shape and type of the tensor that is
    passed for it. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(_FORWARD, "R+r", 1, (), (), kept, x, x)


def _backward(run, kept, x, dy):
    """The gradients by the compiled kernels."""
    made = run(_BACKWARD, "RR+r", 1, (), (), kept, x, dy, x)
    if made is None or made is True:
        return made
    dx = made
    return dx,


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x):
        y, ctx.kept = made
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        found = _backward(_guards.run, ctx.kept, x, dy.contiguous())
        if found is None or found is True:
            found = _LAYER.gradients(ctx.kept, (x,), (), (dy,))
        return None, *found


def _forward_on_gpu(kernels, save, x):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x)
    y = x.new_empty(x.shape)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.relu_squared_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        y,
        *x_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), ()


def _backward_on_gpu(kernels, saved, x, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x)
    dx = _gpu.room(x.shape, x)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    dy_rows = dy.reshape(rows, D)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.relu_squared_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        dy_rows,
        dx,
        *x_strides,
        *dy_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *dy_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx,)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(__file__, "kernels", "relu_squared_forward")
_BACKWARD = _torch.CompiledDirection(__file__, "kernels", "relu_squared_backward")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        relu_squared,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R"},
    outputs={"y": "r"},
    rows=("x",),
    constants={},
)


class ReluSquared(_torch.Module):
    """`relu_squared` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__()

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `relu_squared` of the arguments."""
        return relu_squared(x)


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
