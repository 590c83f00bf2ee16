#include "memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "streams.h"

namespace driver {

namespace {
constexpr size_t PAGE = 4096, BAND = 1024;
constexpr size_t MOST_ADDRESSES = size_t(1) << 40, LEAST_ADDRESSES = size_t(1) << 30;
constexpr unsigned char POISON = 0xff;  // a NaN in every floating-point type, and -1
// A large number in every type. A NaN would not do: what is computed from one is often the same NaN, so that a kernel that
// reads it and writes the result to another band would leave that as it was.
constexpr unsigned char IN_BANDS = 0x7b;

int file = -1;
size_t size;     // of the file; it has no pages but those that were touched
char* host;      // where this process maps it
char* device;    // where its addresses are; nothing can be read there
size_t end;      // of the part that is allocated from; the rest is scratch
size_t used;
size_t cursor;   // an address that was freed is given out late, so that its use is noticed
std::map<size_t, Allocation>& live = lasting<std::map<size_t, Allocation>>();  // by offset

size_t span(size_t bytes) { return (bytes + 2 * BAND + PAGE - 1) / PAGE * PAGE; }
size_t first_page(const Allocation& allocation) { return allocation.offset - BAND; }

// A gap of so many bytes at or behind a place, or 0.
size_t gap_from(size_t start, size_t wanted) {
  auto next = live.lower_bound(start);
  if (next != live.begin()) {
    const Allocation& before = std::prev(next)->second;
    start = std::max(start, first_page(before) + span(before.bytes));
  }
  for (; next != live.end(); ++next) {
    if (first_page(next->second) >= start + wanted) return start;
    start = first_page(next->second) + span(next->second.bytes);
  }
  return start + wanted <= end ? start : 0;
}

bool repaired(char* band, size_t* first) {
  char* bad = std::find_if(band, band + BAND, [](char byte) { return static_cast<unsigned char>(byte) != IN_BANDS; });
  if (bad == band + BAND) return false;
  *first = size_t(bad - band);
  memset(band, IN_BANDS, BAND);
  return true;
}
}  // namespace

void Allocation::note_written(size_t start, size_t count) {
  if (all_written || !count) return;
  if (count == bytes) {
    all_written = true;
    written.clear();
    return;
  }
  written.resize(bytes);
  std::fill_n(written.begin() + ptrdiff_t(start), count, 1);
}

Result set_up_memory() {
  file = memfd_create("lngen-device", MFD_CLOEXEC);
  if (file < 0) return fail(OUT_OF_MEMORY, "memfd_create failed");
  for (size = MOST_ADDRESSES; size >= LEAST_ADDRESSES; size /= 2) {
    if (ftruncate(file, off_t(size))) continue;
    void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    void* reserved = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped != MAP_FAILED && reserved != MAP_FAILED) {
      // A core file of this process has no use for them.
      madvise(mapped, size, MADV_DONTDUMP);
      host = static_cast<char*>(mapped);
      device = static_cast<char*>(reserved);
      end = size / 4 * 3;
      cursor = PAGE;
      return SUCCESS;
    }
    if (mapped != MAP_FAILED) munmap(mapped, size);
    if (reserved != MAP_FAILED) munmap(reserved, size);
  }
  return fail(OUT_OF_MEMORY, "not even 1 GiB of addresses can be had; see `ulimit -v`");
}

int memory_file() { return file; }
size_t memory_bytes() { return size; }
char* bytes_at(size_t offset) { return host + offset; }

size_t total_memory() {
  const size_t machine = size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
  return std::min(machine, end);
}

