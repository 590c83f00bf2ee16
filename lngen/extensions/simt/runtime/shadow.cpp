#include "shadow.h"

#include <sys/mman.h>

#include <cstdlib>

namespace simt {

void Pages::operator()(Cell* cells) const { munmap(cells, bytes); }

Shadow::Shadow(const simt_region& region, bool shared, unsigned block, uint64_t* counted)
    : moved(counted), region_(region), shared_(shared), block_(block) {
  const size_t bytes = (region.bytes / region.cell + 1) * sizeof(Cell);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) abort();
  cells_ = {static_cast<Cell*>(memory), Pages{bytes}};  // of zeros, which is what a new Cell is
}

}  // namespace simt
