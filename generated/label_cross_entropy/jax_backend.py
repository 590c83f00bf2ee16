# Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
# definition sha256:54d0d10a361e544b04d125946902774985e4cfbc3c6a48abadaca8002ccda43b
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["label_cross_entropy"]


def label_cross_entropy(
    x: jax.Array,
    label: jax.Array,
    ignore: int | jax.Array | None = None,
    *,
    smoothing: float = 0.0,
    z_loss: float = 0.0,
) -> jax.Array:
    """Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        target = sum(where(index() == label, x, 0))
        mu = mean(x)
        y = where(label == ignore, 0, m + log_Z + where(smoothing > 0, smoothing*(target - mu), 0) + z_loss*(m + log_Z)**2 - target)

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        ignore: an integer or a 0-d array of one. If omitted it is -100.
        smoothing: a constant, a finite number.
        z_loss: a constant, a finite number.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError
    for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    if ignore is not None:
        ignore = _integers("ignore", ignore, (), "a number or a 0-d one")
    if jnp.ndim(smoothing) or not (
        isinstance(smoothing, jax.Array) or -jnp.inf < float(smoothing) < jnp.inf
    ):
        raise ValueError(f"smoothing is {smoothing}; pass a finite number")
    if jnp.ndim(z_loss) or not (
        isinstance(z_loss, jax.Array) or -jnp.inf < float(z_loss) < jnp.inf
    ):
        raise ValueError(f"z_loss is {z_loss}; pass a finite number")
    y = _layer(x, label[..., None], ignore, smoothing, z_loss)
    return y[..., 0]


@jax.custom_jvp
def _layer(x, label, ignore, smoothing, z_loss):
    return _forward(x, label, ignore, smoothing, z_loss)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[3:]):
        raise NotImplementedError(
            "smoothing, z_loss: a constant of label_cross_entropy has no derivative"
        )
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:1])


def _forward(x, label, ignore, smoothing, z_loss):
    """The outputs, and the numbers of each row that tangents read."""
    x, label, ignore, smoothing, z_loss = _in_type(x, label, ignore, smoothing, z_loss)
    dtype, shape = x.dtype, x.shape
    D = shape[-1]
    index = jnp.arange(D)
    largest = jnp.finfo(dtype).max
    m = jnp.clip(jnp.max(x, axis=-1, keepdims=True), -largest, largest)  # step 1
    target = jnp.sum(jnp.where(index == label, x, 0), axis=-1, keepdims=True)  # step 6
    target_shifted = target - m  # step 6, pass 1: offsets
    x_shifted = x - m  # step 2
    exp_shifted = jnp.exp(x_shifted)  # step 3
    Z = jnp.sum(exp_shifted, axis=-1, keepdims=True)  # step 4
    mu_shifted = jnp.mean(x_shifted, axis=-1, keepdims=True)  # step 7, pass 2: offsets
    log_Z = jnp.log(Z)  # step 5
    # step 8, pass 3: offsets
    y = jnp.where(
        label == ignore,
        0,
        log_Z
        + jnp.where(smoothing > 0, (target_shifted - mu_shifted)*smoothing, 0)
        + (log_Z + m)**2*z_loss
        - target_shifted,
    )
    return y, (m, Z, log_Z)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, label, ignore, smoothing, z_loss = _in_type(*inputs)
    shape = x.shape
    m, Z, log_Z = saved
    x_dot, = [t if t is None else t.astype(x.dtype) for t in dots]
    D = shape[-1]
    index = jnp.arange(D)
    x_shifted = x - m  # step 2
    exp_shifted = jnp.exp(x_shifted)  # step 3
    y_dot = 0
    if x_dot is not None:
        # step 33, pass 8: written out
        sum_index_x_dot = jnp.sum(
            jnp.where(index == label, x_dot, 0), axis=-1, keepdims=True
        )
        # step 33, pass 9: written out
        sum_exp_shifted_x_dot = jnp.sum(exp_shifted*x_dot, axis=-1, keepdims=True)
        mean_x_dot = jnp.mean(x_dot, axis=-1, keepdims=True)  # step 33, pass 10
        # step 33, pass 11: written out
        y_dot += (
            jnp.where(
                label == ignore, 0, jnp.where(smoothing > 0, -smoothing, 0)
            )*mean_x_dot
            + jnp.where(
                label == ignore, 0, jnp.where(smoothing > 0, smoothing, 0) - 1
            )*sum_index_x_dot
            + jnp.where(
                label == ignore, 0, ((2*log_Z + 2*m)*z_loss + 1)/Z
            )*sum_exp_shifted_x_dot
        )
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, label, ignore, smoothing, z_loss):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, x)
    ignore = jnp.int32(-100) if ignore is None else ignore
    x, smoothing, z_loss = [jnp.asarray(u, dtype) for u in (x, smoothing, z_loss)]
    return (x, label, ignore, smoothing, z_loss)


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
