# Made by lngen 0.1.0 from the definition of mean_abs_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
# definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
"""Centred rows divided by their mean absolute deviation.

The functions of `numpy_backend` for arrays in device memory: the kernels of kernels.cu,
launched by PyCUDA. A kernel is compiled on first use, by NVRTC or else nvcc, and kept in
$LNGEN_CACHE or the user's cache folder.

An array is a GPUArray or another object with `__cuda_array_interface__` or `__dlpack__`.
It is of type float16, bfloat16 (raw 2-byte entries count as bfloat16), float32 or float64.
Rows and row scalars share one type, and so do features and scalars. The entries of a row
lie one behind the other. Rows may lie apart, in another order of their axes, or at one
place, as a broadcast array has them. Other arrays are dense. No result overlaps an array
that is read, or another result.

Each direction has further arguments:

    stream: the stream of the launch, from PyCUDA, PyTorch or CuPy, or a handle; None is
        the default stream.
    workspace: device memory of `workspace_bytes` bytes; None allocates it. Forward keeps
        its row scalars there, so it belongs to `saved` until backward is done; with
        `save=False` none is needed. Other directions keep partial sums over rows there.
        It needs no initial value, and is free when the stream has passed the call.
    like: an array of another library, or a module with `from_dlpack` such as cupy or
        torch. New results become arrays of that library, without a copy; None makes
        GPUArrays.

They raise TypeError for an argument that is not a floating-point array in device memory,
ValueError for a wrong shape, and ImportError without PyCUDA or a driver.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.cuda import launcher as _launcher
from .kernels import KERNELS
from .numpy_backend import INTERFACE


class Gradients(NamedTuple):
    """Gradients, see `numpy_backend.Gradients`."""

    dx: Any
    dgamma: Any
    dbeta: Any


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`; see `numpy_backend.SecondGradients`."""

    dx: Any
    dgamma: Any
    dbeta: Any
    ddy: Any


class Saved(NamedTuple):
    """Values that `forward` saves; see `numpy_backend.Saved`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dtypes: tuple[np.dtype[Any] | None, ...]
    x: _launcher.DeviceArray
    gamma: _launcher.DeviceArray | None
    mu: _launcher.DeviceArray
    mu_residual: _launcher.DeviceArray
    scale: _launcher.DeviceArray


# Aliases with an underscore, which no argument can have.
_INTERFACE = INTERFACE
_Saved = Saved
_Gradients = Gradients
_SecondGradients = SecondGradients


@overload
def forward(
    x: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    beta: _launcher.DeviceArray | None = None,
    *,
    eps: float = 1e-5,
    save: Literal[True] = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved]: ...


@overload
def forward(
    x: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    beta: _launcher.DeviceArray | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved | None]: ...


def forward(
    x: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    beta: _launcher.DeviceArray | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved | None]:
    """Compute `numpy_backend.forward` on device arrays."""
    inputs_ = (x, gamma, beta)
    constants_ = (_launcher.finite("eps", eps),)
    outputs_, saved_ = _launcher.forward(
        _LAYER, inputs_, constants_, save, out, stream, workspace, like
    )
    return outputs_[0], saved_


def backward(
    saved: Saved,
    dy: _launcher.DeviceArray,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Gradients:
    """Compute `numpy_backend.backward` on device arrays."""
    arguments_ = (dy,)
    results_ = _launcher.later(
        _LAYER, "backward", saved, arguments_, out, stream, workspace, like
    )
    return _Gradients(*results_)


def jvp(
    saved: Saved,
    x_dot: _launcher.DeviceArray | None = None,
    gamma_dot: _launcher.DeviceArray | None = None,
    beta_dot: _launcher.DeviceArray | None = None,
    *,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Any:
    """Compute `numpy_backend.jvp` on device arrays."""
    arguments_ = (x_dot, gamma_dot, beta_dot)
    results_ = _launcher.later(
        _LAYER, "jvp", saved, arguments_, out, stream, workspace, like
    )
    return results_[0]


def backward_backward(
    saved: Saved,
    cotangents: _launcher.DeviceArray | Sequence[_launcher.DeviceArray | None],
    ddx: _launcher.DeviceArray | None = None,
    ddgamma: _launcher.DeviceArray | None = None,
    ddbeta: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> SecondGradients:
    """Compute `numpy_backend.backward_backward` on device arrays."""
    arguments_ = (*_launcher.each_cotangent(cotangents, ("dy",)), ddx, ddgamma, ddbeta)
    results_ = _launcher.later(
        _LAYER, "backward_backward", saved, arguments_, out, stream, workspace, like
    )
    return _SecondGradients(*results_)


def saved_from(
    *,
    x: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    mu: _launcher.DeviceArray,
    mu_residual: _launcher.DeviceArray,
    scale: _launcher.DeviceArray,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields; see `numpy_backend.saved_from`."""
    first_ = (shape, dtype, dtypes)
    fields_ = (x, gamma, mu, mu_residual, scale)
    saved_: _Saved = _launcher.saved_from(_LAYER, _INTERFACE, first_, fields_)
    return saved_


def workspace_bytes(direction: str, *arguments: Any, out: Any = None) -> int:
    """Return the bytes that a call needs as `workspace`.

    `direction` is the name of a function, and `arguments` are its positional arguments:
    `workspace_bytes("backward", saved, dy)`.
    With `out` and `workspace` given, a call allocates nothing once its kernels are loaded. The
    function of this name in `_runtime/cuda/launcher.py` describes the content.
    """
    return _launcher.workspace_bytes(_LAYER, direction, arguments, out)


def compilations() -> int:
    """Return the number of compiler runs of this process; 0 while the cache suffices."""
    return _launcher.compilations()


_LAYER = _launcher.layer_of(INTERFACE, Saved, __file__, KERNELS)
