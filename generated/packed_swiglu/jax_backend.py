# Made by lngen 0.1.0 from the definition of packed_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
# definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""SwiGLU of a gate and a value that lie side by side in one array.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs.
"""

import math

import jax
import jax.numpy as jnp

__all__ = ["packed_swiglu"]


def packed_swiglu(x: jax.Array) -> jax.Array:
    """SwiGLU of a gate and a value that lie side by side in one array.

        gate = at(x, s=0)
        value = at(x, s=1)
        sigmoid_gate = sigmoid(gate)
        silu_gate = gate*sigmoid_gate
        y = silu_gate*value

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
    sigmoid_gate = jax.nn.sigmoid(gate)  # step 1
    silu_gate = gate*sigmoid_gate  # step 2
    y = silu_gate*value  # step 3
    return y, ()


def _tangents(made, inputs, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    gate, value = _in_type(*inputs)
    gate_dot, value_dot = [t if t is None else t.astype(gate.dtype) for t in dots]
    sigmoid_gate = jax.nn.sigmoid(gate)  # step 1
    silu_gate = gate*sigmoid_gate  # step 2
    y_dot = 0
    if value_dot is not None:
        y_dot += silu_gate*value_dot  # step 15
    if gate_dot is not None:
        y_dot += ((1 - sigmoid_gate)*gate + 1)*gate_dot*sigmoid_gate*value  # step 15
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
