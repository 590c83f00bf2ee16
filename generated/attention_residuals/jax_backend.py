# Made by lngen 0.1.0 from the definition of attention_residuals; derivation.md has its steps, cost and evidence.
# Do not edit; edit attention_residuals.py and run: lngen derive attention_residuals.py
# Open: exp overflows where rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:e5302ea861723779ede97452db2b86272be0da54d6d3887241623d08a4df7900
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
"""Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row.

Plain `jnp` with derived tangents; for backward JAX keeps the inputs and numbers of rows.
"""

import math

import jax
import jax.numpy as jnp

__all__ = ["attention_residuals"]


def attention_residuals(
    x: jax.Array, query: jax.Array, *, eps: float = 1e-6
) -> jax.Array:
    """Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row.

        a = at(x, n=0)
        b = at(x, n=1)
        c = at(x, n=2)
        sum_a_query = sum(query*a)
        ms = mean(a**2)
        rstd = 1/sqrt(ms + eps)
        sum_b_query = sum(query*b)
        ms_2 = mean(b**2)
        rstd_2 = 1/sqrt(ms_2 + eps)
        sum_c_query = sum(query*c)
        ms_3 = mean(c**2)
        rstd_3 = 1/sqrt(ms_3 + eps)
        largest = where(rstd*sum_a_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) > rstd_2*sum_b_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query), rstd*sum_a_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query), rstd_2*sum_b_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
        largest_2 = where(largest > 0, largest, 0)
        p_shifted = exp(rstd*sum_a_query - largest_2 - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
        q_shifted = exp(rstd_2*sum_b_query - largest_2 - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
        r = exp(rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
        ahat = p_shifted*a
        bhat = q_shifted*b
        exp_largest_2 = exp(-largest_2)
        chat = exp_largest_2*r*c
        scale = 1/(p_shifted + q_shifted + exp_largest_2*r)
        y = scale*(ahat + bhat + chat)

    Args:
        x: an array with the axes n ... d, n of size 3.
        query: an array with the axes d.
        eps: a constant, a finite number of 0 or more.

    Returns y in the type of x. y is an array with the axes ... d. The compute type is
    the widest among the inputs, and float32 for 16-bit inputs. Raises TypeError for
    another type, ValueError for a wrong shape.
    """
    x = _floats("x", x)
    n, *rest, d = _axes("x", x, "n ... d", 2, True)
    query = _floats("query", query, (d,), "(d)")
    if jnp.ndim(eps) or not (isinstance(eps, jax.Array) or 0 <= float(eps) < jnp.inf):
        raise ValueError(f"eps is {eps}; pass a finite number of 0 or more")
    y = _layer(
        x.reshape(n, _product(rest), d)[0],
        x.reshape(n, _product(rest), d)[1],
        x.reshape(n, _product(rest), d)[2],
        query.reshape(1, d),
        eps,
    )
    return y.reshape((*rest, d))


@jax.custom_jvp
def _layer(a, b, c, query, eps):
    return _forward(a, b, c, query, eps)[0].astype(a.dtype)


@jax.tree_util.Partial(_layer.defjvp, symbolic_zeros=True)
def _derivative(inputs, tangents):
    """The outputs and their tangents, of which JAX keeps the arguments of `_tangents`."""
    y, saved = _layer(*inputs), _forward(*inputs)[1]
    zero = jax.custom_derivatives.SymbolicZero
    dots = [None if isinstance(t, zero) else t for t in tangents]
    if any(t is not None for t in dots[4:]):
        raise NotImplementedError(
            "eps: a constant of attention_residuals has no derivative"
        )
    return y, jax.checkpoint(_tangents, prevent_cse=False)(y, inputs, saved, dots[:4])


