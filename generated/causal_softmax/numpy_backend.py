# Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import axes as _axes
from .._runtime.numpy import blocks as _blocks
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _saved
from . import numpy_kernels as _kernels
from . import numpy_second_order as _second_order

INTERFACE: _interface.Interface = {
    "name": "causal_softmax",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row", pattern=[["..."], ["q"], ["k"]]),
        _interface.given("position", 'Int["..."]', pattern=[["q"]]),
        _interface.given("scale", "Scalar", default=1),
    ],
    "constants": [],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("position", "input", ["..."]),
        _interface.saved("scale", "input", []),
        _interface.saved("m", "row scalar", ["..."]),
        _interface.saved("inv_sum_e_shifted", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("scale", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
    "layout": {"pattern": [["..."], ["q"], ["k"]], "features": ["k"], "sizes": []},
}


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dscale: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    dscale: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # sizes of the axes ... q k
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    position: npt.NDArray[Any]  # argument position of forward
    scale: float | npt.NDArray[Any] | None  # argument scale of forward
    m: npt.NDArray[Any]  # row scalar m, one per row
    inv_sum_e_shifted: npt.NDArray[Any]  # row scalar inv_sum_e_shifted, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    position: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    position: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    position: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

        m = max(where(index() <= position, scale*x, -1e38))
        u = where(index() <= position, scale*x - m, 0)
        exp_u = exp(u)
        e_shifted = where(index() <= position, exp_u, 0)
        sum_e_shifted = sum(e_shifted)
        inv_sum_e_shifted = 1/sum_e_shifted
        y = inv_sum_e_shifted*e_shifted

    Args:
        x: an array with the axes ... q k.
        position: an array with the axes q, without a gradient.
        scale: a number or a 0-d array. If omitted it is 1, at no cost.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has an array with the axes ... q k. `saved` is the argument
    of the other directions. The compute type is the widest among the inputs,
    and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, position, scale, save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        du = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - sum(dy*y)), 0)
        dx = where(index() <= position, scale*du, 0)
        dscale = sum_rows(sum(where(index() <= position, du*x, 0)))

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
    scale_dot: float | npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        e_shifted_dot = where(index() <= position, exp_u*(scale_dot*x + scale*x_dot), 0)
        y_dot = inv_sum_e_shifted*(e_shifted_dot - y*sum(e_shifted_dot))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        scale_dot: the tangent of scale, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, scale_dot, out, threads)


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddscale: float | npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        mean_dy_y = mean(dy*y)
        du = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - D*mean_dy_y), 0)
        ddu = where(index() <= position, ddscale*x + scale*ddx, 0)
        d2u = where(index() <= position, exp_u*(inv_sum_e_shifted*ddu*(dy - D*mean_dy_y)
            + inv_sum_e_shifted*(mean(where(index() <= position,
            -D*inv_sum_e_shifted*ddu*exp_u, 0))*(dy - D*mean_dy_y) -
            inv_sum_e_shifted*sum(where(index() <= position, ddu*exp_u*(dy -
            D*mean_dy_y), 0)))), 0)
        d2x = where(index() <= position, scale*d2u + ddscale*du, 0)
        d2scale = sum_rows(D*(mean(where(index() <= position, d2u*x, 0)) +
            mean(where(index() <= position, ddx*du, 0))))
        ddy = where(index() <= position, inv_sum_e_shifted*ddu*exp_u, 0) +
            y*mean(where(index() <= position, -D*inv_sum_e_shifted*ddu*exp_u, 0))

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddscale: the cotangent of dscale, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dscale is d2scale)
    and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(_BACKWARD_BACKWARD, saved, dy, ddx, ddscale, out, threads)


