# Made by lngen 0.1.0 from the definition of packed_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
# definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
"""SwiGLU of a gate and a value that lie side by side in one array. The tangents, and the gradients of the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import functions as _functions
from .._runtime.numpy import rows as _rows


def jvp(arguments, fields, results, call):
    """The tangents of the outputs."""
    gate_dot_rows, value_dot_rows = arguments
    gate_rows, value_rows = fields
    (y_dot_out,) = results

    def block(gate, value, gate_dot, value_dot, y_dot_block=None, buffers=(None,) * 2):
        # step 1: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=buffers[0])
        # step 2: silu_gate = gate*sigmoid_gate
        if value_dot_rows is not None:
            silu_gate = np.multiply(gate, sigmoid_gate, out=y_dot_block)
            # step 15: y_dot = silu_gate*value_dot + ((1 - sigmoid_gate)*gate +
            #   1)*gate_dot*sigmoid_gate*value
            y_dot = np.multiply(silu_gate, value_dot, out=silu_gate)
        if gate_dot_rows is not None:
            part = np.subtract(1.0, sigmoid_gate, out=buffers[1])
            part = np.multiply(part, gate, out=part)
            part = np.add(part, 1.0, out=part)
            part = np.multiply(part, gate_dot, out=part)
            part = np.multiply(part, sigmoid_gate, out=sigmoid_gate)
            part = np.multiply(part, value, out=part)
        if gate_dot_rows is not None and value_dot_rows is not None:
            y_dot = np.add(y_dot, part, out=y_dot)
        if value_dot_rows is None:
            y_dot = part
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, gate_dot_rows, value_dot_rows),
        into=(y_dot_out,),
        buffers=2,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddgate_rows, ddvalue_rows = arguments
    gate_rows, value_rows = fields
    dgate_out, dvalue_out, ddy_out = results
    shape, dtype, _ = call
    needs_d2gate = ddgate_rows is not None and ddvalue_rows is not None

    def block(
        gate,
        value,
        dy,
        ddgate,
        ddvalue,
        dgate_block=None,
        dvalue_block=None,
        ddy_block=None,
        buffers=(None,) * 5,
    ):
        # step 1: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=buffers[0])
        # step 2: silu_gate = gate*sigmoid_gate
        silu_gate = np.multiply(gate, sigmoid_gate, out=ddy_block)
        # step 18: d2silu_gate = ddvalue*dy
        if ddvalue_rows is not None:
            d2silu_gate = np.multiply(ddvalue, dy, out=dgate_block)
        # step 24: d2gate = (d2silu_gate + (1 - sigmoid_gate)*ddgate*dy*value + (1 -
        #   sigmoid_gate)*(d2silu_gate*gate + ddgate*dy*((1 - sigmoid_gate)*gate + 1 -
        #   silu_gate)*value))*sigmoid_gate
        part = np.subtract(1.0, sigmoid_gate, out=dvalue_block)
        if ddgate_rows is not None:
            d2gate = np.multiply(part, ddgate, out=buffers[1])
            d2gate = np.multiply(d2gate, dy, out=d2gate)
            d2gate = np.multiply(d2gate, value, out=d2gate)
        if needs_d2gate:
            d2gate = np.add(d2silu_gate, d2gate, out=d2gate)
        if ddgate_rows is None:
            d2gate = d2silu_gate
        if ddvalue_rows is not None:
            part_2 = np.multiply(d2silu_gate, gate, out=buffers[2])
        if ddgate_rows is not None:
            part_3 = np.multiply(ddgate, dy, out=buffers[3])
            part_4 = np.multiply(part, gate, out=dgate_block)
            part_4 = np.add(part_4, 1.0, out=buffers[4])
            part_5 = np.subtract(part_4, silu_gate, out=dgate_block)
            part_5 = np.multiply(part_3, part_5, out=part_5)
            part_5 = np.multiply(part_5, value, out=part_5)
        if needs_d2gate:
            part_2 = np.add(part_2, part_5, out=part_5)
        if ddvalue_rows is None:
            part_2 = part_5
        part_2 = np.multiply(part, part_2, out=part)
        d2gate = np.add(d2gate, part_2, out=dgate_block)
        d2gate = np.multiply(d2gate, sigmoid_gate, out=d2gate)
        # step 25: d2value = ddgate*dy*((1 - sigmoid_gate)*gate + 1)*sigmoid_gate
        if ddgate_rows is not None:
            d2value = np.multiply(part_3, part_4, out=dvalue_block)
            d2value = np.multiply(d2value, sigmoid_gate, out=d2value)
        # step 26: ddy = ddvalue*silu_gate + ddgate*((1 - sigmoid_gate)*gate +
        #   1)*sigmoid_gate*value
        if ddvalue_rows is not None:
            ddy = np.multiply(ddvalue, silu_gate, out=silu_gate)
        if ddgate_rows is not None:
            part_6 = np.multiply(ddgate, part_4, out=buffers[1])
            part_6 = np.multiply(part_6, sigmoid_gate, out=sigmoid_gate)
            part_6 = np.multiply(part_6, value, out=part_6)
        if needs_d2gate:
            ddy = np.add(ddy, part_6, out=ddy)
        if ddvalue_rows is None:
            ddy = part_6
        if ddgate_rows is None:
            d2value = _rows.filled(0.0, dvalue_block, shape, dtype)
        return d2gate, d2value, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, dy_rows, ddgate_rows, ddvalue_rows),
        into=(dgate_out, dvalue_out, ddy_out),
        buffers=5,
    )
