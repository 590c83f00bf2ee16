# Made by lngen 0.1.0 from the definition of cispo; derivation.md has its steps, cost and evidence.
# Do not edit; edit cispo.py and run: lngen derive cispo.py
# Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:a21bee54b07909b1e1df488422d8fc3f4932d92800acfe716b79aec1320057a1
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Loss of a token by a clipped importance weight, from its logits: the weight is cut, and no token's gradient is.

`cispo` takes tensors, and `Cispo` is a module. A plain call on the processor
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
    "Cispo",
    "cispo",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def cispo(
    x: _torch.Tensor,
    label: _torch.Tensor,
    advantage: _torch.Tensor,
    old: _torch.Tensor,
    *,
    high: float = 4.0,
) -> _torch.Tensor:
    """Loss of a token by a clipped importance weight, from its logits: the weight is cut, and no token's gradient is.

        m_2 = max(x)
        exp_shifted = exp(x - m_2)
        Z = sum(exp_shifted)
        sum_where_x = sum(where(index() == label, x, 0))
        log_Z = log(Z)
        exp_log_Z_m_2 = exp(sum_where_x - old - m_2 - log_Z)
        ratio = stop_gradient(where(exp_log_Z_m_2 >= high, high, exp_log_Z_m_2))
        y = -advantage*ratio*(sum_where_x - m_2 - log_Z)

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        advantage: one value per row, shape x.shape[:-1], without a gradient.
        old: one value per row, shape x.shape[:-1], without a gradient.
        high: a constant, a finite number.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(high) is float
        and -_INFINITE < high < _INFINITE
    ):
        made = _forward(_guards.run, True, high, x, label, advantage, old)
        if made is None:
            x, label, advantage, old = _guards.dense("RISS", x, label, advantage, old)
            made = _forward(_guards.run, True, high, x, label, advantage, old)
        if made is not None:
            y, kept = made
            return (
                y
                if kept is None
                else _Recorded.apply(made, x, label, advantage, old, high)
            )
    return _LAYER.call(x, label, advantage, old, high)


def _decomposed(x, label, advantage, old, high):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    advantage = _floats("advantage", advantage, x.shape[:-1], "x.shape[:-1]")
    old = _floats("old", old, x.shape[:-1], "x.shape[:-1]")
    if not (float("-inf") < high < float("inf")):
        raise ValueError(f"high is {high}; pass a finite number")
    y = _rows(x, label[..., None], advantage[..., None], old[..., None], high)
    return y[..., 0]


def _rows(x, label, advantage, old, high):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, advantage, old)
    zero = x.new_zeros((), dtype=dtype)
    shape = x.shape
    x = x.to(dtype)
    label = label.to(torch.int64)
    advantage = advantage.to(dtype)
    old = old.to(dtype)
    high = zero + high
    D = shape[-1]
    index = _index(zero, D)
    largest = torch.finfo(dtype).max
    # step 2
    m_2 = torch.clip(torch.amax(x, dim=-1, keepdim=True).detach(), -largest, largest)
    # step 6
    sum_where_x = torch.sum(torch.where(index == label, x, 0), dim=-1, keepdim=True)
    sum_where_x_shifted = sum_where_x - m_2  # step 6, pass 1: offsets
    x_shifted = x - m_2  # step 3
    exp_shifted = torch.exp(x_shifted)  # step 4
    Z = torch.sum(exp_shifted, dim=-1, keepdim=True)  # step 5
    log_Z = torch.log(Z)  # step 7
    exp_log_Z_m_2 = torch.exp(sum_where_x_shifted - log_Z - old)  # step 8, pass 2
    ratio = torch.where(exp_log_Z_m_2 >= high, high, exp_log_Z_m_2.detach())  # step 9
    y = -(sum_where_x_shifted - log_Z)*advantage*ratio  # step 10, pass 3: offsets
    return y.to(stored)


def _forward(run, kept, high, x, label, advantage, old):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row, of integers i one value a row; a capital has to be there. Behind + is a
    result, of the shape and type of the tensor that is passed for it; a digit is a
    row scalar. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(_FORWARD, "RISS+s012", 1, (), (high,), kept, x, label, advantage, old, x)


def _backward(run, kept, _high, x, label, advantage, old, dy):
    """The gradients by the compiled kernels."""
    made = run(
        _BACKWARD, "RISS012+r||S", 1, (), (), kept, x, label, advantage, dy, x, old
    )
    if made is None or made is True:
        return made
    dx = made
    return dx, None, None, None


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, label, advantage, old, high):
        y, ctx.kept = made
        ctx.save_for_backward(x, label, advantage, old)
        ctx.numbers = (high,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, label, advantage, old = ctx.saved_tensors
        (high,) = ctx.numbers
        found = _backward(
            _guards.run, ctx.kept, high, x, label, advantage, old, dy.contiguous()
        )
        if found is None or found is True:
            found = _LAYER.gradients(
                ctx.kept, (x, label, advantage, old, high), (), (dy,)
            )
        return None, *found, None


def _forward_on_gpu(kernels, save, x, label, advantage, old, high):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    advantage = _floats("advantage", advantage, x.shape[:-1], "x.shape[:-1]")
    old = _floats("old", old, x.shape[:-1], "x.shape[:-1]")
    if not (float("-inf") < high < float("inf")):
        raise ValueError(f"high is {high}; pass a finite number")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, advantage, old)
    y = x.new_empty(x.shape[:-1])
    m_2 = x.new_empty(rows, dtype=kind) if save else None
    Z = x.new_empty(rows, dtype=kind) if save else None
    ratio = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    label_rows = label.reshape(rows)
    label_strides = _gpu.strides(label_rows, 0)
    advantage_rows = advantage.reshape(rows)
    advantage_strides = _gpu.strides(advantage_rows, 0)
    old_rows = old.reshape(rows)
    old_strides = _gpu.strides(old_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 1, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.cispo_forward,
        x.device,
        programs,
        sizes.num_warps,
        False,
        x_rows,
        label_rows,
        advantage_rows,
        old_rows,
        float(high),
        y,
        m_2,
        Z,
        ratio,
        *x_strides,
        *label_strides,
        *advantage_strides,
        *old_strides,
        rows,
        D,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (m_2, Z, ratio)


def _backward_on_gpu(kernels, saved, x, label, advantage, old, high, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, advantage, old)
    m_2, Z, ratio = saved
    dx = _gpu.room(x.shape, x)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    label_rows = label.reshape(rows)
    label_strides = _gpu.strides(label_rows, 0)
    advantage_rows = advantage.reshape(rows)
    advantage_strides = _gpu.strides(advantage_rows, 0)
    dy_rows = dy.reshape(rows)
    dy_strides = _gpu.strides(dy_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.cispo_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        label_rows,
        advantage_rows,
        dy_rows,
        m_2,
        Z,
        ratio,
        dx,
        *x_strides,
        *label_strides,
        *advantage_strides,
        *dy_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx, None, None, None)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(__file__, "kernels", "cispo_forward")
_BACKWARD = _torch.CompiledDirection(__file__, "kernels", "cispo_backward")
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        cispo,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "label": "I", "advantage": "S", "old": "S"},
    outputs={"y": "s"},
    rows=("x",),
    constants={"high": True},
    data=("label", "advantage", "old"),
    scalars=3,
)


class Cispo(_torch.Module):
    """`cispo` as a module without parameters.

    Args:
        high: a constant, a finite number.
    """

    _layer = _LAYER

    def __init__(self, *, high: float = 4.0) -> None:
        super().__init__()
        self.high = self._constant("high", high, True)

    def forward(
        self,
        x: _torch.Tensor,
        label: _torch.Tensor,
        advantage: _torch.Tensor,
        old: _torch.Tensor,
    ) -> _torch.Tensor:
        """Return `cispo` of the arguments and the parameters of the module."""
        return cispo(x, label, advantage, old, high=self.high)


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
