# Made by lngen 0.1.0 from the definition of layer_norm_gelu; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm_gelu.py and run: lngen derive layer_norm_gelu.py
# definition sha256:fb797b1161b31641ca09583a8a5664d3453054eae69634f07ce4625138fb9daf
"""Layer normalization, then the Gaussian error linear unit.

Each direction is a function for callers, one that checks a call and makes its results
(`_forward`), and one with the mathematics (`_forward_of_rows`). Many rows are taken
block by block, in memory that stays in the cache; a small array is one block, for which
NumPy makes the memory. `*_rows` and `*_out` have all rows, and names without such an
end those of a block. A sum over rows is that of a block, and the blocks' are added.

A comment gives the derivation step of its line, and names are those of the derivation;
others begin or end with an underscore. A buffer is used again once it has been read.
"""

# A variable of the mathematics may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import functions as _functions
from .._runtime.numpy import modules as _modules
from .._runtime.numpy import rows as _rows
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _fields


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
    dbeta: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
    dbeta: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    gamma: npt.NDArray[Any] | None  # argument gamma of forward
    beta: npt.NDArray[Any] | None  # argument beta of forward
    mu: npt.NDArray[Any]  # row scalar mu, one per row
    mu_residual: npt.NDArray[Any]  # row scalar mu_residual, one per row
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Layer normalization, then the Gaussian error linear unit.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        u = gamma*xhat + beta
        Phi_u = Phi(u)
        y = Phi_u*u

    Args:
        x: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1, at no cost.
        beta: one value per feature, shape (D,). If omitted it is 0, at no cost.
        eps: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has shape (..., D). `saved` is the argument of the other
    directions. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, gamma, beta, eps, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    gamma: Any,
    beta: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x, gamma, beta = _calls.arrays(1, x=x, gamma=gamma, beta=beta)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape[-1:], "(D,)", gamma=gamma, beta=beta)
    _read = {"x": x, "gamma": gamma, "beta": beta}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, x.dtype, _read, _by.empty)
    mu_ = _by.empty(_shape[:-1], _dtype)
    mu_residual_ = _by.empty(_shape[:-1], _dtype)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, mu_, mu_residual_, rstd_),
        _blocks.Work(_shape, _dtype, threads),
        (x, _calls.parameter(gamma, _dtype), _calls.parameter(beta, _dtype), eps),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(_shape, _dtype, _dtypes, x, gamma, beta, mu_, mu_residual_, rstd_)
        if save
        else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
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
        mu = _rows.row_dot(x, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 3: var = mean(x_shifted**2)
        var = _rows.row_dot(x_shifted, x_shifted) / D
        # step 2, pass 2: mu_residual = mean(x_shifted) where |mu| > far_from*sqrt(var),
        #   else 0; it is taken off x_shifted in place, and var is put right
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


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        du = dy*(Phi_u + u*phi(u))
        g = gamma*du
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dgamma = sum_rows(du*xhat)
        dbeta = sum_rows(du)

    Args:
        saved: the second result of `forward`.
        dy: the cotangent of y, in its shape.
        out: arrays to write to, as Gradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Gradients, each in the shape and type of its input.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _backward(_BACKWARD, saved, dy, out, threads)


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, out: Any, threads: Any
) -> Gradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_gamma, _of_beta = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.beta": saved.beta,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dgamma_, dbeta_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dgamma=(_shape[-1:], _of_gamma),
        dbeta=(_shape[-1:], _of_beta),
    )
    _by.fill(
        (dx_, dgamma_, dbeta_),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (
            saved.x,
            _calls.parameter(saved.gamma, _dtype),
            _calls.parameter(saved.beta, _dtype),
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return Gradients(*_calls.returned((dx_, dgamma_, dbeta_), out))


@np.errstate(under="ignore")
def _backward_of_rows(arguments, fields, results, call):
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
            mean_g_xhat = _rows.row_dot(part, gamma_over_D)
        else:
            mean_g_xhat = _rows.row_dot(du, xhat) / D
        # step 13: g = du*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, du, gamma_wide, out=du)
        else:
            g = du
        # step 23: mean_g = mean(g)
        mean_g = _rows.row_dot(g, one_over_D)
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


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    beta_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = (Phi_u + u*phi(u))*(gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot -
            mean(x_dot) - xhat*mean(x_dot*xhat)))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        gamma_dot: the tangent of gamma, in its shape; None stands for zero.
        beta_dot: the tangent of beta, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, gamma_dot, beta_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    gamma_dot: Any,
    beta_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_gamma, _of_beta = saved[2]
    x_dot, gamma_dot, beta_dot = _calls.arrays(
        0, x_dot=x_dot, gamma_dot=gamma_dot, beta_dot=beta_dot
    )
    _calls.check_any("tangent", x_dot, gamma_dot, beta_dot)
    _calls.check_left_out("gamma_dot", gamma_dot, "gamma", _of_gamma)
    _calls.check_left_out("beta_dot", beta_dot, "beta", _of_beta)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", gamma_dot=gamma_dot)
    _calls.check_shapes(_shape[-1:], "the shape of beta", beta_dot=beta_dot)
    _read = {
        "x_dot": x_dot,
        "gamma_dot": gamma_dot,
        "beta_dot": beta_dot,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.beta": saved.beta,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (
            x_dot,
            _calls.parameter(gamma_dot, _dtype),
            _calls.parameter(beta_dot, _dtype),
        ),
        (
            saved.x,
            _calls.parameter(saved.gamma, _dtype),
            _calls.parameter(saved.beta, _dtype),
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, gamma_dot, beta_dot = arguments
    x_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    # sqrt(2)/2
    constant_1 = dtype.type("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = dtype.type("0.3989422804014326779399460599343818684759")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        x_dot,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        beta_wide,
        gamma_dot_wide,
        beta_dot_wide,
        y_dot_block=None,
        buffers=(None,) * 3,
    ):
        # step 38, pass 11: mean_x_dot = mean(x_dot)
        if x_dot_rows is not None:
            mean_x_dot = _rows.row_dot(x_dot, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=x_centred)
        # step 38, pass 12: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_dot(x_dot, xhat) / D
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
        # step 38, pass 13: y_dot = (Phi_u +
        #   (sqrt(2)/(2*sqrt(pi)))*exp(-u**2/2)*u)*(xhat*gamma_dot + (x_dot - mean_x_dot
        #   - xhat*mean_x_dot_xhat)*rstd*gamma + beta_dot)
        y_dot = np.square(u, out=buffers[2])
        y_dot = np.multiply(y_dot, -0.5, out=y_dot)
        y_dot = np.exp(y_dot, out=y_dot)
        y_dot = np.multiply(y_dot, u, out=buffers[0])
        y_dot = np.multiply(y_dot, constant_2, out=y_dot)
        y_dot = np.add(Phi_u, y_dot, out=y_dot)
        if gamma_dot is not None:
            part = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=buffers[1])
        if x_dot_rows is not None:
            part_2 = _rows.by_row(np.subtract, x_dot, mean_x_dot, out=buffers[2])
            part_3 = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part_2 = np.subtract(part_2, part_3, out=part_3)
        if gamma is not None and x_dot_rows is not None:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=part_2)
        if x_dot_rows is not None:
            part_2 = np.multiply(part_2, rstd, out=part_2)
        if x_dot_rows is not None and gamma_dot is not None:
            part = np.add(part, part_2, out=part_2)
        if x_dot_rows is not None and gamma_dot is None:
            part = part_2
        if beta_dot is not None and (x_dot_rows is not None or gamma_dot is not None):
            part = _rows.by_feature(np.add, part, beta_dot_wide, out=y_dot_block)
        if x_dot_rows is None and gamma_dot is None:
            part = beta_dot
        y_dot = np.multiply(y_dot, part, out=y_dot_block)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, beta, gamma_dot, beta_dot),
        into=(y_dot_out,),
        buffers=3,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    ddbeta: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        du = dy*(Phi_u + u*phi(u))
        g = gamma*du
        mean_g = mean(g)
        mean_g_xhat = mean(g*xhat)
        dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
        ddu = gamma*dg + ddgamma*xhat + ddbeta
        d2u = ddu*dy*phi(u)*(2 - u**2)
        d2xhat_part = gamma*d2u - mean_g_xhat*rstd*ddx
        d2x = rstd*(d2xhat_part + ddgamma*du + rstd*(mean_g*xhat*mean(ddx) +
            mean(ddx*xhat)*(2*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g)) -
            mean(d2xhat_part) - mean(ddgamma*du) - xhat*mean(d2xhat_part*xhat) -
            xhat*mean(ddgamma*du*xhat))
        d2gamma = sum_rows(d2u*xhat + dg*du)
        d2beta = sum_rows(d2u)
        ddy = ddu*(Phi_u + u*phi(u))

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddgamma: the cotangent of dgamma, in its shape; None stands for zero.
        ddbeta: the cotangent of dbeta, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dgamma is d2gamma,
    dbeta is d2beta) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddx, ddgamma, ddbeta, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddgamma: Any,
    ddbeta: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_gamma, _of_beta = saved[2]
    dy, ddx, ddgamma, ddbeta = _calls.arrays(
        1, dy=dy, ddx=ddx, ddgamma=ddgamma, ddbeta=ddbeta
    )
    _calls.check_any("cotangent of a gradient", ddx, ddgamma, ddbeta)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", _of_gamma)
    _calls.check_left_out("ddbeta", ddbeta, "beta", _of_beta)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", ddgamma=ddgamma)
    _calls.check_shapes(_shape[-1:], "the shape of beta", ddbeta=ddbeta)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddgamma": ddgamma,
        "ddbeta": ddbeta,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.beta": saved.beta,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dgamma_, dbeta_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dgamma=(_shape[-1:], _of_gamma),
        dbeta=(_shape[-1:], _of_beta),
        ddy=(_shape, dy.dtype),
    )
    _by.fill(
        (dx_, dgamma_, dbeta_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddx, _calls.parameter(ddgamma, _dtype), _calls.parameter(ddbeta, _dtype)),
        (
            saved.x,
            _calls.parameter(saved.gamma, _dtype),
            _calls.parameter(saved.beta, _dtype),
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return SecondGradients(*_calls.returned((dx_, dgamma_, dbeta_, ddy_), out))


@np.errstate(under="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddgamma, ddbeta = arguments
    x_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, _, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_gamma_and_ddx = gamma is not None and ddx_rows is not None
    with_ddx_without_gamma = gamma is None and ddx_rows is not None
    # sqrt(2)/2
    constant_1 = dtype.type("0.7071067811865475244008443621048490392848")
    # sqrt(2)/(2*sqrt(pi))
    constant_2 = dtype.type("0.3989422804014326779399460599343818684759")
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 69: mean_ddgamma_du = mean(du*ddgamma)
    if ddgamma is not None:
        ddgamma_over_D = ddgamma / D

    def block(
        x,
        dy,
        ddx,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        beta_wide,
        ddgamma_wide,
        ddbeta_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 7,
    ):
        d2gamma = d2beta = None
        # step 52: mean_ddx = mean(ddx)
        if ddx_rows is not None:
            mean_ddx = _rows.row_dot(ddx, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=ddy_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = _rows.by_row(np.multiply, x_centred, rstd, out=dx_block)
        # step 52: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_dot(ddx, xhat) / D
        # step 6: u = xhat*gamma + beta
        if gamma is not None:
            u = _rows.by_feature(np.multiply, xhat, gamma_wide, out=ddy_block)
        else:
            u = xhat
        if beta is not None:
            u = _rows.by_feature(np.add, u, beta_wide, out=ddy_block)
        # step 7, pass 4: Phi_u = erf((sqrt(2)/2)*u)/2 + 1/2
        Phi_u = np.multiply(u, constant_1, out=buffers[0])
        Phi_u = _functions.erf(Phi_u, out=buffers[1])
        Phi_u = np.multiply(Phi_u, 0.5, out=buffers[0])
        Phi_u = np.add(Phi_u, 0.5, out=Phi_u)
        # step 39, pass 14: du = (Phi_u + (sqrt(2)/(2*sqrt(pi)))*exp(-u**2/2)*u)*dy
        part = np.square(u, out=buffers[1])
        part_2 = np.multiply(part, -0.5, out=buffers[2])
        part_2 = np.exp(part_2, out=part_2)
        part_3 = np.multiply(part_2, u, out=ddy_block)
        part_3 = np.multiply(part_3, constant_2, out=part_3)
        part_3 = np.add(Phi_u, part_3, out=part_3)
        if ddx_rows is not None or ddgamma is not None:
            du = np.multiply(part_3, dy, out=buffers[0])
        # step 69: mean_ddgamma_du = mean(du*ddgamma)
        if ddgamma is not None:
            mean_ddgamma_du = _rows.row_dot(du, ddgamma_over_D)
            # step 69: mean_ddgamma_du_xhat = mean(du*xhat*ddgamma)
            part_4 = np.multiply(du, xhat, out=buffers[3])
            mean_ddgamma_du_xhat = _rows.row_dot(part_4, ddgamma_over_D)
        # step 40: g = du*gamma
        if with_gamma_and_ddx:
            g = _rows.by_feature(np.multiply, du, gamma_wide, out=buffers[3])
        if with_ddx_without_gamma:
            g = du
        # step 41: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_dot(g, one_over_D)
            # step 42: mean_g_xhat = mean(g*xhat)
            mean_g_xhat = _rows.row_dot(g, xhat) / D
            # step 69: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_dot(ddx, g) / D
            # step 60, pass 15: mean_g_xhat_scaled = mean_g_xhat*rstd
            mean_g_xhat_scaled = mean_g_xhat * rstd
            # step 69, pass 16: mean_g_xhat_scaled_2 = 2*mean_g_xhat
            mean_g_xhat_scaled_2 = mean_g_xhat * 2.0
            # step 69, pass 17: mean_ddx_scaled = mean_ddx*mean_g
            mean_ddx_scaled = mean_ddx * mean_g
            # step 52: dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.subtract, ddx, mean_ddx, out=buffers[4])
            part_5 = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffers[5])
            dg = np.subtract(dg, part_5, out=dg)
            dg = np.multiply(dg, rstd, out=dg)
        # step 55: ddu = xhat*ddgamma + dg*gamma + ddbeta
        if ddgamma is not None:
            ddu = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=buffers[5])
        if with_gamma_and_ddx:
            part_6 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffers[6])
        if with_ddx_without_gamma:
            part_6 = dg
        if ddx_rows is not None and ddgamma is not None:
            ddu = np.add(ddu, part_6, out=ddu)
        if ddx_rows is not None and ddgamma is None:
            ddu = part_6
        if ddbeta is not None and (ddx_rows is not None or ddgamma is not None):
            ddu = _rows.by_feature(np.add, ddu, ddbeta_wide, out=buffers[5])
        if ddx_rows is None and ddgamma is None:
            ddu = ddbeta
        # step 59, pass 18: d2u = (sqrt(2)/(2*sqrt(pi)))*(2 - u**2)*ddu*dy*exp(-u**2/2)
        d2u = np.subtract(2.0, part, out=part)
        d2u = np.multiply(d2u, ddu, out=d2u)
        d2u = np.multiply(d2u, dy, out=d2u)
        d2u = np.multiply(d2u, part_2, out=d2u)
        d2u = np.multiply(d2u, constant_2, out=d2u)
        # step 71: d2gamma = sum over rows of d2u*xhat + dg*du
        if gamma is not None:
            part_7 = np.multiply(d2u, xhat, out=buffers[2])
        if with_gamma_and_ddx:
            part_8 = np.multiply(dg, du, out=dg)
            part_7 = np.add(part_7, part_8, out=part_7)
        if gamma is not None:
            d2gamma = _rows.sum_rows(part_7)
        # step 72: d2beta = sum over rows of d2u
        if beta is not None:
            d2beta = _rows.sum_rows(d2u)
        # step 60, pass 19: d2xhat_part = d2u*gamma - ddx*mean_g_xhat_scaled
        if gamma is not None:
            d2xhat_part = _rows.by_feature(np.multiply, d2u, gamma_wide, out=d2u)
        else:
            d2xhat_part = d2u
        if ddx_rows is not None:
            part_9 = _rows.by_row(np.multiply, ddx, mean_g_xhat_scaled, out=buffers[2])
            d2xhat_part = np.subtract(d2xhat_part, part_9, out=d2xhat_part)
        # step 69: mean_d2xhat_part = mean(d2xhat_part)
        mean_d2xhat_part = _rows.row_dot(d2xhat_part, one_over_D)
        # step 69: mean_d2xhat_part_xhat = mean(d2xhat_part*xhat)
        mean_d2xhat_part_xhat = _rows.row_dot(d2xhat_part, xhat) / D
        # step 73, pass 20: ddy = (Phi_u + (sqrt(2)/(2*sqrt(pi)))*exp(-u**2/2)*u)*ddu
        ddy = np.multiply(part_3, ddu, out=part_3)
        # step 69, pass 21: d2x = (d2xhat_part + du*ddgamma + (xhat*mean_ddx_scaled +
        #   (xhat*mean_g_xhat_scaled_2 + mean_g - g)*mean_ddx_xhat -
        #   xhat*mean_ddx_g)*rstd - mean_d2xhat_part - mean_ddgamma_du -
        #   xhat*mean_d2xhat_part_xhat - xhat*mean_ddgamma_du_xhat)*rstd
        if ddgamma is not None:
            d2x = _rows.by_feature(np.multiply, du, ddgamma_wide, out=du)
            d2x = np.add(d2xhat_part, d2x, out=d2x)
        else:
            d2x = d2xhat_part
        if ddx_rows is not None:
            part_10 = _rows.by_row(np.multiply, xhat, mean_ddx_scaled, out=buffers[2])
            part_11 = _rows.by_row(
                np.multiply, xhat, mean_g_xhat_scaled_2, out=buffers[4]
            )
            part_11 = np.add(part_11, mean_g, out=part_11)
            part_11 = np.subtract(part_11, g, out=buffers[3])
            part_11 = np.multiply(part_11, mean_ddx_xhat, out=part_11)
            part_10 = np.add(part_10, part_11, out=part_10)
            part_12 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[3])
            part_10 = np.subtract(part_10, part_12, out=part_10)
            part_10 = np.multiply(part_10, rstd, out=part_10)
            d2x = np.add(d2x, part_10, out=buffers[0])
        d2x = np.subtract(d2x, mean_d2xhat_part, out=buffers[0])
        if ddgamma is not None:
            d2x = np.subtract(d2x, mean_ddgamma_du, out=d2x)
        part_13 = _rows.by_row(np.multiply, xhat, mean_d2xhat_part_xhat, out=buffers[1])
        d2x = np.subtract(d2x, part_13, out=d2x)
        if ddgamma is not None:
            part_14 = np.multiply(xhat, mean_ddgamma_du_xhat, out=xhat)
            d2x = np.subtract(d2x, part_14, out=part_14)
        d2x = np.multiply(d2x, rstd, out=dx_block)
        return d2x, ddy, d2gamma, d2beta

    d2x, ddy, d2gamma, d2beta = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, beta, ddgamma, ddbeta),
        into=(dx_out, ddy_out),
        buffers=7,
        feature_sums=2,
    )
    return d2x, d2gamma, d2beta, ddy


