# Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
# definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Root-mean-square normalization of queries or keys, with a weight for each head.

`head_rms_norm` takes tensors, and `HeadRMSNorm` is a module. A plain call on the processor
runs `cpu_backend` if there is a C++ compiler, else `numpy_backend`. Any other call, and
derivatives beyond the first, are `_decomposed`, which PyTorch differentiates to any order.
"""

import torch

from .._runtime import torch as _torch
from .._runtime.torch import guards as _guards
from . import cpu_backend as _cpu
from . import numpy_backend as _numpy

__all__ = [
    "HeadRMSNorm",
    "head_rms_norm",
]


def head_rms_norm(
    x: _torch.Tensor, weight: _torch.Tensor | None = None, *, eps: float = 1e-6
) -> _torch.Tensor:
    """Root-mean-square normalization of queries or keys, with a weight for each head.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = weight*xhat

    Args:
        x: an array with the axes b t h d.
        weight: an array with the axes h d. If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has an array with the axes b t h d. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    x, weight = _LAYER.taken(x, weight)
    return _decomposed(x, weight, eps, of_rows=_of_rows)


def _decomposed(x, weight, eps, of_rows=None):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    b, t, h, d = _axes("x", x, "b t h d", 4)
    weight = None if weight is None else _floats("weight", weight, (h, d), "(h d)")
    if not (0 <= eps < float("inf")):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y = (_rows if of_rows is None else of_rows)(
        x.reshape(b, t, h, d),
        None if weight is None else weight.reshape(1, 1, h, d),
        eps,
    )
    return y.reshape((b, t, h, d))


def _rows(x, weight, eps):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x, weight)
    zero = x.new_zeros((), dtype=dtype)
    x = x.to(dtype)
    weight = zero + 1 if weight is None else weight.to(dtype)
    eps = zero + eps
    ms = torch.mean(x**2, dim=3, keepdim=True)  # step 1
    rstd = torch.rsqrt(ms + eps)  # step 2
    xhat = x*rstd  # step 3
    y = weight*xhat  # step 4
    return y.to(stored)


def _forward(run, kept, x, weight, eps):
    """The outputs by the compiled kernel, then the row scalars if `kept` is None."""
    return run(_cpu._FORWARD, "Rr+r0", 1, (weight is None,), (eps,), kept, x, weight, x)


def _backward(run, kept, x, weight, dy, eps):
    """The gradients by the compiled kernels."""
    return run(
        _cpu._BACKWARD,
        "RrR0+r+r",
        1,
        (weight is None,),
        (),
        kept,
        x,
        weight,
        dy,
        x,
        weight,
    )


def _of_rows(x, weight, eps):
    """The outputs as `_rows` has them, by kernels where these alone have a say."""
    if (
        _LAYER.straight
        and not torch.compiler.is_compiling()
        and x.itemsize > 2
        and type(eps) is float
    ):
        given = (_flat("r", x, x), weight if weight is None else _flat("r", weight, x))
        made = _forward(_guards.run, False, *given, eps)
        if made is None:
            given = _guards.dense("Rr", *given)
            made = _forward(_guards.run, False, *given, eps)
        if made is True:
            return _Recorded.apply(given, x, weight, eps)
        if made is not None:
            y = made
            return _beside("r", y, x)
    return _LAYER.call(x, weight, eps)


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, given, x, weight, eps):
        y, ctx.kept = _forward(_guards.run, None, *given, eps)
        y = _beside("r", y, x).detach()
        ctx.save_for_backward(x, weight)
        ctx.constants = (eps,)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, weight = ctx.saved_tensors
        given = (
            _flat("r", x, x),
            weight if weight is None else _flat("r", weight, x),
            _flat("r", dy, x),
        )
        found = _backward(_guards.run, ctx.kept, *given, *ctx.constants)
        if found is None:
            given = _guards.dense("RrR", *given, follows=True)
            found = _backward(_guards.run, ctx.kept, *given, *ctx.constants)
        if found is None or found is True:
            found = _LAYER.gradients(
                _LAYER, ctx.kept, (x, weight, *ctx.constants), (), (dy,)
            )
            return None, *found, None
        dx, dweight = found
        return (
            None,
            _beside("r", dx, x),
            None
            if weight is None
            else _beside("r", dweight, x).sum_to_size(weight.shape),
            None,
        )


def _flat(letter, value, like):
    """The rows of an array beside another: r for rows, s for one value a row, f for one a feature."""
    b, t, h, d = like.shape
    if letter == "r":
        return value.expand(b, t, h, d).reshape(b*t*h, d)
    if letter == "s":
        return value.expand(b, t, h, 1).reshape(b*t*h)
    if letter == "f":
        return value.expand(1, 1, 1, d).reshape(d)
    return value


def _beside(letter, value, like):
    """The array beside another of such rows."""
    b, t, h, d = like.shape
    if letter == "r":
        return value.reshape(b, t, h, d)
    if letter == "s":
        return value.reshape(b, t, h, 1)
    if letter == "f":
        return value.reshape(1, 1, 1, d)
    return value


_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __name__.rpartition(".")[0],
    _numpy.INTERFACE,
    _numpy,
    _cpu,
    _torch.Printed(head_rms_norm, _rows, _forward, _backward, _flat, _beside),
)


class HeadRMSNorm(_torch.Module):
    """`head_rms_norm` as a module with the parameter weight.

    Args:
        h: the size of the axis h.
        d: the size of the axis d.
        weight: False omits it; its initial value is 1.
        eps: a constant, a finite number of 0 or more.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        h: int,
        d: int,
        *,
        weight: bool = True,
        eps: float = 1e-6,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__(
            {"h": h, "d": d}, {"weight": weight}, {"eps": eps}, device, dtype
        )

    def forward(self, x: _torch.Tensor) -> _torch.Tensor:
        """Return `head_rms_norm` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            weight = _own["weight"]
        except KeyError:  # a parametrized module has attributes instead
            weight = self.weight
        return head_rms_norm(x, weight, eps=self.eps)


def _floats(name, value, shape=None, axes=""):
    """A tensor of floats, of a shape if one is given."""
    if value.dtype not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        wanted = f"pass float16, bfloat16, float32 or float64, as {name}.float()"
        raise TypeError(f"{name} is of type {value.dtype}; {wanted}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {tuple(value.shape)}; pass {axes}, which is {tuple(shape)}")
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
