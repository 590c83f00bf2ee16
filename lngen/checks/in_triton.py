"""A layer's Triton kernels by its calls in PyTorch: tensors of the processor stand for a GPU's, Triton interprets.

Triton reads from the environment, as it is imported, whether it does: a process of its own is begun with `INTERPRETED`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any

from lngen.checks.evidence import Evidence, verdict
from lngen.checks.executed import KIND
from lngen.checks.frameworks import FrameworkAdapter
from lngen.checks.in_torch import InTorch
from lngen.language.definition import Definition
from lngen.paths import RUNTIME
from lngen.runtime.protocol.casts import dtype

INTERPRETED = {"TRITON_INTERPRET": "1"}
"""The environment of a process in which Triton interprets."""


class PretendedGpu:
    """GPU that is pretended while this is entered, by the module of a runtime that launches kernels.

    Its memory begins as NaN, or as the largest integer. `launches` counts those of each kernel, by its name.
    """

    def __init__(self, gpu: Any) -> None:
        self.gpu, self.launches = gpu, Counter[str]()

    def __enter__(self) -> PretendedGpu:
        """Begin to pretend, and to count."""
        import torch
        from triton.runtime import interpreter

        self.kept = self.gpu.launch, self.gpu.DEVICES, interpreter._convert_float
        self.was_deterministic = torch.are_deterministic_algorithms_enabled()
        self.gpu.launch, self.gpu.DEVICES, interpreter._convert_float = self._launch, ("cpu",), self._converted
        torch.use_deterministic_algorithms(True)
        torch.utils.deterministic.fill_uninitialized_memory = True
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        import torch
        from triton.runtime import interpreter

        self.gpu.launch, self.gpu.DEVICES, interpreter._convert_float = self.kept
        torch.use_deterministic_algorithms(self.was_deterministic)

    def _launch(self, kernel: Any, *arguments: Any) -> None:
        self.launches[kernel.fn.__name__] += 1
        self.kept[0](kernel, *arguments)

    def _converted(self, value: Any, source: Any, target: Any, mode: Any) -> Any:
        """Round to bfloat16: Triton's interpreter cuts off the bits that it has not."""
        if str(source) == "fp32" and str(target) == "bf16":
            return value.astype(dtype("bfloat16")).view("u2")
        return self.kept[2](value, source, target, mode)


class InTriton(InTorch):
    """A layer in PyTorch whose plain calls launch Triton's kernels."""

    host = None

    def __init__(self, definition: Definition, module: ModuleType, seed: int = 0) -> None:
        super().__init__(definition, module, seed)
        module._LAYER.has_kernels = False  # those of the processor

    @cached_property
    def gpu(self) -> Any:
        """The module of the layer's runtime that launches kernels."""
        return import_module(f"{self.module.__package__.rpartition('.')[0]}.{RUNTIME}.torch.gpu")  # type: ignore[union-attr]

    @contextmanager
    def setting(self) -> Iterator[PretendedGpu]:
        """The pretended GPU."""
        with PretendedGpu(self.gpu) as here:
            yield here

    def as_python(self) -> Iterator[Evidence]:
        """Yield the same, and that kernels were launched: the mathematics in PyTorch would pass too."""
        with self.setting() as here:
            yield from super().as_python()
        directions = ("forward", "backward") if self.differentiable else ("forward",)
        missing = [name for name in directions if f"{self.definition.name}_{name}" not in here.launches]
        yield verdict(KIND, "by launches of kernels", f"none of {' and '.join(missing)}" if missing else "")


InTriton.claims = tuple(each for each in FrameworkAdapter.claims if each.differences)
InTriton.own = ()
