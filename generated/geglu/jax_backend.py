# Made by lngen 0.1.0 from the definition of geglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit geglu.py and run: lngen derive geglu.py
# definition sha256:8a199d9f756d9e149a24c860c84a624e5964b77f0da163fe0375a5ea2d4efc65
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs.
"""

import math

import jax
import jax.numpy as jnp

__all__ = ["geglu"]


def geglu(x: jax.Array) -> jax.Array:
    """Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array.

        gate = at(x, s=0)
        value = at(x, s=1)
        sigmoid_u = sigmoid(1.5957691216057308*gate + 35677408136300126361*gate**3/5e20)
        y = gate*sigmoid_u*value

    Args:
        x: an array with the axes ... (s d), s of size 2.

    Returns y in the type of x. y is an array with the axes ... d. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError for
    another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    *rest, s_d = _axes("x", x, "... (s d)", 1, True)
    if s_d % 2:
        raise ValueError(
            f"x has shape {x.shape}, and s = {2} does not divide its axis (s d) of {s_d}"
        )
    d = s_d // 2
    y = _layer(
        x.reshape(_product(rest), 2, d)[:, 0], x.reshape(_product(rest), 2, d)[:, 1]
    )
    return y.reshape((*rest, d))


@jax.custom_jvp
def _layer(gate, value):
    return _forward(gate, value)[0].astype(gate.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y = _layer(*inputs)
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, dots[:2])


def _forward(gate, value):
    """The outputs, and the numbers of each row that tangents read."""
    gate, value = _in_type(gate, value)
    total = gate + 8943*gate**3/200000  # step 1
    u = 1.5957691216057308*total  # step 2
    sigmoid_u = jax.nn.sigmoid(u)  # step 3
    y = gate*sigmoid_u*value  # step 5
    return y, ()


def _tangents(made, inputs, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    gate, value = _in_type(*inputs)
    gate_dot, value_dot = [t if t is None else t.astype(gate.dtype) for t in dots]
    total = gate + 8943*gate**3/200000  # step 1
    u = 1.5957691216057308*total  # step 2
    sigmoid_u = jax.nn.sigmoid(u)  # step 3
    y_dot = 0
    if gate_dot is not None:
        # step 20
        y_dot += (
            value
            + 1.5957691216057308*(1 - sigmoid_u)*(26829*gate**2/200000 + 1)*gate*value
        )*gate_dot*sigmoid_u
    if value_dot is not None:
        y_dot += gate*sigmoid_u*value_dot  # step 20
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(gate, value):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, gate, value)
    return [jnp.asarray(u, dtype) for u in (gate, value)]


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
