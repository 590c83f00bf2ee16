"""An emitted layer inside torch: a `torch.autograd.Function` around its forward and backward.

It runs on the CPU, on the arrays that torch and NumPy share, and compares itself with torch's own layer.

    python examples/torch_function.py
"""

import sys

import lngen

try:
    import torch
except ImportError:
    torch = None

norm = lngen.load("layer_norm")

if torch is not None:

    class LayerNorm(torch.autograd.Function):
        """The emitted layer as a node of torch's graph."""

        @staticmethod
        def forward(ctx, x, gamma, beta, eps):
            arrays = (tensor.detach().numpy() for tensor in (x, gamma, beta))
            y, ctx.of_forward = norm.forward(*arrays, eps=eps)
            return torch.from_numpy(y)

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, dy):
            gradients = norm.backward(ctx.of_forward, dy.detach().numpy())
            return *map(torch.from_numpy, gradients), None  # eps has no gradient


def main():
    """Compare outputs and gradients with torch's own layer; print the largest difference of each."""
    if torch is None:
        print("torch is not installed, so there is nothing to show: pip install torch")
        return 0
    torch.manual_seed(0)
    size, eps = 256, 1e-5
    ours = [torch.randn(32, size), torch.randn(size), torch.randn(size)]
    theirs = [tensor.clone() for tensor in ours]
    for tensor in (*ours, *theirs):
        tensor.requires_grad_()
    y = LayerNorm.apply(*ours, eps)
    expected = torch.nn.functional.layer_norm(theirs[0], (size,), *theirs[1:], eps)
    weights = torch.randn(32, size)
    (y * weights).sum().backward()
    (expected * weights).sum().backward()
    pairs = {"y": (y, expected)} | {
        name: (a.grad, b.grad) for name, a, b in zip(("dx", "dgamma", "dbeta"), ours, theirs, strict=True)
    }
    differences = {name: (a - b).abs().max().item() for name, (a, b) in pairs.items()}
    for name, difference in differences.items():
        print(f"{name:7} differs from torch's by {difference:.1e}")
    return 0 if max(differences.values()) < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
