# Made by lngen 0.1.0 from the definition of relu_squared; derivation.md has its steps, cost and evidence.
# Do not edit; edit relu_squared.py and run: lngen derive relu_squared.py
# definition sha256:1f4d0bba06106d2d5bde084978ce875d350faebb4f3e03c44c88b41f8d56b117
"""Square of the positive part.

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

    shape: tuple[int, ...]  # of the row inputs
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
    """Square of the positive part.

        y = where(x <= 0, 0, x)**2

    Args:
        x: shape (..., D).
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has shape (..., D). `saved` is the argument of the other
    directions. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

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
    _shape = _calls.row_shape("x", x, 1)
    _read = {"x": x}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, x.dtype, _read, _by.empty)
    _by.fill((y_,), _blocks.Work(_shape, _dtype, threads), (x,))
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = Saved(_shape, _dtype, _dtypes, x) if save else None
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    (x_rows,) = values
    (y_out,) = results
    shape, dtype, _ = call

    def block(x, y_block=None):
        # step 1: y = where(x <= 0, 0, x)**2
        mask = x <= 0.0
        y = _rows.select(mask, 0.0, x, out=_rows.memory(y_block, shape, dtype))
        y = np.square(y, out=y)
        return (y,)

    return _blocks.each_block(block, call, rows=(x_rows,), into=(y_out,))


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        dx = where(x <= 0, 0, 2*dy*x)

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
    (_of_x,) = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _read = {"dy": dy, "saved.x": saved.x}
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dx_,) = _calls.results(out, _read, _by.empty, dx=(_shape, _of_x))
    _by.fill((dx_,), _blocks.Work(_shape, _dtype, threads), (dy,), (saved.x,))
    return Gradients(*_calls.returned((dx_,), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    (x_rows,) = fields
    (dx_out,) = results

    def block(x, dy, dx_block=None):
        # step 2: dx = where(x <= 0, 0, 2*dy*x)
        mask = x <= 0.0
        dx = np.multiply(dy, x, out=dx_block)
        dx = np.multiply(dx, 2.0, out=dx)
        dx = _rows.select(mask, 0.0, dx, out=dx)
        return (dx,)

    return _blocks.each_block(block, call, rows=(x_rows, dy_rows), into=(dx_out,))


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = where(x <= 0, 0, 2*x*x_dot)

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
    _check(saved)
    (_of_x,) = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    _calls.check_any("tangent", x_dot)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _read = {"x_dot": x_dot, "saved.x": saved.x}
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _read, _by.empty)
    _by.fill((y_dot_,), _blocks.Work(_shape, _dtype, threads), (x_dot,), (saved.x,))
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    (x_rows,) = fields
    (y_dot_out,) = results

    def block(x, x_dot, y_dot_block=None):
        # step 3: y_dot = where(x <= 0, 0, 2*x*x_dot)
        mask = x <= 0.0
        y_dot = np.multiply(x, x_dot, out=y_dot_block)
        y_dot = np.multiply(y_dot, 2.0, out=y_dot)
        y_dot = _rows.select(mask, 0.0, y_dot, out=y_dot)
        return (y_dot,)

    return _blocks.each_block(block, call, rows=(x_rows, x_dot_rows), into=(y_dot_out,))


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        d2x = where(x <= 0, 0, 2*ddx*dy)
        ddy = where(x <= 0, 0, 2*ddx*x)

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
    _check(saved)
    (_of_x,) = saved[2]
    dy, ddx = _calls.arrays(1, dy=dy, ddx=ddx)
    _calls.check_any("cotangent of a gradient", ddx)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _read = {"cotangents[0]": dy, "ddx": ddx, "saved.x": saved.x}
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, ddy_ = _calls.results(
        out, _read, _by.empty, dx=(_shape, _of_x), ddy=(_shape, dy.dtype)
    )
    _by.fill((dx_, ddy_), _blocks.Work(_shape, _dtype, threads), (dy, ddx), (saved.x,))
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    (x_rows,) = fields
    dx_out, ddy_out = results

    def block(x, dy, ddx, dx_block=None, ddy_block=None):
        # step 5: d2x = where(x <= 0, 0, 2*ddx*dy)
        mask = x <= 0.0
        d2x = np.multiply(ddx, dy, out=dx_block)
        d2x = np.multiply(d2x, 2.0, out=d2x)
        d2x = _rows.select(mask, 0.0, d2x, out=d2x)
        # step 6: ddy = where(x <= 0, 0, 2*ddx*x)
        ddy = np.multiply(ddx, x, out=ddy_block)
        ddy = np.multiply(ddy, 2.0, out=ddy)
        ddy = _rows.select(mask, 0.0, ddy, out=ddy)
        return d2x, ddy

    return _blocks.each_block(
        block, call, rows=(x_rows, dy_rows, ddx_rows), into=(dx_out, ddy_out)
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
        shape: the shape of the rows; None if a field has it.
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


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "relu_squared")
    _calls.check_first_fields(saved, (True,))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)


INTERFACE: _interface.Interface = {
    "name": "relu_squared",
    "minimum_features": 1,
    "inputs": [_interface.given("x", "Row")],
    "constants": [],
    "outputs": [_interface.output("y", "Row")],
    "saved": [_interface.saved("x", "input", ["...", "D"])],
    "gradients": [_interface.gradient("x")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class ReluSquared(_modules.NumpyModule):
    """`relu_squared` as an object without parameters.

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
