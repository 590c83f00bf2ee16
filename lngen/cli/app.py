"""The command line. What is here is names, options and help; what a command does is in the module of its name.

Commands of extensions come by entry points (`lngen.verbs`). Every command is imported when it runs, so that
`lngen --version` and a completion answer at once.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from lngen.errors import DefinitionError, LngenError, printable, printable_lines
from lngen.runtime.emitted import BACKENDS as EMITTED
from lngen.version import __version__

if TYPE_CHECKING:
    from lngen.language.definition import Definition

REFUSED = 2
"""The exit status for input that was refused, as for a wrong option."""

INTERRUPTED = 130
"""The exit status after an interrupt: 128 and the number of SIGINT."""


_HELP = {"help_option_names": ["-h", "--help"]}
_OS_REMEDIES = {
    errno.ENAMETOOLONG: "Choose a shorter path.",
    errno.ENOSPC: "Make room there, or choose another place.",
}


class _CommandWords:
    """Behaviour common to the group and to each command: how options are shown, and how a wrong option is reported."""

    def get_params(self, ctx: Any) -> Any:
        """The parameters; a flag and an argument stand for themselves, without a type of Python behind them."""
        parameters = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
            elif parameter.param_type_name == "argument":
                parameter.display_type_rich = lambda ctx: None
        return parameters

    def parse_args(self, ctx: Any, args: Any) -> Any:
        """Parse the words; what is missing is told with its help, a wrong value without the parser's prefix."""
        try:
            return super().parse_args(ctx, args)  # type: ignore[misc]
        except typer.BadParameter as error:
            error.message = (error.message or getattr(error.param, "help", "")).removeprefix("Value error, ")
            raise


class _Command(_CommandWords, TyperCommand):
    pass


class _Group(_CommandWords, TyperGroup):
    """Command group that turns a raised error into one message and an exit status; only bugs give a traceback.

    The commands of extensions are looked for where one is named that is not lngen's own, and where all are listed.
    """

    _listed = False

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands; a broken one of an extension is left out, and told of on stderr."""
        from lngen import entry_points

        if not self._listed:
            self._listed = True
            self._add(entry_points.each(entry_points.VERBS, _refuse, _verb))
        return list(super().list_commands(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command that has a name; None if there is none. Raises LngenError for a broken one."""
        if cmd_name not in self.commands:
            from lngen import entry_points

            found = entry_points.find(entry_points.VERBS, cmd_name, _verb)
            if found is None:
                self.list_commands(ctx)  # for what may have been meant
            else:
                self._add({cmd_name: found})
        return super().get_command(ctx, cmd_name)

    def _add(self, verbs: Mapping[str, Any]) -> None:
        for name, verb in verbs.items():
            verb.name = name
            self.commands.setdefault(name, verb)

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run a command, and check that its output has arrived: the last of it is written when stdout is flushed."""
        # Python has no stream for a descriptor that is closed, and prints for a missing stderr to stdout.
        sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
        if sys.stdout is None:
            _refuse("standard output is closed. Redirect it to /dev/null if you do not want it.")
            sys.exit(REFUSED)
        try:
            try:
                return super().main(*arguments, **options)
            finally:
                sys.stdout.flush()
        except OSError as error:
            _print_no_more()
            if isinstance(error, BrokenPipeError):
                sys.exit(0)
            _refuse(_os_message(error))
            sys.exit(REFUSED)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            os.getcwd()  # before anything is done, so that it is not done by half
            return super().invoke(ctx)
        except BrokenPipeError:
            # The reader has gone (`lngen derive | head`).
            _print_no_more()
            raise typer.Exit(0) from None
        except LngenError as error:
            _refuse(error)
            raise typer.Exit(REFUSED) from None
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None


def _verb(function: Callable[..., None]) -> Any:
    """The command that a function of an extension describes, as one of lngen's own is."""
    alone = typer.Typer(add_completion=False, context_settings=_HELP)
    alone.command(cls=_Command)(function)
    return typer.main.get_command(alone)


def _refuse(error: LngenError | str) -> None:
    """Print one message on stderr, wrapped to its width, since a terminal would break lines inside words."""
    message = printable_lines(str(error))
    if sys.stderr.isatty() or os.environ.get("COLUMNS"):
        from lngen.layout import NARROWEST, wrapped

        columns = max(NARROWEST, shutil.get_terminal_size().columns)
        shown = printable_lines(error.within(columns)) if isinstance(error, DefinitionError) else message
        # The source line and its caret stay below each other.
        message = "\n".join(line if line.startswith("    ") else wrapped(line, columns) for line in shown.split("\n"))
    print(message, file=sys.stderr)


