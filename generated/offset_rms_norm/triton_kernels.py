# Made by lngen 0.1.0 from the definition of offset_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
# definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
# mypy: ignore-errors
"""Root-mean-square normalization with a weight that is learned as its distance from one.

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
def offset_rms_norm_forward(
    x_ptr,
    w_ptr,
    eps: tl.float64,
    y_ptr,
    rstd_ptr,
    x_stride,
    x_step,
    rows,
    D,
    HAS_w: tl.constexpr,
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
    y = xhat*(1 + w)
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
            w = tl.load(w_ptr + d, d < D, 0).to(A) if HAS_w else 0.0
            w_shifted = 0.0
            if HAS_w:
                w_shifted += w  # step 4, pass 1: once a row
            w_shifted += 1  # step 4, pass 1: once a row
            xhat = x*rstd  # step 3
            y = xhat*w_shifted  # step 4, pass 2: once a row
            tl.store(y_row + d, y, inside)
        if SAVE:
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def offset_rms_norm_backward(
    x_ptr,
    dy_ptr,
    rstd_ptr,
    w_ptr,
    dx_ptr,
    sums_ptr,
    x_stride,
    x_step,
    dy_stride,
    dy_step,
    rows,
    D,
    HAS_w: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = dy*(1 + w)
    dx = rstd*(g - xhat*mean(g*xhat))
    dw = sum_rows(dy*xhat)
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
        w = tl.load(w_ptr + d, d < D, 0).to(A) if HAS_w else 0.0
        if HAS_w:
            dw = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if HAS_w:
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dy_row = dy_ptr + row*dy_stride
        dx_row = dx_ptr + row*D
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                w = tl.load(w_ptr + d, d < D, 0).to(A) if HAS_w else 0.0
            w_shifted_2 = 0.0
            if HAS_w:
                w_shifted_2 += w  # step 5, pass 3: once a row
            w_shifted_2 += 1  # step 5, pass 3: once a row
            xhat = x*rstd  # step 3
            g = dy*w_shifted_2  # step 5, pass 4: once a row
            mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
            if HAS_w:
                if WHOLE:
                    dw += tl.where(inside, dy*xhat, 0.0)  # step 12
                else:
                    add_to(sums_ptr + d, tl.where(inside, dy*xhat, 0.0), d < D)
        mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 11
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                w = tl.load(w_ptr + d, d < D, 0).to(A) if HAS_w else 0.0
            w_shifted_2 = 0.0
            if HAS_w:
                w_shifted_2 += w  # step 5, pass 3: once a row
            w_shifted_2 += 1  # step 5, pass 3: once a row
            xhat = x*rstd  # step 3
            g = dy*w_shifted_2  # step 5, pass 4: once a row
            dx = (g - xhat*mean_g_xhat)*rstd  # step 11
            tl.store(dx_row + d, dx, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_w:
            tl.store(sums_ptr + d, tl.sum(dw, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def offset_rms_norm_backward_totals(
    sums_ptr,
    dw_ptr,
    programs,
    D,
    HAS_w: tl.constexpr,
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
        if HAS_w:
            dw = over_programs(sums_ptr + d, d < D, programs, D, AT_ONCE, A)
            tl.store(dw_ptr + d, dw, inside)


@triton.jit(do_not_specialize=["rows"])
def offset_rms_norm_jvp(
    x_ptr,
    x_dot_ptr,
    rstd_ptr,
    w_ptr,
    w_dot_ptr,
    y_dot_ptr,
    x_stride,
    x_step,
    x_dot_stride,
    x_dot_step,
    rows,
    D,
    HAS_w: tl.constexpr,
    HAS_w_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """y_dot = w_dot*xhat + rstd*(1 + w)*(x_dot - xhat*mean(x_dot*xhat))"""
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
            # step 19: mean(x_dot*xhat)
            mean_x_dot_xhat = tl.sum(mean_x_dot_xhat_sum, 1, keep_dims=True)/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
                w = tl.load(w_ptr + d, d < D, 0).to(A) if HAS_w else 0.0
            if HAS_w_dot:
                w_dot = tl.load(w_dot_ptr + d, d < D, 0).to(A)
            if HAS_x_dot:
                w_shifted_2 = 0.0
            if HAS_w and HAS_x_dot:
                w_shifted_2 += w  # step 19, pass 9: once a row
            if HAS_x_dot:
                w_shifted_2 += 1  # step 19, pass 9: once a row
            xhat = x*rstd  # step 3
            y_dot = 0.0
            if HAS_w_dot:
                y_dot += xhat*w_dot  # step 19, pass 10: once a row
            if HAS_x_dot:
                # step 19, pass 10: once a row
                y_dot += (x_dot - xhat*mean_x_dot_xhat)*rstd*w_shifted_2
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def offset_rms_norm_backward_backward(
    x_ptr,
    dy_ptr,
    ddx_ptr,
    rstd_ptr,
    w_ptr,
    ddw_ptr,
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
    HAS_ddw: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_w: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = dy*(1 + w)
    mean_g_xhat = mean(g*xhat)
    dg = rstd*(ddx - xhat*mean(ddx*xhat))
    d2x = rstd*(ddw*dy + rstd*(mean(ddx*xhat)*(3*mean_g_xhat*xhat - g) -
        mean_g_xhat*ddx - xhat*mean(ddx*g)) - xhat*mean(ddw*dy*xhat))
    d2w = sum_rows(dg*dy)
    ddy = ddw*xhat + dg*(1 + w)
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
            w = tl.load(w_ptr + d, d < D, 0).to(A) if HAS_w else 0.0
        if HAS_ddw:
            ddw = tl.load(ddw_ptr + d, d < D, 0).to(A)
        if HAS_ddx and HAS_w:
            d2w = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if HAS_ddx and HAS_w:
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
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_ddx:
            mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_g_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddw:
            mean_ddw_dy_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
                if not WHOLE:
                    w = tl.load(w_ptr + d, d < D, 0).to(A) if HAS_w else 0.0
            if HAS_ddw and not WHOLE:
                ddw = tl.load(ddw_ptr + d, d < D, 0).to(A)
            if HAS_ddx:
                w_shifted_2 = 0.0
            if HAS_ddx and HAS_w:
                w_shifted_2 += w  # step 20, pass 11: once a row
            if HAS_ddx:
                w_shifted_2 += 1  # step 20, pass 11: once a row
            xhat = x*rstd  # step 3
            if HAS_ddx:
                g = dy*w_shifted_2  # step 20, pass 12: once a row
                mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
                mean_ddx_xhat_sum += tl.where(inside, ddx*xhat, 0.0)
                mean_ddx_g_sum += tl.where(inside, ddx*g, 0.0)
            if HAS_ddw:
                mean_ddw_dy_xhat_sum += tl.where(inside, dy*xhat*ddw, 0.0)
        if HAS_ddx:
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 21
            # step 37: mean(ddx*xhat)
            mean_ddx_xhat = tl.sum(mean_ddx_xhat_sum, 1, keep_dims=True)/length
            mean_ddx_g = tl.sum(mean_ddx_g_sum, 1, keep_dims=True)/length  # step 32
        if HAS_ddw:
            # step 32: mean(dy*xhat*ddw)
            mean_ddw_dy_xhat = tl.sum(mean_ddw_dy_xhat_sum, 1, keep_dims=True)/length
        if HAS_ddx:
            mean_g_xhat_scaled = 3*mean_g_xhat  # step 32, pass 13: once a row
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
                if not WHOLE:
                    w = tl.load(w_ptr + d, d < D, 0).to(A) if HAS_w else 0.0
            if HAS_ddw and not WHOLE:
                ddw = tl.load(ddw_ptr + d, d < D, 0).to(A)
            if HAS_ddx:
                w_shifted_2 = 0.0
            if HAS_ddx and HAS_w:
                w_shifted_2 += w  # step 20, pass 11: once a row
            if HAS_ddx:
                w_shifted_2 += 1  # step 20, pass 11: once a row
            xhat = x*rstd  # step 3
            if HAS_ddx:
                g = dy*w_shifted_2  # step 20, pass 12: once a row
                dg = (ddx - xhat*mean_ddx_xhat)*rstd  # step 37
            d2x_part = 0.0
            if HAS_ddw:
                d2x_part += dy*ddw
            if HAS_ddx:
                d2x_part += (
                    (xhat*mean_g_xhat_scaled - g)*mean_ddx_xhat
                    - xhat*mean_ddx_g
                    - ddx*mean_g_xhat
                )*rstd
            if HAS_ddw:
                d2x_part -= xhat*mean_ddw_dy_xhat
            d2x = d2x_part*rstd  # step 32, pass 14: once a row
            ddy = 0.0
            if HAS_ddw:
                ddy += xhat*ddw  # step 41, pass 15: once a row
            if HAS_ddx:
                ddy += dg*w_shifted_2  # step 41, pass 15: once a row
            if HAS_ddx and HAS_w:
                if WHOLE:
                    d2w += tl.where(inside, dg*dy, 0.0)  # step 38
                else:
                    add_to(sums_ptr + d, tl.where(inside, dg*dy, 0.0), d < D)
            tl.store(dx_row + d, d2x, inside)
            tl.store(ddy_row + d, ddy, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_ddx and HAS_w:
            tl.store(sums_ptr + d, tl.sum(d2w, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def offset_rms_norm_backward_backward_totals(
    sums_ptr,
    dw_ptr,
    programs,
    D,
    HAS_ddx: tl.constexpr,
    HAS_w: tl.constexpr,
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
        if HAS_ddx and HAS_w:
            d2w = over_programs(sums_ptr + d, d < D, programs, D, AT_ONCE, A)
        if HAS_w:
            tl.store(dw_ptr + d, d2w if HAS_ddx else 0.0, inside)
