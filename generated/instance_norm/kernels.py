# Made by lngen 0.1.0 from the definition of instance_norm; derivation.md has its steps, cost and evidence.
# Do not edit; edit instance_norm.py and run: lngen derive instance_norm.py
# definition sha256:b5148130fa04fb83b22ef02c31a0abe56635cbf333f94f18c3e787dc808ec6ba
"""Instance normalization: each row is one channel of one sample. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={
            "instance_norm_forward": (
                "x, gamma, beta, eps, out y, saved mu, saved mu_residual, saved rstd, "
                "the rows, the features"
            ),
        },
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "instance_norm_backward": (
                "x, gamma, dy, saved mu, saved mu_residual, saved rstd, out dx, "
                "out dgamma, out dbeta, the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "instance_norm_jvp": (
                "x, gamma, x_dot, gamma_dot, beta_dot, saved mu, saved mu_residual, "
                "saved rstd, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "instance_norm_backward_backward": (
                "x, gamma, dy, ddx, ddgamma, ddbeta, saved mu, saved mu_residual, "
                "saved rstd, out dx, out dgamma, out dbeta, out ddy, the rows, "
                "the features"
            ),
        },
    ),
}
