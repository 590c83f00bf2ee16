"""Exponentials between the least and the largest of a row, beside their share: two sums, each with its own shift."""

from lngen.language import Row, exp, max, min, sum


def least_and_largest(x: Row):
    e = exp(x)
    p = e / sum(e)
    y = (e - min(e)) / (max(e) - min(e) + 0.01)
    return y, p
