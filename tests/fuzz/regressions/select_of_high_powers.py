from lngen.language import D, Row, expm1, maximum, minimum, silu, sin


def layer(greater: Row):
    dg = silu(maximum(4, 3)) - greater / (greater**2 + 0.5) / maximum(greater * greater, 0.1)
    shifted = minimum(expm1(D), sin(dg))
    return shifted
