"""`lngen new`: a definition to begin with, and its tests."""

from __future__ import annotations

from pathlib import Path

from lngen import paths
from lngen.cli import console, layers
from lngen.errors import LngenError, printable
from lngen.language.parsing import parse
from lngen.pipeline.files import atomic


def run(name: str) -> None:
    """Write `NAME.py` and `test_NAME.py` here. Raises LngenError for a name that no layer has, or a file that is there.

    What is written is what stands in `templates/new`, with the name in its place.
    """
    if not name.isidentifier():
        raise LngenError(f"{printable(name)!r} is no name. Take letters, digits and underscores, as in soft_norm.")
    files = {
        Path(f"{name}.py"): _text("layer", name),
        Path(f"test_{name}.py"): _text("test", name),
    }
    parse(files[Path(f"{name}.py")], f"{name}.py")
    if there := next((path for path in files if path.exists()), None):
        raise LngenError(f"{layers.shown(there)} is there already. Choose another name, or another folder.")
    for path, text in files.items():
        atomic.write(path, text)
        console.say(f"wrote {layers.shown(path)}")
    console.say(f"Next: write the layer into {name}.py, then `lngen derive {name}.py --out layers`; pytest tests it.")


def _text(of: str, name: str) -> str:
    template = paths.templates_folder() / "new" / f"{of}.py.jinja"
    return template.read_text(encoding="utf-8").replace("{{ name }}", name)
