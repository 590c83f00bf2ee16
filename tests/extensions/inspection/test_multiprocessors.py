"""Blocks that a multiprocessor holds: compared with occupancy tables."""

import pytest

from lngen.extensions.inspection.multiprocessors import Multiprocessor, resident

# Threads, registers of each, shared bytes, and what cuda_occupancy.h of CUDA 13 says for compute capability 9.0.
TABLE = [
    (128, 32, 0, 16),
    (128, 33, 0, 12),
    (256, 56, 0, 4),
    (32, 16, 0, 32),
    (1024, 64, 0, 1),
    (1024, 72, 0, 0),
    (256, 32, 50_000, 4),
    (128, 168, 0, 3),
    (96, 128, 0, 5),
    (384, 136, 0, 1),
    (160, 100, 5000, 3),
    (512, 40, 98304, 2),
    (8, 16, 0, 32),
]


@pytest.mark.parametrize(("threads", "registers", "shared", "blocks"), TABLE)
def test_blocks_that_fit(threads: int, registers: int, shared: int, blocks: int) -> None:
    assert resident(threads, registers, shared, Multiprocessor()) == blocks


def test_a_smaller_multiprocessor() -> None:
    assert resident(128, 32, 0, Multiprocessor(threads=1536, shared=100 * 1024, blocks=24)) == 12
    assert resident(64, 16, 0, Multiprocessor(threads=1536, blocks=16)) == 16
