# Made by lngen 0.1.0 from the definition of packed_swiglu.
# Do not edit; edit packed_swiglu.py and run: lngen derive packed_swiglu.py
# Cost: forward 3 row tensors (2 read, 1 written), 3 flops per row element; backward 5 row tensors (3 read, 2 written), 9 flops per row element.
# Evidence: 1 output, 10 steps, 14 given equations, 2 gradients, 1 tangent, 3 second-order gradients, 8 emitted programs: exact at every D; 2 gradients with rows written out: exact at D = 1, 2, 3, 4; derivation.md says of what.
# definition sha256:4087ac2d63756142998f95755cddc7be7f807b9cd271eb8694eeacdf2036e588
"""SwiGLU of a gate and a value that lie side by side in one array. The values that its kernels take, in order."""

from .._runtime.protocol.kernels import KernelTable

KERNELS = {
    "forward": KernelTable(
        source="kernels",
        kernels={"packed_swiglu_forward": "gate, value, out y, the rows, the features"},
    ),
    "backward": KernelTable(
        source="kernels",
        kernels={
            "packed_swiglu_backward": (
                "gate, value, dy, out dgate, out dvalue, the rows, the features"
            ),
        },
    ),
    "jvp": KernelTable(
        source="second_order",
        kernels={
            "packed_swiglu_jvp": (
                "gate, value, gate_dot, value_dot, out y_dot, the rows, the features"
            ),
        },
    ),
    "backward_backward": KernelTable(
        source="second_order",
        kernels={
            "packed_swiglu_backward_backward": (
                "gate, value, dy, ddgate, ddvalue, out dgate, out dvalue, out ddy, "
                "the rows, the features"
            ),
        },
    ),
}
