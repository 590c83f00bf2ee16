# Made by lngen 0.1.0 from the definition of kda_gate; derivation.md has its steps, cost and evidence.
# Do not edit; edit kda_gate.py and run: lngen derive kda_gate.py
# Open: exp overflows where rate is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:828e82ed6a2def8150a7add1c29579ffcf6ccf2277e91b493d839c2c2a8629f8
# mypy: ignore-errors
"""Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def log1p(u):
    """log(1 + u), near 0 by the series of 2*artanh(u/(2 + u))."""
    s = u/(2 + u)
    q = s*s
    series = tl.zeros_like(s)
    for k in tl.static_range(15, -1, -1):
        series = series*q + 2.0/(2*k + 1)
    return tl.where(tl.abs(u) < 0.5, s*series, tl.log(1 + u))


@triton.jit
def softplus(u):
    """log(1 + exp(u)), which does not overflow."""
    return tl.maximum(u, 0.0) + log1p(tl.exp(-tl.abs(u)))


@triton.jit(do_not_specialize=["rows"])
def kda_gate_forward(
    x_ptr,
    rate_ptr,
    bias_ptr,
    y_ptr,
    exp_rate_ptr,
    x_stride_b,
    x_stride_t,
    x_stride_h,
    x_step,
    rate_stride_h,
    bias_stride_h,
    bias_step,
    y_stride_b,
    y_stride_t,
    y_stride_h,
    y_step,
    t_size,
    h_size,
    rows,
    D,
    HAS_bias: tl.constexpr,
    HAS_rate: tl.constexpr,
    SAVE: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """u = x + bias
    softplus_u = softplus(u)
    exp_rate = exp(rate)
    y = -exp_rate*softplus_u
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_t = x_stride_t // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    bias_stride_h = bias_stride_h // EVEN * EVEN
    y_stride_b = y_stride_b // EVEN * EVEN
    y_stride_t = y_stride_t // EVEN * EVEN
    y_stride_h = y_stride_h // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    bias_step = tl.cast(bias_step, tl.int64)
    y_step = tl.cast(y_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (t_size*h_size)
        t_index = row // h_size % t_size
        h_index = row % h_size
        x_row = x_ptr + b_index*x_stride_b + t_index*x_stride_t + h_index*x_stride_h
        if HAS_bias:
            bias_row = bias_ptr + h_index*bias_stride_h
        y_row = y_ptr + b_index*y_stride_b + t_index*y_stride_t + h_index*y_stride_h
        rate = (
            tl.load(rate_ptr + h_index*rate_stride_h, there, 0).to(A)
            if HAS_rate
            else 0.0
        )
        exp_rate = tl.exp(rate if HAS_rate else 0.0)  # step 3
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            bias = tl.load(bias_row + d*bias_step, inside, 0).to(A) if HAS_bias else 0.0
            u = 0.0
            if HAS_bias:
                u += bias  # step 1
            u += x  # step 1
            softplus_u = softplus(u)  # step 2
            y = -softplus_u*exp_rate  # step 4
            tl.store(y_row + d*y_step, y, inside)
        if SAVE:
            tl.store(exp_rate_ptr + row, exp_rate, there)


@triton.jit(do_not_specialize=["rows"])
def kda_gate_backward(
    x_ptr,
    bias_ptr,
    dy_ptr,
    exp_rate_ptr,
    dx_ptr,
    drate_ptr,
    x_stride_b,
    x_stride_t,
    x_stride_h,
    x_step,
    bias_stride_h,
    bias_step,
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
    HAS_bias: tl.constexpr,
    HAS_rate: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dx = -exp_rate*dy*sigmoid(u)
    drate = sum(sum(dy*y), "b t")
    dbias = sum(dx, "b t")
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_t = x_stride_t // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    bias_stride_h = bias_stride_h // EVEN * EVEN
    dy_stride_b = dy_stride_b // EVEN * EVEN
    dy_stride_t = dy_stride_t // EVEN * EVEN
    dy_stride_h = dy_stride_h // EVEN * EVEN
    dx_stride_b = dx_stride_b // EVEN * EVEN
    dx_stride_t = dx_stride_t // EVEN * EVEN
    dx_stride_h = dx_stride_h // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    bias_step = tl.cast(bias_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dx_step = tl.cast(dx_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (t_size*h_size)
        t_index = row // h_size % t_size
        h_index = row % h_size
        x_row = x_ptr + b_index*x_stride_b + t_index*x_stride_t + h_index*x_stride_h
        if HAS_bias:
            bias_row = bias_ptr + h_index*bias_stride_h
        dy_row = (
            dy_ptr + b_index*dy_stride_b + t_index*dy_stride_t + h_index*dy_stride_h
        )
        dx_row = (
            dx_ptr + b_index*dx_stride_b + t_index*dx_stride_t + h_index*dx_stride_h
        )
        exp_rate = tl.load(exp_rate_ptr + row, there, 0).to(A)
        if HAS_rate:
            drate_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            bias = tl.load(bias_row + d*bias_step, inside, 0).to(A) if HAS_bias else 0.0
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            u = 0.0
            if HAS_bias:
                u += bias  # step 1
            u += x  # step 1
            if HAS_rate:
                softplus_u = softplus(u)  # step 2
                y = -softplus_u*exp_rate  # step 4
            dx = -tl.sigmoid(u)*dy*exp_rate  # step 7
            if HAS_rate:
                drate_sum += tl.where(inside, dy*y, 0.0)
            tl.store(dx_row + d*dx_step, dx, inside)
        if HAS_rate:
            drate = tl.sum(drate_sum, 1, keep_dims=True)  # step 11: sum(dy*y)
            tl.store(drate_ptr + row, drate, there)


@triton.jit(do_not_specialize=["rows"])
def kda_gate_jvp(
    x_ptr,
    bias_ptr,
    x_dot_ptr,
    rate_dot_ptr,
    bias_dot_ptr,
    exp_rate_ptr,
    y_dot_ptr,
    x_stride_b,
    x_stride_t,
    x_stride_h,
    x_step,
    bias_stride_h,
    bias_step,
    x_dot_stride_b,
    x_dot_stride_t,
    x_dot_stride_h,
    x_dot_step,
    rate_dot_stride_h,
    bias_dot_stride_h,
    bias_dot_step,
    y_dot_stride_b,
    y_dot_stride_t,
    y_dot_stride_h,
    y_dot_step,
    t_size,
    h_size,
    rows,
    D,
    HAS_bias: tl.constexpr,
    HAS_bias_dot: tl.constexpr,
    HAS_rate_dot: tl.constexpr,
    HAS_x_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """exp_rate_dot = exp_rate*rate_dot
    y_dot = -exp_rate_dot*softplus_u - exp_rate*sigmoid(u)*(bias_dot + x_dot)
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_t = x_stride_t // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    bias_stride_h = bias_stride_h // EVEN * EVEN
    x_dot_stride_b = x_dot_stride_b // EVEN * EVEN
    x_dot_stride_t = x_dot_stride_t // EVEN * EVEN
    x_dot_stride_h = x_dot_stride_h // EVEN * EVEN
    bias_dot_stride_h = bias_dot_stride_h // EVEN * EVEN
    y_dot_stride_b = y_dot_stride_b // EVEN * EVEN
    y_dot_stride_t = y_dot_stride_t // EVEN * EVEN
    y_dot_stride_h = y_dot_stride_h // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    bias_step = tl.cast(bias_step, tl.int64)
    x_dot_step = tl.cast(x_dot_step, tl.int64)
    bias_dot_step = tl.cast(bias_dot_step, tl.int64)
    y_dot_step = tl.cast(y_dot_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        b_index = row // (t_size*h_size)
        t_index = row // h_size % t_size
        h_index = row % h_size
        x_row = x_ptr + b_index*x_stride_b + t_index*x_stride_t + h_index*x_stride_h
        if HAS_bias:
            bias_row = bias_ptr + h_index*bias_stride_h
        if HAS_x_dot:
            x_dot_row = (
                x_dot_ptr
                + b_index*x_dot_stride_b
                + t_index*x_dot_stride_t
                + h_index*x_dot_stride_h
            )
        if HAS_bias_dot:
            bias_dot_row = bias_dot_ptr + h_index*bias_dot_stride_h
        y_dot_row = (
            y_dot_ptr
            + b_index*y_dot_stride_b
            + t_index*y_dot_stride_t
            + h_index*y_dot_stride_h
        )
        if HAS_rate_dot:
            rate_dot = tl.load(rate_dot_ptr + h_index*rate_dot_stride_h, there, 0).to(A)
        exp_rate = tl.load(exp_rate_ptr + row, there, 0).to(A)
        if HAS_rate_dot:
            exp_rate_dot = exp_rate*rate_dot  # step 15
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            bias = tl.load(bias_row + d*bias_step, inside, 0).to(A) if HAS_bias else 0.0
            x_dot = (
                tl.load(x_dot_row + d*x_dot_step, inside, 0).to(A) if HAS_x_dot else 0.0
            )
            bias_dot = (
                tl.load(bias_dot_row + d*bias_dot_step, inside, 0).to(A)
                if HAS_bias_dot
                else 0.0
            )
            u = 0.0
            if HAS_bias:
                u += bias  # step 1
            u += x  # step 1
            if HAS_rate_dot:
                softplus_u = softplus(u)  # step 2
            if HAS_bias_dot or HAS_x_dot:
                y_dot_part = 0.0
            if HAS_bias_dot:
                y_dot_part += bias_dot
            if HAS_x_dot:
                y_dot_part += x_dot
            y_dot = 0.0
            if HAS_rate_dot:
                y_dot -= softplus_u*exp_rate_dot  # step 18
            if HAS_bias_dot or HAS_x_dot:
                y_dot -= tl.sigmoid(u)*y_dot_part*exp_rate  # step 18
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def kda_gate_backward_backward(
    x_ptr,
    bias_ptr,
    dy_ptr,
    ddx_ptr,
    ddrate_ptr,
    ddbias_ptr,
    exp_rate_ptr,
    dx_ptr,
    drate_ptr,
    ddy_ptr,
    x_stride_b,
    x_stride_t,
    x_stride_h,
    x_step,
    bias_stride_h,
    bias_step,
    dy_stride_b,
    dy_stride_t,
    dy_stride_h,
    dy_step,
    ddx_stride_b,
    ddx_stride_t,
    ddx_stride_h,
    ddx_step,
    ddrate_stride_h,
    ddbias_stride_h,
    ddbias_step,
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
    HAS_bias: tl.constexpr,
    HAS_ddbias: tl.constexpr,
    HAS_ddrate: tl.constexpr,
    HAS_ddx: tl.constexpr,
    HAS_rate: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """ddx_2 = ddbias + ddx
    d2y = ddrate*dy
    d2x = -exp_rate*sigmoid(u)*(d2y + ddx_2*dy*(1 - sigmoid(u)))
    d2rate = sum(D*exp_rate*(mean(-d2y*softplus_u) + mean(-ddx_2*dy*sigmoid(u))), "b
        t")
    d2bias = sum(d2x, "b t")
    ddy = ddrate*y - exp_rate*ddx_2*sigmoid(u)
    """
    x_stride_b = x_stride_b // EVEN * EVEN
    x_stride_t = x_stride_t // EVEN * EVEN
    x_stride_h = x_stride_h // EVEN * EVEN
    bias_stride_h = bias_stride_h // EVEN * EVEN
    dy_stride_b = dy_stride_b // EVEN * EVEN
    dy_stride_t = dy_stride_t // EVEN * EVEN
    dy_stride_h = dy_stride_h // EVEN * EVEN
    ddx_stride_b = ddx_stride_b // EVEN * EVEN
    ddx_stride_t = ddx_stride_t // EVEN * EVEN
    ddx_stride_h = ddx_stride_h // EVEN * EVEN
    ddbias_stride_h = ddbias_stride_h // EVEN * EVEN
    dx_stride_b = dx_stride_b // EVEN * EVEN
    dx_stride_t = dx_stride_t // EVEN * EVEN
    dx_stride_h = dx_stride_h // EVEN * EVEN
    ddy_stride_b = ddy_stride_b // EVEN * EVEN
    ddy_stride_t = ddy_stride_t // EVEN * EVEN
    ddy_stride_h = ddy_stride_h // EVEN * EVEN
    D = D // EVEN * EVEN
    x_step = tl.cast(x_step, tl.int64)
    bias_step = tl.cast(bias_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_step = tl.cast(ddx_step, tl.int64)
    ddbias_step = tl.cast(ddbias_step, tl.int64)
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
        if HAS_bias:
            bias_row = bias_ptr + h_index*bias_stride_h
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
        if HAS_ddbias:
            ddbias_row = ddbias_ptr + h_index*ddbias_stride_h
        dx_row = (
            dx_ptr + b_index*dx_stride_b + t_index*dx_stride_t + h_index*dx_stride_h
        )
        ddy_row = (
            ddy_ptr + b_index*ddy_stride_b + t_index*ddy_stride_t + h_index*ddy_stride_h
        )
        if HAS_ddrate:
            ddrate = tl.load(ddrate_ptr + h_index*ddrate_stride_h, there, 0).to(A)
        exp_rate = tl.load(exp_rate_ptr + row, there, 0).to(A)
        if HAS_ddrate and HAS_rate:
            mean_d2y_softplus_u_sum = tl.zeros([ROWS, TILE], A)
        if (HAS_ddbias and HAS_rate) or (HAS_ddx and HAS_rate):
            mean_ddx_2_dy_u_sum = tl.zeros([ROWS, TILE], A)
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x = tl.load(x_row + d*x_step, inside, 0).to(A)
            bias = tl.load(bias_row + d*bias_step, inside, 0).to(A) if HAS_bias else 0.0
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            ddx = tl.load(ddx_row + d*ddx_step, inside, 0).to(A) if HAS_ddx else 0.0
            ddbias = (
                tl.load(ddbias_row + d*ddbias_step, inside, 0).to(A)
                if HAS_ddbias
                else 0.0
            )
            u = 0.0
            if HAS_bias:
                u += bias  # step 1
            u += x  # step 1
            if HAS_ddrate:
                softplus_u = softplus(u)  # step 2
                y = -softplus_u*exp_rate  # step 4
            if HAS_ddbias or HAS_ddx:
                ddx_2 = 0.0
            if HAS_ddbias:
                ddx_2 += ddbias  # step 21
            if HAS_ddx:
                ddx_2 += ddx  # step 21
            if HAS_ddrate:
                d2y = dy*ddrate  # step 26
            d2x_part = 0.0
            if HAS_ddrate:
                d2x_part -= d2y
            if HAS_ddbias or HAS_ddx:
                d2x_part -= (1 - tl.sigmoid(u))*ddx_2*dy
            d2x = d2x_part*tl.sigmoid(u)*exp_rate  # step 30
            ddy = 0.0
            if HAS_ddrate:
                ddy += y*ddrate  # step 39
            if HAS_ddbias or HAS_ddx:
                ddy -= tl.sigmoid(u)*ddx_2*exp_rate  # step 39
            if HAS_ddrate and HAS_rate:
                mean_d2y_softplus_u_sum += tl.where(inside, -d2y*softplus_u, 0.0)
            if (HAS_ddbias and HAS_rate) or (HAS_ddx and HAS_rate):
                mean_ddx_2_dy_u_sum += tl.where(inside, -tl.sigmoid(u)*ddx_2*dy, 0.0)
            tl.store(dx_row + d*dx_step, d2x, inside)
            tl.store(ddy_row + d*ddy_step, ddy, inside)
        if HAS_ddrate and HAS_rate:
            # step 34: mean(-d2y*softplus_u)
            mean_d2y_softplus_u = tl.sum(
                mean_d2y_softplus_u_sum, 1, keep_dims=True
            )/length
        if (HAS_ddbias and HAS_rate) or (HAS_ddx and HAS_rate):
            # step 34: mean(-sigmoid(u)*ddx_2*dy)
            mean_ddx_2_dy_u = tl.sum(mean_ddx_2_dy_u_sum, 1, keep_dims=True)/length
        if HAS_rate:
            d2rate_part = 0.0
        if HAS_ddrate and HAS_rate:
            d2rate_part += mean_d2y_softplus_u
        if (HAS_ddbias and HAS_rate) or (HAS_ddx and HAS_rate):
            d2rate_part += mean_ddx_2_dy_u
        if HAS_rate:
            d2rate = exp_rate*d2rate_part*length  # step 34
            tl.store(drate_ptr + row, d2rate, there)
