"""Check of code for sharded rows, by the same evidence as for whole rows.

The processes are threads of this one. Their results are joined, so that the checks see an ordinary module.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from lngen.check.apart import Tell
from lngen.check.derived import checkable
from lngen.check.evidence import Evidence
from lngen.check.layer import Array
from lngen.check.on_device import OnDevice, device
from lngen.check.runner import check
from lngen.check.running import broken
from lngen.language.definition import Definition
from lngen.language.syntax import Kind
from lngen.pipeline.files import loading
from lngen.pipeline.stages import Derived
from lngen.plan.planner import Plan
from lngen.runtime.numpy.axes import calls_on_rows

KIND = "parts of rows"

SPLITS = ((5, 8), (6, 0, 1, 4))
"""The features of each part: unequal, some without any."""

_ROWS = 3
_SECONDS = 30.0
_KINDS = ("forward vs oracle", "complex step", "second derivation", "tangents", "second order", "precision")
_NEEDED = {"tangents": "jvp", "second order": "backward_backward"}
"""The direction that some evidence is about; a module may lack it."""

_DTYPES = ("float64", "float32")


def evidence(layer: Derived, folder: Path, backend: str, seed: int, tell: Tell) -> Iterator[Evidence]:
    """The evidence about the module for rows in parts beside that of a backend, where the folder has one."""
    name = f"{backend}_sharded"
    if not (folder / f"{name}.py").is_file():
        return
    tell(f"the import of {name}")
    try:
        module = importlib.import_module(f"{loading.load(folder).__name__}.{name}")
    except Exception as error:  # whatever emitted code raises is its failure to report
        yield broken(f"{name} imports", error, KIND)
        return
    yield from over_parts(layer.plan, module, backend, seed, tell)


def over_parts(plan: Plan, module: ModuleType, backend: str, seed: int, tell: Tell) -> Iterator[Evidence]:
    """The evidence about a module for rows in parts, which is imported."""
    definition = plan.derivation.definition
    on_device = backend == "cuda"
    communicators = importlib.import_module(".._runtime.sharded.collectives", module.__package__).ThreadCommunicator
    kinds = [kind for kind in _KINDS if hasattr(module, _NEEDED.get(kind, "forward"))]
    for sizes in SPLITS[:1] if on_device else SPLITS:
        if sum(sizes) < definition.minimum_features:
            continue
        words = "+".join(map(str, sizes))
        tell(f"{module.__name__.rpartition('.')[2]} on parts of {words} features")
        of_rows = calls_on_rows(module) if definition.layout and not on_device else module
        each: Any = OnDevice(module) if on_device else of_rows
        parts = OverParts(definition, each, communicators, sizes, device if on_device else nullcontext)
        report = check(
            replace(checkable(plan, parts), proofs=()), [(_ROWS, sum(sizes))], _DTYPES, backend, seed, kinds, tell=tell
        )
        for item in report.evidence:
            yield replace(item, kind=KIND, what=f"{item.kind}, {words} features: {item.what}")


class OverParts:
    """Functions of a module for sharded rows in the form of a module for whole rows.

    `communicators` is the class of the threads' communicators, and `sizes` are the features of each shard. Each shard
    is computed in a thread, `within` a context. Raises AssertionError if a value that should be the same on all shards
    differs.
    """

    def __init__(
        self,
        definition: Definition,
        module: Any,
        communicators: Any,
        sizes: Sequence[int],
        within: Callable[[], AbstractContextManager[Any]] = nullcontext,
    ) -> None:
        self.module, self.communicators, self.within = module, communicators, within
        ends = np.cumsum(sizes)
        self.spans = [slice(int(end) - size, int(end)) for end, size in zip(ends, sizes, strict=True)]
        self.inputs = [entry.kind for entry in definition.positional]
        self.moved = [entry.kind for entry in definition.differentiable]
        self.outputs = [definition.output_kind(name) for name in definition.outputs]

    def forward(self, *inputs: Any, **options: Any) -> tuple[Any, Any]:
        """Return the outputs of all shards, and the saved values of each."""
        found = self._each(lambda part: self.module.forward(*part(inputs, self.inputs), **options, **part.over))
        outputs = [_several(result) for result, _ in found]
        joined = _joined(self.outputs, outputs)
        return joined[0] if len(joined) == 1 else joined, [saved for _, saved in found]

    def backward(self, saved: Any, *cotangents: Any) -> tuple[Any, ...]:
        """The gradients."""
        return self._later(
            self.moved,
            lambda part: self.module.backward(saved[part.rank], *part(cotangents, self.outputs), **part.over),
        )

    def jvp(self, saved: Any, *along: Any) -> Any:
        """Tangents of the outputs."""
        found = self._later(
            self.outputs, lambda part: self.module.jvp(saved[part.rank], *part(along, self.moved), **part.over)
        )
        return found[0] if len(found) == 1 else found

    def backward_backward(self, saved: Any, cotangents: Any, *along: Any) -> tuple[Any, ...]:
        """The gradients of the gradients."""
        return self._later(
            [*self.moved, *self.outputs],
            lambda part: self.module.backward_backward(
                saved[part.rank], tuple(part(cotangents, self.outputs)), *part(along, self.moved), **part.over
            ),
        )

    def _later(self, kinds: Sequence[Kind], call: Callable[[_Shard], Any]) -> tuple[Any, ...]:
        return _joined(kinds, [_several(each) for each in self._each(call)])

    def _each(self, call: Callable[[_Shard], Any]) -> list[Any]:
        group = self.communicators.together(len(self.spans), timeout=_SECONDS)

        def run(part: _Shard) -> Any:
            with self.within(), np.errstate(all="ignore"):
                return call(part)

        with ThreadPoolExecutor(len(group)) as pool:
            tasks = [pool.submit(run, _Shard(span, one)) for span, one in zip(self.spans, group, strict=True)]
            return [task.result() for task in tasks]


class _Shard:
    """One process: which features it has, of each kind of argument."""

    def __init__(self, span: slice, communicator: Any) -> None:
        self.span, self.rank, self.over = span, communicator.rank, {"communicator": communicator}

    def __call__(self, values: Sequence[Any], kinds: Sequence[Kind]) -> list[Any]:
        pairs = zip(values, kinds, strict=True)
        return [v[..., self.span] if v is not None and kind.over_features else v for v, kind in pairs]


def _several(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def _joined(kinds: Sequence[Kind], parts: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """Join results of shards to those of one process."""
    return tuple(_as_one(kind, each) for kind, each in zip(kinds, zip(*parts, strict=True), strict=True))


def _as_one(kind: Kind, each: Sequence[Array | None]) -> Array | None:
    first = each[0]
    if first is None:
        assert all(other is None for other in each), "a result is None on some parts"
        return None
    if kind.over_features:
        return np.concatenate([np.asarray(one) for one in each], axis=-1)
    assert all(np.array_equal(np.asarray(one), first, equal_nan=True) for one in each), (
        "a result that parts have in common is not the same on all"
    )
    return first
