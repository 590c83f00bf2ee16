// SPDX-License-Identifier: MIT
// A driver of a layer's text (layer.h) that computes nothing: numbers are nodes of a graph, and each stage is called once,
// with an entry that stands for every entry of a row. So the graph is that of rows of any length.
//
// One line is printed for each node: its number, its operation, and the operation's operands, which are nodes but in
// `number`, `entry`, `scalar`, `total` and `uniform`. What a text does besides is a line that begins with a word:
//
//     given KIND INDEX THERE CAST      an argument of the kernel, in order
//     summed KIND INDEX THERE          a sum over rows
//     store|save|over_rows KIND INDEX NODE
//     keep|recall KIND INDEX NODE      a row value that is kept, and what a GPU computes in the place of reading it
//     stage SLOTS                      reductions that a stage carries along
//     joined IS_LARGEST                two stages that may be one: whether the first has a largest value at the place named
//     scaled|alike M OTHER TERM ANOTHER    a term of the second for the largest value and for any other number, from which it
//                                      differs by the factor exp(other - m), or not at all
//     limits MOST_SUMS KEEPS           what the launch provides
#ifndef LNGEN_RECORDER_H
#define LNGEN_RECORDER_H

#include <cstdio>
#include <map>
#include <string>

#define LNGEN_INLINE inline

namespace lngen {

using Integer = int;
using OneInteger = int;

// ---------------------------------------------------------------------------------------------------------- the graph

inline std::map<std::string, int>& nodes() {
  static std::map<std::string, int> all;
  return all;
}
// A node, which is the one that was there before if the same was computed.
inline int node(const std::string& what) {
  const auto found = nodes().emplace(what, int(nodes().size()));
  if (found.second) std::printf("%d %s\n", found.first->second, what.c_str());
  return found.first->second;
}
inline std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "number %.17g", value);
  return text;
}
template <class... Ids> int operation(const std::string& name, Ids... ids) {
  return node((name + ... + (" " + std::to_string(ids))));
}

struct Node {
  int id;
  Node() : id(node("uninitialized")) {}
  Node(double value) : id(node(number(value))) {}
  Node(int value) : id(node("number " + std::to_string(value))) {}
  Node(long long value) : id(node("number " + std::to_string(value))) {}
  static Node of(int id) { return Node(id, true); }

 private:
  Node(int id, bool) : id(id) {}
};
struct Truth {
  int id;
};

#define LNGEN_OPERATION(OPERATOR, NAME) \
  inline Node operator OPERATOR(const Node& a, const Node& b) { return Node::of(operation(NAME, a.id, b.id)); }
LNGEN_OPERATION(+, "add")
LNGEN_OPERATION(-, "subtract")
LNGEN_OPERATION(*, "multiply")
LNGEN_OPERATION(/, "divide")
#undef LNGEN_OPERATION
#define LNGEN_COMPARISON(OPERATOR, NAME) \
  inline Truth operator OPERATOR(const Node& a, const Node& b) { return {operation(NAME, a.id, b.id)}; }
LNGEN_COMPARISON(<, "<")
LNGEN_COMPARISON(<=, "<=")
LNGEN_COMPARISON(>, ">")
LNGEN_COMPARISON(>=, ">=")
LNGEN_COMPARISON(==, "==")
LNGEN_COMPARISON(!=, "!=")
#undef LNGEN_COMPARISON
inline Node operator-(const Node& a) { return Node::of(operation("negate", a.id)); }
inline Node select(Truth condition, const Node& a, const Node& b) {
  return Node::of(operation("select", condition.id, a.id, b.id));
}
inline Node select(bool condition, const Node& a, const Node& b) { return condition ? a : b; }

