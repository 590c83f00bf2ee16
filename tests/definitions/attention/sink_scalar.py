"""A softmax with one sink for all rows, and the output of attention to one number per entry."""

from lngen.language import Row, Scalar, exp, sum


def sink_scalar(x: Row, v: Row, sink: Scalar):
    e = exp(x)
    y = sum(e * v) / (exp(sink) + sum(e))
    return y
