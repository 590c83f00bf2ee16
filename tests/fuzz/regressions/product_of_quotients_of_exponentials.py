from lngen.language import Row, exp, max, min, sum


def layer(x: Row):
    e = exp(x)
    p = e / sum(e)
    q = (e - min(e)) / (max(e) - min(e) + 0.01)
    return p * q
