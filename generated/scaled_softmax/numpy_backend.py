# Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
"""Softmax with a learned inverse temperature.

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
    dscale: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    dscale: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    scale: float | npt.NDArray[Any] | None  # argument scale of forward
    m: npt.NDArray[Any]  # row scalar m, one per row
    inv_Z: npt.NDArray[Any]  # row scalar inv_Z, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Softmax with a learned inverse temperature.

        m = max(scale*x)
        e_shifted = exp(scale*x - m)
        Z = sum(e_shifted)
        inv_Z = 1/Z
        y = inv_Z*e_shifted

    Args:
        x: shape (..., D).
        scale: a number or a 0-d array. If omitted it is 1, at no cost.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has shape (..., D). `saved` is the argument of the other
    directions. The compute type is the widest among the inputs, and float32 for
    16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, scale, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction, x: Any, scale: Any, save: Any, out: Any, threads: Any
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    scale = _calls.scalar("scale", scale, False)
    _shape = _calls.row_shape("x", x, 1)
    _read = {"x": x, "scale": scale}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape, x.dtype, _read, _by.empty)
    m_ = _by.empty(_shape[:-1], _dtype)
    inv_Z_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, m_, inv_Z_),
        _blocks.Work(_shape, _dtype, threads),
        (x, _calls.number(scale, _dtype)),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = Saved(_shape, _dtype, _dtypes, x, scale, m_, inv_Z_) if save else None
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, scale = values
    y_out, m_out, inv_Z_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)

    def block(x, y_block=None):
        # step 1: m = max(x*scale)
        if scale is not None:
            part = np.multiply(x, scale, out=y_block)
        else:
            part = x
        m = _rows.shift(part)
        # step 2: u = x*scale - m
        u = np.subtract(part, m, out=y_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=u)
        # step 4: Z = sum(e_shifted)
        Z = _rows.row_dot(e_shifted, ones)
        # step 5: inv_Z = 1/Z
        inv_Z = np.reciprocal(Z)
        # step 6: y = e_shifted*inv_Z
        y = np.multiply(e_shifted, inv_Z, out=e_shifted)
        return y, m[..., 0], inv_Z[..., 0]

    return _blocks.each_block(
        block, call, rows=(x_rows,), into=(y_out,), into_row_scalars=(m_out, inv_Z_out)
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        du = y*(dy - sum(dy*y))
        dx = scale*du
        dscale = sum_rows(sum(du*x))

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
    _of_x, _of_scale = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.scale": saved.scale,
        "saved.m": saved.m,
        "saved.inv_Z": saved.inv_Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dscale_ = _calls.results(
        out, _read, _by.empty, dx=(_shape, _of_x), dscale=((), _of_scale)
    )
    _by.fill(
        (dx_, dscale_),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (saved.x, _calls.number(saved.scale, _dtype), saved.m, saved.inv_Z),
    )
    return Gradients(*_calls.returned((dx_, dscale_), out))


@np.errstate(under="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, scale, m_rows, inv_Z_rows = fields
    dx_out, _ = results
    _, dtype, _ = call
    if scale is not None:
        scale = np.asarray(scale, dtype)

    def block(x, dy, m, inv_Z, dx_block=None, buffers=(None,)):
        dscale = None
        # step 2: u = x*scale - m
        if scale is not None:
            u = np.multiply(x, scale, out=dx_block)
        else:
            u = x
        u = np.subtract(u, m, out=dx_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=u)
        # step 6: y = e_shifted*inv_Z
        y = np.multiply(e_shifted, inv_Z, out=e_shifted)
        # step 14: sum_dy_y = sum(dy*y)
        sum_dy_y = _rows.row_dot(dy, y)
        # step 14: du = (dy - sum_dy_y)*y
        du = _rows.by_row(np.subtract, dy, sum_dy_y, out=buffers[0])
        du = np.multiply(du, y, out=y)
        # step 18: sum_du_x = sum(du*x)
        if scale is not None:
            sum_du_x = _rows.row_dot(du, x)
            # step 18: dscale = sum over rows of sum_du_x
            dscale = np.add.reduce(sum_du_x, axis=None)
            # step 17: dx = du*scale
            dx = np.multiply(du, scale, out=du)
        else:
            dx = du
        return dx, dscale

    dx, dscale = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows),
        row_scalars=(m_rows, inv_Z_rows),
        into=(dx_out,),
        buffers=1,
        sums=1,
    )
    if scale is not None:
        dscale = np.full((), dscale, dtype)
    return dx, dscale


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    scale_dot: float | npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        u_dot = scale_dot*x + scale*x_dot
        y_dot = y*(u_dot - sum(u_dot*y))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        scale_dot: the tangent of scale, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, scale_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    scale_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_scale = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    scale_dot = _calls.scalar("scale_dot", scale_dot, False)
    _calls.check_any("tangent", x_dot, scale_dot)
    _calls.check_left_out("scale_dot", scale_dot, "scale", _of_scale)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _read = {
        "x_dot": x_dot,
        "scale_dot": scale_dot,
        "saved.x": saved.x,
        "saved.scale": saved.scale,
        "saved.m": saved.m,
        "saved.inv_Z": saved.inv_Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape, _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot, _calls.number(scale_dot, _dtype)),
        (saved.x, _calls.number(saved.scale, _dtype), saved.m, saved.inv_Z),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, scale_dot = arguments
    x_rows, scale, m_rows, inv_Z_rows = fields
    (y_dot_out,) = results
    _, dtype, _ = call
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if scale_dot is not None:
        scale_dot = np.asarray(scale_dot, dtype)

    def block(x, x_dot, m, inv_Z, y_dot_block=None, buffers=(None,) * 2):
        # step 2: u = x*scale - m
        if scale is not None:
            u = np.multiply(x, scale, out=y_dot_block)
        else:
            u = x
        u = np.subtract(u, m, out=y_dot_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=u)
        # step 6: y = e_shifted*inv_Z
        y = np.multiply(e_shifted, inv_Z, out=e_shifted)
        # step 19: u_dot = x*scale_dot + x_dot*scale
        if scale_dot is not None:
            u_dot = np.multiply(x, scale_dot, out=buffers[0])
        if scale is not None and x_dot_rows is not None:
            part = np.multiply(x_dot, scale, out=buffers[1])
        if scale is None:
            part = x_dot
        if x_dot_rows is not None and scale_dot is not None:
            u_dot = np.add(u_dot, part, out=u_dot)
        if scale_dot is None:
            u_dot = part
        # step 26: sum_u_dot_y = sum(u_dot*y)
        sum_u_dot_y = _rows.row_dot(u_dot, y)
        # step 26: y_dot = (u_dot - sum_u_dot_y)*y
        y_dot = np.subtract(u_dot, sum_u_dot_y, out=buffers[0])
        y_dot = np.multiply(y_dot, y, out=y)
        return (y_dot,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(m_rows, inv_Z_rows),
        into=(y_dot_out,),
        buffers=2,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddscale: float | npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        mean_dy_y = mean(dy*y)
        du = y*(dy - D*mean_dy_y)
        ddu = ddscale*x + scale*ddx
        d2y_part = ddu*(dy - D*mean_dy_y)
        d2u = y*(d2y_part + D*(mean(ddu*y)*(D*mean_dy_y - dy) - mean(d2y_part*y)))
        d2x = scale*d2u + ddscale*du
        d2scale = sum_rows(D*(mean(d2u*x) + mean(ddx*du)))
        ddy = y*(ddu - sum(ddu*y))

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddscale: the cotangent of dscale, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dscale is d2scale)
    and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddx, ddscale, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddscale: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_scale = saved[2]
    dy, ddx = _calls.arrays(1, dy=dy, ddx=ddx)
    ddscale = _calls.scalar("ddscale", ddscale, False)
    _calls.check_any("cotangent of a gradient", ddx, ddscale)
    _calls.check_left_out("ddscale", ddscale, "scale", _of_scale)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddscale": ddscale,
        "saved.x": saved.x,
        "saved.scale": saved.scale,
        "saved.m": saved.m,
        "saved.inv_Z": saved.inv_Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dscale_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dscale=((), _of_scale),
        ddy=(_shape, dy.dtype),
    )
    _by.fill(
        (dx_, dscale_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddx, _calls.number(ddscale, _dtype)),
        (saved.x, _calls.number(saved.scale, _dtype), saved.m, saved.inv_Z),
    )
    return SecondGradients(*_calls.returned((dx_, dscale_, ddy_), out))


@np.errstate(under="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddscale = arguments
    x_rows, scale, m_rows, inv_Z_rows = fields
    dx_out, _, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_scale_and_ddx = scale is not None and ddx_rows is not None
    D = _rows.number(features, dtype)
    if scale is not None:
        scale = np.asarray(scale, dtype)
    if ddscale is not None:
        ddscale = np.asarray(ddscale, dtype)

    def block(x, dy, ddx, m, inv_Z, dx_block=None, ddy_block=None, buffers=(None,) * 3):
        d2scale = None
        # step 2: u = x*scale - m
        if scale is not None:
            u = np.multiply(x, scale, out=ddy_block)
        else:
            u = x
        u = np.subtract(u, m, out=ddy_block)
        # step 3: e_shifted = exp(u)
        e_shifted = np.exp(u, out=u)
        # step 6: y = e_shifted*inv_Z
        y = _rows.by_row(np.multiply, e_shifted, inv_Z, out=dx_block)
        # step 27: mean_dy_y = mean(dy*y)
        mean_dy_y = _rows.row_dot(dy, y) / D
        # step 36: ddu = ddx*scale + x*ddscale
        if with_scale_and_ddx:
            ddu = np.multiply(ddx, scale, out=ddy_block)
        if scale is None:
            ddu = ddx
        if ddscale is not None:
            part = np.multiply(x, ddscale, out=buffers[0])
        if ddx_rows is not None and ddscale is not None:
            ddu = np.add(ddu, part, out=ddu)
        if ddx_rows is None:
            ddu = part
        # step 47: mean_ddu_y = mean(ddu*y)
        mean_ddu_y = _rows.row_dot(ddu, y) / D
        # step 28, pass 1: mean_dy_y_scaled = mean_dy_y*D
        mean_dy_y_scaled = mean_dy_y * D
        # step 58, pass 2: sum_ddu_y = mean_ddu_y*D
        sum_ddu_y = mean_ddu_y * D
        # step 28, pass 3: du = (dy - mean_dy_y_scaled)*y
        part_2 = _rows.by_row(np.subtract, dy, mean_dy_y_scaled, out=buffers[1])
        if scale is not None:
            du = np.multiply(part_2, y, out=buffers[2])
        # step 53: mean_ddx_du = mean(ddx*du)
        if with_scale_and_ddx:
            mean_ddx_du = _rows.row_dot(ddx, du) / D
        # step 37, pass 4: d2y_part = (dy - mean_dy_y_scaled)*ddu
        d2y_part = np.multiply(part_2, ddu, out=part_2)
        # step 47: mean_d2y_part_y = mean(d2y_part*y)
        mean_d2y_part_y = _rows.row_dot(d2y_part, y) / D
        # step 58: ddy = (ddu - sum_ddu_y)*y
        ddy = np.subtract(ddu, sum_ddu_y, out=ddy_block)
        ddy = np.multiply(ddy, y, out=ddy)
        # step 47, pass 5: d2u = (d2y_part + ((mean_dy_y_scaled - dy)*mean_ddu_y -
        #   mean_d2y_part_y)*D)*y
        d2u = np.subtract(mean_dy_y_scaled, dy, out=buffers[0])
        d2u = np.multiply(d2u, mean_ddu_y, out=d2u)
        d2u = np.subtract(d2u, mean_d2y_part_y, out=d2u)
        d2u = np.multiply(d2u, D, out=d2u)
        d2u = np.add(d2y_part, d2u, out=d2u)
        d2u = np.multiply(d2u, y, out=y)
        # step 53: mean_d2u_x = mean(d2u*x)
        if scale is not None:
            mean_d2u_x = _rows.row_dot(d2u, x) / D
            # step 51: d2x = d2u*scale + du*ddscale
            d2x = np.multiply(d2u, scale, out=d2u)
        else:
            d2x = d2u
        if ddscale is not None:
            part_3 = np.multiply(du, ddscale, out=buffers[0])
            d2x = np.add(d2x, part_3, out=d2x)
        # step 53, pass 6: mean_ddx_du_scaled = (mean_d2u_x + mean_ddx_du)*D
        if with_scale_and_ddx:
            mean_ddx_du_scaled = mean_d2u_x + mean_ddx_du
        if ddx_rows is None:
            mean_ddx_du_scaled = mean_d2u_x
        if scale is not None:
            mean_ddx_du_scaled = mean_ddx_du_scaled * D
            # step 53, pass 7: d2scale = sum over rows of mean_ddx_du_scaled
            d2scale = np.add.reduce(mean_ddx_du_scaled, axis=None)
        return d2x, ddy, d2scale

    d2x, ddy, d2scale = _blocks.each_block(
        block,
        call,
        rows=(x_rows, dy_rows, ddx_rows),
        row_scalars=(m_rows, inv_Z_rows),
        into=(dx_out, ddy_out),
        buffers=3,
        sums=1,
    )
    if scale is not None:
        d2scale = np.full((), d2scale, dtype)
    return d2x, d2scale, ddy


def saved_from(
    *,
    x: npt.NDArray[Any],
    scale: float | npt.NDArray[Any] | None = None,
    m: npt.NDArray[Any],
    inv_Z: npt.NDArray[Any],
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
    fields_ = (x, scale, m, inv_Z)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, scale, m, inv_Z)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "scaled_softmax")
    _calls.check_first_fields(saved, (True, False))
    _calls.check_number("scale", saved.scale, saved.dtypes[1] is not None)
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept(_shape[:-1], m=saved.m, inv_Z=saved.inv_Z)


INTERFACE: _interface.Interface = {
    "name": "scaled_softmax",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("scale", "Scalar", default=1),
    ],
    "constants": [],
    "outputs": [_interface.output("y", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("scale", "input", []),
        _interface.saved("m", "row scalar", ["..."]),
        _interface.saved("inv_Z", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("scale", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class ScaledSoftmax(_modules.NumpyModule):
    """`scaled_softmax` as an object with the parameter scale.

    Args:
        scale: False omits it; its initial value is 1.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        scale: bool = True,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype)
        self._parameter("scale", scale, (), 1)

    def forward(self, x: npt.NDArray[Any], *, save: bool = True) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, self.parameters.get("scale"), save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`. `gradients` then has those of the parameters, of this call
        alone.
        """
        found = self._gradients(dy)
        self.gradients = self._of_parameters(scale=found.dscale)
        return found.dx
