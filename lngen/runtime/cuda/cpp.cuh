// SPDX-License-Identifier: MIT
// The C++ that layers share with processors, for a GPU.
#ifndef LNGEN_CPP_CUH
#define LNGEN_CPP_CUH

#include "rows.cuh"

#define LNGEN_INLINE __device__ __forceinline__
namespace lngen {
template <class A> LNGEN_INLINE A select(bool condition, A a, A b) { return condition ? a : b; }
}  // namespace lngen
#include "../cpp/absence.h"
#include "../cpp/casts.h"
#include "../cpp/philox.h"
#include "../cpp/mathematics.h"

#endif
