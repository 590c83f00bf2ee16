# Made by lngen 0.1.0 from the definition of attention_residuals; derivation.md has its steps, cost and evidence.
# Do not edit; edit attention_residuals.py and run: lngen derive attention_residuals.py
# Open: exp overflows where rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:e5302ea861723779ede97452db2b86272be0da54d6d3887241623d08a4df7900
"""Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row.

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

    da: Any
    db: Any
    dc: Any
    dquery: Any


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`; see `numpy_backend.SecondGradients`."""

    da: Any
    db: Any
    dc: Any
    dquery: Any
    ddy: Any


class Saved(NamedTuple):
    """Values that `forward` saves; see `numpy_backend.Saved`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dtypes: tuple[np.dtype[Any] | None, ...]
    a: _launcher.DeviceArray
    b: _launcher.DeviceArray
    c: _launcher.DeviceArray
    query: _launcher.DeviceArray
    sum_a_query: _launcher.DeviceArray
    rstd: _launcher.DeviceArray
    sum_b_query: _launcher.DeviceArray
    rstd_2: _launcher.DeviceArray
    sum_c_query: _launcher.DeviceArray
    rstd_3: _launcher.DeviceArray
    p_shifted: _launcher.DeviceArray
    q_shifted: _launcher.DeviceArray
    r: _launcher.DeviceArray
    exp_largest_2: _launcher.DeviceArray
    exp_largest_2_scaled: _launcher.DeviceArray
    scale: _launcher.DeviceArray
    eps: float


# Aliases with an underscore, which no argument can have.
_Saved = Saved
_Gradients = Gradients
_SecondGradients = SecondGradients


@overload
def forward(
    a: _launcher.DeviceArray,
    b: _launcher.DeviceArray,
    c: _launcher.DeviceArray,
    query: _launcher.DeviceArray,
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved]: ...


@overload
def forward(
    a: _launcher.DeviceArray,
    b: _launcher.DeviceArray,
    c: _launcher.DeviceArray,
    query: _launcher.DeviceArray,
    *,
    eps: float = 1e-6,
    save: bool,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved | None]: ...


def forward(
    a: _launcher.DeviceArray,
    b: _launcher.DeviceArray,
    c: _launcher.DeviceArray,
    query: _launcher.DeviceArray,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Any, Saved | None]:
    """Compute `numpy_backend.forward` on device arrays."""
    call_ = _forward(
        a,
        b,
        c,
        query,
        _launcher.finite("eps", eps, signed=False),
        out,
        stream,
        workspace,
        like,
        bool(save),
    )
    outputs_ = call_.run()[0]
    return (
        outputs_,
        _Saved(*call_.kept(0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 4))
        if save
        else None,
    )


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
    a_dot: _launcher.DeviceArray | None = None,
    b_dot: _launcher.DeviceArray | None = None,
    c_dot: _launcher.DeviceArray | None = None,
    query_dot: _launcher.DeviceArray | None = None,
    *,
    out: _launcher.DeviceArray | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Any:
    """Compute `numpy_backend.jvp` on device arrays."""
    call_ = _jvp(saved, a_dot, b_dot, c_dot, query_dot, out, stream, workspace, like)
    return call_.run()[0]


def backward_backward(
    saved: Saved,
    cotangents: _launcher.DeviceArray | Sequence[_launcher.DeviceArray | None],
    dda: _launcher.DeviceArray | None = None,
    ddb: _launcher.DeviceArray | None = None,
    ddc: _launcher.DeviceArray | None = None,
    ddquery: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> SecondGradients:
    """Compute `numpy_backend.backward_backward` on device arrays."""
    call_ = _backward_backward(
        saved, cotangents, dda, ddb, ddc, ddquery, out, stream, workspace, like
    )
    return _SecondGradients(*call_.run())


def saved_from(
    *,
    a: _launcher.DeviceArray,
    b: _launcher.DeviceArray,
    c: _launcher.DeviceArray,
    query: _launcher.DeviceArray,
    sum_a_query: _launcher.DeviceArray,
    rstd: _launcher.DeviceArray,
    sum_b_query: _launcher.DeviceArray,
    rstd_2: _launcher.DeviceArray,
    sum_c_query: _launcher.DeviceArray,
    rstd_3: _launcher.DeviceArray,
    p_shifted: _launcher.DeviceArray,
    q_shifted: _launcher.DeviceArray,
    r: _launcher.DeviceArray,
    exp_largest_2: _launcher.DeviceArray,
    exp_largest_2_scaled: _launcher.DeviceArray,
    scale: _launcher.DeviceArray,
    eps: float,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields; see `numpy_backend.saved_from`."""
    fields_ = (
        a,
        b,
        c,
        query,
        sum_a_query,
        rstd,
        sum_b_query,
        rstd_2,
        sum_c_query,
        rstd_3,
        p_shifted,
        q_shifted,
        r,
        exp_largest_2,
        exp_largest_2_scaled,
        scale,
        eps,
    )
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
        "backward": (_backward, 2, 0),
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
    "attention_residuals",
    Saved,
    Path(__file__).parent,
    1,
    (
        _launcher.DeviceInput("a", _launcher.ROW, "a", leading=True),
        _launcher.DeviceInput("b", _launcher.ROW, "b", leading=True),
        _launcher.DeviceInput("c", _launcher.ROW, "c", leading=True),
        _launcher.DeviceInput("query", _launcher.FEATURE, "query"),
    ),
)


