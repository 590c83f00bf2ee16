"""Gate before the timing: a test that each implementation computes the definition.

The judge is the emitted NumPy module in float64, which the tests hold to the definition. Each implementation is judged
twice at the type and row length to be timed. The first time covers all results on a few rows, sums over rows included.
The second covers some rows of the full size, where an index overflow would show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.device import Device
from benchmarks.grid import Case
from benchmarks.layers import Calls, backend
from benchmarks.lying import Lying
from benchmarks.peers import Peer, PeerCalls
from lngen.checks.on_rows import on_rows
from lngen.language.syntax import Kind

_U = {"f16": 2.0**-10, "bf16": 2.0**-7, "f32": 0.0, "f64": 0.0}
"""Two results that are close may be stored as neighbours: the distance of those, relative to the largest entry."""

_ENTRIES, _MOST_ROWS, _FEWEST_ROWS = 2**20, 2051, 5


class WrongResult(Exception):
    """Error for an implementation that does not compute the NumPy module's results."""


class Judge:
    """Expected results of the directions on the first set of some buffers: in some rows, or in all."""

    def __init__(self, calls: Calls, rows: Sequence[int] | None = None) -> None:
        # Random numbers go by the number of a row, and the first one has its own among some.
        is_random = any(entry.draws for entry in calls.definition.inputs)
        self.calls, self.rows = calls, rows[:1] if rows and is_random else rows
        self.expected = self._expected()

    def own(self) -> float:
        """The largest error of the emitted CUDA module over its bound. Raises WrongResult."""
        calls, worst = self.calls, 0.0
        for direction in calls.directions:
            # Right after it ran: directions share the memory of their results.
            calls.run(direction, 0)
            targets = calls.targets(direction, 0)
            found = {
                name: self._fetched(targets[name], calls.results[direction][name])
                for name in calls.compared(direction, self.rows)
            }
            worst = max(worst, self._judged("lngen", direction, found))
        return worst

    def peer(self, work: PeerCalls) -> float:
        """The largest error of a peer over the same bound. Raises WrongResult, and what the peer raises."""
        found = work.results(self.rows)
        return max(self._judged(work.peer.name, direction, values) for direction, values in found.items())

    def _judged(self, who: str, direction: str, found: Mapping[str, Any]) -> float:
        """The bound is that of sums taken one after the other, a rounding error of float32 for each term, and relative
        to the largest entry.

        It finds another function than the layer's, and is no measure of the digits: the tests are.
        """
        case, worst = self.calls.case, 0.0
        for name, values in found.items():
            exact = np.asarray(self.expected[direction][name], dtype=np.float64)
            # Not of 1: the entries of a softmax are all small, and one of zeros would pass.
            scale = float(np.abs(exact).max(initial=0.0)) or 1.0
            terms = case.features if self.calls.results[direction][name].over_rows else case.features + case.rows
            unit = 2.0**-53 if case.dtype == "f64" else 2.0**-24
            bound = (450 + 2 * terms) * unit + _U[case.dtype]
            if direction == "forward" and name in self.calls.casts:
                bound += 2.0**-3
            if values.shape != exact.shape:
                raise WrongResult(f"{who}, {direction}: {name} has shape {values.shape}, not {exact.shape}")
            ratio = float(np.abs(values - exact).max(initial=0.0)) / scale / bound
            if not ratio <= 1:
                where = f"{self.calls.name}, {case}"
                raise WrongResult(f"{who}, {direction} of {where}: {name} has {ratio:.3g} times the error allowed")
            worst = max(worst, ratio)
        return worst

    def _expected(self) -> dict[str, dict[str, Any]]:
        calls, buffers = self.calls, self.calls.sets[0]
        exact: Any = on_rows(backend(calls.name, "numpy"))

        def given(arrays: Mapping[str, Any], kinds: Mapping[str, Kind]) -> list[Any]:
            return [self._fetched(array, kinds[name]) for name, array in arrays.items()]

        outputs, saved = exact.forward(*given(buffers.inputs, calls.kinds))
        several = len(calls.output_kinds) > 1
        cotangents = given(buffers.cotangents, {f"d{name}": kind for name, kind in calls.output_kinds.items()})
        found: dict[str, Any] = {"forward": outputs if several else [outputs]}
        if "backward" in calls.directions:
            found["backward"] = exact.backward(saved, *cotangents)
        tangents = given(buffers.tangents, {f"d{name}": kind for name, kind in calls.kinds.items()})
        if "jvp" in calls.directions:
            moved = exact.jvp(saved, *tangents)
            found["jvp"] = moved if several else [moved]
        if "backward_backward" in calls.directions:
            both = tuple(cotangents) if several else cotangents[0]
            found["backward_backward"] = exact.backward_backward(saved, both, *tangents)
        return {name: dict(zip(calls.results[name], values, strict=True)) for name, values in found.items()}

    def _fetched(self, array: Any, kind: Kind) -> Any:
        if kind.is_integer and not kind.over_rows:
            return array
        if kind.over_rows:
            whole = array.get() if isinstance(array, Lying) else array
            array = whole.reshape(self.calls.case.rows, *[self.calls.case.features] * kind.over_features)
            if self.rows is not None:
                each = [array[row] for row in self.rows]
                array = np.stack([row if isinstance(row, (np.ndarray, np.generic)) else row.get() for row in each])
        values = array if isinstance(array, np.ndarray) else array.get()
        return values if kind.is_integer else values.astype(np.float64)


def few_rows(case: Case) -> Case:
    """The same type and row length with so few rows that NumPy is done in a moment, and many blocks still have some."""
    rows = max(_FEWEST_ROWS, min(_MOST_ROWS, _ENTRIES // case.features))
    return Case(case.dtype, case.features, min(case.rows, rows))


def admitted(
    name: str, case: Case, device: Device, torch: Any, peers: Sequence[Peer]
) -> tuple[float, list[Peer], dict[str, str]]:
    """Judge all on a few rows. lngen's error over its bound, the peers that are right, and why the others are not.

    Raises WrongResult if it is lngen that is wrong.
    """
    judge = Judge(Calls(name, few_rows(case), device))
    worst, right, left_out = judge.own(), [], {}
    for peer in peers:
        try:
            judge.peer(PeerCalls(torch, peer, judge.calls))
        except Exception as error:
            left_out[peer.name] = reason(error)
        else:
            right.append(peer)
    return worst, right, left_out


def some_rows(case: Case) -> list[int]:
    """The first row, one in the middle, and the last."""
    return sorted({0, case.rows // 2, case.rows - 1})


def reason(error: Exception) -> str:
    """Describe an error of another project's code."""
    words = " ".join(str(error).split())[:300]
    return words if isinstance(error, WrongResult) else f"{type(error).__name__}: {words}"
