"""A layer in one expression: the derivation has to find its intermediates by itself."""

from lngen.language import Constant, Feature, Row, mean, sqrt


def one_line(x: Row, gamma: Feature = 1, beta: Feature = 0, eps: Constant = 1e-5):
    return gamma * ((x - mean(x)) / sqrt(mean((x - mean(x)) ** 2) + eps)) + beta
