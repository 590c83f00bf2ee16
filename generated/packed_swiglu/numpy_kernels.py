# Made by lngen 0.1.0 from the definition of packed_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
# definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
"""SwiGLU of a gate and a value that lie side by side in one array. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import functions as _functions


def forward(values, results, call):
    """The outputs and the saved row scalars."""
    gate_rows, value_rows = values
    (y_out,) = results

    def block(gate, value, y_block=None):
        # step 1: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=y_block)
        # step 2: silu_gate = gate*sigmoid_gate
        silu_gate = np.multiply(gate, sigmoid_gate, out=sigmoid_gate)
        # step 3: y = silu_gate*value
        y = np.multiply(silu_gate, value, out=silu_gate)
        return (y,)

    return _blocks.each_block(block, call, rows=(gate_rows, value_rows), into=(y_out,))


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    gate_rows, value_rows = fields
    dgate_out, dvalue_out = results

    def block(gate, value, dy, dgate_block=None, dvalue_block=None, buffers=(None,)):
        # step 1: sigmoid_gate = sigmoid(gate)
        sigmoid_gate = _functions.sigmoid(gate, out=dgate_block)
        # step 2: silu_gate = gate*sigmoid_gate
        silu_gate = np.multiply(gate, sigmoid_gate, out=dvalue_block)
        # step 9: dgate = dy*((1 - sigmoid_gate)*gate + 1)*sigmoid_gate*value
        dgate = np.subtract(1.0, sigmoid_gate, out=buffers[0])
        dgate = np.multiply(dgate, gate, out=dgate)
        dgate = np.add(dgate, 1.0, out=dgate)
        dgate = np.multiply(dy, dgate, out=dgate)
        dgate = np.multiply(dgate, sigmoid_gate, out=sigmoid_gate)
        dgate = np.multiply(dgate, value, out=dgate)
        # step 10: dvalue = dy*silu_gate
        dvalue = np.multiply(dy, silu_gate, out=silu_gate)
        return dgate, dvalue

    return _blocks.each_block(
        block,
        call,
        rows=(gate_rows, value_rows, dy_rows),
        into=(dgate_out, dvalue_out),
        buffers=1,
    )
