# Made by lngen 0.1.0 from the definition of dual_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dual_rms_norm.py and run: lngen derive dual_rms_norm.py
# definition sha256:e689ee1c158bbc0dca0d29a1556c92f1e9714db62885e477d177bd5c9c3a13db
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""A norm after a block, its residual added, and the norm before the next block, in one pass.

`dual_rms_norm` takes tensors, and `DualRMSNorm` is a module. A plain call on the processor
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
    "DualRMSNorm",
    "dual_rms_norm",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def dual_rms_norm(
    x: _torch.Tensor,
    residual: _torch.Tensor,
    after: _torch.Tensor | None = None,
    before: _torch.Tensor | None = None,
    *,
    eps: float = 1e-6,
) -> tuple[_torch.Tensor, _torch.Tensor]:
    """A norm after a block, its residual added, and the norm before the next block, in one pass.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        r = residual + after*xhat
        var = mean(r**2)
        rstd_2 = 1/sqrt(var + eps)
        rhat = rstd_2*r
        y = before*rhat

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        after: one value per feature, shape (D,). If omitted it is 1.
        before: one value per feature, shape (D,). If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, r)` in the type of the first rows. y has shape (..., D); r has shape
    (..., D). The compute type is the widest among the inputs, and float32 for 16-bit
    inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(eps) is float
        and 0 <= eps < _INFINITE
    ):
        made = _forward(_guards.run, True, eps, x, residual, after, before)
        if made is None:
            x, residual, after, before = _guards.dense(
                "RRff", x, residual, after, before
            )
            made = _forward(_guards.run, True, eps, x, residual, after, before)
        if made is not None:
            y, r, kept = made
            return (
                (y, r)
                if kept is None
                else _Recorded.apply(made, x, residual, after, before, eps)
            )
    return _LAYER.call(x, residual, after, before, eps)


def _decomposed(x, residual, after, before, eps):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    residual = _floats("residual", residual, x.shape, "the shape of x")
    after = None if after is None else _floats("after", after, x.shape[-1:], "(D,)")
    before = None if before is None else _floats("before", before, x.shape[-1:], "(D,)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _rows(x, residual, after, before, eps)


def _rows(x, residual, after, before, eps):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, residual, after, before)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    residual = residual.to(dtype)
    after = zero + 1 if after is None else after.to(dtype)
    before = zero + 1 if before is None else before.to(dtype)
    eps = zero + eps
    ms = torch.mean(x**2, dim=-1, keepdim=True)  # step 1
    rstd = torch.rsqrt(ms + eps)  # step 2
    xhat = x*rstd  # step 3
    r = residual + xhat*after  # step 4
    var = torch.mean(r**2, dim=-1, keepdim=True)  # step 5
    rstd_2 = torch.rsqrt(var + eps)  # step 6
    rhat = r*rstd_2  # step 7
    y = rhat*before  # step 8
    return y.to(stored), r.to(stored)


def _forward(run, kept, eps, x, residual, after, before):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, f has one a
    feature; a capital has to be there. Behind + is a result, of the shape and type
    of the tensor that is passed for it; a digit is a row scalar. A bar begins what
    the kernel of sums reads, another what neither kernel does. The number behind
    the form is the least D.
    """
    return run(
        _FORWARD,
        "RRff+r+r01",
        1,
        (after is None, before is None),
        (eps,),
        kept,
        x,
        residual,
        after,
        before,
        x,
        x,
    )


def _backward(run, kept, _eps, x, residual, after, before, dy, dr):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "RRrr01ff+r+r|ff+f+f",
        1,
        (after is None, before is None, dr is None, dy is None),
        (),
        kept,
        x,
        residual,
        dy,
        dr,
        after,
        before,
        x,
        residual,
        after,
        before,
        after,
        before,
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, residual, after, before, eps):
        y, r, ctx.kept = made
        ctx.save_for_backward(x, residual, after, before)
        ctx.numbers = (eps,)
        ctx.set_materialize_grads(False)
        return y, r

    @staticmethod
    def backward(ctx, dy, dr):
        x, residual, after, before = ctx.saved_tensors
        (eps,) = ctx.numbers
        found = _backward(
            _guards.run, ctx.kept, eps, x, residual, after, before, dy, dr
        )
        if found is None or found is True:
            found = _LAYER.gradients(
                ctx.kept, (x, residual, after, before, eps), (), (dy, dr)
            )
        return None, *found, None


