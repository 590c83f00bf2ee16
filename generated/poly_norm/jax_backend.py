# Made by lngen 0.1.0 from the definition of poly_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit poly_norm.py and run: lngen derive poly_norm.py
# definition sha256:2ea2b446786e64241f7150293f6095959abe2b2c825be3f9a8b92b8b0084e85b
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Polynomial of a row whose powers are each scaled to root mean square 1.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import jax
import jax.numpy as jnp

__all__ = ["poly_norm"]


def poly_norm(
    x: jax.Array,
    cubic: float | jax.Array | None = None,
    square: float | jax.Array | None = None,
    linear: float | jax.Array | None = None,
    bias: float | jax.Array | None = None,
    *,
    eps: float = 1e-6,
) -> jax.Array:
    """Polynomial of a row whose powers are each scaled to root mean square 1.

        mean_x6 = mean(x**6)
        rstd = 1/sqrt(mean_x6 + eps)
        mean_x4 = mean(x**4)
        rstd_2 = 1/sqrt(mean_x4 + eps)
        ms = mean(x**2)
        rstd_3 = 1/sqrt(ms + eps)
        first = rstd_3*x
        y = linear*first + cubic*rstd*x**3 + square*rstd_2*x**2 + bias

    Args:
        x: shape (..., D).
        cubic: a number or an array without axes. If omitted it is 0.3333333333333333.
        square: a number or an array without axes. If omitted it is 0.3333333333333333.
        linear: a number or an array without axes. If omitted it is 0.3333333333333333.
        bias: a number or an array without axes. If omitted it is 0.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of x. y has shape (..., D). The compute type is the widest
    among the inputs, and float32 for 16-bit inputs. Raises TypeError for another type,
    ValueError for a wrong shape.
    """
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(f"x has shape {x.shape}; pass (..., D) with D of 1 or more")
    cubic = None if cubic is None else _number("cubic", cubic)
    square = None if square is None else _number("square", square)
    linear = None if linear is None else _number("linear", linear)
    bias = None if bias is None else _number("bias", bias)
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    return _layer(x, cubic, square, linear, bias, eps)


@jax.custom_jvp
def _layer(x, cubic, square, linear, bias, eps):
    return _forward(x, cubic, square, linear, bias, eps)[0].astype(x.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[5:]):
        raise NotImplementedError("eps: a constant of poly_norm has no derivative")
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:5])


def _forward(x, cubic, square, linear, bias, eps):
    """The outputs, and the numbers of each row that tangents read."""
    x, cubic, square, linear, bias, eps = _in_type(x, cubic, square, linear, bias, eps)
    mean_x6 = jnp.mean(x**6, axis=-1, keepdims=True)  # step 1
    mean_x4 = jnp.mean(x**4, axis=-1, keepdims=True)  # step 3
    ms = jnp.mean(x**2, axis=-1, keepdims=True)  # step 5
    rstd = jax.lax.rsqrt(mean_x6 + eps)  # step 2
    rstd_2 = jax.lax.rsqrt(mean_x4 + eps)  # step 4
    rstd_3 = jax.lax.rsqrt(ms + eps)  # step 6
    square_scaled = rstd_2*square  # step 8, pass 1: once a row
    cubic_scaled = rstd*cubic  # step 8, pass 2: once a row
    # step 8, pass 3: late scales
    y = x**3*cubic_scaled + x*rstd_3*linear + x**2*square_scaled + bias
    return y, (rstd, rstd_2, rstd_3)


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    x, cubic, square, linear, _, _ = _in_type(*inputs)
    rstd, rstd_2, rstd_3 = saved
    x_dot, cubic_dot, square_dot, linear_dot, bias_dot = [
        t if t is None else t.astype(x.dtype) for t in dots
    ]
    rstd_3_scaled = rstd_3*linear  # step 43, pass 22: once a row
    square_scaled_2 = 2*rstd_2*square  # step 43, pass 23: once a row
    cubic_scaled_2 = 3*rstd*cubic  # step 43, pass 24: once a row
    y_dot = 0
    if square_dot is not None:
        square_dot_scaled = rstd_2*square_dot  # step 43, pass 20: once a row
    if cubic_dot is not None:
        cubic_dot_scaled = rstd*cubic_dot  # step 43, pass 21: once a row
    if x_dot is not None:
        mean_x_x_dot = jnp.mean(x**5*x_dot, axis=-1, keepdims=True)  # step 31
        mean_x_x_dot_2 = jnp.mean(x**3*x_dot, axis=-1, keepdims=True)  # step 35
        # step 43, pass 25: late scales
        mean_first_x_dot_unscaled = jnp.mean(x*x_dot, axis=-1, keepdims=True)
        mean_first_x_dot = mean_first_x_dot_unscaled*rstd_3  # step 43, pass 26
        rstd_dot = -3*mean_x_x_dot*rstd**3  # step 31
        rstd_2_dot = -2*mean_x_x_dot_2*rstd_2**3  # step 35
        rstd_2_dot_scaled = rstd_2_dot*square  # step 43, pass 27: once a row
        rstd_dot_scaled = rstd_dot*cubic  # step 43, pass 28: once a row
        # step 43, pass 29: late scales
        y_dot += (
            x**2*rstd_2_dot_scaled
            + x**3*rstd_dot_scaled
            + (x_dot - x*mean_first_x_dot*rstd_3)*rstd_3_scaled
            + (x*cubic_scaled_2 + square_scaled_2)*x*x_dot
        )
    if square_dot is not None:
        y_dot += x**2*square_dot_scaled  # step 43, pass 29: late scales
    if cubic_dot is not None:
        y_dot += x**3*cubic_dot_scaled  # step 43, pass 29: late scales
    if linear_dot is not None:
        y_dot += x*rstd_3*linear_dot  # step 43, pass 29: late scales
    if bias_dot is not None:
        y_dot += bias_dot  # step 43, pass 29: late scales
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(x, cubic, square, linear, bias, eps):
    """The inputs in the widest of their types, or float32."""
    given = [u for u in (x, cubic, square, linear, bias) if u is not None]
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, *given)
    cubic = 0.3333333333333333 if cubic is None else cubic
    square = 0.3333333333333333 if square is None else square
    linear = 0.3333333333333333 if linear is None else linear
    bias = 0 if bias is None else bias
    return [jnp.asarray(u, dtype) for u in (x, cubic, square, linear, bias, eps)]


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
