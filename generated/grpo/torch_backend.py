# Made by lngen 0.1.0 from the definition of grpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit grpo.py and run: lngen derive grpo.py
# Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
# definition sha256:1f54ed30e40de676bb31762c061d94a1572e98e67b48b22e19344b45bf6572eb
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Loss of a token by group relative policy optimization, from its logits; with low and high apart it is DAPO's.

`grpo` takes tensors, and `Grpo` is a module. A plain call on the processor
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
    "Grpo",
    "grpo",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def grpo(
    x: _torch.Tensor,
    label: _torch.Tensor,
    advantage: _torch.Tensor,
    old: _torch.Tensor,
    reference: _torch.Tensor,
    *,
    low: float = 0.2,
    high: float = 0.2,
    beta: float = 0.04,
) -> _torch.Tensor:
    """Loss of a token by group relative policy optimization, from its logits; with low and high apart it is DAPO's.

        m_2 = max(x)
        exp_shifted = exp(x - m_2)
        Z = sum(exp_shifted)
        sum_where_x = sum(where(index() == label, x, 0))
        log_Z = log(Z)
        ratio = exp(sum_where_x - old - m_2 - log_Z)
        gained = where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*ratio, advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)))
        expm1_log_Z_m_2 = expm1(reference + m_2 + log_Z - sum_where_x)
        y = beta*(sum_where_x + expm1_log_Z_m_2 - reference - m_2 - log_Z) - gained

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        advantage: one value per row, shape x.shape[:-1], without a gradient.
        old: one value per row, shape x.shape[:-1], without a gradient.
        reference: one value per row, shape x.shape[:-1], without a gradient.
        low: a constant, a finite number.
        high: a constant, a finite number.
        beta: a constant, a finite number.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(low) is float
        and -_INFINITE < low < _INFINITE
        and type(high) is float
        and -_INFINITE < high < _INFINITE
        and type(beta) is float
        and -_INFINITE < beta < _INFINITE
    ):
        made = _forward(
            _guards.run, True, low, high, beta, x, label, advantage, old, reference
        )
        if made is None:
            x, label, advantage, old, reference = _guards.dense(
                "RISSS", x, label, advantage, old, reference
            )
            made = _forward(
                _guards.run, True, low, high, beta, x, label, advantage, old, reference
            )
        if made is not None:
            y, kept = made
            return (
                y
                if kept is None
                else _Recorded.apply(
                    made, x, label, advantage, old, reference, low, high, beta
                )
            )
    return _LAYER.call(x, label, advantage, old, reference, low, high, beta)


def _decomposed(x, label, advantage, old, reference, low, high, beta):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    advantage = _floats("advantage", advantage, x.shape[:-1], "x.shape[:-1]")
    old = _floats("old", old, x.shape[:-1], "x.shape[:-1]")
    reference = _floats("reference", reference, x.shape[:-1], "x.shape[:-1]")
    if not (float("-inf") < low < float("inf")):
        raise ValueError(f"low is {low}; pass a finite number")
    if not (float("-inf") < high < float("inf")):
        raise ValueError(f"high is {high}; pass a finite number")
    if not (float("-inf") < beta < float("inf")):
        raise ValueError(f"beta is {beta}; pass a finite number")
    y = _rows(
        x,
        label[..., None],
        advantage[..., None],
        old[..., None],
        reference[..., None],
        low,
        high,
        beta,
    )
    return y[..., 0]


def _rows(x, label, advantage, old, reference, low, high, beta):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, advantage, old, reference)
    zero = x.new_zeros((), dtype=dtype)
    shape = x.shape
    x = x.to(dtype)
    label = label.to(torch.int64)
    advantage = advantage.to(dtype)
    old = old.to(dtype)
    reference = reference.to(dtype)
    low = zero + low
    high = zero + high
    beta = zero + beta
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
    ratio = torch.exp(sum_where_x_shifted - log_Z - old)  # step 8, pass 2: offsets
    _test_1 = (
        advantage*ratio
        < torch.where(
            torch.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
            1 + high,
            torch.where(ratio <= 1 - low, 1 - low, ratio),
        )*advantage
    )
    log_Z_1 = torch.log(_within(_test_1, Z))  # step 7
    # step 8, pass 2: offsets
    ratio_1 = torch.exp(_within(_test_1, sum_where_x_shifted) - log_Z_1 - old)
    _test_2 = torch.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high
    _test_3 = ratio <= 1 - low
    # step 7
    log_Z_2 = torch.log(_within(~_test_1, _within(~_test_2, _within(~_test_3, Z))))
    # step 8, pass 2: offsets
    ratio_2 = torch.exp(
        _within(~_test_1, _within(~_test_2, _within(~_test_3, sum_where_x_shifted)))
        - log_Z_2
        - old
    )
    # step 9
    gained = torch.where(
        _test_1,
        advantage*ratio_1,
        torch.where(
            _test_2, 1 + high, torch.where(_test_3, 1 - low, ratio_2)
        )*advantage,
    )
    # step 10, pass 3: offsets
    expm1_log_Z_m_2 = torch.expm1(log_Z + reference - sum_where_x_shifted)
    # step 11, pass 4: offsets
    y = (expm1_log_Z_m_2 + sum_where_x_shifted - log_Z - reference)*beta - gained
    return y.to(stored)


def _forward(run, kept, low, high, beta, x, label, advantage, old, reference):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row, of integers i one value a row; a capital has to be there. Behind + is a
    result, of the shape and type of the tensor that is passed for it; a digit is a
    row scalar. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(
        _FORWARD,
        "RISSS+s01234",
        1,
        (),
        (low, high, beta),
        kept,
        x,
        label,
        advantage,
        old,
        reference,
        x,
    )


def _backward(run, kept, low, high, beta, x, label, advantage, old, reference, dy):
    """The gradients by the compiled kernels."""
    made = run(
        _BACKWARD,
        "RISSS01234+r||S",
        1,
        (),
        (low, high, beta),
        kept,
        x,
        label,
        advantage,
        reference,
        dy,
        x,
        old,
    )
    if made is None or made is True:
        return made
    dx = made
    return dx, None, None, None, None


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, label, advantage, old, reference, low, high, beta):
        y, ctx.kept = made
        ctx.save_for_backward(x, label, advantage, old, reference)
        ctx.numbers = (low, high, beta)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, label, advantage, old, reference = ctx.saved_tensors
        low, high, beta = ctx.numbers
        found = _backward(
            _guards.run,
            ctx.kept,
            low,
            high,
            beta,
            x,
            label,
            advantage,
            old,
            reference,
            dy.contiguous(),
        )
        if found is None or found is True:
            found = _LAYER.gradients(
                ctx.kept,
                (x, label, advantage, old, reference, low, high, beta),
                (),
                (dy,),
            )
        return None, *found, None, None, None


def _forward_on_gpu(kernels, save, x, label, advantage, old, reference, low, high, beta):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    advantage = _floats("advantage", advantage, x.shape[:-1], "x.shape[:-1]")
    old = _floats("old", old, x.shape[:-1], "x.shape[:-1]")
    reference = _floats("reference", reference, x.shape[:-1], "x.shape[:-1]")
    if not (float("-inf") < low < float("inf")):
        raise ValueError(f"low is {low}; pass a finite number")
    if not (float("-inf") < high < float("inf")):
        raise ValueError(f"high is {high}; pass a finite number")
    if not (float("-inf") < beta < float("inf")):
        raise ValueError(f"beta is {beta}; pass a finite number")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, advantage, old, reference)
    y = x.new_empty(x.shape[:-1])
    m_2 = x.new_empty(rows, dtype=kind) if save else None
    Z = x.new_empty(rows, dtype=kind) if save else None
    log_Z = x.new_empty(rows, dtype=kind) if save else None
    sum_where_x_shifted = x.new_empty(rows, dtype=kind) if save else None
    ratio = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    label_rows = label.reshape(rows)
    label_strides = _gpu.strides(label_rows, 0)
    advantage_rows = advantage.reshape(rows)
    advantage_strides = _gpu.strides(advantage_rows, 0)
    old_rows = old.reshape(rows)
    old_strides = _gpu.strides(old_rows, 0)
    reference_rows = reference.reshape(rows)
    reference_strides = _gpu.strides(reference_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 1, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.grpo_forward,
        x.device,
        programs,
        sizes.num_warps,
        False,
        x_rows,
        label_rows,
        advantage_rows,
        old_rows,
        reference_rows,
        float(low),
        float(high),
        float(beta),
        y,
        m_2,
        Z,
        log_Z,
        sum_where_x_shifted,
        ratio,
        *x_strides,
        *label_strides,
        *advantage_strides,
        *old_strides,
        *reference_strides,
        rows,
        D,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (m_2, Z, log_Z, sum_where_x_shifted, ratio)


def _backward_on_gpu(kernels, saved, x, label, advantage, old, reference, low, high, beta, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, advantage, old, reference)
    m_2, Z, log_Z, sum_where_x_shifted, ratio = saved
    dx = _gpu.room(x.shape, x)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    label_rows = label.reshape(rows)
    label_strides = _gpu.strides(label_rows, 0)
    advantage_rows = advantage.reshape(rows)
    advantage_strides = _gpu.strides(advantage_rows, 0)
    reference_rows = reference.reshape(rows)
    reference_strides = _gpu.strides(reference_rows, 0)
    dy_rows = dy.reshape(rows)
    dy_strides = _gpu.strides(dy_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.grpo_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        label_rows,
        advantage_rows,
        reference_rows,
        dy_rows,
        m_2,
        Z,
        log_Z,
        sum_where_x_shifted,
        ratio,
        float(low),
        float(high),
        float(beta),
        dx,
        *x_strides,
        *label_strides,
        *advantage_strides,
        *reference_strides,
        *dy_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx, None, None, None, None)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(__file__, "kernels", "grpo_forward")
_BACKWARD = _torch.CompiledDirection(__file__, "kernels", "grpo_backward")
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        grpo,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "label": "I", "advantage": "S", "old": "S", "reference": "S"},
    outputs={"y": "s"},
    rows=("x",),
    constants={"low": True, "high": True, "beta": True},
    data=("label", "advantage", "old", "reference"),
    scalars=5,
)


class Grpo(_torch.Module):
    """`grpo` as a module without parameters.

    Args:
        low: a constant, a finite number.
        high: a constant, a finite number.
        beta: a constant, a finite number.
    """

    _layer = _LAYER

    def __init__(
        self, *, low: float = 0.2, high: float = 0.2, beta: float = 0.04
    ) -> None:
        super().__init__()
        self.low = self._constant("low", low, True)
        self.high = self._constant("high", high, True)
        self.beta = self._constant("beta", beta, True)

    def forward(
        self,
        x: _torch.Tensor,
        label: _torch.Tensor,
        advantage: _torch.Tensor,
        old: _torch.Tensor,
        reference: _torch.Tensor,
    ) -> _torch.Tensor:
        """Return `grpo` of the arguments and the parameters of the module."""
        return grpo(
            x,
            label,
            advantage,
            old,
            reference,
            low=self.low,
            high=self.high,
            beta=self.beta,
        )


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
