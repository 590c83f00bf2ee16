#include "shadow.h"

#include <sys/mman.h>

#include <cstdlib>
#include <utility>

namespace simt {

Shadow::Shadow(const simt_region& region, bool shared, unsigned block) : region_(region), shared_(shared), block_(block) {
  mapped_ = (region.bytes / region.cell + 1) * sizeof(Cell);
  void* memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) abort();
  cells_ = static_cast<Cell*>(memory);  // of zeros, which is what a new Cell is
}

Shadow::~Shadow() {
  if (cells_) munmap(cells_, mapped_);
}

Shadow::Shadow(Shadow&& other) noexcept
    : region_(other.region_),
      shared_(other.shared_),
      block_(other.block_),
      mapped_(other.mapped_),
      cells_(std::exchange(other.cells_, nullptr)) {}

Shadow& Shadow::operator=(Shadow&& other) noexcept {
  std::swap(region_, other.region_);
  std::swap(shared_, other.shared_);
  std::swap(block_, other.block_);
  std::swap(mapped_, other.mapped_);
  std::swap(cells_, other.cells_);
  return *this;
}

}  // namespace simt
