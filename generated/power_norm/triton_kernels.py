# Made by lngen 0.1.0 from the definition of power_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit power_norm.py and run: lngen derive power_norm.py
# definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
# mypy: ignore-errors
"""Each row divided by its mean fourth power, to the power 1/4.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def power(u, p):
    """u**p for u >= 0."""
    at_zero = tl.where(p == 0, 1.0, tl.where(p > 0, 0.0, float("inf")))
    return tl.where(u == 0, at_zero, tl.exp2(p*tl.log2(u)))


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
def power_norm_forward(
    x_ptr,
    gamma_ptr,
    eps: tl.float64,
    y_ptr,
    scale_ptr,
    x_stride,
    x_step,
    rows,
    D,
    HAS_gamma: tl.constexpr,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """mean_x4 = mean(x**4)
    scale = 1/(mean_x4 + eps)**(1/4)
    xhat = scale*x
    y = gamma*xhat
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
        mean_x4_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            mean_x4_sum += x*x*x*x
        mean_x4 = tl.sum(mean_x4_sum, 1, keep_dims=True)/length  # step 1: mean(x**4)
        scale = power(mean_x4 + eps, -0.25)  # step 2
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            xhat = x*scale  # step 3
            y = xhat*gamma  # step 4
            tl.store(y_row + d, y, inside)
        if SAVE:
            tl.store(scale_ptr + row, scale, there)


