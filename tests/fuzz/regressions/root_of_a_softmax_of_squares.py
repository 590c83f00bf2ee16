from lngen.language import D, Row, abs, cos, exp, softplus, sum, tanh


def layer(z: Row):
    left = 1.5 * (D + 1) * (z * z)
    p = exp(left) / sum(exp(left)) / exp(tanh(4) / (abs(left) + 1))
    q = D / (1.5 + cos(p))
    m = (4 - -1) / softplus(p ** (1 / 3))
    return (m, q, left)
