# Made by lngen 0.1.0 from the definition of causal_softmax.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), and 1 smaller array, 13 flops per row element; backward 3 row tensors (2 read, 1 written), and 1 smaller array, 22 flops per row element.
# Evidence: 1 output, 2 gradients, 1 tangent, 3 second-order gradients: to 50 digits; 25 steps: 24 exact at every D, 1 to 50 digits; 31 given equations, 1 identity, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1; derivation.md says of what.
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query."""

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
from .numpy_module import CausalSoftmax

__all__ = [
    "INTERFACE",
    "CausalSoftmax",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
