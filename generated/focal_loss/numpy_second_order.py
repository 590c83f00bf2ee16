# Made by lngen 0.1.0 from the definition of focal_loss.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# Cost: forward 1 row tensors (1 read, 0 written), 8 flops per row element; backward 2 row tensors (1 read, 1 written), 8 flops per row element.
# Evidence: 1 output, 25 steps, 32 first lines, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 2, 3, 4; derivation.md says of what.
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
# templates sha256:2ac2f07bc6384e88de134c9a9116a66083010804f4352ef40720a3cf756ef3c4
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
    # step 39: y_dot = ((-expm1_logpt)**(gamma - 1)*exp(logpt)*logpt*gamma -
    #   power_expm1_logpt)*sum_index_x_dot
    part_2 = gamma - 1.0

    def block(
        x, x_dot, label, m, Z, logpt, expm1_logpt, power_expm1_logpt, buffers=(None,)
    ):
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 32, pass 4: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
        sum_exp_shifted_x_dot = _rows.row_sum(exp_shifted, x_dot)
        # step 32, pass 5: log_Z_dot = sum_exp_shifted_x_dot/Z
        log_Z_dot = sum_exp_shifted_x_dot / Z
        # step 39: sum_index_x_dot = sum(where(index() == label, x_dot - log_Z_dot, 0))
        part = _rows.by_row(np.subtract, x_dot, log_Z_dot, out=buffers[0])
        sum_index_x_dot = _rows.entry(part, label)
        # step 39: y_dot = ((-expm1_logpt)**(gamma - 1)*exp(logpt)*logpt*gamma -
        #   power_expm1_logpt)*sum_index_x_dot
        y_dot = (
            np.power(np.negative(expm1_logpt), part_2) * np.exp(logpt) * logpt * gamma
            - power_expm1_logpt
        ) * sum_index_x_dot
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
    # step 48, pass 7: expm1_logpt_shifted = (-expm1_logpt)**(gamma -
    #   1)*dy*exp(logpt)*gamma + (-expm1_logpt)**(gamma - 1)*dy*exp(logpt)*logpt*gamma
    part_3 = gamma - 1.0
    # step 48, pass 8: expm1_logpt_scaled = (-expm1_logpt)**(gamma -
    #   2)*dy*exp(2*logpt)*logpt*gamma*(gamma - 1)
    part_8 = gamma - 2.0
    part_10 = gamma * part_3
    # step 48, pass 13: sum_ddx_index_3 = sum(where(index() == label, where(gamma - 1 ==
    #   0, 0, -ddx*expm1_logpt_scaled), 0))
    mask = part_3 == 0.0
    # step 48, pass 16: d2logpt = sum_ddx_index_2 + sum_ddx_index_3 + where(label >= 0,
    #   where(label < D, where(gamma - 1 == 0, 0, (-expm1_logpt)**(gamma -
    #   2)*dy*exp(2*logpt)*logpt*sum_ddx_exp_shifted*gamma*(gamma - 1)/Z) +
    #   (-(-expm1_logpt)**(gamma - 1)*dy*exp(logpt)*gamma - (-expm1_logpt)**(gamma -
    #   1)*dy*exp(logpt)*logpt*gamma)*sum_ddx_exp_shifted/Z - (-expm1_logpt)**(gamma -
    #   1)*dy*exp(logpt)*sum_ddx_exp_shifted*gamma/Z, 0), 0) - (-expm1_logpt)**(gamma -
    #   1)*sum_ddx_index*gamma
    part_17 = features
    # step 64, pass 20: d2x = where(index() == label, d2logpt, 0) + where(label >= 0,
    #   where(label < D, ddx*exp_shifted*power_expm1_logpt_scaled -
    #   exp_shifted*d2logpt_scaled - exp_shifted*sum_ddx_exp_shifted_scaled, 0), 0)
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
        buffers=(None,) * 3,
        row_scalar_buffers=(None,) * 4,
    ):
        # step 48, pass 6: logpt_scaled = dy*exp(logpt)
        part = np.exp(logpt)
        logpt_scaled = dy * part
        # step 48, pass 7: expm1_logpt_shifted = (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*gamma + (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*logpt*gamma
        part_2 = np.negative(expm1_logpt)
        part_4 = np.power(part_2, part_3)
        part_5 = part_4 * dy * part
        part_6 = part_5 * gamma
        part_7 = part_5 * logpt * gamma
        expm1_logpt_shifted = part_6 + part_7
        # step 48, pass 8: expm1_logpt_scaled = (-expm1_logpt)**(gamma -
        #   2)*dy*exp(2*logpt)*logpt*gamma*(gamma - 1)
        part_9 = np.power(part_2, part_8) * dy * np.exp(logpt * 2.0) * logpt
        expm1_logpt_scaled = part_9 * part_10
        # step 64, pass 9: power_expm1_logpt_scaled = (dy*power_expm1_logpt -
        #   (-expm1_logpt)**(gamma - 1)*dy*exp(logpt)*logpt*gamma)/Z
        part_11 = dy * power_expm1_logpt - part_7
        power_expm1_logpt_scaled = part_11 / Z
        # step 66, pass 10: power_expm1_logpt_shifted = (-expm1_logpt)**(gamma -
        #   1)*exp(logpt)*logpt*gamma - power_expm1_logpt
        part_12 = part_4 * part * logpt * gamma
        power_expm1_logpt_shifted = part_12 - power_expm1_logpt
        # step 48, pass 11: sum_ddx_index = sum(where(index() == label,
        #   -ddx*logpt_scaled, 0))
        part_13 = _rows.by_row(
            np.multiply, ddx, np.negative(logpt_scaled), out=dx_block
        )
        sum_ddx_index = _rows.entry(part_13, label)
        # step 48, pass 12: sum_ddx_index_2 = sum(where(index() == label,
        #   ddx*expm1_logpt_shifted, 0))
        part_14 = _rows.by_row(np.multiply, ddx, expm1_logpt_shifted, out=dx_block)
        sum_ddx_index_2 = _rows.entry(part_14, label)
        # step 48, pass 13: sum_ddx_index_3 = sum(where(index() == label, where(gamma -
        #   1 == 0, 0, -ddx*expm1_logpt_scaled), 0))
        part_15 = _rows.by_row(
            np.multiply, ddx, np.negative(expm1_logpt_scaled), out=dx_block
        )
        part_15 = _rows.select(mask, 0.0, part_15, out=part_15)
        sum_ddx_index_3 = _rows.entry(part_15, label)
        # step 66, pass 15: sum_ddx_index_4 = sum(where(index() == label,
        #   ddx*power_expm1_logpt_shifted, 0))
        part_16 = _rows.by_row(
            np.multiply, ddx, power_expm1_logpt_shifted, out=dx_block
        )
        sum_ddx_index_4 = _rows.entry(part_16, label)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 48, pass 14: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_sum(ddx, exp_shifted)
        # step 48, pass 16: d2logpt = sum_ddx_index_2 + sum_ddx_index_3 + where(label >=
        #   0, where(label < D, where(gamma - 1 == 0, 0, (-expm1_logpt)**(gamma -
        #   2)*dy*exp(2*logpt)*logpt*sum_ddx_exp_shifted*gamma*(gamma - 1)/Z) +
        #   (-(-expm1_logpt)**(gamma - 1)*dy*exp(logpt)*gamma - (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*logpt*gamma)*sum_ddx_exp_shifted/Z - (-expm1_logpt)**(gamma
        #   - 1)*dy*exp(logpt)*sum_ddx_exp_shifted*gamma/Z, 0), 0) -
        #   (-expm1_logpt)**(gamma - 1)*sum_ddx_index*gamma
        mask_2 = label >= 0
        mask_3 = label < part_17
        part_18 = part_9 * sum_ddx_exp_shifted * part_10 / Z
        part_18 = _rows.select(
            mask,
            0.0,
            part_18,
            out=_rows.memory(row_scalar_buffers[0], (*shape[:-1], 1), dtype),
        )
        part_19 = np.divide(
            (np.negative(part_6) - part_7) * sum_ddx_exp_shifted,
            Z,
            out=_rows.memory(row_scalar_buffers[1], (*shape[:-1], 1), dtype),
            where=mask_3,
        )
        part_18 = np.add(part_18, part_19, out=part_18, where=mask_3)
        part_20 = np.divide(
            part_5 * sum_ddx_exp_shifted * gamma,
            Z,
            out=_rows.memory(row_scalar_buffers[1], (*shape[:-1], 1), dtype),
            where=mask_3,
        )
        part_18 = np.subtract(part_18, part_20, out=part_18, where=mask_3)
        part_18 = _rows.select(
            mask_3,
            part_18,
            0.0,
            out=_rows.memory(row_scalar_buffers[1], (*shape[:-1], 1), dtype),
        )
        part_18 = _rows.select(
            mask_2,
            part_18,
            0.0,
            out=_rows.memory(row_scalar_buffers[0], (*shape[:-1], 1), dtype),
        )
        d2logpt = (
            sum_ddx_index_2 + sum_ddx_index_3 + part_18 - part_4 * sum_ddx_index * gamma
        )
        # step 64, pass 17: d2logpt_scaled = d2logpt/Z
        d2logpt_scaled = np.divide(
            d2logpt,
            Z,
            out=_rows.memory(row_scalar_buffers[0], (*shape[:-1], 1), dtype),
            where=mask_3,
        )
        # step 64, pass 18: sum_ddx_exp_shifted_scaled = (dy*power_expm1_logpt -
        #   (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*logpt*gamma)*sum_ddx_exp_shifted/Z**2
        sum_ddx_exp_shifted_scaled = np.divide(
            part_11 * sum_ddx_exp_shifted,
            np.square(Z),
            out=_rows.memory(row_scalar_buffers[1], (*shape[:-1], 1), dtype),
            where=mask_3,
        )
        # step 66, pass 19: ddy = sum_ddx_index_4 + where(label >= 0, where(label < D,
        #   (power_expm1_logpt - (-expm1_logpt)**(gamma -
        #   1)*exp(logpt)*logpt*gamma)*sum_ddx_exp_shifted/Z, 0), 0)
        ddy = np.divide(
            (power_expm1_logpt - part_12) * sum_ddx_exp_shifted,
            Z,
            out=_rows.memory(row_scalar_buffers[2], (*shape[:-1], 1), dtype),
            where=mask_3,
        )
        ddy = _rows.select(
            mask_3,
            ddy,
            0.0,
            out=_rows.memory(row_scalar_buffers[3], (*shape[:-1], 1), dtype),
        )
        ddy = _rows.select(
            mask_2,
            ddy,
            0.0,
            out=_rows.memory(row_scalar_buffers[2], (*shape[:-1], 1), dtype),
        )
        ddy = sum_ddx_index_4 + ddy
        # step 64, pass 20: d2x = where(index() == label, d2logpt, 0) + where(label >=
        #   0, where(label < D, ddx*exp_shifted*power_expm1_logpt_scaled -
        #   exp_shifted*d2logpt_scaled - exp_shifted*sum_ddx_exp_shifted_scaled, 0), 0)
        mask_4 = index == label
        d2x = _rows.select(
            mask_4, d2logpt, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        part_21 = np.multiply(ddx, exp_shifted, out=buffers[1])
        part_21 = np.multiply(part_21, power_expm1_logpt_scaled, out=part_21)
        part_22 = np.multiply(
            exp_shifted,
            d2logpt_scaled,
            out=_rows.memory(buffers[2], shape, dtype),
            where=mask_3,
        )
        part_21 = np.subtract(part_21, part_22, out=part_21, where=mask_3)
        part_23 = np.multiply(
            exp_shifted, sum_ddx_exp_shifted_scaled, out=exp_shifted, where=mask_3
        )
        part_21 = np.subtract(part_21, part_23, out=part_23, where=mask_3)
        part_21 = _rows.select(
            mask_3, part_21, 0.0, out=_rows.memory(buffers[1], shape, dtype)
        )
        part_21 = _rows.select(
            mask_2, part_21, 0.0, out=_rows.memory(dx_block, shape, dtype)
        )
        d2x = np.add(d2x, part_21, out=part_21)
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
        buffers=3,
        row_scalar_buffers=4,
    )
