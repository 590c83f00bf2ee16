// SPDX-License-Identifier: MIT
// Sums and extremes, of a row and over rows. A block adds up the rows that it works on and leaves its part of each sum
// in a workspace; a second kernel adds the blocks' parts. Nothing is added in an order that a run could change.

namespace lngen::LNGEN_SPACE {

// The one buffer of shared memory.
__device__ __forceinline__ unsigned char* shared_memory() {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  return shared_bytes;
}

template <unsigned long long MAXIMA, unsigned long long MINIMA, class A>
__device__ __forceinline__ A combined(int which, A a, A b) {
  return MAXIMA >> which & 1 ? larger(a, b) : MINIMA >> which & 1 ? smaller(a, b) : a + b;
}

// What changes no reduction.
template <unsigned long long MAXIMA, unsigned long long MINIMA, class A> __device__ __forceinline__ A neutral(int which) {
  return MAXIMA >> which & 1 ? -infinity<A>() : MINIMA >> which & 1 ? infinity<A>() : A(0);
}

// A step of a butterfly: each lane takes in what another has. Two sums go on as one, of which either half of the lanes
// has the one or the other, so that they take the time of one.
template <int LANES, unsigned long long NEEDED, unsigned long long MAXIMA, unsigned long long MINIMA, class A, int N>
__device__ __forceinline__ void reduce_lanes(A (&values)[N]) {
  constexpr unsigned WARP = 0xffffffffu;
  if constexpr (N == 2 && NEEDED == 3 && (MAXIMA | MINIMA) == 0 && LANES > 2) {
    const bool second = threadIdx.x & (LANES / 2);
    A sum = second ? values[1] : values[0];
    sum += __shfl_xor_sync(WARP, second ? values[0] : values[1], LANES / 2);
#pragma unroll
    for (int offset = LANES / 4; offset > 0; offset /= 2) sum += __shfl_xor_sync(WARP, sum, offset);
    const A other = __shfl_xor_sync(WARP, sum, LANES / 2);
    values[0] = second ? other : sum;
    values[1] = second ? sum : other;
  } else {
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2) {
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (NEEDED >> i & 1)
          values[i] = combined<MAXIMA, MINIMA>(i, values[i], __shfl_xor_sync(WARP, values[i], offset));
    }
  }
}

// Before anything is written into the shared memory of another block, all blocks that share a row have begun.
template <class G> __device__ __forceinline__ void open_row() {
  if constexpr (G::BLOCKS_PER_ROW > 1) {
    expect_cluster<G::BLOCKS_PER_ROW>();
    cluster_barrier();
  }
}

// Gives the parts of a warp to all blocks that share its row: a lane writes into one of them. Behind a barrier of all of
// them the parts are there. So nobody writes into a block that may have ended, for it waits at this barrier, too.
template <class G, unsigned long long NEEDED, class A, int N>
__device__ __forceinline__ void share_parts(const A (&values)[N], A* half) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if constexpr (G::BLOCKS_PER_ROW == 1) {
    if (lane == 0) {
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (NEEDED >> i & 1) half[i * G::WARPS + warp] = values[i];
    }
    __syncthreads();
  } else {
    if (lane < G::BLOCKS_PER_ROW) {
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (NEEDED >> i & 1)
          store_in_block(lane, half + i * G::ALL_WARPS + block_of_row<G>() * G::WARPS + warp, values[i]);
    }
    cluster_barrier();
  }
}

