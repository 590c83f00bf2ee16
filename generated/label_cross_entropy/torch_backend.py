# Made by lngen 0.1.0 from the definition of label_cross_entropy; derivation.md has its steps, cost and evidence.
# Do not edit; edit label_cross_entropy.py and run: lngen derive label_cross_entropy.py
# definition sha256:54d0d10a361e544b04d125946902774985e4cfbc3c6a48abadaca8002ccda43b
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs
# mypy: no-warn-return-any, allow-subclassing-any
"""Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.

`label_cross_entropy` takes tensors, and `LabelCrossEntropy` is a module. A plain call on the processor
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
    "LabelCrossEntropy",
    "label_cross_entropy",
]

FUSE = False
"""Whether a program that is compiled for a GPU has `_decomposed` instead, to be one with what is around it."""


def label_cross_entropy(
    x: _torch.Tensor,
    label: _torch.Tensor,
    ignore: int | _torch.Tensor | None = None,
    *,
    smoothing: float = 0.0,
    z_loss: float = 0.0,
) -> _torch.Tensor:
    """Cross entropy of a label with the softmax of a row, one number a row; rows whose label is `ignore` count nothing.

        m = max(x)
        exp_shifted = exp(x - m)
        Z = sum(exp_shifted)
        log_Z = log(Z)
        target = sum(where(index() == label, x, 0))
        mu = mean(x)
        y = where(label == ignore, 0, m + log_Z + where(smoothing > 0, smoothing*(target - mu), 0) + z_loss*(m + log_Z)**2 - target)

    Args:
        x: shape (..., D).
        label: one integer per row, shape x.shape[:-1].
        ignore: an integer or a 0-d array of one. If omitted it is -100.
        smoothing: a constant, a finite number.
        z_loss: a constant, a finite number.

    Returns y in the type of x. y has one value per row, shape x.shape[:-1]. The compute
    type is the widest among the inputs, and float32 for 16-bit inputs.

    Raises TypeError for an argument that is not a floating-point tensor, ValueError for
    a wrong shape.
    """
    if (
        _LAYER.has_kernels
        and not torch.compiler.is_compiling()
        and type(smoothing) is float
        and -_INFINITE < smoothing < _INFINITE
        and type(z_loss) is float
        and -_INFINITE < z_loss < _INFINITE
    ):
        made = _forward(_guards.run, True, smoothing, z_loss, x, label, ignore)
        if made is None:
            x, label, ignore = _guards.dense("RIk", x, label, ignore)
            made = _forward(_guards.run, True, smoothing, z_loss, x, label, ignore)
        if made is not None:
            y, kept = made
            return (
                y
                if kept is None
                else _Recorded.apply(made, x, label, ignore, smoothing, z_loss)
            )
    return _LAYER.call(x, label, ignore, smoothing, z_loss)


def _decomposed(x, label, ignore, smoothing, z_loss):
    """The same in plain operations of PyTorch, which has derivatives of any order of them."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    if ignore is not None:
        ignore = _integers("ignore", ignore, (), "a number or a 0-d one")
    if not (float("-inf") < smoothing < float("inf")):
        raise ValueError(f"smoothing is {smoothing}; pass a finite number")
    if not (float("-inf") < z_loss < float("inf")):
        raise ValueError(f"z_loss is {z_loss}; pass a finite number")
    y = _rows(x, label[..., None], ignore, smoothing, z_loss)
    return y[..., 0]


