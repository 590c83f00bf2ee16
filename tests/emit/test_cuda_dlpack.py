"""`cuda_backend.py` and arrays of other libraries, on the emulator: what these do is written from DLPack's header."""

import ctypes
import struct
from types import SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tests.requirements import has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

TENSOR = struct.Struct("=QiiiBBHQQQ")
"""DLTensor: data, device, device number, axes, code, bits, lanes, shape, strides, offset in bytes."""

CODES = {"<f2": (2, 16), "<f4": (2, 32), "<f8": (2, 64), "<V2": (4, 16), "<i4": (0, 32)}
DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
NEW = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
POINTER = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
RENAME = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", ctypes.pythonapi))
NAMES = [(b"dltensor", b"used_dltensor"), (b"dltensor_versioned", b"used_dltensor_versioned")]


class Library:
    """A library whose arrays speak DLPack alone, of one version: `used` says what it was asked, `held` what is."""

    def __init__(self, cuda: Any, versioned: bool = True) -> None:
        self.cuda, self.versioned = cuda, versioned
        self.used: list[Any] = []
        self.held: dict[int, Any] = {}
        self.deleter = DELETER(lambda address: self.held.pop(address) and None)

    def array(self, value: Any, offset: int = 0, device: tuple[int, int] = (2, 0), flags: int = 0) -> "Array":
        """A copy of an array, in the device's memory, so many bytes after the pointer that is told."""
        stored = np.frombuffer(bytes(offset) + value.tobytes(), np.uint8)
        return Array(self, self.cuda.gpuarray.to_gpu(stored), value, offset, device, flags)

    def from_dlpack(self, x: Any) -> "Taken":
        kwargs = {"max_version": (1, 0)} if self.versioned else {}
        return Taken(self, x.__dlpack__(stream=self.stream, **kwargs), x.__dlpack_device__())

    stream: Any = None


