# Made by lngen 0.1.0 from the definition of scaled_softmax.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 11 flops per row element.
# Evidence: 1 output, 21 steps, 30 given equations, 1 identity, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""Softmax with a learned inverse temperature."""

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
from .numpy_module import ScaledSoftmax

__all__ = [
    "INTERFACE",
    "Gradients",
    "Saved",
    "ScaledSoftmax",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
