"""A tanh with a learned scalar inside."""

from lngen.language import Feature, Row, Scalar, tanh


def tanh_scale(x: Row, alpha: Scalar = 1, gamma: Feature = 1, beta: Feature = 0):
    y = gamma * tanh(alpha * x) + beta
    return y
