"""Answer requests for the page, its style, its script and derivations, as a WSGI application."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any

from lngen.emit import render
from lngen.extensions.page.assets import style
from lngen.extensions.serve.desk import Desk
from lngen.extensions.serve.guard import HEADERS, Guard
from lngen.extensions.serve.panels import NAMES
from lngen.language.parsing.source import MAXIMUM_BYTES

MAXIMUM_BODY = 6 * MAXIMUM_BYTES + 1024
"""The longest request: JSON may take six bytes for one of the text, which the language has its own limit for."""

Environ = Mapping[str, Any]
Start = Callable[[str, list[tuple[str, str]]], Any]


class App:
    """The application. `examples` are the texts of definitions by the names that they are offered under."""

    def __init__(self, guard: Guard, desk: Desk, examples: Mapping[str, str]) -> None:
        self._guard = guard
        self._desk = desk
        page = render.render("serve/page.html.jinja", panels=NAMES, examples=examples)
        self._files = {
            "/": ("text/html", page),
            "/page.css": ("text/css", style()),
            "/serve.css": ("text/css", render.render("serve/serve.css")),
            "/serve.js": ("text/javascript", render.render("serve/serve.js")),
        }

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer a request, by PEP 3333."""
        method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")
        if refusal := self._guard.refusal(environ):
            return _said(start, *refusal)
        if path == "/derive":
            if method != "POST":
                return _said(start, HTTPStatus.METHOD_NOT_ALLOWED, "Send a text by POST.", ("Allow", "POST"))
            return self._derive(environ, start)
        if path not in self._files:
            return _said(start, HTTPStatus.NOT_FOUND, "There is nothing of that name here.")
        if method != "GET":
            return _said(start, HTTPStatus.METHOD_NOT_ALLOWED, "This can only be read.", ("Allow", "GET"))
        kind, text = self._files[path]
        _begin(start, HTTPStatus.OK, kind)
        return [text.encode()]

    def _derive(self, environ: Environ, start: Start) -> Iterable[bytes]:
        if refusal := self._guard.refusal_to_derive(environ):
            return _said(start, *refusal)
        try:
            text = json.loads(environ["wsgi.input"].read(MAXIMUM_BODY))["text"]
        except (ValueError, KeyError, TypeError, RecursionError):
            text = None
        if not isinstance(text, str):
            return _said(start, HTTPStatus.BAD_REQUEST, 'Send {"text": "the definition"}.')
        _begin(start, HTTPStatus.OK, "application/x-ndjson")
        return self._answers(text, environ.get("waitress.client_disconnected", lambda: False))

    def _answers(self, text: str, gone: Callable[[], bool]) -> Iterator[bytes]:
        for answer in self._desk.answers(text, gone):
            yield json.dumps(answer).encode() + b"\n"


def _begin(start: Start, status: HTTPStatus, kind: str, *headers: tuple[str, str]) -> None:
    start(f"{status.value} {status.phrase}", [("Content-Type", f"{kind}; charset=utf-8"), *HEADERS, *headers])


def _said(start: Start, status: HTTPStatus, words: str, *headers: tuple[str, str]) -> Iterable[bytes]:
    _begin(start, status, "text/plain", *headers)
    return [words.encode() + b"\n"]
