# Made by lngen 0.1.0 from the definition of dpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit dpo.py and run: lngen derive dpo.py
# definition sha256:10eb91beaf60f0e2cc089be78fb58745ca1f88e23e0686a53b2fedd2504fb169
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs.
"""

import jax
import jax.numpy as jnp

__all__ = ["dpo"]


def dpo(
    chosen: jax.Array,
    rejected: jax.Array,
    reference_chosen: jax.Array | None = None,
    reference_rejected: jax.Array | None = None,
    *,
    beta: float = 0.1,
    smoothing: float = 0.0,
) -> jax.Array:
    """Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed.

        total_2 = chosen - rejected - reference_chosen
        margin = beta*(reference_rejected + total_2)
        u = -margin
        softplus_u = softplus(u)
        softplus_margin = softplus(margin)
        y = smoothing*softplus_margin + softplus_u*(1 - smoothing)

    Args:
        chosen: shape (..., D).
        rejected: shape (..., D).
        reference_chosen: shape (..., D), without a gradient. If omitted it is 0.
        reference_rejected: shape (..., D), without a gradient. If omitted it is 0.
        beta: a constant, a finite number.
        smoothing: a constant, a finite number.

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
    if reference_chosen is not None:
        reference_chosen = _floats(
            "reference_chosen", reference_chosen, chosen.shape, "the shape of chosen"
        )
    if reference_rejected is not None:
        reference_rejected = _floats(
            "reference_rejected",
            reference_rejected,
            chosen.shape,
            "the shape of chosen",
        )
    if jnp.ndim(beta) or not (
        isinstance(beta, jax.Array) or -jnp.inf < float(beta) < jnp.inf
    ):
        raise ValueError(f"beta is {beta}; pass a finite number")
    if jnp.ndim(smoothing) or not (
        isinstance(smoothing, jax.Array) or -jnp.inf < float(smoothing) < jnp.inf
    ):
        raise ValueError(f"smoothing is {smoothing}; pass a finite number")
    return _layer(
        chosen, rejected, reference_chosen, reference_rejected, beta, smoothing
    )


@jax.custom_jvp
def _layer(chosen, rejected, reference_chosen, reference_rejected, beta, smoothing):
    return _forward(
        chosen, rejected, reference_chosen, reference_rejected, beta, smoothing
    )[0].astype(chosen.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y = _layer(*inputs)
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[4:]):
        raise NotImplementedError(
            "beta, smoothing: a constant of dpo has no derivative"
        )
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, dots[:2])


def _forward(chosen, rejected, reference_chosen, reference_rejected, beta, smoothing):
    """The outputs, and the numbers of each row that tangents read."""
    chosen, rejected, reference_chosen, reference_rejected, beta, smoothing = _in_type(
        chosen, rejected, reference_chosen, reference_rejected, beta, smoothing
    )
    total = chosen - rejected  # step 1
    total_2 = total - reference_chosen  # step 2
    margin = (reference_rejected + total_2)*beta  # step 3
    u = -margin  # step 4
    softplus_u = jax.nn.softplus(u)  # step 5
    softplus_margin = jax.nn.softplus(margin)  # step 6
    y = softplus_margin*smoothing + softplus_u*(1 - smoothing)  # step 7
    return y, ()


def _tangents(made, inputs, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    chosen, rejected, reference_chosen, reference_rejected, beta, smoothing = _in_type(
        *inputs
    )
    chosen_dot, rejected_dot = [
        t if t is None else t.astype(chosen.dtype) for t in dots
    ]
    total = chosen - rejected  # step 1
    total_2 = total - reference_chosen  # step 2
    margin = (reference_rejected + total_2)*beta  # step 3
    u = -margin  # step 4
    margin_dot = 0
    y_dot = 0
    if chosen_dot is not None:
        margin_dot += chosen_dot*beta  # step 22
    if rejected_dot is not None:
        margin_dot += -rejected_dot*beta  # step 22
    if chosen_dot is not None or rejected_dot is not None:
        softplus_u_dot = -jax.nn.sigmoid(u)*margin_dot  # step 25
        # step 28
        y_dot += (
            softplus_u_dot
            + (jax.nn.sigmoid(margin)*margin_dot - softplus_u_dot)*smoothing
        )
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(chosen, rejected, reference_chosen, reference_rejected, beta, smoothing):
    """The inputs in the widest of their types, or float32."""
    given = [
        u for u in (chosen, rejected, reference_chosen, reference_rejected)
        if u is not None
    ]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    reference_chosen = 0 if reference_chosen is None else reference_chosen
    reference_rejected = 0 if reference_rejected is None else reference_rejected
    return [
        jnp.asarray(u, dtype) for u
        in (chosen, rejected, reference_chosen, reference_rejected, beta, smoothing)
    ]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
