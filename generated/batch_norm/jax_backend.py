# Made by lngen 0.1.0 from the definition of batch_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit batch_norm.py and run: lngen derive batch_norm.py
# definition sha256:14798db06e5e073fb2ec54315a33ae245abfa2e5986666888a3b9cfa54af6ae8
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import math

import jax
import jax.numpy as jnp

__all__ = ["batch_norm"]


def batch_norm(
    x: jax.Array,
    gamma: jax.Array | None = None,
    beta: jax.Array | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Batch normalization as in training: each row is one channel of all samples. Its mean and variance are outputs.

        mu = mean(x)
        x_centred = x - mu
        var = mean(x_centred**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*x_centred
        y = gamma*xhat + beta

    Args:
        x: an array with the axes n c ....
        gamma: an array with the axes c. If omitted it is 1.
        beta: an array with the axes c. If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, mu, var)` in the type of x. y is an array with the axes n c ...; mu is
    an array with the axes c; var is an array with the axes c. The compute type is the
    widest among the inputs, and float32 for 16-bit inputs. Raises TypeError for another
    type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    n, c, *rest = _axes("x", x, "n c ...", 2, True)
    gamma = None if gamma is None else _floats("gamma", gamma, (c,), "(c)")
    beta = None if beta is None else _floats("beta", beta, (c,), "(c)")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y, mu, var = _layer(
        x.reshape(n, c, _product(rest)),
        None if gamma is None else gamma.reshape(1, c, 1),
        None if beta is None else beta.reshape(1, c, 1),
        eps,
    )
    return y.reshape((n, c, *rest)), mu.reshape((c,)), var.reshape((c,))


@jax.custom_jvp
def _layer(x, gamma, beta, eps):
    return tuple(u.astype(x.dtype) for u in _forward(x, gamma, beta, eps)[0])


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    made, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[3:]):
        raise NotImplementedError("eps: a constant of batch_norm has no derivative")
    return (
        made,
        jax.checkpoint(_tangents, prevent_cse=False)(made, inputs, saved, dots[:3]),
    )


def _forward(x, gamma, beta, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, gamma, beta, eps = _in_type(x, gamma, beta, eps)
    mu = jnp.mean(x, axis=(0, 2), keepdims=True)  # step 1
    mu_saved = mu  # step 1, pass 1: saved apart
    x_shifted = x - mu  # step 2, pass 2: compensation
    mu_residual = jnp.mean(x_shifted, axis=(0, 2), keepdims=True)  # step 2, pass 3
    x_centred = x_shifted - mu_residual  # step 2, pass 4: compensation
    var = jnp.mean(x_centred**2, axis=(0, 2), keepdims=True)  # step 3
    rstd = jax.lax.rsqrt(var + eps)  # step 4
    y = x_centred*gamma*rstd + beta  # step 6, pass 5: late scales
    return (y, mu, var), (mu_saved, mu_residual, rstd)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, gamma, _, _ = _in_type(*inputs)
    _, mu_residual, rstd = saved
    x_dot, gamma_dot, beta_dot = [t if t is None else t.astype(x.dtype) for t in dots]
    mu = jnp.mean(x, axis=(0, 2), keepdims=True)  # step 1
    x_shifted = x - mu  # step 2, pass 2: compensation
    x_centred = x_shifted - mu_residual  # step 2, pass 4: compensation
    mu_dot = 0
    var_dot = 0
    y_dot = 0
    if x_dot is not None:
        mu_dot += jnp.mean(x_dot, axis=(0, 2), keepdims=True)  # step 21
        x_centred_dot = x_dot - mu_dot  # step 22
        # step 23
        var_dot += jnp.mean(2*x_centred*x_centred_dot, axis=(0, 2), keepdims=True)
        rstd_dot = -0.5*rstd**3*var_dot  # step 25
        xhat_dot = x_centred_dot*rstd + x_centred*rstd_dot  # step 26
        y_dot += xhat_dot*gamma  # step 27, pass 23: late scales
    if gamma_dot is not None:
        y_dot += x_centred*gamma_dot*rstd  # step 27, pass 23: late scales
    if beta_dot is not None:
        y_dot += beta_dot  # step 27, pass 23: late scales
    return tuple(map(_like, made, (y_dot, mu_dot, var_dot)))


def _in_type(x, gamma, beta, eps):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (x, gamma, beta) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    gamma, beta = 1 if gamma is None else gamma, 0 if beta is None else beta
    return [jnp.asarray(u, dtype) for u in (x, gamma, beta, eps)]


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


def _axes(name, value, pattern, count, more=False):
    """The sizes of the axes of an array, of which there are so many, or more."""
    if value.ndim < count or (value.ndim > count and not more):
        raise ValueError(f"{name} has shape {value.shape}; pass an array with the axes {pattern}")
    return value.shape


def _product(sizes):
    return math.prod(sizes)
