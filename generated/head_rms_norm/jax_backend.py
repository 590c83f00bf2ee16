# Made by lngen 0.1.0 from the definition of head_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit head_rms_norm.py and run: lngen derive head_rms_norm.py
# definition sha256:7e0359aae72d76690e249ce1d9e65b6246897d78ecfc6734a211537b39636956
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Root-mean-square normalization of queries or keys, with a weight for each head.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["head_rms_norm"]


def head_rms_norm(
    x: jax.Array, weight: jax.Array | None = None, *, eps: float = 1e-6
) -> jax.Array:
    """Root-mean-square normalization of queries or keys, with a weight for each head.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = weight*xhat

    Args:
        x: an array with the axes b t h d.
        weight: an array with the axes h d. If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y is an array with the axes b t h d. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs. Raises
    TypeError for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    b, t, h, d = _axes("x", x, "b t h d", 4)
    weight = None if weight is None else _floats("weight", weight, (h, d), "(h d)")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y = _layer(
        x.reshape(b, t, h, d),
        None if weight is None else weight.reshape(1, 1, h, d),
        eps,
    )
    return y.reshape((b, t, h, d))


@jax.custom_jvp
def _layer(x, weight, eps):
    return _forward(x, weight, eps)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[2:]):
        raise NotImplementedError("eps: a constant of head_rms_norm has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:2])


def _forward(x, weight, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, weight, eps = _in_type(x, weight, eps)
    ms = jnp.mean(x**2, axis=3, keepdims=True)  # step 1
    rstd = jax.lax.rsqrt(ms + eps)  # step 2
    xhat = x*rstd  # step 3
    y = weight*xhat  # step 4
    return y, (rstd,)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, weight, _ = _in_type(*inputs)
    rstd, = saved
    x_dot, weight_dot = [t if t is None else t.astype(x.dtype) for t in dots]
    xhat = x*rstd  # step 3
    y_dot = 0
    if x_dot is not None:
        mean_x_dot_xhat = jnp.mean(x_dot*xhat, axis=3, keepdims=True)  # step 19
        y_dot += (x_dot - xhat*mean_x_dot_xhat)*weight*rstd  # step 19
    if weight_dot is not None:
        y_dot += weight_dot*xhat  # step 19
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, weight, eps):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *[u for u in (x, weight) if u is not None])
    weight = 1 if weight is None else weight
    return [jnp.asarray(u, dtype) for u in (x, weight, eps)]


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
