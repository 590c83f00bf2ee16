# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import math

import jax
import jax.numpy as jnp

__all__ = ["ada_layer_norm_zero"]


def ada_layer_norm_zero(
    x: jax.Array,
    branch: jax.Array,
    gate: jax.Array,
    scale: jax.Array,
    shift: jax.Array,
    *,
    eps: float = 1e-6,
) -> tuple[jax.Array, jax.Array]:
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

    Returns `(y, h)` in the type of the first rows. y is an array with the axes b ... d;
    h is an array with the axes b ... d. The compute type is the widest among the
    inputs, and float32 for 16-bit inputs. Raises TypeError for another type, ValueError
    for a wrong shape.
    """
    x = _floats("x", x)
    b, *rest, d = _axes("x", x, "b ... d", 2, True)
    branch = _floats("branch", branch, (b, *rest, d), "(b ... d)")
    gate = _floats("gate", gate, (b, d), "(b d)")
    scale = _floats("scale", scale, (b, d), "(b d)")
    shift = _floats("shift", shift, (b, d), "(b d)")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y, h = _layer(
        x.reshape(b, _product(rest), d),
        branch.reshape(b, _product(rest), d),
        gate.reshape(b, 1, d),
        scale.reshape(b, 1, d),
        shift.reshape(b, 1, d),
        eps,
    )
    return y.reshape((b, *rest, d)), h.reshape((b, *rest, d))


@jax.custom_jvp
def _layer(x, branch, gate, scale, shift, eps):
    return tuple(
        u.astype(x.dtype) for u in _forward(x, branch, gate, scale, shift, eps)[0]
    )


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    made, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[5:]):
        raise NotImplementedError(
            "eps: a constant of ada_layer_norm_zero has no derivative"
        )
    return (
        made,
        jax.checkpoint(_tangents, prevent_cse=False)(made, inputs, saved, dots[:5]),
    )


def _forward(x, branch, gate, scale, shift, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, branch, gate, scale, shift, eps = _in_type(x, branch, gate, scale, shift, eps)
    h = x + branch*gate  # step 1
    mu = jnp.mean(h, axis=2, keepdims=True)  # step 2
    h_shifted = h - mu  # step 3, pass 1: compensation
    mu_residual = jnp.mean(h_shifted, axis=2, keepdims=True)  # step 3, pass 2
    h_centred = h_shifted - mu_residual  # step 3, pass 3: compensation
    var = jnp.mean(h_centred**2, axis=2, keepdims=True)  # step 4
    rstd = jax.lax.rsqrt(var + eps)  # step 5
    hhat = h_centred*rstd  # step 6
    y = shift + hhat*(scale + 1)  # step 7
    return (y, h), (mu, mu_residual, rstd)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, branch, gate, scale, _, _ = _in_type(*inputs)
    mu, mu_residual, rstd = saved
    x_dot, branch_dot, gate_dot, scale_dot, shift_dot = [
        t if t is None else t.astype(x.dtype) for t in dots
    ]
    h = x + branch*gate  # step 1
    h_shifted = h - mu  # step 3, pass 1: compensation
    h_centred = h_shifted - mu_residual  # step 3, pass 3: compensation
    hhat = h_centred*rstd  # step 6
    h_dot = 0
    y_dot = 0
    if gate_dot is not None:
        h_dot += branch*gate_dot  # step 23
    if branch_dot is not None:
        h_dot += branch_dot*gate  # step 23
    if x_dot is not None:
        h_dot += x_dot  # step 23
    if x_dot is not None or branch_dot is not None or gate_dot is not None:
        mean_h_dot = jnp.mean(h_dot, axis=2, keepdims=True)  # step 32
        mean_h_dot_hhat = jnp.mean(h_dot*hhat, axis=2, keepdims=True)  # step 32
        y_dot += (h_dot - mean_h_dot - hhat*mean_h_dot_hhat)*(scale + 1)*rstd  # step 32
    if scale_dot is not None:
        y_dot += hhat*scale_dot  # step 32
    if shift_dot is not None:
        y_dot += shift_dot  # step 32
    return tuple(map(_like, made, (y_dot, h_dot)))


def _in_type(x, branch, gate, scale, shift, eps):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x, branch, gate, scale, shift)
    return [jnp.asarray(u, dtype) for u in (x, branch, gate, scale, shift, eps)]


def _like(made, tangent):
    """The tangent of an output, in its shape and type."""
    return jnp.zeros_like(made) + jnp.asarray(tangent, made.dtype)


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value


def _axes(name, value, pattern, count, more=False):
    """The sizes of the axes of an array, of which there are so many, or more."""
    if value.ndim < count or (value.ndim > count and not more):
        raise ValueError(f"{name} has shape {value.shape}; pass an array with the axes {pattern}")
    return value.shape


def _product(sizes):
    return math.prod(sizes)
