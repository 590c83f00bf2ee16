# Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
# definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
"""Root-mean-square normalization of queries or keys, with a weight for each head."""

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
    "name": "head_rms_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row", pattern=[["b"], ["t"], ["h"], ["d"]]),
        _interface.given("weight", "Row", default=1, pattern=[["h"], ["d"]]),
    ],
    "constants": [_interface.constant("eps", default=1e-6, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("weight", "input", ["...", "D"]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("weight", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
    "layout": {"pattern": [["b"], ["t"], ["h"], ["d"]], "features": ["d"], "sizes": []},
}


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dweight: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    dweight: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # sizes of the axes b t h d
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    weight: npt.NDArray[Any] | None  # argument weight of forward
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    weight: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    weight: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    weight: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Root-mean-square normalization of queries or keys, with a weight for each head.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = weight*xhat

    Args:
        x: an array with the axes b t h d.
        weight: an array with the axes h d. If omitted it is 1, at no cost.
        eps: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has an array with the axes b t h d. `saved` is the argument
    of the other directions. The compute type is the widest among the inputs,
    and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, weight, eps, save, out, threads)


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = dy*weight
        dx = rstd*(g - xhat*mean(g*xhat))
        dweight = sum(dy*xhat, "b t")

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
    weight_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = weight_dot*xhat + rstd*weight*(x_dot - xhat*mean(x_dot*xhat))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        weight_dot: the tangent of weight, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, weight_dot, out, threads)


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddweight: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = dy*weight
        mean_g_xhat = mean(g*xhat)
        dg = rstd*(ddx - xhat*mean(ddx*xhat))
        d2xhat_part = ddweight*dy - mean_g_xhat*rstd*ddx
        d2x = rstd*(d2xhat_part + rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) -
            xhat*mean(ddx*g)) - xhat*mean(d2xhat_part*xhat))
        d2weight = sum(dg*dy, "b t")
        ddy = dg*weight + ddweight*xhat

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddweight: the cotangent of dweight, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dweight is d2weight)
    and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy, ddx, ddweight, out, threads
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    weight: npt.NDArray[Any] | None = None,
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the sizes of the axes b t h d.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (x, weight, rstd)
    first_ = _saved.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, *fields_)
    _check(saved_)
    return saved_


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    weight: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    weight = _calls.array("weight", weight, False, may_be_labels=True)
    _sizes = _AXES.sizes((x, weight))
    _shape = _AXES.row_shape(_sizes)
    _read = (x, weight)
    _dtypes = _calls.types(_read)
    _dtype = _calls.compute_type(_read)
    _given = {} if out is None else dict(zip(("x", "weight"), _read))
    y_ = _calls.result("y", out, _AXES.shape("y", _sizes), x.dtype, _given, _by.empty)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _made = (y_, rstd_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _AXES.fill(_by, "forward", _made, _sizes, _work, (x, weight, eps))
    _saved = (
        Saved(_AXES.flat(_sizes), _dtype, _dtypes, x, weight, rstd_) if save else None
    )
    _shown = y_ if out is None else out
    return _shown, _saved


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, out: Any, threads: Any
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_weight = saved[2]
    dy = _calls.array("dy", dy, True)
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shape("dy", dy, _AXES.shape("y", _sizes), "the shape of y")
    _read = (dy, saved.x, saved.weight, saved.rstd)
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(zip(("dy", "saved.x", "saved.weight", "saved.rstd"), _read))
    )
    _out = _calls.several(out, ("dx", "dweight"))
    dx_ = _calls.result(
        "dx", _out[0], _AXES.shape("x", _sizes), _of_x, _given, _by.empty
    )
    dweight_ = _calls.result(
        "dweight", _out[1], _AXES.shape("weight", _sizes), _of_weight, _given, _by.empty
    )
    _made = (dx_, dweight_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _AXES.fill(
        _by,
        "backward",
        _made,
        _sizes,
        _work,
        (dy,),
        (saved.x, saved.weight, saved.rstd),
    )
    return Gradients(*_calls.returned(_made, out))


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    weight_dot: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_weight = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    weight_dot = _calls.array("weight_dot", weight_dot, False)
    _calls.check_any("tangent", x_dot, weight_dot)
    _calls.check_left_out("weight_dot", weight_dot, "weight", _of_weight)
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shape("x_dot", x_dot, _AXES.shape("x", _sizes), "the shape of x")
    _calls.check_shape(
        "weight_dot", weight_dot, _AXES.shape("weight", _sizes), "the shape of weight"
    )
    _read = (x_dot, weight_dot, saved.x, saved.weight, saved.rstd)
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(("x_dot", "weight_dot", "saved.x", "saved.weight", "saved.rstd"), _read)
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
        (x_dot, weight_dot),
        (saved.x, saved.weight, saved.rstd),
    )
    return y_dot_ if out is None else out


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddweight: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_weight = saved[2]
    dy = _calls.array("dy", dy, True)
    ddx = _calls.array("ddx", ddx, False)
    ddweight = _calls.array("ddweight", ddweight, False)
    _calls.check_any("cotangent of a gradient", ddx, ddweight)
    _calls.check_left_out("ddweight", ddweight, "weight", _of_weight)
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shape("dy", dy, _AXES.shape("y", _sizes), "the shape of y")
    _calls.check_shape("ddx", ddx, _AXES.shape("x", _sizes), "the shape of x")
    _calls.check_shape(
        "ddweight", ddweight, _AXES.shape("weight", _sizes), "the shape of weight"
    )
    _read = (dy, ddx, ddweight, saved.x, saved.weight, saved.rstd)
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "cotangents[0]",
                    "ddx",
                    "ddweight",
                    "saved.x",
                    "saved.weight",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dx", "dweight", "ddy"))
    dx_ = _calls.result(
        "dx", _out[0], _AXES.shape("x", _sizes), _of_x, _given, _by.empty
    )
    dweight_ = _calls.result(
        "dweight", _out[1], _AXES.shape("weight", _sizes), _of_weight, _given, _by.empty
    )
    ddy_ = _calls.result(
        "ddy", _out[2], _AXES.shape("y", _sizes), dy.dtype, _given, _by.empty
    )
    _made = (dx_, dweight_, ddy_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _AXES.fill(
        _by,
        "backward_backward",
        _made,
        _sizes,
        _work,
        (dy, ddx, ddweight),
        (saved.x, saved.weight, saved.rstd),
    )
    return SecondGradients(*_calls.returned(_made, out))


def _check(saved: Any) -> None:
    """Refuse saved values that forward did not return, or that were changed since."""
    _calls.check_is_saved(saved, Saved, "head_rms_norm")
    _calls.check_first_fields(saved, (True, False))
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_kept("x", saved.x, _AXES.shape("x", _sizes))
    _calls.check_kept(
        "weight",
        saved.weight,
        _AXES.shape("weight", _sizes),
        saved.dtypes[1] is not None,
    )
    _calls.check_kept("rstd", saved.rstd, _shape[:-1])


_AXES = _axes.NamedAxes(INTERFACE)
_FORWARD = _blocks.ArrayFunction(_kernels.forward)
_BACKWARD = _blocks.ArrayFunction(_kernels.backward)
_JVP = _blocks.ArrayFunction(_second_order.jvp)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_second_order.backward_backward)
