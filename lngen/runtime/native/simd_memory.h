// SPDX-License-Identifier: MIT
// How lanes are loaded and stored, and all that a target's own instructions are called for; simd.h includes this.
//
//     widen<S>(from)             Lanes<S>::COUNT entries of any storage type, at any address
//     widen_first<S>(from, n)    the first n of them, n < COUNT, and 0; no memory beyond them is touched
//     widen<S>(value)            one entry
//     narrow(to, lanes), narrow_first(to, n, lanes), narrow<T>(value)     the same the other way
//     stream(to, lanes)          narrow past the caches; `to` is aligned to 16 bytes
//     fence()                    after streaming, before another thread is told of it
//
// A number is rounded to the nearest entry, to the even one of two; what is too large is infinite, and NaN stays NaN.
// What has no instruction on a target is computed in integers and has the same bits.
#ifndef LNGEN_SIMD_MEMORY_H
#define LNGEN_SIMD_MEMORY_H

#include "simd.h"
#include "../cpp/casts.h"

namespace lngen {

// ------------------------------------------------------------------------------------------------- entries of 16 bits

// Their bits in words of 32, W: one, or a register of them with F of floats.
template <class F, class W> LNGEN_INLINE F of_bf16(W bits) { return bits_as<F>(W(bits << 16)); }
template <class F, class W> LNGEN_INLINE F of_f16(W bits) {
  const W sign = (bits & 0x8000) << 16, rest = (bits & 0x7fff) << 13;
  // The exponent's bias is another; a product takes subnormal entries along. Infinity and NaN are put back.
  const W finite = bits_as<W>(F(bits_as<F>(rest) * 0x1p112f)), infinite = rest | 0x7f800000;
  const W word = rest > 0x0f800000 ? infinite | 0x00400000 : rest == 0x0f800000 ? infinite : finite;
  return bits_as<F>(W(word | sign));
}
template <class F, class W> LNGEN_INLINE W to_bf16(F value) {
  const W word = bits_as<W>(value), rounded = (word + 0x7fff + ((word >> 16) & 1)) >> 16, quiet = (word >> 16) | 0x40;
  return (word & 0x7fffffff) > 0x7f800000 ? quiet : rounded;
}
template <class F, class W> LNGEN_INLINE W to_f16(F value) {
  const W word = bits_as<W>(value), size = word & 0x7fffffff, sign = (word ^ size) >> 16;
  // Beside 1/2 the last place of a float is the least entry.
  const W small = bits_as<W>(F(bits_as<F>(size) + 0.5f)) - 0x3f000000, infinite = (word ^ word) + 0x7c00;
  const W normal = (size + 0xfff + ((size >> 13) & 1) - (112u << 23)) >> 13, quiet = ((size >> 13) & 0x3ff) | 0x7e00;
  const W finite = size < 0x38800000 ? small : normal;
  return (size > 0x7f800000 ? quiet : size >= 0x477ff000 ? infinite : finite) | sign;
}

// ------------------------------------------------------------------------------------------------------- one entry

template <class S> LNGEN_INLINE S widen(f64 value) { return S(value); }
template <class S> LNGEN_INLINE S widen(f32 value) { return S(value); }
template <class S> LNGEN_INLINE S widen(bf16 value) { return S(of_bf16<f32>(std::uint32_t(value.bits))); }
template <class S> LNGEN_INLINE S widen(f16 value) { return S(of_f16<f32>(std::uint32_t(value.bits))); }

template <class T> struct Narrow {
  template <class S> static LNGEN_INLINE T from(S value) { return T(value); }
};
template <> struct Narrow<f16> {
  template <class S> static LNGEN_INLINE f16 from(S value) {
    return f16{std::uint16_t(to_f16<f32, std::uint32_t>(rounded_to_odd(value)))};
  }
};
template <> struct Narrow<bf16> {
  template <class S> static LNGEN_INLINE bf16 from(S value) {
    return bf16{std::uint16_t(to_bf16<f32, std::uint32_t>(rounded_to_odd(value)))};
  }
};
template <class T, class S> LNGEN_INLINE T narrow(S value) { return Narrow<T>::from(value); }

// ------------------------------------------------------------------------------------------------------------ lanes

// Lanes from and to COUNT entries of T in memory, entry by entry, in loops that a compiler turns into vectors itself.
template <class S, class T> struct ByEntry {
  static constexpr int COUNT = Lanes<S>::COUNT;

  static LNGEN_INLINE Lanes<S> load(const T* from) {
    S numbers[COUNT];
    for (int i = 0; i < COUNT; ++i) numbers[i] = widen<S>(from[i]);
    return Lanes<S>::at(numbers);
  }
  static LNGEN_INLINE void store(T* to, const Lanes<S>& lanes) {
    S numbers[COUNT];
    lanes.put(numbers);
    for (int i = 0; i < COUNT; ++i) to[i] = narrow<T>(numbers[i]);
  }
};
template <class S> struct ByEntry<S, S> {
  static LNGEN_INLINE Lanes<S> load(const S* from) { return Lanes<S>::at(from); }
  static LNGEN_INLINE void store(S* to, const Lanes<S>& lanes) { lanes.put(to); }
};

// Entries of 16 bits by half a register.
template <class T> struct ByHalf {
  using Part = Register<f32>::numbers;
  using Words = Register<f32>::words;
  typedef std::uint16_t Half __attribute__((vector_size(REGISTER / 2)));
  static constexpr int COUNT = REGISTER / 4;

  static LNGEN_INLINE Lanes<f32> load(const T* from) {
    Lanes<f32> lanes;
    unrolled<Lanes<f32>::PARTS>([&](int i) __attribute__((always_inline)) {
      Half half;
      std::memcpy(&half, from + i * COUNT, sizeof half);
      const Words bits = __builtin_convertvector(half, Words);
      if constexpr (std::is_same<T, f16>::value) lanes.parts[i] = of_f16<Part>(bits);
      else lanes.parts[i] = of_bf16<Part>(bits);
    });
    return lanes;
  }
  static LNGEN_INLINE void store(T* to, const Lanes<f32>& lanes) {
    unrolled<Lanes<f32>::PARTS>([&](int i) __attribute__((always_inline)) {
      Words bits;
      if constexpr (std::is_same<T, f16>::value) bits = to_f16<Part, Words>(lanes.parts[i]);
      else bits = to_bf16<Part, Words>(lanes.parts[i]);
      const Half half = __builtin_convertvector(bits, Half);
      std::memcpy(to + i * COUNT, &half, sizeof half);
    });
  }
};
template <> struct ByEntry<f32, bf16> : ByHalf<bf16> {};
#if !defined(__F16C__) || !defined(__AVX2__)
template <> struct ByEntry<f32, f16> : ByHalf<f16> {};
#elif !defined(LNGEN_AVX512)
template <> struct ByEntry<f32, f16> {
  static LNGEN_INLINE Lanes<f32> load(const f16* from) {
    Lanes<f32> lanes;
    unrolled<2>([&](int i) __attribute__((always_inline)) {
      lanes.parts[i] = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from) + i));
    });
    return lanes;
  }
  static LNGEN_INLINE void store(f16* to, const Lanes<f32>& lanes) {
    unrolled<2>([&](int i) __attribute__((always_inline)) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to) + i, _mm256_cvtps_ph(lanes.parts[i], _MM_FROUND_TO_NEAREST_INT));
    });
  }
};
#endif

