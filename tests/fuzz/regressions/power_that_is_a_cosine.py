from lngen.language import Row, cos, exp, log, relu


def layer(s: Row):
    x = cos(4) * log(relu(s))
    return exp(x)
