# Made by lngen 0.1.0 from the definition of dual_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dual_rms_norm.py and run: lngen derive dual_rms_norm.py
# definition sha256:e689ee1c158bbc0dca0d29a1556c92f1e9714db62885e477d177bd5c9c3a13db
# mypy: ignore-errors
"""A norm after a block, its residual added, and the norm before the next block, in one pass.

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
def dual_rms_norm_forward(
    x_ptr,
    residual_ptr,
    after_ptr,
    before_ptr,
    eps: tl.float64,
    y_ptr,
    r_ptr,
    rstd_ptr,
    rstd_2_ptr,
    x_stride,
    x_step,
    residual_stride,
    residual_step,
    rows,
    D,
    HAS_after: tl.constexpr,
    HAS_before: tl.constexpr,
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
    r = residual + after*xhat
    var = mean(r**2)
    rstd_2 = 1/sqrt(var + eps)
    rhat = rstd_2*r
    y = before*rhat
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
        r_row = r_ptr + row*D
        ms_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            ms_sum += x*x
        ms = tl.sum(ms_sum, 1, keep_dims=True)/length  # step 1: mean(x**2)
        rstd = tl.rsqrt(ms + eps)  # step 2
        var_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            residual = tl.load(residual_row + d*residual_step, inside, 0).to(A)
            after = tl.load(after_ptr + d, d < D, 0).to(A) if HAS_after else 1.0
            xhat = x*rstd  # step 3
            r = residual + xhat*after  # step 4
            var_sum += tl.where(inside, r*r, 0.0)
        var = tl.sum(var_sum, 1, keep_dims=True)/length  # step 5: mean(r**2)
        rstd_2 = tl.rsqrt(var + eps)  # step 6
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            residual = tl.load(residual_row + d*residual_step, inside, 0).to(A)
            after = tl.load(after_ptr + d, d < D, 0).to(A) if HAS_after else 1.0
            before = tl.load(before_ptr + d, d < D, 0).to(A) if HAS_before else 1.0
            xhat = x*rstd  # step 3
            r = residual + xhat*after  # step 4
            rhat = r*rstd_2  # step 7
            y = rhat*before  # step 8
            tl.store(y_row + d, y, inside)
            tl.store(r_row + d, r, inside)
        if SAVE:
            tl.store(rstd_ptr + row, rstd, there)
            tl.store(rstd_2_ptr + row, rstd_2, there)


@triton.jit(do_not_specialize=["rows"])
def dual_rms_norm_backward(
    x_ptr,
    residual_ptr,
    dy_ptr,
    dr_ptr,
    rstd_ptr,
    rstd_2_ptr,
    after_ptr,
    before_ptr,
    dx_ptr,
    dresidual_ptr,
    sums_ptr,
    x_stride,
    x_step,
    residual_stride,
    residual_step,
    dy_stride,
    dy_step,
    dr_stride,
    dr_step,
    rows,
    D,
    HAS_after: tl.constexpr,
    HAS_before: tl.constexpr,
    HAS_dr: tl.constexpr,
    HAS_dy: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = before*dy
    dresidual = dr + rstd_2*(g - rhat*mean(g*rhat))
    g_2 = after*dresidual
    dx = rstd*(g_2 - xhat*mean(g_2*xhat))
    dafter = sum_rows(dresidual*xhat)
    dbefore = sum_rows(dy*rhat)
    """
    x_stride = x_stride // EVEN * EVEN
    residual_stride = residual_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    dr_stride = dr_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    residual_step = tl.cast(residual_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dr_step = tl.cast(dr_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * 2*D
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        after = tl.load(after_ptr + d, d < D, 0).to(A) if HAS_after else 1.0
        if HAS_dy:
            before = tl.load(before_ptr + d, d < D, 0).to(A) if HAS_before else 1.0
        if HAS_before and HAS_dy:
            dbefore = tl.zeros([ROWS, TILE], A)
        if HAS_after:
            dafter = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if HAS_before and HAS_dy:
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
            if HAS_after:
                tl.store(sums_ptr + D + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        if HAS_dy:
            residual_row = residual_ptr + row*residual_stride
            dy_row = dy_ptr + row*dy_stride
        if HAS_dr:
            dr_row = dr_ptr + row*dr_stride
        dx_row = dx_ptr + row*D
        dresidual_row = dresidual_ptr + row*D
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if HAS_dy:
            rstd_2 = tl.load(rstd_2_ptr + row, there, 0).to(A)
            mean_g_rhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_dy:
                residual = tl.load(residual_row + d*residual_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if not WHOLE:
                after = tl.load(after_ptr + d, d < D, 0).to(A) if HAS_after else 1.0
            if HAS_dy and not WHOLE:
                before = tl.load(before_ptr + d, d < D, 0).to(A) if HAS_before else 1.0
            xhat = x*rstd  # step 3
            if HAS_dy:
                r = residual + xhat*after  # step 4
                rhat = r*rstd_2  # step 7
                g = dy*before  # step 9
                mean_g_rhat_sum += tl.where(inside, g*rhat, 0.0)
            if HAS_before and HAS_dy:
                if WHOLE:
                    dbefore += tl.where(inside, dy*rhat, 0.0)  # step 24
                else:
                    add_to(sums_ptr + d, tl.where(inside, dy*rhat, 0.0), d < D)
        if HAS_dy:
            mean_g_rhat = tl.sum(mean_g_rhat_sum, 1, keep_dims=True)/length  # step 15
        mean_g_2_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_dy:
                residual = tl.load(residual_row + d*residual_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            dr = tl.load(dr_row + d*dr_step, inside, 0).to(A) if HAS_dr else 0.0
            if not WHOLE:
                after = tl.load(after_ptr + d, d < D, 0).to(A) if HAS_after else 1.0
            if HAS_dy and not WHOLE:
                before = tl.load(before_ptr + d, d < D, 0).to(A) if HAS_before else 1.0
            xhat = x*rstd  # step 3
            if HAS_dy:
                r = residual + xhat*after  # step 4
                rhat = r*rstd_2  # step 7
                g = dy*before  # step 9
            dresidual = 0.0
            if HAS_dr:
                dresidual += dr  # step 15
            if HAS_dy:
                dresidual += (g - rhat*mean_g_rhat)*rstd_2  # step 15
            g_2 = dresidual*after  # step 16
            mean_g_2_xhat_sum += tl.where(inside, g_2*xhat, 0.0)
            if HAS_after:
                if WHOLE:
                    dafter += tl.where(inside, dresidual*xhat, 0.0)  # step 23
                else:
                    add_to(
                        sums_ptr + D + d, tl.where(inside, dresidual*xhat, 0.0), d < D
                    )
        mean_g_2_xhat = tl.sum(mean_g_2_xhat_sum, 1, keep_dims=True)/length  # step 22
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_dy:
                residual = tl.load(residual_row + d*residual_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            dr = tl.load(dr_row + d*dr_step, inside, 0).to(A) if HAS_dr else 0.0
            if not WHOLE:
                after = tl.load(after_ptr + d, d < D, 0).to(A) if HAS_after else 1.0
            if HAS_dy and not WHOLE:
                before = tl.load(before_ptr + d, d < D, 0).to(A) if HAS_before else 1.0
            xhat = x*rstd  # step 3
            if HAS_dy:
                r = residual + xhat*after  # step 4
                rhat = r*rstd_2  # step 7
                g = dy*before  # step 9
            dresidual = 0.0
            if HAS_dr:
                dresidual += dr  # step 15
            if HAS_dy:
                dresidual += (g - rhat*mean_g_rhat)*rstd_2  # step 15
            g_2 = dresidual*after  # step 16
            dx = (g_2 - xhat*mean_g_2_xhat)*rstd  # step 22
            tl.store(dx_row + d, dx, inside)
            tl.store(dresidual_row + d, dresidual, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if HAS_before and HAS_dy:
            tl.store(sums_ptr + d, tl.sum(dbefore, 0, keep_dims=True), d < D)
        if HAS_after:
            tl.store(sums_ptr + D + d, tl.sum(dafter, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def dual_rms_norm_backward_totals(
    sums_ptr,
    dafter_ptr,
    dbefore_ptr,
    programs,
    D,
    HAS_after: tl.constexpr,
    HAS_before: tl.constexpr,
    HAS_dy: tl.constexpr,
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
        if HAS_before and HAS_dy:
            dbefore = over_programs(sums_ptr + d, d < D, programs, 2*D, AT_ONCE, A)
        if HAS_after:
            dafter = over_programs(sums_ptr + D + d, d < D, programs, 2*D, AT_ONCE, A)
            tl.store(dafter_ptr + d, dafter, inside)
        if HAS_before:
            tl.store(dbefore_ptr + d, dbefore if HAS_dy else 0.0, inside)


@triton.jit(do_not_specialize=["rows"])
def dual_rms_norm_jvp(
    x_ptr,
    residual_ptr,
    x_dot_ptr,
    residual_dot_ptr,
    rstd_ptr,
    rstd_2_ptr,
    after_ptr,
    before_ptr,
    after_dot_ptr,
    before_dot_ptr,
    y_dot_ptr,
    r_dot_ptr,
    x_stride,
    x_step,
    residual_stride,
    residual_step,
    x_dot_stride,
    x_dot_step,
    residual_dot_stride,
    residual_dot_step,
    rows,
    D,
    HAS_after: tl.constexpr,
    HAS_after_dot: tl.constexpr,
    HAS_before: tl.constexpr,
    HAS_before_dot: tl.constexpr,
    HAS_residual_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """r_dot = residual_dot + after_dot*xhat + rstd*after*(x_dot -
        xhat*mean(x_dot*xhat))
    y_dot = before_dot*rhat + rstd_2*before*(r_dot - rhat*mean(r_dot*rhat))
    """
    x_stride = x_stride // EVEN * EVEN
    residual_stride = residual_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    residual_dot_stride = residual_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    residual_step = tl.cast(residual_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    residual_dot_step = tl.cast(residual_dot_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        residual_row = residual_ptr + row*residual_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        if HAS_residual_dot:
            residual_dot_row = residual_dot_ptr + row*residual_dot_stride
        y_dot_row = y_dot_ptr + row*D
        r_dot_row = r_dot_ptr + row*D
        rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        rstd_2 = tl.load(rstd_2_ptr + row, there, 0).to(A)
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
        if HAS_after_dot or HAS_residual_dot or HAS_x_dot:
            mean_r_dot_rhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            residual = tl.load(residual_row + d*residual_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            residual_dot = (
                tl.load(residual_dot_row + d*residual_dot_step, inside, 0).to(A)
                if HAS_residual_dot
                else 0.0
            )
            after = tl.load(after_ptr + d, d < D, 0).to(A) if HAS_after else 1.0
            if HAS_after_dot:
                after_dot = tl.load(after_dot_ptr + d, d < D, 0).to(A)
            xhat = x*rstd  # step 3
            r = residual + xhat*after  # step 4
            rhat = r*rstd_2  # step 7
            r_dot = 0.0
            if HAS_residual_dot:
                r_dot += residual_dot  # step 31
            if HAS_after_dot:
                r_dot += xhat*after_dot  # step 31
            if HAS_x_dot:
                r_dot += (x_dot - xhat*mean_x_dot_xhat)*rstd*after  # step 31
            if HAS_after_dot or HAS_residual_dot or HAS_x_dot:
                mean_r_dot_rhat_sum += tl.where(inside, r_dot*rhat, 0.0)
        if HAS_after_dot or HAS_residual_dot or HAS_x_dot:
            # step 38: mean(r_dot*rhat)
            mean_r_dot_rhat = tl.sum(mean_r_dot_rhat_sum, 1, keep_dims=True)/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            residual = tl.load(residual_row + d*residual_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            residual_dot = (
                tl.load(residual_dot_row + d*residual_dot_step, inside, 0).to(A)
                if HAS_residual_dot
                else 0.0
            )
            after = tl.load(after_ptr + d, d < D, 0).to(A) if HAS_after else 1.0
            if HAS_after_dot or HAS_residual_dot or HAS_x_dot:
                before = tl.load(before_ptr + d, d < D, 0).to(A) if HAS_before else 1.0
            if HAS_after_dot:
                after_dot = tl.load(after_dot_ptr + d, d < D, 0).to(A)
            if HAS_before_dot:
                before_dot = tl.load(before_dot_ptr + d, d < D, 0).to(A)
            xhat = x*rstd  # step 3
            r = residual + xhat*after  # step 4
            rhat = r*rstd_2  # step 7
            r_dot = 0.0
            if HAS_residual_dot:
                r_dot += residual_dot  # step 31
            if HAS_after_dot:
                r_dot += xhat*after_dot  # step 31
            if HAS_x_dot:
                r_dot += (x_dot - xhat*mean_x_dot_xhat)*rstd*after  # step 31
            y_dot = 0.0
            if HAS_before_dot:
                y_dot += rhat*before_dot  # step 38
            if HAS_after_dot or HAS_residual_dot or HAS_x_dot:
                y_dot += (r_dot - rhat*mean_r_dot_rhat)*rstd_2*before  # step 38
            tl.store(y_dot_row + d, y_dot, inside)
            tl.store(r_dot_row + d, r_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def dual_rms_norm_backward_backward(
    x_ptr,
    residual_ptr,
    dy_ptr,
    dr_ptr,
    ddx_ptr,
    ddresidual_ptr,
    rstd_ptr,
    rstd_2_ptr,
    after_ptr,
    before_ptr,
    ddafter_ptr,
    ddbefore_ptr,
    dx_ptr,
    dresidual_ptr,
    ddy_ptr,
    ddr_ptr,
    sums_ptr,
    x_stride,
    x_step,
    residual_stride,
    residual_step,
    dy_stride,
    dy_step,
    dr_stride,
    dr_step,
    ddx_stride,
    ddx_step,
    ddresidual_stride,
    ddresidual_step,
    rows,
    D,
    HAS_after: tl.constexpr,
    HAS_before: tl.constexpr,
    HAS_ddafter: tl.constexpr,
    HAS_ddbefore: tl.constexpr,
    HAS_ddresidual: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_dr: tl.constexpr,
    HAS_dy: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """g = before*dy
    mean_g_rhat = mean(g*rhat)
    dresidual = dr + rstd_2*(g - mean_g_rhat*rhat)
    g_2 = after*dresidual
    mean_g_2_xhat = mean(g_2*xhat)
    dg_2 = rstd*(ddx - xhat*mean(ddx*xhat))
    ddr = ddresidual + after*dg_2 + ddafter*xhat
    dg = rstd_2*(ddr - rhat*mean(ddr*rhat))
    d2residual = rstd_2*(ddbefore*dy + rstd_2*(mean(ddr*rhat)*(3*mean_g_rhat*rhat -
        g) - mean_g_rhat*ddr - rhat*mean(ddr*g)) - rhat*mean(ddbefore*dy*rhat))
    d2xhat_part = after*d2residual - mean_g_2_xhat*rstd*ddx
    d2x = rstd*(d2xhat_part + ddafter*dresidual +
        rstd*(mean(ddx*xhat)*(2*mean_g_2_xhat*xhat - g_2) - xhat*mean(ddx*g_2)) -
        xhat*mean(d2xhat_part*xhat) - xhat*mean(ddafter*dresidual*xhat))
    d2after = sum_rows(d2residual*xhat + dg_2*dresidual)
    d2before = sum_rows(dg*dy)
    ddy = before*dg + ddbefore*rhat
    """
    x_stride = x_stride // EVEN * EVEN
    residual_stride = residual_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    dr_stride = dr_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    ddresidual_stride = ddresidual_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    residual_step = tl.cast(residual_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dr_step = tl.cast(dr_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    ddresidual_step = tl.cast(ddresidual_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * 2*D
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if (
            (HAS_ddafter and HAS_dy)
            or (HAS_ddbefore and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or HAS_ddx
        ):
            after = tl.load(after_ptr + d, d < D, 0).to(A) if HAS_after else 1.0
        if (
            (HAS_ddafter and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            before = tl.load(before_ptr + d, d < D, 0).to(A) if HAS_before else 1.0
        if HAS_ddafter:
            ddafter = tl.load(ddafter_ptr + d, d < D, 0).to(A)
        if HAS_ddbefore and HAS_dy:
            ddbefore = tl.load(ddbefore_ptr + d, d < D, 0).to(A)
        if (
            (HAS_after and HAS_ddafter and HAS_dy)
            or (HAS_after and HAS_ddbefore and HAS_dy)
            or (HAS_after and HAS_ddresidual and HAS_dy)
            or (HAS_after and HAS_ddx)
        ):
            d2after = tl.zeros([ROWS, TILE], A)
        if (
            (HAS_before and HAS_ddafter and HAS_dy)
            or (HAS_before and HAS_ddresidual and HAS_dy)
            or (HAS_before and HAS_ddx and HAS_dy)
        ):
            d2before = tl.zeros([ROWS, TILE], A)
    else:
        for start in range(0, D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            if (
                (HAS_after and HAS_ddafter and HAS_dy)
                or (HAS_after and HAS_ddbefore and HAS_dy)
                or (HAS_after and HAS_ddresidual and HAS_dy)
                or (HAS_after and HAS_ddx)
            ):
                tl.store(sums_ptr + d, tl.zeros([1, TILE], A), d < D)
            if (
                (HAS_before and HAS_ddafter and HAS_dy)
                or (HAS_before and HAS_ddresidual and HAS_dy)
                or (HAS_before and HAS_ddx and HAS_dy)
            ):
                tl.store(sums_ptr + D + d, tl.zeros([1, TILE], A), d < D)
        tl.debug_barrier()
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        if (
            HAS_ddafter
            or (HAS_ddbefore and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or HAS_ddx
        ):
            x_row = x_ptr + row*x_stride
        if (
            (HAS_ddafter and HAS_dy)
            or (HAS_ddbefore and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            residual_row = residual_ptr + row*residual_stride
            dy_row = dy_ptr + row*dy_stride
        if (HAS_ddafter and HAS_dr) or (HAS_ddx and HAS_dr):
            dr_row = dr_ptr + row*dr_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        if HAS_ddresidual:
            ddresidual_row = ddresidual_ptr + row*ddresidual_stride
        dx_row = dx_ptr + row*D
        dresidual_row = dresidual_ptr + row*D
        if HAS_dy:
            ddy_row = ddy_ptr + row*D
        if HAS_dr:
            ddr_row = ddr_ptr + row*D
        if (
            HAS_ddafter
            or (HAS_ddbefore and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or HAS_ddx
        ):
            rstd = tl.load(rstd_ptr + row, there, 0).to(A)
        if (
            (HAS_ddafter and HAS_dy)
            or (HAS_ddbefore and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            rstd_2 = tl.load(rstd_2_ptr + row, there, 0).to(A)
        if (
            (HAS_ddafter and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            mean_g_rhat_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx:
            mean_ddx_xhat_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddbefore and HAS_dy:
            mean_ddbefore_dy_rhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if (
                HAS_ddafter
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                residual = tl.load(residual_row + d*residual_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ) and not WHOLE:
                after = tl.load(after_ptr + d, d < D, 0).to(A) if HAS_after else 1.0
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ) and not WHOLE:
                before = tl.load(before_ptr + d, d < D, 0).to(A) if HAS_before else 1.0
            if HAS_ddbefore and HAS_dy and not WHOLE:
                ddbefore = tl.load(ddbefore_ptr + d, d < D, 0).to(A)
            if (
                HAS_ddafter
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                xhat = x*rstd  # step 3
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                r = residual + xhat*after  # step 4
                rhat = r*rstd_2  # step 7
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                g = dy*before  # step 39
                mean_g_rhat_sum += tl.where(inside, g*rhat, 0.0)
            if HAS_ddx:
                mean_ddx_xhat_sum += tl.where(inside, ddx*xhat, 0.0)
            if HAS_ddbefore and HAS_dy:
                mean_ddbefore_dy_rhat_sum += tl.where(inside, dy*rhat*ddbefore, 0.0)
        if (
            (HAS_ddafter and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            mean_g_rhat = tl.sum(mean_g_rhat_sum, 1, keep_dims=True)/length  # step 40
        if HAS_ddx:
            # step 51: mean(ddx*xhat)
            mean_ddx_xhat = tl.sum(mean_ddx_xhat_sum, 1, keep_dims=True)/length
        if HAS_ddbefore and HAS_dy:
            # step 64: mean(dy*rhat*ddbefore)
            mean_ddbefore_dy_rhat = tl.sum(
                mean_ddbefore_dy_rhat_sum, 1, keep_dims=True
            )/length
        if (
            (HAS_ddafter and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            mean_g_rhat_scaled = 3*mean_g_rhat  # step 64, pass 6: once a row
        if HAS_ddx:
            mean_g_2_xhat_sum = tl.zeros([ROWS, TILE], A)
        if (
            (HAS_ddafter and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            mean_ddr_rhat_sum = tl.zeros([ROWS, TILE], A)
            mean_ddr_g_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx:
            mean_ddx_g_2_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddafter:
            mean_ddafter_dresidual_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if (
                HAS_ddafter
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                residual = tl.load(residual_row + d*residual_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddafter or HAS_ddx:
                dr = tl.load(dr_row + d*dr_step, inside, 0).to(A) if HAS_dr else 0.0
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            ddresidual = (
                tl.load(ddresidual_row + d*ddresidual_step, inside, 0).to(A)
                if HAS_ddresidual
                else 0.0
            )
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ) and not WHOLE:
                after = tl.load(after_ptr + d, d < D, 0).to(A) if HAS_after else 1.0
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ) and not WHOLE:
                before = tl.load(before_ptr + d, d < D, 0).to(A) if HAS_before else 1.0
            if HAS_ddafter and not WHOLE:
                ddafter = tl.load(ddafter_ptr + d, d < D, 0).to(A)
            if (
                HAS_ddafter
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                xhat = x*rstd  # step 3
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                r = residual + xhat*after  # step 4
                rhat = r*rstd_2  # step 7
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                g = dy*before  # step 39
            if HAS_ddafter or HAS_ddx:
                dresidual = 0.0
            if (HAS_ddafter and HAS_dr) or (HAS_ddx and HAS_dr):
                dresidual += dr  # step 41
            if (HAS_ddafter and HAS_dy) or (HAS_ddx and HAS_dy):
                dresidual += (g - rhat*mean_g_rhat)*rstd_2  # step 41
            if HAS_ddx:
                g_2 = dresidual*after  # step 42
                dg_2 = (ddx - xhat*mean_ddx_xhat)*rstd  # step 51
            if HAS_ddafter or HAS_ddresidual or HAS_ddx or HAS_dr:
                ddr = 0.0
            if HAS_ddresidual:
                ddr += ddresidual  # step 54
            if HAS_ddx:
                ddr += dg_2*after  # step 54
            if HAS_ddafter:
                ddr += xhat*ddafter  # step 54
            if HAS_ddx:
                mean_g_2_xhat_sum += tl.where(inside, g_2*xhat, 0.0)
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                mean_ddr_rhat_sum += tl.where(inside, ddr*rhat, 0.0)
                mean_ddr_g_sum += tl.where(inside, ddr*g, 0.0)
            if HAS_ddx:
                mean_ddx_g_2_sum += tl.where(inside, ddx*g_2, 0.0)
            if HAS_ddafter:
                mean_ddafter_dresidual_xhat_sum += tl.where(
                    inside, dresidual*xhat*ddafter, 0.0
                )
        if HAS_ddx:
            # step 43: mean(g_2*xhat)
            mean_g_2_xhat = tl.sum(mean_g_2_xhat_sum, 1, keep_dims=True)/length
        if (
            (HAS_ddafter and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or (HAS_ddx and HAS_dy)
        ):
            # step 78: mean(ddr*rhat)
            mean_ddr_rhat = tl.sum(mean_ddr_rhat_sum, 1, keep_dims=True)/length
            mean_ddr_g = tl.sum(mean_ddr_g_sum, 1, keep_dims=True)/length  # step 64
        if HAS_ddx:
            mean_ddx_g_2 = tl.sum(mean_ddx_g_2_sum, 1, keep_dims=True)/length  # step 71
        if HAS_ddafter:
            # step 71: mean(dresidual*xhat*ddafter)
            mean_ddafter_dresidual_xhat = tl.sum(
                mean_ddafter_dresidual_xhat_sum, 1, keep_dims=True
            )/length
        if HAS_ddx:
            mean_g_2_xhat_scaled = mean_g_2_xhat*rstd  # step 65, pass 7: once a row
            mean_g_2_xhat_scaled_2 = 2*mean_g_2_xhat  # step 71, pass 8: once a row
        if (
            (HAS_ddafter and HAS_dy)
            or (HAS_ddbefore and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or HAS_ddx
        ):
            mean_d2xhat_part_xhat_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if (
                HAS_ddafter
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                residual = tl.load(residual_row + d*residual_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddafter or HAS_ddx:
                dr = tl.load(dr_row + d*dr_step, inside, 0).to(A) if HAS_dr else 0.0
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            ddresidual = (
                tl.load(ddresidual_row + d*ddresidual_step, inside, 0).to(A)
                if HAS_ddresidual
                else 0.0
            )
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ) and not WHOLE:
                after = tl.load(after_ptr + d, d < D, 0).to(A) if HAS_after else 1.0
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ) and not WHOLE:
                before = tl.load(before_ptr + d, d < D, 0).to(A) if HAS_before else 1.0
            if HAS_ddafter and not WHOLE:
                ddafter = tl.load(ddafter_ptr + d, d < D, 0).to(A)
            if HAS_ddbefore and HAS_dy and not WHOLE:
                ddbefore = tl.load(ddbefore_ptr + d, d < D, 0).to(A)
            if (
                HAS_ddafter
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                xhat = x*rstd  # step 3
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                r = residual + xhat*after  # step 4
                rhat = r*rstd_2  # step 7
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                g = dy*before  # step 39
            if HAS_ddafter or HAS_ddx:
                dresidual = 0.0
            if (HAS_ddafter and HAS_dr) or (HAS_ddx and HAS_dr):
                dresidual += dr  # step 41
            if (HAS_ddafter and HAS_dy) or (HAS_ddx and HAS_dy):
                dresidual += (g - rhat*mean_g_rhat)*rstd_2  # step 41
            if HAS_ddx:
                dg_2 = (ddx - xhat*mean_ddx_xhat)*rstd  # step 51
            if HAS_ddafter or HAS_ddresidual or HAS_ddx or HAS_dr:
                ddr = 0.0
            if HAS_ddresidual:
                ddr += ddresidual  # step 54
            if HAS_ddx:
                ddr += dg_2*after  # step 54
            if HAS_ddafter:
                ddr += xhat*ddafter  # step 54
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                dg = (ddr - rhat*mean_ddr_rhat)*rstd_2  # step 78
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2residual_part = 0.0
            if HAS_ddbefore and HAS_dy:
                d2residual_part += dy*ddbefore
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2residual_part += (
                    (rhat*mean_g_rhat_scaled - g)*mean_ddr_rhat
                    - rhat*mean_ddr_g
                    - ddr*mean_g_rhat
                )*rstd_2
            if HAS_ddbefore and HAS_dy:
                d2residual_part -= rhat*mean_ddbefore_dy_rhat
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2residual = d2residual_part*rstd_2  # step 64, pass 9: once a row
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                d2xhat_part = 0.0
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2xhat_part += d2residual*after  # step 65, pass 10: once a row
            if HAS_ddx:
                d2xhat_part -= ddx*mean_g_2_xhat_scaled  # step 65, pass 10: once a row
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                mean_d2xhat_part_xhat_sum += tl.where(inside, d2xhat_part*xhat, 0.0)
            if (
                (HAS_after and HAS_ddafter and HAS_dy)
                or (HAS_after and HAS_ddbefore and HAS_dy)
                or (HAS_after and HAS_ddresidual and HAS_dy)
                or (HAS_after and HAS_ddx)
            ):
                d2after_part = 0.0
            if (
                (HAS_after and HAS_ddafter and HAS_dy)
                or (HAS_after and HAS_ddbefore and HAS_dy)
                or (HAS_after and HAS_ddresidual and HAS_dy)
                or (HAS_after and HAS_ddx and HAS_dy)
            ):
                d2after_part += d2residual*xhat
            if HAS_after and HAS_ddx:
                d2after_part += dg_2*dresidual
            if (
                (HAS_after and HAS_ddafter and HAS_dy)
                or (HAS_after and HAS_ddbefore and HAS_dy)
                or (HAS_after and HAS_ddresidual and HAS_dy)
                or (HAS_after and HAS_ddx)
            ):
                if WHOLE:
                    d2after += tl.where(inside, d2after_part, 0.0)  # step 73
                else:
                    add_to(sums_ptr + d, tl.where(inside, d2after_part, 0.0), d < D)
            if (
                (HAS_before and HAS_ddafter and HAS_dy)
                or (HAS_before and HAS_ddresidual and HAS_dy)
                or (HAS_before and HAS_ddx and HAS_dy)
            ):
                if WHOLE:
                    d2before += tl.where(inside, dg*dy, 0.0)  # step 79
                else:
                    add_to(sums_ptr + D + d, tl.where(inside, dg*dy, 0.0), d < D)
        if (
            (HAS_ddafter and HAS_dy)
            or (HAS_ddbefore and HAS_dy)
            or (HAS_ddresidual and HAS_dy)
            or HAS_ddx
        ):
            # step 71: mean(d2xhat_part*xhat)
            mean_d2xhat_part_xhat = tl.sum(
                mean_d2xhat_part_xhat_sum, 1, keep_dims=True
            )/length
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            if (
                HAS_ddafter
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                residual = tl.load(residual_row + d*residual_step, inside, 0).to(A)
                dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddafter or HAS_ddx:
                dr = tl.load(dr_row + d*dr_step, inside, 0).to(A) if HAS_dr else 0.0
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            ddresidual = (
                tl.load(ddresidual_row + d*ddresidual_step, inside, 0).to(A)
                if HAS_ddresidual
                else 0.0
            )
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ) and not WHOLE:
                after = tl.load(after_ptr + d, d < D, 0).to(A) if HAS_after else 1.0
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ) and not WHOLE:
                before = tl.load(before_ptr + d, d < D, 0).to(A) if HAS_before else 1.0
            if HAS_ddafter and not WHOLE:
                ddafter = tl.load(ddafter_ptr + d, d < D, 0).to(A)
            if HAS_ddbefore and HAS_dy and not WHOLE:
                ddbefore = tl.load(ddbefore_ptr + d, d < D, 0).to(A)
            if (
                HAS_ddafter
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                xhat = x*rstd  # step 3
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                r = residual + xhat*after  # step 4
                rhat = r*rstd_2  # step 7
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                g = dy*before  # step 39
            if HAS_ddafter or HAS_ddx:
                dresidual = 0.0
            if (HAS_ddafter and HAS_dr) or (HAS_ddx and HAS_dr):
                dresidual += dr  # step 41
            if (HAS_ddafter and HAS_dy) or (HAS_ddx and HAS_dy):
                dresidual += (g - rhat*mean_g_rhat)*rstd_2  # step 41
            if HAS_ddx:
                g_2 = dresidual*after  # step 42
                dg_2 = (ddx - xhat*mean_ddx_xhat)*rstd  # step 51
            if HAS_ddafter or HAS_ddresidual or HAS_ddx or HAS_dr:
                ddr = 0.0
            if HAS_ddresidual:
                ddr += ddresidual  # step 54
            if HAS_ddx:
                ddr += dg_2*after  # step 54
            if HAS_ddafter:
                ddr += xhat*ddafter  # step 54
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                dg = (ddr - rhat*mean_ddr_rhat)*rstd_2  # step 78
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2residual_part = 0.0
            if HAS_ddbefore and HAS_dy:
                d2residual_part += dy*ddbefore
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2residual_part += (
                    (rhat*mean_g_rhat_scaled - g)*mean_ddr_rhat
                    - rhat*mean_ddr_g
                    - ddr*mean_g_rhat
                )*rstd_2
            if HAS_ddbefore and HAS_dy:
                d2residual_part -= rhat*mean_ddbefore_dy_rhat
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2residual = d2residual_part*rstd_2  # step 64, pass 9: once a row
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                d2xhat_part = 0.0
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                d2xhat_part += d2residual*after  # step 65, pass 10: once a row
            if HAS_ddx:
                d2xhat_part -= ddx*mean_g_2_xhat_scaled  # step 65, pass 10: once a row
            if HAS_dy:
                ddy = 0.0
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
            ):
                ddy += dg*before  # step 82
            if HAS_ddbefore and HAS_dy:
                ddy += rhat*ddbefore  # step 82
            if (
                HAS_ddafter
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                d2x_part = 0.0
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                d2x_part += d2xhat_part
            if HAS_ddafter:
                d2x_part += dresidual*ddafter
            if HAS_ddx:
                d2x_part += (
                    (xhat*mean_g_2_xhat_scaled_2 - g_2)*mean_ddx_xhat
                    - xhat*mean_ddx_g_2
                )*rstd
            if (
                (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                d2x_part -= xhat*mean_d2xhat_part_xhat
            if HAS_ddafter:
                d2x_part -= xhat*mean_ddafter_dresidual_xhat
            if (
                HAS_ddafter
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
            ):
                d2x = d2x_part*rstd  # step 71, pass 11: once a row
            tl.store(
                dx_row + d,
                d2x
                if HAS_ddafter
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
                else 0.0,
                inside,
            )
            if HAS_dr:
                tl.store(ddr_row + d, ddr, inside)
            tl.store(
                dresidual_row + d,
                d2residual
                if (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
                else 0.0,
                inside,
            )
            if HAS_dy:
                tl.store(ddy_row + d, ddy, inside)
        if not WHOLE:
            tl.debug_barrier()  # before the sums in memory are read again
    if WHOLE:
        d = tl.arange(0, TILE)[None, :]
        if (
            (HAS_after and HAS_ddafter and HAS_dy)
            or (HAS_after and HAS_ddbefore and HAS_dy)
            or (HAS_after and HAS_ddresidual and HAS_dy)
            or (HAS_after and HAS_ddx)
        ):
            tl.store(sums_ptr + d, tl.sum(d2after, 0, keep_dims=True), d < D)
        if (
            (HAS_before and HAS_ddafter and HAS_dy)
            or (HAS_before and HAS_ddresidual and HAS_dy)
            or (HAS_before and HAS_ddx and HAS_dy)
        ):
            tl.store(sums_ptr + D + d, tl.sum(d2before, 0, keep_dims=True), d < D)


@triton.jit(do_not_specialize=["programs"])
def dual_rms_norm_backward_backward_totals(
    sums_ptr,
    dafter_ptr,
    dbefore_ptr,
    programs,
    D,
    HAS_after: tl.constexpr,
    HAS_before: tl.constexpr,
    HAS_ddafter: tl.constexpr,
    HAS_ddbefore: tl.constexpr,
    HAS_ddresidual: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_dy: tl.constexpr,
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
        if (
            (HAS_after and HAS_ddafter and HAS_dy)
            or (HAS_after and HAS_ddbefore and HAS_dy)
            or (HAS_after and HAS_ddresidual and HAS_dy)
            or (HAS_after and HAS_ddx)
        ):
            d2after = over_programs(sums_ptr + d, d < D, programs, 2*D, AT_ONCE, A)
        if (
            (HAS_before and HAS_ddafter and HAS_dy)
            or (HAS_before and HAS_ddresidual and HAS_dy)
            or (HAS_before and HAS_ddx and HAS_dy)
        ):
            d2before = over_programs(sums_ptr + D + d, d < D, programs, 2*D, AT_ONCE, A)
        if HAS_after:
            tl.store(
                dafter_ptr + d,
                d2after
                if (HAS_ddafter and HAS_dy)
                or (HAS_ddbefore and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or HAS_ddx
                else 0.0,
                inside,
            )
        if HAS_before:
            tl.store(
                dbefore_ptr + d,
                d2before
                if (HAS_ddafter and HAS_dy)
                or (HAS_ddresidual and HAS_dy)
                or (HAS_ddx and HAS_dy)
                else 0.0,
                inside,
            )
