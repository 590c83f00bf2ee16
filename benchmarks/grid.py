"""What is measured: number types, row lengths, and rows enough that a tensor does not fit in a cache.

The order matters, since a run that is out of time leaves out the end.
"""

from __future__ import annotations

from dataclasses import dataclass

MIB = 2**20

MAIN_DTYPES = ("bf16", "f32")
OTHER_DTYPES = ("f16", "f64")
ITEMSIZE = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}

FEATURES = (4096, 1024, 8192, 16384, 256, 5120, 2048, 512, 32768, 12288, 128, 65536, 1000)
"""Powers of two from 128 to 65536, lengths between them that models have, and one that is no multiple of 64 bytes."""

COMPARED = (1024, 4096, 8192)
"""The row lengths that are measured for more types, sizes and comparators."""

TENSOR_MIB = 256
OTHER_TENSOR_MIB = (64, 512)


@dataclass(frozen=True)
class Case:
    """One shape, `rows` x `features`, and the type of its entries."""

    dtype: str
    features: int
    rows: int

    @property
    def row_bytes(self) -> int:
        """The size of a row."""
        return self.features * ITEMSIZE[self.dtype]

    @property
    def tensor_bytes(self) -> int:
        """The size of a tensor of rows."""
        return self.rows * self.row_bytes

    def __str__(self) -> str:
        return f"{self.dtype} {self.rows} x {self.features}"


def sized(dtype: str, features: int, mib: int) -> Case:
    """The case whose tensor has `mib` MiB, or a little less.

    >>> print(sized("bf16", 4096, 256))
    bf16 32768 x 4096
    """
    return Case(dtype, features, max(1, mib * MIB // (features * ITEMSIZE[dtype])))


def cases(largest_mib: int | None = None) -> tuple[Case, ...]:
    """The whole grid, the lengths that matter most first; no tensor larger than `largest_mib` MiB."""

    def of(dtype: str, features: int, mib: int) -> Case:
        return sized(dtype, features, mib if largest_mib is None else min(mib, largest_mib))

    main = [of(dtype, features, TENSOR_MIB) for features in FEATURES for dtype in MAIN_DTYPES]
    others = [of(dtype, features, TENSOR_MIB) for features in COMPARED for dtype in OTHER_DTYPES]
    sizes = [of(dtype, 4096, mib) for mib in OTHER_TENSOR_MIB for dtype in MAIN_DTYPES]
    return tuple(dict.fromkeys([*main, *others, *sizes]))


def compiled_cases(largest_mib: int | None = None) -> tuple[Case, ...]:
    """The few of the grid for which a comparator is compiled as well, which takes seconds each."""
    chosen = [(dtype, features) for features in COMPARED for dtype in MAIN_DTYPES]
    size = TENSOR_MIB if largest_mib is None else min(TENSOR_MIB, largest_mib)
    return tuple(sized(dtype, features, size) for dtype, features in chosen)


def toy_cases() -> tuple[Case, ...]:
    """A grid that the emulator gets through in seconds; it shows that everything runs, and no speed."""
    return (Case("f32", 64, 6), Case("bf16", 33, 5))
