# Made by lngen 0.1.0 from the definition of offset_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit offset_rms_norm.py and run: lngen derive offset_rms_norm.py
# definition sha256:c56b98d30d242a1ef1de2edf2495bb754cd7157e1a73846038e36061105b9bee
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Root-mean-square normalization with a weight that is learned as its distance from one.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["offset_rms_norm"]


def offset_rms_norm(
    x: jax.Array, w: jax.Array | None = None, *, eps: float = 1e-6
) -> jax.Array:
    """Root-mean-square normalization with a weight that is learned as its distance from one.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = xhat*(1 + w)

    Args:
        x: shape (..., D).
        w: one value per feature, shape (D,). If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs. Raises TypeError for another type,
    ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    w = None if w is None else _floats("w", w, x.shape[-1:], "(D,)")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _layer(x, w, eps)


@jax.custom_jvp
def _layer(x, w, eps):
    return _forward(x, w, eps)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[2:]):
        raise NotImplementedError(
            "eps: a constant of offset_rms_norm has no derivative"
        )
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:2])


def _forward(x, w, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, w, eps = _in_type(x, w, eps)
    w_shifted = w + 1  # step 4, pass 1: once a row
    ms = jnp.mean(x**2, axis=-1, keepdims=True)  # step 1
    rstd = jax.lax.rsqrt(ms + eps)  # step 2
    xhat = x*rstd  # step 3
    y = xhat*w_shifted  # step 4, pass 2: once a row
    return y, (rstd,)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, w, _ = _in_type(*inputs)
    rstd, = saved
    x_dot, w_dot = [t if t is None else t.astype(x.dtype) for t in dots]
    w_shifted_2 = w + 1  # step 19, pass 9: once a row
    xhat = x*rstd  # step 3
    y_dot = 0
    if x_dot is not None:
        mean_x_dot_xhat = jnp.mean(x_dot*xhat, axis=-1, keepdims=True)  # step 19
        y_dot += (x_dot - xhat*mean_x_dot_xhat)*rstd*w_shifted_2  # step 19, pass 10
    if w_dot is not None:
        y_dot += xhat*w_dot  # step 19, pass 10: once a row
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, w, eps):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *[u for u in (x, w) if u is not None])
    w = 0 if w is None else w
    return [jnp.asarray(u, dtype) for u in (x, w, eps)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
