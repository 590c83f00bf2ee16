# Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
# Do not edit; edit tvd.py and run: lngen derive tvd.py
# definition sha256:19ac4ec7bf4f3132606617eab619a4775839151a35595d1e2e232bc8d3477cbe
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
    inv_Z_2: npt.NDArray[Any]  # row scalar inv_Z_2, one per row
    inv_Z: npt.NDArray[Any]  # row scalar inv_Z, one per row


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
        Z_2 = sum(t_shifted)
        inv_Z_2 = 1/Z_2
        exp_shifted_2_scaled = inv_Z_2*t_shifted
        inv_Z = 1/Z
        exp_shifted_scaled = inv_Z*e_shifted
        sum_abs = sum(abs(exp_shifted_2_scaled - exp_shifted_scaled))
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
    inv_Z_2_ = _by.empty(_shape[:-1], _dtype)
    inv_Z_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, m_2_, m_, inv_Z_2_, inv_Z_),
        _blocks.Work(_shape, _dtype, threads),
        (x, teacher),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(_shape, _dtype, _dtypes, x, teacher, m_2_, m_, inv_Z_2_, inv_Z_)
        if save
        else None
    )
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, teacher_rows = values
    y_out, m_2_out, m_out, inv_Z_2_out, inv_Z_out = results
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
        # step 8: Z_2 = sum(t_shifted)
        Z_2 = _rows.row_dot(t_shifted, ones)
        # step 9: inv_Z_2 = 1/Z_2
        inv_Z_2 = np.reciprocal(Z_2)
        # step 11: inv_Z = 1/Z
        inv_Z = np.reciprocal(Z)
        # step 10: exp_shifted_2_scaled = t_shifted*inv_Z_2
        exp_shifted_2_scaled = np.multiply(t_shifted, inv_Z_2, out=t_shifted)
        # step 12: exp_shifted_scaled = e_shifted*inv_Z
        exp_shifted_scaled = np.multiply(e_shifted, inv_Z, out=e_shifted)
        # step 13: sum_abs = sum(abs(exp_shifted_2_scaled - exp_shifted_scaled))
        part = np.subtract(
            exp_shifted_2_scaled, exp_shifted_scaled, out=exp_shifted_scaled
        )
        part = np.absolute(part, out=part)
        sum_abs = _rows.row_dot(part, ones)
        # step 14: y = sum_abs/2
        y = sum_abs * 0.5
        return y[..., 0], m_2[..., 0], m[..., 0], inv_Z_2[..., 0], inv_Z[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows),
        into_row_scalars=(y_out, m_2_out, m_out, inv_Z_2_out, inv_Z_out),
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

        dx = dy*exp_shifted_scaled*(sum(exp_shifted_scaled*sign(exp_shifted_2_scaled - exp_shifted_scaled)) - sign(exp_shifted_2_scaled - exp_shifted_scaled))/2

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
        "saved.inv_Z_2": saved.inv_Z_2,
        "saved.inv_Z": saved.inv_Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dx_,) = _calls.results(out, _read, _by.empty, dx=(_shape, _of_x))
    _by.fill(
        (dx_,),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (saved.x, saved.teacher, saved.m_2, saved.m, saved.inv_Z_2, saved.inv_Z),
    )
    return Gradients(*_calls.returned((dx_,), out))


