from lngen.language import D, Row, cos, exp, log


def layer(x: Row):
    k = cos(x)
    top = k * D
    v = log(exp(top))
    return (v, top, k)
