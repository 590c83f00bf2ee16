"""Claims about emitted code besides its numbers: shapes, dtypes, memory, independence of rows, determinism."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lngen.check.apart import Tell
from lngen.check.contracts.claim import Bounds, Claim
from lngen.check.contracts.of_cuda import claims as claims_of_cuda
from lngen.check.contracts.of_numpy import claims as claims_of_numpy
from lngen.check.contracts.shared import claims as shared_claims
from lngen.check.evidence import Evidence
from lngen.check.layer import Checkable

_OWN: dict[str, Callable[[Checkable, int, Sequence[str], Bounds], list[Claim]]] = {
    "numpy": claims_of_numpy,
    "cpu": claims_of_numpy,
    "cuda": claims_of_cuda,
}


def check_contracts(
    layer: Checkable, backend: str, seed: int, dtypes: Sequence[str], bounds: Bounds, tell: Tell
) -> Iterator[Evidence]:
    """Check every contract of a backend; an exception of the emitted code is a failure.

    Contracts that all backends share are checked in float64. `dtypes` are the storage types of contracts that depend on
    them. `tell` gets a text about each contract before its check.
    """
    for claim in shared_claims(layer, seed, bounds) + _OWN[backend](layer, seed, dtypes, bounds):
        tell(f"the contract that {claim.what}")
        yield claim.evidence()
