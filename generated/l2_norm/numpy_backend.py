# Made by lngen 0.1.0 from the definition of l2_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
# definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
"""Each row divided by its Euclidean length.

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
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    eps: float = 1e-12,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    eps: float = 1e-12,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    *,
    eps: float = 1e-12,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Each row divided by its Euclidean length.

        sum_x2 = sum(x**2)
        rstd = 1/sqrt(sum_x2 + eps)
        y = rstd*x

    Args:
        x: shape (..., D).
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
    return _forward(_FORWARD, x, eps, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction, x: Any, eps: Any, save: Any, out: Any, threads: Any
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    _shape = _calls.row_shape("x", x, 1)
    _read = {"x": x}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, x.dtype, _read, _by.empty)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _by.fill((y_, rstd_), _blocks.Work(_shape, _dtype, threads), (x, eps))
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = Saved(_shape, _dtype, _dtypes, x, rstd_) if save else None
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, eps = values
    y_out, rstd_out = results
    _, dtype, _ = call
    eps = np.asarray(eps, dtype)

    def block(x, y_block=None):
        # step 1: sum_x2 = sum(x**2)
        sum_x2 = _rows.row_dot(x, x)
        # step 2: rstd = 1/sqrt(sum_x2 + eps)
        rstd = np.reciprocal(np.sqrt(sum_x2 + eps))
        # step 3: y = x*rstd
        y = _rows.by_row(np.multiply, x, rstd, out=y_block)
        return y, rstd[..., 0]

    return _blocks.each_block(
        block, call, rows=(x_rows,), into=(y_out,), into_row_scalars=(rstd_out,)
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        dx = rstd*(dy - y*sum(dy*y))

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
    _read = {"dy": dy, "saved.x": saved.x, "saved.rstd": saved.rstd}
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dx_,) = _calls.results(out, _read, _by.empty, dx=(_shape, _of_x))
    _by.fill(
        (dx_,), _blocks.Work(_shape, _dtype, threads), (dy,), (saved.x, saved.rstd)
    )
    return Gradients(*_calls.returned((dx_,), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, rstd_rows = fields
    (dx_out,) = results

    def block(x, dy, rstd, dx_block=None):
        # step 9, pass 1: sum_dy_y_unscaled = sum(dy*x)
        sum_dy_y_unscaled = _rows.row_dot(dy, x)
        # step 9, pass 2: sum_dy_y = rstd*sum_dy_y_unscaled
        sum_dy_y = rstd * sum_dy_y_unscaled
        # step 9, pass 3: dx = (dy - x*rstd*sum_dy_y)*rstd
        dx = _rows.by_row(np.multiply, x, rstd * sum_dy_y, out=dx_block)
        dx = np.subtract(dy, dx, out=dx)
        dx = np.multiply(dx, rstd, out=dx)
        return (dx,)

    return _blocks.each_block(
        block, call, rows=(x_rows, dy_rows), row_scalars=(rstd_rows,), into=(dx_out,)
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = rstd*(x_dot - y*sum(x_dot*y))

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
    _read = {"x_dot": x_dot, "saved.x": saved.x, "saved.rstd": saved.rstd}
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot,),
        (saved.x, saved.rstd),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    x_rows, rstd_rows = fields
    (y_dot_out,) = results

    def block(x, x_dot, rstd, y_dot_block=None):
        # step 14, pass 4: sum_x_dot_y_unscaled = sum(x*x_dot)
        sum_x_dot_y_unscaled = _rows.row_dot(x, x_dot)
        # step 14, pass 5: sum_x_dot_y = rstd*sum_x_dot_y_unscaled
        sum_x_dot_y = rstd * sum_x_dot_y_unscaled
        # step 14, pass 6: y_dot = (x_dot - x*rstd*sum_x_dot_y)*rstd
        y_dot = _rows.by_row(np.multiply, x, rstd * sum_x_dot_y, out=y_dot_block)
        y_dot = np.subtract(x_dot, y_dot, out=y_dot)
        y_dot = np.multiply(y_dot, rstd, out=y_dot)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(rstd_rows,),
        into=(y_dot_out,),
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
        d2x = D*rstd**2*(mean(ddx*y)*(3*D*mean_dy_y*y - dy) - mean_dy_y*ddx -
            y*mean(ddx*dy))
        ddy = rstd*(ddx - y*sum(ddx*y))

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
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "saved.x": saved.x,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, ddy_ = _calls.results(
        out, _read, _by.empty, dx=(_shape, _of_x), ddy=(_shape, dy.dtype)
    )
    _by.fill(
        (dx_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddx),
        (saved.x, saved.rstd),
    )
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    x_rows, rstd_rows = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    # step 25, pass 12: mean_dy_y_scaled = 3*mean_dy_y*D
    part = 3.0 * D

    def block(x, dy, ddx, rstd, dx_block=None, ddy_block=None):
        # step 25, pass 7: rstd_scaled = rstd**2*D
        rstd_scaled = np.square(rstd) * D
        # step 15, pass 8: mean_dy_y_unscaled = mean(dy*x)
        mean_dy_y_unscaled = _rows.row_dot(dy, x) / D
        # step 25, pass 9: mean_ddx_y_unscaled = mean(ddx*x)
        mean_ddx_y_unscaled = _rows.row_dot(ddx, x) / D
        # step 25: mean_ddx_dy = mean(ddx*dy)
        mean_ddx_dy = _rows.row_dot(ddx, dy) / D
        # step 15, pass 10: mean_dy_y = mean_dy_y_unscaled*rstd
        mean_dy_y = mean_dy_y_unscaled * rstd
        # step 25, pass 11: mean_ddx_y = mean_ddx_y_unscaled*rstd
        mean_ddx_y = mean_ddx_y_unscaled * rstd
        # step 25, pass 12: mean_dy_y_scaled = 3*mean_dy_y*D
        mean_dy_y_scaled = mean_dy_y * part
        # step 30, pass 13: sum_ddx_y = mean_ddx_y*D
        sum_ddx_y = mean_ddx_y * D
        # step 25, pass 14: d2x = ((x*mean_dy_y_scaled*rstd - dy)*mean_ddx_y -
        #   ddx*mean_dy_y - x*mean_ddx_dy*rstd)*rstd_scaled
        d2x = _rows.by_row(np.multiply, x, mean_dy_y_scaled * rstd, out=dx_block)
        d2x = np.subtract(d2x, dy, out=d2x)
        d2x = np.multiply(d2x, mean_ddx_y, out=d2x)
        part_2 = _rows.by_row(np.multiply, ddx, mean_dy_y, out=ddy_block)
        d2x = np.subtract(d2x, part_2, out=d2x)
        part_3 = _rows.by_row(np.multiply, x, mean_ddx_dy * rstd, out=ddy_block)
        d2x = np.subtract(d2x, part_3, out=d2x)
        d2x = np.multiply(d2x, rstd_scaled, out=d2x)
        # step 30, pass 15: ddy = (ddx - x*rstd*sum_ddx_y)*rstd
        ddy = _rows.by_row(np.multiply, x, rstd * sum_ddx_y, out=ddy_block)
        ddy = np.subtract(ddx, ddy, out=ddy)
        ddy = np.multiply(ddy, rstd, out=ddy)
        return d2x, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(rstd_rows,),
        into=(dx_out, ddy_out),
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    rstd: npt.NDArray[Any],
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
    fields_ = (x, rstd)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "l2_norm")
    _calls.check_first_fields(saved, (True,))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept(_shape[:-1], rstd=saved.rstd)


INTERFACE: _interface.Interface = {
    "name": "l2_norm",
    "minimum_features": 1,
    "inputs": [_interface.given("x", "Row")],
    "constants": [_interface.constant("eps", default=1e-12, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [_interface.gradient("x")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class L2Norm(_modules.NumpyModule):
    """`l2_norm` as an object without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        eps: float = 1e-12,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.eps = self._constant("eps", eps, False)

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, eps=self.eps, save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        found = self._gradients(dy)
        return found.dx
