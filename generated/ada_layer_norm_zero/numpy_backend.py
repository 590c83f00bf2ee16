# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.

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


class Outputs(NamedTuple):
    """Outputs of `forward`."""

    y: npt.NDArray[Any]  # an array with the axes b ... d
    h: npt.NDArray[Any]  # an array with the axes b ... d


class Gradients(NamedTuple):
    """Gradients from `backward`, each in the shape and type of its input; None for an
    input that was omitted.
    """

    dx: npt.NDArray[Any]
    dbranch: npt.NDArray[Any]
    dgate: npt.NDArray[Any]
    dscale: npt.NDArray[Any]
    dshift: npt.NDArray[Any]


class SecondGradients(NamedTuple):
    """Gradients from `backward_backward`, with respect to the inputs and the cotangents;
    None for an input that was omitted, and for a cotangent that was None.
    """

    dx: npt.NDArray[Any]
    dbranch: npt.NDArray[Any]
    dgate: npt.NDArray[Any]
    dscale: npt.NDArray[Any]
    dshift: npt.NDArray[Any]
    ddy: npt.NDArray[Any] | None
    ddh: npt.NDArray[Any] | None


class Saved(NamedTuple):
    """Values that `forward` saves for the other directions; arrays are not copied.

    Writing to a saved array between forward and backward changes the gradients.
    """

    shape: tuple[int, ...]  # sizes of the axes b ... d
    dtype: np.dtype[Any]  # the compute type of forward
    dtypes: tuple[np.dtype[Any] | None, ...]  # of the inputs; None for an omitted one
    x: npt.NDArray[Any]  # argument x of forward
    branch: npt.NDArray[Any]  # argument branch of forward
    gate: npt.NDArray[Any]  # argument gate of forward
    scale: npt.NDArray[Any]  # argument scale of forward
    mu: npt.NDArray[Any]  # row scalar mu, one per row
    mu_residual: npt.NDArray[Any]  # row scalar mu_residual, one per row
    rstd: npt.NDArray[Any]  # row scalar rstd, one per row


@overload
def forward(
    x: npt.NDArray[Any],
    branch: npt.NDArray[Any],
    gate: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: Literal[True] = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved]: ...


@overload
def forward(
    x: npt.NDArray[Any],
    branch: npt.NDArray[Any],
    gate: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]: ...


