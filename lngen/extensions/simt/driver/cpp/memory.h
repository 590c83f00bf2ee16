// The device's memory: a file without a name that the worker maps too.
//
// Addresses given out are of a range that nothing is mapped at, so that a host program that follows one fails as it
// would with a GPU. Around each allocation is a band of poison; what is found changed in one was written out of bounds.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "driver.h"

namespace driver {

struct Allocation {
  size_t offset, bytes;
  void* context;           // that it was allocated in
  bool read_only = false;  // a copy of a module's variable
  // Bytes that hold a value: all of them, or those that are 1 here; none if it is empty.
  bool all_written = false;
  std::vector<unsigned char> written;

  void note_written(size_t start, size_t count);
};

Result set_up_memory();
int memory_file();
size_t memory_bytes();
size_t total_memory();
// Address of the bytes at an offset in this process.
char* bytes_at(size_t offset);

Result allocate(Address* address, size_t bytes);
Result release(Address address);
// The allocation that an address is in, or just behind; null if there is none.
Allocation* allocation_at(Address address);
Address address_of(const Allocation& allocation);
size_t offset_of(Address address);
// A line for each band that was written to: the allocation's name, if any, the first byte, the allocation's size.
std::string overruns(const std::map<const Allocation*, std::string>& names);
// Start of the part that is never allocated: a launch keeps flags there.
size_t scratch();

}  // namespace driver
