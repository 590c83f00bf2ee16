"""Peers that compute a layer: each gives a step to be timed, forward and backward."""

from __future__ import annotations

import ctypes
import struct
import timeit
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import lngen
from benchmarks import torch_layers
from benchmarks.cpu import baselines, cases
from benchmarks.cpu.cases import Array, Case
from benchmarks.shipped import of_rows
from lngen.language.definition import Definition
from lngen.language.parsing import load
from lngen.paths import derive_folder
from lngen.runtime.native import compiler as host_compiler

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


def torch(threads: int, *, compiled: bool = False) -> Peer:
    """PyTorch's functions, or what its compiler makes of them, backward by autograd on a graph of its own each step."""

    def peer(definition: Definition, case: Case) -> Step:
        import torch

        torch.set_num_threads(threads)
        function = torch_layers.LAYERS[definition.name](torch)
        if compiled:
            function = torch.compile(function, dynamic=False, fullgraph=True)

        def tensor(array: Array) -> Any:
            is_narrow = array.dtype.itemsize == 2
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16) if is_narrow else torch.from_numpy(array)

        arrays = [tensor(array).requires_grad_() for array in cases.inputs(definition, case).values()]
        dys = [tensor(array) for array in cases.cotangents(definition, case)]
        return lambda: function(*arrays), lambda y: torch.autograd.grad(y, arrays, dys if len(dys) > 1 else dys[0])

    return peer


def roof(definition: Definition, case: Case) -> Step:
    """The memory itself: a copy of the rows, and a triad of two, in whichever way is the fastest here."""
    library = host_compiler.library(Path(__file__).with_name("roof.cpp"), [])
    size = case.entries * cases.dtype_of(case.dtype).itemsize // np.dtype(np.float32).itemsize
    rows, other, to = (np.full(size, value, np.float32) for value in (1, 2, 0))

    def call(name: str) -> Callable[[], Any]:
        kernel = ctypes.CFUNCTYPE(None)(library.address(name))
        pointers = struct.pack("3P", *(array.ctypes.data for array in (rows, other, to)))
        return partial(kernel, pointers, b"", struct.pack("q", rows.size))

    copies = [call("copy_plain"), call("copy_streaming"), partial(np.copyto, to, rows)]
    triads = [call("triad_plain"), call("triad_streaming"), partial(np.add, rows, other, out=to)]
    copy, triad = (min(ways, key=lambda way: min(timeit.repeat(way, number=3, repeat=5))) for ways in (copies, triads))

    def backward(_: Any) -> tuple[()]:
        triad()
        return ()

    return copy, backward


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
    """A peer, the environment that its process has, the module it needs, and the layers and types that it is for."""

    make: Peer
    environment: Mapping[str, str]
    needs: str = "numpy"
    layers: Collection[str] = ("layer_norm",)
    dtypes: Collection[str] = ("float32", "float64")
    computes: bool = True

    def is_for(self, case: Case) -> bool:
        """Test whether the peer takes part in a case."""
        return case.layer in self.layers and case.dtype in self.dtypes


_ONE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
_TWO = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "MKL_NUM_THREADS": "2"}
_JAX_ONE = {"XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1", "JAX_PLATFORMS": "cpu"}
_EVERY: dict[str, Any] = {"layers": of_rows(), "dtypes": cases.DTYPES}
_TORCH: dict[str, Any] = {"needs": "torch", "layers": torch_layers.LAYERS, "dtypes": cases.DTYPES}
PEERS: Mapping[str, Entry] = {
    "emitted": Entry(emitted, _ONE, **_EVERY),
    "emitted out=": Entry(emitted_out, _ONE, **_EVERY),
    "plain": Entry(plain, _ONE, needs="scipy", layers=of_rows()),
    "textbook": Entry(textbook, _ONE),
    "minimal": Entry(minimal, _ONE),
    "torch, 1 thread": Entry(torch(1), _ONE, **_TORCH),
    "torch, 1 thread, warm heap": Entry(torch(1), {**_ONE, **WARM_HEAP}, **_TORCH),
    "torch, 2 threads": Entry(torch(2), _TWO, **_TORCH),
    "torch, 2 threads, warm heap": Entry(torch(2), {**_TWO, **WARM_HEAP}, **_TORCH),
    "torch.compile, 1 thread, warm heap": Entry(torch(1, compiled=True), {**_ONE, **WARM_HEAP}, **_TORCH),
    "jax, 1 thread": Entry(jax, {**_ONE, **_JAX_ONE}, needs="jax"),
    "emitted, warm heap": Entry(emitted, {**_ONE, **WARM_HEAP}, **_EVERY),
    "compiled": Entry(compiled(), _ONE, **_EVERY),
    "compiled out=": Entry(compiled(out=True), _ONE, **_EVERY),
    "compiled, warm heap": Entry(compiled(), {**_ONE, **WARM_HEAP}, **_EVERY),
    "compiled, 2 threads": Entry(compiled(2), _TWO, **_EVERY),
    "roof": Entry(roof, _ONE, dtypes=cases.DTYPES, computes=False),
}


def is_emitted(name: str) -> bool:
    """Test whether a peer is emitted code, which the others are compared with."""
    return name.startswith(("emitted", "compiled"))


def definition_of(layer: str) -> Definition:
    """The definition of a shipped layer."""
    return load(derive_folder() / f"{layer}.py")


def gradients(found: Any) -> list[Array]:
    """The gradients as arrays."""
    there = [value for value in found if value is not None]
    return [np.asarray(value.double() if hasattr(value, "double") else value) for value in there]
