"""Program of each process of test_torch_ranks.py; its arguments are the rank, the size, and a file to meet by."""

import contextlib
import importlib
import io
import os
import sys

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.nn.parallel import DistributedDataParallel

import lngen.torch
from tests.hosts import compile_nothing

ROWS, FEATURES = 10, 12
layers = importlib.import_module("generated.layer_norm.torch_backend")
others = importlib.import_module("generated.add_rms_norm.torch_backend")
dropped = importlib.import_module("generated.dropout_add_layer_norm.torch_backend")


def rows(seed=0):
    return torch.randn(4, ROWS, FEATURES, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def parameters():
    return torch.linspace(0.5, 2, FEATURES, dtype=torch.float64), torch.linspace(-1, 1, FEATURES, dtype=torch.float64)


def model(norm=layers.LayerNorm):
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(FEATURES, FEATURES, dtype=torch.float64),
        norm(FEATURES, dtype=torch.float64),
        torch.nn.Linear(FEATURES, 3, dtype=torch.float64),
    )


def alone(module, x):
    """The gradients of one process that has every row."""
    module(x).square().mean().backward()
    return [each.grad for each in module.parameters()]


def sharded_rows(mesh):
    """A layer on rows of which each process has a part: values, gradients, where they lie, and the second order."""
    x, (gamma, beta) = rows(), parameters()
    weight = rows(1)
    plain = [each.clone().requires_grad_() for each in (x, gamma, beta)]
    expected = layers.layer_norm(*plain)
    of_plain = torch.autograd.grad(expected, plain, weight, create_graph=True)
    unread = {"allow_unused": True, "materialize_grads": True}  # no gradient depends on beta
    again = torch.autograd.grad(of_plain[0].square().sum() + of_plain[1].square().sum(), plain, **unread)
    for axis in (0, 1):
        shared = [
            distribute_tensor(each, mesh, [place]).requires_grad_()
            for each, place in ((x, Shard(axis)), (gamma, Replicate()), (beta, Replicate()))
        ]
        y = layers.layer_norm(*shared)
        assert y.placements == (Shard(axis),)
        torch.testing.assert_close(y.full_tensor(), expected)
        found = torch.autograd.grad(y, shared, distribute_tensor(weight, mesh, [Shard(axis)]), create_graph=True)
        assert found[0].placements == (Shard(axis),)
        assert all(each.placements[0].is_partial() for each in found[1:])
        for one, other in zip(found, of_plain, strict=True):
            torch.testing.assert_close(one.full_tensor(), other)
        second = torch.autograd.grad(sum(each.full_tensor().square().sum() for each in found[:2]), shared, **unread)
        for one, other in zip(second, again, strict=True):
            torch.testing.assert_close(one.full_tensor(), other)
    h, r = (distribute_tensor(rows(seed), mesh, [Shard(1)]) for seed in (0, 1))
    made = others.add_rms_norm(h, r, distribute_tensor(gamma, mesh, [Replicate()]))
    for one, other in zip(made, others.add_rms_norm(rows(0), rows(1), gamma), strict=True):
        assert one.placements == (Shard(1),)
        torch.testing.assert_close(one.full_tensor(), other)
    # A row of which each process has a part is brought together first.
    split = layers.layer_norm(distribute_tensor(x, mesh, [Shard(2)]))
    torch.testing.assert_close(split.full_tensor(), layers.layer_norm(x))


def part(x):
    return x.flatten(0, 1).chunk(dist.get_world_size())[dist.get_rank()]


def random_rows(mesh):
    """Rows with random numbers are brought together first, since these go by the number of a row among all."""
    x, (gamma, beta) = rows(), parameters()
    plain = x.clone().requires_grad_()
    expected, _ = dropped.dropout_add_layer_norm(plain, rows(1), 7, gamma, beta, p=0.5)
    shared = distribute_tensor(x, mesh, [Shard(1)]).requires_grad_()
    residual, gamma, beta = (distribute_tensor(each, mesh, [Replicate()]) for each in (rows(1), gamma, beta))
    y, _ = dropped.dropout_add_layer_norm(shared, residual, 7, gamma, beta, p=0.5)
    torch.testing.assert_close(y.full_tensor(), expected)
    y.full_tensor().square().sum().backward()
    expected.square().sum().backward()
    torch.testing.assert_close(shared.grad.full_tensor(), plain.grad)


