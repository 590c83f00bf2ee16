# Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
# definition sha256:54d0d10a361e544b04d125946902774985e4cfbc3c6a48abadaca8002ccda43b
# mypy: ignore-errors
"""Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.

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
def label_cross_entropy_forward(
    x_ptr,
    label_ptr,
    ignore_ptr,
    smoothing: tl.float64,
    z_loss: tl.float64,
    y_ptr,
    m_ptr,
    Z_ptr,
    log_Z_ptr,
    x_stride,
    x_step,
    label_stride,
    rows,
    D,
    HAS_ignore: tl.constexpr,
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
    target = sum(where(index() == label, x, 0))
    mu = mean(x)
    y = where(label == ignore, 0, m + log_Z + where(smoothing > 0, smoothing*(target
        - mu), 0) + z_loss*(m + log_Z)**2 - target)
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    length = tl.cast(D, A)
    ignore = tl.load(ignore_ptr).to(tl.int64) if HAS_ignore else -100
    smoothing = tl.full([1, 1], smoothing, A)
    z_loss = tl.full([1, 1], z_loss, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        inside_there = there & (label >= 0) & (label < D)
        x_there = tl.load(x_row + label*x_step, inside_there, 0).to(A)
        target = x_there  # step 6: sum(where(index() == label, x, 0))
        m_max = tl.full([ROWS, TILE], -float("inf"), A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            m_max = tl.maximum(m_max, tl.where(inside, x, -float("inf")))
        m = finite_or_zero(tl.max(m_max, 1, keep_dims=True))  # step 1: max(x)
        target_shifted = target - m  # step 6, pass 1: offsets
        Z_sum = tl.zeros([ROWS, TILE], A)
        mu_shifted_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            Z_sum += tl.where(inside, exp_shifted, 0.0)
            mu_shifted_sum += tl.where(inside, x_shifted, 0.0)
        Z = tl.sum(Z_sum, 1, keep_dims=True)  # step 4: sum(exp_shifted)
        mu_shifted = tl.sum(mu_shifted_sum, 1, keep_dims=True)/length  # step 7, pass 2
        log_Z = tl.log(Z)  # step 5
        # step 8, pass 3: offsets
        y = tl.where(
            label == ignore,
            0,
            log_Z
            + tl.where(smoothing > 0, (target_shifted - mu_shifted)*smoothing, 0)
            + ((log_Z + m)*(log_Z + m))*z_loss
            - target_shifted,
        )
        tl.store(y_ptr + row, y, there)
        if SAVE:
            tl.store(m_ptr + row, m, there)
            tl.store(Z_ptr + row, Z, there)
            tl.store(log_Z_ptr + row, log_Z, there)


@triton.jit(do_not_specialize=["rows"])
def label_cross_entropy_backward(
    x_ptr,
    label_ptr,
    dy_ptr,
    m_ptr,
    Z_ptr,
    log_Z_ptr,
    ignore_ptr,
    smoothing: tl.float64,
    z_loss: tl.float64,
    dx_ptr,
    x_stride,
    x_step,
    label_stride,
    dy_stride,
    rows,
    D,
    HAS_ignore: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """p = exp_shifted/Z
    dx = where(index() == label, where(label == ignore, 0, where(smoothing > 0,
        smoothing*dy, 0) - dy), 0) + where(label == ignore, 0, dy*p*(1 + 2*z_loss*(m
        + log_Z)) + where(smoothing > 0, -smoothing*dy/D, 0))
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    length = tl.cast(D, A)
    ignore = tl.load(ignore_ptr).to(tl.int64) if HAS_ignore else -100
    smoothing = tl.full([1, 1], smoothing, A)
    z_loss = tl.full([1, 1], z_loss, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dx_row = dx_ptr + row*D
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        log_Z = tl.load(log_Z_ptr + row, there, 0).to(A)
        # step 22, pass 4: once a row
        smoothing_shifted = tl.where(
            label == ignore, 0, tl.where(smoothing > 0, dy*smoothing, 0) - dy
        )
        z_loss_scaled = dy*((2*log_Z + 2*m)*z_loss + 1)/Z  # step 22, pass 5: once a row
        # step 22, pass 6: once a row
        smoothing_shifted_2 = tl.where(smoothing > 0, -dy*smoothing/length, 0)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            # step 22, pass 7: once a row
            dx = tl.where(d == label, smoothing_shifted, 0) + tl.where(
                label == ignore, 0, exp_shifted*z_loss_scaled + smoothing_shifted_2
            )
            tl.store(dx_row + d, dx, inside)


@triton.jit(do_not_specialize=["rows"])
def label_cross_entropy_jvp(
    x_ptr,
    label_ptr,
    x_dot_ptr,
    m_ptr,
    Z_ptr,
    log_Z_ptr,
    ignore_ptr,
    smoothing: tl.float64,
    z_loss: tl.float64,
    y_dot_ptr,
    x_stride,
    x_step,
    label_stride,
    x_dot_stride,
    x_dot_step,
    rows,
    D,
    HAS_ignore: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """p = exp_shifted/Z
    y_dot = where(label == ignore, 0, sum(p*x_dot)*(1 + 2*z_loss*(m + log_Z)) +
        where(smoothing > 0, smoothing*sum(where(index() == label, x_dot, 0)) -
        smoothing*mean(x_dot), 0) - sum(where(index() == label, x_dot, 0)))
    """
    x_stride = x_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    length = tl.cast(D, A)
    ignore = tl.load(ignore_ptr).to(tl.int64) if HAS_ignore else -100
    smoothing = tl.full([1, 1], smoothing, A)
    z_loss = tl.full([1, 1], z_loss, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        log_Z = tl.load(log_Z_ptr + row, there, 0).to(A)
        inside_there = there & (label >= 0) & (label < D)
        x_dot_there = (
            tl.load(x_dot_row + label*x_dot_step, inside_there, 0).to(A)
            if HAS_x_dot
            else 0.0
        )
        sum_index_x_dot = (x_dot_there if HAS_x_dot else 0.0)  # step 33, pass 8
        sum_exp_shifted_x_dot_sum = tl.zeros([ROWS, TILE], A)
        mean_x_dot_sum = tl.zeros([ROWS, TILE], A)
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
            mean_x_dot_sum += (x_dot if HAS_x_dot else 0.0)
        # step 33, pass 9: sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = tl.sum(sum_exp_shifted_x_dot_sum, 1, keep_dims=True)
        # step 33, pass 10: mean(x_dot)
        mean_x_dot = tl.sum(mean_x_dot_sum, 1, keep_dims=True)/length
        # step 33, pass 11: written out
        y_dot = tl.where(
            label == ignore,
            0,
            tl.where(smoothing > 0, sum_index_x_dot*smoothing - mean_x_dot*smoothing, 0)
            + sum_exp_shifted_x_dot*((2*log_Z + 2*m)*z_loss + 1)/Z
            - sum_index_x_dot,
        )
        tl.store(y_dot_ptr + row, y_dot, there)


@triton.jit(do_not_specialize=["rows"])
def label_cross_entropy_backward_backward(
    x_ptr,
    label_ptr,
    dy_ptr,
    ddx_ptr,
    m_ptr,
    Z_ptr,
    log_Z_ptr,
    ignore_ptr,
    smoothing: tl.float64,
    z_loss: tl.float64,
    dx_ptr,
    ddy_ptr,
    x_stride,
    x_step,
    label_stride,
    dy_stride,
    ddx_stride,
    ddx_step,
    rows,
    D,
    HAS_ddx: tl.constexpr,
    HAS_ignore: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """d2x = where(label == ignore, 0, exp_shifted*(dy*ddx*(1 + 2*z_loss*(m + log_Z))/Z
        + 2*z_loss*dy*sum(ddx*exp_shifted)/Z**2 - dy*sum(ddx*exp_shifted)*(1 +
        2*z_loss*(m + log_Z))/Z**2))
    p = exp_shifted/Z
    ddy = sum(where(index() == label, where(label == ignore, 0, where(smoothing > 0,
        smoothing*ddx, 0) - ddx), 0)) + where(label == ignore, 0, where(smoothing >
        0, -smoothing*mean(ddx), 0) + sum(ddx*p)*(1 + 2*z_loss*(m + log_Z)))
    """
    x_stride = x_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    length = tl.cast(D, A)
    ignore = tl.load(ignore_ptr).to(tl.int64) if HAS_ignore else -100
    smoothing = tl.full([1, 1], smoothing, A)
    z_loss = tl.full([1, 1], z_loss, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        label = tl.load(label_ptr + row*label_stride, there, 0).to(tl.int64)
        dy = tl.load(dy_ptr + row*dy_stride, there, 0).to(A)
        m = tl.load(m_ptr + row, there, 0).to(A)
        Z = tl.load(Z_ptr + row, there, 0).to(A)
        log_Z = tl.load(log_Z_ptr + row, there, 0).to(A)
        z_loss_scaled = dy*((2*log_Z + 2*m)*z_loss + 1)/Z  # step 44, pass 12
        inside_there = there & (label >= 0) & (label < D)
        ddx_there = (
            tl.load(ddx_row + label*ddx_step, inside_there, 0).to(A) if HAS_ddx else 0.0
        )
        sum_ddx_index_part = tl.where(
            smoothing > 0, (ddx_there if HAS_ddx else 0.0)*smoothing, 0
        )
        if HAS_ddx:
            sum_ddx_index_part -= ddx_there
        # step 47, pass 13: sum(where(index() == label, where(label == ignore, 0, where(smoothing > 0, ddx*smoothing, 0) - ddx), 0))
        sum_ddx_index = tl.where(
            inside_there, tl.where(label == ignore, 0, sum_ddx_index_part), 0.0
        )
        sum_ddx_exp_shifted_sum = tl.zeros([ROWS, TILE], A)
        mean_ddx_sum = tl.zeros([ROWS, TILE], A)
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
            mean_ddx_sum += (ddx if HAS_ddx else 0.0)
        # step 44: sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = tl.sum(sum_ddx_exp_shifted_sum, 1, keep_dims=True)
        mean_ddx = tl.sum(mean_ddx_sum, 1, keep_dims=True)/length  # step 47, pass 14
        # step 44, pass 15: once a row
        sum_ddx_exp_shifted_scaled = dy*sum_ddx_exp_shifted*(
            (2*log_Z + 2*m)*z_loss + 1
        )/(Z*Z)
        # step 44, pass 16: once a row
        sum_ddx_exp_shifted_scaled_2 = 2*dy*sum_ddx_exp_shifted*z_loss/(Z*Z)
        # step 47, pass 17: written out
        ddy = sum_ddx_index + tl.where(
            label == ignore,
            0,
            tl.where(smoothing > 0, -mean_ddx*smoothing, 0)
            + sum_ddx_exp_shifted*((2*log_Z + 2*m)*z_loss + 1)/Z,
        )
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            x_shifted = x - m  # step 2
            exp_shifted = tl.exp(x_shifted)  # step 3
            # step 44, pass 18: once a row
            d2x = tl.where(
                label == ignore,
                0,
                (
                    (ddx if HAS_ddx else 0.0)*z_loss_scaled
                    + sum_ddx_exp_shifted_scaled_2
                    - sum_ddx_exp_shifted_scaled
                )*exp_shifted,
            )
            tl.store(dx_row + d, d2x, inside)
        tl.store(ddy_ptr + row, ddy, there)
