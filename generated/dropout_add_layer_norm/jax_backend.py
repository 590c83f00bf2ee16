# Made by lngen 0.1.0 from the definition of dropout_add_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
# definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Dropout, residual addition, then layer normalization; the sum is the second output.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows, and an output.
"""

import math

import jax
import jax.numpy as jnp

__all__ = ["dropout_add_layer_norm"]


def dropout_add_layer_norm(
    x: jax.Array,
    residual: jax.Array,
    seed: int | jax.Array,
    gamma: jax.Array | None = None,
    beta: jax.Array | None = None,
    *,
    p: float = 0.1,
    eps: float = 1e-5,
) -> tuple[jax.Array, jax.Array]:
    """Dropout, residual addition, then layer normalization; the sum is the second output.

        uniform_seed = uniform(seed)
        h = residual + where(uniform_seed >= p, x/(1 - p), 0)
        mu = mean(h)
        var = mean((h - mu)**2)
        rstd = 1/sqrt(var + eps)
        xhat = rstd*(h - mu)
        y = gamma*xhat + beta

    Args:
        x: shape (..., D).
        residual: shape (..., D).
        seed: an integer or a 0-d array of one.
        gamma: one value per feature, shape (D,). If omitted it is 1.
        beta: one value per feature, shape (D,). If omitted it is 0.
        p: a constant, a finite number of 0 or more.
        eps: a constant, a finite number of 0 or more.

    Returns `(y, h)` in the type of the first rows. y has shape (..., D); h has shape
    (..., D). The compute type is the widest among the inputs, and float32 for 16-bit
    inputs. Raises TypeError for another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    residual = _floats("residual", residual, x.shape, "the shape of x")
    seed = _integers("seed", seed, (), "a number or a 0-d one")
    gamma = None if gamma is None else _floats("gamma", gamma, x.shape[-1:], "(D,)")
    beta = None if beta is None else _floats("beta", beta, x.shape[-1:], "(D,)")
    if jnp.ndim(p) or not (isinstance(p, jax.Array) or 0 <= float(p) < jnp.inf):
        raise ValueError(f"p is {p}; pass a finite number of 0 or more")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    _check_seed("seed", seed, x, residual)
    y, h = _layer(x, residual, seed, gamma, beta, p, eps)
    return y, h


@jax.custom_jvp
def _layer(x, residual, seed, gamma, beta, p, eps):
    return tuple(
        u.astype(x.dtype) for u in _forward(x, residual, seed, gamma, beta, p, eps)[0]
    )


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    made, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[5:]):
        raise NotImplementedError(
            "p, eps: a constant of dropout_add_layer_norm has no derivative"
        )
    return (
        made,
        jax.checkpoint(_tangents, prevent_cse=False)(
            made, inputs, (made[1],), saved, dots[:5]
        ),
    )


