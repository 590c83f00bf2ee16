# Made by lngen 0.1.0 from the definition of modulated_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_rms_norm.py and run: lngen derive modulated_rms_norm.py
# definition sha256:342278b39697d6ed8c84343b4cb320510fe1cfedc146884253a1a433517afb26
# mypy: ignore-errors
"""Root-mean-square normalization with a scale and a shift for each sample.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["rows"])
def modulated_rms_norm_forward(
    x_ptr,
    scale_ptr,
    shift_ptr,
    eps: tl.float64,
    y_ptr,
    rstd_ptr,
    x_stride_b,
    x_stride_rest,
    x_step,
    scale_stride_b,
    scale_step,
    shift_stride_b,
    shift_step,
    y_stride_b,
    y_stride_rest,
    y_step,
    rest_size,
    rows,
    D,
    HAS_scale: tl.constexpr,
    HAS_shift: tl.constexpr,
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
    y = shift + xhat*(1 + scale)
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_rest = x_stride_rest // EVEN * EVEN
    scale_stride_b = scale_stride_b // EVEN * EVEN
    shift_stride_b = shift_stride_b // EVEN * EVEN
    y_stride_b = y_stride_b // EVEN * EVEN
    y_stride_rest = y_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    scale_step = tl.cast(scale_step, tl.int64)
    shift_step = tl.cast(shift_step, tl.int64)
    y_step = tl.cast(y_step, tl.int64)
    length = tl.cast(D, A)
    eps = tl.full([1, 1], eps, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // rest_size
        rest_index = row % rest_size
        x_row = x_ptr + b_index*x_stride_b + rest_index*x_stride_rest
        if HAS_scale:
            scale_row = scale_ptr + b_index*scale_stride_b
        if HAS_shift:
            shift_row = shift_ptr + b_index*shift_stride_b
        y_row = y_ptr + b_index*y_stride_b + rest_index*y_stride_rest
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
            scale = (
                tl.load(scale_row + d*scale_step, inside, 0).to(A) if HAS_scale else 0.0
            )
            shift = (
                tl.load(shift_row + d*shift_step, inside, 0).to(A) if HAS_shift else 0.0
            )
            xhat = x*rstd  # step 3
            y_part = 0.0
            if HAS_scale:
                y_part += scale
            y_part += 1
            y = 0.0
            if HAS_shift:
                y += shift  # step 4
            y += y_part*xhat  # step 4
            tl.store(y_row + d*y_step, y, inside)
        if SAVE:
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def modulated_rms_norm_backward(
    x_ptr,
    scale_ptr,
    dy_ptr,
    rstd_ptr,
    dx_ptr,
    dscale_ptr,
    dshift_ptr,
    x_stride_b,
    x_stride_rest,
    x_step,
    scale_stride_b,
    scale_step,
    dy_stride_b,
    dy_stride_rest,
    dy_step,
    dx_stride_b,
    dx_stride_rest,
    dx_step,
    rest_size,
    rows,
    D,
    HAS_scale: tl.constexpr,
    HAS_shift: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = dy*(1 + scale)
    dx = rstd*(g - xhat*mean(g*xhat))
    dscale = sum(dy*xhat, "...")
    dshift = sum(dy, "...")
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_rest = x_stride_rest // EVEN * EVEN
    scale_stride_b = scale_stride_b // EVEN * EVEN
    dy_stride_b = dy_stride_b // EVEN * EVEN
    dy_stride_rest = dy_stride_rest // EVEN * EVEN
    dx_stride_b = dx_stride_b // EVEN * EVEN
    dx_stride_rest = dx_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    scale_step = tl.cast(scale_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // rest_size
        rest_index = row % rest_size
        x_row = x_ptr + b_index*x_stride_b + rest_index*x_stride_rest
        if HAS_scale:
            scale_row = scale_ptr + b_index*scale_stride_b
        dy_row = dy_ptr + b_index*dy_stride_b + rest_index*dy_stride_rest
        dx_row = dx_ptr + b_index*dx_stride_b + rest_index*dx_stride_rest
        if HAS_scale:
            dscale_row = dscale_ptr + row*D
        if HAS_shift:
            dshift_row = dshift_ptr + row*D
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            scale = (
                tl.load(scale_row + d*scale_step, inside, 0).to(A) if HAS_scale else 0.0
            )
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            xhat = x*rstd  # step 3
            g_part = 0.0
            if HAS_scale:
                g_part += scale
            g_part += 1
            g = dy*g_part  # step 5
            mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
        mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 11
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            scale = (
                tl.load(scale_row + d*scale_step, inside, 0).to(A) if HAS_scale else 0.0
            )
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            xhat = x*rstd  # step 3
            g_part = 0.0
            if HAS_scale:
                g_part += scale
            g_part += 1
            g = dy*g_part  # step 5
            if HAS_scale:
                dscale = dy*xhat  # step 12
            if HAS_shift:
                dshift = dy  # step 13
            dx = (g - xhat*mean_g_xhat)*rstd  # step 11
            tl.store(dx_row + d*dx_step, dx, inside)
            if HAS_scale:
                tl.store(dscale_row + d, dscale, inside)
            if HAS_shift:
                tl.store(dshift_row + d, dshift, inside)


@triton.jit(do_not_specialize=["rows"])
def modulated_rms_norm_jvp(
    x_ptr,
    scale_ptr,
    x_dot_ptr,
    scale_dot_ptr,
    shift_dot_ptr,
    rstd_ptr,
    y_dot_ptr,
    x_stride_b,
    x_stride_rest,
    x_step,
    scale_stride_b,
    scale_step,
    x_dot_stride_b,
    x_dot_stride_rest,
    x_dot_step,
    scale_dot_stride_b,
    scale_dot_step,
    shift_dot_stride_b,
    shift_dot_step,
    y_dot_stride_b,
    y_dot_stride_rest,
    y_dot_step,
    rest_size,
    rows,
    D,
    HAS_scale: tl.constexpr,
    HAS_scale_dot: tl.constexpr,
    HAS_shift_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """y_dot = shift_dot + scale_dot*xhat + rstd*(1 + scale)*(x_dot -
        xhat*mean(x_dot*xhat))
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_rest = x_stride_rest // EVEN * EVEN
    scale_stride_b = scale_stride_b // EVEN * EVEN
    x_dot_stride_b = x_dot_stride_b // EVEN * EVEN
    x_dot_stride_rest = x_dot_stride_rest // EVEN * EVEN
    scale_dot_stride_b = scale_dot_stride_b // EVEN * EVEN
    shift_dot_stride_b = shift_dot_stride_b // EVEN * EVEN
    y_dot_stride_b = y_dot_stride_b // EVEN * EVEN
    y_dot_stride_rest = y_dot_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    scale_step = tl.cast(scale_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    scale_dot_step = tl.cast(scale_dot_step, tl.int64)
    shift_dot_step = tl.cast(shift_dot_step, tl.int64)
    y_dot_step = tl.cast(y_dot_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // rest_size
        rest_index = row % rest_size
        if HAS_scale_dot or HAS_x_dot:
            x_row = x_ptr + b_index*x_stride_b + rest_index*x_stride_rest
        if HAS_scale and HAS_x_dot:
            scale_row = scale_ptr + b_index*scale_stride_b
        if HAS_x_dot:
            x_dot_row = (
                x_dot_ptr + b_index*x_dot_stride_b + rest_index*x_dot_stride_rest
            )
        if HAS_scale_dot:
            scale_dot_row = scale_dot_ptr + b_index*scale_dot_stride_b
        if HAS_shift_dot:
            shift_dot_row = shift_dot_ptr + b_index*shift_dot_stride_b
        y_dot_row = y_dot_ptr + b_index*y_dot_stride_b + rest_index*y_dot_stride_rest
        if HAS_scale_dot or HAS_x_dot:
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_x_dot:
            mean_x_dot_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_scale_dot or HAS_x_dot:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            if HAS_scale_dot or HAS_x_dot:
                xhat = x*rstd  # step 3
            if HAS_x_dot:
                mean_x_dot_xhat_sum += tl.where(inside, x_dot*xhat, 0.0)
        if HAS_x_dot:
            # step 20: mean(x_dot*xhat)
            mean_x_dot_xhat = tl.sum(mean_x_dot_xhat_sum, 1, keep_dims=True)/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_scale_dot or HAS_x_dot:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                scale = (
                    tl.load(scale_row + d*scale_step, inside, 0).to(A)
                    if HAS_scale
                    else 0.0
                )
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            if HAS_scale_dot:
                scale_dot = tl.load(scale_dot_row + d*scale_dot_step, inside, 0).to(A)
            shift_dot = (
                tl.load(shift_dot_row + d*shift_dot_step, inside, 0).to(A)
                if HAS_shift_dot
                else 0.0
            )
            if HAS_scale_dot or HAS_x_dot:
                xhat = x*rstd  # step 3
            if HAS_x_dot:
                y_dot_part = 0.0
            if HAS_scale and HAS_x_dot:
                y_dot_part += scale
            if HAS_x_dot:
                y_dot_part += 1
            y_dot = 0.0
            if HAS_shift_dot:
                y_dot += shift_dot  # step 20
            if HAS_scale_dot:
                y_dot += scale_dot*xhat  # step 20
            if HAS_x_dot:
                y_dot += (x_dot - xhat*mean_x_dot_xhat)*y_dot_part*rstd  # step 20
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def modulated_rms_norm_backward_backward(
    x_ptr,
    scale_ptr,
    dy_ptr,
    ddx_ptr,
    ddscale_ptr,
    ddshift_ptr,
    rstd_ptr,
    dx_ptr,
    dscale_ptr,
    dshift_ptr,
    ddy_ptr,
    x_stride_b,
    x_stride_rest,
    x_step,
    scale_stride_b,
    scale_step,
    dy_stride_b,
    dy_stride_rest,
    dy_step,
    ddx_stride_b,
    ddx_stride_rest,
    ddx_step,
    ddscale_stride_b,
    ddscale_step,
    ddshift_stride_b,
    ddshift_step,
    dx_stride_b,
    dx_stride_rest,
    dx_step,
    ddy_stride_b,
    ddy_stride_rest,
    ddy_step,
    rest_size,
    rows,
    D,
    HAS_ddscale: tl.constexpr,
    HAS_ddshift: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_scale: tl.constexpr,
    HAS_shift: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = dy*(1 + scale)
    mean_g_xhat = mean(g*xhat)
    dg = rstd*(ddx - xhat*mean(ddx*xhat))
    d2xhat_part = ddscale*dy - mean_g_xhat*rstd*ddx
    d2x = rstd*(d2xhat_part + rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) -
        xhat*mean(ddx*g)) - xhat*mean(d2xhat_part*xhat))
    d2scale = sum(dg*dy, "...")
    d2shift = sum(0, "...")
    ddy = ddshift + ddscale*xhat + dg*(1 + scale)
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_rest = x_stride_rest // EVEN * EVEN
    scale_stride_b = scale_stride_b // EVEN * EVEN
    dy_stride_b = dy_stride_b // EVEN * EVEN
    dy_stride_rest = dy_stride_rest // EVEN * EVEN
    ddx_stride_b = ddx_stride_b // EVEN * EVEN
    ddx_stride_rest = ddx_stride_rest // EVEN * EVEN
    ddscale_stride_b = ddscale_stride_b // EVEN * EVEN
    ddshift_stride_b = ddshift_stride_b // EVEN * EVEN
    dx_stride_b = dx_stride_b // EVEN * EVEN
    dx_stride_rest = dx_stride_rest // EVEN * EVEN
    ddy_stride_b = ddy_stride_b // EVEN * EVEN
    ddy_stride_rest = ddy_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    scale_step = tl.cast(scale_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    ddscale_step = tl.cast(ddscale_step, tl.int64)
    ddshift_step = tl.cast(ddshift_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    ddy_step = tl.cast(ddy_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // rest_size
        rest_index = row % rest_size
        if HAS_ddscale or HAS_ddx:
            x_row = x_ptr + b_index*x_stride_b + rest_index*x_stride_rest
        if HAS_ddx and HAS_scale:
            scale_row = scale_ptr + b_index*scale_stride_b
        if HAS_ddscale or HAS_ddx:
            dy_row = dy_ptr + b_index*dy_stride_b + rest_index*dy_stride_rest
        if HAS_ddx:
            ddx_row = ddx_ptr + b_index*ddx_stride_b + rest_index*ddx_stride_rest
        if HAS_ddscale:
            ddscale_row = ddscale_ptr + b_index*ddscale_stride_b
        if HAS_ddshift:
            ddshift_row = ddshift_ptr + b_index*ddshift_stride_b
        dx_row = dx_ptr + b_index*dx_stride_b + rest_index*dx_stride_rest
        if HAS_scale:
            dscale_row = dscale_ptr + row*D
        if HAS_shift:
            dshift_row = dshift_ptr + row*D
        ddy_row = ddy_ptr + b_index*ddy_stride_b + rest_index*ddy_stride_rest
        if HAS_ddscale or HAS_ddx:
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_ddx:
            mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_g_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddscale or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_ddx:
                scale = (
                    tl.load(scale_row + d*scale_step, inside, 0).to(A)
                    if HAS_scale
                    else 0.0
                )
            if HAS_ddscale or HAS_ddx:
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if HAS_ddscale or HAS_ddx:
                xhat = x*rstd  # step 3
            if HAS_ddx:
                g_part = 0.0
            if HAS_ddx and HAS_scale:
                g_part += scale
            if HAS_ddx:
                g_part += 1
                g = dy*g_part  # step 21
                mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
                mean_ddx_xhat_sum += tl.where(inside, ddx*xhat, 0.0)
                mean_ddx_g_sum += tl.where(inside, ddx*g, 0.0)
        if HAS_ddx:
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 22
            # step 37: mean(ddx*xhat)
            mean_ddx_xhat = tl.sum(mean_ddx_xhat_sum, 1, keep_dims=True)/length
            mean_ddx_g = tl.sum(mean_ddx_g_sum, 1, keep_dims=True)/length  # step 32
            mean_g_xhat_scaled = mean_g_xhat*rstd  # step 25, pass 1: once a row
            mean_g_xhat_scaled_2 = 2*mean_g_xhat  # step 32, pass 2: once a row
        if HAS_ddscale or HAS_ddx:
            mean_d2xhat_part_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddscale or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_ddx:
                scale = (
                    tl.load(scale_row + d*scale_step, inside, 0).to(A)
                    if HAS_scale
                    else 0.0
                )
            if HAS_ddscale or HAS_ddx:
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if HAS_ddscale:
                ddscale = tl.load(ddscale_row + d*ddscale_step, inside, 0).to(A)
            ddshift = (
                tl.load(ddshift_row + d*ddshift_step, inside, 0).to(A)
                if HAS_ddshift
                else 0.0
            )
            if HAS_ddscale or HAS_ddx:
                xhat = x*rstd  # step 3
            if HAS_ddx:
                dg = (ddx - xhat*mean_ddx_xhat)*rstd  # step 37
            if HAS_ddscale or HAS_ddx:
                d2xhat_part = 0.0
            if HAS_ddscale:
                d2xhat_part += ddscale*dy  # step 25, pass 3: once a row
            if HAS_ddx:
                d2xhat_part -= ddx*mean_g_xhat_scaled  # step 25, pass 3: once a row
                ddy_part = 0.0
            if HAS_ddx and HAS_scale:
                ddy_part += scale
            if HAS_ddx:
                ddy_part += 1
            ddy = 0.0
            if HAS_ddshift:
                ddy += ddshift  # step 43
            if HAS_ddscale:
                ddy += ddscale*xhat  # step 43
            if HAS_ddx:
                ddy += dg*ddy_part  # step 43
            if HAS_ddscale or HAS_ddx:
                mean_d2xhat_part_xhat_sum += tl.where(inside, d2xhat_part*xhat, 0.0)
            tl.store(ddy_row + d*ddy_step, ddy, inside)
        if HAS_ddscale or HAS_ddx:
            # step 32: mean(d2xhat_part*xhat)
            mean_d2xhat_part_xhat = tl.sum(
                mean_d2xhat_part_xhat_sum, 1, keep_dims=True
            )/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if HAS_ddscale or HAS_ddx:
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_ddx:
                scale = (
                    tl.load(scale_row + d*scale_step, inside, 0).to(A)
                    if HAS_scale
                    else 0.0
                )
            if HAS_ddscale or HAS_ddx:
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if HAS_ddscale:
                ddscale = tl.load(ddscale_row + d*ddscale_step, inside, 0).to(A)
            if HAS_ddscale or HAS_ddx:
                xhat = x*rstd  # step 3
            if HAS_ddx:
                g_part = 0.0
            if HAS_ddx and HAS_scale:
                g_part += scale
            if HAS_ddx:
                g_part += 1
                g = dy*g_part  # step 21
                dg = (ddx - xhat*mean_ddx_xhat)*rstd  # step 37
            if HAS_ddscale or HAS_ddx:
                d2xhat_part = 0.0
            if HAS_ddscale:
                d2xhat_part += ddscale*dy  # step 25, pass 3: once a row
            if HAS_ddx:
                d2xhat_part -= ddx*mean_g_xhat_scaled  # step 25, pass 3: once a row
            if HAS_ddx and HAS_scale:
                d2scale = dg*dy  # step 38
            if HAS_ddscale or HAS_ddx:
                d2x_part = d2xhat_part
            if HAS_ddx:
                d2x_part += (
                    (xhat*mean_g_xhat_scaled_2 - g)*mean_ddx_xhat - xhat*mean_ddx_g
                )*rstd
            if HAS_ddscale or HAS_ddx:
                d2x_part -= xhat*mean_d2xhat_part_xhat
                d2x = d2x_part*rstd  # step 32, pass 4: once a row
            tl.store(dx_row + d*dx_step, d2x if HAS_ddscale or HAS_ddx else 0.0, inside)
            if HAS_shift:
                tl.store(dshift_row + d, 0.0, inside)
            if HAS_scale:
                tl.store(dscale_row + d, d2scale if HAS_ddx else 0.0, inside)
