from lngen.language import (
    D,
    Data,
    Int,
    Row,
    RowScalar,
    Scalar,
    abs,
    log,
    maximum,
    sigmoid,
    softplus,
    sqrt,
    sum,
    tanh,
    where,
)


def layer(gain: Row, b: RowScalar, t: Data["d"], z: Int["..."], key: Scalar = 0.5):
    h = abs(abs(gain) * (key * 1 / (D - 1)))
    n = sigmoid(h)
    left = log(tanh(n) ** 2 + 0.5) / maximum(t * key * t, 0.1)
    k = left / sqrt(sum(left**2) + 0.001)
    p = t + where((z <= 2) | (b < 0.3), where(~(key > 0.25) & (key < 0.3), sqrt(D), key), softplus(k))
    return p
