# Made by lngen 0.1.0 from the definition of group_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit group_norm.py and run: lngen derive group_norm.py
# definition sha256:be4c9f62e3e8e6c0a826c4f67f932375a07108af33c5786692cdce4563a49dbf
# mypy: ignore-errors
"""Group normalization: each row is the channels of a group, with all that lies behind them.

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
def group_norm_forward(
    x_ptr,
    gamma_ptr,
    beta_ptr,
    eps: tl.float64,
    y_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    x_stride_n,
    x_stride_g,
    x_step,
    gamma_stride_g,
    gamma_stride_c,
    beta_stride_g,
    beta_stride_c,
    y_stride_n,
    y_stride_g,
    y_step,
    g_size,
    rest_size,
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
    y = beta + gamma*xhat
    """
    x_stride_n = x_stride_n // EVEN * EVEN
    x_stride_g = x_stride_g // EVEN * EVEN
    y_stride_n = y_stride_n // EVEN * EVEN
    y_stride_g = y_stride_g // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    gamma_stride_c = tl.cast(gamma_stride_c, tl.int64)
    beta_stride_c = tl.cast(beta_stride_c, tl.int64)
    y_step = tl.cast(y_step, tl.int64)
    length = tl.cast(D, A)
    eps = tl.full([1, 1], eps, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        n_index = row // g_size
        g_index = row % g_size
        x_row = x_ptr + n_index*x_stride_n + g_index*x_stride_g
        if HAS_gamma:
            gamma_row = gamma_ptr + g_index*gamma_stride_g
        if HAS_beta:
            beta_row = beta_ptr + g_index*beta_stride_g
        y_row = y_ptr + n_index*y_stride_n + g_index*y_stride_g
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
            c_index = d // rest_size
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            gamma = (
                tl.load(gamma_row + c_index*gamma_stride_c, inside, 0).to(A)
                if HAS_gamma
                else 1.0
            )
            beta = (
                tl.load(beta_row + c_index*beta_stride_c, inside, 0).to(A)
                if HAS_beta
                else 0.0
            )
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            y = 0.0
            if HAS_beta:
                y += beta  # step 6
            y += gamma*xhat  # step 6
            tl.store(y_row + d*y_step, y, inside)
        if SAVE:
            tl.store(mu_ptr + row, mu, there)
            tl.store(mu_residual_ptr + row, mu_residual, there)
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def group_norm_backward(
    x_ptr,
    gamma_ptr,
    dy_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    dx_ptr,
    dgamma_ptr,
    dbeta_ptr,
    x_stride_n,
    x_stride_g,
    x_step,
    gamma_stride_g,
    gamma_stride_c,
    dy_stride_n,
    dy_stride_g,
    dy_step,
    dx_stride_n,
    dx_stride_g,
    dx_step,
    g_size,
    rest_size,
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
    """g = dy*gamma
    dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
    dgamma = sum(dy*xhat, "n ...")
    dbeta = sum(dy, "n ...")
    """
    x_stride_n = x_stride_n // EVEN * EVEN
    x_stride_g = x_stride_g // EVEN * EVEN
    dy_stride_n = dy_stride_n // EVEN * EVEN
    dy_stride_g = dy_stride_g // EVEN * EVEN
    dx_stride_n = dx_stride_n // EVEN * EVEN
    dx_stride_g = dx_stride_g // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    gamma_stride_c = tl.cast(gamma_stride_c, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        n_index = row // g_size
        g_index = row % g_size
        x_row = x_ptr + n_index*x_stride_n + g_index*x_stride_g
        if HAS_gamma:
            gamma_row = gamma_ptr + g_index*gamma_stride_g
        dy_row = dy_ptr + n_index*dy_stride_n + g_index*dy_stride_g
        dx_row = dx_ptr + n_index*dx_stride_n + g_index*dx_stride_g
        if HAS_gamma:
            dgamma_row = dgamma_ptr + row*D
        if HAS_beta:
            dbeta_row = dbeta_ptr + row*D
        mu = tl.load(mu_ptr + row, there, 0).to(A)
        mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        mean_g_sum = tl.zeros([ROWS, TILE], A)
        mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            c_index = d // rest_size
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            gamma = (
                tl.load(gamma_row + c_index*gamma_stride_c, inside, 0).to(A)
                if HAS_gamma
                else 1.0
            )
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            g = dy*gamma  # step 7
            mean_g_sum += tl.where(inside, g, 0.0)
            mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
        mean_g = tl.sum(mean_g_sum, 1, keep_dims=True)/length  # step 17: mean(g)
        mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 17
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            c_index = d // rest_size
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            gamma = (
                tl.load(gamma_row + c_index*gamma_stride_c, inside, 0).to(A)
                if HAS_gamma
                else 1.0
            )
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            g = dy*gamma  # step 7
            if HAS_gamma:
                dgamma = dy*xhat  # step 18
            if HAS_beta:
                dbeta = dy  # step 19
            dx = (g - mean_g - xhat*mean_g_xhat)*rstd  # step 17
            tl.store(dx_row + d*dx_step, dx, inside)
            if HAS_gamma:
                tl.store(dgamma_row + d, dgamma, inside)
            if HAS_beta:
                tl.store(dbeta_row + d, dbeta, inside)


@triton.jit(do_not_specialize=["rows"])
def group_norm_jvp(
    x_ptr,
    gamma_ptr,
    x_dot_ptr,
    gamma_dot_ptr,
    beta_dot_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    y_dot_ptr,
    x_stride_n,
    x_stride_g,
    x_step,
    gamma_stride_g,
    gamma_stride_c,
    x_dot_stride_n,
    x_dot_stride_g,
    x_dot_step,
    gamma_dot_stride_g,
    gamma_dot_stride_c,
    beta_dot_stride_g,
    beta_dot_stride_c,
    y_dot_stride_n,
    y_dot_stride_g,
    y_dot_step,
    g_size,
    rest_size,
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
    """y_dot = beta_dot + gamma_dot*xhat + rstd*gamma*(x_dot - mean(x_dot) -
        xhat*mean(x_dot*xhat))
    """
    x_stride_n = x_stride_n // EVEN * EVEN
    x_stride_g = x_stride_g // EVEN * EVEN
    x_dot_stride_n = x_dot_stride_n // EVEN * EVEN
    x_dot_stride_g = x_dot_stride_g // EVEN * EVEN
    y_dot_stride_n = y_dot_stride_n // EVEN * EVEN
    y_dot_stride_g = y_dot_stride_g // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    gamma_stride_c = tl.cast(gamma_stride_c, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    gamma_dot_stride_c = tl.cast(gamma_dot_stride_c, tl.int64)
    beta_dot_stride_c = tl.cast(beta_dot_stride_c, tl.int64)
    y_dot_step = tl.cast(y_dot_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        n_index = row // g_size
        g_index = row % g_size
        if HAS_gamma_dot or HAS_x_dot:
            x_row = x_ptr + n_index*x_stride_n + g_index*x_stride_g
        if HAS_gamma and HAS_x_dot:
            gamma_row = gamma_ptr + g_index*gamma_stride_g
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + n_index*x_dot_stride_n + g_index*x_dot_stride_g
        if HAS_gamma_dot:
            gamma_dot_row = gamma_dot_ptr + g_index*gamma_dot_stride_g
        if HAS_beta_dot:
            beta_dot_row = beta_dot_ptr + g_index*beta_dot_stride_g
        y_dot_row = y_dot_ptr + n_index*y_dot_stride_n + g_index*y_dot_stride_g
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
            c_index = d // rest_size
            inside = there & (d < D)
            if HAS_gamma_dot or HAS_x_dot:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                gamma = (
                    tl.load(gamma_row + c_index*gamma_stride_c, inside, 0).to(A)
                    if HAS_gamma
                    else 1.0
                )
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            if HAS_gamma_dot:
                gamma_dot = tl.load(
                    gamma_dot_row + c_index*gamma_dot_stride_c, inside, 0
                ).to(A)
            beta_dot = (
                tl.load(beta_dot_row + c_index*beta_dot_stride_c, inside, 0).to(A)
                if HAS_beta_dot
                else 0.0
            )
            if HAS_gamma_dot or HAS_x_dot:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
                xhat = x_centred*rstd  # step 5
            y_dot = 0.0
            if HAS_beta_dot:
                y_dot += beta_dot  # step 28
            if HAS_gamma_dot:
                y_dot += gamma_dot*xhat  # step 28
            if HAS_x_dot:
                # step 28
                y_dot += (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*gamma*rstd
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def group_norm_backward_backward(
    x_ptr,
    gamma_ptr,
    dy_ptr,
    ddx_ptr,
    ddgamma_ptr,
    ddbeta_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    dx_ptr,
    dgamma_ptr,
    dbeta_ptr,
    ddy_ptr,
    x_stride_n,
    x_stride_g,
    x_step,
    gamma_stride_g,
    gamma_stride_c,
    dy_stride_n,
    dy_stride_g,
    dy_step,
    ddx_stride_n,
    ddx_stride_g,
    ddx_step,
    ddgamma_stride_g,
    ddgamma_stride_c,
    ddbeta_stride_g,
    ddbeta_stride_c,
    dx_stride_n,
    dx_stride_g,
    dx_step,
    ddy_stride_n,
    ddy_stride_g,
    ddy_step,
    g_size,
    rest_size,
    rows,
    D,
    HAS_beta: tl.constexpr,
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
    """g = dy*gamma
    mean_g = mean(g)
    mean_g_xhat = mean(g*xhat)
    dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
    d2xhat_part = ddgamma*dy - mean_g_xhat*rstd*ddx
    d2x = rstd*(d2xhat_part + rstd*(mean_g*xhat*mean(ddx) +
        mean(ddx*xhat)*(2*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g)) -
        mean(d2xhat_part) - xhat*mean(d2xhat_part*xhat))
    d2gamma = sum(dg*dy, "n ...")
    d2beta = sum(0, "n ...")
    ddy = ddbeta + dg*gamma + ddgamma*xhat
    """
    x_stride_n = x_stride_n // EVEN * EVEN
    x_stride_g = x_stride_g // EVEN * EVEN
    dy_stride_n = dy_stride_n // EVEN * EVEN
    dy_stride_g = dy_stride_g // EVEN * EVEN
    ddx_stride_n = ddx_stride_n // EVEN * EVEN
    ddx_stride_g = ddx_stride_g // EVEN * EVEN
    dx_stride_n = dx_stride_n // EVEN * EVEN
    dx_stride_g = dx_stride_g // EVEN * EVEN
    ddy_stride_n = ddy_stride_n // EVEN * EVEN
    ddy_stride_g = ddy_stride_g // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    gamma_stride_c = tl.cast(gamma_stride_c, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    ddgamma_stride_c = tl.cast(ddgamma_stride_c, tl.int64)
    ddbeta_stride_c = tl.cast(ddbeta_stride_c, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    ddy_step = tl.cast(ddy_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        n_index = row // g_size
        g_index = row % g_size
        if HAS_ddgamma or HAS_ddx:
            x_row = x_ptr + n_index*x_stride_n + g_index*x_stride_g
        if HAS_ddx and HAS_gamma:
            gamma_row = gamma_ptr + g_index*gamma_stride_g
        if HAS_ddgamma or HAS_ddx:
            dy_row = dy_ptr + n_index*dy_stride_n + g_index*dy_stride_g
        if HAS_ddx:
            ddx_row = ddx_ptr + n_index*ddx_stride_n + g_index*ddx_stride_g
        if HAS_ddgamma:
            ddgamma_row = ddgamma_ptr + g_index*ddgamma_stride_g
        if HAS_ddbeta:
            ddbeta_row = ddbeta_ptr + g_index*ddbeta_stride_g
        dx_row = dx_ptr + n_index*dx_stride_n + g_index*dx_stride_g
        if HAS_gamma:
            dgamma_row = dgamma_ptr + row*D
        if HAS_beta:
            dbeta_row = dbeta_ptr + row*D
        ddy_row = ddy_ptr + n_index*ddy_stride_n + g_index*ddy_stride_g
        if HAS_ddgamma or HAS_ddx:
            mu = tl.load(mu_ptr + row, there, 0).to(A)
            mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_ddx:
            mean_g_sum = tl.zeros([ROWS, TILE], A)
            mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_g_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            c_index = d // rest_size
            inside = there & (d < D)
            if HAS_ddgamma or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_ddx:
                gamma = (
                    tl.load(gamma_row + c_index*gamma_stride_c, inside, 0).to(A)
                    if HAS_gamma
                    else 1.0
                )
            if HAS_ddgamma or HAS_ddx:
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
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
                mean_ddx_g_sum += tl.where(inside, ddx*g, 0.0)
        if HAS_ddx:
            mean_g = tl.sum(mean_g_sum, 1, keep_dims=True)/length  # step 30: mean(g)
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 31
            mean_ddx = tl.sum(mean_ddx_sum, 1, keep_dims=True)/length  # step 50
            # step 50: mean(ddx*xhat)
            mean_ddx_xhat = tl.sum(mean_ddx_xhat_sum, 1, keep_dims=True)/length
            mean_ddx_g = tl.sum(mean_ddx_g_sum, 1, keep_dims=True)/length  # step 44
            mean_g_xhat_scaled = mean_g_xhat*rstd  # step 34, pass 8: once a row
            mean_g_xhat_scaled_2 = 2*mean_g_xhat  # step 44, pass 9: once a row
            mean_ddx_scaled = mean_ddx*mean_g  # step 44, pass 10: once a row
        if HAS_ddgamma or HAS_ddx:
            mean_d2xhat_part_sum = tl.zeros([ROWS, TILE], A)
            mean_d2xhat_part_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            c_index = d // rest_size
            inside = there & (d < D)
            if HAS_ddgamma or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_ddx:
                gamma = (
                    tl.load(gamma_row + c_index*gamma_stride_c, inside, 0).to(A)
                    if HAS_gamma
                    else 1.0
                )
            if HAS_ddgamma or HAS_ddx:
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if HAS_ddgamma:
                ddgamma = tl.load(ddgamma_row + c_index*ddgamma_stride_c, inside, 0).to(
                    A
                )
            ddbeta = (
                tl.load(ddbeta_row + c_index*ddbeta_stride_c, inside, 0).to(A)
                if HAS_ddbeta
                else 0.0
            )
            if HAS_ddgamma or HAS_ddx:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
                xhat = x_centred*rstd  # step 5
            if HAS_ddx:
                dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd  # step 50
            if HAS_ddgamma or HAS_ddx:
                d2xhat_part = 0.0
            if HAS_ddgamma:
                d2xhat_part += ddgamma*dy  # step 34, pass 11: once a row
            if HAS_ddx:
                d2xhat_part -= ddx*mean_g_xhat_scaled  # step 34, pass 11: once a row
            ddy = 0.0
            if HAS_ddbeta:
                ddy += ddbeta  # step 56
            if HAS_ddgamma:
                ddy += ddgamma*xhat  # step 56
            if HAS_ddx:
                ddy += dg*gamma  # step 56
            if HAS_ddgamma or HAS_ddx:
                mean_d2xhat_part_sum += tl.where(inside, d2xhat_part, 0.0)
                mean_d2xhat_part_xhat_sum += tl.where(inside, d2xhat_part*xhat, 0.0)
            tl.store(ddy_row + d*ddy_step, ddy, inside)
        if HAS_ddgamma or HAS_ddx:
            # step 44: mean(d2xhat_part)
            mean_d2xhat_part = tl.sum(mean_d2xhat_part_sum, 1, keep_dims=True)/length
            # step 44: mean(d2xhat_part*xhat)
            mean_d2xhat_part_xhat = tl.sum(
                mean_d2xhat_part_xhat_sum, 1, keep_dims=True
            )/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            c_index = d // rest_size
            inside = there & (d < D)
            if HAS_ddgamma or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_ddx:
                gamma = (
                    tl.load(gamma_row + c_index*gamma_stride_c, inside, 0).to(A)
                    if HAS_gamma
                    else 1.0
                )
            if HAS_ddgamma or HAS_ddx:
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if HAS_ddgamma:
                ddgamma = tl.load(ddgamma_row + c_index*ddgamma_stride_c, inside, 0).to(
                    A
                )
            if HAS_ddgamma or HAS_ddx:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
                xhat = x_centred*rstd  # step 5
            if HAS_ddx:
                g = dy*gamma  # step 29
                dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd  # step 50
            if HAS_ddgamma or HAS_ddx:
                d2xhat_part = 0.0
            if HAS_ddgamma:
                d2xhat_part += ddgamma*dy  # step 34, pass 11: once a row
            if HAS_ddx:
                d2xhat_part -= ddx*mean_g_xhat_scaled  # step 34, pass 11: once a row
            if HAS_ddx and HAS_gamma:
                d2gamma = dg*dy  # step 51
            if HAS_ddgamma or HAS_ddx:
                d2x_part = d2xhat_part
            if HAS_ddx:
                d2x_part += (
                    xhat*mean_ddx_scaled
                    + (xhat*mean_g_xhat_scaled_2 + mean_g - g)*mean_ddx_xhat
                    - xhat*mean_ddx_g
                )*rstd
            if HAS_ddgamma or HAS_ddx:
                d2x_part += -mean_d2xhat_part - xhat*mean_d2xhat_part_xhat
                d2x = d2x_part*rstd  # step 44, pass 12: once a row
            tl.store(dx_row + d*dx_step, d2x if HAS_ddgamma or HAS_ddx else 0.0, inside)
            if HAS_beta:
                tl.store(dbeta_row + d, 0.0, inside)
            if HAS_gamma:
                tl.store(dgamma_row + d, d2gamma if HAS_ddx else 0.0, inside)
