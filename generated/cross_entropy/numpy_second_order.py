# Made by lngen 0.1.0 from the definition of cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
"""Cross entropy of soft targets with the softmax of a row, one number a row. The tangents, and the gradients of the gradients.

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
    x_dot_rows, target_dot_rows = arguments
    x_rows, target_rows, m_rows, Z_rows, log_Z_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, target, x_dot, target_dot, m, Z, log_Z, buffers=(None,) * 2):
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        if x_dot_rows is not None:
            exp_shifted = np.exp(x_shifted, out=buffers[1])
            # step 33, pass 4: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
            sum_exp_shifted_x_dot = _rows.row_sum(exp_shifted, x_dot)
            # step 33, pass 5: log_Z_dot = sum_exp_shifted_x_dot/Z
            log_Z_dot = sum_exp_shifted_x_dot / Z
        # step 6: logp = x_shifted - log_Z
        if target_dot_rows is not None:
            logp = np.subtract(x_shifted, log_Z, out=x_shifted)
            # step 37: sum_logp_target_target_dot = sum(logp*target_dot + (x_dot -
            #   log_Z_dot)*target)
            part = np.multiply(logp, target_dot, out=logp)
        if x_dot_rows is not None:
            part_2 = _rows.by_row(np.subtract, x_dot, log_Z_dot, out=buffers[1])
            part_2 = np.multiply(part_2, target, out=part_2)
        if x_dot_rows is not None and target_dot_rows is not None:
            part = np.add(part, part_2, out=part)
        if target_dot_rows is None:
            part = part_2
        sum_logp_target_target_dot = _rows.row_sum(part, ones)
        # step 37: y_dot = -sum_logp_target_target_dot
        y_dot = np.negative(sum_logp_target_target_dot)
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, target_rows, x_dot_rows, target_dot_rows),
        row_scalars=(m_rows, Z_rows, log_Z_rows),
        into_row_scalars=(y_dot_out,),
        buffers=2,
    )


@np.errstate(under="ignore")
def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddtarget_rows = arguments
    x_rows, target_rows, m_rows, Z_rows, log_Z_rows = fields
    dx_out, dtarget_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        target,
        ddx,
        ddtarget,
        dy,
        m,
        Z,
        log_Z,
        dx_block=None,
        dtarget_block=None,
        buffers=(None,),
    ):
        # step 56, pass 6: Z_scaled = D/Z
        Z_scaled = D / Z
        # step 38: mean_target = mean(target)
        if ddx_rows is not None:
            mean_target = _rows.row_sum(target, one_over_D)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dtarget_block)
        # step 56, pass 8: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        if ddx_rows is not None:
            sum_ddx_exp_shifted = _rows.row_sum(ddx, exp_shifted)
        # step 6: logp = x_shifted - log_Z
        if ddtarget_rows is not None:
            logp = np.subtract(x_shifted, log_Z, out=x_shifted)
            # step 65, pass 9: mean_ddtarget_logp = mean(ddtarget*logp)
            mean_ddtarget_logp = _rows.row_mean(ddtarget, logp, D)
            # step 40: d2logp = -ddtarget*dy
            d2logp = _rows.by_row(
                np.multiply, ddtarget, np.negative(dy), out=buffers[0]
            )
            # step 56, pass 7: mean_d2logp = mean(d2logp)
            mean_d2logp = _rows.row_sum(d2logp, one_over_D)
        # step 56, pass 10: mean_target_scaled = dy*mean_target
        if ddx_rows is not None:
            mean_target_scaled = dy * mean_target
            # step 56, pass 11: sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/Z
            sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted / Z
            # step 65, pass 12: mean_target_scaled_2 = mean_target*D/Z
            mean_target_scaled_2 = mean_target * D / Z
            # step 65, pass 15: mean_ddx_exp_shifted_target =
            #   mean(ddx*(exp_shifted*mean_target_scaled_2 - target))
            part = _rows.by_row(
                np.multiply, exp_shifted, mean_target_scaled_2, out=dx_block
            )
            part = np.subtract(part, target, out=part)
            mean_ddx_exp_shifted_target = _rows.row_mean(ddx, part, D)
        else:
            mean_ddx_exp_shifted_target = 0.0
        # step 56, pass 13: d2x = d2logp + ((ddx -
        #   sum_ddx_exp_shifted_scaled)*mean_target_scaled -
        #   mean_d2logp)*exp_shifted*Z_scaled
        if ddx_rows is not None:
            d2x = _rows.by_row(
                np.subtract, ddx, sum_ddx_exp_shifted_scaled, out=dx_block
            )
            d2x = np.multiply(d2x, mean_target_scaled, out=d2x)
        else:
            d2x = 0.0
        if ddtarget_rows is not None:
            d2x = np.subtract(d2x, mean_d2logp, out=dx_block)
        d2x = np.multiply(d2x, exp_shifted, out=dx_block)
        d2x = np.multiply(d2x, Z_scaled, out=d2x)
        if ddtarget_rows is not None:
            d2x = np.add(d2logp, d2x, out=d2x)
        # step 62, pass 14: d2target = (sum_ddx_exp_shifted_scaled - ddx)*dy
        if ddx_rows is not None:
            d2target = np.subtract(sum_ddx_exp_shifted_scaled, ddx, out=dtarget_block)
            d2target = np.multiply(d2target, dy, out=d2target)
        # step 65, pass 16: ddy = (mean_ddx_exp_shifted_target - mean_ddtarget_logp)*D
        if ddtarget_rows is not None:
            ddy = mean_ddx_exp_shifted_target - mean_ddtarget_logp
        else:
            ddy = mean_ddx_exp_shifted_target
        ddy = ddy * D
        if ddx_rows is None:
            d2target = _rows.filled(0.0, dtarget_block, shape, dtype)
        return d2x, d2target, ddy[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, target_rows, ddx_rows, ddtarget_rows),
        row_scalars=(dy_rows, m_rows, Z_rows, log_Z_rows),
        into=(dx_out, dtarget_out),
        into_row_scalars=(ddy_out,),
        buffers=1,
    )
