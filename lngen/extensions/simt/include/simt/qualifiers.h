// The words that CUDA C++ adds to C++, and the toolkit's own headers, which a host compiler takes as they are.
#pragma once

#define __host__
#define __device__
#define __global__ __attribute__((used, visibility("default")))
#define __constant__
#define __managed__
#define __grid_constant__
// Blocks run one after another, so one copy is enough. `extern __shared__` is rewritten before this is seen.
#define __shared__ static __attribute__((section("simt_shared")))

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#undef __launch_bounds__
#undef __forceinline__
#undef __noinline__  // headers of the standard library write it as the name of an attribute
#undef __cluster_dims__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
// Always, so that the chain of calls that leads to an access is in the debug information.
#define __forceinline__ inline __attribute__((always_inline))
