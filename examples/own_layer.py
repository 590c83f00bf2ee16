"""A layer that nobody ships: write it, derive it, import it, check it, all in a temporary folder.

python examples/own_layer.py
"""

import tempfile
from pathlib import Path

import numpy as np

import lngen

DEFINITION = '''
"""A norm that learns how much it normalizes: alpha far below 0 leaves x as it is."""
from lngen.language import Constant, Feature, Row, Scalar, mean, sigmoid, sqrt


def blended_norm(x: Row, gamma: Feature = 1, alpha: Scalar = 0, eps: Constant = 1e-5):
    c = x - mean(x)
    xhat = c / sqrt(mean(c**2) + eps)
    gate = sigmoid(alpha)
    y = gamma * (gate * xhat + (1 - gate) * x)
    return y
'''


def main():
    """Print what becomes of the definition above."""
    with tempfile.TemporaryDirectory() as folder:
        layer = lngen.derive(DEFINITION)
        for name, formula in layer.gradients.items():
            print(f"{name} = {formula}")

        # What `lngen derive blended_norm.py --out FOLDER` does.
        blended_norm = lngen.load(layer.write(Path(folder) / "layers"))

        rng = np.random.default_rng(0)
        x, gamma = rng.normal(3.0, 2.0, (4, 8)), rng.normal(size=8)
        y, saved = blended_norm.forward(x, gamma, 0.5)
        gradients = blended_norm.backward(saved, np.ones_like(y))
        print(
            "gradients:",
            ", ".join(f"{name} {np.shape(value)}" for name, value in gradients._asdict().items()),
        )

        # The same by a central difference, here in the one Scalar of the layer.
        step = 1e-5
        above, below = (blended_norm.forward(x, gamma, 0.5 + h)[0].sum() for h in (step, -step))
        print(f"dalpha: {gradients.dalpha:.8f}, by difference {(above - below) / (2 * step):.8f}")

        # What `lngen check blended_norm.py --backend numpy --shape 5,7 --shape 2,33` does.
        report = layer.check(shapes=[(5, 7), (2, 33)])
        print(f"{len(report.evidence)} checks, {len(report.failures)} failed")
        return report.passed


if __name__ == "__main__":
    raise SystemExit(0 if main() else 1)
