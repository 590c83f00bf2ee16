# Made by lngen 0.1.0 from the definition of log_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit log_softmax.py and run: lngen derive log_softmax.py
# definition sha256:69e4e6464377f485c18a82bb2ea433e069fc552079d127d509e2b633488c8e64
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""The logarithm of softmax over the feature axis.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["log_softmax"]


def log_softmax(x: jax.Array) -> jax.Array:
    """The logarithm of softmax over the feature axis.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        y = x - m - log_Z

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
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:1])


def _forward(x):
    """The outputs, and the numbers of each row that tangents read."""
    x, = _in_type(x)
    dtype = x.dtype
    largest = jnp.finfo(dtype).max
    m = jnp.clip(jnp.max(x, axis=-1, keepdims=True), -largest, largest)  # step 1
    x_shifted = x - m  # step 2
    exp_shifted = jnp.exp(x_shifted)  # step 3
    Z = jnp.sum(exp_shifted, axis=-1, keepdims=True)  # step 4
    log_Z = jnp.log(Z)  # step 5
    y = x_shifted - log_Z  # step 6
    return y, (m, Z)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, = _in_type(*inputs)
    m, Z = saved
    x_dot, = [t if t is None else t.astype(x.dtype) for t in dots]
    x_shifted = x - m  # step 2
    exp_shifted = jnp.exp(x_shifted)  # step 3
    y_dot = 0
    if x_dot is not None:
        # step 28, pass 4: written out
        sum_exp_shifted_x_dot = jnp.sum(exp_shifted*x_dot, axis=-1, keepdims=True)
        log_Z_dot = sum_exp_shifted_x_dot/Z  # step 28, pass 5: written out
        y_dot += x_dot - log_Z_dot  # step 29
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