def _rows(x, label, ignore, smoothing, z_loss):
    """The outputs, each line by its step of the derivation."""
    stored = x.dtype
    dtype = _widest(x)
    zero = x.new_zeros((), dtype=dtype)
    shape = x.shape
    x = x.to(dtype)
    label = label.to(torch.int64)
    ignore = (zero + -100).to(torch.int64) if ignore is None else ignore.to(torch.int64)
    smoothing = zero + smoothing
    z_loss = zero + z_loss
    D = shape[-1]
    index = _index(zero, D)
    largest = torch.finfo(dtype).max
    # step 1
    m = torch.clip(torch.amax(x, dim=-1, keepdim=True).detach(), -largest, largest)
    # step 6
    target = torch.sum(torch.where(index == label, x, 0), dim=-1, keepdim=True)
    target_shifted = target - m  # step 6, pass 1: offsets
    x_shifted = x - m  # step 2
    exp_shifted = torch.exp(x_shifted)  # step 3
    Z = torch.sum(exp_shifted, dim=-1, keepdim=True)  # step 4
    mu_shifted = torch.mean(x_shifted, dim=-1, keepdim=True)  # step 7, pass 2: offsets
    _test_1 = label == ignore
    log_Z_1 = torch.log(_within(~_test_1, Z))  # step 5
    # step 8, pass 3: offsets
    y = torch.where(
        _test_1,
        0,
        log_Z_1
        + torch.where(
            smoothing > 0,
            (
                _within(smoothing > 0, _within(~_test_1, target_shifted))
                - _within(smoothing > 0, _within(~_test_1, mu_shifted))
            )*smoothing,
            0,
        )
        + (log_Z_1 + m)**2*z_loss
        - _within(~_test_1, target_shifted),
    )
    return y.to(stored)


def _forward(run, kept, smoothing, z_loss, x, label, ignore):
    """The outputs by the compiled kernel, then the row scalars: if `kept` is True, where
    autograd records the call, and else None.

    The form says how tensors have to lie: r has the shape of rows, s has one value
    a row, of integers i one value a row, k one value; a capital has to be there.
    Behind + is a result, of the shape and type of the tensor that is passed for it;
    a digit is a row scalar. A bar begins what the kernel of sums reads, another
    what neither kernel does. The number behind the form is the least D.
    """
    return run(
        _FORWARD,
        "RIk+s012",
        1,
        (ignore is None,),
        (smoothing, z_loss),
        kept,
        x,
        label,
        ignore,
        x,
    )


def _backward(run, kept, smoothing, z_loss, x, label, ignore, dy):
    """The gradients by the compiled kernels."""
    made = run(
        _BACKWARD,
        "RIS012k+r",
        1,
        (ignore is None,),
        (smoothing, z_loss),
        kept,
        x,
        label,
        dy,
        ignore,
        x,
    )
    if made is None or made is True:
        return made
    dx = made
    return dx, None, None


class _Recorded(_guards.Node):
    """A call that autograd records: its derivative by a kernel, and beyond by the decomposition."""

    @staticmethod
    def forward(ctx, made, x, label, ignore, smoothing, z_loss):
        y, ctx.kept = made
        ctx.save_for_backward(x, label, ignore)
        ctx.numbers = (smoothing, z_loss)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, label, ignore = ctx.saved_tensors
        smoothing, z_loss = ctx.numbers
        found = _backward(
            _guards.run, ctx.kept, smoothing, z_loss, x, label, ignore, dy.contiguous()
        )
        if found is None or found is True:
            found = _LAYER.gradients(
                ctx.kept, (x, label, ignore, smoothing, z_loss), (), (dy,)
            )
        return None, *found, None, None


