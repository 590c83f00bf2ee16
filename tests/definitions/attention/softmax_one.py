"""A softmax that may attend to nothing: one logit more, which is 0 and has no value.

Miller, "Attention Is Off By One" (2023).
"""

from lngen.language import Row, exp, sum


def softmax_one(x: Row):
    e = exp(x)
    y = e / (1 + sum(e))
    return y
