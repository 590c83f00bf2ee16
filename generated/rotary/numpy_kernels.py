# Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
"""Rotary position embedding: both halves of a row are turned by the angle of their position. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks


def forward(values, results, call):
    """The outputs and the saved row scalars."""
    a_rows, b_rows, cosine_rows, sine_rows = values
    y_0_out, y_1_out = results

    def block(a, b, cosine, sine, y_0_block=None, y_1_block=None, buffers=(None,)):
        # step 1: y_0 = a*cosine - b*sine
        y_0 = np.multiply(a, cosine, out=y_0_block)
        part = np.multiply(b, sine, out=y_1_block)
        y_0 = np.subtract(y_0, part, out=y_0)
        # step 2: y_1 = a*sine + b*cosine
        y_1 = np.multiply(a, sine, out=y_1_block)
        part_2 = np.multiply(b, cosine, out=buffers[0])
        y_1 = np.add(y_1, part_2, out=y_1)
        return y_0, y_1

    return _blocks.each_block(
        block,
        call,
        rows=(a_rows, b_rows, cosine_rows, sine_rows),
        into=(y_0_out, y_1_out),
        buffers=1,
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_0_rows, dy_1_rows = arguments
    cosine_rows, sine_rows = fields
    da_out, db_out = results

    def block(cosine, sine, dy_0, dy_1, da_block=None, db_block=None, buffers=(None,)):
        # step 3: da = cosine*dy_0 + dy_1*sine
        if dy_0_rows is not None:
            da = np.multiply(cosine, dy_0, out=da_block)
        if dy_1_rows is not None:
            part = np.multiply(dy_1, sine, out=buffers[0])
        if dy_0_rows is not None and dy_1_rows is not None:
            da = np.add(da, part, out=da)
        if dy_0_rows is None:
            da = part
        # step 4: db = cosine*dy_1 - dy_0*sine
        if dy_1_rows is not None:
            db = np.multiply(cosine, dy_1, out=db_block)
        else:
            db = 0.0
        if dy_0_rows is not None:
            part_2 = np.multiply(dy_0, sine, out=buffers[0])
            db = np.subtract(db, part_2, out=db_block)
        return da, db

    return _blocks.each_block(
        block,
        call,
        rows=(cosine_rows, sine_rows, dy_0_rows, dy_1_rows),
        into=(da_out, db_out),
        buffers=1,
    )
