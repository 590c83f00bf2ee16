"""Work in a process of its own: what ends that process is told, and ends no other."""

import os
import time
from functools import partial

import pytest

from lngen.checks.apart import Ended, apart


def doubled(number, tell):
    tell("the doubling")
    return 2 * number


def printing(tell):
    print("what code prints is not taken for a message", flush=True)
    return "done"


def raising(tell):
    raise ValueError("oh")


def killed(number, tell):
    tell("the claim before")
    tell("the claim at hand")
    os.kill(os.getpid(), number)


def ending(tell):
    os._exit(3)


def hanging(tell):
    tell("a loop")
    time.sleep(60)


@pytest.mark.ci
def test_apart_with_work_that_returns_gives_its_result():
    assert apart(partial(doubled, 21), 60) == 42
    assert apart(printing, 60) == "done"


@pytest.mark.ci
def test_apart_with_work_that_raises_raises_it_here():
    with pytest.raises(ValueError, match="oh"):
        apart(raising, 60)


@pytest.mark.ci
@pytest.mark.parametrize(("number", "name"), [(11, "SIGSEGV"), (6, "SIGABRT")])
def test_apart_with_a_signal_tells_it_and_what_ran(number, name):
    found = apart(partial(killed, number), 60)
    assert found == Ended(f"ended by signal {number} ({name})", "the claim at hand")
    assert str(found) == f"the process ended by signal {number} ({name}) while it ran the claim at hand"


@pytest.mark.ci
def test_apart_with_an_exit_status_tells_it():
    assert apart(ending, 60) == Ended("ended with status 3", "nothing yet")


@pytest.mark.ci
def test_apart_with_work_that_hangs_ends_it_after_the_limit():
    begun = time.monotonic()
    found = apart(hanging, 3)
    assert found == Ended("was ended after 3 seconds without an answer", "a loop")
    assert time.monotonic() - begun < 50