@triton.jit(do_not_specialize=["rows"])
def power_norm_backward(
    x_ptr,
    dy_ptr,
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
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = gamma*dy
    dx = scale*(g - xhat**3*mean(g*xhat))
    dgamma = sum_rows(dy*xhat)
    """
    x_stride = x_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * D
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
        if HAS_gamma:
            dgamma = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if HAS_gamma:
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dy_row = dy_ptr + row*dy_stride
        dx_row = dx_ptr + row*D
        scale = tl.load(scale_ptr + row, there, 0).to(A)
        mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            xhat = x*scale  # step 3
            g = dy*gamma  # step 5
            mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
            if HAS_gamma:
                if WHOLE:
                    dgamma += tl.where(inside, dy*xhat, 0.0)  # step 12
                else:
                    add_to(sums_ptr + d, tl.where(inside, dy*xhat, 0.0), d < D)
        mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 11
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            xhat = x*scale  # step 3
            g = dy*gamma  # step 5
            dx = (g - (xhat*xhat*xhat)*mean_g_xhat)*scale  # step 11
            tl.store(dx_row + d, dx, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_gamma:
            tl.store(sums_ptr + d, tl.sum(dgamma, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def power_norm_backward_totals(
    sums_ptr,
    dgamma_ptr,
    programs,
    D,
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
            dgamma = over_programs(sums_ptr + d, d < D, programs, D, AT_ONCE, A)
            tl.store(dgamma_ptr + d, dgamma, inside)


@triton.jit(do_not_specialize=["rows"])
def power_norm_jvp(
    x_ptr,
    x_dot_ptr,
    scale_ptr,
    gamma_ptr,
    gamma_dot_ptr,
    y_dot_ptr,
    x_stride,
    x_step,
    x_dot_stride,
    x_dot_step,
    rows,
    D,
    HAS_gamma: tl.constexpr,
    HAS_gamma_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """y_dot = gamma_dot*xhat + scale*gamma*(x_dot - xhat*mean(x_dot*xhat**3))"""
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
        scale = tl.load(scale_ptr + row, there, 0).to(A)
        if HAS_x_dot:
            mean_x_dot_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            xhat = x*scale  # step 3
            if HAS_x_dot:
                mean_x_dot_xhat_sum += tl.where(inside, x_dot*(xhat*xhat*xhat), 0.0)
        if HAS_x_dot:
            # step 19: mean(x_dot*xhat**3)
            mean_x_dot_xhat = tl.sum(mean_x_dot_xhat_sum, 1, keep_dims=True)/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_gamma_dot:
                gamma_dot = tl.load(gamma_dot_ptr + d, d < D, 0).to(A)
            xhat = x*scale  # step 3
            y_dot = 0.0
            if HAS_gamma_dot:
                y_dot += xhat*gamma_dot  # step 19
            if HAS_x_dot:
                y_dot += (x_dot - xhat*mean_x_dot_xhat)*scale*gamma  # step 19
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def power_norm_backward_backward(
    x_ptr,
    dy_ptr,
    ddx_ptr,
    scale_ptr,
    gamma_ptr,
    ddgamma_ptr,
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
    mean_g_xhat = mean(g*xhat)
    dmean_g_xhat = sum(-scale*ddx*xhat**3)
    dg = scale*ddx + dmean_g_xhat*xhat/D
    d2xhat = ddgamma*dy + dmean_g_xhat*g/D - 3*mean_g_xhat*scale*ddx*xhat**2
    d2scale = sum(d2xhat*x) + sum(ddx*(g - mean_g_xhat*xhat**3))
    d2mean_x4 = -d2scale*scale**5/4
    d2x = scale*d2xhat + 4*d2mean_x4*x**3/D
    d2gamma = sum_rows(dg*dy)
    ddy = gamma*dg + ddgamma*xhat
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
        x_row = x_ptr + row*x_stride
        dy_row = dy_ptr + row*dy_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        ddy_row = ddy_ptr + row*D
        scale = tl.load(scale_ptr + row, there, 0).to(A)
        if HAS_ddx:
            mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
            dmean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
                if not WHOLE:
                    gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            xhat = x*scale  # step 3
            if HAS_ddx:
                g = dy*gamma  # step 20
                mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
                dmean_g_xhat_sum += tl.where(inside, -ddx*(xhat*xhat*xhat)*scale, 0.0)
        if HAS_ddx:
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 21
            dmean_g_xhat = tl.sum(dmean_g_xhat_sum, 1, keep_dims=True)  # step 24
            dmean_g_xhat_scaled = dmean_g_xhat/length  # step 30, pass 9: once a row
            mean_g_xhat_scaled = -3*mean_g_xhat*scale  # step 25, pass 10: once a row
            sum_ddx_g_xhat_sum = tl.zeros([ROWS, TILE], A)
        sum_d2xhat_x_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
                if not WHOLE:
                    gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            xhat = x*scale  # step 3
            if HAS_ddx:
                g = dy*gamma  # step 20
                dg = xhat*dmean_g_xhat_scaled + ddx*scale  # step 30, pass 17
            d2xhat = 0.0
            if HAS_ddgamma:
                d2xhat += dy*ddgamma  # step 25, pass 18: once a row
            if HAS_ddx:
                # step 25, pass 18: once a row
                d2xhat += g*dmean_g_xhat_scaled + ddx*(xhat*xhat)*mean_g_xhat_scaled
                sum_ddx_g_xhat_sum += tl.where(
                    inside, (g - (xhat*xhat*xhat)*mean_g_xhat)*ddx, 0.0
                )
            sum_d2xhat_x_sum += tl.where(inside, d2xhat*x, 0.0)
            if HAS_ddx and HAS_gamma:
                if WHOLE:
                    d2gamma += tl.where(inside, dg*dy, 0.0)  # step 31
                else:
                    add_to(sums_ptr + d, tl.where(inside, dg*dy, 0.0), d < D)
        if HAS_ddx:
            sum_ddx_g_xhat = tl.sum(sum_ddx_g_xhat_sum, 1, keep_dims=True)  # step 26
        sum_d2xhat_x = tl.sum(sum_d2xhat_x_sum, 1, keep_dims=True)  # step 26
        d2scale = sum_d2xhat_x  # step 26
        if HAS_ddx:
            d2scale += sum_ddx_g_xhat  # step 26
        d2mean_x4 = -0.25*d2scale*(scale*scale*scale*scale*scale)  # step 28
        d2mean_x4_scaled = 4*d2mean_x4/length  # step 29, pass 15: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
                if not WHOLE:
                    gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            xhat = x*scale  # step 3
            if HAS_ddx:
                g = dy*gamma  # step 20
                dg = xhat*dmean_g_xhat_scaled + ddx*scale  # step 30, pass 17
            d2xhat = 0.0
            if HAS_ddgamma:
                d2xhat += dy*ddgamma  # step 25, pass 18: once a row
            if HAS_ddx:
                # step 25, pass 18: once a row
                d2xhat += g*dmean_g_xhat_scaled + ddx*(xhat*xhat)*mean_g_xhat_scaled
            ddy = 0.0
            if HAS_ddgamma:
                ddy += xhat*ddgamma  # step 32
            if HAS_ddx:
                ddy += dg*gamma  # step 32
            d2x = d2xhat*scale + (x*x*x)*d2mean_x4_scaled  # step 29, pass 16
            tl.store(dx_row + d, d2x, inside)
            tl.store(ddy_row + d, ddy, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_ddx and HAS_gamma:
            tl.store(sums_ptr + d, tl.sum(d2gamma, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def power_norm_backward_backward_totals(
    sums_ptr,
    dgamma_ptr,
    programs,
    D,
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
