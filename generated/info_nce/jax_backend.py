# Made by lngen 0.1.0 from the definition of info_nce; derivation.md has its steps, cost and evidence.
# Do not edit; edit info_nce.py and run: lngen derive info_nce.py
# definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["info_nce"]


def info_nce(
    similarity: jax.Array, positive: jax.Array, scale: float | jax.Array | None = None
) -> jax.Array:
    """InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.

        z = scale*similarity
        sum_where_z = sum(where(index() == positive, z, 0))
        m = max(z)
        exp_shifted = exp(z - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        y = m + log_Z - sum_where_z

    Args:
        similarity: shape (..., D).
        positive: one integer per row, shape similarity.shape[:-1].
        scale: a number or an array without axes. If omitted it is 1.

    Returns y in the type of similarity. y has one value per row, shape
    similarity.shape[:-1]. The compute type is the widest among the inputs, and float32
    for 16-bit inputs. Raises TypeError for another type, ValueError for a wrong shape.
    """
    similarity = _floats("similarity", similarity)
    if similarity.ndim < 1 or similarity.shape[-1] < 1:
        raise ValueError(
            f"similarity has shape {similarity.shape}; pass (..., D) with D of 1 or more"
        )
    positive = _integers(
        "positive", positive, similarity.shape[:-1], "similarity.shape[:-1]"
    )
    scale = None if scale is None else _number("scale", scale)
    y = _layer(similarity, positive[..., None], scale)
    return y[..., 0]


@jax.custom_jvp
def _layer(similarity, positive, scale):
    return _forward(similarity, positive, scale)[0].astype(similarity.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:3])


def _forward(similarity, positive, scale):
    """The outputs, and the numbers of each row that tangents read."""
    similarity, positive, scale = _in_type(similarity, positive, scale)
    dtype, shape = similarity.dtype, similarity.shape
    D = shape[-1]
    index = jnp.arange(D)
    largest = jnp.finfo(dtype).max
    z = similarity*scale  # step 1
    # step 2
    sum_where_z = jnp.sum(jnp.where(index == positive, z, 0), axis=-1, keepdims=True)
    m = jnp.clip(jnp.max(z, axis=-1, keepdims=True), -largest, largest)  # step 3
    sum_where_z_shifted = sum_where_z - m  # step 2, pass 1: offsets
    similarity_shifted = z - m  # step 4
    exp_shifted = jnp.exp(similarity_shifted)  # step 5
    Z = jnp.sum(exp_shifted, axis=-1, keepdims=True)  # step 6
    log_Z = jnp.log(Z)  # step 7
    y = log_Z - sum_where_z_shifted  # step 8, pass 2: offsets
    return y, (m, Z)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    similarity, positive, scale = _in_type(*inputs)
    shape = similarity.shape
    m, Z = saved
    similarity_dot, _, scale_dot = [
        t if t is None else t.astype(similarity.dtype) for t in dots
    ]
    D = shape[-1]
    index = jnp.arange(D)
    z = similarity*scale  # step 1
    similarity_shifted = z - m  # step 4
    exp_shifted = jnp.exp(similarity_shifted)  # step 5
    z_dot = 0
    y_dot = 0
    if scale_dot is not None:
        z_dot += similarity*scale_dot  # step 24
    if similarity_dot is not None:
        z_dot += similarity_dot*scale  # step 24
    if similarity_dot is not None or scale_dot is not None:
        # step 34, pass 5: written out
        mean_index_z_dot = jnp.mean(
            jnp.where(index == positive, z_dot, 0), axis=-1, keepdims=True
        )
        # step 34, pass 6: written out
        mean_exp_shifted_z_dot = jnp.mean(exp_shifted*z_dot, axis=-1, keepdims=True)
        y_dot += (mean_exp_shifted_z_dot/Z - mean_index_z_dot)*D  # step 34, pass 7
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(similarity, positive, scale):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (similarity, scale) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    scale = 1 if scale is None else scale
    similarity, scale = [jnp.asarray(u, dtype) for u in (similarity, scale)]
    return (similarity, positive, scale)


def _floats(name, value, shape=None, axes=""):
    """An array of floats, of a shape if one is given."""
    value = jnp.asarray(value)
    if not jnp.issubdtype(value.dtype, jnp.floating):
        remedy = f"pass real floats, such as {name}.astype(jnp.float32)"
        raise TypeError(f"{name} is of type {value.dtype}, not floating point; {remedy}")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {axes}, which is {shape}")
    return value


def _number(name, value):
    """A number; one of Python's makes no type wider."""
    value = float(value) if type(value) is int else value
    return _floats(name, value, (), "a number or a 0-d one")


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
