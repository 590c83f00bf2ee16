# Made by lngen 0.1.0 from the definition of distillation; derivation.md has its steps, cost and evidence.
# Do not edit; edit distillation.py and run: lngen derive distillation.py
# definition sha256:605c03732e301937a46144ac717739a27c6327286eedf29e8b15c84beaabe5d7
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Cross entropy of a label, and divergence from a teacher's softmax at a temperature, one number a row.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["distillation"]


def distillation(
    x: jax.Array,
    teacher: jax.Array,
    label: jax.Array,
    *,
    temperature: float = 2.0,
    share: float = 0.5,
) -> jax.Array:
    """Cross entropy of a label, and divergence from a teacher's softmax at a temperature, one number a row.

        sum_where_x = sum(where(index() == label, x, 0))
        m_3 = max(x)
        exp_shifted = exp(x - m_3)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        u = x/temperature
        v = teacher/temperature
        m = max(u)
        exp_shifted_2 = exp(u - m)
        Z_2 = sum(exp_shifted_2)
        log_Z_2 = log(Z_2)
        logq = u - m - log_Z_2
        m_2 = max(v)
        exp_shifted_3 = exp(v - m_2)
        Z_3 = sum(exp_shifted_3)
        log_Z_3 = log(Z_3)
        logp = v - m_2 - log_Z_3
        inv_Z_3 = 1/Z_3
        exp_shifted_3_scaled = inv_Z_3*exp_shifted_3
        soft = sum(exp_shifted_3_scaled*(logp - logq))
        y = share*temperature**2*soft + (1 - share)*(m_3 + log_Z - sum_where_x)

    Args:
        x: shape (..., D).
        teacher: shape (..., D), without a gradient.
        label: one integer per row, shape x.shape[:-1].
        temperature: a constant, a finite number of 0 or more.
        share: a constant, a finite number.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError
    for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    teacher = _floats("teacher", teacher, x.shape, "the shape of x")
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    if jnp.ndim(temperature) or not (
        isinstance(temperature, jax.Array) or 0 <= float(temperature) < jnp.inf
    ):
        raise ValueError(
            f"temperature is {temperature}; pass a finite number of 0 or more"
        )
    if jnp.ndim(share) or not (
        isinstance(share, jax.Array) or -jnp.inf < float(share) < jnp.inf
    ):
        raise ValueError(f"share is {share}; pass a finite number")
    y = _layer(x, teacher, label[..., None], temperature, share)
    return y[..., 0]


@jax.custom_jvp
def _layer(x, teacher, label, temperature, share):
    return _forward(x, teacher, label, temperature, share)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[3:]):
        raise NotImplementedError(
            "temperature, share: a constant of distillation has no derivative"
        )
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:1])


def _forward(x, teacher, label, temperature, share):
    """The outputs, and the numbers of each row that tangents read."""
    x, teacher, label, temperature, share = _in_type(
        x, teacher, label, temperature, share
    )
    dtype, shape = x.dtype, x.shape
    D = shape[-1]
    index = jnp.arange(D)
    largest = jnp.finfo(dtype).max
    temperature_shifted = 1/temperature  # step 7, pass 1: once a row
    u = x*temperature_shifted  # step 7, pass 2: once a row
    v = teacher*temperature_shifted  # step 8, pass 3: once a row
    # step 1
    sum_where_x = jnp.sum(jnp.where(index == label, x, 0), axis=-1, keepdims=True)
    m_3 = jnp.clip(jnp.max(x, axis=-1, keepdims=True), -largest, largest)  # step 2
    m = jnp.clip(jnp.max(u, axis=-1, keepdims=True), -largest, largest)  # step 9
    m_2 = jnp.clip(jnp.max(v, axis=-1, keepdims=True), -largest, largest)  # step 15
    sum_where_x_shifted = sum_where_x - m_3  # step 1, pass 4: offsets
    x_shifted = x - m_3  # step 3
    exp_shifted = jnp.exp(x_shifted)  # step 4
    x_shifted_2 = u - m  # step 10
    exp_shifted_2 = jnp.exp(x_shifted_2)  # step 11
    teacher_shifted = v - m_2  # step 16
    exp_shifted_3 = jnp.exp(teacher_shifted)  # step 17
    Z = jnp.sum(exp_shifted, axis=-1, keepdims=True)  # step 5
    Z_2 = jnp.sum(exp_shifted_2, axis=-1, keepdims=True)  # step 12
    Z_3 = jnp.sum(exp_shifted_3, axis=-1, keepdims=True)  # step 18
    log_Z = jnp.log(Z)  # step 6
    log_Z_2 = jnp.log(Z_2)  # step 13
    log_Z_3 = jnp.log(Z_3)  # step 19
    inv_Z_3 = 1/Z_3  # step 21
    logq = x_shifted_2 - log_Z_2  # step 14
    logp = teacher_shifted - log_Z_3  # step 20
    # step 24, pass 5: late scales
    soft_unscaled = jnp.sum(exp_shifted_3*(logp - logq), axis=-1, keepdims=True)
    soft = inv_Z_3*soft_unscaled  # step 24, pass 6: late scales
    # step 25, pass 7: offsets
    y = (log_Z - sum_where_x_shifted)*(1 - share) + soft*share*temperature**2
    return y, (m_3, Z, m, Z_2, m_2, inv_Z_3)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, teacher, label, temperature, share = _in_type(*inputs)
    shape = x.shape
    m_3, Z, m, Z_2, m_2, inv_Z_3 = saved
    x_dot, = [t if t is None else t.astype(x.dtype) for t in dots]
    D = shape[-1]
    index = jnp.arange(D)
    temperature_shifted = 1/temperature  # step 7, pass 1: once a row
    temperature_shifted_2 = 1/temperature  # step 94, pass 12: once a row
    x_shifted = x - m_3  # step 3
    exp_shifted = jnp.exp(x_shifted)  # step 4
    u = x*temperature_shifted  # step 7, pass 2: once a row
    x_shifted_2 = u - m  # step 10
    exp_shifted_2 = jnp.exp(x_shifted_2)  # step 11
    v = teacher*temperature_shifted  # step 8, pass 3: once a row
    teacher_shifted = v - m_2  # step 16
    exp_shifted_3 = jnp.exp(teacher_shifted)  # step 17
    y_dot = 0
    if x_dot is not None:
        # step 86, pass 13: written out
        sum_exp_shifted_2_x_dot = jnp.sum(exp_shifted_2*x_dot, axis=-1, keepdims=True)
        # step 94, pass 14: written out
        mean_index_x_dot = jnp.mean(
            jnp.where(index == label, x_dot, 0), axis=-1, keepdims=True
        )
        # step 94, pass 15: written out
        mean_exp_shifted_x_dot = jnp.mean(exp_shifted*x_dot, axis=-1, keepdims=True)
        log_Z_2_dot = sum_exp_shifted_2_x_dot/(Z_2*temperature)  # step 86, pass 16
        # step 94, pass 17: late scales
        mean_exp_shifted_3_scaled_x_dot_2 = jnp.mean(
            (x_dot*temperature_shifted_2 - log_Z_2_dot)*exp_shifted_3,
            axis=-1,
            keepdims=True,
        )
        # step 94, pass 18: late scales
        mean_exp_shifted_3_scaled_x_dot = inv_Z_3*mean_exp_shifted_3_scaled_x_dot_2
        # step 94, pass 19: written out
        y_dot += (
            mean_index_x_dot*(share - 1)
            + mean_exp_shifted_x_dot*(1 - share)/Z
            - mean_exp_shifted_3_scaled_x_dot*share*temperature**2
        )*D
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, teacher, label, temperature, share):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x, teacher)
    x, teacher, temperature, share = [
        jnp.asarray(u, dtype) for u in (x, teacher, temperature, share)
    ]
    return (x, teacher, label, temperature, share)


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value


def _integers(name, value, shape=None, axes=""):
    """Integers in 32 bits, those beyond as the nearest."""
    if type(value) is int:
        value = max(-(2**31), min(value, 2**31 - 1))
    value = value if hasattr(value, "dtype") else jnp.asarray(value)
    kind = jnp.int8 if value.dtype == bool else value.dtype
    if not jnp.issubdtype(kind, jnp.integer):
        remedy = f"pass integers, such as {name}.astype(jnp.int32)"
        raise TypeError(f"{name} is of type {value.dtype}; {remedy}")
    if jnp.iinfo(kind).max > 2**31 - 1:
        value = value.clip(max(-(2**31), jnp.iinfo(kind).min), 2**31 - 1)
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return jnp.asarray(value, jnp.int32)
