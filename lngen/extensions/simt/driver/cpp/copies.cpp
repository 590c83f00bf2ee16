// Copies and fills. An asynchronous one is done at once.
#include <algorithm>
#include <cstring>

#include "memory.h"
#include "streams.h"

namespace driver {

namespace {
// The bytes of a range in an allocation.
Result range(Address address, size_t bytes, bool writes, const char* what, char** place) {
  Allocation* found = allocation_at(address);
  const size_t start = found ? offset_of(address) - found->offset : 0;
  if (!found || bytes > found->bytes - start)
    return fail(INVALID_VALUE, std::string(what) + ": " + std::to_string(bytes) +
                                   " bytes from there are not all in an allocation");
  if (writes && found->read_only)
    return fail(NOT_SUPPORTED, std::string(what) + ": a module's variable can be read in the emulator, not written");
  if (writes) found->note_written(start, bytes);
  *place = bytes_at(offset_of(address));
  return SUCCESS;
}

Result copy_in(Address to, const void* from, size_t bytes) {
  Lock lock(one_call);
  NEED(ready_in_context());
  if (!bytes) return SUCCESS;
  char* place;
  NEED(range(to, bytes, true, "copy to the device", &place));
  memcpy(place, from, bytes);
  return SUCCESS;
}

Result copy_out(void* to, Address from, size_t bytes) {
  Lock lock(one_call);
  NEED(ready_in_context());
  if (!bytes) return SUCCESS;
  char* place;
  NEED(range(from, bytes, false, "copy from the device", &place));
  memcpy(to, place, bytes);
  return SUCCESS;
}

Result copy_within(Address to, Address from, size_t bytes) {
  Lock lock(one_call);
  NEED(ready_in_context());
  if (!bytes) return SUCCESS;
  char *source, *place;
  NEED(range(from, bytes, false, "copy on the device", &source));
  NEED(range(to, bytes, true, "copy on the device", &place));
  memmove(place, source, bytes);
  return SUCCESS;
}

template <class T> Result fill(Address to, T value, size_t count) {
  Lock lock(one_call);
  NEED(ready_in_context());
  if (!count) return SUCCESS;
  if (to % sizeof(T)) return fail(INVALID_VALUE, "a fill that is not aligned to its value");
  char* place;
  NEED(range(to, count * sizeof(T), true, "fill", &place));
  std::fill_n(reinterpret_cast<T*>(place), count, value);
  return SUCCESS;
}
}  // namespace

}  // namespace driver

using namespace driver;

// One that the host waits for is on the default stream.
API cuMemcpyHtoD_v2(Address to, const void* from, size_t bytes) {
  return perform(nullptr, [=] { return copy_in(to, from, bytes); });
}
API cuMemcpyDtoH_v2(void* to, Address from, size_t bytes) {
  return perform(nullptr, [=] { return copy_out(to, from, bytes); });
}
API cuMemcpyDtoD_v2(Address to, Address from, size_t bytes) {
  return perform(nullptr, [=] { return copy_within(to, from, bytes); });
}
API cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, Stream* stream) {
  return perform(stream, [=] { return copy_in(to, from, bytes); });
}
API cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, Stream* stream) {
  return perform(stream, [=] { return copy_out(to, from, bytes); });
}
API cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, Stream* stream) {
  return perform(stream, [=] { return copy_within(to, from, bytes); });
}

#define FILL(BITS, TYPE)                                                              \
  API cuMemsetD##BITS##Async(Address to, TYPE value, size_t count, Stream* stream) {  \
    return perform(stream, [=] { return fill(to, value, count); });                   \
  }                                                                                   \
  API cuMemsetD##BITS##_v2(Address to, TYPE value, size_t count) {                    \
    return cuMemsetD##BITS##Async(to, value, count, nullptr);                         \
  }
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)
