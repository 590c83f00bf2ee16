"""Train a small network in plain NumPy, whose layers are objects: emitted classes, and a matrix of the same kind.

Two interleaved spirals, two hidden layers, full batches, plain gradient descent. The network is saved and loaded at
the end.

    python examples/train_numpy.py
"""

import io

import numpy as np

import lngen

LayerNormGelu = lngen.load("layer_norm_gelu").LayerNormGelu
CrossEntropy = lngen.load("cross_entropy").CrossEntropy


class Linear:
    """A matrix, with what an emitted class has."""

    def __init__(self, inputs, outputs, rng):
        self.parameters = {"weight": rng.normal(0.0, inputs**-0.5, (inputs, outputs))}

    def forward(self, x):
        self.x = x
        return x @ self.parameters["weight"]

    def backward(self, dy):
        self.gradients = {"weight": self.x.T @ dy}
        return dy @ self.parameters["weight"].T


def network(rng, hidden=32):
    return [
        Linear(6, hidden, rng),
        LayerNormGelu(hidden, dtype=np.float64),
        Linear(hidden, hidden, rng),
        LayerNormGelu(hidden, dtype=np.float64),
        Linear(hidden, 2, rng),
    ]


def spirals(count, rng):
    """Return features of points on two spirals, (2*count, 6), and the spiral of each, (2*count, 2)."""
    radius = np.sqrt(rng.uniform(0.02, 1.0, count))
    angle = 3.0 * np.pi * radius
    arm = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    points = np.concatenate([arm, -arm]) + rng.normal(0.0, 0.01, (2 * count, 2))
    return np.concatenate([points, np.sin(4.0 * points), np.cos(4.0 * points)], axis=-1), np.eye(2).repeat(count, 0)


def predicted(layers, x):
    for layer in layers:
        x = layer.forward(x)
    return x


def train(layers, points, targets, steps=100, rate=0.5):
    """The loss before each step."""
    cross_entropy, losses = CrossEntropy(), []
    for _ in range(steps):
        losses.append(cross_entropy.forward(predicted(layers, points), targets).mean())

        gradient, _ = cross_entropy.backward(np.full(len(points), 1 / len(points)))
        for layer in reversed(layers):
            gradient = layer.backward(gradient)
        for layer in layers:
            for name, value in layer.gradients.items():
                layer.parameters[name] -= rate * value
    return losses


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    points, targets = spirals(200, rng)
    layers = network(rng)
    losses = train(layers, points, targets)
    for step in range(0, len(losses), 20):
        print(f"step {step:3}   loss {losses[step]:.4f}")
    print(f"step {len(losses) - 1:3}   loss {losses[-1]:.4f}")

    file = io.BytesIO()  # or the name of one
    np.savez(
        file, **{f"{n}.{name}": value for n, layer in enumerate(layers) for name, value in layer.parameters.items()}
    )
    file.seek(0)
    loaded, again = np.load(file), network(rng)
    for n, layer in enumerate(again):
        layer.parameters.update({name: loaded[f"{n}.{name}"] for name in layer.parameters})
    same = np.array_equal(predicted(again, points), predicted(layers, points))
    print("loaded, it is", "the same" if same else "another")
