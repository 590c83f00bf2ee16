from lngen.language import Row, abs, exp, expm1, softplus, where


def layer(x: Row, z: Row):
    last = softplus(expm1(where(z == 0.1, -1, x)))
    f = abs(exp(z)) * -z
    return (f, last)
