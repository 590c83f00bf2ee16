# Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
# mypy: ignore-errors
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

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
def causal_softmax_forward(
    x_ptr,
    position_ptr,
    scale_ptr,
    y_ptr,
    m_ptr,
    inv_sum_e_shifted_ptr,
    x_stride_rest,
    x_stride_q,
    x_step,
    position_stride_q,
    y_stride_rest,
    y_stride_q,
    y_step,
    q_size,
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
    """m = max(where(index() <= position, scale*x, -1e38))
    u = where(index() <= position, scale*x - m, 0)
    exp_u = exp(u)
    e_shifted = where(index() <= position, exp_u, 0)
    sum_e_shifted = sum(e_shifted)
    inv_sum_e_shifted = 1/sum_e_shifted
    y = inv_sum_e_shifted*e_shifted
    """
    x_stride_rest = x_stride_rest // EVEN * EVEN
    x_stride_q = x_stride_q // EVEN * EVEN
    y_stride_rest = y_stride_rest // EVEN * EVEN
    y_stride_q = y_stride_q // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    y_step = tl.cast(y_step, tl.int64)
    scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        rest_index = row // q_size
        q_index = row % q_size
        x_row = x_ptr + rest_index*x_stride_rest + q_index*x_stride_q
        y_row = y_ptr + rest_index*y_stride_rest + q_index*y_stride_q
        position = tl.load(position_ptr + q_index*position_stride_q, there, 0).to(
            tl.int64
        )
        m_max = tl.full([ROWS, TILE], -float("inf"), A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            m_max = tl.maximum(
                m_max,
                tl.where(
                    inside, tl.where(d <= position, x*scale, -1e+38), -float("inf")
                ),
            )
        m = finite_or_zero(tl.max(m_max, 1, keep_dims=True))  # step 1
        sum_e_shifted_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            u = tl.where(d <= position, x*scale - m, 0)  # step 2
            exp_u = tl.exp(u)  # step 3
            e_shifted = tl.where(d <= position, exp_u, 0)  # step 4
            sum_e_shifted_sum += tl.where(inside, e_shifted, 0.0)
        sum_e_shifted = tl.sum(sum_e_shifted_sum, 1, keep_dims=True)  # step 5
        inv_sum_e_shifted = 1/sum_e_shifted  # step 6
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            u = tl.where(d <= position, x*scale - m, 0)  # step 2
            exp_u = tl.exp(u)  # step 3
            e_shifted = tl.where(d <= position, exp_u, 0)  # step 4
            y = e_shifted*inv_sum_e_shifted  # step 7
            tl.store(y_row + d*y_step, y, inside)
        if SAVE:
            tl.store(m_ptr + row, m, there)
            tl.store(inv_sum_e_shifted_ptr + row, inv_sum_e_shifted, there)


@triton.jit(do_not_specialize=["rows"])
def causal_softmax_backward(
    x_ptr,
    position_ptr,
    dy_ptr,
    m_ptr,
    inv_sum_e_shifted_ptr,
    scale_ptr,
    dx_ptr,
    sums_ptr,
    x_stride_rest,
    x_stride_q,
    x_step,
    position_stride_q,
    dy_stride_rest,
    dy_stride_q,
    dy_step,
    dx_stride_rest,
    dx_stride_q,
    dx_step,
    q_size,
    rows,
    D,
    HAS_scale: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """du = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - sum(dy*y)), 0)
    dx = where(index() <= position, scale*du, 0)
    dscale = sum_rows(sum(where(index() <= position, du*x, 0)))
    """
    x_stride_rest = x_stride_rest // EVEN * EVEN
    x_stride_q = x_stride_q // EVEN * EVEN
    dy_stride_rest = dy_stride_rest // EVEN * EVEN
    dy_stride_q = dy_stride_q // EVEN * EVEN
    dx_stride_rest = dx_stride_rest // EVEN * EVEN
    dx_stride_q = dx_stride_q // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    program = tl.program_id(0).to(tl.int64)
    sums_ptr += program * 1
    if HAS_scale:
        dscale = tl.zeros([ROWS, 1], A)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        rest_index = row // q_size
        q_index = row % q_size
        x_row = x_ptr + rest_index*x_stride_rest + q_index*x_stride_q
        dy_row = dy_ptr + rest_index*dy_stride_rest + q_index*dy_stride_q
        dx_row = dx_ptr + rest_index*dx_stride_rest + q_index*dx_stride_q
        position = tl.load(position_ptr + q_index*position_stride_q, there, 0).to(
            tl.int64
        )
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_sum_e_shifted = tl.load(inv_sum_e_shifted_ptr + row, there, 0).to(A)
        sum_dy_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            u = tl.where(d <= position, x*scale - m, 0)  # step 2
            exp_u = tl.exp(u)  # step 3
            e_shifted = tl.where(d <= position, exp_u, 0)  # step 4
            y = e_shifted*inv_sum_e_shifted  # step 7
            sum_dy_y_sum += tl.where(inside, dy*y, 0.0)
        sum_dy_y = tl.sum(sum_dy_y_sum, 1, keep_dims=True)  # step 17: sum(dy*y)
        if HAS_scale:
            sum_du_index_x_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            u = tl.where(d <= position, x*scale - m, 0)  # step 2
            exp_u = tl.exp(u)  # step 3
            # step 17
            du = tl.where(d <= position, (dy - sum_dy_y)*exp_u*inv_sum_e_shifted, 0)
            dx = tl.where(d <= position, du*scale, 0)  # step 18
            if HAS_scale:
                sum_du_index_x_sum += tl.where(
                    inside, tl.where(d <= position, du*x, 0), 0.0
                )
            tl.store(dx_row + d*dx_step, dx, inside)
        if HAS_scale:
            sum_du_index_x = tl.sum(sum_du_index_x_sum, 1, keep_dims=True)  # step 19
            dscale += tl.where(there, sum_du_index_x, 0.0)  # step 19
    if HAS_scale:
        tl.store(sums_ptr, tl.sum(dscale))


@triton.jit(do_not_specialize=["programs"])
def causal_softmax_backward_totals(
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
        # step 19
        dscale = over_programs(
            sums_ptr + tl.zeros([1, 1], tl.int32), True, programs, 1, AT_ONCE, A
        )
        tl.store(dscale_ptr + tl.zeros([1, 1], tl.int32), dscale)


@triton.jit(do_not_specialize=["rows"])
def causal_softmax_jvp(
    x_ptr,
    position_ptr,
    x_dot_ptr,
    m_ptr,
    inv_sum_e_shifted_ptr,
    scale_ptr,
    scale_dot_ptr,
    y_dot_ptr,
    x_stride_rest,
    x_stride_q,
    x_step,
    position_stride_q,
    x_dot_stride_rest,
    x_dot_stride_q,
    x_dot_step,
    y_dot_stride_rest,
    y_dot_stride_q,
    y_dot_step,
    q_size,
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
    """e_shifted_dot = where(index() <= position, exp_u*(scale_dot*x + scale*x_dot), 0)
    y_dot = inv_sum_e_shifted*(e_shifted_dot - y*sum(e_shifted_dot))
    """
    x_stride_rest = x_stride_rest // EVEN * EVEN
    x_stride_q = x_stride_q // EVEN * EVEN
    x_dot_stride_rest = x_dot_stride_rest // EVEN * EVEN
    x_dot_stride_q = x_dot_stride_q // EVEN * EVEN
    y_dot_stride_rest = y_dot_stride_rest // EVEN * EVEN
    y_dot_stride_q = y_dot_stride_q // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    y_dot_step = tl.cast(y_dot_step, tl.int64)
    scale = tl.load(scale_ptr).to(A) if HAS_scale else 1.0
    if HAS_scale_dot:
        scale_dot = tl.load(scale_dot_ptr).to(A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        rest_index = row // q_size
        q_index = row % q_size
        x_row = x_ptr + rest_index*x_stride_rest + q_index*x_stride_q
        if HAS_x_dot:
            x_dot_row = (
                x_dot_ptr + rest_index*x_dot_stride_rest + q_index*x_dot_stride_q
            )
        y_dot_row = y_dot_ptr + rest_index*y_dot_stride_rest + q_index*y_dot_stride_q
        position = tl.load(position_ptr + q_index*position_stride_q, there, 0).to(
            tl.int64
        )
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_sum_e_shifted = tl.load(inv_sum_e_shifted_ptr + row, there, 0).to(A)
        sum_e_shifted_dot_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            u = tl.where(d <= position, x*scale - m, 0)  # step 2
            exp_u = tl.exp(u)  # step 3
            e_shifted_dot_part = 0.0
            if HAS_scale_dot:
                e_shifted_dot_part += x*scale_dot
            if HAS_x_dot:
                e_shifted_dot_part += x_dot*scale
            # step 25
            e_shifted_dot = tl.where(d <= position, exp_u*e_shifted_dot_part, 0)
            sum_e_shifted_dot_sum += tl.where(inside, e_shifted_dot, 0.0)
        sum_e_shifted_dot = tl.sum(sum_e_shifted_dot_sum, 1, keep_dims=True)  # step 30
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            if HAS_x_dot:
                x_dot = tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A)
            u = tl.where(d <= position, x*scale - m, 0)  # step 2
            exp_u = tl.exp(u)  # step 3
            e_shifted_dot_part = 0.0
            if HAS_scale_dot:
                e_shifted_dot_part += x*scale_dot
            if HAS_x_dot:
                e_shifted_dot_part += x_dot*scale
            # step 25
            e_shifted_dot = tl.where(d <= position, exp_u*e_shifted_dot_part, 0)
            e_shifted = tl.where(d <= position, exp_u, 0)  # step 4
            y = e_shifted*inv_sum_e_shifted  # step 7
            y_dot = (e_shifted_dot - y*sum_e_shifted_dot)*inv_sum_e_shifted  # step 30
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def causal_softmax_backward_backward(
    x_ptr,
    position_ptr,
    dy_ptr,
    ddx_ptr,
    m_ptr,
    inv_sum_e_shifted_ptr,
    scale_ptr,
    ddscale_ptr,
    dx_ptr,
    ddy_ptr,
    sums_ptr,
    x_stride_rest,
    x_stride_q,
    x_step,
    position_stride_q,
    dy_stride_rest,
    dy_stride_q,
    dy_step,
    ddx_stride_rest,
    ddx_stride_q,
    ddx_step,
    dx_stride_rest,
    dx_stride_q,
    dx_step,
    ddy_stride_rest,
    ddy_stride_q,
    ddy_step,
    q_size,
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
    du = where(index() <= position, inv_sum_e_shifted*exp_u*(dy - D*mean_dy_y), 0)
    ddu = where(index() <= position, ddscale*x + scale*ddx, 0)
    d2u = where(index() <= position, exp_u*(inv_sum_e_shifted*ddu*(dy - D*mean_dy_y)
        + inv_sum_e_shifted*(mean(where(index() <= position,
        -D*inv_sum_e_shifted*ddu*exp_u, 0))*(dy - D*mean_dy_y) -
        inv_sum_e_shifted*sum(where(index() <= position, ddu*exp_u*(dy -
        D*mean_dy_y), 0)))), 0)
    d2x = where(index() <= position, scale*d2u + ddscale*du, 0)
    d2scale = sum_rows(D*(mean(where(index() <= position, d2u*x, 0)) +
        mean(where(index() <= position, ddx*du, 0))))
    ddy = where(index() <= position, inv_sum_e_shifted*ddu*exp_u, 0) +
        y*mean(where(index() <= position, -D*inv_sum_e_shifted*ddu*exp_u, 0))
    """
    x_stride_rest = x_stride_rest // EVEN * EVEN
    x_stride_q = x_stride_q // EVEN * EVEN
    dy_stride_rest = dy_stride_rest // EVEN * EVEN
    dy_stride_q = dy_stride_q // EVEN * EVEN
    ddx_stride_rest = ddx_stride_rest // EVEN * EVEN
    ddx_stride_q = ddx_stride_q // EVEN * EVEN
    dx_stride_rest = dx_stride_rest // EVEN * EVEN
    dx_stride_q = dx_stride_q // EVEN * EVEN
    ddy_stride_rest = ddy_stride_rest // EVEN * EVEN
    ddy_stride_q = ddy_stride_q // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    ddy_step = tl.cast(ddy_step, tl.int64)
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
        rest_index = row // q_size
        q_index = row % q_size
        x_row = x_ptr + rest_index*x_stride_rest + q_index*x_stride_q
        dy_row = dy_ptr + rest_index*dy_stride_rest + q_index*dy_stride_q
        if HAS_ddx:
            ddx_row = ddx_ptr + rest_index*ddx_stride_rest + q_index*ddx_stride_q
        dx_row = dx_ptr + rest_index*dx_stride_rest + q_index*dx_stride_q
        ddy_row = ddy_ptr + rest_index*ddy_stride_rest + q_index*ddy_stride_q
        position = tl.load(position_ptr + q_index*position_stride_q, there, 0).to(
            tl.int64
        )
        m = tl.load(m_ptr + row, there, 0).to(A)
        inv_sum_e_shifted = tl.load(inv_sum_e_shifted_ptr + row, there, 0).to(A)
        inv_sum_e_shifted_scaled = inv_sum_e_shifted*length  # step 53, pass 4
        mean_dy_y_sum = tl.zeros([ROWS, TILE], A)
        mean_ddu_exp_u_index_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            u = tl.where(d <= position, x*scale - m, 0)  # step 2
            exp_u = tl.exp(u)  # step 3
            e_shifted = tl.where(d <= position, exp_u, 0)  # step 4
            y = e_shifted*inv_sum_e_shifted  # step 7
            ddu_part = 0.0
            if HAS_ddx:
                ddu_part += ddx*scale
            if HAS_ddscale:
                ddu_part += x*ddscale
            ddu = tl.where(d <= position, ddu_part, 0)  # step 41
            mean_dy_y_sum += tl.where(inside, dy*y, 0.0)
            mean_ddu_exp_u_index_sum += tl.where(
                inside,
                tl.where(d <= position, -ddu*exp_u*inv_sum_e_shifted_scaled, 0),
                0.0,
            )
        mean_dy_y = tl.sum(mean_dy_y_sum, 1, keep_dims=True)/length  # step 31
        # step 53, pass 6: mean(where(index() <= position, -ddu*exp_u*inv_sum_e_shifted_scaled, 0))
        mean_ddu_exp_u_index = tl.sum(
            mean_ddu_exp_u_index_sum, 1, keep_dims=True
        )/length
        mean_dy_y_scaled = mean_dy_y*length  # step 32, pass 8: once a row
        sum_ddu_dy_exp_u_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx and HAS_scale:
            mean_ddx_du_index_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            u = tl.where(d <= position, x*scale - m, 0)  # step 2
            exp_u = tl.exp(u)  # step 3
            ddu_part = 0.0
            if HAS_ddx:
                ddu_part += ddx*scale
            if HAS_ddscale:
                ddu_part += x*ddscale
            ddu = tl.where(d <= position, ddu_part, 0)  # step 41
            if HAS_ddscale or (HAS_ddx and HAS_scale):
                # step 32, pass 9: once a row
                du = tl.where(
                    d <= position, (dy - mean_dy_y_scaled)*exp_u*inv_sum_e_shifted, 0
                )
            sum_ddu_dy_exp_u_sum += tl.where(
                inside,
                tl.where(d <= position, (dy - mean_dy_y_scaled)*ddu*exp_u, 0),
                0.0,
            )
            if HAS_ddx and HAS_scale:
                mean_ddx_du_index_sum += tl.where(
                    inside, tl.where(d <= position, ddx*du, 0), 0.0
                )
        # step 53, pass 11: sum(where(index() <= position, (dy - mean_dy_y_scaled)*ddu*exp_u, 0))
        sum_ddu_dy_exp_u = tl.sum(sum_ddu_dy_exp_u_sum, 1, keep_dims=True)
        if HAS_ddx and HAS_scale:
            # step 60: mean(where(index() <= position, ddx*du, 0))
            mean_ddx_du_index = tl.sum(mean_ddx_du_index_sum, 1, keep_dims=True)/length
        # step 53, pass 12: once a row
        inv_sum_e_shifted_scaled_2 = inv_sum_e_shifted*sum_ddu_dy_exp_u
        if HAS_scale:
            mean_d2u_index_x_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            u = tl.where(d <= position, x*scale - m, 0)  # step 2
            exp_u = tl.exp(u)  # step 3
            e_shifted = tl.where(d <= position, exp_u, 0)  # step 4
            y = e_shifted*inv_sum_e_shifted  # step 7
            ddu_part = 0.0
            if HAS_ddx:
                ddu_part += ddx*scale
            if HAS_ddscale:
                ddu_part += x*ddscale
            ddu = tl.where(d <= position, ddu_part, 0)  # step 41
            if HAS_ddscale or (HAS_ddx and HAS_scale):
                # step 32, pass 9: once a row
                du = tl.where(
                    d <= position, (dy - mean_dy_y_scaled)*exp_u*inv_sum_e_shifted, 0
                )
            # step 64
            ddy = y*mean_ddu_exp_u_index + tl.where(
                d <= position, ddu*exp_u*inv_sum_e_shifted, 0
            )
            # step 53, pass 13: once a row
            d2u = tl.where(
                d <= position,
                exp_u*(
                    (dy - mean_dy_y_scaled)*ddu*inv_sum_e_shifted
                    + (
                        (dy - mean_dy_y_scaled)*mean_ddu_exp_u_index
                        - inv_sum_e_shifted_scaled_2
                    )*inv_sum_e_shifted
                ),
                0,
            )
            d2x_part = d2u*scale
            if HAS_ddscale:
                d2x_part += du*ddscale
            d2x = tl.where(d <= position, d2x_part, 0)  # step 58
            if HAS_scale:
                mean_d2u_index_x_sum += tl.where(
                    inside, tl.where(d <= position, d2u*x, 0), 0.0
                )
            tl.store(dx_row + d*dx_step, d2x, inside)
            tl.store(ddy_row + d*ddy_step, ddy, inside)
        if HAS_scale:
            # step 60: mean(where(index() <= position, d2u*x, 0))
            mean_d2u_index_x = tl.sum(mean_d2u_index_x_sum, 1, keep_dims=True)/length
            mean_ddx_du_index_scaled_part = mean_d2u_index_x
        if HAS_ddx and HAS_scale:
            mean_ddx_du_index_scaled_part += mean_ddx_du_index
        if HAS_scale:
            # step 60, pass 14: once a row
            mean_ddx_du_index_scaled = mean_ddx_du_index_scaled_part*length
            # step 60, pass 15: once a row
            d2scale += tl.where(there, mean_ddx_du_index_scaled, 0.0)
    if HAS_scale:
        tl.store(sums_ptr, tl.sum(d2scale))


@triton.jit(do_not_specialize=["programs"])
def causal_softmax_backward_backward_totals(
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
        # step 60, pass 15: once a row
        d2scale = over_programs(
            sums_ptr + tl.zeros([1, 1], tl.int32), True, programs, 1, AT_ONCE, A
        )
        tl.store(dscale_ptr + tl.zeros([1, 1], tl.int32), d2scale)
