"""SwiGLU of a gate and a value that lie side by side in one array.

Shazeer, 2020, arXiv:2002.05202 (equation 6); packed as in Touvron et al., 2023, arXiv:2302.13971.
"""

from lngen.language import Array, Size, at, silu


def packed_swiglu(x: Array["... (s d)"], s: Size = 2):
    gate = at(x, s=0)
    value = at(x, s=1)
    y = silu(gate) * value
    return y
