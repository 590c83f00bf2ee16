"""Memory faults of kernels in the emulator: races, and accesses out of bounds, uninitialised or misaligned.

On a GPU, compute-sanitizer finds these faults; `make gpu` runs it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lngen.checks import emulator
from lngen.checks.apart import Tell
from lngen.checks.evidence import Evidence, verdict
from lngen.checks.inputs import ordinary
from lngen.checks.layer import Checkable, run
from lngen.runtime.protocol.casts import dtype as storage_dtype

SHAPES = ((5, 7), (2, 33), (2, 1024))
"""Several rows per block with the last block half empty; a tail of one entry; vectors, and a barrier a reduction."""

MANY_ROWS = (37, 1024)
"""Rows and features of a shape with more rows than the blocks hold and copy ahead.

The shared memory that one row leaves is then used by the next.
"""


def check_memory(layer: Checkable, seed: int, dtypes: Sequence[str], tell: Tell) -> Iterator[Evidence]:
    """Check every access of forward and backward, for each type and shape.

    Yields nothing on a GPU.
    """
    if not emulator.enabled():
        return
    for place, dtype in enumerate(dtypes):
        # The checker takes up to ten times as long, so one type has to do for the large shape.
        for rows, features in (*SHAPES, MANY_ROWS) if place == 0 else SHAPES:
            case = ordinary(layer.definition, rows, max(features, layer.definition.minimum_features), seed)
            tell(f"kernels under the checker at {rows} x {features} in {dtype}")
            trouble = ""
            try:
                with emulator.emulator().using(check=True, schedule="random", seed=seed):
                    run(layer, case.astype(storage_dtype(dtype)))
            except Exception as error:  # PyCUDA's, whose text is the findings; or whatever else the code raises
                trouble = " ".join(str(error).split())
            what = "no race, and no access out of bounds, uninitialised or misaligned"
            yield verdict("checker", what, trouble, case.shape, dtype)
