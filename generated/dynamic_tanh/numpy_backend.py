# Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
"""Dynamic tanh: an elementwise layer in the place of a norm.

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
    dalpha: npt.NDArray[Any] | None
    dgamma: npt.NDArray[Any] | None
    dbeta: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    dalpha: npt.NDArray[Any] | None
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
    alpha: float | npt.NDArray[Any] | None  # argument alpha of forward
    gamma: npt.NDArray[Any] | None  # argument gamma of forward


@overload
def forward(
    x: npt.NDArray[Any],
    alpha: float | npt.NDArray[Any] | None = None,
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    alpha: float | npt.NDArray[Any] | None = None,
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    alpha: float | npt.NDArray[Any] | None = None,
    gamma: npt.NDArray[Any] | None = None,
    beta: npt.NDArray[Any] | None = None,
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Dynamic tanh: an elementwise layer in the place of a norm.

        u = alpha*x
        t = tanh(u)
        y = gamma*t + beta

    Args:
        x: shape (..., D).
        alpha: a number or a 0-d array. If omitted it is 0.5.
        gamma: one value per feature, shape (D,). If omitted it is 1, at no cost.
        beta: one value per feature, shape (D,). If omitted it is 0, at no cost.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has shape (..., D). `saved` is the argument of the other
    directions. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, alpha, gamma, beta, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    alpha: Any,
    gamma: Any,
    beta: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    x, gamma, beta = _calls.arrays(1, x=x, gamma=gamma, beta=beta)
    alpha = _calls.scalar("alpha", alpha, False)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape[-1:], "(D,)", gamma=gamma, beta=beta)
    _read = {"x": x, "alpha": alpha, "gamma": gamma, "beta": beta}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, x.dtype, _read, _by.empty)
    _by.fill(
        (y_,),
        _blocks.Work(_shape, _dtype, threads),
        (
            x,
            _calls.number(alpha, _dtype),
            _calls.parameter(gamma, _dtype),
            _calls.parameter(beta, _dtype),
        ),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = Saved(_shape, _dtype, _dtypes, x, alpha, gamma) if save else None
    return _shown, _saved


def _forward_of_rows(values, results, call):
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


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        du = gamma*dy*(1 - t)*(1 + t)
        dx = alpha*du
        dalpha = sum_rows(sum(du*x))
        dgamma = sum_rows(dy*t)
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
    _of_x, _of_alpha, _of_gamma, _of_beta = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.alpha": saved.alpha,
        "saved.gamma": saved.gamma,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dalpha_, dgamma_, dbeta_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dalpha=((), _of_alpha),
        dgamma=(_shape[-1:], _of_gamma),
        dbeta=(_shape[-1:], _of_beta),
    )
    _by.fill(
        (dx_, dalpha_, dgamma_, dbeta_),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (
            saved.x,
            _calls.number(saved.alpha, _dtype),
            _calls.parameter(saved.gamma, _dtype),
        ),
    )
    return Gradients(*_calls.returned((dx_, dalpha_, dgamma_, dbeta_), out))


def _backward_of_rows(arguments, fields, results, call):
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
            sum_du_x = _rows.row_dot(du, x)
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


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    alpha_dot: float | npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    beta_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = gamma_dot*t + gamma*(1 - t)*(1 + t)*(alpha_dot*x + alpha*x_dot) +
            beta_dot

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        alpha_dot: the tangent of alpha, in its shape; None stands for zero.
        gamma_dot: the tangent of gamma, in its shape; None stands for zero.
        beta_dot: the tangent of beta, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, alpha_dot, gamma_dot, beta_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    alpha_dot: Any,
    gamma_dot: Any,
    beta_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_alpha, _of_gamma, _of_beta = saved[2]
    x_dot, gamma_dot, beta_dot = _calls.arrays(
        0, x_dot=x_dot, gamma_dot=gamma_dot, beta_dot=beta_dot
    )
    alpha_dot = _calls.scalar("alpha_dot", alpha_dot, False)
    _calls.check_any("tangent", x_dot, alpha_dot, gamma_dot, beta_dot)
    _calls.check_left_out("alpha_dot", alpha_dot, "alpha", _of_alpha)
    _calls.check_left_out("gamma_dot", gamma_dot, "gamma", _of_gamma)
    _calls.check_left_out("beta_dot", beta_dot, "beta", _of_beta)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", gamma_dot=gamma_dot)
    _calls.check_shapes(_shape[-1:], "the shape of beta", beta_dot=beta_dot)
    _read = {
        "x_dot": x_dot,
        "alpha_dot": alpha_dot,
        "gamma_dot": gamma_dot,
        "beta_dot": beta_dot,
        "saved.x": saved.x,
        "saved.alpha": saved.alpha,
        "saved.gamma": saved.gamma,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (
            x_dot,
            _calls.number(alpha_dot, _dtype),
            _calls.parameter(gamma_dot, _dtype),
            _calls.parameter(beta_dot, _dtype),
        ),
        (
            saved.x,
            _calls.number(saved.alpha, _dtype),
            _calls.parameter(saved.gamma, _dtype),
        ),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, alpha_dot, gamma_dot, beta_dot = arguments
    x_rows, alpha, gamma = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    with_x_dot_or_alpha_dot = x_dot_rows is not None or alpha_dot is not None
    if (
        alpha_dot is not None
        or (alpha is not None and x_dot_rows is not None)
        or (alpha is not None and gamma_dot is not None)
    ):
        alpha_value = np.asarray(alpha, dtype)
    if alpha is None and (x_dot_rows is not None or gamma_dot is not None):
        alpha_value = 0.5
    if alpha_dot is not None:
        alpha_dot = np.asarray(alpha_dot, dtype)

    def block(
        x,
        x_dot,
        gamma_dot_wide,
        gamma_wide,
        beta_dot_wide,
        y_dot_block=None,
        buffers=(None,) * 3,
    ):
        # step 1: u = x*alpha
        if x_dot_rows is not None or alpha_dot is not None or gamma_dot is not None:
            u = np.multiply(x, alpha_value, out=y_dot_block)
            # step 2: t = tanh(u)
            t = np.tanh(u, out=buffers[0])
        # step 17: y_dot = t*gamma_dot + (1 - t)*(t + 1)*(x*alpha_dot +
        #   x_dot*alpha)*gamma + beta_dot
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, t, gamma_dot_wide, out=y_dot_block)
        if with_x_dot_or_alpha_dot:
            part = np.subtract(1.0, t, out=buffers[1])
            part_2 = np.add(t, 1.0, out=t)
            part = np.multiply(part, part_2, out=part_2)
        if alpha_dot is not None:
            part_3 = np.multiply(x, alpha_dot, out=buffers[1])
        if x_dot_rows is not None:
            part_4 = np.multiply(x_dot, alpha_value, out=buffers[2])
        if x_dot_rows is not None and alpha_dot is not None:
            part_3 = np.add(part_3, part_4, out=part_3)
        if x_dot_rows is not None and alpha_dot is None:
            part_3 = part_4
        if with_x_dot_or_alpha_dot:
            part = np.multiply(part, part_3, out=part)
        if gamma is not None and (x_dot_rows is not None or alpha_dot is not None):
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        if gamma_dot is not None and (x_dot_rows is not None or alpha_dot is not None):
            y_dot = np.add(y_dot, part, out=y_dot)
        if gamma_dot is None and (x_dot_rows is not None or alpha_dot is not None):
            y_dot = part
        if beta_dot is not None and (
            x_dot_rows is not None or alpha_dot is not None or gamma_dot is not None
        ):
            y_dot = _rows.by_feature(np.add, y_dot, beta_dot_wide, out=y_dot_block)
        if x_dot_rows is None and alpha_dot is None and gamma_dot is None:
            y_dot = _rows.filled(beta_dot, y_dot_block, shape, dtype)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        features=(gamma_dot, gamma, beta_dot),
        into=(y_dot_out,),
        buffers=3,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddalpha: float | npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    ddbeta: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        du = gamma*dy*(1 - t)*(1 + t)
        ddu = ddalpha*x + alpha*ddx
        d2u = dy*(1 - t)*(1 + t)*(ddgamma - 2*gamma*ddu*t)
        d2x = alpha*d2u + ddalpha*du
        d2alpha = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
        d2gamma = sum_rows(ddu*dy*(1 - t)*(1 + t))
        d2beta = 0
        ddy = ddgamma*t + gamma*ddu*(1 - t)*(1 + t) + ddbeta

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddalpha: the cotangent of dalpha, in its shape; None stands for zero.
        ddgamma: the cotangent of dgamma, in its shape; None stands for zero.
        ddbeta: the cotangent of dbeta, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dalpha is d2alpha,
    dgamma is d2gamma, dbeta is d2beta) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddx, ddalpha, ddgamma, ddbeta, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddalpha: Any,
    ddgamma: Any,
    ddbeta: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_alpha, _of_gamma, _of_beta = saved[2]
    dy, ddx, ddgamma, ddbeta = _calls.arrays(
        1, dy=dy, ddx=ddx, ddgamma=ddgamma, ddbeta=ddbeta
    )
    ddalpha = _calls.scalar("ddalpha", ddalpha, False)
    _calls.check_any("cotangent of a gradient", ddx, ddalpha, ddgamma, ddbeta)
    _calls.check_left_out("ddalpha", ddalpha, "alpha", _of_alpha)
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
        "ddalpha": ddalpha,
        "ddgamma": ddgamma,
        "ddbeta": ddbeta,
        "saved.x": saved.x,
        "saved.alpha": saved.alpha,
        "saved.gamma": saved.gamma,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dalpha_, dgamma_, dbeta_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dalpha=((), _of_alpha),
        dgamma=(_shape[-1:], _of_gamma),
        dbeta=(_shape[-1:], _of_beta),
        ddy=(_shape, dy.dtype),
    )
    _by.fill(
        (dx_, dalpha_, dgamma_, dbeta_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (
            dy,
            ddx,
            _calls.number(ddalpha, _dtype),
            _calls.parameter(ddgamma, _dtype),
            _calls.parameter(ddbeta, _dtype),
        ),
        (
            saved.x,
            _calls.number(saved.alpha, _dtype),
            _calls.parameter(saved.gamma, _dtype),
        ),
    )
    return SecondGradients(*_calls.returned((dx_, dalpha_, dgamma_, dbeta_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddalpha, ddgamma, ddbeta = arguments
    x_rows, alpha, gamma = fields
    dx_out, _, _, dbeta_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_alpha_value = (
        ddalpha is not None
        or (alpha is not None and ddx_rows is not None)
        or (alpha is not None and ddgamma is not None)
    )
    needs_ddgamma_value = ddgamma is None and (
        ddx_rows is not None or ddalpha is not None
    )
    needs_part_6 = gamma is not None and (ddx_rows is not None or ddalpha is not None)
    needs_ddgamma_value_2 = ddx_rows is None and ddalpha is None and ddgamma is None
    with_ddx_or_ddalpha_or_ddgamma = (
        ddx_rows is not None or ddalpha is not None or ddgamma is not None
    )
    needs_du = ddalpha is not None or (alpha is not None and ddx_rows is not None)
    with_alpha_and_ddx = alpha is not None and ddx_rows is not None
    with_ddx_or_ddalpha = ddx_rows is not None or ddalpha is not None
    D = _rows.number(features, dtype)
    if needs_alpha_value:
        alpha_value = np.asarray(alpha, dtype)
    if alpha is None and (ddx_rows is not None or ddgamma is not None):
        alpha_value = 0.5
    if ddalpha is not None:
        ddalpha = np.asarray(ddalpha, dtype)
    if ddgamma is not None:
        ddgamma_value = ddgamma
    if needs_ddgamma_value:
        ddgamma_value = 0.0
    # step 33: d2u = (1 - t)*(ddgamma - 2*ddu*t*gamma)*dy*(t + 1)
    if needs_part_6:
        part_6 = gamma * 2.0
    if gamma is None and (ddx_rows is not None or ddalpha is not None):
        part_6 = 2.0
    if needs_ddgamma_value_2:
        ddgamma_value = None

    def block(
        x,
        dy,
        ddx,
        gamma_wide,
        ddgamma_value_wide,
        ddbeta_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 6,
    ):
        d2gamma = d2alpha = None
        # step 1: u = x*alpha
        if with_ddx_or_ddalpha_or_ddgamma:
            u = np.multiply(x, alpha_value, out=dx_block)
            # step 2: t = tanh(u)
            t = np.tanh(u, out=ddy_block)
            # step 18: du = (1 - t)*dy*(t + 1)*gamma
            part = np.subtract(1.0, t, out=dx_block)
        if needs_du:
            du = np.multiply(part, dy, out=buffers[0])
        if with_ddx_or_ddalpha_or_ddgamma:
            part_2 = np.add(t, 1.0, out=buffers[1])
        if needs_du:
            du = np.multiply(du, part_2, out=du)
        if gamma is not None and (
            ddalpha is not None or (alpha is not None and ddx_rows is not None)
        ):
            du = _rows.by_feature(np.multiply, du, gamma_wide, out=du)
        # step 39: mean_ddx_du = mean(ddx*du)
        if with_alpha_and_ddx:
            mean_ddx_du = _rows.row_dot(ddx, du) / D
        # step 26: ddu = ddx*alpha + x*ddalpha
        if ddx_rows is not None:
            ddu = np.multiply(ddx, alpha_value, out=buffers[2])
        if ddalpha is not None:
            part_3 = np.multiply(x, ddalpha, out=buffers[3])
        if ddx_rows is not None and ddalpha is not None:
            ddu = np.add(ddu, part_3, out=ddu)
        if ddx_rows is None and ddalpha is not None:
            ddu = part_3
        # step 41: d2gamma = sum over rows of (1 - t)*ddu*dy*(t + 1)
        if with_ddx_or_ddalpha:
            part_4 = np.multiply(part, ddu, out=buffers[4])
        if needs_part_6:
            part_5 = np.multiply(part_4, dy, out=buffers[5])
            part_5 = np.multiply(part_5, part_2, out=part_5)
            d2gamma = _rows.sum_rows(part_5)
        # step 33: d2u = (1 - t)*(ddgamma - 2*ddu*t*gamma)*dy*(t + 1)
        if with_ddx_or_ddalpha:
            d2u = np.multiply(ddu, t, out=buffers[2])
            d2u = np.multiply(d2u, part_6, out=d2u)
            d2u = np.subtract(ddgamma_value, d2u, out=d2u)
        if ddx_rows is None and ddalpha is None and ddgamma is not None:
            d2u = ddgamma_value
        if with_ddx_or_ddalpha_or_ddgamma:
            d2u = np.multiply(part, d2u, out=part)
            d2u = np.multiply(d2u, dy, out=d2u)
            d2u = np.multiply(d2u, part_2, out=d2u)
        # step 39: mean_d2u_x = mean(d2u*x)
        if needs_alpha_value:
            mean_d2u_x = _rows.row_dot(d2u, x) / D
        # step 37: d2x = d2u*alpha + du*ddalpha
        if with_ddx_or_ddalpha_or_ddgamma:
            d2x = np.multiply(d2u, alpha_value, out=d2u)
        if ddalpha is not None:
            part_7 = np.multiply(du, ddalpha, out=du)
            d2x = np.add(d2x, part_7, out=d2x)
        # step 47: ddy = t*ddgamma + (1 - t)*ddu*(t + 1)*gamma + ddbeta
        if ddgamma is not None:
            ddy = _rows.by_feature(np.multiply, t, ddgamma_value_wide, out=t)
        if with_ddx_or_ddalpha:
            part_8 = np.multiply(part_4, part_2, out=buffers[0])
        if needs_part_6:
            part_8 = _rows.by_feature(np.multiply, part_8, gamma_wide, out=part_8)
        if ddgamma is not None and (ddx_rows is not None or ddalpha is not None):
            ddy = np.add(ddy, part_8, out=ddy)
        if needs_ddgamma_value:
            ddy = part_8
        if ddbeta is not None and (
            ddx_rows is not None or ddalpha is not None or ddgamma is not None
        ):
            ddy = _rows.by_feature(np.add, ddy, ddbeta_wide, out=ddy_block)
        # step 39, pass 1: mean_ddx_du_scaled = (mean_d2u_x + mean_ddx_du)*D
        if with_alpha_and_ddx:
            mean_ddx_du_scaled = mean_d2u_x + mean_ddx_du
        if ddx_rows is None and (
            ddalpha is not None or (alpha is not None and ddgamma is not None)
        ):
            mean_ddx_du_scaled = mean_d2u_x
        if needs_alpha_value:
            mean_ddx_du_scaled = mean_ddx_du_scaled * D
            # step 39, pass 2: d2alpha = sum over rows of mean_ddx_du_scaled
            d2alpha = np.add.reduce(mean_ddx_du_scaled, axis=None)
        if needs_ddgamma_value_2:
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
            ddy = _rows.filled(ddbeta, ddy_block, shape, dtype)
        return d2x, ddy, d2gamma, d2alpha

    d2x, ddy, d2gamma, d2alpha = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        features=(gamma, ddgamma_value, ddbeta),
        into=(dx_out, ddy_out),
        buffers=6,
        feature_sums=1,
        sums=1,
    )
    if alpha is not None and ddx_rows is None and ddalpha is None and ddgamma is None:
        d2alpha = 0.0
    if alpha is not None:
        d2alpha = np.full((), d2alpha, dtype)
    if gamma is not None and ddx_rows is None and ddalpha is None:
        d2gamma = np.full(features, 0.0, dtype)
    if dbeta_out is not None:
        dbeta = np.full(features, 0.0, dtype)
    else:
        dbeta = None
    return d2x, d2alpha, d2gamma, dbeta, ddy


def saved_from(
    *,
    x: npt.NDArray[Any],
    alpha: float | npt.NDArray[Any] | None = None,
    gamma: npt.NDArray[Any] | None = None,
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
    fields_ = (x, alpha, gamma)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, alpha, gamma)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "dynamic_tanh")
    _calls.check_first_fields(saved, (True, False, False, False))
    _calls.check_number("alpha", saved.alpha, saved.dtypes[1] is not None)
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept(_shape[-1:], saved.dtypes[2] is not None, gamma=saved.gamma)


INTERFACE: _interface.Interface = {
    "name": "dynamic_tanh",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("alpha", "Scalar", default=0.5),
        _interface.given("gamma", "Feature", default=1),
        _interface.given("beta", "Feature", default=0),
    ],
    "constants": [],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("alpha", "input", []),
        _interface.saved("gamma", "input", ["D"]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("alpha", may_be_none=True),
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


class DynamicTanh(_modules.NumpyModule):
    """`dynamic_tanh` as an object with the parameters alpha, gamma and beta.

    Args:
        D: the number of features of a row.
        alpha: False omits it; its initial value is 0.5.
        gamma: False omits it; its initial value is 1.
        beta: False omits it; its initial value is 0.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        D: int,
        *,
        alpha: bool = True,
        gamma: bool = True,
        beta: bool = True,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype, D=_modules.size("D", D, 1))
        self._parameter("alpha", alpha, (), 0.5)
        self._parameter("gamma", gamma, (D,), 1)
        self._parameter("beta", beta, (D,), 0)

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        self._check_rows(x=x)
        output, self._saved = self._layer().forward(
            x,
            self.parameters.get("alpha"),
            self.parameters.get("gamma"),
            self.parameters.get("beta"),
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
        self.gradients = self._of_parameters(
            alpha=found.dalpha, gamma=found.dgamma, beta=found.dbeta
        )
        return found.dx
