# Made by lngen 0.1.0 from the definition of gated_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
# definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
# mypy: ignore-errors
"""Root-mean-square normalization, then a gate: silu of another row.

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
def gated_rms_norm_forward(
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
    """ms = mean(x**2)
    rstd = 1/sqrt(ms + eps)
    xhat = rstd*x
    sigmoid_z = sigmoid(z)
    silu_z = sigmoid_z*z
    y = gamma*silu_z*xhat
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
            ms_sum += x*x
        ms = tl.sum(ms_sum, 1, keep_dims=True)/length  # step 1: mean(x**2)
        rstd = tl.rsqrt(ms + eps)  # step 2
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = tl.load(z_row + d*z_step, inside, 0).to(A)
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            xhat = x*rstd  # step 3
            sigmoid_z = tl.sigmoid(z)  # step 4
            silu_z = sigmoid_z*z  # step 5
            y = silu_z*xhat*gamma  # step 6
            tl.store(y_row + d, y, inside)
        if SAVE:
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def gated_rms_norm_backward(
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
    """g = gamma*dy*silu_z
    dx = rstd*(g - xhat*mean(g*xhat))
    dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
    dgamma = sum_rows(dy*silu_z*xhat)
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
        mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = tl.load(z_row + d*z_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            xhat = x*rstd  # step 3
            sigmoid_z = tl.sigmoid(z)  # step 4
            silu_z = sigmoid_z*z  # step 5
            g = dy*silu_z*gamma  # step 7
            mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
            if HAS_gamma:
                if WHOLE:
                    dgamma += tl.where(inside, dy*silu_z*xhat, 0.0)  # step 20
                else:
                    add_to(sums_ptr + d, tl.where(inside, dy*silu_z*xhat, 0.0), d < D)
        mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 13
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = tl.load(z_row + d*z_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            xhat = x*rstd  # step 3
            sigmoid_z = tl.sigmoid(z)  # step 4
            silu_z = sigmoid_z*z  # step 5
            g = dy*silu_z*gamma  # step 7
            dz = dy*sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)*gamma  # step 19
            dx = (g - xhat*mean_g_xhat)*rstd  # step 13
            tl.store(dx_row + d, dx, inside)
            tl.store(dz_row + d, dz, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_gamma:
            tl.store(sums_ptr + d, tl.sum(dgamma, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def gated_rms_norm_backward_totals(
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
def gated_rms_norm_jvp(
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
    """y_dot = gamma_dot*silu_z*xhat + gamma*sigmoid_z*xhat*z_dot*(1 + z*(1 -
        sigmoid_z)) + rstd*gamma*silu_z*(x_dot - xhat*mean(x_dot*xhat))
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
        if HAS_x_dot:
            mean_x_dot_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            xhat = x*rstd  # step 3
            if HAS_x_dot:
                mean_x_dot_xhat_sum += tl.where(inside, x_dot*xhat, 0.0)
        if HAS_x_dot:
            # step 31: mean(x_dot*xhat)
            mean_x_dot_xhat = tl.sum(mean_x_dot_xhat_sum, 1, keep_dims=True)/length
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
            xhat = x*rstd  # step 3
            sigmoid_z = tl.sigmoid(z)  # step 4
            if HAS_gamma_dot or HAS_x_dot:
                silu_z = sigmoid_z*z  # step 5
            y_dot = 0.0
            if HAS_gamma_dot:
                y_dot += silu_z*xhat*gamma_dot  # step 31
            if HAS_x_dot:
                y_dot += (x_dot - xhat*mean_x_dot_xhat)*silu_z*rstd*gamma  # step 31
            if HAS_z_dot:
                y_dot += sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)*z_dot*gamma  # step 31
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def gated_rms_norm_backward_backward(
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
    """g = gamma*dy*silu_z
    mean_g_xhat = mean(g*xhat)
    dg = rstd*(ddx - xhat*mean(ddx*xhat))
    d2silu_z = dy*(gamma*dg + ddgamma*xhat)
    d2xhat_part = gamma*ddz*dy*sigmoid_z*(1 + z*(1 - sigmoid_z)) -
        mean_g_xhat*rstd*ddx
    d2x = rstd*(d2xhat_part + ddgamma*dy*silu_z +
        rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) - xhat*mean(ddx*g)) -
        xhat*mean(d2xhat_part*xhat) - xhat*mean(ddgamma*dy*silu_z*xhat))
    d2z = sigmoid_z*(d2silu_z + gamma*ddz*dy*xhat*(1 - sigmoid_z) + (1 -
        sigmoid_z)*(d2silu_z*z + gamma*ddz*dy*xhat*(1 + z*(1 - sigmoid_z) -
        silu_z)))
    d2gamma = sum_rows(dy*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))))
    ddy = ddgamma*silu_z*xhat + gamma*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 -
        sigmoid_z)))
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
        if HAS_ddx:
            mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_g_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddgamma:
            mean_ddgamma_dy_silu_z_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            z = tl.load(z_row + d*z_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if (HAS_ddx or HAS_ddz) and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            xhat = x*rstd  # step 3
            sigmoid_z = tl.sigmoid(z)  # step 4
            silu_z = sigmoid_z*z  # step 5
            if HAS_ddx:
                g = dy*silu_z*gamma  # step 32
                mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
                mean_ddx_xhat_sum += tl.where(inside, ddx*xhat, 0.0)
                mean_ddx_g_sum += tl.where(inside, ddx*g, 0.0)
            if HAS_ddgamma:
                mean_ddgamma_dy_silu_z_sum += tl.where(
                    inside, dy*silu_z*xhat*ddgamma, 0.0
                )
        if HAS_ddx:
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 33
            # step 49: mean(ddx*xhat)
            mean_ddx_xhat = tl.sum(mean_ddx_xhat_sum, 1, keep_dims=True)/length
            mean_ddx_g = tl.sum(mean_ddx_g_sum, 1, keep_dims=True)/length  # step 44
        if HAS_ddgamma:
            # step 44: mean(dy*silu_z*xhat*ddgamma)
            mean_ddgamma_dy_silu_z = tl.sum(
                mean_ddgamma_dy_silu_z_sum, 1, keep_dims=True
            )/length
        if HAS_ddx:
            mean_g_xhat_scaled = mean_g_xhat*rstd  # step 36, pass 1: once a row
            mean_g_xhat_scaled_2 = 2*mean_g_xhat  # step 44, pass 2: once a row
        if HAS_ddx or HAS_ddz:
            mean_d2xhat_part_xhat_sum = tl.zeros([ROWS, TILE], A)
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
            xhat = x*rstd  # step 3
            sigmoid_z = tl.sigmoid(z)  # step 4
            silu_z = sigmoid_z*z  # step 5
            if HAS_ddx:
                dg = (ddx - xhat*mean_ddx_xhat)*rstd  # step 49
            if HAS_ddx or HAS_ddz:
                d2xhat_part = 0.0
            if HAS_ddz:
                # step 36, pass 3: once a row
                d2xhat_part += ddz*dy*sigmoid_z*((1 - sigmoid_z)*z + 1)*gamma
            if HAS_ddx:
                d2xhat_part -= ddx*mean_g_xhat_scaled  # step 36, pass 3: once a row
            if HAS_ddx or HAS_ddz:
                mean_d2xhat_part_xhat_sum += tl.where(inside, d2xhat_part*xhat, 0.0)
            if (HAS_ddx and HAS_gamma) or (HAS_ddz and HAS_gamma):
                d2gamma_part = 0.0
            if HAS_ddx and HAS_gamma:
                d2gamma_part += dg*silu_z
            if HAS_ddz and HAS_gamma:
                d2gamma_part += ddz*sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)
            if (HAS_ddx and HAS_gamma) or (HAS_ddz and HAS_gamma):
                if WHOLE:
                    d2gamma += tl.where(inside, d2gamma_part*dy, 0.0)  # step 60
                else:
                    add_to(sums_ptr + d, tl.where(inside, d2gamma_part*dy, 0.0), d < D)
        if HAS_ddx or HAS_ddz:
            # step 44: mean(d2xhat_part*xhat)
            mean_d2xhat_part_xhat = tl.sum(
                mean_d2xhat_part_xhat_sum, 1, keep_dims=True
            )/length
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
            xhat = x*rstd  # step 3
            sigmoid_z = tl.sigmoid(z)  # step 4
            silu_z = sigmoid_z*z  # step 5
            if HAS_ddx:
                g = dy*silu_z*gamma  # step 32
                dg = (ddx - xhat*mean_ddx_xhat)*rstd  # step 49
            if HAS_ddgamma or HAS_ddx:
                d2silu_z_part = 0.0
            if HAS_ddgamma:
                d2silu_z_part += xhat*ddgamma
            if HAS_ddx:
                d2silu_z_part += dg*gamma
            if HAS_ddgamma or HAS_ddx:
                d2silu_z = d2silu_z_part*dy  # step 52
            if HAS_ddx or HAS_ddz:
                d2xhat_part = 0.0
            if HAS_ddz:
                # step 36, pass 3: once a row
                d2xhat_part += ddz*dy*sigmoid_z*((1 - sigmoid_z)*z + 1)*gamma
            if HAS_ddx:
                d2xhat_part -= ddx*mean_g_xhat_scaled  # step 36, pass 3: once a row
            d2z_part2 = 0.0
            if HAS_ddgamma or HAS_ddx:
                d2z_part2 += d2silu_z*z
            if HAS_ddz:
                d2z_part2 += ((1 - sigmoid_z)*z + 1 - silu_z)*ddz*dy*xhat*gamma
            d2z_part = 0.0
            if HAS_ddgamma or HAS_ddx:
                d2z_part += d2silu_z
            if HAS_ddz:
                d2z_part += (1 - sigmoid_z)*ddz*dy*xhat*gamma
            d2z_part += (1 - sigmoid_z)*d2z_part2
            d2z = d2z_part*sigmoid_z  # step 58
            if HAS_ddx or HAS_ddz:
                ddy_part = 0.0
            if HAS_ddx:
                ddy_part += dg*silu_z
            if HAS_ddz:
                ddy_part += ddz*sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)
            ddy = 0.0
            if HAS_ddgamma:
                ddy += silu_z*xhat*ddgamma  # step 64
            if HAS_ddx or HAS_ddz:
                ddy += ddy_part*gamma  # step 64
            d2x_part = 0.0
            if HAS_ddx or HAS_ddz:
                d2x_part += d2xhat_part
            if HAS_ddgamma:
                d2x_part += dy*silu_z*ddgamma
            if HAS_ddx:
                d2x_part += (
                    (xhat*mean_g_xhat_scaled_2 - g)*mean_ddx_xhat - xhat*mean_ddx_g
                )*rstd
            if HAS_ddx or HAS_ddz:
                d2x_part -= xhat*mean_d2xhat_part_xhat
            if HAS_ddgamma:
                d2x_part -= xhat*mean_ddgamma_dy_silu_z
            d2x = d2x_part*rstd  # step 44, pass 4: once a row
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
def gated_rms_norm_backward_backward_totals(
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
