"""Calls of `torch_backend` on a pretended GPU: tensors of the processor, whose kernels Triton interprets.

What is here runs in the process of `launched.in_interpreter`.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import os
import re
import sys
import tempfile
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

import lngen
from lngen.checks.in_triton import PretendedGpu
from lngen.checks.inputs import ordinary
from lngen.emit import torch as torch_backend
from lngen.emit.interface import interface
from lngen.paths import RUNTIME
from lngen.report.heading import notes
from tests import callers, derivatives
from tests.hosts import decomposed, layer_of
from tests.launched import TEXTS

checkpoint = importlib.import_module("torch.utils.checkpoint").checkpoint  # which PyTorch 2.6 does not import itself

_FOLDER = tempfile.TemporaryDirectory(prefix="lngen_gpu_")
_PACKAGE = "pretended_layers"


@functools.cache
def module(text: str, changes: tuple[tuple[str, str], ...] = ()) -> ModuleType:
    """The `torch_backend` of a name in `TEXTS`, or of a text, that takes a tensor of the processor for one of a GPU.

    `changes` are patterns and what stands for them in it.
    """
    package = Path(_FOLDER.name, _PACKAGE)
    if not package.exists():
        package.mkdir()
        (package / "__init__.py").touch()
        (package / RUNTIME).symlink_to(Path(lngen.__file__).parent / "runtime")
        sys.path.insert(0, _FOLDER.name)
    plan = derivatives.planned(TEXTS.get(text, text))
    name = f"layer_{len([*package.iterdir()])}"
    (package / name).mkdir()
    (package / name / "__init__.py").touch()
    files = torch_backend.emit(plan.programs(), notes(plan, "torch"))
    for old, new in changes:
        files["torch_backend.py"], count = re.subn(old, new, files["torch_backend.py"])
        if not count:
            raise LookupError(f"no line has {old}")
    for file, content in files.items():
        (package / name / file).write_text(content, encoding="utf-8")
    importlib.invalidate_caches()
    made = importlib.import_module(f"{_PACKAGE}.{name}.torch_backend")
    layer_of(made).has_kernels = False
    gpu = runtime()
    gpu.DEVICES = ("cpu",)
    return made


def runtime() -> Any:
    """The module of the runtime that launches kernels."""
    return importlib.import_module(f"{_PACKAGE}.{RUNTIME}.torch.gpu")


class Call:
    """A call of a layer with drawn inputs of a type, some `left_out`, in memory of a layout."""

    def __init__(
        self,
        text: str,
        dtype: str = "float64",
        left_out: frozenset[str] = frozenset(),
        leading: tuple[int, ...] = (3, 2),
        D: int = 7,
        how: str = "",
        changes: tuple[tuple[str, str], ...] = (),
    ) -> None:
        import torch

        self.module, plan = module(text, changes), derivatives.planned(TEXTS.get(text, text))
        self.torch, self.dtype, definition = torch, getattr(torch, dtype), plan.derivation.definition
        self.layer = layer_of(self.module)
        self.function = self.layer.emitted.function
        D = max(D, plan.forward.minimum_features)
        counts = interface(plan.forward, notes(plan, "torch")).counts
        values = callers.drawn(definition, leading, D, False, {**callers.SIZES, **counts})
        case = ordinary(definition, 2, D, 0)
        constants = {definition.public(each.name): case.inputs[each.name] for each in definition.constants}
        self.arguments: dict[str, Any] = {}
        for name in inspect.signature(self.function).parameters:
            if name in left_out:
                self.arguments[name] = None
            elif name in values:
                value = torch.as_tensor(values[name])
                value = value.to(self.dtype) if value.is_floating_point() else value
                self.arguments[name] = laid_out(value, how)
            else:
                self.arguments[name] = float(constants[name]) if name in constants else callers.SIZES[name]

    @property
    def optional(self) -> list[str]:
        """The inputs that may be left out."""
        return [name for name, is_there in zip(self.layer.inputs, self.layer.required, strict=True) if not is_there]

    def leaves(self, dtype: Any = None) -> tuple[dict[str, Any], list[str]]:
        """The arguments, of which the inputs that have a gradient require it, and the names of these."""
        given, names = dict(self.arguments), []
        for place in self.layer.differentiable:
            name = self.layer.inputs[place]
            if given[name] is not None:
                given[name] = given[name].detach().to(dtype or self.dtype).requires_grad_()
                names.append(name)
        return given, names

    def cotangents(self, outputs: Any, layout: str) -> list[Any]:
        """A cotangent of each output of floats, in memory of a layout."""
        torch, found = self.torch, []
        draw = torch.Generator().manual_seed(1)
        for each in outputs:
            if not each.is_floating_point():
                found.append(None)
                continue
            value = torch.randn(each.shape, generator=draw, dtype=torch.float64).to(each.dtype)
            found.append(laid_out(value, layout))
        return found


LAYOUTS = ("", "expanded", "transposed", "every other", "rows apart")


def laid_out(value: Any, how: str) -> Any:
    """The same numbers in memory of a layout, or one number as all of them."""
    import torch

    if how == "expanded":
        return value.flatten()[:1].reshape([1] * value.ndim).expand(value.shape) if value.numel() else value
    if not value.ndim or not how:
        return value
    if how == "transposed":
        return value.transpose(0, -1).contiguous().transpose(0, -1)
    return (
        torch.stack((value, value), -1)[..., 0]
        if how == "every other"
        else torch.cat((value, value), -1)[..., : value.shape[-1]]
    )


def counted() -> PretendedGpu:
    """The pretended GPU of the layers here."""
    return PretendedGpu(runtime())


def compared(layout: str = "", **of_call: Any) -> tuple[dict[str, tuple[float, float]], int]:
    """The error of each output and gradient, of its largest entry, that of the decomposition, and the launches.

    They are those beside the decomposition in float64, of cotangents in memory of a layout. Inputs stay as they are,
    and gradients have the same bits twice.
    """
    call = Call(**of_call)
    torch = call.torch
    with counted() as gpu:
        given, names = call.leaves()
        before = {name: value.detach().clone() for name, value in given.items() if isinstance(value, torch.Tensor)}
        outputs = _each(call.function(**given))
        own = call.cotangents(outputs, layout)
        pairs = [(y, dy) for y, dy in zip(outputs, own, strict=True) if dy is not None and y.requires_grad]
        found = _gradients(torch, pairs, [given[name] for name in names])
        again = _gradients(torch, pairs, [given[name] for name in names])
    assert all(torch.equal(*map(_bits, (value, given[name]))) for name, value in before.items())
    assert all(a is None or torch.equal(*map(_bits, (a, b))) for a, b in zip(found, again, strict=True))
    assert all(a is None or a.dtype == given[name].dtype for name, a in zip(names, found, strict=True))
    narrow, exact = (_decomposed(call, kind, own) for kind in (call.dtype, torch.float64))
    errors = {}
    for name, a, b, wanted in zip(
        [f"output {n}" for n in range(len(own))] + names, (*outputs, *found), narrow, exact, strict=True
    ):
        if a is not None or wanted is not None:
            zeros = torch.zeros_like(given[name]) if wanted is None or a is None else None
            of = zeros if wanted is None else wanted
            errors[name] = tuple(_error(zeros if each is None else each, of) for each in (a, b))
    return errors, gpu.launches.total()


def _decomposed(call: Call, dtype: Any, by: Any) -> list[Any]:
    """The outputs and gradients by the decomposition of inputs in a type."""
    given, names = call.leaves(dtype)
    outputs = _each(decomposed(call.module)(*given.values()))
    pairs = [(y, dy.to(y.dtype)) for y, dy in zip(outputs, by, strict=True) if dy is not None and y.requires_grad]
    return [*outputs, *_gradients(call.torch, pairs, [given[name] for name in names])]


def absences(text: str) -> list[frozenset[str]]:
    """List what may be left out: each input alone, and all of them."""
    layer = layer_of(module(text))
    names = [name for name, is_required in zip(layer.inputs, layer.required, strict=True) if not is_required]
    return sorted({*(frozenset({name}) for name in names), frozenset(names)}, key=sorted)


def bits_alone(text: str, dtype: str, D: int) -> list[str]:
    """The outputs and gradients of rows whose bits are others among five rows than alone, of each of three rows."""
    call, wrong = Call(text, dtype, leading=(5,), D=D), []
    given, names = call.leaves()
    together = _each(call.function(**given))
    by = call.cotangents(together, "")
    rows = [name for name in names if given[name].shape[:1] == (5,)]
    gradients = _gradients(call.torch, [*zip(together, by, strict=True)], [given[name] for name in rows])
    for row in (0, 2, 4):
        one = {
            name: v[row : row + 1].detach() if getattr(v, "shape", ())[:1] == (5,) else v for name, v in given.items()
        }
        one |= {name: one[name].requires_grad_() for name in rows}
        alone = _each(call.function(**one))
        pairs = [(y, dy[row : row + 1]) for y, dy in zip(alone, by, strict=True)]
        own = _gradients(call.torch, pairs, [one[name] for name in rows])
        named = [
            *zip(
                [f"output {n}" for n in range(len(alone))] + rows, (*together, *gradients), (*alone, *own), strict=True
            )
        ]
        wrong += [name for name, among, single in named if not call.torch.equal(among[row : row + 1], single)]
    return wrong


def second_order(text: str) -> bool:
    """Test whether gradients, and gradients of gradients, are differences; the first are made by kernels."""
    call = Call(text, D=4, leading=(2,))
    given, names = call.leaves()

    def function(*moved: Any) -> Any:
        return call.function(**{**given, **dict(zip(names, moved, strict=True))})

    inputs = [given[name] for name in names]
    with counted() as gpu:
        call.torch.autograd.gradcheck(function, inputs)
    assert gpu.launches.total()
    return bool(call.torch.autograd.gradgradcheck(function, inputs))


def ways(way: str) -> tuple[bool, int]:
    """Test whether layer norm, called in a way in which others have a say, computes what PyTorch does; the launches."""
    call = Call("layer_norm")
    torch, (x, gamma, beta, eps) = call.torch, call.arguments.values()

    def ours(x: Any) -> Any:
        return call.function(x, gamma, beta, eps=eps)

    def theirs(x: Any) -> Any:
        return torch.nn.functional.layer_norm(x, (7,), gamma, beta, eps)

    def gradient(function: Any) -> Any:
        leaf = x.clone().requires_grad_()
        return torch.autograd.grad(function(leaf).sin().sum(), leaf)[0]

    def checkpointed(function: Any) -> Any:
        return gradient(lambda leaf: checkpoint(function, leaf, use_reentrant=False))

    def profiled(function: Any) -> Any:
        with torch.profiler.profile():
            return function(x)

    def faked(function: Any) -> Any:
        fake = importlib.import_module("torch._subclasses").FakeTensorMode(allow_non_fake_inputs=True)
        with fake:
            shape = function(torch.empty(2, 7, dtype=x.dtype)).shape
        return torch.ones(shape)

    def cast(function: Any) -> Any:
        with torch.autocast("cpu", torch.bfloat16):
            return function(x)

    found: dict[str, Any] = {
        "plain": lambda function: function(x),
        "no rows": lambda function: function(x[:0]),
        "no gradient": lambda function: torch.no_grad()(function)(x),
        "gradient": gradient,
        "checkpoint": checkpointed,
        "profiler": profiled,
        "vmap": lambda function: torch.func.vmap(function)(x),
        "func.grad": lambda function: torch.func.grad(lambda x: function(x).sin().sum())(x),
        "jvp": lambda function: torch.func.jvp(function, (x,), (x.cos(),))[1],
        "autocast": cast,
        "fake": faked,
        "make_fx": lambda function: torch.fx.experimental.proxy_tensor.make_fx(function)(x)(x),
    }
    with counted() as gpu:
        made = found[way](ours)
    wanted = found[way](theirs)
    return bool(made is wanted or torch.allclose(made, wanted, rtol=1e-12, atol=1e-12)), gpu.launches.total()


def _gradients(torch: Any, pairs: Any, inputs: Any, again: bool = True) -> Any:
    if not pairs or not inputs:
        return []
    return torch.autograd.grad(
        *([y for y, _ in pairs], inputs, [dy for _, dy in pairs]), retain_graph=again, allow_unused=True
    )


def _bits(value: Any) -> Any:
    kinds = {8: "int64", 4: "int32", 2: "int16", 1: "int8"}
    return value.detach().contiguous().view(getattr(importlib.import_module("torch"), kinds[value.itemsize]))


def _each(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _error(found: Any, wanted: Any) -> float:
    """The largest error of what is finite, of the largest entry; infinite where not the same entries are."""
    a, b = (np.asarray(each.detach().double()) for each in (found, wanted))
    is_number = np.isfinite(b)
    if a.shape != b.shape or not np.array_equal(a[~is_number], b[~is_number], equal_nan=True):
        return math.inf
    difference = np.abs(a - b)[is_number]
    scale = max(np.max(np.abs(b[is_number]), initial=0), 1e-2)
    return float(np.max(difference, initial=0) / scale) if np.isfinite(difference).all() else math.inf


def compiled(text: str, left_out: frozenset[str] = frozenset(), **of_call: Any) -> tuple[float, int]:
    """The largest error of a compiled program's outputs and gradients, beside plain calls, and its launches.

    What is interpreted cannot be seen: the program keeps the operator, which launches.
    """
    import torch

    call = Call(text, left_out=left_out, **of_call)
    torch.compiler.reset()
    program = torch.compile(call.function, backend="aot_eager", fullgraph=True, dynamic=True)
    found = []
    with counted() as gpu:
        for function in (program, call.function):
            given, names = call.leaves()
            outputs = _each(function(**given))
            pairs = [(y, dy) for y, dy in zip(outputs, call.cotangents(outputs, ""), strict=True) if dy is not None]
            pairs = [(y, dy) for y, dy in pairs if y.requires_grad]
            found.append([*outputs, *_gradients(torch, pairs, [given[name] for name in names], again=False)])
    there = [(a, b) for a, b in zip(*found, strict=True) if a is not None or b is not None]
    return max(_error(a, b) for a, b in there), gpu.launches.total()


def graphs(text: str, fuses: bool = False, rows: tuple[int, ...] = (6,)) -> list[list[Any]]:
    """The graphs that a compiler gets of a call, its gradients, and calls with other numbers of rows, by their nodes.

    Kernels are shown as their name and the arguments that they change. No device is needed, in a process that does not
    interpret.
    """
    import torch

    os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"  # else Triton says that this will change
    _set_target("cuda", 90, 32)
    own = importlib.import_module("torch._dynamo.backends.common").aot_autograd
    boxed = importlib.import_module("functorch.compile").make_boxed_func
    found: list[list[Any]] = []

    def seen(graph: Any, example: Any) -> Any:
        found.append([_shown(node) for node in graph.graph.nodes if node.op == "call_function"])
        return boxed(lambda *given: [None if o is None else _empty(o) for o in graph.graph.output_node().args[0]])

    def _empty(node: Any) -> Any:
        value = node.meta["val"]
        if not isinstance(value, torch.Tensor):
            return 1
        return torch.zeros([int(getattr(getattr(n, "node", None), "hint", n)) for n in value.shape], dtype=value.dtype)

    program = None
    for count in rows:
        call = Call(text, "float32", leading=(count,), D=64)
        call.module.FUSE = fuses
        program = program or torch.compile(
            call.function, backend=own(fw_compiler=seen, bw_compiler=seen), fullgraph=True, dynamic=True
        )
        outputs = _each(program(**call.leaves()[0]))
        if count == rows[0]:
            outputs[0].sum().backward()
    return found


def _shown(node: Any) -> Any:
    if "triton_kernel_wrapper" not in str(node.target):
        return str(node.target)
    table = importlib.import_module("torch._higher_order_ops.triton_kernel_wrap").kernel_side_table
    kernel = table.get_kernel(node.kwargs["kernel_idx"])
    return kernel.fn.__name__, sorted(node.kwargs.get("tensors_to_clone", ()))


def _set_target(*target: Any) -> None:
    driver = importlib.import_module("triton.runtime").driver
    own = importlib.import_module("triton.backends.compiler").GPUTarget(*target)
    places = {"get_current_device": lambda: 0, "get_current_stream": lambda device: 0}
    driver.set_active(SimpleNamespace(get_current_target=lambda: own, **places))


def compilations(text: str, *target: Any) -> dict[str, int]:
    """The kernels of calls with 1, 3, 16, 17 and 64 rows, and how many times each is compiled for a target.

    No device is needed, in a process that does not interpret.
    """
    _set_target(*target)
    found: dict[str, set[str]] = {}

    def launch(kernel: Any, device: Any, count: int, warps: int, fuses: bool, *arguments: Any) -> None:
        made = kernel.warmup(*arguments, grid=(count,), num_warps=warps, num_stages=1, enable_fp_fusion=fuses)
        found.setdefault(kernel.__name__, set()).add(made.hash)

    for rows in (1, 3, 16, 17, 64):
        call = Call(text, "float32", leading=(rows,), D=64)
        runtime().launch = launch
        given, names = call.leaves()
        outputs = _each(call.function(**given))
        _gradients(call.torch, [*zip(outputs, call.cotangents(outputs, ""), strict=True)], [given[n] for n in names])
    return {name: len(hashes) for name, hashes in found.items()}
