# Made by lngen 0.1.0 from the definition of dual_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dual_rms_norm.py and run: lngen derive dual_rms_norm.py
# definition sha256:e689ee1c158bbc0dca0d29a1556c92f1e9714db62885e477d177bd5c9c3a13db
"""A norm after a block, its residual added, and the norm before the next block, in one pass.

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
    r: Any


class Gradients(NamedTuple):
    """Gradients, see `numpy_backend.Gradients`."""

    dx: Any
    dresidual: Any
    dafter: Any
    dbefore: Any


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`; see `numpy_backend.SecondGradients`."""

    dx: Any
    dresidual: Any
    dafter: Any
    dbefore: Any
    ddy: Any
    ddr: Any


class Saved(NamedTuple):
    """Values that `forward` saves; see `numpy_backend.Saved`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dtypes: tuple[np.dtype[Any] | None, ...]
    x: _launcher.DeviceArray
    residual: _launcher.DeviceArray
    after: _launcher.DeviceArray | None
    before: _launcher.DeviceArray | None
    rstd: _launcher.DeviceArray
    rstd_2: _launcher.DeviceArray


# Aliases with an underscore, which no argument can have.
_Saved = Saved
_Outputs = Outputs
_Gradients = Gradients
_SecondGradients = SecondGradients


@overload
def forward(
    x: _launcher.DeviceArray,
    residual: _launcher.DeviceArray,
    after: _launcher.DeviceArray | None = None,
    before: _launcher.DeviceArray | None = None,
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
    residual: _launcher.DeviceArray,
    after: _launcher.DeviceArray | None = None,
    before: _launcher.DeviceArray | None = None,
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
    residual: _launcher.DeviceArray,
    after: _launcher.DeviceArray | None = None,
    before: _launcher.DeviceArray | None = None,
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
        residual,
        after,
        before,
        _launcher.finite("eps", eps, signed=False),
        out,
        stream,
        workspace,
        like,
        bool(save),
    )
    outputs_ = _Outputs(*call_.run())
    return outputs_, _Saved(*call_.kept(0, 1, 2, 3, 7, 8)) if save else None


def backward(
    saved: Saved,
    dy: _launcher.DeviceArray | None,
    dr: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Gradients:
    """Compute `numpy_backend.backward` on device arrays."""
    call_ = _backward(saved, dy, dr, out, stream, workspace, like)
    return _Gradients(*call_.run())


def jvp(
    saved: Saved,
    x_dot: _launcher.DeviceArray | None = None,
    residual_dot: _launcher.DeviceArray | None = None,
    after_dot: _launcher.DeviceArray | None = None,
    before_dot: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Outputs:
    """Compute `numpy_backend.jvp` on device arrays."""
    call_ = _jvp(
        saved, x_dot, residual_dot, after_dot, before_dot, out, stream, workspace, like
    )
    return _Outputs(*call_.run())


def backward_backward(
    saved: Saved,
    cotangents: Sequence[_launcher.DeviceArray | None],
    ddx: _launcher.DeviceArray | None = None,
    ddresidual: _launcher.DeviceArray | None = None,
    ddafter: _launcher.DeviceArray | None = None,
    ddbefore: _launcher.DeviceArray | None = None,
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
        ddresidual,
        ddafter,
        ddbefore,
        out,
        stream,
        workspace,
        like,
    )
    return _SecondGradients(*call_.run())


def saved_from(
    *,
    x: _launcher.DeviceArray,
    residual: _launcher.DeviceArray,
    after: _launcher.DeviceArray | None = None,
    before: _launcher.DeviceArray | None = None,
    rstd: _launcher.DeviceArray,
    rstd_2: _launcher.DeviceArray,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields; see `numpy_backend.saved_from`."""
    fields_ = (x, residual, after, before, rstd, rstd_2)
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
        "forward": (_forward, 4, 1),
        "backward": (_backward, 3, 0),
        "jvp": (_jvp, 5, 0),
        "backward_backward": (_backward_backward, 6, 0),
    }
    return _launcher.workspace_bytes(calls_, direction, arguments, out)


