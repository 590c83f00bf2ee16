"""The command line. What is here is names, options and help; what a command does is in `lngen.commands`.

Every command is imported when it runs, so that `lngen --version` and a completion answer at once.
"""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from lngen import __version__
from lngen.errors import LngenError

REFUSED = 2
"""The exit status for input that was refused, as for a wrong option."""

INTERRUPTED = 130
"""The exit status after an interrupt: 128 and the number of SIGINT."""


class _Group(TyperGroup):
    """Turns what a command raises into one message and an exit status; a traceback is left to bugs."""

    def invoke(self, ctx: Any) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except LngenError as error:
            print(error, file=sys.stderr)
            raise typer.Exit(REFUSED) from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # The reader has gone (`lngen derive | head`). Python flushes stdout once more when it ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="From the forward definition of a normalization layer to audited gradients, NumPy and CUDA.",
)


class Format(StrEnum):
    """How `derive` prints."""

    text = "text"
    markdown = "markdown"
    latex = "latex"
    json = "json"


class Stage(StrEnum):
    """What `show` shows."""

    definition = "definition"
    vjp = "vjp"
    simplified = "simplified"
    plan = "plan"
    numpy = "numpy"
    cuda = "cuda"


class Backend(StrEnum):
    """What `check` checks."""

    numpy = "numpy"
    cuda = "cuda"
    all = "all"


Layer = Annotated[str, typer.Argument(metavar="LAYER", help="A layer's name (see `lngen list`) or a definition file.")]


def _version(wanted: bool) -> None:
    if wanted:
        print(f"lngen {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


@app.command()
def derive(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Definition files or layers' names; every layer if left out."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write DIR/NAME/ for each layer instead of generated/NAME/."),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; fail with a diff if a written file is not what lngen emits."),
    ] = False,
    format: Annotated[Format, typer.Option("--format", help="How to print the derivation.")] = Format.text,
) -> None:
    """Derive layers, print the derivations, and write the emitted code."""
    from lngen.commands import derive

    raise typer.Exit(derive.run(files or [], out, check, format.value))


@app.command()
def show(
    layer: Layer,
    stage: Annotated[Stage, typer.Option("--stage", help="Which stage to show.")] = Stage.simplified,
) -> None:
    """Show one stage of a layer on its way from definition to code."""
    from lngen.commands import show

    show.run(layer, stage.value)


@app.command()
def check(
    layers: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LAYER|FILE]...", help="What to check; every layer if left out."),
    ] = None,
    backend: Annotated[Backend, typer.Option("--backend", help="Which emitted code to check.")] = Backend.all,
    shape: Annotated[
        list[str] | None,
        typer.Option("--shape", metavar="ROWS,D", help="A shape to check at; may be repeated. `full` is all of them."),
    ] = None,
    dtype: Annotated[
        list[str] | None,
        typer.Option("--dtype", metavar="DTYPE", help="f64, f32, f16 or bf16; may be repeated. All if left out."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Where the random inputs start.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON document.")] = False,
) -> None:
    """Hold emitted code against its definition: every kind of evidence, with errors and bounds."""
    from lngen.commands import check

    raise typer.Exit(check.run(layers or [], backend.value, shape or [], dtype or [], seed, as_json))


@app.command()
def cost(
    layer: Layer,
    shape: Annotated[str, typer.Option("--shape", metavar="N,...,D", help="The shape of a row input.")],
    dtype: Annotated[str, typer.Option("--dtype", metavar="DTYPE", help="f64, f32, f16 or bf16.")],
    bandwidth: Annotated[
        str | None,
        typer.Option("--bandwidth", metavar="RATE", help="The memory's, such as 4.3TB/s: prints times."),
    ] = None,
) -> None:
    """What a layer moves and computes at a shape, fused and unfused."""
    from lngen.commands import cost

    cost.run(layer, shape, dtype, bandwidth)


@app.command()
def stability(layer: Layer) -> None:
    """The error of the naive, the two-pass and the emitted form at growing offsets."""
    from lngen.commands import stability

    stability.run(layer)


@app.command()
def device(as_json: Annotated[bool, typer.Option("--json", help="Print a JSON document.")] = False) -> None:
    """What there is to compile and run CUDA with, and what is missing."""
    from lngen.commands import device

    device.run(as_json)


@app.command("list")
def list_layers() -> None:
    """The layers there are."""
    from lngen.commands import list_layers

    list_layers.run()


@app.command()
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove the derivations that are kept.")] = False,
) -> None:
    """Where derivations are kept, how many, and how large they are."""
    from lngen.commands import cache

    cache.run(clear)
