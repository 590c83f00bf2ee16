# Made by lngen 0.1.0 from the definition of modulated_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
# definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Layer normalization whose output is gated by one number a row.

`modulated_layer_norm` takes tensors, and `ModulatedLayerNorm` is a module. A plain call on the processor
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
    "ModulatedLayerNorm",
    "modulated_layer_norm",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def modulated_layer_norm(
    x: _torch.Tensor,
    gate: _torch.Tensor | None = None,
    gamma: _torch.Tensor | None = None,
    beta: _torch.Tensor | None = None,
    *,
    eps: float = 1e-5,
) -> _torch.Tensor:
    """Layer normalization whose output is gated by one number a row.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = gate*(gamma*xhat + beta)

    Args:
        x: shape (..., D).
        gate: one value per row, shape x.shape[:-1]. If omitted it is 1.
        gamma: one value per feature, shape (D,). If omitted it is 1.
        beta: one value per feature, shape (D,). If omitted it is 0.
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
        made = _forward(_guards.run, True, eps, x, gate, gamma, beta)
        if made is None:
            x, gate, gamma, beta = _guards.dense("Rsff", x, gate, gamma, beta)
            made = _forward(_guards.run, True, eps, x, gate, gamma, beta)
        if made is not None:
            y, kept = made
            return (
                y if kept is None else _Recorded.apply(made, x, gate, gamma, beta, eps)
            )
    return _LAYER.call(x, gate, gamma, beta, eps)


def _decomposed(x, gate, gamma, beta, eps):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    gate = None if gate is None else _floats("gate", gate, x.shape[:-1], "x.shape[:-1]")
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    beta = None if beta is None else _floats("beta", beta, x.shape[-1:], "(D,)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _rows(x, None if gate is None else gate[..., None], gamma, beta, eps)


def _rows(x, gate, gamma, beta, eps):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, gate, gamma, beta)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    gate = zero + 1 if gate is None else gate.to(dtype)
    gamma = zero + 1 if gamma is None else gamma.to(dtype)
    beta = zero + 0 if beta is None else beta.to(dtype)
    eps = zero + eps
    mu = torch.mean(x, dim=-1, keepdim=True)  # step 1
    x_shifted = x - mu  # step 2, pass 1: compensation
    mu_residual = torch.mean(x_shifted, dim=-1, keepdim=True)  # step 2, pass 2
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    var = torch.mean(x_centred**2, dim=-1, keepdim=True)  # step 3
    rstd = torch.rsqrt(var + eps)  # step 4
    xhat = x_centred*rstd  # step 5
    y = (xhat*gamma + beta)*gate  # step 6
    return y.to(stored)


def _forward(run, kept, eps, x, gate, gamma, beta):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row, f has one a feature; a capital has to be there. Behind + is a result, of
    the shape and type of the tensor that is passed for it; a digit is a row scalar.
    A bar begins what the kernel of sums reads, another what neither kernel does.
    The number behind the form is the least D.
    """
    return run(
        _FORWARD,
        "Rsff+r012",
        1,
        (beta is None, gamma is None, gate is None),
        (eps,),
        kept,
        x,
        gate,
        gamma,
        beta,
        x,
    )


