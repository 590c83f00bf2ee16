from lngen.language import Row, softplus, sqrt


def layer(x: Row):
    return sqrt(softplus(softplus(x)))
