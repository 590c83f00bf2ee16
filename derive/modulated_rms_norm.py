"""Root-mean-square normalization with a scale and a shift for each sample.

Peebles & Xie, 2022, arXiv:2212.09748 (section 3.2), with the norm of Zhang & Sennrich, 2019, arXiv:1910.07467.
"""

from lngen.language import Array, Constant, mean, rsqrt


def modulated_rms_norm(x: Array["b ... d"], scale: Array["b d"] = 0, shift: Array["b d"] = 0, eps: Constant = 1e-6):
    xhat = x * rsqrt(mean(x**2, "d") + eps)
    y = (1 + scale) * xhat + shift
    return y
