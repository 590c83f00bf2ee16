# Made by lngen 0.1.0 from the definition of cispo; derivation.md has its steps, cost and evidence.
# Do not edit; edit cispo.py and run: lngen derive cispo.py
# Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:a21bee54b07909b1e1df488422d8fc3f4932d92800acfe716b79aec1320057a1
# mypy: ignore-errors
"""Loss of a token by a clipped importance weight, from its logits: the weight is cut, and no token's gradient is.

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
def cispo_forward(
    x_ptr,
    label_ptr,
    advantage_ptr,
    old_ptr,
    high: tl.float64,
    y_ptr,
    m_2_ptr,
    Z_ptr,
    ratio_ptr,
    x_stride,
    x_step,
    label_stride,
    advantage_stride,
    old_stride,
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
    sum_where_x = sum(where(index() == label, x, 0))
    log_Z = log(Z)
    exp_log_Z_m_2 = exp(sum_where_x - old - m_2 - log_Z)
    ratio = stop_gradient(where(exp_log_Z_m_2 >= high, high, exp_log_Z_m_2))
    y = -advantage*ratio*(sum_where_x - m_2 - log_Z)
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    high = tl.full([1, 1], high, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        advantage = tl.load(advantage_ptr + row*advantage_stride, there, 0).to(A)
        old = tl.load(old_ptr + row*old_stride, there, 0).to(A)
        inside_there = there & (label >= 0) & (label < D)
        x_there = tl.load(x_row + label*x_step, inside_there, 0).to(A)
        sum_where_x = x_there  # step 6: sum(where(index() == label, x, 0))
        m_2_max = tl.full([ROWS, TILE], -float("inf"), A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            m_2_max = tl.maximum(m_2_max, tl.where(inside, x, -float("inf")))
        m_2 = finite_or_zero(tl.max(m_2_max, 1, keep_dims=True))  # step 2: max(x)
        sum_where_x_shifted = sum_where_x - m_2  # step 6, pass 1: offsets
        Z_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - m_2  # step 3
            exp_shifted = tl.exp(x_shifted)  # step 4
            Z_sum += tl.where(inside, exp_shifted, 0.0)
        Z = tl.sum(Z_sum, 1, keep_dims=True)  # step 5: sum(exp_shifted)
        log_Z = tl.log(Z)  # step 7
        exp_log_Z_m_2 = tl.exp(sum_where_x_shifted - log_Z - old)  # step 8, pass 2
        ratio = tl.where(exp_log_Z_m_2 >= high, high, exp_log_Z_m_2)  # step 9
        y = -(sum_where_x_shifted - log_Z)*advantage*ratio  # step 10, pass 3: offsets
        tl.store(y_ptr + row, y, there)
        if SAVE:
            tl.store(m_2_ptr + row, m_2, there)
            tl.store(Z_ptr + row, Z, there)
            tl.store(ratio_ptr + row, ratio, there)


@triton.jit(do_not_specialize=["rows"])
def cispo_backward(
    x_ptr,
    label_ptr,
    advantage_ptr,
    dy_ptr,
    m_2_ptr,
    Z_ptr,
    ratio_ptr,
    dx_ptr,
    x_stride,
    x_step,
    label_stride,
    advantage_stride,
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
    dx = advantage*dy*ratio*p + where(index() == label, -advantage*dy*ratio, 0)
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
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        advantage = tl.load(advantage_ptr + row*advantage_stride, there, 0).to(A)
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        ratio = tl.load(ratio_ptr + row, there, 0).to(A)
        advantage_scaled = advantage*dy*ratio/Z  # step 24, pass 4: once a row
        advantage_scaled_2 = advantage*dy*ratio  # step 24, pass 5: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - m_2  # step 3
            exp_shifted = tl.exp(x_shifted)  # step 4
            # step 24, pass 6: once a row
            dx = exp_shifted*advantage_scaled + tl.where(
                d == label, -advantage_scaled_2, 0
            )
            tl.store(dx_row + d, dx, inside)


@triton.jit(do_not_specialize=["rows"])
def cispo_jvp(
    x_ptr,
    label_ptr,
    advantage_ptr,
    x_dot_ptr,
    m_2_ptr,
    Z_ptr,
    ratio_ptr,
    y_dot_ptr,
    x_stride,
    x_step,
    label_stride,
    advantage_stride,
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
    y_dot = D*advantage*ratio*(mean(p*x_dot) - mean(where(index() == label, x_dot,
        0)))
    """
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
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        advantage = tl.load(advantage_ptr + row*advantage_stride, there, 0).to(A)
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        ratio = tl.load(ratio_ptr + row, there, 0).to(A)
        mean_index_x_dot_sum = tl.zeros([ROWS, TILE], A)
        mean_exp_shifted_x_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            x_shifted = x - m_2  # step 3
            exp_shifted = tl.exp(x_shifted)  # step 4
            mean_index_x_dot_sum += tl.where(
                inside, tl.where(d == label, (x_dot if HAS_x_dot else 0.0), 0), 0.0
            )
            mean_exp_shifted_x_dot_sum += tl.where(
                inside, exp_shifted*(x_dot if HAS_x_dot else 0.0), 0.0
            )
        # step 34, pass 7: mean(where(index() == label, x_dot, 0))
        mean_index_x_dot = tl.sum(mean_index_x_dot_sum, 1, keep_dims=True)/length
        # step 34, pass 8: mean(exp_shifted*x_dot)
        mean_exp_shifted_x_dot = tl.sum(
            mean_exp_shifted_x_dot_sum, 1, keep_dims=True
        )/length
        # step 34, pass 9: written out
        y_dot = (mean_exp_shifted_x_dot/Z - mean_index_x_dot)*advantage*ratio*length
        tl.store(y_dot_ptr + row, y_dot, there)


