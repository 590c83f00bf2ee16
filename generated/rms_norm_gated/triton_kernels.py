# Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
# mypy: ignore-errors
"""A gate, silu of another row, then root-mean-square normalization.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


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
def rms_norm_gated_forward(
    x_ptr,
    z_ptr,
    gamma_ptr,
    eps: tl.float64,
    y_ptr,
    rstd_ptr,
    x_stride,
    x_step,
    z_stride,
    z_step,
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
    """sigmoid_z = sigmoid(z)
    silu_z = sigmoid_z*z
    h = silu_z*x
    ms = mean(h**2)
    rstd = 1/sqrt(ms + eps)
    hhat = rstd*h
    y = gamma*hhat
    """
    x_stride = x_stride // EVEN * EVEN
    z_stride = z_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    z_step = tl.cast(z_step, tl.int64)
    length = tl.cast(D, A)
    eps = tl.full([1, 1], eps, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        z_row = z_ptr + row*z_stride
        y_row = y_ptr + row*D
        ms_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = tl.load(z_row + d*z_step, inside, 0).to(A)
            sigmoid_z = tl.sigmoid(z)  # step 1
            silu_z = sigmoid_z*z  # step 2
            h = silu_z*x  # step 3
            ms_sum += tl.where(inside, h*h, 0.0)
        ms = tl.sum(ms_sum, 1, keep_dims=True)/length  # step 4: mean(h**2)
        rstd = tl.rsqrt(ms + eps)  # step 5
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = tl.load(z_row + d*z_step, inside, 0).to(A)
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            sigmoid_z = tl.sigmoid(z)  # step 1
            silu_z = sigmoid_z*z  # step 2
            h = silu_z*x  # step 3
            hhat = h*rstd  # step 6
            y = hhat*gamma  # step 7
            tl.store(y_row + d, y, inside)
        if SAVE:
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def rms_norm_gated_backward(
    x_ptr,
    z_ptr,
    dy_ptr,
    rstd_ptr,
    gamma_ptr,
    dx_ptr,
    dz_ptr,
    sums_ptr,
    x_stride,
    x_step,
    z_stride,
    z_step,
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
    dh = rstd*(g - hhat*mean(g*hhat))
    dx = dh*silu_z
    dz = dh*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
    dgamma = sum_rows(dy*hhat)
    """
    x_stride = x_stride // EVEN * EVEN
    z_stride = z_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    z_step = tl.cast(z_step, tl.int64)
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
        z_row = z_ptr + row*z_stride
        dy_row = dy_ptr + row*dy_stride
        dx_row = dx_ptr + row*D
        dz_row = dz_ptr + row*D
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        mean_g_hhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = tl.load(z_row + d*z_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            sigmoid_z = tl.sigmoid(z)  # step 1
            silu_z = sigmoid_z*z  # step 2
            h = silu_z*x  # step 3
            hhat = h*rstd  # step 6
            g = dy*gamma  # step 8
            mean_g_hhat_sum += tl.where(inside, g*hhat, 0.0)
            if HAS_gamma:
                if WHOLE:
                    dgamma += tl.where(inside, dy*hhat, 0.0)  # step 22
                else:
                    add_to(sums_ptr + d, tl.where(inside, dy*hhat, 0.0), d < D)
        mean_g_hhat = tl.sum(mean_g_hhat_sum, 1, keep_dims=True)/length  # step 14
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = tl.load(z_row + d*z_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            sigmoid_z = tl.sigmoid(z)  # step 1
            silu_z = sigmoid_z*z  # step 2
            h = silu_z*x  # step 3
            hhat = h*rstd  # step 6
            g = dy*gamma  # step 8
            dh = (g - hhat*mean_g_hhat)*rstd  # step 14
            dx = dh*silu_z  # step 15
            dz = dh*sigmoid_z*x*((1 - sigmoid_z)*z + 1)  # step 21
            tl.store(dx_row + d, dx, inside)
            tl.store(dz_row + d, dz, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_gamma:
            tl.store(sums_ptr + d, tl.sum(dgamma, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def rms_norm_gated_backward_totals(
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
def rms_norm_gated_jvp(
    x_ptr,
    z_ptr,
    x_dot_ptr,
    z_dot_ptr,
    rstd_ptr,
    gamma_ptr,
    gamma_dot_ptr,
    y_dot_ptr,
    x_stride,
    x_step,
    z_stride,
    z_step,
    x_dot_stride,
    x_dot_step,
    z_dot_stride,
    z_dot_step,
    rows,
    D,
    HAS_gamma: tl.constexpr,
    HAS_gamma_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    HAS_z_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """h_dot = silu_z*x_dot + sigmoid_z*x*z_dot*(1 + z*(1 - sigmoid_z))
    y_dot = gamma_dot*hhat + rstd*gamma*(h_dot - hhat*mean(h_dot*hhat))
    """
    x_stride = x_stride // EVEN * EVEN
    z_stride = z_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    z_dot_stride = z_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    z_step = tl.cast(z_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    z_dot_step = tl.cast(z_dot_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        z_row = z_ptr + row*z_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        if HAS_z_dot:
            z_dot_row = z_dot_ptr + row*z_dot_stride
        y_dot_row = y_dot_ptr + row*D
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_x_dot or HAS_z_dot:
            mean_h_dot_hhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = tl.load(z_row + d*z_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            if HAS_z_dot:
                z_dot = tl.load(z_dot_row + d*z_dot_step, inside, 0).to(A)
            sigmoid_z = tl.sigmoid(z)  # step 1
            silu_z = sigmoid_z*z  # step 2
            h = silu_z*x  # step 3
            hhat = h*rstd  # step 6
            if HAS_x_dot or HAS_z_dot:
                h_dot = 0.0
            if HAS_x_dot:
                h_dot += silu_z*x_dot  # step 27
            if HAS_z_dot:
                h_dot += sigmoid_z*x*((1 - sigmoid_z)*z + 1)*z_dot  # step 27
            if HAS_x_dot or HAS_z_dot:
                mean_h_dot_hhat_sum += tl.where(inside, h_dot*hhat, 0.0)
        if HAS_x_dot or HAS_z_dot:
            # step 34: mean(h_dot*hhat)
            mean_h_dot_hhat = tl.sum(mean_h_dot_hhat_sum, 1, keep_dims=True)/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = tl.load(z_row + d*z_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            if HAS_z_dot:
                z_dot = tl.load(z_dot_row + d*z_dot_step, inside, 0).to(A)
            if HAS_x_dot or HAS_z_dot:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_gamma_dot:
                gamma_dot = tl.load(gamma_dot_ptr + d, d < D, 0).to(A)
            sigmoid_z = tl.sigmoid(z)  # step 1
            silu_z = sigmoid_z*z  # step 2
            h = silu_z*x  # step 3
            hhat = h*rstd  # step 6
            if HAS_x_dot or HAS_z_dot:
                h_dot = 0.0
            if HAS_x_dot:
                h_dot += silu_z*x_dot  # step 27
            if HAS_z_dot:
                h_dot += sigmoid_z*x*((1 - sigmoid_z)*z + 1)*z_dot  # step 27
            y_dot = 0.0
            if HAS_gamma_dot:
                y_dot += hhat*gamma_dot  # step 34
            if HAS_x_dot or HAS_z_dot:
                y_dot += (h_dot - hhat*mean_h_dot_hhat)*rstd*gamma  # step 34
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def rms_norm_gated_backward_backward(
    x_ptr,
    z_ptr,
    dy_ptr,
    ddx_ptr,
    ddz_ptr,
    rstd_ptr,
    gamma_ptr,
    ddgamma_ptr,
    dx_ptr,
    dz_ptr,
    ddy_ptr,
    sums_ptr,
    x_stride,
    x_step,
    z_stride,
    z_step,
    dy_stride,
    dy_step,
    ddx_stride,
    ddx_step,
    ddz_stride,
    ddz_step,
    rows,
    D,
    HAS_ddgamma: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_ddz: tl.constexpr,
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = gamma*dy
    mean_g_hhat = mean(g*hhat)
    dh = rstd*(g - mean_g_hhat*hhat)
    ddh = ddx*silu_z + ddz*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
    dg = rstd*(ddh - hhat*mean(ddh*hhat))
    d2h = rstd*(ddgamma*dy + rstd*(mean(ddh*hhat)*(3*mean_g_hhat*hhat - g) -
        mean_g_hhat*ddh - hhat*mean(ddh*g)) - hhat*mean(ddgamma*dy*hhat))
    d2silu_z = d2h*x + ddx*dh
    d2x = d2h*silu_z + ddz*dh*sigmoid_z*(1 + z*(1 - sigmoid_z))
    d2z = sigmoid_z*(d2silu_z + ddz*dh*x*(1 - sigmoid_z) + (1 -
        sigmoid_z)*(d2silu_z*z + ddz*dh*x*(1 + z*(1 - sigmoid_z) - silu_z)))
    d2gamma = sum_rows(dg*dy)
    ddy = gamma*dg + ddgamma*hhat
    """
    x_stride = x_stride // EVEN * EVEN
    z_stride = z_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    ddz_stride = ddz_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    z_step = tl.cast(z_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    ddz_step = tl.cast(ddz_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * D
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_ddx or HAS_ddz:
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
        if HAS_ddgamma:
            ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
        if (HAS_ddx and HAS_gamma) or (HAS_ddz and HAS_gamma):
            d2gamma = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if (HAS_ddx and HAS_gamma) or (HAS_ddz and HAS_gamma):
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        z_row = z_ptr + row*z_stride
        dy_row = dy_ptr + row*dy_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        if HAS_ddz:
            ddz_row = ddz_ptr + row*ddz_stride
        dx_row = dx_ptr + row*D
        dz_row = dz_ptr + row*D
        ddy_row = ddy_ptr + row*D
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_ddx or HAS_ddz:
            mean_g_hhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddh_hhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddh_g_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddgamma:
            mean_ddgamma_dy_hhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = tl.load(z_row + d*z_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if HAS_ddz:
                ddz = tl.load(ddz_row + d*ddz_step, inside, 0).to(A)
            if (HAS_ddx or HAS_ddz) and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            sigmoid_z = tl.sigmoid(z)  # step 1
            silu_z = sigmoid_z*z  # step 2
            h = silu_z*x  # step 3
            hhat = h*rstd  # step 6
            if HAS_ddx or HAS_ddz:
                g = dy*gamma  # step 35
                ddh = 0.0
            if HAS_ddx:
                ddh += ddx*silu_z  # step 40
            if HAS_ddz:
                ddh += ddz*sigmoid_z*x*((1 - sigmoid_z)*z + 1)  # step 40
            if HAS_ddx or HAS_ddz:
                mean_g_hhat_sum += tl.where(inside, g*hhat, 0.0)
                mean_ddh_hhat_sum += tl.where(inside, ddh*hhat, 0.0)
                mean_ddh_g_sum += tl.where(inside, ddh*g, 0.0)
            if HAS_ddgamma:
                mean_ddgamma_dy_hhat_sum += tl.where(inside, dy*hhat*ddgamma, 0.0)
        if HAS_ddx or HAS_ddz:
            mean_g_hhat = tl.sum(mean_g_hhat_sum, 1, keep_dims=True)/length  # step 36
            # step 63: mean(ddh*hhat)
            mean_ddh_hhat = tl.sum(mean_ddh_hhat_sum, 1, keep_dims=True)/length
            mean_ddh_g = tl.sum(mean_ddh_g_sum, 1, keep_dims=True)/length  # step 50
        if HAS_ddgamma:
            # step 50: mean(dy*hhat*ddgamma)
            mean_ddgamma_dy_hhat = tl.sum(
                mean_ddgamma_dy_hhat_sum, 1, keep_dims=True
            )/length
        if HAS_ddx or HAS_ddz:
            mean_g_hhat_scaled = 3*mean_g_hhat  # step 50, pass 5: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = tl.load(z_row + d*z_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if HAS_ddz:
                ddz = tl.load(ddz_row + d*ddz_step, inside, 0).to(A)
            if (HAS_ddx or HAS_ddz) and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            sigmoid_z = tl.sigmoid(z)  # step 1
            silu_z = sigmoid_z*z  # step 2
            h = silu_z*x  # step 3
            hhat = h*rstd  # step 6
            if HAS_ddx or HAS_ddz:
                g = dy*gamma  # step 35
                ddh = 0.0
            if HAS_ddx:
                ddh += ddx*silu_z  # step 40
            if HAS_ddz:
                ddh += ddz*sigmoid_z*x*((1 - sigmoid_z)*z + 1)  # step 40
            if HAS_ddx or HAS_ddz:
                dh = (g - hhat*mean_g_hhat)*rstd  # step 37
                dg = (ddh - hhat*mean_ddh_hhat)*rstd  # step 63
            d2h_part = 0.0
            if HAS_ddgamma:
                d2h_part += dy*ddgamma
            if HAS_ddx or HAS_ddz:
                d2h_part += (
                    (hhat*mean_g_hhat_scaled - g)*mean_ddh_hhat
                    - hhat*mean_ddh_g
                    - ddh*mean_g_hhat
                )*rstd
            if HAS_ddgamma:
                d2h_part -= hhat*mean_ddgamma_dy_hhat
            d2h = d2h_part*rstd  # step 50, pass 6: once a row
            d2silu_z = d2h*x  # step 52
            if HAS_ddx:
                d2silu_z += ddx*dh  # step 52
            d2x = d2h*silu_z  # step 51
            if HAS_ddz:
                d2x += ddz*dh*sigmoid_z*((1 - sigmoid_z)*z + 1)  # step 51
            d2z_part2 = d2silu_z*z
            if HAS_ddz:
                d2z_part2 += ((1 - sigmoid_z)*z + 1 - silu_z)*ddz*dh*x
            d2z_part = d2silu_z
            if HAS_ddz:
                d2z_part += (1 - sigmoid_z)*ddz*dh*x
            d2z_part += (1 - sigmoid_z)*d2z_part2
            d2z = d2z_part*sigmoid_z  # step 58
            ddy = 0.0
            if HAS_ddgamma:
                ddy += hhat*ddgamma  # step 67
            if HAS_ddx or HAS_ddz:
                ddy += dg*gamma  # step 67
            if (HAS_ddx and HAS_gamma) or (HAS_ddz and HAS_gamma):
                if WHOLE:
                    d2gamma += tl.where(inside, dg*dy, 0.0)  # step 64
                else:
                    add_to(sums_ptr + d, tl.where(inside, dg*dy, 0.0), d < D)
            tl.store(dx_row + d, d2x, inside)
            tl.store(dz_row + d, d2z, inside)
            tl.store(ddy_row + d, ddy, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if (HAS_ddx and HAS_gamma) or (HAS_ddz and HAS_gamma):
            tl.store(sums_ptr + d, tl.sum(d2gamma, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def rms_norm_gated_backward_backward_totals(
    sums_ptr,
    dgamma_ptr,
    programs,
    D,
    HAS_ddx: tl.constexpr,
    HAS_ddz: tl.constexpr,
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
        if (HAS_ddx and HAS_gamma) or (HAS_ddz and HAS_gamma):
            d2gamma = over_programs(sums_ptr + d, d < D, programs, D, AT_ONCE, A)
        if HAS_gamma:
            tl.store(dgamma_ptr + d, d2gamma if HAS_ddx or HAS_ddz else 0.0, inside)
