# Made by lngen 0.1.0 from the definition of kto; derivation.md has its steps, cost and evidence.
# Do not edit; edit kto.py and run: lngen derive kto.py
# definition sha256:de3dd6915e49139667037ffff069c8b13cc968ee4570928de49e68a89bba5cb0
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.

`kto` takes tensors, and `Kto` is a module. A plain call on the processor
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
    "Kto",
    "kto",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def kto(
    logp: _torch.Tensor,
    reference: _torch.Tensor,
    desirable: _torch.Tensor,
    divergence: _torch.Tensor | None = None,
    *,
    beta: float = 0.1,
    gain: float = 1.0,
    loss: float = 1.0,
) -> _torch.Tensor:
    """Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.

        reward = logp - reference - divergence
        u = -beta*reward
        sigmoid_u = sigmoid(u)
        u_2 = beta*reward
        sigmoid_u_2 = sigmoid(u_2)
        y = where(desirable > 0, gain*sigmoid_u, loss*sigmoid_u_2)

    Args:
        logp: shape (..., D).
        reference: shape (..., D), without a gradient.
        desirable: integers of shape (..., D).
        divergence: shape (..., D), without a gradient. If omitted it is 0.
        beta: a constant, a finite number.
        gain: a constant, a finite number.
        loss: a constant, a finite number.

    Returns y in the type of logp. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(beta) is float
        and -_INFINITE < beta < _INFINITE
        and type(gain) is float
        and -_INFINITE < gain < _INFINITE
        and type(loss) is float
        and -_INFINITE < loss < _INFINITE
    ):
        made = _forward(
            _guards.run, True, beta, gain, loss, logp, reference, desirable, divergence
        )
        if made is None:
            logp, reference, desirable, divergence = _guards.dense(
                "RRJr", logp, reference, desirable, divergence
            )
            made = _forward(
                _guards.run,
                True,
                beta,
                gain,
                loss,
                logp,
                reference,
                desirable,
                divergence,
            )
        if made is not None:
            y, kept = made
            return (
                y
                if kept is None
                else _Recorded.apply(
                    made, logp, reference, desirable, divergence, beta, gain, loss
                )
            )
    return _LAYER.call(logp, reference, desirable, divergence, beta, gain, loss)


def _decomposed(logp, reference, desirable, divergence, beta, gain, loss):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    logp = _floats("logp", logp)
    if logp.ndim < 1 or logp.shape[-1] < 1:
        raise ValueError(
            f"logp has shape {tuple(logp.shape)}; pass (..., D) with D of 1 or more"
        )
    reference = _floats("reference", reference, logp.shape, "the shape of logp")
    desirable = _integers("desirable", desirable, logp.shape, "the shape of logp")
    if divergence is not None:
        divergence = _floats("divergence", divergence, logp.shape, "the shape of logp")
    if not (float("-inf") < beta < float("inf")):
        raise ValueError(f"beta is {beta}; pass a finite number")
    if not (float("-inf") < gain < float("inf")):
        raise ValueError(f"gain is {gain}; pass a finite number")
    if not (float("-inf") < loss < float("inf")):
        raise ValueError(f"loss is {loss}; pass a finite number")
    return _rows(logp, reference, desirable, divergence, beta, gain, loss)


def _rows(logp, reference, desirable, divergence, beta, gain, loss):
    """The outputs, each line by its step of the derivation."""
    stored = logp.dtype
    dtype = _widest(logp, reference, divergence)
    zero = logp.new_zeros((), dtype=dtype)
    logp = logp.to(dtype)
    reference = reference.to(dtype)
    desirable = desirable.to(torch.int64)
    divergence = zero + 0 if divergence is None else divergence.to(dtype)
    beta = zero + beta
    gain = zero + gain
    loss = zero + loss
    total = logp - reference  # step 1
    reward = total - divergence  # step 2
    _test_1 = desirable > 0
    u_1 = -_within(_test_1, reward)*beta  # step 3
    sigmoid_u_1 = torch.sigmoid(u_1)  # step 4
    u_2_1 = _within(~_test_1, reward)*beta  # step 5
    sigmoid_u_2_1 = torch.sigmoid(u_2_1)  # step 6
    y = torch.where(_test_1, sigmoid_u_1*gain, sigmoid_u_2_1*loss)  # step 7
    return y.to(stored)


def _forward(run, kept, beta, gain, loss, logp, reference, desirable, divergence):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, of integers j
    the shape of rows; a capital has to be there. Behind + is a result, of the shape
    and type of the tensor that is passed for it. A bar begins what the kernel of
    sums reads, another what neither kernel does. The number behind the form is the
    least D.
    """
    return run(
        _FORWARD,
        "RRJr+r",
        1,
        (divergence is None,),
        (beta, gain, loss),
        kept,
        logp,
        reference,
        desirable,
        divergence,
        logp,
    )


