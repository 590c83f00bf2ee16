"""`make gpu`: the tests, the sanitizer and the benchmark on a machine with a GPU; docs/gpu.md says more."""
