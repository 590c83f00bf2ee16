# Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
# definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
"""Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.

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

from .._runtime.numpy import axes as _axes
from .._runtime.numpy import blocks as _blocks
from .._runtime.numpy import modules as _modules
from .._runtime.numpy import rows as _rows
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _fields


class Outputs(NamedTuple):
    """Outputs of `forward`."""

    y: npt.NDArray[Any]  # an array with the axes n c ...
    mu: npt.NDArray[Any]  # an array with the axes c
    var: npt.NDArray[Any]  # an array with the axes c


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
    dbeta: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
    dbeta: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any] | None
    ddmu: npt.NDArray[Any] | None
    ddvar: npt.NDArray[Any] | None


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # sizes of the axes n c ...
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    gamma: npt.NDArray[Any] | None  # argument gamma of forward
    mu_saved: npt.NDArray[Any]  # row scalar mu_saved, one per row
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
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]:
    """Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.

        mu = mean(x)
        x_centred = x - mu
        var = mean(x_centred**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*x_centred
        y = gamma*xhat + beta

    Args:
        x: an array with the axes n c ....
        gamma: an array with the axes c. If omitted it is 1, at no cost.
        beta: an array with the axes c. If omitted it is 0, at no cost.
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
) -> tuple[Outputs, Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x, gamma, beta = _calls.arrays(1, x=x, gamma=gamma, beta=beta)
    _sizes = _AXES.sizes((x, gamma, beta))
    _shape = _AXES.row_shape(_sizes)
    _read = {"x": x, "gamma": gamma, "beta": beta}
    _dtypes, _dtype = _calls.types(_read)
    y_, mu_, var_ = _calls.results(
        out,
        _read,
        _by.empty,
        y=(_AXES.shape("y", _sizes), x.dtype),
        mu=(_AXES.shape("mu", _sizes), x.dtype),
        var=(_AXES.shape("var", _sizes), x.dtype),
    )
    mu_saved_ = _by.empty(_shape[:-1], _dtype)
    mu_residual_ = _by.empty(_shape[:-1], _dtype)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_rows = _arranged.target("y", y_)
    _mu_rows = _arranged.target("mu", mu_)
    _var_rows = _arranged.target("var", var_)
    _by.fill(
        (_y_rows, _mu_rows, _var_rows, mu_saved_, mu_residual_, rstd_),
        _arranged.work,
        (
            _arranged.rows("x", x),
            _arranged.rows("gamma", gamma),
            _arranged.rows("beta", beta),
            eps,
        ),
    )
    _arranged.write("y", y_, _y_rows)
    _arranged.write("mu", mu_, _mu_rows)
    _arranged.write("var", var_, _var_rows)
    _shown = Outputs(*_calls.returned((y_, mu_, var_), out))
    _saved = (
        Saved(
            _AXES.flat(_sizes),
            _dtype,
            _dtypes,
            x,
            gamma,
            mu_saved_,
            mu_residual_,
            rstd_,
        )
        if save
        else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, gamma_rows, beta_rows, eps = values
    y_out, mu_out, var_out, mu_saved_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, gamma, beta, y_block=None, row_scalar_buffers=(None,)):
        # step 1: mu = mean(x)
        mu = _rows.row_dot(x, one_over_D)
        # step 2, pass 2: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=y_block)
        # step 3: var = mean(x_shifted**2)
        var = _rows.row_dot(x_shifted, x_shifted) / D
        # step 2, pass 3: mu_residual = mean(x_shifted) where |mu| > far_from*sqrt(var),
        #   else 0; it is taken off x_shifted in place, and var is put right
        mu_residual = _rows.residual(x_shifted, mu, var, D, far_from, one_over_D)
        # step 2, pass 4: x_centred = x_shifted - mu_residual
        x_centred = x_shifted
        # step 4: rstd = 1/sqrt(var + eps)
        rstd = np.reciprocal(np.sqrt(var + eps))
        # step 6, pass 5: y = x_centred*gamma*rstd + beta
        if gamma_rows is not None:
            part = gamma * rstd
        else:
            part = rstd
        y = np.multiply(x_centred, part, out=x_centred)
        if beta_rows is not None:
            y = np.add(y, beta, out=y)
        mu_saved = _rows.filled(mu, row_scalar_buffers[0], (*shape[:-1], 1), dtype)
        return (
            y,
            mu[..., 0],
            var[..., 0],
            mu_saved[..., 0],
            mu_residual[..., 0],
            rstd[..., 0],
        )

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(gamma_rows, beta_rows),
        into=(y_out,),
        into_row_scalars=(mu_out, var_out, mu_saved_out, mu_residual_out, rstd_out),
        row_scalar_buffers=1,
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dmu: npt.NDArray[Any] | None = None,
    dvar: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = gamma*dy
        dx = 2*dvar*x_centred/D + dmu/D + rstd*(g - mean(g) - xhat*mean(g*xhat))
        dgamma = sum(dy*xhat)
        dbeta = sum(dy)

    Args:
        saved: the second result of `forward`.
        dy: the cotangent of y, in its shape; None stands for zero.
        dmu: the cotangent of mu, in its shape; None stands for zero.
        dvar: the cotangent of var, in its shape; None stands for zero.
        out: arrays to write to, as Gradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Gradients, each in the shape and type of its input.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _backward(_BACKWARD, saved, dy, dmu, dvar, out, threads)


def _backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    dmu: Any,
    dvar: Any,
    out: Any,
    threads: Any,
) -> Gradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_gamma, _of_beta = saved[2]
    dy, dmu, dvar = _calls.arrays(0, dy=dy, dmu=dmu, dvar=dvar)
    _calls.check_any("cotangent", dy, dmu, dvar)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _calls.check_shapes(_AXES.shape("mu", _sizes), "the shape of mu", dmu=dmu)
    _calls.check_shapes(_AXES.shape("var", _sizes), "the shape of var", dvar=dvar)
    _read = {
        "dy": dy,
        "dmu": dmu,
        "dvar": dvar,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.mu_saved": saved.mu_saved,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dgamma_, dbeta_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dgamma=(_AXES.shape("gamma", _sizes), _of_gamma),
        dbeta=(_AXES.shape("beta", _sizes), _of_beta),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _dgamma_rows = _arranged.target("gamma", dgamma_)
    _dbeta_rows = _arranged.target("beta", dbeta_)
    _by.fill(
        (_dx_rows, _dgamma_rows, _dbeta_rows),
        _arranged.work,
        (
            _arranged.rows("y", dy),
            _arranged.rows("mu", dmu),
            _arranged.rows("var", dvar),
        ),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("gamma", saved.gamma),
            saved.mu_saved,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    _arranged.write("gamma", dgamma_, _dgamma_rows)
    _arranged.write("beta", dbeta_, _dbeta_rows)
    return Gradients(*_calls.returned((dx_, dgamma_, dbeta_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_rows, dmu_rows, dvar_rows = arguments
    x_rows, gamma_rows, mu_saved_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dgamma_out, dbeta_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_gamma_and_dy = gamma_rows is not None and dy_rows is not None
    with_dy_without_gamma = gamma_rows is None and dy_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 18, pass 11: dvar_scaled = 2*dvar/D
    if dvar_rows is not None:
        part = 2.0 / D

    def block(
        x,
        dy,
        gamma,
        dmu,
        dvar,
        mu_saved,
        mu_residual,
        rstd,
        dx_block=None,
        buffers=(None,) * 2,
        row_scalar_buffers=(None,) * 2,
    ):
        dgamma = dbeta = None
        # step 18, pass 10: dmu_scaled = dmu/D
        if dmu_rows is not None:
            dmu_scaled = dmu / D
        # step 18, pass 11: dvar_scaled = 2*dvar/D
        if dvar_rows is not None:
            dvar_scaled = dvar * part
        # step 18, pass 13: mean_g_unscaled = mean(dy)
        if dy_rows is not None:
            mean_g_unscaled = _rows.row_dot(dy, one_over_D)
        # step 2, pass 12: x_shifted = x - mu_saved
        if dy_rows is not None or dvar_rows is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu_saved, out=buffers[0])
            # step 2, pass 4: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 18, pass 14: mean_g_xhat_unscaled_unscaled = mean(dy*x_centred)
        if dy_rows is not None:
            mean_g_xhat_unscaled_unscaled = _rows.row_dot(dy, x_centred) / D
            # step 18, pass 15: mean_g_xhat_unscaled =
            #   mean_g_xhat_unscaled_unscaled*rstd
            mean_g_xhat_unscaled = mean_g_xhat_unscaled_unscaled * rstd
        # step 18, pass 16: mean_g = gamma*mean_g_unscaled
        if with_gamma_and_dy:
            mean_g = gamma * mean_g_unscaled
        if with_dy_without_gamma:
            mean_g = mean_g_unscaled
        # step 18, pass 17: mean_g_xhat = gamma*mean_g_xhat_unscaled
        if with_gamma_and_dy:
            mean_g_xhat = gamma * mean_g_xhat_unscaled
        if with_dy_without_gamma:
            mean_g_xhat = mean_g_xhat_unscaled
        # step 19, pass 18: dgamma = mean_g_xhat_unscaled*D
        if with_gamma_and_dy:
            dgamma = mean_g_xhat_unscaled * D
        # step 20, pass 19: dbeta = mean_g_unscaled*D
        if dbeta_out is not None and dy_rows is not None:
            dbeta = mean_g_unscaled * D
        # step 7: g = dy*gamma
        if with_gamma_and_dy:
            g = _rows.by_row(np.multiply, dy, gamma, out=buffers[1])
        if with_dy_without_gamma:
            g = dy
        # step 18, pass 20: dx = x_centred*dvar_scaled + (g - mean_g -
        #   x_centred*mean_g_xhat*rstd)*rstd + dmu_scaled
        if dvar_rows is not None:
            dx = _rows.by_row(np.multiply, x_centred, dvar_scaled, out=dx_block)
        if dy_rows is not None:
            part_2 = np.subtract(g, mean_g, out=buffers[1])
            part_3 = np.multiply(x_centred, mean_g_xhat * rstd, out=x_centred)
            part_2 = np.subtract(part_2, part_3, out=part_3)
            part_2 = np.multiply(part_2, rstd, out=part_2)
        if dy_rows is not None and dvar_rows is not None:
            dx = np.add(dx, part_2, out=dx)
        if dy_rows is not None and dvar_rows is None:
            dx = part_2
        if dmu_rows is not None and (dy_rows is not None or dvar_rows is not None):
            dx = np.add(dx, dmu_scaled, out=dx_block)
        if gamma_rows is not None and dy_rows is None:
            dgamma = _rows.filled(0.0, row_scalar_buffers[0], (*shape[:-1], 1), dtype)
        if dbeta_out is not None and dy_rows is None:
            dbeta = _rows.filled(0.0, row_scalar_buffers[1], (*shape[:-1], 1), dtype)
        if dy_rows is None and dvar_rows is None:
            dx = _rows.filled(dmu_scaled, dx_block, shape, dtype)
        if gamma_rows is not None:
            dgamma = dgamma[..., 0]
        if dbeta_out is not None:
            dbeta = dbeta[..., 0]
        return dx, dgamma, dbeta

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(
            gamma_rows,
            dmu_rows,
            dvar_rows,
            mu_saved_rows,
            mu_residual_rows,
            rstd_rows,
        ),
        into=(dx_out,),
        into_row_scalars=(dgamma_out, dbeta_out),
        buffers=2,
        row_scalar_buffers=2,
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    beta_dot: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Outputs:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        mu_dot = mean(x_dot)
        x_centred_dot = x_dot - mu_dot
        var_dot = mean(2*x_centred*x_centred_dot)
        rstd_dot = -rstd**3*var_dot/2
        xhat_dot = rstd_dot*x_centred + rstd*x_centred_dot
        y_dot = gamma*xhat_dot + gamma_dot*xhat + beta_dot

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        gamma_dot: the tangent of gamma, in its shape; None stands for zero.
        beta_dot: the tangent of beta, in its shape; None stands for zero.
        out: arrays to write to, as Outputs or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Outputs, the tangents y_dot, mu_dot, var_dot, in the shape and type of the output.

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
) -> Outputs:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_gamma, _of_beta = saved[2]
    x_dot, gamma_dot, beta_dot = _calls.arrays(
        0, x_dot=x_dot, gamma_dot=gamma_dot, beta_dot=beta_dot
    )
    _calls.check_any("tangent", x_dot, gamma_dot, beta_dot)
    _calls.check_left_out("gamma_dot", gamma_dot, "gamma", _of_gamma)
    _calls.check_left_out("beta_dot", beta_dot, "beta", _of_beta)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", x_dot=x_dot)
    _calls.check_shapes(
        _AXES.shape("gamma", _sizes), "the shape of gamma", gamma_dot=gamma_dot
    )
    _calls.check_shapes(
        _AXES.shape("beta", _sizes), "the shape of beta", beta_dot=beta_dot
    )
    _read = {
        "x_dot": x_dot,
        "gamma_dot": gamma_dot,
        "beta_dot": beta_dot,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.mu_saved": saved.mu_saved,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_, mu_dot_, var_dot_ = _calls.results(
        out,
        _read,
        _by.empty,
        y_dot=(_AXES.shape("y", _sizes), _of_x),
        mu_dot=(_AXES.shape("mu", _sizes), _of_x),
        var_dot=(_AXES.shape("var", _sizes), _of_x),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_dot_rows = _arranged.target("y", y_dot_)
    _mu_dot_rows = _arranged.target("mu", mu_dot_)
    _var_dot_rows = _arranged.target("var", var_dot_)
    _by.fill(
        (_y_dot_rows, _mu_dot_rows, _var_dot_rows),
        _arranged.work,
        (
            _arranged.rows("x", x_dot),
            _arranged.rows("gamma", gamma_dot),
            _arranged.rows("beta", beta_dot),
        ),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("gamma", saved.gamma),
            saved.mu_saved,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    _arranged.write("y", y_dot_, _y_dot_rows)
    _arranged.write("mu", mu_dot_, _mu_dot_rows)
    _arranged.write("var", var_dot_, _var_dot_rows)
    return Outputs(*_calls.returned((y_dot_, mu_dot_, var_dot_), out))


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, gamma_dot_rows, beta_dot_rows = arguments
    x_rows, gamma_rows, _, mu_residual_rows, rstd_rows = fields
    y_dot_out, mu_dot_out, var_dot_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_x_dot_or_gamma_dot = x_dot_rows is not None or gamma_dot_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)

    def block(
        x,
        x_dot,
        gamma,
        gamma_dot,
        beta_dot,
        mu_residual,
        rstd,
        y_dot_block=None,
        buffers=(None,) * 2,
        row_scalar_buffers=(None,) * 2,
    ):
        # step 1: mu = mean(x)
        if with_x_dot_or_gamma_dot:
            mu = _rows.row_dot(x, one_over_D)
        # step 21: mu_dot = mean(x_dot)
        if x_dot_rows is not None:
            mu_dot = _rows.row_dot(x_dot, one_over_D)
        # step 2, pass 2: x_shifted = x - mu
        if with_x_dot_or_gamma_dot:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=buffers[0])
            # step 2, pass 4: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 22: x_centred_dot = x_dot - mu_dot
        if x_dot_rows is not None:
            x_centred_dot = _rows.by_row(np.subtract, x_dot, mu_dot, out=y_dot_block)
            # step 23: var_dot = mean(2*x_centred*x_centred_dot)
            part = np.multiply(x_centred, x_centred_dot, out=buffers[1])
            part = np.multiply(part, 2.0, out=part)
            var_dot = _rows.row_dot(part, one_over_D)
            # step 25: rstd_dot = -rstd**3*var_dot/2
            rstd_dot = np.square(rstd) * rstd * var_dot * -0.5
            # step 26: xhat_dot = x_centred_dot*rstd + x_centred*rstd_dot
            xhat_dot = np.multiply(x_centred_dot, rstd, out=x_centred_dot)
            part_2 = _rows.by_row(np.multiply, x_centred, rstd_dot, out=buffers[1])
            xhat_dot = np.add(xhat_dot, part_2, out=xhat_dot)
        # step 27, pass 23: y_dot = xhat_dot*gamma + x_centred*gamma_dot*rstd + beta_dot
        if gamma_rows is not None and x_dot_rows is not None:
            y_dot = np.multiply(xhat_dot, gamma, out=xhat_dot)
        if gamma_rows is None and x_dot_rows is not None:
            y_dot = xhat_dot
        if gamma_dot_rows is not None:
            part_3 = np.multiply(x_centred, gamma_dot * rstd, out=x_centred)
        if x_dot_rows is not None and gamma_dot_rows is not None:
            y_dot = np.add(y_dot, part_3, out=y_dot)
        if x_dot_rows is None and gamma_dot_rows is not None:
            y_dot = part_3
        if beta_dot_rows is not None and (
            x_dot_rows is not None or gamma_dot_rows is not None
        ):
            y_dot = np.add(y_dot, beta_dot, out=y_dot_block)
        if x_dot_rows is None:
            mu_dot_result = _rows.filled(
                0.0, row_scalar_buffers[0], (*shape[:-1], 1), dtype
            )
        else:
            mu_dot_result = mu_dot
        if x_dot_rows is None:
            var_dot_result = _rows.filled(
                0.0, row_scalar_buffers[1], (*shape[:-1], 1), dtype
            )
        else:
            var_dot_result = var_dot
        if x_dot_rows is None and gamma_dot_rows is None:
            y_dot = _rows.filled(beta_dot, y_dot_block, shape, dtype)
        return y_dot, mu_dot_result[..., 0], var_dot_result[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(
            gamma_rows,
            gamma_dot_rows,
            beta_dot_rows,
            mu_residual_rows,
            rstd_rows,
        ),
        into=(y_dot_out,),
        into_row_scalars=(mu_dot_out, var_dot_out),
        buffers=2,
        row_scalar_buffers=2,
    )


def backward_backward(
    saved: Saved,
    cotangents: Sequence[npt.NDArray[Any] | None],
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
        mean_dy_xhat = mean(dy*xhat)
        mean_dy = mean(dy)
        dg = rstd*(ddx - mean(ddx) - xhat*mean(ddx*xhat))
        d2x = ddgamma*rstd*dy + mean_g*rstd**2*xhat*mean(ddx) + (2*dvar/D -
            mean_g_xhat*rstd**2)*(ddx - mean(ddx)) +
            rstd**2*mean(ddx*xhat)*(3*mean_g_xhat*xhat + mean_g - g) -
            ddgamma*mean_dy*rstd - ddgamma*mean_dy_xhat*rstd*xhat -
            rstd**2*xhat*mean(ddx*g)
        d2gamma = sum(dg*dy)
        d2beta = 0
        ddy = gamma*dg + ddgamma*xhat + ddbeta
        ddmu = mean(ddx)
        ddvar = 2*mean(ddx*xhat)/rstd

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list.
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
    dy_, dmu_, dvar_ = _calls.each_cotangent(cotangents, ("dy", "dmu", "dvar"))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, dmu_, dvar_, ddx, ddgamma, ddbeta, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    dmu: Any,
    dvar: Any,
    ddx: Any,
    ddgamma: Any,
    ddbeta: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_gamma, _of_beta = saved[2]
    dy, dmu, dvar, ddx, ddgamma, ddbeta = _calls.arrays(
        0, dy=dy, dmu=dmu, dvar=dvar, ddx=ddx, ddgamma=ddgamma, ddbeta=ddbeta
    )
    _calls.check_any("cotangent", dy, dmu, dvar)
    _calls.check_any("cotangent of a gradient", ddx, ddgamma, ddbeta)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", _of_gamma)
    _calls.check_left_out("ddbeta", ddbeta, "beta", _of_beta)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _calls.check_shapes(_AXES.shape("mu", _sizes), "the shape of mu", dmu=dmu)
    _calls.check_shapes(_AXES.shape("var", _sizes), "the shape of var", dvar=dvar)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", ddx=ddx)
    _calls.check_shapes(
        _AXES.shape("gamma", _sizes), "the shape of gamma", ddgamma=ddgamma
    )
    _calls.check_shapes(_AXES.shape("beta", _sizes), "the shape of beta", ddbeta=ddbeta)
    _read = {
        "cotangents[0]": dy,
        "cotangents[1]": dmu,
        "cotangents[2]": dvar,
        "ddx": ddx,
        "ddgamma": ddgamma,
        "ddbeta": ddbeta,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.mu_saved": saved.mu_saved,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dgamma_, dbeta_, ddy_, ddmu_, ddvar_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dgamma=(_AXES.shape("gamma", _sizes), _of_gamma),
        dbeta=(_AXES.shape("beta", _sizes), _of_beta),
        ddy=(_AXES.shape("y", _sizes), None if dy is None else dy.dtype),
        ddmu=(_AXES.shape("mu", _sizes), None if dmu is None else dmu.dtype),
        ddvar=(_AXES.shape("var", _sizes), None if dvar is None else dvar.dtype),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _dgamma_rows = _arranged.target("gamma", dgamma_)
    _dbeta_rows = _arranged.target("beta", dbeta_)
    _ddy_rows = _arranged.target("y", ddy_)
    _ddmu_rows = _arranged.target("mu", ddmu_)
    _ddvar_rows = _arranged.target("var", ddvar_)
    _by.fill(
        (_dx_rows, _dgamma_rows, _dbeta_rows, _ddy_rows, _ddmu_rows, _ddvar_rows),
        _arranged.work,
        (
            _arranged.rows("y", dy),
            _arranged.rows("mu", dmu),
            _arranged.rows("var", dvar),
            _arranged.rows("x", ddx),
            _arranged.rows("gamma", ddgamma),
            _arranged.rows("beta", ddbeta),
        ),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("gamma", saved.gamma),
            saved.mu_saved,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    _arranged.write("gamma", dgamma_, _dgamma_rows)
    _arranged.write("beta", dbeta_, _dbeta_rows)
    _arranged.write("y", ddy_, _ddy_rows)
    _arranged.write("mu", ddmu_, _ddmu_rows)
    _arranged.write("var", ddvar_, _ddvar_rows)
    return SecondGradients(
        *_calls.returned((dx_, dgamma_, dbeta_, ddy_, ddmu_, ddvar_), out)
    )


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, dmu_rows, dvar_rows, ddx_rows, ddgamma_rows, ddbeta_rows = arguments
    x_rows, gamma_rows, _, mu_residual_rows, rstd_rows = fields
    dx_out, dgamma_out, dbeta_out, ddy_out, ddmu_out, ddvar_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_dvar_and_ddx = dvar_rows is not None and ddx_rows is not None
    with_dy_and_ddgamma = dy_rows is not None and ddgamma_rows is not None
    needs_mu = (
        (dy_rows is not None and ddx_rows is not None)
        or (dvar_rows is not None and ddx_rows is not None)
        or (dy_rows is not None and ddgamma_rows is not None)
    )
    needs_mean_dy = dy_rows is not None and (
        ddx_rows is not None or ddgamma_rows is not None
    )
    with_gamma_and_dy_and_ddx = (
        gamma_rows is not None and dy_rows is not None and ddx_rows is not None
    )
    with_dy_and_ddx_without_gamma = (
        gamma_rows is None and dy_rows is not None and ddx_rows is not None
    )
    with_dy_and_ddx = dy_rows is not None and ddx_rows is not None
    needs_mean_ddx_xhat_unscaled = ddx_rows is not None and (
        dy_rows is not None or dvar_rows is not None
    )
    with_dy_and_ddx_and_ddgamma = (
        dy_rows is not None and ddx_rows is not None and ddgamma_rows is not None
    )
    with_dy_and_ddx_without_ddgamma = (
        dy_rows is not None and ddx_rows is not None and ddgamma_rows is None
    )
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 48, pass 35: mean_g_xhat_shifted = 2*dvar/D - mean_g_xhat*rstd**2
    if with_dvar_and_ddx:
        part_2 = 2.0 / D

    def block(
        x,
        dy,
        ddx,
        gamma,
        dvar,
        ddgamma,
        ddbeta,
        mu_residual,
        rstd,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 4,
        row_scalar_buffers=(None,) * 4,
    ):
        ddy = d2gamma = dbeta = ddmu = ddvar = None
        # step 48, pass 24: ddgamma_scaled = ddgamma*rstd
        if with_dy_and_ddgamma:
            ddgamma_scaled = ddgamma * rstd
        # step 1: mu = mean(x)
        if needs_mu:
            mu = _rows.row_dot(x, one_over_D)
        # step 32: mean_dy = mean(dy)
        if needs_mean_dy:
            mean_dy = _rows.row_dot(dy, one_over_D)
        # step 54: mean_ddx = mean(ddx)
        if ddx_rows is not None:
            mean_ddx = _rows.row_dot(ddx, one_over_D)
        # step 28: g = dy*gamma
        if with_gamma_and_dy_and_ddx:
            g = _rows.by_row(np.multiply, dy, gamma, out=ddy_block)
        if with_dy_and_ddx_without_gamma:
            g = dy
        # step 48: mean_ddx_g = mean(ddx*g)
        if with_dy_and_ddx:
            mean_ddx_g = _rows.row_dot(ddx, g) / D
        # step 29, pass 25: mean_g = gamma*mean_dy
        if with_gamma_and_dy_and_ddx:
            mean_g = gamma * mean_dy
        if with_dy_and_ddx_without_gamma:
            mean_g = mean_dy
        # step 48, pass 26: mean_ddx_g_scaled = mean_ddx_g*rstd**2
        if with_dy_and_ddx:
            part = np.square(rstd)
            mean_ddx_g_scaled = mean_ddx_g * part
        # step 48, pass 27: mean_dy_scaled = ddgamma*mean_dy*rstd
        if with_dy_and_ddgamma:
            mean_dy_scaled = ddgamma * mean_dy * rstd
        # step 48, pass 28: mean_ddx_scaled = mean_ddx*mean_g*rstd**2
        if with_dy_and_ddx:
            mean_ddx_scaled = mean_ddx * mean_g * part
        # step 2, pass 2: x_shifted = x - mu
        if needs_mu:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=buffers[0])
            # step 2, pass 4: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 31, pass 30: mean_dy_xhat_unscaled = mean(dy*x_centred)
        if needs_mean_dy:
            mean_dy_xhat_unscaled = _rows.row_dot(dy, x_centred) / D
        # step 54, pass 31: mean_ddx_xhat_unscaled = mean(ddx*x_centred)
        if needs_mean_ddx_xhat_unscaled:
            mean_ddx_xhat_unscaled = _rows.row_dot(ddx, x_centred) / D
        # step 31, pass 32: mean_dy_xhat = mean_dy_xhat_unscaled*rstd
        if needs_mean_dy:
            mean_dy_xhat = mean_dy_xhat_unscaled * rstd
        # step 54, pass 33: mean_ddx_xhat = mean_ddx_xhat_unscaled*rstd
        if needs_mean_ddx_xhat_unscaled:
            mean_ddx_xhat = mean_ddx_xhat_unscaled * rstd
        # step 30, pass 34: mean_g_xhat = gamma*mean_dy_xhat
        if with_gamma_and_dy_and_ddx:
            mean_g_xhat = gamma * mean_dy_xhat
        if with_dy_and_ddx_without_gamma:
            mean_g_xhat = mean_dy_xhat
        # step 48, pass 35: mean_g_xhat_shifted = 2*dvar/D - mean_g_xhat*rstd**2
        if with_dvar_and_ddx:
            mean_g_xhat_shifted = dvar * part_2
        if dy_rows is not None and dvar_rows is None and ddx_rows is not None:
            mean_g_xhat_shifted = 0.0
        if with_dy_and_ddx:
            mean_g_xhat_shifted = mean_g_xhat_shifted - mean_g_xhat * part
            # step 48, pass 36: mean_ddx_xhat_scaled = mean_ddx_xhat*rstd**2
            mean_ddx_xhat_scaled = mean_ddx_xhat * part
            # step 48, pass 37: mean_g_xhat_scaled = 3*mean_g_xhat
            mean_g_xhat_scaled = mean_g_xhat * 3.0
        # step 48, pass 38: mean_dy_xhat_scaled = ddgamma*mean_dy_xhat*rstd
        if with_dy_and_ddgamma:
            mean_dy_xhat_scaled = ddgamma * mean_dy_xhat * rstd
        # step 66: ddvar = 2*mean_ddx_xhat/rstd
        if with_dvar_and_ddx:
            ddvar = mean_ddx_xhat * 2.0 / rstd
        # step 55, pass 41: d2gamma_unscaled = sum((ddx - mean_ddx -
        #   x_centred*mean_ddx_xhat*rstd)*dy)
        if needs_mean_ddx_xhat_unscaled:
            part_3 = _rows.by_row(np.subtract, ddx, mean_ddx, out=dx_block)
        if with_dy_and_ddx:
            part_4 = _rows.by_row(
                np.multiply, x_centred, mean_ddx_xhat * rstd, out=buffers[1]
            )
            part_4 = np.subtract(part_3, part_4, out=part_4)
        if with_gamma_and_dy_and_ddx:
            d2gamma_unscaled = _rows.row_dot(part_4, dy)
        # step 48, pass 39: d2x = dy*ddgamma_scaled + x_centred*mean_ddx_scaled*rstd +
        #   (ddx - mean_ddx)*mean_g_xhat_shifted + (x_centred*mean_g_xhat_scaled*rstd +
        #   mean_g - g)*mean_ddx_xhat_scaled - mean_dy_scaled -
        #   x_centred*mean_ddx_g_scaled*rstd - x_centred*mean_dy_xhat_scaled*rstd
        if with_dy_and_ddgamma:
            d2x = _rows.by_row(np.multiply, dy, ddgamma_scaled, out=buffers[2])
        if with_dy_and_ddx:
            part_5 = _rows.by_row(
                np.multiply, x_centred, mean_ddx_scaled * rstd, out=buffers[3]
            )
        if with_dy_and_ddx_and_ddgamma:
            d2x = np.add(d2x, part_5, out=d2x)
        if with_dy_and_ddx_without_ddgamma:
            d2x = part_5
        if needs_mean_ddx_xhat_unscaled:
            part_6 = np.multiply(part_3, mean_g_xhat_shifted, out=part_3)
        if with_dy_and_ddx:
            d2x = np.add(d2x, part_6, out=part_6)
        if dy_rows is None and dvar_rows is not None and ddx_rows is not None:
            d2x = part_6
        if with_dy_and_ddx:
            part_7 = _rows.by_row(
                np.multiply, x_centred, mean_g_xhat_scaled * rstd, out=buffers[2]
            )
            part_7 = np.add(part_7, mean_g, out=part_7)
            part_7 = np.subtract(part_7, g, out=ddy_block)
            part_7 = np.multiply(part_7, mean_ddx_xhat_scaled, out=part_7)
            d2x = np.add(d2x, part_7, out=d2x)
        if with_dy_and_ddgamma:
            d2x = np.subtract(d2x, mean_dy_scaled, out=dx_block)
        if with_dy_and_ddx:
            part_8 = _rows.by_row(
                np.multiply, x_centred, mean_ddx_g_scaled * rstd, out=ddy_block
            )
            d2x = np.subtract(d2x, part_8, out=d2x)
        if with_dy_and_ddgamma:
            part_9 = _rows.by_row(
                np.multiply, x_centred, mean_dy_xhat_scaled * rstd, out=ddy_block
            )
            d2x = np.subtract(d2x, part_9, out=d2x)
            # step 62, pass 40: ddy = x_centred*ddgamma*rstd + (ddx - mean_ddx -
            #   x_centred*mean_ddx_xhat*rstd)*gamma*rstd + ddbeta
            ddy = _rows.by_row(np.multiply, x_centred, ddgamma_scaled, out=ddy_block)
        if with_gamma_and_dy_and_ddx:
            part_10 = gamma * rstd
        if with_dy_and_ddx_without_gamma:
            part_10 = rstd
        if with_dy_and_ddx:
            part_11 = _rows.by_row(np.multiply, part_4, part_10, out=buffers[0])
        if with_dy_and_ddx_and_ddgamma:
            ddy = np.add(ddy, part_11, out=ddy)
        if with_dy_and_ddx_without_ddgamma:
            ddy = part_11
        if (
            dy_rows is not None
            and ddbeta_rows is not None
            and (ddx_rows is not None or ddgamma_rows is not None)
        ):
            ddy = np.add(ddy, ddbeta, out=ddy_block)
        # step 55, pass 42: d2gamma = d2gamma_unscaled*rstd
        if with_gamma_and_dy_and_ddx:
            d2gamma = d2gamma_unscaled * rstd
        if dbeta_out is not None:
            dbeta = _rows.filled(0.0, row_scalar_buffers[0], (*shape[:-1], 1), dtype)
        if dmu_rows is not None and ddx_rows is None:
            ddmu = _rows.filled(0.0, row_scalar_buffers[1], (*shape[:-1], 1), dtype)
        if dmu_rows is not None and ddx_rows is not None:
            ddmu = mean_ddx
        if dvar_rows is not None and ddx_rows is None:
            ddvar = _rows.filled(0.0, row_scalar_buffers[2], (*shape[:-1], 1), dtype)
        if (
            (dy_rows is None and ddx_rows is None)
            or (dy_rows is None and dvar_rows is None)
            or (ddx_rows is None and ddgamma_rows is None)
        ):
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
        if gamma_rows is not None and (dy_rows is None or ddx_rows is None):
            d2gamma = _rows.filled(0.0, row_scalar_buffers[3], (*shape[:-1], 1), dtype)
        if dy_rows is not None and ddx_rows is None and ddgamma_rows is None:
            ddy = _rows.filled(ddbeta, ddy_block, shape, dtype)
        if gamma_rows is not None:
            d2gamma = d2gamma[..., 0]
        if dbeta_out is not None:
            dbeta = dbeta[..., 0]
        if dmu_rows is not None:
            ddmu = ddmu[..., 0]
        if dvar_rows is not None:
            ddvar = ddvar[..., 0]
        return d2x, ddy, d2gamma, dbeta, ddmu, ddvar

    d2x, ddy, d2gamma, dbeta, ddmu, ddvar = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(
            gamma_rows,
            dvar_rows,
            ddgamma_rows,
            ddbeta_rows,
            mu_residual_rows,
            rstd_rows,
        ),
        into=(dx_out, ddy_out),
        into_row_scalars=(dgamma_out, dbeta_out, ddmu_out, ddvar_out),
        buffers=4,
        row_scalar_buffers=4,
    )
    return d2x, d2gamma, dbeta, ddy, ddmu, ddvar


def saved_from(
    *,
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    mu_saved: npt.NDArray[Any],
    mu_residual: npt.NDArray[Any],
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the sizes of the axes n c ....
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (x, gamma, mu_saved, mu_residual, rstd)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, gamma, mu_saved, mu_residual, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "batch_norm")
    _calls.check_first_fields(saved, (True, False, False))
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    _calls.check_kept(
        _AXES.shape("gamma", _sizes), saved.dtypes[1] is not None, gamma=saved.gamma
    )
    _calls.check_kept(
        _shape[:-1],
        mu_saved=saved.mu_saved,
        mu_residual=saved.mu_residual,
        rstd=saved.rstd,
    )
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "batch_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row", pattern=[["n"], ["c"], ["..."]]),
        _interface.given("gamma", "RowScalar", default=1, pattern=[["c"]]),
        _interface.given("beta", "RowScalar", default=0, pattern=[["c"]]),
    ],
    "constants": [_interface.constant("eps", default=1e-5, sign="nonnegative")],
    "outputs": [
        _interface.output("y", "Row"),
        _interface.output("mu", "RowScalar"),
        _interface.output("var", "RowScalar"),
    ],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("gamma", "input", ["..."]),
        _interface.saved("mu_saved", "row scalar", ["..."]),
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
            "torch.nn.modules.batchnorm._BatchNorm",
            {"num_features": "c", "weight": "gamma", "bias": "beta", "eps": "eps"},
            {"training": True, "track_running_stats": True},
            statistics={
                "running_mean": {"of": "mu", "lost": 0},
                "running_var": {"of": "var", "lost": 1},
            },
        ),
        _interface.counterpart(
            "torch.nn.modules.batchnorm._BatchNorm",
            {"num_features": "c", "weight": "gamma", "bias": "beta", "eps": "eps"},
            {"running_mean": None, "running_var": None},
        ),
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
    "layout": {
        "pattern": [["n"], ["c"], ["..."]],
        "features": ["n", "..."],
        "sizes": [],
    },
}

_AXES = _axes.NamedAxes(INTERFACE)
_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class BatchNorm(_modules.NumpyModule):
    """`batch_norm` as an object with the parameters gamma and beta.

    Args:
        c: the size of the axis c.
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
        c: int,
        *,
        gamma: bool = True,
        beta: bool = True,
        eps: float = 1e-5,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype, c=_modules.size("c", c))
        self._parameter("gamma", gamma, (c,), 1)
        self._parameter("beta", beta, (c,), 0)
        self.eps = self._constant("eps", eps, False)

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> Outputs:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
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

    def backward(
        self,
        dy: npt.NDArray[Any] | None,
        dmu: npt.NDArray[Any] | None = None,
        dvar: npt.NDArray[Any] | None = None,
    ) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`. `gradients` then has those of the parameters, of this call
        alone.
        """
        found = self._gradients(dy, dmu, dvar)
        self.gradients = self._of_parameters(gamma=found.dgamma, beta=found.dbeta)
        return found.dx
