// Odds ratio preference optimization of a pair, from mean log-probabilities of tokens.
// Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit orpo.py and run: lngen derive orpo.py
// definition sha256:cc81b3740291ed2a581da419d3b2894348bcf23301b624bcf39f7119e5818169
//
// forward:
//     c = where(chosen >= -least, -least, chosen)
//     r = where(rejected >= -least, -least, rejected)
//     expm1_c = expm1(c)
//     u = -expm1_c
//     log_u = log(u)
//     total_2 = c - r - log_u
//     expm1_r = expm1(r)
//     u_2 = -expm1_r
//     log_u_2 = log(u_2)
//     odds = total_2 + log_u_2
//     u_3 = -odds
//     softplus_u_3 = softplus(u_3)
//     y = weight*softplus_u_3 - c
// backward:
//     dodds = -weight*dy*sigmoid(u_3)
//     dchosen = where(chosen >= -least, 0, dodds + dodds*exp(c)/u - dy)
//     drejected = where(rejected >= -least, 0, -dodds - dodds*exp(r)/u_2)
// jvp:
//     c_dot = where(chosen >= -least, 0, chosen_dot)
//     r_dot = where(rejected >= -least, 0, rejected_dot)
//     y_dot = weight*sigmoid(u_3)*(r_dot + where(rejected >= -least, 0, r_dot*exp(r)/u_2) + where(chosen >= -least, 0, -c_dot*exp(c)/u) - c_dot) - c_dot
// backward_backward:
//     dodds = -weight*dy*sigmoid(u_3)
//     ddodds = where(chosen >= -least, 0, ddchosen*(1 + exp(c)/u)) + where(rejected >= -least, 0, -ddrejected*(1 + exp(r)/u_2))
//     d2odds = weight*ddodds*dy*sigmoid(u_3)*(1 - sigmoid(u_3))
//     d2chosen = where(chosen >= -least, 0, d2odds + ddchosen*dodds*exp(c)/u + exp(c)*(d2odds/u + ddchosen*dodds*exp(c)/u**2))
//     d2rejected = where(rejected >= -least, 0, (-exp(r)*(d2odds/u_2 + ddrejected*dodds*exp(r)/u_2**2)) - d2odds - ddrejected*dodds*exp(r)/u_2)
//     ddy = where(chosen >= -least, 0, -ddchosen) - weight*ddodds*sigmoid(u_3)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_chosen_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_chosen_dot);
constexpr bool HAS_ddchosen = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddchosen);
constexpr bool HAS_ddrejected = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddrejected);
constexpr bool HAS_rejected_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_rejected_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> CHOSEN;
constexpr Name<ROWS, 1> REJECTED;
constexpr Name<NUMBER, 0> WEIGHT;
constexpr Name<NUMBER, 1> LEAST;
constexpr Name<ROWS_OUT, 0> Y;
using Given = decltype(names(CHOSEN, REJECTED, WEIGHT, LEAST, Y, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 5, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto weight = row(WEIGHT);
    const auto least = row(LEAST);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto chosen = at(CHOSEN);
      const auto rejected = at(REJECTED);
      const auto c = choose<A>(chosen >= A(-A(least)), -A(least), chosen);  // step 1
      const auto r = choose<A>(rejected >= A(-A(least)), -A(least), rejected);  // step 2
      const auto total = c - r;  // step 3
      const auto expm1_c = math::expm1(c);  // step 4
      const auto u = -expm1_c;  // step 5
      const auto log_u = math::log(u);  // step 6
      const auto total_2 = total - log_u;  // step 7
      const auto expm1_r = math::expm1(r);  // step 8
      const auto u_2 = -expm1_r;  // step 9
      const auto log_u_2 = math::log(u_2);  // step 10
      const auto odds = log_u_2 + total_2;  // step 11
      const auto u_3 = -odds;  // step 12
      const auto softplus_u_3 = math::softplus(u_3);  // step 13
      at.store(Y, softplus_u_3*weight - c);  // step 14
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> CHOSEN;
constexpr Name<ROWS, 1> REJECTED;
constexpr Name<ROWS, 2> DY;
constexpr Name<NUMBER, 0> WEIGHT;
constexpr Name<NUMBER, 1> LEAST;
constexpr Name<ROWS_OUT, 0> DCHOSEN;
constexpr Name<ROWS_OUT, 1> DREJECTED;
using Given = decltype(names(CHOSEN, REJECTED, DY, WEIGHT, LEAST, DCHOSEN, DREJECTED, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 7, 2, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto weight = row(WEIGHT);
    const auto least = row(LEAST);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto chosen = at(CHOSEN);
      const auto rejected = at(REJECTED);
      const auto dy = at(DY);
      const auto c = choose<A>(chosen >= A(-A(least)), -A(least), chosen);  // step 1
      const auto r = choose<A>(rejected >= A(-A(least)), -A(least), rejected);  // step 2
      const auto total = c - r;  // step 3
      const auto expm1_c = math::expm1(c);  // step 4
      const auto u = -expm1_c;  // step 5
      const auto log_u = math::log(u);  // step 6
      const auto total_2 = total - log_u;  // step 7
      const auto expm1_r = math::expm1(r);  // step 8
      const auto u_2 = -expm1_r;  // step 9
      const auto log_u_2 = math::log(u_2);  // step 10
      const auto odds = log_u_2 + total_2;  // step 11
      const auto u_3 = -odds;  // step 12
      const auto dodds = -math::sigmoid(u_3)*dy*weight;  // step 19
      at.store(DCHOSEN, choose<A>(chosen >= A(-A(least)), A(0), dodds + dodds*math::exp(c) / u - dy));  // step 28
      at.store(DREJECTED, choose<A>(rejected >= A(-A(least)), A(0), -dodds - dodds*math::exp(r) / u_2));  // step 35
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_chosen_dot || HAS_rejected_dot, Zero> CHOSEN;
constexpr Name<ROWS, 1, HAS_chosen_dot || HAS_rejected_dot, Zero> REJECTED;
constexpr Name<ROWS, 2, HAS_chosen_dot, Zero> CHOSEN_DOT;
constexpr Name<ROWS, 3, HAS_rejected_dot, Zero> REJECTED_DOT;
constexpr Name<NUMBER, 0> WEIGHT;
constexpr Name<NUMBER, 1> LEAST;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(CHOSEN, REJECTED, CHOSEN_DOT, REJECTED_DOT, WEIGHT, LEAST, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 7, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto weight = row(WEIGHT);
    const auto least = row(LEAST);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto chosen = at(CHOSEN);
      const auto rejected = at(REJECTED);
      const auto chosen_dot = at(CHOSEN_DOT);
      const auto rejected_dot = at(REJECTED_DOT);
      const auto c = choose<A>(A(chosen) >= A(-A(least)), -A(least), chosen);  // step 1
      const auto r = choose<A>(A(rejected) >= A(-A(least)), -A(least), rejected);  // step 2
      const auto total = c - r;  // step 3
      const auto expm1_c = math::expm1(c);  // step 4
      const auto u = -expm1_c;  // step 5
      const auto log_u = math::log(u);  // step 6
      const auto total_2 = total - log_u;  // step 7
      const auto expm1_r = math::expm1(r);  // step 8
      const auto u_2 = -expm1_r;  // step 9
      const auto log_u_2 = math::log(u_2);  // step 10
      const auto odds = log_u_2 + total_2;  // step 11
      const auto u_3 = -odds;  // step 12
      const auto c_dot = choose<A>(A(chosen) >= A(-A(least)), A(0), chosen_dot);  // step 36
      const auto r_dot = choose<A>(A(rejected) >= A(-A(least)), A(0), rejected_dot);  // step 37
      at.store(Y_DOT, (r_dot + choose<A>(A(rejected) >= A(-A(least)), A(0), math::exp(r)*r_dot / u_2) + choose<A>(A(chosen) >= A(-A(least)), A(0), -c_dot*math::exp(c) / u) - c_dot)*math::sigmoid(u_3)*weight - c_dot);  // step 61
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddchosen || HAS_ddrejected, Zero> CHOSEN;
constexpr Name<ROWS, 1, HAS_ddchosen || HAS_ddrejected, Zero> REJECTED;
constexpr Name<ROWS, 2, HAS_ddchosen || HAS_ddrejected, Zero> DY;
constexpr Name<ROWS, 3, HAS_ddchosen, Zero> DDCHOSEN;
constexpr Name<ROWS, 4, HAS_ddrejected, Zero> DDREJECTED;
constexpr Name<NUMBER, 0> WEIGHT;
constexpr Name<NUMBER, 1> LEAST;
constexpr Name<ROWS_OUT, 0> DCHOSEN;
constexpr Name<ROWS_OUT, 1> DREJECTED;
constexpr Name<ROWS_OUT, 2> DDY;
using Given = decltype(names(CHOSEN, REJECTED, DY, DDCHOSEN, DDREJECTED, WEIGHT, LEAST, DCHOSEN, DREJECTED, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 11, 2, 3> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto weight = row(WEIGHT);
    const auto least = row(LEAST);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto chosen = at(CHOSEN);
      const auto rejected = at(REJECTED);
      const auto dy = at(DY);
      const auto ddchosen = at(DDCHOSEN);
      const auto ddrejected = at(DDREJECTED);
      const auto c = choose<A>(A(chosen) >= A(-A(least)), -A(least), chosen);  // step 1
      const auto r = choose<A>(A(rejected) >= A(-A(least)), -A(least), rejected);  // step 2
      const auto total = c - r;  // step 3
      const auto expm1_c = math::expm1(c);  // step 4
      const auto u = -expm1_c;  // step 5
      const auto log_u = math::log(u);  // step 6
      const auto total_2 = total - log_u;  // step 7
      const auto expm1_r = math::expm1(r);  // step 8
      const auto u_2 = -expm1_r;  // step 9
      const auto log_u_2 = math::log(u_2);  // step 10
      const auto odds = log_u_2 + total_2;  // step 11
      const auto u_3 = -odds;  // step 12
      const auto dodds = -math::sigmoid(u_3)*dy*weight;  // step 62
      const auto ddodds = choose<A>(A(chosen) >= A(-A(least)), A(0), (math::exp(c) / u + A(1))*ddchosen) + choose<A>(A(rejected) >= A(-A(least)), A(0), (-A(1) - math::exp(r) / u_2)*ddrejected);  // step 65
      const auto d2odds = (A(1) - math::sigmoid(u_3))*math::sigmoid(u_3)*ddodds*dy*weight;  // step 68
      at.store(DCHOSEN, choose<A>(A(chosen) >= A(-A(least)), A(0), d2odds + ddchosen*dodds*math::exp(c) / u + (d2odds / u + ddchosen*dodds*math::exp(c) / (u*u))*math::exp(c)));  // step 77
      at.store(DREJECTED, choose<A>(A(rejected) >= A(-A(least)), A(0), (-d2odds / u_2 - ddrejected*dodds*math::exp(r) / (u_2*u_2))*math::exp(r) - d2odds - ddrejected*dodds*math::exp(r) / u_2));  // step 84
      at.store(DDY, choose<A>(A(chosen) >= A(-A(least)), A(0), -ddchosen) - math::sigmoid(u_3)*ddodds*weight);  // step 85
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
