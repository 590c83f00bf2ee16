// SPDX-License-Identifier: MIT
// The layout of rows of any length, for any demand and any limits: what kernels are then told of it (geometry.h).
#include "rows.cuh"
#include "shapes.cuh"

using namespace symbolic;

namespace lngen {

inline I32 some(const char* name, int least, int most) {
  const I32 made = I32::symbol(name);
  assume(made >= least), assume(made <= most);
  return made;
}
inline void judged(const Shape& s, const I32& D, const Asked& n, const char* of) {
  place = of;
  const auto holds = [](const char* what, auto condition) { claimed(what, condition); };
  holds("accesses divide a row", [&] { return D % s.vector == 0; });
  holds("accesses are no wider than 16 bytes", [&] { return s.vector * n.storage <= 16; });
  if (s.of_warps == 1) {
    holds("threads per row are whole warps", [&] { return s.threads_per_row % 32 == 0; });
    holds("a block has one row", [&] { return s.threads == s.threads_per_row; });
  } else {
    holds("threads per row are a power of two", [&] { return is_power(s.threads_per_row); });
  }
  holds("there are no more than 1024", [&] { return s.threads_per_row <= MOST_THREADS; });
  holds("a block has a warp", [&] { return s.threads >= 32; });
  holds("a block has no more than 1024 threads", [&] { return s.threads <= MOST_THREADS; });
  holds("threads of rows are those of a block", [&] { return s.threads % s.threads_per_row == 0; });
  holds("rows of a block are a power of two", [&] { return is_power(s.threads / s.threads_per_row); });
  holds("there is a chunk", [&] { return s.chunks >= 1; });
  if (s.row != READ_AGAIN) {
    holds("chunks hold a row", [&] { return D <= I64(s.chunks) * s.threads_per_row * s.vector; });
    holds("chunks are no more than 32", [&] { return s.chunks <= 32; });
  } else {
    holds("chunks that are read again are one", [&] { return s.chunks == 1; });
  }
  holds("no row or some are copied", [&] { return s.rows_copied >= 0; });
  holds("rows are copied as there are turns", [&] { return s.rows_copied <= MOST_ROWS_COPIED; });
}
// What most_rows_copied gives, which copies_call shows.
symbolic::I32 copied(const symbolic::I32& access) {
  const I32 found = some("rows that are copied", 0, MOST_ROWS_COPIED);
  if (access < 4) assume(found == 0);
  return found;
}
// What blocks_at_a_time and fewest_threads give, which parts_call shows.
symbolic::I32 held_blocks() { return some("blocks that are held", 1, MOST_THREADS_AT_A_TIME); }
symbolic::I32 few_threads() {
  const I32 found = some("fewest threads", 1, 8);
  assume(is_power(found));
  return found;
}
inline void parts_call() {
  signed_quotients = true;
  const Limits any = {0, 16, 0, some("resident", 0, 4096), 100};
  const Asked asked = {4, 4, some("compute", 4, 8), 0, 0, 0, some("calls", 0, 1), 0, 0, 0, 0, some("segment", 0, MOST_FEATURES), 0};
  const I32 held = blocks_at_a_time(some("threads", 32, 1024), some("kept", 0, 1 << 20), asked, any);
  place = "blocks_at_a_time";
  claimed("a block is held", [&] { return held >= 1; });
  claimed("blocks have no more threads than are held", [&] { return held <= MOST_THREADS_AT_A_TIME; });
  const I32 fewest = fewest_threads(some("vectors", 1, MOST_FEATURES), any);
  place = "fewest_threads";
  claimed("threads are a power of two", [&] { return is_power(fewest); });
  claimed("threads are few", [&] { return fewest <= 8; });
  claimed("there is a thread", [&] { return fewest >= 1; });
}
// Every layout that shape_of takes in the place of one that it has found: of whole warps, by the number of chunks.
template <int CHUNKS, int VECTOR> void whole_warps_call() {
  signed_quotients = true;
  Shape s;
  I32 D;
  const Asked asked = {2, 2, 4, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0};
  {
    const Given given;
    D = some("D", 1, MOST_FEATURES);
    s.vector = VECTOR, s.row = PACKED, s.holds_features = false, s.sums = IN_REGISTERS;
    assume(D % VECTOR == 0);
  }
  s = of_whole_warps(s, CHUNKS, ceiling(D, s.vector));
  if (s.threads == 0) return;
  s.blocks = held_blocks();
  s = settled(s, D, asked, {some("shared", 16384, 1 << 20), 16, 0, 0, 100});
  const Given given;
  --way.quiet;
  judged(s, D, asked, "of_whole_warps");
  ++way.quiet;
}
inline void copies_call() {
  signed_quotients = true;
  const I64 bytes = I64::symbol("bytes"), beside = I64::symbol("beside");
  const I32 access = some("access", 1, 16), blocks = some("blocks", 1, 2048);
  const Limits may = {some("shared", 16384, 1 << 20), 16, 0, 0, 100};
  assume(bytes >= 0), assume(bytes <= 1ll << 40), assume(beside >= 0), assume(beside <= 1ll << 40);
  const I32 found = most_rows_copied(bytes, access, blocks, beside, may);
  place = "most_rows_copied";
  claimed("no row or some are copied", [&] { return found >= 0; });
  claimed("rows are copied as there are turns", [&] { return found <= MOST_ROWS_COPIED; });
  if (access < 4) claimed("copies are of 4 bytes", [&] { return found == 0; });
}
template <int STORAGE, int COMPUTE, int VECTOR> void shape_call() {
  signed_quotients = true;
  I32 D;
  Asked n;
  Limits may;
  {
    const Given given;
    D = some("D", 1, MOST_FEATURES);
    n = {STORAGE, some("parameter", 2, 8), COMPUTE, some("rows", 0, 256), some("features", 0, 256), some("sums", 0, 256),
         some("calls", 0, 4096), some("scalars", 0, 4096), some("results", 0, 256), some("most sums", 0, 256), some("scalar sums", 0, 256),
         0, 0};
    may = {some("shared", 16384, 1 << 20), VECTOR, 0, some("resident", 0, 2048), some("room", 0, 100)};
  }
  const Shape found = shape_of(D, n, may);
  const Given given;
  --way.quiet;
  judged(found, D, n, "shape_of");
  ++way.quiet;
}

}  // namespace lngen

int main() {
  using namespace lngen;
#include "calls.h"
}
