# Made by lngen 0.1.0 from the definition of rotary.
# Do not edit; edit rotary.py and run: lngen derive rotary.py
# Cost: forward 4 row tensors (2 read, 2 written), and 2 smaller arrays, 6 flops per row element; backward 4 row tensors (2 read, 2 written), and 2 smaller arrays, 6 flops per row element.
# Evidence: 2 outputs, 12 first lines, 2 gradients, 2 tangents, 4 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:27078454ac894088acc7ded7e74efe43bd31d0cc43f0cf3f543f54c838831bc3
# templates sha256:2ac2f07bc6384e88de134c9a9116a66083010804f4352ef40720a3cf756ef3c4
"""Rotary position embedding: both halves of a row are turned by the angle of their position."""

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
from .numpy_module import Rotary

__all__ = [
    "INTERFACE",
    "Gradients",
    "Rotary",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
