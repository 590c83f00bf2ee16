# Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
"""A gate, silu of another row, then root-mean-square normalization.

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
    """A gate, silu of another row, then root-mean-square normalization.

        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        h = silu_z*x
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        hhat = rstd*h
        y = gamma*hhat

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

    def block(x, z, gamma_wide, y_block=None):
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=y_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=sigmoid_z)
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=silu_z)
        # step 4: ms = mean(h**2)
        ms = _rows.row_dot(h, h) / D
        # step 5: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 6: hhat = h*rstd
        hhat = np.multiply(h, rstd, out=h)
        # step 7: y = hhat*gamma
        if gamma is not None:
            y = _rows.by_feature(np.multiply, hhat, gamma_wide, out=hhat)
        else:
            y = hhat
        return y, rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows),
        features=(gamma,),
        into=(y_out,),
        into_row_scalars=(rstd_out,),
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
        dh = rstd*(g - hhat*mean(g*hhat))
        dx = dh*silu_z
        dz = dh*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
        dgamma = sum_rows(dy*hhat)

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
    # step 14, pass 1: mean_g_hhat_unscaled = mean(dy*h*gamma)
    if gamma is not None:
        gamma_over_D = gamma / D

    def block(
        x, z, dy, rstd, gamma_wide, dx_block=None, dz_block=None, buffers=(None,) * 2
    ):
        dgamma = None
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=dx_block)
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=buffers[0])
        # step 22, pass 3: dgamma = sum over rows of dy*h*rstd
        if gamma is not None:
            part = np.multiply(dy, h, out=buffers[1])
            dgamma = _rows.sum_rows(part, rstd)
            # step 14, pass 1: mean_g_hhat_unscaled = mean(dy*h*gamma)
            mean_g_hhat_unscaled = _rows.row_dot(part, gamma_over_D)
        else:
            mean_g_hhat_unscaled = _rows.row_dot(dy, h) / D
        # step 8: g = dy*gamma
        if gamma is not None:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=buffers[1])
        else:
            g = dy
        # step 14, pass 2: mean_g_hhat = mean_g_hhat_unscaled*rstd
        mean_g_hhat = mean_g_hhat_unscaled * rstd
        # step 14, pass 4: dh = (g - h*mean_g_hhat*rstd)*rstd
        dh = np.multiply(h, mean_g_hhat * rstd, out=h)
        dh = np.subtract(g, dh, out=dh)
        dh = np.multiply(dh, rstd, out=dh)
        # step 15: dx = dh*silu_z
        dx = np.multiply(dh, silu_z, out=silu_z)
        # step 21: dz = dh*sigmoid_z*x*((1 - sigmoid_z)*z + 1)
        dz = np.multiply(dh, sigmoid_z, out=dh)
        dz = np.multiply(dz, x, out=dz)
        part_2 = np.subtract(1.0, sigmoid_z, out=sigmoid_z)
        part_2 = np.multiply(part_2, z, out=part_2)
        part_2 = np.add(part_2, 1.0, out=part_2)
        dz = np.multiply(dz, part_2, out=part_2)
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

        h_dot = silu_z*x_dot + sigmoid_z*x*z_dot*(1 + z*(1 - sigmoid_z))
        y_dot = gamma_dot*hhat + rstd*gamma*(h_dot - hhat*mean(h_dot*hhat))

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
    with_x_dot_or_z_dot = x_dot_rows is not None or z_dot_rows is not None
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
        buffers=(None,) * 3,
    ):
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=y_dot_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=buffers[0])
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=buffers[1])
        # step 6: hhat = h*rstd
        hhat = np.multiply(h, rstd, out=h)
        # step 27: h_dot = silu_z*x_dot + sigmoid_z*x*((1 - sigmoid_z)*z + 1)*z_dot
        if x_dot_rows is not None:
            h_dot = np.multiply(silu_z, x_dot, out=silu_z)
        if z_dot_rows is not None:
            part = np.multiply(sigmoid_z, x, out=buffers[2])
            part_2 = np.subtract(1.0, sigmoid_z, out=sigmoid_z)
            part_2 = np.multiply(part_2, z, out=part_2)
            part_2 = np.add(part_2, 1.0, out=part_2)
            part = np.multiply(part, part_2, out=part_2)
            part = np.multiply(part, z_dot, out=buffers[2])
        if x_dot_rows is not None and z_dot_rows is not None:
            h_dot = np.add(h_dot, part, out=h_dot)
        if x_dot_rows is None and z_dot_rows is not None:
            h_dot = part
        # step 34: mean_h_dot_hhat = mean(h_dot*hhat)
        if with_x_dot_or_z_dot:
            mean_h_dot_hhat = _rows.row_dot(h_dot, hhat) / D
        # step 34: y_dot = hhat*gamma_dot + (h_dot - hhat*mean_h_dot_hhat)*rstd*gamma
        if gamma_dot is not None:
            y_dot = _rows.by_feature(np.multiply, hhat, gamma_dot_wide, out=y_dot_block)
        if with_x_dot_or_z_dot:
            part_3 = np.multiply(hhat, mean_h_dot_hhat, out=hhat)
            part_3 = np.subtract(h_dot, part_3, out=buffers[0])
        if gamma is not None and (x_dot_rows is not None or z_dot_rows is not None):
            part_3 = _rows.by_feature(np.multiply, part_3, gamma_wide, out=part_3)
        if with_x_dot_or_z_dot:
            part_3 = np.multiply(part_3, rstd, out=part_3)
        if gamma_dot is not None and (x_dot_rows is not None or z_dot_rows is not None):
            y_dot = np.add(y_dot, part_3, out=y_dot)
        if gamma_dot is None:
            y_dot = part_3
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows, x_dot_rows, z_dot_rows),
        row_scalars=(rstd_rows,),
        features=(gamma_dot, gamma),
        into=(y_dot_out,),
        buffers=3,
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

        g = gamma*dy
        mean_g_hhat = mean(g*hhat)
        dh = rstd*(g - mean_g_hhat*hhat)
        ddh = ddx*silu_z + ddz*sigmoid_z*x*(1 + z*(1 - sigmoid_z))
        dg = rstd*(ddh - hhat*mean(ddh*hhat))
        d2h = rstd*(ddgamma*dy + rstd*(mean(ddh*hhat)*(3*mean_g_hhat*hhat - g) -
            mean_g_hhat*ddh - hhat*mean(ddh*g)) - hhat*mean(ddgamma*dy*hhat))
        d2silu_z = d2h*x + ddx*dh
        d2x = d2h*silu_z + ddz*dh*sigmoid_z*(1 + z*(1 - sigmoid_z))
        d2z = sigmoid_z*(d2silu_z + ddz*dh*x*(1 - sigmoid_z) + (1 -
            sigmoid_z)*(d2silu_z*z + ddz*dh*x*(1 + z*(1 - sigmoid_z) - silu_z)))
        d2gamma = sum_rows(dg*dy)
        ddy = gamma*dg + ddgamma*hhat

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
    needs_g = gamma is not None and (ddx_rows is not None or ddz_rows is not None)
    with_ddx_or_ddz = ddx_rows is not None or ddz_rows is not None
    needs_d2h = ddgamma is not None and (ddx_rows is not None or ddz_rows is not None)
    D = _rows.number(features, dtype)
    # step 50: mean_ddgamma_dy_hhat = mean(dy*hhat*ddgamma)
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
        buffers=(None,) * 9,
    ):
        d2gamma = None
        # step 1: sigmoid_z = sigmoid(z)
        sigmoid_z = _functions.sigmoid(z, out=dz_block)
        # step 2: silu_z = sigmoid_z*z
        silu_z = np.multiply(sigmoid_z, z, out=ddy_block)
        # step 3: h = silu_z*x
        h = np.multiply(silu_z, x, out=dx_block)
        # step 6: hhat = h*rstd
        hhat = _rows.by_row(np.multiply, h, rstd, out=buffers[0])
        # step 50: mean_ddgamma_dy_hhat = mean(dy*hhat*ddgamma)
        if ddgamma is not None:
            part = np.multiply(dy, hhat, out=dx_block)
            mean_ddgamma_dy_hhat = _rows.row_dot(part, ddgamma_over_D)
        # step 35: g = dy*gamma
        if needs_g:
            g = _rows.by_feature(np.multiply, dy, gamma_wide, out=dx_block)
        if gamma is None:
            g = dy
        # step 36: mean_g_hhat = mean(g*hhat)
        if with_ddx_or_ddz:
            mean_g_hhat = _rows.row_dot(g, hhat) / D
        # step 40: ddh = ddx*silu_z + ddz*sigmoid_z*x*((1 - sigmoid_z)*z + 1)
        if ddx_rows is not None:
            ddh = np.multiply(ddx, silu_z, out=buffers[1])
        if ddz_rows is not None:
            part_2 = np.multiply(ddz, sigmoid_z, out=buffers[2])
            part_2 = np.multiply(part_2, x, out=part_2)
        part_3 = np.subtract(1.0, sigmoid_z, out=buffers[3])
        if ddz_rows is not None:
            part_4 = np.multiply(part_3, z, out=buffers[4])
            part_4 = np.add(part_4, 1.0, out=part_4)
            part_2 = np.multiply(part_2, part_4, out=part_2)
        if ddx_rows is not None and ddz_rows is not None:
            ddh = np.add(ddh, part_2, out=ddh)
        if ddx_rows is None and ddz_rows is not None:
            ddh = part_2
        # step 63: mean_ddh_hhat = mean(ddh*hhat)
        if with_ddx_or_ddz:
            mean_ddh_hhat = _rows.row_dot(ddh, hhat) / D
            # step 50: mean_ddh_g = mean(ddh*g)
            mean_ddh_g = _rows.row_dot(ddh, g) / D
            # step 50, pass 5: mean_g_hhat_scaled = 3*mean_g_hhat
            mean_g_hhat_scaled = mean_g_hhat * 3.0
            # step 37: dh = (g - hhat*mean_g_hhat)*rstd
            dh = _rows.by_row(np.multiply, hhat, mean_g_hhat, out=buffers[5])
            dh = np.subtract(g, dh, out=dh)
            dh = np.multiply(dh, rstd, out=dh)
            # step 63: dg = (ddh - hhat*mean_ddh_hhat)*rstd
            dg = _rows.by_row(np.multiply, hhat, mean_ddh_hhat, out=buffers[6])
            dg = np.subtract(ddh, dg, out=dg)
            dg = np.multiply(dg, rstd, out=dg)
        # step 64: d2gamma = sum over rows of dg*dy
        if needs_g:
            part_5 = np.multiply(dg, dy, out=buffers[7])
            d2gamma = _rows.sum_rows(part_5)
        # step 50, pass 6: d2h = (dy*ddgamma + ((hhat*mean_g_hhat_scaled -
        #   g)*mean_ddh_hhat - hhat*mean_ddh_g - ddh*mean_g_hhat)*rstd -
        #   hhat*mean_ddgamma_dy_hhat)*rstd
        if ddgamma is not None:
            d2h = _rows.by_feature(np.multiply, dy, ddgamma_wide, out=buffers[7])
        if with_ddx_or_ddz:
            part_6 = _rows.by_row(np.multiply, hhat, mean_g_hhat_scaled, out=buffers[8])
            part_6 = np.subtract(part_6, g, out=dx_block)
            part_6 = np.multiply(part_6, mean_ddh_hhat, out=part_6)
            part_7 = _rows.by_row(np.multiply, hhat, mean_ddh_g, out=buffers[8])
            part_6 = np.subtract(part_6, part_7, out=part_6)
            part_8 = np.multiply(ddh, mean_g_hhat, out=buffers[1])
            part_6 = np.subtract(part_6, part_8, out=part_6)
            part_6 = np.multiply(part_6, rstd, out=part_6)
        if needs_d2h:
            d2h = np.add(d2h, part_6, out=part_6)
        if ddgamma is None:
            d2h = part_6
        else:
            part_9 = _rows.by_row(
                np.multiply, hhat, mean_ddgamma_dy_hhat, out=buffers[1]
            )
            d2h = np.subtract(d2h, part_9, out=dx_block)
        d2h = np.multiply(d2h, rstd, out=d2h)
        # step 52: d2silu_z = d2h*x + ddx*dh
        d2silu_z = np.multiply(d2h, x, out=buffers[1])
        if ddx_rows is not None:
            part_10 = np.multiply(ddx, dh, out=buffers[2])
            d2silu_z = np.add(d2silu_z, part_10, out=d2silu_z)
        # step 51: d2x = d2h*silu_z + ddz*dh*sigmoid_z*((1 - sigmoid_z)*z + 1)
        d2x = np.multiply(d2h, silu_z, out=d2h)
        if ddz_rows is not None:
            part_11 = np.multiply(ddz, dh, out=buffers[2])
            part_11 = np.multiply(part_11, sigmoid_z, out=part_11)
            part_11 = np.multiply(part_11, part_4, out=part_11)
            d2x = np.add(d2x, part_11, out=d2x)
            # step 58: d2z = (d2silu_z + (1 - sigmoid_z)*ddz*dh*x + (1 -
            #   sigmoid_z)*(d2silu_z*z + ((1 - sigmoid_z)*z + 1 -
            #   silu_z)*ddz*dh*x))*sigmoid_z
            d2z = np.multiply(part_3, ddz, out=buffers[2])
            d2z = np.multiply(d2z, dh, out=d2z)
            d2z = np.multiply(d2z, x, out=d2z)
            d2z = np.add(d2silu_z, d2z, out=d2z)
        else:
            d2z = d2silu_z
        part_12 = np.multiply(d2silu_z, z, out=buffers[7])
        if ddz_rows is not None:
            part_13 = np.subtract(part_4, silu_z, out=silu_z)
            part_13 = np.multiply(part_13, ddz, out=part_13)
            part_13 = np.multiply(part_13, dh, out=part_13)
            part_13 = np.multiply(part_13, x, out=part_13)
            part_12 = np.add(part_12, part_13, out=part_13)
        part_12 = np.multiply(part_3, part_12, out=ddy_block)
        d2z = np.add(d2z, part_12, out=part_12)
        d2z = np.multiply(d2z, sigmoid_z, out=sigmoid_z)
        # step 67: ddy = hhat*ddgamma + dg*gamma
        if ddgamma is not None:
            ddy = _rows.by_feature(np.multiply, hhat, ddgamma_wide, out=ddy_block)
        if needs_g:
            part_14 = _rows.by_feature(np.multiply, dg, gamma_wide, out=buffers[0])
        if gamma is None:
            part_14 = dg
        if needs_d2h:
            ddy = np.add(ddy, part_14, out=ddy)
        if ddgamma is None:
            ddy = part_14
        return d2x, d2z, ddy, d2gamma

    d2x, d2z, ddy, d2gamma = _blocks.each_block(
        block,
        call,
        rows=(x_rows, z_rows, dy_rows, ddx_rows, ddz_rows),
        row_scalars=(rstd_rows,),
        features=(gamma, ddgamma),
        into=(dx_out, dz_out, ddy_out),
        buffers=9,
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
    _calls.check_is_saved(saved, Saved, "rms_norm_gated")
    _calls.check_first_fields(saved, (True, True, False))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x, z=saved.z)
    _calls.check_kept(_shape[-1:], saved.dtypes[2] is not None, gamma=saved.gamma)
    _calls.check_kept(_shape[:-1], rstd=saved.rstd)


INTERFACE: _interface.Interface = {
    "name": "rms_norm_gated",
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


class RMSNormGated(_modules.NumpyModule):
    """`rms_norm_gated` as an object with the parameter gamma.

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
