#include "image.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "../include/simt/abi.h"

// From the linker, where there is such a section.
extern "C" char __start_simt_shared[] __attribute__((weak, visibility("hidden")));
extern "C" char __stop_simt_shared[] __attribute__((weak, visibility("hidden")));

namespace simt {

Span static_shared() { return {__start_simt_shared, size_t(__stop_simt_shared - __start_simt_shared)}; }

static Span find_image() {
  Span image{nullptr, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* object, size_t, void* found) {
        char *low = nullptr, *high = nullptr;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& segment = object->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD) continue;
          char* start = reinterpret_cast<char*>(object->dlpi_addr + segment.p_vaddr);
          if (!low || start < low) low = start;
          if (start + segment.p_memsz > high) high = start + segment.p_memsz;
        }
        char* here = reinterpret_cast<char*>(&find_image);
        if (here < low || here >= high) return 0;
        *static_cast<Span*>(found) = {low, size_t(high - low)};
        return 1;
      },
      &image);
  return image;
}

bool in_image(const void* address) {
  static const Span image = find_image();
  const char* at = static_cast<const char*>(address);
  return at >= image.start && at < image.start + image.bytes;
}

}  // namespace simt

extern "C" int simt_symbol(const char* name, void** address, size_t* bytes) {
  Dl_info module;
  if (!dladdr(reinterpret_cast<void*>(&simt::find_image), &module)) return 0;
  void* handle = dlopen(module.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return 0;
  *address = dlsym(handle, name);
  dlclose(handle);
  Dl_info found;
  const ElfW(Sym)* symbol = nullptr;
  void** slot = reinterpret_cast<void**>(const_cast<ElfW(Sym)**>(&symbol));
  if (!*address || !dladdr1(*address, &found, slot, RTLD_DL_SYMENT) || !symbol) return 0;
  *bytes = symbol->st_size;
  return 1;
}
