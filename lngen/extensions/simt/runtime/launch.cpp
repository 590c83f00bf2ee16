// The functions that a module exports for whoever launches its kernels.
#include <algorithm>
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

static int refuse_cluster(const simt_dim& grid, uint64_t threads, const simt_options& options) {
  const unsigned cluster = options.cluster;
  if (cluster > SIMT_MOST_BLOCKS) return refuse("a cluster has at most 8 blocks");
  if (grid.x % cluster) return refuse("the grid is not of whole clusters along x");
  if (options.first_block % cluster || options.blocks % cluster) return refuse("the chosen blocks are not whole clusters");
  if (threads % LANES) return refuse("blocks of a cluster have whole warps here");
  if (static_shared().bytes) return refuse("kernels of clusters have no shared memory but the launch's here");
  return SIMT_DONE;
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
  for (const Block& block : state.blocks) memset(block.shared, 0xff, state.launch.shared_bytes);
  const Span statics = static_shared();
  if (statics.bytes) memset(statics.start, 0xff, statics.bytes);
}

static void run_blocks(const simt_dim& grid) {
  const simt_options& options = state.launch.options;
  const uint64_t all = uint64_t(grid.x) * grid.y * grid.z, cluster = state.blocks.size();
  const uint64_t count = (options.blocks ? options.blocks : all) / cluster;
  const BlockOrder order(options.first_block / cluster, count);
  for (uint64_t turn = 0; turn < count && !state.launch.ended; ++turn) {
    uint64_t number = (state.launch.cluster_number = order[turn]) * cluster;
    for (Block& block : state.blocks) {
      block.index = {unsigned(number % grid.x), unsigned(number / grid.x % grid.y), unsigned(number / grid.x / grid.y)};
      ++number;
    }
    poison_shared();
    run_cluster();
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
  const size_t threads = size_t(block.x) * block.y * block.z, cluster = options.cluster > 1 ? options.cluster : 1;
  if (cluster > 1)
    if (const int refused = refuse_cluster(grid, threads, options)) return refused;
  state.stacks = Stacks(options.stacks);
  // Room past the end, so that an access that runs over it meets poison and not the heap.
  const size_t room = (shared_bytes / SHARED_ALIGNMENT + 2) * SHARED_ALIGNMENT;
  char* shared = static_cast<char*>(aligned_alloc(SHARED_ALIGNMENT, room * cluster));
  if (!shared) return refuse("there is no memory for the block's shared memory");
  memset(shared, 0xff, room * cluster);

  state.launch = Launch();
  state.launch.options = options;
  state.launch.call = kernel.call;
  state.launch.arguments = arguments;
  state.launch.shared_bytes = shared_bytes;
  state.launch.block_threads = unsigned(threads);
  state.launch.random = 0x9E3779B97F4A7C15ull ^ ((uint64_t(options.seed) << 1 | 1) * 0xD1342543DE82EF95ull);
  state.threads.assign(threads * cluster, Thread());
  state.blocks.assign(cluster, Block());
  for (size_t i = 0; i < cluster; ++i) state.blocks[i].shared = shared + i * room;
  simt_running_block = {{0, 0, 0}, block, grid, shared};
  if (simt_instrumented) begin_checks();
  run_blocks(grid);
  if (simt_instrumented) end_checks();
  simt_current = nullptr;
  for (size_t i = 0; i < SHARED_ALIGNMENT; ++i) {
    const auto is_written = [&](const Block& each) { return static_cast<unsigned char>(each.shared[shared_bytes + i]) != 0xff; };
    if (std::none_of(state.blocks.begin(), state.blocks.end(), is_written)) continue;
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

extern "C" unsigned simt_cluster_blocks() { return unsigned(simt::state.blocks.size()); }

extern "C" void* simt_in_block(unsigned block, void* shared) {
  using namespace simt;
  const ptrdiff_t place = static_cast<char*>(shared) - current_block().shared;
  if (block < state.blocks.size() && place >= 0 && size_t(place) < state.launch.shared_bytes)
    return state.blocks[block].shared + place;
  Finding finding{"out of bounds"};
  finding.code = offset_of_call(__builtin_return_address(0));
  finding.text = block < state.blocks.size() ? "an address outside shared memory has no place in another block"
                                             : "there is no block " + std::to_string(block) + " in the cluster";
  report(finding);
  abandon();
}

extern "C" int simt_where(unsigned block_and_thread[6]) {
  if (!simt_current) return 0;
  const simt_dim &block = simt_running_block.index, &thread = simt_current->index;
  const unsigned numbers[6] = {block.x, block.y, block.z, thread.x, thread.y, thread.z};
  memcpy(block_and_thread, numbers, sizeof numbers);
  return 1;
}
