# Made by lngen 0.1.0 from the definition of power_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit power_norm.py and run: lngen derive power_norm.py
# definition sha256:d6d0fc6bae35d5792aeb8c53905b405fb3e2898585401f4972ed378df0d03a22
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Each row divided by its mean fourth power, to the power 1/4.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["power_norm"]


def power_norm(
    x: jax.Array, gamma: jax.Array | None = None, *, eps: float = 1e-5
) -> jax.Array:
    """Each row divided by its mean fourth power, to the power 1/4.

        mean_x4 = mean(x**4)
        scale = 1/(mean_x4 + eps)**(1/4)
        xhat = scale*x
        y = gamma*xhat

    Args:
        x: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs. Raises TypeError for another type,
    ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _layer(x, gamma, eps)


@jax.custom_jvp
def _layer(x, gamma, eps):
    return _forward(x, gamma, eps)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[2:]):
        raise NotImplementedError("eps: a constant of power_norm has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:2])


def _forward(x, gamma, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, gamma, eps = _in_type(x, gamma, eps)
    mean_x4 = jnp.mean(x**4, axis=-1, keepdims=True)  # step 1
    scale = 1/(mean_x4 + eps)**0.25  # step 2
    xhat = x*scale  # step 3
    y = xhat*gamma  # step 4
    return y, (scale,)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, gamma, _ = _in_type(*inputs)
    scale, = saved
    x_dot, gamma_dot = [t if t is None else t.astype(x.dtype) for t in dots]
    xhat = x*scale  # step 3
    y_dot = 0
    if x_dot is not None:
        mean_x_dot_xhat = jnp.mean(x_dot*xhat**3, axis=-1, keepdims=True)  # step 19
        y_dot += (x_dot - xhat*mean_x_dot_xhat)*scale*gamma  # step 19
    if gamma_dot is not None:
        y_dot += xhat*gamma_dot  # step 19
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, gamma, eps):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *[u for u in (x, gamma) if u is not None])
    gamma = 1 if gamma is None else gamma
    return [jnp.asarray(u, dtype) for u in (x, gamma, eps)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
