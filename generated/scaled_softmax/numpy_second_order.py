# Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
"""Softmax with a learned inverse temperature. The tangents, and the gradients of the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


@np.errstate(under="ignore")
def jvp(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, scale_dot = arguments
    x_rows, scale, m_rows, inv_Z_rows = fields
    (y_dot_out,) = results
    _, dtype, _ = call
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if scale_dot is not None:
        scale_dot = np.asarray(scale_dot, dtype)

    def block(x, x_dot, m, inv_Z, y_dot_block=None, buffers=(None,) * 2):
        # step 2: u = x*scale - m
        if scale is not None:
            u = np.multiply(x, scale, out=y_dot_block)
        else:
            u = x
        u = np.subtract(u, m, out=y_dot_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=u)
        # step 6: y = e_shifted*inv_Z
        y = np.multiply(e_shifted, inv_Z, out=e_shifted)
        # step 19: u_dot = x*scale_dot + x_dot*scale
        if scale_dot is not None:
            u_dot = np.multiply(x, scale_dot, out=buffers[0])
        if scale is not None and x_dot_rows is not None:
            part = np.multiply(x_dot, scale, out=buffers[1])
        if scale is None:
            part = x_dot
        if x_dot_rows is not None and scale_dot is not None:
            u_dot = np.add(u_dot, part, out=u_dot)
        if scale_dot is None:
            u_dot = part
        # step 26: sum_u_dot_y = sum(u_dot*y)
        sum_u_dot_y = _rows.row_sum(u_dot, y)
        # step 26: y_dot = (u_dot - sum_u_dot_y)*y
        y_dot = np.subtract(u_dot, sum_u_dot_y, out=buffers[0])
        y_dot = np.multiply(y_dot, y, out=y)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(m_rows, inv_Z_rows),
        into=(y_dot_out,),
        buffers=2,
    )


@np.errstate(under="ignore")
def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddscale = arguments
    x_rows, scale, m_rows, inv_Z_rows = fields
    dx_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_ddu = scale is not None and ddx_rows is not None
    D = _rows.number(features, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if ddscale is not None:
        ddscale = np.asarray(ddscale, dtype)

    def block(x, dy, ddx, m, inv_Z, dx_block=None, ddy_block=None, buffers=(None,) * 3):
        d2scale = None
        # step 2: u = x*scale - m
        if scale is not None:
            u = np.multiply(x, scale, out=ddy_block)
        else:
            u = x
        u = np.subtract(u, m, out=ddy_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=u)
        # step 6: y = e_shifted*inv_Z
        y = _rows.by_row(np.multiply, e_shifted, inv_Z, out=dx_block)
        # step 27: mean_dy_y = mean(dy*y)
        mean_dy_y = _rows.row_mean(dy, y, D)
        # step 36: ddu = ddx*scale + x*ddscale
        if needs_ddu:
            ddu = np.multiply(ddx, scale, out=ddy_block)
        if scale is None:
            ddu = ddx
        if ddscale is not None:
            part = np.multiply(x, ddscale, out=buffers[0])
        if ddx_rows is not None and ddscale is not None:
            ddu = np.add(ddu, part, out=ddu)
        if ddx_rows is None:
            ddu = part
        # step 47: mean_ddu_y = mean(ddu*y)
        mean_ddu_y = _rows.row_mean(ddu, y, D)
        # step 28, pass 1: mean_dy_y_scaled = mean_dy_y*D
        mean_dy_y_scaled = mean_dy_y * D
        # step 58, pass 2: sum_ddu_y = mean_ddu_y*D
        sum_ddu_y = mean_ddu_y * D
        # step 28, pass 3: du = (dy - mean_dy_y_scaled)*y
        part_2 = _rows.by_row(np.subtract, dy, mean_dy_y_scaled, out=buffers[1])
        if scale is not None:
            du = np.multiply(part_2, y, out=buffers[2])
        # step 53: mean_ddx_du = mean(ddx*du)
        if needs_ddu:
            mean_ddx_du = _rows.row_mean(ddx, du, D)
        # step 37, pass 4: d2y_part = (dy - mean_dy_y_scaled)*ddu
        d2y_part = np.multiply(part_2, ddu, out=part_2)
        # step 47: mean_d2y_part_y = mean(d2y_part*y)
        mean_d2y_part_y = _rows.row_mean(d2y_part, y, D)
        # step 58: ddy = (ddu - sum_ddu_y)*y
        ddy = np.subtract(ddu, sum_ddu_y, out=ddy_block)
        ddy = np.multiply(ddy, y, out=ddy)
        # step 47, pass 5: d2u = (d2y_part + ((mean_dy_y_scaled - dy)*mean_ddu_y -
        #   mean_d2y_part_y)*D)*y
        d2u = np.subtract(mean_dy_y_scaled, dy, out=buffers[0])
        d2u = np.multiply(d2u, mean_ddu_y, out=d2u)
        d2u = np.subtract(d2u, mean_d2y_part_y, out=d2u)
        d2u = np.multiply(d2u, D, out=d2u)
        d2u = np.add(d2y_part, d2u, out=d2u)
        d2u = np.multiply(d2u, y, out=y)
        # step 53: mean_d2u_x = mean(d2u*x)
        if scale is not None:
            mean_d2u_x = _rows.row_mean(d2u, x, D)
            # step 51: d2x = d2u*scale + du*ddscale
            d2x = np.multiply(d2u, scale, out=d2u)
        else:
            d2x = d2u
        if ddscale is not None:
            part_3 = np.multiply(du, ddscale, out=buffers[0])
            d2x = np.add(d2x, part_3, out=d2x)
        # step 53, pass 6: mean_ddx_du_scaled = (mean_d2u_x + mean_ddx_du)*D
        if needs_ddu:
            mean_ddx_du_scaled = mean_d2u_x + mean_ddx_du
        if ddx_rows is None:
            mean_ddx_du_scaled = mean_d2u_x
        if scale is not None:
            mean_ddx_du_scaled = mean_ddx_du_scaled * D
            # step 53, pass 7: d2scale = sum over rows of mean_ddx_du_scaled
            d2scale = np.add.reduce(mean_ddx_du_scaled, axis=None)
        return d2x, ddy, d2scale

    d2x, ddy, d2scale = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(m_rows, inv_Z_rows),
        into=(dx_out, ddy_out),
        buffers=3,
        sums=1,
    )
    if scale is not None:
        d2scale = np.full((), d2scale, dtype)
    return d2x, d2scale, ddy
