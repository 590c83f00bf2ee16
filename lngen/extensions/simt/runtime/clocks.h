// Knowledge of each warp of a block about the others. Only barriers order one warp after another.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "../include/simt/abi.h"

namespace simt {

constexpr unsigned LANES = 32, MOST_WARPS = SIMT_MOST_THREADS / LANES;

// Time is how often warps of the block have met at a barrier, all of them or some.
class Clocks {
 public:
  void start() {
    time_ = 0;
    memset(known_, 0, sizeof known_);
  }
  uint32_t time() const { return time_; }
  // Tests whether an access of `other` at a time was before the present one of `warp`.
  bool knows(unsigned warp, unsigned other, uint32_t time) const { return known_[warp][other] > time; }

  // Shares the knowledge and the accesses of these warps among all of them. A bit is a warp.
  void meet(uint32_t warps) {
    time_++;
    uint32_t together[MOST_WARPS] = {};
    for (unsigned warp = 0; warp < MOST_WARPS; ++warp)
      if (warps >> warp & 1)
        for (unsigned other = 0; other < MOST_WARPS; ++other)
          together[other] = std::max(together[other], known_[warp][other]);
    for (unsigned warp = 0; warp < MOST_WARPS; ++warp)
      if (warps >> warp & 1) together[warp] = time_;
    for (unsigned warp = 0; warp < MOST_WARPS; ++warp)
      if (warps >> warp & 1) memcpy(known_[warp], together, sizeof together);
  }

 private:
  uint32_t time_ = 0;
  uint32_t known_[MOST_WARPS][MOST_WARPS] = {};  // before which time
};

}  // namespace simt
