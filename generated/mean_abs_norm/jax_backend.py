# Made by lngen 0.1.0 from the definition of mean_abs_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit mean_abs_norm.py and run: lngen derive mean_abs_norm.py
# definition sha256:4d0485795846979d07cc1fcca041bddbd1022408811c53dc83dfbd75389515f6
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Centred rows divided by their mean absolute deviation.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["mean_abs_norm"]


def mean_abs_norm(
    x: jax.Array,
    gamma: jax.Array | None = None,
    beta: jax.Array | None = None,
    *,
    eps: float = 1e-5,
) -> jax.Array:
    """Centred rows divided by their mean absolute deviation.

        mu = mean(x)
        spread = mean(abs(mu - x))
        scale = 1/(spread + eps)
        xhat = scale*(x - mu)
        y = gamma*xhat + beta

    Args:
        x: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        beta: one value per feature, shape (D,). If omitted it is 0.
        eps: a constant, a finite number.

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs. Raises TypeError for another type,
    ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    beta = None if beta is None else _floats("beta", beta, x.shape[-1:], "(D,)")
    if jnp.ndim(eps) or not (
        isinstance(eps, jax.Array) or -jnp.inf < float(eps) < jnp.inf
    ):
        raise ValueError(f"eps is {eps}; pass a finite number")
    return _layer(x, gamma, beta, eps)


@jax.custom_jvp
def _layer(x, gamma, beta, eps):
    return _forward(x, gamma, beta, eps)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[3:]):
        raise NotImplementedError("eps: a constant of mean_abs_norm has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:3])


def _forward(x, gamma, beta, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, gamma, beta, eps = _in_type(x, gamma, beta, eps)
    mu = jnp.mean(x, axis=-1, keepdims=True)  # step 1
    x_shifted = x - mu  # step 2, pass 1: compensation
    mu_residual = jnp.mean(x_shifted, axis=-1, keepdims=True)  # step 2, pass 2
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    spread = jnp.mean(jnp.abs(x_centred), axis=-1, keepdims=True)  # step 3
    scale = 1/(spread + eps)  # step 4
    xhat = x_centred*scale  # step 5
    y = xhat*gamma + beta  # step 6
    return y, (mu, mu_residual, scale)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, gamma, _, _ = _in_type(*inputs)
    mu, mu_residual, scale = saved
    x_dot, gamma_dot, beta_dot = [t if t is None else t.astype(x.dtype) for t in dots]
    x_shifted = x - mu  # step 2, pass 1: compensation
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    xhat = x_centred*scale  # step 5
    mean_xhat = jnp.mean(jnp.sign(xhat), axis=-1, keepdims=True)  # step 27
    y_dot = 0
    if x_dot is not None:
        mean_x_dot = jnp.mean(x_dot, axis=-1, keepdims=True)  # step 27
        # step 27
        mean_x_dot_xhat = jnp.mean(jnp.sign(xhat)*x_dot, axis=-1, keepdims=True)
        # step 27
        y_dot += (
            x_dot + (xhat*mean_xhat - 1)*mean_x_dot - xhat*mean_x_dot_xhat
        )*scale*gamma
    if gamma_dot is not None:
        y_dot += xhat*gamma_dot  # step 27
    if beta_dot is not None:
        y_dot += beta_dot  # step 27
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, gamma, beta, eps):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (x, gamma, beta) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    gamma, beta = 1 if gamma is None else gamma, 0 if beta is None else beta
    return [jnp.asarray(u, dtype) for u in (x, gamma, beta, eps)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
