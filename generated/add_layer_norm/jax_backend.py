# Made by lngen 0.1.0 from the definition of add_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_layer_norm.py and run: lngen derive add_layer_norm.py
# definition sha256:5b296a32e179163d4bd7e66a21ffc438f44c088ec183b4fd53228aa661aa5d69
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Residual addition, then layer normalization; the sum is the second output.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows, and an output.
"""

import jax
import jax.numpy as jnp

__all__ = ["add_layer_norm"]


def add_layer_norm(
    x: jax.Array,
    residual: jax.Array,
    gamma: jax.Array | None = None,
    beta: jax.Array | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[jax.Array, jax.Array]:
    """Residual addition, then layer normalization; the sum is the second output.

        h = x + residual
        mu = mean(h)
        var = mean((h - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(h - mu)
        y = gamma*xhat + beta

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        beta: one value per feature, shape (D,). If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, h)` in the type of the first rows. y has shape (..., D); h has shape
    (..., D). The compute type is the widest among the inputs, and float32 for 16-bit
    inputs. Raises TypeError for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    residual = _floats("residual", residual, x.shape, "the shape of x")
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    beta = None if beta is None else _floats("beta", beta, x.shape[-1:], "(D,)")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y, h = _layer(x, residual, gamma, beta, eps)
    return y, h


@jax.custom_jvp
def _layer(x, residual, gamma, beta, eps):
    return tuple(u.astype(x.dtype) for u in _forward(x, residual, gamma, beta, eps)[0])


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    made, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[4:]):
        raise NotImplementedError("eps: a constant of add_layer_norm has no derivative")
    return (
        made,
        jax.checkpoint(_tangents, prevent_cse=False)(
            made, inputs, (made[1],), saved, dots[:4]
        ),
    )


def _forward(x, residual, gamma, beta, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, residual, gamma, beta, eps = _in_type(x, residual, gamma, beta, eps)
    h = residual + x  # step 1
    mu = jnp.mean(h, axis=-1, keepdims=True)  # step 2
    h_shifted = h - mu  # step 3, pass 1: compensation
    mu_residual = jnp.mean(h_shifted, axis=-1, keepdims=True)  # step 3, pass 2
    h_centred = h_shifted - mu_residual  # step 3, pass 3: compensation
    var = jnp.mean(h_centred**2, axis=-1, keepdims=True)  # step 4
    rstd = jax.lax.rsqrt(var + eps)  # step 5
    xhat = h_centred*rstd  # step 6
    y = xhat*gamma + beta  # step 7
    return (y, h), (mu, mu_residual, rstd)


def _tangents(made, inputs, outputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, _, gamma, _, _ = _in_type(*inputs)
    h, = [u.astype(x.dtype) for u in outputs]
    mu, mu_residual, rstd = saved
    x_dot, residual_dot, gamma_dot, beta_dot = [
        t if t is None else t.astype(x.dtype) for t in dots
    ]
    h_shifted = h - mu  # step 3, pass 1: compensation
    h_centred = h_shifted - mu_residual  # step 3, pass 3: compensation
    xhat = h_centred*rstd  # step 6
    h_dot = 0
    y_dot = 0
    if residual_dot is not None:
        h_dot += residual_dot  # step 22
    if x_dot is not None:
        h_dot += x_dot  # step 22
    if x_dot is not None or residual_dot is not None:
        mean_h_dot = jnp.mean(h_dot, axis=-1, keepdims=True)  # step 31
        mean_h_dot_xhat = jnp.mean(h_dot*xhat, axis=-1, keepdims=True)  # step 31
        y_dot += (h_dot - mean_h_dot - xhat*mean_h_dot_xhat)*rstd*gamma  # step 31
    if gamma_dot is not None:
        y_dot += xhat*gamma_dot  # step 31
    if beta_dot is not None:
        y_dot += beta_dot  # step 31
    return tuple(map(_like, made, (y_dot, h_dot)))


def _in_type(x, residual, gamma, beta, eps):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (x, residual, gamma, beta) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    gamma, beta = 1 if gamma is None else gamma, 0 if beta is None else beta
    return [jnp.asarray(u, dtype) for u in (x, residual, gamma, beta, eps)]


def _like(made, tangent):
    """The tangent of an output, in its shape and type."""
    return jnp.zeros_like(made) + jnp.asarray(tangent, made.dtype)


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
