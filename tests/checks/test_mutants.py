"""Every planted wrong gradient is caught, and the page that says by what is up to date.

`python -m tests.checks.test_mutants` writes the page.
"""

import tempfile
from functools import cache
from pathlib import Path

import pytest

from lngen.checks.on_device import OnDevice, device
from lngen.language.parsing import load
from lngen.pipeline.stages import derived
from tests.checks.layers import DEFINITIONS, ROOT
from tests.checks.mutants import PROOF, SHAPES, caught_by, kill_table, loaded, markdown, mutants
from tests.requirements import has_gpu, needs_gxx, needs_pycuda
from tests.tiers import sample

PAGE = ROOT / "docs" / "mutants.md"
LAYERS = [path for path in DEFINITIONS if path.parent.name == "derive"]
OTHERS = [path for path in DEFINITIONS if path.stem in ("gated_rms", "soft_max", "tanh_scale")]


def on_the_device(test):
    for mark in (pytest.mark.cuda, needs_pycuda, *([] if has_gpu() else [needs_gxx])):
        test = mark(test)
    return test


# What no proof of a program can refuse: in exact arithmetic the residual of a mean is 0.
ROUNDING = "correction of the mean left out"


@cache
def made(path):
    return derived(load(path), proved=False)


@cache
def _kills(path):
    with tempfile.TemporaryDirectory() as folder:
        return kill_table(made(path), Path(folder))


def planted(path):
    """The mistakes that are in the programs of a layer, by name."""
    return {mutant.name: mutant for mutant in mutants(*made(path).plan.programs()) if mutant.spoil is None}


CENTRED = LAYERS[0]
# Each is a case of its own in CI; the others are one, since their names are those that a derivation gives.
COMPILED, EMULATED, OTHERWISE = (ROUNDING, "`rstd` from the unbiased variance"), ("`xhat` left out of `dgamma`",), ""


def named(name, apart):
    """The mistake of a name, or all but those that are cases `apart`."""
    every = planted(CENTRED)
    return [every[name]] if name else [mutant for other, mutant in every.items() if other not in apart]


HEAD = """# Planted mistakes

Each row of a table is one mistake. An x marks each kind of evidence that caught it. Wrong formulas are planted into the
row programs that every backend prints; the tables of NumPy have them. Other mistakes are planted into emitted code.
`python -m tests.checks.test_mutants` writes this page. A test fails if the page is out of date or a mistake survives.

| command | repeats |
|---|---|
| `make check` | all tables of NumPy and of compiled kernels; on the emulator, every mistake in layer_norm must be \
caught; some of the wrong formulas compiled and on the emulator |
| `make nightly` | all rows of the tables on the emulator; every wrong formula compiled and on the emulator |
"""


def _page():
    return HEAD + markdown({f"{path.stem}, NumPy": _kills(path) for path in LAYERS})


@pytest.mark.parametrize("path", sample(LAYERS + OTHERS, LAYERS[-1:]), ids=lambda path: path.stem)
def test_no_mutant_survives(path):
    kills = _kills(path)
    assert kills
    assert [kill.mutant for kill in kills if not kill.caught_by] == []
    refused = {kill.mutant for kill in kills if PROOF in kill.caught_by}
    assert refused == planted(path).keys() - {ROUNDING}


@needs_gxx
@pytest.mark.parametrize("name", sample([*COMPILED, OTHERWISE], (), COMPILED))
def test_no_mutant_survives_in_compiled_code(name, tmp_path):
    for place, mutant in enumerate(named(name, COMPILED)):
        assert caught(mutant, loaded(made(CENTRED), mutant, tmp_path / str(place), "cpu"), "cpu"), mutant.name


@on_the_device
@pytest.mark.parametrize("name", sample([*EMULATED, OTHERWISE], (), EMULATED))
def test_no_mutant_survives_on_the_emulator(name, tmp_path):
    for place, mutant in enumerate(named(name, EMULATED)):
        with device():
            module = OnDevice(loaded(made(CENTRED), mutant, tmp_path / str(place), "cuda"))
            assert caught(mutant, module, "cuda"), mutant.name


def caught(mutant, module, backend):
    kind = "hard inputs" if mutant.name == ROUNDING else "complex step"
    return caught_by(made(CENTRED), mutant, module, backend, (kind,), shapes=SHAPES[:1])


@pytest.mark.ci
def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8").startswith(_page()), "run: python -m tests.checks.test_mutants"


if __name__ == "__main__":
    from tests.checks import test_cpu
    from tests.checks.test_kernel_mutants import section

    compiled = map(test_cpu.section, test_cpu.PLANTED[1:])
    PAGE.write_text(_page() + "".join([*map(section, LAYERS), *compiled]), encoding="utf-8")
