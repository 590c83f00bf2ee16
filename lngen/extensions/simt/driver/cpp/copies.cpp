// Copies and fills. An asynchronous one is done at once.
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

template <class T> Result fill(Address to, size_t pitch, T value, size_t width, size_t height) {
  Lock lock(one_call);
  NEED(ready_in_context());
  if (to % sizeof(T) || pitch % sizeof(T)) return fail(INVALID_VALUE, "a fill that is not aligned to its value");
  for (size_t row = 0; row < height && width; ++row) {
    char* place;
    NEED(range(to + row * pitch, width * sizeof(T), true, "fill", &place));
    T* values = reinterpret_cast<T*>(place);
    for (size_t i = 0; i < width; ++i) values[i] = value;
  }
  return SUCCESS;
}

// CUDA_MEMCPY2D.
struct Side {
  size_t x, y;
  unsigned type;
  const void* host;
  Address device;
  void* array;
  size_t pitch;
};
struct Copy2D {
  Side from, to;
  size_t width, height;
};
enum { HOST = 1, DEVICE = 2 };

Result copy_rows(const Copy2D& copy) {
  for (size_t row = 0; row < copy.height; ++row) {
    const size_t from = (copy.from.y + row) * copy.from.pitch + copy.from.x;
    const size_t to = (copy.to.y + row) * copy.to.pitch + copy.to.x;
    char* host_to = static_cast<char*>(const_cast<void*>(copy.to.host)) + to;
    const char* host_from = static_cast<const char*>(copy.from.host) + from;
    if (copy.from.type == HOST && copy.to.type == DEVICE) NEED(copy_in(copy.to.device + to, host_from, copy.width));
    else if (copy.from.type == DEVICE && copy.to.type == HOST) NEED(copy_out(host_to, copy.from.device + from, copy.width));
    else if (copy.from.type == DEVICE && copy.to.type == DEVICE)
      NEED(copy_within(copy.to.device + to, copy.from.device + from, copy.width));
    else return fail(NOT_SUPPORTED, "a copy in two dimensions that is not between host and device");
  }
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
API cuMemcpy2D_v2(const Copy2D* copy) {
  return perform(nullptr, [copy = *copy] { return copy_rows(copy); });
}
API cuMemcpy2DUnaligned_v2(const Copy2D* copy) { return cuMemcpy2D_v2(copy); }
API cuMemcpy2DAsync_v2(const Copy2D* copy, Stream* stream) {
  return perform(stream, [copy = *copy] { return copy_rows(copy); });
}

#define FILL(BITS, TYPE)                                                                                             \
  API cuMemsetD##BITS##Async(Address to, TYPE value, size_t count, Stream* stream) {                                 \
    return perform(stream, [=] { return fill(to, 0, value, count, 1); });                                            \
  }                                                                                                                  \
  API cuMemsetD##BITS##_v2(Address to, TYPE value, size_t count) {                                                   \
    return cuMemsetD##BITS##Async(to, value, count, nullptr);                                                        \
  }                                                                                                                  \
  API cuMemsetD2D##BITS##Async(Address to, size_t pitch, TYPE value, size_t width, size_t height, Stream* stream) {  \
    return perform(stream, [=] { return fill(to, pitch, value, width, height); });                                   \
  }                                                                                                                  \
  API cuMemsetD2D##BITS##_v2(Address to, size_t pitch, TYPE value, size_t width, size_t height) {                    \
    return cuMemsetD2D##BITS##Async(to, pitch, value, width, height, nullptr);                                       \
  }
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)