def saved_from(
    *,
    x: npt.NDArray[Any],
    position: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    m: npt.NDArray[Any],
    inv_sum_e_shifted: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the sizes of the axes ... q k.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (x, position, scale, m, inv_sum_e_shifted)
    first_ = _saved.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, *fields_)
    _check(saved_)
    return saved_


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    position: Any,
    scale: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    position = _calls.integers("position", position, True)
    scale = _calls.scalar("scale", scale, False)
    _sizes = _AXES.sizes((x, position, scale))
    _shape = _AXES.row_shape(_sizes)
    _read = (x, position, scale)
    _dtypes = _calls.types(_read)
    _dtype = _calls.compute_type(_read)
    _given = {} if out is None else dict(zip(("x", "position", "scale"), _read))
    y_ = _calls.result("y", out, _AXES.shape("y", _sizes), x.dtype, _given, _by.empty)
    m_ = _by.empty(_shape[:-1], _dtype)
    inv_sum_e_shifted_ = _by.empty(_shape[:-1], _dtype)
    _made = (y_, m_, inv_sum_e_shifted_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _AXES.fill(_by, "forward", _made, _sizes, _work, (x, position, scale))
    _saved = (
        Saved(
            _AXES.flat(_sizes),
            _dtype,
            _dtypes,
            x,
            position,
            scale,
            m_,
            inv_sum_e_shifted_,
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
    _of_x, _of_position, _of_scale = saved[2]
    dy = _calls.array("dy", dy, True)
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shape("dy", dy, _AXES.shape("y", _sizes), "the shape of y")
    _read = (dy, saved.x, saved.position, saved.scale, saved.m, saved.inv_sum_e_shifted)
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "dy",
                    "saved.x",
                    "saved.position",
                    "saved.scale",
                    "saved.m",
                    "saved.inv_sum_e_shifted",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dx", "dscale"))
    dx_ = _calls.result(
        "dx", _out[0], _AXES.shape("x", _sizes), _of_x, _given, _by.empty
    )
    dscale_ = _calls.result("dscale", _out[1], (), _of_scale, _given, _by.empty)
    _made = (dx_, dscale_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _AXES.fill(
        _by,
        "backward",
        _made,
        _sizes,
        _work,
        (dy,),
        (saved.x, saved.position, saved.scale, saved.m, saved.inv_sum_e_shifted),
    )
    return Gradients(*_calls.returned(_made, out))


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    scale_dot: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_position, _of_scale = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    scale_dot = _calls.scalar("scale_dot", scale_dot, False)
    _calls.check_any("tangent", x_dot, scale_dot)
    _calls.check_left_out("scale_dot", scale_dot, "scale", _of_scale)
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shape("x_dot", x_dot, _AXES.shape("x", _sizes), "the shape of x")
    _read = (
        x_dot,
        scale_dot,
        saved.x,
        saved.position,
        saved.scale,
        saved.m,
        saved.inv_sum_e_shifted,
    )
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "x_dot",
                    "scale_dot",
                    "saved.x",
                    "saved.position",
                    "saved.scale",
                    "saved.m",
                    "saved.inv_sum_e_shifted",
                ),
                _read,
            )
        )
    )
    y_dot_ = _calls.result(
        "y_dot", out, _AXES.shape("y", _sizes), _of_x, _given, _by.empty
    )
    _made = (y_dot_,)
    _work = _blocks.Work(_shape, _dtype, threads)
    _AXES.fill(
        _by,
        "jvp",
        _made,
        _sizes,
        _work,
        (x_dot, scale_dot),
        (saved.x, saved.position, saved.scale, saved.m, saved.inv_sum_e_shifted),
    )
    return y_dot_ if out is None else out


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddscale: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_position, _of_scale = saved[2]
    dy = _calls.array("dy", dy, True)
    ddx = _calls.array("ddx", ddx, False)
    ddscale = _calls.scalar("ddscale", ddscale, False)
    _calls.check_any("cotangent of a gradient", ddx, ddscale)
    _calls.check_left_out("ddscale", ddscale, "scale", _of_scale)
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shape("dy", dy, _AXES.shape("y", _sizes), "the shape of y")
    _calls.check_shape("ddx", ddx, _AXES.shape("x", _sizes), "the shape of x")
    _read = (
        dy,
        ddx,
        ddscale,
        saved.x,
        saved.position,
        saved.scale,
        saved.m,
        saved.inv_sum_e_shifted,
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
                    "ddscale",
                    "saved.x",
                    "saved.position",
                    "saved.scale",
                    "saved.m",
                    "saved.inv_sum_e_shifted",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dx", "dscale", "ddy"))
    dx_ = _calls.result(
        "dx", _out[0], _AXES.shape("x", _sizes), _of_x, _given, _by.empty
    )
    dscale_ = _calls.result("dscale", _out[1], (), _of_scale, _given, _by.empty)
    ddy_ = _calls.result(
        "ddy", _out[2], _AXES.shape("y", _sizes), dy.dtype, _given, _by.empty
    )
    _made = (dx_, dscale_, ddy_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _AXES.fill(
        _by,
        "backward_backward",
        _made,
        _sizes,
        _work,
        (dy, ddx, ddscale),
        (saved.x, saved.position, saved.scale, saved.m, saved.inv_sum_e_shifted),
    )
    return SecondGradients(*_calls.returned(_made, out))


def _check(saved: Any) -> None:
    """Refuse saved values that forward did not return, or that were changed since."""
    _calls.check_is_saved(saved, Saved, "causal_softmax")
    _calls.check_first_fields(saved, (True, True, False))
    _calls.check_number("scale", saved.scale, saved.dtypes[2] is not None)
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_kept("x", saved.x, _AXES.shape("x", _sizes))
    _calls.check_kept(
        "position", saved.position, _AXES.shape("position", _sizes), of_integers=True
    )
    _calls.check_kept("m", saved.m, _shape[:-1])
    _calls.check_kept("inv_sum_e_shifted", saved.inv_sum_e_shifted, _shape[:-1])


_AXES = _axes.NamedAxes(INTERFACE)
_FORWARD = _blocks.ArrayFunction(_kernels.forward)
_BACKWARD = _blocks.ArrayFunction(_kernels.backward)
_JVP = _blocks.ArrayFunction(_second_order.jvp)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_second_order.backward_backward)
