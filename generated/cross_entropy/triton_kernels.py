# Made by lngen 0.1.0 from the definition of cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
# mypy: ignore-errors
"""Cross entropy of soft targets with the softmax of a row, one number a row.

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
def cross_entropy_forward(
    x_ptr,
    target_ptr,
    y_ptr,
    m_ptr,
    Z_ptr,
    log_Z_ptr,
    x_stride,
    x_step,
    target_stride,
    target_step,
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
    sum_logp_target = sum(logp*target)
    y = -sum_logp_target
    """
    x_stride = x_stride // EVEN * EVEN
    target_stride = target_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    target_step = tl.cast(target_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        target_row = target_ptr + row*target_stride
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
        sum_logp_target_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            target = tl.load(target_row + d*target_step, inside, 0).to(A)
            x_shifted = x - m  # step 2
            logp = x_shifted - log_Z  # step 6
            sum_logp_target_sum += tl.where(inside, logp*target, 0.0)
        sum_logp_target = tl.sum(sum_logp_target_sum, 1, keep_dims=True)  # step 7
        y = -sum_logp_target  # step 8
        tl.store(y_ptr + row, y, there)
        if SAVE:
            tl.store(m_ptr + row, m, there)
            tl.store(Z_ptr + row, Z, there)
            tl.store(log_Z_ptr + row, log_Z, there)


@triton.jit(do_not_specialize=["rows"])
def cross_entropy_backward(
    x_ptr,
    target_ptr,
    dy_ptr,
    m_ptr,
    Z_ptr,
    log_Z_ptr,
    dx_ptr,
    dtarget_ptr,
    x_stride,
    x_step,
    target_stride,
    target_step,
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
    dx = dy*(p*sum(target) - target)
    dtarget = -dy*logp
    """
    x_stride = x_stride // EVEN * EVEN
    target_stride = target_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    target_step = tl.cast(target_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        target_row = target_ptr + row*target_stride
        dx_row = dx_ptr + row*D
        dtarget_row = dtarget_ptr + row*D
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        log_Z = tl.load(log_Z_ptr + row, there, 0).to(A)
        sum_target_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            target = tl.load(target_row + d*target_step, inside, 0).to(A)
            sum_target_sum += target
        sum_target = tl.sum(sum_target_sum, 1, keep_dims=True)  # step 24, pass 1
        sum_target_scaled = sum_target/Z  # step 24, pass 2: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            target = tl.load(target_row + d*target_step, inside, 0).to(A)
            x_shifted = x - m  # step 2
            logp = x_shifted - log_Z  # step 6
            dtarget = -logp*dy  # step 26
            exp_shifted = tl.exp(x_shifted)  # step 3
            dx = (exp_shifted*sum_target_scaled - target)*dy  # step 24, pass 3
            tl.store(dx_row + d, dx, inside)
            tl.store(dtarget_row + d, dtarget, inside)


@triton.jit(do_not_specialize=["rows"])
def cross_entropy_jvp(
    x_ptr,
    target_ptr,
    x_dot_ptr,
    target_dot_ptr,
    m_ptr,
    Z_ptr,
    log_Z_ptr,
    y_dot_ptr,
    x_stride,
    x_step,
    target_stride,
    target_step,
    x_dot_stride,
    x_dot_step,
    target_dot_stride,
    target_dot_step,
    rows,
    D,
    HAS_target_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """p = exp_shifted/Z
    log_Z_dot = sum(p*x_dot)
    y_dot = -sum(logp*target_dot + target*(x_dot - log_Z_dot))
    """
    x_stride = x_stride // EVEN * EVEN
    target_stride = target_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    target_dot_stride = target_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    target_step = tl.cast(target_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    target_dot_step = tl.cast(target_dot_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        if HAS_x_dot:
            target_row = target_ptr + row*target_stride
            x_dot_row = x_dot_ptr + row*x_dot_stride
        if HAS_target_dot:
            target_dot_row = target_dot_ptr + row*target_dot_stride
        m = tl.load(m_ptr + row, there, 0).to(A)
        if HAS_x_dot:
            Z = tl.load(Z_ptr + row, there, 0).to(A)
        if HAS_target_dot:
            log_Z = tl.load(log_Z_ptr + row, there, 0).to(A)
        if HAS_x_dot:
            sum_exp_shifted_x_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            x_shifted = x - m  # step 2
            if HAS_x_dot:
                exp_shifted = tl.exp(x_shifted)  # step 3
                sum_exp_shifted_x_dot_sum += tl.where(inside, exp_shifted*x_dot, 0.0)
        if HAS_x_dot:
            # step 33, pass 4: sum(exp_shifted*x_dot)
            sum_exp_shifted_x_dot = tl.sum(sum_exp_shifted_x_dot_sum, 1, keep_dims=True)
            log_Z_dot = sum_exp_shifted_x_dot/Z  # step 33, pass 5: written out
        sum_logp_target_target_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                target = tl.load(target_row + d*target_step, inside, 0).to(A)
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            if HAS_target_dot:
                target_dot = tl.load(target_dot_row + d*target_dot_step, inside, 0).to(
                    A
                )
            x_shifted = x - m  # step 2
            if HAS_target_dot:
                logp = x_shifted - log_Z  # step 6
            sum_logp_target_target_dot_part = 0.0
            if HAS_target_dot:
                sum_logp_target_target_dot_part += logp*target_dot
            if HAS_x_dot:
                sum_logp_target_target_dot_part += (x_dot - log_Z_dot)*target
            sum_logp_target_target_dot_sum += tl.where(
                inside, sum_logp_target_target_dot_part, 0.0
            )
        # step 37: sum(logp*target_dot + (x_dot - log_Z_dot)*target)
        sum_logp_target_target_dot = tl.sum(
            sum_logp_target_target_dot_sum, 1, keep_dims=True
        )
        y_dot = -sum_logp_target_target_dot  # step 37
        tl.store(y_dot_ptr + row, y_dot, there)


@triton.jit(do_not_specialize=["rows"])
def cross_entropy_backward_backward(
    x_ptr,
    target_ptr,
    dy_ptr,
    ddx_ptr,
    ddtarget_ptr,
    m_ptr,
    Z_ptr,
    log_Z_ptr,
    dx_ptr,
    dtarget_ptr,
    ddy_ptr,
    x_stride,
    x_step,
    target_stride,
    target_step,
    dy_stride,
    ddx_stride,
    ddx_step,
    ddtarget_stride,
    ddtarget_step,
    rows,
    D,
    HAS_ddtarget: tl.constexpr,
    HAS_ddx: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """mean_target = mean(target)
    p = exp_shifted/Z
    d2x = dy*(D*p*(mean(ddtarget) + mean_target*(ddx - sum(ddx*p))) - ddtarget)
    d2target = dy*(sum(ddx*p) - ddx)
    ddy = D*(mean(ddx*(D*mean_target*p - target)) - mean(ddtarget*logp))
    """
    x_stride = x_stride // EVEN * EVEN
    target_stride = target_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    ddtarget_stride = ddtarget_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    target_step = tl.cast(target_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    ddtarget_step = tl.cast(ddtarget_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        if HAS_ddx:
            target_row = target_ptr + row*target_stride
            ddx_row = ddx_ptr + row*ddx_stride
        if HAS_ddtarget:
            ddtarget_row = ddtarget_ptr + row*ddtarget_stride
        dx_row = dx_ptr + row*D
        dtarget_row = dtarget_ptr + row*D
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        if HAS_ddtarget:
            log_Z = tl.load(log_Z_ptr + row, there, 0).to(A)
        Z_scaled = length/Z  # step 57, pass 6: once a row
        if HAS_ddx:
            mean_target_sum = tl.zeros([ROWS, TILE], A)
            sum_ddx_exp_shifted_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddtarget:
            mean_ddtarget_sum = tl.zeros([ROWS, TILE], A)
            mean_ddtarget_logp_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_ddx:
                target = tl.load(target_row + d*target_step, inside, 0).to(A)
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            ddtarget = (
                tl.load(ddtarget_row + d*ddtarget_step, inside, 0).to(A)
                if HAS_ddtarget
                else 0.0
            )
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            if HAS_ddtarget:
                logp = x_shifted - log_Z  # step 6
            if HAS_ddx:
                mean_target_sum += target
                sum_ddx_exp_shifted_sum += tl.where(inside, ddx*exp_shifted, 0.0)
            if HAS_ddtarget:
                mean_ddtarget_sum += ddtarget
                mean_ddtarget_logp_sum += tl.where(inside, ddtarget*logp, 0.0)
        if HAS_ddx:
            mean_target = tl.sum(mean_target_sum, 1, keep_dims=True)/length  # step 38
            # step 57, pass 7: sum(ddx*exp_shifted)
            sum_ddx_exp_shifted = tl.sum(sum_ddx_exp_shifted_sum, 1, keep_dims=True)
        if HAS_ddtarget:
            # step 57, pass 8: mean(ddtarget)
            mean_ddtarget = tl.sum(mean_ddtarget_sum, 1, keep_dims=True)/length
            # step 66, pass 9: mean(ddtarget*logp)
            mean_ddtarget_logp = tl.sum(
                mean_ddtarget_logp_sum, 1, keep_dims=True
            )/length
        if HAS_ddx:
            sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/Z  # step 57, pass 10
            mean_target_scaled = mean_target*length/Z  # step 66, pass 11: once a row
            mean_ddx_exp_shifted_target_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_ddx:
                target = tl.load(target_row + d*target_step, inside, 0).to(A)
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            ddtarget = (
                tl.load(ddtarget_row + d*ddtarget_step, inside, 0).to(A)
                if HAS_ddtarget
                else 0.0
            )
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            d2x_part2 = 0.0
            if HAS_ddx:
                d2x_part2 += (ddx - sum_ddx_exp_shifted_scaled)*mean_target
            if HAS_ddtarget:
                d2x_part2 += mean_ddtarget
            d2x_part = exp_shifted*d2x_part2*Z_scaled
            if HAS_ddtarget:
                d2x_part -= ddtarget
            d2x = d2x_part*dy  # step 57, pass 12: once a row
            if HAS_ddx:
                d2target = (sum_ddx_exp_shifted_scaled - ddx)*dy  # step 63, pass 13
                mean_ddx_exp_shifted_target_sum += tl.where(
                    inside, ddx*(exp_shifted*mean_target_scaled - target), 0.0
                )
            tl.store(dx_row + d, d2x, inside)
            tl.store(dtarget_row + d, d2target if HAS_ddx else 0.0, inside)
        if HAS_ddx:
            # step 66, pass 14: mean(ddx*(exp_shifted*mean_target_scaled - target))
            mean_ddx_exp_shifted_target = tl.sum(
                mean_ddx_exp_shifted_target_sum, 1, keep_dims=True
            )/length
        ddy_part = 0.0
        if HAS_ddx:
            ddy_part += mean_ddx_exp_shifted_target
        if HAS_ddtarget:
            ddy_part -= mean_ddtarget_logp
        ddy = ddy_part*length  # step 66, pass 15: written out
        tl.store(ddy_ptr + row, ddy, there)
