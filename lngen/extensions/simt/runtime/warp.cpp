#include <cstdio>
#include <cstring>

#include "checker.h"
#include "findings.h"
#include "meeting.h"
#include "scheduler.h"

namespace simt {

static const char* const NAMES[] = {"__syncwarp", "a shuffle", "a vote"};

static void open(unsigned warp, Meeting& meeting) {
  const unsigned lanes = meeting.arrived;
  meeting.present[meeting.count % 2] = lanes;
  meeting.count++;
  meeting.arrived = 0;
  if (meeting.operation == SIMT_SYNC) order_lanes(state.warps[warp], lanes);
  for (unsigned lane = 0; lane < 32; ++lane)
    if (lanes >> lane & 1) make_ready(state.threads[warp * 32 + lane]);
}

// Lanes that have exited are not waited for.
static bool complete(const Warp& warp, const Meeting& meeting) {
  return meeting.arrived && meeting.arrived == (meeting.mask & warp.alive);
}

void lane_exits(const Thread& thread) {
  Warp& warp = state.warps[thread.warp()];
  warp.alive &= ~(1u << thread.lane());
  for (Meeting& meeting : warp.meetings)
    if (complete(warp, meeting)) open(thread.warp(), meeting);
}

[[noreturn]] static void refuse(const char* line, const char* other_line, const std::string& text) {
  Finding finding{"divergent warp operation"};
  finding.line = line;
  finding.other_line = other_line;
  finding.text = text;
  report(finding);
  abandon();
}

static size_t meeting_of(Warp& warp, unsigned mask) {
  for (size_t i = 0; i < warp.meetings.size(); ++i)
    if (warp.meetings[i].mask == mask) return i;
  warp.meetings.emplace_back();
  warp.meetings.back().mask = mask;
  return warp.meetings.size() - 1;
}

// Values and mask of the lanes in a meeting, valid until the caller waits again.
struct Brought {
  const Meeting* meeting;
  unsigned turn;
  unsigned present() const { return meeting->present[turn]; }
  const unsigned char* of(unsigned lane) const { return meeting->values[turn][lane]; }
};

static Brought meet(int operation, unsigned mask, const void* value, size_t bytes, const char* line) {
  Warp& warp = state.warps[current().warp()];
  const unsigned lane = current().lane();
  if (!(mask >> lane & 1)) {
    char text[96];
    snprintf(text, sizeof text, "lane %u calls %s with mask 0x%08x, which leaves it out", lane, NAMES[operation], mask);
    refuse(line, "", text);
  }
  // By index: other lanes may add meetings while this one waits.
  const size_t index = meeting_of(warp, mask);
  Meeting& meeting = warp.meetings[index];
  if (meeting.arrived && (meeting.operation != operation || strcmp(meeting.line, line))) {
    refuse(line, meeting.line,
           "lanes of one mask meet in " + std::string(NAMES[operation]) + " here and in " + NAMES[meeting.operation] +
               " of " + meeting.line);
  }
  meeting.operation = operation;
  meeting.line = line;
  const unsigned turn = meeting.count % 2;
  if (bytes) memcpy(meeting.values[turn][lane], value, bytes);
  meeting.arrived |= 1u << lane;
  current().status = Status::IN_WARP;
  current().line = line;
  current().code = 0;
  if (complete(warp, meeting)) open(current().warp(), meeting);
  wait();
  return {&warp.meetings[index], turn};
}

}  // namespace simt

extern "C" void simt_warp_sync(unsigned mask, const char* line) { simt::meet(SIMT_SYNC, mask, nullptr, 0, line); }

extern "C" void simt_warp_exchange(unsigned mask, void* value, size_t bytes, unsigned source_lane, const char* line) {
  const simt::Brought brought = simt::meet(SIMT_SHUFFLE, mask, value, bytes, line);
  if (!(brought.present() >> source_lane & 1))
    simt::refuse(line, "", "the shuffle reads lane " + std::to_string(source_lane) + ", which takes no part in it");
  memcpy(value, brought.of(source_lane), bytes);
}

extern "C" unsigned simt_warp_gather(unsigned mask, const void* value, size_t bytes, void* values, const char* line) {
  const simt::Brought brought = simt::meet(SIMT_VOTE, mask, value, bytes, line);
  for (unsigned lane = 0; lane < 32; ++lane)
    memcpy(static_cast<char*>(values) + lane * bytes, brought.of(lane), bytes);
  return brought.present();
}

extern "C" unsigned simt_lane() { return simt::current().lane(); }
