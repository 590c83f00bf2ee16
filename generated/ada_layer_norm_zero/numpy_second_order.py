# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own. The tangents, and the gradients of the gradients.

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
    (
        x_dot_rows,
        branch_dot_rows,
        gate_dot_rows,
        scale_dot_rows,
        shift_dot_rows,
    ) = arguments
    (
        x_rows,
        branch_rows,
        gate_rows,
        scale_rows,
        mu_rows,
        mu_residual_rows,
        rstd_rows,
    ) = fields
    y_dot_out, h_dot_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_mean_h_dot = (
        x_dot_rows is not None
        or branch_dot_rows is not None
        or gate_dot_rows is not None
    )
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        branch,
        gate,
        scale,
        x_dot,
        branch_dot,
        gate_dot,
        scale_dot,
        shift_dot,
        mu,
        mu_residual,
        rstd,
        y_dot_block=None,
        h_dot_block=None,
        buffers=(None,) * 3,
    ):
        # step 1: h = x + branch*gate
        if (
            x_dot_rows is not None
            or branch_dot_rows is not None
            or gate_dot_rows is not None
            or scale_dot_rows is not None
        ):
            h = np.multiply(branch, gate, out=h_dot_block)
            h = np.add(x, h, out=h)
            # step 3, pass 1: h_shifted = h - mu
            h_shifted = np.subtract(h, mu, out=h)
            # step 3, pass 3: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
            # step 6: hhat = h_centred*rstd
            hhat = _rows.by_row(np.multiply, h_centred, rstd, out=buffers[0])
        # step 23: h_dot = x_dot + branch*gate_dot + branch_dot*gate
        if gate_dot_rows is not None:
            h_dot = np.multiply(branch, gate_dot, out=h_dot_block)
        if x_dot_rows is not None and gate_dot_rows is not None:
            h_dot = np.add(x_dot, h_dot, out=h_dot)
        if x_dot_rows is not None and gate_dot_rows is None:
            h_dot = x_dot
        if branch_dot_rows is not None:
            part = np.multiply(branch_dot, gate, out=buffers[1])
        if branch_dot_rows is not None and (
            x_dot_rows is not None or gate_dot_rows is not None
        ):
            h_dot = np.add(h_dot, part, out=h_dot_block)
        if x_dot_rows is None and branch_dot_rows is not None and gate_dot_rows is None:
            h_dot = part
        if x_dot_rows is None and branch_dot_rows is None and gate_dot_rows is None:
            h_dot = 0.0
        # step 32: mean_h_dot = mean(h_dot)
        if needs_mean_h_dot:
            mean_h_dot = _rows.row_sum(h_dot, one_over_D)
            # step 32: mean_h_dot_hhat = mean(h_dot*hhat)
            mean_h_dot_hhat = _rows.row_mean(h_dot, hhat, D)
        # step 32: y_dot = shift_dot + hhat*scale_dot + (h_dot - mean_h_dot -
        #   hhat*mean_h_dot_hhat)*(scale + 1)*rstd
        if scale_dot_rows is not None:
            y_dot = np.multiply(hhat, scale_dot, out=y_dot_block)
        if scale_dot_rows is not None and shift_dot_rows is not None:
            y_dot = np.add(shift_dot, y_dot, out=y_dot)
        if scale_dot_rows is None and shift_dot_rows is not None:
            y_dot = shift_dot
        if needs_mean_h_dot:
            part_2 = _rows.by_row(np.subtract, h_dot, mean_h_dot, out=buffers[2])
            part_3 = np.multiply(hhat, mean_h_dot_hhat, out=hhat)
            part_2 = np.subtract(part_2, part_3, out=part_3)
            part_4 = np.add(scale, 1.0, out=buffers[2])
            part_2 = np.multiply(part_2, part_4, out=part_2)
            part_2 = np.multiply(part_2, rstd, out=part_2)
        if (
            (x_dot_rows is not None and scale_dot_rows is not None)
            or (branch_dot_rows is not None and shift_dot_rows is not None)
            or (gate_dot_rows is not None and scale_dot_rows is not None)
            or (x_dot_rows is not None and shift_dot_rows is not None)
            or (branch_dot_rows is not None and scale_dot_rows is not None)
            or (gate_dot_rows is not None and shift_dot_rows is not None)
        ):
            y_dot = np.add(y_dot, part_2, out=y_dot_block)
        if scale_dot_rows is None and shift_dot_rows is None:
            y_dot = part_2
        if branch_dot_rows is None and gate_dot_rows is None:
            h_dot_result = _rows.filled(h_dot, h_dot_block, shape, dtype)
        else:
            h_dot_result = h_dot
        if (
            x_dot_rows is None
            and branch_dot_rows is None
            and gate_dot_rows is None
            and scale_dot_rows is None
        ):
            y_dot = _rows.filled(shift_dot, y_dot_block, shape, dtype)
        return y_dot, h_dot_result

    return _blocks.each_block(
        block,
        call,
        rows=(
            x_rows,
            branch_rows,
            gate_rows,
            scale_rows,
            x_dot_rows,
            branch_dot_rows,
            gate_dot_rows,
            scale_dot_rows,
            shift_dot_rows,
        ),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(y_dot_out, h_dot_out),
        buffers=3,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    (
        dy_rows,
        dh_rows,
        ddx_rows,
        ddbranch_rows,
        ddgate_rows,
        ddscale_rows,
        ddshift_rows,
    ) = arguments
    (
        x_rows,
        branch_rows,
        gate_rows,
        scale_rows,
        mu_rows,
        mu_residual_rows,
        rstd_rows,
    ) = fields
    dx_out, dbranch_out, dgate_out, dscale_out, dshift_out, ddy_out, ddh_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_h = dy_rows is not None and (
        ddx_rows is not None
        or ddbranch_rows is not None
        or ddgate_rows is not None
        or ddscale_rows is not None
    )
    needs_part = dy_rows is not None and (
        ddx_rows is not None or ddbranch_rows is not None or ddgate_rows is not None
    )
    needs_d2hhat_part = dy_rows is not None and ddscale_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        branch,
        gate,
        scale,
        dy,
        dh,
        ddx,
        ddbranch,
        ddgate,
        ddscale,
        ddshift,
        mu,
        mu_residual,
        rstd,
        dx_block=None,
        dbranch_block=None,
        dgate_block=None,
        dscale_block=None,
        dshift_block=None,
        ddy_block=None,
        ddh_block=None,
        buffers=(None,) * 5,
    ):
        ddy = ddh_result = None
        # step 1: h = x + branch*gate
        if needs_h:
            h = np.multiply(branch, gate, out=dshift_block)
            h = np.add(x, h, out=h)
            # step 3, pass 1: h_shifted = h - mu
            h_shifted = np.subtract(h, mu, out=h)
            # step 3, pass 3: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
            # step 6: hhat = h_centred*rstd
            hhat = np.multiply(h_centred, rstd, out=h_centred)
        # step 33: g = dy*(scale + 1)
        if needs_part:
            part = np.add(scale, 1.0, out=dx_block)
            g = np.multiply(dy, part, out=dbranch_block)
            # step 34: mean_g = mean(g)
            mean_g = _rows.row_sum(g, one_over_D)
            # step 35: mean_g_hhat = mean(g*hhat)
            mean_g_hhat = _rows.row_mean(g, hhat, D)
        # step 39: ddh = ddx + branch*ddgate + ddbranch*gate
        if ddgate_rows is not None:
            ddh = np.multiply(branch, ddgate, out=buffers[0])
        if ddx_rows is not None and ddgate_rows is not None:
            ddh = np.add(ddx, ddh, out=ddh)
        if ddx_rows is not None and ddgate_rows is None:
            ddh = ddx
        if ddbranch_rows is not None:
            part_2 = np.multiply(ddbranch, gate, out=buffers[1])
        if ddbranch_rows is not None and (
            ddx_rows is not None or ddgate_rows is not None
        ):
            ddh = np.add(ddh, part_2, out=buffers[0])
        if ddx_rows is None and ddbranch_rows is not None and ddgate_rows is None:
            ddh = part_2
        if (
            dh_rows is not None
            and ddx_rows is None
            and ddbranch_rows is None
            and ddgate_rows is None
        ):
            ddh = 0.0
        # step 59: mean_ddh = mean(ddh)
        if needs_part:
            mean_ddh = _rows.row_sum(ddh, one_over_D)
            # step 59: mean_ddh_hhat = mean(ddh*hhat)
            mean_ddh_hhat = _rows.row_mean(ddh, hhat, D)
            # step 51: mean_ddh_g = mean(ddh*g)
            mean_ddh_g = _rows.row_mean(ddh, g, D)
            # step 41, pass 8: mean_g_hhat_scaled = mean_g_hhat*rstd
            mean_g_hhat_scaled = mean_g_hhat * rstd
            # step 51, pass 9: mean_g_hhat_scaled_2 = 2*mean_g_hhat
            mean_g_hhat_scaled_2 = mean_g_hhat * 2.0
            # step 51, pass 10: mean_ddh_scaled = mean_ddh*mean_g
            mean_ddh_scaled = mean_ddh * mean_g
            # step 59: dg = (ddh - mean_ddh - hhat*mean_ddh_hhat)*rstd
            dg = _rows.by_row(np.subtract, ddh, mean_ddh, out=dscale_block)
            part_3 = _rows.by_row(np.multiply, hhat, mean_ddh_hhat, out=ddy_block)
            dg = np.subtract(dg, part_3, out=dg)
            dg = _rows.by_row(np.multiply, dg, rstd, out=dgate_block)
        # step 41, pass 11: d2hhat_part = ddscale*dy - ddh*mean_g_hhat_scaled
        if needs_d2hhat_part:
            d2hhat_part = np.multiply(ddscale, dy, out=dscale_block)
        if (
            dy_rows is not None
            and ddscale_rows is None
            and (
                ddx_rows is not None
                or ddbranch_rows is not None
                or ddgate_rows is not None
            )
        ):
            d2hhat_part = 0.0
        if needs_part:
            part_4 = _rows.by_row(np.multiply, ddh, mean_g_hhat_scaled, out=ddy_block)
            d2hhat_part = np.subtract(d2hhat_part, part_4, out=buffers[2])
        # step 51: mean_d2hhat_part = mean(d2hhat_part)
        if needs_h:
            mean_d2hhat_part = _rows.row_sum(d2hhat_part, one_over_D)
            # step 51: mean_d2hhat_part_hhat = mean(d2hhat_part*hhat)
            mean_d2hhat_part_hhat = _rows.row_mean(d2hhat_part, hhat, D)
        # step 60: d2scale = dg*dy
        if needs_part:
            d2scale = np.multiply(dg, dy, out=dscale_block)
        # step 65: ddy = ddshift + ddscale*hhat + dg*(scale + 1)
        if needs_d2hhat_part:
            ddy = np.multiply(ddscale, hhat, out=ddy_block)
        if (
            dy_rows is not None
            and ddscale_rows is not None
            and ddshift_rows is not None
        ):
            ddy = np.add(ddshift, ddy, out=ddy)
        if dy_rows is not None and ddscale_rows is None and ddshift_rows is not None:
            ddy = ddshift
        if needs_part:
            part_5 = np.multiply(dg, part, out=buffers[3])
        if dy_rows is not None and (
            (ddx_rows is not None and ddscale_rows is not None)
            or (ddbranch_rows is not None and ddshift_rows is not None)
            or (ddgate_rows is not None and ddscale_rows is not None)
            or (ddx_rows is not None and ddshift_rows is not None)
            or (ddbranch_rows is not None and ddscale_rows is not None)
            or (ddgate_rows is not None and ddshift_rows is not None)
        ):
            ddy = np.add(ddy, part_5, out=ddy_block)
        if dy_rows is not None and ddscale_rows is None and ddshift_rows is None:
            ddy = part_5
        # step 36: dx = dh + (g - mean_g - hhat*mean_g_hhat)*rstd
        if dy_rows is not None and (
            ddbranch_rows is not None or ddgate_rows is not None
        ):
            dx = _rows.by_row(np.subtract, g, mean_g, out=dx_block)
            part_6 = _rows.by_row(np.multiply, hhat, mean_g_hhat, out=dgate_block)
            dx = np.subtract(dx, part_6, out=dx)
            dx = _rows.by_row(np.multiply, dx, rstd, out=buffers[4])
        if (
            dy_rows is not None
            and dh_rows is not None
            and (ddbranch_rows is not None or ddgate_rows is not None)
        ):
            dx = np.add(dh, dx, out=ddh_block)
        if dy_rows is None and (ddbranch_rows is not None or ddgate_rows is not None):
            dx = dh
        # step 51, pass 12: d2x = (d2hhat_part + (hhat*mean_ddh_scaled +
        #   (hhat*mean_g_hhat_scaled_2 + mean_g - g)*mean_ddh_hhat -
        #   hhat*mean_ddh_g)*rstd - mean_d2hhat_part - hhat*mean_d2hhat_part_hhat)*rstd
        if needs_part:
            d2x = _rows.by_row(np.multiply, hhat, mean_ddh_scaled, out=dx_block)
            part_7 = _rows.by_row(
                np.multiply, hhat, mean_g_hhat_scaled_2, out=dgate_block
            )
            part_7 = np.add(part_7, mean_g, out=part_7)
            part_7 = np.subtract(part_7, g, out=g)
            part_7 = np.multiply(part_7, mean_ddh_hhat, out=part_7)
            d2x = np.add(d2x, part_7, out=d2x)
            part_8 = _rows.by_row(np.multiply, hhat, mean_ddh_g, out=dbranch_block)
            d2x = np.subtract(d2x, part_8, out=d2x)
            d2x = np.multiply(d2x, rstd, out=d2x)
            d2x = np.add(d2hhat_part, d2x, out=d2x)
        if (
            dy_rows is not None
            and ddx_rows is None
            and ddbranch_rows is None
            and ddgate_rows is None
            and ddscale_rows is not None
        ):
            d2x = d2hhat_part
        if needs_h:
            d2x = np.subtract(d2x, mean_d2hhat_part, out=dx_block)
            part_9 = np.multiply(hhat, mean_d2hhat_part_hhat, out=hhat)
            d2x = np.subtract(d2x, part_9, out=part_9)
            d2x = _rows.by_row(np.multiply, d2x, rstd, out=dx_block)
            # step 52: d2branch = d2x*gate + ddgate*dx
            d2branch = np.multiply(d2x, gate, out=dbranch_block)
        if ddgate_rows is not None:
            part_10 = np.multiply(ddgate, dx, out=buffers[1])
        if dy_rows is not None and ddgate_rows is not None:
            d2branch = np.add(d2branch, part_10, out=d2branch)
        if dy_rows is None and ddgate_rows is not None:
            d2branch = part_10
        # step 53: d2gate = branch*d2x + ddbranch*dx
        if needs_h:
            d2gate = np.multiply(branch, d2x, out=dgate_block)
        if ddbranch_rows is not None:
            part_11 = np.multiply(ddbranch, dx, out=buffers[2])
        if dy_rows is not None and ddbranch_rows is not None:
            d2gate = np.add(d2gate, part_11, out=d2gate)
        if dy_rows is None and ddbranch_rows is not None:
            d2gate = part_11
        dshift = _rows.filled(0.0, dshift_block, shape, dtype)
        if dh_rows is not None and ddbranch_rows is None and ddgate_rows is None:
            ddh_result = _rows.filled(ddh, ddh_block, shape, dtype)
        if dh_rows is not None and (
            ddbranch_rows is not None or ddgate_rows is not None
        ):
            ddh_result = ddh
        if dy_rows is None or (
            ddx_rows is None and ddbranch_rows is None and ddgate_rows is None
        ):
            d2scale = _rows.filled(0.0, dscale_block, shape, dtype)
        if (
            dy_rows is not None
            and ddx_rows is None
            and ddbranch_rows is None
            and ddgate_rows is None
            and ddscale_rows is None
        ):
            ddy = _rows.filled(ddshift, ddy_block, shape, dtype)
        if dy_rows is None or (
            ddx_rows is None
            and ddbranch_rows is None
            and ddgate_rows is None
            and ddscale_rows is None
        ):
            dx_result = _rows.filled(0.0, dx_block, shape, dtype)
        else:
            dx_result = d2x
        if ddgate_rows is None and (
            dy_rows is None
            or (ddx_rows is None and ddbranch_rows is None and ddscale_rows is None)
        ):
            d2branch = _rows.filled(0.0, dbranch_block, shape, dtype)
        if ddbranch_rows is None and (
            dy_rows is None
            or (ddx_rows is None and ddgate_rows is None and ddscale_rows is None)
        ):
            d2gate = _rows.filled(0.0, dgate_block, shape, dtype)
        return dx_result, d2branch, d2gate, d2scale, dshift, ddy, ddh_result

    return _blocks.each_block(
        block,
        call,
        rows=(
            x_rows,
            branch_rows,
            gate_rows,
            scale_rows,
            dy_rows,
            dh_rows,
            ddx_rows,
            ddbranch_rows,
            ddgate_rows,
            ddscale_rows,
            ddshift_rows,
        ),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(dx_out, dbranch_out, dgate_out, dscale_out, dshift_out, ddy_out, ddh_out),
        buffers=5,
    )
