# Made by lngen 0.1.0 from the definition of info_nce; derivation.md has its steps, cost and evidence.
# Do not edit; edit info_nce.py and run: lngen derive info_nce.py
# definition sha256:cb40e605ee6e33f38de3fd70af981d68454fb61b495d719822c0f5b8297ac116
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.

`info_nce` takes tensors, and `InfoNce` is a module. A plain call on the processor
runs the kernels of kernels.cpp, which a C++ compiler makes on first use. Other calls on
the processor go by `_LAYER.call`: kernels after a conversion, for mixed types and numbers
that are no floats, and an operator of them in `torch.compile` and autocast. A plain call
on a GPU launches the kernels of triton_kernels.py, and so does a program that is compiled
for one. On other devices, in all else on a GPU, in `vmap` and `torch.func`, and where
derivatives are differentiated, `_decomposed` computes.
"""

import torch

from .._runtime import torch as _torch
from .._runtime.torch import gpu as _gpu
from .._runtime.torch import guards as _guards

__all__ = [
    "InfoNce",
    "info_nce",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def info_nce(
    similarity: _torch.Tensor,
    positive: _torch.Tensor,
    scale: float | _torch.Tensor | None = None,
) -> _torch.Tensor:
    """InfoNCE of the similarities of a query with all keys, one number a row; `positive` is the key that belongs to it.

        z = scale*similarity
        sum_where_z = sum(where(index() == positive, z, 0))
        m = max(z)
        exp_shifted = exp(z - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        y = m + log_Z - sum_where_z

    Args:
        similarity: shape (..., D).
        positive: one integer per row, shape similarity.shape[:-1].
        scale: a number or a tensor without axes. If omitted it is 1.

    Returns y in the type of similarity. y has one value per row, shape
    similarity.shape[:-1]. The compute type is the widest among the inputs, and float32
    for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if _LAYER.has_kernels and not torch.compiler.is_compiling():
        made = _forward(_guards.run, True, similarity, positive, scale)
        if made is None:
            similarity, positive, scale = _guards.dense(
                "RIn", similarity, positive, scale
            )
            made = _forward(_guards.run, True, similarity, positive, scale)
        if made is not None:
            y, kept = made
            return (
                y
                if kept is None
                else _Recorded.apply(made, similarity, positive, scale)
            )
    return _LAYER.call(similarity, positive, scale)


def _decomposed(similarity, positive, scale):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    similarity = _floats("similarity", similarity)
    if similarity.ndim < 1 or similarity.shape[-1] < 1:
        raise ValueError(
            f"similarity has shape {tuple(similarity.shape)}; pass (..., D) with D of 1 or more"
        )
    positive = _integers(
        "positive", positive, similarity.shape[:-1], "similarity.shape[:-1]"
    )
    scale = None if scale is None else _number("scale", scale)
    y = _rows(similarity, positive[..., None], scale)
    return y[..., 0]


def _rows(similarity, positive, scale):
    """The outputs, each line by its step of the derivation."""
    stored = similarity.dtype
    dtype = _widest(similarity, scale)
    zero = similarity.new_zeros((), dtype=dtype)
    shape = similarity.shape
    similarity = similarity.to(dtype)
    positive = positive.to(torch.int64)
    scale = zero + 1 if scale is None else scale.to(dtype)
    D = shape[-1]
    index = _index(zero, D)
    largest = torch.finfo(dtype).max
    z = similarity*scale  # step 1
    _test_1 = index == positive
    z_1 = _within(_test_1, similarity)*_within(_test_1, scale)  # step 1
    # step 2
    sum_where_z = torch.sum(torch.where(_test_1, z_1, 0), dim=-1, keepdim=True)
    # step 3
    m = torch.clip(torch.amax(z, dim=-1, keepdim=True).detach(), -largest, largest)
    sum_where_z_shifted = sum_where_z - m  # step 2, pass 1: offsets
    similarity_shifted = z - m  # step 4
    exp_shifted = torch.exp(similarity_shifted)  # step 5
    Z = torch.sum(exp_shifted, dim=-1, keepdim=True)  # step 6
    log_Z = torch.log(Z)  # step 7
    y = log_Z - sum_where_z_shifted  # step 8, pass 2: offsets
    return y.to(stored)


def _forward(run, kept, similarity, positive, scale):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row, n has one value, of integers i one value a row; a capital has to be
    there. Behind + is a result, of the shape and type of the tensor that is passed
    for it; a digit is a row scalar. A bar begins what the kernel of sums reads,
    another what neither kernel does. The number behind the form is the least D.
    """
    return run(
        _FORWARD,
        "RIn+s01",
        1,
        (scale is None,),
        (),
        kept,
        similarity,
        positive,
        scale,
        similarity,
    )


def _backward(run, kept, similarity, positive, scale, dy):
    """The gradients by the compiled kernels."""
    made = run(
        _BACKWARD,
        "RIS01n+r|n+n",
        1,
        (scale is None,),
        (),
        kept,
        similarity,
        positive,
        dy,
        scale,
        similarity,
        scale,
        scale,
    )
    if made is None or made is True:
        return made
    dsimilarity, dscale = made
    return dsimilarity, None, dscale


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, similarity, positive, scale):
        y, ctx.kept = made
        ctx.save_for_backward(similarity, positive, scale)
        return y

    @staticmethod
    def backward(ctx, dy):
        similarity, positive, scale = ctx.saved_tensors
        found = _backward(
            _guards.run, ctx.kept, similarity, positive, scale, dy.contiguous()
        )
        if found is None or found is True:
            found = _LAYER.gradients(ctx.kept, (similarity, positive, scale), (), (dy,))
        return None, *found


def _forward_on_gpu(kernels, save, similarity, positive, scale):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    similarity = _floats("similarity", similarity)
    if similarity.ndim < 1 or similarity.shape[-1] < 1:
        raise ValueError(
            f"similarity has shape {tuple(similarity.shape)}; pass (..., D) with D of 1 or more"
        )
    positive = _integers(
        "positive", positive, similarity.shape[:-1], "similarity.shape[:-1]"
    )
    scale = None if scale is None else _number("scale", scale)
    D = similarity.shape[-1]
    rows = similarity.numel() // D
    kind = _widest(similarity, scale)
    y = similarity.new_empty(similarity.shape[:-1])
    m = similarity.new_empty(rows, dtype=kind) if save else None
    Z = similarity.new_empty(rows, dtype=kind) if save else None
    similarity_rows = similarity.reshape(rows, D)
    similarity_strides = _gpu.strides(similarity_rows, 0, 1)
    positive_rows = positive.reshape(rows)
    positive_strides = _gpu.strides(positive_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 1, 0)
    programs = _gpu.programs(similarity.device, rows, sizes)
    _gpu.launch(
        kernels.info_nce_forward,
        similarity.device,
        programs,
        sizes.num_warps,
        False,
        similarity_rows,
        positive_rows,
        scale,
        y,
        m,
        Z,
        *similarity_strides,
        *positive_strides,
        rows,
        D,
        scale is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *similarity_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (m, Z)


def _backward_on_gpu(kernels, saved, similarity, positive, scale, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = similarity.shape[-1]
    rows = similarity.numel() // D
    kind = _widest(similarity, scale)
    m, Z = saved
    dsimilarity = _gpu.room(similarity.shape, similarity)
    dscale = _gpu.room((), scale)
    similarity_rows = similarity.reshape(rows, D)
    similarity_strides = _gpu.strides(similarity_rows, 0, 1)
    positive_rows = positive.reshape(rows)
    positive_strides = _gpu.strides(positive_rows, 0)
    dy_rows = dy.reshape(rows)
    dy_strides = _gpu.strides(dy_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(similarity.device, rows, sizes)
    sums = similarity.new_empty((programs, 1), dtype=kind)
    _gpu.launch(
        kernels.info_nce_backward,
        similarity.device,
        programs,
        sizes.num_warps,
        True,
        similarity_rows,
        positive_rows,
        dy_rows,
        m,
        Z,
        scale,
        dsimilarity,
        sums,
        *similarity_strides,
        *positive_strides,
        *dy_strides,
        rows,
        D,
        scale is not None,
        _gpu.real(kind),
        _gpu.even(D, *similarity_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    _gpu.launch(
        kernels.info_nce_backward_totals,
        similarity.device,
        1,
        4,
        True,
        sums,
        dscale,
        programs,
        D,
        scale is not None,
        _gpu.real(kind),
        _gpu.even(D),
        _gpu.AT_ONCE,
    )
    return (dsimilarity, None, dscale)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__, "kernels", "info_nce_forward", optional=("scale",)
)
_BACKWARD = _torch.CompiledDirection(
    __file__,
    "kernels",
    "info_nce_backward",
    "info_nce_backward_columns",
    optional=("scale",),
    sums=(0, 1),
)
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        info_nce,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"similarity": "R", "positive": "I", "scale": "n"},
    outputs={"y": "s"},
    rows=("similarity",),
    constants={},
    data=("positive",),
    scalars=2,
)


class InfoNce(_torch.Module):
    """`info_nce` as a module with the parameter scale.

    Args:
        scale: False omits it; its initial value is 1.
        device, dtype: those of the parameters.
    """

    _layer = _LAYER

    def __init__(
        self,
        *,
        scale: bool = True,
        device: _torch.Device = None,
        dtype: _torch.Dtype = None,
    ) -> None:
        super().__init__()
        self._parameter("scale", scale, (), 1, device, dtype)

    def forward(
        self, similarity: _torch.Tensor, positive: _torch.Tensor
    ) -> _torch.Tensor:
        """Return `info_nce` of the arguments and the parameters of the module."""
        _own = self._parameters
        try:
            scale = _own["scale"]
        except KeyError:  # a parametrized module has attributes instead
            scale = self.scale
        return info_nce(similarity, positive, scale)


def _floats(name, value, shape=None, axes=""):
    """A tensor of floats, of a shape if one is given."""
    if value.dtype not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        wanted = f"pass float16, bfloat16, float32 or float64, as {name}.float()"
        raise TypeError(f"{name} is of type {value.dtype}; {wanted}")
    if shape is not None and value.shape != shape:
        made, given = tuple(value.shape), tuple(shape)
        problem = f"{name} has shape {made}; pass {axes}, which is {given}"
        if isinstance(value, torch.nn.Parameter):
            problem = f"the rows have {axes} of {given}, and the layer was made for {made}, the shape of its {name}"
            problem += "; pass rows that it was made for"
        raise ValueError(problem)
    return value


def _widest(*tensors):
    """The widest type of the inputs, or float32."""
    dtype = torch.float32
    for each in tensors:
        dtype = dtype if each is None else torch.promote_types(dtype, each.dtype)
    return dtype


def _number(name, value):
    return _floats(name, value, (), "a number or a 0-d one")


def _integers(name, value, shape=None, axes=""):
    """Integers, those beyond 32 bits as the nearest."""
    if value.is_floating_point() or value.is_complex():
        raise TypeError(f"{name} is of type {value.dtype}; pass integers, as {name}.long()")
    if shape is not None and value.shape != shape:
        raise ValueError(f"{name} has shape {tuple(value.shape)}; pass {axes}, which is {tuple(shape)}")
    return value.to(torch.int64).clamp(-(2**31), 2**31 - 1)


def _index(zero, count):
    """The numbers below a count, on the device of another."""
    return zero.new_ones((count,), dtype=torch.int64).cumsum(0) - 1


def _within(test, value):
    """A value that nothing depends on where a test fails: an infinite derivative there is dropped."""
    return torch.where(test, value, value.detach())
