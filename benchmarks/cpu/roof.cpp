// How fast memory is read and written on one core: a copy and a triad, with plain stores and with such as bypass the cache.
#include "../../lngen/runtime/native/simd.h"

namespace {

using lngen::f32;
constexpr int LANES = sizeof(lngen::Lanes<f32>) / sizeof(f32);

template <bool STREAMS, class Value> void each(f32* to, long long entries, Value value) {
  for (long long i = 0; i + LANES <= entries; i += LANES)
    STREAMS ? lngen::stream(to + i, value(i)) : lngen::narrow(to + i, value(i));
}

template <bool STREAMS> void copy(void* const* arrays, const long long* sizes) {
  const f32* from = static_cast<const f32*>(arrays[0]);
  each<STREAMS>(static_cast<f32*>(arrays[2]), sizes[0], [=](long long i) { return lngen::widen<f32>(from + i); });
}

template <bool STREAMS> void triad(void* const* arrays, const long long* sizes) {
  const f32 *a = static_cast<const f32*>(arrays[0]), *b = static_cast<const f32*>(arrays[1]);
  each<STREAMS>(static_cast<f32*>(arrays[2]), sizes[0],
                [=](long long i) { return lngen::widen<f32>(a + i) + lngen::widen<f32>(b + i); });
}

}  // namespace

extern "C" {
void copy_plain(void* const* arrays, const double*, const long long* sizes) { copy<false>(arrays, sizes); }
void copy_streaming(void* const* arrays, const double*, const long long* sizes) { copy<true>(arrays, sizes); }
void triad_plain(void* const* arrays, const double*, const long long* sizes) { triad<false>(arrays, sizes); }
void triad_streaming(void* const* arrays, const double*, const long long* sizes) { triad<true>(arrays, sizes); }
}
