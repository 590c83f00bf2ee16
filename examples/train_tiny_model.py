"""Train a tiny classifier in plain NumPy, with an emitted layer between its two matrices.

Two interleaved spirals, one hidden layer, full batches, plain gradient descent. Every gradient but those of
the two matrices and of the loss comes from the emitted `backward`.

    python examples/train_tiny_model.py
"""

import numpy as np

import lngen

norm = lngen.load("layer_norm")


def spirals(count, rng):
    """Points of two spirals, (2*count, 2), and the spiral each is on."""
    radius = np.sqrt(rng.uniform(0.02, 1.0, count))
    angle = 3.0 * np.pi * radius
    arm = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    points = np.concatenate([arm, -arm]) + rng.normal(0.0, 0.01, (2 * count, 2))
    return points, np.repeat([0, 1], count)


def cross_entropy(logits, labels):
    """The mean loss and its gradient with respect to the logits."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probabilities = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    rows = np.arange(len(labels))
    gradient = np.exp(log_probabilities)
    gradient[rows, labels] -= 1.0
    return -log_probabilities[rows, labels].mean(), gradient / len(labels)


def train(steps=400, hidden=64, rate=1.0, seed=0):
    """The loss before each step."""
    rng = np.random.default_rng(seed)
    points, labels = spirals(200, rng)
    points = np.concatenate([points, np.sin(4.0 * points), np.cos(4.0 * points)], axis=-1)
    w_in = rng.normal(0.0, 1.0, (points.shape[-1], hidden))
    w_out = rng.normal(0.0, hidden**-0.5, (hidden, 2))
    gamma, beta = np.ones(hidden), np.zeros(hidden)
    losses = []
    for _ in range(steps):
        normalized, saved = norm.forward(points @ w_in, gamma, beta)
        activation = np.maximum(normalized, 0.0)
        loss, dlogits = cross_entropy(activation @ w_out, labels)
        losses.append(loss)

        dnormalized = dlogits @ w_out.T * (normalized > 0.0)
        dx, dgamma, dbeta = norm.backward(saved, dnormalized)

        w_out -= rate * activation.T @ dlogits
        w_in -= rate * points.T @ dx
        gamma -= rate * dgamma
        beta -= rate * dbeta
    return losses


if __name__ == "__main__":
    losses = train()
    for step in range(0, len(losses), 50):
        print(f"step {step:4}   loss {losses[step]:.4f}")
    print(f"step {len(losses) - 1:4}   loss {losses[-1]:.4f}")
