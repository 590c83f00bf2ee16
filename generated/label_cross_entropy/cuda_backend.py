# Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
# definition sha256:54d0d10a361e544b04d125946902774985e4cfbc3c6a48abadaca8002ccda43b
"""Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.

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
from pathlib import Path
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.cuda import launcher as _launcher
from . import numpy_backend as _numpy

INTERFACE = _numpy.INTERFACE


class Gradients(NamedTuple):
    """Gradients, see `numpy_backend.Gradients`."""

    dx: Any


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`; see `numpy_backend.SecondGradients`."""

    dx: Any
    ddy: Any


class Saved(NamedTuple):
    """Values that `forward` saves; see `numpy_backend.Saved`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dtypes: tuple[np.dtype[Any] | None, ...]
    x: _launcher.DeviceArray
    label: _launcher.DeviceArray
    ignore: _launcher.DeviceArray | None
    smoothing: float
    z_loss: float
    m: _launcher.DeviceArray
    Z: _launcher.DeviceArray
    log_Z: _launcher.DeviceArray


# Aliases with an underscore, which no argument can have.
_Saved = Saved
_Gradients = Gradients
_SecondGradients = SecondGradients


@overload
def forward(
    x: _launcher.DeviceArray,
    label: _launcher.DeviceArray,
    ignore: _launcher.DeviceArray | None = None,
    *,
    smoothing: float = 0.0,
    z_loss: float = 0.0,
    save: Literal[True] = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved]: ...


@overload
def forward(
    x: _launcher.DeviceArray,
    label: _launcher.DeviceArray,
    ignore: _launcher.DeviceArray | None = None,
    *,
    smoothing: float = 0.0,
    z_loss: float = 0.0,
    save: bool,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved | None]: ...


def forward(
    x: _launcher.DeviceArray,
    label: _launcher.DeviceArray,
    ignore: _launcher.DeviceArray | None = None,
    *,
    smoothing: float = 0.0,
    z_loss: float = 0.0,
    save: bool = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved | None]:
    """Compute `numpy_backend.forward` on device arrays."""
    call_ = _forward(
        x,
        label,
        ignore,
        _launcher.finite("smoothing", smoothing),
        _launcher.finite("z_loss", z_loss),
        out,
        stream,
        workspace,
        like,
        bool(save),
    )
    outputs_ = call_.run()[0]
    return outputs_, _Saved(*call_.kept(0, 1, 2, 3, 4, 6, 7, 8)) if save else None


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
    call_ = _backward(saved, dy, out, stream, workspace, like)
    return _Gradients(*call_.run())


def jvp(
    saved: Saved,
    x_dot: _launcher.DeviceArray | None = None,
    *,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Any:
    """Compute `numpy_backend.jvp` on device arrays."""
    call_ = _jvp(saved, x_dot, out, stream, workspace, like)
    return call_.run()[0]


def backward_backward(
    saved: Saved,
    cotangents: _launcher.DeviceArray | Sequence[_launcher.DeviceArray | None],
    ddx: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> SecondGradients:
    """Compute `numpy_backend.backward_backward` on device arrays."""
    call_ = _backward_backward(saved, cotangents, ddx, out, stream, workspace, like)
    return _SecondGradients(*call_.run())


def saved_from(
    *,
    x: _launcher.DeviceArray,
    label: _launcher.DeviceArray,
    ignore: _launcher.DeviceArray | None = None,
    smoothing: float,
    z_loss: float,
    m: _launcher.DeviceArray,
    Z: _launcher.DeviceArray,
    log_Z: _launcher.DeviceArray,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields; see `numpy_backend.saved_from`."""
    fields_ = (x, label, ignore, smoothing, z_loss, m, Z, log_Z)
    saved_: _Saved = _launcher.saved_from(
        _LAYER, _saved_values, INTERFACE, fields_, shape, dtype, dtypes
    )
    return saved_


def workspace_bytes(direction: str, *arguments: Any, out: Any = None) -> int:
    """Return the bytes that a call needs as `workspace`.

    `direction` is the name of a function, and `arguments` are its positional arguments:
    `workspace_bytes("backward", saved, dy)`.
    With `out` and `workspace` given, a call allocates nothing once its kernels are loaded. The
    function of this name in `_runtime/cuda/launcher.py` describes the content.
    """
    calls_ = {
        "forward": (_forward, 3, 2),
        "backward": (_backward, 2, 0),
        "jvp": (_jvp, 2, 0),
        "backward_backward": (_backward_backward, 3, 0),
    }
    return _launcher.workspace_bytes(calls_, direction, arguments, out)


def compilations() -> int:
    """Return the number of compiler runs of this process; 0 while the cache suffices."""
    return _launcher.compilations()


# Calls that differ in addresses and numbers alone are planned once: their values are named
# in order, with an underscore behind the names of the layer, and checked.

_LAYER = _launcher.DeviceLayer(
    "label_cross_entropy",
    Saved,
    Path(__file__).parent,
    1,
    (
        _launcher.DeviceInput("x", _launcher.ROW, "x", leading=True),
        _launcher.DeviceInput("label", _launcher.ROW_SCALAR, "label", integers=True),
        _launcher.DeviceInput(
            "ignore", _launcher.NUMBER, "ignore", optional=True, integers=True
        ),
    ),
)


