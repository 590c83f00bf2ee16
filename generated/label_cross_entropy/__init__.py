# Made by lngen 0.1.0 from the definition of label_cross_entropy.
# Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
# Cost: forward 1 row tensors (1 read, 0 written), 8 flops per row element; backward 2 row tensors (1 read, 1 written), 8 flops per row element.
# Evidence: 1 output, 15 steps, 21 given equations, 1 gradient, 1 tangent, 2 second-order gradients, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:0af8b9ef230e709d14895b35c79c2613d071969c93fd70b111f1c34862e9644b
# templates sha256:c35f8c9df2624d9b5276e41767ed1fdeea8f18fd9eea4cdd6840c936b938830e
"""Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing."""

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
from .numpy_module import LabelCrossEntropy

__all__ = [
    "INTERFACE",
    "Gradients",
    "LabelCrossEntropy",
    "Saved",
    "SecondGradients",
    "backward",
    "backward_backward",
    "forward",
    "jvp",
    "saved_from",
]