def forward(
    x: npt.NDArray[Any],
    branch: npt.NDArray[Any],
    gate: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    shift: npt.NDArray[Any],
    *,
    eps: float = 1e-6,
    save: bool = True,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> tuple[Outputs, Saved | None]:
    """Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.

        h = x + branch*gate
        mu = mean(h)
        var = mean((h - mu)**2)
        rstd = 1/sqrt(var + eps)
        hhat = rstd*(h - mu)
        y = shift + hhat*(1 + scale)

    Args:
        x: an array with the axes b ... d.
        branch: an array with the axes b ... d.
        gate: an array with the axes b d.
        scale: an array with the axes b d.
        shift: an array with the axes b d.
        eps: a constant, a finite number of 0 or more.
        save: False saves nothing for the other directions; `saved` is then None.
        out: arrays to write to, as Outputs or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns `(Outputs, saved)`. `saved` is the argument of the other directions. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _forward(_FORWARD, x, branch, gate, scale, shift, eps, save, out, threads)


def _forward(
    _by: _blocks.ArrayFunction,
    x: Any,
    branch: Any,
    gate: Any,
    scale: Any,
    shift: Any,
    eps: Any,
    save: Any,
    out: Any,
    threads: Any,
) -> tuple[Outputs, Saved | None]:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x, branch, gate, scale, shift = _calls.arrays(
        5, x=x, branch=branch, gate=gate, scale=scale, shift=shift
    )
    _sizes = _AXES.sizes((x, branch, gate, scale, shift))
    _shape = _AXES.row_shape(_sizes)
    _read = {"x": x, "branch": branch, "gate": gate, "scale": scale, "shift": shift}
    _dtypes, _dtype = _calls.types(_read)
    y_, h_ = _calls.results(
        out,
        _read,
        _by.empty,
        y=(_AXES.shape("y", _sizes), x.dtype),
        h=(_AXES.shape("h", _sizes), x.dtype),
    )
    mu_ = _by.empty(_shape[:-1], _dtype)
    mu_residual_ = _by.empty(_shape[:-1], _dtype)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_rows = _arranged.target("y", y_)
    _h_rows = _arranged.target("h", h_)
    _by.fill(
        (_y_rows, _h_rows, mu_, mu_residual_, rstd_),
        _arranged.work,
        (
            _arranged.rows("x", x),
            _arranged.rows("branch", branch),
            _arranged.rows("gate", gate),
            _arranged.rows("scale", scale),
            _arranged.rows("shift", shift),
            eps,
        ),
    )
    _arranged.write("y", y_, _y_rows)
    _arranged.write("h", h_, _h_rows)
    _shown = Outputs(*_calls.returned((y_, h_), out))
    _saved = (
        Saved(
            _AXES.flat(_sizes),
            _dtype,
            _dtypes,
            x,
            branch,
            gate,
            scale,
            mu_,
            mu_residual_,
            rstd_,
        )
        if save
        else None
    )
    return _shown, _saved


def _forward_of_rows(values, results, call):
    """The outputs and the saved row scalars."""
    x_rows, branch_rows, gate_rows, scale_rows, shift_rows, eps = values
    y_out, h_out, mu_out, mu_residual_out, rstd_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)
    far_from = _rows.number(2.0, dtype)
    eps = np.asarray(eps, dtype)

    def block(
        x, branch, gate, scale, shift, y_block=None, h_block=None, buffers=(None,)
    ):
        # step 1: h = x + branch*gate
        h = np.multiply(branch, gate, out=h_block)
        h = np.add(x, h, out=h)
        # step 2: mu = mean(h)
        mu = _rows.row_dot(h, one_over_D)
        # step 3, pass 1: h_shifted = h - mu
        h_shifted = _rows.by_row(np.subtract, h, mu, out=y_block)
        # step 4: var = mean(h_shifted**2)
        var = _rows.row_dot(h_shifted, h_shifted) / D
        # step 3, pass 2: mu_residual = mean(h_shifted) where |mu| > far_from*sqrt(var),
        #   else 0; it is taken off h_shifted in place, and var is put right
        mu_residual = _rows.residual(h_shifted, mu, var, D, far_from, one_over_D)
        # step 3, pass 3: h_centred = h_shifted - mu_residual
        h_centred = h_shifted
        # step 5: rstd = 1/sqrt(var + eps)
        rstd = np.reciprocal(np.sqrt(var + eps))
        # step 6: hhat = h_centred*rstd
        hhat = np.multiply(h_centred, rstd, out=h_centred)
        # step 7: y = shift + hhat*(scale + 1)
        y = np.add(scale, 1.0, out=buffers[0])
        y = np.multiply(hhat, y, out=hhat)
        y = np.add(shift, y, out=y)
        return y, h, mu[..., 0], mu_residual[..., 0], rstd[..., 0]

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, branch_rows, gate_rows, scale_rows, shift_rows),
        into=(y_out, h_out),
        into_row_scalars=(mu_out, mu_residual_out, rstd_out),
        buffers=1,
    )


def backward(
    saved: Saved,
    dy: npt.NDArray[Any] | None,
    dh: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Gradients:
    """Compute the gradients of a loss with respect to the inputs (VJP).

        g = dy*(1 + scale)
        dx = dh + rstd*(g - mean(g) - hhat*mean(g*hhat))
        dbranch = dx*gate
        dgate = sum(branch*dx, "...")
        dscale = sum(dy*hhat, "...")
        dshift = sum(dy, "...")

    Args:
        saved: the second result of `forward`.
        dy: the cotangent of y, in its shape; None stands for zero.
        dh: the cotangent of h, in its shape; None stands for zero.
        out: arrays to write to, as Gradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Gradients, each in the shape and type of its input.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _backward(_BACKWARD, saved, dy, dh, out, threads)


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, dh: Any, out: Any, threads: Any
) -> Gradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_branch, _of_gate, _of_scale, _of_shift = saved[2]
    dy, dh = _calls.arrays(0, dy=dy, dh=dh)
    _calls.check_any("cotangent", dy, dh)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _calls.check_shapes(_AXES.shape("h", _sizes), "the shape of h", dh=dh)
    _read = {
        "dy": dy,
        "dh": dh,
        "saved.x": saved.x,
        "saved.branch": saved.branch,
        "saved.gate": saved.gate,
        "saved.scale": saved.scale,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dbranch_, dgate_, dscale_, dshift_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dbranch=(_AXES.shape("branch", _sizes), _of_branch),
        dgate=(_AXES.shape("gate", _sizes), _of_gate),
        dscale=(_AXES.shape("scale", _sizes), _of_scale),
        dshift=(_AXES.shape("shift", _sizes), _of_shift),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _dbranch_rows = _arranged.target("branch", dbranch_)
    _dgate_rows = _arranged.target("gate", dgate_)
    _dscale_rows = _arranged.target("scale", dscale_)
    _dshift_rows = _arranged.target("shift", dshift_)
    _by.fill(
        (_dx_rows, _dbranch_rows, _dgate_rows, _dscale_rows, _dshift_rows),
        _arranged.work,
        (_arranged.rows("y", dy), _arranged.rows("h", dh)),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("branch", saved.branch),
            _arranged.rows("gate", saved.gate),
            _arranged.rows("scale", saved.scale),
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    _arranged.write("branch", dbranch_, _dbranch_rows)
    _arranged.write("gate", dgate_, _dgate_rows)
    _arranged.write("scale", dscale_, _dscale_rows)
    _arranged.write("shift", dshift_, _dshift_rows)
    return Gradients(*_calls.returned((dx_, dbranch_, dgate_, dscale_, dshift_), out))


def _backward_of_rows(arguments, fields, results, call):
    """The gradients; None for one that is not wanted."""
    dy_rows, dh_rows = arguments
    (
        x_rows,
        branch_rows,
        gate_rows,
        scale_rows,
        mu_rows,
        mu_residual_rows,
        rstd_rows,
    ) = fields
    dx_out, dbranch_out, dgate_out, dscale_out, dshift_out = results
    shape, dtype, _ = call
    features = shape[-1]
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        branch,
        gate,
        scale,
        dy,
        dh,
        mu,
        mu_residual,
        rstd,
        dx_block=None,
        dbranch_block=None,
        dgate_block=None,
        dscale_block=None,
        dshift_block=None,
    ):
        if dy_rows is not None:
            dy_value = dy
        else:
            dy_value = 0.0
        # step 1: h = x + branch*gate
        if dy_rows is not None:
            h = np.multiply(branch, gate, out=dscale_block)
            h = np.add(x, h, out=h)
            # step 3, pass 1: h_shifted = h - mu
            h_shifted = np.subtract(h, mu, out=h)
            # step 3, pass 3: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
            # step 6: hhat = h_centred*rstd
            hhat = _rows.by_row(np.multiply, h_centred, rstd, out=dshift_block)
            # step 8: g = dy*(scale + 1)
            g = np.add(scale, 1.0, out=dscale_block)
            g = np.multiply(dy_value, g, out=dx_block)
            # step 18: mean_g = mean(g)
            mean_g = _rows.row_dot(g, one_over_D)
            # step 18: mean_g_hhat = mean(g*hhat)
            mean_g_hhat = _rows.row_dot(g, hhat) / D
            # step 21: dscale = dy*hhat
            dscale = np.multiply(dy_value, hhat, out=dscale_block)
            # step 18: dx = dh + (g - mean_g - hhat*mean_g_hhat)*rstd
            dx = np.subtract(g, mean_g, out=g)
            part = np.multiply(hhat, mean_g_hhat, out=hhat)
            dx = np.subtract(dx, part, out=part)
            dx = _rows.by_row(np.multiply, dx, rstd, out=dx_block)
        if dy_rows is not None and dh_rows is not None:
            dx = np.add(dh, dx, out=dx)
        if dy_rows is None:
            dx = dh
        # step 19: dbranch = dx*gate
        dbranch = np.multiply(dx, gate, out=dbranch_block)
        # step 20: dgate = branch*dx
        dgate = np.multiply(branch, dx, out=dgate_block)
        if dy_rows is None:
            dscale = _rows.filled(0.0, dscale_block, shape, dtype)
        dshift = _rows.filled(dy_value, dshift_block, shape, dtype)
        if dy_rows is None:
            dx_result = _rows.filled(dh, dx_block, shape, dtype)
        else:
            dx_result = dx
        return dx_result, dbranch, dgate, dscale, dshift

    return _blocks.each_block(
        block,
        call,
        rows=(x_rows, branch_rows, gate_rows, scale_rows, dy_rows, dh_rows),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(dx_out, dbranch_out, dgate_out, dscale_out, dshift_out),
    )


def jvp(
    saved: Saved,
    x_dot: npt.NDArray[Any] | None = None,
    branch_dot: npt.NDArray[Any] | None = None,
    gate_dot: npt.NDArray[Any] | None = None,
    scale_dot: npt.NDArray[Any] | None = None,
    shift_dot: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> Outputs:
    """Compute the tangents of the outputs along tangents of the inputs (JVP).

        h_dot = x_dot + branch*gate_dot + branch_dot*gate
        y_dot = shift_dot + hhat*scale_dot + rstd*(1 + scale)*(h_dot - mean(h_dot) -
            hhat*mean(h_dot*hhat))

    Args:
        saved: the second result of `forward`.
        x_dot: the tangent of x, in its shape; None stands for zero.
        branch_dot: the tangent of branch, in its shape; None stands for zero.
        gate_dot: the tangent of gate, in its shape; None stands for zero.
        scale_dot: the tangent of scale, in its shape; None stands for zero.
        shift_dot: the tangent of shift, in its shape; None stands for zero.
        out: arrays to write to, as Outputs or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns Outputs, the tangents y_dot, h_dot, in the shape and type of the output.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    return _jvp(
        _JVP, saved, x_dot, branch_dot, gate_dot, scale_dot, shift_dot, out, threads
    )


def _jvp(
    _by: _blocks.ArrayFunction,
    saved: Any,
    x_dot: Any,
    branch_dot: Any,
    gate_dot: Any,
    scale_dot: Any,
    shift_dot: Any,
    out: Any,
    threads: Any,
) -> Outputs:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_branch, _of_gate, _of_scale, _of_shift = saved[2]
    x_dot, branch_dot, gate_dot, scale_dot, shift_dot = _calls.arrays(
        0,
        x_dot=x_dot,
        branch_dot=branch_dot,
        gate_dot=gate_dot,
        scale_dot=scale_dot,
        shift_dot=shift_dot,
    )
    _calls.check_any("tangent", x_dot, branch_dot, gate_dot, scale_dot, shift_dot)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", x_dot=x_dot)
    _calls.check_shapes(
        _AXES.shape("branch", _sizes), "the shape of branch", branch_dot=branch_dot
    )
    _calls.check_shapes(
        _AXES.shape("gate", _sizes), "the shape of gate", gate_dot=gate_dot
    )
    _calls.check_shapes(
        _AXES.shape("scale", _sizes), "the shape of scale", scale_dot=scale_dot
    )
    _calls.check_shapes(
        _AXES.shape("shift", _sizes), "the shape of shift", shift_dot=shift_dot
    )
    _read = {
        "x_dot": x_dot,
        "branch_dot": branch_dot,
        "gate_dot": gate_dot,
        "scale_dot": scale_dot,
        "shift_dot": shift_dot,
        "saved.x": saved.x,
        "saved.branch": saved.branch,
        "saved.gate": saved.gate,
        "saved.scale": saved.scale,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    y_dot_, h_dot_ = _calls.results(
        out,
        _read,
        _by.empty,
        y_dot=(_AXES.shape("y", _sizes), _of_x),
        h_dot=(_AXES.shape("h", _sizes), _of_x),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _y_dot_rows = _arranged.target("y", y_dot_)
    _h_dot_rows = _arranged.target("h", h_dot_)
    _by.fill(
        (_y_dot_rows, _h_dot_rows),
        _arranged.work,
        (
            _arranged.rows("x", x_dot),
            _arranged.rows("branch", branch_dot),
            _arranged.rows("gate", gate_dot),
            _arranged.rows("scale", scale_dot),
            _arranged.rows("shift", shift_dot),
        ),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("branch", saved.branch),
            _arranged.rows("gate", saved.gate),
            _arranged.rows("scale", saved.scale),
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    _arranged.write("y", y_dot_, _y_dot_rows)
    _arranged.write("h", h_dot_, _h_dot_rows)
    return Outputs(*_calls.returned((y_dot_, h_dot_), out))


def _jvp_of_rows(arguments, fields, results, call):
    """The tangents of the outputs."""
    (
        x_dot_rows,
        branch_dot_rows,
        gate_dot_rows,
        scale_dot_rows,
        shift_dot_rows,
    ) = arguments
    (
        x_rows,
        branch_rows,
        gate_rows,
        scale_rows,
        mu_rows,
        mu_residual_rows,
        rstd_rows,
    ) = fields
    y_dot_out, h_dot_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_mean_h_dot = (
        x_dot_rows is not None
        or branch_dot_rows is not None
        or gate_dot_rows is not None
    )
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        branch,
        gate,
        scale,
        x_dot,
        branch_dot,
        gate_dot,
        scale_dot,
        shift_dot,
        mu,
        mu_residual,
        rstd,
        y_dot_block=None,
        h_dot_block=None,
        buffers=(None,) * 3,
    ):
        # step 1: h = x + branch*gate
        if (
            x_dot_rows is not None
            or branch_dot_rows is not None
            or gate_dot_rows is not None
            or scale_dot_rows is not None
        ):
            h = np.multiply(branch, gate, out=h_dot_block)
            h = np.add(x, h, out=h)
            # step 3, pass 1: h_shifted = h - mu
            h_shifted = np.subtract(h, mu, out=h)
            # step 3, pass 3: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
            # step 6: hhat = h_centred*rstd
            hhat = _rows.by_row(np.multiply, h_centred, rstd, out=buffers[0])
        # step 23: h_dot = x_dot + branch*gate_dot + branch_dot*gate
        if gate_dot_rows is not None:
            h_dot = np.multiply(branch, gate_dot, out=h_dot_block)
        if x_dot_rows is not None and gate_dot_rows is not None:
            h_dot = np.add(x_dot, h_dot, out=h_dot)
        if x_dot_rows is not None and gate_dot_rows is None:
            h_dot = x_dot
        if branch_dot_rows is not None:
            part = np.multiply(branch_dot, gate, out=buffers[1])
        if branch_dot_rows is not None and (
            x_dot_rows is not None or gate_dot_rows is not None
        ):
            h_dot = np.add(h_dot, part, out=h_dot_block)
        if x_dot_rows is None and branch_dot_rows is not None and gate_dot_rows is None:
            h_dot = part
        if x_dot_rows is None and branch_dot_rows is None and gate_dot_rows is None:
            h_dot = 0.0
        # step 32: mean_h_dot = mean(h_dot)
        if needs_mean_h_dot:
            mean_h_dot = _rows.row_dot(h_dot, one_over_D)
            # step 32: mean_h_dot_hhat = mean(h_dot*hhat)
            mean_h_dot_hhat = _rows.row_dot(h_dot, hhat) / D
        # step 32: y_dot = shift_dot + hhat*scale_dot + (h_dot - mean_h_dot -
        #   hhat*mean_h_dot_hhat)*(scale + 1)*rstd
        if scale_dot_rows is not None:
            y_dot = np.multiply(hhat, scale_dot, out=y_dot_block)
        if scale_dot_rows is not None and shift_dot_rows is not None:
            y_dot = np.add(shift_dot, y_dot, out=y_dot)
        if scale_dot_rows is None and shift_dot_rows is not None:
            y_dot = shift_dot
        if needs_mean_h_dot:
            part_2 = _rows.by_row(np.subtract, h_dot, mean_h_dot, out=buffers[2])
            part_3 = np.multiply(hhat, mean_h_dot_hhat, out=hhat)
            part_2 = np.subtract(part_2, part_3, out=part_3)
            part_4 = np.add(scale, 1.0, out=buffers[2])
            part_2 = np.multiply(part_2, part_4, out=part_2)
            part_2 = np.multiply(part_2, rstd, out=part_2)
        if (
            (x_dot_rows is not None and scale_dot_rows is not None)
            or (branch_dot_rows is not None and shift_dot_rows is not None)
            or (gate_dot_rows is not None and scale_dot_rows is not None)
            or (x_dot_rows is not None and shift_dot_rows is not None)
            or (branch_dot_rows is not None and scale_dot_rows is not None)
            or (gate_dot_rows is not None and shift_dot_rows is not None)
        ):
            y_dot = np.add(y_dot, part_2, out=y_dot_block)
        if scale_dot_rows is None and shift_dot_rows is None:
            y_dot = part_2
        if branch_dot_rows is None and gate_dot_rows is None:
            h_dot_result = _rows.filled(h_dot, h_dot_block, shape, dtype)
        else:
            h_dot_result = h_dot
        if (
            x_dot_rows is None
            and branch_dot_rows is None
            and gate_dot_rows is None
            and scale_dot_rows is None
        ):
            y_dot = _rows.filled(shift_dot, y_dot_block, shape, dtype)
        return y_dot, h_dot_result

    return _blocks.each_block(
        block,
        call,
        rows=(
            x_rows,
            branch_rows,
            gate_rows,
            scale_rows,
            x_dot_rows,
            branch_dot_rows,
            gate_dot_rows,
            scale_dot_rows,
            shift_dot_rows,
        ),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(y_dot_out, h_dot_out),
        buffers=3,
    )


def backward_backward(
    saved: Saved,
    cotangents: Sequence[npt.NDArray[Any] | None],
    ddx: npt.NDArray[Any] | None = None,
    ddbranch: npt.NDArray[Any] | None = None,
    ddgate: npt.NDArray[Any] | None = None,
    ddscale: npt.NDArray[Any] | None = None,
    ddshift: npt.NDArray[Any] | None = None,
    *,
    out: Sequence[npt.NDArray[Any] | None] | None = None,
    threads: int = 1,
) -> SecondGradients:
    """Compute the gradients of a loss of the gradients: the VJP of `backward`.

        g = dy*(1 + scale)
        mean_g = mean(g)
        mean_g_hhat = mean(g*hhat)
        dx = dh + rstd*(g - mean_g - mean_g_hhat*hhat)
        ddh = ddx + branch*ddgate + ddbranch*gate
        dg = rstd*(ddh - mean(ddh) - hhat*mean(ddh*hhat))
        d2hhat_part = ddscale*dy - mean_g_hhat*rstd*ddh
        d2x = rstd*(d2hhat_part + rstd*(mean_g*hhat*mean(ddh) +
            mean(ddh*hhat)*(2*mean_g_hhat*hhat + mean_g - g) - hhat*mean(ddh*g)) -
            mean(d2hhat_part) - hhat*mean(d2hhat_part*hhat))
        d2branch = d2x*gate + ddgate*dx
        d2gate = sum(branch*d2x + ddbranch*dx, "...")
        d2scale = sum(dg*dy, "...")
        d2shift = sum(0, "...")
        ddy = ddshift + ddscale*hhat + dg*(1 + scale)

    Args:
        saved: the second result of `forward`.
        cotangents: the cotangents passed to `backward`, a tuple or a list.
        ddx: the cotangent of dx, in its shape; None stands for zero.
        ddbranch: the cotangent of dbranch, in its shape; None stands for zero.
        ddgate: the cotangent of dgate, in its shape; None stands for zero.
        ddscale: the cotangent of dscale, in its shape; None stands for zero.
        ddshift: the cotangent of dshift, in its shape; None stands for zero.
        out: arrays to write to, as SecondGradients or another sequence;
            None in it makes a new array.
        threads: the number of threads that share the rows. Results do not depend on it.

    Returns SecondGradients, with respect to the inputs (dx is d2x, dbranch is d2branch,
    dgate is d2gate, dscale is d2scale, dshift is d2shift) and to the
    cotangents.

    Raises TypeError for an argument that is not a floating-point array, ValueError for
    a wrong shape.
    """
    dy_, dh_ = _calls.each_cotangent(cotangents, ("dy", "dh"))
    return _backward_backward(
        _BACKWARD_BACKWARD,
        saved,
        dy_,
        dh_,
        ddx,
        ddbranch,
        ddgate,
        ddscale,
        ddshift,
        out,
        threads,
    )


def _backward_backward(
    _by: _blocks.ArrayFunction,
    saved: Any,
    dy: Any,
    dh: Any,
    ddx: Any,
    ddbranch: Any,
    ddgate: Any,
    ddscale: Any,
    ddshift: Any,
    out: Any,
    threads: Any,
) -> SecondGradients:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _sizes = _check(saved)
    _of_x, _of_branch, _of_gate, _of_scale, _of_shift = saved[2]
    dy, dh, ddx, ddbranch, ddgate, ddscale, ddshift = _calls.arrays(
        0,
        dy=dy,
        dh=dh,
        ddx=ddx,
        ddbranch=ddbranch,
        ddgate=ddgate,
        ddscale=ddscale,
        ddshift=ddshift,
    )
    _calls.check_any("cotangent", dy, dh)
    _calls.check_any("cotangent of a gradient", ddx, ddbranch, ddgate, ddscale, ddshift)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shapes(_AXES.shape("y", _sizes), "the shape of y", dy=dy)
    _calls.check_shapes(_AXES.shape("h", _sizes), "the shape of h", dh=dh)
    _calls.check_shapes(_AXES.shape("x", _sizes), "the shape of x", ddx=ddx)
    _calls.check_shapes(
        _AXES.shape("branch", _sizes), "the shape of branch", ddbranch=ddbranch
    )
    _calls.check_shapes(_AXES.shape("gate", _sizes), "the shape of gate", ddgate=ddgate)
    _calls.check_shapes(
        _AXES.shape("scale", _sizes), "the shape of scale", ddscale=ddscale
    )
    _calls.check_shapes(
        _AXES.shape("shift", _sizes), "the shape of shift", ddshift=ddshift
    )
    _read = {
        "cotangents[0]": dy,
        "cotangents[1]": dh,
        "ddx": ddx,
        "ddbranch": ddbranch,
        "ddgate": ddgate,
        "ddscale": ddscale,
        "ddshift": ddshift,
        "saved.x": saved.x,
        "saved.branch": saved.branch,
        "saved.gate": saved.gate,
        "saved.scale": saved.scale,
        "saved.mu": saved.mu,
        "saved.mu_residual": saved.mu_residual,
        "saved.rstd": saved.rstd,
    }
    _dtype = _calls.compute_type(_read, saved.dtype)
    dx_, dbranch_, dgate_, dscale_, dshift_, ddy_, ddh_ = _calls.results(
        out,
        _read,
        _by.empty,
        dx=(_AXES.shape("x", _sizes), _of_x),
        dbranch=(_AXES.shape("branch", _sizes), _of_branch),
        dgate=(_AXES.shape("gate", _sizes), _of_gate),
        dscale=(_AXES.shape("scale", _sizes), _of_scale),
        dshift=(_AXES.shape("shift", _sizes), _of_shift),
        ddy=(_AXES.shape("y", _sizes), None if dy is None else dy.dtype),
        ddh=(_AXES.shape("h", _sizes), None if dh is None else dh.dtype),
    )
    _arranged = _AXES.arranged(_by, _sizes, _blocks.Work(_shape, _dtype, threads))
    _dx_rows = _arranged.target("x", dx_)
    _dbranch_rows = _arranged.target("branch", dbranch_)
    _dgate_rows = _arranged.target("gate", dgate_)
    _dscale_rows = _arranged.target("scale", dscale_)
    _dshift_rows = _arranged.target("shift", dshift_)
    _ddy_rows = _arranged.target("y", ddy_)
    _ddh_rows = _arranged.target("h", ddh_)
    _by.fill(
        (
            _dx_rows,
            _dbranch_rows,
            _dgate_rows,
            _dscale_rows,
            _dshift_rows,
            _ddy_rows,
            _ddh_rows,
        ),
        _arranged.work,
        (
            _arranged.rows("y", dy),
            _arranged.rows("h", dh),
            _arranged.rows("x", ddx),
            _arranged.rows("branch", ddbranch),
            _arranged.rows("gate", ddgate),
            _arranged.rows("scale", ddscale),
            _arranged.rows("shift", ddshift),
        ),
        (
            _arranged.rows("x", saved.x),
            _arranged.rows("branch", saved.branch),
            _arranged.rows("gate", saved.gate),
            _arranged.rows("scale", saved.scale),
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    _arranged.write("x", dx_, _dx_rows)
    _arranged.write("branch", dbranch_, _dbranch_rows)
    _arranged.write("gate", dgate_, _dgate_rows)
    _arranged.write("scale", dscale_, _dscale_rows)
    _arranged.write("shift", dshift_, _dshift_rows)
    _arranged.write("y", ddy_, _ddy_rows)
    _arranged.write("h", ddh_, _ddh_rows)
    return SecondGradients(
        *_calls.returned((dx_, dbranch_, dgate_, dscale_, dshift_, ddy_, ddh_), out)
    )


def _backward_backward_of_rows(arguments, fields, results, call):
    """The gradients of the gradients; None for one that is not wanted."""
    (
        dy_rows,
        dh_rows,
        ddx_rows,
        ddbranch_rows,
        ddgate_rows,
        ddscale_rows,
        ddshift_rows,
    ) = arguments
    (
        x_rows,
        branch_rows,
        gate_rows,
        scale_rows,
        mu_rows,
        mu_residual_rows,
        rstd_rows,
    ) = fields
    dx_out, dbranch_out, dgate_out, dscale_out, dshift_out, ddy_out, ddh_out = results
    shape, dtype, _ = call
    features = shape[-1]
    needs_h = dy_rows is not None and (
        ddx_rows is not None
        or ddbranch_rows is not None
        or ddgate_rows is not None
        or ddscale_rows is not None
    )
    needs_part = dy_rows is not None and (
        ddx_rows is not None or ddbranch_rows is not None or ddgate_rows is not None
    )
    with_dy_and_ddscale = dy_rows is not None and ddscale_rows is not None
    one_over_D = _rows.equal_weights(features, 1.0 / features, dtype)
    D = _rows.number(features, dtype)

    def block(
        x,
        branch,
        gate,
        scale,
        dy,
        dh,
        ddx,
        ddbranch,
        ddgate,
        ddscale,
        ddshift,
        mu,
        mu_residual,
        rstd,
        dx_block=None,
        dbranch_block=None,
        dgate_block=None,
        dscale_block=None,
        dshift_block=None,
        ddy_block=None,
        ddh_block=None,
        buffers=(None,) * 5,
    ):
        ddy = ddh_result = None
        # step 1: h = x + branch*gate
        if needs_h:
            h = np.multiply(branch, gate, out=dshift_block)
            h = np.add(x, h, out=h)
            # step 3, pass 1: h_shifted = h - mu
            h_shifted = np.subtract(h, mu, out=h)
            # step 3, pass 3: h_centred = h_shifted - mu_residual
            h_centred = _rows.less_residual(h_shifted, mu_residual)
            # step 6: hhat = h_centred*rstd
            hhat = np.multiply(h_centred, rstd, out=h_centred)
        # step 33: g = dy*(scale + 1)
        if needs_part:
            part = np.add(scale, 1.0, out=dx_block)
            g = np.multiply(dy, part, out=dbranch_block)
            # step 34: mean_g = mean(g)
            mean_g = _rows.row_dot(g, one_over_D)
            # step 35: mean_g_hhat = mean(g*hhat)
            mean_g_hhat = _rows.row_dot(g, hhat) / D
        # step 39: ddh = ddx + branch*ddgate + ddbranch*gate
        if ddgate_rows is not None:
            ddh = np.multiply(branch, ddgate, out=buffers[0])
        if ddx_rows is not None and ddgate_rows is not None:
            ddh = np.add(ddx, ddh, out=ddh)
        if ddx_rows is not None and ddgate_rows is None:
            ddh = ddx
        if ddbranch_rows is not None:
            part_2 = np.multiply(ddbranch, gate, out=buffers[1])
        if ddbranch_rows is not None and (
            ddx_rows is not None or ddgate_rows is not None
        ):
            ddh = np.add(ddh, part_2, out=buffers[0])
        if ddx_rows is None and ddbranch_rows is not None and ddgate_rows is None:
            ddh = part_2
        if (
            dh_rows is not None
            and ddx_rows is None
            and ddbranch_rows is None
            and ddgate_rows is None
        ):
            ddh = 0.0
        # step 59: mean_ddh = mean(ddh)
        if needs_part:
            mean_ddh = _rows.row_dot(ddh, one_over_D)
            # step 59: mean_ddh_hhat = mean(ddh*hhat)
            mean_ddh_hhat = _rows.row_dot(ddh, hhat) / D
            # step 51: mean_ddh_g = mean(ddh*g)
            mean_ddh_g = _rows.row_dot(ddh, g) / D
            # step 41, pass 8: mean_g_hhat_scaled = mean_g_hhat*rstd
            mean_g_hhat_scaled = mean_g_hhat * rstd
            # step 51, pass 9: mean_g_hhat_scaled_2 = 2*mean_g_hhat
            mean_g_hhat_scaled_2 = mean_g_hhat * 2.0
            # step 51, pass 10: mean_ddh_scaled = mean_ddh*mean_g
            mean_ddh_scaled = mean_ddh * mean_g
            # step 59: dg = (ddh - mean_ddh - hhat*mean_ddh_hhat)*rstd
            dg = _rows.by_row(np.subtract, ddh, mean_ddh, out=dscale_block)
            part_3 = _rows.by_row(np.multiply, hhat, mean_ddh_hhat, out=ddy_block)
            dg = np.subtract(dg, part_3, out=dg)
            dg = _rows.by_row(np.multiply, dg, rstd, out=dgate_block)
        # step 41, pass 11: d2hhat_part = ddscale*dy - ddh*mean_g_hhat_scaled
        if with_dy_and_ddscale:
            d2hhat_part = np.multiply(ddscale, dy, out=dscale_block)
        if (
            dy_rows is not None
            and ddscale_rows is None
            and (
                ddx_rows is not None
                or ddbranch_rows is not None
                or ddgate_rows is not None
            )
        ):
            d2hhat_part = 0.0
        if needs_part:
            part_4 = _rows.by_row(np.multiply, ddh, mean_g_hhat_scaled, out=ddy_block)
            d2hhat_part = np.subtract(d2hhat_part, part_4, out=buffers[2])
        # step 51: mean_d2hhat_part = mean(d2hhat_part)
        if needs_h:
            mean_d2hhat_part = _rows.row_dot(d2hhat_part, one_over_D)
            # step 51: mean_d2hhat_part_hhat = mean(d2hhat_part*hhat)
            mean_d2hhat_part_hhat = _rows.row_dot(d2hhat_part, hhat) / D
        # step 60: d2scale = dg*dy
        if needs_part:
            d2scale = np.multiply(dg, dy, out=dscale_block)
        # step 65: ddy = ddshift + ddscale*hhat + dg*(scale + 1)
        if with_dy_and_ddscale:
            ddy = np.multiply(ddscale, hhat, out=ddy_block)
        if (
            dy_rows is not None
            and ddscale_rows is not None
            and ddshift_rows is not None
        ):
            ddy = np.add(ddshift, ddy, out=ddy)
        if dy_rows is not None and ddscale_rows is None and ddshift_rows is not None:
            ddy = ddshift
        if needs_part:
            part_5 = np.multiply(dg, part, out=buffers[3])
        if dy_rows is not None and (
            (ddx_rows is not None and ddscale_rows is not None)
            or (ddbranch_rows is not None and ddshift_rows is not None)
            or (ddgate_rows is not None and ddscale_rows is not None)
            or (ddx_rows is not None and ddshift_rows is not None)
            or (ddbranch_rows is not None and ddscale_rows is not None)
            or (ddgate_rows is not None and ddshift_rows is not None)
        ):
            ddy = np.add(ddy, part_5, out=ddy_block)
        if dy_rows is not None and ddscale_rows is None and ddshift_rows is None:
            ddy = part_5
        # step 36: dx = dh + (g - mean_g - hhat*mean_g_hhat)*rstd
        if dy_rows is not None and (
            ddbranch_rows is not None or ddgate_rows is not None
        ):
            dx = _rows.by_row(np.subtract, g, mean_g, out=dx_block)
            part_6 = _rows.by_row(np.multiply, hhat, mean_g_hhat, out=dgate_block)
            dx = np.subtract(dx, part_6, out=dx)
            dx = _rows.by_row(np.multiply, dx, rstd, out=buffers[4])
        if (
            dy_rows is not None
            and dh_rows is not None
            and (ddbranch_rows is not None or ddgate_rows is not None)
        ):
            dx = np.add(dh, dx, out=ddh_block)
        if dy_rows is None and (ddbranch_rows is not None or ddgate_rows is not None):
            dx = dh
        # step 51, pass 12: d2x = (d2hhat_part + (hhat*mean_ddh_scaled +
        #   (hhat*mean_g_hhat_scaled_2 + mean_g - g)*mean_ddh_hhat -
        #   hhat*mean_ddh_g)*rstd - mean_d2hhat_part - hhat*mean_d2hhat_part_hhat)*rstd
        if needs_part:
            d2x = _rows.by_row(np.multiply, hhat, mean_ddh_scaled, out=dx_block)
            part_7 = _rows.by_row(
                np.multiply, hhat, mean_g_hhat_scaled_2, out=dgate_block
            )
            part_7 = np.add(part_7, mean_g, out=part_7)
            part_7 = np.subtract(part_7, g, out=g)
            part_7 = np.multiply(part_7, mean_ddh_hhat, out=part_7)
            d2x = np.add(d2x, part_7, out=d2x)
            part_8 = _rows.by_row(np.multiply, hhat, mean_ddh_g, out=dbranch_block)
            d2x = np.subtract(d2x, part_8, out=d2x)
            d2x = np.multiply(d2x, rstd, out=d2x)
            d2x = np.add(d2hhat_part, d2x, out=d2x)
        if (
            dy_rows is not None
            and ddx_rows is None
            and ddbranch_rows is None
            and ddgate_rows is None
            and ddscale_rows is not None
        ):
            d2x = d2hhat_part
        if needs_h:
            d2x = np.subtract(d2x, mean_d2hhat_part, out=dx_block)
            part_9 = np.multiply(hhat, mean_d2hhat_part_hhat, out=hhat)
            d2x = np.subtract(d2x, part_9, out=part_9)
            d2x = _rows.by_row(np.multiply, d2x, rstd, out=dx_block)
            # step 52: d2branch = d2x*gate + ddgate*dx
            d2branch = np.multiply(d2x, gate, out=dbranch_block)
        if ddgate_rows is not None:
            part_10 = np.multiply(ddgate, dx, out=buffers[1])
        if dy_rows is not None and ddgate_rows is not None:
            d2branch = np.add(d2branch, part_10, out=d2branch)
        if dy_rows is None and ddgate_rows is not None:
            d2branch = part_10
        # step 53: d2gate = branch*d2x + ddbranch*dx
        if needs_h:
            d2gate = np.multiply(branch, d2x, out=dgate_block)
        if ddbranch_rows is not None:
            part_11 = np.multiply(ddbranch, dx, out=buffers[2])
        if dy_rows is not None and ddbranch_rows is not None:
            d2gate = np.add(d2gate, part_11, out=d2gate)
        if dy_rows is None and ddbranch_rows is not None:
            d2gate = part_11
        dshift = _rows.filled(0.0, dshift_block, shape, dtype)
        if dh_rows is not None and ddbranch_rows is None and ddgate_rows is None:
            ddh_result = _rows.filled(ddh, ddh_block, shape, dtype)
        if dh_rows is not None and (
            ddbranch_rows is not None or ddgate_rows is not None
        ):
            ddh_result = ddh
        if dy_rows is None or (
            ddx_rows is None and ddbranch_rows is None and ddgate_rows is None
        ):
            d2scale = _rows.filled(0.0, dscale_block, shape, dtype)
        if (
            dy_rows is not None
            and ddx_rows is None
            and ddbranch_rows is None
            and ddgate_rows is None
            and ddscale_rows is None
        ):
            ddy = _rows.filled(ddshift, ddy_block, shape, dtype)
        if dy_rows is None or (
            ddx_rows is None
            and ddbranch_rows is None
            and ddgate_rows is None
            and ddscale_rows is None
        ):
            dx_result = _rows.filled(0.0, dx_block, shape, dtype)
        else:
            dx_result = d2x
        if ddgate_rows is None and (
            dy_rows is None
            or (ddx_rows is None and ddbranch_rows is None and ddscale_rows is None)
        ):
            d2branch = _rows.filled(0.0, dbranch_block, shape, dtype)
        if ddbranch_rows is None and (
            dy_rows is None
            or (ddx_rows is None and ddgate_rows is None and ddscale_rows is None)
        ):
            d2gate = _rows.filled(0.0, dgate_block, shape, dtype)
        return dx_result, d2branch, d2gate, d2scale, dshift, ddy, ddh_result

    return _blocks.each_block(
        block,
        call,
        rows=(
            x_rows,
            branch_rows,
            gate_rows,
            scale_rows,
            dy_rows,
            dh_rows,
            ddx_rows,
            ddbranch_rows,
            ddgate_rows,
            ddscale_rows,
            ddshift_rows,
        ),
        row_scalars=(mu_rows, mu_residual_rows, rstd_rows),
        into=(dx_out, dbranch_out, dgate_out, dscale_out, dshift_out, ddy_out, ddh_out),
        buffers=5,
    )


def saved_from(
    *,
    x: npt.NDArray[Any],
    branch: npt.NDArray[Any],
    gate: npt.NDArray[Any],
    scale: npt.NDArray[Any],
    mu: npt.NDArray[Any],
    mu_residual: npt.NDArray[Any],
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
    fields_ = (x, branch, gate, scale, mu, mu_residual, rstd)
    first_ = _fields.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, x, branch, gate, scale, mu, mu_residual, rstd)
    _check(saved_)
    return saved_


def _check(saved: Any) -> Any:
    """Refuse saved values that forward does not return, and return the sizes of axes."""
    _calls.check_is_saved(saved, Saved, "ada_layer_norm_zero")
    _calls.check_first_fields(saved, (True, True, True, True, True))
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_kept(_AXES.shape("x", _sizes), x=saved.x)
    _calls.check_kept(_AXES.shape("branch", _sizes), branch=saved.branch)
    _calls.check_kept(_AXES.shape("gate", _sizes), gate=saved.gate)
    _calls.check_kept(_AXES.shape("scale", _sizes), scale=saved.scale)
    _calls.check_kept(
        _shape[:-1], mu=saved.mu, mu_residual=saved.mu_residual, rstd=saved.rstd
    )
    return _sizes


INTERFACE: _interface.Interface = {
    "name": "ada_layer_norm_zero",
    "minimum_features": 1,
    "inputs": [
        _interface.given("x", "Row", pattern=[["b"], ["..."], ["d"]]),
        _interface.given("branch", "Row", pattern=[["b"], ["..."], ["d"]]),
        _interface.given("gate", "Row", pattern=[["b"], ["d"]]),
        _interface.given("scale", "Row", pattern=[["b"], ["d"]]),
        _interface.given("shift", "Row", pattern=[["b"], ["d"]]),
    ],
    "constants": [_interface.constant("eps", default=1e-6, sign="nonnegative")],
    "outputs": [_interface.output("y", "Row"), _interface.output("h", "Row")],
    "saved": [
        _interface.saved("x", "input", ["...", "D"]),
        _interface.saved("branch", "input", ["...", "D"]),
        _interface.saved("gate", "input", ["...", "D"]),
        _interface.saved("scale", "input", ["...", "D"]),
        _interface.saved("mu", "row scalar", ["..."]),
        _interface.saved("mu_residual", "row scalar", ["..."]),
        _interface.saved("rstd", "row scalar", ["..."]),
    ],
    "gradients": [
        _interface.gradient("x"),
        _interface.gradient("branch"),
        _interface.gradient("gate"),
        _interface.gradient("scale"),
        _interface.gradient("shift"),
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
    npt.NDArray[Any],
    npt.NDArray[Any],
    npt.NDArray[Any],
    npt.NDArray[Any],
]


class AdaLayerNormZero(_modules.NumpyModule):
    """`ada_layer_norm_zero` as an object without parameters.

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
        branch: npt.NDArray[Any],
        gate: npt.NDArray[Any],
        scale: npt.NDArray[Any],
        shift: npt.NDArray[Any],
        *,
        save: bool = True,
    ) -> Outputs:
        """Compute the layer. Unless `save` is False, the object keeps its arguments and
        parameters for `backward`, and does not copy them.
        """
        self._saved = None
        output, self._saved = self._layer().forward(
            x, branch, gate, scale, shift, eps=self.eps, save=save, threads=self.threads
        )
        return output

    __call__ = forward

    def backward(
        self, dy: npt.NDArray[Any] | None, dh: npt.NDArray[Any] | None = None
    ) -> _Gradients:
        """Return `(dx, dbranch, dgate, dscale, dshift)`, given the gradient of a loss
        with respect to the output, once for each `forward`.
        """
        found = self._gradients(dy, dh)
        return found.dx, found.dbranch, found.dgate, found.dscale, found.dshift
