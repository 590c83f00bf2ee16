# Made by lngen 0.1.0 from the definition of alibi_softmax; derivation.md has its steps, cost and evidence.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# definition sha256:e806073a14042653fb54ee0ec58ab943f715817f31d51d1e5cec6ae6abe1d90e
"""Causal softmax of attention with a bias that is linear in the distance of a key, with a slope for each head. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "alibi_softmax_forward": (
                "x, slope, position, out y, saved m, saved inv_sum_e_shifted, "
                "the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "alibi_softmax_backward": (
                "x, slope, position, dy, saved m, saved inv_sum_e_shifted, out dx, "
                "the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "alibi_softmax_jvp": (
                "x, slope, position, x_dot, saved m, saved inv_sum_e_shifted, "
                "out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "alibi_softmax_backward_backward": (
                "x, slope, position, dy, ddx, saved m, saved inv_sum_e_shifted, "
                "out dx, out ddy, the rows, the features"
            ),
        },
    ),
}
