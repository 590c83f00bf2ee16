# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .._runtime.numpy import axes as _axes
from .._runtime.numpy import blocks as _blocks
from .._runtime.protocol import calls as _calls
from .._runtime.protocol import interface as _interface
from .._runtime.protocol import saved as _saved
from . import numpy_kernels as _kernels
from . import numpy_second_order as _second_order

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
    dy, dh = _calls.each_cotangent(cotangents, ("dy", "dh"))
    return _backward_backward(
        _BACKWARD_BACKWARD,
        saved,
        dy,
        dh,
        ddx,
        ddbranch,
        ddgate,
        ddscale,
        ddshift,
        out,
        threads,
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
    first_ = _saved.first_fields(INTERFACE, fields_, shape, dtype, dtypes)
    saved_ = Saved(*first_, *fields_)
    _check(saved_)
    return saved_


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
) -> Any:
    """Check a call, make its results, and have them computed."""
    eps = _calls.constant("eps", eps, signed=False)
    threads = _calls.thread_count(threads)
    x = _calls.array("x", x, True)
    branch = _calls.array("branch", branch, True, may_be_labels=True)
    gate = _calls.array("gate", gate, True, may_be_labels=True)
    scale = _calls.array("scale", scale, True, may_be_labels=True)
    shift = _calls.array("shift", shift, True, may_be_labels=True)
    _sizes = _AXES.sizes((x, branch, gate, scale, shift))
    _shape = _AXES.row_shape(_sizes)
    _read = (x, branch, gate, scale, shift)
    _dtypes = _calls.types(_read)
    _dtype = _calls.compute_type(_read)
    _given = (
        {}
        if out is None
        else dict(zip(("x", "branch", "gate", "scale", "shift"), _read))
    )
    _out = _calls.several(out, ("y", "h"))
    y_ = _calls.result(
        "y", _out[0], _AXES.shape("y", _sizes), x.dtype, _given, _by.empty
    )
    h_ = _calls.result(
        "h", _out[1], _AXES.shape("h", _sizes), x.dtype, _given, _by.empty
    )
    mu_ = _by.empty(_shape[:-1], _dtype)
    mu_residual_ = _by.empty(_shape[:-1], _dtype)
    rstd_ = _by.empty(_shape[:-1], _dtype)
    _made = (y_, h_, mu_, mu_residual_, rstd_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _AXES.fill(
        _by, "forward", _made, _sizes, _work, (x, branch, gate, scale, shift, eps)
    )
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
    _shown = Outputs(*_calls.returned((y_, h_), out))
    return _shown, _saved


def _backward(
    _by: _blocks.ArrayFunction, saved: Any, dy: Any, dh: Any, out: Any, threads: Any
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_branch, _of_gate, _of_scale, _of_shift = saved[2]
    dy = _calls.array("dy", dy, False)
    dh = _calls.array("dh", dh, False)
    _calls.check_any("cotangent", dy, dh)
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shape("dy", dy, _AXES.shape("y", _sizes), "the shape of y")
    _calls.check_shape("dh", dh, _AXES.shape("h", _sizes), "the shape of h")
    _read = (
        dy,
        dh,
        saved.x,
        saved.branch,
        saved.gate,
        saved.scale,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
    )
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "dy",
                    "dh",
                    "saved.x",
                    "saved.branch",
                    "saved.gate",
                    "saved.scale",
                    "saved.mu",
                    "saved.mu_residual",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("dx", "dbranch", "dgate", "dscale", "dshift"))
    dx_ = _calls.result(
        "dx", _out[0], _AXES.shape("x", _sizes), _of_x, _given, _by.empty
    )
    dbranch_ = _calls.result(
        "dbranch", _out[1], _AXES.shape("branch", _sizes), _of_branch, _given, _by.empty
    )
    dgate_ = _calls.result(
        "dgate", _out[2], _AXES.shape("gate", _sizes), _of_gate, _given, _by.empty
    )
    dscale_ = _calls.result(
        "dscale", _out[3], _AXES.shape("scale", _sizes), _of_scale, _given, _by.empty
    )
    dshift_ = _calls.result(
        "dshift", _out[4], _AXES.shape("shift", _sizes), _of_shift, _given, _by.empty
    )
    _made = (dx_, dbranch_, dgate_, dscale_, dshift_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _AXES.fill(
        _by,
        "backward",
        _made,
        _sizes,
        _work,
        (dy, dh),
        (
            saved.x,
            saved.branch,
            saved.gate,
            saved.scale,
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return Gradients(*_calls.returned(_made, out))


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
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_branch, _of_gate, _of_scale, _of_shift = saved[2]
    x_dot = _calls.array("x_dot", x_dot, False)
    branch_dot = _calls.array("branch_dot", branch_dot, False)
    gate_dot = _calls.array("gate_dot", gate_dot, False)
    scale_dot = _calls.array("scale_dot", scale_dot, False)
    shift_dot = _calls.array("shift_dot", shift_dot, False)
    _calls.check_any("tangent", x_dot, branch_dot, gate_dot, scale_dot, shift_dot)
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shape("x_dot", x_dot, _AXES.shape("x", _sizes), "the shape of x")
    _calls.check_shape(
        "branch_dot", branch_dot, _AXES.shape("branch", _sizes), "the shape of branch"
    )
    _calls.check_shape(
        "gate_dot", gate_dot, _AXES.shape("gate", _sizes), "the shape of gate"
    )
    _calls.check_shape(
        "scale_dot", scale_dot, _AXES.shape("scale", _sizes), "the shape of scale"
    )
    _calls.check_shape(
        "shift_dot", shift_dot, _AXES.shape("shift", _sizes), "the shape of shift"
    )
    _read = (
        x_dot,
        branch_dot,
        gate_dot,
        scale_dot,
        shift_dot,
        saved.x,
        saved.branch,
        saved.gate,
        saved.scale,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
    )
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "x_dot",
                    "branch_dot",
                    "gate_dot",
                    "scale_dot",
                    "shift_dot",
                    "saved.x",
                    "saved.branch",
                    "saved.gate",
                    "saved.scale",
                    "saved.mu",
                    "saved.mu_residual",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(out, ("y_dot", "h_dot"))
    y_dot_ = _calls.result(
        "y_dot", _out[0], _AXES.shape("y", _sizes), _of_x, _given, _by.empty
    )
    h_dot_ = _calls.result(
        "h_dot", _out[1], _AXES.shape("h", _sizes), _of_x, _given, _by.empty
    )
    _made = (y_dot_, h_dot_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _AXES.fill(
        _by,
        "jvp",
        _made,
        _sizes,
        _work,
        (x_dot, branch_dot, gate_dot, scale_dot, shift_dot),
        (
            saved.x,
            saved.branch,
            saved.gate,
            saved.scale,
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return Outputs(*_calls.returned(_made, out))


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
) -> Any:
    """Check a call, make its results, and have them computed."""
    threads = _calls.thread_count(threads)
    _check(saved)
    _of_x, _of_branch, _of_gate, _of_scale, _of_shift = saved[2]
    dy = _calls.array("dy", dy, False)
    dh = _calls.array("dh", dh, False)
    ddx = _calls.array("ddx", ddx, False)
    ddbranch = _calls.array("ddbranch", ddbranch, False)
    ddgate = _calls.array("ddgate", ddgate, False)
    ddscale = _calls.array("ddscale", ddscale, False)
    ddshift = _calls.array("ddshift", ddshift, False)
    _calls.check_any("cotangent", dy, dh)
    _calls.check_any("cotangent of a gradient", ddx, ddbranch, ddgate, ddscale, ddshift)
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_shape("dy", dy, _AXES.shape("y", _sizes), "the shape of y")
    _calls.check_shape("dh", dh, _AXES.shape("h", _sizes), "the shape of h")
    _calls.check_shape("ddx", ddx, _AXES.shape("x", _sizes), "the shape of x")
    _calls.check_shape(
        "ddbranch", ddbranch, _AXES.shape("branch", _sizes), "the shape of branch"
    )
    _calls.check_shape(
        "ddgate", ddgate, _AXES.shape("gate", _sizes), "the shape of gate"
    )
    _calls.check_shape(
        "ddscale", ddscale, _AXES.shape("scale", _sizes), "the shape of scale"
    )
    _calls.check_shape(
        "ddshift", ddshift, _AXES.shape("shift", _sizes), "the shape of shift"
    )
    _read = (
        dy,
        dh,
        ddx,
        ddbranch,
        ddgate,
        ddscale,
        ddshift,
        saved.x,
        saved.branch,
        saved.gate,
        saved.scale,
        saved.mu,
        saved.mu_residual,
        saved.rstd,
    )
    _dtype = _calls.compute_type(_read, saved.dtype)
    _given = (
        {}
        if out is None
        else dict(
            zip(
                (
                    "cotangents[0]",
                    "cotangents[1]",
                    "ddx",
                    "ddbranch",
                    "ddgate",
                    "ddscale",
                    "ddshift",
                    "saved.x",
                    "saved.branch",
                    "saved.gate",
                    "saved.scale",
                    "saved.mu",
                    "saved.mu_residual",
                    "saved.rstd",
                ),
                _read,
            )
        )
    )
    _out = _calls.several(
        out, ("dx", "dbranch", "dgate", "dscale", "dshift", "ddy", "ddh")
    )
    dx_ = _calls.result(
        "dx", _out[0], _AXES.shape("x", _sizes), _of_x, _given, _by.empty
    )
    dbranch_ = _calls.result(
        "dbranch", _out[1], _AXES.shape("branch", _sizes), _of_branch, _given, _by.empty
    )
    dgate_ = _calls.result(
        "dgate", _out[2], _AXES.shape("gate", _sizes), _of_gate, _given, _by.empty
    )
    dscale_ = _calls.result(
        "dscale", _out[3], _AXES.shape("scale", _sizes), _of_scale, _given, _by.empty
    )
    dshift_ = _calls.result(
        "dshift", _out[4], _AXES.shape("shift", _sizes), _of_shift, _given, _by.empty
    )
    ddy_ = _calls.result(
        "ddy",
        _out[5],
        _AXES.shape("y", _sizes),
        None if dy is None else dy.dtype,
        _given,
        _by.empty,
    )
    ddh_ = _calls.result(
        "ddh",
        _out[6],
        _AXES.shape("h", _sizes),
        None if dh is None else dh.dtype,
        _given,
        _by.empty,
    )
    _made = (dx_, dbranch_, dgate_, dscale_, dshift_, ddy_, ddh_)
    _work = _blocks.Work(_shape, _dtype, threads)
    _AXES.fill(
        _by,
        "backward_backward",
        _made,
        _sizes,
        _work,
        (dy, dh, ddx, ddbranch, ddgate, ddscale, ddshift),
        (
            saved.x,
            saved.branch,
            saved.gate,
            saved.scale,
            saved.mu,
            saved.mu_residual,
            saved.rstd,
        ),
    )
    return SecondGradients(*_calls.returned(_made, out))


def _check(saved: Any) -> None:
    """Refuse saved values that forward did not return, or that were changed since."""
    _calls.check_is_saved(saved, Saved, "ada_layer_norm_zero")
    _calls.check_first_fields(saved, (True, True, True, True, True))
    _sizes = _AXES.sizes_of(saved.shape)
    _shape = _AXES.row_shape(_sizes)
    _calls.check_kept("x", saved.x, _AXES.shape("x", _sizes))
    _calls.check_kept("branch", saved.branch, _AXES.shape("branch", _sizes))
    _calls.check_kept("gate", saved.gate, _AXES.shape("gate", _sizes))
    _calls.check_kept("scale", saved.scale, _AXES.shape("scale", _sizes))
    _calls.check_kept("mu", saved.mu, _shape[:-1])
    _calls.check_kept("mu_residual", saved.mu_residual, _shape[:-1])
    _calls.check_kept("rstd", saved.rstd, _shape[:-1])


_AXES = _axes.NamedAxes(INTERFACE)
_FORWARD = _blocks.ArrayFunction(_kernels.forward)
_BACKWARD = _blocks.ArrayFunction(_kernels.backward)
_JVP = _blocks.ArrayFunction(_second_order.jvp)
_BACKWARD_BACKWARD = _blocks.ArrayFunction(_second_order.backward_backward)
