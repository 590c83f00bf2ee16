# Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Rotary position embedding: both halves of a row are turned by the angle of their position.

`rotary` takes tensors, and `Rotary` is a module. A plain call on the processor
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
    "Rotary",
    "rotary",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def rotary(
    x: _torch.Tensor, cosine: _torch.Tensor, sine: _torch.Tensor
) -> _torch.Tensor:
    """Rotary position embedding: both halves of a row are turned by the angle of their position.

        a = at(x, s=0)
        b = at(x, s=1)
        y_0 = a*cosine - b*sine
        y_1 = a*sine + b*cosine
        y = join(y_0, y_1)

    Args:
        x: an array with the axes b h t (s d), s of size 2.
        cosine: an array with the axes t d, without a gradient.
        sine: an array with the axes t d, without a gradient.

    Returns y in the type of x. y is an array with the axes b h t (s d), s of size 2.
    The compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, cosine, sine = _LAYER.taken(x, cosine, sine)
    if _LAYER.has_kernels and not torch.compiler.is_compiling() and x.itemsize > 2:
        given = _rows_of(x, cosine, sine)
        kept = None if _guards.is_recorded((x, cosine, sine)) else True
        made = given and _forward(_guards.run, kept, *given)
        if made is not None:
            y_0, y_1, kept = made
            return (
                _outputs(y_0, y_1, x, cosine, sine)
                if kept is None
                else _Recorded.apply(made, x, cosine, sine)
            )
    return _LAYER.call(x, cosine, sine)


def _decomposed(x, cosine, sine):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    b, h, t, s_d = _axes("x", x, "b h t (s d)", 4)
    if s_d % 2:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, and s = {2} does not divide its axis (s d) of {s_d}"
        )
    d = s_d // 2
    cosine = _floats("cosine", cosine, (t, d), "(t d)")
    sine = _floats("sine", sine, (t, d), "(t d)")
    y_0, y_1 = _rows(
        x.reshape(b, h, t, 2, d)[:, :, :, 0],
        x.reshape(b, h, t, 2, d)[:, :, :, 1],
        cosine.reshape(1, 1, t, d),
        sine.reshape(1, 1, t, d),
    )
    return _stack((y_0, y_1), 3).reshape((b, h, t, 2*d))


def _rows(a, b, cosine, sine):
    """The outputs, each line by its step of the derivation."""
    stored = a.dtype
    dtype = _widest(a, b, cosine, sine)
    a = a.to(dtype)
    b = b.to(dtype)
    cosine = cosine.to(dtype)
    sine = sine.to(dtype)
    y_0 = a*cosine - b*sine  # step 1
    y_1 = a*sine + b*cosine  # step 2
    return y_0.to(stored), y_1.to(stored)


def _forward(run, kept, D, starts_t_d, a, b, cosine, sine):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows; a capital has to
    be there, * lies where a table says. Behind + is a result, of the shape and type
    of the tensor that is passed for it. A bar begins what the kernel of sums reads,
    another what neither kernel does. The number behind the form is the least D.
    """
    return run(
        _FORWARD,
        "=RR*R*R+r+r",
        D,
        (),
        (),
        kept,
        a,
        b,
        cosine,
        starts_t_d,
        sine,
        starts_t_d,
        a,
        a,
    )


def _backward(run, kept, D, starts_t_d, a, b, cosine, sine, dy_0, dy_1):
    """The gradients by the compiled kernels."""
    made = run(
        _BACKWARD,
        "=*R*Rrr+r+r||RR",
        D,
        (dy_0 is None, dy_1 is None),
        (),
        kept,
        cosine,
        starts_t_d,
        sine,
        starts_t_d,
        dy_0,
        dy_1,
        a,
        b,
        a,
        b,
    )
    if made is None or made is True:
        return made
    da, db = made
    return da, db, None, None


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, cosine, sine):
        y_0, y_1, ctx.kept = made
        y = _outputs(y_0, y_1, x, cosine, sine)
        ctx.save_for_backward(x, cosine, sine)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, cosine, sine = ctx.saved_tensors
        found = None
        if x.itemsize > 2 and not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, cosine, sine, dy)
            found = _backward(_guards.run, ctx.kept, *given)
        if found is None:
            found = _LAYER.gradients(ctx.kept, (x, cosine, sine), (), (dy,))
            return None, *found
        return None, *_gradients(*found, x, cosine, sine)


