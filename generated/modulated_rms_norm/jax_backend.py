# Made by lngen 0.1.0 from the definition of modulated_rms_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit modulated_rms_norm.py and run: lngen derive modulated_rms_norm.py
# definition sha256:342278b39697d6ed8c84343b4cb320510fe1cfedc146884253a1a433517afb26
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Root-mean-square normalization with a scale and a shift for each sample.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import math

import jax
import jax.numpy as jnp

__all__ = ["modulated_rms_norm"]


def modulated_rms_norm(
    x: jax.Array,
    scale: jax.Array | None = None,
    shift: jax.Array | None = None,
    *,
    eps: float = 1e-6,
) -> jax.Array:
    """Root-mean-square normalization with a scale and a shift for each sample.

        ms = mean(x**2)
        rstd = 1/sqrt(ms + eps)
        xhat = rstd*x
        y = shift + xhat*(1 + scale)

    Args:
        x: an array with the axes b ... d.
        scale: an array with the axes b d. If omitted it is 0.
        shift: an array with the axes b d. If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of the first rows. y is an array with the axes b ... d. The
    compute type is the widest among the inputs, and float32 for 16-bit inputs. Raises
    TypeError for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    b, *rest, d = _axes("x", x, "b ... d", 2, True)
    scale = None if scale is None else _floats("scale", scale, (b, d), "(b d)")
    shift = None if shift is None else _floats("shift", shift, (b, d), "(b d)")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y = _layer(
        x.reshape(b, _product(rest), d),
        None if scale is None else scale.reshape(b, 1, d),
        None if shift is None else shift.reshape(b, 1, d),
        eps,
    )
    return y.reshape((b, *rest, d))


@jax.custom_jvp
def _layer(x, scale, shift, eps):
    return _forward(x, scale, shift, eps)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[3:]):
        raise NotImplementedError(
            "eps: a constant of modulated_rms_norm has no derivative"
        )
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:3])


def _forward(x, scale, shift, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, scale, shift, eps = _in_type(x, scale, shift, eps)
    ms = jnp.mean(x**2, axis=2, keepdims=True)  # step 1
    rstd = jax.lax.rsqrt(ms + eps)  # step 2
    xhat = x*rstd  # step 3
    y = shift + (scale + 1)*xhat  # step 4
    return y, (rstd,)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, scale, _, _ = _in_type(*inputs)
    rstd, = saved
    x_dot, scale_dot, shift_dot = [t if t is None else t.astype(x.dtype) for t in dots]
    xhat = x*rstd  # step 3
    y_dot = 0
    if x_dot is not None:
        mean_x_dot_xhat = jnp.mean(x_dot*xhat, axis=2, keepdims=True)  # step 20
        y_dot += (x_dot - xhat*mean_x_dot_xhat)*(scale + 1)*rstd  # step 20
    if scale_dot is not None:
        y_dot += scale_dot*xhat  # step 20
    if shift_dot is not None:
        y_dot += shift_dot  # step 20
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, scale, shift, eps):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (x, scale, shift) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    scale, shift = 0 if scale is None else scale, 0 if shift is None else shift
    return [jnp.asarray(u, dtype) for u in (x, scale, shift, eps)]


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
