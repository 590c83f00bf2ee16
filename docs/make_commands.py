"""Write `reference/commands.md`: every command and option, from the help of the command line.

python docs/make_commands.py
"""

from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from lngen.cli import app as cli

HEAD = """\
# Commands

Made from the help of the command line by `python docs/make_commands.py`. A LAYER is a layer's name (`lngen list`) or a
definition file. `python -m lngen` is the same program.

| task | command |
|---|---|
| begin a layer of your own, with its tests | `lngen new soft_norm` |
| print a gradient with its proofs, and write its code | `lngen derive layer_norm` |
| test that committed code is unedited | `lngen derive --check` |
| write the derivation as a page | `lngen derive layer_norm --html layer_norm.html` |
| write pages for all layers, with a search | `lngen site --to pages` |
| check emitted code | `lngen check rms_norm --backend numpy --shape 5,128 --dtype f32` |
| count bytes and operations | `lngen cost layer_norm --shape 32,512,768 --dtype bf16` |
| count registers and instructions, without a GPU | `lngen inspect layer_norm --arch sm_90 --D 4096 --dtype bf16` |
| compare errors at a large offset with PyTorch's | `lngen stability layer_norm --torch` |
| compile for other machines | `lngen build rms_norm --out built_layers --dtype f32` |

| exit status | meaning |
|---|---|
| 0 | success; every check ran and holds |
| 1 | a check fails, or written code differs from lngen's output |
| {refused} | the input or an option was refused; stderr has one message |
| 3 | no check fails, but this machine could not run some of them |
| {interrupted} | interrupt |
"""


def text() -> str:
    """The whole page."""
    group = typer.main.get_command(cli.app)
    assert isinstance(group, TyperGroup)
    with typer.Context(group, info_name="lngen") as context:
        sections = [_section(group.get_command(context, name), context) for name in group.list_commands(context)]
    return "\n".join([HEAD.format(refused=cli.REFUSED, interrupted=cli.INTERRUPTED), *sections])


def _section(command: Any, parent: typer.Context) -> str:
    """Usage, help and options of a command. Every command has `--help`, so no table lists it."""
    with typer.Context(command, parent=parent, info_name=command.name) as context:
        usage = " ".join(["lngen", command.name, *command.collect_usage_pieces(context)])
        records = [each.get_help_record(context) for each in command.get_params(context) if each.name != "help"]
    paragraphs = [" ".join(each.split()) for each in command.help.split("\n\n")]
    rows = [f"| `{_cell(words)}` | {_cell(meaning)} |" for words, meaning in records]
    table = ["\n".join(["| argument or option | meaning |", "|---|---|", *rows])] if rows else []
    return "\n\n".join([f"## lngen {command.name}", f"    {usage}", *paragraphs, *table]) + "\n"


def _cell(words: str) -> str:
    return " ".join(words.split()).replace("|", "\\|")


if __name__ == "__main__":
    (Path(__file__).parent / "reference" / "commands.md").write_text(text(), encoding="utf-8")
