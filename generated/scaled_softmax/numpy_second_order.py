# Made by lngen 0.1.0 from the definition of scaled_softmax.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
# Evidence: exact 2 of 2, 50 digits 1 of 1, second derivation 2 of 2, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
# templates sha256:0c03a518bea7bdb46fd4373a87c5e764e4d56e1554d3a0b85a6cdfded06ada0d
"""Softmax with a learned inverse temperature. The tangents, and the gradients of the gradients.

Rows are worked on in blocks that stay in the cache. A comment names the step of the
derivation that a line comes from, and a name in the code is a name of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime import blocks as _blocks
from .._runtime import rows as _rows


def jvp(arguments, fields, results, call):
    """The tangents of the outputs, written to their arrays."""
    dx_rows, dscale = arguments
    x_rows, scale, row_max_rows, inv_sum_exp_u_rows = fields
    (dy_out,) = results

    def block(x, dx, row_max, inv_sum_exp_u, dy_block, buffers, row_scalars):
        # step 2: u = x*scale - row_max
        if scale is not None:
            u = np.multiply(x, scale, out=dy_block)
        else:
            u = x
        u = np.subtract(u, row_max, out=dy_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=dy_block)
        # step 6: y = e_shifted*inv_sum_exp_u
        y = np.multiply(e_shifted, inv_sum_exp_u, out=dy_block)
        # step 17: du = dx*scale + x*dscale
        if scale is not None and dx_rows is not None:
            du = np.multiply(dx, scale, out=buffers[0])
        if scale is None:
            du = dx
        if dscale is not None:
            part = np.multiply(x, dscale, out=buffers[1])
        if dx_rows is not None and dscale is not None:
            du = np.add(du, part, out=buffers[0])
        if dx_rows is None:
            du = part
        # step 25: sum_du_y = sum(du*y)
        sum_du_y = _rows.row_sum(du, y, out=row_scalars[0])
        # step 25: dy = (du - sum_du_y)*y
        dy = np.subtract(du, sum_du_y, out=buffers[0])
        np.multiply(dy, y, out=dy_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, dx_rows, row_max_rows, inv_sum_exp_u_rows),
        writes=(dy_out,),
        buffers=2,
        row_scalars=1,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows, ddscale = arguments
    x_rows, scale, row_max_rows, inv_sum_exp_u_rows = fields
    dx_out, dscale_out, ddy_out = results
    features, dtype = call.features, call.dtype
    needs_dg = scale is not None and ddx_rows is not None
    D = _rows.number(features, dtype)

    def block(
        x,
        dy,
        ddx,
        row_max,
        inv_sum_exp_u,
        ddy_block,
        dx_block,
        buffers,
        row_scalars,
        sums,
    ):
        (dscale_sums,) = sums
        # step 2: u = x*scale - row_max
        if scale is not None:
            u = np.multiply(x, scale, out=ddy_block)
        else:
            u = x
        u = np.subtract(u, row_max, out=ddy_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=ddy_block)
        # step 6: y = e_shifted*inv_sum_exp_u
        y = _rows.by_row(np.multiply, e_shifted, inv_sum_exp_u, out=dx_block)
        # step 26: mean_dy = mean(dy*y)
        mean_dy = _rows.row_mean(dy, y, D, out=row_scalars[0])
        # step 55: dg = ddx*scale + x*ddscale
        if needs_dg:
            dg = np.multiply(ddx, scale, out=ddy_block)
        if scale is None:
            dg = ddx
        if ddscale is not None:
            part = np.multiply(x, ddscale, out=buffers[0])
        if ddx_rows is not None and ddscale is not None:
            dg = np.add(dg, part, out=ddy_block)
        if ddx_rows is None:
            dg = part
        # step 59: mean_dg_y = mean(dg*y)
        mean_dg_y = _rows.row_mean(dg, y, D, out=row_scalars[1])
        # step 58: sum_dg_y = sum(dg*y)
        sum_dg_y = _rows.row_sum(dg, y, out=row_scalars[2])
        # step 27: mean_dy_scaled = mean_dy*D
        mean_dy_scaled = np.multiply(mean_dy, D, out=row_scalars[0])
        # step 27: g = (dy - mean_dy_scaled)*y
        part_2 = _rows.by_row(np.subtract, dy, mean_dy_scaled, out=buffers[1])
        if scale is not None:
            g = np.multiply(part_2, y, out=buffers[2])
        # step 50: mean_ddx_g = mean(ddx*g)
        if needs_dg:
            mean_ddx_g = _rows.row_mean(ddx, g, D, out=row_scalars[3])
        # step 36: g_3 = (dy - mean_dy_scaled)*dg
        g_3 = np.multiply(part_2, dg, out=buffers[1])
        # step 59: mean_g_3_y = mean(g_3*y)
        mean_g_3_y = _rows.row_mean(g_3, y, D, out=row_scalars[4])
        # step 58: ddy = (dg - sum_dg_y)*y
        ddy = np.subtract(dg, sum_dg_y, out=ddy_block)
        np.multiply(ddy, y, out=ddy_block)
        # step 59: g_4 = (g_3 + ((mean_dy_scaled - dy)*mean_dg_y - mean_g_3_y)*D)*y
        g_4 = np.subtract(mean_dy_scaled, dy, out=buffers[0])
        g_4 = np.multiply(g_4, mean_dg_y, out=buffers[0])
        g_4 = np.subtract(g_4, mean_g_3_y, out=buffers[0])
        g_4 = np.multiply(g_4, D, out=buffers[0])
        g_4 = np.add(g_3, g_4, out=buffers[0])
        g_4 = np.multiply(g_4, y, out=dx_block)
        # step 50: mean_g_4_x = mean(g_4*x)
        if scale is not None:
            mean_g_4_x = _rows.row_mean(g_4, x, D, out=row_scalars[0])
        # step 57: dx = g*ddscale + g_4*scale
        if ddscale is not None:
            dx = np.multiply(g, ddscale, out=buffers[0])
        if scale is not None:
            part_3 = np.multiply(g_4, scale, out=dx_block)
        else:
            part_3 = g_4
        if ddscale is not None:
            np.add(dx, part_3, out=dx_block)
        # step 50: mean_g_4_x_scaled = (mean_ddx_g + mean_g_4_x)*D
        if needs_dg:
            mean_g_4_x_scaled = np.add(mean_ddx_g, mean_g_4_x, out=row_scalars[0])
        if ddx_rows is None:
            mean_g_4_x_scaled = mean_g_4_x
        if scale is not None:
            mean_g_4_x_scaled = np.multiply(mean_g_4_x_scaled, D, out=row_scalars[0])
            # step 50: dscale = sum over rows of mean_g_4_x_scaled
            dscale_sums += np.add.reduce(mean_g_4_x_scaled, axis=None)

    (dscale,) = _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, ddx_rows, row_max_rows, inv_sum_exp_u_rows),
        writes=(ddy_out, dx_out),
        buffers=3,
        row_scalars=5,
        sums=1,
    )
    if scale is not None:
        _blocks.round_to(dscale_out, ..., dscale)
