# Made by lngen 0.1.0 from the definition of cispo; derivation.md has its steps, cost and evidence.
# Do not edit; edit cispo.py and run: lngen derive cispo.py
# Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:a21bee54b07909b1e1df488422d8fc3f4932d92800acfe716b79aec1320057a1
"""Loss of a token by a clipped importance weight, from its logits: the weight is cut, and no token's gradient is.

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
    advantage: npt.NDArray[Any]  # argument advantage of forward
    m_2: npt.NDArray[Any]  # row scalar m_2, one per row
    Z: npt.NDArray[Any]  # row scalar Z, one per row
    ratio: npt.NDArray[Any]  # row scalar ratio, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    advantage: npt.NDArray[Any],
    old: npt.NDArray[Any],
    *,
    high: float = 4.0,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    advantage: npt.NDArray[Any],
    old: npt.NDArray[Any],
    *,
    high: float = 4.0,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    advantage: npt.NDArray[Any],
    old: npt.NDArray[Any],
    *,
    high: float = 4.0,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Loss of a token by a clipped importance weight, from its logits: the weight is cut, and no token's gradient is.

        m_2 = max(x)
        exp_shifted = exp(x - m_2)
        Z = sum(exp_shifted)
        sum_where_x = sum(where(index() == label, x, 0))
        log_Z = log(Z)
        exp_log_Z_m_2 = exp(sum_where_x - old - m_2 - log_Z)
        ratio = stop_gradient(where(exp_log_Z_m_2 >= high, high, exp_log_Z_m_2))
        y = -advantage*ratio*(sum_where_x - m_2 - log_Z)

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        advantage: one value per row, shape x.shape[:-1], without a gradient.
        old: one value per row, shape x.shape[:-1], without a gradient.
        high: a constant, a finite number.
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has one value per row, shape x.shape[:-1]. `saved` is the
    argument of the other directions. The compute type is the widest among the
    inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, label, advantage, old, high, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    label: Any,
    advantage: Any,
    old: Any,
    high: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    high = _calls.constant("high", high)
    threads = _calls.thread_count(threads)
    x, advantage, old = _calls.arrays(3, x=x, advantage=advantage, old=old)
    label = _calls.integers("label", label, True)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(
        _shape[:-1],
        "the shape of x without its last axis",
        label=label,
        advantage=advantage,
        old=old,
    )
    _read = {"x": x, "label": label, "advantage": advantage, "old": old}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape[:-1], x.dtype, _read, _by.empty)
    m_2_ = _by.empty(_shape[:-1], _dtype)
    Z_ = _by.empty(_shape[:-1], _dtype)
    ratio_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, m_2_, Z_, ratio_),
        _blocks.Work(_shape, _dtype, threads),
        (x, label, advantage, old, high),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(_shape, _dtype, _dtypes, x, label, advantage, m_2_, Z_, ratio_)
        if save
        else None
    )
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, label_rows, advantage_rows, old_rows, high = values
    y_out, m_2_out, Z_out, ratio_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    high = np.asarray(high, dtype)

    def block(x, label, advantage, old, buffers=(None,)):
        # step 2: m_2 = max(x)
        m_2 = _rows.shift(x)
        # step 6: sum_where_x = sum(where(index() == label, x, 0))
        sum_where_x = _rows.entry(x, label)
        # step 6, pass 1: sum_where_x_shifted = sum_where_x - m_2
        sum_where_x_shifted = sum_where_x - m_2
        # step 3: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=buffers[0])
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 5: Z = sum(exp_shifted)
        Z = _rows.row_dot(exp_shifted, ones)
        # step 7: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 8, pass 2: exp_log_Z_m_2 = exp(sum_where_x_shifted - log_Z - old)
        part = sum_where_x_shifted - log_Z
        exp_log_Z_m_2 = np.exp(part - old)
        # step 9: ratio = where(exp_log_Z_m_2 >= high, high, exp_log_Z_m_2)
        mask = exp_log_Z_m_2 >= high
        ratio = np.where(mask, high, exp_log_Z_m_2)
        # step 10, pass 3: y = -(sum_where_x_shifted - log_Z)*advantage*ratio
        y = np.negative(part * advantage * ratio)
        return y[..., 0], m_2[..., 0], Z[..., 0], ratio[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(label_rows, advantage_rows, old_rows),
        into_row_scalars=(y_out, m_2_out, Z_out, ratio_out),
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
        dx = advantage*dy*ratio*p + where(index() == label, -advantage*dy*ratio, 0)

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
    _of_x, _of_label, _of_advantage, _of_old = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.label": saved.label,
        "saved.advantage": saved.advantage,
        "saved.m_2": saved.m_2,
        "saved.Z": saved.Z,
        "saved.ratio": saved.ratio,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    (dx_,) = _calls.results(out, _read, _by.empty, dx=(_shape, _of_x))
    _by.fill(
        (dx_,),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (saved.x, saved.label, saved.advantage, saved.m_2, saved.Z, saved.ratio),
    )
    return Gradients(*_calls.returned((dx_,), out))


@np.errstate(under="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, label_rows, advantage_rows, m_2_rows, Z_rows, ratio_rows = fields
    (dx_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    # step 24, pass 6: dx = exp_shifted*advantage_scaled + where(index() == label,
    #   -advantage_scaled_2, 0)
    index = np.arange(features)

    def block(x, label, advantage, dy, m_2, Z, ratio, dx_block=None, buffers=(None,)):
        # step 24, pass 4: advantage_scaled = advantage*dy*ratio/Z
        advantage_scaled_2 = advantage * dy * ratio
        advantage_scaled = advantage_scaled_2 / Z
        # step 3: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=dx_block)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 24, pass 6: dx = exp_shifted*advantage_scaled + where(index() == label,
        #   -advantage_scaled_2, 0)
        dx = np.multiply(exp_shifted, advantage_scaled, out=exp_shifted)
        mask = index == label
        part = np.negative(advantage_scaled_2)
        part_2 = _rows.select(
            mask, part, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        dx = np.add(dx, part_2, out=dx)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(label_rows, advantage_rows, dy_rows, m_2_rows, Z_rows, ratio_rows),
        into=(dx_out,),
        buffers=1,
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        p = exp_shifted/Z
        y_dot = D*advantage*ratio*(mean(p*x_dot) - mean(where(index() == label, x_dot,
            0)))

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
    _of_x, _of_label, _of_advantage, _of_old = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    _calls.check_any("tangent", x_dot)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _read = {
        "x_dot": x_dot,
        "saved.x": saved.x,
        "saved.label": saved.label,
        "saved.advantage": saved.advantage,
        "saved.m_2": saved.m_2,
        "saved.Z": saved.Z,
        "saved.ratio": saved.ratio,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape[:-1], _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot,),
        (saved.x, saved.label, saved.advantage, saved.m_2, saved.Z, saved.ratio),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    (x_dot_rows,) = arguments
    x_rows, label_rows, advantage_rows, m_2_rows, Z_rows, ratio_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    # step 34, pass 7: mean_index_x_dot = mean(where(index() == label, x_dot, 0))
    index = np.arange(features)

    def block(x, x_dot, label, advantage, m_2, Z, ratio, buffers=(None,)):
        # step 34, pass 7: mean_index_x_dot = mean(where(index() == label, x_dot, 0))
        mask = index == label
        part = _rows.select(
            mask, x_dot, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        mean_index_x_dot = _rows.row_dot(part, one_over_D)
        # step 3: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=buffers[0])
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 34, pass 8: mean_exp_shifted_x_dot = mean(exp_shifted*x_dot)
        mean_exp_shifted_x_dot = _rows.row_dot(exp_shifted, x_dot) / D
        # step 34, pass 9: y_dot = (mean_exp_shifted_x_dot/Z -
        #   mean_index_x_dot)*advantage*ratio*D
        y_dot = (mean_exp_shifted_x_dot / Z - mean_index_x_dot) * advantage * ratio * D
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(label_rows, advantage_rows, m_2_rows, Z_rows, ratio_rows),
        into_row_scalars=(y_dot_out,),
        buffers=1,
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

        p = exp_shifted/Z
        d2x = advantage*dy*ratio*p*(ddx - sum(ddx*p))
        ddy = advantage*ratio*sum(ddx*p) + sum(where(index() == label,
            -advantage*ratio*ddx, 0))

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
    _of_x, _of_label, _of_advantage, _of_old = saved[2]
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
        "saved.advantage": saved.advantage,
        "saved.m_2": saved.m_2,
        "saved.Z": saved.Z,
        "saved.ratio": saved.ratio,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, ddy_ = _calls.results(
        out, _read, _by.empty, dx=(_shape, _of_x), ddy=(_shape[:-1], dy.dtype)
    )
    _by.fill(
        (dx_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddx),
        (saved.x, saved.label, saved.advantage, saved.m_2, saved.Z, saved.ratio),
    )
    return SecondGradients(*_calls.returned((dx_, ddy_), out))


@np.errstate(under="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows = arguments
    x_rows, label_rows, advantage_rows, m_2_rows, Z_rows, ratio_rows = fields
    dx_out, ddy_out = results

    def block(
        x, ddx, label, advantage, dy, m_2, Z, ratio, dx_block=None, buffers=(None,)
    ):
        # step 45, pass 10: advantage_scaled = advantage*dy*ratio/Z
        advantage_scaled = advantage * dy * ratio / Z
        # step 47, pass 11: advantage_scaled_2 = advantage*ratio
        advantage_scaled_2 = advantage * ratio
        # step 47, pass 13: sum_ddx_index = sum(where(index() == label,
        #   -ddx*advantage_scaled_2, 0))
        part = _rows.by_row(
            np.multiply, ddx, np.negative(advantage_scaled_2), out=dx_block
        )
        sum_ddx_index = _rows.entry(part, label)
        # step 3: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=dx_block)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 45, pass 12: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_dot(ddx, exp_shifted)
        # step 45, pass 14: sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/Z
        sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted / Z
        # step 47, pass 15: ddy = sum_ddx_index + advantage*ratio*sum_ddx_exp_shifted/Z
        ddy = sum_ddx_index + advantage_scaled_2 * sum_ddx_exp_shifted / Z
        # step 45, pass 16: d2x = (ddx -
        #   sum_ddx_exp_shifted_scaled)*exp_shifted*advantage_scaled
        d2x = _rows.by_row(np.subtract, ddx, sum_ddx_exp_shifted_scaled, out=buffers[0])
        d2x = np.multiply(d2x, exp_shifted, out=exp_shifted)
        d2x = np.multiply(d2x, advantage_scaled, out=d2x)
        return d2x, ddy[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, ddx_rows),
        row_scalars=(label_rows, advantage_rows, dy_rows, m_2_rows, Z_rows, ratio_rows),
        into=(dx_out,),
        into_row_scalars=(ddy_out,),
        buffers=1,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    advantage: npt.NDArray[Any],
    m_2: npt.NDArray[Any],
    Z: npt.NDArray[Any],
    ratio: npt.NDArray[Any],
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
    fields_ = (x, label, advantage, m_2, Z, ratio)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, label, advantage, m_2, Z, ratio)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "cispo")
    _calls.check_first_fields(saved, (True, True, True, True))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept_integers(_shape[:-1], label=saved.label)
    _calls.check_kept(
        _shape[:-1],
        advantage=saved.advantage,
        m_2=saved.m_2,
        Z=saved.Z,
        ratio=saved.ratio,
    )


INTERFACE: _interface.Interface = {
    "name": "cispo",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("label", 'Int["..."]'),
        _interface.given("advantage", 'Data["..."]'),
        _interface.given("old", 'Data["..."]'),
    ],
    "constants": [_interface.constant("high", default=4)],
    "outputs": [_interface.output("y", "RowScalar")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("label", "input", ["..."]),
        _interface.saved("advantage", "input", ["..."]),
        _interface.saved("m_2", "row scalar", ["..."]),
        _interface.saved("Z", "row scalar", ["..."]),
        _interface.saved("ratio", "row scalar", ["..."]),
    ],
    "gradients": [_interface.gradient("x")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


class Cispo(_modules.NumpyModule):
    """`cispo` as an object without parameters.

    Args:
        high: a constant, a finite number.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        high: float = 4.0,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.high = self._constant("high", high, True)

    def forward(
        self,
        x: npt.NDArray[Any],
        label: npt.NDArray[Any],
        advantage: npt.NDArray[Any],
        old: npt.NDArray[Any],
        *,
        save: bool = True,
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, label, advantage, old, high=self.high, save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return dx, given the gradient of a loss with respect to the output, once for
        each `forward`.
        """
        found = self._gradients(dy)
        return found.dx
