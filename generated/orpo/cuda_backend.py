# Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit orpo.py and run: lngen derive orpo.py
# definition sha256:cc81b3740291ed2a581da419d3b2894348bcf23301b624bcf39f7119e5818169
"""Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.

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

    dchosen: Any
    drejected: Any


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`; see `numpy_backend.SecondGradients`."""

    dchosen: Any
    drejected: Any
    ddy: Any


class Saved(NamedTuple):
    """Values that `forward` saves; see `numpy_backend.Saved`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dtypes: tuple[np.dtype[Any] | None, ...]
    chosen: _launcher.DeviceArray
    rejected: _launcher.DeviceArray
    weight: float
    least: float


# Aliases with an underscore, which no argument can have.
_Saved = Saved
_Gradients = Gradients
_SecondGradients = SecondGradients


@overload
def forward(
    chosen: _launcher.DeviceArray,
    rejected: _launcher.DeviceArray,
    *,
    weight: float = 0.1,
    least: float = 1e-7,
    save: Literal[True] = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved]: ...


@overload
def forward(
    chosen: _launcher.DeviceArray,
    rejected: _launcher.DeviceArray,
    *,
    weight: float = 0.1,
    least: float = 1e-7,
    save: bool,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved | None]: ...


def forward(
    chosen: _launcher.DeviceArray,
    rejected: _launcher.DeviceArray,
    *,
    weight: float = 0.1,
    least: float = 1e-7,
    save: bool = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved | None]:
    """Compute `numpy_backend.forward` on device arrays."""
    call_ = _forward(
        chosen,
        rejected,
        _launcher.finite("weight", weight),
        _launcher.finite("least", least, signed=False),
        out,
        stream,
        workspace,
        like,
        bool(save),
    )
    outputs_ = call_.run()[0]
    return outputs_, _Saved(*call_.kept(0, 1, 2, 3)) if save else None


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
    chosen_dot: _launcher.DeviceArray | None = None,
    rejected_dot: _launcher.DeviceArray | None = None,
    *,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Any:
    """Compute `numpy_backend.jvp` on device arrays."""
    call_ = _jvp(saved, chosen_dot, rejected_dot, out, stream, workspace, like)
    return call_.run()[0]


def backward_backward(
    saved: Saved,
    cotangents: _launcher.DeviceArray | Sequence[_launcher.DeviceArray | None],
    ddchosen: _launcher.DeviceArray | None = None,
    ddrejected: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> SecondGradients:
    """Compute `numpy_backend.backward_backward` on device arrays."""
    call_ = _backward_backward(
        saved, cotangents, ddchosen, ddrejected, out, stream, workspace, like
    )
    return _SecondGradients(*call_.run())


def saved_from(
    *,
    chosen: _launcher.DeviceArray,
    rejected: _launcher.DeviceArray,
    weight: float,
    least: float,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields; see `numpy_backend.saved_from`."""
    fields_ = (chosen, rejected, weight, least)
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
        "forward": (_forward, 2, 2),
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
    "orpo",
    Saved,
    Path(__file__).parent,
    1,
    (
        _launcher.DeviceInput("chosen", _launcher.ROW, "chosen", leading=True),
        _launcher.DeviceInput("rejected", _launcher.ROW, "rejected", leading=True),
    ),
)


def _saved_values(plan: _launcher.LaunchPlan) -> Any:
    """Check the saved values, and return them."""
    chosen_ = plan.saved_input("chosen", 0)
    rejected_ = plan.saved_input("rejected", 1)
    weight_ = plan.constant()
    least_ = plan.constant()
    return (chosen_, rejected_, weight_, least_)


