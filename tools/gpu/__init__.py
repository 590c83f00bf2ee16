"""`make gpu`: the tests, the benchmark and the sanitizer on a machine with a GPU; docs/gpu.md says more."""
