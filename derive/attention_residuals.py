"""Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row.

Kimi Team, 2026, Attention Residuals (section 3).
"""

from lngen.language import Array, Constant, Size, at, exp, maximum, mean, rsqrt, sum


def attention_residuals(x: Array["n ... d"], query: Array["d"], n: Size = 3, eps: Constant = 1e-6):
    a = at(x, n=0)
    b = at(x, n=1)
    c = at(x, n=2)
    u = sum(query * a, "d") * rsqrt(mean(a**2, "d") + eps)
    v = sum(query * b, "d") * rsqrt(mean(b**2, "d") + eps)
    w = sum(query * c, "d") * rsqrt(mean(c**2, "d") + eps)
    top = maximum(maximum(u, v), w)
    p = exp(u - top)
    q = exp(v - top)
    r = exp(w - top)
    y = (p * a + q * b + r * c) / (p + q + r)
    return y
