# Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

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


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # sizes of the axes b h q k
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    slope: npt.NDArray[Any]  # argument slope of forward
    position: npt.NDArray[Any]  # argument position of forward
    m: npt.NDArray[Any]  # row scalar m, one per row
    inv_sum_e_shifted: npt.NDArray[Any]  # row scalar inv_sum_e_shifted, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    slope: npt.NDArray[Any],
    position: npt.NDArray[Any],
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    slope: npt.NDArray[Any],
    position: npt.NDArray[Any],
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    slope: npt.NDArray[Any],
    position: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

        z = x + slope*(index() - position)
        m = max(where(index() <= position, z, -1e38))
        u = where(index() <= position, z - m, 0)
        exp_u = exp(u)
        e_shifted = where(index() <= position, exp_u, 0)
        sum_e_shifted = sum(e_shifted)
        inv_sum_e_shifted = 1/sum_e_shifted
        y = inv_sum_e_shifted*e_shifted

    Args:
        x: an array with the axes b h q k.
        slope: an array with the axes h, without a gradient.
        position: an array with the axes q, without a gradient.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y is an array with the axes b h q k. `saved` is the argument
    of the other directions. The compute type is the widest among the inputs,
    and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, slope, position, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    slope: Any,
    position: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    x, slope = _calls.arrays(2, x=x, slope=slope)
    position = _calls.integers("position", position, True)
    _sizes = _AXES.sizes((x, slope, position))
    _shape = _AXES.row_shape(_sizes)
    _read = {"x": x, "slope": slope, "position": position}
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
            _arranged.rows("slope", slope),
            _arranged.rows("position", position),
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
            slope,
            position,
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
    x_rows, slope_rows, position_rows = values
    y_out, m_out, inv_sum_e_shifted_out = results
    shape, dtype, _ = call
    features = shape[-1]
    # -1e38
    constant_1 = dtype.type("-100000000000000000000000000000000000000")
    ones = _rows.equal_weights(features, 1.0, dtype)
    # step 1: z = x + (index() - position)*slope
    index = np.arange(features)

    def block(x, slope, position, y_block=None, buffers=(None,)):
        # step 1: z = x + (index() - position)*slope
        part = index - position
        z = _rows.filled(part, y_block, shape, dtype)
        z = np.multiply(z, slope, out=z)
        z = np.add(x, z, out=z)
        # step 2: m = max(where(index() <= position, z, -1e38))
        mask = index <= position
        part_2 = _rows.select(
            mask, z, constant_1, out=_rows.memory(buffers[0], shape, dtype)
        )
        m = _rows.shift(part_2)
        # step 3: x_shifted = z - m
        x_shifted = np.subtract(z, m, out=z)
        # step 4: u = where(index() <= position, x_shifted, 0)
        u = _rows.select(mask, x_shifted, 0.0, out=x_shifted)
        # step 5: exp_u = exp(u)
        exp_u = np.exp(u, out=u)
        # step 6: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(mask, exp_u, 0.0, out=exp_u)
        # step 7: sum_e_shifted = sum(e_shifted)
        sum_e_shifted = _rows.row_dot(e_shifted, ones)
        # step 8: inv_sum_e_shifted = 1/sum_e_shifted
        inv_sum_e_shifted = np.reciprocal(sum_e_shifted)
        # step 9: y = e_shifted*inv_sum_e_shifted
        y = np.multiply(e_shifted, inv_sum_e_shifted, out=e_shifted)
        return y, m[..., 0], inv_sum_e_shifted[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(slope_rows, position_rows),
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

        dx = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - sum(dy*y)), 0)

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
    _of_x, _of_slope, _of_position = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.slope": saved.slope,
        "saved.position": saved.position,
        "saved.m": saved.m,
        "saved.inv_sum_e_shifted": saved.inv_sum_e_shifted,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dx_,) = _calls.results(out, _read, _by.empty, dx=(_AXES.shape("x", _sizes), _of_x))
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _by.fill(
        (_dx_rows,),
        _arranged.work,
        (_arranged.rows("y", dy),),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("slope", saved.slope),
            _arranged.rows("position", saved.position),
            saved.m,
            saved.inv_sum_e_shifted,
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    return Gradients(*_calls.returned((dx_,), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, slope_rows, position_rows, m_rows, inv_sum_e_shifted_rows = fields
    (dx_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    # step 1: z = x + (index() - position)*slope
    index = np.arange(features)

    def block(
        x, dy, slope, position, m, inv_sum_e_shifted, dx_block=None, buffers=(None,)
    ):
        # step 1: z = x + (index() - position)*slope
        part = index - position
        z = _rows.filled(part, dx_block, shape, dtype)
        z = np.multiply(z, slope, out=z)
        z = np.add(x, z, out=z)
        # step 3: x_shifted = z - m
        x_shifted = np.subtract(z, m, out=z)
        # step 4: u = where(index() <= position, x_shifted, 0)
        mask = index <= position
        u = _rows.select(mask, x_shifted, 0.0, out=x_shifted)
        # step 5: exp_u = exp(u)
        exp_u = np.exp(u, out=u)
        # step 6: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(
            mask, exp_u, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        # step 25, pass 1: sum_dy_y_unscaled = sum(dy*e_shifted)
        sum_dy_y_unscaled = _rows.row_dot(dy, e_shifted)
        # step 25, pass 2: sum_dy_y = inv_sum_e_shifted*sum_dy_y_unscaled
        sum_dy_y = inv_sum_e_shifted * sum_dy_y_unscaled
        # step 25: dx = where(index() <= position, (dy -
        #   sum_dy_y)*exp_u*inv_sum_e_shifted, 0)
        dx = _rows.by_row(np.subtract, dy, sum_dy_y, out=buffers[0])
        dx = np.multiply(dx, exp_u, out=exp_u)
        dx = np.multiply(dx, inv_sum_e_shifted, out=dx)
        dx = _rows.select(mask, dx, 0.0, out=dx)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(slope_rows, position_rows, m_rows, inv_sum_e_shifted_rows),
        into=(dx_out,),
        buffers=1,
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        e_shifted_dot = where(index() <= position, exp_u*x_dot, 0)
        y_dot = inv_sum_e_shifted*(e_shifted_dot - y*sum(e_shifted_dot))

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


def _jvp(
    _by: _blocks.ArrayFunction, saved: Any, x_dot: Any, out: Any, threads: Any
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_slope, _of_position = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    _calls.check_any("tangent", x_dot)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", x_dot=x_dot)
    _read = {
        "x_dot": x_dot,
        "saved.x": saved.x,
        "saved.slope": saved.slope,
        "saved.position": saved.position,
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
        (_arranged.rows("x", x_dot),),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("slope", saved.slope),
            _arranged.rows("position", saved.position),
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
    (x_dot_rows,) = arguments
    x_rows, slope_rows, position_rows, m_rows, inv_sum_e_shifted_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    # step 1: z = x + (index() - position)*slope
    index = np.arange(features)

    def block(
        x,
        x_dot,
        slope,
        position,
        m,
        inv_sum_e_shifted,
        y_dot_block=None,
        buffers=(None,),
    ):
        # step 1: z = x + (index() - position)*slope
        part = index - position
        z = _rows.filled(part, y_dot_block, shape, dtype)
        z = np.multiply(z, slope, out=z)
        z = np.add(x, z, out=z)
        # step 3: x_shifted = z - m
        x_shifted = np.subtract(z, m, out=z)
        # step 4: u = where(index() <= position, x_shifted, 0)
        mask = index <= position
        u = _rows.select(mask, x_shifted, 0.0, out=x_shifted)
        # step 5: exp_u = exp(u)
        exp_u = np.exp(u, out=u)
        # step 30: e_shifted_dot = where(index() <= position, exp_u*x_dot, 0)
        e_shifted_dot = np.multiply(exp_u, x_dot, out=buffers[0])
        e_shifted_dot = _rows.select(mask, e_shifted_dot, 0.0, out=e_shifted_dot)
        # step 35: sum_e_shifted_dot = sum(e_shifted_dot)
        sum_e_shifted_dot = _rows.row_dot(e_shifted_dot, ones)
        # step 6: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(mask, exp_u, 0.0, out=exp_u)
        # step 35, pass 3: y_dot = (e_shifted_dot -
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
        row_scalars=(slope_rows, position_rows, m_rows, inv_sum_e_shifted_rows),
        into=(y_dot_out,),
        buffers=1,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        mean_dy_y = mean(dy*y)
        d2x = where(index() <= position, exp_u*(inv_sum_e_shifted*ddx*(dy - D*mean_dy_y)
            + inv_sum_e_shifted*(mean(where(index() <= position,
            -D*inv_sum_e_shifted*ddx*exp_u, 0))*(dy - D*mean_dy_y) -
            inv_sum_e_shifted*sum(where(index() <= position, ddx*exp_u*(dy -
            D*mean_dy_y), 0)))), 0)
        ddy = where(index() <= position, inv_sum_e_shifted*ddx*exp_u, 0) +
            y*mean(where(index() <= position, -D*inv_sum_e_shifted*ddx*exp_u, 0))

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
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(_BACKWARD_BACKWARD, saved, dy_, ddx, out, threads)


def _backward_backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, ddx: Any, out: Any, threads: Any
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_slope, _of_position = saved[2]
    dy, ddx = _calls.arrays(1, dy=dy, ddx=ddx)
    _calls.check_any("cotangent of a gradient", ddx)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", ddx=ddx)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "saved.x": saved.x,
        "saved.slope": saved.slope,
        "saved.position": saved.position,
        "saved.m": saved.m,
        "saved.inv_sum_e_shifted": saved.inv_sum_e_shifted,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        ddy=(_AXES.shape("y", _sizes), dy.dtype),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _ddy_rows = _arranged.target("y", ddy_)
    _by.fill(
        (_dx_rows, _ddy_rows),
        _arranged.work,
        (_arranged.rows("y", dy), _arranged.rows("x", ddx)),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("slope", saved.slope),
            _arranged.rows("position", saved.position),
            saved.m,
            saved.inv_sum_e_shifted,
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    _arranged.write("y", ddy_, _ddy_rows)
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    x_rows, slope_rows, position_rows, m_rows, inv_sum_e_shifted_rows = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    # step 1: z = x + (index() - position)*slope
    index = np.arange(features)

    def block(
        x,
        dy,
        ddx,
        slope,
        position,
        m,
        inv_sum_e_shifted,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 4,
    ):
        # step 50, pass 4: inv_sum_e_shifted_scaled = inv_sum_e_shifted*D
        inv_sum_e_shifted_scaled = inv_sum_e_shifted * D
        # step 1: z = x + (index() - position)*slope
        part = index - position
        z = _rows.filled(part, ddy_block, shape, dtype)
        z = np.multiply(z, slope, out=z)
        z = np.add(x, z, out=z)
        # step 3: x_shifted = z - m
        x_shifted = np.subtract(z, m, out=z)
        # step 4: u = where(index() <= position, x_shifted, 0)
        mask = index <= position
        u = _rows.select(mask, x_shifted, 0.0, out=x_shifted)
        # step 5: exp_u = exp(u)
        exp_u = np.exp(u, out=dx_block)
        # step 50, pass 6: mean_ddx_exp_u_index = mean(where(index() <= position,
        #   -ddx*exp_u*inv_sum_e_shifted_scaled, 0))
        part_2 = np.multiply(ddx, exp_u, out=ddy_block)
        part_3 = _rows.by_row(
            np.multiply, part_2, np.negative(inv_sum_e_shifted_scaled), out=buffers[0]
        )
        part_3 = _rows.select(mask, part_3, 0.0, out=part_3)
        mean_ddx_exp_u_index = _rows.row_dot(part_3, one_over_D)
        # step 6: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(
            mask, exp_u, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        # step 36, pass 5: mean_dy_y_unscaled = mean(dy*e_shifted)
        mean_dy_y_unscaled = _rows.row_dot(dy, e_shifted) / D
        # step 36, pass 7: mean_dy_y = inv_sum_e_shifted*mean_dy_y_unscaled
        mean_dy_y = inv_sum_e_shifted * mean_dy_y_unscaled
        # step 50, pass 8: mean_dy_y_scaled = mean_dy_y*D
        mean_dy_y_scaled = mean_dy_y * D
        # step 50, pass 10: sum_ddx_dy_exp_u = sum(where(index() <= position, (dy -
        #   mean_dy_y_scaled)*ddx*exp_u, 0))
        part_4 = _rows.by_row(np.subtract, dy, mean_dy_y_scaled, out=buffers[1])
        part_5 = np.multiply(part_4, ddx, out=buffers[2])
        part_6 = np.multiply(part_5, exp_u, out=buffers[3])
        part_6 = _rows.select(mask, part_6, 0.0, out=part_6)
        sum_ddx_dy_exp_u = _rows.row_dot(part_6, ones)
        # step 54, pass 9: ddy = e_shifted*inv_sum_e_shifted*mean_ddx_exp_u_index +
        #   where(index() <= position, ddx*exp_u*inv_sum_e_shifted, 0)
        ddy = np.multiply(
            e_shifted, inv_sum_e_shifted * mean_ddx_exp_u_index, out=e_shifted
        )
        part_7 = np.multiply(part_2, inv_sum_e_shifted, out=part_2)
        part_7 = _rows.select(mask, part_7, 0.0, out=part_7)
        ddy = np.add(ddy, part_7, out=part_7)
        # step 50, pass 11: inv_sum_e_shifted_scaled_2 =
        #   inv_sum_e_shifted*sum_ddx_dy_exp_u
        inv_sum_e_shifted_scaled_2 = inv_sum_e_shifted * sum_ddx_dy_exp_u
        # step 50, pass 12: d2x = where(index() <= position, exp_u*((dy -
        #   mean_dy_y_scaled)*ddx*inv_sum_e_shifted + ((dy -
        #   mean_dy_y_scaled)*mean_ddx_exp_u_index -
        #   inv_sum_e_shifted_scaled_2)*inv_sum_e_shifted), 0)
        d2x = _rows.by_row(np.multiply, part_5, inv_sum_e_shifted, out=buffers[0])
        part_8 = np.multiply(part_4, mean_ddx_exp_u_index, out=part_4)
        part_8 = np.subtract(part_8, inv_sum_e_shifted_scaled_2, out=part_8)
        part_8 = np.multiply(part_8, inv_sum_e_shifted, out=part_8)
        d2x = np.add(d2x, part_8, out=d2x)
        d2x = np.multiply(exp_u, d2x, out=exp_u)
        d2x = _rows.select(mask, d2x, 0.0, out=d2x)
        return d2x, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(slope_rows, position_rows, m_rows, inv_sum_e_shifted_rows),
        into=(dx_out, ddy_out),
        buffers=4,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    slope: npt.NDArray[Any],
    position: npt.NDArray[Any],
    m: npt.NDArray[Any],
    inv_sum_e_shifted: npt.NDArray[Any],
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
    fields_ = (x, slope, position, m, inv_sum_e_shifted)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, slope, position, m, inv_sum_e_shifted)
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "alibi_softmax")
    _calls.check_first_fields(saved, (True, True, True))
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    _calls.check_kept(_AXES.shape("slope", _sizes), slope=saved.slope)
    _calls.check_kept_integers(_AXES.shape("position", _sizes), position=saved.position)
    _calls.check_kept(_shape[:-1], m=saved.m, inv_sum_e_shifted=saved.inv_sum_e_shifted)
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "alibi_softmax",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row", pattern=[["b"], ["h"], ["q"], ["k"]]),
        _interface.given("slope", 'Data["..."]', pattern=[["h"]]),
        _interface.given("position", 'Int["..."]', pattern=[["q"]]),
    ],
    "constants": [],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("slope", "input", ["..."]),
        _interface.saved("position", "input", ["..."]),
        _interface.saved("m", "row scalar", ["..."]),
        _interface.saved("inv_sum_e_shifted", "row scalar", ["..."]),
    ],
    "gradients": [_interface.gradient("x")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
    "layout": {"pattern": [["b"], ["h"], ["q"], ["k"]], "features": ["k"], "sizes": []},
}

_AXES = _axes.NamedAxes(INTERFACE)
_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class AlibiSoftmax(_modules.NumpyModule):
    """`alibi_softmax` as an object without parameters.

    Args:
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self, *, backend: _modules.Backend = "numpy", threads: int = 1
    ) -> None:
        super().__init__(backend, threads)

    def forward(
        self,
        x: npt.NDArray[Any],
        slope: npt.NDArray[Any],
        position: npt.NDArray[Any],
        *,
        save: bool = True,
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, slope, position, save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        found = self._gradients(dy)
        return found.dx