// The same with what is at hand on every target for the first entries and past the caches.
template <class S, class T, class = void> struct Access : ByEntry<S, T> {
  static constexpr int COUNT = Lanes<S>::COUNT;

  static LNGEN_INLINE Lanes<S> load_first(const T* from, int n) {
    T entries[COUNT] = {};
    for (int i = 0; i < n; ++i) entries[i] = from[i];
    return Access::load(entries);
  }
  static LNGEN_INLINE void store_first(T* to, int n, const Lanes<S>& lanes) {
    T entries[COUNT];
    Access::store(entries, lanes);
    for (int i = 0; i < n; ++i) to[i] = entries[i];
  }
  static LNGEN_INLINE void store_streaming(T* to, const Lanes<S>& lanes) {
#if defined(__SSE2__)
    if constexpr (COUNT * sizeof(T) % 16 == 0) {
      alignas(64) T entries[COUNT];
      Access::store(entries, lanes);
      const auto* from = reinterpret_cast<const __m128i*>(entries);
      for (int i = 0; i < COUNT * int(sizeof(T)) / 16; ++i) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, _mm_load_si128(from + i));
      }
      return;
    }
#endif
    Access::store(to, lanes);
  }
};

#ifdef LNGEN_AVX512
// Entries in one register, of 64 or 32 bytes.
template <int BYTES> struct Block { using type = __m512i; };
template <> struct Block<32> { using type = __m256i; };

// Quarter by quarter: the memory that a program gives is aligned to 16 bytes, and the processor joins them again.
LNGEN_INLINE void stream_block(void* to, __m512i block) {
  auto* const quarters = static_cast<__m128i*>(to);
  _mm_stream_si128(quarters, _mm512_extracti32x4_epi32(block, 0));
  _mm_stream_si128(quarters + 1, _mm512_extracti32x4_epi32(block, 1));
  _mm_stream_si128(quarters + 2, _mm512_extracti32x4_epi32(block, 2));
  _mm_stream_si128(quarters + 3, _mm512_extracti32x4_epi32(block, 3));
}
LNGEN_INLINE void stream_block(void* to, __m256i block) {
  auto* const halves = static_cast<__m128i*>(to);
  _mm_stream_si128(halves, _mm256_extracti128_si256(block, 0));
  _mm_stream_si128(halves + 1, _mm256_extracti128_si256(block, 1));
}

