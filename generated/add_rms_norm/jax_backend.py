# Made by lngen 0.1.0 from the definition of add_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm.py and run: lngen derive add_rms_norm.py
# definition sha256:fa124934f3795c8fc356e5824de4f79467b8dcb3e62483f277a8b5707d439871
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Residual addition, then root-mean-square normalization; the sum is the second output.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows, and an output.
"""

import jax
import jax.numpy as jnp

__all__ = ["add_rms_norm"]


def add_rms_norm(
    x: jax.Array,
    residual: jax.Array,
    gamma: jax.Array | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[jax.Array, jax.Array]:
    """Residual addition, then root-mean-square normalization; the sum is the second output.

        h = x + residual
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*h
        y = gamma*xhat

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
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
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y, h = _layer(x, residual, gamma, eps)
    return y, h


@jax.custom_jvp
def _layer(x, residual, gamma, eps):
    return tuple(u.astype(x.dtype) for u in _forward(x, residual, gamma, eps)[0])


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    made, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[3:]):
        raise NotImplementedError("eps: a constant of add_rms_norm has no derivative")
    return (
        made,
        jax.checkpoint(_tangents, prevent_cse=False)(
            made, inputs, (made[1],), saved, dots[:3]
        ),
    )


def _forward(x, residual, gamma, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, residual, gamma, eps = _in_type(x, residual, gamma, eps)
    h = residual + x  # step 1
    ms = jnp.mean(h**2, axis=-1, keepdims=True)  # step 2
    rstd = jax.lax.rsqrt(ms + eps)  # step 3
    xhat = h*rstd  # step 4
    y = xhat*gamma  # step 5
    return (y, h), (rstd,)


def _tangents(made, inputs, outputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, _, gamma, _ = _in_type(*inputs)
    h, = [u.astype(x.dtype) for u in outputs]
    rstd, = saved
    x_dot, residual_dot, gamma_dot = [
        t if t is None else t.astype(x.dtype) for t in dots
    ]
    xhat = h*rstd  # step 4
    h_dot = 0
    y_dot = 0
    if residual_dot is not None:
        h_dot += residual_dot  # step 15
    if x_dot is not None:
        h_dot += x_dot  # step 15
    if x_dot is not None or residual_dot is not None:
        mean_h_dot_xhat = jnp.mean(h_dot*xhat, axis=-1, keepdims=True)  # step 22
        y_dot += (h_dot - xhat*mean_h_dot_xhat)*rstd*gamma  # step 22
    if gamma_dot is not None:
        y_dot += xhat*gamma_dot  # step 22
    return tuple(map(_like, made, (y_dot, h_dot)))


def _in_type(x, residual, gamma, eps):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (x, residual, gamma) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    gamma = 1 if gamma is None else gamma
    return [jnp.asarray(u, dtype) for u in (x, residual, gamma, eps)]


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
