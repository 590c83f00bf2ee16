# Made by lngen 0.1.0 from the definition of modulated_layer_norm.
# Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), 10 flops per row element; backward 3 row tensors (2 read, 1 written), 21 flops per row element.
# Evidence: 1 output, 23 steps, 36 first lines, 2 identities, 4 gradients, 1 tangent, 5 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
# templates sha256:77f415f2d102fb1b8ebdc465819dbc1c034c853f5dea93b1e9499fa802b7e9e5
"""Layer normalization whose output is gated by one number a row. The outputs and the gradients.

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
    x_rows, gate_rows, gamma, beta, eps = values
    y_out, mu_out, mu_residual_out, rstd_out = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    gamma_wide = _rows.repeated(gamma)
    beta_wide = _rows.repeated(beta)

    def block(x, gate, mu_block, mu_residual_block, rstd_block, y_block):
        # step 1: mu = mean(x)
        mu = _rows.row_sum(x, one_over_D, out=mu_block)
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 3: var = mean(x_shifted**2)
        var = _rows.row_mean(x_shifted, x_shifted, D, out=rstd_block)
        # step 2: mu_residual = mean(x_shifted)
        _rows.residual(
            x_shifted, mu, var, D, far_from, one_over_D, out=mu_residual_block
        )
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = x_shifted
        # step 4: rstd = 1/sqrt(var + eps)
        rstd = np.add(var, eps, out=rstd_block)
        rstd = np.sqrt(rstd, out=rstd_block)
        rstd = np.reciprocal(rstd, out=rstd_block)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=y_block)
        # step 6: y = (xhat*gamma + beta)*gate
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_block)
        else:
            y = xhat
        if beta is not None:
            y = _rows.by_feature(np.add, y, beta_wide, out=y_block)
        if gate_rows is not None:
            np.multiply(y, gate, out=y_block)

    _blocks.each_block(
        block,
        call,
        reads=(x_rows, gate_rows),
        writes=(mu_out, mu_residual_out, rstd_out, y_out),
    )


def backward(arguments, fields, results, call):
    """The gradients, written to their arrays; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gate_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dgate_out, dgamma_out, dbeta_out = results
    features, dtype = call.features, call.dtype
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    gamma_wide = _rows.repeated(gamma)
    beta_wide = _rows.repeated(beta)

    def block(
        x,
        gate,
        dy,
        mu,
        mu_residual,
        rstd,
        dgate_block,
        dx_block,
        buffers,
        row_scalars,
        sums,
    ):
        dbeta_sums, dgamma_sums = sums
        if gate_rows is not None:
            gate_value = gate
        if gate_rows is None and (gamma is not None or beta is not None):
            gate_value = 1.0
            # step 23: dbeta = sum over rows of dy*gate
            part = _rows.filled(gate_value, out=row_scalars[0])
        if gate_rows is not None and (gamma is not None or beta is not None):
            part = gate_value
        if beta is not None:
            _rows.add_rows(dy, dbeta_sums, part)
        # step 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=dx_block)
        # step 22: dgamma = sum over rows of dy*xhat*gate
        if gamma is not None:
            part_2 = np.multiply(dy, xhat, out=buffers[0])
            _rows.add_rows(part_2, dgamma_sums, part)
        # step 21: dgate = sum((xhat*gamma + beta)*dy)
        if gate_rows is not None and gamma is not None:
            part_3 = _rows.by_feature(np.multiply, xhat, gamma_wide, out=buffers[0])
        if gate_rows is not None and gamma is None:
            part_3 = xhat
        if gate_rows is not None and beta is not None:
            part_3 = _rows.by_feature(np.add, part_3, beta_wide, out=buffers[0])
        if gate_rows is not None:
            _rows.row_sum(part_3, dy, out=dgate_block)
        # step 7: g = dy*gate*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[0])
        else:
            g = dy
        if gate_rows is not None:
            g = np.multiply(g, gate_value, out=buffers[0])
        # step 20: mean_g = mean(g)
        mean_g = _rows.row_sum(g, one_over_D, out=row_scalars[0])
        # step 20: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _rows.row_mean(g, xhat, D, out=row_scalars[1])
        # step 20: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
        dx = np.subtract(g, mean_g, out=buffers[0])
        part_4 = np.multiply(xhat, mean_g_xhat, out=dx_block)
        dx = np.subtract(dx, part_4, out=dx_block)
        np.multiply(dx, rstd, out=dx_block)

    dbeta, dgamma = _blocks.each_block(
        block,
        call,
        reads=(x_rows, gate_rows, dy_rows, mu_rows, mu_residual_rows, rstd_rows),
        writes=(dgate_out, dx_out),
        buffers=1,
        row_scalars=2,
        feature_sums=2,
    )
    if gamma is not None:
        _blocks.round_to(dgamma_out, ..., dgamma)
    if beta is not None:
        _blocks.round_to(dbeta_out, ..., dbeta)