def _forward(
    chosen_: Any, rejected_: Any, weight_: Any, least_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `forward`."""
    objects = [chosen_, rejected_, weight_, least_, out]
    return _launcher.DeviceCall(_LAYER, "forward", _plan_forward, None, objects, *how)


def _plan_forward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `forward`."""
    chosen_, rejected_ = plan.inputs()
    weight_ = plan.constant()
    least_ = plan.constant()
    out_y = plan.result("y", "y", _launcher.ROW)
    plan.source = "kernels.cu"
    plan.launch(
        "orpo_forward",
        chosen_,
        rejected_,
        weight_,
        least_,
        out_y,
        plan.rows,
        plan.features,
    )


def _backward(saved: Any, dy_: Any, out: Any, *how: Any) -> _launcher.DeviceCall:
    """Make a call of `backward`."""
    _launcher.check_is_saved(saved, Saved, "orpo")
    objects = [dy_, *saved[3:], *_launcher.several(out, ("dchosen", "drejected"))]
    objects[3] = _launcher.finite("saved.weight", objects[3])
    objects[4] = _launcher.finite("saved.least", objects[4])
    return _launcher.DeviceCall(
        _LAYER, "backward", _plan_backward, saved, objects, *how
    )


def _plan_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward`."""
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y")
    chosen_, rejected_, weight_, least_ = _saved_values(plan)
    out_dchosen = plan.gradient(0, "dchosen", "dchosen")
    out_drejected = plan.gradient(1, "drejected", "drejected")
    plan.source = "kernels.cu"
    plan.launch(
        "orpo_backward",
        chosen_,
        rejected_,
        dy_,
        weight_,
        least_,
        out_dchosen,
        out_drejected,
        plan.rows,
        plan.features,
    )


def _jvp(
    saved: Any, chosen_dot_: Any, rejected_dot_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `jvp`."""
    _launcher.check_is_saved(saved, Saved, "orpo")
    objects = [chosen_dot_, rejected_dot_, *saved[3:], out]
    objects[4] = _launcher.finite("saved.weight", objects[4])
    objects[5] = _launcher.finite("saved.least", objects[5])
    return _launcher.DeviceCall(_LAYER, "jvp", _plan_jvp, saved, objects, *how)


def _plan_jvp(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `jvp`."""
    plan.needs_one("tangent", 0, 2)
    chosen_dot_ = plan.tangent("chosen_dot", "chosen_dot", 0)
    rejected_dot_ = plan.tangent("rejected_dot", "rejected_dot", 1)
    chosen_, rejected_, weight_, least_ = _saved_values(plan)
    out_y_dot = plan.result("y_dot", "y_dot", _launcher.ROW)
    plan.source = "second_order.cu"
    plan.launch(
        "orpo_jvp",
        chosen_,
        rejected_,
        chosen_dot_,
        rejected_dot_,
        weight_,
        least_,
        out_y_dot,
        plan.rows,
        plan.features,
    )


def _backward_backward(
    saved: Any, cotangents: Any, ddchosen_: Any, ddrejected_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `backward_backward`."""
    _launcher.check_is_saved(saved, Saved, "orpo")
    objects = [
        *_launcher.each_cotangent(cotangents, ("dy",)),
        ddchosen_,
        ddrejected_,
        *saved[3:],
        *_launcher.several(out, ("dchosen", "drejected", "ddy")),
    ]
    objects[5] = _launcher.finite("saved.weight", objects[5])
    objects[6] = _launcher.finite("saved.least", objects[6])
    return _launcher.DeviceCall(
        _LAYER, "backward_backward", _plan_backward_backward, saved, objects, *how
    )


def _plan_backward_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward_backward`."""
    plan.needs_one("cotangent of a gradient", 1, 3)
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y")
    ddchosen_ = plan.tangent("ddchosen", "ddchosen", 0)
    ddrejected_ = plan.tangent("ddrejected", "ddrejected", 1)
    chosen_, rejected_, weight_, least_ = _saved_values(plan)
    out_dchosen = plan.gradient(0, "dchosen", "dchosen")
    out_drejected = plan.gradient(1, "drejected", "drejected")
    out_ddy = plan.result("ddy", "ddy", _launcher.ROW, dy_)
    plan.source = "second_order.cu"
    plan.launch(
        "orpo_backward_backward",
        chosen_,
        rejected_,
        dy_,
        ddchosen_,
        ddrejected_,
        weight_,
        least_,
        out_dchosen,
        out_drejected,
        out_ddy,
        plan.rows,
        plan.features,
    )
