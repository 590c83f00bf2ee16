// SPDX-License-Identifier: MIT
// Sweeps over a row and sums over rows on a processor, for rows of any length and any number of chunks.
#define LNGEN_ROWS f16
#include "host_rows.h"

using namespace symbolic;

// What kernels.py lets pass.
#ifndef MOST_D
#define MOST_D (1 << 30)
#endif

namespace lngen {

inline I32 some(const char* name, int least, int most) {
  const Given given;
  const I32 made = I32::symbol(name);
  assume(made >= least), assume(made <= most);
  return made;
}

// A row is read and written by the widths that the header's loops call.
inline void sweep_call() {
  arrays.clear();
  const I32 D = some("D", 1, MOST_D);
  const auto row = array<f16>("row", D, 16);
  f32 found[1];
  sweep<0, 0>(D, D, found, [&](const I32& column, auto width, auto&) { read<f32>(row + column, width); });
}
inline void columns_call() {
  arrays.clear();
  const I32 D = some("D", 1, MOST_D);
  const auto row = array<f16>("row", D, 16);
  each_column<f32>(D, [&](const I32& column, auto width) { write(row + column, width, read<f32>(row + column, width)); });
}

// Chunks are of rows of the call, and follow each other.
inline void chunks_call() {
  Work on;
  I64 chunk;
  {
    const Given given;
    on.rows = I64::symbol("rows"), on.run = I64::symbol("run"), on.chunks = some("chunks", 1, 16), chunk = I64::symbol("chunk");
    const I64 runs = I64::symbol("runs");
    assume(on.run >= 1), assume(runs >= on.chunks), assume(on.rows == runs * on.run), assume(on.rows <= 1ll << 40);
    assume(chunk >= 0), assume(chunk < on.chunks);
  }
  const I64 first = on.row(chunk), end = on.row(chunk + 1);
  place = "host_rows.h";
  claimed("a chunk begins at a row", [&] { return first >= 0; });
  claimed("a chunk ends behind its begin", [&] { return first <= end; });
  claimed("a chunk ends in the call", [&] { return end <= on.rows; });
}

// The workspace of a call, as `DirectionKernels.cut` measures it.
inline void workspace_call() {
  arrays.clear();
  constexpr int COLUMNS = 3, SCALARS = 2;
  const I32 D = some("D", 1, MOST_D), chunks = some("chunks", 1, 16), chunk = some("chunk", 0, 15);
  Pointer<f32> workspace;
  {
    const Given given;
    assume(chunk < chunks);
    const I64 column = (I64(D) + LINE - 1) / LINE * LINE + LINE;
    workspace = array<f32>("workspace", chunks * (2 * COLUMNS * column + (SCALARS + LINE - 1) / LINE * LINE) + LINE, 4);
  }
  const auto own = first_line(workspace) + I64(chunk) * chunk_entries(COLUMNS, SCALARS, D);
  const auto bytes = chunk_entries(COLUMNS, SCALARS, D) * int(sizeof(f32));
  const auto of_chunk = within("a chunk's sums", own, bytes);
  ColumnSums<f32> sums(of_chunk, COLUMNS * column_entries(D));
  each_column<f32>(D, [&](const I32& column, auto width) {
    for (int k = 0; k < COLUMNS; ++k) read<f32>(sums.recent + k * column_entries(D) + column, width);
  });
  sums.end_row(1);
  each_column<f32>(D, [&](const I32& column, auto width) {
    for (int k = 0; k < COLUMNS; ++k) read<f32>(sums.recent + k * column_entries(D) + column, width);
  });
}
inline void totals_call() {
  arrays.clear();
  constexpr int COLUMNS = 3, SCALARS = 2;
  const I32 D = some("D", 1, MOST_D), chunks = some("chunks", 1, 16);
  Pointer<f32> workspace;
  {
    const Given given;
    const I64 column = (I64(D) + LINE - 1) / LINE * LINE + LINE;
    workspace = array<f32>("workspace", chunks * (2 * COLUMNS * column + (SCALARS + LINE - 1) / LINE * LINE) + LINE, 4);
  }
  const auto from = first_line(workspace);
  const I64 entries = chunk_entries(COLUMNS, SCALARS, D);
  for (int k = 0; k < SCALARS; ++k) scalar_total(from, I64(chunks), entries, chunk_entries(COLUMNS, 0, D) + k);
  each_column<f32>(D, [&](const I32& column, auto width) {
    for (int k = 0; k < COLUMNS; ++k) column_total(from, I64(chunks), entries, k * column_entries(D) + column, width);
  });
}

}  // namespace lngen

int main() {
  using namespace lngen;
#include "calls.h"
}
