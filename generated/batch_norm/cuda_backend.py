# Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
# definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
"""Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.

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
    mu: Any
    var: Any


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
    ddmu: Any
    ddvar: Any


class Saved(NamedTuple):
    """Values that `forward` saves; see `numpy_backend.Saved`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dtypes: tuple[np.dtype[Any] | None, ...]
    x: _launcher.DeviceArray
    gamma: _launcher.DeviceArray | None
    mu_saved: _launcher.DeviceArray
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
    gamma: _launcher.DeviceArray | None = None,
    beta: _launcher.DeviceArray | None = None,
    *,
    eps: float = 1e-5,
    save: Literal[True] = True,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Outputs, Saved]: ...


@overload
def forward(
    x: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    beta: _launcher.DeviceArray | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Outputs, Saved | None]: ...


def forward(
    x: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    beta: _launcher.DeviceArray | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Outputs, Saved | None]:
    """Compute `numpy_backend.forward` on device arrays."""
    call_ = _forward(
        x,
        gamma,
        beta,
        _launcher.finite("eps", eps, signed=False),
        out,
        stream,
        workspace,
        like,
        bool(save),
    )
    outputs_ = _Outputs(*call_.run())
    return outputs_, _Saved(*call_.kept(0, 1, 7, 8, 9)) if save else None


