"""The variance as a difference of means, which cancels at a large offset unless it is rewritten."""

from lngen.language import Constant, Feature, Row, mean, sqrt


def naive_variance(x: Row, gamma: Feature = 1, beta: Feature = 0, eps: Constant = 1e-5):
    mu = mean(x)
    var = mean(x**2) - mean(x) ** 2
    xhat = (x - mu) / sqrt(var + eps)
    y = gamma * xhat + beta
    return y
