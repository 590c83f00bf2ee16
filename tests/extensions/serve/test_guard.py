"""Requests that are refused: those of another address, another host, another page."""

import socket
import struct
from pathlib import Path

import pytest

from lngen.extensions.serve.app import MAXIMUM_BODY
from lngen.extensions.serve.guard import HEADERS
from lngen.language.parsing.source import MAXIMUM_BYTES

TEXT = "def centred(x: Row): return x - mean(x)"


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "0.0.0.0:{port}"]
)
@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("GET", "/serve.js"), ("POST", "/derive")])
def test_a_request_of_another_host_is_misdirected(serving, method, path, host):
    reply = serving.request(method, path, '{"text": ""}', host=host.format(port=serving.port))
    assert reply.status == 421
    assert "no other host" in reply.body


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_request_of_this_host_is_answered(serving, host):
    host = f"{host}:{serving.port}"
    assert serving.request("GET", "/", host=host).status == 200
    assert serving.derive(TEXT, host=host, origin=f"http://{host}").status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:1"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
        ({"sec_fetch_site": "none"}, 403),
        ({"content_type": "application/x-www-form-urlencoded"}, 415),
        ({"content_type": "multipart/form-data; boundary=x"}, 415),
        ({"content_type": "text/plain"}, 415),
        ({"content_type": None}, 415),
        ({"x_lngen_token": None}, 403),
        ({"x_lngen_token": ""}, 403),
        ({"x_lngen_token": "guessed"}, 403),
    ],
    ids=str,
)
def test_a_text_that_does_not_come_from_the_page_is_not_derived(serving, headers, status):
    reply = serving.derive(TEXT, **headers)
    assert reply.status == status
    assert "panels" not in reply.body


def test_a_text_with_the_token_is_derived_for_what_is_no_browser(serving):
    assert serving.derive(TEXT, origin=None, sec_fetch_site=None).status == 200


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/"), ("POST", "/derive"), ("OPTIONS", "/derive"), ("GET", "/no")]
)
def test_no_response_lets_another_origin_in(serving, method, path):
    given = serving.request(method, path, origin="https://evil.example").headers
    assert not [name for name in given if name.startswith("access-control-")]
    assert {name.lower(): value for name, value in HEADERS}.items() <= given.items()
    assert "unsafe" not in given["content-security-policy"]
    assert "default-src 'none'" in given["content-security-policy"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("OPTIONS", "/derive", 405), ("GET", "/derive", 405), ("PUT", "/", 405), ("GET", "/../pyproject.toml", 404)],
)
def test_another_method_or_path_is_refused(serving, method, path, status):
    assert serving.request(method, path).status == status


def test_the_token_is_in_nothing_that_is_sent(serving):
    for path in ("/", "/serve.js", "/serve.css", "/page.css"):
        reply = serving.request("GET", path)
        assert serving.token not in reply.body + str(reply.headers)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"text"', b'{"text": 1}', b"\xff\xfe", b"[" * 100_000])
def test_a_body_that_is_no_text_is_refused(serving, body):
    assert serving.request("POST", "/derive", body).status == 400


def test_a_body_that_is_too_long_is_refused_before_it_is_read(serving):
    reply = serving.request("POST", "/derive", b"", content_length=str(MAXIMUM_BODY + 1))
    assert reply.status == 413


def test_a_text_that_is_too_long_is_refused_by_the_language(serving):
    (answer,) = serving.answers("#" * (MAXIMUM_BYTES + 1))
    assert (answer["kind"], answer["line"]) == ("refused", 1)
    assert "64 KiB" in answer["message"]


@pytest.mark.parametrize("address", ["127.0.0.2", "::1", "0.0.0.0 but loopback"])
def test_no_other_address_is_listened_on(serving, address):
    if address.startswith("0.0.0.0"):
        rows = [
            line.split() for table in ("tcp", "tcp6") for line in Path("/proc/net", table).read_text().splitlines()[1:]
        ]
        listening = [
            local for _, local, _, state, *_ in rows if state == "0A" and local.endswith(f":{serving.port:04X}")
        ]
        assert listening == [f"{struct.unpack('=I', socket.inet_aton('127.0.0.1'))[0]:08X}:{serving.port:04X}"]
        return
    with pytest.raises(OSError, match=r"refused|assign|Address family"):
        socket.create_connection((address, serving.port), timeout=5)
