# Made by lngen 0.1.0 from the definition of situ_glu; derivation.md has its steps, cost and evidence.
# Do not edit; edit situ_glu.py and run: lngen derive situ_glu.py
# definition sha256:e6e65e1eea5303aa376f708491047896a0aec30266bcb6dd83c239585502f41f
# mypy: ignore-errors
"""Gated linear unit by a sigmoid and two bounded values: beta*tanh(gate/beta)*sigmoid(gate), times the bounded value.

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit
def tanh(u):
    """The hyperbolic tangent: near 0 a continued fraction, where 1 - 2/(exp(2*u) + 1) would cancel."""
    s, size = u*u, tl.abs(u)
    near = u*(135135 + s*(17325 + s*(378 + s)))/(135135 + s*(62370 + s*(3150 + s*28)))
    far = 1 - 2/(tl.exp(2*size) + 1)
    return tl.where(size < 0.5, near, tl.where(u < 0, -far, far))


@triton.jit(do_not_specialize=["rows"])
def situ_glu_forward(
    gate_ptr,
    value_ptr,
    beta: tl.float64,
    linear_beta: tl.float64,
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
    u = value/linear_beta
    tanh_u = tanh(u)
    sigmoid_gate = sigmoid(gate)
    u_2 = gate/beta
    tanh_u_2 = tanh(u_2)
    y = beta*linear_beta*sigmoid_gate*tanh_u*tanh_u_2
    """
    gate_stride_rest = gate_stride_rest // EVEN * EVEN
    value_stride_rest = value_stride_rest // EVEN * EVEN
    y_stride_rest = y_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    gate_step = tl.cast(gate_step, tl.int64)
    value_step = tl.cast(value_step, tl.int64)
    y_step = tl.cast(y_step, tl.int64)
    beta = tl.full([1, 1], beta, A)
    linear_beta = tl.full([1, 1], linear_beta, A)
    linear_beta_shifted = 1/linear_beta  # step 1, pass 1: once a row
    beta_shifted = 1/beta  # step 4, pass 2: once a row
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
            u = value*linear_beta_shifted  # step 1, pass 3: once a row
            tanh_u = tanh(u)  # step 2
            sigmoid_gate = tl.sigmoid(gate)  # step 3
            u_2 = gate*beta_shifted  # step 4, pass 4: once a row
            tanh_u_2 = tanh(u_2)  # step 5
            y = sigmoid_gate*tanh_u*tanh_u_2*beta*linear_beta  # step 6
            tl.store(y_row + d*y_step, y, inside)


