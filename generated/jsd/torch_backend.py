# Made by lngen 0.1.0 from the definition of jsd; derivation.md has its steps, cost and evidence.
# Do not edit; edit jsd.py and run: lngen derive jsd.py
# definition sha256:b28d007ce999de73cc9db154c53ebf5b3ccf610eafe7fdebb5114df4ab0d0ea6
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Generalized Jensen-Shannon divergence of a teacher's and a student's softmax, one number a row.

`jsd` takes tensors, and `JSD` is a module. A plain call on the processor
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
    "JSD",
    "jsd",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def jsd(
    x: _torch.Tensor, teacher: _torch.Tensor, *, beta: float = 0.5
) -> _torch.Tensor:
    """Generalized Jensen-Shannon divergence of a teacher's and a student's softmax, one number a row.

        m_2 = max(x)
        exp_shifted = exp(x - m_2)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        logq = x - m_2 - log_Z
        m = max(teacher)
        exp_shifted_2 = exp(teacher - m)
        Z_2 = sum(exp_shifted_2)
        log_Z_2 = log(Z_2)
        logp = teacher - m - log_Z_2
        inv_Z = 1/Z
        q = inv_Z*exp_shifted
        inv_Z_2 = 1/Z_2
        p = inv_Z_2*exp_shifted_2
        u = beta*p + q*(1 - beta)
        logm = log(u)
        y = sum(beta*p*(logp - logm) + q*(1 - beta)*(logq - logm))

    Args:
        x: shape (..., D).
        teacher: shape (..., D), without a gradient.
        beta: a constant, a finite number of 0 or more.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(beta) is float
        and 0 <= beta < _INFINITE
    ):
        made = _forward(_guards.run, True, beta, x, teacher)
        if made is None:
            x, teacher = _guards.dense("RR", x, teacher)
            made = _forward(_guards.run, True, beta, x, teacher)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, teacher, beta)
    return _LAYER.call(x, teacher, beta)


def _decomposed(x, teacher, beta):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    teacher = _floats("teacher", teacher, x.shape, "the shape of x")
    if not (0 <= beta < float("inf")):
        raise ValueError(f"beta is {beta}; pass a finite number of 0 or more")
    y = _rows(x, teacher, beta)
    return y[..., 0]


def _rows(x, teacher, beta):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, teacher)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    teacher = teacher.to(dtype)
    beta = zero + beta
    largest = torch.finfo(dtype).max
    # step 1
    m_2 = torch.clip(torch.amax(x, dim=-1, keepdim=True).detach(), -largest, largest)
    # step 7
    m = torch.clip(
        torch.amax(teacher, dim=-1, keepdim=True).detach(), -largest, largest
    )
    x_shifted = x - m_2  # step 2
    exp_shifted = torch.exp(x_shifted)  # step 3
    teacher_shifted = teacher - m  # step 8
    exp_shifted_2 = torch.exp(teacher_shifted)  # step 9
    Z = torch.sum(exp_shifted, dim=-1, keepdim=True)  # step 4
    Z_2 = torch.sum(exp_shifted_2, dim=-1, keepdim=True)  # step 10
    log_Z = torch.log(Z)  # step 5
    log_Z_2 = torch.log(Z_2)  # step 11
    inv_Z = 1/Z  # step 13
    inv_Z_2 = 1/Z_2  # step 16
    logq = x_shifted - log_Z  # step 6
    logp = teacher_shifted - log_Z_2  # step 12
    u = exp_shifted_2*inv_Z_2*beta + exp_shifted*inv_Z*(1 - beta)  # step 19, pass 1
    logm = torch.log(u)  # step 20
    # step 21, pass 2: late scales
    total = (logp - logm)*exp_shifted_2*inv_Z_2*beta + (logq - logm)*exp_shifted*inv_Z*(
        1 - beta
    )
    y = torch.sum(total, dim=-1, keepdim=True)  # step 22
    return y.to(stored)


def _forward(run, kept, beta, x, teacher):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row; a capital has to be there. Behind + is a result, of the shape and type of
    the tensor that is passed for it; a digit is a row scalar. A bar begins what the
    kernel of sums reads, another what neither kernel does. The number behind the
    form is the least D.
    """
    return run(_FORWARD, "RR+s01234", 1, (), (beta,), kept, x, teacher, x)


def _backward(run, kept, beta, x, teacher, dy):
    """The gradients by the compiled kernels."""
    made = run(_BACKWARD, "RRS01234+r", 1, (), (beta,), kept, x, teacher, dy, x)
    if made is None or made is True:
        return made
    dx = made
    return dx, None


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, teacher, beta):
        y, ctx.kept = made
        ctx.save_for_backward(x, teacher)
        ctx.numbers = (beta,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, teacher = ctx.saved_tensors
        (beta,) = ctx.numbers
        found = _backward(_guards.run, ctx.kept, beta, x, teacher, dy.contiguous())
        if found is None or found is True:
            found = _LAYER.gradients(ctx.kept, (x, teacher, beta), (), (dy,))
        return None, *found, None


def _forward_on_gpu(kernels, save, x, teacher, beta):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    teacher = _floats("teacher", teacher, x.shape, "the shape of x")
    if not (0 <= beta < float("inf")):
        raise ValueError(f"beta is {beta}; pass a finite number of 0 or more")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, teacher)
    y = x.new_empty(x.shape[:-1])
    m_2 = x.new_empty(rows, dtype=kind) if save else None
    log_Z = x.new_empty(rows, dtype=kind) if save else None
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
        kernels.jsd_forward,
        x.device,
        programs,
        sizes.num_warps,
        False,
        x_rows,
        teacher_rows,
        float(beta),
        y,
        m_2,
        log_Z,
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
    return (y,), (m_2, log_Z, m, inv_Z, inv_Z_2)


def _backward_on_gpu(kernels, saved, x, teacher, beta, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, teacher)
    m_2, log_Z, m, inv_Z, inv_Z_2 = saved
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
        kernels.jsd_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        teacher_rows,
        dy_rows,
        m_2,
        log_Z,
        m,
        inv_Z,
        inv_Z_2,
        float(beta),
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
_FORWARD = _torch.CompiledDirection(__file__, "kernels", "jsd_forward")
_BACKWARD = _torch.CompiledDirection(__file__, "kernels", "jsd_backward")
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        jsd,
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
    constants={"beta": False},
    data=("teacher",),
    scalars=5,
)


class JSD(_torch.Module):
    """`jsd` as a module without parameters.

    Args:
        beta: a constant, a finite number of 0 or more.
    """

    _layer = _LAYER

    def __init__(self, *, beta: float = 0.5) -> None:
        super().__init__()
        self.beta = self._constant("beta", beta, False)

    def forward(self, x: _torch.Tensor, teacher: _torch.Tensor) -> _torch.Tensor:
        """Return `jsd` of the arguments and the parameters of the module."""
        return jsd(x, teacher, beta=self.beta)


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
