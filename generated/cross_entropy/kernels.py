# Made by lngen 0.1.0 from the definition of cross_entropy.
# Do not edit; edit cross_entropy.py and run: lngen derive cross_entropy.py
# Cost: forward 2 row tensors (2 read, 0 written), 7 flops per row element; backward 4 row tensors (2 read, 2 written), 9 flops per row element.
# Evidence: 1 output, 25 steps, 30 given equations, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
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
