# Made by lngen 0.1.0 from the definition of rms_norm_gated; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_gated.py and run: lngen derive rms_norm_gated.py
# definition sha256:a8b76386f8a799fd231a6dd9fa86d8c34e1c7f23c48996e7228eca62e4e22fd0
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""A gate, silu of another row, then root-mean-square normalization.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["rms_norm_gated"]


def rms_norm_gated(
    x: jax.Array, z: jax.Array, gamma: jax.Array | None = None, *, eps: float = 1e-5
) -> jax.Array:
    """A gate, silu of another row, then root-mean-square normalization.

        sigmoid_z = sigmoid(z)
        silu_z = sigmoid_z*z
        h = silu_z*x
        ms = mean(h**2)
        rstd = 1/sqrt(ms + eps)
        hhat = rstd*h
        y = gamma*hhat

    Args:
        x: shape (..., D).
        z: shape (..., D).
        gamma: one value per feature, shape (D,). If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y has shape (..., D). The compute type is
    the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError for
    another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    z = _floats("z", z, x.shape, "the shape of x")
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _layer(x, z, gamma, eps)


@jax.custom_jvp
def _layer(x, z, gamma, eps):
    return _forward(x, z, gamma, eps)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[3:]):
        raise NotImplementedError("eps: a constant of rms_norm_gated has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:3])


def _forward(x, z, gamma, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, z, gamma, eps = _in_type(x, z, gamma, eps)
    sigmoid_z = jax.nn.sigmoid(z)  # step 1
    silu_z = sigmoid_z*z  # step 2
    h = silu_z*x  # step 3
    ms = jnp.mean(h**2, axis=-1, keepdims=True)  # step 4
    rstd = jax.lax.rsqrt(ms + eps)  # step 5
    hhat = h*rstd  # step 6
    y = hhat*gamma  # step 7
    return y, (rstd,)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, z, gamma, _ = _in_type(*inputs)
    rstd, = saved
    x_dot, z_dot, gamma_dot = [t if t is None else t.astype(x.dtype) for t in dots]
    sigmoid_z = jax.nn.sigmoid(z)  # step 1
    silu_z = sigmoid_z*z  # step 2
    h = silu_z*x  # step 3
    hhat = h*rstd  # step 6
    h_dot = 0
    y_dot = 0
    if x_dot is not None:
        h_dot += silu_z*x_dot  # step 27
    if z_dot is not None:
        h_dot += sigmoid_z*x*((1 - sigmoid_z)*z + 1)*z_dot  # step 27
    if x_dot is not None or z_dot is not None:
        mean_h_dot_hhat = jnp.mean(h_dot*hhat, axis=-1, keepdims=True)  # step 34
        y_dot += (h_dot - hhat*mean_h_dot_hhat)*rstd*gamma  # step 34
    if gamma_dot is not None:
        y_dot += hhat*gamma_dot  # step 34
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, z, gamma, eps):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (x, z, gamma) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    gamma = 1 if gamma is None else gamma
    return [jnp.asarray(u, dtype) for u in (x, z, gamma, eps)]


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value