template <class T> LNGEN_INLINE auto load_block(const T* from, unsigned some, __m512i) {
  if constexpr (sizeof(T) == 8) return _mm512_maskz_loadu_epi64(__mmask8(some), from);
  else return _mm512_maskz_loadu_epi32(__mmask16(some), from);
}
template <class T> LNGEN_INLINE auto load_block(const T* from, unsigned some, __m256i) {
  if constexpr (sizeof(T) == 4) return _mm256_maskz_loadu_epi32(__mmask8(some), from);
  else return _mm256_maskz_loadu_epi16(__mmask16(some), from);
}
template <class T> LNGEN_INLINE void store_block(T* to, unsigned some, __m512i block) {
  if constexpr (sizeof(T) == 8) _mm512_mask_storeu_epi64(to, __mmask8(some), block);
  else _mm512_mask_storeu_epi32(to, __mmask16(some), block);
}
template <class T> LNGEN_INLINE void store_block(T* to, unsigned some, __m256i block) {
  if constexpr (sizeof(T) == 4) _mm256_mask_storeu_epi32(to, __mmask8(some), block);
  else _mm256_mask_storeu_epi16(to, __mmask16(some), block);
}

LNGEN_INLINE __m512 widened(__m512i block, f32, f32) { return _mm512_castsi512_ps(block); }
LNGEN_INLINE __m512 widened(__m256i block, f32, f16) { return _mm512_cvtph_ps(block); }
LNGEN_INLINE __m512 widened(__m256i block, f32, bf16) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(block), 16));
}
LNGEN_INLINE __m512d widened(__m512i block, f64, f64) { return _mm512_castsi512_pd(block); }
LNGEN_INLINE __m512d widened(__m256i block, f64, f32) { return _mm512_cvtps_pd(_mm256_castsi256_ps(block)); }

LNGEN_INLINE __m512i narrowed(__m512 part, f32) { return _mm512_castps_si512(part); }
LNGEN_INLINE __m256i narrowed(__m512 part, f16) { return _mm512_cvtps_ph(part, _MM_FROUND_TO_NEAREST_INT); }
// The instruction of AVX512_BF16 takes subnormal numbers for 0.
LNGEN_INLINE __m256i narrowed(__m512 part, bf16) {
  const __m512i word = _mm512_castps_si512(part), high = _mm512_srli_epi32(word, 16);
  const __m512i last = _mm512_and_si512(high, _mm512_set1_epi32(1));
  const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(word, _mm512_set1_epi32(0x7fff)), last);
  const __m512i quiet = _mm512_or_si512(high, _mm512_set1_epi32(0x40));
  const __mmask16 is_nan = _mm512_cmp_ps_mask(part, part, _CMP_UNORD_Q);
  return _mm512_cvtepi32_epi16(_mm512_mask_mov_epi32(_mm512_srli_epi32(sum, 16), is_nan, quiet));
}
LNGEN_INLINE __m512i narrowed(__m512d part, f64) { return _mm512_castpd_si512(part); }
LNGEN_INLINE __m256i narrowed(__m512d part, f32) { return _mm256_castps_si256(_mm512_cvtpd_ps(part)); }

template <class S, class T> struct HasBlocks : std::false_type {};
template <class S> struct HasBlocks<S, S> : std::true_type {};
template <> struct HasBlocks<f32, f16> : std::true_type {};
template <> struct HasBlocks<f32, bf16> : std::true_type {};
template <> struct HasBlocks<f64, f32> : std::true_type {};

template <class S, class T> struct Access<S, T, std::enable_if_t<HasBlocks<S, T>::value>> {
  using Part = typename Block<Lanes<S>::COUNT * int(sizeof(T))>::type;

  static LNGEN_INLINE Lanes<S> lanes_of(Part block) {
    Lanes<S> lanes;
    lanes.parts[0] = widened(block, S(), T());
    return lanes;
  }
  static LNGEN_INLINE Lanes<S> load(const T* from) {
    Part block;
    std::memcpy(&block, from, sizeof block);
    return lanes_of(block);
  }
  static LNGEN_INLINE void store(T* to, const Lanes<S>& lanes) {
    const Part block = narrowed(lanes.parts[0], T());
    std::memcpy(to, &block, sizeof block);
  }
  static LNGEN_INLINE Lanes<S> load_first(const T* from, int n) {
    return lanes_of(load_block(from, (1u << n) - 1, Part()));
  }
  static LNGEN_INLINE void store_first(T* to, int n, const Lanes<S>& lanes) {
    store_block(to, (1u << n) - 1, narrowed(lanes.parts[0], T()));
  }
  static LNGEN_INLINE void store_streaming(T* to, const Lanes<S>& lanes) {
    stream_block(to, narrowed(lanes.parts[0], T()));
  }
};
#endif

template <class S, class T> LNGEN_INLINE Lanes<S> widen(const T* from) { return Access<S, T>::load(from); }
template <class S, class T> LNGEN_INLINE Lanes<S> widen_first(const T* from, int n) {
  return Access<S, T>::load_first(from, n);
}
template <class T, class S> LNGEN_INLINE void narrow(T* to, const Lanes<S>& lanes) { Access<S, T>::store(to, lanes); }
template <class T, class S> LNGEN_INLINE void narrow_first(T* to, int n, const Lanes<S>& lanes) {
  Access<S, T>::store_first(to, n, lanes);
}
template <class T, class S> LNGEN_INLINE void stream(T* to, const Lanes<S>& lanes) {
  Access<S, T>::store_streaming(to, lanes);
}
LNGEN_INLINE void fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace lngen

#endif
