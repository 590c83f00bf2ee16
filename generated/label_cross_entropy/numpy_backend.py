# Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
# definition sha256:54d0d10a361e544b04d125946902774985e4cfbc3c6a48abadaca8002ccda43b
"""Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.

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
    label: npt.NDArray[Any]  # argument label of forward
    ignore: npt.NDArray[Any] | None  # argument ignore of forward
    smoothing: float  # constant smoothing of forward
    z_loss: float  # constant z_loss of forward
    m: npt.NDArray[Any]  # row scalar m, one per row
    Z: npt.NDArray[Any]  # row scalar Z, one per row
    log_Z: npt.NDArray[Any]  # row scalar log_Z, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    ignore: npt.NDArray[Any] | None = None,
    *,
    smoothing: float = 0.0,
    z_loss: float = 0.0,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    ignore: npt.NDArray[Any] | None = None,
    *,
    smoothing: float = 0.0,
    z_loss: float = 0.0,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    ignore: npt.NDArray[Any] | None = None,
    *,
    smoothing: float = 0.0,
    z_loss: float = 0.0,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        target = sum(where(index() == label, x, 0))
        mu = mean(x)
        y = where(label == ignore, 0, m + log_Z + where(smoothing > 0, smoothing*(target - mu), 0) + z_loss*(m + log_Z)**2 - target)

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        ignore: an integer or a 0-d array of one. If omitted it is -100.
        smoothing: a constant, a finite number.
        z_loss: a constant, a finite number.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has one value per row, shape x.shape[:-1]. `saved` is the
    argument of the other directions. The compute type is the widest among the
    inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, label, ignore, smoothing, z_loss, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    label: Any,
    ignore: Any,
    smoothing: Any,
    z_loss: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    smoothing = _calls.constant("smoothing", smoothing)
    z_loss = _calls.constant("z_loss", z_loss)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    label = _calls.integers("label", label, True)
    ignore = _calls.integers("ignore", ignore, False, is_number=True)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(
        _shape[:-1], "the shape of x without its last axis", label=label
    )
    _read = {"x": x, "label": label, "ignore": ignore}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape[:-1], x.dtype, _read, _by.empty)
    m_ = _by.empty(_shape[:-1], _dtype)
    Z_ = _by.empty(_shape[:-1], _dtype)
    log_Z_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, m_, Z_, log_Z_),
        _blocks.Work(_shape, _dtype, threads),
        (x, label, _calls.number(ignore, _blocks.INTEGER), smoothing, z_loss),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(
            _shape, _dtype, _dtypes, x, label, ignore, smoothing, z_loss, m_, Z_, log_Z_
        )
        if save
        else None
    )
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, label_rows, ignore, smoothing, z_loss = values
    y_out, m_out, Z_out, log_Z_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    if ignore is not None:
        ignore_value = np.asarray(ignore, dtype)
    else:
        ignore_value = -100.0
    smoothing = np.asarray(smoothing, dtype)
    z_loss = np.asarray(z_loss, dtype)
    # step 8, pass 3: y = where(label == ignore, 0, log_Z + where(smoothing > 0,
    #   (target_shifted - mu_shifted)*smoothing, 0) + (log_Z + m)**2*z_loss -
    #   target_shifted)
    mask_2 = smoothing > 0.0

    def block(x, label, buffers=(None,)):
        # step 1: m = max(x)
        m = _rows.shift(x)
        # step 6: target = sum(where(index() == label, x, 0))
        target = _rows.entry(x, label)
        # step 6, pass 1: target_shifted = target - m
        target_shifted = target - m
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 7, pass 2: mu_shifted = mean(x_shifted)
        mu_shifted = _rows.row_dot(x_shifted, one_over_D)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 4: Z = sum(exp_shifted)
        Z = _rows.row_dot(exp_shifted, ones)
        # step 5: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 8, pass 3: y = where(label == ignore, 0, log_Z + where(smoothing > 0,
        #   (target_shifted - mu_shifted)*smoothing, 0) + (log_Z + m)**2*z_loss -
        #   target_shifted)
        mask = label == ignore_value
        y = (target_shifted - mu_shifted) * smoothing
        y = np.where(mask_2, y, 0.0)
        y = log_Z + y + np.square(log_Z + m) * z_loss - target_shifted
        y = np.where(mask, 0.0, y)
        return y[..., 0], m[..., 0], Z[..., 0], log_Z[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(label_rows,),
        into_row_scalars=(y_out, m_out, Z_out, log_Z_out),
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

        p = exp_shifted/Z
        dx = where(index() == label, where(label == ignore, 0, where(smoothing > 0, smoothing*dy, 0) - dy), 0) + where(label == ignore, 0, dy*p*(1 + 2*z_loss*(m + log_Z)) + where(smoothing > 0, -smoothing*dy/D, 0))

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
    _of_x, _of_label, _of_ignore = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.label": saved.label,
        "saved.ignore": saved.ignore,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
        "saved.log_Z": saved.log_Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dx_,) = _calls.results(out, _read, _by.empty, dx=(_shape, _of_x))
    _by.fill(
        (dx_,),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (
            saved.x,
            saved.label,
            _calls.number(saved.ignore, _blocks.INTEGER),
            saved.smoothing,
            saved.z_loss,
            saved.m,
            saved.Z,
            saved.log_Z,
        ),
    )
    return Gradients(*_calls.returned((dx_,), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, label_rows, ignore, smoothing, z_loss, m_rows, Z_rows, log_Z_rows = fields
    (dx_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    if ignore is not None:
        ignore_value = np.asarray(ignore, dtype)
    else:
        ignore_value = -100.0
    smoothing = np.asarray(smoothing, dtype)
    z_loss = np.asarray(z_loss, dtype)
    # step 22, pass 4: smoothing_shifted = where(label == ignore, 0, where(smoothing >
    #   0, dy*smoothing, 0) - dy)
    mask_2 = smoothing > 0.0
    # step 22, pass 6: smoothing_shifted_2 = where(smoothing > 0, -dy*smoothing/D, 0)
    part = np.negative(smoothing) / D
    # step 22, pass 7: dx = where(index() == label, smoothing_shifted, 0) + where(label
    #   == ignore, 0, exp_shifted*z_loss_scaled + smoothing_shifted_2)
    index = np.arange(features)

    def block(x, label, dy, m, Z, log_Z, dx_block=None, buffers=(None,)):
        # step 22, pass 4: smoothing_shifted = where(label == ignore, 0, where(smoothing
        #   > 0, dy*smoothing, 0) - dy)
        mask = label == ignore_value
        smoothing_shifted = dy * smoothing
        smoothing_shifted = np.where(mask_2, smoothing_shifted, 0.0)
        smoothing_shifted = smoothing_shifted - dy
        smoothing_shifted = np.where(mask, 0.0, smoothing_shifted)
        # step 22, pass 5: z_loss_scaled = dy*((2*log_Z + 2*m)*z_loss + 1)/Z
        z_loss_scaled = dy * ((log_Z * 2.0 + m * 2.0) * z_loss + 1.0) / Z
        # step 22, pass 6: smoothing_shifted_2 = where(smoothing > 0, -dy*smoothing/D,
        #   0)
        smoothing_shifted_2 = dy * part
        smoothing_shifted_2 = np.where(mask_2, smoothing_shifted_2, 0.0)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 22, pass 7: dx = where(index() == label, smoothing_shifted, 0) +
        #   where(label == ignore, 0, exp_shifted*z_loss_scaled + smoothing_shifted_2)
        mask_3 = index == label
        dx = _rows.select(
            mask_3, smoothing_shifted, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        part_2 = np.multiply(exp_shifted, z_loss_scaled, out=exp_shifted)
        part_2 = np.add(part_2, smoothing_shifted_2, out=part_2)
        part_2 = _rows.select(mask, 0.0, part_2, out=part_2)
        dx = np.add(dx, part_2, out=part_2)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(label_rows, dy_rows, m_rows, Z_rows, log_Z_rows),
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

        p = exp_shifted/Z
        y_dot = where(label == ignore, 0, sum(p*x_dot)*(1 + 2*z_loss*(m + log_Z)) +
            where(smoothing > 0, smoothing*sum(where(index() == label, x_dot, 0)) -
            smoothing*mean(x_dot), 0) - sum(where(index() == label, x_dot, 0)))

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
    _of_x, _of_label, _of_ignore = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    _calls.check_any("tangent", x_dot)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _read = {
        "x_dot": x_dot,
        "saved.x": saved.x,
        "saved.label": saved.label,
        "saved.ignore": saved.ignore,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
        "saved.log_Z": saved.log_Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape[:-1], _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot,),
        (
            saved.x,
            saved.label,
            _calls.number(saved.ignore, _blocks.INTEGER),
            saved.smoothing,
            saved.z_loss,
            saved.m,
            saved.Z,
            saved.log_Z,
        ),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    x_rows, label_rows, ignore, smoothing, z_loss, m_rows, Z_rows, log_Z_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    if ignore is not None:
        ignore_value = np.asarray(ignore, dtype)
    else:
        ignore_value = -100.0
    smoothing = np.asarray(smoothing, dtype)
    z_loss = np.asarray(z_loss, dtype)
    # step 33, pass 11: y_dot = where(label == ignore, 0, where(smoothing > 0,
    #   sum_index_x_dot*smoothing - mean_x_dot*smoothing, 0) +
    #   sum_exp_shifted_x_dot*((2*log_Z + 2*m)*z_loss + 1)/Z - sum_index_x_dot)
    mask_2 = smoothing > 0.0

    def block(x, x_dot, label, m, Z, log_Z, buffers=(None,)):
        # step 33, pass 8: sum_index_x_dot = sum(where(index() == label, x_dot, 0))
        sum_index_x_dot = _rows.entry(x_dot, label)
        # step 33, pass 10: mean_x_dot = mean(x_dot)
        mean_x_dot = _rows.row_dot(x_dot, one_over_D)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 33, pass 9: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = _rows.row_dot(exp_shifted, x_dot)
        # step 33, pass 11: y_dot = where(label == ignore, 0, where(smoothing > 0,
        #   sum_index_x_dot*smoothing - mean_x_dot*smoothing, 0) +
        #   sum_exp_shifted_x_dot*((2*log_Z + 2*m)*z_loss + 1)/Z - sum_index_x_dot)
        mask = label == ignore_value
        y_dot = sum_index_x_dot * smoothing - mean_x_dot * smoothing
        y_dot = np.where(mask_2, y_dot, 0.0)
        y_dot = (
            y_dot
            + sum_exp_shifted_x_dot * ((log_Z * 2.0 + m * 2.0) * z_loss + 1.0) / Z
            - sum_index_x_dot
        )
        y_dot = np.where(mask, 0.0, y_dot)
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(label_rows, m_rows, Z_rows, log_Z_rows),
        into_row_scalars=(y_dot_out,),
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

        d2x = where(label == ignore, 0, exp_shifted*(dy*ddx*(1 + 2*z_loss*(m + log_Z))/Z
            + 2*z_loss*dy*sum(ddx*exp_shifted)/Z**2 - dy*sum(ddx*exp_shifted)*(1 +
            2*z_loss*(m + log_Z))/Z**2))
        p = exp_shifted/Z
        ddy = sum(where(index() == label, where(label == ignore, 0, where(smoothing > 0,
            smoothing*ddx, 0) - ddx), 0)) + where(label == ignore, 0, where(smoothing >
            0, -smoothing*mean(ddx), 0) + sum(ddx*p)*(1 + 2*z_loss*(m + log_Z)))

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
    _of_x, _of_label, _of_ignore = saved[2]
    dy, ddx = _calls.arrays(1, dy=dy, ddx=ddx)
    _calls.check_any("cotangent of a gradient", ddx)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "saved.x": saved.x,
        "saved.label": saved.label,
        "saved.ignore": saved.ignore,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
        "saved.log_Z": saved.log_Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, ddy_ = _calls.results(
        out, _read, _by.empty, dx=(_shape, _of_x), ddy=(_shape[:-1], dy.dtype)
    )
    _by.fill(
        (dx_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddx),
        (
            saved.x,
            saved.label,
            _calls.number(saved.ignore, _blocks.INTEGER),
            saved.smoothing,
            saved.z_loss,
            saved.m,
            saved.Z,
            saved.log_Z,
        ),
    )
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    x_rows, label_rows, ignore, smoothing, z_loss, m_rows, Z_rows, log_Z_rows = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    if ignore is not None:
        ignore_value = np.asarray(ignore, dtype)
    else:
        ignore_value = -100.0
    smoothing = np.asarray(smoothing, dtype)
    z_loss = np.asarray(z_loss, dtype)
    # step 47, pass 13: sum_ddx_index = sum(where(index() == label, where(label ==
    #   ignore, 0, where(smoothing > 0, ddx*smoothing, 0) - ddx), 0))
    mask_2 = smoothing > 0.0
    # step 44, pass 16: sum_ddx_exp_shifted_scaled_2 =
    #   2*dy*sum_ddx_exp_shifted*z_loss/Z**2
    part_5 = 2.0 * z_loss
    # step 47, pass 17: ddy = sum_ddx_index + where(label == ignore, 0, where(smoothing
    #   > 0, -mean_ddx*smoothing, 0) + sum_ddx_exp_shifted*((2*log_Z + 2*m)*z_loss +
    #   1)/Z)
    part_6 = np.negative(smoothing)

    def block(x, ddx, label, dy, m, Z, log_Z, dx_block=None, buffers=(None,)):
        # step 44, pass 12: z_loss_scaled = dy*((2*log_Z + 2*m)*z_loss + 1)/Z
        part = (log_Z * 2.0 + m * 2.0) * z_loss + 1.0
        z_loss_scaled = dy * part / Z
        # step 47, pass 13: sum_ddx_index = sum(where(index() == label, where(label ==
        #   ignore, 0, where(smoothing > 0, ddx*smoothing, 0) - ddx), 0))
        mask = label == ignore_value
        part_2 = np.multiply(ddx, smoothing, out=dx_block)
        part_2 = _rows.select(mask_2, part_2, 0.0, out=part_2)
        part_2 = np.subtract(part_2, ddx, out=part_2)
        part_2 = _rows.select(mask, 0.0, part_2, out=part_2)
        sum_ddx_index = _rows.entry(part_2, label)
        # step 47, pass 14: mean_ddx = mean(ddx)
        mean_ddx = _rows.row_dot(ddx, one_over_D)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 44: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_dot(ddx, exp_shifted)
        # step 44, pass 15: sum_ddx_exp_shifted_scaled =
        #   dy*sum_ddx_exp_shifted*((2*log_Z + 2*m)*z_loss + 1)/Z**2
        part_3 = dy * sum_ddx_exp_shifted
        part_4 = np.square(Z)
        sum_ddx_exp_shifted_scaled = part_3 * part / part_4
        # step 44, pass 16: sum_ddx_exp_shifted_scaled_2 =
        #   2*dy*sum_ddx_exp_shifted*z_loss/Z**2
        sum_ddx_exp_shifted_scaled_2 = part_3 * part_5 / part_4
        # step 47, pass 17: ddy = sum_ddx_index + where(label == ignore, 0,
        #   where(smoothing > 0, -mean_ddx*smoothing, 0) + sum_ddx_exp_shifted*((2*log_Z
        #   + 2*m)*z_loss + 1)/Z)
        ddy = mean_ddx * part_6
        ddy = np.where(mask_2, ddy, 0.0)
        ddy = ddy + sum_ddx_exp_shifted * part / Z
        ddy = np.where(mask, 0.0, ddy)
        ddy = sum_ddx_index + ddy
        # step 44, pass 18: d2x = where(label == ignore, 0, (ddx*z_loss_scaled +
        #   sum_ddx_exp_shifted_scaled_2 - sum_ddx_exp_shifted_scaled)*exp_shifted)
        d2x = _rows.by_row(np.multiply, ddx, z_loss_scaled, out=buffers[0])
        d2x = np.add(d2x, sum_ddx_exp_shifted_scaled_2, out=d2x)
        d2x = np.subtract(d2x, sum_ddx_exp_shifted_scaled, out=d2x)
        d2x = np.multiply(d2x, exp_shifted, out=exp_shifted)
        d2x = _rows.select(mask, 0.0, d2x, out=d2x)
        return d2x, ddy[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, ddx_rows),
        row_scalars=(label_rows, dy_rows, m_rows, Z_rows, log_Z_rows),
        into=(dx_out,),
        into_row_scalars=(ddy_out,),
        buffers=1,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    ignore: npt.NDArray[Any] | None = None,
    smoothing: float,
    z_loss: float,
    m: npt.NDArray[Any],
    Z: npt.NDArray[Any],
    log_Z: npt.NDArray[Any],
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
    fields_ = (x, label, ignore, smoothing, z_loss, m, Z, log_Z)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, label, ignore, smoothing, z_loss, m, Z, log_Z)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "label_cross_entropy")
    _calls.check_first_fields(saved, (True, True, False))
    _calls.check_number("ignore", saved.ignore, saved.dtypes[2] is not None)
    _calls.check_number("smoothing", saved.smoothing)
    _calls.check_number("z_loss", saved.z_loss)
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept_integers(_shape[:-1], label=saved.label)
    _calls.check_kept(_shape[:-1], m=saved.m, Z=saved.Z, log_Z=saved.log_Z)


INTERFACE: _interface.Interface = {
    "name": "label_cross_entropy",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("label", 'Int["..."]'),
        _interface.given("ignore", 'Int[""]', default=-100),
    ],
    "constants": [
        _interface.constant("smoothing", default=0),
        _interface.constant("z_loss", default=0),
    ],
    "outputs": [_interface.output("y", "RowScalar")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("label", "input", ["..."]),
        _interface.saved("ignore", "input", []),
        _interface.saved("smoothing", "constant", []),
        _interface.saved("z_loss", "constant", []),
        _interface.saved("m", "row scalar", ["..."]),
        _interface.saved("Z", "row scalar", ["..."]),
        _interface.saved("log_Z", "row scalar", ["..."]),
    ],
    "gradients": [_interface.gradient("x")],
    "counterparts": [
        _interface.counterpart(
            "torch.nn.CrossEntropyLoss",
            {"ignore_index": "ignore", "label_smoothing": "smoothing"},
            {"weight": None},
            reduction={"attribute": "reduction", "label": "label", "ignored": "ignore"},
        )
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class LabelCrossEntropy(_modules.NumpyModule):
    """`label_cross_entropy` as an object without parameters.

    Args:
        smoothing: a constant, a finite number.
        z_loss: a constant, a finite number.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        smoothing: float = 0.0,
        z_loss: float = 0.0,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.smoothing = self._constant("smoothing", smoothing, True)
        self.z_loss = self._constant("z_loss", z_loss, True)

    def forward(
        self,
        x: npt.NDArray[Any],
        label: npt.NDArray[Any],
        ignore: npt.NDArray[Any] | None = None,
        *,
        save: bool = True,
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x,
            label,
            ignore,
            smoothing=self.smoothing,
            z_loss=self.z_loss,
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
