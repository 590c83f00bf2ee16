// The library's functions by their names in CUDA's headers, without the suffix of a version, as cuda.bindings asks for.
#include <dlfcn.h>

#include "driver.h"

using namespace driver;

API cuGetProcAddress_v2(const char* name, void** function, int since, unsigned long long, int* status) {
  static void* const library = [] {
    Dl_info here;
    dladdr(reinterpret_cast<void*>(&cuGetProcAddress_v2), &here);
    return dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }();
  *function = nullptr;
  // What has a fourth version has it since CUDA 12.5.
  for (const char* version : {since < 12050 ? "_v2" : "_v4", "_v2", ""})
    if ((*function = dlsym(library, (std::string(name) + version).c_str()))) break;
  if (status) *status = !*function;  // CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
  return SUCCESS;
}
