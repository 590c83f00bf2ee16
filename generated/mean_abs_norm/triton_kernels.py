# Made by lngen 0.1.0 from the definition of mean_abs_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
# definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
# mypy: ignore-errors
"""Centred rows divided by their mean absolute deviation.

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
def mean_abs_norm_forward(
    x_ptr,
    gamma_ptr,
    beta_ptr,
    eps: tl.float64,
    y_ptr,
    mu_ptr,
    mu_residual_ptr,
    scale_ptr,
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
    spread = mean(abs(mu - x))
    scale = 1/(spread + eps)
    xhat = scale*(x - mu)
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
        mu_residual_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - mu  # step 2, pass 1: compensation
            mu_residual_sum += tl.where(inside, x_shifted, 0.0)
        # step 2, pass 2: mean(x_shifted)
        mu_residual = tl.sum(mu_residual_sum, 1, keep_dims=True)/length
        spread_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            spread_sum += tl.where(inside, tl.abs(x_centred), 0.0)
        spread = tl.sum(spread_sum, 1, keep_dims=True)/length  # step 3
        scale = 1/(spread + eps)  # step 4
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*scale  # step 5
            y = xhat*gamma  # step 6
            if HAS_beta:
                y += beta  # step 6
            tl.store(y_row + d, y, inside)
        if SAVE:
            tl.store(mu_ptr + row, mu, there)
            tl.store(mu_residual_ptr + row, mu_residual, there)
            tl.store(scale_ptr + row, scale, there)


@triton.jit(do_not_specialize=["rows"])
def mean_abs_norm_backward(
    x_ptr,
    dy_ptr,
    mu_ptr,
    mu_residual_ptr,
    scale_ptr,
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
    dx = scale*(g + mean(g*xhat)*(mean(sign(xhat)) - sign(xhat)) - mean(g))
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
        scale = tl.load(scale_ptr + row, there, 0).to(A)
        mean_g_sum = tl.zeros([ROWS, TILE], A)
        mean_xhat_sum = tl.zeros([ROWS, TILE], A)
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
            xhat = x_centred*scale  # step 5
            g = dy*gamma  # step 7
            mean_g_sum += tl.where(inside, g, 0.0)
            mean_xhat_sum += tl.where(inside, sign(xhat), 0.0)
            mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
            if HAS_gamma:
                if WHOLE:
                    dgamma += tl.where(inside, dy*xhat, 0.0)  # step 17
                else:
                    add_to(sums_ptr + d, tl.where(inside, dy*xhat, 0.0), d < D)
            if HAS_beta:
                if WHOLE:
                    dbeta += dy  # step 18
                else:
                    add_to(sums_ptr + D + d, dy, d < D)
        mean_g = tl.sum(mean_g_sum, 1, keep_dims=True)/length  # step 16: mean(g)
        mean_xhat = tl.sum(mean_xhat_sum, 1, keep_dims=True)/length  # step 16
        mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 16
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*scale  # step 5
            g = dy*gamma  # step 7
            dx = (g + (mean_xhat - sign(xhat))*mean_g_xhat - mean_g)*scale  # step 16
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
def mean_abs_norm_backward_totals(
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
def mean_abs_norm_jvp(
    x_ptr,
    x_dot_ptr,
    mu_ptr,
    mu_residual_ptr,
    scale_ptr,
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
    """y_dot = gamma_dot*xhat + beta_dot + scale*gamma*(x_dot +
        mean(x_dot)*(xhat*mean(sign(xhat)) - 1) - xhat*mean(x_dot*sign(xhat)))
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
            scale = tl.load(scale_ptr + row, there, 0).to(A)
        if HAS_x_dot:
            mean_xhat_sum = tl.zeros([ROWS, TILE], A)
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
                xhat = x_centred*scale  # step 5
            if HAS_x_dot:
                mean_xhat_sum += tl.where(inside, sign(xhat), 0.0)
                mean_x_dot_sum += x_dot
                mean_x_dot_xhat_sum += tl.where(inside, sign(xhat)*x_dot, 0.0)
        if HAS_x_dot:
            mean_xhat = tl.sum(mean_xhat_sum, 1, keep_dims=True)/length  # step 27
            mean_x_dot = tl.sum(mean_x_dot_sum, 1, keep_dims=True)/length  # step 27
            # step 27: mean(sign(xhat)*x_dot)
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
                xhat = x_centred*scale  # step 5
            y_dot = 0.0
            if HAS_gamma_dot:
                y_dot += xhat*gamma_dot  # step 27
            if HAS_x_dot:
                # step 27
                y_dot += (
                    x_dot + (xhat*mean_xhat - 1)*mean_x_dot - xhat*mean_x_dot_xhat
                )*scale*gamma
            if HAS_beta_dot:
                y_dot += beta_dot  # step 27
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def mean_abs_norm_backward_backward(
    x_ptr,
    dy_ptr,
    ddx_ptr,
    mu_ptr,
    mu_residual_ptr,
    scale_ptr,
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
    mean_sign_xhat = mean(sign(xhat))
    mean_g_xhat = mean(g*xhat)
    dmean_g_xhat = sum(scale*ddx*(mean_sign_xhat - sign(xhat)))
    dmean_g = sum(-scale*ddx)
    dg = scale*ddx + dmean_g_xhat*xhat/D + dmean_g/D
    d2xhat = ddgamma*dy + dmean_g_xhat*g/D
    d2scale = sum(d2xhat*x_centred) + sum(ddx*(g + mean_g_xhat*(mean_sign_xhat -
        sign(xhat)) - mean_g))
    d2spread = -d2scale*scale**2
    d2x_centred = scale*d2xhat + d2spread*sign(x_centred)/D
    d2mu = sum(-d2x_centred)
    d2x = d2x_centred + d2mu/D
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
            scale = tl.load(scale_ptr + row, there, 0).to(A)
        if HAS_ddx:
            mean_g_sum = tl.zeros([ROWS, TILE], A)
            mean_sign_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
            dmean_g_sum = tl.zeros([ROWS, TILE], A)
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
            if HAS_ddgamma or HAS_ddx:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
                xhat = x_centred*scale  # step 5
            if HAS_ddx:
                g = dy*gamma  # step 28
                mean_g_sum += tl.where(inside, g, 0.0)
                mean_sign_xhat_sum += tl.where(inside, sign(xhat), 0.0)
                mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
                dmean_g_sum += tl.where(inside, -ddx*scale, 0.0)
        if HAS_ddx:
            mean_g = tl.sum(mean_g_sum, 1, keep_dims=True)/length  # step 32: mean(g)
            # step 31: mean(sign(xhat))
            mean_sign_xhat = tl.sum(mean_sign_xhat_sum, 1, keep_dims=True)/length
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 29
            dmean_g = tl.sum(dmean_g_sum, 1, keep_dims=True)  # step 42: sum(-ddx*scale)
            dmean_g_scaled = dmean_g/length  # step 43, pass 12: once a row
            dmean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
            sum_ddx_g_xhat_sum = tl.zeros([ROWS, TILE], A)
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
            if HAS_ddgamma or HAS_ddx:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
                xhat = x_centred*scale  # step 5
            if HAS_ddx:
                g = dy*gamma  # step 28
                dmean_g_xhat_sum += tl.where(
                    inside, ddx*(mean_sign_xhat - sign(xhat))*scale, 0.0
                )
                sum_ddx_g_xhat_sum += tl.where(
                    inside,
                    (g + (mean_sign_xhat - sign(xhat))*mean_g_xhat - mean_g)*ddx,
                    0.0,
                )
        if HAS_ddx:
            dmean_g_xhat = tl.sum(dmean_g_xhat_sum, 1, keep_dims=True)  # step 34
            sum_ddx_g_xhat = tl.sum(sum_ddx_g_xhat_sum, 1, keep_dims=True)  # step 36
            dmean_g_xhat_scaled = dmean_g_xhat/length  # step 43, pass 16: once a row
        if HAS_ddgamma or HAS_ddx:
            sum_d2xhat_x_centred_sum = tl.zeros([ROWS, TILE], A)
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
                xhat = x_centred*scale  # step 5
            if HAS_ddx:
                g = dy*gamma  # step 28
                # step 43, pass 24: once a row
                dg = xhat*dmean_g_xhat_scaled + ddx*scale + dmean_g_scaled
            if HAS_ddgamma or HAS_ddx:
                d2xhat = 0.0
            if HAS_ddgamma:
                d2xhat += dy*ddgamma  # step 35, pass 18: once a row
            if HAS_ddx:
                d2xhat += g*dmean_g_xhat_scaled  # step 35, pass 18: once a row
            ddy = 0.0
            if HAS_ddgamma:
                ddy += xhat*ddgamma  # step 47
            if HAS_ddx:
                ddy += dg*gamma  # step 47
            if HAS_ddbeta:
                ddy += ddbeta  # step 47
            if HAS_ddgamma or HAS_ddx:
                sum_d2xhat_x_centred_sum += tl.where(inside, d2xhat*x_centred, 0.0)
            if HAS_ddx and HAS_gamma:
                if WHOLE:
                    d2gamma += tl.where(inside, dg*dy, 0.0)  # step 44
                else:
                    add_to(sums_ptr + d, tl.where(inside, dg*dy, 0.0), d < D)
            tl.store(ddy_row + d, ddy, inside)
        if HAS_ddgamma or HAS_ddx:
            # step 36: sum(d2xhat*x_centred)
            sum_d2xhat_x_centred = tl.sum(sum_d2xhat_x_centred_sum, 1, keep_dims=True)
            d2scale = sum_d2xhat_x_centred  # step 36
        if HAS_ddx:
            d2scale += sum_ddx_g_xhat  # step 36
        if HAS_ddgamma or HAS_ddx:
            d2spread = -d2scale*(scale*scale)  # step 38
            d2spread_scaled = d2spread/length  # step 39, pass 20: once a row
            d2mu_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddgamma or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if HAS_ddgamma or HAS_ddx:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            if HAS_ddx:
                g = dy*gamma  # step 28
            if HAS_ddgamma or HAS_ddx:
                d2xhat = 0.0
            if HAS_ddgamma:
                d2xhat += dy*ddgamma  # step 35, pass 18: once a row
            if HAS_ddx:
                d2xhat += g*dmean_g_xhat_scaled  # step 35, pass 18: once a row
            if HAS_ddgamma or HAS_ddx:
                # step 39, pass 21: once a row
                d2x_centred = d2xhat*scale + sign(x_centred)*d2spread_scaled
                d2mu_sum += tl.where(inside, -d2x_centred, 0.0)
        if HAS_ddgamma or HAS_ddx:
            d2mu = tl.sum(d2mu_sum, 1, keep_dims=True)  # step 40: sum(-d2x_centred)
            d2mu_scaled = d2mu/length  # step 41, pass 22: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddgamma or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if HAS_ddgamma or HAS_ddx:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            if HAS_ddx:
                g = dy*gamma  # step 28
            if HAS_ddgamma or HAS_ddx:
                d2xhat = 0.0
            if HAS_ddgamma:
                d2xhat += dy*ddgamma  # step 35, pass 18: once a row
            if HAS_ddx:
                d2xhat += g*dmean_g_xhat_scaled  # step 35, pass 18: once a row
            if HAS_ddgamma or HAS_ddx:
                # step 39, pass 21: once a row
                d2x_centred = d2xhat*scale + sign(x_centred)*d2spread_scaled
            d2x = 0.0
            if HAS_ddgamma or HAS_ddx:
                d2x += d2x_centred + d2mu_scaled  # step 41, pass 23: once a row
            tl.store(dx_row + d, d2x, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_ddx and HAS_gamma:
            tl.store(sums_ptr + d, tl.sum(d2gamma, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def mean_abs_norm_backward_backward_totals(
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