// Every thread of a row gets all reductions of a stage, the same bits in each. They share one barrier, and the next
// stage writes to the other half of the slots, so that no thread overwrites what another still reads. The parts of a few
// warps, 2, 4 or 8, are read by every thread; else a lane reads one, or one in 32.
template <class G, unsigned long long NEEDED, unsigned long long MAXIMA, unsigned long long MINIMA, class A, int N>
__device__ __forceinline__ void reduce_row(A (&values)[N], A* slots, int& turn) {
  if constexpr (NEEDED != 0) {
    constexpr int LANES = G::THREADS_PER_ROW < 32 ? G::THREADS_PER_ROW : 32, WARPS_PER_ROW = G::ALL_THREADS / LANES;
    reduce_lanes<LANES, NEEDED, MAXIMA, MINIMA>(values);
    if constexpr (WARPS_PER_ROW > 1) {
      const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
      const int first = G::BLOCKS_PER_ROW > 1 || G::OF_WARPS ? 0 : warp / WARPS_PER_ROW * WARPS_PER_ROW;
      A* half = slots + turn * G::HALF;
      turn ^= 1;
      share_parts<G, NEEDED>(values, half);
      if constexpr (WARPS_PER_ROW <= 8 && 8 % WARPS_PER_ROW == 0) {
#pragma unroll
        for (int i = 0; i < N; ++i) {
          if (!(NEEDED >> i & 1)) continue;
          const Pack<A, WARPS_PER_ROW> parts = load<WARPS_PER_ROW>(half + i * G::ALL_WARPS + first);
          values[i] = parts.entries[0];
#pragma unroll
          for (int part = 1; part < WARPS_PER_ROW; ++part)
            values[i] = combined<MAXIMA, MINIMA>(i, values[i], parts.entries[part]);
        }
      } else {
        constexpr int READ = WARPS_PER_ROW > 16 ? 32 : WARPS_PER_ROW > 8 ? 16 : 8;
#pragma unroll
        for (int i = 0; i < N; ++i) {
          if (!(NEEDED >> i & 1)) continue;
          const A* const parts = half + i * G::ALL_WARPS + first;
          values[i] = lane % READ < WARPS_PER_ROW ? parts[lane % READ] : neutral<MAXIMA, MINIMA, A>(i);
#pragma unroll
          for (int part = READ; part < WARPS_PER_ROW; part += READ)
            if (part + READ <= WARPS_PER_ROW || part + lane < WARPS_PER_ROW)
              values[i] = combined<MAXIMA, MINIMA>(i, values[i], parts[part + lane]);
        }
        reduce_lanes<READ, NEEDED, MAXIMA, MINIMA>(values);
      }
    }
  }
}

// Of N distances the least, and the first place that has it; the places stand behind the distances.
template <class G, unsigned long long NEEDED, class A, int N2>
__device__ __forceinline__ void reduce_first(A (&values)[N2], A* slots, int& turn) {
  constexpr int N = N2 / 2;
  A least[N], places[N];
#pragma unroll
  for (int i = 0; i < N; ++i) least[i] = values[i];
  reduce_row<G, NEEDED, 0, NEEDED>(least, slots, turn);
#pragma unroll
  for (int i = 0; i < N; ++i) places[i] = values[i] == least[i] ? values[N + i] : infinity<A>();
  reduce_row<G, NEEDED, 0, NEEDED>(places, slots, turn);
#pragma unroll
  for (int i = 0; i < N; ++i) values[N + i] = places[i];
}

