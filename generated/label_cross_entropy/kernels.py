# Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
# definition sha256:0af8b9ef230e709d14895b35c79c2613d071969c93fd70b111f1c34862e9644b
"""Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "label_cross_entropy_forward": (
                "x, label, ignore, smoothing, z_loss, out y, saved m, saved Z, "
                "saved log_Z, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "label_cross_entropy_backward": (
                "x, label, dy, saved m, saved Z, saved log_Z, ignore, smoothing, "
                "z_loss, out dx, the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "label_cross_entropy_jvp": (
                "x, label, x_dot, saved m, saved Z, saved log_Z, ignore, smoothing, "
                "z_loss, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "label_cross_entropy_backward_backward": (
                "x, label, dy, ddx, saved m, saved Z, saved log_Z, ignore, smoothing, "
                "z_loss, out dx, out ddy, the rows, the features"
            ),
        },
    ),
}
