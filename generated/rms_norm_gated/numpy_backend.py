# Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
"""A gate, silu of another row, then root-mean-square normalization."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import blocks as _blocks
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _saved
from . import numpy_kernels as _kernels
from . import numpy_second_order as _second_order

INTERFACE: _interface.Interface = {
    "name": "rms_norm_gated",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("z", "Row"),
        _interface.given("gamma", "Feature", default=1),
    ],
    "constants": [_interface.constant("eps", default=1e-5, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("z", "input", ["...", "D"]),
        _interface.saved("gamma", "input", ["D"]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("z"),
        _interface.gradient("gamma", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dz: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    dz: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    z: npt.NDArray[Any]  # argument z of forward
    gamma: npt.NDArray[Any] | None  # argument gamma of forward
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """A gate, silu of another row, then root-mean-square normalization.

        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        h = silu_z*x
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        hhat = rstd*h
        y = gamma*hhat

    Args:
        x: shape (..., D).
        z: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1, at no cost.
        eps: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has shape (..., D). `saved` is the argument of the other
    directions. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, z, gamma, eps, save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = gamma*dy
        dh = rstd*(g - hhat*mean(g*hhat))
        dx = dh*silu_z
        dz = dh*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
        dgamma = sum_rows(dy*hhat)

    Args:
        saved: the second result of `forward`.
        dy: the cotangent of y, in its shape.
        out: arrays to write to, as Gradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Gradients, each in the shape and type of its input.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _backward(_BACKWARD, saved, dy, out, threads)


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    z_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        h_dot = silu_z*x_dot + sigmoid_z*x*z_dot*(1 + z*(1 - sigmoid_z))
        y_dot = gamma_dot*hhat + rstd*gamma*(h_dot - hhat*mean(h_dot*hhat))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        z_dot: the tangent of z, in its shape; None stands for zero.
        gamma_dot: the tangent of gamma, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, z_dot, gamma_dot, out, threads)


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddz: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = gamma*dy
        mean_g_hhat = mean(g*hhat)
        dh = rstd*(g - mean_g_hhat*hhat)
        ddh = ddx*silu_z + ddz*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
        dg = rstd*(ddh - hhat*mean(ddh*hhat))
        d2h = rstd*(ddgamma*dy + rstd*(mean(ddh*hhat)*(3*mean_g_hhat*hhat - g) -
            mean_g_hhat*ddh - hhat*mean(ddh*g)) - hhat*mean(ddgamma*dy*hhat))
        d2silu_z = d2h*x + ddx*dh
        d2x = d2h*silu_z + ddz*dh*sigmoid_z*(1 + z*(1 - sigmoid_z))
        d2z = sigmoid_z*(d2silu_z + ddz*dh*x*(1 - sigmoid_z) + (1 -
            sigmoid_z)*(d2silu_z*z + ddz*dh*x*(1 + z*(1 - sigmoid_z) - silu_z)))
        d2gamma = sum_rows(dg*dy)
        ddy = gamma*dg + ddgamma*hhat

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddz: the cotangent of dz, in its shape; None stands for zero.
        ddgamma: the cotangent of dgamma, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dz is d2z, dgamma is
    d2gamma) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy, ddx, ddz, ddgamma, out, threads
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the shape of the rows; None if a field has it.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (x, z, gamma, rstd)
    first_ = _saved.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, *fields_)
    _check(saved_)
    return saved_


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    z: Any,
    gamma: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    z = _calls.array("z", z, True, may_be_labels=True)
    gamma = _calls.array("gamma", gamma, False)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shape("z", z, _shape, "the shape of x")
    _calls.check_shape("gamma", gamma, _shape[-1:], "(D,)")
    _read = (x, z, gamma)
    _dtypes = _calls.types(_read)
    _dtype = _calls.compute_type(_read)
    _given = {} if out is None else dict(zip(("x", "z", "gamma"), _read))
    y_ = _calls.result("y", out, _shape, x.dtype, _given, _by.empty)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _made = (y_, rstd_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(_made, _work, (x, z, _calls.parameter(gamma, _dtype), eps))
    _saved = Saved(_shape, _dtype, _dtypes, x, z, gamma, rstd_) if save else None
    _shown = y_ if out is None else out
    return _shown, _saved


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, out: Any, threads: Any
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_z, _of_gamma = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shape("dy", dy, _shape, "the shape of y")
    _read = (dy, saved.x, saved.z, saved.gamma, saved.rstd)
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(zip(("dy", "saved.x", "saved.z", "saved.gamma", "saved.rstd"), _read))
    )
    _out = _calls.several(out, ("dx", "dz", "dgamma"))
    dx_ = _calls.result("dx", _out[0], _shape, _of_x, _given, _by.empty)
    dz_ = _calls.result("dz", _out[1], _shape, _of_z, _given, _by.empty)
    dgamma_ = _calls.result(
        "dgamma", _out[2], _shape[-1:], _of_gamma, _given, _by.empty
    )
    _made = (dx_, dz_, dgamma_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (dy,),
        (saved.x, saved.z, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    return Gradients(*_calls.returned(_made, out))


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    z_dot: Any,
    gamma_dot: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_z, _of_gamma = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    z_dot = _calls.array("z_dot", z_dot, False)
    gamma_dot = _calls.array("gamma_dot", gamma_dot, False)
    _calls.check_any("tangent", x_dot, z_dot, gamma_dot)
    _calls.check_left_out("gamma_dot", gamma_dot, "gamma", _of_gamma)
    _shape = saved.shape
    _calls.check_shape("x_dot", x_dot, _shape, "the shape of x")
    _calls.check_shape("z_dot", z_dot, _shape, "the shape of z")
    _calls.check_shape("gamma_dot", gamma_dot, _shape[-1:], "the shape of gamma")
    _read = (x_dot, z_dot, gamma_dot, saved.x, saved.z, saved.gamma, saved.rstd)
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "x_dot",
                    "z_dot",
                    "gamma_dot",
                    "saved.x",
                    "saved.z",
                    "saved.gamma",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _given, _by.empty)
    _made = (y_dot_,)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (x_dot, z_dot, _calls.parameter(gamma_dot, _dtype)),
        (saved.x, saved.z, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    return y_dot_ if out is None else out


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddz: Any,
    ddgamma: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_z, _of_gamma = saved[2]
    dy = _calls.array("dy", dy, True)
    ddx = _calls.array("ddx", ddx, False)
    ddz = _calls.array("ddz", ddz, False)
    ddgamma = _calls.array("ddgamma", ddgamma, False)
    _calls.check_any("cotangent of a gradient", ddx, ddz, ddgamma)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", _of_gamma)
    _shape = saved.shape
    _calls.check_shape("dy", dy, _shape, "the shape of y")
    _calls.check_shape("ddx", ddx, _shape, "the shape of x")
    _calls.check_shape("ddz", ddz, _shape, "the shape of z")
    _calls.check_shape("ddgamma", ddgamma, _shape[-1:], "the shape of gamma")
    _read = (dy, ddx, ddz, ddgamma, saved.x, saved.z, saved.gamma, saved.rstd)
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "cotangents[0]",
                    "ddx",
                    "ddz",
                    "ddgamma",
                    "saved.x",
                    "saved.z",
                    "saved.gamma",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dx", "dz", "dgamma", "ddy"))
    dx_ = _calls.result("dx", _out[0], _shape, _of_x, _given, _by.empty)
    dz_ = _calls.result("dz", _out[1], _shape, _of_z, _given, _by.empty)
    dgamma_ = _calls.result(
        "dgamma", _out[2], _shape[-1:], _of_gamma, _given, _by.empty
    )
    ddy_ = _calls.result("ddy", _out[3], _shape, dy.dtype, _given, _by.empty)
    _made = (dx_, dz_, dgamma_, ddy_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (dy, ddx, ddz, _calls.parameter(ddgamma, _dtype)),
        (saved.x, saved.z, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    return SecondGradients(*_calls.returned(_made, out))


def _check(saved: Any) -> None:
    """Refuse saved values that forward did not return, or that were changed since."""
    _calls.check_is_saved(saved, Saved, "rms_norm_gated")
    _calls.check_first_fields(saved, (True, True, False))
    _shape = saved.shape
    _calls.check_kept("x", saved.x, _shape)
    _calls.check_kept("z", saved.z, _shape)
    _calls.check_kept("gamma", saved.gamma, _shape[-1:], saved.dtypes[2] is not None)
    _calls.check_kept("rstd", saved.rstd, _shape[:-1])


_FORWARD = _blocks.ArrayFunction(_kernels.forward)
_BACKWARD = _blocks.ArrayFunction(_kernels.backward)
_JVP = _blocks.ArrayFunction(_second_order.jvp)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_second_order.backward_backward)
