# Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less. The outputs and the gradients.

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
    x_rows, label_rows, gamma = values
    y_out, m_out, Z_out, logpt_out, expm1_logpt_out, power_expm1_logpt_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    gamma = np.asarray(gamma, dtype)

    def block(x, label, buffers=(None,) * 2):
        # step 1: m = max(x)
        m = _rows.shift(x)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[1])
        # step 4: Z = sum(exp_shifted)
        Z = _rows.row_sum(exp_shifted, ones)
        # step 5: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 6: logp = x_shifted - log_Z
        logp = np.subtract(x_shifted, log_Z, out=x_shifted)
        # step 7: logpt = sum(where(index() == label, logp, 0))
        logpt = _rows.entry(logp, label)
        # step 8: expm1_logpt = expm1(logpt)
        expm1_logpt = np.expm1(logpt)
        # step 9: power_expm1_logpt = (-expm1_logpt)**gamma
        power_expm1_logpt = np.power(np.negative(expm1_logpt), gamma)
        # step 10: y = -logpt*power_expm1_logpt
        y = np.negative(logpt * power_expm1_logpt)
        return (
            y[..., 0],
            m[..., 0],
            Z[..., 0],
            logpt[..., 0],
            expm1_logpt[..., 0],
            power_expm1_logpt[..., 0],
        )

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(label_rows,),
        into_row_scalars=(
            y_out,
            m_out,
            Z_out,
            logpt_out,
            expm1_logpt_out,
            power_expm1_logpt_out,
        ),
        buffers=2,
    )


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
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
    (dx_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    gamma = np.asarray(gamma, dtype)
    # step 31, pass 1: power_expm1_logpt_shifted = where(gamma == 0, 0,
    #   (-expm1_logpt)**(gamma - 1)*dy*exp(logpt)*logpt*gamma) - dy*power_expm1_logpt
    mask = gamma == 0.0
    part = gamma - 1.0
    # step 31, pass 4: dx = where(index() == label, power_expm1_logpt_shifted, 0) +
    #   where(label >= 0, where(label < D, exp_shifted*power_expm1_logpt_scaled +
    #   where(gamma == 0, 0, -exp_shifted*expm1_logpt_scaled), 0), 0)
    index = np.arange(features)
    part_4 = features

    def block(
        x,
        label,
        dy,
        m,
        Z,
        logpt,
        expm1_logpt,
        power_expm1_logpt,
        dx_block=None,
        buffers=(None,) * 2,
    ):
        # step 31, pass 1: power_expm1_logpt_shifted = where(gamma == 0, 0,
        #   (-expm1_logpt)**(gamma - 1)*dy*exp(logpt)*logpt*gamma) -
        #   dy*power_expm1_logpt
        part_2 = (
            np.power(np.negative(expm1_logpt), part)
            * dy
            * np.exp(logpt)
            * logpt
            * gamma
        )
        power_expm1_logpt_shifted = np.where(mask, 0.0, part_2)
        part_3 = dy * power_expm1_logpt
        power_expm1_logpt_shifted = power_expm1_logpt_shifted - part_3
        # step 31, pass 2: power_expm1_logpt_scaled = dy*power_expm1_logpt/Z
        power_expm1_logpt_scaled = part_3 / Z
        # step 31, pass 3: expm1_logpt_scaled = (-expm1_logpt)**(gamma -
        #   1)*dy*exp(logpt)*logpt*gamma/Z
        expm1_logpt_scaled = part_2 / Z
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 31, pass 4: dx = where(index() == label, power_expm1_logpt_shifted, 0) +
        #   where(label >= 0, where(label < D, exp_shifted*power_expm1_logpt_scaled +
        #   where(gamma == 0, 0, -exp_shifted*expm1_logpt_scaled), 0), 0)
        mask_2 = index == label
        dx = _rows.select(
            mask_2,
            power_expm1_logpt_shifted,
            0.0,
            out=_rows.memory(buffers[0], shape, dtype),
        )
        mask_3 = label >= 0
        mask_4 = label < part_4
        part_5 = _rows.by_row(
            np.multiply, exp_shifted, power_expm1_logpt_scaled, out=buffers[1]
        )
        part_6 = np.multiply(
            exp_shifted, np.negative(expm1_logpt_scaled), out=exp_shifted
        )
        part_6 = _rows.select(mask, 0.0, part_6, out=part_6)
        part_5 = np.add(part_5, part_6, out=part_6)
        part_5 = _rows.select(mask_4, part_5, 0.0, out=part_5)
        part_5 = _rows.select(mask_3, part_5, 0.0, out=part_5)
        dx = np.add(dx, part_5, out=part_5)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
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
        buffers=2,
    )
