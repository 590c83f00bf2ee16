# Made by lngen 0.1.0 from the definition of logsumexp; derivation.md has its steps, cost and evidence.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
# mypy: ignore-errors
"""The logarithm of a row's sum of exponentials, one number a row.

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
def logsumexp_forward(
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
    y = m + log_Z
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
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
        y = log_Z + m  # step 6
        tl.store(y_ptr + row, y, there)
        if SAVE:
            tl.store(m_ptr + row, m, there)
            tl.store(Z_ptr + row, Z, there)


@triton.jit(do_not_specialize=["rows"])
def logsumexp_backward(
    x_ptr,
    dy_ptr,
    m_ptr,
    Z_ptr,
    dx_ptr,
    x_stride,
    x_step,
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
    dx = dy*p
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dx_row = dx_ptr + row*D
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        dy_scaled = dy/Z  # step 17, pass 1: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            dx = exp_shifted*dy_scaled  # step 17, pass 2: once a row
            tl.store(dx_row + d, dx, inside)


@triton.jit(do_not_specialize=["rows"])
def logsumexp_jvp(
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
    y_dot = sum(p*x_dot)
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
        # step 25, pass 3: sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = tl.sum(sum_exp_shifted_x_dot_sum, 1, keep_dims=True)
        y_dot = sum_exp_shifted_x_dot/Z  # step 25, pass 4: written out
        tl.store(y_dot_ptr + row, y_dot, there)


@triton.jit(do_not_specialize=["rows"])
def logsumexp_backward_backward(
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
    dx = dy*p
    d2x = dx*(ddx - sum(ddx*p))
    ddy = sum(ddx*p)
    """
    x_stride = x_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        dy_scaled = dy/Z  # step 28, pass 5: once a row
        sum_ddx_exp_shifted_sum = tl.zeros([ROWS, TILE], A)
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
        # step 38, pass 6: sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = tl.sum(sum_ddx_exp_shifted_sum, 1, keep_dims=True)
        sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/Z  # step 38, pass 7
        ddy = sum_ddx_exp_shifted/Z  # step 40, pass 8: written out
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            dx = exp_shifted*dy_scaled  # step 28, pass 9: once a row
            d2x_part = 0.0
            if HAS_ddx:
                d2x_part += ddx
            d2x_part -= sum_ddx_exp_shifted_scaled
            d2x = d2x_part*dx  # step 38, pass 10: once a row
            tl.store(dx_row + d, d2x, inside)
        tl.store(ddy_ptr + row, ddy, there)
