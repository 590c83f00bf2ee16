"""Report of skipped tests, and the reasons that are allowed with `LNGEN_CI`."""

import datetime
import gc
import inspect
import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from lngen.checks.toolchain.headers import precompiled
from lngen.pipeline.cache import entries
from tests.requirements import NO_GPU, NO_INSTRUCTIONS
from tests.tiers import NIGHTLY, is_after_the_core, is_left_out, stays_in_ci, tier_of

# A deadline measures the machine. Where a run has to be repeatable, its examples have to be.
settings.register_profile("lngen", deadline=None, derandomize="LNGEN_CI" in os.environ)
settings.load_profile("lngen")

# What is printed has the width that the commands choose; a worker of pytest-xdist is given another.
os.environ.pop("COLUMNS", None)
ALLOWED = (NO_GPU, NO_INSTRUCTIONS)
"""Beginnings of the reasons that are allowed with `LNGEN_CI`: nothing can be installed for these."""

_own_cache = pytest.StashKey[str]()
_headers = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Give the run a cache of its own, which its workers share, unless `LNGEN_CACHE` names one.

    What an earlier run has left can then neither hide a fault nor be one, and a run takes the same time for everybody.
    """
    if "LNGEN_CACHE" not in os.environ:
        config.stash[_own_cache] = os.environ["LNGEN_CACHE"] = tempfile.mkdtemp(prefix="lngen-tests-")
    # JAX compiles each operation anew for each function; no two workers write to one folder.
    own = Path(os.environ["LNGEN_CACHE"], f"jax{os.environ.get('PYTEST_XDIST_WORKER', '')}")
    os.environ |= {"JAX_COMPILATION_CACHE_DIR": str(own), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
    # A second that is won back where many kernels are compiled.
    if getattr(config.option, "numprocesses", None) and not config.option.collectonly:
        config.stash[_headers] = tempfile.mkdtemp(prefix="lngen-headers-")
        os.environ.update(precompiled(Path(config.stash[_headers])))


def pytest_unconfigure(config: pytest.Config) -> None:
    if folder := config.stash.get(_headers, None):
        shutil.rmtree(folder, ignore_errors=True)
    if folder := config.stash.get(_own_cache, None):
        del os.environ["LNGEN_CACHE"]
        shutil.rmtree(folder, ignore_errors=True)


def left_out(config: pytest.Config) -> set[str]:
    """The marks of tiers that the expression of `-m` leaves out."""
    return {tier for tier in NIGHTLY if f"not {tier}" in config.option.markexpr}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out files whose tests are all in a tier that is left out."""
    if collection_path.name == "nightly" and "exhaustive" in left_out(config):
        return True
    in_checkout = collection_path.is_relative_to(config.rootpath) and collection_path.suffix == ".py"
    place = collection_path.relative_to(config.rootpath).as_posix() if in_checkout else ""
    return (in_checkout and "not ci" in config.option.markexpr and is_left_out(place)) or None


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: Any, name: str, obj: Any) -> list[Any] | None:
    """Make no cases of what is left out: there are thousands, and each worker would make them all."""
    tiers, marks = left_out(collector.config), getattr(obj, "pytestmark", ())
    if not inspect.isfunction(obj) or not tiers or not isinstance(marks, list):
        return None
    if any(mark.name in tiers for mark in marks):
        return []
    for place, mark in enumerate(marks):
        if mark.name == "parametrize" and len(mark.args) > 1:
            values = [*mark.args[1]]
            keeps = [not any(of.name in tiers for of in getattr(value, "marks", ())) for value in values]
            kept, ids = [*itertools.compress(values, keeps)], mark.kwargs.get("ids")
            if values and not kept:
                return []
            named = {"ids": [*itertools.compress(ids, keeps)]} if isinstance(ids, list | tuple) else {}
            arguments = (mark.args[0], kept, *mark.args[2:])
            marks[place] = getattr(pytest.mark, mark.name)(*arguments, **{**mark.kwargs, **named}).mark
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        try:
            tier = tier_of(mark.name for mark in item.iter_markers())
        except ValueError as error:
            raise pytest.UsageError(f"{item.nodeid}: {error}") from None
        needs = [mark.kwargs.get("reason", "") for mark in item.iter_markers("skipif")]
        if tier == "default" and is_after_the_core(item.nodeid, needs):
            item.add_marker(pytest.mark.ci)
            tier = "ci"
        if tier == "ci" and not stays_in_ci(item.nodeid):
            item.add_marker(pytest.mark.exhaustive)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for garbage once, and not again and again among the tests that are collected, none of which is any.

    Derivations make many objects and little garbage, so garbage is looked for less often than by default,
    which takes a tenth of their time.

    A test that is parametrized by what a derivation gives is an error: each worker would wait for the layer.
    """
    gc.disable()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(entries, "read", _refuse_to_derive)
            found = yield
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000)
        gc.enable()
    return found


def _refuse_to_derive(name: str) -> None:
    raise pytest.UsageError("a layer is derived while tests are collected; parametrize by the definition's text")


# Definitions are the input of tests; some are wrong on purpose.
collect_ignore_glob = ["definitions/*"]

# Modules skipped as a whole, by reason. Unlike skipped tests, pytest-xdist does not pass them on.
_skipped_modules: dict[str, str] = {}


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        _skipped_modules[report.nodeid] = _reason(report)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _skipped_modules.update(getattr(node, "workeroutput", {}).get("lngen_skipped_modules", {}))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["lngen_skipped_modules"] = _skipped_modules
    elif "LNGEN_CI" in os.environ and _not_allowed(_skips(session.config)) and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    skips = _skips(config)
    if skips:
        terminalreporter.section("skipped, by name and reason")
        for name, reason in sorted(skips.items()):
            terminalreporter.line(f"{name}: {reason}")
    if record := os.environ.get("LNGEN_NIGHTLY"):
        counts = {name: len(terminalreporter.stats.get(name, ())) for name in ("passed", "failed", "error", "skipped")}
        words = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        day = datetime.datetime.now(datetime.UTC).date()
        head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
        Path(record).write_text(f"{day}, commit {head.stdout.strip()}: {words}\n", encoding="utf-8")
    if "LNGEN_CI" in os.environ and (refused := _not_allowed(skips)):
        terminalreporter.section("failed: LNGEN_CI is set, and a test was skipped for what can be installed")
        for name in sorted(refused):
            terminalreporter.line(f"{name}: {refused[name]}", red=True)


def _skips(config: pytest.Config) -> dict[str, str]:
    """The reason for each skipped test, and each module skipped as a whole, by its name."""
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    tests = reporter.stats.get("skipped", []) if reporter else []
    return _skipped_modules | {report.nodeid: _reason(report) for report in tests}


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    # A skip is reported as (file, line, "Skipped: reason").
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return str(text).removeprefix("Skipped: ")


def _not_allowed(skips: dict[str, str]) -> dict[str, str]:
    return {name: reason for name, reason in skips.items() if not reason.startswith(ALLOWED)}


@pytest.fixture
def nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Derive anew in this test: it changes what derives, takes the time of it, or asks what was gone through."""
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path / "nothing-kept"))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Free what tests of CUDA left on the device, in the thread that it belongs to.

    An array in a cycle is freed when the collector runs, and a later test may have it run in a thread of its own, from
    which PyCUDA cannot free it: a warning, and so a failure of a test that has nothing to do with it.
    """
    others = nextitem is None or nextitem.path != item.path
    if others and item.get_closest_marker("cuda") is not None:
        gc.collect()
