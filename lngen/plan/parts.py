"""Row program in which each of several processes has a shard of the features (`lngen.plan.sharding`)."""

from __future__ import annotations

from dataclasses import dataclass

from lngen.expressions.symbols import FeatureSymbol, RowScalarSymbol, RowSymbol, ScalarSymbol
from lngen.plan.program import Operator, RowProgram


@dataclass(frozen=True)
class Sent:
    """A number of each row that a part sends. One without features sends what its operator makes of nothing."""

    symbol: RowScalarSymbol
    operator: Operator

    @property
    def of_nothing(self) -> float:
        """Return the number that a process without features sends.

        >>> [Sent(RowScalarSymbol("s"), operator).of_nothing for operator in ("sum", "mean", "max", "min")]
        [0.0, 0.0, -inf, inf]
        """
        return {"max": -float("inf"), "min": float("inf")}.get(self.operator, 0.0)


@dataclass(frozen=True)
class Exchange:
    """One collective: what every part sends of each row, and what all make of it.

    `merge` is a row program whose features are the parts, in their order: `sent` are its rows. What it gives is `saved`
    in it, but for `own`, of which each part has an entry of its own. What a part saves after those is sent as its sum
    over all rows; `totals` are the Scalars that the sums over all parts are. Where nothing else is sent there is no
    merge.
    """

    sent: tuple[Sent, ...]
    merge: RowProgram | None
    own: tuple[RowSymbol, ...] = ()
    totals: tuple[ScalarSymbol, ...] = ()


@dataclass(frozen=True)
class ShardedProgram:
    """A row program over parts: `parts[0]`, `exchanges[0]`, `parts[1]` and so on; the last part follows all exchanges.

    Parts have arguments of `program` and what exchanges before them gave (origin "saved output"). The last one has the
    results that vary over features, and is None where there are none. Results that do not are row scalars that an
    exchange gave, or those of `common`, which reads nothing that varies over features: all processes run it alike, in
    the same order, whatever part they have. Three numbers are known to all without being computed: `whole`, all
    features of a row; `count`, how many each part has, a Feature of merges; `largest`, the largest finite number of the
    type. With `counts_first` the first part needs `whole`, which then takes a collective of its own.
    """

    program: RowProgram
    parts: tuple[RowProgram | None, ...]
    exchanges: tuple[Exchange, ...]
    whole: ScalarSymbol
    count: FeatureSymbol
    largest: ScalarSymbol
    common: RowProgram | None = None
    counts_first: bool = False

    @property
    def collectives(self) -> int:
        """Return the number of collectives of a call."""
        return len(self.exchanges) + self.counts_first

    @property
    def numbers_sent(self) -> int:
        """Return the count of numbers that a process sends for each row."""
        return sum(len(exchange.sent) for exchange in self.exchanges)

    @property
    def numbers_in_all(self) -> int:
        """Return the count of numbers that a process sends besides those of rows."""
        return sum(len(exchange.totals) for exchange in self.exchanges)
