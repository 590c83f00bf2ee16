"""Interfaces of arrays of every library."""

from typing import Any

import pytest

from lngen.runtime.cuda.arrays import stream_handle


@pytest.mark.parametrize(
    ("stream", "handle"),
    [
        (None, 0),
        (5, 5),
        (type("Torch", (), {"cuda_stream": 7})(), 7),
        (type("CuPy", (), {"ptr": 8})(), 8),
        (type("PyCuda", (), {"handle": 9})(), 9),
        (type("Core", (), {"__cuda_stream__": lambda self: (0, 10)})(), 10),
    ],
)
def test_streams_of_every_library(stream: Any, handle: int) -> None:
    assert stream_handle(stream) == handle
