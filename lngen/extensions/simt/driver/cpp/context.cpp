// The device and its contexts. There is one device, and all contexts share its memory.
#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "driver.h"
#include "memory.h"
#include "streams.h"

namespace driver {

namespace {
struct Context {
  unsigned long long number;
};

bool is_set_up, was_forked;  // cuInit was called; in a process that this one was forked from
Context primary{1};
unsigned long long numbers = 1;
unsigned primary_retained;
std::set<Context*>& made = lasting<std::set<Context*>>();
thread_local std::vector<Context*>& current = lasting<std::vector<Context*>>();

constexpr int CAPABILITY_MAJOR = 9, CAPABILITY_MINOR = 0;

bool is_alive(Context* context) {
  return context == &primary ? primary_retained > 0 : made.count(context) > 0;
}

// The numbers of CUdevice_attribute. A feature that is not listed is one that the emulator lacks: 0.
struct Attribute {
  int number, value;
};
constexpr Attribute ATTRIBUTES[] = {
    {1, 1024},        // MAX_THREADS_PER_BLOCK
    {2, 1024},        // MAX_BLOCK_DIM_X
    {3, 1024},        // MAX_BLOCK_DIM_Y
    {4, 64},          // MAX_BLOCK_DIM_Z
    {5, 2147483647},  // MAX_GRID_DIM_X
    {6, 65535},       // MAX_GRID_DIM_Y
    {7, 65535},       // MAX_GRID_DIM_Z
    {8, 48 * 1024},   // MAX_SHARED_MEMORY_PER_BLOCK
    {9, 64 * 1024},   // TOTAL_CONSTANT_MEMORY
    {10, 32},         // WARP_SIZE
    {12, 65536},      // MAX_REGISTERS_PER_BLOCK
    {16, 1},          // MULTIPROCESSOR_COUNT: so that in small tests a block has more rows than it copies ahead
    {39, 2048},       // MAX_THREADS_PER_MULTIPROCESSOR
    {75, CAPABILITY_MAJOR},
    {76, CAPABILITY_MINOR},
    {81, 228 * 1024}, // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
    {97, 227 * 1024}, // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
};

Result the_device(Device device) {
  NEED(ready());
  return device == 0 ? SUCCESS : fail(INVALID_DEVICE, "there is one device, number 0");
}

Result pop(Context** popped) {
  if (current.empty()) return fail(INVALID_CONTEXT, "there is no current context");
  if (popped) *popped = current.back();
  current.pop_back();
  return SUCCESS;
}

Result destroy(Context* context) {
  NEED(ready());
  if (!made.erase(context)) return fail(INVALID_CONTEXT, "");
  delete context;
  if (!current.empty() && current.back() == context) current.pop_back();
  return SUCCESS;
}
}  // namespace

Result ready() {
  // As with a GPU, what was set up before a fork is of no use after it: the worker answers the process that started it.
  if (is_set_up && !was_forked) return SUCCESS;
  return fail(NOT_INITIALIZED, was_forked ? "a forked process cannot go on with its parent's device" : "call cuInit first");
}

Result ready_in_context() {
  NEED(ready());
  if (!current.empty() && is_alive(current.back())) return SUCCESS;
  return fail(INVALID_CONTEXT, "no context is current in this thread");
}

void* current_context() { return current.empty() ? nullptr : current.back(); }

}  // namespace driver

using namespace driver;

API cuInit(unsigned) {
  Lock lock(one_call);
  if (!is_set_up) {
    NEED(set_up_memory());
    // Every call asks, so it is not for the system to answer.
    pthread_atfork(nullptr, nullptr, [] { was_forked = true; });
    is_set_up = true;
  }
  return ready();
}
// NVRTC asks a driver that it finds for a table of functions, and reads the table's size whatever it is answered. This
// one has its size and nothing else.
API cuGetExportTable(const void** table, const void*) {
  static const size_t none = sizeof none;
  *table = &none;
  return SUCCESS;
}
API cuDriverGetVersion(int* version) {
  *version = 13000;
  return SUCCESS;
}
API cuDeviceGetCount(int* count) {
  NEED(ready());
  *count = 1;
  return SUCCESS;
}
API cuDeviceGet(Device* device, int ordinal) {
  *device = 0;
  return the_device(ordinal);
}
API cuDeviceGetName(char* name, int bytes, Device device) {
  NEED(the_device(device));
  snprintf(name, size_t(bytes), "lngen emulator (this CPU)");
  return SUCCESS;
}
API cuDeviceComputeCapability(int* major, int* minor, Device device) {
  NEED(the_device(device));
  *major = CAPABILITY_MAJOR;
  *minor = CAPABILITY_MINOR;
  return SUCCESS;
}
API cuDeviceGetAttribute(int* value, int attribute, Device device) {
  NEED(the_device(device));
  *value = 0;
  for (const Attribute& known : ATTRIBUTES)
    if (known.number == attribute) *value = known.value;
  return SUCCESS;
}
API cuDeviceTotalMem_v2(size_t* bytes, Device device) {
  NEED(the_device(device));
  *bytes = total_memory();
  return SUCCESS;
}

API cuDevicePrimaryCtxRetain(Context** context, Device device) {
  Lock lock(one_call);
  NEED(the_device(device));
  ++primary_retained;
  *context = &primary;
  return SUCCESS;
}
API cuDevicePrimaryCtxRelease_v2(Device device) {
  Lock lock(one_call);
  NEED(the_device(device));
  if (!primary_retained) return fail(INVALID_CONTEXT, "the primary context is not retained");
  --primary_retained;
  return SUCCESS;
}
API cuCtxCreate_v2(Context** context, unsigned, Device device) {
  Lock lock(one_call);
  NEED(the_device(device));
  *context = *made.insert(new Context{++numbers}).first;
  current.push_back(*context);
  return SUCCESS;
}
API cuCtxCreate_v4(Context** context, void*, unsigned flags, Device device) {
  return cuCtxCreate_v2(context, flags, device);
}
API cuCtxDestroy_v2(Context* context) {
  Lock lock(one_call);
  return destroy(context);
}
API cuCtxDetach(Context* context) {
  Lock lock(one_call);
  // PyCUDA lets go of a primary context like this when its object goes.
  if (context != &primary) return destroy(context);
  if (!current.empty() && current.back() == context) current.pop_back();
  return cuDevicePrimaryCtxRelease_v2(0);
}
API cuCtxPushCurrent_v2(Context* context) {
  Lock lock(one_call);
  NEED(ready());
  if (!is_alive(context)) return fail(INVALID_CONTEXT, "the context was destroyed or released");
  current.push_back(context);
  return SUCCESS;
}
API cuCtxPopCurrent_v2(Context** context) {
  NEED(ready());
  return pop(context);
}
API cuCtxGetCurrent(Context** context) {
  NEED(ready());
  *context = current.empty() ? nullptr : current.back();
  return SUCCESS;
}
// The address of a context may be another's later, its number not.
API cuCtxGetId(Context* context, unsigned long long* number) {
  Lock lock(one_call);
  NEED(ready());
  if (!is_alive(context)) return fail(INVALID_CONTEXT, "the context was destroyed or released");
  *number = context->number;
  return SUCCESS;
}
API cuCtxGetDevice(Device* device) {
  NEED(ready_in_context());
  *device = 0;
  return SUCCESS;
}
API cuCtxSynchronize() {
  Lock lock(one_call);
  NEED(ready_in_context());
  return allowed("a wait for the context");
}
