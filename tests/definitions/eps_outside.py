"""The constant is added to the root, not under it."""

from lngen.language import Constant, Feature, Row, mean, sqrt


def eps_outside(x: Row, gamma: Feature = 1, beta: Feature = 0, eps: Constant = 1e-5):
    mu = mean(x)
    var = mean((x - mu) ** 2)
    xhat = (x - mu) / (sqrt(var) + eps)
    y = gamma * xhat + beta
    return y
