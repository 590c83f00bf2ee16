# Made by lngen 0.1.0 from the definition of standardize.
# Do not edit; edit standardize.py and run: lngen derive standardize.py
# Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 10 flops per row element.
# Evidence: 1 output, 35 steps, 23 first lines, 2 identities, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 2, 3, 4, 5; derivation.md says of what.
# definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Rows of mean zero and unbiased variance one, without parameters. The outputs and the gradients.

Rows are processed in blocks that stay in the cache. A comment gives the derivation step
of its line, and names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars, written to their arrays."""
    x_rows, eps = values
    y_out, mu_out, mu_residual_out, rstd_out = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    far_from = _rows.number(2.0 / features**0.5, dtype)
    D = _rows.number(features, dtype)
    # step 4: rstd = 1/sqrt(sum_x2/(D - 1) + eps)
    part = np.subtract(D, 1.0)

    def block(x, mu_block, mu_residual_block, rstd_block, y_block):
        # step 1: mu = mean(x)
        mu = _rows.row_sum(x, one_over_D, out=mu_block)
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 3: sum_x2 = sum(x_shifted**2)
        sum_x2 = _rows.row_sum(x_shifted, x_shifted, out=rstd_block)
        # step 2: mu_residual = mean(x_shifted)
        _rows.residual(
            x_shifted, mu, sum_x2, 1.0, far_from, one_over_D, out=mu_residual_block
        )
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = x_shifted
        # step 4: rstd = 1/sqrt(sum_x2/(D - 1) + eps)
        rstd = np.divide(sum_x2, part, out=rstd_block)
        rstd = np.add(rstd, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 5: y = x_centred*rstd
        np.multiply(x_centred, rstd, out=y_block)

    _blocks.each_block(
        block, call, reads=(x_rows,), writes=(mu_out, mu_residual_out, rstd_out, y_out)
    )


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, mu_rows, mu_residual_rows, rstd_rows = fields
    (dx_out,) = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 18: sum_dy_y_scaled = sum_dy_y/(D - 1)
    part = np.subtract(D, 1.0)

    def block(x, dy, mu, mu_residual, rstd, dx_block, buffers, row_scalars):
        # step 18: mean_dy = mean(dy)
        mean_dy = _rows.row_sum(dy, one_over_D, out=row_scalars[0])
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 18: sum_dy_y_unscaled = sum(dy*x_centred)
        sum_dy_y_unscaled = _rows.row_sum(dy, x_centred, out=row_scalars[1])
        # step 18: sum_dy_y = rstd*sum_dy_y_unscaled
        sum_dy_y = np.multiply(rstd, sum_dy_y_unscaled, out=row_scalars[1])
        # step 18: sum_dy_y_scaled = sum_dy_y/(D - 1)
        sum_dy_y_scaled = np.divide(sum_dy_y, part, out=row_scalars[1])
        # step 18: dx = (dy - mean_dy - x_centred*rstd*sum_dy_y_scaled)*rstd
        dx = _rows.by_row(np.subtract, dy, mean_dy, out=buffers[0])
        part_2 = np.multiply(rstd, sum_dy_y_scaled, out=row_scalars[0])
        part_3 = np.multiply(x_centred, part_2, out=dx_block)
        dx = np.subtract(dx, part_3, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows, mu_rows, mu_residual_rows, rstd_rows),
        writes=(dx_out,),
        buffers=1,
        row_scalars=2,
    )


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, eps = values
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    far_from = _rows.number(2.0 / features**0.5, dtype)
    eps = np.asarray(eps, dtype)
    D = _rows.number(features, dtype)
    # step 4: rstd = 1/sqrt(sum_x2/(D - 1) + eps)
    part = np.subtract(D, 1.0)
    # step 1: mu = mean(x)
    mu = vecdot(x, one_over_D)[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 3: sum_x2 = sum(x_shifted**2)
    sum_x2 = vecdot(x_shifted, x_shifted)[..., np.newaxis]
    # step 2: mu_residual = mean(x_shifted)
    mu_residual = _rows.residual(x_shifted, mu, sum_x2, 1.0, far_from, one_over_D)
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = x_shifted
    # step 4: rstd = 1/sqrt(sum_x2/(D - 1) + eps)
    rstd = sum_x2 / part
    rstd = rstd + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 5: y = x_centred*rstd
    y = np.multiply(x_centred, rstd, out=x_centred)
    mu = mu[..., 0]
    mu_residual = mu_residual[..., 0]
    rstd = rstd[..., 0]
    return y, mu, mu_residual, rstd


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, dtype, _, x, mu_rows, mu_residual_rows, rstd_rows = saved
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 18: sum_dy_y_scaled = sum_dy_y/(D - 1)
    part = np.subtract(D, 1.0)
    mu = mu_rows[..., np.newaxis]
    mu_residual = mu_residual_rows[..., np.newaxis]
    rstd = rstd_rows[..., np.newaxis]
    # step 18: mean_dy = mean(dy)
    mean_dy = vecdot(dy, one_over_D)[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = _rows.less_residual(x_shifted, mu_residual)
    # step 18: sum_dy_y_unscaled = sum(dy*x_centred)
    sum_dy_y_unscaled = vecdot(dy, x_centred)[..., np.newaxis]
    # step 18: sum_dy_y = rstd*sum_dy_y_unscaled
    sum_dy_y = rstd * sum_dy_y_unscaled
    # step 18: sum_dy_y_scaled = sum_dy_y/(D - 1)
    sum_dy_y_scaled = sum_dy_y / part
    # step 18: dx = (dy - mean_dy - x_centred*rstd*sum_dy_y_scaled)*rstd
    dx = dy - mean_dy
    part_2 = rstd * sum_dy_y_scaled
    part_3 = np.multiply(x_centred, part_2, out=x_centred)
    dx = np.subtract(dx, part_3, out=dx)
    dx = np.multiply(dx, rstd, out=dx)
    return (dx,)
