"""Residual addition, then layer normalization; the sum is the second output.

The pre-norm block of Xiong et al., 2020, arXiv:2002.04745; the norm of Ba, Kiros & Hinton, 2016, arXiv:1607.06450.
"""

from lngen.language import Constant, Feature, Row, mean, sqrt


def add_layer_norm(x: Row, residual: Row, gamma: Feature = 1, beta: Feature = 0, eps: Constant = 1e-5):
    h = x + residual
    mu = mean(h)
    var = mean((h - mu) ** 2)
    xhat = (h - mu) / sqrt(var + eps)
    y = gamma * xhat + beta
    return y, h
