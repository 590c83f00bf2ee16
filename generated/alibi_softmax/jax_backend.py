# Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["alibi_softmax"]


def alibi_softmax(x: jax.Array, slope: jax.Array, position: jax.Array) -> jax.Array:
    """Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head.

        z = x + slope*(index() - position)
        m = max(where(index() <= position, z, -1e38))
        u = where(index() <= position, z - m, 0)
        exp_u = exp(u)
        e_shifted = where(index() <= position, exp_u, 0)
        sum_e_shifted = sum(e_shifted)
        inv_sum_e_shifted = 1/sum_e_shifted
        y = inv_sum_e_shifted*e_shifted

    Args:
        x: an array with the axes b h q k.
        slope: an array with the axes h, without a gradient.
        position: an array with the axes q, without a gradient.

    Returns y in the type of x. y is an array with the axes b h q k. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError for
    another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    b, h, q, k = _axes("x", x, "b h q k", 4)
    slope = _floats("slope", slope, (h,), "(h)")
    position = _integers("position", position, (q,), "(q)")
    y = _layer(
        x.reshape(b, h, q, k), slope.reshape(1, h, 1, 1), position.reshape(1, 1, q, 1)
    )
    return y.reshape((b, h, q, k))


@jax.custom_jvp
def _layer(x, slope, position):
    return _forward(x, slope, position)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:1])


def _forward(x, slope, position):
    """The outputs, and the numbers of each row that tangents read."""
    x, slope, position = _in_type(x, slope, position)
    dtype, shape = x.dtype, x.shape
    D = shape[3]
    index = jnp.arange(D).reshape(1, 1, 1, shape[3])
    largest = jnp.finfo(dtype).max
    z = x + (index - position).astype(dtype)*slope  # step 1
    # step 2
    m = jnp.clip(
        jnp.max(jnp.where(index <= position, z, -1e+38), axis=3, keepdims=True),
        -largest,
        largest,
    )
    x_shifted = z - m  # step 3
    u = jnp.where(index <= position, x_shifted, 0)  # step 4
    exp_u = jnp.exp(u)  # step 5
    e_shifted = jnp.where(index <= position, exp_u, 0)  # step 6
    sum_e_shifted = jnp.sum(e_shifted, axis=3, keepdims=True)  # step 7
    inv_sum_e_shifted = 1/sum_e_shifted  # step 8
    y = e_shifted*inv_sum_e_shifted  # step 9
    return y, (m, inv_sum_e_shifted)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, slope, position = _in_type(*inputs)
    dtype, shape = x.dtype, x.shape
    m, inv_sum_e_shifted = saved
    x_dot, = [t if t is None else t.astype(x.dtype) for t in dots]
    D = shape[3]
    index = jnp.arange(D).reshape(1, 1, 1, shape[3])
    z = x + (index - position).astype(dtype)*slope  # step 1
    x_shifted = z - m  # step 3
    u = jnp.where(index <= position, x_shifted, 0)  # step 4
    exp_u = jnp.exp(u)  # step 5
    e_shifted = jnp.where(index <= position, exp_u, 0)  # step 6
    y_dot = 0
    if x_dot is not None:
        e_shifted_dot = jnp.where(index <= position, exp_u, 0)*x_dot  # step 30
        sum_e_shifted_dot = jnp.sum(e_shifted_dot, axis=3, keepdims=True)  # step 35
        # step 35, pass 3: late scales
        y_dot += (
            e_shifted_dot - e_shifted*inv_sum_e_shifted*sum_e_shifted_dot
        )*inv_sum_e_shifted
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, slope, position):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x, slope)
    x, slope = [jnp.asarray(u, dtype) for u in (x, slope)]
    return (x, slope, position)


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value


def _integers(name, value, shape=None, axes=""):
    """Integers in 32 bits, those beyond as the nearest."""
    if type(value) is int:
        value = max(-(2**31), min(value, 2**31 - 1))
    value = value if hasattr(value, "dtype") else jnp.asarray(value)
    kind = jnp.int8 if value.dtype == bool else value.dtype
    if not jnp.issubdtype(kind, jnp.integer):
        remedy = f"pass integers, such as {name}.astype(jnp.int32)"
        raise TypeError(f"{name} is of type {value.dtype}; {remedy}")
    if jnp.iinfo(kind).max > 2**31 - 1:
        value = value.clip(max(-(2**31), jnp.iinfo(kind).min), 2**31 - 1)
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return jnp.asarray(value, jnp.int32)


def _axes(name, value, pattern, count, more=False):
    """The sizes of the axes of an array, of which there are so many, or more."""
    if value.ndim < count or (value.ndim > count and not more):
        raise ValueError(f"{name} has shape {value.shape}; pass an array with the axes {pattern}")
    return value.shape
