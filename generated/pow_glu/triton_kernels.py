# Made by lngen 0.1.0 from the definition of pow_glu; derivation.md has its steps, cost and evidence.
# Do not edit; edit pow_glu.py and run: lngen derive pow_glu.py
# Open: exp overflows where power*log_base/(1 + root_base) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:67e102f3ac5fc0c5a92bfffdb1e3643a14746399b46a13e192fda8178dee8863
# mypy: ignore-errors
"""Gated linear unit whose gate grows by a falling power: x**(power/(sqrt(x) + 1))*sigmoid(x) for x > 0, else silu(x).

Kernels in Triton. A program takes ROWS rows at a time, and any grid is right. A tile has
TILE entries of each; with WHOLE a row fits in one, and is read once. A is the type that
is computed in. D, and strides between rows, are multiples of EVEN. An argument x that is
left out is None, and HAS_x False.
"""

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["rows"])
def pow_glu_forward(
    gate_ptr,
    value_ptr,
    power: tl.float64,
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
    base = where(gate > 0, gate, 1)
    root_base = sqrt(base)
    log_base = log(base)
    u = power*log_base/(1 + root_base)
    grown = exp(u)
    sigmoid_gate = sigmoid(gate)
    silu_gate = gate*sigmoid_gate
    y = value*where(gate > 0, grown*sigmoid_gate, silu_gate)
    """
    gate_stride_rest = gate_stride_rest // EVEN * EVEN
    value_stride_rest = value_stride_rest // EVEN * EVEN
    y_stride_rest = y_stride_rest // EVEN * EVEN
    D = D // EVEN * EVEN
    gate_step = tl.cast(gate_step, tl.int64)
    value_step = tl.cast(value_step, tl.int64)
    y_step = tl.cast(y_step, tl.int64)
    power = tl.full([1, 1], power, A)
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
            base = tl.where(gate > 0, gate, 1)  # step 1
            root_base = tl.sqrt(base)  # step 2
            log_base = tl.log(base)  # step 3
            u = log_base*power/(root_base + 1)  # step 4
            grown = tl.exp(u)  # step 5
            sigmoid_gate = tl.sigmoid(gate)  # step 6
            silu_gate = gate*sigmoid_gate  # step 7
            y = tl.where(gate > 0, grown*sigmoid_gate, silu_gate)*value  # step 8
            tl.store(y_row + d*y_step, y, inside)


@triton.jit(do_not_specialize=["rows"])
def pow_glu_backward(
    gate_ptr,
    value_ptr,
    dy_ptr,
    power: tl.float64,
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
    """dsilu_gate = where(gate > 0, 0, dy*value)
    du = where(gate > 0, dy*grown*sigmoid_gate*value, 0)
    dgate = dsilu_gate*sigmoid_gate + sigmoid_gate*(1 -
        sigmoid_gate)*(dsilu_gate*gate + where(gate > 0, dy*grown*value, 0)) +
        where(gate > 0, power*du/(base*(1 + root_base)) - du*u/(2*root_base*(1 +
        root_base)), 0)
    dvalue = where(gate > 0, dy*grown*sigmoid_gate, dy*silu_gate)
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
    power = tl.full([1, 1], power, A)
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
            base = tl.where(gate > 0, gate, 1)  # step 1
            root_base = tl.sqrt(base)  # step 2
            log_base = tl.log(base)  # step 3
            u = log_base*power/(root_base + 1)  # step 4
            grown = tl.exp(u)  # step 5
            sigmoid_gate = tl.sigmoid(gate)  # step 6
            silu_gate = gate*sigmoid_gate  # step 7
            dsilu_gate = tl.where(gate > 0, 0, dy*value)  # step 9
            du = tl.where(gate > 0, dy*grown*sigmoid_gate*value, 0)  # step 13
            # step 22
            dgate = (
                dsilu_gate*sigmoid_gate
                + (1 - sigmoid_gate)*(
                    dsilu_gate*gate + tl.where(gate > 0, dy*grown*value, 0)
                )*sigmoid_gate
                + tl.where(
                    gate > 0,
                    du*power/(base*(root_base + 1))
                    - 0.5*du*u/(root_base*(root_base + 1)),
                    0,
                )
            )
            dvalue = tl.where(gate > 0, dy*grown*sigmoid_gate, dy*silu_gate)  # step 23
            tl.store(dgate_row + d*dgate_step, dgate, inside)
            tl.store(dvalue_row + d*dvalue_step, dvalue, inside)


@triton.jit(do_not_specialize=["rows"])
def pow_glu_jvp(
    gate_ptr,
    value_ptr,
    gate_dot_ptr,
    value_dot_ptr,
    power: tl.float64,
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
    sigmoid_gate_dot = gate_dot*sigmoid_gate*sigmoid(-gate)
    y_dot = where(gate > 0, grown*sigmoid_gate_dot*value +
        grown*sigmoid_gate*value_dot +
        power*grown*sigmoid_gate*value*(2*gate_dot/base -
        gate_dot*log_base/(root_base*(1 + root_base)))/(2*(1 + root_base)),
        silu_gate*value_dot + value*(gate*sigmoid_gate_dot + gate_dot*sigmoid_gate))
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
    power = tl.full([1, 1], power, A)
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
            base = tl.where(gate > 0, gate, 1)  # step 1
            root_base = tl.sqrt(base)  # step 2
            log_base = tl.log(base)  # step 3
            u = log_base*power/(root_base + 1)  # step 4
            grown = tl.exp(u)  # step 5
            sigmoid_gate = tl.sigmoid(gate)  # step 6
            if HAS_value_dot:
                silu_gate = gate*sigmoid_gate  # step 7
            if HAS_gate_dot:
                sigmoid_gate_dot = tl.sigmoid(-gate)*gate_dot*sigmoid_gate  # step 31
            y_dot_part = 0.0
            if HAS_value_dot:
                y_dot_part += grown*sigmoid_gate*value_dot
            if HAS_gate_dot:
                y_dot_part += grown*sigmoid_gate_dot*value + (
                    gate_dot/base - 0.5*gate_dot*log_base/(root_base*(root_base + 1))
                )*grown*sigmoid_gate*value*power/(root_base + 1)
            y_dot_part2 = 0.0
            if HAS_value_dot:
                y_dot_part2 += silu_gate*value_dot
            if HAS_gate_dot:
                y_dot_part2 += (gate*sigmoid_gate_dot + gate_dot*sigmoid_gate)*value
            y_dot = tl.where(gate > 0, y_dot_part, y_dot_part2)  # step 40
            tl.store(y_dot_row + d*y_dot_step, y_dot, inside)


@triton.jit(do_not_specialize=["rows"])
def pow_glu_backward_backward(
    gate_ptr,
    value_ptr,
    dy_ptr,
    ddgate_ptr,
    ddvalue_ptr,
    power: tl.float64,
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
    dsilu_gate = where(gate > 0, 0, dy*value)
    du = where(gate > 0, dy*grown*sigmoid_gate*value, 0)
    ddu = where(gate > 0, ddgate*(2*power/(base*(1 + root_base)) - u/(root_base*(1 +
        root_base)))/2, 0)
    ddsilu_gate = ddgate*sigmoid_gate*(1 + gate*(1 - sigmoid_gate))
    d2silu_gate = where(gate > 0, 0, ddvalue*dy)
    d2u = where(gate > 0, grown*(ddvalue*dy*sigmoid_gate + ddu*dy*sigmoid_gate*value
        + ddgate*dy*sigmoid_gate*value*(1 - sigmoid_gate)) -
        ddgate*du/(2*root_base*(1 + root_base)), 0)
    d2base = where(gate > 0, power*d2u/(base*(1 + root_base)) +
        (ddgate*(du*u/(root_base*(1 + root_base)**2) + du*u/(root_base**2*(1 +
        root_base)) - 2*power*du/(base*(1 + root_base)**2))/2 - d2u*u/(1 +
        root_base))/(2*root_base) - power*ddgate*du/(base**2*(1 + root_base)), 0)
    d2gate = where(gate > 0, d2base, 0) + d2silu_gate*sigmoid_gate +
        ddgate*dsilu_gate*sigmoid_gate*(1 - sigmoid_gate) + sigmoid_gate*(1 -
        sigmoid_gate)*(d2silu_gate*gate + where(gate > 0, ddvalue*dy*grown +
        ddu*dy*grown*value, 0) + ddgate*(dsilu_gate + (1 -
        sigmoid_gate)*(dsilu_gate*gate + where(gate > 0, dy*grown*value, 0)) -
        sigmoid_gate*(dsilu_gate*gate + where(gate > 0, dy*grown*value, 0))))
    d2value = where(gate > 0, ddu*dy*grown*sigmoid_gate +
        ddgate*dy*grown*sigmoid_gate*(1 - sigmoid_gate), ddsilu_gate*dy)
    ddy = where(gate > 0, ddvalue*grown*sigmoid_gate + ddu*grown*sigmoid_gate*value
        + ddgate*grown*sigmoid_gate*value*(1 - sigmoid_gate), ddsilu_gate*value +
        ddvalue*silu_gate)
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
    power = tl.full([1, 1], power, A)
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
            base = tl.where(gate > 0, gate, 1)  # step 1
            root_base = tl.sqrt(base)  # step 2
            log_base = tl.log(base)  # step 3
            u = log_base*power/(root_base + 1)  # step 4
            grown = tl.exp(u)  # step 5
            sigmoid_gate = tl.sigmoid(gate)  # step 6
            if HAS_ddvalue:
                silu_gate = gate*sigmoid_gate  # step 7
            if HAS_ddgate:
                dsilu_gate = tl.where(gate > 0, 0, dy*value)  # step 41
                du = tl.where(gate > 0, dy*grown*sigmoid_gate*value, 0)  # step 42
                # step 44
                ddu = tl.where(
                    gate > 0,
                    (
                        power/(base*(root_base + 1)) - 0.5*u/(root_base*(root_base + 1))
                    )*ddgate,
                    0,
                )
                # step 63
                ddsilu_gate = ddgate*((1 - sigmoid_gate)*gate + 1)*sigmoid_gate
            if HAS_ddvalue:
                d2silu_gate = tl.where(gate > 0, 0, ddvalue*dy)  # step 46
            d2u_part2 = 0.0
            if HAS_ddvalue:
                d2u_part2 += ddvalue*dy*sigmoid_gate
            if HAS_ddgate:
                d2u_part2 += (
                    ddu*dy*sigmoid_gate*value
                    + (1 - sigmoid_gate)*ddgate*dy*sigmoid_gate*value
                )
            d2u_part = d2u_part2*grown
            if HAS_ddgate:
                d2u_part -= 0.5*ddgate*du/(root_base*(root_base + 1))
            d2u = tl.where(gate > 0, d2u_part, 0)  # step 51
            d2base_part2 = 0.0
            if HAS_ddgate:
                d2base_part2 += ddgate*(
                    0.5*du*u/(((root_base + 1)*(root_base + 1))*root_base)
                    + 0.5*du*u/((root_base + 1)*(root_base*root_base))
                    - du*power/(((root_base + 1)*(root_base + 1))*base)
                )
            d2base_part2 -= d2u*u/(root_base + 1)
            d2base_part = d2u*power/(base*(root_base + 1)) + 0.5*d2base_part2/root_base
            if HAS_ddgate:
                d2base_part -= ddgate*du*power/((base*base)*(root_base + 1))
            d2base = tl.where(gate > 0, d2base_part, 0)  # step 58
            d2gate_part2 = 0.0
            if HAS_ddvalue:
                d2gate_part2 += ddvalue*dy*grown
            if HAS_ddgate:
                d2gate_part2 += ddu*dy*grown*value
            d2gate_part = 0.0
            if HAS_ddvalue:
                d2gate_part += d2silu_gate*gate
            d2gate_part += tl.where(gate > 0, d2gate_part2, 0)
            if HAS_ddgate:
                d2gate_part += ddgate*(
                    dsilu_gate
                    + (1 - sigmoid_gate)*(
                        dsilu_gate*gate + tl.where(gate > 0, dy*grown*value, 0)
                    )
                    - (
                        dsilu_gate*gate + tl.where(gate > 0, dy*grown*value, 0)
                    )*sigmoid_gate
                )
            d2gate = tl.where(gate > 0, d2base, 0)  # step 61
            if HAS_ddvalue:
                d2gate += d2silu_gate*sigmoid_gate  # step 61
            if HAS_ddgate:
                d2gate += (1 - sigmoid_gate)*ddgate*dsilu_gate*sigmoid_gate  # step 61
            d2gate += (1 - sigmoid_gate)*d2gate_part*sigmoid_gate  # step 61
            if HAS_ddgate:
                # step 65
                d2value = tl.where(
                    gate > 0,
                    ddu*dy*grown*sigmoid_gate
                    + (1 - sigmoid_gate)*ddgate*dy*grown*sigmoid_gate,
                    ddsilu_gate*dy,
                )
            ddy_part = 0.0
            if HAS_ddvalue:
                ddy_part += ddvalue*grown*sigmoid_gate
            if HAS_ddgate:
                ddy_part += (
                    ddu*grown*sigmoid_gate*value
                    + (1 - sigmoid_gate)*ddgate*grown*sigmoid_gate*value
                )
            ddy_part2 = 0.0
            if HAS_ddgate:
                ddy_part2 += ddsilu_gate*value
            if HAS_ddvalue:
                ddy_part2 += ddvalue*silu_gate
            ddy = tl.where(gate > 0, ddy_part, ddy_part2)  # step 67
            tl.store(dgate_row + d*dgate_step, d2gate, inside)
            tl.store(dvalue_row + d*dvalue_step, d2value if HAS_ddgate else 0.0, inside)
            tl.store(ddy_row + d*ddy_step, ddy, inside)
