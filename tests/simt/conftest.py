"""The emulator's tests compile into a folder of their own, one for all processes of a run."""

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    if "LNGEN_CACHE" in os.environ:
        yield
        return
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    os.environ["LNGEN_CACHE"] = str(shared / "simt-cache")
    yield
    del os.environ["LNGEN_CACHE"]
