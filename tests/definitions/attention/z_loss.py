"""The square of the logarithm of what a softmax divides by, which is kept small in training."""

from lngen.language import Row, exp, log, sum


def z_loss(x: Row):
    z = log(sum(exp(x)))
    y = z**2
    return y
