# Made by lngen 0.1.0 from the definition of standardize; derivation.md has its steps, cost and evidence.
# Do not edit; edit standardize.py and run: lngen derive standardize.py
# definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
"""Rows of mean zero and unbiased variance one, without parameters.

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
    mu: npt.NDArray[Any]  # row scalar mu, one per row
    mu_residual: npt.NDArray[Any]  # row scalar mu_residual, one per row
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    eps: float = 1e-5,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    *,
    eps: float = 1e-5,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Rows of mean zero and unbiased variance one, without parameters.

        mu = mean(x)
        sum_x2 = sum((x - mu)**2)
        rstd = 1/sqrt(sum_x2/(D - 1) + eps)
        y = rstd*(x - mu)

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
    _shape = _calls.row_shape("x", x, 2)
    _read = {"x": x}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, x.dtype, _read, _by.empty)
    mu_ = _by.empty(_shape[:-1], _dtype)
    mu_residual_ = _by.empty(_shape[:-1], _dtype)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, mu_, mu_residual_, rstd_), _blocks.Work(_shape, _dtype, threads), (x, eps)
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(_shape, _dtype, _dtypes, x, mu_, mu_residual_, rstd_) if save else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, eps = values
    y_out, mu_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0 / features**0.5, dtype)
    eps = np.asarray(eps, dtype)
    # step 4: rstd = 1/sqrt(sum_x2/(D - 1) + eps)
    part = D - 1.0

    def block(x, y_block=None):
        # step 1: mu = mean(x)
        mu = _rows.row_dot(x, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 3: sum_x2 = sum(x_shifted**2)
        sum_x2 = _rows.row_dot(x_shifted, x_shifted)
        # step 2, pass 2: mu_residual = mean(x_shifted) where |mu| >
        #   far_from*sqrt(sum_x2), else 0; it is taken off x_shifted in place, and
        #   sum_x2 is put right
        mu_residual = _rows.residual(x_shifted, mu, sum_x2, 1.0, far_from, one_over_D)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = x_shifted
        # step 4: rstd = 1/sqrt(sum_x2/(D - 1) + eps)
        rstd = np.reciprocal(np.sqrt(sum_x2 / part + eps))
        # step 5: y = x_centred*rstd
        y = np.multiply(x_centred, rstd, out=x_centred)
        return y, mu[..., 0], mu_residual[..., 0], rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        into=(y_out,),
        into_row_scalars=(mu_out, mu_residual_out, rstd_out),
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        dx = rstd*(dy - mean(dy) - y*sum(dy*y)/(D - 1))

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
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dx_,) = _calls.results(out, _read, _by.empty, dx=(_shape, _of_x))
    _by.fill(
        (dx_,),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (saved.x, saved.mu, saved.mu_residual, saved.rstd),
    )
    return Gradients(*_calls.returned((dx_,), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    (dx_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 15, pass 10: sum_dy_y_scaled = sum_dy_y/(D - 1)
    part = D - 1.0

    def block(x, dy, mu, mu_residual, rstd, dx_block=None, buffers=(None,)):
        # step 15: mean_dy = mean(dy)
        mean_dy = _rows.row_dot(dy, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 15, pass 8: sum_dy_y_unscaled = sum(dy*x_centred)
        sum_dy_y_unscaled = _rows.row_dot(dy, x_centred)
        # step 15, pass 9: sum_dy_y = rstd*sum_dy_y_unscaled
        sum_dy_y = rstd * sum_dy_y_unscaled
        # step 15, pass 10: sum_dy_y_scaled = sum_dy_y/(D - 1)
        sum_dy_y_scaled = sum_dy_y / part
        # step 15, pass 11: dx = (dy - mean_dy - x_centred*rstd*sum_dy_y_scaled)*rstd
        dx = _rows.by_row(np.subtract, dy, mean_dy, out=buffers[0])
        part_2 = np.multiply(x_centred, rstd * sum_dy_y_scaled, out=x_centred)
        dx = np.subtract(dx, part_2, out=part_2)
        dx = np.multiply(dx, rstd, out=dx)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
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

        y_dot = rstd*(x_dot - mean(x_dot) - y*sum(x_dot*y)/(D - 1))

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
    _read = {
        "x_dot": x_dot,
        "saved.x": saved.x,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot,),
        (saved.x, saved.mu, saved.mu_residual, saved.rstd),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    x_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 22, pass 15: sum_x_dot_y_scaled = sum_x_dot_y/(D - 1)
    part = D - 1.0

    def block(x, x_dot, mu, mu_residual, rstd, y_dot_block=None, buffers=(None,)):
        # step 22: mean_x_dot = mean(x_dot)
        mean_x_dot = _rows.row_dot(x_dot, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 22, pass 13: sum_x_dot_y_unscaled = sum(x_centred*x_dot)
        sum_x_dot_y_unscaled = _rows.row_dot(x_centred, x_dot)
        # step 22, pass 14: sum_x_dot_y = rstd*sum_x_dot_y_unscaled
        sum_x_dot_y = rstd * sum_x_dot_y_unscaled
        # step 22, pass 15: sum_x_dot_y_scaled = sum_x_dot_y/(D - 1)
        sum_x_dot_y_scaled = sum_x_dot_y / part
        # step 22, pass 16: y_dot = (x_dot - mean_x_dot -
        #   x_centred*rstd*sum_x_dot_y_scaled)*rstd
        y_dot = _rows.by_row(np.subtract, x_dot, mean_x_dot, out=buffers[0])
        part_2 = np.multiply(x_centred, rstd * sum_x_dot_y_scaled, out=x_centred)
        y_dot = np.subtract(y_dot, part_2, out=part_2)
        y_dot = np.multiply(y_dot, rstd, out=y_dot)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
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

        mean_dy = mean(dy)
        mean_dy_y = mean(dy*y)
        d2x = D*rstd**2*(mean_dy*y*mean(ddx) + mean(ddx*y)*(3*D*mean_dy_y*y/(D - 1) +
            mean_dy - dy) - y*mean(ddx*dy) - mean_dy_y*(ddx - mean(ddx)))/(D - 1)
        ddy = rstd*(ddx - mean(ddx) - y*sum(ddx*y)/(D - 1))

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
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
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
        (saved.x, saved.mu, saved.mu_residual, saved.rstd),
    )
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    x_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 36, pass 18: rstd_scaled = rstd**2*D/(D - 1)
    part = D - 1.0
    part_2 = D / part
    # step 36, pass 23: mean_dy_y_scaled = 3*mean_dy_y*D/(D - 1)
    part_3 = 3.0 * D / part

    def block(
        x,
        dy,
        ddx,
        mu,
        mu_residual,
        rstd,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 2,
    ):
        # step 36, pass 18: rstd_scaled = rstd**2*D/(D - 1)
        rstd_scaled = np.square(rstd) * part_2
        # step 23: mean_dy = mean(dy)
        mean_dy = _rows.row_dot(dy, one_over_D)
        # step 36: mean_ddx = mean(ddx)
        mean_ddx = _rows.row_dot(ddx, one_over_D)
        # step 36: mean_ddx_dy = mean(ddx*dy)
        mean_ddx_dy = _rows.row_dot(ddx, dy) / D
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=ddy_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 24, pass 19: mean_dy_y_unscaled = mean(dy*x_centred)
        mean_dy_y_unscaled = _rows.row_dot(dy, x_centred) / D
        # step 36, pass 20: mean_ddx_y_unscaled = mean(ddx*x_centred)
        mean_ddx_y_unscaled = _rows.row_dot(ddx, x_centred) / D
        # step 24, pass 21: mean_dy_y = mean_dy_y_unscaled*rstd
        mean_dy_y = mean_dy_y_unscaled * rstd
        # step 36, pass 22: mean_ddx_y = mean_ddx_y_unscaled*rstd
        mean_ddx_y = mean_ddx_y_unscaled * rstd
        # step 36, pass 23: mean_dy_y_scaled = 3*mean_dy_y*D/(D - 1)
        mean_dy_y_scaled = mean_dy_y * part_3
        # step 36, pass 24: mean_ddx_scaled = mean_ddx*mean_dy
        mean_ddx_scaled = mean_ddx * mean_dy
        # step 42, pass 25: sum_ddx_y = mean_ddx_y*D
        sum_ddx_y = mean_ddx_y * D
        # step 42, pass 26: sum_ddx_y_scaled = sum_ddx_y/(D - 1)
        sum_ddx_y_scaled = sum_ddx_y / part
        # step 36, pass 27: d2x = (x_centred*mean_ddx_scaled*rstd +
        #   (x_centred*mean_dy_y_scaled*rstd + mean_dy - dy)*mean_ddx_y -
        #   x_centred*mean_ddx_dy*rstd - (ddx - mean_ddx)*mean_dy_y)*rstd_scaled
        d2x = _rows.by_row(np.multiply, x_centred, mean_ddx_scaled * rstd, out=dx_block)
        part_4 = _rows.by_row(
            np.multiply, x_centred, mean_dy_y_scaled * rstd, out=buffers[0]
        )
        part_4 = np.add(part_4, mean_dy, out=part_4)
        part_4 = np.subtract(part_4, dy, out=part_4)
        part_4 = np.multiply(part_4, mean_ddx_y, out=part_4)
        d2x = np.add(d2x, part_4, out=d2x)
        part_5 = _rows.by_row(
            np.multiply, x_centred, mean_ddx_dy * rstd, out=buffers[0]
        )
        d2x = np.subtract(d2x, part_5, out=d2x)
        part_6 = _rows.by_row(np.subtract, ddx, mean_ddx, out=buffers[0])
        part_7 = _rows.by_row(np.multiply, part_6, mean_dy_y, out=buffers[1])
        d2x = np.subtract(d2x, part_7, out=d2x)
        d2x = np.multiply(d2x, rstd_scaled, out=d2x)
        # step 42, pass 28: ddy = (ddx - mean_ddx -
        #   x_centred*rstd*sum_ddx_y_scaled)*rstd
        ddy = np.multiply(x_centred, rstd * sum_ddx_y_scaled, out=x_centred)
        ddy = np.subtract(part_6, ddy, out=ddy)
        ddy = np.multiply(ddy, rstd, out=ddy)
        return d2x, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(dx_out, ddy_out),
        buffers=2,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    mu: npt.NDArray[Any],
    mu_residual: npt.NDArray[Any],
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
    fields_ = (x, mu, mu_residual, rstd)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, mu, mu_residual, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "standardize")
    _calls.check_first_fields(saved, (True,))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept(
        _shape[:-1], mu=saved.mu, mu_residual=saved.mu_residual, rstd=saved.rstd
    )


INTERFACE: _interface.Interface = {
    "name": "standardize",
    "minimum_features": 2,
    "inputs": [_interface.given("x", "Row")],
    "constants": [_interface.constant("eps", default=1e-5, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("mu", "row scalar", ["..."]),
        _interface.saved("mu_residual", "row scalar", ["..."]),
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


class Standardize(_modules.NumpyModule):
    """`standardize` as an object without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        eps: float = 1e-5,
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
