# Made by lngen 0.1.0 from the definition of focal_loss; derivation.md has its steps, cost and evidence.
# Do not edit; edit focal_loss.py and run: lngen derive focal_loss.py
# definition sha256:a7f73b4f1a5269bc15bc5297d0921af43c6cc5d760ff38f1fda667e71293b67d
"""Focal loss of a label with the softmax of a row, one number a row: what is classified well counts less. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "focal_loss_forward": (
                "x, label, gamma, out y, saved m, saved Z, saved logpt, "
                "saved expm1_logpt, saved power_expm1_logpt, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "focal_loss_backward": (
                "x, label, dy, saved m, saved Z, saved logpt, saved expm1_logpt, "
                "saved power_expm1_logpt, gamma, out dx, the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "focal_loss_jvp": (
                "x, label, x_dot, saved m, saved Z, saved logpt, saved expm1_logpt, "
                "saved power_expm1_logpt, gamma, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "focal_loss_backward_backward": (
                "x, label, dy, ddx, saved m, saved Z, saved logpt, saved expm1_logpt, "
                "saved power_expm1_logpt, gamma, out dx, out ddy, the rows, "
                "the features"
            ),
        },
    ),
}
