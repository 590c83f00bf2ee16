# Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
# Do not edit; edit tvd.py and run: lngen derive tvd.py
# definition sha256:531a69e0531c8d084bce4e7dc397809639b91913c16cd826b7e28806ee2c4e04
# mypy: ignore-errors
"""Total variation distance of a teacher's and a student's softmax, one number a row.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def sign(u):
    """1, -1, or u itself where it is 0 or NaN."""
    return tl.where(u > 0, 1.0, tl.where(u < 0, -1.0, u))


@triton.jit
def finite_or_zero(u):
    """The number that exponents are shifted by: inf - inf would be NaN."""
    return tl.where(tl.abs(u) == float("inf"), 0.0, u)


@triton.jit(do_not_specialize=["rows"])
def tvd_forward(
    x_ptr,
    teacher_ptr,
    y_ptr,
    m_2_ptr,
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
    e_shifted = exp(x - m_2)
    m = max(teacher)
    t_shifted = exp(teacher - m)
    Z = sum(e_shifted)
    inv_Z = 1/Z
    q = inv_Z*e_shifted
    Z_2 = sum(t_shifted)
    inv_Z_2 = 1/Z_2
    p = inv_Z_2*t_shifted
    sum_abs = sum(abs(p - q))
    y = sum_abs/2
    """
    x_stride = x_stride // EVEN * EVEN
    teacher_stride = teacher_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    teacher_step = tl.cast(teacher_step, tl.int64)
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
        m = finite_or_zero(tl.max(m_max, 1, keep_dims=True))  # step 4: max(teacher)
        Z_sum = tl.zeros([ROWS, TILE], A)
        Z_2_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            x_shifted = x - m_2  # step 2
            e_shifted = tl.exp(x_shifted)  # step 3
            teacher_shifted = teacher - m  # step 5
            t_shifted = tl.exp(teacher_shifted)  # step 6
            Z_sum += tl.where(inside, e_shifted, 0.0)
            Z_2_sum += tl.where(inside, t_shifted, 0.0)
        Z = tl.sum(Z_sum, 1, keep_dims=True)  # step 7: sum(e_shifted)
        Z_2 = tl.sum(Z_2_sum, 1, keep_dims=True)  # step 10: sum(t_shifted)
        inv_Z = 1/Z  # step 8
        inv_Z_2 = 1/Z_2  # step 11
        sum_abs_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            x_shifted = x - m_2  # step 2
            e_shifted = tl.exp(x_shifted)  # step 3
            teacher_shifted = teacher - m  # step 5
            t_shifted = tl.exp(teacher_shifted)  # step 6
            q = e_shifted*inv_Z  # step 9
            p = t_shifted*inv_Z_2  # step 12
            sum_abs_sum += tl.where(inside, tl.abs(p - q), 0.0)
        sum_abs = tl.sum(sum_abs_sum, 1, keep_dims=True)  # step 13: sum(abs(p - q))
        y = 0.5*sum_abs  # step 14
        tl.store(y_ptr + row, y, there)
        if SAVE:
            tl.store(m_2_ptr + row, m_2, there)
            tl.store(m_ptr + row, m, there)
            tl.store(inv_Z_ptr + row, inv_Z, there)
            tl.store(inv_Z_2_ptr + row, inv_Z_2, there)


