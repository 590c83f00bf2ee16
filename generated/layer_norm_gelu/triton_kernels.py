# Made by lngen 0.1.0 from the definition of layer_norm_gelu; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
# definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
# mypy: ignore-errors
"""Layer normalization, then the Gaussian error linear unit.

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
def layer_norm_gelu_forward(
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
    u = gamma*xhat + beta
    Phi_u = Phi(u)
    y = Phi_u*u
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
        sum_x_shifted = tl.sum(sum_x_shifted_sum, 1, keep_dims=True)  # step 2, pass 5
        # step 3, pass 6: sum(x_shifted**2)
        squares_x_shifted = tl.sum(squares_x_shifted_sum, 1, keep_dims=True)
        mu_residual = sum_x_shifted/length  # step 2, pass 7: moments
        # step 3, pass 8: moments
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
            u = xhat*gamma  # step 6
            if HAS_beta:
                u += beta  # step 6
            Phi_u = 0.5*tl.erf(0.7071067811865476*u) + 0.5  # step 7, pass 4
            y = Phi_u*u  # step 9
            tl.store(y_row + d, y, inside)
        if SAVE:
            tl.store(mu_ptr + row, mu, there)
            tl.store(mu_residual_ptr + row, mu_residual, there)
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def layer_norm_gelu_backward(
    x_ptr,
    dy_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    gamma_ptr,
    beta_ptr,
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
    """du = dy*(Phi_u + u*phi(u))
    g = gamma*du
    dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
    dgamma = sum_rows(du*xhat)
    dbeta = sum_rows(du)
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
        beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
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
            if not WHOLE:
                beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            u = xhat*gamma  # step 6
            if HAS_beta:
                u += beta  # step 6
            Phi_u = 0.5*tl.erf(0.7071067811865476*u) + 0.5  # step 7, pass 4
            du = (Phi_u + 0.3989422804014327*tl.exp(-0.5*(u*u))*u)*dy  # step 12, pass 9
            g = du*gamma  # step 13
            mean_g_sum += tl.where(inside, g, 0.0)
            mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
            if HAS_gamma:
                if WHOLE:
                    dgamma += tl.where(inside, du*xhat, 0.0)  # step 24
                else:
                    add_to(sums_ptr + d, tl.where(inside, du*xhat, 0.0), d < D)
            if HAS_beta:
                if WHOLE:
                    dbeta += tl.where(inside, du, 0.0)  # step 25
                else:
                    add_to(sums_ptr + D + d, tl.where(inside, du, 0.0), d < D)
        mean_g = tl.sum(mean_g_sum, 1, keep_dims=True)/length  # step 23: mean(g)
        mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 23
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if not WHOLE:
                beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            u = xhat*gamma  # step 6
            if HAS_beta:
                u += beta  # step 6
            Phi_u = 0.5*tl.erf(0.7071067811865476*u) + 0.5  # step 7, pass 4
            du = (Phi_u + 0.3989422804014327*tl.exp(-0.5*(u*u))*u)*dy  # step 12, pass 9
            g = du*gamma  # step 13
            dx = (g - mean_g - xhat*mean_g_xhat)*rstd  # step 23
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
def layer_norm_gelu_backward_totals(
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
def layer_norm_gelu_jvp(
    x_ptr,
    x_dot_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    gamma_ptr,
    beta_ptr,
    gamma_dot_ptr,
    beta_dot_ptr,
    y_dot_ptr,
    x_stride,
    x_step,
    x_dot_stride,
    x_dot_step,
    rows,
    D,
    HAS_beta: tl.constexpr,
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
    """y_dot = (Phi_u + u*phi(u))*(gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot -
        mean(x_dot) - xhat*mean(x_dot*xhat)))
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
        y_dot_row = y_dot_ptr + row*D
        mu = tl.load(mu_ptr + row, there, 0).to(A)
        mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_x_dot:
            mean_x_dot_sum = tl.zeros([ROWS, TILE], A)
            mean_x_dot_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            if HAS_x_dot:
                mean_x_dot_sum += x_dot
                mean_x_dot_xhat_sum += tl.where(inside, x_dot*xhat, 0.0)
        if HAS_x_dot:
            # step 38, pass 11: mean(x_dot)
            mean_x_dot = tl.sum(mean_x_dot_sum, 1, keep_dims=True)/length
            # step 38, pass 12: mean(x_dot*xhat)
            mean_x_dot_xhat = tl.sum(mean_x_dot_xhat_sum, 1, keep_dims=True)/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
            if HAS_gamma_dot:
                gamma_dot = tl.load(gamma_dot_ptr + d, d < D, 0).to(A)
            beta_dot = (
                tl.load(beta_dot_ptr + d, d < D, 0).to(A) if HAS_beta_dot else 0.0
            )
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            u = xhat*gamma  # step 6
            if HAS_beta:
                u += beta  # step 6
            Phi_u = 0.5*tl.erf(0.7071067811865476*u) + 0.5  # step 7, pass 4
            y_dot_part = 0.0
            if HAS_gamma_dot:
                y_dot_part += xhat*gamma_dot
            if HAS_x_dot:
                y_dot_part += (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*rstd*gamma
            if HAS_beta_dot:
                y_dot_part += beta_dot
            # step 38, pass 13: elementary functions
            y_dot = (Phi_u + 0.3989422804014327*tl.exp(-0.5*(u*u))*u)*y_dot_part
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def layer_norm_gelu_backward_backward(
    x_ptr,
    dy_ptr,
    ddx_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    gamma_ptr,
    beta_ptr,
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
    """du = dy*(Phi_u + u*phi(u))
    g = gamma*du
    mean_g = mean(g)
    mean_g_xhat = mean(g*xhat)
    dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
    ddu = gamma*dg + ddgamma*xhat + ddbeta
    d2u = ddu*dy*phi(u)*(2 - u**2)
    d2xhat_part = gamma*d2u - mean_g_xhat*rstd*ddx
    d2x = rstd*(d2xhat_part + ddgamma*du + rstd*(mean_g*xhat*mean(ddx) +
        mean(ddx*xhat)*(2*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g)) -
        mean(d2xhat_part) - mean(ddgamma*du) - xhat*mean(d2xhat_part*xhat) -
        xhat*mean(ddgamma*du*xhat))
    d2gamma = sum_rows(d2u*xhat + dg*du)
    d2beta = sum_rows(d2u)
    ddy = ddu*(Phi_u + u*phi(u))
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
    sums_ptr += program * 2*D
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
        beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
        if HAS_ddgamma:
            ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
        ddbeta = tl.load(ddbeta_ptr + d, d < D, 0).to(A) if HAS_ddbeta else 0.0
        if HAS_gamma:
            d2gamma = tl.zeros([ROWS, TILE], A)
        if HAS_beta:
            d2beta = tl.zeros([ROWS, TILE], A)
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
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        ddy_row = ddy_ptr + row*D
        mu = tl.load(mu_ptr + row, there, 0).to(A)
        mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_ddx:
            mean_g_sum = tl.zeros([ROWS, TILE], A)
            mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_xhat_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddgamma:
            mean_ddgamma_du_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx:
            mean_ddx_g_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddgamma:
            mean_ddgamma_du_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if not WHOLE:
                beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            u = xhat*gamma  # step 6
            if HAS_beta:
                u += beta  # step 6
            Phi_u = 0.5*tl.erf(0.7071067811865476*u) + 0.5  # step 7, pass 4
            if HAS_ddgamma or HAS_ddx:
                # step 39, pass 14: elementary functions
                du = (Phi_u + 0.3989422804014327*tl.exp(-0.5*(u*u))*u)*dy
            if HAS_ddx:
                g = du*gamma  # step 40
                mean_g_sum += tl.where(inside, g, 0.0)
                mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
                mean_ddx_sum += ddx
                mean_ddx_xhat_sum += tl.where(inside, ddx*xhat, 0.0)
            if HAS_ddgamma:
                mean_ddgamma_du_sum += tl.where(inside, du*ddgamma, 0.0)
            if HAS_ddx:
                mean_ddx_g_sum += tl.where(inside, ddx*g, 0.0)
            if HAS_ddgamma:
                mean_ddgamma_du_xhat_sum += tl.where(inside, du*xhat*ddgamma, 0.0)
        if HAS_ddx:
            mean_g = tl.sum(mean_g_sum, 1, keep_dims=True)/length  # step 41: mean(g)
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 42
            mean_ddx = tl.sum(mean_ddx_sum, 1, keep_dims=True)/length  # step 52
            # step 52: mean(ddx*xhat)
            mean_ddx_xhat = tl.sum(mean_ddx_xhat_sum, 1, keep_dims=True)/length
        if HAS_ddgamma:
            # step 69: mean(du*ddgamma)
            mean_ddgamma_du = tl.sum(mean_ddgamma_du_sum, 1, keep_dims=True)/length
        if HAS_ddx:
            mean_ddx_g = tl.sum(mean_ddx_g_sum, 1, keep_dims=True)/length  # step 69
        if HAS_ddgamma:
            # step 69: mean(du*xhat*ddgamma)
            mean_ddgamma_du_xhat = tl.sum(
                mean_ddgamma_du_xhat_sum, 1, keep_dims=True
            )/length
        if HAS_ddx:
            mean_g_xhat_scaled = mean_g_xhat*rstd  # step 60, pass 15: once a row
            mean_g_xhat_scaled_2 = 2*mean_g_xhat  # step 69, pass 16: once a row
            mean_ddx_scaled = mean_ddx*mean_g  # step 69, pass 17: once a row
        mean_d2xhat_part_sum = tl.zeros([ROWS, TILE], A)
        mean_d2xhat_part_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if not WHOLE:
                beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if not WHOLE:
                ddbeta = tl.load(ddbeta_ptr + d, d < D, 0).to(A) if HAS_ddbeta else 0.0
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            u = xhat*gamma  # step 6
            if HAS_beta:
                u += beta  # step 6
            Phi_u = 0.5*tl.erf(0.7071067811865476*u) + 0.5  # step 7, pass 4
            if HAS_ddgamma or HAS_ddx:
                # step 39, pass 14: elementary functions
                du = (Phi_u + 0.3989422804014327*tl.exp(-0.5*(u*u))*u)*dy
            if HAS_ddx:
                dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd  # step 52
            ddu = 0.0
            if HAS_ddgamma:
                ddu += xhat*ddgamma  # step 55
            if HAS_ddx:
                ddu += dg*gamma  # step 55
            if HAS_ddbeta:
                ddu += ddbeta  # step 55
            # step 59, pass 18: elementary functions
            d2u = 0.3989422804014327*(2 - u*u)*ddu*dy*tl.exp(-0.5*(u*u))
            d2xhat_part = d2u*gamma  # step 60, pass 19: once a row
            if HAS_ddx:
                d2xhat_part -= ddx*mean_g_xhat_scaled  # step 60, pass 19: once a row
            mean_d2xhat_part_sum += tl.where(inside, d2xhat_part, 0.0)
            mean_d2xhat_part_xhat_sum += tl.where(inside, d2xhat_part*xhat, 0.0)
            if HAS_gamma:
                d2gamma_part = d2u*xhat
            if HAS_ddx and HAS_gamma:
                d2gamma_part += dg*du
            if HAS_gamma:
                if WHOLE:
                    d2gamma += tl.where(inside, d2gamma_part, 0.0)  # step 71
                else:
                    add_to(sums_ptr + d, tl.where(inside, d2gamma_part, 0.0), d < D)
            if HAS_beta:
                if WHOLE:
                    d2beta += tl.where(inside, d2u, 0.0)  # step 72
                else:
                    add_to(sums_ptr + D + d, tl.where(inside, d2u, 0.0), d < D)
        # step 69: mean(d2xhat_part)
        mean_d2xhat_part = tl.sum(mean_d2xhat_part_sum, 1, keep_dims=True)/length
        # step 69: mean(d2xhat_part*xhat)
        mean_d2xhat_part_xhat = tl.sum(
            mean_d2xhat_part_xhat_sum, 1, keep_dims=True
        )/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if not WHOLE:
                beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if not WHOLE:
                ddbeta = tl.load(ddbeta_ptr + d, d < D, 0).to(A) if HAS_ddbeta else 0.0
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            u = xhat*gamma  # step 6
            if HAS_beta:
                u += beta  # step 6
            Phi_u = 0.5*tl.erf(0.7071067811865476*u) + 0.5  # step 7, pass 4
            if HAS_ddgamma or HAS_ddx:
                # step 39, pass 14: elementary functions
                du = (Phi_u + 0.3989422804014327*tl.exp(-0.5*(u*u))*u)*dy
            if HAS_ddx:
                g = du*gamma  # step 40
                dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd  # step 52
            ddu = 0.0
            if HAS_ddgamma:
                ddu += xhat*ddgamma  # step 55
            if HAS_ddx:
                ddu += dg*gamma  # step 55
            if HAS_ddbeta:
                ddu += ddbeta  # step 55
            # step 59, pass 18: elementary functions
            d2u = 0.3989422804014327*(2 - u*u)*ddu*dy*tl.exp(-0.5*(u*u))
            d2xhat_part = d2u*gamma  # step 60, pass 19: once a row
            if HAS_ddx:
                d2xhat_part -= ddx*mean_g_xhat_scaled  # step 60, pass 19: once a row
            # step 73, pass 20: elementary functions
            ddy = (Phi_u + 0.3989422804014327*tl.exp(-0.5*(u*u))*u)*ddu
            d2x_part = d2xhat_part
            if HAS_ddgamma:
                d2x_part += du*ddgamma
            if HAS_ddx:
                d2x_part += (
                    xhat*mean_ddx_scaled
                    + (xhat*mean_g_xhat_scaled_2 + mean_g - g)*mean_ddx_xhat
                    - xhat*mean_ddx_g
                )*rstd
            d2x_part -= mean_d2xhat_part
            if HAS_ddgamma:
                d2x_part -= mean_ddgamma_du
            d2x_part -= xhat*mean_d2xhat_part_xhat
            if HAS_ddgamma:
                d2x_part -= xhat*mean_ddgamma_du_xhat
            d2x = d2x_part*rstd  # step 69, pass 21: once a row
            tl.store(dx_row + d, d2x, inside)
            tl.store(ddy_row + d, ddy, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_gamma:
            tl.store(sums_ptr + d, tl.sum(d2gamma, 0, keep_dims=True), d < D)
        if HAS_beta:
            tl.store(sums_ptr + D + d, tl.sum(d2beta, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def layer_norm_gelu_backward_backward_totals(
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
            d2gamma = over_programs(sums_ptr + d, d < D, programs, 2*D, AT_ONCE, A)
        if HAS_beta:
            d2beta = over_programs(sums_ptr + D + d, d < D, programs, 2*D, AT_ONCE, A)
        if HAS_gamma:
            tl.store(dgamma_ptr + d, d2gamma, inside)
        if HAS_beta:
            tl.store(dbeta_ptr + d, d2beta, inside)
