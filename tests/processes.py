"""A process of its own for what is forked."""

import os
import subprocess
import sys
import textwrap

from tests.shipped import ROOT


def run_alone(program: str) -> None:
    """Run a program that forks: here, others may have imported what does not like that, such as JAX, and says so."""
    # PyTorch warns that Python 3.13.0 runs its guards slowly.
    ignored = ("ignore:.*multi-threaded.*fork:DeprecationWarning", "ignore:Guards may run slower:RuntimeWarning")
    options = [word for each in ignored for word in ("-W", each)]
    command = [sys.executable, *options, "-c", textwrap.dedent(program)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stderr) == (0, "")
