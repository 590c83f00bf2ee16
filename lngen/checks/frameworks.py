"""A layer in a framework: arguments for it, and the claims about transformations that every framework has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from lngen.checks.adapter import EVERYTHING, Adapter
from lngen.checks.apart import Tell
from lngen.checks.checker import Checker
from lngen.checks.claim import Claim
from lngen.checks.contracts import check_contracts
from lngen.checks.evidence import Evidence
from lngen.checks.executed import run_as_python
from lngen.checks.inputs import ordinary
from lngen.checks.layer import Array, Case, Checkable, arrays_by_name, as_tuple
from lngen.language.definition import Definition
from lngen.language.names import cotangent
from lngen.runtime.protocol.casts import TARGETS, dtype
from lngen.runtime.protocol.interface import DIRECTIONS

KIND = "transformations"
"""Name of this evidence: transformations of a layer's functions by a framework."""

ROWS = (2, 3)
SAMPLES = 4
_STEP = 7919  # between seeds of what is drawn apart


class FrameworkAdapter(Adapter, ABC):
    """A layer's module for a framework, with arguments of two times three rows for it.

    `func` has the framework's transformations; `checker` names its own check of derivatives.
    """

    can = (EVERYTHING | {"recorded inputs"}) - {"out", "saved arrays", "workspace"}
    checker: str
    claims: Sequence[Claim] = ()
    own: Sequence[Claim] = ()
    """Claims that no other framework has."""

    def __init__(self, definition: Definition, module: ModuleType, seed: int = 0) -> None:
        super().__init__(Recorded(self))
        self.definition, self.module, self.seed = definition, module, seed

    @property
    @abstractmethod
    def func(self) -> Any:
        """The framework's `grad`, `vjp`, `jvp` and `vmap`."""

    def given(self, case: Case) -> Case:
        """Return the case with the cotangents that a framework hands on: as the outputs are cast, none of integers."""
        made = dict(case.cotangents)
        for name, target in self.definition.casts:
            value, kind = np.asarray(made[name]), dtype(target)
            made[name] = np.zeros_like(value) if TARGETS[target].digits == 0 else value.astype(kind).astype(value.dtype)
        return replace(case, cotangents=made)

    def compiled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that is faster where the framework compiles."""
        return function

    def setting(self) -> AbstractContextManager[Any]:
        """The setting of the framework during claims."""
        return nullcontext()

    @abstractmethod
    def pulled(
        self, call: Callable[..., tuple[Any, ...]], inputs: Sequence[Any], places: Sequence[int] | None = None
    ) -> tuple[Any, Any]:
        """Return the results of a call, and a function of their cotangents that gives the gradients.

        They are those of the inputs at some `places`, all that have one by default. It may be called again.
        """

    def pulled_by_name(self, call: Callable[..., Any], values: Mapping[str, Any], moved: Sequence[str]) -> Any:
        """Return the same of a function of values by name; the gradients are those of the names `moved`."""

        arrays = {name: value for name, value in values.items() if not isinstance(value, int | float)}

        def outputs(*given: Any) -> tuple[Any, ...]:
            return as_tuple(call({**values, **dict(zip(arrays, given, strict=True))}))

        return self.pulled(outputs, [*arrays.values()], [[*arrays].index(name) for name in moved])

    @abstractmethod
    def moved_along(
        self,
        call: Callable[..., tuple[Any, ...]],
        inputs: Sequence[Any],
        cotangents: Sequence[Any],
        along: Sequence[Any],
    ) -> Sequence[Any]:
        """Return the derivatives of <along, gradients> by inputs that have a gradient, and by cotangents."""

    @abstractmethod
    def against_differences(
        self, call: Callable[..., Any], inputs: Sequence[Any], order: int, *, batched: bool = True
    ) -> None:
        """Hold derivatives to an order against differences, as the framework does. Raises for those that are wrong."""

    @property
    def host(self) -> Any:
        """The kernels whose bits values are to have, by functions on arrays of NumPy; None if the layer calls none."""
        return None

    @property
    def layer(self) -> Any:
        """The layer as the emitted module has it."""
        return self.module._LAYER

    @property
    def features(self) -> int:
        """Return the length of a row."""
        return max(5, self.definition.minimum_features)

    @property
    def constants(self) -> list[float]:
        """The Constants, in their order."""
        drawn = ordinary(self.definition, 1, self.features, self.seed).inputs
        return [float(drawn[entry.name]) for entry in self.definition.constants]

    @property
    def named_constants(self) -> dict[str, float]:
        """Return the Constants by their names for callers."""
        names = [self.definition.public(entry.name) for entry in self.definition.constants]
        return dict(zip(names, self.constants, strict=True))

    def arrays(self, *samples: int, draw: int = 0) -> list[Array]:
        """Return inputs without the Constants; rows have the axes `samples` before their own."""
        shape = (*samples, *ROWS)
        drawn = ordinary(self.definition, int(np.prod(shape)), self.features, self.seed + draw * _STEP).inputs
        return [
            np.array(drawn[entry.name]).reshape((*shape, *np.shape(drawn[entry.name])[1:]))
            if entry.kind.over_rows
            else np.array(drawn[entry.name])
            for entry in self.definition.positional
        ]

    def arguments(self, *samples: int, draw: int = 0) -> list[Any]:
        """The same inputs as arrays of the framework."""
        return [self.array(array) for array in self.arrays(*samples, draw=draw)]

    def moving(
        self, function: Callable[..., Any], inputs: Sequence[Any], places: Sequence[int] | None = None
    ) -> tuple[Callable[..., Any], list[Any]]:
        """Return a function of those inputs alone that have a gradient, or of some of them, and these."""
        wanted = self.differentiable if places is None else places
        places = [place for place in wanted if inputs[place] is not None]

        def moved(*values: Any) -> Any:
            chosen = dict(zip(places, values, strict=True))
            return function(*[chosen.get(place, value) for place, value in enumerate(inputs)])

        return moved, [inputs[place] for place in places]

    def call(self, *inputs: Any) -> Any:
        """The layer's outputs."""
        return self.layer.call(*inputs, *self.constants)

    def outputs(self, *inputs: Any) -> tuple[Any, ...]:
        """The outputs as a tuple."""
        return as_tuple(self.call(*inputs))

    def uncast(self, outputs: Sequence[Any]) -> tuple[Any, ...]:
        """Return the outputs whose derivatives differences can tell: a framework rounds cotangents of the others."""
        casts = dict(self.definition.casts)
        pairs = zip(self.definition.outputs, outputs, strict=True)
        return tuple(each for name, each in pairs if name not in casts)

    def smooth(self, *inputs: Any) -> Any:
        """The layer's outputs that are not cast."""
        found = self.uncast(self.outputs(*inputs))
        return found if len(found) > 1 else found[0]

    def loss(self, *inputs: Any) -> Any:
        """A number that depends on every output that is not cast."""
        return sum((each**2).sum() for each in self.uncast(self.outputs(*inputs)))

    def as_python(self) -> Iterator[Evidence]:
        """Yield the evidence that the function computes what the text of the definition says.

        A framework rounds the cotangent of an output that is cast, and has none of integers.
        """
        function = getattr(self.module, self.definition.name)
        with self.setting():
            for each in run_as_python(self.definition, NamedArrays(self, lambda given: function(**given)), self.seed):
                if not (self.definition.casts and each.what == "gradients"):
                    yield each

    @property
    def differentiable(self) -> tuple[int, ...]:
        """The numbers of the inputs that have a gradient."""
        return tuple(number for number, entry in enumerate(self.definition.positional) if entry.kind.has_gradient)


