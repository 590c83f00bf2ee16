# Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
# mypy: ignore-errors
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

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
def alibi_softmax_forward(
    x_ptr,
    slope_ptr,
    position_ptr,
    y_ptr,
    m_ptr,
    inv_sum_e_shifted_ptr,
    x_stride_b,
    x_stride_h,
    x_stride_q,
    x_step,
    slope_stride_h,
    position_stride_q,
    y_stride_b,
    y_stride_h,
    y_stride_q,
    y_step,
    h_size,
    q_size,
    rows,
    D,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """z = x + slope*(index() - position)
    m = max(where(index() <= position, z, -1e38))
    u = where(index() <= position, z - m, 0)
    exp_u = exp(u)
    e_shifted = where(index() <= position, exp_u, 0)
    sum_e_shifted = sum(e_shifted)
    inv_sum_e_shifted = 1/sum_e_shifted
    y = inv_sum_e_shifted*e_shifted
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    x_stride_q = x_stride_q // EVEN * EVEN
    y_stride_b = y_stride_b // EVEN * EVEN
    y_stride_h = y_stride_h // EVEN * EVEN
    y_stride_q = y_stride_q // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    y_step = tl.cast(y_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*q_size)
        h_index = row // q_size % h_size
        q_index = row % q_size
        x_row = x_ptr + b_index*x_stride_b + h_index*x_stride_h + q_index*x_stride_q
        y_row = y_ptr + b_index*y_stride_b + h_index*y_stride_h + q_index*y_stride_q
        slope = tl.load(slope_ptr + h_index*slope_stride_h, there, 0).to(A)
        position = tl.load(position_ptr + q_index*position_stride_q, there, 0).to(
            tl.int64
        )
        m_max = tl.full([ROWS, TILE], -float("inf"), A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = x + (d - position).to(A)*slope  # step 1
            m_max = tl.maximum(
                m_max,
                tl.where(inside, tl.where(d <= position, z, -1e+38), -float("inf")),
            )
        m = finite_or_zero(tl.max(m_max, 1, keep_dims=True))  # step 2
        sum_e_shifted_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = x + (d - position).to(A)*slope  # step 1
            x_shifted = z - m  # step 3
            u = tl.where(d <= position, x_shifted, 0)  # step 4
            exp_u = tl.exp(u)  # step 5
            e_shifted = tl.where(d <= position, exp_u, 0)  # step 6
            sum_e_shifted_sum += tl.where(inside, e_shifted, 0.0)
        sum_e_shifted = tl.sum(sum_e_shifted_sum, 1, keep_dims=True)  # step 7
        inv_sum_e_shifted = 1/sum_e_shifted  # step 8
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = x + (d - position).to(A)*slope  # step 1
            x_shifted = z - m  # step 3
            u = tl.where(d <= position, x_shifted, 0)  # step 4
            exp_u = tl.exp(u)  # step 5
            e_shifted = tl.where(d <= position, exp_u, 0)  # step 6
            y = e_shifted*inv_sum_e_shifted  # step 9
            tl.store(y_row + d*y_step, y, inside)
        if SAVE:
            tl.store(m_ptr + row, m, there)
            tl.store(inv_sum_e_shifted_ptr + row, inv_sum_e_shifted, there)


@triton.jit(do_not_specialize=["rows"])
def alibi_softmax_backward(
    x_ptr,
    slope_ptr,
    position_ptr,
    dy_ptr,
    m_ptr,
    inv_sum_e_shifted_ptr,
    dx_ptr,
    x_stride_b,
    x_stride_h,
    x_stride_q,
    x_step,
    slope_stride_h,
    position_stride_q,
    dy_stride_b,
    dy_stride_h,
    dy_stride_q,
    dy_step,
    dx_stride_b,
    dx_stride_h,
    dx_stride_q,
    dx_step,
    h_size,
    q_size,
    rows,
    D,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dx = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - sum(dy*y)), 0)"""
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    x_stride_q = x_stride_q // EVEN * EVEN
    dy_stride_b = dy_stride_b // EVEN * EVEN
    dy_stride_h = dy_stride_h // EVEN * EVEN
    dy_stride_q = dy_stride_q // EVEN * EVEN
    dx_stride_b = dx_stride_b // EVEN * EVEN
    dx_stride_h = dx_stride_h // EVEN * EVEN
    dx_stride_q = dx_stride_q // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*q_size)
        h_index = row // q_size % h_size
        q_index = row % q_size
        x_row = x_ptr + b_index*x_stride_b + h_index*x_stride_h + q_index*x_stride_q
        dy_row = (
            dy_ptr + b_index*dy_stride_b + h_index*dy_stride_h + q_index*dy_stride_q
        )
        dx_row = (
            dx_ptr + b_index*dx_stride_b + h_index*dx_stride_h + q_index*dx_stride_q
        )
        slope = tl.load(slope_ptr + h_index*slope_stride_h, there, 0).to(A)
        position = tl.load(position_ptr + q_index*position_stride_q, there, 0).to(
            tl.int64
        )
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_sum_e_shifted = tl.load(inv_sum_e_shifted_ptr + row, there, 0).to(A)
        sum_dy_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            z = x + (d - position).to(A)*slope  # step 1
            x_shifted = z - m  # step 3
            u = tl.where(d <= position, x_shifted, 0)  # step 4
            exp_u = tl.exp(u)  # step 5
            e_shifted = tl.where(d <= position, exp_u, 0)  # step 6
            y = e_shifted*inv_sum_e_shifted  # step 9
            sum_dy_y_sum += tl.where(inside, dy*y, 0.0)
        sum_dy_y = tl.sum(sum_dy_y_sum, 1, keep_dims=True)  # step 25: sum(dy*y)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            z = x + (d - position).to(A)*slope  # step 1
            x_shifted = z - m  # step 3
            u = tl.where(d <= position, x_shifted, 0)  # step 4
            exp_u = tl.exp(u)  # step 5
            # step 25
            dx = tl.where(d <= position, (dy - sum_dy_y)*exp_u*inv_sum_e_shifted, 0)
            tl.store(dx_row + d*dx_step, dx, inside)


@triton.jit(do_not_specialize=["rows"])
def alibi_softmax_jvp(
    x_ptr,
    slope_ptr,
    position_ptr,
    x_dot_ptr,
    m_ptr,
    inv_sum_e_shifted_ptr,
    y_dot_ptr,
    x_stride_b,
    x_stride_h,
    x_stride_q,
    x_step,
    slope_stride_h,
    position_stride_q,
    x_dot_stride_b,
    x_dot_stride_h,
    x_dot_stride_q,
    x_dot_step,
    y_dot_stride_b,
    y_dot_stride_h,
    y_dot_stride_q,
    y_dot_step,
    h_size,
    q_size,
    rows,
    D,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """e_shifted_dot = where(index() <= position, exp_u*x_dot, 0)
    y_dot = inv_sum_e_shifted*(e_shifted_dot - y*sum(e_shifted_dot))
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    x_stride_q = x_stride_q // EVEN * EVEN
    x_dot_stride_b = x_dot_stride_b // EVEN * EVEN
    x_dot_stride_h = x_dot_stride_h // EVEN * EVEN
    x_dot_stride_q = x_dot_stride_q // EVEN * EVEN
    y_dot_stride_b = y_dot_stride_b // EVEN * EVEN
    y_dot_stride_h = y_dot_stride_h // EVEN * EVEN
    y_dot_stride_q = y_dot_stride_q // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    y_dot_step = tl.cast(y_dot_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*q_size)
        h_index = row // q_size % h_size
        q_index = row % q_size
        x_row = x_ptr + b_index*x_stride_b + h_index*x_stride_h + q_index*x_stride_q
        if HAS_x_dot:
            x_dot_row = (
                x_dot_ptr
                + b_index*x_dot_stride_b
                + h_index*x_dot_stride_h
                + q_index*x_dot_stride_q
            )
        y_dot_row = (
            y_dot_ptr
            + b_index*y_dot_stride_b
            + h_index*y_dot_stride_h
            + q_index*y_dot_stride_q
        )
        slope = tl.load(slope_ptr + h_index*slope_stride_h, there, 0).to(A)
        position = tl.load(position_ptr + q_index*position_stride_q, there, 0).to(
            tl.int64
        )
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_sum_e_shifted = tl.load(inv_sum_e_shifted_ptr + row, there, 0).to(A)
        sum_e_shifted_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            z = x + (d - position).to(A)*slope  # step 1
            x_shifted = z - m  # step 3
            u = tl.where(d <= position, x_shifted, 0)  # step 4
            exp_u = tl.exp(u)  # step 5
            # step 30
            e_shifted_dot = tl.where(
                d <= position, exp_u*(x_dot if HAS_x_dot else 0.0), 0
            )
            sum_e_shifted_dot_sum += tl.where(inside, e_shifted_dot, 0.0)
        sum_e_shifted_dot = tl.sum(sum_e_shifted_dot_sum, 1, keep_dims=True)  # step 35
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            z = x + (d - position).to(A)*slope  # step 1
            x_shifted = z - m  # step 3
            u = tl.where(d <= position, x_shifted, 0)  # step 4
            exp_u = tl.exp(u)  # step 5
            # step 30
            e_shifted_dot = tl.where(
                d <= position, exp_u*(x_dot if HAS_x_dot else 0.0), 0
            )
            e_shifted = tl.where(d <= position, exp_u, 0)  # step 6
            y = e_shifted*inv_sum_e_shifted  # step 9
            y_dot = (e_shifted_dot - y*sum_e_shifted_dot)*inv_sum_e_shifted  # step 35
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def alibi_softmax_backward_backward(
    x_ptr,
    slope_ptr,
    position_ptr,
    dy_ptr,
    ddx_ptr,
    m_ptr,
    inv_sum_e_shifted_ptr,
    dx_ptr,
    ddy_ptr,
    x_stride_b,
    x_stride_h,
    x_stride_q,
    x_step,
    slope_stride_h,
    position_stride_q,
    dy_stride_b,
    dy_stride_h,
    dy_stride_q,
    dy_step,
    ddx_stride_b,
    ddx_stride_h,
    ddx_stride_q,
    ddx_step,
    dx_stride_b,
    dx_stride_h,
    dx_stride_q,
    dx_step,
    ddy_stride_b,
    ddy_stride_h,
    ddy_stride_q,
    ddy_step,
    h_size,
    q_size,
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
    d2x = where(index() <= position, exp_u*(inv_sum_e_shifted*ddx*(dy - D*mean_dy_y)
        + inv_sum_e_shifted*(mean(where(index() <= position,
        -D*inv_sum_e_shifted*ddx*exp_u, 0))*(dy - D*mean_dy_y) -
        inv_sum_e_shifted*sum(where(index() <= position, ddx*exp_u*(dy -
        D*mean_dy_y), 0)))), 0)
    ddy = where(index() <= position, inv_sum_e_shifted*ddx*exp_u, 0) +
        y*mean(where(index() <= position, -D*inv_sum_e_shifted*ddx*exp_u, 0))
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    x_stride_q = x_stride_q // EVEN * EVEN
    dy_stride_b = dy_stride_b // EVEN * EVEN
    dy_stride_h = dy_stride_h // EVEN * EVEN
    dy_stride_q = dy_stride_q // EVEN * EVEN
    ddx_stride_b = ddx_stride_b // EVEN * EVEN
    ddx_stride_h = ddx_stride_h // EVEN * EVEN
    ddx_stride_q = ddx_stride_q // EVEN * EVEN
    dx_stride_b = dx_stride_b // EVEN * EVEN
    dx_stride_h = dx_stride_h // EVEN * EVEN
    dx_stride_q = dx_stride_q // EVEN * EVEN
    ddy_stride_b = ddy_stride_b // EVEN * EVEN
    ddy_stride_h = ddy_stride_h // EVEN * EVEN
    ddy_stride_q = ddy_stride_q // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    ddy_step = tl.cast(ddy_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*q_size)
        h_index = row // q_size % h_size
        q_index = row % q_size
        x_row = x_ptr + b_index*x_stride_b + h_index*x_stride_h + q_index*x_stride_q
        dy_row = (
            dy_ptr + b_index*dy_stride_b + h_index*dy_stride_h + q_index*dy_stride_q
        )
        if HAS_ddx:
            ddx_row = (
                ddx_ptr
                + b_index*ddx_stride_b
                + h_index*ddx_stride_h
                + q_index*ddx_stride_q
            )
        dx_row = (
            dx_ptr + b_index*dx_stride_b + h_index*dx_stride_h + q_index*dx_stride_q
        )
        ddy_row = (
            ddy_ptr + b_index*ddy_stride_b + h_index*ddy_stride_h + q_index*ddy_stride_q
        )
        slope = tl.load(slope_ptr + h_index*slope_stride_h, there, 0).to(A)
        position = tl.load(position_ptr + q_index*position_stride_q, there, 0).to(
            tl.int64
        )
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_sum_e_shifted = tl.load(inv_sum_e_shifted_ptr + row, there, 0).to(A)
        inv_sum_e_shifted_scaled = inv_sum_e_shifted*length  # step 50, pass 4
        mean_dy_y_sum = tl.zeros([ROWS, TILE], A)
        mean_ddx_exp_u_index_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            z = x + (d - position).to(A)*slope  # step 1
            x_shifted = z - m  # step 3
            u = tl.where(d <= position, x_shifted, 0)  # step 4
            exp_u = tl.exp(u)  # step 5
            e_shifted = tl.where(d <= position, exp_u, 0)  # step 6
            y = e_shifted*inv_sum_e_shifted  # step 9
            mean_dy_y_sum += tl.where(inside, dy*y, 0.0)
            mean_ddx_exp_u_index_sum += tl.where(
                inside,
                tl.where(
                    d <= position,
                    -(ddx if HAS_ddx else 0.0)*exp_u*inv_sum_e_shifted_scaled,
                    0,
                ),
                0.0,
            )
        mean_dy_y = tl.sum(mean_dy_y_sum, 1, keep_dims=True)/length  # step 36
        # step 50, pass 6: mean(where(index() <= position, -ddx*exp_u*inv_sum_e_shifted_scaled, 0))
        mean_ddx_exp_u_index = tl.sum(
            mean_ddx_exp_u_index_sum, 1, keep_dims=True
        )/length
        mean_dy_y_scaled = mean_dy_y*length  # step 50, pass 8: once a row
        sum_ddx_dy_exp_u_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            z = x + (d - position).to(A)*slope  # step 1
            x_shifted = z - m  # step 3
            u = tl.where(d <= position, x_shifted, 0)  # step 4
            exp_u = tl.exp(u)  # step 5
            sum_ddx_dy_exp_u_sum += tl.where(
                inside,
                tl.where(
                    d <= position,
                    (dy - mean_dy_y_scaled)*(ddx if HAS_ddx else 0.0)*exp_u,
                    0,
                ),
                0.0,
            )
        # step 50, pass 10: sum(where(index() <= position, (dy - mean_dy_y_scaled)*ddx*exp_u, 0))
        sum_ddx_dy_exp_u = tl.sum(sum_ddx_dy_exp_u_sum, 1, keep_dims=True)
        # step 50, pass 11: once a row
        inv_sum_e_shifted_scaled_2 = inv_sum_e_shifted*sum_ddx_dy_exp_u
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            z = x + (d - position).to(A)*slope  # step 1
            x_shifted = z - m  # step 3
            u = tl.where(d <= position, x_shifted, 0)  # step 4
            exp_u = tl.exp(u)  # step 5
            e_shifted = tl.where(d <= position, exp_u, 0)  # step 6
            y = e_shifted*inv_sum_e_shifted  # step 9
            # step 54
            ddy = y*mean_ddx_exp_u_index + tl.where(
                d <= position, (ddx if HAS_ddx else 0.0)*exp_u*inv_sum_e_shifted, 0
            )
            # step 50, pass 12: once a row
            d2x = tl.where(
                d <= position,
                exp_u*(
                    (dy - mean_dy_y_scaled)*(ddx if HAS_ddx else 0.0)*inv_sum_e_shifted
                    + (
                        (dy - mean_dy_y_scaled)*mean_ddx_exp_u_index
                        - inv_sum_e_shifted_scaled_2
                    )*inv_sum_e_shifted
                ),
                0,
            )
            tl.store(dx_row + d*dx_step, d2x, inside)
            tl.store(ddy_row + d*ddy_step, ddy, inside)
