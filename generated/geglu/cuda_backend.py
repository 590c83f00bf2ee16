# Made by lngen 0.1.0 from the definition of geglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit geglu.py and run: lngen derive geglu.py
# definition sha256:8a199d9f756d9e149a24c860c84a624e5964b77f0da163fe0375a5ea2d4efc65
"""Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array.

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
from .._runtime.protocol.axes import without_axes as _without_axes
from . import numpy_backend as _numpy

INTERFACE = _without_axes(_numpy.INTERFACE)


class Gradients(NamedTuple):
    """Gradients, see `numpy_backend.Gradients`."""

    dgate: Any
    dvalue: Any


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`; see `numpy_backend.SecondGradients`."""

    dgate: Any
    dvalue: Any
    ddy: Any


class Saved(NamedTuple):
    """Values that `forward` saves; see `numpy_backend.Saved`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dtypes: tuple[np.dtype[Any] | None, ...]
    gate: _launcher.DeviceArray
    value: _launcher.DeviceArray


# Aliases with an underscore, which no argument can have.
_Saved = Saved
_Gradients = Gradients
_SecondGradients = SecondGradients


@overload
def forward(
    gate: _launcher.DeviceArray,
    value: _launcher.DeviceArray,
    *,
    save: Literal[True] = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved]: ...


@overload
def forward(
    gate: _launcher.DeviceArray,
    value: _launcher.DeviceArray,
    *,
    save: bool,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved | None]: ...


def forward(
    gate: _launcher.DeviceArray,
    value: _launcher.DeviceArray,
    *,
    save: bool = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved | None]:
    """Compute `numpy_backend.forward` on device arrays."""
    call_ = _forward(gate, value, out, stream, workspace, like, bool(save))
    outputs_ = call_.run()[0]
    return outputs_, _Saved(*call_.kept(0, 1)) if save else None


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
    gate_dot: _launcher.DeviceArray | None = None,
    value_dot: _launcher.DeviceArray | None = None,
    *,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Any:
    """Compute `numpy_backend.jvp` on device arrays."""
    call_ = _jvp(saved, gate_dot, value_dot, out, stream, workspace, like)
    return call_.run()[0]


def backward_backward(
    saved: Saved,
    cotangents: _launcher.DeviceArray | Sequence[_launcher.DeviceArray | None],
    ddgate: _launcher.DeviceArray | None = None,
    ddvalue: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> SecondGradients:
    """Compute `numpy_backend.backward_backward` on device arrays."""
    call_ = _backward_backward(
        saved, cotangents, ddgate, ddvalue, out, stream, workspace, like
    )
    return _SecondGradients(*call_.run())


def saved_from(
    *,
    gate: _launcher.DeviceArray,
    value: _launcher.DeviceArray,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields; see `numpy_backend.saved_from`."""
    fields_ = (gate, value)
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
        "forward": (_forward, 2, 0),
        "backward": (_backward, 2, 0),
        "jvp": (_jvp, 3, 0),
        "backward_backward": (_backward_backward, 4, 0),
    }
    return _launcher.workspace_bytes(calls_, direction, arguments, out)


def compilations() -> int:
    """Return the number of compiler runs of this process; 0 while the cache suffices."""
    return _launcher.compilations()


# Calls that differ in addresses and numbers alone are planned once: their values are named
# in order, with an underscore behind the names of the layer, and checked.

_LAYER = _launcher.DeviceLayer(
    "geglu",
    Saved,
    Path(__file__).parent,
    1,
    (
        _launcher.DeviceInput("gate", _launcher.ROW, "gate", leading=True),
        _launcher.DeviceInput("value", _launcher.ROW, "value", leading=True),
    ),
)


def _saved_values(plan: _launcher.LaunchPlan) -> Any:
    """Check the saved values, and return them."""
    gate_ = plan.saved_input("gate", 0)
    value_ = plan.saved_input("value", 1)
    return (gate_, value_)


def _forward(gate_: Any, value_: Any, out: Any, *how: Any) -> _launcher.DeviceCall:
    """Make a call of `forward`."""
    objects = [gate_, value_, out]
    return _launcher.DeviceCall(_LAYER, "forward", _plan_forward, None, objects, *how)


def _plan_forward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `forward`."""
    gate_, value_ = plan.inputs()
    out_y = plan.result("y", "y", _launcher.ROW)
    plan.source = "kernels.cu"
    plan.launch("geglu_forward", gate_, value_, out_y, plan.rows, plan.features)


def _backward(saved: Any, dy_: Any, out: Any, *how: Any) -> _launcher.DeviceCall:
    """Make a call of `backward`."""
    _launcher.check_is_saved(saved, Saved, "geglu")
    objects = [dy_, *saved[3:], *_launcher.several(out, ("dgate", "dvalue"))]
    return _launcher.DeviceCall(
        _LAYER, "backward", _plan_backward, saved, objects, *how
    )


def _plan_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward`."""
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y")
    gate_, value_ = _saved_values(plan)
    out_dgate = plan.gradient(0, "dgate", "dgate")
    out_dvalue = plan.gradient(1, "dvalue", "dvalue")
    plan.source = "kernels.cu"
    plan.launch(
        "geglu_backward",
        gate_,
        value_,
        dy_,
        out_dgate,
        out_dvalue,
        plan.rows,
        plan.features,
    )


def _jvp(
    saved: Any, gate_dot_: Any, value_dot_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `jvp`."""
    _launcher.check_is_saved(saved, Saved, "geglu")
    objects = [gate_dot_, value_dot_, *saved[3:], out]
    return _launcher.DeviceCall(_LAYER, "jvp", _plan_jvp, saved, objects, *how)


def _plan_jvp(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `jvp`."""
    plan.needs_one("tangent", 0, 2)
    gate_dot_ = plan.tangent("gate_dot", "gate_dot", 0)
    value_dot_ = plan.tangent("value_dot", "value_dot", 1)
    gate_, value_ = _saved_values(plan)
    out_y_dot = plan.result("y_dot", "y_dot", _launcher.ROW)
    plan.source = "second_order.cu"
    plan.launch(
        "geglu_jvp",
        gate_,
        value_,
        gate_dot_,
        value_dot_,
        out_y_dot,
        plan.rows,
        plan.features,
    )


def _backward_backward(
    saved: Any, cotangents: Any, ddgate_: Any, ddvalue_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `backward_backward`."""
    _launcher.check_is_saved(saved, Saved, "geglu")
    objects = [
        *_launcher.each_cotangent(cotangents, ("dy",)),
        ddgate_,
        ddvalue_,
        *saved[3:],
        *_launcher.several(out, ("dgate", "dvalue", "ddy")),
    ]
    return _launcher.DeviceCall(
        _LAYER, "backward_backward", _plan_backward_backward, saved, objects, *how
    )


def _plan_backward_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward_backward`."""
    plan.needs_one("cotangent of a gradient", 1, 3)
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y")
    ddgate_ = plan.tangent("ddgate", "ddgate", 0)
    ddvalue_ = plan.tangent("ddvalue", "ddvalue", 1)
    gate_, value_ = _saved_values(plan)
    out_dgate = plan.gradient(0, "dgate", "dgate")
    out_dvalue = plan.gradient(1, "dvalue", "dvalue")
    out_ddy = plan.result("ddy", "ddy", _launcher.ROW, dy_)
    plan.source = "second_order.cu"
    plan.launch(
        "geglu_backward_backward",
        gate_,
        value_,
        dy_,
        ddgate_,
        ddvalue_,
        out_dgate,
        out_dvalue,
        out_ddy,
        plan.rows,
        plan.features,
    )
