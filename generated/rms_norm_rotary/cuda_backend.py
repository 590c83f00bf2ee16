# Made by lngen 0.1.0 from the definition of rms_norm_rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_rotary.py and run: lngen derive rms_norm_rotary.py
# definition sha256:998fdf59ade695e9f5494b7d0184d1de3a356aa9ffc68ea8a8746fc047134e7a
"""Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.

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


class Outputs(NamedTuple):
    """Outputs of `forward`; see `numpy_backend.Outputs`."""

    y_0: Any
    y_1: Any


class Gradients(NamedTuple):
    """Gradients, see `numpy_backend.Gradients`."""

    da: Any
    db: Any
    dweight_0: Any
    dweight_1: Any


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`; see `numpy_backend.SecondGradients`."""

    da: Any
    db: Any
    dweight_0: Any
    dweight_1: Any
    ddy_0: Any
    ddy_1: Any


class Saved(NamedTuple):
    """Values that `forward` saves; see `numpy_backend.Saved`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dtypes: tuple[np.dtype[Any] | None, ...]
    a: _launcher.DeviceArray
    b: _launcher.DeviceArray
    cosine: _launcher.DeviceArray
    sine: _launcher.DeviceArray
    weight_0: _launcher.DeviceArray | None
    weight_1: _launcher.DeviceArray | None
    rstd: _launcher.DeviceArray


# Aliases with an underscore, which no argument can have.
_Saved = Saved
_Outputs = Outputs
_Gradients = Gradients
_SecondGradients = SecondGradients


@overload
def forward(
    a: _launcher.DeviceArray,
    b: _launcher.DeviceArray,
    cosine: _launcher.DeviceArray,
    sine: _launcher.DeviceArray,
    weight_0: _launcher.DeviceArray | None = None,
    weight_1: _launcher.DeviceArray | None = None,
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
    a: _launcher.DeviceArray,
    b: _launcher.DeviceArray,
    cosine: _launcher.DeviceArray,
    sine: _launcher.DeviceArray,
    weight_0: _launcher.DeviceArray | None = None,
    weight_1: _launcher.DeviceArray | None = None,
    *,
    eps: float = 1e-6,
    save: bool,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Outputs, Saved | None]: ...


def forward(
    a: _launcher.DeviceArray,
    b: _launcher.DeviceArray,
    cosine: _launcher.DeviceArray,
    sine: _launcher.DeviceArray,
    weight_0: _launcher.DeviceArray | None = None,
    weight_1: _launcher.DeviceArray | None = None,
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
        a,
        b,
        cosine,
        sine,
        weight_0,
        weight_1,
        _launcher.finite("eps", eps, signed=False),
        out,
        stream,
        workspace,
        like,
        bool(save),
    )
    outputs_ = _Outputs(*call_.run())
    return outputs_, _Saved(*call_.kept(0, 1, 2, 3, 4, 5, 9)) if save else None


def backward(
    saved: Saved,
    dy_0: _launcher.DeviceArray | None,
    dy_1: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Gradients:
    """Compute `numpy_backend.backward` on device arrays."""
    call_ = _backward(saved, dy_0, dy_1, out, stream, workspace, like)
    return _Gradients(*call_.run())


def jvp(
    saved: Saved,
    a_dot: _launcher.DeviceArray | None = None,
    b_dot: _launcher.DeviceArray | None = None,
    weight_0_dot: _launcher.DeviceArray | None = None,
    weight_1_dot: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Outputs:
    """Compute `numpy_backend.jvp` on device arrays."""
    call_ = _jvp(
        saved, a_dot, b_dot, weight_0_dot, weight_1_dot, out, stream, workspace, like
    )
    return _Outputs(*call_.run())


def backward_backward(
    saved: Saved,
    cotangents: Sequence[_launcher.DeviceArray | None],
    dda: _launcher.DeviceArray | None = None,
    ddb: _launcher.DeviceArray | None = None,
    ddweight_0: _launcher.DeviceArray | None = None,
    ddweight_1: _launcher.DeviceArray | None = None,
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
        dda,
        ddb,
        ddweight_0,
        ddweight_1,
        out,
        stream,
        workspace,
        like,
    )
    return _SecondGradients(*call_.run())


def saved_from(
    *,
    a: _launcher.DeviceArray,
    b: _launcher.DeviceArray,
    cosine: _launcher.DeviceArray,
    sine: _launcher.DeviceArray,
    weight_0: _launcher.DeviceArray | None = None,
    weight_1: _launcher.DeviceArray | None = None,
    rstd: _launcher.DeviceArray,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields; see `numpy_backend.saved_from`."""
    fields_ = (a, b, cosine, sine, weight_0, weight_1, rstd)
    saved_: _Saved = _launcher.saved_from(
        _LAYER, _saved_values, INTERFACE, fields_, shape, dtype, dtypes
    )
    return saved_


