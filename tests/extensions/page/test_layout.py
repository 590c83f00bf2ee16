"""The drawing of a graph: nothing touches, edges lead down, and it is the same every time."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lngen.extensions.page.graph import graph
from lngen.extensions.page.layout import layout, ranks
from tests.shipped import NAMES, shipped
from tests.tiers import sample

WIDTH = 40.0


@st.composite
def graphs(draw):
    nodes = list(range(draw(st.integers(1, 12))))
    pairs = [(source, target) for target in nodes for source in range(target)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=25)) if pairs else []
    cuts = sorted(draw(st.lists(st.integers(0, 3), min_size=len(nodes), max_size=len(nodes))))
    return nodes, edges, dict(zip(nodes, cuts, strict=True))


@given(graphs())
def test_edges_lead_down_and_nodes_do_not_touch(drawn):
    nodes, edges, bands = drawn
    rank = ranks(nodes, edges, bands)
    assert all(rank[source] < rank[target] for source, target in edges)
    assert all(rank[one] < rank[other] for one in nodes for other in nodes if bands[one] < bands[other])
    placed = layout(rank, edges, lambda node: WIDTH)
    for level in set(rank.values()):
        row = sorted(placed.x[node] for node in nodes if rank[node] == level)
        assert all(right - left > WIDTH for left, right in pairwise(row))
    assert all(WIDTH / 2 - 1 <= at <= placed.width - WIDTH / 2 + 1 for at in placed.x.values())
    for (source, target), route in placed.routes.items():
        assert [level for _, level in route] == list(range(rank[source], rank[target] + 1))


@pytest.mark.parametrize("name", sample(NAMES, NAMES[::5]))
def test_every_program_is_drawn_and_each_value_is_in_it(name):
    for program in shipped(name).plan.programs():
        drawing = graph(program)
        assert drawing == graph(program)
        assert all(f'data-name="{line.symbol.name}"' in drawing for line in program.lines())
