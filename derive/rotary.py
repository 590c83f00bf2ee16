"""Rotary position embedding: both halves of a row are turned by the angle of their position.

Su et al., 2021, arXiv:2104.09864 (equation 34), with the pairs of a row in two halves.
"""

from lngen.language import Array, Data, Size, at, join


def rotary(x: Array["b h t (s d)"], cosine: Data["t d"], sine: Data["t d"], s: Size = 2):
    a = at(x, s=0)
    b = at(x, s=1)
    y = join(a * cosine - b * sine, b * cosine + a * sine)
    return y
