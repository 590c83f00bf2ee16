# Made by lngen 0.1.0 from the definition of gated_rms_norm.
# Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
# Cost: forward 3 row tensors (2 read, 1 written), 7 flops a row element; backward 5 row tensors (3 read, 2 written), 20 flops a row element.
# Evidence: exact 3 of 3, 50 digits 1 of 1, second derivation 3 of 3, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
# templates sha256:718272e0163a1e504cee7b5ac2766d12deeaef44a061093e857b72693fc02d13
"""Root-mean-square normalization, then a gate: silu of another row.

    forward
        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        y = gamma*silu_z*xhat
    backward
        g = gamma*dy*silu_z
        dx = rstd*(g - xhat*mean(g*xhat))
        dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
        dgamma = sum_rows(dy*silu_z*xhat)

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

    dz: Any
    """The gradient of z, in its shape and type."""

    dgamma: Any
    """The gradient of gamma, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: Any
    """The gradient of x, in its shape and type."""

    dz: Any
    """The gradient of z, in its shape and type."""

    dgamma: Any
    """The gradient of gamma, in its shape and type."""

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

    z: _launcher.DeviceArray
    """The argument z of forward."""

    gamma: _launcher.DeviceArray | None
    """The argument gamma of forward."""

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
    z: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    *,
    eps: float = 1e-5,
    save: Literal[True] = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
) -> tuple[Any, Saved]: ...


@overload
def forward(
    x: _launcher.DeviceArray,
    z: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
) -> tuple[Any, Saved | None]: ...


def forward(
    x: _launcher.DeviceArray,
    z: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
) -> tuple[Any, Saved | None]:
    """Root-mean-square normalization, then a gate: silu of another row.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        y = gamma*silu_z*xhat

    An array is a GPUArray or anything else with `__cuda_array_interface__`, dense, of type
    float16, bfloat16 (raw 2-byte entries are taken for it), float32 or float64. Rows and
    row scalars are of one type, and so are features and scalars.

    Args:
        x: shape (..., D).
        z: shape (..., D).
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
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
    inputs_ = (x, z, gamma)
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

        g = gamma*dy*silu_z
        dx = rstd*(g - xhat*mean(g*xhat))
        dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
        dgamma = sum_rows(dy*silu_z*xhat)

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
    dz: _launcher.DeviceArray | None = None,
    dgamma: _launcher.DeviceArray | None = None,
    *,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
) -> Any:
    """What the outputs move by when each input moves by its tangent.

        dy = dgamma*silu_z*xhat + gamma*dz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z)) +
            rstd*gamma*silu_z*(dx - xhat*mean(dx*xhat))

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dz: the tangent of z; None stands for zero.
        dgamma: the tangent of gamma; None stands for zero.
        out: an array to write the tangent of y to.
        stream: where the kernels are launched, as for `forward`.
        workspace: nothing is written to it, since no sum is over rows.

    Returns the tangent of y, in the type of the rows.

    Raises TypeError for what is no floating-point array in device memory, ValueError for a
    wrong shape, ImportError without PyCUDA or a driver.
    """
    arguments_ = (dx, dz, dgamma)
    results_ = _launcher.later(_LAYER, "jvp", saved, arguments_, out, stream, workspace)
    return results_[0]


def backward_backward(
    saved: Saved,
    cotangents: _launcher.DeviceArray | Sequence[_launcher.DeviceArray | None],
    ddx: _launcher.DeviceArray | None = None,
    ddz: _launcher.DeviceArray | None = None,
    ddgamma: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
) -> SecondGradients:
    """The gradients of a loss that depends on what `backward` returned.

        g = gamma*dy*silu_z
        mean_g = mean(g*xhat)
        dg = rstd*(ddx - xhat*mean(ddx*xhat))
        dsilu_z = dy*(gamma*dg + ddgamma*xhat)
        g_5 = gamma*ddz*dy*sigmoid_z*(1 + z*(1 - sigmoid_z)) - mean_g*rstd*ddx
        dx = rstd*(g_5 + ddgamma*dy*silu_z + rstd*(mean(ddx*xhat)*(2*mean_g*xhat - g) -
            xhat*mean(ddx*g)) - xhat*mean(g_5*xhat) - xhat*mean(ddgamma*dy*silu_z*xhat))
        dz = sigmoid_z*(dsilu_z + gamma*ddz*dy*xhat*(1 - sigmoid_z) + (1 -
            sigmoid_z)*(dsilu_z*z + gamma*ddz*dy*xhat*(1 + z*(1 - sigmoid_z) - silu_z)))
        dgamma = sum_rows(dy*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))))
        ddy = ddgamma*silu_z*xhat + gamma*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 -
            sigmoid_z)))

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddz: the cotangent of dz, its gradient; None stands for zero.
        ddgamma: the cotangent of dgamma, its gradient; None stands for zero.
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
        ddz,
        ddgamma,
    )
    results_ = _launcher.later(
        _LAYER, "backward_backward", saved, arguments_, out, stream, workspace
    )
    return _SecondGradients(*results_)


def saved_from(
    *,
    x: _launcher.DeviceArray,
    z: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    rstd: _launcher.DeviceArray,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its arrays, which are looked at as by `backward`.

    Args:
        x: the argument x of forward.
        z: the argument z of forward.
        gamma: the argument gamma of forward.
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
    fields_ = (x, z, gamma, rstd)
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
                    "PPPAPPqi",
                    (
                        "x",
                        "z",
                        "gamma",
                        "eps",
                        "out y",
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
            results={"dx": "x", "dz": "z", "dgamma": "gamma"},
            sums=(1, 0),
            kernels={
                "backward": (
                    "PPPPPPPPqi",
                    (
                        "x",
                        "z",
                        "dy",
                        "saved rstd",
                        "gamma",
                        "out dx",
                        "out dz",
                        "the workspace",
                        "the rows",
                        "the features",
                    ),
                ),
                "backward_columns": (
                    "PiPPi",
                    (
                        "the workspace",
                        "the blocks",
                        "gamma",
                        "out dgamma",
                        "the features",
                    ),
                ),
            },
        ),
        "jvp": _launcher.Direction(
            source=_Path(__file__).with_name("second_order.cu"),
            arguments={"dx": "x", "dz": "z", "dgamma": "gamma"},
            results={"dy": "y"},
            kernels={
                "jvp": (
                    "PPPPPPPPqi",
                    (
                        "x",
                        "z",
                        "dx",
                        "dz",
                        "saved rstd",
                        "gamma",
                        "dgamma",
                        "out dy",
                        "the rows",
                        "the features",
                    ),
                ),
            },
        ),
        "backward_backward": _launcher.Direction(
            source=_Path(__file__).with_name("second_order.cu"),
            arguments={"dy": "y", "ddx": "x", "ddz": "z", "ddgamma": "gamma"},
            results={"dx": "x", "dz": "z", "dgamma": "gamma", "ddy": "dy"},
            sums=(1, 0),
            kernels={
                "backward_backward": (
                    "PPPPPPPPPPPPqi",
                    (
                        "x",
                        "z",
                        "dy",
                        "ddx",
                        "ddz",
                        "saved rstd",
                        "gamma",
                        "ddgamma",
                        "out dx",
                        "out dz",
                        "out ddy",
                        "the workspace",
                        "the rows",
                        "the features",
                    ),
                ),
                "backward_backward_columns": (
                    "PiPPPi",
                    (
                        "the workspace",
                        "the blocks",
                        "gamma",
                        "ddgamma",
                        "out dgamma",
                        "the features",
                    ),
                ),
            },
        ),
    },
)