class Array:
    def __init__(
        self, library: Library, memory: Any, like: Any, offset: int, device: tuple[int, int], flags: int
    ) -> None:
        self.library, self.memory, self.like, self.offset = library, memory, like, offset
        self.device, self.flags = device, flags

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, *, stream: Any = None, **rest: Any) -> Any:
        if rest and not self.library.versioned:
            raise TypeError("__dlpack__() got an unexpected keyword argument")
        self.library.used.append(stream)
        shape = (ctypes.c_int64 * self.like.ndim)(*self.like.shape)
        strides = (ctypes.c_int64 * self.like.ndim)(*[step // self.like.itemsize for step in self.like.strides])
        where = [ctypes.addressof(shape), ctypes.addressof(strides)]
        code = CODES[self.like.dtype.str]
        tensor = TENSOR.pack(int(self.memory.gpudata), *self.device, self.like.ndim, *code, 1, *where, self.offset)
        end = struct.pack("=QQ", 0, ctypes.cast(self.library.deleter, ctypes.c_void_p).value)
        versioned = self.library.versioned
        whole = struct.pack("=II", 1, 0) + end + struct.pack("=Q", self.flags) + tensor if versioned else tensor + end
        managed = ctypes.create_string_buffer(whole, len(whole))
        self.library.held[ctypes.addressof(managed)] = managed, shape, strides, self.memory
        return NEW(ctypes.addressof(managed), NAMES[versioned][0], None)

    def get(self) -> Any:
        return np.frombuffer(self.memory.get().tobytes()[self.offset :], self.like.dtype).reshape(self.like.shape)


class Taken:
    """Array that the library made from another library's array."""

    def __init__(self, library: Library, capsule: Any, device: tuple[int, int]) -> None:
        name, used = NAMES[library.versioned]
        self.cuda, self.pointer, self.device = library.cuda, POINTER(capsule, name), device
        RENAME(capsule, used)
        before = 32 if library.versioned else 0
        found = TENSOR.unpack(ctypes.string_at(self.pointer + before, TENSOR.size))
        self.data, *where, count, self.code, self.bits, self.lanes, shape, strides, offset = found
        assert (tuple(where), self.lanes, offset) == (device, 1, 0)
        self.shape = tuple((ctypes.c_int64 * count).from_address(shape))
        self.strides = tuple((ctypes.c_int64 * count).from_address(strides))
        self.deleter = DELETER(
            ctypes.c_void_p.from_address(self.pointer + (16 if library.versioned else TENSOR.size + 8)).value
        )

    def get(self) -> Any:
        dtype = next(kind for kind, code in CODES.items() if code == (self.code, self.bits))
        found = np.empty(self.shape, ml_dtypes.bfloat16 if dtype == "<V2" else dtype)
        if found.size:
            assert self.strides == tuple(step // found.itemsize for step in found.strides)
            self.cuda.driver.memcpy_dtoh(found.view(np.uint8), self.data)
        return found

    def release(self) -> None:
        self.deleter(self.pointer)


def values(dtype: Any = np.float64, rows: tuple[int, ...] = (5,)) -> dict[str, Any]:
    random = np.random.default_rng(0)
    shapes = {"x": (*rows, 33), "gamma": (33,), "beta": (33,), "dy": (*rows, 33)}
    return {name: random.standard_normal(shape).astype(dtype) for name, shape in shapes.items()}


def ran(layer: Any, arrays: dict[str, Any], **options: Any) -> list[Any]:
    """The output and the gradients, as NumPy's arrays."""
    y, saved = layer.forward(arrays["x"], arrays["gamma"], arrays["beta"], **options)
    made = [y, *layer.backward(saved, arrays["dy"], **options)]
    return [each.get() for each in made]


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("dtype", [np.float64, ml_dtypes.bfloat16])
def test_arrays_come_and_go_by_dlpack(centred: Any, cuda: Any, versioned: bool, dtype: Any) -> None:
    given, library = values(dtype), Library(cuda, versioned)
    wanted = ran(centred, {name: cuda.gpuarray.to_gpu(value) for name, value in given.items()})
    arrays = {name: library.array(value, offset=16) for name, value in given.items()}
    found = ran(centred, arrays, like=library)
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.tobytes() == theirs.tobytes()
    # Each was asked for on the default stream, and is let go when what was saved of it is.
    assert library.used == [1] * 4
    assert not library.held


def test_what_is_saved_is_held(centred: Any, cuda: Any) -> None:
    given, library = values(), Library(cuda)
    arrays = {name: library.array(value) for name, value in given.items()}
    _, saved = centred.forward(arrays["x"], arrays["gamma"], arrays["beta"])
    assert len(library.held) == 2  # beta is not saved
    centred.backward(saved, arrays["dy"])
    assert len(library.held) == 2
    assert len(library.used) == 4  # what is saved is not asked for again
    del saved
    assert not library.held


def test_a_result_is_there_until_the_library_is_done_with_it(
    centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, x = Library(cuda), cuda.gpuarray.to_gpu(values()["x"])
    freed: list[int] = []
    allocation = centred._launcher.driver.Allocation
    free = allocation.__del__
    monkeypatch.setattr(allocation, "__del__", lambda self: (freed.append(self.pointer), free(self))[1])
    y, _ = centred.forward(x, save=False, like=library)
    assert (y.device, y.data in freed) == ((2, 0), False)
    y.get()
    y.release()
    assert y.data in freed


def test_results_in_the_callers_arrays_come_back_as_they_are(centred: Any, cuda: Any) -> None:
    given, library = values(), Library(cuda)
    x, out = cuda.gpuarray.to_gpu(given["x"]), library.array(np.zeros_like(given["x"]))
    y, saved = centred.forward(x, out=out, like=library)
    assert y is out
    np.testing.assert_array_equal(y.get(), centred.forward(x)[0].get())
    gradients = centred.backward(saved, x, like=library)
    assert (gradients.dgamma, gradients.dbeta) == (None, None)
    for flags in (1, 2):  # read-only, and a copy that nobody would see
        with pytest.raises(ValueError, match="out for y is read-only"):
            centred.forward(x, out=library.array(given["x"], flags=flags))


def test_streams_wait_for_one_another(centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An exporter is told the stream of the launch, and a stream that takes a result waits for that one."""
    given, library, driver = values(), Library(cuda), centred._launcher.driver
    stream, other = cuda.driver.Stream(), cuda.driver.Stream()
    called: list[tuple[Any, ...]] = []
    call = driver.call

    def noted(function: str, *arguments: Any) -> Any:
        called.append((function, *arguments))
        return call(function, *arguments)

    monkeypatch.setattr(driver, "call", noted)
    x = library.array(given["x"])
    for taking, ours, waits in (
        (other, stream, True),
        (stream, stream, False),
        (None, stream, True),
        (None, None, False),
    ):
        called.clear()
        library.stream = taking and taking.handle
        centred.forward(x, save=False, stream=ours, like=library)
        assert library.used[-1] == (ours.handle if ours else 1)
        waited = [each for each in called if each[0] in ("cuEventRecord", "cuStreamWaitEvent")]
        if waits:
            (_, event, recorded), (_, waiting, awaited, _) = waited
            assert (recorded, waiting, awaited) == (ours.handle, taking.handle if taking else 1, event)
            assert called[-1] == ("cuEventDestroy", event)
        else:
            assert waited == []


def test_a_stream_that_an_interface_names_is_waited_for(
    centred: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third version of the interface: the work on the array is done when its stream gets there."""
    array, driver = cuda.gpuarray.to_gpu(values()["x"]), centred._launcher.driver
    stream, other = cuda.driver.Stream(), cuda.driver.Stream()
    waited: list[Any] = []
    call = driver.call

    def noted(function: str, *arguments: Any) -> Any:
        if function == "cuStreamSynchronize":
            waited.append(arguments[0])
        return call(function, *arguments)

    monkeypatch.setattr(driver, "call", noted)
    for said, ours, wanted in (
        (None, stream, []),
        (other.handle, stream, [other.handle]),
        (stream.handle, stream, []),
        (1, stream, [1]),
        (1, None, []),
        (2, None, [2]),
    ):
        waited.clear()
        interface = {**array.__cuda_array_interface__, "stream": said, "version": 3}
        centred.forward(SimpleNamespace(__cuda_array_interface__=interface), save=False, stream=ours)
        assert waited == wanted


def test_room_is_told_of_arrays_that_speak_dlpack(centred: Any, cuda: Any) -> None:
    given, library = values(), Library(cuda)
    x, dy = (library.array(given[name]) for name in ("x", "dy"))
    ours = [cuda.gpuarray.to_gpu(given[name]) for name in ("x", "dy")]
    _, saved = centred.forward(ours[0])
    assert centred.workspace_bytes("forward", x) == centred.workspace_bytes("forward", ours[0])
    assert centred.workspace_bytes("backward", saved, dy) == centred.workspace_bytes("backward", saved, ours[1])
    assert set(library.used) == {-1}
    rebuilt = centred.saved_from(**dict(zip(saved._fields[3:], saved[3:], strict=True)) | {"x": x})
    np.testing.assert_array_equal(centred.backward(rebuilt, dy).dx.get(), centred.backward(saved, ours[1]).dx.get())
