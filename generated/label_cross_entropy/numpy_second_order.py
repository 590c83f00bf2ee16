# Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
# definition sha256:0af8b9ef230e709d14895b35c79c2613d071969c93fd70b111f1c34862e9644b
"""Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing. The tangents, and the gradients of the gradients.

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
    x_rows, label_rows, ignore, smoothing, z_loss, m_rows, Z_rows, log_Z_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    if ignore is not None:
        ignore_value = np.asarray(ignore, dtype)
    else:
        ignore_value = -100.0
    smoothing = np.asarray(smoothing, dtype)
    z_loss = np.asarray(z_loss, dtype)
    # step 32, pass 8: y_dot = where(label == ignore, 0, sum_index_x_dot*(smoothing - 1)
    #   + where(smoothing > 0, -mean_x_dot*smoothing, 0) +
    #   sum_exp_shifted_x_dot*((2*log_Z + 2*m)*z_loss + 1)/Z)
    part = smoothing - 1.0
    mask_2 = smoothing > 0.0
    part_2 = np.negative(smoothing)

    def block(x, x_dot, label, m, Z, log_Z, buffers=(None,)):
        # step 32, pass 5: sum_index_x_dot = sum(where(index() == label, x_dot, 0))
        sum_index_x_dot = _rows.entry(x_dot, label)
        # step 32, pass 7: mean_x_dot = mean(x_dot)
        mean_x_dot = _rows.row_sum(x_dot, one_over_D)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 32, pass 6: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = _rows.row_sum(exp_shifted, x_dot)
        # step 32, pass 8: y_dot = where(label == ignore, 0, sum_index_x_dot*(smoothing
        #   - 1) + where(smoothing > 0, -mean_x_dot*smoothing, 0) +
        #   sum_exp_shifted_x_dot*((2*log_Z + 2*m)*z_loss + 1)/Z)
        mask = label == ignore_value
        part_3 = mean_x_dot * part_2
        part_3 = np.where(mask_2, part_3, 0.0)
        y_dot = (
            sum_index_x_dot * part
            + part_3
            + sum_exp_shifted_x_dot * ((log_Z * 2.0 + m * 2.0) * z_loss + 1.0) / Z
        )
        y_dot = np.where(mask, 0.0, y_dot)
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(label_rows, m_rows, Z_rows, log_Z_rows),
        into_row_scalars=(y_dot_out,),
        buffers=1,
    )


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    x_rows, label_rows, ignore, smoothing, z_loss, m_rows, Z_rows, log_Z_rows = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    if ignore is not None:
        ignore_value = np.asarray(ignore, dtype)
    else:
        ignore_value = -100.0
    smoothing = np.asarray(smoothing, dtype)
    z_loss = np.asarray(z_loss, dtype)
    # step 46, pass 10: sum_ddx_index = sum(where(index() == label, where(label ==
    #   ignore, 0, ddx*(smoothing - 1)), 0))
    part_2 = smoothing - 1.0
    # step 43, pass 13: mean_ddx_exp_shifted_scaled = (-dy*mean_ddx_exp_shifted/Z**2 -
    #   2*dy*log_Z*mean_ddx_exp_shifted*z_loss/Z**2 -
    #   2*dy*m*mean_ddx_exp_shifted*z_loss/Z**2)*D
    part_5 = 2.0 * z_loss
    # step 46, pass 15: ddy = sum_ddx_index + where(label == ignore, 0, where(smoothing
    #   > 0, -mean_ddx*smoothing, 0) + sum_ddx_exp_shifted*((2*log_Z + 2*m)*z_loss +
    #   1)/Z)
    mask_2 = smoothing > 0.0
    part_6 = np.negative(smoothing)

    def block(x, ddx, label, dy, m, Z, log_Z, dx_block=None, buffers=(None,)):
        # step 43, pass 9: z_loss_scaled = dy*((2*log_Z + 2*m)*z_loss + 1)/Z
        part = (log_Z * 2.0 + m * 2.0) * z_loss + 1.0
        z_loss_scaled = dy * part / Z
        # step 46, pass 10: sum_ddx_index = sum(where(index() == label, where(label ==
        #   ignore, 0, ddx*(smoothing - 1)), 0))
        mask = label == ignore_value
        part_3 = np.multiply(ddx, part_2, out=dx_block)
        part_3 = _rows.select(mask, 0.0, part_3, out=part_3)
        sum_ddx_index = _rows.entry(part_3, label)
        # step 46, pass 11: mean_ddx = mean(ddx)
        mean_ddx = _rows.row_sum(ddx, one_over_D)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 43: mean_ddx_exp_shifted = mean(ddx*exp_shifted)
        mean_ddx_exp_shifted = _rows.row_mean(ddx, exp_shifted, D)
        # step 43, pass 12: sum_ddx_exp_shifted = mean_ddx_exp_shifted*D
        sum_ddx_exp_shifted = mean_ddx_exp_shifted * D
        # step 43, pass 13: mean_ddx_exp_shifted_scaled = (-dy*mean_ddx_exp_shifted/Z**2
        #   - 2*dy*log_Z*mean_ddx_exp_shifted*z_loss/Z**2 -
        #   2*dy*m*mean_ddx_exp_shifted*z_loss/Z**2)*D
        part_4 = np.square(Z)
        mean_ddx_exp_shifted_scaled = (
            np.negative(dy * mean_ddx_exp_shifted / part_4)
            - dy * log_Z * mean_ddx_exp_shifted * part_5 / part_4
            - dy * m * mean_ddx_exp_shifted * part_5 / part_4
        ) * D
        # step 43, pass 14: sum_ddx_exp_shifted_scaled =
        #   2*dy*sum_ddx_exp_shifted*z_loss/Z**2
        sum_ddx_exp_shifted_scaled = dy * sum_ddx_exp_shifted * part_5 / part_4
        # step 46, pass 15: ddy = sum_ddx_index + where(label == ignore, 0,
        #   where(smoothing > 0, -mean_ddx*smoothing, 0) + sum_ddx_exp_shifted*((2*log_Z
        #   + 2*m)*z_loss + 1)/Z)
        ddy = mean_ddx * part_6
        ddy = np.where(mask_2, ddy, 0.0)
        ddy = ddy + sum_ddx_exp_shifted * part / Z
        ddy = np.where(mask, 0.0, ddy)
        ddy = sum_ddx_index + ddy
        # step 43, pass 16: d2x = where(label == ignore, 0,
        #   exp_shifted*(ddx*z_loss_scaled + mean_ddx_exp_shifted_scaled +
        #   sum_ddx_exp_shifted_scaled))
        d2x = _rows.by_row(np.multiply, ddx, z_loss_scaled, out=buffers[0])
        d2x = np.add(d2x, mean_ddx_exp_shifted_scaled, out=d2x)
        d2x = np.add(d2x, sum_ddx_exp_shifted_scaled, out=d2x)
        d2x = np.multiply(exp_shifted, d2x, out=exp_shifted)
        d2x = _rows.select(mask, 0.0, d2x, out=d2x)
        return d2x, ddy[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, ddx_rows),
        row_scalars=(label_rows, dy_rows, m_rows, Z_rows, log_Z_rows),
        into=(dx_out,),
        into_row_scalars=(ddy_out,),
        buffers=1,
    )
