# SPDX-License-Identifier: MIT
"""Compiled kernels on a device, and the launches that a plan asks for."""

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from . import devices, driver, grids, plans
from .arrays import BYTES
from .compilers import compiled
from .devices import Device
from .macros import NARROW, macros, most_blocks_of_cluster
from .plans import LaunchPlan
from .variants import spilled_of, without_spills


def launches(device: Device, plan: LaunchPlan) -> "Launches":
    """Return the launches of a plan on a device, made once."""
    found: Launches | None = device.launches.get(plan)
    if found is None:
        found = Launches(plan, device)
        if len(device.launches) >= plans.MOST_PLANS:
            device.launches.clear()
        device.launches[plan] = found
    return found


class Launches:
    """A plan on a device: the memory that a call makes, and the kernels, ready to launch."""

    def __init__(self, plan: LaunchPlan, device: Device) -> None:
        self.plan, self.device = plan, device
        self.slot = plan.workspace.place
        self.new = [(slot, size, devices.gpu_array(shape, dtype, gpudata=0)) for slot, shape, dtype, size in plan.new]
        self.piece = devices.gpu_array(plan.shape[:-1], plan.dtype, gpudata=0) if plan.pieces else None
        self.steps: list[tuple[Kernel, int, Callable[[Sequence[Any]], tuple[Any, ...]]]] = []
        self.partial_bytes, self.counts = 0, (plan.count, plan.wanted.features, 0)
        if plan.count and plan.kernels:
            self._load()
        # The workspace of forward is that of its row scalars.
        self.needs_scratch = self.partial_bytes > 0 and (plan.room is None or plan.direction == "forward")

    def _load(self) -> None:
        plan, features = self.plan, self.plan.wanted.features
        over_rows, *over_blocks = _module(self.device, plan).kernels
        ends_sums = over_blocks if plan.ends_sums else []
        blocks = over_rows.grid(plan.count, self.device, bool(ends_sums))
        self.counts = (plan.count, features, blocks)
        self._add_step(over_rows, blocks)
        into_columns, into_scalars = plan.sums
        if ends_sums:
            self.partial_bytes = blocks * (into_columns * features + into_scalars) * BYTES[plan.computed]
        for columns in ends_sums:
            self._add_step(columns, grids.columns_grid(features, columns.rows_per_block))

    def _add_step(self, kernel: "Kernel", blocks: int) -> None:
        arguments: Callable[[Sequence[Any]], tuple[Any, ...]] = itemgetter(*[each.place for each in kernel.values])
        where = self.plan.where(kernel.values)
        if where:
            self.steps.append((kernel, blocks * kernel.blocks_per_row, lambda values: (*arguments(values), *where)))
        else:
            self.steps.append((kernel, blocks * kernel.blocks_per_row, arguments))

    def run(self, objects: list[Any], values: list[Any], stream: Any, handle: int) -> None:
        """Allocate the results of a call in `objects` and `values`, and launch its kernels on a stream."""
        if not self.needs_scratch:
            self.plan.check_room(self.partial_bytes)
        values += self.counts
        self._allocate(objects, values)
        kept = self._fill_in(values, stream, handle) if self.plan.numbers or self.needs_scratch else None
        for slot, size in self.plan.zeros:
            driver.call("cuMemsetD8Async", values[slot], 0, size, handle)
        for kernel, blocks, arguments in self.steps:
            kernel.launch(blocks, arguments(values), handle)
        # Memory that is freed now is freed after the kernels that read it.
        del kept

    def _allocate(self, objects: list[Any], values: list[Any]) -> None:
        """Make a GPUArray of each result that the caller gave no array for."""
        for slot, size, prototype in self.new:
            memory = driver.Allocation(size, self.device.place) if size else None
            values[slot] = memory.pointer if memory else 0
            objects[slot] = _like(prototype, values[slot], memory)
        if self.piece is not None:
            memory, start = objects[self.slot], values[self.slot]
            if memory is None and self.plan.saved_bytes:
                memory = driver.Allocation(self.plan.saved_bytes, self.device.place)
                start = memory.pointer
            for slot, offset in self.plan.pieces:
                values[slot] = start + offset
                objects[slot] = _like(self.piece, start + offset, memory)

    def _fill_in(self, values: list[Any], stream: Any, handle: int) -> list[Any]:
        """Memory for partial sums and for numbers, which is to outlive the launches."""
        kept: list[Any] = []
        for slot, kind in self.plan.numbers:
            kept.append(self.device.number(values[slot], kind, handle))
            values[slot] = kept[-1].pointer
        if self.needs_scratch:
            kept.append(self.device.scratch_for(stream, handle, self.partial_bytes))
            values[self.slot] = kept[-1].pointer
        return kept


def _like(prototype: Any, start: int, memory: Any) -> Any:
    """A GPUArray like another, elsewhere: copied, for its constructor takes far longer."""
    array = object.__new__(devices.gpu_array)
    fields = prototype.__dict__.copy()
    fields["gpudata"], fields["base"] = start, memory
    array.__dict__ = fields
    return array


