// SPDX-License-Identifier: MIT
// A call of kernels on all rows, for programs of C++: the functions of layer.hpp, which includes this after the kernels,
// pass their arguments on to it.
//
// Rows are cut into chunks, whose number goes by the shape alone, as compiled.py has it: results have the same bits for
// any number of threads.

#include <algorithm>
#include <thread>
#include <vector>

namespace lngen::LNGEN_SPACE {

using Kernel = void (*)(void* const* arrays, const double* numbers, const long long* sizes);

// The kernel that works on rows, and the one that ends their sums into so many columns and numbers, or null.
struct Kernels {
  Kernel rows_kernel, ends_kernel;
  int column_sums, scalar_sums;

  // Arrays that a kernel reads are passed as those that it writes.
  void call(std::vector<const void*> arrays, const std::vector<double>& numbers, std::vector<const void*> ends,
            long long rows, int D, int threads) const {
    const long long chunks = chunks_of(rows, D);
    std::vector<Computed> workspace(has_sums() ? chunks * chunk_entries(column_sums, scalar_sums, D) + LINE : 0);
    if (has_sums()) {
      arrays.push_back(workspace.data());
      ends.insert(ends.begin(), workspace.data());
    }
    const auto run = [&](Kernel kernel, const std::vector<const void*>& of, long long first, long long end) {
      const long long sizes[] = {rows, D, chunks, first, end, 0, 0};
      kernel(const_cast<void* const*>(of.data()), numbers.data(), sizes);
    };
    const long long parts = std::max(1ll, std::min<long long>(threads, chunks));
    std::vector<std::thread> others;
    for (long long part = 1; part < parts; ++part)
      others.emplace_back([&, part] { run(rows_kernel, arrays, chunks * part / parts, chunks * (part + 1) / parts); });
    run(rows_kernel, arrays, 0, chunks / parts);
    for (std::thread& other : others) other.join();
    if (ends_kernel) run(ends_kernel, ends, 0, chunks);
  }

 private:
  static constexpr long long CHUNKS = 16, FEW_CHUNKS = 4, CHUNK_ROWS = 32, CHUNK_ENTRIES = 1 << 15;

  bool has_sums() const { return column_sums + scalar_sums > 0; }
  long long chunks_of(long long rows, long long D) const {
    const long long most = has_sums() ? std::max(FEW_CHUNKS, rows / CHUNK_ROWS) : CHUNKS;
    return std::max(1ll, std::min({CHUNKS, most, rows, rows * D / CHUNK_ENTRIES}));
  }
};

}  // namespace lngen::LNGEN_SPACE
