"""Dropout, residual addition, then layer normalization; the sum is the second output.

Srivastava et al., 2014, JMLR 15 (dropout); Xiong et al., 2020, arXiv:2002.04745 (the pre-norm block); Ba, Kiros &
Hinton, 2016, arXiv:1607.06450 (the norm). Salmon et al., 2011, made the random numbers of a seed (Philox 4x32-10).
"""

from lngen.language import Constant, Feature, Int, Row, dropout, mean, sqrt


def dropout_add_layer_norm(
    x: Row,
    residual: Row,
    seed: Int[""],
    gamma: Feature = 1,
    beta: Feature = 0,
    p: Constant = 0.1,
    eps: Constant = 1e-5,
):
    h = dropout(x, p, seed) + residual
    mu = mean(h)
    var = mean((h - mu) ** 2)
    xhat = (h - mu) / sqrt(var + eps)
    y = gamma * xhat + beta
    return y, h
