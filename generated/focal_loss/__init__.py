# Made by lngen 0.1.0 from the definition of focal_loss.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# Cost: forward 1 row tensors (1 read, 0 written), 8 flops per row element; backward 2 row tensors (1 read, 1 written), 12 flops per row element.
# Evidence: 1 output, 30 steps, 33 given equations, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 2, 3, 4; derivation.md says of what.
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    Saved,
    SecondGradients,
    backward,
    backward_backward,
    forward,
    jvp,
    saved_from,
)
from .numpy_module import FocalLoss

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
