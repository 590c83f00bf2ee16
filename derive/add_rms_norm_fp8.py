"""Residual addition, then root-mean-square normalization, divided by a scale and rounded to 8 bits.

Micikevicius et al., 2022, arXiv:2209.05433 (the type); Zhang & Sennrich, 2019, arXiv:1910.07467 (the norm).
"""

from lngen.language import Constant, Feature, Row, Scalar, cast, mean, sqrt


def add_rms_norm_fp8(x: Row, residual: Row, gamma: Feature = 1, scale: Scalar = 1, eps: Constant = 1e-5):
    h = x + residual
    ms = mean(h**2)
    xhat = h / sqrt(ms + eps)
    y = cast(gamma * xhat / scale, "float8_e4m3fn")
    return y, h
