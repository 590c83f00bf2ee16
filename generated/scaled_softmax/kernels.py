# Made by lngen 0.1.0 from the definition of scaled_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit scaled_softmax.py and run: lngen derive scaled_softmax.py
# definition sha256:1159a7787ddac63c2ef16f9172135a664fd794586bda7a00071cdf45fab10061
"""Softmax with a learned inverse temperature. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "scaled_softmax_forward": (
                "x, scale, out y, saved m, saved inv_Z, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(0, 1),
        kernels={
            "scaled_softmax_backward": (
                "x, dy, saved m, saved inv_Z, scale, out dx, the workspace, the rows, "
                "the features"
            ),
            "scaled_softmax_backward_columns": (
                "the workspace, the blocks, scale, out dscale, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "scaled_softmax_jvp": (
                "x, x_dot, saved m, saved inv_Z, scale, scale_dot, out y_dot, "
                "the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(0, 1),
        kernels={
            "scaled_softmax_backward_backward": (
                "x, dy, ddx, saved m, saved inv_Z, scale, ddscale, out dx, out ddy, "
                "the workspace, the rows, the features"
            ),
            "scaled_softmax_backward_backward_columns": (
                "the workspace, the blocks, scale, ddscale, out dscale, the features"
            ),
        },
    ),
}
