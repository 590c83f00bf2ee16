# SPDX-License-Identifier: MIT
"""What emitted layers share: `lngen derive` writes it beside them, as it is, under the name `_runtime`.

`rows` takes rows block by block, `functions` are those that NumPy lacks, `calls` looks at arguments and makes results.
For kernels, `rows.cuh` and `reductions.cuh` are what they include, and `includes` makes one text of them. Nothing here
knows a layer, and nothing but NumPy is imported.
"""
