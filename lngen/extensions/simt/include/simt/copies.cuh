// Copies into shared memory and barriers of a part of a block, in the place of lngen/runtime/cuda/copies.cuh, which is PTX.
#pragma once
#include "calls.h"

namespace lngen {

template <int BYTES> __forceinline__ void copy_async(void* to_shared, const void* from) {
  static_assert(BYTES == 4 || BYTES == 8 || BYTES == 16, "cp.async copies 4, 8 or 16 bytes");
  simt_start_copy(to_shared, from, BYTES);
}

__forceinline__ void close_copies() { simt_close_copies(); }

template <int PENDING> __forceinline__ void await_copies() {
  static_assert(PENDING >= 0, "a number of groups");
  simt_await_copies(PENDING);
}

template <int THREADS> __forceinline__ void barrier(int number) {
  static_assert(THREADS > 0 && THREADS % 32 == 0 && THREADS <= 1024, "a barrier is one of whole warps of a block");
  simt_numbered_barrier(number, THREADS);
}

}  // namespace lngen
