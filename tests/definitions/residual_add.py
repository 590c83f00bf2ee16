"""Two outputs: the sum of two rows, and the normalized sum."""

from lngen.language import Constant, Feature, Row, mean, sqrt


def residual_add(x: Row, r: Row, gamma: Feature = 1, beta: Feature = 0, eps: Constant = 1e-5):
    h = x + r
    mu = mean(h)
    var = mean((h - mu) ** 2)
    xhat = (h - mu) / sqrt(var + eps)
    y = gamma * xhat + beta
    return y, h
