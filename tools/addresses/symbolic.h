// SPDX-License-Identifier: MIT
// Integers that are expressions, for the text of headers that compute addresses with them. A piece of text runs once for
// each way through its branches; what it asserts on the way is printed, for a solver:
//
//     node ID OPERATION OPERANDS
//     access WHAT OFFSET BYTES LENGTH ALIGNED | CONDITIONS @ FRAMES     bytes of an array
//     range WHAT NODE LEAST MOST | CONDITIONS                  an integer of a type
//     claim WHAT CONDITION | CONDITIONS
//     piece NAME                                               what follows is of this piece
//     open WHAT                                                something that this reader does not follow
//
// A condition is the number of a node, or less than 0 where its negation holds (-1 - number).
#ifndef LNGEN_SYMBOLIC_H
#define LNGEN_SYMBOLIC_H

#include <climits>
#include <execinfo.h>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace symbolic {

using i64 = long long;

// ---------------------------------------------------------------------------------------------------------- the graph

struct Constant { bool is_known; i64 value; };
inline std::map<std::string, int> numbers_of_nodes;
inline std::vector<Constant> constants;

inline int node(const std::string& what, Constant constant = {false, 0}) {
  const auto found = numbers_of_nodes.emplace(what, int(constants.size()));
  if (found.second) {
    constants.push_back(constant);
    std::printf("node %d %s\n", found.first->second, what.c_str());
  }
  return found.first->second;
}
inline int number(i64 value) { return node("number " + std::to_string(value), {true, value}); }
inline int operation(const char* name, int a, int b) {
  return node(std::string(name) + " " + std::to_string(a) + " " + std::to_string(b));
}

// ------------------------------------------------------------------------------------------------- a way through a text

struct End {};  // of a way: what follows has been or will be shown on another

struct Way {
  std::vector<bool> wanted;  // the branches to take first
  size_t taken = 0;
  std::vector<int> conditions;
  std::map<int, bool> known;
  std::set<std::string> said;
  std::map<std::string, int> fresh;
  std::vector<int> loops{0};  // that are being gone through, by number
  int loops_before = 0;
  int quiet = 0;
};
inline Way way;
inline std::vector<std::vector<bool>> ways;
inline std::string place;  // in the text: a line of a header

// What an earlier way has shown is not shown again.
inline bool is_new() { return way.taken >= way.wanted.size(); }
inline void say(const std::string& what) {
  if (way.quiet || !way.said.insert(what).second || !is_new()) return;
  std::string line = what + " |";
  for (int each : way.conditions) line += " " + std::to_string(each);
  line += " @";
  void* frames[16];
  const int count = backtrace(frames, 16);
  for (int i = 1; i < count; ++i) {
    char text[24];
    std::snprintf(text, sizeof text, " %zx", size_t(frames[i]) - 1);
    line += text;
  }
  std::printf("%s\n", line.c_str());
}
inline void open(const std::string& what) { std::printf("open %s: %s\n", place.c_str(), what.c_str()); throw End(); }

constexpr size_t MOST_BRANCHES = 200;
struct Truth {
  int id;  // less than 0 for a negation
  explicit Truth(int id) : id(id) {}
  Truth operator!() const { return Truth(-1 - id); }
  operator bool() const;  // decides
  bool is_constant() const { return constants[id < 0 ? -1 - id : id].is_known; }
};
inline void hold(Truth truth) {
  const bool is_not = truth.id < 0;
  way.known[is_not ? -1 - truth.id : truth.id] = !is_not;
  way.conditions.push_back(truth.id);
}
inline Truth::operator bool() const {
  const bool is_not = id < 0;
  const int positive = is_not ? -1 - id : id;
  if (constants[positive].is_known) return bool(constants[positive].value) != is_not;
  if (const auto found = way.known.find(positive); found != way.known.end()) return found->second != is_not;
  bool branch = true;
  if (way.taken < way.wanted.size()) {
    branch = way.wanted[way.taken];
  } else {
    if (way.taken > MOST_BRANCHES) open("a loop without an end that is known");
    std::vector<bool> other = way.wanted;
    other.push_back(false);
    ways.push_back(other);
    way.wanted.push_back(true);
  }
  ++way.taken;
  hold(branch ? *this : !*this);
  return branch;
}
inline void assume(Truth truth) {
  if (!truth.is_constant()) hold(truth);
}
inline void claim(const char* what, Truth truth) {
  if (truth.is_constant() && truth) return;
  say("claim " + place + ":" + what + " " + std::to_string(truth.id));
  assume(truth);
}