def saved_from(
    *,
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    mu: npt.NDArray[Any],
    mu_residual: npt.NDArray[Any],
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the shape of the rows; None if a field has it.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (x, gamma, beta, mu, mu_residual, rstd)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, gamma, beta, mu, mu_residual, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "layer_norm_gelu")
    _calls.check_first_fields(saved, (True, False, False))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept(_shape[-1:], saved.dtypes[1] is not None, gamma=saved.gamma)
    _calls.check_kept(_shape[-1:], saved.dtypes[2] is not None, beta=saved.beta)
    _calls.check_kept(
        _shape[:-1], mu=saved.mu, mu_residual=saved.mu_residual, rstd=saved.rstd
    )


INTERFACE: _interface.Interface = {
    "name": "layer_norm_gelu",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("gamma", "Feature", default=1),
        _interface.given("beta", "Feature", default=0),
    ],
    "constants": [_interface.constant("eps", default=1e-5, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("gamma", "input", ["D"]),
        _interface.saved("beta", "input", ["D"]),
        _interface.saved("mu", "row scalar", ["..."]),
        _interface.saved("mu_residual", "row scalar", ["..."]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("gamma", may_be_none=True),
        _interface.gradient("beta", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class LayerNormGelu(_modules.NumpyModule):
    """`layer_norm_gelu` as an object with the parameters gamma and beta.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        eps: a constant, a finite number of 0 or more.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        D: int,
        *,
        gamma: bool = True,
        beta: bool = True,
        eps: float = 1e-5,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype, D=_modules.size("D", D, 1))
        self._parameter("gamma", gamma, (D,), 1)
        self._parameter("beta", beta, (D,), 0)
        self.eps = self._constant("eps", eps, False)

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        self._check_rows(x=x)
        output, self._saved = self._layer().forward(
            x,
            self.parameters.get("gamma"),
            self.parameters.get("beta"),
            eps=self.eps,
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`. `gradients` then has those of the parameters, of this call
        alone.
        """
        found = self._gradients(dy)
        self.gradients = self._of_parameters(gamma=found.dgamma, beta=found.dbeta)
        return found.dx
