# Made by lngen 0.1.0 from the definition of geglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit geglu.py and run: lngen derive geglu.py
# definition sha256:8a199d9f756d9e149a24c860c84a624e5964b77f0da163fe0375a5ea2d4efc65
"""Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array.

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


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array.

        gate = at(x, s=0)
        value = at(x, s=1)
        sigmoid_u = sigmoid(1.5957691216057308*gate + 35677408136300126361*gate**3/5e20)
        y = gate*sigmoid_u*value

    Args:
        x: an array with the axes ... (s d), s of size 2.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y is an array with the axes ... d. `saved` is the argument of
    the other directions. The compute type is the widest among the inputs, and
    float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction, x: Any, save: Any, out: Any, threads: Any
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
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
        (_arranged.rows("x", x, 0), _arranged.rows("x", x, 1)),
    )
    _arranged.write("y", y_, _y_rows)
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = Saved(_AXES.flat(_sizes), _dtype, _dtypes, x) if save else None
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    gate_rows, value_rows = values
    (y_out,) = results
    _, dtype, _ = call
    # 0.044715
    constant_1 = dtype.type("0.044715")
    # 1.5957691216057308
    constant_2 = dtype.type("1.5957691216057308")

    def block(gate, value, y_block=None):
        # step 1: total = gate + 0.044715*gate**3
        total = np.square(gate, out=y_block)
        total = np.multiply(total, gate, out=total)
        total = np.multiply(total, constant_1, out=total)
        total = np.add(gate, total, out=total)
        # step 2: u = 1.5957691216057308*total
        u = np.multiply(total, constant_2, out=total)
        # step 3: sigmoid_u = sigmoid(u)
        sigmoid_u = _functions.sigmoid(u, out=u)
        # step 5: y = gate*sigmoid_u*value
        y = np.multiply(gate, sigmoid_u, out=sigmoid_u)
        y = np.multiply(y, value, out=y)
        return (y,)

    return _blocks.each_block(block, call, rows=(gate_rows, value_rows), into=(y_out,))


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        dgate = dy*sigmoid_u*value*(1 + 1.5957691216057308*gate*(1 - sigmoid_u)*(1 + 0.134145*gate**2))
        dvalue = dy*gate*sigmoid_u
        dx = join(dgate, dvalue)

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
        (_arranged.rows("x", saved.x, 0), _arranged.rows("x", saved.x, 1)),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    return Gradients(*_calls.returned((dx_,), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    gate_rows, value_rows = fields
    dgate_out, dvalue_out = results
    _, dtype, _ = call
    # 0.044715
    constant_1 = dtype.type("0.044715")
    # 1.5957691216057308
    constant_2 = dtype.type("1.5957691216057308")
    # 0.134145
    constant_3 = dtype.type("0.134145")

    def block(gate, value, dy, dgate_block=None, dvalue_block=None, buffers=(None,)):
        # step 1: total = gate + 0.044715*gate**3
        part = np.square(gate, out=dgate_block)
        total = np.multiply(part, gate, out=dvalue_block)
        total = np.multiply(total, constant_1, out=total)
        total = np.add(gate, total, out=total)
        # step 2: u = 1.5957691216057308*total
        u = np.multiply(total, constant_2, out=total)
        # step 3: sigmoid_u = sigmoid(u)
        sigmoid_u = _functions.sigmoid(u, out=u)
        # step 12: dgate = (1.5957691216057308*(1 - sigmoid_u)*(0.134145*gate**2 +
        #   1)*gate + 1)*dy*sigmoid_u*value
        dgate = np.subtract(1.0, sigmoid_u, out=buffers[0])
        part_2 = np.multiply(part, constant_3, out=part)
        part_2 = np.add(part_2, 1.0, out=part_2)
        dgate = np.multiply(dgate, part_2, out=part_2)
        dgate = np.multiply(dgate, gate, out=dgate)
        dgate = np.multiply(dgate, constant_2, out=dgate)
        dgate = np.add(dgate, 1.0, out=dgate)
        dgate = np.multiply(dgate, dy, out=dgate)
        dgate = np.multiply(dgate, sigmoid_u, out=dgate)
        dgate = np.multiply(dgate, value, out=dgate)
        # step 13: dvalue = dy*gate*sigmoid_u
        dvalue = np.multiply(dy, gate, out=buffers[0])
        dvalue = np.multiply(dvalue, sigmoid_u, out=sigmoid_u)
        return dgate, dvalue

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, dy_rows),
        into=(dgate_out, dvalue_out),
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

        gate_dot = at(x_dot, s=0)
        value_dot = at(x_dot, s=1)
        y_dot = sigmoid_u*(gate*value_dot + gate_dot*value +
            1.5957691216057308*gate*gate_dot*value*(1 - sigmoid_u)*(1 +
            0.134145*gate**2))

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
        (_arranged.rows("x", saved.x, 0), _arranged.rows("x", saved.x, 1)),
    )
    _arranged.write("y", y_dot_, _y_dot_rows)
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    gate_dot_rows, value_dot_rows = arguments
    gate_rows, value_rows = fields
    (y_dot_out,) = results
    _, dtype, _ = call
    # 0.044715
    constant_1 = dtype.type("0.044715")
    # 1.5957691216057308
    constant_2 = dtype.type("1.5957691216057308")
    # 0.134145
    constant_3 = dtype.type("0.134145")

    def block(gate, value, gate_dot, value_dot, y_dot_block=None, buffers=(None,) * 4):
        # step 1: total = gate + 0.044715*gate**3
        part = np.square(gate, out=y_dot_block)
        total = np.multiply(part, gate, out=buffers[0])
        total = np.multiply(total, constant_1, out=total)
        total = np.add(gate, total, out=total)
        # step 2: u = 1.5957691216057308*total
        u = np.multiply(total, constant_2, out=total)
        # step 3: sigmoid_u = sigmoid(u)
        sigmoid_u = _functions.sigmoid(u, out=u)
        # step 20: y_dot = (gate*value_dot + gate_dot*value + 1.5957691216057308*(1 -
        #   sigmoid_u)*(0.134145*gate**2 + 1)*gate*gate_dot*value)*sigmoid_u
        if value_dot_rows is not None:
            y_dot = np.multiply(gate, value_dot, out=buffers[1])
        if gate_dot_rows is not None:
            part_2 = np.multiply(gate_dot, value, out=buffers[2])
        if gate_dot_rows is not None and value_dot_rows is not None:
            y_dot = np.add(y_dot, part_2, out=y_dot)
        if value_dot_rows is None:
            y_dot = part_2
        if gate_dot_rows is not None:
            part_3 = np.subtract(1.0, sigmoid_u, out=buffers[3])
            part_4 = np.multiply(part, constant_3, out=part)
            part_4 = np.add(part_4, 1.0, out=part_4)
            part_3 = np.multiply(part_3, part_4, out=part_4)
            part_3 = np.multiply(part_3, gate, out=part_3)
            part_3 = np.multiply(part_3, gate_dot, out=part_3)
            part_3 = np.multiply(part_3, value, out=part_3)
            part_3 = np.multiply(part_3, constant_2, out=part_3)
            y_dot = np.add(y_dot, part_3, out=part_3)
        y_dot = np.multiply(y_dot, sigmoid_u, out=y_dot_block)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, gate_dot_rows, value_dot_rows),
        into=(y_dot_out,),
        buffers=4,
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

        ddgate = at(ddx, s=0)
        ddvalue = at(ddx, s=1)
        d2gate = dy*sigmoid_u*(ddvalue + ddgate*value*(1 -
            sigmoid_u)*(321096673226701137249*gate**2/5e20 + 1.5957691216057308) +
            1.5957691216057308*(1 - sigmoid_u)*(1 + 0.134145*gate**2)*(ddvalue*gate +
            ddgate*value*(1 + 1.5957691216057308*gate*(1 - sigmoid_u)*(1 +
            0.134145*gate**2) - 1.5957691216057308*gate*sigmoid_u*(1 +
            0.134145*gate**2))))
        d2value = ddgate*dy*sigmoid_u*(1 + 1.5957691216057308*gate*(1 - sigmoid_u)*(1 +
            0.134145*gate**2))
        ddy = sigmoid_u*(ddvalue*gate + ddgate*value*(1 + 1.5957691216057308*gate*(1 -
            sigmoid_u)*(1 + 0.134145*gate**2)))
        d2x = join(d2gate, d2value)

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
        (_arranged.rows("x", saved.x, 0), _arranged.rows("x", saved.x, 1)),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    _arranged.write("y", ddy_, _ddy_rows)
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddgate_rows, ddvalue_rows = arguments
    gate_rows, value_rows = fields
    dgate_out, dvalue_out, ddy_out = results
    shape, dtype, _ = call
    with_ddgate_and_ddvalue = ddgate_rows is not None and ddvalue_rows is not None
    # 0.044715
    constant_1 = dtype.type("0.044715")
    # 1.5957691216057308
    constant_2 = dtype.type("1.5957691216057308")
    # 321096673226701137249/500000000000000000000
    constant_3 = dtype.type("0.642193346453402274498")
    # 0.134145
    constant_4 = dtype.type("0.134145")

    def block(
        gate,
        value,
        dy,
        ddgate,
        ddvalue,
        dgate_block=None,
        dvalue_block=None,
        ddy_block=None,
        buffers=(None,) * 3,
    ):
        # step 1: total = gate + 0.044715*gate**3
        part = np.square(gate, out=dgate_block)
        total = np.multiply(part, gate, out=dvalue_block)
        total = np.multiply(total, constant_1, out=total)
        total = np.add(gate, total, out=total)
        # step 2: u = 1.5957691216057308*total
        u = np.multiply(total, constant_2, out=total)
        # step 3: sigmoid_u = sigmoid(u)
        sigmoid_u = _functions.sigmoid(u, out=ddy_block)
        # step 31: d2gate = (ddvalue + (1 -
        #   sigmoid_u)*(321096673226701137249*gate**2/5e20 +
        #   1.5957691216057308)*ddgate*value + 1.5957691216057308*(1 -
        #   sigmoid_u)*(0.134145*gate**2 + 1)*(ddvalue*gate + (1.5957691216057308*(1 -
        #   sigmoid_u)*(0.134145*gate**2 + 1)*gate + 1 -
        #   1.5957691216057308*(0.134145*gate**2 +
        #   1)*gate*sigmoid_u)*ddgate*value))*dy*sigmoid_u
        part_2 = np.subtract(1.0, sigmoid_u, out=dvalue_block)
        if ddgate_rows is not None:
            d2gate = np.multiply(part, constant_3, out=buffers[0])
            d2gate = np.add(d2gate, constant_2, out=d2gate)
            d2gate = np.multiply(part_2, d2gate, out=d2gate)
            d2gate = np.multiply(d2gate, ddgate, out=d2gate)
            d2gate = np.multiply(d2gate, value, out=d2gate)
        if with_ddgate_and_ddvalue:
            d2gate = np.add(ddvalue, d2gate, out=d2gate)
        if ddgate_rows is None:
            d2gate = ddvalue
        part_3 = np.multiply(part, constant_4, out=part)
        part_3 = np.add(part_3, 1.0, out=part_3)
        part_4 = np.multiply(part_2, part_3, out=part_2)
        if ddvalue_rows is not None:
            part_5 = np.multiply(ddvalue, gate, out=buffers[1])
        if ddgate_rows is not None:
            part_6 = np.multiply(part_4, gate, out=buffers[2])
            part_6 = np.multiply(part_6, constant_2, out=part_6)
            part_6 = np.add(part_6, 1.0, out=part_6)
            part_7 = np.multiply(part_3, gate, out=part_3)
            part_7 = np.multiply(part_7, sigmoid_u, out=part_7)
            part_7 = np.multiply(part_7, constant_2, out=part_7)
            part_7 = np.subtract(part_6, part_7, out=part_7)
            part_7 = np.multiply(part_7, ddgate, out=part_7)
            part_7 = np.multiply(part_7, value, out=part_7)
        if with_ddgate_and_ddvalue:
            part_7 = np.add(part_5, part_7, out=part_7)
        if ddgate_rows is None:
            part_7 = part_5
        part_7 = np.multiply(part_4, part_7, out=dgate_block)
        part_7 = np.multiply(part_7, constant_2, out=part_7)
        d2gate = np.add(d2gate, part_7, out=part_7)
        d2gate = np.multiply(d2gate, dy, out=d2gate)
        d2gate = np.multiply(d2gate, sigmoid_u, out=d2gate)
        # step 32: d2value = (1.5957691216057308*(1 - sigmoid_u)*(0.134145*gate**2 +
        #   1)*gate + 1)*ddgate*dy*sigmoid_u
        if ddgate_rows is not None:
            part_8 = np.multiply(part_6, ddgate, out=buffers[0])
            d2value = np.multiply(part_8, dy, out=dvalue_block)
            d2value = np.multiply(d2value, sigmoid_u, out=d2value)
            # step 34: ddy = (ddvalue*gate + (1.5957691216057308*(1 -
            #   sigmoid_u)*(0.134145*gate**2 + 1)*gate + 1)*ddgate*value)*sigmoid_u
            ddy = np.multiply(part_8, value, out=part_8)
        if with_ddgate_and_ddvalue:
            ddy = np.add(part_5, ddy, out=ddy)
        if ddgate_rows is None:
            ddy = part_5
        ddy = np.multiply(ddy, sigmoid_u, out=sigmoid_u)
        if ddgate_rows is None:
            d2value = _rows.filled(0.0, dvalue_block, shape, dtype)
        return d2gate, d2value, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, dy_rows, ddgate_rows, ddvalue_rows),
        into=(dgate_out, dvalue_out, ddy_out),
        buffers=3,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
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
    fields_ = (x,)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x)
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "geglu")
    _calls.check_first_fields(saved, (True,))
    _sizes = _AXES.sizes_of(saved.shape)
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "geglu",
    "minimum_features": 1,
    "inputs": [
        _interface.given(
            "x", "Row", pattern=[["..."], ["s", "d"]], parts=["gate", "value"]
        )
    ],
    "constants": [],
    "outputs": [_interface.output("y", "Row")],
    "saved": [_interface.saved("x", "input", ["...", "D"], parts=["gate", "value"])],
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


class Geglu(_modules.NumpyModule):
    """`geglu` as an object without parameters.

    Args:
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self, *, backend: _modules.Backend = "numpy", threads: int = 1
    ) -> None:
        super().__init__(backend, threads)

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(x, save=save, threads=self.threads)
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        found = self._gradients(dy)
        return found.dx