def compilations() -> int:
    """Return the number of compiler runs of this process; 0 while the cache suffices."""
    return _launcher.compilations()


# Calls that differ in addresses and numbers alone are planned once: their values are named
# in order, with an underscore behind the names of the layer, and checked.

_LAYER = _launcher.DeviceLayer(
    "dual_rms_norm",
    Saved,
    Path(__file__).parent,
    1,
    (
        _launcher.DeviceInput("x", _launcher.ROW, "x", leading=True),
        _launcher.DeviceInput("residual", _launcher.ROW, "residual", leading=True),
        _launcher.DeviceInput("after", _launcher.FEATURE, "after", optional=True),
        _launcher.DeviceInput("before", _launcher.FEATURE, "before", optional=True),
    ),
)


def _saved_values(plan: _launcher.LaunchPlan) -> Any:
    """Check the saved values, and return them."""
    x_ = plan.saved_input("x", 0)
    residual_ = plan.saved_input("residual", 1)
    after_ = plan.saved_input("after", 2)
    before_ = plan.saved_input("before", 3)
    saved_rstd = plan.saved_row_scalar("rstd", "saved rstd")
    saved_rstd_2 = plan.saved_row_scalar("rstd_2", "saved rstd_2")
    return (x_, residual_, after_, before_, saved_rstd, saved_rstd_2)


