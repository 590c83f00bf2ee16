"""Gated linear unit whose gate grows by a falling power: x**(power/(sqrt(x) + 1))*sigmoid(x) for x > 0, else silu(x).

Jiang et al., 2026, arXiv:2605.25704.
"""

from lngen.language import Array, Constant, Size, at, exp, log, sigmoid, silu, sqrt, where


def pow_glu(x: Array["... (s d)"], s: Size = 2, power: Constant = 3):
    gate = at(x, s=0)
    value = at(x, s=1)
    base = where(gate > 0, gate, 1)
    grown = exp(power * log(base) / (sqrt(base) + 1))
    y = where(gate > 0, grown * sigmoid(gate), silu(gate)) * value
    return y
