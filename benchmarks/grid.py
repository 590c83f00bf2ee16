"""Grid of the measurement: layers, number types, row lengths, and rows enough that a tensor does not fit in a cache.

The order matters, since a run that is out of time leaves out the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MIB = 2**20

MAIN_DTYPES = ("bf16", "f32")
OTHER_DTYPE = "f16"
WATCHED_DTYPES = ("f16", "f64")
ITEMSIZE = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}

FULL = ("layer_norm", "rms_norm")
"""The layers that are measured at every length and type."""

BESIDE = ("softmax", "add_rms_norm", "layer_norm_gelu")
"""Layers that are measured at two lengths; every other layer has one."""

FEATURES = (4096, 1024, 8192, 2048, 768, 16384, 256, 512, 32768, 128, 65536, 131072, 262144, 5120, 1000)
"""Powers of two from 128 to 262144, two lengths between them that models have, one that is no multiple of 64 bytes."""

COMPARED = (4096, 1024, 8192)
"""The row lengths at which the peers that take seconds to compile are measured too."""

FEW_ROWS = (1, 16, 64, 256)
"""Numbers of rows of a step of decoding and of small batches, at the first of the lengths above."""

VOCABULARIES = (50257, 128256, 151936)
"""Row lengths of logits: GPT-2's, which is odd, Llama 3's and Qwen's."""

OF_LOGITS = ("softmax", "label_cross_entropy", "cross_entropy")
"""Layers that are measured at the lengths of logits."""

TENSOR_MIB = 256
OTHER_TENSOR_MIB = (64, 512)

WATCHED_ROWS = 37
WATCHED_FEATURES = (4096, 65536, 1000, 128)
"""The rows that compute-sanitizer watches: few, and of each way that a row is kept."""


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


@dataclass(frozen=True)
class Job:
    """A layer at a shape; `slow_peers` says whether those that take seconds to compile are compared as well."""

    layer: str
    case: Case
    slow_peers: bool = False

    def __str__(self) -> str:
        return f"{self.layer}, {self.case}"


def sized(dtype: str, features: int, mib: int) -> Case:
    """The case whose tensor has `mib` MiB, or a little less.

    >>> print(sized("bf16", 4096, 256))
    bf16 32768 x 4096
    """
    return Case(dtype, features, max(1, mib * MIB // (features * ITEMSIZE[dtype])))


def tensor_mib(l2_bytes: int, largest_mib: int) -> int:
    """The size of a tensor: more than three times the L2 cache, as far as the memory suffices.

    >>> tensor_mib(50 * MIB, 1000), tensor_mib(126 * MIB, 1000), tensor_mib(50 * MIB, 100)
    (256, 384, 100)
    """
    step = 64
    return min(max(TENSOR_MIB, -(-3 * l2_bytes // (step * MIB)) * step), largest_mib)


def jobs(layers: Iterable[str], mib: int = TENSOR_MIB, largest_mib: int = max(OTHER_TENSOR_MIB)) -> tuple[Job, ...]:
    """The whole grid for these layers, the most telling first, in tensors of `mib` MiB."""

    def of(layer: str, dtype: str, features: int, *, slow: bool = False) -> Job:
        return Job(layer, sized(dtype, features, mib), slow)

    there = list(layers)
    full = [name for name in FULL if name in there]
    beside = [name for name in BESIDE if name in there]
    rest = [name for name in there if name not in (*full, *beside)]
    lengths = [features for features in FEATURES if features not in COMPARED]
    found = [
        *(of(name, dtype, d, slow=True) for d in COMPARED[:2] for dtype in MAIN_DTYPES for name in full),
        *(of(name, "bf16", d, slow=d == COMPARED[0]) for d in COMPARED[:2] for name in beside),
        *(of(name, dtype, d, slow=True) for d in COMPARED[2:] for dtype in MAIN_DTYPES for name in full),
        *(Job(name, Case("bf16", COMPARED[0], rows)) for rows in FEW_ROWS for name in full),
        *(of(name, "bf16", d) for d in VOCABULARIES for name in OF_LOGITS if name in there),
        *(of(name, "bf16", COMPARED[0]) for name in rest),
        *(of(name, dtype, d) for d in lengths for dtype in MAIN_DTYPES for name in full),
        *(of(name, "f32", COMPARED[0]) for name in beside),
        *(of(name, OTHER_DTYPE, d) for d in FEATURES for name in full),
        *(
            Job(name, sized("bf16", COMPARED[0], min(other, largest_mib)))
            for other in OTHER_TENSOR_MIB
            for name in full
        ),
    ]
    by_shape: dict[tuple[str, Case], Job] = {}
    for job in found:
        by_shape.setdefault((job.layer, job.case), job)
    return tuple(by_shape.values())


def toy_jobs(layers: Iterable[str]) -> tuple[Job, ...]:
    """A grid that the emulator gets through in seconds; it shows that everything runs, and no speed."""
    there = list(layers)
    shapes = {FULL[0]: Case("f32", 64, 6), BESIDE[1]: Case("bf16", 33, 5)}
    return tuple(Job(name, case, slow_peers=True) for name, case in shapes.items() if name in there)


def watched(layers: Iterable[str], *, quick: bool = False) -> tuple[Job, ...]:
    """Return the jobs that run once with every access watched: all layers on few rows, one length at a time."""
    there = list(layers)
    if quick:
        return toy_jobs(there)
    cases = [Case(dtype, features, WATCHED_ROWS) for dtype in MAIN_DTYPES for features in WATCHED_FEATURES]
    cases += [Case(dtype, 4096, WATCHED_ROWS) for dtype in WATCHED_DTYPES]
    return tuple(Job(name, case) for case in cases for name in there)
