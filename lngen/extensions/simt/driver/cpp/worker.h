// The emulator's worker: the process that kernels run in. runtime/worker.cpp says what it is asked and answers.
#pragma once
#include <string>
#include <vector>

#include "driver.h"

namespace driver {

struct Answer {
  std::string word;  // "lost" if the worker ended without one
  std::vector<std::string> lines;
};

// Sends a request, starting the worker if there is none. Waits for the answer for so long, then ends the worker.
Answer ask(const std::string& request, double seconds);
void end_worker();

// The number that a module has in the running worker. A worker that was lost and started again has none of them loaded,
// so this is asked before each launch. `kernels` gets a line for each kernel: its name, then its arguments' types.
Result load(const std::string& path, size_t* number, std::vector<std::string>* kernels);

std::string to_hex(const void* bytes, size_t count);
std::string to_hex(const std::string& text);
std::string from_hex(const std::string& digits);

}  // namespace driver
