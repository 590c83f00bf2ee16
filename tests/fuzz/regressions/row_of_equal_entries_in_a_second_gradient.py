from lngen.language import (
    D,
    Row,
    RowScalar,
    Scalar,
    abs,
    cos,
    erf,
    gelu,
    max,
    mean,
    sigmoid,
    softplus,
    sqrt,
    sum,
    tanh,
    where,
)


def layer(ddy: Row, has: Scalar, x: RowScalar, MULTIPROCESSOR_COUNT: Row = 0):
    needs_ddbeta_wide = where(
        has < 1 / D, erf(where(has > 0.1, MULTIPROCESSOR_COUNT * ddy, has - sqrt(D))), softplus(sqrt(D) + x) ** (-0.5)
    )
    read_dy = needs_ddbeta_wide - sigmoid(MULTIPROCESSOR_COUNT - 4)
    buffer = ddy - read_dy
    v = gelu(buffer / (max(abs(buffer)) + 0.1) - erf(0.25 * 0.7))
    queue = gelu(has * x)
    g_3 = sum(mean(v) * tanh(queue) - (1.5 + cos(needs_ddbeta_wide * has)) ** (-2))
    return (g_3, buffer)
