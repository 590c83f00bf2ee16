# Made by lngen 0.1.0 from the definition of poly_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit poly_norm.py and run: lngen derive poly_norm.py
# definition sha256:2ea2b446786e64241f7150293f6095959abe2b2c825be3f9a8b92b8b0084e85b
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Polynomial of a row whose powers are each scaled to root mean square 1.

`poly_norm` takes tensors, and `PolyNorm` is a module. A plain call on the processor
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
    "PolyNorm",
    "poly_norm",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def poly_norm(
    x: _torch.Tensor,
    cubic: float | _torch.Tensor | None = None,
    square: float | _torch.Tensor | None = None,
    linear: float | _torch.Tensor | None = None,
    bias: float | _torch.Tensor | None = None,
    *,
    eps: float = 1e-6,
) -> _torch.Tensor:
    """Polynomial of a row whose powers are each scaled to root mean square 1.

        mean_x6 = mean(x**6)
        rstd = 1/sqrt(mean_x6 + eps)
        mean_x4 = mean(x**4)
        rstd_2 = 1/sqrt(mean_x4 + eps)
        ms = mean(x**2)
        rstd_3 = 1/sqrt(ms + eps)
        first = rstd_3*x
        y = linear*first + cubic*rstd*x**3 + square*rstd_2*x**2 + bias

    Args:
        x: shape (..., D).
        cubic: a number or a tensor without axes. If omitted it is 0.3333333333333333.
        square: a number or a tensor without axes. If omitted it is 0.3333333333333333.
        linear: a number or a tensor without axes. If omitted it is 0.3333333333333333.
        bias: a number or a tensor without axes. If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(eps) is float
        and 0 <= eps < _INFINITE
    ):
        made = _forward(_guards.run, True, eps, x, cubic, square, linear, bias)
        if made is None:
            x, cubic, square, linear, bias = _guards.dense(
                "Rnnnn", x, cubic, square, linear, bias
            )
            made = _forward(_guards.run, True, eps, x, cubic, square, linear, bias)
        if made is not None:
            y, kept = made
            return (
                y
                if kept is None
                else _Recorded.apply(made, x, cubic, square, linear, bias, eps)
            )
    return _LAYER.call(x, cubic, square, linear, bias, eps)


def _decomposed(x, cubic, square, linear, bias, eps):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    cubic = None if cubic is None else _number("cubic", cubic)
    square = None if square is None else _number("square", square)
    linear = None if linear is None else _number("linear", linear)
    bias = None if bias is None else _number("bias", bias)
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _rows(x, cubic, square, linear, bias, eps)


def _rows(x, cubic, square, linear, bias, eps):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, cubic, square, linear, bias)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    cubic = zero + 0.3333333333333333 if cubic is None else cubic.to(dtype)
    square = zero + 0.3333333333333333 if square is None else square.to(dtype)
    linear = zero + 0.3333333333333333 if linear is None else linear.to(dtype)
    bias = zero + 0 if bias is None else bias.to(dtype)
    eps = zero + eps
    mean_x6 = torch.mean(x**6, dim=-1, keepdim=True)  # step 1
    mean_x4 = torch.mean(x**4, dim=-1, keepdim=True)  # step 3
    ms = torch.mean(x**2, dim=-1, keepdim=True)  # step 5
    rstd = torch.rsqrt(mean_x6 + eps)  # step 2
    rstd_2 = torch.rsqrt(mean_x4 + eps)  # step 4
    rstd_3 = torch.rsqrt(ms + eps)  # step 6
    square_scaled = rstd_2*square  # step 8, pass 1: once a row
    cubic_scaled = rstd*cubic  # step 8, pass 2: once a row
    # step 8, pass 3: late scales
    y = x**3*cubic_scaled + x*rstd_3*linear + x**2*square_scaled + bias
    return y.to(stored)


def _forward(run, kept, eps, x, cubic, square, linear, bias):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, n has one value;
    a capital has to be there. Behind + is a result, of the shape and type of the
    tensor that is passed for it; a digit is a row scalar. A bar begins what the
    kernel of sums reads, another what neither kernel does. The number behind the
    form is the least D.
    """
    return run(
        _FORWARD,
        "Rnnnn+r012",
        1,
        (bias is None, cubic is None, linear is None, square is None),
        (eps,),
        kept,
        x,
        cubic,
        square,
        linear,
        bias,
        x,
    )


