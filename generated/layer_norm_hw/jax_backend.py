# Made by lngen 0.1.0 from the definition of layer_norm_hw; derivation.md has its steps, cost and evidence.
# Do not edit; edit layer_norm_hw.py and run: lngen derive layer_norm_hw.py
# definition sha256:820341dbb321c98a68dda84fc5e386d68c2212161398163fcba0fbded2818e32
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Layer normalization over two axes, with a scale and a shift for every place.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import math

import jax
import jax.numpy as jnp

__all__ = ["layer_norm_hw"]


def layer_norm_hw(
    x: jax.Array,
    gamma: jax.Array | None = None,
    beta: jax.Array | None = None,
    *,
    eps: float = 1e-5,
) -> jax.Array:
    """Layer normalization over two axes, with a scale and a shift for every place.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = gamma*xhat + beta

    Args:
        x: an array with the axes ... h w.
        gamma: an array with the axes h w. If omitted it is 1.
        beta: an array with the axes h w. If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of x. y is an array with the axes ... h w. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError for
    another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    *rest, h, w = _axes("x", x, "... h w", 2, True)
    gamma = None if gamma is None else _floats("gamma", gamma, (h, w), "(h w)")
    beta = None if beta is None else _floats("beta", beta, (h, w), "(h w)")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y = _layer(
        x.reshape(_product(rest), h, w),
        None if gamma is None else gamma.reshape(1, h, w),
        None if beta is None else beta.reshape(1, h, w),
        eps,
    )
    return y.reshape((*rest, h, w))


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
        raise NotImplementedError("eps: a constant of layer_norm_hw has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:3])


def _forward(x, gamma, beta, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, gamma, beta, eps = _in_type(x, gamma, beta, eps)
    mu = jnp.mean(x, axis=(1, 2), keepdims=True)  # step 1
    x_shifted = x - mu  # step 2, pass 1: compensation
    mu_residual = jnp.mean(x_shifted, axis=(1, 2), keepdims=True)  # step 2, pass 2
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    var = jnp.mean(x_centred**2, axis=(1, 2), keepdims=True)  # step 3
    rstd = jax.lax.rsqrt(var + eps)  # step 4
    xhat = x_centred*rstd  # step 5
    y = xhat*gamma + beta  # step 6
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
        mean_x_dot = jnp.mean(x_dot, axis=(1, 2), keepdims=True)  # step 28
        mean_x_dot_xhat = jnp.mean(x_dot*xhat, axis=(1, 2), keepdims=True)  # step 28
        y_dot += (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*rstd*gamma  # step 28
    if gamma_dot is not None:
        y_dot += xhat*gamma_dot  # step 28
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


def _axes(name, value, pattern, count, more=False):
    """The sizes of the axes of an array, of which there are so many, or more."""
    if value.ndim < count or (value.ndim > count and not more):
        raise ValueError(f"{name} has shape {value.shape}; pass an array with the axes {pattern}")
    return value.shape


def _product(sizes):
    return math.prod(sizes)