// Sums over rows of the columns that a thread owns. They gather in registers, or in shared memory or in the block's
// part of the workspace, where no other thread touches them.
template <class G, unsigned long long WANTED, int K> struct ColumnSums {
  using A = typename G::A;
  static constexpr bool KEPT = G::SUMS == IN_REGISTERS;
  A kept[KEPT ? G::ENTRIES : 1][K];
  A* part;  // this block's sums: of sum k, from part + k * stride
  A* beside;
  long long stride, beside_stride;

  __device__ __forceinline__ ColumnSums(A* workspace, A* shared, const Here& here) {
    stride = (long long)blocks_of_rows<G>() * here.D;
    part = workspace + (long long)block_of_rows<G>() * here.D;
    beside = G::SUMS == IN_SHARED_MEMORY ? shared : part;
    beside_stride = G::SUMS == IN_SHARED_MEMORY ? here.D : stride;
    if constexpr (G::SUMS == IN_SHARED_MEMORY && G::BLOCKS_PER_ROW > 1) beside_stride = own_columns();
    if constexpr (KEPT) {
#pragma unroll
      for (int i = 0; i < G::ENTRIES; ++i)
#pragma unroll
        for (int k = 0; k < K; ++k) kept[i][k] = A(0);
    } else {
      each_beside(here, [&](int, int, A* sum) { *sum = A(0); });
    }
  }

  // Adds to one sum of an entry.
  template <int k> __device__ __forceinline__ void add_one(int entry, int column, A value) {
    if constexpr (KEPT) kept[entry][k] += value;
    else beside[k * beside_stride + place(column)] += value;
  }

  // Writes the block's partial sums; the rows that a block works on at a time are added in their order.
  __device__ __forceinline__ void finish(A* shared, const Here& here) {
    if constexpr (!KEPT) {
      if constexpr (G::SUMS == IN_SHARED_MEMORY)
        each_beside(here, [&](int k, int column, A* sum) { part[k * stride + column] = *sum; });
    } else {
#pragma unroll
      for (int k = 0; k < K; ++k) {
        if (!(WANTED >> k & 1)) continue;
        if constexpr (G::ROWS == 1) {
          each_kept(here, k, part + k * stride);
        } else {
          __syncthreads();
          each_kept(here, k, shared + threadIdx.x / G::THREADS_PER_ROW * here.D);
          __syncthreads();
          for (int column = threadIdx.x; column < here.D; column += G::THREADS) {
            A total = shared[column];
#pragma unroll
            for (int row = 1; row < G::ROWS; ++row) total += shared[row * here.D + column];
            part[k * stride + column] = total;
          }
        }
      }
    }
  }

 private:
  __device__ __forceinline__ void each_kept(const Here& here, int k, A* to) {
#pragma unroll
    for (int chunk = 0; chunk < G::CHUNKS; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column < here.D) {
        Pack<A, G::VECTOR> pack;
#pragma unroll
        for (int i = 0; i < G::VECTOR; ++i) pack.entries[i] = kept[chunk * G::VECTOR + i][k];
        store(to + column, pack);
      }
    }
  }

  template <class F> __device__ __forceinline__ void each_beside(const Here& here, F visit) {
    for (int chunk = 0; chunk < G::ALL_CHUNKS; ++chunk) {
      const int column = here.template column<G>(chunk);
      if (column >= here.D) break;
      for (int i = 0; i < G::VECTOR; ++i)
        for (int k = 0; k < K; ++k)
          if (WANTED >> k & 1) visit(k, column + i, beside + k * beside_stride + place(column + i));
    }
  }

  // Columns of a block that shares its rows, at the most.
  static __device__ __forceinline__ int own_columns() { return G::COPIES * G::THREADS * G::VECTOR; }

  // Neighbouring threads have columns an access apart. In shared memory their sums lie side by side, each in a bank of
  // its own; in the workspace in the order of columns, in which the second kernel reads them.
  __device__ __forceinline__ int place(int column) const {
    if constexpr (G::SUMS == IN_SHARED_MEMORY && G::BLOCKS_PER_ROW > 1) {
      const int access = unsigned(column) / G::VECTOR, own = unsigned(access) / G::ALL_THREADS * G::THREADS + threadIdx.x;
      return column % G::VECTOR * (own_columns() / G::VECTOR) + own;
    } else if constexpr (G::SUMS != IN_SHARED_MEMORY || G::VECTOR == 1) {
      return column;
    } else {
      return column % G::VECTOR * (LNGEN_D / G::VECTOR) + column / G::VECTOR;
    }
  }
};

// Writes the block's parts of the sums into scalars, behind those of the sums into `columns`. The first thread of a row
// has the sum over the rows that it was in.
template <class G, unsigned long long WANTED, int K, class A>
__device__ __forceinline__ void finish_scalars(
    const A (&sums)[K], A* slots, A* workspace, int columns, const Here& here) {
  if constexpr (WANTED != 0) {
    __syncthreads();
    if (here.lane == 0) {
#pragma unroll
      for (int k = 0; k < K; ++k) slots[k * G::ROWS + here.group] = sums[k];
    }
    __syncthreads();
    if (threadIdx.x < K && (G::BLOCKS_PER_ROW == 1 || block_of_row<G>() == 0)) {
      A total = A(0);
      for (int i = 0; i < G::ROWS; ++i) total += slots[threadIdx.x * G::ROWS + i];
      A* parts = workspace + (long long)blocks_of_rows<G>() * columns * here.D;
      parts[(long long)threadIdx.x * blocks_of_rows<G>() + block_of_rows<G>()] = total;
    }
  }
}

