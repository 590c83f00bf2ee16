"""The example of docs/simt.md runs, and prints what the document says."""

import re
from pathlib import Path

import pytest

from tests.requirements import needs_gxx

DOCUMENT = Path(__file__).parents[3] / "docs" / "simt.md"


@needs_gxx
@pytest.mark.cuda
def test_the_example_prints_what_the_document_says(capsys):
    text = DOCUMENT.read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (printed,) = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    exec(compile(code, "docs/simt.md", "exec"), {})
    assert capsys.readouterr().out == printed


def test_every_file_that_the_document_names_is_there():
    names = re.findall(r"`([\w/]+\.(?:py|cpp|h|cuh))`", DOCUMENT.read_text(encoding="utf-8"))
    root = DOCUMENT.parents[1]
    missing = [
        name
        for name in names
        if not ((root / "lngen" / "extensions" / "simt" / name).exists() or (root / name).exists())
    ]
    assert missing == []
    assert len(names) > 15
