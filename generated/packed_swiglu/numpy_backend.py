# Made by lngen 0.1.0 from the definition of packed_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
# definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
"""SwiGLU of a gate and a value that lie side by side in one array.

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
    """SwiGLU of a gate and a value that lie side by side in one array.

        gate = at(x, s=0)
        value = at(x, s=1)
        sigmoid_gate = sigmoid(gate)
        silu_gate = gate*sigmoid_gate
        y = silu_gate*value

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

    def block(gate, value, y_block=None):
        # step 1: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=y_block)
        # step 2: silu_gate = gate*sigmoid_gate
        silu_gate = np.multiply(gate, sigmoid_gate, out=sigmoid_gate)
        # step 3: y = silu_gate*value
        y = np.multiply(silu_gate, value, out=silu_gate)
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

        dgate = dy*sigmoid_gate*value*(1 + gate*(1 - sigmoid_gate))
        dvalue = dy*silu_gate
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

    def block(gate, value, dy, dgate_block=None, dvalue_block=None, buffers=(None,)):
        # step 1: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=dgate_block)
        # step 2: silu_gate = gate*sigmoid_gate
        silu_gate = np.multiply(gate, sigmoid_gate, out=dvalue_block)
        # step 9: dgate = dy*((1 - sigmoid_gate)*gate + 1)*sigmoid_gate*value
        dgate = np.subtract(1.0, sigmoid_gate, out=buffers[0])
        dgate = np.multiply(dgate, gate, out=dgate)
        dgate = np.add(dgate, 1.0, out=dgate)
        dgate = np.multiply(dy, dgate, out=dgate)
        dgate = np.multiply(dgate, sigmoid_gate, out=sigmoid_gate)
        dgate = np.multiply(dgate, value, out=dgate)
        # step 10: dvalue = dy*silu_gate
        dvalue = np.multiply(dy, silu_gate, out=silu_gate)
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
        y_dot = silu_gate*value_dot + gate_dot*sigmoid_gate*value*(1 + gate*(1 -
            sigmoid_gate))

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

    def block(gate, value, gate_dot, value_dot, y_dot_block=None, buffers=(None,) * 2):
        # step 1: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=buffers[0])
        # step 2: silu_gate = gate*sigmoid_gate
        if value_dot_rows is not None:
            silu_gate = np.multiply(gate, sigmoid_gate, out=y_dot_block)
            # step 15: y_dot = silu_gate*value_dot + ((1 - sigmoid_gate)*gate +
            #   1)*gate_dot*sigmoid_gate*value
            y_dot = np.multiply(silu_gate, value_dot, out=silu_gate)
        if gate_dot_rows is not None:
            part = np.subtract(1.0, sigmoid_gate, out=buffers[1])
            part = np.multiply(part, gate, out=part)
            part = np.add(part, 1.0, out=part)
            part = np.multiply(part, gate_dot, out=part)
            part = np.multiply(part, sigmoid_gate, out=sigmoid_gate)
            part = np.multiply(part, value, out=part)
        if gate_dot_rows is not None and value_dot_rows is not None:
            y_dot = np.add(y_dot, part, out=y_dot)
        if value_dot_rows is None:
            y_dot = part
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, gate_dot_rows, value_dot_rows),
        into=(y_dot_out,),
        buffers=2,
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
        d2silu_gate = ddvalue*dy
        d2gate = sigmoid_gate*(d2silu_gate + ddgate*dy*value*(1 - sigmoid_gate) + (1 -
            sigmoid_gate)*(d2silu_gate*gate + ddgate*dy*value*(1 + gate*(1 -
            sigmoid_gate) - silu_gate)))
        d2value = ddgate*dy*sigmoid_gate*(1 + gate*(1 - sigmoid_gate))
        ddy = ddvalue*silu_gate + ddgate*sigmoid_gate*value*(1 + gate*(1 -
            sigmoid_gate))
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

    def block(
        gate,
        value,
        dy,
        ddgate,
        ddvalue,
        dgate_block=None,
        dvalue_block=None,
        ddy_block=None,
        buffers=(None,) * 5,
    ):
        # step 1: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=buffers[0])
        # step 2: silu_gate = gate*sigmoid_gate
        silu_gate = np.multiply(gate, sigmoid_gate, out=ddy_block)
        # step 18: d2silu_gate = ddvalue*dy
        if ddvalue_rows is not None:
            d2silu_gate = np.multiply(ddvalue, dy, out=dgate_block)
        # step 24: d2gate = (d2silu_gate + (1 - sigmoid_gate)*ddgate*dy*value + (1 -
        #   sigmoid_gate)*(d2silu_gate*gate + ddgate*dy*((1 - sigmoid_gate)*gate + 1 -
        #   silu_gate)*value))*sigmoid_gate
        part = np.subtract(1.0, sigmoid_gate, out=dvalue_block)
        if ddgate_rows is not None:
            d2gate = np.multiply(part, ddgate, out=buffers[1])
            d2gate = np.multiply(d2gate, dy, out=d2gate)
            d2gate = np.multiply(d2gate, value, out=d2gate)
        if with_ddgate_and_ddvalue:
            d2gate = np.add(d2silu_gate, d2gate, out=d2gate)
        if ddgate_rows is None:
            d2gate = d2silu_gate
        if ddvalue_rows is not None:
            part_2 = np.multiply(d2silu_gate, gate, out=buffers[2])
        if ddgate_rows is not None:
            part_3 = np.multiply(ddgate, dy, out=buffers[3])
            part_4 = np.multiply(part, gate, out=dgate_block)
            part_4 = np.add(part_4, 1.0, out=buffers[4])
            part_5 = np.subtract(part_4, silu_gate, out=dgate_block)
            part_5 = np.multiply(part_3, part_5, out=part_5)
            part_5 = np.multiply(part_5, value, out=part_5)
        if with_ddgate_and_ddvalue:
            part_2 = np.add(part_2, part_5, out=part_5)
        if ddvalue_rows is None:
            part_2 = part_5
        part_2 = np.multiply(part, part_2, out=part)
        d2gate = np.add(d2gate, part_2, out=dgate_block)
        d2gate = np.multiply(d2gate, sigmoid_gate, out=d2gate)
        # step 25: d2value = ddgate*dy*((1 - sigmoid_gate)*gate + 1)*sigmoid_gate
        if ddgate_rows is not None:
            d2value = np.multiply(part_3, part_4, out=dvalue_block)
            d2value = np.multiply(d2value, sigmoid_gate, out=d2value)
        # step 26: ddy = ddvalue*silu_gate + ddgate*((1 - sigmoid_gate)*gate +
        #   1)*sigmoid_gate*value
        if ddvalue_rows is not None:
            ddy = np.multiply(ddvalue, silu_gate, out=silu_gate)
        if ddgate_rows is not None:
            part_6 = np.multiply(ddgate, part_4, out=buffers[1])
            part_6 = np.multiply(part_6, sigmoid_gate, out=sigmoid_gate)
            part_6 = np.multiply(part_6, value, out=part_6)
        if with_ddgate_and_ddvalue:
            ddy = np.add(ddy, part_6, out=ddy)
        if ddvalue_rows is None:
            ddy = part_6
        if ddgate_rows is None:
            d2value = _rows.filled(0.0, dvalue_block, shape, dtype)
        return d2gate, d2value, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, dy_rows, ddgate_rows, ddvalue_rows),
        into=(dgate_out, dvalue_out, ddy_out),
        buffers=5,
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
    _calls.check_is_saved(saved, Saved, "packed_swiglu")
    _calls.check_first_fields(saved, (True,))
    _sizes = _AXES.sizes_of(saved.shape)
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "packed_swiglu",
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


class PackedSwiglu(_modules.NumpyModule):
    """`packed_swiglu` as an object without parameters.

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
