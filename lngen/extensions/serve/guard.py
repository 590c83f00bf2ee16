"""Refuse whatever is not a browser of this machine, on the page that this server gave it."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

HOST = "127.0.0.1"
"""The only address that is listened on: the loopback, which no other machine reaches."""

TOKEN = "X-Lngen-Token"
"""The header of the token, which a page of another site cannot send without being allowed to."""

HEADERS = (
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; font-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
)
"""Headers of every response: nothing of another origin runs here, and no other origin reads or frames this one."""

Refusal = tuple[HTTPStatus, str]


@dataclass(frozen=True)
class Guard:
    """The checks of a request, for a port and the token of this run."""

    port: int
    token: str

    def refusal(self, environ: Mapping[str, Any]) -> Refusal | None:
        """Return why a request is not answered, as a status and words; None if it may be.

        Each request has to name this server as its host. After DNS rebinding, the name is another's.
        """
        if environ.get("HTTP_HOST", "") not in self._hosts():
            return HTTPStatus.MISDIRECTED_REQUEST, f"This server is http://{HOST}:{self.port} and no other host."
        return None

    def refusal_to_derive(self, environ: Mapping[str, Any]) -> Refusal | None:
        """Return why a text is not taken. It has to come from this page, as a type that no form sends, with the token.

        >>> guard = Guard(8000, "secret")
        >>> sent = {"HTTP_HOST": "127.0.0.1:8000", "CONTENT_TYPE": "application/json", "HTTP_X_LNGEN_TOKEN": "secret"}
        >>> guard.refusal_to_derive(sent)
        >>> guard.refusal_to_derive({**sent, "HTTP_ORIGIN": "http://elsewhere.example"})[0]
        <HTTPStatus.FORBIDDEN: 403>
        """
        origin = environ.get("HTTP_ORIGIN")
        if origin is not None and origin != f"http://{environ.get('HTTP_HOST')}":
            return HTTPStatus.FORBIDDEN, "A page of another origin may not send texts here."
        if environ.get("HTTP_SEC_FETCH_SITE", "same-origin") != "same-origin":
            return HTTPStatus.FORBIDDEN, "A page of another site may not send texts here."
        if environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower() != "application/json":
            return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send the text as application/json."
        given = environ.get("HTTP_" + TOKEN.upper().replace("-", "_"), "")
        if not hmac.compare_digest(given.encode(), self.token.encode()):
            return HTTPStatus.FORBIDDEN, "This address is of another run. Open the one that `lngen serve` printed."
        return None

    def _hosts(self) -> set[str]:
        names = (HOST, "localhost")
        return {f"{name}:{self.port}" for name in names} | {name for name in names if self.port == 80}
