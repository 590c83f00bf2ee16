// Findings of a launch, kept as lines of text for the report.
#pragma once
#include <cstddef>
#include <string>

#include "state.h"

namespace simt {

// A place in the code is "file:number" where the kernel passed one, or an offset in the module's file that addr2line resolves.
struct Finding {
  explicit Finding(const char* what) : kind(what) {}
  const char* kind;
  const char *line = "", *other_line = "";
  size_t code = 0, other_code = 0;
  const Thread* thread = simt_current ? &current() : nullptr;
  long other_thread = -1;
  const char* buffer = "";
  ptrdiff_t offset = 0;  // bytes from the start of the buffer
  size_t bytes = 0, buffer_bytes = 0;
  std::string text = "";
};

// Keeps a finding, once for each kind and place.
void report(const Finding& finding);
void clear_report();
bool anything_reported();

// From the return address of a call, where the call is in the module's file.
size_t offset_of_call(const void* return_address);

}  // namespace simt
