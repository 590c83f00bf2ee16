"""Command `lngen serve`: a page on this machine alone, on which a definition is derived as it is typed."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from lngen.errors import LngenError
from lngen.version import install


def serve(
    port: Annotated[
        int,
        typer.Option("--port", metavar="N", min=0, max=65535, help="The port to listen on; 0 for any that is free."),
    ] = 8417,
    in_browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Derive on a page as you type, for this machine alone; Ctrl-C ends it."""
    import webbrowser

    from lngen.cli import console, layers

    try:
        from lngen.extensions.serve.server import Server
    except ModuleNotFoundError as error:
        if error.name != "waitress":
            raise
        raise LngenError(f"lngen serve needs waitress: {install('serve')}.") from None
    server = Server(port, {file.stem: file.read_text(encoding="utf-8") for file in layers.every_file()})

    def ready() -> None:
        console.say(f"{server.address}\nThis page is for this machine alone. Ctrl-C ends it.")
        sys.stdout.flush()  # a pipe has it before the server ends
        if in_browser:
            webbrowser.open(server.address)

    server.run(ready)
