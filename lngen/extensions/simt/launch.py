"""Kernels, launched from NumPy arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lngen.errors import LngenError
from lngen.extensions.simt import arguments as device
from lngen.extensions.simt.compile import CompiledModule, compile_module
from lngen.extensions.simt.process import launch_request, process
from lngen.extensions.simt.report import KernelFault, of_worker
from lngen.extensions.simt.schedule import SCHEDULES, Schedule


class EmulatedKernel:
    """One kernel of a source. Call it to launch it."""

    def __init__(self, kernels: EmulatedKernels, name: str) -> None:
        self._kernels = kernels
        self.name = name

    @property
    def parameters(self) -> tuple[device.KernelParameter, ...]:
        """The kernel's parameters, in order."""
        return self._kernels._signature(self.name)

    def __call__(
        self,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        shared_bytes: int,
        *arguments: object,
        cluster: int = 1,
        schedule: Schedule = "forward",
        seed: int = 0,
        check: bool | None = None,
        blocks: range | None = None,
        seconds: float = 60.0,
    ) -> None:
        """Run the kernel to its end; arrays that it writes hold the results.

        `grid` and `block` count blocks and threads along x, y and z. An argument is a contiguous NumPy array of the
        pointer's type, None for a null pointer, or a number. A bf16 array has the type of ml_dtypes; it and f16 may
        also be integers of two bytes. An array in `Uninitialised` has no initial value. `cluster` blocks that follow
        each other along x are one cluster, and reach each other's shared memory. `schedule` orders blocks, warps and
        lanes: "forward" keeps them in step, "reverse" lets one run ahead, "random" draws by `seed`. `check` watches
        every access to memory; by default it is the choice of `build`. `blocks` selects some of the grid's blocks. The
        kernel may take so many `seconds`.

        Raises KernelFault, with findings, if the kernel is at fault, and LngenError for invalid arguments.
        """
        if schedule not in SCHEDULES:
            raise LngenError(f"schedule {schedule!r}; choose one of {', '.join(SCHEDULES)}")
        geometry = (*_three("grid", grid), *_three("block", block))
        if shared_bytes < 0 or seed < 0 or cluster < 1 or not 0 < seconds < 1e6:
            raise LngenError("shared_bytes and seed count from 0, cluster from 1, and seconds is a positive number")
        check = self._kernels.check if check is None else check
        chosen = _chosen_blocks(blocks)
        if chosen is None:
            return
        # The signature is asked for first: a module that cannot be compiled or loaded takes no memory.
        layout = device.lay_out(self.name, self.parameters, arguments)
        numbers = (*geometry, shared_bytes, cluster, SCHEDULES.index(schedule), seed % 2**32, *chosen)
        regions = device.region_words(layout)
        with process.lock:
            number, module = self._kernels._load(check)
            memory = process.memory(layout.bytes)
            device.write(layout, memory)
            words = [
                str(number), self.name.encode().hex(), *map(str, numbers), repr(float(seconds)),
                str(len(layout.words)), str(len(regions)), *layout.words, *regions,
            ]  # fmt: skip
            answer = process.ask(*launch_request(words, seconds))
            if answer.word == "refused":
                raise LngenError(f"{self.name} cannot be launched: {answer.lines[0].split(chr(9))[-1]}")
            self._kernels._regions = [buffer.name for buffer in layout.buffers] if check else []
            findings = of_worker(answer.word, answer.lines, module, self._kernels.name, seconds)
            if answer.word in ("done", "findings") and not any(f.kind == "out of bounds" for f in findings):
                findings += device.overruns(layout, memory)
            if findings:
                how = f"schedule {schedule}" + (f", seed {seed}" if schedule == "random" else "")
                raise KernelFault(f"{self._kernels.name}: kernel {self.name}, {how}:", findings)
            device.read_back(layout, memory, check)


