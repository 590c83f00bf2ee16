# Made by lngen 0.1.0 from the definition of distillation; derivation.md has its steps, cost and evidence.
# Do not edit; edit distillation.py and run: lngen derive distillation.py
# definition sha256:605c03732e301937a46144ac717739a27c6327286eedf29e8b15c84beaabe5d7
# mypy: ignore-errors
"""Cross entropy of a label, and divergence from a teacher's softmax at a temperature, one number a row.

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
def distillation_forward(
    x_ptr,
    teacher_ptr,
    label_ptr,
    temperature: tl.float64,
    share: tl.float64,
    y_ptr,
    m_3_ptr,
    Z_ptr,
    m_ptr,
    Z_2_ptr,
    m_2_ptr,
    inv_Z_3_ptr,
    x_stride,
    x_step,
    teacher_stride,
    teacher_step,
    label_stride,
    rows,
    D,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """sum_where_x = sum(where(index() == label, x, 0))
    m_3 = max(x)
    exp_shifted = exp(x - m_3)
    Z = sum(exp_shifted)
    log_Z = log(Z)
    u = x/temperature
    v = teacher/temperature
    m = max(u)
    exp_shifted_2 = exp(u - m)
    Z_2 = sum(exp_shifted_2)
    log_Z_2 = log(Z_2)
    logq = u - m - log_Z_2
    m_2 = max(v)
    exp_shifted_3 = exp(v - m_2)
    Z_3 = sum(exp_shifted_3)
    log_Z_3 = log(Z_3)
    logp = v - m_2 - log_Z_3
    inv_Z_3 = 1/Z_3
    exp_shifted_3_scaled = inv_Z_3*exp_shifted_3
    soft = sum(exp_shifted_3_scaled*(logp - logq))
    y = share*temperature**2*soft + (1 - share)*(m_3 + log_Z - sum_where_x)
    """
    x_stride = x_stride // EVEN * EVEN
    teacher_stride = teacher_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    teacher_step = tl.cast(teacher_step, tl.int64)
    temperature = tl.full([1, 1], temperature, A)
    share = tl.full([1, 1], share, A)
    temperature_shifted = 1/temperature  # step 7, pass 1: once a row
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        teacher_row = teacher_ptr + row*teacher_stride
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        inside_there = there & (label >= 0) & (label < D)
        x_there = tl.load(x_row + label*x_step, inside_there, 0).to(A)
        sum_where_x = x_there  # step 1: sum(where(index() == label, x, 0))
        m_3_max = tl.full([ROWS, TILE], -float("inf"), A)
        m_max = tl.full([ROWS, TILE], -float("inf"), A)
        m_2_max = tl.full([ROWS, TILE], -float("inf"), A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            u = x*temperature_shifted  # step 7, pass 2: once a row
            v = teacher*temperature_shifted  # step 8, pass 3: once a row
            m_3_max = tl.maximum(m_3_max, tl.where(inside, x, -float("inf")))
            m_max = tl.maximum(m_max, tl.where(inside, u, -float("inf")))
            m_2_max = tl.maximum(m_2_max, tl.where(inside, v, -float("inf")))
        m_3 = finite_or_zero(tl.max(m_3_max, 1, keep_dims=True))  # step 2: max(x)
        m = finite_or_zero(tl.max(m_max, 1, keep_dims=True))  # step 9: max(u)
        m_2 = finite_or_zero(tl.max(m_2_max, 1, keep_dims=True))  # step 15: max(v)
        sum_where_x_shifted = sum_where_x - m_3  # step 1, pass 4: offsets
        Z_sum = tl.zeros([ROWS, TILE], A)
        Z_2_sum = tl.zeros([ROWS, TILE], A)
        Z_3_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            u = x*temperature_shifted  # step 7, pass 2: once a row
            v = teacher*temperature_shifted  # step 8, pass 3: once a row
            x_shifted = x - m_3  # step 3
            exp_shifted = tl.exp(x_shifted)  # step 4
            x_shifted_2 = u - m  # step 10
            exp_shifted_2 = tl.exp(x_shifted_2)  # step 11
            teacher_shifted = v - m_2  # step 16
            exp_shifted_3 = tl.exp(teacher_shifted)  # step 17
            Z_sum += tl.where(inside, exp_shifted, 0.0)
            Z_2_sum += tl.where(inside, exp_shifted_2, 0.0)
            Z_3_sum += tl.where(inside, exp_shifted_3, 0.0)
        Z = tl.sum(Z_sum, 1, keep_dims=True)  # step 5: sum(exp_shifted)
        Z_2 = tl.sum(Z_2_sum, 1, keep_dims=True)  # step 12: sum(exp_shifted_2)
        Z_3 = tl.sum(Z_3_sum, 1, keep_dims=True)  # step 18: sum(exp_shifted_3)
        log_Z = tl.log(Z)  # step 6
        log_Z_2 = tl.log(Z_2)  # step 13
        log_Z_3 = tl.log(Z_3)  # step 19
        inv_Z_3 = 1/Z_3  # step 21
        soft_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            u = x*temperature_shifted  # step 7, pass 2: once a row
            v = teacher*temperature_shifted  # step 8, pass 3: once a row
            x_shifted_2 = u - m  # step 10
            teacher_shifted = v - m_2  # step 16
            exp_shifted_3 = tl.exp(teacher_shifted)  # step 17
            logq = x_shifted_2 - log_Z_2  # step 14
            logp = teacher_shifted - log_Z_3  # step 20
            exp_shifted_3_scaled = exp_shifted_3*inv_Z_3  # step 22
            soft_sum += tl.where(inside, exp_shifted_3_scaled*(logp - logq), 0.0)
        soft = tl.sum(soft_sum, 1, keep_dims=True)  # step 24
        # step 25, pass 7: offsets
        y = (log_Z - sum_where_x_shifted)*(1 - share) + soft*share*(
            temperature*temperature
        )
        tl.store(y_ptr + row, y, there)
        if SAVE:
            tl.store(m_3_ptr + row, m_3, there)
            tl.store(Z_ptr + row, Z, there)
            tl.store(m_ptr + row, m, there)
            tl.store(Z_2_ptr + row, Z_2, there)
            tl.store(m_2_ptr + row, m_2, there)
            tl.store(inv_Z_3_ptr + row, inv_Z_3, there)


@triton.jit(do_not_specialize=["rows"])
def distillation_backward(
    x_ptr,
    teacher_ptr,
    label_ptr,
    dy_ptr,
    m_3_ptr,
    Z_ptr,
    m_ptr,
    Z_2_ptr,
    m_2_ptr,
    inv_Z_3_ptr,
    temperature: tl.float64,
    share: tl.float64,
    dx_ptr,
    x_stride,
    x_step,
    teacher_stride,
    teacher_step,
    label_stride,
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
    p_2 = exp_shifted_2/Z_2
    dx = where(index() == label, dy*(share - 1), 0) + dy*(p +
        share*(temperature*(p_2 - exp_shifted_3_scaled) - p))
    """
    x_stride = x_stride // EVEN * EVEN
    teacher_stride = teacher_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    teacher_step = tl.cast(teacher_step, tl.int64)
    temperature = tl.full([1, 1], temperature, A)
    share = tl.full([1, 1], share, A)
    temperature_shifted = 1/temperature  # step 7, pass 1: once a row
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        teacher_row = teacher_ptr + row*teacher_stride
        dx_row = dx_ptr + row*D
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m_3 = tl.load(m_3_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z_2 = tl.load(Z_2_ptr + row, there, 0).to(A)
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        inv_Z_3 = tl.load(inv_Z_3_ptr + row, there, 0).to(A)
        Z_shifted = 1/Z  # step 70, pass 8: once a row
        Z_2_shifted = 1/Z_2  # step 70, pass 9: once a row
        share_scaled = dy*(share - 1)  # step 70, pass 10: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            x_shifted = x - m_3  # step 3
            exp_shifted = tl.exp(x_shifted)  # step 4
            u = x*temperature_shifted  # step 7, pass 2: once a row
            v = teacher*temperature_shifted  # step 8, pass 3: once a row
            x_shifted_2 = u - m  # step 10
            exp_shifted_2 = tl.exp(x_shifted_2)  # step 11
            teacher_shifted = v - m_2  # step 16
            exp_shifted_3 = tl.exp(teacher_shifted)  # step 17
            exp_shifted_3_scaled = exp_shifted_3*inv_Z_3  # step 22
            # step 70, pass 11: once a row
            dx = (
                tl.where(d == label, share_scaled, 0)
                + (
                    exp_shifted*Z_shifted
                    + (
                        (exp_shifted_2*Z_2_shifted - exp_shifted_3_scaled)*temperature
                        - exp_shifted*Z_shifted
                    )*share
                )*dy
            )
            tl.store(dx_row + d, dx, inside)


@triton.jit(do_not_specialize=["rows"])
def distillation_jvp(
    x_ptr,
    teacher_ptr,
    label_ptr,
    x_dot_ptr,
    m_3_ptr,
    Z_ptr,
    m_ptr,
    Z_2_ptr,
    m_2_ptr,
    inv_Z_3_ptr,
    temperature: tl.float64,
    share: tl.float64,
    y_dot_ptr,
    x_stride,
    x_step,
    teacher_stride,
    teacher_step,
    label_stride,
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
    """p_2 = exp_shifted_2/Z_2
    log_Z_2_dot = sum(p_2*x_dot)/temperature
    p = exp_shifted/Z
    y_dot = D*(mean(where(index() == label, x_dot, 0))*(share - 1) +
        mean(p*x_dot)*(1 - share) -
        share*temperature**2*mean(exp_shifted_3_scaled*(x_dot/temperature -
        log_Z_2_dot)))
    """
    x_stride = x_stride // EVEN * EVEN
    teacher_stride = teacher_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    teacher_step = tl.cast(teacher_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    length = tl.cast(D, A)
    temperature = tl.full([1, 1], temperature, A)
    share = tl.full([1, 1], share, A)
    temperature_shifted = 1/temperature  # step 7, pass 1: once a row
    temperature_shifted_2 = 1/temperature  # step 94, pass 12: once a row
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        teacher_row = teacher_ptr + row*teacher_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        m_3 = tl.load(m_3_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z_2 = tl.load(Z_2_ptr + row, there, 0).to(A)
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        inv_Z_3 = tl.load(inv_Z_3_ptr + row, there, 0).to(A)
        sum_exp_shifted_2_x_dot_sum = tl.zeros([ROWS, TILE], A)
        mean_index_x_dot_sum = tl.zeros([ROWS, TILE], A)
        mean_exp_shifted_x_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            x_shifted = x - m_3  # step 3
            exp_shifted = tl.exp(x_shifted)  # step 4
            u = x*temperature_shifted  # step 7, pass 2: once a row
            x_shifted_2 = u - m  # step 10
            exp_shifted_2 = tl.exp(x_shifted_2)  # step 11
            sum_exp_shifted_2_x_dot_sum += tl.where(
                inside, exp_shifted_2*(x_dot if HAS_x_dot else 0.0), 0.0
            )
            mean_index_x_dot_sum += tl.where(
                inside, tl.where(d == label, (x_dot if HAS_x_dot else 0.0), 0), 0.0
            )
            mean_exp_shifted_x_dot_sum += tl.where(
                inside, exp_shifted*(x_dot if HAS_x_dot else 0.0), 0.0
            )
        # step 86, pass 13: sum(exp_shifted_2*x_dot)
        sum_exp_shifted_2_x_dot = tl.sum(sum_exp_shifted_2_x_dot_sum, 1, keep_dims=True)
        # step 94, pass 14: mean(where(index() == label, x_dot, 0))
        mean_index_x_dot = tl.sum(mean_index_x_dot_sum, 1, keep_dims=True)/length
        # step 94, pass 15: mean(exp_shifted*x_dot)
        mean_exp_shifted_x_dot = tl.sum(
            mean_exp_shifted_x_dot_sum, 1, keep_dims=True
        )/length
        log_Z_2_dot = sum_exp_shifted_2_x_dot/(Z_2*temperature)  # step 86, pass 16
        mean_exp_shifted_3_scaled_x_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            v = teacher*temperature_shifted  # step 8, pass 3: once a row
            teacher_shifted = v - m_2  # step 16
            exp_shifted_3 = tl.exp(teacher_shifted)  # step 17
            exp_shifted_3_scaled = exp_shifted_3*inv_Z_3  # step 22
            mean_exp_shifted_3_scaled_x_dot_sum += tl.where(
                inside,
                (
                    (x_dot if HAS_x_dot else 0.0)*temperature_shifted_2 - log_Z_2_dot
                )*exp_shifted_3_scaled,
                0.0,
            )
        # step 94, pass 20: mean((x_dot*temperature_shifted_2 - log_Z_2_dot)*exp_shifted_3_scaled)
        mean_exp_shifted_3_scaled_x_dot = tl.sum(
            mean_exp_shifted_3_scaled_x_dot_sum, 1, keep_dims=True
        )/length
        # step 94, pass 19: written out
        y_dot = (
            mean_index_x_dot*(share - 1)
            + mean_exp_shifted_x_dot*(1 - share)/Z
            - mean_exp_shifted_3_scaled_x_dot*share*(temperature*temperature)
        )*length
        tl.store(y_dot_ptr + row, y_dot, there)


@triton.jit(do_not_specialize=["rows"])
def distillation_backward_backward(
    x_ptr,
    teacher_ptr,
    label_ptr,
    dy_ptr,
    ddx_ptr,
    m_3_ptr,
    Z_ptr,
    m_ptr,
    Z_2_ptr,
    m_2_ptr,
    inv_Z_3_ptr,
    temperature: tl.float64,
    share: tl.float64,
    dx_ptr,
    ddy_ptr,
    x_stride,
    x_step,
    teacher_stride,
    teacher_step,
    label_stride,
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
    p_2 = exp_shifted_2/Z_2
    d2x = dy*(share*p_2*(ddx - sum(ddx*p_2)) + p*(ddx + sum(ddx*p)*(share - 1) -
        share*ddx))
    ddy = sum(ddx*p) + sum(where(index() == label, ddx*(share - 1), 0)) +
        share*sum(ddx*(temperature*(p_2 - exp_shifted_3_scaled) - p))
    """
    x_stride = x_stride // EVEN * EVEN
    teacher_stride = teacher_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    teacher_step = tl.cast(teacher_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    temperature = tl.full([1, 1], temperature, A)
    share = tl.full([1, 1], share, A)
    temperature_shifted = 1/temperature  # step 7, pass 1: once a row
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        teacher_row = teacher_ptr + row*teacher_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m_3 = tl.load(m_3_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z_2 = tl.load(Z_2_ptr + row, there, 0).to(A)
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        inv_Z_3 = tl.load(inv_Z_3_ptr + row, there, 0).to(A)
        Z_shifted = 1/Z  # step 119, pass 21: once a row
        share_scaled = share/Z_2  # step 119, pass 22: once a row
        Z_2_shifted = 1/Z_2  # step 122, pass 23: once a row
        inside_there = there & (label >= 0) & (label < D)
        ddx_there = (
            tl.load(ddx_row + label*ddx_step, inside_there, 0).to(A) if HAS_ddx else 0.0
        )
        # step 122, pass 27: sum(where(index() == label, ddx*(share - 1), 0))
        sum_ddx_index = tl.where(
            inside_there, (ddx_there if HAS_ddx else 0.0)*(share - 1), 0.0
        )
        sum_ddx_exp_shifted_sum = tl.zeros([ROWS, TILE], A)
        sum_ddx_exp_shifted_2_sum = tl.zeros([ROWS, TILE], A)
        sum_ddx_exp_shifted_exp_shifted_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            teacher = tl.load(teacher_row + d*teacher_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m_3  # step 3
            exp_shifted = tl.exp(x_shifted)  # step 4
            u = x*temperature_shifted  # step 7, pass 2: once a row
            v = teacher*temperature_shifted  # step 8, pass 3: once a row
            x_shifted_2 = u - m  # step 10
            exp_shifted_2 = tl.exp(x_shifted_2)  # step 11
            teacher_shifted = v - m_2  # step 16
            exp_shifted_3 = tl.exp(teacher_shifted)  # step 17
            exp_shifted_3_scaled = exp_shifted_3*inv_Z_3  # step 22
            sum_ddx_exp_shifted_sum += tl.where(
                inside, (ddx if HAS_ddx else 0.0)*exp_shifted, 0.0
            )
            sum_ddx_exp_shifted_2_sum += tl.where(
                inside, (ddx if HAS_ddx else 0.0)*exp_shifted_2, 0.0
            )
            sum_ddx_exp_shifted_exp_shifted_sum += tl.where(
                inside,
                (
                    (exp_shifted_2*Z_2_shifted - exp_shifted_3_scaled)*temperature
                    - exp_shifted*Z_shifted
                )*(ddx if HAS_ddx else 0.0),
                0.0,
            )
        # step 119, pass 24: sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = tl.sum(sum_ddx_exp_shifted_sum, 1, keep_dims=True)
        # step 119, pass 25: sum(ddx*exp_shifted_2)
        sum_ddx_exp_shifted_2 = tl.sum(sum_ddx_exp_shifted_2_sum, 1, keep_dims=True)
        # step 122, pass 26: sum(((exp_shifted_2*Z_2_shifted - exp_shifted_3_scaled)*temperature - exp_shifted*Z_shifted)*ddx)
        sum_ddx_exp_shifted_exp_shifted = tl.sum(
            sum_ddx_exp_shifted_exp_shifted_sum, 1, keep_dims=True
        )
        # step 119, pass 28: once a row
        sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted*(share - 1)/Z
        sum_ddx_exp_shifted_2_scaled = sum_ddx_exp_shifted_2/Z_2  # step 119, pass 29
        # step 122, pass 30: written out
        ddy = (
            sum_ddx_index
            + sum_ddx_exp_shifted/Z
            + sum_ddx_exp_shifted_exp_shifted*share
        )
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m_3  # step 3
            exp_shifted = tl.exp(x_shifted)  # step 4
            u = x*temperature_shifted  # step 7, pass 2: once a row
            x_shifted_2 = u - m  # step 10
            exp_shifted_2 = tl.exp(x_shifted_2)  # step 11
            d2x_part = 0.0
            if HAS_ddx:
                d2x_part += ddx
            d2x_part -= sum_ddx_exp_shifted_2_scaled
            d2x_part2 = 0.0
            if HAS_ddx:
                d2x_part2 += ddx
            d2x_part2 += sum_ddx_exp_shifted_scaled - (ddx if HAS_ddx else 0.0)*share
            # step 119, pass 31: once a row
            d2x = (
                d2x_part*exp_shifted_2*share_scaled + exp_shifted*d2x_part2*Z_shifted
            )*dy
            tl.store(dx_row + d, d2x, inside)
        tl.store(ddy_ptr + row, ddy, there)
