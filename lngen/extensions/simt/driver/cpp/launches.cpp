// Launches: arguments are taken apart by the kernel's own types, pointers become places in the shared memory.
#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>

#include "control.h"
#include "memory.h"
#include "modules.h"
#include "streams.h"
#include "worker.h"

namespace driver {

namespace {
constexpr double GRACE = 10;  // seconds that a worker has beyond the kernel's to say where it was

struct Grid {
  unsigned numbers[6];  // blocks along x, y, z; threads of a block
  unsigned shared_bytes;
  unsigned cluster = 1;
};

std::string listed(const Function& function) {
  std::string text;
  for (const Parameter& parameter : function.parameters)
    text += (text.empty() ? "" : ", ") + parameter.name + " at " + std::to_string(parameter.place);
  return text;
}

// A packed buffer of the arguments, from either way in which a launch may give them.
Result packed(const Function& function, void** pointers, void** extra, std::vector<char>* buffer) {
  void* const POINTER = reinterpret_cast<void*>(1);
  void* const SIZE = reinterpret_cast<void*>(2);
  buffer->resize(function.bytes);
  if (pointers) {
    for (size_t i = 0; i < function.parameters.size(); ++i)
      memcpy(buffer->data() + function.parameters[i].place, pointers[i], function.parameters[i].bytes);
    return SUCCESS;
  }
  const void* given = nullptr;
  size_t bytes = 0;
  for (; extra && *extra; extra += 2) {
    if (extra[0] == POINTER) given = extra[1];
    else if (extra[0] == SIZE) bytes = *static_cast<size_t*>(extra[1]);
  }
  // A GPU's driver would read what lies behind the buffer, or take two arguments for one.
  if (bytes != function.bytes)
    return fail(INVALID_VALUE, function.name + " was given " + std::to_string(bytes) + " bytes of arguments and takes " +
                                   std::to_string(function.bytes) + " (" + listed(function) + ")");
  if (bytes) memcpy(buffer->data(), given, bytes);
  return SUCCESS;
}

// The allocations that a launch is given, each with the smallest element of what points there.
struct Given {
  const Parameter* parameter;
  size_t cell, flags = 0;
  bool written = false;
};
using GivenMemory = std::map<Allocation*, Given>;

Address value_of(const std::vector<char>& buffer, const Parameter& parameter) {
  Address value;
  memcpy(&value, buffer.data() + parameter.place, sizeof value);
  return value;
}

GivenMemory given_memory(const Function& function, const std::vector<char>& buffer) {
  GivenMemory given;
  for (const Parameter& parameter : function.parameters) {
    Allocation* found = parameter.is_pointer() ? allocation_at(value_of(buffer, parameter)) : nullptr;
    if (!found) continue;
    Given& entry = given.insert({found, {&parameter, parameter.element()}}).first->second;
    entry.cell = std::min(entry.cell, parameter.element());
    entry.written |= !parameter.is_constant();
  }
  return given;
}

std::string argument_words(const Function& function, const std::vector<char>& buffer) {
  std::string words;
  for (const Parameter& parameter : function.parameters) {
    const Address address = parameter.is_pointer() ? value_of(buffer, parameter) : 0;
    if (parameter.is_pointer() && !address) words += " n";
    // An address that is in no allocation is passed as it is: following it is a crash in the worker.
    else if (parameter.is_pointer() && allocation_at(address)) words += " p " + std::to_string(offset_of(address));
    else words += " v " + to_hex(buffer.data() + parameter.place, parameter.bytes);
  }
  return words;
}

// Flags for the checker, one a cell: whether all bytes of it hold a value.
void write_flags(const Allocation& allocation, Given* given, size_t* end) {
  given->flags = *end;
  const size_t cells = (allocation.bytes + given->cell - 1) / given->cell;
  *end += cells;
  char* flags = bytes_at(given->flags);
  for (size_t cell = 0; cell < cells; ++cell) {
    const size_t start = cell * given->cell, stop = std::min(start + given->cell, allocation.bytes);
    const auto first = allocation.written.begin();
    flags[cell] = !allocation.written.empty() &&
                  std::all_of(first + ptrdiff_t(start), first + ptrdiff_t(stop), [](unsigned char flag) { return flag; });
  }
}

void read_flags(Allocation* allocation, const Given& given) {
  const char* flags = bytes_at(given.flags);
  allocation->written.resize(allocation->bytes);
  for (size_t byte = 0; byte < allocation->bytes; ++byte) allocation->written[byte] |= flags[byte / given.cell];
  const auto& written = allocation->written;
  if (std::all_of(written.begin(), written.end(), [](unsigned char flag) { return flag; }))
    allocation->note_written(0, allocation->bytes);
}

std::string region_words(GivenMemory& given, bool checked) {
  std::string words;
  size_t end = scratch();
  for (auto& [allocation, entry] : given) {
    if (checked && !allocation->all_written) write_flags(*allocation, &entry, &end);
    words += ' ' + std::to_string(allocation->offset) + ' ' + std::to_string(allocation->bytes) + ' ' +
             std::to_string(entry.cell) + ' ' + (entry.flags ? std::to_string(entry.flags) : "-1") + ' ' +
             to_hex(entry.parameter->name);
  }
  return words;
}

std::string request(const Function& function, size_t module, const Grid& grid, const std::vector<char>& buffer,
                    GivenMemory& given, const Settings& now) {
  std::ostringstream words;
  words << "launch " << module << ' ' << to_hex(function.name);
  for (const unsigned number : grid.numbers) words << ' ' << number;
  words << ' ' << grid.shared_bytes << ' ' << grid.cluster << ' ' << now.schedule << ' ' << now.seed << " 0 0 " << now.seconds << ' '
        << function.parameters.size() << ' ' << given.size() << argument_words(function, buffer)
        << region_words(given, now.check);
  return words.str();
}

void note_writes(GivenMemory& given, bool checked) {
  for (auto& [allocation, entry] : given) {
    if (allocation->all_written) continue;
    if (checked) read_flags(allocation, entry);
    // Without the checker nobody knows what was written, so nothing is held against later reads.
    else if (entry.written) allocation->note_written(0, allocation->bytes);
  }
}

// Fault of a launch, as lngen/extensions/simt/driver/faults.py reads it.
struct Fault {
  Result code = SUCCESS;
  std::string text;
};

Fault run(Function* function, const std::string& path, const Grid& grid, const std::vector<char>& buffer,
          const Settings& now) {
  size_t module;
  Fault fault;
  if ((fault.code = load(path, &module, nullptr))) return fault;
  GivenMemory given = given_memory(*function, buffer);
  const Answer answer = ask(request(*function, module, grid, buffer, given, now), now.seconds + GRACE);
  if (answer.word == "refused") {
    const std::string& line = answer.lines.empty() ? answer.word : answer.lines[0];
    fault.code = fail(INVALID_VALUE, function->name + ": " + line.substr(line.rfind('\t') + 1));
    return fault;
  }
  note_writes(given, now.check);
  std::map<const Allocation*, std::string> names;
  for (const auto& [allocation, entry] : given) names[allocation] = entry.parameter->name;
  const std::string beyond = overruns(names);
  if (answer.word == "done" && beyond.empty()) return fault;
  std::ostringstream lines;
  lines << answer.word << '\n' << path << '\n' << function->module->source_name << '\n' << function->name << '\n'
        << now.seconds << '\n' << answer.lines.size() << '\n';
  for (const std::string& line : answer.lines) lines << line << '\n';
  lines << beyond;
  fault.text = lines.str();
  const bool late = answer.word == "crash" && !answer.lines.empty() && answer.lines[0].compare(0, 3, "14 ") == 0;
  fault.code = late ? LAUNCH_TIMEOUT : LAUNCH_FAILED;
  return fault;
}

// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  unsigned number, filled;
  unsigned value[16];
};
struct Launch {
  unsigned grid[6], shared_bytes;
  Stream* stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};
constexpr unsigned CLUSTER_DIMENSION = 4;

Result launch(Function* function, const Grid& grid, Stream* stream, void** pointers, void** extra) {
  if (!settings.run) return SUCCESS;
  {
    Lock lock(one_call);
    NEED(known(function));
    NEED(known(stream));
  }
  if (grid.shared_bytes > unsigned(function->most_dynamic_shared))
    return fail(INVALID_VALUE, function->name + " asks for " + std::to_string(grid.shared_bytes) +
                                   " bytes of shared memory and may have " + std::to_string(function->most_dynamic_shared) +
                                   "; set its MAX_DYNAMIC_SHARED_SIZE_BYTES");
  std::vector<char> buffer;
  NEED(packed(*function, pointers, extra, &buffer));
  const Settings now = settings;
  std::string& path = function->module->paths[now.check];
  if (path.empty()) {
    std::vector<std::string> answer;
    if (!ask_python(function->module->image, now.check, &answer)) return fail(INVALID_IMAGE, answer[0]);
    path = answer[0];
  }
  return perform(stream, [=] {
    Fault fault;
    {
      Lock lock(one_call);
      NEED(known(function));
      fault = run(function, path, grid, buffer, now);
    }
    return fault.text.empty() ? fault.code : fail(fault.code, describe_fault(fault.text));
  });
}
}  // namespace

}  // namespace driver