def _forward(a, b, c, query, eps):
    """The outputs, and the numbers of each row that tangents read."""
    a, b, c, query, eps = _in_type(a, b, c, query, eps)
    sum_a_query = jnp.sum(a*query, axis=1, keepdims=True)  # step 1
    ms = jnp.mean(a**2, axis=1, keepdims=True)  # step 2
    sum_b_query = jnp.sum(b*query, axis=1, keepdims=True)  # step 4
    ms_2 = jnp.mean(b**2, axis=1, keepdims=True)  # step 5
    sum_c_query = jnp.sum(c*query, axis=1, keepdims=True)  # step 7
    ms_3 = jnp.mean(c**2, axis=1, keepdims=True)  # step 8
    rstd = jax.lax.rsqrt(ms + eps)  # step 3
    rstd_2 = jax.lax.rsqrt(ms_2 + eps)  # step 6
    rstd_3 = jax.lax.rsqrt(ms_3 + eps)  # step 9
    # step 10
    largest = jnp.where(
        rstd*sum_a_query
        - jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            ),
            rstd_3*sum_c_query,
        )
        > rstd_2*sum_b_query
        - jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            ),
            rstd_3*sum_c_query,
        ),
        rstd*sum_a_query
        - jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            ),
            rstd_3*sum_c_query,
        ),
        rstd_2*sum_b_query
        - jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            ),
            rstd_3*sum_c_query,
        ),
    )
    largest_2 = jnp.where(largest > 0, largest, 0)  # step 11
    # step 12
    p_shifted = jnp.exp(
        rstd*sum_a_query
        - largest_2
        - jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            ),
            rstd_3*sum_c_query,
        )
    )
    # step 13
    q_shifted = jnp.exp(
        rstd_2*sum_b_query
        - largest_2
        - jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            ),
            rstd_3*sum_c_query,
        )
    )
    # step 14
    r = jnp.exp(
        rstd_3*sum_c_query
        - jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            ),
            rstd_3*sum_c_query,
        )
    )
    exp_largest_2 = jnp.exp(-largest_2)  # step 17
    exp_largest_2_scaled = exp_largest_2*r  # step 18, pass 1: once a row
    scale = 1/(p_shifted + q_shifted + exp_largest_2*r)  # step 19
    ahat = a*p_shifted  # step 15
    bhat = b*q_shifted  # step 16
    chat = c*exp_largest_2_scaled  # step 18, pass 2: once a row
    y = (ahat + bhat + chat)*scale  # step 20
    return (
        y,
        (
            sum_a_query,
            rstd,
            sum_b_query,
            rstd_2,
            sum_c_query,
            rstd_3,
            p_shifted,
            q_shifted,
            r,
            exp_largest_2,
            exp_largest_2_scaled,
            scale,
        ),
    )


