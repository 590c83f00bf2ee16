# Made by lngen 0.1.0 from the definition of kto; derivation.md has its steps, cost and evidence.
# Do not edit; edit kto.py and run: lngen derive kto.py
# definition sha256:de3dd6915e49139667037ffff069c8b13cc968ee4570928de49e68a89bba5cb0
"""Kahneman-Tversky optimization of one answer that is desirable or not, from its log-probability."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    Kto,
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
    "Kto",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
