# Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Softmax with a learned inverse temperature.

`scaled_softmax` takes tensors, and `ScaledSoftmax` is a module. A plain call on the processor
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
    "ScaledSoftmax",
    "scaled_softmax",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def scaled_softmax(
    x: _torch.Tensor, scale: float | _torch.Tensor | None = None
) -> _torch.Tensor:
    """Softmax with a learned inverse temperature.

        m = max(scale*x)
        e_shifted = exp(scale*x - m)
        Z = sum(e_shifted)
        inv_Z = 1/Z
        y = inv_Z*e_shifted

    Args:
        x: shape (..., D).
        scale: a number or a tensor without axes. If omitted it is 1.

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if _LAYER.has_kernels and not torch.compiler.is_compiling():
        made = _forward(_guards.run, True, x, scale)
        if made is None:
            x, scale = _guards.dense("Rn", x, scale)
            made = _forward(_guards.run, True, x, scale)
        if made is not None:
            y, kept = made
            return y if kept is None else _Recorded.apply(made, x, scale)
    return _LAYER.call(x, scale)


def _decomposed(x, scale):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    scale = None if scale is None else _number("scale", scale)
    return _rows(x, scale)


def _rows(x, scale):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, scale)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    scale = zero + 1 if scale is None else scale.to(dtype)
    largest = torch.finfo(dtype).max
    # step 1
    m = torch.clip(
        torch.amax(x*scale, dim=-1, keepdim=True).detach(), -largest, largest
    )
    u = x*scale - m  # step 2
    e_shifted = torch.exp(u)  # step 3
    Z = torch.sum(e_shifted, dim=-1, keepdim=True)  # step 4
    inv_Z = 1/Z  # step 5
    y = e_shifted*inv_Z  # step 6
    return y.to(stored)


def _forward(run, kept, x, scale):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, n has one value;
    a capital has to be there. Behind + is a result, of the shape and type of the
    tensor that is passed for it; a digit is a row scalar. A bar begins what the
    kernel of sums reads, another what neither kernel does. The number behind the
    form is the least D.
    """
    return run(_FORWARD, "Rn+r01", 1, (scale is None,), (), kept, x, scale, x)


def _backward(run, kept, x, scale, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "RR01n+r|n+n",
        1,
        (scale is None,),
        (),
        kept,
        x,
        dy,
        scale,
        x,
        scale,
        scale,
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, scale):
        y, ctx.kept = made
        ctx.save_for_backward(x, scale)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, scale = ctx.saved_tensors
        found = _backward(_guards.run, ctx.kept, x, scale, dy.contiguous())
        if found is None or found is True:
            found = _LAYER.gradients(ctx.kept, (x, scale), (), (dy,))
        return None, *found


def _forward_on_gpu(kernels, save, x, scale):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    scale = None if scale is None else _number("scale", scale)
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, scale)
    y = x.new_empty(x.shape)
    m = x.new_empty(rows, dtype=kind) if save else None
    inv_Z = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.scaled_softmax_forward,
        x.device,
        programs,
        sizes.num_warps,
        False,
        x_rows,
        scale,
        y,
        m,
        inv_Z,
        *x_strides,
        rows,
        D,
        scale is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (m, inv_Z)


def _backward_on_gpu(kernels, saved, x, scale, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, scale)
    m, inv_Z = saved
    dx = _gpu.room(x.shape, x)
    dscale = _gpu.room((), scale)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    dy_rows = dy.reshape(rows, D)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    sums = x.new_empty((programs, 1), dtype=kind)
    _gpu.launch(
        kernels.scaled_softmax_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        dy_rows,
        m,
        inv_Z,
        scale,
        dx,
        sums,
        *x_strides,
        *dy_strides,
        rows,
        D,
        scale is not None,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *dy_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    _gpu.launch(
        kernels.scaled_softmax_backward_totals,
        x.device,
        1,
        4,
        True,
        sums,
        dscale,
        programs,
        D,
        scale is not None,
        _gpu.real(kind),
        _gpu.even(D),
        _gpu.AT_ONCE,
    )
    return (dx, dscale)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__, "kernels", "scaled_softmax_forward", optional=("scale",)
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "scaled_softmax_backward",
    "scaled_softmax_backward_columns",
    optional=("scale",),
    sums=(0, 1),
)
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        scaled_softmax,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "scale": "n"},
    outputs={"y": "r"},
    rows=("x",),
    constants={},
    scalars=2,
)


class ScaledSoftmax(_torch.Module):
    """`scaled_softmax` as a module with the parameter scale.

    Args:
        scale: False omits it; its initial value is 1.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        *,
        scale: bool = True,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__()
        self._parameter("scale", scale, (), 1, device, dtype)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `scaled_softmax` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            scale = _own["scale"]
        except KeyError:  # a parametrized module has attributes instead
            scale = self.scale
        return scaled_softmax(x, scale)


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


def _number(name, value):
    return _floats(name, value, (), "a number or a 0-d one")
