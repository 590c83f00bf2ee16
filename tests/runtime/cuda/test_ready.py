"""Code that was compiled ahead of time: which of it a device is given, and what is said where there is none."""

import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest

from lngen.runtime import cache
from lngen.runtime.cuda import driver, ready
from lngen.runtime.cuda.ready import ReadyCode

SHARED = 227 * 1024
GIVEN = ("B=1", "A", f"LNGEN_SHARED={SHARED}")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source with a header, and a driver that loads what does not say that it is refused."""

    def load(code: bytes) -> SimpleNamespace:
        if b"refused" in code:
            raise driver.DriverError("no image")
        return SimpleNamespace(cubin=code)

    monkeypatch.setattr(driver, "LoadedCode", load)
    monkeypatch.setattr(ready, "_told", set())
    (tmp_path / "compiled").mkdir()
    (tmp_path / "rows.h").write_text("int rows;\n")
    path = tmp_path / "kernels.cu"
    path.write_text('#include "rows.h"\n')
    return path


def keep(source: Path, architecture: str, content: str = "") -> Path:
    path = ReadyCode(source, GIVEN).place(architecture)
    path.write_bytes(cache.sealed((content or architecture).encode()))
    return path


def loaded(source: Path, architecture: str, shared: int = SHARED) -> str | None:
    code = ReadyCode(source, reversed(GIVEN)).load(architecture, shared)
    return code and code.cubin.decode()


def test_load_takes_the_nearest_architecture_that_the_driver_loads(source: Path) -> None:
    for architecture in ("sm_80", "sm_90", "sm_100", "compute_90"):
        keep(source, architecture)
    assert [loaded(source, each) for each in ("sm_90", "sm_103", "sm_110")] == ["sm_90", "sm_100", "compute_90"]
    # It takes the shared memory that A100 has, and these have less.
    assert loaded(source, "sm_86", 99 * 1024) is None
    assert loaded(source, "sm_120", 99 * 1024) is None
    keep(source, "sm_90", "refused")
    assert loaded(source, "sm_90") == "compute_90"


def test_load_takes_no_code_of_other_macros(source: Path) -> None:
    keep(source, "sm_90")
    other = ReadyCode(source, [*GIVEN, "C"])
    assert other.load("sm_90", SHARED) is None
    name = f"{source.parent.name}/kernels.cu is compiled ahead of time"
    assert other.lacks("sm_90") == f"{name}, and not with A, B=1, C"
    assert ReadyCode(source, GIVEN).lacks("sm_80") == f"{name} for sm_90, and not for sm_80"
    assert ReadyCode(source.with_name("second_order.cu"), GIVEN).lacks("sm_90") == ""


@pytest.mark.parametrize("changed", ["kernels.cu", "rows.h"])
def test_load_takes_no_code_of_a_changed_text_and_tells(source: Path, changed: str) -> None:
    keep(source, "sm_90")
    assert loaded(source, "sm_90") == "sm_90"
    path = source.with_name(changed)
    path.write_text(f"{path.read_text()}// another\n")
    with pytest.warns(RuntimeWarning, match=r"kernels\.cu or one of its headers has changed .*: build it anew"):
        assert loaded(source, "sm_90") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is told of once
        assert loaded(source, "sm_90") is None


def test_load_takes_no_damaged_code_and_tells(source: Path) -> None:
    path = keep(source, "sm_90")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.warns(RuntimeWarning, match=r"sm_90\.cubin is damaged, so it is not used: build it anew"):
        assert loaded(source, "sm_90") is None
