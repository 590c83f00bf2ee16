# Made by lngen 0.1.0 from the definition of softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit softmax.py and run: lngen derive softmax.py
# definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
"""Softmax over the feature axis.

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
    y: npt.NDArray[Any]  # output y of forward


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
    """Softmax over the feature axis.

        m = max(x)
        e_shifted = exp(x - m)
        Z = sum(e_shifted)
        inv_Z = 1/Z
        y = inv_Z*e_shifted

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
    _saved = Saved(_shape, _dtype, _dtypes, y_) if save else None
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    (x_rows,) = values
    (y_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, y_block=None):
        # step 1: m = max(x)
        m = _rows.shift(x)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=y_block)
        # step 3: e_shifted = exp(x_shifted)
        e_shifted = np.exp(x_shifted, out=x_shifted)
        # step 4: Z = sum(e_shifted)
        Z = _rows.row_dot(e_shifted, ones)
        # step 5: inv_Z = 1/Z
        inv_Z = np.reciprocal(Z)
        # step 6: y = e_shifted*inv_Z
        y = np.multiply(e_shifted, inv_Z, out=e_shifted)
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

        dx = y*(dy - sum(dy*y))

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
    _read = {"dy": dy, "saved.y": saved.y}
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dx_,) = _calls.results(out, _read, _by.empty, dx=(_shape, _of_x))
    _by.fill((dx_,), _blocks.Work(_shape, _dtype, threads), (dy,), (saved.y,))
    return Gradients(*_calls.returned((dx_,), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    (y_rows,) = fields
    (dx_out,) = results

    def block(y, dy, dx_block=None):
        # step 18: sum_dy_y = sum(dy*y)
        sum_dy_y = _rows.row_dot(dy, y)
        # step 18: dx = (dy - sum_dy_y)*y
        dx = _rows.by_row(np.subtract, dy, sum_dy_y, out=dx_block)
        dx = np.multiply(dx, y, out=dx)
        return (dx,)

    return _blocks.each_block(block, call, rows=(y_rows, dy_rows), into=(dx_out,))


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = y*(x_dot - sum(x_dot*y))

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
    _read = {"x_dot": x_dot, "saved.y": saved.y}
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _read, _by.empty)
    _by.fill((y_dot_,), _blocks.Work(_shape, _dtype, threads), (x_dot,), (saved.y,))
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    (y_rows,) = fields
    (y_dot_out,) = results

    def block(y, x_dot, y_dot_block=None):
        # step 25: sum_x_dot_y = sum(x_dot*y)
        sum_x_dot_y = _rows.row_dot(x_dot, y)
        # step 25: y_dot = (x_dot - sum_x_dot_y)*y
        y_dot = _rows.by_row(np.subtract, x_dot, sum_x_dot_y, out=y_dot_block)
        y_dot = np.multiply(y_dot, y, out=y_dot)
        return (y_dot,)

    return _blocks.each_block(block, call, rows=(y_rows, x_dot_rows), into=(y_dot_out,))


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
        d2y_part = ddx*(dy - D*mean_dy_y)
        d2x = y*(d2y_part + D*(mean(ddx*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
        ddy = y*(ddx - sum(ddx*y))

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
    _read = {"cotangents[0]": dy, "ddx": ddx, "saved.y": saved.y}
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, ddy_ = _calls.results(
        out, _read, _by.empty, dx=(_shape, _of_x), ddy=(_shape, dy.dtype)
    )
    _by.fill((dx_, ddy_), _blocks.Work(_shape, _dtype, threads), (dy, ddx), (saved.y,))
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    (y_rows,) = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(y, dy, ddx, dx_block=None, ddy_block=None, buffers=(None,)):
        # step 26: mean_dy_y = mean(dy*y)
        mean_dy_y = _rows.row_dot(dy, y) / D
        # step 38: mean_ddx_y = mean(ddx*y)
        mean_ddx_y = _rows.row_dot(ddx, y) / D
        # step 28, pass 1: mean_dy_y_scaled = mean_dy_y*D
        mean_dy_y_scaled = mean_dy_y * D
        # step 43, pass 2: sum_ddx_y = mean_ddx_y*D
        sum_ddx_y = mean_ddx_y * D
        # step 28, pass 3: d2y_part = (dy - mean_dy_y_scaled)*ddx
        d2y_part = _rows.by_row(np.subtract, dy, mean_dy_y_scaled, out=ddy_block)
        d2y_part = np.multiply(d2y_part, ddx, out=dx_block)
        # step 38: mean_d2y_part_y = mean(d2y_part*y)
        mean_d2y_part_y = _rows.row_dot(d2y_part, y) / D
        # step 43: ddy = (ddx - sum_ddx_y)*y
        ddy = _rows.by_row(np.subtract, ddx, sum_ddx_y, out=ddy_block)
        ddy = np.multiply(ddy, y, out=ddy)
        # step 38, pass 4: d2x = (d2y_part + ((mean_dy_y_scaled - dy)*mean_ddx_y -
        #   mean_d2y_part_y)*D)*y
        d2x = np.subtract(mean_dy_y_scaled, dy, out=buffers[0])
        d2x = np.multiply(d2x, mean_ddx_y, out=d2x)
        d2x = np.subtract(d2x, mean_d2y_part_y, out=d2x)
        d2x = np.multiply(d2x, D, out=d2x)
        d2x = np.add(d2y_part, d2x, out=d2y_part)
        d2x = np.multiply(d2x, y, out=d2x)
        return d2x, ddy

    return _blocks.each_block(
        block, call, rows=(y_rows, dy_rows, ddx_rows), into=(dx_out, ddy_out), buffers=1
    )


def saved_from(
    *,
    y: npt.NDArray[Any],
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
    fields_ = (y,)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, y)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "softmax")
    _calls.check_first_fields(saved, (True,))
    _shape = saved.shape
    _calls.check_kept(_shape, y=saved.y)


INTERFACE: _interface.Interface = {
    "name": "softmax",
    "minimum_features": 1,
    "inputs": [_interface.given("x", "Row")],
    "constants": [],
    "outputs": [_interface.output("y", "Row")],
    "saved": [_interface.saved("y", "output", ["...", "D"])],
    "gradients": [_interface.gradient("x")],
    "counterparts": [_interface.counterpart("torch.nn.Softmax", {}, {"dim": -1})],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class Softmax(_modules.NumpyModule):
    """`softmax` as an object without parameters.

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