@np.errstate(under="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, teacher_rows, m_2_rows, m_rows, inv_Z_2_rows, inv_Z_rows = fields
    (dx_out,) = results

    def block(x, teacher, dy, m_2, m, inv_Z_2, inv_Z, dx_block=None, buffers=(None,)):
        # step 2: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=dx_block)
        # step 3: e_shifted = exp(x_shifted)
        e_shifted = np.exp(x_shifted, out=x_shifted)
        # step 5: teacher_shifted = teacher - m
        teacher_shifted = _rows.by_row(np.subtract, teacher, m, out=buffers[0])
        # step 6: t_shifted = exp(teacher_shifted)
        t_shifted = np.exp(teacher_shifted, out=teacher_shifted)
        # step 10: exp_shifted_2_scaled = t_shifted*inv_Z_2
        exp_shifted_2_scaled = np.multiply(t_shifted, inv_Z_2, out=t_shifted)
        # step 12: exp_shifted_scaled = e_shifted*inv_Z
        exp_shifted_scaled = np.multiply(e_shifted, inv_Z, out=e_shifted)
        # step 40: sum_exp_shifted_2_scaled_exp_shi =
        #   sum(exp_shifted_scaled*sign(exp_shifted_2_scaled - exp_shifted_scaled))
        part = np.subtract(
            exp_shifted_2_scaled, exp_shifted_scaled, out=exp_shifted_2_scaled
        )
        part = np.sign(part, out=part)
        sum_exp_shifted_2_scaled_exp_shi = _rows.row_dot(exp_shifted_scaled, part)
        # step 40, pass 1: sum_exp_shifted_2_scaled_exp_shi_2 =
        #   sum_exp_shifted_2_scaled_exp_shi/2
        sum_exp_shifted_2_scaled_exp_shi_2 = sum_exp_shifted_2_scaled_exp_shi * 0.5
        # step 40, pass 2: dx = exp_shifted_scaled*(sum_exp_shifted_2_scaled_exp_shi_2 -
        #   sign(exp_shifted_2_scaled - exp_shifted_scaled)/2)*dy
        dx = np.multiply(part, 0.5, out=part)
        dx = np.subtract(sum_exp_shifted_2_scaled_exp_shi_2, dx, out=dx)
        dx = np.multiply(exp_shifted_scaled, dx, out=exp_shifted_scaled)
        dx = np.multiply(dx, dy, out=dx)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows),
        row_scalars=(dy_rows, m_2_rows, m_rows, inv_Z_2_rows, inv_Z_rows),
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

        y_dot =
            D*(sum(exp_shifted_scaled*x_dot)*mean(exp_shifted_scaled*sign(exp_shifted_2_scaled
            - exp_shifted_scaled)) -
            mean(exp_shifted_scaled*x_dot*sign(exp_shifted_2_scaled -
            exp_shifted_scaled)))/2

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
        "saved.inv_Z_2": saved.inv_Z_2,
        "saved.inv_Z": saved.inv_Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape[:-1], _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot,),
        (saved.x, saved.teacher, saved.m_2, saved.m, saved.inv_Z_2, saved.inv_Z),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    x_rows, teacher_rows, m_2_rows, m_rows, inv_Z_2_rows, inv_Z_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(x, teacher, x_dot, m_2, m, inv_Z_2, inv_Z, buffers=(None,) * 3):
        # step 2: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=buffers[0])
        # step 3: e_shifted = exp(x_shifted)
        e_shifted = np.exp(x_shifted, out=x_shifted)
        # step 5: teacher_shifted = teacher - m
        teacher_shifted = _rows.by_row(np.subtract, teacher, m, out=buffers[1])
        # step 6: t_shifted = exp(teacher_shifted)
        t_shifted = np.exp(teacher_shifted, out=teacher_shifted)
        # step 10: exp_shifted_2_scaled = t_shifted*inv_Z_2
        exp_shifted_2_scaled = np.multiply(t_shifted, inv_Z_2, out=t_shifted)
        # step 12: exp_shifted_scaled = e_shifted*inv_Z
        exp_shifted_scaled = np.multiply(e_shifted, inv_Z, out=e_shifted)
        # step 49: mean_exp_shifted_2_scaled_ex_dot =
        #   mean(exp_shifted_scaled*sign(exp_shifted_2_scaled -
        #   exp_shifted_scaled)*x_dot)
        part = np.subtract(
            exp_shifted_2_scaled, exp_shifted_scaled, out=exp_shifted_2_scaled
        )
        part = np.sign(part, out=part)
        part_2 = np.multiply(exp_shifted_scaled, part, out=buffers[2])
        part_2 = np.multiply(part_2, x_dot, out=part_2)
        mean_exp_shifted_2_scaled_ex_dot = _rows.row_dot(part_2, one_over_D)
        # step 49: sum_exp_shifted_scaled_x_dot = sum(exp_shifted_scaled*x_dot)
        sum_exp_shifted_scaled_x_dot = _rows.row_dot(exp_shifted_scaled, x_dot)
        # step 49: mean_exp_shifted_2_scaled_exp_sh =
        #   mean(exp_shifted_scaled*sign(exp_shifted_2_scaled - exp_shifted_scaled))
        mean_exp_shifted_2_scaled_exp_sh = _rows.row_dot(exp_shifted_scaled, part) / D
        # step 49: y_dot =
        #   (mean_exp_shifted_2_scaled_exp_sh*sum_exp_shifted_scaled_x_dot/2 -
        #   mean_exp_shifted_2_scaled_ex_dot/2)*D
        y_dot = (
            mean_exp_shifted_2_scaled_exp_sh * sum_exp_shifted_scaled_x_dot * 0.5
            - mean_exp_shifted_2_scaled_ex_dot * 0.5
        ) * D
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows, x_dot_rows),
        row_scalars=(m_2_rows, m_rows, inv_Z_2_rows, inv_Z_rows),
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

        mean_exp_shifted_scaled_sign = mean(exp_shifted_scaled*sign(exp_shifted_2_scaled
            - exp_shifted_scaled))
        d2exp_shifted_scaled_part = dy*ddx*(D*mean_exp_shifted_scaled_sign -
            sign(exp_shifted_2_scaled - exp_shifted_scaled))/2
        d2x = exp_shifted_scaled*(d2exp_shifted_scaled_part +
            dy*sum(ddx*exp_shifted_scaled)*(sign(exp_shifted_2_scaled -
            exp_shifted_scaled) - D*mean_exp_shifted_scaled_sign)/2 -
            sum(d2exp_shifted_scaled_part*exp_shifted_scaled))
        ddy = sum(ddx*exp_shifted_scaled*(D*mean_exp_shifted_scaled_sign -
            sign(exp_shifted_2_scaled - exp_shifted_scaled))/2)

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
        "saved.inv_Z_2": saved.inv_Z_2,
        "saved.inv_Z": saved.inv_Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, ddy_ = _calls.results(
        out, _read, _by.empty, dx=(_shape, _of_x), ddy=(_shape[:-1], dy.dtype)
    )
    _by.fill(
        (dx_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddx),
        (saved.x, saved.teacher, saved.m_2, saved.m, saved.inv_Z_2, saved.inv_Z),
    )
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


