// SPDX-License-Identifier: MIT
// Where the rows of a call lie: one behind the other in every array, or so many entries apart along some axes.
//
// With LNGEN_AXES=n, the rows of a call are numbered along n axes, the last one fastest. A kernel is passed a structure
// of numbers behind its arguments: the sizes of the axes, then for each of its arrays of rows or of a number a row, in
// the order of the arguments, how many entries apart these are along each axis. Along an axis with a step of 0 rows
// share theirs. Entries of a row are one behind the other.

namespace lngen::LNGEN_SPACE {

#ifdef LNGEN_AXES

// Quotient and rest; a division of 64 bits takes several times as long as one of 32.
LNGEN_INLINE long long divided(long long& number, long long size) {
  const unsigned long long n = number, d = size;
  if ((n | d) >> 32 == 0) number = unsigned(n) / unsigned(d);
  else number = n / d;
  return n - number * d;
}

template <class Given> struct Places;
template <class... N> struct Places<Names<N...>> {
  static constexpr int AXES = LNGEN_AXES, ARRAYS = (0 + ... + int(N::IN_ROWS || N::OF_ROWS));
  long long numbers[(1 + ARRAYS) * AXES];

  LNGEN_INLINE void find(long long row, long long (&along)[AXES]) const {
#pragma unroll
    for (int axis = AXES - 1; axis > 0; --axis) along[axis] = divided(row, numbers[axis]);
    along[0] = row;
  }
  template <class M> LNGEN_INLINE long long of(const long long (&along)[AXES]) const {
    constexpr int FIRST = (1 + place<M>()) * AXES;
    long long found = 0;
#pragma unroll
    for (int axis = 0; axis < AXES; ++axis) found += along[axis] * numbers[FIRST + axis];
    return found;
  }

 private:
  template <class M> static LNGEN_CONSTANT int place() {
    int before = 0;
    bool is_before = true;
    ((is_before = is_before && !Same<N, M>::value, before += is_before && (N::IN_ROWS || N::OF_ROWS)), ...);
    return before;
  }
  template <class X, class Y> struct Same { static constexpr bool value = false; };
  template <class X> struct Same<X, X> { static constexpr bool value = true; };
};

template <class T, class Given> struct ArgumentsOf : Arguments<T, Parameter<T>, Computed<T>, Given> {
  Places<Given> places;
};

template <class To> LNGEN_INLINE void find_place(const To& to, Here& here) { to.places.find(here.row, here.along); }
template <class N, class To> LNGEN_INLINE long long place_of(const To& to, const Here& here) {
  return to.places.template of<N>(here.along);
}
template <class N, class To> LNGEN_INLINE long long place_of_row(const To& to, long long row) {
  long long along[LNGEN_AXES] = {};
  to.places.find(row, along);
  return to.places.template of<N>(along);
}

#else

template <class T, class Given> using ArgumentsOf = Arguments<T, Parameter<T>, Computed<T>, Given>;

template <class To> LNGEN_INLINE void find_place(const To&, Here&) {}
template <class N, class To> LNGEN_INLINE long long place_of(const To&, const Here& here) {
  return N::IN_ROWS ? here.offset : here.row;
}
template <class N, class To> LNGEN_INLINE long long place_of_row(const To&, long long row) { return row; }

#endif

template <class N, class To> struct PlaceIn {
  const To& to;
  LNGEN_INLINE long long operator()(const Here& here) const { return place_of<N>(to, here); }
  LNGEN_INLINE long long row(long long row) const { return place_of_row<N>(to, row); }
};
template <class N, class To> LNGEN_INLINE PlaceIn<N, To> place_in(const To& to) { return {to}; }

}  // namespace lngen::LNGEN_SPACE
