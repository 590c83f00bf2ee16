"""Exponentials that add up to one; written without the shift that keeps them in range."""

from lngen.language import Row, exp, sum


def soft_max(x: Row):
    z = exp(x)
    s = sum(z)
    y = z / s
    return y
