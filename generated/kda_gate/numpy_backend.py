# Made by lngen 0.1.0 from the definition of kda_gate; derivation.md has its steps, cost and evidence.
# Do not edit; edit kda_gate.py and run: lngen derive kda_gate.py
# Open: exp overflows where rate is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:828e82ed6a2def8150a7add1c29579ffcf6ccf2277e91b493d839c2c2a8629f8
"""Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.

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
from .._runtime.numpy import functions as _functions
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
    drate: npt.NDArray[Any] | None
    dbias: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    drate: npt.NDArray[Any] | None
    dbias: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # sizes of the axes b t h d
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    bias: npt.NDArray[Any] | None  # argument bias of forward
    exp_rate: npt.NDArray[Any]  # row scalar exp_rate, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    rate: npt.NDArray[Any] | None = None,
    bias: npt.NDArray[Any] | None = None,
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    rate: npt.NDArray[Any] | None = None,
    bias: npt.NDArray[Any] | None = None,
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    rate: npt.NDArray[Any] | None = None,
    bias: npt.NDArray[Any] | None = None,
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.

        u = x + bias
        softplus_u = softplus(u)
        exp_rate = exp(rate)
        y = -exp_rate*softplus_u

    Args:
        x: an array with the axes b t h d.
        rate: an array with the axes h. If omitted it is 0, at no cost.
        bias: an array with the axes h d. If omitted it is 0, at no cost.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y is an array with the axes b t h d. `saved` is the argument
    of the other directions. The compute type is the widest among the inputs,
    and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, rate, bias, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    rate: Any,
    bias: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    x, rate, bias = _calls.arrays(1, x=x, rate=rate, bias=bias)
    _sizes = _AXES.sizes((x, rate, bias))
    _shape = _AXES.row_shape(_sizes)
    _read = {"x": x, "rate": rate, "bias": bias}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _AXES.shape("y", _sizes), x.dtype, _read, _by.empty)
    exp_rate_ = _by.empty(_shape[:-1], _dtype)
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_rows = _arranged.target("y", y_)
    _by.fill(
        (_y_rows, exp_rate_),
        _arranged.work,
        (
            _arranged.rows("x", x),
            _arranged.rows("rate", rate),
            _arranged.rows("bias", bias),
        ),
    )
    _arranged.write("y", y_, _y_rows)
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(_AXES.flat(_sizes), _dtype, _dtypes, x, bias, exp_rate_) if save else None
    )
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, rate_rows, bias_rows = values
    y_out, exp_rate_out = results
    shape, dtype, _ = call

    def block(x, bias, rate, y_block=None, row_scalar_buffers=(None,)):
        # step 3: exp_rate = exp(rate)
        if rate_rows is not None:
            exp_rate = np.exp(rate)
        # step 1: u = bias + x
        if bias_rows is not None:
            u = np.add(bias, x, out=y_block)
        else:
            u = x
        # step 2: softplus_u = softplus(u)
        softplus_u = _functions.softplus(u, out=y_block)
        # step 4: y = -softplus_u*exp_rate
        if rate_rows is not None:
            part = np.negative(exp_rate)
        else:
            part = -1.0
        y = np.multiply(softplus_u, part, out=softplus_u)
        if rate_rows is None:
            exp_rate_result = _rows.filled(
                1.0, row_scalar_buffers[0], (*shape[:-1], 1), dtype
            )
        else:
            exp_rate_result = exp_rate
        return y, exp_rate_result[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, bias_rows),
        row_scalars=(rate_rows,),
        into=(y_out,),
        into_row_scalars=(exp_rate_out,),
        row_scalar_buffers=1,
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        dx = -exp_rate*dy*sigmoid(u)
        drate = sum(sum(dy*y), "b t")
        dbias = sum(dx, "b t")

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
    _of_x, _of_rate, _of_bias = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.bias": saved.bias,
        "saved.exp_rate": saved.exp_rate,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, drate_, dbias_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        drate=(_AXES.shape("rate", _sizes), _of_rate),
        dbias=(_AXES.shape("bias", _sizes), _of_bias),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _drate_rows = _arranged.target("rate", drate_)
    _dbias_rows = _arranged.target("bias", dbias_)
    _by.fill(
        (_dx_rows, _drate_rows, _dbias_rows),
        _arranged.work,
        (_arranged.rows("y", dy),),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("bias", saved.bias),
            saved.exp_rate,
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    _arranged.write("rate", drate_, _drate_rows)
    _arranged.write("bias", dbias_, _dbias_rows)
    return Gradients(*_calls.returned((dx_, drate_, dbias_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, bias_rows, exp_rate_rows = fields
    dx_out, drate_out, dbias_out = results
    shape, dtype, _ = call

    def block(x, bias, dy, exp_rate, dx_block=None, dbias_block=None, buffers=(None,)):
        dbias = drate = None
        # step 1: u = bias + x
        if bias_rows is not None:
            u = np.add(bias, x, out=dx_block)
        else:
            u = x
        # step 2: softplus_u = softplus(u)
        if drate_out is not None:
            softplus_u = _functions.softplus(u, out=buffers[0])
        # step 4: y = -softplus_u*exp_rate
        part = np.negative(exp_rate)
        if drate_out is not None:
            y = np.multiply(softplus_u, part, out=softplus_u)
            # step 11: drate = sum(dy*y)
            drate = _rows.row_dot(dy, y)
        # step 7: dx = -sigmoid(u)*dy*exp_rate
        dx = _functions.sigmoid(u, out=dx_block)
        dx = np.multiply(dx, dy, out=dx)
        dx = np.multiply(dx, part, out=dx)
        if bias_rows is not None:
            dbias = _rows.filled(dx, dbias_block, shape, dtype)
        if drate_out is not None:
            drate = drate[..., 0]
        return dx, dbias, drate

    dx, dbias, drate = _blocks.each_block(
        block,
        call,
        rows=(x_rows, bias_rows, dy_rows),
        row_scalars=(exp_rate_rows,),
        into=(dx_out, dbias_out),
        into_row_scalars=(drate_out,),
        buffers=1,
    )
    return dx, drate, dbias


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    rate_dot: npt.NDArray[Any] | None = None,
    bias_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        exp_rate_dot = exp_rate*rate_dot
        y_dot = -exp_rate_dot*softplus_u - exp_rate*sigmoid(u)*(bias_dot + x_dot)

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        rate_dot: the tangent of rate, in its shape; None stands for zero.
        bias_dot: the tangent of bias, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, rate_dot, bias_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    rate_dot: Any,
    bias_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_rate, _of_bias = saved[2]
    x_dot, rate_dot, bias_dot = _calls.arrays(
        0, x_dot=x_dot, rate_dot=rate_dot, bias_dot=bias_dot
    )
    _calls.check_any("tangent", x_dot, rate_dot, bias_dot)
    _calls.check_left_out("rate_dot", rate_dot, "rate", _of_rate)
    _calls.check_left_out("bias_dot", bias_dot, "bias", _of_bias)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", x_dot=x_dot)
    _calls.check_shapes(
        _AXES.shape("rate", _sizes), "the shape of rate", rate_dot=rate_dot
    )
    _calls.check_shapes(
        _AXES.shape("bias", _sizes), "the shape of bias", bias_dot=bias_dot
    )
    _read = {
        "x_dot": x_dot,
        "rate_dot": rate_dot,
        "bias_dot": bias_dot,
        "saved.x": saved.x,
        "saved.bias": saved.bias,
        "saved.exp_rate": saved.exp_rate,
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
        (
            _arranged.rows("x", x_dot),
            _arranged.rows("rate", rate_dot),
            _arranged.rows("bias", bias_dot),
        ),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("bias", saved.bias),
            saved.exp_rate,
        ),
    )
    _arranged.write("y", y_dot_, _y_dot_rows)
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, rate_dot_rows, bias_dot_rows = arguments
    x_rows, bias_rows, exp_rate_rows = fields
    (y_dot_out,) = results
    with_x_dot_or_bias_dot = x_dot_rows is not None or bias_dot_rows is not None

    def block(
        x,
        bias,
        x_dot,
        bias_dot,
        rate_dot,
        exp_rate,
        y_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 15: exp_rate_dot = exp_rate*rate_dot
        if rate_dot_rows is not None:
            exp_rate_dot = exp_rate * rate_dot
        # step 1: u = bias + x
        if bias_rows is not None:
            u = np.add(bias, x, out=buffers[0])
        else:
            u = x
        # step 2: softplus_u = softplus(u)
        if rate_dot_rows is not None:
            softplus_u = _functions.softplus(u, out=y_dot_block)
            # step 18: y_dot = -softplus_u*exp_rate_dot - sigmoid(u)*(bias_dot +
            #   x_dot)*exp_rate
            y_dot = np.multiply(softplus_u, exp_rate_dot, out=softplus_u)
            y_dot = np.negative(y_dot, out=y_dot)
        else:
            y_dot = 0.0
        if with_x_dot_or_bias_dot:
            part = _functions.sigmoid(u, out=buffers[0])
        if x_dot_rows is not None and bias_dot_rows is not None:
            part_2 = np.add(bias_dot, x_dot, out=buffers[1])
        if x_dot_rows is None and bias_dot_rows is not None:
            part_2 = bias_dot
        if x_dot_rows is not None and bias_dot_rows is None:
            part_2 = x_dot
        if with_x_dot_or_bias_dot:
            part = np.multiply(part, part_2, out=part)
            part = np.multiply(part, exp_rate, out=part)
            y_dot = np.subtract(y_dot, part, out=y_dot_block)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, bias_rows, x_dot_rows, bias_dot_rows),
        row_scalars=(rate_dot_rows, exp_rate_rows),
        into=(y_dot_out,),
        buffers=2,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddrate: npt.NDArray[Any] | None = None,
    ddbias: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        ddx_2 = ddbias + ddx
        d2y = ddrate*dy
        d2x = -exp_rate*sigmoid(u)*(d2y + ddx_2*dy*(1 - sigmoid(u)))
        d2rate = sum(D*exp_rate*(mean(-d2y*softplus_u) + mean(-ddx_2*dy*sigmoid(u))), "b
            t")
        d2bias = sum(d2x, "b t")
        ddy = ddrate*y - exp_rate*ddx_2*sigmoid(u)

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddrate: the cotangent of drate, in its shape; None stands for zero.
        ddbias: the cotangent of dbias, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, drate is d2rate,
    dbias is d2bias) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddx, ddrate, ddbias, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddrate: Any,
    ddbias: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_rate, _of_bias = saved[2]
    dy, ddx, ddrate, ddbias = _calls.arrays(
        1, dy=dy, ddx=ddx, ddrate=ddrate, ddbias=ddbias
    )
    _calls.check_any("cotangent of a gradient", ddx, ddrate, ddbias)
    _calls.check_left_out("ddrate", ddrate, "rate", _of_rate)
    _calls.check_left_out("ddbias", ddbias, "bias", _of_bias)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", ddx=ddx)
    _calls.check_shapes(_AXES.shape("rate", _sizes), "the shape of rate", ddrate=ddrate)
    _calls.check_shapes(_AXES.shape("bias", _sizes), "the shape of bias", ddbias=ddbias)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddrate": ddrate,
        "ddbias": ddbias,
        "saved.x": saved.x,
        "saved.bias": saved.bias,
        "saved.exp_rate": saved.exp_rate,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, drate_, dbias_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        drate=(_AXES.shape("rate", _sizes), _of_rate),
        dbias=(_AXES.shape("bias", _sizes), _of_bias),
        ddy=(_AXES.shape("y", _sizes), dy.dtype),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _drate_rows = _arranged.target("rate", drate_)
    _dbias_rows = _arranged.target("bias", dbias_)
    _ddy_rows = _arranged.target("y", ddy_)
    _by.fill(
        (_dx_rows, _drate_rows, _dbias_rows, _ddy_rows),
        _arranged.work,
        (
            _arranged.rows("y", dy),
            _arranged.rows("x", ddx),
            _arranged.rows("rate", ddrate),
            _arranged.rows("bias", ddbias),
        ),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("bias", saved.bias),
            saved.exp_rate,
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    _arranged.write("rate", drate_, _drate_rows)
    _arranged.write("bias", dbias_, _dbias_rows)
    _arranged.write("y", ddy_, _ddy_rows)
    return SecondGradients(*_calls.returned((dx_, drate_, dbias_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddrate_rows, ddbias_rows = arguments
    x_rows, bias_rows, exp_rate_rows = fields
    dx_out, drate_out, dbias_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_ddx_or_ddbias = ddx_rows is not None or ddbias_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        bias,
        dy,
        ddx,
        ddbias,
        ddrate,
        exp_rate,
        dx_block=None,
        dbias_block=None,
        ddy_block=None,
        buffers=(None,) * 3,
    ):
        dbias = d2rate = None
        # step 1: u = bias + x
        if bias_rows is not None:
            u = np.add(bias, x, out=dx_block)
        else:
            u = x
        # step 2: softplus_u = softplus(u)
        if ddrate_rows is not None:
            softplus_u = _functions.softplus(u, out=ddy_block)
            # step 4: y = -softplus_u*exp_rate
            y = _rows.by_row(
                np.multiply, softplus_u, np.negative(exp_rate), out=buffers[0]
            )
        # step 21: ddx_2 = ddbias + ddx
        if ddx_rows is not None and ddbias_rows is not None:
            ddx_2 = np.add(ddbias, ddx, out=dbias_block)
        if ddx_rows is None and ddbias_rows is not None:
            ddx_2 = ddbias
        if ddx_rows is not None and ddbias_rows is None:
            ddx_2 = ddx
        # step 34: mean_ddx_2_dy_u = mean(-sigmoid(u)*ddx_2*dy)
        part = _functions.sigmoid(u, out=dx_block)
        if with_ddx_or_ddbias:
            part_2 = np.multiply(part, ddx_2, out=buffers[1])
        if drate_out is not None and (ddx_rows is not None or ddbias_rows is not None):
            part_3 = np.multiply(part_2, dy, out=buffers[2])
            part_3 = np.negative(part_3, out=part_3)
            mean_ddx_2_dy_u = _rows.row_dot(part_3, one_over_D)
        # step 26: d2y = dy*ddrate
        if ddrate_rows is not None:
            d2y = _rows.by_row(np.multiply, dy, ddrate, out=buffers[2])
            # step 34: mean_d2y_softplus_u = mean(-d2y*softplus_u)
            part_4 = np.multiply(d2y, softplus_u, out=softplus_u)
            part_4 = np.negative(part_4, out=part_4)
            mean_d2y_softplus_u = _rows.row_dot(part_4, one_over_D)
            # step 30: d2x = (-d2y - (1 - sigmoid(u))*ddx_2*dy)*sigmoid(u)*exp_rate
            d2x = np.negative(d2y, out=ddy_block)
        else:
            d2x = 0.0
        if with_ddx_or_ddbias:
            part_5 = np.subtract(1.0, part, out=buffers[2])
            part_5 = np.multiply(part_5, ddx_2, out=part_5)
            part_5 = np.multiply(part_5, dy, out=part_5)
            d2x = np.subtract(d2x, part_5, out=ddy_block)
        d2x = np.multiply(d2x, part, out=part)
        d2x = np.multiply(d2x, exp_rate, out=d2x)
        # step 39: ddy = y*ddrate - sigmoid(u)*ddx_2*exp_rate
        if ddrate_rows is not None:
            ddy = _rows.by_row(np.multiply, y, ddrate, out=ddy_block)
        else:
            ddy = 0.0
        if with_ddx_or_ddbias:
            part_6 = _rows.by_row(np.multiply, part_2, exp_rate, out=buffers[0])
            ddy = np.subtract(ddy, part_6, out=ddy_block)
        # step 34: d2rate = exp_rate*(mean_d2y_softplus_u + mean_ddx_2_dy_u)*D
        if ddrate_rows is not None and (
            ddx_rows is not None or ddbias_rows is not None
        ):
            d2rate = mean_d2y_softplus_u + mean_ddx_2_dy_u
        if ddx_rows is None and ddbias_rows is None:
            d2rate = mean_d2y_softplus_u
        if drate_out is not None and ddrate_rows is None:
            d2rate = mean_ddx_2_dy_u
        if drate_out is not None:
            d2rate = exp_rate * d2rate * D
        if bias_rows is not None:
            dbias = _rows.filled(d2x, dbias_block, shape, dtype)
        if drate_out is not None:
            d2rate = d2rate[..., 0]
        return d2x, dbias, ddy, d2rate

    d2x, dbias, ddy, d2rate = _blocks.each_block(
        block,
        call,
        rows=(x_rows, bias_rows, dy_rows, ddx_rows, ddbias_rows),
        row_scalars=(ddrate_rows, exp_rate_rows),
        into=(dx_out, dbias_out, ddy_out),
        into_row_scalars=(drate_out,),
        buffers=3,
    )
    return d2x, d2rate, dbias, ddy


def saved_from(
    *,
    x: npt.NDArray[Any],
    bias: npt.NDArray[Any] | None = None,
    exp_rate: npt.NDArray[Any],
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
    fields_ = (x, bias, exp_rate)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, bias, exp_rate)
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "kda_gate")
    _calls.check_first_fields(saved, (True, False, False))
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    _calls.check_kept(
        _AXES.shape("bias", _sizes), saved.dtypes[2] is not None, bias=saved.bias
    )
    _calls.check_kept(_shape[:-1], exp_rate=saved.exp_rate)
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "kda_gate",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row", pattern=[["b"], ["t"], ["h"], ["d"]]),
        _interface.given("rate", "RowScalar", default=0, pattern=[["h"]]),
        _interface.given("bias", "Row", default=0, pattern=[["h"], ["d"]]),
    ],
    "constants": [],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("bias", "input", ["...", "D"]),
        _interface.saved("exp_rate", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("rate", may_be_none=True),
        _interface.gradient("bias", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
    "layout": {"pattern": [["b"], ["t"], ["h"], ["d"]], "features": ["d"], "sizes": []},
}

_AXES = _axes.NamedAxes(INTERFACE)
_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class KdaGate(_modules.NumpyModule):
    """`kda_gate` as an object with the parameters rate and bias.

    Args:
        h: the size of the axis h.
        d: the size of the axis d.
        rate: False omits it; its initial value is 0.
        bias: False omits it; its initial value is 0.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        h: int,
        d: int,
        *,
        rate: bool = True,
        bias: bool = True,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(
            backend, threads, dtype, h=_modules.size("h", h), d=_modules.size("d", d)
        )
        self._parameter("rate", rate, (h,), 0)
        self._parameter("bias", bias, (h, d), 0)

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x,
            self.parameters.get("rate"),
            self.parameters.get("bias"),
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`. `gradients` then has those of the parameters, of this call
        alone.
        """
        found = self._gradients(dy)
        self.gradients = self._of_parameters(rate=found.drate, bias=found.dbias)
        return found.dx
