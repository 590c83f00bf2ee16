"""Work has an end: of its time, its memory, its process, and when a newer text arrives."""

import threading
import time

import pytest

from lngen.extensions.serve.desk import Desk
from lngen.extensions.serve.work import Limits, answers
from tests.shipped import ROOT

LAYER_NORM = (ROOT / "derive" / "layer_norm.py").read_text(encoding="utf-8")
STEPS = "".join(
    f"    a{n} = (a{n - 1} - mean(a{n - 1})) * rsqrt(mean(a{n - 1}**2) + 1) * tanh(a{n - 1}*w)\n" for n in range(1, 17)
)
SLOW = f"def slow(a0: Row, w: Feature):\n{STEPS}    return a16\n"
"""A definition that takes minutes."""

SQUARE = "def square(x: Row): return x**2"

ATTACKS = [
    "import os\nos.system('touch /tmp/harm')",
    "__import__('os').system('true')",
    "def f(x: Row):\n    return x.__class__.__mro__",
    "def f(x: Row):\n    return ().__class__",
    "def f(x: Row):\n    return eval('x')",
    "def f(x: Row):\n    return open('/etc/passwd')",
    "def f(x: Row):\n    return x ** 10 ** 10 ** 10",
    "def f(x: Row):\n    return x ** 9999999999",
    "def f(x: Row):\n    return x + 10 ** 64 ** 64",
    "def f(x: Row):\n    return x" + " + x" * 20_000,
    "def f(x: Row):\n    return " + "(" * 3000 + "x" + ")" * 3000,
    "def f(x: Row):\n    return " + "9" * 5000,
    "def f(x: Row):\n    return [x for _ in iter(int, 1)]",
    "def f(x: Row):\n    while True: x = x",
    "def f(x: Row = __import__('os')):\n    return x",
    "@exit\ndef f(x: Row):\n    return x",
    "\0",
    "\ud800",
    "def f(x: Row): return 'x'\x1b[2J",
]


@pytest.fixture(scope="module")
def desk():
    """A desk whose first text need not wait."""
    found = Desk()
    found.warm()
    return found


def at_work(desk):
    """The process that works, once there is one."""
    before = desk._job
    while (job := desk._job) is before:
        time.sleep(0.01)
    return job._process


def kinds(found):
    return [answer["kind"] for answer in found]


def test_answers_to_a_definition_are_its_gradient_then_its_evidence_then_its_code(desk):
    found = list(desk.answers(LAYER_NORM))
    assert kinds(found) == ["panels", "panels", "panels", "done"]
    first, second, third = (answer["panels"] for answer in found[:-1])
    assert set(first) == {"result", "derivation", "cost"}
    assert "not proved yet" in first["result"]
    assert "<math" in first["result"]
    assert "proved:" in second["result"]
    assert "exact at every D" in second["evidence"]
    assert [third["code"].count(f"<h3>{title}</h3>") for title in ("NumPy", "CUDA", "PyTorch", "JAX", "C++")] == [1] * 5


@pytest.mark.parametrize("text", ATTACKS, ids=range(len(ATTACKS)))
def test_an_attack_is_refused_at_its_place(text):
    (answer,) = answers(text)
    assert answer["kind"] == "refused"
    assert answer["line"] >= 1
    assert answer["column"] >= 1
    assert answer["message"].isprintable()
    assert answer["remedy"].isprintable()


def test_markup_of_a_definition_is_text_on_the_page(desk):
    text = (
        '"""<script>alert(1)</script>"""\ndef f(x: Row):\n    # </code><img src=x onerror=alert(2)>\n    return x**2\n'
    )
    shown = "".join(html for answer in desk.answers(text) for html in answer.get("panels", {}).values())
    assert "<script" not in shown
    assert "<img" not in shown


def test_a_derivation_that_takes_too_long_is_stopped():
    begun = time.monotonic()
    *_, last = Desk(Limits(seconds=1)).answers(SLOW)
    assert last["kind"] == "stopped"
    assert "after 1 seconds, while deriving" in last["message"]
    assert "lngen derive FILE" in last["message"]
    assert time.monotonic() - begun < 5


def test_a_derivation_that_takes_too_much_memory_is_stopped():
    *_, last = Desk(Limits(memory=2**20)).answers(SLOW)
    assert last["kind"] == "stopped"
    assert "GiB of memory, while deriving" in last["message"]


def test_a_process_that_dies_is_one_message_and_the_next_text_is_derived(desk):
    killer = threading.Thread(target=lambda: at_work(desk).kill())
    killer.start()
    (answer,) = desk.answers(SLOW)
    killer.join()
    assert answer["kind"] == "stopped"
    assert "status -9" in answer["message"]
    assert kinds(desk.answers(SQUARE))[-1] == "done"


def test_a_newer_text_takes_the_place_of_the_one_before(desk):
    found = []
    older = threading.Thread(target=lambda: found.extend(desk.answers(SLOW)))
    older.start()
    process = at_work(desk)
    assert kinds(desk.answers(SQUARE))[-1] == "done"
    older.join(timeout=5)
    assert kinds(found) == ["replaced"]
    assert process.exitcode is not None


def test_work_for_a_reader_that_has_gone_is_ended(desk):
    begun = time.monotonic()
    assert list(desk.answers(SLOW, gone=lambda: time.monotonic() - begun > 0.2)) == []
    assert desk._job._process.exitcode is not None
    assert time.monotonic() - begun < 5