@triton.jit(do_not_specialize=["rows"])
def tvd_backward(
    x_ptr,
    teacher_ptr,
    dy_ptr,
    m_2_ptr,
    m_ptr,
    inv_Z_ptr,
    inv_Z_2_ptr,
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
    """dx = dy*q*(sum(q*sign(p - q)) - sign(p - q))/2"""
    x_stride = x_stride // EVEN * EVEN
    teacher_stride = teacher_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    teacher_step = tl.cast(teacher_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        teacher_row = teacher_ptr + row*teacher_stride
        dx_row = dx_ptr + row*D
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_Z = tl.load(inv_Z_ptr + row, there, 0).to(A)
        inv_Z_2 = tl.load(inv_Z_2_ptr + row, there, 0).to(A)
        sum_p_q_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            x_shifted = x - m_2  # step 2
            e_shifted = tl.exp(x_shifted)  # step 3
            teacher_shifted = teacher - m  # step 5
            t_shifted = tl.exp(teacher_shifted)  # step 6
            q = e_shifted*inv_Z  # step 9
            p = t_shifted*inv_Z_2  # step 12
            sum_p_q_sum += tl.where(inside, q*sign(p - q), 0.0)
        sum_p_q = tl.sum(sum_p_q_sum, 1, keep_dims=True)  # step 40: sum(q*sign(p - q))
        sum_p_q_scaled = 0.5*sum_p_q  # step 40, pass 1: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            x_shifted = x - m_2  # step 2
            e_shifted = tl.exp(x_shifted)  # step 3
            teacher_shifted = teacher - m  # step 5
            t_shifted = tl.exp(teacher_shifted)  # step 6
            q = e_shifted*inv_Z  # step 9
            p = t_shifted*inv_Z_2  # step 12
            dx = q*(sum_p_q_scaled - 0.5*sign(p - q))*dy  # step 40, pass 2: once a row
            tl.store(dx_row + d, dx, inside)


@triton.jit(do_not_specialize=["rows"])
def tvd_jvp(
    x_ptr,
    teacher_ptr,
    x_dot_ptr,
    m_2_ptr,
    m_ptr,
    inv_Z_ptr,
    inv_Z_2_ptr,
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
    """y_dot = D*(sum(q*x_dot)*mean(q*sign(p - q)) - mean(q*x_dot*sign(p - q)))/2"""
    x_stride = x_stride // EVEN * EVEN
    teacher_stride = teacher_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    teacher_step = tl.cast(teacher_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        teacher_row = teacher_ptr + row*teacher_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_Z = tl.load(inv_Z_ptr + row, there, 0).to(A)
        inv_Z_2 = tl.load(inv_Z_2_ptr + row, there, 0).to(A)
        mean_p_q_x_dot_sum = tl.zeros([ROWS, TILE], A)
        sum_q_x_dot_sum = tl.zeros([ROWS, TILE], A)
        mean_p_q_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            x_shifted = x - m_2  # step 2
            e_shifted = tl.exp(x_shifted)  # step 3
            teacher_shifted = teacher - m  # step 5
            t_shifted = tl.exp(teacher_shifted)  # step 6
            q = e_shifted*inv_Z  # step 9
            p = t_shifted*inv_Z_2  # step 12
            mean_p_q_x_dot_sum += tl.where(
                inside, q*sign(p - q)*(x_dot if HAS_x_dot else 0.0), 0.0
            )
            sum_q_x_dot_sum += tl.where(inside, q*(x_dot if HAS_x_dot else 0.0), 0.0)
            mean_p_q_sum += tl.where(inside, q*sign(p - q), 0.0)
        mean_p_q_x_dot = tl.sum(mean_p_q_x_dot_sum, 1, keep_dims=True)/length  # step 49
        sum_q_x_dot = tl.sum(sum_q_x_dot_sum, 1, keep_dims=True)  # step 49
        mean_p_q = tl.sum(mean_p_q_sum, 1, keep_dims=True)/length  # step 49
        y_dot = (0.5*mean_p_q*sum_q_x_dot - 0.5*mean_p_q_x_dot)*length  # step 49
        tl.store(y_dot_ptr + row, y_dot, there)


@triton.jit(do_not_specialize=["rows"])
def tvd_backward_backward(
    x_ptr,
    teacher_ptr,
    dy_ptr,
    ddx_ptr,
    m_2_ptr,
    m_ptr,
    inv_Z_ptr,
    inv_Z_2_ptr,
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
    """mean_q_sign = mean(q*sign(p - q))
    d2q_part = dy*ddx*(D*mean_q_sign - sign(p - q))/2
    d2x = q*(d2q_part + D*(dy*mean(ddx*q)*(sign(p - q) - D*mean_q_sign)/2 -
        mean(d2q_part*q)))
    ddy = sum(ddx*q*(D*mean_q_sign - sign(p - q))/2)
    """
    x_stride = x_stride // EVEN * EVEN
    teacher_stride = teacher_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    teacher_step = tl.cast(teacher_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    length = tl.cast(D, A)
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
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_Z = tl.load(inv_Z_ptr + row, there, 0).to(A)
        inv_Z_2 = tl.load(inv_Z_2_ptr + row, there, 0).to(A)
        mean_q_sign_sum = tl.zeros([ROWS, TILE], A)
        mean_ddx_q_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m_2  # step 2
            e_shifted = tl.exp(x_shifted)  # step 3
            teacher_shifted = teacher - m  # step 5
            t_shifted = tl.exp(teacher_shifted)  # step 6
            q = e_shifted*inv_Z  # step 9
            p = t_shifted*inv_Z_2  # step 12
            mean_q_sign_sum += tl.where(inside, q*sign(p - q), 0.0)
            mean_ddx_q_sum += tl.where(inside, (ddx if HAS_ddx else 0.0)*q, 0.0)
        mean_q_sign = tl.sum(mean_q_sign_sum, 1, keep_dims=True)/length  # step 50
        mean_ddx_q = tl.sum(mean_ddx_q_sum, 1, keep_dims=True)/length  # step 62
        mean_q_sign_scaled = 0.5*mean_q_sign*length  # step 52, pass 3: once a row
        mean_ddx_q_scaled = dy*mean_ddx_q  # step 62, pass 4: once a row
        mean_q_sign_scaled_2 = -0.5*mean_q_sign*length  # step 62, pass 5: once a row
        mean_d2q_part_q_unscaled_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m_2  # step 2
            e_shifted = tl.exp(x_shifted)  # step 3
            teacher_shifted = teacher - m  # step 5
            t_shifted = tl.exp(teacher_shifted)  # step 6
            q = e_shifted*inv_Z  # step 9
            p = t_shifted*inv_Z_2  # step 12
            mean_d2q_part_q_unscaled_sum += tl.where(
                inside,
                (ddx if HAS_ddx else 0.0)*(mean_q_sign_scaled - 0.5*sign(p - q))*q,
                0.0,
            )
        # step 62, pass 6: mean(ddx*(mean_q_sign_scaled - sign(p - q)/2)*q)
        mean_d2q_part_q_unscaled = tl.sum(
            mean_d2q_part_q_unscaled_sum, 1, keep_dims=True
        )/length
        mean_d2q_part_q = dy*mean_d2q_part_q_unscaled  # step 62, pass 7
        ddy = mean_d2q_part_q_unscaled*length  # step 63, pass 8: shared reductions
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m_2  # step 2
            e_shifted = tl.exp(x_shifted)  # step 3
            teacher_shifted = teacher - m  # step 5
            t_shifted = tl.exp(teacher_shifted)  # step 6
            q = e_shifted*inv_Z  # step 9
            p = t_shifted*inv_Z_2  # step 12
            # step 52, pass 9: once a row
            d2q_part = (ddx if HAS_ddx else 0.0)*(
                mean_q_sign_scaled - 0.5*sign(p - q)
            )*dy
            # step 62, pass 10: once a row
            d2x = (
                d2q_part
                + (
                    (0.5*sign(p - q) + mean_q_sign_scaled_2)*mean_ddx_q_scaled
                    - mean_d2q_part_q
                )*length
            )*q
            tl.store(dx_row + d, d2x, inside)
        tl.store(ddy_ptr + row, ddy, there)
