# Made by lngen 0.1.0 from the definition of pow_glu; derivation.md has its steps, cost and evidence.
# Do not edit; edit pow_glu.py and run: lngen derive pow_glu.py
# Open: exp overflows where power*log_base/(1 + root_base) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:67e102f3ac5fc0c5a92bfffdb1e3643a14746399b46a13e192fda8178dee8863
"""Gated linear unit whose gate grows by a falling power: x**(power/(sqrt(x) + 1))*sigmoid(x) for x > 0, else silu(x)."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    PowGlu,
    Saved,
    SecondGradients,
    backward,
    backward_backward,
    forward,
    jvp,
    saved_from,
)

__all__ = [
    "INTERFACE",
    "Gradients",
    "PowGlu",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