def _forward(
    x_: Any, residual_: Any, after_: Any, before_: Any, eps_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `forward`."""
    objects = [
        x_,
        residual_,
        after_,
        before_,
        eps_,
        *_launcher.several(out, ("y", "r")),
        None,
        None,
    ]
    return _launcher.DeviceCall(_LAYER, "forward", _plan_forward, None, objects, *how)


def _plan_forward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `forward`."""
    x_, residual_, after_, before_ = plan.inputs()
    eps_ = plan.constant()
    out_y = plan.result("y", "y", _launcher.ROW)
    out_r = plan.result("r", "r", _launcher.ROW)
    saved_rstd, saved_rstd_2 = plan.row_scalars("saved rstd", "saved rstd_2")
    plan.source = "kernels.cu"
    plan.launch(
        "dual_rms_norm_forward",
        x_,
        residual_,
        after_,
        before_,
        eps_,
        out_y,
        out_r,
        saved_rstd,
        saved_rstd_2,
        plan.rows,
        plan.features,
    )


def _backward(
    saved: Any, dy_: Any, dr_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `backward`."""
    _launcher.check_is_saved(saved, Saved, "dual_rms_norm")
    objects = [
        dy_,
        dr_,
        *saved[3:],
        *_launcher.several(out, ("dx", "dresidual", "dafter", "dbefore")),
    ]
    return _launcher.DeviceCall(
        _LAYER, "backward", _plan_backward, saved, objects, *how
    )


def _plan_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward`."""
    plan.needs_one("cotangent", 0, 2)
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y", optional=True)
    dr_ = plan.cotangent("dr", "dr", _launcher.ROW, "r", optional=True)
    x_, residual_, after_, before_, saved_rstd, saved_rstd_2 = _saved_values(plan)
    out_dx = plan.gradient(0, "dx", "dx")
    out_dresidual = plan.gradient(1, "dresidual", "dresidual")
    out_dafter = plan.gradient(2, "dafter", "dafter")
    out_dbefore = plan.gradient(3, "dbefore", "dbefore")
    plan.source = "kernels.cu"
    plan.sums = (2, 0)
    plan.launch(
        "dual_rms_norm_backward",
        x_,
        residual_,
        dy_,
        dr_,
        saved_rstd,
        saved_rstd_2,
        after_,
        before_,
        out_dx,
        out_dresidual,
        plan.workspace,
        plan.rows,
        plan.features,
    )
    plan.launch(
        "dual_rms_norm_backward_columns",
        plan.workspace,
        plan.blocks,
        after_,
        before_,
        out_dafter,
        out_dbefore,
        plan.features,
    )


def _jvp(
    saved: Any,
    x_dot_: Any,
    residual_dot_: Any,
    after_dot_: Any,
    before_dot_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `jvp`."""
    _launcher.check_is_saved(saved, Saved, "dual_rms_norm")
    objects = [
        x_dot_,
        residual_dot_,
        after_dot_,
        before_dot_,
        *saved[3:],
        *_launcher.several(out, ("y_dot", "r_dot")),
    ]
    return _launcher.DeviceCall(_LAYER, "jvp", _plan_jvp, saved, objects, *how)


def _plan_jvp(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `jvp`."""
    plan.needs_one("tangent", 0, 4)
    x_dot_ = plan.tangent("x_dot", "x_dot", 0)
    residual_dot_ = plan.tangent("residual_dot", "residual_dot", 1)
    after_dot_ = plan.tangent("after_dot", "after_dot", 2)
    before_dot_ = plan.tangent("before_dot", "before_dot", 3)
    x_, residual_, after_, before_, saved_rstd, saved_rstd_2 = _saved_values(plan)
    out_y_dot = plan.result("y_dot", "y_dot", _launcher.ROW)
    out_r_dot = plan.result("r_dot", "r_dot", _launcher.ROW)
    plan.source = "second_order.cu"
    plan.launch(
        "dual_rms_norm_jvp",
        x_,
        residual_,
        x_dot_,
        residual_dot_,
        saved_rstd,
        saved_rstd_2,
        after_,
        before_,
        after_dot_,
        before_dot_,
        out_y_dot,
        out_r_dot,
        plan.rows,
        plan.features,
    )


def _backward_backward(
    saved: Any,
    cotangents: Any,
    ddx_: Any,
    ddresidual_: Any,
    ddafter_: Any,
    ddbefore_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `backward_backward`."""
    _launcher.check_is_saved(saved, Saved, "dual_rms_norm")
    objects = [
        *_launcher.each_cotangent(cotangents, ("dy", "dr")),
        ddx_,
        ddresidual_,
        ddafter_,
        ddbefore_,
        *saved[3:],
        *_launcher.several(out, ("dx", "dresidual", "dafter", "dbefore", "ddy", "ddr")),
    ]
    return _launcher.DeviceCall(
        _LAYER, "backward_backward", _plan_backward_backward, saved, objects, *how
    )


def _plan_backward_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward_backward`."""
    plan.needs_one("cotangent", 0, 2)
    plan.needs_one("cotangent of a gradient", 2, 6)
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y", optional=True)
    dr_ = plan.cotangent("dr", "dr", _launcher.ROW, "r", optional=True)
    ddx_ = plan.tangent("ddx", "ddx", 0)
    ddresidual_ = plan.tangent("ddresidual", "ddresidual", 1)
    ddafter_ = plan.tangent("ddafter", "ddafter", 2)
    ddbefore_ = plan.tangent("ddbefore", "ddbefore", 3)
    x_, residual_, after_, before_, saved_rstd, saved_rstd_2 = _saved_values(plan)
    out_dx = plan.gradient(0, "dx", "dx")
    out_dresidual = plan.gradient(1, "dresidual", "dresidual")
    out_dafter = plan.gradient(2, "dafter", "dafter")
    out_dbefore = plan.gradient(3, "dbefore", "dbefore")
    out_ddy = plan.result("ddy", "ddy", _launcher.ROW, dy_)
    out_ddr = plan.result("ddr", "ddr", _launcher.ROW, dr_)
    plan.source = "second_order.cu"
    plan.sums = (2, 0)
    plan.launch(
        "dual_rms_norm_backward_backward",
        x_,
        residual_,
        dy_,
        dr_,
        ddx_,
        ddresidual_,
        saved_rstd,
        saved_rstd_2,
        after_,
        before_,
        ddafter_,
        ddbefore_,
        out_dx,
        out_dresidual,
        out_ddy,
        out_ddr,
        plan.workspace,
        plan.rows,
        plan.features,
    )
    plan.launch(
        "dual_rms_norm_backward_backward_columns",
        plan.workspace,
        plan.blocks,
        after_,
        before_,
        ddafter_,
        ddbefore_,
        out_dafter,
        out_dbefore,
        plan.features,
    )
