"""Centred rows divided by their mean absolute deviation.

The L1 norm of Hoffer et al., 2018, arXiv:1803.01814, along the features and without its constant factor, which
gamma can hold.
"""

from lngen.language import Constant, Feature, Row, abs, mean


def mean_abs_norm(x: Row, gamma: Feature = 1, beta: Feature = 0, eps: Constant = 1e-5):
    mu = mean(x)
    spread = mean(abs(x - mu))
    xhat = (x - mu) / (spread + eps)
    y = gamma * xhat + beta
    return y
