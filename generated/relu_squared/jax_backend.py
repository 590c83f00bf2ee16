# Made by lngen 0.1.0 from the definition of relu_squared; derivation.md has its steps, cost and evidence.
# Do not edit; edit relu_squared.py and run: lngen derive relu_squared.py
# definition sha256:1f4d0bba06106d2d5bde084978ce875d350faebb4f3e03c44c88b41f8d56b117
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Square of the positive part.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs.
"""

import jax
import jax.numpy as jnp

__all__ = ["relu_squared"]


def relu_squared(x: jax.Array) -> jax.Array:
    """Square of the positive part.

        y = where(x <= 0, 0, x)**2

    Args:
        x: shape (..., D).

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs. Raises TypeError for another type,
    ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    return _layer(x)


@jax.custom_jvp
def _layer(x):
    return _forward(x)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y = _layer(*inputs)
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, dots[:1])


def _forward(x):
    """The outputs, and the numbers of each row that tangents read."""
    x, = _in_type(x)
    y = jnp.where(x <= 0, 0, x)**2  # step 1
    return y, ()


def _tangents(made, inputs, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, = _in_type(*inputs)
    x_dot, = [t if t is None else t.astype(x.dtype) for t in dots]
    y_dot = 0
    if x_dot is not None:
        y_dot += jnp.where(x <= 0, 0, 2*x)*x_dot  # step 3
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x)
    return [jnp.asarray(u, dtype) for u in (x,)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
