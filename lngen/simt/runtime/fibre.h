// Fibres: stacks of their own in one thread of the operating system, switched by hand.
#pragma once
#include <cstddef>
#include <vector>

// Leaves the running stack, whose pointer is stored at `leave`, for the one that `enter` points to.
extern "C" void simt_switch(void** leave, void* enter);

namespace simt {

// Many stacks, each above a page that cannot be touched, so that an overflow is a fault and not a wrong number.
class Stacks {
 public:
  static constexpr size_t BYTES = 256 * 1024;

  // Makes sure that there are as many. False where the system has no memory for them.
  bool reserve(size_t count);
  // A stack pointer at which a switch enters `start`, which must never return.
  void* fresh(size_t index, void (*start)());
  bool holds(size_t index, const void* address) const;

 private:
  std::vector<char*> stacks_;
};

}  // namespace simt