using namespace driver;

API cuLaunchKernel(Function* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream* stream, void** pointers, void** extra) {
  return launch(function, {{grid_x, grid_y, grid_z, block_x, block_y, block_z}, shared_bytes}, stream, pointers, extra);
}

API cuLaunchKernelEx(const Launch* how, Function* function, void** pointers, void** extra) {
  Grid grid;
  std::copy(how->grid, how->grid + 6, grid.numbers);
  grid.shared_bytes = how->shared_bytes;
  for (unsigned i = 0; i < how->attribute_count; ++i) {
    const LaunchAttribute& attribute = how->attributes[i];
    if (attribute.number != CLUSTER_DIMENSION) return fail(NOT_SUPPORTED, "launch attribute " + std::to_string(attribute.number));
    const unsigned* size = attribute.value;
    if (!size[0] || size[1] != 1 || size[2] != 1) return fail(NOT_SUPPORTED, "clusters other than along x");
    grid.cluster = size[0];
  }
  return launch(function, grid, how->stream, pointers, extra);
}

// Few, so that in small tests a cluster has more rows than it copies ahead.
API cuOccupancyMaxActiveClusters(int* clusters, Function* function, const Launch*) {
  Lock lock(one_call);
  NEED(known(function));
  *clusters = 2;
  return SUCCESS;
}

