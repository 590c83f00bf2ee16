"""DLPack's structures and capsules, with NumPy on the other side: it gives and takes arrays of the host alike."""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lngen.runtime.cuda import dlpack
from lngen.runtime.cuda.arrays import KINDS, memory
from tests.requirements import needs_torch

VERSIONED = pytest.mark.parametrize("asked", [{}, {"max_version": (1, 0)}])


def exported(array: Any, owner: Any = None, waited: Any = None, kind: str | None = None) -> dlpack.Exported:
    wait = (lambda stream: None) if waited is None else waited.append
    kind = KINDS[array.dtype.str] if kind is None else kind
    return dlpack.Exported(owner or array, array.ctypes.data, array.shape, kind, (dlpack.HOST, 0), wait)


class Other:
    """An array of the host that its library says is on a device."""

    def __init__(self, array: Any, device: tuple[int, int] = (2, 0), versions: bool = True) -> None:
        self.array, self.device, self.versions = array, device, versions
        self.asked: list[dict[str, Any]] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **asked: Any) -> Any:
        if not self.versions and "max_version" in asked:
            raise TypeError("unexpected keyword argument")
        self.asked.append(asked)
        return self.array.__dlpack__(max_version=asked.get("max_version"))


# ---- taking


@VERSIONED
def test_an_array_of_numpy_is_taken_and_let_go(asked):
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    count = sys.getrefcount(array)
    taken = dlpack.Imported(array, array[:, 1:].__dlpack__(**asked))
    interface = taken.__cuda_array_interface__
    assert interface["data"] == (array.ctypes.data + 4, False)
    assert (interface["shape"], interface["strides"], interface["typestr"]) == ((3, 3), (16, 4), "<f4")
    assert sys.getrefcount(array) > count
    del taken
    assert sys.getrefcount(array) == count


@pytest.mark.parametrize("dtype", ["<f2", "<f4", "<f8", "<i4", "|u1", "|i1", "|b1", "<c8", "<u2"])
def test_types_are_those_of_numpy(dtype):
    array = np.zeros((2, 3), dtype)
    assert dlpack.Imported(array, array.__dlpack__()).__cuda_array_interface__["typestr"] == dtype


def test_what_must_not_be_written_says_so():
    array = np.zeros(3)
    array.flags.writeable = False
    taken = dlpack.Imported(array, array.__dlpack__(max_version=(1, 0)))
    assert taken.__cuda_array_interface__["data"][1]


def test_a_capsule_is_used_once():
    array = np.zeros(3)
    capsule = array.__dlpack__()
    dlpack.Imported(array, capsule)
    for used in (capsule, None, array):
        with pytest.raises(
            BufferError, match="__dlpack__ of ndarray returned a capsule without an array, or a used one"
        ):
            dlpack.Imported(array, used)


def test_streams_are_those_of_the_specification():
    """Without a stream, the default stream is used, which DLPack calls 1."""
    array = Other(np.zeros((2, 3)))
    for handle in (0, 5, dlpack.NO_WAIT):
        assert dlpack.imported(array, handle) is not None
    assert [each["stream"] for each in array.asked] == [1, 5, -1]
    old = Other(np.zeros((2, 3)), versions=False)
    assert dlpack.imported(old, 0) is not None
    assert old.asked == [{"stream": 1}]


def test_what_is_no_array_of_a_device_is_not_taken():
    for value in (
        np.zeros(3),
        1.0,
        None,
        Other(np.zeros(3), (10, 0)),
        SimpleNamespace(__dlpack_device__=lambda: (2, 0)),
    ):
        assert dlpack.imported(value, 0) is None
    with pytest.raises(TypeError, match="x is of type ndarray, not an array in device memory; pass a GPUArray"):
        memory("x", np.zeros(3))
    with pytest.raises(TypeError, match=r"x is on DLPack device \(10, 1\), which is not a CUDA device"):
        memory("x", Other(np.zeros(3), (10, 1)))


