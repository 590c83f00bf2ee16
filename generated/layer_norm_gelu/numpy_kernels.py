# Made by lngen 0.1.0 from the definition of layer_norm_gelu; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
# definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
"""Layer normalization, then the Gaussian error linear unit. The outputs and the gradients.

Many rows are taken block by block, in memory that stays in the cache; few are taken at
once, and NumPy makes the memory. A comment gives the derivation step of its line, and
names in the code are those of the derivation.
"""

# A variable may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import functions as _functions
from .._runtime.numpy import rows as _rows


def forward(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, gamma, beta, eps = values
    y_out, mu_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    # sqrt(2)/2
    constant_1 = dtype.type("0.7071067811865475244008443621048490392848")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, gamma_wide, beta_wide, y_block=None, buffers=(None,) * 2):
        # step 1: mu = mean(x)
        mu = _rows.row_sum(x, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 3: var = mean(x_shifted**2)
        var = _rows.row_mean(x_shifted, x_shifted, D)
        # step 2, pass 2: mu_residual = mean(x_shifted)
        mu_residual = _rows.residual(x_shifted, mu, var, D, far_from, one_over_D)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = x_shifted
        # step 4: rstd = 1/sqrt(var + eps)
        rstd = np.reciprocal(np.sqrt(var + eps))
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=x_centred)
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        else:
            u = xhat
        if beta is not None:
            u = _rows.by_feature(np.add, u, beta_wide, out=u)
        # step 7, pass 4: Phi_u = erf((sqrt(2)/2)*u)/2 + 1/2
        Phi_u = np.multiply(u, constant_1, out=buffers[0])
        Phi_u = _functions.erf(Phi_u, out=buffers[1])
        Phi_u = np.multiply(Phi_u, 0.5, out=buffers[0])
        Phi_u = np.add(Phi_u, 0.5, out=Phi_u)
        # step 9: y = Phi_u*u
        y = np.multiply(Phi_u, u, out=u)
        return y, mu[..., 0], mu_residual[..., 0], rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        features=(gamma, beta),
        into=(y_out,),
        into_row_scalars=(mu_out, mu_residual_out, rstd_out),
        buffers=2,
    )


@np.errstate(under="ignore")
def backward(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, _, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    # sqrt(2)/2
    constant_1 = dtype.type("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = dtype.type("0.3989422804014326779399460599343818684759")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 23, pass 10: mean_g_xhat = mean(du*xhat*gamma)
    if gamma is not None:
        gamma_over_D = gamma / D

    def block(
        x,
        dy,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        beta_wide,
        dx_block=None,
        buffers=(None,) * 3,
    ):
        dgamma = dbeta = None
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=x_centred)
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _rows.by_feature(np.multiply, xhat, gamma_wide, out=buffers[0])
        else:
            u = xhat
        if beta is not None:
            u = _rows.by_feature(np.add, u, beta_wide, out=buffers[0])
        # step 7, pass 4: Phi_u = erf((sqrt(2)/2)*u)/2 + 1/2
        Phi_u = np.multiply(u, constant_1, out=buffers[1])
        Phi_u = _functions.erf(Phi_u, out=buffers[2])
        Phi_u = np.multiply(Phi_u, 0.5, out=buffers[1])
        Phi_u = np.add(Phi_u, 0.5, out=Phi_u)
        # step 12, pass 9: du = (Phi_u + (sqrt(2)/(2*sqrt(pi)))*exp(-u**2/2)*u)*dy
        du = np.square(u, out=buffers[2])
        du = np.multiply(du, -0.5, out=du)
        du = np.exp(du, out=du)
        du = np.multiply(du, u, out=buffers[0])
        du = np.multiply(du, constant_2, out=du)
        du = np.add(Phi_u, du, out=du)
        du = np.multiply(du, dy, out=du)
        # step 24: dgamma = sum over rows of du*xhat
        if gamma is not None:
            part = np.multiply(du, xhat, out=buffers[1])
            dgamma = _rows.sum_rows(part)
        # step 25: dbeta = sum over rows of du
        if beta is not None:
            dbeta = _rows.sum_rows(du)
        # step 23, pass 10: mean_g_xhat = mean(du*xhat*gamma)
        if gamma is not None:
            mean_g_xhat = _rows.row_sum(part, gamma_over_D)
        else:
            mean_g_xhat = _rows.row_mean(du, xhat, D)
        # step 13: g = du*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, du, gamma_wide, out=du)
        else:
            g = du
        # step 23: mean_g = mean(g)
        mean_g = _rows.row_sum(g, one_over_D)
        # step 23: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
        dx = np.subtract(g, mean_g, out=g)
        part_2 = np.multiply(xhat, mean_g_xhat, out=xhat)
        dx = np.subtract(dx, part_2, out=part_2)
        dx = np.multiply(dx, rstd, out=dx)
        return dx, dgamma, dbeta

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, beta),
        into=(dx_out,),
        buffers=3,
        feature_sums=2,
    )
