# Made by lngen 0.1.0 from the definition of dropout_add_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
# definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Dropout, residual addition, then layer normalization; the sum is the second output.

`dropout_add_layer_norm` takes tensors, and `DropoutAddLayerNorm` is a module. A plain call on the processor
runs the kernels of kernels.cpp, which a C++ compiler makes on first use. Other calls on
the processor go by `_LAYER.call`: kernels after a conversion, for mixed types and numbers
that are no floats, and an operator of them in `torch.compile` and autocast. A plain call
on a GPU launches the kernels of triton_kernels.py, and so does a program that is compiled
for one. On other devices, in all else on a GPU, in `vmap` and `torch.func`, and where
derivatives are differentiated, `_decomposed` computes.
"""

import math

import torch

from .._runtime import torch as _torch
from .._runtime.torch import gpu as _gpu
from .._runtime.torch import guards as _guards

__all__ = [
    "DropoutAddLayerNorm",
    "dropout_add_layer_norm",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def dropout_add_layer_norm(
    x: _torch.Tensor,
    residual: _torch.Tensor,
    seed: int | _torch.Tensor,
    gamma: _torch.Tensor | None = None,
    beta: _torch.Tensor | None = None,
    *,
    p: float = 0.1,
    eps: float = 1e-5,
) -> tuple[_torch.Tensor, _torch.Tensor]:
    """Dropout, residual addition, then layer normalization; the sum is the second output.

        uniform_seed = uniform(seed)
        h = residual + where(uniform_seed >= p, x/(1 - p), 0)
        mu = mean(h)
        var = mean((h - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(h - mu)
        y = gamma*xhat + beta

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        seed: an integer or a 0-d array of one.
        gamma: one value per feature, shape (D,). If omitted it is 1.
        beta: one value per feature, shape (D,). If omitted it is 0.
        p: a constant, a finite number of 0 or more.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, h)` in the type of the first rows. y has shape (..., D); h has shape
    (..., D). The compute type is the widest among the inputs, and float32 for 16-bit
    inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(p) is float
        and 0 <= p < _INFINITE
        and type(eps) is float
        and 0 <= eps < _INFINITE
    ):
        made = _forward(_guards.run, True, p, eps, x, residual, seed, gamma, beta)
        if made is None:
            x, residual, seed, gamma, beta = _guards.dense(
                "RRKff", x, residual, seed, gamma, beta
            )
            made = _forward(_guards.run, True, p, eps, x, residual, seed, gamma, beta)
        if made is not None:
            y, h, kept = made
            return (
                (y, h)
                if kept is None
                else _Recorded.apply(made, x, residual, seed, gamma, beta, p, eps)
            )
    return _LAYER.call(x, residual, seed, gamma, beta, p, eps)


def _decomposed(x, residual, seed, gamma, beta, p, eps):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    residual = _floats("residual", residual, x.shape, "the shape of x")
    seed = _integers("seed", seed, (), "a number or a 0-d one")
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    beta = None if beta is None else _floats("beta", beta, x.shape[-1:], "(D,)")
    if not (0 <= p < float("inf")):
        raise ValueError(f"p is {p}; pass a finite number of 0 or more")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _rows(x, residual, seed, gamma, beta, p, eps)


def _rows(x, residual, seed, gamma, beta, p, eps):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, residual, gamma, beta)
    zero = x.new_zeros((), dtype=dtype)
    shape = x.shape
    x = x.to(dtype)
    residual = residual.to(dtype)
    seed = seed.to(torch.int64)
    gamma = zero + 1 if gamma is None else gamma.to(dtype)
    beta = zero + 0 if beta is None else beta.to(dtype)
    p = zero + p
    eps = zero + eps
    D = shape[-1]
    uniform_seed = _uniform(seed, 0, _product(shape[:-1]), D, zero).reshape(shape)
    p_shifted = 1/(1 - p)  # step 1, pass 1: once a row
    # step 1, pass 2: once a row
    h = residual + torch.where(
        uniform_seed >= p, _within(uniform_seed >= p, x)*p_shifted, 0
    )
    mu = torch.mean(h, dim=-1, keepdim=True)  # step 2
    h_shifted = h - mu  # step 3, pass 3: compensation
    mu_residual = torch.mean(h_shifted, dim=-1, keepdim=True)  # step 3, pass 4
    h_centred = h_shifted - mu_residual  # step 3, pass 5: compensation
    var = torch.mean(h_centred**2, dim=-1, keepdim=True)  # step 4
    rstd = torch.rsqrt(var + eps)  # step 5
    xhat = h_centred*rstd  # step 6
    y = xhat*gamma + beta  # step 7
    return y.to(stored), h.to(stored)


def _forward(run, kept, p, eps, x, residual, seed, gamma, beta):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, f has one a
    feature, of integers k one value; a capital has to be there. Behind + is a
    result, of the shape and type of the tensor that is passed for it; a digit is a
    row scalar. A bar begins what the kernel of sums reads, another what neither
    kernel does. The number behind the form is the least D.
    """
    return run(
        _FORWARD,
        "RRKff+r+r012",
        1,
        (beta is None, gamma is None),
        (p, eps),
        kept,
        x,
        residual,
        seed,
        gamma,
        beta,
        x,
        x,
    )


def _backward(run, kept, p, _eps, x, residual, seed, gamma, beta, h, dy, dh):
    """The gradients by the compiled kernels."""
    made = run(
        _BACKWARD,
        "Rrr012Kf+r+r|Kf+f+f|RRf",
        1,
        (beta is None, dh is None, dy is None, gamma is None),
        (p,),
        kept,
        h,
        dy,
        dh,
        seed,
        gamma,
        x,
        residual,
        seed,
        gamma,
        gamma,
        beta,
        x,
        residual,
        beta,
    )
    if made is None or made is True:
        return made
    dx, dresidual, dgamma, dbeta = made
    return dx, dresidual, None, dgamma, dbeta


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, residual, seed, gamma, beta, p, eps):
        y, h, ctx.kept = made
        ctx.save_for_backward(x, residual, seed, gamma, beta, h)
        ctx.numbers = (p, eps)
        ctx.set_materialize_grads(False)
        return y, h

    @staticmethod
    def backward(ctx, dy, dh):
        x, residual, seed, gamma, beta, h = ctx.saved_tensors
        p, eps = ctx.numbers
        found = _backward(
            _guards.run, ctx.kept, p, eps, x, residual, seed, gamma, beta, h, dy, dh
        )
        if found is None or found is True:
            found = _LAYER.gradients(
                ctx.kept, (x, residual, seed, gamma, beta, p, eps), (h,), (dy, dh)
            )
        return None, *found, None, None


def _forward_on_gpu(kernels, save, x, residual, seed, gamma, beta, p, eps):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    residual = _floats("residual", residual, x.shape, "the shape of x")
    seed = _integers("seed", seed, (), "a number or a 0-d one")
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    beta = None if beta is None else _floats("beta", beta, x.shape[-1:], "(D,)")
    if not (0 <= p < float("inf")):
        raise ValueError(f"p is {p}; pass a finite number of 0 or more")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, residual, gamma, beta)
    y = x.new_empty(x.shape)
    h = x.new_empty(x.shape)
    mu = x.new_empty(rows, dtype=kind) if save else None
    mu_residual = x.new_empty(rows, dtype=kind) if save else None
    rstd = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    residual_rows = residual.reshape(rows, D)
    residual_strides = _gpu.strides(residual_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 4, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.dropout_add_layer_norm_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        residual_rows,
        seed,
        _gpu.dense(gamma),
        _gpu.dense(beta),
        float(p),
        float(eps),
        y,
        h,
        mu,
        mu_residual,
        rstd,
        *x_strides,
        *residual_strides,
        rows,
        D,
        beta is not None,
        gamma is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *residual_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y, h), (mu, mu_residual, rstd)


def _backward_on_gpu(kernels, saved, x, residual, seed, gamma, beta, p, eps, h, dy, dh):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, residual, gamma, beta)
    mu, mu_residual, rstd = saved
    dx = _gpu.room(x.shape, x)
    dresidual = _gpu.room(x.shape, residual)
    dgamma = _gpu.room((D,), gamma)
    dbeta = _gpu.room((D,), beta)
    h_rows = h.reshape(rows, D)
    h_strides = _gpu.strides(h_rows, 0, 1)
    dy_rows = None if dy is None else dy.reshape(rows, D)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    dh_rows = None if dh is None else dh.reshape(rows, D)
    dh_strides = _gpu.strides(dh_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 5, 2)
    programs = _gpu.programs(x.device, rows, sizes)
    sums = x.new_empty((programs, 2*D), dtype=kind)
    _gpu.launch(
        kernels.dropout_add_layer_norm_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        h_rows,
        dy_rows,
        dh_rows,
        mu,
        mu_residual,
        rstd,
        seed,
        _gpu.dense(gamma),
        float(p),
        dx,
        dresidual,
        sums,
        *h_strides,
        *dy_strides,
        *dh_strides,
        rows,
        D,
        beta is not None,
        dh is not None,
        dy is not None,
        gamma is not None,
        _gpu.real(kind),
        _gpu.even(D, *h_strides[:1], *dy_strides[:1], *dh_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    _gpu.launch(
        kernels.dropout_add_layer_norm_backward_totals,
        x.device,
        -(-D // _gpu.COLUMNS),
        4,
        True,
        sums,
        dgamma,
        dbeta,
        programs,
        D,
        beta is not None,
        dy is not None,
        gamma is not None,
        _gpu.real(kind),
        _gpu.even(D),
        _gpu.COLUMNS,
        _gpu.AT_ONCE,
    )
    return (dx, dresidual, None, dgamma, dbeta)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__, "kernels", "dropout_add_layer_norm_forward", optional=("beta", "gamma")
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "dropout_add_layer_norm_backward",
    "dropout_add_layer_norm_backward_columns",
    optional=("beta", "dh", "dy", "gamma"),
    sums=(2, 0),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[tuple[_torch.Tensor, _torch.Tensor]] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        dropout_add_layer_norm,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "residual": "R", "seed": "K", "gamma": "f", "beta": "f"},
    outputs={"y": "r", "h": "r"},
    rows=("x", "residual"),
    constants={"p": False, "eps": False},
    data=("seed",),
    kept=("h",),
    scalars=3,
)


class DropoutAddLayerNorm(_torch.Module):
    """`dropout_add_layer_norm` as a module with the parameters gamma and beta.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        p: a constant, a finite number of 0 or more.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        D: int,
        *,
        gamma: bool = True,
        beta: bool = True,
        p: float = 0.1,
        eps: float = 1e-5,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(D=_torch.size("D", D, 1))
        self._parameter("gamma", gamma, (D,), 1, device, dtype)
        self._parameter("beta", beta, (D,), 0, device, dtype)
        self.p = self._constant("p", p, False)
        self.eps = self._constant("eps", eps, False)

    def forward(
        self, x: _torch.Tensor, residual: _torch.Tensor, seed: int | _torch.Tensor
    ) -> tuple[_torch.Tensor, _torch.Tensor]:
        """Return `dropout_add_layer_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma, beta = _own["gamma"], _own["beta"]
        except KeyError:  # a parametrized module has attributes instead
            gamma, beta = self.gamma, self.beta
        return dropout_add_layer_norm(
            x, residual, seed, gamma, beta, p=self.p, eps=self.eps
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


def _product(sizes):
    return math.prod(sizes)


def _index(zero, count):
    """The numbers below a count, on the device of another."""
    return zero.new_ones((count,), dtype=torch.int64).cumsum(0) - 1


def _within(test, value):
    """A value that nothing depends on where a test fails: an infinite derivative there is dropped."""
    return torch.where(test, value, value.detach())


def _uniform(seed, stream, rows, D, zero):
    """Random numbers in [0, 1) by Philox 4x32-10, those of any other backend."""
    fours, low, half = (D + 3) // 4, 0xFFFFFFFF, 0x10000

    def product(word, factor):  # its high and low halves, by parts of 16 bits; DTensor has no shifts
        cross = (word % half) * factor
        other = (word // half) * factor + cross // half
        return other // half, other % half * half + cross % half

    a = _index(zero, rows)[:, None].expand(rows, fours)
    c = _index(zero, fours).expand(rows, fours)
    b = d = a * 0
    key, step = seed & low, stream & low
    for _ in range(10):
        left, low_left = product(a, 0xD2511F53)
        right, low_right = product(c, 0xCD9E8D57)
        a, b, c, d = right ^ b ^ key, low_right, left ^ d ^ step, low_left
        key, step = (key + 0x9E3779B9) & low, (step + 0xBB67AE85) & low
    bits = torch.stack((a, b, c, d), -1).reshape(rows, 4 * fours)[:, :D] // 256
    return bits.to(zero.dtype) * 2.0**-24
