#include "streams.h"

#include <chrono>
#include <set>

namespace driver {

namespace {
using Clock = std::chrono::steady_clock;

struct Event {
  bool timed;
  bool recorded = false;
  Clock::time_point time = {};
};
constexpr unsigned DISABLE_TIMING = 2;

std::set<Stream*>& streams = lasting<std::set<Stream*>>();
std::set<Event*>& events = lasting<std::set<Event*>>();

Result known_event(Event* event) {
  NEED(ready());
  return events.count(event) ? SUCCESS : fail(INVALID_HANDLE, "no such event");
}

Result elapsed(float* milliseconds, Event* start, Event* end) {
  Lock lock(one_call);
  NEED(known_event(start));
  NEED(known_event(end));
  if (!start->timed || !end->timed) return fail(INVALID_HANDLE, "an event that was made without timing");
  if (!start->recorded || !end->recorded) return fail(INVALID_HANDLE, "an event that was not recorded");
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return SUCCESS;
}
}  // namespace

Result known(Stream* stream) {
  Lock lock(one_call);
  NEED(ready_in_context());
  // 0, 1 and 2 are the default stream and its two explicit names.
  if (uintptr_t(stream) <= 2 || streams.count(stream)) return SUCCESS;
  return fail(INVALID_HANDLE, "no such stream");
}

}  // namespace driver

using namespace driver;

API cuStreamCreate(Stream** stream, unsigned) {
  Lock lock(one_call);
  NEED(ready_in_context());
  *stream = *streams.insert(new Stream).first;
  return SUCCESS;
}
API cuStreamCreateWithPriority(Stream** stream, unsigned flags, int) { return cuStreamCreate(stream, flags); }
API cuStreamDestroy_v2(Stream* stream) {
  Lock lock(one_call);
  NEED(ready());
  if (uintptr_t(stream) > 2) NEED(allowed_on(stream, "the destruction"));
  return destroy(streams, stream, "stream");
}
API cuStreamSynchronize(Stream* stream) {
  Lock lock(one_call);
  NEED(known(stream));
  NEED(allowed_on(stream, "a wait for the end"));
  return uintptr_t(stream) <= 2 ? allowed("a wait for the default stream") : SUCCESS;
}
API cuStreamQuery(Stream* stream) {
  Lock lock(one_call);
  NEED(known(stream));
  return allowed_on(stream, "a question after the end");
}
API cuStreamWaitEvent(Stream* stream, Event* event, unsigned) {
  Lock lock(one_call);
  NEED(known(stream));
  return known_event(event);
}

API cuEventCreate(Event** event, unsigned flags) {
  Lock lock(one_call);
  NEED(ready_in_context());
  *event = *events.insert(new Event{!(flags & DISABLE_TIMING)}).first;
  return SUCCESS;
}
API cuEventDestroy_v2(Event* event) { return destroy(events, event, "event"); }
API cuEventRecord(Event* event, Stream* stream) {
  Lock lock(one_call);
  NEED(known(stream));
  NEED(known_event(event));
  event->recorded = true;
  event->time = Clock::now();
  return SUCCESS;
}
API cuEventSynchronize(Event* event) {
  Lock lock(one_call);
  return known_event(event);
}
API cuEventQuery(Event* event) {
  Lock lock(one_call);
  return known_event(event);
}
API cuEventElapsedTime(float* milliseconds, Event* start, Event* end) { return elapsed(milliseconds, start, end); }
API cuEventElapsedTime_v2(float* milliseconds, Event* start, Event* end) { return elapsed(milliseconds, start, end); }
