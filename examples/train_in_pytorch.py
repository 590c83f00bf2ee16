"""Train two small transformers in PyTorch, with its own norms and with emitted ones in their place.

A stack of GPT blocks and a vision transformer, on random data that is the same for all. Each way to train runs in a
process of its own, one after the other; the table has how far its losses are from those of PyTorch as it is, the time
of a step and the most memory that the process had.

    python examples/train_in_pytorch.py [--steps 200] [--without-compile]
"""

import argparse
import multiprocessing
import resource
import statistics
import sys
import time

import lngen

try:
    import torch
    from torch import nn
except ImportError:
    torch = None
    print("PyTorch is not installed, so there is nothing to show: pip install 'lngen[torch]'")
    sys.exit(0)

import lngen.torch

WIDTH, HEADS, DEPTH, BATCH = 256, 4, 4, 8
WAYS = {"PyTorch": "as it is", "compiled": "torch.compile", "lngen": "with emitted norms"}


class Block(nn.Module):
    """Attention, then two matrices with a bend between, each on normalized rows."""

    def __init__(self, norm, is_causal):
        super().__init__()
        self.before, self.between = norm(WIDTH), norm(WIDTH)
        self.split, self.join = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))
        self.is_causal = is_causal

    def forward(self, x):
        parts = self.split(self.before(x)).unflatten(-1, (3, HEADS, -1)).transpose(1, 3)
        heads = nn.functional.scaled_dot_product_attention(*parts.unbind(2), is_causal=self.is_causal)
        x = x + self.join(heads.transpose(1, 2).flatten(2))
        return x + self.wide(self.between(x))


class GPT(nn.Module):
    """Blocks that each position sees what is before it; rms_norm as in newer models."""

    def __init__(self, words=128, length=64):
        super().__init__()
        self.words, self.places = nn.Embedding(words, WIDTH), nn.Parameter(torch.zeros(length, WIDTH))
        self.blocks = nn.Sequential(*[Block(lambda width: nn.RMSNorm(width, eps=1e-6), True) for _ in range(DEPTH)])
        self.last = nn.Sequential(nn.RMSNorm(WIDTH, eps=1e-6), nn.Linear(WIDTH, words))

    def forward(self, words):
        return self.last(self.blocks(self.words(words) + self.places))

    def loss(self):
        """How well the next of random words is foretold, whose steps are not random."""
        start, step = torch.randint(128, (BATCH, 1)), torch.randint(1, 4, (BATCH, 1))
        words = (start + step * torch.arange(65)) % 128
        return nn.functional.cross_entropy(self(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())


class ViT(nn.Module):
    """Blocks over the patches of an image."""

    def __init__(self, classes=10, size=32, patch=4):
        super().__init__()
        self.patches = nn.Conv2d(3, WIDTH, patch, patch)
        self.places = nn.Parameter(torch.zeros((size // patch) ** 2, WIDTH))
        self.blocks = nn.Sequential(*[Block(nn.LayerNorm, False) for _ in range(DEPTH)])
        self.last = nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, classes))

    def forward(self, images):
        return self.last(self.blocks(self.patches(images).flatten(2).mT + self.places).mean(1))

    def loss(self):
        """How well the class of noise with a bright bar is told."""
        classes, images = torch.randint(10, (BATCH,)), torch.randn(BATCH, 3, 32, 32)
        images[torch.arange(BATCH), :, 3 * classes] += 2
        return nn.functional.cross_entropy(self(images), classes)


MODELS = {"GPT": GPT, "ViT": ViT}


def train(name, way, steps):
    """Losses, seconds of a step, and MiB; for "lngen" also what was put in the place of what."""
    torch.manual_seed(0)
    model = MODELS[name]()
    replaced = lngen.torch.replace(model) if way == "lngen" else []
    if way == "compiled":
        model.forward = torch.compile(model.forward)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    losses, seconds = [], []
    for _ in range(steps):
        start = time.perf_counter()
        loss = model.loss()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seconds.append(time.perf_counter() - start)
        losses.append(loss.item())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return losses, statistics.median(seconds), memory, [str(each) for each in replaced]


def main():
    """Train, and print the table. The exit status is 1 if losses with emitted norms are not those without."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--without-compile", action="store_true", help="leave out torch.compile")
    options = parser.parse_args()
    ways = [way for way in WAYS if way != "compiled" or not options.without_compile]
    worst = 0.0
    rows = []
    for name in MODELS:
        curves = {}
        for way in ways:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                curves[way], seconds, memory, replaced = pool.apply(train, (name, way, options.steps))
            apart = max(abs(a - b) / a for a, b in zip(curves["PyTorch"], curves[way], strict=True))
            if way == "lngen":
                worst = max(worst, apart)
                print(f"{name}: {len(replaced)} norms, such as {replaced[0]}")
            first, last = curves[way][0], curves[way][-1]
            rows.append(
                f"{name:4} {WAYS[way]:18} {first:6.3f} {last:6.3f} {apart:9.1e} {seconds * 1e3:8.1f} {memory:8.0f}"
            )
    print(f"{'':23}  first   last  apart by  ms/step      MiB   losses; {options.steps} steps")
    print("\n".join(rows))
    return 0 if worst < 1e-2 else 1


if __name__ == "__main__":
    sys.exit(main())
