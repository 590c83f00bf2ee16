# Made by lngen 0.1.0 from the definition of cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Cross entropy of soft targets with the softmax of a row, one number a row.

`cross_entropy` takes tensors, and `CrossEntropy` is a module. A plain call on the processor
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
    "CrossEntropy",
    "cross_entropy",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def cross_entropy(x: _torch.Tensor, target: _torch.Tensor) -> _torch.Tensor:
    """Cross entropy of soft targets with the softmax of a row, one number a row.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        logp = x - m - log_Z
        sum_logp_target = sum(logp*target)
        y = -sum_logp_target

    Args:
        x: shape (..., D).
        target: shape (..., D).

    Returns y in the type of the first rows. y has one value per row, shape
    x.shape[:-1]. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if _LAYER.has_kernels and not torch.compiler.is_compiling():
        made = _forward(_guards.run, True, x, target)
        if made is None:
            x, target = _guards.dense("RR", x, target)
            made = _forward(_guards.run, True, x, target)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, target)
    return _LAYER.call(x, target)


def _decomposed(x, target):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    target = _floats("target", target, x.shape, "the shape of x")
    y = _rows(x, target)
    return y[..., 0]


def _rows(x, target):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, target)
    x = x.to(dtype)
    target = target.to(dtype)
    largest = torch.finfo(dtype).max
    # step 1
    m = torch.clip(torch.amax(x, dim=-1, keepdim=True).detach(), -largest, largest)
    x_shifted = x - m  # step 2
    exp_shifted = torch.exp(x_shifted)  # step 3
    Z = torch.sum(exp_shifted, dim=-1, keepdim=True)  # step 4
    log_Z = torch.log(Z)  # step 5
    logp = x_shifted - log_Z  # step 6
    sum_logp_target = torch.sum(logp*target, dim=-1, keepdim=True)  # step 7
    y = -sum_logp_target  # step 8
    return y.to(stored)


def _forward(run, kept, x, target):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row; a capital has to be there. Behind + is a result, of the shape and type of
    the tensor that is passed for it; a digit is a row scalar. A bar begins what the
    kernel of sums reads, another what neither kernel does. The number behind the
    form is the least D.
    """
    return run(_FORWARD, "RR+s012", 1, (), (), kept, x, target, x)


def _backward(run, kept, x, target, dy):
    """The gradients by the compiled kernels."""
    return run(_BACKWARD, "RRS012+r+r", 1, (), (), kept, x, target, dy, x, target)


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, target):
        y, ctx.kept = made
        ctx.save_for_backward(x, target)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, target = ctx.saved_tensors
        found = _backward(_guards.run, ctx.kept, x, target, dy.contiguous())
        if found is None or found is True:
            found = _LAYER.gradients(ctx.kept, (x, target), (), (dy,))
        return None, *found


def _forward_on_gpu(kernels, save, x, target):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    target = _floats("target", target, x.shape, "the shape of x")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, target)
    y = x.new_empty(x.shape[:-1])
    m = x.new_empty(rows, dtype=kind) if save else None
    Z = x.new_empty(rows, dtype=kind) if save else None
    log_Z = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    target_rows = target.reshape(rows, D)
    target_strides = _gpu.strides(target_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.cross_entropy_forward,
        x.device,
        programs,
        sizes.num_warps,
        False,
        x_rows,
        target_rows,
        y,
        m,
        Z,
        log_Z,
        *x_strides,
        *target_strides,
        rows,
        D,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *target_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (m, Z, log_Z)


def _backward_on_gpu(kernels, saved, x, target, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, target)
    m, Z, log_Z = saved
    dx = _gpu.room(x.shape, x)
    dtarget = _gpu.room(x.shape, target)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    target_rows = target.reshape(rows, D)
    target_strides = _gpu.strides(target_rows, 0, 1)
    dy_rows = dy.reshape(rows)
    dy_strides = _gpu.strides(dy_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 4, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.cross_entropy_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        target_rows,
        dy_rows,
        m,
        Z,
        log_Z,
        dx,
        dtarget,
        *x_strides,
        *target_strides,
        *dy_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *target_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx, dtarget)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(__file__, "kernels", "cross_entropy_forward")
_BACKWARD = _torch.CompiledDirection(__file__, "kernels", "cross_entropy_backward")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        cross_entropy,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "target": "R"},
    outputs={"y": "s"},
    rows=("x", "target"),
    constants={},
    scalars=3,
)


class CrossEntropy(_torch.Module):
    """`cross_entropy` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__()

    def forward(self, x: _torch.Tensor, target: _torch.Tensor) -> _torch.Tensor:
        """Return `cross_entropy` of the arguments."""
        return cross_entropy(x, target)


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
