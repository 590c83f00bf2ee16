# Made by lngen 0.1.0 from the definition of standardize; derivation.md has its steps, cost and evidence.
# Do not edit; edit standardize.py and run: lngen derive standardize.py
# definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Rows of mean zero and unbiased variance one, without parameters.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["standardize"]


def standardize(x: jax.Array, *, eps: float = 1e-5) -> jax.Array:
    """Rows of mean zero and unbiased variance one, without parameters.

        mu = mean(x)
        sum_x2 = sum((x - mu)**2)
        rstd = 1/sqrt(sum_x2/(D - 1) + eps)
        y = rstd*(x - mu)

    Args:
        x: shape (..., D).
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs. Raises TypeError for another type,
    ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 2:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 2 or more")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _layer(x, eps)


@jax.custom_jvp
def _layer(x, eps):
    return _forward(x, eps)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[1:]):
        raise NotImplementedError("eps: a constant of standardize has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:1])


def _forward(x, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, eps = _in_type(x, eps)
    shape = x.shape
    D = shape[-1]
    mu = jnp.mean(x, axis=-1, keepdims=True)  # step 1
    x_shifted = x - mu  # step 2, pass 1: compensation
    mu_residual = jnp.mean(x_shifted, axis=-1, keepdims=True)  # step 2, pass 2
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    sum_x2 = jnp.sum(x_centred**2, axis=-1, keepdims=True)  # step 3
    rstd = jax.lax.rsqrt(sum_x2/(D - 1) + eps)  # step 4
    y = x_centred*rstd  # step 5
    return y, (mu, mu_residual, rstd)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, _ = _in_type(*inputs)
    shape = x.shape
    mu, mu_residual, rstd = saved
    x_dot, = [t if t is None else t.astype(x.dtype) for t in dots]
    D = shape[-1]
    x_shifted = x - mu  # step 2, pass 1: compensation
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    y_dot = 0
    if x_dot is not None:
        mean_x_dot = jnp.mean(x_dot, axis=-1, keepdims=True)  # step 22
        # step 22, pass 13: late scales
        sum_x_dot_y_unscaled = jnp.sum(x_centred*x_dot, axis=-1, keepdims=True)
        sum_x_dot_y = rstd*sum_x_dot_y_unscaled  # step 22, pass 14: late scales
        sum_x_dot_y_scaled = sum_x_dot_y/(D - 1)  # step 22, pass 15: once a row
        # step 22, pass 16: late scales
        y_dot += (x_dot - mean_x_dot - x_centred*rstd*sum_x_dot_y_scaled)*rstd
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, eps):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x)
    return [jnp.asarray(u, dtype) for u in (x, eps)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
