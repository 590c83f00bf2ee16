# Made by lngen 0.1.0 from the definition of ada_layer_norm_zero; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm_zero.py and run: lngen derive ada_layer_norm_zero.py
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
