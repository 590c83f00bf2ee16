// Copies into shared memory, and clusters, in the place of lngen/runtime/cuda/copies.cuh,
// which is PTX.
#pragma once
#include "calls.h"

namespace lngen {

template <int BYTES> __forceinline__ void copy_async(void* to_shared, const void* from) {
  static_assert(BYTES == 4 || BYTES == 8 || BYTES == 16, "cp.async copies 4, 8 or 16 bytes");
  simt_start_copy(to_shared, from, BYTES);
}

// Of the word, the entry alone: what lies before it is nobody's business.
template <class T> __forceinline__ void copy_entry_async(unsigned char* to_word, const T* own, int distance) {
  static_assert(sizeof(T) == 2, "wider entries are copied as they are");
  if (distance % 2) __builtin_trap();
  simt_start_copy(to_word + reinterpret_cast<unsigned long long>(own) % 4, own + distance, 2);
}

__forceinline__ void close_copies() { simt_close_copies(); }

template <int PENDING> __forceinline__ void await_copies() {
  static_assert(PENDING >= 0, "a number of groups");
  simt_await_copies(PENDING);
}

__forceinline__ void cluster_barrier() { simt_cluster_barrier(); }

template <class A> __forceinline__ void store_in_block(int block, A* to_shared, A value) {
  *static_cast<A*>(simt_in_block(unsigned(block), to_shared)) = value;
}

template <int BLOCKS> __forceinline__ void expect_cluster() {
  if (simt_cluster_blocks() != BLOCKS) __builtin_trap();
}

}  // namespace lngen
