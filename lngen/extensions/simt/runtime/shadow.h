// State of each cell of a region: its last writer, its readers since, and the times.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "../include/simt/abi.h"

namespace simt {

// When in a launch: number of the cluster + 1 (0 is never), time of its clocks, time of the warp.
struct Moment {
  uint32_t block = 0, clock = 0, time = 0;
};

// Reads of a warp's lanes since the last write, the latest of them at a time of the block's clocks and the warp.
struct Reads {
  uint32_t lanes = 0, clock = 0, time = 0, code = 0;
};

struct Cell {
  Moment written;
  Reads read;  // by the reading warp
  uint32_t writer_code = 0;
  uint32_t read_block = 0;  // of what was read, + 1
  uint32_t many_warps = 0;  // where there is more than one, what they read, in a table of the block
  uint16_t writer = 0, reader_warp = 0;
  bool in_flight = false;  // a copy that was started is to write it
};

// Gives pages back to the system.
struct Pages {
  size_t bytes = 0;
  void operator()(Cell* cells) const;
};

// A region and a cell for each element of it. The pages of cells that are never touched take no memory.
class Shadow {
 public:
  uint64_t* moved;  // bytes that were read and written; null where nobody counts

  Shadow(const simt_region& region, bool shared, unsigned block = 0, uint64_t* counted = nullptr);

  const char* start() const { return region_.start; }
  const char* end() const { return region_.start + region_.bytes; }
  bool shared() const { return shared_; }
  unsigned block() const { return block_; }  // of the cluster, whose shared memory it is
  const char* name() const { return region_.name; }
  size_t cell_bytes() const { return region_.cell; }
  size_t cell_of(const char* address) const { return size_t(address - region_.start) / region_.cell; }
  Cell& cell(size_t index) { return cells_[index]; }

  // Tests whether a cell of global memory holds a value from this launch or an earlier one.
  bool holds_value(size_t index) const { return !region_.written || region_.written[index]; }
  void set_written(size_t index) {
    if (region_.written) region_.written[index] = 1;
  }

 private:
  simt_region region_;
  bool shared_;
  unsigned block_;
  std::unique_ptr<Cell[], Pages> cells_;
};

}  // namespace simt
