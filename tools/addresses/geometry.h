// SPDX-License-Identifier: MIT
// The geometry of a kernel as symbols. What is assumed of it here is shown of shape_of's own text (shapes.cpp) for any D,
// and the headers' static_assert stand where the compiler has them.

#define LNGEN_SHARED 262144

// A launch of a layer is not made here: its geometry is a symbol.
template <class T_, class P_, int...> struct Demand {};
template <class N> struct NoChoice {};
template <class N> using Chosen = NoChoice<N>;
template <class N, class F> void in_geometry(const symbolic::I32&, F) {}

template <class Trip, class Part> void forget(Trip& trip, Part& part) {
  if constexpr (requires { part.offset; }) trip.any(part.offset, "offset");
  if constexpr (requires { part.turn; }) trip.any(part.turn, "turn of a part");
}

template <class Trip, class Here> void forget_place(Trip& trip, Here& here) {
  if constexpr (requires { here.along; })
    for (auto& each : here.along) trip.any(each, "along");
}

// As shape_of gives it: shapes.cpp shows each of these.
template <class G> Shape shape_from() {
  const symbolic::Given given;
  using symbolic::assume;
  const symbolic::I32 threads_per_row = symbolic::I32::symbol("threads per row"), rows = symbolic::I32::symbol("rows a block");
  const symbolic::I32 chunks = symbolic::I32::symbol("chunks"), threads = symbolic::I32::symbol("threads");
#ifdef OF_WHOLE_WARPS
  const symbolic::I32 of_warps = 1;
  assume(threads_per_row % 32 == 0), assume(rows == 1);
#else
  const symbolic::I32 of_warps = 0;
  assume(is_power(threads_per_row)), assume(is_power(rows));
#endif
  assume(threads_per_row <= MOST_THREADS);
  assume(threads == threads_per_row * rows), assume(threads >= 32), assume(threads <= MOST_THREADS);
  assume(chunks >= 1);
  if (G::KEEPS_ROW) assume(chunks <= 32);
  else assume(chunks == 1);
  return {G::VECTOR, threads_per_row, chunks, threads, G::ROW, G::HOLDS_FEATURES, G::SUMS, G::ROWS_COPIED, 1, 1, false, of_warps};
}
// A row is in registers where they hold it, as in_geometry asks where D is known only to the call.
template <class G> void promised(const symbolic::I32& D) {
  const symbolic::Given given;
  if (G::KEEPS_ROW) symbolic::assume(D <= symbolic::I64(G::CHUNKS) * G::THREADS_PER_ROW * G::VECTOR);
}
