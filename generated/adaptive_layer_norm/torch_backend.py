# Made by lngen 0.1.0 from the definition of adaptive_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Layer normalization with a scale and a shift for every entry, from elsewhere.

`adaptive_layer_norm` takes tensors, and `AdaptiveLayerNorm` is a module. A plain call on the processor
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
    "AdaptiveLayerNorm",
    "adaptive_layer_norm",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def adaptive_layer_norm(
    x: _torch.Tensor, scale: _torch.Tensor, shift: _torch.Tensor, *, eps: float = 1e-6
) -> _torch.Tensor:
    """Layer normalization with a scale and a shift for every entry, from elsewhere.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = shift + xhat*(1 + scale)

    Args:
        x: shape (..., D).
        scale: shape (..., D).
        shift: shape (..., D).
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(eps) is float
        and 0 <= eps < _INFINITE
    ):
        made = _forward(_guards.run, True, eps, x, scale, shift)
        if made is None:
            x, scale, shift = _guards.dense("RRR", x, scale, shift)
            made = _forward(_guards.run, True, eps, x, scale, shift)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, scale, shift, eps)
    return _LAYER.call(x, scale, shift, eps)


def _decomposed(x, scale, shift, eps):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    scale = _floats("scale", scale, x.shape, "the shape of x")
    shift = _floats("shift", shift, x.shape, "the shape of x")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _rows(x, scale, shift, eps)


def _rows(x, scale, shift, eps):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, scale, shift)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    scale = scale.to(dtype)
    shift = shift.to(dtype)
    eps = zero + eps
    mu = torch.mean(x, dim=-1, keepdim=True)  # step 1
    x_shifted = x - mu  # step 2, pass 1: compensation
    mu_residual = torch.mean(x_shifted, dim=-1, keepdim=True)  # step 2, pass 2
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    var = torch.mean(x_centred**2, dim=-1, keepdim=True)  # step 3
    rstd = torch.rsqrt(var + eps)  # step 4
    xhat = x_centred*rstd  # step 5
    y = shift + (scale + 1)*xhat  # step 6
    return y.to(stored)


def _forward(run, kept, eps, x, scale, shift):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows; a capital has to
    be there. Behind + is a result, of the shape and type of the tensor that is
    passed for it; a digit is a row scalar. A bar begins what the kernel of sums
    reads, another what neither kernel does. The number behind the form is the least
    D.
    """
    return run(_FORWARD, "RRR+r012", 1, (), (eps,), kept, x, scale, shift, x)


def _backward(run, kept, _eps, x, scale, shift, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "RRR012+r+r+r||R",
        1,
        (),
        (),
        kept,
        x,
        scale,
        dy,
        x,
        scale,
        shift,
        shift,
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, scale, shift, eps):
        y, ctx.kept = made
        ctx.save_for_backward(x, scale, shift)
        ctx.numbers = (eps,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, scale, shift = ctx.saved_tensors
        (eps,) = ctx.numbers
        found = _backward(_guards.run, ctx.kept, eps, x, scale, shift, dy.contiguous())
        if found is None or found is True:
            found = _LAYER.gradients(ctx.kept, (x, scale, shift, eps), (), (dy,))
        return None, *found, None


def _forward_on_gpu(kernels, save, x, scale, shift, eps):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    scale = _floats("scale", scale, x.shape, "the shape of x")
    shift = _floats("shift", shift, x.shape, "the shape of x")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, scale, shift)
    y = x.new_empty(x.shape)
    mu = x.new_empty(rows, dtype=kind) if save else None
    mu_residual = x.new_empty(rows, dtype=kind) if save else None
    rstd = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    scale_rows = scale.reshape(rows, D)
    scale_strides = _gpu.strides(scale_rows, 0, 1)
    shift_rows = shift.reshape(rows, D)
    shift_strides = _gpu.strides(shift_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 4, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.adaptive_layer_norm_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        scale_rows,
        shift_rows,
        float(eps),
        y,
        mu,
        mu_residual,
        rstd,
        *x_strides,
        *scale_strides,
        *shift_strides,
        rows,
        D,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *scale_strides[:1], *shift_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (mu, mu_residual, rstd)


def _backward_on_gpu(kernels, saved, x, scale, shift, eps, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, scale, shift)
    mu, mu_residual, rstd = saved
    dx = _gpu.room(x.shape, x)
    dscale = _gpu.room(x.shape, scale)
    dshift = _gpu.room(x.shape, shift)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    scale_rows = scale.reshape(rows, D)
    scale_strides = _gpu.strides(scale_rows, 0, 1)
    dy_rows = dy.reshape(rows, D)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 6, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.adaptive_layer_norm_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        scale_rows,
        dy_rows,
        mu,
        mu_residual,
        rstd,
        dx,
        dscale,
        dshift,
        *x_strides,
        *scale_strides,
        *dy_strides,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *scale_strides[:1], *dy_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx, dscale, dshift)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(__file__, "kernels", "adaptive_layer_norm_forward")
_BACKWARD = _torch.CompiledDirection(
    __file__, "kernels", "adaptive_layer_norm_backward"
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        adaptive_layer_norm,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "scale": "R", "shift": "R"},
    outputs={"y": "r"},
    rows=("x", "scale", "shift"),
    constants={"eps": False},
    scalars=3,
)


class AdaptiveLayerNorm(_torch.Module):
    """`adaptive_layer_norm` as a module without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
    """

    _layer = _LAYER

    def __init__(self, *, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = self._constant("eps", eps, False)

    def forward(
        self, x: _torch.Tensor, scale: _torch.Tensor, shift: _torch.Tensor
    ) -> _torch.Tensor:
        """Return `adaptive_layer_norm` of the arguments and the parameters of the module."""
        return adaptive_layer_norm(x, scale, shift, eps=self.eps)


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
