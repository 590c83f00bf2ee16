// Modules and their kernels.
//
// An image is what lngen/extensions/simt/nvcc.py writes: a line with its length, then the source and its macros. Python makes the
// shared object of it (or finds it made), with its accesses checked or not.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "driver.h"

namespace driver {

// An argument: its type as include/simt/abi.h spells it, its name, its place in a packed buffer of all of them.
struct Parameter {
  std::string type, name;
  size_t place, bytes;
  bool is_pointer() const { return type[0] == '*'; }
  bool is_constant() const { return type.compare(0, 2, "*c") == 0; }
  // The size of what is pointed to, 1 where it has no type.
  size_t element() const;
};

struct Module;

struct Function {
  Module* module;
  std::string name;
  std::vector<Parameter> parameters;
  size_t bytes;  // of a packed buffer of the arguments
  int most_dynamic_shared = 48 * 1024;
};

struct Module {
  std::string image, source_name;
  std::string paths[2];  // of the shared object: not checked, checked; empty where it was not needed yet
  std::map<std::string, Function> functions;
  std::map<std::string, std::pair<Address, size_t>> variables;
};

// SUCCESS for a kernel whose module is loaded, in a context.
Result known(const Function* function);

// Call of Python: returns the path of the shared object of an image, the file's name, and a line for each kernel with
// the names of its parameters. If it returns false, `answer` is the reason. Must not be called with the lock held.
bool ask_python(const std::string& image, bool checked, std::vector<std::string>* answer);

}  // namespace driver
