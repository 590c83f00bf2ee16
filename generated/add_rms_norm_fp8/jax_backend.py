# Made by lngen 0.1.0 from the definition of add_rms_norm_fp8; derivation.md has its steps, cost and evidence.
# Do not edit; edit add_rms_norm_fp8.py and run: lngen derive add_rms_norm_fp8.py
# definition sha256:5aef838d49315f20df6ec44f510eb282dcbeb512e23a4b2c402e97d0c6dbcbde
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows, and an output.
"""

import jax
import jax.numpy as jnp

__all__ = ["add_rms_norm_fp8"]


def add_rms_norm_fp8(
    x: jax.Array,
    residual: jax.Array,
    gamma: jax.Array | None = None,
    scale: float | jax.Array | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[jax.Array, jax.Array]:
    """Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.

        h = x + residual
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*h
        y = gamma*xhat/scale

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        scale: a number or an array without axes. If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, h)` in the type of the first rows. y has shape (..., D), rounded to
    float8_e4m3fn; h has shape (..., D). The compute type is the widest among the
    inputs, and float32 for 16-bit inputs. Raises TypeError for another type, ValueError
    for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    residual = _floats("residual", residual, x.shape, "the shape of x")
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    scale = None if scale is None else _number("scale", scale)
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y, h = _layer(x, residual, gamma, scale, eps)
    return y, h


@jax.custom_jvp
def _layer(x, residual, gamma, scale, eps):
    return _forward(x, residual, gamma, scale, eps)[0]


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    made, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[4:]):
        raise NotImplementedError(
            "eps: a constant of add_rms_norm_fp8 has no derivative"
        )
    moved = jax.checkpoint(_tangents, prevent_cse=False)(
        inputs, (made[1],), saved, dots[:4]
    )
    return made, tuple(map(_like, made, moved))


def _forward(x, residual, gamma, scale, eps):
    """The outputs, and the numbers of each row that tangents read."""
    stored = x.dtype
    x, residual, gamma, scale, eps = _in_type(x, residual, gamma, scale, eps)
    scale_shifted = 1/scale  # step 5, pass 1: once a row
    h = residual + x  # step 1
    ms = jnp.mean(h**2, axis=-1, keepdims=True)  # step 2
    rstd = jax.lax.rsqrt(ms + eps)  # step 3
    xhat = h*rstd  # step 4
    y = xhat*gamma*scale_shifted  # step 5, pass 2: once a row
    return (_cast(y, jnp.float8_e4m3fn), h.astype(stored)), (rstd,)


def _tangents(inputs, outputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, _, gamma, scale, _ = _in_type(*inputs)
    h, = [u.astype(x.dtype) for u in outputs]
    rstd, = saved
    x_dot, residual_dot, gamma_dot, scale_dot = [
        t if t is None else t.astype(x.dtype) for t in dots
    ]
    scale_shifted_2 = 1/scale  # step 26, pass 15: once a row
    xhat = h*rstd  # step 4
    h_dot = 0
    y_dot = 0
    if scale_dot is not None:
        scale_dot_scaled = scale_dot/scale  # step 26, pass 16: once a row
    if residual_dot is not None:
        h_dot += residual_dot  # step 18
    if x_dot is not None:
        h_dot += x_dot  # step 18
    if x_dot is not None or residual_dot is not None:
        mean_h_dot_xhat = jnp.mean(h_dot*xhat, axis=-1, keepdims=True)  # step 26
        # step 26, pass 17: once a row
        y_dot += (
            h_dot*rstd*gamma*scale_shifted_2
            - xhat*mean_h_dot_xhat*rstd*gamma*scale_shifted_2
        )
    if gamma_dot is not None:
        y_dot += xhat*gamma_dot*scale_shifted_2  # step 26, pass 17: once a row
    if scale_dot is not None:
        y_dot += -xhat*gamma*scale_dot_scaled*scale_shifted_2  # step 26, pass 17
    return y_dot, h_dot


def _in_type(x, residual, gamma, scale, eps):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (x, residual, gamma, scale) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    gamma, scale = 1 if gamma is None else gamma, 1 if scale is None else scale
    return [jnp.asarray(u, dtype) for u in (x, residual, gamma, scale, eps)]


def _like(made, tangent):
    """The tangent of an output, in its shape and type."""
    if not jnp.issubdtype(made.dtype, jnp.floating):
        return jax.custom_derivatives.zero_from_primal(made)
    return jnp.zeros_like(made) + jnp.asarray(tangent, made.dtype)


def _cast(values, dtype):
    """Values rounded to a type, the nearest that it has."""
    if jnp.issubdtype(dtype, jnp.integer):
        values = jnp.where(jnp.isnan(values), 0, jnp.round(values))
        limits = jnp.iinfo(dtype)
    else:
        limits = jnp.finfo(dtype)
    return jnp.clip(values, float(limits.min), float(limits.max)).astype(dtype)


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value


def _number(name, value):
    """A number; one of Python's makes no type wider."""
    value = float(value) if type(value) is int else value
    return _floats(name, value, (), "a number or a 0-d one")
