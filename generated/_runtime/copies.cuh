// SPDX-License-Identifier: MIT
#ifndef LNGEN_COPIES_CUH
#define LNGEN_COPIES_CUH
namespace lngen {
template <int BYTES> __device__ __forceinline__ void copy_async(void* to_shared, const void* from) {
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(to_shared));
  if constexpr (BYTES == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(BYTES) : "memory");
}
__device__ __forceinline__ void close_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int OPEN> __device__ __forceinline__ void await_copies() { asm volatile("cp.async.wait_group %0;" ::"n"(OPEN) : "memory"); }
}
#endif
