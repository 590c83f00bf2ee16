"""Gated linear unit by GELU in its form with tanh, of a gate and a value that lie side by side in one array.

Shazeer, 2020, arXiv:2002.05202 (equation 5); the form with tanh is that of Hendrycks & Gimpel, 2016, arXiv:1606.08415
(section 2), where the number below is sqrt(2/pi).
"""

from lngen.language import Array, Size, at, tanh


def geglu(x: Array["... (s d)"], s: Size = 2):
    gate = at(x, s=0)
    value = at(x, s=1)
    y = gate / 2 * (1 + tanh(0.7978845608028654 * (gate + 0.044715 * gate**3))) * value
    return y
