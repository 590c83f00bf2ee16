# Made by lngen 0.1.0 from the definition of logsumexp.
# Do not edit; edit logsumexp.py and run: lngen derive logsumexp.py
# Cost: forward 1 row tensors (1 read, 0 written), 4 flops a row element; backward 2 row tensors (1 read, 1 written), 3 flops a row element.
# Evidence: exact 1 of 1, 50 digits 1 of 1, second derivation 1 of 1, tangents 1 of 1, second order 1 of 1; derivation.md says of what.
# definition sha256:b19fb96aafa17a6adb3c7d31aefe031f7e76c3af72c0cc3c9ac96259ff3994d6
<<<<<<< HEAD
# templates sha256:573788c2949cd8bc1cdc044b425d318e510d29a4ea5969baaaa85984a9d20722
=======
# templates sha256:eb1036f277c53ccc1042a3c1d7161707f0e65c1dfa1c88f1b1254fac53f13cfe
>>>>>>> f109591679e4b8773db57aa294c2a6a73df74110
"""The logarithm of a row's sum of exponentials, one number a row.

    forward
        row_max = max(x)
        exp_shifted = exp(x - row_max)
        sum_exp = sum(exp_shifted)
        log_sum_exp = log(sum_exp)
        y = row_max + log_sum_exp
    backward
        dx = dy*exp_shifted/sum_exp

The kernels of kernels.cu, launched by PyCUDA. A kernel is compiled when it is first asked
for, by nvcc or else NVRTC, and kept in $LNGEN_CACHE or the user's cache folder.
"""

from pathlib import Path as _Path
from typing import NamedTuple

import numpy as np

<<<<<<< HEAD
from .._runtime import launcher as _launcher
=======
from .._runtime import includes as _includes
>>>>>>> f109591679e4b8773db57aa294c2a6a73df74110


class Gradients(NamedTuple):
    """What `backward` computes; None for an input that was left out of `forward`."""

    dx: object
    """The gradient of x, in its shape and type."""


class Saved(NamedTuple):
    """What `backward` needs of a call of `forward`; arrays are the caller's own.

    Writing to one of them between forward and backward changes the gradients.
    """

    shape: tuple
    """The shape of the row inputs."""

    dtype: np.dtype
    """The type that `forward` computed in."""

    dtypes: dict
    """The type of each input that was given."""

    x: object
    """x of forward."""

    row_max: object
    """The row scalar row_max, one a row."""

    sum_exp: object
    """The row scalar sum_exp, one a row."""


def forward(x, *, out=None, stream=None, workspace=None):
    """The logarithm of a row's sum of exponentials, one number a row.

        row_max = max(x)
        exp_shifted = exp(x - row_max)
        sum_exp = sum(exp_shifted)
        log_sum_exp = log(sum_exp)
        y = row_max + log_sum_exp

    An array is a GPUArray or anything else with `__cuda_array_interface__`, dense, of type
    float16, bfloat16 (raw 2-byte entries are taken for it), float32 or float64. Rows and
    row scalars are of one type, and so are features and scalars.

    Args:
        x: shape (..., D).
        out: an array to write y to.
        stream: where the kernels are launched: a PyCUDA stream, one of PyTorch or CuPy,
            or a handle; None is the default stream.
        workspace: memory for the row scalars that are saved; `workspace_bytes` says how
            much. It belongs to `saved` until backward is done.

    Returns `(y, saved)`: `saved` is for `backward`. It computes in the
    widest type among the inputs, in float32 for 16-bit ones. New arrays are GPUArrays.

    Raises TypeError for what is no floating-point array in device memory, ValueError for a
    wrong shape, ImportError without PyCUDA or a driver.
    """
    inputs_ = (x,)
    constants_ = ()
    outputs_, saved_ = _launcher.forward(
        _LAYER, inputs_, constants_, out, stream, workspace
    )
    return outputs_[0], saved_


def backward(saved, dy, *, out=None, stream=None, workspace=None):
    """The gradients of a loss, given those with respect to the outputs.

        dx = dy*exp_shifted/sum_exp

    Args:
        saved: what `forward` returned.
        dy: the cotangent of y.
        out: Gradients, or a sequence like it, of arrays to write to;
            None in it makes a new array.
        stream: where the kernels are launched, as for `forward`.
        workspace: memory for partial sums over rows; `workspace_bytes` says how much. It
            needs no initial value, and is free again when the stream gets there.

    Returns Gradients, each in the type of its input.

    Raises TypeError for what is no floating-point array in device memory, ValueError for a
    wrong shape, ImportError without PyCUDA or a driver.
    """
    cotangents_ = (dy,)
    gradients_ = _launcher.backward(_LAYER, saved, cotangents_, out, stream, workspace)
    return Gradients(*gradients_)


def workspace_bytes(direction, *arguments):
    """How many bytes a call needs of `workspace`.

    `direction` is "forward" or "backward", `arguments` are its positional ones:
    `workspace_bytes("backward", saved, dy)`. With `out` and `workspace` given, a call
    allocates nothing once its kernels are loaded.
    """
    return _launcher.workspace_bytes(_LAYER, direction, arguments)


def compilations():
    """How many times this process has run a compiler; 0 while the cache has it all."""
    return _launcher.compilations()


