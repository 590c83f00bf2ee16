# Made by lngen 0.1.0 from the definition of alibi_softmax.
# Do not edit; edit alibi_softmax.py and run: lngen derive alibi_softmax.py
# Cost: forward 2 row tensors (1 read, 1 written), and 2 smaller arrays, 14 flops per row element; backward 3 row tensors (2 read, 1 written), and 2 smaller arrays, 17 flops per row element.
# Evidence: 1 output, 1 gradient, 1 tangent, 2 second-order gradients: to 50 digits; 20 steps: 19 exact at every D, 1 to 50 digits; 26 given equations, 1 identity, 8 emitted programs: exact at every D; 1 gradient with rows written out: exact at D = 1; derivation.md says of what.
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
