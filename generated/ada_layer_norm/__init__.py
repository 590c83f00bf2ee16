# Made by lngen 0.1.0 from the definition of ada_layer_norm.
# Do not edit; edit ada_layer_norm.py and run: lngen derive ada_layer_norm.py
# Cost: forward 2 row tensors (1 read, 1 written), and 2 smaller arrays, 10 flops per row element; backward 3 row tensors (2 read, 1 written), and 3 smaller arrays, 13 flops per row element.
# Evidence: 1 output, 17 steps, 35 given equations, 2 identities, 3 gradients, 1 tangent, 4 second-order gradients, 8 emitted programs: exact at every D; 3 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:4511546d4270dc6e00be6c536336d723e2d3fc56b8a52577643353e5bd4ccb6f
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""Layer normalization with a scale and a shift for each sample."""

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
from .numpy_module import AdaLayerNorm

__all__ = [
    "INTERFACE",
    "AdaLayerNorm",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
