# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# Cost: forward 4 row tensors (2 read, 2 written), and 3 smaller arrays, 12 flops per row element; backward 6 row tensors (4 read, 2 written), and 5 smaller arrays, 18 flops per row element.
# Evidence: 2 outputs, 17 steps, 44 given equations, 2 identities, 5 gradients, 2 tangents, 7 second-order gradients, 8 emitted programs: exact at every D; 5 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own."""

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
from .numpy_module import AdaLayerNormZero

__all__ = [
    "INTERFACE",
    "AdaLayerNormZero",
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
