# Made by lngen 0.1.0 from the definition of softcap_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit softcap_cross_entropy.py and run: lngen derive softcap_cross_entropy.py
# definition sha256:d010fe640748d9eca5d1baa233d0a8218fad8c6aeec03dd12a012fcb2dc30c1c
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Cross entropy of a label with the softmax of a capped row, weighted by class; a label `ignore` counts nothing.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["softcap_cross_entropy"]


def softcap_cross_entropy(
    x: jax.Array,
    label: jax.Array,
    class_weight: jax.Array | None = None,
    ignore: int | jax.Array | None = None,
    *,
    cap: float = 30.0,
    z_loss: float = 0.0,
) -> jax.Array:
    """Cross entropy of a label with the softmax of a capped row, weighted by class; a label `ignore` counts nothing.

        u_2 = x/cap
        tanh_u_2 = tanh(u_2)
        u = cap*tanh_u_2
        m = max(u)
        exp_shifted = exp(u - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        sum_where_u = sum(where(index() == label, u, 0))
        sum_where_class_weight = sum(where(index() == label, class_weight, 0))
        y = where(label == ignore, 0, z_loss*(m + log_Z)**2 + sum_where_class_weight*(m + log_Z - sum_where_u))

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        class_weight: one value per feature, shape (D,), without a gradient. If omitted it is 1.
        ignore: an integer or a 0-d array of one. If omitted it is -100.
        cap: a constant, a finite number of 0 or more.
        z_loss: a constant, a finite number.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError
    for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    if class_weight is not None:
        class_weight = _floats("class_weight", class_weight, x.shape[-1:], "(D,)")
    if ignore is not None:
        ignore = _integers("ignore", ignore, (), "a number or a 0-d one")
    if jnp.ndim(cap) or not (isinstance(cap, jax.Array) or 0 <= float(cap) < jnp.inf):
        raise ValueError(f"cap is {cap}; pass a finite number of 0 or more")
    if jnp.ndim(z_loss) or not (
        isinstance(z_loss, jax.Array) or -jnp.inf < float(z_loss) < jnp.inf
    ):
        raise ValueError(f"z_loss is {z_loss}; pass a finite number")
    y = _layer(x, label[..., None], class_weight, ignore, cap, z_loss)
    return y[..., 0]


@jax.custom_jvp
def _layer(x, label, class_weight, ignore, cap, z_loss):
    return _forward(x, label, class_weight, ignore, cap, z_loss)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[4:]):
        raise NotImplementedError(
            "cap, z_loss: a constant of softcap_cross_entropy has no derivative"
        )
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:1])


def _forward(x, label, class_weight, ignore, cap, z_loss):
    """The outputs, and the numbers of each row that tangents read."""
    x, label, class_weight, ignore, cap, z_loss = _in_type(
        x, label, class_weight, ignore, cap, z_loss
    )
    dtype, shape = x.dtype, x.shape
    D = shape[-1]
    index = jnp.arange(D)
    largest = jnp.finfo(dtype).max
    cap_shifted = 1/cap  # step 1, pass 1: once a row
    u_2 = x*cap_shifted  # step 1, pass 2: once a row
    tanh_u_2 = jnp.tanh(u_2)  # step 2
    u = tanh_u_2*cap  # step 3
    m = jnp.clip(jnp.max(u, axis=-1, keepdims=True), -largest, largest)  # step 4
    # step 9
    sum_where_u = jnp.sum(jnp.where(index == label, u, 0), axis=-1, keepdims=True)
    # step 10
    sum_where_class_weight = jnp.sum(
        jnp.where(index == label, class_weight, 0), axis=-1, keepdims=True
    )
    sum_where_u_shifted = sum_where_u - m  # step 9, pass 3: offsets
    tanh_u_2_shifted = u - m  # step 5
    exp_shifted = jnp.exp(tanh_u_2_shifted)  # step 6
    Z = jnp.sum(exp_shifted, axis=-1, keepdims=True)  # step 7
    log_Z = jnp.log(Z)  # step 8
    # step 11, pass 4: offsets
    y = jnp.where(
        label == ignore,
        0,
        (log_Z - sum_where_u_shifted)*sum_where_class_weight + (log_Z + m)**2*z_loss,
    )
    return y, (m, Z, log_Z, sum_where_class_weight)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, label, _, ignore, cap, z_loss = _in_type(*inputs)
    shape = x.shape
    m, Z, log_Z, sum_where_class_weight = saved
    x_dot, = [t if t is None else t.astype(x.dtype) for t in dots]
    D = shape[-1]
    index = jnp.arange(D)
    cap_shifted = 1/cap  # step 1, pass 1: once a row
    cap_shifted_2 = 1/cap  # step 34, pass 8: once a row
    u_2 = x*cap_shifted  # step 1, pass 2: once a row
    tanh_u_2 = jnp.tanh(u_2)  # step 2
    u = tanh_u_2*cap  # step 3
    tanh_u_2_shifted = u - m  # step 5
    exp_shifted = jnp.exp(tanh_u_2_shifted)  # step 6
    y_dot = 0
    if x_dot is not None:
        # step 34, pass 9: once a row
        tanh_u_2_dot = (1 - tanh_u_2)*(tanh_u_2 + 1)*x_dot*cap_shifted_2
        # step 48, pass 10: written out
        sum_index_tanh_u_2_dot = jnp.sum(
            jnp.where(index == label, cap, 0)*tanh_u_2_dot, axis=-1, keepdims=True
        )
        # step 48, pass 11: written out
        sum_exp_shifted_tanh_u_2_dot = jnp.sum(
            exp_shifted*tanh_u_2_dot, axis=-1, keepdims=True
        )
        # step 48, pass 12: written out
        y_dot += (
            jnp.where(
                label == ignore, 0, -sum_where_class_weight
            )*sum_index_tanh_u_2_dot
            + jnp.where(
                label == ignore,
                0,
                (sum_where_class_weight + (2*log_Z + 2*m)*z_loss)*cap/Z,
            )*sum_exp_shifted_tanh_u_2_dot
        )
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, label, class_weight, ignore, cap, z_loss):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (x, class_weight) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    class_weight = 1 if class_weight is None else class_weight
    ignore = jnp.int32(-100) if ignore is None else ignore
    x, class_weight, cap, z_loss = [
        jnp.asarray(u, dtype) for u in (x, class_weight, cap, z_loss)
    ]
    return (x, label, class_weight, ignore, cap, z_loss)


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
