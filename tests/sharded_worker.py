"""One of several processes that share a layer, for tests: it imports NumPy and what was emitted, and nothing of lngen.

`processes.py` starts them.
"""

import importlib
import os
import pickle
import sys
from pathlib import Path


def of_features(layer, communicator, inputs, cotangents):
    """Outputs and gradients of the features that a process has."""
    module = importlib.import_module(f"{layer}.numpy_sharded")
    y, saved = module.forward(*inputs, communicator=communicator)
    outputs = tuple(y) if isinstance(y, tuple) else (y,)
    return outputs, tuple(module.backward(saved, *cotangents, communicator=communicator))


def of_rows(layer, communicator, inputs, cotangents):
    """Return, for each backend, results of a process's rows, sums over all rows, and sums over its own."""
    (x, parameters, backends), (dy,) = inputs, cotangents
    rows, sums, own = [], [], []
    for backend in backends:
        norm = importlib.import_module(layer).LayerNorm(x.shape[-1], dtype=x.dtype, backend=backend)
        norm.parameters.update(parameters)
        rows += [norm(x), norm.backward(dy)]
        sums += of_sums(layer, communicator, norm.gradients)
        own += norm.gradients.values()
    return tuple(rows), tuple(sums), tuple(own)


def of_sums(layer, communicator, gradients, _=None):
    """Sums of gradients that are given."""
    gradient_sums = importlib.import_module(f"{layer.rpartition('.')[0]}._runtime.sharded.gradient_sums")
    return tuple(gradient_sums.summed(communicator, gradients).values())


def refusal_of_sums(layer, communicator, gradients, _=None):
    """The message where there are no sums."""
    try:
        return of_sums(layer, communicator, gradients)
    except RuntimeError as error:
        return str(error)


WORK = {"features": of_features, "rows": of_rows, "sums": of_sums, "refusal": refusal_of_sums}


def run(package, kind, work, rank, group, inputs, cotangents, results):
    """Do the same twice, and put (rank, first results, second results).

    The second time rows are merged by some of the processes each, where the communicator can.
    """
    folder = Path(package)
    sys.path.insert(0, str(folder.parent.parent))
    name = f"{folder.parent.name}.{folder.name}"
    collectives = importlib.import_module(f"{folder.parent.name}._runtime.sharded.collectives")
    if kind == "pipes":
        communicator = collectives.PipeCommunicator(rank, group)
    elif kind == "mpi":
        communicator = collectives.MPICommunicator()
    elif kind == "jax":
        os.environ["JAX_PLATFORMS"] = "cpu"
        distributed = importlib.import_module("jax.distributed")
        distributed.initialize(*group, rank)
        communicator = collectives.JAXCommunicator()
    else:
        distributed = importlib.import_module("torch.distributed")
        meeting, size = group
        distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=size)
        communicator = collectives.TorchCommunicator()
    found = []
    for most in (collectives.GATHERED_BYTES, 0):
        collectives.GATHERED_BYTES = most
        found.append(WORK[work](name, communicator, inputs, cotangents))
    results.put((rank, *found))
    if kind == "torch":
        distributed.destroy_process_group()
    if kind == "jax":
        distributed.shutdown()


class _File:
    """File for the results of a process that no queue reaches."""

    def __init__(self, path):
        self.path = path

    def put(self, found):
        self.path.write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    # Started by an MPI: python sharded_worker.py PACKAGE WORK, with what each rank is given beside it.
    own = int(os.environ["PMI_RANK"] if "PMI_RANK" in os.environ else os.environ["OMPI_COMM_WORLD_RANK"])
    given = Path(sys.argv[1]).parent
    arguments = pickle.loads((given / f"given{own}").read_bytes())
    run(sys.argv[1], "mpi", sys.argv[2], own, None, *arguments, _File(given / f"found{own}"))
