# Made by lngen 0.1.0 from the definition of dynamic_tanh.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops per row element; backward 3 row tensors (2 read, 1 written), 13 flops per row element.
# Evidence: 1 output, 18 steps, 28 first lines, 4 gradients, 1 tangent, 5 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Dynamic tanh: an elementwise layer in the place of a norm. The outputs and the gradients.

Rows are processed in blocks that stay in the cache. A comment gives the derivation step
of its line, and names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from math import prod

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars, written to their arrays."""
    x_rows, alpha, gamma, beta = values
    (y_out,) = results
    if alpha is not None:
        alpha_value = alpha
    else:
        alpha_value = 0.5
    gamma_wide = _rows.repeated(gamma)
    beta_wide = _rows.repeated(beta)

    def block(x, y_block):
        # step 1: u = x*alpha
        u = np.multiply(x, alpha_value, out=y_block)
        # step 2: t = tanh(u)
        t = np.tanh(u, out=y_block)
        # step 3: y = t*gamma + beta
        if gamma is not None:
            y = _rows.by_feature(np.multiply, t, gamma_wide, out=y_block)
        else:
            y = t
        if beta is not None:
            _rows.by_feature(np.add, y, beta_wide, out=y_block)

    _blocks.each_block(block, call, reads=(x_rows,), writes=(y_out,))


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, alpha, gamma = fields
    dx_out, dalpha_out, dgamma_out, dbeta_out = results
    if alpha is not None:
        alpha_value = alpha
    else:
        alpha_value = 0.5
    gamma_wide = _rows.repeated(gamma)

    def block(x, dy, dx_block, buffers, row_scalars, sums):
        dgamma_sums, dbeta_sums, dalpha_sums = sums
        # step 1: u = x*alpha
        u = np.multiply(x, alpha_value, out=dx_block)
        # step 2: t = tanh(u)
        t = np.tanh(u, out=dx_block)
        # step 10: dgamma = sum over rows of dy*t
        if gamma is not None:
            part = np.multiply(dy, t, out=buffers[0])
            _rows.add_rows(part, dgamma_sums)
        # step 11: dbeta = sum over rows of dy
        if dbeta_out is not None:
            _rows.add_rows(dy, dbeta_sums)
        # step 7: du = (1 - t)*dy*(t + 1)*gamma
        du = np.subtract(1.0, t, out=buffers[0])
        du = np.multiply(du, dy, out=buffers[0])
        part_2 = np.add(t, 1.0, out=dx_block)
        du = np.multiply(du, part_2, out=dx_block)
        if gamma is not None:
            du = _rows.by_feature(np.multiply, du, gamma_wide, out=dx_block)
        # step 9: sum_du_x = sum(du*x)
        if alpha is not None:
            sum_du_x = _rows.row_sum(du, x, out=row_scalars[0])
            # step 9: dalpha = sum over rows of sum_du_x
            dalpha_sums += np.add.reduce(sum_du_x, axis=None)
        # step 8: dx = du*alpha
        np.multiply(du, alpha_value, out=dx_block)

    dgamma, dbeta, dalpha = _blocks.each_block(
        block,
        call,
        reads=(x_rows, dy_rows),
        writes=(dx_out,),
        buffers=1,
        row_scalars=1,
        feature_sums=2,
        sums=1,
    )
    if alpha is not None:
        _blocks.round_to(dalpha_out, ..., dalpha)
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., dgamma)
    if dbeta_out is not None:
        _blocks.round_to(dbeta_out, ..., dbeta)


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, alpha, gamma, beta = values
    if alpha is not None:
        alpha_value = np.asarray(alpha, dtype)
    else:
        alpha_value = 0.5
    # step 1: u = x*alpha
    u = x * alpha_value
    # step 2: t = tanh(u)
    t = np.tanh(u, out=u)
    # step 3: y = t*gamma + beta
    if gamma is not None:
        y = np.multiply(t, gamma, out=t)
    else:
        y = t
    if beta is not None:
        y = np.add(y, beta, out=y)
    return (y,)


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    shape, dtype, dtypes, x, alpha, gamma = saved
    wants_dbeta = dtypes[3] is not None
    rows = prod(shape[:-1])
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    if alpha is not None:
        alpha_value = np.asarray(alpha, dtype)
    else:
        alpha_value = 0.5
    # step 1: u = x*alpha
    u = x * alpha_value
    # step 2: t = tanh(u)
    t = np.tanh(u, out=u)
    # step 10: dgamma = sum over rows of dy*t
    if gamma is not None:
        part = dy * t
        dgamma = _rows.sum_of_rows(
            _rows.equal_weights(rows, 1.0, dtype), part.reshape(-1, features)
        )
    # step 11: dbeta = sum over rows of dy
    if wants_dbeta:
        dbeta = _rows.sum_of_rows(
            _rows.equal_weights(rows, 1.0, dtype), dy.reshape(-1, features)
        )
    # step 7: du = (1 - t)*dy*(t + 1)*gamma
    du = 1.0 - t
    du = np.multiply(du, dy, out=du)
    part_2 = np.add(t, 1.0, out=t)
    du = np.multiply(du, part_2, out=du)
    if gamma is not None:
        du = np.multiply(du, gamma, out=du)
    # step 9: sum_du_x = sum(du*x)
    if alpha is not None:
        sum_du_x = vecdot(du, x)[..., np.newaxis]
        # step 9: dalpha = sum over rows of sum_du_x
        dalpha = np.add.reduce(sum_du_x, axis=None)
    # step 8: dx = du*alpha
    dx = np.multiply(du, alpha_value, out=du)
    if alpha is not None:
        dalpha = _rows.filled(dalpha, out=np.empty((), dtype))
    else:
        dalpha = None
    if gamma is None:
        dgamma = None
    if not wants_dbeta:
        dbeta = None
    return dx, dalpha, dgamma, dbeta
