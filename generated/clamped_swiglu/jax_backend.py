# Made by lngen 0.1.0 from the definition of clamped_swiglu; derivation.md has its steps, cost and evidence.
# Do not edit; edit clamped_swiglu.py and run: lngen derive clamped_swiglu.py
# definition sha256:a1eeafff1ca861c41d2291655187f6c840acb032a1cf459ebfed94cf35e2d959
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs.
"""

import math

import jax
import jax.numpy as jnp

__all__ = ["clamped_swiglu"]


def clamped_swiglu(
    x: jax.Array, *, alpha: float = 1.702, limit: float = 7.0
) -> jax.Array:
    """SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.

        x_0 = at(x, s=0)
        x_1 = at(x, s=1)
        gate = where(x_0 >= limit, limit, x_0)
        value = where(where(x_1 <= -limit, -limit, x_1) >= limit, limit, where(x_1 <= -limit, -limit, x_1))
        u = alpha*gate
        sigmoid_u = sigmoid(u)
        y = gate*sigmoid_u*(1 + value)

    Args:
        x: an array with the axes ... (d s), s of size 2.
        alpha: a constant, a finite number.
        limit: a constant, a finite number.

    Returns y in the type of x. y is an array with the axes ... d. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError for
    another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    *rest, d_s = _axes("x", x, "... (d s)", 1, True)
    if d_s % 2:
        raise ValueError(
            f"x has shape {x.shape}, and s = {2} does not divide its axis (d s) of {d_s}"
        )
    d = d_s // 2
    if jnp.ndim(alpha) or not (
        isinstance(alpha, jax.Array) or -jnp.inf < float(alpha) < jnp.inf
    ):
        raise ValueError(f"alpha is {alpha}; pass a finite number")
    if jnp.ndim(limit) or not (
        isinstance(limit, jax.Array) or -jnp.inf < float(limit) < jnp.inf
    ):
        raise ValueError(f"limit is {limit}; pass a finite number")
    y = _layer(
        x.reshape(_product(rest), d, 2)[:, :, 0],
        x.reshape(_product(rest), d, 2)[:, :, 1],
        alpha,
        limit,
    )
    return y.reshape((*rest, d))


@jax.custom_jvp
def _layer(x_0, x_1, alpha, limit):
    return _forward(x_0, x_1, alpha, limit)[0].astype(x_0.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y = _layer(*inputs)
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[2:]):
        raise NotImplementedError(
            "alpha, limit: a constant of clamped_swiglu has no derivative"
        )
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, dots[:2])


def _forward(x_0, x_1, alpha, limit):
    """The outputs, and the numbers of each row that tangents read."""
    x_0, x_1, alpha, limit = _in_type(x_0, x_1, alpha, limit)
    gate = jnp.where(x_0 >= limit, limit, x_0)  # step 1
    # step 2
    value = jnp.where(
        jnp.where(x_1 <= -limit, -limit, x_1) >= limit,
        limit,
        jnp.where(x_1 <= -limit, -limit, x_1),
    )
    u = gate*alpha  # step 3
    sigmoid_u = jax.nn.sigmoid(u)  # step 4
    y = gate*sigmoid_u*(value + 1)  # step 5
    return y, ()


def _tangents(made, inputs, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x_0, x_1, alpha, limit = _in_type(*inputs)
    x_0_dot, x_1_dot = [t if t is None else t.astype(x_0.dtype) for t in dots]
    gate = jnp.where(x_0 >= limit, limit, x_0)  # step 1
    # step 2
    value = jnp.where(
        jnp.where(x_1 <= -limit, -limit, x_1) >= limit,
        limit,
        jnp.where(x_1 <= -limit, -limit, x_1),
    )
    u = gate*alpha  # step 3
    sigmoid_u = jax.nn.sigmoid(u)  # step 4
    y_dot = 0
    if x_0_dot is not None:
        gate_dot = jnp.where(x_0 >= limit, 0, x_0_dot)  # step 18
        # step 26
        y_dot += (value + (1 - sigmoid_u)*gate*(value + 1)*alpha + 1)*gate_dot*sigmoid_u
    if x_1_dot is not None:
        # step 26
        y_dot += jnp.where(
            jnp.where(x_1 <= -limit, -limit, x_1) >= limit,
            0,
            jnp.where(x_1 <= -limit, 0, gate),
        )*sigmoid_u*x_1_dot
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x_0, x_1, alpha, limit):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x_0, x_1)
    return [jnp.asarray(u, dtype) for u in (x_0, x_1, alpha, limit)]


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
