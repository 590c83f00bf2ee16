#include "findings.h"

#include <cstdio>
#include <set>
#include <tuple>

extern "C" const char __ehdr_start __attribute__((visibility("hidden")));  // from the linker: where the module starts

namespace simt {

static constexpr size_t MOST = 32;
static std::string text;
static std::set<std::tuple<std::string, std::string, size_t>> places;

void clear_report() {
  text.clear();
  places.clear();
}

bool anything_reported() { return !places.empty(); }

size_t offset_of_call(const void* return_address) { return simt_offset(return_address) - 1; }

void report(const Finding& finding) {
  if (places.size() == MOST || !places.emplace(finding.kind, finding.line, finding.code).second) return;
  char block[64] = "", thread[64] = "", numbers[160];
  if (finding.thread) {
    const simt_dim& at = simt_running_block.index;
    snprintf(block, sizeof block, "%u,%u,%u", at.x, at.y, at.z);
    const simt_dim& index = finding.thread->index;
    snprintf(thread, sizeof thread, "%u,%u,%u", index.x, index.y, index.z);
  }
  snprintf(numbers, sizeof numbers, "%zx\t%zx\t%ld\t%td\t%zu\t%zu", finding.code, finding.other_code,
           finding.other_thread, finding.offset, finding.bytes, finding.buffer_bytes);
  text += std::string(finding.kind) + '\t' + block + '\t' + thread + '\t' + finding.line + '\t' + finding.other_line +
          '\t' + numbers + '\t' + finding.buffer + '\t' + finding.text + '\n';
}

}  // namespace simt

extern "C" const char* simt_report() { return simt::text.c_str(); }

extern "C" size_t simt_offset(const void* code) {
  return size_t(static_cast<const char*>(code) - &__ehdr_start);
}