def _rows_of(x, cosine, sine):
    """D, and inputs as the kernel takes them; None of shapes that `_decomposed` refuses."""
    if x.ndim != 4:
        return None
    b, h, t, s_d = x.shape
    if s_d % 2:
        return None
    d = s_d // 2
    if cosine.shape != (t, d):
        return None
    if sine.shape != (t, d):
        return None
    starts_t_d = _guards.starts(0, (b, h, t), (0, 0, d))
    return (
        d,
        starts_t_d,
        x.detach().reshape(b, h, t, 2, d)[:, :, :, 0].contiguous(),
        x.detach().reshape(b, h, t, 2, d)[:, :, :, 1].contiguous(),
        cosine.contiguous(),
        sine.contiguous(),
    )


def _pulled_rows(x, cosine, sine, dy):
    """D, and what the kernels of backward take, of arrays."""
    b, h, t, s_d = x.shape
    d = s_d // 2
    first = x.detach().reshape(b, h, t, 2, d)[:, :, :, 0].contiguous()
    starts_t_d = _guards.starts(0, (b, h, t), (0, 0, d))
    return (
        d,
        starts_t_d,
        first,
        first,
        cosine.contiguous(),
        sine.contiguous(),
        dy.reshape(b, h, t, 2, d)[:, :, :, 0].contiguous(),
        dy.reshape(b, h, t, 2, d)[:, :, :, 1].contiguous(),
    )


def _outputs(y_0, y_1, x, cosine, sine):
    """The outputs as callers have them."""
    b, h, t, s_d = x.shape
    d = s_d // 2
    return torch.stack((y_0.reshape(b, h, t, d), y_1.reshape(b, h, t, d)), 3).reshape(
        (b, h, t, 2*d)
    ).detach()


def _gradients(da, db, _2, _3, x, cosine, sine):
    """The gradients of inputs as callers have these."""
    b, h, t, s_d = x.shape
    d = s_d // 2
    return (
        torch.stack((da.reshape(b, h, t, d), db.reshape(b, h, t, d)), 3).reshape(
            x.shape
        ),
        None,
        None,
    )


