# Made by lngen 0.1.0 from the definition of cross_entropy.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# Cost: forward 2 row tensors (2 read, 0 written), 7 flops per row element; backward 4 row tensors (2 read, 2 written), 9 flops per row element.
# Evidence: 1 output, 40 steps, 30 first lines, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Cross entropy of soft targets with the softmax of a row, one number a row. The tangents, and the gradients of the gradients.

Rows are processed in blocks that stay in the cache. A comment gives the derivation step
of its line, and names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def jvp(arguments, fields, results, call):
    """The tangents of the outputs, written to their arrays."""
    x_dot_rows, target_dot_rows = arguments
    x_rows, target_rows, m_rows, Z_rows, log_Z_rows = fields
    (y_dot_out,) = results
    features, dtype = call.features, call.dtype
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, target, x_dot, target_dot, m, Z, log_Z, y_dot_block, buffers):
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        if x_dot_rows is not None:
            exp_shifted = np.exp(x_shifted, out=buffers[1])
            # step 40: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
            sum_exp_shifted_x_dot = _rows.row_sum(exp_shifted, x_dot, out=y_dot_block)
            # step 40: log_Z_dot = sum_exp_shifted_x_dot/Z
            log_Z_dot = np.divide(sum_exp_shifted_x_dot, Z, out=y_dot_block)
        # step 6: logp = x_shifted - log_Z
        if target_dot_rows is not None:
            logp = np.subtract(x_shifted, log_Z, out=buffers[0])
            # step 46: sum_logp_target_target_dot = sum(logp*target_dot + (x_dot -
            #   log_Z_dot)*target)
            part = np.multiply(logp, target_dot, out=buffers[0])
        if x_dot_rows is not None:
            part_2 = _rows.by_row(np.subtract, x_dot, log_Z_dot, out=buffers[1])
            part_2 = np.multiply(part_2, target, out=buffers[1])
        if x_dot_rows is not None and target_dot_rows is not None:
            part = np.add(part, part_2, out=buffers[0])
        if target_dot_rows is None:
            part = part_2
        sum_logp_target_target_dot = _rows.row_sum(part, ones, out=y_dot_block)
        # step 46: y_dot = -sum_logp_target_target_dot
        np.negative(sum_logp_target_target_dot, out=y_dot_block)

    _blocks.each_block(
        block,
        call,
        reads=(
            x_rows,
            target_rows,
            x_dot_rows,
            target_dot_rows,
            m_rows,
            Z_rows,
            log_Z_rows,
        ),
        writes=(y_dot_out,),
        buffers=2,
    )


def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients, written to their arrays."""
    dy_rows, ddx_rows, ddtarget_rows = arguments
    x_rows, target_rows, m_rows, Z_rows, log_Z_rows = fields
    dx_out, dtarget_out, ddy_out = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        target,
        dy,
        ddx,
        ddtarget,
        m,
        Z,
        log_Z,
        dx_block,
        dtarget_block,
        ddy_block,
        buffers,
        row_scalars,
    ):
        # step 68: Z_scaled = D/Z
        Z_scaled = np.divide(D, Z, out=ddy_block)
        # step 47: mean_target = mean(target)
        if ddx_rows is not None:
            mean_target = _rows.row_sum(target, one_over_D, out=row_scalars[0])
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dtarget_block)
        # step 68: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        if ddx_rows is not None:
            sum_ddx_exp_shifted = _rows.row_sum(ddx, exp_shifted, out=row_scalars[1])
        # step 6: logp = x_shifted - log_Z
        if ddtarget_rows is not None:
            logp = np.subtract(x_shifted, log_Z, out=dx_block)
            # step 80: mean_ddtarget_logp = mean(ddtarget*logp)
            mean_ddtarget_logp = _rows.row_mean(ddtarget, logp, D, out=row_scalars[2])
            # step 49: d2logp = -ddtarget*dy
            part = np.negative(dy, out=row_scalars[3])
            d2logp = _rows.by_row(np.multiply, ddtarget, part, out=dx_block)
            # step 68: mean_d2logp = mean(d2logp)
            mean_d2logp = _rows.row_sum(d2logp, one_over_D, out=row_scalars[3])
        # step 68: mean_target_scaled = dy*mean_target
        if ddx_rows is not None:
            mean_target_scaled = np.multiply(dy, mean_target, out=row_scalars[4])
            # step 68: sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/Z
            sum_ddx_exp_shifted_scaled = np.divide(
                sum_ddx_exp_shifted, Z, out=row_scalars[1]
            )
            # step 80: mean_target_scaled_2 = mean_target*D/Z
            mean_target_scaled_2 = np.multiply(mean_target, D, out=row_scalars[0])
            mean_target_scaled_2 = np.divide(
                mean_target_scaled_2, Z, out=row_scalars[0]
            )
            # step 80: mean_ddx_exp_shifted_target =
            #   mean(ddx*(exp_shifted*mean_target_scaled_2 - target))
            part_2 = _rows.by_row(
                np.multiply, exp_shifted, mean_target_scaled_2, out=buffers[0]
            )
            part_2 = np.subtract(part_2, target, out=buffers[0])
            mean_ddx_exp_shifted_target = _rows.row_mean(
                ddx, part_2, D, out=row_scalars[0]
            )
        else:
            mean_ddx_exp_shifted_target = 0.0
        # step 68: d2x = d2logp + ((ddx - sum_ddx_exp_shifted_scaled)*mean_target_scaled
        #   - mean_d2logp)*exp_shifted*Z_scaled
        if ddx_rows is not None:
            d2x = _rows.by_row(
                np.subtract, ddx, sum_ddx_exp_shifted_scaled, out=buffers[0]
            )
            d2x = np.multiply(d2x, mean_target_scaled, out=buffers[0])
        else:
            d2x = 0.0
        if ddtarget_rows is not None:
            d2x = np.subtract(d2x, mean_d2logp, out=buffers[0])
        d2x = np.multiply(d2x, exp_shifted, out=dtarget_block)
        d2x = np.multiply(d2x, Z_scaled, out=dtarget_block)
        if ddtarget_rows is not None:
            d2x = np.add(d2logp, d2x, out=dx_block)
        else:
            dx_block[...] = d2x
        # step 76: d2target = (sum_ddx_exp_shifted_scaled - ddx)*dy
        if ddx_rows is not None:
            d2target = np.subtract(sum_ddx_exp_shifted_scaled, ddx, out=dtarget_block)
            d2target = np.multiply(d2target, dy, out=dtarget_block)
        else:
            d2target = 0.0
            dtarget_block[...] = d2target
        # step 80: ddy = (mean_ddx_exp_shifted_target - mean_ddtarget_logp)*D
        if ddtarget_rows is not None:
            ddy = np.subtract(
                mean_ddx_exp_shifted_target, mean_ddtarget_logp, out=ddy_block
            )
        else:
            ddy = mean_ddx_exp_shifted_target
        np.multiply(ddy, D, out=ddy_block)

    _blocks.each_block(
        block,
        call,
        reads=(
            x_rows,
            target_rows,
            dy_rows,
            ddx_rows,
            ddtarget_rows,
            m_rows,
            Z_rows,
            log_Z_rows,
        ),
        writes=(dx_out, dtarget_out, ddy_out),
        buffers=1,
        row_scalars=5,
    )
