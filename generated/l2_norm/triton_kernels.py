# Made by lngen 0.1.0 from the definition of l2_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
# definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
# mypy: ignore-errors
"""Each row divided by its Euclidean length.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["rows"])
def l2_norm_forward(
    x_ptr,
    eps: tl.float64,
    y_ptr,
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
    """sum_x2 = sum(x**2)
    rstd = 1/sqrt(sum_x2 + eps)
    y = rstd*x
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    eps = tl.full([1, 1], eps, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        y_row = y_ptr + row*D
        sum_x2_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            sum_x2_sum += x*x
        sum_x2 = tl.sum(sum_x2_sum, 1, keep_dims=True)  # step 1: sum(x**2)
        rstd = tl.rsqrt(sum_x2 + eps)  # step 2
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            y = x*rstd  # step 3
            tl.store(y_row + d, y, inside)
        if SAVE:
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def l2_norm_backward(
    x_ptr,
    dy_ptr,
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
    """dx = rstd*(dy - y*sum(dy*y))"""
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
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        sum_dy_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            y = x*rstd  # step 3
            sum_dy_y_sum += tl.where(inside, dy*y, 0.0)
        sum_dy_y = tl.sum(sum_dy_y_sum, 1, keep_dims=True)  # step 9: sum(dy*y)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            y = x*rstd  # step 3
            dx = (dy - y*sum_dy_y)*rstd  # step 9
            tl.store(dx_row + d, dx, inside)


@triton.jit(do_not_specialize=["rows"])
def l2_norm_jvp(
    x_ptr,
    x_dot_ptr,
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
    """y_dot = rstd*(x_dot - y*sum(x_dot*y))"""
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
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        sum_x_dot_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            y = x*rstd  # step 3
            sum_x_dot_y_sum += tl.where(inside, (x_dot if HAS_x_dot else 0.0)*y, 0.0)
        sum_x_dot_y = tl.sum(sum_x_dot_y_sum, 1, keep_dims=True)  # step 14
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            y = x*rstd  # step 3
            y_dot_part = 0.0
            if HAS_x_dot:
                y_dot_part += x_dot
            y_dot_part -= y*sum_x_dot_y
            y_dot = y_dot_part*rstd  # step 14
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def l2_norm_backward_backward(
    x_ptr,
    dy_ptr,
    ddx_ptr,
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
    """mean_dy_y = mean(dy*y)
    d2x = D*rstd**2*(mean(ddx*y)*(3*D*mean_dy_y*y - dy) - mean_dy_y*ddx -
        y*mean(ddx*dy))
    ddy = rstd*(ddx - y*sum(ddx*y))
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
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        rstd_scaled = (rstd*rstd)*length  # step 25, pass 7: once a row
        mean_dy_y_sum = tl.zeros([ROWS, TILE], A)
        mean_ddx_y_sum = tl.zeros([ROWS, TILE], A)
        mean_ddx_dy_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            y = x*rstd  # step 3
            mean_dy_y_sum += tl.where(inside, dy*y, 0.0)
            mean_ddx_y_sum += tl.where(inside, (ddx if HAS_ddx else 0.0)*y, 0.0)
            mean_ddx_dy_sum += (ddx if HAS_ddx else 0.0)*dy
        mean_dy_y = tl.sum(mean_dy_y_sum, 1, keep_dims=True)/length  # step 15
        mean_ddx_y = tl.sum(mean_ddx_y_sum, 1, keep_dims=True)/length  # step 25
        mean_ddx_dy = tl.sum(mean_ddx_dy_sum, 1, keep_dims=True)/length  # step 25
        mean_dy_y_scaled = 3*mean_dy_y*length  # step 25, pass 12: once a row
        sum_ddx_y = mean_ddx_y*length  # step 30, pass 13: shared reductions
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            y = x*rstd  # step 3
            # step 25, pass 16: once a row
            d2x = (
                (y*mean_dy_y_scaled - dy)*mean_ddx_y
                - y*mean_ddx_dy
                - (ddx if HAS_ddx else 0.0)*mean_dy_y
            )*rstd_scaled
            ddy_part = 0.0
            if HAS_ddx:
                ddy_part += ddx
            ddy_part -= y*sum_ddx_y
            ddy = ddy_part*rstd  # step 30
            tl.store(dx_row + d, d2x, inside)
            tl.store(ddy_row + d, ddy, inside)
