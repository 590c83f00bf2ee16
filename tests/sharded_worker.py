"""One process of a sharded layer, for tests: it imports NumPy and what was emitted, and nothing of lngen."""

import importlib
import os
import pickle
import sys
from pathlib import Path


def run(package, kind, rank, group, inputs, cotangents, results):
    """Call forward and backward twice, and put (rank, first results, second results)."""
    folder = Path(package)
    sys.path.insert(0, str(folder.parent.parent))
    name = f"{folder.parent.name}.{folder.name}"
    module = importlib.import_module(f"{name}.numpy_sharded")
    collectives = importlib.import_module(f"{folder.parent.name}._runtime.collectives")
    if kind == "pipes":
        communicator = collectives.PipeCommunicator(rank, group)
    elif kind == "mpi":
        communicator = collectives.MPICommunicator()
    else:
        distributed = importlib.import_module("torch.distributed")
        meeting, size = group
        distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=size)
        communicator = collectives.TorchCommunicator()
    found = []
    for _ in range(2):
        y, saved = module.forward(*inputs, communicator=communicator)
        found.append(((y,), tuple(module.backward(saved, *cotangents, communicator=communicator))))
    results.put((rank, *found))
    if kind == "torch":
        distributed.destroy_process_group()


class _File:
    """Where a process that no queue reaches puts what it has found."""

    def __init__(self, path):
        self.path = path

    def put(self, found):
        self.path.write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    # Started by an MPI: python sharded_worker.py PACKAGE, with what each rank is given beside it.
    own = int(os.environ["PMI_RANK"] if "PMI_RANK" in os.environ else os.environ["OMPI_COMM_WORLD_RANK"])
    given = Path(sys.argv[1]).parent
    arguments = pickle.loads((given / f"given{own}").read_bytes())
    run(sys.argv[1], "mpi", own, None, *arguments, _File(given / f"found{own}"))
