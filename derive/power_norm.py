"""Each row divided by its mean fourth power, to the power 1/4.

A generalization of RMS norm (Zhang & Sennrich, 2019, arXiv:1910.07467), whose power is 2. Norms in other powers are in
Hoffer et al., 2018, arXiv:1803.01814.
"""

from lngen.language import Constant, Feature, Row, mean


def power_norm(x: Row, gamma: Feature = 1, eps: Constant = 1e-5):
    scale = (mean(x**4) + eps) ** (-1 / 4)
    xhat = x * scale
    y = gamma * xhat
    return y
