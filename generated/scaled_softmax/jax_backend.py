# Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Softmax with a learned inverse temperature.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["scaled_softmax"]


def scaled_softmax(x: jax.Array, scale: float | jax.Array | None = None) -> jax.Array:
    """Softmax with a learned inverse temperature.

        m = max(scale*x)
        e_shifted = exp(scale*x - m)
        Z = sum(e_shifted)
        inv_Z = 1/Z
        y = inv_Z*e_shifted

    Args:
        x: shape (..., D).
        scale: a number or an array without axes. If omitted it is 1.

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs. Raises TypeError for another type,
    ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    scale = None if scale is None else _number("scale", scale)
    return _layer(x, scale)


@jax.custom_jvp
def _layer(x, scale):
    return _forward(x, scale)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:2])


def _forward(x, scale):
    """The outputs, and the numbers of each row that tangents read."""
    x, scale = _in_type(x, scale)
    dtype = x.dtype
    largest = jnp.finfo(dtype).max
    m = jnp.clip(jnp.max(x*scale, axis=-1, keepdims=True), -largest, largest)  # step 1
    u = x*scale - m  # step 2
    e_shifted = jnp.exp(u)  # step 3
    Z = jnp.sum(e_shifted, axis=-1, keepdims=True)  # step 4
    inv_Z = 1/Z  # step 5
    y = e_shifted*inv_Z  # step 6
    return y, (m, inv_Z)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, scale = _in_type(*inputs)
    m, inv_Z = saved
    x_dot, scale_dot = [t if t is None else t.astype(x.dtype) for t in dots]
    u = x*scale - m  # step 2
    e_shifted = jnp.exp(u)  # step 3
    y = e_shifted*inv_Z  # step 6
    u_dot = 0
    y_dot = 0
    if scale_dot is not None:
        u_dot += x*scale_dot  # step 19
    if x_dot is not None:
        u_dot += x_dot*scale  # step 19
    if x_dot is not None or scale_dot is not None:
        sum_u_dot_y = jnp.sum(u_dot*y, axis=-1, keepdims=True)  # step 26
        y_dot += (u_dot - sum_u_dot_y)*y  # step 26
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, scale):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *[u for u in (x, scale) if u is not None])
    scale = 1 if scale is None else scale
    return [jnp.asarray(u, dtype) for u in (x, scale)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value


def _number(name, value):
    """A number; one of Python's makes no type wider."""
    value = float(value) if type(value) is int else value
    return _floats(name, value, (), "a number or a 0-d one")
