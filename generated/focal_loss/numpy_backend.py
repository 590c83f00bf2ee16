# Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less."""

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
    "name": "focal_loss",
    "minimum_features": 1,
    "inputs": [_interface.given("x", "Row"), _interface.given("label", 'Int["..."]')],
    "constants": [_interface.constant("gamma", default=2, sign="nonnegative")],
    "outputs": [_interface.output("y", "RowScalar")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("label", "input", ["..."]),
        _interface.saved("gamma", "constant", []),
        _interface.saved("m", "row scalar", ["..."]),
        _interface.saved("Z", "row scalar", ["..."]),
        _interface.saved("logpt", "row scalar", ["..."]),
        _interface.saved("expm1_logpt", "row scalar", ["..."]),
        _interface.saved("power_expm1_logpt", "row scalar", ["..."]),
    ],
    "gradients": [_interface.gradient("x")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    label: npt.NDArray[Any]  # argument label of forward
    gamma: float  # constant gamma of forward
    m: npt.NDArray[Any]  # row scalar m, one per row
    Z: npt.NDArray[Any]  # row scalar Z, one per row
    logpt: npt.NDArray[Any]  # row scalar logpt, one per row
    expm1_logpt: npt.NDArray[Any]  # row scalar expm1_logpt, one per row
    power_expm1_logpt: npt.NDArray[Any]  # row scalar power_expm1_logpt, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    *,
    gamma: float = 2,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    *,
    gamma: float = 2,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    *,
    gamma: float = 2,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        logp = x - m - log_Z
        logpt = sum(where(index() == label, logp, 0))
        expm1_logpt = expm1(logpt)
        power_expm1_logpt = (-expm1_logpt)**gamma
        y = -logpt*power_expm1_logpt

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        gamma: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has one value per row, shape x.shape[:-1]. `saved` is the
    argument of the other directions. The compute type is the widest among the
    inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, label, gamma, save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        p = exp_shifted/Z
        dx = where(index() == label, where(gamma == 0, 0, gamma*dy*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1)) - dy*power_expm1_logpt, 0) + where(label >= 0, where(label < D, dy*power_expm1_logpt*p + where(gamma == 0, 0, -gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)), 0), 0)

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
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        p = exp_shifted/Z
        log_Z_dot = sum(p*x_dot)
        y_dot = where(gamma == 0, 0, gamma*logpt*(-expm1_logpt)**(gamma -
            1)*sum(where(index() == label, exp(logpt)*(x_dot - log_Z_dot), 0))) -
            power_expm1_logpt*sum(where(index() == label, x_dot - log_Z_dot, 0))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, out, threads)


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        p = exp_shifted/Z
        d2logpt = sum(where(index() == label, where(gamma == 0, 0, where(gamma - 1 == 0,
            0, -gamma*dy*logpt*ddx*exp(2*logpt)*(-expm1_logpt)**(gamma - 2)*(gamma -
            1))), 0)) + sum(where(index() == label, where(gamma == 0, 0,
            ddx*(gamma*dy*exp(logpt)*(-expm1_logpt)**(gamma - 1) +
            gamma*dy*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1))), 0)) + where(gamma
            == 0, 0, where(label >= 0, where(label < D,
            -gamma*dy*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p), 0), 0) -
            gamma*(-expm1_logpt)**(gamma - 1)*sum(where(index() == label,
            -dy*ddx*exp(logpt), 0))) + where(label >= 0, where(label < D, where(gamma ==
            0, 0, where(gamma - 1 == 0, 0,
            gamma*dy*logpt*exp(2*logpt)*(-expm1_logpt)**(gamma - 2)*sum(ddx*p)*(gamma -
            1))) + where(gamma == 0, 0,
            sum(-ddx*(gamma*dy*p*exp(logpt)*(-expm1_logpt)**(gamma - 1) +
            gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)))), 0), 0)
        d2x = where(index() == label, d2logpt, 0) + where(label >= 0, where(label < D,
            dy*power_expm1_logpt*ddx*p + where(gamma == 0, 0,
            -gamma*dy*logpt*ddx*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)) + where(gamma
            == 0, 0, gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p))
            - d2logpt*p - dy*power_expm1_logpt*p*sum(ddx*p), 0), 0)
        ddy = sum(where(index() == label, where(gamma == 0, 0,
            gamma*logpt*ddx*exp(logpt)*(-expm1_logpt)**(gamma - 1)) -
            power_expm1_logpt*ddx, 0)) + where(label >= 0, where(label < D,
            power_expm1_logpt*sum(ddx*p) + where(gamma == 0, 0,
            -gamma*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p)), 0), 0)

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x) and to the
    cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(_BACKWARD_BACKWARD, saved, dy, ddx, out, threads)


