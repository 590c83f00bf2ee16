"""The documents that are made from the code are what the code says."""

import functools
import re
import runpy
import shlex
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from lngen.cli import app as cli
from lngen.derivation.rules import RULES
from tests.shipped import LAYERS, ROOT
from tests.test_readme import blocks, commands, first_difference

FUSION = (ROOT / "docs" / "fusion.md").read_text(encoding="utf-8")


NUMBERS = ("ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
OF_LAYERS = re.compile(
    rf"\b(?:all|its|the|every one of)\s+((?:\d+|(?:{'|'.join(NUMBERS)})[\w-]*))\s+(?:shipped\s+)?layers\b", re.I
)


def stale(text: str) -> list[str]:
    """Return the numbers of all layers that a text has and that are not theirs; a measurement says which it was of."""
    measured = re.compile(r"\s+that were timed\b")
    found = [each for each in OF_LAYERS.finditer(text) if not measured.match(text, each.end())]
    return [each[0] for each in found if each[1] != str(len(LAYERS))]


@pytest.mark.parametrize(
    "page", ["README.md", *sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))]
)
def test_no_page_has_a_number_of_layers_of_before(page):
    assert stale((ROOT / page).read_text(encoding="utf-8")) == []


def test_a_number_of_layers_of_before_is_seen():
    assert stale("all twenty layers, its 36 layers") == ["all twenty layers", "its 36 layers"]
    assert stale(f"all {len(LAYERS)} layers; the twenty layers that were timed; the other 19 layers") == []


def test_the_language_reference_is_fresh():
    made = runpy.run_path(str(ROOT / "docs" / "make_language.py"))
    example = min((ROOT / "derive").glob("*.py")).read_text(encoding="utf-8")
    assert (ROOT / "docs" / "language.md").read_text(encoding="utf-8").endswith(f"\n\n{made['text'](example)}")


@pytest.mark.ci
def test_the_page_of_rules_is_fresh_and_has_every_rule():
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert page == runpy.run_path(str(ROOT / "docs" / "make_rules.py"))["document"]()
    for rule in RULES:
        assert f'<a id="{rule.anchor}"></a>\n\n## {rule.name}\n' in page


def test_the_architecture_names_modules_that_exist():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {part for cell in text.split("`") if cell.startswith("lngen.") for part in [cell]}
    assert len(named) >= 10
    missing = [
        name
        for name in named
        if not ROOT.joinpath(*name.split(".")).is_dir()
        and not ROOT.joinpath(*name.split(".")).with_suffix(".py").is_file()
    ]
    assert missing == []


def decided(text):
    """Each row of the table of files in which a question is decided: the question, its paths and the names in them."""
    table = text.partition("## Where it is decided\n")[2].partition("\n\n## ")[0]
    for line in table.splitlines():
        if line.startswith("| ") and not line.startswith("| question"):
            question, paths, names = line.strip("| ").split(" | ")
            yield question, re.findall("`([^`]+)`", paths), re.findall("`([^`]+)`", names)


def lost(text):
    """The questions of that table whose file is gone, or has the name no more."""
    for question, paths, names in decided(text):
        sources = [(ROOT / path).read_text(encoding="utf-8") for path in paths if (ROOT / path).is_file()]
        gone = not all((ROOT / path).exists() for path in paths)
        if gone or not all(any(re.search(rf"\b{name}\b", source) for source in sources) for name in names):
            yield question


def test_the_architecture_names_the_file_in_which_a_question_is_decided():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert len(list(decided(text))) >= 15
    assert list(lost(text)) == []
    assert len(list(lost(text.replace("`Differential`", "`Integral`").replace("shapes.cuh", "shape.cuh")))) == 2


@pytest.mark.parametrize(("command", "expected"), [found for block in blocks(FUSION) for found in commands(block)])
def test_the_commands_of_fusion_print_what_it_says(command, expected):
    program, *arguments = shlex.split(command)
    assert program == "lngen"
    printed = CliRunner().invoke(cli.app, arguments, prog_name="lngen").stdout
    assert first_difference(expected, printed.rstrip("\n").split("\n")) is None


@functools.cache
def layers_page() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "make_layers.py"))


@pytest.mark.ci
def test_the_tables_of_the_layers_are_fresh():
    page = (ROOT / "docs" / "layers.md").read_text(encoding="utf-8")
    assert layers_page()["filled"](page, _plans()) == page, "run: python docs/make_layers.py"


def test_every_layer_needs_what_the_page_says():
    """A layer needs no more than by hand, but for reductions that it tells of, and for equal gradients.

    Code by hand returns one array for all of these, emitted code one for each that is no sum over rows.
    """
    by_hand, counted = layers_page()["BY_HAND"], layers_page()["counted"]
    plans, page = _plans(), (ROOT / "docs" / "layers.md").read_text(encoding="utf-8")
    assert by_hand.keys() == plans.keys()
    for name, layer in by_hand.items():
        summed = {
            f"d{given.name}" for given in plans[name].derivation.definition.inputs if is_summed(given, plans[name])
        }
        equal = sum(
            len({*store.names} - summed) - 1 for store in plans[name].backward.results if {*store.names} - summed
        )
        forward, backward = layer.tensors
        reductions = tuple(own + more for own, more in zip(layer.reductions, layer.more, strict=True))
        assert counted(plans[name]) == (reductions, (forward, backward + equal)), name
        assert not any(layer.more) or f"\n* `{name}`: " in page, name


def is_summed(given: Any, plan: Any) -> bool:
    """Test whether an array lacks axes that its kind varies over, so that its gradient is a sum."""
    layout = plan.derivation.definition.layout
    return bool(given.pattern and layout.lacks(given.pattern))


@functools.cache
def _plans() -> dict[str, Any]:
    return layers_page()["layers"](ROOT)


def test_page_of_commands_is_fresh():
    page = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert page == runpy.run_path(str(ROOT / "docs" / "make_commands.py"))["text"](), (
        "run: python docs/make_commands.py"
    )


UsageError: Any = typer.BadParameter.__base__


def faulty_commands(page: str) -> dict[str, str]:
    """The commands with options in the text of a page that the command line refuses, and why."""
    group: Any = typer.main.get_command(cli.app)
    faulty = {}
    for words in re.findall(r"`lngen ([^`\n]* --\w[^`\n]*)`", page):
        name, *arguments = shlex.split(words)
        try:
            group.resolve_command(typer.Context(group), [name])[1].make_context(name, arguments)
        except UsageError as error:
            faulty[words] = str(error)
    return faulty


@pytest.mark.parametrize("path", sorted((ROOT / "docs").rglob("*.md")), ids=lambda path: path.stem)
def test_commands_in_the_text_of_a_page_are_accepted(path):
    assert faulty_commands(path.read_text(encoding="utf-8")) == {}


@pytest.mark.parametrize(
    "words", ["inspect LAYER --D 4096", "show LAYER --stage backwards", "shew LAYER --stage vjp", "check --shap 2,3"]
)
def test_faulty_commands_planted_are_found(words):
    assert list(faulty_commands(f"Run `lngen {words}` now.")) == [words]
