"""`make gpu` in its parts: what it needs, how it runs commands, what it makes of what they say."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.results import Results
from tools.gpu import __main__ as gpu
from tools.gpu import packages, processes, stages


@pytest.fixture
def run(tmp_path: Path) -> stages.GpuRun:
    results = Results.begin(tmp_path / "results", "A GPU", "gpu")
    return stages.GpuRun(
        results=results, environment=packages.environment(tmp_path / "site"), log=tmp_path / "log", scratch=tmp_path,
        deadline=time.monotonic() + 60, seconds=60, emulator=False, quick=True,
    )  # fmt: skip


# Without a GPU


def test_without_a_gpu_there_is_one_message_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_driver(name: str) -> None:
        raise OSError(name)

    monkeypatch.setattr(gpu.ctypes, "CDLL", no_driver)
    assert gpu.main(["--results", str(tmp_path / "new")]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "needs a GPU and its driver, and here is no libcuda.so.1" in captured.err
    assert "make test" in captured.err
    assert not (tmp_path / "new").exists()


# What is needed


def test_what_is_needed_is_what_pyproject_says_but_for_what_is_too_large() -> None:
    names = {requirement.partition(">")[0] for requirement in packages.requirements()}
    assert {"numpy", "sympy", "jinja2", "pycuda", "pytest", "pytest-xdist", "hypothesis"} <= names
    assert not [name for name in names if name.startswith(("nvidia", "hatchling"))]


@pytest.fixture
def pip(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Commands given to pip, which finds one package missing."""
    asked: list[list[str]] = []

    def answer(arguments: list[str], site: Path) -> str:
        asked.append(list(arguments))
        return json.dumps({"install": [{"metadata": {"name": "pytools", "version": "2026.1"}}]})

    monkeypatch.setattr(packages, "_pip", answer)
    return asked


def test_what_is_missing_alone_is_installed_and_from_the_folder_alone(tmp_path: Path, pip: list[list[str]]) -> None:
    (tmp_path / "a.whl").touch()
    assert packages.prepare(tmp_path / "site", tmp_path) == ["pytools==2026.1"]
    plan, install = pip
    assert "--dry-run" in plan
    assert install[-1] == "pytools==2026.1"
    assert "--no-deps" in install
    for command in pip:
        assert command[command.index("--no-index") + 1 :][:2] == ["--find-links", str(tmp_path)]
    assert str(tmp_path / "site") == install[install.index("--target") + 1]


# Commands


@pytest.mark.ci
def test_a_command_that_does_not_end_is_ended_with_what_it_started(tmp_path: Path) -> None:
    child = f"import time; time.sleep(3); open({str(tmp_path / 'alive')!r}, 'w')"
    script = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {child!r}]).wait()"
    started = time.monotonic()
    done = processes.run([sys.executable, "-u", "-c", f"print('begun'); {script}"], {}, 1, tmp_path / "log")
    assert done.status is None
    assert done.output == "begun\n"
    assert time.monotonic() - started < 2.5
    time.sleep(max(0.0, 3.5 - (time.monotonic() - started)))
    assert not (tmp_path / "alive").exists()


# Stages


def test_a_stage_that_breaks_is_recorded_and_the_rest_goes_on(
    run: stages.GpuRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(run: stages.GpuRun) -> dict[str, Any]:
        raise RuntimeError(f"in {packages.ROOT}/lngen")

    for name in ("device", "smoke", "compiled", "benchmark", "matrix", "sanitizer"):
        monkeypatch.setattr(stages, name, lambda run: {"status": "passed", "summary": "fine"})
    monkeypatch.setattr(stages, "tests", broken)
    assert not stages.in_order(run)
    record = Results.read(run.results.path).record
    assert record["complete"]
    assert list(record["stages"]) == ["device", "smoke", "compile", "benchmark", "sanitizer", "tests", "matrix"]
    assert record["stages"]["tests"]["summary"] == "RuntimeError: in lngen"
    assert record["stages"]["benchmark"]["status"] == "passed"
    monkeypatch.setattr(stages, "tests", lambda run: {"status": "skipped", "summary": "none"})
    assert stages.in_order(run)


def fake_sanitizer(run: stages.GpuRun, script: str) -> dict[str, Any]:
    program = run.scratch / "compute-sanitizer"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    run.environment["PATH"] = f"{run.scratch}:{run.environment['PATH']}"
    return stages.sanitizer(run)


SHAPES = "print('a_layer, f32 6 x 64')"


@pytest.fixture
def exercised(monkeypatch: pytest.MonkeyPatch) -> None:
    """The layers are not run: a program that prints a shape takes their place."""
    monkeypatch.setattr(stages, "EXERCISE", ("-c", SHAPES))


@pytest.mark.usefixtures("exercised")
def test_a_sanitizer_that_finds_nothing(run: stages.GpuRun) -> None:
    script = 'while [ "$1" != 20 ]; do shift; done; shift; "$@"; echo "========= ERROR SUMMARY: 0 errors"'
    found = fake_sanitizer(run, script)
    assert found["status"] == "passed"
    assert list(found["tools"]) == list(stages.TOOLS)
    assert found["tools"]["memcheck"]["summary"] == "ERROR SUMMARY: 0 errors (1 shapes)"
    assert found["tools"]["memcheck"]["findings"] == []


@pytest.mark.usefixtures("exercised")
def test_a_sanitizer_that_finds_something(run: stages.GpuRun) -> None:
    lines = ["COMPUTE-SANITIZER", "Race reported between Write and Read", "ERROR SUMMARY: 2 errors"]
    script = "\n".join(f'echo "========= {line}"' for line in lines)
    found = fake_sanitizer(run, f'{script}\n[ "$2" = racecheck ] && exit 86\nexit 0')
    assert found["status"] == "failed"
    assert found["tools"]["memcheck"]["status"] == "passed"
    assert found["tools"]["racecheck"]["status"] == "failed"
    assert found["tools"]["racecheck"]["findings"] == ["Race reported between Write and Read"]
    assert "racecheck: ERROR SUMMARY: 2 errors" in found["summary"]


def test_the_plugin_reports_each_outcome(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "def test_fine(): pass\n"
        "def test_wrong(): assert 1 == 2, 'one is not two'\n"
        "@pytest.mark.skip(reason='not here')\ndef test_left_out(): pass\n"
    )
    (tmp_path / "test_broken.py").write_text("import no_such_module\n")
    log = tmp_path / "log.jsonl"
    environment = {**packages.environment(tmp_path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "LNGEN_TEST_LOG": str(log)}
    command = [sys.executable, "-m", "pytest", str(tmp_path), "--rootdir", str(tmp_path), "-c", "/dev/null",
               "-p", "no:cacheprovider", "-p", "tools.gpu.pytest_log", "--continue-on-collection-errors"]  # fmt: skip
    parallel = ["-p", "xdist", "--numprocesses", "1"]
    for extra in ([], parallel):
        log.unlink(missing_ok=True)
        processes.run([*command, *extra], environment, 60, tmp_path / "log")
        found = {line["test"].rpartition("::")[2]: line for line in map(json.loads, log.read_text().splitlines())}
        assert {name: line["outcome"] for name, line in found.items()} == {
            "test_fine": "passed", "test_wrong": "failed", "test_left_out": "skipped", "test_broken.py": "failed",
        }  # fmt: skip
        assert "one is not two" in found["test_wrong"]["why"]
        assert found["test_left_out"]["why"] == "not here"
