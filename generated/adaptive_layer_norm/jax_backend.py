# Made by lngen 0.1.0 from the definition of adaptive_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Layer normalization with a scale and a shift for every entry, from elsewhere.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["adaptive_layer_norm"]


def adaptive_layer_norm(
    x: jax.Array, scale: jax.Array, shift: jax.Array, *, eps: float = 1e-6
) -> jax.Array:
    """Layer normalization with a scale and a shift for every entry, from elsewhere.

        mu = mean(x)
        var = mean((x - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(x - mu)
        y = shift + xhat*(1 + scale)

    Args:
        x: shape (..., D).
        scale: shape (..., D).
        shift: shape (..., D).
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError for
    another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    scale = _floats("scale", scale, x.shape, "the shape of x")
    shift = _floats("shift", shift, x.shape, "the shape of x")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _layer(x, scale, shift, eps)


@jax.custom_jvp
def _layer(x, scale, shift, eps):
    return _forward(x, scale, shift, eps)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[3:]):
        raise NotImplementedError(
            "eps: a constant of adaptive_layer_norm has no derivative"
        )
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:3])


def _forward(x, scale, shift, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, scale, shift, eps = _in_type(x, scale, shift, eps)
    mu = jnp.mean(x, axis=-1, keepdims=True)  # step 1
    x_shifted = x - mu  # step 2, pass 1: compensation
    mu_residual = jnp.mean(x_shifted, axis=-1, keepdims=True)  # step 2, pass 2
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    var = jnp.mean(x_centred**2, axis=-1, keepdims=True)  # step 3
    rstd = jax.lax.rsqrt(var + eps)  # step 4
    xhat = x_centred*rstd  # step 5
    y = shift + (scale + 1)*xhat  # step 6
    return y, (mu, mu_residual, rstd)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, scale, _, _ = _in_type(*inputs)
    mu, mu_residual, rstd = saved
    x_dot, scale_dot, shift_dot = [t if t is None else t.astype(x.dtype) for t in dots]
    x_shifted = x - mu  # step 2, pass 1: compensation
    x_centred = x_shifted - mu_residual  # step 2, pass 3: compensation
    xhat = x_centred*rstd  # step 5
    y_dot = 0
    if x_dot is not None:
        mean_x_dot = jnp.mean(x_dot, axis=-1, keepdims=True)  # step 28
        mean_x_dot_xhat = jnp.mean(x_dot*xhat, axis=-1, keepdims=True)  # step 28
        y_dot += (x_dot - mean_x_dot - xhat*mean_x_dot_xhat)*(scale + 1)*rstd  # step 28
    if scale_dot is not None:
        y_dot += scale_dot*xhat  # step 28
    if shift_dot is not None:
        y_dot += shift_dot  # step 28
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, scale, shift, eps):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x, scale, shift)
    return [jnp.asarray(u, dtype) for u in (x, scale, shift, eps)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