def _print_no_more() -> None:
    """Discard buffered stdout, so that the final flush of Python cannot fail."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _os_message(error: OSError) -> str:
    """Describe an error of the operating system: what failed, where, and what to do instead.

    >>> _os_message(OSError(errno.ENAMETOOLONG, "File name too long", "out/xx"))
    'out/xx: File name too long. Choose a shorter path.'
    """
    try:
        where = "the output" if error.filename is None else printable(os.fsdecode(error.filename))
        os.getcwd()
    except FileNotFoundError:
        return "the folder that lngen was started in is gone. Change to one that exists."
    return " ".join(filter(None, [f"{where}: {error.strerror or error}.", _OS_REMEDIES.get(error.errno or 0)]))


app = typer.Typer(
    cls=_Group,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=_HELP,
    help="From the forward definition of a layer to audited gradients, and code for NumPy, C++, CUDA, PyTorch and JAX.",
)


class ReportFormat(StrEnum):
    """Formats that `derive` prints."""

    text = "text"
    markdown = "markdown"
    json = "json"


Layer = Annotated[str, typer.Argument(metavar="LAYER", help="A layer's name (see `lngen list`) or a definition file.")]


def _definitions(words: Sequence[str] | None) -> tuple[Definition, ...]:
    """Read the definitions before the module of a command is imported: what is refused does not wait for SymPy."""
    from lngen.cli import layers

    return layers.definitions(words or [])


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


@app.command(cls=_Command)
def derive(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE", help="Definition files or layers' names; every layer if left out."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Write DIR/NAME/ for each layer; generated/NAME/ in a project."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Derive all layers of --out again, from the texts in their manifests.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Write nothing; fail with a diff if a written file is not what lngen emits."),
    ] = False,
    format: Annotated[
        ReportFormat, typer.Option("--format", metavar="FORMAT", help="Print text, markdown or json.")
    ] = ReportFormat.text,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the derivation of one layer as a page too.")
    ] = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate", metavar="FILE", help="Write the steps of one layer, for another program to check."
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Print the whole report of one layer: each step, proof, stage and cost.")
    ] = False,
    backend: Annotated[
        str | None,
        typer.Option(
            "--backend",
            metavar="NAME,...",
            help=f"Write code for these: {', '.join(EMITTED)}, or all of them; those of extensions have names too. "
            "pyproject.toml has a default (tool.lngen).",
        ),
    ] = None,
    directions: Annotated[
        str | None,
        typer.Option("--directions", metavar="NAME,...", help="forward,backward alone, or with jvp; all by default."),
    ] = None,
) -> None:
    """Derive layers, print the derivations, and write the emitted code."""
    if every:
        from lngen.cli import layers

        files = layers.with_all(files or [], out)
    definitions = _definitions(files)
    from lngen.cli import derive

    found = derive.run(
        definitions,
        files or [],
        out,
        check,
        format.value,
        html=html,
        certificate=certificate,
        full=full,
        backend=backend,
        directions=directions,
    )
    raise typer.Exit(found)


@app.command(cls=_Command)
def new(name: Annotated[str, typer.Argument(metavar="NAME", help="The layer's name, as soft_norm.")]) -> None:
    """Begin a layer: write a definition and its tests here, as NAME.py and test_NAME.py."""
    from lngen.cli import new

    new.run(name)


@app.command(cls=_Command)
def check(
    layers: Annotated[
        list[str] | None,
        typer.Argument(metavar="LAYER|FILE|FOLDER", help="Layers to check; all by default."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Check the code that `lngen derive --out DIR` wrote there."),
    ] = None,
    backend: Annotated[
        str,
        typer.Option(
            "--backend",
            metavar="BACKEND",
            help=f"Emitted code to check: {', '.join(EMITTED)}, triton, that of an extension, or all that can compute.",
        ),
    ] = "all",
    shape: Annotated[
        list[str] | None,
        typer.Option("--shape", metavar="ROWS,D", help="Shape to check at, or `full` for all shapes; may be repeated."),
    ] = None,
    dtype: Annotated[
        list[str] | None,
        typer.Option("--dtype", metavar="DTYPE", help="f64, f32, f16 or bf16; may be repeated; default: all."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the random inputs.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON document.")] = False,
    function: Annotated[
        str,
        typer.Option(
            "--function",
            metavar="MODULE:NAME",
            help="Check this function of PyTorch, JAX or NumPy instead of emitted code.",
        ),
    ] = "",
    call: Annotated[
        str, typer.Option("--call", metavar="CALL", help='How it is called: "f(hidden_states=x, weight=gamma)".')
    ] = "",
    backward: Annotated[
        str, typer.Option("--backward", metavar="MODULE:NAME", help="The gradients of a function of NumPy.")
    ] = "",
    constant: Annotated[
        list[str] | None,
        typer.Option("--constant", metavar="NAME=VALUE", help="A Constant that the function has and does not take."),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="CLAIM", help="Leave out claims with these words; may be repeated."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail a function that rounds each step, or float64 to float32.")
    ] = False,
    device: Annotated[
        str, typer.Option("--device", metavar="DEVICE", help="Where the function's arrays lie: cuda, or gpu in JAX.")
    ] = "",
) -> None:
    """Check emitted code against its definition: every kind of evidence, with errors and bounds.

    With `--function` a function that lngen has not written is held to the same claims.

    The exit status is 0 if every check ran and passed, 1 if one failed, and 2 if the input was refused. It is 3 if no
    check failed and some could not run, because this machine lacks a compiler, a device or a package.
    """
    definitions = _definitions(layers)
    if function:
        from lngen.cli import function as of_function

        full = "full" in (shape or [])
        raise typer.Exit(
            of_function.run(
                definitions,
                function,
                backward,
                call,
                constant or [],
                without or [],
                strict,
                full,
                dtype or [],
                seed,
                device,
                as_json,
            )
        )
    from lngen.cli import check

    raise typer.Exit(check.run(definitions, backend, shape or [], dtype or [], seed, as_json, out))


@app.command(cls=_Command)
def cost(
    layer: Layer,
    shape: Annotated[
        str, typer.Option("--shape", metavar="N,...,D", help="The shape of the first array, as 32,512,768.")
    ],
    dtype: Annotated[str, typer.Option("--dtype", metavar="DTYPE", help="f64, f32, f16 or bf16.")],
) -> None:
    """Count the bytes and the operations of a layer at a shape."""
    (definition,) = _definitions([layer])
    from lngen.cli import cost

    cost.run(definition, shape, dtype)


@app.command(cls=_Command)
def stability(
    layer: Layer,
    torch: Annotated[
        bool, typer.Option("--torch", help="Beside the module of torch.nn that the definition's docstring names.")
    ] = False,
) -> None:
    """Errors of the naive, the two-pass and the emitted form at growing offsets."""
    (definition,) = _definitions([layer])
    from lngen.cli import stability

    stability.run(definition, torch)


@app.command(cls=_Command)
def device(as_json: Annotated[bool, typer.Option("--json", help="Print a JSON document.")] = False) -> None:
    """List the compilers and devices that kernels can use, and what is missing."""
    from lngen.cli import device

    device.run(as_json)


@app.command(cls=_Command)
def build(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder that the layers are written to.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="LAYER|FILE", help="Layers to build; all by default."),
    ] = None,
    arch: Annotated[
        str | None,
        typer.Option(
            "--arch", metavar="ARCH", help="Architecture, such as x86-64-v3 (AVX2), or armv8-a with a CXX for it."
        ),
    ] = None,
    dtype: Annotated[
        list[str] | None,
        typer.Option(
            "--dtype", metavar="DTYPE,...", help="Types of rows: f64, f32, f16 or bf16; may be repeated; default: f32."
        ),
    ] = None,
) -> None:
    """Write layers and compile them ahead of time, for where there is no compiler."""
    definitions = _definitions(words)
    from lngen.cli import build

    build.run(definitions, out, arch, dtype or [])


@app.command(cls=_Command)
def export(
    words: Annotated[list[str], typer.Argument(metavar="LAYER|FILE", help="Layers to export.")],
    hub: Annotated[
        Path, typer.Option("--hub", metavar="DIR", help="The folder of a repository for Hugging Face's kernels.")
    ],
) -> None:
    """Write layers for PyTorch on any GPU as a repository that the package `kernels` loads."""
    definitions = _definitions(words)
    from lngen.cli import export

    export.run(definitions, hub)


@app.command("list", cls=_Command)
def list_layers() -> None:
    """The layers there are."""
    from lngen.cli import list_layers

    list_layers.run()


@app.command(cls=_Command)
def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove the cached derivations.")] = False,
) -> None:
    """Show the folder of cached derivations, their number and their size."""
    from lngen.cli import cache

    cache.run(clear)