inline Truth always() { return Truth(number(1)); }

// While one is there nothing is asserted: it is a caller that computes, to say what is given.
struct Given {
  Given() { ++way.quiet; }
  ~Given() { --way.quiet; }
};

// The same of what a number is carried by: it is no text of a header.
template <class F> void claimed(const char* what, F condition) {
  const auto holds = [&] {
    const Given given;
    return condition();
  };
  claim(what, holds());
}
template <class F> void assumed(F condition) {
  const Given given;
  assume(condition());
}

// Goes every way through a piece.
constexpr size_t MOST_WAYS = 20000;
template <class F> void explore(const std::string& name, F piece) {
  std::printf("piece %s\n", name.c_str());
  size_t count = 0;
  for (ways = {{}}; !ways.empty(); ++count) {
    way = Way();
    way.wanted = ways.back();
    ways.pop_back();
    place = "call";
    if (count == MOST_WAYS) {
      std::printf("open %s: too many ways\n", name.c_str());
      return;
    }
    try {
      piece();
    } catch (End&) {
    }
  }
  std::printf("ways %zu\n", count);
}

// ----------------------------------------------------------------------------------------------------------- integers

template <class C> struct Number;
template <class X> using if_plain = std::enable_if_t<std::is_integral<X>::value, int>;
template <class X> using Plain = std::conditional_t<
    (sizeof(X) < 4), int,
    std::conditional_t<sizeof(X) == 4, X, std::conditional_t<std::is_signed<X>::value, long long, unsigned long long>>>;

inline void in_range(int id, __int128 least, __int128 most, const char* what) {
  const auto text = [](__int128 v) { return v > __int128(LLONG_MAX) ? std::to_string((unsigned long long)v) : std::to_string((long long)v); };
  if (constants[id].is_known && constants[id].value >= least && constants[id].value <= most) return;
  say("range " + place + ":" + what + " " + std::to_string(id) + " " + text(least) + " " + text(most));
}
template <class C> void fits(int id, const char* what) {
  in_range(id, std::is_signed<C>::value ? __int128(std::is_same<C, int>::value ? INT_MIN : LLONG_MIN) : 0,
           std::is_same<C, int>::value ? __int128(INT_MAX)
           : std::is_same<C, unsigned>::value ? __int128(UINT_MAX)
           : std::is_same<C, long long>::value ? __int128(LLONG_MAX) : __int128(ULLONG_MAX), what);
}

template <class C> struct Number {
  using Plain = C;
  int id = -1, loop = way.loops.empty() ? 0 : way.loops.back();

  Number() = default;  // unset
  template <class X, if_plain<X> = 0> Number(X value) : id(number(value)) {}
  Number(Truth truth) : id(number(bool(truth))) {}
  Number(const Number& other) : id(other.id) {}
  template <class D, class = std::enable_if_t<!std::is_same<C, D>::value>> Number(const Number<D>& other) : id(other.id) {
    constexpr bool WIDENS = sizeof(C) > sizeof(D) && (std::is_signed<C>::value || !std::is_signed<D>::value);
    if (!WIDENS) fits<C>(id, std::is_same<C, int>::value ? "to int" : std::is_signed<C>::value ? "to long long" : "to unsigned");
  }
  static Number of(int id) { Number made(0); made.id = id; return made; }
  static Number symbol(const std::string& name) {
    const Number made = of(node("symbol " + name));
    assume(Truth(operation("within", made.id, number(int(sizeof(C)) * (std::is_signed<C>::value ? 8 : -8)))));
    return made;
  }
  Number& operator=(const Number& other) {
    // A number that a loop's trip takes over from the last one has to be told.
    if (way.loops.back() != loop) open("a number is carried from trip to trip");
    id = other.id;
    return *this;
  }
  explicit operator bool() const;
  bool is_constant() const { return constants[id].is_known; }
  i64 constant() const { return constants[id].value; }
};
using I32 = Number<int>;
using U32 = Number<unsigned>;
using I64 = Number<long long>;
using U64 = Number<unsigned long long>;

