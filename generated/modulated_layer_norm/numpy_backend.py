# Made by lngen 0.1.0 from the definition of modulated_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_layer_norm.py and run: lngen derive modulated_layer_norm.py
# definition sha256:c9070b8f8940661be13e2724980af921ddfd8db4bb08a4031340be6ff2a3f068
"""Layer normalization whose output is gated by one number a row.

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
from .._runtime.numpy import rows as _rows
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _fields


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dgate: npt.NDArray[Any] | None
    dgamma: npt.NDArray[Any] | None
    dbeta: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    dgate: npt.NDArray[Any] | None
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
    gate: npt.NDArray[Any] | None  # argument gate of forward
    gamma: npt.NDArray[Any] | None  # argument gamma of forward
    beta: npt.NDArray[Any] | None  # argument beta of forward
    mu: npt.NDArray[Any]  # row scalar mu, one per row
    mu_residual: npt.NDArray[Any]  # row scalar mu_residual, one per row
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    gate: npt.NDArray[Any] | None = None,
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
    gate: npt.NDArray[Any] | None = None,
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
    gate: npt.NDArray[Any] | None = None,
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Layer normalization whose output is gated by one number a row.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = gate*(gamma*xhat + beta)

    Args:
        x: shape (..., D).
        gate: one value per row, shape x.shape[:-1]. If omitted it is 1, at no cost.
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
    return _forward(_FORWARD, x, gate, gamma, beta, eps, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    gate: Any,
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
    x, gate, gamma, beta = _calls.arrays(1, x=x, gate=gate, gamma=gamma, beta=beta)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape[:-1], "the shape of x without its last axis", gate=gate)
    _calls.check_shapes(_shape[-1:], "(D,)", gamma=gamma, beta=beta)
    _read = {"x": x, "gate": gate, "gamma": gamma, "beta": beta}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, x.dtype, _read, _by.empty)
    mu_ = _by.empty(_shape[:-1], _dtype)
    mu_residual_ = _by.empty(_shape[:-1], _dtype)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, mu_, mu_residual_, rstd_),
        _blocks.Work(_shape, _dtype, threads),
        (x, gate, _calls.parameter(gamma, _dtype), _calls.parameter(beta, _dtype), eps),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(_shape, _dtype, _dtypes, x, gate, gamma, beta, mu_, mu_residual_, rstd_)
        if save
        else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, gate_rows, gamma, beta, eps = values
    y_out, mu_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, gate, gamma_wide, beta_wide, y_block=None):
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
        # step 6: y = (xhat*gamma + beta)*gate
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        else:
            y = xhat
        if beta is not None:
            y = _rows.by_feature(np.add, y, beta_wide, out=y)
        if gate_rows is not None:
            y = np.multiply(y, gate, out=y)
        return y, mu[..., 0], mu_residual[..., 0], rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(gate_rows,),
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

        g = gate*gamma*dy
        dx = rstd*(g - mean(g) - xhat*mean(g*xhat))
        dgate = sum(dy*(gamma*xhat + beta))
        dgamma = sum_rows(gate*dy*xhat)
        dbeta = sum_rows(gate*dy)

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
    _of_x, _of_gate, _of_gamma, _of_beta = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.gate": saved.gate,
        "saved.gamma": saved.gamma,
        "saved.beta": saved.beta,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dgate_, dgamma_, dbeta_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dgate=(_shape[:-1], _of_gate),
        dgamma=(_shape[-1:], _of_gamma),
        dbeta=(_shape[-1:], _of_beta),
    )
    _by.fill(
        (dx_, dgate_, dgamma_, dbeta_),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (
            saved.x,
            saved.gate,
            _calls.parameter(saved.gamma, _dtype),
            _calls.parameter(saved.beta, _dtype),
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return Gradients(*_calls.returned((dx_, dgate_, dgamma_, dbeta_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gate_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dgate_out, _, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        dy,
        gate,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        beta_wide,
        dx_block=None,
        buffers=(None,),
        row_scalar_buffers=(None,),
    ):
        dgate = dbeta = dgamma = None
        if gate_rows is not None:
            gate_value = gate
        # step 20: dbeta = sum over rows of dy*gate
        if gate_rows is None and (gamma is not None or beta is not None):
            part = _rows.filled(1.0, row_scalar_buffers[0], (*shape[:-1], 1), dtype)
        if gate_rows is not None and (gamma is not None or beta is not None):
            part = gate_value
        if beta is not None:
            dbeta = _rows.sum_rows(dy, part)
        # step 2, pass 1: x_shifted = x - mu
        x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
        # step 2, pass 3: x_centred = x_shifted - mu_residual
        x_centred = _rows.less_residual(x_shifted, mu_residual)
        # step 5: xhat = x_centred*rstd
        xhat = np.multiply(x_centred, rstd, out=x_centred)
        # step 19: dgamma = sum over rows of dy*xhat*gate
        if gamma is not None:
            part_2 = np.multiply(dy, xhat, out=buffers[0])
            dgamma = _rows.sum_rows(part_2, part)
        # step 18: dgate = sum((xhat*gamma + beta)*dy)
        if gate_rows is not None and gamma is not None:
            part_3 = _rows.by_feature(np.multiply, xhat, gamma_wide, out=buffers[0])
        if gate_rows is not None and gamma is None:
            part_3 = xhat
        if gate_rows is not None and beta is not None:
            part_3 = _rows.by_feature(np.add, part_3, beta_wide, out=buffers[0])
        if gate_rows is not None:
            dgate = _rows.row_dot(part_3, dy)
        # step 7: g = dy*gate*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[0])
        else:
            g = dy
        if gate_rows is not None:
            g = np.multiply(g, gate_value, out=buffers[0])
        # step 17: mean_g = mean(g)
        mean_g = _rows.row_dot(g, one_over_D)
        # step 17: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _rows.row_dot(g, xhat) / D
        # step 17: dx = (g - mean_g - xhat*mean_g_xhat)*rstd
        dx = np.subtract(g, mean_g, out=buffers[0])
        part_4 = np.multiply(xhat, mean_g_xhat, out=xhat)
        dx = np.subtract(dx, part_4, out=part_4)
        dx = np.multiply(dx, rstd, out=dx)
        if gate_rows is not None:
            dgate = dgate[..., 0]
        return dx, dgate, dbeta, dgamma

    dx, dgate, dbeta, dgamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(gate_rows, mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, beta),
        into=(dx_out,),
        into_row_scalars=(dgate_out,),
        buffers=1,
        row_scalar_buffers=1,
        feature_sums=2,
    )
    return dx, dgate, dgamma, dbeta


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    gate_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    beta_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = gate_dot*(gamma*xhat + beta) + gate*(gamma_dot*xhat + beta_dot +
            rstd*gamma*(x_dot - mean(x_dot) - xhat*mean(x_dot*xhat)))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        gate_dot: the tangent of gate, in its shape; None stands for zero.
        gamma_dot: the tangent of gamma, in its shape; None stands for zero.
        beta_dot: the tangent of beta, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, gate_dot, gamma_dot, beta_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    gate_dot: Any,
    gamma_dot: Any,
    beta_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_gate, _of_gamma, _of_beta = saved[2]
    x_dot, gate_dot, gamma_dot, beta_dot = _calls.arrays(
        0, x_dot=x_dot, gate_dot=gate_dot, gamma_dot=gamma_dot, beta_dot=beta_dot
    )
    _calls.check_any("tangent", x_dot, gate_dot, gamma_dot, beta_dot)
    _calls.check_left_out("gate_dot", gate_dot, "gate", _of_gate)
    _calls.check_left_out("gamma_dot", gamma_dot, "gamma", _of_gamma)
    _calls.check_left_out("beta_dot", beta_dot, "beta", _of_beta)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _calls.check_shapes(_shape[:-1], "the shape of gate", gate_dot=gate_dot)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", gamma_dot=gamma_dot)
    _calls.check_shapes(_shape[-1:], "the shape of beta", beta_dot=beta_dot)
    _read = {
        "x_dot": x_dot,
        "gate_dot": gate_dot,
        "gamma_dot": gamma_dot,
        "beta_dot": beta_dot,
        "saved.x": saved.x,
        "saved.gate": saved.gate,
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
            gate_dot,
            _calls.parameter(gamma_dot, _dtype),
            _calls.parameter(beta_dot, _dtype),
        ),
        (
            saved.x,
            saved.gate,
            _calls.parameter(saved.gamma, _dtype),
            _calls.parameter(saved.beta, _dtype),
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, gate_dot_rows, gamma_dot, beta_dot = arguments
    x_rows, gate_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        x_dot,
        gate,
        gate_dot,
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
        # step 30: mean_x_dot = mean(x_dot)
        if x_dot_rows is not None:
            mean_x_dot = _rows.row_dot(x_dot, one_over_D)
        # step 2, pass 1: x_shifted = x - mu
        if x_dot_rows is not None or gate_dot_rows is not None or gamma_dot is not None:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=y_dot_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=buffers[0])
        # step 30: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_dot(x_dot, xhat) / D
        # step 30: y_dot = (xhat*gamma + beta)*gate_dot + (xhat*gamma_dot + (x_dot -
        #   mean_x_dot - xhat*mean_x_dot_xhat)*rstd*gamma + beta_dot)*gate
        if gamma is not None and gate_dot_rows is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_wide, out=y_dot_block)
        if gamma is None and gate_dot_rows is not None:
            y_dot = xhat
        if beta is not None and gate_dot_rows is not None:
            y_dot = _rows.by_feature(np.add, y_dot, beta_wide, out=y_dot_block)
        if gate_dot_rows is not None:
            y_dot = np.multiply(y_dot, gate_dot, out=y_dot_block)
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
            part = _rows.by_feature(np.add, part, beta_dot_wide, out=buffers[0])
        if x_dot_rows is None and gamma_dot is None and beta_dot is not None:
            part = beta_dot
        if gate_rows is not None and (
            x_dot_rows is not None or gamma_dot is not None or beta_dot is not None
        ):
            part = np.multiply(part, gate, out=buffers[0])
        if gate_dot_rows is not None and (
            x_dot_rows is not None or gamma_dot is not None or beta_dot is not None
        ):
            y_dot = np.add(y_dot, part, out=y_dot)
        if gate_dot_rows is None:
            y_dot = part
        if gate_rows is None and x_dot_rows is None and gamma_dot is None:
            y_dot = _rows.filled(beta_dot, y_dot_block, shape, dtype)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(gate_rows, gate_dot_rows, mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, beta, gamma_dot, beta_dot),
        into=(y_dot_out,),
        buffers=3,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddgate: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    ddbeta: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = gate*gamma*dy
        mean_g = mean(g)
        mean_g_xhat = mean(g*xhat)
        dmean_product = D*ddgate
        dmean_g_xhat = sum(-rstd*ddx*xhat)
        dmean_g = sum(-rstd*ddx)
        dg = rstd*ddx + dmean_g_xhat*xhat/D + dmean_g/D
        d2xhat = gate*ddgamma*dy + dmean_g_xhat*g/D + dmean_product*gamma*dy/D -
            mean_g_xhat*rstd*ddx
        d2rstd = sum(d2xhat*x_centred) + sum(ddx*(g - mean_g - mean_g_xhat*xhat))
        d2var = -d2rstd*rstd**3/2
        d2x_centred = rstd*d2xhat + 2*d2var*x_centred/D
        d2mu = sum(-d2x_centred)
        d2x = d2x_centred + d2mu/D
        d2gate = sum(ddbeta*dy) + sum(gamma*dg*dy) + sum(ddgamma*dy*xhat)
        d2gamma = sum_rows(dy*(gate*dg + dmean_product*xhat/D))
        d2beta = sum_rows(dmean_product*dy)/D
        ddy = gate*ddbeta + gate*gamma*dg + gate*ddgamma*xhat +
            dmean_product*(gamma*xhat + beta)/D

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddgate: the cotangent of dgate, in its shape; None stands for zero.
        ddgamma: the cotangent of dgamma, in its shape; None stands for zero.
        ddbeta: the cotangent of dbeta, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dgate is d2gate,
    dgamma is d2gamma, dbeta is d2beta) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddx, ddgate, ddgamma, ddbeta, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddgate: Any,
    ddgamma: Any,
    ddbeta: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_gate, _of_gamma, _of_beta = saved[2]
    dy, ddx, ddgate, ddgamma, ddbeta = _calls.arrays(
        1, dy=dy, ddx=ddx, ddgate=ddgate, ddgamma=ddgamma, ddbeta=ddbeta
    )
    _calls.check_any("cotangent of a gradient", ddx, ddgate, ddgamma, ddbeta)
    _calls.check_left_out("ddgate", ddgate, "gate", _of_gate)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", _of_gamma)
    _calls.check_left_out("ddbeta", ddbeta, "beta", _of_beta)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _calls.check_shapes(_shape[:-1], "the shape of gate", ddgate=ddgate)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", ddgamma=ddgamma)
    _calls.check_shapes(_shape[-1:], "the shape of beta", ddbeta=ddbeta)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddgate": ddgate,
        "ddgamma": ddgamma,
        "ddbeta": ddbeta,
        "saved.x": saved.x,
        "saved.gate": saved.gate,
        "saved.gamma": saved.gamma,
        "saved.beta": saved.beta,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dgate_, dgamma_, dbeta_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dgate=(_shape[:-1], _of_gate),
        dgamma=(_shape[-1:], _of_gamma),
        dbeta=(_shape[-1:], _of_beta),
        ddy=(_shape, dy.dtype),
    )
    _by.fill(
        (dx_, dgate_, dgamma_, dbeta_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (
            dy,
            ddx,
            ddgate,
            _calls.parameter(ddgamma, _dtype),
            _calls.parameter(ddbeta, _dtype),
        ),
        (
            saved.x,
            saved.gate,
            _calls.parameter(saved.gamma, _dtype),
            _calls.parameter(saved.beta, _dtype),
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return SecondGradients(*_calls.returned((dx_, dgate_, dgamma_, dbeta_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddgate_rows, ddgamma, ddbeta = arguments
    x_rows, gate_rows, gamma, beta, mu_rows, mu_residual_rows, rstd_rows = fields
    dx_out, dgate_out, _, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_ddx_or_ddgate_or_ddgamma = (
        ddx_rows is not None or ddgate_rows is not None or ddgamma is not None
    )
    with_beta_and_ddgate = beta is not None and ddgate_rows is not None
    with_gate_and_ddbeta = gate_rows is not None and ddbeta is not None
    with_gate_and_ddgamma = gate_rows is not None and ddgamma is not None
    needs_part_5 = gamma is not None and (
        ddx_rows is not None or ddgate_rows is not None
    )
    with_gate_and_ddx = gate_rows is not None and ddx_rows is not None
    with_gamma_and_ddgate = gamma is not None and ddgate_rows is not None
    with_gate_and_gamma_and_ddx = (
        gate_rows is not None and gamma is not None and ddx_rows is not None
    )
    needs_ddy = ddx_rows is None and ddgamma is None and ddbeta is None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    # step 44, pass 16: d2var_scaled = 2*d2var/D
    if with_ddx_or_ddgate_or_ddgamma:
        part_18 = 2.0 / D

    def block(
        x,
        dy,
        ddx,
        gate,
        ddgate,
        mu,
        mu_residual,
        rstd,
        gamma_wide,
        ddgamma_wide,
        beta_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 5,
        row_scalar_buffers=(None,),
    ):
        d2gate = d2beta_rows = d2gamma = None
        # step 38: dmean_product = ddgate*D
        if ddgate_rows is not None:
            dmean_product = ddgate * D
        # step 54, pass 12: d2beta_rows = sum over rows of dy*dmean_product
        if with_beta_and_ddgate:
            d2beta_rows = _rows.sum_rows(dy, dmean_product)
        # step 40, pass 8: dmean_product_scaled = dmean_product/D
        if ddgate_rows is not None:
            dmean_product_scaled = dmean_product / D
        # step 48: dmean_g = sum(-ddx*rstd)
        if ddx_rows is not None:
            part = np.negative(rstd)
            part_2 = _rows.by_row(np.multiply, ddx, part, out=ddy_block)
            dmean_g = _rows.row_dot(part_2, ones)
        # step 50: sum_ddbeta_dy = sum(dy*ddbeta)
        if with_gate_and_ddbeta:
            sum_ddbeta_dy = _rows.row_dot(dy, ddbeta)
        # step 2, pass 1: x_shifted = x - mu
        if with_ddx_or_ddgate_or_ddgamma:
            x_shifted = _rows.by_row(np.subtract, x, mu, out=dx_block)
            # step 2, pass 3: x_centred = x_shifted - mu_residual
            x_centred = _rows.less_residual(x_shifted, mu_residual)
            # step 5: xhat = x_centred*rstd
            xhat = _rows.by_row(np.multiply, x_centred, rstd, out=buffers[0])
        # step 39: dmean_g_xhat = sum(-ddx*xhat*rstd)
        if ddx_rows is not None:
            part_3 = np.multiply(ddx, xhat, out=ddy_block)
            part_3 = np.multiply(part_3, part, out=part_3)
            dmean_g_xhat = _rows.row_dot(part_3, ones)
        # step 50: sum_ddgamma_dy_xhat = sum(dy*xhat*ddgamma)
        if with_gate_and_ddgamma:
            part_4 = np.multiply(dy, xhat, out=ddy_block)
            sum_ddgamma_dy_xhat = _rows.row_dot(part_4, ddgamma)
        # step 31: g = dy*gate*gamma
        if needs_part_5:
            part_5 = _rows.by_feature(np.multiply, dy, gamma_wide, out=ddy_block)
        if gamma is None and (ddx_rows is not None or ddgate_rows is not None):
            part_5 = dy
        if with_gate_and_ddx:
            g = _rows.by_row(np.multiply, part_5, gate, out=buffers[1])
        if gate_rows is None and ddx_rows is not None:
            g = part_5
        # step 33: mean_g = mean(g)
        if ddx_rows is not None:
            mean_g = _rows.row_dot(g, one_over_D)
            # step 32: mean_g_xhat = mean(g*xhat)
            mean_g_xhat = _rows.row_dot(g, xhat) / D
            # step 49, pass 9: dmean_g_scaled = dmean_g/D
            dmean_g_scaled = dmean_g / D
            # step 49, pass 10: dmean_g_xhat_scaled = dmean_g_xhat/D
            dmean_g_xhat_scaled = dmean_g_xhat / D
            # step 40, pass 11: mean_g_xhat_scaled = mean_g_xhat*rstd
            mean_g_xhat_scaled = mean_g_xhat * rstd
            # step 41: sum_ddx_g_xhat = sum((g - mean_g - xhat*mean_g_xhat)*ddx)
            part_6 = _rows.by_row(np.subtract, g, mean_g, out=buffers[2])
            part_7 = _rows.by_row(np.multiply, xhat, mean_g_xhat, out=buffers[3])
            part_6 = np.subtract(part_6, part_7, out=part_6)
            sum_ddx_g_xhat = _rows.row_dot(part_6, ddx)
            # step 49, pass 13: dg = xhat*dmean_g_xhat_scaled + ddx*rstd +
            #   dmean_g_scaled
            dg = _rows.by_row(np.multiply, xhat, dmean_g_xhat_scaled, out=buffers[2])
            part_8 = _rows.by_row(np.multiply, ddx, rstd, out=buffers[3])
            dg = np.add(dg, part_8, out=dg)
            dg = np.add(dg, dmean_g_scaled, out=dg)
        # step 52, pass 17: d2gamma = sum over rows of (xhat*dmean_product_scaled +
        #   dg*gate)*dy
        if with_gamma_and_ddgate:
            part_9 = _rows.by_row(
                np.multiply, xhat, dmean_product_scaled, out=buffers[3]
            )
        if with_gate_and_gamma_and_ddx:
            part_10 = _rows.by_row(np.multiply, dg, gate, out=buffers[4])
        if gate_rows is None and gamma is not None and ddx_rows is not None:
            part_10 = dg
        if gamma is not None and ddx_rows is not None and ddgate_rows is not None:
            part_9 = np.add(part_9, part_10, out=part_9)
        if gamma is not None and ddx_rows is not None and ddgate_rows is None:
            part_9 = part_10
        if needs_part_5:
            part_9 = np.multiply(part_9, dy, out=buffers[3])
            d2gamma = _rows.sum_rows(part_9)
        # step 50: sum_dg_dy_gamma = sum(dg*dy*gamma)
        if with_gate_and_gamma_and_ddx:
            part_11 = np.multiply(dg, dy, out=buffers[3])
            sum_dg_dy_gamma = _rows.row_dot(part_11, gamma)
        if gate_rows is not None and gamma is None and ddx_rows is not None:
            sum_dg_dy_gamma = _rows.row_dot(dg, dy)
        # step 40, pass 14: d2xhat = g*dmean_g_xhat_scaled + dy*gate*ddgamma +
        #   dy*dmean_product_scaled*gamma - ddx*mean_g_xhat_scaled
        if ddx_rows is not None:
            d2xhat = np.multiply(g, dmean_g_xhat_scaled, out=buffers[1])
        if ddgamma is not None:
            part_12 = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[3])
        if with_gate_and_ddgamma:
            part_12 = np.multiply(part_12, gate, out=part_12)
        if ddx_rows is not None and ddgamma is not None:
            d2xhat = np.add(d2xhat, part_12, out=d2xhat)
        if ddx_rows is None and ddgamma is not None:
            d2xhat = part_12
        if ddgate_rows is not None:
            part_13 = _rows.by_row(
                np.multiply, part_5, dmean_product_scaled, out=buffers[4]
            )
        if ddgate_rows is not None and (ddx_rows is not None or ddgamma is not None):
            d2xhat = np.add(d2xhat, part_13, out=buffers[1])
        if ddx_rows is None and ddgate_rows is not None and ddgamma is None:
            d2xhat = part_13
        if ddx_rows is not None:
            part_14 = _rows.by_row(np.multiply, ddx, mean_g_xhat_scaled, out=ddy_block)
            d2xhat = np.subtract(d2xhat, part_14, out=d2xhat)
        # step 41: sum_d2xhat_x_centred = sum(d2xhat*x_centred)
        if with_ddx_or_ddgate_or_ddgamma:
            sum_d2xhat_x_centred = _rows.row_dot(d2xhat, x_centred)
        # step 55, pass 15: ddy = gate*ddbeta + xhat*gate*ddgamma + dg*gate*gamma +
        #   (xhat*gamma + beta)*dmean_product_scaled
        if with_gate_and_ddbeta:
            ddy = np.multiply(ddbeta, gate, out=ddy_block)
        if gate_rows is None and ddbeta is not None:
            ddy = ddbeta
        if ddgamma is not None:
            part_15 = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=buffers[4])
        if with_gate_and_ddgamma:
            part_15 = np.multiply(part_15, gate, out=part_15)
        if ddgamma is not None and ddbeta is not None:
            ddy = np.add(ddy, part_15, out=ddy_block)
        if ddgamma is not None and ddbeta is None:
            ddy = part_15
        if gamma is not None and ddx_rows is not None:
            part_16 = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if gamma is None and ddx_rows is not None:
            part_16 = dg
        if with_gate_and_ddx:
            part_16 = np.multiply(part_16, gate, out=part_16)
        if ddx_rows is not None and (ddgamma is not None or ddbeta is not None):
            ddy = np.add(ddy, part_16, out=ddy_block)
        if ddx_rows is not None and ddgamma is None and ddbeta is None:
            ddy = part_16
        if with_gamma_and_ddgate:
            part_17 = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        if gamma is None and ddgate_rows is not None:
            part_17 = xhat
        if with_beta_and_ddgate:
            part_17 = _rows.by_feature(np.add, part_17, beta_wide, out=part_17)
        if ddgate_rows is not None:
            part_17 = np.multiply(part_17, dmean_product_scaled, out=part_17)
        if ddgate_rows is not None and (
            ddx_rows is not None or ddgamma is not None or ddbeta is not None
        ):
            ddy = np.add(ddy, part_17, out=ddy_block)
        if needs_ddy:
            ddy = part_17
        # step 41: d2rstd = sum_d2xhat_x_centred + sum_ddx_g_xhat
        if ddx_rows is not None:
            d2rstd = sum_d2xhat_x_centred + sum_ddx_g_xhat
        if ddx_rows is None and (ddgate_rows is not None or ddgamma is not None):
            d2rstd = sum_d2xhat_x_centred
        # step 43: d2var = -d2rstd*rstd**3/2
        if with_ddx_or_ddgate_or_ddgamma:
            d2var = d2rstd * (np.square(rstd) * rstd) * -0.5
            # step 44, pass 16: d2var_scaled = 2*d2var/D
            d2var_scaled = d2var * part_18
        # step 50: d2gate = sum_ddbeta_dy + sum_ddgamma_dy_xhat + sum_dg_dy_gamma
        if gate_rows is not None and ddgamma is not None and ddbeta is not None:
            d2gate = sum_ddbeta_dy + sum_ddgamma_dy_xhat
        if gate_rows is not None and ddgamma is None and ddbeta is not None:
            d2gate = sum_ddbeta_dy
        if gate_rows is not None and ddgamma is not None and ddbeta is None:
            d2gate = sum_ddgamma_dy_xhat
        if (
            gate_rows is not None
            and ddx_rows is not None
            and (ddgamma is not None or ddbeta is not None)
        ):
            d2gate = d2gate + sum_dg_dy_gamma
        if (
            gate_rows is not None
            and ddx_rows is not None
            and ddgamma is None
            and ddbeta is None
        ):
            d2gate = sum_dg_dy_gamma
        # step 44, pass 18: d2x_centred = x_centred*d2var_scaled + d2xhat*rstd
        if with_ddx_or_ddgate_or_ddgamma:
            d2x_centred = np.multiply(x_centred, d2var_scaled, out=x_centred)
            part_19 = np.multiply(d2xhat, rstd, out=buffers[1])
            d2x_centred = np.add(d2x_centred, part_19, out=d2x_centred)
            # step 45: d2mu = sum(-d2x_centred)
            part_20 = np.negative(d2x_centred, out=buffers[1])
            d2mu = _rows.row_dot(part_20, ones)
            # step 46, pass 19: d2mu_scaled = d2mu/D
            d2mu_scaled = d2mu / D
            # step 46, pass 20: d2x = d2x_centred + d2mu_scaled
            d2x = np.add(d2x_centred, d2mu_scaled, out=d2x_centred)
        if needs_ddy:
            d2gate = _rows.filled(0.0, row_scalar_buffers[0], (*shape[:-1], 1), dtype)
        if gate_rows is None and ddx_rows is None and ddgamma is None:
            ddy = _rows.filled(ddbeta, ddy_block, shape, dtype)
        if ddx_rows is None and ddgate_rows is None and ddgamma is None:
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
        if gate_rows is not None:
            d2gate = d2gate[..., 0]
        return d2x, ddy, d2gate, d2beta_rows, d2gamma

    d2x, ddy, d2gate, d2beta_rows, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(gate_rows, ddgate_rows, mu_rows, mu_residual_rows, rstd_rows),
        features=(gamma, ddgamma, beta),
        into=(dx_out, ddy_out),
        into_row_scalars=(dgate_out,),
        buffers=5,
        row_scalar_buffers=1,
        feature_sums=2,
    )
    # step 54, pass 21: d2beta = d2beta_rows/D
    if with_beta_and_ddgate:
        d2beta = d2beta_rows / D
    if gamma is not None and ddx_rows is None and ddgate_rows is None:
        d2gamma = np.full(features, 0.0, dtype)
    if beta is not None and ddgate_rows is None:
        d2beta = np.full(features, 0.0, dtype)
    if beta is None:
        d2beta = None
    return d2x, d2gate, d2gamma, d2beta, ddy


def saved_from(
    *,
    x: npt.NDArray[Any],
    gate: npt.NDArray[Any] | None = None,
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
    fields_ = (x, gate, gamma, beta, mu, mu_residual, rstd)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, gate, gamma, beta, mu, mu_residual, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "modulated_layer_norm")
    _calls.check_first_fields(saved, (True, False, False, False))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept(_shape[:-1], saved.dtypes[1] is not None, gate=saved.gate)
    _calls.check_kept(_shape[-1:], saved.dtypes[2] is not None, gamma=saved.gamma)
    _calls.check_kept(_shape[-1:], saved.dtypes[3] is not None, beta=saved.beta)
    _calls.check_kept(
        _shape[:-1], mu=saved.mu, mu_residual=saved.mu_residual, rstd=saved.rstd
    )


INTERFACE: _interface.Interface = {
    "name": "modulated_layer_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("gate", "RowScalar", default=1),
        _interface.given("gamma", "Feature", default=1),
        _interface.given("beta", "Feature", default=0),
    ],
    "constants": [_interface.constant("eps", default=1e-5, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("gate", "input", ["..."]),
        _interface.saved("gamma", "input", ["D"]),
        _interface.saved("beta", "input", ["D"]),
        _interface.saved("mu", "row scalar", ["..."]),
        _interface.saved("mu_residual", "row scalar", ["..."]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("gate", may_be_none=True),
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


_Gradients: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[Any] | None]


class ModulatedLayerNorm(_modules.NumpyModule):
    """`modulated_layer_norm` as an object with the parameters gamma and beta.

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

    def forward(
        self,
        x: npt.NDArray[Any],
        gate: npt.NDArray[Any] | None = None,
        *,
        save: bool = True,
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        self._check_rows(x=x)
        output, self._saved = self._layer().forward(
            x,
            gate,
            self.parameters.get("gamma"),
            self.parameters.get("beta"),
            eps=self.eps,
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> _Gradients:
        """Return `(dx, dgate)`, given the gradient of a loss with respect to the
        output, once for each `forward`. `gradients` then has those of the parameters,
        of this call alone.
        """
        found = self._gradients(dy)
        self.gradients = self._of_parameters(gamma=found.dgamma, beta=found.dbeta)
        return found.dx, found.dgate
