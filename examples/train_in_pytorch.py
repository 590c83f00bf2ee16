"""Train two small transformers in PyTorch, with its own norms and with emitted ones in their place.

A stack of GPT blocks and a vision transformer, on random data that is the same for all. Each way to train has a process
of its own, and they take turns of ten steps. The table has how far losses are from those of PyTorch as it is, the
median time of a step with its quartiles, and the most memory that the process had.

    python examples/train_in_pytorch.py [--steps 200] [--without-compile]
"""

import argparse
import contextlib
import functools
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
    print("PyTorch is not installed, so there is nothing to show: pip install torch")
    sys.exit(0)

import lngen.torch

WIDTH, HEADS, DEPTH, BATCH = 256, 4, 4, 8
AS_IT_IS, COMPILED, EMITTED = WAYS = ("PyTorch's", "PyTorch's, compiled", "emitted")
TURN = 10
COLUMNS = ("model", "norms", "first loss", "last loss", "farthest apart", "ms a step (quartiles)", "MiB")


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
        """Return the loss of predicting the next of random words, whose steps are not random."""
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
        """Return the loss of predicting the class of noise with a bright bar."""
        classes, images = torch.randint(10, (BATCH,)), torch.randn(BATCH, 3, 32, 32)
        images[torch.arange(BATCH), :, 3 * classes] += 2
        return nn.functional.cross_entropy(self(images), classes)


MODELS = {"GPT": GPT, "ViT": ViT}


class Training:
    """A model that is trained, its losses and the seconds of its steps."""

    def __init__(self, name, way):
        torch.manual_seed(0)
        self.model = MODELS[name]()
        self.replaced = lngen.torch.replace(self.model).replaced if way == EMITTED else ()
        if way == COMPILED:
            self.model.forward = torch.compile(self.model.forward)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-4)
        self.losses, self.seconds = [], []

    def step(self):
        start = time.perf_counter()
        loss = self.model.loss()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.seconds.append(time.perf_counter() - start)
        self.losses.append(loss.item())


training = functools.cache(Training)  # a process has one


def turn(name, way, steps):
    """Train on for so many steps."""
    for _ in range(steps):
        training(name, way).step()


def outcome(name, way):
    """Losses, seconds of a step, MiB, and which modules layers compute."""
    found = training(name, way)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found.losses, found.seconds, memory, [str(each) for each in found.replaced]


def train(name, ways, steps):
    """The outcome of each way; they take turns, so that what else the machine does slows all of them."""
    with contextlib.ExitStack() as stack:
        pools = {way: stack.enter_context(multiprocessing.get_context("spawn").Pool(1)) for way in ways}
        for done in range(0, steps, TURN):
            for way, pool in pools.items():
                pool.apply(turn, (name, way, min(TURN, steps - done)))
        return {way: pool.apply(outcome, (name, way)) for way, pool in pools.items()}


def row(cells):
    return f"| {' | '.join(cells)} |"


def main():
    """Train, and print the table. The exit status is 1 if losses with emitted norms are not those without."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--without-compile", action="store_true", help="leave out torch.compile")
    options = parser.parse_args()
    ways = [way for way in WAYS if way != COMPILED or not options.without_compile]
    worst = 0.0
    table = [row(COLUMNS), row(["---"] * len(COLUMNS))]
    for name in MODELS:
        outcomes = train(name, ways, options.steps)
        expected = outcomes[AS_IT_IS][0]
        for way, (losses, seconds, memory, replaced) in outcomes.items():
            apart = max(abs(a - b) / a for a, b in zip(expected, losses, strict=True))
            if way == EMITTED:
                worst = max(worst, apart)
                print(f"{name}: {len(replaced)} norms, such as {replaced[0]}")
            low, middle, high = (1e3 * each for each in statistics.quantiles(seconds, n=4, method="inclusive"))
            times = f"{middle:.0f} ({low:.0f} to {high:.0f})"
            distance = "" if way == AS_IT_IS else f"{apart:.1e}"
            table.append(row([name, way, f"{losses[0]:.3f}", f"{losses[-1]:.3f}", distance, times, f"{memory:.0f}"]))
    print("\n".join(table))
    return 0 if worst < 1e-2 else 1


if __name__ == "__main__":
    sys.exit(main())
