"""The stages of a run. Each is a process of its own with a limit of time; what it found is recorded at once."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.results import Results
from tools.gpu import processes

EXERCISE = ("-m", "tools.gpu.exercise")
TOOLS = ("racecheck", "memcheck", "initcheck", "synccheck")
_FINE = ("passed", "skipped", "cut short")
_FOUND_SOMETHING = 86
TESTS = "cuda and not matrix and not exhaustive"
_MATRIX = "cuda and matrix and not exhaustive"
# The emulator's own tests say nothing of a GPU.
OTHER_TESTS = "tests/extensions/simt"
SMALLEST_TEST = "tests/emit/test_cuda_launcher_runs.py::test_out_and_workspace_are_the_memory_of_results"
_MOST_FAILURES = 50
_LONGEST_BENCHMARK = 480.0
_LONGEST_TEST = 60.0
_FOR_TESTS = 0.3
_FOR_THE_SANITIZER = 0.2


@dataclass(frozen=True)
class GpuRun:
    """Settings that the stages share: the results, the environment, the deadline, and the size of the run."""

    results: Results
    environment: dict[str, str]
    log: Path
    scratch: Path
    deadline: float
    seconds: float
    emulator: bool
    quick: bool

    def limit(self, share: float) -> float:
        """Seconds for a stage that may take a share of the whole, as far as they are left."""
        return max(1.0, min(share * self.seconds, self.left()))

    def left(self) -> float:
        """Seconds until the end."""
        return self.deadline - time.monotonic()

    def python(self, *arguments: str, seconds: float, **variables: str) -> processes.Done:
        """Run this interpreter with what it was given besides."""
        environment = {**self.environment, **variables}
        return processes.run([sys.executable, *arguments], environment, seconds, self.log)

    def options(self) -> list[str]:
        """Return the command-line options for this kind of run.

        The emulator has toy shapes alone: a large one takes it minutes.
        """
        return ["--emulator"] * self.emulator + ["--quick"] * (self.quick or self.emulator)


def in_order(run: GpuRun) -> bool:
    """All stages, whatever becomes of one. Whether none failed."""
    stages: list[tuple[str, Callable[[GpuRun], dict[str, Any]]]] = [
        ("device", device),
        ("smoke", smoke),
        ("compile", compiled),
        # Races and copies in flight are what hardware alone can tell, and times what is asked first.
        ("benchmark", benchmark),
        ("sanitizer", sanitizer),
        ("tests", tests),
        ("matrix", matrix),
    ]
    for name, stage in stages:
        started = time.monotonic()
        print(f"{name} ...", flush=True)
        try:
            values = stage(run)
        except Exception as error:
            values = {"status": "failed", "summary": machine.anonymous(f"{type(error).__name__}: {error}")}
        # A stage that is a process of its own may have added to the record.
        run.results.record = Results.read(run.results.path).record
        run.results.put(name, {**values, "seconds": round(time.monotonic() - started, 1)})
        print(f"  {values['status']}: {values['summary']}", flush=True)
    run.results.finish()
    return all(stage["status"] in _FINE for stage in run.results.record["stages"].values())


def device(run: GpuRun) -> dict[str, Any]:
    """Return the findings of `lngen device` about the machine."""
    done = run.python("-m", "lngen", "device", "--json", seconds=60)
    start = done.output.find("{")
    survey = json.JSONDecoder().raw_decode(done.output, start)[0] if done.status == 0 and start >= 0 else {}
    usable = survey.get("pycuda_runs_on") == ("emulator" if run.emulator else "gpu")
    summary = " ".join(filter(None, (survey.get("summary", _last_line(done.output)), survey.get("next_step"))))
    items = {item["name"]: item["detail"] for item in survey.get("items", ())}
    # Asked in the environment of the run, which has packages that this process has not.
    facts = run.python(
        "-c", "import json; from benchmarks import machine; print(json.dumps(machine.facts()))", seconds=60
    )
    return {
        "status": "passed" if usable else "failed",
        "summary": machine.anonymous(summary),
        "items": {name: machine.anonymous(detail) for name, detail in items.items()},
        "machine": json.loads(_last_line(facts.output)) if facts.status == 0 else None,
        "clocks": machine.clocks(),
    }


def smoke(run: GpuRun) -> dict[str, Any]:
    """A few layers on toy shapes in every direction: in seconds it is known whether anything runs at all."""
    done = run.python(*EXERCISE, *replace(run, quick=True).options(), seconds=run.limit(0.15))
    return {"status": _status(done), "summary": machine.anonymous(_last_line(done.output))}


def tests(run: GpuRun) -> dict[str, Any]:
    """The tests that are marked `cuda`: the bodies that run on the emulator where there is no GPU."""
    return _pytest(
        run, [SMALLEST_TEST] if run.quick else ["tests", f"--ignore={OTHER_TESTS}"], TESTS, run.limit(_FOR_TESTS)
    )


def matrix(run: GpuRun) -> dict[str, Any]:
    """The tests of every shape and type, in what is left; it need not suffice for all."""
    if run.quick:
        return {"status": "skipped", "summary": "not in a quick run"}
    if (seconds := run.left()) <= 0:
        return {"status": "skipped", "summary": "no time was left"}
    return _pytest(run, ["tests", f"--ignore={OTHER_TESTS}"], _MATRIX, seconds)


def _pytest(run: GpuRun, chosen: Sequence[str], marks: str, seconds: float) -> dict[str, Any]:
    reports = run.scratch / "tests.jsonl"
    reports.unlink(missing_ok=True)
    workers = min(8, len(os.sched_getaffinity(0)))
    parallel = [] if run.quick else ["-p", "xdist", "--numprocesses", str(workers), "--dist", "worksteal"]
    # Plugins that the interpreter happens to have may warn, and so may its PyTorch and JAX, which nobody chose: here a
    # warning is no failure. JAX would take most of the device's memory for each worker.
    done = run.python(
        "-m", "pytest", *chosen, "-m", marks, *parallel, "-p", "tools.gpu.pytest_log", "-p", "no:cacheprovider",
        "-W", "default", seconds=seconds, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", LNGEN_TEST_LOG=str(reports),
        XLA_PYTHON_CLIENT_PREALLOCATE="false",
    )  # fmt: skip
    found = [json.loads(line) for line in reports.read_text(encoding="utf-8").splitlines()] if reports.exists() else []
    outcomes = Counter(report["outcome"] for report in found)
    failures = [f"{report['test']}: {report['why']}" for report in found if report["outcome"] == "failed"]
    reasons = Counter(report["why"] for report in found if report["outcome"] == "skipped")
    summary = ", ".join(f"{outcomes[name]} {name}" for name in ("passed", "failed", "skipped") if outcomes[name])
    # pytest's status is 1 for failures, and more for a run that went wrong as a whole.
    if done.status not in (0, 1, None) or not summary:
        summary = "; ".join(filter(None, [summary, machine.anonymous(_last_line(done.output))]))
    status = _status(done)
    # Tests that ended until the time was over were many; where none did for long, one hangs.
    is_slow = reports.exists() and time.time() - reports.stat().st_mtime < _LONGEST_TEST
    if status == "out of time" and outcomes["passed"] and not outcomes["failed"] and is_slow:
        status, summary = "cut short", f"{summary} in the time there was"
    return {
        "status": status,
        "summary": summary or "nothing ran",
        **{name: outcomes[name] for name in ("passed", "failed", "skipped")},
        "failures": [machine.anonymous(failure)[:500] for failure in failures[:_MOST_FAILURES]],
        "skipped_for": {machine.anonymous(reason): count for reason, count in sorted(reasons.items())},
    }


def compiled(run: GpuRun) -> dict[str, Any]:
    """The kernels of the benchmark's grid and of what is watched, compiled in parallel and kept for what follows."""
    limit = run.limit(0.15)
    done = run.python("-m", "benchmarks.compile", *_common(run, limit), seconds=limit + 30)
    return {"status": _status_of_many(done), "summary": machine.anonymous(_last_line(done.output))}


