"""`lngen serve`: a page on this machine alone, on which a definition is derived as it is typed."""

from __future__ import annotations

import sys
import webbrowser

from lngen.cli import console, layers
from lngen.errors import LngenError
from lngen.version import install


def run(port: int, in_browser: bool) -> None:
    """Serve until Ctrl-C. Raises LngenError without the library that serves, or if the port cannot be had."""
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
