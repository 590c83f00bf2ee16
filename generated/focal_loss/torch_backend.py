# Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

`focal_loss` takes tensors, and `FocalLoss` is a module. A plain call on the processor
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
    "FocalLoss",
    "focal_loss",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def focal_loss(
    x: _torch.Tensor, label: _torch.Tensor, *, gamma: float = 2.0
) -> _torch.Tensor:
    """Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        logp = x - m - log_Z
        logpt = sum(where(index() == label, logp, 0))
        expm1_logpt = expm1(logpt)
        power_expm1_logpt = (-expm1_logpt)**gamma
        y = -logpt*power_expm1_logpt

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        gamma: a constant, a finite number of 0 or more.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(gamma) is float
        and 0 <= gamma < _INFINITE
    ):
        made = _forward(_guards.run, True, gamma, x, label)
        if made is None:
            x, label = _guards.dense("RI", x, label)
            made = _forward(_guards.run, True, gamma, x, label)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, label, gamma)
    return _LAYER.call(x, label, gamma)


def _decomposed(x, label, gamma):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    if not (0 <= gamma < float("inf")):
        raise ValueError(f"gamma is {gamma}; pass a finite number of 0 or more")
    y = _rows(x, label[..., None], gamma)
    return y[..., 0]


def _rows(x, label, gamma):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x)
    zero = x.new_zeros((), dtype=dtype)
    shape = x.shape
    x = x.to(dtype)
    label = label.to(torch.int64)
    gamma = zero + gamma
    D = shape[-1]
    index = _index(zero, D)
    largest = torch.finfo(dtype).max
    # step 1
    m = torch.clip(torch.amax(x, dim=-1, keepdim=True).detach(), -largest, largest)
    x_shifted = x - m  # step 2
    exp_shifted = torch.exp(x_shifted)  # step 3
    Z = torch.sum(exp_shifted, dim=-1, keepdim=True)  # step 4
    _test_1 = index == label
    log_Z_1 = torch.log(_within(_test_1, Z))  # step 5
    logp_1 = _within(_test_1, x_shifted) - log_Z_1  # step 6
    logpt = torch.sum(torch.where(_test_1, logp_1, 0), dim=-1, keepdim=True)  # step 7
    expm1_logpt = torch.expm1(logpt)  # step 8
    power_expm1_logpt = (-expm1_logpt)**gamma  # step 9
    y = -logpt*power_expm1_logpt  # step 10
    return y.to(stored)


def _forward(run, kept, gamma, x, label):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row, of integers i one value a row; a capital has to be there. Behind + is a
    result, of the shape and type of the tensor that is passed for it; a digit is a
    row scalar. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(_FORWARD, "RI+s01234", 1, (), (gamma,), kept, x, label, x)


def _backward(run, kept, gamma, x, label, dy):
    """The gradients by the compiled kernels."""
    made = run(_BACKWARD, "RIS01234+r", 1, (), (gamma,), kept, x, label, dy, x)
    if made is None or made is True:
        return made
    dx = made
    return dx, None


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, label, gamma):
        y, ctx.kept = made
        ctx.save_for_backward(x, label)
        ctx.numbers = (gamma,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, label = ctx.saved_tensors
        (gamma,) = ctx.numbers
        found = _backward(_guards.run, ctx.kept, gamma, x, label, dy.contiguous())
        if found is None or found is True:
            found = _LAYER.gradients(ctx.kept, (x, label, gamma), (), (dy,))
        return None, *found, None


def _forward_on_gpu(kernels, save, x, label, gamma):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    if not (0 <= gamma < float("inf")):
        raise ValueError(f"gamma is {gamma}; pass a finite number of 0 or more")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x)
    y = x.new_empty(x.shape[:-1])
    m = x.new_empty(rows, dtype=kind) if save else None
    Z = x.new_empty(rows, dtype=kind) if save else None
    logpt = x.new_empty(rows, dtype=kind) if save else None
    expm1_logpt = x.new_empty(rows, dtype=kind) if save else None
    power_expm1_logpt = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    label_rows = label.reshape(rows)
    label_strides = _gpu.strides(label_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 1, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.focal_loss_forward,
        x.device,
        programs,
        sizes.num_warps,
        False,
        x_rows,
        label_rows,
        float(gamma),
        y,
        m,
        Z,
        logpt,
        expm1_logpt,
        power_expm1_logpt,
        *x_strides,
        *label_strides,
        rows,
        D,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (m, Z, logpt, expm1_logpt, power_expm1_logpt)


def _backward_on_gpu(kernels, saved, x, label, gamma, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x)
    m, Z, logpt, expm1_logpt, power_expm1_logpt = saved
    dx = _gpu.room(x.shape, x)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    label_rows = label.reshape(rows)
    label_strides = _gpu.strides(label_rows, 0)
    dy_rows = dy.reshape(rows)
    dy_strides = _gpu.strides(dy_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.focal_loss_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        label_rows,
        dy_rows,
        m,
        Z,
        logpt,
        expm1_logpt,
        power_expm1_logpt,
        float(gamma),
        dx,
        *x_strides,
        *label_strides,
        *dy_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx, None)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(__file__, "kernels", "focal_loss_forward")
_BACKWARD = _torch.CompiledDirection(__file__, "kernels", "focal_loss_backward")
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        focal_loss,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "label": "I"},
    outputs={"y": "s"},
    rows=("x",),
    constants={"gamma": False},
    data=("label",),
    scalars=5,
)


class FocalLoss(_torch.Module):
    """`focal_loss` as a module without parameters.

    Args:
        gamma: a constant, a finite number of 0 or more.
    """

    _layer = _LAYER

    def __init__(self, *, gamma: float = 2.0) -> None:
        super().__init__()
        self.gamma = self._constant("gamma", gamma, False)

    def forward(self, x: _torch.Tensor, label: _torch.Tensor) -> _torch.Tensor:
        """Return `focal_loss` of the arguments and the parameters of the module."""
        return focal_loss(x, label, gamma=self.gamma)


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


def _index(zero, count):
    """The numbers below a count, on the device of another."""
    return zero.new_ones((count,), dtype=torch.int64).cumsum(0) - 1


def _within(test, value):
    """A value that nothing depends on where a test fails: an infinite derivative there is dropped."""
    return torch.where(test, value, value.detach())
