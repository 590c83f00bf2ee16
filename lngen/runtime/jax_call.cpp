// SPDX-License-Identifier: MIT
// Kernels of a layer as one call of XLA's, on its buffers and its threads. Which kernels, by their names here, and what
// each is passed, is in the attributes of the call: an executable that another process made has no address in it.
#include <atomic>
#include <cfenv>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <xla/ffi/api/ffi.h>

namespace {

namespace ffi = xla::ffi;
using Kernel = void (*)(void* const* arrays, const double* numbers, const long long* sizes);
using Integers = ffi::Span<const int64_t>;

std::mutex lock;
std::unordered_map<std::string, Kernel> kernels;

Kernel named(std::string_view name) {
  std::lock_guard<std::mutex> holding(lock);
  auto found = kernels.find(std::string(name));
  return found == kernels.end() ? nullptr : found->second;
}

// XLA has its threads take subnormal numbers for zero, and kernels are to compute what they do elsewhere.
class PlainArithmetic {
 public:
  PlainArithmetic() {
    std::fegetenv(&was_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~PlainArithmetic() { std::fesetenv(&was_); }

 private:
  std::fenv_t was_;
};

struct Progress {
  std::atomic<long long> next{0};
  std::mutex lock;
  std::condition_variable all_done;
  long long done = 0;
};

template <class T> T copied(const T& value) { return value; }

// Calls part(i) for each i below count. Whoever comes takes the next; this thread waits for none that has not begun, so
// it makes no difference when the others come, if ever: those that are late find nothing to do.
template <class Part> void share(ffi::ThreadPool& pool, long long count, const Part* part) {
  auto progress = std::make_shared<Progress>();
  auto work = [progress, count, part] {
    for (long long i; (i = progress->next++) < count;) {
      (*part)(i);
      std::lock_guard<std::mutex> holding(progress->lock);
      if (++progress->done == count) progress->all_done.notify_all();
    }
  };
  const long long threads = pool.num_threads();
  for (long long i = 1; i < count && i < threads; ++i) pool.Schedule(copied(work));
  work();
  std::unique_lock<std::mutex> waiting(progress->lock);
  progress->all_done.wait(waiting, [&] { return progress->done == count; });
}

// names: of kernels, each with a line end. sizes: rows, features, chunks, whether results are streamed, bytes of the
// workspace, then the results that have to be 0 before. steps: of each kernel whether it is over rows, how many pointers
// it takes and which, and how many numbers and which. Pointers are operands, then results, -1 the workspace, -2 none.
ffi::Error call(ffi::ThreadPool pool, ffi::RemainingArgs given, ffi::RemainingRets made, std::string_view names,
                Integers sizes, Integers steps, ffi::Span<const double> numbers) {
  std::vector<void*> buffers;
  for (size_t i = 0; i < given.size(); ++i) buffers.push_back(given.get<ffi::AnyBuffer>(i).value().untyped_data());
  for (size_t i = 0; i < made.size(); ++i) buffers.push_back((*made.get<ffi::AnyBuffer>(i).value()).untyped_data());
  for (size_t i = 5; i < sizes.size(); ++i) {
    auto result = *made.get<ffi::AnyBuffer>(sizes[i]).value();
    std::memset(result.untyped_data(), 0, result.size_bytes());
  }
  std::unique_ptr<char[]> workspace(sizes[4] ? new char[sizes[4]] : nullptr);
  const long long chunks = sizes[2];
  for (const int64_t* step = steps.begin(); step < steps.end();) {
    const size_t end = names.find('\n');
    const std::string_view name = names.substr(0, end);
    names.remove_prefix(end + 1);
    const Kernel kernel = named(name);
    if (!kernel)
      return ffi::Error(ffi::ErrorCode::kNotFound, "there is no kernel " + std::string(name) + " in this process");
    const bool is_over_rows = *step++;
    std::vector<void*> arrays;
    for (int64_t left = *step++; left; --left, ++step)
      arrays.push_back(*step >= 0 ? buffers[*step] : *step == -1 ? workspace.get() : nullptr);
    std::vector<double> own;
    for (int64_t left = *step++; left; --left, ++step) own.push_back(numbers[*step]);
    auto run = [&](long long first, long long end) {
      const PlainArithmetic while_it_runs;
      const long long of_this[] = {sizes[0], sizes[1], chunks, first, end, sizes[3]};
      kernel(arrays.data(), own.data(), of_this);
    };
    if (is_over_rows && chunks > 1) {
      auto part = [&](long long chunk) { run(chunk, chunk + 1); };
      share(pool, chunks, &part);
    } else {
      run(0, chunks);
    }
  }
  return ffi::Error::Success();
}

}  // namespace

// Makes a kernel known by a name.
extern "C" void jax_call_knows(const char* name, void* kernel) {
  std::lock_guard<std::mutex> holding(lock);
  kernels[name] = reinterpret_cast<Kernel>(kernel);
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(jax_call, call,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .RemainingArgs()
                                  .RemainingRets()
                                  .Attr<std::string_view>("names")
                                  .Attr<Integers>("sizes")
                                  .Attr<Integers>("steps")
                                  .Attr<ffi::Span<const double>>("numbers"));
