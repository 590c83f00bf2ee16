from lngen.language import Row, RowScalar, tanh


def layer(x: Row, a: Row, s: RowScalar, t: RowScalar):
    u = tanh(0.1 * (a - x))
    v = a * (x + (s - t))
    return u, v
