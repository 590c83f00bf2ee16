# Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
# Do not edit; edit tvd.py and run: lngen derive tvd.py
# definition sha256:531a69e0531c8d084bce4e7dc397809639b91913c16cd826b7e28806ee2c4e04
"""Total variation distance of a teacher's and a student's softmax, one number a row.

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
    m_2: npt.NDArray[Any]  # row scalar m_2, one per row
    m: npt.NDArray[Any]  # row scalar m, one per row
    inv_Z: npt.NDArray[Any]  # row scalar inv_Z, one per row
    inv_Z_2: npt.NDArray[Any]  # row scalar inv_Z_2, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    teacher: npt.NDArray[Any],
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    teacher: npt.NDArray[Any],
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    teacher: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Total variation distance of a teacher's and a student's softmax, one number a row.

        m_2 = max(x)
        e_shifted = exp(x - m_2)
        m = max(teacher)
        t_shifted = exp(teacher - m)
        Z = sum(e_shifted)
        inv_Z = 1/Z
        q = inv_Z*e_shifted
        Z_2 = sum(t_shifted)
        inv_Z_2 = 1/Z_2
        p = inv_Z_2*t_shifted
        sum_abs = sum(abs(p - q))
        y = sum_abs/2

    Args:
        x: shape (..., D).
        teacher: shape (..., D), without a gradient.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has one value per row, shape x.shape[:-1]. `saved` is the
    argument of the other directions. The compute type is the widest among the
    inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, teacher, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction, x: Any, teacher: Any, save: Any, out: Any, threads: Any
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    teacher = _calls.array("teacher", teacher, True, may_be_labels=True)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape, "the shape of x", teacher=teacher)
    _read = {"x": x, "teacher": teacher}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape[:-1], x.dtype, _read, _by.empty)
    m_2_ = _by.empty(_shape[:-1], _dtype)
    m_ = _by.empty(_shape[:-1], _dtype)
    inv_Z_ = _by.empty(_shape[:-1], _dtype)
    inv_Z_2_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, m_2_, m_, inv_Z_, inv_Z_2_),
        _blocks.Work(_shape, _dtype, threads),
        (x, teacher),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(_shape, _dtype, _dtypes, x, teacher, m_2_, m_, inv_Z_, inv_Z_2_)
        if save
        else None
    )
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, teacher_rows = values
    y_out, m_2_out, m_out, inv_Z_out, inv_Z_2_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, teacher, buffers=(None,) * 2):
        # step 1: m_2 = max(x)
        m_2 = _rows.shift(x)
        # step 4: m = max(teacher)
        m = _rows.shift(teacher)
        # step 2: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=buffers[0])
        # step 3: e_shifted = exp(x_shifted)
        e_shifted = np.exp(x_shifted, out=x_shifted)
        # step 7: Z = sum(e_shifted)
        Z = _rows.row_dot(e_shifted, ones)
        # step 5: teacher_shifted = teacher - m
        teacher_shifted = _rows.by_row(np.subtract, teacher, m, out=buffers[1])
        # step 6: t_shifted = exp(teacher_shifted)
        t_shifted = np.exp(teacher_shifted, out=teacher_shifted)
        # step 10: Z_2 = sum(t_shifted)
        Z_2 = _rows.row_dot(t_shifted, ones)
        # step 8: inv_Z = 1/Z
        inv_Z = np.reciprocal(Z)
        # step 11: inv_Z_2 = 1/Z_2
        inv_Z_2 = np.reciprocal(Z_2)
        # step 9: q = e_shifted*inv_Z
        q = np.multiply(e_shifted, inv_Z, out=e_shifted)
        # step 12: p = t_shifted*inv_Z_2
        p = np.multiply(t_shifted, inv_Z_2, out=t_shifted)
        # step 13: sum_abs = sum(abs(p - q))
        part = np.subtract(p, q, out=q)
        part = np.absolute(part, out=part)
        sum_abs = _rows.row_dot(part, ones)
        # step 14: y = sum_abs/2
        y = sum_abs * 0.5
        return y[..., 0], m_2[..., 0], m[..., 0], inv_Z[..., 0], inv_Z_2[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows),
        into_row_scalars=(y_out, m_2_out, m_out, inv_Z_out, inv_Z_2_out),
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

        dx = dy*q*(sum(q*sign(p - q)) - sign(p - q))/2

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
    _of_x, _of_teacher = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.teacher": saved.teacher,
        "saved.m_2": saved.m_2,
        "saved.m": saved.m,
        "saved.inv_Z": saved.inv_Z,
        "saved.inv_Z_2": saved.inv_Z_2,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dx_,) = _calls.results(out, _read, _by.empty, dx=(_shape, _of_x))
    _by.fill(
        (dx_,),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (saved.x, saved.teacher, saved.m_2, saved.m, saved.inv_Z, saved.inv_Z_2),
    )
    return Gradients(*_calls.returned((dx_,), out))


@np.errstate(under="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, teacher_rows, m_2_rows, m_rows, inv_Z_rows, inv_Z_2_rows = fields
    (dx_out,) = results

    def block(x, teacher, dy, m_2, m, inv_Z, inv_Z_2, dx_block=None, buffers=(None,)):
        # step 2: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=dx_block)
        # step 3: e_shifted = exp(x_shifted)
        e_shifted = np.exp(x_shifted, out=x_shifted)
        # step 5: teacher_shifted = teacher - m
        teacher_shifted = _rows.by_row(np.subtract, teacher, m, out=buffers[0])
        # step 6: t_shifted = exp(teacher_shifted)
        t_shifted = np.exp(teacher_shifted, out=teacher_shifted)
        # step 9: q = e_shifted*inv_Z
        q = np.multiply(e_shifted, inv_Z, out=e_shifted)
        # step 12: p = t_shifted*inv_Z_2
        p = np.multiply(t_shifted, inv_Z_2, out=t_shifted)
        # step 40: sum_p_q = sum(q*sign(p - q))
        part = np.subtract(p, q, out=p)
        part = np.sign(part, out=part)
        sum_p_q = _rows.row_dot(q, part)
        # step 40, pass 1: sum_p_q_scaled = sum_p_q/2
        sum_p_q_scaled = sum_p_q * 0.5
        # step 40, pass 2: dx = q*(sum_p_q_scaled - sign(p - q)/2)*dy
        dx = np.multiply(part, 0.5, out=part)
        dx = np.subtract(sum_p_q_scaled, dx, out=dx)
        dx = np.multiply(q, dx, out=q)
        dx = np.multiply(dx, dy, out=dx)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows),
        row_scalars=(dy_rows, m_2_rows, m_rows, inv_Z_rows, inv_Z_2_rows),
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

        y_dot = D*(sum(q*x_dot)*mean(q*sign(p - q)) - mean(q*x_dot*sign(p - q)))/2

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
    _of_x, _of_teacher = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    _calls.check_any("tangent", x_dot)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _read = {
        "x_dot": x_dot,
        "saved.x": saved.x,
        "saved.teacher": saved.teacher,
        "saved.m_2": saved.m_2,
        "saved.m": saved.m,
        "saved.inv_Z": saved.inv_Z,
        "saved.inv_Z_2": saved.inv_Z_2,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape[:-1], _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot,),
        (saved.x, saved.teacher, saved.m_2, saved.m, saved.inv_Z, saved.inv_Z_2),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    x_rows, teacher_rows, m_2_rows, m_rows, inv_Z_rows, inv_Z_2_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(x, teacher, x_dot, m_2, m, inv_Z, inv_Z_2, buffers=(None,) * 3):
        # step 2: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=buffers[0])
        # step 3: e_shifted = exp(x_shifted)
        e_shifted = np.exp(x_shifted, out=x_shifted)
        # step 5: teacher_shifted = teacher - m
        teacher_shifted = _rows.by_row(np.subtract, teacher, m, out=buffers[1])
        # step 6: t_shifted = exp(teacher_shifted)
        t_shifted = np.exp(teacher_shifted, out=teacher_shifted)
        # step 9: q = e_shifted*inv_Z
        q = np.multiply(e_shifted, inv_Z, out=e_shifted)
        # step 49: sum_q_x_dot = sum(q*x_dot)
        sum_q_x_dot = _rows.row_dot(q, x_dot)
        # step 12: p = t_shifted*inv_Z_2
        p = np.multiply(t_shifted, inv_Z_2, out=t_shifted)
        # step 49: mean_p_q_x_dot = mean(q*sign(p - q)*x_dot)
        part = np.subtract(p, q, out=p)
        part = np.sign(part, out=part)
        part_2 = np.multiply(q, part, out=buffers[2])
        part_2 = np.multiply(part_2, x_dot, out=part_2)
        mean_p_q_x_dot = _rows.row_dot(part_2, one_over_D)
        # step 49: mean_p_q = mean(q*sign(p - q))
        mean_p_q = _rows.row_dot(q, part) / D
        # step 49: y_dot = (mean_p_q*sum_q_x_dot/2 - mean_p_q_x_dot/2)*D
        y_dot = (mean_p_q * sum_q_x_dot * 0.5 - mean_p_q_x_dot * 0.5) * D
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows, x_dot_rows),
        row_scalars=(m_2_rows, m_rows, inv_Z_rows, inv_Z_2_rows),
        into_row_scalars=(y_dot_out,),
        buffers=3,
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

        mean_q_sign = mean(q*sign(p - q))
        d2q_part = dy*ddx*(D*mean_q_sign - sign(p - q))/2
        d2x = q*(d2q_part + D*(dy*mean(ddx*q)*(sign(p - q) - D*mean_q_sign)/2 -
            mean(d2q_part*q)))
        ddy = sum(ddx*q*(D*mean_q_sign - sign(p - q))/2)

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
    _of_x, _of_teacher = saved[2]
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
        "saved.m_2": saved.m_2,
        "saved.m": saved.m,
        "saved.inv_Z": saved.inv_Z,
        "saved.inv_Z_2": saved.inv_Z_2,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, ddy_ = _calls.results(
        out, _read, _by.empty, dx=(_shape, _of_x), ddy=(_shape[:-1], dy.dtype)
    )
    _by.fill(
        (dx_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddx),
        (saved.x, saved.teacher, saved.m_2, saved.m, saved.inv_Z, saved.inv_Z_2),
    )
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


@np.errstate(under="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    x_rows, teacher_rows, m_2_rows, m_rows, inv_Z_rows, inv_Z_2_rows = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 52, pass 3: mean_q_sign_scaled = mean_q_sign*D/2
    part_2 = 0.5 * D
    # step 62, pass 5: mean_q_sign_scaled_2 = -mean_q_sign*D/2
    part_3 = -0.5 * D

    def block(
        x, teacher, ddx, dy, m_2, m, inv_Z, inv_Z_2, dx_block=None, buffers=(None,) * 3
    ):
        # step 2: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=dx_block)
        # step 3: e_shifted = exp(x_shifted)
        e_shifted = np.exp(x_shifted, out=x_shifted)
        # step 5: teacher_shifted = teacher - m
        teacher_shifted = _rows.by_row(np.subtract, teacher, m, out=buffers[0])
        # step 6: t_shifted = exp(teacher_shifted)
        t_shifted = np.exp(teacher_shifted, out=teacher_shifted)
        # step 9: q = e_shifted*inv_Z
        q = np.multiply(e_shifted, inv_Z, out=e_shifted)
        # step 62: mean_ddx_q = mean(ddx*q)
        mean_ddx_q = _rows.row_dot(ddx, q) / D
        # step 12: p = t_shifted*inv_Z_2
        p = np.multiply(t_shifted, inv_Z_2, out=t_shifted)
        # step 50: mean_q_sign = mean(q*sign(p - q))
        part = np.subtract(p, q, out=p)
        part = np.sign(part, out=part)
        mean_q_sign = _rows.row_dot(q, part) / D
        # step 52, pass 3: mean_q_sign_scaled = mean_q_sign*D/2
        mean_q_sign_scaled = mean_q_sign * part_2
        # step 62, pass 4: mean_ddx_q_scaled = dy*mean_ddx_q
        mean_ddx_q_scaled = dy * mean_ddx_q
        # step 62, pass 5: mean_q_sign_scaled_2 = -mean_q_sign*D/2
        mean_q_sign_scaled_2 = mean_q_sign * part_3
        # step 62, pass 6: mean_d2q_part_q_unscaled = mean(ddx*(mean_q_sign_scaled -
        #   sign(p - q)/2)*q)
        part_4 = np.multiply(part, 0.5, out=part)
        part_5 = np.subtract(mean_q_sign_scaled, part_4, out=buffers[1])
        part_5 = np.multiply(ddx, part_5, out=part_5)
        part_6 = np.multiply(part_5, q, out=buffers[2])
        mean_d2q_part_q_unscaled = _rows.row_dot(part_6, one_over_D)
        # step 62, pass 7: mean_d2q_part_q = dy*mean_d2q_part_q_unscaled
        mean_d2q_part_q = dy * mean_d2q_part_q_unscaled
        # step 63, pass 8: ddy = mean_d2q_part_q_unscaled*D
        ddy = mean_d2q_part_q_unscaled * D
        # step 52, pass 9: d2q_part = ddx*(mean_q_sign_scaled - sign(p - q)/2)*dy
        d2q_part = np.multiply(part_5, dy, out=part_5)
        # step 62, pass 10: d2x = (d2q_part + ((sign(p - q)/2 +
        #   mean_q_sign_scaled_2)*mean_ddx_q_scaled - mean_d2q_part_q)*D)*q
        d2x = np.add(part_4, mean_q_sign_scaled_2, out=part_4)
        d2x = np.multiply(d2x, mean_ddx_q_scaled, out=d2x)
        d2x = np.subtract(d2x, mean_d2q_part_q, out=d2x)
        d2x = np.multiply(d2x, D, out=d2x)
        d2x = np.add(d2q_part, d2x, out=d2x)
        d2x = np.multiply(d2x, q, out=q)
        return d2x, ddy[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows, ddx_rows),
        row_scalars=(dy_rows, m_2_rows, m_rows, inv_Z_rows, inv_Z_2_rows),
        into=(dx_out,),
        into_row_scalars=(ddy_out,),
        buffers=3,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    teacher: npt.NDArray[Any],
    m_2: npt.NDArray[Any],
    m: npt.NDArray[Any],
    inv_Z: npt.NDArray[Any],
    inv_Z_2: npt.NDArray[Any],
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
    fields_ = (x, teacher, m_2, m, inv_Z, inv_Z_2)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, teacher, m_2, m, inv_Z, inv_Z_2)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "tvd")
    _calls.check_first_fields(saved, (True, True))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x, teacher=saved.teacher)
    _calls.check_kept(
        _shape[:-1], m_2=saved.m_2, m=saved.m, inv_Z=saved.inv_Z, inv_Z_2=saved.inv_Z_2
    )


INTERFACE: _interface.Interface = {
    "name": "tvd",
    "minimum_features": 1,
    "inputs": [_interface.given("x", "Row"), _interface.given("teacher", "Data")],
    "constants": [],
    "outputs": [_interface.output("y", "RowScalar")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("teacher", "input", ["...", "D"]),
        _interface.saved("m_2", "row scalar", ["..."]),
        _interface.saved("m", "row scalar", ["..."]),
        _interface.saved("inv_Z", "row scalar", ["..."]),
        _interface.saved("inv_Z_2", "row scalar", ["..."]),
    ],
    "gradients": [_interface.gradient("x")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class TVD(_modules.NumpyModule):
    """`tvd` as an object without parameters.

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
        self, x: npt.NDArray[Any], teacher: npt.NDArray[Any], *, save: bool = True
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, teacher, save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        found = self._gradients(dy)
        return found.dx
