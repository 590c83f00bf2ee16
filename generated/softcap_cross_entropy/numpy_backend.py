# Made by lngen 0.1.0 from the definition of softcap_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit softcap_cross_entropy.py and run: lngen derive softcap_cross_entropy.py
# definition sha256:d010fe640748d9eca5d1baa233d0a8218fad8c6aeec03dd12a012fcb2dc30c1c
"""Cross entropy of a label with the softmax of a capped row, weighted by class; a label `ignore` counts nothing.

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


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    label: npt.NDArray[Any]  # argument label of forward
    ignore: npt.NDArray[Any] | None  # argument ignore of forward
    cap: float  # constant cap of forward
    z_loss: float  # constant z_loss of forward
    m: npt.NDArray[Any]  # row scalar m, one per row
    Z: npt.NDArray[Any]  # row scalar Z, one per row
    log_Z: npt.NDArray[Any]  # row scalar log_Z, one per row
    sum_where_class_weight: npt.NDArray[Any]  # row scalar sum_where_class_weight, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    class_weight: npt.NDArray[Any] | None = None,
    ignore: npt.NDArray[Any] | None = None,
    *,
    cap: float = 30.0,
    z_loss: float = 0.0,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    class_weight: npt.NDArray[Any] | None = None,
    ignore: npt.NDArray[Any] | None = None,
    *,
    cap: float = 30.0,
    z_loss: float = 0.0,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    class_weight: npt.NDArray[Any] | None = None,
    ignore: npt.NDArray[Any] | None = None,
    *,
    cap: float = 30.0,
    z_loss: float = 0.0,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Cross entropy of a label with the softmax of a capped row, weighted by class; a label `ignore` counts nothing.

        u_2 = x/cap
        tanh_u_2 = tanh(u_2)
        u = cap*tanh_u_2
        m = max(u)
        exp_shifted = exp(u - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        sum_where_u = sum(where(index() == label, u, 0))
        sum_where_class_weight = sum(where(index() == label, class_weight, 0))
        y = where(label == ignore, 0, z_loss*(m + log_Z)**2 + sum_where_class_weight*(m + log_Z - sum_where_u))

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        class_weight: one value per feature, shape (D,), without a gradient. If omitted it is 1, at no cost.
        ignore: an integer or a 0-d array of one. If omitted it is -100.
        cap: a constant, a finite number of 0 or more.
        z_loss: a constant, a finite number.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has one value per row, shape x.shape[:-1]. `saved` is the
    argument of the other directions. The compute type is the widest among the
    inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(
        _FORWARD, x, label, class_weight, ignore, cap, z_loss, save, out, threads
    )


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    label: Any,
    class_weight: Any,
    ignore: Any,
    cap: Any,
    z_loss: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    cap = _calls.constant("cap", cap, signed=False)
    z_loss = _calls.constant("z_loss", z_loss)
    threads = _calls.thread_count(threads)
    x, class_weight = _calls.arrays(1, x=x, class_weight=class_weight)
    label = _calls.integers("label", label, True)
    ignore = _calls.integers("ignore", ignore, False, is_number=True)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(
        _shape[:-1], "the shape of x without its last axis", label=label
    )
    _calls.check_shapes(_shape[-1:], "(D,)", class_weight=class_weight)
    _read = {"x": x, "label": label, "class_weight": class_weight, "ignore": ignore}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape[:-1], x.dtype, _read, _by.empty)
    m_ = _by.empty(_shape[:-1], _dtype)
    Z_ = _by.empty(_shape[:-1], _dtype)
    log_Z_ = _by.empty(_shape[:-1], _dtype)
    sum_where_class_weight_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, m_, Z_, log_Z_, sum_where_class_weight_),
        _blocks.Work(_shape, _dtype, threads),
        (
            x,
            label,
            _calls.parameter(class_weight, _dtype),
            _calls.number(ignore, _blocks.INTEGER),
            cap,
            z_loss,
        ),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(
            _shape,
            _dtype,
            _dtypes,
            x,
            label,
            ignore,
            cap,
            z_loss,
            m_,
            Z_,
            log_Z_,
            sum_where_class_weight_,
        )
        if save
        else None
    )
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, label_rows, class_weight, ignore, cap, z_loss = values
    y_out, m_out, Z_out, log_Z_out, sum_where_class_weight_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    if class_weight is not None:
        class_weight_value = class_weight
    else:
        class_weight_value = 1.0
    if ignore is not None:
        ignore_value = np.asarray(ignore, dtype)
    else:
        ignore_value = -100.0
    cap = np.asarray(cap, dtype)
    z_loss = np.asarray(z_loss, dtype)
    # step 1, pass 1: cap_shifted = 1/cap
    cap_shifted = np.reciprocal(cap)

    def block(x, label, buffers=(None,)):
        # step 10: sum_where_class_weight = sum(where(index() == label, class_weight,
        #   0))
        part = _rows.filled(class_weight_value, buffers[0], shape, dtype)
        sum_where_class_weight = _rows.entry(part, label)
        # step 1, pass 2: u_2 = x*cap_shifted
        u_2 = np.multiply(x, cap_shifted, out=buffers[0])
        # step 2: tanh_u_2 = tanh(u_2)
        tanh_u_2 = np.tanh(u_2, out=u_2)
        # step 3: u = tanh_u_2*cap
        u = np.multiply(tanh_u_2, cap, out=tanh_u_2)
        # step 4: m = max(u)
        m = _rows.shift(u)
        # step 9: sum_where_u = sum(where(index() == label, u, 0))
        sum_where_u = _rows.entry(u, label)
        # step 9, pass 3: sum_where_u_shifted = sum_where_u - m
        sum_where_u_shifted = sum_where_u - m
        # step 5: tanh_u_2_shifted = u - m
        tanh_u_2_shifted = np.subtract(u, m, out=u)
        # step 6: exp_shifted = exp(tanh_u_2_shifted)
        exp_shifted = np.exp(tanh_u_2_shifted, out=tanh_u_2_shifted)
        # step 7: Z = sum(exp_shifted)
        Z = _rows.row_dot(exp_shifted, ones)
        # step 8: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 11, pass 4: y = where(label == ignore, 0, (log_Z -
        #   sum_where_u_shifted)*sum_where_class_weight + (log_Z + m)**2*z_loss)
        mask = label == ignore_value
        y = (log_Z - sum_where_u_shifted) * sum_where_class_weight + np.square(
            log_Z + m
        ) * z_loss
        y = np.where(mask, 0.0, y)
        return (
            y[..., 0],
            m[..., 0],
            Z[..., 0],
            log_Z[..., 0],
            sum_where_class_weight[..., 0],
        )

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(label_rows,),
        into_row_scalars=(y_out, m_out, Z_out, log_Z_out, sum_where_class_weight_out),
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

        p = exp_shifted/Z
        dx = (1 - tanh_u_2)*(1 + tanh_u_2)*(where(index() == label, where(label == ignore, 0, -dy*sum_where_class_weight), 0) + where(label == ignore, 0, dy*p*(sum_where_class_weight + 2*z_loss*(m + log_Z))))

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
    _of_x, _of_label, _of_class_weight, _of_ignore = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.label": saved.label,
        "saved.ignore": saved.ignore,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
        "saved.log_Z": saved.log_Z,
        "saved.sum_where_class_weight": saved.sum_where_class_weight,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dx_,) = _calls.results(out, _read, _by.empty, dx=(_shape, _of_x))
    _by.fill(
        (dx_,),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (
            saved.x,
            saved.label,
            _calls.number(saved.ignore, _blocks.INTEGER),
            saved.cap,
            saved.z_loss,
            saved.m,
            saved.Z,
            saved.log_Z,
            saved.sum_where_class_weight,
        ),
    )
    return Gradients(*_calls.returned((dx_,), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    (
        x_rows,
        label_rows,
        ignore,
        cap,
        z_loss,
        m_rows,
        Z_rows,
        log_Z_rows,
        sum_where_class_weight_rows,
    ) = fields
    (dx_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    if ignore is not None:
        ignore_value = np.asarray(ignore, dtype)
    else:
        ignore_value = -100.0
    cap = np.asarray(cap, dtype)
    z_loss = np.asarray(z_loss, dtype)
    # step 1, pass 1: cap_shifted = 1/cap
    cap_shifted = np.reciprocal(cap)
    # step 30, pass 7: dx = (1 - tanh_u_2)*(where(index() == label,
    #   sum_where_class_weight_shifted, 0) + where(label == ignore, 0,
    #   exp_shifted*sum_where_class_weight_scaled))*(tanh_u_2 + 1)
    index = np.arange(features)

    def block(
        x,
        label,
        dy,
        m,
        Z,
        log_Z,
        sum_where_class_weight,
        dx_block=None,
        buffers=(None,) * 3,
    ):
        # step 30, pass 5: sum_where_class_weight_shifted = where(label == ignore, 0,
        #   -dy*sum_where_class_weight)
        mask = label == ignore_value
        sum_where_class_weight_shifted = np.negative(dy * sum_where_class_weight)
        sum_where_class_weight_shifted = np.where(
            mask, 0.0, sum_where_class_weight_shifted
        )
        # step 30, pass 6: sum_where_class_weight_scaled = dy*(sum_where_class_weight +
        #   (2*log_Z + 2*m)*z_loss)/Z
        sum_where_class_weight_scaled = (
            dy * (sum_where_class_weight + (log_Z * 2.0 + m * 2.0) * z_loss) / Z
        )
        # step 1, pass 2: u_2 = x*cap_shifted
        u_2 = np.multiply(x, cap_shifted, out=dx_block)
        # step 2: tanh_u_2 = tanh(u_2)
        tanh_u_2 = np.tanh(u_2, out=u_2)
        # step 3: u = tanh_u_2*cap
        u = np.multiply(tanh_u_2, cap, out=buffers[0])
        # step 5: tanh_u_2_shifted = u - m
        tanh_u_2_shifted = np.subtract(u, m, out=u)
        # step 6: exp_shifted = exp(tanh_u_2_shifted)
        exp_shifted = np.exp(tanh_u_2_shifted, out=tanh_u_2_shifted)
        # step 30, pass 7: dx = (1 - tanh_u_2)*(where(index() == label,
        #   sum_where_class_weight_shifted, 0) + where(label == ignore, 0,
        #   exp_shifted*sum_where_class_weight_scaled))*(tanh_u_2 + 1)
        dx = np.subtract(1.0, tanh_u_2, out=buffers[1])
        mask_2 = index == label
        part = _rows.select(
            mask_2,
            sum_where_class_weight_shifted,
            0.0,
            out=_rows.memory(buffers[2], shape, dtype),
        )
        part_2 = np.multiply(
            exp_shifted, sum_where_class_weight_scaled, out=exp_shifted
        )
        part_2 = _rows.select(mask, 0.0, part_2, out=part_2)
        part = np.add(part, part_2, out=part_2)
        dx = np.multiply(dx, part, out=part)
        part_3 = np.add(tanh_u_2, 1.0, out=tanh_u_2)
        dx = np.multiply(dx, part_3, out=part_3)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(
            label_rows,
            dy_rows,
            m_rows,
            Z_rows,
            log_Z_rows,
            sum_where_class_weight_rows,
        ),
        into=(dx_out,),
        buffers=3,
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        tanh_u_2_dot = x_dot*(1 - tanh_u_2)*(1 + tanh_u_2)/cap
        p = exp_shifted/Z
        y_dot = where(label == ignore, 0,
            cap*sum(p*tanh_u_2_dot)*(sum_where_class_weight + 2*z_loss*(m + log_Z)) -
            sum_where_class_weight*sum(where(index() == label, cap*tanh_u_2_dot, 0)))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction, saved: Any, x_dot: Any, out: Any, threads: Any
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_label, _of_class_weight, _of_ignore = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    _calls.check_any("tangent", x_dot)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _read = {
        "x_dot": x_dot,
        "saved.x": saved.x,
        "saved.label": saved.label,
        "saved.ignore": saved.ignore,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
        "saved.log_Z": saved.log_Z,
        "saved.sum_where_class_weight": saved.sum_where_class_weight,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape[:-1], _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot,),
        (
            saved.x,
            saved.label,
            _calls.number(saved.ignore, _blocks.INTEGER),
            saved.cap,
            saved.z_loss,
            saved.m,
            saved.Z,
            saved.log_Z,
            saved.sum_where_class_weight,
        ),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    (
        x_rows,
        label_rows,
        ignore,
        cap,
        z_loss,
        m_rows,
        Z_rows,
        log_Z_rows,
        sum_where_class_weight_rows,
    ) = fields
    (y_dot_out,) = results
    _, dtype, _ = call
    if ignore is not None:
        ignore_value = np.asarray(ignore, dtype)
    else:
        ignore_value = -100.0
    cap = np.asarray(cap, dtype)
    z_loss = np.asarray(z_loss, dtype)
    # step 1, pass 1: cap_shifted = 1/cap
    cap_shifted = np.reciprocal(cap)

    def block(
        x, x_dot, label, m, Z, log_Z, sum_where_class_weight, buffers=(None,) * 3
    ):
        # step 1, pass 2: u_2 = x*cap_shifted
        u_2 = np.multiply(x, cap_shifted, out=buffers[0])
        # step 2: tanh_u_2 = tanh(u_2)
        tanh_u_2 = np.tanh(u_2, out=u_2)
        # step 3: u = tanh_u_2*cap
        u = np.multiply(tanh_u_2, cap, out=buffers[1])
        # step 5: tanh_u_2_shifted = u - m
        tanh_u_2_shifted = np.subtract(u, m, out=u)
        # step 6: exp_shifted = exp(tanh_u_2_shifted)
        exp_shifted = np.exp(tanh_u_2_shifted, out=tanh_u_2_shifted)
        # step 34, pass 9: tanh_u_2_dot = (1 - tanh_u_2)*(tanh_u_2 +
        #   1)*x_dot*cap_shifted_2
        tanh_u_2_dot = np.subtract(1.0, tanh_u_2, out=buffers[2])
        part = np.add(tanh_u_2, 1.0, out=tanh_u_2)
        tanh_u_2_dot = np.multiply(tanh_u_2_dot, part, out=part)
        tanh_u_2_dot = np.multiply(tanh_u_2_dot, x_dot, out=tanh_u_2_dot)
        tanh_u_2_dot = np.multiply(tanh_u_2_dot, cap_shifted, out=tanh_u_2_dot)
        # step 48, pass 10: sum_index_tanh_u_2_dot = sum(where(index() == label,
        #   tanh_u_2_dot*cap, 0))
        part_2 = np.multiply(tanh_u_2_dot, cap, out=buffers[2])
        sum_index_tanh_u_2_dot = _rows.entry(part_2, label)
        # step 48, pass 11: sum_exp_shifted_tanh_u_2_dot = sum(exp_shifted*tanh_u_2_dot)
        sum_exp_shifted_tanh_u_2_dot = _rows.row_dot(exp_shifted, tanh_u_2_dot)
        # step 48, pass 12: y_dot = where(label == ignore, 0,
        #   sum_exp_shifted_tanh_u_2_dot*(sum_where_class_weight + (2*log_Z +
        #   2*m)*z_loss)*cap/Z - sum_index_tanh_u_2_dot*sum_where_class_weight)
        mask = label == ignore_value
        y_dot = (
            sum_exp_shifted_tanh_u_2_dot
            * (sum_where_class_weight + (log_Z * 2.0 + m * 2.0) * z_loss)
            * cap
            / Z
            - sum_index_tanh_u_2_dot * sum_where_class_weight
        )
        y_dot = np.where(mask, 0.0, y_dot)
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(
            label_rows,
            m_rows,
            Z_rows,
            log_Z_rows,
            sum_where_class_weight_rows,
        ),
        into_row_scalars=(y_dot_out,),
        buffers=3,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        d2x = (1 - tanh_u_2)*(1 + tanh_u_2)*(where(index() == label, where(label ==
            ignore, 0, 2*dy*sum_where_class_weight*ddx*tanh_u_2), 0) + where(label ==
            ignore, 0, cap*exp_shifted*(dy*ddx*(sum_where_class_weight + 2*z_loss*(m +
            log_Z))*(1 - tanh_u_2)*(1 + tanh_u_2)/Z + 2*z_loss*dy*sum(ddx*exp_shifted*(1
            - tanh_u_2)*(1 + tanh_u_2))/Z**2 - dy*sum(ddx*exp_shifted*(1 - tanh_u_2)*(1
            + tanh_u_2))*(sum_where_class_weight + 2*z_loss*(m + log_Z))/Z**2) -
            2*dy*ddx*exp_shifted*tanh_u_2*(sum_where_class_weight + 2*z_loss*(m +
            log_Z))/Z))/cap
        p = exp_shifted/Z
        ddy = sum(where(index() == label, where(label == ignore, 0,
            -sum_where_class_weight*ddx*(1 - tanh_u_2)*(1 + tanh_u_2)), 0)) +
            where(label == ignore, 0, sum(ddx*p*(1 - tanh_u_2)*(1 +
            tanh_u_2))*(sum_where_class_weight + 2*z_loss*(m + log_Z)))

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x) and to the
    cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(_BACKWARD_BACKWARD, saved, dy_, ddx, out, threads)


def _backward_backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, ddx: Any, out: Any, threads: Any
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_label, _of_class_weight, _of_ignore = saved[2]
    dy, ddx = _calls.arrays(1, dy=dy, ddx=ddx)
    _calls.check_any("cotangent of a gradient", ddx)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "saved.x": saved.x,
        "saved.label": saved.label,
        "saved.ignore": saved.ignore,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
        "saved.log_Z": saved.log_Z,
        "saved.sum_where_class_weight": saved.sum_where_class_weight,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, ddy_ = _calls.results(
        out, _read, _by.empty, dx=(_shape, _of_x), ddy=(_shape[:-1], dy.dtype)
    )
    _by.fill(
        (dx_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddx),
        (
            saved.x,
            saved.label,
            _calls.number(saved.ignore, _blocks.INTEGER),
            saved.cap,
            saved.z_loss,
            saved.m,
            saved.Z,
            saved.log_Z,
            saved.sum_where_class_weight,
        ),
    )
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


@np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    (
        x_rows,
        label_rows,
        ignore,
        cap,
        z_loss,
        m_rows,
        Z_rows,
        log_Z_rows,
        sum_where_class_weight_rows,
    ) = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    if ignore is not None:
        ignore_value = np.asarray(ignore, dtype)
    else:
        ignore_value = -100.0
    cap = np.asarray(cap, dtype)
    z_loss = np.asarray(z_loss, dtype)
    # step 1, pass 1: cap_shifted = 1/cap
    cap_shifted = np.reciprocal(cap)
    # step 68, pass 19: sum_ddx_exp_shifted_tanh_u_2_sca_2 =
    #   2*dy*sum_ddx_exp_shifted_tanh_u_2*z_loss/Z**2
    part_11 = 2.0 * z_loss
    # step 68, pass 21: d2x = (1 - tanh_u_2)*(where(index() == label, where(label ==
    #   ignore, 0, ddx*tanh_u_2*sum_where_class_weight_scaled), 0) + where(label ==
    #   ignore, 0, ddx*exp_shifted*tanh_u_2*sum_where_class_weight_scaled_3 + ((1 -
    #   tanh_u_2)*ddx*(tanh_u_2 + 1)*sum_where_class_weight_scaled_2 +
    #   sum_ddx_exp_shifted_tanh_u_2_sca_2 -
    #   sum_ddx_exp_shifted_tanh_u_2_sca)*exp_shifted*cap))*(tanh_u_2 + 1)*cap_shifted_2
    index = np.arange(features)

    def block(
        x,
        ddx,
        label,
        dy,
        m,
        Z,
        log_Z,
        sum_where_class_weight,
        dx_block=None,
        buffers=(None,) * 6,
    ):
        # step 68, pass 14: sum_where_class_weight_scaled = 2*dy*sum_where_class_weight
        sum_where_class_weight_scaled = dy * sum_where_class_weight * 2.0
        # step 68, pass 15: sum_where_class_weight_scaled_2 = dy*(sum_where_class_weight
        #   + (2*log_Z + 2*m)*z_loss)/Z
        part = sum_where_class_weight + (log_Z * 2.0 + m * 2.0) * z_loss
        part_2 = dy * part
        sum_where_class_weight_scaled_2 = part_2 / Z
        # step 68, pass 16: sum_where_class_weight_scaled_3 =
        #   -2*dy*(sum_where_class_weight + (2*log_Z + 2*m)*z_loss)/Z
        sum_where_class_weight_scaled_3 = part_2 * -2.0 / Z
        # step 1, pass 2: u_2 = x*cap_shifted
        u_2 = np.multiply(x, cap_shifted, out=dx_block)
        # step 2: tanh_u_2 = tanh(u_2)
        tanh_u_2 = np.tanh(u_2, out=u_2)
        # step 72, pass 17: sum_ddx_index_tanh_u_2 = sum(where(index() == label,
        #   where(label == ignore, 0, -(1 - tanh_u_2)*ddx*(tanh_u_2 +
        #   1)*sum_where_class_weight), 0))
        mask = label == ignore_value
        part_3 = np.subtract(1.0, tanh_u_2, out=buffers[0])
        part_4 = np.multiply(part_3, ddx, out=buffers[1])
        part_5 = np.add(tanh_u_2, 1.0, out=buffers[2])
        part_6 = np.multiply(part_4, part_5, out=buffers[3])
        part_7 = _rows.by_row(
            np.multiply, part_6, np.negative(sum_where_class_weight), out=buffers[4]
        )
        part_7 = _rows.select(mask, 0.0, part_7, out=part_7)
        sum_ddx_index_tanh_u_2 = _rows.entry(part_7, label)
        # step 3: u = tanh_u_2*cap
        u = np.multiply(tanh_u_2, cap, out=buffers[4])
        # step 5: tanh_u_2_shifted = u - m
        tanh_u_2_shifted = np.subtract(u, m, out=u)
        # step 6: exp_shifted = exp(tanh_u_2_shifted)
        exp_shifted = np.exp(tanh_u_2_shifted, out=tanh_u_2_shifted)
        # step 68: sum_ddx_exp_shifted_tanh_u_2 = sum((1 -
        #   tanh_u_2)*ddx*exp_shifted*(tanh_u_2 + 1))
        part_8 = np.multiply(part_4, exp_shifted, out=part_4)
        part_8 = np.multiply(part_8, part_5, out=part_8)
        sum_ddx_exp_shifted_tanh_u_2 = _rows.row_dot(part_8, ones)
        # step 68, pass 18: sum_ddx_exp_shifted_tanh_u_2_sca =
        #   dy*sum_ddx_exp_shifted_tanh_u_2*(sum_where_class_weight + (2*log_Z +
        #   2*m)*z_loss)/Z**2
        part_9 = dy * sum_ddx_exp_shifted_tanh_u_2
        part_10 = np.square(Z)
        sum_ddx_exp_shifted_tanh_u_2_sca = part_9 * part / part_10
        # step 68, pass 19: sum_ddx_exp_shifted_tanh_u_2_sca_2 =
        #   2*dy*sum_ddx_exp_shifted_tanh_u_2*z_loss/Z**2
        sum_ddx_exp_shifted_tanh_u_2_sca_2 = part_9 * part_11 / part_10
        # step 72, pass 20: ddy = sum_ddx_index_tanh_u_2 + where(label == ignore, 0,
        #   sum_ddx_exp_shifted_tanh_u_2*(sum_where_class_weight + (2*log_Z +
        #   2*m)*z_loss)/Z)
        ddy = sum_ddx_exp_shifted_tanh_u_2 * part / Z
        ddy = np.where(mask, 0.0, ddy)
        ddy = sum_ddx_index_tanh_u_2 + ddy
        # step 68, pass 21: d2x = (1 - tanh_u_2)*(where(index() == label, where(label ==
        #   ignore, 0, ddx*tanh_u_2*sum_where_class_weight_scaled), 0) + where(label ==
        #   ignore, 0, ddx*exp_shifted*tanh_u_2*sum_where_class_weight_scaled_3 + ((1 -
        #   tanh_u_2)*ddx*(tanh_u_2 + 1)*sum_where_class_weight_scaled_2 +
        #   sum_ddx_exp_shifted_tanh_u_2_sca_2 -
        #   sum_ddx_exp_shifted_tanh_u_2_sca)*exp_shifted*cap))*(tanh_u_2 +
        #   1)*cap_shifted_2
        mask_2 = index == label
        d2x = np.multiply(ddx, tanh_u_2, out=buffers[1])
        d2x = np.multiply(d2x, sum_where_class_weight_scaled, out=d2x)
        d2x = _rows.select(mask, 0.0, d2x, out=d2x)
        d2x = _rows.select(mask_2, d2x, 0.0, out=d2x)
        part_12 = np.multiply(ddx, exp_shifted, out=buffers[5])
        part_12 = np.multiply(part_12, tanh_u_2, out=tanh_u_2)
        part_12 = np.multiply(part_12, sum_where_class_weight_scaled_3, out=part_12)
        part_13 = np.multiply(part_6, sum_where_class_weight_scaled_2, out=part_6)
        part_13 = np.add(part_13, sum_ddx_exp_shifted_tanh_u_2_sca_2, out=part_13)
        part_13 = np.subtract(part_13, sum_ddx_exp_shifted_tanh_u_2_sca, out=part_13)
        part_13 = np.multiply(part_13, exp_shifted, out=part_13)
        part_13 = np.multiply(part_13, cap, out=part_13)
        part_12 = np.add(part_12, part_13, out=part_12)
        part_12 = _rows.select(mask, 0.0, part_12, out=part_12)
        d2x = np.add(d2x, part_12, out=part_12)
        d2x = np.multiply(part_3, d2x, out=d2x)
        d2x = np.multiply(d2x, part_5, out=d2x)
        d2x = np.multiply(d2x, cap_shifted, out=d2x)
        return d2x, ddy[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, ddx_rows),
        row_scalars=(
            label_rows,
            dy_rows,
            m_rows,
            Z_rows,
            log_Z_rows,
            sum_where_class_weight_rows,
        ),
        into=(dx_out,),
        into_row_scalars=(ddy_out,),
        buffers=6,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    ignore: npt.NDArray[Any] | None = None,
    cap: float,
    z_loss: float,
    m: npt.NDArray[Any],
    Z: npt.NDArray[Any],
    log_Z: npt.NDArray[Any],
    sum_where_class_weight: npt.NDArray[Any],
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
    fields_ = (x, label, ignore, cap, z_loss, m, Z, log_Z, sum_where_class_weight)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(
        *first_, x, label, ignore, cap, z_loss, m, Z, log_Z, sum_where_class_weight
    )
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "softcap_cross_entropy")
    _calls.check_first_fields(saved, (True, True, False, False))
    _calls.check_number("ignore", saved.ignore, saved.dtypes[3] is not None)
    _calls.check_number("cap", saved.cap)
    _calls.check_number("z_loss", saved.z_loss)
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept_integers(_shape[:-1], label=saved.label)
    _calls.check_kept(
        _shape[:-1],
        m=saved.m,
        Z=saved.Z,
        log_Z=saved.log_Z,
        sum_where_class_weight=saved.sum_where_class_weight,
    )


INTERFACE: _interface.Interface = {
    "name": "softcap_cross_entropy",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("label", 'Int["..."]'),
        _interface.given("class_weight", 'Data["d"]', default=1),
        _interface.given("ignore", 'Int[""]', default=-100),
    ],
    "constants": [
        _interface.constant("cap", default=30, sign="nonnegative"),
        _interface.constant("z_loss", default=0),
    ],
    "outputs": [_interface.output("y", "RowScalar")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("label", "input", ["..."]),
        _interface.saved("ignore", "input", []),
        _interface.saved("cap", "constant", []),
        _interface.saved("z_loss", "constant", []),
        _interface.saved("m", "row scalar", ["..."]),
        _interface.saved("Z", "row scalar", ["..."]),
        _interface.saved("log_Z", "row scalar", ["..."]),
        _interface.saved("sum_where_class_weight", "row scalar", ["..."]),
    ],
    "gradients": [_interface.gradient("x")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class SoftcapCrossEntropy(_modules.NumpyModule):
    """`softcap_cross_entropy` as an object without parameters.

    Args:
        cap: a constant, a finite number of 0 or more.
        z_loss: a constant, a finite number.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        cap: float = 30.0,
        z_loss: float = 0.0,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.cap = self._constant("cap", cap, False)
        self.z_loss = self._constant("z_loss", z_loss, True)

    def forward(
        self,
        x: npt.NDArray[Any],
        label: npt.NDArray[Any],
        class_weight: npt.NDArray[Any] | None = None,
        ignore: npt.NDArray[Any] | None = None,
        *,
        save: bool = True,
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x,
            label,
            class_weight,
            ignore,
            cap=self.cap,
            z_loss=self.z_loss,
            save=save,
            threads=self.threads,
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        found = self._gradients(dy)
        return found.dx
