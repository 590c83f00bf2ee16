"""Triton's kernels compiled ahead of time, without a GPU: registers, spills, stack and widths of accesses of each.

    python -m tools.triton_registers [LAYER...] [--target sm_90] [--features 1024] [--dtype bfloat16]

Kernels are those that a call of a layer and its gradients launch, with the arguments of these launches. Without layers
it is all, for each target, rows of 1024 and of 8192 entries.
"""

from __future__ import annotations

import argparse
import importlib
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from lngen.checks.in_triton import InTriton
from lngen.checks.inputs import ordinary
from lngen.checks.layer import as_tuple
from lngen.cli.layers import definition_of
from lngen.pipeline.files import loading

TARGETS = {**{f"sm_{n}": ("cuda", n, 32) for n in (80, 90, 100)}, "gfx942": ("hip", "gfx942", 64)}
"""Targets that kernels are compiled for, as the arguments of Triton's `GPUTarget`."""

ROWS = 64


class CompiledKernel(NamedTuple):
    """A kernel for a target; `spilled` are registers on AMD's, and bytes of the stack on NVIDIA's. `widths`
    are bits of its accesses."""

    kernel: str
    target: str
    features: int
    registers: int
    spilled: int
    widths: tuple[int, ...]


def compiled(name: str, target: str, features: int, dtype: str) -> Iterator[CompiledKernel]:
    """Yield the kernels of a layer for rows of so many entries; none where rows cannot lie along one axis."""
    import torch
    from triton.backends.compiler import GPUTarget
    from triton.runtime import driver

    places = {"get_current_device": lambda: 0, "get_current_stream": lambda device: 0}
    driver.set_active(SimpleNamespace(get_current_target=lambda: GPUTarget(*TARGETS[target]), **places))
    definition = definition_of(name)
    on = InTriton(definition, importlib.import_module(f"{loading.load(name).__name__}.torch_backend"))
    made: dict[str, Any] = {}

    def launch(kernel: Any, device: Any, count: int, warps: int, fuses: bool, *arguments: Any) -> None:
        options = {"num_warps": warps, "num_stages": 1, "enable_fp_fusion": fuses}
        made[kernel.fn.__name__] = kernel.warmup(*arguments, grid=(count,), **options)

    case = ordinary(definition, ROWS, max(features, definition.minimum_features), 0)
    tensors = [torch.tensor(case.inputs[entry.name]) for entry in definition.positional]
    given = [each.to(getattr(torch, dtype)) if each.is_floating_point() else each for each in tensors]
    kept, on.gpu.launch, on.gpu.DEVICES = (on.gpu.launch, on.gpu.DEVICES), launch, ("cpu",)
    hip, torch.version.hip = torch.version.hip, "0" if target.startswith("gfx") else None
    try:
        if on.takes_rows:
            numbers = [case.inputs[entry.name] for entry in definition.constants]
            outputs = as_tuple(on.layer.call(*on.recorded(given), *numbers))
            sum(each.float().sum() for each in outputs if each.requires_grad).backward()
    finally:
        (on.gpu.launch, on.gpu.DEVICES), torch.version.hip = kept, hip
    for kernel, each in made.items():
        yield CompiledKernel(kernel, target, features, *_facts(each.asm), _widths(each.asm))


def _facts(asm: Any) -> tuple[int, int]:
    """The registers of a thread, and what it spills."""
    if "amdgcn" in asm:
        found = [re.search(rf"\.vgpr_{what}:\s+(\d+)", asm["amdgcn"]) for what in ("count", "spill_count")]
    else:
        import triton

        program = Path(str(triton.__file__)).parent / "backends/nvidia/bin/cuobjdump"
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(asm["cubin"])
            file.flush()
            command = [str(program), "--dump-resource-usage", file.name]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = [re.search(rf"{what}:(\d+)", said) for what in ("REG", "STACK")]
    registers, spilled = (int(each[1]) if each else -1 for each in found)
    return registers, spilled


def _widths(asm: Any) -> tuple[int, ...]:
    """The widths of accesses of the GPU's memory in bits, the largest first."""
    if "amdgcn" in asm:
        words = re.findall(r"(?:global|buffer)_(?:load|store)_(dwordx?\d?|\w+)", asm["amdgcn"])
        bits = [
            32 * int(word.removeprefix("dword").removeprefix("x") or 1) for word in words if word.startswith("dword")
        ]
        bits += [8 if "byte" in word else 16 for word in words if not word.startswith("dword")]
    else:
        found = re.findall(r"(?:ld|st)\.global(?:\.[a-z]\w*(?::\w+)*)*?(?:\.v(\d))?\.b(\d+)", asm["ptx"])
        bits = [int(many or 1) * int(width) for many, width in found]
    return tuple(sorted({*bits}, reverse=True))


def main(words: Sequence[str] | None = None) -> None:
    """Print a line for each kernel, and how many spill."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("layers", nargs="*")
    parser.add_argument("--target", action="append", choices=TARGETS)
    parser.add_argument("--features", action="append", type=int)
    parser.add_argument("--dtype", default="bfloat16")
    asked = parser.parse_args(words)
    count = spills = 0
    for name in asked.layers or loading.available():
        for target in asked.target or TARGETS:
            for features in asked.features or (1024, 8192):
                for each in compiled(name, target, features, asked.dtype):
                    what = f", {each.spilled} spilled" if each.spilled else ""
                    what += f", accesses of {' and '.join(map(str, each.widths))} bits"
                    print(f"{each.kernel} {each.target} {each.features}: {each.registers} registers{what}", flush=True)
                    count, spills = count + 1, spills + bool(each.spilled)
    print(f"{count} kernels compiled, {spills} spill")


if __name__ == "__main__":
    main()