@np.errstate(under="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    x_rows, teacher_rows, m_2_rows, m_rows, inv_Z_2_rows, inv_Z_rows = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    # step 52, pass 3: mean_exp_shifted_scaled_sign_sca =
    #   mean_exp_shifted_scaled_sign*D/2
    part_2 = 0.5 * D
    # step 61, pass 5: mean_exp_shifted_scaled_sign_sca_2 =
    #   -mean_exp_shifted_scaled_sign*D/2
    part_3 = -0.5 * D

    def block(
        x, teacher, ddx, dy, m_2, m, inv_Z_2, inv_Z, dx_block=None, buffers=(None,) * 3
    ):
        # step 2: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=dx_block)
        # step 3: e_shifted = exp(x_shifted)
        e_shifted = np.exp(x_shifted, out=x_shifted)
        # step 5: teacher_shifted = teacher - m
        teacher_shifted = _rows.by_row(np.subtract, teacher, m, out=buffers[0])
        # step 6: t_shifted = exp(teacher_shifted)
        t_shifted = np.exp(teacher_shifted, out=teacher_shifted)
        # step 10: exp_shifted_2_scaled = t_shifted*inv_Z_2
        exp_shifted_2_scaled = np.multiply(t_shifted, inv_Z_2, out=t_shifted)
        # step 12: exp_shifted_scaled = e_shifted*inv_Z
        exp_shifted_scaled = np.multiply(e_shifted, inv_Z, out=e_shifted)
        # step 50: mean_exp_shifted_scaled_sign =
        #   mean(exp_shifted_scaled*sign(exp_shifted_2_scaled - exp_shifted_scaled))
        part = np.subtract(
            exp_shifted_2_scaled, exp_shifted_scaled, out=exp_shifted_2_scaled
        )
        part = np.sign(part, out=part)
        mean_exp_shifted_scaled_sign = _rows.row_dot(exp_shifted_scaled, part) / D
        # step 61: sum_ddx_exp_shifted_scaled = sum(ddx*exp_shifted_scaled)
        sum_ddx_exp_shifted_scaled = _rows.row_dot(ddx, exp_shifted_scaled)
        # step 52, pass 3: mean_exp_shifted_scaled_sign_sca =
        #   mean_exp_shifted_scaled_sign*D/2
        mean_exp_shifted_scaled_sign_sca = mean_exp_shifted_scaled_sign * part_2
        # step 61, pass 4: sum_ddx_exp_shifted_scaled_scale =
        #   dy*sum_ddx_exp_shifted_scaled
        sum_ddx_exp_shifted_scaled_scale = dy * sum_ddx_exp_shifted_scaled
        # step 61, pass 5: mean_exp_shifted_scaled_sign_sca_2 =
        #   -mean_exp_shifted_scaled_sign*D/2
        mean_exp_shifted_scaled_sign_sca_2 = mean_exp_shifted_scaled_sign * part_3
        # step 62, pass 6: ddy =
        #   sum(ddx*exp_shifted_scaled*(mean_exp_shifted_scaled_sign_sca -
        #   sign(exp_shifted_2_scaled - exp_shifted_scaled)/2))
        part_4 = np.multiply(ddx, exp_shifted_scaled, out=buffers[1])
        part_5 = np.multiply(part, 0.5, out=part)
        part_6 = np.subtract(mean_exp_shifted_scaled_sign_sca, part_5, out=buffers[2])
        part_4 = np.multiply(part_4, part_6, out=part_4)
        ddy = _rows.row_dot(part_4, ones)
        # step 61, pass 7: sum_d2exp_shifted_scaled_part_ex = ddy*dy
        sum_d2exp_shifted_scaled_part_ex = ddy * dy
        # step 52, pass 8: d2exp_shifted_scaled_part =
        #   ddx*(mean_exp_shifted_scaled_sign_sca - sign(exp_shifted_2_scaled -
        #   exp_shifted_scaled)/2)*dy
        d2exp_shifted_scaled_part = np.multiply(ddx, part_6, out=buffers[1])
        d2exp_shifted_scaled_part = np.multiply(
            d2exp_shifted_scaled_part, dy, out=d2exp_shifted_scaled_part
        )
        # step 61, pass 9: d2x = (d2exp_shifted_scaled_part + (sign(exp_shifted_2_scaled
        #   - exp_shifted_scaled)/2 +
        #   mean_exp_shifted_scaled_sign_sca_2)*sum_ddx_exp_shifted_scaled_scale -
        #   sum_d2exp_shifted_scaled_part_ex)*exp_shifted_scaled
        d2x = np.add(part_5, mean_exp_shifted_scaled_sign_sca_2, out=part_5)
        d2x = np.multiply(d2x, sum_ddx_exp_shifted_scaled_scale, out=d2x)
        d2x = np.add(d2exp_shifted_scaled_part, d2x, out=d2x)
        d2x = np.subtract(d2x, sum_d2exp_shifted_scaled_part_ex, out=d2x)
        d2x = np.multiply(d2x, exp_shifted_scaled, out=exp_shifted_scaled)
        return d2x, ddy[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows, ddx_rows),
        row_scalars=(dy_rows, m_2_rows, m_rows, inv_Z_2_rows, inv_Z_rows),
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
    inv_Z_2: npt.NDArray[Any],
    inv_Z: npt.NDArray[Any],
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
    fields_ = (x, teacher, m_2, m, inv_Z_2, inv_Z)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, teacher, m_2, m, inv_Z_2, inv_Z)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "tvd")
    _calls.check_first_fields(saved, (True, True))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x, teacher=saved.teacher)
    _calls.check_kept(
        _shape[:-1], m_2=saved.m_2, m=saved.m, inv_Z_2=saved.inv_Z_2, inv_Z=saved.inv_Z
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
        _interface.saved("inv_Z_2", "row scalar", ["..."]),
        _interface.saved("inv_Z", "row scalar", ["..."]),
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
