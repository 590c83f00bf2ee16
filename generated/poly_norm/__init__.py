# Made by lngen 0.1.0 from the definition of poly_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit poly_norm.py and run: lngen derive poly_norm.py
# definition sha256:2ea2b446786e64241f7150293f6095959abe2b2c825be3f9a8b92b8b0084e85b
"""Polynomial of a row whose powers are each scaled to root mean square 1."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    PolyNorm,
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
    "PolyNorm",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
