"""Modules of PyTorch's that a docstring names."""

import pytest

from lngen.errors import DefinitionError
from lngen.language.definition import Counterpart
from lngen.language.parsing import parse

DEFINITION = '''"""A layer.

{line}
"""

def f(x: Row, half: Feature = 1, dx: Feature = 0, eps: Constant = 1):
    return half*x + dx + eps
'''


def counterparts(line):
    return parse(DEFINITION.format(line=line)).counterparts


def test_names_are_those_of_the_file_and_what_is_no_name_is_a_condition():
    line = "In PyTorch: torch.nn.Thing(size=D, weight=half, bias=dx, eps=eps, dim=-1, is_on=True, other=None)"
    assert counterparts(line) == (
        Counterpart(
            "Thing",
            (("size", "D"), ("weight", "half"), ("bias", "dx"), ("eps", "eps")),
            (("dim", -1), ("is_on", True), ("other", None)),
        ),
    )


def test_there_may_be_several_and_none():
    two = "In PyTorch: torch.nn.A(weight=half)\n    In PyTorch: torch.nn.B()"
    assert [each.name for each in counterparts(two)] == ["A", "B"]
    assert counterparts("In PyTorch it is called otherwise.") == ()
    assert parse("def f(x: Row): return x**2").counterparts == ()


def test_a_docstring_of_the_function_is_read_too():
    text = 'def f(x: Row):\n    """A layer.\n\n    In PyTorch: torch.nn.Thing(dim=-1)\n    """\n    return x**2\n'
    assert parse(text).counterparts == (Counterpart("Thing", (), (("dim", -1),)),)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("torch.nn.Thing(weight=gamma)", "weight is gamma, and no Feature, Scalar or Constant has that name"),
        ("torch.nn.Thing(weight=x)", "weight is x, and no Feature"),
        ("torch.nn.Thing(a=half, b=half)", "half stands for two attributes"),
        ("torch.nn.Thing(dim='-1')", "dim is neither a name of the definition nor a small number"),
        ("torch.nn.Thing(dim=1e999)", "dim is neither a name of the definition nor a small number"),
        ("torch.nn.Thing(dim=__import__('os'))", "dim is neither a name"),
        ("torch.nn.Thing(**x)", "no call with arguments by name"),
        ("torch.nn.Thing(D)", "no call of a module of PyTorch's with arguments by name"),
        ("torch.nn.functional.softmax(dim=-1)", "no call of a module of PyTorch's with arguments by name"),
        ("torch.nn.Thing(dim=-1); import os", "no call of a module"),
        ("torch.nn.Thing(dim=", "not Python syntax"),
    ],
)
def test_what_is_no_such_call_is_refused_where_it_stands(call, message):
    with pytest.raises(DefinitionError, match=r"In PyTorch: torch\.nn\.Norm") as found:
        counterparts(f"In PyTorch: {call}")
    assert message in found.value.message
    assert (found.value.line, found.value.column) == (3, 13)