def _forward_on_gpu(kernels, save, x, residual, after, before, eps):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    residual = _floats("residual", residual, x.shape, "the shape of x")
    after = None if after is None else _floats("after", after, x.shape[-1:], "(D,)")
    before = None if before is None else _floats("before", before, x.shape[-1:], "(D,)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, residual, after, before)
    y = x.new_empty(x.shape)
    r = x.new_empty(x.shape)
    rstd = x.new_empty(rows, dtype=kind) if save else None
    rstd_2 = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    residual_rows = residual.reshape(rows, D)
    residual_strides = _gpu.strides(residual_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 4, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.dual_rms_norm_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        residual_rows,
        _gpu.dense(after),
        _gpu.dense(before),
        float(eps),
        y,
        r,
        rstd,
        rstd_2,
        *x_strides,
        *residual_strides,
        rows,
        D,
        after is not None,
        before is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *residual_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y, r), (rstd, rstd_2)


def _backward_on_gpu(kernels, saved, x, residual, after, before, eps, dy, dr):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, residual, after, before)
    rstd, rstd_2 = saved
    dx = _gpu.room(x.shape, x)
    dresidual = _gpu.room(x.shape, residual)
    dafter = _gpu.room((D,), after)
    dbefore = _gpu.room((D,), before)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    residual_rows = residual.reshape(rows, D)
    residual_strides = _gpu.strides(residual_rows, 0, 1)
    dy_rows = None if dy is None else dy.reshape(rows, D)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    dr_rows = None if dr is None else dr.reshape(rows, D)
    dr_strides = _gpu.strides(dr_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 6, 2)
    programs = _gpu.programs(x.device, rows, sizes)
    sums = x.new_empty((programs, 2*D), dtype=kind)
    _gpu.launch(
        kernels.dual_rms_norm_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        residual_rows,
        dy_rows,
        dr_rows,
        rstd,
        rstd_2,
        _gpu.dense(after),
        _gpu.dense(before),
        dx,
        dresidual,
        sums,
        *x_strides,
        *residual_strides,
        *dy_strides,
        *dr_strides,
        rows,
        D,
        after is not None,
        before is not None,
        dr is not None,
        dy is not None,
        _gpu.real(kind),
        _gpu.even(
            D, *x_strides[:1], *residual_strides[:1], *dy_strides[:1], *dr_strides[:1]
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    _gpu.launch(
        kernels.dual_rms_norm_backward_totals,
        x.device,
        -(-D // _gpu.COLUMNS),
        4,
        True,
        sums,
        dafter,
        dbefore,
        programs,
        D,
        after is not None,
        before is not None,
        dy is not None,
        _gpu.real(kind),
        _gpu.even(D),
        _gpu.COLUMNS,
        _gpu.AT_ONCE,
    )
    return (dx, dresidual, dafter, dbefore)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__, "kernels", "dual_rms_norm_forward", optional=("after", "before")
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "dual_rms_norm_backward",
    "dual_rms_norm_backward_columns",
    optional=("after", "before", "dr", "dy"),
    sums=(2, 0),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[tuple[_torch.Tensor, _torch.Tensor]] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        dual_rms_norm,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "residual": "R", "after": "f", "before": "f"},
    outputs={"y": "r", "r": "r"},
    rows=("x", "residual"),
    constants={"eps": False},
    scalars=2,
)


class DualRMSNorm(_torch.Module):
    """`dual_rms_norm` as a module with the parameters after and before.

    Args:
        D: the number of features of a row.
        after: False omits it; its initial value is 1.
        before: False omits it; its initial value is 1.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        D: int,
        *,
        after: bool = True,
        before: bool = True,
        eps: float = 1e-6,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(D=_torch.size("D", D, 1))
        self._parameter("after", after, (D,), 1, device, dtype)
        self._parameter("before", before, (D,), 1, device, dtype)
        self.eps = self._constant("eps", eps, False)

    def forward(
        self, x: _torch.Tensor, residual: _torch.Tensor
    ) -> tuple[_torch.Tensor, _torch.Tensor]:
        """Return `dual_rms_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            after, before = _own["after"], _own["before"]
        except KeyError:  # a parametrized module has attributes instead
            after, before = self.after, self.before
        return dual_rms_norm(x, residual, after, before, eps=self.eps)


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
