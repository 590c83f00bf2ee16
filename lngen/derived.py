"""Python interface of a derived layer: `lngen.derive` and the object that it returns."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lngen.checks import DTYPES, QUICK_SHAPES, Report
from lngen.checks.emitted import BACKENDS, CheckRequest, check_emitted
from lngen.checks.field.numpy_text import require_exact_text
from lngen.definitions import definition_of
from lngen.derivation.derivation import Proof, Step
from lngen.emit.backends import adapter, named
from lngen.errors import LngenError
from lngen.language.definition import Definition
from lngen.paths import RUNTIME, require_package
from lngen.pipeline.cache import folders, key
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.files.loading import Layer
from lngen.pipeline.pages import pages
from lngen.pipeline.project import backends_for
from lngen.pipeline.stages import Derived, derived
from lngen.report import formulas, printed


@dataclass(frozen=True)
class DerivedLayer:
    """A layer with its gradients, how they were found, and the files that compute them.

    >>> import lngen
    >>> layer = lngen.derive('''
    ... from lngen.language import Row, mean
    ... def centred(x: Row):
    ...     y = x - mean(x)
    ...     return y
    ... ''')
    >>> layer.forward
    {'mu': 'mean(x)', 'y': 'x - mu'}
    >>> layer.gradients
    {'dx': 'dy - mean(dy)'}
    >>> [step.rule for step in layer.steps if step.target.name == "dx"]
    ['chain rule', 'written out', 'common factors']
    >>> all(proof.passed for proof in layer.evidence)
    True
    """

    derived: Derived
    """Results of all stages of the pipeline."""

    backends: tuple[str, ...] | None = None
    """The backends that `derive` was told, with what they need; None for all."""

    def __repr__(self) -> str:
        """The signature of the layer: its inputs and its outputs."""
        names = [self.definition.public(entry.name) for entry in self.definition.passed]
        outputs = ", ".join(map(self.definition.public, self.definition.outputs))
        return f"<derived layer {self.name}({', '.join(names)}) -> {outputs}>"

    @property
    def definition(self) -> Definition:
        """Definition that the layer was derived from."""
        return self.derived.definition

    @property
    def name(self) -> str:
        """Name of the layer, which is that of its function."""
        return self.definition.name

    @property
    def forward(self) -> Mapping[str, str]:
        """The values of forward by name, in order of computation, as `text` that the definition could say."""
        return _by_name(formulas(self.derived.plan)["forward"])

    @property
    def gradients(self) -> Mapping[str, str]:
        """Values of backward by name, in order of computation: the gradients, and the values that they are written
        in.
        """
        return _by_name(formulas(self.derived.plan)["backward"])

    @property
    def steps(self) -> tuple[Step, ...]:
        """Steps of the derivation in order, each with its rule, its reason, and the formula before and after."""
        return self.derived.plan.derivation.steps

    @property
    def evidence(self) -> tuple[Proof, ...]:
        """Proofs about the derivation; none of them runs emitted code."""
        return self.derived.plan.derivation.proofs

    def __str__(self) -> str:
        """The derivation as `lngen derive` prints it."""
        return printed(self.derived.plan).plain

    def _repr_html_(self) -> str:
        """The result and its steps, as a notebook shows them."""
        return pages().fragment(self.derived.plan)

    def page(self) -> str:
        """The page for a browser that `lngen derive --html` writes. Its plot of errors is measured here and now."""
        return pages().page(self.derived)

    def write(self, folder: str | os.PathLike[str], backends: Sequence[str] | None = None) -> Path:
        """Write the layer to `folder/NAME`, and the shared runtime beside it; return the layer's path.

        The folder can then be imported from, as in `from my_model.layers import NAME`. Files with the right content
        stay. `backends`, such as `["numpy", "cuda"]`, are the ones to write, with those that they need. Without them
        the choice of `derive` counts, else that of `lngen derive --out`.

        Raises LngenError, and changes nothing, if the folder's name is not that of a package, if it cannot be written
        to, if it contains files that lngen did not write, or for an unknown backend.
        """
        place = Path(folder)
        require_package(place)
        manifest.require_writable((RUNTIME, self.name), place)
        asked = self.backends if backends is None else named(backends, "backends")
        chosen = backends_for(self.name, place, asked)
        made = derived(self.definition, backends=chosen)
        require_exact_text(made)
        emission = made.emission
        manifest.update([manifest.shared_emission([emission], place), emission], place)
        return place / self.name

    def load(self, backend: str = "numpy") -> Layer:
        """The layer's module of a backend, as `lngen.load` has it, imported from the user's cache folder."""
        return loading.load(self._cached(), backend)

    def _cached(self) -> Path:
        """The layer's folder in the cache, made if it is not there."""
        require_exact_text(self.derived)
        emission = self.derived.emission
        shared = manifest.shared_emission([emission])
        parts = [part for entry in (shared, emission) for file in entry.files for part in file]
        package = folders.entry(key(parts), lambda place: _write(emission, place), "layers")
        return package / self.name

    def check(
        self,
        backend: str = "numpy",
        shapes: Sequence[tuple[int, int]] | None = None,
        dtypes: Sequence[str] = DTYPES,
        seed: int = 0,
    ) -> Report:
        """Hold the emitted code against the definition, by every kind of evidence; `report.passed` is the outcome.

        `backend` is "numpy", "cpu", "cuda", "torch", "jax" or that of an extension which has an adapter, `shapes` are
        (rows, D), `dtypes` storage types such as "float32". Without `shapes` these are a few, and rows on both sides of
        each threshold of the code. Where this machine cannot run the code, that is a warning, and the report has not
        passed: its `outcome` is "not run", and `not_run` the reason. Raises LngenError for another backend.
        """
        if backend not in BACKENDS:
            adapter(backend)  # raises where there is none
        if backend not in (self.backends or BACKENDS):
            raise LngenError(f"{self.name} was derived without {backend}: name it in the backends of `lngen.derive`.")
        at_thresholds = shapes is None
        asked = CheckRequest(
            QUICK_SHAPES if shapes is None else shapes, dtypes=dtypes, seed=seed, at_thresholds=at_thresholds
        )
        return check_emitted(self.derived, self._cached(), backend, asked, warnings.warn)


def derive(definition: str | os.PathLike[str], backends: Sequence[str] | None = None) -> DerivedLayer:
    """Derive a layer from the text of its definition, from a file, or by the name of one that comes with lngen.

    A file is given as a `pathlib.Path`; a text is never taken for a path. `backends`, such as `["numpy", "cuda"]`, are
    those to emit code for, of "numpy", "cpu", "cuda", "torch" and "jax"; all by default. Raises LngenError if it is not
    a definition, or has no derivative in the language, with the place and what to write instead.

    >>> derive("def cubed(x: Row): return x**3").gradients
    {'dx': '3*dy*x**2'}
    """
    chosen = None if backends is None else named(backends, "backends")
    return DerivedLayer(derived(definition_of(definition), backends=chosen or BACKENDS), chosen)


def _by_name(lines: Sequence[str]) -> dict[str, str]:
    return {name: text for name, _, text in (line.partition(" = ") for line in lines)}


def _write(emission: manifest.Emission, folder: Path) -> None:
    manifest.write(emission, folder)
