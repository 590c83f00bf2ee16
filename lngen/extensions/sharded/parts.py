"""Row program in which each of several processes has a shard of the features (`lngen.extensions.sharded.sharding`)."""

from __future__ import annotations

from dataclasses import dataclass

from lngen.algebra.symbols import FeatureSymbol, RowScalarSymbol, RowSymbol, ScalarSymbol
from lngen.plan.program import Operator, RowProgram


@dataclass(frozen=True)
class Sent:
    """Number of each row that a shard sends; a shard without features sends the operator's value of nothing."""

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
    """One collective: the numbers that every shard sends of each row, and their merge.

    `merge` is a row program whose features are the shards, in their order: `sent` are its rows. Its results are `saved`
    in it, except `own`, of which each shard has its own entry. Further saved values of a shard are sent as their sum
    over all rows; `totals` are the Scalars that are the sums over all shards. If nothing else is sent there is no
    merge.
    """

    sent: tuple[Sent, ...]
    merge: RowProgram | None
    own: tuple[RowSymbol, ...] = ()
    totals: tuple[ScalarSymbol, ...] = ()


@dataclass(frozen=True)
class DrawnRow:
    """Row of integers whose quotients by 2**24 are random numbers `uniform(seed, stream)`."""

    symbol: RowSymbol
    seed: ScalarSymbol
    stream: int


@dataclass(frozen=True)
class ShardedProgram:
    """Row program over shards: `parts[0]`, `exchanges[0]`, `parts[1]` and so on; the last part follows all exchanges.

    Parts have the arguments of `program` and the results of earlier exchanges (origin "saved output"). The last part
    has the results that vary over features, and is None if there are none. Other results are row scalars from an
    exchange, or those of `common`. This program reads no value that varies over features: all processes run it in the
    same way, with any shard. Three numbers are known without computation: `whole`, all features of a row; `count`, the
    features of each shard, a Feature of merges; `largest`, the largest finite number of the type. So are `places`, the
    positions of a shard's features in the whole row, which are `index()`, and the rows that are `drawn`. With
    `counts_first` the first part needs `whole` or a position, and the counts of all shards take a collective of their
    own.
    """

    program: RowProgram
    parts: tuple[RowProgram | None, ...]
    exchanges: tuple[Exchange, ...]
    whole: ScalarSymbol
    count: FeatureSymbol
    largest: ScalarSymbol
    places: FeatureSymbol
    drawn: tuple[DrawnRow, ...] = ()
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
