# Made by lngen 0.1.0 from the definition of layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm.py and run: lngen derive layer_norm.py
# definition sha256:3f4f3519e955d61b03ab0d655ad5951c0892e0dd7b3076ac889a76a6492abbe1
# mypy: ignore-errors
"""Layer normalization over the feature axis.

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


@triton.jit
def add_to(place, value, inside):
    """Add the entries of some rows to sums in memory that this program alone has."""
    tl.store(place, tl.load(place, inside, 0.0) + tl.sum(value, 0, keep_dims=True), inside)


@triton.jit
def over_programs(place, inside, programs, width, AT_ONCE: tl.constexpr, A: tl.constexpr):
    """Add up the partial sums of all programs, in the same order each time."""
    total = tl.zeros([AT_ONCE, place.shape[1]], A)
    for first in range(0, programs, AT_ONCE):
        program = first + tl.arange(0, AT_ONCE)[:, None].to(tl.int64)
        total += tl.load(place + program*width, inside & (program < programs), 0.0)
    return tl.sum(total, 0, keep_dims=True)


@triton.jit(do_not_specialize=["rows"])
def layer_norm_forward(
    x_ptr,
    gamma_ptr,
    beta_ptr,
    eps: tl.float64,
    y_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    x_stride,
    x_step,
    rows,
    D,
    HAS_beta: tl.constexpr,
    HAS_gamma: tl.constexpr,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """mu = mean(x)
    var = mean((x - mu)**2)
    rstd = 1/sqrt(var + eps)
    xhat = rstd*(x - mu)
    y = gamma*xhat + beta
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
        var = corrected_squares(
            squares_x_shifted, sum_x_shifted, mu_residual, length
        )/length
        rstd = tl.rsqrt(var + eps)  # step 4
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            y = xhat*gamma  # step 6
            if HAS_beta:
                y += beta  # step 6
            tl.store(y_row + d, y, inside)
        if SAVE:
            tl.store(mu_ptr + row, mu, there)
            tl.store(mu_residual_ptr + row, mu_residual, there)
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def layer_norm_backward(
    x_ptr,
    dy_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    gamma_ptr,
    dx_ptr,
    sums_ptr,
    x_stride,
    x_step,
    dy_stride,
    dy_step,
    rows,
    D,
    HAS_beta: tl.constexpr,
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = gamma*dy
    dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
    dgamma = sum_rows(dy*xhat)
    dbeta = sum_rows(dy)
    """
    x_stride = x_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * 2*D
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
        if HAS_gamma:
            dgamma = tl.zeros([ROWS, TILE], A)
        if HAS_beta:
            dbeta = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if HAS_gamma:
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
            if HAS_beta:
                tl.store(sums_ptr + D + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dy_row = dy_ptr + row*dy_stride
        dx_row = dx_ptr + row*D
        mu = tl.load(mu_ptr + row, there, 0).to(A)
        mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        mean_g_sum = tl.zeros([ROWS, TILE], A)
        mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            g = dy*gamma  # step 7
            mean_g_sum += tl.where(inside, g, 0.0)
            mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
            if HAS_gamma:
                if WHOLE:
                    dgamma += tl.where(inside, dy*xhat, 0.0)  # step 18
                else:
                    add_to(sums_ptr + d, tl.where(inside, dy*xhat, 0.0), d < D)
            if HAS_beta:
                if WHOLE:
                    dbeta += dy  # step 19
                else:
                    add_to(sums_ptr + D + d, dy, d < D)
        mean_g = tl.sum(mean_g_sum, 1, keep_dims=True)/length  # step 17: mean(g)
        mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 17
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            g = dy*gamma  # step 7
            dx = (g - mean_g - xhat*mean_g_xhat)*rstd  # step 17
            tl.store(dx_row + d, dx, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_gamma:
            tl.store(sums_ptr + d, tl.sum(dgamma, 0, keep_dims=True), d < D)
        if HAS_beta:
            tl.store(sums_ptr + D + d, tl.sum(dbeta, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def layer_norm_backward_totals(
    sums_ptr,
    dgamma_ptr,
    dbeta_ptr,
    programs,
    D,
    HAS_beta: tl.constexpr,
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    TILE: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    D = D // EVEN * EVEN
    for start in range(tl.program_id(0) * TILE, D, tl.num_programs(0) * TILE):
        d = start + tl.arange(0, TILE)[None, :]
        inside = d < D
        if HAS_gamma:
            dgamma = over_programs(sums_ptr + d, d < D, programs, 2*D, AT_ONCE, A)
        if HAS_beta:
            dbeta = over_programs(sums_ptr + D + d, d < D, programs, 2*D, AT_ONCE, A)
        if HAS_gamma:
            tl.store(dgamma_ptr + d, dgamma, inside)
        if HAS_beta:
            tl.store(dbeta_ptr + d, dbeta, inside)


@triton.jit(do_not_specialize=["rows"])
def layer_norm_jvp(
    x_ptr,
    x_dot_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    gamma_ptr,
    gamma_dot_ptr,
    beta_dot_ptr,
    y_dot_ptr,
    x_stride,
    x_step,
    x_dot_stride,
    x_dot_step,
    rows,
    D,
    HAS_beta_dot: tl.constexpr,
    HAS_gamma: tl.constexpr,
    HAS_gamma_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """y_dot = gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot - mean(x_dot) -
        xhat*mean(x_dot*xhat))
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
        if HAS_gamma_dot or HAS_x_dot:
            x_row = x_ptr + row*x_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        y_dot_row = y_dot_ptr + row*D
        if HAS_gamma_dot or HAS_x_dot:
            mu = tl.load(mu_ptr + row, there, 0).to(A)
            mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_x_dot:
            mean_x_dot_sum = tl.zeros([ROWS, TILE], A)
            mean_x_dot_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_gamma_dot or HAS_x_dot:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            if HAS_gamma_dot or HAS_x_dot:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
                xhat = x_centred*rstd  # step 5
            if HAS_x_dot:
                mean_x_dot_sum += x_dot
                mean_x_dot_xhat_sum += tl.where(inside, x_dot*xhat, 0.0)
        if HAS_x_dot:
            mean_x_dot = tl.sum(mean_x_dot_sum, 1, keep_dims=True)/length  # step 28
            # step 28: mean(x_dot*xhat)
            mean_x_dot_xhat = tl.sum(mean_x_dot_xhat_sum, 1, keep_dims=True)/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_gamma_dot or HAS_x_dot:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_gamma_dot:
                gamma_dot = tl.load(gamma_dot_ptr + d, d < D, 0).to(A)
            beta_dot = (
                tl.load(beta_dot_ptr + d, d < D, 0).to(A) if HAS_beta_dot else 0.0
            )
            if HAS_gamma_dot or HAS_x_dot:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
                xhat = x_centred*rstd  # step 5
            y_dot = 0.0
            if HAS_gamma_dot:
                y_dot += xhat*gamma_dot  # step 28
            if HAS_x_dot:
                # step 28
                y_dot += (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*rstd*gamma
            if HAS_beta_dot:
                y_dot += beta_dot  # step 28
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def layer_norm_backward_backward(
    x_ptr,
    dy_ptr,
    ddx_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    gamma_ptr,
    ddgamma_ptr,
    ddbeta_ptr,
    dx_ptr,
    ddy_ptr,
    sums_ptr,
    x_stride,
    x_step,
    dy_stride,
    dy_step,
    ddx_stride,
    ddx_step,
    rows,
    D,
    HAS_ddbeta: tl.constexpr,
    HAS_ddgamma: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = gamma*dy
    mean_g = mean(g)
    mean_g_xhat = mean(g*xhat)
    dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
    d2x = rstd*(ddgamma*dy + rstd*(mean_g*xhat*mean(ddx) +
        mean(ddx*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g) -
        mean_g_xhat*(ddx - mean(ddx))) - mean(ddgamma*dy) -
        xhat*mean(ddgamma*dy*xhat))
    d2gamma = sum_rows(dg*dy)
    d2beta = 0
    ddy = gamma*dg + ddgamma*xhat + ddbeta
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
    sums_ptr += program * D
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_ddx:
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
        if HAS_ddgamma:
            ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
        ddbeta = tl.load(ddbeta_ptr + d, d < D, 0).to(A) if HAS_ddbeta else 0.0
        if HAS_ddx and HAS_gamma:
            d2gamma = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if HAS_ddx and HAS_gamma:
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        if HAS_ddgamma or HAS_ddx:
            x_row = x_ptr + row*x_stride
            dy_row = dy_ptr + row*dy_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        ddy_row = ddy_ptr + row*D
        if HAS_ddgamma or HAS_ddx:
            mu = tl.load(mu_ptr + row, there, 0).to(A)
            mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_ddx:
            mean_g_sum = tl.zeros([ROWS, TILE], A)
            mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_xhat_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddgamma:
            mean_ddgamma_dy_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx:
            mean_ddx_g_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddgamma:
            mean_ddgamma_dy_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddgamma or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
                if not WHOLE:
                    gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if HAS_ddgamma or HAS_ddx:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
                xhat = x_centred*rstd  # step 5
            if HAS_ddx:
                g = dy*gamma  # step 29
                mean_g_sum += tl.where(inside, g, 0.0)
                mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
                mean_ddx_sum += ddx
                mean_ddx_xhat_sum += tl.where(inside, ddx*xhat, 0.0)
            if HAS_ddgamma:
                mean_ddgamma_dy_sum += tl.where(inside, dy*ddgamma, 0.0)
            if HAS_ddx:
                mean_ddx_g_sum += tl.where(inside, ddx*g, 0.0)
            if HAS_ddgamma:
                mean_ddgamma_dy_xhat_sum += tl.where(inside, dy*xhat*ddgamma, 0.0)
        if HAS_ddx:
            mean_g = tl.sum(mean_g_sum, 1, keep_dims=True)/length  # step 30: mean(g)
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 31
            mean_ddx = tl.sum(mean_ddx_sum, 1, keep_dims=True)/length  # step 50
            # step 50: mean(ddx*xhat)
            mean_ddx_xhat = tl.sum(mean_ddx_xhat_sum, 1, keep_dims=True)/length
        if HAS_ddgamma:
            # step 44: mean(dy*ddgamma)
            mean_ddgamma_dy = tl.sum(mean_ddgamma_dy_sum, 1, keep_dims=True)/length
        if HAS_ddx:
            mean_ddx_g = tl.sum(mean_ddx_g_sum, 1, keep_dims=True)/length  # step 44
        if HAS_ddgamma:
            # step 44: mean(dy*xhat*ddgamma)
            mean_ddgamma_dy_xhat = tl.sum(
                mean_ddgamma_dy_xhat_sum, 1, keep_dims=True
            )/length
        if HAS_ddx:
            mean_g_xhat_scaled = 3*mean_g_xhat  # step 44, pass 12: once a row
            mean_ddx_scaled = mean_ddx*mean_g  # step 44, pass 13: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddgamma or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
                if not WHOLE:
                    gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if not WHOLE:
                ddbeta = tl.load(ddbeta_ptr + d, d < D, 0).to(A) if HAS_ddbeta else 0.0
            if HAS_ddgamma or HAS_ddx:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
                xhat = x_centred*rstd  # step 5
            if HAS_ddx:
                g = dy*gamma  # step 29
                dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd  # step 50
            if HAS_ddgamma or HAS_ddx:
                d2x_part = 0.0
            if HAS_ddgamma:
                d2x_part += dy*ddgamma
            if HAS_ddx:
                d2x_part += (
                    xhat*mean_ddx_scaled
                    + (xhat*mean_g_xhat_scaled + mean_g - g)*mean_ddx_xhat
                    - xhat*mean_ddx_g
                    - (ddx - mean_ddx)*mean_g_xhat
                )*rstd
            if HAS_ddgamma:
                d2x_part += -mean_ddgamma_dy - xhat*mean_ddgamma_dy_xhat
            if HAS_ddgamma or HAS_ddx:
                d2x = d2x_part*rstd  # step 44, pass 14: once a row
            ddy = 0.0
            if HAS_ddgamma:
                ddy += xhat*ddgamma  # step 56
            if HAS_ddx:
                ddy += dg*gamma  # step 56
            if HAS_ddbeta:
                ddy += ddbeta  # step 56
            if HAS_ddx and HAS_gamma:
                if WHOLE:
                    d2gamma += tl.where(inside, dg*dy, 0.0)  # step 51
                else:
                    add_to(sums_ptr + d, tl.where(inside, dg*dy, 0.0), d < D)
            tl.store(dx_row + d, d2x if HAS_ddgamma or HAS_ddx else 0.0, inside)
            tl.store(ddy_row + d, ddy, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_ddx and HAS_gamma:
            tl.store(sums_ptr + d, tl.sum(d2gamma, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def layer_norm_backward_backward_totals(
    sums_ptr,
    dgamma_ptr,
    dbeta_ptr,
    programs,
    D,
    HAS_beta: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    TILE: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    D = D // EVEN * EVEN
    for start in range(tl.program_id(0) * TILE, D, tl.num_programs(0) * TILE):
        d = start + tl.arange(0, TILE)[None, :]
        inside = d < D
        if HAS_ddx and HAS_gamma:
            d2gamma = over_programs(sums_ptr + d, d < D, programs, D, AT_ONCE, A)
        if HAS_gamma:
            tl.store(dgamma_ptr + d, d2gamma if HAS_ddx else 0.0, inside)
        if HAS_beta:
            tl.store(dbeta_ptr + d, 0.0, inside)
