# Made by lngen 0.1.0 from the definition of distillation; derivation.md has its steps, cost and evidence.
# Do not edit; edit distillation.py and run: lngen derive distillation.py
# definition sha256:605c03732e301937a46144ac717739a27c6327286eedf29e8b15c84beaabe5d7
"""Cross entropy of a label, and divergence from a teacher's softmax at a temperature, one number a row.

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
    teacher: npt.NDArray[Any]  # argument teacher of forward
    label: npt.NDArray[Any]  # argument label of forward
    temperature: float  # constant temperature of forward
    share: float  # constant share of forward
    m_3: npt.NDArray[Any]  # row scalar m_3, one per row
    Z: npt.NDArray[Any]  # row scalar Z, one per row
    m: npt.NDArray[Any]  # row scalar m, one per row
    Z_2: npt.NDArray[Any]  # row scalar Z_2, one per row
    m_2: npt.NDArray[Any]  # row scalar m_2, one per row
    inv_Z_3: npt.NDArray[Any]  # row scalar inv_Z_3, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    teacher: npt.NDArray[Any],
    label: npt.NDArray[Any],
    *,
    temperature: float = 2.0,
    share: float = 0.5,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    teacher: npt.NDArray[Any],
    label: npt.NDArray[Any],
    *,
    temperature: float = 2.0,
    share: float = 0.5,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    teacher: npt.NDArray[Any],
    label: npt.NDArray[Any],
    *,
    temperature: float = 2.0,
    share: float = 0.5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Cross entropy of a label, and divergence from a teacher's softmax at a temperature, one number a row.

        sum_where_x = sum(where(index() == label, x, 0))
        m_3 = max(x)
        exp_shifted = exp(x - m_3)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        u = x/temperature
        v = teacher/temperature
        m = max(u)
        exp_shifted_2 = exp(u - m)
        Z_2 = sum(exp_shifted_2)
        log_Z_2 = log(Z_2)
        logq = u - m - log_Z_2
        m_2 = max(v)
        exp_shifted_3 = exp(v - m_2)
        Z_3 = sum(exp_shifted_3)
        log_Z_3 = log(Z_3)
        logp = v - m_2 - log_Z_3
        inv_Z_3 = 1/Z_3
        exp_shifted_3_scaled = inv_Z_3*exp_shifted_3
        soft = sum(exp_shifted_3_scaled*(logp - logq))
        y = share*temperature**2*soft + (1 - share)*(m_3 + log_Z - sum_where_x)

    Args:
        x: shape (..., D).
        teacher: shape (..., D), without a gradient.
        label: one integer per row, shape x.shape[:-1].
        temperature: a constant, a finite number of 0 or more.
        share: a constant, a finite number.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has one value per row, shape x.shape[:-1]. `saved` is the
    argument of the other directions. The compute type is the widest among the
    inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, teacher, label, temperature, share, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    teacher: Any,
    label: Any,
    temperature: Any,
    share: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    temperature = _calls.constant("temperature", temperature, signed=False)
    share = _calls.constant("share", share)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    teacher = _calls.array("teacher", teacher, True, may_be_labels=True)
    label = _calls.integers("label", label, True)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape, "the shape of x", teacher=teacher)
    _calls.check_shapes(
        _shape[:-1], "the shape of x without its last axis", label=label
    )
    _read = {"x": x, "teacher": teacher, "label": label}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape[:-1], x.dtype, _read, _by.empty)
    m_3_ = _by.empty(_shape[:-1], _dtype)
    Z_ = _by.empty(_shape[:-1], _dtype)
    m_ = _by.empty(_shape[:-1], _dtype)
    Z_2_ = _by.empty(_shape[:-1], _dtype)
    m_2_ = _by.empty(_shape[:-1], _dtype)
    inv_Z_3_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, m_3_, Z_, m_, Z_2_, m_2_, inv_Z_3_),
        _blocks.Work(_shape, _dtype, threads),
        (x, teacher, label, temperature, share),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(
            _shape,
            _dtype,
            _dtypes,
            x,
            teacher,
            label,
            temperature,
            share,
            m_3_,
            Z_,
            m_,
            Z_2_,
            m_2_,
            inv_Z_3_,
        )
        if save
        else None
    )
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, teacher_rows, label_rows, temperature, share = values
    y_out, m_3_out, Z_out, m_out, Z_2_out, m_2_out, inv_Z_3_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    temperature = np.asarray(temperature, dtype)
    share = np.asarray(share, dtype)
    # step 7, pass 1: temperature_shifted = 1/temperature
    temperature_shifted = np.reciprocal(temperature)
    # step 25, pass 7: y = (log_Z - sum_where_x_shifted)*(1 - share) +
    #   soft*share*temperature**2
    part_2 = 1.0 - share
    part_3 = share * np.square(temperature)

    def block(x, teacher, label, buffers=(None,) * 3):
        # step 1: sum_where_x = sum(where(index() == label, x, 0))
        sum_where_x = _rows.entry(x, label)
        # step 2: m_3 = max(x)
        m_3 = _rows.shift(x)
        # step 7, pass 2: u = x*temperature_shifted
        u = np.multiply(x, temperature_shifted, out=buffers[0])
        # step 9: m = max(u)
        m = _rows.shift(u)
        # step 8, pass 3: v = teacher*temperature_shifted
        v = np.multiply(teacher, temperature_shifted, out=buffers[1])
        # step 15: m_2 = max(v)
        m_2 = _rows.shift(v)
        # step 1, pass 4: sum_where_x_shifted = sum_where_x - m_3
        sum_where_x_shifted = sum_where_x - m_3
        # step 3: x_shifted = x - m_3
        x_shifted = _rows.by_row(np.subtract, x, m_3, out=buffers[2])
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 5: Z = sum(exp_shifted)
        Z = _rows.row_dot(exp_shifted, ones)
        # step 10: x_shifted_2 = u - m
        x_shifted_2 = np.subtract(u, m, out=u)
        # step 11: exp_shifted_2 = exp(x_shifted_2)
        exp_shifted_2 = np.exp(x_shifted_2, out=buffers[2])
        # step 12: Z_2 = sum(exp_shifted_2)
        Z_2 = _rows.row_dot(exp_shifted_2, ones)
        # step 16: teacher_shifted = v - m_2
        teacher_shifted = np.subtract(v, m_2, out=v)
        # step 17: exp_shifted_3 = exp(teacher_shifted)
        exp_shifted_3 = np.exp(teacher_shifted, out=buffers[2])
        # step 18: Z_3 = sum(exp_shifted_3)
        Z_3 = _rows.row_dot(exp_shifted_3, ones)
        # step 6: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 13: log_Z_2 = log(Z_2)
        log_Z_2 = np.log(Z_2)
        # step 19: log_Z_3 = log(Z_3)
        log_Z_3 = np.log(Z_3)
        # step 21: inv_Z_3 = 1/Z_3
        inv_Z_3 = np.reciprocal(Z_3)
        # step 14: logq = x_shifted_2 - log_Z_2
        logq = np.subtract(x_shifted_2, log_Z_2, out=x_shifted_2)
        # step 20: logp = teacher_shifted - log_Z_3
        logp = np.subtract(teacher_shifted, log_Z_3, out=teacher_shifted)
        # step 24, pass 5: soft_unscaled = sum(exp_shifted_3*(logp - logq))
        part = np.subtract(logp, logq, out=logq)
        soft_unscaled = _rows.row_dot(exp_shifted_3, part)
        # step 24, pass 6: soft = inv_Z_3*soft_unscaled
        soft = inv_Z_3 * soft_unscaled
        # step 25, pass 7: y = (log_Z - sum_where_x_shifted)*(1 - share) +
        #   soft*share*temperature**2
        y = (log_Z - sum_where_x_shifted) * part_2 + soft * part_3
        return (
            y[..., 0],
            m_3[..., 0],
            Z[..., 0],
            m[..., 0],
            Z_2[..., 0],
            m_2[..., 0],
            inv_Z_3[..., 0],
        )

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows),
        row_scalars=(label_rows,),
        into_row_scalars=(y_out, m_3_out, Z_out, m_out, Z_2_out, m_2_out, inv_Z_3_out),
        buffers=3,
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
        p_2 = exp_shifted_2/Z_2
        dx = where(index() == label, dy*(share - 1), 0) + dy*(p + share*(temperature*(p_2 - exp_shifted_3_scaled) - p))

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
    _of_x, _of_teacher, _of_label = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.teacher": saved.teacher,
        "saved.label": saved.label,
        "saved.m_3": saved.m_3,
        "saved.Z": saved.Z,
        "saved.m": saved.m,
        "saved.Z_2": saved.Z_2,
        "saved.m_2": saved.m_2,
        "saved.inv_Z_3": saved.inv_Z_3,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dx_,) = _calls.results(out, _read, _by.empty, dx=(_shape, _of_x))
    _by.fill(
        (dx_,),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (
            saved.x,
            saved.teacher,
            saved.label,
            saved.temperature,
            saved.share,
            saved.m_3,
            saved.Z,
            saved.m,
            saved.Z_2,
            saved.m_2,
            saved.inv_Z_3,
        ),
    )
    return Gradients(*_calls.returned((dx_,), out))


@np.errstate(under="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    (
        x_rows,
        teacher_rows,
        label_rows,
        temperature,
        share,
        m_3_rows,
        Z_rows,
        m_rows,
        Z_2_rows,
        m_2_rows,
        inv_Z_3_rows,
    ) = fields
    (dx_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    temperature = np.asarray(temperature, dtype)
    share = np.asarray(share, dtype)
    # step 7, pass 1: temperature_shifted = 1/temperature
    temperature_shifted = np.reciprocal(temperature)
    # step 70, pass 10: share_scaled = dy*(share - 1)
    part = share - 1.0
    # step 70, pass 11: dx = where(index() == label, share_scaled, 0) +
    #   (exp_shifted*Z_shifted + ((exp_shifted_2*Z_2_shifted -
    #   exp_shifted_3_scaled)*temperature - exp_shifted*Z_shifted)*share)*dy
    index = np.arange(features)

    def block(
        x,
        teacher,
        label,
        dy,
        m_3,
        Z,
        m,
        Z_2,
        m_2,
        inv_Z_3,
        dx_block=None,
        buffers=(None,) * 3,
    ):
        # step 70, pass 8: Z_shifted = 1/Z
        Z_shifted = np.reciprocal(Z)
        # step 70, pass 9: Z_2_shifted = 1/Z_2
        Z_2_shifted = np.reciprocal(Z_2)
        # step 70, pass 10: share_scaled = dy*(share - 1)
        share_scaled = dy * part
        # step 3: x_shifted = x - m_3
        x_shifted = _rows.by_row(np.subtract, x, m_3, out=dx_block)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 7, pass 2: u = x*temperature_shifted
        u = np.multiply(x, temperature_shifted, out=buffers[0])
        # step 8, pass 3: v = teacher*temperature_shifted
        v = np.multiply(teacher, temperature_shifted, out=buffers[1])
        # step 10: x_shifted_2 = u - m
        x_shifted_2 = np.subtract(u, m, out=u)
        # step 11: exp_shifted_2 = exp(x_shifted_2)
        exp_shifted_2 = np.exp(x_shifted_2, out=x_shifted_2)
        # step 16: teacher_shifted = v - m_2
        teacher_shifted = np.subtract(v, m_2, out=v)
        # step 17: exp_shifted_3 = exp(teacher_shifted)
        exp_shifted_3 = np.exp(teacher_shifted, out=teacher_shifted)
        # step 22: exp_shifted_3_scaled = exp_shifted_3*inv_Z_3
        exp_shifted_3_scaled = np.multiply(exp_shifted_3, inv_Z_3, out=exp_shifted_3)
        # step 70, pass 11: dx = where(index() == label, share_scaled, 0) +
        #   (exp_shifted*Z_shifted + ((exp_shifted_2*Z_2_shifted -
        #   exp_shifted_3_scaled)*temperature - exp_shifted*Z_shifted)*share)*dy
        mask = index == label
        dx = _rows.select(
            mask, share_scaled, 0.0, out=_rows.memory(buffers[2], shape, dtype)
        )
        part_2 = np.multiply(exp_shifted, Z_shifted, out=exp_shifted)
        part_3 = np.multiply(exp_shifted_2, Z_2_shifted, out=exp_shifted_2)
        part_3 = np.subtract(part_3, exp_shifted_3_scaled, out=part_3)
        part_3 = np.multiply(part_3, temperature, out=part_3)
        part_3 = np.subtract(part_3, part_2, out=part_3)
        part_3 = np.multiply(part_3, share, out=part_3)
        part_3 = np.add(part_2, part_3, out=part_2)
        part_3 = np.multiply(part_3, dy, out=part_3)
        dx = np.add(dx, part_3, out=part_3)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows),
        row_scalars=(
            label_rows,
            dy_rows,
            m_3_rows,
            Z_rows,
            m_rows,
            Z_2_rows,
            m_2_rows,
            inv_Z_3_rows,
        ),
        into=(dx_out,),
        buffers=3,
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        p_2 = exp_shifted_2/Z_2
        log_Z_2_dot = sum(p_2*x_dot)/temperature
        p = exp_shifted/Z
        y_dot = D*(mean(where(index() == label, x_dot, 0))*(share - 1) +
            mean(p*x_dot)*(1 - share) -
            share*temperature**2*mean(exp_shifted_3_scaled*(x_dot/temperature -
            log_Z_2_dot)))

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
    _of_x, _of_teacher, _of_label = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    _calls.check_any("tangent", x_dot)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _read = {
        "x_dot": x_dot,
        "saved.x": saved.x,
        "saved.teacher": saved.teacher,
        "saved.label": saved.label,
        "saved.m_3": saved.m_3,
        "saved.Z": saved.Z,
        "saved.m": saved.m,
        "saved.Z_2": saved.Z_2,
        "saved.m_2": saved.m_2,
        "saved.inv_Z_3": saved.inv_Z_3,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape[:-1], _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot,),
        (
            saved.x,
            saved.teacher,
            saved.label,
            saved.temperature,
            saved.share,
            saved.m_3,
            saved.Z,
            saved.m,
            saved.Z_2,
            saved.m_2,
            saved.inv_Z_3,
        ),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    (
        x_rows,
        teacher_rows,
        label_rows,
        temperature,
        share,
        m_3_rows,
        Z_rows,
        m_rows,
        Z_2_rows,
        m_2_rows,
        inv_Z_3_rows,
    ) = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    temperature = np.asarray(temperature, dtype)
    share = np.asarray(share, dtype)
    # step 7, pass 1: temperature_shifted = 1/temperature
    temperature_shifted = np.reciprocal(temperature)
    # step 94, pass 14: mean_index_x_dot = mean(where(index() == label, x_dot, 0))
    index = np.arange(features)
    # step 94, pass 19: y_dot = (mean_index_x_dot*(share - 1) +
    #   mean_exp_shifted_x_dot*(1 - share)/Z -
    #   mean_exp_shifted_3_scaled_x_dot*share*temperature**2)*D
    part_3 = share - 1.0
    part_4 = 1.0 - share
    part_5 = share * np.square(temperature)

    def block(
        x, teacher, x_dot, label, m_3, Z, m, Z_2, m_2, inv_Z_3, buffers=(None,) * 2
    ):
        # step 94, pass 14: mean_index_x_dot = mean(where(index() == label, x_dot, 0))
        mask = index == label
        part = _rows.select(
            mask, x_dot, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        mean_index_x_dot = _rows.row_dot(part, one_over_D)
        # step 3: x_shifted = x - m_3
        x_shifted = _rows.by_row(np.subtract, x, m_3, out=buffers[0])
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 94, pass 15: mean_exp_shifted_x_dot = mean(exp_shifted*x_dot)
        mean_exp_shifted_x_dot = _rows.row_dot(exp_shifted, x_dot) / D
        # step 7, pass 2: u = x*temperature_shifted
        u = np.multiply(x, temperature_shifted, out=buffers[0])
        # step 10: x_shifted_2 = u - m
        x_shifted_2 = np.subtract(u, m, out=u)
        # step 11: exp_shifted_2 = exp(x_shifted_2)
        exp_shifted_2 = np.exp(x_shifted_2, out=x_shifted_2)
        # step 86, pass 13: sum_exp_shifted_2_x_dot = sum(exp_shifted_2*x_dot)
        sum_exp_shifted_2_x_dot = _rows.row_dot(exp_shifted_2, x_dot)
        # step 86, pass 16: log_Z_2_dot = sum_exp_shifted_2_x_dot/(Z_2*temperature)
        log_Z_2_dot = sum_exp_shifted_2_x_dot / (Z_2 * temperature)
        # step 8, pass 3: v = teacher*temperature_shifted
        v = np.multiply(teacher, temperature_shifted, out=buffers[0])
        # step 16: teacher_shifted = v - m_2
        teacher_shifted = np.subtract(v, m_2, out=v)
        # step 17: exp_shifted_3 = exp(teacher_shifted)
        exp_shifted_3 = np.exp(teacher_shifted, out=teacher_shifted)
        # step 94, pass 17: mean_exp_shifted_3_scaled_x_dot_2 =
        #   mean((x_dot*temperature_shifted_2 - log_Z_2_dot)*exp_shifted_3)
        part_2 = np.multiply(x_dot, temperature_shifted, out=buffers[1])
        part_2 = np.subtract(part_2, log_Z_2_dot, out=part_2)
        mean_exp_shifted_3_scaled_x_dot_2 = _rows.row_dot(part_2, exp_shifted_3) / D
        # step 94, pass 18: mean_exp_shifted_3_scaled_x_dot =
        #   inv_Z_3*mean_exp_shifted_3_scaled_x_dot_2
        mean_exp_shifted_3_scaled_x_dot = inv_Z_3 * mean_exp_shifted_3_scaled_x_dot_2
        # step 94, pass 19: y_dot = (mean_index_x_dot*(share - 1) +
        #   mean_exp_shifted_x_dot*(1 - share)/Z -
        #   mean_exp_shifted_3_scaled_x_dot*share*temperature**2)*D
        y_dot = (
            mean_index_x_dot * part_3
            + mean_exp_shifted_x_dot * part_4 / Z
            - mean_exp_shifted_3_scaled_x_dot * part_5
        ) * D
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows, x_dot_rows),
        row_scalars=(
            label_rows,
            m_3_rows,
            Z_rows,
            m_rows,
            Z_2_rows,
            m_2_rows,
            inv_Z_3_rows,
        ),
        into_row_scalars=(y_dot_out,),
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

        p = exp_shifted/Z
        p_2 = exp_shifted_2/Z_2
        d2x = dy*(share*p_2*(ddx - sum(ddx*p_2)) + p*(ddx + sum(ddx*p)*(share - 1) -
            share*ddx))
        ddy = sum(ddx*p) + sum(where(index() == label, ddx*(share - 1), 0)) +
            share*sum(ddx*(temperature*(p_2 - exp_shifted_3_scaled) - p))

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
    _of_x, _of_teacher, _of_label = saved[2]
    dy, ddx = _calls.arrays(1, dy=dy, ddx=ddx)
    _calls.check_any("cotangent of a gradient", ddx)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "saved.x": saved.x,
        "saved.teacher": saved.teacher,
        "saved.label": saved.label,
        "saved.m_3": saved.m_3,
        "saved.Z": saved.Z,
        "saved.m": saved.m,
        "saved.Z_2": saved.Z_2,
        "saved.m_2": saved.m_2,
        "saved.inv_Z_3": saved.inv_Z_3,
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
            saved.teacher,
            saved.label,
            saved.temperature,
            saved.share,
            saved.m_3,
            saved.Z,
            saved.m,
            saved.Z_2,
            saved.m_2,
            saved.inv_Z_3,
        ),
    )
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


@np.errstate(under="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    (
        x_rows,
        teacher_rows,
        label_rows,
        temperature,
        share,
        m_3_rows,
        Z_rows,
        m_rows,
        Z_2_rows,
        m_2_rows,
        inv_Z_3_rows,
    ) = fields
    dx_out, ddy_out = results
    _, dtype, _ = call
    temperature = np.asarray(temperature, dtype)
    share = np.asarray(share, dtype)
    # step 7, pass 1: temperature_shifted = 1/temperature
    temperature_shifted = np.reciprocal(temperature)
    # step 122, pass 27: sum_ddx_index = sum(where(index() == label, ddx*(share - 1),
    #   0))
    part = share - 1.0

    def block(
        x,
        teacher,
        ddx,
        label,
        dy,
        m_3,
        Z,
        m,
        Z_2,
        m_2,
        inv_Z_3,
        dx_block=None,
        buffers=(None,) * 3,
    ):
        # step 119, pass 21: Z_shifted = 1/Z
        Z_shifted = np.reciprocal(Z)
        # step 119, pass 22: share_scaled = share/Z_2
        share_scaled = share / Z_2
        # step 122, pass 23: Z_2_shifted = 1/Z_2
        Z_2_shifted = np.reciprocal(Z_2)
        # step 122, pass 27: sum_ddx_index = sum(where(index() == label, ddx*(share -
        #   1), 0))
        part_2 = np.multiply(ddx, part, out=dx_block)
        sum_ddx_index = _rows.entry(part_2, label)
        # step 3: x_shifted = x - m_3
        x_shifted = _rows.by_row(np.subtract, x, m_3, out=dx_block)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 119, pass 24: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_dot(ddx, exp_shifted)
        # step 7, pass 2: u = x*temperature_shifted
        u = np.multiply(x, temperature_shifted, out=buffers[0])
        # step 8, pass 3: v = teacher*temperature_shifted
        v = np.multiply(teacher, temperature_shifted, out=buffers[1])
        # step 10: x_shifted_2 = u - m
        x_shifted_2 = np.subtract(u, m, out=u)
        # step 11: exp_shifted_2 = exp(x_shifted_2)
        exp_shifted_2 = np.exp(x_shifted_2, out=x_shifted_2)
        # step 119, pass 25: sum_ddx_exp_shifted_2 = sum(ddx*exp_shifted_2)
        sum_ddx_exp_shifted_2 = _rows.row_dot(ddx, exp_shifted_2)
        # step 16: teacher_shifted = v - m_2
        teacher_shifted = np.subtract(v, m_2, out=v)
        # step 17: exp_shifted_3 = exp(teacher_shifted)
        exp_shifted_3 = np.exp(teacher_shifted, out=teacher_shifted)
        # step 22: exp_shifted_3_scaled = exp_shifted_3*inv_Z_3
        exp_shifted_3_scaled = np.multiply(exp_shifted_3, inv_Z_3, out=exp_shifted_3)
        # step 122, pass 26: sum_ddx_exp_shifted_exp_shifted =
        #   sum(((exp_shifted_2*Z_2_shifted - exp_shifted_3_scaled)*temperature -
        #   exp_shifted*Z_shifted)*ddx)
        part_3 = _rows.by_row(np.multiply, exp_shifted_2, Z_2_shifted, out=buffers[2])
        part_3 = np.subtract(part_3, exp_shifted_3_scaled, out=exp_shifted_3_scaled)
        part_3 = np.multiply(part_3, temperature, out=part_3)
        part_4 = _rows.by_row(np.multiply, exp_shifted, Z_shifted, out=buffers[2])
        part_3 = np.subtract(part_3, part_4, out=part_3)
        sum_ddx_exp_shifted_exp_shifted = _rows.row_dot(part_3, ddx)
        # step 119, pass 28: sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted*(share -
        #   1)/Z
        sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted * part / Z
        # step 119, pass 29: sum_ddx_exp_shifted_2_scaled = sum_ddx_exp_shifted_2/Z_2
        sum_ddx_exp_shifted_2_scaled = sum_ddx_exp_shifted_2 / Z_2
        # step 122, pass 30: ddy = sum_ddx_index + sum_ddx_exp_shifted/Z +
        #   sum_ddx_exp_shifted_exp_shifted*share
        ddy = (
            sum_ddx_index
            + sum_ddx_exp_shifted / Z
            + sum_ddx_exp_shifted_exp_shifted * share
        )
        # step 119, pass 31: d2x = ((ddx -
        #   sum_ddx_exp_shifted_2_scaled)*exp_shifted_2*share_scaled + exp_shifted*(ddx
        #   + sum_ddx_exp_shifted_scaled - ddx*share)*Z_shifted)*dy
        d2x = _rows.by_row(
            np.subtract, ddx, sum_ddx_exp_shifted_2_scaled, out=buffers[1]
        )
        d2x = np.multiply(d2x, exp_shifted_2, out=exp_shifted_2)
        d2x = np.multiply(d2x, share_scaled, out=d2x)
        part_5 = _rows.by_row(np.add, ddx, sum_ddx_exp_shifted_scaled, out=buffers[1])
        part_6 = np.multiply(ddx, share, out=buffers[2])
        part_5 = np.subtract(part_5, part_6, out=part_5)
        part_5 = np.multiply(exp_shifted, part_5, out=exp_shifted)
        part_5 = np.multiply(part_5, Z_shifted, out=part_5)
        d2x = np.add(d2x, part_5, out=part_5)
        d2x = np.multiply(d2x, dy, out=d2x)
        return d2x, ddy[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows, ddx_rows),
        row_scalars=(
            label_rows,
            dy_rows,
            m_3_rows,
            Z_rows,
            m_rows,
            Z_2_rows,
            m_2_rows,
            inv_Z_3_rows,
        ),
        into=(dx_out,),
        into_row_scalars=(ddy_out,),
        buffers=3,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    teacher: npt.NDArray[Any],
    label: npt.NDArray[Any],
    temperature: float,
    share: float,
    m_3: npt.NDArray[Any],
    Z: npt.NDArray[Any],
    m: npt.NDArray[Any],
    Z_2: npt.NDArray[Any],
    m_2: npt.NDArray[Any],
    inv_Z_3: npt.NDArray[Any],
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
    fields_ = (x, teacher, label, temperature, share, m_3, Z, m, Z_2, m_2, inv_Z_3)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(
        *first_, x, teacher, label, temperature, share, m_3, Z, m, Z_2, m_2, inv_Z_3
    )
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "distillation")
    _calls.check_first_fields(saved, (True, True, True))
    _calls.check_number("temperature", saved.temperature)
    _calls.check_number("share", saved.share)
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x, teacher=saved.teacher)
    _calls.check_kept_integers(_shape[:-1], label=saved.label)
    _calls.check_kept(
        _shape[:-1],
        m_3=saved.m_3,
        Z=saved.Z,
        m=saved.m,
        Z_2=saved.Z_2,
        m_2=saved.m_2,
        inv_Z_3=saved.inv_Z_3,
    )


INTERFACE: _interface.Interface = {
    "name": "distillation",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("teacher", "Data"),
        _interface.given("label", 'Int["..."]'),
    ],
    "constants": [
        _interface.constant("temperature", default=2, sign="nonnegative"),
        _interface.constant("share", default=0.5),
    ],
    "outputs": [_interface.output("y", "RowScalar")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("teacher", "input", ["...", "D"]),
        _interface.saved("label", "input", ["..."]),
        _interface.saved("temperature", "constant", []),
        _interface.saved("share", "constant", []),
        _interface.saved("m_3", "row scalar", ["..."]),
        _interface.saved("Z", "row scalar", ["..."]),
        _interface.saved("m", "row scalar", ["..."]),
        _interface.saved("Z_2", "row scalar", ["..."]),
        _interface.saved("m_2", "row scalar", ["..."]),
        _interface.saved("inv_Z_3", "row scalar", ["..."]),
    ],
    "gradients": [_interface.gradient("x")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class Distillation(_modules.NumpyModule):
    """`distillation` as an object without parameters.

    Args:
        temperature: a constant, a finite number of 0 or more.
        share: a constant, a finite number.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        temperature: float = 2.0,
        share: float = 0.5,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.temperature = self._constant("temperature", temperature, False)
        self.share = self._constant("share", share, True)

    def forward(
        self,
        x: npt.NDArray[Any],
        teacher: npt.NDArray[Any],
        label: npt.NDArray[Any],
        *,
        save: bool = True,
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x,
            teacher,
            label,
            temperature=self.temperature,
            share=self.share,
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
