# Made by lngen 0.1.0 from the definition of dynamic_tanh; derivation.md has its steps, cost and evidence.
# Do not edit; edit dynamic_tanh.py and run: lngen derive dynamic_tanh.py
# definition sha256:091e289ab11f5b517245a13e0694d534d90fa4906bd45ab74bac27ad83ffcdd9
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Dynamic tanh: an elementwise layer in the place of a norm.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs.
"""

import jax
import jax.numpy as jnp

__all__ = ["dynamic_tanh"]


def dynamic_tanh(
    x: jax.Array,
    alpha: float | jax.Array | None = None,
    gamma: jax.Array | None = None,
    beta: jax.Array | None = None,
) -> jax.Array:
    """Dynamic tanh: an elementwise layer in the place of a norm.

        u = alpha*x
        t = tanh(u)
        y = gamma*t + beta

    Args:
        x: shape (..., D).
        alpha: a number or an array without axes. If omitted it is 0.5.
        gamma: one value per feature, shape (D,). If omitted it is 1.
        beta: one value per feature, shape (D,). If omitted it is 0.

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs. Raises TypeError for another type,
    ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    alpha = None if alpha is None else _number("alpha", alpha)
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    beta = None if beta is None else _floats("beta", beta, x.shape[-1:], "(D,)")
    return _layer(x, alpha, gamma, beta)


@jax.custom_jvp
def _layer(x, alpha, gamma, beta):
    return _forward(x, alpha, gamma, beta)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y = _layer(*inputs)
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, dots[:4])


def _forward(x, alpha, gamma, beta):
    """The outputs, and the numbers of each row that tangents read."""
    x, alpha, gamma, beta = _in_type(x, alpha, gamma, beta)
    u = x*alpha  # step 1
    t = jnp.tanh(u)  # step 2
    y = t*gamma + beta  # step 3
    return y, ()


def _tangents(made, inputs, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, alpha, gamma, _ = _in_type(*inputs)
    x_dot, alpha_dot, gamma_dot, beta_dot = [
        t if t is None else t.astype(x.dtype) for t in dots
    ]
    u = x*alpha  # step 1
    t_ = jnp.tanh(u)  # step 2
    y_dot = 0
    if gamma_dot is not None:
        y_dot += t_*gamma_dot  # step 17
    if alpha_dot is not None:
        y_dot += (1 - t_)*(t_ + 1)*x*gamma*alpha_dot  # step 17
    if x_dot is not None:
        y_dot += (1 - t_)*(t_ + 1)*x_dot*gamma*alpha  # step 17
    if beta_dot is not None:
        y_dot += beta_dot  # step 17
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, alpha, gamma, beta):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (x, alpha, gamma, beta) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    alpha = 0.5 if alpha is None else alpha
    gamma = 1 if gamma is None else gamma
    beta = 0 if beta is None else beta
    return [jnp.asarray(u, dtype) for u in (x, alpha, gamma, beta)]


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
