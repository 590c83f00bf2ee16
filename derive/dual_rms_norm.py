"""A norm after a block, its residual added, and the norm before the next block, in one pass.

Gemma Team, 2024, arXiv:2408.00118 (section 2: norms before and after each block).
"""

from lngen.language import Constant, Feature, Row, mean, rsqrt


def dual_rms_norm(x: Row, residual: Row, after: Feature = 1, before: Feature = 1, eps: Constant = 1e-6):
    r = residual + after * x * rsqrt(mean(x**2) + eps)
    y = before * r * rsqrt(mean(r**2) + eps)
    return y, r
