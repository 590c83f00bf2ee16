# Made by lngen 0.1.0 from the definition of situ_glu; derivation.md has its steps, cost and evidence.
# Do not edit; edit situ_glu.py and run: lngen derive situ_glu.py
# definition sha256:e6e65e1eea5303aa376f708491047896a0aec30266bcb6dd83c239585502f41f
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Gated linear unit by a sigmoid and two bounded values: beta*tanh(gate/beta)*sigmoid(gate), times the bounded value.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs.
"""

import math

import jax
import jax.numpy as jnp

__all__ = ["situ_glu"]


def situ_glu(
    x: jax.Array, *, beta: float = 4.0, linear_beta: float = 25.0
) -> jax.Array:
    """Gated linear unit by a sigmoid and two bounded values: beta*tanh(gate/beta)*sigmoid(gate), times the bounded value.

        gate = at(x, s=0)
        value = at(x, s=1)
        u = value/linear_beta
        tanh_u = tanh(u)
        sigmoid_gate = sigmoid(gate)
        u_2 = gate/beta
        tanh_u_2 = tanh(u_2)
        y = beta*linear_beta*sigmoid_gate*tanh_u*tanh_u_2

    Args:
        x: an array with the axes ... (s d), s of size 2.
        beta: a constant, a finite number.
        linear_beta: a constant, a finite number.

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
    if jnp.ndim(beta) or not (
        isinstance(beta, jax.Array) or -jnp.inf < float(beta) < jnp.inf
    ):
        raise ValueError(f"beta is {beta}; pass a finite number")
    if jnp.ndim(linear_beta) or not (
        isinstance(linear_beta, jax.Array) or -jnp.inf < float(linear_beta) < jnp.inf
    ):
        raise ValueError(f"linear_beta is {linear_beta}; pass a finite number")
    y = _layer(
        x.reshape(_product(rest), 2, d)[:, 0],
        x.reshape(_product(rest), 2, d)[:, 1],
        beta,
        linear_beta,
    )
    return y.reshape((*rest, d))


@jax.custom_jvp
def _layer(gate, value, beta, linear_beta):
    return _forward(gate, value, beta, linear_beta)[0].astype(gate.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y = _layer(*inputs)
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[2:]):
        raise NotImplementedError(
            "beta, linear_beta: a constant of situ_glu has no derivative"
        )
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, dots[:2])


def _forward(gate, value, beta, linear_beta):
    """The outputs, and the numbers of each row that tangents read."""
    gate, value, beta, linear_beta = _in_type(gate, value, beta, linear_beta)
    linear_beta_shifted = 1/linear_beta  # step 1, pass 1: once a row
    beta_shifted = 1/beta  # step 4, pass 2: once a row
    u = value*linear_beta_shifted  # step 1, pass 3: once a row
    tanh_u = jnp.tanh(u)  # step 2
    sigmoid_gate = jax.nn.sigmoid(gate)  # step 3
    u_2 = gate*beta_shifted  # step 4, pass 4: once a row
    tanh_u_2 = jnp.tanh(u_2)  # step 5
    y = sigmoid_gate*tanh_u*tanh_u_2*beta*linear_beta  # step 6
    return y, ()


def _tangents(made, inputs, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    gate, value, beta, linear_beta = _in_type(*inputs)
    gate_dot, value_dot = [t if t is None else t.astype(gate.dtype) for t in dots]
    linear_beta_shifted = 1/linear_beta  # step 1, pass 1: once a row
    beta_shifted = 1/beta  # step 4, pass 2: once a row
    u = value*linear_beta_shifted  # step 1, pass 3: once a row
    tanh_u = jnp.tanh(u)  # step 2
    sigmoid_gate = jax.nn.sigmoid(gate)  # step 3
    u_2 = gate*beta_shifted  # step 4, pass 4: once a row
    tanh_u_2 = jnp.tanh(u_2)  # step 5
    y_dot = 0
    if gate_dot is not None:
        # step 35
        y_dot += gate_dot*sigmoid_gate*tanh_u*(
            (1 - tanh_u_2)*(tanh_u_2 + 1) + (1 - sigmoid_gate)*tanh_u_2*beta
        )*linear_beta
    if value_dot is not None:
        # step 35
        y_dot += (1 - tanh_u)*sigmoid_gate*(tanh_u + 1)*tanh_u_2*value_dot*beta
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(gate, value, beta, linear_beta):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, gate, value)
    return [jnp.asarray(u, dtype) for u in (gate, value, beta, linear_beta)]


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
