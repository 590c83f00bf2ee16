# Made by lngen 0.1.0 from the definition of cispo; derivation.md has its steps, cost and evidence.
# Do not edit; edit cispo.py and run: lngen derive cispo.py
# Open: exp overflows where sum_where_x_shifted - old - log_Z is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
# definition sha256:a21bee54b07909b1e1df488422d8fc3f4932d92800acfe716b79aec1320057a1
"""Loss of a token by a clipped importance weight, from its logits: the weight is cut, and no token's gradient is."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Cispo,
    Gradients,
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
    "Cispo",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
