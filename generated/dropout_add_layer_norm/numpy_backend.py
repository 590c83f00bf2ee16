# Made by lngen 0.1.0 from the definition of dropout_add_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
# definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
"""Dropout, residual addition, then layer normalization; the sum is the second output.

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
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import modules as _modules
from .._runtime.numpy import random as _random
from .._runtime.numpy import rows as _rows
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _fields


class Outputs(NamedTuple):
    """Outputs of `forward`."""

    y: npt.NDArray[Any]  # shape (..., D)
    h: npt.NDArray[Any]  # shape (..., D)


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dresidual: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
    dbeta: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    dresidual: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
    dbeta: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any] | None
    ddh: npt.NDArray[Any] | None


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    h: npt.NDArray[Any]  # output h of forward
    seed: npt.NDArray[Any]  # argument seed of forward
    gamma: npt.NDArray[Any] | None  # argument gamma of forward
    p: float  # constant p of forward
    mu: npt.NDArray[Any]  # row scalar mu, one per row
    mu_residual: npt.NDArray[Any]  # row scalar mu_residual, one per row
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    seed: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    p: float = 0.1,
    eps: float = 1e-5,
    save: Literal[True] = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    seed: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    p: float = 0.1,
    eps: float = 1e-5,
    save: bool,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    residual: npt.NDArray[Any],
    seed: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    p: float = 0.1,
    eps: float = 1e-5,
    save: bool = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]:
    """Dropout, residual addition, then layer normalization; the sum is the second output.

        uniform_seed = uniform(seed)
        h = residual + where(uniform_seed >= p, x/(1 - p), 0)
        mu = mean(h)
        var = mean((h - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(h - mu)
        y = gamma*xhat + beta

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        seed: an integer or a 0-d array of one.
        gamma: one value per feature, shape (D,). If omitted it is 1, at no cost.
        beta: one value per feature, shape (D,). If omitted it is 0, at no cost.
        p: a constant, a finite number of 0 or more.
        eps: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: arrays to write to, as Outputs or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(Outputs, saved)`. `saved` is the argument of the other directions. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(
        _FORWARD, x, residual, seed, gamma, beta, p, eps, save, out, threads
    )


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    residual: Any,
    seed: Any,
    gamma: Any,
    beta: Any,
    p: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[Outputs, Saved | None]:
    """Check a call, make its results, and have them computed."""
    p = _calls.constant("p", p, signed=False)
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x, residual, gamma, beta = _calls.arrays(
        2, x=x, residual=residual, gamma=gamma, beta=beta
    )
    seed = _calls.integers("seed", seed, True, is_number=True)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape, "the shape of x", residual=residual)
    _calls.check_shapes(_shape[-1:], "(D,)", gamma=gamma, beta=beta)
    _read = {"x": x, "residual": residual, "seed": seed, "gamma": gamma, "beta": beta}
    _dtypes, _dtype = _calls.types(_read)
    y_, h_ = _calls.results(
        out, _read, _by.empty, y=(_shape, x.dtype), h=(_shape, x.dtype)
    )
    mu_ = _by.empty(_shape[:-1], _dtype)
    mu_residual_ = _by.empty(_shape[:-1], _dtype)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, h_, mu_, mu_residual_, rstd_),
        _blocks.Work(_shape, _dtype, threads),
        (
            x,
            residual,
            _calls.number(seed, _blocks.INTEGER),
            _calls.parameter(gamma, _dtype),
            _calls.parameter(beta, _dtype),
            p,
            eps,
        ),
    )
    _shown = Outputs(*_calls.returned((y_, h_), out))
    _saved = (
        Saved(_shape, _dtype, _dtypes, h_, seed, gamma, p, mu_, mu_residual_, rstd_)
        if save
        else None
    )
    return _shown, _saved


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, residual_rows, seed, gamma, beta, p, eps = values
    y_out, h_out, mu_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    # uniform_seed = uniform(seed)
    uniform_seed_rows = _random.uniform(seed, 0, call)
    p = np.asarray(p, dtype)
    eps = np.asarray(eps, dtype)
    # step 1, pass 1: p_shifted = 1/(1 - p)
    p_shifted = np.reciprocal(1.0 - p)

    def block(
        x, residual, uniform_seed, gamma_wide, beta_wide, y_block=None, h_block=None
    ):
        # step 1, pass 2: h = residual + where(uniform_seed >= p, x*p_shifted, 0)
        mask = uniform_seed >= p
        h = np.multiply(x, p_shifted, out=h_block)
        h = _rows.select(mask, h, 0.0, out=h)
        h = np.add(residual, h, out=h)
        # step 2: mu = mean(h)
        mu = _rows.row_dot(h, one_over_D)
        # step 3, pass 3: h_shifted = h - mu
        h_shifted = _rows.by_row(np.subtract, h, mu, out=y_block)
        # step 4: var = mean(h_shifted**2)
        var = _rows.row_dot(h_shifted, h_shifted) / D
        # step 3, pass 4: mu_residual = mean(h_shifted) where |mu| > far_from*sqrt(var),
        #   else 0; it is taken off h_shifted in place, and var is put right
        mu_residual = _rows.residual(h_shifted, mu, var, D, far_from, one_over_D)
        # step 3, pass 5: h_centred = h_shifted - mu_residual
        h_centred = h_shifted
        # step 5: rstd = 1/sqrt(var + eps)
        rstd = np.reciprocal(np.sqrt(var + eps))
        # step 6: xhat = h_centred*rstd
        xhat = np.multiply(h_centred, rstd, out=h_centred)
        # step 7: y = xhat*gamma + beta
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        else:
            y = xhat
        if beta is not None:
            y = _rows.by_feature(np.add, y, beta_wide, out=y)
        return y, h, mu[..., 0], mu_residual[..., 0], rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, residual_rows, uniform_seed_rows),
        features=(gamma, beta),
        into=(y_out, h_out),
        into_row_scalars=(mu_out, mu_residual_out, rstd_out),
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dh: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = gamma*dy
        dresidual = dh + rstd*(g - mean(g) - xhat*mean(g*xhat))
        dx = where(uniform_seed >= p, dresidual/(1 - p), 0)
        dgamma = sum_rows(dy*xhat)
        dbeta = sum_rows(dy)

    Args:
        saved: the second result of `forward`.
        dy: the cotangent of y, in its shape; None stands for zero.
        dh: the cotangent of h, in its shape; None stands for zero.
        out: arrays to write to, as Gradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Gradients, each in the shape and type of its input.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _backward(_BACKWARD, saved, dy, dh, out, threads)


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, dh: Any, out: Any, threads: Any
) -> Gradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_seed, _of_gamma, _of_beta = saved[2]
    dy, dh = _calls.arrays(0, dy=dy, dh=dh)
    _calls.check_any("cotangent", dy, dh)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of h", dh=dh)
    _read = {
        "dy": dy,
        "dh": dh,
        "saved.h": saved.h,
        "saved.seed": saved.seed,
        "saved.gamma": saved.gamma,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dresidual_, dgamma_, dbeta_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dresidual=(_shape, _of_residual),
        dgamma=(_shape[-1:], _of_gamma),
        dbeta=(_shape[-1:], _of_beta),
    )
    _by.fill(
        (dx_, dresidual_, dgamma_, dbeta_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, dh),
        (
            saved.h,
            _calls.number(saved.seed, _blocks.INTEGER),
            _calls.parameter(saved.gamma, _dtype),
            saved.p,
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return Gradients(*_calls.returned((dx_, dresidual_, dgamma_, dbeta_), out))


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_rows, dh_rows = arguments
    h_rows, seed, gamma, p, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dresidual_out, _, dbeta_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_gamma_and_dy = gamma is not None and dy_rows is not None
    with_dy_without_gamma = gamma is None and dy_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # uniform_seed = uniform(seed)
    uniform_seed_rows = _random.uniform(seed, 0, call)
    p = np.asarray(p, dtype)
    # step 19, pass 10: p_shifted_2 = 1/(1 - p)
    p_shifted_2 = np.reciprocal(1.0 - p)
    # step 18, pass 11: mean_g_xhat_unscaled = mean(dy*h_centred*gamma)
    if with_gamma_and_dy:
        gamma_over_D = gamma / D

    def block(
        h,
        dy,
        dh,
        uniform_seed,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        dx_block=None,
        dresidual_block=None,
    ):
        dgamma = dbeta = None
        # step 3, pass 3: h_shifted = h - mu
        if dy_rows is not None:
            h_shifted = _rows.by_row(np.subtract, h, mu, out=dx_block)
            # step 3, pass 5: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
        # step 20, pass 13: dgamma = sum over rows of dy*h_centred*rstd
        if with_gamma_and_dy:
            part = np.multiply(dy, h_centred, out=dresidual_block)
            dgamma = _rows.sum_rows(part, rstd)
            # step 18, pass 11: mean_g_xhat_unscaled = mean(dy*h_centred*gamma)
            mean_g_xhat_unscaled = _rows.row_dot(part, gamma_over_D)
        if with_dy_without_gamma:
            mean_g_xhat_unscaled = _rows.row_dot(dy, h_centred) / D
        # step 8: g = dy*gamma
        if with_gamma_and_dy:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dresidual_block)
        if with_dy_without_gamma:
            g = dy
        # step 18: mean_g = mean(g)
        if dy_rows is not None:
            mean_g = _rows.row_dot(g, one_over_D)
            # step 18, pass 12: mean_g_xhat = mean_g_xhat_unscaled*rstd
            mean_g_xhat = mean_g_xhat_unscaled * rstd
            # step 18, pass 14: dresidual = dh + (g - mean_g -
            #   h_centred*mean_g_xhat*rstd)*rstd
            dresidual = np.subtract(g, mean_g, out=dresidual_block)
            part_2 = np.multiply(h_centred, mean_g_xhat * rstd, out=h_centred)
            dresidual = np.subtract(dresidual, part_2, out=part_2)
            dresidual = _rows.by_row(np.multiply, dresidual, rstd, out=dresidual_block)
        if dy_rows is not None and dh_rows is not None:
            dresidual = np.add(dh, dresidual, out=dresidual)
        if dy_rows is None:
            dresidual = dh
        # step 19, pass 15: dx = where(uniform_seed >= p, dresidual*p_shifted_2, 0)
        mask = uniform_seed >= p
        dx = np.multiply(dresidual, p_shifted_2, out=dx_block)
        dx = _rows.select(mask, dx, 0.0, out=dx)
        # step 21: dbeta = sum over rows of dy
        if dbeta_out is not None and dy_rows is not None:
            dbeta = _rows.sum_rows(dy)
        if dy_rows is None:
            dresidual_result = _rows.filled(dh, dresidual_block, shape, dtype)
        else:
            dresidual_result = dresidual
        return dx, dresidual_result, dgamma, dbeta

    dx, dresidual_result, dgamma, dbeta = _blocks.each_block(
        block,
        call,
        rows=(h_rows, dy_rows, dh_rows, uniform_seed_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma,),
        into=(dx_out, dresidual_out),
        feature_sums=2,
    )
    if gamma is not None and dy_rows is None:
        dgamma = np.full(features, 0.0, dtype)
    if dbeta_out is not None and dy_rows is None:
        dbeta = np.full(features, 0.0, dtype)
    return dx, dresidual_result, dgamma, dbeta


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    residual_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    beta_dot: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Outputs:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        h_dot = residual_dot + where(uniform_seed >= p, x_dot/(1 - p), 0)
        y_dot = gamma_dot*xhat + beta_dot + rstd*gamma*(h_dot - mean(h_dot) -
            xhat*mean(h_dot*xhat))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        residual_dot: the tangent of residual, in its shape; None stands for zero.
        gamma_dot: the tangent of gamma, in its shape; None stands for zero.
        beta_dot: the tangent of beta, in its shape; None stands for zero.
        out: arrays to write to, as Outputs or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Outputs, the tangents y_dot, h_dot, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, residual_dot, gamma_dot, beta_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    residual_dot: Any,
    gamma_dot: Any,
    beta_dot: Any,
    out: Any,
    threads: Any,
) -> Outputs:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_seed, _of_gamma, _of_beta = saved[2]
    x_dot, residual_dot, gamma_dot, beta_dot = _calls.arrays(
        0,
        x_dot=x_dot,
        residual_dot=residual_dot,
        gamma_dot=gamma_dot,
        beta_dot=beta_dot,
    )
    _calls.check_any("tangent", x_dot, residual_dot, gamma_dot, beta_dot)
    _calls.check_left_out("gamma_dot", gamma_dot, "gamma", _of_gamma)
    _calls.check_left_out("beta_dot", beta_dot, "beta", _of_beta)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _calls.check_shapes(_shape, "the shape of residual", residual_dot=residual_dot)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", gamma_dot=gamma_dot)
    _calls.check_shapes(_shape[-1:], "the shape of beta", beta_dot=beta_dot)
    _read = {
        "x_dot": x_dot,
        "residual_dot": residual_dot,
        "gamma_dot": gamma_dot,
        "beta_dot": beta_dot,
        "saved.h": saved.h,
        "saved.seed": saved.seed,
        "saved.gamma": saved.gamma,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_, h_dot_ = _calls.results(
        out, _read, _by.empty, y_dot=(_shape, _of_x), h_dot=(_shape, _of_x)
    )
    _by.fill(
        (y_dot_, h_dot_),
        _blocks.Work(_shape, _dtype, threads),
        (
            x_dot,
            residual_dot,
            _calls.parameter(gamma_dot, _dtype),
            _calls.parameter(beta_dot, _dtype),
        ),
        (
            saved.h,
            _calls.number(saved.seed, _blocks.INTEGER),
            _calls.parameter(saved.gamma, _dtype),
            saved.p,
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return Outputs(*_calls.returned((y_dot_, h_dot_), out))


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, residual_dot_rows, gamma_dot, beta_dot = arguments
    h_rows, seed, gamma, p, mu_rows, mu_residual_rows, rstd_rows = fields
    y_dot_out, h_dot_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_x_dot_or_residual_dot = x_dot_rows is not None or residual_dot_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # uniform_seed = uniform(seed)
    if x_dot_rows is not None:
        uniform_seed_rows = _random.uniform(seed, 0, call)
    else:
        uniform_seed_rows = None
    if x_dot_rows is not None:
        p = np.asarray(p, dtype)
        # step 22, pass 16: p_shifted_2 = 1/(1 - p)
        p_shifted_2 = np.reciprocal(1.0 - p)

    def block(
        h,
        x_dot,
        residual_dot,
        uniform_seed,
        mu,
        mu_residual,
        rstd,
        gamma_dot_wide,
        gamma_wide,
        beta_dot_wide,
        y_dot_block=None,
        h_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 3, pass 3: h_shifted = h - mu
        if (
            x_dot_rows is not None
            or residual_dot_rows is not None
            or gamma_dot is not None
        ):
            h_shifted = _rows.by_row(np.subtract, h, mu, out=h_dot_block)
            # step 3, pass 5: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
            # step 6: xhat = h_centred*rstd
            xhat = _rows.by_row(np.multiply, h_centred, rstd, out=buffers[0])
        # step 22, pass 17: h_dot = residual_dot + where(uniform_seed >= p,
        #   x_dot*p_shifted_2, 0)
        if x_dot_rows is not None:
            mask = uniform_seed >= p
            h_dot = np.multiply(x_dot, p_shifted_2, out=h_dot_block)
            h_dot = _rows.select(mask, h_dot, 0.0, out=h_dot)
        if x_dot_rows is not None and residual_dot_rows is not None:
            h_dot = np.add(residual_dot, h_dot, out=h_dot)
        if x_dot_rows is None and residual_dot_rows is not None:
            h_dot = residual_dot
        if x_dot_rows is None and residual_dot_rows is None:
            h_dot = 0.0
        # step 31: mean_h_dot = mean(h_dot)
        if with_x_dot_or_residual_dot:
            mean_h_dot = _rows.row_dot(h_dot, one_over_D)
            # step 31: mean_h_dot_xhat = mean(h_dot*xhat)
            mean_h_dot_xhat = _rows.row_dot(h_dot, xhat) / D
        # step 31: y_dot = xhat*gamma_dot + (h_dot - mean_h_dot -
        #   xhat*mean_h_dot_xhat)*rstd*gamma + beta_dot
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=y_dot_block)
        if with_x_dot_or_residual_dot:
            part = _rows.by_row(np.subtract, h_dot, mean_h_dot, out=buffers[1])
            part_2 = np.multiply(xhat, mean_h_dot_xhat, out=xhat)
            part = np.subtract(part, part_2, out=part_2)
        if gamma is not None and (
            x_dot_rows is not None or residual_dot_rows is not None
        ):
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        if with_x_dot_or_residual_dot:
            part = np.multiply(part, rstd, out=part)
        if gamma_dot is not None and (
            x_dot_rows is not None or residual_dot_rows is not None
        ):
            y_dot = np.add(y_dot, part, out=y_dot)
        if gamma_dot is None and (
            x_dot_rows is not None or residual_dot_rows is not None
        ):
            y_dot = part
        if beta_dot is not None and (
            x_dot_rows is not None
            or residual_dot_rows is not None
            or gamma_dot is not None
        ):
            y_dot = _rows.by_feature(np.add, y_dot, beta_dot_wide, out=y_dot_block)
        if x_dot_rows is None:
            h_dot_result = _rows.filled(h_dot, h_dot_block, shape, dtype)
        else:
            h_dot_result = h_dot
        if x_dot_rows is None and residual_dot_rows is None and gamma_dot is None:
            y_dot = _rows.filled(beta_dot, y_dot_block, shape, dtype)
        return y_dot, h_dot_result

    return _blocks.each_block(
        block,
        call,
        rows=(h_rows, x_dot_rows, residual_dot_rows, uniform_seed_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma_dot, gamma, beta_dot),
        into=(y_dot_out, h_dot_out),
        buffers=2,
    )


def backward_backward(
    saved: Saved,
    cotangents: Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddresidual: npt.NDArray[Any] | None = None,
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
        ddh = ddresidual + where(uniform_seed >= p, ddx/(1 - p), 0)
        dg = rstd*(ddh - mean(ddh) - xhat*mean(ddh*xhat))
        d2residual = rstd*(ddgamma*dy + rstd*(mean_g*xhat*mean(ddh) +
            mean(ddh*xhat)*(3*mean_g_xhat*xhat + mean_g - g) - xhat*mean(ddh*g) -
            mean_g_xhat*(ddh - mean(ddh))) - mean(ddgamma*dy) -
            xhat*mean(ddgamma*dy*xhat))
        d2x = where(uniform_seed >= p, d2residual/(1 - p), 0)
        d2gamma = sum_rows(dg*dy)
        d2beta = 0
        ddy = gamma*dg + ddgamma*xhat + ddbeta

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddresidual: the cotangent of dresidual, in its shape; None stands for zero.
        ddgamma: the cotangent of dgamma, in its shape; None stands for zero.
        ddbeta: the cotangent of dbeta, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dresidual is
    d2residual, dgamma is d2gamma, dbeta is d2beta) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    dy_, dh_ = _calls.each_cotangent(cotangents, ("dy", "dh"))
    return _backward_backward(
        _BACKWARD_BACKWARD,
        saved,
        dy_,
        dh_,
        ddx,
        ddresidual,
        ddgamma,
        ddbeta,
        out,
        threads,
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    dh: Any,
    ddx: Any,
    ddresidual: Any,
    ddgamma: Any,
    ddbeta: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_residual, _of_seed, _of_gamma, _of_beta = saved[2]
    dy, dh, ddx, ddresidual, ddgamma, ddbeta = _calls.arrays(
        0, dy=dy, dh=dh, ddx=ddx, ddresidual=ddresidual, ddgamma=ddgamma, ddbeta=ddbeta
    )
    _calls.check_any("cotangent", dy, dh)
    _calls.check_any("cotangent of a gradient", ddx, ddresidual, ddgamma, ddbeta)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", _of_gamma)
    _calls.check_left_out("ddbeta", ddbeta, "beta", _of_beta)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of h", dh=dh)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _calls.check_shapes(_shape, "the shape of residual", ddresidual=ddresidual)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", ddgamma=ddgamma)
    _calls.check_shapes(_shape[-1:], "the shape of beta", ddbeta=ddbeta)
    _read = {
        "cotangents[0]": dy,
        "cotangents[1]": dh,
        "ddx": ddx,
        "ddresidual": ddresidual,
        "ddgamma": ddgamma,
        "ddbeta": ddbeta,
        "saved.h": saved.h,
        "saved.seed": saved.seed,
        "saved.gamma": saved.gamma,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dresidual_, dgamma_, dbeta_, ddy_, ddh_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dresidual=(_shape, _of_residual),
        dgamma=(_shape[-1:], _of_gamma),
        dbeta=(_shape[-1:], _of_beta),
        ddy=(_shape, None if dy is None else dy.dtype),
        ddh=(_shape, None if dh is None else dh.dtype),
    )
    _by.fill(
        (dx_, dresidual_, dgamma_, dbeta_, ddy_, ddh_),
        _blocks.Work(_shape, _dtype, threads),
        (
            dy,
            dh,
            ddx,
            ddresidual,
            _calls.parameter(ddgamma, _dtype),
            _calls.parameter(ddbeta, _dtype),
        ),
        (
            saved.h,
            _calls.number(saved.seed, _blocks.INTEGER),
            _calls.parameter(saved.gamma, _dtype),
            saved.p,
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return SecondGradients(
        *_calls.returned((dx_, dresidual_, dgamma_, dbeta_, ddy_, ddh_), out)
    )


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, dh_rows, ddx_rows, ddresidual_rows, ddgamma, ddbeta = arguments
    h_rows, seed, gamma, p, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dresidual_out, _, dbeta_out, ddy_out, ddh_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_uniform_seed_rows = (
        ddx_rows is not None
        or (dy_rows is not None and ddresidual_rows is not None)
        or (dy_rows is not None and ddgamma is not None)
    )
    with_dy_and_ddgamma = dy_rows is not None and ddgamma is not None
    needs_h_shifted = dy_rows is not None and (
        ddx_rows is not None or ddresidual_rows is not None or ddgamma is not None
    )
    needs_g = (
        gamma is not None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_g_2 = (
        gamma is None
        and dy_rows is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_mean_g = dy_rows is not None and (
        ddx_rows is not None or ddresidual_rows is not None
    )
    needs_d2residual = (
        dy_rows is not None
        and ddgamma is not None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    needs_d2residual_2 = (
        dy_rows is not None
        and ddgamma is None
        and (ddx_rows is not None or ddresidual_rows is not None)
    )
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # uniform_seed = uniform(seed)
    if needs_uniform_seed_rows:
        uniform_seed_rows = _random.uniform(seed, 0, call)
    else:
        uniform_seed_rows = None
    if needs_uniform_seed_rows:
        p = np.asarray(p, dtype)
        # step 37, pass 18: p_shifted_2 = 1/(1 - p)
        p_shifted_2 = np.reciprocal(1.0 - p)
    # step 49: mean_ddgamma_dy = mean(dy*ddgamma)
    if with_dy_and_ddgamma:
        ddgamma_over_D = ddgamma / D

    def block(
        h,
        dy,
        ddx,
        ddresidual,
        uniform_seed,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        ddgamma_wide,
        ddbeta_wide,
        dx_block=None,
        dresidual_block=None,
        ddy_block=None,
        ddh_block=None,
        buffers=(None,) * 5,
    ):
        ddy = ddh_result = d2gamma = None
        # step 49: mean_ddgamma_dy = mean(dy*ddgamma)
        if with_dy_and_ddgamma:
            mean_ddgamma_dy = _rows.row_dot(dy, ddgamma_over_D)
        # step 3, pass 3: h_shifted = h - mu
        if needs_h_shifted:
            h_shifted = _rows.by_row(np.subtract, h, mu, out=dx_block)
            # step 3, pass 5: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
            # step 6: xhat = h_centred*rstd
            xhat = _rows.by_row(np.multiply, h_centred, rstd, out=ddy_block)
        # step 49: mean_ddgamma_dy_xhat = mean(dy*xhat*ddgamma)
        if with_dy_and_ddgamma:
            part = np.multiply(dy, xhat, out=dx_block)
            mean_ddgamma_dy_xhat = _rows.row_dot(part, ddgamma_over_D)
        # step 32: g = dy*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if needs_g_2:
            g = dy
        # step 33: mean_g = mean(g)
        if needs_mean_g:
            mean_g = _rows.row_dot(g, one_over_D)
            # step 34: mean_g_xhat = mean(g*xhat)
            mean_g_xhat = _rows.row_dot(g, xhat) / D
        # step 37, pass 19: ddh = ddresidual + where(uniform_seed >= p, ddx*p_shifted_2,
        #   0)
        if needs_uniform_seed_rows:
            mask = uniform_seed >= p
        if ddx_rows is not None:
            ddh = np.multiply(ddx, p_shifted_2, out=dresidual_block)
            ddh = _rows.select(
                mask, ddh, 0.0, out=_rows.memory(buffers[0], shape, dtype)
            )
        if ddx_rows is not None and ddresidual_rows is not None:
            ddh = np.add(ddresidual, ddh, out=ddh)
        if ddx_rows is None and ddresidual_rows is not None:
            ddh = ddresidual
        if dh_rows is not None and ddx_rows is None and ddresidual_rows is None:
            ddh = 0.0
        # step 56: mean_ddh = mean(ddh)
        if needs_mean_g:
            mean_ddh = _rows.row_dot(ddh, one_over_D)
            # step 56: mean_ddh_xhat = mean(ddh*xhat)
            mean_ddh_xhat = _rows.row_dot(ddh, xhat) / D
            # step 49: mean_ddh_g = mean(ddh*g)
            mean_ddh_g = _rows.row_dot(ddh, g) / D
            # step 49, pass 20: mean_g_xhat_scaled = 3*mean_g_xhat
            mean_g_xhat_scaled = mean_g_xhat * 3.0
            # step 49, pass 21: mean_ddh_scaled = mean_ddh*mean_g
            mean_ddh_scaled = mean_ddh * mean_g
            # step 56: dg = (ddh - mean_ddh - xhat*mean_ddh_xhat)*rstd
            part_2 = _rows.by_row(np.subtract, ddh, mean_ddh, out=dresidual_block)
            dg = _rows.by_row(np.multiply, xhat, mean_ddh_xhat, out=buffers[1])
            dg = np.subtract(part_2, dg, out=dg)
            dg = np.multiply(dg, rstd, out=dg)
        # step 57: d2gamma = sum over rows of dg*dy
        if needs_g:
            part_3 = np.multiply(dg, dy, out=buffers[2])
            d2gamma = _rows.sum_rows(part_3)
        # step 49, pass 22: d2residual = (dy*ddgamma + (xhat*mean_ddh_scaled +
        #   (xhat*mean_g_xhat_scaled + mean_g - g)*mean_ddh_xhat - xhat*mean_ddh_g -
        #   (ddh - mean_ddh)*mean_g_xhat)*rstd - mean_ddgamma_dy -
        #   xhat*mean_ddgamma_dy_xhat)*rstd
        if with_dy_and_ddgamma:
            d2residual = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[2])
        if needs_mean_g:
            part_4 = _rows.by_row(np.multiply, xhat, mean_ddh_scaled, out=buffers[3])
            part_5 = _rows.by_row(np.multiply, xhat, mean_g_xhat_scaled, out=buffers[4])
            part_5 = np.add(part_5, mean_g, out=part_5)
            part_5 = np.subtract(part_5, g, out=dx_block)
            part_5 = np.multiply(part_5, mean_ddh_xhat, out=part_5)
            part_4 = np.add(part_4, part_5, out=part_5)
            part_6 = _rows.by_row(np.multiply, xhat, mean_ddh_g, out=buffers[3])
            part_4 = np.subtract(part_4, part_6, out=part_4)
            part_7 = np.multiply(part_2, mean_g_xhat, out=part_2)
            part_4 = np.subtract(part_4, part_7, out=part_4)
            part_4 = np.multiply(part_4, rstd, out=part_4)
        if needs_d2residual:
            d2residual = np.add(d2residual, part_4, out=part_4)
        if needs_d2residual_2:
            d2residual = part_4
        if with_dy_and_ddgamma:
            d2residual = np.subtract(d2residual, mean_ddgamma_dy, out=dx_block)
            part_8 = _rows.by_row(
                np.multiply, xhat, mean_ddgamma_dy_xhat, out=dresidual_block
            )
            d2residual = np.subtract(d2residual, part_8, out=d2residual)
        if needs_h_shifted:
            d2residual = _rows.by_row(
                np.multiply, d2residual, rstd, out=dresidual_block
            )
            # step 50, pass 23: d2x = where(uniform_seed >= p, d2residual*p_shifted_2,
            #   0)
            d2x = np.multiply(d2residual, p_shifted_2, out=dx_block)
            d2x = _rows.select(mask, d2x, 0.0, out=d2x)
        # step 62: ddy = xhat*ddgamma + dg*gamma + ddbeta
        if with_dy_and_ddgamma:
            ddy = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=xhat)
        if needs_g:
            part_9 = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if needs_g_2:
            part_9 = dg
        if needs_d2residual:
            ddy = np.add(ddy, part_9, out=ddy)
        if needs_d2residual_2:
            ddy = part_9
        if (
            dy_rows is not None
            and ddbeta is not None
            and (
                ddx_rows is not None
                or ddresidual_rows is not None
                or ddgamma is not None
            )
        ):
            ddy = _rows.by_feature(np.add, ddy, ddbeta_wide, out=ddy_block)
        if dh_rows is not None and ddx_rows is None:
            ddh_result = _rows.filled(ddh, ddh_block, shape, dtype)
        if dh_rows is not None and ddx_rows is not None:
            ddh_result = ddh
        if dy_rows is None or (
            ddx_rows is None and ddresidual_rows is None and ddgamma is None
        ):
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
            dresidual = _rows.filled(0.0, dresidual_block, shape, dtype)
        else:
            dresidual = d2residual
        if (
            dy_rows is not None
            and ddx_rows is None
            and ddresidual_rows is None
            and ddgamma is None
        ):
            ddy = _rows.filled(ddbeta, ddy_block, shape, dtype)
        return d2x, dresidual, ddy, ddh_result, d2gamma

    d2x, dresidual, ddy, ddh_result, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(h_rows, dy_rows, ddx_rows, ddresidual_rows, uniform_seed_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, ddgamma, ddbeta),
        into=(dx_out, dresidual_out, ddy_out, ddh_out),
        buffers=5,
        feature_sums=1,
    )
    if gamma is not None and (
        dy_rows is None or (ddx_rows is None and ddresidual_rows is None)
    ):
        d2gamma = np.full(features, 0.0, dtype)
    if dbeta_out is not None:
        dbeta = np.full(features, 0.0, dtype)
    else:
        dbeta = None
    return d2x, dresidual, d2gamma, dbeta, ddy, ddh_result


def saved_from(
    *,
    h: npt.NDArray[Any],
    seed: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    p: float,
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
    fields_ = (h, seed, gamma, p, mu, mu_residual, rstd)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, h, seed, gamma, p, mu, mu_residual, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "dropout_add_layer_norm")
    _calls.check_first_fields(saved, (True, True, True, False, False))
    _calls.check_number("seed", saved.seed)
    _calls.check_number("p", saved.p)
    _shape = saved.shape
    _calls.check_kept(_shape, h=saved.h)
    _calls.check_kept(_shape[-1:], saved.dtypes[3] is not None, gamma=saved.gamma)
    _calls.check_kept(
        _shape[:-1], mu=saved.mu, mu_residual=saved.mu_residual, rstd=saved.rstd
    )


INTERFACE: _interface.Interface = {
    "name": "dropout_add_layer_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("residual", "Row"),
        _interface.given("seed", 'Int[""]', draws=True),
        _interface.given("gamma", "Feature", default=1),
        _interface.given("beta", "Feature", default=0),
    ],
    "constants": [
        _interface.constant("p", default=0.1, sign="nonnegative"),
        _interface.constant("eps", default=1e-5, sign="nonnegative"),
    ],
    "outputs": [_interface.output("y", "Row"), _interface.output("h", "Row")],
    "saved": [
        _interface.saved("h", "output", ["...", "D"]),
        _interface.saved("seed", "input", []),
        _interface.saved("gamma", "input", ["D"]),
        _interface.saved("p", "constant", []),
        _interface.saved("mu", "row scalar", ["..."]),
        _interface.saved("mu_residual", "row scalar", ["..."]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("residual"),
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


_Gradients: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[Any]]


class DropoutAddLayerNorm(_modules.NumpyModule):
    """`dropout_add_layer_norm` as an object with the parameters gamma and beta.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        p: a constant, a finite number of 0 or more.
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
        p: float = 0.1,
        eps: float = 1e-5,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype, D=_modules.size("D", D, 1))
        self._parameter("gamma", gamma, (D,), 1)
        self._parameter("beta", beta, (D,), 0)
        self.p = self._constant("p", p, False)
        self.eps = self._constant("eps", eps, False)

    def forward(
        self,
        x: npt.NDArray[Any],
        residual: npt.NDArray[Any],
        seed: npt.NDArray[Any],
        *,
        save: bool = True,
    ) -> Outputs:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        self._check_rows(x=x, residual=residual)
        output, self._saved = self._layer().forward(
            x,
            residual,
            seed,
            self.parameters.get("gamma"),
            self.parameters.get("beta"),
            p=self.p,
            eps=self.eps,
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(
        self, dy: npt.NDArray[Any] | None, dh: npt.NDArray[Any] | None = None
    ) -> _Gradients:
        """Return `(dx, dresidual)`, given the gradient of a loss with respect to the
        output, once for each `forward`. `gradients` then has those of the parameters,
        of this call alone.
        """
        found = self._gradients(dy, dh)
        self.gradients = self._of_parameters(gamma=found.dgamma, beta=found.dbeta)
        return found.dx, found.dresidual
