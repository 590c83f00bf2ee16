# Made by lngen 0.1.0 from the definition of distillation; derivation.md has its steps, cost and evidence.
# Do not edit; edit distillation.py and run: lngen derive distillation.py
# definition sha256:605c03732e301937a46144ac717739a27c6327286eedf29e8b15c84beaabe5d7
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Cross entropy of a label, and divergence from a teacher's softmax at a temperature, one number a row.

`distillation` takes tensors, and `Distillation` is a module. A plain call on the processor
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
    "Distillation",
    "distillation",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def distillation(
    x: _torch.Tensor,
    teacher: _torch.Tensor,
    label: _torch.Tensor,
    *,
    temperature: float = 2.0,
    share: float = 0.5,
) -> _torch.Tensor:
    """Cross entropy of a label, and divergence from a teacher's softmax at a temperature, one number a row.

        sum_where_x = sum(where(index() == label, x, 0))
        m_3 = max(x)
        exp_shifted = exp(x - m_3)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        u = x/temperature
        v = teacher/temperature
        m = max(u)
        exp_shifted_2 = exp(u - m)
        Z_2 = sum(exp_shifted_2)
        log_Z_2 = log(Z_2)
        logq = u - m - log_Z_2
        m_2 = max(v)
        exp_shifted_3 = exp(v - m_2)
        Z_3 = sum(exp_shifted_3)
        log_Z_3 = log(Z_3)
        logp = v - m_2 - log_Z_3
        inv_Z_3 = 1/Z_3
        exp_shifted_3_scaled = inv_Z_3*exp_shifted_3
        soft = sum(exp_shifted_3_scaled*(logp - logq))
        y = share*temperature**2*soft + (1 - share)*(m_3 + log_Z - sum_where_x)

    Args:
        x: shape (..., D).
        teacher: shape (..., D), without a gradient.
        label: one integer per row, shape x.shape[:-1].
        temperature: a constant, a finite number of 0 or more.
        share: a constant, a finite number.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(temperature) is float
        and 0 <= temperature < _INFINITE
        and type(share) is float
        and -_INFINITE < share < _INFINITE
    ):
        made = _forward(_guards.run, True, temperature, share, x, teacher, label)
        if made is None:
            x, teacher, label = _guards.dense("RRI", x, teacher, label)
            made = _forward(_guards.run, True, temperature, share, x, teacher, label)
        if made is not None:
            y, kept = made
            return (
                y
                if kept is None
                else _Recorded.apply(made, x, teacher, label, temperature, share)
            )
    return _LAYER.call(x, teacher, label, temperature, share)


def _decomposed(x, teacher, label, temperature, share):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    teacher = _floats("teacher", teacher, x.shape, "the shape of x")
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    if not (0 <= temperature < float("inf")):
        raise ValueError(
            f"temperature is {temperature}; pass a finite number of 0 or more"
        )
    if not (float("-inf") < share < float("inf")):
        raise ValueError(f"share is {share}; pass a finite number")
    y = _rows(x, teacher, label[..., None], temperature, share)
    return y[..., 0]


def _rows(x, teacher, label, temperature, share):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, teacher)
    zero = x.new_zeros((), dtype=dtype)
    shape = x.shape
    x = x.to(dtype)
    teacher = teacher.to(dtype)
    label = label.to(torch.int64)
    temperature = zero + temperature
    share = zero + share
    D = shape[-1]
    index = _index(zero, D)
    largest = torch.finfo(dtype).max
    temperature_shifted = 1/temperature  # step 7, pass 1: once a row
    u = x*temperature_shifted  # step 7, pass 2: once a row
    v = teacher*temperature_shifted  # step 8, pass 3: once a row
    # step 1
    sum_where_x = torch.sum(torch.where(index == label, x, 0), dim=-1, keepdim=True)
    # step 2
    m_3 = torch.clip(torch.amax(x, dim=-1, keepdim=True).detach(), -largest, largest)
    # step 9
    m = torch.clip(torch.amax(u, dim=-1, keepdim=True).detach(), -largest, largest)
    # step 15
    m_2 = torch.clip(torch.amax(v, dim=-1, keepdim=True).detach(), -largest, largest)
    sum_where_x_shifted = sum_where_x - m_3  # step 1, pass 4: offsets
    x_shifted = x - m_3  # step 3
    exp_shifted = torch.exp(x_shifted)  # step 4
    x_shifted_2 = u - m  # step 10
    exp_shifted_2 = torch.exp(x_shifted_2)  # step 11
    teacher_shifted = v - m_2  # step 16
    exp_shifted_3 = torch.exp(teacher_shifted)  # step 17
    Z = torch.sum(exp_shifted, dim=-1, keepdim=True)  # step 5
    Z_2 = torch.sum(exp_shifted_2, dim=-1, keepdim=True)  # step 12
    Z_3 = torch.sum(exp_shifted_3, dim=-1, keepdim=True)  # step 18
    log_Z = torch.log(Z)  # step 6
    log_Z_2 = torch.log(Z_2)  # step 13
    log_Z_3 = torch.log(Z_3)  # step 19
    inv_Z_3 = 1/Z_3  # step 21
    logq = x_shifted_2 - log_Z_2  # step 14
    logp = teacher_shifted - log_Z_3  # step 20
    # step 24, pass 5: late scales
    soft_unscaled = torch.sum(exp_shifted_3*(logp - logq), dim=-1, keepdim=True)
    soft = inv_Z_3*soft_unscaled  # step 24, pass 6: late scales
    # step 25, pass 7: offsets
    y = (log_Z - sum_where_x_shifted)*(1 - share) + soft*share*temperature**2
    return y.to(stored)


def _forward(run, kept, temperature, share, x, teacher, label):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row, of integers i one value a row; a capital has to be there. Behind + is a
    result, of the shape and type of the tensor that is passed for it; a digit is a
    row scalar. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(
        _FORWARD, "RRI+s012345", 1, (), (temperature, share), kept, x, teacher, label, x
    )


def _backward(run, kept, temperature, share, x, teacher, label, dy):
    """The gradients by the compiled kernels."""
    made = run(
        _BACKWARD,
        "RRIS012345+r",
        1,
        (),
        (temperature, share),
        kept,
        x,
        teacher,
        label,
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
    def forward(ctx, made, x, teacher, label, temperature, share):
        y, ctx.kept = made
        ctx.save_for_backward(x, teacher, label)
        ctx.numbers = (temperature, share)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, teacher, label = ctx.saved_tensors
        temperature, share = ctx.numbers
        found = _backward(
            _guards.run,
            ctx.kept,
            temperature,
            share,
            x,
            teacher,
            label,
            dy.contiguous(),
        )
        if found is None or found is True:
            found = _LAYER.gradients(
                ctx.kept, (x, teacher, label, temperature, share), (), (dy,)
            )
        return None, *found, None, None


def _forward_on_gpu(kernels, save, x, teacher, label, temperature, share):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    teacher = _floats("teacher", teacher, x.shape, "the shape of x")
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    if not (0 <= temperature < float("inf")):
        raise ValueError(
            f"temperature is {temperature}; pass a finite number of 0 or more"
        )
    if not (float("-inf") < share < float("inf")):
        raise ValueError(f"share is {share}; pass a finite number")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, teacher)
    y = x.new_empty(x.shape[:-1])
    m_3 = x.new_empty(rows, dtype=kind) if save else None
    Z = x.new_empty(rows, dtype=kind) if save else None
    m = x.new_empty(rows, dtype=kind) if save else None
    Z_2 = x.new_empty(rows, dtype=kind) if save else None
    m_2 = x.new_empty(rows, dtype=kind) if save else None
    inv_Z_3 = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    teacher_rows = teacher.reshape(rows, D)
    teacher_strides = _gpu.strides(teacher_rows, 0, 1)
    label_rows = label.reshape(rows)
    label_strides = _gpu.strides(label_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.distillation_forward,
        x.device,
        programs,
        sizes.num_warps,
        False,
        x_rows,
        teacher_rows,
        label_rows,
        float(temperature),
        float(share),
        y,
        m_3,
        Z,
        m,
        Z_2,
        m_2,
        inv_Z_3,
        *x_strides,
        *teacher_strides,
        *label_strides,
        rows,
        D,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *teacher_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (m_3, Z, m, Z_2, m_2, inv_Z_3)


def _backward_on_gpu(kernels, saved, x, teacher, label, temperature, share, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, teacher)
    m_3, Z, m, Z_2, m_2, inv_Z_3 = saved
    dx = _gpu.room(x.shape, x)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    teacher_rows = teacher.reshape(rows, D)
    teacher_strides = _gpu.strides(teacher_rows, 0, 1)
    label_rows = label.reshape(rows)
    label_strides = _gpu.strides(label_rows, 0)
    dy_rows = dy.reshape(rows)
    dy_strides = _gpu.strides(dy_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.distillation_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        teacher_rows,
        label_rows,
        dy_rows,
        m_3,
        Z,
        m,
        Z_2,
        m_2,
        inv_Z_3,
        float(temperature),
        float(share),
        dx,
        *x_strides,
        *teacher_strides,
        *label_strides,
        *dy_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *teacher_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx, None, None)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(__file__, "kernels", "distillation_forward")
_BACKWARD = _torch.CompiledDirection(__file__, "kernels", "distillation_backward")
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        distillation,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "teacher": "R", "label": "I"},
    outputs={"y": "s"},
    rows=("x",),
    constants={"temperature": False, "share": True},
    data=("teacher", "label"),
    scalars=6,
)


class Distillation(_torch.Module):
    """`distillation` as a module without parameters.

    Args:
        temperature: a constant, a finite number of 0 or more.
        share: a constant, a finite number.
    """

    _layer = _LAYER

    def __init__(self, *, temperature: float = 2.0, share: float = 0.5) -> None:
        super().__init__()
        self.temperature = self._constant("temperature", temperature, False)
        self.share = self._constant("share", share, True)

    def forward(
        self, x: _torch.Tensor, teacher: _torch.Tensor, label: _torch.Tensor
    ) -> _torch.Tensor:
        """Return `distillation` of the arguments and the parameters of the module."""
        return distillation(
            x, teacher, label, temperature=self.temperature, share=self.share
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
