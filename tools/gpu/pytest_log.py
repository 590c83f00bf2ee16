"""A plugin of pytest: a line of JSON for each report as it comes, so that a run that is cut short is known as well.

Registered by `-p tools.gpu.pytest_log`; the file is named by LNGEN_TEST_LOG.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

_LOG = "LNGEN_TEST_LOG"


def pytest_configure(config: pytest.Config) -> None:
    """Register on the process that hears of all tests: the workers of xdist tell it theirs."""
    if _LOG in os.environ and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Log(Path(os.environ[_LOG])))


class _Log:
    def __init__(self, path: Path) -> None:
        self.path = path

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.outcome != "passed":
            self._add(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.outcome == "failed":
            self._add(report)

    def _add(self, report: Any) -> None:
        line = {"test": report.nodeid, "outcome": report.outcome, "why": _reason(report)}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _reason(report: Any) -> str:
    """Return the reason of a skip or a failure, in a line: the first of them, and those that name an error."""
    if report.outcome == "passed":
        return ""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = (str(crash.message) if crash else str(report.longrepr)).strip().splitlines()
    errors = [line.strip() for line in lines[1:] if "error" in line.lower()]
    return " | ".join([*lines[:1], *errors[:3]]) or "failed without a word"
