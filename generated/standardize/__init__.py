# Made by lngen 0.1.0 from the definition of standardize.
# Do not edit; edit standardize.py and run: lngen derive standardize.py
# Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 10 flops per row element.
# Evidence: 1 output, 14 steps, 23 given equations, 2 identities, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 2, 3, 4, 5; derivation.md says of what.
# definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""Rows of mean zero and unbiased variance one, without parameters."""

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
from .numpy_module import Standardize

__all__ = [
    "INTERFACE",
    "Gradients",
    "Saved",
    "SecondGradients",
    "Standardize",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
