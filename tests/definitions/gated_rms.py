"""Two row inputs: one is normalized, the other is its gate."""

from lngen.language import Constant, Feature, Row, mean, rsqrt, sigmoid


def gated_rms(x: Row, z: Row, gamma: Feature = 1, eps: Constant = 1e-5):
    xhat = x * rsqrt(mean(x**2) + eps)
    y = gamma * xhat * z * sigmoid(z)
    return y
