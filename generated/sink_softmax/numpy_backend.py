# Made by lngen 0.1.0 from the definition of sink_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit sink_softmax.py and run: lngen derive sink_softmax.py
# definition sha256:85de87b67725f2db6415d52ce8ee109a8b1ab48120c2fc9ba15663e407abd30f
"""Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight.

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
    dsink: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    dsink: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # sizes of the axes b h q k
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    y: npt.NDArray[Any]  # output y of forward
    exp_largest_sink: npt.NDArray[Any]  # row scalar exp_largest_sink, one per row
    scale: npt.NDArray[Any]  # row scalar scale, one per row
    sink: npt.NDArray[Any] | None  # argument sink of forward
    x: npt.NDArray[Any]  # argument x of forward


@overload
def forward(
    x: npt.NDArray[Any],
    sink: npt.NDArray[Any] | None = None,
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    sink: npt.NDArray[Any] | None = None,
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    sink: npt.NDArray[Any] | None = None,
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight.

        m = max(x)
        largest = where(m > sink, m, sink)
        e_shifted = exp(x - largest)
        Z = sum(e_shifted)
        exp_largest_sink = exp(sink - largest)
        scale = 1/(Z + exp_largest_sink)
        y = scale*e_shifted

    Args:
        x: an array with the axes b h q k.
        sink: an array with the axes h. If omitted it is 0, at no cost.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y is an array with the axes b h q k. `saved` is the argument
    of the other directions. The compute type is the widest among the inputs,
    and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, sink, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction, x: Any, sink: Any, save: Any, out: Any, threads: Any
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    x, sink = _calls.arrays(1, x=x, sink=sink)
    _sizes = _AXES.sizes((x, sink))
    _shape = _AXES.row_shape(_sizes)
    _read = {"x": x, "sink": sink}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _AXES.shape("y", _sizes), x.dtype, _read, _by.empty)
    exp_largest_sink_ = _by.empty(_shape[:-1], _dtype)
    scale_ = _by.empty(_shape[:-1], _dtype)
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_rows = _arranged.target("y", y_)
    _by.fill(
        (_y_rows, exp_largest_sink_, scale_),
        _arranged.work,
        (_arranged.rows("x", x), _arranged.rows("sink", sink)),
    )
    _arranged.write("y", y_, _y_rows)
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(
            _AXES.flat(_sizes), _dtype, _dtypes, y_, exp_largest_sink_, scale_, sink, x
        )
        if save
        else None
    )
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, sink_rows = values
    y_out, exp_largest_sink_out, scale_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, sink, y_block=None):
        if sink_rows is not None:
            sink_value = sink
        else:
            sink_value = 0.0
        # step 1: m = max(x)
        m = np.maximum.reduce(x, axis=-1, keepdims=True)
        # step 2: largest = where(m > sink, m, sink)
        mask = m > sink_value
        largest = np.where(mask, m, sink_value)
        # step 6: exp_largest_sink = exp(sink - largest)
        exp_largest_sink = np.exp(sink_value - largest)
        # step 3: x_shifted = x - largest
        x_shifted = _rows.by_row(np.subtract, x, largest, out=y_block)
        # step 4: e_shifted = exp(x_shifted)
        e_shifted = np.exp(x_shifted, out=x_shifted)
        # step 5: Z = sum(e_shifted)
        Z = _rows.row_dot(e_shifted, ones)
        # step 7: scale = 1/(Z + exp_largest_sink)
        scale = np.reciprocal(Z + exp_largest_sink)
        # step 8: y = e_shifted*scale
        y = np.multiply(e_shifted, scale, out=e_shifted)
        return y, exp_largest_sink[..., 0], scale[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(sink_rows,),
        into=(y_out,),
        into_row_scalars=(exp_largest_sink_out, scale_out),
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        dx = y*(dy - sum(dy*y))
        dsink = sum(-exp_largest_sink*scale*sum(dy*y), "b q")

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
    _of_x, _of_sink = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.y": saved.y,
        "saved.exp_largest_sink": saved.exp_largest_sink,
        "saved.scale": saved.scale,
        "saved.sink": saved.sink,
        "saved.x": saved.x,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dsink_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dsink=(_AXES.shape("sink", _sizes), _of_sink),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _dsink_rows = _arranged.target("sink", dsink_)
    _by.fill(
        (_dx_rows, _dsink_rows),
        _arranged.work,
        (_arranged.rows("y", dy),),
        (
            _arranged.rows("y", saved.y),
            saved.exp_largest_sink,
            saved.scale,
            _arranged.rows("sink", saved.sink),
            _arranged.rows("x", saved.x),
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    _arranged.write("sink", dsink_, _dsink_rows)
    return Gradients(*_calls.returned((dx_, dsink_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    y_rows, exp_largest_sink_rows, scale_rows, _, _ = fields
    dx_out, dsink_out = results

    def block(y, dy, exp_largest_sink, scale, dx_block=None):
        dsink = None
        # step 18: sum_dy_y = sum(dy*y)
        sum_dy_y = _rows.row_dot(dy, y)
        # step 22: dsink = -exp_largest_sink*scale*sum_dy_y
        if dsink_out is not None:
            dsink = np.negative(exp_largest_sink * scale * sum_dy_y)
        # step 18: dx = (dy - sum_dy_y)*y
        dx = _rows.by_row(np.subtract, dy, sum_dy_y, out=dx_block)
        dx = np.multiply(dx, y, out=dx)
        if dsink_out is not None:
            dsink = dsink[..., 0]
        return dx, dsink

    return _blocks.each_block(
        block,
        call,
        rows=(y_rows, dy_rows),
        row_scalars=(exp_largest_sink_rows, scale_rows),
        into=(dx_out,),
        into_row_scalars=(dsink_out,),
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    sink_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = y*(x_dot - exp_largest_sink*scale*sink_dot - sum(x_dot*y))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        sink_dot: the tangent of sink, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, sink_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    sink_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_sink = saved[2]
    x_dot, sink_dot = _calls.arrays(0, x_dot=x_dot, sink_dot=sink_dot)
    _calls.check_any("tangent", x_dot, sink_dot)
    _calls.check_left_out("sink_dot", sink_dot, "sink", _of_sink)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", x_dot=x_dot)
    _calls.check_shapes(
        _AXES.shape("sink", _sizes), "the shape of sink", sink_dot=sink_dot
    )
    _read = {
        "x_dot": x_dot,
        "sink_dot": sink_dot,
        "saved.y": saved.y,
        "saved.exp_largest_sink": saved.exp_largest_sink,
        "saved.scale": saved.scale,
        "saved.sink": saved.sink,
        "saved.x": saved.x,
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
        (_arranged.rows("x", x_dot), _arranged.rows("sink", sink_dot)),
        (
            _arranged.rows("y", saved.y),
            saved.exp_largest_sink,
            saved.scale,
            _arranged.rows("sink", saved.sink),
            _arranged.rows("x", saved.x),
        ),
    )
    _arranged.write("y", y_dot_, _y_dot_rows)
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, sink_dot_rows = arguments
    y_rows, exp_largest_sink_rows, scale_rows, _, _ = fields
    (y_dot_out,) = results

    def block(y, x_dot, sink_dot, exp_largest_sink, scale, y_dot_block=None):
        if x_dot_rows is not None:
            x_dot_value = x_dot
        else:
            x_dot_value = 0.0
        # step 30, pass 1: exp_largest_sink_scaled = exp_largest_sink*scale*sink_dot
        if sink_dot_rows is not None:
            exp_largest_sink_scaled = exp_largest_sink * scale * sink_dot
        # step 30: sum_x_dot_y = sum(x_dot*y)
        if x_dot_rows is not None:
            sum_x_dot_y = _rows.row_dot(x_dot_value, y)
        # step 30, pass 2: y_dot = (x_dot - exp_largest_sink_scaled - sum_x_dot_y)*y
        if sink_dot_rows is not None:
            y_dot = np.subtract(x_dot_value, exp_largest_sink_scaled, out=y_dot_block)
        else:
            y_dot = x_dot_value
        if x_dot_rows is not None:
            y_dot = np.subtract(y_dot, sum_x_dot_y, out=y_dot_block)
        y_dot = np.multiply(y_dot, y, out=y_dot_block)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(y_rows, x_dot_rows),
        row_scalars=(sink_dot_rows, exp_largest_sink_rows, scale_rows),
        into=(y_dot_out,),
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddsink: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        mean_dy_y = mean(dy*y)
        dmean_dy_y = sum(-D*ddx*y) - D*ddsink*exp_largest_sink*scale
        d2y = dmean_dy_y*dy/D + ddx*(dy - D*mean_dy_y)
        d2scale = sum(d2y*e_shifted) - D*ddsink*exp_largest_sink*mean_dy_y
        d2exp_largest_sink = -d2scale*scale**2 - D*ddsink*mean_dy_y*scale
        d2Z = -d2scale*scale**2
        d2e_shifted = scale*d2y + d2Z
        d2x = d2e_shifted*e_shifted
        d2sink = sum(d2exp_largest_sink*exp_largest_sink, "b q")
        ddy = ddx*y + dmean_dy_y*y/D

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddsink: the cotangent of dsink, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dsink is d2sink) and
    to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(_BACKWARD_BACKWARD, saved, dy_, ddx, ddsink, out, threads)


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddsink: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_sink = saved[2]
    dy, ddx, ddsink = _calls.arrays(1, dy=dy, ddx=ddx, ddsink=ddsink)
    _calls.check_any("cotangent of a gradient", ddx, ddsink)
    _calls.check_left_out("ddsink", ddsink, "sink", _of_sink)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", ddx=ddx)
    _calls.check_shapes(_AXES.shape("sink", _sizes), "the shape of sink", ddsink=ddsink)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddsink": ddsink,
        "saved.y": saved.y,
        "saved.exp_largest_sink": saved.exp_largest_sink,
        "saved.scale": saved.scale,
        "saved.sink": saved.sink,
        "saved.x": saved.x,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dsink_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dsink=(_AXES.shape("sink", _sizes), _of_sink),
        ddy=(_AXES.shape("y", _sizes), dy.dtype),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _dsink_rows = _arranged.target("sink", dsink_)
    _ddy_rows = _arranged.target("y", ddy_)
    _by.fill(
        (_dx_rows, _dsink_rows, _ddy_rows),
        _arranged.work,
        (
            _arranged.rows("y", dy),
            _arranged.rows("x", ddx),
            _arranged.rows("sink", ddsink),
        ),
        (
            _arranged.rows("y", saved.y),
            saved.exp_largest_sink,
            saved.scale,
            _arranged.rows("sink", saved.sink),
            _arranged.rows("x", saved.x),
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    _arranged.write("sink", dsink_, _dsink_rows)
    _arranged.write("y", ddy_, _ddy_rows)
    return SecondGradients(*_calls.returned((dx_, dsink_, ddy_), out))


@np.errstate(under="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddsink_rows = arguments
    y_rows, exp_largest_sink_rows, scale_rows, sink_rows, x_rows = fields
    dx_out, dsink_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    # step 34: sum_ddx_y = sum(-ddx*y*D)
    if ddx_rows is not None:
        part_2 = np.negative(D)

    def block(
        y,
        x,
        dy,
        ddx,
        sink,
        ddsink,
        exp_largest_sink,
        scale,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 2,
    ):
        d2sink = None
        if sink_rows is not None:
            sink_value = sink
        else:
            sink_value = 0.0
        # step 1: m = max(x)
        m = np.maximum.reduce(x, axis=-1, keepdims=True)
        # step 31: mean_dy_y = mean(dy*y)
        mean_dy_y = _rows.row_dot(dy, y) / D
        # step 34: sum_ddx_y = sum(-ddx*y*D)
        if ddx_rows is not None:
            part = np.multiply(ddx, y, out=dx_block)
            part_3 = np.multiply(part, part_2, out=ddy_block)
            sum_ddx_y = _rows.row_dot(part_3, ones)
        else:
            sum_ddx_y = 0.0
        # step 2: largest = where(m > sink, m, sink)
        mask = m > sink_value
        largest = np.where(mask, m, sink_value)
        # step 34: dmean_dy_y = sum_ddx_y - ddsink*exp_largest_sink*scale*D
        if ddsink_rows is not None:
            part_4 = ddsink * exp_largest_sink
            dmean_dy_y = sum_ddx_y - part_4 * scale * D
        else:
            dmean_dy_y = sum_ddx_y
        # step 35, pass 3: mean_dy_y_scaled = mean_dy_y*D
        if ddx_rows is not None:
            mean_dy_y_scaled = mean_dy_y * D
        # step 35, pass 4: dmean_dy_y_scaled = dmean_dy_y/D
        dmean_dy_y_scaled = dmean_dy_y / D
        # step 3: x_shifted = x - largest
        x_shifted = _rows.by_row(np.subtract, x, largest, out=ddy_block)
        # step 4: e_shifted = exp(x_shifted)
        e_shifted = np.exp(x_shifted, out=buffers[0])
        # step 35, pass 5: d2y = dy*dmean_dy_y_scaled + (dy - mean_dy_y_scaled)*ddx
        d2y = _rows.by_row(np.multiply, dy, dmean_dy_y_scaled, out=buffers[1])
        if ddx_rows is not None:
            part_5 = _rows.by_row(np.subtract, dy, mean_dy_y_scaled, out=ddy_block)
            part_5 = np.multiply(part_5, ddx, out=part_5)
            d2y = np.add(d2y, part_5, out=d2y)
        # step 36: sum_d2y_e_shifted = sum(d2y*e_shifted)
        sum_d2y_e_shifted = _rows.row_dot(d2y, e_shifted)
        # step 46, pass 6: ddy = ddx*y + y*dmean_dy_y_scaled
        ddy = _rows.by_row(np.multiply, y, dmean_dy_y_scaled, out=ddy_block)
        if ddx_rows is not None:
            ddy = np.add(part, ddy, out=ddy)
        # step 36: d2scale = sum_d2y_e_shifted - ddsink*exp_largest_sink*mean_dy_y*D
        if ddsink_rows is not None:
            d2scale = sum_d2y_e_shifted - part_4 * mean_dy_y * D
        else:
            d2scale = sum_d2y_e_shifted
        # step 43: d2exp_largest_sink = -d2scale*scale**2 - ddsink*mean_dy_y*scale*D
        d2Z = np.negative(d2scale * np.square(scale))
        if ddsink_rows is not None:
            d2exp_largest_sink = d2Z - ddsink * mean_dy_y * scale * D
        if sink_rows is not None and ddsink_rows is None:
            d2exp_largest_sink = d2Z
        # step 45: d2sink = d2exp_largest_sink*exp_largest_sink
        if sink_rows is not None:
            d2sink = d2exp_largest_sink * exp_largest_sink
        # step 39: d2e_shifted = d2y*scale + d2Z
        d2e_shifted = _rows.by_row(np.multiply, d2y, scale, out=dx_block)
        d2e_shifted = np.add(d2e_shifted, d2Z, out=d2e_shifted)
        # step 41: d2x = d2e_shifted*e_shifted
        d2x = np.multiply(d2e_shifted, e_shifted, out=d2e_shifted)
        if sink_rows is not None:
            d2sink = d2sink[..., 0]
        return d2x, ddy, d2sink

    d2x, ddy, d2sink = _blocks.each_block(
        block,
        call,
        rows=(y_rows, x_rows, dy_rows, ddx_rows),
        row_scalars=(sink_rows, ddsink_rows, exp_largest_sink_rows, scale_rows),
        into=(dx_out, ddy_out),
        into_row_scalars=(dsink_out,),
        buffers=2,
    )
    return d2x, d2sink, ddy


def saved_from(
    *,
    y: npt.NDArray[Any],
    exp_largest_sink: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    sink: npt.NDArray[Any] | None = None,
    x: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the sizes of the axes b h q k.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (y, exp_largest_sink, scale, sink, x)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, y, exp_largest_sink, scale, sink, x)
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "sink_softmax")
    _calls.check_first_fields(saved, (True, False))
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_kept(_AXES.shape("y", _sizes), y=saved.y)
    _calls.check_kept(
        _shape[:-1], exp_largest_sink=saved.exp_largest_sink, scale=saved.scale
    )
    _calls.check_kept(
        _AXES.shape("sink", _sizes), saved.dtypes[1] is not None, sink=saved.sink
    )
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "sink_softmax",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row", pattern=[["b"], ["h"], ["q"], ["k"]]),
        _interface.given("sink", "RowScalar", default=0, pattern=[["h"]]),
    ],
    "constants": [],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("y", "output", ["...", "D"]),
        _interface.saved("exp_largest_sink", "row scalar", ["..."]),
        _interface.saved("scale", "row scalar", ["..."]),
        _interface.saved("sink", "input", ["..."]),
        _interface.saved("x", "input", ["...", "D"]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("sink", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
    "layout": {"pattern": [["b"], ["h"], ["q"], ["k"]], "features": ["k"], "sizes": []},
}

_AXES = _axes.NamedAxes(INTERFACE)
_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class SinkSoftmax(_modules.NumpyModule):
    """`sink_softmax` as an object with the parameter sink.

    Args:
        h: the size of the axis h.
        sink: False omits it; its initial value is 0.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        h: int,
        *,
        sink: bool = True,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype, h=_modules.size("h", h))
        self._parameter("sink", sink, (h,), 0)

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, self.parameters.get("sink"), save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`. `gradients` then has those of the parameters, of this call
        alone.
        """
        found = self._gradients(dy)
        self.gradients = self._of_parameters(sink=found.dsink)
        return found.dx