def _tangents(made, inputs, saved, dots):
    """The tangents of the outputs; that of an input that does not move is None."""
    a, b, c, query, _ = _in_type(*inputs)
    (
        sum_a_query,
        rstd,
        sum_b_query,
        rstd_2,
        sum_c_query,
        rstd_3,
        p_shifted,
        q_shifted,
        r,
        exp_largest_2,
        exp_largest_2_scaled,
        scale,
    ) = saved
    a_dot, b_dot, c_dot, query_dot = [
        t if t is None else t.astype(a.dtype) for t in dots
    ]
    exp_largest_2_scaled_3 = exp_largest_2*r  # step 107, pass 29: once a row
    ahat = a*p_shifted  # step 15
    bhat = b*q_shifted  # step 16
    chat = c*exp_largest_2_scaled  # step 18, pass 2: once a row
    sum_a_query_dot = 0
    sum_b_query_dot = 0
    sum_c_query_dot = 0
    part_dot = 0
    p_shifted_dot = 0
    part_2_dot = 0
    q_shifted_dot = 0
    part_3_dot = 0
    r_dot = 0
    ahat_dot = 0
    bhat_dot = 0
    chat_dot = 0
    y_dot = 0
    if a_dot is not None:
        sum_a_query_dot += jnp.sum(a_dot*query, axis=1, keepdims=True)  # step 74
    if query_dot is not None:
        sum_a_query_dot += jnp.sum(a*query_dot, axis=1, keepdims=True)  # step 74
    if a_dot is not None:
        ms_dot = jnp.mean(2*a*a_dot, axis=1, keepdims=True)  # step 75
    if b_dot is not None:
        sum_b_query_dot += jnp.sum(b_dot*query, axis=1, keepdims=True)  # step 79
    if query_dot is not None:
        sum_b_query_dot += jnp.sum(b*query_dot, axis=1, keepdims=True)  # step 79
    if b_dot is not None:
        ms_2_dot = jnp.mean(2*b*b_dot, axis=1, keepdims=True)  # step 80
    if c_dot is not None:
        sum_c_query_dot += jnp.sum(c_dot*query, axis=1, keepdims=True)  # step 84
    if query_dot is not None:
        sum_c_query_dot += jnp.sum(c*query_dot, axis=1, keepdims=True)  # step 84
    if c_dot is not None:
        ms_3_dot = jnp.mean(2*c*c_dot, axis=1, keepdims=True)  # step 85
    if a_dot is not None:
        rstd_dot = -0.5*ms_dot*rstd**3  # step 77
    if b_dot is not None:
        rstd_2_dot = -0.5*ms_2_dot*rstd_2**3  # step 82
    if c_dot is not None:
        rstd_3_dot = -0.5*ms_3_dot*rstd_3**3  # step 87
        # step 90
        part_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            0,
            -sum_c_query,
        )*rstd_3_dot
    if b_dot is not None:
        # step 90
        part_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -sum_b_query),
            0,
        )*rstd_2_dot
    if a_dot is not None:
        # step 90
        part_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(rstd*sum_a_query > rstd_2*sum_b_query, -sum_a_query, 0),
            0,
        )*rstd_dot
    if a_dot is not None or query_dot is not None:
        # step 90
        part_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd, 0),
            0,
        )*sum_a_query_dot
    if b_dot is not None or query_dot is not None:
        # step 90
        part_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -rstd_2),
            0,
        )*sum_b_query_dot
    if c_dot is not None or query_dot is not None:
        # step 90
        part_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            0,
            -rstd_3,
        )*sum_c_query_dot
    if (
        a_dot is not None
        or b_dot is not None
        or c_dot is not None
        or query_dot is not None
    ):
        p_shifted_dot += p_shifted*part_dot  # step 92
    if a_dot is not None:
        p_shifted_dot += p_shifted*rstd_dot*sum_a_query  # step 92
    if a_dot is not None or query_dot is not None:
        p_shifted_dot += p_shifted*rstd*sum_a_query_dot  # step 92
        # step 97
        part_2_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd, 0),
            0,
        )*sum_a_query_dot
    if b_dot is not None:
        # step 97
        part_2_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -sum_b_query),
            0,
        )*rstd_2_dot
    if c_dot is not None:
        # step 97
        part_2_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            0,
            -sum_c_query,
        )*rstd_3_dot
    if a_dot is not None:
        # step 97
        part_2_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(rstd*sum_a_query > rstd_2*sum_b_query, -sum_a_query, 0),
            0,
        )*rstd_dot
    if b_dot is not None or query_dot is not None:
        # step 97
        part_2_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -rstd_2),
            0,
        )*sum_b_query_dot
    if c_dot is not None or query_dot is not None:
        # step 97
        part_2_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            0,
            -rstd_3,
        )*sum_c_query_dot
    if (
        a_dot is not None
        or b_dot is not None
        or c_dot is not None
        or query_dot is not None
    ):
        q_shifted_dot += part_2_dot*q_shifted  # step 99
    if b_dot is not None:
        q_shifted_dot += q_shifted*rstd_2_dot*sum_b_query  # step 99
    if b_dot is not None or query_dot is not None:
        q_shifted_dot += q_shifted*rstd_2*sum_b_query_dot  # step 99
        # step 104
        part_3_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -rstd_2),
            0,
        )*sum_b_query_dot
    if b_dot is not None:
        # step 104
        part_3_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -sum_b_query),
            0,
        )*rstd_2_dot
    if c_dot is not None:
        # step 104
        part_3_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            0,
            -sum_c_query,
        )*rstd_3_dot
    if a_dot is not None:
        # step 104
        part_3_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(rstd*sum_a_query > rstd_2*sum_b_query, -sum_a_query, 0),
            0,
        )*rstd_dot
    if a_dot is not None or query_dot is not None:
        # step 104
        part_3_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            jnp.where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd, 0),
            0,
        )*sum_a_query_dot
    if c_dot is not None or query_dot is not None:
        # step 104
        part_3_dot += jnp.where(
            jnp.where(
                rstd*sum_a_query > rstd_2*sum_b_query,
                rstd*sum_a_query,
                rstd_2*sum_b_query,
            )
            > rstd_3*sum_c_query,
            0,
            -rstd_3,
        )*sum_c_query_dot
        r_dot += r*rstd_3*sum_c_query_dot  # step 106
    if (
        a_dot is not None
        or b_dot is not None
        or c_dot is not None
        or query_dot is not None
    ):
        r_dot += part_3_dot*r  # step 106
    if c_dot is not None:
        r_dot += r*rstd_3_dot*sum_c_query  # step 106
    if (
        a_dot is not None
        or b_dot is not None
        or c_dot is not None
        or query_dot is not None
    ):
        exp_largest_2_scaled_2 = exp_largest_2*r_dot  # step 107, pass 30: once a row
        # step 109
        scale_dot = (
            -p_shifted_dot*scale**2
            - q_shifted_dot*scale**2
            - exp_largest_2*r_dot*scale**2
        )
        ahat_dot += a*p_shifted_dot  # step 93
    if a_dot is not None:
        ahat_dot += a_dot*p_shifted  # step 93
    if (
        a_dot is not None
        or b_dot is not None
        or c_dot is not None
        or query_dot is not None
    ):
        bhat_dot += b*q_shifted_dot  # step 100
    if b_dot is not None:
        bhat_dot += b_dot*q_shifted  # step 100
    if (
        a_dot is not None
        or b_dot is not None
        or c_dot is not None
        or query_dot is not None
    ):
        chat_dot += c*exp_largest_2_scaled_2  # step 107, pass 31: once a row
    if c_dot is not None:
        chat_dot += c_dot*exp_largest_2_scaled_3  # step 107, pass 31: once a row
    if (
        a_dot is not None
        or b_dot is not None
        or c_dot is not None
        or query_dot is not None
    ):
        # step 110
        y_dot += (
            ahat_dot*scale
            + bhat_dot*scale
            + chat_dot*scale
            + (ahat + bhat + chat)*scale_dot
        )
    return jnp.zeros_like(made) + jnp.asarray(y_dot, made.dtype)


def _in_type(a, b, c, query, eps):
    """The inputs in the widest of their types, or float32."""
    with jax.numpy_dtype_promotion("standard"):
        dtype = jnp.result_type(jnp.float32, a, b, c, query)
    return [jnp.asarray(u, dtype) for u in (a, b, c, query, eps)]


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
