"""`cuda_backend.py` as far as it goes without a device: its text, its interface, its errors."""

import importlib
import inspect
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lngen.runtime.protocol.directions import LayerProtocol
from tests.shipped import NAMES


def cuda_of(name: str) -> Any:
    return importlib.import_module(f"generated.{name}.cuda_backend")


@pytest.fixture
def layer() -> Any:
    return cuda_of("layer_norm")


@dataclass
class Fake:
    """Says that it is in device memory, which nothing here may look at."""

    shape: tuple[int, ...]
    typestr: str = "<f4"
    pointer: int = 0x10000
    strides: tuple[int, ...] | None = None
    read_only: bool = False
    mask: Any = None

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.typestr,
            "data": (self.pointer, self.read_only),
            "strides": self.strides,
            "mask": self.mask,
            "version": 3,
        }


# Interface


@pytest.mark.parametrize("name", NAMES)
def test_functions_are_those_of_numpy(name: str) -> None:
    cuda, other = cuda_of(name), importlib.import_module(f"generated.{name}.numpy_backend")
    for function in ("forward", "backward", "jvp", "backward_backward"):
        ours, theirs = (
            [(p.name, p.default, p.kind) for p in inspect.signature(vars(m)[function]).parameters.values()]
            for m in (cuda, other)
        )
        keyword = inspect.Parameter.KEYWORD_ONLY
        assert theirs.pop() == ("threads", 1, keyword)
        own = [("stream", None, keyword), ("workspace", None, keyword)]
        own.append(("like", None, keyword))
        assert ours == [*theirs, *own]
    for group in ("Outputs", "Gradients", "Saved", "SecondGradients"):
        assert hasattr(cuda, group) == hasattr(other, group)
        if hasattr(cuda, group):
            assert vars(cuda)[group]._fields == vars(other)[group]._fields


