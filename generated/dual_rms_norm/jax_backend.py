# Made by lngen 0.1.0 from the definition of dual_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dual_rms_norm.py and run: lngen derive dual_rms_norm.py
# definition sha256:e689ee1c158bbc0dca0d29a1556c92f1e9714db62885e477d177bd5c9c3a13db
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""A norm after a block, its residual added, and the norm before the next block, in one pass.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["dual_rms_norm"]


def dual_rms_norm(
    x: jax.Array,
    residual: jax.Array,
    after: jax.Array | None = None,
    before: jax.Array | None = None,
    *,
    eps: float = 1e-6,
) -> tuple[jax.Array, jax.Array]:
    """A norm after a block, its residual added, and the norm before the next block, in one pass.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        r = residual + after*xhat
        var = mean(r**2)
        rstd_2 = 1/sqrt(var + eps)
        rhat = rstd_2*r
        y = before*rhat

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        after: one value per feature, shape (D,). If omitted it is 1.
        before: one value per feature, shape (D,). If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, r)` in the type of the first rows. y has shape (..., D); r has shape
    (..., D). The compute type is the widest among the inputs, and float32 for 16-bit
    inputs. Raises TypeError for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    residual = _floats("residual", residual, x.shape, "the shape of x")
    after = None if after is None else _floats("after", after, x.shape[-1:], "(D,)")
    before = None if before is None else _floats("before", before, x.shape[-1:], "(D,)")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y, r = _layer(x, residual, after, before, eps)
    return y, r


@jax.custom_jvp
def _layer(x, residual, after, before, eps):
    return tuple(
        u.astype(x.dtype) for u in _forward(x, residual, after, before, eps)[0]
    )


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    made, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[4:]):
        raise NotImplementedError("eps: a constant of dual_rms_norm has no derivative")
    return (
        made,
        jax.checkpoint(_tangents, prevent_cse=False)(made, inputs, saved, dots[:4]),
    )


def _forward(x, residual, after, before, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, residual, after, before, eps = _in_type(x, residual, after, before, eps)
    ms = jnp.mean(x**2, axis=-1, keepdims=True)  # step 1
    rstd = jax.lax.rsqrt(ms + eps)  # step 2
    xhat = x*rstd  # step 3
    r = residual + xhat*after  # step 4
    var = jnp.mean(r**2, axis=-1, keepdims=True)  # step 5
    rstd_2 = jax.lax.rsqrt(var + eps)  # step 6
    rhat = r*rstd_2  # step 7
    y = rhat*before  # step 8
    return (y, r), (rstd, rstd_2)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, residual, after, before, _ = _in_type(*inputs)
    rstd, rstd_2 = saved
    x_dot, residual_dot, after_dot, before_dot = [
        t if t is None else t.astype(x.dtype) for t in dots
    ]
    xhat = x*rstd  # step 3
    r = residual + xhat*after  # step 4
    rhat = r*rstd_2  # step 7
    r_dot = 0
    y_dot = 0
    if x_dot is not None:
        mean_x_dot_xhat = jnp.mean(x_dot*xhat, axis=-1, keepdims=True)  # step 31
        r_dot += (x_dot - xhat*mean_x_dot_xhat)*rstd*after  # step 31
    if after_dot is not None:
        r_dot += xhat*after_dot  # step 31
    if residual_dot is not None:
        r_dot += residual_dot  # step 31
    if x_dot is not None or residual_dot is not None or after_dot is not None:
        mean_r_dot_rhat = jnp.mean(r_dot*rhat, axis=-1, keepdims=True)  # step 38
        y_dot += (r_dot - rhat*mean_r_dot_rhat)*rstd_2*before  # step 38
    if before_dot is not None:
        y_dot += rhat*before_dot  # step 38
    return tuple(map(_like, made, (y_dot, r_dot)))


def _in_type(x, residual, after, before, eps):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (x, residual, after, before) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    after, before = 1 if after is None else after, 1 if before is None else before
    return [jnp.asarray(u, dtype) for u in (x, residual, after, before, eps)]


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
