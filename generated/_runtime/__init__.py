# SPDX-License-Identifier: MIT
"""What emitted layers share: `lngen derive` writes it beside them, as it is, under the name `_runtime`.

On NumPy, `blocks` takes rows block by block, `rows` has sums and ufuncs of them, `functions` those that NumPy lacks,
`directions` are the public functions but for their signatures, and `calls` looks at arguments and makes results;
`saved` finds what arrays tell of a call, and `interface` has the types of `INTERFACE`. On CUDA, `launcher` is what a
layer calls: it looks at device arrays (`device_arrays`, by `dlpack` too) and calls of them (`device_calls`), plans each
kind of call once (`plans`), finds the device (`devices`), compiles kernels (`compilers`) and launches them (`kernels`).
Kernels have `rows.cuh`, `shapes.cuh`, `geometry.cuh`, `reductions.cuh`, `row_loop.cuh`, `moments.cuh`, `kernels.cuh`;
`copies.cuh` has what only PTX can say; `includes` makes one text of them. On the processor, kernels in C++ are compiled
and loaded by `host_compiler`; `host_kernels` knows which a call needs, and `host_calls` has host_call.c look at usual
calls, and `host_samples` goes through samples with parameters of their own. `binding` calls a kernel, `extensions`
compiles C for this Python, `host_threads` share the work of a call, and `host_memory` has memory for results. What was
compiled is in `cache`. Classes for NumPy are made of `modules`, whose `parameters` serve other classes too. In PyTorch,
`torch` is what a layer calls, of operators that `torch_operators` makes, `torch_kernels` and `torch_gpu` compute and
`torch_derivatives` differentiates, with `torch_second_tangents`; `torch_parts` are their arguments, `torch_samples` the
rule of vmap; `torch_dispatch` has short ways to them, `torch_sharding` rows of several processes, and `torch_replace`
lets layers compute the `forward` of other modules (`torch_forward`) that `torch_alike` finds to compute the same. In
JAX, `jax` is, of `jax_primitives`, which `jax_kernels` computes, by jax_call.cpp if that can be (`jax_calls`), on a GPU
by jax_gpu_call.cpp (`jax_gpu`), both of which `jax_handlers` compiles, and `jax_derivatives` differentiates by
`jax_rules`; `host_module` says what computes for both. Features of several processes are `sharded`, over what
`collectives` gather, `host_parts` being compiled; those on their GPUs are `device_sharded`, of `device_parts`; where
rows are, `gradient_sums` adds up what parameters get. The modules of a layer are found by `emitted`, by backend.
Nothing here knows a layer, and nothing but NumPy is imported, PyCUDA when a kernel is first asked for, and frameworks
by what is named after them.
"""
