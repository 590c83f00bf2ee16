# Made by lngen 0.1.0 from the definition of causal_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit causal_softmax.py and run: lngen derive causal_softmax.py
# definition sha256:b471de98d8bc08a437d1fa9907a94d281f3871921184cef56a32a62ae068b536
"""Softmax of the attention of a query to the keys that are not after it; rows are the keys of a query. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "causal_softmax_forward": (
                "x, position, scale, out y, saved m, saved inv_sum_e_shifted, "
                "the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        sums=(0, 1),
        kernels={
            "causal_softmax_backward": (
                "x, position, dy, saved m, saved inv_sum_e_shifted, scale, out dx, "
                "the workspace, the rows, the features"
            ),
            "causal_softmax_backward_columns": (
                "the workspace, the blocks, scale, out dscale, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "causal_softmax_jvp": (
                "x, position, x_dot, saved m, saved inv_sum_e_shifted, scale, "
                "scale_dot, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        sums=(0, 1),
        kernels={
            "causal_softmax_backward_backward": (
                "x, position, dy, ddx, saved m, saved inv_sum_e_shifted, scale, "
                "ddscale, out dx, out ddy, the workspace, the rows, the features"
            ),
            "causal_softmax_backward_backward_columns": (
                "the workspace, the blocks, scale, ddscale, out dscale, the features"
            ),
        },
    ),
}
