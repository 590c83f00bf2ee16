// Loads and stores that say how they want to be cached, atomics, fences.
#pragma once
#include "calls.h"

// Cache hints have no effect here; the access itself is an ordinary one, so it is checked like one.
#define SIMT_LOAD(name) \
  template <class T> __forceinline__ T name(const T* from) { return *from; }
#define SIMT_STORE(name) \
  template <class T> __forceinline__ void name(T* to, T value) { *to = value; }
SIMT_LOAD(__ldg)
SIMT_LOAD(__ldca)
SIMT_LOAD(__ldcg)
SIMT_LOAD(__ldcs)
SIMT_LOAD(__ldcv)
SIMT_LOAD(__ldlu)
SIMT_STORE(__stwb)
SIMT_STORE(__stcg)
SIMT_STORE(__stcs)
SIMT_STORE(__stwt)
#undef SIMT_LOAD
#undef SIMT_STORE

namespace simt {

// Threads are switched at barriers and warp operations alone, so a read, a change and a write are never torn apart.
template <class T, class F>
__attribute__((noinline, no_sanitize("thread", "undefined"))) T atomic(T* at, F change) {
  simt_note_atomic(at, sizeof(T), __builtin_return_address(0));
  const T before = *at;
  *at = change(before);
  return before;
}

template <class T> struct Same { using type = T; };
template <class T> using Value = typename Same<T>::type;  // an argument of this type does not decide T

}  // namespace simt

#define SIMT_ATOMIC(name, result)                                                  \
  template <class T> __forceinline__ T name(T* at, simt::Value<T> value) {         \
    return simt::atomic(at, [=](T before) -> T { return T(result); });             \
  }
SIMT_ATOMIC(atomicAdd, before + value)
SIMT_ATOMIC(atomicSub, before - value)
SIMT_ATOMIC(atomicMax, before > value ? before : value)
SIMT_ATOMIC(atomicMin, before < value ? before : value)
SIMT_ATOMIC(atomicAnd, before & value)
SIMT_ATOMIC(atomicOr, before | value)
SIMT_ATOMIC(atomicXor, before ^ value)
SIMT_ATOMIC(atomicExch, value)
SIMT_ATOMIC(atomicInc, before >= value ? 0 : before + 1)
SIMT_ATOMIC(atomicDec, before == 0 || before > value ? value : before - 1)
#undef SIMT_ATOMIC
template <class T> __forceinline__ T atomicCAS(T* at, simt::Value<T> expected, simt::Value<T> value) {
  return simt::atomic(at, [=](T before) { return before == expected ? value : before; });
}

inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}