_LAYER = _launcher.Layer(
    name="logsumexp",
    source=_Path(__file__).with_name("kernels.cu"),
    Saved=Saved,
    minimum_features=1,
    is_wide=False,
    inputs={"x": "Row"},
    optional=(),
    constants=(),
    outputs={"y": "RowScalar"},
    saved={"x": "Row"},
    row_scalars=("row_max", "sum_exp"),
    forward=_launcher.Direction(
        results={"y": "RowScalar"},
        kernels={
            "forward": (
                "PPPPqi",
                (
                    "x",
                    "out y",
                    "saved row_max",
                    "saved sum_exp",
                    "the rows",
                    "the features",
                ),
            ),
        },
    ),
    backward=_launcher.Direction(
        results={"dx": "Row"},
        kernels={
            "backward": (
                "PPPPPqi",
                (
                    "x",
                    "dy",
                    "saved row_max",
                    "saved sum_exp",
                    "out dx",
                    "the rows",
                    "the features",
                ),
            ),
        },
    ),
)
<<<<<<< HEAD
=======
_BACKWARD_SLOTS = (
    *(f"d{name}" for name in _OUTPUTS),
    *_SAVED,
    *map(_saved, _ROW_SCALARS),
    *(f"out d{name}" for name in _INPUTS),
    *_ENDS,
)
_NO_ROW_SCALARS = (None,) * len(_ROW_SCALARS)
_SAVED_CONSTANTS = tuple(name for name in _SAVED if _SAVED[name] == "Constant")


def _forward(inputs, constants, out, stream, workspace):
    outs = (out,) if len(_OUTPUTS) == 1 else _several(out, tuple(_OUTPUTS))
    objects = [*inputs, *constants, *outs, *_NO_ROW_SCALARS, workspace]
    values, streams, facts = _look(objects)
    plan = _planned(("forward", *facts), _plan_forward, objects)
    plan.run(objects, values, streams, stream)
    kept = map(objects.__getitem__, plan.kept)
    saved = Saved(plan.shape, plan.dtype, dict(plan.dtypes), *kept)
    return [objects[slot] for slot in plan.outputs], saved


def _backward(saved, cotangents, out, stream, workspace):
    plan, objects, values, streams = _backward_plan(saved, cotangents, out, workspace)
    plan.run(objects, values, streams, stream)
    return Gradients(*map(objects.__getitem__, plan.outputs))


def _backward_plan(saved, cotangents, out, workspace):
    _check_saved(saved)
    outs = _several(out, tuple(f"d{name}" for name in _INPUTS))
    objects = [*cotangents, *saved[3:], *outs, workspace]
    for name in _SAVED_CONSTANTS:
        slot = _BACKWARD_SLOTS.index(name)
        objects[slot] = _constant(f"saved.{name}", objects[slot])
    values, streams, facts = _look(objects)
    dtypes = tuple(saved.dtypes.items()) if isinstance(saved.dtypes, dict) else None
    key = ("backward", saved.shape, saved.dtype, dtypes, *facts)
    return _planned(key, _plan_backward, objects, saved), objects, values, streams


def _look(objects):
    """The addresses of arrays, streams to wait for, and all else that a plan depends on.

    A number stands for itself. What is no array is left for the planning to refuse.
    """
    values, streams, facts = [], [], []
    for value in objects:
        if value is None:
            values.append(0)
            facts.append(None)
        elif type(value) is _gpu_array:
            # What its interface says, in less time.
            start = 0 if value.gpudata is None else int(value.gpudata)
            low = start % 16 if start else None
            values.append(start)
            facts.append((value.dtype, value.shape, value.strides, low))
        elif type(value) in (float, int):
            values.append(float(value))
            facts.append(float)
        else:
            start, stream, fact = _look_closer(value)
            values.append(start)
            facts.append(fact)
            if stream is not None:
                streams.append(stream)
    return values, streams, facts


def _look_closer(value):
    """The same of an array of any library, by its interface."""
    interface = getattr(value, "__cuda_array_interface__", None)
    if not isinstance(interface, dict):
        return 0, None, type(value)
    start, read_only = interface["data"]
    strides = interface.get("strides")
    fact = (
        _own_dtype(value),
        interface["typestr"],
        tuple(interface["shape"]),
        None if strides is None else tuple(strides),
        start % 16 if start else None,
        bool(read_only),
        interface.get("mask") is None,
    )
    return start or 0, interface.get("stream"), fact


def _planned(key, make, *arguments):
    """The plan for calls of a key: it is made once, and a call is checked in the making."""
    try:
        plan = _PLANS.get(key)
    except TypeError:
        # What cannot be looked up is not what forward returned, and is refused below.
        plan = None
    if plan is None:
        plan = make(*arguments)
        if len(_PLANS) >= _MOST_PLANS:
            _PLANS.clear()
        _PLANS[key] = plan
    return plan


def _plan_forward(objects):
    given = dict(zip(_FORWARD_SLOTS, objects, strict=False))
    call = _forward_call(given)
    outs = [given[f"out {name}"] for name in _OUTPUTS]
    call.add_results(_OUTPUTS, outs, dict.fromkeys(_OUTPUTS, call.row_dtype))
    call.take_workspace(given["the workspace"])
    plan = _Plan(call, _FORWARD_SLOTS, objects)
    plan.save_row_scalars(call)
    return plan


