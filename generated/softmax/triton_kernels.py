# Made by lngen 0.1.0 from the definition of softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit softmax.py and run: lngen derive softmax.py
# definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
# mypy: ignore-errors
"""Softmax over the feature axis.

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
def softmax_forward(
    x_ptr,
    y_ptr,
    x_stride,
    x_step,
    rows,
    D,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """m = max(x)
    e_shifted = exp(x - m)
    Z = sum(e_shifted)
    inv_Z = 1/Z
    y = inv_Z*e_shifted
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
            e_shifted = tl.exp(x_shifted)  # step 3
            Z_sum += tl.where(inside, e_shifted, 0.0)
        Z = tl.sum(Z_sum, 1, keep_dims=True)  # step 4: sum(e_shifted)
        inv_Z = 1/Z  # step 5
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - m  # step 2
            e_shifted = tl.exp(x_shifted)  # step 3
            y = e_shifted*inv_Z  # step 6
            tl.store(y_row + d, y, inside)


@triton.jit(do_not_specialize=["rows"])
def softmax_backward(
    y_ptr,
    dy_ptr,
    dx_ptr,
    y_stride,
    y_step,
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
    """dx = y*(dy - sum(dy*y))"""
    y_stride = y_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    y_step = tl.cast(y_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        y_row = y_ptr + row*y_stride
        dy_row = dy_ptr + row*dy_stride
        dx_row = dx_ptr + row*D
        sum_dy_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            y = tl.load(y_row + d*y_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            sum_dy_y_sum += dy*y
        sum_dy_y = tl.sum(sum_dy_y_sum, 1, keep_dims=True)  # step 18: sum(dy*y)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            y = tl.load(y_row + d*y_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            dx = (dy - sum_dy_y)*y  # step 18
            tl.store(dx_row + d, dx, inside)


@triton.jit(do_not_specialize=["rows"])
def softmax_jvp(
    y_ptr,
    x_dot_ptr,
    y_dot_ptr,
    y_stride,
    y_step,
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
    """y_dot = y*(x_dot - sum(x_dot*y))"""
    y_stride = y_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    y_step = tl.cast(y_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        y_row = y_ptr + row*y_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        y_dot_row = y_dot_ptr + row*D
        sum_x_dot_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            y = tl.load(y_row + d*y_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            sum_x_dot_y_sum += (x_dot if HAS_x_dot else 0.0)*y
        sum_x_dot_y = tl.sum(sum_x_dot_y_sum, 1, keep_dims=True)  # step 25
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            y = tl.load(y_row + d*y_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            y_dot_part = 0.0
            if HAS_x_dot:
                y_dot_part += x_dot
            y_dot_part -= sum_x_dot_y
            y_dot = y_dot_part*y  # step 25
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def softmax_backward_backward(
    y_ptr,
    dy_ptr,
    ddx_ptr,
    dx_ptr,
    ddy_ptr,
    y_stride,
    y_step,
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
    d2y_part = ddx*(dy - D*mean_dy_y)
    d2x = y*(d2y_part + D*(mean(ddx*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
    ddy = y*(ddx - sum(ddx*y))
    """
    y_stride = y_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    y_step = tl.cast(y_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        y_row = y_ptr + row*y_stride
        dy_row = dy_ptr + row*dy_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        ddy_row = ddy_ptr + row*D
        mean_dy_y_sum = tl.zeros([ROWS, TILE], A)
        mean_ddx_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            y = tl.load(y_row + d*y_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            mean_dy_y_sum += dy*y
            mean_ddx_y_sum += (ddx if HAS_ddx else 0.0)*y
        mean_dy_y = tl.sum(mean_dy_y_sum, 1, keep_dims=True)/length  # step 26
        mean_ddx_y = tl.sum(mean_ddx_y_sum, 1, keep_dims=True)/length  # step 38
        mean_dy_y_scaled = mean_dy_y*length  # step 28, pass 1: once a row
        sum_ddx_y = mean_ddx_y*length  # step 43, pass 2: shared reductions
        mean_d2y_part_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            y = tl.load(y_row + d*y_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            # step 28, pass 3: once a row
            d2y_part = (dy - mean_dy_y_scaled)*(ddx if HAS_ddx else 0.0)
            mean_d2y_part_y_sum += tl.where(inside, d2y_part*y, 0.0)
        # step 38: mean(d2y_part*y)
        mean_d2y_part_y = tl.sum(mean_d2y_part_y_sum, 1, keep_dims=True)/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            y = tl.load(y_row + d*y_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            # step 28, pass 3: once a row
            d2y_part = (dy - mean_dy_y_scaled)*(ddx if HAS_ddx else 0.0)
            ddy_part = 0.0
            if HAS_ddx:
                ddy_part += ddx
            ddy_part -= sum_ddx_y
            ddy = ddy_part*y  # step 43
            # step 38, pass 4: once a row
            d2x = (
                d2y_part + ((mean_dy_y_scaled - dy)*mean_ddx_y - mean_d2y_part_y)*length
            )*y
            tl.store(dx_row + d, d2x, inside)
            tl.store(ddy_row + d, ddy, inside)
