# Made by lngen 0.1.0 from the definition of pow_glu; derivation.md has its steps, cost and evidence.
# Do not edit; edit pow_glu.py and run: lngen derive pow_glu.py
# Open: exp overflows where power*log_base/(1 + root_base) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:67e102f3ac5fc0c5a92bfffdb1e3643a14746399b46a13e192fda8178dee8863
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Gated linear unit whose gate grows by a falling power: x**(power/(sqrt(x) + 1))*sigmoid(x) for x > 0, else silu(x).

Plain `jnp` with derived tangents; for backward JAX keeps the inputs.
"""

import math

import jax
import jax.numpy as jnp

__all__ = ["pow_glu"]


def pow_glu(x: jax.Array, *, power: float = 3.0) -> jax.Array:
    """Gated linear unit whose gate grows by a falling power: x**(power/(sqrt(x) + 1))*sigmoid(x) for x > 0, else silu(x).

        gate = at(x, s=0)
        value = at(x, s=1)
        base = where(gate > 0, gate, 1)
        root_base = sqrt(base)
        log_base = log(base)
        u = power*log_base/(1 + root_base)
        grown = exp(u)
        sigmoid_gate = sigmoid(gate)
        silu_gate = gate*sigmoid_gate
        y = value*where(gate > 0, grown*sigmoid_gate, silu_gate)

    Args:
        x: an array with the axes ... (s d), s of size 2.
        power: a constant, a finite number.

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
    if jnp.ndim(power) or not (
        isinstance(power, jax.Array) or -jnp.inf < float(power) < jnp.inf
    ):
        raise ValueError(f"power is {power}; pass a finite number")
    y = _layer(
        x.reshape(_product(rest), 2, d)[:, 0],
        x.reshape(_product(rest), 2, d)[:, 1],
        power,
    )
    return y.reshape((*rest, d))


@jax.custom_jvp
def _layer(gate, value, power):
    return _forward(gate, value, power)[0].astype(gate.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y = _layer(*inputs)
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[2:]):
        raise NotImplementedError("power: a constant of pow_glu has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, dots[:2])


def _forward(gate, value, power):
    """The outputs, and the numbers of each row that tangents read."""
    gate, value, power = _in_type(gate, value, power)
    base = jnp.where(gate > 0, gate, 1)  # step 1
    root_base = jnp.sqrt(base)  # step 2
    log_base = jnp.log(base)  # step 3
    u = log_base*power/(root_base + 1)  # step 4
    grown = jnp.exp(u)  # step 5
    sigmoid_gate = jax.nn.sigmoid(gate)  # step 6
    silu_gate = gate*sigmoid_gate  # step 7
    y = jnp.where(gate > 0, grown*sigmoid_gate, silu_gate)*value  # step 8
    return y, ()


def _tangents(made, inputs, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    gate, value, power = _in_type(*inputs)
    gate_dot, value_dot = [t if t is None else t.astype(gate.dtype) for t in dots]
    base = jnp.where(gate > 0, gate, 1)  # step 1
    root_base = jnp.sqrt(base)  # step 2
    log_base = jnp.log(base)  # step 3
    u = log_base*power/(root_base + 1)  # step 4
    grown = jnp.exp(u)  # step 5
    sigmoid_gate = jax.nn.sigmoid(gate)  # step 6
    silu_gate = gate*sigmoid_gate  # step 7
    y_dot = 0
    if gate_dot is not None:
        sigmoid_gate_dot = jax.nn.sigmoid(-gate)*gate_dot*sigmoid_gate  # step 31
        # step 40
        y_dot += (
            jnp.where(gate > 0, grown*value, gate*value)*sigmoid_gate_dot
            + jnp.where(
                gate > 0,
                (
                    1/base - 0.5*log_base/(root_base*(root_base + 1))
                )*grown*sigmoid_gate*value*power/(root_base + 1),
                sigmoid_gate*value,
            )*gate_dot
        )
    if value_dot is not None:
        y_dot += jnp.where(gate > 0, grown*sigmoid_gate, silu_gate)*value_dot  # step 40
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(gate, value, power):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, gate, value)
    return [jnp.asarray(u, dtype) for u in (gate, value, power)]


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
