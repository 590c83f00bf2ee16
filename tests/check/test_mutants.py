"""Every planted wrong gradient is caught, and the page that says by what is up to date.

`python -m tests.check.test_mutants` writes the page.
"""

from functools import cache

import pytest

from tests.check.layers import DEFINITIONS, ROOT, derived, emitted_files, planned
from tests.check.mutants import kill_table, markdown, mutants
from tests.tiers import sample

PAGE = ROOT / "docs" / "mutants.md"
LAYERS = [path for path in DEFINITIONS if path.parent.name == "derive"]
OTHERS = [path for path in DEFINITIONS if path.stem in ("gated_rms", "soft_max", "tanh_scale")]


@cache
def _kills(path):
    return kill_table(derived(path), lambda f, b: emitted_files(planned(path), f, b))


HEAD = """# Planted mistakes

Each row of a table is one mistake planted into emitted code. An x marks each kind of check that caught it.
`python -m tests.check.test_mutants` writes this page. A test fails if the page is out of date or a mistake survives.

| command | repeats |
|---|---|
| `make check` | all tables of NumPy and of compiled kernels; on the emulator, every mistake in layer_norm must be \
caught, and the row must agree for three of them |
| `make exhaustive` | all rows of the tables on the emulator |
"""


def _page():
    return HEAD + markdown({f"{path.stem}, NumPy": _kills(path) for path in LAYERS})


@pytest.mark.parametrize("path", sample(LAYERS + OTHERS, LAYERS[-1:]), ids=lambda path: path.stem)
def test_no_mutant_survives(path):
    kills = _kills(path)
    assert kills
    assert [kill.mutant for kill in kills if not kill.caught_by] == []


def test_the_centred_layer_has_the_classic_mistakes():
    (path,) = [path for path in LAYERS if len(derived(path).definition.features) == 2]
    names = [mutant.name for mutant in mutants(planned(path).forward, planned(path).backward)]
    assert len(names) >= 10
    for part in ("left out", "counted twice", "unbiased", "D - 1", "four columns", "last row", "last column",
                 "outside the root", "forgotten"):  # fmt: skip
        assert any(part in name for name in names), part


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8").startswith(_page()), "run: python -m tests.check.test_mutants"


if __name__ == "__main__":
    from tests.check import test_cpu
    from tests.check.test_kernel_mutants import section

    compiled = map(test_cpu.section, test_cpu.PLANTED[1:])
    PAGE.write_text(_page() + "".join([*map(section, LAYERS), *compiled]), encoding="utf-8")
