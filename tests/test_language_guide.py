"""The guide in docs/language.md: every block runs, and every definition in it is derived, proved and checked."""

import ast
import functools
import re

import pytest

import lngen
from lngen.pipeline import stages
from tests.shipped import ROOT
from tests.test_readme import blocks
from tests.tiers import sample

PAGE = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
GUIDE = PAGE.partition("\n## Reference\n")[0]
BLOCKS = {block.line: "\n".join(block.lines) for block in blocks(GUIDE)}


def definitions() -> dict[str, str]:
    """The definitions of the guide by name: those that its blocks derive, and those of its last block."""
    found = [text for block in BLOCKS.values() for text in re.findall(r'lngen\.derive\("""(.*?)"""\)', block, re.S)]
    found += [ast.unparse(node) for node in ast.parse([*BLOCKS.values()][-1]).body if isinstance(node, ast.FunctionDef)]
    return {re.search(r"def (\w+)", text)[1]: text for text in found}


@functools.cache
def derived(name: str) -> lngen.DerivedLayer:
    return lngen.derive(definitions()[name], backends=["numpy"])


def test_there_is_a_path_for_what_people_ask():
    wanted = {"batch_norm", "group_norm", "dropout_norm", "masked_weights", "label_loss", "packed_swiglu", "rotary"}
    assert wanted <= set(definitions())
    assert all(block.language == "python" for block in blocks(GUIDE))


@pytest.mark.ci
@pytest.mark.parametrize("line", sample(BLOCKS, [*BLOCKS][:2]))
def test_a_block_runs(line, monkeypatch):
    # What a block loads is NumPy's, and proofs are those of the test below.
    monkeypatch.setattr(lngen, "derive", functools.partial(lngen.derive, backends=["numpy"]))
    monkeypatch.setattr("lngen.derived.derived", functools.partial(stages.derived, proved=False))
    exec(compile("\n" * line + BLOCKS[line], "docs/language.md", "exec"), {})


# The others are shipped under other names, and are proved and checked as those, or are a variant of one of these.
OWN = ("masked_weights", "learned_power", "focal_loss", "dpo", "sparsemax", "dropout_norm", "label_loss")


@pytest.mark.parametrize("name", sample(definitions(), ("rotary",), OWN))
def test_a_definition_is_proved_and_checked(name):
    layer = derived(name)
    assert [proof.statement for proof in layer.evidence if not proof.passed] == []
    report = layer.check("numpy", shapes=((3, 7),), dtypes=("float64", "float32"))
    assert [(e.kind, e.what, e.detail) for e in report.failures] == []
