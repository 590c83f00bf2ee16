# Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query. The tangents, and the gradients of the gradients.

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
    x_dot_rows, scale_dot = arguments
    x_rows, position_rows, scale, m_rows, inv_sum_e_shifted_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if scale_dot is not None:
        scale_dot = np.asarray(scale_dot, dtype)
    # step 2: u = where(index() <= position, x*scale - m, 0)
    index = np.arange(features)

    def block(
        x, x_dot, position, m, inv_sum_e_shifted, y_dot_block=None, buffers=(None,) * 2
    ):
        # step 2: u = where(index() <= position, x*scale - m, 0)
        mask = index <= position
        if scale is not None:
            u = np.multiply(x, scale, out=y_dot_block)
        else:
            u = x
        u = np.subtract(u, m, out=y_dot_block)
        u = _rows.select(mask, u, 0.0, out=u)
        # step 3: exp_u = exp(u)
        exp_u = np.exp(u, out=u)
        # step 25: e_shifted_dot = where(index() <= position, exp_u*(x*scale_dot +
        #   x_dot*scale), 0)
        if scale_dot is not None:
            e_shifted_dot = np.multiply(x, scale_dot, out=buffers[0])
        if scale is not None and x_dot_rows is not None:
            part = np.multiply(x_dot, scale, out=buffers[1])
        if scale is None:
            part = x_dot
        if x_dot_rows is not None and scale_dot is not None:
            e_shifted_dot = np.add(e_shifted_dot, part, out=e_shifted_dot)
        if scale_dot is None:
            e_shifted_dot = part
        e_shifted_dot = np.multiply(exp_u, e_shifted_dot, out=buffers[0])
        e_shifted_dot = _rows.select(mask, e_shifted_dot, 0.0, out=e_shifted_dot)
        # step 30: sum_e_shifted_dot = sum(e_shifted_dot)
        sum_e_shifted_dot = _rows.row_sum(e_shifted_dot, ones)
        # step 4: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(mask, exp_u, 0.0, out=exp_u)
        # step 30, pass 3: y_dot = (e_shifted_dot -
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
        row_scalars=(position_rows, m_rows, inv_sum_e_shifted_rows),
        into=(y_dot_out,),
        buffers=2,
    )


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddscale = arguments
    x_rows, position_rows, scale, m_rows, inv_sum_e_shifted_rows = fields
    dx_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_ddu = scale is not None and ddx_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if ddscale is not None:
        ddscale = np.asarray(ddscale, dtype)
    # step 2: u = where(index() <= position, x*scale - m, 0)
    index = np.arange(features)

    def block(
        x,
        dy,
        ddx,
        position,
        m,
        inv_sum_e_shifted,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 5,
    ):
        d2scale = None
        # step 53, pass 4: inv_sum_e_shifted_scaled = inv_sum_e_shifted*D
        inv_sum_e_shifted_scaled = inv_sum_e_shifted * D
        # step 2: u = where(index() <= position, x*scale - m, 0)
        mask = index <= position
        if scale is not None:
            u = np.multiply(x, scale, out=ddy_block)
        else:
            u = x
        u = np.subtract(u, m, out=ddy_block)
        u = _rows.select(mask, u, 0.0, out=u)
        # step 3: exp_u = exp(u)
        exp_u = np.exp(u, out=dx_block)
        # step 4: e_shifted = where(index() <= position, exp_u, 0)
        e_shifted = _rows.select(
            mask, exp_u, 0.0, out=_rows.memory(ddy_block, shape, dtype)
        )
        # step 31, pass 5: mean_dy_y_unscaled = mean(dy*e_shifted)
        mean_dy_y_unscaled = _rows.row_mean(dy, e_shifted, D)
        # step 41: ddu = where(index() <= position, ddx*scale + x*ddscale, 0)
        if needs_ddu:
            ddu = np.multiply(ddx, scale, out=buffers[0])
        if scale is None:
            ddu = ddx
        if ddscale is not None:
            part = np.multiply(x, ddscale, out=buffers[1])
        if ddx_rows is not None and ddscale is not None:
            ddu = np.add(ddu, part, out=ddu)
        if ddx_rows is None:
            ddu = part
        ddu = _rows.select(mask, ddu, 0.0, out=_rows.memory(buffers[0], shape, dtype))
        # step 53, pass 6: mean_ddu_exp_u_index = mean(where(index() <= position,
        #   -ddu*exp_u*inv_sum_e_shifted_scaled, 0))
        part_2 = np.multiply(ddu, exp_u, out=buffers[1])
        part_3 = _rows.by_row(
            np.multiply, part_2, np.negative(inv_sum_e_shifted_scaled), out=buffers[2]
        )
        part_3 = _rows.select(mask, part_3, 0.0, out=part_3)
        mean_ddu_exp_u_index = _rows.row_sum(part_3, one_over_D)
        # step 31, pass 7: mean_dy_y = inv_sum_e_shifted*mean_dy_y_unscaled
        mean_dy_y = inv_sum_e_shifted * mean_dy_y_unscaled
        # step 32, pass 8: mean_dy_y_scaled = mean_dy_y*D
        mean_dy_y_scaled = mean_dy_y * D
        # step 53, pass 11: sum_ddu_dy_exp_u = sum(where(index() <= position, (dy -
        #   mean_dy_y_scaled)*ddu*exp_u, 0))
        part_4 = _rows.by_row(np.subtract, dy, mean_dy_y_scaled, out=buffers[2])
        part_5 = np.multiply(part_4, ddu, out=ddu)
        part_6 = np.multiply(part_5, exp_u, out=buffers[3])
        part_6 = _rows.select(mask, part_6, 0.0, out=part_6)
        sum_ddu_dy_exp_u = _rows.row_sum(part_6, ones)
        # step 32, pass 9: du = where(index() <= position, (dy -
        #   mean_dy_y_scaled)*exp_u*inv_sum_e_shifted, 0)
        if scale is not None:
            du = np.multiply(part_4, exp_u, out=buffers[3])
            du = np.multiply(du, inv_sum_e_shifted, out=du)
            du = _rows.select(mask, du, 0.0, out=du)
        # step 60: mean_ddx_du_index = mean(where(index() <= position, ddx*du, 0))
        if needs_ddu:
            part_7 = np.multiply(ddx, du, out=buffers[4])
            part_7 = _rows.select(mask, part_7, 0.0, out=part_7)
            mean_ddx_du_index = _rows.row_sum(part_7, one_over_D)
        # step 64, pass 10: ddy = e_shifted*inv_sum_e_shifted*mean_ddu_exp_u_index +
        #   where(index() <= position, ddu*exp_u*inv_sum_e_shifted, 0)
        ddy = np.multiply(
            e_shifted, inv_sum_e_shifted * mean_ddu_exp_u_index, out=e_shifted
        )
        part_8 = np.multiply(part_2, inv_sum_e_shifted, out=part_2)
        part_8 = _rows.select(mask, part_8, 0.0, out=part_8)
        ddy = np.add(ddy, part_8, out=ddy)
        # step 53, pass 12: inv_sum_e_shifted_scaled_2 =
        #   inv_sum_e_shifted*sum_ddu_dy_exp_u
        inv_sum_e_shifted_scaled_2 = inv_sum_e_shifted * sum_ddu_dy_exp_u
        # step 53, pass 13: d2u = where(index() <= position, exp_u*((dy -
        #   mean_dy_y_scaled)*ddu*inv_sum_e_shifted + ((dy -
        #   mean_dy_y_scaled)*mean_ddu_exp_u_index -
        #   inv_sum_e_shifted_scaled_2)*inv_sum_e_shifted), 0)
        d2u = np.multiply(part_5, inv_sum_e_shifted, out=part_5)
        part_9 = _rows.by_row(np.multiply, part_4, mean_ddu_exp_u_index, out=buffers[1])
        part_9 = np.subtract(part_9, inv_sum_e_shifted_scaled_2, out=part_9)
        part_9 = np.multiply(part_9, inv_sum_e_shifted, out=part_9)
        d2u = np.add(d2u, part_9, out=d2u)
        d2u = np.multiply(exp_u, d2u, out=exp_u)
        d2u = _rows.select(mask, d2u, 0.0, out=d2u)
        # step 60: mean_d2u_index_x = mean(where(index() <= position, d2u*x, 0))
        if scale is not None:
            part_10 = np.multiply(d2u, x, out=buffers[0])
            part_10 = _rows.select(mask, part_10, 0.0, out=part_10)
            mean_d2u_index_x = _rows.row_sum(part_10, one_over_D)
            # step 58: d2x = where(index() <= position, d2u*scale + du*ddscale, 0)
            d2x = np.multiply(d2u, scale, out=d2u)
        else:
            d2x = d2u
        if ddscale is not None:
            part_11 = np.multiply(du, ddscale, out=buffers[0])
            d2x = np.add(d2x, part_11, out=d2x)
        d2x = _rows.select(mask, d2x, 0.0, out=d2x)
        # step 60, pass 14: mean_ddx_du_index_scaled = (mean_d2u_index_x +
        #   mean_ddx_du_index)*D
        if needs_ddu:
            mean_ddx_du_index_scaled = mean_d2u_index_x + mean_ddx_du_index
        if ddx_rows is None:
            mean_ddx_du_index_scaled = mean_d2u_index_x
        if scale is not None:
            mean_ddx_du_index_scaled = mean_ddx_du_index_scaled * D
            # step 60, pass 15: d2scale = sum over rows of mean_ddx_du_index_scaled
            d2scale = np.add.reduce(mean_ddx_du_index_scaled, axis=None)
        return d2x, ddy, d2scale

    d2x, ddy, d2scale = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(position_rows, m_rows, inv_sum_e_shifted_rows),
        into=(dx_out, ddy_out),
        buffers=5,
        sums=1,
    )
    if scale is not None:
        d2scale = np.full((), d2scale, dtype)
    return d2x, d2scale, ddy
