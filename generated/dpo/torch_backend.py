# Made by lngen 0.1.0 from the definition of dpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit dpo.py and run: lngen derive dpo.py
# definition sha256:10eb91beaf60f0e2cc089be78fb58745ca1f88e23e0686a53b2fedd2504fb169
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed.

`dpo` takes tensors, and `Dpo` is a module. A plain call on the processor
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
    "Dpo",
    "dpo",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def dpo(
    chosen: _torch.Tensor,
    rejected: _torch.Tensor,
    reference_chosen: _torch.Tensor | None = None,
    reference_rejected: _torch.Tensor | None = None,
    *,
    beta: float = 0.1,
    smoothing: float = 0.0,
) -> _torch.Tensor:
    """Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed.

        total_2 = chosen - rejected - reference_chosen
        margin = beta*(reference_rejected + total_2)
        u = -margin
        softplus_u = softplus(u)
        softplus_margin = softplus(margin)
        y = smoothing*softplus_margin + softplus_u*(1 - smoothing)

    Args:
        chosen: shape (..., D).
        rejected: shape (..., D).
        reference_chosen: shape (..., D), without a gradient. If omitted it is 0.
        reference_rejected: shape (..., D), without a gradient. If omitted it is 0.
        beta: a constant, a finite number.
        smoothing: a constant, a finite number.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(beta) is float
        and -_INFINITE < beta < _INFINITE
        and type(smoothing) is float
        and -_INFINITE < smoothing < _INFINITE
    ):
        made = _forward(
            _guards.run,
            True,
            beta,
            smoothing,
            chosen,
            rejected,
            reference_chosen,
            reference_rejected,
        )
        if made is None:
            chosen, rejected, reference_chosen, reference_rejected = _guards.dense(
                "RRrr", chosen, rejected, reference_chosen, reference_rejected
            )
            made = _forward(
                _guards.run,
                True,
                beta,
                smoothing,
                chosen,
                rejected,
                reference_chosen,
                reference_rejected,
            )
        if made is not None:
            y, kept = made
            return (
                y
                if kept is None
                else _Recorded.apply(
                    made,
                    chosen,
                    rejected,
                    reference_chosen,
                    reference_rejected,
                    beta,
                    smoothing,
                )
            )
    return _LAYER.call(
        chosen, rejected, reference_chosen, reference_rejected, beta, smoothing
    )


def _decomposed(chosen, rejected, reference_chosen, reference_rejected, beta, smoothing):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    chosen = _floats("chosen", chosen)
    if chosen.ndim < 1 or chosen.shape[-1] < 1:
        raise ValueError(
            f"chosen has shape {tuple(chosen.shape)}; pass (..., D) with D of 1 or more"
        )
    rejected = _floats("rejected", rejected, chosen.shape, "the shape of chosen")
    if reference_chosen is not None:
        reference_chosen = _floats(
            "reference_chosen", reference_chosen, chosen.shape, "the shape of chosen"
        )
    if reference_rejected is not None:
        reference_rejected = _floats(
            "reference_rejected",
            reference_rejected,
            chosen.shape,
            "the shape of chosen",
        )
    if not (float("-inf") < beta < float("inf")):
        raise ValueError(f"beta is {beta}; pass a finite number")
    if not (float("-inf") < smoothing < float("inf")):
        raise ValueError(f"smoothing is {smoothing}; pass a finite number")
    return _rows(
        chosen, rejected, reference_chosen, reference_rejected, beta, smoothing
    )


def _rows(chosen, rejected, reference_chosen, reference_rejected, beta, smoothing):
    """The outputs, each line by its step of the derivation."""
    stored = chosen.dtype
    dtype = _widest(chosen, rejected, reference_chosen, reference_rejected)
    zero = chosen.new_zeros((), dtype=dtype)
    chosen = chosen.to(dtype)
    rejected = rejected.to(dtype)
    reference_chosen = (
        zero + 0 if reference_chosen is None else reference_chosen.to(dtype)
    )
    reference_rejected = (
        zero + 0 if reference_rejected is None else reference_rejected.to(dtype)
    )
    beta = zero + beta
    smoothing = zero + smoothing
    total = chosen - rejected  # step 1
    total_2 = total - reference_chosen  # step 2
    margin = (reference_rejected + total_2)*beta  # step 3
    u = -margin  # step 4
    softplus_u = _softplus(u)  # step 5
    softplus_margin = _softplus(margin)  # step 6
    y = softplus_margin*smoothing + softplus_u*(1 - smoothing)  # step 7
    return y.to(stored)


def _forward(run, kept, beta, smoothing, chosen, rejected, reference_chosen, reference_rejected):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows; a capital has to
    be there. Behind + is a result, of the shape and type of the tensor that is
    passed for it. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(
        _FORWARD,
        "RRrr+r",
        1,
        (reference_chosen is None, reference_rejected is None),
        (beta, smoothing),
        kept,
        chosen,
        rejected,
        reference_chosen,
        reference_rejected,
        chosen,
    )


def _backward(run, kept, beta, smoothing, chosen, rejected, reference_chosen, reference_rejected, dy):
    """The gradients by the compiled kernels."""
    made = run(
        _BACKWARD,
        "RRrrR+r+r",
        1,
        (reference_chosen is None, reference_rejected is None),
        (beta, smoothing),
        kept,
        chosen,
        rejected,
        reference_chosen,
        reference_rejected,
        dy,
        chosen,
        rejected,
    )
    if made is None or made is True:
        return made
    dchosen, drejected = made
    return dchosen, drejected, None, None


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, chosen, rejected, reference_chosen, reference_rejected, beta, smoothing):
        y, ctx.kept = made
        ctx.save_for_backward(chosen, rejected, reference_chosen, reference_rejected)
        ctx.numbers = (beta, smoothing)
        return y

    @staticmethod
    def backward(ctx, dy):
        chosen, rejected, reference_chosen, reference_rejected = ctx.saved_tensors
        beta, smoothing = ctx.numbers
        found = _backward(
            _guards.run,
            ctx.kept,
            beta,
            smoothing,
            chosen,
            rejected,
            reference_chosen,
            reference_rejected,
            dy.contiguous(),
        )
        if found is None or found is True:
            found = _LAYER.gradients(
                ctx.kept,
                (
                    chosen,
                    rejected,
                    reference_chosen,
                    reference_rejected,
                    beta,
                    smoothing,
                ),
                (),
                (dy,),
            )
        return None, *found, None, None


def _forward_on_gpu(kernels, save, chosen, rejected, reference_chosen, reference_rejected, beta, smoothing):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    chosen = _floats("chosen", chosen)
    if chosen.ndim < 1 or chosen.shape[-1] < 1:
        raise ValueError(
            f"chosen has shape {tuple(chosen.shape)}; pass (..., D) with D of 1 or more"
        )
    rejected = _floats("rejected", rejected, chosen.shape, "the shape of chosen")
    if reference_chosen is not None:
        reference_chosen = _floats(
            "reference_chosen", reference_chosen, chosen.shape, "the shape of chosen"
        )
    if reference_rejected is not None:
        reference_rejected = _floats(
            "reference_rejected",
            reference_rejected,
            chosen.shape,
            "the shape of chosen",
        )
    if not (float("-inf") < beta < float("inf")):
        raise ValueError(f"beta is {beta}; pass a finite number")
    if not (float("-inf") < smoothing < float("inf")):
        raise ValueError(f"smoothing is {smoothing}; pass a finite number")
    D = chosen.shape[-1]
    rows = chosen.numel() // D
    kind = _widest(chosen, rejected, reference_chosen, reference_rejected)
    y = chosen.new_empty(chosen.shape)
    chosen_rows = chosen.reshape(rows, D)
    chosen_strides = _gpu.strides(chosen_rows, 0, 1)
    rejected_rows = rejected.reshape(rows, D)
    rejected_strides = _gpu.strides(rejected_rows, 0, 1)
    reference_chosen_rows = (
        None if reference_chosen is None else reference_chosen.reshape(rows, D)
    )
    reference_chosen_strides = _gpu.strides(reference_chosen_rows, 0, 1)
    reference_rejected_rows = (
        None if reference_rejected is None else reference_rejected.reshape(rows, D)
    )
    reference_rejected_strides = _gpu.strides(reference_rejected_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 5, 0)
    programs = _gpu.programs(chosen.device, rows, sizes)
    _gpu.launch(
        kernels.dpo_forward,
        chosen.device,
        programs,
        sizes.num_warps,
        True,
        chosen_rows,
        rejected_rows,
        reference_chosen_rows,
        reference_rejected_rows,
        float(beta),
        float(smoothing),
        y,
        *chosen_strides,
        *rejected_strides,
        *reference_chosen_strides,
        *reference_rejected_strides,
        rows,
        D,
        reference_chosen is not None,
        reference_rejected is not None,
        _gpu.real(kind),
        _gpu.even(
            D,
            *chosen_strides[:1],
            *rejected_strides[:1],
            *reference_chosen_strides[:1],
            *reference_rejected_strides[:1],
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), ()


def _backward_on_gpu(kernels, saved, chosen, rejected, reference_chosen, reference_rejected, beta, smoothing, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = chosen.shape[-1]
    rows = chosen.numel() // D
    kind = _widest(chosen, rejected, reference_chosen, reference_rejected)
    dchosen = _gpu.room(chosen.shape, chosen)
    drejected = _gpu.room(chosen.shape, rejected)
    chosen_rows = chosen.reshape(rows, D)
    chosen_strides = _gpu.strides(chosen_rows, 0, 1)
    rejected_rows = rejected.reshape(rows, D)
    rejected_strides = _gpu.strides(rejected_rows, 0, 1)
    reference_chosen_rows = (
        None if reference_chosen is None else reference_chosen.reshape(rows, D)
    )
    reference_chosen_strides = _gpu.strides(reference_chosen_rows, 0, 1)
    reference_rejected_rows = (
        None if reference_rejected is None else reference_rejected.reshape(rows, D)
    )
    reference_rejected_strides = _gpu.strides(reference_rejected_rows, 0, 1)
    dy_rows = dy.reshape(rows, D)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 7, 0)
    programs = _gpu.programs(chosen.device, rows, sizes)
    _gpu.launch(
        kernels.dpo_backward,
        chosen.device,
        programs,
        sizes.num_warps,
        True,
        chosen_rows,
        rejected_rows,
        reference_chosen_rows,
        reference_rejected_rows,
        dy_rows,
        float(beta),
        float(smoothing),
        dchosen,
        drejected,
        *chosen_strides,
        *rejected_strides,
        *reference_chosen_strides,
        *reference_rejected_strides,
        *dy_strides,
        rows,
        D,
        reference_chosen is not None,
        reference_rejected is not None,
        _gpu.real(kind),
        _gpu.even(
            D,
            *chosen_strides[:1],
            *rejected_strides[:1],
            *reference_chosen_strides[:1],
            *reference_rejected_strides[:1],
            *dy_strides[:1],
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dchosen, drejected, None, None)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "dpo_forward",
    optional=("reference_chosen", "reference_rejected"),
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "dpo_backward",
    optional=("reference_chosen", "reference_rejected"),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        dpo,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={
        "chosen": "R",
        "rejected": "R",
        "reference_chosen": "r",
        "reference_rejected": "r",
    },
    outputs={"y": "r"},
    rows=("chosen", "rejected"),
    constants={"beta": True, "smoothing": True},
    data=("reference_chosen", "reference_rejected"),
)


class Dpo(_torch.Module):
    """`dpo` as a module without parameters.

    Args:
        beta: a constant, a finite number.
        smoothing: a constant, a finite number.
    """

    _layer = _LAYER

    def __init__(self, *, beta: float = 0.1, smoothing: float = 0.0) -> None:
        super().__init__()
        self.beta = self._constant("beta", beta, True)
        self.smoothing = self._constant("smoothing", smoothing, True)

    def forward(
        self,
        chosen: _torch.Tensor,
        rejected: _torch.Tensor,
        reference_chosen: _torch.Tensor | None = None,
        reference_rejected: _torch.Tensor | None = None,
    ) -> _torch.Tensor:
        """Return `dpo` of the arguments and the parameters of the module."""
        return dpo(
            chosen,
            rejected,
            reference_chosen,
            reference_rejected,
            beta=self.beta,
            smoothing=self.smoothing,
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


def _softplus(value):
    return torch.logaddexp(value, torch.zeros_like(value))
