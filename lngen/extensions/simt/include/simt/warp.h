// Operations of a warp: shuffles and a vote. Each has the mask of the lanes that take part.
#pragma once
#include <type_traits>

#include "calls.h"

namespace simt {

constexpr unsigned ALL_LANES = 0xffffffffu;

template <class T> inline T exchange(const char* line, unsigned mask, T value, unsigned source) {
  static_assert(std::is_trivially_destructible<T>::value, "a shuffle moves plain values");
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 2, 4 or 8 bytes");
  simt_warp_exchange(mask, &value, sizeof value, source, line);
  return value;
}

// A width splits the warp into segments; a lane never reads past an end of its own, it keeps its value instead.
template <class T> inline T shuffle(const char* line, unsigned mask, T value, int source, int width = 32) {
  const unsigned start = simt_lane() & ~unsigned(width - 1);
  return exchange(line, mask, value, start + (unsigned(source) & unsigned(width - 1)));
}
template <class T> inline T shuffle_xor(const char* line, unsigned mask, T value, int lanes, int width = 32) {
  const unsigned lane = simt_lane(), source = lane ^ unsigned(lanes), last = lane | unsigned(width - 1);
  return exchange(line, mask, value, source > last ? lane : source);
}
template <class T> inline T shuffle_down(const char* line, unsigned mask, T value, unsigned lanes, int width = 32) {
  const unsigned lane = simt_lane(), last = lane | unsigned(width - 1);
  return exchange(line, mask, value, lanes > last - lane ? lane : lane + lanes);
}
inline int any(const char* line, unsigned mask, bool predicate) {
  unsigned values[32];
  const unsigned value = predicate, there = simt_warp_gather(mask, &value, sizeof value, values, line);
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((there >> lane & 1) && values[lane]) return 1;
  return 0;
}

inline void warp_sync(const char* line, unsigned mask = ALL_LANES) { simt_warp_sync(mask, line); }

}  // namespace simt

#define __syncwarp(...) ::simt::warp_sync(SIMT_LINE __VA_OPT__(, ) __VA_ARGS__)
#define __shfl_sync(...) ::simt::shuffle(SIMT_LINE, __VA_ARGS__)
#define __shfl_xor_sync(...) ::simt::shuffle_xor(SIMT_LINE, __VA_ARGS__)
#define __shfl_down_sync(...) ::simt::shuffle_down(SIMT_LINE, __VA_ARGS__)
#define __any_sync(mask, predicate) (::simt::any(SIMT_LINE, mask, predicate))
