# Made by lngen 0.1.0 from the definition of adaptive_layer_norm.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# Cost: forward 4 row tensors (3 read, 1 written), 10 flops a row element; backward 6 row tensors (3 read, 3 written), 13 flops a row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
# templates sha256:718272e0163a1e504cee7b5ac2766d12deeaef44a061093e857b72693fc02d13
"""Layer normalization with a scale and a shift for every entry, from elsewhere.

    forward
        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = shift + xhat*(1 + scale)
    backward
        g = dy*(1 + scale)
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dscale = dy*xhat
        dshift = dy

The kernels of kernels.cu, launched by PyCUDA. A kernel is compiled when it is first asked
for, by nvcc or else NVRTC, and kept in $LNGEN_CACHE or the user's cache folder.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path as _Path
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime import launcher as _launcher
from .numpy_backend import INTERFACE


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: Any
    """The gradient of x, in its shape and type."""

    dscale: Any
    """The gradient of scale, in its shape and type."""

    dshift: Any
    """The gradient of shift, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: Any
    """The gradient of x, in its shape and type."""

    dscale: Any
    """The gradient of scale, in its shape and type."""

    dshift: Any
    """The gradient of shift, in its shape and type."""

    ddy: Any
    """The gradient of dy, in its shape and type."""


class Saved(NamedTuple):
    """What `backward` needs of a call of `forward`; arrays are the caller's own.

    Writing to one of them between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]
    """The shape of the row inputs."""

    dtype: np.dtype[Any]
    """The type that `forward` computed in."""

    dtypes: dict[str, np.dtype[Any]]
    """The type of each input that was given."""

    x: _launcher.DeviceArray
    """The argument x of forward."""

    scale: _launcher.DeviceArray
    """The argument scale of forward."""

    mu: _launcher.DeviceArray
    """The row scalar mu, one a row."""

    mu_residual: _launcher.DeviceArray
    """The row scalar mu_residual, one a row."""

    rstd: _launcher.DeviceArray
    """The row scalar rstd, one a row."""


# What follows calls these by names with an underscore, which no argument can have.
_Gradients = Gradients
_INTERFACE = INTERFACE
_Saved = Saved
_SecondGradients = SecondGradients


@overload
def forward(
    x: _launcher.DeviceArray,
    scale: _launcher.DeviceArray,
    shift: _launcher.DeviceArray,
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
) -> tuple[Any, Saved]: ...


@overload
def forward(
    x: _launcher.DeviceArray,
    scale: _launcher.DeviceArray,
    shift: _launcher.DeviceArray,
    *,
    eps: float = 1e-6,
    save: bool,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
) -> tuple[Any, Saved | None]: ...


def forward(
    x: _launcher.DeviceArray,
    scale: _launcher.DeviceArray,
    shift: _launcher.DeviceArray,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
) -> tuple[Any, Saved | None]:
    """Layer normalization with a scale and a shift for every entry, from elsewhere.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = shift + xhat*(1 + scale)

    An array is a GPUArray or anything else with `__cuda_array_interface__`, dense, of type
    float16, bfloat16 (raw 2-byte entries are taken for it), float32 or float64. Rows and
    row scalars are of one type, and so are features and scalars.

    Args:
        x: shape (..., D).
        scale: shape (..., D).
        shift: shape (..., D).
        eps: a constant, a finite number.
        save: False keeps nothing for the other directions, and `saved` is None.
        out: an array to write y to.
        stream: where the kernels are launched: a PyCUDA stream, one of PyTorch or CuPy,
            or a handle; None is the default stream.
        workspace: memory for the row scalars, saved or not; `workspace_bytes` says how
            much. It belongs to `saved` until backward is done.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones. New arrays are GPUArrays.

    Raises TypeError for what is no floating-point array in device memory, ValueError for a
    wrong shape, ImportError without PyCUDA or a driver.
    """
    inputs_ = (x, scale, shift)
    constants_ = (_launcher.finite("eps", eps, signed=False),)
    outputs_, saved_ = _launcher.forward(
        _LAYER, inputs_, constants_, save, out, stream, workspace
    )
    return outputs_[0], saved_


def backward(
    saved: Saved,
    dy: _launcher.DeviceArray,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
) -> Gradients:
    """The gradients of a loss, given those with respect to the outputs.

        g = dy*(1 + scale)
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dscale = dy*xhat
        dshift = dy

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        stream: where the kernels are launched, as for `forward`.
        workspace: memory for partial sums over rows; `workspace_bytes` says how much. It
            needs no initial value, and is free again when the stream gets there.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array in device memory, ValueError for a
    wrong shape, ImportError without PyCUDA or a driver.
    """
    arguments_ = (dy,)
    results_ = _launcher.later(
        _LAYER, "backward", saved, arguments_, out, stream, workspace
    )
    return _Gradients(*results_)


def jvp(
    saved: Saved,
    dx: _launcher.DeviceArray | None = None,
    dscale: _launcher.DeviceArray | None = None,
    dshift: _launcher.DeviceArray | None = None,
    *,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
) -> Any:
    """What the outputs move by when each input moves by its tangent.

        dy = dshift + dscale*xhat + rstd*(1 + scale)*(dx - mean(dx) -
            xhat*mean(dx*xhat))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dscale: the tangent of scale; None stands for zero.
        dshift: the tangent of shift; None stands for zero.
        out: an array to write the tangent of y to.
        stream: where the kernels are launched, as for `forward`.
        workspace: nothing is written to it, since no sum is over rows.

    Returns the tangent of y, in the type of the rows.

    Raises TypeError for what is no floating-point array in device memory, ValueError for a
    wrong shape, ImportError without PyCUDA or a driver.
    """
    arguments_ = (dx, dscale, dshift)
    results_ = _launcher.later(_LAYER, "jvp", saved, arguments_, out, stream, workspace)
    return results_[0]


def backward_backward(
    saved: Saved,
    cotangents: _launcher.DeviceArray | Sequence[_launcher.DeviceArray | None],
    ddx: _launcher.DeviceArray | None = None,
    ddscale: _launcher.DeviceArray | None = None,
    ddshift: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
) -> SecondGradients:
    """The gradients of a loss that depends on what `backward` returned.

        g = dy*(1 + scale)
        mean_g = mean(g)
        mean_g_2 = mean(g*xhat)
        dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
        g_3 = ddscale*dy - mean_g_2*rstd*ddx
        dx = rstd*(g_3 + rstd*(mean_g*xhat*mean(ddx) + mean(ddx*xhat)*(2*mean_g_2*xhat +
            mean_g - g) - xhat*mean(ddx*g)) - mean(g_3) - xhat*mean(g_3*xhat))
        dscale = dg*dy
        dshift = 0
        ddy = ddshift + ddscale*xhat + dg*(1 + scale)

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddscale: the cotangent of dscale, its gradient; None stands for zero.
        ddshift: the cotangent of dshift, its gradient; None stands for zero.
        out: SecondGradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        stream: where the kernels are launched, as for `forward`.
        workspace: memory for partial sums over rows; `workspace_bytes` says how much. It
            needs no initial value, and is free again when the stream gets there.

    Returns SecondGradients, with respect to the inputs and to the cotangents.

    Raises TypeError for what is no floating-point array in device memory, ValueError for a
    wrong shape, ImportError without PyCUDA or a driver.
    """
    arguments_ = (
        *_launcher.each_cotangent(cotangents, ("dy",)),
        ddx,
        ddscale,
        ddshift,
    )
    results_ = _launcher.later(
        _LAYER, "backward_backward", saved, arguments_, out, stream, workspace
    )
    return _SecondGradients(*results_)


def saved_from(
    *,
    x: _launcher.DeviceArray,
    scale: _launcher.DeviceArray,
    mu: _launcher.DeviceArray,
    mu_residual: _launcher.DeviceArray,
    rstd: _launcher.DeviceArray,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its arrays, which are looked at as by `backward`.

    Args:
        x: the argument x of forward.
        scale: the argument scale of forward.
        mu: the row scalar mu, one a row.
        mu_residual: the row scalar mu_residual, one a row.
        rstd: the row scalar rstd, one a row.
        shape: that of the rows; None where an array has it.
        dtype: the type that forward computed in; None is that of the row scalars, or
            else what forward would choose.
        dtypes: the type of each input that was given, by name, of which gradients are.
            What no array tells is needed: another input was left out, or has the type
            of the rows if it cannot be.

    Raises TypeError or ValueError for what `forward` cannot have saved.
    """
    first_ = (shape, dtype, dtypes)
    fields_ = (x, scale, mu, mu_residual, rstd)
    saved_: _Saved = _launcher.saved_from(_LAYER, _INTERFACE, first_, fields_)
    return saved_


