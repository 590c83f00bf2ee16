# Made by lngen 0.1.0 from the definition of kto; derivation.md has its steps, cost and evidence.
# Do not edit; edit kto.py and run: lngen derive kto.py
# definition sha256:de3dd6915e49139667037ffff069c8b13cc968ee4570928de49e68a89bba5cb0
"""Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.

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

    dlogp: Any


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`; see `numpy_backend.SecondGradients`."""

    dlogp: Any
    ddy: Any


class Saved(NamedTuple):
    """Values that `forward` saves; see `numpy_backend.Saved`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dtypes: tuple[np.dtype[Any] | None, ...]
    logp: _launcher.DeviceArray
    reference: _launcher.DeviceArray
    desirable: _launcher.DeviceArray
    divergence: _launcher.DeviceArray | None
    beta: float
    gain: float
    loss: float


# Aliases with an underscore, which no argument can have.
_Saved = Saved
_Gradients = Gradients
_SecondGradients = SecondGradients


@overload
def forward(
    logp: _launcher.DeviceArray,
    reference: _launcher.DeviceArray,
    desirable: _launcher.DeviceArray,
    divergence: _launcher.DeviceArray | None = None,
    *,
    beta: float = 0.1,
    gain: float = 1.0,
    loss: float = 1.0,
    save: Literal[True] = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved]: ...


@overload
def forward(
    logp: _launcher.DeviceArray,
    reference: _launcher.DeviceArray,
    desirable: _launcher.DeviceArray,
    divergence: _launcher.DeviceArray | None = None,
    *,
    beta: float = 0.1,
    gain: float = 1.0,
    loss: float = 1.0,
    save: bool,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved | None]: ...


def forward(
    logp: _launcher.DeviceArray,
    reference: _launcher.DeviceArray,
    desirable: _launcher.DeviceArray,
    divergence: _launcher.DeviceArray | None = None,
    *,
    beta: float = 0.1,
    gain: float = 1.0,
    loss: float = 1.0,
    save: bool = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved | None]:
    """Compute `numpy_backend.forward` on device arrays."""
    call_ = _forward(
        logp,
        reference,
        desirable,
        divergence,
        _launcher.finite("beta", beta),
        _launcher.finite("gain", gain),
        _launcher.finite("loss", loss),
        out,
        stream,
        workspace,
        like,
        bool(save),
    )
    outputs_ = call_.run()[0]
    return outputs_, _Saved(*call_.kept(0, 1, 2, 3, 4, 5, 6)) if save else None


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
    logp_dot: _launcher.DeviceArray | None = None,
    *,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Any:
    """Compute `numpy_backend.jvp` on device arrays."""
    call_ = _jvp(saved, logp_dot, out, stream, workspace, like)
    return call_.run()[0]


def backward_backward(
    saved: Saved,
    cotangents: _launcher.DeviceArray | Sequence[_launcher.DeviceArray | None],
    ddlogp: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> SecondGradients:
    """Compute `numpy_backend.backward_backward` on device arrays."""
    call_ = _backward_backward(saved, cotangents, ddlogp, out, stream, workspace, like)
    return _SecondGradients(*call_.run())


def saved_from(
    *,
    logp: _launcher.DeviceArray,
    reference: _launcher.DeviceArray,
    desirable: _launcher.DeviceArray,
    divergence: _launcher.DeviceArray | None = None,
    beta: float,
    gain: float,
    loss: float,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields; see `numpy_backend.saved_from`."""
    fields_ = (logp, reference, desirable, divergence, beta, gain, loss)
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
        "forward": (_forward, 4, 3),
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
    "kto",
    Saved,
    Path(__file__).parent,
    1,
    (
        _launcher.DeviceInput("logp", _launcher.ROW, "logp", leading=True),
        _launcher.DeviceInput("reference", _launcher.ROW, "reference"),
        _launcher.DeviceInput("desirable", _launcher.ROW, "desirable", integers=True),
        _launcher.DeviceInput("divergence", _launcher.ROW, "divergence", optional=True),
    ),
)


def _saved_values(plan: _launcher.LaunchPlan) -> Any:
    """Check the saved values, and return them."""
    logp_ = plan.saved_input("logp", 0)
    reference_ = plan.saved_input("reference", 1)
    desirable_ = plan.saved_input("desirable", 2)
    divergence_ = plan.saved_input("divergence", 3)
    beta_ = plan.constant()
    gain_ = plan.constant()
    loss_ = plan.constant()
    return (logp_, reference_, desirable_, divergence_, beta_, gain_, loss_)


