"""Write the tables of `sharding.md` anew, from the plans of the shipped layers.

python docs/make_sharding.py

A table stands between `<!-- made: NAME -->` and `<!-- end -->`; everything else in the file is written by hand.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from lngen.extensions.sharded.placement import Network, PlacedRows, Times
from lngen.extensions.sharded.sharding import sharded
from lngen.language.parsing import load
from lngen.pipeline.stages import planned
from lngen.plan.cost import parse_dtype
from lngen.plan.planner import Plan

BLOCK = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

DEVICES = (1, 8, 64, 256, 1024)
SHAPES = ((512, 8192), (16384, 8192), (16384, 131072))
PLACED = ("layer_norm", "softmax")
MEMORY_BANDWIDTH = 3.35e12
INSIDE, ACROSS = Network(latency=5e-6, bandwidth=450e9), Network(latency=10e-6, bandwidth=50e9)
"""The links of up to eight devices of one machine, and of more."""


def layers(root: Path) -> dict[str, Plan]:
    """The plan of each layer of `derive/`, by name."""
    definitions = map(load, sorted((root / "derive").glob("*.py")))
    return {definition.name: planned(definition, proved=False) for definition in definitions}


def filled(page: str, plans: Mapping[str, Plan]) -> str:
    """The page with every table made anew."""
    made = {name: table(plans) for name, table in TABLES.items()}
    asked = [name for _, name, _ in BLOCK.findall(page)]
    if sorted(asked) != sorted(made):
        raise SystemExit(f"sharding.md has the tables {', '.join(asked)}; it is to have each of {', '.join(made)} once")
    return BLOCK.sub(lambda block: f"{block[1]}\n{made[block[2]]}\n\n{block[3]}", page)


def collectives(plans: Mapping[str, Plan]) -> str:
    """Collectives and numbers per row, forward and backward, and how many collectives there would be without rules."""
    rows = []
    for name, plan in plans.items():
        both = plan.forward, plan.backward
        counts = [str(sharded(program).collectives) for program in both]
        numbers = [str(sharded(program).numbers_sent) for program in both]
        in_all = [str(sharded(program).numbers_in_all) for program in both]
        alone = [str(sharded(program, merges=False).collectives) for program in both]
        rows.append([name, " + ".join(counts), " + ".join(numbers), " + ".join(in_all), " + ".join(alone)])
    return _table(["layer", "collectives", "numbers a row", "in all", "collectives without rules"], rows)


def placements(plans: Mapping[str, Plan]) -> str:
    """Microseconds of forward and backward together, of memory and of collectives, for both placements."""
    rows = []
    for name in PLACED:
        for shape in SHAPES:
            work = PlacedRows(*shape, parse_dtype("bf16"), MEMORY_BANDWIDTH)
            for devices in DEVICES:
                network = INSIDE if devices <= 8 else ACROSS
                placed = (
                    work.rows_apart(plans[name], devices, network),
                    work.features_apart(plans[name], devices, network),
                )
                rows.append([name, f"{shape[0]} x {shape[1]}", str(devices), *(_both(*times) for times in placed)])
    heads = ["layer", "rows x features", "devices", "data parallel: memory + collectives, us", "tensor parallel, us"]
    return _table(heads, rows)


def _both(forward: Times, backward: Times) -> str:
    memory = (forward.memory + backward.memory) * 1e6
    return f"{memory:,.1f} + {(forward.collectives + backward.collectives) * 1e6:,.1f}"


TABLES = {table.__name__: table for table in (collectives, placements)}


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (heads, ["---"] * len(heads), *rows))


if __name__ == "__main__":
    root = Path(__file__).resolve().parents[1]
    path = root / "docs" / "sharding.md"
    path.write_text(filled(path.read_text(encoding="utf-8"), layers(root)), encoding="utf-8")
