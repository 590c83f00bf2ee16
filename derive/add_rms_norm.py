"""Residual addition, then root-mean-square normalization; the sum is the second output.

The pre-norm block of Touvron et al., 2023, arXiv:2302.13971; the norm of Zhang & Sennrich, 2019, arXiv:1910.07467.
"""

from lngen.language import Constant, Feature, Row, mean, sqrt


def add_rms_norm(x: Row, residual: Row, gamma: Feature = 1, eps: Constant = 1e-5):
    h = x + residual
    ms = mean(h**2)
    xhat = h / sqrt(ms + eps)
    y = gamma * xhat
    return y, h
