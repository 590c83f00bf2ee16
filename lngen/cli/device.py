"""Command `lngen device`: compilers and devices of this machine, and missing ones."""

from __future__ import annotations

from dataclasses import asdict

from rich.table import Table

from lngen.checks.toolchain import device
from lngen.cli import console


def run(as_json: bool) -> None:
    """Print each item with its version, its purpose, and what to install if it is missing."""
    survey = device.survey()
    if as_json:
        console.print_json(asdict(survey))
        return
    table = Table(box=None, pad_edge=False)
    for title in ("", "found", "for", "to have it"):
        table.add_column(title, overflow="fold")
    for item in survey.items:
        style = None if item.found else "dim"
        table.add_row(
            item.name,
            item.detail if item.found else f"- ({item.detail})",
            item.purpose,
            item.remedy,
            style=style,
        )
    output = console.output()
    output.print(table)
    output.print(f"\n{survey.on_processor}\n{survey.summary}")
    if survey.next_step:
        output.print(f"Next: {survey.next_step}")
