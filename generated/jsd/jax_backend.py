# Made by lngen 0.1.0 from the definition of jsd; derivation.md has its steps, cost and evidence.
# Do not edit; edit jsd.py and run: lngen derive jsd.py
# definition sha256:b28d007ce999de73cc9db154c53ebf5b3ccf610eafe7fdebb5114df4ab0d0ea6
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Generalized Jensen-Shannon divergence of a teacher's and a student's softmax, one number a row.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["jsd"]


def jsd(x: jax.Array, teacher: jax.Array, *, beta: float = 0.5) -> jax.Array:
    """Generalized Jensen-Shannon divergence of a teacher's and a student's softmax, one number a row.

        m_2 = max(x)
        exp_shifted = exp(x - m_2)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        logq = x - m_2 - log_Z
        m = max(teacher)
        exp_shifted_2 = exp(teacher - m)
        Z_2 = sum(exp_shifted_2)
        log_Z_2 = log(Z_2)
        logp = teacher - m - log_Z_2
        inv_Z = 1/Z
        q = inv_Z*exp_shifted
        inv_Z_2 = 1/Z_2
        p = inv_Z_2*exp_shifted_2
        u = beta*p + q*(1 - beta)
        logm = log(u)
        y = sum(beta*p*(logp - logm) + q*(1 - beta)*(logq - logm))

    Args:
        x: shape (..., D).
        teacher: shape (..., D), without a gradient.
        beta: a constant, a finite number of 0 or more.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError
    for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    teacher = _floats("teacher", teacher, x.shape, "the shape of x")
    if jnp.ndim(beta) or not (
        isinstance(beta, jax.Array) or 0 <= float(beta) < jnp.inf
    ):
        raise ValueError(f"beta is {beta}; pass a finite number of 0 or more")
    y = _layer(x, teacher, beta)
    return y[..., 0]


@jax.custom_jvp
def _layer(x, teacher, beta):
    return _forward(x, teacher, beta)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[2:]):
        raise NotImplementedError("beta: a constant of jsd has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:1])


def _forward(x, teacher, beta):
    """The outputs, and the numbers of each row that tangents read."""
    x, teacher, beta = _in_type(x, teacher, beta)
    dtype = x.dtype
    largest = jnp.finfo(dtype).max
    m_2 = jnp.clip(jnp.max(x, axis=-1, keepdims=True), -largest, largest)  # step 1
    m = jnp.clip(jnp.max(teacher, axis=-1, keepdims=True), -largest, largest)  # step 7
    x_shifted = x - m_2  # step 2
    exp_shifted = jnp.exp(x_shifted)  # step 3
    teacher_shifted = teacher - m  # step 8
    exp_shifted_2 = jnp.exp(teacher_shifted)  # step 9
    Z = jnp.sum(exp_shifted, axis=-1, keepdims=True)  # step 4
    Z_2 = jnp.sum(exp_shifted_2, axis=-1, keepdims=True)  # step 10
    log_Z = jnp.log(Z)  # step 5
    log_Z_2 = jnp.log(Z_2)  # step 11
    inv_Z = 1/Z  # step 13
    inv_Z_2 = 1/Z_2  # step 16
    logq = x_shifted - log_Z  # step 6
    logp = teacher_shifted - log_Z_2  # step 12
    u = exp_shifted_2*inv_Z_2*beta + exp_shifted*inv_Z*(1 - beta)  # step 19, pass 1
    logm = jnp.log(u)  # step 20
    # step 21, pass 2: late scales
    total = (logp - logm)*exp_shifted_2*inv_Z_2*beta + (logq - logm)*exp_shifted*inv_Z*(
        1 - beta
    )
    y = jnp.sum(total, axis=-1, keepdims=True)  # step 22
    return y, (m_2, log_Z, m, inv_Z, inv_Z_2)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, teacher, beta = _in_type(*inputs)
    m_2, log_Z, m, inv_Z, inv_Z_2 = saved
    x_dot, = [t if t is None else t.astype(x.dtype) for t in dots]
    x_shifted = x - m_2  # step 2
    exp_shifted = jnp.exp(x_shifted)  # step 3
    logq = x_shifted - log_Z  # step 6
    teacher_shifted = teacher - m  # step 8
    exp_shifted_2 = jnp.exp(teacher_shifted)  # step 9
    u = exp_shifted_2*inv_Z_2*beta + exp_shifted*inv_Z*(1 - beta)  # step 19, pass 1
    logm = jnp.log(u)  # step 20
    y_dot = 0
    if x_dot is not None:
        exp_shifted_dot = exp_shifted*x_dot  # step 69
        Z_dot = jnp.sum(exp_shifted_dot, axis=-1, keepdims=True)  # step 70
        log_Z_dot = Z_dot*inv_Z  # step 72
        inv_Z_dot = -Z_dot*inv_Z**2  # step 75
        logq_dot = x_dot - log_Z_dot  # step 73
        q_dot = exp_shifted_dot*inv_Z + exp_shifted*inv_Z_dot  # step 76
        u_dot = q_dot*(1 - beta)  # step 77
        logm_dot = u_dot/u  # step 78
        # step 79, pass 5: late scales
        total_dot = (
            exp_shifted*logq_dot*inv_Z*(1 - beta)
            + (logq - logm)*q_dot*(1 - beta)
            + (-exp_shifted_2*inv_Z_2*beta - exp_shifted*inv_Z*(1 - beta))*logm_dot
        )
        y_dot += jnp.sum(total_dot, axis=-1, keepdims=True)  # step 80
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, teacher, beta):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x, teacher)
    return [jnp.asarray(u, dtype) for u in (x, teacher, beta)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
