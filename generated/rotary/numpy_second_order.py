# Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
"""Rotary position embedding: both halves of a row are turned by the angle of their position. The tangents, and the gradients of the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def jvp(arguments, fields, results, call):
    """The tangents of the outputs."""
    a_dot_rows, b_dot_rows = arguments
    cosine_rows, sine_rows = fields
    y_0_dot_out, y_1_dot_out = results

    def block(
        cosine,
        sine,
        a_dot,
        b_dot,
        y_0_dot_block=None,
        y_1_dot_block=None,
        buffers=(None,),
    ):
        # step 5: y_0_dot = a_dot*cosine - b_dot*sine
        if a_dot_rows is not None:
            y_0_dot = np.multiply(a_dot, cosine, out=y_0_dot_block)
        else:
            y_0_dot = 0.0
        if b_dot_rows is not None:
            part = np.multiply(b_dot, sine, out=y_1_dot_block)
            y_0_dot = np.subtract(y_0_dot, part, out=y_0_dot_block)
        # step 6: y_1_dot = a_dot*sine + b_dot*cosine
        if a_dot_rows is not None:
            y_1_dot = np.multiply(a_dot, sine, out=y_1_dot_block)
        if b_dot_rows is not None:
            part_2 = np.multiply(b_dot, cosine, out=buffers[0])
        if a_dot_rows is not None and b_dot_rows is not None:
            y_1_dot = np.add(y_1_dot, part_2, out=y_1_dot)
        if a_dot_rows is None:
            y_1_dot = part_2
        return y_0_dot, y_1_dot

    return _blocks.each_block(
        block,
        call,
        rows=(cosine_rows, sine_rows, a_dot_rows, b_dot_rows),
        into=(y_0_dot_out, y_1_dot_out),
        buffers=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_0_rows, dy_1_rows, dda_rows, ddb_rows = arguments
    cosine_rows, sine_rows = fields
    da_out, db_out, ddy_0_out, ddy_1_out = results
    shape, dtype, _ = call

    def block(
        cosine,
        sine,
        dda,
        ddb,
        da_block=None,
        db_block=None,
        ddy_0_block=None,
        ddy_1_block=None,
        buffers=(None,),
    ):
        ddy_0 = ddy_1 = None
        # step 11: ddy_0 = cosine*dda - ddb*sine
        if dy_0_rows is not None and dda_rows is not None:
            ddy_0 = np.multiply(cosine, dda, out=ddy_0_block)
        if dy_0_rows is not None and dda_rows is None:
            ddy_0 = 0.0
        if dy_0_rows is not None and ddb_rows is not None:
            part = np.multiply(ddb, sine, out=da_block)
            ddy_0 = np.subtract(ddy_0, part, out=ddy_0_block)
        # step 12: ddy_1 = cosine*ddb + dda*sine
        if dy_1_rows is not None and ddb_rows is not None:
            ddy_1 = np.multiply(cosine, ddb, out=ddy_1_block)
        if dy_1_rows is not None and dda_rows is not None:
            part_2 = np.multiply(dda, sine, out=buffers[0])
        if dy_1_rows is not None and dda_rows is not None and ddb_rows is not None:
            ddy_1 = np.add(ddy_1, part_2, out=ddy_1)
        if dy_1_rows is not None and ddb_rows is None:
            ddy_1 = part_2
        da = _rows.filled(0.0, da_block, shape, dtype)
        db = _rows.filled(0.0, db_block, shape, dtype)
        return da, db, ddy_0, ddy_1

    return _blocks.each_block(
        block,
        call,
        rows=(cosine_rows, sine_rows, dda_rows, ddb_rows),
        into=(da_out, db_out, ddy_0_out, ddy_1_out),
        buffers=1,
    )