def _saved_values(plan: _launcher.LaunchPlan) -> Any:
    """Check the saved values, and return them."""
    x_ = plan.saved_input("x", 0)
    label_ = plan.saved_input("label", 1)
    ignore_ = plan.saved_input("ignore", 2)
    smoothing_ = plan.constant()
    z_loss_ = plan.constant()
    saved_m = plan.saved_row_scalar("m", "saved m")
    saved_Z = plan.saved_row_scalar("Z", "saved Z")
    saved_log_Z = plan.saved_row_scalar("log_Z", "saved log_Z")
    return (x_, label_, ignore_, smoothing_, z_loss_, saved_m, saved_Z, saved_log_Z)


def _forward(
    x_: Any,
    label_: Any,
    ignore_: Any,
    smoothing_: Any,
    z_loss_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `forward`."""
    objects = [x_, label_, ignore_, smoothing_, z_loss_, out, None, None, None]
    return _launcher.DeviceCall(_LAYER, "forward", _plan_forward, None, objects, *how)


def _plan_forward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `forward`."""
    x_, label_, ignore_ = plan.inputs()
    smoothing_ = plan.constant()
    z_loss_ = plan.constant()
    out_y = plan.result("y", "y", _launcher.ROW_SCALAR)
    saved_m, saved_Z, saved_log_Z = plan.row_scalars(
        "saved m", "saved Z", "saved log_Z"
    )
    plan.source = "kernels.cu"
    plan.launch(
        "label_cross_entropy_forward",
        x_,
        label_,
        ignore_,
        smoothing_,
        z_loss_,
        out_y,
        saved_m,
        saved_Z,
        saved_log_Z,
        plan.rows,
        plan.features,
    )


def _backward(saved: Any, dy_: Any, out: Any, *how: Any) -> _launcher.DeviceCall:
    """Make a call of `backward`."""
    _launcher.check_is_saved(saved, Saved, "label_cross_entropy")
    objects = [dy_, *saved[3:], *_launcher.several(out, ("dx",))]
    objects[4] = _launcher.finite("saved.smoothing", objects[4])
    objects[5] = _launcher.finite("saved.z_loss", objects[5])
    return _launcher.DeviceCall(
        _LAYER, "backward", _plan_backward, saved, objects, *how
    )


def _plan_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward`."""
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW_SCALAR, "y")
    x_, label_, ignore_, smoothing_, z_loss_, saved_m, saved_Z, saved_log_Z = (
        _saved_values(plan)
    )
    out_dx = plan.gradient(0, "dx", "dx")
    plan.source = "kernels.cu"
    plan.launch(
        "label_cross_entropy_backward",
        x_,
        label_,
        dy_,
        saved_m,
        saved_Z,
        saved_log_Z,
        ignore_,
        smoothing_,
        z_loss_,
        out_dx,
        plan.rows,
        plan.features,
    )


def _jvp(saved: Any, x_dot_: Any, out: Any, *how: Any) -> _launcher.DeviceCall:
    """Make a call of `jvp`."""
    _launcher.check_is_saved(saved, Saved, "label_cross_entropy")
    objects = [x_dot_, *saved[3:], out]
    objects[4] = _launcher.finite("saved.smoothing", objects[4])
    objects[5] = _launcher.finite("saved.z_loss", objects[5])
    return _launcher.DeviceCall(_LAYER, "jvp", _plan_jvp, saved, objects, *how)


def _plan_jvp(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `jvp`."""
    plan.needs_one("tangent", 0, 1)
    x_dot_ = plan.tangent("x_dot", "x_dot", 0)
    x_, label_, ignore_, smoothing_, z_loss_, saved_m, saved_Z, saved_log_Z = (
        _saved_values(plan)
    )
    out_y_dot = plan.result("y_dot", "y_dot", _launcher.ROW_SCALAR)
    plan.source = "second_order.cu"
    plan.launch(
        "label_cross_entropy_jvp",
        x_,
        label_,
        x_dot_,
        saved_m,
        saved_Z,
        saved_log_Z,
        ignore_,
        smoothing_,
        z_loss_,
        out_y_dot,
        plan.rows,
        plan.features,
    )


def _backward_backward(
    saved: Any, cotangents: Any, ddx_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `backward_backward`."""
    _launcher.check_is_saved(saved, Saved, "label_cross_entropy")
    objects = [
        *_launcher.each_cotangent(cotangents, ("dy",)),
        ddx_,
        *saved[3:],
        *_launcher.several(out, ("dx", "ddy")),
    ]
    objects[5] = _launcher.finite("saved.smoothing", objects[5])
    objects[6] = _launcher.finite("saved.z_loss", objects[6])
    return _launcher.DeviceCall(
        _LAYER, "backward_backward", _plan_backward_backward, saved, objects, *how
    )


def _plan_backward_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward_backward`."""
    plan.needs_one("cotangent of a gradient", 1, 2)
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW_SCALAR, "y")
    ddx_ = plan.tangent("ddx", "ddx", 0)
    x_, label_, ignore_, smoothing_, z_loss_, saved_m, saved_Z, saved_log_Z = (
        _saved_values(plan)
    )
    out_dx = plan.gradient(0, "dx", "dx")
    out_ddy = plan.result("ddy", "ddy", _launcher.ROW_SCALAR, dy_)
    plan.source = "second_order.cu"
    plan.launch(
        "label_cross_entropy_backward_backward",
        x_,
        label_,
        dy_,
        ddx_,
        saved_m,
        saved_Z,
        saved_log_Z,
        ignore_,
        smoothing_,
        z_loss_,
        out_dx,
        out_ddy,
        plan.rows,
        plan.features,
    )
