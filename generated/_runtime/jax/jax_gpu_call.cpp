// SPDX-License-Identifier: MIT
// Kernels of a layer for a GPU as one call of XLA's: they are launched on its stream and its buffers, and nothing is
// waited for. Which kernels, by the names of images that this process has, and what each is passed, is in the
// attributes of the call.
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <xla/ffi/api/ffi.h>

#include "../native/launches.h"

namespace {

namespace ffi = xla::ffi;
using Integers = ffi::Span<const int64_t>;
using Numbers = ffi::Span<const double>;
using Result = int;

constexpr int MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;
constexpr unsigned MOST_SHARED = 48 * 1024;  // bytes that a block may have without being asked for

// Functions of the driver, in the order of DRIVER in gpu.py.
struct Driver {
  Result (*current_context)(void** context);
  Result (*load)(void** module, const void* image);
  Result (*get_function)(void** function, void* module, const char* name);
  Result (*set_attribute)(void* function, int attribute, int value);
  launch_function launch;
  Result (*set_bytes)(uint64_t start, unsigned char value, size_t size, void* stream);
  Result (*error_words)(Result error, const char** words);
};

std::mutex lock;
Driver driver;
std::unordered_map<std::string, std::string> images;
std::map<std::tuple<void*, std::string, std::string>, void*> functions;  // by context, image and kernel

ffi::Error failed(const char* function, Result error) {
  const char* words = nullptr;
  driver.error_words(error, &words);
  return ffi::Error(ffi::ErrorCode::kInternal, std::string(function) + " failed with error " + std::to_string(error) +
                                                   ": " + (words ? words : "unknown error"));
}

#define LNGEN_TRY(name, call) \
  if (const Result error = (call)) return failed(name, error)

// A kernel in the current context, loaded there when it is first asked for.
ffi::Error find(const std::string& image, const std::string& kernel, unsigned shared_bytes, void** function) {
  std::lock_guard<std::mutex> holding(lock);
  void *context = nullptr, *module = nullptr;
  LNGEN_TRY("cuCtxGetCurrent", driver.current_context(&context));
  const auto key = std::make_tuple(context, image, kernel);
  if (auto known = functions.find(key); known != functions.end()) {
    *function = known->second;
    return ffi::Error::Success();
  }
  auto found = images.find(image);
  if (found == images.end())
    return ffi::Error(ffi::ErrorCode::kNotFound, "there is no image of " + kernel + " in this process");
  LNGEN_TRY("cuModuleLoadData", driver.load(&module, found->second.data()));
  LNGEN_TRY("cuModuleGetFunction", driver.get_function(function, module, kernel.c_str()));
  if (shared_bytes > MOST_SHARED)
    LNGEN_TRY("cuFuncSetAttribute",
              driver.set_attribute(*function, MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(shared_bytes)));
  functions.emplace(key, *function);
  return ffi::Error::Success();
}

// The words of launches, with the addresses of their kernels in the current context. names: of each kernel its image and
// its own, each with a line end.
ffi::Error with_functions(std::string_view names, std::vector<int64_t>& words) {
  auto next_name = [&] {
    const size_t end = names.find('\n');
    const std::string name(names.substr(0, end));
    names.remove_prefix(end + 1);
    return name;
  };
  for (size_t at = 0; at < words.size();) {
    launch next;
    memcpy(&next, &words[at], sizeof next);
    const std::string image = next_name(), kernel = next_name();
    if (next.arguments > MOST_PARAMETERS)
      return ffi::Error(ffi::ErrorCode::kInvalidArgument, kernel + " has more arguments than there is room for");
    void* function;
    if (ffi::Error error = find(image, kernel, next.shared_bytes, &function); error.failure()) return error;
    words[at + offsetof(launch, function) / sizeof(int64_t)] = reinterpret_cast<intptr_t>(function);
    at += WORDS_OF_LAUNCH + WORDS_OF_ARGUMENT * next.arguments;
  }
  return ffi::Error::Success();
}

// launches: words, whose kernels have names and no addresses yet. numbers: the Constants that they are passed. sizes: samples,
// then the results that have to be 0 before. strides: of each buffer, operands and then results, the bytes between a sample
// and the next, 0 if they share it.
ffi::Error call(void* stream, ffi::RemainingArgs given, ffi::RemainingRets made, std::string_view names, Integers sizes,
                Integers strides, Integers launches, Numbers numbers) {
  std::vector<char*> buffers;
  auto add = [&](const ffi::AnyBuffer& each) { buffers.push_back(static_cast<char*>(each.untyped_data())); };
  for (size_t i = 0; i < given.size(); ++i) add(given.get<ffi::AnyBuffer>(i).value());
  for (size_t i = 0; i < made.size(); ++i) add(*made.get<ffi::AnyBuffer>(i).value());
  std::vector<int64_t> words(launches.begin(), launches.end());
  if (ffi::Error error = with_functions(names, words); error.failure()) return error;
  for (size_t i = 1; i < sizes.size(); ++i) {
    auto result = *made.get<ffi::AnyBuffer>(sizes[i]).value();
    const uint64_t start = reinterpret_cast<uint64_t>(result.untyped_data());
    LNGEN_TRY("cuMemsetD8Async", driver.set_bytes(start, 0, result.size_bytes(), stream));
  }
  for (int64_t sample = 0; sample < sizes[0]; ++sample) {
    LNGEN_TRY("cuLaunchKernelEx", launch_kernels(driver.launch, words.data(), words.data() + words.size(), buffers.data(),
                                                 numbers.begin(), stream));
    for (size_t i = 0; i < buffers.size(); ++i) buffers[i] += strides[i];
  }
  return ffi::Error::Success();
}

}  // namespace

// Says where the functions of the driver are.
extern "C" void jax_gpu_call_uses(const Driver* functions) { driver = *functions; }

// Makes an image known by a name.
extern "C" void jax_gpu_call_knows(const char* name, const char* image, size_t size) {
  std::lock_guard<std::mutex> holding(lock);
  images.try_emplace(name, image, size);
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(jax_gpu_call, call,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::PlatformStream<void*>>()
                                  .RemainingArgs()
                                  .RemainingRets()
                                  .Attr<std::string_view>("names")
                                  .Attr<Integers>("sizes")
                                  .Attr<Integers>("strides")
                                  .Attr<Integers>("words")
                                  .Attr<Numbers>("numbers"));
