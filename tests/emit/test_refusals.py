"""Refusals of arguments: one table for every backend, whose messages are those of the protocol.

What NumPy says is in docs/errors.md; compiled kernels are to say the same of these calls, and of more.
"""

from __future__ import annotations

import importlib
import re
import runpy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.compiled import backend
from tests.hosts import layer_of
from tests.requirements import needs_jax, needs_torch
from tests.shipped import ROOT

TEXT = """
def summed(x: Row, r: Row = 0, gamma: Feature = 1):
    s = x + r
    y = gamma*s**2
    return s, y
"""

ROWS, SHORT, FEATURE = np.ones((3, 4), np.float32), np.ones((3, 3), np.float32), np.ones(4, np.float32)


class Refusal(NamedTuple):
    """Call of a direction, and its error; later directions follow a forward of `x` and `gamma`."""

    direction: str
    arguments: tuple[Any, ...]
    error: type[Exception]
    message: str


REFUSALS = (
    Refusal("forward", (None, None, FEATURE), TypeError, "x is None; pass an array of floats"),
    Refusal("forward", (ROWS, SHORT, None), ValueError, "r has shape (3, 3); pass the shape of x, which is (3, 4)"),
    Refusal("forward", (ROWS, None, FEATURE[1:]), ValueError, "gamma has shape (3,); pass (D,), which is (4,)"),
    Refusal("backward", (None, None), ValueError, "every cotangent is None; pass at least one"),
    Refusal("backward", (SHORT, None), ValueError, "ds has shape (3, 3); pass the shape of s, which is (3, 4)"),
    Refusal("jvp", (None, None, None), ValueError, "every tangent is None; pass at least one"),
    Refusal("jvp", (None, ROWS, None), ValueError, "r was left out of forward; pass None for r_dot"),
    Refusal("jvp", (SHORT, None, None), ValueError, "x_dot has shape (3, 3); pass the shape of x, which is (3, 4)"),
    Refusal("backward_backward", ((None, None), ROWS, None, None), ValueError, "every cotangent is None"),
    Refusal("backward_backward", ((ROWS, None), None, None, None), ValueError, "every cotangent of a gradient is None"),
    Refusal("backward_backward", ((ROWS, None), None, ROWS, None), ValueError, "r was left out of forward; pass None"),
)
OF_FRAMEWORKS = next(n for n, each in enumerate(REFUSALS) if each.direction not in ("forward", "backward"))
IDS = [f"{each.direction} {each.message}" for each in REFUSALS]


class Somewhere:
    """An array that says it is in the memory of a device; a refusal reads none of it."""

    def __init__(self, like: np.ndarray[Any, Any]) -> None:
        self.__cuda_array_interface__ = {
            "shape": like.shape,
            "typestr": like.dtype.str,
            "data": (0x10000, False),
            "strides": None,
            "version": 3,
        }


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_mapped(each, change) for each in value)
    return change(value) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("name", ["numpy", "cpu", "cuda"])
@pytest.mark.parametrize("refusal", REFUSALS, ids=IDS)
def test_a_call_that_a_direction_cannot_take_is_refused(name: str, refusal: Refusal) -> None:
    module = backend(TEXT, name)
    saved: Any = backend(TEXT, "numpy").forward(ROWS, None, FEATURE)[1]
    arguments: Any = refusal.arguments
    if name == "cuda":
        saved, arguments = (
            module.Saved(*saved[:3], *_mapped(tuple(saved[3:]), Somewhere)),
            _mapped(arguments, Somewhere),
        )
    elif name == "cpu":
        saved = module.Saved(*saved)
    given = arguments if refusal.direction == "forward" else (saved, *arguments)
    with pytest.raises(refusal.error, match=re.escape(refusal.message)):
        getattr(module, refusal.direction)(*given)


PAGE = runpy.run_path(str(ROOT / "docs" / "make_errors.py"))
MORE = (
    "forward([[object()]])",
    "forward(np.ma.masked_less(x, 0))",
    "forward(x, np.ones((3, 4)))",
    "forward(x, np.ones(4, int))",
    "forward(x, np.ma.masked_less(np.ones(4), 0))",
    "forward(x, alpha=np.ones(1))",
    "forward(x, alpha=True)",
    "forward(x, eps=True)",
    "forward(x, eps=np.inf)",
    "forward(x, eps=np.asarray([1.0]))",
    "forward(x, eps=np.asarray(np.nan))",
    "forward(x, eps=np.asarray(True))",
    "forward(x, threads=True)",
    "forward(x, out=(np.empty((3, 4)),))",
    "(lambda big: forward(big[:3], out=big[1:]))(np.ones((4, 4)))",
    "backward(tuple(saved), x)",
    "backward(saved, np.ones(3))",
    "backward(saved, np.ma.masked_less(x, 0))",
    *(f"backward(saved._replace(x=saved.x.astype({kind})), x)" for kind in ("int", "bool", "complex", "object")),
    "backward(saved._replace(rstd=np.ones(4)), x)",
    "backward(saved._replace(rstd=None), x)",
    "backward(saved._replace(shape=(3, -4)), x)",
    "backward(saved._replace(shape=[3, 4]), x)",
    "backward(saved._replace(dtype=np.dtype(int)), x)",
    "backward(saved._replace(dtypes=('a', None, None)), x)",
    "backward(saved, x, out=(saved.x, None, None))",
    "backward(saved, x, out=(None, None))",
    "jvp(saved)",
    "jvp(None, x)",
    "jvp(saved, None, np.ones(4, int))",
    "jvp(saved, x, out=x)",
    "backward_backward(saved, x)",
    "backward_backward(saved, (x, x), x)",
)


def said(name: str, text: str) -> str:
    """The refusal of a call of the layer of the page."""
    module, x = backend(PAGE["LAYER"], name), np.ones((3, 4))
    saved = module.Saved(*backend(PAGE["LAYER"], "numpy").forward(x)[1])
    names = {"np": np, "x": x, "saved": saved, **vars(module)}
    with pytest.raises((TypeError, ValueError)) as error:
        eval(text, names)
    return f"{type(error.value).__name__}: {error.value}"


@pytest.mark.parametrize("text", [*PAGE["CALLS"], *MORE])
def test_compiled_kernels_refuse_in_the_words_of_numpy(text: str) -> None:
    assert said("cpu", text) == said("numpy", text)
    assert "pass " in said("numpy", text)


# The signature of an operator refuses None for the rows.
@needs_torch
@pytest.mark.parametrize(
    "refusal", [each for each in REFUSALS[1:OF_FRAMEWORKS] if each.direction == "forward"], ids=str
)
def test_an_operator_of_pytorch_refuses_the_same_call(refusal: Refusal) -> None:
    torch = importlib.import_module("torch")
    operators = layer_of(backend(TEXT, "torch")).operators
    arguments = _mapped(refusal.arguments, torch.from_numpy)
    with pytest.raises(refusal.error, match=re.escape(refusal.message)):
        operators.forward(*arguments)


@needs_jax
@pytest.mark.parametrize("refusal", REFUSALS[1:3], ids=IDS[1:3])
def test_jax_refuses_the_same_inputs(refusal: Refusal) -> None:
    with pytest.raises(refusal.error, match=re.escape(refusal.message)):
        backend(TEXT, "jax").summed(*refusal.arguments)