def workspace_bytes(direction: str, *arguments: Any, out: Any = None) -> int:
    """Return the bytes that a call needs as `workspace`.

    `direction` is the name of a function, and `arguments` are its positional arguments:
    `workspace_bytes("backward", saved, dy_0)`.
    With `out` and `workspace` given, a call allocates nothing once its kernels are loaded. The
    function of this name in `_runtime/cuda/launcher.py` describes the content.
    """
    calls_ = {
        "forward": (_forward, 6, 1),
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
    "rms_norm_rotary",
    Saved,
    Path(__file__).parent,
    1,
    (
        _launcher.DeviceInput("a", _launcher.ROW, "a", leading=True),
        _launcher.DeviceInput("b", _launcher.ROW, "b", leading=True),
        _launcher.DeviceInput("cosine", _launcher.ROW, "cosine"),
        _launcher.DeviceInput("sine", _launcher.ROW, "sine"),
        _launcher.DeviceInput("weight_0", _launcher.FEATURE, "weight_0", optional=True),
        _launcher.DeviceInput("weight_1", _launcher.FEATURE, "weight_1", optional=True),
    ),
)


def _saved_values(plan: _launcher.LaunchPlan) -> Any:
    """Check the saved values, and return them."""
    a_ = plan.saved_input("a", 0)
    b_ = plan.saved_input("b", 1)
    cosine_ = plan.saved_input("cosine", 2)
    sine_ = plan.saved_input("sine", 3)
    weight_0_ = plan.saved_input("weight_0", 4)
    weight_1_ = plan.saved_input("weight_1", 5)
    saved_rstd = plan.saved_row_scalar("rstd", "saved rstd")
    return (a_, b_, cosine_, sine_, weight_0_, weight_1_, saved_rstd)


