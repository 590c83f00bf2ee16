from lngen.language import D, Row, cos, exp, expm1


def layer(a: Row):
    m = expm1(a)
    last = (0.7 * 3 * (4 / exp(D + 1))) ** 2 / (1.5 + cos((m - a) * (D + 1)))
    return (last, m)
