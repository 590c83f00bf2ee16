"""Those who compute a layer: each is asked for a step that is timed, forward and backward."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

import lngen
from benchmarks.cpu import baselines, cases
from benchmarks.cpu.cases import Array, Case
from lngen.files.paths import derive_folder
from lngen.language.definition import Definition
from lngen.language.parsing import load

Step = tuple[Callable[[], Any], Callable[[Any], Any]]
"""`forward()` returns what `backward` is given; `backward` returns the gradients in the order of the inputs."""

WARM_HEAP = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "17179869184"}
"""glibc keeps what is freed and hands it out again: no call meets a page for the first time."""


class Peer(Protocol):
    """Makes the step of a case."""

    def __call__(self, definition: Definition, case: Case) -> Step: ...


def emitted(definition: Definition, case: Case) -> Step:
    """The emitted module; its results are new arrays."""
    return _of_module(definition, case, out=False)


def compiled(threads: int = 1, *, out: bool = False) -> Peer:
    """The compiled kernels, whose results are new arrays or the caller's."""

    def peer(definition: Definition, case: Case) -> Step:
        return _of_module(definition, case, out=out, backend="cpu", threads=threads)

    return peer


def emitted_out(definition: Definition, case: Case) -> Step:
    """The emitted module, writing to the caller's arrays."""
    return _of_module(definition, case, out=True)


def _of_module(definition: Definition, case: Case, *, out: bool, backend: str = "numpy", threads: int = 1) -> Step:
    module: Any = lngen.load(definition.name, backend)
    arrays = list(cases.inputs(definition, case).values())
    dys = cases.cotangents(definition, case)
    forward_out = backward_out = None
    if out:
        outputs, saved = module.forward(*arrays)
        forward_out = outputs if len(definition.outputs) == 1 else tuple(outputs)
        backward_out = module.backward(saved, *dys)

    def forward() -> Any:
        return module.forward(*arrays, out=forward_out, threads=threads)[1]

    return forward, lambda saved: module.backward(saved, *dys, out=backward_out, threads=threads)


def plain(definition: Definition, case: Case) -> Step:
    """The definition evaluated line by line."""
    layer = baselines.Plain(definition)
    arrays, dys = cases.inputs(definition, case), cases.cotangents(definition, case)
    return lambda: layer.forward(arrays)[1], lambda saved: layer.backward(saved, dys)


def textbook(definition: Definition, case: Case) -> Step:
    """Layer norm with every intermediate kept."""
    return _of_baseline(baselines.Textbook(), definition, case)


def minimal(definition: Definition, case: Case) -> Step:
    """Layer norm that keeps xhat and rstd."""
    return _of_baseline(baselines.Minimal(), definition, case)


def _of_baseline(layer: Any, definition: Definition, case: Case) -> Step:
    arrays = list(cases.inputs(definition, case).values())
    (dy,) = cases.cotangents(definition, case)
    return lambda: layer.forward(*arrays)[1], lambda saved: layer.backward(saved, dy)


def torch(threads: int) -> Peer:
    """PyTorch's layer norm, backward by autograd on a graph of its own for each step."""

    def peer(definition: Definition, case: Case) -> Step:
        import torch

        torch.set_num_threads(threads)
        arrays = [torch.from_numpy(array).requires_grad_() for array in cases.inputs(definition, case).values()]
        dy = torch.from_numpy(cases.cotangents(definition, case)[0])
        x, gamma, beta = arrays

        def forward() -> Any:
            return torch.nn.functional.layer_norm(x, x.shape[-1:], gamma, beta, baselines.EPS)

        return forward, lambda y: [found.numpy() for found in torch.autograd.grad(y, arrays, dy)]

    return peer


def jax(definition: Definition, case: Case) -> Step:
    """The textbook formula in JAX: forward with its residuals and backward, each compiled."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    arrays = [jnp.asarray(array) for array in cases.inputs(definition, case).values()]
    dy = jnp.asarray(cases.cotangents(definition, case)[0])

    def layer(x: Any, gamma: Any, beta: Any) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        rstd = jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + baselines.EPS)
        return gamma * (centred * rstd) + beta

    forward = jax.jit(lambda *given: jax.vjp(layer, *given))
    backward = jax.jit(lambda pull, cotangent: pull(cotangent))
    return (
        lambda: jax.block_until_ready(forward(*arrays))[1],
        lambda pull: jax.block_until_ready(backward(pull, dy)),
    )


@dataclass(frozen=True)
class Entry:
    """A peer, the environment that its process has, the module it needs and the one layer it is for."""

    make: Peer
    environment: Mapping[str, str]
    needs: str = "numpy"
    only: str | None = "layer_norm"


_ONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_TWO = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"}
_JAX_ONE = {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1", "JAX_PLATFORMS": "cpu"}
PEERS: Mapping[str, Entry] = {
    "emitted": Entry(emitted, _ONE, only=None),
    "emitted out=": Entry(emitted_out, _ONE, only=None),
    "plain": Entry(plain, _ONE, needs="scipy", only=None),
    "textbook": Entry(textbook, _ONE),
    "minimal": Entry(minimal, _ONE),
    "torch, 1 thread": Entry(torch(1), _ONE, needs="torch"),
    "torch, 1 thread, warm heap": Entry(torch(1), {**_ONE, **WARM_HEAP}, needs="torch"),
    "torch, 2 threads": Entry(torch(2), _TWO, needs="torch"),
    "torch, 2 threads, warm heap": Entry(torch(2), {**_TWO, **WARM_HEAP}, needs="torch"),
    "jax, 1 thread": Entry(jax, {**_ONE, **_JAX_ONE}, needs="jax"),
    "emitted, warm heap": Entry(emitted, {**_ONE, **WARM_HEAP}),
    "compiled": Entry(compiled(), _ONE, only=None),
    "compiled out=": Entry(compiled(out=True), _ONE, only=None),
    "compiled, warm heap": Entry(compiled(), {**_ONE, **WARM_HEAP}),
    "compiled, 2 threads": Entry(compiled(2), _TWO),
}


def is_emitted(name: str) -> bool:
    """Whether a peer is emitted code, which the others are compared with."""
    return name.startswith(("emitted", "compiled"))


def definition_of(layer: str) -> Definition:
    """The definition of a shipped layer."""
    return load(derive_folder() / f"{layer}.py")


def gradients(found: Any) -> list[Array]:
    """The gradients as arrays."""
    return [np.asarray(value) for value in found if value is not None]
