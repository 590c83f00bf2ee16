# Made by lngen 0.1.0 from the definition of rms_norm_rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_rotary.py and run: lngen derive rms_norm_rotary.py
# definition sha256:998fdf59ade695e9f5494b7d0184d1de3a356aa9ffc68ea8a8746fc047134e7a
"""Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.

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


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dweight: npt.NDArray[Any] | None


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    dweight: npt.NDArray[Any] | None
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # sizes of the axes b h t d
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    cosine: npt.NDArray[Any]  # argument cosine of forward
    sine: npt.NDArray[Any]  # argument sine of forward
    weight: npt.NDArray[Any] | None  # argument weight of forward
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    weight: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    weight: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    weight: npt.NDArray[Any] | None = None,
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.

        a = at(x, s=0)
        b = at(x, s=1)
        weight_0 = at(weight, s=0)
        weight_1 = at(weight, s=1)
        mu = mean(a**2 + b**2)
        rstd = 1/sqrt(mu/2 + eps)
        ahat = rstd*a
        u = weight_0*ahat
        bhat = rstd*b
        v = weight_1*bhat
        y_0 = cosine*u - sine*v
        y_1 = cosine*v + sine*u
        y = join(y_0, y_1)

    Args:
        x: an array with the axes b h t (s d), s of size 2.
        cosine: an array with the axes t d, without a gradient.
        sine: an array with the axes t d, without a gradient.
        weight: an array with the axes (s d), s of size 2. If omitted it is 1, at no cost.
        eps: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y is an array with the axes b h t (s d), s of size 2. `saved`
    is the argument of the other directions. The compute type is the widest
    among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, cosine, sine, weight, eps, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    cosine: Any,
    sine: Any,
    weight: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x, cosine, sine, weight = _calls.arrays(
        3, x=x, cosine=cosine, sine=sine, weight=weight
    )
    _sizes = _AXES.sizes((x, cosine, sine, weight))
    _shape = _AXES.row_shape(_sizes)
    _read = {"x": x, "cosine": cosine, "sine": sine, "weight": weight}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _AXES.shape("y", _sizes), x.dtype, _read, _by.empty)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_0 = _arranged.target("y", y_, 0)
    _y_1 = _arranged.target("y", y_, 1)
    _by.fill(
        (_y_0, _y_1, rstd_),
        _arranged.work,
        (
            _arranged.rows("x", x, 0),
            _arranged.rows("x", x, 1),
            _arranged.rows("cosine", cosine),
            _arranged.rows("sine", sine),
            _arranged.feature("weight", weight, 0),
            _arranged.feature("weight", weight, 1),
            eps,
        ),
    )
    _arranged.write("y", y_, _y_0, 0)
    _arranged.write("y", y_, _y_1, 1)
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(_AXES.flat(_sizes), _dtype, _dtypes, x, cosine, sine, weight, rstd_)
        if save
        else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    a_rows, b_rows, cosine_rows, sine_rows, weight_0, weight_1, eps = values
    y_0_out, y_1_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    eps = np.asarray(eps, dtype)

    def block(
        a,
        b,
        cosine,
        sine,
        weight_0_wide,
        weight_1_wide,
        y_0_block=None,
        y_1_block=None,
        buffers=(None,) * 2,
    ):
        # step 1: total = a**2 + b**2
        total = np.square(a, out=y_0_block)
        part = np.square(b, out=y_1_block)
        total = np.add(total, part, out=total)
        # step 2: mu = mean(total)
        mu = _rows.row_dot(total, one_over_D)
        # step 3: rstd = 1/sqrt(mu/2 + eps)
        rstd = np.reciprocal(np.sqrt(mu * 0.5 + eps))
        # step 4: ahat = a*rstd
        ahat = _rows.by_row(np.multiply, a, rstd, out=y_1_block)
        # step 5: u = ahat*weight_0
        if weight_0 is not None:
            u = _rows.by_feature(np.multiply, ahat, weight_0_wide, out=ahat)
        else:
            u = ahat
        # step 6: bhat = b*rstd
        bhat = _rows.by_row(np.multiply, b, rstd, out=buffers[0])
        # step 7: v = bhat*weight_1
        if weight_1 is not None:
            v = _rows.by_feature(np.multiply, bhat, weight_1_wide, out=bhat)
        else:
            v = bhat
        # step 8: y_0 = cosine*u - sine*v
        y_0 = np.multiply(cosine, u, out=y_0_block)
        part_2 = np.multiply(sine, v, out=buffers[1])
        y_0 = np.subtract(y_0, part_2, out=y_0)
        # step 9: y_1 = cosine*v + sine*u
        y_1 = np.multiply(cosine, v, out=v)
        part_3 = np.multiply(sine, u, out=u)
        y_1 = np.add(y_1, part_3, out=part_3)
        return y_0, y_1, rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(a_rows, b_rows, cosine_rows, sine_rows),
        features=(weight_0, weight_1),
        into=(y_0_out, y_1_out),
        into_row_scalars=(rstd_out,),
        buffers=2,
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any],
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        dy_0 = at(dy, s=0)
        dy_1 = at(dy, s=1)
        dv = cosine*dy_1 - dy_0*sine
        dbhat = weight_1*dv
        du = cosine*dy_0 + dy_1*sine
        dahat = weight_0*du
        dtotal = -rstd**3*(mean(a*dahat) + mean(b*dbhat))/4
        da = rstd*dahat + 2*a*dtotal
        db = rstd*dbhat + 2*b*dtotal
        dweight_0 = sum_rows(ahat*du)
        dweight_1 = sum_rows(bhat*dv)
        dx = join(da, db)
        dweight = join(dweight_0, dweight_1)

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
    _of_x, _of_cosine, _of_sine, _of_weight = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.cosine": saved.cosine,
        "saved.sine": saved.sine,
        "saved.weight": saved.weight,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dweight_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dweight=(_AXES.shape("weight", _sizes), _of_weight),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_0 = _arranged.target("x", dx_, 0)
    _dx_1 = _arranged.target("x", dx_, 1)
    _dweight_0 = _arranged.target_feature("weight", dweight_, 0)
    _dweight_1 = _arranged.target_feature("weight", dweight_, 1)
    _by.fill(
        (_dx_0, _dx_1, _dweight_0, _dweight_1),
        _arranged.work,
        (_arranged.rows("y", dy, 0), _arranged.rows("y", dy, 1)),
        (
            _arranged.rows("x", saved.x, 0),
            _arranged.rows("x", saved.x, 1),
            _arranged.rows("cosine", saved.cosine),
            _arranged.rows("sine", saved.sine),
            _arranged.feature("weight", saved.weight, 0),
            _arranged.feature("weight", saved.weight, 1),
            saved.rstd,
        ),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    _arranged.write("weight", dweight_, _dweight_0, 0)
    _arranged.write("weight", dweight_, _dweight_1, 1)
    return Gradients(*_calls.returned((dx_, dweight_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_0_rows, dy_1_rows = arguments
    a_rows, b_rows, cosine_rows, sine_rows, weight_0, weight_1, rstd_rows = fields
    da_out, db_out, _, _ = results
    shape, dtype, _ = call
    features = shape[-1]
    D = _rows.number(features, dtype)
    # step 18, pass 2: mean_b_dbhat = mean(b*dv*weight_1)
    if weight_1 is not None:
        weight_1_over_D = weight_1 / D
    # step 18, pass 1: mean_a_dahat = mean(a*du*weight_0)
    if weight_0 is not None:
        weight_0_over_D = weight_0 / D

    def block(
        a,
        b,
        cosine,
        sine,
        dy_0,
        dy_1,
        rstd,
        weight_1_wide,
        weight_0_wide,
        da_block=None,
        db_block=None,
        buffers=(None,) * 2,
    ):
        dweight_1 = dweight_0 = None
        # step 12: dv = cosine*dy_1 - dy_0*sine
        if dy_1_rows is not None:
            dv = np.multiply(cosine, dy_1, out=db_block)
        else:
            dv = 0.0
        if dy_0_rows is not None:
            part = np.multiply(dy_0, sine, out=da_block)
            dv = np.subtract(dv, part, out=db_block)
        # step 26, pass 5: dweight_1 = sum over rows of b*dv*rstd
        if weight_1 is not None:
            part_2 = np.multiply(b, dv, out=da_block)
            dweight_1 = _rows.sum_rows(part_2, rstd)
            # step 18, pass 2: mean_b_dbhat = mean(b*dv*weight_1)
            mean_b_dbhat = _rows.row_dot(part_2, weight_1_over_D)
        else:
            mean_b_dbhat = _rows.row_dot(b, dv) / D
        # step 13: dbhat = dv*weight_1
        if weight_1 is not None:
            dbhat = _rows.by_feature(np.multiply, dv, weight_1_wide, out=dv)
        else:
            dbhat = dv
        # step 10: du = cosine*dy_0 + dy_1*sine
        if dy_0_rows is not None:
            du = np.multiply(cosine, dy_0, out=da_block)
        if dy_1_rows is not None:
            part_3 = np.multiply(dy_1, sine, out=buffers[0])
        if dy_0_rows is not None and dy_1_rows is not None:
            du = np.add(du, part_3, out=du)
        if dy_0_rows is None:
            du = part_3
        # step 25, pass 4: dweight_0 = sum over rows of a*du*rstd
        if weight_0 is not None:
            part_4 = np.multiply(a, du, out=buffers[1])
            dweight_0 = _rows.sum_rows(part_4, rstd)
            # step 18, pass 1: mean_a_dahat = mean(a*du*weight_0)
            mean_a_dahat = _rows.row_dot(part_4, weight_0_over_D)
        else:
            mean_a_dahat = _rows.row_dot(a, du) / D
        # step 11: dahat = du*weight_0
        if weight_0 is not None:
            dahat = _rows.by_feature(np.multiply, du, weight_0_wide, out=da_block)
        else:
            dahat = du
        # step 18, pass 3: mean_b_dbhat_scaled = -(mean_a_dahat +
        #   mean_b_dbhat)*rstd**3/4
        mean_b_dbhat_scaled = (
            (mean_a_dahat + mean_b_dbhat) * (np.square(rstd) * rstd) * -0.25
        )
        # step 21: da = dahat*rstd + 2*a*dtotal
        da = np.multiply(dahat, rstd, out=da_block)
        part_5 = _rows.by_row(np.multiply, a, mean_b_dbhat_scaled, out=buffers[0])
        part_5 = np.multiply(part_5, 2.0, out=part_5)
        da = np.add(da, part_5, out=da)
        # step 24: db = dbhat*rstd + 2*b*dtotal
        db = np.multiply(dbhat, rstd, out=dbhat)
        part_6 = _rows.by_row(np.multiply, b, mean_b_dbhat_scaled, out=buffers[0])
        part_6 = np.multiply(part_6, 2.0, out=part_6)
        db = np.add(db, part_6, out=db)
        return da, db, dweight_1, dweight_0

    da, db, dweight_1, dweight_0 = _blocks.each_block(
        block,
        call,
        rows=(a_rows, b_rows, cosine_rows, sine_rows, dy_0_rows, dy_1_rows),
        row_scalars=(rstd_rows,),
        features=(weight_1, weight_0),
        into=(da_out, db_out),
        buffers=2,
        feature_sums=2,
    )
    return da, db, dweight_0, dweight_1


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    weight_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        a_dot = at(x_dot, s=0)
        b_dot = at(x_dot, s=1)
        weight_0_dot = at(weight_dot, s=0)
        weight_1_dot = at(weight_dot, s=1)
        rstd_dot = -rstd**3*mean(2*a*a_dot + 2*b*b_dot)/4
        u_dot = weight_0_dot*ahat + weight_0*(rstd_dot*a + rstd*a_dot)
        v_dot = weight_1_dot*bhat + weight_1*(rstd_dot*b + rstd*b_dot)
        y_0_dot = cosine*u_dot - sine*v_dot
        y_1_dot = cosine*v_dot + sine*u_dot
        y_dot = join(y_0_dot, y_1_dot)

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        weight_dot: the tangent of weight, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, weight_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    weight_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_cosine, _of_sine, _of_weight = saved[2]
    x_dot, weight_dot = _calls.arrays(0, x_dot=x_dot, weight_dot=weight_dot)
    _calls.check_any("tangent", x_dot, weight_dot)
    _calls.check_left_out("weight_dot", weight_dot, "weight", _of_weight)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", x_dot=x_dot)
    _calls.check_shapes(
        _AXES.shape("weight", _sizes), "the shape of weight", weight_dot=weight_dot
    )
    _read = {
        "x_dot": x_dot,
        "weight_dot": weight_dot,
        "saved.x": saved.x,
        "saved.cosine": saved.cosine,
        "saved.sine": saved.sine,
        "saved.weight": saved.weight,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result(
        "y_dot", out, _AXES.shape("y", _sizes), _of_x, _read, _by.empty
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_dot_0 = _arranged.target("y", y_dot_, 0)
    _y_dot_1 = _arranged.target("y", y_dot_, 1)
    _by.fill(
        (_y_dot_0, _y_dot_1),
        _arranged.work,
        (
            _arranged.rows("x", x_dot, 0),
            _arranged.rows("x", x_dot, 1),
            _arranged.feature("weight", weight_dot, 0),
            _arranged.feature("weight", weight_dot, 1),
        ),
        (
            _arranged.rows("x", saved.x, 0),
            _arranged.rows("x", saved.x, 1),
            _arranged.rows("cosine", saved.cosine),
            _arranged.rows("sine", saved.sine),
            _arranged.feature("weight", saved.weight, 0),
            _arranged.feature("weight", saved.weight, 1),
            saved.rstd,
        ),
    )
    _arranged.write("y", y_dot_, _y_dot_0, 0)
    _arranged.write("y", y_dot_, _y_dot_1, 1)
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    a_dot_rows, b_dot_rows, weight_0_dot, weight_1_dot = arguments
    a_rows, b_rows, cosine_rows, sine_rows, weight_0, weight_1, rstd_rows = fields
    y_0_dot_out, y_1_dot_out = results
    shape, dtype, _ = call
    features = shape[-1]
    with_b_dot_without_a_dot = a_dot_rows is None and b_dot_rows is not None
    with_a_dot_or_b_dot = a_dot_rows is not None or b_dot_rows is not None
    needs_y_0_dot = (
        a_dot_rows is not None or b_dot_rows is not None or weight_0_dot is not None
    )
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)

    def block(
        a,
        b,
        cosine,
        sine,
        a_dot,
        b_dot,
        rstd,
        weight_0_dot_wide,
        weight_0_wide,
        weight_1_dot_wide,
        weight_1_wide,
        y_0_dot_block=None,
        y_1_dot_block=None,
        buffers=(None,) * 4,
    ):
        # step 31: mean_a_a_dot_b = mean(2*a*a_dot + 2*b*b_dot)
        if a_dot_rows is not None:
            part = np.multiply(a, a_dot, out=y_0_dot_block)
            part = np.multiply(part, 2.0, out=part)
        if b_dot_rows is not None:
            part_2 = np.multiply(b, b_dot, out=y_1_dot_block)
            part_2 = np.multiply(part_2, 2.0, out=part_2)
        if a_dot_rows is not None and b_dot_rows is not None:
            part = np.add(part, part_2, out=part)
        if with_b_dot_without_a_dot:
            part = part_2
        if with_a_dot_or_b_dot:
            mean_a_a_dot_b = _rows.row_dot(part, one_over_D)
            # step 31: rstd_dot = -mean_a_a_dot_b*rstd**3/4
            rstd_dot = mean_a_a_dot_b * (np.square(rstd) * rstd) * -0.25
        # step 4: ahat = a*rstd
        if weight_0_dot is not None:
            ahat = _rows.by_row(np.multiply, a, rstd, out=y_0_dot_block)
        # step 6: bhat = b*rstd
        if weight_1_dot is not None:
            bhat = _rows.by_row(np.multiply, b, rstd, out=y_1_dot_block)
        # step 34: u_dot = ahat*weight_0_dot + (a_dot*rstd + a*rstd_dot)*weight_0
        if weight_0_dot is not None:
            u_dot = _rows.by_feature(
                np.multiply, ahat, weight_0_dot_wide, out=buffers[0]
            )
        if a_dot_rows is not None:
            part_3 = _rows.by_row(np.multiply, a_dot, rstd, out=y_0_dot_block)
        if with_a_dot_or_b_dot:
            part_4 = _rows.by_row(np.multiply, a, rstd_dot, out=buffers[1])
        if a_dot_rows is not None:
            part_3 = np.add(part_3, part_4, out=part_4)
        if with_b_dot_without_a_dot:
            part_3 = part_4
        if weight_0 is not None and (a_dot_rows is not None or b_dot_rows is not None):
            part_3 = _rows.by_feature(np.multiply, part_3, weight_0_wide, out=part_3)
        if weight_0_dot is not None and (
            a_dot_rows is not None or b_dot_rows is not None
        ):
            u_dot = np.add(u_dot, part_3, out=u_dot)
        if weight_0_dot is None and (a_dot_rows is not None or b_dot_rows is not None):
            u_dot = part_3
        # step 37: v_dot = bhat*weight_1_dot + (b_dot*rstd + b*rstd_dot)*weight_1
        if weight_1_dot is not None:
            v_dot = _rows.by_feature(np.multiply, bhat, weight_1_dot_wide, out=bhat)
        if b_dot_rows is not None:
            part_5 = _rows.by_row(np.multiply, b_dot, rstd, out=y_0_dot_block)
        if with_a_dot_or_b_dot:
            part_6 = _rows.by_row(np.multiply, b, rstd_dot, out=buffers[2])
        if b_dot_rows is not None:
            part_5 = np.add(part_5, part_6, out=part_6)
        if a_dot_rows is not None and b_dot_rows is None:
            part_5 = part_6
        if weight_1 is not None and (a_dot_rows is not None or b_dot_rows is not None):
            part_5 = _rows.by_feature(np.multiply, part_5, weight_1_wide, out=part_5)
        if weight_1_dot is not None and (
            a_dot_rows is not None or b_dot_rows is not None
        ):
            v_dot = np.add(v_dot, part_5, out=v_dot)
        if weight_1_dot is None and (a_dot_rows is not None or b_dot_rows is not None):
            v_dot = part_5
        # step 38: y_0_dot = cosine*u_dot - sine*v_dot
        if needs_y_0_dot:
            y_0_dot = np.multiply(cosine, u_dot, out=y_0_dot_block)
        else:
            y_0_dot = 0.0
        if a_dot_rows is not None or b_dot_rows is not None or weight_1_dot is not None:
            part_7 = np.multiply(sine, v_dot, out=buffers[3])
            y_0_dot = np.subtract(y_0_dot, part_7, out=y_0_dot_block)
            # step 39: y_1_dot = cosine*v_dot + sine*u_dot
            y_1_dot = np.multiply(cosine, v_dot, out=y_1_dot_block)
        if needs_y_0_dot:
            part_8 = np.multiply(sine, u_dot, out=buffers[0])
        if (
            a_dot_rows is not None
            or b_dot_rows is not None
            or (weight_0_dot is not None and weight_1_dot is not None)
        ):
            y_1_dot = np.add(y_1_dot, part_8, out=y_1_dot)
        if a_dot_rows is None and b_dot_rows is None and weight_1_dot is None:
            y_1_dot = part_8
        return y_0_dot, y_1_dot

    return _blocks.each_block(
        block,
        call,
        rows=(a_rows, b_rows, cosine_rows, sine_rows, a_dot_rows, b_dot_rows),
        row_scalars=(rstd_rows,),
        features=(weight_0_dot, weight_0, weight_1_dot, weight_1),
        into=(y_0_dot_out, y_1_dot_out),
        buffers=4,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddweight: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        dy_0 = at(dy, s=0)
        dy_1 = at(dy, s=1)
        dda = at(ddx, s=0)
        ddb = at(ddx, s=1)
        ddweight_0 = at(ddweight, s=0)
        ddweight_1 = at(ddweight, s=1)
        dv = cosine*dy_1 - dy_0*sine
        dbhat = weight_1*dv
        du = cosine*dy_0 + dy_1*sine
        dahat = weight_0*du
        mean_a_dahat = mean(a*dahat)
        mean_b_dbhat = mean(b*dbhat)
        dtotal = -rstd**3*(mean_a_dahat + mean_b_dbhat)/4
        ddtotal = 2*a*dda + 2*b*ddb
        ddahat = rstd*dda - rstd**2*ahat*mean(ddtotal)/4
        ddu = weight_0*ddahat + ddweight_0*ahat
        ddbhat = rstd*ddb - rstd**2*bhat*mean(ddtotal)/4
        ddv = weight_1*ddbhat + ddweight_1*bhat
        d2total = -0.0625*rstd**3*(4*mean(dahat*dda) + 4*mean(dbhat*ddb) +
            4*mean(ddweight_0*a*du) + 4*mean(ddweight_1*b*dv) -
            3*rstd**2*mean(ddtotal)*(mean_a_dahat + mean_b_dbhat))
        d2a = 2*a*d2total + rstd*ddweight_0*du + 2*dda*dtotal -
            rstd**3*dahat*mean(ddtotal)/4
        d2b = 2*b*d2total + rstd*ddweight_1*dv + 2*ddb*dtotal -
            rstd**3*dbhat*mean(ddtotal)/4
        d2weight_0 = sum_rows(ddahat*du)
        d2weight_1 = sum_rows(ddbhat*dv)
        ddy_0 = cosine*ddu - ddv*sine
        ddy_1 = cosine*ddv + ddu*sine
        d2x = join(d2a, d2b)
        d2weight = join(d2weight_0, d2weight_1)
        ddy = join(ddy_0, ddy_1)

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddweight: the cotangent of dweight, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dweight is d2weight)
    and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddx, ddweight, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddweight: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_cosine, _of_sine, _of_weight = saved[2]
    dy, ddx, ddweight = _calls.arrays(1, dy=dy, ddx=ddx, ddweight=ddweight)
    _calls.check_any("cotangent of a gradient", ddx, ddweight)
    _calls.check_left_out("ddweight", ddweight, "weight", _of_weight)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", ddx=ddx)
    _calls.check_shapes(
        _AXES.shape("weight", _sizes), "the shape of weight", ddweight=ddweight
    )
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddweight": ddweight,
        "saved.x": saved.x,
        "saved.cosine": saved.cosine,
        "saved.sine": saved.sine,
        "saved.weight": saved.weight,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dweight_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dweight=(_AXES.shape("weight", _sizes), _of_weight),
        ddy=(_AXES.shape("y", _sizes), dy.dtype),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_0 = _arranged.target("x", dx_, 0)
    _dx_1 = _arranged.target("x", dx_, 1)
    _dweight_0 = _arranged.target_feature("weight", dweight_, 0)
    _dweight_1 = _arranged.target_feature("weight", dweight_, 1)
    _ddy_0 = _arranged.target("y", ddy_, 0)
    _ddy_1 = _arranged.target("y", ddy_, 1)
    _by.fill(
        (_dx_0, _dx_1, _dweight_0, _dweight_1, _ddy_0, _ddy_1),
        _arranged.work,
        (
            _arranged.rows("y", dy, 0),
            _arranged.rows("y", dy, 1),
            _arranged.rows("x", ddx, 0),
            _arranged.rows("x", ddx, 1),
            _arranged.feature("weight", ddweight, 0),
            _arranged.feature("weight", ddweight, 1),
        ),
        (
            _arranged.rows("x", saved.x, 0),
            _arranged.rows("x", saved.x, 1),
            _arranged.rows("cosine", saved.cosine),
            _arranged.rows("sine", saved.sine),
            _arranged.feature("weight", saved.weight, 0),
            _arranged.feature("weight", saved.weight, 1),
            saved.rstd,
        ),
    )
    _arranged.write("x", dx_, _dx_0, 0)
    _arranged.write("x", dx_, _dx_1, 1)
    _arranged.write("weight", dweight_, _dweight_0, 0)
    _arranged.write("weight", dweight_, _dweight_1, 1)
    _arranged.write("y", ddy_, _ddy_0, 0)
    _arranged.write("y", ddy_, _ddy_1, 1)
    return SecondGradients(*_calls.returned((dx_, dweight_, ddy_), out))


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_0_rows, dy_1_rows, dda_rows, ddb_rows, ddweight_0, ddweight_1 = arguments
    a_rows, b_rows, cosine_rows, sine_rows, weight_0, weight_1, rstd_rows = fields
    da_out, db_out, _, _, ddy_0_out, ddy_1_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_dv = dy_1_rows is not None and (
        dda_rows is not None or ddb_rows is not None or ddweight_1 is not None
    )
    needs_part = dy_0_rows is not None and (
        dda_rows is not None or ddb_rows is not None or ddweight_1 is not None
    )
    needs_dbhat = weight_1 is not None and (
        dda_rows is not None or ddb_rows is not None
    )
    needs_dbhat_2 = weight_1 is None and (dda_rows is not None or ddb_rows is not None)
    with_dda_or_ddb = dda_rows is not None or ddb_rows is not None
    needs_du = dy_0_rows is not None and (
        dda_rows is not None or ddb_rows is not None or ddweight_0 is not None
    )
    needs_part_3 = dy_1_rows is not None and (
        dda_rows is not None or ddb_rows is not None or ddweight_0 is not None
    )
    needs_dahat = weight_0 is not None and (
        dda_rows is not None or ddb_rows is not None
    )
    needs_dahat_2 = weight_0 is None and (dda_rows is not None or ddb_rows is not None)
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 59: mean_b_ddweight_1_dv = mean(b*dv*ddweight_1)
    if ddweight_1 is not None:
        ddweight_1_over_D = ddweight_1 / D
    # step 59: mean_a_ddweight_0_du = mean(a*du*ddweight_0)
    if ddweight_0 is not None:
        ddweight_0_over_D = ddweight_0 / D

    def block(
        a,
        b,
        cosine,
        sine,
        dy_0,
        dy_1,
        dda,
        ddb,
        rstd,
        weight_1_wide,
        weight_0_wide,
        ddweight_0_wide,
        ddweight_1_wide,
        da_block=None,
        db_block=None,
        ddy_0_block=None,
        ddy_1_block=None,
        buffers=(None,) * 7,
    ):
        ddy_0 = ddy_1 = d2weight_0 = d2weight_1 = None
        # step 43: dv = cosine*dy_1 - dy_0*sine
        if needs_dv:
            dv = np.multiply(cosine, dy_1, out=ddy_1_block)
        if dy_1_rows is None and (
            dda_rows is not None or ddb_rows is not None or ddweight_1 is not None
        ):
            dv = 0.0
        if needs_part:
            part = np.multiply(dy_0, sine, out=da_block)
            dv = np.subtract(dv, part, out=ddy_0_block)
        # step 59: mean_b_ddweight_1_dv = mean(b*dv*ddweight_1)
        if ddweight_1 is not None:
            part_2 = np.multiply(b, dv, out=da_block)
            mean_b_ddweight_1_dv = _rows.row_dot(part_2, ddweight_1_over_D)
        # step 44: dbhat = dv*weight_1
        if needs_dbhat:
            dbhat = _rows.by_feature(np.multiply, dv, weight_1_wide, out=db_block)
        if needs_dbhat_2:
            dbhat = dv
        # step 45: mean_b_dbhat = mean(b*dbhat)
        if with_dda_or_ddb:
            mean_b_dbhat = _rows.row_dot(b, dbhat) / D
        # step 59: mean_dbhat_ddb = mean(dbhat*ddb)
        if ddb_rows is not None:
            mean_dbhat_ddb = _rows.row_dot(dbhat, ddb) / D
        # step 40: du = cosine*dy_0 + dy_1*sine
        if needs_du:
            du = np.multiply(cosine, dy_0, out=buffers[0])
        if needs_part_3:
            part_3 = np.multiply(dy_1, sine, out=buffers[1])
        if (
            dy_0_rows is not None
            and dy_1_rows is not None
            and (dda_rows is not None or ddb_rows is not None or ddweight_0 is not None)
        ):
            du = np.add(du, part_3, out=ddy_1_block)
        if dy_0_rows is None and (
            dda_rows is not None or ddb_rows is not None or ddweight_0 is not None
        ):
            du = part_3
        # step 59: mean_a_ddweight_0_du = mean(a*du*ddweight_0)
        if ddweight_0 is not None:
            part_4 = np.multiply(a, du, out=da_block)
            mean_a_ddweight_0_du = _rows.row_dot(part_4, ddweight_0_over_D)
        # step 41: dahat = du*weight_0
        if needs_dahat:
            dahat = _rows.by_feature(np.multiply, du, weight_0_wide, out=da_block)
        if needs_dahat_2:
            dahat = du
        # step 42: mean_a_dahat = mean(a*dahat)
        if with_dda_or_ddb:
            mean_a_dahat = _rows.row_dot(a, dahat) / D
        # step 59: mean_dahat_dda = mean(dahat*dda)
        if dda_rows is not None:
            mean_dahat_dda = _rows.row_dot(dahat, dda) / D
            # step 49: ddtotal = 2*a*dda + 2*b*ddb
            ddtotal = np.multiply(a, dda, out=buffers[2])
            ddtotal = np.multiply(ddtotal, 2.0, out=ddtotal)
        if ddb_rows is not None:
            part_5 = np.multiply(b, ddb, out=buffers[3])
            part_5 = np.multiply(part_5, 2.0, out=part_5)
        if dda_rows is not None and ddb_rows is not None:
            ddtotal = np.add(ddtotal, part_5, out=ddtotal)
        if dda_rows is None and ddb_rows is not None:
            ddtotal = part_5
        # step 76: mean_ddtotal = mean(ddtotal)
        if with_dda_or_ddb:
            mean_ddtotal = _rows.row_dot(ddtotal, one_over_D)
            # step 46, pass 7: mean_b_dbhat_scaled = -(mean_a_dahat +
            #   mean_b_dbhat)*rstd**3/4
            part_6 = mean_a_dahat + mean_b_dbhat
        part_7 = np.square(rstd)
        part_8 = part_7 * rstd
        if with_dda_or_ddb:
            mean_b_dbhat_scaled = part_6 * part_8 * -0.25
            # step 76, pass 8: mean_ddtotal_scaled = -mean_ddtotal*rstd**2/4
            mean_ddtotal_scaled = mean_ddtotal * part_7 * -0.25
        # step 59, pass 9: mean_b_ddweight_1_dv_scaled = -(mean_a_ddweight_0_du +
        #   mean_b_ddweight_1_dv + mean_dahat_dda + mean_dbhat_ddb - 3*(mean_a_dahat +
        #   mean_b_dbhat)*mean_ddtotal*rstd**2/4)*rstd**3/4
        if ddweight_0 is not None and ddweight_1 is not None:
            mean_b_ddweight_1_dv_scaled = mean_a_ddweight_0_du + mean_b_ddweight_1_dv
        if ddweight_0 is not None and ddweight_1 is None:
            mean_b_ddweight_1_dv_scaled = mean_a_ddweight_0_du
        if ddweight_0 is None and ddweight_1 is not None:
            mean_b_ddweight_1_dv_scaled = mean_b_ddweight_1_dv
        if dda_rows is not None and (ddweight_0 is not None or ddweight_1 is not None):
            mean_b_ddweight_1_dv_scaled = mean_b_ddweight_1_dv_scaled + mean_dahat_dda
        if dda_rows is not None and ddweight_0 is None and ddweight_1 is None:
            mean_b_ddweight_1_dv_scaled = mean_dahat_dda
        if ddb_rows is not None and (
            dda_rows is not None or ddweight_0 is not None or ddweight_1 is not None
        ):
            mean_b_ddweight_1_dv_scaled = mean_b_ddweight_1_dv_scaled + mean_dbhat_ddb
        if dda_rows is None and ddweight_0 is None and ddweight_1 is None:
            mean_b_ddweight_1_dv_scaled = mean_dbhat_ddb
        if with_dda_or_ddb:
            mean_b_ddweight_1_dv_scaled = (
                mean_b_ddweight_1_dv_scaled - part_6 * mean_ddtotal * part_7 * 0.75
            )
        mean_b_ddweight_1_dv_scaled = mean_b_ddweight_1_dv_scaled * part_8 * -0.25
        # step 64, pass 10: mean_ddtotal_scaled_2 = -mean_ddtotal*rstd**3/4
        if with_dda_or_ddb:
            mean_ddtotal_scaled_2 = mean_ddtotal * part_8 * -0.25
        # step 4: ahat = a*rstd
        if dda_rows is not None or ddb_rows is not None or ddweight_0 is not None:
            ahat = _rows.by_row(np.multiply, a, rstd, out=buffers[2])
        # step 6: bhat = b*rstd
        if dda_rows is not None or ddb_rows is not None or ddweight_1 is not None:
            bhat = _rows.by_row(np.multiply, b, rstd, out=buffers[3])
        # step 76, pass 12: ddahat = ahat*mean_ddtotal_scaled + dda*rstd
        if with_dda_or_ddb:
            ddahat = _rows.by_row(
                np.multiply, ahat, mean_ddtotal_scaled, out=buffers[4]
            )
        if dda_rows is not None:
            part_9 = _rows.by_row(np.multiply, dda, rstd, out=buffers[5])
            ddahat = np.add(ddahat, part_9, out=ddahat)
        # step 77: d2weight_0 = sum over rows of ddahat*du
        if needs_dahat:
            part_10 = np.multiply(ddahat, du, out=buffers[5])
            d2weight_0 = _rows.sum_rows(part_10)
        # step 87: ddu = ahat*ddweight_0 + ddahat*weight_0
        if ddweight_0 is not None:
            ddu = _rows.by_feature(np.multiply, ahat, ddweight_0_wide, out=ahat)
        if needs_dahat:
            part_11 = _rows.by_feature(np.multiply, ddahat, weight_0_wide, out=ddahat)
        if needs_dahat_2:
            part_11 = ddahat
        if ddweight_0 is not None and (dda_rows is not None or ddb_rows is not None):
            ddu = np.add(ddu, part_11, out=ddu)
        if ddweight_0 is None and (dda_rows is not None or ddb_rows is not None):
            ddu = part_11
        # step 83, pass 13: ddbhat = bhat*mean_ddtotal_scaled + ddb*rstd
        if with_dda_or_ddb:
            ddbhat = _rows.by_row(
                np.multiply, bhat, mean_ddtotal_scaled, out=buffers[5]
            )
        if ddb_rows is not None:
            part_12 = _rows.by_row(np.multiply, ddb, rstd, out=buffers[6])
            ddbhat = np.add(ddbhat, part_12, out=ddbhat)
        # step 84: d2weight_1 = sum over rows of ddbhat*dv
        if needs_dbhat:
            part_13 = np.multiply(ddbhat, dv, out=buffers[6])
            d2weight_1 = _rows.sum_rows(part_13)
        # step 90: ddv = bhat*ddweight_1 + ddbhat*weight_1
        if ddweight_1 is not None:
            ddv = _rows.by_feature(np.multiply, bhat, ddweight_1_wide, out=bhat)
        if needs_dbhat:
            part_14 = _rows.by_feature(np.multiply, ddbhat, weight_1_wide, out=ddbhat)
        if needs_dbhat_2:
            part_14 = ddbhat
        if ddweight_1 is not None and (dda_rows is not None or ddb_rows is not None):
            ddv = np.add(ddv, part_14, out=ddv)
        if ddweight_1 is None and (dda_rows is not None or ddb_rows is not None):
            ddv = part_14
        # step 64, pass 15: d2a = dahat*mean_ddtotal_scaled_2 + 2*a*d2total +
        #   2*dda*dtotal + du*rstd*ddweight_0
        if with_dda_or_ddb:
            d2a = _rows.by_row(
                np.multiply, dahat, mean_ddtotal_scaled_2, out=buffers[6]
            )
        part_15 = _rows.by_row(
            np.multiply, a, mean_b_ddweight_1_dv_scaled, out=da_block
        )
        part_15 = np.multiply(part_15, 2.0, out=part_15)
        if with_dda_or_ddb:
            d2a = np.add(d2a, part_15, out=part_15)
        else:
            d2a = part_15
        if dda_rows is not None:
            part_16 = _rows.by_row(
                np.multiply, dda, mean_b_dbhat_scaled, out=buffers[6]
            )
            part_16 = np.multiply(part_16, 2.0, out=part_16)
            d2a = np.add(d2a, part_16, out=d2a)
        if ddweight_0 is not None:
            part_17 = _rows.by_feature(np.multiply, du, ddweight_0_wide, out=buffers[0])
            part_17 = np.multiply(part_17, rstd, out=part_17)
            d2a = np.add(d2a, part_17, out=d2a)
        # step 70, pass 16: d2b = dbhat*mean_ddtotal_scaled_2 + 2*b*d2total +
        #   2*ddb*dtotal + dv*rstd*ddweight_1
        if with_dda_or_ddb:
            d2b = _rows.by_row(
                np.multiply, dbhat, mean_ddtotal_scaled_2, out=buffers[0]
            )
        part_18 = _rows.by_row(
            np.multiply, b, mean_b_ddweight_1_dv_scaled, out=db_block
        )
        part_18 = np.multiply(part_18, 2.0, out=part_18)
        if with_dda_or_ddb:
            d2b = np.add(d2b, part_18, out=part_18)
        else:
            d2b = part_18
        if ddb_rows is not None:
            part_19 = _rows.by_row(
                np.multiply, ddb, mean_b_dbhat_scaled, out=buffers[0]
            )
            part_19 = np.multiply(part_19, 2.0, out=part_19)
            d2b = np.add(d2b, part_19, out=d2b)
        if ddweight_1 is not None:
            part_20 = _rows.by_feature(np.multiply, dv, ddweight_1_wide, out=buffers[0])
            part_20 = np.multiply(part_20, rstd, out=part_20)
            d2b = np.add(d2b, part_20, out=d2b)
        # step 91: ddy_0 = cosine*ddu - ddv*sine
        if needs_du:
            ddy_0 = np.multiply(cosine, ddu, out=ddy_0_block)
        if (
            dy_0_rows is not None
            and dda_rows is None
            and ddb_rows is None
            and ddweight_0 is None
        ):
            ddy_0 = 0.0
        if needs_part:
            part_21 = np.multiply(ddv, sine, out=buffers[0])
            ddy_0 = np.subtract(ddy_0, part_21, out=ddy_0_block)
        # step 92: ddy_1 = cosine*ddv + ddu*sine
        if needs_dv:
            ddy_1 = np.multiply(cosine, ddv, out=ddy_1_block)
        if needs_part_3:
            part_22 = np.multiply(ddu, sine, out=buffers[0])
        if dy_1_rows is not None and (
            dda_rows is not None
            or ddb_rows is not None
            or (ddweight_0 is not None and ddweight_1 is not None)
        ):
            ddy_1 = np.add(ddy_1, part_22, out=ddy_1)
        if (
            dy_1_rows is not None
            and dda_rows is None
            and ddb_rows is None
            and ddweight_1 is None
        ):
            ddy_1 = part_22
        return d2a, d2b, ddy_0, ddy_1, d2weight_0, d2weight_1

    d2a, d2b, ddy_0, ddy_1, d2weight_0, d2weight_1 = _blocks.each_block(
        block,
        call,
        rows=(
            a_rows,
            b_rows,
            cosine_rows,
            sine_rows,
            dy_0_rows,
            dy_1_rows,
            dda_rows,
            ddb_rows,
        ),
        row_scalars=(rstd_rows,),
        features=(weight_1, weight_0, ddweight_0, ddweight_1),
        into=(da_out, db_out, ddy_0_out, ddy_1_out),
        buffers=7,
        feature_sums=2,
    )
    if weight_0 is not None and dda_rows is None and ddb_rows is None:
        d2weight_0 = np.full(features, 0.0, dtype)
    if weight_1 is not None and dda_rows is None and ddb_rows is None:
        d2weight_1 = np.full(features, 0.0, dtype)
    return d2a, d2b, d2weight_0, d2weight_1, ddy_0, ddy_1


def saved_from(
    *,
    x: npt.NDArray[Any],
    cosine: npt.NDArray[Any],
    sine: npt.NDArray[Any],
    weight: npt.NDArray[Any] | None = None,
    rstd: npt.NDArray[Any],
    shape: Sequence[int] | None = None,
    dtype: npt.DTypeLike | None = None,
    dtypes: Mapping[str, npt.DTypeLike] | None = None,
) -> Saved:
    """Make `Saved` from its fields, which are checked as by `backward`.

    Args:
        shape: the sizes of the axes b h t d.
        dtype: the compute type of forward; None for that of the row scalars, or else
            the type that forward would choose.
        dtypes: the type of each given input, by name; its gradient has this type.
            An input without a field needs its entry. Without one it counts as omitted,
            or as of the rows' type if it is required.

    Raises TypeError or ValueError for fields that `forward` cannot have saved.
    """
    fields_ = (x, cosine, sine, weight, rstd)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, cosine, sine, weight, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "rms_norm_rotary")
    _calls.check_first_fields(saved, (True, True, True, False))
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    _calls.check_kept(_AXES.shape("cosine", _sizes), cosine=saved.cosine)
    _calls.check_kept(_AXES.shape("sine", _sizes), sine=saved.sine)
    _calls.check_kept(
        _AXES.shape("weight", _sizes), saved.dtypes[3] is not None, weight=saved.weight
    )
    _calls.check_kept(_shape[:-1], rstd=saved.rstd)
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "rms_norm_rotary",
    "minimum_features": 1,
    "inputs": [
        _interface.given(
            "x", "Row", pattern=[["b"], ["h"], ["t"], ["s", "d"]], parts=["a", "b"]
        ),
        _interface.given("cosine", "Data", pattern=[["t"], ["d"]]),
        _interface.given("sine", "Data", pattern=[["t"], ["d"]]),
        _interface.given(
            "weight",
            "Feature",
            default=1,
            pattern=[["s", "d"]],
            parts=["weight_0", "weight_1"],
        ),
    ],
    "constants": [_interface.constant("eps", default=1e-6, sign="nonnegative")],
    "outputs": [
        _interface.output(
            "y", "Row", pattern=[["b"], ["h"], ["t"], ["s", "d"]], parts=["y_0", "y_1"]
        )
    ],
    "saved": [
        _interface.saved("x", "input", ["...", "D"], parts=["a", "b"]),
        _interface.saved("cosine", "input", ["...", "D"]),
        _interface.saved("sine", "input", ["...", "D"]),
        _interface.saved("weight", "input", ["D"], parts=["weight_0", "weight_1"]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("weight", may_be_none=True),
    ],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
    "layout": {
        "pattern": [["b"], ["h"], ["t"], ["d"]],
        "features": ["d"],
        "sizes": [],
        "parts": {"s": 2},
    },
}

_AXES = _axes.NamedAxes(INTERFACE)
_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class RMSNormRotary(_modules.NumpyModule):
    """`rms_norm_rotary` as an object with the parameter weight.

    Args:
        d: the size of the axis d.
        weight: False omits it; its initial value is 1.
        eps: a constant, a finite number of 0 or more.
        dtype: the type of the parameters.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        d: int,
        *,
        weight: bool = True,
        eps: float = 1e-6,
        dtype: npt.DTypeLike = np.float32,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads, dtype, d=_modules.size("d", d))
        self._parameter("weight", weight, (2*d,), 1)
        self.eps = self._constant("eps", eps, False)

    def forward(
        self,
        x: npt.NDArray[Any],
        cosine: npt.NDArray[Any],
        sine: npt.NDArray[Any],
        *,
        save: bool = True,
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x,
            cosine,
            sine,
            self.parameters.get("weight"),
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
        self.gradients = self._of_parameters(weight=found.dweight)
        return found.dx
