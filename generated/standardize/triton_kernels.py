# Made by lngen 0.1.0 from the definition of standardize; derivation.md has its steps, cost and evidence.
# Do not edit; edit standardize.py and run: lngen derive standardize.py
# definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
# mypy: ignore-errors
"""Rows of mean zero and unbiased variance one, without parameters.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def corrected_products(products, sum_s, mean_s, sum_t, mean_t, length):
    """sum((s - mean_s)*(t - mean_t)) from sums of s*t, s and t, where the means are what rounding left of 0."""
    rest = tl.fma(-mean_s, length + tl.zeros_like(sum_s), sum_s)
    return tl.fma(-mean_t, rest, tl.fma(-mean_s, sum_t, products))


@triton.jit
def corrected_squares(squares, sum_s, mean_s, length):
    """sum((s - mean_s)**2); rounding alone can bring it below 0."""
    found = corrected_products(squares, sum_s, mean_s, sum_s, mean_s, length)
    return tl.where(found < 0, 0.0, found)


@triton.jit(do_not_specialize=["rows"])
def standardize_forward(
    x_ptr,
    eps: tl.float64,
    y_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
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
    """mu = mean(x)
    sum_x2 = sum((x - mu)**2)
    rstd = 1/sqrt(sum_x2/(D - 1) + eps)
    y = rstd*(x - mu)
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    length = tl.cast(D, A)
    eps = tl.full([1, 1], eps, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        y_row = y_ptr + row*D
        mu_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            mu_sum += x
        mu = tl.sum(mu_sum, 1, keep_dims=True)/length  # step 1: mean(x)
        sum_x_shifted_sum = tl.zeros([ROWS, TILE], A)
        squares_x_shifted_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - mu  # step 2, pass 1: compensation
            sum_x_shifted_sum += tl.where(inside, x_shifted, 0.0)
            squares_x_shifted_sum += tl.where(inside, x_shifted*x_shifted, 0.0)
        sum_x_shifted = tl.sum(sum_x_shifted_sum, 1, keep_dims=True)  # step 2, pass 4
        # step 3, pass 5: sum(x_shifted**2)
        squares_x_shifted = tl.sum(squares_x_shifted_sum, 1, keep_dims=True)
        mu_residual = sum_x_shifted/length  # step 2, pass 6: moments
        # step 3, pass 7: moments
        sum_x2 = corrected_squares(
            squares_x_shifted, sum_x_shifted, mu_residual, length
        )
        rstd = tl.rsqrt(sum_x2/(length - 1) + eps)  # step 4
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            y = x_centred*rstd  # step 5
            tl.store(y_row + d, y, inside)
        if SAVE:
            tl.store(mu_ptr + row, mu, there)
            tl.store(mu_residual_ptr + row, mu_residual, there)
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def standardize_backward(
    x_ptr,
    dy_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
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
    """dx = rstd*(dy - mean(dy) - y*sum(dy*y)/(D - 1))"""
    x_stride = x_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dy_row = dy_ptr + row*dy_stride
        dx_row = dx_ptr + row*D
        mu = tl.load(mu_ptr + row, there, 0).to(A)
        mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        mean_dy_sum = tl.zeros([ROWS, TILE], A)
        sum_dy_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            y = x_centred*rstd  # step 5
            mean_dy_sum += dy
            sum_dy_y_sum += tl.where(inside, dy*y, 0.0)
        mean_dy = tl.sum(mean_dy_sum, 1, keep_dims=True)/length  # step 15: mean(dy)
        sum_dy_y = tl.sum(sum_dy_y_sum, 1, keep_dims=True)  # step 15: sum(dy*y)
        sum_dy_y_scaled = sum_dy_y/(length - 1)  # step 15, pass 10: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            y = x_centred*rstd  # step 5
            dx = (dy - mean_dy - y*sum_dy_y_scaled)*rstd  # step 15, pass 12: once a row
            tl.store(dx_row + d, dx, inside)


@triton.jit(do_not_specialize=["rows"])
def standardize_jvp(
    x_ptr,
    x_dot_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
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
    """y_dot = rstd*(x_dot - mean(x_dot) - y*sum(x_dot*y)/(D - 1))"""
    x_stride = x_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        y_dot_row = y_dot_ptr + row*D
        mu = tl.load(mu_ptr + row, there, 0).to(A)
        mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        mean_x_dot_sum = tl.zeros([ROWS, TILE], A)
        sum_x_dot_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            y = x_centred*rstd  # step 5
            mean_x_dot_sum += (x_dot if HAS_x_dot else 0.0)
            sum_x_dot_y_sum += tl.where(inside, (x_dot if HAS_x_dot else 0.0)*y, 0.0)
        mean_x_dot = tl.sum(mean_x_dot_sum, 1, keep_dims=True)/length  # step 22
        sum_x_dot_y = tl.sum(sum_x_dot_y_sum, 1, keep_dims=True)  # step 22
        sum_x_dot_y_scaled = sum_x_dot_y/(length - 1)  # step 22, pass 15: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            y = x_centred*rstd  # step 5
            y_dot_part = 0.0
            if HAS_x_dot:
                y_dot_part += x_dot
            y_dot_part += -mean_x_dot - y*sum_x_dot_y_scaled
            y_dot = y_dot_part*rstd  # step 22, pass 17: once a row
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def standardize_backward_backward(
    x_ptr,
    dy_ptr,
    ddx_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
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
    mean_dy_y = mean(dy*y)
    d2x = D*rstd**2*(mean_dy*y*mean(ddx) + mean(ddx*y)*(3*D*mean_dy_y*y/(D - 1) +
        mean_dy - dy) - y*mean(ddx*dy) - mean_dy_y*(ddx - mean(ddx)))/(D - 1)
    ddy = rstd*(ddx - mean(ddx) - y*sum(ddx*y)/(D - 1))
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
        mu = tl.load(mu_ptr + row, there, 0).to(A)
        mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        rstd_scaled = (rstd*rstd)*length/(length - 1)  # step 36, pass 18: once a row
        mean_dy_sum = tl.zeros([ROWS, TILE], A)
        mean_dy_y_sum = tl.zeros([ROWS, TILE], A)
        mean_ddx_y_sum = tl.zeros([ROWS, TILE], A)
        mean_ddx_sum = tl.zeros([ROWS, TILE], A)
        mean_ddx_dy_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            y = x_centred*rstd  # step 5
            mean_dy_sum += dy
            mean_dy_y_sum += tl.where(inside, dy*y, 0.0)
            mean_ddx_y_sum += tl.where(inside, (ddx if HAS_ddx else 0.0)*y, 0.0)
            mean_ddx_sum += (ddx if HAS_ddx else 0.0)
            mean_ddx_dy_sum += (ddx if HAS_ddx else 0.0)*dy
        mean_dy = tl.sum(mean_dy_sum, 1, keep_dims=True)/length  # step 23: mean(dy)
        mean_dy_y = tl.sum(mean_dy_y_sum, 1, keep_dims=True)/length  # step 24
        mean_ddx_y = tl.sum(mean_ddx_y_sum, 1, keep_dims=True)/length  # step 36
        mean_ddx = tl.sum(mean_ddx_sum, 1, keep_dims=True)/length  # step 36: mean(ddx)
        mean_ddx_dy = tl.sum(mean_ddx_dy_sum, 1, keep_dims=True)/length  # step 36
        mean_dy_y_scaled = 3*mean_dy_y*length/(length - 1)  # step 36, pass 23
        mean_ddx_scaled = mean_ddx*mean_dy  # step 36, pass 24: once a row
        sum_ddx_y = mean_ddx_y*length  # step 42, pass 25: shared reductions
        sum_ddx_y_scaled = sum_ddx_y/(length - 1)  # step 42, pass 26: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            y = x_centred*rstd  # step 5
            d2x_part = 0.0
            if HAS_ddx:
                d2x_part += ddx
            d2x_part -= mean_ddx
            # step 36, pass 29: once a row
            d2x = (
                y*mean_ddx_scaled
                + (y*mean_dy_y_scaled + mean_dy - dy)*mean_ddx_y
                - y*mean_ddx_dy
                - d2x_part*mean_dy_y
            )*rstd_scaled
            ddy_part = 0.0
            if HAS_ddx:
                ddy_part += ddx
            ddy_part += -mean_ddx - y*sum_ddx_y_scaled
            ddy = ddy_part*rstd  # step 42, pass 30: once a row
            tl.store(dx_row + d, d2x, inside)
            tl.store(ddy_row + d, ddy, inside)
