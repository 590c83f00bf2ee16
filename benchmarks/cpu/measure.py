"""Rounds of turns: every peer once a round, in alternating order, and the ratios of each round."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cpu.cases import Case
from benchmarks.cpu.peers import PEERS, is_emitted
from benchmarks.results import quartiles

_ROOT = Path(__file__).resolve().parents[2]
_AGREEMENT = {"float32": 2e-3, "float64": 1e-9, "bfloat16": 0.05}
"""A wrong function is farther off than rounding ever takes one; the tests look at the digits."""


class PeerEndedError(Exception):
    """A peer's process has ended before it was told to: it has said why itself, or was killed for its memory."""


class Process:
    """A peer's process, asked by lines of JSON."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.cpu.worker", name],
            cwd=_ROOT,
            env={**os.environ, **PEERS[name].environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, do: str, case: Case) -> dict[str, Any]:
        """The answer to one request. Raises PeerEndedError."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        line = ""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps({"do": do, **asdict(case)}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        if not line:
            raise PeerEndedError(f"{self.name} ended at {case}, exit status {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def available(names: Iterable[str]) -> list[str]:
    """Return the peers whose module is installed."""
    return [name for name in names if importlib.util.find_spec(PEERS[name].needs)]


def measured(case: Case, names: Sequence[str], rounds: int) -> dict[str, Any]:
    """The record of a case: nanoseconds an entry, and the time of each peer in those of the emitted code.

    A peer whose process ends is left out; `ended` says of which that is so. Raises PeerEndedError if the emitted code
    is such a one, RuntimeError for a peer that computes something else.
    """
    there = [name for name in names if PEERS[name].is_for(case)]
    processes = {name: Process(name) for name in there}
    ended: dict[str, str] = {}

    def answers(do: str, asked: Iterable[str]) -> dict[str, dict[str, Any]]:
        found = {}
        for name in asked:
            try:
                found[name] = processes[name].ask(do, case)
            except PeerEndedError as error:
                if is_emitted(name):
                    raise
                ended[name] = str(error)
        return found

    try:
        prepared = answers("prepare", there)
        _require_agreement(case, {name: prepared[name]["sample"] for name in prepared if PEERS[name].computes})
        turns: dict[str, list[dict[str, float]]] = {name: [] for name in there}
        for number in range(rounds):
            left = [name for name in there if name not in ended]
            for name, found in answers("turn", left if number % 2 == 0 else reversed(left)).items():
                turns[name].append(found)
        memory = answers("memory", filter(is_emitted, there))
    finally:
        for process in processes.values():
            process.close()
    whole = {name: every for name, every in turns.items() if name not in ended}
    record = {**asdict(case), "rounds": rounds, "peers": _compared(case, whole), "memory": memory}
    return {**record, "ended": sorted(ended.values())} if ended else record


def _require_agreement(case: Case, samples: Mapping[str, Sequence[Sequence[float]]]) -> None:
    first, *others = samples
    for name in others:
        for one, other in zip(samples[first], samples[name], strict=True):
            size = max(1.0, float(np.abs(one).max(initial=0)))
            if not np.allclose(one, other, rtol=0, atol=_AGREEMENT[case.dtype] * size):
                raise RuntimeError(f"{name} computes something else than {first} at {case}")


def _compared(case: Case, turns: Mapping[str, Sequence[Mapping[str, float]]]) -> dict[str, Any]:
    steps = {name: [turn["forward"] + turn["backward"] for turn in every] for name, every in turns.items()}
    return {
        name: {
            "forward": quartiles([turn["forward"] / case.entries for turn in every]),
            "backward": quartiles([turn["backward"] / case.entries for turn in every]),
            "ratio": {
                base: quartiles([own / ours for own, ours in zip(steps[name], steps[base], strict=True)])
                for base in steps
                if is_emitted(base) and base != name
            },
        }
        for name, every in turns.items()
    }


def import_seconds(layer: str, times: int = 7) -> list[float]:
    """Quartiles of the seconds that importing an emitted module takes after NumPy, each in a process of its own."""
    program = (
        f"import time, numpy; start = time.perf_counter(); import generated.{layer}; print(time.perf_counter() - start)"
    )
    found = [
        float(subprocess.run([sys.executable, "-c", program], cwd=_ROOT, capture_output=True, check=True).stdout)
        for _ in range(times)
    ]
    return quartiles(found)
