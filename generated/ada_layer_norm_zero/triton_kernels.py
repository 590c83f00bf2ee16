# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
# mypy: ignore-errors
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.

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
def ada_layer_norm_zero_forward(
    x_ptr,
    branch_ptr,
    gate_ptr,
    scale_ptr,
    shift_ptr,
    eps: tl.float64,
    y_ptr,
    h_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    x_stride_b,
    x_stride_rest,
    x_step,
    branch_stride_b,
    branch_stride_rest,
    branch_step,
    gate_stride_b,
    gate_step,
    scale_stride_b,
    scale_step,
    shift_stride_b,
    shift_step,
    y_stride_b,
    y_stride_rest,
    y_step,
    h_stride_b,
    h_stride_rest,
    h_step,
    rest_size,
    rows,
    D,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """h = x + branch*gate
    mu = mean(h)
    var = mean((h - mu)**2)
    rstd = 1/sqrt(var + eps)
    hhat = rstd*(h - mu)
    y = shift + hhat*(1 + scale)
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_rest = x_stride_rest // EVEN * EVEN
    branch_stride_b = branch_stride_b // EVEN * EVEN
    branch_stride_rest = branch_stride_rest // EVEN * EVEN
    gate_stride_b = gate_stride_b // EVEN * EVEN
    scale_stride_b = scale_stride_b // EVEN * EVEN
    shift_stride_b = shift_stride_b // EVEN * EVEN
    y_stride_b = y_stride_b // EVEN * EVEN
    y_stride_rest = y_stride_rest // EVEN * EVEN
    h_stride_b = h_stride_b // EVEN * EVEN
    h_stride_rest = h_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    branch_step = tl.cast(branch_step, tl.int64)
    gate_step = tl.cast(gate_step, tl.int64)
    scale_step = tl.cast(scale_step, tl.int64)
    shift_step = tl.cast(shift_step, tl.int64)
    y_step = tl.cast(y_step, tl.int64)
    h_step = tl.cast(h_step, tl.int64)
    length = tl.cast(D, A)
    eps = tl.full([1, 1], eps, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // rest_size
        rest_index = row % rest_size
        x_row = x_ptr + b_index*x_stride_b + rest_index*x_stride_rest
        branch_row = (
            branch_ptr + b_index*branch_stride_b + rest_index*branch_stride_rest
        )
        gate_row = gate_ptr + b_index*gate_stride_b
        scale_row = scale_ptr + b_index*scale_stride_b
        shift_row = shift_ptr + b_index*shift_stride_b
        y_row = y_ptr + b_index*y_stride_b + rest_index*y_stride_rest
        h_row = h_ptr + b_index*h_stride_b + rest_index*h_stride_rest
        mu_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            branch = tl.load(branch_row + d*branch_step, inside, 0).to(A)
            gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            h = x + branch*gate  # step 1
            mu_sum += tl.where(inside, h, 0.0)
        mu = tl.sum(mu_sum, 1, keep_dims=True)/length  # step 2: mean(h)
        sum_h_shifted_sum = tl.zeros([ROWS, TILE], A)
        squares_h_shifted_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            branch = tl.load(branch_row + d*branch_step, inside, 0).to(A)
            gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            h = x + branch*gate  # step 1
            h_shifted = h - mu  # step 3, pass 1: compensation
            sum_h_shifted_sum += tl.where(inside, h_shifted, 0.0)
            squares_h_shifted_sum += tl.where(inside, h_shifted*h_shifted, 0.0)
        sum_h_shifted = tl.sum(sum_h_shifted_sum, 1, keep_dims=True)  # step 3, pass 4
        # step 4, pass 5: sum(h_shifted**2)
        squares_h_shifted = tl.sum(squares_h_shifted_sum, 1, keep_dims=True)
        mu_residual = sum_h_shifted/length  # step 3, pass 6: moments
        # step 4, pass 7: moments
        var = corrected_squares(
            squares_h_shifted, sum_h_shifted, mu_residual, length
        )/length
        rstd = tl.rsqrt(var + eps)  # step 5
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            branch = tl.load(branch_row + d*branch_step, inside, 0).to(A)
            gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            scale = tl.load(scale_row + d*scale_step, inside, 0).to(A)
            shift = tl.load(shift_row + d*shift_step, inside, 0).to(A)
            h = x + branch*gate  # step 1
            h_shifted = h - mu  # step 3, pass 1: compensation
            h_centred = h_shifted - mu_residual  # step 3, pass 3: compensation
            hhat = h_centred*rstd  # step 6
            y = shift + hhat*(scale + 1)  # step 7
            tl.store(y_row + d*y_step, y, inside)
            tl.store(h_row + d*h_step, h, inside)
        if SAVE:
            tl.store(mu_ptr + row, mu, there)
            tl.store(mu_residual_ptr + row, mu_residual, there)
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def ada_layer_norm_zero_backward(
    x_ptr,
    branch_ptr,
    gate_ptr,
    scale_ptr,
    dy_ptr,
    dh_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    dx_ptr,
    dbranch_ptr,
    dgate_ptr,
    dscale_ptr,
    dshift_ptr,
    x_stride_b,
    x_stride_rest,
    x_step,
    branch_stride_b,
    branch_stride_rest,
    branch_step,
    gate_stride_b,
    gate_step,
    scale_stride_b,
    scale_step,
    dy_stride_b,
    dy_stride_rest,
    dy_step,
    dh_stride_b,
    dh_stride_rest,
    dh_step,
    dx_stride_b,
    dx_stride_rest,
    dx_step,
    dbranch_stride_b,
    dbranch_stride_rest,
    dbranch_step,
    rest_size,
    rows,
    D,
    HAS_dh: tl.constexpr,
    HAS_dy: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = dy*(1 + scale)
    dx = dh + rstd*(g - mean(g) - hhat*mean(g*hhat))
    dbranch = dx*gate
    dgate = sum(branch*dx, "...")
    dscale = sum(dy*hhat, "...")
    dshift = sum(dy, "...")
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_rest = x_stride_rest // EVEN * EVEN
    branch_stride_b = branch_stride_b // EVEN * EVEN
    branch_stride_rest = branch_stride_rest // EVEN * EVEN
    gate_stride_b = gate_stride_b // EVEN * EVEN
    scale_stride_b = scale_stride_b // EVEN * EVEN
    dy_stride_b = dy_stride_b // EVEN * EVEN
    dy_stride_rest = dy_stride_rest // EVEN * EVEN
    dh_stride_b = dh_stride_b // EVEN * EVEN
    dh_stride_rest = dh_stride_rest // EVEN * EVEN
    dx_stride_b = dx_stride_b // EVEN * EVEN
    dx_stride_rest = dx_stride_rest // EVEN * EVEN
    dbranch_stride_b = dbranch_stride_b // EVEN * EVEN
    dbranch_stride_rest = dbranch_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    branch_step = tl.cast(branch_step, tl.int64)
    gate_step = tl.cast(gate_step, tl.int64)
    scale_step = tl.cast(scale_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dh_step = tl.cast(dh_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    dbranch_step = tl.cast(dbranch_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // rest_size
        rest_index = row % rest_size
        if HAS_dy:
            x_row = x_ptr + b_index*x_stride_b + rest_index*x_stride_rest
        branch_row = (
            branch_ptr + b_index*branch_stride_b + rest_index*branch_stride_rest
        )
        gate_row = gate_ptr + b_index*gate_stride_b
        if HAS_dy:
            scale_row = scale_ptr + b_index*scale_stride_b
            dy_row = dy_ptr + b_index*dy_stride_b + rest_index*dy_stride_rest
        if HAS_dh:
            dh_row = dh_ptr + b_index*dh_stride_b + rest_index*dh_stride_rest
        dx_row = dx_ptr + b_index*dx_stride_b + rest_index*dx_stride_rest
        dbranch_row = (
            dbranch_ptr + b_index*dbranch_stride_b + rest_index*dbranch_stride_rest
        )
        dgate_row = dgate_ptr + row*D
        dscale_row = dscale_ptr + row*D
        dshift_row = dshift_ptr + row*D
        if HAS_dy:
            mu = tl.load(mu_ptr + row, there, 0).to(A)
            mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
            mean_g_sum = tl.zeros([ROWS, TILE], A)
            mean_g_hhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_dy:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            branch = tl.load(branch_row + d*branch_step, inside, 0).to(A)
            gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            if HAS_dy:
                scale = tl.load(scale_row + d*scale_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A) if HAS_dy else 0.0
            if HAS_dy:
                h = x + branch*gate  # step 1
                h_shifted = h - mu  # step 3, pass 1: compensation
                h_centred = h_shifted - mu_residual  # step 3, pass 3: compensation
                hhat = h_centred*rstd  # step 6
                g = dy*(scale + 1)  # step 8
                mean_g_sum += tl.where(inside, g, 0.0)
                mean_g_hhat_sum += tl.where(inside, g*hhat, 0.0)
        if HAS_dy:
            mean_g = tl.sum(mean_g_sum, 1, keep_dims=True)/length  # step 18: mean(g)
            mean_g_hhat = tl.sum(mean_g_hhat_sum, 1, keep_dims=True)/length  # step 18
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_dy:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            branch = tl.load(branch_row + d*branch_step, inside, 0).to(A)
            gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            if HAS_dy:
                scale = tl.load(scale_row + d*scale_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A) if HAS_dy else 0.0
            dh = tl.load(dh_row + d*dh_step, inside, 0).to(A) if HAS_dh else 0.0
            if HAS_dy:
                h = x + branch*gate  # step 1
                h_shifted = h - mu  # step 3, pass 1: compensation
                h_centred = h_shifted - mu_residual  # step 3, pass 3: compensation
                hhat = h_centred*rstd  # step 6
                g = dy*(scale + 1)  # step 8
                dscale = dy*hhat  # step 21
                dshift = dy  # step 22
            dx = 0.0
            if HAS_dh:
                dx += dh  # step 18
            if HAS_dy:
                dx += (g - mean_g - hhat*mean_g_hhat)*rstd  # step 18
            dbranch = dx*gate  # step 19
            dgate = branch*dx  # step 20
            tl.store(dx_row + d*dx_step, dx, inside)
            tl.store(dbranch_row + d*dbranch_step, dbranch, inside)
            tl.store(dgate_row + d, dgate, inside)
            tl.store(dscale_row + d, dscale if HAS_dy else 0.0, inside)
            tl.store(dshift_row + d, dshift if HAS_dy else 0.0, inside)


@triton.jit(do_not_specialize=["rows"])
def ada_layer_norm_zero_jvp(
    x_ptr,
    branch_ptr,
    gate_ptr,
    scale_ptr,
    x_dot_ptr,
    branch_dot_ptr,
    gate_dot_ptr,
    scale_dot_ptr,
    shift_dot_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    y_dot_ptr,
    h_dot_ptr,
    x_stride_b,
    x_stride_rest,
    x_step,
    branch_stride_b,
    branch_stride_rest,
    branch_step,
    gate_stride_b,
    gate_step,
    scale_stride_b,
    scale_step,
    x_dot_stride_b,
    x_dot_stride_rest,
    x_dot_step,
    branch_dot_stride_b,
    branch_dot_stride_rest,
    branch_dot_step,
    gate_dot_stride_b,
    gate_dot_step,
    scale_dot_stride_b,
    scale_dot_step,
    shift_dot_stride_b,
    shift_dot_step,
    y_dot_stride_b,
    y_dot_stride_rest,
    y_dot_step,
    h_dot_stride_b,
    h_dot_stride_rest,
    h_dot_step,
    rest_size,
    rows,
    D,
    HAS_branch_dot: tl.constexpr,
    HAS_gate_dot: tl.constexpr,
    HAS_scale_dot: tl.constexpr,
    HAS_shift_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """h_dot = x_dot + branch*gate_dot + branch_dot*gate
    y_dot = shift_dot + hhat*scale_dot + rstd*(1 + scale)*(h_dot - mean(h_dot) -
        hhat*mean(h_dot*hhat))
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_rest = x_stride_rest // EVEN * EVEN
    branch_stride_b = branch_stride_b // EVEN * EVEN
    branch_stride_rest = branch_stride_rest // EVEN * EVEN
    gate_stride_b = gate_stride_b // EVEN * EVEN
    scale_stride_b = scale_stride_b // EVEN * EVEN
    x_dot_stride_b = x_dot_stride_b // EVEN * EVEN
    x_dot_stride_rest = x_dot_stride_rest // EVEN * EVEN
    branch_dot_stride_b = branch_dot_stride_b // EVEN * EVEN
    branch_dot_stride_rest = branch_dot_stride_rest // EVEN * EVEN
    gate_dot_stride_b = gate_dot_stride_b // EVEN * EVEN
    scale_dot_stride_b = scale_dot_stride_b // EVEN * EVEN
    shift_dot_stride_b = shift_dot_stride_b // EVEN * EVEN
    y_dot_stride_b = y_dot_stride_b // EVEN * EVEN
    y_dot_stride_rest = y_dot_stride_rest // EVEN * EVEN
    h_dot_stride_b = h_dot_stride_b // EVEN * EVEN
    h_dot_stride_rest = h_dot_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    branch_step = tl.cast(branch_step, tl.int64)
    gate_step = tl.cast(gate_step, tl.int64)
    scale_step = tl.cast(scale_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    branch_dot_step = tl.cast(branch_dot_step, tl.int64)
    gate_dot_step = tl.cast(gate_dot_step, tl.int64)
    scale_dot_step = tl.cast(scale_dot_step, tl.int64)
    shift_dot_step = tl.cast(shift_dot_step, tl.int64)
    y_dot_step = tl.cast(y_dot_step, tl.int64)
    h_dot_step = tl.cast(h_dot_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // rest_size
        rest_index = row % rest_size
        if HAS_branch_dot or HAS_gate_dot or HAS_scale_dot or HAS_x_dot:
            x_row = x_ptr + b_index*x_stride_b + rest_index*x_stride_rest
            branch_row = (
                branch_ptr + b_index*branch_stride_b + rest_index*branch_stride_rest
            )
            gate_row = gate_ptr + b_index*gate_stride_b
        if HAS_branch_dot or HAS_gate_dot or HAS_x_dot:
            scale_row = scale_ptr + b_index*scale_stride_b
        if HAS_x_dot:
            x_dot_row = (
                x_dot_ptr + b_index*x_dot_stride_b + rest_index*x_dot_stride_rest
            )
        if HAS_branch_dot:
            branch_dot_row = (
                branch_dot_ptr
                + b_index*branch_dot_stride_b
                + rest_index*branch_dot_stride_rest
            )
        if HAS_gate_dot:
            gate_dot_row = gate_dot_ptr + b_index*gate_dot_stride_b
        if HAS_scale_dot:
            scale_dot_row = scale_dot_ptr + b_index*scale_dot_stride_b
        if HAS_shift_dot:
            shift_dot_row = shift_dot_ptr + b_index*shift_dot_stride_b
        y_dot_row = y_dot_ptr + b_index*y_dot_stride_b + rest_index*y_dot_stride_rest
        h_dot_row = h_dot_ptr + b_index*h_dot_stride_b + rest_index*h_dot_stride_rest
        if HAS_branch_dot or HAS_gate_dot or HAS_scale_dot or HAS_x_dot:
            mu = tl.load(mu_ptr + row, there, 0).to(A)
            mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_branch_dot or HAS_gate_dot or HAS_x_dot:
            mean_h_dot_sum = tl.zeros([ROWS, TILE], A)
            mean_h_dot_hhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_branch_dot or HAS_gate_dot or HAS_scale_dot or HAS_x_dot:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
                branch = tl.load(branch_row + d*branch_step, inside, 0).to(A)
                gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            if HAS_branch_dot:
                branch_dot = tl.load(branch_dot_row + d*branch_dot_step, inside, 0).to(
                    A
                )
            if HAS_gate_dot:
                gate_dot = tl.load(gate_dot_row + d*gate_dot_step, inside, 0).to(A)
            if HAS_branch_dot or HAS_gate_dot or HAS_scale_dot or HAS_x_dot:
                h = x + branch*gate  # step 1
                h_shifted = h - mu  # step 3, pass 1: compensation
                h_centred = h_shifted - mu_residual  # step 3, pass 3: compensation
                hhat = h_centred*rstd  # step 6
            h_dot = 0.0
            if HAS_x_dot:
                h_dot += x_dot  # step 23
            if HAS_gate_dot:
                h_dot += branch*gate_dot  # step 23
            if HAS_branch_dot:
                h_dot += branch_dot*gate  # step 23
            if HAS_branch_dot or HAS_gate_dot or HAS_x_dot:
                mean_h_dot_sum += tl.where(inside, h_dot, 0.0)
                mean_h_dot_hhat_sum += tl.where(inside, h_dot*hhat, 0.0)
        if HAS_branch_dot or HAS_gate_dot or HAS_x_dot:
            mean_h_dot = tl.sum(mean_h_dot_sum, 1, keep_dims=True)/length  # step 32
            # step 32: mean(h_dot*hhat)
            mean_h_dot_hhat = tl.sum(mean_h_dot_hhat_sum, 1, keep_dims=True)/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_branch_dot or HAS_gate_dot or HAS_scale_dot or HAS_x_dot:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
                branch = tl.load(branch_row + d*branch_step, inside, 0).to(A)
                gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            if HAS_branch_dot or HAS_gate_dot or HAS_x_dot:
                scale = tl.load(scale_row + d*scale_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            if HAS_branch_dot:
                branch_dot = tl.load(branch_dot_row + d*branch_dot_step, inside, 0).to(
                    A
                )
            if HAS_gate_dot:
                gate_dot = tl.load(gate_dot_row + d*gate_dot_step, inside, 0).to(A)
            if HAS_scale_dot:
                scale_dot = tl.load(scale_dot_row + d*scale_dot_step, inside, 0).to(A)
            shift_dot = (
                tl.load(shift_dot_row + d*shift_dot_step, inside, 0).to(A)
                if HAS_shift_dot
                else 0.0
            )
            if HAS_branch_dot or HAS_gate_dot or HAS_scale_dot or HAS_x_dot:
                h = x + branch*gate  # step 1
                h_shifted = h - mu  # step 3, pass 1: compensation
                h_centred = h_shifted - mu_residual  # step 3, pass 3: compensation
                hhat = h_centred*rstd  # step 6
            h_dot = 0.0
            if HAS_x_dot:
                h_dot += x_dot  # step 23
            if HAS_gate_dot:
                h_dot += branch*gate_dot  # step 23
            if HAS_branch_dot:
                h_dot += branch_dot*gate  # step 23
            y_dot = 0.0
            if HAS_shift_dot:
                y_dot += shift_dot  # step 32
            if HAS_scale_dot:
                y_dot += hhat*scale_dot  # step 32
            if HAS_branch_dot or HAS_gate_dot or HAS_x_dot:
                # step 32
                y_dot += (h_dot - mean_h_dot - hhat*mean_h_dot_hhat)*(scale + 1)*rstd
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)
            tl.store(h_dot_row + d*h_dot_step, h_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def ada_layer_norm_zero_backward_backward(
    x_ptr,
    branch_ptr,
    gate_ptr,
    scale_ptr,
    dy_ptr,
    dh_ptr,
    ddx_ptr,
    ddbranch_ptr,
    ddgate_ptr,
    ddscale_ptr,
    ddshift_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    dx_ptr,
    dbranch_ptr,
    dgate_ptr,
    dscale_ptr,
    dshift_ptr,
    ddy_ptr,
    ddh_ptr,
    x_stride_b,
    x_stride_rest,
    x_step,
    branch_stride_b,
    branch_stride_rest,
    branch_step,
    gate_stride_b,
    gate_step,
    scale_stride_b,
    scale_step,
    dy_stride_b,
    dy_stride_rest,
    dy_step,
    dh_stride_b,
    dh_stride_rest,
    dh_step,
    ddx_stride_b,
    ddx_stride_rest,
    ddx_step,
    ddbranch_stride_b,
    ddbranch_stride_rest,
    ddbranch_step,
    ddgate_stride_b,
    ddgate_step,
    ddscale_stride_b,
    ddscale_step,
    ddshift_stride_b,
    ddshift_step,
    dx_stride_b,
    dx_stride_rest,
    dx_step,
    dbranch_stride_b,
    dbranch_stride_rest,
    dbranch_step,
    ddy_stride_b,
    ddy_stride_rest,
    ddy_step,
    ddh_stride_b,
    ddh_stride_rest,
    ddh_step,
    rest_size,
    rows,
    D,
    HAS_ddbranch: tl.constexpr,
    HAS_ddgate: tl.constexpr,
    HAS_ddscale: tl.constexpr,
    HAS_ddshift: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_dh: tl.constexpr,
    HAS_dy: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = dy*(1 + scale)
    mean_g = mean(g)
    mean_g_hhat = mean(g*hhat)
    dx = dh + rstd*(g - mean_g - mean_g_hhat*hhat)
    ddh = ddx + branch*ddgate + ddbranch*gate
    dg = rstd*(ddh - mean(ddh) - hhat*mean(ddh*hhat))
    d2hhat_part = ddscale*dy - mean_g_hhat*rstd*ddh
    d2x = rstd*(d2hhat_part + rstd*(mean_g*hhat*mean(ddh) +
        mean(ddh*hhat)*(2*mean_g_hhat*hhat + mean_g - g) - hhat*mean(ddh*g)) -
        mean(d2hhat_part) - hhat*mean(d2hhat_part*hhat))
    d2branch = d2x*gate + ddgate*dx
    d2gate = sum(branch*d2x + ddbranch*dx, "...")
    d2scale = sum(dg*dy, "...")
    d2shift = sum(0, "...")
    ddy = ddshift + ddscale*hhat + dg*(1 + scale)
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_rest = x_stride_rest // EVEN * EVEN
    branch_stride_b = branch_stride_b // EVEN * EVEN
    branch_stride_rest = branch_stride_rest // EVEN * EVEN
    gate_stride_b = gate_stride_b // EVEN * EVEN
    scale_stride_b = scale_stride_b // EVEN * EVEN
    dy_stride_b = dy_stride_b // EVEN * EVEN
    dy_stride_rest = dy_stride_rest // EVEN * EVEN
    dh_stride_b = dh_stride_b // EVEN * EVEN
    dh_stride_rest = dh_stride_rest // EVEN * EVEN
    ddx_stride_b = ddx_stride_b // EVEN * EVEN
    ddx_stride_rest = ddx_stride_rest // EVEN * EVEN
    ddbranch_stride_b = ddbranch_stride_b // EVEN * EVEN
    ddbranch_stride_rest = ddbranch_stride_rest // EVEN * EVEN
    ddgate_stride_b = ddgate_stride_b // EVEN * EVEN
    ddscale_stride_b = ddscale_stride_b // EVEN * EVEN
    ddshift_stride_b = ddshift_stride_b // EVEN * EVEN
    dx_stride_b = dx_stride_b // EVEN * EVEN
    dx_stride_rest = dx_stride_rest // EVEN * EVEN
    dbranch_stride_b = dbranch_stride_b // EVEN * EVEN
    dbranch_stride_rest = dbranch_stride_rest // EVEN * EVEN
    ddy_stride_b = ddy_stride_b // EVEN * EVEN
    ddy_stride_rest = ddy_stride_rest // EVEN * EVEN
    ddh_stride_b = ddh_stride_b // EVEN * EVEN
    ddh_stride_rest = ddh_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    branch_step = tl.cast(branch_step, tl.int64)
    gate_step = tl.cast(gate_step, tl.int64)
    scale_step = tl.cast(scale_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dh_step = tl.cast(dh_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    ddbranch_step = tl.cast(ddbranch_step, tl.int64)
    ddgate_step = tl.cast(ddgate_step, tl.int64)
    ddscale_step = tl.cast(ddscale_step, tl.int64)
    ddshift_step = tl.cast(ddshift_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    dbranch_step = tl.cast(dbranch_step, tl.int64)
    ddy_step = tl.cast(ddy_step, tl.int64)
    ddh_step = tl.cast(ddh_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // rest_size
        rest_index = row % rest_size
        if (
            (HAS_ddbranch and HAS_dy)
            or (HAS_ddgate and HAS_dy)
            or (HAS_ddscale and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            x_row = x_ptr + b_index*x_stride_b + rest_index*x_stride_rest
        if (
            (HAS_ddbranch and HAS_dy)
            or HAS_ddgate
            or (HAS_ddscale and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            branch_row = (
                branch_ptr + b_index*branch_stride_b + rest_index*branch_stride_rest
            )
        if (
            HAS_ddbranch
            or (HAS_ddgate and HAS_dy)
            or (HAS_ddscale and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            gate_row = gate_ptr + b_index*gate_stride_b
        if (HAS_ddbranch and HAS_dy) or (HAS_ddgate and HAS_dy) or (HAS_ddx and HAS_dy):
            scale_row = scale_ptr + b_index*scale_stride_b
        if (
            (HAS_ddbranch and HAS_dy)
            or (HAS_ddgate and HAS_dy)
            or (HAS_ddscale and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            dy_row = dy_ptr + b_index*dy_stride_b + rest_index*dy_stride_rest
        if (HAS_ddbranch and HAS_dh) or (HAS_ddgate and HAS_dh):
            dh_row = dh_ptr + b_index*dh_stride_b + rest_index*dh_stride_rest
        if HAS_ddx:
            ddx_row = ddx_ptr + b_index*ddx_stride_b + rest_index*ddx_stride_rest
        if HAS_ddbranch:
            ddbranch_row = (
                ddbranch_ptr
                + b_index*ddbranch_stride_b
                + rest_index*ddbranch_stride_rest
            )
        if HAS_ddgate:
            ddgate_row = ddgate_ptr + b_index*ddgate_stride_b
        if HAS_ddscale and HAS_dy:
            ddscale_row = ddscale_ptr + b_index*ddscale_stride_b
        if HAS_ddshift and HAS_dy:
            ddshift_row = ddshift_ptr + b_index*ddshift_stride_b
        dx_row = dx_ptr + b_index*dx_stride_b + rest_index*dx_stride_rest
        dbranch_row = (
            dbranch_ptr + b_index*dbranch_stride_b + rest_index*dbranch_stride_rest
        )
        dgate_row = dgate_ptr + row*D
        dscale_row = dscale_ptr + row*D
        dshift_row = dshift_ptr + row*D
        if HAS_dy:
            ddy_row = ddy_ptr + b_index*ddy_stride_b + rest_index*ddy_stride_rest
        if HAS_dh:
            ddh_row = ddh_ptr + b_index*ddh_stride_b + rest_index*ddh_stride_rest
        if (
            (HAS_ddbranch and HAS_dy)
            or (HAS_ddgate and HAS_dy)
            or (HAS_ddscale and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            mu = tl.load(mu_ptr + row, there, 0).to(A)
            mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if (HAS_ddbranch and HAS_dy) or (HAS_ddgate and HAS_dy) or (HAS_ddx and HAS_dy):
            mean_g_sum = tl.zeros([ROWS, TILE], A)
            mean_g_hhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddh_sum = tl.zeros([ROWS, TILE], A)
            mean_ddh_hhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddh_g_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if (
                (HAS_ddbranch and HAS_dy)
                or HAS_ddgate
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                branch = tl.load(branch_row + d*branch_step, inside, 0).to(A)
            if (
                HAS_ddbranch
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                scale = tl.load(scale_row + d*scale_step, inside, 0).to(A)
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            if HAS_ddbranch:
                ddbranch = tl.load(ddbranch_row + d*ddbranch_step, inside, 0).to(A)
            if HAS_ddgate:
                ddgate = tl.load(ddgate_row + d*ddgate_step, inside, 0).to(A)
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                h = x + branch*gate  # step 1
                h_shifted = h - mu  # step 3, pass 1: compensation
                h_centred = h_shifted - mu_residual  # step 3, pass 3: compensation
                hhat = h_centred*rstd  # step 6
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                g = dy*(scale + 1)  # step 33
            if HAS_ddbranch or HAS_ddgate or HAS_ddx or HAS_dh:
                ddh = 0.0
            if HAS_ddx:
                ddh += ddx  # step 39
            if HAS_ddgate:
                ddh += branch*ddgate  # step 39
            if HAS_ddbranch:
                ddh += ddbranch*gate  # step 39
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                mean_g_sum += tl.where(inside, g, 0.0)
                mean_g_hhat_sum += tl.where(inside, g*hhat, 0.0)
                mean_ddh_sum += tl.where(inside, ddh, 0.0)
                mean_ddh_hhat_sum += tl.where(inside, ddh*hhat, 0.0)
                mean_ddh_g_sum += tl.where(inside, ddh*g, 0.0)
        if (HAS_ddbranch and HAS_dy) or (HAS_ddgate and HAS_dy) or (HAS_ddx and HAS_dy):
            mean_g = tl.sum(mean_g_sum, 1, keep_dims=True)/length  # step 34: mean(g)
            mean_g_hhat = tl.sum(mean_g_hhat_sum, 1, keep_dims=True)/length  # step 35
            mean_ddh = tl.sum(mean_ddh_sum, 1, keep_dims=True)/length  # step 59
            # step 59: mean(ddh*hhat)
            mean_ddh_hhat = tl.sum(mean_ddh_hhat_sum, 1, keep_dims=True)/length
            mean_ddh_g = tl.sum(mean_ddh_g_sum, 1, keep_dims=True)/length  # step 51
            mean_g_hhat_scaled = mean_g_hhat*rstd  # step 41, pass 8: once a row
            mean_g_hhat_scaled_2 = 2*mean_g_hhat  # step 51, pass 9: once a row
            mean_ddh_scaled = mean_ddh*mean_g  # step 51, pass 10: once a row
        if (
            (HAS_ddbranch and HAS_dy)
            or (HAS_ddgate and HAS_dy)
            or (HAS_ddscale and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            mean_d2hhat_part_sum = tl.zeros([ROWS, TILE], A)
            mean_d2hhat_part_hhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if (
                (HAS_ddbranch and HAS_dy)
                or HAS_ddgate
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                branch = tl.load(branch_row + d*branch_step, inside, 0).to(A)
            if (
                HAS_ddbranch
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                scale = tl.load(scale_row + d*scale_step, inside, 0).to(A)
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            if HAS_ddbranch:
                ddbranch = tl.load(ddbranch_row + d*ddbranch_step, inside, 0).to(A)
            if HAS_ddgate:
                ddgate = tl.load(ddgate_row + d*ddgate_step, inside, 0).to(A)
            if HAS_ddscale and HAS_dy:
                ddscale = tl.load(ddscale_row + d*ddscale_step, inside, 0).to(A)
            if HAS_dy:
                ddshift = (
                    tl.load(ddshift_row + d*ddshift_step, inside, 0).to(A)
                    if HAS_ddshift
                    else 0.0
                )
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                h = x + branch*gate  # step 1
                h_shifted = h - mu  # step 3, pass 1: compensation
                h_centred = h_shifted - mu_residual  # step 3, pass 3: compensation
                hhat = h_centred*rstd  # step 6
            if HAS_ddbranch or HAS_ddgate or HAS_ddx or HAS_dh:
                ddh = 0.0
            if HAS_ddx:
                ddh += ddx  # step 39
            if HAS_ddgate:
                ddh += branch*ddgate  # step 39
            if HAS_ddbranch:
                ddh += ddbranch*gate  # step 39
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                dg = (ddh - mean_ddh - hhat*mean_ddh_hhat)*rstd  # step 59
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2hhat_part = 0.0
            if HAS_ddscale and HAS_dy:
                d2hhat_part += ddscale*dy  # step 41, pass 11: once a row
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2hhat_part -= ddh*mean_g_hhat_scaled  # step 41, pass 11: once a row
            if HAS_dy:
                ddy = 0.0
            if HAS_ddshift and HAS_dy:
                ddy += ddshift  # step 65
            if HAS_ddscale and HAS_dy:
                ddy += ddscale*hhat  # step 65
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                ddy += dg*(scale + 1)  # step 65
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                mean_d2hhat_part_sum += tl.where(inside, d2hhat_part, 0.0)
                mean_d2hhat_part_hhat_sum += tl.where(inside, d2hhat_part*hhat, 0.0)
            if HAS_dy:
                tl.store(ddy_row + d*ddy_step, ddy, inside)
        if (
            (HAS_ddbranch and HAS_dy)
            or (HAS_ddgate and HAS_dy)
            or (HAS_ddscale and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            # step 51: mean(d2hhat_part)
            mean_d2hhat_part = tl.sum(mean_d2hhat_part_sum, 1, keep_dims=True)/length
            # step 51: mean(d2hhat_part*hhat)
            mean_d2hhat_part_hhat = tl.sum(
                mean_d2hhat_part_hhat_sum, 1, keep_dims=True
            )/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if (
                (HAS_ddbranch and HAS_dy)
                or HAS_ddgate
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                branch = tl.load(branch_row + d*branch_step, inside, 0).to(A)
            if (
                HAS_ddbranch
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                scale = tl.load(scale_row + d*scale_step, inside, 0).to(A)
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddbranch or HAS_ddgate:
                dh = tl.load(dh_row + d*dh_step, inside, 0).to(A) if HAS_dh else 0.0
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            if HAS_ddbranch:
                ddbranch = tl.load(ddbranch_row + d*ddbranch_step, inside, 0).to(A)
            if HAS_ddgate:
                ddgate = tl.load(ddgate_row + d*ddgate_step, inside, 0).to(A)
            if HAS_ddscale and HAS_dy:
                ddscale = tl.load(ddscale_row + d*ddscale_step, inside, 0).to(A)
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                h = x + branch*gate  # step 1
                h_shifted = h - mu  # step 3, pass 1: compensation
                h_centred = h_shifted - mu_residual  # step 3, pass 3: compensation
                hhat = h_centred*rstd  # step 6
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                g = dy*(scale + 1)  # step 33
            if HAS_ddbranch or HAS_ddgate or HAS_ddx or HAS_dh:
                ddh = 0.0
            if HAS_ddx:
                ddh += ddx  # step 39
            if HAS_ddgate:
                ddh += branch*ddgate  # step 39
            if HAS_ddbranch:
                ddh += ddbranch*gate  # step 39
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                dg = (ddh - mean_ddh - hhat*mean_ddh_hhat)*rstd  # step 59
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2hhat_part = 0.0
            if HAS_ddscale and HAS_dy:
                d2hhat_part += ddscale*dy  # step 41, pass 11: once a row
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2hhat_part -= ddh*mean_g_hhat_scaled  # step 41, pass 11: once a row
                d2scale = dg*dy  # step 60
            if HAS_ddbranch or HAS_ddgate:
                dx = 0.0
            if (HAS_ddbranch and HAS_dh) or (HAS_ddgate and HAS_dh):
                dx += dh  # step 36
            if (HAS_ddbranch and HAS_dy) or (HAS_ddgate and HAS_dy):
                dx += (g - mean_g - hhat*mean_g_hhat)*rstd  # step 36
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2x_part = d2hhat_part
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2x_part += (
                    hhat*mean_ddh_scaled
                    + (hhat*mean_g_hhat_scaled_2 + mean_g - g)*mean_ddh_hhat
                    - hhat*mean_ddh_g
                )*rstd
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2x_part += -mean_d2hhat_part - hhat*mean_d2hhat_part_hhat
                d2x = d2x_part*rstd  # step 51, pass 12: once a row
            d2branch = 0.0
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2branch += d2x*gate  # step 52
            if HAS_ddgate:
                d2branch += ddgate*dx  # step 52
            d2gate = 0.0
            if (
                (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2gate += branch*d2x  # step 53
            if HAS_ddbranch:
                d2gate += ddbranch*dx  # step 53
            tl.store(
                dx_row + d*dx_step,
                d2x
                if (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
                else 0.0,
                inside,
            )
            tl.store(dbranch_row + d*dbranch_step, d2branch, inside)
            tl.store(dgate_row + d, d2gate, inside)
            tl.store(dshift_row + d, 0.0, inside)
            if HAS_dh:
                tl.store(ddh_row + d*ddh_step, ddh, inside)
            tl.store(
                dscale_row + d,
                d2scale
                if (HAS_ddbranch and HAS_dy)
                or (HAS_ddgate and HAS_dy)
                or (HAS_ddx and HAS_dy)
                else 0.0,
                inside,
            )
