# Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
"""Rotary position embedding: both halves of a row are turned by the angle of their position.

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

    shape: tuple[int, ...]  # sizes of the axes b h t d
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    cosine: npt.NDArray[Any]  # argument cosine of forward
    sine: npt.NDArray[Any]  # argument sine of forward


@overload
def forward(
    x: npt.NDArray[Any],
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Rotary position embedding: both halves of a row are turned by the angle of their position.

        a = at(x, s=0)
        b = at(x, s=1)
        y_0 = a*cosine - b*sine
        y_1 = a*sine + b*cosine
        y = join(y_0, y_1)

    Args:
        x: an array with the axes b h t (s d), s of size 2.
        cosine: an array with the axes t d, without a gradient.
        sine: an array with the axes t d, without a gradient.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y is an array with the axes b h t (s d), s of size 2. `saved`
    is the argument of the other directions. The compute type is the widest
    among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, cosine, sine, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    cosine: Any,
    sine: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    x, cosine, sine = _calls.arrays(3, x=x, cosine=cosine, sine=sine)
    _sizes = _AXES.sizes((x, cosine, sine))
    _shape = _AXES.row_shape(_sizes)
    _read = {"x": x, "cosine": cosine, "sine": sine}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _AXES.shape("y", _sizes), x.dtype, _read, _by.empty)
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_0 = _arranged.target("y", y_, 0)
    _y_1 = _arranged.target("y", y_, 1)
    _by.fill(
        (_y_0, _y_1),
        _arranged.work,
        (
            _arranged.rows("x", x, 0),
            _arranged.rows("x", x, 1),
            _arranged.rows("cosine", cosine),
            _arranged.rows("sine", sine),
        ),
    )
    _arranged.write("y", y_, _y_0, 0)
    _arranged.write("y", y_, _y_1, 1)
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = Saved(_AXES.flat(_sizes), _dtype, _dtypes, cosine, sine) if save else None
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    a_rows, b_rows, cosine_rows, sine_rows = values
    y_0_out, y_1_out = results

    def block(a, b, cosine, sine, y_0_block=None, y_1_block=None, buffers=(None,)):
        # step 1: y_0 = a*cosine - b*sine
        y_0 = np.multiply(a, cosine, out=y_0_block)
        part = np.multiply(b, sine, out=y_1_block)
        y_0 = np.subtract(y_0, part, out=y_0)
        # step 2: y_1 = a*sine + b*cosine
        y_1 = np.multiply(a, sine, out=y_1_block)
        part_2 = np.multiply(b, cosine, out=buffers[0])
        y_1 = np.add(y_1, part_2, out=y_1)
        return y_0, y_1

    return _blocks.each_block(
        block,
        call,
        rows=(a_rows, b_rows, cosine_rows, sine_rows),
        into=(y_0_out, y_1_out),
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

        dy_0 = at(dy, s=0)
        dy_1 = at(dy, s=1)
        da = cosine*dy_0 + dy_1*sine
        db = cosine*dy_1 - dy_0*sine
        dx = join(da, db)

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
    _of_x, _of_cosine, _of_sine = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _read = {"dy": dy, "saved.cosine": saved.cosine, "saved.sine": saved.sine}
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dx_,) = _calls.results(out, _read, _by.empty, dx=(_AXES.shape("x", _sizes), _of_x))
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_0 = _arranged.target("x", dx_, 0)
    _dx_1 = _arranged.target("x", dx_, 1)
    _by.fill(
        (_dx_0, _dx_1),
        _arranged.work,
        (_arranged.rows("y", dy, 0), _arranged.rows("y", dy, 1)),
        (_arranged.rows("cosine", saved.cosine), _arranged.rows("sine", saved.sine)),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    return Gradients(*_calls.returned((dx_,), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_0_rows, dy_1_rows = arguments
    cosine_rows, sine_rows = fields
    da_out, db_out = results

    def block(cosine, sine, dy_0, dy_1, da_block=None, db_block=None, buffers=(None,)):
        # step 3: da = cosine*dy_0 + dy_1*sine
        if dy_0_rows is not None:
            da = np.multiply(cosine, dy_0, out=da_block)
        if dy_1_rows is not None:
            part = np.multiply(dy_1, sine, out=buffers[0])
        if dy_0_rows is not None and dy_1_rows is not None:
            da = np.add(da, part, out=da)
        if dy_0_rows is None:
            da = part
        # step 4: db = cosine*dy_1 - dy_0*sine
        if dy_1_rows is not None:
            db = np.multiply(cosine, dy_1, out=db_block)
        else:
            db = 0.0
        if dy_0_rows is not None:
            part_2 = np.multiply(dy_0, sine, out=buffers[0])
            db = np.subtract(db, part_2, out=db_block)
        return da, db

    return _blocks.each_block(
        block,
        call,
        rows=(cosine_rows, sine_rows, dy_0_rows, dy_1_rows),
        into=(da_out, db_out),
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

        a_dot = at(x_dot, s=0)
        b_dot = at(x_dot, s=1)
        y_0_dot = a_dot*cosine - b_dot*sine
        y_1_dot = b_dot*cosine + a_dot*sine
        y_dot = join(y_0_dot, y_1_dot)

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
    _of_x, _of_cosine, _of_sine = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    _calls.check_any("tangent", x_dot)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", x_dot=x_dot)
    _read = {"x_dot": x_dot, "saved.cosine": saved.cosine, "saved.sine": saved.sine}
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result(
        "y_dot", out, _AXES.shape("y", _sizes), _of_x, _read, _by.empty
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_dot_0 = _arranged.target("y", y_dot_, 0)
    _y_dot_1 = _arranged.target("y", y_dot_, 1)
    _by.fill(
        (_y_dot_0, _y_dot_1),
        _arranged.work,
        (_arranged.rows("x", x_dot, 0), _arranged.rows("x", x_dot, 1)),
        (_arranged.rows("cosine", saved.cosine), _arranged.rows("sine", saved.sine)),
    )
    _arranged.write("y", y_dot_, _y_dot_0, 0)
    _arranged.write("y", y_dot_, _y_dot_1, 1)
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    a_dot_rows, b_dot_rows = arguments
    cosine_rows, sine_rows = fields
    y_0_dot_out, y_1_dot_out = results

    def block(
        cosine,
        sine,
        a_dot,
        b_dot,
        y_0_dot_block=None,
        y_1_dot_block=None,
        buffers=(None,),
    ):
        # step 5: y_0_dot = a_dot*cosine - b_dot*sine
        if a_dot_rows is not None:
            y_0_dot = np.multiply(a_dot, cosine, out=y_0_dot_block)
        else:
            y_0_dot = 0.0
        if b_dot_rows is not None:
            part = np.multiply(b_dot, sine, out=y_1_dot_block)
            y_0_dot = np.subtract(y_0_dot, part, out=y_0_dot_block)
        # step 6: y_1_dot = a_dot*sine + b_dot*cosine
        if a_dot_rows is not None:
            y_1_dot = np.multiply(a_dot, sine, out=y_1_dot_block)
        if b_dot_rows is not None:
            part_2 = np.multiply(b_dot, cosine, out=buffers[0])
        if a_dot_rows is not None and b_dot_rows is not None:
            y_1_dot = np.add(y_1_dot, part_2, out=y_1_dot)
        if a_dot_rows is None:
            y_1_dot = part_2
        return y_0_dot, y_1_dot

    return _blocks.each_block(
        block,
        call,
        rows=(cosine_rows, sine_rows, a_dot_rows, b_dot_rows),
        into=(y_0_dot_out, y_1_dot_out),
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

        dy_0 = at(dy, s=0)
        dy_1 = at(dy, s=1)
        dda = at(ddx, s=0)
        ddb = at(ddx, s=1)
        d2a = 0
        d2b = 0
        ddy_0 = cosine*dda - ddb*sine
        ddy_1 = cosine*ddb + dda*sine
        d2x = join(d2a, d2b)
        ddy = join(ddy_0, ddy_1)

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
    _of_x, _of_cosine, _of_sine = saved[2]
    dy, ddx = _calls.arrays(1, dy=dy, ddx=ddx)
    _calls.check_any("cotangent of a gradient", ddx)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", ddx=ddx)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "saved.cosine": saved.cosine,
        "saved.sine": saved.sine,
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
    _dx_0 = _arranged.target("x", dx_, 0)
    _dx_1 = _arranged.target("x", dx_, 1)
    _ddy_0 = _arranged.target("y", ddy_, 0)
    _ddy_1 = _arranged.target("y", ddy_, 1)
    _by.fill(
        (_dx_0, _dx_1, _ddy_0, _ddy_1),
        _arranged.work,
        (
            _arranged.rows("y", dy, 0),
            _arranged.rows("y", dy, 1),
            _arranged.rows("x", ddx, 0),
            _arranged.rows("x", ddx, 1),
        ),
        (_arranged.rows("cosine", saved.cosine), _arranged.rows("sine", saved.sine)),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    _arranged.write("y", ddy_, _ddy_0, 0)
    _arranged.write("y", ddy_, _ddy_1, 1)
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_0_rows, dy_1_rows, dda_rows, ddb_rows = arguments
    cosine_rows, sine_rows = fields
    da_out, db_out, ddy_0_out, ddy_1_out = results
    shape, dtype, _ = call

    def block(
        cosine,
        sine,
        dda,
        ddb,
        da_block=None,
        db_block=None,
        ddy_0_block=None,
        ddy_1_block=None,
        buffers=(None,),
    ):
        ddy_0 = ddy_1 = None
        # step 11: ddy_0 = cosine*dda - ddb*sine
        if dy_0_rows is not None and dda_rows is not None:
            ddy_0 = np.multiply(cosine, dda, out=ddy_0_block)
        if dy_0_rows is not None and dda_rows is None:
            ddy_0 = 0.0
        if dy_0_rows is not None and ddb_rows is not None:
            part = np.multiply(ddb, sine, out=da_block)
            ddy_0 = np.subtract(ddy_0, part, out=ddy_0_block)
        # step 12: ddy_1 = cosine*ddb + dda*sine
        if dy_1_rows is not None and ddb_rows is not None:
            ddy_1 = np.multiply(cosine, ddb, out=ddy_1_block)
        if dy_1_rows is not None and dda_rows is not None:
            part_2 = np.multiply(dda, sine, out=buffers[0])
        if dy_1_rows is not None and dda_rows is not None and ddb_rows is not None:
            ddy_1 = np.add(ddy_1, part_2, out=ddy_1)
        if dy_1_rows is not None and ddb_rows is None:
            ddy_1 = part_2
        da = _rows.filled(0.0, da_block, shape, dtype)
        db = _rows.filled(0.0, db_block, shape, dtype)
        return da, db, ddy_0, ddy_1

    return _blocks.each_block(
        block,
        call,
        rows=(cosine_rows, sine_rows, dda_rows, ddb_rows),
        into=(da_out, db_out, ddy_0_out, ddy_1_out),
        buffers=1,
    )


def saved_from(
    *,
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the sizes of the axes b h t d.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (cosine, sine)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, cosine, sine)
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "rotary")
    _calls.check_first_fields(saved, (True, True, True))
    _sizes = _AXES.sizes_of(saved.shape)
    _calls.check_kept(_AXES.shape("cosine", _sizes), cosine=saved.cosine)
    _calls.check_kept(_AXES.shape("sine", _sizes), sine=saved.sine)
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "rotary",
    "minimum_features": 1,
    "inputs": [
        _interface.given(
            "x", "Row", pattern=[["b"], ["h"], ["t"], ["s", "d"]], parts=["a", "b"]
        ),
        _interface.given("cosine", "Data", pattern=[["t"], ["d"]]),
        _interface.given("sine", "Data", pattern=[["t"], ["d"]]),
    ],
    "constants": [],
    "outputs": [
        _interface.output(
            "y", "Row", pattern=[["b"], ["h"], ["t"], ["s", "d"]], parts=["y_0", "y_1"]
        )
    ],
    "saved": [
        _interface.saved("cosine", "input", ["...", "D"]),
        _interface.saved("sine", "input", ["...", "D"]),
    ],
    "gradients": [_interface.gradient("x")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
    "layout": {
        "pattern": [["b"], ["h"], ["t"], ["d"]],
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


class Rotary(_modules.NumpyModule):
    """`rotary` as an object without parameters.

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
        cosine: npt.NDArray[Any],
        sine: npt.NDArray[Any],
        *,
        save: bool = True,
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, cosine, sine, save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        found = self._gradients(dy)
        return found.dx
