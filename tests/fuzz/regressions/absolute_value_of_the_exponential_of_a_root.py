from lngen.language import Row, exp, sqrt, sum


def layer(x: Row):
    e = exp(x**0.25)
    return sqrt((e / sum(e)) ** 2)
