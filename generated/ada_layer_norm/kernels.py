# Made by lngen 0.1.0 from the definition of ada_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit ada_layer_norm.py and run: lngen derive ada_layer_norm.py
# definition sha256:4511546d4270dc6e00be6c536336d723e2d3fc56b8a52577643353e5bd4ccb6f
"""Layer normalization with a scale and a shift for each sample. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "ada_layer_norm_forward": (
                "x, scale, shift, eps, out y, saved mu, saved mu_residual, saved rstd, "
                "the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "ada_layer_norm_backward": (
                "x, scale, dy, saved mu, saved mu_residual, saved rstd, out dx, "
                "out dscale, out dshift, the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "ada_layer_norm_jvp": (
                "x, scale, x_dot, scale_dot, shift_dot, saved mu, saved mu_residual, "
                "saved rstd, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "ada_layer_norm_backward_backward": (
                "x, scale, dy, ddx, ddscale, ddshift, saved mu, saved mu_residual, "
                "saved rstd, out dx, out dscale, out dshift, out ddy, the rows, "
                "the features"
            ),
        },
    ),
}