def _forward(
    a_: Any,
    b_: Any,
    cosine_: Any,
    sine_: Any,
    weight_0_: Any,
    weight_1_: Any,
    eps_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `forward`."""
    objects = [
        a_,
        b_,
        cosine_,
        sine_,
        weight_0_,
        weight_1_,
        eps_,
        *_launcher.several(out, ("y_0", "y_1")),
        None,
    ]
    return _launcher.DeviceCall(_LAYER, "forward", _plan_forward, None, objects, *how)


def _plan_forward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `forward`."""
    a_, b_, cosine_, sine_, weight_0_, weight_1_ = plan.inputs()
    eps_ = plan.constant()
    out_y_0 = plan.result("y_0", "y_0", _launcher.ROW)
    out_y_1 = plan.result("y_1", "y_1", _launcher.ROW)
    saved_rstd = plan.row_scalars("saved rstd")[0]
    plan.source = "kernels.cu"
    plan.launch(
        "rms_norm_rotary_forward",
        a_,
        b_,
        cosine_,
        sine_,
        weight_0_,
        weight_1_,
        eps_,
        out_y_0,
        out_y_1,
        saved_rstd,
        plan.rows,
        plan.features,
    )


def _backward(
    saved: Any, dy_0_: Any, dy_1_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `backward`."""
    _launcher.check_is_saved(saved, Saved, "rms_norm_rotary")
    objects = [
        dy_0_,
        dy_1_,
        *saved[3:],
        *_launcher.several(out, ("da", "db", "dweight_0", "dweight_1")),
    ]
    return _launcher.DeviceCall(
        _LAYER, "backward", _plan_backward, saved, objects, *how
    )


def _plan_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward`."""
    plan.needs_one("cotangent", 0, 2)
    dy_0_ = plan.cotangent("dy_0", "dy_0", _launcher.ROW, "y_0", optional=True)
    dy_1_ = plan.cotangent("dy_1", "dy_1", _launcher.ROW, "y_1", optional=True)
    a_, b_, cosine_, sine_, weight_0_, weight_1_, saved_rstd = _saved_values(plan)
    out_da = plan.gradient(0, "da", "da")
    out_db = plan.gradient(1, "db", "db")
    out_dweight_0 = plan.gradient(4, "dweight_0", "dweight_0")
    out_dweight_1 = plan.gradient(5, "dweight_1", "dweight_1")
    plan.source = "kernels.cu"
    plan.sums = (2, 0)
    plan.launch(
        "rms_norm_rotary_backward",
        a_,
        b_,
        cosine_,
        sine_,
        dy_0_,
        dy_1_,
        saved_rstd,
        weight_0_,
        weight_1_,
        out_da,
        out_db,
        plan.workspace,
        plan.rows,
        plan.features,
    )
    plan.launch(
        "rms_norm_rotary_backward_columns",
        plan.workspace,
        plan.blocks,
        weight_0_,
        weight_1_,
        out_dweight_0,
        out_dweight_1,
        plan.features,
    )


def _jvp(
    saved: Any,
    a_dot_: Any,
    b_dot_: Any,
    weight_0_dot_: Any,
    weight_1_dot_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `jvp`."""
    _launcher.check_is_saved(saved, Saved, "rms_norm_rotary")
    objects = [
        a_dot_,
        b_dot_,
        weight_0_dot_,
        weight_1_dot_,
        *saved[3:],
        *_launcher.several(out, ("y_0_dot", "y_1_dot")),
    ]
    return _launcher.DeviceCall(_LAYER, "jvp", _plan_jvp, saved, objects, *how)


def _plan_jvp(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `jvp`."""
    plan.needs_one("tangent", 0, 4)
    a_dot_ = plan.tangent("a_dot", "a_dot", 0)
    b_dot_ = plan.tangent("b_dot", "b_dot", 1)
    weight_0_dot_ = plan.tangent("weight_0_dot", "weight_0_dot", 4)
    weight_1_dot_ = plan.tangent("weight_1_dot", "weight_1_dot", 5)
    a_, b_, cosine_, sine_, weight_0_, weight_1_, saved_rstd = _saved_values(plan)
    out_y_0_dot = plan.result("y_0_dot", "y_0_dot", _launcher.ROW)
    out_y_1_dot = plan.result("y_1_dot", "y_1_dot", _launcher.ROW)
    plan.source = "second_order.cu"
    plan.launch(
        "rms_norm_rotary_jvp",
        a_,
        b_,
        cosine_,
        sine_,
        a_dot_,
        b_dot_,
        saved_rstd,
        weight_0_,
        weight_1_,
        weight_0_dot_,
        weight_1_dot_,
        out_y_0_dot,
        out_y_1_dot,
        plan.rows,
        plan.features,
    )


def _backward_backward(
    saved: Any,
    cotangents: Any,
    dda_: Any,
    ddb_: Any,
    ddweight_0_: Any,
    ddweight_1_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `backward_backward`."""
    _launcher.check_is_saved(saved, Saved, "rms_norm_rotary")
    objects = [
        *_launcher.each_cotangent(cotangents, ("dy_0", "dy_1")),
        dda_,
        ddb_,
        ddweight_0_,
        ddweight_1_,
        *saved[3:],
        *_launcher.several(
            out, ("da", "db", "dweight_0", "dweight_1", "ddy_0", "ddy_1")
        ),
    ]
    return _launcher.DeviceCall(
        _LAYER, "backward_backward", _plan_backward_backward, saved, objects, *how
    )


def _plan_backward_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward_backward`."""
    plan.needs_one("cotangent", 0, 2)
    plan.needs_one("cotangent of a gradient", 2, 6)
    dy_0_ = plan.cotangent("dy_0", "dy_0", _launcher.ROW, "y_0", optional=True)
    dy_1_ = plan.cotangent("dy_1", "dy_1", _launcher.ROW, "y_1", optional=True)
    dda_ = plan.tangent("dda", "dda", 0)
    ddb_ = plan.tangent("ddb", "ddb", 1)
    ddweight_0_ = plan.tangent("ddweight_0", "ddweight_0", 4)
    ddweight_1_ = plan.tangent("ddweight_1", "ddweight_1", 5)
    a_, b_, cosine_, sine_, weight_0_, weight_1_, saved_rstd = _saved_values(plan)
    out_da = plan.gradient(0, "da", "da")
    out_db = plan.gradient(1, "db", "db")
    out_dweight_0 = plan.gradient(4, "dweight_0", "dweight_0")
    out_dweight_1 = plan.gradient(5, "dweight_1", "dweight_1")
    out_ddy_0 = plan.result("ddy_0", "ddy_0", _launcher.ROW, dy_0_)
    out_ddy_1 = plan.result("ddy_1", "ddy_1", _launcher.ROW, dy_1_)
    plan.source = "second_order.cu"
    plan.sums = (2, 0)
    plan.launch(
        "rms_norm_rotary_backward_backward",
        a_,
        b_,
        cosine_,
        sine_,
        dy_0_,
        dy_1_,
        dda_,
        ddb_,
        saved_rstd,
        weight_0_,
        weight_1_,
        ddweight_0_,
        ddweight_1_,
        out_da,
        out_db,
        out_ddy_0,
        out_ddy_1,
        plan.workspace,
        plan.rows,
        plan.features,
    )
    plan.launch(
        "rms_norm_rotary_backward_backward_columns",
        plan.workspace,
        plan.blocks,
        weight_0_,
        weight_1_,
        ddweight_0_,
        ddweight_1_,
        out_dweight_0,
        out_dweight_1,
        plan.features,
    )