template <class C> Number<C> fresh(const char* name) {
  const std::string full = place + "." + name + "." + std::to_string(way.fresh[place + name]++);
  return Number<C>::symbol(full);
}

// Whether what is divided may be negative, as where no address is computed. What it is divided by is not.
inline bool signed_quotients = false;

template <class C> Number<C> folded(const char* name, const Number<C>& a, const Number<C>& b) {
  const bool known_a = a.is_constant(), known_b = b.is_constant();
  const char op = name[0];  // a, s, m, d, r
  if (known_a && known_b && !((op == 'd' || op == 'r') && b.constant() == 0)) {
    const __int128 x = a.constant(), y = b.constant();
    const __int128 z = op == 'a' ? x + y : op == 's' ? x - y : op == 'm' ? x * y : op == 'd' ? x / y : x % y;
    const Number<C> made = Number<C>::of(number(i64(z)));
    fits<C>(made.id, "of numbers");
    return made;
  }
  if (known_b && b.constant() == 1 && op == 'r') return Number<C>(0);
  if (known_b && ((b.constant() == 0 && (op == 'a' || op == 's')) || (b.constant() == 1 && (op == 'm' || op == 'd')))) return a;
  if (known_a && a.constant() == 0 && op == 'a') return b;
  if (known_a && a.constant() == 1 && op == 'm') return b;
  if (op == 'm' && ((known_a && a.constant() == 0) || (known_b && b.constant() == 0))) return Number<C>(0);
  if ((op == 'd' || op == 'r') && signed_quotients) return Number<C>::of(operation(op == 'd' ? "quotient" : "remainder", a.id, b.id));
  const Number<C> made = Number<C>::of(operation(name, a.id, b.id));
  if (op == 'd' || op == 'r') {
    // Where numbers are not negative, C++ and arithmetic mean the same quotient.
    in_range(a.id, 0, LLONG_MAX, "a quotient's numerator");
    in_range(b.id, 1, LLONG_MAX, "a quotient's denominator");
  } else {
    fits<C>(made.id, "overflow");
  }
  return made;
}
template <class C, class D> using Common = Number<decltype(C() + D())>;

#define LNGEN_ARITHMETIC(OPERATOR, NAME)                                                                           \
  template <class C, class D> Common<C, D> operator OPERATOR(const Number<C>& a, const Number<D>& b) {             \
    return folded(NAME, Common<C, D>(a), Common<C, D>(b));                                                         \
  }                                                                                                                \
  template <class C, class X, if_plain<X> = 0> auto operator OPERATOR(const Number<C>& a, X b) {                   \
    return a OPERATOR Number<Plain<X>>(b);                                                                         \
  }                                                                                                                \
  template <class C, class X, if_plain<X> = 0> auto operator OPERATOR(X a, const Number<C>& b) {                   \
    return Number<Plain<X>>(a) OPERATOR b;                                                                         \
  }                                                                                                                \
  template <class C, class X> Number<C>& operator OPERATOR##=(Number<C>& a, const X& b) { return a = a OPERATOR b; }
