# Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["focal_loss"]


def focal_loss(x: jax.Array, label: jax.Array, *, gamma: float = 2.0) -> jax.Array:
    """Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        logp = x - m - log_Z
        logpt = sum(where(index() == label, logp, 0))
        expm1_logpt = expm1(logpt)
        power_expm1_logpt = (-expm1_logpt)**gamma
        y = -logpt*power_expm1_logpt

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        gamma: a constant, a finite number of 0 or more.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError
    for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    if jnp.ndim(gamma) or not (
        isinstance(gamma, jax.Array) or 0 <= float(gamma) < jnp.inf
    ):
        raise ValueError(f"gamma is {gamma}; pass a finite number of 0 or more")
    y = _layer(x, label[..., None], gamma)
    return y[..., 0]


@jax.custom_jvp
def _layer(x, label, gamma):
    return _forward(x, label, gamma)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[2:]):
        raise NotImplementedError("gamma: a constant of focal_loss has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:1])


def _forward(x, label, gamma):
    """The outputs, and the numbers of each row that tangents read."""
    x, label, gamma = _in_type(x, label, gamma)
    dtype, shape = x.dtype, x.shape
    D = shape[-1]
    index = jnp.arange(D)
    largest = jnp.finfo(dtype).max
    m = jnp.clip(jnp.max(x, axis=-1, keepdims=True), -largest, largest)  # step 1
    x_shifted = x - m  # step 2
    exp_shifted = jnp.exp(x_shifted)  # step 3
    Z = jnp.sum(exp_shifted, axis=-1, keepdims=True)  # step 4
    log_Z = jnp.log(Z)  # step 5
    logp = x_shifted - log_Z  # step 6
    # step 7
    logpt = jnp.sum(jnp.where(index == label, logp, 0), axis=-1, keepdims=True)
    expm1_logpt = jnp.expm1(logpt)  # step 8
    power_expm1_logpt = (-expm1_logpt)**gamma  # step 9
    y = -logpt*power_expm1_logpt  # step 10
    return y, (m, Z, logpt, expm1_logpt, power_expm1_logpt)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, label, gamma = _in_type(*inputs)
    shape = x.shape
    m, Z, logpt, expm1_logpt, power_expm1_logpt = saved
    x_dot, = [t if t is None else t.astype(x.dtype) for t in dots]
    D = shape[-1]
    index = jnp.arange(D)
    logpt_shifted = jnp.exp(logpt)  # step 45, pass 5: once a row
    x_shifted = x - m  # step 2
    exp_shifted = jnp.exp(x_shifted)  # step 3
    y_dot = 0
    if x_dot is not None:
        # step 38, pass 6: written out
        sum_exp_shifted_x_dot = jnp.sum(exp_shifted*x_dot, axis=-1, keepdims=True)
        log_Z_dot = sum_exp_shifted_x_dot/Z  # step 38, pass 7: written out
        # step 45
        sum_index_x_dot = jnp.sum(
            jnp.where(index == label, x_dot - log_Z_dot, 0), axis=-1, keepdims=True
        )
        # step 45, pass 8: once a row
        sum_index_x_dot_2 = jnp.sum(
            jnp.where(index == label, logpt_shifted, 0)*x_dot
            + jnp.where(index == label, -logpt_shifted, 0)*log_Z_dot,
            axis=-1,
            keepdims=True,
        )
        # step 45
        y_dot += (
            jnp.where(
                gamma == 0, 0, (-expm1_logpt)**(gamma - 1)*logpt*gamma
            )*sum_index_x_dot_2
            - power_expm1_logpt*sum_index_x_dot
        )
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, label, gamma):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x)
    x, gamma = [jnp.asarray(u, dtype) for u in (x, gamma)]
    return (x, label, gamma)


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
