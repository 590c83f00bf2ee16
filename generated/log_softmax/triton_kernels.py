# Made by lngen 0.1.0 from the definition of log_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
# definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
# mypy: ignore-errors
"""The logarithm of softmax over the feature axis.

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
def log_softmax_forward(
    x_ptr,
    y_ptr,
    m_ptr,
    Z_ptr,
    x_stride,
    x_step,
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
    y = x - m - log_Z
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        y_row = y_ptr + row*D
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
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - m  # step 2
            y = x_shifted - log_Z  # step 6
            tl.store(y_row + d, y, inside)
        if SAVE:
            tl.store(m_ptr + row, m, there)
            tl.store(Z_ptr + row, Z, there)


@triton.jit(do_not_specialize=["rows"])
def log_softmax_backward(
    x_ptr,
    dy_ptr,
    m_ptr,
    Z_ptr,
    dx_ptr,
    x_stride,
    x_step,
    dy_stride,
    dy_step,
    rows,
    D,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """p = exp_shifted/Z
    dx = dy - p*sum(dy)
    """
    x_stride = x_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dy_row = dy_ptr + row*dy_stride
        dx_row = dx_ptr + row*D
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        sum_dy_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            sum_dy_sum += dy
        sum_dy = tl.sum(sum_dy_sum, 1, keep_dims=True)  # step 21, pass 1: sum(dy)
        sum_dy_scaled = sum_dy/Z  # step 21, pass 2: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            dx = dy - exp_shifted*sum_dy_scaled  # step 21, pass 3: once a row
            tl.store(dx_row + d, dx, inside)


@triton.jit(do_not_specialize=["rows"])
def log_softmax_jvp(
    x_ptr,
    x_dot_ptr,
    m_ptr,
    Z_ptr,
    y_dot_ptr,
    x_stride,
    x_step,
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
    y_dot = x_dot - log_Z_dot
    """
    x_stride = x_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        y_dot_row = y_dot_ptr + row*D
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
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
        # step 28, pass 4: sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = tl.sum(sum_exp_shifted_x_dot_sum, 1, keep_dims=True)
        log_Z_dot = sum_exp_shifted_x_dot/Z  # step 28, pass 5: written out
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            y_dot = 0.0
            if HAS_x_dot:
                y_dot += x_dot  # step 29
            y_dot -= log_Z_dot  # step 29
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def log_softmax_backward_backward(
    x_ptr,
    dy_ptr,
    ddx_ptr,
    m_ptr,
    Z_ptr,
    dx_ptr,
    ddy_ptr,
    x_stride,
    x_step,
    dy_stride,
    dy_step,
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
    """mean_dy = mean(dy)
    p = exp_shifted/Z
    d2x = D*mean_dy*p*(sum(ddx*p) - ddx)
    ddy = ddx - sum(ddx*p)
    """
    x_stride = x_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dy_row = dy_ptr + row*dy_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        ddy_row = ddy_ptr + row*D
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        mean_dy_sum = tl.zeros([ROWS, TILE], A)
        sum_ddx_exp_shifted_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            mean_dy_sum += dy
            sum_ddx_exp_shifted_sum += tl.where(
                inside, (ddx if HAS_ddx else 0.0)*exp_shifted, 0.0
            )
        mean_dy = tl.sum(mean_dy_sum, 1, keep_dims=True)/length  # step 30: mean(dy)
        # step 40, pass 6: sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = tl.sum(sum_ddx_exp_shifted_sum, 1, keep_dims=True)
        mean_dy_scaled = mean_dy*length/Z  # step 40, pass 7: once a row
        sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/Z  # step 40, pass 8
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            d2x_part = sum_ddx_exp_shifted_scaled
            if HAS_ddx:
                d2x_part -= ddx
            d2x = exp_shifted*d2x_part*mean_dy_scaled  # step 40, pass 9: once a row
            ddy = 0.0
            if HAS_ddx:
                ddy += ddx  # step 45, pass 10: once a row
            ddy -= sum_ddx_exp_shifted_scaled  # step 45, pass 10: once a row
            tl.store(dx_row + d, d2x, inside)
            tl.store(ddy_row + d, ddy, inside)
