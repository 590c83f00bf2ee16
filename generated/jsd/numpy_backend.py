# Made by lngen 0.1.0 from the definition of jsd; derivation.md has its steps, cost and evidence.
# Do not edit; edit jsd.py and run: lngen derive jsd.py
# definition sha256:b28d007ce999de73cc9db154c53ebf5b3ccf610eafe7fdebb5114df4ab0d0ea6
"""Generalized Jensen-Shannon divergence of a teacher's and a student's softmax, one number a row.

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
    beta: float  # constant beta of forward
    m_2: npt.NDArray[Any]  # row scalar m_2, one per row
    log_Z: npt.NDArray[Any]  # row scalar log_Z, one per row
    m: npt.NDArray[Any]  # row scalar m, one per row
    inv_Z: npt.NDArray[Any]  # row scalar inv_Z, one per row
    inv_Z_2: npt.NDArray[Any]  # row scalar inv_Z_2, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    teacher: npt.NDArray[Any],
    *,
    beta: float = 0.5,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    teacher: npt.NDArray[Any],
    *,
    beta: float = 0.5,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    teacher: npt.NDArray[Any],
    *,
    beta: float = 0.5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Generalized Jensen-Shannon divergence of a teacher's and a student's softmax, one number a row.

        m_2 = max(x)
        exp_shifted = exp(x - m_2)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        logq = x - m_2 - log_Z
        m = max(teacher)
        exp_shifted_2 = exp(teacher - m)
        Z_2 = sum(exp_shifted_2)
        log_Z_2 = log(Z_2)
        logp = teacher - m - log_Z_2
        inv_Z = 1/Z
        q = inv_Z*exp_shifted
        inv_Z_2 = 1/Z_2
        p = inv_Z_2*exp_shifted_2
        u = beta*p + q*(1 - beta)
        logm = log(u)
        y = sum(beta*p*(logp - logm) + q*(1 - beta)*(logq - logm))

    Args:
        x: shape (..., D).
        teacher: shape (..., D), without a gradient.
        beta: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has one value per row, shape x.shape[:-1]. `saved` is the
    argument of the other directions. The compute type is the widest among the
    inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, teacher, beta, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    teacher: Any,
    beta: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    beta = _calls.constant("beta", beta, signed=False)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    teacher = _calls.array("teacher", teacher, True, may_be_labels=True)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape, "the shape of x", teacher=teacher)
    _read = {"x": x, "teacher": teacher}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape[:-1], x.dtype, _read, _by.empty)
    m_2_ = _by.empty(_shape[:-1], _dtype)
    log_Z_ = _by.empty(_shape[:-1], _dtype)
    m_ = _by.empty(_shape[:-1], _dtype)
    inv_Z_ = _by.empty(_shape[:-1], _dtype)
    inv_Z_2_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, m_2_, log_Z_, m_, inv_Z_, inv_Z_2_),
        _blocks.Work(_shape, _dtype, threads),
        (x, teacher, beta),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(
            _shape,
            _dtype,
            _dtypes,
            x,
            teacher,
            beta,
            m_2_,
            log_Z_,
            m_,
            inv_Z_,
            inv_Z_2_,
        )
        if save
        else None
    )
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, teacher_rows, beta = values
    y_out, m_2_out, log_Z_out, m_out, inv_Z_out, inv_Z_2_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    beta = np.asarray(beta, dtype)
    # step 19, pass 1: u = exp_shifted_2*inv_Z_2*beta + exp_shifted*inv_Z*(1 - beta)
    part_2 = 1.0 - beta

    def block(x, teacher, buffers=(None,) * 6):
        # step 1: m_2 = max(x)
        m_2 = _rows.shift(x)
        # step 7: m = max(teacher)
        m = _rows.shift(teacher)
        # step 2: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[1])
        # step 4: Z = sum(exp_shifted)
        Z = _rows.row_dot(exp_shifted, ones)
        # step 8: teacher_shifted = teacher - m
        teacher_shifted = _rows.by_row(np.subtract, teacher, m, out=buffers[2])
        # step 9: exp_shifted_2 = exp(teacher_shifted)
        exp_shifted_2 = np.exp(teacher_shifted, out=buffers[3])
        # step 10: Z_2 = sum(exp_shifted_2)
        Z_2 = _rows.row_dot(exp_shifted_2, ones)
        # step 5: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 11: log_Z_2 = log(Z_2)
        log_Z_2 = np.log(Z_2)
        # step 13: inv_Z = 1/Z
        inv_Z = np.reciprocal(Z)
        # step 16: inv_Z_2 = 1/Z_2
        inv_Z_2 = np.reciprocal(Z_2)
        # step 6: logq = x_shifted - log_Z
        logq = np.subtract(x_shifted, log_Z, out=x_shifted)
        # step 12: logp = teacher_shifted - log_Z_2
        logp = np.subtract(teacher_shifted, log_Z_2, out=teacher_shifted)
        # step 19, pass 1: u = exp_shifted_2*inv_Z_2*beta + exp_shifted*inv_Z*(1 - beta)
        part = inv_Z_2 * beta
        u = _rows.by_row(np.multiply, exp_shifted_2, part, out=buffers[4])
        part_3 = inv_Z * part_2
        part_4 = _rows.by_row(np.multiply, exp_shifted, part_3, out=buffers[5])
        u = np.add(u, part_4, out=u)
        # step 20: logm = log(u)
        logm = np.log(u, out=u)
        # step 21, pass 2: total = (logp - logm)*exp_shifted_2*inv_Z_2*beta + (logq -
        #   logm)*exp_shifted*inv_Z*(1 - beta)
        total = np.subtract(logp, logm, out=logp)
        total = np.multiply(total, exp_shifted_2, out=total)
        total = np.multiply(total, part, out=total)
        part_5 = np.subtract(logq, logm, out=logq)
        part_5 = np.multiply(part_5, exp_shifted, out=part_5)
        part_5 = np.multiply(part_5, part_3, out=part_5)
        total = np.add(total, part_5, out=part_5)
        # step 22: y = sum(total)
        y = _rows.row_dot(total, ones)
        return (
            y[..., 0],
            m_2[..., 0],
            log_Z[..., 0],
            m[..., 0],
            inv_Z[..., 0],
            inv_Z_2[..., 0],
        )

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows),
        into_row_scalars=(y_out, m_2_out, log_Z_out, m_out, inv_Z_out, inv_Z_2_out),
        buffers=6,
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = dy*(1 - beta)*(logq + (beta*(q - p) - q)/u - logm)
        dx = q*(g - sum(g*q))

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
        "saved.log_Z": saved.log_Z,
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
        (
            saved.x,
            saved.teacher,
            saved.beta,
            saved.m_2,
            saved.log_Z,
            saved.m,
            saved.inv_Z,
            saved.inv_Z_2,
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
        beta,
        m_2_rows,
        log_Z_rows,
        m_rows,
        inv_Z_rows,
        inv_Z_2_rows,
    ) = fields
    (dx_out,) = results
    _, dtype, _ = call
    beta = np.asarray(beta, dtype)
    # step 50, pass 3: beta_scaled = dy*(1 - beta)
    part = 1.0 - beta

    def block(
        x,
        teacher,
        dy,
        m_2,
        log_Z,
        m,
        inv_Z,
        inv_Z_2,
        dx_block=None,
        buffers=(None,) * 4,
    ):
        # step 50, pass 3: beta_scaled = dy*(1 - beta)
        beta_scaled = dy * part
        # step 2: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[0])
        # step 6: logq = x_shifted - log_Z
        logq = np.subtract(x_shifted, log_Z, out=x_shifted)
        # step 8: teacher_shifted = teacher - m
        teacher_shifted = _rows.by_row(np.subtract, teacher, m, out=buffers[1])
        # step 9: exp_shifted_2 = exp(teacher_shifted)
        exp_shifted_2 = np.exp(teacher_shifted, out=teacher_shifted)
        # step 15: q = exp_shifted*inv_Z
        q = np.multiply(exp_shifted, inv_Z, out=exp_shifted)
        # step 18: p = exp_shifted_2*inv_Z_2
        p = np.multiply(exp_shifted_2, inv_Z_2, out=exp_shifted_2)
        # step 19: u = p*beta + q*(1 - beta)
        u = np.multiply(p, beta, out=buffers[2])
        part_2 = np.multiply(q, part, out=buffers[3])
        u = np.add(u, part_2, out=u)
        # step 20: logm = log(u)
        logm = np.log(u, out=buffers[3])
        # step 50, pass 4: g = (logq + ((q - p)*beta - q)/u - logm)*beta_scaled
        g = np.subtract(q, p, out=p)
        g = np.multiply(g, beta, out=g)
        g = np.subtract(g, q, out=g)
        g = np.divide(g, u, out=g)
        g = np.add(logq, g, out=logq)
        g = np.subtract(g, logm, out=g)
        g = np.multiply(g, beta_scaled, out=g)
        # step 67: sum_g_q = sum(g*q)
        sum_g_q = _rows.row_dot(g, q)
        # step 67: dx = (g - sum_g_q)*q
        dx = np.subtract(g, sum_g_q, out=g)
        dx = np.multiply(dx, q, out=dx)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows),
        row_scalars=(dy_rows, m_2_rows, log_Z_rows, m_rows, inv_Z_rows, inv_Z_2_rows),
        into=(dx_out,),
        buffers=4,
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        exp_shifted_dot = exp_shifted*x_dot
        Z_dot = sum(exp_shifted_dot)
        log_Z_dot = Z_dot*inv_Z
        logq_dot = x_dot - log_Z_dot
        inv_Z_dot = -Z_dot*inv_Z**2
        q_dot = inv_Z_dot*exp_shifted + inv_Z*exp_shifted_dot
        u_dot = q_dot*(1 - beta)
        logm_dot = u_dot/u
        total_dot = logq_dot*q*(1 - beta) + q_dot*(1 - beta)*(logq - logm) +
            (-logm_dot*(beta*p + q*(1 - beta)))
        y_dot = sum(total_dot)

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
        "saved.log_Z": saved.log_Z,
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
        (
            saved.x,
            saved.teacher,
            saved.beta,
            saved.m_2,
            saved.log_Z,
            saved.m,
            saved.inv_Z,
            saved.inv_Z_2,
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
        beta,
        m_2_rows,
        log_Z_rows,
        m_rows,
        inv_Z_rows,
        inv_Z_2_rows,
    ) = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    beta = np.asarray(beta, dtype)
    # step 19, pass 1: u = exp_shifted_2*inv_Z_2*beta + exp_shifted*inv_Z*(1 - beta)
    part_2 = 1.0 - beta

    def block(x, teacher, x_dot, m_2, log_Z, m, inv_Z, inv_Z_2, buffers=(None,) * 9):
        # step 2: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[1])
        # step 69: exp_shifted_dot = exp_shifted*x_dot
        exp_shifted_dot = np.multiply(exp_shifted, x_dot, out=buffers[2])
        # step 70: Z_dot = sum(exp_shifted_dot)
        Z_dot = _rows.row_dot(exp_shifted_dot, ones)
        # step 72: log_Z_dot = Z_dot*inv_Z
        log_Z_dot = Z_dot * inv_Z
        # step 75: inv_Z_dot = -Z_dot*inv_Z**2
        inv_Z_dot = np.negative(Z_dot * np.square(inv_Z))
        # step 6: logq = x_shifted - log_Z
        logq = np.subtract(x_shifted, log_Z, out=x_shifted)
        # step 8: teacher_shifted = teacher - m
        teacher_shifted = _rows.by_row(np.subtract, teacher, m, out=buffers[3])
        # step 9: exp_shifted_2 = exp(teacher_shifted)
        exp_shifted_2 = np.exp(teacher_shifted, out=teacher_shifted)
        # step 19, pass 1: u = exp_shifted_2*inv_Z_2*beta + exp_shifted*inv_Z*(1 - beta)
        part = np.multiply(exp_shifted_2, inv_Z_2 * beta, out=exp_shifted_2)
        part_3 = inv_Z * part_2
        part_4 = _rows.by_row(np.multiply, exp_shifted, part_3, out=buffers[4])
        u = np.add(part, part_4, out=buffers[5])
        # step 20: logm = log(u)
        logm = np.log(u, out=buffers[6])
        # step 73: logq_dot = x_dot - log_Z_dot
        logq_dot = _rows.by_row(np.subtract, x_dot, log_Z_dot, out=buffers[7])
        # step 76: q_dot = exp_shifted_dot*inv_Z + exp_shifted*inv_Z_dot
        q_dot = np.multiply(exp_shifted_dot, inv_Z, out=exp_shifted_dot)
        part_5 = _rows.by_row(np.multiply, exp_shifted, inv_Z_dot, out=buffers[8])
        q_dot = np.add(q_dot, part_5, out=q_dot)
        # step 77: u_dot = q_dot*(1 - beta)
        u_dot = np.multiply(q_dot, part_2, out=buffers[8])
        # step 78: logm_dot = u_dot/u
        logm_dot = np.divide(u_dot, u, out=u)
        # step 79, pass 5: total_dot = exp_shifted*logq_dot*inv_Z*(1 - beta) + (logq -
        #   logm)*q_dot*(1 - beta) + (-exp_shifted_2*inv_Z_2*beta - exp_shifted*inv_Z*(1
        #   - beta))*logm_dot
        total_dot = np.multiply(exp_shifted, logq_dot, out=exp_shifted)
        total_dot = np.multiply(total_dot, part_3, out=total_dot)
        part_6 = np.subtract(logq, logm, out=logq)
        part_6 = np.multiply(part_6, q_dot, out=part_6)
        part_6 = np.multiply(part_6, part_2, out=part_6)
        total_dot = np.add(total_dot, part_6, out=part_6)
        part_7 = np.negative(part, out=buffers[1])
        part_7 = np.subtract(part_7, part_4, out=part_7)
        part_7 = np.multiply(part_7, logm_dot, out=part_7)
        total_dot = np.add(total_dot, part_7, out=total_dot)
        # step 80: y_dot = sum(total_dot)
        y_dot = _rows.row_dot(total_dot, ones)
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows, x_dot_rows),
        row_scalars=(m_2_rows, log_Z_rows, m_rows, inv_Z_rows, inv_Z_2_rows),
        into_row_scalars=(y_dot_out,),
        buffers=9,
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

        g = dy*(1 - beta)*(logq + (beta*(q - p) - q)/u - logm)
        mean_g_q = mean(g*q)
        dmean_g_q = sum(-D*ddx*q)
        dg = ddx*q + dmean_g_q*q/D
        d2logm = -dy*dg*(1 - beta)
        d2u = d2logm/u - dy*dg*(1 - beta)*(beta*(q - p) - q)/u**2
        d2q = d2u*(1 - beta) + dmean_g_q*g/D + ddx*(g - D*mean_g_q) + dy*dg*(1 -
            beta)*(beta - 1)/u
        d2inv_Z = sum(d2q*exp_shifted)
        d2logq = dy*dg*(1 - beta)
        d2log_Z = sum(-d2logq)
        d2Z = d2log_Z*inv_Z - d2inv_Z*inv_Z**2
        d2exp_shifted = inv_Z*d2q + d2Z
        d2x = d2logq + d2exp_shifted*exp_shifted
        ddy = sum(dg*(1 - beta)*(logq + (beta*(q - p) - q)/u - logm))

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
        "saved.log_Z": saved.log_Z,
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
        (
            saved.x,
            saved.teacher,
            saved.beta,
            saved.m_2,
            saved.log_Z,
            saved.m,
            saved.inv_Z,
            saved.inv_Z_2,
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
        beta,
        m_2_rows,
        log_Z_rows,
        m_rows,
        inv_Z_rows,
        inv_Z_2_rows,
    ) = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    beta = np.asarray(beta, dtype)
    # step 81, pass 6: beta_scaled = dy*(1 - beta)
    part = 1.0 - beta
    # step 89, pass 7: beta_scaled_2 = dy*(1 - beta)*(beta - 1)
    part_2 = part * (beta - 1.0)
    # step 84: dmean_g_q = sum(-ddx*q*D)
    part_4 = np.negative(D)

    def block(
        x,
        teacher,
        ddx,
        dy,
        m_2,
        log_Z,
        m,
        inv_Z,
        inv_Z_2,
        dx_block=None,
        buffers=(None,) * 7,
    ):
        # step 81, pass 6: beta_scaled = dy*(1 - beta)
        beta_scaled = dy * part
        # step 89, pass 7: beta_scaled_2 = dy*(1 - beta)*(beta - 1)
        beta_scaled_2 = dy * part_2
        # step 2: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[0])
        # step 6: logq = x_shifted - log_Z
        logq = np.subtract(x_shifted, log_Z, out=x_shifted)
        # step 8: teacher_shifted = teacher - m
        teacher_shifted = _rows.by_row(np.subtract, teacher, m, out=buffers[1])
        # step 9: exp_shifted_2 = exp(teacher_shifted)
        exp_shifted_2 = np.exp(teacher_shifted, out=teacher_shifted)
        # step 15: q = exp_shifted*inv_Z
        q = _rows.by_row(np.multiply, exp_shifted, inv_Z, out=buffers[2])
        # step 84: dmean_g_q = sum(-ddx*q*D)
        part_3 = np.multiply(ddx, q, out=buffers[3])
        part_5 = np.multiply(part_3, part_4, out=buffers[4])
        dmean_g_q = _rows.row_dot(part_5, ones)
        # step 18: p = exp_shifted_2*inv_Z_2
        p = np.multiply(exp_shifted_2, inv_Z_2, out=exp_shifted_2)
        # step 19: u = p*beta + q*(1 - beta)
        u = np.multiply(p, beta, out=buffers[4])
        part_6 = np.multiply(q, part, out=buffers[5])
        u = np.add(u, part_6, out=u)
        # step 20: logm = log(u)
        logm = np.log(u, out=buffers[5])
        # step 81, pass 8: g = (logq + ((q - p)*beta - q)/u - logm)*beta_scaled
        part_7 = np.subtract(q, p, out=p)
        part_7 = np.multiply(part_7, beta, out=part_7)
        part_7 = np.subtract(part_7, q, out=part_7)
        part_8 = np.divide(part_7, u, out=buffers[6])
        part_8 = np.add(logq, part_8, out=logq)
        part_8 = np.subtract(part_8, logm, out=part_8)
        g = _rows.by_row(np.multiply, part_8, beta_scaled, out=buffers[5])
        # step 82: mean_g_q = mean(g*q)
        mean_g_q = _rows.row_dot(g, q) / D
        # step 85, pass 9: dmean_g_q_scaled = dmean_g_q/D
        dmean_g_q_scaled = dmean_g_q / D
        # step 89, pass 10: mean_g_q_scaled = mean_g_q*D
        mean_g_q_scaled = mean_g_q * D
        # step 85, pass 11: dg = ddx*q + q*dmean_g_q_scaled
        dg = np.multiply(q, dmean_g_q_scaled, out=q)
        dg = np.add(part_3, dg, out=dg)
        # step 97: ddy = sum((logq + ((q - p)*beta - q)/u - logm)*dg*(1 - beta))
        part_9 = np.multiply(part_8, dg, out=part_8)
        part_9 = np.multiply(part_9, part, out=part_9)
        ddy = _rows.row_dot(part_9, ones)
        # step 87, pass 12: d2logm = -dg*beta_scaled
        d2logm = _rows.by_row(np.multiply, dg, np.negative(beta_scaled), out=dx_block)
        # step 88, pass 13: d2u = d2logm/u - ((q - p)*beta - q)*dg*beta_scaled/u**2
        d2u = np.divide(d2logm, u, out=d2logm)
        part_10 = np.multiply(part_7, dg, out=part_7)
        part_11 = np.square(u, out=buffers[3])
        part_10 = np.divide(part_10, part_11, out=part_10)
        part_10 = np.multiply(part_10, beta_scaled, out=part_10)
        d2u = np.subtract(d2u, part_10, out=d2u)
        # step 89, pass 14: d2q = g*dmean_g_q_scaled + dg*beta_scaled_2/u + d2u*(1 -
        #   beta) + (g - mean_g_q_scaled)*ddx
        d2q = _rows.by_row(np.multiply, g, dmean_g_q_scaled, out=buffers[1])
        part_12 = np.divide(dg, u, out=buffers[3])
        part_12 = np.multiply(part_12, beta_scaled_2, out=part_12)
        d2q = np.add(d2q, part_12, out=d2q)
        part_13 = np.multiply(d2u, part, out=d2u)
        d2q = np.add(d2q, part_13, out=part_13)
        part_14 = _rows.by_row(np.subtract, g, mean_g_q_scaled, out=buffers[1])
        part_14 = np.multiply(part_14, ddx, out=part_14)
        d2q = np.add(d2q, part_14, out=d2q)
        # step 90: d2inv_Z = sum(d2q*exp_shifted)
        d2inv_Z = _rows.row_dot(d2q, exp_shifted)
        # step 86, pass 15: d2logq = dg*beta_scaled
        d2logq = _rows.by_row(np.multiply, dg, beta_scaled, out=buffers[1])
        # step 91: d2log_Z = sum(-d2logq)
        part_15 = np.negative(d2logq, out=buffers[2])
        d2log_Z = _rows.row_dot(part_15, ones)
        # step 93: d2Z = d2log_Z*inv_Z - d2inv_Z*inv_Z**2
        d2Z = d2log_Z * inv_Z - d2inv_Z * np.square(inv_Z)
        # step 94: d2exp_shifted = d2q*inv_Z + d2Z
        d2exp_shifted = np.multiply(d2q, inv_Z, out=d2q)
        d2exp_shifted = np.add(d2exp_shifted, d2Z, out=d2exp_shifted)
        # step 96: d2x = d2logq + d2exp_shifted*exp_shifted
        d2x = np.multiply(d2exp_shifted, exp_shifted, out=d2exp_shifted)
        d2x = np.add(d2logq, d2x, out=d2x)
        return d2x, ddy[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, teacher_rows, ddx_rows),
        row_scalars=(dy_rows, m_2_rows, log_Z_rows, m_rows, inv_Z_rows, inv_Z_2_rows),
        into=(dx_out,),
        into_row_scalars=(ddy_out,),
        buffers=7,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    teacher: npt.NDArray[Any],
    beta: float,
    m_2: npt.NDArray[Any],
    log_Z: npt.NDArray[Any],
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
    fields_ = (x, teacher, beta, m_2, log_Z, m, inv_Z, inv_Z_2)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, teacher, beta, m_2, log_Z, m, inv_Z, inv_Z_2)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "jsd")
    _calls.check_first_fields(saved, (True, True))
    _calls.check_number("beta", saved.beta)
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x, teacher=saved.teacher)
    _calls.check_kept(
        _shape[:-1],
        m_2=saved.m_2,
        log_Z=saved.log_Z,
        m=saved.m,
        inv_Z=saved.inv_Z,
        inv_Z_2=saved.inv_Z_2,
    )


INTERFACE: _interface.Interface = {
    "name": "jsd",
    "minimum_features": 1,
    "inputs": [_interface.given("x", "Row"), _interface.given("teacher", "Data")],
    "constants": [_interface.constant("beta", default=0.5, sign="nonnegative")],
    "outputs": [_interface.output("y", "RowScalar")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("teacher", "input", ["...", "D"]),
        _interface.saved("beta", "constant", []),
        _interface.saved("m_2", "row scalar", ["..."]),
        _interface.saved("log_Z", "row scalar", ["..."]),
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


class JSD(_modules.NumpyModule):
    """`jsd` as an object without parameters.

    Args:
        beta: a constant, a finite number of 0 or more.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        beta: float = 0.5,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.beta = self._constant("beta", beta, False)

    def forward(
        self, x: npt.NDArray[Any], teacher: npt.NDArray[Any], *, save: bool = True
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, teacher, beta=self.beta, save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        found = self._gradients(dy)
        return found.dx
