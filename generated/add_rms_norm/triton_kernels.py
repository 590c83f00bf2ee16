# Made by lngen 0.1.0 from the definition of add_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
# mypy: ignore-errors
"""Residual addition, then root-mean-square normalization; the sum is the second output.

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
def add_rms_norm_forward(
    x_ptr,
    residual_ptr,
    gamma_ptr,
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
    y = gamma*xhat
    """
    x_stride = x_stride // EVEN * EVEN
    residual_stride = residual_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    residual_step = tl.cast(residual_step, tl.int64)
    length = tl.cast(D, A)
    eps = tl.full([1, 1], eps, A)
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
            y = xhat*gamma  # step 5
            tl.store(y_row + d, y, inside)
            tl.store(h_row + d, h, inside)
        if SAVE:
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def add_rms_norm_backward(
    h_ptr,
    dy_ptr,
    dh_ptr,
    rstd_ptr,
    gamma_ptr,
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
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = gamma*dy
    dx = dh + rstd*(g - xhat*mean(g*xhat))
    dresidual = dx
    dgamma = sum_rows(dy*xhat)
    """
    h_stride = h_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    dh_stride = dh_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    h_step = tl.cast(h_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dh_step = tl.cast(dh_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * D
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_dy:
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
        if HAS_dy and HAS_gamma:
            dgamma = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if HAS_dy and HAS_gamma:
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
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
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_dy:
                h = tl.load(h_row + d*h_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
                if not WHOLE:
                    gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
                xhat = h*rstd  # step 4
                g = dy*gamma  # step 6
                mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
            if HAS_dy and HAS_gamma:
                if WHOLE:
                    dgamma += tl.where(inside, dy*xhat, 0.0)  # step 14
                else:
                    add_to(sums_ptr + d, tl.where(inside, dy*xhat, 0.0), d < D)
        if HAS_dy:
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 12
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
                g = dy*gamma  # step 6
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
            tl.store(sums_ptr + d, tl.sum(dgamma, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def add_rms_norm_backward_totals(
    sums_ptr,
    dgamma_ptr,
    programs,
    D,
    HAS_dy: tl.constexpr,
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
        if HAS_dy and HAS_gamma:
            dgamma = over_programs(sums_ptr + d, d < D, programs, D, AT_ONCE, A)
        if HAS_gamma:
            tl.store(dgamma_ptr + d, dgamma if HAS_dy else 0.0, inside)


@triton.jit(do_not_specialize=["rows"])
def add_rms_norm_jvp(
    h_ptr,
    x_dot_ptr,
    residual_dot_ptr,
    rstd_ptr,
    gamma_ptr,
    gamma_dot_ptr,
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
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """h_dot = residual_dot + x_dot
    y_dot = gamma_dot*xhat + rstd*gamma*(h_dot - xhat*mean(h_dot*xhat))
    """
    h_stride = h_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    residual_dot_stride = residual_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    h_step = tl.cast(h_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    residual_dot_step = tl.cast(residual_dot_step, tl.int64)
    length = tl.cast(D, A)
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
                h_dot += residual_dot  # step 15
            if HAS_x_dot:
                h_dot += x_dot  # step 15
            if HAS_residual_dot or HAS_x_dot:
                mean_h_dot_xhat_sum += tl.where(inside, h_dot*xhat, 0.0)
        if HAS_residual_dot or HAS_x_dot:
            # step 22: mean(h_dot*xhat)
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
            if HAS_residual_dot or HAS_x_dot:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_gamma_dot:
                gamma_dot = tl.load(gamma_dot_ptr + d, d < D, 0).to(A)
            xhat = h*rstd  # step 4
            h_dot = 0.0
            if HAS_residual_dot:
                h_dot += residual_dot  # step 15
            if HAS_x_dot:
                h_dot += x_dot  # step 15
            y_dot = 0.0
            if HAS_gamma_dot:
                y_dot += xhat*gamma_dot  # step 22
            if HAS_residual_dot or HAS_x_dot:
                y_dot += (h_dot - xhat*mean_h_dot_xhat)*rstd*gamma  # step 22
            tl.store(y_dot_row + d, y_dot, inside)
            tl.store(h_dot_row + d, h_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def add_rms_norm_backward_backward(
    h_ptr,
    dy_ptr,
    ddx_ptr,
    ddresidual_ptr,
    rstd_ptr,
    gamma_ptr,
    ddgamma_ptr,
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
    HAS_ddx: tl.constexpr,
    HAS_dh: tl.constexpr,
    HAS_dy: tl.constexpr,
    HAS_gamma: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = gamma*dy
    mean_g_xhat = mean(g*xhat)
    ddh = ddresidual + ddx
    dg = rstd*(ddh - xhat*mean(ddh*xhat))
    d2x = rstd*(ddgamma*dy + rstd*(mean(ddh*xhat)*(3*mean_g_xhat*xhat - g) -
        mean_g_xhat*ddh - xhat*mean(ddh*g)) - xhat*mean(ddgamma*dy*xhat))
    d2residual = d2x
    d2gamma = sum_rows(dg*dy)
    ddy = gamma*dg + ddgamma*xhat
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
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * D
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
            gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
        if HAS_ddgamma and HAS_dy:
            ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
        if (HAS_ddresidual and HAS_dy and HAS_gamma) or (
            HAS_ddx and HAS_dy and HAS_gamma
        ):
            d2gamma = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if (HAS_ddresidual and HAS_dy and HAS_gamma) or (
                HAS_ddx and HAS_dy and HAS_gamma
            ):
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        if (
            (HAS_ddgamma and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
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
            or (HAS_ddx and HAS_dy)
        ):
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
            mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
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
            if ((HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy)) and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and HAS_dy and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                xhat = h*rstd  # step 4
            if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
                g = dy*gamma  # step 23
            if HAS_ddresidual or HAS_ddx or HAS_dh:
                ddh = 0.0
            if HAS_ddresidual:
                ddh += ddresidual  # step 27
            if HAS_ddx:
                ddh += ddx  # step 27
            if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
                mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
                mean_ddh_xhat_sum += tl.where(inside, ddh*xhat, 0.0)
                mean_ddh_g_sum += tl.where(inside, ddh*g, 0.0)
            if HAS_ddgamma and HAS_dy:
                mean_ddgamma_dy_xhat_sum += tl.where(inside, dy*xhat*ddgamma, 0.0)
        if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 24
            # step 43: mean(ddh*xhat)
            mean_ddh_xhat = tl.sum(mean_ddh_xhat_sum, 1, keep_dims=True)/length
            mean_ddh_g = tl.sum(mean_ddh_g_sum, 1, keep_dims=True)/length  # step 37
        if HAS_ddgamma and HAS_dy:
            # step 37: mean(dy*xhat*ddgamma)
            mean_ddgamma_dy_xhat = tl.sum(
                mean_ddgamma_dy_xhat_sum, 1, keep_dims=True
            )/length
        if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
            mean_g_xhat_scaled = 3*mean_g_xhat  # step 37, pass 5: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
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
            if ((HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy)) and not WHOLE:
                gamma = tl.load(gamma_ptr + d, d < D, 0).to(A) if HAS_gamma else 1.0
            if HAS_ddgamma and HAS_dy and not WHOLE:
                ddgamma = tl.load(ddgamma_ptr + d, d < D, 0).to(A)
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                xhat = h*rstd  # step 4
            if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
                g = dy*gamma  # step 23
            if HAS_ddresidual or HAS_ddx or HAS_dh:
                ddh = 0.0
            if HAS_ddresidual:
                ddh += ddresidual  # step 27
            if HAS_ddx:
                ddh += ddx  # step 27
            if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
                dg = (ddh - xhat*mean_ddh_xhat)*rstd  # step 43
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2x_part = 0.0
            if HAS_ddgamma and HAS_dy:
                d2x_part += dy*ddgamma
            if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
                d2x_part += (
                    (xhat*mean_g_xhat_scaled - g)*mean_ddh_xhat
                    - xhat*mean_ddh_g
                    - ddh*mean_g_xhat
                )*rstd
            if HAS_ddgamma and HAS_dy:
                d2x_part -= xhat*mean_ddgamma_dy_xhat
            if (
                (HAS_ddgamma and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2x = d2x_part*rstd  # step 37, pass 6: once a row
            if HAS_dy:
                ddy = 0.0
            if HAS_ddgamma and HAS_dy:
                ddy += xhat*ddgamma  # step 47
            if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy):
                ddy += dg*gamma  # step 47
            if (HAS_ddresidual and HAS_dy and HAS_gamma) or (
                HAS_ddx and HAS_dy and HAS_gamma
            ):
                if WHOLE:
                    d2gamma += tl.where(inside, dg*dy, 0.0)  # step 44
                else:
                    add_to(sums_ptr + d, tl.where(inside, dg*dy, 0.0), d < D)
            tl.store(
                dx_row + d,
                d2x
                if (HAS_ddgamma and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
                else 0.0,
                inside,
            )
            if HAS_dy:
                tl.store(ddy_row + d, ddy, inside)
            if HAS_dh:
                tl.store(ddh_row + d, ddh, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if (HAS_ddresidual and HAS_dy and HAS_gamma) or (
            HAS_ddx and HAS_dy and HAS_gamma
        ):
            tl.store(sums_ptr + d, tl.sum(d2gamma, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def add_rms_norm_backward_backward_totals(
    sums_ptr,
    dgamma_ptr,
    programs,
    D,
    HAS_ddresidual: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_dy: tl.constexpr,
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
        if (HAS_ddresidual and HAS_dy and HAS_gamma) or (
            HAS_ddx and HAS_dy and HAS_gamma
        ):
            d2gamma = over_programs(sums_ptr + d, d < D, programs, D, AT_ONCE, A)
        if HAS_gamma:
            tl.store(
                dgamma_ptr + d,
                d2gamma if (HAS_ddresidual and HAS_dy) or (HAS_ddx and HAS_dy) else 0.0,
                inside,
            )
