# SPDX-License-Identifier: MIT
"""Code that emitted layers share; `lngen derive` copies it unchanged beside them, under the name `_runtime`.

Takes: arrays, and the tables of an emitted layer.
Gives: the results of a direction, on NumPy, compiled, on a GPU and in PyTorch.
Knows nothing of: layers, and the rest of lngen.

The NumPy code imports NumPy alone; PyCUDA is imported when a kernel is first asked for, and a framework by the modules
of its folder.

`protocol`: `calls` checks arguments, makes results, and says what is computed in. `saved` infers the type and shape of
a call from saved arrays, `interface` types `INTERFACE`, and `axes` arranges arrays
whose axes have names. `directions` says what each direction takes and makes, for what knows no layer before it runs.

`numpy`: `blocks` takes rows block by block, `rows` has sums and ufuncs, `functions` those that NumPy lacks, and `axes`
reads named axes as rows. `modules` makes classes.

`cuda`: `launcher` is the entry point of a layer, whose page names the values of its calls and launches its kernels.
`arrays` reads device arrays, `libraries` exchanges them, and `plans` checks each kind of call once. `devices` finds
the device, `compilers` compiles kernels, and `kernels` launches them. `driver` has the functions of the driver that
PyCUDA lacks. The headers of kernels are `*.cuh`: `copies.cuh` wraps PTX.

`native`, C++ on the processor: `compiler` compiles and loads kernels, and `compiled` calls those of a direction.
`straight` checks arrays that kernels take as they are, and `long` converts others. `threads` shares the work of a
call, `memory` pools results, and `extensions` compiles C for this Python.

`torch`: the package is the entry point. `asked` says who has a say in a call, `guards` which tensors compiled kernels
take, `layers` has the way of all other calls and `operators` that of compiled programs; `gpu` launches Triton's
kernels. `replace`, `alike` and `forward` put layers into a model; `chunked` joins a loss with the product before it.

`cpp` has the headers that C++ and CUDA share: left-out arguments and names as types.

For all: `emitted` finds the modules of a layer by backend, `cache` keeps compiled code in folders that `trust` has
checked, and `includes` joins the files of a source into one text.
"""
