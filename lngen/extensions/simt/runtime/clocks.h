// Knowledge of each warp of a cluster about the others. Only barriers order one warp after another.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../include/simt/abi.h"

namespace simt {

constexpr unsigned LANES = 32, MOST_WARPS = SIMT_MOST_THREADS / LANES;  // of a block

// Time is how often warps of the cluster have met at a barrier, all of them or those of a block.
class Clocks {
 public:
  void start(unsigned warps) {
    time_ = 0;
    count_ = warps;
    known_.assign(size_t(warps) * warps, 0);
  }
  uint32_t time() const { return time_; }
  // Tests whether an access of `other` at a time was before the present one of `warp`.
  bool knows(unsigned warp, unsigned other, uint32_t time) const { return known_[warp * count_ + other] > time; }

  // Shares the knowledge and the accesses of so many warps among all of them; those of exited threads, too.
  void meet(unsigned first, unsigned warps) {
    time_++;
    together_.assign(count_, 0);
    for (unsigned warp = first; warp < first + warps; ++warp)
      for (unsigned other = 0; other < count_; ++other)
        together_[other] = std::max(together_[other], known_[warp * count_ + other]);
    for (unsigned warp = first; warp < first + warps; ++warp) together_[warp] = time_;
    for (unsigned warp = first; warp < first + warps; ++warp)
      std::copy(together_.begin(), together_.end(), known_.begin() + ptrdiff_t(warp * count_));
  }

 private:
  uint32_t time_ = 0;
  unsigned count_ = 0;
  std::vector<uint32_t> known_, together_;  // by warp, then other: before which time
};

}  // namespace simt
