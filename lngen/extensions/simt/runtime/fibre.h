// Fibres: stacks of their own in one thread of the operating system, switched by hand.
#pragma once
#include <cstddef>

#include "../include/simt/abi.h"

// Leaves the running stack, whose pointer is stored at `leave`, for the one that `enter` points to.
extern "C" void simt_switch(void** leave, void* enter);

namespace simt {

// The stacks of a block's threads, which the process has made: an overflow is a fault and not a wrong number.
class Stacks {
 public:
  explicit Stacks(char* first = nullptr) : first_(first) {}
  // A stack pointer at which a switch enters `start`, which must never return.
  void* fresh(size_t index, void (*start)());
  bool holds(size_t index, const void* address) const;

 private:
  char* first_;
};

}  // namespace simt
