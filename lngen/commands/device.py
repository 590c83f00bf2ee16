"""`lngen device`: what this machine has to compile and run kernels with, and what is missing."""

from __future__ import annotations

from dataclasses import asdict

from rich.table import Table

from lngen.commands import console
from lngen.toolchain import device


def run(as_json: bool) -> None:
    """Print each item with its version, what it is for, and what to install where it is missing."""
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
