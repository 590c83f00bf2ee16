# Made by lngen 0.1.0 from the definition of standardize.
# Do not edit; edit standardize.py and run: lngen derive standardize.py
# Cost: forward 2 row tensors (1 read, 1 written), 7 flops per row element; backward 3 row tensors (2 read, 1 written), 10 flops per row element.
# Evidence: exact 1 of 1, 50 digits 1 of 1, second derivation 1 of 1, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:5c30a6dc2dc6ad6d80103cedc7b8820d41a985b799ed6b10a6631e55e07f29cc
# templates sha256:47519b09048c12efa247fb1e7cf85c3aa9f69637ba08a12205eedcd046b0c9e6
"""Rows of mean zero and unbiased variance one, without parameters."""

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

__all__ = [
    "INTERFACE",
    "Gradients",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
