// Copies into shared memory that a thread has started and not yet awaited.
#pragma once
#include <cstddef>

namespace simt {

struct Copy {
  char* to;
  const char* from;
  size_t bytes;
  size_t code;     // where it was started
  unsigned group;  // of its thread, counted from 0
};

// A new block: what its threads' copies would have written is another's memory.
void forget_copies();

}  // namespace simt