def sanitizer(run: GpuRun) -> dict[str, Any]:
    """Each tool of compute-sanitizer on every shipped layer."""
    program = shutil.which("compute-sanitizer", path=run.environment["PATH"])
    if program is None:
        return {"status": "skipped", "summary": "compute-sanitizer is not installed; it comes with a CUDA toolkit"}
    parts = 1 if run.quick else max(1, len(os.sched_getaffinity(0)) // len(TOOLS))
    seconds = run.limit(_FOR_THE_SANITIZER)

    def watched(tool: str, part: int) -> processes.Done:
        # NVIDIA's bindings ask the driver for functions that it need not have, which is no fault of a kernel.
        options = ["--tool", tool, *(["--report-api-errors", "no"] if tool == "memcheck" else [])]
        options += ["--error-exitcode", str(_FOUND_SOMETHING), "--print-limit", "20"]
        exercise = [*EXERCISE, *run.options(), "--parts", str(parts), "--part", str(part)]
        command = [program, *options, sys.executable, *exercise]
        return processes.run(command, run.environment, seconds, run.scratch / f"{tool}-{part}.log")

    # Most of the time goes to the processes that are watched, and none of it is measured: all run at once.
    with ThreadPoolExecutor(len(TOOLS) * parts) as pool:
        begun = {tool: [pool.submit(watched, tool, part) for part in range(parts)] for tool in TOOLS}
        found = {tool: _sanitized([each.result() for each in those]) for tool, those in begun.items()}
    summary = "; ".join(f"{tool}: {values['summary']}" for tool, values in found.items())
    return {"status": _worst(values["status"] for values in found.values()), "summary": summary, "tools": found}


def _sanitized(parts: Sequence[processes.Done]) -> dict[str, Any]:
    output = [line for done in parts for line in done.output.splitlines()]
    lines = [line.removeprefix("=========").strip() for line in output if line.startswith("=====")]
    summaries = [line for line in lines if "SUMMARY" in line]
    shapes = sum(bool(re.match(r"\w+, \w+ \d+ x \d+$", line)) for line in output)
    shown = [
        machine.anonymous(line) for line in lines if line and line not in summaries and "COMPUTE-SANITIZER" not in line
    ]
    # Of a process that failed without a word of the tool, the last line says why.
    said = [*summaries, *(_last_line(done.output) for done in parts if done.status and "SUMMARY" not in done.output)]
    said += ["out of time"] * any(done.status is None for done in parts)
    return {
        "status": _worst(map(_status_of_many, parts)),
        "summary": f"{machine.anonymous(', '.join(dict.fromkeys(said)))} ({shapes} shapes)",
        "seconds": round(max(done.seconds for done in parts), 1),
        "findings": shown[:60],
    }


def benchmark(run: GpuRun) -> dict[str, Any]:
    """The shipped layers in turns with the roofs of the device, and with their peers where they are."""
    # It stops beginning at its limit; what it has begun then takes some seconds.
    left = max(5.0, min(_LONGEST_BENCHMARK, run.limit(0.35)) - 15)
    done = run.python("-m", "benchmarks.gpu", *_common(run, left), seconds=left + 15)
    return {"status": _status_of_many(done), "summary": machine.anonymous(_last_line(done.output))}


def _common(run: GpuRun, seconds: float) -> list[str]:
    return ["--results", str(run.results.path.absolute()), "--seconds", f"{seconds:.0f}", *run.options()]


def _status(done: processes.Done) -> str:
    return "out of time" if done.status is None else "failed" if done.status else "passed"


def _status_of_many(done: processes.Done) -> str:
    """The status of many pieces of work that were begun: how many there was time for is no fault of theirs."""
    return "cut short" if done.status is None else _status(done)


def _worst(statuses: Iterable[str]) -> str:
    found = set(statuses)
    return next((status for status in ("failed", "cut short") if status in found), "passed")


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1]
