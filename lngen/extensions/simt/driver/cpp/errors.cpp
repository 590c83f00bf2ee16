#include <cstring>

#include "driver.h"

namespace driver {

std::recursive_mutex& one_call = lasting<std::recursive_mutex>();
Settings& settings = lasting<Settings>();

namespace {
struct Name {
  Result code;
  const char *name, *text;
};
constexpr Name NAMES[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "operation failed due to a previous error during capture"},
    {CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "dependency created on uncaptured work in another stream"},
};

// A message outlives the call that failed, as the caller asks for it afterwards.
thread_local int last_code = SUCCESS;
thread_local std::string& last_text = lasting<std::string>();

const Name* name_of(int code) {
  for (const Name& name : NAMES)
    if (name.code == code) return &name;
  return nullptr;
}
}  // namespace

Result fail(Result code, const std::string& text) {
  last_code = code;
  last_text = std::string(name_of(code)->text) + (text.empty() ? "" : ": " + text);
  return code;
}

}  // namespace driver

API cuGetErrorName(int code, const char** name) {
  const driver::Name* known = driver::name_of(code);
  *name = known ? known->name : nullptr;
  return known ? driver::SUCCESS : driver::INVALID_VALUE;
}

API cuGetErrorString(int code, const char** text) {
  const driver::Name* known = driver::name_of(code);
  // PyCUDA makes a string of it without asking whether there is one.
  *text = !known ? "unknown error" : code && code == driver::last_code ? driver::last_text.c_str() : known->text;
  return known ? driver::SUCCESS : driver::INVALID_VALUE;
}

// Error of every function that the emulator lacks; see `unsupported` in lngen/extensions/simt/driver/library.py.
extern "C" __attribute__((visibility("hidden"))) int lngen_unsupported(const char* function) {
  return driver::fail(driver::NOT_SUPPORTED, std::string("the emulator has no ") + function);
}