def workspace_bytes(direction: str, *arguments: Any) -> int:
    """How many bytes a call needs of `workspace`.

    `direction` is the name of a function, `arguments` are its positional ones:
    `workspace_bytes("backward", saved, dy)`. With `out` and `workspace` given, a call
    allocates nothing once its kernels are loaded.

    That of forward holds the row scalars of `Saved`, in their order, each dense in the type
    of `saved.dtype` and begun at a multiple of 256 bytes. That of a direction which sums over
    rows holds what each block of threads leaves of each sum, in the type of `saved.dtype`:
    a row of D for each block, sum after sum, for sums with one value a feature; then
    a number for each block, sum after sum, for the others. Other directions need none.
    """
    return _launcher.workspace_bytes(_LAYER, direction, arguments)


def compilations() -> int:
    """How many times this process has run a compiler; 0 while the cache has it all."""
    return _launcher.compilations()


_LAYER = _launcher.layer_of(
    INTERFACE,
    Saved,
    is_wide=False,
    directions={
        "forward": _launcher.Direction(
            source=_Path(__file__).with_name("kernels.cu"),
            results={"y": "y"},
            kernels={
                "forward": (
                    "PPPAPPPPqi",
                    (
                        "x",
                        "scale",
                        "shift",
                        "eps",
                        "out y",
                        "saved mu",
                        "saved mu_residual",
                        "saved rstd",
                        "the rows",
                        "the features",
                    ),
                ),
            },
        ),
        "backward": _launcher.Direction(
            source=_Path(__file__).with_name("kernels.cu"),
            arguments={"dy": "y"},
            results={"dx": "x", "dscale": "scale", "dshift": "shift"},
            kernels={
                "backward": (
                    "PPPPPPPPPqi",
                    (
                        "x",
                        "scale",
                        "dy",
                        "saved mu",
                        "saved mu_residual",
                        "saved rstd",
                        "out dx",
                        "out dscale",
                        "out dshift",
                        "the rows",
                        "the features",
                    ),
                ),
            },
        ),
        "jvp": _launcher.Direction(
            source=_Path(__file__).with_name("second_order.cu"),
            arguments={"dx": "x", "dscale": "scale", "dshift": "shift"},
            results={"dy": "y"},
            kernels={
                "jvp": (
                    "PPPPPPPPPqi",
                    (
                        "x",
                        "scale",
                        "dx",
                        "dscale",
                        "dshift",
                        "saved mu",
                        "saved mu_residual",
                        "saved rstd",
                        "out dy",
                        "the rows",
                        "the features",
                    ),
                ),
            },
        ),
        "backward_backward": _launcher.Direction(
            source=_Path(__file__).with_name("second_order.cu"),
            arguments={
                "dy": "y",
                "ddx": "x",
                "ddscale": "scale",
                "ddshift": "shift",
            },
            results={
                "dx": "x",
                "dscale": "scale",
                "dshift": "shift",
                "ddy": "dy",
            },
            kernels={
                "backward_backward": (
                    "PPPPPPPPPPPPPqi",
                    (
                        "x",
                        "scale",
                        "dy",
                        "ddx",
                        "ddscale",
                        "ddshift",
                        "saved mu",
                        "saved mu_residual",
                        "saved rstd",
                        "out dx",
                        "out dscale",
                        "out dshift",
                        "out ddy",
                        "the rows",
                        "the features",
                    ),
                ),
            },
        ),
    },
)