def _backward(run, kept, beta, gain, loss, logp, reference, desirable, divergence, dy):
    """The gradients by the compiled kernels."""
    made = run(
        _BACKWARD,
        "RRJrR+r",
        1,
        (divergence is None,),
        (beta, gain, loss),
        kept,
        logp,
        reference,
        desirable,
        divergence,
        dy,
        logp,
    )
    if made is None or made is True:
        return made
    dlogp = made
    return dlogp, None, None, None


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, logp, reference, desirable, divergence, beta, gain, loss):
        y, ctx.kept = made
        ctx.save_for_backward(logp, reference, desirable, divergence)
        ctx.numbers = (beta, gain, loss)
        return y

    @staticmethod
    def backward(ctx, dy):
        logp, reference, desirable, divergence = ctx.saved_tensors
        beta, gain, loss = ctx.numbers
        found = _backward(
            _guards.run,
            ctx.kept,
            beta,
            gain,
            loss,
            logp,
            reference,
            desirable,
            divergence,
            dy.contiguous(),
        )
        if found is None or found is True:
            found = _LAYER.gradients(
                ctx.kept,
                (logp, reference, desirable, divergence, beta, gain, loss),
                (),
                (dy,),
            )
        return None, *found, None, None, None


def _forward_on_gpu(kernels, save, logp, reference, desirable, divergence, beta, gain, loss):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    logp = _floats("logp", logp)
    if logp.ndim < 1 or logp.shape[-1] < 1:
        raise ValueError(
            f"logp has shape {tuple(logp.shape)}; pass (..., D) with D of 1 or more"
        )
    reference = _floats("reference", reference, logp.shape, "the shape of logp")
    desirable = _integers("desirable", desirable, logp.shape, "the shape of logp")
    if divergence is not None:
        divergence = _floats("divergence", divergence, logp.shape, "the shape of logp")
    if not (float("-inf") < beta < float("inf")):
        raise ValueError(f"beta is {beta}; pass a finite number")
    if not (float("-inf") < gain < float("inf")):
        raise ValueError(f"gain is {gain}; pass a finite number")
    if not (float("-inf") < loss < float("inf")):
        raise ValueError(f"loss is {loss}; pass a finite number")
    D = logp.shape[-1]
    rows = logp.numel() // D
    kind = _widest(logp, reference, divergence)
    y = logp.new_empty(logp.shape)
    logp_rows = logp.reshape(rows, D)
    logp_strides = _gpu.strides(logp_rows, 0, 1)
    reference_rows = reference.reshape(rows, D)
    reference_strides = _gpu.strides(reference_rows, 0, 1)
    desirable_rows = desirable.reshape(rows, D)
    desirable_strides = _gpu.strides(desirable_rows, 0, 1)
    divergence_rows = None if divergence is None else divergence.reshape(rows, D)
    divergence_strides = _gpu.strides(divergence_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 5, 0)
    programs = _gpu.programs(logp.device, rows, sizes)
    _gpu.launch(
        kernels.kto_forward,
        logp.device,
        programs,
        sizes.num_warps,
        True,
        logp_rows,
        reference_rows,
        desirable_rows,
        divergence_rows,
        float(beta),
        float(gain),
        float(loss),
        y,
        *logp_strides,
        *reference_strides,
        *desirable_strides,
        *divergence_strides,
        rows,
        D,
        divergence is not None,
        _gpu.real(kind),
        _gpu.even(
            D,
            *logp_strides[:1],
            *reference_strides[:1],
            *desirable_strides[:1],
            *divergence_strides[:1],
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), ()


def _backward_on_gpu(kernels, saved, logp, reference, desirable, divergence, beta, gain, loss, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = logp.shape[-1]
    rows = logp.numel() // D
    kind = _widest(logp, reference, divergence)
    dlogp = _gpu.room(logp.shape, logp)
    logp_rows = logp.reshape(rows, D)
    logp_strides = _gpu.strides(logp_rows, 0, 1)
    reference_rows = reference.reshape(rows, D)
    reference_strides = _gpu.strides(reference_rows, 0, 1)
    desirable_rows = desirable.reshape(rows, D)
    desirable_strides = _gpu.strides(desirable_rows, 0, 1)
    divergence_rows = None if divergence is None else divergence.reshape(rows, D)
    divergence_strides = _gpu.strides(divergence_rows, 0, 1)
    dy_rows = dy.reshape(rows, D)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 6, 0)
    programs = _gpu.programs(logp.device, rows, sizes)
    _gpu.launch(
        kernels.kto_backward,
        logp.device,
        programs,
        sizes.num_warps,
        True,
        logp_rows,
        reference_rows,
        desirable_rows,
        divergence_rows,
        dy_rows,
        float(beta),
        float(gain),
        float(loss),
        dlogp,
        *logp_strides,
        *reference_strides,
        *desirable_strides,
        *divergence_strides,
        *dy_strides,
        rows,
        D,
        divergence is not None,
        _gpu.real(kind),
        _gpu.even(
            D,
            *logp_strides[:1],
            *reference_strides[:1],
            *desirable_strides[:1],
            *divergence_strides[:1],
            *dy_strides[:1],
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dlogp, None, None, None)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__, "kernels", "kto_forward", optional=("divergence",)
)
_BACKWARD = _torch.CompiledDirection(
    __file__, "kernels", "kto_backward", optional=("divergence",)
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        kto,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"logp": "R", "reference": "R", "desirable": "J", "divergence": "r"},
    outputs={"y": "r"},
    rows=("logp",),
    constants={"beta": True, "gain": True, "loss": True},
    data=("reference", "desirable", "divergence"),
)


class Kto(_torch.Module):
    """`kto` as a module without parameters.

    Args:
        beta: a constant, a finite number.
        gain: a constant, a finite number.
        loss: a constant, a finite number.
    """

    _layer = _LAYER

    def __init__(
        self, *, beta: float = 0.1, gain: float = 1.0, loss: float = 1.0
    ) -> None:
        super().__init__()
        self.beta = self._constant("beta", beta, True)
        self.gain = self._constant("gain", gain, True)
        self.loss = self._constant("loss", loss, True)

    def forward(
        self,
        logp: _torch.Tensor,
        reference: _torch.Tensor,
        desirable: _torch.Tensor,
        divergence: _torch.Tensor | None = None,
    ) -> _torch.Tensor:
        """Return `kto` of the arguments and the parameters of the module."""
        return kto(
            logp,
            reference,
            desirable,
            divergence,
            beta=self.beta,
            gain=self.gain,
            loss=self.loss,
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


def _within(test, value):
    """A value that nothing depends on where a test fails: an infinite derivative there is dropped."""
    return torch.where(test, value, value.detach())
