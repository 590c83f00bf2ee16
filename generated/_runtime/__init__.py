# SPDX-License-Identifier: MIT
"""Code that emitted layers share; `lngen derive` copies it unchanged beside them, under the name `_runtime`.

Nothing here knows a layer. The NumPy code imports NumPy alone; PyCUDA is imported when a kernel is first asked for, and
a framework by the modules that have its name.

NumPy: `directions` has the public functions without their signatures, `calls` checks arguments and makes results.
`blocks` takes rows block by block, `rows` has sums and ufuncs, `functions` those that NumPy lacks. `saved` infers the
type and shape of a call from saved arrays, and `interface` types `INTERFACE`. `modules` makes classes, with
`parameters`.

CUDA: `launcher` is the entry point of a layer. `device_arrays` and `dlpack` read device arrays, `device_calls` checks a
call, and `plans` plans each kind of call once. `devices` finds the device, `compilers` compiles kernels, `kernels`
launches them, and `tuning` chooses a grid. `driver` has the functions of the driver that PyCUDA lacks. The headers of
kernels are `*.cuh`: `copies.cuh` wraps PTX, and `includes` joins them into one text.

C++ on the processor: `host_compiler` compiles and loads kernels, and `host_kernels` chooses the kernel of a call.
`host_calls` sends usual calls through host_call.c, and `host_samples` loops over samples with parameters of their own.
`binding` calls a kernel, and `extensions` compiles C for this Python. `host_threads` shares the work of a call, and
`host_memory` pools results. `cache` keeps compiled code.

PyTorch: `torch` is the entry point. `torch_operators` makes operators, which `torch_kernels` and `torch_gpu` compute,
and `torch_derivatives` and `torch_second_tangents` differentiate. `torch_parts` describes their arguments,
`torch_samples` has the rule of vmap, `torch_dispatch` the fast paths, and `torch_sharding` the rules of DTensor.
`torch_replace` replaces modules: `torch_forward` computes their `forward`, after `torch_alike` has compared the two.

JAX: `jax` is the entry point. `jax_primitives` makes primitives, which `jax_kernels` computes and `jax_derivatives`
differentiates by `jax_rules`. `jax_calls` calls kernels by jax_call.cpp, and `jax_gpu` by jax_gpu_call.cpp on a GPU;
`jax_handlers` compiles both. `host_module` chooses between NumPy and C++ for both frameworks.

Several processes: `sharded` computes rows whose features are sharded, over the exchanges of `collectives`, with kernels
of `host_parts`. `device_sharded` and `device_parts` do so on GPUs. `gradient_sums` adds up the gradients of parameters
where rows are sharded.

`emitted` finds the modules of a layer by backend.
"""
