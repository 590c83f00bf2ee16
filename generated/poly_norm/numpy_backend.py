# Made by lngen 0.1.0 from the definition of poly_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit poly_norm.py and run: lngen derive poly_norm.py
# definition sha256:2ea2b446786e64241f7150293f6095959abe2b2c825be3f9a8b92b8b0084e85b
"""Polynomial of a row whose powers are each scaled to root mean square 1.

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
    dcubic: npt.NDArray[Any] | None
    dsquare: npt.NDArray[Any] | None
    dlinear: npt.NDArray[Any] | None
    dbias: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    dcubic: npt.NDArray[Any] | None
    dsquare: npt.NDArray[Any] | None
    dlinear: npt.NDArray[Any] | None
    dbias: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    cubic: float | npt.NDArray[Any] | None  # argument cubic of forward
    square: float | npt.NDArray[Any] | None  # argument square of forward
    linear: float | npt.NDArray[Any] | None  # argument linear of forward
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row
    rstd_2: npt.NDArray[Any]  # row scalar rstd_2, one per row
    rstd_3: npt.NDArray[Any]  # row scalar rstd_3, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    cubic: float | npt.NDArray[Any] | None = None,
    square: float | npt.NDArray[Any] | None = None,
    linear: float | npt.NDArray[Any] | None = None,
    bias: float | npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    cubic: float | npt.NDArray[Any] | None = None,
    square: float | npt.NDArray[Any] | None = None,
    linear: float | npt.NDArray[Any] | None = None,
    bias: float | npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    cubic: float | npt.NDArray[Any] | None = None,
    square: float | npt.NDArray[Any] | None = None,
    linear: float | npt.NDArray[Any] | None = None,
    bias: float | npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Polynomial of a row whose powers are each scaled to root mean square 1.

        mean_x6 = mean(x**6)
        rstd = 1/sqrt(mean_x6 + eps)
        mean_x4 = mean(x**4)
        rstd_2 = 1/sqrt(mean_x4 + eps)
        ms = mean(x**2)
        rstd_3 = 1/sqrt(ms + eps)
        first = rstd_3*x
        y = linear*first + cubic*rstd*x**3 + square*rstd_2*x**2 + bias

    Args:
        x: shape (..., D).
        cubic: a number or a 0-d array. If omitted it is 0.3333333333333333.
        square: a number or a 0-d array. If omitted it is 0.3333333333333333.
        linear: a number or a 0-d array. If omitted it is 0.3333333333333333.
        bias: a number or a 0-d array. If omitted it is 0, at no cost.
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
    return _forward(_FORWARD, x, cubic, square, linear, bias, eps, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    cubic: Any,
    square: Any,
    linear: Any,
    bias: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    cubic = _calls.scalar("cubic", cubic, False)
    square = _calls.scalar("square", square, False)
    linear = _calls.scalar("linear", linear, False)
    bias = _calls.scalar("bias", bias, False)
    _shape = _calls.row_shape("x", x, 1)
    _read = {"x": x, "cubic": cubic, "square": square, "linear": linear, "bias": bias}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, x.dtype, _read, _by.empty)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    rstd_2_ = _by.empty(_shape[:-1], _dtype)
    rstd_3_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, rstd_, rstd_2_, rstd_3_),
        _blocks.Work(_shape, _dtype, threads),
        (
            x,
            _calls.number(cubic, _dtype),
            _calls.number(square, _dtype),
            _calls.number(linear, _dtype),
            _calls.number(bias, _dtype),
            eps,
        ),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(
            _shape, _dtype, _dtypes, x, cubic, square, linear, rstd_, rstd_2_, rstd_3_
        )
        if save
        else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, cubic, square, linear, bias, eps = values
    y_out, rstd_out, rstd_2_out, rstd_3_out = results
    shape, dtype, _ = call
    features = shape[-1]
    # 0.3333333333333333
    constant_1 = dtype.type("0.3333333333333333")
    D = _rows.number(features, dtype)
    if cubic is not None:
        cubic_value = np.asarray(cubic, dtype)
    else:
        cubic_value = constant_1
    if square is not None:
        square_value = np.asarray(square, dtype)
    else:
        square_value = constant_1
    if linear is not None:
        linear_value = np.asarray(linear, dtype)
    else:
        linear_value = constant_1
    if bias is not None:
        bias = np.asarray(bias, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, y_block=None, buffers=(None,) * 2):
        # step 1: mean_x6 = mean(x**6)
        part = np.square(x, out=y_block)
        part_2 = np.multiply(part, x, out=buffers[0])
        mean_x6 = _rows.row_dot(part_2, part_2) / D
        # step 3: mean_x4 = mean(x**4)
        mean_x4 = _rows.row_dot(part, part) / D
        # step 5: ms = mean(x**2)
        ms = _rows.row_dot(x, x) / D
        # step 2: rstd = 1/sqrt(mean_x6 + eps)
        rstd = np.reciprocal(np.sqrt(mean_x6 + eps))
        # step 4: rstd_2 = 1/sqrt(mean_x4 + eps)
        rstd_2 = np.reciprocal(np.sqrt(mean_x4 + eps))
        # step 6: rstd_3 = 1/sqrt(ms + eps)
        rstd_3 = np.reciprocal(np.sqrt(ms + eps))
        # step 8, pass 1: square_scaled = rstd_2*square
        square_scaled = rstd_2 * square_value
        # step 8, pass 2: cubic_scaled = rstd*cubic
        cubic_scaled = rstd * cubic_value
        # step 8, pass 3: y = x**3*cubic_scaled + x*rstd_3*linear + x**2*square_scaled +
        #   bias
        y = np.multiply(part_2, cubic_scaled, out=part_2)
        part_3 = _rows.by_row(np.multiply, x, rstd_3 * linear_value, out=buffers[1])
        y = np.add(y, part_3, out=y)
        part_4 = np.multiply(part, square_scaled, out=part)
        y = np.add(y, part_4, out=part_4)
        if bias is not None:
            y = np.add(y, bias, out=y)
        return y, rstd[..., 0], rstd_2[..., 0], rstd_3[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        into=(y_out,),
        into_row_scalars=(rstd_out, rstd_2_out, rstd_3_out),
        buffers=2,
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = linear*dy
        dx = rstd_3*g + dy*x*(3*cubic*rstd*x + 2*square*rstd_2) - rstd_3*first*mean(first*g) - 3*rstd**3*x**5*mean(cubic*dy*x**3) - 2*rstd_2**3*x**3*mean(square*dy*x**2)
        dcubic = sum_rows(rstd*sum(dy*x**3))
        dsquare = sum_rows(rstd_2*sum(dy*x**2))
        dlinear = sum_rows(sum(dy*first))
        dbias = sum_rows(sum(dy))

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
    _check(saved)
    _of_x, _of_cubic, _of_square, _of_linear, _of_bias = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.cubic": saved.cubic,
        "saved.square": saved.square,
        "saved.linear": saved.linear,
        "saved.rstd": saved.rstd,
        "saved.rstd_2": saved.rstd_2,
        "saved.rstd_3": saved.rstd_3,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dcubic_, dsquare_, dlinear_, dbias_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dcubic=((), _of_cubic),
        dsquare=((), _of_square),
        dlinear=((), _of_linear),
        dbias=((), _of_bias),
    )
    _by.fill(
        (dx_, dcubic_, dsquare_, dlinear_, dbias_),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (
            saved.x,
            _calls.number(saved.cubic, _dtype),
            _calls.number(saved.square, _dtype),
            _calls.number(saved.linear, _dtype),
            saved.rstd,
            saved.rstd_2,
            saved.rstd_3,
        ),
    )
    return Gradients(*_calls.returned((dx_, dcubic_, dsquare_, dlinear_, dbias_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, cubic, square, linear, rstd_rows, rstd_2_rows, rstd_3_rows = fields
    dx_out, _, _, _, dbias_out = results
    shape, dtype, _ = call
    features = shape[-1]
    # 0.3333333333333333
    constant_1 = dtype.type("0.3333333333333333")
    # 0.6666666666666666
    constant_2 = dtype.type("0.6666666666666666")
    # 0.9999999999999999
    constant_3 = dtype.type("0.9999999999999999")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    if cubic is not None:
        cubic_value = np.asarray(cubic, dtype)
    else:
        cubic_value = constant_1
    if square is not None:
        square_value = np.asarray(square, dtype)
    else:
        square_value = constant_1
    if linear is not None:
        linear_value = np.asarray(linear, dtype)
    else:
        linear_value = constant_1
    # step 21, pass 5: square_scaled_2 = 2*rstd_2*square
    if square is not None:
        part = 2.0 * square_value
    else:
        part = constant_2
    # step 21, pass 6: cubic_scaled_2 = 3*rstd*cubic
    if cubic is not None:
        part_2 = 3.0 * cubic_value
    else:
        part_2 = constant_3

    def block(x, dy, rstd, rstd_2, rstd_3, dx_block=None, buffers=(None,) * 2):
        dbias = dlinear = dcubic = dsquare = None
        # step 21, pass 5: square_scaled_2 = 2*rstd_2*square
        square_scaled_2 = rstd_2 * part
        # step 21, pass 6: cubic_scaled_2 = 3*rstd*cubic
        cubic_scaled_2 = rstd * part_2
        # step 21: mean_dy_x = mean(dy*x**3*cubic)
        part_3 = np.square(x, out=dx_block)
        part_4 = np.multiply(part_3, x, out=buffers[0])
        part_5 = np.multiply(dy, part_4, out=buffers[1])
        part_5 = np.multiply(part_5, cubic_value, out=part_5)
        mean_dy_x = _rows.row_dot(part_5, one_over_D)
        # step 21: mean_dy_x_2 = mean(dy*x**2*square)
        part_6 = np.multiply(dy, part_3, out=buffers[1])
        part_6 = np.multiply(part_6, square_value, out=part_6)
        mean_dy_x_2 = _rows.row_dot(part_6, one_over_D)
        # step 23: sum_dy_x = sum(dy*x**3)
        if cubic is not None:
            sum_dy_x = _rows.row_dot(dy, part_4)
        # step 25: sum_dy_x_2 = sum(dy*x**2)
        if square is not None:
            sum_dy_x_2 = _rows.row_dot(dy, part_3)
        # step 26, pass 8: sum_dy_first_unscaled = sum(dy*x)
        if linear is not None:
            sum_dy_first_unscaled = _rows.row_dot(dy, x)
        # step 27: sum_dy = sum(dy)
        if dbias_out is not None:
            sum_dy = _rows.row_dot(dy, ones)
            # step 27: dbias = sum over rows of sum_dy
            dbias = np.add.reduce(sum_dy, axis=None)
        # step 9: g = dy*linear
        g = np.multiply(dy, linear_value, out=buffers[1])
        # step 21, pass 7: mean_first_g_unscaled = mean(g*x)
        mean_first_g_unscaled = _rows.row_dot(g, x) / D
        # step 21, pass 9: mean_first_g = mean_first_g_unscaled*rstd_3
        mean_first_g = mean_first_g_unscaled * rstd_3
        # step 26, pass 10: sum_dy_first = rstd_3*sum_dy_first_unscaled
        if linear is not None:
            sum_dy_first = rstd_3 * sum_dy_first_unscaled
            # step 26: dlinear = sum over rows of sum_dy_first
            dlinear = np.add.reduce(sum_dy_first, axis=None)
        # step 21, pass 11: mean_first_g_scaled = mean_first_g*rstd_3
        mean_first_g_scaled = mean_first_g * rstd_3
        # step 21, pass 12: mean_dy_x_scaled = -3*mean_dy_x*rstd**3
        mean_dy_x_scaled = mean_dy_x * (np.square(rstd) * rstd) * -3.0
        # step 21, pass 13: mean_dy_x_2_scaled = -2*mean_dy_x_2*rstd_2**3
        mean_dy_x_2_scaled = mean_dy_x_2 * (np.square(rstd_2) * rstd_2) * -2.0
        # step 23, pass 14: sum_dy_x_scaled = rstd*sum_dy_x
        if cubic is not None:
            sum_dy_x_scaled = rstd * sum_dy_x
            # step 23, pass 16: dcubic = sum over rows of sum_dy_x_scaled
            dcubic = np.add.reduce(sum_dy_x_scaled, axis=None)
        # step 25, pass 15: sum_dy_x_2_scaled = rstd_2*sum_dy_x_2
        if square is not None:
            sum_dy_x_2_scaled = rstd_2 * sum_dy_x_2
            # step 25, pass 17: dsquare = sum over rows of sum_dy_x_2_scaled
            dsquare = np.add.reduce(sum_dy_x_2_scaled, axis=None)
        # step 21, pass 18: dx = g*rstd_3 + x**3*mean_dy_x_2_scaled +
        #   x**5*mean_dy_x_scaled + (x*cubic_scaled_2 + square_scaled_2)*dy*x -
        #   x*mean_first_g_scaled*rstd_3
        dx = np.multiply(g, rstd_3, out=g)
        part_7 = np.multiply(part_4, mean_dy_x_2_scaled, out=part_4)
        dx = np.add(dx, part_7, out=part_7)
        part_8 = np.square(part_3, out=part_3)
        part_8 = np.multiply(part_8, x, out=part_8)
        part_8 = np.multiply(part_8, mean_dy_x_scaled, out=part_8)
        dx = np.add(dx, part_8, out=part_8)
        part_9 = _rows.by_row(np.multiply, x, cubic_scaled_2, out=buffers[0])
        part_9 = np.add(part_9, square_scaled_2, out=part_9)
        part_9 = np.multiply(part_9, dy, out=part_9)
        part_9 = np.multiply(part_9, x, out=part_9)
        dx = np.add(dx, part_9, out=dx)
        part_10 = _rows.by_row(
            np.multiply, x, mean_first_g_scaled * rstd_3, out=buffers[0]
        )
        dx = np.subtract(dx, part_10, out=dx)
        return dx, dbias, dlinear, dcubic, dsquare

    dx, dbias, dlinear, dcubic, dsquare = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(rstd_rows, rstd_2_rows, rstd_3_rows),
        into=(dx_out,),
        buffers=2,
        sums=4,
    )
    if cubic is not None:
        dcubic = np.full((), dcubic, dtype)
    if square is not None:
        dsquare = np.full((), dsquare, dtype)
    if linear is not None:
        dlinear = np.full((), dlinear, dtype)
    if dbias_out is not None:
        dbias = np.full((), dbias, dtype)
    return dx, dcubic, dsquare, dlinear, dbias


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    cubic_dot: float | npt.NDArray[Any] | None = None,
    square_dot: float | npt.NDArray[Any] | None = None,
    linear_dot: float | npt.NDArray[Any] | None = None,
    bias_dot: float | npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        rstd_dot = -3*rstd**3*mean(x**5*x_dot)
        rstd_2_dot = -2*rstd_2**3*mean(x**3*x_dot)
        y_dot = linear_dot*first + cubic*rstd_dot*x**3 + square*rstd_2_dot*x**2 +
            cubic_dot*rstd*x**3 + square_dot*rstd_2*x**2 + x*x_dot*(3*cubic*rstd*x +
            2*square*rstd_2) + linear*rstd_3*(x_dot - first*mean(first*x_dot)) +
            bias_dot

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        cubic_dot: the tangent of cubic, in its shape; None stands for zero.
        square_dot: the tangent of square, in its shape; None stands for zero.
        linear_dot: the tangent of linear, in its shape; None stands for zero.
        bias_dot: the tangent of bias, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(
        _JVP, saved, x_dot, cubic_dot, square_dot, linear_dot, bias_dot, out, threads
    )


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    cubic_dot: Any,
    square_dot: Any,
    linear_dot: Any,
    bias_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_cubic, _of_square, _of_linear, _of_bias = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    cubic_dot = _calls.scalar("cubic_dot", cubic_dot, False)
    square_dot = _calls.scalar("square_dot", square_dot, False)
    linear_dot = _calls.scalar("linear_dot", linear_dot, False)
    bias_dot = _calls.scalar("bias_dot", bias_dot, False)
    _calls.check_any("tangent", x_dot, cubic_dot, square_dot, linear_dot, bias_dot)
    _calls.check_left_out("cubic_dot", cubic_dot, "cubic", _of_cubic)
    _calls.check_left_out("square_dot", square_dot, "square", _of_square)
    _calls.check_left_out("linear_dot", linear_dot, "linear", _of_linear)
    _calls.check_left_out("bias_dot", bias_dot, "bias", _of_bias)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _read = {
        "x_dot": x_dot,
        "cubic_dot": cubic_dot,
        "square_dot": square_dot,
        "linear_dot": linear_dot,
        "bias_dot": bias_dot,
        "saved.x": saved.x,
        "saved.cubic": saved.cubic,
        "saved.square": saved.square,
        "saved.linear": saved.linear,
        "saved.rstd": saved.rstd,
        "saved.rstd_2": saved.rstd_2,
        "saved.rstd_3": saved.rstd_3,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (
            x_dot,
            _calls.number(cubic_dot, _dtype),
            _calls.number(square_dot, _dtype),
            _calls.number(linear_dot, _dtype),
            _calls.number(bias_dot, _dtype),
        ),
        (
            saved.x,
            _calls.number(saved.cubic, _dtype),
            _calls.number(saved.square, _dtype),
            _calls.number(saved.linear, _dtype),
            saved.rstd,
            saved.rstd_2,
            saved.rstd_3,
        ),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, cubic_dot, square_dot, linear_dot, bias_dot = arguments
    x_rows, cubic, square, linear, rstd_rows, rstd_2_rows, rstd_3_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    with_cubic_and_x_dot = cubic is not None and x_dot_rows is not None
    with_x_dot_without_cubic = cubic is None and x_dot_rows is not None
    with_square_and_x_dot = square is not None and x_dot_rows is not None
    with_x_dot_without_square = square is None and x_dot_rows is not None
    # 0.3333333333333333
    constant_1 = dtype.type("0.3333333333333333")
    # 0.6666666666666666
    constant_2 = dtype.type("0.6666666666666666")
    # 0.9999999999999999
    constant_3 = dtype.type("0.9999999999999999")
    D = _rows.number(features, dtype)
    if with_cubic_and_x_dot:
        cubic_value = np.asarray(cubic, dtype)
    if with_x_dot_without_cubic:
        cubic_value = constant_1
    if with_square_and_x_dot:
        square_value = np.asarray(square, dtype)
    if with_x_dot_without_square:
        square_value = constant_1
    if linear is not None and x_dot_rows is not None:
        linear_value = np.asarray(linear, dtype)
    if linear is None and x_dot_rows is not None:
        linear_value = constant_1
    if cubic_dot is not None:
        cubic_dot = np.asarray(cubic_dot, dtype)
    if square_dot is not None:
        square_dot = np.asarray(square_dot, dtype)
    if linear_dot is not None:
        linear_dot = np.asarray(linear_dot, dtype)
    if bias_dot is not None:
        bias_dot = np.asarray(bias_dot, dtype)
    # step 43, pass 23: square_scaled_2 = 2*rstd_2*square
    if with_square_and_x_dot:
        part = 2.0 * square_value
    if with_x_dot_without_square:
        part = constant_2
    # step 43, pass 24: cubic_scaled_2 = 3*rstd*cubic
    if with_cubic_and_x_dot:
        part_2 = 3.0 * cubic_value
    if with_x_dot_without_cubic:
        part_2 = constant_3

    def block(x, x_dot, rstd, rstd_2, rstd_3, y_dot_block=None, buffers=(None,) * 4):
        # step 43, pass 20: square_dot_scaled = rstd_2*square_dot
        if square_dot is not None:
            square_dot_scaled = rstd_2 * square_dot
        # step 43, pass 21: cubic_dot_scaled = rstd*cubic_dot
        if cubic_dot is not None:
            cubic_dot_scaled = rstd * cubic_dot
        # step 43, pass 22: rstd_3_scaled = rstd_3*linear
        if x_dot_rows is not None:
            rstd_3_scaled = rstd_3 * linear_value
            # step 43, pass 23: square_scaled_2 = 2*rstd_2*square
            square_scaled_2 = rstd_2 * part
            # step 43, pass 24: cubic_scaled_2 = 3*rstd*cubic
            cubic_scaled_2 = rstd * part_2
        # step 31: mean_x_x_dot = mean(x**5*x_dot)
        if x_dot_rows is not None or cubic_dot is not None or square_dot is not None:
            part_3 = np.square(x, out=buffers[0])
        if x_dot_rows is not None:
            part_4 = np.square(part_3, out=y_dot_block)
            part_4 = np.multiply(part_4, x, out=part_4)
            mean_x_x_dot = _rows.row_dot(part_4, x_dot) / D
        # step 35: mean_x_x_dot_2 = mean(x**3*x_dot)
        if x_dot_rows is not None or cubic_dot is not None:
            part_5 = np.multiply(part_3, x, out=buffers[1])
        if x_dot_rows is not None:
            mean_x_x_dot_2 = _rows.row_dot(part_5, x_dot) / D
            # step 43, pass 25: mean_first_x_dot_unscaled = mean(x*x_dot)
            mean_first_x_dot_unscaled = _rows.row_dot(x, x_dot) / D
            # step 43, pass 26: mean_first_x_dot = mean_first_x_dot_unscaled*rstd_3
            mean_first_x_dot = mean_first_x_dot_unscaled * rstd_3
            # step 31: rstd_dot = -3*mean_x_x_dot*rstd**3
            rstd_dot = mean_x_x_dot * (np.square(rstd) * rstd) * -3.0
            # step 35: rstd_2_dot = -2*mean_x_x_dot_2*rstd_2**3
            rstd_2_dot = mean_x_x_dot_2 * (np.square(rstd_2) * rstd_2) * -2.0
            # step 43, pass 27: rstd_2_dot_scaled = rstd_2_dot*square
            rstd_2_dot_scaled = rstd_2_dot * square_value
            # step 43, pass 28: rstd_dot_scaled = rstd_dot*cubic
            rstd_dot_scaled = rstd_dot * cubic_value
        # step 43, pass 29: y_dot = x**3*cubic_dot_scaled + x**2*rstd_2_dot_scaled +
        #   x*rstd_3*linear_dot + x**3*rstd_dot_scaled + x**2*square_dot_scaled + (x_dot
        #   - x*mean_first_x_dot*rstd_3)*rstd_3_scaled + (x*cubic_scaled_2 +
        #   square_scaled_2)*x*x_dot + bias_dot
        if cubic_dot is not None:
            y_dot = _rows.by_row(np.multiply, part_5, cubic_dot_scaled, out=y_dot_block)
        if x_dot_rows is not None:
            part_6 = _rows.by_row(
                np.multiply, part_3, rstd_2_dot_scaled, out=buffers[2]
            )
        if x_dot_rows is not None and cubic_dot is not None:
            y_dot = np.add(y_dot, part_6, out=y_dot)
        if x_dot_rows is not None and cubic_dot is None:
            y_dot = part_6
        if linear_dot is not None:
            part_7 = _rows.by_row(np.multiply, x, rstd_3 * linear_dot, out=buffers[3])
        if linear_dot is not None and (x_dot_rows is not None or cubic_dot is not None):
            y_dot = np.add(y_dot, part_7, out=y_dot_block)
        if x_dot_rows is None and cubic_dot is None and linear_dot is not None:
            y_dot = part_7
        if x_dot_rows is not None:
            part_8 = np.multiply(part_5, rstd_dot_scaled, out=part_5)
            y_dot = np.add(y_dot, part_8, out=y_dot_block)
        if square_dot is not None:
            part_9 = np.multiply(part_3, square_dot_scaled, out=part_3)
        if square_dot is not None and (
            x_dot_rows is not None or cubic_dot is not None or linear_dot is not None
        ):
            y_dot = np.add(y_dot, part_9, out=y_dot_block)
        if (
            x_dot_rows is None
            and cubic_dot is None
            and square_dot is not None
            and linear_dot is None
        ):
            y_dot = part_9
        if x_dot_rows is not None:
            part_10 = _rows.by_row(
                np.multiply, x, mean_first_x_dot * rstd_3, out=buffers[0]
            )
            part_10 = np.subtract(x_dot, part_10, out=part_10)
            part_10 = np.multiply(part_10, rstd_3_scaled, out=part_10)
            y_dot = np.add(y_dot, part_10, out=y_dot)
            part_11 = _rows.by_row(np.multiply, x, cubic_scaled_2, out=buffers[0])
            part_11 = np.add(part_11, square_scaled_2, out=part_11)
            part_11 = np.multiply(part_11, x, out=part_11)
            part_11 = np.multiply(part_11, x_dot, out=part_11)
            y_dot = np.add(y_dot, part_11, out=y_dot)
        if bias_dot is not None and (
            x_dot_rows is not None
            or cubic_dot is not None
            or square_dot is not None
            or linear_dot is not None
        ):
            y_dot = np.add(y_dot, bias_dot, out=y_dot_block)
        if (
            x_dot_rows is None
            and cubic_dot is None
            and square_dot is None
            and linear_dot is None
        ):
            y_dot = _rows.filled(bias_dot, y_dot_block, shape, dtype)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(rstd_rows, rstd_2_rows, rstd_3_rows),
        into=(y_dot_out,),
        buffers=4,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddcubic: float | npt.NDArray[Any] | None = None,
    ddsquare: float | npt.NDArray[Any] | None = None,
    ddlinear: float | npt.NDArray[Any] | None = None,
    ddbias: float | npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = linear*dy
        mean_first_g = mean(first*g)
        mean_dy_x3 = mean(cubic*dy*x**3)
        mean_dy_x2 = mean(square*dy*x**2)
        mean_dy_x3_2 = mean(dy*x**3)
        mean_dy_x2_2 = mean(dy*x**2)
        dmean_dy = D*ddbias
        dmean_dy_first = D*ddlinear
        dmean_dy_x2_2 = D*ddsquare*rstd_2
        dmean_dy_x3_2 = D*ddcubic*rstd
        dmean_dy_x2 = sum(-2*rstd_2**3*ddx*x**3)
        dmean_dy_x3 = sum(-3*rstd**3*ddx*x**5)
        dmean_first_g = sum(-rstd_3*ddx*first)
        dg = rstd_3*ddx + dmean_first_g*first/D
        d2first = dmean_dy_first*dy/D + dmean_first_g*g/D - mean_first_g*rstd_3*ddx
        d2rstd_3 = sum(d2first*x) + sum(ddx*(g - mean_first_g*first))
        d2ms = -d2rstd_3*rstd_3**3/2
        d2rstd_2 = D*ddsquare*mean_dy_x2_2 + sum(2*ddx*(square*dy*x -
            3*mean_dy_x2*rstd_2**2*x**3))
        d2mean_x4 = -d2rstd_2*rstd_2**3/2
        d2rstd = D*ddcubic*mean_dy_x3_2 + sum(3*ddx*(cubic*dy*x**2 -
            3*mean_dy_x3*rstd**2*x**5))
        d2mean_x6 = -d2rstd*rstd**3/2
        d2x = rstd_3*d2first + 2*d2ms*x/D + 4*d2mean_x4*x**3/D + 6*d2mean_x6*x**5/D +
            2*dmean_dy_x2_2*dy*x/D + 2*square*dmean_dy_x2*dy*x/D +
            3*dmean_dy_x3_2*dy*x**2/D + 3*cubic*dmean_dy_x3*dy*x**2/D +
            ddx*(3*cubic*rstd*dy*x + dy*(3*cubic*rstd*x + 2*square*rstd_2) -
            15*mean_dy_x3*rstd**3*x**4 - 6*mean_dy_x2*rstd_2**3*x**2)
        d2cubic = sum_rows(dmean_dy_x3*mean_dy_x3_2 + 3*rstd*sum(ddx*dy*x**2))
        d2square = sum_rows(dmean_dy_x2*mean_dy_x2_2 + 2*rstd_2*sum(ddx*dy*x))
        d2linear = sum_rows(sum(dg*dy))
        d2bias = 0
        ddy = linear*dg + dmean_dy_first*first/D + dmean_dy_x2_2*x**2/D +
            dmean_dy_x3_2*x**3/D + cubic*dmean_dy_x3*x**3/D + square*dmean_dy_x2*x**2/D
            + ddx*x*(3*cubic*rstd*x + 2*square*rstd_2) + dmean_dy/D

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddcubic: the cotangent of dcubic, in its shape; None stands for zero.
        ddsquare: the cotangent of dsquare, in its shape; None stands for zero.
        ddlinear: the cotangent of dlinear, in its shape; None stands for zero.
        ddbias: the cotangent of dbias, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dcubic is d2cubic,
    dsquare is d2square, dlinear is d2linear, dbias is d2bias) and to the
    cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD,
        saved,
        dy_,
        ddx,
        ddcubic,
        ddsquare,
        ddlinear,
        ddbias,
        out,
        threads,
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddcubic: Any,
    ddsquare: Any,
    ddlinear: Any,
    ddbias: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_cubic, _of_square, _of_linear, _of_bias = saved[2]
    dy, ddx = _calls.arrays(1, dy=dy, ddx=ddx)
    ddcubic = _calls.scalar("ddcubic", ddcubic, False)
    ddsquare = _calls.scalar("ddsquare", ddsquare, False)
    ddlinear = _calls.scalar("ddlinear", ddlinear, False)
    ddbias = _calls.scalar("ddbias", ddbias, False)
    _calls.check_any(
        "cotangent of a gradient", ddx, ddcubic, ddsquare, ddlinear, ddbias
    )
    _calls.check_left_out("ddcubic", ddcubic, "cubic", _of_cubic)
    _calls.check_left_out("ddsquare", ddsquare, "square", _of_square)
    _calls.check_left_out("ddlinear", ddlinear, "linear", _of_linear)
    _calls.check_left_out("ddbias", ddbias, "bias", _of_bias)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddcubic": ddcubic,
        "ddsquare": ddsquare,
        "ddlinear": ddlinear,
        "ddbias": ddbias,
        "saved.x": saved.x,
        "saved.cubic": saved.cubic,
        "saved.square": saved.square,
        "saved.linear": saved.linear,
        "saved.rstd": saved.rstd,
        "saved.rstd_2": saved.rstd_2,
        "saved.rstd_3": saved.rstd_3,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dcubic_, dsquare_, dlinear_, dbias_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dcubic=((), _of_cubic),
        dsquare=((), _of_square),
        dlinear=((), _of_linear),
        dbias=((), _of_bias),
        ddy=(_shape, dy.dtype),
    )
    _by.fill(
        (dx_, dcubic_, dsquare_, dlinear_, dbias_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (
            dy,
            ddx,
            _calls.number(ddcubic, _dtype),
            _calls.number(ddsquare, _dtype),
            _calls.number(ddlinear, _dtype),
            _calls.number(ddbias, _dtype),
        ),
        (
            saved.x,
            _calls.number(saved.cubic, _dtype),
            _calls.number(saved.square, _dtype),
            _calls.number(saved.linear, _dtype),
            saved.rstd,
            saved.rstd_2,
            saved.rstd_3,
        ),
    )
    return SecondGradients(
        *_calls.returned((dx_, dcubic_, dsquare_, dlinear_, dbias_, ddy_), out)
    )


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddcubic, ddsquare, ddlinear, ddbias = arguments
    x_rows, cubic, square, linear, rstd_rows, rstd_2_rows, rstd_3_rows = fields
    dx_out, _, _, _, dbias_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ddbias = _blocks.or_zeros(ddbias, (), dtype)
    with_cubic_and_ddx = cubic is not None and ddx_rows is not None
    with_ddx_without_cubic = cubic is None and ddx_rows is not None
    with_square_and_ddx = square is not None and ddx_rows is not None
    with_ddx_without_square = square is None and ddx_rows is not None
    with_linear_and_ddx = linear is not None and ddx_rows is not None
    with_ddx_or_ddsquare = ddx_rows is not None or ddsquare is not None
    with_ddx_or_ddcubic = ddx_rows is not None or ddcubic is not None
    with_ddx_or_ddlinear = ddx_rows is not None or ddlinear is not None
    with_ddx_and_ddlinear = ddx_rows is not None and ddlinear is not None
    with_ddlinear_without_ddx = ddx_rows is None and ddlinear is not None
    needs_ddy = ddx_rows is None and ddsquare is not None and ddlinear is None
    needs_ddy_2 = (
        ddx_rows is None
        and ddcubic is not None
        and ddsquare is None
        and ddlinear is None
    )
    # 0.3333333333333333
    constant_1 = dtype.type("0.3333333333333333")
    # 0.6666666666666666
    constant_2 = dtype.type("0.6666666666666666")
    # 0.9999999999999999
    constant_3 = dtype.type("0.9999999999999999")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    if with_cubic_and_ddx:
        cubic_value = np.asarray(cubic, dtype)
    if with_ddx_without_cubic:
        cubic_value = constant_1
    if with_square_and_ddx:
        square_value = np.asarray(square, dtype)
    if with_ddx_without_square:
        square_value = constant_1
    if with_linear_and_ddx:
        linear_value = np.asarray(linear, dtype)
    if linear is None and ddx_rows is not None:
        linear_value = constant_1
    if ddcubic is not None:
        ddcubic = np.asarray(ddcubic, dtype)
    if ddsquare is not None:
        ddsquare = np.asarray(ddsquare, dtype)
    if ddlinear is not None:
        ddlinear = np.asarray(ddlinear, dtype)
    ddbias = np.asarray(ddbias, dtype)
    # step 83: dmean_dy = D*ddbias
    dmean_dy = D * ddbias
    # step 59: dmean_dy_first = D*ddlinear
    if ddlinear is not None:
        dmean_dy_first = D * ddlinear
    # step 52: dmean_dy_x2_2 = rstd_2*D*ddsquare
    if ddsquare is not None:
        part = D * ddsquare
    # step 54: dmean_dy_x3_2 = rstd*D*ddcubic
    if ddcubic is not None:
        part_2 = D * ddcubic
    # step 61, pass 33: dmean_dy_first_scaled = dmean_dy_first/D
    if ddlinear is not None:
        dmean_dy_first_scaled = dmean_dy_first / D
    # step 71, pass 34: square_scaled_2 = 2*rstd_2*square
    if with_square_and_ddx:
        part_7 = 2.0 * square_value
    if with_ddx_without_square:
        part_7 = constant_2
    # step 71, pass 35: cubic_scaled_2 = 3*rstd*cubic
    if with_cubic_and_ddx:
        part_8 = 3.0 * cubic_value
    if with_ddx_without_cubic:
        part_8 = constant_3
    # step 71, pass 36: dmean_dy_x2_2_scaled = 2*dmean_dy_x2_2/D
    if ddx_rows is not None or ddsquare is not None or ddlinear is not None:
        part_9 = 2.0 / D
    # step 71, pass 37: dmean_dy_x3_2_scaled = 3*dmean_dy_x3_2/D
    if ddcubic is not None:
        part_10 = 3.0 / D
    # step 84, pass 38: dmean_dy_scaled = dmean_dy/D
    dmean_dy_scaled = dmean_dy / D
    # step 71, pass 53: dmean_dy_x2_scaled = 2*dmean_dy_x2*square/D
    if ddx_rows is not None:
        part_25 = part_7 / D
        # step 71, pass 54: dmean_dy_x3_scaled = 3*dmean_dy_x3*cubic/D
        part_26 = part_8 / D
        # step 84, pass 57: dmean_dy_x2_scaled_2 = dmean_dy_x2*square/D
        part_27 = square_value / D
        # step 84, pass 58: dmean_dy_x3_scaled_2 = dmean_dy_x3*cubic/D
        part_28 = cubic_value / D
    # step 71, pass 68: d2mean_x4_scaled = 4*d2mean_x4/D
    if with_ddx_or_ddsquare:
        part_45 = 4.0 / D
    # step 71, pass 69: d2mean_x6_scaled = 6*d2mean_x6/D
    if with_ddx_or_ddcubic:
        part_46 = 6.0 / D

    def block(
        x,
        dy,
        ddx,
        rstd,
        rstd_2,
        rstd_3,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 9,
    ):
        d2cubic = d2square = d2linear = None
        # step 52: dmean_dy_x2_2 = rstd_2*D*ddsquare
        if ddsquare is not None:
            dmean_dy_x2_2 = rstd_2 * part
        # step 54: dmean_dy_x3_2 = rstd*D*ddcubic
        if ddcubic is not None:
            dmean_dy_x3_2 = rstd * part_2
        # step 55, pass 31: rstd_2_scaled = -2*rstd_2**3
        if with_ddx_or_ddsquare:
            part_3 = np.square(rstd_2)
            part_4 = part_3 * rstd_2
        if ddx_rows is not None:
            rstd_2_scaled = part_4 * -2.0
        # step 56, pass 32: rstd_scaled = -3*rstd**3
        if with_ddx_or_ddcubic:
            part_5 = np.square(rstd)
            part_6 = part_5 * rstd
        if ddx_rows is not None:
            rstd_scaled = part_6 * -3.0
            # step 71, pass 34: square_scaled_2 = 2*rstd_2*square
            square_scaled_2 = rstd_2 * part_7
            # step 71, pass 35: cubic_scaled_2 = 3*rstd*cubic
            cubic_scaled_2 = rstd * part_8
        # step 71, pass 36: dmean_dy_x2_2_scaled = 2*dmean_dy_x2_2/D
        if ddsquare is not None:
            dmean_dy_x2_2_scaled = dmean_dy_x2_2 * part_9
        # step 71, pass 37: dmean_dy_x3_2_scaled = 3*dmean_dy_x3_2/D
        if ddcubic is not None:
            dmean_dy_x3_2_scaled = dmean_dy_x3_2 * part_10
        # step 84, pass 39: dmean_dy_x2_2_scaled_2 = dmean_dy_x2_2/D
        if ddsquare is not None:
            dmean_dy_x2_2_scaled_2 = dmean_dy_x2_2 / D
        # step 84, pass 40: dmean_dy_x3_2_scaled_2 = dmean_dy_x3_2/D
        if ddcubic is not None:
            dmean_dy_x3_2_scaled_2 = dmean_dy_x3_2 / D
        # step 44: mean_dy_x3 = mean(dy*x**3*cubic)
        if ddx_rows is not None or ddcubic is not None or ddsquare is not None:
            part_11 = np.square(x, out=buffers[0])
            part_12 = np.multiply(part_11, x, out=buffers[1])
        if ddx_rows is not None:
            part_13 = np.multiply(dy, part_12, out=ddy_block)
            part_13 = np.multiply(part_13, cubic_value, out=part_13)
            mean_dy_x3 = _rows.row_dot(part_13, one_over_D)
        # step 45: mean_dy_x2 = mean(dy*x**2*square)
        if with_ddx_or_ddcubic:
            part_14 = np.multiply(dy, part_11, out=buffers[2])
        if ddx_rows is not None:
            part_15 = np.multiply(part_14, square_value, out=ddy_block)
            mean_dy_x2 = _rows.row_dot(part_15, one_over_D)
        # step 49: mean_dy_x3_2 = mean(dy*x**3)
        if ddcubic is not None or (cubic is not None and ddx_rows is not None):
            mean_dy_x3_2 = _rows.row_dot(dy, part_12) / D
        # step 50: mean_dy_x2_2 = mean(dy*x**2)
        if ddsquare is not None or (square is not None and ddx_rows is not None):
            mean_dy_x2_2 = _rows.row_dot(dy, part_11) / D
        # step 55, pass 42: dmean_dy_x2 = sum(ddx*x**3*rstd_2_scaled)
        if ddx_rows is not None:
            part_16 = np.multiply(ddx, part_12, out=ddy_block)
            part_16 = np.multiply(part_16, rstd_2_scaled, out=part_16)
            dmean_dy_x2 = _rows.row_dot(part_16, ones)
        # step 56, pass 43: dmean_dy_x3 = sum(ddx*x**5*rstd_scaled)
        if with_ddx_or_ddcubic:
            part_17 = np.square(part_11, out=buffers[3])
            part_18 = np.multiply(part_17, x, out=buffers[4])
        if ddx_rows is not None:
            part_19 = np.multiply(ddx, part_18, out=ddy_block)
            part_19 = np.multiply(part_19, rstd_scaled, out=part_19)
            dmean_dy_x3 = _rows.row_dot(part_19, ones)
            # step 60, pass 44: dmean_first_g_unscaled = sum(-ddx*x)
            part_20 = np.multiply(ddx, x, out=ddy_block)
            part_20 = np.negative(part_20, out=part_20)
            dmean_first_g_unscaled = _rows.row_dot(part_20, ones)
        # step 74: sum_ddx_dy_x_3 = sum(ddx*dy*x**2)
        if ddx_rows is not None and (cubic is not None or square is not None):
            part_21 = np.multiply(ddx, dy, out=ddy_block)
        if with_cubic_and_ddx:
            part_22 = np.multiply(part_21, part_11, out=dx_block)
            sum_ddx_dy_x_3 = _rows.row_dot(part_22, ones)
        # step 77: sum_ddx_dy_x_4 = sum(ddx*dy*x)
        if with_square_and_ddx:
            part_23 = np.multiply(part_21, x, out=part_21)
            sum_ddx_dy_x_4 = _rows.row_dot(part_23, ones)
        # step 46: g = dy*linear
        if ddx_rows is not None:
            g = np.multiply(dy, linear_value, out=ddy_block)
            # step 47, pass 41: mean_first_g_unscaled = mean(g*x)
            mean_first_g_unscaled = _rows.row_dot(g, x) / D
            # step 47, pass 45: mean_first_g = mean_first_g_unscaled*rstd_3
            mean_first_g = mean_first_g_unscaled * rstd_3
        # step 60, pass 46: dmean_first_g = dmean_first_g_unscaled*rstd_3**2
        if with_ddx_or_ddlinear:
            part_24 = np.square(rstd_3)
        if ddx_rows is not None:
            dmean_first_g = dmean_first_g_unscaled * part_24
            # step 78, pass 47: dmean_first_g_scaled = dmean_first_g/D
            dmean_first_g_scaled = dmean_first_g / D
            # step 61, pass 48: mean_first_g_scaled = mean_first_g*rstd_3
            mean_first_g_scaled = mean_first_g * rstd_3
            # step 65, pass 49: mean_dy_x2_scaled = -6*mean_dy_x2*rstd_2**2
            mean_dy_x2_scaled = mean_dy_x2 * part_3 * -6.0
            # step 68, pass 50: mean_dy_x3_scaled = -9*mean_dy_x3*rstd**2
            mean_dy_x3_scaled = mean_dy_x3 * part_5 * -9.0
            # step 71, pass 51: mean_dy_x3_scaled_2 = -15*mean_dy_x3*rstd**3
            mean_dy_x3_scaled_2 = mean_dy_x3 * part_6 * -15.0
            # step 71, pass 52: mean_dy_x2_scaled_2 = -6*mean_dy_x2*rstd_2**3
            mean_dy_x2_scaled_2 = mean_dy_x2 * part_4 * -6.0
            # step 71, pass 53: dmean_dy_x2_scaled = 2*dmean_dy_x2*square/D
            dmean_dy_x2_scaled = dmean_dy_x2 * part_25
            # step 71, pass 54: dmean_dy_x3_scaled = 3*dmean_dy_x3*cubic/D
            dmean_dy_x3_scaled = dmean_dy_x3 * part_26
        # step 74, pass 55: sum_ddx_dy_x_3_shifted = dmean_dy_x3*mean_dy_x3_2 +
        #   3*rstd*sum_ddx_dy_x_3
        if with_cubic_and_ddx:
            sum_ddx_dy_x_3_shifted = (
                dmean_dy_x3 * mean_dy_x3_2 + rstd * sum_ddx_dy_x_3 * 3.0
            )
            # step 74, pass 59: d2cubic = sum over rows of sum_ddx_dy_x_3_shifted
            d2cubic = np.add.reduce(sum_ddx_dy_x_3_shifted, axis=None)
        # step 77, pass 56: sum_ddx_dy_x_4_shifted = dmean_dy_x2*mean_dy_x2_2 +
        #   2*rstd_2*sum_ddx_dy_x_4
        if with_square_and_ddx:
            sum_ddx_dy_x_4_shifted = (
                dmean_dy_x2 * mean_dy_x2_2 + rstd_2 * sum_ddx_dy_x_4 * 2.0
            )
            # step 77, pass 60: d2square = sum over rows of sum_ddx_dy_x_4_shifted
            d2square = np.add.reduce(sum_ddx_dy_x_4_shifted, axis=None)
        # step 84, pass 57: dmean_dy_x2_scaled_2 = dmean_dy_x2*square/D
        if ddx_rows is not None:
            dmean_dy_x2_scaled_2 = dmean_dy_x2 * part_27
            # step 84, pass 58: dmean_dy_x3_scaled_2 = dmean_dy_x3*cubic/D
            dmean_dy_x3_scaled_2 = dmean_dy_x3 * part_28
            # step 62, pass 64: sum_ddx_first_g = sum((g - x*mean_first_g*rstd_3)*ddx)
            part_29 = _rows.by_row(np.multiply, x, mean_first_g_scaled, out=dx_block)
            part_29 = np.subtract(g, part_29, out=part_29)
            sum_ddx_first_g = _rows.row_dot(part_29, ddx)
            # step 65, pass 65: sum_ddx_dy_x = sum(ddx*(x**3*mean_dy_x2_scaled +
            #   2*dy*x*square))
            part_30 = _rows.by_row(
                np.multiply, part_12, mean_dy_x2_scaled, out=dx_block
            )
        if with_ddx_or_ddsquare:
            part_31 = np.multiply(dy, x, out=buffers[5])
        if ddx_rows is not None:
            part_32 = np.multiply(part_31, part_7, out=buffers[6])
            part_30 = np.add(part_30, part_32, out=part_30)
            sum_ddx_dy_x = _rows.row_dot(ddx, part_30)
            # step 68, pass 66: sum_ddx_dy_x_2 = sum(ddx*(x**5*mean_dy_x3_scaled +
            #   3*dy*x**2*cubic))
            part_33 = _rows.by_row(
                np.multiply, part_18, mean_dy_x3_scaled, out=dx_block
            )
            part_34 = np.multiply(part_14, part_8, out=buffers[6])
            part_33 = np.add(part_33, part_34, out=part_33)
            sum_ddx_dy_x_2 = _rows.row_dot(ddx, part_33)
            # step 78, pass 61: dg = ddx*rstd_3 + x*dmean_first_g_scaled*rstd_3
            dg = _rows.by_row(np.multiply, ddx, rstd_3, out=dx_block)
            part_35 = _rows.by_row(
                np.multiply, x, dmean_first_g_scaled * rstd_3, out=buffers[6]
            )
            dg = np.add(dg, part_35, out=dg)
        # step 79: sum_dg_dy = sum(dg*dy)
        if with_linear_and_ddx:
            sum_dg_dy = _rows.row_dot(dg, dy)
            # step 79: d2linear = sum over rows of sum_dg_dy
            d2linear = np.add.reduce(sum_dg_dy, axis=None)
        # step 61, pass 62: d2first = dy*dmean_dy_first_scaled + g*dmean_first_g_scaled
        #   - ddx*mean_first_g_scaled
        if ddlinear is not None:
            d2first = np.multiply(dy, dmean_dy_first_scaled, out=buffers[6])
        if ddx_rows is not None:
            part_36 = np.multiply(g, dmean_first_g_scaled, out=g)
        if with_ddx_and_ddlinear:
            d2first = np.add(d2first, part_36, out=part_36)
        if ddx_rows is not None and ddlinear is None:
            d2first = part_36
        if ddx_rows is not None:
            part_37 = _rows.by_row(
                np.multiply, ddx, mean_first_g_scaled, out=buffers[6]
            )
            d2first = np.subtract(d2first, part_37, out=part_37)
        # step 62: sum_d2first_x = sum(d2first*x)
        if with_ddx_or_ddlinear:
            sum_d2first_x = _rows.row_dot(d2first, x)
        # step 84, pass 63: ddy = dg*linear + x*dmean_dy_first_scaled*rstd_3 +
        #   x**2*dmean_dy_x2_2_scaled_2 + x**2*dmean_dy_x2_scaled_2 +
        #   x**3*dmean_dy_x3_2_scaled_2 + x**3*dmean_dy_x3_scaled_2 + (x*cubic_scaled_2
        #   + square_scaled_2)*ddx*x + dmean_dy_scaled
        if ddx_rows is not None:
            ddy = np.multiply(dg, linear_value, out=ddy_block)
        if ddlinear is not None:
            part_38 = _rows.by_row(
                np.multiply, x, dmean_dy_first_scaled * rstd_3, out=dx_block
            )
        if with_ddx_and_ddlinear:
            ddy = np.add(ddy, part_38, out=ddy)
        if with_ddlinear_without_ddx:
            ddy = part_38
        if ddsquare is not None:
            part_39 = _rows.by_row(
                np.multiply, part_11, dmean_dy_x2_2_scaled_2, out=buffers[7]
            )
        if ddsquare is not None and (ddx_rows is not None or ddlinear is not None):
            ddy = np.add(ddy, part_39, out=ddy_block)
        if needs_ddy:
            ddy = part_39
        if ddx_rows is not None:
            part_40 = _rows.by_row(
                np.multiply, part_11, dmean_dy_x2_scaled_2, out=dx_block
            )
            ddy = np.add(ddy, part_40, out=ddy)
        if ddcubic is not None:
            part_41 = _rows.by_row(
                np.multiply, part_12, dmean_dy_x3_2_scaled_2, out=buffers[8]
            )
        if ddcubic is not None and (
            ddx_rows is not None or ddsquare is not None or ddlinear is not None
        ):
            ddy = np.add(ddy, part_41, out=ddy_block)
        if needs_ddy_2:
            ddy = part_41
        if ddx_rows is not None:
            part_42 = _rows.by_row(
                np.multiply, part_12, dmean_dy_x3_scaled_2, out=dx_block
            )
            ddy = np.add(ddy, part_42, out=ddy)
            part_43 = _rows.by_row(np.multiply, x, cubic_scaled_2, out=dx_block)
            part_43 = _rows.by_row(np.add, part_43, square_scaled_2, out=buffers[7])
            part_44 = np.multiply(part_43, ddx, out=dx_block)
            part_44 = np.multiply(part_44, x, out=part_44)
            ddy = np.add(ddy, part_44, out=ddy)
        if (
            ddx_rows is not None
            or ddcubic is not None
            or ddsquare is not None
            or ddlinear is not None
        ):
            ddy = np.add(ddy, dmean_dy_scaled, out=ddy_block)
        # step 62: d2rstd_3 = sum_d2first_x + sum_ddx_first_g
        if ddx_rows is not None:
            d2rstd_3 = sum_d2first_x + sum_ddx_first_g
        if with_ddlinear_without_ddx:
            d2rstd_3 = sum_d2first_x
        # step 64: d2ms = -d2rstd_3*rstd_3**3/2
        if with_ddx_or_ddlinear:
            d2ms = d2rstd_3 * (part_24 * rstd_3) * -0.5
        # step 65: d2rstd_2 = sum_ddx_dy_x + mean_dy_x2_2*D*ddsquare
        if ddsquare is not None:
            d2rstd_2 = mean_dy_x2_2 * part
        if ddx_rows is not None and ddsquare is not None:
            d2rstd_2 = sum_ddx_dy_x + d2rstd_2
        if ddx_rows is not None and ddsquare is None:
            d2rstd_2 = sum_ddx_dy_x
        # step 67: d2mean_x4 = -d2rstd_2*rstd_2**3/2
        if with_ddx_or_ddsquare:
            d2mean_x4 = d2rstd_2 * part_4 * -0.5
        # step 68: d2rstd = sum_ddx_dy_x_2 + mean_dy_x3_2*D*ddcubic
        if ddcubic is not None:
            d2rstd = mean_dy_x3_2 * part_2
        if ddx_rows is not None and ddcubic is not None:
            d2rstd = sum_ddx_dy_x_2 + d2rstd
        if ddx_rows is not None and ddcubic is None:
            d2rstd = sum_ddx_dy_x_2
        # step 70: d2mean_x6 = -d2rstd*rstd**3/2
        if with_ddx_or_ddcubic:
            d2mean_x6 = d2rstd * part_6 * -0.5
        # step 71, pass 67: d2ms_scaled = 2*d2ms/D
        if with_ddx_or_ddlinear:
            d2ms_scaled = d2ms * part_9
        # step 71, pass 68: d2mean_x4_scaled = 4*d2mean_x4/D
        if with_ddx_or_ddsquare:
            d2mean_x4_scaled = d2mean_x4 * part_45
        # step 71, pass 69: d2mean_x6_scaled = 6*d2mean_x6/D
        if with_ddx_or_ddcubic:
            d2mean_x6_scaled = d2mean_x6 * part_46
        # step 71, pass 70: d2x = x*d2ms_scaled + d2first*rstd_3 + x**3*d2mean_x4_scaled
        #   + x**5*d2mean_x6_scaled + dy*x*dmean_dy_x2_2_scaled +
        #   dy*x*dmean_dy_x2_scaled + dy*x**2*dmean_dy_x3_2_scaled +
        #   dy*x**2*dmean_dy_x3_scaled + (dy*x*cubic_scaled_2 + x**2*mean_dy_x2_scaled_2
        #   + x**4*mean_dy_x3_scaled_2 + (x*cubic_scaled_2 + square_scaled_2)*dy)*ddx
        if with_ddx_or_ddlinear:
            d2x = _rows.by_row(np.multiply, x, d2ms_scaled, out=dx_block)
            part_47 = np.multiply(d2first, rstd_3, out=d2first)
            d2x = np.add(d2x, part_47, out=d2x)
        if with_ddx_or_ddsquare:
            part_48 = np.multiply(part_12, d2mean_x4_scaled, out=part_12)
        if ddx_rows is not None or (ddsquare is not None and ddlinear is not None):
            d2x = np.add(d2x, part_48, out=d2x)
        if needs_ddy:
            d2x = part_48
        if with_ddx_or_ddcubic:
            part_49 = np.multiply(part_18, d2mean_x6_scaled, out=part_18)
        if (
            ddx_rows is not None
            or (ddcubic is not None and ddsquare is not None)
            or (ddcubic is not None and ddlinear is not None)
        ):
            d2x = np.add(d2x, part_49, out=dx_block)
        if needs_ddy_2:
            d2x = part_49
        if ddsquare is not None:
            part_50 = _rows.by_row(
                np.multiply, part_31, dmean_dy_x2_2_scaled, out=buffers[4]
            )
            d2x = np.add(d2x, part_50, out=dx_block)
        if ddx_rows is not None:
            part_51 = _rows.by_row(
                np.multiply, part_31, dmean_dy_x2_scaled, out=buffers[1]
            )
            d2x = np.add(d2x, part_51, out=d2x)
        if ddcubic is not None:
            part_52 = _rows.by_row(
                np.multiply, part_14, dmean_dy_x3_2_scaled, out=buffers[1]
            )
            d2x = np.add(d2x, part_52, out=dx_block)
        if ddx_rows is not None:
            part_53 = _rows.by_row(
                np.multiply, part_14, dmean_dy_x3_scaled, out=buffers[1]
            )
            d2x = np.add(d2x, part_53, out=d2x)
            part_54 = _rows.by_row(np.multiply, part_31, cubic_scaled_2, out=buffers[1])
            part_55 = np.multiply(part_11, mean_dy_x2_scaled_2, out=part_11)
            part_54 = np.add(part_54, part_55, out=part_55)
            part_56 = _rows.by_row(
                np.multiply, part_17, mean_dy_x3_scaled_2, out=buffers[1]
            )
            part_54 = np.add(part_54, part_56, out=part_54)
            part_57 = np.multiply(part_43, dy, out=buffers[1])
            part_54 = np.add(part_54, part_57, out=part_54)
            part_54 = np.multiply(part_54, ddx, out=part_54)
            d2x = np.add(d2x, part_54, out=d2x)
        if (
            ddx_rows is None
            and ddcubic is None
            and ddsquare is None
            and ddlinear is None
        ):
            ddy = _rows.filled(dmean_dy_scaled, ddy_block, shape, dtype)
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
        return d2x, ddy, d2cubic, d2square, d2linear

    d2x, ddy, d2cubic, d2square, d2linear = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(rstd_rows, rstd_2_rows, rstd_3_rows),
        into=(dx_out, ddy_out),
        buffers=9,
        sums=3,
    )
    if cubic is not None and ddx_rows is None:
        d2cubic = 0.0
    if square is not None and ddx_rows is None:
        d2square = 0.0
    if linear is not None and ddx_rows is None:
        d2linear = 0.0
    if cubic is not None:
        d2cubic = np.full((), d2cubic, dtype)
    if square is not None:
        d2square = np.full((), d2square, dtype)
    if linear is not None:
        d2linear = np.full((), d2linear, dtype)
    if dbias_out is not None:
        dbias = np.full((), 0.0, dtype)
    else:
        dbias = None
    return d2x, d2cubic, d2square, d2linear, dbias, ddy


def saved_from(
    *,
    x: npt.NDArray[Any],
    cubic: float | npt.NDArray[Any] | None = None,
    square: float | npt.NDArray[Any] | None = None,
    linear: float | npt.NDArray[Any] | None = None,
    rstd: npt.NDArray[Any],
    rstd_2: npt.NDArray[Any],
    rstd_3: npt.NDArray[Any],
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
    fields_ = (x, cubic, square, linear, rstd, rstd_2, rstd_3)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, cubic, square, linear, rstd, rstd_2, rstd_3)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "poly_norm")
    _calls.check_first_fields(saved, (True, False, False, False, False))
    _calls.check_number("cubic", saved.cubic, saved.dtypes[1] is not None)
    _calls.check_number("square", saved.square, saved.dtypes[2] is not None)
    _calls.check_number("linear", saved.linear, saved.dtypes[3] is not None)
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept(
        _shape[:-1], rstd=saved.rstd, rstd_2=saved.rstd_2, rstd_3=saved.rstd_3
    )


INTERFACE: _interface.Interface = {
    "name": "poly_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("cubic", "Scalar", default=0.3333333333333333),
        _interface.given("square", "Scalar", default=0.3333333333333333),
        _interface.given("linear", "Scalar", default=0.3333333333333333),
        _interface.given("bias", "Scalar", default=0),
    ],
    "constants": [_interface.constant("eps", default=1e-6, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("cubic", "input", []),
        _interface.saved("square", "input", []),
        _interface.saved("linear", "input", []),
        _interface.saved("rstd", "row scalar", ["..."]),
        _interface.saved("rstd_2", "row scalar", ["..."]),
        _interface.saved("rstd_3", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("cubic", may_be_none=True),
        _interface.gradient("square", may_be_none=True),
        _interface.gradient("linear", may_be_none=True),
        _interface.gradient("bias", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class PolyNorm(_modules.NumpyModule):
    """`poly_norm` as an object with the parameters cubic, square, linear and bias.

    Args:
        cubic: False omits it; its initial value is 0.3333333333333333.
        square: False omits it; its initial value is 0.3333333333333333.
        linear: False omits it; its initial value is 0.3333333333333333.
        bias: False omits it; its initial value is 0.
        eps: a constant, a finite number of 0 or more.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        cubic: bool = True,
        square: bool = True,
        linear: bool = True,
        bias: bool = True,
        eps: float = 1e-6,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype)
        self._parameter("cubic", cubic, (), 0.3333333333333333)
        self._parameter("square", square, (), 0.3333333333333333)
        self._parameter("linear", linear, (), 0.3333333333333333)
        self._parameter("bias", bias, (), 0)
        self.eps = self._constant("eps", eps, False)

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x,
            self.parameters.get("cubic"),
            self.parameters.get("square"),
            self.parameters.get("linear"),
            self.parameters.get("bias"),
            eps=self.eps,
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
        self.gradients = self._of_parameters(
            cubic=found.dcubic,
            square=found.dsquare,
            linear=found.dlinear,
            bias=found.dbias,
        )
        return found.dx
