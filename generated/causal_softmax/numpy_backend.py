# Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

Each direction is a function for callers, one that checks a call and makes its results
(`_forward`), and one with the mathematics (`_forward_of_rows`). Many rows are taken
block by block, in memory that stays in the cache; a small array is one block, for which
NumPy makes the memory. `*_rows` and `*_out` have all rows, and names without such an
end those of a block. A sum over rows is that of a block, and the blocks' are added.

A comment gives the derivation step of its line, and names are those of the derivation;
others begin or end with an underscore. A buffer is used again once it has been read.
"""

# A variable of the mathematics may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import axes as _axes
from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import modules as _modules
from .._runtime.numpy import rows as _rows
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _fields


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dscale: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
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

    Returns `(y, saved)`. y is an array with the axes ... q k. `saved` is the argument
    of the other directions. The compute type is the widest among the inputs,
    and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, position, scale, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    position: Any,
    scale: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    position = _calls.integers("position", position, True)
    scale = _calls.scalar("scale", scale, False)
    _sizes = _AXES.sizes((x, position, scale))
    _shape = _AXES.row_shape(_sizes)
    _read = {"x": x, "position": position, "scale": scale}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _AXES.shape("y", _sizes), x.dtype, _read, _by.empty)
    m_ = _by.empty(_shape[:-1], _dtype)
    inv_sum_e_shifted_ = _by.empty(_shape[:-1], _dtype)
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_rows = _arranged.target("y", y_)
    _by.fill(
        (_y_rows, m_, inv_sum_e_shifted_),
        _arranged.work,
        (
            _arranged.rows("x", x),
            _arranged.rows("position", position),
            _calls.number(scale, _dtype),
        ),
    )
    _arranged.write("y", y_, _y_rows)
    _shown: npt.NDArray[Any] = y_ if out is None else out
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
    return _shown, _saved


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, position_rows, scale = values
    y_out, m_out, inv_sum_e_shifted_out = results
    shape, dtype, _ = call
    features = shape[-1]
    # -1e38
    constant_1 = dtype.type("-100000000000000000000000000000000000000")
    ones = _rows.equal_weights(features, 1.0, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    # step 1: m = max(where(index() <= position, x*scale, -1e38))
    index = np.arange(features)

    def block(x, position, y_block=None, buffers=(None,)):
        # step 1: m = max(where(index() <= position, x*scale, -1e38))
        mask = index <= position
        if scale is not None:
            part = np.multiply(x, scale, out=y_block)
        else:
            part = x
        part_2 = _rows.select(
            mask, part, constant_1, out=_rows.memory(buffers[0], shape, dtype)
        )
        m = _rows.shift(part_2)
        # step 2: u = where(index() <= position, x*scale - m, 0)
        u = np.subtract(part, m, out=y_block)
        u = _rows.select(mask, u, 0.0, out=u)
        # step 3: exp_u = exp(u)
        exp_u = np.exp(u, out=u)
        # step 4: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(mask, exp_u, 0.0, out=exp_u)
        # step 5: sum_e_shifted = sum(e_shifted)
        sum_e_shifted = _rows.row_dot(e_shifted, ones)
        # step 6: inv_sum_e_shifted = 1/sum_e_shifted
        inv_sum_e_shifted = np.reciprocal(sum_e_shifted)
        # step 7: y = e_shifted*inv_sum_e_shifted
        y = np.multiply(e_shifted, inv_sum_e_shifted, out=e_shifted)
        return y, m[..., 0], inv_sum_e_shifted[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(position_rows,),
        into=(y_out,),
        into_row_scalars=(m_out, inv_sum_e_shifted_out),
        buffers=1,
    )


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


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, out: Any, threads: Any
) -> Gradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_position, _of_scale = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.position": saved.position,
        "saved.scale": saved.scale,
        "saved.m": saved.m,
        "saved.inv_sum_e_shifted": saved.inv_sum_e_shifted,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dscale_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dscale=((), _of_scale),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _by.fill(
        (_dx_rows, dscale_),
        _arranged.work,
        (_arranged.rows("y", dy),),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("position", saved.position),
            _calls.number(saved.scale, _dtype),
            saved.m,
            saved.inv_sum_e_shifted,
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    return Gradients(*_calls.returned((dx_, dscale_), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, position_rows, scale, m_rows, inv_sum_e_shifted_rows = fields
    dx_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    # step 2: u = where(index() <= position, x*scale - m, 0)
    index = np.arange(features)

    def block(x, dy, position, m, inv_sum_e_shifted, dx_block=None, buffers=(None,)):
        dscale = None
        # step 2: u = where(index() <= position, x*scale - m, 0)
        mask = index <= position
        if scale is not None:
            u = np.multiply(x, scale, out=dx_block)
        else:
            u = x
        u = np.subtract(u, m, out=dx_block)
        u = _rows.select(mask, u, 0.0, out=u)
        # step 3: exp_u = exp(u)
        exp_u = np.exp(u, out=u)
        # step 4: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(
            mask, exp_u, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        # step 17, pass 1: sum_dy_y_unscaled = sum(dy*e_shifted)
        sum_dy_y_unscaled = _rows.row_dot(dy, e_shifted)
        # step 17, pass 2: sum_dy_y = inv_sum_e_shifted*sum_dy_y_unscaled
        sum_dy_y = inv_sum_e_shifted * sum_dy_y_unscaled
        # step 17: du = where(index() <= position, (dy -
        #   sum_dy_y)*exp_u*inv_sum_e_shifted, 0)
        du = _rows.by_row(np.subtract, dy, sum_dy_y, out=buffers[0])
        du = np.multiply(du, exp_u, out=exp_u)
        du = np.multiply(du, inv_sum_e_shifted, out=du)
        du = _rows.select(mask, du, 0.0, out=du)
        # step 19: sum_du_index_x = sum(where(index() <= position, du*x, 0))
        if scale is not None:
            part = np.multiply(du, x, out=buffers[0])
            part = _rows.select(mask, part, 0.0, out=part)
            sum_du_index_x = _rows.row_dot(part, ones)
            # step 19: dscale = sum over rows of sum_du_index_x
            dscale = np.add.reduce(sum_du_index_x, axis=None)
            # step 18: dx = where(index() <= position, du*scale, 0)
            dx = np.multiply(du, scale, out=du)
        else:
            dx = du
        dx = _rows.select(mask, dx, 0.0, out=dx)
        return dx, dscale

    dx, dscale = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(position_rows, m_rows, inv_sum_e_shifted_rows),
        into=(dx_out,),
        buffers=1,
        sums=1,
    )
    if scale is not None:
        dscale = np.full((), dscale, dtype)
    return dx, dscale


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


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    scale_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_position, _of_scale = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    scale_dot = _calls.scalar("scale_dot", scale_dot, False)
    _calls.check_any("tangent", x_dot, scale_dot)
    _calls.check_left_out("scale_dot", scale_dot, "scale", _of_scale)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", x_dot=x_dot)
    _read = {
        "x_dot": x_dot,
        "scale_dot": scale_dot,
        "saved.x": saved.x,
        "saved.position": saved.position,
        "saved.scale": saved.scale,
        "saved.m": saved.m,
        "saved.inv_sum_e_shifted": saved.inv_sum_e_shifted,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result(
        "y_dot", out, _AXES.shape("y", _sizes), _of_x, _read, _by.empty
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_dot_rows = _arranged.target("y", y_dot_)
    _by.fill(
        (_y_dot_rows,),
        _arranged.work,
        (_arranged.rows("x", x_dot), _calls.number(scale_dot, _dtype)),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("position", saved.position),
            _calls.number(saved.scale, _dtype),
            saved.m,
            saved.inv_sum_e_shifted,
        ),
    )
    _arranged.write("y", y_dot_, _y_dot_rows)
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, scale_dot = arguments
    x_rows, position_rows, scale, m_rows, inv_sum_e_shifted_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if scale_dot is not None:
        scale_dot = np.asarray(scale_dot, dtype)
    # step 2: u = where(index() <= position, x*scale - m, 0)
    index = np.arange(features)

    def block(
        x, x_dot, position, m, inv_sum_e_shifted, y_dot_block=None, buffers=(None,) * 2
    ):
        # step 2: u = where(index() <= position, x*scale - m, 0)
        mask = index <= position
        if scale is not None:
            u = np.multiply(x, scale, out=y_dot_block)
        else:
            u = x
        u = np.subtract(u, m, out=y_dot_block)
        u = _rows.select(mask, u, 0.0, out=u)
        # step 3: exp_u = exp(u)
        exp_u = np.exp(u, out=u)
        # step 25: e_shifted_dot = where(index() <= position, exp_u*(x*scale_dot +
        #   x_dot*scale), 0)
        if scale_dot is not None:
            e_shifted_dot = np.multiply(x, scale_dot, out=buffers[0])
        if scale is not None and x_dot_rows is not None:
            part = np.multiply(x_dot, scale, out=buffers[1])
        if scale is None:
            part = x_dot
        if x_dot_rows is not None and scale_dot is not None:
            e_shifted_dot = np.add(e_shifted_dot, part, out=e_shifted_dot)
        if scale_dot is None:
            e_shifted_dot = part
        e_shifted_dot = np.multiply(exp_u, e_shifted_dot, out=buffers[0])
        e_shifted_dot = _rows.select(mask, e_shifted_dot, 0.0, out=e_shifted_dot)
        # step 30: sum_e_shifted_dot = sum(e_shifted_dot)
        sum_e_shifted_dot = _rows.row_dot(e_shifted_dot, ones)
        # step 4: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(mask, exp_u, 0.0, out=exp_u)
        # step 30, pass 3: y_dot = (e_shifted_dot -
        #   e_shifted*inv_sum_e_shifted*sum_e_shifted_dot)*inv_sum_e_shifted
        y_dot = np.multiply(
            e_shifted, inv_sum_e_shifted * sum_e_shifted_dot, out=e_shifted
        )
        y_dot = np.subtract(e_shifted_dot, y_dot, out=y_dot)
        y_dot = np.multiply(y_dot, inv_sum_e_shifted, out=y_dot)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(position_rows, m_rows, inv_sum_e_shifted_rows),
        into=(y_dot_out,),
        buffers=2,
    )


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
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddx, ddscale, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddscale: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_position, _of_scale = saved[2]
    dy, ddx = _calls.arrays(1, dy=dy, ddx=ddx)
    ddscale = _calls.scalar("ddscale", ddscale, False)
    _calls.check_any("cotangent of a gradient", ddx, ddscale)
    _calls.check_left_out("ddscale", ddscale, "scale", _of_scale)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", ddx=ddx)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddscale": ddscale,
        "saved.x": saved.x,
        "saved.position": saved.position,
        "saved.scale": saved.scale,
        "saved.m": saved.m,
        "saved.inv_sum_e_shifted": saved.inv_sum_e_shifted,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dscale_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dscale=((), _of_scale),
        ddy=(_AXES.shape("y", _sizes), dy.dtype),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _ddy_rows = _arranged.target("y", ddy_)
    _by.fill(
        (_dx_rows, dscale_, _ddy_rows),
        _arranged.work,
        (
            _arranged.rows("y", dy),
            _arranged.rows("x", ddx),
            _calls.number(ddscale, _dtype),
        ),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("position", saved.position),
            _calls.number(saved.scale, _dtype),
            saved.m,
            saved.inv_sum_e_shifted,
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    _arranged.write("y", ddy_, _ddy_rows)
    return SecondGradients(*_calls.returned((dx_, dscale_, ddy_), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddscale = arguments
    x_rows, position_rows, scale, m_rows, inv_sum_e_shifted_rows = fields
    dx_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_scale_and_ddx = scale is not None and ddx_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if ddscale is not None:
        ddscale = np.asarray(ddscale, dtype)
    # step 2: u = where(index() <= position, x*scale - m, 0)
    index = np.arange(features)

    def block(
        x,
        dy,
        ddx,
        position,
        m,
        inv_sum_e_shifted,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 5,
    ):
        d2scale = None
        # step 53, pass 4: inv_sum_e_shifted_scaled = inv_sum_e_shifted*D
        inv_sum_e_shifted_scaled = inv_sum_e_shifted * D
        # step 2: u = where(index() <= position, x*scale - m, 0)
        mask = index <= position
        if scale is not None:
            u = np.multiply(x, scale, out=ddy_block)
        else:
            u = x
        u = np.subtract(u, m, out=ddy_block)
        u = _rows.select(mask, u, 0.0, out=u)
        # step 3: exp_u = exp(u)
        exp_u = np.exp(u, out=dx_block)
        # step 4: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(
            mask, exp_u, 0.0, out=_rows.memory(ddy_block, shape, dtype)
        )
        # step 31, pass 5: mean_dy_y_unscaled = mean(dy*e_shifted)
        mean_dy_y_unscaled = _rows.row_dot(dy, e_shifted) / D
        # step 41: ddu = where(index() <= position, ddx*scale + x*ddscale, 0)
        if with_scale_and_ddx:
            ddu = np.multiply(ddx, scale, out=buffers[0])
        if scale is None:
            ddu = ddx
        if ddscale is not None:
            part = np.multiply(x, ddscale, out=buffers[1])
        if ddx_rows is not None and ddscale is not None:
            ddu = np.add(ddu, part, out=ddu)
        if ddx_rows is None:
            ddu = part
        ddu = _rows.select(mask, ddu, 0.0, out=_rows.memory(buffers[0], shape, dtype))
        # step 53, pass 6: mean_ddu_exp_u_index = mean(where(index() <= position,
        #   -ddu*exp_u*inv_sum_e_shifted_scaled, 0))
        part_2 = np.multiply(ddu, exp_u, out=buffers[1])
        part_3 = _rows.by_row(
            np.multiply, part_2, np.negative(inv_sum_e_shifted_scaled), out=buffers[2]
        )
        part_3 = _rows.select(mask, part_3, 0.0, out=part_3)
        mean_ddu_exp_u_index = _rows.row_dot(part_3, one_over_D)
        # step 31, pass 7: mean_dy_y = inv_sum_e_shifted*mean_dy_y_unscaled
        mean_dy_y = inv_sum_e_shifted * mean_dy_y_unscaled
        # step 32, pass 8: mean_dy_y_scaled = mean_dy_y*D
        mean_dy_y_scaled = mean_dy_y * D
        # step 53, pass 11: sum_ddu_dy_exp_u = sum(where(index() <= position, (dy -
        #   mean_dy_y_scaled)*ddu*exp_u, 0))
        part_4 = _rows.by_row(np.subtract, dy, mean_dy_y_scaled, out=buffers[2])
        part_5 = np.multiply(part_4, ddu, out=ddu)
        part_6 = np.multiply(part_5, exp_u, out=buffers[3])
        part_6 = _rows.select(mask, part_6, 0.0, out=part_6)
        sum_ddu_dy_exp_u = _rows.row_dot(part_6, ones)
        # step 32, pass 9: du = where(index() <= position, (dy -
        #   mean_dy_y_scaled)*exp_u*inv_sum_e_shifted, 0)
        if scale is not None:
            du = np.multiply(part_4, exp_u, out=buffers[3])
            du = np.multiply(du, inv_sum_e_shifted, out=du)
            du = _rows.select(mask, du, 0.0, out=du)
        # step 60: mean_ddx_du_index = mean(where(index() <= position, ddx*du, 0))
        if with_scale_and_ddx:
            part_7 = np.multiply(ddx, du, out=buffers[4])
            part_7 = _rows.select(mask, part_7, 0.0, out=part_7)
            mean_ddx_du_index = _rows.row_dot(part_7, one_over_D)
        # step 64, pass 10: ddy = e_shifted*inv_sum_e_shifted*mean_ddu_exp_u_index +
        #   where(index() <= position, ddu*exp_u*inv_sum_e_shifted, 0)
        ddy = np.multiply(
            e_shifted, inv_sum_e_shifted * mean_ddu_exp_u_index, out=e_shifted
        )
        part_8 = np.multiply(part_2, inv_sum_e_shifted, out=part_2)
        part_8 = _rows.select(mask, part_8, 0.0, out=part_8)
        ddy = np.add(ddy, part_8, out=ddy)
        # step 53, pass 12: inv_sum_e_shifted_scaled_2 =
        #   inv_sum_e_shifted*sum_ddu_dy_exp_u
        inv_sum_e_shifted_scaled_2 = inv_sum_e_shifted * sum_ddu_dy_exp_u
        # step 53, pass 13: d2u = where(index() <= position, exp_u*((dy -
        #   mean_dy_y_scaled)*ddu*inv_sum_e_shifted + ((dy -
        #   mean_dy_y_scaled)*mean_ddu_exp_u_index -
        #   inv_sum_e_shifted_scaled_2)*inv_sum_e_shifted), 0)
        d2u = np.multiply(part_5, inv_sum_e_shifted, out=part_5)
        part_9 = _rows.by_row(np.multiply, part_4, mean_ddu_exp_u_index, out=buffers[1])
        part_9 = np.subtract(part_9, inv_sum_e_shifted_scaled_2, out=part_9)
        part_9 = np.multiply(part_9, inv_sum_e_shifted, out=part_9)
        d2u = np.add(d2u, part_9, out=d2u)
        d2u = np.multiply(exp_u, d2u, out=exp_u)
        d2u = _rows.select(mask, d2u, 0.0, out=d2u)
        # step 60: mean_d2u_index_x = mean(where(index() <= position, d2u*x, 0))
        if scale is not None:
            part_10 = np.multiply(d2u, x, out=buffers[0])
            part_10 = _rows.select(mask, part_10, 0.0, out=part_10)
            mean_d2u_index_x = _rows.row_dot(part_10, one_over_D)
            # step 58: d2x = where(index() <= position, d2u*scale + du*ddscale, 0)
            d2x = np.multiply(d2u, scale, out=d2u)
        else:
            d2x = d2u
        if ddscale is not None:
            part_11 = np.multiply(du, ddscale, out=buffers[0])
            d2x = np.add(d2x, part_11, out=d2x)
        d2x = _rows.select(mask, d2x, 0.0, out=d2x)
        # step 60, pass 14: mean_ddx_du_index_scaled = (mean_d2u_index_x +
        #   mean_ddx_du_index)*D
        if with_scale_and_ddx:
            mean_ddx_du_index_scaled = mean_d2u_index_x + mean_ddx_du_index
        if ddx_rows is None:
            mean_ddx_du_index_scaled = mean_d2u_index_x
        if scale is not None:
            mean_ddx_du_index_scaled = mean_ddx_du_index_scaled * D
            # step 60, pass 15: d2scale = sum over rows of mean_ddx_du_index_scaled
            d2scale = np.add.reduce(mean_ddx_du_index_scaled, axis=None)
        return d2x, ddy, d2scale

    d2x, ddy, d2scale = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(position_rows, m_rows, inv_sum_e_shifted_rows),
        into=(dx_out, ddy_out),
        buffers=5,
        sums=1,
    )
    if scale is not None:
        d2scale = np.full((), d2scale, dtype)
    return d2x, d2scale, ddy


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
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, position, scale, m, inv_sum_e_shifted)
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "causal_softmax")
    _calls.check_first_fields(saved, (True, True, False))
    _calls.check_number("scale", saved.scale, saved.dtypes[2] is not None)
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    _calls.check_kept_integers(_AXES.shape("position", _sizes), position=saved.position)
    _calls.check_kept(_shape[:-1], m=saved.m, inv_sum_e_shifted=saved.inv_sum_e_shifted)
    return _sizes


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

_AXES = _axes.NamedAxes(INTERFACE)
_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class CausalSoftmax(_modules.NumpyModule):
    """`causal_softmax` as an object with the parameter scale.

    Args:
        scale: False omits it; its initial value is 1.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        scale: bool = True,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype)
        self._parameter("scale", scale, (), 1)

    def forward(
        self, x: npt.NDArray[Any], position: npt.NDArray[Any], *, save: bool = True
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, position, self.parameters.get("scale"), save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`. `gradients` then has those of the parameters, of this call
        alone.
        """
        found = self._gradients(dy)
        self.gradients = self._of_parameters(scale=found.dscale)
        return found.dx
