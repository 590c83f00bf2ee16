"""Layer normalization, then the Gaussian error linear unit.

Ba, Kiros & Hinton, 2016, arXiv:1607.06450; Hendrycks & Gimpel, 2016, arXiv:1606.08415.
"""

from lngen.language import Constant, Feature, Row, gelu, mean, sqrt


def layer_norm_gelu(x: Row, gamma: Feature = 1, beta: Feature = 0, eps: Constant = 1e-5):
    mu = mean(x)
    var = mean((x - mu) ** 2)
    xhat = (x - mu) / sqrt(var + eps)
    u = gamma * xhat + beta
    y = gelu(u)
    return y
