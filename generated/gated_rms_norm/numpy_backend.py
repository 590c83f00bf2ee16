# Made by lngen 0.1.0 from the definition of gated_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit gated_rms_norm.py and run: lngen derive gated_rms_norm.py
# definition sha256:ee637544211683f8ef65c6ea440025df60a8d2abcaecf8473b19f47a76fd42ac
"""Root-mean-square normalization, then a gate: silu of another row.

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
    dz: npt.NDArray[Any]
    dgamma: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    dz: npt.NDArray[Any]
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
    z: npt.NDArray[Any]  # argument z of forward
    gamma: npt.NDArray[Any] | None  # argument gamma of forward
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    z: npt.NDArray[Any],
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
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-5,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Root-mean-square normalization, then a gate: silu of another row.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        y = gamma*silu_z*xhat

    Args:
        x: shape (..., D).
        z: shape (..., D).
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
    return _forward(_FORWARD, x, z, gamma, eps, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    z: Any,
    gamma: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x, z, gamma = _calls.arrays(2, x=x, z=z, gamma=gamma)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape, "the shape of x", z=z)
    _calls.check_shapes(_shape[-1:], "(D,)", gamma=gamma)
    _read = {"x": x, "z": z, "gamma": gamma}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, x.dtype, _read, _by.empty)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, rstd_),
        _blocks.Work(_shape, _dtype, threads),
        (x, z, _calls.parameter(gamma, _dtype), eps),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = Saved(_shape, _dtype, _dtypes, x, z, gamma, rstd_) if save else None
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, z_rows, gamma, eps = values
    y_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, z, gamma_wide, y_block=None, buffers=(None,)):
        # step 1: ms = mean(x**2)
        ms = _rows.row_dot(x, x) / D
        # step 2: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=y_block)
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=buffers[0])
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=sigmoid_z)
        # step 6: y = silu_z*xhat*gamma
        y = np.multiply(silu_z, xhat, out=xhat)
        if gamma is not None:
            y = _rows.by_feature(np.multiply, y, gamma_wide, out=y)
        return y, rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows),
        features=(gamma,),
        into=(y_out,),
        into_row_scalars=(rstd_out,),
        buffers=1,
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = gamma*dy*silu_z
        dx = rstd*(g - xhat*mean(g*xhat))
        dz = gamma*dy*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))
        dgamma = sum_rows(dy*silu_z*xhat)

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
    _of_x, _of_z, _of_gamma = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.z": saved.z,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dz_, dgamma_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dz=(_shape, _of_z),
        dgamma=(_shape[-1:], _of_gamma),
    )
    _by.fill(
        (dx_, dz_, dgamma_),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (saved.x, saved.z, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    return Gradients(*_calls.returned((dx_, dz_, dgamma_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, z_rows, gamma, rstd_rows = fields
    dx_out, dz_out, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(
        x, z, dy, rstd, gamma_wide, dx_block=None, dz_block=None, buffers=(None,) * 2
    ):
        dgamma = None
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=dx_block)
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=buffers[0])
        # step 20: dgamma = sum over rows of dy*silu_z*xhat
        part = np.multiply(dy, silu_z, out=silu_z)
        if gamma is not None:
            part_2 = np.multiply(part, xhat, out=buffers[1])
            dgamma = _rows.sum_rows(part_2)
            # step 7: g = dy*silu_z*gamma
            g = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        else:
            g = part
        # step 13: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _rows.row_dot(g, xhat) / D
        # step 19: dz = dy*sigmoid_z*xhat*((1 - sigmoid_z)*z + 1)*gamma
        dz = np.multiply(dy, sigmoid_z, out=buffers[1])
        dz = np.multiply(dz, xhat, out=dz)
        part_3 = np.subtract(1.0, sigmoid_z, out=sigmoid_z)
        part_3 = np.multiply(part_3, z, out=part_3)
        part_3 = np.add(part_3, 1.0, out=part_3)
        dz = np.multiply(dz, part_3, out=part_3)
        if gamma is not None:
            dz = _rows.by_feature(np.multiply, dz, gamma_wide, out=dz)
        # step 13: dx = (g - xhat*mean_g_xhat)*rstd
        dx = np.multiply(xhat, mean_g_xhat, out=xhat)
        dx = np.subtract(g, dx, out=dx)
        dx = np.multiply(dx, rstd, out=dx)
        return dx, dz, dgamma

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows, dy_rows),
        row_scalars=(rstd_rows,),
        features=(gamma,),
        into=(dx_out, dz_out),
        buffers=2,
        feature_sums=1,
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    z_dot: npt.NDArray[Any] | None = None,
    gamma_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = gamma_dot*silu_z*xhat + gamma*sigmoid_z*xhat*z_dot*(1 + z*(1 -
            sigmoid_z)) + rstd*gamma*silu_z*(x_dot - xhat*mean(x_dot*xhat))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        z_dot: the tangent of z, in its shape; None stands for zero.
        gamma_dot: the tangent of gamma, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, z_dot, gamma_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    z_dot: Any,
    gamma_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_z, _of_gamma = saved[2]
    x_dot, z_dot, gamma_dot = _calls.arrays(
        0, x_dot=x_dot, z_dot=z_dot, gamma_dot=gamma_dot
    )
    _calls.check_any("tangent", x_dot, z_dot, gamma_dot)
    _calls.check_left_out("gamma_dot", gamma_dot, "gamma", _of_gamma)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _calls.check_shapes(_shape, "the shape of z", z_dot=z_dot)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", gamma_dot=gamma_dot)
    _read = {
        "x_dot": x_dot,
        "z_dot": z_dot,
        "gamma_dot": gamma_dot,
        "saved.x": saved.x,
        "saved.z": saved.z,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot, z_dot, _calls.parameter(gamma_dot, _dtype)),
        (saved.x, saved.z, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, z_dot_rows, gamma_dot = arguments
    x_rows, z_rows, gamma, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(
        x,
        z,
        x_dot,
        z_dot,
        rstd,
        gamma_dot_wide,
        gamma_wide,
        y_dot_block=None,
        buffers=(None,) * 4,
    ):
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=buffers[0])
        # step 31: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_dot(x_dot, xhat) / D
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=buffers[1])
        # step 5: silu_z = sigmoid_z*z
        if x_dot_rows is not None or gamma_dot is not None:
            silu_z = np.multiply(sigmoid_z, z, out=buffers[2])
        # step 31: y_dot = silu_z*xhat*gamma_dot + (x_dot -
        #   xhat*mean_x_dot_xhat)*silu_z*rstd*gamma + sigmoid_z*xhat*((1 - sigmoid_z)*z
        #   + 1)*z_dot*gamma
        if gamma_dot is not None:
            y_dot = np.multiply(silu_z, xhat, out=y_dot_block)
            y_dot = _rows.by_feature(np.multiply, y_dot, gamma_dot_wide, out=y_dot)
        if x_dot_rows is not None:
            part = _rows.by_row(np.multiply, xhat, mean_x_dot_xhat, out=buffers[3])
            part = np.subtract(x_dot, part, out=part)
            part = np.multiply(part, silu_z, out=silu_z)
        if gamma is not None and x_dot_rows is not None:
            part = _rows.by_feature(np.multiply, part, gamma_wide, out=part)
        if x_dot_rows is not None:
            part = np.multiply(part, rstd, out=part)
        if x_dot_rows is not None and gamma_dot is not None:
            y_dot = np.add(y_dot, part, out=y_dot)
        if x_dot_rows is not None and gamma_dot is None:
            y_dot = part
        if z_dot_rows is not None:
            part_2 = np.multiply(sigmoid_z, xhat, out=xhat)
            part_3 = np.subtract(1.0, sigmoid_z, out=sigmoid_z)
            part_3 = np.multiply(part_3, z, out=part_3)
            part_3 = np.add(part_3, 1.0, out=part_3)
            part_2 = np.multiply(part_2, part_3, out=part_2)
            part_2 = np.multiply(part_2, z_dot, out=part_2)
        if gamma is not None and z_dot_rows is not None:
            part_2 = _rows.by_feature(np.multiply, part_2, gamma_wide, out=part_2)
        if z_dot_rows is not None and (x_dot_rows is not None or gamma_dot is not None):
            y_dot = np.add(y_dot, part_2, out=y_dot_block)
        if x_dot_rows is None and gamma_dot is None:
            y_dot = part_2
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows, x_dot_rows, z_dot_rows),
        row_scalars=(rstd_rows,),
        features=(gamma_dot, gamma),
        into=(y_dot_out,),
        buffers=4,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddz: npt.NDArray[Any] | None = None,
    ddgamma: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = gamma*dy*silu_z
        mean_g_xhat = mean(g*xhat)
        dg = rstd*(ddx - xhat*mean(ddx*xhat))
        d2silu_z = dy*(gamma*dg + ddgamma*xhat)
        d2xhat_part = gamma*ddz*dy*sigmoid_z*(1 + z*(1 - sigmoid_z)) -
            mean_g_xhat*rstd*ddx
        d2x = rstd*(d2xhat_part + ddgamma*dy*silu_z +
            rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) - xhat*mean(ddx*g)) -
            xhat*mean(d2xhat_part*xhat) - xhat*mean(ddgamma*dy*silu_z*xhat))
        d2z = sigmoid_z*(d2silu_z + gamma*ddz*dy*xhat*(1 - sigmoid_z) + (1 -
            sigmoid_z)*(d2silu_z*z + gamma*ddz*dy*xhat*(1 + z*(1 - sigmoid_z) -
            silu_z)))
        d2gamma = sum_rows(dy*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 - sigmoid_z))))
        ddy = ddgamma*silu_z*xhat + gamma*(dg*silu_z + ddz*sigmoid_z*xhat*(1 + z*(1 -
            sigmoid_z)))

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddz: the cotangent of dz, in its shape; None stands for zero.
        ddgamma: the cotangent of dgamma, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dz is d2z, dgamma is
    d2gamma) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddx, ddz, ddgamma, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddz: Any,
    ddgamma: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_z, _of_gamma = saved[2]
    dy, ddx, ddz, ddgamma = _calls.arrays(1, dy=dy, ddx=ddx, ddz=ddz, ddgamma=ddgamma)
    _calls.check_any("cotangent of a gradient", ddx, ddz, ddgamma)
    _calls.check_left_out("ddgamma", ddgamma, "gamma", _of_gamma)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _calls.check_shapes(_shape, "the shape of z", ddz=ddz)
    _calls.check_shapes(_shape[-1:], "the shape of gamma", ddgamma=ddgamma)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddz": ddz,
        "ddgamma": ddgamma,
        "saved.x": saved.x,
        "saved.z": saved.z,
        "saved.gamma": saved.gamma,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dz_, dgamma_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dz=(_shape, _of_z),
        dgamma=(_shape[-1:], _of_gamma),
        ddy=(_shape, dy.dtype),
    )
    _by.fill(
        (dx_, dz_, dgamma_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddx, ddz, _calls.parameter(ddgamma, _dtype)),
        (saved.x, saved.z, _calls.parameter(saved.gamma, _dtype), saved.rstd),
    )
    return SecondGradients(*_calls.returned((dx_, dz_, dgamma_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddz_rows, ddgamma = arguments
    x_rows, z_rows, gamma, rstd_rows = fields
    dx_out, dz_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_ddx_or_ddgamma = ddx_rows is not None or ddgamma is not None
    with_gamma_and_ddx = gamma is not None and ddx_rows is not None
    with_ddx_without_gamma = gamma is None and ddx_rows is not None
    needs_part_7 = gamma is not None and (ddx_rows is not None or ddz_rows is not None)
    with_gamma_and_ddz = gamma is not None and ddz_rows is not None
    with_ddx_or_ddz = ddx_rows is not None or ddz_rows is not None
    needs_d2z = ddz_rows is not None and (ddx_rows is not None or ddgamma is not None)
    needs_ddy = ddgamma is not None and (ddx_rows is not None or ddz_rows is not None)
    D = _rows.number(features, dtype)
    # step 44: mean_ddgamma_dy_silu_z = mean(dy*silu_z*xhat*ddgamma)
    if ddgamma is not None:
        ddgamma_over_D = ddgamma / D

    def block(
        x,
        z,
        dy,
        ddx,
        ddz,
        rstd,
        gamma_wide,
        ddgamma_wide,
        dx_block=None,
        dz_block=None,
        ddy_block=None,
        buffers=(None,) * 10,
    ):
        d2gamma = None
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=dx_block)
        # step 49: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_dot(ddx, xhat) / D
        # step 4: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 5: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=ddy_block)
        # step 44: mean_ddgamma_dy_silu_z = mean(dy*silu_z*xhat*ddgamma)
        if with_ddx_or_ddgamma:
            part = np.multiply(dy, silu_z, out=buffers[0])
        if ddgamma is not None:
            part_2 = np.multiply(part, xhat, out=buffers[1])
            mean_ddgamma_dy_silu_z = _rows.row_dot(part_2, ddgamma_over_D)
        # step 32: g = dy*silu_z*gamma
        if with_gamma_and_ddx:
            g = _rows.by_feature(np.multiply, part, gamma_wide, out=buffers[1])
        if with_ddx_without_gamma:
            g = part
        # step 33: mean_g_xhat = mean(g*xhat)
        if ddx_rows is not None:
            mean_g_xhat = _rows.row_dot(g, xhat) / D
            # step 44: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_dot(ddx, g) / D
            # step 36, pass 1: mean_g_xhat_scaled = mean_g_xhat*rstd
            mean_g_xhat_scaled = mean_g_xhat * rstd
            # step 44, pass 2: mean_g_xhat_scaled_2 = 2*mean_g_xhat
            mean_g_xhat_scaled_2 = mean_g_xhat * 2.0
            # step 49: dg = (ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=buffers[2])
            dg = np.subtract(ddx, dg, out=dg)
            dg = np.multiply(dg, rstd, out=dg)
            # step 60: d2gamma = sum over rows of (dg*silu_z + ddz*sigmoid_z*xhat*((1 -
            #   sigmoid_z)*z + 1))*dy
            part_3 = np.multiply(dg, silu_z, out=buffers[3])
        if ddz_rows is not None:
            part_4 = np.multiply(ddz, sigmoid_z, out=buffers[4])
            part_4 = np.multiply(part_4, xhat, out=part_4)
        part_5 = np.subtract(1.0, sigmoid_z, out=buffers[5])
        if ddz_rows is not None:
            part_6 = np.multiply(part_5, z, out=buffers[6])
            part_6 = np.add(part_6, 1.0, out=part_6)
            part_4 = np.multiply(part_4, part_6, out=part_4)
        if ddx_rows is not None and ddz_rows is not None:
            part_3 = np.add(part_3, part_4, out=part_3)
        if ddx_rows is None and ddz_rows is not None:
            part_3 = part_4
        if needs_part_7:
            part_7 = np.multiply(part_3, dy, out=buffers[7])
            d2gamma = _rows.sum_rows(part_7)
        # step 52: d2silu_z = (xhat*ddgamma + dg*gamma)*dy
        if ddgamma is not None:
            d2silu_z = _rows.by_feature(np.multiply, xhat, ddgamma_wide, out=buffers[7])
        if with_gamma_and_ddx:
            part_8 = _rows.by_feature(np.multiply, dg, gamma_wide, out=dg)
        if with_ddx_without_gamma:
            part_8 = dg
        if ddx_rows is not None and ddgamma is not None:
            d2silu_z = np.add(d2silu_z, part_8, out=part_8)
        if ddx_rows is not None and ddgamma is None:
            d2silu_z = part_8
        if with_ddx_or_ddgamma:
            d2silu_z = np.multiply(d2silu_z, dy, out=buffers[2])
        # step 36, pass 3: d2xhat_part = ddz*dy*sigmoid_z*((1 - sigmoid_z)*z + 1)*gamma
        #   - ddx*mean_g_xhat_scaled
        if ddz_rows is not None:
            d2xhat_part = np.multiply(ddz, dy, out=buffers[7])
            d2xhat_part = np.multiply(d2xhat_part, sigmoid_z, out=d2xhat_part)
            d2xhat_part = np.multiply(d2xhat_part, part_6, out=d2xhat_part)
        if with_gamma_and_ddz:
            d2xhat_part = _rows.by_feature(
                np.multiply, d2xhat_part, gamma_wide, out=d2xhat_part
            )
        if ddx_rows is not None and ddz_rows is None:
            d2xhat_part = 0.0
        if ddx_rows is not None:
            part_9 = _rows.by_row(np.multiply, ddx, mean_g_xhat_scaled, out=buffers[4])
            d2xhat_part = np.subtract(d2xhat_part, part_9, out=part_9)
        # step 44: mean_d2xhat_part_xhat = mean(d2xhat_part*xhat)
        if with_ddx_or_ddz:
            mean_d2xhat_part_xhat = _rows.row_dot(d2xhat_part, xhat) / D
        # step 58: d2z = (d2silu_z + (1 - sigmoid_z)*ddz*dy*xhat*gamma + (1 -
        #   sigmoid_z)*(d2silu_z*z + ((1 - sigmoid_z)*z + 1 -
        #   silu_z)*ddz*dy*xhat*gamma))*sigmoid_z
        if ddz_rows is not None:
            d2z = np.multiply(part_5, ddz, out=buffers[8])
            d2z = np.multiply(d2z, dy, out=d2z)
            d2z = np.multiply(d2z, xhat, out=d2z)
        if with_gamma_and_ddz:
            d2z = _rows.by_feature(np.multiply, d2z, gamma_wide, out=d2z)
        if needs_d2z:
            d2z = np.add(d2silu_z, d2z, out=d2z)
        if ddz_rows is None:
            d2z = d2silu_z
        if with_ddx_or_ddgamma:
            part_10 = np.multiply(d2silu_z, z, out=buffers[9])
        if ddz_rows is not None:
            part_11 = np.subtract(part_6, silu_z, out=buffers[2])
            part_11 = np.multiply(part_11, ddz, out=part_11)
            part_11 = np.multiply(part_11, dy, out=part_11)
            part_11 = np.multiply(part_11, xhat, out=part_11)
        if with_gamma_and_ddz:
            part_11 = _rows.by_feature(np.multiply, part_11, gamma_wide, out=part_11)
        if needs_d2z:
            part_10 = np.add(part_10, part_11, out=part_11)
        if ddx_rows is None and ddgamma is None:
            part_10 = part_11
        part_10 = np.multiply(part_5, part_10, out=part_5)
        d2z = np.add(d2z, part_10, out=buffers[2])
        d2z = np.multiply(d2z, sigmoid_z, out=sigmoid_z)
        # step 64: ddy = silu_z*xhat*ddgamma + (dg*silu_z + ddz*sigmoid_z*xhat*((1 -
        #   sigmoid_z)*z + 1))*gamma
        if ddgamma is not None:
            ddy = np.multiply(silu_z, xhat, out=silu_z)
            ddy = _rows.by_feature(np.multiply, ddy, ddgamma_wide, out=ddy)
        if needs_part_7:
            part_12 = _rows.by_feature(np.multiply, part_3, gamma_wide, out=buffers[2])
        if gamma is None:
            part_12 = part_3
        if needs_ddy:
            ddy = np.add(ddy, part_12, out=ddy)
        if ddgamma is None:
            ddy = part_12
        # step 44, pass 4: d2x = (d2xhat_part + dy*silu_z*ddgamma +
        #   ((xhat*mean_g_xhat_scaled_2 - g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd -
        #   xhat*mean_d2xhat_part_xhat - xhat*mean_ddgamma_dy_silu_z)*rstd
        if ddgamma is not None:
            d2x = _rows.by_feature(np.multiply, part, ddgamma_wide, out=part)
        if needs_ddy:
            d2x = np.add(d2xhat_part, d2x, out=d2x)
        if ddgamma is None:
            d2x = d2xhat_part
        if ddx_rows is not None:
            part_13 = _rows.by_row(
                np.multiply, xhat, mean_g_xhat_scaled_2, out=buffers[5]
            )
            part_13 = np.subtract(part_13, g, out=buffers[1])
            part_13 = np.multiply(part_13, mean_ddx_xhat, out=part_13)
            part_14 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[5])
            part_13 = np.subtract(part_13, part_14, out=part_13)
            part_13 = np.multiply(part_13, rstd, out=part_13)
            d2x = np.add(d2x, part_13, out=buffers[0])
        if with_ddx_or_ddz:
            part_15 = _rows.by_row(
                np.multiply, xhat, mean_d2xhat_part_xhat, out=buffers[1]
            )
            d2x = np.subtract(d2x, part_15, out=buffers[0])
        if ddgamma is not None:
            part_16 = np.multiply(xhat, mean_ddgamma_dy_silu_z, out=xhat)
            d2x = np.subtract(d2x, part_16, out=part_16)
        d2x = np.multiply(d2x, rstd, out=dx_block)
        return d2x, d2z, ddy, d2gamma

    d2x, d2z, ddy, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows, dy_rows, ddx_rows, ddz_rows),
        row_scalars=(rstd_rows,),
        features=(gamma, ddgamma),
        into=(dx_out, dz_out, ddy_out),
        buffers=10,
        feature_sums=1,
    )
    if ddx_rows is None and ddz_rows is None:
        d2gamma = np.full(features, 0.0, dtype)
    return d2x, d2z, d2gamma, ddy


def saved_from(
    *,
    x: npt.NDArray[Any],
    z: npt.NDArray[Any],
    gamma: npt.NDArray[Any] | None = None,
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
    fields_ = (x, z, gamma, rstd)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, z, gamma, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "gated_rms_norm")
    _calls.check_first_fields(saved, (True, True, False))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x, z=saved.z)
    _calls.check_kept(_shape[-1:], saved.dtypes[2] is not None, gamma=saved.gamma)
    _calls.check_kept(_shape[:-1], rstd=saved.rstd)


INTERFACE: _interface.Interface = {
    "name": "gated_rms_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("z", "Row"),
        _interface.given("gamma", "Feature", default=1),
    ],
    "constants": [_interface.constant("eps", default=1e-5, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("z", "input", ["...", "D"]),
        _interface.saved("gamma", "input", ["D"]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("z"),
        _interface.gradient("gamma", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


_Gradients: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[Any]]


class GatedRMSNorm(_modules.NumpyModule):
    """`gated_rms_norm` as an object with the parameter gamma.

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

    def forward(
        self, x: npt.NDArray[Any], z: npt.NDArray[Any], *, save: bool = True
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        self._check_rows(x=x, z=z)
        output, self._saved = self._layer().forward(
            x,
            z,
            self.parameters.get("gamma"),
            eps=self.eps,
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> _Gradients:
        """Return `(dx, dz)`, given the gradient of a loss with respect to the output,
        once for each `forward`. `gradients` then has those of the parameters, of this
        call alone.
        """
        found = self._gradients(dy)
        self.gradients = self._of_parameters(gamma=found.dgamma)
        return found.dx, found.dz
