# Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less. The tangents, and the gradients of the gradients.

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
    (
        x_rows,
        label_rows,
        gamma,
        m_rows,
        Z_rows,
        logpt_rows,
        expm1_logpt_rows,
        power_expm1_logpt_rows,
    ) = fields
    (y_dot_out,) = results
    _, dtype, _ = call
    gamma = np.asarray(gamma, dtype)
    # step 45: y_dot = where(gamma == 0, 0, (-expm1_logpt)**(gamma -
    #   1)*logpt*sum_index_x_dot_2*gamma) - power_expm1_logpt*sum_index_x_dot
    mask = gamma == 0.0
    part_3 = gamma - 1.0

    def block(
        x, x_dot, label, m, Z, logpt, expm1_logpt, power_expm1_logpt, buffers=(None,)
    ):
        # step 45, pass 5: logpt_shifted = exp(logpt)
        logpt_shifted = np.exp(logpt)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 38, pass 6: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = _rows.row_sum(exp_shifted, x_dot)
        # step 38, pass 7: log_Z_dot = sum_exp_shifted_x_dot/Z
        log_Z_dot = sum_exp_shifted_x_dot / Z
        # step 45: sum_index_x_dot = sum(where(index() == label, x_dot - log_Z_dot, 0))
        part = _rows.by_row(np.subtract, x_dot, log_Z_dot, out=buffers[0])
        sum_index_x_dot = _rows.entry(part, label)
        # step 45, pass 8: sum_index_x_dot_2 = sum(where(index() == label, (x_dot -
        #   log_Z_dot)*logpt_shifted, 0))
        part_2 = np.multiply(part, logpt_shifted, out=part)
        sum_index_x_dot_2 = _rows.entry(part_2, label)
        # step 45: y_dot = where(gamma == 0, 0, (-expm1_logpt)**(gamma -
        #   1)*logpt*sum_index_x_dot_2*gamma) - power_expm1_logpt*sum_index_x_dot
        y_dot = (
            np.power(np.negative(expm1_logpt), part_3)
            * logpt
            * sum_index_x_dot_2
            * gamma
        )
        y_dot = np.where(mask, 0.0, y_dot)
        y_dot = y_dot - power_expm1_logpt * sum_index_x_dot
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(
            label_rows,
            m_rows,
            Z_rows,
            logpt_rows,
            expm1_logpt_rows,
            power_expm1_logpt_rows,
        ),
        into_row_scalars=(y_dot_out,),
        buffers=1,
    )


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def backward_backward(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    (
        x_rows,
        label_rows,
        gamma,
        m_rows,
        Z_rows,
        logpt_rows,
        expm1_logpt_rows,
        power_expm1_logpt_rows,
    ) = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    gamma = np.asarray(gamma, dtype)
    # step 54, pass 9: expm1_logpt_shifted = (-expm1_logpt)**(gamma -
    #   1)*dy*exp(logpt)*gamma + (-expm1_logpt)**(gamma - 1)*dy*exp(logpt)*logpt*gamma
    part_2 = gamma - 1.0
    # step 54, pass 10: expm1_logpt_scaled = (-expm1_logpt)**(gamma -
    #   2)*dy*exp(2*logpt)*logpt*gamma*(gamma - 1)
    part_9 = gamma - 2.0
    part_11 = gamma * part_2
    # step 54, pass 16: sum_ddx_index = sum(where(index() == label, where(gamma == 0, 0,
    #   ddx*expm1_logpt_shifted), 0))
    mask = gamma == 0.0
    # step 54, pass 17: sum_ddx_index_2 = sum(where(index() == label, where(gamma == 0,
    #   0, where(gamma - 1 == 0, 0, -ddx*expm1_logpt_scaled)), 0))
    mask_2 = part_2 == 0.0
    # step 54, pass 22: d2logpt = sum_ddx_index + sum_ddx_index_2 + where(gamma == 0, 0,
    #   where(label >= 0, where(label < D, -(-expm1_logpt)**(gamma -
    #   1)*dy*exp(logpt)*sum_ddx_exp_shifted*gamma/Z, 0), 0) - (-expm1_logpt)**(gamma -
    #   1)*sum_ddx_index_3*gamma) + where(label >= 0, where(label < D, where(gamma == 0,
    #   0, sum_ddx_exp_shifted_2) + where(gamma == 0, 0, where(gamma - 1 == 0, 0,
    #   (-expm1_logpt)**(gamma -
    #   2)*dy*exp(2*logpt)*logpt*sum_ddx_exp_shifted*gamma*(gamma - 1)/Z)), 0), 0)
    part_21 = features
    part_22 = np.negative(gamma)
    # step 71, pass 27: d2x = where(index() == label, d2logpt, 0) + where(label >= 0,
    #   where(label < D, where(gamma == 0, 0, exp_shifted*sum_ddx_exp_shifted_scaled_2)
    #   + ddx*exp_shifted*power_expm1_logpt_scaled + where(gamma == 0, 0,
    #   -ddx*exp_shifted*expm1_logpt_scaled_3) - exp_shifted*d2logpt_scaled -
    #   exp_shifted*sum_ddx_exp_shifted_scaled, 0), 0)
    index = np.arange(features)

    def block(
        x,
        ddx,
        label,
        dy,
        m,
        Z,
        logpt,
        expm1_logpt,
        power_expm1_logpt,
        dx_block=None,
        buffers=(None,) * 4,
    ):
        # step 54, pass 9: expm1_logpt_shifted = (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*gamma + (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*logpt*gamma
        part = np.negative(expm1_logpt)
        part_3 = np.power(part, part_2)
        part_4 = np.exp(logpt)
        part_5 = part_3 * dy * part_4
        part_6 = part_5 * gamma
        part_7 = part_5 * logpt
        part_8 = part_7 * gamma
        expm1_logpt_shifted = part_6 + part_8
        # step 54, pass 10: expm1_logpt_scaled = (-expm1_logpt)**(gamma -
        #   2)*dy*exp(2*logpt)*logpt*gamma*(gamma - 1)
        part_10 = np.power(part, part_9) * dy * np.exp(logpt * 2.0) * logpt
        expm1_logpt_scaled = part_10 * part_11
        # step 54, pass 11: logpt_scaled = dy*exp(logpt)
        logpt_scaled = dy * part_4
        # step 54, pass 12: expm1_logpt_scaled_2 = (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*gamma/Z
        expm1_logpt_scaled_2 = part_6 / Z
        # step 54, pass 13: expm1_logpt_scaled_3 = (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*logpt*gamma/Z
        expm1_logpt_scaled_3 = part_8 / Z
        # step 71, pass 14: power_expm1_logpt_scaled = dy*power_expm1_logpt/Z
        part_12 = dy * power_expm1_logpt
        power_expm1_logpt_scaled = part_12 / Z
        # step 73, pass 15: expm1_logpt_scaled_4 = (-expm1_logpt)**(gamma -
        #   1)*exp(logpt)*logpt*gamma
        part_13 = part_3 * part_4 * logpt
        expm1_logpt_scaled_4 = part_13 * gamma
        # step 54, pass 16: sum_ddx_index = sum(where(index() == label, where(gamma ==
        #   0, 0, ddx*expm1_logpt_shifted), 0))
        part_14 = _rows.by_row(np.multiply, ddx, expm1_logpt_shifted, out=dx_block)
        part_14 = _rows.select(mask, 0.0, part_14, out=part_14)
        sum_ddx_index = _rows.entry(part_14, label)
        # step 54, pass 17: sum_ddx_index_2 = sum(where(index() == label, where(gamma ==
        #   0, 0, where(gamma - 1 == 0, 0, -ddx*expm1_logpt_scaled)), 0))
        part_15 = _rows.by_row(
            np.multiply, ddx, np.negative(expm1_logpt_scaled), out=dx_block
        )
        part_15 = _rows.select(mask_2, 0.0, part_15, out=part_15)
        part_15 = _rows.select(mask, 0.0, part_15, out=part_15)
        sum_ddx_index_2 = _rows.entry(part_15, label)
        # step 54, pass 18: sum_ddx_index_3 = sum(where(index() == label,
        #   -ddx*logpt_scaled, 0))
        part_16 = _rows.by_row(
            np.multiply, ddx, np.negative(logpt_scaled), out=dx_block
        )
        sum_ddx_index_3 = _rows.entry(part_16, label)
        # step 73, pass 21: sum_ddx_index_4 = sum(where(index() == label, where(gamma ==
        #   0, 0, ddx*expm1_logpt_scaled_4) - ddx*power_expm1_logpt, 0))
        part_17 = _rows.by_row(np.multiply, ddx, expm1_logpt_scaled_4, out=dx_block)
        part_17 = _rows.select(mask, 0.0, part_17, out=part_17)
        part_18 = _rows.by_row(np.multiply, ddx, power_expm1_logpt, out=buffers[0])
        part_17 = np.subtract(part_17, part_18, out=part_17)
        sum_ddx_index_4 = _rows.entry(part_17, label)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 54, pass 19: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_sum(ddx, exp_shifted)
        # step 54, pass 20: sum_ddx_exp_shifted_2 =
        #   sum((-exp_shifted*expm1_logpt_scaled_2 -
        #   exp_shifted*expm1_logpt_scaled_3)*ddx)
        part_19 = _rows.by_row(
            np.multiply, exp_shifted, expm1_logpt_scaled_2, out=buffers[0]
        )
        part_19 = np.negative(part_19, out=part_19)
        part_20 = _rows.by_row(
            np.multiply, exp_shifted, expm1_logpt_scaled_3, out=buffers[1]
        )
        part_19 = np.subtract(part_19, part_20, out=part_19)
        sum_ddx_exp_shifted_2 = _rows.row_sum(part_19, ddx)
        # step 54, pass 22: d2logpt = sum_ddx_index + sum_ddx_index_2 + where(gamma ==
        #   0, 0, where(label >= 0, where(label < D, -(-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*sum_ddx_exp_shifted*gamma/Z, 0), 0) -
        #   (-expm1_logpt)**(gamma - 1)*sum_ddx_index_3*gamma) + where(label >= 0,
        #   where(label < D, where(gamma == 0, 0, sum_ddx_exp_shifted_2) + where(gamma
        #   == 0, 0, where(gamma - 1 == 0, 0, (-expm1_logpt)**(gamma -
        #   2)*dy*exp(2*logpt)*logpt*sum_ddx_exp_shifted*gamma*(gamma - 1)/Z)), 0), 0)
        mask_3 = label >= 0
        mask_4 = label < part_21
        part_23 = part_5 * sum_ddx_exp_shifted * part_22 / Z
        part_23 = np.where(mask_4, part_23, 0.0)
        part_23 = np.where(mask_3, part_23, 0.0)
        part_23 = part_23 - part_3 * sum_ddx_index_3 * gamma
        part_23 = np.where(mask, 0.0, part_23)
        part_24 = np.where(mask, 0.0, sum_ddx_exp_shifted_2)
        part_25 = part_10 * sum_ddx_exp_shifted * part_11 / Z
        part_25 = np.where(mask_2, 0.0, part_25)
        part_25 = np.where(mask, 0.0, part_25)
        part_24 = part_24 + part_25
        part_24 = np.where(mask_4, part_24, 0.0)
        part_24 = np.where(mask_3, part_24, 0.0)
        d2logpt = sum_ddx_index + sum_ddx_index_2 + part_23 + part_24
        # step 71, pass 23: d2logpt_scaled = d2logpt/Z
        d2logpt_scaled = d2logpt / Z
        # step 71, pass 24: sum_ddx_exp_shifted_scaled =
        #   dy*power_expm1_logpt*sum_ddx_exp_shifted/Z**2
        part_26 = np.square(Z)
        sum_ddx_exp_shifted_scaled = part_12 * sum_ddx_exp_shifted / part_26
        # step 71, pass 25: sum_ddx_exp_shifted_scaled_2 = (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*logpt*sum_ddx_exp_shifted*gamma/Z**2
        sum_ddx_exp_shifted_scaled_2 = part_7 * sum_ddx_exp_shifted * gamma / part_26
        # step 73, pass 26: ddy = sum_ddx_index_4 + where(label >= 0, where(label < D,
        #   power_expm1_logpt*sum_ddx_exp_shifted/Z + where(gamma == 0, 0,
        #   -(-expm1_logpt)**(gamma - 1)*exp(logpt)*logpt*sum_ddx_exp_shifted*gamma/Z),
        #   0), 0)
        part_27 = part_13 * sum_ddx_exp_shifted * part_22 / Z
        part_27 = np.where(mask, 0.0, part_27)
        ddy = power_expm1_logpt * sum_ddx_exp_shifted / Z + part_27
        ddy = np.where(mask_4, ddy, 0.0)
        ddy = np.where(mask_3, ddy, 0.0)
        ddy = sum_ddx_index_4 + ddy
        # step 71, pass 27: d2x = where(index() == label, d2logpt, 0) + where(label >=
        #   0, where(label < D, where(gamma == 0, 0,
        #   exp_shifted*sum_ddx_exp_shifted_scaled_2) +
        #   ddx*exp_shifted*power_expm1_logpt_scaled + where(gamma == 0, 0,
        #   -ddx*exp_shifted*expm1_logpt_scaled_3) - exp_shifted*d2logpt_scaled -
        #   exp_shifted*sum_ddx_exp_shifted_scaled, 0), 0)
        mask_5 = index == label
        d2x = _rows.select(
            mask_5, d2logpt, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        part_28 = _rows.by_row(
            np.multiply, exp_shifted, sum_ddx_exp_shifted_scaled_2, out=buffers[1]
        )
        part_28 = _rows.select(mask, 0.0, part_28, out=part_28)
        part_29 = np.multiply(ddx, exp_shifted, out=buffers[2])
        part_30 = _rows.by_row(
            np.multiply, part_29, power_expm1_logpt_scaled, out=buffers[3]
        )
        part_28 = np.add(part_28, part_30, out=part_28)
        part_31 = np.multiply(part_29, np.negative(expm1_logpt_scaled_3), out=part_29)
        part_31 = _rows.select(mask, 0.0, part_31, out=part_31)
        part_28 = np.add(part_28, part_31, out=part_28)
        part_32 = _rows.by_row(np.multiply, exp_shifted, d2logpt_scaled, out=buffers[2])
        part_28 = np.subtract(part_28, part_32, out=part_28)
        part_33 = np.multiply(exp_shifted, sum_ddx_exp_shifted_scaled, out=exp_shifted)
        part_28 = np.subtract(part_28, part_33, out=part_33)
        part_28 = _rows.select(mask_4, part_28, 0.0, out=part_28)
        part_28 = _rows.select(mask_3, part_28, 0.0, out=part_28)
        d2x = np.add(d2x, part_28, out=part_28)
        return d2x, ddy[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, ddx_rows),
        row_scalars=(
            label_rows,
            dy_rows,
            m_rows,
            Z_rows,
            logpt_rows,
            expm1_logpt_rows,
            power_expm1_logpt_rows,
        ),
        into=(dx_out,),
        into_row_scalars=(ddy_out,),
        buffers=4,
    )
