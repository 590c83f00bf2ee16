# Made by lngen 0.1.0 from the definition of adaptive_layer_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit adaptive_layer_norm.py and run: lngen derive adaptive_layer_norm.py
# definition sha256:7fb092895b6a7716d44d90b5a6c2898d288255e35397ded2634c6a8ba47eaecb
"""Layer normalization with a scale and a shift for every entry, from elsewhere. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "adaptive_layer_norm_forward": (
                "x, scale, shift, eps, out y, saved mu, saved mu_residual, saved rstd, "
                "the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "adaptive_layer_norm_backward": (
                "x, scale, dy, saved mu, saved mu_residual, saved rstd, out dx, "
                "out dscale, out dshift, the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "adaptive_layer_norm_jvp": (
                "x, scale, x_dot, scale_dot, shift_dot, saved mu, saved mu_residual, "
                "saved rstd, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "adaptive_layer_norm_backward_backward": (
                "x, scale, dy, ddx, ddscale, ddshift, saved mu, saved mu_residual, "
                "saved rstd, out dx, out dscale, out dshift, out ddy, the rows, "
                "the features"
            ),
        },
    ),
}