def _backward(run, kept, _eps, x, cubic, square, linear, bias, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "RR012nnn+r|nnn+n+n+n+n|n",
        1,
        (bias is None, cubic is None, linear is None, square is None),
        (),
        kept,
        x,
        dy,
        cubic,
        square,
        linear,
        x,
        cubic,
        square,
        linear,
        cubic,
        square,
        linear,
        bias,
        bias,
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, cubic, square, linear, bias, eps):
        y, ctx.kept = made
        ctx.save_for_backward(x, cubic, square, linear, bias)
        ctx.numbers = (eps,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, cubic, square, linear, bias = ctx.saved_tensors
        (eps,) = ctx.numbers
        found = _backward(
            _guards.run, ctx.kept, eps, x, cubic, square, linear, bias, dy.contiguous()
        )
        if found is None or found is True:
            found = _LAYER.gradients(
                ctx.kept, (x, cubic, square, linear, bias, eps), (), (dy,)
            )
        return None, *found, None


def _forward_on_gpu(kernels, save, x, cubic, square, linear, bias, eps):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    cubic = None if cubic is None else _number("cubic", cubic)
    square = None if square is None else _number("square", square)
    linear = None if linear is None else _number("linear", linear)
    bias = None if bias is None else _number("bias", bias)
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, cubic, square, linear, bias)
    y = x.new_empty(x.shape)
    rstd = x.new_empty(rows, dtype=kind) if save else None
    rstd_2 = x.new_empty(rows, dtype=kind) if save else None
    rstd_3 = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.poly_norm_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        cubic,
        square,
        linear,
        bias,
        float(eps),
        y,
        rstd,
        rstd_2,
        rstd_3,
        *x_strides,
        rows,
        D,
        bias is not None,
        cubic is not None,
        linear is not None,
        square is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (rstd, rstd_2, rstd_3)


def _backward_on_gpu(kernels, saved, x, cubic, square, linear, bias, eps, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, cubic, square, linear, bias)
    rstd, rstd_2, rstd_3 = saved
    dx = _gpu.room(x.shape, x)
    dcubic = _gpu.room((), cubic)
    dsquare = _gpu.room((), square)
    dlinear = _gpu.room((), linear)
    dbias = _gpu.room((), bias)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    dy_rows = dy.reshape(rows, D)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    sums = x.new_empty((programs, 4), dtype=kind)
    _gpu.launch(
        kernels.poly_norm_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        dy_rows,
        rstd,
        rstd_2,
        rstd_3,
        cubic,
        square,
        linear,
        dx,
        sums,
        *x_strides,
        *dy_strides,
        rows,
        D,
        bias is not None,
        cubic is not None,
        linear is not None,
        square is not None,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *dy_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    _gpu.launch(
        kernels.poly_norm_backward_totals,
        x.device,
        1,
        4,
        True,
        sums,
        dcubic,
        dsquare,
        dlinear,
        dbias,
        programs,
        D,
        bias is not None,
        cubic is not None,
        linear is not None,
        square is not None,
        _gpu.real(kind),
        _gpu.even(D),
        _gpu.AT_ONCE,
    )
    return (dx, dcubic, dsquare, dlinear, dbias)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "poly_norm_forward",
    optional=("bias", "cubic", "linear", "square"),
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "poly_norm_backward",
    "poly_norm_backward_columns",
    optional=("bias", "cubic", "linear", "square"),
    sums=(0, 4),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        poly_norm,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "cubic": "n", "square": "n", "linear": "n", "bias": "n"},
    outputs={"y": "r"},
    rows=("x",),
    constants={"eps": False},
    scalars=3,
)


class PolyNorm(_torch.Module):
    """`poly_norm` as a module with the parameters cubic, square, linear and bias.

    Args:
        cubic: False omits it; its initial value is 0.3333333333333333.
        square: False omits it; its initial value is 0.3333333333333333.
        linear: False omits it; its initial value is 0.3333333333333333.
        bias: False omits it; its initial value is 0.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        *,
        cubic: bool = True,
        square: bool = True,
        linear: bool = True,
        bias: bool = True,
        eps: float = 1e-6,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__()
        self._parameter("cubic", cubic, (), 0.3333333333333333, device, dtype)
        self._parameter("square", square, (), 0.3333333333333333, device, dtype)
        self._parameter("linear", linear, (), 0.3333333333333333, device, dtype)
        self._parameter("bias", bias, (), 0, device, dtype)
        self.eps = self._constant("eps", eps, False)

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `poly_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            cubic, square, linear, bias = (
                _own["cubic"],
                _own["square"],
                _own["linear"],
                _own["bias"],
            )
        except KeyError:  # a parametrized module has attributes instead
            (
                cubic,
                square,
                linear,
                bias,
            ) = self.cubic, self.square, self.linear, self.bias
        return poly_norm(x, cubic, square, linear, bias, eps=self.eps)


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
