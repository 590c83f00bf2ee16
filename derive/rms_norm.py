"""Root-mean-square normalization over the feature axis.

Zhang & Sennrich, 2019, arXiv:1910.07467.

In PyTorch: torch.nn.RMSNorm(normalized_shape=D, weight=gamma, eps=eps)
"""

from lngen.language import Constant, Feature, Row, mean, sqrt


def rms_norm(x: Row, gamma: Feature = 1, eps: Constant = 1e-5):
    ms = mean(x**2)
    xhat = x / sqrt(ms + eps)
    y = gamma * xhat
    return y
