# Made by lngen 0.1.0 from the definition of rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Rotary position embedding: both halves of a row are turned by the angle of their position.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs.
"""

import jax
import jax.numpy as jnp

__all__ = ["rotary"]


def rotary(x: jax.Array, cosine: jax.Array, sine: jax.Array) -> jax.Array:
    """Rotary position embedding: both halves of a row are turned by the angle of their position.

        a = at(x, s=0)
        b = at(x, s=1)
        y_0 = a*cosine - b*sine
        y_1 = a*sine + b*cosine
        y = join(y_0, y_1)

    Args:
        x: an array with the axes b h t (s d), s of size 2.
        cosine: an array with the axes t d, without a gradient.
        sine: an array with the axes t d, without a gradient.

    Returns y in the type of x. y is an array with the axes b h t (s d), s of size 2.
    The compute type is the widest among the inputs, and float32 for 16-bit inputs.
    Raises TypeError for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    b, h, t, s_d = _axes("x", x, "b h t (s d)", 4)
    if s_d % 2:
        raise ValueError(
            f"x has shape {x.shape}, and s = {2} does not divide its axis (s d) of {s_d}"
        )
    d = s_d // 2
    cosine = _floats("cosine", cosine, (t, d), "(t d)")
    sine = _floats("sine", sine, (t, d), "(t d)")
    y_0, y_1 = _layer(
        x.reshape(b, h, t, 2, d)[:, :, :, 0],
        x.reshape(b, h, t, 2, d)[:, :, :, 1],
        cosine.reshape(1, 1, t, d),
        sine.reshape(1, 1, t, d),
    )
    return _stack((y_0, y_1), 3).reshape((b, h, t, 2*d))


@jax.custom_jvp
def _layer(a, b, cosine, sine):
    return tuple(u.astype(a.dtype) for u in _forward(a, b, cosine, sine)[0])


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    made = _layer(*inputs)
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    return made, jax.checkpoint(_tangents, prevent_cse=False)(made, inputs, dots[:2])


def _forward(a, b, cosine, sine):
    """The outputs, and the numbers of each row that tangents read."""
    a, b, cosine, sine = _in_type(a, b, cosine, sine)
    y_0 = a*cosine - b*sine  # step 1
    y_1 = a*sine + b*cosine  # step 2
    return (y_0, y_1), ()


def _tangents(made, inputs, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    a, _, cosine, sine = _in_type(*inputs)
    a_dot, b_dot = [t if t is None else t.astype(a.dtype) for t in dots]
    y_0_dot = 0
    y_1_dot = 0
    if a_dot is not None:
        y_0_dot += a_dot*cosine  # step 5
    if b_dot is not None:
        y_0_dot += -b_dot*sine  # step 5
        y_1_dot += b_dot*cosine  # step 6
    if a_dot is not None:
        y_1_dot += a_dot*sine  # step 6
    return tuple(map(_like, made, (y_0_dot, y_1_dot)))


def _in_type(a, b, cosine, sine):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, a, b, cosine, sine)
    return [jnp.asarray(u, dtype) for u in (a, b, cosine, sine)]


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


def _stack(parts, axis):
    return jnp.stack(parts, axis=axis)