class EmulatedKernels(Mapping[str, EmulatedKernel]):
    """The kernels of one source, by name. `check` says whether launches are checked that do not say so themselves."""

    def __init__(self, source: str, macros: Mapping[str, object], name: str, check: bool) -> None:
        self.name = name
        self.check = check
        self._source = source
        self._macros = dict(macros)
        module = compile_module(source, macros, name, check)
        self._modules: dict[bool, CompiledModule] = {check: module}
        self._names = {signature.kernel: signature.parameters for signature in module.kernels}
        self._signatures: dict[str, tuple[device.KernelParameter, ...]] = {}
        self._regions: list[str] = []

    def __getitem__(self, name: str) -> EmulatedKernel:
        if name not in self._names:
            raise KeyError(name)
        return EmulatedKernel(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def symbol(self, name: str) -> bytes:
        """Return the bytes of a variable that the source defines as `extern "C"`; raises LngenError if there is
        none.
        """
        return self._symbol(name, self.check)

    def _symbol(self, name: str, checked: bool) -> bytes:
        with process.lock:
            number, _ = self._load(checked)
            answer = process.ask(f"symbol {number} {name.encode().hex()}", 60)
        if answer.word != "symbol" or not answer.lines:
            raise LngenError(f'{self.name}: no variable {name} is declared extern "C"')
        return bytes.fromhex(answer.lines[0])

    def moved(self) -> dict[str, tuple[int, int]]:
        """Return the bytes that the last launch read and wrote of each array, by its parameter; none unless checked.

        Reads of an entry by threads of a block that no barrier orders are one: lanes of one access, or a value that is
        still in a cache.
        """
        counts = np.frombuffer(self._symbol("simt_moved", True), np.uint64).reshape(-1, 2).tolist()
        return {name: (read, written) for name, (read, written) in zip(self._regions, counts, strict=False)}

    def launch_table(self, kernel: str) -> NDArray[np.int32]:
        """The numbers that the source has for a launcher of the kernel, in its array `<kernel>_launch`."""
        return np.frombuffer(self.symbol(f"{kernel}_launch"), np.int32)

    def _module(self, checked: bool) -> CompiledModule:
        if checked not in self._modules:
            self._modules[checked] = compile_module(self._source, self._macros, self.name, checked)
        return self._modules[checked]

    def _load(self, checked: bool) -> tuple[int, Path]:
        module = self._module(checked)
        number, lines = process.load(module.path)
        for line in lines:
            kernel, *words = line.split()
            names = self._names[kernel]
            self._signatures[kernel] = tuple(map(device.KernelParameter.parse, names, words))
        return number, module.path

    def _signature(self, kernel: str) -> tuple[device.KernelParameter, ...]:
        if kernel not in self._signatures:
            with process.lock:
                self._load(self.check)
        return self._signatures[kernel]


def build(
    source: str,
    macros: Mapping[str, object] | None = None,
    *,
    name: str = "kernels.cu",
    check: bool = False,
) -> EmulatedKernels:
    """Compile a source of CUDA C++ for the CPU, or find it in the cache.

    `macros` are defined as on a compiler's command line, None and True without a value; `name` is the source's name in
    messages. With `check` launches are checked by default; both kinds of module are compiled on first use. Raises
    ToolchainMissing, which says what to install, CompileError with the compiler's messages, and LngenError if the
    source has no kernel that is `extern "C"`.
    """
    return EmulatedKernels(source, macros or {}, name, check)


def _three(what: str, sizes: int | Sequence[int]) -> tuple[int, int, int]:
    given = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    if not 1 <= len(given) <= 3 or not all(isinstance(size, int) and 0 < size < 2**31 for size in given):
        raise LngenError(f"{what} {sizes!r}; give one to three positive integers")
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


def _chosen_blocks(blocks: range | None) -> tuple[int, int] | None:
    """First block and count; (0, 0) is all of them, None is none."""
    if blocks is None:
        return 0, 0
    if blocks.step != 1 or blocks.start < 0:
        raise LngenError(f"blocks {blocks!r}; give a range that starts at 0 or later, with step 1")
    return (blocks.start, len(blocks)) if len(blocks) else None
