// A program for another processor: one call of a kernel, its arrays from the input to the output. SOURCE and KERNELS, a
// list of EACH(name), are macros.
#include SOURCE

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define EACH(name) if (!std::strcmp(argv[1], #name)) kernel = name;

// name, then three lists, each with its length first: bytes of arrays, -1 for one that is not there; numbers; sizes
int main(int, char** argv) {
  void (*kernel)(void* const*, const double*, const long long*) = nullptr;
  KERNELS
  char** next = argv + 2;
  const auto count = [&] { return std::strtoll(*next++, nullptr, 10); };
  std::vector<void*> arrays(count());
  std::vector<std::size_t> lengths;
  for (void*& array : arrays) {
    const long long bytes = count();
    lengths.push_back(bytes < 0 ? 0 : bytes);
    // A workspace is used from its first cache line on: the same one in every call.
    array = bytes < 0 ? nullptr : std::aligned_alloc(128, (bytes + 128) / 128 * 128);
    if (array && std::fread(array, 1, bytes, stdin) != lengths.back()) return 1;
  }
  std::vector<double> numbers(count());
  for (double& number : numbers) number = std::strtod(*next++, nullptr);
  std::vector<long long> sizes(count());
  for (long long& size : sizes) size = count();
  if (!kernel) return 2;
  kernel(arrays.data(), numbers.data(), sizes.data());
  for (std::size_t i = 0; i < arrays.size(); ++i) std::fwrite(arrays[i], 1, lengths[i], stdout);
}
