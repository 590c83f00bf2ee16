// SPDX-License-Identifier: MIT
// Sums over the entries of each run of a row (places.cuh). The lanes of a warp have neighbouring columns: they add up
// what they have of a run, and its first lane there keeps the part of the warp in shared memory. Once the row is
// done, the parts of a run are added in the order of its columns, whatever the order in which warps ran.

namespace lngen::LNGEN_SPACE {

// What the entries of a thread's chunk add to the sum of their run.
template <class A> struct RunPart {
  A value = A(0);
  bool is_used = false;
};
template <class A> using RunParts = RunPart<A>[at_least(RUN_SUMS, 1)];

#if LNGEN_RUN
template <class G> struct RunSums {
  using A = typename G::A;
  static constexpr int LANES = G::THREADS_PER_ROW < 32 ? G::THREADS_PER_ROW : 32;
  static constexpr int RUNS = LNGEN_D / LNGEN_RUN, ACCESSES = LNGEN_RUN / G::VECTOR;
  static constexpr int PARTS = parts_of_run(G::THREADS_PER_ROW, ACCESSES);
  static constexpr bool LANES_SHARE = ACCESSES % LANES == 0, IS_ADDED_TO = sets_of_run(LANES, ACCESSES) > PARTS;

  A* parts;  // of the thread's row: those of a run of sum k from (k * RUNS + run) * PARTS on

  LNGEN_INLINE void begin(A* shared, const Here& here) { parts = shared + here.group * (RUN_SUMS * RUNS * PARTS); }

  // Adds what the threads of a row have of a chunk; all lanes take part, those with nothing too.
  LNGEN_INLINE void add(const Here& here, int chunk, int column, const RunParts<A>& found) const {
    const bool all_have = LNGEN_D % (G::THREADS_PER_ROW * G::VECTOR) == 0 ||
                          (chunk + 1) * G::THREADS_PER_ROW * G::VECTOR <= LNGEN_D;
    const int access = unseen(chunk * G::THREADS_PER_ROW + here.lane), lane = unsigned(access) % LANES;
    const int run = unsigned(access) / ACCESSES, before = access - run * ACCESSES;
    const int nth = unsigned(access) / LANES - unsigned(run * ACCESSES) / LANES;  // set of the run
#pragma unroll
    for (int k = 0; k < RUN_SUMS; ++k) {
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
        A& part = parts[(k * RUNS + run) * PARTS + nth % PARTS];
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
      if constexpr (ByRun<N>::IS_SUM) {
        A* const sums = reinterpret_cast<A*>(result) + place_of<N>(to, here);
        for (int run = here.lane; run < RUNS && here.live; run += G::THREADS_PER_ROW) {
          const A* const own = parts + (ByRun<N>::PLACE * RUNS + run) * PARTS;
          const int sets = ((run + 1) * ACCESSES - 1) / LANES - run * ACCESSES / LANES + 1;
          A total = own[0];
          for (int next = 1; next < PARTS && next < sets; ++next) total += own[next];
          sums[run] = total;
        }
      }
    });
    __syncthreads();
  }
};
#endif

// Rows whose results get no such sums.
struct NoRunSums {
  template <class A> LNGEN_INLINE void begin(A*, const Here&) {}
  template <class To> LNGEN_INLINE void finish(const To&, const Here&) const {}
};

}  // namespace lngen::LNGEN_SPACE
