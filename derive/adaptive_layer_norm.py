"""Layer normalization with a scale and a shift for every entry, from elsewhere.

Perez et al., 2018, arXiv:1709.07871; Peebles & Xie, 2023, arXiv:2212.09748.
"""

from lngen.language import Constant, Row, mean, sqrt


def adaptive_layer_norm(x: Row, scale: Row, shift: Row, eps: Constant = 1e-6):
    mu = mean(x)
    var = mean((x - mu) ** 2)
    xhat = (x - mu) / sqrt(var + eps)
    y = (1 + scale) * xhat + shift
    return y
