// The module as it is loaded: its file in memory, the variables in it.
#pragma once
#include <cstddef>

namespace simt {

struct Span {
  char* start;
  size_t bytes;
};

// Variables that the source declares `__shared__` with a size.
Span static_shared();
bool in_image(const void* address);

}  // namespace simt
