"""Processes of their own: several that share a layer (by pipes, Gloo or an MPI), and one for what is forked."""

import multiprocessing
import os
import pickle
import socket
import subprocess
import sys
import textwrap

from lngen.runtime.sharded.collectives import PipeCommunicator
from tests import sharded_worker
from tests.requirements import mpiexec
from tests.shipped import ROOT


def run_alone(program: str) -> None:
    """Run a program that forks: here, others may have imported what does not like that, such as JAX, and says so."""
    command = [sys.executable, "-W", "ignore:.*multi-threaded.*fork:DeprecationWarning", "-c", textwrap.dedent(program)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def in_processes(package, kind, work, given):
    """Return the results of several processes for their arguments (inputs, cotangents), in two runs.

    `kind` is the communicator, `work` is the entry of sharded_worker.WORK that they run with the layer in the folder
    `package`.
    """
    found = (_by_mpi if kind == "mpi" else _spawned)(package, kind, work, given)
    return [[each[run] for each in found] for run in (1, 2)]


def _by_mpi(package, kind, work, given):
    for rank, arguments in enumerate(given):
        (package.parent / f"given{rank}").write_bytes(pickle.dumps(arguments))
    command = [mpiexec(), "-n", str(len(given)), sys.executable, sharded_worker.__file__, str(package), work]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return [pickle.loads((package.parent / f"found{rank}").read_bytes()) for rank in range(len(given))]


def _spawned(package, kind, work, given):
    context = multiprocessing.get_context("spawn")
    joined = PipeCommunicator.together(len(given), context=context)
    results = context.Queue()
    workers = []
    meeting = package.parent / "meeting"
    meeting.unlink(missing_ok=True)
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    for rank, arguments in enumerate(given):
        others = {"torch": (meeting, len(given)), "jax": (f"localhost:{port}", len(given))}
        group = joined[rank].pipes if kind == "pipes" else others[kind]
        workers.append(
            context.Process(
                target=sharded_worker.run, args=(str(package), kind, work, rank, group, *arguments, results)
            )
        )
    for worker in workers:
        worker.start()
    for each in joined:
        each.close()
    found = sorted((results.get(timeout=100) for _ in workers), key=lambda each: each[0])
    for worker in workers:
        worker.join(timeout=60)
    return found
