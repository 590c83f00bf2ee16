# Made by lngen 0.1.0 from the definition of grpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit grpo.py and run: lngen derive grpo.py
# Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
# definition sha256:1f54ed30e40de676bb31762c061d94a1572e98e67b48b22e19344b45bf6572eb
# mypy: ignore-errors
"""Loss of a token by group relative policy optimization, from its logits; with low and high apart it is DAPO's.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def tanh(u):
    """The hyperbolic tangent: near 0 a continued fraction, where 1 - 2/(exp(2*u) + 1) would cancel."""
    s, size = u*u, tl.abs(u)
    near = u*(135135 + s*(17325 + s*(378 + s)))/(135135 + s*(62370 + s*(3150 + s*28)))
    far = 1 - 2/(tl.exp(2*size) + 1)
    return tl.where(size < 0.5, near, tl.where(u < 0, -far, far))


@triton.jit
def expm1(u):
    """exp(u) - 1, without cancellation near 0."""
    t = tanh(tl.minimum(tl.maximum(u, -1.0), 1.0)*0.5)
    return tl.where(tl.abs(u) < 1, 2*t/(1 - t), tl.exp(u) - 1)


@triton.jit
def finite_or_zero(u):
    """The number that exponents are shifted by: inf - inf would be NaN."""
    return tl.where(tl.abs(u) == float("inf"), 0.0, u)


@triton.jit(do_not_specialize=["rows"])
def grpo_forward(
    x_ptr,
    label_ptr,
    advantage_ptr,
    old_ptr,
    reference_ptr,
    low: tl.float64,
    high: tl.float64,
    beta: tl.float64,
    y_ptr,
    m_2_ptr,
    Z_ptr,
    log_Z_ptr,
    sum_where_x_shifted_ptr,
    ratio_ptr,
    x_stride,
    x_step,
    label_stride,
    advantage_stride,
    old_stride,
    reference_stride,
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
    ratio = exp(sum_where_x - old - m_2 - log_Z)
    gained = where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 -
        low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)),
        advantage*ratio, advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >=
        1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)))
    expm1_log_Z_m_2 = expm1(reference + m_2 + log_Z - sum_where_x)
    y = beta*(sum_where_x + expm1_log_Z_m_2 - reference - m_2 - log_Z) - gained
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    low = tl.full([1, 1], low, A)
    high = tl.full([1, 1], high, A)
    beta = tl.full([1, 1], beta, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        advantage = tl.load(advantage_ptr + row*advantage_stride, there, 0).to(A)
        old = tl.load(old_ptr + row*old_stride, there, 0).to(A)
        reference = tl.load(reference_ptr + row*reference_stride, there, 0).to(A)
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
        ratio = tl.exp(sum_where_x_shifted - log_Z - old)  # step 8, pass 2: offsets
        # step 9
        gained = tl.where(
            advantage*ratio
            < tl.where(
                tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                1 + high,
                tl.where(ratio <= 1 - low, 1 - low, ratio),
            )*advantage,
            advantage*ratio,
            tl.where(
                tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                1 + high,
                tl.where(ratio <= 1 - low, 1 - low, ratio),
            )*advantage,
        )
        # step 10, pass 3: offsets
        expm1_log_Z_m_2 = expm1(log_Z + reference - sum_where_x_shifted)
        # step 11, pass 4: offsets
        y = (expm1_log_Z_m_2 + sum_where_x_shifted - log_Z - reference)*beta - gained
        tl.store(y_ptr + row, y, there)
        if SAVE:
            tl.store(m_2_ptr + row, m_2, there)
            tl.store(Z_ptr + row, Z, there)
            tl.store(log_Z_ptr + row, log_Z, there)
            tl.store(sum_where_x_shifted_ptr + row, sum_where_x_shifted, there)
            tl.store(ratio_ptr + row, ratio, there)


@triton.jit(do_not_specialize=["rows"])
def grpo_backward(
    x_ptr,
    label_ptr,
    advantage_ptr,
    reference_ptr,
    dy_ptr,
    m_2_ptr,
    Z_ptr,
    log_Z_ptr,
    sum_where_x_shifted_ptr,
    ratio_ptr,
    low: tl.float64,
    high: tl.float64,
    beta: tl.float64,
    dx_ptr,
    x_stride,
    x_step,
    label_stride,
    advantage_stride,
    reference_stride,
    dy_stride,
    rows,
    D,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = exp_shifted*(beta*dy*(exp(reference + m_2 + log_Z - sum_where_x) - 1)/Z +
        where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low,
        ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)),
        advantage*dy*ratio/Z, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 +
        high, 0, where(ratio <= 1 - low, 0, advantage*dy*ratio/Z))))
    dx = g + where(index() == label, beta*dy + where(advantage*ratio <
        advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 +
        high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*dy*ratio,
        where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <=
        1 - low, 0, -advantage*dy*ratio))) - beta*dy*exp(reference + m_2 + log_Z -
        sum_where_x), 0)
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    low = tl.full([1, 1], low, A)
    high = tl.full([1, 1], high, A)
    beta = tl.full([1, 1], beta, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dx_row = dx_ptr + row*D
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        advantage = tl.load(advantage_ptr + row*advantage_stride, there, 0).to(A)
        reference = tl.load(reference_ptr + row*reference_stride, there, 0).to(A)
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        log_Z = tl.load(log_Z_ptr + row, there, 0).to(A)
        sum_where_x_shifted = tl.load(sum_where_x_shifted_ptr + row, there, 0).to(A)
        ratio = tl.load(ratio_ptr + row, there, 0).to(A)
        # step 22, pass 5: once a row
        sum_where_x_shifted_shifted = dy*(
            tl.exp(log_Z + reference - sum_where_x_shifted) - 1
        )*beta/Z + tl.where(
            advantage*ratio
            < tl.where(
                tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                1 + high,
                tl.where(ratio <= 1 - low, 1 - low, ratio),
            )*advantage,
            advantage*dy*ratio/Z,
            tl.where(
                tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                0,
                tl.where(ratio <= 1 - low, 0, advantage*dy*ratio/Z),
            ),
        )
        # step 25, pass 6: once a row
        sum_where_x_shifted_shifted_2 = (
            dy*beta
            + tl.where(
                advantage*ratio
                < tl.where(
                    tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                    1 + high,
                    tl.where(ratio <= 1 - low, 1 - low, ratio),
                )*advantage,
                -advantage*dy*ratio,
                tl.where(
                    tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                    0,
                    tl.where(ratio <= 1 - low, 0, -advantage*dy*ratio),
                ),
            )
            - dy*tl.exp(log_Z + reference - sum_where_x_shifted)*beta
        )
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - m_2  # step 3
            exp_shifted = tl.exp(x_shifted)  # step 4
            g = exp_shifted*sum_where_x_shifted_shifted  # step 22, pass 7: once a row
            # step 25, pass 8: once a row
            dx = g + tl.where(d == label, sum_where_x_shifted_shifted_2, 0)
            tl.store(dx_row + d, dx, inside)


@triton.jit(do_not_specialize=["rows"])
def grpo_jvp(
    x_ptr,
    label_ptr,
    advantage_ptr,
    reference_ptr,
    x_dot_ptr,
    m_2_ptr,
    Z_ptr,
    log_Z_ptr,
    sum_where_x_shifted_ptr,
    ratio_ptr,
    low: tl.float64,
    high: tl.float64,
    beta: tl.float64,
    y_dot_ptr,
    x_stride,
    x_step,
    label_stride,
    advantage_stride,
    reference_stride,
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
    """exp_shifted_dot = exp_shifted*x_dot
    y_dot = D*beta*(mean(where(index() == label, x_dot, 0)) + exp(reference + m_2 +
        log_Z - sum_where_x)*(mean(exp_shifted_dot)/Z - mean(where(index() == label,
        x_dot, 0))) - mean(exp_shifted_dot)/Z) + where(advantage*ratio <
        advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 +
        high, where(ratio <= 1 - low, 1 - low, ratio)),
        -advantage*(sum(where(index() == label, ratio*x_dot, 0)) -
        ratio*sum(exp_shifted_dot)/Z), where(where(ratio <= 1 - low, 1 - low, ratio)
        >= 1 + high, 0, where(ratio <= 1 - low, 0, -advantage*(sum(where(index() ==
        label, ratio*x_dot, 0)) - ratio*sum(exp_shifted_dot)/Z))))
    """
    x_stride = x_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    length = tl.cast(D, A)
    low = tl.full([1, 1], low, A)
    high = tl.full([1, 1], high, A)
    beta = tl.full([1, 1], beta, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        advantage = tl.load(advantage_ptr + row*advantage_stride, there, 0).to(A)
        reference = tl.load(reference_ptr + row*reference_stride, there, 0).to(A)
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        log_Z = tl.load(log_Z_ptr + row, there, 0).to(A)
        sum_where_x_shifted = tl.load(sum_where_x_shifted_ptr + row, there, 0).to(A)
        ratio = tl.load(ratio_ptr + row, there, 0).to(A)
        inside_there = there & (label >= 0) & (label < D)
        x_dot_there = (
            tl.load(x_dot_row + label*x_dot_step, inside_there, 0).to(A)
            if HAS_x_dot
            else 0.0
        )
        # step 36: sum(where(index() == label, x_dot*ratio, 0))
        sum_index_x_dot = tl.where(
            inside_there, (x_dot_there if HAS_x_dot else 0.0)*ratio, 0.0
        )
        mean_index_x_dot_sum = tl.zeros([ROWS, TILE], A)
        mean_exp_shifted_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            x_shifted = x - m_2  # step 3
            exp_shifted = tl.exp(x_shifted)  # step 4
            exp_shifted_dot = exp_shifted*(x_dot if HAS_x_dot else 0.0)  # step 26
            mean_index_x_dot_sum += tl.where(
                inside, tl.where(d == label, (x_dot if HAS_x_dot else 0.0), 0), 0.0
            )
            mean_exp_shifted_dot_sum += tl.where(inside, exp_shifted_dot, 0.0)
        # step 36: mean(where(index() == label, x_dot, 0))
        mean_index_x_dot = tl.sum(mean_index_x_dot_sum, 1, keep_dims=True)/length
        # step 36: mean(exp_shifted_dot)
        mean_exp_shifted_dot = tl.sum(
            mean_exp_shifted_dot_sum, 1, keep_dims=True
        )/length
        sum_exp_shifted_dot = mean_exp_shifted_dot*length  # step 36, pass 9
        # step 36, pass 10: offsets
        y_dot = (
            mean_index_x_dot
            + (mean_exp_shifted_dot/Z - mean_index_x_dot)*tl.exp(
                log_Z + reference - sum_where_x_shifted
            )
            - mean_exp_shifted_dot/Z
        )*length*beta + tl.where(
            advantage*ratio
            < tl.where(
                tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                1 + high,
                tl.where(ratio <= 1 - low, 1 - low, ratio),
            )*advantage,
            -advantage*(sum_index_x_dot - ratio*sum_exp_shifted_dot/Z),
            tl.where(
                tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                0,
                tl.where(
                    ratio <= 1 - low,
                    0,
                    -advantage*(sum_index_x_dot - ratio*sum_exp_shifted_dot/Z),
                ),
            ),
        )
        tl.store(y_dot_ptr + row, y_dot, there)


@triton.jit(do_not_specialize=["rows"])
def grpo_backward_backward(
    x_ptr,
    label_ptr,
    advantage_ptr,
    reference_ptr,
    dy_ptr,
    ddx_ptr,
    m_2_ptr,
    Z_ptr,
    log_Z_ptr,
    sum_where_x_shifted_ptr,
    ratio_ptr,
    low: tl.float64,
    high: tl.float64,
    beta: tl.float64,
    dx_ptr,
    ddy_ptr,
    x_stride,
    x_step,
    label_stride,
    advantage_stride,
    reference_stride,
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
    d2ratio = sum(where(index() == label, where(advantage*ratio <
        advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 +
        high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*dy*ddx,
        where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <=
        1 - low, 0, -advantage*dy*ddx))), 0)) + where(advantage*ratio <
        advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 +
        high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*dy*sum(ddx*p),
        where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <=
        1 - low, 0, advantage*dy*sum(ddx*p))))
    d2Z = sum(-beta*dy*ddx*exp_shifted*(exp(reference + m_2 + log_Z - sum_where_x) -
        1)/Z**2) + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1
        - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low,
        ratio)), sum(-advantage*dy*ratio*ddx*exp_shifted/Z**2), where(where(ratio <=
        1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0,
        sum(-advantage*dy*ratio*ddx*exp_shifted/Z**2)))) + (sum(where(index() ==
        label, -beta*dy*ddx*exp(reference + m_2 + log_Z - sum_where_x), 0)) +
        sum(beta*dy*ddx*exp_shifted*exp(reference + m_2 + log_Z - sum_where_x)/Z) -
        d2ratio*ratio)/Z
    d2x_shifted = exp_shifted*(beta*dy*ddx*(exp(reference + m_2 + log_Z -
        sum_where_x) - 1)/Z + where(advantage*ratio < advantage*where(where(ratio <=
        1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 -
        low, ratio)), advantage*dy*ratio*ddx/Z, where(where(ratio <= 1 - low, 1 -
        low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0,
        advantage*dy*ratio*ddx/Z))) + d2Z)
    d2x = d2x_shifted + where(index() == label, d2ratio*ratio + sum(where(index() ==
        label, beta*dy*ddx*exp(reference + m_2 + log_Z - sum_where_x), 0)) -
        beta*dy*exp(reference + m_2 + log_Z - sum_where_x)*sum(ddx*p), 0)
    ddy = beta*sum(ddx*p)*(exp(reference + m_2 + log_Z - sum_where_x) - 1) +
        where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low,
        ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)),
        advantage*ratio*sum(ddx*p), where(where(ratio <= 1 - low, 1 - low, ratio) >=
        1 + high, 0, where(ratio <= 1 - low, 0, advantage*ratio*sum(ddx*p)))) +
        sum(where(index() == label, beta*ddx + where(advantage*ratio <
        advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 +
        high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*ratio*ddx,
        where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <=
        1 - low, 0, -advantage*ratio*ddx))) - beta*ddx*exp(reference + m_2 + log_Z -
        sum_where_x), 0))
    """
    x_stride = x_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    low = tl.full([1, 1], low, A)
    high = tl.full([1, 1], high, A)
    beta = tl.full([1, 1], beta, A)
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
        reference = tl.load(reference_ptr + row*reference_stride, there, 0).to(A)
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m_2 = tl.load(m_2_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        log_Z = tl.load(log_Z_ptr + row, there, 0).to(A)
        sum_where_x_shifted = tl.load(sum_where_x_shifted_ptr + row, there, 0).to(A)
        ratio = tl.load(ratio_ptr + row, there, 0).to(A)
        advantage_scaled = advantage*ratio  # step 41, pass 11: once a row
        # step 41, pass 12: once a row
        advantage_scaled_2 = tl.where(
            tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
            1 + high,
            tl.where(ratio <= 1 - low, 1 - low, ratio),
        )*advantage
        advantage_scaled_3 = advantage*dy  # step 41, pass 13: once a row
        ratio_shifted = tl.where(ratio <= 1 - low, 1 - low, ratio)  # step 41, pass 14
        # step 45, pass 15: once a row
        sum_where_x_shifted_scaled = dy*tl.exp(
            log_Z + reference - sum_where_x_shifted
        )*beta/Z
        # step 45, pass 16: once a row
        sum_where_x_shifted_scaled_2 = dy*tl.exp(
            log_Z + reference - sum_where_x_shifted
        )*beta
        # step 45, pass 17: once a row
        sum_where_x_shifted_scaled_3 = dy*(
            tl.exp(log_Z + reference - sum_where_x_shifted) - 1
        )*beta/(Z*Z)
        advantage_scaled_4 = advantage*dy*ratio/(Z*Z)  # step 45, pass 18: once a row
        # step 50, pass 19: once a row
        sum_where_x_shifted_scaled_4 = dy*(
            tl.exp(log_Z + reference - sum_where_x_shifted) - 1
        )*beta/Z
        advantage_scaled_5 = advantage*dy*ratio/Z  # step 50, pass 20: once a row
        # step 56, pass 21: once a row
        sum_where_x_shifted_scaled_5 = tl.exp(
            log_Z + reference - sum_where_x_shifted
        )*beta
        inside_there = there & (label >= 0) & (label < D)
        ddx_there = (
            tl.load(ddx_row + label*ddx_step, inside_there, 0).to(A) if HAS_ddx else 0.0
        )
        # step 41, pass 22: sum(where(index() == label, where(advantage_scaled < advantage_scaled_2, -ddx*advantage_scaled_3, where(ratio_shifted >= 1 + high, 0, where(ratio <= 1 - low, 0, -ddx*advantage_scaled_3))), 0))
        sum_ddx_index = tl.where(
            inside_there,
            tl.where(
                advantage_scaled < advantage_scaled_2,
                -(ddx_there if HAS_ddx else 0.0)*advantage_scaled_3,
                tl.where(
                    ratio_shifted >= 1 + high,
                    0,
                    tl.where(
                        ratio <= 1 - low,
                        0,
                        -(ddx_there if HAS_ddx else 0.0)*advantage_scaled_3,
                    ),
                ),
            ),
            0.0,
        )
        inside_there = there & (label >= 0) & (label < D)
        ddx_there = (
            tl.load(ddx_row + label*ddx_step, inside_there, 0).to(A) if HAS_ddx else 0.0
        )
        # step 45, pass 25: sum(where(index() == label, -ddx*sum_where_x_shifted_scaled_2, 0))
        sum_ddx_index_2 = tl.where(
            inside_there,
            -(ddx_there if HAS_ddx else 0.0)*sum_where_x_shifted_scaled_2,
            0.0,
        )
        inside_there = there & (label >= 0) & (label < D)
        ddx_there = (
            tl.load(ddx_row + label*ddx_step, inside_there, 0).to(A) if HAS_ddx else 0.0
        )
        # step 54, pass 28: sum(where(index() == label, ddx*sum_where_x_shifted_scaled_2, 0))
        sum_ddx_index_3 = tl.where(
            inside_there,
            (ddx_there if HAS_ddx else 0.0)*sum_where_x_shifted_scaled_2,
            0.0,
        )
        inside_there = there & (label >= 0) & (label < D)
        ddx_there = (
            tl.load(ddx_row + label*ddx_step, inside_there, 0).to(A) if HAS_ddx else 0.0
        )
        # step 56, pass 29: sum(where(index() == label, ddx*beta + where(advantage_scaled < advantage_scaled_2, -ddx*advantage_scaled, where(ratio_shifted >= 1 + high, 0, where(ratio <= 1 - low, 0, -ddx*advantage_scaled))) - ddx*sum_where_x_shifted_scaled_5, 0))
        sum_ddx_index_4 = tl.where(
            inside_there,
            (ddx_there if HAS_ddx else 0.0)*beta
            + tl.where(
                advantage_scaled < advantage_scaled_2,
                -(ddx_there if HAS_ddx else 0.0)*advantage_scaled,
                tl.where(
                    ratio_shifted >= 1 + high,
                    0,
                    tl.where(
                        ratio <= 1 - low,
                        0,
                        -(ddx_there if HAS_ddx else 0.0)*advantage_scaled,
                    ),
                ),
            )
            - (ddx_there if HAS_ddx else 0.0)*sum_where_x_shifted_scaled_5,
            0.0,
        )
        sum_ddx_exp_shifted_sum = tl.zeros([ROWS, TILE], A)
        sum_ddx_exp_shifted_2_sum = tl.zeros([ROWS, TILE], A)
        sum_ddx_exp_shifted_3_sum = tl.zeros([ROWS, TILE], A)
        sum_ddx_exp_shifted_4_sum = tl.zeros([ROWS, TILE], A)
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
            sum_ddx_exp_shifted_2_sum += tl.where(
                inside,
                (ddx if HAS_ddx else 0.0)*exp_shifted*sum_where_x_shifted_scaled,
                0.0,
            )
            sum_ddx_exp_shifted_3_sum += tl.where(
                inside,
                -(ddx if HAS_ddx else 0.0)*exp_shifted*sum_where_x_shifted_scaled_3,
                0.0,
            )
            sum_ddx_exp_shifted_4_sum += tl.where(
                inside, -(ddx if HAS_ddx else 0.0)*exp_shifted*advantage_scaled_4, 0.0
            )
        # step 41, pass 23: sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = tl.sum(sum_ddx_exp_shifted_sum, 1, keep_dims=True)
        # step 45, pass 24: sum(ddx*exp_shifted*sum_where_x_shifted_scaled)
        sum_ddx_exp_shifted_2 = tl.sum(sum_ddx_exp_shifted_2_sum, 1, keep_dims=True)
        # step 45, pass 26: sum(-ddx*exp_shifted*sum_where_x_shifted_scaled_3)
        sum_ddx_exp_shifted_3 = tl.sum(sum_ddx_exp_shifted_3_sum, 1, keep_dims=True)
        # step 45, pass 27: sum(-ddx*exp_shifted*advantage_scaled_4)
        sum_ddx_exp_shifted_4 = tl.sum(sum_ddx_exp_shifted_4_sum, 1, keep_dims=True)
        # step 41, pass 30: written out
        d2ratio = sum_ddx_index + tl.where(
            advantage*ratio
            < tl.where(
                tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                1 + high,
                tl.where(ratio <= 1 - low, 1 - low, ratio),
            )*advantage,
            advantage*dy*sum_ddx_exp_shifted/Z,
            tl.where(
                tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                0,
                tl.where(ratio <= 1 - low, 0, advantage*dy*sum_ddx_exp_shifted/Z),
            ),
        )
        # step 45
        d2Z = (
            sum_ddx_exp_shifted_3
            + (sum_ddx_exp_shifted_2 + sum_ddx_index_2 - d2ratio*ratio)/Z
            + tl.where(
                advantage*ratio
                < tl.where(
                    tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                    1 + high,
                    tl.where(ratio <= 1 - low, 1 - low, ratio),
                )*advantage,
                sum_ddx_exp_shifted_4,
                tl.where(
                    tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                    0,
                    tl.where(ratio <= 1 - low, 0, sum_ddx_exp_shifted_4),
                ),
            )
        )
        # step 54, pass 31: once a row
        sum_where_x_shifted_shifted = (
            sum_ddx_index_3
            + d2ratio*ratio
            - dy*tl.exp(
                log_Z + reference - sum_where_x_shifted
            )*sum_ddx_exp_shifted*beta/Z
        )
        # step 56, pass 32: offsets
        ddy = (
            sum_ddx_index_4
            + (
                tl.exp(log_Z + reference - sum_where_x_shifted) - 1
            )*sum_ddx_exp_shifted*beta/Z
            + tl.where(
                advantage*ratio
                < tl.where(
                    tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                    1 + high,
                    tl.where(ratio <= 1 - low, 1 - low, ratio),
                )*advantage,
                advantage*ratio*sum_ddx_exp_shifted/Z,
                tl.where(
                    tl.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                    0,
                    tl.where(
                        ratio <= 1 - low, 0, advantage*ratio*sum_ddx_exp_shifted/Z
                    ),
                ),
            )
        )
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m_2  # step 3
            exp_shifted = tl.exp(x_shifted)  # step 4
            # step 50, pass 33: once a row
            d2x_shifted = (
                (ddx if HAS_ddx else 0.0)*sum_where_x_shifted_scaled_4
                + tl.where(
                    advantage_scaled < advantage_scaled_2,
                    (ddx if HAS_ddx else 0.0)*advantage_scaled_5,
                    tl.where(
                        ratio_shifted >= 1 + high,
                        0,
                        tl.where(
                            ratio <= 1 - low,
                            0,
                            (ddx if HAS_ddx else 0.0)*advantage_scaled_5,
                        ),
                    ),
                )
                + d2Z
            )*exp_shifted
            # step 54, pass 34: once a row
            d2x = d2x_shifted + tl.where(d == label, sum_where_x_shifted_shifted, 0)
            tl.store(dx_row + d, d2x, inside)
        tl.store(ddy_ptr + row, ddy, there)
