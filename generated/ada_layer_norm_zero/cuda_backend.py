# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.

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


class Outputs(NamedTuple):
    """Outputs of `forward`; see `numpy_backend.Outputs`."""

    y: Any
    h: Any


class Gradients(NamedTuple):
    """Gradients, see `numpy_backend.Gradients`."""

    dx: Any
    dbranch: Any
    dgate: Any
    dscale: Any
    dshift: Any


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`; see `numpy_backend.SecondGradients`."""

    dx: Any
    dbranch: Any
    dgate: Any
    dscale: Any
    dshift: Any
    ddy: Any
    ddh: Any


class Saved(NamedTuple):
    """Values that `forward` saves; see `numpy_backend.Saved`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dtypes: tuple[np.dtype[Any] | None, ...]
    x: _launcher.DeviceArray
    branch: _launcher.DeviceArray
    gate: _launcher.DeviceArray
    scale: _launcher.DeviceArray
    mu: _launcher.DeviceArray
    mu_residual: _launcher.DeviceArray
    rstd: _launcher.DeviceArray


# Aliases with an underscore, which no argument can have.
_Saved = Saved
_Outputs = Outputs
_Gradients = Gradients
_SecondGradients = SecondGradients


@overload
def forward(
    x: _launcher.DeviceArray,
    branch: _launcher.DeviceArray,
    gate: _launcher.DeviceArray,
    scale: _launcher.DeviceArray,
    shift: _launcher.DeviceArray,
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Outputs, Saved]: ...


@overload
def forward(
    x: _launcher.DeviceArray,
    branch: _launcher.DeviceArray,
    gate: _launcher.DeviceArray,
    scale: _launcher.DeviceArray,
    shift: _launcher.DeviceArray,
    *,
    eps: float = 1e-6,
    save: bool,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Outputs, Saved | None]: ...


def forward(
    x: _launcher.DeviceArray,
    branch: _launcher.DeviceArray,
    gate: _launcher.DeviceArray,
    scale: _launcher.DeviceArray,
    shift: _launcher.DeviceArray,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Outputs, Saved | None]:
    """Compute `numpy_backend.forward` on device arrays."""
    call_ = _forward(
        x,
        branch,
        gate,
        scale,
        shift,
        _launcher.finite("eps", eps, signed=False),
        out,
        stream,
        workspace,
        like,
        bool(save),
    )
    outputs_ = _Outputs(*call_.run())
    return outputs_, _Saved(*call_.kept(0, 1, 2, 3, 8, 9, 10)) if save else None


def backward(
    saved: Saved,
    dy: _launcher.DeviceArray | None,
    dh: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Gradients:
    """Compute `numpy_backend.backward` on device arrays."""
    call_ = _backward(saved, dy, dh, out, stream, workspace, like)
    return _Gradients(*call_.run())


def jvp(
    saved: Saved,
    x_dot: _launcher.DeviceArray | None = None,
    branch_dot: _launcher.DeviceArray | None = None,
    gate_dot: _launcher.DeviceArray | None = None,
    scale_dot: _launcher.DeviceArray | None = None,
    shift_dot: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Outputs:
    """Compute `numpy_backend.jvp` on device arrays."""
    call_ = _jvp(
        saved,
        x_dot,
        branch_dot,
        gate_dot,
        scale_dot,
        shift_dot,
        out,
        stream,
        workspace,
        like,
    )
    return _Outputs(*call_.run())


def backward_backward(
    saved: Saved,
    cotangents: Sequence[_launcher.DeviceArray | None],
    ddx: _launcher.DeviceArray | None = None,
    ddbranch: _launcher.DeviceArray | None = None,
    ddgate: _launcher.DeviceArray | None = None,
    ddscale: _launcher.DeviceArray | None = None,
    ddshift: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> SecondGradients:
    """Compute `numpy_backend.backward_backward` on device arrays."""
    call_ = _backward_backward(
        saved,
        cotangents,
        ddx,
        ddbranch,
        ddgate,
        ddscale,
        ddshift,
        out,
        stream,
        workspace,
        like,
    )
    return _SecondGradients(*call_.run())


def saved_from(
    *,
    x: _launcher.DeviceArray,
    branch: _launcher.DeviceArray,
    gate: _launcher.DeviceArray,
    scale: _launcher.DeviceArray,
    mu: _launcher.DeviceArray,
    mu_residual: _launcher.DeviceArray,
    rstd: _launcher.DeviceArray,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields; see `numpy_backend.saved_from`."""
    fields_ = (x, branch, gate, scale, mu, mu_residual, rstd)
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
        "forward": (_forward, 5, 1),
        "backward": (_backward, 3, 0),
        "jvp": (_jvp, 6, 0),
        "backward_backward": (_backward_backward, 7, 0),
    }
    return _launcher.workspace_bytes(calls_, direction, arguments, out)


def compilations() -> int:
    """Return the number of compiler runs of this process; 0 while the cache suffices."""
    return _launcher.compilations()


# Calls that differ in addresses and numbers alone are planned once: their values are named
# in order, with an underscore behind the names of the layer, and checked.

_LAYER = _launcher.DeviceLayer(
    "ada_layer_norm_zero",
    Saved,
    Path(__file__).parent,
    1,
    (
        _launcher.DeviceInput("x", _launcher.ROW, "x", leading=True),
        _launcher.DeviceInput("branch", _launcher.ROW, "branch", leading=True),
        _launcher.DeviceInput("gate", _launcher.ROW, "gate", leading=True),
        _launcher.DeviceInput("scale", _launcher.ROW, "scale", leading=True),
        _launcher.DeviceInput("shift", _launcher.ROW, "shift", leading=True),
    ),
)


def _saved_values(plan: _launcher.LaunchPlan) -> Any:
    """Check the saved values, and return them."""
    x_ = plan.saved_input("x", 0)
    branch_ = plan.saved_input("branch", 1)
    gate_ = plan.saved_input("gate", 2)
    scale_ = plan.saved_input("scale", 3)
    saved_mu = plan.saved_row_scalar("mu", "saved mu")
    saved_mu_residual = plan.saved_row_scalar("mu_residual", "saved mu_residual")
    saved_rstd = plan.saved_row_scalar("rstd", "saved rstd")
    return (x_, branch_, gate_, scale_, saved_mu, saved_mu_residual, saved_rstd)


def _forward(
    x_: Any,
    branch_: Any,
    gate_: Any,
    scale_: Any,
    shift_: Any,
    eps_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `forward`."""
    objects = [
        x_,
        branch_,
        gate_,
        scale_,
        shift_,
        eps_,
        *_launcher.several(out, ("y", "h")),
        None,
        None,
        None,
    ]
    return _launcher.DeviceCall(_LAYER, "forward", _plan_forward, None, objects, *how)


def _plan_forward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `forward`."""
    x_, branch_, gate_, scale_, shift_ = plan.inputs()
    eps_ = plan.constant()
    out_y = plan.result("y", "y", _launcher.ROW)
    out_h = plan.result("h", "h", _launcher.ROW)
    saved_mu, saved_mu_residual, saved_rstd = plan.row_scalars(
        "saved mu", "saved mu_residual", "saved rstd"
    )
    plan.source = "kernels.cu"
    plan.launch(
        "ada_layer_norm_zero_forward",
        x_,
        branch_,
        gate_,
        scale_,
        shift_,
        eps_,
        out_y,
        out_h,
        saved_mu,
        saved_mu_residual,
        saved_rstd,
        plan.rows,
        plan.features,
    )


def _backward(
    saved: Any, dy_: Any, dh_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `backward`."""
    _launcher.check_is_saved(saved, Saved, "ada_layer_norm_zero")
    objects = [
        dy_,
        dh_,
        *saved[3:],
        *_launcher.several(out, ("dx", "dbranch", "dgate", "dscale", "dshift")),
    ]
    return _launcher.DeviceCall(
        _LAYER, "backward", _plan_backward, saved, objects, *how
    )


def _plan_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward`."""
    plan.needs_one("cotangent", 0, 2)
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y", optional=True)
    dh_ = plan.cotangent("dh", "dh", _launcher.ROW, "h", optional=True)
    x_, branch_, gate_, scale_, saved_mu, saved_mu_residual, saved_rstd = _saved_values(
        plan
    )
    out_dx = plan.gradient(0, "dx", "dx")
    out_dbranch = plan.gradient(1, "dbranch", "dbranch")
    out_dgate = plan.gradient(2, "dgate", "dgate")
    out_dscale = plan.gradient(3, "dscale", "dscale")
    out_dshift = plan.gradient(4, "dshift", "dshift")
    plan.source = "kernels.cu"
    plan.launch(
        "ada_layer_norm_zero_backward",
        x_,
        branch_,
        gate_,
        scale_,
        dy_,
        dh_,
        saved_mu,
        saved_mu_residual,
        saved_rstd,
        out_dx,
        out_dbranch,
        out_dgate,
        out_dscale,
        out_dshift,
        plan.rows,
        plan.features,
    )


def _jvp(
    saved: Any,
    x_dot_: Any,
    branch_dot_: Any,
    gate_dot_: Any,
    scale_dot_: Any,
    shift_dot_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `jvp`."""
    _launcher.check_is_saved(saved, Saved, "ada_layer_norm_zero")
    objects = [
        x_dot_,
        branch_dot_,
        gate_dot_,
        scale_dot_,
        shift_dot_,
        *saved[3:],
        *_launcher.several(out, ("y_dot", "h_dot")),
    ]
    return _launcher.DeviceCall(_LAYER, "jvp", _plan_jvp, saved, objects, *how)


