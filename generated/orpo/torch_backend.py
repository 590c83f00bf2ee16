# Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit orpo.py and run: lngen derive orpo.py
# Open: exp overflows where chosen is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
# definition sha256:3284c8cca3259d74e91a382ff15e2ccb66b3e98016374b546e341efab7cfa61d
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Odds ratio preference optimization of a pair, from mean log-probabilities of tokens, which are below 0.

`orpo` takes tensors, and `Orpo` is a module. A plain call on the processor
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
    "Orpo",
    "orpo",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def orpo(
    chosen: _torch.Tensor, rejected: _torch.Tensor, *, weight: float = 0.1
) -> _torch.Tensor:
    """Odds ratio preference optimization of a pair, from mean log-probabilities of tokens, which are below 0.

        expm1_chosen = expm1(chosen)
        u = -expm1_chosen
        log_u = log(u)
        total_2 = chosen - rejected - log_u
        expm1_rejected = expm1(rejected)
        u_2 = -expm1_rejected
        log_u_2 = log(u_2)
        odds = total_2 + log_u_2
        u_3 = -odds
        softplus_u_3 = softplus(u_3)
        y = weight*softplus_u_3 - chosen

    Args:
        chosen: shape (..., D).
        rejected: shape (..., D).
        weight: a constant, a finite number.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(weight) is float
        and -_INFINITE < weight < _INFINITE
    ):
        made = _forward(_guards.run, True, weight, chosen, rejected)
        if made is None:
            chosen, rejected = _guards.dense("RR", chosen, rejected)
            made = _forward(_guards.run, True, weight, chosen, rejected)
        if made is not None:
            y, kept = made
            return (
                y if kept is None else _Recorded.apply(made, chosen, rejected, weight)
            )
    return _LAYER.call(chosen, rejected, weight)


def _decomposed(chosen, rejected, weight):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    chosen = _floats("chosen", chosen)
    if chosen.ndim < 1 or chosen.shape[-1] < 1:
        raise ValueError(
            f"chosen has shape {tuple(chosen.shape)}; pass (..., D) with D of 1 or more"
        )
    rejected = _floats("rejected", rejected, chosen.shape, "the shape of chosen")
    if not (float("-inf") < weight < float("inf")):
        raise ValueError(f"weight is {weight}; pass a finite number")
    return _rows(chosen, rejected, weight)


def _rows(chosen, rejected, weight):
    """The outputs, each line by its step of the derivation."""
    stored = chosen.dtype
    dtype = _widest(chosen, rejected)
    zero = chosen.new_zeros((), dtype=dtype)
    chosen = chosen.to(dtype)
    rejected = rejected.to(dtype)
    weight = zero + weight
    total = chosen - rejected  # step 1
    expm1_chosen = torch.expm1(chosen)  # step 2
    u = -expm1_chosen  # step 3
    log_u = torch.log(u)  # step 4
    total_2 = total - log_u  # step 5
    expm1_rejected = torch.expm1(rejected)  # step 6
    u_2 = -expm1_rejected  # step 7
    log_u_2 = torch.log(u_2)  # step 8
    odds = log_u_2 + total_2  # step 9
    u_3 = -odds  # step 10
    softplus_u_3 = _softplus(u_3)  # step 11
    y = softplus_u_3*weight - chosen  # step 12
    return y.to(stored)


def _forward(run, kept, weight, chosen, rejected):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows; a capital has to
    be there. Behind + is a result, of the shape and type of the tensor that is
    passed for it. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(_FORWARD, "RR+r", 1, (), (weight,), kept, chosen, rejected, chosen)


def _backward(run, kept, weight, chosen, rejected, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "RRR+r+r",
        1,
        (),
        (weight,),
        kept,
        chosen,
        rejected,
        dy,
        chosen,
        rejected,
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, chosen, rejected, weight):
        y, ctx.kept = made
        ctx.save_for_backward(chosen, rejected)
        ctx.numbers = (weight,)
        return y

    @staticmethod
    def backward(ctx, dy):
        chosen, rejected = ctx.saved_tensors
        (weight,) = ctx.numbers
        found = _backward(
            _guards.run, ctx.kept, weight, chosen, rejected, dy.contiguous()
        )
        if found is None or found is True:
            found = _LAYER.gradients(ctx.kept, (chosen, rejected, weight), (), (dy,))
        return None, *found, None


def _forward_on_gpu(kernels, save, chosen, rejected, weight):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    chosen = _floats("chosen", chosen)
    if chosen.ndim < 1 or chosen.shape[-1] < 1:
        raise ValueError(
            f"chosen has shape {tuple(chosen.shape)}; pass (..., D) with D of 1 or more"
        )
    rejected = _floats("rejected", rejected, chosen.shape, "the shape of chosen")
    if not (float("-inf") < weight < float("inf")):
        raise ValueError(f"weight is {weight}; pass a finite number")
    D = chosen.shape[-1]
    rows = chosen.numel() // D
    kind = _widest(chosen, rejected)
    y = chosen.new_empty(chosen.shape)
    chosen_rows = chosen.reshape(rows, D)
    chosen_strides = _gpu.strides(chosen_rows, 0, 1)
    rejected_rows = rejected.reshape(rows, D)
    rejected_strides = _gpu.strides(rejected_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(chosen.device, rows, sizes)
    _gpu.launch(
        kernels.orpo_forward,
        chosen.device,
        programs,
        sizes.num_warps,
        True,
        chosen_rows,
        rejected_rows,
        float(weight),
        y,
        *chosen_strides,
        *rejected_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *chosen_strides[:1], *rejected_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), ()


def _backward_on_gpu(kernels, saved, chosen, rejected, weight, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = chosen.shape[-1]
    rows = chosen.numel() // D
    kind = _widest(chosen, rejected)
    dchosen = _gpu.room(chosen.shape, chosen)
    drejected = _gpu.room(chosen.shape, rejected)
    chosen_rows = chosen.reshape(rows, D)
    chosen_strides = _gpu.strides(chosen_rows, 0, 1)
    rejected_rows = rejected.reshape(rows, D)
    rejected_strides = _gpu.strides(rejected_rows, 0, 1)
    dy_rows = dy.reshape(rows, D)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 5, 0)
    programs = _gpu.programs(chosen.device, rows, sizes)
    _gpu.launch(
        kernels.orpo_backward,
        chosen.device,
        programs,
        sizes.num_warps,
        True,
        chosen_rows,
        rejected_rows,
        dy_rows,
        float(weight),
        dchosen,
        drejected,
        *chosen_strides,
        *rejected_strides,
        *dy_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *chosen_strides[:1], *rejected_strides[:1], *dy_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dchosen, drejected)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(__file__, "kernels", "orpo_forward")
_BACKWARD = _torch.CompiledDirection(__file__, "kernels", "orpo_backward")
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        orpo,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"chosen": "R", "rejected": "R"},
    outputs={"y": "r"},
    rows=("chosen", "rejected"),
    constants={"weight": True},
)


class Orpo(_torch.Module):
    """`orpo` as a module without parameters.

    Args:
        weight: a constant, a finite number.
    """

    _layer = _LAYER

    def __init__(self, *, weight: float = 0.1) -> None:
        super().__init__()
        self.weight = self._constant("weight", weight, True)

    def forward(self, chosen: _torch.Tensor, rejected: _torch.Tensor) -> _torch.Tensor:
        """Return `orpo` of the arguments and the parameters of the module."""
        return orpo(chosen, rejected, weight=self.weight)


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
