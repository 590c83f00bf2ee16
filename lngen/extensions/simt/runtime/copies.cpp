#include "copies.h"

#include <cstring>
#include <vector>

#include "checker.h"
#include "findings.h"
#include "image.h"
#include "scheduler.h"

namespace simt {

// The bytes arrive when their thread awaits them and no sooner, which is what a kernel may rely on.
struct Started {
  std::vector<Copy> copies;  // in the order of their groups
  unsigned closed = 0;       // groups
};
static std::vector<Started> started;  // by thread, and empty while the block has no copy

void forget_copies() { started.clear(); }

static Started& of_current() {
  if (started.empty()) started.resize(state.threads.size());
  return started[current().linear];
}

static bool within(const Span& span, const char* address, size_t bytes) {
  return address >= span.start && address + bytes <= span.start + span.bytes;
}

static bool in_shared(const char* address, size_t bytes) {
  const Span dynamic{current_block().shared, state.launch.shared_bytes};
  return within(dynamic, address, bytes) || within(static_shared(), address, bytes);
}

[[noreturn]] static void refuse(const Copy& copy, const char* kind, const std::string& text) {
  Finding finding{kind};
  finding.code = copy.code;
  finding.text = text;
  report(finding);
  abandon();
}

static void refuse_misplaced(const Copy& copy) {
  const std::string size = std::to_string(copy.bytes), what = "a copy of " + size + " bytes ";
  for (const char* address : {static_cast<const char*>(copy.to), copy.from})
    if (const size_t past = uintptr_t(address) % copy.bytes)
      refuse(copy, "misaligned access",
             what + (address == copy.to ? "to" : "from") + " an address that is " + std::to_string(past) +
                 " past a multiple of " + size);
  if (!in_shared(copy.to, copy.bytes)) refuse(copy, "out of bounds", what + "to an address outside shared memory");
  if (in_shared(copy.from, copy.bytes) || state.stacks.holds(current().linear, copy.from))
    refuse(copy, "out of bounds", what + "from an address outside global memory");
}

}  // namespace simt

extern "C" void simt_start_copy(void* to, const void* from, size_t bytes) {
  using namespace simt;
  Started& mine = of_current();
  const Copy copy{static_cast<char*>(to), static_cast<const char*>(from), bytes,
                  offset_of_call(__builtin_return_address(0)), mine.closed};
  refuse_misplaced(copy);
  check_start(copy);
  mine.copies.push_back(copy);
}

extern "C" void simt_close_copies() { simt::of_current().closed++; }

extern "C" void simt_await_copies(unsigned pending) {
  using namespace simt;
  Started& mine = of_current();
  size_t arrived = 0;
  for (; arrived < mine.copies.size() && mine.copies[arrived].group + pending < mine.closed; ++arrived) {
    const Copy& copy = mine.copies[arrived];
    memcpy(copy.to, copy.from, copy.bytes);
    check_arrival(copy);
  }
  mine.copies.erase(mine.copies.begin(), mine.copies.begin() + std::ptrdiff_t(arrived));
}
