"""SwiGLU whose gate and value are clamped, and lie in turns in one array; the value has 1 added.

OpenAI, 2025, arXiv:2508.10925 (section 2), as its reference code has it.
"""

from lngen.language import Array, Constant, Size, at, clip, minimum, sigmoid


def clamped_swiglu(x: Array["... (d s)"], s: Size = 2, alpha: Constant = 1.702, limit: Constant = 7):
    gate = minimum(at(x, s=0), limit)
    value = clip(at(x, s=1), -limit, limit)
    y = gate * sigmoid(alpha * gate) * (value + 1)
    return y
