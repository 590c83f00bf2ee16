"""`cuda_backend.py` and arrays of other libraries, on the emulator, with stand-ins for PyTorch and CuPy.

These have the functions that the runtime calls, by the libraries' documentation; a capsule is any object.
"""

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lngen.runtime.cuda import libraries
from lngen.runtime.cuda.arrays import memory
from tests.requirements import has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

RAW = {"bfloat16": np.dtype(ml_dtypes.bfloat16), "float8_e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn)}


class Tensor:
    """Array of a library that shares memory with `owner`; PyTorch's interface is of types that NumPy has."""

    def __init__(self, owner: Any, interface: dict[str, Any], dtype: Any, library: str = "") -> None:
        self.owner, self.interface, self.dtype, self.library = owner, interface, dtype, library
        self.device = ""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.library == "torch" and self.dtype in RAW.values():
            raise TypeError(f"no typestr of {self.dtype}")
        return self.interface

    def view(self, dtype: Any) -> "Tensor":
        found = Tensor(self.owner, {**self.interface, "typestr": np.dtype(dtype).str}, np.dtype(dtype), self.library)
        found.device = self.device
        return found

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def __dlpack__(self, *, stream: Any = None) -> Any:
        return self.owner, self.interface, self.dtype

    def get(self) -> Any:
        memory = self.owner
        while not hasattr(memory, "get"):
            memory = memory.owner
        return memory.get().view(self.dtype)


class Mine(Tensor):
    """Array of a library that speaks DLPack alone."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        raise AttributeError


class Library(ModuleType):
    """Stand-in for PyTorch or CuPy; `taken` are the arrays that it took by DLPack, and `made` those of interfaces."""

    int16 = np.dtype(np.int16)
    bfloat16, float8_e4m3fn = RAW.values()

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.taken: list[Any] = []
        self.made: list[Any] = []
        self.stream = 0
        now = SimpleNamespace
        self.cuda = SimpleNamespace(
            is_available=lambda: True,
            current_stream=lambda: now(cuda_stream=self.stream),
            get_current_stream=lambda: now(ptr=self.stream),
        )

    def from_dlpack(self, x: Any) -> Tensor:
        self.taken.append(x)
        return Tensor(*x.__dlpack__(stream=self.stream), self.__name__)

    def asarray(self, x: Any) -> Tensor:
        self.made.append(x)
        interface = x.__cuda_array_interface__
        dtype = x.dtype if interface["typestr"][1] == "V" else np.dtype(interface["typestr"])
        return Tensor(x, interface, dtype, self.__name__)

    def as_tensor(self, x: Any, device: str) -> Tensor:
        if x.__cuda_array_interface__["typestr"][1] == "V":
            raise TypeError("PyTorch takes no raw entries")
        made = self.asarray(x)
        made.device = device
        return made


@pytest.fixture(params=["torch", "cupy"])
def library(request: Any, monkeypatch: pytest.MonkeyPatch) -> Library:
    """PyTorch or CuPy, as if it alone were imported."""
    found = Library(request.param)
    for name in ("torch", "cupy"):
        monkeypatch.setitem(sys.modules, name, found if name == request.param else None)
    return found


def mine(cuda: Any, value: Any, kind: type[Tensor] = Mine) -> Tensor:
    """Copy an array to a device, in a library with DLPack."""
    made = cuda.gpuarray.to_gpu(value)
    return kind(made, made.__cuda_array_interface__, made.dtype)


def values(dtype: Any = np.float64, rows: tuple[int, ...] = (5,)) -> dict[str, Any]:
    random = np.random.default_rng(0)
    shapes = {"x": (*rows, 33), "gamma": (33,), "beta": (33,), "dy": (*rows, 33)}
    return {name: random.standard_normal(shape).astype(dtype) for name, shape in shapes.items()}


def ran(layer: Any, arrays: dict[str, Any], **options: Any) -> list[Any]:
    """The output and the gradients, as NumPy's arrays."""
    y, saved = layer.forward(arrays["x"], arrays["gamma"], arrays["beta"], **options)
    made = [y, *layer.backward(saved, arrays["dy"], **options)]
    return [each.get() for each in made]


@pytest.mark.parametrize("dtype", [np.float64, ml_dtypes.bfloat16])
def test_arrays_come_and_go_by_dlpack(centred: Any, cuda: Any, library: Library, dtype: Any) -> None:
    given = values(dtype)
    wanted = ran(centred, {name: cuda.gpuarray.to_gpu(value) for name, value in given.items()})
    arrays = {name: mine(cuda, value) for name, value in given.items()}
    found = ran(centred, arrays, like=library)
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.dtype == theirs.dtype
        assert ours.tobytes() == theirs.tobytes()
    # What is saved is not asked for again; the four results go by DLPack, too.
    assert [each for each in library.taken if type(each) is Mine] == list(arrays.values())
    assert len(library.made) == 4
    if library.__name__ == "torch":
        assert all(each.device == "cuda:0" for each in library.taken if type(each) is Tensor)


def test_what_is_saved_is_held(centred: Any, cuda: Any, library: Library) -> None:
    x = mine(cuda, values()["x"])
    _, saved = centred.forward(x)
    assert (saved.x.owner, saved.x.taken.owner) == (x, x.owner)
    assert centred.backward(saved, x).dx.get().shape == x.owner.shape


def test_a_result_is_there_until_the_library_is_done_with_it(
    centred: Any, cuda: Any, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = cuda.gpuarray.to_gpu(values()["x"])
    freed: list[int] = []
    allocation = centred._launcher.driver.Allocation
    free = allocation.__del__
    monkeypatch.setattr(allocation, "__del__", lambda self: (freed.append(self.pointer), free(self))[1])
    y, _ = centred.forward(x, save=False, like=library)
    pointer = y.interface["data"][0]
    assert pointer not in freed
    library.taken.clear()
    library.made.clear()
    del y
    assert pointer in freed


def test_results_of_types_that_numpy_lacks_have_their_types_in_pytorch(
    cuda: Any, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, dtype in RAW.items():
        made = cuda.gpuarray.to_gpu(np.arange(6, dtype=np.float32).astype(dtype).reshape(2, 3))
        taken = libraries.taker(library)(made, 0)
        assert (taken.dtype, taken.get().tobytes()) == (dtype, made.get().tobytes()), name
    if library.__name__ == "torch":
        raw = cuda.gpuarray.to_gpu(np.zeros((2, 3), "V2"))  # bfloat16 where ml_dtypes is not installed
        assert libraries.taker(library)(raw, 0).dtype == RAW["bfloat16"]


def test_results_in_the_callers_arrays_come_back_as_they_are(centred: Any, cuda: Any, library: Library) -> None:
    given = values()
    x, out = cuda.gpuarray.to_gpu(given["x"]), mine(cuda, np.zeros_like(given["x"]))
    y, saved = centred.forward(x, out=out, like=library)
    assert y is out
    np.testing.assert_array_equal(y.get(), centred.forward(x)[0].get())
    gradients = centred.backward(saved, x, like=library)
    assert (gradients.dgamma, gradients.dbeta) == (None, None)


def test_streams_wait_for_one_another(
    centred: Any, cuda: Any, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library's stream is waited for before a launch, and it waits for the launch before it hands results on."""
    given, driver = values(), centred._launcher.driver
    stream, other = cuda.driver.Stream(), cuda.driver.Stream()
    called: list[tuple[Any, ...]] = []
    call = driver.call

    def noted(function: str, *arguments: Any) -> Any:
        called.append((function, *arguments))
        return call(function, *arguments)

    monkeypatch.setattr(driver, "call", noted)
    x = mine(cuda, given["x"])
    for theirs, ours, waits in (
        (other, stream, True),
        (stream, stream, False),
        (None, stream, True),
        (None, None, False),
    ):
        called.clear()
        library.stream = theirs.handle if theirs else 0
        centred.forward(x, save=False, stream=ours, like=library)
        synchronized = [each[1] for each in called if each[0] == "cuStreamSynchronize"]
        waited = [each for each in called if each[0] in ("cuEventRecord", "cuStreamWaitEvent")]
        if waits:
            assert synchronized == [library.stream or 1]
            (_, event, recorded), (_, waiting, awaited, _) = waited
            assert (recorded, waiting, awaited) == (ours.handle, library.stream or 1, event)
            assert called[-1] == ("cuEventDestroy", event)
        else:
            assert synchronized == waited == []


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


def test_room_is_told_of_arrays_that_speak_dlpack(centred: Any, cuda: Any, library: Library) -> None:
    given = values()
    x, dy = (mine(cuda, given[name]) for name in ("x", "dy"))
    ours = [cuda.gpuarray.to_gpu(given[name]) for name in ("x", "dy")]
    _, saved = centred.forward(ours[0])
    assert centred.workspace_bytes("forward", x) == centred.workspace_bytes("forward", ours[0])
    assert centred.workspace_bytes("backward", saved, dy) == centred.workspace_bytes("backward", saved, ours[1])
    rebuilt = centred.saved_from(**dict(zip(saved._fields[3:], saved[3:], strict=True)) | {"x": x})
    np.testing.assert_array_equal(centred.backward(rebuilt, dy).dx.get(), centred.backward(saved, ours[1]).dx.get())


def test_arrays_without_a_library_to_take_them_are_refused(
    centred: Any, cuda: Any, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that is imported and sees no GPU, as PyTorch for processors, is none."""
    x, ours = mine(cuda, values()["x"]), cuda.gpuarray.to_gpu(values()["x"])
    library.cuda.is_available = lambda: False
    words = "x is of type Mine, which has DLPack alone, and PyTorch or CuPy take that: import one that sees the GPU, or"
    with pytest.raises(ImportError, match=words):
        centred.forward(x)
    with pytest.raises(ImportError, match=f"like is {library.__name__}, whose results PyTorch or CuPy hand on"):
        centred.forward(ours, like=library)
    monkeypatch.setitem(sys.modules, library.__name__, None)
    with pytest.raises(ImportError, match=words):
        centred.forward(x)


def test_of_two_libraries_it_is_the_arrays_own(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [Library("torch"), Library("cupy")]
    for each in both:
        monkeypatch.setitem(sys.modules, each.__name__, each)
    assert [libraries.exchange(name) for name in ("torch", "cupy", "jax")] == [*both, both[0]]


@pytest.mark.parametrize("value", [np.zeros(3), SimpleNamespace(__dlpack_device__=lambda: (2, 0))])
def test_what_is_no_array_of_a_device_is_not_taken(library: Library, value: Any) -> None:
    assert libraries.imported(value) is None
    with pytest.raises(TypeError, match=f"x is of type {type(value).__name__}, not an array in device memory; pass a"):
        memory("x", value)
    other = SimpleNamespace(__dlpack_device__=lambda: (10, 1), __dlpack__=None)
    with pytest.raises(TypeError, match=r"x is on DLPack device \(10, 1\), which is not a CUDA device"):
        memory("x", other)
    assert library.taken == []


def test_a_library_is_told_by_itself_or_by_an_array(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def from_dlpack(x: Any) -> Any:
        return x

    module = ModuleType("some_library")
    module.from_dlpack = from_dlpack  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "some_library", module)
    kind = type("Array", (), {"__module__": "some_library.core"})
    standard = type("Array", (), {"__array_namespace__": lambda self: module})
    for like in (module, kind(), standard(), SimpleNamespace(from_dlpack=from_dlpack)):
        found = libraries.taker(like)
        assert found is not None
        assert (found.function, found.library) == (from_dlpack, library)
    ours = type("GPUArray", (), {"__module__": "pycuda.gpuarray"})
    for like in (None, ours(), ModuleType("pycuda.gpuarray")):
        assert libraries.taker(like) is None


def test_a_library_without_from_dlpack_is_refused() -> None:
    for like in (np, np.zeros(3)):
        with pytest.raises(TypeError, match="like is NumPy, whose arrays are in host memory; omit like"):
            libraries.taker(like)
    for like, name in (("cupy", "str"), (sys, "sys"), (3, "int")):
        with pytest.raises(TypeError, match=f"like is {name}, which has no from_dlpack; pass an array of CuPy"):
            libraries.taker(like)
