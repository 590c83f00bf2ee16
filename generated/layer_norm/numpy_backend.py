# Made by lngen 0.1.0 from the definition of layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm.py and run: lngen derive layer_norm.py
# definition sha256:3f4f3519e955d61b03ab0d655ad5951c0892e0dd7b3076ac889a76a6492abbe1
"""Layer normalization over the feature axis.

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
    """Layer normalization over the feature axis.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = gamma*xhat + beta

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
        Saved(_shape, _dtype, _dtypes, x, gamma, mu_, mu_residual_, rstd_)
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
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, gamma_wide, beta_wide, y_block=None):
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
        # step 6: y = xhat*gamma + beta
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        else:
            y = xhat
        if beta is not None:
            y = _rows.by_feature(np.add, y, beta_wide, out=y)
        return y, mu[..., 0], mu_residual[..., 0], rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        features=(gamma, beta),
        into=(y_out,),
        into_row_scalars=(mu_out, mu_residual_out, rstd_out),
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = gamma*dy
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dgamma = sum_rows(dy*xhat)
        dbeta = sum_rows(dy)

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
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return Gradients(*_calls.returned((dx_, dgamma_, dbeta_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gamma, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, _, dbeta_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 17, pass 8: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
    if gamma is not None:
        gamma_over_D = gamma / D

    def block(x, dy, mu, mu_residual, rstd, gamma_wide, dx_block=None, buffers=(None,)):
        dgamma = dbeta = None
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 18, pass 10: dgamma = sum over rows of dy*x_centred*rstd
        if gamma is not None:
            part = np.multiply(dy, x_centred, out=buffers[0])
            dgamma = _rows.sum_rows(part, rstd)
            # step 17, pass 8: mean_g_xhat_unscaled = mean(dy*x_centred*gamma)
            mean_g_xhat_unscaled = _rows.row_dot(part, gamma_over_D)
        else:
            mean_g_xhat_unscaled = _rows.row_dot(dy, x_centred) / D
        # step 7: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[0])
        else:
            g = dy
        # step 17: mean_g = mean(g)
        mean_g = _rows.row_dot(g, one_over_D)
        # step 17, pass 9: mean_g_xhat = mean_g_xhat_unscaled*rstd
        mean_g_xhat = mean_g_xhat_unscaled * rstd
        # step 17, pass 11: dx = (g - mean_g - x_centred*mean_g_xhat*rstd)*rstd
        dx = np.subtract(g, mean_g, out=buffers[0])
        part_2 = np.multiply(x_centred, mean_g_xhat * rstd, out=x_centred)
        dx = np.subtract(dx, part_2, out=part_2)
        dx = np.multiply(dx, rstd, out=dx)
        # step 19: dbeta = sum over rows of dy
        if dbeta_out is not None:
            dbeta = _rows.sum_rows(dy)
        return dx, dgamma, dbeta

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma,),
        into=(dx_out,),
        buffers=1,
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

        y_dot = gamma_dot*xhat + beta_dot + rstd*gamma*(x_dot - mean(x_dot) -
            xhat*mean(x_dot*xhat))

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
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, gamma_dot, beta_dot = arguments
    x_rows, gamma, mu_rows, mu_residual_rows, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        x_dot,
        mu,
        mu_residual,
        rstd,
        gamma_dot_wide,
        gamma_wide,
        beta_dot_wide,
        y_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 28: mean_x_dot = mean(x_dot)
        if x_dot_rows is not None:
            mean_x_dot = _rows.row_dot(x_dot, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        if x_dot_rows is not None or gamma_dot is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=buffers[0])
        # step 28: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_dot(x_dot, xhat) / D
        # step 28: y_dot = xhat*gamma_dot + (x_dot - mean_x_dot -
        #   xhat*mean_x_dot_xhat)*rstd*gamma + beta_dot
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=y_dot_block)
        if x_dot_rows is not None:
            part = _rows.by_row(np.subtract, x_dot, mean_x_dot, out=buffers[1])
            part_2 = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part = np.subtract(part, part_2, out=part_2)
        if gamma is not None and x_dot_rows is not None:
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        if x_dot_rows is not None:
            part = np.multiply(part, rstd, out=part)
        if x_dot_rows is not None and gamma_dot is not None:
            y_dot = np.add(y_dot, part, out=y_dot)
        if x_dot_rows is not None and gamma_dot is None:
            y_dot = part
        if beta_dot is not None and (x_dot_rows is not None or gamma_dot is not None):
            y_dot = _rows.by_feature(np.add, y_dot, beta_dot_wide, out=y_dot_block)
        if x_dot_rows is None and gamma_dot is None:
            y_dot = _rows.filled(beta_dot, y_dot_block, shape, dtype)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma_dot, gamma, beta_dot),
        into=(y_dot_out,),
        buffers=2,
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

        g = gamma*dy
        mean_g = mean(g)
        mean_g_xhat = mean(g*xhat)
        dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
        d2x = rstd*(ddgamma*dy + rstd*(mean_g*xhat*mean(ddx) +
            mean(ddx*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddx*g) -
            mean_g_xhat*(ddx - mean(ddx))) - mean(ddgamma*dy) -
            xhat*mean(ddgamma*dy*xhat))
        d2gamma = sum_rows(dg*dy)
        d2beta = 0
        ddy = gamma*dg + ddgamma*xhat + ddbeta

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
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return SecondGradients(*_calls.returned((dx_, dgamma_, dbeta_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddgamma, ddbeta = arguments
    x_rows, gamma, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, _, dbeta_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_ddx_or_ddgamma = ddx_rows is not None or ddgamma is not None
    with_gamma_and_ddx = gamma is not None and ddx_rows is not None
    with_ddx_without_gamma = gamma is None and ddx_rows is not None
    with_ddx_and_ddgamma = ddx_rows is not None and ddgamma is not None
    with_ddx_without_ddgamma = ddx_rows is not None and ddgamma is None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 44: mean_ddgamma_dy = mean(dy*ddgamma)
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
        ddgamma_wide,
        ddbeta_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 5,
    ):
        d2gamma = None
        # step 50: mean_ddx = mean(ddx)
        if ddx_rows is not None:
            mean_ddx = _rows.row_dot(ddx, one_over_D)
        # step 44: mean_ddgamma_dy = mean(dy*ddgamma)
        if ddgamma is not None:
            mean_ddgamma_dy = _rows.row_dot(dy, ddgamma_over_D)
        # step 2, pass 1: x_shifted = x - mu
        if with_ddx_or_ddgamma:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=ddy_block)
        # step 50: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_dot(ddx, xhat) / D
        # step 44: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if ddgamma is not None:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddgamma_dy_xhat = _rows.row_dot(part, ddgamma_over_D)
        # step 29: g = dy*gamma
        if with_gamma_and_ddx:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if with_ddx_without_gamma:
            g = dy
        # step 30: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_dot(g, one_over_D)
            # step 31: mean_g_xhat = mean(g*xhat)
            mean_g_xhat = _rows.row_dot(g, xhat) / D
            # step 44: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_dot(ddx, g) / D
            # step 44, pass 12: mean_g_xhat_scaled = 3*mean_g_xhat
            mean_g_xhat_scaled = mean_g_xhat * 3.0
            # step 44, pass 13: mean_ddx_scaled = mean_ddx*mean_g
            mean_ddx_scaled = mean_ddx * mean_g
            # step 50: dg = (ddx - mean_ddx - xhat*mean_ddx_xhat)*rstd
            part_2 = _rows.by_row(np.subtract, ddx, mean_ddx, out=buffers[0])
            dg = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffers[1])
            dg = np.subtract(part_2, dg, out=dg)
            dg = np.multiply(dg, rstd, out=dg)
        # step 51: d2gamma = sum over rows of dg*dy
        if with_gamma_and_ddx:
            part_3 = np.multiply(dg, dy, out=buffers[2])
            d2gamma = _rows.sum_rows(part_3)
        # step 44, pass 14: d2x = (dy*ddgamma + (xhat*mean_ddx_scaled +
        #   (xhat*mean_g_xhat_scaled + mean_g - g)*mean_ddx_xhat - xhat*mean_ddx_g -
        #   (ddx - mean_ddx)*mean_g_xhat)*rstd - mean_ddgamma_dy -
        #   xhat*mean_ddgamma_dy_xhat)*rstd
        if ddgamma is not None:
            d2x = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[2])
        if ddx_rows is not None:
            part_4 = _rows.by_row(np.multiply, xhat, mean_ddx_scaled, out=buffers[3])
            part_5 = _rows.by_row(np.multiply, xhat, mean_g_xhat_scaled, out=buffers[4])
            part_5 = np.add(part_5, mean_g, out=part_5)
            part_5 = np.subtract(part_5, g, out=dx_block)
            part_5 = np.multiply(part_5, mean_ddx_xhat, out=part_5)
            part_4 = np.add(part_4, part_5, out=part_5)
            part_6 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[3])
            part_4 = np.subtract(part_4, part_6, out=part_4)
            part_7 = np.multiply(part_2, mean_g_xhat, out=part_2)
            part_4 = np.subtract(part_4, part_7, out=part_4)
            part_4 = np.multiply(part_4, rstd, out=part_4)
        if with_ddx_and_ddgamma:
            d2x = np.add(d2x, part_4, out=part_4)
        if with_ddx_without_ddgamma:
            d2x = part_4
        if ddgamma is not None:
            d2x = np.subtract(d2x, mean_ddgamma_dy, out=dx_block)
            part_8 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_dy_xhat, out=buffers[0]
            )
            d2x = np.subtract(d2x, part_8, out=d2x)
        if with_ddx_or_ddgamma:
            d2x = np.multiply(d2x, rstd, out=d2x)
        # step 56: ddy = xhat*ddgamma + dg*gamma + ddbeta
        if ddgamma is not None:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=xhat)
        if with_gamma_and_ddx:
            part_9 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffers[0])
        if with_ddx_without_gamma:
            part_9 = dg
        if with_ddx_and_ddgamma:
            ddy = np.add(ddy, part_9, out=ddy)
        if with_ddx_without_ddgamma:
            ddy = part_9
        if ddbeta is not None and (ddx_rows is not None or ddgamma is not None):
            ddy = _rows.by_feature(np.add, ddy, ddbeta_wide, out=ddy_block)
        if ddx_rows is None and ddgamma is None:
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
            ddy = _rows.filled(ddbeta, ddy_block, shape, dtype)
        return d2x, ddy, d2gamma

    d2x, ddy, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, ddgamma, ddbeta),
        into=(dx_out, ddy_out),
        buffers=5,
        feature_sums=1,
    )
    if gamma is not None and ddx_rows is None:
        d2gamma = np.full(features, 0.0, dtype)
    if dbeta_out is not None:
        dbeta = np.full(features, 0.0, dtype)
    else:
        dbeta = None
    return d2x, d2gamma, dbeta, ddy


def saved_from(
    *,
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
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
    fields_ = (x, gamma, mu, mu_residual, rstd)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, gamma, mu, mu_residual, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "layer_norm")
    _calls.check_first_fields(saved, (True, False, False))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept(_shape[-1:], saved.dtypes[1] is not None, gamma=saved.gamma)
    _calls.check_kept(
        _shape[:-1], mu=saved.mu, mu_residual=saved.mu_residual, rstd=saved.rstd
    )


INTERFACE: _interface.Interface = {
    "name": "layer_norm",
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
        _interface.saved("mu", "row scalar", ["..."]),
        _interface.saved("mu_residual", "row scalar", ["..."]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("gamma", may_be_none=True),
        _interface.gradient("beta", may_be_none=True),
    ],
    "counterparts": [
        _interface.counterpart(
            "torch.nn.LayerNorm",
            {"normalized_shape": "D", "weight": "gamma", "bias": "beta", "eps": "eps"},
        ),
        _interface.counterpart(
            "timm.layers.norm.LayerNorm",
            {"normalized_shape": "D", "weight": "gamma", "bias": "beta", "eps": "eps"},
        ),
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class LayerNorm(_modules.NumpyModule):
    """`layer_norm` as an object with the parameters gamma and beta.

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
