# Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import math

import jax
import jax.numpy as jnp

__all__ = ["causal_softmax"]


def causal_softmax(
    x: jax.Array, position: jax.Array, scale: float | jax.Array | None = None
) -> jax.Array:
    """Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query.

        m = max(where(index() <= position, scale*x, -1e38))
        u = where(index() <= position, scale*x - m, 0)
        exp_u = exp(u)
        e_shifted = where(index() <= position, exp_u, 0)
        sum_e_shifted = sum(e_shifted)
        inv_sum_e_shifted = 1/sum_e_shifted
        y = inv_sum_e_shifted*e_shifted

    Args:
        x: an array with the axes ... q k.
        position: an array with the axes q, without a gradient.
        scale: a number or an array without axes. If omitted it is 1.

    Returns y in the type of x. y is an array with the axes ... q k. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError for
    another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    *rest, q, k = _axes("x", x, "... q k", 2, True)
    position = _integers("position", position, (q,), "(q)")
    scale = None if scale is None else _number("scale", scale)
    y = _layer(x.reshape(_product(rest), q, k), position.reshape(1, q, 1), scale)
    return y.reshape((*rest, q, k))


@jax.custom_jvp
def _layer(x, position, scale):
    return _forward(x, position, scale)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:3])


def _forward(x, position, scale):
    """The outputs, and the numbers of each row that tangents read."""
    x, position, scale = _in_type(x, position, scale)
    dtype, shape = x.dtype, x.shape
    D = shape[2]
    index = jnp.arange(D).reshape(1, 1, shape[2])
    largest = jnp.finfo(dtype).max
    # step 1
    m = jnp.clip(
        jnp.max(jnp.where(index <= position, x*scale, -1e+38), axis=2, keepdims=True),
        -largest,
        largest,
    )
    u = jnp.where(index <= position, x*scale - m, 0)  # step 2
    exp_u = jnp.exp(u)  # step 3
    e_shifted = jnp.where(index <= position, exp_u, 0)  # step 4
    sum_e_shifted = jnp.sum(e_shifted, axis=2, keepdims=True)  # step 5
    inv_sum_e_shifted = 1/sum_e_shifted  # step 6
    y = e_shifted*inv_sum_e_shifted  # step 7
    return y, (m, inv_sum_e_shifted)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, position, scale = _in_type(*inputs)
    shape = x.shape
    m, inv_sum_e_shifted = saved
    x_dot, _, scale_dot = [t if t is None else t.astype(x.dtype) for t in dots]
    D = shape[2]
    index = jnp.arange(D).reshape(1, 1, shape[2])
    u = jnp.where(index <= position, x*scale - m, 0)  # step 2
    exp_u = jnp.exp(u)  # step 3
    e_shifted = jnp.where(index <= position, exp_u, 0)  # step 4
    e_shifted_dot = 0
    y_dot = 0
    if scale_dot is not None:
        e_shifted_dot += jnp.where(index <= position, exp_u*x, 0)*scale_dot  # step 25
    if x_dot is not None:
        e_shifted_dot += jnp.where(index <= position, exp_u*scale, 0)*x_dot  # step 25
    if x_dot is not None or scale_dot is not None:
        sum_e_shifted_dot = jnp.sum(e_shifted_dot, axis=2, keepdims=True)  # step 30
        # step 30, pass 3: late scales
        y_dot += (
            e_shifted_dot - e_shifted*inv_sum_e_shifted*sum_e_shifted_dot
        )*inv_sum_e_shifted
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, position, scale):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *[u for u in (x, scale) if u is not None])
    scale = 1 if scale is None else scale
    x, scale = [jnp.asarray(u, dtype) for u in (x, scale)]
    return (x, position, scale)


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


def _product(sizes):
    return math.prod(sizes)
