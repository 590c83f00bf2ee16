# Made by lngen 0.1.0 from the definition of cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# definition sha256:720360c5cb09872200aabed186e656f0885e8ed283f3161e9473c22b483e8c85
"""Cross entropy of soft targets with the softmax of a row, one number a row. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "cross_entropy_forward": (
                "x, target, out y, saved m, saved Z, saved log_Z, the rows, "
                "the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "cross_entropy_backward": (
                "x, target, dy, saved m, saved Z, saved log_Z, out dx, out dtarget, "
                "the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "cross_entropy_jvp": (
                "x, target, x_dot, target_dot, saved m, saved Z, saved log_Z, "
                "out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "cross_entropy_backward_backward": (
                "x, target, dy, ddx, ddtarget, saved m, saved Z, saved log_Z, out dx, "
                "out dtarget, out ddy, the rows, the features"
            ),
        },
    ),
}
