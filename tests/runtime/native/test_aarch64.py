"""Compiled kernels of 64-bit Arm, run by QEMU where it is installed: the results are those of this processor."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest

from lngen.runtime.native import compiled
from lngen.runtime.native.compiler import OPTIONS
from tests.compiled import Layer, drawn, layer, off, results
from tests.hosts import kernels_of
from tests.requirements import CROSS_GXX, needs_cross_compiler, needs_qemu
from tests.tiers import sample

ROUNDINGS = 32
"""Allowed roundings of kernels, as elsewhere; products and sums are fused in other places."""

LAYERS = [
    ("layer_norm", ml_dtypes.bfloat16),
    ("cross_entropy", np.float64),
    ("layer_norm", np.float32),
    ("layer_norm", np.float16),
    ("residual_add", np.float64),
    ("layer_norm_gelu", np.float32),
]

MAIN = Path(__file__).with_name("one_call.cpp")


class Elsewhere:
    """Programs for another processor in place of libraries, and kernels that are passed arrays."""

    def __init__(self, of: Layer, folder: Path) -> None:
        self.of, self.folder, self.kernels = of, folder, [("", Path())]
        self.made: dict[Any, Path] = {}

    def library(self, source: Path, macros: Iterable[str]) -> Any:
        """Return a stand-in for a library, whose `address` is the number of a kernel."""
        key = (source.name, *sorted(macros))
        if key not in self.made:
            self.made[key] = self._program(source, key[1:], self.folder / str(len(self.made)))
        return _Library(self.made[key], lambda name: self._number(name, self.made[key]))

    def _number(self, name: str, program: Path) -> int:
        self.kernels.append((name, program))
        return len(self.kernels) - 1

    def _program(self, source: Path, macros: Iterable[str], program: Path) -> Path:
        names = [name for each in kernels_of(self.of.cpu).values() if each.source == source for name in each.names]
        defined = [f'-DSOURCE="{source}"', f"-DKERNELS={' '.join(f'EACH({name})' for name in names)}"]
        options = ["-std=c++17", *(each for each in OPTIONS if each not in ("-shared", "-fPIC")), "-static"]
        compiler = shutil.which(CROSS_GXX) or "g++"
        given = [*options, *defined, *(f"-D{macro}" for macro in macros)]
        subprocess.run([compiler, *given, str(MAIN), "-o", str(program)], check=True)
        return program

    def loaded(self, addresses: Sequence[int], *given: Any) -> Any:
        """Return kernels, a call of which writes to arrays what programs have written to their own."""

        def call(
            arrays: Any,
            numbers: Any,
            rows: int,
            D: int,
            threads: int = 1,
            ends: Any = (),
            tables: Any = (),
            run: int = 0,
        ) -> None:
            chunks = 1 if rows * D <= compiled.CHUNK_ENTRIES else kernels.chunks(rows, D)
            space = np.empty(kernels.workspace(D, chunks), {4: np.float32, 8: np.float64}[kernels.computed])
            sizes = rows, D, chunks, 0, chunks, 0, run
            self.run(addresses[0], [*arrays, *[space] * kernels.has_sums, *tables], numbers, sizes)
            if len(addresses) > 1:
                self.run(addresses[1], [space, *ends, *[None] * (len(ends) + 1) * bool(tables)], numbers, sizes)

        own = dict.fromkeys(("call", "__call__"), staticmethod(call))
        kernels: Any = type("Kernels", (compiled.CompiledKernels,), own)(addresses, *given)
        return kernels

    def run(self, number: int, arrays: Sequence[Any], numbers: Sequence[float], sizes: Any) -> None:
        """Run a kernel, and write to arrays what it has written to its own."""
        name, program = self.kernels[number]
        given = [b"" if array is None else array.tobytes() for array in arrays]
        lengths = [-1 if array is None else len(data) for array, data in zip(arrays, given, strict=True)]
        lists = [lengths, [number.hex() for number in numbers], sizes]
        words = [str(word) for each in lists for word in (len(each), *each)]
        command = ["qemu-aarch64", str(program), name, *words]
        left = subprocess.run(command, input=b"".join(given), capture_output=True, check=True).stdout
        for array, data in zip(arrays, given, strict=True):
            made, left = left[: len(data)], left[len(data) :]
            if array is not None and made != data:
                array[...] = np.frombuffer(made, array.dtype).reshape(array.shape)
        assert not left


class _Library(NamedTuple):
    path: Path
    address: Callable[[str], int]


@needs_qemu
@needs_cross_compiler
@pytest.mark.parametrize(("name", "dtype"), sample(LAYERS, (), LAYERS[:2]))
def test_all_directions(name: str, dtype: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = layer(name)
    elsewhere = Elsewhere(of, tmp_path)
    for rows, features in ((3, 7), (40, 130)):
        case = drawn(of.definition, rows, features, dtype)
        here = results(of.cpu, of.definition, case)
        with monkeypatch.context() as there:
            for kernels in kernels_of(of.cpu).values():
                kernels.clear()
            there.setattr(of.cpu._compiled.host_compiler, "library", elsewhere.library)
            there.setattr(of.cpu._compiled, "CompiledKernels", elsewhere.loaded)
            for module in (of.cpu._straight, of.cpu._long):
                there.setattr(module, "addresses", lambda *arrays: arrays)
            found = results(of.cpu, of.definition, case)
        for kernels in kernels_of(of.cpu).values():
            kernels.clear()
        assert len(elsewhere.made) == 2
        rounding = float(ml_dtypes.finfo(dtype).eps)
        for key, error in off(found, {key: np.asarray(value, np.longdouble) for key, value in here.items()}).items():
            assert error <= ROUNDINGS * rounding, (key, error)
