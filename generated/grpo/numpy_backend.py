# Made by lngen 0.1.0 from the definition of grpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit grpo.py and run: lngen derive grpo.py
# Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
# definition sha256:1f54ed30e40de676bb31762c061d94a1572e98e67b48b22e19344b45bf6572eb
"""Loss of a token by group relative policy optimization, from its logits; with low and high apart it is DAPO's.

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
    reference: npt.NDArray[Any]  # argument reference of forward
    low: float  # constant low of forward
    high: float  # constant high of forward
    beta: float  # constant beta of forward
    m_2: npt.NDArray[Any]  # row scalar m_2, one per row
    Z: npt.NDArray[Any]  # row scalar Z, one per row
    log_Z: npt.NDArray[Any]  # row scalar log_Z, one per row
    sum_where_x_shifted: npt.NDArray[Any]  # row scalar sum_where_x_shifted, one per row
    ratio: npt.NDArray[Any]  # row scalar ratio, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    advantage: npt.NDArray[Any],
    old: npt.NDArray[Any],
    reference: npt.NDArray[Any],
    *,
    low: float = 0.2,
    high: float = 0.2,
    beta: float = 0.04,
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
    reference: npt.NDArray[Any],
    *,
    low: float = 0.2,
    high: float = 0.2,
    beta: float = 0.04,
    save: bool,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    advantage: npt.NDArray[Any],
    old: npt.NDArray[Any],
    reference: npt.NDArray[Any],
    *,
    low: float = 0.2,
    high: float = 0.2,
    beta: float = 0.04,
    save: bool = True,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Loss of a token by group relative policy optimization, from its logits; with low and high apart it is DAPO's.

        m_2 = max(x)
        exp_shifted = exp(x - m_2)
        Z = sum(exp_shifted)
        sum_where_x = sum(where(index() == label, x, 0))
        log_Z = log(Z)
        ratio = exp(sum_where_x - old - m_2 - log_Z)
        gained = where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*ratio, advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)))
        expm1_log_Z_m_2 = expm1(reference + m_2 + log_Z - sum_where_x)
        y = beta*(sum_where_x + expm1_log_Z_m_2 - reference - m_2 - log_Z) - gained

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        advantage: one value per row, shape x.shape[:-1], without a gradient.
        old: one value per row, shape x.shape[:-1], without a gradient.
        reference: one value per row, shape x.shape[:-1], without a gradient.
        low: a constant, a finite number.
        high: a constant, a finite number.
        beta: a constant, a finite number.
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
        _FORWARD,
        x,
        label,
        advantage,
        old,
        reference,
        low,
        high,
        beta,
        save,
        out,
        threads,
    )


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    label: Any,
    advantage: Any,
    old: Any,
    reference: Any,
    low: Any,
    high: Any,
    beta: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[npt.NDArray[Any], Saved | None]:
    """Check a call, make its results, and have them computed."""
    low = _calls.constant("low", low)
    high = _calls.constant("high", high)
    beta = _calls.constant("beta", beta)
    threads = _calls.thread_count(threads)
    x, advantage, old, reference = _calls.arrays(
        4, x=x, advantage=advantage, old=old, reference=reference
    )
    label = _calls.integers("label", label, True)
    _shape = _calls.row_shape("x", x, 1)
    _calls.check_shapes(
        _shape[:-1],
        "the shape of x without its last axis",
        label=label,
        advantage=advantage,
        old=old,
        reference=reference,
    )
    _read = {
        "x": x,
        "label": label,
        "advantage": advantage,
        "old": old,
        "reference": reference,
    }
    _dtypes, _dtype = _calls.types(_read)
    y_ = _calls.result("y", out, _shape[:-1], x.dtype, _read, _by.empty)
    m_2_ = _by.empty(_shape[:-1], _dtype)
    Z_ = _by.empty(_shape[:-1], _dtype)
    log_Z_ = _by.empty(_shape[:-1], _dtype)
    sum_where_x_shifted_ = _by.empty(_shape[:-1], _dtype)
    ratio_ = _by.empty(_shape[:-1], _dtype)
    _by.fill(
        (y_, m_2_, Z_, log_Z_, sum_where_x_shifted_, ratio_),
        _blocks.Work(_shape, _dtype, threads),
        (x, label, advantage, old, reference, low, high, beta),
    )
    _shown: npt.NDArray[Any] = y_ if out is None else out
    _saved = (
        Saved(
            _shape,
            _dtype,
            _dtypes,
            x,
            label,
            advantage,
            reference,
            low,
            high,
            beta,
            m_2_,
            Z_,
            log_Z_,
            sum_where_x_shifted_,
            ratio_,
        )
        if save
        else None
    )
    return _shown, _saved


@np.errstate(under="ignore")
def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    (
        x_rows,
        label_rows,
        advantage_rows,
        old_rows,
        reference_rows,
        low,
        high,
        beta,
    ) = values
    y_out, m_2_out, Z_out, log_Z_out, sum_where_x_shifted_out, ratio_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    low = np.asarray(low, dtype)
    high = np.asarray(high, dtype)
    beta = np.asarray(beta, dtype)
    # step 9: gained = where(advantage*ratio < where(where(ratio <= 1 - low, 1 - low,
    #   ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low,
    #   ratio))*advantage, advantage*ratio, where(where(ratio <= 1 - low, 1 - low,
    #   ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low,
    #   ratio))*advantage)
    part_2 = 1.0 - low
    part_4 = 1.0 + high

    def block(x, label, advantage, old, reference, buffers=(None,)):
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
        # step 8, pass 2: ratio = exp(sum_where_x_shifted - log_Z - old)
        ratio = np.exp(sum_where_x_shifted - log_Z - old)
        # step 9: gained = where(advantage*ratio < where(where(ratio <= 1 - low, 1 -
        #   low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low,
        #   ratio))*advantage, advantage*ratio, where(where(ratio <= 1 - low, 1 - low,
        #   ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low,
        #   ratio))*advantage)
        part = advantage * ratio
        mask = ratio <= part_2
        part_3 = np.where(mask, part_2, ratio)
        mask_2 = part_3 >= part_4
        part_5 = np.where(mask_2, part_4, part_3)
        part_5 = part_5 * advantage
        mask_3 = part < part_5
        gained = np.where(mask_3, part, part_5)
        # step 10, pass 3: expm1_log_Z_m_2 = expm1(log_Z + reference -
        #   sum_where_x_shifted)
        expm1_log_Z_m_2 = np.expm1(log_Z + reference - sum_where_x_shifted)
        # step 11, pass 4: y = (expm1_log_Z_m_2 + sum_where_x_shifted - log_Z -
        #   reference)*beta - gained
        y = (expm1_log_Z_m_2 + sum_where_x_shifted - log_Z - reference) * beta - gained
        return (
            y[..., 0],
            m_2[..., 0],
            Z[..., 0],
            log_Z[..., 0],
            sum_where_x_shifted[..., 0],
            ratio[..., 0],
        )

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(label_rows, advantage_rows, old_rows, reference_rows),
        into_row_scalars=(
            y_out,
            m_2_out,
            Z_out,
            log_Z_out,
            sum_where_x_shifted_out,
            ratio_out,
        ),
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

        g = exp_shifted*(beta*dy*(exp(reference + m_2 + log_Z - sum_where_x) - 1)/Z + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*dy*ratio/Z, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, advantage*dy*ratio/Z))))
        dx = g + where(index() == label, beta*dy + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*dy*ratio, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, -advantage*dy*ratio))) - beta*dy*exp(reference + m_2 + log_Z - sum_where_x), 0)

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
    _of_x, _of_label, _of_advantage, _of_old, _of_reference = saved[2]
    dy = _calls.array("dy", dy, True)
    _shape = saved.shape
    _calls.check_shapes(_shape[:-1], "the shape of y", dy=dy)
    _read = {
        "dy": dy,
        "saved.x": saved.x,
        "saved.label": saved.label,
        "saved.advantage": saved.advantage,
        "saved.reference": saved.reference,
        "saved.m_2": saved.m_2,
        "saved.Z": saved.Z,
        "saved.log_Z": saved.log_Z,
        "saved.sum_where_x_shifted": saved.sum_where_x_shifted,
        "saved.ratio": saved.ratio,
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
            saved.advantage,
            saved.reference,
            saved.low,
            saved.high,
            saved.beta,
            saved.m_2,
            saved.Z,
            saved.log_Z,
            saved.sum_where_x_shifted,
            saved.ratio,
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
        advantage_rows,
        reference_rows,
        low,
        high,
        beta,
        m_2_rows,
        Z_rows,
        log_Z_rows,
        sum_where_x_shifted_rows,
        ratio_rows,
    ) = fields
    (dx_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    low = np.asarray(low, dtype)
    high = np.asarray(high, dtype)
    beta = np.asarray(beta, dtype)
    # step 22, pass 5: sum_where_x_shifted_shifted = dy*(exp(log_Z + reference -
    #   sum_where_x_shifted) - 1)*beta/Z + where(advantage*ratio < where(where(ratio <=
    #   1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low,
    #   ratio))*advantage, advantage*dy*ratio/Z, where(where(ratio <= 1 - low, 1 - low,
    #   ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0, advantage*dy*ratio/Z)))
    part_2 = 1.0 - low
    part_4 = 1.0 + high
    # step 25, pass 8: dx = g + where(index() == label, sum_where_x_shifted_shifted_2,
    #   0)
    index = np.arange(features)

    def block(
        x,
        label,
        advantage,
        reference,
        dy,
        m_2,
        Z,
        log_Z,
        sum_where_x_shifted,
        ratio,
        dx_block=None,
        buffers=(None,),
    ):
        # step 22, pass 5: sum_where_x_shifted_shifted = dy*(exp(log_Z + reference -
        #   sum_where_x_shifted) - 1)*beta/Z + where(advantage*ratio < where(where(ratio
        #   <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1
        #   - low, ratio))*advantage, advantage*dy*ratio/Z, where(where(ratio <= 1 -
        #   low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0,
        #   advantage*dy*ratio/Z)))
        part = np.exp(log_Z + reference - sum_where_x_shifted)
        mask = ratio <= part_2
        part_3 = np.where(mask, part_2, ratio)
        mask_2 = part_3 >= part_4
        part_5 = np.where(mask_2, part_4, part_3)
        mask_3 = advantage * ratio < part_5 * advantage
        part_6 = advantage * dy * ratio
        part_7 = part_6 / Z
        part_8 = np.where(mask, 0.0, part_7)
        part_8 = np.where(mask_2, 0.0, part_8)
        part_8 = np.where(mask_3, part_7, part_8)
        sum_where_x_shifted_shifted = dy * (part - 1.0) * beta / Z + part_8
        # step 25, pass 6: sum_where_x_shifted_shifted_2 = dy*beta +
        #   where(advantage*ratio < where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 +
        #   high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio))*advantage,
        #   -advantage*dy*ratio, where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 +
        #   high, 0, where(ratio <= 1 - low, 0, -advantage*dy*ratio))) - dy*exp(log_Z +
        #   reference - sum_where_x_shifted)*beta
        part_9 = np.negative(part_6)
        part_10 = np.where(mask, 0.0, part_9)
        part_10 = np.where(mask_2, 0.0, part_10)
        part_10 = np.where(mask_3, part_9, part_10)
        sum_where_x_shifted_shifted_2 = dy * beta + part_10 - dy * part * beta
        # step 3: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=dx_block)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 22, pass 7: g = exp_shifted*sum_where_x_shifted_shifted
        g = np.multiply(exp_shifted, sum_where_x_shifted_shifted, out=exp_shifted)
        # step 25, pass 8: dx = g + where(index() == label,
        #   sum_where_x_shifted_shifted_2, 0)
        mask_4 = index == label
        dx = _rows.select(
            mask_4,
            sum_where_x_shifted_shifted_2,
            0.0,
            out=_rows.memory(buffers[0], shape, dtype),
        )
        dx = np.add(g, dx, out=g)
        return (dx,)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows,),
        row_scalars=(
            label_rows,
            advantage_rows,
            reference_rows,
            dy_rows,
            m_2_rows,
            Z_rows,
            log_Z_rows,
            sum_where_x_shifted_rows,
            ratio_rows,
        ),
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

        exp_shifted_dot = exp_shifted*x_dot
        y_dot = D*beta*(mean(where(index() == label, x_dot, 0)) + exp(reference + m_2 +
            log_Z - sum_where_x)*(mean(exp_shifted_dot)/Z - mean(where(index() == label,
            x_dot, 0))) - mean(exp_shifted_dot)/Z) + where(advantage*ratio <
            advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 +
            high, where(ratio <= 1 - low, 1 - low, ratio)),
            -advantage*(sum(where(index() == label, ratio*x_dot, 0)) -
            ratio*sum(exp_shifted_dot)/Z), where(where(ratio <= 1 - low, 1 - low, ratio)
            >= 1 + high, 0, where(ratio <= 1 - low, 0, -advantage*(sum(where(index() ==
            label, ratio*x_dot, 0)) - ratio*sum(exp_shifted_dot)/Z))))

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
    _of_x, _of_label, _of_advantage, _of_old, _of_reference = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    _calls.check_any("tangent", x_dot)
    _shape = saved.shape
    _calls.check_shapes(_shape, "the shape of x", x_dot=x_dot)
    _read = {
        "x_dot": x_dot,
        "saved.x": saved.x,
        "saved.label": saved.label,
        "saved.advantage": saved.advantage,
        "saved.reference": saved.reference,
        "saved.m_2": saved.m_2,
        "saved.Z": saved.Z,
        "saved.log_Z": saved.log_Z,
        "saved.sum_where_x_shifted": saved.sum_where_x_shifted,
        "saved.ratio": saved.ratio,
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
            saved.advantage,
            saved.reference,
            saved.low,
            saved.high,
            saved.beta,
            saved.m_2,
            saved.Z,
            saved.log_Z,
            saved.sum_where_x_shifted,
            saved.ratio,
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
        advantage_rows,
        reference_rows,
        low,
        high,
        beta,
        m_2_rows,
        Z_rows,
        log_Z_rows,
        sum_where_x_shifted_rows,
        ratio_rows,
    ) = fields
    (y_dot_out,) = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    low = np.asarray(low, dtype)
    high = np.asarray(high, dtype)
    beta = np.asarray(beta, dtype)
    # step 36: mean_index_x_dot = mean(where(index() == label, x_dot, 0))
    index = np.arange(features)
    # step 36, pass 10: y_dot = (mean_index_x_dot + (mean_exp_shifted_dot/Z -
    #   mean_index_x_dot)*exp(log_Z + reference - sum_where_x_shifted) -
    #   mean_exp_shifted_dot/Z)*D*beta + where(advantage*ratio < where(where(ratio <= 1
    #   - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low,
    #   ratio))*advantage, -advantage*(sum_index_x_dot - ratio*sum_exp_shifted_dot/Z),
    #   where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 -
    #   low, 0, -advantage*(sum_index_x_dot - ratio*sum_exp_shifted_dot/Z))))
    part_4 = D * beta
    part_5 = 1.0 - low
    part_7 = 1.0 + high

    def block(
        x,
        x_dot,
        label,
        advantage,
        reference,
        m_2,
        Z,
        log_Z,
        sum_where_x_shifted,
        ratio,
        buffers=(None,),
    ):
        # step 36: mean_index_x_dot = mean(where(index() == label, x_dot, 0))
        mask = index == label
        part = _rows.select(
            mask, x_dot, 0.0, out=_rows.memory(buffers[0], shape, dtype)
        )
        mean_index_x_dot = _rows.row_dot(part, one_over_D)
        # step 36: sum_index_x_dot = sum(where(index() == label, x_dot*ratio, 0))
        part_2 = _rows.by_row(np.multiply, x_dot, ratio, out=buffers[0])
        sum_index_x_dot = _rows.entry(part_2, label)
        # step 3: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=buffers[0])
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 26: exp_shifted_dot = exp_shifted*x_dot
        exp_shifted_dot = np.multiply(exp_shifted, x_dot, out=exp_shifted)
        # step 36: mean_exp_shifted_dot = mean(exp_shifted_dot)
        mean_exp_shifted_dot = _rows.row_dot(exp_shifted_dot, one_over_D)
        # step 36, pass 9: sum_exp_shifted_dot = mean_exp_shifted_dot*D
        sum_exp_shifted_dot = mean_exp_shifted_dot * D
        # step 36, pass 10: y_dot = (mean_index_x_dot + (mean_exp_shifted_dot/Z -
        #   mean_index_x_dot)*exp(log_Z + reference - sum_where_x_shifted) -
        #   mean_exp_shifted_dot/Z)*D*beta + where(advantage*ratio < where(where(ratio
        #   <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1
        #   - low, ratio))*advantage, -advantage*(sum_index_x_dot -
        #   ratio*sum_exp_shifted_dot/Z), where(where(ratio <= 1 - low, 1 - low, ratio)
        #   >= 1 + high, 0, where(ratio <= 1 - low, 0, -advantage*(sum_index_x_dot -
        #   ratio*sum_exp_shifted_dot/Z))))
        part_3 = mean_exp_shifted_dot / Z
        mask_2 = ratio <= part_5
        part_6 = np.where(mask_2, part_5, ratio)
        mask_3 = part_6 >= part_7
        part_8 = np.where(mask_3, part_7, part_6)
        mask_4 = advantage * ratio < part_8 * advantage
        part_9 = np.negative(
            advantage * (sum_index_x_dot - ratio * sum_exp_shifted_dot / Z)
        )
        part_10 = np.where(mask_2, 0.0, part_9)
        part_10 = np.where(mask_3, 0.0, part_10)
        part_10 = np.where(mask_4, part_9, part_10)
        y_dot = (
            mean_index_x_dot
            + (part_3 - mean_index_x_dot)
            * np.exp(log_Z + reference - sum_where_x_shifted)
            - part_3
        ) * part_4 + part_10
        return (y_dot[..., 0],)

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, x_dot_rows),
        row_scalars=(
            label_rows,
            advantage_rows,
            reference_rows,
            m_2_rows,
            Z_rows,
            log_Z_rows,
            sum_where_x_shifted_rows,
            ratio_rows,
        ),
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
        d2ratio = sum(where(index() == label, where(advantage*ratio <
            advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 +
            high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*dy*ddx,
            where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <=
            1 - low, 0, -advantage*dy*ddx))), 0)) + where(advantage*ratio <
            advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 +
            high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*dy*sum(ddx*p),
            where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <=
            1 - low, 0, advantage*dy*sum(ddx*p))))
        d2Z = sum(-beta*dy*ddx*exp_shifted*(exp(reference + m_2 + log_Z - sum_where_x) -
            1)/Z**2) + where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1
            - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low,
            ratio)), sum(-advantage*dy*ratio*ddx*exp_shifted/Z**2), where(where(ratio <=
            1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0,
            sum(-advantage*dy*ratio*ddx*exp_shifted/Z**2)))) + (sum(where(index() ==
            label, -beta*dy*ddx*exp(reference + m_2 + log_Z - sum_where_x), 0)) +
            sum(beta*dy*ddx*exp_shifted*exp(reference + m_2 + log_Z - sum_where_x)/Z) -
            d2ratio*ratio)/Z
        d2x_shifted = exp_shifted*(beta*dy*ddx*(exp(reference + m_2 + log_Z -
            sum_where_x) - 1)/Z + where(advantage*ratio < advantage*where(where(ratio <=
            1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 -
            low, ratio)), advantage*dy*ratio*ddx/Z, where(where(ratio <= 1 - low, 1 -
            low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0,
            advantage*dy*ratio*ddx/Z))) + d2Z)
        d2x = d2x_shifted + where(index() == label, d2ratio*ratio + sum(where(index() ==
            label, beta*dy*ddx*exp(reference + m_2 + log_Z - sum_where_x), 0)) -
            beta*dy*exp(reference + m_2 + log_Z - sum_where_x)*sum(ddx*p), 0)
        ddy = beta*sum(ddx*p)*(exp(reference + m_2 + log_Z - sum_where_x) - 1) +
            where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low,
            ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)),
            advantage*ratio*sum(ddx*p), where(where(ratio <= 1 - low, 1 - low, ratio) >=
            1 + high, 0, where(ratio <= 1 - low, 0, advantage*ratio*sum(ddx*p)))) +
            sum(where(index() == label, beta*ddx + where(advantage*ratio <
            advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 +
            high, where(ratio <= 1 - low, 1 - low, ratio)), -advantage*ratio*ddx,
            where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <=
            1 - low, 0, -advantage*ratio*ddx))) - beta*ddx*exp(reference + m_2 + log_Z -
            sum_where_x), 0))

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
    _of_x, _of_label, _of_advantage, _of_old, _of_reference = saved[2]
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
        "saved.reference": saved.reference,
        "saved.m_2": saved.m_2,
        "saved.Z": saved.Z,
        "saved.log_Z": saved.log_Z,
        "saved.sum_where_x_shifted": saved.sum_where_x_shifted,
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
        (
            saved.x,
            saved.label,
            saved.advantage,
            saved.reference,
            saved.low,
            saved.high,
            saved.beta,
            saved.m_2,
            saved.Z,
            saved.log_Z,
            saved.sum_where_x_shifted,
            saved.ratio,
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
        advantage_rows,
        reference_rows,
        low,
        high,
        beta,
        m_2_rows,
        Z_rows,
        log_Z_rows,
        sum_where_x_shifted_rows,
        ratio_rows,
    ) = fields
    dx_out, ddy_out = results
    shape, dtype, _ = call
    features = shape[-1]
    ones = _rows.equal_weights(features, 1.0, dtype)
    low = np.asarray(low, dtype)
    high = np.asarray(high, dtype)
    beta = np.asarray(beta, dtype)
    # step 41, pass 12: advantage_scaled_2 = where(where(ratio <= 1 - low, 1 - low,
    #   ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio))*advantage
    part = 1.0 - low
    part_2 = 1.0 + high
    # step 54, pass 34: d2x = d2x_shifted + where(index() == label,
    #   sum_where_x_shifted_shifted, 0)
    index = np.arange(features)

    def block(
        x,
        ddx,
        label,
        advantage,
        reference,
        dy,
        m_2,
        Z,
        log_Z,
        sum_where_x_shifted,
        ratio,
        dx_block=None,
        buffers=(None,) * 3,
    ):
        # step 41, pass 11: advantage_scaled = advantage*ratio
        advantage_scaled = advantage * ratio
        # step 41, pass 12: advantage_scaled_2 = where(where(ratio <= 1 - low, 1 - low,
        #   ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low,
        #   ratio))*advantage
        mask = ratio <= part
        ratio_shifted = np.where(mask, part, ratio)
        mask_2 = ratio_shifted >= part_2
        advantage_scaled_2 = np.where(mask_2, part_2, ratio_shifted)
        advantage_scaled_2 = advantage_scaled_2 * advantage
        # step 41, pass 13: advantage_scaled_3 = advantage*dy
        advantage_scaled_3 = advantage * dy
        # step 45, pass 15: sum_where_x_shifted_scaled = dy*exp(log_Z + reference -
        #   sum_where_x_shifted)*beta/Z
        part_3 = np.exp(log_Z + reference - sum_where_x_shifted)
        part_4 = dy * part_3
        sum_where_x_shifted_scaled_2 = part_4 * beta
        sum_where_x_shifted_scaled = sum_where_x_shifted_scaled_2 / Z
        # step 45, pass 17: sum_where_x_shifted_scaled_3 = dy*(exp(log_Z + reference -
        #   sum_where_x_shifted) - 1)*beta/Z**2
        part_5 = part_3 - 1.0
        part_6 = np.square(Z)
        part_7 = dy * part_5 * beta
        sum_where_x_shifted_scaled_3 = part_7 / part_6
        # step 45, pass 18: advantage_scaled_4 = advantage*dy*ratio/Z**2
        part_8 = advantage_scaled_3 * ratio
        advantage_scaled_4 = part_8 / part_6
        # step 50, pass 19: sum_where_x_shifted_scaled_4 = dy*(exp(log_Z + reference -
        #   sum_where_x_shifted) - 1)*beta/Z
        sum_where_x_shifted_scaled_4 = part_7 / Z
        # step 50, pass 20: advantage_scaled_5 = advantage*dy*ratio/Z
        advantage_scaled_5 = part_8 / Z
        # step 56, pass 21: sum_where_x_shifted_scaled_5 = exp(log_Z + reference -
        #   sum_where_x_shifted)*beta
        sum_where_x_shifted_scaled_5 = part_3 * beta
        # step 41, pass 22: sum_ddx_index = sum(where(index() == label,
        #   where(advantage_scaled < advantage_scaled_2, -ddx*advantage_scaled_3,
        #   where(ratio_shifted >= 1 + high, 0, where(ratio <= 1 - low, 0,
        #   -ddx*advantage_scaled_3))), 0))
        mask_3 = advantage_scaled < advantage_scaled_2
        part_9 = _rows.by_row(
            np.multiply, ddx, np.negative(advantage_scaled_3), out=dx_block
        )
        part_10 = _rows.select(
            mask, 0.0, part_9, out=_rows.memory(buffers[0], shape, dtype)
        )
        part_10 = _rows.select(mask_2, 0.0, part_10, out=part_10)
        part_10 = _rows.select(mask_3, part_9, part_10, out=part_9)
        sum_ddx_index = _rows.entry(part_10, label)
        # step 45, pass 25: sum_ddx_index_2 = sum(where(index() == label,
        #   -ddx*sum_where_x_shifted_scaled_2, 0))
        part_11 = _rows.by_row(
            np.multiply, ddx, np.negative(sum_where_x_shifted_scaled_2), out=dx_block
        )
        sum_ddx_index_2 = _rows.entry(part_11, label)
        # step 54, pass 28: sum_ddx_index_3 = sum(where(index() == label,
        #   ddx*sum_where_x_shifted_scaled_2, 0))
        part_12 = _rows.by_row(
            np.multiply, ddx, sum_where_x_shifted_scaled_2, out=dx_block
        )
        sum_ddx_index_3 = _rows.entry(part_12, label)
        # step 56, pass 29: sum_ddx_index_4 = sum(where(index() == label, ddx*beta +
        #   where(advantage_scaled < advantage_scaled_2, -ddx*advantage_scaled,
        #   where(ratio_shifted >= 1 + high, 0, where(ratio <= 1 - low, 0,
        #   -ddx*advantage_scaled))) - ddx*sum_where_x_shifted_scaled_5, 0))
        part_13 = np.multiply(ddx, beta, out=dx_block)
        part_14 = _rows.by_row(
            np.multiply, ddx, np.negative(advantage_scaled), out=buffers[0]
        )
        part_15 = _rows.select(
            mask, 0.0, part_14, out=_rows.memory(buffers[1], shape, dtype)
        )
        part_15 = _rows.select(mask_2, 0.0, part_15, out=part_15)
        part_15 = _rows.select(mask_3, part_14, part_15, out=part_14)
        part_13 = np.add(part_13, part_15, out=part_13)
        part_16 = _rows.by_row(
            np.multiply, ddx, sum_where_x_shifted_scaled_5, out=buffers[0]
        )
        part_13 = np.subtract(part_13, part_16, out=part_13)
        sum_ddx_index_4 = _rows.entry(part_13, label)
        # step 3: x_shifted = x - m_2
        x_shifted = _rows.by_row(np.subtract, x, m_2, out=dx_block)
        # step 4: exp_shifted = exp(x_shifted)
        exp_shifted = np.exp(x_shifted, out=x_shifted)
        # step 41, pass 23: sum_ddx_exp_shifted = sum(ddx*exp_shifted)
        sum_ddx_exp_shifted = _rows.row_dot(ddx, exp_shifted)
        # step 45, pass 24: sum_ddx_exp_shifted_2 =
        #   sum(ddx*exp_shifted*sum_where_x_shifted_scaled)
        part_17 = np.multiply(ddx, exp_shifted, out=buffers[0])
        part_18 = _rows.by_row(
            np.multiply, part_17, sum_where_x_shifted_scaled, out=buffers[1]
        )
        sum_ddx_exp_shifted_2 = _rows.row_dot(part_18, ones)
        # step 45, pass 26: sum_ddx_exp_shifted_3 =
        #   sum(-ddx*exp_shifted*sum_where_x_shifted_scaled_3)
        part_19 = _rows.by_row(
            np.multiply,
            part_17,
            np.negative(sum_where_x_shifted_scaled_3),
            out=buffers[1],
        )
        sum_ddx_exp_shifted_3 = _rows.row_dot(part_19, ones)
        # step 45, pass 27: sum_ddx_exp_shifted_4 =
        #   sum(-ddx*exp_shifted*advantage_scaled_4)
        part_20 = np.multiply(part_17, np.negative(advantage_scaled_4), out=part_17)
        sum_ddx_exp_shifted_4 = _rows.row_dot(part_20, ones)
        # step 41, pass 30: d2ratio = sum_ddx_index + where(advantage*ratio <
        #   where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high,
        #   where(ratio <= 1 - low, 1 - low, ratio))*advantage,
        #   advantage*dy*sum_ddx_exp_shifted/Z, where(where(ratio <= 1 - low, 1 - low,
        #   ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0,
        #   advantage*dy*sum_ddx_exp_shifted/Z)))
        part_21 = advantage_scaled_3 * sum_ddx_exp_shifted / Z
        d2ratio = np.where(mask, 0.0, part_21)
        d2ratio = np.where(mask_2, 0.0, d2ratio)
        d2ratio = np.where(mask_3, part_21, d2ratio)
        d2ratio = sum_ddx_index + d2ratio
        # step 45: d2Z = sum_ddx_exp_shifted_3 + (sum_ddx_exp_shifted_2 +
        #   sum_ddx_index_2 - d2ratio*ratio)/Z + where(advantage*ratio <
        #   where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high,
        #   where(ratio <= 1 - low, 1 - low, ratio))*advantage, sum_ddx_exp_shifted_4,
        #   where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 0, where(ratio <=
        #   1 - low, 0, sum_ddx_exp_shifted_4)))
        part_22 = d2ratio * ratio
        part_23 = np.where(mask, 0.0, sum_ddx_exp_shifted_4)
        part_23 = np.where(mask_2, 0.0, part_23)
        part_23 = np.where(mask_3, sum_ddx_exp_shifted_4, part_23)
        d2Z = (
            sum_ddx_exp_shifted_3
            + (sum_ddx_exp_shifted_2 + sum_ddx_index_2 - part_22) / Z
            + part_23
        )
        # step 54, pass 31: sum_where_x_shifted_shifted = sum_ddx_index_3 +
        #   d2ratio*ratio - dy*exp(log_Z + reference -
        #   sum_where_x_shifted)*sum_ddx_exp_shifted*beta/Z
        sum_where_x_shifted_shifted = (
            sum_ddx_index_3 + part_22 - part_4 * sum_ddx_exp_shifted * beta / Z
        )
        # step 56, pass 32: ddy = sum_ddx_index_4 + (exp(log_Z + reference -
        #   sum_where_x_shifted) - 1)*sum_ddx_exp_shifted*beta/Z + where(advantage*ratio
        #   < where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high,
        #   where(ratio <= 1 - low, 1 - low, ratio))*advantage,
        #   advantage*ratio*sum_ddx_exp_shifted/Z, where(where(ratio <= 1 - low, 1 -
        #   low, ratio) >= 1 + high, 0, where(ratio <= 1 - low, 0,
        #   advantage*ratio*sum_ddx_exp_shifted/Z)))
        part_24 = advantage_scaled * sum_ddx_exp_shifted / Z
        part_25 = np.where(mask, 0.0, part_24)
        part_25 = np.where(mask_2, 0.0, part_25)
        part_25 = np.where(mask_3, part_24, part_25)
        ddy = sum_ddx_index_4 + part_5 * sum_ddx_exp_shifted * beta / Z + part_25
        # step 50, pass 33: d2x_shifted = (ddx*sum_where_x_shifted_scaled_4 +
        #   where(advantage_scaled < advantage_scaled_2, ddx*advantage_scaled_5,
        #   where(ratio_shifted >= 1 + high, 0, where(ratio <= 1 - low, 0,
        #   ddx*advantage_scaled_5))) + d2Z)*exp_shifted
        d2x_shifted = _rows.by_row(
            np.multiply, ddx, sum_where_x_shifted_scaled_4, out=buffers[0]
        )
        part_26 = _rows.by_row(np.multiply, ddx, advantage_scaled_5, out=buffers[1])
        part_27 = _rows.select(
            mask, 0.0, part_26, out=_rows.memory(buffers[2], shape, dtype)
        )
        part_27 = _rows.select(mask_2, 0.0, part_27, out=part_27)
        part_27 = _rows.select(mask_3, part_26, part_27, out=part_26)
        d2x_shifted = np.add(d2x_shifted, part_27, out=d2x_shifted)
        d2x_shifted = np.add(d2x_shifted, d2Z, out=d2x_shifted)
        d2x_shifted = np.multiply(d2x_shifted, exp_shifted, out=exp_shifted)
        # step 54, pass 34: d2x = d2x_shifted + where(index() == label,
        #   sum_where_x_shifted_shifted, 0)
        mask_4 = index == label
        d2x = _rows.select(
            mask_4,
            sum_where_x_shifted_shifted,
            0.0,
            out=_rows.memory(buffers[0], shape, dtype),
        )
        d2x = np.add(d2x_shifted, d2x, out=d2x_shifted)
        return d2x, ddy[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, ddx_rows),
        row_scalars=(
            label_rows,
            advantage_rows,
            reference_rows,
            dy_rows,
            m_2_rows,
            Z_rows,
            log_Z_rows,
            sum_where_x_shifted_rows,
            ratio_rows,
        ),
        into=(dx_out,),
        into_row_scalars=(ddy_out,),
        buffers=3,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    label: npt.NDArray[Any],
    advantage: npt.NDArray[Any],
    reference: npt.NDArray[Any],
    low: float,
    high: float,
    beta: float,
    m_2: npt.NDArray[Any],
    Z: npt.NDArray[Any],
    log_Z: npt.NDArray[Any],
    sum_where_x_shifted: npt.NDArray[Any],
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
    fields_ = (
        x,
        label,
        advantage,
        reference,
        low,
        high,
        beta,
        m_2,
        Z,
        log_Z,
        sum_where_x_shifted,
        ratio,
    )
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(
        *first_,
        x,
        label,
        advantage,
        reference,
        low,
        high,
        beta,
        m_2,
        Z,
        log_Z,
        sum_where_x_shifted,
        ratio,
    )
    _check(saved_)
    return saved_


def _check(saved: Any) -> None:
    """Refuse saved values of a kind or a shape that forward does not return."""
    _calls.check_is_saved(saved, Saved, "grpo")
    _calls.check_first_fields(saved, (True, True, True, True, True))
    _calls.check_number("low", saved.low)
    _calls.check_number("high", saved.high)
    _calls.check_number("beta", saved.beta)
    _shape = saved.shape
    _calls.check_kept(_shape, x=saved.x)
    _calls.check_kept_integers(_shape[:-1], label=saved.label)
    _calls.check_kept(
        _shape[:-1],
        advantage=saved.advantage,
        reference=saved.reference,
        m_2=saved.m_2,
        Z=saved.Z,
        log_Z=saved.log_Z,
        sum_where_x_shifted=saved.sum_where_x_shifted,
        ratio=saved.ratio,
    )


INTERFACE: _interface.Interface = {
    "name": "grpo",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row"),
        _interface.given("label", 'Int["..."]'),
        _interface.given("advantage", 'Data["..."]'),
        _interface.given("old", 'Data["..."]'),
        _interface.given("reference", 'Data["..."]'),
    ],
    "constants": [
        _interface.constant("low", default=0.2),
        _interface.constant("high", default=0.2),
        _interface.constant("beta", default=0.04),
    ],
    "outputs": [_interface.output("y", "RowScalar")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("label", "input", ["..."]),
        _interface.saved("advantage", "input", ["..."]),
        _interface.saved("reference", "input", ["..."]),
        _interface.saved("low", "constant", []),
        _interface.saved("high", "constant", []),
        _interface.saved("beta", "constant", []),
        _interface.saved("m_2", "row scalar", ["..."]),
        _interface.saved("Z", "row scalar", ["..."]),
        _interface.saved("log_Z", "row scalar", ["..."]),
        _interface.saved("sum_where_x_shifted", "row scalar", ["..."]),
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


class Grpo(_modules.NumpyModule):
    """`grpo` as an object without parameters.

    Args:
        low: a constant, a finite number.
        high: a constant, a finite number.
        beta: a constant, a finite number.
        backend: "cpu" for compiled kernels, "auto" for those if there is a compiler.
        threads: the number of threads that share the rows. Results do not depend on it.
    """

    _package = __name__.rpartition(".")[0]

    def __init__(
        self,
        *,
        low: float = 0.2,
        high: float = 0.2,
        beta: float = 0.04,
        backend: _modules.Backend = "numpy",
        threads: int = 1,
    ) -> None:
        super().__init__(backend, threads)
        self.low = self._constant("low", low, True)
        self.high = self._constant("high", high, True)
        self.beta = self._constant("beta", beta, True)

    def forward(
        self,
        x: npt.NDArray[Any],
        label: npt.NDArray[Any],
        advantage: npt.NDArray[Any],
        old: npt.NDArray[Any],
        reference: npt.NDArray[Any],
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
            advantage,
            old,
            reference,
            low=self.low,
            high=self.high,
            beta=self.beta,
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