@pytest.mark.ci
@pytest.mark.parametrize(
    ("pycuda", "words"),
    [
        (None, "needs PyCUDA: pip install pycuda"),
        ("raise ImportError('libcuda.so.1: cannot open')", "no NVIDIA driver or GPU (libcuda.so.1: cannot open)"),
        (
            "class Error(Exception): pass\ndef init(): raise Error('no device')",
            "no NVIDIA driver or GPU (no device); install the driver",
        ),
        ("class Error(Exception): pass\ndef init(): pass", "needs NVIDIA's cuda.bindings beside PyCUDA: pip install"),
    ],
)
def test_what_is_missing_is_said(pycuda: str | None, words: str, layer: Any, tmp_path: Path) -> None:
    """The module is imported without PyCUDA and without a driver, and a call says what is missing."""
    if pycuda is not None:
        (tmp_path / "pycuda").mkdir()
        (tmp_path / "pycuda" / "__init__.py").touch()
        (tmp_path / "pycuda" / "driver.py").write_text(pycuda)
        (tmp_path / "pycuda" / "gpuarray.py").write_text("GPUArray = None")
    missing = f"sys.modules['{'pycuda' if pycuda is None else 'cuda'}'] = None"
    folder = Path(layer.__file__).parent
    code = (
        f"import sys; sys.path[:0] = {[str(tmp_path), str(folder.parent.parent)]!r}; {missing}\n"
        f"from {folder.parent.name}.{folder.name} import cuda_backend\n"
        "interface = dict(shape=(3, 4), typestr='<f4', data=(4096, False), version=3)\n"
        "array = type('Array', (), {'__cuda_array_interface__': interface})()\n"
        "try: cuda_backend.forward(array)\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert words in done.stdout, done.stderr
    assert "the NumPy backend beside this file" in done.stdout


# Errors, before any call of the driver


@pytest.fixture
def no_driver(layer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise AssertionError("the driver was called")

    monkeypatch.setattr(layer._launcher.devices, "_pycuda", refuse)
    monkeypatch.setattr(layer._launcher.driver, "bindings", refuse)


X = Fake((3, 4))


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"x": None}, TypeError, "x is None; pass an array of floats"),
        ({"x": np.ones((3, 4))}, TypeError, "x is of type ndarray, not an array in device memory"),
        ({"x": Fake((3, 4), "<i4")}, TypeError, "x is of type <i4, not floating point"),
        ({"x": Fake((3, 4), ">f4")}, TypeError, "x is of type >f4, not floating point"),
        ({"x": Fake(())}, ValueError, r"x has shape \(\); pass \(..., D\) with D of 1 or more"),
        ({"x": Fake((3, 0))}, ValueError, r"x has shape \(3, 0\); pass"),
        ({"x": Fake((1, 2**30 + 1))}, ValueError, r"pass rows of at most 2\*\*30 entries; numpy_backend takes any"),
        ({"x": Fake((3, 4), strides=(4, 12))}, ValueError, "x has strides .* pass a contiguous copy"),
        ({"x": Fake((3, 4), strides=(32, 8))}, ValueError, "x has strides"),
        ({"x": Fake((3, 4), strides=(-16, 4))}, ValueError, "x has strides"),
        ({"x": X, "gamma": Fake((4,), strides=(0,))}, ValueError, "gamma has strides"),
        ({"x": Fake((3, 4), pointer=0x10002)}, ValueError, "x starts at address 0x10002, which is not ali"),
        ({"x": Fake((3, 4), pointer=0)}, ValueError, r"x has shape \(3, 4\) and no memory"),
        ({"x": Fake((3, 4), mask=X)}, TypeError, "x has a mask"),
        ({"x": X, "gamma": Fake((5,))}, ValueError, r"gamma has shape \(5,\); pass \(D,\), which is \(4,\)"),
        ({"x": X, "gamma": Fake((4,), "<f2"), "beta": Fake((4,))}, TypeError,
         "beta is of type float32 and gamma of type float16; pass beta in float16"),
        ({"x": X, "eps": float("nan")}, ValueError, "eps is nan; pass a finite number"),
        ({"x": X, "out": Fake((4, 3))}, ValueError, r"out for y has shape \(4, 3\) and type float32"),
        ({"x": X, "out": Fake((3, 4), "<f8")}, ValueError, "out for y has .* pass one of .* and type float32"),
        ({"x": X, "out": X}, ValueError, "out for y overlaps x; pass another array"),
        ({"x": X, "out": Fake((3, 4), read_only=True, pointer=0x20000)}, ValueError, "out for y is read-only"),
        ({"x": X, "out": np.ones((3, 4), np.float32)}, TypeError, "out for y is of type ndarray"),
        ({"x": X, "workspace": Fake((8,), pointer=0x20000)}, ValueError, "workspace has 32 bytes and forward"),
        ({"x": X, "workspace": X}, ValueError, "workspace overlaps x"),
        ({"x": X, "workspace": Fake((8,), pointer=0x20004)}, ValueError, "workspace is not aligned to 16"),
        ({"x": X, "stream": "0"}, TypeError, "stream is of type str; pass a stream of PyCUDA, PyTorch or CuPy"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("no_driver")
def test_bad_forward(arguments: dict[str, Any], kind: type[Exception], words: str, layer: Any) -> None:
    with pytest.raises(kind, match=words):
        layer.forward(**arguments)


F4 = np.dtype(np.float32)


def row_scalars_of(layer: Any) -> list[str]:
    return [each.name for each in LayerProtocol(layer.INTERFACE).row_scalars]


def saved_of(layer: Any, **changes: Any) -> Any:
    row_scalars = {name: Fake((3,), pointer=0x40000) for name in row_scalars_of(layer)}
    fields = {"shape": (3, 4), "dtype": F4, "dtypes": (F4, F4, None)}
    fields |= {"x": X, "gamma": Fake((4,), pointer=0x30000), **row_scalars, **changes}
    return layer.Saved(**fields)


@pytest.mark.parametrize(
    ("changes", "arguments", "kind", "words"),
    [
        ({}, {"dy": None}, TypeError, "dy is None; pass an array of floats"),
        ({}, {"dy": Fake((4, 3))}, ValueError, r"dy has shape \(4, 3\); pass the shape of y, which is \(3, 4\)"),
        ({}, {"dy": Fake((3, 4), "<f8")}, TypeError, "dy is of type float64 and x of type float32; pass dy in"),
        ({}, {"dy": X, "out": X}, TypeError, r"out is of type Fake; pass a tuple for \('dx', 'dgamma', 'dbeta'\)"),
        ({}, {"dy": X, "out": (None,)}, ValueError, "out has 1 entries; pass 3"),
        ({}, {"dy": X, "out": (None, None, Fake((4,)))}, ValueError, "out for dbeta: its input was left out, so"),
        ({}, {"dy": X, "out": (Fake((3, 4), pointer=0x40008), None, None)}, ValueError, "out for dx overlaps saved"),
        ({"x": Fake((4, 4))}, {"dy": X}, ValueError, r"saved.x has shape \(4, 4\); pass what forward saw"),
        ({"x": Fake((3, 4), "<f2")}, {"dy": X}, TypeError, "saved.x is of type float16 and what forward"),
        ({"mu": Fake((3,), "<f8")}, {"dy": X}, TypeError, "saved.mu is of type float64 and what was"),
        # Fields that do not go together, each of which kernels would take at its word.
        *(
            (changes, {"dy": X}, ValueError, f"saved.{name} does not go with the rest of saved; pass what forward")
            for name, changes in (
                ("shape", {"shape": [3, 4]}),
                ("shape", {"shape": ()}),
                ("shape", {"shape": (3, -4)}),
                ("shape", {"shape": (3, 0)}),
                ("dtypes", {"dtypes": None}),
                ("dtypes", {"dtypes": (F4, F4)}),
                ("dtypes", {"dtypes": (None, F4, None)}),
                ("dtypes", {"dtypes": ("<f4", None, None)}),
                ("dtypes", {"dtypes": (F4, F4, np.dtype("f8"))}),
                ("dtypes", {"dtypes": (F4, F4, None, F4)}),
                ("dtypes", {"dtypes": (F4, [F4], None)}),
                ("dtype", {"dtype": np.dtype("f8")}),
                ("dtype", {"dtype": "float32"}),
                ("gamma", {"gamma": None}),
                ("gamma", {"dtypes": (F4, None, None)}),
                ("x", {"x": None}),
            )
        ),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("no_driver")
def test_bad_backward(
    changes: dict[str, Any], arguments: dict[str, Any], kind: type[Exception], words: str, layer: Any
) -> None:
    with pytest.raises(kind, match=words):
        layer.backward(saved_of(layer, **changes), **arguments)


@pytest.mark.usefixtures("no_driver")
def test_bad_saved(layer: Any) -> None:
    with pytest.raises(TypeError, match="saved is of type tuple; pass what forward of layer_norm returned"):
        layer.backward((1, 2), X)


@pytest.mark.usefixtures("no_driver")
def test_forward_workspace_is_what_is_saved(layer: Any) -> None:
    """A piece for each of three row scalars, in the compute type, on a boundary of 256 bytes."""
    assert layer.workspace_bytes("forward", Fake((37, 4))) == 3 * 256
    assert layer.workspace_bytes("forward", Fake((65, 4), "<f2")) == 3 * 512
    assert layer.workspace_bytes("forward", Fake((33, 4)), Fake((4,), "<f8")) == 3 * 512
    with pytest.raises(ValueError, match="direction is 'sideways'"):
        layer.workspace_bytes("sideways", X)
    with pytest.raises(TypeError, match="forward takes 3 arrays at most, and 4 were given"):
        layer.workspace_bytes("forward", X, None, None, None)
    with pytest.raises(TypeError, match="saved is None, as with save=False"):
        layer.workspace_bytes("backward")


def test_an_integer_that_is_left_out_has_no_type() -> None:
    """Backward takes what forward saved without it; an integer that was given still has to have its type."""
    layer = cuda_of("label_cross_entropy")
    i8 = np.dtype(np.int64)
    scalars = {name: Fake((3,)) for name in ("m", "Z", "log_Z")}
    numbers = {"smoothing": 0.0, "z_loss": 0.0}
    given = {"x": Fake((3, 4)), "label": Fake((3,), "<i8"), "ignore": None, **numbers, **scalars}
    saved = layer.Saved(shape=(3, 4), dtype=F4, dtypes=(F4, i8, None), **given)

    def checked(saved: Any) -> None:
        layer._saved_values(layer._launcher.LaunchPlan(layer._LAYER, "backward", saved[3:], saved))

    checked(saved)
    with pytest.raises(TypeError, match="ignore"):
        checked(saved._replace(dtypes=(F4, i8, i8), ignore=Fake((), "<i4")))
