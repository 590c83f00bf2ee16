// What the memory of a device can do: one tensor read and one written, two read and one written.
// A block of 256 threads moves 1024 entries of 16 bytes, and a thread has its loads in flight before it stores.

constexpr int LOADS = 4;

extern "C" __global__ void __launch_bounds__(256)
copy(const uint4* __restrict__ from, uint4* __restrict__ to, long long count) {
  const long long first = (long long)blockIdx.x * (LOADS * 256) + threadIdx.x;
  uint4 held[LOADS];
#pragma unroll
  for (int i = 0; i < LOADS; ++i)
    if (first + i * 256 < count) held[i] = __ldcs(from + first + i * 256);
#pragma unroll
  for (int i = 0; i < LOADS; ++i)
    if (first + i * 256 < count) __stcs(to + first + i * 256, held[i]);
}

extern "C" __global__ void __launch_bounds__(256)
triad(const uint4* __restrict__ one, const uint4* __restrict__ other, uint4* __restrict__ to, long long count) {
  const long long first = (long long)blockIdx.x * (LOADS * 256) + threadIdx.x;
  uint4 a[LOADS], b[LOADS];
#pragma unroll
  for (int i = 0; i < LOADS; ++i)
    if (first + i * 256 < count) {
      a[i] = __ldcs(one + first + i * 256);
      b[i] = __ldcs(other + first + i * 256);
    }
#pragma unroll
  for (int i = 0; i < LOADS; ++i)
    if (first + i * 256 < count) {
      a[i].x ^= b[i].x, a[i].y ^= b[i].y, a[i].z ^= b[i].z, a[i].w ^= b[i].w;
      __stcs(to + first + i * 256, a[i]);
    }
}

#ifndef EMULATED
// Runs for so many cycles and does nothing: what is launched meanwhile waits behind it.
extern "C" __global__ void hold(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {}
}
#endif