def _forward(
    logp_: Any,
    reference_: Any,
    desirable_: Any,
    divergence_: Any,
    beta_: Any,
    gain_: Any,
    loss_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `forward`."""
    objects = [logp_, reference_, desirable_, divergence_, beta_, gain_, loss_, out]
    return _launcher.DeviceCall(_LAYER, "forward", _plan_forward, None, objects, *how)


def _plan_forward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `forward`."""
    logp_, reference_, desirable_, divergence_ = plan.inputs()
    beta_ = plan.constant()
    gain_ = plan.constant()
    loss_ = plan.constant()
    out_y = plan.result("y", "y", _launcher.ROW)
    plan.source = "kernels.cu"
    plan.launch(
        "kto_forward",
        logp_,
        reference_,
        desirable_,
        divergence_,
        beta_,
        gain_,
        loss_,
        out_y,
        plan.rows,
        plan.features,
    )


def _backward(saved: Any, dy_: Any, out: Any, *how: Any) -> _launcher.DeviceCall:
    """Make a call of `backward`."""
    _launcher.check_is_saved(saved, Saved, "kto")
    objects = [dy_, *saved[3:], *_launcher.several(out, ("dlogp",))]
    objects[5] = _launcher.finite("saved.beta", objects[5])
    objects[6] = _launcher.finite("saved.gain", objects[6])
    objects[7] = _launcher.finite("saved.loss", objects[7])
    return _launcher.DeviceCall(
        _LAYER, "backward", _plan_backward, saved, objects, *how
    )


def _plan_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward`."""
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y")
    logp_, reference_, desirable_, divergence_, beta_, gain_, loss_ = _saved_values(
        plan
    )
    out_dlogp = plan.gradient(0, "dlogp", "dlogp")
    plan.source = "kernels.cu"
    plan.launch(
        "kto_backward",
        logp_,
        reference_,
        desirable_,
        divergence_,
        dy_,
        beta_,
        gain_,
        loss_,
        out_dlogp,
        plan.rows,
        plan.features,
    )


def _jvp(saved: Any, logp_dot_: Any, out: Any, *how: Any) -> _launcher.DeviceCall:
    """Make a call of `jvp`."""
    _launcher.check_is_saved(saved, Saved, "kto")
    objects = [logp_dot_, *saved[3:], out]
    objects[5] = _launcher.finite("saved.beta", objects[5])
    objects[6] = _launcher.finite("saved.gain", objects[6])
    objects[7] = _launcher.finite("saved.loss", objects[7])
    return _launcher.DeviceCall(_LAYER, "jvp", _plan_jvp, saved, objects, *how)


def _plan_jvp(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `jvp`."""
    plan.needs_one("tangent", 0, 1)
    logp_dot_ = plan.tangent("logp_dot", "logp_dot", 0)
    logp_, reference_, desirable_, divergence_, beta_, gain_, loss_ = _saved_values(
        plan
    )
    out_y_dot = plan.result("y_dot", "y_dot", _launcher.ROW)
    plan.source = "second_order.cu"
    plan.launch(
        "kto_jvp",
        logp_,
        reference_,
        desirable_,
        divergence_,
        logp_dot_,
        beta_,
        gain_,
        loss_,
        out_y_dot,
        plan.rows,
        plan.features,
    )


def _backward_backward(
    saved: Any, cotangents: Any, ddlogp_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `backward_backward`."""
    _launcher.check_is_saved(saved, Saved, "kto")
    objects = [
        *_launcher.each_cotangent(cotangents, ("dy",)),
        ddlogp_,
        *saved[3:],
        *_launcher.several(out, ("dlogp", "ddy")),
    ]
    objects[6] = _launcher.finite("saved.beta", objects[6])
    objects[7] = _launcher.finite("saved.gain", objects[7])
    objects[8] = _launcher.finite("saved.loss", objects[8])
    return _launcher.DeviceCall(
        _LAYER, "backward_backward", _plan_backward_backward, saved, objects, *how
    )


def _plan_backward_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward_backward`."""
    plan.needs_one("cotangent of a gradient", 1, 2)
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y")
    ddlogp_ = plan.tangent("ddlogp", "ddlogp", 0)
    logp_, reference_, desirable_, divergence_, beta_, gain_, loss_ = _saved_values(
        plan
    )
    out_dlogp = plan.gradient(0, "dlogp", "dlogp")
    out_ddy = plan.result("ddy", "ddy", _launcher.ROW, dy_)
    plan.source = "second_order.cu"
    plan.launch(
        "kto_backward_backward",
        logp_,
        reference_,
        desirable_,
        divergence_,
        dy_,
        ddlogp_,
        beta_,
        gain_,
        loss_,
        out_dlogp,
        out_ddy,
        plan.rows,
        plan.features,
    )