class Recorded:
    """Functions of a framework's layer in the form of a backend: `saved` is what pulls cotangents back."""

    def __init__(self, of: FrameworkAdapter) -> None:
        self.of = of

    def with_constants(self, constants: Mapping[str, float]) -> Callable[..., tuple[Any, ...]]:
        """Return the outputs as a function of the inputs alone."""
        given = [constants[self.of.definition.public(entry.name)] for entry in self.of.definition.constants]
        return lambda *values: as_tuple(self.of.layer.call(*values, *given))

    def forward(self, *inputs: Any, **constants: float) -> tuple[Any, Any]:
        """Return the outputs, and what pulls cotangents back."""
        made, pull = self.of.pulled(self.with_constants(constants), inputs)
        return made if len(made) > 1 else made[0], pull

    def backward(self, saved: Any, *cotangents: Any) -> tuple[Any, ...]:
        """Return the gradients."""
        found: tuple[Any, ...] = saved(cotangents)
        return found


class NamedArrays:
    """A function of values by the names that callers know, as `forward` and `backward` of arrays of NumPy."""

    def __init__(self, of: Any, call: Callable[[dict[str, Any]], Any]) -> None:
        self.of, self.call = of, call
        entries = arrays_by_name(of.definition)
        self.names = [*entries]
        self.moved = [name for name, entry in entries.items() if entry.kind.has_gradient]

    def forward(self, *inputs: Any, **options: Any) -> tuple[Any, Any]:
        """Return the outputs, and what pulls cotangents back."""
        given = dict(zip(self.names, map(self.of.array, inputs), strict=True))
        made, pull = self.of.pulled_by_name(self.call, {**given, **options}, self.moved)
        return tuple(map(self.of.value, made)), pull

    def backward(self, saved: Any, *cotangents: Any) -> Any:
        """Return the gradients by name."""
        found = zip(self.moved, saved([*map(self.of.array, cotangents)]), strict=True)
        gradients = {cotangent(name): self.of.value(value) for name, value in found}
        return SimpleNamespace(_asdict=lambda: gradients)


