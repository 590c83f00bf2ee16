# Made by lngen 0.1.0 from the definition of softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit softmax.py and run: lngen derive softmax.py
# definition sha256:9ce87dbd38edba4176ecb72247c55af9618089126b150813de61257b8d884562
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Softmax over the feature axis.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs, and an output.
"""

import jax
import jax.numpy as jnp

__all__ = ["softmax"]


def softmax(x: jax.Array) -> jax.Array:
    """Softmax over the feature axis.

        m = max(x)
        e_shifted = exp(x - m)
        Z = sum(e_shifted)
        inv_Z = 1/Z
        y = inv_Z*e_shifted

    Args:
        x: shape (..., D).

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs. Raises TypeError for another type,
    ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    return _layer(x)


@jax.custom_jvp
def _layer(x):
    return _forward(x)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y = _layer(*inputs)
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, (y,), dots[:1])


def _forward(x):
    """The outputs, and the numbers of each row that tangents read."""
    x, = _in_type(x)
    dtype = x.dtype
    largest = jnp.finfo(dtype).max
    m = jnp.clip(jnp.max(x, axis=-1, keepdims=True), -largest, largest)  # step 1
    x_shifted = x - m  # step 2
    e_shifted = jnp.exp(x_shifted)  # step 3
    Z = jnp.sum(e_shifted, axis=-1, keepdims=True)  # step 4
    inv_Z = 1/Z  # step 5
    y = e_shifted*inv_Z  # step 6
    return y, ()


def _tangents(made, inputs, outputs, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, = _in_type(*inputs)
    y, = [u.astype(x.dtype) for u in outputs]
    x_dot, = [t if t is None else t.astype(x.dtype) for t in dots]
    y_dot = 0
    if x_dot is not None:
        sum_x_dot_y = jnp.sum(x_dot*y, axis=-1, keepdims=True)  # step 25
        y_dot += (x_dot - sum_x_dot_y)*y  # step 25
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x)
    return [jnp.asarray(u, dtype) for u in (x,)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
