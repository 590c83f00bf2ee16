# Made by lngen 0.1.0 from the definition of packed_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
# definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
# mypy: ignore-errors
"""SwiGLU of a gate and a value that lie side by side in one array.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["rows"])
def packed_swiglu_forward(
    gate_ptr,
    value_ptr,
    y_ptr,
    gate_stride_rest,
    gate_step,
    value_stride_rest,
    value_step,
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
    """gate = at(x, s=0)
    value = at(x, s=1)
    sigmoid_gate = sigmoid(gate)
    silu_gate = gate*sigmoid_gate
    y = silu_gate*value
    """
    gate_stride_rest = gate_stride_rest // EVEN * EVEN
    value_stride_rest = value_stride_rest // EVEN * EVEN
    y_stride_rest = y_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    gate_step = tl.cast(gate_step, tl.int64)
    value_step = tl.cast(value_step, tl.int64)
    y_step = tl.cast(y_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        gate_row = gate_ptr + row*gate_stride_rest
        value_row = value_ptr + row*value_stride_rest
        y_row = y_ptr + row*y_stride_rest
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            value = tl.load(value_row + d*value_step, inside, 0).to(A)
            sigmoid_gate = tl.sigmoid(gate)  # step 1
            silu_gate = gate*sigmoid_gate  # step 2
            y = silu_gate*value  # step 3
            tl.store(y_row + d*y_step, y, inside)


@triton.jit(do_not_specialize=["rows"])
def packed_swiglu_backward(
    gate_ptr,
    value_ptr,
    dy_ptr,
    dgate_ptr,
    dvalue_ptr,
    gate_stride_rest,
    gate_step,
    value_stride_rest,
    value_step,
    dy_stride_rest,
    dy_step,
    dgate_stride_rest,
    dgate_step,
    dvalue_stride_rest,
    dvalue_step,
    rows,
    D,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """dgate = dy*sigmoid_gate*value*(1 + gate*(1 - sigmoid_gate))
    dvalue = dy*silu_gate
    dx = join(dgate, dvalue)
    """
    gate_stride_rest = gate_stride_rest // EVEN * EVEN
    value_stride_rest = value_stride_rest // EVEN * EVEN
    dy_stride_rest = dy_stride_rest // EVEN * EVEN
    dgate_stride_rest = dgate_stride_rest // EVEN * EVEN
    dvalue_stride_rest = dvalue_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    gate_step = tl.cast(gate_step, tl.int64)
    value_step = tl.cast(value_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    dgate_step = tl.cast(dgate_step, tl.int64)
    dvalue_step = tl.cast(dvalue_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        gate_row = gate_ptr + row*gate_stride_rest
        value_row = value_ptr + row*value_stride_rest
        dy_row = dy_ptr + row*dy_stride_rest
        dgate_row = dgate_ptr + row*dgate_stride_rest
        dvalue_row = dvalue_ptr + row*dvalue_stride_rest
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            value = tl.load(value_row + d*value_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            sigmoid_gate = tl.sigmoid(gate)  # step 1
            silu_gate = gate*sigmoid_gate  # step 2
            dgate = dy*((1 - sigmoid_gate)*gate + 1)*sigmoid_gate*value  # step 9
            dvalue = dy*silu_gate  # step 10
            tl.store(dgate_row + d*dgate_step, dgate, inside)
            tl.store(dvalue_row + d*dvalue_step, dvalue, inside)


@triton.jit(do_not_specialize=["rows"])
def packed_swiglu_jvp(
    gate_ptr,
    value_ptr,
    gate_dot_ptr,
    value_dot_ptr,
    y_dot_ptr,
    gate_stride_rest,
    gate_step,
    value_stride_rest,
    value_step,
    gate_dot_stride_rest,
    gate_dot_step,
    value_dot_stride_rest,
    value_dot_step,
    y_dot_stride_rest,
    y_dot_step,
    rows,
    D,
    HAS_gate_dot: tl.constexpr,
    HAS_value_dot: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """gate_dot = at(x_dot, s=0)
    value_dot = at(x_dot, s=1)
    y_dot = silu_gate*value_dot + gate_dot*sigmoid_gate*value*(1 + gate*(1 -
        sigmoid_gate))
    """
    gate_stride_rest = gate_stride_rest // EVEN * EVEN
    value_stride_rest = value_stride_rest // EVEN * EVEN
    gate_dot_stride_rest = gate_dot_stride_rest // EVEN * EVEN
    value_dot_stride_rest = value_dot_stride_rest // EVEN * EVEN
    y_dot_stride_rest = y_dot_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    gate_step = tl.cast(gate_step, tl.int64)
    value_step = tl.cast(value_step, tl.int64)
    gate_dot_step = tl.cast(gate_dot_step, tl.int64)
    value_dot_step = tl.cast(value_dot_step, tl.int64)
    y_dot_step = tl.cast(y_dot_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        gate_row = gate_ptr + row*gate_stride_rest
        if HAS_gate_dot:
            value_row = value_ptr + row*value_stride_rest
            gate_dot_row = gate_dot_ptr + row*gate_dot_stride_rest
        if HAS_value_dot:
            value_dot_row = value_dot_ptr + row*value_dot_stride_rest
        y_dot_row = y_dot_ptr + row*y_dot_stride_rest
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            if HAS_gate_dot:
                value = tl.load(value_row + d*value_step, inside, 0).to(A)
                gate_dot = tl.load(gate_dot_row + d*gate_dot_step, inside, 0).to(A)
            if HAS_value_dot:
                value_dot = tl.load(value_dot_row + d*value_dot_step, inside, 0).to(A)
            sigmoid_gate = tl.sigmoid(gate)  # step 1
            if HAS_value_dot:
                silu_gate = gate*sigmoid_gate  # step 2
            y_dot = 0.0
            if HAS_value_dot:
                y_dot += silu_gate*value_dot  # step 15
            if HAS_gate_dot:
                # step 15
                y_dot += ((1 - sigmoid_gate)*gate + 1)*gate_dot*sigmoid_gate*value
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def packed_swiglu_backward_backward(
    gate_ptr,
    value_ptr,
    dy_ptr,
    ddgate_ptr,
    ddvalue_ptr,
    dgate_ptr,
    dvalue_ptr,
    ddy_ptr,
    gate_stride_rest,
    gate_step,
    value_stride_rest,
    value_step,
    dy_stride_rest,
    dy_step,
    ddgate_stride_rest,
    ddgate_step,
    ddvalue_stride_rest,
    ddvalue_step,
    dgate_stride_rest,
    dgate_step,
    dvalue_stride_rest,
    dvalue_step,
    ddy_stride_rest,
    ddy_step,
    rows,
    D,
    HAS_ddgate: tl.constexpr,
    HAS_ddvalue: tl.constexpr,
    A: tl.constexpr,
    EVEN: tl.constexpr,
    ROWS: tl.constexpr,
    TILE: tl.constexpr,
    WHOLE: tl.constexpr,
):
    """ddgate = at(ddx, s=0)
    ddvalue = at(ddx, s=1)
    d2silu_gate = ddvalue*dy
    d2gate = sigmoid_gate*(d2silu_gate + ddgate*dy*value*(1 - sigmoid_gate) + (1 -
        sigmoid_gate)*(d2silu_gate*gate + ddgate*dy*value*(1 + gate*(1 -
        sigmoid_gate) - silu_gate)))
    d2value = ddgate*dy*sigmoid_gate*(1 + gate*(1 - sigmoid_gate))
    ddy = ddvalue*silu_gate + ddgate*sigmoid_gate*value*(1 + gate*(1 -
        sigmoid_gate))
    d2x = join(d2gate, d2value)
    """
    gate_stride_rest = gate_stride_rest // EVEN * EVEN
    value_stride_rest = value_stride_rest // EVEN * EVEN
    dy_stride_rest = dy_stride_rest // EVEN * EVEN
    ddgate_stride_rest = ddgate_stride_rest // EVEN * EVEN
    ddvalue_stride_rest = ddvalue_stride_rest // EVEN * EVEN
    dgate_stride_rest = dgate_stride_rest // EVEN * EVEN
    dvalue_stride_rest = dvalue_stride_rest // EVEN * EVEN
    ddy_stride_rest = ddy_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    gate_step = tl.cast(gate_step, tl.int64)
    value_step = tl.cast(value_step, tl.int64)
    dy_step = tl.cast(dy_step, tl.int64)
    ddgate_step = tl.cast(ddgate_step, tl.int64)
    ddvalue_step = tl.cast(ddvalue_step, tl.int64)
    dgate_step = tl.cast(dgate_step, tl.int64)
    dvalue_step = tl.cast(dvalue_step, tl.int64)
    ddy_step = tl.cast(ddy_step, tl.int64)
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        gate_row = gate_ptr + row*gate_stride_rest
        if HAS_ddgate:
            value_row = value_ptr + row*value_stride_rest
        dy_row = dy_ptr + row*dy_stride_rest
        if HAS_ddgate:
            ddgate_row = ddgate_ptr + row*ddgate_stride_rest
        if HAS_ddvalue:
            ddvalue_row = ddvalue_ptr + row*ddvalue_stride_rest
        dgate_row = dgate_ptr + row*dgate_stride_rest
        dvalue_row = dvalue_ptr + row*dvalue_stride_rest
        ddy_row = ddy_ptr + row*ddy_stride_rest
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            if HAS_ddgate:
                value = tl.load(value_row + d*value_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddgate:
                ddgate = tl.load(ddgate_row + d*ddgate_step, inside, 0).to(A)
            if HAS_ddvalue:
                ddvalue = tl.load(ddvalue_row + d*ddvalue_step, inside, 0).to(A)
            sigmoid_gate = tl.sigmoid(gate)  # step 1
            silu_gate = gate*sigmoid_gate  # step 2
            if HAS_ddvalue:
                d2silu_gate = ddvalue*dy  # step 18
            d2gate_part2 = 0.0
            if HAS_ddvalue:
                d2gate_part2 += d2silu_gate*gate
            if HAS_ddgate:
                d2gate_part2 += ddgate*dy*((1 - sigmoid_gate)*gate + 1 - silu_gate)*value
            d2gate_part = 0.0
            if HAS_ddvalue:
                d2gate_part += d2silu_gate
            if HAS_ddgate:
                d2gate_part += (1 - sigmoid_gate)*ddgate*dy*value
            d2gate_part += (1 - sigmoid_gate)*d2gate_part2
            d2gate = d2gate_part*sigmoid_gate  # step 24
            if HAS_ddgate:
                # step 25
                d2value = ddgate*dy*((1 - sigmoid_gate)*gate + 1)*sigmoid_gate
            ddy = 0.0
            if HAS_ddvalue:
                ddy += ddvalue*silu_gate  # step 26
            if HAS_ddgate:
                # step 26
                ddy += ddgate*((1 - sigmoid_gate)*gate + 1)*sigmoid_gate*value
            tl.store(dgate_row + d*dgate_step, d2gate, inside)
            tl.store(dvalue_row + d*dvalue_step, d2value if HAS_ddgate else 0.0, inside)
            tl.store(ddy_row + d*ddy_step, ddy, inside)
