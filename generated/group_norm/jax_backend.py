# Made by lngen 0.1.0 from the definition of group_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit group_norm.py and run: lngen derive group_norm.py
# definition sha256:be4c9f62e3e8e6c0a826c4f67f932375a07108af33c5786692cdce4563a49dbf
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Group normalization: each row is the channels of a group, with all that lies behind them.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import math

import jax
import jax.numpy as jnp

__all__ = ["group_norm"]


def group_norm(
    x: jax.Array,
    gamma: jax.Array | None = None,
    beta: jax.Array | None = None,
    *,
    eps: float = 1e-5,
    g: int = 32,
) -> jax.Array:
    """Group normalization: each row is the channels of a group, with all that lies behind them.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = beta + gamma*xhat

    Args:
        x: an array with the axes n (g c) ....
        gamma: an array with the axes (g c). If omitted it is 1.
        beta: an array with the axes (g c). If omitted it is 0.
        eps: a constant, a finite number of 0 or more.
        g: the number of parts of the axis (g c).

    Returns y in the type of the first rows. y is an array with the axes n (g c) ....
    The compute type is the widest among the inputs, and float32 for 16-bit inputs.
    Raises TypeError for another type, ValueError for a wrong shape.
    """
    g = _size("g", g)
    x = _floats("x", x)
    n, g_c, *rest = _axes("x", x, "n (g c) ...", 2, True)
    if g_c % g:
        raise ValueError(
            f"x has shape {x.shape}, and g = {g} does not divide its axis (g c) of {g_c}"
        )
    c = g_c // g
    gamma = None if gamma is None else _floats("gamma", gamma, (g*c,), "(g c)")
    beta = None if beta is None else _floats("beta", beta, (g*c,), "(g c)")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y = _layer(
        x.reshape(n, g, c, _product(rest)),
        None if gamma is None else gamma.reshape(1, g, c, 1),
        None if beta is None else beta.reshape(1, g, c, 1),
        eps,
    )
    return y.reshape((n, g*c, *rest))


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
        raise NotImplementedError("eps: a constant of group_norm has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:3])


def _forward(x, gamma, beta, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, gamma, beta, eps = _in_type(x, gamma, beta, eps)
    mu = jnp.mean(x, axis=(2, 3), keepdims=True)  # step 1
    x_shifted = x - mu  # step 2, pass 1: compensation
    mu_residual = jnp.mean(x_shifted, axis=(2, 3), keepdims=True)  # step 2, pass 2
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    var = jnp.mean(x_centred**2, axis=(2, 3), keepdims=True)  # step 3
    rstd = jax.lax.rsqrt(var + eps)  # step 4
    xhat = x_centred*rstd  # step 5
    y = beta + gamma*xhat  # step 6
    return y, (mu, mu_residual, rstd)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, gamma, _, _ = _in_type(*inputs)
    mu, mu_residual, rstd = saved
    x_dot, gamma_dot, beta_dot = [t if t is None else t.astype(x.dtype) for t in dots]
    x_shifted = x - mu  # step 2, pass 1: compensation
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    xhat = x_centred*rstd  # step 5
    y_dot = 0
    if x_dot is not None:
        mean_x_dot = jnp.mean(x_dot, axis=(2, 3), keepdims=True)  # step 28
        mean_x_dot_xhat = jnp.mean(x_dot*xhat, axis=(2, 3), keepdims=True)  # step 28
        y_dot += (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*gamma*rstd  # step 28
    if gamma_dot is not None:
        y_dot += gamma_dot*xhat  # step 28
    if beta_dot is not None:
        y_dot += beta_dot  # step 28
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


def _size(name, value):
    """The size of an axis."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}; pass the size of the axis, a whole number")
    if value.__index__() < 1:
        raise ValueError(f"{name} is {value}; pass 1 or more")
    return value.__index__()


def _axes(name, value, pattern, count, more=False):
    """The sizes of the axes of an array, of which there are so many, or more."""
    if value.ndim < count or (value.ndim > count and not more):
        raise ValueError(f"{name} has shape {value.shape}; pass an array with the axes {pattern}")
    return value.shape


def _product(sizes):
    return math.prod(sizes)
