"""Arguments of the constructor of a layer's class."""

import pytest

from lngen.emit.interface import PublicInput, PublicInterface
from lngen.emit.modules import LayerClass
from lngen.language.axes import AxisSize, Pattern, RowAxes


@pytest.mark.parametrize(
    ("pattern", "parameters", "sizes", "arguments"),
    [
        ("n (g c) ...", ["(g c)", "(g c)"], ["g"], "g g_c"),
        ("n (c g) ...", ["(c g)"], ["g"], "g c_g"),
        # The other name stands elsewhere, there is no size or a second one, or the argument has a name that is taken.
        ("n (g c) ...", ["(g c)", "c"], ["g"], "c"),
        ("n g c ...", ["g c"], [], "g c"),
        ("n (g c k)", ["(g c k)"], ["g", "c"], "k"),
        ("g_c (g c) ...", ["(g c)"], ["g"], "c"),
    ],
)
def test_a_constructor_takes_an_axis_with_a_size_as_a_whole(pattern, parameters, sizes, arguments):
    every = Pattern.of(pattern)
    inputs = [PublicInput("x", "x", "Row", None, every)]
    inputs += [PublicInput(f"w{n}", f"w{n}", "Row", None, Pattern.of(each)) for n, each in enumerate(parameters)]
    given = tuple(AxisSize(name, 2) for name in sizes)
    layer = PublicInterface(tuple(inputs), (), (), frozenset(), RowAxes(every, every.names[-1:]), given)
    made = LayerClass(layer)
    taken = [argument.partition(":")[0] for argument in made.arguments([]) if argument.endswith(": int")]
    assert " ".join(taken[: len(made.features)]) == arguments
    assert {*sizes} == {*arguments.split()} & {*sizes} | {size.name for size in made.sizes}
