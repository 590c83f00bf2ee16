"""Rows of long and odd lengths, and arrays off the start of a vector: kernels compile, and compute what NumPy does."""

import importlib
import itertools
from typing import Any

import numpy as np
import pytest

from lngen.checks.toolchain import nvrtc
from lngen.extensions.inspection.kernels import BLOCK_SHARED
from lngen.paths import generated_folder
from lngen.runtime.cuda.macros import macros
from lngen.runtime.includes import inlined
from tests.emit.test_cuda_launcher_runs import BF16, both, inputs_of, on_device
from tests.requirements import has_gpu, needs_gxx, needs_nvrtc, needs_pycuda

pytestmark = pytest.mark.cuda

# Of 6145 to 12287 entries, rows of 16 bits had a block of 1024 threads for each access of 2 bytes. The vocabularies of
# GPT-2 and of Llama 3 are longer than shared memory holds. With 1, accesses are of one entry for want of alignment.
LENGTHS = [(6145, 0), (9001, 0), (12287, 0), (50257, 0), (128256, 0), (8192, 1)]
LAYERS = ("layer_norm", "rms_norm", "softmax")
DTYPES = ("bf16", "f16", "f32")
# A length or two for each layer, architectures and types by turns.
SOME = [
    (layer, [*BLOCK_SHARED][index % len(BLOCK_SHARED)], DTYPES[index % 3], *length)
    for index, (length, layer) in enumerate(itertools.product(LENGTHS, LAYERS))
]


@needs_nvrtc
@pytest.mark.ci
@pytest.mark.parametrize(("layer", "arch", "dtype", "features", "vector"), SOME[::4])
def test_kernels_of_long_rows_compile(layer: str, arch: str, dtype: str, features: int, vector: int) -> None:
    text = inlined(generated_folder() / layer / "kernels.cu")
    for direction in ("forward", "backward"):
        given = macros(direction, dtype, dtype, features, shared=BLOCK_SHARED[arch])
        given += [f"LNGEN_VECTOR={vector}"] * (vector > 0)
        built = nvrtc.compile_as_launched(text, arch, [f"-D{macro}" for macro in given])
        for name, used in built.resources.items():
            assert (used.spill_stores, used.spill_loads, used.stack) == (0, 0, 0), (name, used)


def one_entry_off(cuda: Any, value: Any) -> Any:
    """The array on the device, in memory that starts an entry before it."""
    flat = np.concatenate([np.zeros(1, value.dtype), value.reshape(-1)])
    return on_device(cuda, flat)[1:].reshape(value.shape)


@needs_pycuda
@(needs_gxx if not has_gpu() else lambda test: test)
@pytest.mark.ci
@pytest.mark.parametrize(("features", "off"), [(6145, ""), (12287, ""), (8192, "x"), (8192, "gamma")])
def test_long_rows_have_the_values_of_numpy(cuda: Any, features: int, off: str) -> None:
    ours, theirs = (importlib.import_module(f"generated.layer_norm.{name}_backend") for name in ("cuda", "numpy"))
    inputs = inputs_of(ours, BF16, BF16, 3, features)
    wanted = both(theirs, None, inputs)
    if off:
        inputs[off] = one_entry_off(cuda, inputs[off])
    found = both(ours, cuda, inputs)
    assert list(found) == list(wanted)
    for name, value in wanted.items():
        assert (found[name].dtype, found[name].shape) == (value.dtype, value.shape), name
        exact, mine = (np.asarray(array, np.float64) for array in (value, found[name]))
        # 450 roundings of the compute type, and one unit in the last place of rows: close results may be neighbours.
        bound = 450 * 2.0**-24 + 2.0**-7
        assert np.abs(mine - exact).max() <= bound * max(1, np.abs(exact).max()), name
