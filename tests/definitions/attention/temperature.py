"""A softmax with a learned temperature."""

from lngen.language import Row, Scalar, exp, sum


def temperature(x: Row, t: Scalar):
    e = exp(x / t)
    y = e / sum(e)
    return y
