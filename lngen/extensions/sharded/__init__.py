"""Rows whose features are sharded over several processes: `--sharded` of `lngen derive`.

`sharding` splits a row program into parts and merges (`merging`), and `emission` prints these for NumPy, the processor
(`compiled`) and CUDA (`device`). `over_parts` holds the code against its definition, and `placement` is a model of its
time. The files that emitted code is copied with are those of `lngen.runtime.sharded`, and `parts` and `sharded` of
`lngen.runtime.native` and `lngen.runtime.cuda`: an emitted layer imports nothing of lngen.
"""
