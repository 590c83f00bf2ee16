# Made by lngen 0.1.0 from the definition of cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
"""Cross entropy of soft targets with the softmax of a row, one number a row.

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
    dtarget: npt.NDArray[Any]


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted.
    """

    dx: npt.NDArray[Any]
    dtarget: npt.NDArray[Any]
    ddy: npt.NDArray[Any]


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # of the row inputs
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    target: npt.NDArray[Any]  # argument target of forward
    m: npt.NDArray[Any]  # row scalar m, one per row
    Z: npt.NDArray[Any]  # row scalar Z, one per row
    log_Z: npt.NDArray[Any]  # row scalar log_Z, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    target: npt.NDArray[Any],
    *,
    save: Literal[True] = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    target: npt.NDArray[Any],
    *,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    target: npt.NDArray[Any],
    *,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Cross entropy of soft targets with the softmax of a row, one number a row.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        logp = x - m - log_Z
        sum_logp_target = sum(logp*target)
        y = -sum_logp_target

    Args:
        x: shape (..., D).
        target: shape (..., D).
        save: False saves nothing for the other directions; `saved` is then None.
        out: an array to write y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(y, saved)`. y has one value per row, shape x.shape[:-1]. `saved` is the
    argument of the other directions. The compute type is the widest among the
    inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, target, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction, x: Any, target: Any, save: Any, out: Any, threads: Any
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    target = _calls.array("target", target, True, may_be_labels=True)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(_shape, "the shape of x", target=target)
    _read = {"x": x, "target": target}
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape[:-1], x.dtype, _read, _by.empty)
    m_ = _by.empty(_shape[:-1], _dtype)
    Z_ = _by.empty(_shape[:-1], _dtype)
    log_Z_ = _by.empty(_shape[:-1], _dtype)
    _by.fill((y_, m_, Z_, log_Z_), _blocks.Work(_shape, _dtype, threads), (x, target))
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = Saved(_shape, _dtype, _dtypes, x, target, m_, Z_, log_Z_) if save else None
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, target_rows = values
    y_out, m_out, Z_out, log_Z_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, target, buffers=(None,) * 2):
        # step 1: m = max(x)
        m = _rows.shift(x)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=buffers[1])
        # step 4: Z = sum(exp_shifted)
        Z = _rows.row_dot(exp_shifted, ones)
        # step 5: log_Z = log(Z)
        log_Z = np.log(Z)
        # step 6: logp = x_shifted - log_Z
        logp = np.subtract(x_shifted, log_Z, out=x_shifted)
        # step 7: sum_logp_target = sum(logp*target)
        sum_logp_target = _rows.row_dot(logp, target)
        # step 8: y = -sum_logp_target
        y = np.negative(sum_logp_target)
        return y[..., 0], m[..., 0], Z[..., 0], log_Z[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, target_rows),
        into_row_scalars=(y_out, m_out, Z_out, log_Z_out),
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

        p = exp_shifted/Z
        dx = dy*(p*sum(target) - target)
        dtarget = -dy*logp

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
    _of_x, _of_target = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.target": saved.target,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
        "saved.log_Z": saved.log_Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dtarget_ = _calls.results(
        out, _read, _by.empty, dx=(_shape, _of_x), dtarget=(_shape, _of_target)
    )
    _by.fill(
        (dx_, dtarget_),
        _blocks.Work(_shape, _dtype, threads),
        (dy,),
        (saved.x, saved.target, saved.m, saved.Z, saved.log_Z),
    )
    return Gradients(*_calls.returned((dx_, dtarget_), out))


@np.errstate(under="ignore")
def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    (dy_rows,) = arguments
    x_rows, target_rows, m_rows, Z_rows, log_Z_rows = fields
    dx_out, dtarget_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, target, dy, m, Z, log_Z, dx_block=None, dtarget_block=None):
        # step 24, pass 1: sum_target = sum(target)
        sum_target = _rows.row_dot(target, ones)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 6: logp = x_shifted - log_Z
        logp = _rows.by_row(np.subtract, x_shifted, log_Z, out=dtarget_block)
        # step 26: dtarget = -logp*dy
        dtarget = np.multiply(logp, np.negative(dy), out=logp)
        # step 24, pass 2: sum_target_scaled = sum_target/Z
        sum_target_scaled = sum_target / Z
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 24, pass 3: dx = (exp_shifted*sum_target_scaled - target)*dy
        dx = np.multiply(exp_shifted, sum_target_scaled, out=exp_shifted)
        dx = np.subtract(dx, target, out=dx)
        dx = np.multiply(dx, dy, out=dx)
        return dx, dtarget

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, target_rows),
        row_scalars=(dy_rows, m_rows, Z_rows, log_Z_rows),
        into=(dx_out, dtarget_out),
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    target_dot: npt.NDArray[Any] | None = None,
    *,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        p = exp_shifted/Z
        log_Z_dot = sum(p*x_dot)
        y_dot = -sum(logp*target_dot + target*(x_dot - log_Z_dot))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        target_dot: the tangent of target, in its shape; None stands for zero.
        out: an array to write the tangent of y to.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns y_dot, the tangent of y, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(_JVP, saved, x_dot, target_dot, out, threads)


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    target_dot: Any,
    out: Any,
    threads: Any,
) -> npt.NDArray[Any]:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_target = saved[2]
    x_dot, target_dot = _calls.arrays(0, x_dot=x_dot, target_dot=target_dot)
    _calls.check_any("tangent", x_dot, target_dot)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _calls.check_shapes(_shape, "the shape of target", target_dot=target_dot)
    _read = {
        "x_dot": x_dot,
        "target_dot": target_dot,
        "saved.x": saved.x,
        "saved.target": saved.target,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
        "saved.log_Z": saved.log_Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_ = _calls.result("y_dot", out, _shape[:-1], _of_x, _read, _by.empty)
    _by.fill(
        (y_dot_,),
        _blocks.Work(_shape, _dtype, threads),
        (x_dot, target_dot),
        (saved.x, saved.target, saved.m, saved.Z, saved.log_Z),
    )
    _shown: npt.NDArray[Any] = y_dot_ if out is None else out
    return _shown


@np.errstate(under="ignore")
def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    x_dot_rows, target_dot_rows = arguments
    x_rows, target_rows, m_rows, Z_rows, log_Z_rows = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)

    def block(x, target, x_dot, target_dot, m, Z, log_Z, buffers=(None,) * 2):
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=buffers[0])
        # step 3: exp_shifted = exp(x_shifted)
        if x_dot_rows is not None:
            exp_shifted = np.exp(x_shifted, out=buffers[1])
            # step 33, pass 4: sum_exp_shifted_x_dot = sum(exp_shifted*x_dot)
            sum_exp_shifted_x_dot = _rows.row_dot(exp_shifted, x_dot)
            # step 33, pass 5: log_Z_dot = sum_exp_shifted_x_dot/Z
            log_Z_dot = sum_exp_shifted_x_dot / Z
        # step 6: logp = x_shifted - log_Z
        if target_dot_rows is not None:
            logp = np.subtract(x_shifted, log_Z, out=x_shifted)
            # step 37: sum_logp_target_target_dot = sum(logp*target_dot + (x_dot -
            #   log_Z_dot)*target)
            part = np.multiply(logp, target_dot, out=logp)
        if x_dot_rows is not None:
            part_2 = _rows.by_row(np.subtract, x_dot, log_Z_dot, out=buffers[1])
            part_2 = np.multiply(part_2, target, out=part_2)
        if x_dot_rows is not None and target_dot_rows is not None:
            part = np.add(part, part_2, out=part)
        if target_dot_rows is None:
            part = part_2
        sum_logp_target_target_dot = _rows.row_dot(part, ones)
        # step 37: y_dot = -sum_logp_target_target_dot
        y_dot = np.negative(sum_logp_target_target_dot)
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, target_rows, x_dot_rows, target_dot_rows),
        row_scalars=(m_rows, Z_rows, log_Z_rows),
        into_row_scalars=(y_dot_out,),
        buffers=2,
    )


def backward_backward(
    saved: Saved,
    cotangents: npt.NDArray[Any] | Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddtarget: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        mean_target = mean(target)
        p = exp_shifted/Z
        d2x = dy*(D*p*(mean(ddtarget) + mean_target*(ddx - sum(ddx*p))) - ddtarget)
        d2target = dy*(sum(ddx*p) - ddx)
        ddy = D*(mean(ddx*(D*mean_target*p - target)) - mean(ddtarget*logp))

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list, or the array itself.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddtarget: the cotangent of dtarget, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dtarget is d2target)
    and to the cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    (dy_,) = _calls.each_cotangent(cotangents, ("dy",))
    return _backward_backward(
        _BACKWARD_BACKWARD, saved, dy_, ddx, ddtarget, out, threads
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    ddx: Any,
    ddtarget: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_target = saved[2]
    dy, ddx, ddtarget = _calls.arrays(1, dy=dy, ddx=ddx, ddtarget=ddtarget)
    _calls.check_any("cotangent of a gradient", ddx, ddtarget)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _calls.check_shapes(_shape, "the shape of x", ddx=ddx)
    _calls.check_shapes(_shape, "the shape of target", ddtarget=ddtarget)
    _read = {
        "cotangents[0]": dy,
        "ddx": ddx,
        "ddtarget": ddtarget,
        "saved.x": saved.x,
        "saved.target": saved.target,
        "saved.m": saved.m,
        "saved.Z": saved.Z,
        "saved.log_Z": saved.log_Z,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dtarget_, ddy_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_shape, _of_x),
        dtarget=(_shape, _of_target),
        ddy=(_shape[:-1], dy.dtype),
    )
    _by.fill(
        (dx_, dtarget_, ddy_),
        _blocks.Work(_shape, _dtype, threads),
        (dy, ddx, ddtarget),
        (saved.x, saved.target, saved.m, saved.Z, saved.log_Z),
    )
    return SecondGradients(*_calls.returned((dx_, dtarget_, ddy_), out))


@np.errstate(under="ignore")
def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    dy_rows, ddx_rows, ddtarget_rows = arguments
    x_rows, target_rows, m_rows, Z_rows, log_Z_rows = fields
    dx_out, dtarget_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x, target, ddx, ddtarget, dy, m, Z, log_Z, dx_block=None, dtarget_block=None
    ):
        # step 57, pass 6: Z_scaled = D/Z
        Z_scaled = D / Z
        # step 38: mean_target = mean(target)
        if ddx_rows is not None:
            mean_target = _rows.row_dot(target, one_over_D)
        # step 57, pass 8: mean_ddtarget = mean(ddtarget)
        if ddtarget_rows is not None:
            mean_ddtarget = _rows.row_dot(ddtarget, one_over_D)
        # step 2: x_shifted = x - m
        x_shifted = _rows.by_row(np.subtract, x, m, out=dx_block)
        # step 3: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=dtarget_block)
        # step 57, pass 7: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        if ddx_rows is not None:
            sum_ddx_exp_shifted = _rows.row_dot(ddx, exp_shifted)
        # step 6: logp = x_shifted - log_Z
        if ddtarget_rows is not None:
            logp = np.subtract(x_shifted, log_Z, out=x_shifted)
            # step 66, pass 9: mean_ddtarget_logp = mean(ddtarget*logp)
            mean_ddtarget_logp = _rows.row_dot(ddtarget, logp) / D
        # step 57, pass 10: sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted/Z
        if ddx_rows is not None:
            sum_ddx_exp_shifted_scaled = sum_ddx_exp_shifted / Z
            # step 66, pass 11: mean_target_scaled = mean_target*D/Z
            mean_target_scaled = mean_target * D / Z
            # step 66, pass 14: mean_ddx_exp_shifted_target =
            #   mean(ddx*(exp_shifted*mean_target_scaled - target))
            part = _rows.by_row(
                np.multiply, exp_shifted, mean_target_scaled, out=dx_block
            )
            part = np.subtract(part, target, out=part)
            mean_ddx_exp_shifted_target = _rows.row_dot(ddx, part) / D
        else:
            mean_ddx_exp_shifted_target = 0.0
        # step 57, pass 12: d2x = (exp_shifted*((ddx -
        #   sum_ddx_exp_shifted_scaled)*mean_target + mean_ddtarget)*Z_scaled -
        #   ddtarget)*dy
        if ddx_rows is not None:
            d2x = _rows.by_row(
                np.subtract, ddx, sum_ddx_exp_shifted_scaled, out=dx_block
            )
            d2x = np.multiply(d2x, mean_target, out=d2x)
        if ddx_rows is not None and ddtarget_rows is not None:
            d2x = np.add(d2x, mean_ddtarget, out=d2x)
        if ddx_rows is None:
            d2x = mean_ddtarget
        d2x = np.multiply(exp_shifted, d2x, out=dx_block)
        d2x = np.multiply(d2x, Z_scaled, out=d2x)
        if ddtarget_rows is not None:
            d2x = np.subtract(d2x, ddtarget, out=d2x)
        d2x = np.multiply(d2x, dy, out=d2x)
        # step 63, pass 13: d2target = (sum_ddx_exp_shifted_scaled - ddx)*dy
        if ddx_rows is not None:
            d2target = np.subtract(sum_ddx_exp_shifted_scaled, ddx, out=dtarget_block)
            d2target = np.multiply(d2target, dy, out=d2target)
        # step 66, pass 15: ddy = (mean_ddx_exp_shifted_target - mean_ddtarget_logp)*D
        if ddtarget_rows is not None:
            ddy = mean_ddx_exp_shifted_target - mean_ddtarget_logp
        else:
            ddy = mean_ddx_exp_shifted_target
        ddy = ddy * D
        if ddx_rows is None:
            d2target = _rows.filled(0.0, dtarget_block, shape, dtype)
        return d2x, d2target, ddy[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, target_rows, ddx_rows, ddtarget_rows),
        row_scalars=(dy_rows, m_rows, Z_rows, log_Z_rows),
        into=(dx_out, dtarget_out),
        into_row_scalars=(ddy_out,),
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    target: npt.NDArray[Any],
    m: npt.NDArray[Any],
    Z: npt.NDArray[Any],
    log_Z: npt.NDArray[Any],
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
    fields_ = (x, target, m, Z, log_Z)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, target, m, Z, log_Z)
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "cross_entropy")
    _calls.check_first_fields(saved, (True, True))
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x, target=saved.target)
    _calls.check_kept(_shape[:-1], m=saved.m, Z=saved.Z, log_Z=saved.log_Z)


INTERFACE: _interface.Interface = {
    "name": "cross_entropy",
    "minimum_features": 1,
    "inputs": [_interface.given("x", "Row"), _interface.given("target", "Row")],
    "constants": [],
    "outputs": [_interface.output("y", "RowScalar")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("target", "input", ["...", "D"]),
        _interface.saved("m", "row scalar", ["..."]),
        _interface.saved("Z", "row scalar", ["..."]),
        _interface.saved("log_Z", "row scalar", ["..."]),
    ],
    "gradients": [_interface.gradient("x"), _interface.gradient("target")],
    "counterparts": [],
    "directions": ["forward", "backward", "jvp", "backward_backward"],
}

_FORWARD = _blocks.ArrayFunction(_forward_of_rows)
_BACKWARD = _blocks.ArrayFunction(_backward_of_rows)
_JVP = _blocks.ArrayFunction(_jvp_of_rows)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_backward_backward_of_rows)


_Gradients: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[Any]]


class CrossEntropy(_modules.NumpyModule):
    """`cross_entropy` as an object without parameters.

    Args:
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self, *, backend: _modules.Backend = "numpy", threads: int = 1
    ) -> None:
        super().__init__(backend, threads)

    def forward(
        self, x: npt.NDArray[Any], target: npt.NDArray[Any], *, save: bool = True
    ) -> npt.NDArray[Any]:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, target, save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(self, dy: npt.NDArray[Any]) -> _Gradients:
        """Return `(dx, dtarget)`, given the gradient of a loss with respect to the
        output, once for each `forward`.
        """
        found = self._gradients(dy)
        return found.dx, found.dtarget