def _plan_backward(objects, saved):
    given = dict(zip(_BACKWARD_SLOTS, objects, strict=False))
    call = _backward_call(saved, given)
    kinds = {f"d{name}": kind for name, kind in _INPUTS.items()}
    dtypes = {f"d{name}": dtype for name, dtype in saved.dtypes.items()}
    call.add_results(kinds, [given[f"out {name}"] for name in kinds], dtypes)
    call.take_workspace(given["the workspace"])
    for names in _SHARED_GRADIENTS:
        call.share(names)
    return _Plan(call, _BACKWARD_SLOTS, objects)


class _Plan:
    """A checked call, for all calls that differ from it in addresses and numbers alone.

    It holds no array. Slots are places in the list of values that a call has.
    """

    def __init__(self, call, slots, objects):
        self.wanted, self.shape, self.rows = call.wanted, call.shape, call.rows
        self.slots = {name: slot for slot, name in enumerate(slots)}
        self.names = slots
        self.numbers, self.pieces, self.saved_bytes = [], (), 0
        there = {}
        for name, array in call.arrays.items():
            if isinstance(array, _Memory):
                there[self.slots[name]] = array.nbytes
            elif type(array) is float and name not in _CONSTANTS:
                self.numbers.append(self.slots[name])
        self.outputs = [self.slots[f"out {name}"] for name in call.results]
        written = self._add_results(call, objects)
        self.room = None
        if call.workspace is not None:
            self.room = written[self.slots["the workspace"]] = call.workspace.nbytes
        # Each array that is written, with those that it may not overlap.
        there = {slot: size for slot, size in there.items() if size}
        self.apart = []
        for slot, size in written.items():
            if size:
                self.apart.append((slot, size, tuple(there.items())))
                there[slot] = size
        self.resident = tuple(there)
        self.vectors = [(array.kind, array.pointer % 16) for array in call.vectors()]

    def _add_results(self, call, objects):
        """Sort results by where their memory comes from; the sizes of those in `out`."""
        results = {n: a for n, a in call.results.items() if a is not None}
        places = {name: self.slots[f"out {name}"] for name in results}
        self.present = set(places.values())
        sources = {}
        for name, array in results.items():
            if objects[places[name]] is array.owner:
                sources.setdefault(id(array), places[name])
        self.new, self.same, written, sizes = [], [], {}, {}
        for name, array in results.items():
            slot, source = places[name], sources[id(array)]
            if slot != source:
                self.same.append((slot, source))
                continue
            sizes[name] = slot, array.nbytes
            if array.owner is None:
                self.new.append((slot, array.shape, array.dtype, array.nbytes))
            else:
                written[slot] = array.nbytes
        # Kernels without rows do not run, so that there is no sum but zero.
        cleared = _ZERO_GRADIENTS if self.rows else sizes
        self.zeros = [sizes[name] for name in cleared if sizes.get(name, (0, 0))[1]]
        self.copies = []
        for names in (_SHARED_OUTPUTS, _SHARED_GRADIENTS):
            for group in names:
                there = [name for name in group if name in results]
                for name in there[1:]:
                    if results[name] is not results[there[0]]:
                        to, size = sizes[name]
                        self.copies.append((to, places[there[0]], size))
        return written

    def save_row_scalars(self, call):
        """Let forward put what it saves into pieces of one memory, and say what it keeps."""
        # Each on a boundary of 256 bytes.
        step = -(-call.rows * _BYTES[self.wanted.computed] // 256) * 256
        first = self.slots[_saved(_ROW_SCALARS[0])] if _ROW_SCALARS else 0
        self.pieces = [(first + n, n * step) for n in range(len(_ROW_SCALARS))]
        self.saved_bytes = len(_ROW_SCALARS) * step
        self.dtype = _dtype(self.wanted.computed)
        names = [name if name in self.slots else f"out {name}" for name in _SAVED]
        names += map(_saved, _ROW_SCALARS)
        self.kept = [self.slots[name] for name in names]
        self.dtypes = {}
        for name in _INPUTS:
            if isinstance(call.arrays[name], _Memory):
                self.dtypes[name] = call.arrays[name].dtype
            elif call.arrays[name] is not None:
                self.dtypes[name] = _dtype(self.wanted.parameter_type)

    def run(self, objects, values, streams, stream):
        """Check the addresses, make the arrays that are to be made, launch the kernels."""
        for slot, size, others in self.apart:
            start = values[slot]
            end = start + size
            for other, of in others:
                if values[other] < end and start < values[other] + of:
                    raise ValueError(
                        f"{self.spelled(slot)} overlaps {self.spelled(other)}; "
                        "pass another array"
                    )
        self.check_room(self.saved_bytes)
        handle = 0 if stream is None else _stream_handle(stream)
        with _LOCK:
            device = _device_of(self, values)
            pushed = device.enter(self)
            try:
                for other in streams:
                    if other != (handle or 1):
                        _cuda("cuStreamSynchronize", ctypes.c_void_p(other))
                device.launches_of(self).run(objects, values, stream, handle)
            finally:
                if pushed:
                    device.leave()

    def partial_bytes(self, values):
        """What the partial sums of backward take."""
        with _LOCK:
            device = _device_of(self, values)
            pushed = device.enter(self)
            try:
                return device.launches_of(self).partial_bytes
            finally:
                if pushed:
                    device.leave()

    def spelled(self, slot):
        """What a slot is called in a message."""
        return self.names[slot].replace("out ", "out for ").removeprefix("the ")

    def check_room(self, needed):
        if self.room is not None and self.room < needed:
            raise ValueError(
                f"workspace has {self.room} bytes and {self.wanted.direction} needs "
                f"{needed}; workspace_bytes says how many"
            )


_LOCK = threading.RLock()
_DEVICES = {}
"""By the handle of the context."""

_MOST_NUMBERS = 256
_MOST_STREAMS = 32
_CONTEXT_OF, _ORDINAL_OF = 1, 9
"""What cuPointerGetAttribute is asked for."""

_NOT_INITIALIZED = 3
_STREAM_OF_THREAD = 2
_gpu_array = None
"""PyCUDA's class of arrays, once PyCUDA is there."""

_NO_PYCUDA = (
    "the CUDA backend needs PyCUDA: pip install pycuda, with a CUDA toolkit at hand; "
    "without a GPU, the NumPy backend beside this file has the same functions"
)
_NO_DRIVER = (
    "PyCUDA is installed and finds no NVIDIA driver or GPU ({error}); install the driver, "
    "or use the NumPy backend beside this file, which has the same functions"
)
_NOT_CURRENT = (
    "{name} is of a context that is neither its device's primary one nor current; make it "
    "current, or allocate in the primary context"
)


def _pycuda():
    """PyCUDA's driver module, with a driver under it."""
    global _gpu_array
    try:
        import pycuda
    except ImportError as error:
        raise ImportError(_NO_PYCUDA) from error
    try:
        import pycuda.driver
    except ImportError as error:
        raise ImportError(_NO_DRIVER.format(error=error)) from error
    try:
        pycuda.driver.init()
    except pycuda.driver.Error as error:
        raise ImportError(_NO_DRIVER.format(error=error)) from error
    from pycuda.gpuarray import GPUArray

    _gpu_array = GPUArray
    return pycuda.driver


def _cuda(function, *arguments):
    """Call the driver, for what PyCUDA has no call for. Raises RuntimeError if it fails."""
    library = _driver_library()
    code = getattr(library, function)(*arguments)
    if code:
        text = ctypes.c_char_p()
        library.cuGetErrorString(code, ctypes.byref(text))
        words = (text.value or b"unknown error").decode()
        raise RuntimeError(f"{function} failed with error {code}: {words}")


@cache
def _driver_library():
    return ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")


def _device_of(plan, values):
    """The device that the arrays of a call are on, in the context that they are of.

    The driver is asked of each array whose context it is: memory may have been freed, and
    its address be another's since.
    """
    if not _DEVICES:
        return _find_device(plan, values)
    ask = _driver_library().cuPointerGetAttribute
    address, found, first = ctypes.c_uint64(), ctypes.c_void_p(), None
    there = ctypes.byref(found)
    for slot in plan.resident:
        address.value = values[slot]
        failed = ask(there, _CONTEXT_OF, address)
        if failed or found.value != first:
            if failed or first is not None:
                return _find_device(plan, values)
            first = found.value
    return _DEVICES.get(first) or _find_device(plan, values)


def _find_device(plan, values):
    """The same, device by device, with an error for arrays that do not go together."""
    driver = _pycuda()
    first = None
    for slot in plan.resident:
        name = plan.spelled(slot)
        place = _place(name, values[slot])
        first = first or (name, *place)
        if place[0] != first[1]:
            raise ValueError(
                f"{name} is on device {place[0]} and {first[0]} on device {first[1]}; "
                "pass both on one"
            )
        if place[1] != first[2] and None not in (place[1], first[2]):
            raise ValueError(
                f"{name} and {first[0]} are of two contexts; allocate both in one"
            )
        if first[2] is None:
            first = (name, *place)
    name, ordinal, context = first or ("", *_current_place())
    primary = _primary(driver, ordinal)
    if context in (None, primary.handle):
        return primary
    if context not in _DEVICES:
        if _current_context() != context:
            raise ValueError(_NOT_CURRENT.format(name=name))
        _DEVICES[context] = _Device(driver, ordinal, None, context)
    return _DEVICES[context]


def _primary(driver, ordinal):
    """A device in its primary context, which is retained from now on."""
    for device in _DEVICES.values():
        if device.ordinal == ordinal and device.context is not None:
            return device
    context = driver.Device(ordinal).retain_primary_context()
    device = _Device(driver, ordinal, context, context.handle)
    return _DEVICES.setdefault(device.handle, device)


def _place(name, pointer):
    """The device and the context of an address; None for memory of no single context."""
    ordinal, context = ctypes.c_int(), ctypes.c_void_p()
    library, address = _driver_library(), ctypes.c_uint64(pointer)
    failed = library.cuPointerGetAttribute(ctypes.byref(ordinal), _ORDINAL_OF, address)
    if failed == _NOT_INITIALIZED:
        raise RuntimeError(
            "the driver is not to be used in a process that was forked after its parent "
            "used it; start processes with multiprocessing's spawn"
        )
    if failed:
        raise ValueError(f"{name} is at {pointer:#x}, which is no device's memory")
    there = ctypes.byref(context)
    failed = library.cuPointerGetAttribute(there, _CONTEXT_OF, address)
    return ordinal.value, None if failed else context.value


def _current_place():
    """Where arrays without entries are taken to be: where new ones would be."""
    ordinal, context = ctypes.c_int(), _current_context()
    if context is not None:
        _cuda("cuCtxGetDevice", ctypes.byref(ordinal))
    return ordinal.value, context


def _current_context():
    context = ctypes.c_void_p()
    _driver_library().cuCtxGetCurrent(ctypes.byref(context))
    return context.value


class _Device:
    """A device, in its primary context or, where arrays are of another, in the current one.

    The primary context is what PyTorch and CuPy use. If it is not current, it is made so
    while a call runs.
    """

    def __init__(self, driver, ordinal, context, handle):
        self.driver, self.ordinal = driver, ordinal
        self.context, self.handle = context, handle
        self.modules, self.launches, self.numbers, self.scratch = {}, {}, {}, {}
        device = driver.Device(ordinal)
        of = driver.device_attribute
        self.architecture = "sm_{}{}".format(*device.compute_capability())
        self.processors = device.get_attribute(of.MULTIPROCESSOR_COUNT)
        self.threads = device.get_attribute(of.MAX_THREADS_PER_MULTIPROCESSOR)
        self.registers = device.get_attribute(of.MAX_REGISTERS_PER_MULTIPROCESSOR)
        self.shared = device.get_attribute(of.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
        self.block_shared = device.get_attribute(of.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)

    def enter(self, plan):
        """Make the context current; whether there is something for `leave` to do."""
        if _current_context() == self.handle:
            return False
        if self.context is None:
            name = plan.spelled(plan.resident[0])
            raise ValueError(_NOT_CURRENT.format(name=name))
        self.context.push()
        return True

    def leave(self):
        self.driver.Context.pop()

    def launches_of(self, plan):
        launches = self.launches.get(plan)
        if launches is None:
            # To load a module, PyCUDA has to know of the context that is current.
            if self.context is not None:
                self.context.push()
            try:
                launches = _Launches(plan, self)
            finally:
                if self.context is not None:
                    self.leave()
            if len(self.launches) >= _MOST_PLANS:
                self.launches.clear()
            self.launches[plan] = launches
        return launches

    def kernels(self, wanted, narrow):
        key = (wanted, narrow)
        if key not in self.modules:
            self.modules[key] = _Module(self, wanted, narrow)
        return self.modules[key]

    def number(self, value, kind):
        """A number in device memory, in some type; it is put there once."""
        bits = _entry(value, kind)
        memory = self.numbers.get(bits)
        if memory is None:
            if len(self.numbers) >= _MOST_NUMBERS:
                self.numbers.clear()
            memory = self.numbers[bits] = _Allocation(len(bits))
            address = ctypes.c_uint64(memory.pointer)
            _cuda("cuMemcpyHtoD_v2", address, bits, ctypes.c_size_t(len(bits)))
            _cuda("cuCtxSynchronize")
        return memory

    def scratch_for(self, stream, handle, size):
        """Memory that the calls on a stream share, one after the other.

        The stream is kept with it: its handle may not come to be another's meanwhile.
        """
        if handle == _STREAM_OF_THREAD:
            # One handle for a stream of each thread, so there is nothing to share.
            return _Allocation(size)
        memory, _ = self.scratch.pop(handle, (None, None))
        if memory is None or memory.size < size:
            memory = _Allocation(size)
        while len(self.scratch) >= _MOST_STREAMS:
            # The one that was used longest ago; the driver waits for it before it frees.
            del self.scratch[next(iter(self.scratch))]
        self.scratch[handle] = memory, stream
        return memory


class _Allocation:
    """Device memory that is freed with this object, whatever thread that happens in."""

    driver_is_there = True

    def __init__(self, size):
        pointer, self.context = ctypes.c_uint64(), ctypes.c_void_p()
        _cuda("cuCtxGetCurrent", ctypes.byref(self.context))
        _cuda("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        self.pointer, self.size = pointer.value, size

    def __del__(self):
        if self.driver_is_there and hasattr(self, "pointer"):
            library = _driver_library()
            if not library.cuCtxPushCurrent_v2(self.context):
                library.cuMemFree_v2(ctypes.c_uint64(self.pointer))
                library.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


@atexit.register
def _forget_devices():
    """Unload what was loaded while the driver is still there; it takes the memory along."""
    _Allocation.driver_is_there = False
    _PLANS.clear()
    _DEVICES.clear()


def _new_lock():
    """A process that was forked has none of the threads that may have held the lock."""
    global _LOCK
    _LOCK = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)


def _entry(value, kind):
    """The bytes of a number in a type, rounded to nearest even."""
    if kind != "bf16":
        return np.array(value, _TYPES[kind]).tobytes()
    bits = int(np.array(value, np.float32).view(np.uint32))
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).to_bytes(2, sys.byteorder)


_LEAST_SHARED = 98304
_THREADS_AT_A_TIME = 1024
"""Threads of a multiprocessor that keep its memory busy; more blocks only add partial sums."""


class _Launches:
    """A plan on a device: the memory that a call makes, and the kernels, ready to launch."""

    def __init__(self, plan, device):
        self.plan, self.device = plan, device
        self.slot = plan.slots["the workspace"]
        self.new = [
            (slot, size, _gpu_array(shape, dtype, gpudata=0))
            for slot, shape, dtype, size in plan.new
        ]
        self.piece = None
        if plan.pieces:
            self.piece = _gpu_array(plan.shape[:-1], plan.dtype, gpudata=0)
        self.steps, self.partial_bytes, self.counts = [], 0, (plan.rows, 0, 0)
        if plan.rows:
            self._load()

    def _load(self):
        plan, device = self.plan, self.device
        wanted = plan.wanted
        module = device.kernels(wanted, narrow=False)
        if not module.fits(plan.vectors):
            module = device.kernels(wanted, narrow=True)
        kernel = module.kernels[wanted.direction]
        blocks = min(-(-plan.rows // kernel.rows_per_block), 2**31 - 1)
        columns = module.kernels.get("backward_columns")
        if wanted.direction == "backward":
            # A grid that stays, so that there are few partial sums.
            blocks = min(blocks, device.processors * kernel.blocks_at_a_time(device))
        self.counts = (plan.rows, wanted.features, blocks)
        self._add_step(kernel, blocks)
        if columns and _sums_wanted(wanted.without):
            into_columns, into_scalars = _SUMS
            entries = blocks * (into_columns * wanted.features + into_scalars)
            self.partial_bytes = entries * _BYTES[wanted.computed]
            width = columns.rows_per_block
            self._add_step(columns, -(-wanted.features // width) if width else 1)

    def _add_step(self, kernel, blocks):
        slots = [self._slot(part) for part in kernel.parts]
        self.steps.append((kernel, (blocks, 1, 1), itemgetter(*slots)))

    def _slot(self, part):
        """Where the value for an argument of a kernel is: that of the first result there."""
        if not part.startswith("out "):
            return self.plan.slots[part]
        slots = [self.plan.slots[f"out {name}"] for name in part.split()[1:]]
        return next((slot for slot in slots if slot in self.plan.present), slots[0])

    def run(self, objects, values, stream, handle):
        self.plan.check_room(self.partial_bytes)
        values += self.counts
        self._allocate(objects, values)
        kept = self._fill_in(values, stream, handle)
        for slot, size in self.plan.zeros:
            start, size = ctypes.c_uint64(values[slot]), ctypes.c_size_t(size)
            queue = ctypes.c_void_p(handle)
            _cuda("cuMemsetD8Async", start, ctypes.c_ubyte(0), size, queue)
        native = stream is None or isinstance(stream, self.device.driver.Stream)
        for kernel, grid, arguments in self.steps:
            packed = kernel.pack(*arguments(values))
            if native:
                kernel.launch(grid, kernel.block, packed, kernel.shared_bytes, stream)
            else:
                kernel.launch_foreign(grid, packed, handle)
        for slot, source, size in self.plan.copies:
            to, start = ctypes.c_uint64(values[slot]), ctypes.c_uint64(values[source])
            queue = ctypes.c_void_p(handle)
            _cuda("cuMemcpyDtoDAsync_v2", to, start, ctypes.c_size_t(size), queue)
        # Memory that is freed now is freed after the kernels that read it.
        del kept

    def _allocate(self, objects, values):
        """Make a GPUArray of each result that the caller gave no array for."""
        for slot, size, prototype in self.new:
            memory = _Allocation(size) if size else None
            values[slot] = memory.pointer if memory else 0
            objects[slot] = _like(prototype, values[slot], memory)
        for slot, source in self.plan.same:
            objects[slot], values[slot] = objects[source], values[source]
        if self.piece is not None:
            memory, start = objects[self.slot], values[self.slot]
            if memory is None and self.plan.saved_bytes:
                memory = _Allocation(self.plan.saved_bytes)
                start = memory.pointer
            for slot, offset in self.plan.pieces:
                values[slot] = start + offset
                objects[slot] = _like(self.piece, start + offset, memory)

    def _fill_in(self, values, stream, handle):
        """Memory for partial sums and for numbers, which is to outlive the launches."""
        kind = self.plan.wanted.parameter_type
        kept = []
        for slot in self.plan.numbers:
            kept.append(self.device.number(values[slot], kind))
            values[slot] = kept[-1].pointer
        if self.partial_bytes and self.plan.room is None:
            kept.append(self.device.scratch_for(stream, handle, self.partial_bytes))
            values[self.slot] = kept[-1].pointer
        return kept


def _like(prototype, start, memory):
    """A GPUArray like another, elsewhere: copied, for its constructor takes far longer."""
    array = object.__new__(_gpu_array)
    vars(array).update(vars(prototype))
    array.gpudata, array.base = start, memory
    return array


def _sums_wanted(without):
    """Whether some gradient is a sum over rows: all may go with inputs left out."""
    parts = _KERNELS.get("backward_columns", ("", ()))[1]
    gradients = [part.split()[1:] for part in parts if part.startswith("out ")]
    inputs = [name.removeprefix("d") for names in gradients for name in names]
    return any(name not in without for name in inputs)


class _Module:
    """The loaded kernels of a direction, for a row length, types, and inputs left out."""

    def __init__(self, device, wanted, narrow):
        self.device = device
        self.macros = [
            f"LNGEN_{wanted.direction.upper()}",
            f"LNGEN_{wanted.row_type.upper()}",
            f"LNGEN_D={wanted.features}",
            *(f"LNGEN_WITHOUT_{name}" for name in wanted.without),
        ]
        if wanted.parameter_type != wanted.row_type:
            self.macros.append(f"LNGEN_PARAMETERS={wanted.parameter_type}")
        if device.block_shared < _LEAST_SHARED:
            self.macros.append(f"LNGEN_SHARED={device.block_shared}")
        if narrow:
            self.macros.append("LNGEN_VECTOR=1")
        self.cubin, self.module = _load(device, self.macros)
        self.kernels = {
            name: _Kernel(self, name, wanted)
            for name in _KERNELS
            if name.startswith(wanted.direction)
        }
        vector = self.kernels[wanted.direction].vector
        types = {wanted.row_type, wanted.parameter_type}
        self.alignment = {kind: min(16, vector * _BYTES[kind]) for kind in types}

    def fits(self, vectors):
        """Whether arrays of some types are aligned, by their addresses modulo 16."""
        return all(start % self.alignment[kind] == 0 for kind, start in vectors)


class _Kernel:
    """A kernel, ready for launching, and what the module says of its launch."""

    def __init__(self, module, name, wanted):
        driver = module.device.driver
        letters, self.parts = _KERNELS[name]
        letters = letters.replace("A", "d" if wanted.computed == "f64" else "f")
        self.pack = struct.Struct(letters).pack
        self.name, self.cubin = f"{name}_{wanted.row_type}", module.cubin
        self.function = module.module.get_function(self.name)
        launch = np.empty(8, np.int32)
        driver.memcpy_dtoh(launch, module.module.get_global(f"{self.name}_launch")[0])
        threads, rows, shared, vector = (int(number) for number in launch[:4])
        self.block, self.rows_per_block = (threads, 1, 1), rows
        self.shared_bytes, self.vector = shared, vector
        if shared > 48 * 1024:
            attribute = driver.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES
            self.function.set_attribute(attribute, shared)
        # What prepared_async_call ends in: its way there takes five times as long.
        self.launch = self.function._launch_kernel
        self.foreign = None

    def blocks_at_a_time(self, device):
        """How many blocks a multiprocessor holds, as far as more of them are any use."""
        threads = self.block[0]
        registers = -(-max(self.function.num_regs, 1) // 8) * 8 * threads
        limits = (
            min(device.threads, _THREADS_AT_A_TIME) // threads,
            device.registers // registers,
            device.shared // (self.shared_bytes + 1024),
        )
        return max(1, min(limits))

    def launch_foreign(self, grid, packed, stream):
        """Launch on a stream of another library, which PyCUDA cannot wrap."""
        if self.foreign is None:
            self.foreign = self._foreign_function()
        extra = _Extra.of(packed)
        place = (*grid, *self.block, self.shared_bytes)
        queue = ctypes.c_void_p(stream)
        _cuda("cuLaunchKernel", self.foreign, *place, queue, None, ctypes.byref(extra))

    def _foreign_function(self):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        _cuda("cuModuleLoadData", ctypes.byref(module), self.cubin)
        name = self.name.encode()
        _cuda("cuModuleGetFunction", ctypes.byref(function), module, name)
        if self.shared_bytes > 48 * 1024:
            shared = ctypes.c_int(self.shared_bytes)
            _cuda("cuFuncSetAttribute", function, 8, shared)
        return function


class _Extra(ctypes.Structure):
    """cuLaunchKernel's list of extras: where the arguments are, and how long they are."""

    _fields_ = [
        ("buffer_is_next", ctypes.c_void_p),
        ("buffer", ctypes.c_char_p),
        ("size_is_next", ctypes.c_void_p),
        ("size", ctypes.POINTER(ctypes.c_size_t)),
        ("end", ctypes.c_void_p),
    ]

    @classmethod
    def of(cls, packed):
        return cls(1, packed, 2, ctypes.pointer(ctypes.c_size_t(len(packed))), 0)


_compiler_runs = 0
_SOURCE = Path(__file__).with_name("kernels.cu")
_NO_COMPILER = (
    "no compiler for kernels.cu: put nvcc on the PATH, or install NVRTC with "
    "pip install nvidia-cuda-nvrtc nvidia-cuda-runtime"
)


def _load(device, macros):
    """The compiled kernels and the module that PyCUDA makes of them."""
    cubin = _compiled(device.architecture, macros, again=False)
    try:
        return cubin, device.driver.module_from_buffer(cubin)
    except device.driver.Error:
        # What is in the cache may be of another driver, or damaged.
        cubin = _compiled(device.architecture, macros, again=True)
        return cubin, device.driver.module_from_buffer(cubin)


def _compiled(architecture, macros, again):
    """The machine code for an architecture, from the cache unless it is wanted `again`."""
    global _compiler_runs
    source = _includes.inlined(_SOURCE)
    compiler = _compiler()
    options = ["-std=c++17", *(f"-D{macro}" for macro in sorted(macros))]
    parts = [source, architecture, *options, compiler.identity()]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    path = _cache_folder() / f"{digest}.cubin"
    if not again:
        with suppress(OSError):
            return path.read_bytes()
    _compiler_runs += 1
    cubin = compiler.compile(source, architecture, options)
    _keep(path, cubin)
    return cubin


def _cache_folder():
    named = os.environ.get("LNGEN_CACHE")
    if named:
        return Path(named).absolute() / "cuda"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "lngen" / "cuda"


def _keep(path, content):
    """Write a file whole or not at all: other processes may be doing the same."""
    new = path.with_name(f".{path.name}.{token_hex(8)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(content)
        new.replace(path)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        warnings.warn(
            f"{path.parent}: {error.strerror or error}; compiled kernels are not kept: "
            "set LNGEN_CACHE to a folder that can be written",
            stacklevel=2,
        )


def _compiler():
    """nvcc if there is one, else NVRTC; $LNGEN_COMPILER names one of the two."""
    wanted = os.environ.get("LNGEN_COMPILER", "")
    if wanted not in ("", "nvcc", "nvrtc"):
        raise ValueError(f'LNGEN_COMPILER is {wanted!r}; set it to "nvcc" or "nvrtc"')
    for name, find in (("nvcc", _find_nvcc), ("nvrtc", _find_nvrtc)):
        if wanted in ("", name) and (found := find()) is not None:
            return _Nvcc(found) if name == "nvcc" else _Nvrtc(*found)
    raise RuntimeError(_NO_COMPILER)


def _toolkits():
    roots = [os.environ.get(key) for key in ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT")]
    return [Path(root) for root in (*roots, "/usr/local/cuda") if root]


def _find_nvcc():
    on_path = shutil.which("nvcc")
    if on_path:
        return Path(on_path)
    places = [root / "bin" / "nvcc" for root in _toolkits()]
    return next((place for place in places if place.exists()), None)


def _find_nvrtc():
    """The library and the folder of the half-precision headers, in wheels or a toolkit."""
    packages = [Path(entry) / "nvidia" for entry in sys.path if entry]
    wheels = [
        root
        for folder in packages
        for root in (*sorted(folder.glob("cu[0-9]*"), reverse=True), folder)
    ]
    for root in (*wheels, *_toolkits()):
        library = _first(root, "lib", "lib64", "cuda_nvrtc/lib", name="libnvrtc.so*")
        header = _first(root, "include", "cuda_runtime/include", name="cuda_fp16.h")
        if library and header:
            return library, header.parent
    return None


def _first(root, *folders, name):
    found = (
        path for folder in folders for path in sorted(root.glob(f"{folder}/{name}"))
    )
    return next(found, None)


def _version_of(path, ask):
    """What a compiler says of its version, asked once for each of its files."""
    there = path.resolve()
    state = there.stat()
    key = f"{path.absolute()} {there} {state.st_mtime_ns} {state.st_size}"
    place = _cache_folder() / f"{hashlib.sha256(key.encode()).hexdigest()}.version"
    try:
        return place.read_text(encoding="utf-8")
    except OSError:
        version = ask()
        _keep(place, version.encode())
        return version


class _Nvcc:
    """NVIDIA's compiler, run by PyCUDA."""

    def __init__(self, path):
        self.path = path

    def identity(self):
        return _version_of(self.path, self._ask)

    def _ask(self):
        command = [str(self.path), "--version"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout

    def compile(self, source, architecture, options):
        from pycuda.compiler import compile
        from pycuda.driver import CompileError

        try:
            return compile(
                source,
                nvcc=str(self.path),
                options=options,
                no_extern_c=True,
                arch=architecture,
                cache_dir=False,
            )
        except CompileError as error:
            raise RuntimeError(f"{self.path} refused {_SOURCE}:\n{error}") from error


class _Nvrtc:
    """NVIDIA's run-time compiler, a library."""

    def __init__(self, path, headers):
        self.path, self.headers, self.library = path, headers, None

    def identity(self):
        return _version_of(self.path, self._ask)

    def _ask(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        return f"NVRTC {major.value}.{minor.value}"

    def compile(self, source, architecture, options):
        program = ctypes.c_void_p()
        text, name = source.encode(), str(_SOURCE).encode()
        created = (ctypes.byref(program), text, name, 0, None, None)
        self._call("nvrtcCreateProgram", *created)
        line = [*options, f"--gpu-architecture={architecture}", f"-I{self.headers}"]
        words = (ctypes.c_char_p * len(line))(*(word.encode() for word in line))
        try:
            if self.library.nvrtcCompileProgram(program, len(line), words):
                log = self._bytes(program, "ProgramLog").rstrip(b"\0").decode()
                raise RuntimeError(f"NVRTC refused {_SOURCE}:\n{log}")
            return self._bytes(program, "CUBIN")
        finally:
            self._call("nvrtcDestroyProgram", ctypes.byref(program))

    def _bytes(self, program, what):
        size = ctypes.c_size_t()
        self._call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self._call(f"nvrtcGet{what}", program, buffer)
        return buffer.raw

    def _call(self, function, *arguments):
        if self.library is None:
            self.library = ctypes.CDLL(str(self.path))
        code = getattr(self.library, function)(*arguments)
        if code:
            raise RuntimeError(f"{function} failed with error {code}")
>>>>>>> f109591679e4b8773db57aa294c2a6a73df74110
