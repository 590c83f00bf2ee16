# Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head. The tangents, and the gradients of the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def jvp(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    x_rows, slope_rows, position_rows, m_rows, inv_sum_e_shifted_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    # step 1: z = x + (index() - position)*slope
    index = np.arange(features)

    def block(
        x,
        x_dot,
        slope,
        position,
        m,
        inv_sum_e_shifted,
        y_dot_block=None,
        buffers=(None,),
    ):
        # step 1: z = x + (index() - position)*slope
        part = index - position
        z = _rows.filled(part, y_dot_block, shape, dtype)
        z = np.multiply(z, slope, out=z)
        z = np.add(x, z, out=z)
        # step 3: x_shifted = z - m
        x_shifted = np.subtract(z, m, out=z)
        # step 4: u = where(index() <= position, x_shifted, 0)
        mask = index <= position
        u = _rows.select(mask, x_shifted, 0.0, out=x_shifted)
        # step 5: exp_u = exp(u)
        exp_u = np.exp(u, out=u)
        # step 30: e_shifted_dot = where(index() <= position, exp_u*x_dot, 0)
        e_shifted_dot = np.multiply(exp_u, x_dot, out=buffers[0])
        e_shifted_dot = _rows.select(mask, e_shifted_dot, 0.0, out=e_shifted_dot)
        # step 35: sum_e_shifted_dot = sum(e_shifted_dot)
        sum_e_shifted_dot = _rows.row_sum(e_shifted_dot, ones)
        # step 6: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(mask, exp_u, 0.0, out=exp_u)
        # step 35, pass 3: y_dot = (e_shifted_dot -
        #   e_shifted*inv_sum_e_shifted*sum_e_shifted_dot)*inv_sum_e_shifted
        y_dot = np.multiply(
            e_shifted, inv_sum_e_shifted * sum_e_shifted_dot, out=e_shifted
        )
        y_dot = np.subtract(e_shifted_dot, y_dot, out=y_dot)
        y_dot = np.multiply(y_dot, inv_sum_e_shifted, out=y_dot)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(slope_rows, position_rows, m_rows, inv_sum_e_shifted_rows),
        into=(y_dot_out,),
        buffers=1,
    )


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    x_rows, slope_rows, position_rows, m_rows, inv_sum_e_shifted_rows = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    # step 1: z = x + (index() - position)*slope
    index = np.arange(features)

    def block(
        x,
        dy,
        ddx,
        slope,
        position,
        m,
        inv_sum_e_shifted,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 4,
    ):
        # step 50, pass 4: inv_sum_e_shifted_scaled = inv_sum_e_shifted*D
        inv_sum_e_shifted_scaled = inv_sum_e_shifted * D
        # step 1: z = x + (index() - position)*slope
        part = index - position
        z = _rows.filled(part, ddy_block, shape, dtype)
        z = np.multiply(z, slope, out=z)
        z = np.add(x, z, out=z)
        # step 3: x_shifted = z - m
        x_shifted = np.subtract(z, m, out=z)
        # step 4: u = where(index() <= position, x_shifted, 0)
        mask = index <= position
        u = _rows.select(mask, x_shifted, 0.0, out=x_shifted)
        # step 5: exp_u = exp(u)
        exp_u = np.exp(u, out=dx_block)
        # step 50, pass 6: mean_ddx_exp_u_index = mean(where(index() <= position,
        #   -ddx*exp_u*inv_sum_e_shifted_scaled, 0))
        part_2 = np.multiply(ddx, exp_u, out=ddy_block)
        part_3 = _rows.by_row(
            np.multiply, part_2, np.negative(inv_sum_e_shifted_scaled), out=buffers[0]
        )
        part_3 = _rows.select(mask, part_3, 0.0, out=part_3)
        mean_ddx_exp_u_index = _rows.row_sum(part_3, one_over_D)
        # step 6: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(
            mask, exp_u, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        # step 36, pass 5: mean_dy_y_unscaled = mean(dy*e_shifted)
        mean_dy_y_unscaled = _rows.row_mean(dy, e_shifted, D)
        # step 36, pass 7: mean_dy_y = inv_sum_e_shifted*mean_dy_y_unscaled
        mean_dy_y = inv_sum_e_shifted * mean_dy_y_unscaled
        # step 50, pass 8: mean_dy_y_scaled = mean_dy_y*D
        mean_dy_y_scaled = mean_dy_y * D
        # step 50, pass 10: sum_ddx_dy_exp_u = sum(where(index() <= position, (dy -
        #   mean_dy_y_scaled)*ddx*exp_u, 0))
        part_4 = _rows.by_row(np.subtract, dy, mean_dy_y_scaled, out=buffers[1])
        part_5 = np.multiply(part_4, ddx, out=buffers[2])
        part_6 = np.multiply(part_5, exp_u, out=buffers[3])
        part_6 = _rows.select(mask, part_6, 0.0, out=part_6)
        sum_ddx_dy_exp_u = _rows.row_sum(part_6, ones)
        # step 54, pass 9: ddy = e_shifted*inv_sum_e_shifted*mean_ddx_exp_u_index +
        #   where(index() <= position, ddx*exp_u*inv_sum_e_shifted, 0)
        ddy = np.multiply(
            e_shifted, inv_sum_e_shifted * mean_ddx_exp_u_index, out=e_shifted
        )
        part_7 = np.multiply(part_2, inv_sum_e_shifted, out=part_2)
        part_7 = _rows.select(mask, part_7, 0.0, out=part_7)
        ddy = np.add(ddy, part_7, out=part_7)
        # step 50, pass 11: inv_sum_e_shifted_scaled_2 =
        #   inv_sum_e_shifted*sum_ddx_dy_exp_u
        inv_sum_e_shifted_scaled_2 = inv_sum_e_shifted * sum_ddx_dy_exp_u
        # step 50, pass 12: d2x = where(index() <= position, exp_u*((dy -
        #   mean_dy_y_scaled)*ddx*inv_sum_e_shifted + ((dy -
        #   mean_dy_y_scaled)*mean_ddx_exp_u_index -
        #   inv_sum_e_shifted_scaled_2)*inv_sum_e_shifted), 0)
        d2x = _rows.by_row(np.multiply, part_5, inv_sum_e_shifted, out=buffers[0])
        part_8 = np.multiply(part_4, mean_ddx_exp_u_index, out=part_4)
        part_8 = np.subtract(part_8, inv_sum_e_shifted_scaled_2, out=part_8)
        part_8 = np.multiply(part_8, inv_sum_e_shifted, out=part_8)
        d2x = np.add(d2x, part_8, out=d2x)
        d2x = np.multiply(exp_u, d2x, out=exp_u)
        d2x = _rows.select(mask, d2x, 0.0, out=d2x)
        return d2x, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(slope_rows, position_rows, m_rows, inv_sum_e_shifted_rows),
        into=(dx_out, ddy_out),
        buffers=4,
    )
