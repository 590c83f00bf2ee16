# Made by lngen 0.1.0 from the definition of modulated_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_rms_norm.py and run: lngen derive modulated_rms_norm.py
# definition sha256:342278b39697d6ed8c84343b4cb320510fe1cfedc146884253a1a433517afb26
"""Root-mean-square normalization with a scale and a shift for each sample.

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

from .._runtime.numpy import axes as _axes
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
    dscale: npt.NDArray[Any] | None
    dshift: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    dscale: npt.NDArray[Any] | None
    dshift: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # sizes of the axes b ... d
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    scale: npt.NDArray[Any] | None  # argument scale of forward
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any] | None = None,
    shift: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any] | None = None,
    shift: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any] | None = None,
    shift: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Root-mean-square normalization with a scale and a shift for each sample.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = shift + xhat*(1 + scale)

    Args:
        x: an array with the axes b ... d.
        scale: an array with the axes b d. If omitted it is 0, at no cost.
        shift: an array with the axes b d. If omitted it is 0, at no cost.
        eps: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y is an array with the axes b ... d. `saved` is the argument
    of the other directions. The compute type is the widest among the inputs,
    and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, scale, shift, eps, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    scale: Any,
    shift: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x, scale, shift = _calls.arrays(1, x=x, scale=scale, shift=shift)
    _sizes = _AXES.sizes((x, scale, shift))
    _shape = _AXES.row_shape(_sizes)
    _read = {"x": x, "scale": scale, "shift": shift}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _AXES.shape("y", _sizes), x.dtype, _read, _by.empty)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_rows = _arranged.target("y", y_)
    _by.fill(
        (_y_rows, rstd_),
        _arranged.work,
        (
            _arranged.rows("x", x),
            _arranged.rows("scale", scale),
            _arranged.rows("shift", shift),
            eps,
        ),
    )
    _arranged.write("y", y_, _y_rows)
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(_AXES.flat(_sizes), _dtype, _dtypes, x, scale, rstd_) if save else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, scale_rows, shift_rows, eps = values
    y_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    eps = np.asarray(eps, dtype)

    def block(x, scale, shift, y_block=None, buffers=(None,)):
        # step 1: ms = mean(x**2)
        ms = _rows.row_dot(x, x) / D
        # step 2: rstd = 1/sqrt(ms + eps)
        rstd = np.reciprocal(np.sqrt(ms + eps))
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=y_block)
        # step 4: y = shift + (scale + 1)*xhat
        if scale_rows is not None:
            y = np.add(scale, 1.0, out=buffers[0])
            y = np.multiply(y, xhat, out=xhat)
        else:
            y = xhat
        if shift_rows is not None:
            y = np.add(shift, y, out=y)
        return y, rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, scale_rows, shift_rows),
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

        g = dy*(1 + scale)
        dx = rstd*(g - xhat*mean(g*xhat))
        dscale = sum(dy*xhat, "...")
        dshift = sum(dy, "...")

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
    _sizes = _check(saved)
    _of_x, _of_scale, _of_shift = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.scale": saved.scale,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dscale_, dshift_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dscale=(_AXES.shape("scale", _sizes), _of_scale),
        dshift=(_AXES.shape("shift", _sizes), _of_shift),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _dscale_rows = _arranged.target("scale", dscale_)
    _dshift_rows = _arranged.target("shift", dshift_)
    _by.fill(
        (_dx_rows, _dscale_rows, _dshift_rows),
        _arranged.work,
        (_arranged.rows("y", dy),),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("scale", saved.scale),
            saved.rstd,
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    _arranged.write("scale", dscale_, _dscale_rows)
    _arranged.write("shift", dshift_, _dshift_rows)
    return Gradients(*_calls.returned((dx_, dscale_, dshift_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, scale_rows, rstd_rows = fields
    dx_out, dscale_out, dshift_out = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(
        x,
        scale,
        dy,
        rstd,
        dx_block=None,
        dscale_block=None,
        dshift_block=None,
        buffers=(None,),
    ):
        dscale = dshift = None
        # step 3: xhat = x*rstd
        xhat = _rows.by_row(np.multiply, x, rstd, out=dx_block)
        # step 5: g = dy*(scale + 1)
        if scale_rows is not None:
            g = np.add(scale, 1.0, out=dscale_block)
            g = np.multiply(dy, g, out=buffers[0])
        else:
            g = dy
        # step 11: mean_g_xhat = mean(g*xhat)
        mean_g_xhat = _rows.row_dot(g, xhat) / D
        # step 12: dscale = dy*xhat
        if scale_rows is not None:
            dscale = np.multiply(dy, xhat, out=dscale_block)
        # step 11: dx = (g - xhat*mean_g_xhat)*rstd
        dx = np.multiply(xhat, mean_g_xhat, out=xhat)
        dx = np.subtract(g, dx, out=dx)
        dx = np.multiply(dx, rstd, out=dx)
        if dshift_out is not None:
            dshift = _rows.filled(dy, dshift_block, shape, dtype)
        return dx, dscale, dshift

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, scale_rows, dy_rows),
        row_scalars=(rstd_rows,),
        into=(dx_out, dscale_out, dshift_out),
        buffers=1,
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    scale_dot: npt.NDArray[Any] | None = None,
    shift_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        y_dot = shift_dot + scale_dot*xhat + rstd*(1 + scale)*(x_dot -
            xhat*mean(x_dot*xhat))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        scale_dot: the tangent of scale, in its shape; None stands for zero.
        shift_dot: the tangent of shift, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, scale_dot, shift_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    scale_dot: Any,
    shift_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_scale, _of_shift = saved[2]
    x_dot, scale_dot, shift_dot = _calls.arrays(
        0, x_dot=x_dot, scale_dot=scale_dot, shift_dot=shift_dot
    )
    _calls.check_any("tangent", x_dot, scale_dot, shift_dot)
    _calls.check_left_out("scale_dot", scale_dot, "scale", _of_scale)
    _calls.check_left_out("shift_dot", shift_dot, "shift", _of_shift)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", x_dot=x_dot)
    _calls.check_shapes(
        _AXES.shape("scale", _sizes), "the shape of scale", scale_dot=scale_dot
    )
    _calls.check_shapes(
        _AXES.shape("shift", _sizes), "the shape of shift", shift_dot=shift_dot
    )
    _read = {
        "x_dot": x_dot,
        "scale_dot": scale_dot,
        "shift_dot": shift_dot,
        "saved.x": saved.x,
        "saved.scale": saved.scale,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result(
        "y_dot", out, _AXES.shape("y", _sizes), _of_x, _read, _by.empty
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_dot_rows = _arranged.target("y", y_dot_)
    _by.fill(
        (_y_dot_rows,),
        _arranged.work,
        (
            _arranged.rows("x", x_dot),
            _arranged.rows("scale", scale_dot),
            _arranged.rows("shift", shift_dot),
        ),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("scale", saved.scale),
            saved.rstd,
        ),
    )
    _arranged.write("y", y_dot_, _y_dot_rows)
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, scale_dot_rows, shift_dot_rows = arguments
    x_rows, scale_rows, rstd_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)

    def block(
        x,
        scale,
        x_dot,
        scale_dot,
        shift_dot,
        rstd,
        y_dot_block=None,
        buffers=(None,) * 2,
    ):
        # step 3: xhat = x*rstd
        if x_dot_rows is not None or scale_dot_rows is not None:
            xhat = _rows.by_row(np.multiply, x, rstd, out=buffers[0])
        # step 20: mean_x_dot_xhat = mean(x_dot*xhat)
        if x_dot_rows is not None:
            mean_x_dot_xhat = _rows.row_dot(x_dot, xhat) / D
        # step 20: y_dot = shift_dot + scale_dot*xhat + (x_dot -
        #   xhat*mean_x_dot_xhat)*(scale + 1)*rstd
        if scale_dot_rows is not None:
            y_dot = np.multiply(scale_dot, xhat, out=y_dot_block)
        if scale_dot_rows is not None and shift_dot_rows is not None:
            y_dot = np.add(shift_dot, y_dot, out=y_dot)
        if scale_dot_rows is None and shift_dot_rows is not None:
            y_dot = shift_dot
        if x_dot_rows is not None:
            part = np.multiply(xhat, mean_x_dot_xhat, out=xhat)
            part = np.subtract(x_dot, part, out=part)
        if scale_rows is not None and x_dot_rows is not None:
            part_2 = np.add(scale, 1.0, out=buffers[1])
            part = np.multiply(part, part_2, out=part)
        if x_dot_rows is not None:
            part = np.multiply(part, rstd, out=part)
        if x_dot_rows is not None and (
            shift_dot_rows is not None or scale_dot_rows is not None
        ):
            y_dot = np.add(y_dot, part, out=y_dot_block)
        if scale_dot_rows is None and shift_dot_rows is None:
            y_dot = part
        if x_dot_rows is None and scale_dot_rows is None:
            y_dot = _rows.filled(shift_dot, y_dot_block, shape, dtype)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, scale_rows, x_dot_rows, scale_dot_rows, shift_dot_rows),
        row_scalars=(rstd_rows,),
        into=(y_dot_out,),
        buffers=2,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddscale: npt.NDArray[Any] | None = None,
    ddshift: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = dy*(1 + scale)
        mean_g_xhat = mean(g*xhat)
        dg = rstd*(ddx - xhat*mean(ddx*xhat))
        d2xhat_part = ddscale*dy - mean_g_xhat*rstd*ddx
        d2x = rstd*(d2xhat_part + rstd*(mean(ddx*xhat)*(2*mean_g_xhat*xhat - g) -
            xhat*mean(ddx*g)) - xhat*mean(d2xhat_part*xhat))
        d2scale = sum(dg*dy, "...")
        d2shift = sum(0, "...")
        ddy = ddshift + ddscale*xhat + dg*(1 + scale)

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddscale: the cotangent of dscale, in its shape; None stands for zero.
        ddshift: the cotangent of dshift, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dscale is d2scale,
    dshift is d2shift) and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddx, ddscale, ddshift, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddscale: Any,
    ddshift: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_scale, _of_shift = saved[2]
    dy, ddx, ddscale, ddshift = _calls.arrays(
        1, dy=dy, ddx=ddx, ddscale=ddscale, ddshift=ddshift
    )
    _calls.check_any("cotangent of a gradient", ddx, ddscale, ddshift)
    _calls.check_left_out("ddscale", ddscale, "scale", _of_scale)
    _calls.check_left_out("ddshift", ddshift, "shift", _of_shift)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", ddx=ddx)
    _calls.check_shapes(
        _AXES.shape("scale", _sizes), "the shape of scale", ddscale=ddscale
    )
    _calls.check_shapes(
        _AXES.shape("shift", _sizes), "the shape of shift", ddshift=ddshift
    )
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddscale": ddscale,
        "ddshift": ddshift,
        "saved.x": saved.x,
        "saved.scale": saved.scale,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dscale_, dshift_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dscale=(_AXES.shape("scale", _sizes), _of_scale),
        dshift=(_AXES.shape("shift", _sizes), _of_shift),
        ddy=(_AXES.shape("y", _sizes), dy.dtype),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _dscale_rows = _arranged.target("scale", dscale_)
    _dshift_rows = _arranged.target("shift", dshift_)
    _ddy_rows = _arranged.target("y", ddy_)
    _by.fill(
        (_dx_rows, _dscale_rows, _dshift_rows, _ddy_rows),
        _arranged.work,
        (
            _arranged.rows("y", dy),
            _arranged.rows("x", ddx),
            _arranged.rows("scale", ddscale),
            _arranged.rows("shift", ddshift),
        ),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("scale", saved.scale),
            saved.rstd,
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    _arranged.write("scale", dscale_, _dscale_rows)
    _arranged.write("shift", dshift_, _dshift_rows)
    _arranged.write("y", ddy_, _ddy_rows)
    return SecondGradients(*_calls.returned((dx_, dscale_, dshift_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddscale_rows, ddshift_rows = arguments
    x_rows, scale_rows, rstd_rows = fields
    dx_out, dscale_out, dshift_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_ddx_or_ddscale = ddx_rows is not None or ddscale_rows is not None
    with_scale_and_ddx = scale_rows is not None and ddx_rows is not None
    with_ddx_without_scale = scale_rows is None and ddx_rows is not None
    D = _rows.number(features, dtype)

    def block(
        x,
        scale,
        dy,
        ddx,
        ddscale,
        ddshift,
        rstd,
        dx_block=None,
        dscale_block=None,
        dshift_block=None,
        ddy_block=None,
        buffers=(None,) * 5,
    ):
        d2scale = dshift = None
        # step 3: xhat = x*rstd
        if with_ddx_or_ddscale:
            xhat = _rows.by_row(np.multiply, x, rstd, out=dx_block)
        # step 37: mean_ddx_xhat = mean(ddx*xhat)
        if ddx_rows is not None:
            mean_ddx_xhat = _rows.row_dot(ddx, xhat) / D
        # step 21: g = dy*(scale + 1)
        if with_scale_and_ddx:
            part = np.add(scale, 1.0, out=buffers[0])
            g = np.multiply(dy, part, out=buffers[1])
        if with_ddx_without_scale:
            g = dy
        # step 22: mean_g_xhat = mean(g*xhat)
        if ddx_rows is not None:
            mean_g_xhat = _rows.row_dot(g, xhat) / D
            # step 32: mean_ddx_g = mean(ddx*g)
            mean_ddx_g = _rows.row_dot(ddx, g) / D
            # step 25, pass 1: mean_g_xhat_scaled = mean_g_xhat*rstd
            mean_g_xhat_scaled = mean_g_xhat * rstd
            # step 32, pass 2: mean_g_xhat_scaled_2 = 2*mean_g_xhat
            mean_g_xhat_scaled_2 = mean_g_xhat * 2.0
            # step 37: dg = (ddx - xhat*mean_ddx_xhat)*rstd
            dg = _rows.by_row(np.multiply, xhat, mean_ddx_xhat, out=ddy_block)
            dg = np.subtract(ddx, dg, out=dg)
            dg = _rows.by_row(np.multiply, dg, rstd, out=buffers[2])
        # step 25, pass 3: d2xhat_part = ddscale*dy - ddx*mean_g_xhat_scaled
        if ddscale_rows is not None:
            d2xhat_part = np.multiply(ddscale, dy, out=dscale_block)
        if ddx_rows is not None and ddscale_rows is None:
            d2xhat_part = 0.0
        if ddx_rows is not None:
            part_2 = _rows.by_row(np.multiply, ddx, mean_g_xhat_scaled, out=ddy_block)
            d2xhat_part = np.subtract(d2xhat_part, part_2, out=buffers[3])
        # step 32: mean_d2xhat_part_xhat = mean(d2xhat_part*xhat)
        if with_ddx_or_ddscale:
            mean_d2xhat_part_xhat = _rows.row_dot(d2xhat_part, xhat) / D
        # step 38: d2scale = dg*dy
        if with_scale_and_ddx:
            d2scale = np.multiply(dg, dy, out=dscale_block)
        # step 43: ddy = ddshift + ddscale*xhat + dg*(scale + 1)
        if ddscale_rows is not None:
            ddy = np.multiply(ddscale, xhat, out=ddy_block)
        if ddscale_rows is not None and ddshift_rows is not None:
            ddy = np.add(ddshift, ddy, out=ddy)
        if ddscale_rows is None and ddshift_rows is not None:
            ddy = ddshift
        if with_scale_and_ddx:
            part_3 = np.multiply(dg, part, out=part)
        if with_ddx_without_scale:
            part_3 = dg
        if ddx_rows is not None and (
            ddscale_rows is not None or ddshift_rows is not None
        ):
            ddy = np.add(ddy, part_3, out=ddy_block)
        if ddscale_rows is None and ddshift_rows is None:
            ddy = part_3
        # step 32, pass 4: d2x = (d2xhat_part + ((xhat*mean_g_xhat_scaled_2 -
        #   g)*mean_ddx_xhat - xhat*mean_ddx_g)*rstd - xhat*mean_d2xhat_part_xhat)*rstd
        if ddx_rows is not None:
            d2x = _rows.by_row(np.multiply, xhat, mean_g_xhat_scaled_2, out=buffers[4])
            d2x = np.subtract(d2x, g, out=buffers[1])
            d2x = np.multiply(d2x, mean_ddx_xhat, out=d2x)
            part_4 = _rows.by_row(np.multiply, xhat, mean_ddx_g, out=buffers[4])
            d2x = np.subtract(d2x, part_4, out=d2x)
            d2x = np.multiply(d2x, rstd, out=d2x)
            d2x = np.add(d2xhat_part, d2x, out=d2x)
        if ddx_rows is None and ddscale_rows is not None:
            d2x = d2xhat_part
        if with_ddx_or_ddscale:
            part_5 = np.multiply(xhat, mean_d2xhat_part_xhat, out=xhat)
            d2x = np.subtract(d2x, part_5, out=part_5)
            d2x = np.multiply(d2x, rstd, out=d2x)
        if dshift_out is not None:
            dshift = _rows.filled(0.0, dshift_block, shape, dtype)
        if scale_rows is not None and ddx_rows is None:
            d2scale = _rows.filled(0.0, dscale_block, shape, dtype)
        if ddx_rows is None and ddscale_rows is None:
            ddy = _rows.filled(ddshift, ddy_block, shape, dtype)
            d2x = _rows.filled(0.0, dx_block, shape, dtype)
        return d2x, d2scale, dshift, ddy

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, scale_rows, dy_rows, ddx_rows, ddscale_rows, ddshift_rows),
        row_scalars=(rstd_rows,),
        into=(dx_out, dscale_out, dshift_out, ddy_out),
        buffers=5,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    scale: npt.NDArray[Any] | None = None,
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the sizes of the axes b ... d.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (x, scale, rstd)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, scale, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "modulated_rms_norm")
    _calls.check_first_fields(saved, (True, False, False))
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    _calls.check_kept(
        _AXES.shape("scale", _sizes), saved.dtypes[1] is not None, scale=saved.scale
    )
    _calls.check_kept(_shape[:-1], rstd=saved.rstd)
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "modulated_rms_norm",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row", pattern=[["b"], ["..."], ["d"]]),
        _interface.given("scale", "Row", default=0, pattern=[["b"], ["d"]]),
        _interface.given("shift", "Row", default=0, pattern=[["b"], ["d"]]),
    ],
    "constants": [_interface.constant("eps", default=1e-6, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("scale", "input", ["...", "D"]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("scale", may_be_none=True),
        _interface.gradient("shift", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
    "layout": {"pattern": [["b"], ["..."], ["d"]], "features": ["d"], "sizes": []},
}

_AXES = _axes.NamedAxes(INTERFACE)
_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


_Gradients: TypeAlias = tuple[
    npt.NDArray[Any],
    npt.NDArray[Any] | None,
    npt.NDArray[Any] | None,
]


class ModulatedRMSNorm(_modules.NumpyModule):
    """`modulated_rms_norm` as an object without parameters.

    Args:
        eps: a constant, a finite number of 0 or more.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        eps: float = 1e-6,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.eps = self._constant("eps", eps, False)

    def forward(
        self,
        x: npt.NDArray[Any],
        scale: npt.NDArray[Any] | None = None,
        shift: npt.NDArray[Any] | None = None,
        *,
        save: bool = True,
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, scale, shift, eps=self.eps, save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> _Gradients:
        """Return `(dx, dscale, dshift)`, given the gradient of a loss with respect to
        the output, once for each `forward`.
        """
        found = self._gradients(dy)
        return found.dx, found.dscale, found.dshift