def _plan_jvp(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `jvp`."""
    plan.needs_one("tangent", 0, 5)
    x_dot_ = plan.tangent("x_dot", "x_dot", 0)
    branch_dot_ = plan.tangent("branch_dot", "branch_dot", 1)
    gate_dot_ = plan.tangent("gate_dot", "gate_dot", 2)
    scale_dot_ = plan.tangent("scale_dot", "scale_dot", 3)
    shift_dot_ = plan.tangent("shift_dot", "shift_dot", 4)
    x_, branch_, gate_, scale_, saved_mu, saved_mu_residual, saved_rstd = _saved_values(
        plan
    )
    out_y_dot = plan.result("y_dot", "y_dot", _launcher.ROW)
    out_h_dot = plan.result("h_dot", "h_dot", _launcher.ROW)
    plan.source = "second_order.cu"
    plan.launch(
        "ada_layer_norm_zero_jvp",
        x_,
        branch_,
        gate_,
        scale_,
        x_dot_,
        branch_dot_,
        gate_dot_,
        scale_dot_,
        shift_dot_,
        saved_mu,
        saved_mu_residual,
        saved_rstd,
        out_y_dot,
        out_h_dot,
        plan.rows,
        plan.features,
    )


def _backward_backward(
    saved: Any,
    cotangents: Any,
    ddx_: Any,
    ddbranch_: Any,
    ddgate_: Any,
    ddscale_: Any,
    ddshift_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `backward_backward`."""
    _launcher.check_is_saved(saved, Saved, "ada_layer_norm_zero")
    objects = [
        *_launcher.each_cotangent(cotangents, ("dy", "dh")),
        ddx_,
        ddbranch_,
        ddgate_,
        ddscale_,
        ddshift_,
        *saved[3:],
        *_launcher.several(
            out, ("dx", "dbranch", "dgate", "dscale", "dshift", "ddy", "ddh")
        ),
    ]
    return _launcher.DeviceCall(
        _LAYER, "backward_backward", _plan_backward_backward, saved, objects, *how
    )


def _plan_backward_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward_backward`."""
    plan.needs_one("cotangent", 0, 2)
    plan.needs_one("cotangent of a gradient", 2, 7)
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y", optional=True)
    dh_ = plan.cotangent("dh", "dh", _launcher.ROW, "h", optional=True)
    ddx_ = plan.tangent("ddx", "ddx", 0)
    ddbranch_ = plan.tangent("ddbranch", "ddbranch", 1)
    ddgate_ = plan.tangent("ddgate", "ddgate", 2)
    ddscale_ = plan.tangent("ddscale", "ddscale", 3)
    ddshift_ = plan.tangent("ddshift", "ddshift", 4)
    x_, branch_, gate_, scale_, saved_mu, saved_mu_residual, saved_rstd = _saved_values(
        plan
    )
    out_dx = plan.gradient(0, "dx", "dx")
    out_dbranch = plan.gradient(1, "dbranch", "dbranch")
    out_dgate = plan.gradient(2, "dgate", "dgate")
    out_dscale = plan.gradient(3, "dscale", "dscale")
    out_dshift = plan.gradient(4, "dshift", "dshift")
    out_ddy = plan.result("ddy", "ddy", _launcher.ROW, dy_)
    out_ddh = plan.result("ddh", "ddh", _launcher.ROW, dh_)
    plan.source = "second_order.cu"
    plan.launch(
        "ada_layer_norm_zero_backward_backward",
        x_,
        branch_,
        gate_,
        scale_,
        dy_,
        dh_,
        ddx_,
        ddbranch_,
        ddgate_,
        ddscale_,
        ddshift_,
        saved_mu,
        saved_mu_residual,
        saved_rstd,
        out_dx,
        out_dbranch,
        out_dgate,
        out_dscale,
        out_dshift,
        out_ddy,
        out_ddh,
        plan.rows,
        plan.features,
    )
