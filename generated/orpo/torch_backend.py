# Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit orpo.py and run: lngen derive orpo.py
# definition sha256:cc81b3740291ed2a581da419d3b2894348bcf23301b624bcf39f7119e5818169
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.

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
    chosen: _torch.Tensor,
    rejected: _torch.Tensor,
    *,
    weight: float = 0.1,
    least: float = 1e-7,
) -> _torch.Tensor:
    """Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.

        c = where(chosen >= -least, -least, chosen)
        r = where(rejected >= -least, -least, rejected)
        expm1_c = expm1(c)
        u = -expm1_c
        log_u = log(u)
        total_2 = c - r - log_u
        expm1_r = expm1(r)
        u_2 = -expm1_r
        log_u_2 = log(u_2)
        odds = total_2 + log_u_2
        u_3 = -odds
        softplus_u_3 = softplus(u_3)
        y = weight*softplus_u_3 - c

    Args:
        chosen: shape (..., D).
        rejected: shape (..., D).
        weight: a constant, a finite number.
        least: a constant, a finite number of 0 or more.

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
        and type(least) is float
        and 0 <= least < _INFINITE
    ):
        made = _forward(_guards.run, True, weight, least, chosen, rejected)
        if made is None:
            chosen, rejected = _guards.dense("RR", chosen, rejected)
            made = _forward(_guards.run, True, weight, least, chosen, rejected)
        if made is not None:
            y, kept = made
            return (
                y
                if kept is None
                else _Recorded.apply(made, chosen, rejected, weight, least)
            )
    return _LAYER.call(chosen, rejected, weight, least)


def _decomposed(chosen, rejected, weight, least):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    chosen = _floats("chosen", chosen)
    if chosen.ndim < 1 or chosen.shape[-1] < 1:
        raise ValueError(
            f"chosen has shape {tuple(chosen.shape)}; pass (..., D) with D of 1 or more"
        )
    rejected = _floats("rejected", rejected, chosen.shape, "the shape of chosen")
    if not (float("-inf") < weight < float("inf")):
        raise ValueError(f"weight is {weight}; pass a finite number")
    if not (0 <= least < float("inf")):
        raise ValueError(f"least is {least}; pass a finite number of 0 or more")
    return _rows(chosen, rejected, weight, least)


def _rows(chosen, rejected, weight, least):
    """The outputs, each line by its step of the derivation."""
    stored = chosen.dtype
    dtype = _widest(chosen, rejected)
    zero = chosen.new_zeros((), dtype=dtype)
    chosen = chosen.to(dtype)
    rejected = rejected.to(dtype)
    weight = zero + weight
    least = zero + least
    c = torch.where(chosen >= -least, -least, chosen)  # step 1
    r = torch.where(rejected >= -least, -least, rejected)  # step 2
    total = c - r  # step 3
    expm1_c = torch.expm1(c)  # step 4
    u = -expm1_c  # step 5
    log_u = torch.log(u)  # step 6
    total_2 = total - log_u  # step 7
    expm1_r = torch.expm1(r)  # step 8
    u_2 = -expm1_r  # step 9
    log_u_2 = torch.log(u_2)  # step 10
    odds = log_u_2 + total_2  # step 11
    u_3 = -odds  # step 12
    softplus_u_3 = _softplus(u_3)  # step 13
    y = softplus_u_3*weight - c  # step 14
    return y.to(stored)


def _forward(run, kept, weight, least, chosen, rejected):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows; a capital has to
    be there. Behind + is a result, of the shape and type of the tensor that is
    passed for it. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(_FORWARD, "RR+r", 1, (), (weight, least), kept, chosen, rejected, chosen)


def _backward(run, kept, weight, least, chosen, rejected, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "RRR+r+r",
        1,
        (),
        (weight, least),
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
    def forward(ctx, made, chosen, rejected, weight, least):
        y, ctx.kept = made
        ctx.save_for_backward(chosen, rejected)
        ctx.numbers = (weight, least)
        return y

    @staticmethod
    def backward(ctx, dy):
        chosen, rejected = ctx.saved_tensors
        weight, least = ctx.numbers
        found = _backward(
            _guards.run, ctx.kept, weight, least, chosen, rejected, dy.contiguous()
        )
        if found is None or found is True:
            found = _LAYER.gradients(
                ctx.kept, (chosen, rejected, weight, least), (), (dy,)
            )
        return None, *found, None, None


def _forward_on_gpu(kernels, save, chosen, rejected, weight, least):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    chosen = _floats("chosen", chosen)
    if chosen.ndim < 1 or chosen.shape[-1] < 1:
        raise ValueError(
            f"chosen has shape {tuple(chosen.shape)}; pass (..., D) with D of 1 or more"
        )
    rejected = _floats("rejected", rejected, chosen.shape, "the shape of chosen")
    if not (float("-inf") < weight < float("inf")):
        raise ValueError(f"weight is {weight}; pass a finite number")
    if not (0 <= least < float("inf")):
        raise ValueError(f"least is {least}; pass a finite number of 0 or more")
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
        float(least),
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


def _backward_on_gpu(kernels, saved, chosen, rejected, weight, least, dy):
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
        float(least),
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
    constants={"weight": True, "least": False},
)


class Orpo(_torch.Module):
    """`orpo` as a module without parameters.

    Args:
        weight: a constant, a finite number.
        least: a constant, a finite number of 0 or more.
    """

    _layer = _LAYER

    def __init__(self, *, weight: float = 0.1, least: float = 1e-7) -> None:
        super().__init__()
        self.weight = self._constant("weight", weight, True)
        self.least = self._constant("least", least, False)

    def forward(self, chosen: _torch.Tensor, rejected: _torch.Tensor) -> _torch.Tensor:
        """Return `orpo` of the arguments and the parameters of the module."""
        return orpo(chosen, rejected, weight=self.weight, least=self.least)


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
