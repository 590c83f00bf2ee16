# Made by lngen 0.1.0 from the definition of modulated_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
# definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
# mypy: ignore-errors
"""Layer normalization whose output is gated by one number a row.

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
def modulated_layer_norm_forward(
    x_ptr,
    gate_ptr,
    gamma_ptr,
    beta_ptr,
    eps: tl.float64,
    y_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    x_stride,
    x_step,
    gate_stride,
    rows,
    D,
    HAS_beta: tl.constexpr,
    HAS_gamma: tl.constexpr,
    HAS_gate: tl.constexpr,
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
    y = gate*(gamma*xhat + beta)
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
        gate = tl.load(gate_ptr + row*gate_stride, there, 0).to(A) if HAS_gate else 1.0
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
            y_part = xhat*gamma
            if HAS_beta:
                y_part += beta
            y = y_part*gate  # step 6
            tl.store(y_row + d, y, inside)
        if SAVE:
            tl.store(mu_ptr + row, mu, there)
            tl.store(mu_residual_ptr + row, mu_residual, there)
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def modulated_layer_norm_backward(
    x_ptr,
    gate_ptr,
    dy_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    gamma_ptr,
    beta_ptr,
    dx_ptr,
    dgate_ptr,
    sums_ptr,
    x_stride,
    x_step,
    gate_stride,
    dy_stride,
    dy_step,
    rows,
    D,
    HAS_beta: tl.constexpr,
    HAS_gamma: tl.constexpr,
    HAS_gate: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = gate*gamma*dy
    dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
    dgate = sum(dy*(gamma*xhat + beta))
    dgamma = sum_rows(gate*dy*xhat)
    dbeta = sum_rows(gate*dy)
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
        if HAS_gate:
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
        gate = tl.load(gate_ptr + row*gate_stride, there, 0).to(A) if HAS_gate else 1.0
        mu = tl.load(mu_ptr + row, there, 0).to(A)
        mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        mean_g_sum = tl.zeros([ROWS, TILE], A)
        mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
        if HAS_gate:
            dgate_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_gate and not WHOLE:
                beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
            x_shifted = x - mu  # step 2, pass 1: compensation
            x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            xhat = x_centred*rstd  # step 5
            g = dy*gate*gamma  # step 7
            mean_g_sum += tl.where(inside, g, 0.0)
            mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
            if HAS_gate:
                dgate_part = xhat*gamma
            if HAS_beta and HAS_gate:
                dgate_part += beta
            if HAS_gate:
                dgate_sum += tl.where(inside, dgate_part*dy, 0.0)
            if HAS_gamma:
                if WHOLE:
                    dgamma += tl.where(inside, dy*xhat*gate, 0.0)  # step 19
                else:
                    add_to(sums_ptr + d, tl.where(inside, dy*xhat*gate, 0.0), d < D)
            if HAS_beta:
                if WHOLE:
                    dbeta += tl.where(inside, dy*gate, 0.0)  # step 20
                else:
                    add_to(sums_ptr + D + d, tl.where(inside, dy*gate, 0.0), d < D)
        mean_g = tl.sum(mean_g_sum, 1, keep_dims=True)/length  # step 17: mean(g)
        mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 17
        if HAS_gate:
            dgate = tl.sum(dgate_sum, 1, keep_dims=True)  # step 18
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
            g = dy*gate*gamma  # step 7
            dx = (g - mean_g - xhat*mean_g_xhat)*rstd  # step 17
            tl.store(dx_row + d, dx, inside)
        if HAS_gate:
            tl.store(dgate_ptr + row, dgate, there)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_gamma:
            tl.store(sums_ptr + d, tl.sum(dgamma, 0, keep_dims=True), d < D)
        if HAS_beta:
            tl.store(sums_ptr + D + d, tl.sum(dbeta, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def modulated_layer_norm_backward_totals(
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
def modulated_layer_norm_jvp(
    x_ptr,
    gate_ptr,
    x_dot_ptr,
    gate_dot_ptr,
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
    gate_stride,
    x_dot_stride,
    x_dot_step,
    gate_dot_stride,
    rows,
    D,
    HAS_beta: tl.constexpr,
    HAS_beta_dot: tl.constexpr,
    HAS_gamma: tl.constexpr,
    HAS_gamma_dot: tl.constexpr,
    HAS_gate: tl.constexpr,
    HAS_gate_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """y_dot = gate_dot*(gamma*xhat + beta) + gate*(gamma_dot*xhat + beta_dot +
        rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat)))
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
        if HAS_gamma_dot or HAS_gate_dot or HAS_x_dot:
            x_row = x_ptr + row*x_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        y_dot_row = y_dot_ptr + row*D
        if HAS_beta_dot or HAS_gamma_dot or HAS_x_dot:
            gate = (
                tl.load(gate_ptr + row*gate_stride, there, 0).to(A) if HAS_gate else 1.0
            )
        if HAS_gate_dot:
            gate_dot = tl.load(gate_dot_ptr + row*gate_dot_stride, there, 0).to(A)
        if HAS_gamma_dot or HAS_gate_dot or HAS_x_dot:
            mu = tl.load(mu_ptr + row, there, 0).to(A)
            mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_x_dot:
            mean_x_dot_sum = tl.zeros([ROWS, TILE], A)
            mean_x_dot_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_gamma_dot or HAS_gate_dot or HAS_x_dot:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            if HAS_gamma_dot or HAS_gate_dot or HAS_x_dot:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
                xhat = x_centred*rstd  # step 5
            if HAS_x_dot:
                mean_x_dot_sum += x_dot
                mean_x_dot_xhat_sum += tl.where(inside, x_dot*xhat, 0.0)
        if HAS_x_dot:
            mean_x_dot = tl.sum(mean_x_dot_sum, 1, keep_dims=True)/length  # step 30
            # step 30: mean(x_dot*xhat)
            mean_x_dot_xhat = tl.sum(mean_x_dot_xhat_sum, 1, keep_dims=True)/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_gamma_dot or HAS_gate_dot or HAS_x_dot:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            if HAS_gate_dot or HAS_x_dot:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_gate_dot:
                beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
            if HAS_gamma_dot:
                gamma_dot = tl.load(gamma_dot_ptr + d, d < D, 0).to(A)
            beta_dot = (
                tl.load(beta_dot_ptr + d, d < D, 0).to(A) if HAS_beta_dot else 0.0
            )
            if HAS_gamma_dot or HAS_gate_dot or HAS_x_dot:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
                xhat = x_centred*rstd  # step 5
            if HAS_gate_dot:
                y_dot_part = xhat*gamma
            if HAS_beta and HAS_gate_dot:
                y_dot_part += beta
            if HAS_beta_dot or HAS_gamma_dot or HAS_x_dot:
                y_dot_part2 = 0.0
            if HAS_gamma_dot:
                y_dot_part2 += xhat*gamma_dot
            if HAS_x_dot:
                y_dot_part2 += (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*rstd*gamma
            if HAS_beta_dot:
                y_dot_part2 += beta_dot
            y_dot = 0.0
            if HAS_gate_dot:
                y_dot += y_dot_part*gate_dot  # step 30
            if HAS_beta_dot or HAS_gamma_dot or HAS_x_dot:
                y_dot += y_dot_part2*gate  # step 30
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def modulated_layer_norm_backward_backward(
    x_ptr,
    gate_ptr,
    dy_ptr,
    ddx_ptr,
    ddgate_ptr,
    mu_ptr,
    mu_residual_ptr,
    rstd_ptr,
    gamma_ptr,
    beta_ptr,
    ddgamma_ptr,
    ddbeta_ptr,
    dx_ptr,
    dgate_ptr,
    ddy_ptr,
    sums_ptr,
    x_stride,
    x_step,
    gate_stride,
    dy_stride,
    dy_step,
    ddx_stride,
    ddx_step,
    ddgate_stride,
    rows,
    D,
    HAS_beta: tl.constexpr,
    HAS_ddbeta: tl.constexpr,
    HAS_ddgamma: tl.constexpr,
    HAS_ddgate: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_gamma: tl.constexpr,
    HAS_gate: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = gate*gamma*dy
    mean_g = mean(g)
    mean_g_xhat = mean(g*xhat)
    dmean_product = D*ddgate
    dmean_g_xhat = sum(-rstd*ddx*xhat)
    dmean_g = sum(-rstd*ddx)
    dg = rstd*ddx + dmean_g_xhat*xhat/D + dmean_g/D
    d2xhat = gate*ddgamma*dy + dmean_g_xhat*g/D + dmean_product*gamma*dy/D -
        mean_g_xhat*rstd*ddx
    d2rstd = sum(d2xhat*x_centred) + sum(ddx*(g - mean_g - mean_g_xhat*xhat))
    d2var = -d2rstd*rstd**3/2
    d2x_centred = rstd*d2xhat + 2*d2var*x_centred/D
    d2mu = sum(-d2x_centred)
    d2x = d2x_centred + d2mu/D
    d2gate = sum(ddbeta*dy) + sum(gamma*dg*dy) + sum(ddgamma*dy*xhat)
    d2gamma = sum_rows(dy*(gate*dg + dmean_product*xhat/D))
    d2beta = sum_rows(dmean_product*dy)/D
    ddy = gate*ddbeta + gate*gamma*dg + gate*ddgamma*xhat +
        dmean_product*(gamma*xhat + beta)/D
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
        if HAS_ddgate or HAS_ddx:
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
        if HAS_ddgate:
            beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
        if HAS_ddgamma:
            ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
        if HAS_ddbeta:
            ddbeta = tl.load(ddbeta_ptr + d, d < D, 0).to(A)
        if HAS_beta and HAS_ddgate:
            d2beta_rows = tl.zeros([ROWS, TILE], A)
        if (HAS_ddgate and HAS_gamma) or (HAS_ddx and HAS_gamma):
            d2gamma = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if HAS_beta and HAS_ddgate:
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
            if (HAS_ddgate and HAS_gamma) or (HAS_ddx and HAS_gamma):
                tl.store(sums_ptr + D + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        if HAS_ddgamma or HAS_ddgate or HAS_ddx:
            x_row = x_ptr + row*x_stride
        if (HAS_ddbeta and HAS_gate) or HAS_ddgamma or HAS_ddgate or HAS_ddx:
            dy_row = dy_ptr + row*dy_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        ddy_row = ddy_ptr + row*D
        if HAS_ddbeta or HAS_ddgamma or HAS_ddx:
            gate = (
                tl.load(gate_ptr + row*gate_stride, there, 0).to(A) if HAS_gate else 1.0
            )
        if HAS_ddgate:
            ddgate = tl.load(ddgate_ptr + row*ddgate_stride, there, 0).to(A)
        if HAS_ddgamma or HAS_ddgate or HAS_ddx:
            mu = tl.load(mu_ptr + row, there, 0).to(A)
            mu_residual = tl.load(mu_residual_ptr + row, there, 0).to(A)
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_ddgate:
            dmean_product = ddgate*length  # step 38
            dmean_product_scaled = dmean_product/length  # step 40, pass 8: once a row
        if HAS_ddx:
            mean_g_sum = tl.zeros([ROWS, TILE], A)
            mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
            dmean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
            dmean_g_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddbeta and HAS_gate:
            sum_ddbeta_dy_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddgamma and HAS_gate:
            sum_ddgamma_dy_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if (HAS_ddbeta and HAS_gate) or HAS_ddgamma or HAS_ddgate or HAS_ddx:
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if (HAS_ddgate or HAS_ddx) and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if HAS_ddbeta and not WHOLE:
                ddbeta = tl.load(ddbeta_ptr + d, d < D, 0).to(A)
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
                xhat = x_centred*rstd  # step 5
            if HAS_ddx:
                g = dy*gate*gamma  # step 31
                mean_g_sum += tl.where(inside, g, 0.0)
                mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
                dmean_g_xhat_sum += tl.where(inside, -ddx*xhat*rstd, 0.0)
                dmean_g_sum += tl.where(inside, -ddx*rstd, 0.0)
            if HAS_ddbeta and HAS_gate:
                sum_ddbeta_dy_sum += tl.where(inside, dy*ddbeta, 0.0)
            if HAS_ddgamma and HAS_gate:
                sum_ddgamma_dy_xhat_sum += tl.where(inside, dy*xhat*ddgamma, 0.0)
            if HAS_beta and HAS_ddgate:
                if WHOLE:
                    # step 54, pass 12: sums over rows
                    d2beta_rows += tl.where(inside, dy*dmean_product, 0.0)
                else:
                    add_to(sums_ptr + d, tl.where(inside, dy*dmean_product, 0.0), d < D)
        if HAS_ddx:
            mean_g = tl.sum(mean_g_sum, 1, keep_dims=True)/length  # step 33: mean(g)
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 32
            dmean_g_xhat = tl.sum(dmean_g_xhat_sum, 1, keep_dims=True)  # step 39
            dmean_g = tl.sum(dmean_g_sum, 1, keep_dims=True)  # step 48: sum(-ddx*rstd)
        if HAS_ddbeta and HAS_gate:
            sum_ddbeta_dy = tl.sum(sum_ddbeta_dy_sum, 1, keep_dims=True)  # step 50
        if HAS_ddgamma and HAS_gate:
            # step 50: sum(dy*xhat*ddgamma)
            sum_ddgamma_dy_xhat = tl.sum(sum_ddgamma_dy_xhat_sum, 1, keep_dims=True)
        if HAS_ddx:
            dmean_g_scaled = dmean_g/length  # step 49, pass 9: once a row
            dmean_g_xhat_scaled = dmean_g_xhat/length  # step 49, pass 10: once a row
            mean_g_xhat_scaled = mean_g_xhat*rstd  # step 40, pass 11: once a row
            sum_ddx_g_xhat_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddgamma or HAS_ddgate or HAS_ddx:
            sum_d2xhat_x_centred_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx and HAS_gate:
            sum_dg_dy_gamma_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if (HAS_ddbeta and HAS_gate) or HAS_ddgamma or HAS_ddgate or HAS_ddx:
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if (HAS_ddgate or HAS_ddx) and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgate and not WHOLE:
                beta = tl.load(beta_ptr + d, d < D, 0).to(A) if HAS_beta else 0.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if HAS_ddbeta and not WHOLE:
                ddbeta = tl.load(ddbeta_ptr + d, d < D, 0).to(A)
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
                xhat = x_centred*rstd  # step 5
            if HAS_ddx:
                g = dy*gate*gamma  # step 31
                # step 49, pass 13: once a row
                dg = xhat*dmean_g_xhat_scaled + ddx*rstd + dmean_g_scaled
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                d2xhat = 0.0
            if HAS_ddx:
                d2xhat += g*dmean_g_xhat_scaled  # step 40, pass 14: once a row
            if HAS_ddgamma:
                d2xhat += dy*gate*ddgamma  # step 40, pass 14: once a row
            if HAS_ddgate:
                d2xhat += dy*dmean_product_scaled*gamma  # step 40, pass 14: once a row
            if HAS_ddx:
                d2xhat -= ddx*mean_g_xhat_scaled  # step 40, pass 14: once a row
            if HAS_ddgate:
                ddy_part = xhat*gamma
            if HAS_beta and HAS_ddgate:
                ddy_part += beta
            ddy = 0.0
            if HAS_ddbeta:
                ddy += gate*ddbeta  # step 55, pass 15: once a row
            if HAS_ddgamma:
                ddy += xhat*gate*ddgamma  # step 55, pass 15: once a row
            if HAS_ddx:
                ddy += dg*gate*gamma  # step 55, pass 15: once a row
            if HAS_ddgate:
                ddy += ddy_part*dmean_product_scaled  # step 55, pass 15: once a row
            if HAS_ddx:
                sum_ddx_g_xhat_sum += tl.where(
                    inside, (g - mean_g - xhat*mean_g_xhat)*ddx, 0.0
                )
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                sum_d2xhat_x_centred_sum += tl.where(inside, d2xhat*x_centred, 0.0)
            if HAS_ddx and HAS_gate:
                sum_dg_dy_gamma_sum += tl.where(inside, dg*dy*gamma, 0.0)
            if (HAS_ddgate and HAS_gamma) or (HAS_ddx and HAS_gamma):
                d2gamma_part = 0.0
            if HAS_ddgate and HAS_gamma:
                d2gamma_part += xhat*dmean_product_scaled
            if HAS_ddx and HAS_gamma:
                d2gamma_part += dg*gate
            if (HAS_ddgate and HAS_gamma) or (HAS_ddx and HAS_gamma):
                if WHOLE:
                    # step 52, pass 17: once a row
                    d2gamma += tl.where(inside, d2gamma_part*dy, 0.0)
                else:
                    add_to(
                        sums_ptr + D + d, tl.where(inside, d2gamma_part*dy, 0.0), d < D
                    )
            tl.store(ddy_row + d, ddy, inside)
        if HAS_ddx:
            sum_ddx_g_xhat = tl.sum(sum_ddx_g_xhat_sum, 1, keep_dims=True)  # step 41
        if HAS_ddgamma or HAS_ddgate or HAS_ddx:
            # step 41: sum(d2xhat*x_centred)
            sum_d2xhat_x_centred = tl.sum(sum_d2xhat_x_centred_sum, 1, keep_dims=True)
        if HAS_ddx and HAS_gate:
            sum_dg_dy_gamma = tl.sum(sum_dg_dy_gamma_sum, 1, keep_dims=True)  # step 50
        if HAS_ddgamma or HAS_ddgate or HAS_ddx:
            d2rstd = sum_d2xhat_x_centred  # step 41
        if HAS_ddx:
            d2rstd += sum_ddx_g_xhat  # step 41
        if HAS_ddgamma or HAS_ddgate or HAS_ddx:
            d2var = -0.5*d2rstd*(rstd*rstd*rstd)  # step 43
            d2var_scaled = 2*d2var/length  # step 44, pass 16: once a row
        if HAS_gate:
            d2gate = 0.0
        if HAS_ddbeta and HAS_gate:
            d2gate += sum_ddbeta_dy  # step 50
        if HAS_ddgamma and HAS_gate:
            d2gate += sum_ddgamma_dy_xhat  # step 50
        if HAS_ddx and HAS_gate:
            d2gate += sum_dg_dy_gamma  # step 50
        if HAS_ddgamma or HAS_ddgate or HAS_ddx:
            d2mu_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if (HAS_ddbeta and HAS_gate) or HAS_ddgamma or HAS_ddgate or HAS_ddx:
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if (HAS_ddgate or HAS_ddx) and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            if HAS_ddx:
                g = dy*gate*gamma  # step 31
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                d2xhat = 0.0
            if HAS_ddx:
                d2xhat += g*dmean_g_xhat_scaled  # step 40, pass 14: once a row
            if HAS_ddgamma:
                d2xhat += dy*gate*ddgamma  # step 40, pass 14: once a row
            if HAS_ddgate:
                d2xhat += dy*dmean_product_scaled*gamma  # step 40, pass 14: once a row
            if HAS_ddx:
                d2xhat -= ddx*mean_g_xhat_scaled  # step 40, pass 14: once a row
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                d2x_centred = x_centred*d2var_scaled + d2xhat*rstd  # step 44, pass 18
                d2mu_sum += tl.where(inside, -d2x_centred, 0.0)
        if HAS_ddgamma or HAS_ddgate or HAS_ddx:
            d2mu = tl.sum(d2mu_sum, 1, keep_dims=True)  # step 45: sum(-d2x_centred)
            d2mu_scaled = d2mu/length  # step 46, pass 19: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if (HAS_ddbeta and HAS_gate) or HAS_ddgamma or HAS_ddgate or HAS_ddx:
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if (HAS_ddgate or HAS_ddx) and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                x_shifted = x - mu  # step 2, pass 1: compensation
                x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
            if HAS_ddx:
                g = dy*gate*gamma  # step 31
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                d2xhat = 0.0
            if HAS_ddx:
                d2xhat += g*dmean_g_xhat_scaled  # step 40, pass 14: once a row
            if HAS_ddgamma:
                d2xhat += dy*gate*ddgamma  # step 40, pass 14: once a row
            if HAS_ddgate:
                d2xhat += dy*dmean_product_scaled*gamma  # step 40, pass 14: once a row
            if HAS_ddx:
                d2xhat -= ddx*mean_g_xhat_scaled  # step 40, pass 14: once a row
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                d2x_centred = x_centred*d2var_scaled + d2xhat*rstd  # step 44, pass 18
            d2x = 0.0
            if HAS_ddgamma or HAS_ddgate or HAS_ddx:
                d2x += d2x_centred + d2mu_scaled  # step 46, pass 20: once a row
            tl.store(dx_row + d, d2x, inside)
        if HAS_gate:
            tl.store(dgate_ptr + row, d2gate, there)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_beta and HAS_ddgate:
            tl.store(sums_ptr + d, tl.sum(d2beta_rows, 0, keep_dims=True), d < D)
        if (HAS_ddgate and HAS_gamma) or (HAS_ddx and HAS_gamma):
            tl.store(sums_ptr + D + d, tl.sum(d2gamma, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def modulated_layer_norm_backward_backward_totals(
    sums_ptr,
    dgamma_ptr,
    dbeta_ptr,
    programs,
    D,
    HAS_beta: tl.constexpr,
    HAS_ddgate: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    TILE: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    D = D // EVEN * EVEN
    length = tl.cast(D, A)
    for start in range(tl.program_id(0) * TILE, D, tl.num_programs(0) * TILE):
        d = start + tl.arange(0, TILE)[None, :]
        inside = d < D
        if HAS_beta and HAS_ddgate:
            d2beta_rows = over_programs(sums_ptr + d, d < D, programs, 2*D, AT_ONCE, A)
        if (HAS_ddgate and HAS_gamma) or (HAS_ddx and HAS_gamma):
            d2gamma = over_programs(sums_ptr + D + d, d < D, programs, 2*D, AT_ONCE, A)
        if HAS_beta and HAS_ddgate:
            d2beta = d2beta_rows/length  # step 54, pass 21: sums over rows
        if HAS_gamma:
            tl.store(dgamma_ptr + d, d2gamma if HAS_ddgate or HAS_ddx else 0.0, inside)
        if HAS_beta:
            tl.store(dbeta_ptr + d, d2beta if HAS_ddgate else 0.0, inside)
