# Made by lngen 0.1.0 from the definition of dropout_add_layer_norm.
# Do not edit; edit dropout_add_layer_norm.py and run: lngen derive dropout_add_layer_norm.py
# Cost: forward 4 row tensors (2 read, 2 written), 13 flops per row element; backward 5 row tensors (3 read, 2 written), 18 flops per row element.
# Evidence: 2 outputs, 17 steps, 41 given equations, 2 identities, 4 gradients, 2 tangents, 6 second-order gradients, 8 emitted programs: exact at every D; 4 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:4a6b3992b35ca9623e1f3f25751fde9f8d304538004d43ac6e2b50a873d69837
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""Dropout, residual addition, then layer normalization; the sum is the second output."""

# The layers of a folder share _runtime, which belongs beside them.
from .numpy_backend import (
    INTERFACE,
    Gradients,
    Outputs,
    Saved,
    SecondGradients,
    backward,
    backward_backward,
    forward,
    jvp,
    saved_from,
)
from .numpy_module import DropoutAddLayerNorm

__all__ = [
    "INTERFACE",
    "DropoutAddLayerNorm",
    "Gradients",
    "Outputs",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
