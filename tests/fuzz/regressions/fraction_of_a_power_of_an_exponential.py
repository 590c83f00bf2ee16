from lngen.language import Row, exp


def layer(x: Row):
    return exp(x) ** (-0.75)