LNGEN_ARITHMETIC(+, "add")
LNGEN_ARITHMETIC(-, "subtract")
LNGEN_ARITHMETIC(*, "multiply")
LNGEN_ARITHMETIC(/, "divide")
LNGEN_ARITHMETIC(%, "rest")
#undef LNGEN_ARITHMETIC
template <class C> Number<C>& operator++(Number<C>& a) { return a = a + 1; }
template <class C> Number<C>& operator--(Number<C>& a) { return a = a - 1; }

inline Truth compared(const char* name, int a, int b) {
  if (a == b) return Truth(number(name[0] == 'e'));
  if (constants[a].is_known && constants[b].is_known)
    return Truth(number(name[0] == 'e' ? constants[a].value == constants[b].value : constants[a].value < constants[b].value));
  return Truth(operation(name, a, b));
}
#define LNGEN_COMPARISON(OPERATOR, NAME, FIRST, SECOND, NOT)                                                     \
  template <class C, class D> Truth operator OPERATOR(const Number<C>& a, const Number<D>& b) {                  \
    const Common<C, D> x = a, y = b;                                                                             \
    return NOT compared(NAME, FIRST.id, SECOND.id);                                                              \
  }                                                                                                              \
  template <class C, class X, if_plain<X> = 0> Truth operator OPERATOR(const Number<C>& a, X b) {                \
    return a OPERATOR Number<Plain<X>>(b);                                                                       \
  }                                                                                                              \
  template <class C, class X, if_plain<X> = 0> Truth operator OPERATOR(X a, const Number<C>& b) {                \
    return Number<Plain<X>>(a) OPERATOR b;                                                                       \
  }
LNGEN_COMPARISON(<, "less", x, y, )
LNGEN_COMPARISON(>, "less", y, x, )
LNGEN_COMPARISON(<=, "less", y, x, !)
LNGEN_COMPARISON(>=, "less", x, y, !)
LNGEN_COMPARISON(==, "equal", x, y, )
LNGEN_COMPARISON(!=, "equal", x, y, !)
#undef LNGEN_COMPARISON
template <class C> Number<C>::operator bool() const { return bool(*this != 0); }

// One of two numbers, without a branch.
template <class C, class D> Common<C, D> chosen(Truth condition, const Number<C>& x, const Number<D>& y) {
  const Common<C, D> a = x, b = y;
  if (condition.is_constant()) return condition ? a : b;
  const int which = condition.id < 0 ? -1 - condition.id : condition.id, first = condition.id < 0 ? b.id : a.id;
  return Common<C, D>::of(node("choose " + std::to_string(which) + " " + std::to_string(first) + " " +
                               std::to_string(condition.id < 0 ? a.id : b.id)));
}

// Tests whether a number is a power of two, up to the eleventh.
inline Truth is_power(const I32& a) {
  if (!a.is_constant()) return Truth(operation("power", a.id, number(11)));
  return Truth(number(a.constant() > 0 && !(a.constant() & (a.constant() - 1)) && a.constant() <= 2048));
}

// What a function gives that divides a number, and returns the rest.
inline I64 quotient_and_rest(I64& number, const I64& size) {
  claim("what is divided", number >= 0), claim("what it is divided by", size >= 1);
  const Given given;
  const I64 quotient = fresh<long long>("quotient"), rest = fresh<long long>("rest");
  assume(quotient >= 0), assume(rest >= 0), assume(rest < size), assume(number == quotient * size + rest);
  number = quotient;
  return rest;
}

// Any number.
inline I32 unknown() { return fresh<int>("unknown"); }

// Bits: `(a | b) >> n`, of numbers that are not negative, is asked whether it is 0.
inline U64 operator|(const U64& a, const U64& b) { return U64::of(operation("or", a.id, b.id)); }
inline U64 operator>>(const U64& a, int by) { return U64::of(operation("shifted", a.id, number(by))); }
// Whether some bit is set: both ways are gone.
inline Truth operator&(const U32& a, int bits) { return Truth(operation("bits", a.id, number(bits))); }
// Of a number that is 0 or 1.
inline I32& operator^=(I32& a, int) {
  in_range(a.id, 0, 1, "a number of one bit");
  return a = I32::of(operation("subtract", number(1), a.id));
}