def in_framework(layer: Checkable, seed: int = 0, tell: Tell = lambda what: None) -> Iterator[Evidence]:
    """Every claim about a layer whose module is a `FrameworkAdapter`, in float64 on a few rows.

    An exception of the emitted code or of the framework is a claim that does not hold. `tell` is told of each claim.
    """
    on: Any = layer.module
    checker = Checker(layer, ("float64",), "cpu", seed, {}, False)
    with on.setting():
        yield from check_contracts(layer, seed, ("float64",), checker.bounds_as_stored, tell)
    yield from of_framework(on, tell)


def of_framework(on: Any, tell: Tell) -> Iterator[Evidence]:
    """The claims of these that frameworks have in common, those that its framework alone has, and the definition's."""
    casts = dict(on.definition.casts)
    with on.setting():
        for claim in (*on.claims, *on.own):
            if claim is CLAIMS[0] and on.host is None:
                continue
            is_cast = claim is not CLAIMS[0] and len(casts) == len(on.definition.outputs)
            # A difference of derivatives sees what is stopped.
            is_first = on.definition.directions != DIRECTIONS or on.definition.stops_gradients
            if is_cast or (claim.no_casts and casts) or (claim.every_direction and is_first):
                continue
            tell(claim.statement.format(on=on))
            yield claim.evidence(KIND, on, on, (int(np.prod(ROWS)), on.features))


def require(is_so: bool, otherwise: str) -> None:
    """Raises AssertionError unless it is so."""
    if not is_so:
        raise AssertionError(otherwise)


def assert_close(of: FrameworkAdapter, value: Any, other: Any) -> None:
    """Raises AssertionError unless two arrays are equal to rounding."""
    one, two = (np.asarray(of.value(each)).astype(np.float64) for each in (value, other))
    np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-11)


