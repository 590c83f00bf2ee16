# Made by lngen 0.1.0 from the definition of grpo; derivation.md has its steps, cost and evidence.
# Do not edit; edit grpo.py and run: lngen derive grpo.py
# Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
# definition sha256:1f54ed30e40de676bb31762c061d94a1572e98e67b48b22e19344b45bf6572eb
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Loss of a token by group relative policy optimization, from its logits; with low and high apart it is DAPO's.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["grpo"]


def grpo(
    x: jax.Array,
    label: jax.Array,
    advantage: jax.Array,
    old: jax.Array,
    reference: jax.Array,
    *,
    low: float = 0.2,
    high: float = 0.2,
    beta: float = 0.04,
) -> jax.Array:
    """Loss of a token by group relative policy optimization, from its logits; with low and high apart it is DAPO's.

        m_2 = max(x)
        exp_shifted = exp(x - m_2)
        Z = sum(exp_shifted)
        sum_where_x = sum(where(index() == label, x, 0))
        log_Z = log(Z)
        ratio = exp(sum_where_x - old - m_2 - log_Z)
        gained = where(advantage*ratio < advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)), advantage*ratio, advantage*where(where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high, 1 + high, where(ratio <= 1 - low, 1 - low, ratio)))
        expm1_log_Z_m_2 = expm1(reference + m_2 + log_Z - sum_where_x)
        y = beta*(sum_where_x + expm1_log_Z_m_2 - reference - m_2 - log_Z) - gained

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        advantage: one value per row, shape x.shape[:-1], without a gradient.
        old: one value per row, shape x.shape[:-1], without a gradient.
        reference: one value per row, shape x.shape[:-1], without a gradient.
        low: a constant, a finite number.
        high: a constant, a finite number.
        beta: a constant, a finite number.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError
    for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    advantage = _floats("advantage", advantage, x.shape[:-1], "x.shape[:-1]")
    old = _floats("old", old, x.shape[:-1], "x.shape[:-1]")
    reference = _floats("reference", reference, x.shape[:-1], "x.shape[:-1]")
    if jnp.ndim(low) or not (
        isinstance(low, jax.Array) or -jnp.inf < float(low) < jnp.inf
    ):
        raise ValueError(f"low is {low}; pass a finite number")
    if jnp.ndim(high) or not (
        isinstance(high, jax.Array) or -jnp.inf < float(high) < jnp.inf
    ):
        raise ValueError(f"high is {high}; pass a finite number")
    if jnp.ndim(beta) or not (
        isinstance(beta, jax.Array) or -jnp.inf < float(beta) < jnp.inf
    ):
        raise ValueError(f"beta is {beta}; pass a finite number")
    y = _layer(
        x,
        label[..., None],
        advantage[..., None],
        old[..., None],
        reference[..., None],
        low,
        high,
        beta,
    )
    return y[..., 0]


@jax.custom_jvp
def _layer(x, label, advantage, old, reference, low, high, beta):
    return _forward(x, label, advantage, old, reference, low, high, beta)[0].astype(
        x.dtype
    )


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[5:]):
        raise NotImplementedError(
            "low, high, beta: a constant of grpo has no derivative"
        )
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:1])


def _forward(x, label, advantage, old, reference, low, high, beta):
    """The outputs, and the numbers of each row that tangents read."""
    x, label, advantage, old, reference, low, high, beta = _in_type(
        x, label, advantage, old, reference, low, high, beta
    )
    dtype, shape = x.dtype, x.shape
    D = shape[-1]
    index = jnp.arange(D)
    largest = jnp.finfo(dtype).max
    m_2 = jnp.clip(jnp.max(x, axis=-1, keepdims=True), -largest, largest)  # step 2
    # step 6
    sum_where_x = jnp.sum(jnp.where(index == label, x, 0), axis=-1, keepdims=True)
    sum_where_x_shifted = sum_where_x - m_2  # step 6, pass 1: offsets
    x_shifted = x - m_2  # step 3
    exp_shifted = jnp.exp(x_shifted)  # step 4
    Z = jnp.sum(exp_shifted, axis=-1, keepdims=True)  # step 5
    log_Z = jnp.log(Z)  # step 7
    ratio = jnp.exp(sum_where_x_shifted - log_Z - old)  # step 8, pass 2: offsets
    # step 9
    gained = jnp.where(
        advantage*ratio
        < jnp.where(
            jnp.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
            1 + high,
            jnp.where(ratio <= 1 - low, 1 - low, ratio),
        )*advantage,
        advantage*ratio,
        jnp.where(
            jnp.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
            1 + high,
            jnp.where(ratio <= 1 - low, 1 - low, ratio),
        )*advantage,
    )
    # step 10, pass 3: offsets
    expm1_log_Z_m_2 = jnp.expm1(log_Z + reference - sum_where_x_shifted)
    # step 11, pass 4: offsets
    y = (expm1_log_Z_m_2 + sum_where_x_shifted - log_Z - reference)*beta - gained
    return y, (m_2, Z, log_Z, sum_where_x_shifted, ratio)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, label, advantage, _, reference, low, high, beta = _in_type(*inputs)
    shape = x.shape
    m_2, Z, log_Z, sum_where_x_shifted, ratio = saved
    x_dot, = [t if t is None else t.astype(x.dtype) for t in dots]
    D = shape[-1]
    index = jnp.arange(D)
    x_shifted = x - m_2  # step 3
    exp_shifted = jnp.exp(x_shifted)  # step 4
    y_dot = 0
    if x_dot is not None:
        exp_shifted_dot = exp_shifted*x_dot  # step 26
        # step 36
        mean_index_x_dot = jnp.mean(
            jnp.where(index == label, x_dot, 0), axis=-1, keepdims=True
        )
        # step 36
        mean_exp_shifted_dot = jnp.mean(exp_shifted_dot, axis=-1, keepdims=True)
        # step 36
        sum_index_x_dot = jnp.sum(
            jnp.where(index == label, ratio, 0)*x_dot, axis=-1, keepdims=True
        )
        sum_exp_shifted_dot = mean_exp_shifted_dot*D  # step 36, pass 9
        # step 36, pass 10: offsets
        y_dot += (
            (
                mean_index_x_dot
                + (mean_exp_shifted_dot/Z - mean_index_x_dot)*jnp.exp(
                    log_Z + reference - sum_where_x_shifted
                )
                - mean_exp_shifted_dot/Z
            )*D*beta
            + jnp.where(
                advantage*ratio
                < jnp.where(
                    jnp.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                    1 + high,
                    jnp.where(ratio <= 1 - low, 1 - low, ratio),
                )*advantage,
                -advantage,
                jnp.where(
                    jnp.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                    0,
                    jnp.where(ratio <= 1 - low, 0, -advantage),
                ),
            )*sum_index_x_dot
            + jnp.where(
                advantage*ratio
                < jnp.where(
                    jnp.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                    1 + high,
                    jnp.where(ratio <= 1 - low, 1 - low, ratio),
                )*advantage,
                advantage*ratio/Z,
                jnp.where(
                    jnp.where(ratio <= 1 - low, 1 - low, ratio) >= 1 + high,
                    0,
                    jnp.where(ratio <= 1 - low, 0, advantage*ratio/Z),
                ),
            )*sum_exp_shifted_dot
        )
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, label, advantage, old, reference, low, high, beta):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x, advantage, old, reference)
    x, advantage, old, reference, low, high, beta = [
        jnp.asarray(u, dtype) for u in (x, advantage, old, reference, low, high, beta)
    ]
    return (x, label, advantage, old, reference, low, high, beta)


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
