// Loads and stores that say how they want to be cached, which has no effect here: they are checked as any others.
#pragma once

template <class T> __forceinline__ T __ldg(const T* from) { return *from; }
template <class T> __forceinline__ T __ldcs(const T* from) { return *from; }
template <class T> __forceinline__ void __stcs(T* to, T value) { *to = value; }