def forward_fast(values, shape, dtype):
    """The outputs and the saved row scalars of rows that fit one block."""
    x, gate_rows, gamma, beta, eps = values
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)
    if gate_rows is not None:
        gate = gate_rows[..., np.newaxis]
    # step 1: mu = mean(x)
    mu = vecdot(x, one_over_D)[..., np.newaxis]
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 3: var = mean(x_shifted**2)
    var = (vecdot(x_shifted, x_shifted) / D)[..., np.newaxis]
    # step 2: mu_residual = mean(x_shifted)
    mu_residual = _rows.residual(x_shifted, mu, var, D, far_from, one_over_D)
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = x_shifted
    # step 4: rstd = 1/sqrt(var + eps)
    rstd = var + eps
    rstd = np.sqrt(rstd)
    rstd = np.reciprocal(rstd)
    # step 5: xhat = x_centred*rstd
    xhat = np.multiply(x_centred, rstd, out=x_centred)
    # step 6: y = (xhat*gamma + beta)*gate
    if gamma is not None:
        y = np.multiply(xhat, gamma, out=xhat)
    else:
        y = xhat
    if beta is not None:
        y = np.add(y, beta, out=y)
    if gate_rows is not None:
        y = np.multiply(y, gate, out=y)
    mu = mu[..., 0]
    mu_residual = mu_residual[..., 0]
    rstd = rstd[..., 0]
    return y, mu, mu_residual, rstd


def backward_fast(arguments, saved):
    """The gradients of rows that fit one block; None for one not wanted."""
    (dy,) = arguments
    (
        shape,
        dtype,
        _,
        x,
        gate_rows,
        gamma,
        beta,
        mu_rows,
        mu_residual_rows,
        rstd_rows,
    ) = saved
    needs_gate_value = gate_rows is None and (gamma is not None or beta is not None)
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= _rows.WHOLE_ROW else _rows.vecdot_in_pieces
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    if gate_rows is not None:
        gate_value = gate_rows[..., np.newaxis]
    if needs_gate_value:
        gate_value = 1.0
    mu = mu_rows[..., np.newaxis]
    mu_residual = mu_residual_rows[..., np.newaxis]
    rstd = rstd_rows[..., np.newaxis]
    # step 23: dbeta = sum over rows of dy*gate
    if needs_gate_value:
        part = _rows.filled(gate_value, out=np.empty((*shape[:-1], 1), dtype))
    if gate_rows is not None and (gamma is not None or beta is not None):
        part = gate_value
    if beta is not None:
        dbeta = _rows.sum_of_rows(part.ravel(), dy.reshape(-1, features))
    # step 2: x_shifted = x - mu
    x_shifted = x - mu
    # step 2: x_centred = x_shifted - mu_residual
    x_centred = _rows.less_residual(x_shifted, mu_residual)
    # step 5: xhat = x_centred*rstd
    xhat = np.multiply(x_centred, rstd, out=x_centred)
    # step 22: dgamma = sum over rows of dy*xhat*gate
    if gamma is not None:
        part_2 = dy * xhat
        dgamma = _rows.sum_of_rows(part.ravel(), part_2.reshape(-1, features))
    # step 21: dgate = sum((xhat*gamma + beta)*dy)
    if gate_rows is not None and gamma is not None:
        part_3 = xhat * gamma
    if gate_rows is not None and gamma is None:
        part_3 = xhat
    if gate_rows is not None and beta is not None:
        part_3 = part_3 + beta
    if gate_rows is not None:
        dgate = vecdot(part_3, dy)[..., np.newaxis]
    # step 7: g = dy*gate*gamma
    if gamma is not None:
        g = dy * gamma
    else:
        g = dy
    if gate_rows is not None:
        g = g * gate_value
    # step 20: mean_g = mean(g)
    mean_g = vecdot(g, one_over_D)[..., np.newaxis]
    # step 20: mean_g_xhat = mean(g*xhat)
    mean_g_xhat = (vecdot(g, xhat) / D)[..., np.newaxis]
    # step 20: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
    dx = g - mean_g
    part_4 = np.multiply(xhat, mean_g_xhat, out=xhat)
    dx = np.subtract(dx, part_4, out=dx)
    dx = np.multiply(dx, rstd, out=dx)
    if gate_rows is not None:
        dgate = dgate[..., 0]
    else:
        dgate = None
    if gamma is None:
        dgamma = None
    if beta is None:
        dbeta = None
    return dx, dgate, dgamma, dbeta