// By threads and shared memory alone: a kernel has no registers here.
API cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function* function, int threads, size_t shared_bytes) {
  constexpr int THREADS = 2048, BLOCKS = 32;
  constexpr size_t SHARED = 228 * 1024, RESERVED = 1024;
  Lock lock(one_call);
  NEED(known(function));
  *blocks = std::min({BLOCKS, THREADS / threads, int(SHARED / (shared_bytes + RESERVED))});
  return SUCCESS;
}

// The numbers of CUfunction_attribute.
enum { MAX_THREADS = 0, NUM_REGS = 4, MAX_DYNAMIC_SHARED = 8 };

API cuFuncGetAttribute(int* value, int attribute, Function* function) {
  Lock lock(one_call);
  NEED(known(function));
  switch (attribute) {
    case MAX_THREADS: *value = 1024; break;
    case NUM_REGS: *value = 32; break;  // there are none; a number that limits nobody
    case MAX_DYNAMIC_SHARED: *value = function->most_dynamic_shared; break;
    default: *value = 0;
  }
  return SUCCESS;
}

API cuFuncSetAttribute(Function* function, int attribute, int value) {
  Lock lock(one_call);
  NEED(known(function));
  constexpr int MOST = 227 * 1024;
  if (attribute != MAX_DYNAMIC_SHARED) return fail(NOT_SUPPORTED, "an attribute of a function that cannot be set here");
  if (value < 0 || value > MOST) return fail(INVALID_VALUE, "a block has at most 232448 bytes of shared memory");
  function->most_dynamic_shared = value;
  return SUCCESS;
}

// PyCUDA sets it before each launch, and passes it again with the launch, where it is looked at.
API cuFuncSetBlockShape(Function* function, int, int, int) {
  Lock lock(one_call);
  return known(function);
}
