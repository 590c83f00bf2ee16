# Made by lngen 0.1.0 from the definition of layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm.py and run: lngen derive layer_norm.py
# definition sha256:3f4f3519e955d61b03ab0d655ad5951c0892e0dd7b3076ac889a76a6492abbe1
"""Layer normalization over the feature axis."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import blocks as _blocks
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _saved
from . import numpy_kernels as _kernels
from . import numpy_second_order as _second_order

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
    (dy,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy, ddx, ddgamma, ddbeta, out, threads
    )


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
    first_ = _saved.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, *fields_)
    _check(saved_)
    return saved_


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    gamma: Any,
    beta: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    gamma = _calls.array("gamma", gamma, False)
    beta = _calls.array("beta", beta, False)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shape("gamma", gamma, _shape[-1:], "(D,)")
    _calls.check_shape("beta", beta, _shape[-1:], "(D,)")
    _read = (x, gamma, beta)
    _dtypes = _calls.types(_read)
    _dtype = _calls.compute_type(_read)
    _given = {} if out is None else dict(zip(("x", "gamma", "beta"), _read))
    y_ = _calls.result("y", out, _shape, x.dtype, _given, _by.empty)
    mu_ = _by.empty(_shape[:-1], _dtype)
    mu_residual_ = _by.empty(_shape[:-1], _dtype)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _made = (y_, mu_, mu_residual_, rstd_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (x, _calls.parameter(gamma, _dtype), _calls.parameter(beta, _dtype), eps),
    )
    _saved = (
        Saved(_shape, _dtype, _dtypes, x, gamma, mu_, mu_residual_, rstd_)
        if save
        else None
    )
    _shown = y_ if out is None else out
    return _shown, _saved


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, out: Any, threads: Any
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_gamma, _of_beta = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shape("dy", dy, _shape, "the shape of y")
    _read = (dy, saved.x, saved.gamma, saved.mu, saved.mu_residual, saved.rstd)
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "dy",
                    "saved.x",
                    "saved.gamma",
                    "saved.mu",
                    "saved.mu_residual",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dx", "dgamma", "dbeta"))
    dx_ = _calls.result("dx", _out[0], _shape, _of_x, _given, _by.empty)
    dgamma_ = _calls.result(
        "dgamma", _out[1], _shape[-1:], _of_gamma, _given, _by.empty
    )
    dbeta_ = _calls.result("dbeta", _out[2], _shape[-1:], _of_beta, _given, _by.empty)
    _made = (dx_, dgamma_, dbeta_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (dy,),
        (
            saved.x,
            _calls.parameter(saved.gamma, _dtype),
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return Gradients(*_calls.returned(_made, out))


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    gamma_dot: Any,
    beta_dot: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_gamma, _of_beta = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    gamma_dot = _calls.array("gamma_dot", gamma_dot, False)
    beta_dot = _calls.array("beta_dot", beta_dot, False)
    _calls.check_any("tangent", x_dot, gamma_dot, beta_dot)
    _calls.check_left_out("gamma_dot", gamma_dot, "gamma", _of_gamma)
    _calls.check_left_out("beta_dot", beta_dot, "beta", _of_beta)
    _shape = saved.shape
    _calls.check_shape("x_dot", x_dot, _shape, "the shape of x")
    _calls.check_shape("gamma_dot", gamma_dot, _shape[-1:], "the shape of gamma")
    _calls.check_shape("beta_dot", beta_dot, _shape[-1:], "the shape of beta")
    _read = (
        x_dot,
        gamma_dot,
        beta_dot,
        saved.x,
        saved.gamma,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
    )
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "x_dot",
                    "gamma_dot",
                    "beta_dot",
                    "saved.x",
                    "saved.gamma",
                    "saved.mu",
                    "saved.mu_residual",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _given, _by.empty)
    _made = (y_dot_,)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
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
    return y_dot_ if out is None else out


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddgamma: Any,
    ddbeta: Any,
    out: Any,
    threads: Any,
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_gamma, _of_beta = saved[2]
    dy = _calls.array("dy", dy, True)
    ddx = _calls.array("ddx", ddx, False)
    ddgamma = _calls.array("ddgamma", ddgamma, False)
    ddbeta = _calls.array("ddbeta", ddbeta, False)
    _calls.check_any("cotangent of a gradient", ddx, ddgamma, ddbeta)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", _of_gamma)
    _calls.check_left_out("ddbeta", ddbeta, "beta", _of_beta)
    _shape = saved.shape
    _calls.check_shape("dy", dy, _shape, "the shape of y")
    _calls.check_shape("ddx", ddx, _shape, "the shape of x")
    _calls.check_shape("ddgamma", ddgamma, _shape[-1:], "the shape of gamma")
    _calls.check_shape("ddbeta", ddbeta, _shape[-1:], "the shape of beta")
    _read = (
        dy,
        ddx,
        ddgamma,
        ddbeta,
        saved.x,
        saved.gamma,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
    )
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "cotangents[0]",
                    "ddx",
                    "ddgamma",
                    "ddbeta",
                    "saved.x",
                    "saved.gamma",
                    "saved.mu",
                    "saved.mu_residual",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dx", "dgamma", "dbeta", "ddy"))
    dx_ = _calls.result("dx", _out[0], _shape, _of_x, _given, _by.empty)
    dgamma_ = _calls.result(
        "dgamma", _out[1], _shape[-1:], _of_gamma, _given, _by.empty
    )
    dbeta_ = _calls.result("dbeta", _out[2], _shape[-1:], _of_beta, _given, _by.empty)
    ddy_ = _calls.result("ddy", _out[3], _shape, dy.dtype, _given, _by.empty)
    _made = (dx_, dgamma_, dbeta_, ddy_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _by.fill(
        _made,
        _work,
        (dy, ddx, _calls.parameter(ddgamma, _dtype), _calls.parameter(ddbeta, _dtype)),
        (
            saved.x,
            _calls.parameter(saved.gamma, _dtype),
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return SecondGradients(*_calls.returned(_made, out))


def _check(saved: Any) -> None:
    """Refuse saved values that forward did not return, or that were changed since."""
    _calls.check_is_saved(saved, Saved, "layer_norm")
    _calls.check_first_fields(saved, (True, False, False))
    _shape = saved.shape
    _calls.check_kept("x", saved.x, _shape)
    _calls.check_kept("gamma", saved.gamma, _shape[-1:], saved.dtypes[1] is not None)
    _calls.check_kept("mu", saved.mu, _shape[:-1])
    _calls.check_kept("mu_residual", saved.mu_residual, _shape[:-1])
    _calls.check_kept("rstd", saved.rstd, _shape[:-1])


_FORWARD = _blocks.ArrayFunction(_kernels.forward)
_BACKWARD = _blocks.ArrayFunction(_kernels.backward)
_JVP = _blocks.ArrayFunction(_second_order.jvp)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_second_order.backward_backward)