# ---- kernels on a device


def _module(device: Device, plan: LaunchPlan) -> "KernelModule":
    """Return the kernels that serve a call, those for arrays that are not aligned if it has some."""
    found = _loaded(device, plan, narrow=False)
    return found if found.fits(plan.vectors) else _loaded(device, plan, narrow=True)


def _loaded(device: Device, plan: LaunchPlan, narrow: bool) -> "KernelModule":
    """Return the kernels of a call, loaded once."""
    key = (plan.layer, plan.wanted, narrow)
    if key not in device.modules:
        device.modules[key] = KernelModule(device, plan, narrow)
    found: KernelModule = device.modules[key]
    return found


class KernelModule:
    """Loaded kernels of a direction, for a row length, types, and absent inputs.

    `narrow` is for arrays that are not aligned for vectors. Raises NoCudaCompiler if they cannot be compiled.
    """

    def __init__(self, device: Device, plan: LaunchPlan, narrow: bool) -> None:
        sums = plan.sums[0] * plan.wanted.features * BYTES[plan.computed]
        most = most_blocks_of_cluster(device.has_clusters, sums, device.block_shared)
        # A part of a GPU may hold no cluster of so many blocks.
        while not self._load(device, plan, narrow, most):
            most //= 2

    def _load(self, device: Device, plan: LaunchPlan, narrow: bool, blocks: int) -> bool:
        """Load kernels in which so many blocks may share a row; whether the device holds one such cluster."""
        given = macros(**plan.wanted._asdict(), shared=device.block_shared, blocks_per_row=blocks)
        code = _code(device, plan, [*given, *([NARROW] if narrow else [])])
        self.kernels = [Kernel(code, name, plan, values) for name, values in plan.kernels.items()]
        self.vector = self.kernels[0].vector
        return self.kernels[0].blocks_per_row == 1 or self.kernels[0].launch.clusters() > 0

    def fits(self, vectors: Iterable[tuple[int, int]]) -> bool:
        """Test whether arrays are aligned, by the bytes of an entry of each and its address modulo 16."""
        return all(start % min(16, self.vector * size) == 0 for size, start in vectors)


def _code(device: Device, plan: LaunchPlan, given: Sequence[str]) -> driver.LoadedCode:
    """Return the kernels of a module, in the first variant that spills no register."""
    names = [f"{name}_{plan.row_type}" for name in plan.kernels]
    return without_spills(
        lambda variant: load(device, plan.layer.folder / plan.source, plan.layer.macros([*given, *variant])),
        lambda made: spilled_of(made.cubin, sum(made.attribute(name, "LOCAL_SIZE_BYTES") for name in names)),
        lambda made: made.attribute(names[0], "NUM_REGS"),
    )


def load(device: Device, source: Path, macros: Iterable[str]) -> driver.LoadedCode:
    """Return the compiled kernels, loaded.

    Raises RuntimeError if the driver refuses new code of the compiler, since the driver may be older.
    """
    try:
        return driver.LoadedCode(compiled(source, device.architecture, macros, driver=device.cuda))
    except driver.DriverError:
        # The cached code may be of another driver, or damaged.
        cubin = compiled(source, device.architecture, macros, again=True, driver=device.cuda)
    try:
        return driver.LoadedCode(cubin)
    except driver.DriverError as error:
        raise RuntimeError(
            f"the driver cannot load kernels for {device.architecture} ({error}): update the driver, or install a "
            "compiler that is no newer than it; `lngen device` shows the versions of both"
        ) from error


class Kernel:
    """Kernel that is ready for launching, with the code's data about its launch."""

    def __init__(self, code: driver.LoadedCode, name: str, plan: LaunchPlan, values: Sequence[plans.Value]) -> None:
        self.code, self.name, self.values = code, f"{name}_{plan.row_type}", values
        self.letters = "".join(each.letter for each in values) + "q" * len(plan.where(values))
        numbers = code.integers(f"{self.name}_launch")
        self.threads, self.rows_per_block, self.shared_bytes, self.vector = numbers[:4]
        self.blocks_per_row = numbers[9]
        self.launch = driver.Launcher(
            code, self.name, self.letters, self.threads, self.shared_bytes, self.blocks_per_row
        )

    def grid(self, rows: int, device: Device, leaves_sums: bool) -> int:
        """Return the number of blocks for some rows; those that share rows count as one."""
        if self.blocks_per_row > 1:
            return grids.grid(rows, self.rows_per_block, self.launch.clusters())
        held = self.launch.resident()
        if not leaves_sums and held >= grids.ENOUGH_BESIDE:
            return grids.rows_grid(rows, self.rows_per_block)
        chosen = grids.grid if leaves_sums else grids.fullest_grid
        return chosen(rows, self.rows_per_block, device.processors * held)
