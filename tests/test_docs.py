"""The documents that are made from the code are what the code says."""

import runpy

from lngen import language
from tests.shipped import ROOT


def test_the_language_reference_is_fresh():
    made = runpy.run_path(str(ROOT / "docs" / "make_language.py"))
    example = min((ROOT / "derive").glob("*.py")).read_text(encoding="utf-8")
    assert (ROOT / "docs" / "language.md").read_text(encoding="utf-8") == made["text"](example)


def test_the_language_reference_has_every_name():
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    assert [name for name in language.PUBLIC_NAMES if f"`{name}(" not in text and f"* `{name}`" not in text] == []


def test_the_architecture_names_modules_that_exist():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = {part for cell in text.split("`") if cell.startswith("lngen.") for part in [cell]}
    assert len(named) > 20
    missing = [
        name
        for name in named
        if not ROOT.joinpath(*name.split(".")).is_dir()
        and not ROOT.joinpath(*name.split(".")).with_suffix(".py").is_file()
    ]
    assert missing == []
