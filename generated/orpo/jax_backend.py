# Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit orpo.py and run: lngen derive orpo.py
# Open: exp overflows where chosen is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
# definition sha256:3284c8cca3259d74e91a382ff15e2ccb66b3e98016374b546e341efab7cfa61d
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Odds ratio preference optimization of a pair, from mean log-probabilities of tokens, which are below 0.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs.
"""

import jax
import jax.numpy as jnp

__all__ = ["orpo"]


def orpo(chosen: jax.Array, rejected: jax.Array, *, weight: float = 0.1) -> jax.Array:
    """Odds ratio preference optimization of a pair, from mean log-probabilities of tokens, which are below 0.

        expm1_chosen = expm1(chosen)
        u = -expm1_chosen
        log_u = log(u)
        total_2 = chosen - rejected - log_u
        expm1_rejected = expm1(rejected)
        u_2 = -expm1_rejected
        log_u_2 = log(u_2)
        odds = total_2 + log_u_2
        u_3 = -odds
        softplus_u_3 = softplus(u_3)
        y = weight*softplus_u_3 - chosen

    Args:
        chosen: shape (..., D).
        rejected: shape (..., D).
        weight: a constant, a finite number.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError for
    another type, ValueError for a wrong shape.
    """
    chosen = _floats("chosen", chosen)
    if chosen.ndim < 1 or chosen.shape[-1] < 1:
        raise ValueError(
            f"chosen has shape {chosen.shape}; pass (..., D) with D of 1 or more"
        )
    rejected = _floats("rejected", rejected, chosen.shape, "the shape of chosen")
    if jnp.ndim(weight) or not (
        isinstance(weight, jax.Array) or -jnp.inf < float(weight) < jnp.inf
    ):
        raise ValueError(f"weight is {weight}; pass a finite number")
    return _layer(chosen, rejected, weight)


@jax.custom_jvp
def _layer(chosen, rejected, weight):
    return _forward(chosen, rejected, weight)[0].astype(chosen.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y = _layer(*inputs)
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[2:]):
        raise NotImplementedError("weight: a constant of orpo has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, dots[:2])


def _forward(chosen, rejected, weight):
    """The outputs, and the numbers of each row that tangents read."""
    chosen, rejected, weight = _in_type(chosen, rejected, weight)
    total = chosen - rejected  # step 1
    expm1_chosen = jnp.expm1(chosen)  # step 2
    u = -expm1_chosen  # step 3
    log_u = jnp.log(u)  # step 4
    total_2 = total - log_u  # step 5
    expm1_rejected = jnp.expm1(rejected)  # step 6
    u_2 = -expm1_rejected  # step 7
    log_u_2 = jnp.log(u_2)  # step 8
    odds = log_u_2 + total_2  # step 9
    u_3 = -odds  # step 10
    softplus_u_3 = jax.nn.softplus(u_3)  # step 11
    y = softplus_u_3*weight - chosen  # step 12
    return y, ()


def _tangents(made, inputs, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    chosen, rejected, weight = _in_type(*inputs)
    chosen_dot, rejected_dot = [
        t if t is None else t.astype(chosen.dtype) for t in dots
    ]
    total = chosen - rejected  # step 1
    expm1_chosen = jnp.expm1(chosen)  # step 2
    u = -expm1_chosen  # step 3
    log_u = jnp.log(u)  # step 4
    total_2 = total - log_u  # step 5
    expm1_rejected = jnp.expm1(rejected)  # step 6
    u_2 = -expm1_rejected  # step 7
    log_u_2 = jnp.log(u_2)  # step 8
    odds = log_u_2 + total_2  # step 9
    u_3 = -odds  # step 10
    y_dot = 0
    if chosen_dot is not None:
        # step 52
        y_dot += (-1 - jnp.exp(chosen)/u)*jax.nn.sigmoid(
            u_3
        )*chosen_dot*weight - chosen_dot
    if rejected_dot is not None:
        # step 52
        y_dot += (jnp.exp(rejected)/u_2 + 1)*jax.nn.sigmoid(u_3)*rejected_dot*weight
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(chosen, rejected, weight):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, chosen, rejected)
    return [jnp.asarray(u, dtype) for u in (chosen, rejected, weight)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
