# Made by lngen 0.1.0 from the definition of add_rms_norm_fp8; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
# definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
# mypy: ignore-errors
"""Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def rounded_to_odd(u):
    """A float32 whose last bit is set if it is not the number itself: what is rounded again is rounded once."""
    if u.dtype == tl.float64:
        near = u.to(tl.float32)
        word, size, reached = near.to(tl.uint32, bitcast=True), tl.abs(u), tl.abs(near).to(tl.float64)
        word = tl.where(reached > size, (word - 1) | 1, tl.where(reached < size, word | 1, word))
        u = word.to(tl.float32, bitcast=True)
    return u


@triton.jit
def bits_of_float(
    u,
    WIDTH: tl.constexpr,
    DIGITS: tl.constexpr,
    LEAST: tl.constexpr,
    HIGHEST: tl.constexpr,
    QUIET: tl.constexpr,
):
    """The bits of a float of so many DIGITS that is nearest to a number, of two the even.

    2**LEAST is its least normal number, HIGHEST the bits of its largest as a float32, which
    stands for what is larger, and QUIET those of its NaN.
    """
    word = rounded_to_odd(u).to(tl.uint32, bitcast=True)
    size = word & 0x7FFFFFFF
    sign = (word ^ size) >> (32 - WIDTH)
    inside = tl.minimum(size, tl.full([1, 1], HIGHEST, tl.uint32))
    even = inside + ((1 << (23 - DIGITS)) - 1) + ((inside >> (24 - DIGITS)) & 1)
    found = (even >> (24 - DIGITS)) - ((LEAST + 126) << (DIGITS - 1))
    # Beside such a power of two, the last place of a float32 is the least number of the type.
    BESIDE: tl.constexpr = (LEAST - DIGITS + 24 + 127) << 23
    beside = tl.full([1, 1], BESIDE, tl.uint32).to(tl.float32, bitcast=True)
    small = (inside.to(tl.float32, bitcast=True) + beside).to(tl.uint32, bitcast=True) - BESIDE
    found = tl.where(inside < ((LEAST + 127) << 23), small, found)
    return tl.where(size > 0x7F800000, QUIET, found) | sign


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
def add_rms_norm_fp8_forward(
    x_ptr,
    residual_ptr,
    gamma_ptr,
    scale_ptr,
    eps: tl.float64,
    y_ptr,
    h_ptr,
    rstd_ptr,
    x_stride,
    x_step,
    residual_stride,
    residual_step,
    rows,
    D,
    HAS_gamma: tl.constexpr,
    HAS_scale: tl.constexpr,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """h = x + residual
    ms = mean(h**2)
    rstd = 1/sqrt(ms + eps)
    xhat = rstd*h
    y = gamma*xhat/scale
    """
    x_stride = x_stride // EVEN * EVEN
    residual_stride = residual_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    residual_step = tl.cast(residual_step, tl.int64)
    length = tl.cast(D, A)
    scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    eps = tl.full([1, 1], eps, A)
    scale_shifted = 1/scale  # step 5, pass 1: once a row
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        residual_row = residual_ptr + row*residual_stride
        y_row = y_ptr + row*D
        h_row = h_ptr + row*D
        ms_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            residual = tl.load(residual_row + d*residual_step, inside, 0).to(A)
            h = residual + x  # step 1
            ms_sum += tl.where(inside, h*h, 0.0)
        ms = tl.sum(ms_sum, 1, keep_dims=True)/length  # step 2: mean(h**2)
        rstd = tl.rsqrt(ms + eps)  # step 3
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            residual = tl.load(residual_row + d*residual_step, inside, 0).to(A)
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            h = residual + x  # step 1
            xhat = h*rstd  # step 4
            y = xhat*gamma*scale_shifted  # step 5, pass 2: once a row
            tl.store(y_row + d, bits_of_float(y, 8, 4, -6, 0x43E00000, 0x7F), inside)
            tl.store(h_row + d, h, inside)
        if SAVE:
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def add_rms_norm_fp8_backward(
    h_ptr,
    dy_ptr,
    dh_ptr,
    rstd_ptr,
    gamma_ptr,
    scale_ptr,
    dx_ptr,
    sums_ptr,
    h_stride,
    h_step,
    dy_stride,
    dy_step,
    dh_stride,
    dh_step,
    rows,
    D,
    HAS_dh: tl.constexpr,
    HAS_dy: tl.constexpr,
    HAS_gamma: tl.constexpr,
    HAS_scale: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = gamma*dy/scale
    dx = dh + rstd*(g - xhat*mean(g*xhat))
    dresidual = dx
    dgamma = sum_rows(dy*xhat)/scale
    dscale = -sum_rows(sum(gamma*dy*xhat))/scale**2
    """
    h_stride = h_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    dh_stride = dh_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    h_step = tl.cast(h_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dh_step = tl.cast(dh_step, tl.int64)
    length = tl.cast(D, A)
    if HAS_dy:
        scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
        scale_shifted_2 = 1/scale  # step 6, pass 3: once a row
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * (D + 1)
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_dy:
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
        if HAS_dy and HAS_gamma:
            dgamma_rows = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if HAS_dy and HAS_gamma:
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    if HAS_dy and HAS_scale:
        dscale_rows = tl.zeros([ROWS, 1], A)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        if HAS_dy:
            h_row = h_ptr + row*h_stride
            dy_row = dy_ptr + row*dy_stride
        if HAS_dh:
            dh_row = dh_ptr + row*dh_stride
        dx_row = dx_ptr + row*D
        if HAS_dy:
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
            mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
        if HAS_dy and HAS_scale:
            sum_dy_gamma_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_dy:
                h = tl.load(h_row + d*h_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
                if not WHOLE:
                    gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
                xhat = h*rstd  # step 4
                g = dy*gamma*scale_shifted_2  # step 6, pass 4: once a row
                mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
            if HAS_dy and HAS_scale:
                sum_dy_gamma_xhat_sum += tl.where(inside, dy*xhat*gamma, 0.0)
            if HAS_dy and HAS_gamma:
                if WHOLE:
                    dgamma_rows += tl.where(inside, dy*xhat, 0.0)  # step 15, pass 14
                else:
                    add_to(sums_ptr + d, tl.where(inside, dy*xhat, 0.0), d < D)
        if HAS_dy:
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 12
        if HAS_dy and HAS_scale:
            # step 17: sum(dy*xhat*gamma)
            sum_dy_gamma_xhat = tl.sum(sum_dy_gamma_xhat_sum, 1, keep_dims=True)
            dscale_rows += tl.where(there, sum_dy_gamma_xhat, 0.0)  # step 17, pass 10
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_dy:
                h = tl.load(h_row + d*h_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            dh = tl.load(dh_row + d*dh_step, inside, 0).to(A) if HAS_dh else 0.0
            if HAS_dy:
                if not WHOLE:
                    gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
                xhat = h*rstd  # step 4
                g = dy*gamma*scale_shifted_2  # step 6, pass 4: once a row
            dx = 0.0
            if HAS_dh:
                dx += dh  # step 12
            if HAS_dy:
                dx += (g - xhat*mean_g_xhat)*rstd  # step 12
            tl.store(dx_row + d, dx, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_dy and HAS_gamma:
            tl.store(sums_ptr + d, tl.sum(dgamma_rows, 0, keep_dims=True), d < D)
    if HAS_dy and HAS_scale:
        tl.store(sums_ptr + D, tl.sum(dscale_rows))


@triton.jit(do_not_specialize=["programs"])
def add_rms_norm_fp8_backward_totals(
    sums_ptr,
    scale_ptr,
    dgamma_ptr,
    dscale_ptr,
    programs,
    D,
    HAS_dy: tl.constexpr,
    HAS_gamma: tl.constexpr,
    HAS_scale: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    TILE: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    D = D // EVEN * EVEN
    if HAS_dy:
        scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    if HAS_dy and HAS_scale:
        # step 17, pass 10: sums over rows
        dscale_rows = over_programs(
            sums_ptr + D + tl.zeros([1, 1], tl.int32),
            True,
            programs,
            (D + 1),
            AT_ONCE,
            A,
        )
        dscale = -dscale_rows/(scale*scale)  # step 17, pass 13: sums over rows
    if HAS_scale:
        tl.store(dscale_ptr + tl.zeros([1, 1], tl.int32), dscale if HAS_dy else 0.0)
    for start in range(tl.program_id(0) * TILE, D, tl.num_programs(0) * TILE):
        d = start + tl.arange(0, TILE)[None, :]
        inside = d < D
        if HAS_dy and HAS_gamma:
            dgamma_rows = over_programs(
                sums_ptr + d, d < D, programs, (D + 1), AT_ONCE, A
            )
            dgamma = dgamma_rows/scale  # step 15, pass 12: sums over rows
        if HAS_gamma:
            tl.store(dgamma_ptr + d, dgamma if HAS_dy else 0.0, inside)


@triton.jit(do_not_specialize=["rows"])
def add_rms_norm_fp8_jvp(
    h_ptr,
    x_dot_ptr,
    residual_dot_ptr,
    rstd_ptr,
    gamma_ptr,
    scale_ptr,
    gamma_dot_ptr,
    scale_dot_ptr,
    y_dot_ptr,
    h_dot_ptr,
    h_stride,
    h_step,
    x_dot_stride,
    x_dot_step,
    residual_dot_stride,
    residual_dot_step,
    rows,
    D,
    HAS_gamma: tl.constexpr,
    HAS_gamma_dot: tl.constexpr,
    HAS_residual_dot: tl.constexpr,
    HAS_scale: tl.constexpr,
    HAS_scale_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """h_dot = residual_dot + x_dot
    y_dot = (gamma_dot*xhat + rstd*gamma*(h_dot - xhat*mean(h_dot*xhat)) -
        scale_dot*gamma*xhat/scale)/scale
    """
    h_stride = h_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    residual_dot_stride = residual_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    h_step = tl.cast(h_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    residual_dot_step = tl.cast(residual_dot_step, tl.int64)
    length = tl.cast(D, A)
    scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    if HAS_scale_dot:
        scale_dot = tl.load(scale_dot_ptr).to(A)
    scale_shifted_2 = 1/scale  # step 26, pass 15: once a row
    if HAS_scale_dot:
        scale_dot_scaled = scale_dot/scale  # step 26, pass 16: once a row
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        h_row = h_ptr + row*h_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        if HAS_residual_dot:
            residual_dot_row = residual_dot_ptr + row*residual_dot_stride
        y_dot_row = y_dot_ptr + row*D
        h_dot_row = h_dot_ptr + row*D
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_residual_dot or HAS_x_dot:
            mean_h_dot_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            h = tl.load(h_row + d*h_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            residual_dot = (
                tl.load(residual_dot_row + d*residual_dot_step, inside, 0).to(A)
                if HAS_residual_dot
                else 0.0
            )
            xhat = h*rstd  # step 4
            h_dot = 0.0
            if HAS_residual_dot:
                h_dot += residual_dot  # step 18
            if HAS_x_dot:
                h_dot += x_dot  # step 18
            if HAS_residual_dot or HAS_x_dot:
                mean_h_dot_xhat_sum += tl.where(inside, h_dot*xhat, 0.0)
        if HAS_residual_dot or HAS_x_dot:
            # step 26: mean(h_dot*xhat)
            mean_h_dot_xhat = tl.sum(mean_h_dot_xhat_sum, 1, keep_dims=True)/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            h = tl.load(h_row + d*h_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            residual_dot = (
                tl.load(residual_dot_row + d*residual_dot_step, inside, 0).to(A)
                if HAS_residual_dot
                else 0.0
            )
            if HAS_residual_dot or HAS_scale_dot or HAS_x_dot:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_gamma_dot:
                gamma_dot = tl.load(gamma_dot_ptr + d, d < D, 0).to(A)
            xhat = h*rstd  # step 4
            h_dot = 0.0
            if HAS_residual_dot:
                h_dot += residual_dot  # step 18
            if HAS_x_dot:
                h_dot += x_dot  # step 18
            y_dot_part = 0.0
            if HAS_gamma_dot:
                y_dot_part += xhat*gamma_dot
            if HAS_residual_dot or HAS_x_dot:
                y_dot_part += (h_dot - xhat*mean_h_dot_xhat)*rstd*gamma
            if HAS_scale_dot:
                y_dot_part -= xhat*gamma*scale_dot_scaled
            y_dot = y_dot_part*scale_shifted_2  # step 26, pass 17: once a row
            tl.store(y_dot_row + d, y_dot, inside)
            tl.store(h_dot_row + d, h_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def add_rms_norm_fp8_backward_backward(
    h_ptr,
    dy_ptr,
    ddx_ptr,
    ddresidual_ptr,
    rstd_ptr,
    gamma_ptr,
    scale_ptr,
    ddgamma_ptr,
    ddscale_ptr,
    dx_ptr,
    ddy_ptr,
    ddh_ptr,
    sums_ptr,
    h_stride,
    h_step,
    dy_stride,
    dy_step,
    ddx_stride,
    ddx_step,
    ddresidual_stride,
    ddresidual_step,
    rows,
    D,
    HAS_ddgamma: tl.constexpr,
    HAS_ddresidual: tl.constexpr,
    HAS_ddscale: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_dh: tl.constexpr,
    HAS_dy: tl.constexpr,
    HAS_gamma: tl.constexpr,
    HAS_scale: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = gamma*dy/scale
    mean_g_xhat = mean(g*xhat)
    sum_rows_dy_xhat = sum_rows(dy*xhat)
    mean_dy_gamma_xhat = mean(gamma*dy*xhat)
    sum_rows_product = sum_rows(D*mean_dy_gamma_xhat)
    ddh = ddresidual + ddx
    dg = rstd*(ddh - xhat*mean(ddh*xhat))
    d2x = rstd*(ddgamma*dy/scale + ddscale*mean_dy_gamma_xhat*xhat/scale**2 +
        rstd*(mean(ddh*xhat)*(3*mean_g_xhat*xhat - g) - mean_g_xhat*ddh -
        xhat*mean(ddh*g)) - ddscale*gamma*dy/scale**2 -
        xhat*mean(ddgamma*dy*xhat)/scale)
    d2residual = d2x
    d2gamma = sum_rows(dy*(dg - ddscale*xhat/scale))/scale
    d2scale = (2*ddscale*sum_rows_product/scale - sum(ddgamma*sum_rows_dy_xhat) -
        sum_rows(sum(gamma*dg*dy)))/scale**2
    ddy = (gamma*dg + ddgamma*xhat - ddscale*gamma*xhat/scale)/scale
    """
    h_stride = h_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    ddresidual_stride = ddresidual_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    h_step = tl.cast(h_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    ddresidual_step = tl.cast(ddresidual_step, tl.int64)
    length = tl.cast(D, A)
    if HAS_dy:
        scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    if HAS_ddscale and HAS_dy:
        ddscale = tl.load(ddscale_ptr).to(A)
    if HAS_dy:
        scale_shifted_2 = 1/scale  # step 27, pass 18: once a row
    if HAS_ddscale and HAS_dy:
        ddscale_scaled = ddscale/(scale*scale)  # step 48, pass 19: once a row
        ddscale_scaled_2 = ddscale/scale  # step 64, pass 20: once a row
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * (2*D + 2)
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if (
            (HAS_ddresidual and HAS_dy)
            or (HAS_ddscale and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
        if HAS_ddgamma and HAS_dy:
            ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
        if HAS_ddgamma and HAS_dy and HAS_scale:
            sum_rows_dy_xhat = tl.zeros([ROWS, TILE], A)
        if (
            (HAS_ddresidual and HAS_dy and HAS_gamma)
            or (HAS_ddscale and HAS_dy and HAS_gamma)
            or (HAS_ddx and HAS_dy and HAS_gamma)
        ):
            d2gamma_rows = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if HAS_ddgamma and HAS_dy and HAS_scale:
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
            if (
                (HAS_ddresidual and HAS_dy and HAS_gamma)
                or (HAS_ddscale and HAS_dy and HAS_gamma)
                or (HAS_ddx and HAS_dy and HAS_gamma)
            ):
                tl.store(sums_ptr + D + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    if HAS_ddscale and HAS_dy and HAS_scale:
        sum_rows_product = tl.zeros([ROWS, 1], A)
    if (HAS_ddresidual and HAS_dy and HAS_scale) or (HAS_ddx and HAS_dy and HAS_scale):
        d2scale_rows = tl.zeros([ROWS, 1], A)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        if (
            (HAS_ddgamma and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or (HAS_ddscale and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            h_row = h_ptr + row*h_stride
            dy_row = dy_ptr + row*dy_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        if HAS_ddresidual:
            ddresidual_row = ddresidual_ptr + row*ddresidual_stride
        dx_row = dx_ptr + row*D
        if HAS_dy:
            ddy_row = ddy_ptr + row*D
        if HAS_dh:
            ddh_row = ddh_ptr + row*D
        if (
            (HAS_ddgamma and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or (HAS_ddscale and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
            mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddscale and HAS_dy:
            mean_dy_gamma_xhat_sum = tl.zeros([ROWS, TILE], A)
        if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
            mean_ddh_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddh_g_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddgamma and HAS_dy:
            mean_ddgamma_dy_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                h = tl.load(h_row + d*h_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            ddresidual = (
                tl.load(ddresidual_row + d*ddresidual_step, inside, 0).to(A)
                if HAS_ddresidual
                else 0.0
            )
            if (
                (HAS_ddresidual and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ) and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and HAS_dy and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                xhat = h*rstd  # step 4
            if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
                g = dy*gamma*scale_shifted_2  # step 27, pass 21: once a row
            if HAS_ddresidual or HAS_ddx or HAS_dh:
                ddh = 0.0
            if HAS_ddresidual:
                ddh += ddresidual  # step 32
            if HAS_ddx:
                ddh += ddx  # step 32
            if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
                mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
            if HAS_ddscale and HAS_dy:
                mean_dy_gamma_xhat_sum += tl.where(inside, dy*xhat*gamma, 0.0)
            if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
                mean_ddh_xhat_sum += tl.where(inside, ddh*xhat, 0.0)
                mean_ddh_g_sum += tl.where(inside, ddh*g, 0.0)
            if HAS_ddgamma and HAS_dy:
                mean_ddgamma_dy_xhat_sum += tl.where(inside, dy*xhat*ddgamma, 0.0)
            if HAS_ddgamma and HAS_dy and HAS_scale:
                if WHOLE:
                    sum_rows_dy_xhat += tl.where(inside, dy*xhat, 0.0)  # step 34
                else:
                    add_to(sums_ptr + d, tl.where(inside, dy*xhat, 0.0), d < D)
        if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 28
        if HAS_ddscale and HAS_dy:
            # step 29: mean(dy*xhat*gamma)
            mean_dy_gamma_xhat = tl.sum(
                mean_dy_gamma_xhat_sum, 1, keep_dims=True
            )/length
        if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
            # step 54: mean(ddh*xhat)
            mean_ddh_xhat = tl.sum(mean_ddh_xhat_sum, 1, keep_dims=True)/length
            mean_ddh_g = tl.sum(mean_ddh_g_sum, 1, keep_dims=True)/length  # step 48
        if HAS_ddgamma and HAS_dy:
            # step 48: mean(dy*xhat*ddgamma)
            mean_ddgamma_dy_xhat = tl.sum(
                mean_ddgamma_dy_xhat_sum, 1, keep_dims=True
            )/length
        if HAS_ddscale and HAS_dy and HAS_scale:
            mean_dy_gamma_xhat_scaled = mean_dy_gamma_xhat*length  # step 35, pass 22
        if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
            mean_g_xhat_scaled = 3*mean_g_xhat  # step 48, pass 23: once a row
        if HAS_ddgamma and HAS_dy:
            mean_ddgamma_dy_xhat_scaled = mean_ddgamma_dy_xhat/scale  # step 48, pass 24
        if HAS_ddscale and HAS_dy:
            # step 48, pass 25: once a row
            mean_dy_gamma_xhat_scaled_2 = mean_dy_gamma_xhat*ddscale/(scale*scale)
        if HAS_ddscale and HAS_dy and HAS_scale:
            # step 35, pass 26: once a row
            sum_rows_product += tl.where(there, mean_dy_gamma_xhat_scaled, 0.0)
        if (HAS_ddresidual and HAS_dy and HAS_scale) or (
            HAS_ddx and HAS_dy and HAS_scale
        ):
            sum_dg_dy_gamma_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                h = tl.load(h_row + d*h_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            ddresidual = (
                tl.load(ddresidual_row + d*ddresidual_step, inside, 0).to(A)
                if HAS_ddresidual
                else 0.0
            )
            if (
                (HAS_ddresidual and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ) and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and HAS_dy and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                xhat = h*rstd  # step 4
            if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
                g = dy*gamma*scale_shifted_2  # step 27, pass 21: once a row
            if HAS_ddresidual or HAS_ddx or HAS_dh:
                ddh = 0.0
            if HAS_ddresidual:
                ddh += ddresidual  # step 32
            if HAS_ddx:
                ddh += ddx  # step 32
            if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
                dg = (ddh - xhat*mean_ddh_xhat)*rstd  # step 54
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2x_part = 0.0
            if HAS_ddscale and HAS_dy:
                d2x_part += xhat*mean_dy_gamma_xhat_scaled_2
            if HAS_ddgamma and HAS_dy:
                d2x_part += dy*ddgamma*scale_shifted_2
            if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
                d2x_part += (
                    (xhat*mean_g_xhat_scaled - g)*mean_ddh_xhat
                    - xhat*mean_ddh_g
                    - ddh*mean_g_xhat
                )*rstd
            if HAS_ddgamma and HAS_dy:
                d2x_part -= xhat*mean_ddgamma_dy_xhat_scaled
            if HAS_ddscale and HAS_dy:
                d2x_part -= dy*gamma*ddscale_scaled
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2x = d2x_part*rstd  # step 48, pass 27: once a row
            if HAS_dy:
                ddy_part = 0.0
            if HAS_ddgamma and HAS_dy:
                ddy_part += xhat*ddgamma
            if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
                ddy_part += dg*gamma
            if HAS_ddscale and HAS_dy:
                ddy_part -= xhat*gamma*ddscale_scaled_2
            if HAS_dy:
                ddy = ddy_part*scale_shifted_2  # step 64, pass 28: once a row
            if (HAS_ddresidual and HAS_dy and HAS_scale) or (
                HAS_ddx and HAS_dy and HAS_scale
            ):
                sum_dg_dy_gamma_sum += tl.where(inside, dg*dy*gamma, 0.0)
            if (
                (HAS_ddresidual and HAS_dy and HAS_gamma)
                or (HAS_ddscale and HAS_dy and HAS_gamma)
                or (HAS_ddx and HAS_dy and HAS_gamma)
            ):
                d2gamma_rows_part = 0.0
            if (HAS_ddresidual and HAS_dy and HAS_gamma) or (
                HAS_ddx and HAS_dy and HAS_gamma
            ):
                d2gamma_rows_part += dg
            if HAS_ddscale and HAS_dy and HAS_gamma:
                d2gamma_rows_part -= xhat*ddscale/scale
            if (
                (HAS_ddresidual and HAS_dy and HAS_gamma)
                or (HAS_ddscale and HAS_dy and HAS_gamma)
                or (HAS_ddx and HAS_dy and HAS_gamma)
            ):
                if WHOLE:
                    # step 57, pass 29: sums over rows
                    d2gamma_rows += tl.where(inside, d2gamma_rows_part*dy, 0.0)
                else:
                    add_to(
                        sums_ptr + D + d,
                        tl.where(inside, d2gamma_rows_part*dy, 0.0),
                        d < D,
                    )
            tl.store(
                dx_row + d,
                d2x
                if (HAS_ddgamma and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
                else 0.0,
                inside,
            )
            if HAS_dy:
                tl.store(ddy_row + d, ddy, inside)
            if HAS_dh:
                tl.store(ddh_row + d, ddh, inside)
        if (HAS_ddresidual and HAS_dy and HAS_scale) or (
            HAS_ddx and HAS_dy and HAS_scale
        ):
            sum_dg_dy_gamma = tl.sum(sum_dg_dy_gamma_sum, 1, keep_dims=True)  # step 60
            d2scale_rows += tl.where(there, sum_dg_dy_gamma, 0.0)  # step 60, pass 30
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_ddgamma and HAS_dy and HAS_scale:
            tl.store(sums_ptr + d, tl.sum(sum_rows_dy_xhat, 0, keep_dims=True), d < D)
        if (
            (HAS_ddresidual and HAS_dy and HAS_gamma)
            or (HAS_ddscale and HAS_dy and HAS_gamma)
            or (HAS_ddx and HAS_dy and HAS_gamma)
        ):
            tl.store(sums_ptr + D + d, tl.sum(d2gamma_rows, 0, keep_dims=True), d < D)
    if HAS_ddscale and HAS_dy and HAS_scale:
        tl.store(sums_ptr + 2*D, tl.sum(sum_rows_product))
    if (HAS_ddresidual and HAS_dy and HAS_scale) or (HAS_ddx and HAS_dy and HAS_scale):
        tl.store(sums_ptr + 2*D + 1, tl.sum(d2scale_rows))


@triton.jit(do_not_specialize=["programs"])
def add_rms_norm_fp8_backward_backward_totals(
    sums_ptr,
    scale_ptr,
    ddgamma_ptr,
    ddscale_ptr,
    dgamma_ptr,
    dscale_ptr,
    programs,
    D,
    HAS_ddgamma: tl.constexpr,
    HAS_ddresidual: tl.constexpr,
    HAS_ddscale: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_dy: tl.constexpr,
    HAS_gamma: tl.constexpr,
    HAS_scale: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    TILE: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    D = D // EVEN * EVEN
    if HAS_dy:
        scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    if HAS_ddscale and HAS_dy:
        ddscale = tl.load(ddscale_ptr).to(A)
    if HAS_ddscale and HAS_dy and HAS_scale:
        # step 35, pass 26: once a row
        sum_rows_product = over_programs(
            sums_ptr + 2*D + tl.zeros([1, 1], tl.int32),
            True,
            programs,
            (2*D + 2),
            AT_ONCE,
            A,
        )
    if (HAS_ddresidual and HAS_dy and HAS_scale) or (HAS_ddx and HAS_dy and HAS_scale):
        # step 60, pass 30: sums over rows
        d2scale_rows = over_programs(
            sums_ptr + 2*D + 1 + tl.zeros([1, 1], tl.int32),
            True,
            programs,
            (2*D + 2),
            AT_ONCE,
            A,
        )
    if HAS_ddgamma and HAS_dy and HAS_scale:
        sum_ddgamma_sum_rows_dy_xhat_sum = tl.zeros([1, TILE], A)
    for start in range(0, D, TILE):
        d = start + tl.arange(0, TILE)[None, :]
        inside = d < D
        if HAS_ddgamma and HAS_dy:
            ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
        if HAS_ddgamma and HAS_dy and HAS_scale:
            sum_rows_dy_xhat = over_programs(
                sums_ptr + d, d < D, programs, (2*D + 2), AT_ONCE, A
            )
            sum_ddgamma_sum_rows_dy_xhat_sum += tl.where(
                inside, ddgamma*sum_rows_dy_xhat, 0.0
            )
    if HAS_ddgamma and HAS_dy and HAS_scale:
        # step 60: sum(ddgamma*sum_rows_dy_xhat)
        sum_ddgamma_sum_rows_dy_xhat = tl.sum(
            sum_ddgamma_sum_rows_dy_xhat_sum, 1, keep_dims=True
        )
    if (
        (HAS_ddgamma and HAS_dy and HAS_scale)
        or (HAS_ddresidual and HAS_dy and HAS_scale)
        or (HAS_ddscale and HAS_dy and HAS_scale)
        or (HAS_ddx and HAS_dy and HAS_scale)
    ):
        d2scale_part = 0.0
    if HAS_ddscale and HAS_dy and HAS_scale:
        d2scale_part += 2*ddscale*sum_rows_product/scale
    if (HAS_ddresidual and HAS_dy and HAS_scale) or (HAS_ddx and HAS_dy and HAS_scale):
        d2scale_part -= d2scale_rows
    if HAS_ddgamma and HAS_dy and HAS_scale:
        d2scale_part -= sum_ddgamma_sum_rows_dy_xhat
    if (
        (HAS_ddgamma and HAS_dy and HAS_scale)
        or (HAS_ddresidual and HAS_dy and HAS_scale)
        or (HAS_ddscale and HAS_dy and HAS_scale)
        or (HAS_ddx and HAS_dy and HAS_scale)
    ):
        d2scale = d2scale_part/(scale*scale)  # step 60, pass 32: sums over rows
    if HAS_scale:
        tl.store(
            dscale_ptr + tl.zeros([1, 1], tl.int32),
            d2scale
            if (HAS_ddgamma and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or (HAS_ddscale and HAS_dy)
            or (HAS_ddx and HAS_dy)
            else 0.0,
        )
    for start in range(tl.program_id(0) * TILE, D, tl.num_programs(0) * TILE):
        d = start + tl.arange(0, TILE)[None, :]
        inside = d < D
        if (
            (HAS_ddresidual and HAS_dy and HAS_gamma)
            or (HAS_ddscale and HAS_dy and HAS_gamma)
            or (HAS_ddx and HAS_dy and HAS_gamma)
        ):
            d2gamma_rows = over_programs(
                sums_ptr + D + d, d < D, programs, (2*D + 2), AT_ONCE, A
            )
            d2gamma = d2gamma_rows/scale  # step 57, pass 31: sums over rows
        if HAS_gamma:
            tl.store(
                dgamma_ptr + d,
                d2gamma
                if (HAS_ddresidual and HAS_dy)
                or (HAS_ddscale and HAS_dy)
                or (HAS_ddx and HAS_dy)
                else 0.0,
                inside,
            )