// A truth that is set before it is read.
struct Flag {
  int is = -1;
  Flag& operator=(bool value) { is = value; return *this; }
  operator bool() const {
    if (is < 0) open("a flag is read before it is set");
    return is;
  }
};

// -------------------------------------------------------------------------------------------------------------- loops

// The counter of a loop. If a text knows how many trips there are, it makes them; if not, one trip stands for all, and
// the way ends with it: what a trip begins with is any number from the first on.
template <class Base> struct Trip : Base {
  const size_t before = way.loops.size();
  const std::string line;
  int visits = 0;
  bool stands_for_all = false;

  template <class X> Trip(const char* line, const X& first) : Base(first), line(line) {}
  ~Trip() { way.loops.resize(before); }
  using Base::operator=;
  template <class F> bool enters(F condition) {
    place = line;
    if (visits++ > 0) {
      if (stands_for_all) throw End();
      return condition();
    }
    // A condition of several is none that is known.
    if constexpr (!std::is_same<decltype(condition()), bool>::value) {
      if (condition().is_constant()) return condition();
    }
    stands_for_all = true;
    const Base first = *this;
    this->id = fresh<typename Base::Plain>("trip").id;
    assume(first <= *this);
    if (!condition()) return false;
    way.loops.push_back(this->loop = ++way.loops_before);
    return true;
  }
};
// A loop that takes numbers over from trip to trip, of which a condition holds before each.
struct Carrying {
  const size_t before = way.loops.size();
  const int serial = ++way.loops_before;
  std::vector<int*> loops;
  ~Carrying() {
    way.loops.resize(before);
    for (int* each : loops) *each = way.loops.back();
  }
  template <class C> void any(Number<C>& number, const char* name) {
    number.id = fresh<C>(name).id;
    number.loop = serial;
    loops.push_back(&number.loop);
  }
  void any(Flag& flag, const char*) { flag.is = -1; }
  template <class F> bool enters(F condition) {
    if (condition()) {
      way.loops.push_back(serial);
      return true;
    }
    return false;
  }
  template <class F> void ends(F claims) {
    claims();
    throw End();
  }
};

// -------------------------------------------------------------------------------------------------------------- memory

struct Memory_ { std::string name; int bytes; int aligned; };
inline std::vector<Memory_> arrays;

template <class T> struct Pointer {
  int array = -1;
  I64 offset = 0;  // in bytes
  Pointer() = default;
  Pointer(std::nullptr_t) {}
  Pointer(int array, const I64& offset) : array(array), offset(offset) {}
  // An address is no number of a type: where it is used, it has to lie in its array.
  template <class X> Pointer operator+(const X& by) const {
    const Given given;
    return {array, offset + I64(by) * int(sizeof(T))};
  }
  template <class X> Pointer& operator+=(const X& by) {
    offset.id = (*this + by).offset.id;
    return *this;
  }
  T& operator*() const {
    static T somewhere;
    if (array < 0) open("an access through a null pointer");
    const Memory_& of = arrays[array];
    say("access " + place + ":" + of.name + " " + std::to_string(offset.id) + " " + std::to_string(sizeof(T)) + " " +
        std::to_string(of.bytes) + " " + std::to_string(sizeof(T) < size_t(of.aligned) ? sizeof(T) : size_t(of.aligned)));
    return somewhere;
  }
  template <class X> T& operator[](const X& i) const { return *(*this + i); }
  explicit operator bool() const { return array >= 0; }
  Truth operator==(const Pointer& other) const { return array == other.array ? offset == other.offset : Truth(number(0)); }
  Truth operator!=(const Pointer& other) const { return !(*this == other); }
};
// Some entries of an array, no more than there are lanes.
template <class T> void touch(const Pointer<T>& from, const I32& count, int lanes) {
  const Given given;
  --way.quiet;
  claimed("lanes_are_no_fewer_than_none", [&] { return count >= 0; });
  claimed("lanes_are_as_many_as_there_are", [&] { return count <= lanes; });
  const Memory_ of = arrays[from.array];
  claimed(("lanes_begin_in_" + of.name).c_str(), [&] { return from.offset >= 0; });
  claimed(("lanes_end_in_" + of.name).c_str(), [&] { return from.offset + I64(count) * int(sizeof(T)) <= I64::of(of.bytes); });
  ++way.quiet;
}
// The number of a byte in memory, and the pointer to one.
inline int of_address = -1;
template <class T> I64 address(const Pointer<T>& to) {
  const Given given;
  of_address = to.array;
  const I64 base = I64::symbol("address of " + arrays[to.array].name);
  assume(base >= 0), assume(base <= 1ll << 60), assume(base % arrays[to.array].aligned == 0);
  return base + to.offset;
}
template <class T> Pointer<T> at_address(const I64& address) {
  const Given given;
  return {of_address, address - I64::symbol("address of " + arrays[of_address].name)};
}
template <class T, class U> Pointer<T> recast(const Pointer<U>& from) { return {from.array, from.offset}; }

