# Made by lngen 0.1.0 from the definition of sink_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit sink_softmax.py and run: lngen derive sink_softmax.py
# definition sha256:85de87b67725f2db6415d52ce8ee109a8b1ab48120c2fc9ba15663e407abd30f
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows, and an output.
"""

import jax
import jax.numpy as jnp

__all__ = ["sink_softmax"]


def sink_softmax(x: jax.Array, sink: jax.Array | None = None) -> jax.Array:
    """Softmax of attention scores in which each head has a sink: a learned logit that takes part of the weight.

        m = max(x)
        largest = where(m > sink, m, sink)
        e_shifted = exp(x - largest)
        Z = sum(e_shifted)
        exp_largest_sink = exp(sink - largest)
        scale = 1/(Z + exp_largest_sink)
        y = scale*e_shifted

    Args:
        x: an array with the axes b h q k.
        sink: an array with the axes h. If omitted it is 0.

    Returns y in the type of x. y is an array with the axes b h q k. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError for
    another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    b, h, q, k = _axes("x", x, "b h q k", 4)
    sink = None if sink is None else _floats("sink", sink, (h,), "(h)")
    y = _layer(
        x.reshape(b, h, q, k), None if sink is None else sink.reshape(1, h, 1, 1)
    )
    return y.reshape((b, h, q, k))


@jax.custom_jvp
def _layer(x, sink):
    return _forward(x, sink)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    return (
        y,
        jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, (y,), saved, dots[:2]),
    )


def _forward(x, sink):
    """The outputs, and the numbers of each row that tangents read."""
    x, sink = _in_type(x, sink)
    m = jnp.max(x, axis=3, keepdims=True)  # step 1
    largest = jnp.where(m > sink, m, sink)  # step 2
    exp_largest_sink = jnp.exp(sink - largest)  # step 6
    x_shifted = x - largest  # step 3
    e_shifted = jnp.exp(x_shifted)  # step 4
    Z = jnp.sum(e_shifted, axis=3, keepdims=True)  # step 5
    scale = 1/(Z + exp_largest_sink)  # step 7
    y = e_shifted*scale  # step 8
    return y, (exp_largest_sink, scale)


def _tangents(made, inputs, outputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, _ = _in_type(*inputs)
    y, = [u.astype(x.dtype) for u in outputs]
    exp_largest_sink, scale = saved
    x_dot, sink_dot = [t if t is None else t.astype(x.dtype) for t in dots]
    y_dot = 0
    if sink_dot is not None:
        exp_largest_sink_scaled = exp_largest_sink*scale*sink_dot  # step 30, pass 1
    if x_dot is not None:
        sum_x_dot_y = jnp.sum(x_dot*y, axis=3, keepdims=True)  # step 30
        y_dot += x_dot*y - y*sum_x_dot_y  # step 30, pass 2: once a row
    if sink_dot is not None:
        y_dot += -y*exp_largest_sink_scaled  # step 30, pass 2: once a row
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, sink):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *[u for u in (x, sink) if u is not None])
    sink = 0 if sink is None else sink
    return [jnp.asarray(u, dtype) for u in (x, sink)]


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
