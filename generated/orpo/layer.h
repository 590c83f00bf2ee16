// Odds ratio preference optimization of a pair, from mean log-probabilities of tokens, which are below 0.
// Made by lngen 0.1.0 from the definition of orpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit orpo.py and run: lngen derive orpo.py
// Open: exp overflows where chosen is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number, and 1 more of its kind.
// definition sha256:3284c8cca3259d74e91a382ff15e2ccb66b3e98016374b546e341efab7cfa61d
//
// forward:
//     expm1_chosen = expm1(chosen)
//     u = -expm1_chosen
//     log_u = log(u)
//     total_2 = chosen - rejected - log_u
//     expm1_rejected = expm1(rejected)
//     u_2 = -expm1_rejected
//     log_u_2 = log(u_2)
//     odds = total_2 + log_u_2
//     u_3 = -odds
//     softplus_u_3 = softplus(u_3)
//     y = weight*softplus_u_3 - chosen
// backward:
//     dodds = -weight*dy*sigmoid(u_3)
//     dchosen = dodds + dodds*exp(chosen)/u - dy
//     drejected = -dodds - dodds*exp(rejected)/u_2
// jvp:
//     y_dot = weight*sigmoid(u_3)*(rejected_dot + rejected_dot*exp(rejected)/u_2 - chosen_dot - chosen_dot*exp(chosen)/u) - chosen_dot
// backward_backward:
//     dodds = -weight*dy*sigmoid(u_3)
//     ddodds = ddchosen*(1 + exp(chosen)/u) + (-ddrejected*(1 + exp(rejected)/u_2))
//     d2odds = weight*ddodds*dy*sigmoid(u_3)*(1 - sigmoid(u_3))
//     d2chosen = d2odds + ddchosen*dodds*exp(chosen)/u + exp(chosen)*(d2odds + ddchosen*dodds*exp(chosen)/u)/u
//     d2rejected = (-exp(rejected)*(d2odds + ddrejected*dodds*exp(rejected)/u_2)/u_2) - d2odds - ddrejected*dodds*exp(rejected)/u_2
//     ddy = -ddchosen - weight*ddodds*sigmoid(u_3)

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
constexpr Name<ROWS_OUT, 0> Y;
using Given = decltype(names(CHOSEN, REJECTED, WEIGHT, Y, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 5, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto weight = row(WEIGHT);
    row.each([&](auto at) {
      const auto chosen = at(CHOSEN);
      const auto rejected = at(REJECTED);
      const auto total = chosen - rejected;  // step 1
      const auto expm1_chosen = math::expm1(chosen);  // step 2
      const auto u = -expm1_chosen;  // step 3
      const auto log_u = math::log(u);  // step 4
      const auto total_2 = total - log_u;  // step 5
      const auto expm1_rejected = math::expm1(rejected);  // step 6
      const auto u_2 = -expm1_rejected;  // step 7
      const auto log_u_2 = math::log(u_2);  // step 8
      const auto odds = log_u_2 + total_2;  // step 9
      const auto u_3 = -odds;  // step 10
      const auto softplus_u_3 = math::softplus(u_3);  // step 11
      at.store(Y, softplus_u_3*weight - chosen);  // step 12
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
constexpr Name<ROWS_OUT, 0> DCHOSEN;
constexpr Name<ROWS_OUT, 1> DREJECTED;
using Given = decltype(names(CHOSEN, REJECTED, DY, WEIGHT, DCHOSEN, DREJECTED, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 7, 1, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto weight = row(WEIGHT);
    row.each([&](auto at) {
      const auto chosen = at(CHOSEN);
      const auto rejected = at(REJECTED);
      const auto dy = at(DY);
      const auto total = chosen - rejected;  // step 1
      const auto expm1_chosen = math::expm1(chosen);  // step 2
      const auto u = -expm1_chosen;  // step 3
      const auto log_u = math::log(u);  // step 4
      const auto total_2 = total - log_u;  // step 5
      const auto expm1_rejected = math::expm1(rejected);  // step 6
      const auto u_2 = -expm1_rejected;  // step 7
      const auto log_u_2 = math::log(u_2);  // step 8
      const auto odds = log_u_2 + total_2;  // step 9
      const auto u_3 = -odds;  // step 10
      const auto dodds = -math::sigmoid(u_3)*dy*weight;  // step 17
      at.store(DCHOSEN, dodds + dodds*math::exp(chosen) / u - dy);  // step 24
      at.store(DREJECTED, -dodds - dodds*math::exp(rejected) / u_2);  // step 29
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
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(CHOSEN, REJECTED, CHOSEN_DOT, REJECTED_DOT, WEIGHT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 7, 1, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto weight = row(WEIGHT);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto chosen = at(CHOSEN);
      const auto rejected = at(REJECTED);
      const auto chosen_dot = at(CHOSEN_DOT);
      const auto rejected_dot = at(REJECTED_DOT);
      const auto total = chosen - rejected;  // step 1
      const auto expm1_chosen = math::expm1(chosen);  // step 2
      const auto u = -expm1_chosen;  // step 3
      const auto log_u = math::log(A(u));  // step 4
      const auto total_2 = total - log_u;  // step 5
      const auto expm1_rejected = math::expm1(rejected);  // step 6
      const auto u_2 = -expm1_rejected;  // step 7
      const auto log_u_2 = math::log(A(u_2));  // step 8
      const auto odds = log_u_2 + total_2;  // step 9
      const auto u_3 = -odds;  // step 10
      at.store(Y_DOT, (rejected_dot + math::exp(A(rejected))*rejected_dot / u_2 - chosen_dot - chosen_dot*math::exp(A(chosen)) / u)*math::sigmoid(u_3)*weight - chosen_dot);  // step 52
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
constexpr Name<ROWS_OUT, 0> DCHOSEN;
constexpr Name<ROWS_OUT, 1> DREJECTED;
constexpr Name<ROWS_OUT, 2> DDY;
using Given = decltype(names(CHOSEN, REJECTED, DY, DDCHOSEN, DDREJECTED, WEIGHT, DCHOSEN, DREJECTED, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 11, 1, 3> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto weight = row(WEIGHT);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto chosen = at(CHOSEN);
      const auto rejected = at(REJECTED);
      const auto dy = at(DY);
      const auto ddchosen = at(DDCHOSEN);
      const auto ddrejected = at(DDREJECTED);
      const auto total = chosen - rejected;  // step 1
      const auto expm1_chosen = math::expm1(chosen);  // step 2
      const auto u = -expm1_chosen;  // step 3
      const auto log_u = math::log(A(u));  // step 4
      const auto total_2 = total - log_u;  // step 5
      const auto expm1_rejected = math::expm1(rejected);  // step 6
      const auto u_2 = -expm1_rejected;  // step 7
      const auto log_u_2 = math::log(A(u_2));  // step 8
      const auto odds = log_u_2 + total_2;  // step 9
      const auto u_3 = -odds;  // step 10
      const auto dodds = -math::sigmoid(u_3)*dy*weight;  // step 53
      const auto ddodds = (math::exp(A(chosen)) / u + A(1))*ddchosen + (-A(1) - math::exp(A(rejected)) / u_2)*ddrejected;  // step 56
      const auto d2odds = (A(1) - math::sigmoid(u_3))*math::sigmoid(u_3)*ddodds*dy*weight;  // step 59
      at.store(DCHOSEN, d2odds + ddchosen*dodds*math::exp(A(chosen)) / u + (d2odds + ddchosen*dodds*math::exp(A(chosen)) / u)*math::exp(A(chosen)) / u);  // step 67
      at.store(DREJECTED, (-d2odds - ddrejected*dodds*math::exp(A(rejected)) / u_2)*math::exp(A(rejected)) / u_2 - d2odds - ddrejected*dodds*math::exp(A(rejected)) / u_2);  // step 73
      at.store(DDY, -ddchosen - math::sigmoid(u_3)*ddodds*weight);  // step 74
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