def _forward(x, residual, seed, gamma, beta, p, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, residual, seed, gamma, beta, p, eps = _in_type(
        x, residual, seed, gamma, beta, p, eps
    )
    dtype, shape = x.dtype, x.shape
    D = shape[-1]
    uniform_seed = _uniform(seed, 0, _product(shape[:-1]), D, dtype).reshape(shape)
    p_shifted = 1/(1 - p)  # step 1, pass 1: once a row
    h = residual + jnp.where(uniform_seed >= p, x*p_shifted, 0)  # step 1, pass 2
    mu = jnp.mean(h, axis=-1, keepdims=True)  # step 2
    h_shifted = h - mu  # step 3, pass 3: compensation
    mu_residual = jnp.mean(h_shifted, axis=-1, keepdims=True)  # step 3, pass 4
    h_centred = h_shifted - mu_residual  # step 3, pass 5: compensation
    var = jnp.mean(h_centred**2, axis=-1, keepdims=True)  # step 4
    rstd = jax.lax.rsqrt(var + eps)  # step 5
    xhat = h_centred*rstd  # step 6
    y = xhat*gamma + beta  # step 7
    return (y, h), (mu, mu_residual, rstd)


def _tangents(made, inputs, outputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, _, seed, gamma, _, p, _ = _in_type(*inputs)
    dtype, shape = x.dtype, x.shape
    h, = [u.astype(x.dtype) for u in outputs]
    mu, mu_residual, rstd = saved
    x_dot, residual_dot, _, gamma_dot, beta_dot = [
        t if t is None else t.astype(x.dtype) for t in dots
    ]
    D = shape[-1]
    uniform_seed = _uniform(seed, 0, _product(shape[:-1]), D, dtype).reshape(shape)
    p_shifted_2 = 1/(1 - p)  # step 22, pass 16: once a row
    h_shifted = h - mu  # step 3, pass 3: compensation
    h_centred = h_shifted - mu_residual  # step 3, pass 5: compensation
    xhat = h_centred*rstd  # step 6
    h_dot = 0
    y_dot = 0
    if residual_dot is not None:
        h_dot += residual_dot  # step 22, pass 17: once a row
    if x_dot is not None:
        h_dot += jnp.where(uniform_seed >= p, p_shifted_2, 0)*x_dot  # step 22, pass 17
    if x_dot is not None or residual_dot is not None:
        mean_h_dot = jnp.mean(h_dot, axis=-1, keepdims=True)  # step 31
        mean_h_dot_xhat = jnp.mean(h_dot*xhat, axis=-1, keepdims=True)  # step 31
        y_dot += (h_dot - mean_h_dot - xhat*mean_h_dot_xhat)*rstd*gamma  # step 31
    if gamma_dot is not None:
        y_dot += xhat*gamma_dot  # step 31
    if beta_dot is not None:
        y_dot += beta_dot  # step 31
    return tuple(map(_like, made, (y_dot, h_dot)))


def _in_type(x, residual, seed, gamma, beta, p, eps):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (x, residual, gamma, beta) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    gamma, beta = 1 if gamma is None else gamma, 0 if beta is None else beta
    x, residual, gamma, beta, p, eps = [
        jnp.asarray(u, dtype) for u in (x, residual, gamma, beta, p, eps)
    ]
    return (x, residual, seed, gamma, beta, p, eps)


def _like(made, tangent):
    """The tangent of an output, in its shape and type."""
    return jnp.zeros_like(made) + jnp.asarray(tangent, made.dtype)


# Compiled as one: outside of jit, shard_map would compile each operation by itself.
@jax.tree_util.Partial(jax.jit, static_argnums=(1, 2, 3, 4))
def _uniform(seed, stream, rows, D, dtype):
    """Random numbers in [0, 1) by Philox 4x32-10, those of any other backend."""

    def product(word, factor):  # its high and low halves, by parts of 16 bits
        low, high = word & 0xFFFF, word >> 16
        cross = (low * (factor & 0xFFFF) >> 16) + high * (factor & 0xFFFF)
        other = low * (factor >> 16) + (cross & 0xFFFF)
        top = high * (factor >> 16) + (cross >> 16) + (other >> 16)
        return top, word * jnp.uint32(factor)

    fours = (D + 3) // 4
    zero = jnp.zeros((rows, fours), jnp.uint32)
    a = jnp.arange(rows, dtype=jnp.uint32)[:, None] + zero
    b = d = zero
    c = jnp.arange(fours, dtype=jnp.uint32) + zero
    key, step = seed.astype(jnp.uint32), jnp.uint32(stream)
    for _ in range(10):
        left, low_left = product(a, 0xD2511F53)
        right, low_right = product(c, 0xCD9E8D57)
        a, b, c, d = right ^ b ^ key, low_right, left ^ d ^ step, low_left
        key, step = key + jnp.uint32(0x9E3779B9), step + jnp.uint32(0xBB67AE85)
    bits = jnp.stack((a, b, c, d), -1).reshape(rows, 4 * fours)[:, :D] >> 8
    return bits.astype(dtype) * 2.0**-24


def _check_seed(name, seed, *rows):
    """Refuse a seed that devices of `shard_map` share: each numbers its rows from 0."""
    if not hasattr(jax.sharding, "get_abstract_mesh"):  # JAX 0.5 does not tell devices apart
        return
    manual = jax.sharding.get_abstract_mesh().manual_axes
    if not manual:
        return

    def varies(u):
        kind = jax.typeof(u)
        return kind.mat.varying if hasattr(kind, "mat") else kind.vma

    known = bool(varies(jax.lax.axis_index(manual[0])))
    shared = frozenset().union(*map(varies, rows))
    if not (known and shared <= varies(seed)):
        own = f'{name} + jax.lax.axis_index("{min(map(str, shared or manual))}")'
        also = "" if known else ", under jax.shard_map with check_vma=True"
        raise NotImplementedError(
            f"{name} numbers the rows of each device from 0; pass each device a seed of "
            f"its own, as {own}{also}"
        )


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


def _product(sizes):
    return math.prod(sizes)
