# Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
# mypy: ignore-errors
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def tanh(u):
    """The hyperbolic tangent: near 0 a continued fraction, where 1 - 2/(exp(2*u) + 1) would cancel."""
    s, size = u*u, tl.abs(u)
    near = u*(135135 + s*(17325 + s*(378 + s)))/(135135 + s*(62370 + s*(3150 + s*28)))
    far = 1 - 2/(tl.exp(2*size) + 1)
    return tl.where(size < 0.5, near, tl.where(u < 0, -far, far))


@triton.jit
def expm1(u):
    """exp(u) - 1, without cancellation near 0."""
    t = tanh(tl.minimum(tl.maximum(u, -1.0), 1.0)*0.5)
    return tl.where(tl.abs(u) < 1, 2*t/(1 - t), tl.exp(u) - 1)


@triton.jit
def power(u, p):
    """u**p for u >= 0."""
    at_zero = tl.where(p == 0, 1.0, tl.where(p > 0, 0.0, float("inf")))
    return tl.where(u == 0, at_zero, tl.exp2(p*tl.log2(u)))


@triton.jit
def finite_or_zero(u):
    """The number that exponents are shifted by: inf - inf would be NaN."""
    return tl.where(tl.abs(u) == float("inf"), 0.0, u)


@triton.jit(do_not_specialize=["rows"])
def focal_loss_forward(
    x_ptr,
    label_ptr,
    gamma: tl.float64,
    y_ptr,
    m_ptr,
    Z_ptr,
    logpt_ptr,
    expm1_logpt_ptr,
    power_expm1_logpt_ptr,
    x_stride,
    x_step,
    label_stride,
    rows,
    D,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """m = max(x)
    exp_shifted = exp(x - m)
    Z = sum(exp_shifted)
    log_Z = log(Z)
    logp = x - m - log_Z
    logpt = sum(where(index() == label, logp, 0))
    expm1_logpt = expm1(logpt)
    power_expm1_logpt = (-expm1_logpt)**gamma
    y = -logpt*power_expm1_logpt
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    gamma = tl.full([1, 1], gamma, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        m_max = tl.full([ROWS, TILE], -float("inf"), A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            m_max = tl.maximum(m_max, tl.where(inside, x, -float("inf")))
        m = finite_or_zero(tl.max(m_max, 1, keep_dims=True))  # step 1: max(x)
        Z_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            Z_sum += tl.where(inside, exp_shifted, 0.0)
        Z = tl.sum(Z_sum, 1, keep_dims=True)  # step 4: sum(exp_shifted)
        log_Z = tl.log(Z)  # step 5
        inside_there = there & (label >= 0) & (label < D)
        x_there = tl.load(x_row + label*x_step, inside_there, 0).to(A)
        x_shifted_there = x_there - m  # step 2
        logp_there = x_shifted_there - log_Z  # step 6
        logpt = tl.where(inside_there, logp_there, 0.0)  # step 7
        expm1_logpt = expm1(logpt)  # step 8
        power_expm1_logpt = power(-expm1_logpt, gamma)  # step 9
        y = -logpt*power_expm1_logpt  # step 10
        tl.store(y_ptr + row, y, there)
        if SAVE:
            tl.store(m_ptr + row, m, there)
            tl.store(Z_ptr + row, Z, there)
            tl.store(logpt_ptr + row, logpt, there)
            tl.store(expm1_logpt_ptr + row, expm1_logpt, there)
            tl.store(power_expm1_logpt_ptr + row, power_expm1_logpt, there)


@triton.jit(do_not_specialize=["rows"])
def focal_loss_backward(
    x_ptr,
    label_ptr,
    dy_ptr,
    m_ptr,
    Z_ptr,
    logpt_ptr,
    expm1_logpt_ptr,
    power_expm1_logpt_ptr,
    gamma: tl.float64,
    dx_ptr,
    x_stride,
    x_step,
    label_stride,
    dy_stride,
    rows,
    D,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """p = exp_shifted/Z
    dx = where(index() == label, where(gamma == 0, 0,
        gamma*dy*logpt*exp(logpt)*(-expm1_logpt)**(gamma - 1)) -
        dy*power_expm1_logpt, 0) + where(label >= 0, where(label < D,
        dy*power_expm1_logpt*p + where(gamma == 0, 0,
        -gamma*dy*logpt*p*exp(logpt)*(-expm1_logpt)**(gamma - 1)), 0), 0)
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    gamma = tl.full([1, 1], gamma, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dx_row = dx_ptr + row*D
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        logpt = tl.load(logpt_ptr + row, there, 0).to(A)
        expm1_logpt = tl.load(expm1_logpt_ptr + row, there, 0).to(A)
        power_expm1_logpt = tl.load(power_expm1_logpt_ptr + row, there, 0).to(A)
        # step 31, pass 1: once a row
        power_expm1_logpt_shifted = (
            tl.where(
                gamma == 0,
                0,
                power(-expm1_logpt, gamma - 1)*dy*tl.exp(logpt)*logpt*gamma,
            )
            - dy*power_expm1_logpt
        )
        power_expm1_logpt_scaled = dy*power_expm1_logpt/Z  # step 31, pass 2: once a row
        # step 31, pass 3: once a row
        expm1_logpt_scaled = power(-expm1_logpt, gamma - 1)*dy*tl.exp(
            logpt
        )*logpt*gamma/Z
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            # step 31, pass 4: once a row
            dx = tl.where(d == label, power_expm1_logpt_shifted, 0) + tl.where(
                label >= 0,
                tl.where(
                    label < D,
                    exp_shifted*power_expm1_logpt_scaled
                    + tl.where(gamma == 0, 0, -exp_shifted*expm1_logpt_scaled),
                    0,
                ),
                0,
            )
            tl.store(dx_row + d, dx, inside)


@triton.jit(do_not_specialize=["rows"])
def focal_loss_jvp(
    x_ptr,
    label_ptr,
    x_dot_ptr,
    m_ptr,
    Z_ptr,
    logpt_ptr,
    expm1_logpt_ptr,
    power_expm1_logpt_ptr,
    gamma: tl.float64,
    y_dot_ptr,
    x_stride,
    x_step,
    label_stride,
    x_dot_stride,
    x_dot_step,
    rows,
    D,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """p = exp_shifted/Z
    log_Z_dot = sum(p*x_dot)
    y_dot = where(gamma == 0, 0, gamma*logpt*(-expm1_logpt)**(gamma -
        1)*sum(where(index() == label, exp(logpt)*(x_dot - log_Z_dot), 0))) -
        power_expm1_logpt*sum(where(index() == label, x_dot - log_Z_dot, 0))
    """
    x_stride = x_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    gamma = tl.full([1, 1], gamma, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        logpt = tl.load(logpt_ptr + row, there, 0).to(A)
        expm1_logpt = tl.load(expm1_logpt_ptr + row, there, 0).to(A)
        power_expm1_logpt = tl.load(power_expm1_logpt_ptr + row, there, 0).to(A)
        logpt_shifted = tl.exp(logpt)  # step 45, pass 5: once a row
        sum_exp_shifted_x_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            sum_exp_shifted_x_dot_sum += tl.where(
                inside, exp_shifted*(x_dot if HAS_x_dot else 0.0), 0.0
            )
        # step 38, pass 6: sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = tl.sum(sum_exp_shifted_x_dot_sum, 1, keep_dims=True)
        log_Z_dot = sum_exp_shifted_x_dot/Z  # step 38, pass 7: written out
        inside_there = there & (label >= 0) & (label < D)
        x_dot_there = (
            tl.load(x_dot_row + label*x_dot_step, inside_there, 0).to(A)
            if HAS_x_dot
            else 0.0
        )
        sum_index_x_dot_part = 0.0
        if HAS_x_dot:
            sum_index_x_dot_part += x_dot_there
        sum_index_x_dot_part -= log_Z_dot
        sum_index_x_dot = tl.where(inside_there, sum_index_x_dot_part, 0.0)  # step 45
        inside_there = there & (label >= 0) & (label < D)
        x_dot_there = (
            tl.load(x_dot_row + label*x_dot_step, inside_there, 0).to(A)
            if HAS_x_dot
            else 0.0
        )
        sum_index_x_dot_2_part = 0.0
        if HAS_x_dot:
            sum_index_x_dot_2_part += x_dot_there
        sum_index_x_dot_2_part -= log_Z_dot
        # step 45, pass 8: sum(where(index() == label, (x_dot - log_Z_dot)*logpt_shifted, 0))
        sum_index_x_dot_2 = tl.where(
            inside_there, sum_index_x_dot_2_part*logpt_shifted, 0.0
        )
        # step 45
        y_dot = (
            tl.where(
                gamma == 0,
                0,
                power(-expm1_logpt, gamma - 1)*logpt*sum_index_x_dot_2*gamma,
            )
            - power_expm1_logpt*sum_index_x_dot
        )
        tl.store(y_dot_ptr + row, y_dot, there)


@triton.jit(do_not_specialize=["rows"])
def focal_loss_backward_backward(
    x_ptr,
    label_ptr,
    dy_ptr,
    ddx_ptr,
    m_ptr,
    Z_ptr,
    logpt_ptr,
    expm1_logpt_ptr,
    power_expm1_logpt_ptr,
    gamma: tl.float64,
    dx_ptr,
    ddy_ptr,
    x_stride,
    x_step,
    label_stride,
    dy_stride,
    ddx_stride,
    ddx_step,
    rows,
    D,
    HAS_ddx: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """p = exp_shifted/Z
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
    """
    x_stride = x_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    gamma = tl.full([1, 1], gamma, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        logpt = tl.load(logpt_ptr + row, there, 0).to(A)
        expm1_logpt = tl.load(expm1_logpt_ptr + row, there, 0).to(A)
        power_expm1_logpt = tl.load(power_expm1_logpt_ptr + row, there, 0).to(A)
        # step 54, pass 9: once a row
        expm1_logpt_shifted = (
            power(-expm1_logpt, gamma - 1)*dy*tl.exp(logpt)*gamma
            + power(-expm1_logpt, gamma - 1)*dy*tl.exp(logpt)*logpt*gamma
        )
        # step 54, pass 10: once a row
        expm1_logpt_scaled = power(-expm1_logpt, gamma - 2)*dy*tl.exp(
            2*logpt
        )*logpt*gamma*(gamma - 1)
        logpt_scaled = dy*tl.exp(logpt)  # step 54, pass 11: once a row
        # step 54, pass 12: once a row
        expm1_logpt_scaled_2 = power(-expm1_logpt, gamma - 1)*dy*tl.exp(logpt)*gamma/Z
        # step 54, pass 13: once a row
        expm1_logpt_scaled_3 = power(-expm1_logpt, gamma - 1)*dy*tl.exp(
            logpt
        )*logpt*gamma/Z
        power_expm1_logpt_scaled = dy*power_expm1_logpt/Z  # step 71, pass 14
        # step 73, pass 15: once a row
        expm1_logpt_scaled_4 = power(-expm1_logpt, gamma - 1)*tl.exp(logpt)*logpt*gamma
        inside_there = there & (label >= 0) & (label < D)
        ddx_there = (
            tl.load(ddx_row + label*ddx_step, inside_there, 0).to(A) if HAS_ddx else 0.0
        )
        # step 54, pass 16: sum(where(index() == label, where(gamma == 0, 0, ddx*expm1_logpt_shifted), 0))
        sum_ddx_index = tl.where(
            inside_there,
            tl.where(
                gamma == 0, 0, (ddx_there if HAS_ddx else 0.0)*expm1_logpt_shifted
            ),
            0.0,
        )
        inside_there = there & (label >= 0) & (label < D)
        ddx_there = (
            tl.load(ddx_row + label*ddx_step, inside_there, 0).to(A) if HAS_ddx else 0.0
        )
        # step 54, pass 17: sum(where(index() == label, where(gamma == 0, 0, where(gamma - 1 == 0, 0, -ddx*expm1_logpt_scaled)), 0))
        sum_ddx_index_2 = tl.where(
            inside_there,
            tl.where(
                gamma == 0,
                0,
                tl.where(
                    gamma - 1 == 0,
                    0,
                    -(ddx_there if HAS_ddx else 0.0)*expm1_logpt_scaled,
                ),
            ),
            0.0,
        )
        inside_there = there & (label >= 0) & (label < D)
        ddx_there = (
            tl.load(ddx_row + label*ddx_step, inside_there, 0).to(A) if HAS_ddx else 0.0
        )
        # step 54, pass 18: sum(where(index() == label, -ddx*logpt_scaled, 0))
        sum_ddx_index_3 = tl.where(
            inside_there, -(ddx_there if HAS_ddx else 0.0)*logpt_scaled, 0.0
        )
        inside_there = there & (label >= 0) & (label < D)
        ddx_there = (
            tl.load(ddx_row + label*ddx_step, inside_there, 0).to(A) if HAS_ddx else 0.0
        )
        # step 73, pass 21: sum(where(index() == label, where(gamma == 0, 0, ddx*expm1_logpt_scaled_4) - ddx*power_expm1_logpt, 0))
        sum_ddx_index_4 = tl.where(
            inside_there,
            tl.where(
                gamma == 0, 0, (ddx_there if HAS_ddx else 0.0)*expm1_logpt_scaled_4
            )
            - (ddx_there if HAS_ddx else 0.0)*power_expm1_logpt,
            0.0,
        )
        sum_ddx_exp_shifted_sum = tl.zeros([ROWS, TILE], A)
        sum_ddx_exp_shifted_2_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            sum_ddx_exp_shifted_sum += tl.where(
                inside, (ddx if HAS_ddx else 0.0)*exp_shifted, 0.0
            )
            sum_ddx_exp_shifted_2_sum += tl.where(
                inside,
                (-exp_shifted*expm1_logpt_scaled_2 - exp_shifted*expm1_logpt_scaled_3)*(
                    ddx if HAS_ddx else 0.0
                ),
                0.0,
            )
        # step 54, pass 19: sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = tl.sum(sum_ddx_exp_shifted_sum, 1, keep_dims=True)
        # step 54, pass 20: sum((-exp_shifted*expm1_logpt_scaled_2 - exp_shifted*expm1_logpt_scaled_3)*ddx)
        sum_ddx_exp_shifted_2 = tl.sum(sum_ddx_exp_shifted_2_sum, 1, keep_dims=True)
        # step 54, pass 22: written out
        d2logpt = (
            sum_ddx_index
            + sum_ddx_index_2
            + tl.where(
                gamma == 0,
                0,
                tl.where(
                    label >= 0,
                    tl.where(
                        label < D,
                        -power(-expm1_logpt, gamma - 1)*dy*tl.exp(
                            logpt
                        )*sum_ddx_exp_shifted*gamma/Z,
                        0,
                    ),
                    0,
                )
                - power(-expm1_logpt, gamma - 1)*sum_ddx_index_3*gamma,
            )
            + tl.where(
                label >= 0,
                tl.where(
                    label < D,
                    tl.where(gamma == 0, 0, sum_ddx_exp_shifted_2)
                    + tl.where(
                        gamma == 0,
                        0,
                        tl.where(
                            gamma - 1 == 0,
                            0,
                            power(-expm1_logpt, gamma - 2)*dy*tl.exp(
                                2*logpt
                            )*logpt*sum_ddx_exp_shifted*gamma*(gamma - 1)/Z,
                        ),
                    ),
                    0,
                ),
                0,
            )
        )
        d2logpt_scaled = d2logpt/Z  # step 71, pass 23: once a row
        # step 71, pass 24: once a row
        sum_ddx_exp_shifted_scaled = dy*power_expm1_logpt*sum_ddx_exp_shifted/(Z*Z)
        # step 71, pass 25: once a row
        sum_ddx_exp_shifted_scaled_2 = power(-expm1_logpt, gamma - 1)*dy*tl.exp(
            logpt
        )*logpt*sum_ddx_exp_shifted*gamma/(Z*Z)
        # step 73, pass 26: written out
        ddy = sum_ddx_index_4 + tl.where(
            label >= 0,
            tl.where(
                label < D,
                power_expm1_logpt*sum_ddx_exp_shifted/Z
                + tl.where(
                    gamma == 0,
                    0,
                    -power(-expm1_logpt, gamma - 1)*tl.exp(
                        logpt
                    )*logpt*sum_ddx_exp_shifted*gamma/Z,
                ),
                0,
            ),
            0,
        )
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            # step 71, pass 27: once a row
            d2x = tl.where(d == label, d2logpt, 0) + tl.where(
                label >= 0,
                tl.where(
                    label < D,
                    tl.where(gamma == 0, 0, exp_shifted*sum_ddx_exp_shifted_scaled_2)
                    + (ddx if HAS_ddx else 0.0)*exp_shifted*power_expm1_logpt_scaled
                    + tl.where(
                        gamma == 0,
                        0,
                        -(ddx if HAS_ddx else 0.0)*exp_shifted*expm1_logpt_scaled_3,
                    )
                    - exp_shifted*d2logpt_scaled
                    - exp_shifted*sum_ddx_exp_shifted_scaled,
                    0,
                ),
                0,
            )
            tl.store(dx_row + d, d2x, inside)
        tl.store(ddy_ptr + row, ddy, there)
