# Made by lngen 0.1.0 from the definition of kto; derivation.md has its steps, cost and evidence.
# Do not edit; edit kto.py and run: lngen derive kto.py
# definition sha256:de3dd6915e49139667037ffff069c8b13cc968ee4570928de49e68a89bba5cb0
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs.
"""

import jax
import jax.numpy as jnp

__all__ = ["kto"]


def kto(
    logp: jax.Array,
    reference: jax.Array,
    desirable: jax.Array,
    divergence: jax.Array | None = None,
    *,
    beta: float = 0.1,
    gain: float = 1.0,
    loss: float = 1.0,
) -> jax.Array:
    """Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability.

        reward = logp - reference - divergence
        u = -beta*reward
        sigmoid_u = sigmoid(u)
        u_2 = beta*reward
        sigmoid_u_2 = sigmoid(u_2)
        y = where(desirable > 0, gain*sigmoid_u, loss*sigmoid_u_2)

    Args:
        logp: shape (..., D).
        reference: shape (..., D), without a gradient.
        desirable: integers of shape (..., D).
        divergence: shape (..., D), without a gradient. If omitted it is 0.
        beta: a constant, a finite number.
        gain: a constant, a finite number.
        loss: a constant, a finite number.

    Returns y in the type of logp. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs. Raises TypeError for another type,
    ValueError for a wrong shape.
    """
    logp = _floats("logp", logp)
    if logp.ndim < 1 or logp.shape[-1] < 1:
        raise ValueError(
            f"logp has shape {logp.shape}; pass (..., D) with D of 1 or more"
        )
    reference = _floats("reference", reference, logp.shape, "the shape of logp")
    desirable = _integers("desirable", desirable, logp.shape, "the shape of logp")
    if divergence is not None:
        divergence = _floats("divergence", divergence, logp.shape, "the shape of logp")
    if jnp.ndim(beta) or not (
        isinstance(beta, jax.Array) or -jnp.inf < float(beta) < jnp.inf
    ):
        raise ValueError(f"beta is {beta}; pass a finite number")
    if jnp.ndim(gain) or not (
        isinstance(gain, jax.Array) or -jnp.inf < float(gain) < jnp.inf
    ):
        raise ValueError(f"gain is {gain}; pass a finite number")
    if jnp.ndim(loss) or not (
        isinstance(loss, jax.Array) or -jnp.inf < float(loss) < jnp.inf
    ):
        raise ValueError(f"loss is {loss}; pass a finite number")
    return _layer(logp, reference, desirable, divergence, beta, gain, loss)


@jax.custom_jvp
def _layer(logp, reference, desirable, divergence, beta, gain, loss):
    return _forward(logp, reference, desirable, divergence, beta, gain, loss)[0].astype(
        logp.dtype
    )


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y = _layer(*inputs)
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[4:]):
        raise NotImplementedError(
            "beta, gain, loss: a constant of kto has no derivative"
        )
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, dots[:1])


def _forward(logp, reference, desirable, divergence, beta, gain, loss):
    """The outputs, and the numbers of each row that tangents read."""
    logp, reference, desirable, divergence, beta, gain, loss = _in_type(
        logp, reference, desirable, divergence, beta, gain, loss
    )
    total = logp - reference  # step 1
    reward = total - divergence  # step 2
    u = -reward*beta  # step 3
    sigmoid_u = jax.nn.sigmoid(u)  # step 4
    u_2 = reward*beta  # step 5
    sigmoid_u_2 = jax.nn.sigmoid(u_2)  # step 6
    y = jnp.where(desirable > 0, sigmoid_u*gain, sigmoid_u_2*loss)  # step 7
    return y, ()


def _tangents(made, inputs, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    logp, reference, desirable, divergence, beta, gain, loss = _in_type(*inputs)
    logp_dot, = [t if t is None else t.astype(logp.dtype) for t in dots]
    total = logp - reference  # step 1
    reward = total - divergence  # step 2
    u = -reward*beta  # step 3
    sigmoid_u = jax.nn.sigmoid(u)  # step 4
    u_2 = reward*beta  # step 5
    sigmoid_u_2 = jax.nn.sigmoid(u_2)  # step 6
    y_dot = 0
    if logp_dot is not None:
        # step 30
        y_dot += jnp.where(
            desirable > 0,
            -(1 - sigmoid_u)*sigmoid_u*beta*gain,
            (1 - sigmoid_u_2)*sigmoid_u_2*beta*loss,
        )*logp_dot
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(logp, reference, desirable, divergence, beta, gain, loss):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (logp, reference, divergence) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    divergence = 0 if divergence is None else divergence
    logp, reference, divergence, beta, gain, loss = [
        jnp.asarray(u, dtype) for u in (logp, reference, divergence, beta, gain, loss)
    ]
    return (logp, reference, desirable, divergence, beta, gain, loss)


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value


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
