# Made by lngen 0.1.0 from the definition of standardize; derivation.md has its steps, cost and evidence.
# Do not edit; edit standardize.py and run: lngen derive standardize.py
# definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
"""Rows of mean zero and unbiased variance one, without parameters. The outputs and the gradients.

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
    x_rows, eps = values
    y_out, mu_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0 / features**0.5, dtype)
    eps = np.asarray(eps, dtype)
    # step 4: rstd = 1/sqrt(sum_x2/(D - 1) + eps)
    part = D - 1.0

    def block(x, y_block=None):
        # step 1: mu = mean(x)
        mu = _rows.row_sum(x, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 3: sum_x2 = sum(x_shifted**2)
        sum_x2 = _rows.row_sum(x_shifted, x_shifted)
        # step 2, pass 2: mu_residual = mean(x_shifted)
        mu_residual = _rows.residual(x_shifted, mu, sum_x2, 1.0, far_from, one_over_D)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = x_shifted
        # step 4: rstd = 1/sqrt(sum_x2/(D - 1) + eps)
        rstd = np.reciprocal(np.sqrt(sum_x2 / part + eps))
        # step 5: y = x_centred*rstd
        y = np.multiply(x_centred, rstd, out=x_centred)
        return y, mu[..., 0], mu_residual[..., 0], rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        into=(y_out,),
        into_row_scalars=(mu_out, mu_residual_out, rstd_out),
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    (dx_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 15, pass 10: sum_dy_y_scaled = sum_dy_y/(D - 1)
    part = D - 1.0

    def block(x, dy, mu, mu_residual, rstd, dx_block=None, buffers=(None,)):
        # step 15: mean_dy = mean(dy)
        mean_dy = _rows.row_sum(dy, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 15, pass 8: sum_dy_y_unscaled = sum(dy*x_centred)
        sum_dy_y_unscaled = _rows.row_sum(dy, x_centred)
        # step 15, pass 9: sum_dy_y = rstd*sum_dy_y_unscaled
        sum_dy_y = rstd * sum_dy_y_unscaled
        # step 15, pass 10: sum_dy_y_scaled = sum_dy_y/(D - 1)
        sum_dy_y_scaled = sum_dy_y / part
        # step 15, pass 11: dx = (dy - mean_dy - x_centred*rstd*sum_dy_y_scaled)*rstd
        dx = _rows.by_row(np.subtract, dy, mean_dy, out=buffers[0])
        part_2 = np.multiply(x_centred, rstd * sum_dy_y_scaled, out=x_centred)
        dx = np.subtract(dx, part_2, out=part_2)
        dx = np.multiply(dx, rstd, out=dx)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(dx_out,),
        buffers=1,
    )
