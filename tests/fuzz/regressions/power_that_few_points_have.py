from lngen.language import (
    D,
    Row,
    RowScalar,
    Scalar,
    abs,
    cos,
    log1p,
    maximum,
    min,
    sigmoid,
    silu,
    sqrt,
    stop_gradient,
    sum,
)


def layer(resolve: Row, row_scalar_7: RowScalar, part: Scalar):
    prototype = (-resolve) ** 3 * (log1p(1.5 + cos(resolve)) / (abs(resolve * row_scalar_7) + 1))
    last = sum(resolve) * part**4 + (part / (abs(1 / (D - 1)) + 1) - (D + 1 - sqrt(D)))
    newaxis = min((prototype * part) ** 1.5)
    n = (sqrt(maximum(part, 0.1)) + part) * sigmoid(silu(newaxis) * stop_gradient(0.001))
    return (n, last)
