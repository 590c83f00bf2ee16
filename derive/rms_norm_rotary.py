"""Root-mean-square normalization of queries or keys, then rotary position embedding, in one pass.

Dehghani et al., 2023, arXiv:2302.05442 (section 2); Su et al., 2021, arXiv:2104.09864 (equation 34), with the pairs of
a row in two halves.
"""

from lngen.language import Array, Constant, Data, Size, at, join, mean, rsqrt


def rms_norm_rotary(
    x: Array["b h t (s d)"],
    cosine: Data["t d"],
    sine: Data["t d"],
    weight: Array["(s d)"] = 1,
    s: Size = 2,
    eps: Constant = 1e-6,
):
    a = at(x, s=0)
    b = at(x, s=1)
    rstd = rsqrt(mean(a**2 + b**2, "d") / 2 + eps)
    u = at(weight, s=0) * a * rstd
    v = at(weight, s=1) * b * rstd
    y = join(u * cosine - v * sine, v * cosine + u * sine)
    return y
