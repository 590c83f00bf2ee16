#include "modules.h"

#include <cstring>
#include <set>
#include <sstream>

#include "control.h"
#include "memory.h"
#include "worker.h"

namespace driver {

namespace {
constexpr char MAGIC[] = "lngen-simt-image ";
constexpr size_t MOST_DIGITS = 12;

std::set<Module*>& modules = lasting<std::set<Module*>>();

// The payload of an image, whose first line has its length: the call that loads it is not told.
bool payload_of(const char* image, std::string* payload) {
  const size_t magic = strlen(MAGIC);
  if (memcmp(image, MAGIC, magic)) return false;
  char* end;
  const unsigned long long bytes = strtoull(image + magic, &end, 10);
  if (end == image + magic || end > image + magic + MOST_DIGITS || *end != '\n') return false;
  payload->assign(end + 1, bytes);
  return true;
}

size_t number_at(const std::string& type, size_t start) { return std::stoul(type.substr(start)); }

Function function_of(Module* module, const std::string& types, const std::string& names) {
  std::istringstream type_words(types), name_words(names);
  Function function{module, "", {}, 0};
  std::string type, name;
  type_words >> function.name;
  name_words >> name;
  size_t place = 0;
  while (type_words >> type) {
    if (!(name_words >> name)) name = "argument";
    const size_t bytes = type[0] == '*' ? sizeof(Address) : number_at(type, 1);
    // Only that of a struct is not its size.
    const size_t alignment = type[0] == 's' ? number_at(type, type.find('/') + 1) : bytes;
    place = (place + alignment - 1) / alignment * alignment;
    function.parameters.push_back({type, name, place, bytes});
    place += bytes;
  }
  function.bytes = place;
  return function;
}

Result load_image(Module** out, const void* image) {
  NEED(ready_in_context());
  Module module;
  if (!payload_of(static_cast<const char*>(image), &module.image))
    return fail(INVALID_IMAGE, "the emulator runs what its stand-in for nvcc has compiled, not code for a GPU");
  std::vector<std::string> answer;
  const bool checked = settings.check;
  if (!ask_python(module.image, checked, &answer)) return fail(INVALID_IMAGE, answer[0]);
  Lock lock(one_call);
  module.paths[checked] = answer[0];
  module.source_name = answer[1];
  size_t number;
  std::vector<std::string> kernels;
  NEED(load(answer[0], &number, &kernels));
  Module* made = *modules.insert(new Module(module)).first;
  for (size_t i = 0; i < kernels.size(); ++i) {
    Function function = function_of(made, kernels[i], i + 2 < answer.size() ? answer[i + 2] : "");
    made->functions.insert({function.name, function});
  }
  *out = made;
  return SUCCESS;
}

// A variable is copied to the device's memory once. What a kernel changes of it later is not seen.
Result copy_variable(Module* module, const std::string& name) {
  size_t number;
  const std::string& path = module->paths[module->paths[0].empty()];
  NEED(load(path, &number, nullptr));
  const Answer answer = ask("symbol " + std::to_string(number) + ' ' + to_hex(name), 60);
  if (answer.word != "symbol" || answer.lines.empty())
    return fail(NOT_FOUND, module->source_name + " has no variable " + name + " that is extern \"C\"");
  const std::string bytes = from_hex(answer.lines[0]);
  Address address;
  NEED(allocate(&address, bytes.size()));
  Allocation* allocation = allocation_at(address);
  memcpy(bytes_at(allocation->offset), bytes.data(), bytes.size());
  allocation->read_only = allocation->all_written = true;
  module->variables[name] = {address, bytes.size()};
  return SUCCESS;
}
}  // namespace

Result known(const Function* function) {
  NEED(ready_in_context());
  for (const Module* module : modules)
    for (const auto& entry : module->functions)
      if (&entry.second == function) return SUCCESS;
  return fail(INVALID_HANDLE, "no such function; is its module gone?");
}

size_t Parameter::element() const {
  const size_t digits = type.find_first_of("0123456789");
  return std::max<size_t>(digits == std::string::npos ? 1 : number_at(type, digits), 1);
}

}  // namespace driver

using namespace driver;

API cuModuleLoadData(Module** module, const void* image) { return load_image(module, image); }

API cuModuleLoadDataEx(Module** module, const void* image, unsigned count, const int* options, void** values) {
  // The sizes of the logs become those of what was written: nothing.
  constexpr int INFO_LOG_BYTES = 4, ERROR_LOG_BYTES = 6;
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == INFO_LOG_BYTES || options[i] == ERROR_LOG_BYTES) values[i] = nullptr;
  return load_image(module, image);
}


API cuModuleUnload(Module* module) {
  Lock lock(one_call);
  NEED(ready());
  if (!modules.erase(module)) return fail(INVALID_HANDLE, "no such module");
  for (const auto& variable : module->variables) release(variable.second.first);
  delete module;
  return SUCCESS;
}

API cuModuleGetFunction(Function** function, Module* module, const char* name) {
  Lock lock(one_call);
  NEED(ready_in_context());
  if (!modules.count(module)) return fail(INVALID_HANDLE, "no such module");
  const auto found = module->functions.find(name);
  if (found == module->functions.end())
    return fail(NOT_FOUND, module->source_name + " has no kernel " + name + " that is extern \"C\"");
  *function = &found->second;
  return SUCCESS;
}

API cuModuleGetGlobal_v2(Address* address, size_t* bytes, Module* module, const char* name) {
  Lock lock(one_call);
  NEED(ready_in_context());
  if (!modules.count(module)) return fail(INVALID_HANDLE, "no such module");
  if (!module->variables.count(name)) NEED(copy_variable(module, name));
  const auto& [start, size] = module->variables[name];
  if (address) *address = start;
  if (bytes) *bytes = size;
  return SUCCESS;
}
