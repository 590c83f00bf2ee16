// SPDX-License-Identifier: MIT
// Kernels of a layer for a GPU as one call of XLA's: they are launched on its stream and its buffers, and nothing is
// waited for. Which kernels, by the names of images that this process has, and what each is passed, is in the
// attributes of the call.
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <xla/ffi/api/ffi.h>

namespace {

namespace ffi = xla::ffi;
using Integers = ffi::Span<const int64_t>;
using Result = int;

constexpr int MAX_DYNAMIC_SHARED_SIZE_BYTES = 8;
constexpr unsigned MOST_SHARED = 48 * 1024;  // bytes that a block may have without being asked for

// CUlaunchAttribute, of which CLUSTER_DIMENSION alone is used, and CUlaunchConfig.
constexpr int CLUSTER_DIMENSION = 4;
struct Attribute {
  int id;
  char filled[4];
  unsigned cluster[16];
};
struct Configuration {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  Attribute* attributes;
  unsigned attributes_count;
};

// Functions of the driver, in the order of DRIVER in gpu.py.
struct Driver {
  Result (*current_context)(void** context);
  Result (*load)(void** module, const void* image);
  Result (*get_function)(void** function, void* module, const char* name);
  Result (*set_attribute)(void* function, int attribute, int value);
  Result (*launch)(const Configuration* how, void* function, void** arguments, void** extra);
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

struct Step {
  void* function;
  unsigned blocks, threads, shared_bytes, cluster;
  std::vector<int64_t> buffers;   // of each argument which buffer it is, -1 for one that is none
  std::vector<uint64_t> values;  // and what it is: a number, or where the buffer begins
};

// names: of each kernel its image and its own, each with a line end. sizes: samples, then the results that have to be 0
// before. strides: of each buffer, operands and then results, the bytes between a sample and the next, 0 if they share
// it. steps: of each kernel how many blocks, threads of each and bytes of shared memory, blocks of a cluster, how many
// arguments, and of each argument which buffer it is, or -1, and its bits.
ffi::Error call(void* stream, ffi::RemainingArgs given, ffi::RemainingRets made, std::string_view names, Integers sizes,
                Integers strides, Integers steps) {
  std::vector<uint64_t> buffers;
  auto add = [&](const ffi::AnyBuffer& each) { buffers.push_back(reinterpret_cast<uint64_t>(each.untyped_data())); };
  for (size_t i = 0; i < given.size(); ++i) add(given.get<ffi::AnyBuffer>(i).value());
  for (size_t i = 0; i < made.size(); ++i) add(*made.get<ffi::AnyBuffer>(i).value());
  auto next_name = [&] {
    const size_t end = names.find('\n');
    const std::string name(names.substr(0, end));
    names.remove_prefix(end + 1);
    return name;
  };
  std::vector<Step> all;
  for (const int64_t* each = steps.begin(); each < steps.end();) {
    Step step{nullptr, unsigned(each[0]), unsigned(each[1]), unsigned(each[2]), unsigned(each[3]), {}, {}};
    const std::string image = next_name(), kernel = next_name();
    if (ffi::Error error = find(image, kernel, step.shared_bytes, &step.function); error.failure()) return error;
    int64_t left = each[4];
    for (each += 5; left; --left, each += 2) {
      step.buffers.push_back(each[0]);
      step.values.push_back(each[0] < 0 ? each[1] : buffers[each[0]]);
    }
    all.push_back(std::move(step));
  }
  for (size_t i = 1; i < sizes.size(); ++i) {
    auto result = *made.get<ffi::AnyBuffer>(sizes[i]).value();
    const uint64_t start = reinterpret_cast<uint64_t>(result.untyped_data());
    LNGEN_TRY("cuMemsetD8Async", driver.set_bytes(start, 0, result.size_bytes(), stream));
  }
  for (int64_t sample = 0; sample < sizes[0]; ++sample)
    for (Step& step : all) {
      std::vector<void*> arguments;
      for (uint64_t& value : step.values) arguments.push_back(&value);
      Attribute attribute{CLUSTER_DIMENSION, {}, {step.cluster, 1, 1}};
      const Configuration how{{step.blocks, 1, 1}, {step.threads, 1, 1}, step.shared_bytes, stream, &attribute, step.cluster > 1};
      LNGEN_TRY("cuLaunchKernelEx", driver.launch(&how, step.function, arguments.data(), nullptr));
      for (size_t i = 0; i < step.values.size(); ++i)
        if (step.buffers[i] >= 0) step.values[i] += strides[step.buffers[i]];
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
                                  .Attr<Integers>("steps"));
