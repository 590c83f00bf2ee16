# Made by lngen 0.1.0 from the definition of geglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit geglu.py and run: lngen derive geglu.py
# definition sha256:8a199d9f756d9e149a24c860c84a624e5964b77f0da163fe0375a5ea2d4efc65
# mypy: ignore-errors
"""Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["rows"])
def geglu_forward(
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
    sigmoid_u = sigmoid(1.5957691216057308*gate + 35677408136300126361*gate**3/5e20)
    y = gate*sigmoid_u*value
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
            total = gate + 8943*(gate*gate*gate)/200000  # step 1
            u = 3989422804014327.0*total/2500000000000000.0  # step 2
            sigmoid_u = tl.sigmoid(u)  # step 3
            y = gate*sigmoid_u*value  # step 5
            tl.store(y_row + d*y_step, y, inside)


@triton.jit(do_not_specialize=["rows"])
def geglu_backward(
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
    """dgate = dy*sigmoid_u*value*(1 + 1.5957691216057308*gate*(1 - sigmoid_u)*(1 +
        0.134145*gate**2))
    dvalue = dy*gate*sigmoid_u
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
            total = gate + 8943*(gate*gate*gate)/200000  # step 1
            u = 3989422804014327.0*total/2500000000000000.0  # step 2
            sigmoid_u = tl.sigmoid(u)  # step 3
            # step 12
            dgate = (
                3989422804014327.0*(1 - sigmoid_u)*(
                    26829*(gate*gate)/200000 + 1
                )*gate/2500000000000000.0
                + 1
            )*dy*sigmoid_u*value
            dvalue = dy*gate*sigmoid_u  # step 13
            tl.store(dgate_row + d*dgate_step, dgate, inside)
            tl.store(dvalue_row + d*dvalue_step, dvalue, inside)


@triton.jit(do_not_specialize=["rows"])
def geglu_jvp(
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
    y_dot = sigmoid_u*(gate*value_dot + gate_dot*value +
        1.5957691216057308*gate*gate_dot*value*(1 - sigmoid_u)*(1 +
        0.134145*gate**2))
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
            total = gate + 8943*(gate*gate*gate)/200000  # step 1
            u = 3989422804014327.0*total/2500000000000000.0  # step 2
            sigmoid_u = tl.sigmoid(u)  # step 3
            y_dot_part = 0.0
            if HAS_value_dot:
                y_dot_part += gate*value_dot
            if HAS_gate_dot:
                y_dot_part += (
                    gate_dot*value
                    + 3989422804014327.0*(1 - sigmoid_u)*(
                        26829*(gate*gate)/200000 + 1
                    )*gate*gate_dot*value/2500000000000000.0
                )
            y_dot = y_dot_part*sigmoid_u  # step 20
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def geglu_backward_backward(
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
    d2gate = dy*sigmoid_u*(ddvalue + ddgate*value*(1 -
        sigmoid_u)*(321096673226701137249*gate**2/5e20 + 1.5957691216057308) +
        1.5957691216057308*(1 - sigmoid_u)*(1 + 0.134145*gate**2)*(ddvalue*gate +
        ddgate*value*(1 + 1.5957691216057308*gate*(1 - sigmoid_u)*(1 +
        0.134145*gate**2) - 1.5957691216057308*gate*sigmoid_u*(1 +
        0.134145*gate**2))))
    d2value = ddgate*dy*sigmoid_u*(1 + 1.5957691216057308*gate*(1 - sigmoid_u)*(1 +
        0.134145*gate**2))
    ddy = sigmoid_u*(ddvalue*gate + ddgate*value*(1 + 1.5957691216057308*gate*(1 -
        sigmoid_u)*(1 + 0.134145*gate**2)))
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
            ddvalue = (
                tl.load(ddvalue_row + d*ddvalue_step, inside, 0).to(A)
                if HAS_ddvalue
                else 0.0
            )
            total = gate + 8943*(gate*gate*gate)/200000  # step 1
            u = 3989422804014327.0*total/2500000000000000.0  # step 2
            sigmoid_u = tl.sigmoid(u)  # step 3
            d2gate_part2 = 0.0
            if HAS_ddvalue:
                d2gate_part2 += ddvalue*gate
            if HAS_ddgate:
                d2gate_part2 += (
                    3989422804014327.0*(1 - sigmoid_u)*(
                        26829*(gate*gate)/200000 + 1
                    )*gate/2500000000000000.0
                    + 1
                    - 3989422804014327.0*(
                        26829*(gate*gate)/200000 + 1
                    )*gate*sigmoid_u/2500000000000000.0
                )*ddgate*value
            d2gate_part = 0.0
            if HAS_ddvalue:
                d2gate_part += ddvalue
            if HAS_ddgate:
                d2gate_part += (1 - sigmoid_u)*(
                    3.2109667322670114e+20*(gate*gate)/5e+20 + 1.5957691216057308
                )*ddgate*value
            d2gate_part += 3989422804014327.0*(1 - sigmoid_u)*(
                26829*(gate*gate)/200000 + 1
            )*d2gate_part2/2500000000000000.0
            d2gate = d2gate_part*dy*sigmoid_u  # step 31
            if HAS_ddgate:
                # step 32
                d2value = (
                    3989422804014327.0*(1 - sigmoid_u)*(
                        26829*(gate*gate)/200000 + 1
                    )*gate/2500000000000000.0
                    + 1
                )*ddgate*dy*sigmoid_u
            ddy_part = 0.0
            if HAS_ddvalue:
                ddy_part += ddvalue*gate
            if HAS_ddgate:
                ddy_part += (
                    3989422804014327.0*(1 - sigmoid_u)*(
                        26829*(gate*gate)/200000 + 1
                    )*gate/2500000000000000.0
                    + 1
                )*ddgate*value
            ddy = ddy_part*sigmoid_u  # step 34
            tl.store(dgate_row + d*dgate_step, d2gate, inside)
            tl.store(dvalue_row + d*dvalue_step, d2value if HAS_ddgate else 0.0, inside)
            tl.store(ddy_row + d*ddy_step, ddy, inside)
