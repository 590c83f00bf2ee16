"""`lngen serve` from its start to its end, and texts that come at once."""

import json
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lngen.cli import app as cli
from tests.extensions.serve.conftest import start
from tests.extensions.serve.test_desk import LAYER_NORM, SLOW


def begin(serving, text):
    return serving.begin("POST", "/derive", json.dumps({"text": text}))


def test_texts_that_come_at_once_are_each_answered_and_the_newest_is_derived(serving):
    with ThreadPoolExecutor() as pool:
        slow = [pool.submit(serving.answers, SLOW) for _ in range(3)]
        # Requests of several connections may overtake each other: the last of these is at work when two are replaced.
        wait_until(lambda: sum(each.done() for each in slow) == 2)
        begun = time.monotonic()
        assert serving.answers(LAYER_NORM)[-1]["kind"] == "done"
        assert [[answer["kind"] for answer in each.result()] for each in slow] == [["replaced"]] * 3
        assert time.monotonic() - begun < 20


def descendants(process):
    """The processes below one, by their numbers."""
    found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return {*found}.union(*map(descendants, found))


def test_a_browser_that_has_gone_leaves_no_work_behind(serving):
    assert serving.answers("")[0]["kind"] == "refused"
    before = descendants(serving.process.pid)
    connection = begin(serving, SLOW)
    wait_until(lambda: descendants(serving.process.pid) > before)
    connection.close()
    wait_until(lambda: descendants(serving.process.pid) == before)


def wait_until(holds):
    """Wait until it holds; fail after some seconds."""
    ends = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.02)


@pytest.mark.ci
def test_many_texts_in_threads_are_each_answered(serving):
    found = []
    text = "def f(x: Row): return x - mean(x)"
    threads = [threading.Thread(target=lambda: found.append(serving.answers(text)[-1]["kind"])) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(found) == 12
    assert {*found} <= {"done", "replaced"}
    assert serving.answers(text)[-1]["kind"] == "done"


@pytest.mark.ci
def test_an_interrupt_ends_it_at_once_though_it_works():
    running = start()
    assert running.answers("")[0]["kind"] == "refused"
    connection = begin(running, SLOW)
    time.sleep(0.3)
    begun = time.monotonic()
    assert running.end() == (0, "")
    connection.close()
    assert time.monotonic() - begun < 4


def test_an_interrupt_ends_it_before_it_is_ready():
    assert start().end() == (0, "")


def test_a_port_that_is_taken_is_one_message():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = CliRunner().invoke(cli.app, ["serve", "--port", str(port)], prog_name="lngen")
    assert result.exit_code == cli.REFUSED
    assert result.stdout == ""
    assert result.stderr == (
        f"port {port} of 127.0.0.1 cannot be listened on: another program listens there. "
        "Pass another one as --port, such as --port 0 for any that is free.\n"
    )


def test_a_library_that_is_missing_is_one_message(monkeypatch):
    monkeypatch.setitem(sys.modules, "waitress", None)
    monkeypatch.delitem(sys.modules, "lngen.extensions.serve.server", raising=False)
    result = CliRunner().invoke(cli.app, ["serve"], prog_name="lngen")
    assert result.exit_code == cli.REFUSED
    assert result.stderr == "lngen serve needs waitress: pip install 'lngen-derive[serve]'.\n"


def test_no_option_names_another_address():
    result = CliRunner().invoke(cli.app, ["serve", "--help"], prog_name="lngen", env={"COLUMNS": "100"})
    assert {word for word in result.stdout.split() if word.startswith("--")} == {"--port", "--open", "--help"}