def _saved_values(plan: _launcher.LaunchPlan) -> Any:
    """Check the saved values, and return them."""
    a_ = plan.saved_input("a", 0)
    b_ = plan.saved_input("b", 1)
    c_ = plan.saved_input("c", 2)
    query_ = plan.saved_input("query", 3)
    saved_sum_a_query = plan.saved_row_scalar("sum_a_query", "saved sum_a_query")
    saved_rstd = plan.saved_row_scalar("rstd", "saved rstd")
    saved_sum_b_query = plan.saved_row_scalar("sum_b_query", "saved sum_b_query")
    saved_rstd_2 = plan.saved_row_scalar("rstd_2", "saved rstd_2")
    saved_sum_c_query = plan.saved_row_scalar("sum_c_query", "saved sum_c_query")
    saved_rstd_3 = plan.saved_row_scalar("rstd_3", "saved rstd_3")
    saved_p_shifted = plan.saved_row_scalar("p_shifted", "saved p_shifted")
    saved_q_shifted = plan.saved_row_scalar("q_shifted", "saved q_shifted")
    saved_r = plan.saved_row_scalar("r", "saved r")
    saved_exp_largest_2 = plan.saved_row_scalar("exp_largest_2", "saved exp_largest_2")
    saved_exp_largest_2_scaled = plan.saved_row_scalar(
        "exp_largest_2_scaled", "saved exp_largest_2_scaled"
    )
    saved_scale = plan.saved_row_scalar("scale", "saved scale")
    eps_ = plan.constant()
    return (
        a_,
        b_,
        c_,
        query_,
        saved_sum_a_query,
        saved_rstd,
        saved_sum_b_query,
        saved_rstd_2,
        saved_sum_c_query,
        saved_rstd_3,
        saved_p_shifted,
        saved_q_shifted,
        saved_r,
        saved_exp_largest_2,
        saved_exp_largest_2_scaled,
        saved_scale,
        eps_,
    )