def _forward_on_gpu(kernels, save, x, cosine, sine):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    b, h, t, s_d = _axes("x", x, "b h t (s d)", 4)
    if s_d % 2:
        raise ValueError(
            f"x has shape {tuple(x.shape)}, and s = {2} does not divide its axis (s d) of {s_d}"
        )
    d = s_d // 2
    cosine = _floats("cosine", cosine, (t, d), "(t d)")
    sine = _floats("sine", sine, (t, d), "(t d)")
    D = d
    rows = b*h*t
    kind = _widest(x, cosine, sine)
    y = x.new_empty((b, h, t, 2*d))
    a_rows = x.reshape(b, h, t, 2, d)[:, :, :, 0]
    a_strides = _gpu.strides(a_rows, 0, 1, 2, 3)
    b_rows = x.reshape(b, h, t, 2, d)[:, :, :, 1]
    b_strides = _gpu.strides(b_rows, 0, 1, 2, 3)
    cosine_rows = cosine.reshape(t, d)
    cosine_strides = _gpu.strides(cosine_rows, 0, 1)
    sine_rows = sine.reshape(t, d)
    sine_strides = _gpu.strides(sine_rows, 0, 1)
    y_0_rows = y.view(b, h, t, 2, d)[:, :, :, 0]
    y_0_strides = _gpu.strides(y_0_rows, 0, 1, 2, 3)
    y_1_rows = y.view(b, h, t, 2, d)[:, :, :, 1]
    y_1_strides = _gpu.strides(y_1_rows, 0, 1, 2, 3)
    sizes = _gpu.sizes(D, kind.itemsize, 6, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.rotary_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        a_rows,
        b_rows,
        cosine_rows,
        sine_rows,
        y_0_rows,
        y_1_rows,
        *a_strides,
        *b_strides,
        *cosine_strides,
        *sine_strides,
        *y_0_strides,
        *y_1_strides,
        h,
        t,
        rows,
        D,
        _gpu.real(kind),
        _gpu.even(
            D,
            *a_strides[:3],
            *b_strides[:3],
            *cosine_strides[:1],
            *sine_strides[:1],
            *y_0_strides[:3],
            *y_1_strides[:3],
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), ()


def _backward_on_gpu(kernels, saved, x, cosine, sine, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    b, h, t, s_d = x.shape
    d = s_d // 2
    D = d
    rows = b*h*t
    kind = _widest(x, cosine, sine)
    dx = _gpu.room((b, h, t, 2*d), x)
    cosine_rows = cosine.reshape(t, d)
    cosine_strides = _gpu.strides(cosine_rows, 0, 1)
    sine_rows = sine.reshape(t, d)
    sine_strides = _gpu.strides(sine_rows, 0, 1)
    dy_0_rows = dy.reshape(b, h, t, 2, d)[:, :, :, 0]
    dy_0_strides = _gpu.strides(dy_0_rows, 0, 1, 2, 3)
    dy_1_rows = dy.reshape(b, h, t, 2, d)[:, :, :, 1]
    dy_1_strides = _gpu.strides(dy_1_rows, 0, 1, 2, 3)
    da_rows = dx.view(b, h, t, 2, d)[:, :, :, 0]
    da_strides = _gpu.strides(da_rows, 0, 1, 2, 3)
    db_rows = dx.view(b, h, t, 2, d)[:, :, :, 1]
    db_strides = _gpu.strides(db_rows, 0, 1, 2, 3)
    sizes = _gpu.sizes(D, kind.itemsize, 6, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.rotary_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        cosine_rows,
        sine_rows,
        dy_0_rows,
        dy_1_rows,
        da_rows,
        db_rows,
        *cosine_strides,
        *sine_strides,
        *dy_0_strides,
        *dy_1_strides,
        *da_strides,
        *db_strides,
        h,
        t,
        rows,
        D,
        dy is not None,
        dy is not None,
        _gpu.real(kind),
        _gpu.even(
            D,
            *cosine_strides[:1],
            *sine_strides[:1],
            *dy_0_strides[:3],
            *dy_1_strides[:3],
            *da_strides[:3],
            *db_strides[:3],
        ),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx, None, None)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__, "kernels", "rotary_forward", macros=("LNGEN_PLACED",)
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "rotary_backward",
    optional=("dy_0", "dy_1"),
    macros=("LNGEN_PLACED",),
)
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        rotary,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
        rows=_rows_of,
        pulled_rows=_pulled_rows,
        outputs=_outputs,
        gradients=_gradients,
    ),
    inputs={"x": "R", "cosine": "R", "sine": "R"},
    outputs={"y": "r"},
    rows=("x",),
    constants={},
    data=("cosine", "sine"),
)


class Rotary(_torch.Module):
    """`rotary` as a module without parameters."""

    _layer = _LAYER

    def __init__(self) -> None:
        super().__init__()

    def forward(
        self, x: _torch.Tensor, cosine: _torch.Tensor, sine: _torch.Tensor
    ) -> _torch.Tensor:
        """Return `rotary` of the arguments."""
        return rotary(x, cosine, sine)


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


def _axes(name, value, pattern, count, more=False):
    """The sizes of the axes of a tensor, of which there are so many, or more."""
    if value.ndim < count or (value.ndim > count and not more):
        raise ValueError(f"{name} has shape {tuple(value.shape)}; pass an array with the axes {pattern}")
    return value.shape


def _stack(parts, axis):
    return torch.stack(parts, axis)
