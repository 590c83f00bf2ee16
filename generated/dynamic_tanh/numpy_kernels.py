# Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
"""Dynamic tanh: an elementwise layer in the place of a norm. The outputs and the gradients.

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
    x_rows, alpha, gamma, beta = values
    (y_out,) = results
    _, dtype, _ = call
    if alpha is not None:
        alpha_value = np.asarray(alpha, dtype)
    else:
        alpha_value = 0.5

    def block(x, gamma_wide, beta_wide, y_block=None):
        # step 1: u = x*alpha
        u = np.multiply(x, alpha_value, out=y_block)
        # step 2: t = tanh(u)
        t = np.tanh(u, out=u)
        # step 3: y = t*gamma + beta
        if gamma is not None:
            y = _rows.by_feature(np.multiply, t, gamma_wide, out=t)
        else:
            y = t
        if beta is not None:
            y = _rows.by_feature(np.add, y, beta_wide, out=y)
        return (y,)

    return _blocks.each_block(
        block, call, rows=(x_rows,), features=(gamma, beta), into=(y_out,)
    )


def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, alpha, gamma = fields
    dx_out, _, _, dbeta_out = results
    _, dtype, _ = call
    if alpha is not None:
        alpha_value = np.asarray(alpha, dtype)
    else:
        alpha_value = 0.5

    def block(x, dy, gamma_wide, dx_block=None, buffers=(None,)):
        dgamma = dbeta = dalpha = None
        # step 1: u = x*alpha
        u = np.multiply(x, alpha_value, out=dx_block)
        # step 2: t = tanh(u)
        t = np.tanh(u, out=u)
        # step 10: dgamma = sum over rows of dy*t
        if gamma is not None:
            part = np.multiply(dy, t, out=buffers[0])
            dgamma = _rows.sum_rows(part)
        # step 7: du = (1 - t)*dy*(t + 1)*gamma
        du = np.subtract(1.0, t, out=buffers[0])
        du = np.multiply(du, dy, out=du)
        part_2 = np.add(t, 1.0, out=t)
        du = np.multiply(du, part_2, out=part_2)
        if gamma is not None:
            du = _rows.by_feature(np.multiply, du, gamma_wide, out=du)
        # step 9: sum_du_x = sum(du*x)
        if alpha is not None:
            sum_du_x = _rows.row_sum(du, x)
            # step 9: dalpha = sum over rows of sum_du_x
            dalpha = np.add.reduce(sum_du_x, axis=None)
        # step 8: dx = du*alpha
        dx = np.multiply(du, alpha_value, out=du)
        # step 11: dbeta = sum over rows of dy
        if dbeta_out is not None:
            dbeta = _rows.sum_rows(dy)
        return dx, dgamma, dbeta, dalpha

    dx, dgamma, dbeta, dalpha = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        features=(gamma,),
        into=(dx_out,),
        buffers=1,
        feature_sums=2,
        sums=1,
    )
    if alpha is not None:
        dalpha = np.full((), dalpha, dtype)
    return dx, dalpha, dgamma, dbeta
