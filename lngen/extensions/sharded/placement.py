"""Communication cost of a layer on several devices, with sharded rows or with sharded features.

Sharded rows exchange only sums over rows, which are all-reduced as the gradients of parameters. Sharded features
exchange the reductions of row scalars (`lngen.extensions.sharded.sharding`), and nothing for parameters, of which each
device has its shard. The model of a collective is its latency, once for each doubling of the devices, and the received
bytes at the bandwidth of the link. Memory traffic of a device is added before and after.

>>> network = Network(latency=5e-6, bandwidth=50e9)
>>> round(network.gathered(1000, 8) * 1e6, 2), round(network.reduced(1000, 8) * 1e6, 2)
(15.14, 30.04)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lngen.algebra.symbols import FeatureSymbol, axes
from lngen.extensions.sharded.sharding import sharded
from lngen.plan.cost.traffic import cost
from lngen.plan.cost.units import DType
from lngen.plan.planner import Plan
from lngen.plan.program import RowProgram


@dataclass(frozen=True)
class Network:
    """Cost of a collective: `latency` in seconds of one step, `bandwidth` in bytes per second of one device."""

    latency: float
    bandwidth: float

    def gathered(self, size: int, devices: int) -> float:
        """The seconds of an all-gather of so many bytes from each device, by doubling."""
        return self._steps(devices) * self.latency + (devices - 1) * size / self.bandwidth

    def reduced(self, size: int, devices: int) -> float:
        """The seconds of an all-reduce of so many bytes: a reduce-scatter, then an all-gather."""
        return 2 * (self._steps(devices) * self.latency + (devices - 1) / devices * size / self.bandwidth)

    def scattered(self, sent: int, made: int, devices: int) -> float:
        """The seconds in which each device merges some of the rows: an all-to-all of so many bytes, and a gather."""
        moved = (devices - 1) / devices * (sent + made)
        return 2 * self._steps(devices) * self.latency + moved / self.bandwidth

    def _steps(self, devices: int) -> int:
        return math.ceil(math.log2(devices)) if devices > 1 else 0


@dataclass(frozen=True)
class Times:
    """Seconds of one direction on each device: of its memory, and of collectives."""

    memory: float
    collectives: float

    @property
    def total(self) -> float:
        """Return the sum of both times."""
        return self.memory + self.collectives


@dataclass(frozen=True)
class PlacedRows:
    """Rows of a type, on devices with so much bandwidth to their memory, in bytes per second."""

    rows: int
    features: int
    dtype: DType
    memory_bandwidth: float

    def memory(self, program: RowProgram, rows: int, features: int) -> float:
        """The seconds in which a device moves its rows."""
        moved, _ = cost(program).at(rows, features, self.dtype.itemsize, self.dtype.accumulate_itemsize)
        return moved / self.memory_bandwidth

    def rows_apart(self, plan: Plan, devices: int, network: Network) -> tuple[Times, Times]:
        """Forward and backward with some rows on each device; gradients of parameters are reduced in one collective."""
        rows = math.ceil(self.rows / devices)
        sums = [q.symbol for q in plan.backward.results if not axes(q.symbol).rows]
        size = sum(self.features if isinstance(symbol, FeatureSymbol) else 1 for symbol in sums)
        reduced = network.reduced(size * self.dtype.accumulate_itemsize, devices) if sums else 0.0
        return (
            Times(self.memory(plan.forward, rows, self.features), 0.0),
            Times(self.memory(plan.backward, rows, self.features), reduced),
        )

    def features_apart(self, plan: Plan, devices: int, network: Network) -> tuple[Times, Times]:
        """Forward and backward with some features of every row on each device, merged in the way that takes less."""
        features = math.ceil(self.features / devices)
        return self._apart(plan.forward, devices, features, network), self._apart(
            plan.backward, devices, features, network
        )

    def _apart(self, program: RowProgram, devices: int, features: int, network: Network) -> Times:
        a_number = self.rows * self.dtype.accumulate_itemsize
        seconds = 0.0
        for exchange in sharded(program).exchanges:
            sent, made = len(exchange.sent) * a_number, len(exchange.merge.saved if exchange.merge else ()) * a_number
            gathered = network.gathered(sent, devices)
            seconds += gathered if exchange.own else min(gathered, network.scattered(sent, made, devices))
        return Times(self.memory(program, self.rows, features), seconds)
