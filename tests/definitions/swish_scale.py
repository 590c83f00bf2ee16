"""No reduction at all."""

from lngen.language import Feature, Row, sigmoid


def swish_scale(x: Row, gamma: Feature = 1):
    y = gamma * x * sigmoid(x)
    return y
