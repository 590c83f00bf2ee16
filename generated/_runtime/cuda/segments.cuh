// SPDX-License-Identifier: MIT
// Sums over the entries of each segment of a row (places.cuh). The lanes of a warp have neighbouring columns: they add up
// what they have of a segment, and its first lane there keeps the part of the warp in shared memory. Once the row is
// done, the parts of a segment are added in the order of its columns, whatever the order in which warps ran.
#ifndef LNGEN_SEGMENTS_CUH
#define LNGEN_SEGMENTS_CUH

#include "places.cuh"
#include "reductions.cuh"

namespace lngen {

// What the entries of a thread's chunk add to the sum of their segment.
template <class A> struct SegmentPart {
  A value = A(0);
  bool is_used = false;
};
template <class A> using SegmentParts = SegmentPart<A>[at_least(SEGMENT_SUMS, 1)];

#if LNGEN_SEGMENT
template <class G> struct SegmentSums {
  using A = typename G::A;
  static constexpr int LANES = G::THREADS_PER_ROW < 32 ? G::THREADS_PER_ROW : 32;
  static constexpr int SEGMENTS = LNGEN_D / LNGEN_SEGMENT, ACCESSES = LNGEN_SEGMENT / G::VECTOR;
  static constexpr int PARTS = parts_of_segment(G::THREADS_PER_ROW, ACCESSES);
  static constexpr bool LANES_SHARE = ACCESSES % LANES == 0, IS_ADDED_TO = sets_of_segment(LANES, ACCESSES) > PARTS;

  A* parts;  // of the thread's row: those of a segment of sum k from (k * SEGMENTS + segment) * PARTS on

  LNGEN_INLINE void begin(A* shared, const Here& here) { parts = shared + here.group * (SEGMENT_SUMS * SEGMENTS * PARTS); }

  // Adds what the threads of a row have of a chunk; all lanes take part, those with nothing too.
  LNGEN_INLINE void add(const Here& here, int chunk, int column, const SegmentParts<A>& found) const {
    const bool all_have = LNGEN_D % (G::THREADS_PER_ROW * G::VECTOR) == 0 ||
                          (chunk + 1) * G::THREADS_PER_ROW * G::VECTOR <= LNGEN_D;
    const int access = unseen(chunk * G::THREADS_PER_ROW + here.lane), lane = unsigned(access) % LANES;
    const int segment = unsigned(access) / ACCESSES, before = access - segment * ACCESSES;
    const int nth = unsigned(access) / LANES - unsigned(segment * ACCESSES) / LANES;  // set of the segment
#pragma unroll
    for (int k = 0; k < SEGMENT_SUMS; ++k) {
      // Lanes without entries know nothing of what the others do.
      if (!(all_have ? found[k].is_used : __any_sync(0xffffffffu, found[k].is_used))) continue;
      A sum[1] = {found[k].value};
      if constexpr (LANES_SHARE) {
        reduce_lanes<LANES, 1, 0, 0>(sum);
      } else {
#pragma unroll
        for (int offset = 1; offset < LANES && offset < ACCESSES; offset *= 2) {
          const A other = __shfl_down_sync(0xffffffffu, sum[0], offset, LANES);
          if (lane + offset < LANES && before + offset < ACCESSES) sum[0] += other;
        }
      }
      // Another lane may have added to the same part.
      if constexpr (IS_ADDED_TO) __syncwarp();
      if ((lane == 0 || before == 0) && column < LNGEN_D) {
        A& part = parts[(k * SEGMENTS + segment) * PARTS + nth % PARTS];
        if (nth < PARTS) part = sum[0];
        else part += sum[0];
      }
    }
  }

  // Writes the sums of the row, which all threads of the block are done with.
  template <class To> LNGEN_INLINE void finish(const To& to, const Here& here) const {
    __syncthreads();
    to.each([&](auto name, auto result) {
      using N = decltype(name);
      if constexpr (BySegment<N>::IS_SUM) {
        A* const sums = reinterpret_cast<A*>(result) + place_of<N>(to, here);
        for (int segment = here.lane; segment < SEGMENTS && here.live; segment += G::THREADS_PER_ROW) {
          const A* const own = parts + (BySegment<N>::PLACE * SEGMENTS + segment) * PARTS;
          const int sets = ((segment + 1) * ACCESSES - 1) / LANES - segment * ACCESSES / LANES + 1;
          A total = own[0];
          for (int next = 1; next < PARTS && next < sets; ++next) total += own[next];
          sums[column_of<N>(to, segment * LNGEN_SEGMENT)] = total;
        }
      }
    });
    __syncthreads();
  }
};
#endif

// Rows whose results get no such sums.
struct NoSegmentSums {
  template <class A> LNGEN_INLINE void begin(A*, const Here&) {}
  template <class To> LNGEN_INLINE void finish(const To&, const Here&) const {}
};

}  // namespace lngen

#endif
