# Made by lngen 0.1.0 from the definition of situ_glu; derivation.md has its steps, cost and evidence.
# Do not edit; edit situ_glu.py and run: lngen derive situ_glu.py
# definition sha256:e6e65e1eea5303aa376f708491047896a0aec30266bcb6dd83c239585502f41f
"""Gated linear unit by a sigmoid and two bounded values: beta*tanh(gate/beta)*sigmoid(gate), times the bounded value.

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
    beta: float  # constant beta of forward
    linear_beta: float  # constant linear_beta of forward


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    beta: float = 4.0,
    linear_beta: float = 25.0,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    beta: float = 4.0,
    linear_beta: float = 25.0,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    *,
    beta: float = 4.0,
    linear_beta: float = 25.0,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Gated linear unit by a sigmoid and two bounded values: beta*tanh(gate/beta)*sigmoid(gate), times the bounded value.

        gate = at(x, s=0)
        value = at(x, s=1)
        u = value/linear_beta
        tanh_u = tanh(u)
        sigmoid_gate = sigmoid(gate)
        u_2 = gate/beta
        tanh_u_2 = tanh(u_2)
        y = beta*linear_beta*sigmoid_gate*tanh_u*tanh_u_2

    Args:
        x: an array with the axes ... (s d), s of size 2.
        beta: a constant, a finite number.
        linear_beta: a constant, a finite number.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y is an array with the axes ... d. `saved` is the argument of
    the other directions. The compute type is the widest among the inputs, and
    float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, beta, linear_beta, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    beta: Any,
    linear_beta: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    beta = _calls.constant("beta", beta)
    linear_beta = _calls.constant("linear_beta", linear_beta)
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
        (_arranged.rows("x", x, 0), _arranged.rows("x", x, 1), beta, linear_beta),
    )
    _arranged.write("y", y_, _y_rows)
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(_AXES.flat(_sizes), _dtype, _dtypes, x, beta, linear_beta)
        if save
        else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    gate_rows, value_rows, beta, linear_beta = values
    (y_out,) = results
    _, dtype, _ = call
    beta = np.asarray(beta, dtype)
    linear_beta = np.asarray(linear_beta, dtype)
    # step 1, pass 1: linear_beta_shifted = 1/linear_beta
    linear_beta_shifted = np.reciprocal(linear_beta)
    # step 4, pass 2: beta_shifted = 1/beta
    beta_shifted = np.reciprocal(beta)
    # step 6: y = sigmoid_gate*tanh_u*tanh_u_2*beta*linear_beta
    part = beta * linear_beta

    def block(gate, value, y_block=None, buffers=(None,) * 2):
        # step 1, pass 3: u = value*linear_beta_shifted
        u = np.multiply(value, linear_beta_shifted, out=y_block)
        # step 2: tanh_u = tanh(u)
        tanh_u = np.tanh(u, out=u)
        # step 3: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=buffers[0])
        # step 4, pass 4: u_2 = gate*beta_shifted
        u_2 = np.multiply(gate, beta_shifted, out=buffers[1])
        # step 5: tanh_u_2 = tanh(u_2)
        tanh_u_2 = np.tanh(u_2, out=u_2)
        # step 6: y = sigmoid_gate*tanh_u*tanh_u_2*beta*linear_beta
        y = np.multiply(sigmoid_gate, tanh_u, out=tanh_u)
        y = np.multiply(y, tanh_u_2, out=y)
        y = np.multiply(y, part, out=y)
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

        dgate = linear_beta*dy*sigmoid_gate*tanh_u*(beta*tanh_u_2*(1 - sigmoid_gate) + (1 - tanh_u_2)*(1 + tanh_u_2))
        dvalue = beta*dy*sigmoid_gate*tanh_u_2*(1 - tanh_u)*(1 + tanh_u)
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
        (
            _arranged.rows("x", saved.x, 0),
            _arranged.rows("x", saved.x, 1),
            saved.beta,
            saved.linear_beta,
        ),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    return Gradients(*_calls.returned((dx_,), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    gate_rows, value_rows, beta, linear_beta = fields
    dgate_out, dvalue_out = results
    _, dtype, _ = call
    beta = np.asarray(beta, dtype)
    linear_beta = np.asarray(linear_beta, dtype)
    # step 1, pass 1: linear_beta_shifted = 1/linear_beta
    linear_beta_shifted = np.reciprocal(linear_beta)
    # step 4, pass 2: beta_shifted = 1/beta
    beta_shifted = np.reciprocal(beta)

    def block(
        gate, value, dy, dgate_block=None, dvalue_block=None, buffers=(None,) * 4
    ):
        # step 1, pass 3: u = value*linear_beta_shifted
        u = np.multiply(value, linear_beta_shifted, out=dgate_block)
        # step 2: tanh_u = tanh(u)
        tanh_u = np.tanh(u, out=dvalue_block)
        # step 3: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=buffers[0])
        # step 4, pass 4: u_2 = gate*beta_shifted
        u_2 = np.multiply(gate, beta_shifted, out=dgate_block)
        # step 5: tanh_u_2 = tanh(u_2)
        tanh_u_2 = np.tanh(u_2, out=buffers[1])
        # step 16: dgate = dy*sigmoid_gate*tanh_u*((1 - tanh_u_2)*(tanh_u_2 + 1) + (1 -
        #   sigmoid_gate)*tanh_u_2*beta)*linear_beta
        dgate = np.multiply(dy, sigmoid_gate, out=dgate_block)
        dgate = np.multiply(dgate, tanh_u, out=dgate)
        part = np.subtract(1.0, tanh_u_2, out=buffers[2])
        part_2 = np.add(tanh_u_2, 1.0, out=buffers[3])
        part = np.multiply(part, part_2, out=part)
        part_3 = np.subtract(1.0, sigmoid_gate, out=buffers[3])
        part_3 = np.multiply(part_3, tanh_u_2, out=part_3)
        part_3 = np.multiply(part_3, beta, out=part_3)
        part = np.add(part, part_3, out=part)
        dgate = np.multiply(dgate, part, out=dgate)
        dgate = np.multiply(dgate, linear_beta, out=dgate)
        # step 22: dvalue = (1 - tanh_u)*dy*sigmoid_gate*(tanh_u + 1)*tanh_u_2*beta
        dvalue = np.subtract(1.0, tanh_u, out=buffers[2])
        dvalue = np.multiply(dvalue, dy, out=dvalue)
        dvalue = np.multiply(dvalue, sigmoid_gate, out=sigmoid_gate)
        part_4 = np.add(tanh_u, 1.0, out=tanh_u)
        dvalue = np.multiply(dvalue, part_4, out=part_4)
        dvalue = np.multiply(dvalue, tanh_u_2, out=dvalue)
        dvalue = np.multiply(dvalue, beta, out=dvalue)
        return dgate, dvalue

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, dy_rows),
        into=(dgate_out, dvalue_out),
        buffers=4,
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
        y_dot = sigmoid_gate*(beta*tanh_u_2*value_dot*(1 - tanh_u)*(1 + tanh_u) +
            linear_beta*gate_dot*tanh_u*(beta*tanh_u_2*(1 - sigmoid_gate) + (1 -
            tanh_u_2)*(1 + tanh_u_2)))

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
            saved.beta,
            saved.linear_beta,
        ),
    )
    _arranged.write("y", y_dot_, _y_dot_rows)
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    gate_dot_rows, value_dot_rows = arguments
    gate_rows, value_rows, beta, linear_beta = fields
    (y_dot_out,) = results
    _, dtype, _ = call
    beta = np.asarray(beta, dtype)
    linear_beta = np.asarray(linear_beta, dtype)
    # step 1, pass 1: linear_beta_shifted = 1/linear_beta
    linear_beta_shifted = np.reciprocal(linear_beta)
    # step 4, pass 2: beta_shifted = 1/beta
    beta_shifted = np.reciprocal(beta)

    def block(gate, value, gate_dot, value_dot, y_dot_block=None, buffers=(None,) * 5):
        # step 1, pass 3: u = value*linear_beta_shifted
        u = np.multiply(value, linear_beta_shifted, out=y_dot_block)
        # step 2: tanh_u = tanh(u)
        tanh_u = np.tanh(u, out=u)
        # step 3: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=buffers[0])
        # step 4, pass 4: u_2 = gate*beta_shifted
        u_2 = np.multiply(gate, beta_shifted, out=buffers[1])
        # step 5: tanh_u_2 = tanh(u_2)
        tanh_u_2 = np.tanh(u_2, out=u_2)
        # step 35: y_dot = ((1 - tanh_u)*(tanh_u + 1)*tanh_u_2*value_dot*beta +
        #   gate_dot*tanh_u*((1 - tanh_u_2)*(tanh_u_2 + 1) + (1 -
        #   sigmoid_gate)*tanh_u_2*beta)*linear_beta)*sigmoid_gate
        if value_dot_rows is not None:
            y_dot = np.subtract(1.0, tanh_u, out=buffers[2])
            part = np.add(tanh_u, 1.0, out=buffers[3])
            y_dot = np.multiply(y_dot, part, out=y_dot)
            y_dot = np.multiply(y_dot, tanh_u_2, out=y_dot)
            y_dot = np.multiply(y_dot, value_dot, out=y_dot)
            y_dot = np.multiply(y_dot, beta, out=y_dot)
        if gate_dot_rows is not None:
            part_2 = np.multiply(gate_dot, tanh_u, out=tanh_u)
            part_3 = np.subtract(1.0, tanh_u_2, out=buffers[3])
            part_4 = np.add(tanh_u_2, 1.0, out=buffers[4])
            part_3 = np.multiply(part_3, part_4, out=part_3)
            part_5 = np.subtract(1.0, sigmoid_gate, out=buffers[4])
            part_5 = np.multiply(part_5, tanh_u_2, out=tanh_u_2)
            part_5 = np.multiply(part_5, beta, out=part_5)
            part_3 = np.add(part_3, part_5, out=part_5)
            part_2 = np.multiply(part_2, part_3, out=part_2)
            part_2 = np.multiply(part_2, linear_beta, out=part_2)
        if gate_dot_rows is not None and value_dot_rows is not None:
            y_dot = np.add(y_dot, part_2, out=part_2)
        if value_dot_rows is None:
            y_dot = part_2
        y_dot = np.multiply(y_dot, sigmoid_gate, out=y_dot_block)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, gate_dot_rows, value_dot_rows),
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

        ddgate = at(ddx, s=0)
        ddvalue = at(ddx, s=1)
        sigmoid_gate_complement = 1 - sigmoid_gate
        d2gate = dy*sigmoid_gate*((1 - tanh_u_2)*(1 + tanh_u_2)*(beta*ddvalue*(1 -
            tanh_u)*(1 + tanh_u) +
            linear_beta*ddgate*tanh_u*(beta*sigmoid_gate_complement - 2*tanh_u_2))/beta
            + sigmoid_gate_complement*(beta*ddvalue*tanh_u_2*(1 - tanh_u)*(1 + tanh_u) +
            linear_beta*ddgate*tanh_u*(beta*tanh_u_2*(sigmoid_gate_complement -
            sigmoid_gate) + (1 - tanh_u_2)*(1 + tanh_u_2))))
        d2value = dy*sigmoid_gate*(1 - tanh_u)*(1 + tanh_u)*(ddgate*(1 - tanh_u_2)*(1 +
            tanh_u_2) + beta*tanh_u_2*(ddgate*sigmoid_gate_complement -
            2*ddvalue*tanh_u/linear_beta))
        ddy = sigmoid_gate*(beta*ddvalue*tanh_u_2*(1 - tanh_u)*(1 + tanh_u) +
            linear_beta*ddgate*tanh_u*(beta*sigmoid_gate_complement*tanh_u_2 + (1 -
            tanh_u_2)*(1 + tanh_u_2)))
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
        (
            _arranged.rows("x", saved.x, 0),
            _arranged.rows("x", saved.x, 1),
            saved.beta,
            saved.linear_beta,
        ),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    _arranged.write("y", ddy_, _ddy_rows)
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddgate_rows, ddvalue_rows = arguments
    gate_rows, value_rows, beta, linear_beta = fields
    dgate_out, dvalue_out, ddy_out = results
    _, dtype, _ = call
    with_ddgate_and_ddvalue = ddgate_rows is not None and ddvalue_rows is not None
    beta = np.asarray(beta, dtype)
    linear_beta = np.asarray(linear_beta, dtype)
    # step 1, pass 1: linear_beta_shifted = 1/linear_beta
    linear_beta_shifted = np.reciprocal(linear_beta)
    # step 4, pass 2: beta_shifted = 1/beta
    beta_shifted = np.reciprocal(beta)
    # step 59, pass 6: linear_beta_scaled = -2/linear_beta
    if ddvalue_rows is not None:
        linear_beta_scaled = -2.0 / linear_beta

    def block(
        gate,
        value,
        dy,
        ddgate,
        ddvalue,
        dgate_block=None,
        dvalue_block=None,
        ddy_block=None,
        buffers=(None,) * 11,
    ):
        # step 1, pass 3: u = value*linear_beta_shifted
        u = np.multiply(value, linear_beta_shifted, out=dgate_block)
        # step 2: tanh_u = tanh(u)
        tanh_u = np.tanh(u, out=ddy_block)
        # step 3: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=buffers[0])
        # step 4, pass 4: u_2 = gate*beta_shifted
        u_2 = np.multiply(gate, beta_shifted, out=dgate_block)
        # step 5: tanh_u_2 = tanh(u_2)
        tanh_u_2 = np.tanh(u_2, out=buffers[1])
        # step 46: sigmoid_gate_complement = 1 - sigmoid_gate
        sigmoid_gate_complement = np.subtract(1.0, sigmoid_gate, out=buffers[2])
        # step 51, pass 7: d2gate = dy*sigmoid_gate*((1 - tanh_u_2)*((1 -
        #   tanh_u)*ddvalue*(tanh_u + 1)*beta + ddgate*(sigmoid_gate_complement*beta -
        #   2*tanh_u_2)*tanh_u*linear_beta)*(tanh_u_2 + 1)*beta_shifted_2 + ((1 -
        #   tanh_u)*ddvalue*(tanh_u + 1)*tanh_u_2*beta + ddgate*tanh_u*((1 -
        #   tanh_u_2)*(tanh_u_2 + 1) + (sigmoid_gate_complement -
        #   sigmoid_gate)*tanh_u_2*beta)*linear_beta)*sigmoid_gate_complement)
        d2gate = np.multiply(dy, sigmoid_gate, out=dgate_block)
        part = np.subtract(1.0, tanh_u_2, out=dvalue_block)
        part_2 = np.subtract(1.0, tanh_u, out=buffers[3])
        if ddvalue_rows is not None:
            part_3 = np.multiply(part_2, ddvalue, out=buffers[4])
        part_4 = np.add(tanh_u, 1.0, out=buffers[5])
        if ddvalue_rows is not None:
            part_3 = np.multiply(part_3, part_4, out=part_3)
            part_5 = np.multiply(part_3, beta, out=buffers[6])
        if ddgate_rows is not None:
            part_6 = np.multiply(sigmoid_gate_complement, beta, out=buffers[7])
            part_7 = np.multiply(tanh_u_2, 2.0, out=buffers[8])
            part_6 = np.subtract(part_6, part_7, out=part_6)
            part_6 = np.multiply(ddgate, part_6, out=part_6)
            part_6 = np.multiply(part_6, tanh_u, out=part_6)
            part_6 = np.multiply(part_6, linear_beta, out=part_6)
        if with_ddgate_and_ddvalue:
            part_5 = np.add(part_5, part_6, out=part_5)
        if ddvalue_rows is None:
            part_5 = part_6
        part_5 = np.multiply(part, part_5, out=buffers[6])
        part_8 = np.add(tanh_u_2, 1.0, out=buffers[7])
        part_5 = np.multiply(part_5, part_8, out=part_5)
        part_5 = np.multiply(part_5, beta_shifted, out=part_5)
        if ddvalue_rows is not None:
            part_9 = np.multiply(part_3, tanh_u_2, out=part_3)
            part_9 = np.multiply(part_9, beta, out=part_9)
        if ddgate_rows is not None:
            part_10 = np.multiply(ddgate, tanh_u, out=buffers[8])
            part_11 = np.multiply(part, part_8, out=buffers[9])
            part_12 = np.subtract(
                sigmoid_gate_complement, sigmoid_gate, out=buffers[10]
            )
            part_12 = np.multiply(part_12, tanh_u_2, out=part_12)
            part_12 = np.multiply(part_12, beta, out=part_12)
            part_12 = np.add(part_11, part_12, out=part_12)
            part_10 = np.multiply(part_10, part_12, out=part_10)
            part_10 = np.multiply(part_10, linear_beta, out=part_10)
        if with_ddgate_and_ddvalue:
            part_10 = np.add(part_9, part_10, out=part_10)
        if ddgate_rows is None:
            part_10 = part_9
        part_10 = np.multiply(part_10, sigmoid_gate_complement, out=buffers[8])
        part_5 = np.add(part_5, part_10, out=part_5)
        d2gate = np.multiply(d2gate, part_5, out=d2gate)
        # step 59, pass 8: d2value = (1 - tanh_u)*((1 - tanh_u_2)*ddgate*(tanh_u_2 + 1)
        #   + (ddgate*sigmoid_gate_complement +
        #   ddvalue*tanh_u*linear_beta_scaled)*tanh_u_2*beta)*dy*sigmoid_gate*(tanh_u +
        #   1)
        if ddgate_rows is not None:
            d2value = np.multiply(part, ddgate, out=part)
            d2value = np.multiply(d2value, part_8, out=d2value)
            part_13 = np.multiply(ddgate, sigmoid_gate_complement, out=buffers[6])
        if ddvalue_rows is not None:
            part_14 = np.multiply(ddvalue, tanh_u, out=buffers[7])
            part_14 = np.multiply(part_14, linear_beta_scaled, out=part_14)
        if with_ddgate_and_ddvalue:
            part_13 = np.add(part_13, part_14, out=part_13)
        if ddgate_rows is None:
            part_13 = part_14
        part_13 = np.multiply(part_13, tanh_u_2, out=buffers[6])
        part_13 = np.multiply(part_13, beta, out=part_13)
        if ddgate_rows is not None:
            d2value = np.add(d2value, part_13, out=d2value)
        else:
            d2value = part_13
        d2value = np.multiply(part_2, d2value, out=dvalue_block)
        d2value = np.multiply(d2value, dy, out=d2value)
        d2value = np.multiply(d2value, sigmoid_gate, out=d2value)
        d2value = np.multiply(d2value, part_4, out=d2value)
        # step 63: ddy = ((1 - tanh_u)*ddvalue*(tanh_u + 1)*tanh_u_2*beta +
        #   ddgate*(sigmoid_gate_complement*tanh_u_2*beta + (1 - tanh_u_2)*(tanh_u_2 +
        #   1))*tanh_u*linear_beta)*sigmoid_gate
        if ddgate_rows is not None:
            ddy = np.multiply(sigmoid_gate_complement, tanh_u_2, out=tanh_u_2)
            ddy = np.multiply(ddy, beta, out=ddy)
            ddy = np.add(ddy, part_11, out=ddy)
            ddy = np.multiply(ddgate, ddy, out=ddy)
            ddy = np.multiply(ddy, tanh_u, out=tanh_u)
            ddy = np.multiply(ddy, linear_beta, out=ddy)
        if with_ddgate_and_ddvalue:
            ddy = np.add(part_9, ddy, out=ddy)
        if ddgate_rows is None:
            ddy = part_9
        ddy = np.multiply(ddy, sigmoid_gate, out=ddy_block)
        return d2gate, d2value, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, dy_rows, ddgate_rows, ddvalue_rows),
        into=(dgate_out, dvalue_out, ddy_out),
        buffers=11,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    beta: float,
    linear_beta: float,
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
    fields_ = (x, beta, linear_beta)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, beta, linear_beta)
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "situ_glu")
    _calls.check_first_fields(saved, (True,))
    _calls.check_number("beta", saved.beta)
    _calls.check_number("linear_beta", saved.linear_beta)
    _sizes = _AXES.sizes_of(saved.shape)
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "situ_glu",
    "minimum_features": 1,
    "inputs": [
        _interface.given(
            "x", "Row", pattern=[["..."], ["s", "d"]], parts=["gate", "value"]
        )
    ],
    "constants": [
        _interface.constant("beta", default=4),
        _interface.constant("linear_beta", default=25),
    ],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"], parts=["gate", "value"]),
        _interface.saved("beta", "constant", []),
        _interface.saved("linear_beta", "constant", []),
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


class SituGlu(_modules.NumpyModule):
    """`situ_glu` as an object without parameters.

    Args:
        beta: a constant, a finite number.
        linear_beta: a constant, a finite number.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        beta: float = 4.0,
        linear_beta: float = 25.0,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.beta = self._constant("beta", beta, True)
        self.linear_beta = self._constant("linear_beta", linear_beta, True)

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x,
            beta=self.beta,
            linear_beta=self.linear_beta,
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        found = self._gradients(dy)
        return found.dx