Result allocate(Address* address, size_t bytes) {
  if (!bytes) return fail(INVALID_VALUE, "an allocation of 0 bytes");
  if (bytes > total_memory() - std::min(total_memory(), used))
    return fail(OUT_OF_MEMORY, std::to_string(bytes) + " bytes are not free");
  size_t page = gap_from(cursor, span(bytes));
  if (!page) page = gap_from(PAGE, span(bytes));
  if (!page) return fail(OUT_OF_MEMORY, "no room for " + std::to_string(bytes) + " bytes in one piece");
  cursor = page + span(bytes);
  used += bytes;
  Allocation& made = live[page + BAND];
  made.offset = page + BAND;
  made.bytes = bytes;
  made.context = current_context();
  memset(host + page, IN_BANDS, span(bytes));
  memset(bytes_at(made.offset), POISON, bytes);
  *address = address_of(made);
  return SUCCESS;
}

Result release(Address address) {
  const auto found = live.find(offset_of(address));
  if (found == live.end()) return fail(INVALID_VALUE, "not an address that was allocated, or freed before");
  const Allocation& gone = found->second;
  fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(first_page(gone)), off_t(span(gone.bytes)));
  used -= gone.bytes;
  live.erase(found);
  return SUCCESS;
}

Allocation* allocation_at(Address address) {
  const size_t offset = offset_of(address);
  auto after = live.upper_bound(offset);
  if (after == live.begin()) return nullptr;
  Allocation& found = std::prev(after)->second;
  return offset <= found.offset + found.bytes ? &found : nullptr;
}

Address address_of(const Allocation& allocation) { return Address(device) + allocation.offset; }
size_t offset_of(Address address) { return size_t(address - Address(device)); }

std::string overruns(const std::map<const Allocation*, std::string>& names) {
  std::string lines;
  for (auto& [offset, allocation] : live) {
    char* start = host + offset;
    size_t first;
    const auto named = names.find(&allocation);
    const std::string name = (named == names.end() ? "" : named->second) + '\t';
    const std::string size_text = '\t' + std::to_string(allocation.bytes) + '\n';
    if (repaired(start - BAND, &first)) lines += name + '-' + std::to_string(BAND - first) + size_text;
    if (repaired(start + allocation.bytes, &first)) lines += name + std::to_string(allocation.bytes + first) + size_text;
  }
  return lines;
}

size_t scratch() { return end; }

}  // namespace driver

using namespace driver;

API cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  Lock lock(one_call);
  NEED(ready_in_context());
  *total = total_memory();
  *free_bytes = total_memory() - used;
  return SUCCESS;
}
API cuMemAlloc_v2(Address* address, size_t bytes) {
  Lock lock(one_call);
  NEED(ready_in_context());
  NEED(allowed("an allocation"));
  return allocate(address, bytes);
}
API cuMemFree_v2(Address address) {
  Lock lock(one_call);
  NEED(ready());
  NEED(allowed("freeing memory"));
  return address ? release(address) : SUCCESS;
}
API cuPointerGetAttribute(void* value, int attribute, Address address) {
  constexpr int CONTEXT = 1, MEMORY_TYPE = 2, DEVICE_POINTER = 3, DEVICE_ORDINAL = 9;
  constexpr unsigned OF_DEVICE = 2;
  Lock lock(one_call);
  NEED(ready());
  const Allocation* found = allocation_at(address);
  if (!found) return fail(INVALID_VALUE, "not an address in an allocation");
  switch (attribute) {
    case CONTEXT: *static_cast<void**>(value) = found->context; return SUCCESS;
    case MEMORY_TYPE: *static_cast<unsigned*>(value) = OF_DEVICE; return SUCCESS;
    case DEVICE_POINTER: *static_cast<Address*>(value) = address; return SUCCESS;
    case DEVICE_ORDINAL: *static_cast<int*>(value) = 0; return SUCCESS;
    default: return fail(NOT_SUPPORTED, "pointer attribute " + std::to_string(attribute));
  }
}
API cuMemHostAlloc(void** pointer, size_t bytes, unsigned) {
  NEED(ready_in_context());
  return posix_memalign(pointer, PAGE, std::max<size_t>(bytes, 1)) ? fail(OUT_OF_MEMORY, "") : SUCCESS;
}
API cuMemFreeHost(void* pointer) {
  free(pointer);
  return SUCCESS;
}
