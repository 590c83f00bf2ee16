# Made by lngen 0.1.0 from the definition of kda_gate; derivation.md has its steps, cost and evidence.
# Do not edit; edit kda_gate.py and run: lngen derive kda_gate.py
# Open: exp overflows where rate is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:828e82ed6a2def8150a7add1c29579ffcf6ccf2277e91b493d839c2c2a8629f8
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["kda_gate"]


def kda_gate(
    x: jax.Array, rate: jax.Array | None = None, bias: jax.Array | None = None
) -> jax.Array:
    """Logarithm of the decay of a linear attention with a gate for each channel, of heads with a rate and a bias.

        u = x + bias
        softplus_u = softplus(u)
        exp_rate = exp(rate)
        y = -exp_rate*softplus_u

    Args:
        x: an array with the axes b t h d.
        rate: an array with the axes h. If omitted it is 0.
        bias: an array with the axes h d. If omitted it is 0.

    Returns y in the type of the first rows. y is an array with the axes b t h d. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs. Raises
    TypeError for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    b, t, h, d = _axes("x", x, "b t h d", 4)
    rate = None if rate is None else _floats("rate", rate, (h,), "(h)")
    bias = None if bias is None else _floats("bias", bias, (h, d), "(h d)")
    y = _layer(
        x.reshape(b, t, h, d),
        None if rate is None else rate.reshape(1, 1, h, 1),
        None if bias is None else bias.reshape(1, 1, h, d),
    )
    return y.reshape((b, t, h, d))


@jax.custom_jvp
def _layer(x, rate, bias):
    return _forward(x, rate, bias)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:3])


def _forward(x, rate, bias):
    """The outputs, and the numbers of each row that tangents read."""
    x, rate, bias = _in_type(x, rate, bias)
    exp_rate = jnp.exp(rate)  # step 3
    u = bias + x  # step 1
    softplus_u = jax.nn.softplus(u)  # step 2
    y = -softplus_u*exp_rate  # step 4
    return y, (exp_rate,)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, _, bias = _in_type(*inputs)
    exp_rate, = saved
    x_dot, rate_dot, bias_dot = [t if t is None else t.astype(x.dtype) for t in dots]
    u = bias + x  # step 1
    softplus_u = jax.nn.softplus(u)  # step 2
    y_dot = 0
    if rate_dot is not None:
        exp_rate_dot = exp_rate*rate_dot  # step 15
        y_dot += -softplus_u*exp_rate_dot  # step 18
    if bias_dot is not None:
        y_dot += -jax.nn.sigmoid(u)*bias_dot*exp_rate  # step 18
    if x_dot is not None:
        y_dot += -jax.nn.sigmoid(u)*x_dot*exp_rate  # step 18
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, rate, bias):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (x, rate, bias) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    rate, bias = 0 if rate is None else rate, 0 if bias is None else bias
    return [jnp.asarray(u, dtype) for u in (x, rate, bias)]


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