namespace math {
#define LNGEN_FUNCTION(NAME) \
  inline Node NAME(const Node& a) { return Node::of(operation(#NAME, a.id)); }
LNGEN_FUNCTION(exp)
LNGEN_FUNCTION(log)
LNGEN_FUNCTION(log1p)
LNGEN_FUNCTION(expm1)
LNGEN_FUNCTION(sin)
LNGEN_FUNCTION(cos)
LNGEN_FUNCTION(asin)
LNGEN_FUNCTION(acos)
LNGEN_FUNCTION(atan)
LNGEN_FUNCTION(tanh)
LNGEN_FUNCTION(sigmoid)
LNGEN_FUNCTION(softplus)
LNGEN_FUNCTION(erf)
LNGEN_FUNCTION(abs)
LNGEN_FUNCTION(sign)
LNGEN_FUNCTION(sqrt)
LNGEN_FUNCTION(rsqrt)
#undef LNGEN_FUNCTION
inline Node pow(const Node& a, const Node& b) { return Node::of(operation("pow", a.id, b.id)); }
inline Node quotient(const Node& a, const Node& b) { return Node::of(operation("divide", a.id, b.id)); }
template <int N> inline Node power(const Node& a) { return Node::of(operation("pow", a.id, Node(N).id)); }
}  // namespace math

// No entry is infinite where equalities are exact.
inline Node finite_or_zero(const Node& a) { return a; }
inline Node corrected_squares(const Node& squares, const Node& sum, const Node& mean, const Node& D) {
  return Node::of(operation("corrected_squares", squares.id, sum.id, mean.id, D.id));
}
inline Node corrected_products(
    const Node& products, const Node& sum_s, const Node& mean_s, const Node& sum_t, const Node& mean_t, const Node& D) {
  return Node::of(operation("corrected_products", products.id, sum_s.id, mean_s.id, sum_t.id, mean_t.id, D.id));
}

namespace cast {
#define LNGEN_CAST(NAME) \
  struct NAME { static constexpr const char* TEXT = #NAME; };
LNGEN_CAST(float8_e4m3fn)
LNGEN_CAST(float8_e5m2)
LNGEN_CAST(float16)
LNGEN_CAST(bfloat16)
LNGEN_CAST(int8)
LNGEN_CAST(uint8)
LNGEN_CAST(float32)
#undef LNGEN_CAST
}  // namespace cast

}  // namespace lngen

#include "absence.h"
#include "names.h"

namespace lngen {

// ------------------------------------------------------------------------------------------------------- what is said

inline const char* text_of(Kind kind) {
#define LNGEN_KIND(NAME) \
  if (kind == NAME) return #NAME;
  LNGEN_KIND(ROWS) LNGEN_KIND(FEATURES) LNGEN_KIND(SAVED) LNGEN_KIND(ROW_NUMBERS) LNGEN_KIND(NUMBER) LNGEN_KIND(SCALAR)
  LNGEN_KIND(INTEGER_ROWS) LNGEN_KIND(INTEGER_FEATURES) LNGEN_KIND(ROW_INTEGERS) LNGEN_KIND(INTEGER) LNGEN_KIND(ROWS_OUT)
  LNGEN_KIND(ROW_NUMBERS_OUT) LNGEN_KIND(SAVED_OUT) LNGEN_KIND(FEATURES_OUT) LNGEN_KIND(SCALARS_OUT) LNGEN_KIND(PARTS)
  LNGEN_KIND(LONG) LNGEN_KIND(INT) LNGEN_KIND(OVER_ROWS) LNGEN_KIND(OVER_ALL) LNGEN_KIND(KEPT) LNGEN_KIND(RANDOM)
#undef LNGEN_KIND
  return "UNKNOWN";
}
template <class C> struct CastText { static constexpr const char* TEXT = C::TEXT; };
template <> struct CastText<void> { static constexpr const char* TEXT = ""; };

inline void say(const char* what, Kind kind, int index, int value, const char* cast = "") {
  std::printf("%s %s %d %d %s\n", what, text_of(kind), index, value, cast);
}
inline Node named(const char* what, Kind kind, int index) {
  return Node::of(node(std::string(what) + " " + text_of(kind) + " " + std::to_string(index)));
}
template <class... N> void say_all(const char* what, Names<N...>) {
  (say(what, N::KIND, N::INDEX, N::THERE, CastText<typename N::Cast>::TEXT), ...);
}
template <class N, class V> void say_node(const char* what, N, const V& value) {
  say(what, N::KIND, N::INDEX, Node(value).id);
}

// ------------------------------------------------------------------------------------------- an entry, and its stages

// Work on rows, on what is the same for all of them, or on the totals of sums over rows.
enum Work { OF_ROWS, OF_CALL, OF_TOTALS };

template <Work WORK> struct Entry {
  using A = Node;

  template <class N> auto operator()(N) const {
    constexpr Kind K = N::KIND;
    constexpr bool OF_COLUMN = K == FEATURES || K == INTEGER_FEATURES;
    static_assert(OF_COLUMN || (WORK == OF_ROWS && N::IN_ROWS && K != ROWS_OUT) || (WORK == OF_TOTALS && K == OVER_ROWS));
    if constexpr (N::THERE) return named(K == OVER_ROWS ? "total" : "entry", K, N::INDEX);
    else return absent<Node, typename N::Absent>();
  }
  template <class N, class V> void store(N name, const V& value) const {
    static_assert(N::KIND == (WORK == OF_ROWS ? ROWS_OUT : FEATURES_OUT) && WORK != OF_CALL);
    if constexpr (N::THERE) say_node("store", name, value);
  }
  template <class N, class V> void over_rows(N name, const V& value) const {
    static_assert(N::KIND == OVER_ROWS && WORK == OF_ROWS);
    if constexpr (N::THERE && !is_zero<V>) say_node("over_rows", name, value);
  }
  template <class N, class V> auto keep(N, const V& value) const {
    static_assert(N::KIND == KEPT);
    if constexpr (!is_known<V>) say("keep", KEPT, N::INDEX, Node(value).id);
    return value;
  }
  template <class N, class F> auto recall(N, const F& compute) const {
    static_assert(N::KIND == KEPT);
    const auto value = compute();
    if constexpr (!is_known<decltype(compute())>) say("recall", KEPT, N::INDEX, Node(value).id);
    return value;
  }
  Node place() const { return Node::of(node("place")); }
  Node index() const { return place(); }
  template <class N, class V> auto uniform(N, const V& seed) const {
    static_assert(N::KIND == RANDOM && WORK == OF_ROWS);
    if constexpr (N::THERE) return Node::of(operation("uniform " + std::to_string(N::INDEX), Node(seed).id));
    else return absent<Node, typename N::Absent>();
  }
};

// The same entry, which says nothing of what is kept.
template <Work WORK> struct Silent : Entry<WORK> {
  template <class N, class V> auto keep(N, const V& value) const { return value; }
  template <class N, class F> auto recall(N, const F& compute) const { return compute(); }
};

struct Visitor {
  template <class V> int operator()(const V& value) const { return operation("sum", Node(value).id); }
  template <class V> int operator()(const Largest<V>& term) const { return operation("max", Node(term.value).id); }
  template <class V> int operator()(const Least<V>& term) const { return operation("min", Node(term.value).id); }
};

template <Work WORK> struct Recorded {
  using A = Node;
  const Node D = Node::of(node("features"));

  template <class F> void each(const F& f) const { f(Entry<WORK>()); }
  template <class F> auto reduce(const F& f) const {
    return found(f, 1, [](const auto& value) { return Visitor()(value); });
  }
  template <class F> auto sums(const F& f) const { return reduce(f); }
  template <class F> auto means(const F& f) const {
    return found(f, 1, [this](const auto& value) { return operation("divide", Visitor()(value), D.id); });
  }
  template <class F> auto firsts(const F& f) const {
    return found(f, 2, [](const auto& distance) { return operation("first", Node(distance).id); });
  }
  // As one stage after the other; besides, what each sum's terms are for another m in the place of the largest entry.
  template <int I, unsigned long long SCALED, class F, class G> auto max_and_sums(const F& f, const G& g) const {
    using Terms = decltype(f(Entry<WORK>()));
    const auto found = one_after_the_other<I>(*this, f, g);
    const Node m = finite_or_zero(get<I>(found.first)), other = Node::of(node("other"));
    std::printf("joined %d\n", int(Terms::MAXIMA >> I & 1));
    const auto others = g(Silent<WORK>(), other);
    g(Silent<WORK>(), m).each([&](const auto& term, int index) {
      const char* const what = SCALED >> index & 1 ? "scaled" : "alike";
      others.each([&](const auto& another, int place) {
        if (place == index) std::printf("%s %d %d %d %d\n", what, m.id, other.id, Node(term).id, Node(another).id);
      });
    });
    return found;
  }
  Node entries() const { return D; }

  template <class N> auto operator()(N) const {
    constexpr Kind K = N::KIND;
    constexpr bool OF_ALL = K == NUMBER || K == SCALAR || K == INTEGER;
    static_assert(OF_ALL || (WORK == OF_ROWS && N::OF_ROWS && N::PER_ROW) || (WORK == OF_TOTALS && K == OVER_ALL));
    if constexpr (N::THERE) return named(K == OVER_ALL ? "total" : "scalar", K, N::INDEX);
    else return absent<Node, typename N::Absent>();
  }
  template <class N, class V> void store(N name, const V& value) const {
    static_assert(N::KIND == (WORK == OF_ROWS ? ROW_NUMBERS_OUT : SCALARS_OUT) && WORK != OF_CALL);
    if constexpr (N::THERE) say_node("store", name, value);
  }
  template <class N, class V> void save(N name, const V& value) const {
    static_assert(N::KIND == SAVED_OUT && WORK == OF_ROWS);
    say_node("save", name, value);
  }
  template <class N, class V> void over_rows(N name, const V& value) const {
    static_assert(N::KIND == OVER_ALL && WORK == OF_ROWS);
    if constexpr (N::THERE && !is_zero<V>) say_node("over_rows", name, value);
  }

 private:
  template <class F, class Reduce> auto found(const F& f, int slots, const Reduce& reduce) const {
    const auto terms = f(Entry<WORK>());
    using Terms = decltype(f(Entry<WORK>()));
    std::printf("stage %d\n", slots * Terms::COUNT);
    Found<Node, Terms::NEEDED, Terms::COUNT> found;
    terms.each([&](const auto& value, int index) { found.values[index] = Node::of(reduce(value)); });
    return found;
  }
};

template <class Call> struct RecordedRow : Recorded<OF_ROWS> {
  const Call call;
  explicit RecordedRow(const Call& call) : call(call) {}
};

// Prints what the text of a kernel computes.
template <class Layer> void record(const char* direction, int which) {
  nodes().clear();
  std::printf("kernel %s %d %d\n", direction, which, int(Layer::ENDS_SUMS));
  say_all("given", typename Layer::Given());
  say_all("summed", typename Layer::Summed());
  if constexpr (Layer::ENDS_SUMS) {
    std::printf("limits %d 0\n", Layer::COLUMNS_PER_BLOCK ? 0 : Layer::MOST_SUMS);
    Layer::work(Recorded<OF_TOTALS>());
  } else {
    std::printf("limits %d %d\n", Layer::MOST_SUMS, Layer::KEEPS);
    const auto before = Layer::before(Recorded<OF_CALL>());
    Layer::work(RecordedRow<decltype(before)>(before));
  }
}

}  // namespace lngen

#endif
