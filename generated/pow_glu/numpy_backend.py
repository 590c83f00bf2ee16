# Made by lngen 0.1.0 from the definition of pow_glu; derivation.md has its steps, cost and evidence.
# Do not edit; edit pow_glu.py and run: lngen derive pow_glu.py
# Open: exp overflows where power*log_base/(1 + root_base) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:67e102f3ac5fc0c5a92bfffdb1e3643a14746399b46a13e192fda8178dee8863
"""Gated linear unit whose gate grows by a falling power: x**(power/(sqrt(x) + 1))*sigmoid(x) for x > 0, else silu(x).

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
    power: float  # constant power of forward


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    power: float = 3.0,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    power: float = 3.0,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    *,
    power: float = 3.0,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Gated linear unit whose gate grows by a falling power: x**(power/(sqrt(x) + 1))*sigmoid(x) for x > 0, else silu(x).

        gate = at(x, s=0)
        value = at(x, s=1)
        base = where(gate > 0, gate, 1)
        root_base = sqrt(base)
        log_base = log(base)
        u = power*log_base/(1 + root_base)
        grown = exp(u)
        sigmoid_gate = sigmoid(gate)
        silu_gate = gate*sigmoid_gate
        y = value*where(gate > 0, grown*sigmoid_gate, silu_gate)

    Args:
        x: an array with the axes ... (s d), s of size 2.
        power: a constant, a finite number.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y is an array with the axes ... d. `saved` is the argument of
    the other directions. The compute type is the widest among the inputs, and
    float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, power, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction, x: Any, power: Any, save: Any, out: Any, threads: Any
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    power = _calls.constant("power", power)
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
        (_arranged.rows("x", x, 0), _arranged.rows("x", x, 1), power),
    )
    _arranged.write("y", y_, _y_rows)
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = Saved(_AXES.flat(_sizes), _dtype, _dtypes, x, power) if save else None
    return _shown, _saved


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    gate_rows, value_rows, power = values
    (y_out,) = results
    shape, dtype, _ = call
    power = np.asarray(power, dtype)

    def block(gate, value, y_block=None, buffers=(None,) * 2):
        # step 1: base = where(gate > 0, gate, 1)
        mask = gate > 0.0
        base = _rows.select(mask, gate, 1.0, out=_rows.memory(y_block, shape, dtype))
        # step 2: root_base = sqrt(base)
        root_base = np.sqrt(base, out=buffers[0])
        # step 3: log_base = log(base)
        log_base = np.log(base, out=base)
        # step 4: u = log_base*power/(root_base + 1)
        part = np.add(root_base, 1.0, out=root_base)
        u = np.multiply(log_base, power, out=log_base)
        u = np.divide(u, part, out=u)
        # step 5: grown = exp(u)
        grown = np.exp(u, out=u)
        # step 6: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=buffers[0])
        # step 7: silu_gate = gate*sigmoid_gate
        silu_gate = np.multiply(gate, sigmoid_gate, out=buffers[1])
        # step 8: y = where(gate > 0, grown*sigmoid_gate, silu_gate)*value
        y = np.multiply(grown, sigmoid_gate, out=grown)
        y = _rows.select(mask, y, silu_gate, out=y)
        y = np.multiply(y, value, out=y)
        return (y,)

    return _blocks.each_block(
        block, call, rows=(gate_rows, value_rows), into=(y_out,), buffers=2
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        dsilu_gate = where(gate > 0, 0, dy*value)
        du = where(gate > 0, dy*grown*sigmoid_gate*value, 0)
        dgate = dsilu_gate*sigmoid_gate + sigmoid_gate*(1 - sigmoid_gate)*(dsilu_gate*gate + where(gate > 0, dy*grown*value, 0)) + where(gate > 0, power*du/(base*(1 + root_base)) - du*u/(2*root_base*(1 + root_base)), 0)
        dvalue = where(gate > 0, dy*grown*sigmoid_gate, dy*silu_gate)
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
        (_arranged.rows("x", saved.x, 0), _arranged.rows("x", saved.x, 1), saved.power),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    return Gradients(*_calls.returned((dx_,), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    gate_rows, value_rows, power = fields
    dgate_out, dvalue_out = results
    shape, dtype, _ = call
    power = np.asarray(power, dtype)

    def block(
        gate, value, dy, dgate_block=None, dvalue_block=None, buffers=(None,) * 10
    ):
        # step 1: base = where(gate > 0, gate, 1)
        mask = gate > 0.0
        base = _rows.select(
            mask, gate, 1.0, out=_rows.memory(dgate_block, shape, dtype)
        )
        # step 2: root_base = sqrt(base)
        root_base = np.sqrt(base, out=dvalue_block)
        # step 3: log_base = log(base)
        log_base = np.log(base, out=buffers[0])
        # step 4: u = log_base*power/(root_base + 1)
        part = np.add(root_base, 1.0, out=buffers[1])
        u = np.multiply(log_base, power, out=log_base)
        u = np.divide(u, part, out=u)
        # step 5: grown = exp(u)
        grown = np.exp(u, out=buffers[2])
        # step 6: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=buffers[3])
        # step 7: silu_gate = gate*sigmoid_gate
        silu_gate = np.multiply(gate, sigmoid_gate, out=buffers[4])
        # step 9: dsilu_gate = where(gate > 0, 0, dy*value)
        dsilu_gate = np.multiply(dy, value, out=buffers[5])
        dsilu_gate = _rows.select(mask, 0.0, dsilu_gate, out=dsilu_gate)
        # step 13: du = where(gate > 0, dy*grown*sigmoid_gate*value, 0)
        part_2 = np.multiply(dy, grown, out=grown)
        part_3 = np.multiply(part_2, sigmoid_gate, out=buffers[6])
        du = np.multiply(part_3, value, out=buffers[7])
        du = _rows.select(mask, du, 0.0, out=du)
        # step 22: dgate = dsilu_gate*sigmoid_gate + (1 - sigmoid_gate)*(dsilu_gate*gate
        #   + where(gate > 0, dy*grown*value, 0))*sigmoid_gate + where(gate > 0,
        #   du*power/(base*(root_base + 1)) - du*u/(2*root_base*(root_base + 1)), 0)
        dgate = np.multiply(dsilu_gate, sigmoid_gate, out=buffers[8])
        part_4 = np.subtract(1.0, sigmoid_gate, out=buffers[9])
        part_5 = np.multiply(dsilu_gate, gate, out=dsilu_gate)
        part_6 = np.multiply(part_2, value, out=part_2)
        part_6 = _rows.select(mask, part_6, 0.0, out=part_6)
        part_5 = np.add(part_5, part_6, out=part_6)
        part_4 = np.multiply(part_4, part_5, out=part_5)
        part_4 = np.multiply(part_4, sigmoid_gate, out=part_4)
        dgate = np.add(dgate, part_4, out=part_4)
        part_7 = np.multiply(base, part, out=base)
        part_8 = np.multiply(du, power, out=buffers[3])
        part_8 = np.divide(part_8, part_7, out=part_7)
        part_9 = np.multiply(du, u, out=u)
        part_10 = np.multiply(root_base, part, out=root_base)
        part_9 = np.multiply(part_9, 0.5, out=part_9)
        part_9 = np.divide(part_9, part_10, out=part_10)
        part_8 = np.subtract(part_8, part_9, out=part_8)
        part_8 = _rows.select(mask, part_8, 0.0, out=part_8)
        dgate = np.add(dgate, part_8, out=part_8)
        # step 23: dvalue = where(gate > 0, dy*grown*sigmoid_gate, dy*silu_gate)
        dvalue = np.multiply(dy, silu_gate, out=dvalue_block)
        dvalue = _rows.select(mask, part_3, dvalue, out=dvalue)
        return dgate, dvalue

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, dy_rows),
        into=(dgate_out, dvalue_out),
        buffers=10,
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
        sigmoid_gate_dot = gate_dot*sigmoid_gate*sigmoid(-gate)
        y_dot = where(gate > 0, grown*sigmoid_gate_dot*value +
            grown*sigmoid_gate*value_dot +
            power*grown*sigmoid_gate*value*(2*gate_dot/base -
            gate_dot*log_base/(root_base*(1 + root_base)))/(2*(1 + root_base)),
            silu_gate*value_dot + value*(gate*sigmoid_gate_dot + gate_dot*sigmoid_gate))

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
        (_arranged.rows("x", saved.x, 0), _arranged.rows("x", saved.x, 1), saved.power),
    )
    _arranged.write("y", y_dot_, _y_dot_rows)
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    gate_dot_rows, value_dot_rows = arguments
    gate_rows, value_rows, power = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    with_gate_dot_and_value_dot = (
        gate_dot_rows is not None and value_dot_rows is not None
    )
    power = np.asarray(power, dtype)

    def block(gate, value, gate_dot, value_dot, y_dot_block=None, buffers=(None,) * 9):
        # step 1: base = where(gate > 0, gate, 1)
        mask = gate > 0.0
        base = _rows.select(
            mask, gate, 1.0, out=_rows.memory(y_dot_block, shape, dtype)
        )
        # step 2: root_base = sqrt(base)
        root_base = np.sqrt(base, out=buffers[0])
        # step 3: log_base = log(base)
        log_base = np.log(base, out=buffers[1])
        # step 4: u = log_base*power/(root_base + 1)
        part = np.add(root_base, 1.0, out=buffers[2])
        u = np.multiply(log_base, power, out=buffers[3])
        u = np.divide(u, part, out=u)
        # step 5: grown = exp(u)
        grown = np.exp(u, out=u)
        # step 6: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=buffers[4])
        # step 7: silu_gate = gate*sigmoid_gate
        if value_dot_rows is not None:
            silu_gate = np.multiply(gate, sigmoid_gate, out=buffers[5])
        # step 31: sigmoid_gate_dot = sigmoid(-gate)*gate_dot*sigmoid_gate
        if gate_dot_rows is not None:
            sigmoid_gate_dot = np.negative(gate, out=buffers[6])
            sigmoid_gate_dot = _functions.sigmoid(
                sigmoid_gate_dot, out=sigmoid_gate_dot
            )
            sigmoid_gate_dot = np.multiply(
                sigmoid_gate_dot, gate_dot, out=sigmoid_gate_dot
            )
            sigmoid_gate_dot = np.multiply(
                sigmoid_gate_dot, sigmoid_gate, out=sigmoid_gate_dot
            )
        # step 40: y_dot = where(gate > 0, grown*sigmoid_gate*value_dot +
        #   grown*sigmoid_gate_dot*value + (gate_dot/base -
        #   gate_dot*log_base/(2*root_base*(root_base +
        #   1)))*grown*sigmoid_gate*value*power/(root_base + 1), silu_gate*value_dot +
        #   (gate*sigmoid_gate_dot + gate_dot*sigmoid_gate)*value)
        if value_dot_rows is not None:
            y_dot = np.multiply(grown, sigmoid_gate, out=buffers[7])
            y_dot = np.multiply(y_dot, value_dot, out=y_dot)
        if gate_dot_rows is not None:
            part_2 = np.multiply(grown, sigmoid_gate_dot, out=buffers[8])
            part_2 = np.multiply(part_2, value, out=part_2)
        if with_gate_dot_and_value_dot:
            y_dot = np.add(y_dot, part_2, out=y_dot)
        if value_dot_rows is None:
            y_dot = part_2
        if gate_dot_rows is not None:
            part_3 = np.divide(gate_dot, base, out=base)
            part_4 = np.multiply(gate_dot, log_base, out=log_base)
            part_5 = np.multiply(root_base, part, out=root_base)
            part_4 = np.multiply(part_4, 0.5, out=part_4)
            part_4 = np.divide(part_4, part_5, out=part_5)
            part_3 = np.subtract(part_3, part_4, out=part_3)
            part_3 = np.multiply(part_3, grown, out=part_3)
            part_3 = np.multiply(part_3, sigmoid_gate, out=part_3)
            part_3 = np.multiply(part_3, value, out=part_3)
            part_3 = np.multiply(part_3, power, out=part_3)
            part_3 = np.divide(part_3, part, out=part_3)
            y_dot = np.add(y_dot, part_3, out=part_3)
        if value_dot_rows is not None:
            part_6 = np.multiply(silu_gate, value_dot, out=buffers[0])
        if gate_dot_rows is not None:
            part_7 = np.multiply(gate, sigmoid_gate_dot, out=buffers[1])
            part_8 = np.multiply(gate_dot, sigmoid_gate, out=buffers[2])
            part_7 = np.add(part_7, part_8, out=part_7)
            part_7 = np.multiply(part_7, value, out=part_7)
        if with_gate_dot_and_value_dot:
            part_6 = np.add(part_6, part_7, out=part_6)
        if value_dot_rows is None:
            part_6 = part_7
        y_dot = _rows.select(
            mask, y_dot, part_6, out=_rows.memory(y_dot_block, shape, dtype)
        )
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, gate_dot_rows, value_dot_rows),
        into=(y_dot_out,),
        buffers=9,
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
        dsilu_gate = where(gate > 0, 0, dy*value)
        du = where(gate > 0, dy*grown*sigmoid_gate*value, 0)
        ddu = where(gate > 0, ddgate*(2*power/(base*(1 + root_base)) - u/(root_base*(1 +
            root_base)))/2, 0)
        ddsilu_gate = ddgate*sigmoid_gate*(1 + gate*(1 - sigmoid_gate))
        d2silu_gate = where(gate > 0, 0, ddvalue*dy)
        d2u = where(gate > 0, grown*(ddvalue*dy*sigmoid_gate + ddu*dy*sigmoid_gate*value
            + ddgate*dy*sigmoid_gate*value*(1 - sigmoid_gate)) -
            ddgate*du/(2*root_base*(1 + root_base)), 0)
        d2base = where(gate > 0, power*d2u/(base*(1 + root_base)) +
            (ddgate*(du*u/(root_base*(1 + root_base)**2) + du*u/(root_base**2*(1 +
            root_base)) - 2*power*du/(base*(1 + root_base)**2))/2 - d2u*u/(1 +
            root_base))/(2*root_base) - power*ddgate*du/(base**2*(1 + root_base)), 0)
        d2gate = where(gate > 0, d2base, 0) + d2silu_gate*sigmoid_gate +
            ddgate*dsilu_gate*sigmoid_gate*(1 - sigmoid_gate) + sigmoid_gate*(1 -
            sigmoid_gate)*(d2silu_gate*gate + where(gate > 0, ddvalue*dy*grown +
            ddu*dy*grown*value, 0) + ddgate*(dsilu_gate + (1 -
            sigmoid_gate)*(dsilu_gate*gate + where(gate > 0, dy*grown*value, 0)) -
            sigmoid_gate*(dsilu_gate*gate + where(gate > 0, dy*grown*value, 0))))
        d2value = where(gate > 0, ddu*dy*grown*sigmoid_gate +
            ddgate*dy*grown*sigmoid_gate*(1 - sigmoid_gate), ddsilu_gate*dy)
        ddy = where(gate > 0, ddvalue*grown*sigmoid_gate + ddu*grown*sigmoid_gate*value
            + ddgate*grown*sigmoid_gate*value*(1 - sigmoid_gate), ddsilu_gate*value +
            ddvalue*silu_gate)
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
        (_arranged.rows("x", saved.x, 0), _arranged.rows("x", saved.x, 1), saved.power),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    _arranged.write("y", ddy_, _ddy_rows)
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddgate_rows, ddvalue_rows = arguments
    gate_rows, value_rows, power = fields
    dgate_out, dvalue_out, ddy_out = results
    shape, dtype, _ = call
    with_ddgate_and_ddvalue = ddgate_rows is not None and ddvalue_rows is not None
    power = np.asarray(power, dtype)

    def block(
        gate,
        value,
        dy,
        ddgate,
        ddvalue,
        dgate_block=None,
        dvalue_block=None,
        ddy_block=None,
        buffers=(None,) * 22,
    ):
        # step 1: base = where(gate > 0, gate, 1)
        mask = gate > 0.0
        base = _rows.select(
            mask, gate, 1.0, out=_rows.memory(dgate_block, shape, dtype)
        )
        # step 2: root_base = sqrt(base)
        root_base = np.sqrt(base, out=dvalue_block)
        # step 3: log_base = log(base)
        log_base = np.log(base, out=ddy_block)
        # step 4: u = log_base*power/(root_base + 1)
        part = np.add(root_base, 1.0, out=buffers[0])
        u = np.multiply(log_base, power, out=log_base)
        u = np.divide(u, part, out=u)
        # step 5: grown = exp(u)
        grown = np.exp(u, out=buffers[1])
        # step 6: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=buffers[2])
        # step 7: silu_gate = gate*sigmoid_gate
        if ddvalue_rows is not None:
            silu_gate = np.multiply(gate, sigmoid_gate, out=buffers[3])
        # step 41: dsilu_gate = where(gate > 0, 0, dy*value)
        if ddgate_rows is not None:
            dsilu_gate = np.multiply(dy, value, out=buffers[4])
            dsilu_gate = _rows.select(mask, 0.0, dsilu_gate, out=dsilu_gate)
            # step 42: du = where(gate > 0, dy*grown*sigmoid_gate*value, 0)
            part_2 = np.multiply(dy, grown, out=buffers[5])
            du = np.multiply(part_2, sigmoid_gate, out=buffers[6])
            du = np.multiply(du, value, out=du)
            du = _rows.select(mask, du, 0.0, out=du)
        # step 44: ddu = where(gate > 0, (power/(base*(root_base + 1)) -
        #   u/(2*root_base*(root_base + 1)))*ddgate, 0)
        part_3 = np.multiply(base, part, out=buffers[7])
        if ddgate_rows is not None:
            ddu = np.divide(power, part_3, out=buffers[8])
            part_4 = np.multiply(root_base, part, out=buffers[9])
            part_5 = np.multiply(u, 0.5, out=buffers[10])
            part_5 = np.divide(part_5, part_4, out=part_5)
            ddu = np.subtract(ddu, part_5, out=ddu)
            ddu = np.multiply(ddu, ddgate, out=ddu)
            ddu = _rows.select(mask, ddu, 0.0, out=ddu)
        # step 63: ddsilu_gate = ddgate*((1 - sigmoid_gate)*gate + 1)*sigmoid_gate
        part_6 = np.subtract(1.0, sigmoid_gate, out=buffers[10])
        if ddgate_rows is not None:
            ddsilu_gate = np.multiply(part_6, gate, out=buffers[11])
            ddsilu_gate = np.add(ddsilu_gate, 1.0, out=ddsilu_gate)
            ddsilu_gate = np.multiply(ddgate, ddsilu_gate, out=ddsilu_gate)
            ddsilu_gate = np.multiply(ddsilu_gate, sigmoid_gate, out=ddsilu_gate)
        # step 46: d2silu_gate = where(gate > 0, 0, ddvalue*dy)
        if ddvalue_rows is not None:
            part_7 = np.multiply(ddvalue, dy, out=buffers[12])
            d2silu_gate = _rows.select(
                mask, 0.0, part_7, out=_rows.memory(buffers[13], shape, dtype)
            )
            # step 51: d2u = where(gate > 0, (ddvalue*dy*sigmoid_gate +
            #   ddu*dy*sigmoid_gate*value + (1 -
            #   sigmoid_gate)*ddgate*dy*sigmoid_gate*value)*grown -
            #   ddgate*du/(2*root_base*(root_base + 1)), 0)
            d2u = np.multiply(part_7, sigmoid_gate, out=buffers[14])
        if ddgate_rows is not None:
            part_8 = np.multiply(ddu, dy, out=buffers[15])
            part_9 = np.multiply(part_8, sigmoid_gate, out=buffers[16])
            part_9 = np.multiply(part_9, value, out=part_9)
        if with_ddgate_and_ddvalue:
            d2u = np.add(d2u, part_9, out=d2u)
        if ddvalue_rows is None:
            d2u = part_9
        if ddgate_rows is not None:
            part_10 = np.multiply(part_6, ddgate, out=buffers[17])
            part_11 = np.multiply(part_10, dy, out=buffers[18])
            part_12 = np.multiply(part_11, sigmoid_gate, out=buffers[19])
            part_12 = np.multiply(part_12, value, out=part_12)
            d2u = np.add(d2u, part_12, out=buffers[14])
        d2u = np.multiply(d2u, grown, out=d2u)
        if ddgate_rows is not None:
            part_13 = np.multiply(ddgate, du, out=buffers[16])
            part_14 = np.multiply(part_13, 0.5, out=buffers[19])
            part_14 = np.divide(part_14, part_4, out=part_4)
            d2u = np.subtract(d2u, part_14, out=part_14)
        d2u = _rows.select(mask, d2u, 0.0, out=_rows.memory(buffers[9], shape, dtype))
        # step 58: d2base = where(gate > 0, d2u*power/(base*(root_base + 1)) +
        #   (ddgate*(du*u/(2*(root_base + 1)**2*root_base) + du*u/(2*(root_base +
        #   1)*root_base**2) - du*power/((root_base + 1)**2*base)) - d2u*u/(root_base +
        #   1))/(2*root_base) - ddgate*du*power/(base**2*(root_base + 1)), 0)
        d2base = np.multiply(d2u, power, out=buffers[14])
        d2base = np.divide(d2base, part_3, out=part_3)
        if ddgate_rows is not None:
            part_15 = np.multiply(du, u, out=buffers[14])
            part_16 = np.square(part, out=buffers[19])
            part_17 = np.multiply(part_16, root_base, out=buffers[20])
            part_15 = np.multiply(part_15, 0.5, out=part_15)
            part_17 = np.divide(part_15, part_17, out=part_17)
            part_18 = np.square(root_base, out=buffers[21])
            part_18 = np.multiply(part, part_18, out=part_18)
            part_18 = np.divide(part_15, part_18, out=part_15)
            part_17 = np.add(part_17, part_18, out=part_18)
            part_19 = np.multiply(part_16, base, out=part_16)
            part_20 = np.multiply(du, power, out=du)
            part_20 = np.divide(part_20, part_19, out=part_20)
            part_17 = np.subtract(part_17, part_20, out=part_20)
            part_17 = np.multiply(ddgate, part_17, out=part_17)
        else:
            part_17 = 0.0
        part_21 = np.multiply(d2u, u, out=u)
        part_21 = np.divide(part_21, part, out=part_21)
        part_17 = np.subtract(part_17, part_21, out=part_21)
        part_17 = np.multiply(part_17, 0.5, out=part_17)
        part_17 = np.divide(part_17, root_base, out=root_base)
        d2base = np.add(d2base, part_17, out=part_17)
        if ddgate_rows is not None:
            part_22 = np.square(base, out=base)
            part_22 = np.multiply(part_22, part, out=part_22)
            part_23 = np.multiply(part_13, power, out=ddy_block)
            part_23 = np.divide(part_23, part_22, out=part_22)
            d2base = np.subtract(d2base, part_23, out=part_23)
        d2base = _rows.select(
            mask, d2base, 0.0, out=_rows.memory(dgate_block, shape, dtype)
        )
        # step 61: d2gate = where(gate > 0, d2base, 0) + d2silu_gate*sigmoid_gate + (1 -
        #   sigmoid_gate)*ddgate*dsilu_gate*sigmoid_gate + (1 -
        #   sigmoid_gate)*(d2silu_gate*gate + where(gate > 0, ddvalue*dy*grown +
        #   ddu*dy*grown*value, 0) + ddgate*(dsilu_gate + (1 -
        #   sigmoid_gate)*(dsilu_gate*gate + where(gate > 0, dy*grown*value, 0)) -
        #   (dsilu_gate*gate + where(gate > 0, dy*grown*value,
        #   0))*sigmoid_gate))*sigmoid_gate
        d2gate = _rows.select(mask, d2base, 0.0, out=d2base)
        if ddvalue_rows is not None:
            part_24 = np.multiply(d2silu_gate, sigmoid_gate, out=dvalue_block)
            d2gate = np.add(d2gate, part_24, out=d2gate)
        if ddgate_rows is not None:
            part_25 = np.multiply(part_10, dsilu_gate, out=dvalue_block)
            part_25 = np.multiply(part_25, sigmoid_gate, out=part_25)
            d2gate = np.add(d2gate, part_25, out=d2gate)
        if ddvalue_rows is not None:
            part_26 = np.multiply(d2silu_gate, gate, out=dvalue_block)
            part_27 = np.multiply(part_7, grown, out=ddy_block)
        if ddgate_rows is not None:
            part_28 = np.multiply(part_8, grown, out=buffers[0])
            part_29 = np.multiply(part_28, value, out=buffers[6])
        if with_ddgate_and_ddvalue:
            part_27 = np.add(part_27, part_29, out=part_27)
        if ddvalue_rows is None:
            part_27 = part_29
        part_27 = _rows.select(
            mask, part_27, 0.0, out=_rows.memory(ddy_block, shape, dtype)
        )
        if ddvalue_rows is not None:
            part_26 = np.add(part_26, part_27, out=part_26)
        else:
            part_26 = part_27
        if ddgate_rows is not None:
            part_30 = np.multiply(dsilu_gate, gate, out=buffers[6])
            part_31 = np.multiply(part_2, value, out=part_2)
            part_31 = _rows.select(mask, part_31, 0.0, out=part_31)
            part_30 = np.add(part_30, part_31, out=part_31)
            part_32 = np.multiply(part_6, part_30, out=buffers[6])
            part_32 = np.add(dsilu_gate, part_32, out=dsilu_gate)
            part_33 = np.multiply(part_30, sigmoid_gate, out=part_30)
            part_32 = np.subtract(part_32, part_33, out=part_32)
            part_32 = np.multiply(ddgate, part_32, out=part_32)
            part_26 = np.add(part_26, part_32, out=dvalue_block)
        part_26 = np.multiply(part_6, part_26, out=part_26)
        part_26 = np.multiply(part_26, sigmoid_gate, out=part_26)
        d2gate = np.add(d2gate, part_26, out=d2gate)
        # step 65: d2value = where(gate > 0, ddu*dy*grown*sigmoid_gate + (1 -
        #   sigmoid_gate)*ddgate*dy*grown*sigmoid_gate, ddsilu_gate*dy)
        if ddgate_rows is not None:
            d2value = np.multiply(part_28, sigmoid_gate, out=dvalue_block)
            part_34 = np.multiply(part_11, grown, out=ddy_block)
            part_34 = np.multiply(part_34, sigmoid_gate, out=part_34)
            d2value = np.add(d2value, part_34, out=d2value)
            part_35 = np.multiply(ddsilu_gate, dy, out=ddy_block)
            d2value = _rows.select(mask, d2value, part_35, out=d2value)
        # step 67: ddy = where(gate > 0, ddvalue*grown*sigmoid_gate +
        #   ddu*grown*sigmoid_gate*value + (1 -
        #   sigmoid_gate)*ddgate*grown*sigmoid_gate*value, ddsilu_gate*value +
        #   ddvalue*silu_gate)
        if ddvalue_rows is not None:
            ddy = np.multiply(ddvalue, grown, out=ddy_block)
            ddy = np.multiply(ddy, sigmoid_gate, out=ddy)
        if ddgate_rows is not None:
            part_36 = np.multiply(ddu, grown, out=buffers[0])
            part_36 = np.multiply(part_36, sigmoid_gate, out=part_36)
            part_36 = np.multiply(part_36, value, out=part_36)
        if with_ddgate_and_ddvalue:
            ddy = np.add(ddy, part_36, out=ddy)
        if ddvalue_rows is None:
            ddy = part_36
        if ddgate_rows is not None:
            part_37 = np.multiply(part_10, grown, out=grown)
            part_37 = np.multiply(part_37, sigmoid_gate, out=part_37)
            part_37 = np.multiply(part_37, value, out=part_37)
            ddy = np.add(ddy, part_37, out=ddy_block)
            part_38 = np.multiply(ddsilu_gate, value, out=buffers[0])
        if ddvalue_rows is not None:
            part_39 = np.multiply(ddvalue, silu_gate, out=buffers[1])
        if with_ddgate_and_ddvalue:
            part_38 = np.add(part_38, part_39, out=part_38)
        if ddgate_rows is None:
            part_38 = part_39
        ddy = _rows.select(mask, ddy, part_38, out=ddy)
        if ddgate_rows is None:
            d2value = _rows.filled(0.0, dvalue_block, shape, dtype)
        return d2gate, d2value, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, dy_rows, ddgate_rows, ddvalue_rows),
        into=(dgate_out, dvalue_out, ddy_out),
        buffers=22,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    power: float,
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
    fields_ = (x, power)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, power)
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "pow_glu")
    _calls.check_first_fields(saved, (True,))
    _calls.check_number("power", saved.power)
    _sizes = _AXES.sizes_of(saved.shape)
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "pow_glu",
    "minimum_features": 1,
    "inputs": [
        _interface.given(
            "x", "Row", pattern=[["..."], ["s", "d"]], parts=["gate", "value"]
        )
    ],
    "constants": [_interface.constant("power", default=3)],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"], parts=["gate", "value"]),
        _interface.saved("power", "constant", []),
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


class PowGlu(_modules.NumpyModule):
    """`pow_glu` as an object without parameters.

    Args:
        power: a constant, a finite number.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        power: float = 3.0,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.power = self._constant("power", power, True)

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, power=self.power, save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        found = self._gradients(dy)
        return found.dx
