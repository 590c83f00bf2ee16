# Made by lngen 0.1.0 from the definition of clamped_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit clamped_swiglu.py and run: lngen derive clamped_swiglu.py
# definition sha256:a1eeafff1ca861c41d2291655187f6c840acb032a1cf459ebfed94cf35e2d959
"""SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.

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

    shape: tuple[int, ...]  # sizes of the axes ... d
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    alpha: float  # constant alpha of forward
    limit: float  # constant limit of forward


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    alpha: float = 1.702,
    limit: float = 7.0,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    alpha: float = 1.702,
    limit: float = 7.0,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    *,
    alpha: float = 1.702,
    limit: float = 7.0,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.

        x_0 = at(x, s=0)
        x_1 = at(x, s=1)
        gate = where(x_0 >= limit, limit, x_0)
        value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit, where(x_1 <= -limit, -limit, x_1))
        u = alpha*gate
        sigmoid_u = sigmoid(u)
        y = gate*sigmoid_u*(1 + value)

    Args:
        x: an array with the axes ... (d s), s of size 2.
        alpha: a constant, a finite number.
        limit: a constant, a finite number.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y is an array with the axes ... d. `saved` is the argument of
    the other directions. The compute type is the widest among the inputs, and
    float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, alpha, limit, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    alpha: Any,
    limit: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    alpha = _calls.constant("alpha", alpha)
    limit = _calls.constant("limit", limit)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    _sizes = _AXES.sizes((x,))
    _shape = _AXES.row_shape(_sizes)
    _read = {"x": x}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _AXES.shape("y", _sizes), x.dtype, _read, _by.empty)
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_rows = _arranged.target("y", y_)
    _by.fill(
        (_y_rows,),
        _arranged.work,
        (_arranged.rows("x", x, 0), _arranged.rows("x", x, 1), alpha, limit),
    )
    _arranged.write("y", y_, _y_rows)
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(_AXES.flat(_sizes), _dtype, _dtypes, x, alpha, limit) if save else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_0_rows, x_1_rows, alpha, limit = values
    (y_out,) = results
    shape, dtype, _ = call
    alpha = np.asarray(alpha, dtype)
    limit = np.asarray(limit, dtype)
    # step 2: value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit, where(x_1
    #   <= -limit, -limit, x_1))
    part = np.negative(limit)

    def block(x_0, x_1, y_block=None, buffers=(None,) * 2):
        # step 1: gate = where(x_0 >= limit, limit, x_0)
        mask = x_0 >= limit
        gate = _rows.select(mask, limit, x_0, out=_rows.memory(y_block, shape, dtype))
        # step 2: value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit,
        #   where(x_1 <= -limit, -limit, x_1))
        mask_2 = x_1 <= part
        part_2 = _rows.select(
            mask_2, part, x_1, out=_rows.memory(buffers[0], shape, dtype)
        )
        mask_3 = part_2 >= limit
        value = _rows.select(mask_3, limit, part_2, out=part_2)
        # step 3: u = gate*alpha
        u = np.multiply(gate, alpha, out=buffers[1])
        # step 4: sigmoid_u = sigmoid(u)
        sigmoid_u = _functions.sigmoid(u, out=u)
        # step 5: y = gate*sigmoid_u*(value + 1)
        y = np.multiply(gate, sigmoid_u, out=gate)
        part_3 = np.add(value, 1.0, out=value)
        y = np.multiply(y, part_3, out=y)
        return (y,)

    return _blocks.each_block(
        block, call, rows=(x_0_rows, x_1_rows), into=(y_out,), buffers=2
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        dx_0 = where(x_0 >= limit, 0, dy*sigmoid_u*(1 + value)*(1 + alpha*gate*(1 - sigmoid_u)))
        dx_1 = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, dy*gate*sigmoid_u))
        dx = join(dx_0, dx_1)

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
    (_of_x,) = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _read = {"dy": dy, "saved.x": saved.x}
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dx_,) = _calls.results(out, _read, _by.empty, dx=(_AXES.shape("x", _sizes), _of_x))
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_0 = _arranged.target("x", dx_, 0)
    _dx_1 = _arranged.target("x", dx_, 1)
    _by.fill(
        (_dx_0, _dx_1),
        _arranged.work,
        (_arranged.rows("y", dy),),
        (
            _arranged.rows("x", saved.x, 0),
            _arranged.rows("x", saved.x, 1),
            saved.alpha,
            saved.limit,
        ),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    return Gradients(*_calls.returned((dx_,), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_0_rows, x_1_rows, alpha, limit = fields
    dx_0_out, dx_1_out = results
    shape, dtype, _ = call
    alpha = np.asarray(alpha, dtype)
    limit = np.asarray(limit, dtype)
    # step 2: value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit, where(x_1
    #   <= -limit, -limit, x_1))
    part = np.negative(limit)

    def block(x_0, x_1, dy, dx_0_block=None, dx_1_block=None, buffers=(None,) * 2):
        # step 1: gate = where(x_0 >= limit, limit, x_0)
        mask = x_0 >= limit
        gate = _rows.select(
            mask, limit, x_0, out=_rows.memory(dx_1_block, shape, dtype)
        )
        # step 2: value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit,
        #   where(x_1 <= -limit, -limit, x_1))
        mask_2 = x_1 <= part
        part_2 = _rows.select(
            mask_2, part, x_1, out=_rows.memory(dx_0_block, shape, dtype)
        )
        mask_3 = part_2 >= limit
        value = _rows.select(mask_3, limit, part_2, out=part_2)
        # step 3: u = gate*alpha
        u = np.multiply(gate, alpha, out=buffers[0])
        # step 4: sigmoid_u = sigmoid(u)
        sigmoid_u = _functions.sigmoid(u, out=u)
        # step 14: dx_0 = where(x_0 >= limit, 0, dy*((1 - sigmoid_u)*gate*alpha +
        #   1)*sigmoid_u*(value + 1))
        dx_0 = np.subtract(1.0, sigmoid_u, out=buffers[1])
        dx_0 = np.multiply(dx_0, gate, out=dx_0)
        dx_0 = np.multiply(dx_0, alpha, out=dx_0)
        dx_0 = np.add(dx_0, 1.0, out=dx_0)
        dx_0 = np.multiply(dy, dx_0, out=dx_0)
        dx_0 = np.multiply(dx_0, sigmoid_u, out=dx_0)
        part_3 = np.add(value, 1.0, out=value)
        dx_0 = np.multiply(dx_0, part_3, out=part_3)
        dx_0 = _rows.select(mask, 0.0, dx_0, out=dx_0)
        # step 17: dx_1 = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1
        #   <= -limit, 0, dy*gate*sigmoid_u))
        dx_1 = np.multiply(dy, gate, out=gate)
        dx_1 = np.multiply(dx_1, sigmoid_u, out=dx_1)
        dx_1 = _rows.select(mask_2, 0.0, dx_1, out=dx_1)
        dx_1 = _rows.select(mask_3, 0.0, dx_1, out=dx_1)
        return dx_0, dx_1

    return _blocks.each_block(
        block,
        call,
        rows=(x_0_rows, x_1_rows, dy_rows),
        into=(dx_0_out, dx_1_out),
        buffers=2,
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        x_0_dot = at(x_dot, s=0)
        x_1_dot = at(x_dot, s=1)
        gate_dot = where(x_0 >= limit, 0, x_0_dot)
        y_dot = sigmoid_u*(gate_dot*(1 + value) + alpha*gate*gate_dot*(1 - sigmoid_u)*(1
            + value) + where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <=
            -limit, 0, gate*x_1_dot)))

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
    (_of_x,) = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    _calls.check_any("tangent", x_dot)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", x_dot=x_dot)
    _read = {"x_dot": x_dot, "saved.x": saved.x}
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result(
        "y_dot", out, _AXES.shape("y", _sizes), _of_x, _read, _by.empty
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_dot_rows = _arranged.target("y", y_dot_)
    _by.fill(
        (_y_dot_rows,),
        _arranged.work,
        (_arranged.rows("x", x_dot, 0), _arranged.rows("x", x_dot, 1)),
        (
            _arranged.rows("x", saved.x, 0),
            _arranged.rows("x", saved.x, 1),
            saved.alpha,
            saved.limit,
        ),
    )
    _arranged.write("y", y_dot_, _y_dot_rows)
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_0_dot_rows, x_1_dot_rows = arguments
    x_0_rows, x_1_rows, alpha, limit = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    alpha = np.asarray(alpha, dtype)
    limit = np.asarray(limit, dtype)
    # step 2: value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit, where(x_1
    #   <= -limit, -limit, x_1))
    part = np.negative(limit)

    def block(x_0, x_1, x_0_dot, x_1_dot, y_dot_block=None, buffers=(None,) * 5):
        # step 1: gate = where(x_0 >= limit, limit, x_0)
        mask = x_0 >= limit
        gate = _rows.select(
            mask, limit, x_0, out=_rows.memory(y_dot_block, shape, dtype)
        )
        # step 2: value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit,
        #   where(x_1 <= -limit, -limit, x_1))
        mask_2 = x_1 <= part
        part_2 = _rows.select(
            mask_2, part, x_1, out=_rows.memory(buffers[0], shape, dtype)
        )
        mask_3 = part_2 >= limit
        if x_0_dot_rows is not None:
            value = _rows.select(mask_3, limit, part_2, out=part_2)
        # step 3: u = gate*alpha
        u = np.multiply(gate, alpha, out=buffers[1])
        # step 4: sigmoid_u = sigmoid(u)
        sigmoid_u = _functions.sigmoid(u, out=u)
        # step 18: gate_dot = where(x_0 >= limit, 0, x_0_dot)
        if x_0_dot_rows is not None:
            gate_dot = _rows.select(
                mask, 0.0, x_0_dot, out=_rows.memory(buffers[2], shape, dtype)
            )
            # step 26: y_dot = (gate_dot*(value + 1) + (1 -
            #   sigmoid_u)*gate*gate_dot*(value + 1)*alpha + where(where(x_1 <= -limit,
            #   -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0,
            #   gate*x_1_dot)))*sigmoid_u
            part_3 = np.add(value, 1.0, out=value)
            y_dot = np.multiply(gate_dot, part_3, out=buffers[3])
            part_4 = np.subtract(1.0, sigmoid_u, out=buffers[4])
            part_4 = np.multiply(part_4, gate, out=part_4)
            part_4 = np.multiply(part_4, gate_dot, out=gate_dot)
            part_4 = np.multiply(part_4, part_3, out=part_3)
            part_4 = np.multiply(part_4, alpha, out=part_4)
            y_dot = np.add(y_dot, part_4, out=part_4)
        if x_1_dot_rows is not None:
            part_5 = np.multiply(gate, x_1_dot, out=gate)
            part_5 = _rows.select(mask_2, 0.0, part_5, out=part_5)
            part_5 = _rows.select(mask_3, 0.0, part_5, out=part_5)
        if x_0_dot_rows is not None and x_1_dot_rows is not None:
            y_dot = np.add(y_dot, part_5, out=part_5)
        if x_0_dot_rows is None:
            y_dot = part_5
        y_dot = np.multiply(y_dot, sigmoid_u, out=y_dot_block)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_0_rows, x_1_rows, x_0_dot_rows, x_1_dot_rows),
        into=(y_dot_out,),
        buffers=5,
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

        ddx_0 = at(ddx, s=0)
        ddx_1 = at(ddx, s=1)
        d2x_0 = where(x_0 >= limit, 0, alpha*ddx_0*dy*sigmoid_u*(1 - sigmoid_u)*(1 +
            value) + where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <=
            -limit, 0, ddx_1*dy*sigmoid_u)) + alpha*sigmoid_u*(1 -
            sigmoid_u)*(where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1
            <= -limit, 0, ddx_1*dy*gate)) + ddx_0*(dy*(1 + value)*(1 + alpha*gate*(1 -
            sigmoid_u)) - alpha*dy*gate*sigmoid_u*(1 + value))))
        d2x_1 = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <=
            -limit, 0, where(x_0 >= limit, 0, ddx_0*dy*sigmoid_u*(1 + alpha*gate*(1 -
            sigmoid_u)))))
        ddy = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit,
            0, ddx_1*gate*sigmoid_u)) + where(x_0 >= limit, 0, ddx_0*sigmoid_u*(1 +
            value)*(1 + alpha*gate*(1 - sigmoid_u)))
        d2x = join(d2x_0, d2x_1)

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
    (_of_x,) = saved[2]
    dy, ddx = _calls.arrays(1, dy=dy, ddx=ddx)
    _calls.check_any("cotangent of a gradient", ddx)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", ddx=ddx)
    _read = {"cotangents[0]": dy, "ddx": ddx, "saved.x": saved.x}
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        ddy=(_AXES.shape("y", _sizes), dy.dtype),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_0 = _arranged.target("x", dx_, 0)
    _dx_1 = _arranged.target("x", dx_, 1)
    _ddy_rows = _arranged.target("y", ddy_)
    _by.fill(
        (_dx_0, _dx_1, _ddy_rows),
        _arranged.work,
        (
            _arranged.rows("y", dy),
            _arranged.rows("x", ddx, 0),
            _arranged.rows("x", ddx, 1),
        ),
        (
            _arranged.rows("x", saved.x, 0),
            _arranged.rows("x", saved.x, 1),
            saved.alpha,
            saved.limit,
        ),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    _arranged.write("y", ddy_, _ddy_rows)
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_0_rows, ddx_1_rows = arguments
    x_0_rows, x_1_rows, alpha, limit = fields
    dx_0_out, dx_1_out, ddy_out = results
    shape, dtype, _ = call
    with_ddx_0_and_ddx_1 = ddx_0_rows is not None and ddx_1_rows is not None
    alpha = np.asarray(alpha, dtype)
    limit = np.asarray(limit, dtype)
    # step 2: value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit, where(x_1
    #   <= -limit, -limit, x_1))
    part = np.negative(limit)

    def block(
        x_0,
        x_1,
        dy,
        ddx_0,
        ddx_1,
        dx_0_block=None,
        dx_1_block=None,
        ddy_block=None,
        buffers=(None,) * 6,
    ):
        # step 1: gate = where(x_0 >= limit, limit, x_0)
        mask = x_0 >= limit
        gate = _rows.select(mask, limit, x_0, out=_rows.memory(ddy_block, shape, dtype))
        # step 2: value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit,
        #   where(x_1 <= -limit, -limit, x_1))
        mask_2 = x_1 <= part
        part_2 = _rows.select(
            mask_2, part, x_1, out=_rows.memory(dx_0_block, shape, dtype)
        )
        mask_3 = part_2 >= limit
        if ddx_0_rows is not None:
            value = _rows.select(mask_3, limit, part_2, out=part_2)
        # step 3: u = gate*alpha
        u = np.multiply(gate, alpha, out=dx_1_block)
        # step 4: sigmoid_u = sigmoid(u)
        sigmoid_u = _functions.sigmoid(u, out=buffers[0])
        # step 37: d2x_0 = where(x_0 >= limit, 0, (1 -
        #   sigmoid_u)*ddx_0*dy*sigmoid_u*(value + 1)*alpha + where(where(x_1 <= -limit,
        #   -limit, x_1) >= limit, 0, where(x_1 <= -limit, 0, ddx_1*dy*sigmoid_u)) + (1
        #   - sigmoid_u)*(where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1
        #   <= -limit, 0, ddx_1*dy*gate)) + (dy*((1 - sigmoid_u)*gate*alpha + 1)*(value
        #   + 1) - dy*gate*sigmoid_u*(value + 1)*alpha)*ddx_0)*sigmoid_u*alpha)
        part_3 = np.subtract(1.0, sigmoid_u, out=dx_1_block)
        if ddx_0_rows is not None:
            d2x_0 = np.multiply(part_3, ddx_0, out=buffers[1])
            d2x_0 = np.multiply(d2x_0, dy, out=d2x_0)
            d2x_0 = np.multiply(d2x_0, sigmoid_u, out=d2x_0)
            part_4 = np.add(value, 1.0, out=buffers[2])
            d2x_0 = np.multiply(d2x_0, part_4, out=dx_0_block)
            d2x_0 = np.multiply(d2x_0, alpha, out=d2x_0)
        if ddx_1_rows is not None:
            part_5 = np.multiply(ddx_1, dy, out=buffers[1])
            part_6 = np.multiply(part_5, sigmoid_u, out=buffers[3])
            part_6 = _rows.select(mask_2, 0.0, part_6, out=part_6)
            part_6 = _rows.select(mask_3, 0.0, part_6, out=part_6)
        if with_ddx_0_and_ddx_1:
            d2x_0 = np.add(d2x_0, part_6, out=d2x_0)
        if ddx_0_rows is None:
            d2x_0 = part_6
        if ddx_1_rows is not None:
            part_7 = np.multiply(part_5, gate, out=part_5)
            part_7 = _rows.select(mask_2, 0.0, part_7, out=part_7)
            part_7 = _rows.select(mask_3, 0.0, part_7, out=part_7)
        if ddx_0_rows is not None:
            part_8 = np.multiply(part_3, gate, out=buffers[3])
            part_8 = np.multiply(part_8, alpha, out=part_8)
            part_8 = np.add(part_8, 1.0, out=part_8)
            part_9 = np.multiply(dy, part_8, out=buffers[4])
            part_9 = np.multiply(part_9, part_4, out=part_9)
            part_10 = np.multiply(dy, gate, out=buffers[5])
            part_10 = np.multiply(part_10, sigmoid_u, out=part_10)
            part_10 = np.multiply(part_10, part_4, out=part_10)
            part_10 = np.multiply(part_10, alpha, out=part_10)
            part_9 = np.subtract(part_9, part_10, out=part_9)
            part_9 = np.multiply(part_9, ddx_0, out=part_9)
        if with_ddx_0_and_ddx_1:
            part_7 = np.add(part_7, part_9, out=part_7)
        if ddx_1_rows is None:
            part_7 = part_9
        part_7 = np.multiply(part_3, part_7, out=part_3)
        part_7 = np.multiply(part_7, sigmoid_u, out=part_7)
        part_7 = np.multiply(part_7, alpha, out=part_7)
        d2x_0 = np.add(d2x_0, part_7, out=dx_0_block)
        d2x_0 = _rows.select(mask, 0.0, d2x_0, out=d2x_0)
        # step 40: d2x_1 = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0,
        #   where(x_1 <= -limit, 0, where(x_0 >= limit, 0, ddx_0*dy*((1 -
        #   sigmoid_u)*gate*alpha + 1)*sigmoid_u)))
        if ddx_0_rows is not None:
            d2x_1 = np.multiply(ddx_0, dy, out=dx_1_block)
            d2x_1 = np.multiply(d2x_1, part_8, out=d2x_1)
            d2x_1 = np.multiply(d2x_1, sigmoid_u, out=d2x_1)
            d2x_1 = _rows.select(mask, 0.0, d2x_1, out=d2x_1)
            d2x_1 = _rows.select(mask_2, 0.0, d2x_1, out=d2x_1)
            d2x_1 = _rows.select(mask_3, 0.0, d2x_1, out=d2x_1)
        # step 41: ddy = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1
        #   <= -limit, 0, ddx_1*gate*sigmoid_u)) + where(x_0 >= limit, 0, ddx_0*((1 -
        #   sigmoid_u)*gate*alpha + 1)*sigmoid_u*(value + 1))
        if ddx_1_rows is not None:
            ddy = np.multiply(ddx_1, gate, out=gate)
            ddy = np.multiply(ddy, sigmoid_u, out=ddy)
            ddy = _rows.select(mask_2, 0.0, ddy, out=ddy)
            ddy = _rows.select(mask_3, 0.0, ddy, out=ddy)
        if ddx_0_rows is not None:
            part_11 = np.multiply(ddx_0, part_8, out=buffers[1])
            part_11 = np.multiply(part_11, sigmoid_u, out=sigmoid_u)
            part_11 = np.multiply(part_11, part_4, out=part_11)
            part_11 = _rows.select(mask, 0.0, part_11, out=part_11)
        if with_ddx_0_and_ddx_1:
            ddy = np.add(ddy, part_11, out=ddy)
        if ddx_1_rows is None:
            ddy = part_11
        if ddx_0_rows is None:
            d2x_1 = _rows.filled(0.0, dx_1_block, shape, dtype)
        return d2x_0, d2x_1, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(x_0_rows, x_1_rows, dy_rows, ddx_0_rows, ddx_1_rows),
        into=(dx_0_out, dx_1_out, ddy_out),
        buffers=6,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    alpha: float,
    limit: float,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the sizes of the axes ... d.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (x, alpha, limit)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, alpha, limit)
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "clamped_swiglu")
    _calls.check_first_fields(saved, (True,))
    _calls.check_number("alpha", saved.alpha)
    _calls.check_number("limit", saved.limit)
    _sizes = _AXES.sizes_of(saved.shape)
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "clamped_swiglu",
    "minimum_features": 1,
    "inputs": [
        _interface.given(
            "x", "Row", pattern=[["..."], ["d", "s"]], parts=["x_0", "x_1"]
        )
    ],
    "constants": [
        _interface.constant("alpha", default=1.702),
        _interface.constant("limit", default=7),
    ],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"], parts=["x_0", "x_1"]),
        _interface.saved("alpha", "constant", []),
        _interface.saved("limit", "constant", []),
    ],
    "gradients": [_interface.gradient("x")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
    "layout": {
        "pattern": [["..."], ["d"]],
        "features": ["d"],
        "sizes": [],
        "parts": {"s": 2},
    },
}

_AXES = _axes.NamedAxes(INTERFACE)
_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class ClampedSwiglu(_modules.NumpyModule):
    """`clamped_swiglu` as an object without parameters.

    Args:
        alpha: a constant, a finite number.
        limit: a constant, a finite number.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        alpha: float = 1.702,
        limit: float = 7.0,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.alpha = self._constant("alpha", alpha, True)
        self.limit = self._constant("limit", limit, True)

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, alpha=self.alpha, limit=self.limit, save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        found = self._gradients(dy)
        return found.dx
