// SPDX-License-Identifier: MIT
// The kernels of a module: one for each type of rows that is asked for, beside an array of how it is launched.

namespace lngen::LNGEN_SPACE {

#ifdef LNGEN_SAVE_NOTHING
constexpr bool SAVES = false;
#else
constexpr bool SAVES = true;
#endif

}  // namespace lngen::LNGEN_SPACE

// Another layer may have come before, with other macros.
#undef LNGEN_PLACES
#undef LNGEN_AND_PLACES
#undef LNGEN_OF_F16
#undef LNGEN_OF_BF16
#undef LNGEN_OF_F32
#undef LNGEN_OF_F64
#undef LNGEN_EACH_TYPE

#define LNGEN_BOUNDS(L) __launch_bounds__(L::THREADS, L::BLOCKS)

// Numbers that a launcher reads of a module: block, rows and bytes, the layout of the work, and the blocks that share a row,
// which are launched together.
#define LNGEN_LAUNCH(L) \
  {L::THREADS, L::ROWS, L::SHARED_BYTES, L::VECTOR, L::THREADS_PER_ROW, L::ENTRIES, int(L::ROW), int(L::SUMS), L::ROWS_COPIED, \
   L::BLOCKS_PER_ROW}

// With LNGEN_AXES, a kernel is passed where its rows lie behind its arguments.
#ifdef LNGEN_AXES
#define LNGEN_PLACES(L) , const lngen::LNGEN_SPACE::Places<typename L::Given> places
#define LNGEN_AND_PLACES , places
#else
#define LNGEN_PLACES(L)
#define LNGEN_AND_PLACES
#endif

// A kernel and its launch, given its mathematics, its parameters and their names, the last two in parentheses.
#define LNGEN_UNPACKED(...) __VA_ARGS__
#define LNGEN_KERNEL(NAME, T, LAYER, PARAMETERS, NAMES)                                      \
  using LNGEN_OWN(NAME##_with) = lngen::LNGEN_SPACE::Launch<T, lngen::LNGEN_SPACE::LAYER>;   \
  extern "C" {                                                                               \
  __device__ int LNGEN_OWN(NAME##_launch)[] = LNGEN_LAUNCH(LNGEN_OWN(NAME##_with));          \
  __global__ void LNGEN_BOUNDS(LNGEN_OWN(NAME##_with))                                       \
      LNGEN_OWN(NAME)(LNGEN_UNPACKED PARAMETERS LNGEN_PLACES(LNGEN_OWN(NAME##_with))) {      \
    LNGEN_OWN(NAME##_with)::run({LNGEN_UNPACKED NAMES LNGEN_AND_PLACES});                    \
  }                                                                                          \
  }

// Kernels of a type of rows T, of parameters P, and of arithmetic A; for layer.cuh, of LNGEN_ROWS alone.
#define LNGEN_OF(KERNELS, TYPE)                                               \
  KERNELS(TYPE, lngen::TYPE, lngen::LNGEN_SPACE::Parameter<lngen::TYPE>,      \
          lngen::LNGEN_SPACE::Computed<lngen::TYPE>)
#ifdef LNGEN_F16
#define LNGEN_OF_F16(KERNELS) LNGEN_OF(KERNELS, f16)
#else
#define LNGEN_OF_F16(KERNELS)
#endif
#ifdef LNGEN_BF16
#define LNGEN_OF_BF16(KERNELS) LNGEN_OF(KERNELS, bf16)
#else
#define LNGEN_OF_BF16(KERNELS)
#endif
#ifdef LNGEN_F32
#define LNGEN_OF_F32(KERNELS) LNGEN_OF(KERNELS, f32)
#else
#define LNGEN_OF_F32(KERNELS)
#endif
#ifdef LNGEN_F64
#define LNGEN_OF_F64(KERNELS) LNGEN_OF(KERNELS, f64)
#else
#define LNGEN_OF_F64(KERNELS)
#endif
#ifdef LNGEN_TYPED
#define LNGEN_EACH_TYPE(KERNELS) LNGEN_OF(KERNELS, LNGEN_ROWS)
#else
#define LNGEN_EACH_TYPE(KERNELS) \
  LNGEN_OF_F16(KERNELS) LNGEN_OF_BF16(KERNELS) LNGEN_OF_F32(KERNELS) LNGEN_OF_F64(KERNELS)
#endif