def _backward(run, kept, _eps, x, gate, gamma, beta, dy):
    """The gradients by the compiled kernels."""
    return run(
        _BACKWARD,
        "RsR012ff+r+s|ff+f+f",
        1,
        (beta is None, gamma is None, gate is None),
        (),
        kept,
        x,
        gate,
        dy,
        gamma,
        beta,
        x,
        gate,
        gamma,
        beta,
        gamma,
        beta,
    )


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, gate, gamma, beta, eps):
        y, ctx.kept = made
        ctx.save_for_backward(x, gate, gamma, beta)
        ctx.numbers = (eps,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, gate, gamma, beta = ctx.saved_tensors
        (eps,) = ctx.numbers
        found = _backward(
            _guards.run, ctx.kept, eps, x, gate, gamma, beta, dy.contiguous()
        )
        if found is None or found is True:
            found = _LAYER.gradients(ctx.kept, (x, gate, gamma, beta, eps), (), (dy,))
        return None, *found, None


def _forward_on_gpu(kernels, save, x, gate, gamma, beta, eps):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    gate = None if gate is None else _floats("gate", gate, x.shape[:-1], "x.shape[:-1]")
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    beta = None if beta is None else _floats("beta", beta, x.shape[-1:], "(D,)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, gate, gamma, beta)
    y = x.new_empty(x.shape)
    mu = x.new_empty(rows, dtype=kind) if save else None
    mu_residual = x.new_empty(rows, dtype=kind) if save else None
    rstd = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    gate_rows = None if gate is None else gate.reshape(rows)
    gate_strides = _gpu.strides(gate_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.modulated_layer_norm_forward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        gate_rows,
        _gpu.dense(gamma),
        _gpu.dense(beta),
        float(eps),
        y,
        mu,
        mu_residual,
        rstd,
        *x_strides,
        *gate_strides,
        rows,
        D,
        beta is not None,
        gamma is not None,
        gate is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (mu, mu_residual, rstd)


def _backward_on_gpu(kernels, saved, x, gate, gamma, beta, eps, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x, gate, gamma, beta)
    mu, mu_residual, rstd = saved
    dx = _gpu.room(x.shape, x)
    dgate = _gpu.room(x.shape[:-1], gate)
    dgamma = _gpu.room((D,), gamma)
    dbeta = _gpu.room((D,), beta)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    gate_rows = None if gate is None else gate.reshape(rows)
    gate_strides = _gpu.strides(gate_rows, 0)
    dy_rows = dy.reshape(rows, D)
    dy_strides = _gpu.strides(dy_rows, 0, 1)
    sizes = _gpu.sizes(D, kind.itemsize, 3, 2)
    programs = _gpu.programs(x.device, rows, sizes)
    sums = x.new_empty((programs, 2*D), dtype=kind)
    _gpu.launch(
        kernels.modulated_layer_norm_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        gate_rows,
        dy_rows,
        mu,
        mu_residual,
        rstd,
        _gpu.dense(gamma),
        _gpu.dense(beta),
        dx,
        dgate,
        sums,
        *x_strides,
        *gate_strides,
        *dy_strides,
        rows,
        D,
        beta is not None,
        gamma is not None,
        gate is not None,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1], *dy_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    _gpu.launch(
        kernels.modulated_layer_norm_backward_totals,
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
        gamma is not None,
        _gpu.real(kind),
        _gpu.even(D),
        _gpu.COLUMNS,
        _gpu.AT_ONCE,
    )
    return (dx, dgate, dgamma, dbeta)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "modulated_layer_norm_forward",
    optional=("beta", "gamma", "gate"),
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "modulated_layer_norm_backward",
    "modulated_layer_norm_backward_columns",
    optional=("beta", "gamma", "gate"),
    sums=(2, 0),
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        modulated_layer_norm,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "gate": "s", "gamma": "f", "beta": "f"},
    outputs={"y": "r"},
    rows=("x",),
    constants={"eps": False},
    scalars=3,
)


class ModulatedLayerNorm(_torch.Module):
    """`modulated_layer_norm` as a module with the parameters gamma and beta.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
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
        eps: float = 1e-5,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(D=_torch.size("D", D, 1))
        self._parameter("gamma", gamma, (D,), 1, device, dtype)
        self._parameter("beta", beta, (D,), 0, device, dtype)
        self.eps = self._constant("eps", eps, False)

    def forward(
        self, x: _torch.Tensor, gate: _torch.Tensor | None = None
    ) -> _torch.Tensor:
        """Return `modulated_layer_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            gamma, beta = _own["gamma"], _own["beta"]
        except KeyError:  # a parametrized module has attributes instead
            gamma, beta = self.gamma, self.beta
        return modulated_layer_norm(x, gate, gamma, beta, eps=self.eps)


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