def _forward_on_gpu(kernels, save, x, label, ignore, smoothing, z_loss):
    """The outputs by the Triton kernel, and what it can `save` of each row."""
    x = _floats("x", x)
    if x.ndim < 1 or x.shape[-1] < 1:
        raise ValueError(
            f"x has shape {tuple(x.shape)}; pass (..., D) with D of 1 or more"
        )
    label = _integers("label", label, x.shape[:-1], "x.shape[:-1]")
    if ignore is not None:
        ignore = _integers("ignore", ignore, (), "a number or a 0-d one")
    if not (float("-inf") < smoothing < float("inf")):
        raise ValueError(f"smoothing is {smoothing}; pass a finite number")
    if not (float("-inf") < z_loss < float("inf")):
        raise ValueError(f"z_loss is {z_loss}; pass a finite number")
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x)
    y = x.new_empty(x.shape[:-1])
    m = x.new_empty(rows, dtype=kind) if save else None
    Z = x.new_empty(rows, dtype=kind) if save else None
    log_Z = x.new_empty(rows, dtype=kind) if save else None
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    label_rows = label.reshape(rows)
    label_strides = _gpu.strides(label_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 1, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.label_cross_entropy_forward,
        x.device,
        programs,
        sizes.num_warps,
        False,
        x_rows,
        label_rows,
        ignore,
        float(smoothing),
        float(z_loss),
        y,
        m,
        Z,
        log_Z,
        *x_strides,
        *label_strides,
        rows,
        D,
        ignore is not None,
        save,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (y,), (m, Z, log_Z)


def _backward_on_gpu(kernels, saved, x, label, ignore, smoothing, z_loss, dy):
    """The gradients by the Triton kernels, of what forward `saved` of each row."""
    D = x.shape[-1]
    rows = x.numel() // D
    kind = _widest(x)
    m, Z, log_Z = saved
    dx = _gpu.room(x.shape, x)
    x_rows = x.reshape(rows, D)
    x_strides = _gpu.strides(x_rows, 0, 1)
    label_rows = label.reshape(rows)
    label_strides = _gpu.strides(label_rows, 0)
    dy_rows = dy.reshape(rows)
    dy_strides = _gpu.strides(dy_rows, 0)
    sizes = _gpu.sizes(D, kind.itemsize, 2, 0)
    programs = _gpu.programs(x.device, rows, sizes)
    _gpu.launch(
        kernels.label_cross_entropy_backward,
        x.device,
        programs,
        sizes.num_warps,
        True,
        x_rows,
        label_rows,
        dy_rows,
        m,
        Z,
        log_Z,
        ignore,
        float(smoothing),
        float(z_loss),
        dx,
        *x_strides,
        *label_strides,
        *dy_strides,
        rows,
        D,
        ignore is not None,
        _gpu.real(kind),
        _gpu.even(D, *x_strides[:1]),
        sizes.ROWS,
        sizes.TILE,
        sizes.WHOLE,
    )
    return (dx, None, None)


# The kernels of each direction, which are compiled without what a call leaves out; `sums` counts their sums over rows
# that have a value for each feature, and those of one value.
_FORWARD = _torch.CompiledDirection(
    __file__, "kernels", "label_cross_entropy_forward", optional=("ignore",)
)
_BACKWARD = _torch.CompiledDirection(
    __file__, "kernels", "label_cross_entropy_backward", optional=("ignore",)
)
_INFINITE = float("inf")
_LAYER: _torch.TorchLayer[_torch.Tensor] = _torch.TorchLayer(
    __file__,
    __name__.rpartition(".")[0],
    _torch.Printed(
        label_cross_entropy,
        _decomposed,
        _forward,
        _backward,
        _Recorded,
        _forward_on_gpu,
        _backward_on_gpu,
        lambda: FUSE,
    ),
    inputs={"x": "R", "label": "I", "ignore": "k"},
    outputs={"y": "s"},
    rows=("x",),
    constants={"smoothing": True, "z_loss": True},
    data=("label", "ignore"),
    scalars=3,
)


class LabelCrossEntropy(_torch.Module):
    """`label_cross_entropy` as a module without parameters.

    Args:
        smoothing: a constant, a finite number.
        z_loss: a constant, a finite number.
    """

    _layer = _LAYER
    _theirs = (("label_smoothing", "smoothing"),)
    _arguments = (("ignore_index", "ignore"),)

    def __init__(self, *, smoothing: float = 0.0, z_loss: float = 0.0) -> None:
        super().__init__()
        self.smoothing = self._constant("smoothing", smoothing, True)
        self.z_loss = self._constant("z_loss", z_loss, True)

    def forward(
        self,
        x: _torch.Tensor,
        label: _torch.Tensor,
        ignore: int | _torch.Tensor | None = None,
    ) -> _torch.Tensor:
        """Return `label_cross_entropy` of the arguments and the parameters of the module."""
        return label_cross_entropy(
            x, label, ignore, smoothing=self.smoothing, z_loss=self.z_loss
        )


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
