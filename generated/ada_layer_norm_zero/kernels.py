# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
# Cost: forward 4 row tensors (2 read, 2 written), and 3 smaller arrays, 12 flops per row element; backward 6 row tensors (4 read, 2 written), and 5 smaller arrays, 18 flops per row element.
# Evidence: 2 outputs, 17 steps, 44 given equations, 2 identities, 5 gradients, 2 tangents, 7 second-order gradients, 8 emitted programs: exact at every D; 5 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:6fecdb4efd7788d1b4be54bc0dab10ec7179ca71da616bede46e3af1bcb151ba
"""Gated residual addition, then layer normalization with a scale and a shift; all three are a sample's own. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "ada_layer_norm_zero_forward": (
                "x, branch, gate, scale, shift, eps, out y, out h, saved mu, "
                "saved mu_residual, saved rstd, the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "ada_layer_norm_zero_backward": (
                "x, branch, gate, scale, dy, dh, saved mu, saved mu_residual, "
                "saved rstd, out dx, out dbranch, out dgate, out dscale, out dshift, "
                "the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "ada_layer_norm_zero_jvp": (
                "x, branch, gate, scale, x_dot, branch_dot, gate_dot, scale_dot, "
                "shift_dot, saved mu, saved mu_residual, saved rstd, out y_dot, "
                "out h_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "ada_layer_norm_zero_backward_backward": (
                "x, branch, gate, scale, dy, dh, ddx, ddbranch, ddgate, ddscale, "
                "ddshift, saved mu, saved mu_residual, saved rstd, out dx, "
                "out dbranch, out dgate, out dscale, out dshift, out ddy, out ddh, "
                "the rows, the features"
            ),
        },
    ),
}
