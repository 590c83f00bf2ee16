# Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit orpo.py and run: lngen derive orpo.py
# definition sha256:cc81b3740291ed2a581da419d3b2894348bcf23301b624bcf39f7119e5818169
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs.
"""

import jax
import jax.numpy as jnp

__all__ = ["orpo"]


def orpo(
    chosen: jax.Array, rejected: jax.Array, *, weight: float = 0.1, least: float = 1e-7
) -> jax.Array:
    """Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.

        c = where(chosen >= -least, -least, chosen)
        r = where(rejected >= -least, -least, rejected)
        expm1_c = expm1(c)
        u = -expm1_c
        log_u = log(u)
        total_2 = c - r - log_u
        expm1_r = expm1(r)
        u_2 = -expm1_r
        log_u_2 = log(u_2)
        odds = total_2 + log_u_2
        u_3 = -odds
        softplus_u_3 = softplus(u_3)
        y = weight*softplus_u_3 - c

    Args:
        chosen: shape (..., D).
        rejected: shape (..., D).
        weight: a constant, a finite number.
        least: a constant, a finite number of 0 or more.

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
    if jnp.ndim(least) or not (
        isinstance(least, jax.Array) or 0 <= float(least) < jnp.inf
    ):
        raise ValueError(f"least is {least}; pass a finite number of 0 or more")
    return _layer(chosen, rejected, weight, least)


@jax.custom_jvp
def _layer(chosen, rejected, weight, least):
    return _forward(chosen, rejected, weight, least)[0].astype(chosen.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y = _layer(*inputs)
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[2:]):
        raise NotImplementedError("weight, least: a constant of orpo has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, dots[:2])


def _forward(chosen, rejected, weight, least):
    """The outputs, and the numbers of each row that tangents read."""
    chosen, rejected, weight, least = _in_type(chosen, rejected, weight, least)
    c = jnp.where(chosen >= -least, -least, chosen)  # step 1
    r = jnp.where(rejected >= -least, -least, rejected)  # step 2
    total = c - r  # step 3
    expm1_c = jnp.expm1(c)  # step 4
    u = -expm1_c  # step 5
    log_u = jnp.log(u)  # step 6
    total_2 = total - log_u  # step 7
    expm1_r = jnp.expm1(r)  # step 8
    u_2 = -expm1_r  # step 9
    log_u_2 = jnp.log(u_2)  # step 10
    odds = log_u_2 + total_2  # step 11
    u_3 = -odds  # step 12
    softplus_u_3 = jax.nn.softplus(u_3)  # step 13
    y = softplus_u_3*weight - c  # step 14
    return y, ()


def _tangents(made, inputs, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    chosen, rejected, weight, least = _in_type(*inputs)
    chosen_dot, rejected_dot = [
        t if t is None else t.astype(chosen.dtype) for t in dots
    ]
    c = jnp.where(chosen >= -least, -least, chosen)  # step 1
    r = jnp.where(rejected >= -least, -least, rejected)  # step 2
    total = c - r  # step 3
    expm1_c = jnp.expm1(c)  # step 4
    u = -expm1_c  # step 5
    log_u = jnp.log(u)  # step 6
    total_2 = total - log_u  # step 7
    expm1_r = jnp.expm1(r)  # step 8
    u_2 = -expm1_r  # step 9
    log_u_2 = jnp.log(u_2)  # step 10
    odds = log_u_2 + total_2  # step 11
    u_3 = -odds  # step 12
    y_dot = 0
    if chosen_dot is not None:
        c_dot = jnp.where(chosen >= -least, 0, chosen_dot)  # step 36
    if rejected_dot is not None:
        r_dot = jnp.where(rejected >= -least, 0, rejected_dot)  # step 37
        # step 61
        y_dot += jax.nn.sigmoid(u_3)*(
            jnp.where(rejected >= -least, 0, jnp.exp(r)/u_2) + 1
        )*r_dot*weight
    if chosen_dot is not None:
        # step 61
        y_dot += (
            jax.nn.sigmoid(u_3)*(
                jnp.where(chosen >= -least, 0, -jnp.exp(c)/u) - 1
            )*c_dot*weight
            - c_dot
        )
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(chosen, rejected, weight, least):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, chosen, rejected)
    return [jnp.asarray(u, dtype) for u in (chosen, rejected, weight, least)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
