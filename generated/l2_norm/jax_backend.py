# Made by lngen 0.1.0 from the definition of l2_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit l2_norm.py and run: lngen derive l2_norm.py
# definition sha256:be881d5f8129b557e1ec885ece4bbca58ee2c07dcc5dcc847ea2c74f37ffc252
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Each row divided by its Euclidean length.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["l2_norm"]


def l2_norm(x: jax.Array, *, eps: float = 1e-12) -> jax.Array:
    """Each row divided by its Euclidean length.

        sum_x2 = sum(x**2)
        rstd = 1/sqrt(sum_x2 + eps)
        y = rstd*x

    Args:
        x: shape (..., D).
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs. Raises TypeError for another type,
    ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _layer(x, eps)


@jax.custom_jvp
def _layer(x, eps):
    return _forward(x, eps)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[1:]):
        raise NotImplementedError("eps: a constant of l2_norm has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:1])


def _forward(x, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, eps = _in_type(x, eps)
    sum_x2 = jnp.sum(x**2, axis=-1, keepdims=True)  # step 1
    rstd = jax.lax.rsqrt(sum_x2 + eps)  # step 2
    y = x*rstd  # step 3
    return y, (rstd,)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, _ = _in_type(*inputs)
    rstd, = saved
    x_dot, = [t if t is None else t.astype(x.dtype) for t in dots]
    y_dot = 0
    if x_dot is not None:
        # step 14, pass 4: late scales
        sum_x_dot_y_unscaled = jnp.sum(x*x_dot, axis=-1, keepdims=True)
        sum_x_dot_y = rstd*sum_x_dot_y_unscaled  # step 14, pass 5: late scales
        y_dot += (x_dot - x*rstd*sum_x_dot_y)*rstd  # step 14, pass 6: late scales
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, eps):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x)
    return [jnp.asarray(u, dtype) for u in (x, eps)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
