// SPDX-License-Identifier: MIT
// Names of a direction's arguments, results and sums as types, and what a kernel is given for each.
//
// Before it is included: absence.h, and Integer and OneInteger, the types of arrays of integers and of one. T is the type that rows are stored
// in, P that of parameters, A that of arithmetic.

namespace lngen::LNGEN_SPACE {

enum Kind {
  ROWS,             // const T*, entries of rows
  FEATURES,         // const P*, one for each column
  SAVED,            // const A*, one for each row
  ROW_NUMBERS,      // const T*, one for each row
  NUMBER,           // A
  SCALAR,           // const P*, one
  INTEGER_ROWS,     // const Integer*, entries of rows
  INTEGER_FEATURES, // const Integer*, one for each column
  ROW_INTEGERS,     // const Integer*, one for each row
  INTEGER,          // const OneInteger*, one
  ROWS_OUT,         // T*, entries of rows
  ROW_NUMBERS_OUT,  // T*, one for each row
  SAVED_OUT,        // A*, one for each row
  FEATURES_OUT,     // P*, one for each column
  SCALARS_OUT,      // P*, one
  PARTS,            // A*, sums over some of the rows
  LONG,             // long long
  INT,              // int
  OVER_ROWS,        // a sum over rows into each column, not an argument
  OVER_ALL,         // a sum over rows of a number of the row, not an argument
  KEPT,             // a row value that a processor keeps for later stages, not an argument
  RANDOM,           // entries of rows that are made of a seed, not an argument; its index is the number of a stream
};

// The I-th of its kind; whether it is there; its value where it is not (absence.h); what a result is cast to (casts.h),
// or void.
template <Kind K, int I, bool IS_THERE = true, class Absent_ = Zero, class Cast_ = void> struct Name {
  static constexpr Kind KIND = K;
  static constexpr int INDEX = I;
  static constexpr bool THERE = IS_THERE, PER_ROW = K == ROWS || K == SAVED || K == ROW_NUMBERS || K == ROW_INTEGERS;
  // Whether it is an array with entries of rows, or with a number a row.
  static constexpr bool IN_ROWS = K == ROWS || K == INTEGER_ROWS || K == ROWS_OUT;
  static constexpr bool OF_ROWS =
      K == SAVED || K == ROW_NUMBERS || K == ROW_INTEGERS || K == ROW_NUMBERS_OUT || K == SAVED_OUT;
  static constexpr bool IS_INTEGER = K == INTEGER_ROWS || K == INTEGER_FEATURES || K == ROW_INTEGERS || K == INTEGER;
  using Absent = Absent_;
  using Cast = Cast_;
};
constexpr Name<PARTS, 0> WORKSPACE;
constexpr Name<LONG, 0> ROW_COUNT;
constexpr Name<INT, 0> D;
constexpr Name<INT, 1> BLOCKS;

#ifdef __CUDACC__
#define LNGEN_CONSTANT __host__ __device__ constexpr
#else
#define LNGEN_CONSTANT constexpr
#endif

LNGEN_CONSTANT bool same_text(const char* one, const char* other) {
  while (*one && *one == *other) ++one, ++other;
  return *one == *other;
}
#define LNGEN_TEXT_OF(...) #__VA_ARGS__
#define LNGEN_TEXT(...) LNGEN_TEXT_OF(__VA_ARGS__)
// Whether a macro is not defined, as a constant: it then stands for itself.
#define LNGEN_UNDEFINED(macro) lngen::LNGEN_SPACE::same_text(LNGEN_TEXT(macro), #macro)

template <class... N> struct Names {
  // Those of a kind that are there, and all of them.
  static LNGEN_CONSTANT int count([[maybe_unused]] Kind kind) { return (0 + ... + int(N::KIND == kind && N::THERE)); }
  static LNGEN_CONSTANT int all([[maybe_unused]] Kind kind) { return (0 + ... + int(N::KIND == kind)); }
  // The set of them as bits.
  static LNGEN_CONSTANT unsigned long long wanted([[maybe_unused]] Kind kind) {
    return (0ull | ... | (N::KIND == kind && N::THERE ? 1ull << N::INDEX : 0ull));
  }
};
template <class... N> LNGEN_CONSTANT Names<N...> names(N...) { return {}; }
template <class... N> LNGEN_CONSTANT Names<N...> over_rows(N...) { return {}; }

// An argument of a kind, for its type.
template <Kind K, class T, class P, class A> LNGEN_CONSTANT auto passed_as() {
  constexpr bool IS_INTEGER = K == INTEGER_ROWS || K == INTEGER_FEATURES || K == ROW_INTEGERS;
  if constexpr (K == ROWS || K == ROW_NUMBERS) return static_cast<const T*>(nullptr);
  else if constexpr (K == FEATURES || K == SCALAR) return static_cast<const P*>(nullptr);
  else if constexpr (K == SAVED) return static_cast<const A*>(nullptr);
  else if constexpr (IS_INTEGER) return static_cast<const Integer*>(nullptr);
  else if constexpr (K == INTEGER) return static_cast<const OneInteger*>(nullptr);
  else if constexpr (K == ROWS_OUT || K == ROW_NUMBERS_OUT) return static_cast<T*>(nullptr);
  else if constexpr (K == FEATURES_OUT || K == SCALARS_OUT) return static_cast<P*>(nullptr);
  else if constexpr (K == SAVED_OUT || K == PARTS) return static_cast<A*>(nullptr);
  else if constexpr (K == NUMBER) return A();
  else if constexpr (K == LONG) return 0ll;
  else if constexpr (K == INT) return 0;
}

// What the entries of an argument are stored as, which are T if nothing else is said.
template <class Cast, class T> struct OneOf { using type = Cast; };
template <class T> struct OneOf<void, T> { using type = T; };
template <class N, class T> using StoredAs = typename OneOf<typename N::Cast, T>::type;
template <class N, class T, class P, class A> using Passing = decltype(passed_as<N::KIND, StoredAs<N, T>, P, A>());

// The arguments of a kernel, in order, each found by its name.
template <class N, class V> struct Argument { V value; };
template <class T, class P, class A, class Given> struct Arguments;
template <class T, class P, class A, class... N>
struct Arguments<T, P, A, Names<N...>> : Argument<N, Passing<N, T, P, A>>... {
  template <class M> LNGEN_INLINE auto of(M) const {
    return static_cast<const Argument<M, Passing<M, T, P, A>>&>(*this).value;
  }
  // Calls visit(name, argument) for all of them.
  template <class F> LNGEN_INLINE void each(const F& visit) const { (visit(N(), of(N())), ...); }
};

// A direction: its arguments, its sums over rows, and what a launch goes by: the most reductions of a stage, the
// functions that are called for an entry, the numbers of a row, the most rows that a stage makes; and the row values
// that a processor keeps.
template <class Given_, class Summed_, int MOST_SUMS_, int CALLS_, int NUMBERS_, int RESULTS_, int KEPT_ = 0>
struct Direction {
  using Given = Given_;
  using Summed = Summed_;
  static constexpr bool ENDS_SUMS = false;
  static constexpr int MOST_SUMS = MOST_SUMS_, CALLS = CALLS_, NUMBERS = NUMBERS_, RESULTS = RESULTS_, KEEPS = KEPT_;
  template <class Call> static LNGEN_INLINE Terms<> before(const Call&) { return terms(); }
};

// The end of its sums over rows; columns that a block takes at a time, 0 for all.
template <class Layer, class Given_, int MOST_SUMS_, int COLUMNS_PER_BLOCK_> struct ColumnsOf {
  using Given = Given_;
  using Summed = typename Layer::Summed;
  static constexpr bool ENDS_SUMS = true;
  static constexpr int MOST_SUMS = MOST_SUMS_, COLUMNS_PER_BLOCK = COLUMNS_PER_BLOCK_;
};

}  // namespace lngen::LNGEN_SPACE
