"""Speed of layers in JAX beside what a person writes in `jnp`, which JAX differentiates.

Calls are interleaved, and a time is the smallest of its rounds: `python -m benchmarks.jax_layers [LAYER ...]`.
"""

from __future__ import annotations

import argparse
import importlib
import math
import os
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import jax
import jax.numpy as jnp
import numpy as np

Array = Any
SHAPES = ((64, 512), (4096, 768), (512, 8192))
PICTURES = {(64, 512): (2, 64, 16, 16), (4096, 768): (16, 64, 56, 56), (512, 8192): (8, 256, 45, 45)}
BFLOAT16 = (4096, 768)
ROUNDS, LEAST_SECONDS = 9, 0.02


def layer_norm(x: Array, gamma: Array, beta: Array) -> Array:
    u = x.astype(jnp.float32)
    scaled = (u - u.mean(-1, keepdims=True)) * jax.lax.rsqrt(jnp.var(u, -1, keepdims=True) + 1e-5)
    return (scaled * gamma + beta).astype(x.dtype)


def rms_norm(x: Array, gamma: Array) -> Array:
    u = x.astype(jnp.float32)
    return (u * jax.lax.rsqrt((u * u).mean(-1, keepdims=True) + 1e-5) * gamma).astype(x.dtype)


def softmax(x: Array) -> Array:
    return jax.nn.softmax(x.astype(jnp.float32), -1).astype(x.dtype)


def cross_entropy(x: Array, target: Array) -> Array:
    terms = target.astype(jnp.float32) * jax.nn.log_softmax(x.astype(jnp.float32), -1)
    return -terms.sum(-1).astype(x.dtype)


def group_norm(x: Array, gamma: Array, beta: Array) -> Array:
    n, c, h, w = x.shape
    u = x.astype(jnp.float32).reshape(n, 32, c // 32, h, w)
    scaled = (u - u.mean((2, 3, 4), keepdims=True)) * jax.lax.rsqrt(jnp.var(u, (2, 3, 4), keepdims=True) + 1e-5)
    return (scaled.reshape(x.shape) * gamma[:, None, None] + beta[:, None, None]).astype(x.dtype)


PLAIN: dict[str, Callable[..., Array]] = {
    each.__name__: each for each in (layer_norm, rms_norm, softmax, cross_entropy, group_norm)
}


class Times(NamedTuple):
    """Smallest times of a call in microseconds, and the median of the ratios of a round."""

    emitted: float
    plain: float
    ratio: float


def arguments(name: str, shape: tuple[int, int], dtype: Any) -> list[Array]:
    """Arrays of a call; those of group norm are pictures."""
    random = np.random.default_rng(0)
    size = PICTURES[shape] if name == "group_norm" else shape
    x = jnp.asarray(random.normal(size=size), dtype)
    width = size[1]
    if name == "softmax":
        return [x]
    if name == "cross_entropy":
        weights = np.abs(random.normal(size=size))
        return [x, jnp.asarray(weights / weights.sum(-1, keepdims=True), dtype)]
    return [x, jnp.full(width, 1.5), *[jnp.ones(width)] * (name != "rms_norm")]


def programs(layer: Callable[..., Array], given: list[Array], backward: bool) -> Callable[[], Any]:
    """A call of a compiled program: a layer, or its gradients too."""
    if not backward:
        compiled = jax.jit(layer).lower(*given).compile()
        return lambda: compiled(*given)
    cotangent = jnp.ones_like(layer(*given))

    def both(given: Any, cotangent: Array) -> Any:
        made, pull = jax.vjp(layer, *given)
        return made, pull(cotangent)

    together = jax.jit(both).lower(given, cotangent).compile()
    return lambda: together(given, cotangent)


def timed(name: str, shape: tuple[int, int], dtype: Any, backward: bool, rounds: int = ROUNDS) -> Times:
    """Times of both, a round of each after the other."""
    given = arguments(name, shape, dtype)
    emitted = getattr(importlib.import_module(f"generated.{name}.jax_backend"), name)
    calls = [programs(layer, given, backward) for layer in (emitted, PLAIN[name])]
    jax.block_until_ready(calls[1]())
    start = time.perf_counter()
    jax.block_until_ready(calls[1]())
    count = max(1, math.ceil(LEAST_SECONDS / max(time.perf_counter() - start, 1e-6)))
    found: list[list[float]] = [[], []]
    for turn in range(rounds):
        for place in (0, 1) if turn % 2 else (1, 0):
            start = time.perf_counter()
            for _ in range(count):
                jax.block_until_ready(calls[place]())
            found[place].append((time.perf_counter() - start) / count * 1e6)
    ratio = statistics.median(a / b for a, b in zip(*found, strict=True))
    return Times(min(found[0]), min(found[1]), ratio)


def table(names: list[str], rounds: int) -> Iterator[tuple[str, Times]]:
    """Every layer at every shape in float32, and one in bfloat16, forward and with backward."""
    for name in names:
        for shape, dtype in [*((shape, jnp.float32) for shape in SHAPES), (BFLOAT16, jnp.bfloat16)]:
            for backward in (False, True):
                size = PICTURES[shape] if name == "group_norm" else shape
                label = f"{name} {' x '.join(map(str, size))} {np.dtype(dtype).name}"
                yield (
                    f"{label} {'with backward' if backward else 'forward'}",
                    timed(name, shape, dtype, backward, rounds),
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("layers", nargs="*", help=f"of {', '.join(PLAIN)}; all by default")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args()
    found: dict[str, list[float]] = {"forward": [], "with backward": []}
    print(f"{'':62} {'emitted us':>10} {'jnp us':>10} {'ratio':>6}")
    for label, times in table(asked.layers or [*PLAIN], asked.rounds):
        kind = "with backward" if label.endswith("backward") else "forward"
        found[kind].append(times.ratio)
        print(f"{label:62} {times.emitted:10.0f} {times.plain:10.0f} {times.ratio:6.2f}", flush=True)
    for kind, ratios in found.items():
        print(f"{kind}: geometric mean {statistics.geometric_mean(ratios):.2f}, worst {max(ratios):.2f}")


if __name__ == "__main__":
    main()
