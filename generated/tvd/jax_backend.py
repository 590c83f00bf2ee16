# Made by lngen 0.1.0 from the definition of tvd; derivation.md has its steps, cost and evidence.
# Do not edit; edit tvd.py and run: lngen derive tvd.py
# definition sha256:531a69e0531c8d084bce4e7dc397809639b91913c16cd826b7e28806ee2c4e04
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Total variation distance of a teacher's and a student's softmax, one number a row.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["tvd"]


def tvd(x: jax.Array, teacher: jax.Array) -> jax.Array:
    """Total variation distance of a teacher's and a student's softmax, one number a row.

        m_2 = max(x)
        e_shifted = exp(x - m_2)
        m = max(teacher)
        t_shifted = exp(teacher - m)
        Z = sum(e_shifted)
        inv_Z = 1/Z
        q = inv_Z*e_shifted
        Z_2 = sum(t_shifted)
        inv_Z_2 = 1/Z_2
        p = inv_Z_2*t_shifted
        sum_abs = sum(abs(p - q))
        y = sum_abs/2

    Args:
        x: shape (..., D).
        teacher: shape (..., D), without a gradient.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError
    for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    teacher = _floats("teacher", teacher, x.shape, "the shape of x")
    y = _layer(x, teacher)
    return y[..., 0]


@jax.custom_jvp
def _layer(x, teacher):
    return _forward(x, teacher)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:1])


def _forward(x, teacher):
    """The outputs, and the numbers of each row that tangents read."""
    x, teacher = _in_type(x, teacher)
    dtype = x.dtype
    largest = jnp.finfo(dtype).max
    m_2 = jnp.clip(jnp.max(x, axis=-1, keepdims=True), -largest, largest)  # step 1
    m = jnp.clip(jnp.max(teacher, axis=-1, keepdims=True), -largest, largest)  # step 4
    x_shifted = x - m_2  # step 2
    e_shifted = jnp.exp(x_shifted)  # step 3
    teacher_shifted = teacher - m  # step 5
    t_shifted = jnp.exp(teacher_shifted)  # step 6
    Z = jnp.sum(e_shifted, axis=-1, keepdims=True)  # step 7
    Z_2 = jnp.sum(t_shifted, axis=-1, keepdims=True)  # step 10
    inv_Z = 1/Z  # step 8
    inv_Z_2 = 1/Z_2  # step 11
    q = e_shifted*inv_Z  # step 9
    p = t_shifted*inv_Z_2  # step 12
    sum_abs = jnp.sum(jnp.abs(p - q), axis=-1, keepdims=True)  # step 13
    y = 0.5*sum_abs  # step 14
    return y, (m_2, m, inv_Z, inv_Z_2)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, teacher = _in_type(*inputs)
    shape = x.shape
    m_2, m, inv_Z, inv_Z_2 = saved
    x_dot, = [t if t is None else t.astype(x.dtype) for t in dots]
    D = shape[-1]
    x_shifted = x - m_2  # step 2
    e_shifted = jnp.exp(x_shifted)  # step 3
    teacher_shifted = teacher - m  # step 5
    t_shifted = jnp.exp(teacher_shifted)  # step 6
    q = e_shifted*inv_Z  # step 9
    p = t_shifted*inv_Z_2  # step 12
    mean_p_q = jnp.mean(q*jnp.sign(p - q), axis=-1, keepdims=True)  # step 49
    y_dot = 0
    if x_dot is not None:
        # step 49
        mean_p_q_x_dot = jnp.mean(q*jnp.sign(p - q)*x_dot, axis=-1, keepdims=True)
        sum_q_x_dot = jnp.sum(q*x_dot, axis=-1, keepdims=True)  # step 49
        y_dot += (0.5*mean_p_q*sum_q_x_dot - 0.5*mean_p_q_x_dot)*D  # step 49
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, teacher):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x, teacher)
    return [jnp.asarray(u, dtype) for u in (x, teacher)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