def saved_from(
    *,
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    gamma: float,
    m: npt.NDArray[Any],
    Z: npt.NDArray[Any],
    logpt: npt.NDArray[Any],
    expm1_logpt: npt.NDArray[Any],
    power_expm1_logpt: npt.NDArray[Any],
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
    fields_ = (x, label, gamma, m, Z, logpt, expm1_logpt, power_expm1_logpt)
    first_ = _saved.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, *fields_)
    _check(saved_)
    return saved_


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    label: Any,
    gamma: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    gamma = _calls.constant("gamma", gamma, signed=False)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    label = _calls.integers("label", label, True)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shape(
        "label", label, _shape[:-1], "the shape of x without its last axis"
    )
    _read = (x, label)
    _dtypes = _calls.types(_read)
    _dtype = _calls.compute_type(_read)
    _given = {} if out is None else dict(zip(("x", "label"), _read))
    y_ = _calls.result("y", out, _shape[:-1], x.dtype, _given, _by.empty)
    m_ = _by.empty(_shape[:-1], _dtype)
    Z_ = _by.empty(_shape[:-1], _dtype)
    logpt_ = _by.empty(_shape[:-1], _dtype)
    expm1_logpt_ = _by.empty(_shape[:-1], _dtype)
    power_expm1_logpt_ = _by.empty(_shape[:-1], _dtype)
    _made = (y_, m_, Z_, logpt_, expm1_logpt_, power_expm1_logpt_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(_made, _work, (x, label, gamma))
    _saved = (
        Saved(
            _shape,
            _dtype,
            _dtypes,
            x,
            label,
            gamma,
            m_,
            Z_,
            logpt_,
            expm1_logpt_,
            power_expm1_logpt_,
        )
        if save
        else None
    )
    _shown = y_ if out is None else out
    return _shown, _saved


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, out: Any, threads: Any
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_label = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shape("dy", dy, _shape[:-1], "the shape of y")
    _read = (
        dy,
        saved.x,
        saved.label,
        saved.m,
        saved.Z,
        saved.logpt,
        saved.expm1_logpt,
        saved.power_expm1_logpt,
    )
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "dy",
                    "saved.x",
                    "saved.label",
                    "saved.m",
                    "saved.Z",
                    "saved.logpt",
                    "saved.expm1_logpt",
                    "saved.power_expm1_logpt",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dx",))
    dx_ = _calls.result("dx", _out[0], _shape, _of_x, _given, _by.empty)
    _made = (dx_,)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (dy,),
        (
            saved.x,
            saved.label,
            saved.gamma,
            saved.m,
            saved.Z,
            saved.logpt,
            saved.expm1_logpt,
            saved.power_expm1_logpt,
        ),
    )
    return Gradients(*_calls.returned(_made, out))


def _jvp(
    _by: _blocks.ArrayFunction, saved: Any, x_dot: Any, out: Any, threads: Any
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_label = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    _calls.check_any("tangent", x_dot)
    _shape = saved.shape
    _calls.check_shape("x_dot", x_dot, _shape, "the shape of x")
    _read = (
        x_dot,
        saved.x,
        saved.label,
        saved.m,
        saved.Z,
        saved.logpt,
        saved.expm1_logpt,
        saved.power_expm1_logpt,
    )
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "x_dot",
                    "saved.x",
                    "saved.label",
                    "saved.m",
                    "saved.Z",
                    "saved.logpt",
                    "saved.expm1_logpt",
                    "saved.power_expm1_logpt",
                ),
                _read,
            )
        )
    )
    y_dot_ = _calls.result("y_dot", out, _shape[:-1], _of_x, _given, _by.empty)
    _made = (y_dot_,)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (x_dot,),
        (
            saved.x,
            saved.label,
            saved.gamma,
            saved.m,
            saved.Z,
            saved.logpt,
            saved.expm1_logpt,
            saved.power_expm1_logpt,
        ),
    )
    return y_dot_ if out is None else out


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_label = saved[2]
    dy = _calls.array("dy", dy, True)
    ddx = _calls.array("ddx", ddx, False)
    _calls.check_any("cotangent of a gradient", ddx)
    _shape = saved.shape
    _calls.check_shape("dy", dy, _shape[:-1], "the shape of y")
    _calls.check_shape("ddx", ddx, _shape, "the shape of x")
    _read = (
        dy,
        ddx,
        saved.x,
        saved.label,
        saved.m,
        saved.Z,
        saved.logpt,
        saved.expm1_logpt,
        saved.power_expm1_logpt,
    )
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "cotangents[0]",
                    "ddx",
                    "saved.x",
                    "saved.label",
                    "saved.m",
                    "saved.Z",
                    "saved.logpt",
                    "saved.expm1_logpt",
                    "saved.power_expm1_logpt",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dx", "ddy"))
    dx_ = _calls.result("dx", _out[0], _shape, _of_x, _given, _by.empty)
    ddy_ = _calls.result("ddy", _out[1], _shape[:-1], dy.dtype, _given, _by.empty)
    _made = (dx_, ddy_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (dy, ddx),
        (
            saved.x,
            saved.label,
            saved.gamma,
            saved.m,
            saved.Z,
            saved.logpt,
            saved.expm1_logpt,
            saved.power_expm1_logpt,
        ),
    )
    return SecondGradients(*_calls.returned(_made, out))


def _check(saved: Any) -> None:
    """Refuse saved values that forward did not return, or that were changed since."""
    _calls.check_is_saved(saved, Saved, "focal_loss")
    _calls.check_first_fields(saved, (True, True))
    _calls.check_number("gamma", saved.gamma)
    _shape = saved.shape
    _calls.check_kept("x", saved.x, _shape)
    _calls.check_kept("label", saved.label, _shape[:-1], of_integers=True)
    _calls.check_kept("m", saved.m, _shape[:-1])
    _calls.check_kept("Z", saved.Z, _shape[:-1])
    _calls.check_kept("logpt", saved.logpt, _shape[:-1])
    _calls.check_kept("expm1_logpt", saved.expm1_logpt, _shape[:-1])
    _calls.check_kept("power_expm1_logpt", saved.power_expm1_logpt, _shape[:-1])


_FORWARD = _blocks.ArrayFunction(_kernels.forward)
_BACKWARD = _blocks.ArrayFunction(_kernels.backward)
_JVP = _blocks.ArrayFunction(_second_order.jvp)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_second_order.backward_backward)