@triton.jit(do_not_specialize=["rows"])
def cispo_backward_backward(
    x_ptr,
    label_ptr,
    advantage_ptr,
    dy_ptr,
    ddx_ptr,
    m_2_ptr,
    Z_ptr,
    ratio_ptr,
    dx_ptr,
    ddy_ptr,
    x_stride,
    x_step,
    label_stride,
    advantage_stride,
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
    d2x = advantage*dy*ratio*p*(ddx - sum(ddx*p))
    ddy = advantage*ratio*sum(ddx*p) + sum(where(index() == label,
        -advantage*ratio*ddx, 0))
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
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        advantage = tl.load(advantage_ptr + row*advantage_stride, there, 0).to(A)
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        ratio = tl.load(ratio_ptr + row, there, 0).to(A)
        advantage_scaled = advantage*dy*ratio/Z  # step 45, pass 10: once a row
        advantage_scaled_2 = advantage*ratio  # step 47, pass 11: once a row
        inside_there = there & (label >= 0) & (label < D)
        ddx_there = (
            tl.load(ddx_row + label*ddx_step, inside_there, 0).to(A) if HAS_ddx else 0.0
        )
        # step 47, pass 13: sum(where(index() == label, -ddx*advantage_scaled_2, 0))
        sum_ddx_index = tl.where(
            inside_there, -(ddx_there if HAS_ddx else 0.0)*advantage_scaled_2, 0.0
        )
        sum_ddx_exp_shifted_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m_2  # step 3
            exp_shifted = tl.exp(x_shifted)  # step 4
            sum_ddx_exp_shifted_sum += tl.where(
                inside, (ddx if HAS_ddx else 0.0)*exp_shifted, 0.0
            )
        # step 45, pass 12: sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = tl.sum(sum_ddx_exp_shifted_sum, 1, keep_dims=True)
        sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/Z  # step 45, pass 14
        ddy = sum_ddx_index + advantage*ratio*sum_ddx_exp_shifted/Z  # step 47, pass 15
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m_2  # step 3
            exp_shifted = tl.exp(x_shifted)  # step 4
            d2x_part = 0.0
            if HAS_ddx:
                d2x_part += ddx
            d2x_part -= sum_ddx_exp_shifted_scaled
            d2x = d2x_part*exp_shifted*advantage_scaled  # step 45, pass 16: once a row
            tl.store(dx_row + d, d2x, inside)
        tl.store(ddy_ptr + row, ddy, there)