def _values(of: FrameworkAdapter) -> None:
    arrays, places, host = of.arrays(), of.differentiable, of.host
    made, pull = of.pulled(of.outputs, of.arguments())
    y, saved = host.forward(*arrays, **of.named_constants)
    found = pull([of.array(np.ones_like(each)) for each in as_tuple(y)])
    ones = [None if each.dtype.kind in "iu" else np.ones(each.shape) for each in as_tuple(y)]
    expected = host.backward(saved, *ones) if any(each is not None for each in ones) else found
    for value, other in (*zip(made, as_tuple(y), strict=True), *zip(found, expected, strict=True)):
        require(of.value(value).tobytes() == np.asarray(other).tobytes(), "bits differ from those of the kernels")
    require(len(found) == len(places), "not a gradient for each input")


def _first_order(of: FrameworkAdapter) -> None:
    of.against_differences(*of.moving(of.smooth, of.arguments()), 1)


def _second_order(of: FrameworkAdapter) -> None:
    of.against_differences(*of.moving(of.smooth, of.arguments()), 2)


def _left_out(of: FrameworkAdapter) -> None:
    pairs = zip(of.arguments(), of.definition.positional, strict=True)
    given = [value if entry.default is None else None for value, entry in pairs]
    for order in (1, 2):
        of.against_differences(*of.moving(of.smooth, given), order, batched=False)


def _second_derivatives(of: FrameworkAdapter) -> None:
    func = of.func
    loss, inputs = of.moving(of.loss, of.arguments())
    places = tuple(range(len(inputs)))
    first, second = (tuple([of.arguments(draw=draw)[place] for place in of.differentiable]) for draw in (1, 2))

    def paired(gradients: Sequence[Any], moved: Sequence[Any]) -> Any:
        return sum((a * b).sum() for a, b in zip(gradients, moved, strict=True))

    def along(*given: Any) -> Any:
        return func.jvp(loss, given, first)[1]

    def ways(*given: Any) -> tuple[Any, ...]:
        gradient = func.grad(loss, places)
        return (
            paired(func.jvp(gradient, given, first)[1], second),
            paired(func.grad(lambda *a: paired(gradient(*a), first), places)(*given), second),
            paired(func.grad(along, places)(*given), second),
        )

    found = of.compiled(ways)(*inputs)
    for way in found:
        assert_close(of, way, found[0])


def _samples(of: FrameworkAdapter) -> None:
    func, places = of.func, of.differentiable
    of_rows = tuple(0 if entry.kind.over_rows else None for entry in of.definition.positional)
    drawn = [of.arrays(draw=number) for number in range(SAMPLES)]
    every = [of.array(np.stack(parts)) for parts in zip(*drawn, strict=True)]

    def sines(*given: Any) -> Any:
        return sum(func.sin(each).sum() for each in func.grad(of.loss, places)(*given))

    def derivatives(*given: Any) -> Any:
        return [*of.outputs(*given), *func.grad(of.loss, places)(*given), *func.grad(sines, places)(*given)]

    one = of.compiled(derivatives)
    for inputs, dims in ((of.arguments(SAMPLES), of_rows), (every, (0,) * len(of_rows))):
        together = of.compiled(func.vmap(derivatives, dims))(*inputs)
        for n in range(SAMPLES):
            alone = one(*[value if at is None else value[n] for value, at in zip(inputs, dims, strict=True)])
            for value, other in zip(together, alone, strict=True):
                assert_close(of, value[n], other)


CLAIMS = (
    Claim("values and gradients are those of the kernels", _values),
    Claim("second derivatives: jvp of grad, grad of grad, grad of jvp", _second_derivatives, every_direction=True),
    Claim(
        "vmap of rows, of parameters, of their gradients for each sample, and of second derivatives",
        _samples,
        every_direction=True,
    ),
    Claim("{on.checker} of first derivatives, in both modes", _first_order, differences=True, every_direction=True),
    Claim("{on.checker} of second derivatives", _second_order, differences=True, every_direction=True),
    Claim("{on.checker} with every optional input left out", _left_out, differences=True, every_direction=True),
)
"""Claims about the transformations that frameworks have in common."""
FrameworkAdapter.claims = CLAIMS
