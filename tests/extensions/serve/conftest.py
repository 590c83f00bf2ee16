"""`lngen serve` as a process of its own, started once for the tests that ask it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.shipped import ROOT


@dataclass(frozen=True)
class Reply:
    """Reply of the server, the names of headers in small letters."""

    status: int
    headers: dict[str, str]
    body: str

    @property
    def answers(self) -> list[dict[str, Any]]:
        """The answers to a text."""
        assert self.status == 200, self.body
        return [json.loads(line) for line in self.body.splitlines()]


def read(connection: http.client.HTTPConnection) -> Reply:
    """The reply to the request that was sent."""
    with connection.getresponse() as response:
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Reply(response.status, headers, response.read().decode())


@dataclass
class Serving:
    """A server that runs, and requests to it; `kept` are the headers that its own page sends."""

    process: subprocess.Popen[str]
    address: str
    port: int = field(init=False)
    token: str = field(init=False)

    def __post_init__(self) -> None:
        place, self.token = self.address.split("#")
        self.port = int(place.rstrip("/").rpartition(":")[2])

    @property
    def own(self) -> dict[str, str]:
        """The headers of the page's own requests, as a browser sends them."""
        return {
            "Host": f"127.0.0.1:{self.port}",
            "Origin": f"http://127.0.0.1:{self.port}",
            "Sec-Fetch-Site": "same-origin",
            "Content-Type": "application/json",
            "X-Lngen-Token": self.token,
        }

    def begin(
        self, method: str, path: str, body: str | bytes | None = None, **headers: str | None
    ) -> http.client.HTTPConnection:
        """A connection with a request sent, with the page's own headers but those given; None leaves one out."""
        changed = {name.replace("_", "-").title(): value for name, value in headers.items()}
        sent = {name: value for name, value in {**self.own, **changed}.items() if value is not None}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        content = body.encode() if isinstance(body, str) else body
        if content is not None:
            sent.setdefault("Content-Length", str(len(content)))
        for name, value in sent.items():
            connection.putheader(name, value)
        connection.endheaders(content)
        return connection

    def request(self, method: str, path: str, body: str | bytes | None = None, **headers: str | None) -> Reply:
        """The reply to a request that is sent as `begin` does."""
        with closing(self.begin(method, path, body, **headers)) as connection:
            return read(connection)

    def derive(self, text: Any, **headers: str | None) -> Reply:
        """The reply to a text."""
        return self.request("POST", "/derive", json.dumps({"text": text}), **headers)

    def answers(self, text: Any) -> list[dict[str, Any]]:
        """All answers to a text."""
        return self.derive(text).answers

    def end(self) -> tuple[int, str]:
        """Interrupt it as Ctrl-C does; its exit status, and what it printed after its address."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, (out + err).strip()


def start(*options: str) -> Serving:
    """Start `lngen serve` on a port that is free."""
    command = [sys.executable, "-m", "lngen", "serve", "--port", "0", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert process.stdout.readline() == "This page is for this machine alone. Ctrl-C ends it.\n"
    return Serving(process, address)


@pytest.fixture(scope="session")
def serving() -> Iterator[Serving]:
    running = start()
    yield running
    assert running.end() == (0, "")