// The second kernel: a block takes 8 columns at a time, a sector of memory of each of the blocks' parts, and a lane one
// part in 32 of them. ROWS counts the columns of a block for the launcher; with 0, one block takes them all.
constexpr int COLUMNS_OF_BLOCK = 8;
template <class A, int TOTALS_, int MOST_SUMS, int ROWS_> struct ColumnsGeometry {
  static constexpr int TOTALS = TOTALS_, COLUMNS = COLUMNS_OF_BLOCK;
  static constexpr int THREADS = 256, THREADS_PER_ROW = THREADS, WARPS = THREADS / 32, STRIPS = THREADS / COLUMNS;
  static constexpr int BLOCKS_PER_ROW = 1, ALL_THREADS = THREADS, ALL_WARPS = WARPS;
  static constexpr bool OF_WARPS = false;
  static constexpr int HALF = MOST_SUMS * WARPS, SLOTS = 2 * HALF;
  static constexpr int ROWS = ROWS_, VECTOR = 1, ENTRIES = 1, ROW = 0, SUMS = 0, ROWS_COPIED = 0, BLOCKS = 2;
  static constexpr int SHARED_BYTES = (SLOTS + TOTALS * WARPS * COLUMNS) * int(sizeof(A));
};

// Adds the blocks' parts of a sum into a scalar.
template <class G, class A>
__device__ __forceinline__ A add_parts(const A* parts, int blocks, A* slots, int& turn) {
  A sums[1] = {A(0)};
  for (int block = threadIdx.x; block < blocks; block += G::THREADS) sums[0] += parts[block];
  reduce_row<G, 1, 0, 0>(sums, slots, turn);
  return sums[0];
}

// Adds a block's parts of a column. A loop is unrolled after the one over blocks, and its addresses are computed anew.
template <unsigned long long WANTED, int k = 0, int K, class A>
__device__ __forceinline__ void add_block(
    A (&totals)[K], const A* workspace, long long blocks, int block, int D, int column) {
  if constexpr (k < K) {
    if (WANTED >> k & 1) totals[k] += workspace[(k * blocks + block) * D + column];
    add_block<WANTED, k + 1>(totals, workspace, blocks, block, D, column);
  }
}

// Adds the parts of all blocks of each column and gives `use` the totals: those of a lane in their order, then the lanes
// of a warp, then the warps.
template <class G, unsigned long long WANTED, class A, class F>
__device__ __forceinline__ void add_columns(const A* workspace, int blocks, int D, A* tile, F use) {
  constexpr int K = G::TOTALS;
  const int lane = threadIdx.x % G::COLUMNS, strip = threadIdx.x / G::COLUMNS, warp = threadIdx.x / 32;
  for (int start = G::COLUMNS * blockIdx.x; start < D; start += G::COLUMNS * gridDim.x) {
    const int column = start + lane;
    A totals[K] = {};
    if (column < D) {
#pragma unroll 4
      for (int block = strip; block < blocks; block += G::STRIPS)
        add_block<WANTED>(totals, workspace, blocks, block, D, column);
    }
#pragma unroll
    for (int k = 0; k < K; ++k) {
#pragma unroll
      for (int offset = G::COLUMNS; offset < 32; offset *= 2) totals[k] += __shfl_xor_sync(0xffffffffu, totals[k], offset);
    }
    __syncthreads();
    if (threadIdx.x % 32 < G::COLUMNS) {
#pragma unroll
      for (int k = 0; k < K; ++k) tile[(k * G::WARPS + warp) * G::COLUMNS + lane] = totals[k];
    }
    __syncthreads();
    if (strip == 0 && column < D) {
#pragma unroll
      for (int k = 0; k < K; ++k)
#pragma unroll
        for (int i = 1; i < G::WARPS; ++i) totals[k] += tile[(k * G::WARPS + i) * G::COLUMNS + lane];
      use(column, totals);
    }
  }
}

}  // namespace lngen::LNGEN_SPACE
