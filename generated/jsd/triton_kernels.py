# Made by lngen 0.1.0 from the definition of jsd; derivation.md has its steps, cost and evidence.
# Do not edit; edit jsd.py and run: lngen derive jsd.py
# definition sha256:b28d007ce999de73cc9db154c53ebf5b3ccf610eafe7fdebb5114df4ab0d0ea6
# mypy: ignore-errors
"""Generalized Jensen-Shannon divergence of a teacher's and a student's softmax, one number a row.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def finite_or_zero(u):
    """The number that exponents are shifted by: inf - inf would be NaN."""
    return tl.where(tl.abs(u) == float("inf"), 0.0, u)


@triton.jit(do_not_specialize=["rows"])
def jsd_forward(
    x_ptr,
    teacher_ptr,
    beta: tl.float64,
    y_ptr,
    m_2_ptr,
    log_Z_ptr,
    m_ptr,
    inv_Z_ptr,
    inv_Z_2_ptr,
    x_stride,
    x_step,
    teacher_stride,
    teacher_step,
    rows,
    D,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """m_2 = max(x)
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
    """
    x_stride = x_stride // EVEN * EVEN
    teacher_stride = teacher_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    teacher_step = tl.cast(teacher_step, tl.int64)
    beta = tl.full([1, 1], beta, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        teacher_row = teacher_ptr + row*teacher_stride
        m_2_max = tl.full([ROWS, TILE], -float("inf"), A)
        m_max = tl.full([ROWS, TILE], -float("inf"), A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            m_2_max = tl.maximum(m_2_max, tl.where(inside, x, -float("inf")))
            m_max = tl.maximum(m_max, tl.where(inside, teacher, -float("inf")))
        m_2 = finite_or_zero(tl.max(m_2_max, 1, keep_dims=True))  # step 1: max(x)
        m = finite_or_zero(tl.max(m_max, 1, keep_dims=True))  # step 7: max(teacher)
        Z_sum = tl.zeros([ROWS, TILE], A)
        Z_2_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            x_shifted = x - m_2  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            teacher_shifted = teacher - m  # step 8
            exp_shifted_2 = tl.exp(teacher_shifted)  # step 9
            Z_sum += tl.where(inside, exp_shifted, 0.0)
            Z_2_sum += tl.where(inside, exp_shifted_2, 0.0)
        Z = tl.sum(Z_sum, 1, keep_dims=True)  # step 4: sum(exp_shifted)
        Z_2 = tl.sum(Z_2_sum, 1, keep_dims=True)  # step 10: sum(exp_shifted_2)
        log_Z = tl.log(Z)  # step 5
        log_Z_2 = tl.log(Z_2)  # step 11
        inv_Z = 1/Z  # step 13
        inv_Z_2 = 1/Z_2  # step 16
        y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            x_shifted = x - m_2  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            teacher_shifted = teacher - m  # step 8
            exp_shifted_2 = tl.exp(teacher_shifted)  # step 9
            logq = x_shifted - log_Z  # step 6
            logp = teacher_shifted - log_Z_2  # step 12
            q = exp_shifted*inv_Z  # step 15
            p = exp_shifted_2*inv_Z_2  # step 18
            u = p*beta + q*(1 - beta)  # step 19
            logm = tl.log(u)  # step 20
            total = (logp - logm)*p*beta + (logq - logm)*q*(1 - beta)  # step 21
            y_sum += tl.where(inside, total, 0.0)
        y = tl.sum(y_sum, 1, keep_dims=True)  # step 22: sum(total)
        tl.store(y_ptr + row, y, there)
        if SAVE:
            tl.store(m_2_ptr + row, m_2, there)
            tl.store(log_Z_ptr + row, log_Z, there)
            tl.store(m_ptr + row, m, there)
            tl.store(inv_Z_ptr + row, inv_Z, there)
            tl.store(inv_Z_2_ptr + row, inv_Z_2, there)


@triton.jit(do_not_specialize=["rows"])
def jsd_backward(
    x_ptr,
    teacher_ptr,
    dy_ptr,
    m_2_ptr,
    log_Z_ptr,
    m_ptr,
    inv_Z_ptr,
    inv_Z_2_ptr,
    beta: tl.float64,
    dx_ptr,
    x_stride,
    x_step,
    teacher_stride,
    teacher_step,
    dy_stride,
    rows,
    D,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = dy*(1 - beta)*(logq + (beta*(q - p) - q)/u - logm)
    dx = q*(g - sum(g*q))
    """
    x_stride = x_stride // EVEN * EVEN
    teacher_stride = teacher_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    teacher_step = tl.cast(teacher_step, tl.int64)
    beta = tl.full([1, 1], beta, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        teacher_row = teacher_ptr + row*teacher_stride
        dx_row = dx_ptr + row*D
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        log_Z = tl.load(log_Z_ptr + row, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_Z = tl.load(inv_Z_ptr + row, there, 0).to(A)
        inv_Z_2 = tl.load(inv_Z_2_ptr + row, there, 0).to(A)
        beta_scaled = dy*(1 - beta)  # step 50, pass 3: once a row
        sum_g_q_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            x_shifted = x - m_2  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            logq = x_shifted - log_Z  # step 6
            teacher_shifted = teacher - m  # step 8
            exp_shifted_2 = tl.exp(teacher_shifted)  # step 9
            q = exp_shifted*inv_Z  # step 15
            p = exp_shifted_2*inv_Z_2  # step 18
            u = p*beta + q*(1 - beta)  # step 19
            logm = tl.log(u)  # step 20
            g = (logq + ((q - p)*beta - q)/u - logm)*beta_scaled  # step 50, pass 4
            sum_g_q_sum += tl.where(inside, g*q, 0.0)
        sum_g_q = tl.sum(sum_g_q_sum, 1, keep_dims=True)  # step 67: sum(g*q)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            x_shifted = x - m_2  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            logq = x_shifted - log_Z  # step 6
            teacher_shifted = teacher - m  # step 8
            exp_shifted_2 = tl.exp(teacher_shifted)  # step 9
            q = exp_shifted*inv_Z  # step 15
            p = exp_shifted_2*inv_Z_2  # step 18
            u = p*beta + q*(1 - beta)  # step 19
            logm = tl.log(u)  # step 20
            g = (logq + ((q - p)*beta - q)/u - logm)*beta_scaled  # step 50, pass 4
            dx = (g - sum_g_q)*q  # step 67
            tl.store(dx_row + d, dx, inside)


@triton.jit(do_not_specialize=["rows"])
def jsd_jvp(
    x_ptr,
    teacher_ptr,
    x_dot_ptr,
    m_2_ptr,
    log_Z_ptr,
    m_ptr,
    inv_Z_ptr,
    inv_Z_2_ptr,
    beta: tl.float64,
    y_dot_ptr,
    x_stride,
    x_step,
    teacher_stride,
    teacher_step,
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
    """exp_shifted_dot = exp_shifted*x_dot
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
    """
    x_stride = x_stride // EVEN * EVEN
    teacher_stride = teacher_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    teacher_step = tl.cast(teacher_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    beta = tl.full([1, 1], beta, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        teacher_row = teacher_ptr + row*teacher_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        log_Z = tl.load(log_Z_ptr + row, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_Z = tl.load(inv_Z_ptr + row, there, 0).to(A)
        inv_Z_2 = tl.load(inv_Z_2_ptr + row, there, 0).to(A)
        Z_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            x_shifted = x - m_2  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            exp_shifted_dot = exp_shifted*(x_dot if HAS_x_dot else 0.0)  # step 69
            Z_dot_sum += tl.where(inside, exp_shifted_dot, 0.0)
        Z_dot = tl.sum(Z_dot_sum, 1, keep_dims=True)  # step 70: sum(exp_shifted_dot)
        log_Z_dot = Z_dot*inv_Z  # step 72
        inv_Z_dot = -Z_dot*(inv_Z*inv_Z)  # step 75
        y_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            x_shifted = x - m_2  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            exp_shifted_dot = exp_shifted*(x_dot if HAS_x_dot else 0.0)  # step 69
            logq = x_shifted - log_Z  # step 6
            teacher_shifted = teacher - m  # step 8
            exp_shifted_2 = tl.exp(teacher_shifted)  # step 9
            q = exp_shifted*inv_Z  # step 15
            p = exp_shifted_2*inv_Z_2  # step 18
            u = p*beta + q*(1 - beta)  # step 19
            logm = tl.log(u)  # step 20
            logq_dot = 0.0
            if HAS_x_dot:
                logq_dot += x_dot  # step 73
            logq_dot -= log_Z_dot  # step 73
            q_dot = exp_shifted_dot*inv_Z + exp_shifted*inv_Z_dot  # step 76
            u_dot = q_dot*(1 - beta)  # step 77
            logm_dot = u_dot/u  # step 78
            # step 79
            total_dot = (
                logq_dot*q*(1 - beta)
                + (logq - logm)*q_dot*(1 - beta)
                + (-p*beta - q*(1 - beta))*logm_dot
            )
            y_dot_sum += tl.where(inside, total_dot, 0.0)
        y_dot = tl.sum(y_dot_sum, 1, keep_dims=True)  # step 80: sum(total_dot)
        tl.store(y_dot_ptr + row, y_dot, there)


@triton.jit(do_not_specialize=["rows"])
def jsd_backward_backward(
    x_ptr,
    teacher_ptr,
    dy_ptr,
    ddx_ptr,
    m_2_ptr,
    log_Z_ptr,
    m_ptr,
    inv_Z_ptr,
    inv_Z_2_ptr,
    beta: tl.float64,
    dx_ptr,
    ddy_ptr,
    x_stride,
    x_step,
    teacher_stride,
    teacher_step,
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
    """g = dy*(1 - beta)*(logq + (beta*(q - p) - q)/u - logm)
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
    """
    x_stride = x_stride // EVEN * EVEN
    teacher_stride = teacher_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    teacher_step = tl.cast(teacher_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    length = tl.cast(D, A)
    beta = tl.full([1, 1], beta, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        teacher_row = teacher_ptr + row*teacher_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        log_Z = tl.load(log_Z_ptr + row, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_Z = tl.load(inv_Z_ptr + row, there, 0).to(A)
        inv_Z_2 = tl.load(inv_Z_2_ptr + row, there, 0).to(A)
        beta_scaled = dy*(1 - beta)  # step 81, pass 6: once a row
        beta_scaled_2 = dy*(1 - beta)*(beta - 1)  # step 89, pass 7: once a row
        mean_g_q_sum = tl.zeros([ROWS, TILE], A)
        dmean_g_q_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m_2  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            logq = x_shifted - log_Z  # step 6
            teacher_shifted = teacher - m  # step 8
            exp_shifted_2 = tl.exp(teacher_shifted)  # step 9
            q = exp_shifted*inv_Z  # step 15
            p = exp_shifted_2*inv_Z_2  # step 18
            u = p*beta + q*(1 - beta)  # step 19
            logm = tl.log(u)  # step 20
            g = (logq + ((q - p)*beta - q)/u - logm)*beta_scaled  # step 81, pass 8
            mean_g_q_sum += tl.where(inside, g*q, 0.0)
            dmean_g_q_sum += tl.where(inside, -(ddx if HAS_ddx else 0.0)*q*length, 0.0)
        mean_g_q = tl.sum(mean_g_q_sum, 1, keep_dims=True)/length  # step 82: mean(g*q)
        dmean_g_q = tl.sum(dmean_g_q_sum, 1, keep_dims=True)  # step 84: sum(-ddx*q*D)
        dmean_g_q_scaled = dmean_g_q/length  # step 85, pass 9: once a row
        mean_g_q_scaled = mean_g_q*length  # step 89, pass 10: once a row
        d2inv_Z_sum = tl.zeros([ROWS, TILE], A)
        d2log_Z_sum = tl.zeros([ROWS, TILE], A)
        ddy_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m_2  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            logq = x_shifted - log_Z  # step 6
            teacher_shifted = teacher - m  # step 8
            exp_shifted_2 = tl.exp(teacher_shifted)  # step 9
            q = exp_shifted*inv_Z  # step 15
            p = exp_shifted_2*inv_Z_2  # step 18
            u = p*beta + q*(1 - beta)  # step 19
            logm = tl.log(u)  # step 20
            g = (logq + ((q - p)*beta - q)/u - logm)*beta_scaled  # step 81, pass 8
            dg = (ddx if HAS_ddx else 0.0)*q + q*dmean_g_q_scaled  # step 85, pass 11
            d2logm = -dg*beta_scaled  # step 87, pass 12: once a row
            d2u = d2logm/u - ((q - p)*beta - q)*dg*beta_scaled/(u*u)  # step 88, pass 13
            # step 89, pass 14: once a row
            d2q = (
                g*dmean_g_q_scaled
                + dg*beta_scaled_2/u
                + d2u*(1 - beta)
                + (g - mean_g_q_scaled)*(ddx if HAS_ddx else 0.0)
            )
            d2logq = dg*beta_scaled  # step 86, pass 15: once a row
            d2inv_Z_sum += tl.where(inside, d2q*exp_shifted, 0.0)
            d2log_Z_sum += tl.where(inside, -d2logq, 0.0)
            ddy_sum += tl.where(
                inside, (logq + ((q - p)*beta - q)/u - logm)*dg*(1 - beta), 0.0
            )
        d2inv_Z = tl.sum(d2inv_Z_sum, 1, keep_dims=True)  # step 90
        d2log_Z = tl.sum(d2log_Z_sum, 1, keep_dims=True)  # step 91: sum(-d2logq)
        ddy = tl.sum(ddy_sum, 1, keep_dims=True)  # step 97
        d2Z = d2log_Z*inv_Z - d2inv_Z*(inv_Z*inv_Z)  # step 93
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m_2  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            logq = x_shifted - log_Z  # step 6
            teacher_shifted = teacher - m  # step 8
            exp_shifted_2 = tl.exp(teacher_shifted)  # step 9
            q = exp_shifted*inv_Z  # step 15
            p = exp_shifted_2*inv_Z_2  # step 18
            u = p*beta + q*(1 - beta)  # step 19
            logm = tl.log(u)  # step 20
            g = (logq + ((q - p)*beta - q)/u - logm)*beta_scaled  # step 81, pass 8
            dg = (ddx if HAS_ddx else 0.0)*q + q*dmean_g_q_scaled  # step 85, pass 11
            d2logm = -dg*beta_scaled  # step 87, pass 12: once a row
            d2u = d2logm/u - ((q - p)*beta - q)*dg*beta_scaled/(u*u)  # step 88, pass 13
            # step 89, pass 14: once a row
            d2q = (
                g*dmean_g_q_scaled
                + dg*beta_scaled_2/u
                + d2u*(1 - beta)
                + (g - mean_g_q_scaled)*(ddx if HAS_ddx else 0.0)
            )
            d2logq = dg*beta_scaled  # step 86, pass 15: once a row
            d2exp_shifted = d2q*inv_Z + d2Z  # step 94
            d2x = d2logq + d2exp_shifted*exp_shifted  # step 96
            tl.store(dx_row + d, d2x, inside)
        tl.store(ddy_ptr + row, ddy, there)
