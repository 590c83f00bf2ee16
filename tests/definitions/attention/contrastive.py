"""The share of one row's exponentials in those of two: the loss of contrastive learning."""

from lngen.language import Row, exp, log, sum


def contrastive(x: Row, z: Row):
    y = -log(sum(exp(z)) / (sum(exp(x)) + sum(exp(z))))
    return y
