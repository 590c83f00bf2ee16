# Made by lngen 0.1.0 from the definition of rms_norm_rotary; derivation.md has its steps, cost and evidence.
# Do not edit; edit rms_norm_rotary.py and run: lngen derive rms_norm_rotary.py
# definition sha256:998fdf59ade695e9f5494b7d0184d1de3a356aa9ffc68ea8a8746fc047134e7a
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["rms_norm_rotary"]


def rms_norm_rotary(
    x: jax.Array,
    cosine: jax.Array,
    sine: jax.Array,
    weight: jax.Array | None = None,
    *,
    eps: float = 1e-6,
) -> jax.Array:
    """Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.

        a = at(x, s=0)
        b = at(x, s=1)
        weight_0 = at(weight, s=0)
        weight_1 = at(weight, s=1)
        mu = mean(a**2 + b**2)
        rstd = 1/sqrt(mu/2 + eps)
        ahat = rstd*a
        u = weight_0*ahat
        bhat = rstd*b
        v = weight_1*bhat
        y_0 = cosine*u - sine*v
        y_1 = cosine*v + sine*u
        y = join(y_0, y_1)

    Args:
        x: an array with the axes b h t (s d), s of size 2.
        cosine: an array with the axes t d, without a gradient.
        sine: an array with the axes t d, without a gradient.
        weight: an array with the axes (s d), s of size 2. If omitted it is 1.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of x. y is an array with the axes b h t (s d), s of size 2.
    The compute type is the widest among the inputs, and float32 for 16-bit inputs.
    Raises TypeError for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    b, h, t, s_d = _axes("x", x, "b h t (s d)", 4)
    if s_d % 2:
        raise ValueError(
            f"x has shape {x.shape}, and s = {2} does not divide its axis (s d) of {s_d}"
        )
    d = s_d // 2
    cosine = _floats("cosine", cosine, (t, d), "(t d)")
    sine = _floats("sine", sine, (t, d), "(t d)")
    weight = None if weight is None else _floats("weight", weight, (2*d,), "(s d)")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y_0, y_1 = _layer(
        x.reshape(b, h, t, 2, d)[:, :, :, 0],
        x.reshape(b, h, t, 2, d)[:, :, :, 1],
        cosine.reshape(1, 1, t, d),
        sine.reshape(1, 1, t, d),
        None if weight is None else weight.reshape(2, d)[0].reshape(1, 1, 1, d),
        None if weight is None else weight.reshape(2, d)[1].reshape(1, 1, 1, d),
        eps,
    )
    return _stack((y_0, y_1), 3).reshape((b, h, t, 2*d))


@jax.custom_jvp
def _layer(a, b, cosine, sine, weight_0, weight_1, eps):
    return tuple(
        u.astype(a.dtype) for u
        in _forward(a, b, cosine, sine, weight_0, weight_1, eps)[0]
    )


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    made, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[6:]):
        raise NotImplementedError(
            "eps: a constant of rms_norm_rotary has no derivative"
        )
    return (
        made,
        jax.checkpoint(_tangents, prevent_cse=False)(made, inputs, saved, dots[:6]),
    )


def _forward(a, b, cosine, sine, weight_0, weight_1, eps):
    """The outputs, and the numbers of each row that tangents read."""
    a, b, cosine, sine, weight_0, weight_1, eps = _in_type(
        a, b, cosine, sine, weight_0, weight_1, eps
    )
    total = a**2 + b**2  # step 1
    mu = jnp.mean(total, axis=3, keepdims=True)  # step 2
    rstd = jax.lax.rsqrt(0.5*mu + eps)  # step 3
    ahat = a*rstd  # step 4
    u = ahat*weight_0  # step 5
    bhat = b*rstd  # step 6
    v = bhat*weight_1  # step 7
    y_0 = cosine*u - sine*v  # step 8
    y_1 = cosine*v + sine*u  # step 9
    return (y_0, y_1), (rstd,)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    a, b, cosine, sine, weight_0, weight_1, _ = _in_type(*inputs)
    rstd, = saved
    a_dot, b_dot, _, _, weight_0_dot, weight_1_dot = [
        t if t is None else t.astype(a.dtype) for t in dots
    ]
    ahat = a*rstd  # step 4
    bhat = b*rstd  # step 6
    mean_a_a_dot_b = 0
    u_dot = 0
    v_dot = 0
    y_0_dot = 0
    y_1_dot = 0
    if a_dot is not None:
        mean_a_a_dot_b += jnp.mean(2*a*a_dot, axis=3, keepdims=True)  # step 31
    if b_dot is not None:
        mean_a_a_dot_b += jnp.mean(2*b*b_dot, axis=3, keepdims=True)  # step 31
    if a_dot is not None or b_dot is not None:
        rstd_dot = -0.25*mean_a_a_dot_b*rstd**3  # step 31
        u_dot += a*rstd_dot*weight_0  # step 34
    if a_dot is not None:
        u_dot += a_dot*rstd*weight_0  # step 34
    if weight_0_dot is not None:
        u_dot += ahat*weight_0_dot  # step 34
    if b_dot is not None:
        v_dot += b_dot*rstd*weight_1  # step 37
    if a_dot is not None or b_dot is not None:
        v_dot += b*rstd_dot*weight_1  # step 37
    if weight_1_dot is not None:
        v_dot += bhat*weight_1_dot  # step 37
    if a_dot is not None or b_dot is not None or weight_0_dot is not None:
        y_0_dot += cosine*u_dot  # step 38
    if a_dot is not None or b_dot is not None or weight_1_dot is not None:
        y_0_dot += -sine*v_dot  # step 38
        y_1_dot += cosine*v_dot  # step 39
    if a_dot is not None or b_dot is not None or weight_0_dot is not None:
        y_1_dot += sine*u_dot  # step 39
    return tuple(map(_like, made, (y_0_dot, y_1_dot)))


def _in_type(a, b, cosine, sine, weight_0, weight_1, eps):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (a, b, cosine, sine, weight_0, weight_1) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    weight_0 = 1 if weight_0 is None else weight_0
    weight_1 = 1 if weight_1 is None else weight_1
    return [
        jnp.asarray(u, dtype) for u in (a, b, cosine, sine, weight_0, weight_1, eps)
    ]


def _like(made, tangent):
    """The tangent of an output, in its shape and type."""
    return jnp.zeros_like(made) + jnp.asarray(tangent, made.dtype)


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


def _stack(parts, axis):
    return jnp.stack(parts, axis=axis)
