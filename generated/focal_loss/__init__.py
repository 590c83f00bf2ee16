# Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    FocalLoss,
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
    "FocalLoss",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
