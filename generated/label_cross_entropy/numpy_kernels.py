# Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
# definition sha256:0af8b9ef230e709d14895b35c79c2613d071969c93fd70b111f1c34862e9644b
"""Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing. The outputs and the gradients.

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
def forward(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, label_rows, ignore, smoothing, z_loss = values
    y_out, m_out, Z_out, log_Z_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    if ignore is not None:
        ignore_value = np.asarray(ignore, dtype)
    else:
        ignore_value = -100.0
    smoothing = np.asarray(smoothing, dtype)
    z_loss = np.asarray(z_loss, dtype)
    # step 8: y = where(label == ignore, 0, log_Z + m + (log_Z + m)**2*z_loss -
    #   where(smoothing > 0, mu*smoothing, 0) - sum_where_x*(1 - smoothing))
    mask_2 = smoothing > 0.0
    part_3 = 1.0 - smoothing

    def block(x, label, buffers=(None,)):
        # step 1: m = max(x)
        m = _rows.shift(x)
        # step 6: mu = mean(x)
        mu = _rows.row_sum(x, one_over_D)
        # step 7: sum_where_x = sum(where(index() == label, x, 0))
        sum_where_x = _rows.entry(x, label)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 4: Z = sum(exp_shifted)
        Z = _rows.row_sum(exp_shifted, ones)
        # step 5: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 8: y = where(label == ignore, 0, log_Z + m + (log_Z + m)**2*z_loss -
        #   where(smoothing > 0, mu*smoothing, 0) - sum_where_x*(1 - smoothing))
        mask = label == ignore_value
        part = log_Z + m
        part_2 = mu * smoothing
        part_2 = np.where(mask_2, part_2, 0.0)
        y = part + np.square(part) * z_loss - part_2 - sum_where_x * part_3
        y = np.where(mask, 0.0, y)
        return y[..., 0], m[..., 0], Z[..., 0], log_Z[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(label_rows,),
        into_row_scalars=(y_out, m_out, Z_out, log_Z_out),
        buffers=1,
    )


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, label_rows, ignore, smoothing, z_loss, m_rows, Z_rows, log_Z_rows = fields
    (dx_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    if ignore is not None:
        ignore_value = np.asarray(ignore, dtype)
    else:
        ignore_value = -100.0
    smoothing = np.asarray(smoothing, dtype)
    z_loss = np.asarray(z_loss, dtype)
    # step 22, pass 1: smoothing_shifted = where(label == ignore, 0, dy*(smoothing - 1))
    part = smoothing - 1.0
    # step 22, pass 3: smoothing_shifted_2 = where(smoothing > 0, -dy*smoothing/D, 0)
    mask_2 = smoothing > 0.0
    part_2 = np.negative(smoothing) / D
    # step 22, pass 4: dx = where(index() == label, smoothing_shifted, 0) + where(label
    #   == ignore, 0, exp_shifted*z_loss_scaled + smoothing_shifted_2)
    index = np.arange(features)

    def block(x, label, dy, m, Z, log_Z, dx_block=None, buffers=(None,)):
        # step 22, pass 1: smoothing_shifted = where(label == ignore, 0, dy*(smoothing -
        #   1))
        mask = label == ignore_value
        smoothing_shifted = dy * part
        smoothing_shifted = np.where(mask, 0.0, smoothing_shifted)
        # step 22, pass 2: z_loss_scaled = dy*((2*log_Z + 2*m)*z_loss + 1)/Z
        z_loss_scaled = dy * ((log_Z * 2.0 + m * 2.0) * z_loss + 1.0) / Z
        # step 22, pass 3: smoothing_shifted_2 = where(smoothing > 0, -dy*smoothing/D,
        #   0)
        smoothing_shifted_2 = dy * part_2
        smoothing_shifted_2 = np.where(mask_2, smoothing_shifted_2, 0.0)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 22, pass 4: dx = where(index() == label, smoothing_shifted, 0) +
        #   where(label == ignore, 0, exp_shifted*z_loss_scaled + smoothing_shifted_2)
        mask_3 = index == label
        dx = _rows.select(
            mask_3, smoothing_shifted, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        part_3 = np.multiply(exp_shifted, z_loss_scaled, out=exp_shifted)
        part_3 = np.add(part_3, smoothing_shifted_2, out=part_3)
        part_3 = _rows.select(mask, 0.0, part_3, out=part_3)
        dx = np.add(dx, part_3, out=part_3)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(label_rows, dy_rows, m_rows, Z_rows, log_Z_rows),
        into=(dx_out,),
        buffers=1,
    )
