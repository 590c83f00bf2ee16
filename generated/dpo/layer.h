// Direct preference optimization of a pair, from the log-probabilities of both answers; labels may be smoothed.
// Made by lngen 0.1.0 from the definition of dpo; derivation.md has its steps, cost and evidence.
// Do not edit; edit dpo.py and run: lngen derive dpo.py
// definition sha256:10eb91beaf60f0e2cc089be78fb58745ca1f88e23e0686a53b2fedd2504fb169
//
// forward:
//     total_2 = chosen - rejected - reference_chosen
//     margin = beta*(reference_rejected + total_2)
//     u = -margin
//     softplus_u = softplus(u)
//     softplus_margin = softplus(margin)
//     y = smoothing*softplus_margin + softplus_u*(1 - smoothing)
// backward:
//     dchosen = beta*dy*(smoothing*(sigmoid(margin) + sigmoid(u)) - sigmoid(u))
//     drejected = -dchosen
// jvp:
//     margin_dot = beta*(chosen_dot - rejected_dot)
//     softplus_u_dot = -margin_dot*sigmoid(u)
//     y_dot = softplus_u_dot + smoothing*(margin_dot*sigmoid(margin) - softplus_u_dot)
// backward_backward:
//     ddchosen_2 = ddchosen - ddrejected
//     d2chosen = beta**2*ddchosen_2*dy*(smoothing*sigmoid(margin)*(1 - sigmoid(margin)) + sigmoid(u)*(1 - smoothing)*(1 - sigmoid(u)))
//     d2rejected = -d2chosen
//     ddy = beta*ddchosen_2*(smoothing*(sigmoid(margin) + sigmoid(u)) - sigmoid(u))

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_chosen_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_chosen_dot);
constexpr bool HAS_ddchosen = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddchosen);
constexpr bool HAS_ddrejected = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddrejected);
constexpr bool HAS_reference_chosen = LNGEN_UNDEFINED(LNGEN_WITHOUT_reference_chosen);
constexpr bool HAS_reference_rejected = LNGEN_UNDEFINED(LNGEN_WITHOUT_reference_rejected);
constexpr bool HAS_rejected_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_rejected_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> CHOSEN;
constexpr Name<ROWS, 1> REJECTED;
constexpr Name<ROWS, 2, HAS_reference_chosen, Zero> REFERENCE_CHOSEN;
constexpr Name<ROWS, 3, HAS_reference_rejected, Zero> REFERENCE_REJECTED;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<NUMBER, 1> SMOOTHING;
constexpr Name<ROWS_OUT, 0> Y;
using Given = decltype(names(CHOSEN, REJECTED, REFERENCE_CHOSEN, REFERENCE_REJECTED, BETA, SMOOTHING, Y, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 2, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto beta = row(BETA);
    const auto smoothing = row(SMOOTHING);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto chosen = at(CHOSEN);
      const auto rejected = at(REJECTED);
      const auto reference_chosen = at(REFERENCE_CHOSEN);
      const auto reference_rejected = at(REFERENCE_REJECTED);
      const auto total = chosen - rejected;  // step 1
      const auto total_2 = total - reference_chosen;  // step 2
      const auto margin = (reference_rejected + total_2)*beta;  // step 3
      const auto u = -margin;  // step 4
      const auto softplus_u = math::softplus(u);  // step 5
      const auto softplus_margin = math::softplus(margin);  // step 6
      at.store(Y, softplus_margin*smoothing + softplus_u*(A(1) - A(smoothing)));  // step 7
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> CHOSEN;
constexpr Name<ROWS, 1> REJECTED;
constexpr Name<ROWS, 2, HAS_reference_chosen, Zero> REFERENCE_CHOSEN;
constexpr Name<ROWS, 3, HAS_reference_rejected, Zero> REFERENCE_REJECTED;
constexpr Name<ROWS, 4> DY;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<NUMBER, 1> SMOOTHING;
constexpr Name<ROWS_OUT, 0> DCHOSEN;
constexpr Name<ROWS_OUT, 1> DREJECTED;
using Given = decltype(names(CHOSEN, REJECTED, REFERENCE_CHOSEN, REFERENCE_REJECTED, DY, BETA, SMOOTHING, DCHOSEN, DREJECTED, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 2, 2, 2> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto beta = row(BETA);
    const auto smoothing = row(SMOOTHING);
    row.each([&](auto at) {
      const auto chosen = at(CHOSEN);
      const auto rejected = at(REJECTED);
      const auto reference_chosen = at(REFERENCE_CHOSEN);
      const auto reference_rejected = at(REFERENCE_REJECTED);
      const auto dy = at(DY);
      const auto total = chosen - rejected;  // step 1
      const auto total_2 = total - reference_chosen;  // step 2
      const auto margin = (reference_rejected + total_2)*beta;  // step 3
      const auto u = -margin;  // step 4
      const auto dchosen = dy*((math::sigmoid(margin) + math::sigmoid(u))*smoothing - math::sigmoid(u))*beta;  // step 18
      at.store(DCHOSEN, dchosen);
      at.store(DREJECTED, -dchosen);  // step 19
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_chosen_dot || HAS_rejected_dot, Zero> CHOSEN;
constexpr Name<ROWS, 1, HAS_chosen_dot || HAS_rejected_dot, Zero> REJECTED;
constexpr Name<ROWS, 2, (HAS_chosen_dot && HAS_reference_chosen) || (HAS_reference_chosen && HAS_rejected_dot), Zero> REFERENCE_CHOSEN;
constexpr Name<ROWS, 3, (HAS_chosen_dot && HAS_reference_rejected) || (HAS_reference_rejected && HAS_rejected_dot), Zero> REFERENCE_REJECTED;
constexpr Name<ROWS, 4, HAS_chosen_dot, Zero> CHOSEN_DOT;
constexpr Name<ROWS, 5, HAS_rejected_dot, Zero> REJECTED_DOT;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<NUMBER, 1> SMOOTHING;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(CHOSEN, REJECTED, REFERENCE_CHOSEN, REFERENCE_REJECTED, CHOSEN_DOT, REJECTED_DOT, BETA, SMOOTHING, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 2, 2, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto beta = row(BETA);
    const auto smoothing = row(SMOOTHING);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto chosen = at(CHOSEN);
      const auto rejected = at(REJECTED);
      const auto reference_chosen = at(REFERENCE_CHOSEN);
      const auto reference_rejected = at(REFERENCE_REJECTED);
      const auto chosen_dot = at(CHOSEN_DOT);
      const auto rejected_dot = at(REJECTED_DOT);
      const auto total = chosen - rejected;  // step 1
      const auto total_2 = total - reference_chosen;  // step 2
      const auto margin = (reference_rejected + total_2)*beta;  // step 3
      const auto u = -margin;  // step 4
      const auto margin_dot = (chosen_dot - rejected_dot)*beta;  // step 22
      const auto softplus_u_dot = -math::sigmoid(A(u))*margin_dot;  // step 25
      at.store(Y_DOT, softplus_u_dot + (math::sigmoid(A(margin))*margin_dot - softplus_u_dot)*smoothing);  // step 28
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_ddchosen || HAS_ddrejected, Zero> CHOSEN;
constexpr Name<ROWS, 1, HAS_ddchosen || HAS_ddrejected, Zero> REJECTED;
constexpr Name<ROWS, 2, (HAS_ddchosen && HAS_reference_chosen) || (HAS_ddrejected && HAS_reference_chosen), Zero> REFERENCE_CHOSEN;
constexpr Name<ROWS, 3, (HAS_ddchosen && HAS_reference_rejected) || (HAS_ddrejected && HAS_reference_rejected), Zero> REFERENCE_REJECTED;
constexpr Name<ROWS, 4, HAS_ddchosen || HAS_ddrejected, Zero> DY;
constexpr Name<ROWS, 5, HAS_ddchosen, Zero> DDCHOSEN;
constexpr Name<ROWS, 6, HAS_ddrejected, Zero> DDREJECTED;
constexpr Name<NUMBER, 0> BETA;
constexpr Name<NUMBER, 1> SMOOTHING;
constexpr Name<ROWS_OUT, 0> DCHOSEN;
constexpr Name<ROWS_OUT, 1> DREJECTED;
constexpr Name<ROWS_OUT, 2> DDY;
using Given = decltype(names(CHOSEN, REJECTED, REFERENCE_CHOSEN, REFERENCE_REJECTED, DY, DDCHOSEN, DDREJECTED, BETA, SMOOTHING, DCHOSEN, DREJECTED, DDY, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 0, 4, 2, 3> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    const auto beta = row(BETA);
    const auto smoothing = row(SMOOTHING);
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto chosen = at(CHOSEN);
      const auto rejected = at(REJECTED);
      const auto reference_chosen = at(REFERENCE_CHOSEN);
      const auto reference_rejected = at(REFERENCE_REJECTED);
      const auto dy = at(DY);
      const auto ddchosen = at(DDCHOSEN);
      const auto ddrejected = at(DDREJECTED);
      const auto total = chosen - rejected;  // step 1
      const auto total_2 = total - reference_chosen;  // step 2
      const auto margin = (reference_rejected + total_2)*beta;  // step 3
      const auto u = -margin;  // step 4
      const auto ddchosen_2 = ddchosen - ddrejected;  // step 31
      const auto d2chosen = ddchosen_2*dy*((A(1) - math::sigmoid(A(margin)))*math::sigmoid(A(margin))*smoothing + (A(1) - math::sigmoid(A(u)))*math::sigmoid(A(u))*(A(1) - A(smoothing)))*(beta*beta);  // step 39
      at.store(DCHOSEN, d2chosen);
      at.store(DREJECTED, -d2chosen);  // step 42
      at.store(DDY, ddchosen_2*((math::sigmoid(A(margin)) + math::sigmoid(A(u)))*smoothing - math::sigmoid(A(u)))*beta);  // step 43
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::backward_backward
