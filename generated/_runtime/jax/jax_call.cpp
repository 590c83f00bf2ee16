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
    const PlainArithmetic while_it_runs;
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

// A kernel, and what it is passed: pointers are operands, then results, -1 the workspace, -2 none.
struct Step {
  Kernel kernel;
  bool is_over_rows;
  std::vector<int64_t> pointers;
  std::vector<double> numbers;
};

// The kernels of a call, and what they run on. A buffer is of all samples, with so many bytes between one and the next,
// or none if they share it.
struct Call {
  std::vector<Step> steps;
  std::vector<char*> buffers;
  const int64_t* strides;
  long long rows, features, chunks, streams;
  size_t workspace_bytes;

  std::unique_ptr<char[]> workspace() const {
    return std::unique_ptr<char[]>(workspace_bytes ? new char[workspace_bytes] : nullptr);
  }

  void run(const Step& step, long long sample, char* workspace, long long first, long long end) const {
    std::vector<void*> arrays(step.pointers.size());
    for (size_t i = 0; i < step.pointers.size(); ++i) {
      const int64_t place = step.pointers[i];
      arrays[i] = place >= 0 ? buffers[place] + sample * strides[place] : place == -1 ? workspace : nullptr;
    }
    const long long sizes[] = {rows, features, chunks, first, end, streams};
    step.kernel(arrays.data(), step.numbers.data(), sizes);
  }
};

// names: of kernels, each with a line end. sizes: samples, in how many parts threads share them, rows of each,
// features, chunks, which threads share otherwise, whether results are streamed, bytes of the workspace, then the
// results that have to be 0 before. steps: of each kernel whether it is over rows, how many pointers it takes and which,
// and how many numbers and which.
ffi::Error call(ffi::ThreadPool pool, ffi::RemainingArgs given, ffi::RemainingRets made, std::string_view names,
                Integers sizes, Integers strides, Integers steps, ffi::Span<const double> numbers) {
  const long long samples = sizes[0], parts = sizes[1];
  Call call{{}, {}, strides.begin(), sizes[2], sizes[3], sizes[4], sizes[5], static_cast<size_t>(sizes[6])};
  auto add = [&](const ffi::AnyBuffer& each) { call.buffers.push_back(static_cast<char*>(each.untyped_data())); };
  for (size_t i = 0; i < given.size(); ++i) add(given.get<ffi::AnyBuffer>(i).value());
  for (size_t i = 0; i < made.size(); ++i) add(*made.get<ffi::AnyBuffer>(i).value());
  for (size_t i = 7; i < sizes.size(); ++i) {
    auto result = *made.get<ffi::AnyBuffer>(sizes[i]).value();
    std::memset(result.untyped_data(), 0, result.size_bytes());
  }
  for (const int64_t* each = steps.begin(); each < steps.end();) {
    const size_t end = names.find('\n');
    const std::string_view name = names.substr(0, end);
    names.remove_prefix(end + 1);
    Step step{named(name), *each++ != 0, {}, {}};
    if (!step.kernel)
      return ffi::Error(ffi::ErrorCode::kNotFound, "there is no kernel " + std::string(name) + " in this process");
    for (int64_t left = *each++; left; --left) step.pointers.push_back(*each++);
    for (int64_t left = *each++; left; --left) step.numbers.push_back(numbers[*each++]);
    call.steps.push_back(step);
  }
  const PlainArithmetic while_it_runs;
  if (parts > 1) {
    auto part = [&](long long number) {
      const auto workspace = call.workspace();
      for (long long i = samples * number / parts; i < samples * (number + 1) / parts; ++i)
        for (const Step& step : call.steps) call.run(step, i, workspace.get(), 0, call.chunks);
    };
    share(pool, parts, &part);
    return ffi::Error::Success();
  }
  const auto workspace = call.workspace();
  for (long long i = 0; i < samples; ++i)
    for (const Step& step : call.steps) {
      auto part = [&](long long chunk) { call.run(step, i, workspace.get(), chunk, chunk + 1); };
      if (step.is_over_rows && call.chunks > 1)
        share(pool, call.chunks, &part);
      else
        call.run(step, i, workspace.get(), 0, call.chunks);
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
                                  .Attr<Integers>("strides")
                                  .Attr<Integers>("steps")
                                  .Attr<ffi::Span<const double>>("numbers"));
