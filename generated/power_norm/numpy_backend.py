# Made by lngen 0.1.0 from the definition of power_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit power_norm.py and run: lngen derive power_norm.py
# definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
"""Each row divided by its mean fourth power, to the power 1/4.

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


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None
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
    scale: npt.NDArray[Any]  # row scalar scale, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
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
    *,
    eps: float = 1e-5,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Each row divided by its mean fourth power, to the power 1/4.

        mean_x4 = mean(x**4)
        scale = 1/(mean_x4 + eps)**(1/4)
        xhat = scale*x
        y = gamma*xhat

    Args:
        x: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1, at no cost.
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
    return _forward(_FORWARD, x, gamma, eps, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    gamma: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x, gamma = _calls.arrays(1, x=x, gamma=gamma)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape[-1:], "(D,)", gamma=gamma)
    _read = {"x": x, "gamma": gamma}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, x.dtype, _read, _by.empty)
    scale_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, scale_),
        _blocks.Work(_shape, _dtype, threads),
        (x, _calls.parameter(gamma, _dtype), eps),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = Saved(_shape, _dtype, _dtypes, x, gamma, scale_) if save else None
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, gamma, eps = values
    y_out, scale_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, gamma_wide, y_block=None):
        # step 1: mean_x4 = mean(x**4)
        part = np.square(x, out=y_block)
        mean_x4 = _rows.row_dot(part, part) / D
        # step 2: scale = 1/(mean_x4 + eps)**(1/4)
        scale = np.reciprocal(np.power(mean_x4 + eps, 0.25))
        # step 3: xhat = x*scale
        xhat = _rows.by_row(np.multiply, x, scale, out=y_block)
        # step 4: y = xhat*gamma
        if gamma is not None:
            y = _rows.by_feature(np.multiply, xhat, gamma_wide, out=xhat)
        else:
            y = xhat
        return y, scale[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        features=(gamma,),
        into=(y_out,),
        into_row_scalars=(scale_out,),
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
        dx = scale*(g - xhat**3*mean(g*xhat))
        dgamma = sum_rows(dy*xhat)

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
    _of_x, _of_gamma = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.scale": saved.scale,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dgamma_ = _calls.results(
        out, _read, _by.empty, dx=(_shape, _of_x), dgamma=(_shape[-1:], _of_gamma)
    )
    _by.fill(
        (dx_, dgamma_),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (saved.x, _calls.parameter(saved.gamma, _dtype), saved.scale),
    )
    return Gradients(*_calls.returned((dx_, dgamma_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, gamma, scale_rows = fields
    dx_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    # step 11, pass 1: mean_g_xhat_unscaled = mean(dy*x*gamma)
    if gamma is not None:
        gamma_over_D = gamma / D

    def block(x, dy, scale, gamma_wide, dx_block=None, buffers=(None,)):
        dgamma = None
        # step 12, pass 3: dgamma = sum over rows of dy*x*scale
        if gamma is not None:
            part = np.multiply(dy, x, out=dx_block)
            dgamma = _rows.sum_rows(part, scale)
            # step 11, pass 1: mean_g_xhat_unscaled = mean(dy*x*gamma)
            mean_g_xhat_unscaled = _rows.row_dot(part, gamma_over_D)
        else:
            mean_g_xhat_unscaled = _rows.row_dot(dy, x) / D
        # step 5: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        else:
            g = dy
        # step 11, pass 2: mean_g_xhat = mean_g_xhat_unscaled*scale
        mean_g_xhat = mean_g_xhat_unscaled * scale
        # step 11, pass 4: dx = (g - x**3*mean_g_xhat*scale**3)*scale
        dx = np.square(x, out=buffers[0])
        dx = np.multiply(dx, x, out=dx)
        dx = np.multiply(dx, mean_g_xhat * (np.square(scale) * scale), out=dx)
        dx = np.subtract(g, dx, out=dx_block)
        dx = np.multiply(dx, scale, out=dx)
        return dx, dgamma

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(scale_rows,),
        features=(gamma,),
        into=(dx_out,),
        buffers=1,
        feature_sums=1,
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = gamma_dot*xhat + scale*gamma*(x_dot - xhat*mean(x_dot*xhat**3))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        gamma_dot: the tangent of gamma, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, gamma_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    gamma_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_gamma = saved[2]
    x_dot, gamma_dot = _calls.arrays(0, x_dot=x_dot, gamma_dot=gamma_dot)
    _calls.check_any("tangent", x_dot, gamma_dot)
    _calls.check_left_out("gamma_dot", gamma_dot, "gamma", _of_gamma)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", gamma_dot=gamma_dot)
    _read = {
        "x_dot": x_dot,
        "gamma_dot": gamma_dot,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.scale": saved.scale,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot, _calls.parameter(gamma_dot, _dtype)),
        (saved.x, _calls.parameter(saved.gamma, _dtype), saved.scale),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, gamma_dot = arguments
    x_rows, gamma, scale_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(
        x, x_dot, scale, gamma_dot_wide, gamma_wide, y_dot_block=None, buffers=(None,)
    ):
        # step 3: xhat = x*scale
        xhat = _rows.by_row(np.multiply, x, scale, out=buffers[0])
        # step 19: mean_x_dot_xhat = mean(x_dot*xhat**3)
        if x_dot_rows is not None:
            part = np.square(xhat, out=y_dot_block)
            part = np.multiply(part, xhat, out=part)
            mean_x_dot_xhat = _rows.row_dot(x_dot, part) / D
        # step 19: y_dot = xhat*gamma_dot + (x_dot - xhat*mean_x_dot_xhat)*scale*gamma
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, xhat, gamma_dot_wide, out=y_dot_block)
        if x_dot_rows is not None:
            part_2 = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part_2 = np.subtract(x_dot, part_2, out=part_2)
        if gamma is not None and x_dot_rows is not None:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=part_2)
        if x_dot_rows is not None:
            part_2 = np.multiply(part_2, scale, out=part_2)
        if x_dot_rows is not None and gamma_dot is not None:
            y_dot = np.add(y_dot, part_2, out=y_dot)
        if gamma_dot is None:
            y_dot = part_2
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(scale_rows,),
        features=(gamma_dot, gamma),
        into=(y_dot_out,),
        buffers=1,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = gamma*dy
        mean_g_xhat = mean(g*xhat)
        dmean_g_xhat = sum(-scale*ddx*xhat**3)
        dg = scale*ddx + dmean_g_xhat*xhat/D
        d2xhat = ddgamma*dy + dmean_g_xhat*g/D - 3*mean_g_xhat*scale*ddx*xhat**2
        d2scale = sum(d2xhat*x) + sum(ddx*(g - mean_g_xhat*xhat**3))
        d2mean_x4 = -d2scale*scale**5/4
        d2x = scale*d2xhat + 4*d2mean_x4*x**3/D
        d2gamma = sum_rows(dg*dy)
        ddy = gamma*dg + ddgamma*xhat

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddgamma: the cotangent of dgamma, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dgamma is d2gamma)
    and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddx, ddgamma, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddgamma: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_gamma = saved[2]
    dy, ddx, ddgamma = _calls.arrays(1, dy=dy, ddx=ddx, ddgamma=ddgamma)
    _calls.check_any("cotangent of a gradient", ddx, ddgamma)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", _of_gamma)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", ddgamma=ddgamma)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddgamma": ddgamma,
        "saved.x": saved.x,
        "saved.gamma": saved.gamma,
        "saved.scale": saved.scale,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dgamma_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dgamma=(_shape[-1:], _of_gamma),
        ddy=(_shape, dy.dtype),
    )
    _by.fill(
        (dx_, dgamma_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddx, _calls.parameter(ddgamma, _dtype)),
        (saved.x, _calls.parameter(saved.gamma, _dtype), saved.scale),
    )
    return SecondGradients(*_calls.returned((dx_, dgamma_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddgamma = arguments
    x_rows, gamma, scale_rows = fields
    dx_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_gamma_and_ddx = gamma is not None and ddx_rows is not None
    with_ddx_and_ddgamma = ddx_rows is not None and ddgamma is not None
    ones = _rows.equal_weights(features, 1.0, dtype)
    D = _rows.number(features, dtype)
    # step 29, pass 15: d2mean_x4_scaled = 4*d2mean_x4/D
    part_12 = 4.0 / D

    def block(
        x,
        dy,
        ddx,
        scale,
        gamma_wide,
        ddgamma_wide,
        dx_block=None,
        ddy_block=None,
        buffers=(None,) * 3,
    ):
        d2gamma = None
        # step 24, pass 6: dmean_g_xhat_unscaled = sum(-ddx*x**3)
        part = np.square(x, out=dx_block)
        part_2 = np.multiply(part, x, out=buffers[0])
        if ddx_rows is not None:
            part_3 = np.multiply(ddx, part_2, out=ddy_block)
            part_3 = np.negative(part_3, out=part_3)
            dmean_g_xhat_unscaled = _rows.row_dot(part_3, ones)
        # step 20: g = dy*gamma
        if with_gamma_and_ddx:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[1])
        if gamma is None:
            g = dy
        # step 21, pass 5: mean_g_xhat_unscaled = mean(g*x)
        if ddx_rows is not None:
            mean_g_xhat_unscaled = _rows.row_dot(g, x) / D
            # step 21, pass 7: mean_g_xhat = mean_g_xhat_unscaled*scale
            mean_g_xhat = mean_g_xhat_unscaled * scale
        # step 24, pass 8: dmean_g_xhat = dmean_g_xhat_unscaled*scale**4
        part_4 = np.square(scale)
        part_5 = np.square(part_4)
        if ddx_rows is not None:
            dmean_g_xhat = dmean_g_xhat_unscaled * part_5
            # step 30, pass 9: dmean_g_xhat_scaled = dmean_g_xhat/D
            dmean_g_xhat_scaled = dmean_g_xhat / D
            # step 25, pass 10: mean_g_xhat_scaled = -3*mean_g_xhat*scale
            mean_g_xhat_scaled = mean_g_xhat * scale * -3.0
            # step 26, pass 14: sum_ddx_g_xhat = sum((g -
            #   x**3*mean_g_xhat*scale**3)*ddx)
            part_6 = _rows.by_row(
                np.multiply, part_2, mean_g_xhat * (part_4 * scale), out=ddy_block
            )
            part_6 = np.subtract(g, part_6, out=part_6)
            sum_ddx_g_xhat = _rows.row_dot(part_6, ddx)
            # step 30, pass 11: dg = ddx*scale + x*dmean_g_xhat_scaled*scale
            dg = _rows.by_row(np.multiply, ddx, scale, out=ddy_block)
            part_7 = _rows.by_row(
                np.multiply, x, dmean_g_xhat_scaled * scale, out=buffers[2]
            )
            dg = np.add(dg, part_7, out=dg)
        # step 31: d2gamma = sum over rows of dg*dy
        if with_gamma_and_ddx:
            part_8 = np.multiply(dg, dy, out=buffers[2])
            d2gamma = _rows.sum_rows(part_8)
        # step 25, pass 12: d2xhat = dy*ddgamma + g*dmean_g_xhat_scaled +
        #   ddx*x**2*mean_g_xhat_scaled*scale**2
        if ddgamma is not None:
            d2xhat = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[2])
        if ddx_rows is not None:
            part_9 = np.multiply(g, dmean_g_xhat_scaled, out=buffers[1])
        if with_ddx_and_ddgamma:
            d2xhat = np.add(d2xhat, part_9, out=part_9)
        if ddgamma is None:
            d2xhat = part_9
        if ddx_rows is not None:
            part_10 = np.multiply(ddx, part, out=part)
            part_10 = np.multiply(part_10, mean_g_xhat_scaled * part_4, out=part_10)
            d2xhat = np.add(d2xhat, part_10, out=part_10)
        # step 26: sum_d2xhat_x = sum(d2xhat*x)
        sum_d2xhat_x = _rows.row_dot(d2xhat, x)
        # step 32, pass 13: ddy = dg*gamma + x*scale*ddgamma
        if with_gamma_and_ddx:
            ddy = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if gamma is None:
            ddy = dg
        if ddgamma is not None:
            part_11 = _rows.by_feature(np.multiply, x, ddgamma_wide, out=buffers[1])
            part_11 = np.multiply(part_11, scale, out=part_11)
        if with_ddx_and_ddgamma:
            ddy = np.add(ddy, part_11, out=ddy)
        if ddx_rows is None:
            ddy = part_11
        # step 26: d2scale = sum_d2xhat_x + sum_ddx_g_xhat
        if ddx_rows is not None:
            d2scale = sum_d2xhat_x + sum_ddx_g_xhat
        else:
            d2scale = sum_d2xhat_x
        # step 28: d2mean_x4 = -d2scale*scale**5/4
        d2mean_x4 = d2scale * (part_5 * scale) * -0.25
        # step 29, pass 15: d2mean_x4_scaled = 4*d2mean_x4/D
        d2mean_x4_scaled = d2mean_x4 * part_12
        # step 29, pass 16: d2x = d2xhat*scale + x**3*d2mean_x4_scaled
        d2x = np.multiply(d2xhat, scale, out=dx_block)
        part_13 = np.multiply(part_2, d2mean_x4_scaled, out=part_2)
        d2x = np.add(d2x, part_13, out=d2x)
        return d2x, ddy, d2gamma

    d2x, ddy, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(scale_rows,),
        features=(gamma, ddgamma),
        into=(dx_out, ddy_out),
        buffers=3,
        feature_sums=1,
    )
    if ddx_rows is None:
        d2gamma = np.full(features, 0.0, dtype)
    return d2x, d2gamma, ddy


def saved_from(
    *,
    x: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    scale: npt.NDArray[Any],
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
    fields_ = (x, gamma, scale)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, gamma, scale)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "power_norm")
    _calls.check_first_fields(saved, (True, False))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept(_shape[-1:], saved.dtypes[1] is not None, gamma=saved.gamma)
    _calls.check_kept(_shape[:-1], scale=saved.scale)


INTERFACE: _interface.Interface = {
    "name": "power_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("gamma", "Feature", default=1),
    ],
    "constants": [_interface.constant("eps", default=1e-5, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("gamma", "input", ["D"]),
        _interface.saved("scale", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("gamma", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class PowerNorm(_modules.NumpyModule):
    """`power_norm` as an object with the parameter gamma.

    Args:
        D: the number of features of a row.
        gamma: False omits it; its initial value is 1.
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
        eps: float = 1e-5,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype, D=_modules.size("D", D, 1))
        self._parameter("gamma", gamma, (D,), 1)
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
        self.gradients = self._of_parameters(gamma=found.dgamma)
        return found.dx
