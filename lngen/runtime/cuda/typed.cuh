// SPDX-License-Identifier: MIT
// Launches of kernels on a stream, for programs of CUDA C++: the functions of layer.cuh, which includes this after the
// kernels, are made of them.
#ifndef LNGEN_TYPED_CUH
#define LNGEN_TYPED_CUH

#include <cuda_runtime.h>

#include <algorithm>

// A kernel of the layer for LNGEN_ROWS, and how it is launched.
#define LNGEN_OF_ROWS(KERNEL) LNGEN_JOINED(LNGEN_OWN(KERNEL), LNGEN_ROWS)
#define LNGEN_WITH(KERNEL) LNGEN_JOINED(LNGEN_OF_ROWS(KERNEL), with)
#define LNGEN_BLOCKS_ON(ON, KERNEL, ROWS, LEAVES_SUMS) \
  ON.blocks<LNGEN_WITH(KERNEL)>(LNGEN_OF_ROWS(KERNEL), ROWS, LEAVES_SUMS)
#define LNGEN_COLUMNS_ON(KERNEL, D) (LNGEN_WITH(KERNEL)::ROWS ? lngen::parts(D, LNGEN_WITH(KERNEL)::ROWS) : 1)
#define LNGEN_LAUNCH_ON(ON, KERNEL, BLOCKS, ...) \
  ON.launch<LNGEN_WITH(KERNEL)>(LNGEN_OF_ROWS(KERNEL), BLOCKS, __VA_ARGS__)

namespace lngen {

constexpr long long parts(long long all, long long of_each) { return (all + of_each - 1) / of_each; }

// The work of one call on a stream. After an error nothing more is launched.
struct OnStream {
  cudaStream_t stream;
  cudaError_t error = cudaSuccess;

  // The grid for some rows, by the rules of grids.py; 0 for no rows.
  template <class With, class... P> int blocks(void (*kernel)(P...), long long rows, bool leaves_sums) {
    static_assert(With::BLOCKS_PER_ROW == 1, "layer.cuh launches no clusters: leave LNGEN_BLOCKS_PER_ROW out");
    int device = 0, processors = 0, beside = 0;
    if (With::SHARED_BYTES > 48 * 1024)
      did(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, With::SHARED_BYTES));
    did(cudaGetDevice(&device));
    did(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    did(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&beside, kernel, With::THREADS, With::SHARED_BYTES));
    const long long needed = parts(rows, With::ROWS), held = std::max(1, processors * beside);
    if (!leaves_sums) return int(std::min(needed, beside >= ENOUGH_BESIDE ? MOST_BLOCKS : held));
    return int(parts(needed, std::max(1ll, parts(needed, held))));
  }

  template <class With, class... P, class... Given>
  void launch(void (*kernel)(P...), long long blocks, Given... arguments) {
    if (error != cudaSuccess || blocks == 0) return;
    cudaLaunchConfig_t how = {};
    how.gridDim = dim3(unsigned(blocks));
    how.blockDim = dim3(With::THREADS);
    how.dynamicSmemBytes = With::SHARED_BYTES;
    how.stream = stream;
    did(cudaLaunchKernelEx(&how, kernel, arguments...));
  }

  // Memory that the kernels launched until `free` may use.
  template <class T> T* memory(long long entries) {
    void* made = nullptr;
    if (error == cudaSuccess && entries > 0) did(cudaMallocAsync(&made, entries * sizeof(T), stream));
    return static_cast<T*>(made);
  }
  void free(void* made) {
    if (made) did(cudaFreeAsync(made, stream));
  }

 private:
  static constexpr long long MOST_BLOCKS = 1 << 28;
  static constexpr int ENOUGH_BESIDE = 4;

  void did(cudaError_t found) {
    if (error == cudaSuccess) error = found;
  }
};

}  // namespace lngen

#endif
