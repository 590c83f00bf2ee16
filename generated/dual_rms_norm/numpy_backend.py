# Made by lngen 0.1.0 from the definition of dual_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dual_rms_norm.py and run: lngen derive dual_rms_norm.py
# definition sha256:e689ee1c158bbc0dca0d29a1556c92f1e9714db62885e477d177bd5c9c3a13db
"""A norm after a block, its residual added, and the norm before the next block, in one pass.

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
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import modules as _modules
from .._runtime.numpy import rows as _rows
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _fields


class Outputs(NamedTuple):
    """Outputs of `forward`."""

    y: npt.NDArray[Any]  # shape (..., D)
    r: npt.NDArray[Any]  # shape (..., D)


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dresidual: npt.NDArray[Any]
    dafter: npt.NDArray[Any] | None
    dbefore: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    dresidual: npt.NDArray[Any]
    dafter: npt.NDArray[Any] | None
    dbefore: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any] | None
    ddr: npt.NDArray[Any] | None


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    residual: npt.NDArray[Any]  # argument residual of forward
    after: npt.NDArray[Any] | None  # argument after of forward
    before: npt.NDArray[Any] | None  # argument before of forward
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row
    rstd_2: npt.NDArray[Any]  # row scalar rstd_2, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    after: npt.NDArray[Any] | None = None,
    before: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    after: npt.NDArray[Any] | None = None,
    before: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    after: npt.NDArray[Any] | None = None,
    before: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]:
    """A norm after a block, its residual added, and the norm before the next block, in one pass.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        r = residual + after*xhat
        var = mean(r**2)
        rstd_2 = 1/sqrt(var + eps)
        rhat = rstd_2*r
        y = before*rhat

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        after: one value per feature, shape (D,). If omitted it is 1, at no cost.
        before: one value per feature, shape (D,). If omitted it is 1, at no cost.
        eps: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: arrays to write to, as Outputs or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(Outputs, saved)`. `saved` is the argument of the other directions. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, residual, after, before, eps, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    residual: Any,
    after: Any,
    before: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[Outputs, Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x, residual, after, before = _calls.arrays(
        2, x=x, residual=residual, after=after, before=before
    )
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape, "the shape of x", residual=residual)
    _calls.check_shapes(_shape[-1:], "(D,)", after=after, before=before)
    _read = {"x": x, "residual": residual, "after": after, "before": before}
    _dtypes, _dtype = _calls.types(_read)
    y_, r_ = _calls.results(
        out, _read, _by.empty, y=(_shape, x.dtype), r=(_shape, x.dtype)
    )
    rstd_ = _by.empty(_shape[:-1], _dtype)
    rstd_2_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, r_, rstd_, rstd_2_),
        _blocks.Work(_shape, _dtype, threads),
        (
            x,
            residual,
            _calls.parameter(after, _dtype),
            _calls.parameter(before, _dtype),
            eps,
        ),
    )
    _shown = Outputs(*_calls.returned((y_, r_), out))
    _saved = (
        Saved(_shape, _dtype, _dtypes, x, residual, after, before, rstd_, rstd_2_)
        if save
        else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, residual_rows, after, before, eps = values
    y_out, r_out, rstd_out, rstd_2_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, residual, after_wide, before_wide, y_block=None, r_block=None):
        # step 1: ms = mean(x**2)
        ms = _rows.row_dot(x, x) / D
        # step 2: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=r_block)
        # step 4: r = residual + xhat*after
        if after is not None:
            r = _rows.by_feature(np.multiply, xhat, after_wide, out=xhat)
        else:
            r = xhat
        r = np.add(residual, r, out=r)
        # step 5: var = mean(r**2)
        var = _rows.row_dot(r, r) / D
        # step 6: rstd_2 = 1/sqrt(var + eps)
        rstd_2 = np.reciprocal(np.sqrt(var + eps))
        # step 7: rhat = r*rstd_2
        rhat = _rows.by_row(np.multiply, r, rstd_2, out=y_block)
        # step 8: y = rhat*before
        if before is not None:
            y = _rows.by_feature(np.multiply, rhat, before_wide, out=rhat)
        else:
            y = rhat
        return y, r, rstd[..., 0], rstd_2[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, residual_rows),
        features=(after, before),
        into=(y_out, r_out),
        into_row_scalars=(rstd_out, rstd_2_out),
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dr: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = before*dy
        dresidual = dr + rstd_2*(g - rhat*mean(g*rhat))
        g_2 = after*dresidual
        dx = rstd*(g_2 - xhat*mean(g_2*xhat))
        dafter = sum_rows(dresidual*xhat)
        dbefore = sum_rows(dy*rhat)

    Args:
        saved: the second result of `forward`.
        dy: the cotangent of y, in its shape; None stands for zero.
        dr: the cotangent of r, in its shape; None stands for zero.
        out: arrays to write to, as Gradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Gradients, each in the shape and type of its input.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _backward(_BACKWARD, saved, dy, dr, out, threads)


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, dr: Any, out: Any, threads: Any
) -> Gradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_after, _of_before = saved[2]
    dy, dr = _calls.arrays(0, dy=dy, dr=dr)
    _calls.check_any("cotangent", dy, dr)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of r", dr=dr)
    _read = {
        "dy": dy,
        "dr": dr,
        "saved.x": saved.x,
        "saved.residual": saved.residual,
        "saved.after": saved.after,
        "saved.before": saved.before,
        "saved.rstd": saved.rstd,
        "saved.rstd_2": saved.rstd_2,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dresidual_, dafter_, dbefore_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dresidual=(_shape, _of_residual),
        dafter=(_shape[-1:], _of_after),
        dbefore=(_shape[-1:], _of_before),
    )
    _by.fill(
        (dx_, dresidual_, dafter_, dbefore_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, dr),
        (
            saved.x,
            saved.residual,
            _calls.parameter(saved.after, _dtype),
            _calls.parameter(saved.before, _dtype),
            saved.rstd,
            saved.rstd_2,
        ),
    )
    return Gradients(*_calls.returned((dx_, dresidual_, dafter_, dbefore_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_rows, dr_rows = arguments
    x_rows, residual_rows, after, before, rstd_rows, rstd_2_rows = fields
    dx_out, dresidual_out, _, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    with_before_and_dy = before is not None and dy_rows is not None
    with_dy_without_before = before is None and dy_rows is not None
    D = _rows.number(features, dtype)
    # step 15, pass 1: mean_g_rhat_unscaled = mean(dy*r*before)
    if with_before_and_dy:
        before_over_D = before / D
    # step 22, pass 5: mean_g_2_xhat = mean(dresidual*xhat*after)
    if after is not None:
        after_over_D = after / D

    def block(
        x,
        residual,
        dy,
        dr,
        rstd,
        rstd_2,
        after_wide,
        before_wide,
        dx_block=None,
        dresidual_block=None,
        buffers=(None,),
    ):
        dbefore = dafter = None
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=dx_block)
        # step 4: r = residual + xhat*after
        if after is not None and dy_rows is not None:
            r = _rows.by_feature(np.multiply, xhat, after_wide, out=dresidual_block)
        if after is None and dy_rows is not None:
            r = xhat
        if dy_rows is not None:
            r = np.add(residual, r, out=dresidual_block)
        # step 24, pass 3: dbefore = sum over rows of dy*r*rstd_2
        if with_before_and_dy:
            part = np.multiply(dy, r, out=buffers[0])
            dbefore = _rows.sum_rows(part, rstd_2)
            # step 15, pass 1: mean_g_rhat_unscaled = mean(dy*r*before)
            mean_g_rhat_unscaled = _rows.row_dot(part, before_over_D)
        if with_dy_without_before:
            mean_g_rhat_unscaled = _rows.row_dot(dy, r) / D
        # step 9: g = dy*before
        if with_before_and_dy:
            g = _rows.by_feature(np.multiply, dy, before_wide, out=buffers[0])
        if with_dy_without_before:
            g = dy
        # step 15, pass 2: mean_g_rhat = mean_g_rhat_unscaled*rstd_2
        if dy_rows is not None:
            mean_g_rhat = mean_g_rhat_unscaled * rstd_2
            # step 15, pass 4: dresidual = dr + (g - r*mean_g_rhat*rstd_2)*rstd_2
            dresidual = np.multiply(r, mean_g_rhat * rstd_2, out=r)
            dresidual = np.subtract(g, dresidual, out=dresidual)
            dresidual = np.multiply(dresidual, rstd_2, out=dresidual)
        if dy_rows is not None and dr_rows is not None:
            dresidual = np.add(dr, dresidual, out=dresidual)
        if dy_rows is None:
            dresidual = dr
        # step 23: dafter = sum over rows of dresidual*xhat
        if after is not None:
            part_2 = np.multiply(dresidual, xhat, out=buffers[0])
            dafter = _rows.sum_rows(part_2)
            # step 22, pass 5: mean_g_2_xhat = mean(dresidual*xhat*after)
            mean_g_2_xhat = _rows.row_dot(part_2, after_over_D)
        else:
            mean_g_2_xhat = _rows.row_dot(dresidual, xhat) / D
        # step 16: g_2 = dresidual*after
        if after is not None:
            g_2 = _rows.by_feature(np.multiply, dresidual, after_wide, out=buffers[0])
        else:
            g_2 = dresidual
        # step 22: dx = (g_2 - xhat*mean_g_2_xhat)*rstd
        dx = np.multiply(xhat, mean_g_2_xhat, out=xhat)
        dx = np.subtract(g_2, dx, out=dx)
        dx = np.multiply(dx, rstd, out=dx)
        if dy_rows is None:
            dresidual_result = _rows.filled(dr, dresidual_block, shape, dtype)
        else:
            dresidual_result = dresidual
        return dx, dresidual_result, dbefore, dafter

    dx, dresidual_result, dbefore, dafter = _blocks.each_block(
        block,
        call,
        rows=(x_rows, residual_rows, dy_rows, dr_rows),
        row_scalars=(rstd_rows, rstd_2_rows),
        features=(after, before),
        into=(dx_out, dresidual_out),
        buffers=1,
        feature_sums=2,
    )
    if before is not None and dy_rows is None:
        dbefore = np.full(features, 0.0, dtype)
    return dx, dresidual_result, dafter, dbefore


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    residual_dot: npt.NDArray[Any] | None = None,
    after_dot: npt.NDArray[Any] | None = None,
    before_dot: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Outputs:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        r_dot = residual_dot + after_dot*xhat + rstd*after*(x_dot -
            xhat*mean(x_dot*xhat))
        y_dot = before_dot*rhat + rstd_2*before*(r_dot - rhat*mean(r_dot*rhat))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        residual_dot: the tangent of residual, in its shape; None stands for zero.
        after_dot: the tangent of after, in its shape; None stands for zero.
        before_dot: the tangent of before, in its shape; None stands for zero.
        out: arrays to write to, as Outputs or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Outputs, the tangents y_dot, r_dot, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, residual_dot, after_dot, before_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    residual_dot: Any,
    after_dot: Any,
    before_dot: Any,
    out: Any,
    threads: Any,
) -> Outputs:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_after, _of_before = saved[2]
    x_dot, residual_dot, after_dot, before_dot = _calls.arrays(
        0,
        x_dot=x_dot,
        residual_dot=residual_dot,
        after_dot=after_dot,
        before_dot=before_dot,
    )
    _calls.check_any("tangent", x_dot, residual_dot, after_dot, before_dot)
    _calls.check_left_out("after_dot", after_dot, "after", _of_after)
    _calls.check_left_out("before_dot", before_dot, "before", _of_before)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _calls.check_shapes(_shape, "the shape of residual", residual_dot=residual_dot)
    _calls.check_shapes(_shape[-1:], "the shape of after", after_dot=after_dot)
    _calls.check_shapes(_shape[-1:], "the shape of before", before_dot=before_dot)
    _read = {
        "x_dot": x_dot,
        "residual_dot": residual_dot,
        "after_dot": after_dot,
        "before_dot": before_dot,
        "saved.x": saved.x,
        "saved.residual": saved.residual,
        "saved.after": saved.after,
        "saved.before": saved.before,
        "saved.rstd": saved.rstd,
        "saved.rstd_2": saved.rstd_2,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_, r_dot_ = _calls.results(
        out, _read, _by.empty, y_dot=(_shape, _of_x), r_dot=(_shape, _of_x)
    )
    _by.fill(
        (y_dot_, r_dot_),
        _blocks.Work(_shape, _dtype, threads),
        (
            x_dot,
            residual_dot,
            _calls.parameter(after_dot, _dtype),
            _calls.parameter(before_dot, _dtype),
        ),
        (
            saved.x,
            saved.residual,
            _calls.parameter(saved.after, _dtype),
            _calls.parameter(saved.before, _dtype),
            saved.rstd,
            saved.rstd_2,
        ),
    )
    return Outputs(*_calls.returned((y_dot_, r_dot_), out))


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, residual_dot_rows, after_dot, before_dot = arguments
    x_rows, residual_rows, after, before, rstd_rows, rstd_2_rows = fields
    y_dot_out, r_dot_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_mean_r_dot_rhat = (
        x_dot_rows is not None or residual_dot_rows is not None or after_dot is not None
    )
    D = _rows.number(features, dtype)

    def block(
        x,
        residual,
        x_dot,
        residual_dot,
        rstd,
        rstd_2,
        after_wide,
        after_dot_wide,
        before_dot_wide,
        before_wide,
        y_dot_block=None,
        r_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=y_dot_block)
        # step 31: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_dot(x_dot, xhat) / D
        # step 4: r = residual + xhat*after
        if after is not None:
            r = _rows.by_feature(np.multiply, xhat, after_wide, out=r_dot_block)
        else:
            r = xhat
        r = np.add(residual, r, out=r_dot_block)
        # step 7: rhat = r*rstd_2
        rhat = _rows.by_row(np.multiply, r, rstd_2, out=buffers[0])
        # step 31: r_dot = residual_dot + xhat*after_dot + (x_dot -
        #   xhat*mean_x_dot_xhat)*rstd*after
        if after_dot is not None:
            r_dot = _rows.by_feature(np.multiply, xhat, after_dot_wide, out=r_dot_block)
        if residual_dot_rows is not None and after_dot is not None:
            r_dot = np.add(residual_dot, r_dot, out=r_dot)
        if residual_dot_rows is not None and after_dot is None:
            r_dot = residual_dot
        if x_dot_rows is not None:
            part = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part = np.subtract(x_dot, part, out=part)
        if after is not None and x_dot_rows is not None:
            part = _rows.by_feature(np.multiply, part, after_wide, out=part)
        if x_dot_rows is not None:
            part = _rows.by_row(np.multiply, part, rstd, out=buffers[1])
        if x_dot_rows is not None and (
            residual_dot_rows is not None or after_dot is not None
        ):
            r_dot = np.add(r_dot, part, out=r_dot_block)
        if x_dot_rows is not None and residual_dot_rows is None and after_dot is None:
            r_dot = part
        if x_dot_rows is None and residual_dot_rows is None and after_dot is None:
            r_dot = 0.0
        # step 38: mean_r_dot_rhat = mean(r_dot*rhat)
        if needs_mean_r_dot_rhat:
            mean_r_dot_rhat = _rows.row_dot(r_dot, rhat) / D
        # step 38: y_dot = rhat*before_dot + (r_dot -
        #   rhat*mean_r_dot_rhat)*rstd_2*before
        if before_dot is not None:
            y_dot = _rows.by_feature(
                np.multiply, rhat, before_dot_wide, out=y_dot_block
            )
        if needs_mean_r_dot_rhat:
            part_2 = np.multiply(rhat, mean_r_dot_rhat, out=rhat)
            part_2 = np.subtract(r_dot, part_2, out=part_2)
        if before is not None and (
            x_dot_rows is not None
            or residual_dot_rows is not None
            or after_dot is not None
        ):
            part_2 = _rows.by_feature(np.multiply, part_2, before_wide, out=part_2)
        if needs_mean_r_dot_rhat:
            part_2 = np.multiply(part_2, rstd_2, out=part_2)
        if before_dot is not None and (
            x_dot_rows is not None
            or residual_dot_rows is not None
            or after_dot is not None
        ):
            y_dot = np.add(y_dot, part_2, out=y_dot)
        if before_dot is None:
            y_dot = part_2
        if x_dot_rows is None and after_dot is None:
            r_dot_result = _rows.filled(r_dot, r_dot_block, shape, dtype)
        else:
            r_dot_result = r_dot
        return y_dot, r_dot_result

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, residual_rows, x_dot_rows, residual_dot_rows),
        row_scalars=(rstd_rows, rstd_2_rows),
        features=(after, after_dot, before_dot, before),
        into=(y_dot_out, r_dot_out),
        buffers=2,
    )


def backward_backward(
    saved: Saved,
    cotangents: Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddresidual: npt.NDArray[Any] | None = None,
    ddafter: npt.NDArray[Any] | None = None,
    ddbefore: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = before*dy
        mean_g_rhat = mean(g*rhat)
        dresidual = dr + rstd_2*(g - mean_g_rhat*rhat)
        g_2 = after*dresidual
        mean_g_2_xhat = mean(g_2*xhat)
        dg_2 = rstd*(ddx - xhat*mean(ddx*xhat))
        ddr = ddresidual + after*dg_2 + ddafter*xhat
        dg = rstd_2*(ddr - rhat*mean(ddr*rhat))
        d2residual = rstd_2*(ddbefore*dy + rstd_2*(mean(ddr*rhat)*(3*mean_g_rhat*rhat -
            g) - mean_g_rhat*ddr - rhat*mean(ddr*g)) - rhat*mean(ddbefore*dy*rhat))
        d2xhat_part = after*d2residual - mean_g_2_xhat*rstd*ddx
        d2x = rstd*(d2xhat_part + ddafter*dresidual +
            rstd*(mean(ddx*xhat)*(2*mean_g_2_xhat*xhat - g_2) - xhat*mean(ddx*g_2)) -
            xhat*mean(d2xhat_part*xhat) - xhat*mean(ddafter*dresidual*xhat))
        d2after = sum_rows(d2residual*xhat + dg_2*dresidual)
        d2before = sum_rows(dg*dy)
        ddy = before*dg + ddbefore*rhat

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddresidual: the cotangent of dresidual, in its shape; None stands for zero.
        ddafter: the cotangent of dafter, in its shape; None stands for zero.
        ddbefore: the cotangent of dbefore, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dresidual is
    d2residual, dafter is d2after, dbefore is d2before) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    dy_, dr_ = _calls.each_cotangent(cotangents, ("dy", "dr"))
    return _backward_backward(
        _BACKWARD_BACKWARD,
        saved,
        dy_,
        dr_,
        ddx,
        ddresidual,
        ddafter,
        ddbefore,
        out,
        threads,
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    dr: Any,
    ddx: Any,
    ddresidual: Any,
    ddafter: Any,
    ddbefore: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_after, _of_before = saved[2]
    dy, dr, ddx, ddresidual, ddafter, ddbefore = _calls.arrays(
        0,
        dy=dy,
        dr=dr,
        ddx=ddx,
        ddresidual=ddresidual,
        ddafter=ddafter,
        ddbefore=ddbefore,
    )
    _calls.check_any("cotangent", dy, dr)
    _calls.check_any("cotangent of a gradient", ddx, ddresidual, ddafter, ddbefore)
    _calls.check_left_out("ddafter", ddafter, "after", _of_after)
    _calls.check_left_out("ddbefore", ddbefore, "before", _of_before)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of r", dr=dr)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _calls.check_shapes(_shape, "the shape of residual", ddresidual=ddresidual)
    _calls.check_shapes(_shape[-1:], "the shape of after", ddafter=ddafter)
    _calls.check_shapes(_shape[-1:], "the shape of before", ddbefore=ddbefore)
    _read = {
        "cotangents[0]": dy,
        "cotangents[1]": dr,
        "ddx": ddx,
        "ddresidual": ddresidual,
        "ddafter": ddafter,
        "ddbefore": ddbefore,
        "saved.x": saved.x,
        "saved.residual": saved.residual,
        "saved.after": saved.after,
        "saved.before": saved.before,
        "saved.rstd": saved.rstd,
        "saved.rstd_2": saved.rstd_2,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dresidual_, dafter_, dbefore_, ddy_, ddr_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dresidual=(_shape, _of_residual),
        dafter=(_shape[-1:], _of_after),
        dbefore=(_shape[-1:], _of_before),
        ddy=(_shape, None if dy is None else dy.dtype),
        ddr=(_shape, None if dr is None else dr.dtype),
    )
    _by.fill(
        (dx_, dresidual_, dafter_, dbefore_, ddy_, ddr_),
        _blocks.Work(_shape, _dtype, threads),
        (
            dy,
            dr,
            ddx,
            ddresidual,
            _calls.parameter(ddafter, _dtype),
            _calls.parameter(ddbefore, _dtype),
        ),
        (
            saved.x,
            saved.residual,
            _calls.parameter(saved.after, _dtype),
            _calls.parameter(saved.before, _dtype),
            saved.rstd,
            saved.rstd_2,
        ),
    )
    return SecondGradients(
        *_calls.returned((dx_, dresidual_, dafter_, dbefore_, ddy_, ddr_), out)
    )


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, dr_rows, ddx_rows, ddresidual_rows, ddafter, ddbefore = arguments
    x_rows, residual_rows, after, before, rstd_rows, rstd_2_rows = fields
    dx_out, dresidual_out, _, _, ddy_out, ddr_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_dy_and_ddbefore = dy_rows is not None and ddbefore is not None
    with_dy_or_ddx_or_ddafter = (
        dy_rows is not None or ddx_rows is not None or ddafter is not None
    )
    with_after_and_dy = after is not None and dy_rows is not None
    with_dy_without_after = after is None and dy_rows is not None
    needs_g = (
        before is not None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None or ddafter is not None)
    )
    with_dy_without_before = before is None and dy_rows is not None
    needs_mean_g_rhat = dy_rows is not None and (
        ddx_rows is not None or ddresidual_rows is not None or ddafter is not None
    )
    with_after_and_ddx = after is not None and ddx_rows is not None
    with_ddx_without_after = after is None and ddx_rows is not None
    needs_d2residual = (
        dy_rows is not None
        and ddbefore is not None
        and (ddx_rows is not None or ddresidual_rows is not None or ddafter is not None)
    )
    with_dy_or_ddx = dy_rows is not None or ddx_rows is not None
    D = _rows.number(features, dtype)
    # step 64: mean_ddbefore_dy_rhat = mean(dy*rhat*ddbefore)
    if with_dy_and_ddbefore:
        ddbefore_over_D = ddbefore / D
    # step 71: mean_ddafter_dresidual_xhat = mean(dresidual*xhat*ddafter)
    if ddafter is not None:
        ddafter_over_D = ddafter / D

    def block(
        x,
        residual,
        dy,
        dr,
        ddx,
        ddresidual,
        rstd,
        rstd_2,
        after_wide,
        before_wide,
        ddafter_wide,
        ddbefore_wide,
        dx_block=None,
        dresidual_block=None,
        ddy_block=None,
        ddr_block=None,
        buffers=(None,) * 8,
    ):
        ddy = ddr_result = d2before = d2after = None
        # step 3: xhat = x*rstd
        if with_dy_or_ddx_or_ddafter:
            xhat = _rows.by_row(np.multiply, x, rstd, out=dx_block)
        # step 51: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_dot(ddx, xhat) / D
        # step 4: r = residual + xhat*after
        if with_after_and_dy:
            r = _rows.by_feature(np.multiply, xhat, after_wide, out=dresidual_block)
        if with_dy_without_after:
            r = xhat
        if dy_rows is not None:
            r = np.add(residual, r, out=dresidual_block)
            # step 7: rhat = r*rstd_2
            rhat = _rows.by_row(np.multiply, r, rstd_2, out=buffers[0])
        # step 64: mean_ddbefore_dy_rhat = mean(dy*rhat*ddbefore)
        if with_dy_and_ddbefore:
            part = np.multiply(dy, rhat, out=dresidual_block)
            mean_ddbefore_dy_rhat = _rows.row_dot(part, ddbefore_over_D)
        # step 39: g = dy*before
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, before_wide, out=dresidual_block)
        if with_dy_without_before:
            g = dy
        # step 40: mean_g_rhat = mean(g*rhat)
        if needs_mean_g_rhat:
            mean_g_rhat = _rows.row_dot(g, rhat) / D
            # step 64, pass 6: mean_g_rhat_scaled = 3*mean_g_rhat
            mean_g_rhat_scaled = mean_g_rhat * 3.0
        # step 41: dresidual = dr + (g - rhat*mean_g_rhat)*rstd_2
        if dy_rows is not None and (ddx_rows is not None or ddafter is not None):
            dresidual = _rows.by_row(np.multiply, rhat, mean_g_rhat, out=ddy_block)
            dresidual = np.subtract(g, dresidual, out=dresidual)
            dresidual = _rows.by_row(np.multiply, dresidual, rstd_2, out=buffers[1])
        if (
            dy_rows is not None
            and dr_rows is not None
            and (ddx_rows is not None or ddafter is not None)
        ):
            dresidual = np.add(dr, dresidual, out=ddr_block)
        if dy_rows is None and (ddx_rows is not None or ddafter is not None):
            dresidual = dr
        # step 71: mean_ddafter_dresidual_xhat = mean(dresidual*xhat*ddafter)
        if ddafter is not None:
            part_2 = np.multiply(dresidual, xhat, out=buffers[2])
            mean_ddafter_dresidual_xhat = _rows.row_dot(part_2, ddafter_over_D)
        # step 42: g_2 = dresidual*after
        if with_after_and_ddx:
            g_2 = _rows.by_feature(np.multiply, dresidual, after_wide, out=buffers[2])
        if with_ddx_without_after:
            g_2 = dresidual
        # step 43: mean_g_2_xhat = mean(g_2*xhat)
        if ddx_rows is not None:
            mean_g_2_xhat = _rows.row_dot(g_2, xhat) / D
            # step 71: mean_ddx_g_2 = mean(ddx*g_2)
            mean_ddx_g_2 = _rows.row_dot(ddx, g_2) / D
            # step 51: dg_2 = (ddx - xhat*mean_ddx_xhat)*rstd
            dg_2 = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffers[3])
            dg_2 = np.subtract(ddx, dg_2, out=dg_2)
            dg_2 = np.multiply(dg_2, rstd, out=dg_2)
        # step 54: ddr = ddresidual + dg_2*after + xhat*ddafter
        if with_after_and_ddx:
            ddr = _rows.by_feature(np.multiply, dg_2, after_wide, out=buffers[4])
        if with_ddx_without_after:
            ddr = dg_2
        if ddx_rows is not None and ddresidual_rows is not None:
            ddr = np.add(ddresidual, ddr, out=buffers[4])
        if ddx_rows is None and ddresidual_rows is not None:
            ddr = ddresidual
        if ddafter is not None:
            part_3 = _rows.by_feature(np.multiply, xhat, ddafter_wide, out=buffers[5])
        if ddafter is not None and (
            ddx_rows is not None or ddresidual_rows is not None
        ):
            ddr = np.add(ddr, part_3, out=buffers[4])
        if ddx_rows is None and ddresidual_rows is None and ddafter is not None:
            ddr = part_3
        if (
            dr_rows is not None
            and ddx_rows is None
            and ddresidual_rows is None
            and ddafter is None
        ):
            ddr = 0.0
        # step 78: mean_ddr_rhat = mean(ddr*rhat)
        if needs_mean_g_rhat:
            mean_ddr_rhat = _rows.row_dot(ddr, rhat) / D
            # step 64: mean_ddr_g = mean(ddr*g)
            mean_ddr_g = _rows.row_dot(ddr, g) / D
        # step 65, pass 7: mean_g_2_xhat_scaled = mean_g_2_xhat*rstd
        if ddx_rows is not None:
            mean_g_2_xhat_scaled = mean_g_2_xhat * rstd
            # step 71, pass 8: mean_g_2_xhat_scaled_2 = 2*mean_g_2_xhat
            mean_g_2_xhat_scaled_2 = mean_g_2_xhat * 2.0
        # step 78: dg = (ddr - rhat*mean_ddr_rhat)*rstd_2
        if needs_mean_g_rhat:
            dg = _rows.by_row(np.multiply, rhat, mean_ddr_rhat, out=ddy_block)
            dg = np.subtract(ddr, dg, out=dg)
            dg = np.multiply(dg, rstd_2, out=dg)
        # step 79: d2before = sum over rows of dg*dy
        if needs_g:
            part_4 = np.multiply(dg, dy, out=buffers[6])
            d2before = _rows.sum_rows(part_4)
        # step 64, pass 9: d2residual = (dy*ddbefore + ((rhat*mean_g_rhat_scaled -
        #   g)*mean_ddr_rhat - rhat*mean_ddr_g - ddr*mean_g_rhat)*rstd_2 -
        #   rhat*mean_ddbefore_dy_rhat)*rstd_2
        if with_dy_and_ddbefore:
            d2residual = _rows.by_feature(
                np.multiply, dy, ddbefore_wide, out=buffers[6]
            )
        if needs_mean_g_rhat:
            part_5 = _rows.by_row(np.multiply, rhat, mean_g_rhat_scaled, out=buffers[7])
            part_5 = np.subtract(part_5, g, out=dresidual_block)
            part_5 = np.multiply(part_5, mean_ddr_rhat, out=part_5)
            part_6 = _rows.by_row(np.multiply, rhat, mean_ddr_g, out=buffers[7])
            part_5 = np.subtract(part_5, part_6, out=part_5)
            part_7 = _rows.by_row(np.multiply, ddr, mean_g_rhat, out=buffers[7])
            part_5 = np.subtract(part_5, part_7, out=part_5)
            part_5 = np.multiply(part_5, rstd_2, out=part_5)
        if needs_d2residual:
            d2residual = np.add(d2residual, part_5, out=part_5)
        if dy_rows is not None and ddbefore is None:
            d2residual = part_5
        if with_dy_and_ddbefore:
            part_8 = _rows.by_row(
                np.multiply, rhat, mean_ddbefore_dy_rhat, out=buffers[7]
            )
            d2residual = np.subtract(d2residual, part_8, out=dresidual_block)
        if dy_rows is not None:
            d2residual = np.multiply(d2residual, rstd_2, out=d2residual)
        # step 73: d2after = sum over rows of d2residual*xhat + dg_2*dresidual
        if with_after_and_dy:
            part_9 = np.multiply(d2residual, xhat, out=buffers[6])
        if with_after_and_ddx:
            part_10 = np.multiply(dg_2, dresidual, out=dg_2)
        if after is not None and dy_rows is not None and ddx_rows is not None:
            part_9 = np.add(part_9, part_10, out=part_10)
        if after is not None and dy_rows is None and ddx_rows is not None:
            part_9 = part_10
        if after is not None and (dy_rows is not None or ddx_rows is not None):
            d2after = _rows.sum_rows(part_9)
        # step 65, pass 10: d2xhat_part = d2residual*after - ddx*mean_g_2_xhat_scaled
        if with_after_and_dy:
            d2xhat_part = _rows.by_feature(
                np.multiply, d2residual, after_wide, out=buffers[3]
            )
        if with_dy_without_after:
            d2xhat_part = d2residual
        if dy_rows is None and ddx_rows is not None:
            d2xhat_part = 0.0
        if ddx_rows is not None:
            part_11 = _rows.by_row(
                np.multiply, ddx, mean_g_2_xhat_scaled, out=buffers[5]
            )
            d2xhat_part = np.subtract(d2xhat_part, part_11, out=part_11)
        # step 71: mean_d2xhat_part_xhat = mean(d2xhat_part*xhat)
        if with_dy_or_ddx:
            mean_d2xhat_part_xhat = _rows.row_dot(d2xhat_part, xhat) / D
        # step 82: ddy = dg*before + rhat*ddbefore
        if needs_g:
            ddy = _rows.by_feature(np.multiply, dg, before_wide, out=dg)
        if with_dy_without_before:
            ddy = dg
        if with_dy_and_ddbefore:
            part_12 = _rows.by_feature(np.multiply, rhat, ddbefore_wide, out=rhat)
        if needs_d2residual:
            ddy = np.add(ddy, part_12, out=ddy)
        if (
            dy_rows is not None
            and ddx_rows is None
            and ddresidual_rows is None
            and ddafter is None
        ):
            ddy = part_12
        # step 71, pass 11: d2x = (d2xhat_part + dresidual*ddafter +
        #   ((xhat*mean_g_2_xhat_scaled_2 - g_2)*mean_ddx_xhat - xhat*mean_ddx_g_2)*rstd
        #   - xhat*mean_d2xhat_part_xhat - xhat*mean_ddafter_dresidual_xhat)*rstd
        if ddafter is not None:
            d2x = _rows.by_feature(np.multiply, dresidual, ddafter_wide, out=buffers[0])
        if ddafter is not None and (dy_rows is not None or ddx_rows is not None):
            d2x = np.add(d2xhat_part, d2x, out=d2x)
        if ddafter is None and (dy_rows is not None or ddx_rows is not None):
            d2x = d2xhat_part
        if ddx_rows is not None:
            part_13 = _rows.by_row(
                np.multiply, xhat, mean_g_2_xhat_scaled_2, out=buffers[6]
            )
            part_13 = np.subtract(part_13, g_2, out=buffers[1])
            part_13 = np.multiply(part_13, mean_ddx_xhat, out=part_13)
            part_14 = _rows.by_row(np.multiply, xhat, mean_ddx_g_2, out=buffers[2])
            part_13 = np.subtract(part_13, part_14, out=part_13)
            part_13 = np.multiply(part_13, rstd, out=part_13)
            d2x = np.add(d2x, part_13, out=buffers[0])
        if with_dy_or_ddx:
            part_15 = _rows.by_row(
                np.multiply, xhat, mean_d2xhat_part_xhat, out=buffers[1]
            )
            d2x = np.subtract(d2x, part_15, out=part_15)
        if ddafter is not None:
            part_16 = np.multiply(xhat, mean_ddafter_dresidual_xhat, out=xhat)
            d2x = np.subtract(d2x, part_16, out=part_16)
        if with_dy_or_ddx_or_ddafter:
            d2x = np.multiply(d2x, rstd, out=dx_block)
        if dr_rows is not None and ddx_rows is None and ddafter is None:
            ddr_result = _rows.filled(ddr, ddr_block, shape, dtype)
        if dr_rows is not None and (ddx_rows is not None or ddafter is not None):
            ddr_result = ddr
        if dy_rows is None:
            dresidual_result = _rows.filled(0.0, dresidual_block, shape, dtype)
        else:
            dresidual_result = d2residual
        if dy_rows is None and ddx_rows is None and ddafter is None:
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
        return d2x, dresidual_result, ddy, ddr_result, d2before, d2after

    d2x, dresidual_result, ddy, ddr_result, d2before, d2after = _blocks.each_block(
        block,
        call,
        rows=(x_rows, residual_rows, dy_rows, dr_rows, ddx_rows, ddresidual_rows),
        row_scalars=(rstd_rows, rstd_2_rows),
        features=(after, before, ddafter, ddbefore),
        into=(dx_out, dresidual_out, ddy_out, ddr_out),
        buffers=8,
        feature_sums=2,
    )
    if after is not None and dy_rows is None and ddx_rows is None:
        d2after = np.full(features, 0.0, dtype)
    if (before is not None and dy_rows is None) or (
        ddx_rows is None and ddresidual_rows is None and ddafter is None
    ):
        d2before = np.full(features, 0.0, dtype)
    return d2x, dresidual_result, d2after, d2before, ddy, ddr_result


def saved_from(
    *,
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    after: npt.NDArray[Any] | None = None,
    before: npt.NDArray[Any] | None = None,
    rstd: npt.NDArray[Any],
    rstd_2: npt.NDArray[Any],
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
    fields_ = (x, residual, after, before, rstd, rstd_2)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, residual, after, before, rstd, rstd_2)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "dual_rms_norm")
    _calls.check_first_fields(saved, (True, True, False, False))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x, residual=saved.residual)
    _calls.check_kept(_shape[-1:], saved.dtypes[2] is not None, after=saved.after)
    _calls.check_kept(_shape[-1:], saved.dtypes[3] is not None, before=saved.before)
    _calls.check_kept(_shape[:-1], rstd=saved.rstd, rstd_2=saved.rstd_2)


INTERFACE: _interface.Interface = {
    "name": "dual_rms_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("residual", "Row"),
        _interface.given("after", "Feature", default=1),
        _interface.given("before", "Feature", default=1),
    ],
    "constants": [_interface.constant("eps", default=1e-6, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row"), _interface.output("r", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("residual", "input", ["...", "D"]),
        _interface.saved("after", "input", ["D"]),
        _interface.saved("before", "input", ["D"]),
        _interface.saved("rstd", "row scalar", ["..."]),
        _interface.saved("rstd_2", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("residual"),
        _interface.gradient("after", may_be_none=True),
        _interface.gradient("before", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


_Gradients: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[Any]]


class DualRMSNorm(_modules.NumpyModule):
    """`dual_rms_norm` as an object with the parameters after and before.

    Args:
        D: the number of features of a row.
        after: False omits it; its initial value is 1.
        before: False omits it; its initial value is 1.
        eps: a constant, a finite number of 0 or more.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        D: int,
        *,
        after: bool = True,
        before: bool = True,
        eps: float = 1e-6,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype, D=_modules.size("D", D, 1))
        self._parameter("after", after, (D,), 1)
        self._parameter("before", before, (D,), 1)
        self.eps = self._constant("eps", eps, False)

    def forward(
        self, x: npt.NDArray[Any], residual: npt.NDArray[Any], *, save: bool = True
    ) -> Outputs:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        self._check_rows(x=x, residual=residual)
        output, self._saved = self._layer().forward(
            x,
            residual,
            self.parameters.get("after"),
            self.parameters.get("before"),
            eps=self.eps,
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(
        self, dy: npt.NDArray[Any] | None, dr: npt.NDArray[Any] | None = None
    ) -> _Gradients:
        """Return `(dx, dresidual)`, given the gradient of a loss with respect to the
        output, once for each `forward`. `gradients` then has those of the parameters,
        of this call alone.
        """
        found = self._gradients(dy, dr)
        self.gradients = self._of_parameters(after=found.dafter, before=found.dbefore)
        return found.dx, found.dresidual
