// The functions that a module exports for whoever launches its kernels.
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "checker.h"
#include "findings.h"
#include "image.h"
#include "scheduler.h"

// Contents of the compiled source: its kernels, and whether their accesses are instrumented.
extern "C" const simt_kernel simt_kernels[];
extern "C" const size_t simt_kernel_count;
extern "C" const bool simt_instrumented;

extern "C" {
simt_thread* simt_current = nullptr;
simt_block simt_running_block;
}

namespace simt {

static constexpr unsigned MOST_THREADS = SIMT_MOST_THREADS, MOST_DEEP = 64, MOST_BLOCKS_BESIDE = 65535;
static constexpr size_t MOST_SHARED = 227 * 1024;
static constexpr size_t SHARED_ALIGNMENT = 1024;

static int refuse(const std::string& text) {
  Finding finding{"bad launch"};
  finding.text = text;
  report(finding);
  return SIMT_BAD_LAUNCH;
}

static int refuse_geometry(const simt_dim& grid, const simt_dim& block, size_t shared_bytes) {
  const uint64_t threads = uint64_t(block.x) * block.y * block.z;
  if (!threads || threads > MOST_THREADS || block.z > MOST_DEEP)
    return refuse("a block has 1 to 1024 threads, at most 64 along z");
  if (!grid.x || !grid.y || !grid.z || grid.x > INT32_MAX || grid.y > MOST_BLOCKS_BESIDE || grid.z > MOST_BLOCKS_BESIDE)
    return refuse("a grid has at least one block, at most 2147483647 along x and 65535 along y and z");
  if (shared_bytes > MOST_SHARED) return refuse("a block has at most 232448 bytes of shared memory");
  return SIMT_DONE;
}

// The blocks of a launch in the order of its schedule: a random one is a step that reaches each block once.
class BlockOrder {
 public:
  BlockOrder(uint64_t first, uint64_t count) : first_(first), count_(count) {
    if (state.launch.options.schedule != SIMT_RANDOM || count < 2) return;
    start_ = state.launch.any() % count;
    do step_ = 1 + state.launch.any() % (count - 1);
    while (std::gcd(step_, count) != 1);
  }
  uint64_t operator[](uint64_t turn) const {
    if (state.launch.options.schedule == SIMT_REVERSE) return first_ + count_ - 1 - turn;
    return first_ + uint64_t((start_ + static_cast<unsigned __int128>(step_) * turn) % count_);
  }

 private:
  uint64_t first_, count_, start_ = 0, step_ = 1;
};

// All bits set is a NaN in every floating-point type, and -1.
static void poison_shared() {
  memset(simt_running_block.shared, 0xff, state.launch.shared_bytes);
  const Span statics = static_shared();
  if (statics.bytes) memset(statics.start, 0xff, statics.bytes);
}

static void run_blocks(const simt_dim& grid) {
  const simt_options& options = state.launch.options;
  const uint64_t all = uint64_t(grid.x) * grid.y * grid.z;
  const uint64_t count = options.blocks ? options.blocks : all;
  const BlockOrder order(options.first_block, count);
  for (uint64_t turn = 0; turn < count && !state.launch.ended; ++turn) {
    const uint64_t number = state.launch.block_number = order[turn];
    simt_running_block.index = {unsigned(number % grid.x), unsigned(number / grid.x % grid.y),
                                unsigned(number / grid.x / grid.y)};
    poison_shared();
    run_block();
  }
}

static int launch(const simt_kernel& kernel, const unsigned g[6], size_t shared_bytes, void** arguments,
                  const simt_options& options) {
  const simt_dim grid{g[0], g[1], g[2]}, block{g[3], g[4], g[5]};
  clear_report();
  simt_current = nullptr;
  if (const int refused = refuse_geometry(grid, block, shared_bytes)) return refused;
  const uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z;
  if (options.first_block > blocks || options.blocks > blocks - options.first_block)
    return refuse("the chosen blocks are not all in the grid");
  const size_t threads = size_t(block.x) * block.y * block.z;
  state.stacks = Stacks(options.stacks);
  // Room past the end, so that an access that runs over it meets poison and not the heap.
  void* shared = aligned_alloc(SHARED_ALIGNMENT, (shared_bytes / SHARED_ALIGNMENT + 2) * SHARED_ALIGNMENT);
  if (!shared) return refuse("there is no memory for the block's shared memory");
  memset(shared, 0xff, (shared_bytes / SHARED_ALIGNMENT + 2) * SHARED_ALIGNMENT);

  state.launch = Launch();
  state.launch.options = options;
  state.launch.call = kernel.call;
  state.launch.arguments = arguments;
  state.launch.shared_bytes = shared_bytes;
  state.launch.random = 0x9E3779B97F4A7C15ull ^ ((uint64_t(options.seed) << 1 | 1) * 0xD1342543DE82EF95ull);
  state.threads.assign(threads, Thread());
  simt_running_block = {{0, 0, 0}, block, grid, shared};
  if (simt_instrumented) begin_checks();
  run_blocks(grid);
  if (simt_instrumented) end_checks();
  simt_current = nullptr;
  const unsigned char* end = static_cast<unsigned char*>(shared) + shared_bytes;
  for (size_t i = 0; i < SHARED_ALIGNMENT; ++i) {
    if (end[i] == 0xff) continue;
    Finding finding{"out of bounds"};
    finding.buffer = "shared memory";
    finding.offset = ptrdiff_t(shared_bytes + i);
    finding.bytes = 1;
    finding.buffer_bytes = shared_bytes;
    finding.text = "write";
    report(finding);
    break;
  }
  free(shared);
  return anything_reported() ? SIMT_FINDINGS : SIMT_DONE;
}

static const simt_kernel* kernel_named(const char* name) {
  for (size_t i = 0; i < simt_kernel_count; ++i)
    if (!strcmp(simt_kernels[i].name, name)) return &simt_kernels[i];
  return nullptr;
}

}  // namespace simt

extern "C" int simt_abi() { return SIMT_ABI; }

extern "C" const simt_kernel* simt_kernel_at(size_t index) {
  return index < simt_kernel_count ? &simt_kernels[index] : nullptr;
}

extern "C" int simt_launch(const char* name, const unsigned grid_and_block[6], size_t shared_bytes, void** arguments,
                           const simt_options* options) {
  simt::clear_report();
  const simt_kernel* kernel = simt::kernel_named(name);
  if (!kernel) return simt::refuse(std::string("there is no kernel ") + name);
  return simt::launch(*kernel, grid_and_block, shared_bytes, arguments, *options);
}

extern "C" int simt_where(unsigned block_and_thread[6]) {
  if (!simt_current) return 0;
  const simt_dim &block = simt_running_block.index, &thread = simt_current->index;
  const unsigned numbers[6] = {block.x, block.y, block.z, thread.x, thread.y, thread.z};
  memcpy(block_and_thread, numbers, sizeof numbers);
  return 1;
}
