// A libcuda.so.1 whose device is the emulator: what its files share.
//
// Kernels run in the emulator's worker, a process of its own, on memory that both map: what a kernel breaks is not the
// process that launched it. Work is done when it is asked for, so streams order nothing and events tell the time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace driver {

using Device = int;
using Address = unsigned long long;  // CUdeviceptr

// The codes of cuda.h that are given.
enum Result {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  LAUNCH_TIMEOUT = 702,
  LAUNCH_FAILED = 719,
  NOT_SUPPORTED = 801,
  CAPTURE_UNSUPPORTED = 900,
  CAPTURE_INVALIDATED = 901,
  CAPTURE_IMPLICIT = 906,
};

// Gives the code, and keeps the text for cuGetErrorString of this thread.
Result fail(Result code, const std::string& text);

// One call at a time: PyCUDA lets other threads run during some. Never held while Python is called.
using Lock = std::lock_guard<std::recursive_mutex>;
extern std::recursive_mutex& one_call;

// SUCCESS if cuInit was called in this process; and if this thread has a context.
Result ready();
Result ready_in_context();
// This thread's context, or null.
void* current_context();

// Set from Python.
struct Settings {
  int schedule = 0, seed = 0, check = 0, run = 1;
  double seconds = 60;
  std::string worker;
};
extern Settings& settings;

}  // namespace driver

namespace driver {

// Objects that live as long as the process. PyCUDA releases its last objects after statics and thread locals are
// destroyed.
template <class T> T& lasting() { return *new T; }

}  // namespace driver

#define API extern "C" __attribute__((visibility("default"))) ::driver::Result
#define NEED(expression)                                                           \
  do {                                                                             \
    if (const ::driver::Result needed = (expression)) return needed;               \
  } while (false)
