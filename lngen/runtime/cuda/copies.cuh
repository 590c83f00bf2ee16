// SPDX-License-Identifier: MIT
// Copies into shared memory that go on while the thread that started them works, and the shared
// memory of other blocks. All are PTX: what runs kernels elsewhere than on a GPU has functions of its own in the place of this header.
#ifndef LNGEN_COPIES_CUH
#define LNGEN_COPIES_CUH

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define LNGEN_COPIES_AT_ONCE
#endif

namespace lngen {

// Before sm_80 there are no such copies, and this one is done when it returns.
template <int BYTES> struct CopiedAs;
template <> struct CopiedAs<4> { using type = unsigned; };
template <> struct CopiedAs<8> { using type = uint2; };
template <> struct CopiedAs<16> { using type = uint4; };

// Starts a copy of 4, 8 or 16 bytes from global into shared memory, both aligned to as many. The bytes are there for the
// thread once it has awaited the group that the copy is in, and for others once a barrier has followed that; until then
// nobody touches them. 16 bytes pass by the first-level cache.
template <int BYTES> __device__ __forceinline__ void copy_async(void* to_shared, const void* from) {
  using Word = typename CopiedAs<BYTES>::type;
#ifdef LNGEN_COPIES_AT_ONCE
  *static_cast<Word*>(to_shared) = *static_cast<const Word*>(from);
#else
  const unsigned to = unsigned(__cvta_generic_to_shared(to_shared));
  if constexpr (sizeof(Word) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(BYTES) : "memory");
#endif
}

// The same for the word of an entry of two bytes, an even number of entries behind `own`; the entry is then at the place in
// the word that `own` has in its own one (entry_copied of rows.cuh). Nothing beyond it is read. What is before it in the word may
// be anybody's and is not used; memory is given out in whole words, so it is there.
template <class T>
__device__ __forceinline__ void copy_entry_async(unsigned char* to_word, const T* own, int distance) {
  static_assert(sizeof(T) == 2, "wider entries are copied as they are");
  const unsigned long long place = reinterpret_cast<unsigned long long>(own), before = place % 4;
#ifdef LNGEN_COPIES_AT_ONCE
  *reinterpret_cast<T*>(to_word + before) = own[distance];
#else
  const T* const word = reinterpret_cast<const T*>(place - before) + distance;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::
               "r"(unsigned(__cvta_generic_to_shared(to_word))), "l"(word), "r"(unsigned(before) + 2) : "memory");
#endif
}

// The copies that this thread has started since the last call are a group, which may be empty.
__device__ __forceinline__ void close_copies() {
#ifndef LNGEN_COPIES_AT_ONCE
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits for this thread's groups but for the last PENDING that it closed. Copies in no group yet are not waited for.
template <int PENDING> __device__ __forceinline__ void await_copies() {
  static_assert(PENDING >= 0, "a number of groups");
#ifndef LNGEN_COPIES_AT_ONCE
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

// Waits for all threads of the blocks of a cluster; what they wrote before is known to all of them.
__device__ __forceinline__ void cluster_barrier() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

// Stores at the same place of the shared memory of a block of the cluster, which has begun, and has not ended yet.
__device__ __forceinline__ void store_in_block(int block, float* to_shared, float value) {
  unsigned to = unsigned(__cvta_generic_to_shared(to_shared));
  asm volatile("mapa.shared::cluster.u32 %0, %0, %1;\n\tst.shared::cluster.f32 [%0], %2;"
               : "+r"(to) : "r"(block), "f"(value) : "memory");
}
__device__ __forceinline__ void store_in_block(int block, double* to_shared, double value) {
  unsigned to = unsigned(__cvta_generic_to_shared(to_shared));
  asm volatile("mapa.shared::cluster.u32 %0, %0, %1;\n\tst.shared::cluster.f64 [%0], %2;"
               : "+r"(to) : "r"(block), "d"(value) : "memory");
}

// Ends a kernel that was launched with other clusters than it was compiled for.
template <int BLOCKS> __device__ __forceinline__ void expect_cluster() {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  unsigned blocks;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  if (blocks != BLOCKS) asm volatile("trap;");
#endif
}

}  // namespace lngen

#endif
