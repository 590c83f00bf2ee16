"""PyCUDA with a context, on the GPU where there is one, else on the emulator; and a layer in it."""

import importlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from lngen.extensions.simt import driver
from tests.requirements import has_gpu


@pytest.fixture(scope="module")
def cuda() -> Iterator[Any]:
    """PyCUDA's parts, with the primary context of a device current."""
    if not has_gpu():
        driver.enable()
    import pycuda.driver
    import pycuda.gpuarray

    pycuda.driver.init()
    context = pycuda.driver.Device(0).retain_primary_context()
    context.push()
    yield SimpleNamespace(driver=pycuda.driver, gpuarray=pycuda.gpuarray, context=context)
    pycuda.driver.Context.pop()


@pytest.fixture
def centred() -> Any:
    """The functions of layer norm on a device."""
    return importlib.import_module("generated.layer_norm.cuda_backend")