def data_parallel(mesh):
    """Parameters that each process has: DDP."""
    expected = alone(model(), rows())
    shared = DistributedDataParallel(model())
    shared(part(rows())).square().mean().backward()
    for one, other in zip(shared.parameters(), expected, strict=True):
        torch.testing.assert_close(one.grad, other)


def in_parts(shared, mesh):
    for each in (*shared, shared):
        fully_shard(each, mesh=mesh)
    return shared


def fully_sharded(mesh):
    """Parameters of which each process has a part: FSDP2; its state goes to a file and back."""
    expected = alone(model(), rows())
    shared = in_parts(model(), mesh)
    assert isinstance(shared[1].gamma, DTensor)
    shared(part(rows())).square().mean().backward()
    for one, other in zip(shared.parameters(), expected, strict=True):
        torch.testing.assert_close(one.grad.full_tensor(), other)
    state = {name: each.full_tensor() for name, each in shared.state_dict().items()}
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    again = model()
    again.load_state_dict(torch.load(file))


def replaced(mesh):
    """PyTorch's norms whose forward is a layer's, from before parameters are shared or since."""
    expected = alone(model(torch.nn.LayerNorm), rows())
    for share in (DistributedDataParallel, lambda made: in_parts(made, mesh)):
        for is_before in (True, False):
            made = model(torch.nn.LayerNorm)
            shared = share(made) if not is_before else made
            assert len(lngen.torch.replace(shared, ["layer_norm"]).replaced) == 1
            shared = share(made) if is_before else shared
            assert isinstance(made[1], torch.nn.LayerNorm)
            shared(part(rows())).square().mean().backward()
            for one, other in zip(shared.parameters(), expected, strict=True):
                found = one.grad.full_tensor() if isinstance(one.grad, DTensor) else one.grad
                torch.testing.assert_close(found, other)


def a_collective_left_out(mesh):
    """Check that a sum over rows is wrong without the collective."""
    x = distribute_tensor(rows(), mesh, [Shard(1)])
    gamma = distribute_tensor(parameters()[0], mesh, [Replicate()]).requires_grad_()
    (found,) = torch.autograd.grad(layers.layer_norm(x, gamma).square().sum(), gamma)
    plain = parameters()[0].requires_grad_()
    (expected,) = torch.autograd.grad(layers.layer_norm(rows(), plain).square().sum(), plain)
    torch.testing.assert_close(found.full_tensor(), expected)
    with contextlib.suppress(AssertionError):
        torch.testing.assert_close(found.to_local(), expected)
        raise RuntimeError("a part is the whole, so this test shows nothing")


def bits(mesh):
    """Every bit of two runs is the same."""
    found = []
    for _ in range(2):
        x = distribute_tensor(rows(), mesh, [Shard(1)])
        leaves = [distribute_tensor(each, mesh, [Replicate()]).requires_grad_() for each in parameters()]
        y = layers.layer_norm(x, *leaves)
        found.append([y.full_tensor(), *[g.full_tensor() for g in torch.autograd.grad(y.square().sum(), leaves)]])
    assert all(torch.equal(one, other) for one, other in zip(*found, strict=True))


def main(rank, count, file):
    """Every case, in one group of processes."""
    torch.set_num_threads(1)
    compile_nothing((layers, others), setattr)
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=count)
    mesh = init_device_mesh("cpu", (count,))
    for case in (sharded_rows, random_rows, data_parallel, fully_sharded, replaced, a_collective_left_out, bits):
        case(mesh)
        if rank == 0:
            print(case.__name__, flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    # Gloo's threads may still hold tensors. One that lets go of a tensor while the interpreter ends aborts the process
    # (pytorch/pytorch#179291), so the interpreter is not ended: the process is.
    sys.stdout.flush()
    os._exit(0)
