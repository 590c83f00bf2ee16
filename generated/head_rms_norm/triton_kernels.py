# Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
# definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
# mypy: ignore-errors
"""Root-mean-square normalization of queries or keys, with a weight for each head.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["rows"])
def head_rms_norm_forward(
    x_ptr,
    weight_ptr,
    eps: tl.float64,
    y_ptr,
    rstd_ptr,
    x_stride_b,
    x_stride_t,
    x_stride_h,
    x_step,
    weight_stride_h,
    weight_step,
    y_stride_b,
    y_stride_t,
    y_stride_h,
    y_step,
    t_size,
    h_size,
    rows,
    D,
    HAS_weight: tl.constexpr,
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
    y = weight*xhat
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_t = x_stride_t // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    weight_stride_h = weight_stride_h // EVEN * EVEN
    y_stride_b = y_stride_b // EVEN * EVEN
    y_stride_t = y_stride_t // EVEN * EVEN
    y_stride_h = y_stride_h // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    weight_step = tl.cast(weight_step, tl.int64)
    y_step = tl.cast(y_step, tl.int64)
    length = tl.cast(D, A)
    eps = tl.full([1, 1], eps, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (t_size*h_size)
        t_index = row // h_size % t_size
        h_index = row % h_size
        x_row = x_ptr + b_index*x_stride_b + t_index*x_stride_t + h_index*x_stride_h
        if HAS_weight:
            weight_row = weight_ptr + h_index*weight_stride_h
        y_row = y_ptr + b_index*y_stride_b + t_index*y_stride_t + h_index*y_stride_h
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
            weight = (
                tl.load(weight_row + d*weight_step, inside, 0).to(A)
                if HAS_weight
                else 1.0
            )
            xhat = x*rstd  # step 3
            y = weight*xhat  # step 4
            tl.store(y_row + d*y_step, y, inside)
        if SAVE:
            tl.store(rstd_ptr + row, rstd, there)


@triton.jit(do_not_specialize=["rows"])
def head_rms_norm_backward(
    x_ptr,
    weight_ptr,
    dy_ptr,
    rstd_ptr,
    dx_ptr,
    dweight_ptr,
    x_stride_b,
    x_stride_t,
    x_stride_h,
    x_step,
    weight_stride_h,
    weight_step,
    dy_stride_b,
    dy_stride_t,
    dy_stride_h,
    dy_step,
    dx_stride_b,
    dx_stride_t,
    dx_stride_h,
    dx_step,
    t_size,
    h_size,
    rows,
    D,
    HAS_weight: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = dy*weight
    dx = rstd*(g - xhat*mean(g*xhat))
    dweight = sum(dy*xhat, "b t")
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_t = x_stride_t // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    weight_stride_h = weight_stride_h // EVEN * EVEN
    dy_stride_b = dy_stride_b // EVEN * EVEN
    dy_stride_t = dy_stride_t // EVEN * EVEN
    dy_stride_h = dy_stride_h // EVEN * EVEN
    dx_stride_b = dx_stride_b // EVEN * EVEN
    dx_stride_t = dx_stride_t // EVEN * EVEN
    dx_stride_h = dx_stride_h // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    weight_step = tl.cast(weight_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (t_size*h_size)
        t_index = row // h_size % t_size
        h_index = row % h_size
        x_row = x_ptr + b_index*x_stride_b + t_index*x_stride_t + h_index*x_stride_h
        if HAS_weight:
            weight_row = weight_ptr + h_index*weight_stride_h
        dy_row = (
            dy_ptr + b_index*dy_stride_b + t_index*dy_stride_t + h_index*dy_stride_h
        )
        dx_row = (
            dx_ptr + b_index*dx_stride_b + t_index*dx_stride_t + h_index*dx_stride_h
        )
        if HAS_weight:
            dweight_row = dweight_ptr + row*D
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            weight = (
                tl.load(weight_row + d*weight_step, inside, 0).to(A)
                if HAS_weight
                else 1.0
            )
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            xhat = x*rstd  # step 3
            g = dy*weight  # step 5
            mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
        mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 11
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            weight = (
                tl.load(weight_row + d*weight_step, inside, 0).to(A)
                if HAS_weight
                else 1.0
            )
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            xhat = x*rstd  # step 3
            g = dy*weight  # step 5
            if HAS_weight:
                dweight = dy*xhat  # step 12
            dx = (g - xhat*mean_g_xhat)*rstd  # step 11
            tl.store(dx_row + d*dx_step, dx, inside)
            if HAS_weight:
                tl.store(dweight_row + d, dweight, inside)


@triton.jit(do_not_specialize=["rows"])
def head_rms_norm_jvp(
    x_ptr,
    weight_ptr,
    x_dot_ptr,
    weight_dot_ptr,
    rstd_ptr,
    y_dot_ptr,
    x_stride_b,
    x_stride_t,
    x_stride_h,
    x_step,
    weight_stride_h,
    weight_step,
    x_dot_stride_b,
    x_dot_stride_t,
    x_dot_stride_h,
    x_dot_step,
    weight_dot_stride_h,
    weight_dot_step,
    y_dot_stride_b,
    y_dot_stride_t,
    y_dot_stride_h,
    y_dot_step,
    t_size,
    h_size,
    rows,
    D,
    HAS_weight: tl.constexpr,
    HAS_weight_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """y_dot = weight_dot*xhat + rstd*weight*(x_dot - xhat*mean(x_dot*xhat))"""
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_t = x_stride_t // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    weight_stride_h = weight_stride_h // EVEN * EVEN
    x_dot_stride_b = x_dot_stride_b // EVEN * EVEN
    x_dot_stride_t = x_dot_stride_t // EVEN * EVEN
    x_dot_stride_h = x_dot_stride_h // EVEN * EVEN
    weight_dot_stride_h = weight_dot_stride_h // EVEN * EVEN
    y_dot_stride_b = y_dot_stride_b // EVEN * EVEN
    y_dot_stride_t = y_dot_stride_t // EVEN * EVEN
    y_dot_stride_h = y_dot_stride_h // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    weight_step = tl.cast(weight_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    weight_dot_step = tl.cast(weight_dot_step, tl.int64)
    y_dot_step = tl.cast(y_dot_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (t_size*h_size)
        t_index = row // h_size % t_size
        h_index = row % h_size
        x_row = x_ptr + b_index*x_stride_b + t_index*x_stride_t + h_index*x_stride_h
        if HAS_weight and HAS_x_dot:
            weight_row = weight_ptr + h_index*weight_stride_h
        if HAS_x_dot:
            x_dot_row = (
                x_dot_ptr
                + b_index*x_dot_stride_b
                + t_index*x_dot_stride_t
                + h_index*x_dot_stride_h
            )
        if HAS_weight_dot:
            weight_dot_row = weight_dot_ptr + h_index*weight_dot_stride_h
        y_dot_row = (
            y_dot_ptr
            + b_index*y_dot_stride_b
            + t_index*y_dot_stride_t
            + h_index*y_dot_stride_h
        )
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
                weight = (
                    tl.load(weight_row + d*weight_step, inside, 0).to(A)
                    if HAS_weight
                    else 1.0
                )
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            if HAS_weight_dot:
                weight_dot = tl.load(weight_dot_row + d*weight_dot_step, inside, 0).to(
                    A
                )
            xhat = x*rstd  # step 3
            y_dot = 0.0
            if HAS_weight_dot:
                y_dot += weight_dot*xhat  # step 19
            if HAS_x_dot:
                y_dot += (x_dot - xhat*mean_x_dot_xhat)*weight*rstd  # step 19
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def head_rms_norm_backward_backward(
    x_ptr,
    weight_ptr,
    dy_ptr,
    ddx_ptr,
    ddweight_ptr,
    rstd_ptr,
    dx_ptr,
    dweight_ptr,
    ddy_ptr,
    x_stride_b,
    x_stride_t,
    x_stride_h,
    x_step,
    weight_stride_h,
    weight_step,
    dy_stride_b,
    dy_stride_t,
    dy_stride_h,
    dy_step,
    ddx_stride_b,
    ddx_stride_t,
    ddx_stride_h,
    ddx_step,
    ddweight_stride_h,
    ddweight_step,
    dx_stride_b,
    dx_stride_t,
    dx_stride_h,
    dx_step,
    ddy_stride_b,
    ddy_stride_t,
    ddy_stride_h,
    ddy_step,
    t_size,
    h_size,
    rows,
    D,
    HAS_ddweight: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_weight: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = dy*weight
    mean_g_xhat = mean(g*xhat)
    dg = rstd*(ddx - xhat*mean(ddx*xhat))
    d2xhat_part = ddweight*dy - mean_g_xhat*rstd*ddx
    d2x = rstd*(d2xhat_part + rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) -
        xhat*mean(ddx*g)) - xhat*mean(d2xhat_part*xhat))
    d2weight = sum(dg*dy, "b t")
    ddy = dg*weight + ddweight*xhat
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_t = x_stride_t // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    weight_stride_h = weight_stride_h // EVEN * EVEN
    dy_stride_b = dy_stride_b // EVEN * EVEN
    dy_stride_t = dy_stride_t // EVEN * EVEN
    dy_stride_h = dy_stride_h // EVEN * EVEN
    ddx_stride_b = ddx_stride_b // EVEN * EVEN
    ddx_stride_t = ddx_stride_t // EVEN * EVEN
    ddx_stride_h = ddx_stride_h // EVEN * EVEN
    ddweight_stride_h = ddweight_stride_h // EVEN * EVEN
    dx_stride_b = dx_stride_b // EVEN * EVEN
    dx_stride_t = dx_stride_t // EVEN * EVEN
    dx_stride_h = dx_stride_h // EVEN * EVEN
    ddy_stride_b = ddy_stride_b // EVEN * EVEN
    ddy_stride_t = ddy_stride_t // EVEN * EVEN
    ddy_stride_h = ddy_stride_h // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    weight_step = tl.cast(weight_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    ddweight_step = tl.cast(ddweight_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    ddy_step = tl.cast(ddy_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (t_size*h_size)
        t_index = row // h_size % t_size
        h_index = row % h_size
        x_row = x_ptr + b_index*x_stride_b + t_index*x_stride_t + h_index*x_stride_h
        if HAS_ddx and HAS_weight:
            weight_row = weight_ptr + h_index*weight_stride_h
        dy_row = (
            dy_ptr + b_index*dy_stride_b + t_index*dy_stride_t + h_index*dy_stride_h
        )
        if HAS_ddx:
            ddx_row = (
                ddx_ptr
                + b_index*ddx_stride_b
                + t_index*ddx_stride_t
                + h_index*ddx_stride_h
            )
        if HAS_ddweight:
            ddweight_row = ddweight_ptr + h_index*ddweight_stride_h
        dx_row = (
            dx_ptr + b_index*dx_stride_b + t_index*dx_stride_t + h_index*dx_stride_h
        )
        if HAS_weight:
            dweight_row = dweight_ptr + row*D
        ddy_row = (
            ddy_ptr + b_index*ddy_stride_b + t_index*ddy_stride_t + h_index*ddy_stride_h
        )
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_ddx:
            mean_g_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_xhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddx_g_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_ddx:
                weight = (
                    tl.load(weight_row + d*weight_step, inside, 0).to(A)
                    if HAS_weight
                    else 1.0
                )
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            xhat = x*rstd  # step 3
            if HAS_ddx:
                g = dy*weight  # step 20
                mean_g_xhat_sum += tl.where(inside, g*xhat, 0.0)
                mean_ddx_xhat_sum += tl.where(inside, ddx*xhat, 0.0)
                mean_ddx_g_sum += tl.where(inside, ddx*g, 0.0)
        if HAS_ddx:
            mean_g_xhat = tl.sum(mean_g_xhat_sum, 1, keep_dims=True)/length  # step 21
            # step 36: mean(ddx*xhat)
            mean_ddx_xhat = tl.sum(mean_ddx_xhat_sum, 1, keep_dims=True)/length
            mean_ddx_g = tl.sum(mean_ddx_g_sum, 1, keep_dims=True)/length  # step 31
            mean_g_xhat_scaled = mean_g_xhat*rstd  # step 24, pass 1: once a row
            mean_g_xhat_scaled_2 = 2*mean_g_xhat  # step 31, pass 2: once a row
        mean_d2xhat_part_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if HAS_ddweight:
                ddweight = tl.load(ddweight_row + d*ddweight_step, inside, 0).to(A)
            xhat = x*rstd  # step 3
            d2xhat_part = 0.0
            if HAS_ddweight:
                d2xhat_part += ddweight*dy  # step 24, pass 3: once a row
            if HAS_ddx:
                d2xhat_part -= ddx*mean_g_xhat_scaled  # step 24, pass 3: once a row
            mean_d2xhat_part_xhat_sum += tl.where(inside, d2xhat_part*xhat, 0.0)
        # step 31: mean(d2xhat_part*xhat)
        mean_d2xhat_part_xhat = tl.sum(
            mean_d2xhat_part_xhat_sum, 1, keep_dims=True
        )/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_ddx:
                weight = (
                    tl.load(weight_row + d*weight_step, inside, 0).to(A)
                    if HAS_weight
                    else 1.0
                )
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if HAS_ddweight:
                ddweight = tl.load(ddweight_row + d*ddweight_step, inside, 0).to(A)
            xhat = x*rstd  # step 3
            if HAS_ddx:
                g = dy*weight  # step 20
                dg = (ddx - xhat*mean_ddx_xhat)*rstd  # step 36
            d2xhat_part = 0.0
            if HAS_ddweight:
                d2xhat_part += ddweight*dy  # step 24, pass 3: once a row
            if HAS_ddx:
                d2xhat_part -= ddx*mean_g_xhat_scaled  # step 24, pass 3: once a row
            if HAS_ddx and HAS_weight:
                d2weight = dg*dy  # step 37
            ddy = 0.0
            if HAS_ddweight:
                ddy += ddweight*xhat  # step 38
            if HAS_ddx:
                ddy += dg*weight  # step 38
            d2x_part = d2xhat_part
            if HAS_ddx:
                d2x_part += (
                    (xhat*mean_g_xhat_scaled_2 - g)*mean_ddx_xhat - xhat*mean_ddx_g
                )*rstd
            d2x_part -= xhat*mean_d2xhat_part_xhat
            d2x = d2x_part*rstd  # step 31, pass 4: once a row
            tl.store(dx_row + d*dx_step, d2x, inside)
            if HAS_weight:
                tl.store(dweight_row + d, d2weight if HAS_ddx else 0.0, inside)
            tl.store(ddy_row + d*ddy_step, ddy, inside)
