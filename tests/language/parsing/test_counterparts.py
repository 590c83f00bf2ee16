"""Modules of PyTorch's that a docstring names."""

import pytest

from lngen.errors import DefinitionError
from lngen.language.definition import Counterpart, LossReduction, Statistic
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
            "torch.nn.Thing",
            (("size", "D"), ("weight", "half"), ("bias", "dx"), ("eps", "eps")),
            (("dim", -1), ("is_on", True), ("other", None)),
        ),
    )


@pytest.mark.parametrize(
    ("call", "message", "wrong"),
    [
        (
            "torch.nn.Thing(weight=gamma)",
            "weight is gamma, and no parameter, Constant, Size, axis or output has",
            "gamma",
        ),
        ("torch.nn.Thing(dim=-1, weight=x)", "weight is x, and no parameter", "x"),
        ("torch.nn.Thing(weight=half, weihgt=haf)", "weihgt is haf, and no parameter", "haf"),
        ("torch.nn.Thing(a=half, b=half)", "half stands for two attributes", "half)"),
        ("torch.nn.Thing(a=half, a=dx)", "the attribute a is named twice", "a=dx"),
        ("torch.nn.Thing(dim='-1')", "dim is neither a name of the definition nor a small number", "'-1'"),
        ("torch.nn.Thing(dim=1e999)", "dim is neither a name of the definition nor a small number", "1e999"),
        ("torch.nn.Thing(dim=__import__('os'))", "dim is neither a name", "__import__"),
        ("torch.nn.Thing(**x)", "an attribute of the module has no name", "x)"),
        ("torch.nn.Thing(D)", "an attribute of the module has no name", "D)"),
        ("torch.nn.Thing(dim=-1); import os", "this is no call of a class with its module", ""),
        ("torch.nn.Thing", "this is no call of a class with its module", ""),
        ("", "this is no call of a class with its module", ""),
        ("layer norm as it is there", "not Python syntax: invalid syntax", "norm as"),
        ("LayerNorm(weight=half)", "LayerNorm is no class with its module, such as torch.nn.LayerNorm", ""),
        ("torch.nn[0].Thing(weight=half)", "this is no call of a class with its module", ""),
        ("torch.nn.Thing()(weight=half)", "this is no call of a class with its module", ""),
        ("torch.nn.Thing(dim=", "not Python syntax", "("),
    ],
)
def test_what_is_no_such_call_is_refused_where_it_stands(call, message, wrong):
    start = "in pytorch : " if wrong else "In PyTorch: "
    with pytest.raises(DefinitionError, match=r"In PyTorch: torch\.nn\.Norm") as found:
        counterparts(f"{start}{call}")
    assert message in found.value.message
    column = len(start) + call.rindex(wrong) + 1 if wrong else len(start) + 1
    assert (found.value.line, found.value.column) == (3, column)
    assert found.value.source_line == f"{start}{call}"


def test_a_size_and_a_parameter_with_axes_are_attributes():
    text = '''"""In PyTorch: torch.nn.Groups(count=g, weight=w)"""
def f(x: Array["n (g c)"], w: Array["(g c)"] = 1, g: Size = 2): return w*(x - mean(x, "c"))'''
    assert parse(text).counterparts == (Counterpart("torch.nn.Groups", (("count", "g"), ("weight", "w"))),)
    with pytest.raises(DefinitionError, match="g has no default, and is no attribute of the module"):
        parse(text.replace("count=g, ", "").replace(", g: Size = 2", "").replace(", w:", ", g: Size, w:"))
    with pytest.raises(
        DefinitionError, match="weight is x, and no parameter, Constant, Size, axis or output has that name"
    ):
        parse(text.replace("weight=w", "weight=x"))


KEPT = '''"""In PyTorch: torch.nn.Batches(
    channels=c, weight=w, average=mu,
    spread=var*D/(D - 1), training=True)
A layer.
"""
def f(x: Array["n c ..."], w: Array["c"] = 1):
    mu = mean(x, "n ...")
    var = mean((x - mu)**2, "n ...")
    y = w*(x - mu)/(1 + var)
    return y, mu, var'''


def test_an_output_is_a_running_average_and_an_axis_an_attribute_in_a_call_of_several_lines():
    definition = parse(KEPT)
    assert definition.docstring == "A layer."
    assert definition.counterparts == (
        Counterpart(
            "torch.nn.Batches",
            (("channels", "c"), ("weight", "w")),
            (("training", True),),
            (Statistic("average", "mu"), Statistic("spread", "var", 1)),
        ),
    )
    for wrong, message in (
        ("var*D/(n - 1)", "spread is neither a name of the definition nor a small number"),
        ("w*D/(D - 1)", "spread is neither a name"),
        ("mu*D/(D - 1)", "mu stands for two attributes"),
        ("sigma", "spread is sigma, and no parameter, Constant, Size, axis or output has that name"),
    ):
        with pytest.raises(DefinitionError) as found:
            parse(KEPT.replace("var*D/(D - 1)", wrong))
        assert message in found.value.message
        assert (found.value.line, found.value.column) == (3, 12)


def test_a_loss_is_reduced_over_the_rows_that_count():
    text = '''"""In PyTorch: torch.nn.Loss(skip=ignore, how=mean(y, label != ignore))"""
def f(x: Row, label: Int["..."], ignore: Int[""] = -1):
    y = where(label == ignore, 0, pick(x, label))
    return y'''
    assert parse(text).counterparts == (
        Counterpart("torch.nn.Loss", (("skip", "ignore"),), reduction=LossReduction("how", "y", "label", "ignore")),
    )
    for wrong in ("mean(y, label == ignore)", "mean(x, label != ignore)", "mean(y, ignore != label)", "sum(y)"):
        with pytest.raises(DefinitionError, match="how is neither a name of the definition nor a small number"):
            parse(text.replace("mean(y, label != ignore)", wrong))
