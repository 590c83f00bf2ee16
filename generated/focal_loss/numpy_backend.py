# Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

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
    gamma: float  # constant gamma of forward
    m: npt.NDArray[Any]  # row scalar m, one per row
    Z: npt.NDArray[Any]  # row scalar Z, one per row
    logpt: npt.NDArray[Any]  # row scalar logpt, one per row
    expm1_logpt: npt.NDArray[Any]  # row scalar expm1_logpt, one per row
    power_expm1_logpt: npt.NDArray[Any]  # row scalar power_expm1_logpt, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    *,
    gamma: float = 2.0,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    *,
    gamma: float = 2.0,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    *,
    gamma: float = 2.0,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        logp = x - m - log_Z
        logpt = sum(where(index() == label, logp, 0))
        expm1_logpt = expm1(logpt)
        power_expm1_logpt = (-expm1_logpt)**gamma
        y = -logpt*power_expm1_logpt

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        gamma: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has one value per row, shape x.shape[:-1]. `saved` is the
    argument of the other directions. The compute type is the widest among the
    inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, label, gamma, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    label: Any,
    gamma: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    gamma = _calls.constant("gamma", gamma, signed=False)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    label = _calls.integers("label", label, True)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(
        _shape[:-1], "the shape of x without its last axis", label=label
    )
    _read = {"x": x, "label": label}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape[:-1], x.dtype, _read, _by.empty)
    m_ = _by.empty(_shape[:-1], _dtype)
    Z_ = _by.empty(_shape[:-1], _dtype)
    logpt_ = _by.empty(_shape[:-1], _dtype)
    expm1_logpt_ = _by.empty(_shape[:-1], _dtype)
    power_expm1_logpt_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, m_, Z_, logpt_, expm1_logpt_, power_expm1_logpt_),
        _blocks.Work(_shape, _dtype, threads),
        (x, label, gamma),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(
            _shape,
            _dtype,
            _dtypes,
            x,
            label,
            gamma,
            m_,
            Z_,
            logpt_,
            expm1_logpt_,
            power_expm1_logpt_,
        )
        if save
        else None
    )
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, label_rows, gamma = values
    y_out, m_out, Z_out, logpt_out, expm1_logpt_out, power_expm1_logpt_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    gamma = np.asarray(gamma, dtype)

    def block(x, label, buffers=(None,) * 2):
        # step 1: m = max(x)
        m = _rows.shift(x)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[1])
        # step 4: Z = sum(exp_shifted)
        Z = _rows.row_dot(exp_shifted, ones)
        # step 5: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 6: logp = x_shifted - log_Z
        logp = np.subtract(x_shifted, log_Z, out=x_shifted)
        # step 7: logpt = sum(where(index() == label, logp, 0))
        logpt = _rows.entry(logp, label)
        # step 8: expm1_logpt = expm1(logpt)
        expm1_logpt = np.expm1(logpt)
        # step 9: power_expm1_logpt = (-expm1_logpt)**gamma
        power_expm1_logpt = np.power(np.negative(expm1_logpt), gamma)
        # step 10: y = -logpt*power_expm1_logpt
        y = np.negative(logpt * power_expm1_logpt)
        return (
            y[..., 0],
            m[..., 0],
            Z[..., 0],
            logpt[..., 0],
            expm1_logpt[..., 0],
            power_expm1_logpt[..., 0],
        )

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(label_rows,),
        into_row_scalars=(
            y_out,
            m_out,
            Z_out,
            logpt_out,
            expm1_logpt_out,
            power_expm1_logpt_out,
        ),
        buffers=2,
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
        dx = where(index() == label, where(gamma == 0, 0, gamma*dy*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1)) - dy*power_expm1_logpt, 0) + where(label >= 0, where(label < D, dy*power_expm1_logpt*p + where(gamma == 0, 0, -gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)), 0), 0)

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
    _of_x, _of_label = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.label": saved.label,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
        "saved.logpt": saved.logpt,
        "saved.expm1_logpt": saved.expm1_logpt,
        "saved.power_expm1_logpt": saved.power_expm1_logpt,
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
            saved.gamma,
            saved.m,
            saved.Z,
            saved.logpt,
            saved.expm1_logpt,
            saved.power_expm1_logpt,
        ),
    )
    return Gradients(*_calls.returned((dx_,), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    (
        x_rows,
        label_rows,
        gamma,
        m_rows,
        Z_rows,
        logpt_rows,
        expm1_logpt_rows,
        power_expm1_logpt_rows,
    ) = fields
    (dx_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    gamma = np.asarray(gamma, dtype)
    # step 31, pass 1: power_expm1_logpt_shifted = where(gamma == 0, 0,
    #   (-expm1_logpt)**(gamma - 1)*dy*exp(logpt)*logpt*gamma) - dy*power_expm1_logpt
    mask = gamma == 0.0
    part = gamma - 1.0
    # step 31, pass 4: dx = where(index() == label, power_expm1_logpt_shifted, 0) +
    #   where(label >= 0, where(label < D, exp_shifted*power_expm1_logpt_scaled +
    #   where(gamma == 0, 0, -exp_shifted*expm1_logpt_scaled), 0), 0)
    index = np.arange(features)
    part_4 = features

    def block(
        x,
        label,
        dy,
        m,
        Z,
        logpt,
        expm1_logpt,
        power_expm1_logpt,
        dx_block=None,
        buffers=(None,) * 2,
    ):
        # step 31, pass 1: power_expm1_logpt_shifted = where(gamma == 0, 0,
        #   (-expm1_logpt)**(gamma - 1)*dy*exp(logpt)*logpt*gamma) -
        #   dy*power_expm1_logpt
        part_2 = (
            np.power(np.negative(expm1_logpt), part)
            * dy
            * np.exp(logpt)
            * logpt
            * gamma
        )
        power_expm1_logpt_shifted = np.where(mask, 0.0, part_2)
        part_3 = dy * power_expm1_logpt
        power_expm1_logpt_shifted = power_expm1_logpt_shifted - part_3
        # step 31, pass 2: power_expm1_logpt_scaled = dy*power_expm1_logpt/Z
        power_expm1_logpt_scaled = part_3 / Z
        # step 31, pass 3: expm1_logpt_scaled = (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*logpt*gamma/Z
        expm1_logpt_scaled = part_2 / Z
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 31, pass 4: dx = where(index() == label, power_expm1_logpt_shifted, 0) +
        #   where(label >= 0, where(label < D, exp_shifted*power_expm1_logpt_scaled +
        #   where(gamma == 0, 0, -exp_shifted*expm1_logpt_scaled), 0), 0)
        mask_2 = index == label
        dx = _rows.select(
            mask_2,
            power_expm1_logpt_shifted,
            0.0,
            out=_rows.memory(buffers[0], shape, dtype),
        )
        mask_3 = label >= 0
        mask_4 = label < part_4
        part_5 = _rows.by_row(
            np.multiply, exp_shifted, power_expm1_logpt_scaled, out=buffers[1]
        )
        part_6 = np.multiply(
            exp_shifted, np.negative(expm1_logpt_scaled), out=exp_shifted
        )
        part_6 = _rows.select(mask, 0.0, part_6, out=part_6)
        part_5 = np.add(part_5, part_6, out=part_6)
        part_5 = _rows.select(mask_4, part_5, 0.0, out=part_5)
        part_5 = _rows.select(mask_3, part_5, 0.0, out=part_5)
        dx = np.add(dx, part_5, out=part_5)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(
            label_rows,
            dy_rows,
            m_rows,
            Z_rows,
            logpt_rows,
            expm1_logpt_rows,
            power_expm1_logpt_rows,
        ),
        into=(dx_out,),
        buffers=2,
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
        log_Z_dot = sum(p*x_dot)
        y_dot = where(gamma == 0, 0, gamma*logpt*(-expm1_logpt)**(gamma -
            1)*sum(where(index() == label, exp(logpt)*(x_dot - log_Z_dot), 0))) -
            power_expm1_logpt*sum(where(index() == label, x_dot - log_Z_dot, 0))

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
    _of_x, _of_label = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    _calls.check_any("tangent", x_dot)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _read = {
        "x_dot": x_dot,
        "saved.x": saved.x,
        "saved.label": saved.label,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
        "saved.logpt": saved.logpt,
        "saved.expm1_logpt": saved.expm1_logpt,
        "saved.power_expm1_logpt": saved.power_expm1_logpt,
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
            saved.gamma,
            saved.m,
            saved.Z,
            saved.logpt,
            saved.expm1_logpt,
            saved.power_expm1_logpt,
        ),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    (
        x_rows,
        label_rows,
        gamma,
        m_rows,
        Z_rows,
        logpt_rows,
        expm1_logpt_rows,
        power_expm1_logpt_rows,
    ) = fields
    (y_dot_out,) = results
    _, dtype, _ = call
    gamma = np.asarray(gamma, dtype)
    # step 45: y_dot = where(gamma == 0, 0, (-expm1_logpt)**(gamma -
    #   1)*logpt*sum_index_x_dot_2*gamma) - power_expm1_logpt*sum_index_x_dot
    mask = gamma == 0.0
    part_3 = gamma - 1.0

    def block(
        x, x_dot, label, m, Z, logpt, expm1_logpt, power_expm1_logpt, buffers=(None,)
    ):
        # step 45, pass 5: logpt_shifted = exp(logpt)
        logpt_shifted = np.exp(logpt)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 38, pass 6: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = _rows.row_dot(exp_shifted, x_dot)
        # step 38, pass 7: log_Z_dot = sum_exp_shifted_x_dot/Z
        log_Z_dot = sum_exp_shifted_x_dot / Z
        # step 45: sum_index_x_dot = sum(where(index() == label, x_dot - log_Z_dot, 0))
        part = _rows.by_row(np.subtract, x_dot, log_Z_dot, out=buffers[0])
        sum_index_x_dot = _rows.entry(part, label)
        # step 45, pass 8: sum_index_x_dot_2 = sum(where(index() == label, (x_dot -
        #   log_Z_dot)*logpt_shifted, 0))
        part_2 = np.multiply(part, logpt_shifted, out=part)
        sum_index_x_dot_2 = _rows.entry(part_2, label)
        # step 45: y_dot = where(gamma == 0, 0, (-expm1_logpt)**(gamma -
        #   1)*logpt*sum_index_x_dot_2*gamma) - power_expm1_logpt*sum_index_x_dot
        y_dot = (
            np.power(np.negative(expm1_logpt), part_3)
            * logpt
            * sum_index_x_dot_2
            * gamma
        )
        y_dot = np.where(mask, 0.0, y_dot)
        y_dot = y_dot - power_expm1_logpt * sum_index_x_dot
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(
            label_rows,
            m_rows,
            Z_rows,
            logpt_rows,
            expm1_logpt_rows,
            power_expm1_logpt_rows,
        ),
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

        p = exp_shifted/Z
        d2logpt = sum(where(index() == label, where(gamma == 0, 0, where(gamma - 1 == 0,
            0, -gamma*dy*logpt*ddx*exp(2*logpt)*(-expm1_logpt)**(gamma - 2)*(gamma -
            1))), 0)) + sum(where(index() == label, where(gamma == 0, 0,
            ddx*(gamma*dy*exp(logpt)*(-expm1_logpt)**(gamma - 1) +
            gamma*dy*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1))), 0)) + where(gamma
            == 0, 0, where(label >= 0, where(label < D,
            -gamma*dy*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p), 0), 0) -
            gamma*(-expm1_logpt)**(gamma - 1)*sum(where(index() == label,
            -dy*ddx*exp(logpt), 0))) + where(label >= 0, where(label < D, where(gamma ==
            0, 0, where(gamma - 1 == 0, 0,
            gamma*dy*logpt*exp(2*logpt)*(-expm1_logpt)**(gamma - 2)*sum(ddx*p)*(gamma -
            1))) + where(gamma == 0, 0,
            sum(-ddx*(gamma*dy*p*exp(logpt)*(-expm1_logpt)**(gamma - 1) +
            gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)))), 0), 0)
        d2x = where(index() == label, d2logpt, 0) + where(label >= 0, where(label < D,
            dy*power_expm1_logpt*ddx*p + where(gamma == 0, 0,
            -gamma*dy*logpt*ddx*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)) + where(gamma
            == 0, 0, gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p))
            - d2logpt*p - dy*power_expm1_logpt*p*sum(ddx*p), 0), 0)
        ddy = sum(where(index() == label, where(gamma == 0, 0,
            gamma*logpt*ddx*exp(logpt)*(-expm1_logpt)**(gamma - 1)) -
            power_expm1_logpt*ddx, 0)) + where(label >= 0, where(label < D,
            power_expm1_logpt*sum(ddx*p) + where(gamma == 0, 0,
            -gamma*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1)*sum(ddx*p)), 0), 0)

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
    _of_x, _of_label = saved[2]
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
        "saved.m": saved.m,
        "saved.Z": saved.Z,
        "saved.logpt": saved.logpt,
        "saved.expm1_logpt": saved.expm1_logpt,
        "saved.power_expm1_logpt": saved.power_expm1_logpt,
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
            saved.gamma,
            saved.m,
            saved.Z,
            saved.logpt,
            saved.expm1_logpt,
            saved.power_expm1_logpt,
        ),
    )
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    (
        x_rows,
        label_rows,
        gamma,
        m_rows,
        Z_rows,
        logpt_rows,
        expm1_logpt_rows,
        power_expm1_logpt_rows,
    ) = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    gamma = np.asarray(gamma, dtype)
    # step 54, pass 9: expm1_logpt_shifted = (-expm1_logpt)**(gamma -
    #   1)*dy*exp(logpt)*gamma + (-expm1_logpt)**(gamma - 1)*dy*exp(logpt)*logpt*gamma
    part_2 = gamma - 1.0
    # step 54, pass 10: expm1_logpt_scaled = (-expm1_logpt)**(gamma -
    #   2)*dy*exp(2*logpt)*logpt*gamma*(gamma - 1)
    part_9 = gamma - 2.0
    part_11 = gamma * part_2
    # step 54, pass 16: sum_ddx_index = sum(where(index() == label, where(gamma == 0, 0,
    #   ddx*expm1_logpt_shifted), 0))
    mask = gamma == 0.0
    # step 54, pass 17: sum_ddx_index_2 = sum(where(index() == label, where(gamma == 0,
    #   0, where(gamma - 1 == 0, 0, -ddx*expm1_logpt_scaled)), 0))
    mask_2 = part_2 == 0.0
    # step 54, pass 22: d2logpt = sum_ddx_index + sum_ddx_index_2 + where(gamma == 0, 0,
    #   where(label >= 0, where(label < D, -(-expm1_logpt)**(gamma -
    #   1)*dy*exp(logpt)*sum_ddx_exp_shifted*gamma/Z, 0), 0) - (-expm1_logpt)**(gamma -
    #   1)*sum_ddx_index_3*gamma) + where(label >= 0, where(label < D, where(gamma == 0,
    #   0, sum_ddx_exp_shifted_2) + where(gamma == 0, 0, where(gamma - 1 == 0, 0,
    #   (-expm1_logpt)**(gamma -
    #   2)*dy*exp(2*logpt)*logpt*sum_ddx_exp_shifted*gamma*(gamma - 1)/Z)), 0), 0)
    part_21 = features
    part_22 = np.negative(gamma)
    # step 71, pass 27: d2x = where(index() == label, d2logpt, 0) + where(label >= 0,
    #   where(label < D, where(gamma == 0, 0, exp_shifted*sum_ddx_exp_shifted_scaled_2)
    #   + ddx*exp_shifted*power_expm1_logpt_scaled + where(gamma == 0, 0,
    #   -ddx*exp_shifted*expm1_logpt_scaled_3) - exp_shifted*d2logpt_scaled -
    #   exp_shifted*sum_ddx_exp_shifted_scaled, 0), 0)
    index = np.arange(features)

    def block(
        x,
        ddx,
        label,
        dy,
        m,
        Z,
        logpt,
        expm1_logpt,
        power_expm1_logpt,
        dx_block=None,
        buffers=(None,) * 4,
    ):
        # step 54, pass 9: expm1_logpt_shifted = (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*gamma + (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*logpt*gamma
        part = np.negative(expm1_logpt)
        part_3 = np.power(part, part_2)
        part_4 = np.exp(logpt)
        part_5 = part_3 * dy * part_4
        part_6 = part_5 * gamma
        part_7 = part_5 * logpt
        part_8 = part_7 * gamma
        expm1_logpt_shifted = part_6 + part_8
        # step 54, pass 10: expm1_logpt_scaled = (-expm1_logpt)**(gamma -
        #   2)*dy*exp(2*logpt)*logpt*gamma*(gamma - 1)
        part_10 = np.power(part, part_9) * dy * np.exp(logpt * 2.0) * logpt
        expm1_logpt_scaled = part_10 * part_11
        # step 54, pass 11: logpt_scaled = dy*exp(logpt)
        logpt_scaled = dy * part_4
        # step 54, pass 12: expm1_logpt_scaled_2 = (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*gamma/Z
        expm1_logpt_scaled_2 = part_6 / Z
        # step 54, pass 13: expm1_logpt_scaled_3 = (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*logpt*gamma/Z
        expm1_logpt_scaled_3 = part_8 / Z
        # step 71, pass 14: power_expm1_logpt_scaled = dy*power_expm1_logpt/Z
        part_12 = dy * power_expm1_logpt
        power_expm1_logpt_scaled = part_12 / Z
        # step 73, pass 15: expm1_logpt_scaled_4 = (-expm1_logpt)**(gamma -
        #   1)*exp(logpt)*logpt*gamma
        part_13 = part_3 * part_4 * logpt
        expm1_logpt_scaled_4 = part_13 * gamma
        # step 54, pass 16: sum_ddx_index = sum(where(index() == label, where(gamma ==
        #   0, 0, ddx*expm1_logpt_shifted), 0))
        part_14 = _rows.by_row(np.multiply, ddx, expm1_logpt_shifted, out=dx_block)
        part_14 = _rows.select(mask, 0.0, part_14, out=part_14)
        sum_ddx_index = _rows.entry(part_14, label)
        # step 54, pass 17: sum_ddx_index_2 = sum(where(index() == label, where(gamma ==
        #   0, 0, where(gamma - 1 == 0, 0, -ddx*expm1_logpt_scaled)), 0))
        part_15 = _rows.by_row(
            np.multiply, ddx, np.negative(expm1_logpt_scaled), out=dx_block
        )
        part_15 = _rows.select(mask_2, 0.0, part_15, out=part_15)
        part_15 = _rows.select(mask, 0.0, part_15, out=part_15)
        sum_ddx_index_2 = _rows.entry(part_15, label)
        # step 54, pass 18: sum_ddx_index_3 = sum(where(index() == label,
        #   -ddx*logpt_scaled, 0))
        part_16 = _rows.by_row(
            np.multiply, ddx, np.negative(logpt_scaled), out=dx_block
        )
        sum_ddx_index_3 = _rows.entry(part_16, label)
        # step 73, pass 21: sum_ddx_index_4 = sum(where(index() == label, where(gamma ==
        #   0, 0, ddx*expm1_logpt_scaled_4) - ddx*power_expm1_logpt, 0))
        part_17 = _rows.by_row(np.multiply, ddx, expm1_logpt_scaled_4, out=dx_block)
        part_17 = _rows.select(mask, 0.0, part_17, out=part_17)
        part_18 = _rows.by_row(np.multiply, ddx, power_expm1_logpt, out=buffers[0])
        part_17 = np.subtract(part_17, part_18, out=part_17)
        sum_ddx_index_4 = _rows.entry(part_17, label)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 54, pass 19: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_dot(ddx, exp_shifted)
        # step 54, pass 20: sum_ddx_exp_shifted_2 =
        #   sum((-exp_shifted*expm1_logpt_scaled_2 -
        #   exp_shifted*expm1_logpt_scaled_3)*ddx)
        part_19 = _rows.by_row(
            np.multiply, exp_shifted, expm1_logpt_scaled_2, out=buffers[0]
        )
        part_19 = np.negative(part_19, out=part_19)
        part_20 = _rows.by_row(
            np.multiply, exp_shifted, expm1_logpt_scaled_3, out=buffers[1]
        )
        part_19 = np.subtract(part_19, part_20, out=part_19)
        sum_ddx_exp_shifted_2 = _rows.row_dot(part_19, ddx)
        # step 54, pass 22: d2logpt = sum_ddx_index + sum_ddx_index_2 + where(gamma ==
        #   0, 0, where(label >= 0, where(label < D, -(-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*sum_ddx_exp_shifted*gamma/Z, 0), 0) -
        #   (-expm1_logpt)**(gamma - 1)*sum_ddx_index_3*gamma) + where(label >= 0,
        #   where(label < D, where(gamma == 0, 0, sum_ddx_exp_shifted_2) + where(gamma
        #   == 0, 0, where(gamma - 1 == 0, 0, (-expm1_logpt)**(gamma -
        #   2)*dy*exp(2*logpt)*logpt*sum_ddx_exp_shifted*gamma*(gamma - 1)/Z)), 0), 0)
        mask_3 = label >= 0
        mask_4 = label < part_21
        part_23 = part_5 * sum_ddx_exp_shifted * part_22 / Z
        part_23 = np.where(mask_4, part_23, 0.0)
        part_23 = np.where(mask_3, part_23, 0.0)
        part_23 = part_23 - part_3 * sum_ddx_index_3 * gamma
        part_23 = np.where(mask, 0.0, part_23)
        part_24 = np.where(mask, 0.0, sum_ddx_exp_shifted_2)
        part_25 = part_10 * sum_ddx_exp_shifted * part_11 / Z
        part_25 = np.where(mask_2, 0.0, part_25)
        part_25 = np.where(mask, 0.0, part_25)
        part_24 = part_24 + part_25
        part_24 = np.where(mask_4, part_24, 0.0)
        part_24 = np.where(mask_3, part_24, 0.0)
        d2logpt = sum_ddx_index + sum_ddx_index_2 + part_23 + part_24
        # step 71, pass 23: d2logpt_scaled = d2logpt/Z
        d2logpt_scaled = d2logpt / Z
        # step 71, pass 24: sum_ddx_exp_shifted_scaled =
        #   dy*power_expm1_logpt*sum_ddx_exp_shifted/Z**2
        part_26 = np.square(Z)
        sum_ddx_exp_shifted_scaled = part_12 * sum_ddx_exp_shifted / part_26
        # step 71, pass 25: sum_ddx_exp_shifted_scaled_2 = (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*logpt*sum_ddx_exp_shifted*gamma/Z**2
        sum_ddx_exp_shifted_scaled_2 = part_7 * sum_ddx_exp_shifted * gamma / part_26
        # step 73, pass 26: ddy = sum_ddx_index_4 + where(label >= 0, where(label < D,
        #   power_expm1_logpt*sum_ddx_exp_shifted/Z + where(gamma == 0, 0,
        #   -(-expm1_logpt)**(gamma - 1)*exp(logpt)*logpt*sum_ddx_exp_shifted*gamma/Z),
        #   0), 0)
        part_27 = part_13 * sum_ddx_exp_shifted * part_22 / Z
        part_27 = np.where(mask, 0.0, part_27)
        ddy = power_expm1_logpt * sum_ddx_exp_shifted / Z + part_27
        ddy = np.where(mask_4, ddy, 0.0)
        ddy = np.where(mask_3, ddy, 0.0)
        ddy = sum_ddx_index_4 + ddy
        # step 71, pass 27: d2x = where(index() == label, d2logpt, 0) + where(label >=
        #   0, where(label < D, where(gamma == 0, 0,
        #   exp_shifted*sum_ddx_exp_shifted_scaled_2) +
        #   ddx*exp_shifted*power_expm1_logpt_scaled + where(gamma == 0, 0,
        #   -ddx*exp_shifted*expm1_logpt_scaled_3) - exp_shifted*d2logpt_scaled -
        #   exp_shifted*sum_ddx_exp_shifted_scaled, 0), 0)
        mask_5 = index == label
        d2x = _rows.select(
            mask_5, d2logpt, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        part_28 = _rows.by_row(
            np.multiply, exp_shifted, sum_ddx_exp_shifted_scaled_2, out=buffers[1]
        )
        part_28 = _rows.select(mask, 0.0, part_28, out=part_28)
        part_29 = np.multiply(ddx, exp_shifted, out=buffers[2])
        part_30 = _rows.by_row(
            np.multiply, part_29, power_expm1_logpt_scaled, out=buffers[3]
        )
        part_28 = np.add(part_28, part_30, out=part_28)
        part_31 = np.multiply(part_29, np.negative(expm1_logpt_scaled_3), out=part_29)
        part_31 = _rows.select(mask, 0.0, part_31, out=part_31)
        part_28 = np.add(part_28, part_31, out=part_28)
        part_32 = _rows.by_row(np.multiply, exp_shifted, d2logpt_scaled, out=buffers[2])
        part_28 = np.subtract(part_28, part_32, out=part_28)
        part_33 = np.multiply(exp_shifted, sum_ddx_exp_shifted_scaled, out=exp_shifted)
        part_28 = np.subtract(part_28, part_33, out=part_33)
        part_28 = _rows.select(mask_4, part_28, 0.0, out=part_28)
        part_28 = _rows.select(mask_3, part_28, 0.0, out=part_28)
        d2x = np.add(d2x, part_28, out=part_28)
        return d2x, ddy[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, ddx_rows),
        row_scalars=(
            label_rows,
            dy_rows,
            m_rows,
            Z_rows,
            logpt_rows,
            expm1_logpt_rows,
            power_expm1_logpt_rows,
        ),
        into=(dx_out,),
        into_row_scalars=(ddy_out,),
        buffers=4,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    gamma: float,
    m: npt.NDArray[Any],
    Z: npt.NDArray[Any],
    logpt: npt.NDArray[Any],
    expm1_logpt: npt.NDArray[Any],
    power_expm1_logpt: npt.NDArray[Any],
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
    fields_ = (x, label, gamma, m, Z, logpt, expm1_logpt, power_expm1_logpt)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(
        *first_, x, label, gamma, m, Z, logpt, expm1_logpt, power_expm1_logpt
    )
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "focal_loss")
    _calls.check_first_fields(saved, (True, True))
    _calls.check_number("gamma", saved.gamma)
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept_integers(_shape[:-1], label=saved.label)
    _calls.check_kept(
        _shape[:-1],
        m=saved.m,
        Z=saved.Z,
        logpt=saved.logpt,
        expm1_logpt=saved.expm1_logpt,
        power_expm1_logpt=saved.power_expm1_logpt,
    )


INTERFACE: _interface.Interface = {
    "name": "focal_loss",
    "minimum_features": 1,
    "inputs": [_interface.given("x", "Row"), _interface.given("label", 'Int["..."]')],
    "constants": [_interface.constant("gamma", default=2, sign="nonnegative")],
    "outputs": [_interface.output("y", "RowScalar")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("label", "input", ["..."]),
        _interface.saved("gamma", "constant", []),
        _interface.saved("m", "row scalar", ["..."]),
        _interface.saved("Z", "row scalar", ["..."]),
        _interface.saved("logpt", "row scalar", ["..."]),
        _interface.saved("expm1_logpt", "row scalar", ["..."]),
        _interface.saved("power_expm1_logpt", "row scalar", ["..."]),
    ],
    "gradients": [_interface.gradient("x")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class FocalLoss(_modules.NumpyModule):
    """`focal_loss` as an object without parameters.

    Args:
        gamma: a constant, a finite number of 0 or more.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        gamma: float = 2.0,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.gamma = self._constant("gamma", gamma, False)

    def forward(
        self, x: npt.NDArray[Any], label: npt.NDArray[Any], *, save: bool = True
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, label, gamma=self.gamma, save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        found = self._gradients(dy)
        return found.dx
