"""Layer normalization whose output is gated by one number a row.

Ba, Kiros & Hinton, 2016, arXiv:1607.06450; one gate a token as in Shazeer et al., 2017, arXiv:1701.06538 (equation 1).
"""

from lngen.language import Constant, Feature, Row, RowScalar, mean, sqrt


def modulated_layer_norm(x: Row, gate: RowScalar = 1, gamma: Feature = 1, beta: Feature = 0, eps: Constant = 1e-5):
    mu = mean(x)
    var = mean((x - mu) ** 2)
    xhat = (x - mu) / sqrt(var + eps)
    y = gate * (gamma * xhat + beta)
    return y
