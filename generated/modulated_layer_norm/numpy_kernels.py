# Made by lngen 0.1.0 from the definition of modulated_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
# definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
"""Layer normalization whose output is gated by one number a row. The outputs and the gradients.

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
    x_rows, gate_rows, gamma, beta, eps = values
    y_out, mu_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, gate, gamma_wide, beta_wide, y_block=None):
        # step 1: mu = mean(x)
        mu = _rows.row_sum(x, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 3: var = mean(x_shifted**2)
        var = _rows.row_mean(x_shifted, x_shifted, D)
        # step 2, pass 2: mu_residual = mean(x_shifted)
        mu_residual = _rows.residual(x_shifted, mu, var, D, far_from, one_over_D)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = x_shifted
        # step 4: rstd = 1/sqrt(var + eps)
        rstd = np.reciprocal(np.sqrt(var + eps))
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=x_centred)
        # step 6: y = (xhat*gamma + beta)*gate
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        else:
            y = xhat
        if beta is not None:
            y = _rows.by_feature(np.add, y, beta_wide, out=y)
        if gate_rows is not None:
            y = np.multiply(y, gate, out=y)
        return y, mu[..., 0], mu_residual[..., 0], rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(gate_rows,),
        features=(gamma, beta),
        into=(y_out,),
        into_row_scalars=(mu_out, mu_residual_out, rstd_out),
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gate_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dgate_out, _, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        dy,
        gate,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        beta_wide,
        dx_block=None,
        buffers=(None,),
        row_scalar_buffers=(None,),
    ):
        dgate = dbeta = dgamma = None
        if gate_rows is not None:
            gate_value = gate
        # step 20: dbeta = sum over rows of dy*gate
        if gate_rows is None and (gamma is not None or beta is not None):
            part = _rows.filled(1.0, row_scalar_buffers[0], (*shape[:-1], 1), dtype)
        if gate_rows is not None and (gamma is not None or beta is not None):
            part = gate_value
        if beta is not None:
            dbeta = _rows.sum_rows(dy, part)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=x_centred)
        # step 19: dgamma = sum over rows of dy*xhat*gate
        if gamma is not None:
            part_2 = np.multiply(dy, xhat, out=buffers[0])
            dgamma = _rows.sum_rows(part_2, part)
        # step 18: dgate = sum((xhat*gamma + beta)*dy)
        if gate_rows is not None and gamma is not None:
            part_3 = _rows.by_feature(np.multiply, xhat, gamma_wide, out=buffers[0])
        if gate_rows is not None and gamma is None:
            part_3 = xhat
        if gate_rows is not None and beta is not None:
            part_3 = _rows.by_feature(np.add, part_3, beta_wide, out=buffers[0])
        if gate_rows is not None:
            dgate = _rows.row_sum(part_3, dy)
        # step 7: g = dy*gate*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[0])
        else:
            g = dy
        if gate_rows is not None:
            g = np.multiply(g, gate_value, out=buffers[0])
        # step 17: mean_g = mean(g)
        mean_g = _rows.row_sum(g, one_over_D)
        # step 17: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _rows.row_mean(g, xhat, D)
        # step 17: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
        dx = np.subtract(g, mean_g, out=buffers[0])
        part_4 = np.multiply(xhat, mean_g_xhat, out=xhat)
        dx = np.subtract(dx, part_4, out=part_4)
        dx = np.multiply(dx, rstd, out=dx)
        if gate_rows is not None:
            dgate = dgate[..., 0]
        return dx, dgate, dbeta, dgamma

    dx, dgate, dbeta, dgamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(gate_rows, mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, beta),
        into=(dx_out,),
        into_row_scalars=(dgate_out,),
        buffers=1,
        row_scalar_buffers=1,
        feature_sums=2,
    )
    return dx, dgate, dgamma, dbeta
