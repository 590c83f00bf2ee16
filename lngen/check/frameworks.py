"""A layer in a framework: arguments for it, and the claims that checks of the framework's make."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from lngen.check.apart import Tell
from lngen.check.evidence import Evidence, verdict
from lngen.check.inputs import ordinary, stops_gradients
from lngen.check.layer import Array
from lngen.language.definition import Definition

KIND = "transformations"
"""Name of this evidence: transformations of a layer's functions by a framework."""

ROWS = (2, 3)
SAMPLES = 4
_STEP = 7919  # between seeds of what is drawn apart


@dataclass(frozen=True)
class FrameworkSubject:
    """A layer's module for a framework, with arguments of two times three rows for it."""

    definition: Definition
    module: ModuleType
    seed: int

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

    def call(self, *inputs: Any) -> Any:
        """The layer's outputs."""
        return self.layer.call(*inputs, *self.constants)

    def outputs(self, *inputs: Any) -> tuple[Any, ...]:
        """The outputs as a tuple."""
        return as_tuple(self.call(*inputs))

    def loss(self, *inputs: Any) -> Any:
        """A number that depends on every output."""
        return sum((each**2).sum() for each in self.outputs(*inputs))

    @property
    def differentiable(self) -> tuple[int, ...]:
        """The numbers of the inputs that have a gradient."""
        return tuple(number for number, entry in enumerate(self.definition.positional) if entry.kind.has_gradient)

    @property
    def required(self) -> list[bool]:
        """Return a flag for each input: true if it is required."""
        return [entry.default is None for entry in self.definition.positional]


class NotRun(Exception):
    """Reason why a check cannot run on this machine."""


Of = TypeVar("Of", bound=FrameworkSubject)


def claims(
    of: Of,
    checks: Mapping[str, Callable[[Of], object]],
    differenced: Mapping[str, Callable[[Of], object]],
    within: AbstractContextManager[Any] | None = None,
    tell: Tell = lambda what: None,
) -> Iterator[Evidence]:
    """Yield a claim for each check, which holds if no error is raised; a check that raises NotRun claims nothing.

    Checks in `differenced` are left out if the definition stops a gradient, since a difference sees through the stop.
    `within` is a setting of the framework during the checks; `tell` gets a text about each check before it runs.
    """
    chosen = {**checks, **({} if stops_gradients(of.definition) else differenced)}
    with ExitStack() as stack:
        if within is not None:
            stack.enter_context(within)
        for what, check in chosen.items():
            tell(what)
            with _quiet():
                trouble, silence = _outcome(check, of)
            evidence = verdict(KIND, what, trouble, (int(np.prod(ROWS)), of.features), "float64", silence)
            yield replace(evidence, claimed=not silence)


@contextmanager
def _quiet() -> Iterator[None]:
    # Frameworks warn of what they themselves do.
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def _outcome(check: Callable[[Of], object], subject: Of) -> tuple[str, str]:
    """Return the fault of the layer, and the reason why nothing is claimed; each is empty if there is none."""
    try:
        check(subject)
    except NotRun as reason:
        return "", f"not run: {reason}"
    except Exception as error:  # whatever the layer or the framework raises speaks against the layer
        return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}", ""
    return "", ""


def as_tuple(values: Any) -> tuple[Any, ...]:
    """Results as a tuple, also one alone."""
    return tuple(values) if isinstance(values, tuple | list) else (values,)


def require(is_so: bool, otherwise: str) -> None:
    """Raises AssertionError unless it is so."""
    if not is_so:
        raise AssertionError(otherwise)
