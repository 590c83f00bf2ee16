# Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
# definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
# mypy: ignore-errors
"""Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.

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
def batch_norm_forward(
    x_ptr,
    gamma_ptr,
    beta_ptr,
    eps: tl.float64,
    y_ptr,
    mu_ptr,
    var_ptr,
    mu_saved_ptr,
    mu_residual_ptr,
    rstd_ptr,
    x_stride_c,
    x_stride_n,
    x_stride_rest,
    gamma_stride_c,
    beta_stride_c,
    y_stride_c,
    y_stride_n,
    y_stride_rest,
    mu_stride_c,
    var_stride_c,
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
    x_centred = x - mu
    var = mean(x_centred**2)
    rstd = 1/sqrt(var + eps)
    xhat = rstd*x_centred
    y = gamma*xhat + beta
    """
    D = D // EVEN * EVEN
    x_stride_n = tl.cast(x_stride_n, tl.int64)
    x_stride_rest = tl.cast(x_stride_rest, tl.int64)
    y_stride_n = tl.cast(y_stride_n, tl.int64)
    y_stride_rest = tl.cast(y_stride_rest, tl.int64)
    length = tl.cast(D, A)
    eps = tl.full([1, 1], eps, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride_c
        y_row = y_ptr + row*y_stride_c
        gamma = (
            tl.load(gamma_ptr + row*gamma_stride_c, there, 0).to(A)
            if HAS_gamma
            else 1.0
        )
        beta = (
            tl.load(beta_ptr + row*beta_stride_c, there, 0).to(A) if HAS_beta else 0.0
        )
        mu_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            n_index = d // rest_size
            rest_index = d % rest_size
            inside = there & (d < D)
            x = tl.load(
                x_row + n_index*x_stride_n + rest_index*x_stride_rest, inside, 0
            ).to(A)
            mu_sum += x
        mu = tl.sum(mu_sum, 1, keep_dims=True)/length  # step 1: mean(x)
        mu_saved = mu  # step 1, pass 1: saved apart
        sum_x_shifted_sum = tl.zeros([ROWS, TILE], A)
        squares_x_shifted_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            n_index = d // rest_size
            rest_index = d % rest_size
            inside = there & (d < D)
            x = tl.load(
                x_row + n_index*x_stride_n + rest_index*x_stride_rest, inside, 0
            ).to(A)
            x_shifted = x - mu  # step 2, pass 2: compensation
            sum_x_shifted_sum += tl.where(inside, x_shifted, 0.0)
            squares_x_shifted_sum += tl.where(inside, x_shifted*x_shifted, 0.0)
        sum_x_shifted = tl.sum(sum_x_shifted_sum, 1, keep_dims=True)  # step 2, pass 6
        # step 3, pass 7: sum(x_shifted**2)
        squares_x_shifted = tl.sum(squares_x_shifted_sum, 1, keep_dims=True)
        mu_residual = sum_x_shifted/length  # step 2, pass 8: moments
        # step 3, pass 9: moments
        var = corrected_squares(
            squares_x_shifted, sum_x_shifted, mu_residual, length
        )/length
        rstd = tl.rsqrt(var + eps)  # step 4
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            n_index = d // rest_size
            rest_index = d % rest_size
            inside = there & (d < D)
            x = tl.load(
                x_row + n_index*x_stride_n + rest_index*x_stride_rest, inside, 0
            ).to(A)
            x_shifted = x - mu  # step 2, pass 2: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 4: compensation
            xhat = x_centred*rstd  # step 5
            y = xhat*gamma  # step 6
            if HAS_beta:
                y += beta  # step 6
            tl.store(y_row + n_index*y_stride_n + rest_index*y_stride_rest, y, inside)
        tl.store(mu_ptr + row*mu_stride_c, mu, there)
        tl.store(var_ptr + row*var_stride_c, var, there)
        if SAVE:
            tl.store(mu_saved_ptr + row, mu_saved, there)
            tl.store(mu_residual_ptr + row, mu_residual, there)
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def batch_norm_backward(
    x_ptr,
    gamma_ptr,
    dy_ptr,
    dmu_ptr,
    dvar_ptr,
    mu_saved_ptr,
    mu_residual_ptr,
    rstd_ptr,
    dx_ptr,
    dgamma_ptr,
    dbeta_ptr,
    x_stride_c,
    x_stride_n,
    x_stride_rest,
    gamma_stride_c,
    dy_stride_c,
    dy_stride_n,
    dy_stride_rest,
    dmu_stride_c,
    dvar_stride_c,
    dx_stride_c,
    dx_stride_n,
    dx_stride_rest,
    dgamma_stride_c,
    dbeta_stride_c,
    rest_size,
    rows,
    D,
    HAS_beta: tl.constexpr,
    HAS_dmu: tl.constexpr,
    HAS_dvar: tl.constexpr,
    HAS_dy: tl.constexpr,
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = gamma*dy
    dx = 2*dvar*x_centred/D + dmu/D + rstd*(g - mean(g) - xhat*mean(g*xhat))
    dgamma = sum(dy*xhat)
    dbeta = sum(dy)
    """
    D = D // EVEN * EVEN
    x_stride_n = tl.cast(x_stride_n, tl.int64)
    x_stride_rest = tl.cast(x_stride_rest, tl.int64)
    dy_stride_n = tl.cast(dy_stride_n, tl.int64)
    dy_stride_rest = tl.cast(dy_stride_rest, tl.int64)
    dx_stride_n = tl.cast(dx_stride_n, tl.int64)
    dx_stride_rest = tl.cast(dx_stride_rest, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        if HAS_dvar or HAS_dy:
            x_row = x_ptr + row*x_stride_c
        if HAS_dy:
            dy_row = dy_ptr + row*dy_stride_c
        dx_row = dx_ptr + row*dx_stride_c
        if HAS_dy:
            gamma = (
                tl.load(gamma_ptr + row*gamma_stride_c, there, 0).to(A)
                if HAS_gamma
                else 1.0
            )
        if HAS_dmu:
            dmu = tl.load(dmu_ptr + row*dmu_stride_c, there, 0).to(A)
        if HAS_dvar:
            dvar = tl.load(dvar_ptr + row*dvar_stride_c, there, 0).to(A)
        if HAS_dvar or HAS_dy:
            mu_saved = tl.load(mu_saved_ptr + row, there, 0).to(A)
            mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
        if HAS_dy:
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_dmu:
            dmu_scaled = dmu/length  # step 18, pass 10: once a row
        if HAS_dvar:
            dvar_scaled = 2*dvar/length  # step 18, pass 11: once a row
        if HAS_dy:
            mean_g_unscaled_sum = tl.zeros([ROWS, TILE], A)
            mean_g_xhat_unscaled_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            n_index = d // rest_size
            rest_index = d % rest_size
            inside = there & (d < D)
            if HAS_dvar or HAS_dy:
                x = tl.load(
                    x_row + n_index*x_stride_n + rest_index*x_stride_rest, inside, 0
                ).to(A)
            if HAS_dy:
                dy = tl.load(
                    dy_row + n_index*dy_stride_n + rest_index*dy_stride_rest, inside, 0
                ).to(A)
            if HAS_dvar or HAS_dy:
                x_shifted = x - mu_saved  # step 2, pass 12: saved apart
                x_centred = x_shifted - mu_residual  # step 2, pass 4: compensation
            if HAS_dy:
                xhat = x_centred*rstd  # step 5
                mean_g_unscaled_sum += dy
                mean_g_xhat_unscaled_sum += tl.where(inside, dy*xhat, 0.0)
        if HAS_dy:
            # step 18, pass 13: mean(dy)
            mean_g_unscaled = tl.sum(mean_g_unscaled_sum, 1, keep_dims=True)/length
            # step 18, pass 21: mean(dy*xhat)
            mean_g_xhat_unscaled = tl.sum(
                mean_g_xhat_unscaled_sum, 1, keep_dims=True
            )/length
            mean_g = gamma*mean_g_unscaled  # step 18, pass 16: shared reductions
            mean_g_xhat = gamma*mean_g_xhat_unscaled  # step 18, pass 17
        if HAS_dy and HAS_gamma:
            dgamma = mean_g_xhat_unscaled*length  # step 19, pass 18: shared reductions
        if HAS_beta and HAS_dy:
            dbeta = mean_g_unscaled*length  # step 20, pass 19: shared reductions
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            n_index = d // rest_size
            rest_index = d % rest_size
            inside = there & (d < D)
            if HAS_dvar or HAS_dy:
                x = tl.load(
                    x_row + n_index*x_stride_n + rest_index*x_stride_rest, inside, 0
                ).to(A)
            if HAS_dy:
                dy = tl.load(
                    dy_row + n_index*dy_stride_n + rest_index*dy_stride_rest, inside, 0
                ).to(A)
            if HAS_dvar or HAS_dy:
                x_shifted = x - mu_saved  # step 2, pass 12: saved apart
                x_centred = x_shifted - mu_residual  # step 2, pass 4: compensation
            if HAS_dy:
                xhat = x_centred*rstd  # step 5
                g = dy*gamma  # step 7
            dx = 0.0
            if HAS_dvar:
                dx += x_centred*dvar_scaled  # step 18, pass 22: once a row
            if HAS_dy:
                dx += (g - mean_g - xhat*mean_g_xhat)*rstd  # step 18, pass 22
            if HAS_dmu:
                dx += dmu_scaled  # step 18, pass 22: once a row
            tl.store(
                dx_row + n_index*dx_stride_n + rest_index*dx_stride_rest, dx, inside
            )
        if HAS_gamma:
            tl.store(dgamma_ptr + row*dgamma_stride_c, dgamma if HAS_dy else 0.0, there)
        if HAS_beta:
            tl.store(dbeta_ptr + row*dbeta_stride_c, dbeta if HAS_dy else 0.0, there)


@triton.jit(do_not_specialize=["rows"])
def batch_norm_jvp(
    x_ptr,
    gamma_ptr,
    x_dot_ptr,
    gamma_dot_ptr,
    beta_dot_ptr,
    mu_residual_ptr,
    rstd_ptr,
    y_dot_ptr,
    mu_dot_ptr,
    var_dot_ptr,
    x_stride_c,
    x_stride_n,
    x_stride_rest,
    gamma_stride_c,
    x_dot_stride_c,
    x_dot_stride_n,
    x_dot_stride_rest,
    gamma_dot_stride_c,
    beta_dot_stride_c,
    y_dot_stride_c,
    y_dot_stride_n,
    y_dot_stride_rest,
    mu_dot_stride_c,
    var_dot_stride_c,
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
    """mu_dot = mean(x_dot)
    x_centred_dot = x_dot - mu_dot
    var_dot = mean(2*x_centred*x_centred_dot)
    rstd_dot = -rstd**3*var_dot/2
    xhat_dot = rstd_dot*x_centred + rstd*x_centred_dot
    y_dot = gamma*xhat_dot + gamma_dot*xhat + beta_dot
    """
    D = D // EVEN * EVEN
    x_stride_n = tl.cast(x_stride_n, tl.int64)
    x_stride_rest = tl.cast(x_stride_rest, tl.int64)
    x_dot_stride_n = tl.cast(x_dot_stride_n, tl.int64)
    x_dot_stride_rest = tl.cast(x_dot_stride_rest, tl.int64)
    y_dot_stride_n = tl.cast(y_dot_stride_n, tl.int64)
    y_dot_stride_rest = tl.cast(y_dot_stride_rest, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        if HAS_gamma_dot or HAS_x_dot:
            x_row = x_ptr + row*x_stride_c
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride_c
        y_dot_row = y_dot_ptr + row*y_dot_stride_c
        if HAS_x_dot:
            gamma = (
                tl.load(gamma_ptr + row*gamma_stride_c, there, 0).to(A)
                if HAS_gamma
                else 1.0
            )
        if HAS_gamma_dot:
            gamma_dot = tl.load(gamma_dot_ptr + row*gamma_dot_stride_c, there, 0).to(A)
        beta_dot = (
            tl.load(beta_dot_ptr + row*beta_dot_stride_c, there, 0).to(A)
            if HAS_beta_dot
            else 0.0
        )
        if HAS_gamma_dot or HAS_x_dot:
            mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
            mu_sum = tl.zeros([ROWS, TILE], A)
        if HAS_x_dot:
            mu_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            n_index = d // rest_size
            rest_index = d % rest_size
            inside = there & (d < D)
            if HAS_gamma_dot or HAS_x_dot:
                x = tl.load(
                    x_row + n_index*x_stride_n + rest_index*x_stride_rest, inside, 0
                ).to(A)
            x_dot = (
                tl.load(
                    x_dot_row + n_index*x_dot_stride_n + rest_index*x_dot_stride_rest,
                    inside,
                    0,
                ).to(A)
                if HAS_x_dot
                else 0.0
            )
            if HAS_gamma_dot or HAS_x_dot:
                mu_sum += x
            if HAS_x_dot:
                mu_dot_sum += x_dot
        if HAS_gamma_dot or HAS_x_dot:
            mu = tl.sum(mu_sum, 1, keep_dims=True)/length  # step 1: mean(x)
        if HAS_x_dot:
            mu_dot = tl.sum(mu_dot_sum, 1, keep_dims=True)/length  # step 21
            var_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            n_index = d // rest_size
            rest_index = d % rest_size
            inside = there & (d < D)
            if HAS_gamma_dot or HAS_x_dot:
                x = tl.load(
                    x_row + n_index*x_stride_n + rest_index*x_stride_rest, inside, 0
                ).to(A)
            x_dot = (
                tl.load(
                    x_dot_row + n_index*x_dot_stride_n + rest_index*x_dot_stride_rest,
                    inside,
                    0,
                ).to(A)
                if HAS_x_dot
                else 0.0
            )
            if HAS_gamma_dot or HAS_x_dot:
                x_shifted = x - mu  # step 2, pass 2: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 4: compensation
            if HAS_x_dot:
                x_centred_dot = x_dot - mu_dot  # step 22
                var_dot_sum += tl.where(inside, 2*x_centred*x_centred_dot, 0.0)
        if HAS_x_dot:
            var_dot = tl.sum(var_dot_sum, 1, keep_dims=True)/length  # step 23
            rstd_dot = -0.5*(rstd*rstd*rstd)*var_dot  # step 25
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            n_index = d // rest_size
            rest_index = d % rest_size
            inside = there & (d < D)
            if HAS_gamma_dot or HAS_x_dot:
                x = tl.load(
                    x_row + n_index*x_stride_n + rest_index*x_stride_rest, inside, 0
                ).to(A)
            x_dot = (
                tl.load(
                    x_dot_row + n_index*x_dot_stride_n + rest_index*x_dot_stride_rest,
                    inside,
                    0,
                ).to(A)
                if HAS_x_dot
                else 0.0
            )
            if HAS_gamma_dot or HAS_x_dot:
                x_shifted = x - mu  # step 2, pass 2: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 4: compensation
            if HAS_x_dot:
                x_centred_dot = x_dot - mu_dot  # step 22
            if HAS_gamma_dot:
                xhat = x_centred*rstd  # step 5
            if HAS_x_dot:
                xhat_dot = x_centred_dot*rstd + x_centred*rstd_dot  # step 26
            y_dot = 0.0
            if HAS_x_dot:
                y_dot += xhat_dot*gamma  # step 27
            if HAS_gamma_dot:
                y_dot += xhat*gamma_dot  # step 27
            if HAS_beta_dot:
                y_dot += beta_dot  # step 27
            tl.store(
                y_dot_row + n_index*y_dot_stride_n + rest_index*y_dot_stride_rest,
                y_dot,
                inside,
            )
        tl.store(mu_dot_ptr + row*mu_dot_stride_c, mu_dot if HAS_x_dot else 0.0, there)
        tl.store(
            var_dot_ptr + row*var_dot_stride_c, var_dot if HAS_x_dot else 0.0, there
        )


@triton.jit(do_not_specialize=["rows"])
def batch_norm_backward_backward(
    x_ptr,
    gamma_ptr,
    dy_ptr,
    dvar_ptr,
    ddx_ptr,
    ddgamma_ptr,
    ddbeta_ptr,
    mu_residual_ptr,
    rstd_ptr,
    dx_ptr,
    dgamma_ptr,
    dbeta_ptr,
    ddy_ptr,
    ddmu_ptr,
    ddvar_ptr,
    x_stride_c,
    x_stride_n,
    x_stride_rest,
    gamma_stride_c,
    dy_stride_c,
    dy_stride_n,
    dy_stride_rest,
    dvar_stride_c,
    ddx_stride_c,
    ddx_stride_n,
    ddx_stride_rest,
    ddgamma_stride_c,
    ddbeta_stride_c,
    dx_stride_c,
    dx_stride_n,
    dx_stride_rest,
    dgamma_stride_c,
    dbeta_stride_c,
    ddy_stride_c,
    ddy_stride_n,
    ddy_stride_rest,
    ddmu_stride_c,
    ddvar_stride_c,
    rest_size,
    rows,
    D,
    HAS_beta: tl.constexpr,
    HAS_ddbeta: tl.constexpr,
    HAS_ddgamma: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_dmu: tl.constexpr,
    HAS_dvar: tl.constexpr,
    HAS_dy: tl.constexpr,
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
    mean_dy_xhat = mean(dy*xhat)
    mean_dy = mean(dy)
    dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
    d2x = ddgamma*rstd*dy + mean_g*rstd**2*xhat*mean(ddx) + (2*dvar/D -
        mean_g_xhat*rstd**2)*(ddx - mean(ddx)) +
        rstd**2*mean(ddx*xhat)*(3*mean_g_xhat*xhat + mean_g - g) -
        ddgamma*mean_dy*rstd - ddgamma*mean_dy_xhat*rstd*xhat -
        rstd**2*xhat*mean(ddx*g)
    d2gamma = sum(dg*dy)
    d2beta = 0
    ddy = gamma*dg + ddgamma*xhat + ddbeta
    ddmu = mean(ddx)
    ddvar = 2*mean(ddx*xhat)/rstd
    """
    D = D // EVEN * EVEN
    x_stride_n = tl.cast(x_stride_n, tl.int64)
    x_stride_rest = tl.cast(x_stride_rest, tl.int64)
    dy_stride_n = tl.cast(dy_stride_n, tl.int64)
    dy_stride_rest = tl.cast(dy_stride_rest, tl.int64)
    ddx_stride_n = tl.cast(ddx_stride_n, tl.int64)
    ddx_stride_rest = tl.cast(ddx_stride_rest, tl.int64)
    dx_stride_n = tl.cast(dx_stride_n, tl.int64)
    dx_stride_rest = tl.cast(dx_stride_rest, tl.int64)
    ddy_stride_n = tl.cast(ddy_stride_n, tl.int64)
    ddy_stride_rest = tl.cast(ddy_stride_rest, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dvar) or (HAS_ddx and HAS_dy):
            x_row = x_ptr + row*x_stride_c
        if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dy):
            dy_row = dy_ptr + row*dy_stride_c
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride_c
        dx_row = dx_ptr + row*dx_stride_c
        if HAS_dy:
            ddy_row = ddy_ptr + row*ddy_stride_c
        if HAS_ddx and HAS_dy:
            gamma = (
                tl.load(gamma_ptr + row*gamma_stride_c, there, 0).to(A)
                if HAS_gamma
                else 1.0
            )
        if HAS_ddx and HAS_dvar:
            dvar = tl.load(dvar_ptr + row*dvar_stride_c, there, 0).to(A)
        if HAS_ddgamma and HAS_dy:
            ddgamma = tl.load(ddgamma_ptr + row*ddgamma_stride_c, there, 0).to(A)
        if HAS_dy:
            ddbeta = (
                tl.load(ddbeta_ptr + row*ddbeta_stride_c, there, 0).to(A)
                if HAS_ddbeta
                else 0.0
            )
        if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dvar) or (HAS_ddx and HAS_dy):
            mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_ddgamma and HAS_dy:
            ddgamma_scaled = ddgamma*rstd  # step 48, pass 24: once a row
        if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dvar) or (HAS_ddx and HAS_dy):
            mu_sum = tl.zeros([ROWS, TILE], A)
        if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dy):
            mean_dy_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx:
            mean_ddx_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx and HAS_dy:
            mean_ddx_g_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            n_index = d // rest_size
            rest_index = d % rest_size
            inside = there & (d < D)
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddx and HAS_dvar)
                or (HAS_ddx and HAS_dy)
            ):
                x = tl.load(
                    x_row + n_index*x_stride_n + rest_index*x_stride_rest, inside, 0
                ).to(A)
            if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dy):
                dy = tl.load(
                    dy_row + n_index*dy_stride_n + rest_index*dy_stride_rest, inside, 0
                ).to(A)
            ddx = (
                tl.load(
                    ddx_row + n_index*ddx_stride_n + rest_index*ddx_stride_rest,
                    inside,
                    0,
                ).to(A)
                if HAS_ddx
                else 0.0
            )
            if HAS_ddx and HAS_dy:
                g = dy*gamma  # step 28
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddx and HAS_dvar)
                or (HAS_ddx and HAS_dy)
            ):
                mu_sum += x
            if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dy):
                mean_dy_sum += dy
            if HAS_ddx:
                mean_ddx_sum += ddx
            if HAS_ddx and HAS_dy:
                mean_ddx_g_sum += tl.where(inside, ddx*g, 0.0)
        if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dvar) or (HAS_ddx and HAS_dy):
            mu = tl.sum(mu_sum, 1, keep_dims=True)/length  # step 1: mean(x)
        if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dy):
            mean_dy = tl.sum(mean_dy_sum, 1, keep_dims=True)/length  # step 32: mean(dy)
        if HAS_ddx:
            mean_ddx = tl.sum(mean_ddx_sum, 1, keep_dims=True)/length  # step 54
        if HAS_ddx and HAS_dy:
            mean_ddx_g = tl.sum(mean_ddx_g_sum, 1, keep_dims=True)/length  # step 48
            mean_g = gamma*mean_dy  # step 29, pass 25: shared reductions
            mean_ddx_g_scaled = mean_ddx_g*(rstd*rstd)  # step 48, pass 26: once a row
        if HAS_ddgamma and HAS_dy:
            mean_dy_scaled = ddgamma*mean_dy*rstd  # step 48, pass 27: once a row
        if HAS_ddx and HAS_dy:
            mean_ddx_scaled = mean_ddx*mean_g*(rstd*rstd)  # step 48, pass 28
        if HAS_ddx and HAS_dmu:
            ddmu = mean_ddx  # step 64, pass 29: shared reductions
        if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dy):
            mean_dy_xhat_sum = tl.zeros([ROWS, TILE], A)
        if (HAS_ddx and HAS_dvar) or (HAS_ddx and HAS_dy):
            mean_ddx_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            n_index = d // rest_size
            rest_index = d % rest_size
            inside = there & (d < D)
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddx and HAS_dvar)
                or (HAS_ddx and HAS_dy)
            ):
                x = tl.load(
                    x_row + n_index*x_stride_n + rest_index*x_stride_rest, inside, 0
                ).to(A)
            if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dy):
                dy = tl.load(
                    dy_row + n_index*dy_stride_n + rest_index*dy_stride_rest, inside, 0
                ).to(A)
            ddx = (
                tl.load(
                    ddx_row + n_index*ddx_stride_n + rest_index*ddx_stride_rest,
                    inside,
                    0,
                ).to(A)
                if HAS_ddx
                else 0.0
            )
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddx and HAS_dvar)
                or (HAS_ddx and HAS_dy)
            ):
                x_shifted = x - mu  # step 2, pass 2: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 4: compensation
                xhat = x_centred*rstd  # step 5
            if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dy):
                mean_dy_xhat_sum += tl.where(inside, dy*xhat, 0.0)
            if (HAS_ddx and HAS_dvar) or (HAS_ddx and HAS_dy):
                mean_ddx_xhat_sum += tl.where(inside, ddx*xhat, 0.0)
        if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dy):
            mean_dy_xhat = tl.sum(mean_dy_xhat_sum, 1, keep_dims=True)/length  # step 31
        if (HAS_ddx and HAS_dvar) or (HAS_ddx and HAS_dy):
            # step 54: mean(ddx*xhat)
            mean_ddx_xhat = tl.sum(mean_ddx_xhat_sum, 1, keep_dims=True)/length
        if HAS_ddx and HAS_dy:
            mean_g_xhat = gamma*mean_dy_xhat  # step 30, pass 34: shared reductions
        if (HAS_ddx and HAS_dvar) or (HAS_ddx and HAS_dy):
            mean_g_xhat_shifted = 0.0
        if HAS_ddx and HAS_dvar:
            mean_g_xhat_shifted += 2*dvar/length  # step 48, pass 35: once a row
        if HAS_ddx and HAS_dy:
            mean_g_xhat_shifted -= mean_g_xhat*(rstd*rstd)  # step 48, pass 35
            mean_ddx_xhat_scaled = mean_ddx_xhat*(rstd*rstd)  # step 48, pass 36
            mean_g_xhat_scaled = 3*mean_g_xhat  # step 48, pass 37: once a row
        if HAS_ddgamma and HAS_dy:
            mean_dy_xhat_scaled = ddgamma*mean_dy_xhat*rstd  # step 48, pass 38
        if HAS_ddx and HAS_dvar:
            ddvar = 2*mean_ddx_xhat/rstd  # step 66
        if HAS_ddx and HAS_dy and HAS_gamma:
            d2gamma_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            n_index = d // rest_size
            rest_index = d % rest_size
            inside = there & (d < D)
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddx and HAS_dvar)
                or (HAS_ddx and HAS_dy)
            ):
                x = tl.load(
                    x_row + n_index*x_stride_n + rest_index*x_stride_rest, inside, 0
                ).to(A)
            if (HAS_ddgamma and HAS_dy) or (HAS_ddx and HAS_dy):
                dy = tl.load(
                    dy_row + n_index*dy_stride_n + rest_index*dy_stride_rest, inside, 0
                ).to(A)
            ddx = (
                tl.load(
                    ddx_row + n_index*ddx_stride_n + rest_index*ddx_stride_rest,
                    inside,
                    0,
                ).to(A)
                if HAS_ddx
                else 0.0
            )
            if HAS_ddx and HAS_dy:
                g = dy*gamma  # step 28
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddx and HAS_dvar)
                or (HAS_ddx and HAS_dy)
            ):
                x_shifted = x - mu  # step 2, pass 2: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 4: compensation
                xhat = x_centred*rstd  # step 5
            if HAS_ddx and HAS_dy:
                dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd  # step 54
            d2x = 0.0
            if HAS_ddgamma and HAS_dy:
                d2x += dy*ddgamma_scaled  # step 48, pass 43: once a row
            if HAS_ddx and HAS_dy:
                d2x += xhat*mean_ddx_scaled  # step 48, pass 43: once a row
            if (HAS_ddx and HAS_dvar) or (HAS_ddx and HAS_dy):
                d2x += (ddx - mean_ddx)*mean_g_xhat_shifted  # step 48, pass 43
            if HAS_ddx and HAS_dy:
                # step 48, pass 43: once a row
                d2x += (xhat*mean_g_xhat_scaled + mean_g - g)*mean_ddx_xhat_scaled
            if HAS_ddgamma and HAS_dy:
                d2x -= mean_dy_scaled  # step 48, pass 43: once a row
            if HAS_ddx and HAS_dy:
                d2x -= xhat*mean_ddx_g_scaled  # step 48, pass 43: once a row
            if HAS_ddgamma and HAS_dy:
                d2x -= xhat*mean_dy_xhat_scaled  # step 48, pass 43: once a row
            if HAS_dy:
                ddy = 0.0
            if HAS_ddgamma and HAS_dy:
                ddy += xhat*ddgamma  # step 62
            if HAS_ddx and HAS_dy:
                ddy += dg*gamma  # step 62
            if HAS_ddbeta and HAS_dy:
                ddy += ddbeta  # step 62
            if HAS_ddx and HAS_dy and HAS_gamma:
                d2gamma_sum += tl.where(inside, dg*dy, 0.0)
            tl.store(
                dx_row + n_index*dx_stride_n + rest_index*dx_stride_rest, d2x, inside
            )
            if HAS_dy:
                tl.store(
                    ddy_row + n_index*ddy_stride_n + rest_index*ddy_stride_rest,
                    ddy,
                    inside,
                )
        if HAS_ddx and HAS_dy and HAS_gamma:
            d2gamma = tl.sum(d2gamma_sum, 1, keep_dims=True)  # step 55: sum(dg*dy)
        if HAS_gamma:
            tl.store(
                dgamma_ptr + row*dgamma_stride_c,
                d2gamma if HAS_ddx and HAS_dy else 0.0,
                there,
            )
        if HAS_beta:
            tl.store(dbeta_ptr + row*dbeta_stride_c, 0.0, there)
        if HAS_dmu:
            tl.store(ddmu_ptr + row*ddmu_stride_c, ddmu if HAS_ddx else 0.0, there)
        if HAS_dvar:
            tl.store(ddvar_ptr + row*ddvar_stride_c, ddvar if HAS_ddx else 0.0, there)
