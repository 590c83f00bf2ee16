# Made by lngen 0.1.0 from the definition of dynamic_tanh.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# Cost: forward 2 row tensors (1 read, 1 written), 4 flops a row element; backward 3 row tensors (2 read, 1 written), 13 flops a row element.
# Evidence: exact 4 of 4, 50 digits 1 of 1, second derivation 4 of 4, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
# templates sha256:1851b98f9a767c39e37405e057845cf3c85d6e0787c60cc39713fb7a5a3591a2
"""Dynamic tanh: an elementwise layer in the place of a norm.

    forward
        u = alpha*x
        t = tanh(u)
        y = gamma*t + beta
    backward
        g = gamma*dy*(1 - t)*(1 + t)
        dx = alpha*g
        dalpha = sum_rows(sum(g*x))
        dgamma = sum_rows(dy*t)
        dbeta = sum_rows(dy)

Rows are worked on in blocks that stay in the cache. A comment names the step of the
derivation that a line comes from, and a name in the code is a name of the derivation.
"""

# What callers see is typed; a variable in between may be an array, a number or None.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime import calls as _calls
from .._runtime import rows as _rows
from .._runtime import saved as _saved
from .._runtime.interface import Interface as _Interface

INTERFACE: _Interface = {
    "name": "dynamic_tanh",
    "minimum_features": 1,
    "inputs": [
        {
            "name": "x",
            "symbol": "x",
            "kind": "Row",
            "axes": ["...", "D"],
            "default": None,
        },
        {
            "name": "alpha",
            "symbol": "alpha",
            "kind": "Scalar",
            "axes": [],
            "default": 0.5,
        },
        {
            "name": "gamma",
            "symbol": "gamma",
            "kind": "Feature",
            "axes": ["D"],
            "default": 1,
        },
        {
            "name": "beta",
            "symbol": "beta",
            "kind": "Feature",
            "axes": ["D"],
            "default": 0,
        },
    ],
    "constants": [],
    "outputs": [{"name": "y", "symbol": "y", "kind": "Row", "axes": ["...", "D"]}],
    "saved": [
        {"name": "x", "kind": "input", "of": "x", "axes": ["...", "D"]},
        {"name": "alpha", "kind": "input", "of": "alpha", "axes": []},
        {"name": "gamma", "kind": "input", "of": "gamma", "axes": ["D"]},
    ],
    "gradients": [
        {"name": "dx", "of": "x", "may_be_none": False},
        {"name": "dalpha", "of": "alpha", "may_be_none": True},
        {"name": "dgamma", "of": "gamma", "may_be_none": True},
        {"name": "dbeta", "of": "beta", "may_be_none": True},
    ],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dalpha: npt.NDArray[Any] | None
    """The gradient of alpha, in its shape and type."""

    dgamma: npt.NDArray[Any] | None
    """The gradient of gamma, in its shape and type."""

    dbeta: npt.NDArray[Any] | None
    """The gradient of beta, in its shape and type."""


class SecondGradients(NamedTuple):
    """What `backward_backward` computes; None for what was left out or was None."""

    dx: npt.NDArray[Any]
    """The gradient of x, in its shape and type."""

    dalpha: npt.NDArray[Any] | None
    """The gradient of alpha, in its shape and type."""

    dgamma: npt.NDArray[Any] | None
    """The gradient of gamma, in its shape and type."""

    dbeta: npt.NDArray[Any] | None
    """The gradient of beta, in its shape and type."""

    ddy: npt.NDArray[Any]
    """The gradient of dy, the cotangent of y."""


class Saved(NamedTuple):
    """What `backward` needs of a call of `forward`; arrays are the caller's own.

    Writing to one of them between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]
    """The shape of the row inputs."""

    dtype: np.dtype[Any]
    """The type that `forward` computed in."""

    dtypes: dict[str, np.dtype[Any]]
    """The type of each input that was given."""

    x: npt.NDArray[Any]
    """The argument x of forward."""

    alpha: float | npt.NDArray[Any] | None
    """The argument alpha of forward."""

    gamma: npt.NDArray[Any] | None
    """The argument gamma of forward."""


# What follows calls these by names with an underscore, which no argument can have.
_Gradients = Gradients
_SecondGradients = SecondGradients
_Saved = Saved
_INTERFACE = INTERFACE


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
        alpha: a number or a 0-d array; left out it is 0.5, and costs nothing.
        gamma: one value a feature, shape (D,); left out it is 1, and costs nothing.
        beta: one value a feature, shape (D,); left out it is 0, and costs nothing.
        save: False keeps nothing for the other directions, and `saved` is None.
        out: an array to write y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    threads = _calls.thread_count(threads)
    if _rows.are_few(x, 1):
        shape_, dtype_ = x.shape, x.dtype
        if (
            (alpha is None or _calls.fits(alpha, (), dtype_))
            and (gamma is None or _calls.fits(gamma, shape_[-1:], dtype_))
            and (beta is None or _calls.fits(beta, shape_[-1:], dtype_))
        ):
            y_ = _rows.at_once(_forward_small, x, alpha, gamma, beta, shape_, dtype_)
            if out is not None:
                given_ = {"x": x, "alpha": alpha, "gamma": gamma, "beta": beta}
                (y_,) = _calls.placed(("y",), (y_,), (out,), given_)
            if not save:
                return y_, None
            dtypes_ = {"x": dtype_}
            if alpha is not None:
                dtypes_["alpha"] = dtype_
            if gamma is not None:
                dtypes_["gamma"] = dtype_
            if beta is not None:
                dtypes_["beta"] = dtype_
            saved = _Saved(shape_, dtype_, dtypes_, x, alpha, gamma)
            return y_, saved
    x = _calls.array("x", x, required=True)
    alpha = _calls.scalar("alpha", alpha, required=False)
    gamma = _calls.array("gamma", gamma, required=False)
    beta = _calls.array("beta", beta, required=False)
    shape_ = _calls.row_shape("x", x, 1)
    leading_ = x
    _calls.check_shape("x", x, shape_, "the shape of x")
    _calls.check_shape("gamma", gamma, shape_[-1:], "(D,)")
    _calls.check_shape("beta", beta, shape_[-1:], "(D,)")
    given_ = {"x": x, "alpha": alpha, "gamma": gamma, "beta": beta}
    dtypes_, dtype_ = _calls.types(given_)
    y_ = _calls.result("y", out, shape_, leading_.dtype, given_)
    _forward(x, alpha, gamma, beta, y_, shape_, dtype_, threads)
    if not save:
        return y_, None
    saved = _Saved(shape_, dtype_, dtypes_, x, alpha, gamma)
    return y_, saved


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """The gradients of a loss, given those with respect to the outputs.

        g = gamma*dy*(1 - t)*(1 + t)
        dx = alpha*g
        dalpha = sum_rows(sum(g*x))
        dgamma = sum_rows(dy*t)
        dbeta = sum_rows(dy)

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _calls.check_is_saved(saved, _Saved, "dynamic_tanh")
    threads = _calls.thread_count(threads)
    if _rows.are_few(saved.x, 1):
        shape_, dtype_ = saved.x.shape, saved.x.dtype
        if (
            _calls.is_of_one_type(saved, shape_, dtype_, ("x",))
            and _calls.fits(dy, shape_, dtype_)
            and _calls.fits(saved.alpha, (), dtype_, "alpha" in saved.dtypes)
            and _calls.fits(saved.gamma, shape_[-1:], dtype_, "gamma" in saved.dtypes)
        ):
            dx_, dalpha_, dgamma_, dbeta_ = _rows.at_once(
                _backward_small,
                saved.x,
                dy,
                saved.alpha,
                saved.gamma,
                "beta" in saved.dtypes,
                shape_,
                dtype_,
            )
            if out is not None:
                given_ = {"dy": dy, "saved.x": saved.x, "saved.gamma": saved.gamma}
                dx_, dalpha_, dgamma_, dbeta_ = _calls.placed(
                    ("dx", "dalpha", "dgamma", "dbeta"),
                    (dx_, dalpha_, dgamma_, dbeta_),
                    out,
                    given_,
                )
            return _Gradients(dx_, dalpha_, dgamma_, dbeta_)
    _check_saved(saved)
    shape_ = saved.shape
    dy = _calls.array("dy", dy, required=True)
    _calls.check_shape("dy", dy, shape_, "the shape of y")
    given_ = {"dy": dy, "saved.x": saved.x, "saved.gamma": saved.gamma}
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dalpha", "dgamma", "dbeta"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dalpha_ = _calls.result("dalpha", out[1], (), saved.dtypes.get("alpha"), given_)
    dgamma_ = _calls.result(
        "dgamma", out[2], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    dbeta_ = _calls.result(
        "dbeta", out[3], shape_[-1:], saved.dtypes.get("beta"), given_
    )
    _backward(
        saved.x,
        dy,
        saved.alpha,
        saved.gamma,
        dx_,
        dalpha_,
        dgamma_,
        dbeta_,
        shape_,
        dtype_,
        threads,
    )
    return _Gradients(dx_, dalpha_, dgamma_, dbeta_)


def jvp(
    saved: Saved,
    dx: npt.NDArray[Any] | None = None,
    dalpha: float | npt.NDArray[Any] | None = None,
    dgamma: npt.NDArray[Any] | None = None,
    dbeta: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """What the outputs move by when each input moves by its tangent.

        dy = dgamma*t + gamma*(1 - t)*(1 + t)*(dalpha*x + alpha*dx) + dbeta

    Args:
        saved: what `forward` returned.
        dx: the tangent of x; None stands for zero.
        dalpha: the tangent of alpha; None stands for zero.
        dgamma: the tangent of gamma; None stands for zero.
        dbeta: the tangent of beta; None stands for zero.
        out: an array to write the tangent of y to.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns the tangent of y, in the type that forward returned.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    dx = _calls.array("dx", dx, required=False)
    dalpha = _calls.scalar("dalpha", dalpha, required=False)
    dgamma = _calls.array("dgamma", dgamma, required=False)
    dbeta = _calls.array("dbeta", dbeta, required=False)
    if dx is None and dalpha is None and dgamma is None and dbeta is None:
        raise ValueError("every tangent is None; pass at least one")
    _calls.check_left_out("dalpha", dalpha, "alpha", saved.dtypes)
    _calls.check_left_out("dgamma", dgamma, "gamma", saved.dtypes)
    _calls.check_left_out("dbeta", dbeta, "beta", saved.dtypes)
    _calls.check_shape("dx", dx, shape_, "the shape of x")
    _calls.check_shape("dgamma", dgamma, shape_[-1:], "the shape of gamma")
    _calls.check_shape("dbeta", dbeta, shape_[-1:], "the shape of beta")
    threads = _calls.thread_count(threads)
    given_ = {
        "dx": dx,
        "dalpha": dalpha,
        "dgamma": dgamma,
        "dbeta": dbeta,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    stored_ = saved.dtypes["x"]
    dy_: _calls.Array = _calls.result("dy", out, shape_, stored_, given_)
    _jvp(
        saved.x,
        dx,
        saved.alpha,
        saved.gamma,
        dalpha,
        dgamma,
        dbeta,
        dy_,
        shape_,
        dtype_,
        threads,
    )
    return dy_


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
    """The gradients of a loss that depends on what `backward` returned.

        g = gamma*dy*(1 - t)*(1 + t)
        dg = ddalpha*x + alpha*ddx
        g_4 = dy*(1 - t)*(1 + t)*(ddgamma - 2*gamma*dg*t)
        dx = alpha*g_4 + ddalpha*g
        dalpha = sum_rows(D*(mean(g_4*x) + mean(ddx*g)))
        dgamma = sum_rows(dg*dy*(1 - t)*(1 + t))
        dbeta = 0
        ddy = ddgamma*t + gamma*dg*(1 - t)*(1 + t) + ddbeta

    Args:
        saved: what `forward` returned.
        cotangents: what `backward` was given, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, its gradient; None stands for zero.
        ddalpha: the cotangent of dalpha, its gradient; None stands for zero.
        ddgamma: the cotangent of dgamma, its gradient; None stands for zero.
        ddbeta: the cotangent of dbeta, its gradient; None stands for zero.
        out: SecondGradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        threads: how many threads share the rows. It changes no bit of a result.

    Returns SecondGradients, with respect to the inputs and to the cotangents.

    Raises TypeError for what is no floating-point array, ValueError for a wrong shape.
    """
    _check_saved(saved)
    shape_ = saved.shape
    cotangents = _calls.each_cotangent(cotangents, ("dy",))
    dy_ = _calls.array("dy", cotangents[0], required=True)
    _calls.check_shape("dy", dy_, shape_, "the shape of y")
    ddx = _calls.array("ddx", ddx, required=False)
    ddalpha = _calls.scalar("ddalpha", ddalpha, required=False)
    ddgamma = _calls.array("ddgamma", ddgamma, required=False)
    ddbeta = _calls.array("ddbeta", ddbeta, required=False)
    if ddx is None and ddalpha is None and ddgamma is None and ddbeta is None:
        raise ValueError("every cotangent of a gradient is None; pass at least one")
    _calls.check_left_out("ddalpha", ddalpha, "alpha", saved.dtypes)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", saved.dtypes)
    _calls.check_left_out("ddbeta", ddbeta, "beta", saved.dtypes)
    _calls.check_shape("ddx", ddx, shape_, "the shape of x")
    _calls.check_shape("ddgamma", ddgamma, shape_[-1:], "the shape of gamma")
    _calls.check_shape("ddbeta", ddbeta, shape_[-1:], "the shape of beta")
    threads = _calls.thread_count(threads)
    given_ = {
        "cotangents[0]": dy_,
        "ddx": ddx,
        "ddalpha": ddalpha,
        "ddgamma": ddgamma,
        "ddbeta": ddbeta,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
    }
    dtype_ = _calls.types(given_, saved.dtype)[1]
    out = _calls.several(out, ("dx", "dalpha", "dgamma", "dbeta", "ddy"))
    dx_ = _calls.result("dx", out[0], shape_, saved.dtypes.get("x"), given_)
    dalpha_ = _calls.result("dalpha", out[1], (), saved.dtypes.get("alpha"), given_)
    dgamma_ = _calls.result(
        "dgamma", out[2], shape_[-1:], saved.dtypes.get("gamma"), given_
    )
    dbeta_ = _calls.result(
        "dbeta", out[3], shape_[-1:], saved.dtypes.get("beta"), given_
    )
    ddy_ = _calls.result("ddy", out[4], shape_, dy_.dtype, given_)
    _backward_backward(
        saved.x,
        dy_,
        ddx,
        saved.alpha,
        saved.gamma,
        ddalpha,
        ddgamma,
        ddbeta,
        dx_,
        dalpha_,
        dgamma_,
        dbeta_,
        ddy_,
        shape_,
        dtype_,
        threads,
    )
    return _SecondGradients(dx_, dalpha_, dgamma_, dbeta_, ddy_)


def _forward(x_rows, alpha, gamma, beta, y_out, shape, dtype, threads):
    """The outputs and the saved row scalars, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    if alpha is not None:
        alpha_value = np.asarray(alpha, dtype)
    else:
        alpha_value = 0.5
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
    if beta is not None:
        beta = np.ascontiguousarray(beta, dtype)
    if gamma is not None:
        gamma_wide = _rows.repeated(gamma)
    if beta is not None:
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

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        place_y, hand_on_y = _rows.writer((y_out,), dtype, height)
        for _, span in share:
            block(read_x(span), place_y(span))
            hand_on_y(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward(
    x_rows,
    dy_rows,
    alpha,
    gamma,
    dx_out,
    dalpha_out,
    dgamma_out,
    dbeta_out,
    shape,
    dtype,
    threads,
):
    """The gradients, written to their arrays; None for one that is not wanted."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    if alpha is not None:
        alpha_value = np.asarray(alpha, dtype)
    else:
        alpha_value = 0.5
    if gamma is not None:
        gamma = np.ascontiguousarray(gamma, dtype)
        gamma_wide = _rows.repeated(gamma)
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    if dbeta_out is not None:
        dbeta_sums = np.zeros((len(chunks), features), dtype)
    if alpha is not None:
        dalpha_sums = np.zeros(len(chunks), dtype)
    each_row = _rows.equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(chunk, x, dy, dx_block, row_buffers, row_scalar_buffers, column):
        buffer_1 = row_buffers[0]
        row_scalar_1 = row_scalar_buffers[0]
        # step 1: u = x*alpha
        u = np.multiply(x, alpha_value, out=dx_block)
        # step 2: t = tanh(u)
        t = np.tanh(u, out=dx_block)
        # step 8: dgamma = sum over rows of dy*t
        if gamma is not None:
            part = np.multiply(dy, t, out=buffer_1)
            _rows.add_rows(part, each_row, dgamma_sums[chunk], column)
        # step 9: dbeta = sum over rows of dy
        if dbeta_out is not None:
            _rows.add_rows(dy, each_row, dbeta_sums[chunk], column)
        # step 11: g = (1 - t)*dy*(t + 1)*gamma
        g = np.subtract(1.0, t, out=buffer_1)
        g = np.multiply(g, dy, out=buffer_1)
        part_2 = np.add(t, 1.0, out=dx_block)
        g = np.multiply(g, part_2, out=dx_block)
        if gamma is not None:
            g = _rows.by_feature(np.multiply, g, gamma_wide, out=dx_block)
        # step 7: sum_g_x = sum(g*x)
        if alpha is not None:
            sum_g_x = _rows.row_sum(g, x, out=row_scalar_1)
            # step 7: dalpha = sum over rows of sum_g_x
            dalpha_sums[chunk] += np.add.reduce(sum_g_x, axis=None)
        # step 6: dx = g*alpha
        np.multiply(g, alpha_value, out=dx_block)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        row_buffers = np.empty((1, height, features), dtype)
        row_scalar_buffers = np.empty((1, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                place_dx(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dx(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if gamma is not None:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if dbeta_out is not None:
        dbeta = np.add.reduce(dbeta_sums, axis=0)
    if alpha is not None:
        dalpha = np.add.reduce(dalpha_sums, axis=0)
        _rows.round_to(dalpha_out, ..., dalpha)
    if gamma is not None:
        _rows.round_to(dgamma_out, ..., dgamma)
    if dbeta_out is not None:
        _rows.round_to(dbeta_out, ..., dbeta)


def _jvp(
    x_rows, dx_rows, alpha, gamma, dalpha, dgamma, dbeta, dy_out, shape, dtype, threads
):
    """The tangents of the outputs, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 1)
    needs_gamma = gamma is not None and (dx_rows is not None or dalpha is not None)
    needs_dbeta_wide = dbeta is not None and (
        dx_rows is not None or dalpha is not None or dgamma is not None
    )
    needs_part = dx_rows is not None or dalpha is not None
    if (
        dalpha is not None
        or (alpha is not None and dx_rows is not None)
        or (alpha is not None and dgamma is not None)
    ):
        alpha_value = np.asarray(alpha, dtype)
    if alpha is None and (dx_rows is not None or dgamma is not None):
        alpha_value = 0.5
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if dalpha is not None:
        dalpha = np.asarray(dalpha, dtype)
    if dgamma is not None:
        dgamma = np.ascontiguousarray(dgamma, dtype)
    if dbeta is not None:
        dbeta = np.ascontiguousarray(dbeta, dtype)
    if dgamma is not None:
        dgamma_wide = _rows.repeated(dgamma)
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)
    if needs_dbeta_wide:
        dbeta_wide = _rows.repeated(dbeta)

    def block(x, dx, dy_block, row_buffers):
        buffer_1, buffer_2, buffer_3, buffer_4 = row_buffers
        # step 1: u = x*alpha
        if dx_rows is not None or dalpha is not None or dgamma is not None:
            u = np.multiply(x, alpha_value, out=dy_block)
            # step 2: t = tanh(u)
            t = np.tanh(u, out=dy_block)
        # step 12: dy = t*dgamma + (1 - t)*(dx*alpha + x*dalpha)*(t + 1)*gamma + dbeta
        if dgamma is not None:
            dy = _rows.by_feature(np.multiply, t, dgamma_wide, out=buffer_1)
        if needs_part:
            part = np.subtract(1.0, t, out=buffer_2)
        if dx_rows is not None:
            part_2 = np.multiply(dx, alpha_value, out=buffer_3)
        if dalpha is not None:
            part_3 = np.multiply(x, dalpha, out=buffer_4)
        if dx_rows is not None and dalpha is not None:
            part_2 = np.add(part_2, part_3, out=buffer_3)
        if dx_rows is None and dalpha is not None:
            part_2 = part_3
        if needs_part:
            part = np.multiply(part, part_2, out=buffer_2)
            part_4 = np.add(t, 1.0, out=dy_block)
            part = np.multiply(part, part_4, out=dy_block)
        if needs_gamma:
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=dy_block)
        if dgamma is not None and (dx_rows is not None or dalpha is not None):
            dy = np.add(dy, part, out=dy_block)
        if (
            gamma is not None
            and dgamma is None
            and (dx_rows is not None or dalpha is not None)
        ):
            dy = part
        if gamma is None and (dx_rows is not None or dalpha is not None):
            dy = part
        if needs_dbeta_wide:
            dy = _rows.by_feature(np.add, dy, dbeta_wide, out=dy_block)
        if dx_rows is None and dalpha is None and dgamma is None:
            dy = dbeta
        if dx_rows is None and dalpha is None and (dgamma is None or dbeta is None):
            dy_block[...] = dy

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dx = _rows.reader(dx_rows, dtype, height)
        place_dy, hand_on_dy = _rows.writer((dy_out,), dtype, height)
        row_buffers = np.empty((4, height, features), dtype)
        for _, span in share:
            block(
                read_x(span),
                read_dx(span),
                place_dy(span),
                row_buffers[:, : span.stop - span.start],
            )
            hand_on_dy(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)


def _backward_backward(
    x_rows,
    dy_rows,
    ddx_rows,
    alpha,
    gamma,
    ddalpha,
    ddgamma,
    ddbeta,
    dx_out,
    dalpha_out,
    dgamma_out,
    dbeta_out,
    ddy_out,
    shape,
    dtype,
    threads,
):
    """The gradients of the gradients, written to their arrays."""
    rows, features = prod(shape[:-1]), shape[-1]
    height, chunks = _rows.partition(rows, features * dtype.itemsize, 4)
    needs_alpha_value = (
        ddalpha is not None
        or (alpha is not None and ddx_rows is not None)
        or (alpha is not None and ddgamma is not None)
    )
    needs_gamma = gamma is not None and (ddx_rows is not None or ddalpha is not None)
    needs_part_6 = gamma is None and (ddx_rows is not None or ddalpha is not None)
    needs_ddbeta_wide = ddbeta is not None and (
        ddx_rows is not None or ddalpha is not None or ddgamma is not None
    )
    needs_u = ddx_rows is not None or ddalpha is not None or ddgamma is not None
    needs_g = ddalpha is not None or (alpha is not None and ddx_rows is not None)
    needs_mean_ddx_g = alpha is not None and ddx_rows is not None
    needs_part_4 = ddx_rows is not None or ddalpha is not None
    needs_dx = ddx_rows is None and ddalpha is None and ddgamma is None
    if needs_alpha_value:
        alpha_value = np.asarray(alpha, dtype)
    if alpha is None and (ddx_rows is not None or ddgamma is not None):
        alpha_value = 0.5
    if needs_gamma:
        gamma = np.ascontiguousarray(gamma, dtype)
    if ddalpha is not None:
        ddalpha = np.asarray(ddalpha, dtype)
    if ddgamma is not None:
        ddgamma_value = np.ascontiguousarray(ddgamma, dtype)
    if ddgamma is None and (ddx_rows is not None or ddalpha is not None):
        ddgamma_value = 0.0
    if ddbeta is not None:
        ddbeta = np.ascontiguousarray(ddbeta, dtype)
    D = np.asarray(features, dtype)
    # step 15: g_4 = (1 - t)*(ddgamma - 2*dg*t*gamma)*dy*(t + 1)
    if needs_gamma:
        part_6 = np.multiply(gamma, 2.0)
    if needs_part_6:
        part_6 = 2.0
    if needs_gamma:
        gamma_wide = _rows.repeated(gamma)
    if ddgamma is not None:
        ddgamma_value_wide = _rows.repeated(ddgamma_value)
    if needs_ddbeta_wide:
        ddbeta_wide = _rows.repeated(ddbeta)
    if needs_gamma:
        dgamma_sums = np.zeros((len(chunks), features), dtype)
    if needs_alpha_value:
        dalpha_sums = np.zeros(len(chunks), dtype)
    each_row = _rows.equal_weights(height, 1.0, dtype)[:, np.newaxis]

    def block(
        chunk, x, dy, ddx, dx_block, ddy_block, row_buffers, row_scalar_buffers, column
    ):
        buffer_1, buffer_2, buffer_3, buffer_4, buffer_5, buffer_6 = row_buffers
        row_scalar_1, row_scalar_2 = row_scalar_buffers
        # step 1: u = x*alpha
        if needs_u:
            u = np.multiply(x, alpha_value, out=dx_block)
            # step 2: t = tanh(u)
            t = np.tanh(u, out=ddy_block)
            # step 13: g = (1 - t)*dy*(t + 1)*gamma
            part = np.subtract(1.0, t, out=dx_block)
        if needs_g:
            g = np.multiply(part, dy, out=buffer_1)
        if needs_u:
            part_2 = np.add(t, 1.0, out=buffer_2)
        if needs_g:
            g = np.multiply(g, part_2, out=buffer_1)
        if gamma is not None and (
            ddalpha is not None or (alpha is not None and ddx_rows is not None)
        ):
            g = _rows.by_feature(np.multiply, g, gamma_wide, out=buffer_1)
        # step 17: mean_ddx_g = mean(ddx*g)
        if needs_mean_ddx_g:
            mean_ddx_g = _rows.row_mean(ddx, g, D, out=row_scalar_1)
        # step 14: dg = ddx*alpha + x*ddalpha
        if ddx_rows is not None:
            dg = np.multiply(ddx, alpha_value, out=buffer_3)
        if ddalpha is not None:
            part_3 = np.multiply(x, ddalpha, out=buffer_4)
        if ddx_rows is not None and ddalpha is not None:
            dg = np.add(dg, part_3, out=buffer_3)
        if ddx_rows is None and ddalpha is not None:
            dg = part_3
        # step 18: dgamma = sum over rows of (1 - t)*dg*dy*(t + 1)
        if needs_part_4:
            part_4 = np.multiply(part, dg, out=buffer_5)
        if needs_gamma:
            part_5 = np.multiply(part_4, dy, out=buffer_6)
            part_5 = np.multiply(part_5, part_2, out=buffer_6)
            _rows.add_rows(part_5, each_row, dgamma_sums[chunk], column)
        # step 15: g_4 = (1 - t)*(ddgamma - 2*dg*t*gamma)*dy*(t + 1)
        if needs_part_4:
            g_4 = np.multiply(dg, t, out=buffer_3)
            g_4 = np.multiply(g_4, part_6, out=buffer_3)
            g_4 = np.subtract(ddgamma_value, g_4, out=buffer_3)
        if ddx_rows is None and ddalpha is None and ddgamma is not None:
            g_4 = ddgamma_value
        if needs_u:
            g_4 = np.multiply(part, g_4, out=dx_block)
            g_4 = np.multiply(g_4, dy, out=dx_block)
            g_4 = np.multiply(g_4, part_2, out=dx_block)
        # step 17: mean_g_4_x = mean(g_4*x)
        if needs_alpha_value:
            mean_g_4_x = _rows.row_mean(g_4, x, D, out=row_scalar_2)
        # step 16: dx = g*ddalpha + g_4*alpha
        if ddalpha is not None:
            dx = np.multiply(g, ddalpha, out=buffer_1)
        if needs_u:
            part_7 = np.multiply(g_4, alpha_value, out=dx_block)
        if ddalpha is not None:
            dx = np.add(dx, part_7, out=dx_block)
        if ddalpha is None and (ddx_rows is not None or ddgamma is not None):
            dx = part_7
        if needs_dx:
            dx = 0.0
            dx_block[...] = dx
        # step 20: ddy = t*ddgamma + (1 - t)*dg*(t + 1)*gamma + ddbeta
        if ddgamma is not None:
            ddy = _rows.by_feature(np.multiply, t, ddgamma_value_wide, out=ddy_block)
        if needs_part_4:
            part_8 = np.multiply(part_4, part_2, out=buffer_1)
        if needs_gamma:
            part_8 = _rows.by_feature(np.multiply, part_8, gamma_wide, out=buffer_1)
        if ddgamma is not None and (ddx_rows is not None or ddalpha is not None):
            ddy = np.add(ddy, part_8, out=ddy_block)
        if (
            gamma is not None
            and ddgamma is None
            and (ddx_rows is not None or ddalpha is not None)
        ):
            ddy = part_8
        if needs_part_6:
            ddy = part_8
        if needs_ddbeta_wide:
            ddy = _rows.by_feature(np.add, ddy, ddbeta_wide, out=ddy_block)
        if needs_dx:
            ddy = ddbeta
        if ddgamma is None and (
            ddbeta is None or (ddx_rows is None and ddalpha is None)
        ):
            ddy_block[...] = ddy
        # step 17: mean_g_4_x_scaled = (mean_ddx_g + mean_g_4_x)*D
        if needs_mean_ddx_g:
            mean_g_4_x_scaled = np.add(mean_ddx_g, mean_g_4_x, out=row_scalar_1)
        if ddx_rows is None and (
            ddalpha is not None or (alpha is not None and ddgamma is not None)
        ):
            mean_g_4_x_scaled = mean_g_4_x
        if needs_alpha_value:
            mean_g_4_x_scaled = np.multiply(mean_g_4_x_scaled, D, out=row_scalar_1)
            # step 17: dalpha = sum over rows of mean_g_4_x_scaled
            dalpha_sums[chunk] += np.add.reduce(mean_g_4_x_scaled, axis=None)

    def sweep(share):
        read_x = _rows.reader(x_rows, dtype, height)
        read_dy = _rows.reader(dy_rows, dtype, height)
        read_ddx = _rows.reader(ddx_rows, dtype, height)
        place_dx, hand_on_dx = _rows.writer((dx_out,), dtype, height)
        place_ddy, hand_on_ddy = _rows.writer((ddy_out,), dtype, height)
        row_buffers = np.empty((6, height, features), dtype)
        row_scalar_buffers = np.empty((2, height, 1), dtype)
        column = np.empty(features, dtype)
        for chunk, span in share:
            block(
                chunk,
                read_x(span),
                read_dy(span),
                read_ddx(span),
                place_dx(span),
                place_ddy(span),
                row_buffers[:, : span.stop - span.start],
                row_scalar_buffers[:, : span.stop - span.start],
                column,
            )
            hand_on_dx(span)
            hand_on_ddy(span)

    _rows.run(sweep, chunks, threads, features * dtype.itemsize)
    if needs_gamma:
        dgamma = np.add.reduce(dgamma_sums, axis=0)
    if gamma is not None and ddx_rows is None and ddalpha is None:
        dgamma = 0.0
    if needs_alpha_value:
        dalpha = np.add.reduce(dalpha_sums, axis=0)
    if alpha is not None and ddx_rows is None and ddalpha is None and ddgamma is None:
        dalpha = 0.0
    if alpha is not None:
        _rows.round_to(dalpha_out, ..., dalpha)
    if gamma is not None:
        _rows.round_to(dgamma_out, ..., dgamma)
    if dbeta_out is not None:
        _rows.round_to(dbeta_out, ..., 0.0)


def _forward_small(x, alpha, gamma, beta, shape, dtype):
    """The outputs and the saved row scalars of a few rows, taken at once."""
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
    return y


def _backward_small(x, dy, alpha, gamma, wants_dbeta, shape, dtype):
    """The gradients of a few rows, taken at once; None for one not wanted."""
    rows = prod(shape[:-1])
    features = shape[-1]
    vecdot = np.vecdot if shape[-1] <= 2 * _rows.PIECE else _rows.vecdot_in_pieces
    if alpha is not None:
        alpha_value = np.asarray(alpha, dtype)
    else:
        alpha_value = 0.5
    # step 1: u = x*alpha
    u = x * alpha_value
    # step 2: t = tanh(u)
    t = np.tanh(u, out=u)
    # step 8: dgamma = sum over rows of dy*t
    if gamma is not None:
        part = dy * t
        dgamma = _rows.sum_of_rows(
            _rows.equal_weights(rows, 1.0, dtype), part.reshape(-1, features)
        )
    # step 9: dbeta = sum over rows of dy
    if wants_dbeta:
        dbeta = _rows.sum_of_rows(
            _rows.equal_weights(rows, 1.0, dtype), dy.reshape(-1, features)
        )
    # step 11: g = (1 - t)*dy*(t + 1)*gamma
    g = 1.0 - t
    g = np.multiply(g, dy, out=g)
    part_2 = np.add(t, 1.0, out=t)
    g = np.multiply(g, part_2, out=g)
    if gamma is not None:
        g = np.multiply(g, gamma, out=g)
    # step 7: sum_g_x = sum(g*x)
    if alpha is not None:
        sum_g_x = vecdot(g, x)[..., np.newaxis]
        # step 7: dalpha = sum over rows of sum_g_x
        dalpha = np.add.reduce(sum_g_x, axis=None)
    # step 6: dx = g*alpha
    dx = np.multiply(g, alpha_value, out=g)
    if alpha is not None:
        dalpha = _rows.filled(dalpha, out=np.empty((), dtype))
    else:
        dalpha = None
    if gamma is None:
        dgamma = None
    if not wants_dbeta:
        dbeta = None
    return dx, dalpha, dgamma, dbeta


def saved_from(
    *,
    x: npt.NDArray[Any],
    alpha: float | npt.NDArray[Any] | None = None,
    gamma: npt.NDArray[Any] | None = None,
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """What `forward` saved, from its arrays, which are looked at as by `backward`.

    Args:
        x: the argument x of forward.
        alpha: the argument alpha of forward.
        gamma: the argument gamma of forward.
        shape: that of the rows; None where an array has it.
        dtype: the type that forward computed in; None is that of the row scalars, or
            else what forward would choose.
        dtypes: the type of each input that was given, by name, of which gradients are.
            What no array tells is needed: another input was left out, or has the type
            of the rows if it cannot be.

    Raises TypeError or ValueError for what `forward` cannot have saved.
    """
    fields_ = (x, alpha, gamma)
    first_ = _saved.first_fields(_INTERFACE, fields_, shape, dtype, dtypes, False)
    saved_ = _Saved(*first_, x, alpha, gamma)
    _check_saved(saved_)
    return saved_


def _check_saved(saved: Saved) -> None:
    """Refuse what was changed in it, and arrays whose shape was changed since."""
    _calls.check_is_saved(saved, Saved, "dynamic_tanh")
    _calls.check_first_fields(saved, ("x",))
    _calls.check_number("alpha", saved.alpha, "alpha" in saved.dtypes)
    _calls.check_kept("x", saved.x, saved.shape)
    _calls.check_kept("gamma", saved.gamma, saved.shape[-1:], "gamma" in saved.dtypes)
