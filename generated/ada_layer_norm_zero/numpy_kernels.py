# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, branch_rows, gate_rows, scale_rows, shift_rows, eps = values
    y_out, h_out, mu_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)

    def block(
        x, branch, gate, scale, shift, y_block=None, h_block=None, buffers=(None,)
    ):
        # step 1: h = x + branch*gate
        h = np.multiply(branch, gate, out=h_block)
        h = np.add(x, h, out=h)
        # step 2: mu = mean(h)
        mu = _rows.row_sum(h, one_over_D)
        # step 3, pass 1: h_shifted = h - mu
        h_shifted = _rows.by_row(np.subtract, h, mu, out=y_block)
        # step 4: var = mean(h_shifted**2)
        var = _rows.row_mean(h_shifted, h_shifted, D)
        # step 3, pass 2: mu_residual = mean(h_shifted)
        mu_residual = _rows.residual(h_shifted, mu, var, D, far_from, one_over_D)
        # step 3, pass 3: h_centred = h_shifted - mu_residual
        h_centred = h_shifted
        # step 5: rstd = 1/sqrt(var + eps)
        rstd = np.reciprocal(np.sqrt(var + eps))
        # step 6: hhat = h_centred*rstd
        hhat = np.multiply(h_centred, rstd, out=h_centred)
        # step 7: y = shift + hhat*(scale + 1)
        y = np.add(scale, 1.0, out=buffers[0])
        y = np.multiply(hhat, y, out=hhat)
        y = np.add(shift, y, out=y)
        return y, h, mu[..., 0], mu_residual[..., 0], rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, branch_rows, gate_rows, scale_rows, shift_rows),
        into=(y_out, h_out),
        into_row_scalars=(mu_out, mu_residual_out, rstd_out),
        buffers=1,
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_rows, dh_rows = arguments
    (
        x_rows,
        branch_rows,
        gate_rows,
        scale_rows,
        mu_rows,
        mu_residual_rows,
        rstd_rows,
    ) = fields
    dx_out, dbranch_out, dgate_out, dscale_out, dshift_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        branch,
        gate,
        scale,
        dy,
        dh,
        mu,
        mu_residual,
        rstd,
        dx_block=None,
        dbranch_block=None,
        dgate_block=None,
        dscale_block=None,
        dshift_block=None,
    ):
        if dy_rows is not None:
            dy_value = dy
        else:
            dy_value = 0.0
        # step 1: h = x + branch*gate
        if dy_rows is not None:
            h = np.multiply(branch, gate, out=dscale_block)
            h = np.add(x, h, out=h)
            # step 3, pass 1: h_shifted = h - mu
            h_shifted = np.subtract(h, mu, out=h)
            # step 3, pass 3: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
            # step 6: hhat = h_centred*rstd
            hhat = _rows.by_row(np.multiply, h_centred, rstd, out=dshift_block)
            # step 8: g = dy*(scale + 1)
            g = np.add(scale, 1.0, out=dscale_block)
            g = np.multiply(dy_value, g, out=dx_block)
            # step 18: mean_g = mean(g)
            mean_g = _rows.row_sum(g, one_over_D)
            # step 18: mean_g_hhat = mean(g*hhat)
            mean_g_hhat = _rows.row_mean(g, hhat, D)
            # step 21: dscale = dy*hhat
            dscale = np.multiply(dy_value, hhat, out=dscale_block)
            # step 18: dx = dh + (g - mean_g - hhat*mean_g_hhat)*rstd
            dx = np.subtract(g, mean_g, out=g)
            part = np.multiply(hhat, mean_g_hhat, out=hhat)
            dx = np.subtract(dx, part, out=part)
            dx = _rows.by_row(np.multiply, dx, rstd, out=dx_block)
        if dy_rows is not None and dh_rows is not None:
            dx = np.add(dh, dx, out=dx)
        if dy_rows is None:
            dx = dh
        # step 19: dbranch = dx*gate
        dbranch = np.multiply(dx, gate, out=dbranch_block)
        # step 20: dgate = branch*dx
        dgate = np.multiply(branch, dx, out=dgate_block)
        if dy_rows is None:
            dscale = _rows.filled(0.0, dscale_block, shape, dtype)
        dshift = _rows.filled(dy_value, dshift_block, shape, dtype)
        if dy_rows is None:
            dx_result = _rows.filled(dh, dx_block, shape, dtype)
        else:
            dx_result = dx
        return dx_result, dbranch, dgate, dscale, dshift

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, branch_rows, gate_rows, scale_rows, dy_rows, dh_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(dx_out, dbranch_out, dgate_out, dscale_out, dshift_out),
    )
