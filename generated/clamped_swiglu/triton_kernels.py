# Made by lngen 0.1.0 from the definition of clamped_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit clamped_swiglu.py and run: lngen derive clamped_swiglu.py
# definition sha256:a1eeafff1ca861c41d2291655187f6c840acb032a1cf459ebfed94cf35e2d959
# mypy: ignore-errors
"""SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["rows"])
def clamped_swiglu_forward(
    x_0_ptr,
    x_1_ptr,
    alpha: tl.float64,
    limit: tl.float64,
    y_ptr,
    x_0_stride_rest,
    x_0_step,
    x_1_stride_rest,
    x_1_step,
    y_stride_rest,
    y_step,
    rows,
    D,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """x_0 = at(x, s=0)
    x_1 = at(x, s=1)
    gate = where(x_0 >= limit, limit, x_0)
    value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit, where(x_1 <=
        -limit, -limit, x_1))
    u = alpha*gate
    sigmoid_u = sigmoid(u)
    y = gate*sigmoid_u*(1 + value)
    """
    x_0_stride_rest = x_0_stride_rest // EVEN * EVEN
    x_1_stride_rest = x_1_stride_rest // EVEN * EVEN
    y_stride_rest = y_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    x_0_step = tl.cast(x_0_step, tl.int64)
    x_1_step = tl.cast(x_1_step, tl.int64)
    y_step = tl.cast(y_step, tl.int64)
    alpha = tl.full([1, 1], alpha, A)
    limit = tl.full([1, 1], limit, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_0_row = x_0_ptr + row*x_0_stride_rest
        x_1_row = x_1_ptr + row*x_1_stride_rest
        y_row = y_ptr + row*y_stride_rest
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x_0 = tl.load(x_0_row + d*x_0_step, inside, 0).to(A)
            x_1 = tl.load(x_1_row + d*x_1_step, inside, 0).to(A)
            gate = tl.where(x_0 >= limit, limit, x_0)  # step 1
            # step 2
            value = tl.where(
                tl.where(x_1 <= (-limit), -limit, x_1) >= limit,
                limit,
                tl.where(x_1 <= (-limit), -limit, x_1),
            )
            u = gate*alpha  # step 3
            sigmoid_u = tl.sigmoid(u)  # step 4
            y = gate*sigmoid_u*(value + 1)  # step 5
            tl.store(y_row + d*y_step, y, inside)


@triton.jit(do_not_specialize=["rows"])
def clamped_swiglu_backward(
    x_0_ptr,
    x_1_ptr,
    dy_ptr,
    alpha: tl.float64,
    limit: tl.float64,
    dx_0_ptr,
    dx_1_ptr,
    x_0_stride_rest,
    x_0_step,
    x_1_stride_rest,
    x_1_step,
    dy_stride_rest,
    dy_step,
    dx_0_stride_rest,
    dx_0_step,
    dx_1_stride_rest,
    dx_1_step,
    rows,
    D,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dx_0 = where(x_0 >= limit, 0, dy*sigmoid_u*(1 + value)*(1 + alpha*gate*(1 -
        sigmoid_u)))
    dx_1 = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit,
        0, dy*gate*sigmoid_u))
    dx = join(dx_0, dx_1)
    """
    x_0_stride_rest = x_0_stride_rest // EVEN * EVEN
    x_1_stride_rest = x_1_stride_rest // EVEN * EVEN
    dy_stride_rest = dy_stride_rest // EVEN * EVEN
    dx_0_stride_rest = dx_0_stride_rest // EVEN * EVEN
    dx_1_stride_rest = dx_1_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    x_0_step = tl.cast(x_0_step, tl.int64)
    x_1_step = tl.cast(x_1_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dx_0_step = tl.cast(dx_0_step, tl.int64)
    dx_1_step = tl.cast(dx_1_step, tl.int64)
    alpha = tl.full([1, 1], alpha, A)
    limit = tl.full([1, 1], limit, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_0_row = x_0_ptr + row*x_0_stride_rest
        x_1_row = x_1_ptr + row*x_1_stride_rest
        dy_row = dy_ptr + row*dy_stride_rest
        dx_0_row = dx_0_ptr + row*dx_0_stride_rest
        dx_1_row = dx_1_ptr + row*dx_1_stride_rest
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x_0 = tl.load(x_0_row + d*x_0_step, inside, 0).to(A)
            x_1 = tl.load(x_1_row + d*x_1_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            gate = tl.where(x_0 >= limit, limit, x_0)  # step 1
            # step 2
            value = tl.where(
                tl.where(x_1 <= (-limit), -limit, x_1) >= limit,
                limit,
                tl.where(x_1 <= (-limit), -limit, x_1),
            )
            u = gate*alpha  # step 3
            sigmoid_u = tl.sigmoid(u)  # step 4
            # step 14
            dx_0 = tl.where(
                x_0 >= limit,
                0,
                dy*((1 - sigmoid_u)*gate*alpha + 1)*sigmoid_u*(value + 1),
            )
            # step 17
            dx_1 = tl.where(
                tl.where(x_1 <= (-limit), -limit, x_1) >= limit,
                0,
                tl.where(x_1 <= (-limit), 0, dy*gate*sigmoid_u),
            )
            tl.store(dx_0_row + d*dx_0_step, dx_0, inside)
            tl.store(dx_1_row + d*dx_1_step, dx_1, inside)


@triton.jit(do_not_specialize=["rows"])
def clamped_swiglu_jvp(
    x_0_ptr,
    x_1_ptr,
    x_0_dot_ptr,
    x_1_dot_ptr,
    alpha: tl.float64,
    limit: tl.float64,
    y_dot_ptr,
    x_0_stride_rest,
    x_0_step,
    x_1_stride_rest,
    x_1_step,
    x_0_dot_stride_rest,
    x_0_dot_step,
    x_1_dot_stride_rest,
    x_1_dot_step,
    y_dot_stride_rest,
    y_dot_step,
    rows,
    D,
    HAS_x_0_dot: tl.constexpr,
    HAS_x_1_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """x_0_dot = at(x_dot, s=0)
    x_1_dot = at(x_dot, s=1)
    gate_dot = where(x_0 >= limit, 0, x_0_dot)
    y_dot = sigmoid_u*(gate_dot*(1 + value) + alpha*gate*gate_dot*(1 - sigmoid_u)*(1
        + value) + where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <=
        -limit, 0, gate*x_1_dot)))
    """
    x_0_stride_rest = x_0_stride_rest // EVEN * EVEN
    x_1_stride_rest = x_1_stride_rest // EVEN * EVEN
    x_0_dot_stride_rest = x_0_dot_stride_rest // EVEN * EVEN
    x_1_dot_stride_rest = x_1_dot_stride_rest // EVEN * EVEN
    y_dot_stride_rest = y_dot_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    x_0_step = tl.cast(x_0_step, tl.int64)
    x_1_step = tl.cast(x_1_step, tl.int64)
    x_0_dot_step = tl.cast(x_0_dot_step, tl.int64)
    x_1_dot_step = tl.cast(x_1_dot_step, tl.int64)
    y_dot_step = tl.cast(y_dot_step, tl.int64)
    alpha = tl.full([1, 1], alpha, A)
    limit = tl.full([1, 1], limit, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_0_row = x_0_ptr + row*x_0_stride_rest
        x_1_row = x_1_ptr + row*x_1_stride_rest
        if HAS_x_0_dot:
            x_0_dot_row = x_0_dot_ptr + row*x_0_dot_stride_rest
        if HAS_x_1_dot:
            x_1_dot_row = x_1_dot_ptr + row*x_1_dot_stride_rest
        y_dot_row = y_dot_ptr + row*y_dot_stride_rest
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x_0 = tl.load(x_0_row + d*x_0_step, inside, 0).to(A)
            x_1 = tl.load(x_1_row + d*x_1_step, inside, 0).to(A)
            if HAS_x_0_dot:
                x_0_dot = tl.load(x_0_dot_row + d*x_0_dot_step, inside, 0).to(A)
            if HAS_x_1_dot:
                x_1_dot = tl.load(x_1_dot_row + d*x_1_dot_step, inside, 0).to(A)
            gate = tl.where(x_0 >= limit, limit, x_0)  # step 1
            if HAS_x_0_dot:
                # step 2
                value = tl.where(
                    tl.where(x_1 <= (-limit), -limit, x_1) >= limit,
                    limit,
                    tl.where(x_1 <= (-limit), -limit, x_1),
                )
            u = gate*alpha  # step 3
            sigmoid_u = tl.sigmoid(u)  # step 4
            if HAS_x_0_dot:
                gate_dot = tl.where(x_0 >= limit, 0, x_0_dot)  # step 18
            y_dot_part = 0.0
            if HAS_x_0_dot:
                y_dot_part += (
                    gate_dot*(value + 1)
                    + (1 - sigmoid_u)*gate*gate_dot*(value + 1)*alpha
                )
            if HAS_x_1_dot:
                y_dot_part += tl.where(
                    tl.where(x_1 <= (-limit), -limit, x_1) >= limit,
                    0,
                    tl.where(x_1 <= (-limit), 0, gate*x_1_dot),
                )
            y_dot = y_dot_part*sigmoid_u  # step 26
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def clamped_swiglu_backward_backward(
    x_0_ptr,
    x_1_ptr,
    dy_ptr,
    ddx_0_ptr,
    ddx_1_ptr,
    alpha: tl.float64,
    limit: tl.float64,
    dx_0_ptr,
    dx_1_ptr,
    ddy_ptr,
    x_0_stride_rest,
    x_0_step,
    x_1_stride_rest,
    x_1_step,
    dy_stride_rest,
    dy_step,
    ddx_0_stride_rest,
    ddx_0_step,
    ddx_1_stride_rest,
    ddx_1_step,
    dx_0_stride_rest,
    dx_0_step,
    dx_1_stride_rest,
    dx_1_step,
    ddy_stride_rest,
    ddy_step,
    rows,
    D,
    HAS_ddx_0: tl.constexpr,
    HAS_ddx_1: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """ddx_0 = at(ddx, s=0)
    ddx_1 = at(ddx, s=1)
    d2x_0 = where(x_0 >= limit, 0, alpha*ddx_0*dy*sigmoid_u*(1 - sigmoid_u)*(1 +
        value) + where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <=
        -limit, 0, ddx_1*dy*sigmoid_u)) + alpha*sigmoid_u*(1 -
        sigmoid_u)*(where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1
        <= -limit, 0, ddx_1*dy*gate)) + ddx_0*(dy*(1 + value)*(1 + alpha*gate*(1 -
        sigmoid_u)) - alpha*dy*gate*sigmoid_u*(1 + value))))
    d2x_1 = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <=
        -limit, 0, where(x_0 >= limit, 0, ddx_0*dy*sigmoid_u*(1 + alpha*gate*(1 -
        sigmoid_u)))))
    ddy = where(where(x_1 <= -limit, -limit, x_1) >= limit, 0, where(x_1 <= -limit,
        0, ddx_1*gate*sigmoid_u)) + where(x_0 >= limit, 0, ddx_0*sigmoid_u*(1 +
        value)*(1 + alpha*gate*(1 - sigmoid_u)))
    d2x = join(d2x_0, d2x_1)
    """
    x_0_stride_rest = x_0_stride_rest // EVEN * EVEN
    x_1_stride_rest = x_1_stride_rest // EVEN * EVEN
    dy_stride_rest = dy_stride_rest // EVEN * EVEN
    ddx_0_stride_rest = ddx_0_stride_rest // EVEN * EVEN
    ddx_1_stride_rest = ddx_1_stride_rest // EVEN * EVEN
    dx_0_stride_rest = dx_0_stride_rest // EVEN * EVEN
    dx_1_stride_rest = dx_1_stride_rest // EVEN * EVEN
    ddy_stride_rest = ddy_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    x_0_step = tl.cast(x_0_step, tl.int64)
    x_1_step = tl.cast(x_1_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddx_0_step = tl.cast(ddx_0_step, tl.int64)
    ddx_1_step = tl.cast(ddx_1_step, tl.int64)
    dx_0_step = tl.cast(dx_0_step, tl.int64)
    dx_1_step = tl.cast(dx_1_step, tl.int64)
    ddy_step = tl.cast(ddy_step, tl.int64)
    alpha = tl.full([1, 1], alpha, A)
    limit = tl.full([1, 1], limit, A)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        x_0_row = x_0_ptr + row*x_0_stride_rest
        x_1_row = x_1_ptr + row*x_1_stride_rest
        dy_row = dy_ptr + row*dy_stride_rest
        if HAS_ddx_0:
            ddx_0_row = ddx_0_ptr + row*ddx_0_stride_rest
        if HAS_ddx_1:
            ddx_1_row = ddx_1_ptr + row*ddx_1_stride_rest
        dx_0_row = dx_0_ptr + row*dx_0_stride_rest
        dx_1_row = dx_1_ptr + row*dx_1_stride_rest
        ddy_row = ddy_ptr + row*ddy_stride_rest
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            x_0 = tl.load(x_0_row + d*x_0_step, inside, 0).to(A)
            x_1 = tl.load(x_1_row + d*x_1_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddx_0:
                ddx_0 = tl.load(ddx_0_row + d*ddx_0_step, inside, 0).to(A)
            if HAS_ddx_1:
                ddx_1 = tl.load(ddx_1_row + d*ddx_1_step, inside, 0).to(A)
            gate = tl.where(x_0 >= limit, limit, x_0)  # step 1
            if HAS_ddx_0:
                # step 2
                value = tl.where(
                    tl.where(x_1 <= (-limit), -limit, x_1) >= limit,
                    limit,
                    tl.where(x_1 <= (-limit), -limit, x_1),
                )
            u = gate*alpha  # step 3
            sigmoid_u = tl.sigmoid(u)  # step 4
            d2x_0_part2 = 0.0
            if HAS_ddx_1:
                d2x_0_part2 += tl.where(
                    tl.where(x_1 <= (-limit), -limit, x_1) >= limit,
                    0,
                    tl.where(x_1 <= (-limit), 0, ddx_1*dy*gate),
                )
            if HAS_ddx_0:
                d2x_0_part2 += (
                    dy*((1 - sigmoid_u)*gate*alpha + 1)*(value + 1)
                    - dy*gate*sigmoid_u*(value + 1)*alpha
                )*ddx_0
            d2x_0_part = 0.0
            if HAS_ddx_0:
                d2x_0_part += (1 - sigmoid_u)*ddx_0*dy*sigmoid_u*(value + 1)*alpha
            if HAS_ddx_1:
                d2x_0_part += tl.where(
                    tl.where(x_1 <= (-limit), -limit, x_1) >= limit,
                    0,
                    tl.where(x_1 <= (-limit), 0, ddx_1*dy*sigmoid_u),
                )
            d2x_0_part += (1 - sigmoid_u)*d2x_0_part2*sigmoid_u*alpha
            d2x_0 = tl.where(x_0 >= limit, 0, d2x_0_part)  # step 37
            if HAS_ddx_0:
                # step 40
                d2x_1 = tl.where(
                    tl.where(x_1 <= (-limit), -limit, x_1) >= limit,
                    0,
                    tl.where(
                        x_1 <= (-limit),
                        0,
                        tl.where(
                            x_0 >= limit,
                            0,
                            ddx_0*dy*((1 - sigmoid_u)*gate*alpha + 1)*sigmoid_u,
                        ),
                    ),
                )
            ddy = 0.0
            if HAS_ddx_1:
                # step 41
                ddy += tl.where(
                    tl.where(x_1 <= (-limit), -limit, x_1) >= limit,
                    0,
                    tl.where(x_1 <= (-limit), 0, ddx_1*gate*sigmoid_u),
                )
            if HAS_ddx_0:
                # step 41
                ddy += tl.where(
                    x_0 >= limit,
                    0,
                    ddx_0*((1 - sigmoid_u)*gate*alpha + 1)*sigmoid_u*(value + 1),
                )
            tl.store(dx_0_row + d*dx_0_step, d2x_0, inside)
            tl.store(dx_1_row + d*dx_1_step, d2x_1 if HAS_ddx_0 else 0.0, inside)
            tl.store(ddy_row + d*ddy_step, ddy, inside)