def test_a_look_at_an_array_waits_for_nothing():
    array = Other(np.zeros((2, 3), np.float16), (13, 0))
    found = memory("x", array)
    assert (found.kind, found.shape, found.pointer) == ("f16", (2, 3), array.array.ctypes.data)
    assert array.asked[0]["stream"] == dlpack.NO_WAIT
    with pytest.raises(ValueError, match="x has strides"):
        memory("x", Other(np.zeros((2, 3)).T))


# ---- giving


@pytest.mark.parametrize("shape", [(2, 3), (), (0, 4), (5,), (2, 1, 3)])
def test_numpy_takes_what_is_given(shape):
    array = np.random.default_rng(0).standard_normal(shape)
    taken = np.from_dlpack(exported(array))
    np.testing.assert_array_equal(taken, array)
    assert taken.shape == shape
    if taken.size:
        assert taken.ctypes.data == array.ctypes.data
        taken[...] = 7.0
        assert (array == 7.0).all()


def test_bfloat16_has_its_own_code():
    array = np.zeros((2, 3), "V2")
    one = exported(array, kind="bf16")
    assert dlpack.Imported(one, one.__dlpack__()).__cuda_array_interface__["typestr"] == "<V2"


def test_who_takes_an_array_names_the_stream_that_waits():
    waited: list[int] = []
    array = np.zeros(3)
    one = dlpack.Exported(array, array.ctypes.data, (3,), "f64", (dlpack.CUDA, 0), waited.append)
    for stream in (None, 1, 9, -1):
        one.__dlpack__(stream=stream)
    assert waited == [1, 1, 9]
    assert one.__dlpack_device__() == (2, 0)
    for asked in ({"copy": True}, {"dl_device": (1, 0)}):
        with pytest.raises(BufferError, match="without a copy, on their own device"):
            one.__dlpack__(**asked)


# ---- libraries


def test_a_library_is_told_by_itself_or_by_an_array(monkeypatch):
    def from_dlpack(x):
        return x

    module = ModuleType("some_library")
    module.from_dlpack = from_dlpack  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "some_library", module)
    kind = type("Array", (), {"__module__": "some_library.core"})
    standard = type("Array", (), {"__array_namespace__": lambda self: module})
    for like in (module, kind(), standard(), SimpleNamespace(from_dlpack=from_dlpack)):
        assert dlpack.taker(like) is from_dlpack
    ours = type("GPUArray", (), {"__module__": "pycuda.gpuarray"})
    for like in (None, ours(), ModuleType("pycuda.gpuarray")):
        assert dlpack.taker(like) is None


def test_a_library_without_from_dlpack_is_refused():
    for like in (np, np.zeros(3)):
        with pytest.raises(TypeError, match="like is NumPy, whose arrays are in host memory; omit like"):
            dlpack.taker(like)
    for like, name in (("cupy", "str"), (sys, "sys"), (3, "int")):
        with pytest.raises(TypeError, match=f"like is {name}, which has no from_dlpack; pass an array of CuPy"):
            dlpack.taker(like)


@needs_torch
@pytest.mark.ci
def test_pytorch_takes_what_is_given_and_gives_what_is_taken():
    import torch

    array = np.random.default_rng(0).standard_normal((2, 3))
    held = len(dlpack._held)
    tensor = torch.from_dlpack(exported(array))
    tensor.mul_(2)
    assert tensor.data_ptr() == array.ctypes.data
    del tensor
    assert len(dlpack._held) == held
    raw = np.arange(6, dtype=np.int16).reshape(2, 3)
    one = dlpack.Exported(raw, raw.ctypes.data, raw.shape, "bf16", (dlpack.HOST, 0), lambda stream: None)
    assert torch.equal(torch.from_dlpack(one).view(torch.int16), torch.from_numpy(raw))
    tensor = torch.zeros(4, 3, dtype=torch.bfloat16)[::2]
    interface = dlpack.Imported(tensor, tensor.__dlpack__(max_version=(1, 0))).__cuda_array_interface__
    assert (interface["typestr"], interface["shape"], interface["strides"]) == ("<V2", (2, 3), (12, 2))
    assert interface["data"] == (tensor.data_ptr(), False)
