# Made by lngen 0.1.0 from the definition of dropout_add_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
# definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
"""Dropout, residual addition, then layer normalization; the sum is the second output.

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
    dresidual: Any
    dgamma: Any
    dbeta: Any


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`; see `numpy_backend.SecondGradients`."""

    dx: Any
    dresidual: Any
    dgamma: Any
    dbeta: Any
    ddy: Any
    ddh: Any


class Saved(NamedTuple):
    """Values that `forward` saves; see `numpy_backend.Saved`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    dtypes: tuple[np.dtype[Any] | None, ...]
    h: _launcher.DeviceArray
    seed: _launcher.DeviceArray
    gamma: _launcher.DeviceArray | None
    p: float
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
    residual: _launcher.DeviceArray,
    seed: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    beta: _launcher.DeviceArray | None = None,
    *,
    p: float = 0.1,
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
    residual: _launcher.DeviceArray,
    seed: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    beta: _launcher.DeviceArray | None = None,
    *,
    p: float = 0.1,
    eps: float = 1e-5,
    save: bool,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> tuple[Outputs, Saved | None]: ...


def forward(
    x: _launcher.DeviceArray,
    residual: _launcher.DeviceArray,
    seed: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    beta: _launcher.DeviceArray | None = None,
    *,
    p: float = 0.1,
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
        residual,
        seed,
        gamma,
        beta,
        _launcher.finite("p", p, signed=False),
        _launcher.finite("eps", eps, signed=False),
        out,
        stream,
        workspace,
        like,
        bool(save),
    )
    outputs_ = _Outputs(*call_.run())
    return outputs_, _Saved(*call_.kept(8, 2, 3, 5, 9, 10, 11)) if save else None


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
    residual_dot: _launcher.DeviceArray | None = None,
    gamma_dot: _launcher.DeviceArray | None = None,
    beta_dot: _launcher.DeviceArray | None = None,
    *,
    out: Sequence[_launcher.DeviceArray | None] | None = None,
    stream: Any = None,
    workspace: _launcher.DeviceArray | None = None,
    like: Any = None,
) -> Outputs:
    """Compute `numpy_backend.jvp` on device arrays."""
    call_ = _jvp(
        saved, x_dot, residual_dot, gamma_dot, beta_dot, out, stream, workspace, like
    )
    return _Outputs(*call_.run())


def backward_backward(
    saved: Saved,
    cotangents: Sequence[_launcher.DeviceArray | None],
    ddx: _launcher.DeviceArray | None = None,
    ddresidual: _launcher.DeviceArray | None = None,
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
        saved,
        cotangents,
        ddx,
        ddresidual,
        ddgamma,
        ddbeta,
        out,
        stream,
        workspace,
        like,
    )
    return _SecondGradients(*call_.run())


def saved_from(
    *,
    h: _launcher.DeviceArray,
    seed: _launcher.DeviceArray,
    gamma: _launcher.DeviceArray | None = None,
    p: float,
    mu: _launcher.DeviceArray,
    mu_residual: _launcher.DeviceArray,
    rstd: _launcher.DeviceArray,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields; see `numpy_backend.saved_from`."""
    fields_ = (h, seed, gamma, p, mu, mu_residual, rstd)
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
        "forward": (_forward, 5, 2),
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
    "dropout_add_layer_norm",
    Saved,
    Path(__file__).parent,
    1,
    (
        _launcher.DeviceInput("x", _launcher.ROW, "x", leading=True),
        _launcher.DeviceInput("residual", _launcher.ROW, "residual", leading=True),
        _launcher.DeviceInput("seed", _launcher.NUMBER, "seed", integers=True),
        _launcher.DeviceInput("gamma", _launcher.FEATURE, "gamma", optional=True),
        _launcher.DeviceInput("beta", _launcher.FEATURE, "beta", optional=True),
    ),
)


