// SPDX-License-Identifier: MIT
// The rows of a block, one trip after the other: the next ones are on their way while the threads work on one. A thread
// copies what it will itself read, so that it waits for its own copies alone.

namespace lngen::LNGEN_SPACE {

// Entries in the compute type.
template <class A, int N> struct Widened {
  A entries[N];
};

// Form of a row in registers between the stages.
template <class G>
using HeldChunk = typename Either<G::ROW == WIDENED, Widened<typename G::A, G::VECTOR>,
                                  Pack<typename G::T, G::VECTOR>>::type;

// A row array: what a thread holds of the row that it works on, and its part of the copies of the next ones. READ is
// false where the array is left out.
template <class G, bool READ> struct RowTile {
  using T = typename G::T;
  using Chunk = Pack<T, G::VECTOR>;
  static constexpr bool COPIED = READ && G::ROWS_COPIED > 0;

  const T* array;
  unsigned char* copies;  // of this thread: those of its first chunk in the first of the rows that are copied
  long long offset;
  int turn;
  HeldChunk<G> held[G::KEPT];

  // Before the first row; takes its part of what is free of the shared memory.
  template <class At> __device__ __forceinline__ void begin(unsigned char*& free, const At&, long long) {
    copies = free + threadIdx.x * G::COPY;
    if constexpr (COPIED) free += G::COPIES * G::THREADS * G::COPY;
  }

  template <class At> __device__ __forceinline__ void copy(const At& at, const Here& next, int into) {
    if constexpr (COPIED) {
      const long long start = at(next);
      [[maybe_unused]] const T* own = nullptr;
      if constexpr (G::BY_ENTRIES) own = own_entries<G>(array + start, next);
#pragma unroll(G::KEEPS_ROW ? G::CHUNKS : 4)
      for (int chunk = 0; chunk < G::COPIES; ++chunk) {
        const int column = next.template column<G>(chunk);
        if (!next.template reaches<G>(chunk, column)) continue;
        if constexpr (G::COPY > G::ACCESS) copy_entry_async(copied(chunk, into), own, chunk * G::ALL_THREADS);
        else if constexpr (G::BY_ENTRIES) copy_async<G::ACCESS>(copied(chunk, into), own + chunk * G::ALL_THREADS);
        else copy_async<G::ACCESS>(copied(chunk, into), array + start + column);
      }
    }
  }

  // The row is there, in registers where they hold it.
  template <class At> __device__ __forceinline__ void arrive(const At& at, const Here& here, int from, long long) {
    offset = at(here);
    turn = from;
    if constexpr (READ && G::KEEPS_ROW) {
#pragma unroll
      for (int chunk = 0; chunk < G::CHUNKS; ++chunk) {
        const int column = here.template column<G>(chunk);
        if (here.template reaches<G>(chunk, column)) {
          if constexpr (G::ROW == WIDENED) {
            const Chunk stored = fetch<true>(at, chunk, column);
#pragma unroll
            for (int i = 0; i < G::VECTOR; ++i) held[chunk].entries[i] = widen<typename G::A>(stored.entries[i]);
          } else {
            held[chunk] = fetch<true>(at, chunk, column);
          }
        }
      }
    }
  }

  // Reads a chunk for a stage; nothing if the array is absent.
  template <class At> __device__ __forceinline__ HeldChunk<G> chunk(const At& at, int chunk, int column) const {
    if constexpr (!READ) return HeldChunk<G>();
    else if constexpr (G::ROW == WIDENED) return held[chunk];
    else if constexpr (G::ROW == PACKED) return unseen(held[chunk]);
    else return fetch<false>(at, chunk, column);
  }

 private:
  __device__ __forceinline__ unsigned char* copied(int chunk, int into) const {
    return copies + into * G::COPIED_BYTES + chunk * (G::THREADS * G::COPY);
  }

  template <bool ONCE, class At>
  __device__ __forceinline__ Chunk fetch(const At& at, int chunk, int column) const {
    // The place in its word is that of the thread's first entry.
    [[maybe_unused]] const int first = column - chunk * G::ALL_THREADS;
    if constexpr (COPIED && G::COPY > G::ACCESS) return load<G::VECTOR>(entry_copied(copied(chunk, turn), array + offset + first));
    else if constexpr (COPIED) return load<G::VECTOR>(reinterpret_cast<const T*>(copied(chunk, turn)));
    else if constexpr (ONCE) return load<G::VECTOR, true>(array + offset + column);
    else return load<G::VECTOR>(array + offset + column);
  }
};

// One value per row, asked for a row ahead.
template <class G, bool READ, class T> struct RowValue {
  const T* array;
  T next, now;

  template <class At> __device__ __forceinline__ void begin(unsigned char*&, const At& at, long long row) {
    if constexpr (READ) next = array[at.row(row)];
  }
  template <class At> __device__ __forceinline__ void copy(const At&, const Here&, int) {}
  template <class At> __device__ __forceinline__ void arrive(const At& at, const Here&, int, long long following) {
    if constexpr (READ) {
      now = next;
      next = array[at.row(following)];
    }
  }
};

// Works on the rows of a block: work() is called with `here` at each of them, and what `tile` has of it. Every thread of
// a block makes the same trips, for the barriers' sake.
template <class G, class To, class Tile, class F>
__device__ __forceinline__ void each_row(Here& here, const To& to, Tile& tile, unsigned char* copies, F work) {
  const long long rows = to.of(ROW_COUNT), stride = (long long)blocks_of_rows<G>() * G::ROWS;
  constexpr int AHEAD = G::ROWS_COPIED, FREED = G::KEEPS_ROW ? AHEAD : at_least(AHEAD - 1, 0);
  long long first = (long long)block_of_rows<G>() * G::ROWS, ahead = first;
  if (first >= rows) return;
  const auto enter = [&](Here& there, long long block) {
    there.template enter<G>(block, rows);
    find_place(to, there);
  };
  Here next = here;
  const auto copy = [&](int into) {
    if (ahead < rows) {
      enter(next, ahead);
      tile.each([&](auto& part, auto name) { part.copy(PlaceIn<decltype(name), To>{to}, next, into); });
    }
    close_copies();
    ahead += stride;
  };
  enter(here, first);
  tile.each([&](auto& part, auto name) { part.begin(copies, PlaceIn<decltype(name), To>{to}, here.row); });
#pragma unroll
  for (int turn = 0; turn < FREED; ++turn) copy(turn);
  int turn = 0;
  for (; first < rows; first += stride) {
    enter(here, first);
    if constexpr (AHEAD > 0 && !G::KEEPS_ROW) copy(turn + AHEAD - 1 < AHEAD ? turn + AHEAD - 1 : turn - 1);
    if constexpr (AHEAD > 0) await_copies<AHEAD - 1>();
    const long long following = here.row + stride < rows ? here.row + stride : here.row;
    tile.each([&](auto& part, auto name) { part.arrive(PlaceIn<decltype(name), To>{to}, here, turn, following); });
    if constexpr (AHEAD > 0 && G::KEEPS_ROW) copy(turn);
    work();
    if constexpr (AHEAD > 1) turn = turn + 1 == AHEAD ? 0 : turn + 1;
  }
}

}  // namespace lngen::LNGEN_SPACE
