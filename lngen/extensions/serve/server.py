"""Server on the loopback address, from its socket to its end."""

from __future__ import annotations

import errno
import logging
import secrets
import signal
import socket
from collections.abc import Callable, Mapping
from types import FrameType

import waitress

from lngen.errors import LngenError
from lngen.extensions.serve.app import MAXIMUM_BODY, App
from lngen.extensions.serve.desk import Desk
from lngen.extensions.serve.guard import HOST, Guard
from lngen.extensions.serve.work import Limits

_REASONS = {
    errno.EADDRINUSE: "another program listens there",
    errno.EACCES: "it is the system's",
}


class Server:
    """Server that listens on a port of the loopback address; for port 0, on one that is free.

    `address` is what a browser opens. Behind its `#` is the token of this run, which a browser sends to no server by
    itself. Raises LngenError if the port cannot be had.
    """

    def __init__(self, port: int, examples: Mapping[str, str], limits: Limits | None = None) -> None:
        listening = _listening(port)
        self.port: int = listening.getsockname()[1]
        self.token = secrets.token_urlsafe(24)
        self.address = f"http://{HOST}:{self.port}/#{self.token}"
        self.desk = Desk(limits)
        logging.getLogger("waitress").setLevel(logging.ERROR)  # that requests wait is no news for a terminal
        self._server = waitress.create_server(
            App(Guard(self.port, self.token), self.desk, examples),
            sockets=[listening],
            threads=8,
            connection_limit=64,
            channel_timeout=30,
            channel_request_lookahead=1,  # so that a reader that has gone is noticed
            max_request_body_size=MAXIMUM_BODY,
            max_request_header_size=16 * 1024,
            ident="lngen",
        )

    def run(self, ready: Callable[[], object] = lambda: None) -> None:
        """Serve until an interrupt or a request to terminate; `ready` is called when a browser may come."""
        before = {number: signal.signal(number, self._interrupted) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            ready()
            self.desk.warm()
            self._server.run()
        except KeyboardInterrupt:
            pass  # before the server ran
        finally:
            self.close()
            for number, handler in before.items():
                signal.signal(number, handler)

    def close(self) -> None:
        """End the server and what it works on."""
        self.desk.close()
        self._server.close()

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        self.desk.close()  # for the server waits for answers that have begun
        raise KeyboardInterrupt


def _listening(port: int) -> socket.socket:
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, error.strerror)
        raise LngenError(
            f"port {port} of {HOST} cannot be listened on: {reason}. "
            "Pass another one as --port, such as --port 0 for any that is free."
        ) from None