def _saved_values(plan: _launcher.LaunchPlan) -> Any:
    """Check the saved values, and return them."""
    h_ = plan.saved_output("h", "h", _launcher.ROW)
    seed_ = plan.saved_input("seed", 2)
    gamma_ = plan.saved_input("gamma", 3)
    p_ = plan.constant()
    saved_mu = plan.saved_row_scalar("mu", "saved mu")
    saved_mu_residual = plan.saved_row_scalar("mu_residual", "saved mu_residual")
    saved_rstd = plan.saved_row_scalar("rstd", "saved rstd")
    return (h_, seed_, gamma_, p_, saved_mu, saved_mu_residual, saved_rstd)


def _forward(
    x_: Any,
    residual_: Any,
    seed_: Any,
    gamma_: Any,
    beta_: Any,
    p_: Any,
    eps_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `forward`."""
    objects = [
        x_,
        residual_,
        seed_,
        gamma_,
        beta_,
        p_,
        eps_,
        *_launcher.several(out, ("y", "h")),
        None,
        None,
        None,
    ]
    return _launcher.DeviceCall(_LAYER, "forward", _plan_forward, None, objects, *how)


def _plan_forward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `forward`."""
    x_, residual_, seed_, gamma_, beta_ = plan.inputs()
    p_ = plan.constant()
    eps_ = plan.constant()
    out_y = plan.result("y", "y", _launcher.ROW)
    out_h = plan.result("h", "h", _launcher.ROW)
    saved_mu, saved_mu_residual, saved_rstd = plan.row_scalars(
        "saved mu", "saved mu_residual", "saved rstd"
    )
    plan.source = "kernels.cu"
    plan.launch(
        "dropout_add_layer_norm_forward",
        x_,
        residual_,
        seed_,
        gamma_,
        beta_,
        p_,
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
    _launcher.check_is_saved(saved, Saved, "dropout_add_layer_norm")
    objects = [
        dy_,
        dh_,
        *saved[3:],
        *_launcher.several(out, ("dx", "dresidual", "dgamma", "dbeta")),
    ]
    objects[5] = _launcher.finite("saved.p", objects[5])
    return _launcher.DeviceCall(
        _LAYER, "backward", _plan_backward, saved, objects, *how
    )


def _plan_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward`."""
    plan.needs_one("cotangent", 0, 2)
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y", optional=True)
    dh_ = plan.cotangent("dh", "dh", _launcher.ROW, "h", optional=True)
    h_, seed_, gamma_, p_, saved_mu, saved_mu_residual, saved_rstd = _saved_values(plan)
    out_dx = plan.gradient(0, "dx", "dx")
    out_dresidual = plan.gradient(1, "dresidual", "dresidual")
    out_dgamma = plan.gradient(3, "dgamma", "dgamma")
    out_dbeta = plan.gradient(4, "dbeta", "dbeta")
    plan.source = "kernels.cu"
    plan.sums = (2, 0)
    plan.launch(
        "dropout_add_layer_norm_backward",
        h_,
        dy_,
        dh_,
        saved_mu,
        saved_mu_residual,
        saved_rstd,
        seed_,
        gamma_,
        p_,
        out_dx,
        out_dresidual,
        plan.workspace,
        plan.rows,
        plan.features,
    )
    plan.launch(
        "dropout_add_layer_norm_backward_columns",
        plan.workspace,
        plan.blocks,
        seed_,
        gamma_,
        p_,
        out_dgamma,
        out_dbeta,
        plan.features,
    )


def _jvp(
    saved: Any,
    x_dot_: Any,
    residual_dot_: Any,
    gamma_dot_: Any,
    beta_dot_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `jvp`."""
    _launcher.check_is_saved(saved, Saved, "dropout_add_layer_norm")
    objects = [
        x_dot_,
        residual_dot_,
        gamma_dot_,
        beta_dot_,
        *saved[3:],
        *_launcher.several(out, ("y_dot", "h_dot")),
    ]
    objects[7] = _launcher.finite("saved.p", objects[7])
    return _launcher.DeviceCall(_LAYER, "jvp", _plan_jvp, saved, objects, *how)


def _plan_jvp(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `jvp`."""
    plan.needs_one("tangent", 0, 4)
    x_dot_ = plan.tangent("x_dot", "x_dot", 0)
    residual_dot_ = plan.tangent("residual_dot", "residual_dot", 1)
    gamma_dot_ = plan.tangent("gamma_dot", "gamma_dot", 3)
    beta_dot_ = plan.tangent("beta_dot", "beta_dot", 4)
    h_, seed_, gamma_, p_, saved_mu, saved_mu_residual, saved_rstd = _saved_values(plan)
    out_y_dot = plan.result("y_dot", "y_dot", _launcher.ROW)
    out_h_dot = plan.result("h_dot", "h_dot", _launcher.ROW)
    plan.source = "second_order.cu"
    plan.launch(
        "dropout_add_layer_norm_jvp",
        h_,
        x_dot_,
        residual_dot_,
        saved_mu,
        saved_mu_residual,
        saved_rstd,
        seed_,
        gamma_,
        p_,
        gamma_dot_,
        beta_dot_,
        out_y_dot,
        out_h_dot,
        plan.rows,
        plan.features,
    )


def _backward_backward(
    saved: Any,
    cotangents: Any,
    ddx_: Any,
    ddresidual_: Any,
    ddgamma_: Any,
    ddbeta_: Any,
    out: Any,
    *how: Any,
) -> _launcher.DeviceCall:
    """Make a call of `backward_backward`."""
    _launcher.check_is_saved(saved, Saved, "dropout_add_layer_norm")
    objects = [
        *_launcher.each_cotangent(cotangents, ("dy", "dh")),
        ddx_,
        ddresidual_,
        ddgamma_,
        ddbeta_,
        *saved[3:],
        *_launcher.several(out, ("dx", "dresidual", "dgamma", "dbeta", "ddy", "ddh")),
    ]
    objects[9] = _launcher.finite("saved.p", objects[9])
    return _launcher.DeviceCall(
        _LAYER, "backward_backward", _plan_backward_backward, saved, objects, *how
    )


def _plan_backward_backward(plan: _launcher.LaunchPlan) -> None:
    """Plan calls of `backward_backward`."""
    plan.needs_one("cotangent", 0, 2)
    plan.needs_one("cotangent of a gradient", 2, 6)
    dy_ = plan.cotangent("dy", "dy", _launcher.ROW, "y", optional=True)
    dh_ = plan.cotangent("dh", "dh", _launcher.ROW, "h", optional=True)
    ddx_ = plan.tangent("ddx", "ddx", 0)
    ddresidual_ = plan.tangent("ddresidual", "ddresidual", 1)
    ddgamma_ = plan.tangent("ddgamma", "ddgamma", 3)
    ddbeta_ = plan.tangent("ddbeta", "ddbeta", 4)
    h_, seed_, gamma_, p_, saved_mu, saved_mu_residual, saved_rstd = _saved_values(plan)
    out_dx = plan.gradient(0, "dx", "dx")
    out_dresidual = plan.gradient(1, "dresidual", "dresidual")
    out_dgamma = plan.gradient(3, "dgamma", "dgamma")
    out_dbeta = plan.gradient(4, "dbeta", "dbeta")
    out_ddy = plan.result("ddy", "ddy", _launcher.ROW, dy_)
    out_ddh = plan.result("ddh", "ddh", _launcher.ROW, dh_)
    plan.source = "second_order.cu"
    plan.sums = (1, 0)
    plan.launch(
        "dropout_add_layer_norm_backward_backward",
        h_,
        dy_,
        dh_,
        ddx_,
        ddresidual_,
        saved_mu,
        saved_mu_residual,
        saved_rstd,
        seed_,
        gamma_,
        p_,
        ddgamma_,
        ddbeta_,
        out_dx,
        out_dresidual,
        out_ddy,
        out_ddh,
        plan.workspace,
        plan.rows,
        plan.features,
    )
    plan.launch(
        "dropout_add_layer_norm_backward_backward_columns",
        plan.workspace,
        plan.blocks,
        seed_,
        gamma_,
        p_,
        ddgamma_,
        ddbeta_,
        out_dgamma,
        out_dbeta,
        plan.features,
    )
