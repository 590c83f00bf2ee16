# Made by lngen 0.1.0 from the definition of rms_norm_rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_rotary.py and run: lngen derive rms_norm_rotary.py
# definition sha256:998fdf59ade695e9f5494b7d0184d1de3a356aa9ffc68ea8a8746fc047134e7a
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.

`rms_norm_rotary` takes tensors, and `RMSNormRotary` is a module. A plain call on the processor
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
    "RMSNormRotary",
    "rms_norm_rotary",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def rms_norm_rotary(
    x: _torch.Tensor,
    cosine: _torch.Tensor,
    sine: _torch.Tensor,
    weight: _torch.Tensor | None = None,
    *,
    eps: float = 1e-6,
) -> _torch.Tensor:
    """Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.

        a = at(x, s=0)
        b = at(x, s=1)
        weight_0 = at(weight, s=0)
        weight_1 = at(weight, s=1)
        mu = mean(a**2 + b**2)
        rstd = 1/sqrt(mu/2 + eps)
        ahat = rstd*a
        u = weight_0*ahat
        bhat = rstd*b
        v = weight_1*bhat
        y_0 = cosine*u - sine*v
        y_1 = cosine*v + sine*u
        y = join(y_0, y_1)

    Args:
        x: an array with the axes b h t (s d), s of size 2.
        cosine: an array with the axes t d, without a gradient.
        sine: an array with the axes t d, without a gradient.
        weight: an array with the axes (s d), s of size 2. If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of x. y is an array with the axes b h t (s d), s of size 2.
    The compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, cosine, sine, weight = _LAYER.taken(x, cosine, sine, weight)
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and x.itemsize > 2
        and type(eps) is float
        and 0 <= eps < _INFINITE
    ):
        given = _rows_of(x, cosine, sine, weight)
        kept = None if _guards.is_recorded((x, cosine, sine, weight)) else True
        made = given and _forward(_guards.run, kept, eps, *given)
        if made is not None:
            y_0, y_1, kept = made
            return (
                _outputs(y_0, y_1, x, cosine, sine, weight)
                if kept is None
                else _Recorded.apply(made, x, cosine, sine, weight, eps)
            )
    return _LAYER.call(x, cosine, sine, weight, eps)


def _decomposed(x, cosine, sine, weight, eps):
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
    weight = None if weight is None else _floats("weight", weight, (2*d,), "(s d)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y_0, y_1 = _rows(
        x.reshape(b, h, t, 2, d)[:, :, :, 0],
        x.reshape(b, h, t, 2, d)[:, :, :, 1],
        cosine.reshape(1, 1, t, d),
        sine.reshape(1, 1, t, d),
        None if weight is None else weight.reshape(2, d)[0].reshape(1, 1, 1, d),
        None if weight is None else weight.reshape(2, d)[1].reshape(1, 1, 1, d),
        eps,
    )
    return _stack((y_0, y_1), 3).reshape((b, h, t, 2*d))


def _rows(a, b, cosine, sine, weight_0, weight_1, eps):
    """The outputs, each line by its step of the derivation."""
    stored = a.dtype
    dtype = _widest(a, b, cosine, sine, weight_0, weight_1)
    zero = a.new_zeros((), dtype=dtype)
    a = a.to(dtype)
    b = b.to(dtype)
    cosine = cosine.to(dtype)
    sine = sine.to(dtype)
    weight_0 = zero + 1 if weight_0 is None else weight_0.to(dtype)
    weight_1 = zero + 1 if weight_1 is None else weight_1.to(dtype)
    eps = zero + eps
    total = a**2 + b**2  # step 1
    mu = torch.mean(total, dim=3, keepdim=True)  # step 2
    rstd = torch.rsqrt(0.5*mu + eps)  # step 3
    ahat = a*rstd  # step 4
    u = ahat*weight_0  # step 5
    bhat = b*rstd  # step 6
    v = bhat*weight_1  # step 7
    y_0 = cosine*u - sine*v  # step 8
    y_1 = cosine*v + sine*u  # step 9
    return y_0.to(stored), y_1.to(stored)


def _forward(run, kept, eps, D, starts_t_d, a, b, cosine, sine, weight_0, weight_1):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, f has one a
    feature; a capital has to be there, * lies where a table says. Behind + is a
    result, of the shape and type of the tensor that is passed for it; a digit is a
    row scalar. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(
        _FORWARD,
        "=RR*R*Rff+r+r0",
        D,
        (weight_0 is None, weight_1 is None),
        (eps,),
        kept,
        a,
        b,
        cosine,
        starts_t_d,
        sine,
        starts_t_d,
        weight_0,
        weight_1,
        a,
        a,
    )


def _backward(run, kept, _eps, D, starts_t_d, a, b, cosine, sine, weight_0, weight_1, dy_0, dy_1):
    """The gradients by the compiled kernels."""
    made = run(
        _BACKWARD,
        "=RR*R*Rrr0ff+r+r|ff+f+f",
        D,
        (dy_0 is None, dy_1 is None, weight_0 is None, weight_1 is None),
        (),
        kept,
        a,
        b,
        cosine,
        starts_t_d,
        sine,
        starts_t_d,
        dy_0,
        dy_1,
        weight_0,
        weight_1,
        a,
        b,
        weight_0,
        weight_1,
        weight_0,
        weight_1,
    )
    if made is None or made is True:
        return made
    da, db, dweight_0, dweight_1 = made
    return da, db, None, None, dweight_0, dweight_1


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, cosine, sine, weight, eps):
        y_0, y_1, ctx.kept = made
        y = _outputs(y_0, y_1, x, cosine, sine, weight)
        ctx.save_for_backward(x, cosine, sine, weight)
        ctx.numbers = (eps,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, cosine, sine, weight = ctx.saved_tensors
        (eps,) = ctx.numbers
        found = None
        if x.itemsize > 2 and not torch.is_grad_enabled():  # no derivative of gradients
            given = _pulled_rows(x, cosine, sine, weight, dy)
            found = _backward(_guards.run, ctx.kept, eps, *given)
        if found is None:
            found = _LAYER.gradients(
                ctx.kept, (x, cosine, sine, weight, eps), (), (dy,)
            )
            return None, *found, None
        return None, *_gradients(*found, x, cosine, sine, weight), None


def _rows_of(x, cosine, sine, weight):
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
    if weight is not None and weight.shape != (2*d,):
        return None
    starts_t_d = _guards.starts(0, (b, h, t), (0, 0, d))
    return (
        d,
        starts_t_d,
        x.detach().reshape(b, h, t, 2, d)[:, :, :, 0].contiguous(),
        x.detach().reshape(b, h, t, 2, d)[:, :, :, 1].contiguous(),
        cosine.contiguous(),
        sine.contiguous(),
        None if weight is None else weight.detach().reshape(2, d)[0].contiguous(),
        None if weight is None else weight.detach().reshape(2, d)[1].contiguous(),
    )


def _pulled_rows(x, cosine, sine, weight, dy):
    """D, and what the kernels of backward take, of arrays."""
    b, h, t, s_d = x.shape
    d = s_d // 2
    first = x.detach().reshape(b, h, t, 2, d)[:, :, :, 0].contiguous()
    starts_t_d = _guards.starts(0, (b, h, t), (0, 0, d))
    return (
        d,
        starts_t_d,
        first,
        x.detach().reshape(b, h, t, 2, d)[:, :, :, 1].contiguous(),
        cosine.contiguous(),
        sine.contiguous(),
        None if weight is None else weight.detach().reshape(2, d)[0].contiguous(),
        None if weight is None else weight.detach().reshape(2, d)[1].contiguous(),
        dy.reshape(b, h, t, 2, d)[:, :, :, 0].contiguous(),
        dy.reshape(b, h, t, 2, d)[:, :, :, 1].contiguous(),
    )


def _outputs(y_0, y_1, x, cosine, sine, weight):
    """The outputs as callers have them."""
    b, h, t, s_d = x.shape
    d = s_d // 2
    return torch.stack((y_0.reshape(b, h, t, d), y_1.reshape(b, h, t, d)), 3).reshape(
        (b, h, t, 2*d)
    ).detach()


def _gradients(da, db, _2, _3, dweight_0, dweight_1, x, cosine, sine, weight):
    """The gradients of inputs as callers have these."""
    b, h, t, s_d = x.shape
    d = s_d // 2
    return (
        torch.stack((da.reshape(b, h, t, d), db), 3).reshape(x.shape),
        None,
        None,
        None
        if weight is None
        else torch.stack((dweight_0, dweight_1), 0).reshape(weight.shape),
    )


def _forward_on_gpu(kernels, save, x, cosine, sine, weight, eps):
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
    weight = None if weight is None else _floats("weight", weight, (2*d,), "(s d)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = d
    rows = b*h*t
    kind = _widest(x, cosine, sine, weight)
    y = x.new_empty((b, h, t, 2*d))
    rstd = x.new_empty(rows, dtype=kind) if save else None
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
        kernels.rms_norm_rotary_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        a_rows,
        b_rows,
        cosine_rows,
        sine_rows,
        _gpu.dense(None if weight is None else weight.reshape(2, d)[0]),
        _gpu.dense(None if weight is None else weight.reshape(2, d)[1]),
        float(eps),
        y_0_rows,
        y_1_rows,
        rstd,
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
        weight is not None,
        weight is not None,
        save,
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
    return (y,), (rstd,)


def _backward_on_gpu(kernels, saved, x, cosine, sine, weight, eps, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    b, h, t, s_d = x.shape
    d = s_d // 2
    D = d
    rows = b*h*t
    kind = _widest(x, cosine, sine, weight)
    (rstd,) = saved
    dx = _gpu.room((b, h, t, 2*d), x)
    dweight = _gpu.room((2*d,), weight)
    dweight_0_made = _gpu.room((d,), weight)
    dweight_1_made = _gpu.room((d,), weight)
    a_rows = x.reshape(b, h, t, 2, d)[:, :, :, 0]
    a_strides = _gpu.strides(a_rows, 0, 1, 2, 3)
    b_rows = x.reshape(b, h, t, 2, d)[:, :, :, 1]
    b_strides = _gpu.strides(b_rows, 0, 1, 2, 3)
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
    sizes = _gpu.sizes(D, kind.itemsize, 8, 2)
    programs = _gpu.programs(x.device, rows, sizes)
    sums = x.new_empty((programs, 2*D), dtype=kind)
    _gpu.launch(
        kernels.rms_norm_rotary_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        a_rows,
        b_rows,
        cosine_rows,
        sine_rows,
        dy_0_rows,
        dy_1_rows,
        rstd,
        _gpu.dense(None if weight is None else weight.reshape(2, d)[0]),
        _gpu.dense(None if weight is None else weight.reshape(2, d)[1]),
        da_rows,
        db_rows,
        sums,
        *a_strides,
        *b_strides,
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
        weight is not None,
        weight is not None,
        _gpu.real(kind),
        _gpu.even(
            D,
            *a_strides[:3],
            *b_strides[:3],
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
    _gpu.launch(
        kernels.rms_norm_rotary_backward_totals,
        x.device,
        -(-D // _gpu.COLUMNS),
        4,
        True,
        sums,
        dweight_0_made,
        dweight_1_made,
        programs,
        D,
        weight is not None,
        weight is not None,
        _gpu.real(kind),
        _gpu.even(D),
        _gpu.COLUMNS,
        _gpu.AT_ONCE,
    )
    if weight is not None:
        dweight.view(2, d)[0].copy_(dweight_0_made)
    if weight is not None:
        dweight.view(2, d)[1].copy_(dweight_1_made)
    return (dx, None, None, dweight)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "rms_norm_rotary_forward",
    optional=("weight_0", "weight_1"),
    macros=("LNGEN_PLACED",),
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "rms_norm_rotary_backward",
    "rms_norm_rotary_backward_columns",
    optional=("dy_0", "dy_1", "weight_0", "weight_1"),
    sums=(2, 0),
    macros=("LNGEN_PLACED",),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        rms_norm_rotary,
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
    inputs={"x": "R", "cosine": "R", "sine": "R", "weight": "f"},
    outputs={"y": "r"},
    rows=("x",),
    constants={"eps": False},
    data=("cosine", "sine"),
    scalars=1,
)


class RMSNormRotary(_torch.Module):
    """`rms_norm_rotary` as a module with the parameter weight.

    Args:
        d: the size of the axis d.
        weight: False omits it; its initial value is 1.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        d: int,
        *,
        weight: bool = True,
        eps: float = 1e-6,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(d=_torch.size("d", d))
        self._parameter("weight", weight, (2*d,), 1, device, dtype)
        self.eps = self._constant("eps", eps, False)

    def forward(
        self, x: _torch.Tensor, cosine: _torch.Tensor, sine: _torch.Tensor
    ) -> _torch.Tensor:
        """Return `rms_norm_rotary` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            weight = _own["weight"]
        except KeyError:  # a parametrized module has attributes instead
            weight = self.weight
        return rms_norm_rotary(x, cosine, sine, weight, eps=self.eps)


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