def backward(
    saved: Saved,
    dy: _launcher.DeviceArray | None,
    dmu: _launcher.DeviceArray | None = None,
    dvar: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Gradients:
    """Compute `numpy_backend.backward` on device arrays."""
    call_ = _backward(saved, dy, dmu, dvar, out, stream, workspace, like)
    return _Gradients(*call_.run())


def jvp(
    saved: Saved,
    x_dot: _launcher.DeviceArray | None = None,
    gamma_dot: _launcher.DeviceArray | None = None,
    beta_dot: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Outputs:
    """Compute `numpy_backend.jvp` on device arrays."""
    call_ = _jvp(saved, x_dot, gamma_dot, beta_dot, out, stream, workspace, like)
    return _Outputs(*call_.run())


def backward_backward(
    saved: Saved,
    cotangents: Sequence[_launcher.DeviceArray | None],
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
    call_ = _backward_backward(
        saved, cotangents, ddx, ddgamma, ddbeta, out, stream, workspace, like
    )
    return _SecondGradients(*call_.run())


def saved_from(
    *,
    x: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    mu_saved: _launcher.DeviceArray,
    mu_residual: _launcher.DeviceArray,
    rstd: _launcher.DeviceArray,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields; see `numpy_backend.saved_from`."""
    fields_ = (x, gamma, mu_saved, mu_residual, rstd)
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
        "forward": (_forward, 3, 1),
        "backward": (_backward, 4, 0),
        "jvp": (_jvp, 4, 0),
        "backward_backward": (_backward_backward, 5, 0),
    }
    return _launcher.workspace_bytes(calls_, direction, arguments, out)


def compilations() -> int:
    """Return the number of compiler runs of this process; 0 while the cache suffices."""
    return _launcher.compilations()


# Calls that differ in addresses and numbers alone are planned once: their values are named
# in order, with an underscore behind the names of the layer, and checked.

_LAYER = _launcher.DeviceLayer(
    "batch_norm",
    Saved,
    Path(__file__).parent,
    1,
    (
        _launcher.DeviceInput("x", _launcher.ROW, "x", leading=True),
        _launcher.DeviceInput("gamma", _launcher.ROW_SCALAR, "gamma", optional=True),
        _launcher.DeviceInput("beta", _launcher.ROW_SCALAR, "beta", optional=True),
    ),
)


def _saved_values(plan: _launcher.LaunchPlan) -> Any:
    """Check the saved values, and return them."""
    x_ = plan.saved_input("x", 0)
    gamma_ = plan.saved_input("gamma", 1)
    saved_mu_saved = plan.saved_row_scalar("mu_saved", "saved mu_saved")
    saved_mu_residual = plan.saved_row_scalar("mu_residual", "saved mu_residual")
    saved_rstd = plan.saved_row_scalar("rstd", "saved rstd")
    return (x_, gamma_, saved_mu_saved, saved_mu_residual, saved_rstd)


def _forward(
    x_: Any, gamma_: Any, beta_: Any, eps_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `forward`."""
    objects = [
        x_,
        gamma_,
        beta_,
        eps_,
        *_launcher.several(out, ("y", "mu", "var")),
        None,
        None,
        None,
    ]
    return _launcher.DeviceCall(_LAYER, "forward", _plan_forward, None, objects, *how)


def _plan_forward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `forward`."""
    x_, gamma_, beta_ = plan.inputs()
    eps_ = plan.constant()
    out_y = plan.result("y", "y", _launcher.ROW)
    out_mu = plan.result("mu", "mu", _launcher.ROW_SCALAR)
    out_var = plan.result("var", "var", _launcher.ROW_SCALAR)
    saved_mu_saved, saved_mu_residual, saved_rstd = plan.row_scalars(
        "saved mu_saved", "saved mu_residual", "saved rstd"
    )
    plan.source = "kernels.cu"
    plan.launch(
        "batch_norm_forward",
        x_,
        gamma_,
        beta_,
        eps_,
        out_y,
        out_mu,
        out_var,
        saved_mu_saved,
        saved_mu_residual,
        saved_rstd,
        plan.rows,
        plan.features,
    )


def _backward(
    saved: Any, dy_: Any, dmu_: Any, dvar_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `backward`."""
    _launcher.check_is_saved(saved, Saved, "batch_norm")
    objects = [
        dy_,
        dmu_,
        dvar_,
        *saved[3:],
        *_launcher.several(out, ("dx", "dgamma", "dbeta")),
    ]
    return _launcher.DeviceCall(
        _LAYER, "backward", _plan_backward, saved, objects, *how
    )


def _plan_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward`."""
    plan.needs_one("cotangent", 0, 3)
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y", optional=True)
    dmu_ = plan.cotangent("dmu", "dmu", _launcher.ROW_SCALAR, "mu", optional=True)
    dvar_ = plan.cotangent("dvar", "dvar", _launcher.ROW_SCALAR, "var", optional=True)
    x_, gamma_, saved_mu_saved, saved_mu_residual, saved_rstd = _saved_values(plan)
    out_dx = plan.gradient(0, "dx", "dx")
    out_dgamma = plan.gradient(1, "dgamma", "dgamma")
    out_dbeta = plan.gradient(2, "dbeta", "dbeta")
    plan.source = "kernels.cu"
    plan.launch(
        "batch_norm_backward",
        x_,
        gamma_,
        dy_,
        dmu_,
        dvar_,
        saved_mu_saved,
        saved_mu_residual,
        saved_rstd,
        out_dx,
        out_dgamma,
        out_dbeta,
        plan.rows,
        plan.features,
    )


def _jvp(
    saved: Any, x_dot_: Any, gamma_dot_: Any, beta_dot_: Any, out: Any, *how: Any
) -> _launcher.DeviceCall:
    """Make a call of `jvp`."""
    _launcher.check_is_saved(saved, Saved, "batch_norm")
    objects = [
        x_dot_,
        gamma_dot_,
        beta_dot_,
        *saved[3:],
        *_launcher.several(out, ("y_dot", "mu_dot", "var_dot")),
    ]
    return _launcher.DeviceCall(_LAYER, "jvp", _plan_jvp, saved, objects, *how)


def _plan_jvp(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `jvp`."""
    plan.needs_one("tangent", 0, 3)
    x_dot_ = plan.tangent("x_dot", "x_dot", 0)
    gamma_dot_ = plan.tangent("gamma_dot", "gamma_dot", 1)
    beta_dot_ = plan.tangent("beta_dot", "beta_dot", 2)
    x_, gamma_, _saved_mu_saved, saved_mu_residual, saved_rstd = _saved_values(plan)
    out_y_dot = plan.result("y_dot", "y_dot", _launcher.ROW)
    out_mu_dot = plan.result("mu_dot", "mu_dot", _launcher.ROW_SCALAR)
    out_var_dot = plan.result("var_dot", "var_dot", _launcher.ROW_SCALAR)
    plan.source = "second_order.cu"
    plan.launch(
        "batch_norm_jvp",
        x_,
        gamma_,
        x_dot_,
        gamma_dot_,
        beta_dot_,
        saved_mu_residual,
        saved_rstd,
        out_y_dot,
        out_mu_dot,
        out_var_dot,
        plan.rows,
        plan.features,
    )


def _backward_backward(
    saved: Any,
    cotangents: Any,
    ddx_: Any,
    ddgamma_: Any,
    ddbeta_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `backward_backward`."""
    _launcher.check_is_saved(saved, Saved, "batch_norm")
    objects = [
        *_launcher.each_cotangent(cotangents, ("dy", "dmu", "dvar")),
        ddx_,
        ddgamma_,
        ddbeta_,
        *saved[3:],
        *_launcher.several(out, ("dx", "dgamma", "dbeta", "ddy", "ddmu", "ddvar")),
    ]
    return _launcher.DeviceCall(
        _LAYER, "backward_backward", _plan_backward_backward, saved, objects, *how
    )


def _plan_backward_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward_backward`."""
    plan.needs_one("cotangent", 0, 3)
    plan.needs_one("cotangent of a gradient", 3, 6)
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y", optional=True)
    dmu_ = plan.cotangent("dmu", "dmu", _launcher.ROW_SCALAR, "mu", optional=True)
    dvar_ = plan.cotangent("dvar", "dvar", _launcher.ROW_SCALAR, "var", optional=True)
    ddx_ = plan.tangent("ddx", "ddx", 0)
    ddgamma_ = plan.tangent("ddgamma", "ddgamma", 1)
    ddbeta_ = plan.tangent("ddbeta", "ddbeta", 2)
    x_, gamma_, _saved_mu_saved, saved_mu_residual, saved_rstd = _saved_values(plan)
    out_dx = plan.gradient(0, "dx", "dx")
    out_dgamma = plan.gradient(1, "dgamma", "dgamma")
    out_dbeta = plan.gradient(2, "dbeta", "dbeta")
    out_ddy = plan.result("ddy", "ddy", _launcher.ROW, dy_)
    out_ddmu = plan.result("ddmu", "ddmu", _launcher.ROW_SCALAR, dmu_)
    out_ddvar = plan.result("ddvar", "ddvar", _launcher.ROW_SCALAR, dvar_)
    plan.source = "second_order.cu"
    plan.launch(
        "batch_norm_backward_backward",
        x_,
        gamma_,
        dy_,
        dmu_,
        dvar_,
        ddx_,
        ddgamma_,
        ddbeta_,
        saved_mu_residual,
        saved_rstd,
        out_dx,
        out_dgamma,
        out_dbeta,
        out_ddy,
        out_ddmu,
        out_ddvar,
        plan.rows,
        plan.features,
    )