def _forward(
    a_: Any, b_: Any, c_: Any, query_: Any, eps_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `forward`."""
    objects = [
        a_,
        b_,
        c_,
        query_,
        eps_,
        out,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        None,
    ]
    return _launcher.DeviceCall(_LAYER, "forward", _plan_forward, None, objects, *how)


def _plan_forward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `forward`."""
    a_, b_, c_, query_ = plan.inputs()
    eps_ = plan.constant()
    out_y = plan.result("y", "y", _launcher.ROW)
    (
        saved_sum_a_query,
        saved_rstd,
        saved_sum_b_query,
        saved_rstd_2,
        saved_sum_c_query,
        saved_rstd_3,
        saved_p_shifted,
        saved_q_shifted,
        saved_r,
        saved_exp_largest_2,
        saved_exp_largest_2_scaled,
        saved_scale,
    ) = plan.row_scalars(
        "saved sum_a_query",
        "saved rstd",
        "saved sum_b_query",
        "saved rstd_2",
        "saved sum_c_query",
        "saved rstd_3",
        "saved p_shifted",
        "saved q_shifted",
        "saved r",
        "saved exp_largest_2",
        "saved exp_largest_2_scaled",
        "saved scale",
    )
    plan.source = "kernels.cu"
    plan.launch(
        "attention_residuals_forward",
        a_,
        b_,
        c_,
        query_,
        eps_,
        out_y,
        saved_sum_a_query,
        saved_rstd,
        saved_sum_b_query,
        saved_rstd_2,
        saved_sum_c_query,
        saved_rstd_3,
        saved_p_shifted,
        saved_q_shifted,
        saved_r,
        saved_exp_largest_2,
        saved_exp_largest_2_scaled,
        saved_scale,
        plan.rows,
        plan.features,
    )


def _backward(saved: Any, dy_: Any, out: Any, *how: Any) -> _launcher.DeviceCall:
    """Make a call of `backward`."""
    _launcher.check_is_saved(saved, Saved, "attention_residuals")
    objects = [dy_, *saved[3:], *_launcher.several(out, ("da", "db", "dc", "dquery"))]
    objects[17] = _launcher.finite("saved.eps", objects[17])
    return _launcher.DeviceCall(
        _LAYER, "backward", _plan_backward, saved, objects, *how
    )


def _plan_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward`."""
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y")
    (
        a_,
        b_,
        c_,
        query_,
        saved_sum_a_query,
        saved_rstd,
        saved_sum_b_query,
        saved_rstd_2,
        saved_sum_c_query,
        saved_rstd_3,
        saved_p_shifted,
        saved_q_shifted,
        saved_r,
        saved_exp_largest_2,
        saved_exp_largest_2_scaled,
        saved_scale,
        _unused_eps,
    ) = _saved_values(plan)
    out_da = plan.gradient(0, "da", "da")
    out_db = plan.gradient(1, "db", "db")
    out_dc = plan.gradient(2, "dc", "dc")
    out_dquery = plan.gradient(3, "dquery", "dquery")
    plan.source = "kernels.cu"
    plan.sums = (1, 0)
    plan.launch(
        "attention_residuals_backward",
        a_,
        b_,
        c_,
        dy_,
        saved_sum_a_query,
        saved_rstd,
        saved_sum_b_query,
        saved_rstd_2,
        saved_sum_c_query,
        saved_rstd_3,
        saved_p_shifted,
        saved_q_shifted,
        saved_r,
        saved_exp_largest_2,
        saved_exp_largest_2_scaled,
        saved_scale,
        query_,
        out_da,
        out_db,
        out_dc,
        plan.workspace,
        plan.rows,
        plan.features,
    )
    plan.launch(
        "attention_residuals_backward_columns",
        plan.workspace,
        plan.blocks,
        query_,
        out_dquery,
        plan.features,
    )


def _jvp(
    saved: Any,
    a_dot_: Any,
    b_dot_: Any,
    c_dot_: Any,
    query_dot_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `jvp`."""
    _launcher.check_is_saved(saved, Saved, "attention_residuals")
    objects = [a_dot_, b_dot_, c_dot_, query_dot_, *saved[3:], out]
    objects[20] = _launcher.finite("saved.eps", objects[20])
    return _launcher.DeviceCall(_LAYER, "jvp", _plan_jvp, saved, objects, *how)


def _plan_jvp(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `jvp`."""
    plan.needs_one("tangent", 0, 4)
    a_dot_ = plan.tangent("a_dot", "a_dot", 0)
    b_dot_ = plan.tangent("b_dot", "b_dot", 1)
    c_dot_ = plan.tangent("c_dot", "c_dot", 2)
    query_dot_ = plan.tangent("query_dot", "query_dot", 3)
    (
        a_,
        b_,
        c_,
        query_,
        saved_sum_a_query,
        saved_rstd,
        saved_sum_b_query,
        saved_rstd_2,
        saved_sum_c_query,
        saved_rstd_3,
        saved_p_shifted,
        saved_q_shifted,
        saved_r,
        saved_exp_largest_2,
        saved_exp_largest_2_scaled,
        saved_scale,
        _unused_eps,
    ) = _saved_values(plan)
    out_y_dot = plan.result("y_dot", "y_dot", _launcher.ROW)
    plan.source = "second_order.cu"
    plan.launch(
        "attention_residuals_jvp",
        a_,
        b_,
        c_,
        a_dot_,
        b_dot_,
        c_dot_,
        saved_sum_a_query,
        saved_rstd,
        saved_sum_b_query,
        saved_rstd_2,
        saved_sum_c_query,
        saved_rstd_3,
        saved_p_shifted,
        saved_q_shifted,
        saved_r,
        saved_exp_largest_2,
        saved_exp_largest_2_scaled,
        saved_scale,
        query_,
        query_dot_,
        out_y_dot,
        plan.rows,
        plan.features,
    )


def _backward_backward(
    saved: Any,
    cotangents: Any,
    dda_: Any,
    ddb_: Any,
    ddc_: Any,
    ddquery_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `backward_backward`."""
    _launcher.check_is_saved(saved, Saved, "attention_residuals")
    objects = [
        *_launcher.each_cotangent(cotangents, ("dy",)),
        dda_,
        ddb_,
        ddc_,
        ddquery_,
        *saved[3:],
        *_launcher.several(out, ("da", "db", "dc", "dquery", "ddy")),
    ]
    objects[21] = _launcher.finite("saved.eps", objects[21])
    return _launcher.DeviceCall(
        _LAYER, "backward_backward", _plan_backward_backward, saved, objects, *how
    )


def _plan_backward_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward_backward`."""
    plan.needs_one("cotangent of a gradient", 1, 5)
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y")
    dda_ = plan.tangent("dda", "dda", 0)
    ddb_ = plan.tangent("ddb", "ddb", 1)
    ddc_ = plan.tangent("ddc", "ddc", 2)
    ddquery_ = plan.tangent("ddquery", "ddquery", 3)
    (
        a_,
        b_,
        c_,
        query_,
        saved_sum_a_query,
        saved_rstd,
        saved_sum_b_query,
        saved_rstd_2,
        saved_sum_c_query,
        saved_rstd_3,
        saved_p_shifted,
        saved_q_shifted,
        saved_r,
        saved_exp_largest_2,
        saved_exp_largest_2_scaled,
        saved_scale,
        eps_,
    ) = _saved_values(plan)
    out_da = plan.gradient(0, "da", "da")
    out_db = plan.gradient(1, "db", "db")
    out_dc = plan.gradient(2, "dc", "dc")
    out_dquery = plan.gradient(3, "dquery", "dquery")
    out_ddy = plan.result("ddy", "ddy", _launcher.ROW, dy_)
    plan.source = "second_order.cu"
    plan.sums = (1, 0)
    plan.launch(
        "attention_residuals_backward_backward",
        a_,
        b_,
        c_,
        dy_,
        dda_,
        ddb_,
        ddc_,
        saved_sum_a_query,
        saved_rstd,
        saved_sum_b_query,
        saved_rstd_2,
        saved_sum_c_query,
        saved_rstd_3,
        saved_p_shifted,
        saved_q_shifted,
        saved_r,
        saved_exp_largest_2,
        saved_exp_largest_2_scaled,
        saved_scale,
        query_,
        eps_,
        ddquery_,
        out_da,
        out_db,
        out_dc,
        out_ddy,
        plan.workspace,
        plan.rows,
        plan.features,
    )
    plan.launch(
        "attention_residuals_backward_backward_columns",
        plan.workspace,
        plan.blocks,
        query_,
        eps_,
        ddquery_,
        out_dquery,
        plan.features,
    )