// An array of so many entries, where a call begins; aligned to so many bytes.
template <class T> Pointer<T> array(const std::string& name, const I64& entries, int aligned) {
  arrays.push_back({name, (entries * int(sizeof(T))).id, aligned});
  return {int(arrays.size()) - 1, 0};
}
// A part of an array: nothing that is reached through it may lie beyond the part, which lies in the array.
template <class T> Pointer<T> part(const char* name, const Pointer<T>& from, const I64& bytes) {
  const Memory_ whole = arrays[from.array];
  claim((std::string(name) + "_begins_in_" + whole.name).c_str(), from.offset >= 0);
  claim((std::string(name) + "_ends_in_" + whole.name).c_str(), from.offset + bytes <= I64::of(whole.bytes));
  claim((std::string(name) + "_is_aligned").c_str(), from.offset % 16 == 0);
  arrays.push_back({name, bytes.id, 16});
  return {int(arrays.size()) - 1, 0};
}
// The same where a part is aligned to its entries.
template <class T> Pointer<T> within(const char* name, const Pointer<T>& from, const I64& bytes) {
  const Memory_ whole = arrays[from.array];
  claimed((std::string(name) + " begin in " + whole.name).c_str(), [&] { return from.offset >= 0; });
  claimed((std::string(name) + " end in " + whole.name).c_str(), [&] { return from.offset + bytes <= I64::of(whole.bytes); });
  arrays.push_back({name, bytes.id, int(sizeof(T))});
  return {int(arrays.size()) - 1, 0};
}
// The place in an array of registers, of so many.
template <class X> int local(const X& index, const I32& count, const char* name) {
  say("access " + place + ":" + name + " " + std::to_string(I64(index).id) + " 1 " + std::to_string(count.id) + " 1");
  return 0;
}

// ---------------------------------------------------------------------------------------------------------------- data

// Numbers that are computed with, of so many bytes; no address depends on them.
template <int BYTES> struct Datum {
  char bytes[BYTES];
  Datum() = default;
  template <class X> explicit constexpr Datum(const X&) : bytes{} {}
  explicit operator double() const { return 0; }
};
#define LNGEN_DATA(OPERATOR)                                                                             \
  template <int N> Datum<N> operator OPERATOR(const Datum<N>& a, const Datum<N>&) { return a; }           \
  template <int N> Datum<N>& operator OPERATOR##=(Datum<N>& a, const Datum<N>&) { return a; }
LNGEN_DATA(+)
LNGEN_DATA(-)
LNGEN_DATA(*)
LNGEN_DATA(/)
#undef LNGEN_DATA
template <int N> Datum<N> operator-(const Datum<N>& a) { return a; }
template <int N> bool operator<(const Datum<N>&, const Datum<N>&) { return false; }
template <int N> bool operator==(const Datum<N>&, const Datum<N>&) { return false; }

}  // namespace symbolic

#endif
