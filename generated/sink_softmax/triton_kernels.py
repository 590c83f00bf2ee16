# Made by lngen 0.1.0 from the definition of sink_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit sink_softmax.py and run: lngen derive sink_softmax.py
# definition sha256:85de87b67725f2db6415d52ce8ee109a8b1ab48120c2fc9ba15663e407abd30f
# mypy: ignore-errors
"""Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def largest(u):
    """The largest number of each row, NaN where one is."""
    is_nan = tl.max(tl.where(u <= float("inf"), 0, 1), 1, keep_dims=True)
    return tl.where(is_nan > 0, float("nan"), tl.max(u, 1, keep_dims=True))


@triton.jit(do_not_specialize=["rows"])
def sink_softmax_forward(
    x_ptr,
    sink_ptr,
    y_ptr,
    exp_largest_sink_ptr,
    scale_ptr,
    x_stride_b,
    x_stride_h,
    x_stride_q,
    x_step,
    sink_stride_h,
    y_stride_b,
    y_stride_h,
    y_stride_q,
    y_step,
    h_size,
    q_size,
    rows,
    D,
    HAS_sink: tl.constexpr,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """m = max(x)
    largest = where(m > sink, m, sink)
    e_shifted = exp(x - largest)
    Z = sum(e_shifted)
    exp_largest_sink = exp(sink - largest)
    scale = 1/(Z + exp_largest_sink)
    y = scale*e_shifted
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    x_stride_q = x_stride_q // EVEN * EVEN
    y_stride_b = y_stride_b // EVEN * EVEN
    y_stride_h = y_stride_h // EVEN * EVEN
    y_stride_q = y_stride_q // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    y_step = tl.cast(y_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*q_size)
        h_index = row // q_size % h_size
        q_index = row % q_size
        x_row = x_ptr + b_index*x_stride_b + h_index*x_stride_h + q_index*x_stride_q
        y_row = y_ptr + b_index*y_stride_b + h_index*y_stride_h + q_index*y_stride_q
        sink = (
            tl.load(sink_ptr + h_index*sink_stride_h, there, 0).to(A)
            if HAS_sink
            else 0.0
        )
        m_max = tl.full([ROWS, TILE], -float("inf"), A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            m_max = tl.maximum(
                m_max, tl.where(inside, x, -float("inf")), tl.PropagateNan.ALL
            )
        m = largest(m_max)  # step 1: max(x)
        # step 2
        largest_ = tl.where(
            m > (sink if HAS_sink else 0.0), m, (sink if HAS_sink else 0.0)
        )
        exp_largest_sink_part = 0.0
        if HAS_sink:
            exp_largest_sink_part += sink
        exp_largest_sink_part -= largest_
        exp_largest_sink = tl.exp(exp_largest_sink_part)  # step 6
        Z_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - largest_  # step 3
            e_shifted = tl.exp(x_shifted)  # step 4
            Z_sum += tl.where(inside, e_shifted, 0.0)
        Z = tl.sum(Z_sum, 1, keep_dims=True)  # step 5: sum(e_shifted)
        scale = 1/(Z + exp_largest_sink)  # step 7
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            x_shifted = x - largest_  # step 3
            e_shifted = tl.exp(x_shifted)  # step 4
            y = e_shifted*scale  # step 8
            tl.store(y_row + d*y_step, y, inside)
        if SAVE:
            tl.store(exp_largest_sink_ptr + row, exp_largest_sink, there)
            tl.store(scale_ptr + row, scale, there)


@triton.jit(do_not_specialize=["rows"])
def sink_softmax_backward(
    y_ptr,
    dy_ptr,
    exp_largest_sink_ptr,
    scale_ptr,
    dx_ptr,
    dsink_ptr,
    y_stride_b,
    y_stride_h,
    y_stride_q,
    y_step,
    dy_stride_b,
    dy_stride_h,
    dy_stride_q,
    dy_step,
    dx_stride_b,
    dx_stride_h,
    dx_stride_q,
    dx_step,
    h_size,
    q_size,
    rows,
    D,
    HAS_sink: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dx = y*(dy - sum(dy*y))
    dsink = sum(-exp_largest_sink*scale*sum(dy*y), "b q")
    """
    y_stride_b = y_stride_b // EVEN * EVEN
    y_stride_h = y_stride_h // EVEN * EVEN
    y_stride_q = y_stride_q // EVEN * EVEN
    dy_stride_b = dy_stride_b // EVEN * EVEN
    dy_stride_h = dy_stride_h // EVEN * EVEN
    dy_stride_q = dy_stride_q // EVEN * EVEN
    dx_stride_b = dx_stride_b // EVEN * EVEN
    dx_stride_h = dx_stride_h // EVEN * EVEN
    dx_stride_q = dx_stride_q // EVEN * EVEN
    D = D // EVEN * EVEN
    y_step = tl.cast(y_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*q_size)
        h_index = row // q_size % h_size
        q_index = row % q_size
        y_row = y_ptr + b_index*y_stride_b + h_index*y_stride_h + q_index*y_stride_q
        dy_row = (
            dy_ptr + b_index*dy_stride_b + h_index*dy_stride_h + q_index*dy_stride_q
        )
        dx_row = (
            dx_ptr + b_index*dx_stride_b + h_index*dx_stride_h + q_index*dx_stride_q
        )
        if HAS_sink:
            exp_largest_sink = tl.load(exp_largest_sink_ptr + row, there, 0).to(A)
            scale = tl.load(scale_ptr + row, there, 0).to(A)
        sum_dy_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            y = tl.load(y_row + d*y_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            sum_dy_y_sum += dy*y
        sum_dy_y = tl.sum(sum_dy_y_sum, 1, keep_dims=True)  # step 18: sum(dy*y)
        if HAS_sink:
            dsink = -exp_largest_sink*scale*sum_dy_y  # step 22
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            y = tl.load(y_row + d*y_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            dx = (dy - sum_dy_y)*y  # step 18
            tl.store(dx_row + d*dx_step, dx, inside)
        if HAS_sink:
            tl.store(dsink_ptr + row, dsink, there)


@triton.jit(do_not_specialize=["rows"])
def sink_softmax_jvp(
    y_ptr,
    x_dot_ptr,
    sink_dot_ptr,
    exp_largest_sink_ptr,
    scale_ptr,
    y_dot_ptr,
    y_stride_b,
    y_stride_h,
    y_stride_q,
    y_step,
    x_dot_stride_b,
    x_dot_stride_h,
    x_dot_stride_q,
    x_dot_step,
    sink_dot_stride_h,
    y_dot_stride_b,
    y_dot_stride_h,
    y_dot_stride_q,
    y_dot_step,
    h_size,
    q_size,
    rows,
    D,
    HAS_sink_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """y_dot = y*(x_dot - exp_largest_sink*scale*sink_dot - sum(x_dot*y))"""
    y_stride_b = y_stride_b // EVEN * EVEN
    y_stride_h = y_stride_h // EVEN * EVEN
    y_stride_q = y_stride_q // EVEN * EVEN
    x_dot_stride_b = x_dot_stride_b // EVEN * EVEN
    x_dot_stride_h = x_dot_stride_h // EVEN * EVEN
    x_dot_stride_q = x_dot_stride_q // EVEN * EVEN
    y_dot_stride_b = y_dot_stride_b // EVEN * EVEN
    y_dot_stride_h = y_dot_stride_h // EVEN * EVEN
    y_dot_stride_q = y_dot_stride_q // EVEN * EVEN
    D = D // EVEN * EVEN
    y_step = tl.cast(y_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    y_dot_step = tl.cast(y_dot_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*q_size)
        h_index = row // q_size % h_size
        q_index = row % q_size
        y_row = y_ptr + b_index*y_stride_b + h_index*y_stride_h + q_index*y_stride_q
        if HAS_x_dot:
            x_dot_row = (
                x_dot_ptr
                + b_index*x_dot_stride_b
                + h_index*x_dot_stride_h
                + q_index*x_dot_stride_q
            )
        y_dot_row = (
            y_dot_ptr
            + b_index*y_dot_stride_b
            + h_index*y_dot_stride_h
            + q_index*y_dot_stride_q
        )
        if HAS_sink_dot:
            sink_dot = tl.load(sink_dot_ptr + h_index*sink_dot_stride_h, there, 0).to(A)
            exp_largest_sink = tl.load(exp_largest_sink_ptr + row, there, 0).to(A)
            scale = tl.load(scale_ptr + row, there, 0).to(A)
            exp_largest_sink_scaled = exp_largest_sink*scale*sink_dot  # step 30, pass 1
        if HAS_x_dot:
            sum_x_dot_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            y = tl.load(y_row + d*y_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            if HAS_x_dot:
                sum_x_dot_y_sum += x_dot*y
        if HAS_x_dot:
            sum_x_dot_y = tl.sum(sum_x_dot_y_sum, 1, keep_dims=True)  # step 30
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            y = tl.load(y_row + d*y_step, inside, 0).to(A)
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            y_dot_part = 0.0
            if HAS_x_dot:
                y_dot_part += x_dot
            if HAS_sink_dot:
                y_dot_part -= exp_largest_sink_scaled
            if HAS_x_dot:
                y_dot_part -= sum_x_dot_y
            y_dot = y_dot_part*y  # step 30, pass 2: once a row
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def sink_softmax_backward_backward(
    sink_ptr,
    y_ptr,
    x_ptr,
    dy_ptr,
    ddx_ptr,
    ddsink_ptr,
    exp_largest_sink_ptr,
    scale_ptr,
    dx_ptr,
    dsink_ptr,
    ddy_ptr,
    sink_stride_h,
    y_stride_b,
    y_stride_h,
    y_stride_q,
    y_step,
    x_stride_b,
    x_stride_h,
    x_stride_q,
    x_step,
    dy_stride_b,
    dy_stride_h,
    dy_stride_q,
    dy_step,
    ddx_stride_b,
    ddx_stride_h,
    ddx_stride_q,
    ddx_step,
    ddsink_stride_h,
    dx_stride_b,
    dx_stride_h,
    dx_stride_q,
    dx_step,
    ddy_stride_b,
    ddy_stride_h,
    ddy_stride_q,
    ddy_step,
    h_size,
    q_size,
    rows,
    D,
    HAS_ddsink: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_sink: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """mean_dy_y = mean(dy*y)
    dmean_dy_y = sum(-D*ddx*y) - D*ddsink*exp_largest_sink*scale
    d2y = dmean_dy_y*dy/D + ddx*(dy - D*mean_dy_y)
    d2scale = sum(d2y*e_shifted) - D*ddsink*exp_largest_sink*mean_dy_y
    d2exp_largest_sink = -d2scale*scale**2 - D*ddsink*mean_dy_y*scale
    d2Z = -d2scale*scale**2
    d2e_shifted = scale*d2y + d2Z
    d2x = d2e_shifted*e_shifted
    d2sink = sum(d2exp_largest_sink*exp_largest_sink, "b q")
    ddy = ddx*y + dmean_dy_y*y/D
    """
    y_stride_b = y_stride_b // EVEN * EVEN
    y_stride_h = y_stride_h // EVEN * EVEN
    y_stride_q = y_stride_q // EVEN * EVEN
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    x_stride_q = x_stride_q // EVEN * EVEN
    dy_stride_b = dy_stride_b // EVEN * EVEN
    dy_stride_h = dy_stride_h // EVEN * EVEN
    dy_stride_q = dy_stride_q // EVEN * EVEN
    ddx_stride_b = ddx_stride_b // EVEN * EVEN
    ddx_stride_h = ddx_stride_h // EVEN * EVEN
    ddx_stride_q = ddx_stride_q // EVEN * EVEN
    dx_stride_b = dx_stride_b // EVEN * EVEN
    dx_stride_h = dx_stride_h // EVEN * EVEN
    dx_stride_q = dx_stride_q // EVEN * EVEN
    ddy_stride_b = ddy_stride_b // EVEN * EVEN
    ddy_stride_h = ddy_stride_h // EVEN * EVEN
    ddy_stride_q = ddy_stride_q // EVEN * EVEN
    D = D // EVEN * EVEN
    y_step = tl.cast(y_step, tl.int64)
    x_step = tl.cast(x_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    ddy_step = tl.cast(ddy_step, tl.int64)
    length = tl.cast(D, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (h_size*q_size)
        h_index = row // q_size % h_size
        q_index = row % q_size
        y_row = y_ptr + b_index*y_stride_b + h_index*y_stride_h + q_index*y_stride_q
        x_row = x_ptr + b_index*x_stride_b + h_index*x_stride_h + q_index*x_stride_q
        dy_row = (
            dy_ptr + b_index*dy_stride_b + h_index*dy_stride_h + q_index*dy_stride_q
        )
        if HAS_ddx:
            ddx_row = (
                ddx_ptr
                + b_index*ddx_stride_b
                + h_index*ddx_stride_h
                + q_index*ddx_stride_q
            )
        dx_row = (
            dx_ptr + b_index*dx_stride_b + h_index*dx_stride_h + q_index*dx_stride_q
        )
        ddy_row = (
            ddy_ptr + b_index*ddy_stride_b + h_index*ddy_stride_h + q_index*ddy_stride_q
        )
        sink = (
            tl.load(sink_ptr + h_index*sink_stride_h, there, 0).to(A)
            if HAS_sink
            else 0.0
        )
        if HAS_ddsink:
            ddsink = tl.load(ddsink_ptr + h_index*ddsink_stride_h, there, 0).to(A)
        if HAS_ddsink or HAS_sink:
            exp_largest_sink = tl.load(exp_largest_sink_ptr + row, there, 0).to(A)
        scale = tl.load(scale_ptr + row, there, 0).to(A)
        m_max = tl.full([ROWS, TILE], -float("inf"), A)
        mean_dy_y_sum = tl.zeros([ROWS, TILE], A)
        if HAS_ddx:
            sum_ddx_y_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            y = tl.load(y_row + d*y_step, inside, 0).to(A)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            m_max = tl.maximum(
                m_max, tl.where(inside, x, -float("inf")), tl.PropagateNan.ALL
            )
            mean_dy_y_sum += dy*y
            if HAS_ddx:
                sum_ddx_y_sum += tl.where(inside, -ddx*y*length, 0.0)
        m = largest(m_max)  # step 1: max(x)
        mean_dy_y = tl.sum(mean_dy_y_sum, 1, keep_dims=True)/length  # step 31
        if HAS_ddx:
            sum_ddx_y = tl.sum(sum_ddx_y_sum, 1, keep_dims=True)  # step 34
        # step 2
        largest_ = tl.where(
            m > (sink if HAS_sink else 0.0), m, (sink if HAS_sink else 0.0)
        )
        dmean_dy_y = 0.0
        if HAS_ddx:
            dmean_dy_y += sum_ddx_y  # step 34
        if HAS_ddsink:
            dmean_dy_y -= ddsink*exp_largest_sink*scale*length  # step 34
        if HAS_ddx:
            mean_dy_y_scaled = mean_dy_y*length  # step 35, pass 3: once a row
        dmean_dy_y_scaled = dmean_dy_y/length  # step 35, pass 4: once a row
        sum_d2y_e_shifted_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            y = tl.load(y_row + d*y_step, inside, 0).to(A)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            x_shifted = x - largest_  # step 3
            e_shifted = tl.exp(x_shifted)  # step 4
            d2y = dy*dmean_dy_y_scaled  # step 35, pass 5: once a row
            if HAS_ddx:
                d2y += (dy - mean_dy_y_scaled)*ddx  # step 35, pass 5: once a row
            ddy = 0.0
            if HAS_ddx:
                ddy += ddx*y  # step 46, pass 6: once a row
            ddy += y*dmean_dy_y_scaled  # step 46, pass 6: once a row
            sum_d2y_e_shifted_sum += tl.where(inside, d2y*e_shifted, 0.0)
            tl.store(ddy_row + d*ddy_step, ddy, inside)
        sum_d2y_e_shifted = tl.sum(sum_d2y_e_shifted_sum, 1, keep_dims=True)  # step 36
        d2scale = sum_d2y_e_shifted  # step 36
        if HAS_ddsink:
            d2scale -= ddsink*exp_largest_sink*mean_dy_y*length  # step 36
        if HAS_sink:
            d2exp_largest_sink = -d2scale*(scale*scale)  # step 43
        if HAS_ddsink and HAS_sink:
            d2exp_largest_sink -= ddsink*mean_dy_y*scale*length  # step 43
        d2Z = -d2scale*(scale*scale)  # step 38
        if HAS_sink:
            d2sink = d2exp_largest_sink*exp_largest_sink  # step 45
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx:
                ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A)
            x_shifted = x - largest_  # step 3
            e_shifted = tl.exp(x_shifted)  # step 4
            d2y = dy*dmean_dy_y_scaled  # step 35, pass 5: once a row
            if HAS_ddx:
                d2y += (dy - mean_dy_y_scaled)*ddx  # step 35, pass 5: once a row
            d2e_shifted = d2y*scale + d2Z  # step 39
            d2x = d2e_shifted*e_shifted  # step 41
            tl.store(dx_row + d*dx_step, d2x, inside)
        if HAS_sink:
            tl.store(dsink_ptr + row, d2sink, there)
