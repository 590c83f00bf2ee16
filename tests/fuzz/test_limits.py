"""A limit on processor time ends a piece of work, but not within an import."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from time import process_time

import pytest

from tests.fuzz.limits import OutOfTime, cpu_seconds

LONG_IMPORT = """
from time import process_time

end = process_time() + 0.2
while process_time() < end:
    pass
"""


def busy(seconds: float) -> None:
    end = process_time() + seconds
    while process_time() < end:
        pass


def test_work_is_ended() -> None:
    start = process_time()
    with pytest.raises(OutOfTime), cpu_seconds(0.05):
        busy(10)
    assert process_time() < start + 5


def test_an_import_is_finished_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "takes_long_to_import.py").write_text(LONG_IMPORT, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "takes_long_to_import", None)  # it is gone after the test
    del sys.modules["takes_long_to_import"]

    def work() -> None:
        importlib.import_module("takes_long_to_import")
        busy(10)

    with pytest.raises(OutOfTime), cpu_seconds(0.05):
        work()
    assert "takes_long_to_import" in sys.modules
