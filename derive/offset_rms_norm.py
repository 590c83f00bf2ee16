"""Root-mean-square normalization with a weight that is learned as its distance from one.

Zhang & Sennrich, 2019, arXiv:1910.07467; the offset is that of the released code of Gemma, 2024, arXiv:2403.08295.

In PyTorch: transformers.models.gemma.modeling_gemma.GemmaRMSNorm(weight=w, eps=eps)
In PyTorch: transformers.models.gemma2.modeling_gemma2.Gemma2RMSNorm(weight=w, eps=eps)
In PyTorch: transformers.models.gemma3.modeling_gemma3.Gemma3RMSNorm(weight=w, eps=eps)
"""

from lngen.language import Constant, Feature, Row, mean, sqrt


def offset_rms_norm(x: Row, w: Feature = 0, eps: Constant = 1e-6):
    ms = mean(x**2)
    xhat = x / sqrt(ms + eps)
    y = (1 + w) * xhat
    return y