@triton.jit(do_not_specialize=["rows"])
def situ_glu_backward(
    gate_ptr,
    value_ptr,
    dy_ptr,
    beta: tl.float64,
    linear_beta: tl.float64,
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
    """dgate = linear_beta*dy*sigmoid_gate*tanh_u*(beta*tanh_u_2*(1 - sigmoid_gate) +
        (1 - tanh_u_2)*(1 + tanh_u_2))
    dvalue = beta*dy*sigmoid_gate*tanh_u_2*(1 - tanh_u)*(1 + tanh_u)
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
    beta = tl.full([1, 1], beta, A)
    linear_beta = tl.full([1, 1], linear_beta, A)
    linear_beta_shifted = 1/linear_beta  # step 1, pass 1: once a row
    beta_shifted = 1/beta  # step 4, pass 2: once a row
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
            u = value*linear_beta_shifted  # step 1, pass 3: once a row
            tanh_u = tanh(u)  # step 2
            sigmoid_gate = tl.sigmoid(gate)  # step 3
            u_2 = gate*beta_shifted  # step 4, pass 4: once a row
            tanh_u_2 = tanh(u_2)  # step 5
            # step 16
            dgate = dy*sigmoid_gate*tanh_u*(
                (1 - tanh_u_2)*(tanh_u_2 + 1) + (1 - sigmoid_gate)*tanh_u_2*beta
            )*linear_beta
            dvalue = (1 - tanh_u)*dy*sigmoid_gate*(tanh_u + 1)*tanh_u_2*beta  # step 22
            tl.store(dgate_row + d*dgate_step, dgate, inside)
            tl.store(dvalue_row + d*dvalue_step, dvalue, inside)


@triton.jit(do_not_specialize=["rows"])
def situ_glu_jvp(
    gate_ptr,
    value_ptr,
    gate_dot_ptr,
    value_dot_ptr,
    beta: tl.float64,
    linear_beta: tl.float64,
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
    y_dot = sigmoid_gate*(beta*tanh_u_2*value_dot*(1 - tanh_u)*(1 + tanh_u) +
        linear_beta*gate_dot*tanh_u*(beta*tanh_u_2*(1 - sigmoid_gate) + (1 -
        tanh_u_2)*(1 + tanh_u_2)))
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
    beta = tl.full([1, 1], beta, A)
    linear_beta = tl.full([1, 1], linear_beta, A)
    linear_beta_shifted = 1/linear_beta  # step 1, pass 1: once a row
    beta_shifted = 1/beta  # step 4, pass 2: once a row
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        gate_row = gate_ptr + row*gate_stride_rest
        value_row = value_ptr + row*value_stride_rest
        if HAS_gate_dot:
            gate_dot_row = gate_dot_ptr + row*gate_dot_stride_rest
        if HAS_value_dot:
            value_dot_row = value_dot_ptr + row*value_dot_stride_rest
        y_dot_row = y_dot_ptr + row*y_dot_stride_rest
        for start in range(0, TILE if WHOLE else D, TILE):
            d = start + tl.arange(0, TILE)[None, :]
            inside = there & (d < D)
            gate = tl.load(gate_row + d*gate_step, inside, 0).to(A)
            value = tl.load(value_row + d*value_step, inside, 0).to(A)
            if HAS_gate_dot:
                gate_dot = tl.load(gate_dot_row + d*gate_dot_step, inside, 0).to(A)
            if HAS_value_dot:
                value_dot = tl.load(value_dot_row + d*value_dot_step, inside, 0).to(A)
            u = value*linear_beta_shifted  # step 1, pass 3: once a row
            tanh_u = tanh(u)  # step 2
            sigmoid_gate = tl.sigmoid(gate)  # step 3
            u_2 = gate*beta_shifted  # step 4, pass 4: once a row
            tanh_u_2 = tanh(u_2)  # step 5
            y_dot_part = 0.0
            if HAS_value_dot:
                y_dot_part += (1 - tanh_u)*(tanh_u + 1)*tanh_u_2*value_dot*beta
            if HAS_gate_dot:
                y_dot_part += gate_dot*tanh_u*(
                    (1 - tanh_u_2)*(tanh_u_2 + 1) + (1 - sigmoid_gate)*tanh_u_2*beta
                )*linear_beta
            y_dot = y_dot_part*sigmoid_gate  # step 35
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def situ_glu_backward_backward(
    gate_ptr,
    value_ptr,
    dy_ptr,
    ddgate_ptr,
    ddvalue_ptr,
    beta: tl.float64,
    linear_beta: tl.float64,
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
    sigmoid_gate_complement = 1 - sigmoid_gate
    d2gate = dy*sigmoid_gate*((1 - tanh_u_2)*(1 + tanh_u_2)*(beta*ddvalue*(1 -
        tanh_u)*(1 + tanh_u) +
        linear_beta*ddgate*tanh_u*(beta*sigmoid_gate_complement - 2*tanh_u_2))/beta
        + sigmoid_gate_complement*(beta*ddvalue*tanh_u_2*(1 - tanh_u)*(1 + tanh_u) +
        linear_beta*ddgate*tanh_u*(beta*tanh_u_2*(sigmoid_gate_complement -
        sigmoid_gate) + (1 - tanh_u_2)*(1 + tanh_u_2))))
    d2value = dy*sigmoid_gate*(1 - tanh_u)*(1 + tanh_u)*(ddgate*(1 - tanh_u_2)*(1 +
        tanh_u_2) + beta*tanh_u_2*(ddgate*sigmoid_gate_complement -
        2*ddvalue*tanh_u/linear_beta))
    ddy = sigmoid_gate*(beta*ddvalue*tanh_u_2*(1 - tanh_u)*(1 + tanh_u) +
        linear_beta*ddgate*tanh_u*(beta*sigmoid_gate_complement*tanh_u_2 + (1 -
        tanh_u_2)*(1 + tanh_u_2)))
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
    beta = tl.full([1, 1], beta, A)
    linear_beta = tl.full([1, 1], linear_beta, A)
    linear_beta_shifted = 1/linear_beta  # step 1, pass 1: once a row
    beta_shifted = 1/beta  # step 4, pass 2: once a row
    beta_shifted_2 = 1/beta  # step 51, pass 5: once a row
    if HAS_ddvalue:
        linear_beta_scaled = -2/linear_beta  # step 59, pass 6: once a row
    program = tl.program_id(0).to(tl.int64)
    for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):
        row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)
        there = row < rows
        gate_row = gate_ptr + row*gate_stride_rest
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
            value = tl.load(value_row + d*value_step, inside, 0).to(A)
            dy = tl.load(dy_row + d*dy_step, inside, 0).to(A)
            if HAS_ddgate:
                ddgate = tl.load(ddgate_row + d*ddgate_step, inside, 0).to(A)
            if HAS_ddvalue:
                ddvalue = tl.load(ddvalue_row + d*ddvalue_step, inside, 0).to(A)
            u = value*linear_beta_shifted  # step 1, pass 3: once a row
            tanh_u = tanh(u)  # step 2
            sigmoid_gate = tl.sigmoid(gate)  # step 3
            u_2 = gate*beta_shifted  # step 4, pass 4: once a row
            tanh_u_2 = tanh(u_2)  # step 5
            sigmoid_gate_complement = 1 - sigmoid_gate  # step 46
            d2gate_part = 0.0
            if HAS_ddvalue:
                d2gate_part += (1 - tanh_u)*ddvalue*(tanh_u + 1)*beta
            if HAS_ddgate:
                d2gate_part += ddgate*(
                    sigmoid_gate_complement*beta - 2*tanh_u_2
                )*tanh_u*linear_beta
            d2gate_part2 = 0.0
            if HAS_ddvalue:
                d2gate_part2 += (1 - tanh_u)*ddvalue*(tanh_u + 1)*tanh_u_2*beta
            if HAS_ddgate:
                d2gate_part2 += ddgate*tanh_u*(
                    (1 - tanh_u_2)*(tanh_u_2 + 1)
                    + (sigmoid_gate_complement - sigmoid_gate)*tanh_u_2*beta
                )*linear_beta
            # step 51, pass 7: once a row
            d2gate = dy*sigmoid_gate*(
                (1 - tanh_u_2)*d2gate_part*(tanh_u_2 + 1)*beta_shifted_2
                + d2gate_part2*sigmoid_gate_complement
            )
            d2value_part2 = 0.0
            if HAS_ddgate:
                d2value_part2 += ddgate*sigmoid_gate_complement
            if HAS_ddvalue:
                d2value_part2 += ddvalue*tanh_u*linear_beta_scaled
            d2value_part = 0.0
            if HAS_ddgate:
                d2value_part += (1 - tanh_u_2)*ddgate*(tanh_u_2 + 1)
            d2value_part += d2value_part2*tanh_u_2*beta
            # step 59, pass 8: once a row
            d2value = (1 - tanh_u)*d2value_part*dy*sigmoid_gate*(tanh_u + 1)
            ddy_part = 0.0
            if HAS_ddvalue:
                ddy_part += (1 - tanh_u)*ddvalue*(tanh_u + 1)*tanh_u_2*beta
            if HAS_ddgate:
                ddy_part += ddgate*(
                    sigmoid_gate_complement*tanh_u_2*beta
                    + (1 - tanh_u_2)*(tanh_u_2 + 1)
                )*tanh_u*linear_beta
            ddy = ddy_part*sigmoid_gate  # step 63
            tl.store(dgate_row + d*dgate_step, d2gate, inside)
            tl.store(dvalue_row + d*dvalue_step, d2value, inside)
            tl.store(ddy_row + d*ddy_step, ddy, inside)
