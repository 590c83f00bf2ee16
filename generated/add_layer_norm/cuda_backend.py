# Made by lngen 0.1.0 from the definition of add_layer_norm.
# Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
# Cost: forward 4 row tensors (2 read, 2 written), 10 flops a row element; backward 4 row tensors (3 read, 1 written), 15 flops a row element.
# Evidence: exact 4 of 4, 50 digits 1 of 1, second derivation 4 of 4, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
# templates sha256:c6f3d6ff638039f5b8d3fb7270d2698bc565ae5f0f14e2ee71d9eaf5b45daa2a
"""Residual addition, then layer normalization; the sum is the second output.

    forward
        h = x + residual
        mu = mean(h)
        var = mean((h - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(h - mu)
        y = gamma*xhat + beta
    backward
        g = gamma*dy
        dx = dh + rstd*(g - mean(g) - xhat*mean(g*xhat))
        dresidual = dx
        dgamma = sum_rows(dy*xhat)
        dbeta = sum_rows(dy)

The kernels of kernels.cu, launched by PyCUDA. A kernel is compiled when it is first asked
for, by nvcc or else NVRTC, and kept in $LNGEN_CACHE or the user's cache folder.
"""

from pathlib import Path as _Path
from typing import NamedTuple

import numpy as np

from .._runtime import launcher as _launcher


class Outputs(NamedTuple):
    """What `forward` computes."""

    y: object
    """shape (..., D)."""

    h: object
    """shape (..., D)."""


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: object
    """The gradient of x, in its shape and type."""

    dresidual: object
    """The gradient of residual, in its shape and type."""

    dgamma: object
    """The gradient of gamma, in its shape and type."""

    dbeta: object
    """The gradient of beta, in its shape and type."""


class Saved(NamedTuple):
    """What `backward` needs of a call of `forward`; arrays are the caller's own.

    Writing to one of them between forward and backward changes the gradients.
    """

    shape: tuple
    """The shape of the row inputs."""

    dtype: np.dtype
    """The type that `forward` computed in."""

    dtypes: dict
    """The type of each input that was given."""

    h: object
    """h of forward."""

    gamma: object
    """The argument gamma of forward."""

    mu: object
    """The row scalar mu, one a row."""

    mu_residual: object
    """The row scalar mu_residual, one a row."""

    rstd: object
    """The row scalar rstd, one a row."""


# What follows calls it by a name with an underscore, which no argument can have.
_Outputs = Outputs


def forward(
    x,
    residual,
    gamma=None,
    beta=None,
    *,
    eps=1e-5,
    out=None,
    stream=None,
    workspace=None,
):
    """Residual addition, then layer normalization; the sum is the second output.

        h = x + residual
        mu = mean(h)
        var = mean((h - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(h - mu)
        y = gamma*xhat + beta

    An array is a GPUArray or anything else with `__cuda_array_interface__`, dense, of type
    float16, bfloat16 (raw 2-byte entries are taken for it), float32 or float64. Rows and
    row scalars are of one type, and so are features and scalars.

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
        beta: one value a feature, shape (D,); left out it is 0, and costs nothing.
        eps: a constant, a finite number.
        out: Outputs, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        stream: where the kernels are launched: a PyCUDA stream, one of PyTorch or CuPy,
            or a handle; None is the default stream.
        workspace: memory for the row scalars that are saved; `workspace_bytes` says how
            much. It belongs to `saved` until backward is done.

    Returns `(Outputs, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones. New arrays are GPUArrays.

    Raises TypeError for what is no floating-point array in device memory, ValueError for a
    wrong shape, ImportError without PyCUDA or a driver.
    """
    inputs_ = (x, residual, gamma, beta)
    constants_ = (_launcher.finite("eps", eps, signed=False),)
    outputs_, saved_ = _launcher.forward(
        _LAYER, inputs_, constants_, out, stream, workspace
    )
    return _Outputs(*outputs_), saved_


def backward(saved, dy, dh=None, *, out=None, stream=None, workspace=None):
    """The gradients of a loss, given those with respect to the outputs.

        g = gamma*dy
        dx = dh + rstd*(g - mean(g) - xhat*mean(g*xhat))
        dresidual = dx
        dgamma = sum_rows(dy*xhat)
        dbeta = sum_rows(dy)

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y; None stands for zero.
        dh: the cotangent of h; None stands for zero.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        stream: where the kernels are launched, as for `forward`.
        workspace: memory for partial sums over rows; `workspace_bytes` says how much. It
            needs no initial value, and is free again when the stream gets there.

    Returns Gradients, each in the type of its input.
    dx and dresidual are one and the same array, unless `out` has one for each.

    Raises TypeError for what is no floating-point array in device memory, ValueError for a
    wrong shape, ImportError without PyCUDA or a driver.
    """
    cotangents_ = (dy, dh)
    gradients_ = _launcher.backward(_LAYER, saved, cotangents_, out, stream, workspace)
    return Gradients(*gradients_)


def workspace_bytes(direction, *arguments):
    """How many bytes a call needs of `workspace`.

    `direction` is "forward" or "backward", `arguments` are its positional ones:
    `workspace_bytes("backward", saved, dy)`. With `out` and `workspace` given, a call
    allocates nothing once its kernels are loaded.
    """
    return _launcher.workspace_bytes(_LAYER, direction, arguments)


def compilations():
    """How many times this process has run a compiler; 0 while the cache has it all."""
    return _launcher.compilations()


_LAYER = _launcher.Layer(
    name="add_layer_norm",
    source=_Path(__file__).with_name("kernels.cu"),
    Saved=Saved,
    minimum_features=1,
    is_wide=False,
    inputs={
        "x": "Row",
        "residual": "Row",
        "gamma": "Feature",
        "beta": "Feature",
    },
    optional=("gamma", "beta"),
    constants=("eps",),
    outputs={"y": "Row", "h": "Row"},
    saved={"h": "Row", "gamma": "Feature"},
    row_scalars=("mu", "mu_residual", "rstd"),
    forward=_launcher.Direction(
        results={"y": "Row", "h": "Row"},
        kernels={
            "forward": (
                "PPPPAPPPPPqi",
                (
                    "x",
                    "residual",
                    "gamma",
                    "beta",
                    "eps",
                    "out y",
                    "out h",
                    "saved mu",
                    "saved mu_residual",
                    "saved rstd",
                    "the rows",
                    "the features",
                ),
            ),
        },
    ),
    backward=_launcher.Direction(
        results={
            "dx": "Row",
            "dresidual": "Row",
            "dgamma": "Feature",
            "dbeta": "Feature",
        },
        shared=(("dx", "dresidual"),),
        sums=(2, 0),
        kernels={
            "backward": (
                "PPPPPPPPPqi",
                (
                    "h",
                    "dy",
                    "dh",
                    "saved mu",
                    "saved mu_residual",
                    "saved rstd",
                    "gamma",
                    "out dx dresidual",
                    "the workspace",
                    "the rows",
                    "the features",
                ),
            ),
            "backward_columns": (
                "PiPPPi",
                (
                    "the workspace",
                    "the blocks",
                    "gamma",
                    "out dgamma",
                    "out dbeta",
                    "the features",
                ),
            ),
        },
    ),
)
