from lngen.language import Constant, Row, exp, maximum


def layer(s: Row, bias: Constant = 1e-05):
    return exp(s / maximum(0.25 * (1.5 + bias), 0.1))
