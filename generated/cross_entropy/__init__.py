# Made by lngen 0.1.0 from the definition of cross_entropy.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# Cost: forward 2 row tensors (2 read, 0 written), 7 flops per row element; backward 4 row tensors (2 read, 2 written), 9 flops per row element.
# Evidence: 1 output, 25 steps, 30 given equations, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""Cross entropy of soft targets with the softmax of a row, one number a row."""

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
from .numpy_module import CrossEntropy

__all__ = [
    "INTERFACE",
    "CrossEntropy",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
