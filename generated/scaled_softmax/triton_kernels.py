# Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
# mypy: ignore-errors
"""Softmax with a learned inverse temperature.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def finite_or_zero(u):
    """The number that exponents are shifted by: inf - inf would be NaN."""
    return tl.where(tl.abs(u) == float("inf"), 0.0, u)


@triton.jit
def over_programs(place, inside, programs, width, AT_ONCE: tl.constexpr, A: tl.constexpr):
    """Add up the partial sums of all programs, in the same order each time."""
    total = tl.zeros([AT_ONCE, place.shape[1]], A)
    for first in range(0, programs, AT_ONCE):
        program = first + tl.arange(0, AT_ONCE)[:, None].to(tl.int64)
        total += tl.load(place + program*width, inside & (program < programs), 0.0)
    return tl.sum(total, 0, keep_dims=True)


@triton.jit(do_not_specialize=["rows"])
def scaled_softmax_forward(
    x_ptr,
    scale_ptr,
    y_ptr,
    m_ptr,
    inv_Z_ptr,
    x_stride,
    x_step,
    rows,
    D,
    HAS_scale: tl.constexpr,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """m = max(scale*x)
    e_shifted = exp(scale*x - m)
    Z = sum(e_shifted)
    inv_Z = 1/Z
    y = inv_Z*e_shifted
    """
    x_stride = x_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        y_row = y_ptr + row*D
        m_max = tl.full([ROWS, TILE], -float("inf"), A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            m_max = tl.maximum(m_max, tl.where(inside, x*scale, -float("inf")))
        m = finite_or_zero(tl.max(m_max, 1, keep_dims=True))  # step 1: max(x*scale)
        Z_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            u = x*scale - m  # step 2
            e_shifted = tl.exp(u)  # step 3
            Z_sum += tl.where(inside, e_shifted, 0.0)
        Z = tl.sum(Z_sum, 1, keep_dims=True)  # step 4: sum(e_shifted)
        inv_Z = 1/Z  # step 5
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            u = x*scale - m  # step 2
            e_shifted = tl.exp(u)  # step 3
            y = e_shifted*inv_Z  # step 6
            tl.store(y_row + d, y, inside)
        if SAVE:
            tl.store(m_ptr + row, m, there)
            tl.store(inv_Z_ptr + row, inv_Z, there)


@triton.jit(do_not_specialize=["rows"])
def scaled_softmax_backward(
    x_ptr,
    dy_ptr,
    m_ptr,
    inv_Z_ptr,
    scale_ptr,
    dx_ptr,
    sums_ptr,
    x_stride,
    x_step,
    dy_stride,
    dy_step,
    rows,
    D,
    HAS_scale: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """du = y*(dy - sum(dy*y))
    dx = scale*du
    dscale = sum_rows(sum(du*x))
    """
    x_stride = x_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * 1
    if HAS_scale:
        dscale = tl.zeros([ROWS, 1], A)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dy_row = dy_ptr + row*dy_stride
        dx_row = dx_ptr + row*D
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_Z = tl.load(inv_Z_ptr + row, there, 0).to(A)
        sum_dy_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            u = x*scale - m  # step 2
            e_shifted = tl.exp(u)  # step 3
            y = e_shifted*inv_Z  # step 6
            sum_dy_y_sum += tl.where(inside, dy*y, 0.0)
        sum_dy_y = tl.sum(sum_dy_y_sum, 1, keep_dims=True)  # step 14: sum(dy*y)
        if HAS_scale:
            sum_du_x_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            u = x*scale - m  # step 2
            e_shifted = tl.exp(u)  # step 3
            y = e_shifted*inv_Z  # step 6
            du = (dy - sum_dy_y)*y  # step 14
            dx = du*scale  # step 17
            if HAS_scale:
                sum_du_x_sum += tl.where(inside, du*x, 0.0)
            tl.store(dx_row + d, dx, inside)
        if HAS_scale:
            sum_du_x = tl.sum(sum_du_x_sum, 1, keep_dims=True)  # step 18: sum(du*x)
            dscale += tl.where(there, sum_du_x, 0.0)  # step 18
    if HAS_scale:
        tl.store(sums_ptr, tl.sum(dscale))


@triton.jit(do_not_specialize=["programs"])
def scaled_softmax_backward_totals(
    sums_ptr,
    dscale_ptr,
    programs,
    D,
    HAS_scale: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    if HAS_scale:
        # step 18
        dscale = over_programs(
            sums_ptr + tl.zeros([1, 1], tl.int32), True, programs, 1, AT_ONCE, A
        )
        tl.store(dscale_ptr + tl.zeros([1, 1], tl.int32), dscale)


@triton.jit(do_not_specialize=["rows"])
def scaled_softmax_jvp(
    x_ptr,
    x_dot_ptr,
    m_ptr,
    inv_Z_ptr,
    scale_ptr,
    scale_dot_ptr,
    y_dot_ptr,
    x_stride,
    x_step,
    x_dot_stride,
    x_dot_step,
    rows,
    D,
    HAS_scale: tl.constexpr,
    HAS_scale_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """u_dot = scale_dot*x + scale*x_dot
    y_dot = y*(u_dot - sum(u_dot*y))
    """
    x_stride = x_stride // EVEN * EVEN
    x_dot_stride = x_dot_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    if HAS_scale_dot:
        scale_dot = tl.load(scale_dot_ptr).to(A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        if HAS_x_dot:
            x_dot_row = x_dot_ptr + row*x_dot_stride
        y_dot_row = y_dot_ptr + row*D
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_Z = tl.load(inv_Z_ptr + row, there, 0).to(A)
        sum_u_dot_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            u = x*scale - m  # step 2
            e_shifted = tl.exp(u)  # step 3
            y = e_shifted*inv_Z  # step 6
            u_dot = 0.0
            if HAS_scale_dot:
                u_dot += x*scale_dot  # step 19
            if HAS_x_dot:
                u_dot += x_dot*scale  # step 19
            sum_u_dot_y_sum += tl.where(inside, u_dot*y, 0.0)
        sum_u_dot_y = tl.sum(sum_u_dot_y_sum, 1, keep_dims=True)  # step 26
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            u = x*scale - m  # step 2
            e_shifted = tl.exp(u)  # step 3
            y = e_shifted*inv_Z  # step 6
            u_dot = 0.0
            if HAS_scale_dot:
                u_dot += x*scale_dot  # step 19
            if HAS_x_dot:
                u_dot += x_dot*scale  # step 19
            y_dot = (u_dot - sum_u_dot_y)*y  # step 26
            tl.store(y_dot_row + d, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def scaled_softmax_backward_backward(
    x_ptr,
    dy_ptr,
    ddx_ptr,
    m_ptr,
    inv_Z_ptr,
    scale_ptr,
    ddscale_ptr,
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
    HAS_ddscale: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_scale: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """mean_dy_y = mean(dy*y)
    du = y*(dy - D*mean_dy_y)
    ddu = ddscale*x + scale*ddx
    d2y_part = ddu*(dy - D*mean_dy_y)
    d2u = y*(d2y_part + D*(mean(ddu*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
    d2x = scale*d2u + ddscale*du
    d2scale = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
    ddy = y*(ddu - sum(ddu*y))
    """
    x_stride = x_stride // EVEN * EVEN
    dy_stride = dy_stride // EVEN * EVEN
    ddx_stride = ddx_stride // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    length = tl.cast(D, A)
    scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    if HAS_ddscale:
        ddscale = tl.load(ddscale_ptr).to(A)
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * 1
    if HAS_scale:
        d2scale = tl.zeros([ROWS, 1], A)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_row = x_ptr + row*x_stride
        dy_row = dy_ptr + row*dy_stride
        if HAS_ddx:
            ddx_row = ddx_ptr + row*ddx_stride
        dx_row = dx_ptr + row*D
        ddy_row = ddy_ptr + row*D
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_Z = tl.load(inv_Z_ptr + row, there, 0).to(A)
        mean_dy_y_sum = tl.zeros([ROWS, TILE], A)
        mean_ddu_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            u = x*scale - m  # step 2
            e_shifted = tl.exp(u)  # step 3
            y = e_shifted*inv_Z  # step 6
            ddu = 0.0
            if HAS_ddx:
                ddu += ddx*scale  # step 36
            if HAS_ddscale:
                ddu += x*ddscale  # step 36
            mean_dy_y_sum += tl.where(inside, dy*y, 0.0)
            mean_ddu_y_sum += tl.where(inside, ddu*y, 0.0)
        mean_dy_y = tl.sum(mean_dy_y_sum, 1, keep_dims=True)/length  # step 27
        mean_ddu_y = tl.sum(mean_ddu_y_sum, 1, keep_dims=True)/length  # step 47
        mean_dy_y_scaled = mean_dy_y*length  # step 28, pass 1: once a row
        sum_ddu_y = mean_ddu_y*length  # step 58, pass 2: shared reductions
        mean_d2y_part_y_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx and HAS_scale:
            mean_ddx_du_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            u = x*scale - m  # step 2
            e_shifted = tl.exp(u)  # step 3
            y = e_shifted*inv_Z  # step 6
            ddu = 0.0
            if HAS_ddx:
                ddu += ddx*scale  # step 36
            if HAS_ddscale:
                ddu += x*ddscale  # step 36
            if HAS_ddscale or (HAS_ddx and HAS_scale):
                du = (dy - mean_dy_y_scaled)*y  # step 28, pass 3: once a row
            d2y_part = (dy - mean_dy_y_scaled)*ddu  # step 37, pass 4: once a row
            mean_d2y_part_y_sum += tl.where(inside, d2y_part*y, 0.0)
            if HAS_ddx and HAS_scale:
                mean_ddx_du_sum += tl.where(inside, ddx*du, 0.0)
        # step 47: mean(d2y_part*y)
        mean_d2y_part_y = tl.sum(mean_d2y_part_y_sum, 1, keep_dims=True)/length
        if HAS_ddx and HAS_scale:
            mean_ddx_du = tl.sum(mean_ddx_du_sum, 1, keep_dims=True)/length  # step 53
        if HAS_scale:
            mean_d2u_x_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            u = x*scale - m  # step 2
            e_shifted = tl.exp(u)  # step 3
            y = e_shifted*inv_Z  # step 6
            ddu = 0.0
            if HAS_ddx:
                ddu += ddx*scale  # step 36
            if HAS_ddscale:
                ddu += x*ddscale  # step 36
            if HAS_ddscale or (HAS_ddx and HAS_scale):
                du = (dy - mean_dy_y_scaled)*y  # step 28, pass 3: once a row
            d2y_part = (dy - mean_dy_y_scaled)*ddu  # step 37, pass 4: once a row
            ddy = (ddu - sum_ddu_y)*y  # step 58
            # step 47, pass 5: once a row
            d2u = (
                d2y_part + ((mean_dy_y_scaled - dy)*mean_ddu_y - mean_d2y_part_y)*length
            )*y
            d2x = d2u*scale  # step 51
            if HAS_ddscale:
                d2x += du*ddscale  # step 51
            if HAS_scale:
                mean_d2u_x_sum += tl.where(inside, d2u*x, 0.0)
            tl.store(dx_row + d, d2x, inside)
            tl.store(ddy_row + d, ddy, inside)
        if HAS_scale:
            mean_d2u_x = tl.sum(mean_d2u_x_sum, 1, keep_dims=True)/length  # step 53
            mean_ddx_du_scaled_part = mean_d2u_x
        if HAS_ddx and HAS_scale:
            mean_ddx_du_scaled_part += mean_ddx_du
        if HAS_scale:
            mean_ddx_du_scaled = mean_ddx_du_scaled_part*length  # step 53, pass 6
            d2scale += tl.where(there, mean_ddx_du_scaled, 0.0)  # step 53, pass 7
    if HAS_scale:
        tl.store(sums_ptr, tl.sum(d2scale))


@triton.jit(do_not_specialize=["programs"])
def scaled_softmax_backward_backward_totals(
    sums_ptr,
    dscale_ptr,
    programs,
    D,
    HAS_scale: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    AT_ONCE: tl.constexpr,
):
    """The results that are sums over rows, of the partial sums of all programs."""
    if HAS_scale:
        # step 53, pass 7: once a row
        d2scale = over_programs(
            sums_ptr + tl.zeros([1, 1], tl.int32), True, programs, 1, AT_ONCE, A
        )
        tl.store(dscale_ptr + tl.zeros([1, 1], tl.int32), d2scale)
